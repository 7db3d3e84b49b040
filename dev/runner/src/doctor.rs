//! `cargo dev doctor`: what of this machine the other commands need, what is there, and what they would install.
//!
//! It only looks: nothing is installed and nothing is written.

use std::net::TcpListener;
use std::process::Command;

use anstyle::AnsiColor;
use machine::install::Need;
use machine::quiet::{megabytes, size};
use machine::tools;

/// What `cargo dev doctor` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {}

/// The ports that `cargo dev serve` takes by default.
const PORTS: [(u16, &str); 3] = [
    (7676, "the edge, --addr"),
    (8079, "the local store, --store-addr"),
    (8080, "the demo shop, --origin-addr"),
];

/// What a program that is needed and never installed says of itself.
const PROGRAMS: [(&str, &str, &str); 4] = [
    (
        "rustc",
        "--version",
        "Rust 1.95 or later, https://rustup.rs",
    ),
    ("rustup", "--version", "installs the target of the Wasm"),
    ("cc", "--version", "a C compiler: the local store runs Lua"),
    ("npm", "--version", "by apt-get or Homebrew, about 250 MB"),
];

/// Says what is there, and last what is missing. Whether `cargo dev serve` would begin without installing anything.
#[must_use]
pub fn doctor(_options: &Options) -> bool {
    let mut rows = Vec::new();
    for (program, question, note) in PROGRAMS {
        rows.push(match version(program, question) {
            Some(version) => Row::new("ok", program, version),
            None => Row::new("missing", program, note),
        });
    }
    let mut missing = 0;
    for need in Need::ALL {
        let (name, what_for) = need.about();
        rows.push(if let Ok(path) = need.found() {
            Row::new("ok", name, path.display().to_string())
        } else {
            let (how, megabytes) = need.plan();
            missing += megabytes;
            let plan = format!("{what_for}; {how}, about {megabytes} MB");
            Row::new("missing", name, plan)
        });
    }
    for (port, user) in PORTS {
        let name = format!("port {port}");
        rows.push(match TcpListener::bind(("127.0.0.1", port)) {
            Ok(_) => Row::new("ok", name, "free"),
            Err(error) => Row::new("taken", name, format!("{user}: {error}")),
        });
    }
    if let Ok(cache) = tools::cache() {
        let kept = megabytes(size(&cache));
        rows.push(Row::new(
            "ok",
            format!("{kept} kept"),
            cache.display().to_string(),
        ));
    }
    rows.sort_by_key(|row| row.state != "ok");
    rows.iter().for_each(Row::say);
    match missing {
        0 => anstream::println!("\nNothing is missing."),
        megabytes => anstream::println!(
            "\n`cargo dev serve` and `cargo dev test` install what is missing when they need it: about {megabytes} MB in all."
        ),
    }
    let serves = [Need::WasmTarget, Need::FastlyCli, Need::Viceroy];
    serves.into_iter().all(|need| need.found().is_ok())
}

/// One thing that was looked at.
struct Row {
    state: &'static str,
    name: String,
    note: String,
}

impl Row {
    fn new(state: &'static str, name: impl Into<String>, note: impl Into<String>) -> Self {
        Self {
            state,
            name: name.into(),
            note: note.into(),
        }
    }

    fn say(&self) {
        let color = match self.state {
            "ok" => AnsiColor::Green,
            _ => AnsiColor::Red,
        };
        let style = color.on_default().bold();
        let (state, name, note) = (self.state, &self.name, &self.note);
        anstream::println!("{style}{state:<8}{style:#} {name:<24} {note}");
    }
}

/// The first line that a program says of its version.
fn version(program: &str, question: &str) -> Option<String> {
    let output = Command::new(program).arg(question).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().next()?.to_owned();
    output.status.success().then_some(line)
}
