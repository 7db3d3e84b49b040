//! `cargo dev bench --growth`: whether a poll costs more where more visitors wait.

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::figures::Figures;
use crate::line::Line;
use crate::measure::{Runner, Side};
use crate::test_bed::Builds;

/// How many visitors wait.
const LENGTHS: [u64; 3] = [10, 10_000, 10_000_000];
const CONNECTIONS: usize = 16;

/// The same load on each line in turn, slice by slice.
///
/// # Errors
/// When something cannot be started, or an answer is not the right one.
pub(crate) async fn growth(builds: &Builds, slices: u64) -> Result<Value, String> {
    let mut lines = Vec::new();
    for waiting in LENGTHS {
        lines.push(Line::lay(builds, waiting).await?);
    }
    let mut runners = Vec::new();
    for line in &lines {
        let store = &line.backends.store;
        runners.push(Runner::start(&line.edge, store, line.poll(), CONNECTIONS).await?);
    }
    for _ in 0..slices {
        for runner in &mut runners {
            runner.slice().await?;
        }
    }
    let sides: Result<Vec<Side>, String> = runners.iter().map(Runner::side).collect();
    let sides = sides?;
    let first = sides.first().map_or(f64::NAN, |side| side.figures.cpu_ms);
    let mut table = format!(
        "\n{:>12}{:>12}{:>14}{:>12}{:>20}{:>14}\n",
        "waiting", "polls/s", "CPU ms/1000", "÷ first", "store commands/s", "sandbox MB"
    );
    let mut found = Vec::new();
    for (line, side) in lines.iter().zip(&sides) {
        let Figures {
            per_second,
            cpu_ms,
            commands,
            ..
        } = side.figures;
        let heap = side.sandboxes.heap_mb;
        let (ratio, commands) = (cpu_ms / first, commands * per_second);
        let told = heap.map_or_else(|| "-".to_owned(), |heap| format!("{heap:.1}"));
        let _ = writeln!(
            table,
            "{:>12}{per_second:>12.0}{cpu_ms:>14.1}{:>12}{commands:>20.2}{told:>14}",
            line.waiting,
            format!("×{ratio:.2}"),
        );
        found.push(json!({
            "waiting": line.waiting,
            "polls_per_second": per_second,
            "cpu_ms_per_1000": cpu_ms,
            "cpu_ratio": ratio,
            "store_commands_per_second": commands,
            "largest_heap_mb": heap,
        }));
    }
    let time = Duration::from_secs(slices);
    anstream::println!(
        "{table}\nEach line is polled for {} s, in turn with the others.\n",
        time.as_secs()
    );
    Ok(json!({ "growth": found }))
}
