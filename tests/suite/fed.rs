//! A program that reads what it is about from its standard input.

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

/// What it has written when it has read this and ended.
pub(crate) fn fed(command: &mut Command, input: &str) -> Output {
    let mut program = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = program.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    program.wait_with_output().unwrap()
}
