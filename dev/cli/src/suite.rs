//! `cargo dev test`: everything that must hold, in one table and one run.
//!
//! A stage that fails does not stop the others, except those that need what it makes.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};

use harness::install::{self, Need};
use harness::process::Group;
use harness::project;
use harness::tools;

/// What `cargo dev test` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only the format, the unit tests, and the tiers `pure` and `native`: less than a minute once built
    #[arg(long)]
    pub fast: bool,
    /// Also the tests that take minutes: one for each mechanism, on the real clock
    #[arg(long, conflicts_with_all = ["fast", "filter"])]
    pub long: bool,
    /// Run only tests whose names contain this, and no other checks
    #[arg(value_name = "FILTER")]
    pub filter: Option<String>,
}

struct Stage {
    name: &'static str,
    needs: &'static [Need],
    /// The stage without whose success this one is pointless.
    after: Option<&'static str>,
    is_fast: bool,
    /// The words after `cargo`.
    command: &'static str,
}

use Need::{
    Axe, Browser, Codespell, FastlyCli, Luacheck, Prometheus, Redis, Schemathesis, Viceroy,
    WasmTarget,
};

// Every test of the suite is in the module of one tier, which is what its stage asks for: `tests/suite/pure/tiers.rs`
// finds the test that no stage runs, and the one that two do. The stories in the Wasm mostly wait, so twelve run at once;
// so do four browsers, and all four of the contract's tests. What is only in `platform` counts, and measures, and needs the
// machine for itself.
#[rustfmt::skip]
const STAGES: &[Stage] = &[
    Stage { name: "format",    is_fast: true,  needs: &[],                 after: None,          command: "fmt --all --check" },
    Stage { name: "lint",      is_fast: false, needs: &[],                 after: None,          command: "clippy --workspace --all-targets -- -D warnings" },
    Stage { name: "lint wasm", is_fast: false, needs: &[WasmTarget],       after: None,          command: "clippy -p now-serving -p now-serving-baselines --target wasm32-wasip1 --bins -- -D warnings" },
    Stage { name: "unit",      is_fast: true,  needs: &[],                 after: None,          command: "test --no-fail-fast -p now-serving --lib --bins" },
    Stage { name: "pure",      is_fast: true,  needs: &[],                 after: None,          command: "test -p now-serving --test suite -- pure::" },
    Stage { name: "native",    is_fast: true,  needs: &[],                 after: None,          command: "test -p now-serving --test suite -- native::" },
    Stage { name: "simulated", is_fast: false, needs: &[],                 after: None,          command: "test -p now-serving --test suite -- simulated::" },
    Stage { name: "lua",       is_fast: false, needs: &[Luacheck],         after: None,          command: "test -p now-serving --test suite -- lua::" },
    Stage { name: "spelling",  is_fast: false, needs: &[Codespell],        after: None,          command: "test -p now-serving --test suite -- spelling::" },
    Stage { name: DEPENDENCIES, is_fast: false, needs: &[],                after: None,          command: "deny check" },
    Stage { name: "redis",     is_fast: false, needs: &[Redis],            after: None,          command: "test -p now-serving --test suite -- redis::" },
    Stage { name: "build",     is_fast: false, needs: &[WasmTarget],       after: None,          command: "build --release --target wasm32-wasip1 --bin now-serving" },
    Stage { name: "wasm",      is_fast: false, needs: &[Viceroy],          after: Some("build"), command: "test -p now-serving --test suite -- wasm:: --test-threads=12" },
    Stage { name: "platform",  is_fast: false, needs: &[Viceroy],          after: Some("build"), command: "test -p now-serving --test suite -- platform::" },
    Stage { name: "browser",   is_fast: false, needs: &[Viceroy, Browser, Axe], after: Some("build"), command: "test -p now-serving --test suite -- browser:: --test-threads=4" },
    Stage { name: "contract",  is_fast: false, needs: &[Viceroy, Schemathesis], after: Some("build"), command: "test -p now-serving --test suite -- contract:: --test-threads=4" },
    Stage { name: "prometheus", is_fast: false, needs: &[Viceroy, Prometheus], after: Some("build"), command: "test -p now-serving --test suite -- prometheus::" },
    Stage { name: "store",     is_fast: false, needs: &[Redis],            after: None,          command: "test --no-fail-fast -p upstash-local" },
    Stage { name: "dev",       is_fast: false, needs: &[Viceroy, FastlyCli, Redis], after: Some("build"), command: "test --no-fail-fast -p now-serving-harness -p now-serving-bench -p now-serving-simulator -p now-serving-cli --lib --bins --tests" },
    Stage { name: "docs",      is_fast: false, needs: &[],                 after: None,          command: "doc --workspace --no-deps --document-private-items" },
];

