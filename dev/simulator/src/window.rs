//! The share rule: how many visitors a period may have, as the share of late answers says.
//!
//! A visitor's first answer is *late* when it takes longer than `slow_ms`, or its status is 500 or more. If too many are late
//! the window is cut, else it grows; after the origin was sick it begins small and doubles.
//!
//! The product's rule is `store/lua/window.lua`, which also knows unused windows and what an origin reports of its load. Here is
//! the part that an endless line in front of an origin exercises, with the same constants: fast enough for sixteen seeds of each
//! kind of origin in `dev/simulator/tests/simulated/window.rs`, which says what the constants reach. Four details carry it: samples end
//! with each growth, growth waits for the answers to the last one, after a cut the queue that led to it is waited for, and each
//! period of the ramp is judged by itself.
//!
//! Invariant: state is whole numbers, sizes in thousandths of a visitor, and nothing is decided without samples.

use now_serving::queue::{Finding, Samples};

/// One visitor.
const VISITOR: u64 = 1000;
/// All of something, in per mille.
const WHOLE: u64 = 1000;

/// How far above the baseline the share of late answers may be, in per mille.
const TOLERANCE: u64 = 80;
/// A cut needs this many samples.
const CUT_SAMPLES: u64 = 20;
/// And as many late ones above those tolerated as chance seldom brings: the square of 1.6 deviations, in hundredths.
const DEVIATIONS: u64 = 256;
/// More samples are halved, so that old ones fade.
const MOST_SAMPLES: u64 = 400;
/// What a cut leaves, in per mille.
const CUT: u64 = 900;
/// Visitors who are released within these seconds after a cut still meet the queue that led to it.
const QUEUE_SECONDS: u64 = 4;
/// Growth needs this many samples.
const GROWTH_SAMPLES: u64 = 10;
/// And as many seconds since the last change: visitors come some seconds after their release, and notes of their answers later.
const GROWTH_SECONDS: u64 = 10;
/// What a period gets more, in per mille, and at least.
const FAST: u64 = 20;
const FAST_LEAST: u64 = VISITOR;
/// Near the knee.
const SLOW: u64 = 4;
/// Where near the knee begins and ends, in per mille of it. Above it the origin bears more than it did.
const NEAR: u64 = 930;
const BEYOND: u64 = 1070;

/// Where the ramp after a sickness ends, in per mille of what the origin bore.
const RAMP: u64 = 900;
/// For how many seconds the ramp doubles, and how many times at least.
const RAMP_SECONDS: u64 = 100;
const LEAST_DOUBLINGS: u64 = 2;

/// The fewest and the most visitors of a period: the settings `window_min` and `window_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest.
    pub min: u64,
    /// The most.
    pub max: u64,
}

/// What the pace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// The answers, within bounds.
    Answers(Bounds),
    /// An operator: only after a sickness it is lower.
    Fixed {
        /// How many visitors a period has.
        quantity: u64,
        /// What the ramp begins with at least.
        min: u64,
        /// The share of late answers that the ramp bears, in per mille: a larger one makes the origin sick.
        tolerated: u64,
    },
}

impl Steering {
    fn tolerated(self, baseline: u64) -> u64 {
        match self {
            Self::Answers(_) => baseline + TOLERANCE,
            Self::Fixed { tolerated, .. } => tolerated.max(baseline + TOLERANCE),
        }
    }

    fn min(self) -> u64 {
        match self {
            Self::Answers(Bounds { min, .. }) | Self::Fixed { min, .. } => min * VISITOR,
        }
    }
}

/// A period of the pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// When it begins (Unix time in seconds).
    pub at: u64,
    /// How many seconds it lasts.
    pub lasts: u64,
}

impl Period {
    /// The seconds of the whole periods that fit into these.
    fn whole(self, seconds: u64) -> u64 {
        seconds / self.lasts.max(1) * self.lasts
    }
}

