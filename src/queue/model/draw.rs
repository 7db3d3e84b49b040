//! How the model draws numbers.

use super::{Asker, Model};
use crate::queue::{Claim, Mode, Position, TicketState};

impl Model {
    /// Waiting visitors go first; then the number is drawn, and it may use what is left of the budget.
    /// A visitor who goes straight in claims a session at once.
    pub(super) fn arrive(
        &mut self,
        asker: Asker<'_>,
        now_ms: u64,
    ) -> (Option<Position>, Option<Claim>) {
        if let Some((position, claim)) = self.claimed_before(asker, now_ms) {
            return (Some(position), Some(claim));
        }
        self.release(now_ms);
        let drawn = self.draw(asker.id, now_ms);
        self.release(now_ms);
        let called = drawn.filter(|position| position.0 <= self.sign.cursor.0);
        let claim = called.and_then(|position| self.claim(asker, position, None, now_ms));
        (drawn, claim)
    }

    /// A repeated draw gets the same number.
    fn draw(&mut self, id: &str, now_ms: u64) -> Option<Position> {
        let before = self
            .drawn
            .get(id)
            .map(|place| TicketState::of(*place, &self.sign));
        if let Some(TicketState::Placed(position)) = before {
            return Some(position);
        }
        if self.sign.live.mode == Mode::Closed {
            return None;
        }
        self.windows.count_draw(now_ms, self.sign.length);
        self.sign.length += 1;
        let position = Position(self.sign.length);
        let place = self.sign.place(position);
        self.drawn.insert(id.to_owned(), place);
        Some(position)
    }
}
