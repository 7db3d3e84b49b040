//! One line, one birth: which line a number belongs to, and what a board says about a ticket.
//!
//! Invariant: a ticket of another birth is never compared with this line's cursor. Births are times of the store's own
//! clock and are compared only with each other, never with the clock of a POP or the time of a signature.

use serde::Deserialize;

use super::{Board, WaitingProof};
use crate::queue::{Cursor, Position};

const FIRST_EPOCH: u64 = 1;

/// When the line was born, and what became of it since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Birth {
    /// The store's time at the first write of the line, in milliseconds; 0 where no store has told it.
    pub born: u64,
    /// The store's time at which the present data began; later than `born` where the store lost its data.
    pub started: u64,
    /// How many times the present data took over an older line.
    pub adopted: u64,
    /// Takes over no older line: begun anew on purpose, or no longer young.
    pub sealed: bool,
    /// Whether the data are so young that an older line may still come back.
    pub young: bool,
    /// No line born until then comes back, and its numbers do not move any more.
    pub settled: u64,
    /// The most numbers that were drawn in the last four seconds.
    pub recent: u64,
    /// Numbers that moved behind those of an older line.
    #[serde(default)]
    pub splices: Vec<Splice>,
}

/// Numbers that the data of another birth gave, and that moved behind those of this line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Splice {
    /// Their birth.
    pub born: u64,
    /// By how many they moved.
    pub offset: u64,
}

/// A beginning of the line. All that was let in by it has ended once all tickets have, and what is still counted of it is of no use
/// to the line that begins then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// The birth of the line.
    pub born: u64,
    /// Its epoch.
    pub epoch: u64,
}

/// What a board says about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    /// It has this number in the line.
    Placed(Position),
    /// Its line or its epoch has ended.
    Ended,
    /// Its line may still come back.
    Settling,
    /// It is younger than the board: drawn after this board was read.
    Ahead,
}

impl Birth {
    /// Signs are newer by data, then by adoption.
    #[must_use]
    pub fn order(&self) -> (u64, u64) {
        (self.started, self.adopted)
    }

    /// The splices that may still move.
    fn moving(&self) -> impl Iterator<Item = Splice> {
        let settled = if self.young { self.settled } else { u64::MAX };
        let splices = self.splices.iter().copied();
        splices.filter(move |splice| splice.born > settled)
    }

    pub(super) fn splice_of(&self, born: u64) -> Option<Splice> {
        self.splices
            .iter()
            .copied()
            .find(|splice| splice.born == born)
    }
}

impl Board {
    /// The place to be written on a ticket of this number. While the data are young, numbers that they gave may still move:
    /// their tickets keep the birth of the data, and the number as the data gave it.
    #[must_use]
    pub fn place(&self, position: Position) -> WaitingProof {
        let before = self.birth.moving();
        let before = before.filter(|splice| splice.offset < position.0);
        let moved = before.max_by_key(|splice| splice.offset);
        // Data that have not settled are of the first epoch: the one of an older line came with that line.
        let (born, epoch, offset) = moved.map_or((self.birth.born, self.epoch, 0), |moved| {
            (moved.born, FIRST_EPOCH, moved.offset)
        });
        WaitingProof {
            born,
            epoch,
            position: Position(position.0 - offset),
            cursor_at_draw: Cursor(self.cursor.0.saturating_sub(offset)),
            came: None,
        }
    }

    /// The number of a place in this line, whether or not the line has reached it.
    #[must_use]
    pub fn number(&self, place: WaitingProof) -> Option<Position> {
        let written = self.written_number(place)?;
        match place.came {
            Some(_) => Some(written),
            None => Some(self.by_lot(written).unwrap_or(written)),
        }
    }

    /// The number that the lot gave to the visitor who drew this one.
    #[must_use]
    pub fn by_lot(&self, number: Position) -> Option<Position> {
        self.begun.as_ref()?.by_lot(number)
    }

    /// The place with the number that the lot gave to its holder, where there was a lot.
    #[must_use]
    pub fn redrawn(&self, place: WaitingProof) -> WaitingProof {
        let written = self.written_number(place).filter(|_| place.came.is_none());
        let given = written.and_then(|number| self.by_lot(number));
        given.map_or(place, |given| WaitingProof {
            came: written,
            ..self.place(given)
        })
    }