/// How many visitors a period may have, and what is known about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// In thousandths of a visitor.
    pub size: u64,
    /// About where the origin had enough, in thousandths of a visitor; `None` before the first cut.
    pub knee: Option<u64>,
    /// Where the ramp ends, in thousandths of a visitor; `None` where there is none.
    pub ramp: Option<u64>,
    /// When it changed last.
    pub changed: u64,
    /// The answers to visitors who were released before do not count.
    pub counts_from: u64,
    /// Answers since the last change.
    pub samples: Samples,
}

/// What samples say where this share of late answers is tolerated, in per mille.
fn finding(samples: Samples, tolerated: u64) -> Finding {
    let (all, allowed) = (samples.late * WHOLE, samples.answers * tolerated);
    let above = all.saturating_sub(allowed);
    let variance = allowed * WHOLE.saturating_sub(tolerated);
    let is_seldom = above * above * 100 >= DEVIATIONS * variance;
    if samples.answers == 0 {
        Finding::Unknown
    } else if all <= allowed {
        Finding::Healthy
    } else if samples.answers >= CUT_SAMPLES && is_seldom {
        Finding::Late
    } else {
        Finding::Doubtful
    }
}

impl Window {
    /// The first one: as many visitors as the pace has.
    #[must_use]
    pub fn of(quantity: u64) -> Self {
        Self {
            size: quantity * VISITOR,
            ..Self::default()
        }
    }

    /// First answers came to visitors of the period that began at `released`.
    pub fn heard(&mut self, released: u64, answers: u64, late: u64) {
        if released < self.counts_from {
            return;
        }
        let samples = &mut self.samples;
        samples.answers = samples.answers.saturating_add(answers);
        samples.late = samples.late.saturating_add(late.min(answers));
        while samples.answers > MOST_SAMPLES {
            samples.answers /= 2;
            samples.late /= 2;
        }
    }

    /// A period is opened, with this share of late answers while the origin is well: it has [`Self::size`] visitors.
    pub fn open(&mut self, period: Period, baseline: u64, steering: Steering) {
        let finding = finding(self.samples, steering.tolerated(baseline));
        match (self.ramp, steering) {
            (Some(end), Steering::Answers(bounds)) => {
                self.climb(end.min(bounds.max * VISITOR), period, steering, finding);
            }
            (Some(_), Steering::Fixed { quantity, .. }) => {
                self.climb(quantity * VISITOR, period, steering, finding);
            }
            (None, Steering::Answers(_)) => self.follow(period, finding),
            (None, Steering::Fixed { quantity, .. }) => self.size = quantity * VISITOR,
        }
        if let Steering::Answers(Bounds { min, max }) = steering {
            self.size = self.size.min(max * VISITOR).max(min * VISITOR);
        }
    }

    /// The origin is sick since `period.at`. The ramp begins with as little as still reaches its end in time.
    pub fn sick(&mut self, period: Period, steering: Steering) {
        let bore = self.size.max(self.knee.unwrap_or(0)) * RAMP / WHOLE;
        let end = match steering {
            Steering::Answers(_) => self.ramp.unwrap_or(bore),
            Steering::Fixed { quantity, .. } => quantity * VISITOR,
        };
        let doublings = (RAMP_SECONDS / period.lasts.max(1)).max(LEAST_DOUBLINGS);
        let doublings = u32::try_from(doublings).unwrap_or(u32::MAX);
        self.ramp = Some(end);
        self.size = end.checked_shr(doublings).unwrap_or(0).max(steering.min());
        self.changes(period);
        self.counts_from = period.at;
    }

