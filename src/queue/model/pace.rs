//! How the model opens periods, and releases.

use super::{Before, Model};
use crate::queue::Mode;
use crate::queue::{absent, release};

impl Model {
    pub(super) fn to_release(&self, now_ms: u64) -> release::Line {
        release::Line {
            waiting: self.sign.waiting(),
            mode: self.mode(now_ms),
            settling_until_ms: self.quiet_ms,
        }
    }

    /// None is opened on hold, open or closed. While visitors waited, the periods that no verb saw are opened too.
    pub(super) fn open_period(&mut self, now_ms: u64, before: Before) {
        if self.mode(now_ms) != Mode::Automatic || now_ms < self.quiet_ms {
            return;
        }
        let missed_since = (before == Before::Waiting).then_some(self.anchor_ms);
        let pace = self.sign.live.pace;
        if let Some(opened) = release::period(pace, self.period, missed_since, now_ms) {
            self.period = Some(opened.start);
            let budget = self.window_budget(opened.budget, opened.start, now_ms);
            self.settle_cut(now_ms);
            let (share, remainder) = (self.compensated(), self.counted.remainder);
            (self.left, self.counted.remainder) = absent::opened(budget, share, remainder);
            self.granted += self.left;
        }
    }

    pub(super) fn admit(&mut self, most: u64, now_ms: u64) -> u64 {
        let most = self.slots(now_ms).map_or(most, |slots| slots.min(most));
        let released = most.min(self.sign.waiting());
        self.sign.cursor.0 += released;
        self.admitted += released;
        self.promise(released, now_ms);
        released
    }

    pub(super) fn release(&mut self, now_ms: u64) {
        let line = self.to_release(now_ms);
        let limits = release::Limits {
            credit: self.sign.credit,
            budget: self.left,
            period: self.most_kept(),
            slots: self.slots(now_ms),
        };
        let released = release::release(line, limits, now_ms);
        self.admit(released.n, now_ms);
        self.sign.credit -= released.by_credit;
        self.left = released.budget;
        self.granted += released.n - released.by_credit - released.by_pace;
    }
}
