//! The commands of operators: those of the program `now-serving`, which is shipped.
//!
//! [`mod@secret`] prints what production is protected with, [`mod@check`] says whether settings are sound before they are
//! published, [`mod@invite`] makes invitations, [`mod@allow`] allowances, [`mod@draw`] checks an order by lot, [`mod@audit`] a
//! journal, [`mod@report`] tells what happened, [`mod@probe`] looks at what production makes of them, [`mod@migrate`] takes over a line. [`mod@doctor`] looks at the
//! operator's machine, [`mod@completion`] completes the commands. `plan` and `simulate` are [`simulator`]'s.
//!
//! `cargo dev` has the same commands in a checkout, by [`Command`]. Nothing here runs the Wasm or installs a tool.

pub mod allow;
pub mod audit;
pub mod check;
pub mod completion;
pub mod doctor;
pub mod draw;
pub mod invite;
pub mod migrate;
pub mod probe;
pub mod program;
pub mod remote_store;
pub mod report;
pub mod secret;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use simulator::{plan, simulate};

/// The commands that `now-serving` and `cargo dev` share.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make the secrets of a service, and the keys that your own programs need
    Secret(secret::Options),
    /// Say whether settings are right before you publish them
    Check(check::Options),
    /// Look at a running service and say what differs from the documentation
    Probe(probe::Options),
    /// Make invitations, with which visitors go past the line
    Invite(invite::Options),
    /// Make the header with which a monitor or a partner passes without a ticket
    Allow(allow::Options),
    /// Check an order by lot, or print it
    Draw(draw::Options),
    /// Say whether a journal is whole: no line changed, left out or moved
    Audit(audit::Options),
    /// Write the report of an event, or of any time, out of the log
    Report(report::Options),
    /// Take over the line of Fastly's starter kit, and print the setting that says so
    Migrate(migrate::Options),
    /// Say when the last visitor goes in, how long visitors wait and what it costs
    Plan(plan::Options),
}

impl Command {
    /// Performs the command. Whether all is well.
    ///
    /// # Errors
    /// When it could not be performed.
    pub fn perform(&self) -> Result<bool, String> {
        match self {
            Self::Secret(options) => secret::secret(options).map(|()| true),
            Self::Check(options) => check::check(options),
            Self::Probe(options) => probe::probe(options),
            Self::Invite(options) => invite::invite(options).map(|()| true),
            Self::Allow(options) => allow::allow(options).map(|()| true),
            Self::Draw(options) => draw::draw(options),
            Self::Audit(options) => audit::audit(options),
            Self::Report(options) => report::report(options),
            Self::Migrate(options) => migrate::migrate(options).map(|()| true),
            Self::Plan(options) => plan::plan(options),
        }
    }
}

/// Prepare a waiting room, look at it, and check what it did.
#[derive(Parser)]
#[command(name = "now-serving", bin_name = "now-serving", version)]
struct Cli {
    #[command(subcommand)]
    command: Shipped,
}

/// The commands of `now-serving`. `cargo dev` has its own of the last three names.
#[derive(Subcommand)]
enum Shipped {
    #[command(flatten)]
    Shared(Command),
    /// Rehearse an event with simulated visitors, on the real service and in virtual time
    Simulate(simulate::Options),
    /// Say which programs of the guides this machine has, and what is missing; installs nothing
    Doctor(doctor::Options),
    /// Print the script that completes these commands in a shell
    Completion(completion::Options),
}

/// The command line of `now-serving`, for its reference.
#[must_use]
pub fn command_line() -> clap::Command {
    Cli::command()
}

/// Reads the command line and performs its command.
#[must_use]
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Shipped::Shared(command) => command.perform(),
        Shipped::Simulate(options) => simulate::simulate(&options),
        Shipped::Doctor(options) => Ok(doctor::doctor(&options)),
        Shipped::Completion(options) => {
            completion::completion(&options, command_line()).map(|()| true)
        }
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
