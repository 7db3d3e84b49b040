//! `cargo dev completion`: what completes the commands in a shell.
//!
//! Cargo's own completion does not look into an alias, so `cargo dev pic` is completed by no shell. The script defines `dev`,
//! which runs `cargo dev`, and completes that.

use std::io::Write as _;

use clap::Command;
use clap_complete::{generate, shells};

/// What `cargo dev completion` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The shell that reads it
    pub shell: Shell,
}

/// The shells there are scripts for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Shell {
    /// `eval "$(cargo dev completion bash)"`
    Bash,
    /// `eval "$(cargo dev completion zsh)"`
    Zsh,
    /// `cargo dev completion fish | source`
    Fish,
}

/// Prints the script.
///
/// # Errors
/// When it cannot be written.
pub fn completion(options: &Options, commands: Command) -> Result<(), String> {
    let script = script(options.shell, commands);
    let written = std::io::stdout().write_all(&script);
    written.map_err(|error| format!("The script could not be written: {error}."))
}

fn script(shell: Shell, commands: Command) -> Vec<u8> {
    let mut commands = commands.name("dev").bin_name("dev");
    let mut script = Vec::new();
    match shell {
        Shell::Bash => generate(shells::Bash, &mut commands, "dev", &mut script),
        Shell::Zsh => generate(shells::Zsh, &mut commands, "dev", &mut script),
        Shell::Fish => generate(shells::Fish, &mut commands, "dev", &mut script),
    }
    let runs = match shell {
        Shell::Bash | Shell::Zsh => "\ndev() { cargo dev \"$@\"; }\n",
        Shell::Fish => "\nfunction dev; cargo dev $argv; end\n",
    };
    script.extend(runs.as_bytes());
    script
}
