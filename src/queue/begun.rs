//! The event that a line has begun, as the store and tickets write it, and the order by lot of its pre-queue, of which each lane has
//! one of its own.
//!
//! Invariant: the edge computes from a decided lot what any visitor's number is. `store/lua/lot.lua` decides it, once, after the last
//! number that it concerns was drawn.

use super::draw::commitment;
use super::{Event, Lane, Order, Position, Seed};
use serde::Deserialize;

/// The event that a line has begun. Boards and tickets have it as one text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Begun {
    /// Its name.
    pub id: String,
    /// When it was to open, as it began.
    pub opens_ms: u64,
    /// Its numbers in the lane of the board or the ticket that has it; on a whole board in the main one.
    pub own: Prequeue,
    /// The same in other lanes.
    pub others: Vec<Prequeue>,
    /// Its order, as it began.
    pub order: Order,
    /// What was published of the secret before the order is decided; nothing for an order by arrival.
    pub commitment: Option<String>,
    /// What decides the order, once it is public.
    pub lot: Option<Lot>,
}

/// The numbers of an event in one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prequeue {
    /// The lane.
    pub lane: Lane,
    /// They begin behind this one. Those of an order by lot begin behind the cursor, too.
    pub base: u64,
    /// How many of them were drawn before the event opened, once that is known.
    pub drawn: Option<u64>,
}

/// What decides an order by lot, together with how many numbers were drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lot {
    /// The secret that was committed to.
    pub secret: String,
    /// The public value; empty where none was named.
    pub value: String,
}

impl Begun {
    /// As the store keeps it: `id opens base drawn order`, with `,LANE=base:drawn` of each other lane behind `drawn`, and
    /// ` commitment secret value` behind the order, where the secret has been committed to.
    #[must_use]
    pub fn written(&self) -> String {
        let drawn = |of: &Prequeue| of.drawn.map_or("-1".to_owned(), |drawn| drawn.to_string());
        let others: Vec<String> = self
            .others
            .iter()
            .map(|of| {
                let name = of.lane.full_name();
                format!(",{name}={}:{}", of.base, drawn(of))
            })
            .collect();
        let lot = self.commitment.as_ref().map(|commitment| {
            let lot = self.lot.as_ref();
            let [secret, value] = lot.map_or(["-", ""], |lot| [&lot.secret, &lot.value]);
            format!(" {commitment} {secret} {value}")
        });
        format!(
            "{} {} {} {}{} {}{}",
            self.id,
            self.opens_ms,
            self.own.base,
            drawn(&self.own),
            others.concat(),
            self.order.written(),
            lot.unwrap_or_default()
        )
    }

    /// Reads what the store wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.splitn(8, ' ');
        let id = words.next()?.to_owned();
        let opens_ms = words.next()?.parse().ok()?;
        let base = words.next()?;
        let mut numbers = words.next()?.split(',');
        let own = Prequeue::read(Lane::Main, base, numbers.next()?)?;
        let others: Option<Vec<Prequeue>> = numbers
            .map(|of| {
                let (lane, of) = of.split_once('=')?;
                let (base, drawn) = of.split_once(':')?;
                Prequeue::read(Lane::read(lane)?, base, drawn)
            })
            .collect();
        let order = Order::read(words.next()?)?;
        let commitment = words.next().map(str::to_owned);
        let secret = words.next().filter(|secret| *secret != "-");
        let value = words.next().unwrap_or_default();
        let lot = secret.map(|secret| Lot {
            secret: secret.to_owned(),
            value: value.to_owned(),
        });
        Some(Self {
            id,
            opens_ms,
            own,
            others: others?,
            order,
            commitment,
            lot,
        })
    }

    /// As visitors of this lane read it. In a lane that is not named no number was drawn before it opened, as far as is known.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Self {
        let mut all = std::iter::once(&self.own).chain(&self.others);
        let none = || Prequeue {
            lane,
            base: 0,
            drawn: self.own.drawn.map(|_| 0),
        };
        Self {
            own: all.find(|of| of.lane == lane).copied().unwrap_or_else(none),
            others: Vec::new(),
            ..self.clone()
        }
    }

    /// As a ticket says it, once the order is decided: without what follows from the secret, without the source of the value, and of
    /// its own lane alone.
    #[must_use]
    pub fn on_ticket(&self) -> Option<String> {
        self.lot.as_ref()?;
        let short = Self {
            order: Order::Drawn,
            commitment: Some("-".to_owned()),
            others: Vec::new(),
            ..self.clone()
        };
        Some(short.written())
    }

    /// Reads what a ticket of this lane says.
    #[must_use]
    pub fn of_ticket(text: &str, lane: Lane) -> Option<Self> {
        let short = Self::read(text)?;
        let commitment = commitment(&short.lot.as_ref()?.secret);
        Some(Self {
            commitment: Some(commitment),
            own: Prequeue { lane, ..short.own },
            ..short
        })
    }

    /// Whether a number was drawn before the event opened, or may have been.
    fn is_of_prequeue(&self, number: Position) -> bool {
        let drawn = number.0.saturating_sub(self.own.base);
        drawn > 0 && self.own.drawn.is_none_or(|n| drawn <= n)
    }

    /// Whether the order of this number is still to be decided by lot.
    #[must_use]
    pub fn awaits_lot(&self, number: Position) -> bool {
        self.commitment.is_some() && self.lot.is_none() && self.is_of_prequeue(number)
    }

    /// Whether it stands until the order is decided. Nobody is to be put in order where no number was drawn.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        let mut all = std::iter::once(&self.own).chain(&self.others);
        self.commitment.is_some() && self.lot.is_none() && all.any(|of| of.drawn != Some(0))
    }

    /// The number that the lot gave to the visitor who drew this one; nothing where it gave none.
    #[must_use]
    pub fn by_lot(&self, number: Position) -> Option<Position> {
        let Prequeue { base, drawn, .. } = self.own;
        let (seed, n) = (self.seed()?, drawn?);
        let came = number.0.checked_sub(base);
        let came = came.filter(|came| (1..=n).contains(came))?;
        Some(Position(base + seed.drawn(n, Position(came)).0))
    }

    /// The seed of the order in its own lane, once that is decided.
    #[must_use]
    pub fn seed(&self) -> Option<Seed> {
        let lot = self.lot.as_ref()?;
        let lane = self.own.lane;
        Some(Seed::new(&lot.secret, &lot.value, lane, self.own.drawn?))
    }
}

impl Prequeue {
    fn read(lane: Lane, base: &str, drawn: &str) -> Option<Self> {
        let drawn = match drawn {
            "-1" => None,
            drawn => Some(drawn.parse().ok()?),
        };
        let base = base.parse().ok()?;
        Some(Self { lane, base, drawn })
    }
}

impl Event {
    /// Whether it begins a line of its own behind that of this event. An event with an earlier opening begins none: a POP may
    /// have settings that are old.
    #[must_use]
    pub fn begins_after(&self, begun: Option<&Begun>) -> bool {
        begun.is_none_or(|begun| begun.id != self.id && self.opens_ms > begun.opens_ms)
    }
}

impl TryFrom<String> for Begun {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no event")
    }
}

#[cfg(test)]
mod tests;
