//! `cargo dev`: compiles the commands, with one line that says how far that is, and becomes them.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use start::{BEGAN, BUILD_WASM, Step, crates};

/// How many lines of Cargo's are shown when it fails.
const LAST_LINES: usize = 30;

#[cfg(unix)]
fn main() -> ExitCode {
    use std::os::unix::process::CommandExt as _;

    let began = SystemTime::now().duration_since(UNIX_EPOCH);
    let began = began.unwrap_or_default().as_millis().to_string();
    let command = std::env::args()
        .skip(1)
        .find(|word| !word.starts_with("--"));
    let command = command.unwrap_or_default();
    if command == "serve" {
        begin_wasm();
    }
    let asks_for =
        |option: &str| std::env::args().any(|word| word.split('=').next() == Some(option));
    let reason = match compiled(program_of(&command, asks_for)) {
        Ok(commands) => {
            let error = Command::new(&commands)
                .args(std::env::args_os().skip(1))
                .env(BEGAN, began)
                .exec();
            format!("{commands} could not be started: {error}.")
        }
        Err(reason) => reason,
    };
    eprintln!("{reason}");
    ExitCode::FAILURE
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!(
        "`cargo dev` needs Linux or macOS. On Windows run it in the Windows Subsystem for Linux (WSL)."
    );
    ExitCode::FAILURE
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Begins to compile the Wasm on what the commands leave idle: they come first, since more waits for them. The commands do it again:
/// they wait for this to end, and say what went wrong if it cannot be compiled.
fn begin_wasm() {
    let cargo = cargo();
    let quiet = Command::new("nice")
        .args(["-n", "10"])
        .arg(cargo.get_program())
        .args(BUILD_WASM)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    drop(quiet);
}

/// The package and the program of a command. Those of a first look are compiled in a fraction of the time; the large one knows all
/// commands and settings, and plays the rules on a store elsewhere.
fn program_of(command: &str, asks_for: impl Fn(&str) -> bool) -> [&'static str; 2] {
    match command {
        "test" | "doctor" | "site" if !asks_for("--store") => ["now-serving-runner", "runner"],
        "serve" | "backends" if !asks_for("--help") => ["now-serving-demo", "demo"],
        _ => ["now-serving-dev", "dev"],
    }
}

/// The path of a program, compiled.
fn compiled([package, program]: [&str; 2]) -> Result<String, String> {
    let mut child = cargo()
        .args(["build", "--package", package, "--bin", program])
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cargo could not be started: {error}."))?;
    let (sender, lines) = channel();
    let told = child.stderr.take().map(|source| {
        thread::spawn(move || {
            let mut told = BufReader::new(source).lines().map_while(Result::ok);
            // The other side is gone once the program is found, and what comes after that is of no use.
            let _ = told.try_for_each(|line| sender.send(line));
        })
    });
    let found = child.stdout.take().map(|source| {
        thread::spawn(move || {
            let lines = BufReader::new(source).lines().map_while(Result::ok);
            lines.filter_map(|line| executable(&line)).last()
        })
    });
    let last = follow(&lines);
    drop(told.map(thread::JoinHandle::join));
    let path = found.and_then(|found| found.join().ok()).flatten();
    let status = child.wait().map_err(|error| format!("cargo: {error}."))?;
    match path.filter(|_| status.success()) {
        Some(path) => Ok(path),
        None => Err(format!(
            "The commands could not be compiled:\n{}",
            last.join("\n")
        )),
    }
}

/// Shows how far Cargo is, until it has ended. What it said last.
fn follow(lines: &Receiver<String>) -> Vec<String> {
    let mut step = Step::begin("Compiling the commands of this project");
    let (mut many, mut last) = (0, Vec::new());
    loop {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                many += crates(&line);
                last.push(line);
                let beyond = last.len().saturating_sub(LAST_LINES);
                last.drain(..beyond);
            }
            Err(RecvTimeoutError::Timeout) => step.tick(&format!("{many} crates")),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    step.done(&format!("{many} crates"));
    last
}

/// The program that a message of Cargo's names.
fn executable(message: &str) -> Option<String> {
    let (_, rest) = message.split_once(r#""executable":""#)?;
    let (path, _) = rest.split_once('"')?;
    // Cargo escapes what JSON asks for; a path of this project has none of it but backslashes.
    Some(path.replace(r"\\", r"\"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_commands_of_a_first_look_are_in_small_programs() {
        let package = |command, option| program_of(command, |asked| asked == option)[0];
        for command in ["test", "doctor", "site"] {
            assert_eq!(package(command, ""), "now-serving-runner", "{command}");
        }
        for command in ["serve", "backends"] {
            assert_eq!(package(command, "--store"), "now-serving-demo", "{command}");
        }
        for (command, option) in [
            ("test", "--store"),
            ("serve", "--help"),
            ("", ""),
            ("help", ""),
            ("docs", ""),
        ] {
            assert_eq!(package(command, option), "now-serving-dev", "{command}");
        }
    }

    #[test]
    fn the_program_is_found_in_cargos_messages() {
        let message = r#"{"reason":"compiler-artifact","executable":"/a b/dev","fresh":true}"#;
        assert_eq!(executable(message).as_deref(), Some("/a b/dev"));
        assert_eq!(executable(r#"{"executable":null}"#), None);
    }
}
