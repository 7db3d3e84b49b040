//! Bound of what the pace lets in, computed without the rule of the script.
//!
//! Each pace that was seen lately fills the bucket with its visitors a second. At once there may come one period,
//! and one that no request saw, as `docs/explanation/how-the-line-works.md` has it.

use now_serving::queue::Pace;
use std::collections::BTreeMap;

use crate::journal::at_once;

/// For how long POPs may have different settings, and a period more.
const SEEN_MS: u64 = 90_000;
/// Parts of a visitor.
const PARTS: u64 = 1_000_000;

/// Visitors that the pace let in lately.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bucket {
    level: u64,
    at_ms: u64,
    /// Length and quantity of each pace, and when it was seen last.
    paces: BTreeMap<(u64, u64), u64>,
}

impl Bucket {
    /// The pace lets this many in: whether it may.
    pub(crate) fn takes(&mut self, many: u64, pace: Pace, now_ms: u64) -> bool {
        let gone = now_ms.saturating_sub(self.at_ms);
        self.at_ms = self.at_ms.max(now_ms);
        self.paces.insert((pace.automatic, pace.quantity), now_ms);
        let per_second = |(seconds, quantity): (u64, u64)| {
            let whole = u128::from(gone) * u128::from(PARTS) / 1_000 * u128::from(quantity);
            u64::try_from(whole / u128::from(seconds)).unwrap_or(u64::MAX)
        };
        self.level = self.level.saturating_sub(self.sum(per_second));
        let most = self.most();
        self.level = self.level.saturating_add(many.saturating_mul(PARTS));
        let is_allowed = many == 0 || self.level <= most;
        self.paces
            .retain(|_, seen| seen.saturating_add(SEEN_MS) >= now_ms);
        self.level = self.level.min(self.most());
        is_allowed
    }

    /// Most that fits at once.
    fn most(&self) -> u64 {
        self.sum(|(seconds, quantity)| {
            let periods = at_once(seconds) + 1;
            periods.saturating_mul(quantity).saturating_mul(PARTS)
        })
    }

    fn sum(&self, part: impl Fn((u64, u64)) -> u64) -> u64 {
        let moving = self.paces.keys().filter(|(seconds, _)| *seconds > 0);
        moving.fold(0, |sum, pace| sum.saturating_add(part(*pace)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_the_pace_is_too_many() {
        let mut bucket = Bucket::default();
        let pace = Pace {
            automatic: 10,
            quantity: 3,
        };
        assert!(bucket.takes(9, pace, 1_000_000), "three periods at once");
        assert!(!bucket.takes(1, pace, 1_000_001));
        assert!(bucket.takes(3, pace, 1_010_001));
        assert!(!bucket.takes(1, pace, 1_010_002));
    }
}
