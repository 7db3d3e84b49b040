//! Every test is in one tier: `cargo dev test` runs a tier as its stage, and a test in none of them would never run.

use std::env;
use std::process::Command;

use harness::project::{Tested, project};

use super::conventions::text;

/// The tiers, each a module of this name.
const TIERS: [&str; 13] = [
    "pure",
    "lua",
    "spelling",
    "native",
    "simulated",
    "redis",
    "wasm",
    "platform",
    "browser",
    "contract",
    "prometheus",
    "examples",
    "long",
];

/// The tiers of a test by the modules it is in.
fn tiers_of(path: &str) -> Vec<&str> {
    let (modules, _) = path.rsplit_once("::").unwrap_or_default();
    let is_tier = |part: &&str| TIERS.contains(part);
    modules.split("::").filter(is_tier).collect()
}

/// The tiers whose stage runs this test: the test harness looks for `TIER::` anywhere in its path.
fn run_by(path: &str) -> Vec<&str> {
    let is_in = |tier: &&str| path.contains(&format!("{tier}::"));
    TIERS.into_iter().filter(is_in).collect()
}

/// All tests of this program.
fn listed() -> Vec<String> {
    let this = env::current_exe().unwrap();
    let listed = Command::new(this).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let tests = listed
        .lines()
        .filter_map(|line| line.strip_suffix(": test"));
    tests.map(str::to_owned).collect()
}

#[test]
fn every_test_is_run_by_the_stage_of_one_tier() {
    let tests = listed();
    let mut counts = [0; TIERS.len()];
    for test in &tests {
        let (tiers, stages) = (tiers_of(test), run_by(test));
        assert!(tiers.len() == 1, "{test} is in {tiers:?}, not in one tier");
        assert_eq!(tiers, stages, "{test} is run by the stages {stages:?}");
        for (count, tier) in counts.iter_mut().zip(TIERS) {
            *count += usize::from(tiers == [tier]);
        }
    }
    println!("{:?}", TIERS.iter().zip(counts).collect::<Vec<_>>());
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), tests.len());
}

/// `cargo dev test NAME` compiles a program only if its sources have a test of that name.
#[test]
fn every_test_is_read_from_the_sources_by_its_name() {
    let programs = project().unwrap().tested.iter();
    let mut suite = programs.filter(|tested| tested.name == "suite");
    let read = suite.next().unwrap().names();
    let mut tests = listed();
    tests.retain(|test| !read.contains(test));
    assert_eq!(tests, Vec::<String>::new());
}

/// The commands that CONTRIBUTING names find tests, in whatever program they are.
#[test]
fn every_name_of_a_test_in_contributing_finds_some() {
    let tests: Vec<String> = (project().unwrap().tested.iter())
        .flat_map(Tested::names)
        .collect();
    let guide = text("CONTRIBUTING.md");
    let commands = guide.split("cargo dev test ").skip(1);
    let names: Vec<&str> = commands
        .filter_map(|rest| rest.split(['`', ' ', '\n']).next())
        .filter(|name| {
            name.starts_with(|first: char| first.is_ascii_lowercase()) && *name != "then"
        })
        .collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        assert!(tests.iter().any(|test| test.contains(name)), "{name}");
    }
}

#[test]
fn a_test_outside_every_tier_and_one_in_two_are_found() {
    assert!(tiers_of("metrics::a_native_test").is_empty());
    assert_eq!(
        tiers_of("losses::native::redis::a_test"),
        ["native", "redis"]
    );
    assert_eq!(run_by("native::sign::a_test"), ["native"]);
    assert_eq!(run_by("native::a_wasm::a_test"), ["native", "wasm"]);
}

#[test]
fn cargo_dev_test_has_a_stage_for_every_tier() {
    let stages = text("dev/runner/src/suite/stages.rs");
    for tier in TIERS {
        let command = format!("test -p now-serving --test suite -- {tier}::");
        assert_eq!(stages.matches(&command).count(), 1, "{tier}");
    }
}
