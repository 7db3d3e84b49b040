//! How long a visitor waited, from the draw of the number to the first visit inside, beside what was estimated at the draw; and what has
//! made the wait longer.

use super::health::numbers;
use super::words;
use serde::Serialize;

/// The upper ends of the buckets in which waits are counted, in seconds. Longer waits are in one more.
pub const WAITS: [u64; 24] = [
    10, 20, 30, 45, 60, 90, 120, 180, 240, 300, 450, 600, 900, 1200, 1800, 2700, 3600, 5400, 7200,
    10_800, 14_400, 21_600, 43_200, 86_400,
];

/// The place among them of the bucket for so many seconds; behind them that of any longer wait.
#[must_use]
pub fn wait_bucket(seconds: u64) -> usize {
    let bucket = WAITS.iter().position(|most| seconds <= *most);
    bucket.unwrap_or(WAITS.len())
}

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

words! {
    /// What makes a line slower.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Slowness {
        /// The pace was lowered, by an operator or an event.
        Pace = "pace",
        /// The cap was lowered.
        Cap = "cap",
        /// The line was on hold, or the room closed.
        Hold = "hold",
        /// It was on hold by itself, since the origin was sick.
        Sick = "sick",
        /// The pace follows the origin, which answers late.
        Origin = "origin",
        /// Visitors of groups go first, after a time without any.
        Groups = "groups",
    }
}

/// What last made the line slower, as `store/lua/slowed.lua` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowed {
    /// What it was.
    pub cause: Slowness,
    /// Since when, by the store's clock, in milliseconds.
    pub from_ms: u64,
    /// When it was over; nothing for what goes on.
    pub to_ms: Option<u64>,
}

impl Slowed {
    pub(super) fn read(text: &str) -> Option<Self> {
        let (cause, times) = text.split_once(' ')?;
        let [from_ms, to_ms] = numbers(times)?;
        Some(Self {
            cause: Slowness::named(cause)?,
            from_ms,
            to_ms: Some(to_ms).filter(|to_ms| *to_ms > 0),
        })
    }

    /// Whether it is why this wait is late: it came after the draw, and what is over took at least half of what the wait has grown by.
    /// `left`: the seconds until the turn, as far as they are known.
    #[must_use]
    pub fn explains(self, drawn: Drawn, left: Option<u64>, now_secs: u64) -> bool {
        let mut wait = Waited::until(now_secs, Some(drawn));
        wait.seconds = wait.seconds.saturating_add(left.unwrap_or(0));
        let grown = wait.seconds.saturating_sub(wait.estimate.unwrap_or(0));
        let stood = |to_ms: u64| to_ms.saturating_sub(self.from_ms) / 1000;
        let is_most = |to_ms| stood(to_ms).saturating_mul(2) >= grown;
        let is_after = self.from_ms / 1000 > drawn.at;
        wait.estimated() == Some(Estimated::Late) && is_after && self.to_ms.is_none_or(is_most)
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

    #[test]
    fn a_wait_is_late_by_what_came_after_the_draw_and_took_most_of_it() {
        let drawn = Drawn {
            at: 1_000,
            estimate: Some(600),
        };
        let explains = |slowed: &str, left, now| {
            let slowed = Slowed::read(slowed).unwrap_or(Slowed {
                cause: Slowness::Hold,
                from_ms: 0,
                to_ms: None,
            });
            slowed.explains(drawn, left, now)
        };
        for (slowed, left, now, expected) in [
            // 300 s have passed, and 600 s are left: a third more than 600 s, and more.
            ("pace 1200000 0", Some(600), 1_300, true),
            ("pace 1200000 0", Some(500), 1_300, false),
            ("pace 1200000 0", None, 1_300, false),
            // Before the draw.
            ("pace 1000999 0", Some(600), 1_300, false),
            ("pace 1001000 0", Some(600), 1_300, true),
            // Of 300 s more half were a pause.
            ("hold 1100000 1250000", Some(600), 1_300, true),
            ("hold 1100000 1249000", Some(600), 1_300, false),
        ] {
            assert_eq!(
                explains(slowed, left, now),
                expected,
                "{slowed} {left:?} {now}"
            );
        }
        for text in [
            "",
            "pace",
            "pace 1",
            "nothing 1 2",
            "pace 1 2 3",
            "pace a 0",
        ] {
            assert_eq!(Slowed::read(text), None, "{text}");
        }
    }
}
