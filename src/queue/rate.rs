//! How fast the line moves, and how long that makes somebody wait.

use serde::Deserialize;

use super::{Board, Enforcement, Pace, Sessions};

/// How far the cursor moved from one release to the latest, while somebody was left waiting: idle time says nothing
/// about what the line can do, and between two releases it is unknown what the next one brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Measured {
    /// Visitors admitted after the first of these releases.
    pub released: u64,
    /// Milliseconds from that one to the latest.
    pub took_ms: u64,
    /// When the latest was (Unix time).
    pub moved_ms: u64,
    /// The longest time between two of them, in milliseconds.
    pub step_ms: u64,
}

/// Less time than this measures chance.
const SHORTEST_MEASURE_MS: u64 = 60_000;
/// A line that has not moved for so long, nor for twice as long as it ever stood while it was measured, stands still.
const STANDSTILL_MS: u64 = 60_000;
/// Shorter steps than this are no steps to a visitor, whose page polls every few seconds.
const SHORT_STEP_MS: u64 = 10_000;
/// The line moves faster than its schedule when it is measured at more than this percentage of the pace.
const FASTER_PERCENT: u128 = 125;

impl Measured {
    /// The rate, if enough was measured and the line still moves.
    #[must_use]
    pub fn rate(self, now_ms: u64) -> Option<Rate> {
        let stood_ms = now_ms.saturating_sub(self.moved_ms);
        let is_known = self.took_ms >= SHORTEST_MEASURE_MS;
        let longest_ms = self.step_ms.saturating_mul(2).max(STANDSTILL_MS);
        (is_known && stood_ms <= longest_ms)
            .then(|| Rate::new(self.released, self.took_ms))
            .flatten()
    }

    /// The time until the next step, and one step for each that the visitors ahead fill.
    fn wait(self, rate: Rate, ahead: u64, now_ms: u64) -> u64 {
        let in_a_step = rate.in_time(self.step_ms).filter(|many| *many > 0);
        let Some(in_a_step) = in_a_step.filter(|_| self.step_ms > SHORT_STEP_MS) else {
            return rate.wait(ahead);
        };
        let stood_ms = now_ms.saturating_sub(self.moved_ms);
        let next_ms = self.step_ms.saturating_sub(stood_ms);
        let steps_ms = (ahead / in_a_step).saturating_mul(self.step_ms);
        next_ms.saturating_add(steps_ms).div_ceil(1000)
    }
}

/// A number of visitors in a length of time, neither of them zero.
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

    fn is_faster_than(self, other: Self) -> bool {
        let product = |visitors: u64, time_ms: u64| u128::from(visitors) * u128::from(time_ms);
        product(self.visitors, other.time_ms) * 100
            > product(other.visitors, self.time_ms) * FASTER_PERCENT
    }

    /// Visitors admitted in that time, rounded.
    fn in_time(self, time_ms: u64) -> Option<u64> {
        let half = self.time_ms / 2;
        let visitors = self.visitors.checked_mul(time_ms)?.checked_add(half)?;
        visitors.checked_div(self.time_ms)
    }

    /// Seconds until a visitor with this many ahead goes in: `ahead ÷ visitors per second`, rounded up.
    #[must_use]
    pub fn wait(self, ahead: u64) -> u64 {
        ahead
            .saturating_mul(self.time_ms)
            .div_ceil(self.visitors.saturating_mul(1000))
    }
}

/// Seconds until a visitor with this many ahead goes in. `None` when the line stands still.
///
/// A line moves in steps, and a visitor goes in with a step. Where the schedule moves it, the steps are its periods; where
/// operators or the origin move it faster, they are what was measured.
#[must_use]
pub fn estimated_wait(
    ahead: u64,
    measured: Option<Measured>,
    pace: Pace,
    now_ms: u64,
) -> Option<u64> {
    let rate = measured.and_then(|measured| Some((measured, measured.rate(now_ms)?)));
    match (pace.rate(), rate) {
        (Some(scheduled), Some((measured, rate))) if rate.is_faster_than(scheduled) => {
            Some(measured.wait(rate, ahead, now_ms))
        }
        (Some(_), _) => Some(scheduled_wait(ahead, pace, now_ms)),
        (None, Some((measured, rate))) => Some(measured.wait(rate, ahead, now_ms)),
        (None, None) => None,
    }
}

impl Board {
    /// Seconds until a visitor with this many ahead goes in. Where a cap holds, the pace follows the origin, or visitors of other
    /// lanes have a share of it, that is by what was measured, and no sooner than the schedule says: how soon slots become free, and
    /// how much the other lanes use, is not known before. `None` where it is unknown, as behind what the stock is enough for.
    #[must_use]
    pub fn estimated_wait(&self, ahead: u64, now_ms: u64) -> Option<u64> {
        if self.live.stock.is_some_and(|left| ahead >= left) {
            return None;
        }
        let pace = self.live.pace;
        let is_held_back = |sessions: &Sessions| sessions.enforcement == Enforcement::On;
        let is_slowed = self.origin.is_some_and(|origin| origin.is_slowed);
        let is_capped = self.sessions.as_ref().is_some_and(is_held_back);
        let is_shared = self.lanes.iter().any(|of| of.waiting() > 0);
        if !is_slowed && !is_capped && !is_shared {
            return estimated_wait(ahead, self.measured, pace, now_ms);
        }
        let measured = self.measured?;
        let wait = measured.wait(measured.rate(now_ms)?, ahead, now_ms);
        let scheduled = pace.rate().map(|_| scheduled_wait(ahead, pace, now_ms));
        Some(wait.max(scheduled.unwrap_or(0)))
    }

