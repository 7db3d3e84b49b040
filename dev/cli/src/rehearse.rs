//! `cargo dev simulate`: a hundred thousand visitors are worth an optimised build, and of the simulator alone.

use harness::{process, project};
use simulator::simulate;

use crate::real;

/// What `cargo dev simulate` can be told.
#[derive(Debug, clap::Args)]
#[group(skip)]
pub struct Options {
    #[command(flatten)]
    simulated: simulate::Options,
    /// Play it through the real Wasm as well, in real time, and say how far both are apart
    #[arg(long, conflicts_with_all = ["queue_log", "whole"])]
    real: bool,
}

/// The words before a command's own with which Cargo runs the simulator fast.
const OPTIMISED: [&str; 8] = [
    "run",
    "--quiet",
    "--profile",
    "measure",
    "--package",
    "now-serving-simulator",
    "--bin",
    "simulator",
];

/// Plays the scenario in an optimised build, or in real time. Whether every rule held.
///
/// # Errors
/// When that cannot be built or run, or when the scenario is not accepted.
pub fn rehearse(options: &Options) -> Result<bool, String> {
    let simulated = &options.simulated;
    match simulated.list {
        false if options.real => real::play(simulated),
        // What is not accepted is told before the minutes of a build.
        false if cfg!(debug_assertions) => {
            simulate::scenarios(simulated).and_then(|_| again_optimised())
        }
        _ => simulate::simulate(simulated),
    }
}

fn again_optimised() -> Result<bool, String> {
    anstream::eprintln!(
        "Running in an optimised build; the first time it is compiled, which takes minutes."
    );
    let mut command = project::cargo(&OPTIMISED)?;
    command.arg("--").args(std::env::args_os().skip(1));
    // Paths on the command line are relative to here.
    if let Ok(here) = std::env::current_dir() {
        command.current_dir(here);
    }
    process::run(&mut command)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: super::Options,
    }

    #[test]
    fn a_scenario_that_is_not_accepted_is_told_before_the_build() {
        let cli = Cli::try_parse_from(["simulate", "rushh"]).map_err(|error| error.to_string());
        let said = cli.and_then(|cli| super::rehearse(&cli.options));
        assert!(said.is_err_and(|said| said.contains("rushh is no scenario")));
    }
}
