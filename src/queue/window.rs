//! The window of a pace that follows the origin, as operators read it in the status and on the panel, and what the watched answers
//! behind it say. They read both also while the pace does not follow the answers. `store/lua/window.lua` moves the window.
//!
//! Invariant: nothing is said without samples. Every step is exact below 2^53, as it is in the script.

/// All of something, in per mille.
const WHOLE: u64 = 1000;
/// How far above the baseline the share of late answers may be, in per mille.
pub const TOLERANCE: u64 = 80;
/// A cut needs this many samples.
const CUT_SAMPLES: u64 = 20;
/// And as many late ones above those tolerated as chance seldom brings: the square of 1.6 deviations, in hundredths.
const DEVIATIONS: u64 = 256;
/// An origin that says that this much of its capacity is in use gets no more visitors, in per mille.
const BUSY: u64 = 900;

/// How many visitors a period may have, and what is known of their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// In thousandths of a visitor.
    pub size: u64,
    /// About where the origin had enough, in thousandths of a visitor; `None` before the first cut.
    pub knee: Option<u64>,
    /// Up to where it grows back after a sickness, in thousandths of a visitor; `None` where it does not.
    pub ramp: Option<u64>,
    /// The answers since it changed last.
    pub samples: Samples,
    /// The share of late answers while the origin is well, in per mille.
    pub baseline: u64,
    /// How much of its capacity the origin says is in use, in per mille.
    pub load: Option<u64>,
}

/// Watched answers since the window changed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// How many.
    pub answers: u64,
    /// How many of them were late.
    pub late: u64,
}

/// What samples say of the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// As few are late as is tolerated: the window may grow.
    Healthy,
    /// More samples are needed.
    Doubtful,
    /// More are late than is tolerated: the window is cut.
    Late,
}

impl Finding {
    /// Its name in the status.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::Doubtful => "doubtful",
            Self::Late => "late",
        }
    }
}

impl Samples {
    /// What they say where this share of late answers is tolerated, in per mille; nothing without samples.
    #[must_use]
    pub fn finding(self, tolerated: u64) -> Option<Finding> {
        let (all, allowed) = (self.late * WHOLE, self.answers * tolerated);
        let above = all.saturating_sub(allowed);
        let variance = allowed * WHOLE.saturating_sub(tolerated);
        let is_seldom = above * above * 100 >= DEVIATIONS * variance;
        (self.answers > 0).then_some(if all <= allowed {
            Finding::Healthy
        } else if self.answers >= CUT_SAMPLES && is_seldom {
            Finding::Late
        } else {
            Finding::Doubtful
        })
    }
}

impl Window {
    /// What a window that follows the answers would do. What the origin says of its load goes before what was watched.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        match (self.load, self.samples.finding(self.baseline + TOLERANCE)) {
            (Some(load), _) if load > WHOLE => Some(Finding::Late),
            (Some(load), None) if load < BUSY => Some(Finding::Healthy),
            (Some(load), Some(Finding::Healthy)) if load >= BUSY => Some(Finding::Doubtful),
            (_, finding) => finding,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(answers: u64, late: u64) -> Window {
        Window {
            samples: Samples { answers, late },
            ..Window::default()
        }
    }

    #[test]
    fn late_answers_are_tolerated_up_to_eight_percent_above_the_baseline() {
        let finding = |answers, late| window(answers, late).finding();
        assert_eq!(finding(25, 2), Some(Finding::Healthy), "just 8 %");
        assert_eq!(finding(12, 1), Some(Finding::Doubtful), "8.3 %");
        let above_a_baseline = Window {
            baseline: 100,
            ..window(100, 18)
        };
        assert_eq!(above_a_baseline.finding(), Some(Finding::Healthy));
    }

    #[test]
    fn more_are_late_than_chance_brings_or_it_is_doubtful() {
        let finding = |answers, late| window(answers, late).finding();
        assert_eq!(finding(20, 3), Some(Finding::Doubtful), "3 − 1.6 < 1.94");
        assert_eq!(finding(20, 4), Some(Finding::Late), "4 − 1.6 ≥ 1.94");
        assert_eq!(finding(19, 19), Some(Finding::Doubtful), "too few");
        assert_eq!(finding(400, 40), Some(Finding::Doubtful), "40 − 32 < 8.68");
        assert_eq!(finding(400, 41), Some(Finding::Late));
    }

    #[test]
    fn without_samples_nothing_is_said() {
        assert_eq!(window(0, 0).finding(), None);
    }

    #[test]
    fn what_the_origin_says_of_its_load_goes_before_what_was_watched() {
        let finding = |load, window| {
            let load = Some(load);
            Window { load, ..window }.finding()
        };
        assert_eq!(finding(1001, window(100, 0)), Some(Finding::Late));
        assert_eq!(finding(1001, window(0, 0)), Some(Finding::Late));
        assert_eq!(finding(1000, window(100, 0)), Some(Finding::Doubtful));
        assert_eq!(finding(900, window(100, 0)), Some(Finding::Doubtful));
        assert_eq!(finding(900, window(0, 0)), None);
        assert_eq!(finding(899, window(100, 0)), Some(Finding::Healthy));
        assert_eq!(finding(899, window(0, 0)), Some(Finding::Healthy));
        assert_eq!(finding(899, window(100, 50)), Some(Finding::Late));
    }
}
