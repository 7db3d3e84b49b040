//! The shares of groups.

use std::collections::BTreeMap;

use now_serving::queue::{Groups, Lane};

use super::{History, Step};

/// Numbers called since no visitor of a lower rank than that of a group waited, by the same settings: in all, and of the group.
#[derive(Clone, Copy, Debug)]
struct SinceEmpty {
    all: u64,
    group: u64,
}

/// The same of each group.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares {
    groups: Groups,
    /// The most groups that any call had. Each may have rounded up at the cost of those behind it.
    most: u64,
    since: BTreeMap<Lane, SinceEmpty>,
}

impl Shares {
    /// The line goes on from other data, or all of it went in.
    pub(super) fn forget(&mut self) {
        self.since.clear();
    }
}

impl History {
    /// While visitors of lower ranks wait, no group has more than its share of all that were called, rounded up.
    pub(super) fn groups_have_their_shares(&mut self, step: &Step<'_>) {
        let groups = &step.board.groups;
        self.shares.most = self.shares.most.max(groups.list.len() as u64);
        if self.shares.groups != *groups || !step.is_plain() {
            self.shares.groups = groups.clone();
            self.shares.since.clear();
        }
        let cursors = step.board.lanes.values().map(|lane| lane.cursor);
        let all: u64 = cursors.sum();
        for (rank, group) in groups.list.iter().enumerate() {
            let lane = Lane::Named(group.name);
            let below = step.board.below(rank);
            // A call releases before it draws, so the last visitor to draw may have come to an empty line.
            let drawn = below.length - below.length.min(step.before.below_in(rank, groups).length);
            let now = SinceEmpty {
                all,
                group: step.board.of(lane).cursor,
            };
            let since = self.shares.since.get(&lane).copied();
            let Some(since) = since.filter(|_| below.waiting() > drawn) else {
                self.shares.since.insert(lane, now);
                continue;
            };
            let called = now.all.saturating_sub(since.all);
            let of_group = now.group.saturating_sub(since.group);
            if of_group == 0 {
                continue;
            }
            let share = called.saturating_mul(group.share).div_ceil(100);
            self.checks.holds(
                "a group has no more than its share",
                of_group < share + self.shares.most,
                || format!("{of_group} of {called} since {since:?}: {}", step.told()),
            );
        }
    }
}
