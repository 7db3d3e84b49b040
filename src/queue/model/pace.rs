//! How the model opens periods, and releases.

use super::{Before, Model};
use crate::queue::Mode;
use crate::queue::{ByLane, absent, release};

impl Model {
    pub(super) fn to_release(&self, now_ms: u64) -> release::Line {
        release::Line {
            waiting: self.waiting_by_lane(),
            mode: self.mode(now_ms),
            settling_until_ms: self.quiet_ms,
        }
    }

    /// None is opened on hold, open or closed. While visitors waited, the periods that no verb saw are opened too.
    pub(super) fn open_period(&mut self, now_ms: u64, before: Before) {
        if self.mode(now_ms) != Mode::Automatic || now_ms < self.quiet_ms {
            return;
        }
        let missed_since = (before == Before::Waiting).then_some(self.anchor_ms.max(self.quiet_ms));
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

    fn waiting_by_lane(&self) -> ByLane {
        ByLane {
            main: (self.sign.waiting_in_main()).saturating_add(self.sign.waiting_in_regions()),
            front: self.sign.waiting_in_front(),
        }
    }

    /// The main line first.
    pub(super) fn admit(&mut self, most: u64, now_ms: u64) -> u64 {
        let most = self.slots(now_ms).map_or(most, |slots| slots.min(most));
        let released = self.waiting_by_lane().main_first(most);
        self.call(released, now_ms);
        released.sum()
    }

    fn call(&mut self, released: ByLane, now_ms: u64) {
        self.call_main(released.main);
        self.call_front(released.front);
        self.admitted += released.sum();
        self.promise(released.sum(), now_ms);
    }

    /// How many visitors go in.
    pub(super) fn release(&mut self, now_ms: u64) -> u64 {
        self.pass_gaps(now_ms);
        let line = self.to_release(now_ms);
        let limits = release::Limits {
            credit: self.sign.credit,
            budget: self.left,
            period: self.most_kept(),
            slots: self.slots(now_ms),
            front: self.front_share(),
        };
        let released = release::release(line, limits, now_ms);
        // Each is split among the regions by itself.
        let permitted = line.waiting.main_first(released.by_credit);
        self.call(permitted, now_ms);
        self.call(released.of.without(permitted), now_ms);
        self.front.over = released.front_over;
        self.sign.credit -= released.by_credit;
        self.left = released.budget;
        self.granted += released.n - released.by_credit - released.by_pace;
        released.n
    }
}
