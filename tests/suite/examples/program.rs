//! A program of an example: started with its variables, and ended with the test.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use harness::process::Group;

use crate::pure::conventions::root;

/// How long a program may take on a busy machine.
const PATIENCE: Duration = Duration::from_mins(3);

/// A file or folder of the examples.
pub(crate) fn example(path: &str) -> PathBuf {
    root().join("examples").join(path)
}

/// A running program, and what it has written so far.
pub(crate) struct Program {
    group: Group,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Program {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut group =
            Group::start(command.stdout(Stdio::piped()).stderr(Stdio::piped())).unwrap();
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let written = Arc::clone(&lines);
        group.follow(move |line| written.lock().unwrap().push(line));
        Self { group, lines }
    }

    pub(crate) fn written(&self) -> String {
        self.lines.lock().unwrap().join("\n")
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.group.ended().is_some()
    }

    /// Presses Ctrl-C.
    pub(crate) fn interrupt(&self) {
        let pid = self.group.pid().to_string();
        let kill = Command::new("kill").args(["-INT", &pid]).status();
        assert!(kill.unwrap().success());
    }

    /// Waits until that holds; what the program wrote says why it never does.
    pub(crate) fn until(&mut self, mut holds: impl FnMut(&mut Self) -> bool) {
        let begin = Instant::now();
        while !holds(self) {
            assert!(begin.elapsed() < PATIENCE, "{}", self.written());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Whether it ends well by itself, and all that it wrote.
    pub(crate) fn end(mut self) -> (bool, String) {
        self.until(Self::has_ended);
        let is_well = self.group.wait().unwrap().success();
        (is_well, self.written())
    }
}
