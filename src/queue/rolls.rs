//! The rolls of a line: which numbers a ticket's roll has, where they stand in their lane, and what a board says about a ticket.
//!
//! A roll is the numbers that one beginning of the store's data gave. Its name is the store's time at that beginning, and is compared
//! only with other names, never with the clock of a POP or the time of a signature. Numbers never move: in a lane the older roll goes
//! first, then the smaller number (`store/lua/rolls.lua`). A visitor's *position* is the number behind those of older rolls.
//!
//! Invariant: a ticket is compared only with what was served of its own roll and lane.

use serde::Deserialize;

use super::{Board, Lane, LaneState, Place, WaitingProof};
use crate::queue::{Cursor, Position, Verdict, decide};

/// What state, board and ticket mean by what they hold. Those of another format are none to this version of the service.
pub const FORMAT: u64 = 1;

/// What a lane has of a roll.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Stretch {
    /// The name of the roll: the store's time at its beginning, in milliseconds.
    pub born: u64,
    /// The last number admitted.
    pub served: Cursor,
    /// Numbers drawn.
    pub drawn: u64,
    /// The last number whose visitor does not count for the window of the pace that follows the origin's answers.
    #[serde(default)]
    pub cut_at: Cursor,
    /// The last number whose promised slot was given back, under a cap.
    #[serde(default)]
    pub lapsed: Cursor,
}

impl Stretch {
    /// Numbers of a roll, of which so many were served.
    #[must_use]
    pub fn new(born: u64, served: u64, drawn: u64) -> Self {
        Self {
            born,
            served: Cursor(served),
            drawn,
            ..Self::default()
        }
    }
}

/// How many numbers were served in these rolls together.
#[must_use]
pub(super) fn served<'a>(rolls: impl IntoIterator<Item = &'a Stretch>) -> Cursor {
    let all = rolls.into_iter().map(|of| of.served.0);
    Cursor(all.fold(0, u64::saturating_add))
}

/// How many numbers were drawn in these rolls together.
#[must_use]
pub(super) fn drawn<'a>(rolls: impl IntoIterator<Item = &'a Stretch>) -> u64 {
    let all = rolls.into_iter().map(|of| of.drawn);
    all.fold(0, u64::saturating_add)
}

/// What a board says about a ticket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketState {
    /// It has this position in its lane.
    Placed(Position),
    /// Its roll has ended.
    Ended,
    /// Its roll may still come back.
    Awaited,
    /// It is younger than the board: drawn after this board was read.
    Ahead,
}