    /// The number that stands on a ticket.
    pub(super) fn written_number(&self, place: WaitingProof) -> Option<Position> {
        if place.born == self.birth.born {
            return (place.epoch == self.epoch).then_some(place.position);
        }
        let splice = self.birth.splice_of(place.born)?;
        Some(Position(place.position.0.saturating_add(splice.offset)))
    }

    /// Whether an admission has ended. *End all tickets* raises the epoch to the time in seconds at least, so it ends nothing
    /// that was let in by a line born later, whatever the epoch of that line.
    #[must_use]
    pub fn has_ended(&self, born: u64, epoch: u64) -> bool {
        let is_here = born == self.birth.born;
        let since = if is_here { 0 } else { born / 1000 };
        epoch.max(since) < self.epoch
    }

    /// Whether a ticket of another birth is to be written anew, as one of this line.
    #[must_use]
    pub fn rewrites(&self, place: WaitingProof) -> bool {
        place.born != self.birth.born && !self.birth.young
    }

    /// The greatest number that tickets of this birth may have here: where the next piece begins.
    pub(super) fn greatest(&self, born: u64) -> u64 {
        let birth = &self.birth;
        let offset = |splices: &mut dyn Iterator<Item = Splice>, from| {
            let offsets = splices.map(|splice| splice.offset);
            offsets.filter(|offset| *offset > from).min()
        };
        let next = match birth.splice_of(born).filter(|_| born != birth.born) {
            Some(splice) => offset(&mut birth.splices.iter().copied(), splice.offset),
            None => offset(&mut birth.moving(), 0),
        };
        next.unwrap_or(self.length)
    }
}

impl TicketState {
    /// Where a ticket of this place stands.
    #[must_use]
    pub fn of(place: WaitingProof, board: &Board) -> Self {
        let birth = &board.birth;
        if place.born == birth.born {
            return if place.epoch < board.epoch {
                Self::Ended
            } else if place.epoch > board.epoch || place.position.0 > board.greatest(place.born) {
                Self::Ahead
            } else {
                Self::Placed(board.number(place).unwrap_or(place.position))
            };
        }
        match board.written_number(place) {
            Some(position) if position.0 <= board.greatest(place.born) => {
                Self::Placed(board.number(place).unwrap_or(position))
            }
            Some(_) => Self::Ahead,
            None if place.born > birth.started => Self::Ahead,
            None if birth.young => Self::Settling,
            None => Self::Ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(birth: Birth) -> Board {
        Board {
            birth,
            epoch: 3,
            cursor: Cursor(5),
            length: 100,
            ..Board::default()
        }
    }

    fn place(born: u64, epoch: u64, position: u64) -> WaitingProof {
        WaitingProof {
            born,
            epoch,
            position: Position(position),
            cursor_at_draw: Cursor(0),
            came: None,
        }
    }

    #[test]
    fn a_ticket_is_placed_by_the_line_it_was_drawn_in_and_by_no_other() {
        let line = |born, started, young| {
            board(Birth {
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
        let adopted = board(Birth {
            born: 1000,
            started: 2000,
            adopted: 1,
            splices: vec![Splice {
                born: 2000,
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
    fn an_older_line_that_comes_back_ends_no_admission_of_a_younger_one() {
        let mut line = board(Birth {
            born: 1_000_000,
            ..Birth::default()
        });
        line.epoch = 2_000;
        for (born, epoch, expected) in [
            (1_000_000, 2_000, false),
            (1_000_000, 1, true),
            (3_000_000, 1, false),
            (1_900_000, 1, true),
            (0, 1, true),
        ] {
            assert_eq!(line.has_ended(born, epoch), expected, "{born} {epoch}");
        }
    }

    #[test]
    fn a_number_that_may_still_move_is_written_as_its_data_gave_it() {
        let mut adopted = board(Birth {
            born: 1000,
            started: 2000,
            adopted: 1,
            young: true,
            splices: vec![Splice {
                born: 2000,
                offset: 60,
            }],
            ..Birth::default()
        });
        for (number, expected) in [(60, place(1000, 3, 60)), (64, place(2000, 1, 4))] {
            let written = adopted.place(Position(number));
            assert!(written.is_same(expected), "{written:?}");
            let state = TicketState::of(written, &adopted);
            assert_eq!(state, TicketState::Placed(Position(number)));
        }
        assert_eq!(
            TicketState::of(place(1000, 3, 64), &adopted),
            TicketState::Ahead,
            "a number of the older line that no copy has shown yet"
        );
        adopted.birth.young = false;
        assert!(adopted.place(Position(64)).is_same(place(1000, 3, 64)));
    }
}
