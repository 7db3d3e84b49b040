//! Commands whose output matters only when they fail: it goes to a file, and one line says how far they are.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use start::{Step, crates, duration};

use crate::process::Group;
use crate::tools;

/// How many lines of a command are shown when it fails.
const LAST_LINES: usize = 20;

/// Runs a command to its end. `what` says what it does, and `made` is the file or folder that it makes.
///
/// # Errors
/// When it cannot be started or fails: with its last lines, and the file that has all of them.
pub fn run(what: &str, command: &mut Command, made: Option<&Path>) -> Result<(), String> {
    let mut step = Step::begin(what);
    let log = log_file(what)?;
    let (is_well, last) = follow(command, &log, &mut step, Duration::MAX)?;
    if is_well {
        step.done(&made.map(size).map(megabytes).unwrap_or_default());
        return Ok(());
    }
    step.failed();
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let words: Vec<_> = words.map(|word| word.to_string_lossy()).collect();
    Err(format!(
        "{}\n`{}` failed: run it by hand and try again. All that it said is in {}.",
        last.join("\n"),
        words.join(" "),
        log.display()
    ))
}

/// Runs a command that may fail, for so long at most. What it said last; `made` says whether it did its work.
///
/// # Errors
/// When it cannot be started.
pub fn run_for(
    what: &str,
    command: &mut Command,
    made: &Path,
    patience: Duration,
) -> Result<Vec<String>, String> {
    let mut step = Step::begin(what);
    let (_, mut last) = follow(command, &log_file(what)?, &mut step, patience)?;
    if made.exists() {
        step.done(&megabytes(size(made)));
    } else {
        step.failed();
    }
    last.retain(|line| !line.trim().is_empty());
    Ok(last)
}

/// Writes down what the command says while it runs, and ends it when it takes longer. Whether it ended well, and its last lines.
fn follow(
    command: &mut Command,
    log: &Path,
    step: &mut Step,
    patience: Duration,
) -> Result<(bool, Vec<String>), String> {
    let file = File::create(log);
    let mut file = file.map_err(|error| format!("{}: {error}.", log.display()))?;
    let began = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut group = Group::start(command)?;
    let (sender, lines) = channel();
    group.follow(move |line| {
        let _ = sender.send(line);
    });
    let (mut many, mut last) = (0, Vec::new());
    loop {
        if began.elapsed() > patience {
            group.stop();
            last.push(format!("nothing came of it in {}.", duration(patience)));
            return Ok((false, last));
        }
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                many += crates(&line);
                // On a full disk the command itself fails, and says so.
                let _ = writeln!(file, "{line}");
                last.push(line);
                let beyond = last.len().saturating_sub(LAST_LINES);
                last.drain(..beyond);
            }
            Err(RecvTimeoutError::Timeout) if many > 0 => step.tick(&format!("{many} crates")),
            Err(RecvTimeoutError::Timeout) => step.tick(""),
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    Ok((group.wait()?.success(), last))
}

/// One file for each step, named after its first words.
fn log_file(what: &str) -> Result<PathBuf, String> {
    let folder = tools::cache()?.join("log");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}.", folder.display()))?;
    let words = what.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).take(4).collect();
    Ok(folder.join(format!("{}.log", words.join("-").to_lowercase())))
}

/// How many bytes a file or a folder has.
#[must_use]
pub fn size(path: &Path) -> u64 {
    let Ok(about) = path.symlink_metadata() else {
        return 0;
    };
    if !about.is_dir() {
        return about.len();
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

/// `58 MB`.
#[must_use]
pub fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn a_command_that_fails_is_told_with_its_last_lines_and_where_all_of_them_are() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            "exec 2>&1; for i in $(seq 50); do echo line $i; done; echo why; exit 3",
        ]);
        // Its log has this name, and another checkout may run the same.
        let what = format!("Testing {} that fails", std::process::id());
        let told = run(&what, &mut command, None).unwrap_err();
        assert!(told.contains("why") && told.contains("`sh -c"), "{told}");
        assert!(!told.contains("line 9\n"), "{told}");
        let path = told.rsplit_once(" is in ").unwrap().1.trim_end_matches('.');
        let all = fs::read_to_string(path).unwrap();
        assert!(all.starts_with("line 1\n"), "{all}");
        fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_command_without_an_end_is_ended_and_what_it_said_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        // It never pauses, either.
        command.args(["-c", "echo begun; while :; do echo; sleep 0.3; done"]);
        let what = "Testing a command without an end";
        let patience = Duration::from_secs(3);
        let said = run_for(what, &mut command, &folder.path().join("made"), patience).unwrap();
        assert_eq!(said, ["begun", "nothing came of it in 3 s."]);
    }

    #[test]
    fn a_folder_is_as_large_as_its_files() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("in")).unwrap();
        fs::write(folder.path().join("in/a"), vec![0; 700_000]).unwrap();
        fs::write(folder.path().join("b"), vec![0; 300_001]).unwrap();
        assert_eq!(size(folder.path()), 1_000_001);
        assert_eq!(megabytes(size(folder.path())), "2 MB");
        assert_eq!(size(&folder.path().join("none")), 0);
    }
}
