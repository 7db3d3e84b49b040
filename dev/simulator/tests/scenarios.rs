//! Each scenario that comes along does what its text promises. The tests of `follow`, `sick`, `simulations` and `window` hold those
//! that are not here.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

mod small;

use std::ops::{Range, RangeInclusive};

use simulator::record::{Checks, Point, Run};
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

/// The same with this part of the visitors and of the pace.
fn part_of(scenario: &str, part: u64) -> Run {
    let set = match part {
        1 => Vec::new(),
        _ => small::sets(scenario, part),
    };
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    run(scenario, 1, &set)
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
fn a_full_room_keeps_its_sessions_near_the_cap_and_some_of_these_visitors_inside() {
    let text = "More and more come for 110 minutes; once the 250 slots are taken the others wait, 225 to 250 have a session, and 90 to 135 of these are still there";
    assert_eq!(says("cap"), text);
    let run = run("cap", 1, &[]);
    let mut came = run.points.iter().filter(|point| point.arrivals > 0);
    assert_eq!(came.next_back().unwrap().end_ms, 110 * MINUTE);
    let [(full, gone)] = lines(&run, 1)[..] else {
        panic!("{:?}", lines(&run, 1));
    };
    assert!(full < 30 * MINUTE && gone > 110 * MINUTE, "{full} {gone}");
    for point in within(&run, full..gone) {
        let (minute, sessions, inside) = (point.end_ms / MINUTE, point.sessions, point.inside);
        assert!((225..=250).contains(&sessions), "{minute}: {sessions}");
        assert!((90..=135).contains(&inside), "{minute}: {inside}");
    }
}

#[test]
fn two_days_have_a_line_from_11_45_to_12_30_and_another_from_15_00_as_published() {
    two_days_have_their_lines(1..=1);
}

#[test]
#[ignore = "half a minute for each seed: cargo dev test --long"]
fn two_days_have_these_lines_by_other_seeds_too() {
    two_days_have_their_lines(2..=3);
}

/// By the clock of the second day, within a quarter of an hour.
fn two_days_have_their_lines(seeds: RangeInclusive<u64>) {
    let text = "As in a published chart: no line on the first day; on the second one from 11:45 to 12:30, and another from 15:00 on";
    assert_eq!(says("day"), text);
    let at = |hours: u64, minutes: u64| 24 * HOUR + hours * HOUR + minutes * MINUTE;
    for seed in seeds {
        let run = run("day", seed, &[]);
        let [(first, empty), (again, _)] = lines(&run, 1)[..] else {
            panic!("{seed}: {:?}", lines(&run, 1));
        };
        for (found, published) in [(first, at(11, 45)), (empty, at(12, 30)), (again, at(15, 0))] {
            let off = found.abs_diff(published) / MINUTE;
            assert!(off <= 15, "{seed}: {off} min off {published}");
        }
        let waits = |point: &&Point| point.waiting > 0;
        for point in run.points.iter().filter(waits) {
            let sessions = point.sessions;
            assert!((190..=200).contains(&sessions), "{seed}: {sessions}");
        }
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
    the_last_is_in_before_noon(10);
}

#[test]
#[ignore = "a minute: cargo dev test --long"]
fn in_a_morning_of_23_000_visitors_the_last_of_the_line_is_in_before_noon() {
    the_last_is_in_before_noon(1);
}

/// With this part of the visitors and of the pace.
fn the_last_is_in_before_noon(part: u64) {
    let text = "Registration opens at eight and calls 120 a minute; the last of the line is in before noon";
    assert_eq!(says("morning"), text);
    let run = part_of("morning", part);
    assert_eq!(run.sums.arrivals, 23_000 / part);
    let called = called_a_minute(&run);
    assert!(
        called.len() > 60 && called.iter().all(|many| *many == 120 / part),
        "{called:?}"
    );
    let last = run.last_in.unwrap().ms();
    assert!((3 * HOUR..4 * HOUR).contains(&last), "{last}");
}

#[test]
#[ignore = "four million visitors: cargo dev test --long"]
fn four_million_visitors_draw_one_number_each_and_go_in() {
    let text = "Ten days, each with a rush at eight whose line is gone before ten; each visitor draws one number and goes in";
    assert_eq!(says("millions"), text);
    let run = part_of("millions", 1);
    let Point {
        arrivals,
        drawn,
        admitted,
        ..
    } = run.sums;
    assert_eq!([arrivals, drawn, admitted], [4_000_000; 3]);
    assert_eq!(run.checks, Checks::default());
    let lines = lines(&run, run.longest_line / 5);
    assert_eq!(lines.len(), 10, "{lines:?}");
    for (day, (begins, ends)) in (0..).zip(&lines) {
        let morning = day * 24 * HOUR;
        let case = format!("{day}: {begins} {ends}");
        assert!(*begins >= morning + 8 * HOUR, "{case}");
        assert!(*ends <= morning + 10 * HOUR, "{case}");
    }
}

#[test]
fn a_line_of_two_minutes_lets_in_as_many_as_it_says() {
    let text = "Short enough to be played in real time as well: 300 visitors a minute go in";
    assert_eq!(says("short"), text);
    let run = run("short", 1, &[]);
    let admitted: u64 = within(&run, 0..MINUTE).map(|point| point.admitted).sum();
    assert!((260..=300).contains(&admitted), "{admitted}");
}
