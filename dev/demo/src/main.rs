//! `serve`, the program of a release's demo: what `cargo dev serve` is, in a folder that has the Wasm in place of the sources.

use std::env;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory as _, FromArgMatches as _, Parser};
use harness::project;

/// The past hour is made of small allocations, for which musl's own allocator is slow.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Run the waiting room on this machine, with a shop behind it and the store, until Ctrl-C
#[derive(Parser)]
#[command(name = "serve", version)]
struct Cli {
    #[command(flatten)]
    options: demo::Options,
}

fn main() -> ExitCode {
    // There is nothing to build.
    let command = Cli::command().mut_arg("no_build", |option| option.hide(true));
    let served = Cli::from_arg_matches(&command.get_matches())
        .map_err(|error| error.to_string())
        .and_then(|cli| served(&cli.options));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn served(options: &demo::Options) -> Result<(), String> {
    let program = env::current_exe().map_err(|error| format!("Where this program is: {error}."))?;
    project::unpacked(program.parent().unwrap_or(Path::new(".")));
    demo::serve(options)
}
