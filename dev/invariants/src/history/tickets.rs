//! Tickets: a number is of one visitor, and a visitor who goes in was called.

use std::collections::BTreeMap;

use now_serving::queue::{Lane, Order};

use super::History;
use crate::board::{Board, Place};
use crate::broken::Broken;
use crate::held::Held;

/// A number that a visitor got, and how many losses there had been that the rules do not cover.
#[derive(Clone, Debug)]
pub(super) struct Given {
    sub: String,
    uncovered: u64,
}

impl History {
    /// A visitor gets this ticket.
    ///
    /// # Errors
    /// When another visitor holds its number.
    pub fn given(&mut self, held: &Held) -> Result<(), Broken> {
        if let Some(number) = held.number.filter(|_| held.is_waiting) {
            self.is_given(held, number);
        }
        self.checks.verdict()
    }

    fn is_given(&mut self, held: &Held, number: u64) {
        // As which one its holder came is counted over all rolls.
        let (born, first) = held.came.map_or((held.born, number), |came| (0, came));
        let key = (held.lane, born, first);
        let new = Given {
            sub: held.sub.clone(),
            uncovered: self.uncovered,
        };
        let known = self.numbers.entry(key).or_insert_with(|| new.clone());
        let known = (known.sub != held.sub).then(|| known.clone());
        let is_own = known
            .as_ref()
            .is_none_or(|known| self.may_repeat(known, held, first));
        self.checks.holds("no number is given twice", is_own, || {
            format!("{key:?} is of {known:?} and {held:?}")
        });
        if held.came.is_none() {
            return;
        }
        let key = (held.lane, held.born, number);
        let known = self.lots.entry(key).or_insert(new);
        let known = (known.sub != held.sub).then(|| known.clone());
        let is_own = known
            .as_ref()
            .is_none_or(|known| self.may_repeat(known, held, first));
        self.checks
            .holds("a place by lot is of one visitor", is_own, || {
                format!("{key:?} is of {known:?} and {held:?}")
            });
    }

    /// Whether this number, which was given before a loss, may be given again, since the rules do not cover it.
    fn may_repeat(&self, known: &Given, held: &Held, number: u64) -> bool {
        let (lane, born) = (held.lane, held.born);
        let is_uncovered = known.uncovered < self.uncovered;
        let mut repeats = self.repeats.iter();
        is_uncovered || repeats.any(|copy| copy.have(lane, born, number))
    }

    /// A visitor with this ticket was let in.
    ///
    /// # Errors
    /// When the number was not called.
    pub fn enters(&mut self, held: &Held) -> Result<(), Broken> {
        // A ticket that has ended draws again under its name.
        if !self.let_in.insert((held.sub.clone(), held.born)) {
            return Ok(());
        }
        let called = self.called.get(&(held.lane, held.born)).copied();
        let called = called.unwrap_or(0);
        let name = match held.lane {
            Lane::Named(_) => "the number was called in its lane",
            Lane::Main => "the number was called",
        };
        let is_called = held.number.is_some_and(|number| number <= called);
        self.checks.holds(name, is_called, || {
            format!("{held:?} is inside, and {called} was called")
        });
        *self.went_in.entry(held.lane).or_default() += 1;
        self.checks.verdict()
    }

    /// An operator let the holder of this ticket in.
    pub fn lets_in(&mut self, held: &Held) {
        self.let_in.insert((held.sub.clone(), held.born));
    }

    /// The numbers that this board calls, roll by roll.
    pub(super) fn note_called(&mut self, board: &Board) {
        for (lane, rolls) in &board.rolls {
            for of in rolls {
                let most = self.called.entry((*lane, of.born)).or_default();
                *most = of.served.0.max(*most);
            }
        }
    }

    /// Numbers that visitors got in each lane.
    #[must_use]
    pub fn given_by_lane(&self) -> BTreeMap<Lane, u64> {
        let mut given = BTreeMap::new();
        for (lane, ..) in self.numbers.keys() {
            *given.entry(*lane).or_default() += 1;
        }
        given
    }

    /// All tickets that visitors hold now, each the latest of its holder: no two have one place in the line, and none was
    /// overtaken by more visitors than operators let in and than went in while a loss was not settled.
    ///
    /// It holds once every POP that knows the line has told what it knows, and where no loss was uncovered.
    ///
    /// # Errors
    /// The places that two visitors hold, and the visitors who were overtaken.
    pub fn all_have_places<'a>(
        &mut self,
        tickets: impl IntoIterator<Item = &'a Held>,
    ) -> Result<(), Broken> {
        let Some(board) = self.data.board.clone() else {
            return Ok(());
        };
        let mut holders: BTreeMap<(Lane, u64, u64), &Held> = BTreeMap::new();
        for held in tickets
            .into_iter()
            .filter(|held| held.is_waiting || held.is_admitted)
        {
            let Some(Place::At(lane, born, number)) = board.place_of(held) else {
                continue;
            };
            let other = holders.insert((lane, born, number), held);
            let is_own = other
                .is_none_or(|other| other.sub == held.sub || other.is_admitted || held.is_admitted);
            self.checks.holds("a place is of one visitor", is_own, || {
                format!("{lane:?} {born} {number} is of {other:?} and {held:?}")
            });
        }
        self.are_overtaken_by_rule(&board, &holders);
        self.checks.verdict()
    }

    /// Visitors of a lane who came later and are inside went in by a loss or by a permit.
    fn are_overtaken_by_rule(
        &mut self,
        board: &Board,
        holders: &BTreeMap<(Lane, u64, u64), &Held>,
    ) {
        // An order by lot is another one than that of arrival.
        if (board.begun.as_ref()).is_some_and(|begun| begun.order != Order::Arrival) {
            return;
        }
        let came = holders.iter().filter_map(|((lane, born, number), held)| {
            let at = self.came.get(&held.sub)?.at?;
            let of = board.stretch(*lane, *born)?;
            Some((*lane, at, *number <= of.served.0, *held))
        });
        let mut came: Vec<(Lane, u64, bool, &Held)> =
            came.filter(|(.., held)| held.came.is_none()).collect();
        came.sort_by_key(|(lane, at, ..)| (*lane, *at));
        let excused = self.early.saturating_add(self.permitted);
        let mut inside: BTreeMap<Lane, u64> = BTreeMap::new();
        for (lane, _, is_called, held) in came.iter().rev() {
            let by = inside.entry(*lane).or_default();
            if held.is_admitted {
                *by += 1;
            } else if !is_called {
                let by = *by;
                self.checks.holds(
                    "no visitor is overtaken but by a loss or a permit",
                    by <= excused,
                    || format!("{held:?} by {by}, and {excused} may be: {board:?}"),
                );
            }
        }
    }
}
