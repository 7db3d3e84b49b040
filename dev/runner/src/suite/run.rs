//! Runs the stages: each begins as soon as its place in the order and those that run allow.

use std::collections::{BTreeMap, VecDeque};
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Instant;

use anstyle::Style;

use machine::install::Need;
use machine::process::Group;
use machine::project;
use machine::tools;

use super::output::Output;
use super::stages::{DEPENDENCIES, Stage, may_begin};
use super::table::{Outcome, Report, Tests};

/// What could be set up, and why not.
pub(super) type Provided = BTreeMap<Need, Result<(), String>>;

/// What a stage that runs tells.
enum Event {
    Line(String),
    Ended(Outcome),
}

type Events = Sender<(&'static Stage, Event)>;

struct Running {
    stage: &'static Stage,
    begin: Instant,
    tests: Tests,
}

/// Runs all stages. The reports are in the order in which they ended.
pub(super) fn run(stages: Vec<&'static Stage>, provided: &Provided) -> Vec<Report> {
    let mut waiting = VecDeque::from(stages);
    let mut running: Vec<Running> = Vec::new();
    let mut reports = Vec::new();
    let mut output = Output::default();
    let (events, told) = mpsc::channel();
    thread::scope(|scope| {
        loop {
            let beside: Vec<&Stage> = running.iter().map(|running| running.stage).collect();
            if let Some(stage) = waiting.pop_front_if(|stage| may_begin(stage, &beside)) {
                if let Some(outcome) = obstacle(stage, provided, &reports) {
                    reports.push(Report::not_begun(stage.name, outcome));
                    continue;
                }
                output.begin(stage.name, heading(stage));
                running.push(Running::new(stage));
                let events = events.clone();
                scope.spawn(move || perform(stage, &events));
            } else if running.is_empty() {
                break;
            } else if let Ok((stage, event)) = told.recv() {
                reports.extend(hear(stage, event, &mut running, &mut output));
            }
            for line in output.take() {
                anstream::println!("{line}");
            }
        }
    });
    reports
}

fn heading(stage: &Stage) -> String {
    let bold = Style::new().bold();
    let Stage { name, command, .. } = stage;
    format!("\n{bold}── {name} ── cargo {command}{bold:#}")
}

/// Why a stage cannot run at all.
fn obstacle(stage: &Stage, provided: &Provided, earlier: &[Report]) -> Option<Outcome> {
    if stage.name == DEPENDENCIES
        && let Err(reason) = tools::cargo_deny()
    {
        return Some(Outcome::NotRun(reason));
    }
    let missing = stage
        .needs
        .iter()
        .filter(|need| !need.can_be_left_out())
        .find_map(|need| provided.get(need)?.as_ref().err());
    if let Some(reason) = missing {
        return Some(Outcome::Failed(reason.clone()));
    }
    let is_needed = |report: &&Report| stage.after.contains(&&*report.name);
    let mut needed = earlier.iter().filter(is_needed);
    let failed = needed.find(|report| !matches!(report.outcome, Outcome::Passed))?;
    let reason = format!("because {} failed", failed.name);
    Some(Outcome::Skipped(reason))
}

impl Running {
    fn new(stage: &'static Stage) -> Self {
        Self {
            stage,
            begin: Instant::now(),
            tests: Tests::default(),
        }
    }

    fn ended(self, outcome: Outcome) -> Report {
        Report {
            name: self.stage.name.to_owned(),
            outcome,
            tests: self.tests,
            time: self.begin.elapsed(),
        }
    }
}

/// Takes in what a stage tells, and its report if it has ended.
fn hear(
    stage: &Stage,
    event: Event,
    running: &mut Vec<Running>,
    output: &mut Output,
) -> Option<Report> {
    let place = running
        .iter()
        .position(|running| running.stage.name == stage.name)?;
    match event {
        Event::Line(line) => {
            running.get_mut(place)?.tests += Tests::parse(&line).unwrap_or_default();
            output.add(stage.name, line);
            None
        }
        Event::Ended(outcome) => {
            output.end(stage.name);
            Some(running.remove(place).ended(outcome))
        }
    }
}

fn perform(stage: &'static Stage, events: &Events) {
    let outcome = match pass_through(stage, events) {
        Ok(true) => Outcome::Passed,
        Ok(false) => Outcome::Failed(String::new()),
        Err(error) => Outcome::Failed(error),
    };
    // The receiver lives as long as any stage runs, here and below.
    let _ = events.send((stage, Event::Ended(outcome)));
}

/// Runs a stage's command, handing on its output as it comes.
fn pass_through(stage: &'static Stage, events: &Events) -> Result<bool, String> {
    let words: Vec<_> = stage.command.split(' ').collect();
    let mut command = project::cargo(&words)?;
    command
        .stdout(Stdio::piped())
        .env("RUSTDOCFLAGS", "-D warnings");
    if stage.waits {
        // Two at once would mix what they write. One that runs alone shows how far Cargo is.
        command.stderr(Stdio::piped());
    }
    let mut group = Group::start(coloured(&mut command))?;
    let events = events.clone();
    group.follow(move |line| {
        let _ = events.send((stage, Event::Line(line)));
    });
    Ok(group.wait()?.success())
}

/// The same command, with colours where ours are seen.
pub(super) fn coloured(command: &mut Command) -> &mut Command {
    if std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::suite::Options;
    use crate::suite::stages::wanted;

    fn stage(name: &str) -> &'static Stage {
        let all = Options {
            fast: false,
            long: false,
            install: false,
            store: None,
            filter: None,
        };
        let mut stages = wanted(&all).into_iter();
        stages.find(|stage| stage.name == name).unwrap()
    }

    #[test]
    fn a_stage_is_skipped_if_any_that_it_needs_failed() {
        let failed = || Outcome::Failed(String::new());
        let obstacle = |build, build_dev| {
            let build = Report::not_begun("build", build);
            let build_dev = Report::not_begun("build dev", build_dev);
            let reports = [build, build_dev];
            match obstacle(stage("dev"), &Provided::new(), &reports) {
                Some(Outcome::Skipped(reason)) => reason,
                _ => "none".to_owned(),
            }
        };
        assert_eq!(obstacle(Outcome::Passed, Outcome::Passed), "none");
        assert_eq!(
            obstacle(Outcome::Passed, failed()),
            "because build dev failed"
        );
        assert_eq!(obstacle(failed(), Outcome::Passed), "because build failed");
    }

    #[test]
    fn a_failed_test_counts_in_the_stage_that_told_it() {
        let (browser, dev) = (stage("browser"), stage("dev"));
        let mut running = vec![Running::new(browser), Running::new(dev)];
        let mut output = Output::default();
        let mut hear = |stage, event| hear(stage, event, &mut running, &mut output);
        let line = |counts| Event::Line(format!("test result: FAILED. {counts}; 0 ignored"));
        assert!(hear(dev, line("4 passed; 2 failed")).is_none());
        assert!(hear(browser, line("3 passed; 0 failed")).is_none());
        assert!(hear(dev, line("1 passed; 1 failed")).is_none());
        let report = hear(dev, Event::Ended(Outcome::Failed(String::new()))).unwrap();
        assert_eq!((&*report.name, report.failures()), ("dev", 3));
        let report = hear(browser, Event::Ended(Outcome::Passed)).unwrap();
        assert_eq!((&*report.name, report.failures()), ("browser", 0));
    }
}
