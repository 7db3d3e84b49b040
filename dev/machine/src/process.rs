//! A child process together with everything it starts, as one thing that can be ended.
//!
//! Invariant: whatever happens to us, the group does not outlive us. Each group has a guard, a
//! shell that waits on a pipe only we hold: when we die, even by SIGKILL, it ends the group.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How long a group may take to end by itself after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(3);

/// A running child that leads a process group of its own. Dropping it ends the whole group.
#[derive(Debug)]
pub struct Group {
    leader: Child,
    guard: Option<Child>,
    readers: Vec<JoinHandle<()>>,
}

impl Group {
    /// Starts the command as the leader of a new process group, with nothing on its stdin.
    ///
    /// # Errors
    /// When the program or its guard cannot be started.
    pub fn start(command: &mut Command) -> Result<Self, String> {
        Self::start_guarded(command, None)
    }

    /// The same for one that runs in a folder made for it: if we die, the guard removes that too.
    ///
    /// # Errors
    /// When the program or its guard cannot be started.
    pub fn start_in(command: &mut Command, folder: &Path) -> Result<Self, String> {
        Self::start_guarded(command, Some(folder))
    }

    fn start_guarded(command: &mut Command, folder: Option<&Path>) -> Result<Self, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let leader = command
            .process_group(0)
            .stdin(Stdio::null())
            .spawn()
            .map_err(|error| format!("{program} could not be started: {error}."))?;
        let mut group = Self {
            leader,
            guard: None,
            readers: Vec::new(),
        };
        match guard(group.leader.id(), folder) {
            Ok(guard) => group.guard = Some(guard),
            Err(error) => {
                group.signal(Signal::SIGKILL);
                return Err(format!(
                    "sh could not be started to guard {program}: {error}."
                ));
            }
        }
        Ok(group)
    }

    /// Hands every line of the child's piped stdout and stderr to `on_line`, from other threads.
    pub fn follow<F: Fn(String) + Clone + Send + 'static>(&mut self, on_line: F) {
        if let Some(stdout) = self.leader.stdout.take() {
            self.readers.push(read_lines(stdout, on_line.clone()));
        }
        if let Some(stderr) = self.leader.stderr.take() {
            self.readers.push(read_lines(stderr, on_line));
        }
    }

    /// The process id of the leader, which is also the id of the group.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.leader.id()
    }

    /// How the leader ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.leader.try_wait().ok().flatten()
    }

    /// Waits until the leader ends by itself, then ends what it left behind.
    ///
    /// # Errors
    /// When the system cannot say how the leader ended.
    pub fn wait(&mut self) -> Result<ExitStatus, String> {
        let status = self.leader.wait();
        self.finish();
        status.map_err(|error| format!("A child process could not be waited for: {error}."))
    }

    /// Ends the group: SIGTERM, three seconds, SIGKILL. Returns when it is gone.
    pub fn stop(&mut self) {
        if self.guard.is_none() {
            return;
        }
        self.signal(Signal::SIGTERM);
        let deadline = Instant::now() + PATIENCE;
        while self.alive() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        self.finish();
    }

    fn finish(&mut self) {
        self.signal(Signal::SIGKILL);
        // A failure here means that the leader has already been reaped.
        let _ = self.leader.wait();
        if let Some(mut guard) = self.guard.take() {
            let _ = guard.kill();
            let _ = guard.wait();
        }
        for reader in self.readers.drain(..) {
            let _ = reader.join();
        }
    }

    fn alive(&mut self) -> bool {
        self.ended().is_none() || killpg(self.group(), None).is_ok()
    }

    fn signal(&self, signal: Signal) {
        // The group may be gone already, which is what we want.
        let _ = killpg(self.group(), signal);
    }

    fn group(&self) -> Pid {
        Pid::from_raw(self.leader.id().cast_signed())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs a command to its end with its output going where ours goes.
///
/// # Errors
/// When the program cannot be started.
pub fn run(command: &mut Command) -> Result<bool, String> {
    Ok(Group::start(command)?.wait()?.success())
}

fn guard(group: u32, folder: Option<&Path>) -> std::io::Result<Child> {
    let script = r#"read -r _; kill -s KILL -- "-$1"; [ -z "$2" ] || rm -rf -- "$2""#;
    Command::new("sh")
        .args(["-c", script, "guard"])
        .arg(group.to_string())
        .args(folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

fn read_lines<R, F>(source: R, on_line: F) -> JoinHandle<()>
where
    R: Read + Send + 'static,
    F: Fn(String) + Send + 'static,
{
    thread::spawn(move || {
        let mut source = BufReader::new(source);
        let mut line = Vec::new();
        while source
            .read_until(b'\n', &mut line)
            .is_ok_and(|read| read > 0)
        {
            on_line(String::from_utf8_lossy(&line).trim_end().to_owned());
            line.clear();
        }
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use std::sync::mpsc;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]).stdout(Stdio::piped());
        command
    }

    fn is_alive(pid: &str) -> bool {
        Command::new("kill")
            .args(["-0", pid])
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    #[test]
    fn stopping_a_group_ends_what_its_leader_started() {
        let (sender, lines) = mpsc::channel();
        let mut group = Group::start(&mut shell("sleep 60 & echo $!; wait")).unwrap();
        group.follow(move |line| sender.send(line).unwrap());
        let pid = lines.recv().unwrap();
        assert!(is_alive(&pid));
        group.stop();
        // Until init has heard of its end.
        let is_gone = (0..500).any(|_| {
            thread::sleep(Duration::from_millis(20));
            !is_alive(&pid)
        });
        assert!(is_gone);
    }

    #[test]
    fn a_group_that_ignores_sigterm_is_killed_after_three_seconds() {
        let (sender, lines) = mpsc::channel();
        let mut group = Group::start(&mut shell("trap '' TERM; echo $$; sleep 60 & wait")).unwrap();
        group.follow(move |line| sender.send(line).unwrap());
        lines.recv().unwrap();
        let begin = Instant::now();
        drop(group);
        let took = begin.elapsed();
        assert!(took >= PATIENCE && took < Duration::from_secs(50));
    }

    #[test]
    fn the_guard_ends_the_group_when_nobody_holds_its_pipe() {
        let mut group = Group::start(&mut shell("exec sleep 60")).unwrap();
        drop(group.guard.as_mut().unwrap().stdin.take());
        assert!(!group.wait().unwrap().success());
    }

    #[test]
    fn the_guard_removes_the_folder_of_a_group_whose_owner_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = shell("exec sleep 60");
        let mut group = Group::start_in(&mut command, folder.path()).unwrap();
        let mut guard = group.guard.take().unwrap();
        drop(guard.stdin.take());
        guard.wait().unwrap();
        assert!(!folder.path().exists());
        group.finish();
    }

    #[test]
    fn a_group_that_is_stopped_leaves_its_folder_to_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = shell("exec sleep 60");
        drop(Group::start_in(&mut command, folder.path()).unwrap());
        assert!(folder.path().exists());
    }
}
