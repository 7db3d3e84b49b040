//! How long a visitor waited, from the draw of the number to the first visit inside, beside what was estimated at the draw.

use super::words;
use serde::Serialize;

/// The upper ends of the buckets in which waits are counted, in seconds. Longer waits are in one more.
pub const WAITS: [u64; 24] = [
    10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200,
    10_800, 14_400, 21_600, 43_200, 86_400,
];

/// The lengths of visits under a cap that are counted once they are reached, in minutes.
pub const STAYS: [u64; 12] = [1, 2, 3, 5, 7, 10, 15, 20, 30, 60, 120, 240];

/// When a number was drawn, and what its holder was told to expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// When, in Unix seconds.
    pub at: u64,
    /// The estimated wait in seconds, where there was one.
    pub estimate: Option<u64>,
}

/// A wait that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Waited {
    /// How long it was, in seconds.
    #[serde(rename = "waitedSeconds")]
    pub seconds: u64,
    /// How long it was estimated to be at the draw.
    #[serde(rename = "estimatedSeconds", skip_serializing_if = "Option::is_none")]
    pub estimate: Option<u64>,
}

words! {
    /// What came of an estimate.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Estimated {
        /// The turn came sooner than at three quarters of the time, and by more than half a minute.
        Early = "early",
        /// It came about then.
        Right = "right",
        /// It came later than at four thirds of the time, and by more than half a minute.
        Late = "late",
    }
}

impl Waited {
    /// By this time, where the number was drawn so; a visitor who went straight in has waited for no time.
    #[must_use]
    pub fn until(now_secs: u64, drawn: Option<Drawn>) -> Self {
        Self {
            seconds: drawn.map_or(0, |drawn| now_secs.saturating_sub(drawn.at)),
            estimate: drawn.and_then(|drawn| drawn.estimate),
        }
    }

    /// What came of the estimate, where there was one. Half a minute is what a page shows no finer, and a visitor takes to come.
    #[must_use]
    pub fn estimated(self) -> Option<Estimated> {
        const SHORT: u64 = 30;
        let (told, came) = (self.estimate?, self.seconds);
        let is_near = told.abs_diff(came) <= SHORT;
        Some(if is_near {
            Estimated::Right
        } else if came.saturating_mul(4) < told.saturating_mul(3) {
            Estimated::Early
        } else if came.saturating_mul(3) > told.saturating_mul(4) {
            Estimated::Late
        } else {
            Estimated::Right
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_right_within_a_third_or_half_a_minute() {
        let came = |estimate, seconds| {
            let estimate = Some(estimate);
            Waited { seconds, estimate }.estimated()
        };
        for (estimate, seconds, expected) in [
            (0, 30, Estimated::Right),
            (0, 31, Estimated::Late),
            (60, 30, Estimated::Right),
            (61, 30, Estimated::Early),
            (600, 450, Estimated::Right),
            (600, 449, Estimated::Early),
            (600, 800, Estimated::Right),
            (600, 801, Estimated::Late),
        ] {
            assert_eq!(
                came(estimate, seconds),
                Some(expected),
                "{estimate} {seconds}"
            );
        }
    }

    #[test]
    fn who_went_straight_in_has_waited_for_no_time_and_was_told_of_none() {
        let waited = Waited::until(1_800_000_000, None);
        assert_eq!((waited.seconds, waited.estimated()), (0, None));
        let drawn = Drawn {
            at: 1_800_000_060,
            estimate: Some(5),
        };
        let waited = Waited::until(1_800_000_000, Some(drawn));
        assert_eq!(waited.seconds, 0, "a clock that was set back");
    }
}
