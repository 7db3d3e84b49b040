//! `now-serving simulate`: what it can be told, and the order of its work.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arrivals;
use crate::events_log;
use crate::follow;
use crate::picture;
use crate::place::Form;
use crate::record::Run;
use crate::report::Report;
use crate::scenario::{NAMES, Overrides, Rule, Scenario, load};
use crate::site::{Polls, Site};
use crate::split;
use crate::world;

/// Options of `now-serving simulate`.
#[derive(Debug, Default, clap::Args)]
pub struct Options {
    /// A scenario by name, or a file with your own [default with --log: log]
    #[arg(value_name = "SCENARIO", required_unless_present_any = ["log", "list"])]
    pub scenario: Option<String>,
    /// Name the scenarios
    #[arg(long)]
    pub list: bool,
    /// Change a setting of the product, or a path of the scenario such as visitors.absent
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// What chance begins with
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many POPs the visitors come to
    #[arg(long)]
    pub pops: Option<usize>,
    /// The log of a past event: its visitors come as they came
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Write all figures as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw the picture
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the log of the product, of the first of several ways to play
    #[arg(long, value_name = "FILE")]
    pub queue_log: Option<PathBuf>,
    /// Answer each poll by the whole service: the same result, much slower
    #[arg(long)]
    pub whole: bool,
}

/// Plays a scenario and tells what came of it. Whether every rule held.
///
/// # Errors
/// When something cannot be read or written, or is not accepted.
pub fn simulate(options: &Options) -> Result<bool, String> {
    if options.list {
        for name in NAMES {
            let scenarios = load(name, &Overrides::default())?;
            if let Some((_, scenario)) = scenarios.first() {
                anstream::println!("{name:<10} {}: {}", scenario.title, scenario.says);
            }
        }
        return Ok(true);
    }
    let report = report(options)?;
    anstream::print!("{}", report.table());
    keep(&report, options)?;
    Ok(report.holds())
}

/// Writes the files that were asked for.
///
/// # Errors
/// When one cannot be written.
pub fn keep(report: &Report, options: &Options) -> Result<(), String> {
    if let Some(path) = &options.json {
        write(path, &format!("{:#}\n", report.json()))?;
    }
    if let Some(path) = &options.svg {
        write(path, &picture::draw(report))?;
    }
    Ok(())
}

/// A way to play a scenario.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it is called, where several ways are compared.
    pub name: String,
    /// The scenario.
    pub scenario: Scenario,
    /// When its visitors come, in milliseconds after the start.
    pub moments: Vec<u64>,
}

/// The ways to play what was asked for, by name, before any visitor comes.
///
/// # Errors
/// When something cannot be read, or is not accepted.
pub fn scenarios(options: &Options) -> Result<Vec<(String, Scenario)>, String> {
    let overrides = Overrides {
        set: options.set.clone(),
        seed: options.seed,
        pops: options.pops,
    };
    load(options.scenario.as_deref().unwrap_or("log"), &overrides)
}

/// The same with their visitors.
///
/// # Errors
/// When something cannot be read, or is not accepted.
pub fn cases(options: &Options) -> Result<Vec<Case>, String> {
    let log = options.log.as_deref();
    let log = log.map(events_log::moments).transpose()?;
    let case = |(name, scenario): (String, Scenario)| {
        let drawn = || arrivals::moments(&scenario.arrivals, scenario.seed);
        Case {
            moments: log.clone().unwrap_or_else(drawn),
            name,
            scenario,
        }
    };
    Ok(scenarios(options)?.into_iter().map(case).collect())
}

/// What came of it.
///
/// # Errors
/// The same.
pub fn report(options: &Options) -> Result<Report, String> {
    let cases = cases(options)?;
    let polls = if options.whole {
        Polls::Whole
    } else {
        Polls::Reckoned
    };
    let mut runs = Vec::new();
    for case in &cases {
        let Case {
            name,
            scenario,
            moments,
        } = case;
        let mut run = match rule(scenario) {
            Rule::NowServing => {
                let log = options.queue_log.as_deref().filter(|_| runs.is_empty());
                play(scenario, moments, polls, log)?
            }
            Rule::WorkerSplit => split::play(scenario, moments)?,
            Rule::Share => follow::share(scenario)?,
            Rule::Naive => follow::places(scenario, Form::Naive)?,
            Rule::Smart => follow::places(scenario, Form::Smart)?,
        };
        run.name.clone_from(name);
        runs.push(run);
    }
    told(&cases, runs)
}

/// What came of these ways to play.
///
/// # Errors
/// When there is none.
pub fn told(cases: &[Case], runs: Vec<Run>) -> Result<Report, String> {
    let first = cases.first().ok_or("a scenario is played once at least")?;
    Ok(Report {
        title: first.scenario.title.clone(),
        says: first.scenario.says.clone(),
        seed: first.scenario.seed,
        pops: first.scenario.pops,
        runs,
    })
}

fn play(
    scenario: &Scenario,
    moments: &[u64],
    polls: Polls,
    log: Option<&Path>,
) -> Result<Run, String> {
    let Some(path) = log else {
        return world::play(scenario, moments, polls);
    };
    let mut site = Site::new(scenario, Polls::Whole)?;
    site.log = Some(Vec::new());
    let (run, site) = world::play_on(site, scenario, moments)?;
    let lines = site.log.unwrap_or_default();
    write(path, &(lines.join("\n") + "\n"))?;
    Ok(run)
}

/// The rule by which visitors go in: that of the way it is played.
#[must_use]
pub fn rule(scenario: &Scenario) -> Rule {
    match scenario.compare.as_slice() {
        [one] => one.rule,
        _ => Rule::NowServing,
    }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text)
        .map_err(|error| format!("{} could not be written: {error}.", path.display()))
}
