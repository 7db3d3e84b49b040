//! How far a simulation is, in a line of a terminal that goes when it ends.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Between two lines.
const EVERY: Duration = Duration::from_millis(200);

/// A line on standard error, where that is a terminal.
pub(crate) struct Progress {
    last: Option<Instant>,
    is_seen: bool,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Self {
            last: None,
            is_seen: io::stderr().is_terminal(),
        }
    }

    /// So many seconds have been played, and so many visitors are here.
    pub(crate) fn at(&mut self, seconds: u64, here: u64) {
        if !self.is_seen || self.last.is_some_and(|last| last.elapsed() < EVERY) {
            return;
        }
        self.last = Some(Instant::now());
        let minutes = seconds / 60;
        say(&format!("{minutes} min played, {here} visitors are here"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last.is_some() {
            say("");
        }
    }
}

/// In place of the line before.
fn say(line: &str) {
    let mut terminal = io::stderr();
    // Nobody misses a line that a terminal does not take.
    let _ = write!(terminal, "\r\x1b[K{line}").and_then(|()| terminal.flush());
}
