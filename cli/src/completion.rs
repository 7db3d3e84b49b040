//! `now-serving completion`: the script that completes the commands in a shell.

use std::io::Write as _;

use clap::Command;
use clap_complete::{Shell, generate};

use crate::program::SHIPPED;

/// Options of `now-serving completion`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The shell that reads the script
    pub shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// When it cannot be written.
pub fn completion(options: &Options, mut commands: Command) -> Result<(), String> {
    let mut script = Vec::new();
    generate(options.shell, &mut commands, SHIPPED, &mut script);
    let written = std::io::stdout().write_all(&script);
    written.map_err(|error| format!("The script could not be written: {error}."))
}
