//! An origin that fails for a minute, in front of a line that waits throughout: what the marker promises, whatever the seed.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::ops::Range;
use std::sync::LazyLock;
use std::thread;

use simulator::record::{Checks, Point, Run};
use simulator::scenario::{Overrides, load};
use simulator::site::Polls;
use simulator::{arrivals, world};

/// The seconds in which the origin fails, and some before in which all is steady.
const FAILS: Range<usize> = 120..180;
const STEADY: Range<usize> = 60..120;
/// How many seconds there are, and how many visitors a second may go in.
const SECONDS: usize = 360;
const PACE: usize = 15;
/// In how many seconds bad answers that are few beside the good ones before make a marker.
const STOP: usize = 3;
/// The board that a visitor meets is two seconds old at most.
const ENTER: usize = 2;

/// Periods of a second and of six, each with its seed; a point is a second.
static RUNS: LazyLock<Vec<(String, Run)>> = LazyLock::new(|| {
    let cases = [(1, 1), (6, 2)];
    let runs = cases.map(|(lasts, seed)| thread::spawn(move || played(lasts, seed)));
    let runs = runs.map(|run| run.join().unwrap());
    let names = cases.map(|(lasts, seed)| format!("{lasts} s, seed {seed}"));
    names.into_iter().zip(runs).collect()
});

fn played(lasts: usize, seed: u64) -> Run {
    let set = [
        "point=1s".to_owned(),
        format!("lasts={SECONDS}s"),
        format!("automatic={lasts}"),
        format!("automatic_quantity={}", PACE * lasts),
        format!("arrivals.0.visitors={}", PACE * SECONDS),
        format!("events.0.at={}s", FAILS.start),
        format!("events.0.origin_sick={}s", FAILS.len()),
    ];
    let overrides = Overrides {
        set: set.into(),
        seed: Some(seed),
        pops: None,
    };
    let scenarios = load("sick", &overrides).unwrap();
    let (name, scenario) = scenarios.last().unwrap();
    assert_eq!(name, "held");
    let moments = arrivals::moments(&scenario.arrivals, seed);
    world::play(scenario, &moments, Polls::Reckoned).unwrap()
}

/// The seconds at whose end a marker stands: one marker after the other.
fn markers(run: &Run) -> Vec<Range<usize>> {
    let mut markers: Vec<Range<usize>> = Vec::new();
    for (second, _) in run.points.iter().enumerate().filter(|(_, at)| at.is_sick) {
        match markers.last_mut().filter(|marker| marker.end == second) {
            Some(marker) => marker.end += 1,
            None => markers.push(second..second + 1),
        }
    }
    markers
}

fn sum(points: &[Point], of: fn(&Point) -> u64) -> u64 {
    points.iter().map(of).sum()
}

fn answers(point: &Point) -> u64 {
    point.origin.many() + point.failed
}

#[test]
fn releases_stop_soon_after_the_first_bad_answer_and_while_a_marker_stands() {
    for (case, run) in &*RUNS {
        let points = &run.points;
        let bad = points.iter().position(|point| point.failed > 0).unwrap();
        assert!(FAILS.contains(&bad), "{case}: {bad}");
        let markers = markers(run);
        let first = markers.first().unwrap();
        assert!(first.start < bad + STOP, "{case}: {bad}, {markers:?}");
        assert_eq!(
            sum(&points[bad + STOP..first.end], |point| point.called),
            0,
            "{case}: {bad}, {markers:?}"
        );
        for marker in markers {
            let seconds = &points[marker.start + 1..marker.end];
            assert_eq!(sum(seconds, |point| point.called), 0, "{case}: {marker:?}");
        }
        assert!(points[60..].iter().all(|point| point.waiting > 0), "{case}");
        assert_eq!(run.checks, Checks::default(), "{case}");
    }
}

#[test]
fn no_called_visitor_enters_while_a_marker_stands_and_visitors_inside_go_on() {
    for (case, run) in &*RUNS {
        for marker in markers(run) {
            let held = &run.points[marker.start + ENTER + 1..marker.end];
            assert_eq!(sum(held, |point| point.admitted), 0, "{case}: {marker:?}");
            let before = &run.points[..marker.end];
            let called = sum(before, |point| point.called);
            let entered = sum(before, |point| point.admitted);
            assert!(called > entered, "{case}: {marker:?}: {called} {entered}");
            let asks = |ten: &[Point]| sum(ten, answers) > 0;
            assert!(held.chunks_exact(10).all(asks), "{case}: {marker:?}");
        }
        assert_eq!(run.put_back, 0, "{case}");
    }
}

#[test]
fn nine_tenths_of_the_steady_pace_are_back_within_three_minutes() {
    for (case, run) in &*RUNS {
        let a_second = |seconds: Range<usize>| {
            let many = seconds.len() as u64;
            sum(&run.points[seconds], |point| point.admitted) * 100 / many
        };
        let (steady, back) = (a_second(STEADY), a_second(SECONDS - 30..SECONDS));
        assert!(back * 10 >= steady * 9, "{case}: {back} after {steady}");
    }
}

#[test]
fn after_the_outage_there_is_no_rush() {
    for (case, run) in &*RUNS {
        // Periods of six seconds come in lumps, also in steady times.
        let busiest = |points: &[Point]| {
            let tens = points.windows(10);
            tens.map(|ten| sum(ten, |point| point.admitted)).max()
        };
        let (steady, rush) = (
            busiest(&run.points[STEADY]),
            busiest(&run.points[FAILS.end..]),
        );
        let (steady, rush) = (steady.unwrap(), rush.unwrap());
        assert!(rush * 10 <= steady * 13, "{case}: {rush} after {steady}");
    }
}
