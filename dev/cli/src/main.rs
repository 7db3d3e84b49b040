//! `cargo dev`: the commands this project is developed with, and those of operators.

use std::process::ExitCode;

use clap::CommandFactory;
use cli::program;
use development::{completion, database, docs, fuzz, path, pictures, rehearse, release};
use runner::Cli;

#[derive(clap::Subcommand)]
enum Command {
    #[command(flatten)]
    Operator(cli::Command),
    /// Rehearse an event with simulated visitors, on the real service: in virtual time, or in real time too
    Simulate(rehearse::Options),
    #[command(flatten)]
    Demo(demo::Command),
    #[command(flatten)]
    Small(runner::Command),
    /// Look for bytes that break a rule of what reads bytes of strangers
    Fuzz(fuzz::Options),
    /// Measure what a request costs above the least a handler can do
    Bench(bench::Options),
    /// Write again what the docs have from the code
    Docs(docs::Options),
    /// Show which files and functions a request enters, in order
    Path(path::Options),
    /// Take the pictures of the README and the docs
    Pictures(pictures::Options),
    /// Make what a version is published with: package, program, checksums, licences, notes
    Release(release::Options),
    /// Print the script that completes these commands in a shell, as `dev`
    Completion(completion::Options),
}

fn main() -> ExitCode {
    program::is_called("cargo dev");
    let known =
        <Cli<Command> as CommandFactory>::command().mut_subcommands(|command| {
            match command.get_name() {
                "serve" => command.after_long_help(docs::settings_help()),
                _ => command,
            }
        });
    runner::run_as(known.clone(), |command| match command {
        Command::Operator(command) => command.perform(),
        Command::Simulate(options) => rehearse::rehearse(&options),
        Command::Demo(command) => command.perform(),
        Command::Small(runner::Command::Test(runner::suite::Options {
            store: Some(url),
            filter,
            ..
        })) => database::test(&url, filter.as_deref().unwrap_or_default()),
        Command::Small(command) => command.perform(),
        Command::Fuzz(options) => fuzz::fuzz(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Docs(options) => docs::docs(&options, known),
        Command::Path(options) => path::path(&options),
        Command::Pictures(options) => pictures::pictures(&options).map(|()| true),
        Command::Release(options) => release::release(&options).map(|()| true),
        Command::Completion(options) => completion::completion(&options, known).map(|()| true),
    })
}
