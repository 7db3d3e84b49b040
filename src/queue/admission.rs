//! The arithmetic of the line, and nothing else: no clock, no store, no HTTP.
//!
//! Invariant: a visitor is admitted if and only if the cursor has reached the position.

use std::ops::RangeInclusive;

use serde::Deserialize;

use super::{Rate, words};

/// The number on a ticket, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position(pub u64);

/// The last position admitted, inclusive: what the board shows as "now serving".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Cursor(pub u64);

/// What the two numbers say about one visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The cursor has reached the position.
    Admit,
    /// Other visitors go in before this one.
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

words! {
    /// Who goes in.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Mode {
        /// The line moves by its pace, by operators and by the origin.
        #[default]
        Automatic = "automatic",
        /// Nobody new goes in; numbers are drawn as ever.
        Hold = "hold",
        /// Everybody goes in, and is counted.
        Open = "open",
        /// Nobody new goes in, and nobody draws a number.
        Closed = "closed",
    }
}

impl Mode {
    /// Whether somebody whose turn has come goes in.
    #[must_use]
    pub fn lets_in(self) -> bool {
        matches!(self, Self::Automatic | Self::Open)
    }
}

/// A number of visitors per period; `automatic` 0 means that the line moves only by hand and by the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Pace {
    /// Length of a period in seconds, 0 = off.
    pub automatic: u64,
    /// Visitors released per period.
    pub quantity: u64,
}

impl Pace {
    /// What is accepted as the length of a period, in seconds.
    pub const AUTOMATIC: RangeInclusive<u64> = 0..=86_400;
    /// What is accepted as the number of visitors in a period.
    pub const QUANTITY: RangeInclusive<u64> = 1..=1_000_000;
    /// The pace of a room whose settings name none.
    pub const USUAL: Self = Self {
        automatic: 15,
        quantity: 5,
    };

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
pub(crate) mod tests {
    use super::*;
    use crate::queue::estimated_wait;

    pub(crate) const DEFAULT: Pace = Pace {
        automatic: 15,
        quantity: 5,
    };
    pub(crate) const OFF: Pace = Pace {
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
