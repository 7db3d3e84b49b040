//! `cargo dev bench`: what a request costs above the least a handler can do.
//!
//! The product and a floor run in the same Viceroy, in turn and under the same load, so that the
//! ratio holds on a busy machine although neither number does.

mod at_hand;
mod calls;
mod cold;
mod figures;
mod growth;
mod line;
mod load;
mod measure;
mod newcomers;
mod page;
mod polls;
mod report;
mod rooms;
mod scenario;
mod script;
mod size;
mod test_bed;
mod usage;

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anstyle::Style;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

pub use at_hand::AtHand;
use harness::install::{self, Need};
use harness::process;
use harness::project;
use harness::size::Size;
use report::Report;
use scenario::Floor;
pub use scenario::Scenario;
use test_bed::{Builds, TestBed};

/// What `cargo dev bench` can be told.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of the command line"
)]
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Seconds of load on each side of each measurement
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=600))]
    pub seconds: u64,
    /// Keep-alive connections; one measurement for each of these numbers
    #[arg(long, value_delimiter = ',', default_values_t = [1, 16, 64], value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub connections: Vec<u16>,
    /// Only this scenario, and no starts from cold
    #[arg(long, value_name = "SCENARIO")]
    pub only: Option<Scenario>,
    /// Change a setting of the product; may be given again for others
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = pair)]
    pub settings: Vec<(String, String)>,
    /// Where the numbers go as JSON [default: bench.json in Cargo's target folder]
    #[arg(long, value_name = "PATH")]
    pub json: Option<PathBuf>,
    /// Only what a request costs above a handler that makes the same calls of the host, and computes nothing
    #[arg(long)]
    pub calls: bool,
    /// Only the pure parts, natively, with criterion
    #[arg(long, conflicts_with_all = ["calls", "seconds", "connections", "only", "json"])]
    pub micro: bool,
    /// Only the waiting page, in a browser slowed down like a phone
    #[arg(long, conflicts_with_all = ["calls", "seconds", "connections", "only", "json", "micro"])]
    pub page: bool,
    /// Only whether a flood of one of twenty rooms reaches the visitors of the others, at each number of connections
    #[arg(long, conflicts_with_all = ["calls", "only", "json", "micro", "page"])]
    pub rooms: bool,
    /// Only what a call of the script takes of a real Redis
    #[arg(long, conflicts_with_all = ["calls", "connections", "only", "micro", "page", "rooms"])]
    pub store: bool,
    /// Only the polls of ten thousand waiting visitors, as they are due, on one core
    #[arg(long, conflicts_with_all = ["calls", "connections", "only", "micro", "page", "rooms", "store"])]
    pub polls: bool,
    /// Only what a poll costs where ten, ten thousand and ten million visitors wait
    #[arg(long, conflicts_with_all = ["calls", "connections", "only", "micro", "page", "rooms", "store", "polls"])]
    pub growth: bool,
    /// Only what the Wasm consists of, by crate and by part, and its largest functions
    #[arg(long, conflicts_with_all = ["calls", "seconds", "connections", "only", "micro", "page", "rooms", "store", "polls", "growth"])]
    pub size: bool,
}

/// The words before a command's own with which Cargo runs this program fast enough to measure.
const OPTIMISED: [&str; 7] = [
    "run",
    "--profile",
    "measure",
    "--package",
    "now-serving-dev",
    "--bin",
    "dev",
];

const MICRO: [&str; 7] = [
    "bench",
    "--profile",
    "measure",
    "--package",
    "now-serving-bench",
    "--bench",
    "pure",
];

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err("must be KEY=VALUE, such as total_active=100000".to_owned()),
    }
}

/// Measures and prints a table. Whether it could.
///
/// # Errors
/// When something cannot be built or started, or when an answer under load is not the right one.
pub fn bench(options: &Options) -> Result<bool, String> {
    if options.micro {
        return process::run(&mut project::cargo(&MICRO)?);
    }
    if options.store {
        install::provide(Need::Redis)?;
        let found = script::measure(options.seconds * 50)?;
        return written(options, &json!({ "script": found }));
    }
    if options.size {
        install::provide(Need::WasmTarget)?;
        let found = size::size(&size::named()?, &harness::edge::wasm()?)?;
        return written(options, &found);
    }
    if cfg!(debug_assertions) {
        return again_optimised();
    }
    install::provide(Need::WasmTarget)?;
    install::provide(Need::Viceroy)?;
    let builds = Builds::make(&options.settings)?;
    if options.page {
        install::provide(Need::Browser)?;
        anstream::println!("{}", runtime()?.block_on(page::page(&builds))?);
        return Ok(true);
    }
    if options.rooms {
        for &connections in &options.connections {
            let rooms = rooms::rooms(&builds, connections.into(), options.seconds);
            anstream::println!("{}", runtime()?.block_on(rooms)?);
        }
        return Ok(true);
    }
    if options.polls {
        let polls = polls::polls(&builds, Duration::from_secs(options.seconds));
        return written(options, &runtime()?.block_on(polls)?);
    }
    if options.growth {
        let growth = growth::growth(&builds, options.seconds);
        return written(options, &runtime()?.block_on(growth)?);
    }
    let report = runtime()?.block_on(run(options, &builds))?;
    anstream::println!("{}", report.table());
    written(options, &report.json())
}

/// Writes the numbers where programs find them, and says where that is.
fn written(options: &Options, numbers: &Value) -> Result<bool, String> {
    let path = match &options.json {
        Some(path) => path.clone(),
        None => project::project()?.target.join("bench.json"),
    };
    fs::write(&path, format!("{numbers:#}\n"))
        .map_err(|error| format!("{} could not be written: {error}.", path.display()))?;
    anstream::println!("The same as JSON: {}", path.display());
    Ok(true)
}

