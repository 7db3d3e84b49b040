//! The edge as a child of `cargo dev serve`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::process::Group;
use crate::tools;

/// How long the edge may take until it answers; Viceroy compiles the Wasm first.
const START_DEADLINE: Duration = Duration::from_mins(1);

/// The edge and what it said last.
pub(super) struct EdgeProcess {
    group: Group,
    last: Arc<Mutex<VecDeque<String>>>,
    /// Whether its lines are shown: while it serves, not while it starts or ends.
    is_shown: Arc<AtomicBool>,
}

impl EdgeProcess {
    /// Starts `fastly compute serve` in the folder, or Viceroy where there is no CLI.
    pub(super) fn start(folder: &Path, addr: SocketAddr) -> Result<Self, String> {
        let mut command = command(addr)?;
        command
            .current_dir(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut group = Group::start(&mut command)?;
        let last = Arc::<Mutex<VecDeque<String>>>::default();
        let is_shown = Arc::<AtomicBool>::default();
        let (kept, shown) = (Arc::clone(&last), Arc::clone(&is_shown));
        group.follow(move |line| pass_on(line, &kept, &shown));
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
            if let Some((status, body)) = get(url) {
                self.is_shown.store(true, Ordering::Relaxed);
                if status != 200 {
                    anstream::eprintln!(
                        "The service's health check answers {status}: {}",
                        body.trim()
                    );
                }
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

    fn failure(&mut self, what: &str) -> String {
        self.group.stop();
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<_> = last.iter().map(String::as_str).collect();
        format!("The edge {what}. Its last lines:\n{}", lines.join("\n"))
    }
}

fn command(addr: SocketAddr) -> Result<Command, String> {
    let viceroy = tools::viceroy()?;
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

/// Shows what the service logs and what goes wrong; Viceroy's own lines per request are left out.
fn pass_on(line: String, last: &Mutex<VecDeque<String>>, is_shown: &AtomicBool) {
    if is_shown.load(Ordering::Relaxed) && !line.contains("  INFO ") {
        anstream::println!("{line}");
    }
    let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
    if last.len() == 40 {
        last.pop_front();
    }
    last.push_back(line);
}

fn get(url: &str) -> Option<(u16, String)> {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(2)))
        .build()
        .into();
    let mut response = agent.get(url).call().ok()?;
    let body = response.body_mut().read_to_string().unwrap_or_default();
    Some((response.status().as_u16(), body))
}