/// The stage that runs only where its tool is.
const DEPENDENCIES: &str = "dependencies";

/// Only with `--long`.
const LONG: Stage = Stage {
    name: "long",
    is_fast: false,
    needs: &[Viceroy],
    after: Some("build"),
    command: "test -p now-serving --test suite -- long::",
};

/// With a filter the suite runs once as a whole, since names cannot be filtered twice.
#[rustfmt::skip]
const FILTERED: &[Stage] = &[
    Stage { name: "build",     is_fast: false, needs: &[WasmTarget],       after: None,          command: "build --release --target wasm32-wasip1 --bin now-serving" },
    Stage { name: "unit",      is_fast: true,  needs: &[],                 after: None,          command: "test --no-fail-fast -p now-serving --lib --bins" },
    Stage { name: "suite",     is_fast: false, needs: &[Viceroy, Redis, Browser, Axe, Schemathesis, Prometheus, Luacheck, Codespell], after: Some("build"), command: "test -p now-serving --test suite" },
    Stage { name: "store",     is_fast: false, needs: &[Redis],            after: None,          command: "test --no-fail-fast -p upstash-local" },
    Stage { name: "dev",       is_fast: false, needs: &[Viceroy, FastlyCli, Redis], after: Some("build"), command: "test --no-fail-fast -p now-serving-harness -p now-serving-bench -p now-serving-simulator -p now-serving-cli --lib --bins --tests" },
];

/// How a stage ended.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
    /// It does not have to run here.
    NotRun(String),
}

struct Report {
    name: &'static str,
    outcome: Outcome,
    tests: Tests,
    time: Duration,
}

/// Tests as the test harness counts them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tests {
    passed: u64,
    failed: u64,
    ignored: u64,
}

/// Runs the stages and prints the table. Whether all passed.
///
/// # Errors
/// When Cargo does not know this checkout.
pub fn test(options: &Options) -> Result<bool, String> {
    project::project()?;
    let stages = wanted(options);
    let needs = stages.iter().flat_map(|stage| stage.needs).copied();
    let mut provided: BTreeMap<Need, Result<(), String>> = BTreeMap::new();
    for need in needs {
        provided
            .entry(need)
            .or_insert_with(|| install::provide(need));
    }
    let mut reports: Vec<Report> = Vec::new();
    for stage in stages {
        let report = match obstacle(stage, &provided, &reports) {
            Some(outcome) => Report {
                name: stage.name,
                outcome,
                tests: Tests::default(),
                time: Duration::ZERO,
            },
            None => run(stage, options.filter.as_deref()),
        };
        reports.push(report);
    }
    Ok(summarise(&reports))
}

fn wanted(options: &Options) -> Vec<&'static Stage> {
    match (options.fast, &options.filter) {
        (false, None) => STAGES.iter().chain(options.long.then_some(&LONG)).collect(),
        (false, Some(_)) => FILTERED.iter().collect(),
        (true, None) => STAGES.iter().filter(|stage| stage.is_fast).collect(),
        (true, Some(_)) => STAGES
            .iter()
            .filter(|stage| stage.is_fast && stage.is_test())
            .collect(),
    }
}

impl Stage {
    fn is_test(&self) -> bool {
        self.command.starts_with("test ")
    }
}

/// Why a stage cannot run at all.
fn obstacle(
    stage: &Stage,
    provided: &BTreeMap<Need, Result<(), String>>,
    earlier: &[Report],
) -> Option<Outcome> {
    if stage.name == DEPENDENCIES
        && let Err(reason) = tools::cargo_deny()
    {
        return Some(Outcome::NotRun(reason));
    }
    let missing = stage
        .needs
        .iter()
        .find_map(|need| provided.get(need)?.as_ref().err());
    if let Some(reason) = missing {
        return Some(Outcome::Failed(reason.clone()));
    }
    let before = earlier
        .iter()
        .find(|report| Some(report.name) == stage.after)?;
    match before.outcome {
        Outcome::Passed => None,
        _ => Some(Outcome::Skipped(format!("because {} failed", before.name))),
    }
}

