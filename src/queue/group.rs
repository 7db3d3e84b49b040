//! The priority groups of a room. Each has a lane of the line, which invitations open, and at most its share of each release while
//! lower ones wait.

use super::{Board, Lane, LaneName};
use std::ops::RangeInclusive;

/// A group as the settings have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name.
    pub name: LaneName,
    /// How many percent of each release are for it at most, while lower ones wait.
    pub share: u64,
}

impl Group {
    /// What is accepted as a share, and as all of them together.
    pub const SHARE: RangeInclusive<u64> = 1..=100;
}

/// The groups of a room, the first of which goes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    /// In the order of their ranks.
    pub list: Vec<Group>,
}

impl Groups {
    /// The group that this lane is of.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Option<Group> {
        self.list.get(self.rank(lane)?).copied()
    }

    /// Whether this lane is that of a group.
    #[must_use]
    pub fn has(&self, lane: Lane) -> bool {
        self.rank(lane).is_some()
    }

    /// The number of visitors of lower ranks who wait, where this lane is that of a group. The lanes of none are the lowest.
    #[must_use]
    pub fn waiting_below(&self, lane: Lane, board: &Board) -> Option<u64> {
        let rank = self.rank(lane)?;
        let is_below = |of: Lane| self.rank(of).is_none_or(|of| of > rank);
        let below = board.lanes.iter().filter(|of| is_below(of.lane));
        Some(below.fold(board.waiting_in_main(), |sum, of| {
            sum.saturating_add(of.waiting())
        }))
    }

    fn rank(&self, lane: Lane) -> Option<usize> {
        let is_of = |group: &Group| Lane::Named(group.name) == lane;
        self.list.iter().position(is_of)
    }
}
