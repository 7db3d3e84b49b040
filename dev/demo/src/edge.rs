//! The edge as a child of `cargo dev serve`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::decisions::Decisions;
use super::others::agent;
use harness::process::Group;
use harness::{tools, viceroy};

/// How long the edge may take until it answers; Viceroy compiles the Wasm first.
const START_DEADLINE: Duration = Duration::from_mins(5);

/// How long the line that says why may take: the service logs once it has answered.
const LOG_DEADLINE: Duration = Duration::from_secs(30);

/// The edge and what it said last.
pub(super) struct EdgeProcess {
    group: Group,
    last: Arc<Mutex<VecDeque<String>>>,
    /// Whether its lines are shown: while it serves, not while it starts or ends.
    is_shown: Arc<AtomicBool>,
}

impl EdgeProcess {
    /// Starts `fastly compute serve` in the folder, or Viceroy where there is no CLI.
    pub(super) fn start(
        folder: &Path,
        addr: SocketAddr,
        decisions: &Decisions,
    ) -> Result<Self, String> {
        let mut command = command(addr)?;
        command
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let last = Arc::<Mutex<VecDeque<String>>>::default();
        let is_shown = Arc::<AtomicBool>::default();
        let (kept, shown) = (Arc::clone(&last), Arc::clone(&is_shown));
        let decisions = decisions.clone();
        group.follow(move |line| pass_on(line, &kept, &shown, &decisions));
        Ok(Self {
            group,
            last,
            is_shown,
        })
    }

    /// Whether the edge answers; `false` when we are told to stop first.
    pub(super) fn await_answer(&mut self, stop: &Receiver<()>, url: &str) -> Result<bool, String> {
        let deadline = Instant::now() + START_DEADLINE;
        loop {
            if let Some(status) = get(url) {
                if status != 200 {
                    return Err(self.unsound(status));
                }
                self.is_shown.store(true, Ordering::Relaxed);
                return Ok(true);
            }
            if self.is_told_to_stop(stop, Duration::from_millis(50))? {
                return Ok(false);
            }
            if Instant::now() > deadline {
                return Err(self.failure(&format!(
                    "did not answer within {} s",
                    START_DEADLINE.as_secs()
                )));
            }
        }
    }

    /// Runs until we are told to stop; an edge that ends by itself is an error.
    pub(super) fn run_until(&mut self, stop: &Receiver<()>) -> Result<(), String> {
        while !self.is_told_to_stop(stop, Duration::from_millis(100))? {}
        self.is_shown.store(false, Ordering::Relaxed);
        self.group.stop();
        Ok(())
    }

    fn is_told_to_stop(&mut self, stop: &Receiver<()>, wait: Duration) -> Result<bool, String> {
        match stop.recv_timeout(wait) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => return Ok(true),
        }
        match self.group.ended() {
            Some(status) => Err(self.failure(&format!("ended by itself ({status})"))),
            None => Ok(false),
        }
    }

    /// What the service itself says is wrong with its settings.
    fn unsound(&mut self, status: u16) -> String {
        let deadline = Instant::now() + LOG_DEADLINE;
        while self.problems().is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(20));
        }
        self.group.stop();
        let told = self.problems();
        if told.is_empty() {
            return format!("The service's health check answers {status}, and nothing says why.");
        }
        format!("The settings are not sound:\n{}", told.join("\n"))
    }

    fn problems(&self) -> Vec<String> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.iter().flat_map(|line| problems(line)).collect()
    }

    fn failure(&mut self, what: &str) -> String {
        self.group.stop();
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<_> = last.iter().map(String::as_str).collect();
        format!("The edge {what}. Its last lines:\n{}", lines.join("\n"))
    }
}

/// The problems a log line of the service names, worded for people.
fn problems(line: &str) -> Vec<String> {
    let entry = line.split_once(" :: ").map_or("", |(_, entry)| entry);
    let entry: Json = serde_json::from_str(entry).unwrap_or_default();
    let problems = entry.get("problems").and_then(Json::as_array);
    let text = |problem: &Json, field: &str| {
        let text = problem.get(field).and_then(Json::as_str);
        text.map(str::to_owned)
    };
    let worded = |problem: &Json| {
        let key = text(problem, "key")?;
        let value =
            text(problem, "value").map_or(":".to_owned(), |value| format!(" is {value:?};"));
        let accepted = text(problem, "accepted")?;
        Some(format!("  {key}{value} accepted is {accepted}"))
    };
    let problems = problems.into_iter().flatten();
    problems.filter_map(worded).collect()
}

fn command(addr: SocketAddr) -> Result<Command, String> {
    let viceroy = viceroy::viceroy()?;
    let addr = addr.to_string();
    let Ok(fastly) = tools::fastly_cli() else {
        let mut command = Command::new(viceroy);
        command.args([
            "serve",
            "-v",
            "--addr",
            &addr,
            "-C",
            "fastly.toml",
            "bin/main.wasm",
        ]);
        return Ok(command);
    };
    let mut command = Command::new(fastly);
    command
        .args([
            "compute",
            "serve",
            "--skip-build",
            "--metadata-disable",
            "-q",
        ])
        .args(["--addr", &addr, "--viceroy-path"])
        .arg(viceroy);
    Ok(command)
}

/// Writes down what the service logs, and shows what goes wrong; Viceroy's own lines per request are left out.
fn pass_on(
    line: String,
    last: &Mutex<VecDeque<String>>,
    is_shown: &AtomicBool,
    decisions: &Decisions,
) {
    let is_decision = decisions.take(&line);
    if is_shown.load(Ordering::Relaxed) && !is_decision && !line.contains("  INFO ") {
        anstream::println!("{line}");
    }
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == 40 {
        last.pop_front();
    }
    last.push_back(line);
}

fn get(url: &str) -> Option<u16> {
    let agent = agent(Duration::from_secs(2));
    let response = agent.get(url).call().ok()?;
    Some(response.status().as_u16())
}
