//! How the model measures the rate at which its line moves.

use super::Model;
use crate::queue::Measured;

/// Nothing older than two windows counts in a measured rate.
pub(super) const WINDOW_MS: u64 = 300_000;

/// Where a measurement begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Checkpoint {
    pub(super) at_ms: u64,
    pub(super) cursor: u64,
    /// The longest time between two releases since.
    pub(super) step_ms: u64,
}

impl Model {
    /// What was measured at another pace says nothing about this one; what was missed at another pace is not made up for.
    pub(super) fn judge(&mut self, now_ms: u64) {
        let pace = (self.sign.live.pace.automatic, self.sign.live.pace.budget());
        if self.measured_at != pace {
            self.measured_at = pace;
            self.left = self.left.min(self.most_kept());
            self.anchor_ms = now_ms;
            self.checkpoints = None;
            self.counted.begin_anew();
            self.forget_window(now_ms);
        }
    }

    pub(super) fn measure(&mut self, now_ms: u64) {
        let last_ms = self.checkpoints.map_or(0, |_| self.moved_ms);
        let step_ms = now_ms.saturating_sub(last_ms);
        self.moved_ms = now_ms.max(last_ms);
        let here = Checkpoint {
            at_ms: self.moved_ms,
            cursor: self.sign.cursor.0,
            step_ms: 0,
        };
        let stepped = |checkpoint: Checkpoint| Checkpoint {
            step_ms: checkpoint.step_ms.max(step_ms),
            ..checkpoint
        };
        self.checkpoints = Some(match self.checkpoints.map(|both| both.map(stepped)) {
            None => [here, here],
            Some([_, mid]) if self.moved_ms - mid.at_ms >= WINDOW_MS => [mid, here],
            Some(younger) => younger,
        });
    }

    pub(super) fn show(&mut self, now_ms: u64) {
        let cursor = self.sign.cursor.0;
        self.sign.measured = self.checkpoints.and_then(|[since, _]| {
            (cursor > since.cursor).then(|| Measured {
                released: cursor - since.cursor,
                took_ms: self.moved_ms - since.at_ms,
                moved_ms: self.moved_ms,
                step_ms: since.step_ms,
            })
        });
        self.show_birth(now_ms);
        self.show_front(now_ms);
        self.show_sessions(now_ms);
        self.show_origin(now_ms);
        self.show_event(now_ms);
    }
}