fn run(stage: &Stage, filter: Option<&str>) -> Report {
    let bold = Style::new().bold();
    anstream::println!(
        "\n{bold}── {} ── cargo {}{bold:#}",
        stage.name,
        stage.command
    );
    let begin = Instant::now();
    let (outcome, tests) = match pass_through(stage, filter.filter(|_| stage.is_test())) {
        Ok((true, tests)) => (Outcome::Passed, tests),
        Ok((false, tests)) => (Outcome::Failed(String::new()), tests),
        Err(error) => (Outcome::Failed(error), Tests::default()),
    };
    Report {
        name: stage.name,
        outcome,
        tests,
        time: begin.elapsed(),
    }
}

/// Runs a stage's command, showing its output as it comes and counting the tests in it.
fn pass_through(stage: &Stage, filter: Option<&str>) -> Result<(bool, Tests), String> {
    let words: Vec<_> = stage.command.split(' ').chain(filter).collect();
    let mut command = project::cargo(&words)?;
    command
        .stdout(Stdio::piped())
        .env("RUSTDOCFLAGS", "-D warnings");
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut group = Group::start(&mut command)?;
    let (sender, lines) = mpsc::channel();
    group.follow(move |line| {
        // The receiver lives as long as this function.
        let _ = sender.send(line);
    });
    let mut tests = Tests::default();
    for line in lines {
        anstream::println!("{line}");
        tests += Tests::parse(&line).unwrap_or_default();
    }
    Ok((group.wait()?.success(), tests))
}

impl Tests {
    /// Reads `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
    fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |word: &str| {
            let part = counts.split("; ").find_map(|part| part.strip_suffix(word));
            part?.trim().parse().ok()
        };
        Some(Self {
            passed: count("passed")?,
            failed: count("failed")?,
            ignored: count("ignored")?,
        })
    }
}

impl std::ops::AddAssign for Tests {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl Report {
    /// What this stage adds to the last line: a failure without a failed test is one as well.
    fn failures(&self) -> u64 {
        match self.outcome {
            Outcome::Failed(_) => self.tests.failed.max(1),
            _ => 0,
        }
    }
}

fn summarise(reports: &[Report]) -> bool {
    let head = Style::new().bold();
    anstream::println!(
        "\n{head}{:<13}{:<9}{:>7}{:>9}{:>10}{head:#}",
        "stage",
        "result",
        "tests",
        "ignored",
        "seconds"
    );
    for report in reports {
        let (word, color, reason) = match &report.outcome {
            Outcome::Passed => ("passed", AnsiColor::Green, ""),
            Outcome::Failed(reason) => ("failed", AnsiColor::Red, reason.as_str()),
            Outcome::Skipped(reason) => ("skipped", AnsiColor::Yellow, reason.as_str()),
            Outcome::NotRun(reason) => ("not run", AnsiColor::Yellow, reason.as_str()),
        };
        let style = color.on_default();
        let Tests {
            passed,
            failed,
            ignored,
        } = report.tests;
        anstream::println!(
            "{:<13}{style}{word:<9}{style:#}{:>7}{ignored:>9}{:>10.1}  {reason}",
            report.name,
            passed + failed,
            report.time.as_secs_f64(),
        );
    }
    let passed: u64 = reports.iter().map(|report| report.tests.passed).sum();
    let failed: u64 = reports.iter().map(Report::failures).sum();
    anstream::println!("\n{passed} passed, {failed} failed");
    reports
        .iter()
        .all(|report| matches!(report.outcome, Outcome::Passed | Outcome::NotRun(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_test_harness_is_counted() {
        let line = "test result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured; 4 filtered out; finished in 0.01s";
        assert_eq!(
            Tests::parse(line),
            Some(Tests {
                passed: 3,
                failed: 2,
                ignored: 1
            })
        );
        assert_eq!(Tests::parse("test result_is_kept ... ok"), None);
    }

    #[test]
    fn every_stage_waits_only_for_one_before_it() {
        for stages in [STAGES, FILTERED] {
            for (place, stage) in stages.iter().enumerate() {
                let Some(after) = stage.after else { continue };
                let mut earlier = stages.iter().take(place);
                assert!(
                    earlier.any(|earlier| earlier.name == after),
                    "{}",
                    stage.name
                );
            }
        }
    }

    #[test]
    fn a_failed_check_counts_as_one_failure() {
        let report = |outcome| Report {
            name: "lint",
            outcome,
            tests: Tests::default(),
            time: Duration::ZERO,
        };
        assert_eq!(report(Outcome::Failed(String::new())).failures(), 1);
        assert_eq!(report(Outcome::Passed).failures(), 0);
    }
}
