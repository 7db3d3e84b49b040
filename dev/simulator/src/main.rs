//! The commands of `cargo dev` that are worth an optimised build: `cargo dev` runs this program.

use std::process::ExitCode;

use clap::Parser;
use simulator::{plan, simulate};

/// Scripts are made of small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Rehearse an event in virtual time, and plan one.
#[derive(Parser)]
#[command(name = "cargo dev", bin_name = "cargo dev")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Rehearse an event on the real thing, in virtual time
    Simulate(simulate::Options),
    /// When the last visitor goes in, how long visitors wait and what it costs
    Plan(plan::Options),
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Simulate(options) => simulate::simulate(&options),
        Command::Plan(options) => plan::plan(&options),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
