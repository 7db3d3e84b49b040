//! The event that a line has begun, as the store and tickets write it, and the order by lot of its pre-queue, of which each lane has
//! one of its own.
//!
//! Invariant: the edge computes from a decided lot what any visitor's number is. `store/lua/lot.lua` decides it, once, after the last
//! number that it concerns was drawn.

use super::draw::commitment;
use super::{Event, Lane, Order, Place, Position, Seed};
use serde::Deserialize;

/// The event that a line has begun. Boards and tickets have it as one text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Begun {
    /// Its name.
    pub id: String,
    /// When it was to open, as it began.
    pub opens_ms: u64,
    /// The numbers of which the order is, once they are fixed: in the lane of the board or the ticket that has it, the oldest roll first.
    pub numbers: Option<Vec<Prequeue>>,
    /// The lane of the board or the ticket that has it.
    pub lane: Lane,
    /// Its order, as it began.
    pub order: Order,
    /// What was published of the secret before the order is decided; nothing for an order by arrival.
    pub commitment: Option<String>,
    /// What decides the order, once it is public.
    pub lot: Option<Lot>,
}

/// The numbers of an event that a lane has of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prequeue {
    /// The lane.
    pub lane: Lane,
    /// The roll.
    pub born: u64,
    /// They begin behind this one.
    pub base: u64,
    /// How many were drawn before the event opened, and not called.
    pub drawn: u64,
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
    /// As the store keeps it: `id opens order numbers`, and `commitment secret value` where the secret has been committed to. The
    /// numbers are `-` until they are fixed, then `LANE/ROLL=base:drawn,…` in this order, or `none`.
    #[must_use]
    pub fn written(&self) -> String {
        let numbers = match &self.numbers {
            None => "-".to_owned(),
            Some(numbers) if numbers.is_empty() => "none".to_owned(),
            Some(numbers) => {
                let written: Vec<String> = numbers.iter().map(Prequeue::written).collect();
                written.join(",")
            }
        };
        let lot = self.commitment.as_ref().map(|commitment| {
            let lot = self.lot.as_ref();
            let [secret, value] = lot.map_or(["-", ""], |lot| [&lot.secret, &lot.value]);
            format!(" {commitment} {secret} {value}")
        });
        format!(
            "{} {} {} {numbers}{}",
            self.id,
            self.opens_ms,
            self.order.written(),
            lot.unwrap_or_default()
        )
    }

    /// Reads what the store wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.splitn(7, ' ');
        let id = words.next()?.to_owned();
        let opens_ms = words.next()?.parse().ok()?;
        let order = Order::read(words.next()?)?;
        let numbers = match words.next()? {
            "-" => None,
            "none" => Some(Vec::new()),
            numbers => {
                let list = numbers.split(',').map(Prequeue::read);
                Some(list.collect::<Option<_>>()?)
            }
        };
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
            numbers,
            lane: Lane::Main,
            order,
            commitment,
            lot,
        })
    }

    /// As visitors of this lane read it.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Self {
        Self {
            lane,
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
            numbers: Some(self.own().copied().collect()),
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
            lane,
            ..short
        })
    }

    /// The numbers of its lane; none until they are fixed.
    fn own(&self) -> impl Iterator<Item = &Prequeue> {
        let all = self.numbers.iter().flatten();
        all.filter(|of| of.lane == self.lane)
    }

    /// The place behind which the numbers of its lane begin.
    #[must_use]
    pub fn first(&self) -> Option<Place> {
        let first = self.own().next()?;
        Some(Place::new(first.born, first.base))
    }

    /// How many numbers of its lane the order is of, once they are fixed.
    #[must_use]
    pub fn drawn(&self) -> Option<u64> {
        let own = self.own().map(|of| of.drawn);
        (self.numbers.is_some()).then(|| own.fold(0, u64::saturating_add))
    }

    /// Whether the order of this place is still to be decided by lot.
    #[must_use]
    pub fn awaits_lot(&self, place: Place) -> bool {
        let is_open = self.commitment.is_some() && self.lot.is_none();
        is_open && (self.numbers.is_none() || self.came(place).is_some())
    }

    /// Whether it stands until the order is decided. Nobody is to be put in order where no number was drawn.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        let numbers = self.numbers.as_ref();
        let has_some = numbers.is_none_or(|numbers| !numbers.is_empty());
        self.commitment.is_some() && self.lot.is_none() && has_some
    }

    /// As which one the visitor with this place came, of all in its lane of which the order is.
    #[must_use]
    pub fn came(&self, place: Place) -> Option<u64> {
        let older = self.own().filter(|of| of.born < place.born);
        let before = older.map(|of| of.drawn).fold(0, u64::saturating_add);
        let of = self.own().find(|of| of.born == place.born)?;
        let within = place.position.0.checked_sub(of.base)?;
        (1..=of.drawn)
            .contains(&within)
            .then(|| before.saturating_add(within))
    }

    /// The place that the lot gave to the visitor who drew this one; nothing where it gave none.
    #[must_use]
    pub fn by_lot(&self, drawn: Place) -> Option<Place> {
        let (seed, came) = (self.seed()?, self.came(drawn)?);
        let mut given = seed.drawn(self.drawn()?, Position(came)).0;
        for of in self.own() {
            if given <= of.drawn {
                return Some(Place::new(of.born, of.base.saturating_add(given)));
            }
            given = given.saturating_sub(of.drawn);
        }
        None
    }

    /// The seed of the order in its own lane, once that is decided.
    #[must_use]
    pub fn seed(&self) -> Option<Seed> {
        let lot = self.lot.as_ref()?;
        Some(Seed::new(&lot.secret, &lot.value, self.lane, self.drawn()?))
    }
}

impl Prequeue {
    fn written(&self) -> String {
        let (name, born) = (self.lane.full_name(), self.born);
        format!("{name}/{born}={}:{}", self.base, self.drawn)
    }

    fn read(text: &str) -> Option<Self> {
        let (name, numbers) = text.split_once('=')?;
        let (lane, born) = name.rsplit_once('/')?;
        let (base, drawn) = numbers.split_once(':')?;
        Some(Self {
            lane: Lane::of_full_name(lane)?,
            born: born.parse().ok()?,
            base: base.parse().ok()?,
            drawn: drawn.parse().ok()?,
        })
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
