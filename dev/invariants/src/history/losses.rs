//! Losses of the store's data, as the caller notes them.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::queue::{self, Lane};

use super::{Bucket, Data, History};
use crate::board::Board;

/// A copy of the board that comes later than 120 s after the data began shows nothing any more.
const TOLD_WITHIN_MS: u64 = 110_000;

/// A loss of the store's data of one room.
pub enum Loss {
    /// All data of the room.
    All,
    /// The line alone: counters, draws and the list of the journal stay.
    Line,
    /// What was written since this copy was made.
    Restored(Box<Data>),
}

/// POPs that know the line of lost data, and have not shown the store what they know.
pub(super) struct Recovery {
    /// When the next data began: with the first call of the room, or at once where an older copy came back.
    since_ms: Option<u64>,
    pending: BTreeSet<usize>,
    epoch: u64,
}

/// Numbers that restored data give again, which know fewer than were given.
pub(super) struct Repeats {
    born: u64,
    /// The last number of each lane that they do not give again.
    from: BTreeMap<Lane, u64>,
}

impl Repeats {
    /// Whether this number may be given again.
    pub(super) fn have(&self, lane: Lane, born: u64, number: u64) -> bool {
        let from = self.from.get(&lane).copied().unwrap_or(0);
        self.born == born && number > from
    }
}

impl History {
    /// The store loses data of the room. `copies` are what the POPs know of the line, POP by POP.
    pub fn loses(&mut self, loss: Loss, copies: &[Option<queue::Board>], now_ms: u64) {
        let had_line = self.data.board.is_some();
        let restores_line = matches!(&loss, Loss::Restored(data) if data.board.is_some());
        let known: Vec<&queue::Board> = copies.iter().flatten().collect();
        if had_line {
            // Two losses in a row, and all tickets ended between them.
            let last = self.recovery.as_ref().filter(|last| {
                let since = last.since_ms.unwrap_or(now_ms);
                since.saturating_add(TOLD_WITHIN_MS) > now_ms
            });
            let is_ended_between = last.is_some_and(|last| last.epoch != self.epoch);
            if self.is_known_by(&known) && is_ended_between {
                self.does_not_cover("all tickets ended between two losses");
            }
        } else if restores_line {
            self.does_not_cover("a copy comes back to an empty store");
        }
        // Otherwise nothing of this room was lost since the loss before.
        if had_line || restores_line {
            let pops = copies.iter().enumerate();
            let pending = pops.filter_map(|(pop, copy)| copy.as_ref().map(|_| pop));
            self.recovery = Some(Recovery {
                since_ms: restores_line.then_some(now_ms),
                pending: pending.collect(),
                epoch: self.epoch,
            });
        }
        self.turns(now_ms);
        match loss {
            Loss::All => self.data = Data::default(),
            Loss::Line => {
                self.data.board = None;
                self.data.this_minute = Default::default();
            }
            Loss::Restored(copy) => {
                if let Some(board) = &copy.board {
                    self.repeats.push(repeats_of(board));
                }
                self.data = *copy;
            }
        }
    }

    /// A call of this POP reached the store, and showed what the POP knows.
    pub fn has_told(&mut self, pop: usize) {
        if let Some(recovery) = &mut self.recovery {
            recovery.pending.remove(&pop);
        }
    }

    /// This POP forgets the line.
    pub fn is_forgotten_by(&mut self, pop: usize) {
        let recovery = self.recovery.as_mut();
        if recovery.is_some_and(|recovery| recovery.pending.remove(&pop)) {
            self.does_not_cover("a POP forgets before it tells");
        }
    }

    /// The clock of the store shows this.
    pub fn time_passes(&mut self, now_ms: u64) {
        let began_ms = self.data.board.as_ref().map(|_| self.began_ms);
        let Some(recovery) = &mut self.recovery else {
            return;
        };
        recovery.since_ms = recovery.since_ms.or(began_ms);
        let since = recovery.since_ms.unwrap_or(now_ms);
        if since.saturating_add(TOLD_WITHIN_MS) <= now_ms && !recovery.pending.is_empty() {
            self.recovery = None;
            self.does_not_cover("a POP tells too late");
        }
    }

    /// Whether a POP has not shown yet what it knows of lost data.
    #[must_use]
    pub fn is_recovering(&self) -> bool {
        let recovery = self.recovery.as_ref();
        recovery.is_some_and(|recovery| !recovery.pending.is_empty())
    }

    /// Whether one of these copies of the board knows the line. Where none does, the loss is not covered.
    fn is_known_by(&mut self, copies: &[&queue::Board]) -> bool {
        let Some(board) = &self.data.board else {
            return true;
        };
        let is_known = copies.iter().any(|copy| copy.order() == board.order);
        if !is_known {
            self.does_not_cover("no POP knows the line");
        }
        is_known
    }

    /// A loss that the rules do not cover, and why.
    pub fn does_not_cover(&mut self, why: &'static str) {
        self.uncovered += 1;
        *self.uncovered_by.entry(why).or_default() += 1;
    }

    fn turns(&mut self, now_ms: u64) {
        self.lost_ms = Some(now_ms);
        self.losses += 1;
        (self.turned_ms, self.began_ms) = (now_ms, now_ms);
        self.bucket = Bucket::default();
        self.shares.forget();
        self.whole_event = None;
        self.pending.clear();
    }

    /// Whether an older copy ever came back.
    #[must_use]
    pub fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Number of losses.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.losses
    }
}

/// Until a POP or a ticket shows more, a restored copy gives the next numbers of its roll again.
fn repeats_of(board: &Board) -> Repeats {
    let born = board.order.0;
    let lanes = board.rolls.keys();
    let from = lanes.map(|lane| (*lane, board.stretch(*lane, born).map_or(0, |of| of.drawn)));
    Repeats {
        born,
        from: from.collect(),
    }
}
