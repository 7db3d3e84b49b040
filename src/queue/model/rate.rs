//! How the model measures the rate at which its line moves.

use super::Model;
use crate::queue::{Cursor, Measured};

/// Nothing older than two windows counts in a measured rate.
pub(super) const WINDOW_MS: u64 = 300_000;

/// Where a measurement begins.
#[derive(Clone, Copy, Debug)]
struct Checkpoint {
    at_ms: u64,
    cursor: u64,
    /// The longest time between two releases since.
    step_ms: u64,
}

/// How one line moved from release to release.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measuring {
    /// Where the measured rate begins, and where it will begin after a window: when, and where the cursor stood.
    checkpoints: Option<[Checkpoint; 2]>,
    moved_ms: u64,
}

impl Measuring {
    pub(super) fn forget(&mut self) {
        self.checkpoints = None;
    }

    /// The line has just released.
    pub(super) fn measure(&mut self, cursor: Cursor, now_ms: u64) {
        let last_ms = self.checkpoints.map_or(0, |_| self.moved_ms);
        let step_ms = now_ms.saturating_sub(last_ms);
        self.moved_ms = now_ms.max(last_ms);
        let here = Checkpoint {
            at_ms: self.moved_ms,
            cursor: cursor.0,
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

    /// What the sign tells of it.
    pub(super) fn told(self, cursor: Cursor) -> Option<Measured> {
        let [since, _] = self.checkpoints?;
        (cursor.0 > since.cursor).then(|| Measured {
            released: cursor.0 - since.cursor,
            took_ms: self.moved_ms - since.at_ms,
            moved_ms: self.moved_ms,
            step_ms: since.step_ms,
        })
    }
}

impl Model {
    /// What was measured at another pace says nothing about this one; what was missed at another pace is not made up for.
    pub(super) fn judge(&mut self, now_ms: u64) {
        let pace = (self.sign.live.pace.automatic, self.sign.live.pace.budget());
        if self.measured_at != pace {
            self.measured_at = pace;
            self.left = self.left.min(self.most_kept());
            self.anchor_ms = now_ms;
            self.forget_rate();
            self.counted.begin_anew();
            self.forget_window(now_ms);
        }
    }

    /// What was measured of any line says nothing about what comes.
    pub(super) fn forget_rate(&mut self) {
        self.measuring.forget();
        self.forget_rate_of_regions();
    }

    pub(super) fn show(&mut self, now_ms: u64) {
        self.sign.measured = self.measuring.told(self.sign.cursor);
        self.show_birth(now_ms);
        self.show_front(now_ms);
        self.show_regions(now_ms);
        self.show_sessions(now_ms);
        self.show_origin(now_ms);
        self.show_event(now_ms);
    }
}
