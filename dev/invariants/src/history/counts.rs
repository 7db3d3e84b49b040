//! Batches of outboxes: each is counted once.

use std::collections::BTreeMap;

use super::{History, Outboxes};
use crate::said::{Batch, Said};

impl History {
    /// The store counts each batch once: of how many sessions the new ones tell that it did not know.
    pub(super) fn count(&mut self, said: &Said, minute: u64) -> u64 {
        let mut renewals = 0;
        for batch in said.batches() {
            self.is_the_same_batch(&batch);
            let last = self
                .data
                .outboxes
                .entry(batch.outbox.to_owned())
                .or_default();
            if batch.number <= *last {
                continue;
            }
            *last = batch.number;
            for (mark, to) in &batch.sessions {
                let end = self.data.sessions.entry((*mark).to_owned()).or_default();
                renewals += u64::from(*end < minute);
                *end = (*end).max(*to);
            }
            for (name, many) in batch.decisions() {
                *self.data.sums.entry(name.to_owned()).or_default() += many;
            }
        }
        renewals
    }

    /// A batch that is sent again is the same.
    fn is_the_same_batch(&mut self, batch: &Batch<'_>) {
        let decisions: BTreeMap<String, u64> = (batch.decisions())
            .map(|(name, many)| (name.to_owned(), many))
            .collect();
        let key = (batch.outbox.to_owned(), batch.number);
        if let Some(before) = self.batches.get(&key) {
            self.checks.holds(
                "a batch that is sent again is the same",
                *before == decisions || self.outboxes == Outboxes::Overwritten,
                || format!("{batch:?} was {before:?}"),
            );
            return;
        }
        let brought = self.brought.entry(batch.outbox.to_owned()).or_default();
        for (name, many) in &decisions {
            *brought.entry(name.clone()).or_default() += many;
        }
        self.batches.insert(key, decisions);
    }

    /// The metrics say what was counted.
    pub(super) fn sums_are_told(&mut self, said: &Said) {
        let is_first = self.data.board.is_none() && self.losses == 0;
        if self.has_a_past || is_first {
            return;
        }
        let (told, counted) = (said.decisions(), &self.data.sums);
        self.checks
            .holds("decisions are counted once", told == *counted, || {
                format!("{told:?} are told, and {counted:?} were brought")
            });
    }

    /// What is done under a key is done once.
    pub(super) fn is_done_once(&mut self, said: &Said) {
        if let Some(key) = said.once() {
            let is_first = self.data.once.insert(key.to_owned());
            self.checks
                .holds("one key, one change", is_first, || format!("{key} again"));
        }
    }
}
