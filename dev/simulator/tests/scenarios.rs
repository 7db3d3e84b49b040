//! Each scenario that comes along does what its text promises. The tests of `follow`, `sick`, `simulations` and `window` hold those
//! that are not here.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use std::ops::{Range, RangeInclusive};

use simulator::record::{Point, Run};
use simulator::report::Report;
use simulator::scenario::{Overrides, load};
use simulator::simulate::{Options, report};

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

fn played(scenario: &str, seed: u64, set: &[&str]) -> Report {
    let options = Options {
        scenario: Some(scenario.to_owned()),
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
        seed: Some(seed),
        ..Options::default()
    };
    report(&options).unwrap()
}

/// The only run of a scenario that compares nothing.
fn run(scenario: &str, seed: u64, set: &[&str]) -> Run {
    let mut runs = played(scenario, seed, set).runs;
    assert_eq!(runs.len(), 1, "{scenario}");
    runs.remove(0)
}

fn says(scenario: &str) -> String {
    let scenarios = load(scenario, &Overrides::default()).unwrap();
    scenarios[0].1.says.clone()
}

fn within(run: &Run, span: Range<u64>) -> impl Iterator<Item = &Point> {
    let points = run.points.iter();
    points.filter(move |point| point.end_ms > span.start && point.end_ms <= span.end)
}

/// How many a minute were called in each point of a minute or more that begins and ends with a line.
fn called_a_minute(run: &Run) -> Vec<u64> {
    let minutes = run.every.ms() / MINUTE;
    let is_full = |two: &&[Point]| two.iter().all(|point| point.waiting > 0);
    let full = run.points.windows(2).filter(is_full);
    full.map(|two| two[1].called / minutes).collect()
}

/// When lines began and ended, where a line is at least that long, and where it is shorter for less than half an hour.
fn lines(run: &Run, least: u64) -> Vec<(u64, u64)> {
    let mut lines: Vec<(u64, u64)> = Vec::new();
    for point in run.points.iter().filter(|point| point.waiting >= least) {
        let (begin, end) = (point.end_ms - run.every.ms(), point.end_ms);
        match lines.last_mut() {
            Some((_, over)) if begin < *over + 30 * MINUTE => *over = end,
            _ => lines.push((begin, end)),
        }
    }
    lines
}

#[test]
fn a_day_has_a_line_before_noon_none_at_lunch_and_another_in_the_afternoon() {
    a_day_has_its_lines(1..=1);
}

#[test]
#[ignore = "twenty seconds for each seed: cargo dev test --long"]
fn a_day_has_these_lines_by_other_seeds_too() {
    a_day_has_its_lines(2..=3);
}

/// A quarter of the visitors, of the cap and of the pace.
fn a_day_has_its_lines(seeds: RangeInclusive<u64>) {
    let text = "A line before noon, none at lunch, and another one in the afternoon";
    assert!(says("day").starts_with(text));
    let quarter = [
        "arrivals.0.visitors=750",
        "arrivals.1.visitors=400",
        "arrivals.2.visitors=550",
        "total_active=50",
        "automatic_quantity=12",
        "pops=1",
    ];
    // As large as that quarter, so that the test plays the chart that the scenario draws.
    let (_, whole) = &load("day", &Overrides::default()).unwrap()[0];
    let visitors: Vec<u64> = whole.arrivals.iter().map(|wave| wave.visitors).collect();
    assert_eq!(visitors, [3000, 1600, 2200]);
    for seed in seeds {
        let run = run("day", seed, &quarter);
        let lines = lines(&run, run.longest_line / 5);
        let [(morning, lunch), (afternoon, evening)] = lines[..] else {
            panic!("{seed}: {lines:?}");
        };
        let case = format!("{seed}: {lines:?}");
        assert!(morning > 2 * HOUR && lunch < 6 * HOUR, "{case}");
        assert!(afternoon > 6 * HOUR && evening < 10 * HOUR, "{case}");
        let at_lunch = within(&run, lunch..afternoon);
        assert!(
            at_lunch.filter(|point| point.waiting == 0).count() >= 3,
            "{case}"
        );
    }
}

#[test]
fn a_sale_has_most_visitors_in_its_first_two_minutes_and_calls_as_many_as_it_says() {
    let text = "20 000 visitors within ten minutes, most of them in the first two; 500 a minute are called";
    assert_eq!(says("sale"), text);
    let tenth = ["arrivals.0.visitors=1900", "arrivals.1.visitors=100"];
    let run = run(
        "sale",
        1,
        &[&tenth[..], &["automatic_quantity=5", "pops=2"]].concat(),
    );
    let first: u64 = within(&run, MINUTE..3 * MINUTE)
        .map(|point| point.arrivals)
        .sum();
    assert!(first * 2 > run.sums.arrivals, "{first}");
    let called = called_a_minute(&run);
    assert!(
        called.len() > 20 && called.iter().all(|many| *many == 50),
        "{called:?}"
    );
}

#[test]
fn in_an_overload_more_come_than_are_called_and_some_give_up() {
    let text = "400 visitors a minute come and 300 are called; a waiting visitor gives up after half an hour, on average, and is called all the same";
    assert_eq!(says("overload"), text);
    let tenth = [
        "arrivals.0.visitors=2400",
        "automatic_quantity=3",
        "origin.workers=3",
    ];
    let run = run("overload", 1, &[&tenth[..], &["pops=2"]].concat());
    let came: u64 = within(&run, 0..HOUR).map(|point| point.arrivals).sum();
    assert_eq!(came, 2400);
    let called = called_a_minute(&run);
    assert!(
        called.len() > 60 && called.iter().all(|many| *many == 30),
        "{called:?}"
    );
    // Half of those who waited for twenty minutes are still there.
    let given_up = run.sums.left * 100 / run.sums.arrivals;
    assert!((15..35).contains(&given_up), "{given_up} %");
}

#[test]
fn in_a_morning_the_last_of_the_line_is_in_before_noon() {
    let text = "Registration opens at eight and calls 120 a minute; the last of the line is in before noon";
    assert_eq!(says("morning"), text);
    let tenth = ["arrivals.0.visitors=1200", "arrivals.1.visitors=1100"];
    let run = run(
        "morning",
        1,
        &[&tenth[..], &["automatic_quantity=3", "pops=1"]].concat(),
    );
    let called = called_a_minute(&run);
    assert!(
        called.len() > 60 && called.iter().all(|many| *many == 12),
        "{called:?}"
    );
    let last = run.last_in.unwrap().ms();
    assert!((3 * HOUR..4 * HOUR).contains(&last), "{last}");
}

#[test]
fn a_line_of_two_minutes_lets_in_as_many_as_it_says() {
    let text = "Short enough to be played in real time as well: 300 visitors a minute go in";
    assert_eq!(says("short"), text);
    let run = run("short", 1, &[]);
    let admitted: u64 = within(&run, 0..MINUTE).map(|point| point.admitted).sum();
    assert!((260..=300).contains(&admitted), "{admitted}");
}
