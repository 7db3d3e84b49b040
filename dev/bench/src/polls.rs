//! `cargo dev bench --polls`: how long the polls of ten thousand waiting visitors take, on one core.
//!
//! The polls come as they are due, whatever became of those before, and each is timed from when it was due: a server that stands
//! still for a second makes a thousand visitors wait, not one.

use std::fmt::Write as _;
use std::process::Command;
use std::time::Duration;

use crate::figures::{count, percentile};
use crate::line::Line;
use crate::load::Crowd;
use crate::test_bed::Builds;
use crate::usage;
use serde_json::{Value, json};

/// How many visitors wait.
const WAITING: u32 = 10_000;
/// How often each polls, in seconds: far from the front, where up to 30 s are drawn around this, and near it.
const PACES: [(&str, u32); 2] = [("far from the front", 28), ("near the front", 5)];
/// Before anything counts.
const WARM_UP: Duration = Duration::from_secs(2);
/// More polls than this are never under way at a time.
const CONNECTIONS: usize = 256;

/// Both paces, one after the other, for so long each.
///
/// # Errors
/// When something cannot be started.
pub(crate) async fn polls(builds: &Builds, time: Duration) -> Result<Value, String> {
    let mut found = Vec::new();
    let mut table = format!(
        "\n{WAITING} waiting visitors, the local server on one core\n\n{:<22}{:>10}{:>10}{:>10}{:>10}{:>10}{:>14}{:>8}{:>8}\n",
        "pages poll",
        "polls/s",
        "p50 ms",
        "p99 ms",
        "max ms",
        "core %",
        "over 50 ms",
        "unseen",
        "failed"
    );
    for (place, every) in PACES {
        let line = Line::lay(builds, WAITING.into()).await?;
        pin(line.edge.pid())?;
        let mut crowd = Crowd::connect(line.edge.addr(), line.poll(), CONNECTIONS).await?;
        let per_second = f64::from(WAITING) / f64::from(every);
        let gap = Duration::from_secs_f64(1.0 / per_second);
        crowd.paced(gap, WARM_UP).await?;
        let cpu = usage::cpu(line.edge.pid())?;
        let paced = crowd.paced(gap, time).await?;
        let cpu = usage::cpu(line.edge.pid())?.saturating_sub(cpu);
        let (mut answers, took) = (paced.answers, paced.time);
        answers.sort_unstable();
        let ms = |of_hundred| f64::from(percentile(&answers, of_hundred)) / 1000.0;
        let (p50, p99, most) = (ms(50), ms(99), ms(100));
        let core = 100.0 * cpu.as_secs_f64() / took.as_secs_f64();
        let late = answers.iter().filter(|micros| **micros > 50_000).count();
        let _ = writeln!(
            table,
            "{:<22}{per_second:>10.0}{p50:>10.1}{p99:>10.1}{most:>10.1}{core:>10.0}{late:>14}{:>8}{:>8}",
            format!("{place}, {every} s"),
            paced.unseen,
            paced.failed,
        );
        found.push(json!({
            "every_s": every,
            "polls_per_second": per_second,
            "polls": answers.len(),
            "p50_ms": p50,
            "p99_ms": p99,
            "max_ms": most,
            "core_percent": core,
            "store_calls_per_second": count(usize::try_from(line.backends.store.calls()).unwrap_or(usize::MAX)) / (took + WARM_UP).as_secs_f64(),
            "later_than_50_ms": late,
            "unseen": paced.unseen,
            "failed": paced.failed,
        }));
    }
    anstream::println!(
        "{table}\nEach poll is timed from when it was due. Unseen: the answer could not see the line. Failed: none came in 10 s.\n"
    );
    Ok(json!({ "waiting": WAITING, "polls": found }))
}

/// Keeps a process, with all its threads, to the first core.
fn pin(pid: u32) -> Result<(), String> {
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", "0", &pid.to_string()])
        .output();
    let output = pinned.map_err(|error| {
        format!("taskset cannot be started ({error}): apt-get install util-linux.")
    })?;
    if output.status.success() {
        return Ok(());
    }
    let error = String::from_utf8_lossy(&output.stderr);
    Err(format!("The server cannot be kept to one core: {error}"))
}
