//! `cargo dev`: the commands this project is developed with.

use std::process::ExitCode;

use clap::CommandFactory;
use cli::{
    allow, audit, check, completion, database, docs, draw, fuzz, invite, migrate, pictures, probe,
    rehearse, release, secret, serve,
};
use runner::Cli;
use simulator::plan;

#[derive(clap::Subcommand)]
enum Command {
    /// Run the waiting room, a shop behind it and the store, until Ctrl-C
    Serve(serve::Options),
    /// Run only the store and the shop, for `fastly compute serve` on its own, until Ctrl-C
    Backends(serve::BackendOptions),
    #[command(flatten)]
    Small(runner::Command),
    /// Print what completes these commands in a shell, as `dev`
    Completion(completion::Options),
    /// Look for bytes that break a rule of what reads what strangers send
    Fuzz(fuzz::Options),
    /// Measure what a request costs above the least a handler can do
    Bench(bench::Options),
    /// Say whether settings are sound before they are published
    Check(check::Options),
    /// Say whether the lines of a journal hang together
    Audit(audit::Options),
    /// Check an order by lot, or print it
    Draw(draw::Options),
    /// Make a header with which a monitor or a partner passes without a ticket
    Allow(allow::Options),
    /// Make invitations with which visitors go past the line
    Invite(invite::Options),
    /// Take over the line of Fastly's starter kit, and print the setting that says so
    Migrate(migrate::Options),
    /// Write again what the docs have from the code
    Docs(docs::Options),
    /// Make strong secrets for production
    Secret(secret::Options),
    /// Look at a running service: what of production is as documented
    Probe(probe::Options),
    /// Rehearse an event on the real thing, in virtual time
    Simulate(rehearse::Options),
    /// When the last visitor goes in, how long visitors wait and what it costs
    Plan(plan::Options),
    /// Take the pictures of the README and the docs
    Pictures(pictures::Options),
    /// Make what a version is published with: package, checksums, licences, notes
    Release(release::Options),
}

fn main() -> ExitCode {
    let known = <Cli<Command> as CommandFactory>::command;
    runner::run(|command| match command {
        Command::Serve(options) => serve::serve(&options).map(|()| true),
        Command::Backends(options) => serve::backends(&options).map(|()| true),
        Command::Small(runner::Command::Test(runner::suite::Options {
            store: Some(url),
            filter,
            ..
        })) => database::test(&url, filter.as_deref().unwrap_or_default()),
        Command::Small(command) => command.perform(),
        Command::Completion(options) => completion::completion(&options, known()).map(|()| true),
        Command::Fuzz(options) => fuzz::fuzz(&options),
        Command::Bench(options) => bench::bench(&options),
        Command::Check(options) => check::check(&options),
        Command::Audit(options) => audit::audit(&options),
        Command::Draw(options) => draw::draw(&options),
        Command::Allow(options) => allow::allow(&options).map(|()| true),
        Command::Invite(options) => invite::invite(&options).map(|()| true),
        Command::Migrate(options) => migrate::migrate(&options).map(|()| true),
        Command::Docs(options) => docs::docs(&options, known()),
        Command::Secret(options) => secret::secret(&options).map(|()| true),
        Command::Probe(options) => probe::probe(&options),
        Command::Simulate(options) => rehearse::rehearse(&options),
        Command::Plan(options) => plan::plan(&options),
        Command::Pictures(options) => pictures::pictures(&options).map(|()| true),
        Command::Release(options) => release::release(&options).map(|()| true),
    })
}
