//! The event that a line has begun, and the order by lot of its pre-queue.
//!
//! Invariant: an event keeps the order with which it began, and a lot is decided once, after the last number that it concerns was
//! drawn. `store/lua/lot.lua` keeps it in the same words.

use super::draw::commitment;
use super::{Event, Order, Position, Seed};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// The event that a line has begun. Copies keep it as the store wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Begun {
    /// Its name.
    pub id: String,
    /// When it was to open, as it began.
    pub opens_ms: u64,
    /// Its numbers begin behind this one. Those of an order by lot begin behind the cursor, too.
    pub base: u64,
    /// How many of them were drawn before it opened, once that is known.
    pub drawn: Option<u64>,
    /// Its order, as it began.
    pub order: Order,
    /// What was published of the secret before the order is decided; nothing for an order by arrival.
    pub commitment: Option<String>,
    /// What decides the order, once it is public.
    pub lot: Option<Lot>,
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
    /// As the store keeps it: `id opens base drawn order`, and ` commitment secret value` behind that, where the secret has been
    /// committed to.
    #[must_use]
    pub fn written(&self) -> String {
        let Self {
            id, opens_ms, base, ..
        } = self;
        let drawn = self
            .drawn
            .map_or("-1".to_owned(), |drawn| drawn.to_string());
        let order = self.order.written();
        let lot = self.commitment.as_ref().map(|commitment| {
            let lot = self.lot.as_ref();
            let [secret, value] = lot.map_or(["-", ""], |lot| [&lot.secret, &lot.value]);
            format!(" {commitment} {secret} {value}")
        });
        format!(
            "{id} {opens_ms} {base} {drawn} {order}{}",
            lot.unwrap_or_default()
        )
    }

    /// Reads what the store wrote.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut words = text.splitn(8, ' ');
        let id = words.next()?.to_owned();
        let [opens_ms, base] = [words.next()?, words.next()?].map(|word| word.parse().ok());
        let drawn = match words.next()? {
            "-1" => None,
            drawn => Some(drawn.parse().ok()?),
        };
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
            opens_ms: opens_ms?,
            base: base?,
            drawn,
            order,
            commitment,
            lot,
        })
    }

    /// As a ticket says it, once the order is decided: without what follows from the secret, and without the source of the value.
    #[must_use]
    pub fn on_ticket(&self) -> Option<String> {
        self.lot.as_ref()?;
        let short = Self {
            order: Order::Drawn,
            commitment: Some("-".to_owned()),
            ..self.clone()
        };
        Some(short.written())
    }

    /// Reads what a ticket says.
    #[must_use]
    pub fn of_ticket(text: &str) -> Option<Self> {
        let short = Self::read(text)?;
        let commitment = commitment(&short.lot.as_ref()?.secret);
        Some(Self {
            commitment: Some(commitment),
            ..short
        })
    }

    /// What is known by both, of which each may know a part. Of two events the one that opens later counts. Of one event a decided
    /// order counts, else what the older data say; `age` compares the data behind `known` with those behind `mine`.
    #[must_use]
    pub fn joined(mine: Option<Self>, known: Option<&Self>, age: Ordering) -> Option<Self> {
        let (mine, known) = match (mine, known) {
            (Some(mine), Some(known)) => (mine, known.clone()),
            (mine, known) => return mine.or(known.cloned()),
        };
        Some(if known.id != mine.id {
            if known.opens_ms > mine.opens_ms {
                known
            } else {
                mine
            }
        } else if known.lot.is_some() && mine.lot.is_none() {
            let order = if mine.order.is_drawn() {
                mine.order
            } else {
                known.order
            };
            Self { order, ..known }
        } else if mine.lot.is_some() && known.lot.is_none() {
            mine
        } else if age == Ordering::Less {
            known.with(&mine)
        } else {
            mine.with(&known)
        })
    }

    /// What other data know of the same event, where these do not know it.
    fn with(self, other: &Self) -> Self {
        if self.lot.is_some() {
            return self;
        }
        let is_same = self.opens_ms == other.opens_ms;
        let end = self.end().or(other.end());
        Self {
            drawn: end.map(|end| end.saturating_sub(self.base)),
            commitment: self
                .commitment
                .or_else(|| other.commitment.clone().filter(|_| is_same)),
            ..self
        }
    }

    /// The last number that was drawn before it opened.
    fn end(&self) -> Option<u64> {
        Some(self.base + self.drawn?)
    }

    /// Whether a number was drawn before the event opened, or may have been.
    fn is_of_prequeue(&self, number: Position) -> bool {
        let drawn = number.0.saturating_sub(self.base);
        drawn > 0 && self.drawn.is_none_or(|n| drawn <= n)
    }

    /// Whether the order of this number is still to be decided by lot.
    #[must_use]
    pub fn awaits_lot(&self, number: Position) -> bool {
        self.commitment.is_some() && self.lot.is_none() && self.is_of_prequeue(number)
    }

    /// Whether it stands until the order is decided. Nobody is to be put in order where no number was drawn.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.commitment.is_some() && self.lot.is_none() && self.drawn != Some(0)
    }

    /// Visitors up to this number were called: they go in by the number that they drew, and the lot orders the others.
    pub fn call(&mut self, cursor: u64) {
        if self.is_undecided() && cursor > self.base {
            self.drawn = self.end().map(|end| end.saturating_sub(cursor));
            self.base = cursor;
        }
    }

    /// The number that the lot gave to the visitor who drew this one; nothing where it gave none.
    #[must_use]
    pub fn by_lot(&self, number: Position) -> Option<Position> {
        let (lot, n) = (self.lot.as_ref()?, self.drawn?);
        let came = number
            .0
            .checked_sub(self.base)
            .filter(|came| (1..=n).contains(came))?;
        let seed = Seed::new(&lot.secret, &lot.value, n);
        Some(Position(self.base + seed.drawn(n, Position(came)).0))
    }

    /// Whether this event is the same one, held once more: its order is known, and its pre-queue begins later than it opened.
    #[must_use]
    pub fn is_used_by(&self, event: &Event) -> bool {
        let is_known = self.order.is_drawn() && (self.lot.is_some() || self.drawn == Some(0));
        self.id == event.id && is_known && event.prequeue_ms > self.opens_ms
    }
}

impl Begun {
    /// Whether an operator who sets this event changes the order with which it began, or holds it once more.
    #[must_use]
    pub fn is_spent_by(&self, event: &Event) -> bool {
        let is_changed = self.id == event.id && self.order != event.order && self.lot.is_none();
        is_changed || self.is_used_by(event)
    }
}

impl Event {
    /// Whether it begins a line of its own behind that of this event. An event with an earlier opening begins none: a POP may
    /// have settings that are old.
    #[must_use]
    pub fn begins_after(&self, begun: Option<&Begun>) -> bool {
        begun.is_none_or(|begun| begun.id != self.id && self.opens_ms > begun.opens_ms)
    }

    /// The order in which its pre-queue goes in, in a line that has begun this event: the one with which it began. An event that
    /// begins no line of its own has none to draw, and neither has one that is held once more.
    #[must_use]
    pub fn order_in(&self, begun: Option<&Begun>) -> Order {
        match begun {
            Some(begun) if begun.is_used_by(self) => Order::Arrival,
            Some(begun) if begun.id == self.id => begun.order.clone(),
            _ if self.begins_after(begun) => self.order.clone(),
            _ => Order::Arrival,
        }
    }
}

impl TryFrom<String> for Begun {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no event")
    }
}

impl From<Begun> for String {
    fn from(begun: Begun) -> Self {
        begun.written()
    }
}

#[cfg(test)]
mod tests;
