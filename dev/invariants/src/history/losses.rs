//! Losses of the store's data, as the caller notes them.

use std::collections::BTreeMap;

use now_serving::queue::{Lane, Sign};

use super::{Bucket, Data, History};
use crate::board::Board;

/// As many numbers as a loss leaves free behind those that a copy of the board knows, at least.
pub const LEFT_FREE: u64 = 20;

/// Numbers that data give again which know fewer than were given.
pub(super) struct Repeats {
    born: u64,
    /// The last number of each lane that no data give again.
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
    /// The data are about to be lost, and the POPs have these copies of the board: whether one of them knows the line well
    /// enough. Where none does, the loss is not covered.
    ///
    /// The numbers of the front lane and of regions do not move as those of the main line do. If the first copy that comes
    /// is an old one, they are given again.
    pub fn is_about_to_lose(&mut self, copies: &[&Sign]) -> bool {
        let Some(board) = &self.data.board else {
            return true;
        };
        let of_it = copies
            .iter()
            .filter(|sign| sign.birth.order() == board.order && sign.epoch == board.epoch);
        let most = of_it
            .map(|sign| sign.length.saturating_add(LEFT_FREE))
            .max();
        let is_known = most.is_some_and(|most| most >= board.of(Lane::Main).length);
        let lanes = board.lanes.keys().filter(|lane| **lane != Lane::Main);
        let from = lanes.map(|lane| {
            let least = copies.iter().map(|sign| length_in(sign, *lane)).min();
            (*lane, least.unwrap_or(0).saturating_add(LEFT_FREE))
        });
        let forgotten = Repeats {
            born: board.born,
            from: from.collect(),
        };
        self.forgotten.push(forgotten);
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

    /// The store has lost all data of the room.
    pub fn loses_all(&mut self, now_ms: u64) {
        self.turns(now_ms);
        self.data = Data::default();
    }

    /// The store has lost the line of the room, and kept the keys beside it: counters, draws and the list of the journal.
    pub fn loses_line(&mut self, now_ms: u64) {
        self.turns(now_ms);
        self.data.board = None;
        self.data.this_minute = Default::default();
    }

    /// The store has older data of the room again.
    pub fn is_restored(&mut self, copy: Data, now_ms: u64) {
        self.turns(now_ms);
        if let Some(board) = &copy.board {
            self.repeats.extend(repeats_of(board));
        }
        self.data = copy;
    }

    fn turns(&mut self, now_ms: u64) {
        self.lost_ms = Some(now_ms);
        self.losses += 1;
        (self.turned_ms, self.began_ms) = (now_ms, now_ms);
        self.bucket = Bucket::default();
        self.since_empty = None;
        self.whole_event = None;
        self.pending.clear();
    }

    /// Whether an older copy ever came back.
    #[must_use]
    pub fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// How many losses there were.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.losses
    }
}

/// Until a POP or a ticket shows more, a restored copy gives the next numbers again. While data are young, a ticket has the
/// number of its piece.
fn repeats_of(board: &Board) -> Vec<Repeats> {
    let lanes = board.lanes.iter();
    let own = Repeats {
        born: board.born,
        from: lanes
            .map(|(lane, numbers)| (*lane, numbers.length))
            .collect(),
    };
    let length = board.of(Lane::Main).length;
    let pieces = board.splices.iter().map(|splice| Repeats {
        born: splice.born,
        from: [(Lane::Main, length.saturating_sub(splice.offset))].into(),
    });
    [own].into_iter().chain(pieces).collect()
}

/// How many numbers a copy of the board knows of a lane.
fn length_in(sign: &Sign, lane: Lane) -> u64 {
    match lane {
        Lane::Main => sign.length,
        Lane::Front => sign.front.map_or(0, |front| front.length),
        Lane::Region(name) => sign.region(name).length,
    }
}
