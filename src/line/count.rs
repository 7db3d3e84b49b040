//! What is counted: how batches go to the store, and all that there is to measure.

use serde_json::Value;

use super::{Sign, read};
use crate::tally::{Batch, Tally};

/// All that there is to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// The sign.
    pub sign: Sign,
    /// How many numbers were drawn in all.
    pub drawn: u64,
    /// How many visitors were released in all.
    pub released: u64,
    /// What was counted at the edge.
    pub tally: Tally,
}

/// What a script is told of each batch: its number, and what it counts.
pub(super) fn words(batches: &[Batch]) -> Vec<String> {
    let words = |batch: &Batch| [batch.number.to_string(), batch.tally.encode()];
    batches.iter().flat_map(words).collect()
}

/// What `metrics.lua` answers.
pub(super) fn read_figures(value: &Value) -> Option<Figures> {
    let [answer, counts] = value.as_array()?.as_slice() else {
        return None;
    };
    let (sign, _) = read(answer)?;
    let mut tally = Tally::default();
    for pair in counts.as_array()?.chunks(2) {
        let [name, number] = pair else {
            return None;
        };
        tally.add(name.as_str()?, number.as_str()?.parse().ok()?);
    }
    Some(Figures {
        sign,
        drawn: answer.get(11)?.as_u64()?,
        released: answer.get(12)?.as_u64()?,
        tally,
    })
}