impl Board {
    /// The numbers served in the main line, or in the lane of whose visitors this is the board.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        served(&self.rolls)
    }

    /// The numbers drawn there.
    #[must_use]
    pub fn length(&self) -> u64 {
        drawn(&self.rolls)
    }

    /// The cursor as the visitor at this position reads it: what was served of the own roll and of older ones. Who was served of
    /// younger ones is not ahead.
    #[must_use]
    pub fn cursor_for(&self, position: Position) -> Cursor {
        let (of, _) = self.stretch_at(position);
        served(self.rolls.iter().filter(|known| known.born <= of.born))
    }

    /// Whether the visitor at this position is called: by what was served of the own roll, even while visitors wait in older ones.
    #[must_use]
    pub fn verdict(&self, position: Position) -> Verdict {
        let (of, number) = self.stretch_at(position);
        match decide(number, of.served) {
            Verdict::Admit => Verdict::Admit,
            Verdict::Wait { .. } => {
                let behind = position.0.saturating_sub(self.cursor_for(position).0);
                Verdict::Wait {
                    ahead: behind.saturating_sub(1),
                }
            }
        }
    }

    /// The roll in which this position is, and its number there. What is behind all is of the roll that gives numbers now.
    fn stretch_at(&self, position: Position) -> (Stretch, Position) {
        let mut number = position.0;
        for of in &self.rolls {
            if number <= of.drawn || of.born == self.own {
                return (*of, Position(number));
            }
            number -= of.drawn;
        }
        (Stretch::new(self.own, 0, 0), Position(number))
    }

    /// Whether this board says where numbers of this roll stand.
    #[must_use]
    pub fn knows(&self, born: u64) -> bool {
        born == self.own || self.stretch(born).is_some()
    }

    /// The numbers of this roll, where one was drawn.
    #[must_use]
    pub fn stretch(&self, born: u64) -> Option<Stretch> {
        self.rolls.iter().copied().find(|of| of.born == born)
    }

    /// How many numbers older rolls have.
    fn before(&self, born: u64) -> u64 {
        drawn(self.rolls.iter().filter(|of| of.born < born))
    }

    /// How far behind this place a position is.
    #[must_use]
    pub fn behind(&self, first: Place, position: Position) -> Option<u64> {
        let begin = self.before(first.born).saturating_add(first.position.0);
        position.0.checked_sub(begin).filter(|far| *far > 0)
    }

    /// The place at this position.
    #[must_use]
    pub fn place(&self, position: Position) -> Place {
        let (of, number) = self.stretch_at(position);
        Place {
            born: of.born,
            position: number,
            came: None,
        }
    }

    /// What the ticket of this place proves from now on.
    #[must_use]
    pub fn proof(&self, place: Place) -> WaitingProof {
        WaitingProof {
            place,
            epoch: self.epoch,
            visits_epoch: self.visits_epoch,
            cursor_at_draw: self.stretch(place.born).map_or(Cursor(0), |of| of.served),
        }
    }

    /// The position of a place, whether or not its number was drawn as far as this board knows.
    #[must_use]
    pub fn number(&self, place: Place) -> Option<Position> {
        let written = self.written_number(place)?;
        match place.came {
            Some(_) => Some(written),
            None => Some(self.given(place).unwrap_or(written)),
        }
    }

    /// The position that the lot gave to the visitor who drew this one.
    #[must_use]
    pub fn by_lot(&self, position: Position) -> Option<Position> {
        self.given(self.place(position))
    }

    /// The same for the number of a place.
    fn given(&self, place: Place) -> Option<Position> {
        let begun = self.begun.as_ref()?;
        let given = begun.by_lot(place)?;
        let before = self.before(given.born);
        Some(Position(before.saturating_add(given.position.0)))
    }

    /// The place with the number that the lot gave to its holder, where there was a lot.
    #[must_use]
    pub fn redrawn(&self, proof: WaitingProof) -> WaitingProof {
        let place = proof.place;
        let written = self.written_number(place).filter(|_| place.came.is_none());
        let given = written.and_then(|_| self.given(place));
        given.map_or(proof, |given| {
            self.proof(Place {
                came: written,
                ..self.place(given)
            })
        })
    }

    /// The position of the number that stands on a ticket.
    fn written_number(&self, place: Place) -> Option<Position> {
        let before = self.before(place.born);
        let knows = self.knows(place.born);
        knows.then(|| Position(place.position.0.saturating_add(before)))
    }

    /// Whether visits by this roll were ended on purpose.
    #[must_use]
    pub fn has_ended_visits(&self, born: u64) -> bool {
        born < self.visits_epoch
    }

    /// Whether the numbers of this roll were ended on purpose.
    #[must_use]
    pub fn has_ended(&self, born: u64) -> bool {
        born < self.epoch
    }

    /// Whether the visitor at this position was called so long ago that the promised slot was given back, under a cap.
    #[must_use]
    pub fn has_lapsed(&self, position: Position) -> bool {
        let (of, number) = self.stretch_at(position);
        number.0 <= of.lapsed.0
    }

    /// How often the window was cut, where a visitor who is released at this position of a lane counts for it.
    #[must_use]
    pub fn window_of(&self, position: Position, lane: Lane) -> Option<u64> {
        let origin = self.origin.filter(|origin| origin.is_cut)?;
        let (of, number) = self.of(lane).stretch_at(position);
        (number.0 > of.cut_at.0).then_some(origin.cuts)
    }

    /// The same board, where this ticket of the lane shows more of its roll. No visitor is moved back.
    #[must_use]
    pub fn seen_from(mut self, lane: Lane, proof: WaitingProof) -> Self {
        let (own, seen, place) = (self.own, proof.cursor_at_draw, proof.place);
        if lane != Lane::Main && !self.lanes.iter().any(|known| known.lane == lane) {
            self.lanes.push(LaneState::new(lane));
        }
        let mut others = self.lanes.iter_mut();
        let rolls = match lane {
            Lane::Main => Some(&mut self.rolls),
            Lane::Named(_) => others
                .find(|known| known.lane == lane)
                .map(|known| &mut known.rolls),
        };
        let Some(rolls) = rolls else { return self };
        let known = rolls.iter_mut().find(|known| known.born == place.born);
        match known {
            Some(known) => {
                known.served = known.served.max(seen);
                known.drawn = known.drawn.max(place.position.0);
            }
            None if place.born == own => {
                let drawn = place.position.0.max(seen.0);
                rolls.push(Stretch::new(own, seen.0, drawn));
            }
            None => {}
        }
        self
    }
}

