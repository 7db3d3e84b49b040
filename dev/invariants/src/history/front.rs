//! The share of the front lane.

use now_serving::queue::Lane;

use super::{History, Step};

/// Numbers called since the main line was last empty: in all, of the front lane, and by the greatest share that a POP's settings
/// had meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct SinceEmpty {
    all: u64,
    front: u64,
    share: u64,
}

impl History {
    /// While visitors of the main line wait, the front lane has no more than its share of all that were called, rounded up.
    pub(super) fn front_has_its_share(&mut self, step: &Step<'_>) {
        let main = step.board.main_and_regions();
        let front = step.board.of(Lane::Front);
        let all = main.cursor.saturating_add(front.cursor);
        let share = step.said.front_share();
        let now = SinceEmpty {
            all,
            front: front.cursor,
            share,
        };
        // A call releases before it draws, so the last visitor to draw may have come to an empty line.
        let length = step.before.main_and_regions().length;
        let drawn = main.length.saturating_sub(length);
        let since = self.since_empty.filter(|_| step.is_plain());
        let Some(mut since) = since.filter(|_| main.waiting() > drawn) else {
            self.since_empty = Some(now);
            return;
        };
        since.share = since.share.max(share);
        self.since_empty = Some(since);
        let called = all.saturating_sub(since.all);
        let of_front = front.cursor.saturating_sub(since.front);
        if of_front == 0 {
            return;
        }
        self.checks.holds(
            "the front lane has no more than its share",
            of_front <= called.saturating_mul(since.share).div_ceil(100),
            || format!("{of_front} of {called} since {since:?}: {}", step.told()),
        );
    }
}
