//! `cargo dev fuzz`: libFuzzer looks for bytes that break a rule of a target, led by what of the code they reach.
//!
//! The toolchain of the project suffices: the flags below are stable, and what nightly adds, the sanitizers, look for faults of memory,
//! of which safe Rust has none. Nothing is installed.

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::builder::PossibleValuesParser;
use harness::process::Group;
use harness::{project, quiet, tools};
use start::Step;

/// What `cargo dev fuzz` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Run this one alone
    #[arg(value_name = "TARGET", value_parser = names())]
    pub target: Option<String>,
    /// For how long each target runs
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
}

fn names() -> PossibleValuesParser {
    ::fuzz::TARGETS.map(|(name, _)| name).into()
}

/// Counts what is reached, and compares what is compared, as `cargo fuzz` has it.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// The most bytes of an input, seconds for one input, and megabytes of the program.
const LIMITS: [&str; 3] = ["-max_len=4096", "-timeout=10", "-rss_limit_mb=1024"];

/// How often a line says how far a target is.
const A_SECOND: Duration = Duration::from_secs(1);

/// How many lines of a program are shown where it found something.
const LAST_LINES: usize = 24;

/// Runs the targets one after the other. Whether none found anything.
///
/// # Errors
/// When they cannot be compiled or started.
pub fn fuzz(options: &Options) -> Result<bool, String> {
    let programs = compiled()?;
    let chosen = |name: &&str| {
        let target = options.target.as_deref();
        target.is_none_or(|target| target == *name)
    };
    let targets = ::fuzz::TARGETS.map(|(name, _)| name);
    let mut is_clean = true;
    anstream::println!(
        "{:<12}{:>12}{:>10}{:>10}{:>9}",
        "target",
        "executions",
        "edges",
        "features",
        "inputs"
    );
    for name in targets.into_iter().filter(chosen) {
        is_clean &= run(&programs.join(name), name, options.seconds)?;
    }
    Ok(is_clean)
}

/// The folder of the programs.
fn compiled() -> Result<PathBuf, String> {
    if std::env::var_os("CXX").is_none() && tools::on_path("c++").is_none() {
        return Err("A C++ compiler is not there, which libFuzzer is compiled with: `sudo apt-get install g++`.".to_owned());
    }
    let host = project::host()?;
    let words = [
        "build",
        "--package=now-serving-fuzz",
        "--features=libfuzzer",
        "--profile=fuzz",
        "--bins",
        "--target",
        &host,
    ];
    let mut command = project::cargo(&words)?;
    quiet::run(
        "Compiling the targets",
        command.env("RUSTFLAGS", COVERAGE),
        None,
    )?;
    Ok(project::project()?.target.join(host).join("fuzz"))
}

/// Runs a target, and says what it reached or found.
fn run(program: &Path, name: &str, seconds: u64) -> Result<bool, String> {
    let project = project::project()?;
    let [new, findings] = [format!("fuzz/corpus/{name}"), "fuzz/findings".to_owned()]
        .map(|folder| project.target.join(folder));
    for folder in [&new, &findings] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}.", folder.display()))?;
    }
    let mut command = Command::new(program);
    command
        .args(LIMITS)
        .args([
            format!("-max_total_time={seconds}"),
            "-print_final_stats=1".to_owned(),
        ])
        .arg(format!("-artifact_prefix={}/{name}-", findings.display()))
        // The first is written to; libFuzzer reads the folders in a folder, so the shapes for all targets too.
        .arg(&new)
        .arg(project.root.join("tests/corpus"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut said = Said::default();
    let is_clean = follow(&mut command, name, &mut said)?;
    if is_clean {
        anstream::println!(
            "{name:<12}{:>12}{:>10}{:>10}{:>9}",
            said.executions,
            said.edges,
            said.features,
            said.inputs
        );
    } else {
        let last: Vec<String> = said.last.into();
        anstream::eprintln!(
            "{}\n{name} found something. What to do with it: \"Fuzz\" in CONTRIBUTING.md.",
            last.join("\n")
        );
    }
    Ok(is_clean)
}

fn follow(command: &mut Command, name: &str, said: &mut Said) -> Result<bool, String> {
    let mut step = Step::begin(&format!("Fuzzing {name}"));
    let mut group = Group::start(command)?;
    let (sender, lines) = channel();
    group.follow(move |line| {
        let _ = sender.send(line);
    });
    let mut shown = Instant::now();
    loop {
        match lines.recv_timeout(A_SECOND) {
            Ok(line) => said.hear(line),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if shown.elapsed() >= A_SECOND {
            step.tick(&format!("{} edges", said.edges));
            shown = Instant::now();
        }
    }
    let is_clean = group.wait()?.success();
    if is_clean {
        step.done(&format!("{} edges", said.edges));
    } else {
        step.failed();
    }
    Ok(is_clean)
}

/// What a program has said so far.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    executions: u64,
    edges: u64,
    features: u64,
    inputs: u64,
    last: VecDeque<String>,
}

impl Said {
    fn hear(&mut self, line: String) {
        let mut words = line.split_whitespace();
        while let Some(word) = words.next() {
            let number = match word {
                "cov:" => &mut self.edges,
                "ft:" => &mut self.features,
                "corp:" => &mut self.inputs,
                "stat::number_of_executed_units:" => &mut self.executions,
                _ => continue,
            };
            let value = words
                .next()
                .and_then(|value| value.split('/').next()?.parse().ok());
            *number = value.unwrap_or(*number);
        }
        self.last.push_back(line);
        if self.last.len() > LAST_LINES {
            self.last.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libfuzzer_says_is_counted_and_its_last_lines_are_kept() {
        let mut said = Said::default();
        for _ in 0..LAST_LINES {
            said.hear("INFO: a seed".to_owned());
        }
        said.hear(
            "#2048\tNEW    cov: 312 ft: 518 corp: 40/1200b lim: 21 exec/s: 9 rss: 44Mb".to_owned(),
        );
        said.hear("stat::number_of_executed_units: 4096".to_owned());
        assert_eq!(said.last.len(), LAST_LINES);
        let counts = (said.executions, said.edges, said.features, said.inputs);
        assert_eq!(counts, (4096, 312, 518, 40));
    }
}
