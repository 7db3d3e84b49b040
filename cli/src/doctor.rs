//! `now-serving doctor`: the programs that the guides have an operator run, and whether this machine has them.
//!
//! It only looks: nothing is installed, and no token is printed.

use std::process::{Command, Stdio};

use anstyle::AnsiColor;

/// Options of `now-serving doctor`.
#[derive(Debug, clap::Args)]
pub struct Options {}

/// One of them: what it says of itself where it is there, and how to get it.
struct Row {
    name: &'static str,
    found: Option<String>,
    how: &'static str,
}

/// Says what is there, and last what is missing. Whether nothing is missing to follow the guides.
#[must_use]
pub fn doctor(_options: &Options) -> bool {
    let fastly = Row {
        name: "fastly",
        found: version("fastly", "version"),
        how: "deploys the service: npm install --global @fastly/cli",
    };
    // A token is looked for by Fastly's CLI alone.
    let token = fastly.found.is_some().then(|| Row {
        name: "a token of Fastly",
        found: has_token().then(|| "Fastly's CLI has one".to_owned()),
        how: "fastly auth login, or the variable FASTLY_API_TOKEN",
    });
    let curl = Row {
        name: "curl",
        found: version("curl", "--version"),
        how: "the first deploy asks with it: https://curl.se",
    };
    let asked = [Some(fastly), token, Some(curl)];
    let mut rows: Vec<Row> = asked.into_iter().flatten().collect();
    rows.sort_by_key(|row| row.found.is_none());
    for row in &rows {
        say(row);
    }
    let has_all = rows.iter().all(|row| row.found.is_some());
    if has_all {
        anstream::println!("\nNothing is missing.");
    }
    has_all
}

fn say(row: &Row) {
    let (state, color, note) = match &row.found {
        Some(found) => ("ok", AnsiColor::Green, found.as_str()),
        None => ("missing", AnsiColor::Red, row.how),
    };
    let style = color.on_default().bold();
    anstream::println!("{style}{state:<8}{style:#} {:<17} {note}", row.name);
}

/// What a program says of its version: its first line, as far as the number.
fn version(program: &str, question: &str) -> Option<String> {
    let output = Command::new(program)
        .arg(question)
        .stdin(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = text.lines().next()?.split_whitespace();
    let mut said = Vec::new();
    for word in &mut words {
        said.push(word);
        if word.contains(|sign: char| sign.is_ascii_digit()) {
            break;
        }
    }
    output.status.success().then(|| said.join(" "))
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
