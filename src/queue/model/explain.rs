//! How the model explains its releases.

use super::Model;
use crate::queue::release;
use crate::queue::{Bound, Explained, FrontShare, Released};

impl Model {
    /// What bounds the line now, and what was released last.
    #[must_use]
    pub fn explained(&self, now_ms: u64) -> Explained {
        let mut now = self.clone();
        now.begin_sessions(now_ms);
        let limits = release::Limits {
            credit: 0,
            budget: 0,
            period: 0,
            slots: now.slots(now_ms),
            front: FrontShare::default(),
        };
        let bound_by = match release::release(self.to_release(now_ms), limits, now_ms).bound_by {
            Bound::Slots if self.is_recounting(now_ms) => Bound::Recount,
            Bound::Mode if self.is_held(now_ms) => Bound::Origin,
            Bound::Mode if self.sign.live.mode.lets_in() => Bound::Event,
            bound_by => bound_by,
        };
        Explained {
            bound_by,
            last: self.last,
        }
    }

    pub(super) fn note_release(&mut self, before: u64, now_ms: u64) {
        let released = self.admitted - before;
        if released > 0 {
            self.last = Some(Released {
                at_ms: now_ms,
                released,
                pace: released + self.sign.credit + self.left,
                slots: self.free_slots().map(|free| free + released),
                bound_by: self.explained(now_ms).bound_by,
            });
        }
    }
}
