//! How fast the line moves, and how long that makes somebody wait.

use serde::{Deserialize, Serialize};

use super::Pace;

/// How far the cursor moved from one release to the latest, while somebody was left waiting: idle time says nothing
/// about what the line can do, and between two releases it is unknown what the next one brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Visitors admitted after the first of these releases.
    pub released: u64,
    /// Milliseconds from that one to the latest.
    pub took_ms: u64,
    /// When the latest was (Unix time).
    pub moved_ms: u64,
}

/// Less time than this measures chance.
const SHORTEST_MEASURE_MS: u64 = 60_000;
/// A line that has not moved for so long, nor in as much time as was measured, stands still.
const STANDSTILL_MS: u64 = 300_000;

impl Measured {
    /// The rate, if enough was measured and the line still moves.
    #[must_use]
    pub fn rate(self, now_ms: u64) -> Option<Rate> {
        let stood_ms = now_ms.saturating_sub(self.moved_ms);
        let is_known = self.took_ms >= SHORTEST_MEASURE_MS;
        (is_known && stood_ms <= self.took_ms.max(STANDSTILL_MS))
            .then(|| Rate::new(self.released, self.took_ms))
            .flatten()
    }
}

/// So many visitors in so much time, neither of them none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    visitors: u64,
    time_ms: u64,
}

impl Rate {
    pub(super) fn new(visitors: u64, time_ms: u64) -> Option<Self> {
        (visitors > 0 && time_ms > 0).then_some(Self { visitors, time_ms })
    }

    /// Visitors admitted per minute.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "nobody tells such large rates apart"
    )]
    pub fn per_minute(self) -> f64 {
        self.visitors as f64 * 60_000.0 / self.time_ms as f64
    }

    /// Seconds until somebody with so many ahead goes in: `ahead ÷ visitors per second`, rounded up.
    #[must_use]
    pub fn wait(self, ahead: u64) -> u64 {
        ahead
            .saturating_mul(self.time_ms)
            .div_ceil(self.visitors.saturating_mul(1000))
    }
}

/// Seconds until somebody with so many ahead goes in, by what was measured, else by the pace.
/// `None` when neither says anything, since the line stands still.
#[must_use]
pub fn estimated_wait(
    ahead: u64,
    measured: Option<Measured>,
    pace: Pace,
    now_ms: u64,
) -> Option<u64> {
    let rate = measured.and_then(|measured| measured.rate(now_ms));
    rate.or(pace.rate()).map(|rate| rate.wait(ahead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::tests::{DEFAULT, OFF};

    #[test]
    fn the_estimate_is_ahead_divided_by_the_rate() {
        let thirty_a_minute = Pace {
            automatic: 60,
            quantity: 30,
        };
        assert_eq!(thirty_a_minute.rate().map(Rate::per_minute), Some(30.0));
        let by_pace = |pace, ahead| estimated_wait(ahead, None, pace, 0);
        assert_eq!(by_pace(thirty_a_minute, 60), Some(120));
        assert_eq!(by_pace(DEFAULT, 1), Some(3));
        assert_eq!(
            by_pace(DEFAULT, u64::MAX),
            Some(u64::MAX.div_ceil(5000)),
            "no overflow"
        );
    }

    const NOW_MS: u64 = 1_800_000_000_000;

    /// 30 a minute, measured until so long ago.
    fn thirty_a_minute(took_ms: u64, stood_ms: u64) -> Measured {
        Measured {
            released: took_ms / 2000,
            took_ms,
            moved_ms: NOW_MS - stood_ms,
        }
    }

    #[test]
    fn what_was_measured_goes_before_the_pace() {
        for pace in [DEFAULT, OFF] {
            let wait = estimated_wait(60, Some(thirty_a_minute(400_000, 1000)), pace, NOW_MS);
            assert_eq!(wait, Some(120), "60 ahead ÷ 30 a minute");
        }
    }

    #[test]
    fn a_measure_of_less_than_a_minute_leaves_it_to_the_pace() {
        for measured in [None, Some(thirty_a_minute(59_999, 0))] {
            assert_eq!(estimated_wait(60, measured, DEFAULT, NOW_MS), Some(180));
            assert_eq!(estimated_wait(60, measured, OFF, NOW_MS), None);
        }
        let measured = Some(thirty_a_minute(60_000, 0));
        assert_eq!(estimated_wait(60, measured, DEFAULT, NOW_MS), Some(120));
    }

    #[test]
    fn a_line_that_stands_still_has_no_measured_rate() {
        let wait = |took_ms, stood_ms, pace| {
            estimated_wait(60, Some(thirty_a_minute(took_ms, stood_ms)), pace, NOW_MS)
        };
        assert_eq!(wait(60_000, 300_000, OFF), Some(120));
        assert_eq!(wait(60_000, 300_001, OFF), None);
        assert_eq!(wait(60_000, 300_001, DEFAULT), Some(180));
        assert_eq!(
            wait(600_000, 600_000, OFF),
            Some(120),
            "as seldom as before"
        );
        assert_eq!(wait(600_000, 600_001, OFF), None);
    }

    #[test]
    fn a_clock_that_lags_behind_the_measure_sees_no_standstill() {
        let measured = Some(thirty_a_minute(60_000, 0));
        let wait = estimated_wait(60, measured, OFF, NOW_MS - 60_000);
        assert_eq!(wait, Some(120));
    }
}
