//! `cargo dev serve` and `backends`, without the other commands and what those need.

use std::process::ExitCode;

use demo::Command;

fn main() -> ExitCode {
    runner::run(Command::perform)
}