    /// The same for the last visitor in line; 0 when none waits and the line moves.
    #[must_use]
    pub fn wait_of_the_last(&self, now_ms: u64) -> Option<u64> {
        match self.waiting_in_main() {
            0 => estimated_wait(0, self.measured, self.live.pace, now_ms).map(|_| 0),
            many => self.estimated_wait(many - 1, now_ms),
        }
    }
}

/// The time until the next period, and one period for each full budget ahead.
fn scheduled_wait(ahead: u64, pace: Pace, now_ms: u64) -> u64 {
    let start = pace.period_start(now_ms).unwrap_or(0);
    let next_ms = (start.saturating_add(pace.automatic))
        .saturating_mul(1000)
        .saturating_sub(now_ms);
    let periods = ahead.checked_div(pace.quantity).unwrap_or(0);
    let later = periods.saturating_mul(pace.automatic);
    later.saturating_add(next_ms.div_ceil(1000))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::admission::tests::{DEFAULT, OFF};

    const NOW_MS: u64 = 1_800_000_000_000;

    #[test]
    fn by_schedule_a_visitor_goes_in_with_a_period() {
        let hourly = Pace {
            automatic: 3600,
            quantity: 5,
        };
        let wait = |ahead, seconds: u64| {
            estimated_wait(ahead, None, hourly, (3600 * 500_000 + seconds) * 1000)
        };
        assert_eq!(wait(0, 1), Some(3599), "number 6 waits for the next hour");
        assert_eq!(wait(4, 1), Some(3599), "and number 10 goes in with it");
        assert_eq!(wait(5, 1), Some(7199));
        assert_eq!(wait(0, 3590), Some(10));
        let thirty_a_minute = Pace {
            automatic: 2,
            quantity: 1,
        };
        assert_eq!(thirty_a_minute.rate().map(Rate::per_minute), Some(30.0));
        assert_eq!(estimated_wait(60, None, thirty_a_minute, NOW_MS), Some(120));
        let longest = estimated_wait(u64::MAX, None, DEFAULT, NOW_MS);
        assert!(longest > Some(u64::MAX / 5), "no overflow: {longest:?}");
    }

    /// 30 a minute, measured until so long ago.
    fn thirty_a_minute(took_ms: u64, stood_ms: u64) -> Measured {
        Measured {
            released: took_ms / 2000,
            took_ms,
            moved_ms: NOW_MS - stood_ms,
            step_ms: 2000,
        }
    }

    #[test]
    fn the_estimate_is_ahead_divided_by_the_measured_rate() {
        for pace in [DEFAULT, OFF] {
            let wait = estimated_wait(60, Some(thirty_a_minute(400_000, 1000)), pace, NOW_MS);
            assert_eq!(wait, Some(120), "60 ahead ÷ 30 a minute");
        }
    }

    #[test]
    fn a_line_moved_in_steps_by_hand_takes_a_visitor_in_with_a_step() {
        let by_hand = |stood_ms| Measured {
            released: 50,
            took_ms: 600_000,
            moved_ms: NOW_MS - stood_ms,
            step_ms: 120_000,
        };
        let wait = |ahead, stood_ms| estimated_wait(ahead, Some(by_hand(stood_ms)), OFF, NOW_MS);
        assert_eq!(wait(0, 0), Some(120), "ten every two minutes: not at once");
        assert_eq!(wait(9, 30_000), Some(90));
        assert_eq!(wait(10, 30_000), Some(210));
        assert_eq!(wait(0, 130_000), Some(0), "it may come at any moment");
        assert_eq!(
            wait(0, 240_001),
            None,
            "and after two steps nothing is known"
        );
    }

    #[test]
    fn the_schedule_tells_the_time_of_a_line_that_only_the_schedule_moves() {
        let by_schedule = Measured {
            released: 200,
            took_ms: 600_000,
            moved_ms: NOW_MS - 1000,
            step_ms: 17_000,
        };
        let wait = |pace, ahead| estimated_wait(ahead, Some(by_schedule), pace, NOW_MS);
        assert_eq!(
            wait(DEFAULT, 7),
            Some(15),
            "the second period from now, which begins at once"
        );
        let slower = Pace {
            automatic: 15,
            quantity: 3,
        };
        assert_eq!(
            wait(slower, 7),
            Some(33),
            "an operator lets more in than that"
        );
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
        let wait = |stood_ms, pace| {
            estimated_wait(60, Some(thirty_a_minute(600_000, stood_ms)), pace, NOW_MS)
        };
        assert_eq!(wait(60_000, OFF), Some(120));
        assert_eq!(wait(60_001, OFF), None);
        assert_eq!(wait(60_001, DEFAULT), Some(180));
    }

    #[test]
    fn a_clock_that_lags_behind_the_measure_sees_no_standstill() {
        let measured = Some(thirty_a_minute(60_000, 0));
        let wait = estimated_wait(60, measured, OFF, NOW_MS - 60_000);
        assert_eq!(wait, Some(120));
    }
}
