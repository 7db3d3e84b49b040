//! How the journal is read, and what an answer tells of it.

use super::Line;
use super::arguments::named;
use super::reply::Answer;
use super::upstash::StoreError;
use crate::queue::{Head, JournalPage, JournalRange, Lane, Noted, Place, Traced};

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

    /// What the journal says of a ticket that carries this head since this second, and has this number; changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn trace(
        &self,
        head: Option<Head>,
        signed: u64,
        lane: Lane,
        place: Option<Place>,
    ) -> Result<Traced, StoreError> {
        let of_place = |place: Place| {
            [
                ("trace_born", place.born.to_string()),
                ("trace_position", place.position.0.to_string()),
            ]
        };
        let head = head.map(|head| ("trace_head", head.to_string()));
        let lane = lane.name().map(|lane| ("lane", lane.to_owned()));
        let told = place.into_iter().flat_map(of_place);
        let signed = ("trace_signed", signed.to_string());
        let told = told
            .chain(head)
            .chain(lane)
            .chain([signed])
            .map(named)
            .collect();
        self.eval("trace", Vec::new(), told, traced)
    }
}

fn traced(answer: &Answer) -> Option<Traced> {
    let line = |name| answer.optional(name, |line| Some(line.to_owned()));
    Some(Traced {
        board: answer.board()?,
        head: line("traced")?,
        called: line("called")?,
        is_of_sum: answer.optional("traced_sum", |_| Some(()))?.is_some(),
    })
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

/// The lines that an answer told, and behind them the digest of the last; nothing where it told none.
pub(super) fn noted(answer: &Answer) -> Option<Noted> {
    let (lines, head) = answer.text("noted")?.rsplit_once('\n')?;
    let lines = lines.lines().map(str::to_owned).collect();
    let head = head.to_owned();
    Some(Noted { lines, head })
}