impl TicketState {
    /// Where a ticket of this place stands.
    #[must_use]
    pub fn of(place: Place, board: &Board) -> Self {
        if board.has_ended(place.born) {
            return Self::Ended;
        }
        match board.stretch(place.born) {
            Some(of) if place.position.0 <= of.drawn => {
                board.number(place).map_or(Self::Ahead, Self::Placed)
            }
            Some(_) => Self::Ahead,
            None if place.born >= board.own => Self::Ahead,
            None if board.young => Self::Awaited,
            None => Self::Ended,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rolls: &[(u64, u64, u64)], young: bool) -> Board {
        let stretch =
            |(born, served, drawn): &(u64, u64, u64)| Stretch::new(*born, *served, *drawn);
        Board {
            own: 2000,
            young,
            epoch: 500,
            visits_epoch: 1,
            rolls: rolls.iter().map(stretch).collect(),
            ..Board::default()
        }
    }

    fn place(born: u64, position: u64) -> Place {
        Place {
            born,
            position: Position(position),
            came: None,
        }
    }

    #[test]
    fn a_ticket_is_placed_by_its_own_roll_behind_the_older_ones() {
        let two = board(&[(1000, 5, 60), (2000, 1, 10)], false);
        for (place, expected) in [
            (place(1000, 4), TicketState::Placed(Position(4))),
            (place(1000, 60), TicketState::Placed(Position(60))),
            (place(1000, 61), TicketState::Ahead),
            (place(2000, 4), TicketState::Placed(Position(64))),
            (place(2000, 11), TicketState::Ahead),
            (place(1500, 1), TicketState::Ended),
            (place(2001, 1), TicketState::Ahead),
            (place(499, 1), TicketState::Ended),
            (place(0, 1), TicketState::Ended),
        ] {
            assert_eq!(TicketState::of(place, &two), expected, "{place:?}");
        }
        let young = board(&[(2000, 1, 10)], true);
        assert_eq!(
            TicketState::of(place(1000, 3), &young),
            TicketState::Awaited
        );
        assert_eq!(TicketState::of(place(499, 3), &young), TicketState::Ended);
    }

    #[test]
    fn who_was_served_of_a_younger_roll_is_not_ahead_and_lets_nobody_in() {
        let two = board(&[(1000, 5, 60), (2000, 8, 10)], false);
        assert_eq!(two.cursor_for(Position(6)), Cursor(5));
        assert_eq!(two.cursor_for(Position(64)), Cursor(13));
        assert_eq!((two.cursor(), two.length()), (Cursor(13), 70));
    }

    #[test]
    fn a_position_is_written_as_the_number_of_its_roll() {
        let two = board(&[(1000, 5, 60), (2000, 1, 10)], false);
        for (number, expected) in [
            (1, place(1000, 1)),
            (60, place(1000, 60)),
            (61, place(2000, 1)),
            (75, place(2000, 15)),
        ] {
            let written = two.place(Position(number));
            assert!(written == expected, "{written:?}");
            assert_eq!(two.number(written), Some(Position(number)));
        }
        let none = board(&[(1000, 5, 60)], true);
        assert_eq!(none.place(Position(61)), place(2000, 1));
    }

    #[test]
    fn a_ticket_of_the_first_board_is_kept_by_the_next_ones() {
        let seen = WaitingProof::of(place(1000, 8), Cursor(7));
        let later = board(&[(1000, 5, 60)], false).seen_from(Lane::Main, seen);
        assert_eq!(later.cursor(), Cursor(7));
    }
}