/// Load made by a debug build would measure the debug build.
fn again_optimised() -> Result<bool, String> {
    anstream::eprintln!("Running again in an optimised build (profile `measure`).");
    let mut command = project::cargo(&OPTIMISED)?;
    command.arg("--").args(std::env::args_os().skip(1));
    // Paths on the command line are relative to here.
    if let Ok(here) = std::env::current_dir() {
        command.current_dir(here);
    }
    process::run(&mut command)
}

/// One thread makes the load, so that it takes little from the servers that answer it.
fn runtime() -> Result<Runtime, String> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("The bench cannot make its load: {error}."))
}

async fn run(options: &Options, builds: &Builds) -> Result<Report, String> {
    let mut report = Report {
        pairs: options.seconds,
        page: None,
        product_size: Size::of(&builds.product)?,
        floor_size: Size::of(&builds.floor(Floor::Hello))?,
        host_calls: Vec::new(),
        floor_calls: Vec::new(),
        measured: Vec::new(),
        cold: None,
    };
    let scenarios: Vec<Scenario> = Scenario::ALL
        .into_iter()
        .filter(|scenario| options.only.is_none_or(|only| only == *scenario))
        .filter(|scenario| !options.calls || scenario.has_calls())
        .collect();
    let mut progress = Progress {
        done: 0,
        all: scenarios.len() * options.connections.len(),
        pairs: options.seconds,
    };
    for scenario in scenarios {
        let floor = if options.calls {
            Floor::Calls
        } else {
            scenario.floor()
        };
        let bed = TestBed::lay(builds, floor).await?;
        report.page = Some(measure::compare_pages(&bed).await?);
        let calls = calls::host_calls(builds, &bed, scenario, None).await?;
        report.host_calls.push((scenario, calls));
        if options.calls {
            let calls = calls::host_calls(builds, &bed, scenario, Some(floor)).await?;
            report.floor_calls.push((scenario, calls));
        }
        for &connections in &options.connections {
            progress.begin(scenario, connections);
            let measured =
                measure::measure(&bed, (scenario, floor), connections.into(), options.seconds)
                    .await
                    .map_err(|error| {
                        format!("Nothing is measured by {}: {error}", scenario.name())
                    })?;
            anstream::eprintln!(
                "      CPU ×{:.2} of {}'s",
                measured.cpu_ratio.median,
                floor.name()
            );
            report.measured.push(measured);
        }
    }
    if options.only.is_none() && !options.calls {
        anstream::eprintln!("Starting from cold.");
        report.cold = Some(cold::starts(builds).await?);
    }
    Ok(report)
}

/// Says what is being measured, and for how long still.
struct Progress {
    done: usize,
    all: usize,
    pairs: u64,
}

impl Progress {
    fn begin(&mut self, scenario: Scenario, connections: u16) {
        let left = (self.all - self.done) as u64 * (2 * self.pairs + 1);
        self.done += 1;
        let bold = Style::new().bold();
        anstream::eprintln!(
            "{bold}[{}/{}]{bold:#} {}, connections: {connections} (about {left} s left)",
            self.done,
            self.all,
            scenario.name(),
        );
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn every_call_of_the_script_is_measured_in_every_room() {
        let rows = script::measure(1).unwrap();
        for room in ["plain", "cap", "regions", "event", "groups"] {
            let of_room = || rows.iter().filter(|row| row["room"] == room);
            assert!(of_room().count() >= 8, "{room}");
            assert!(of_room().all(|row| row["commands"].as_f64().unwrap() >= 2.0));
        }
    }

    /// On a slow machine another number may be the usual one for once.
    #[test]
    #[ignore = "compiles the baselines: cargo dev test --long"]
    fn the_floor_of_calls_makes_as_many_calls_of_the_host_as_the_product() {
        let builds = Builds::make(&[]).unwrap();
        let counted = async |scenario: Scenario| {
            let bed = TestBed::lay(&builds, Floor::Calls).await?;
            let product = calls::host_calls(&builds, &bed, scenario, None).await?;
            let floor = calls::host_calls(&builds, &bed, scenario, Some(Floor::Calls)).await?;
            Ok::<_, String>((product, floor))
        };
        for scenario in Scenario::ALL
            .into_iter()
            .filter(|scenario| scenario.has_calls())
        {
            let mut seen = Vec::new();
            let found = (0..5).any(|_| {
                let (product, floor) = runtime().unwrap().block_on(counted(scenario)).unwrap();
                seen.push((product, floor));
                product.is_some() && product == floor
            });
            assert!(found, "{}: {seen:?}", scenario.name());
        }
    }

    #[test]
    #[ignore = "compiles the baselines and measures: cargo dev test --long"]
    fn polls_that_are_due_and_lines_of_every_length_are_measured() {
        let builds = Builds::make(&[]).unwrap();
        let second = Duration::from_secs(1);
        let polls = runtime().unwrap().block_on(polls::polls(&builds, second));
        let polls = polls.unwrap();
        for pace in polls.get("polls").unwrap().as_array().unwrap() {
            let due = pace["polls_per_second"].as_f64().unwrap();
            let asked = pace["polls"].as_f64().unwrap();
            assert!((asked - due).abs() <= 1.0, "{pace}");
        }
        let growth = runtime().unwrap().block_on(growth::growth(&builds, 1));
        let growth = growth.unwrap();
        let lengths = growth.get("growth").unwrap().as_array().unwrap();
        assert_eq!(lengths.len(), 3);
    }
}
