//! The share rule keeps its promises in front of an origin with a bounded pool of workers, whatever the seed and however its
//! service times are spread.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use simulator::scenario::{Latency, OriginIs};
use simulator::steered::{Second, Setup, play};
use simulator::units::Span;
use simulator::window::{Bounds, Steering};

const SEEDS: std::ops::Range<u64> = 0..16;
/// What is measured begins after two minutes.
const WARM_SECONDS: usize = 120;
/// How many visitors a second the origin bears at most.
const BEARS: u64 = 40;
/// The share of late answers that is tolerated, where none is late while the origin is well.
const TOLERATED: f64 = 0.08;

const WIDE: Steering = Steering::Answers(Bounds {
    min: 1,
    max: 100_000,
});

/// Service times of 200 ms on average.
fn times() -> [Latency; 3] {
    let mean = Span::from_ms(200);
    let median = Span::from_ms(145);
    [
        Latency::Constant(mean),
        Latency::LogNormal { median, sigma: 0.8 },
        Latency::Exponential(mean),
    ]
}

/// An origin with these service times, periods of this length and an operator's pace.
fn fixed(takes: &Latency, lasts: u64, quantity: u64) -> Setup {
    Setup {
        origin: OriginIs {
            workers: 8,
            takes: takes.clone(),
            queue: 1000,
            slows: 0.0,
        },
        steering: Steering::Fixed {
            quantity,
            min: 1,
            tolerated: 300,
        },
        begins: quantity,
        lasts,
        seconds: 720,
        watched: 1.0,
        outage: None,
    }
}

/// The same, where the answers steer the pace from seven tenths of this one on.
fn steered(takes: &Latency, lasts: u64, quantity: u64) -> Setup {
    Setup {
        steering: WIDE,
        begins: quantity * 7 / 10,
        ..fixed(takes, lasts, quantity)
    }
}

/// What is measured of a run.
#[derive(Clone, Copy, Debug, Default)]
struct Measured {
    /// Answers in time, a second.
    in_time: f64,
    /// The share of late answers.
    late: f64,
    /// The standard deviation of the window, where its mean is 1.
    varies: f64,
}

#[expect(clippy::cast_precision_loss, reason = "small numbers")]
fn float(number: u64) -> f64 {
    number as f64
}

fn measured(seconds: &[Second]) -> Measured {
    let seconds = &seconds[WARM_SECONDS..];
    let many = float(seconds.len() as u64);
    let sum = |of: fn(&Second) -> u64| float(seconds.iter().map(of).sum());
    let (came, late) = (sum(|second| second.came), sum(|second| second.late));
    let mean = sum(|second| second.size.unwrap_or(0)) / many;
    let off = |second: &Second| (float(second.size.unwrap_or(0)) - mean).powi(2);
    let variance = seconds.iter().map(off).sum::<f64>() / many;
    Measured {
        in_time: (came - late) / many,
        late: late / came,
        varies: variance.sqrt() / mean,
    }
}

/// The fixed pace with the most answers in time of which no more are late than is tolerated.
fn best(takes: &Latency, lasts: u64) -> (u64, Measured) {
    let bears = BEARS * lasts;
    let mut best = (0, Measured::default());
    for quantity in (bears / 2..=bears * 11 / 10).step_by(usize::try_from(lasts).unwrap()) {
        let run = measured(&play(&fixed(takes, lasts, quantity), 100));
        if run.in_time > best.1.in_time && run.late <= TOLERATED {
            best = (quantity, run);
        }
        if run.late > 3.0 * TOLERATED {
            break;
        }
    }
    best
}

/// In front of each kind of origin, and in periods of a second and of six, with its best fixed pace.
fn each_origin(check: impl Fn(&Latency, u64, (u64, Measured))) {
    for takes in times() {
        for lasts in [1, 6] {
            check(&takes, lasts, best(&takes, lasts));
        }
    }
}

#[test]
fn it_reaches_nine_tenths_of_the_best_fixed_pace_with_few_late_answers() {
    each_origin(|takes, lasts, (quantity, best)| {
        for seed in SEEDS {
            let run = measured(&play(&steered(takes, lasts, quantity), seed));
            let case = format!("{takes:?}, {lasts} s, {seed}: {run:?} of {best:?}");
            assert!(run.in_time >= 0.9 * best.in_time, "{case}");
            assert!(run.late <= best.late + 0.05, "{case}");
            assert!(run.varies <= 0.1, "{case}");
        }
    });
}

#[test]
fn it_needs_only_three_of_ten_answers_watched() {
    each_origin(|takes, lasts, (quantity, best)| {
        for seed in SEEDS {
            let some = Setup {
                watched: 0.3,
                ..steered(takes, lasts, quantity)
            };
            let run = measured(&play(&some, seed));
            let case = format!("{takes:?}, {lasts} s, {seed}: {run:?} of {best:?}");
            assert!(run.in_time >= 0.85 * best.in_time, "{case}");
        }
    });
}

#[test]
fn a_fixed_pace_half_too_high_overloads_the_origin() {
    each_origin(|takes, lasts, (quantity, best)| {
        let run = measured(&play(&fixed(takes, lasts, quantity * 3 / 2), 0));
        let case = format!("{takes:?}, {lasts} s: {run:?} of {best:?}");
        assert!(
            run.late > 0.2 && run.in_time < 0.85 * best.in_time,
            "{case}"
        );
    });
}

/// The most visitors who come within ten seconds.
fn rush(seconds: &[Second]) -> u64 {
    let sums = seconds.windows(10);
    sums.map(|ten| ten.iter().map(|second| second.came).sum())
        .max()
        .unwrap()
}

/// An outage of a minute begins after six minutes. Recovery counts from the end of the last sickness.
#[test]
fn after_an_outage_it_is_back_within_three_minutes_and_sends_no_rush() {
    const OUTAGE: std::ops::Range<u64> = 360..420;
    let check = |setup: &Setup, seed: u64| {
        let setup = Setup {
            outage: Some(OUTAGE),
            seconds: 900,
            ..setup.clone()
        };
        let seconds = play(&setup, seed);
        let (before, after) = seconds.split_at(360);
        let steady: u64 = before[240..]
            .iter()
            .map(|second| second.size.unwrap())
            .sum();
        let well = after.iter().rposition(|second| second.size.is_none());
        let after = &after[well.expect("the origin was sick") + 1..];
        let is_back = |second: &Second| second.size.unwrap() * 120 * 10 >= steady * 9;
        let back = after.iter().position(is_back);
        let case = format!("{setup:?}, {seed}: back after {back:?} s");
        assert!(back.is_some_and(|back| back <= 180), "{case}");
        let (steady, rush) = (rush(&before[240..]), rush(after));
        assert!(rush * 10 <= steady * 13, "{case}: {rush} of {steady}");
    };
    for seed in SEEDS {
        each_kind_of_period(|takes, lasts, quantity| {
            check(&steered(takes, lasts, quantity), seed);
            check(&fixed(takes, lasts, quantity), seed);
        });
    }
}

/// Periods up to a minute, with about what the origin bears in each: of a long one all visitors come within four seconds.
fn each_kind_of_period(check: impl Fn(&Latency, u64, u64)) {
    for takes in times() {
        for (lasts, quantity) in [(1, 36), (6, 175), (15, 175), (60, 175)] {
            check(&takes, lasts, quantity);
        }
    }
}
