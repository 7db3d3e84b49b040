//! What is counted: how batches go to the store, and all that there is to measure.

use super::reply::Answer;
use super::{Arguments, Board};
use crate::cache::outbox::{Batch, Tally};
use crate::queue::{Absent, Explained, Now, OriginState};

/// All that there is to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The board.
    pub board: Board,
    /// How many numbers were drawn in all.
    pub drawn: u64,
    /// How many visitors were released in all.
    pub released: u64,
    /// What is known of called visitors who do not come.
    pub absent: Absent,
    /// What bounds the line.
    pub limits: Explained,
    /// What is known of the origin.
    pub origin: OriginState,
    /// What was counted at the edge.
    pub tally: Tally,
}

/// What the script receives of each batch: its number, and what it counts.
pub(super) fn arguments(batches: &[Batch], now: Now) -> Arguments {
    let pairs = move |(place, batch): (usize, &Batch)| {
        let (place, counts) = (place + 1, batch.tally.as_of(now).encode());
        [
            (format!("number{place}").into(), batch.number.to_string()),
            (format!("counts{place}").into(), counts),
        ]
    };
    batches.iter().enumerate().flat_map(pairs).collect()
}

/// What the verb `metrics` answers.
pub(super) fn read_figures(answer: &Answer) -> Option<Figures> {
    let mut tally = Tally::default();
    for pair in answer.texts("counts")?.chunks(2) {
        let [name, number] = pair else {
            return None;
        };
        tally.add(name, number.parse().ok()?);
    }
    Some(Figures {
        board: answer.board()?,
        drawn: answer.number("drawn")?,
        released: answer.number("admitted")?,
        absent: answer.absent()?,
        limits: answer.limits()?,
        origin: answer.health()?,
        tally,
    })
}
