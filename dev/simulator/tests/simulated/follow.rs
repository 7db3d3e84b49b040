//! Windows that follow the places of late work do what was published of them, and the share rule keeps late answers few, whatever
//! the seed.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use clap::Parser;
use simulator::follow::{Figures, visitors};
use simulator::picture;
use simulator::record::Run;
use simulator::report::Report;
use simulator::simulate::{self, Options};

const SEEDS: std::ops::RangeInclusive<u64> = 1..=16;
/// The published start: the window begins with the most, and the first late answer comes after five seconds.
const START_SECONDS: usize = 10;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: Options,
}

fn played(words: &[&str]) -> Result<Report, String> {
    let words = [&["simulate"], words].concat();
    simulate::report(&Cli::try_parse_from(words).unwrap().options)
}

fn seeded(scenario: &str, seed: u64) -> Vec<Run> {
    played(&[scenario, "--seed", &seed.to_string()])
        .unwrap()
        .runs
}

fn windows(run: &Run) -> Vec<u64> {
    run.points.iter().filter_map(visitors).collect()
}

/// 4481 answers in time, 147 late ones, a window between 190 and 220.
#[test]
fn the_smart_form_does_what_was_published() {
    let mut sums = (0, 0);
    for seed in SEEDS {
        let run = &seeded("smart", seed)[0];
        let Figures { answers, late, .. } = Figures::of(run).unwrap();
        let case = format!("{seed}: {late} late of {answers}");
        assert!((4400..=4560).contains(&(answers - late)), "{case}");
        assert!((110..=165).contains(&late), "{case}");
        let windows = &windows(run)[START_SECONDS..];
        let (least, most) = (windows.iter().min(), windows.iter().max());
        let case = format!("{seed}: {windows:?}");
        assert!((188..=194).contains(least.unwrap()), "{case}");
        assert!((216..=222).contains(most.unwrap()), "{case}");
        sums = (sums.0 + answers, sums.1 + late);
    }
    let (answers, late) = sums;
    // 31.5 were published, and at most one of thirty may be wasted.
    assert!((late * 30..=late * 35).contains(&answers), "{sums:?}");
}

#[test]
fn the_naive_form_falls_to_the_minimum_about_once_a_minute() {
    for seed in SEEDS {
        let run = &seeded("naive", seed)[0];
        let windows = windows(run);
        let case = format!("{seed}: {windows:?}");
        let falls = |at: usize| windows.get(at).is_some_and(|next| *next < windows[at - 1]);
        let ends = (1..windows.len()).filter(|at| falls(*at) && !falls(at + 1));
        let ends: Vec<u64> = ends.map(|at| windows[at]).collect();
        assert_eq!(ends, [5; 5], "{case}");
        let teeth = windows.split(|window| *window == 5);
        let tops = teeth.filter_map(|tooth| tooth.iter().max());
        let whole = tops.take(5).filter(|top| **top > 200);
        assert_eq!(whole.count(), 5, "{case}");
        let figures = Figures::of(run).unwrap();
        assert!(figures.late * 12 > figures.answers, "{case}");
    }
}

#[test]
fn the_share_rule_keeps_late_answers_few_in_front_of_both_origins() {
    for seed in SEEDS {
        for run in seeded("share", seed) {
            let figures = Figures::of(&run).unwrap();
            let (answers, late) = (figures.answers, figures.late);
            let (least, most) = figures.window;
            let case = format!("{}, {seed}: {:?}", run.name, windows(&run));
            assert!(late * 100 <= answers * 8, "{late} of {answers}, {case}");
            // Each origin bears 240 a period at most.
            assert!(least >= 130 && most <= 230, "{case}");
        }
    }
}

#[test]
fn table_json_and_picture_tell_of_the_window_and_of_no_line() {
    let report = played(&["smart"]).unwrap();
    let (table, json) = (report.table(), report.json());
    assert!(table.contains("\nSmallest window"), "{table}");
    assert!(!table.contains("drew a number"), "{table}");
    let run = &json["runs"][0];
    let points = run["points"].as_array().unwrap();
    let sum = points.iter().filter_map(|point| point["late"].as_u64());
    assert_eq!(Some(sum.sum()), run["late"].as_u64());
    assert_eq!(run["drawn"], serde_json::Value::Null);
    let svg = picture::draw(&report);
    assert!(svg.contains(">Window</text>"), "{svg}");
    assert!(!svg.contains("Visitors who wait"), "{svg}");
    assert!(report.holds());
}

#[test]
fn what_such_a_scenario_lacks_is_said() {
    for (words, said) in [
        (["smart", "origin.workers=2"], "an origin with one worker"),
        (["naive", "origin=null"], "an origin with one worker"),
        (["share", "automatic=0"], "automatic and automatic_quantity"),
    ] {
        let found = played(&[words[0], "--set", words[1]]).unwrap_err();
        assert!(found.contains(said), "{words:?}: {found}");
    }
}