    /// Each period of the ramp is judged by itself: what was bad in the sickness says nothing about the origin that is back.
    /// Where nothing is heard it doubles too, but not as soon.
    fn climb(&mut self, end: u64, period: Period, steering: Steering, finding: Finding) {
        match finding {
            Finding::Unknown if period.at < self.changed + period.lasts.max(GROWTH_SECONDS) => {
                return;
            }
            Finding::Unknown | Finding::Healthy => self.size = (self.size * 2).min(end),
            Finding::Late => {
                self.size = (self.size / 2).max(steering.min());
                self.counts_from = period.at + period.whole(QUEUE_SECONDS);
            }
            Finding::Doubtful => {}
        }
        self.changes(period);
        if self.size >= end {
            self.ramp = None;
        }
    }

    fn follow(&mut self, period: Period, finding: Finding) {
        match finding {
            Finding::Healthy if self.grows(period) => {
                self.size += self.growth();
                self.changes(period);
            }
            Finding::Late => {
                let knee = self.knee.unwrap_or(self.size);
                self.knee = Some(u64::midpoint(knee, self.size));
                self.size = self.size * CUT / WHOLE;
                self.changes(period);
                self.counts_from = period.at + period.whole(QUEUE_SECONDS);
            }
            Finding::Healthy | Finding::Doubtful | Finding::Unknown => {}
        }
    }

    fn grows(&self, period: Period) -> bool {
        let from = self.changed + period.whole(GROWTH_SECONDS);
        self.samples.answers >= GROWTH_SAMPLES && period.at >= from
    }

    fn growth(&self) -> u64 {
        let slow = self.size * SLOW / WHOLE;
        let fast = (self.size * FAST / WHOLE).max(FAST_LEAST);
        let Some(knee) = self.knee else {
            return fast;
        };
        let (near, beyond) = (knee * NEAR / WHOLE, knee * BEYOND / WHOLE);
        if self.size >= beyond {
            return fast;
        }
        // Up to where the slow part begins, and not beyond it at one go.
        fast.min(near.saturating_sub(self.size)).max(slow)
    }

