//! The event that a line has begun: what is decided of it is decided once.

use super::{History, Step};
use crate::board::Board;

impl History {
    /// An event that began, and was no part of a loss since, is whole: no copy knows another part of it.
    pub(super) fn note_event(&mut self, board: &Board, before: Option<&Board>, now_ms: u64) {
        let id_of = |board: &Board| board.begun.as_ref().map(|begun| begun.id.clone());
        let id = id_of(board);
        let is_new = before.and_then(id_of) != id;
        let is_of_before = before.is_some() || self.losses == 0;
        if is_new {
            let is_whole = is_of_before && !self.may_come_back(board) && self.is_settled(now_ms);
            self.whole_event = id.filter(|_| is_whole);
        }
    }

    /// The order is decided once, and stays as it was announced; the last number is known once.
    pub(super) fn keeps_the_event(&mut self, step: &Step<'_>) {
        let (Some(was), Some(begun)) = (&step.before.begun, &step.board.begun) else {
            return;
        };
        if was.id != begun.id {
            return;
        }
        if was.lot.is_some() {
            self.checks
                .holds("a lot is decided once", begun.lot == was.lot, || {
                    step.told()
                });
        }
        if self.whole_event.as_ref() != Some(&begun.id) {
            return;
        }
        self.checks.holds(
            "the order of an event stays as it was announced",
            begun.order == was.order,
            || step.told(),
        );
        if was.commitment.is_some() {
            self.checks.holds(
                "a secret is committed to once",
                begun.commitment == was.commitment,
                || step.told(),
            );
        }
        if was.numbers.is_some() {
            self.checks.holds(
                "the last number of a pre-queue is known once",
                begun
                    .numbers
                    .iter()
                    .flatten()
                    .all(|of| was.numbers.iter().flatten().any(|known| known == of)),
                || step.told(),
            );
        }
        let is_decided = was.lot.is_none() && begun.lot.is_some();
        for of in begun.numbers.iter().flatten().filter(|_| is_decided) {
            let before = step.before.stretch(of.lane, of.born);
            self.checks.holds(
                "a lot calls no number",
                before.is_none_or(|before| of.base >= before.served.0),
                || step.told(),
            );
        }
    }
}
