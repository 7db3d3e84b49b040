//! One line, one birth: which line a number belongs to, and what a sign says about a ticket.
//!
//! Invariant: a ticket of another birth is never compared with this line's cursor. Births are times of the store's own
//! clock and are compared only with each other, never with the clock of a POP or the time of a signature.

use serde::{Deserialize, Serialize};

use super::{Place, Sign};
use crate::admission::Position;

/// When the line was born, and what became of it since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Birth {
    /// The store's time at the first write of the line, in milliseconds; 0 for a line of the version before.
    pub born: u64,
    /// The store's time at which the present data began; later than `born` where the store lost its data.
    pub started: u64,
    /// How many times the present data took over an older line.
    pub adopted: u64,
    /// Begun anew on purpose: takes over no older line.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
    /// Whether the data are so young that an older line may still come back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub young: bool,
    /// The most numbers that were drawn in the last four seconds.
    #[serde(default)]
    pub recent: u64,
    /// Numbers that moved behind those of an older line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub splices: Vec<Splice>,
}

/// Numbers of a birth that moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Splice {
    /// Their birth.
    pub born: u64,
    /// Only numbers above this one moved.
    pub above: u64,
    /// By so many.
    pub offset: i64,
}

/// What a sign says about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    /// It has this number in the line.
    Placed(Position),
    /// Its line or its epoch has ended.
    Ended,
    /// Its line may still come back.
    Settling,
    /// It is younger than the sign: drawn after this sign was read.
    Ahead,
}

impl Birth {
    /// Signs are newer by data, then by adoption.
    #[must_use]
    pub fn order(&self) -> (u64, u64) {
        (self.started, self.adopted)
    }
}

impl Splice {
    /// `born:above:offset`, as the store keeps it.
    #[must_use]
    pub fn written(self) -> String {
        format!("{}:{}:{}", self.born, self.above, self.offset)
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(':');
        let splice = Self {
            born: parts.next()?.parse().ok()?,
            above: parts.next()?.parse().ok()?,
            offset: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(splice)
    }

    /// The new number, if this one moved.
    #[must_use]
    pub fn moved(self, born: u64, position: Position) -> Option<Position> {
        let is_meant = born == self.born && position.0 > self.above;
        is_meant.then(|| Position(position.0.saturating_add_signed(self.offset)))
    }
}

impl TicketState {
    /// Where a ticket of this place stands.
    #[must_use]
    pub fn of(place: Place, sign: &Sign) -> Self {
        let birth = &sign.birth;
        if place.born == birth.born {
            return if place.epoch < sign.epoch {
                Self::Ended
            } else if place.epoch > sign.epoch || place.position.0 > sign.length {
                Self::Ahead
            } else {
                Self::Placed(place.position)
            };
        }
        let moved = |splice: &Splice| splice.moved(place.born, place.position);
        match birth.splices.iter().find_map(moved) {
            Some(position) => Self::Placed(position),
            None if place.born > birth.started => Self::Ahead,
            None if birth.young => Self::Settling,
            None => Self::Ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::Cursor;
    use crate::queue::Live;

    fn sign(birth: Birth) -> Sign {
        Sign {
            pops: None,
            birth,
            epoch: 3,
            cursor: Cursor(5),
            length: 100,
            credit: 0,
            measured: None,
            live: Live::default(),
        }
    }

    fn place(born: u64, epoch: u64, position: u64) -> Place {
        Place {
            born,
            epoch,
            position: Position(position),
            seen: Cursor(0),
        }
    }

    #[test]
    fn a_ticket_is_placed_by_the_line_it_was_drawn_in_and_by_no_other() {
        let line = |born, started, young| {
            sign(Birth {
                born,
                started,
                young,
                ..Birth::default()
            })
        };
        let old = line(1000, 1000, false);
        for (place, expected) in [
            (place(1000, 3, 100), TicketState::Placed(Position(100))),
            (place(1000, 2, 100), TicketState::Ended),
            (place(1000, 4, 1), TicketState::Ahead),
            (place(1000, 3, 101), TicketState::Ahead),
            (place(999, 3, 1), TicketState::Ended),
            (place(999, 9, 1), TicketState::Ended),
            (place(1001, 3, 1), TicketState::Ahead),
            (place(0, 3, 1), TicketState::Ended),
        ] {
            assert_eq!(TicketState::of(place, &old), expected, "{place:?}");
        }
        let young = line(2000, 2000, true);
        assert_eq!(
            TicketState::of(place(1000, 3, 1), &young),
            TicketState::Settling
        );
        let before = line(0, 0, false);
        assert_eq!(
            TicketState::of(place(0, 3, 7), &before),
            TicketState::Placed(Position(7)),
            "a line and a ticket of the version before"
        );
    }

    #[test]
    fn numbers_drawn_before_an_older_line_came_back_follow_behind_it() {
        let adopted = sign(Birth {
            born: 1000,
            started: 2000,
            adopted: 1,
            splices: vec![Splice {
                born: 2000,
                above: 0,
                offset: 60,
            }],
            ..Birth::default()
        });
        let state = |place| TicketState::of(place, &adopted);
        assert_eq!(state(place(2000, 1, 4)), TicketState::Placed(Position(64)));
        assert_eq!(state(place(1000, 3, 4)), TicketState::Placed(Position(4)));
        assert_eq!(state(place(500, 3, 4)), TicketState::Ended);
    }

    #[test]
    fn splices_are_read_as_they_were_written() {
        let splice = Splice {
            born: 1_800_000_000_000,
            above: 7,
            offset: -20,
        };
        assert_eq!(splice.written(), "1800000000000:7:-20");
        assert_eq!(Splice::read(&splice.written()), Some(splice));
        for wrong in ["", "1:2", "1:2:x", "1:2:3:4", "-1:2:3"] {
            assert_eq!(Splice::read(wrong), None, "{wrong}");
        }
    }
}
