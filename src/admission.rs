//! The arithmetic of the line, and nothing else: no clock, no store, no HTTP.
//!
//! Invariant: a visitor is admitted if and only if the cursor has reached the position.

use serde::{Deserialize, Serialize};

/// The number on a ticket, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u64);

/// The last position admitted, inclusive: what the sign shows as "now serving".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cursor(pub u64);

/// What the two numbers say about one visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cursor has reached the position.
    Admit,
    /// So many visitors go in before this one.
    Wait {
        /// `position − cursor − 1`, never below 0.
        ahead: u64,
    },
}

/// Admits if and only if `cursor ≥ position`.
#[must_use]
pub fn decide(position: Position, cursor: Cursor) -> Verdict {
    match position.0.checked_sub(cursor.0) {
        None | Some(0) => Verdict::Admit,
        Some(distance) => Verdict::Wait {
            ahead: distance - 1,
        },
    }
}

/// How many hold a ticket and have not been admitted: `length − cursor`, never below 0.
#[must_use]
pub fn waiting(length: u64, cursor: Cursor) -> u64 {
    length.saturating_sub(cursor.0)
}

/// So many visitors per so many seconds; `automatic` 0 means that the line moves only by hand and by the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Length of a period in seconds, 0 = off.
    pub automatic: u64,
    /// Visitors released per period.
    pub quantity: u64,
}

impl Pace {
    /// The number of the period that `now_ms` (Unix time) lies in: `ceil(now_ms / (automatic · 1000))`; `None` when off.
    #[must_use]
    pub fn period(self, now_ms: u64) -> Option<u64> {
        let length = self.automatic.saturating_mul(1000);
        (length > 0).then(|| now_ms.div_ceil(length))
    }

    /// The second at which that period began.
    ///
    /// The store compares these, not period numbers: numbers of different `automatic` cannot be compared, so
    /// after a change of pace the line would stand still or release twice; starting times only ever go forward.
    #[must_use]
    pub fn period_start(self, now_ms: u64) -> Option<u64> {
        self.period(now_ms)
            .map(|period| period.saturating_sub(1).saturating_mul(self.automatic))
    }

    /// The rate this pace promises; `None` when off.
    #[must_use]
    pub fn rate(self) -> Option<Rate> {
        Rate::new(self.quantity, self.automatic.saturating_mul(1000))
    }
}

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
    fn new(visitors: u64, time_ms: u64) -> Option<Self> {
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

/// The longest a waiting page goes without asking again, in seconds.
const LONGEST_REFRESH: u64 = 30;

/// Whole seconds until the page asks again: a quarter of the estimated wait, spread by ±15 %,
/// never above 30 s and never below `shortest`, which is also the answer near the front.
///
/// Without an estimate the distance stands in for it. `chance` is any number, different for each visitor:
/// it keeps a crowd that arrived in one second from returning in one second.
#[must_use]
pub fn refresh_seconds(shortest: u64, ahead: u64, estimate: Option<u64>, chance: u64) -> u64 {
    let ceiling = match estimate {
        Some(seconds) => seconds / 4,
        None => shortest.saturating_add(ahead / 100),
    }
    .clamp(shortest, LONGEST_REFRESH.max(shortest));
    // 100/115 of the ceiling, times 0.85 to 1.15: the top of the spread is the ceiling itself.
    let spread = ceiling.saturating_mul(85 + chance % 31) / 115;
    spread.clamp(shortest, ceiling)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEFAULT: Pace = Pace {
        automatic: 15,
        quantity: 5,
    };
    const OFF: Pace = Pace {
        automatic: 0,
        quantity: 5,
    };

    #[test]
    fn admitted_if_and_only_if_the_cursor_has_reached_the_position() {
        assert_eq!(decide(Position(5), Cursor(5)), Verdict::Admit);
        assert_eq!(decide(Position(5), Cursor(6)), Verdict::Admit);
        assert_eq!(
            decide(Position(5), Cursor(4)),
            Verdict::Wait { ahead: 0 },
            "next in line, nobody ahead: the first defect showed -1 here"
        );
    }

    #[test]
    fn ahead_is_position_minus_cursor_minus_one() {
        assert_eq!(
            decide(Position(3290), Cursor(1)),
            Verdict::Wait { ahead: 3288 }
        );
        assert_eq!(
            decide(Position(u64::MAX), Cursor(0)),
            Verdict::Wait {
                ahead: u64::MAX - 1
            }
        );
    }

    #[test]
    fn waiting_is_never_below_zero() {
        assert_eq!(waiting(10, Cursor(4)), 6);
        assert_eq!(waiting(4, Cursor(10)), 0);
    }

    #[test]
    fn a_period_ends_with_its_last_millisecond() {
        let numbers = [0, 1, 15_000, 15_001].map(|now| DEFAULT.period(now));
        assert_eq!(numbers, [Some(0), Some(1), Some(1), Some(2)]);
        assert_eq!(DEFAULT.period_start(15_000), Some(0));
        assert_eq!(DEFAULT.period_start(15_001), Some(15));
    }

    #[test]
    fn automatic_zero_has_no_periods_no_rate_and_no_estimate() {
        assert_eq!(OFF.period(1_000_000), None);
        assert_eq!(OFF.period_start(1_000_000), None);
        assert_eq!(OFF.rate(), None);
        assert_eq!(estimated_wait(10, None, OFF, 0), None);
    }

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

    #[test]
    fn refresh_is_short_near_the_front_and_capped_far_away() {
        for chance in 0..100 {
            assert_eq!(refresh_seconds(5, 0, Some(0), chance), 5);
            assert_eq!(refresh_seconds(5, 9, None, chance), 5);
            let far = refresh_seconds(5, 100_000, Some(300_000), chance);
            assert!((22..=30).contains(&far), "{far}");
            let middle = refresh_seconds(5, 20, Some(60), chance);
            assert!(
                middle <= 15,
                "never longer than a quarter of the wait: {middle}"
            );
            assert!((5..=30).contains(&refresh_seconds(5, u64::MAX, None, u64::MAX - chance)));
        }
    }

    #[test]
    fn a_crowd_far_away_does_not_return_in_one_second() {
        let seconds: std::collections::BTreeSet<u64> = (0..31)
            .map(|chance| refresh_seconds(5, 100_000, Some(300_000), chance))
            .collect();
        assert!(seconds.len() >= 8, "{seconds:?}");
    }
}
