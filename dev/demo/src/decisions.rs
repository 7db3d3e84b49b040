//! What the service decided: each line of its log goes to a file, and with `--log` a short one is shown.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

/// Where decisions go. Clones go to the same file.
#[derive(Clone)]
pub(super) struct Decisions {
    path: PathBuf,
    file: Arc<Mutex<File>>,
    are_shown: bool,
}

impl Decisions {
    /// In a new file.
    pub(super) fn new(path: PathBuf, are_shown: bool) -> Result<Self, String> {
        let file = File::create(&path).map_err(|error| format!("{}: {error}.", path.display()))?;
        let file = Arc::new(Mutex::new(file));
        Ok(Self {
            path,
            file,
            are_shown,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a line of the edge's was one, and is written down.
    pub(super) fn take(&self, line: &str) -> bool {
        let Some((_, entry)) = line.split_once("queue_logs :: ") else {
            return false;
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // A disk that is full must not end the edge.
        let _ = writeln!(file, "{entry}");
        if self.are_shown
            && let Some(short) = short(entry)
        {
            anstream::println!("{short}");
        }
        true
    }
}

/// `23:01:02 waiting      503 number 12 GET http://127.0.0.1:7676/`.
fn short(entry: &str) -> Option<String> {
    let entry: Value = serde_json::from_str(entry).ok()?;
    let number = |name: &str| entry.get(name).and_then(Value::as_u64);
    let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
    let second = number("timestamp")? / 1000 % 86_400;
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let status = number("responseStatus").map_or("   ".to_owned(), |status| status.to_string());
    let place =
        number("visitorPosition").map_or(String::new(), |number| format!("number {number} "));
    let line = format!(
        "{hour:02}:{minute:02}:{second:02} {:<12} {status} {place}{} {}",
        text("reason"),
        text("requestMethod"),
        text("requestUrl")
    );
    Some(line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn a_decision_is_one_short_line_and_other_lines_are_none() {
        let entry = r#"{"schema":1,"timestamp":1763855462123,"reason":"waiting","permitted":false,"requestMethod":"GET","requestUrl":"http://a/b","responseStatus":503,"visitorPosition":12}"#;
        assert_eq!(
            short(entry).unwrap(),
            "23:51:02 waiting      503 number 12 GET http://a/b"
        );
        let released = r#"{"schema":1,"timestamp":0,"reason":"released"}"#;
        assert_eq!(short(released).unwrap(), "00:00:00 released");
        let folder = tempfile::tempdir().unwrap();
        let decisions = Decisions::new(folder.path().join("log"), false).unwrap();
        assert!(decisions.take(&format!("queue_logs :: {entry}")));
        assert!(!decisions.take("thread panicked"));
        let kept = std::fs::read_to_string(decisions.path()).unwrap();
        assert_eq!(kept, format!("{entry}\n"));
    }
}
