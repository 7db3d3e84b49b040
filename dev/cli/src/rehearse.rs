//! `cargo dev simulate`: a hundred thousand visitors are worth an optimised build, and of the simulator alone.

use harness::{process, project};
use simulator::simulate::{self, Options};

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

/// Plays the scenario in an optimised build. Whether every rule held.
///
/// # Errors
/// When that cannot be built or run, or when the scenario is not accepted.
pub fn rehearse(options: &Options) -> Result<bool, String> {
    if cfg!(debug_assertions) && !options.list {
        return again_optimised();
    }
    simulate::simulate(options)
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
