//! What the model knows of who is inside: sessions by the minute of their end, and promised slots.

use crate::queue::{Lane, Position};
use std::collections::{BTreeMap, VecDeque};

const MINUTE_MS: u64 = 60_000;

/// What the line knows of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Inside {
    /// How many sessions end with each minute. A minute may owe some: POPs tell moves out of order.
    pub(super) ring: BTreeMap<u64, i64>,
    /// The latest minute in which the ring came to owe some.
    pub(super) owed: u64,
    /// What the ring would be, had nothing happened since these data began.
    pub(super) base: BTreeMap<u64, i64>,
    pub(super) promises: VecDeque<Promise>,
    pub(super) late: u64,
    /// As of which minute.
    pub(super) late_at: u64,
    pub(super) lapsed: u64,
    /// The latest minute with a verb under a cap.
    pub(super) capped: u64,
    pub(super) since: u64,
    /// The first minute in which a session of these data ends.
    pub(super) first_end: Option<u64>,
    /// Until this minute it is unknown who is inside.
    pub(super) recount: u64,
    /// Sessions that were to end before ended with all tickets.
    pub(super) floor: u64,
    /// When the copy of the sign was made that said who was inside before a loss.
    pub(super) told_ms: u64,
    /// The version of the list of ended sessions, and the last minute of those on it.
    pub(super) ended: u64,
    pub(super) ended_last: u64,
}

/// Slots kept for called visitors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Promise {
    pub(super) second: u64,
    pub(super) many: u64,
    /// The last number called.
    pub(super) number: u64,
}

impl Inside {
    /// What POPs have told of sessions.
    pub(super) fn take_counts_of(&mut self, other: &Self) {
        self.ring.clone_from(&other.ring);
        (self.owed, self.recount) = (other.owed, other.recount);
    }

    /// A copy knows more of the sessions that there were. What has happened since the data began stays.
    pub(super) fn rebase(&mut self, cells: BTreeMap<u64, i64>) {
        let mut ring = self.ring.clone();
        for (end, many) in &cells {
            *ring.entry(*end).or_default() += many;
        }
        for (end, many) in &self.base {
            let sum = ring.entry(*end).or_default();
            *sum = (*sum - many).max(0);
        }
        (self.ring, self.base) = (ring, cells);
    }

    pub(super) fn sum(&self) -> u64 {
        self.ring.values().sum::<i64>().max(0).unsigned_abs()
    }

    /// What is still owed after a minute was lost on its way: the session stands at an earlier minute until it ends.
    pub(super) fn settle(&mut self, this: u64) {
        if self.owed > 0 && this > self.owed + 1 {
            self.ring.retain(|_, many| *many > 0);
            self.owed = 0;
        }
    }

    /// The ring without debts: what a minute owes still stands at an earlier one.
    pub(super) fn settled(&self) -> BTreeMap<u64, i64> {
        let (mut settled, mut debt) = (BTreeMap::new(), 0);
        for (end, many) in self.ring.iter().rev() {
            let left = many - debt;
            debt = (-left).max(0);
            settled.insert(*end, left.max(0));
        }
        // Of a session that was ended, and made longer by a POP that had not heard of it.
        for many in settled.values_mut() {
            let paid = debt.min(*many);
            (*many, debt) = (*many - paid, debt - paid);
        }
        settled.retain(|_, many| *many > 0);
        settled
    }

    /// Whether a session ends there that these data have not given: they began with visitors inside.
    pub(super) fn is_unheard_of(&self, end: u64) -> bool {
        let is_early = self.first_end.is_some_and(|first| end < first);
        let is_known = self.ring.get(&end).is_some_and(|many| *many > 0);
        end > 0 && is_early && self.told_ms == 0 && !is_known
    }

    pub(super) fn promised(&self) -> u64 {
        self.promises.iter().map(|promise| promise.many).sum()
    }

    pub(super) fn open(&mut self, end: u64, many: u64, now_ms: u64) {
        if end >= now_ms / MINUTE_MS {
            *self.ring.entry(end).or_default() += many.cast_signed();
        }
    }

    /// The oldest promise is kept first, for the first visitor who comes; without one, a slot is free. Visitors of the other lanes
    /// come late where no slot is kept.
    pub(super) fn take_promise(&mut self, (lane, position): (Lane, Position)) {
        let is_late = match lane {
            Lane::Main => position.0 <= self.lapsed,
            Lane::Front | Lane::Region(_) => self.promised() == 0,
        };
        let mut promises = self.promises.iter_mut();
        if let Some(promise) = promises.find(|promise| promise.many > 0) {
            promise.many -= 1;
        }
        if is_late {
            self.late = self.late.saturating_sub(1);
        }
    }
}
