//! `cargo dev test`, `doctor` and `site`: [`suite`] runs the tests, [`doctor`] looks at this machine, [`site`] makes the
//! documentation's site.
//!
//! Nothing of the service is here: a contributor waits for this crate before the first test.

pub mod doctor;
pub mod site;
pub mod suite;

use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use machine::packages;

/// Develop Now Serving on this machine.
#[derive(Debug, Parser)]
#[command(name = "cargo dev", bin_name = "cargo dev", version)]
pub struct Cli<Commands: Subcommand> {
    /// Install packages with sudo without a question
    #[arg(long, global = true)]
    yes: bool,
    #[command(subcommand)]
    command: Commands,
}

/// The commands of this crate.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say what of this machine is needed, what is there and what would be installed
    Doctor(doctor::Options),
    /// Make the documentation as a site with search, in target/site
    Site(site::Options),
    /// Run every check and test, with a summary at the end
    Test(suite::Options),
}

impl Command {
    /// Performs the command. Whether all is well.
    ///
    /// # Errors
    /// When it could not be performed.
    pub fn perform(self) -> Result<bool, String> {
        match self {
            Self::Doctor(options) => Ok(doctor::doctor(&options)),
            Self::Site(options) => site::site(&options),
            Self::Test(options) => suite::test(&options),
        }
    }
}

/// Reads the command line and performs its command.
pub fn run<Commands: Subcommand>(
    perform: impl FnOnce(Commands) -> Result<bool, String>,
) -> ExitCode {
    run_as(Cli::<Commands>::command(), perform)
}

/// Reads the command line with a text of help that says more, and performs its command.
pub fn run_as<Commands: Subcommand>(
    known: clap::Command,
    perform: impl FnOnce(Commands) -> Result<bool, String>,
) -> ExitCode {
    let cli = Cli::from_arg_matches(&known.get_matches());
    let cli: Cli<Commands> = cli.unwrap_or_else(|error| error.exit());
    if cli.yes {
        packages::agree();
    }
    match perform(cli.command) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
