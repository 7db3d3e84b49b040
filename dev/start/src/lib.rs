//! A line for each step that takes long: what it does, how far it is, and how long it took in the end.
//!
//! On a terminal the line is written over while the step runs. Elsewhere it is written once when the step turns out to take long,
//! and once when it is done. A step that is done at once says nothing.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The variable in which the commands hear when their compilation began, in milliseconds since 1970.
pub const BEGAN: &str = "NOW_SERVING_BEGAN";

/// The target the service is compiled to.
pub const WASM_TARGET: &str = "wasm32-wasip1";

/// The arguments with which Cargo builds the release Wasm.
pub const BUILD_WASM: &[&str] = &[
    "build",
    "--release",
    "--target",
    WASM_TARGET,
    "--bin",
    "now-serving",
];

/// A step that ends sooner says nothing.
const SOON: Duration = Duration::from_secs(1);

/// A step that is under way.
pub struct Step {
    what: String,
    began: Instant,
    shown: Shown,
}

/// What was written of a step so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    Nothing,
    /// That it has begun.
    Begun,
    /// A line of a terminal, which is written over.
    Over,
}

impl Step {
    /// Begins now. `what` is a sentence without its full stop.
    #[must_use]
    pub fn begin(what: &str) -> Self {
        Self {
            what: what.to_owned(),
            began: Instant::now(),
            shown: Shown::Nothing,
        }
    }

    /// Says how far it is, in a few words or none. To be called about once a second.
    pub fn tick(&mut self, so_far: &str) {
        if self.began.elapsed() < SOON {
            return;
        }
        if io::stderr().is_terminal() {
            self.shown = Shown::Over;
            write_over(&line(&self.what, so_far, self.began.elapsed()));
        } else if self.shown == Shown::Nothing {
            self.shown = Shown::Begun;
            write(&format!("{} …\n", self.what));
        }
    }

    /// Says that it is done, with a few words about what came of it or none.
    pub fn done(self, outcome: &str) {
        let line = line(&self.what, outcome, self.began.elapsed());
        match self.shown {
            Shown::Nothing => {}
            Shown::Begun => write(&format!("{line}\n")),
            Shown::Over => {
                write_over(&line);
                write("\n");
            }
        }
    }

    /// Leaves the line as it is, for what is written after it.
    pub fn failed(self) {
        if self.shown == Shown::Over {
            write("\n");
        }
    }
}

/// `Compiling the commands: 120 crates, 1 min 05 s`.
fn line(what: &str, words: &str, took: Duration) -> String {
    let separator = if words.is_empty() { "" } else { ", " };
    format!("{what}: {words}{separator}{}", duration(took))
}

/// `45 s`, `2 min 05 s`.
#[must_use]
pub fn duration(took: Duration) -> String {
    let seconds = took.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, seconds) => format!("{seconds} s"),
        (minutes, seconds) => format!("{minutes} min {seconds:02} s"),
    }
}

/// How long ago a command began: with its compilation, where it was compiled for this run, else then.
#[must_use]
pub fn since_begun(then: SystemTime) -> Duration {
    let told = std::env::var(BEGAN).ok();
    let began = told.and_then(|text| begun(&text)).unwrap_or(then);
    began.elapsed().unwrap_or_default()
}

fn begun(text: &str) -> Option<SystemTime> {
    let ms = text.parse().ok()?;
    UNIX_EPOCH.checked_add(Duration::from_millis(ms))
}

/// How many crates a line of Cargo's output adds to those that were compiled.
#[must_use]
pub fn crates(line: &str) -> usize {
    let word = line.trim_start();
    usize::from(word.starts_with("Compiling "))
}

fn write_over(line: &str) {
    write(&format!("\r\u{1b}[K{line}"));
}

// A terminal that is gone stops nothing.
fn write(text: &str) {
    let mut stderr = io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_how_far_and_how_long() {
        let told = |words, seconds| line("Compiling", words, Duration::from_secs(seconds));
        assert_eq!(told("", 59), "Compiling: 59 s");
        assert_eq!(told("120 crates", 65), "Compiling: 120 crates, 1 min 05 s");
        assert_eq!(told("", 3600), "Compiling: 60 min 00 s");
    }

    #[test]
    fn a_beginning_is_told_in_milliseconds_since_1970() {
        let expected = UNIX_EPOCH + Duration::from_millis(1_800_000_000_500);
        assert_eq!(begun("1800000000500"), Some(expected));
        assert_eq!(begun("yesterday"), None);
    }

    #[test]
    fn a_crate_is_counted_when_it_is_compiled() {
        for (line, many) in [
            ("   Compiling serde v1.0.0", 1),
            ("  Downloaded serde v1.0.0", 0),
            ("warning: unused variable", 0),
        ] {
            assert_eq!(crates(line), many, "{line}");
        }
    }
}
