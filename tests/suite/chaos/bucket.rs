//! How many visitors the pace may let in, told without the rule of the scripts.
//!
//! Each pace that was seen lately fills the bucket with as many visitors a second as it has. At once there may come one
//! period, and the periods of half a minute that no request saw, as `docs/explanation/how-the-line-works.md` has it.

use std::collections::BTreeMap;

/// Seconds of periods that are made up for.
const CATCH_UP: u64 = 30;
/// For how long data centres may have different settings, in milliseconds, and a period more.
const SEEN_MS: u64 = 90_000;
/// Parts of a visitor.
const PARTS: u64 = 1_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct Bucket {
    level: u64,
    at_ms: u64,
    /// Length and quantity of each pace, and when it was seen last.
    paces: BTreeMap<(u64, u64), u64>,
}

impl Bucket {
    /// The pace lets this many in. Whether it may.
    pub(super) fn takes(&mut self, many: u64, pace: (u64, u64), now_ms: u64) -> bool {
        let gone = now_ms.saturating_sub(self.at_ms);
        self.at_ms = self.at_ms.max(now_ms);
        self.paces.insert(pace, now_ms);
        let drained = self.sum(|(seconds, quantity)| gone * PARTS / 1_000 * quantity / seconds);
        self.level = self.level.saturating_sub(drained);
        let most = self.most();
        self.level += many * PARTS;
        let is_allowed = many == 0 || self.level <= most;
        self.paces.retain(|_, seen| *seen + SEEN_MS >= now_ms);
        self.level = self.level.min(self.most());
        is_allowed
    }

    fn most(&self) -> u64 {
        self.sum(|(seconds, quantity)| ((CATCH_UP / seconds).max(1) + 1) * quantity * PARTS)
    }

    fn sum(&self, part: impl Fn((u64, u64)) -> u64) -> u64 {
        let moving = self.paces.keys().filter(|(seconds, _)| *seconds > 0);
        moving.map(|pace| part(*pace)).sum()
    }
}

mod native {
    use super::*;

    #[test]
    fn more_than_the_pace_is_too_many() {
        let mut bucket = Bucket::default();
        let pace = (10, 3);
        assert!(bucket.takes(12, pace, 1_000_000), "four periods at once");
        assert!(!bucket.takes(1, pace, 1_000_001));
        assert!(bucket.takes(3, pace, 1_010_001));
        assert!(!bucket.takes(1, pace, 1_010_002));
    }
}
