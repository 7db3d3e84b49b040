//! `now-serving doctor`: the programs that the guides have an operator run, and whether this machine has them.
//!
//! It only looks: nothing is installed, and no token is printed.

use std::process::{Command, Stdio};

/// Options of `now-serving doctor`.
#[derive(Debug, clap::Args)]
pub struct Options {}

/// Says what is there. Whether nothing is missing to follow the guides.
#[must_use]
pub fn doctor(_options: &Options) -> bool {
    let fastly = look(
        "fastly",
        version("fastly", "version").as_deref(),
        "Fastly's CLI, which deploys the service: npm install --global @fastly/cli",
    );
    // A token is looked for by Fastly's CLI alone.
    let token = fastly
        && look(
            "a token of Fastly",
            has_token().then_some("Fastly's CLI has one"),
            "fastly auth login, or the variable FASTLY_API_TOKEN",
        );
    let curl = look(
        "curl",
        version("curl", "--version").as_deref(),
        "from https://curl.se: the script of the first deploy asks by it",
    );
    let has_all = fastly && token && curl;
    if has_all {
        anstream::println!("\nNothing is missing.");
    }
    has_all
}

/// Says whether one of them is there, and how to get it where it is not.
fn look(name: &str, found: Option<&str>, how: &str) -> bool {
    let bold = anstyle::Style::new().bold();
    let (state, note) = found.map_or(("missing", how), |found| ("ok", found));
    anstream::println!("{bold}{state:<8}{bold:#} {name:<18} {note}");
    found.is_some()
}

/// The first line that a program says of its version.
fn version(program: &str, question: &str) -> Option<String> {
    let output = Command::new(program)
        .arg(question)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next()?.trim().to_owned();
    output.status.success().then_some(line)
}

/// Whether Fastly's CLI would send a token. What it prints is the token itself, so nothing reads it.
fn has_token() -> bool {
    let status = Command::new("fastly")
        .args(["auth", "token"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}