    fn changes(&mut self, period: Period) {
        self.changed = period.at;
        self.samples = Samples::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDE: Steering = Steering::Answers(Bounds {
        min: 1,
        max: 100_000,
    });

    fn every(lasts: u64, at: u64) -> Period {
        Period { at, lasts }
    }

    /// No answer is late while the origin is well: 8 % of them may be.
    const WELL: u64 = 0;

    fn samples(answers: u64, late: u64) -> Samples {
        Samples { answers, late }
    }

    /// A window of 100 visitors that heard of these answers.
    fn heard(answers: u64, late: u64) -> Window {
        let mut window = Window::of(100);
        window.heard(1000, answers, late);
        window
    }

    fn opened(mut window: Window, steering: Steering) -> Window {
        window.open(every(6, 1000), WELL, steering);
        window
    }

    fn size_after(answers: u64, late: u64) -> u64 {
        opened(heard(answers, late), WIDE).size
    }

    #[test]
    fn it_grows_by_a_fiftieth_while_the_share_is_tolerated() {
        assert_eq!(size_after(10, 0), 102_000);
        assert_eq!(size_after(9, 0), 100_000, "too few");
        assert_eq!(size_after(25, 2), 102_000, "just 8 %");
        assert_eq!(size_after(12, 1), 100_000, "8.3 %");
    }

    #[test]
    fn it_is_cut_by_a_tenth_when_more_are_late_than_chance_brings() {
        assert_eq!(size_after(20, 3), 100_000, "3 − 1.6 < 1.94");
        assert_eq!(size_after(20, 4), 90_000, "4 − 1.6 ≥ 1.94");
        assert_eq!(size_after(19, 19), 100_000, "too few");
        assert_eq!(size_after(400, 40), 100_000, "40 − 32 < 8.68");
        assert_eq!(size_after(400, 41), 90_000);
    }

    #[test]
    fn without_samples_nothing_is_decided() {
        assert_eq!(size_after(0, 0), 100_000);
        assert_eq!(size_after(0, 5), 100_000);
    }

    #[test]
    fn the_baseline_is_tolerated_too() {
        let mut window = heard(100, 18);
        window.open(every(6, 1000), 100, WIDE);
        assert_eq!(window.size, 102_000);
    }

    #[test]
    fn small_windows_grow_by_a_visitor_and_none_leaves_its_bounds() {
        let grown = |quantity, steering| {
            let mut window = Window::of(quantity);
            window.heard(1000, 10, 0);
            opened(window, steering).size
        };
        assert_eq!(grown(5, WIDE), 6_000);
        let narrow = Steering::Answers(Bounds { min: 50, max: 101 });
        assert_eq!(grown(100, narrow), 101_000);
        assert_eq!(grown(5, narrow), 50_000);
        let mut low = Window::of(50);
        low.heard(1000, 20, 20);
        assert_eq!(opened(low, narrow).size, 50_000);
    }

    #[test]
    fn samples_are_those_since_the_last_change_and_old_ones_fade() {
        let grown = opened(heard(100, 8), WIDE);
        assert_eq!(grown.samples, Samples::default());
        let doubtful = opened(heard(100, 9), WIDE);
        assert_eq!(doubtful.samples, samples(100, 9));
        assert_eq!(heard(401, 33).samples, samples(200, 16));
        assert_eq!(heard(5000, 9).samples.answers, 312);
        assert_eq!(heard(400, 9).samples.answers, 400);
    }

    #[test]
    fn answers_to_visitors_released_before_a_cut_do_not_count() {
        let mut cut = opened(heard(100, 50), WIDE);
        assert_eq!((cut.size, cut.counts_from), (90_000, 1000));
        cut.heard(999, 100, 100);
        assert_eq!(cut.samples.answers, 0);
        cut.heard(1000, 100, 100);
        assert_eq!(cut.samples.answers, 100);
    }

    #[test]
    fn the_queue_before_a_cut_is_waited_for_in_whole_periods() {
        let counts_from = |lasts| {
            let mut window = heard(100, 50);
            window.open(every(lasts, 1000), WELL, WIDE);
            window.counts_from
        };
        assert_eq!([1, 2, 3, 4].map(counts_from), [1004, 1004, 1003, 1004]);
        assert_eq!([5, 60].map(counts_from), [1000, 1000]);
    }

    /// When windows in periods of this length have grown, where each period brings a hundred good answers.
    fn growths(lasts: u64) -> Vec<u64> {
        let mut window = Window::of(100);
        let has_grown = |at: &u64| {
            window.heard(1000 + at, 100, 0);
            let before = window.size;
            window.open(every(lasts, 1000 + at), WELL, WIDE);
            window.size > before
        };
        let begins = (0..60).filter(|at: &u64| at.is_multiple_of(lasts));
        begins.filter(has_grown).collect()
    }

    #[test]
    fn growth_waits_for_the_answers_to_the_last_one() {
        assert_eq!(growths(1), [0, 10, 20, 30, 40, 50]);
        assert_eq!(growths(3), [0, 9, 18, 27, 36, 45, 54]);
        assert_eq!(growths(6).len(), 10);
        assert_eq!(growths(15), [0, 15, 30, 45]);
    }

    #[test]
    fn near_the_knee_it_grows_slowly_and_does_not_jump_there() {
        let grown = |size| {
            let mut window = heard(100, 0);
            (window.size, window.knee) = (size, Some(100_000));
            opened(window, WIDE).size
        };
        assert_eq!(grown(90_000), 91_800);
        assert_eq!(grown(92_000), 93_000, "where the slow part begins");
        assert_eq!(grown(92_999), 93_370);
        assert_eq!(grown(100_000), 100_400);
        assert_eq!(grown(106_999), 107_426);
        assert_eq!(grown(107_000), 109_140, "it bears more than it did");
    }

    #[test]
    fn the_knee_is_the_mean_of_the_old_one_and_the_window_at_the_cut() {
        let cut = opened(heard(100, 50), WIDE);
        assert_eq!(cut.knee, Some(100_000), "the first");
        let mut again = cut;
        again.heard(1000, 100, 50);
        assert_eq!(opened(again, WIDE).knee, Some(95_000));
        assert_eq!(opened(again, WIDE).size, 81_000);
    }

    /// The sizes of the periods after a sickness, in visitors, where each hears these answers.
    fn ramp(
        mut window: Window,
        lasts: u64,
        steering: Steering,
        answers: &[(u64, u64)],
    ) -> Vec<u64> {
        window.sick(every(lasts, 2000), steering);
        let periods = (1..).zip(answers).map(|(period, (answers, late))| {
            let at = 2000 + period * lasts;
            window.heard(at, *answers, *late);
            window.open(every(lasts, at), WELL, steering);
            window.size / VISITOR
        });
        periods.collect()
    }

    #[test]
    fn after_a_sickness_it_doubles_up_to_nine_tenths_of_what_the_origin_bore() {
        let sizes = ramp(Window::of(100), 6, WIDE, &[(1, 0); 9]);
        assert_eq!(sizes, [2, 4, 8, 16, 32, 64, 90, 90, 90]);
        let mut cut = Window::of(81);
        cut.knee = Some(100_000);
        assert_eq!(ramp(cut, 6, WIDE, &[(1, 0); 7]).last(), Some(&90));
    }

    #[test]
    fn a_ramp_of_which_nothing_is_heard_ends_too() {
        let sizes = ramp(Window::of(80), 6, WIDE, &[(0, 0); 13]);
        assert_eq!(
            sizes,
            [1, 2, 2, 4, 4, 8, 8, 16, 16, 32, 32, 64, 64],
            "each 12 s"
        );
        let rare = ramp(Window::of(8), 60, WIDE, &[(0, 0); 4]);
        assert_eq!(rare, [3, 7, 7, 7]);
    }

    #[test]
    fn long_periods_begin_with_more_so_that_the_end_comes_in_time() {
        let first = |lasts, steering| {
            let mut window = Window::of(1000);
            window.sick(every(lasts, 2000), steering);
            window.size / VISITOR
        };
        let sizes = [1, 10, 15, 25, 33, 60, 3600].map(|lasts| first(lasts, WIDE));
        assert_eq!(sizes, [1, 1, 14, 56, 112, 225, 225]);
        let least = Steering::Answers(Bounds { min: 20, max: 5000 });
        assert_eq!(first(15, least), 20);
    }

    #[test]
    fn a_period_of_the_ramp_is_judged_by_itself_and_a_cut_halves() {
        let answers = [(1, 0), (2, 1), (0, 0), (4, 0), (20, 20), (1, 0), (1, 0)];
        let sizes = ramp(Window::of(100), 6, WIDE, &answers);
        assert_eq!(sizes, [2, 2, 2, 4, 2, 4, 8]);
    }

    #[test]
    fn further_sicknesses_in_the_ramp_keep_its_end() {
        let mut window = Window::of(100);
        window.sick(every(6, 2000), WIDE);
        window.sick(every(6, 2060), WIDE);
        assert_eq!((window.ramp, window.size), (Some(90_000), 1_000));
        window.heard(2054, 100, 0);
        assert_eq!(window.samples.answers, 0, "released before");
    }

    #[test]
    fn an_operators_pace_is_lower_only_after_a_sickness() {
        let fixed = Steering::Fixed {
            quantity: 40,
            min: 3,
            tolerated: 80,
        };
        assert_eq!(opened(heard(100, 100), fixed).size, 40_000);
        assert_eq!(opened(heard(100, 0), fixed).size, 40_000);
        let sizes = ramp(Window::of(40), 6, fixed, &[(30, 0); 6]);
        assert_eq!(sizes, [6, 12, 24, 40, 40, 40]);
        let held = ramp(Window::of(40), 6, fixed, &[(30, 30), (30, 0), (30, 30)]);
        assert_eq!(held, [3, 6, 3]);
    }
}
