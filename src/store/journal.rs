//! How the journal is read, and what a verb wrote into it.

use super::Line;
use super::arguments::named;
use super::reply::Answer;
use super::upstash::StoreError;
use crate::queue::{JournalPage, JournalRange, Noted};

impl Line<'_> {
    /// Reads a page of the journal; changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn journal(&self, range: JournalRange) -> Result<JournalPage, StoreError> {
        let numbers = [
            ("first", range.first.to_string()),
            ("many", range.many.to_string()),
        ];
        self.eval("journal", Vec::new(), numbers.map(named).to_vec(), page)
    }
}

/// The script tells its latest line first.
fn page(answer: &Answer) -> Option<JournalPage> {
    let lines = answer.texts("lines")?.into_iter().rev();
    Some(JournalPage {
        last: answer.number("last")?,
        head: answer.text("head")?.to_owned(),
        lines: lines.map(str::to_owned).collect(),
    })
}

/// The lines that a verb wrote, and behind them the digest of the last; nothing where it wrote none.
pub(super) fn noted(answer: &Answer) -> Option<Noted> {
    let mut lines = answer.texts("noted")?;
    let head = lines.pop()?.to_owned();
    let lines = lines.into_iter().map(str::to_owned).collect();
    Some(Noted { lines, head })
}
