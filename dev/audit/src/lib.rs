//! Whether the journal of a room hangs together: `now-serving audit`; and what happened, out of the same log: `now-serving report`.
//!
//! It reads what `/_queue/journal` answered and what the log says was noted, in any order and as often as it comes. Invariant: where
//! it finds no fault, no line between the first and the last was changed, left out or put elsewhere.

mod chain;
mod read;
pub mod report;
mod rules;
mod ticket;

use chain::Chain;
use now_serving::queue::Head;
pub use ticket::head_of;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What does not hang together. Where there is any, the journal proves nothing.
    pub faults: Vec<String>,
    /// What a reader should know.
    pub notes: Vec<String>,
    /// How many lines there are.
    pub lines: usize,
}

impl Report {
    /// What is to be thought of the lines.
    #[must_use]
    pub fn verdict(&self) -> String {
        let lines = self.lines;
        match self.faults.len() {
            0 => format!("{lines} lines hang together."),
            1 => format!("Of {lines} lines: 1 fault, so they prove nothing."),
            many => format!("Of {lines} lines: {many} faults, so they prove nothing."),
        }
    }
}

/// Looks at these texts, each a page of the journal or lines of the log, and for these heads among their lines.
#[must_use]
pub fn audit(texts: &[&str], heads: &[Head]) -> Report {
    audit_from(1, texts, heads)
}

/// The same where lines in front of this number may be missing.
#[must_use]
pub fn audit_from(first: u64, texts: &[&str], heads: &[Head]) -> Report {
    let mut report = Report::default();
    let written = read::written(texts, &mut report.faults);
    for (room, lines) in written.by_room() {
        report.lines += lines.len();
        let chain = Chain::new(&room, lines, first, &mut report.faults);
        chain.told(&mut report);
        rules::judge(&chain, &mut report);
        let found = heads.iter().filter_map(|head| chain.find(*head));
        report.notes.extend(found);
    }
    if report.lines == 0 && report.faults.is_empty() {
        report.faults.push("There is no line of a journal.".into());
    }
    let known = written.heads();
    let unknown = heads.iter().filter(|head| !known.contains(head));
    report.faults.extend(unknown.map(|head| {
        format!("The head {head} is on no line: it is of another journal, or of lines that are not here.")
    }));
    report
}
