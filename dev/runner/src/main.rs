//! `cargo dev test`, `doctor` and `site`, without the other commands and what those need.

use std::process::ExitCode;

use runner::Command;

fn main() -> ExitCode {
    runner::run(Command::perform)
}
