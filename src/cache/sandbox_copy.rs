//! The board as a sandbox has it from its POP: kept for the requests that follow within a second, since to ask the POP again is
//! much of what such a request costs.
//!
//! Invariant: it lets no visitor in, and no visitor is answered by a board older than the POP's own copy may be. Its second counts
//! from when a look showed it, as far as the clocks of a POP agree, and from when this sandbox read it, as far as they do not.

use super::{CachedBoard, MAX_AGE};
use crate::queue::{Now, RoomName};

/// What a sandbox keeps: one board, of the room that it served last.
#[derive(Clone, Debug, Default)]
pub struct SandboxCopy(Option<Kept>);

#[derive(Clone, Debug)]
struct Kept {
    room: RoomName,
    copy: CachedBoard,
    since: Now,
}

impl SandboxCopy {
    /// Keeps what was read or put up now, unless it is behind what is kept; a board of a store that is away is not kept.
    pub fn keep(&mut self, room: &RoomName, copy: &CachedBoard, now: Now) {
        let is_behind = |kept: &CachedBoard| copy.is_older_than(kept);
        if copy.is_old || copy.board.is_none() {
            self.forget();
        } else if !self.of(room, now).is_some_and(is_behind) {
            self.0 = Some(Kept {
                room: room.clone(),
                copy: copy.clone(),
                since: now,
            });
        }
    }

    /// The next request asks the POP.
    pub fn forget(&mut self) {
        self.0 = None;
    }

    /// For an update to a visitor who waits.
    #[must_use]
    pub fn fresh(&self, room: &RoomName, now: Now) -> Option<&CachedBoard> {
        self.of(room, now).filter(|copy| copy.is_fresh(now))
    }

    /// For a visitor inside. Where a cap holds, the POP is asked: a session that was ended is over there at once.
    #[must_use]
    pub fn fresh_inside(&self, room: &RoomName, now: Now) -> Option<&CachedBoard> {
        let has_no_cap = |copy: &&CachedBoard| {
            let board = copy.board.as_ref();
            board.is_some_and(|board| board.sessions.is_none())
        };
        let kept = self.of(room, now).filter(has_no_cap);
        kept.filter(|copy| copy.is_fresh_inside(now))
    }

    /// What was read within a second.
    fn of(&self, room: &RoomName, now: Now) -> Option<&CachedBoard> {
        let kept = self.0.as_ref().filter(|kept| kept.room == *room)?;
        let age = now.ms().checked_sub(kept.since.ms())?;
        (u128::from(age) < MAX_AGE.as_millis()).then_some(&kept.copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::MAX_AGE_WITHOUT_A_LINE;
    use crate::queue::{Board, Cursor, Sessions, Stretch};

    /// A board that was read at this time.
    fn read_at(ms: u64, cursor: u64, length: u64) -> CachedBoard {
        let board = Board {
            epoch: 1,
            rolls: vec![Stretch::new(0, cursor, length)],
            ..Board::default()
        };
        CachedBoard::new(board, Now::from_ms(ms))
    }

    fn room() -> RoomName {
        RoomName::default()
    }

    fn at(ms: u64) -> Now {
        Now::from_ms(ms)
    }

    #[test]
    fn it_is_kept_for_a_second_after_the_look_that_showed_it() {
        let mut kept = SandboxCopy::default();
        kept.keep(&room(), &read_at(10_000, 2, 9), at(10_700));
        let fresh = |ms| kept.fresh(&room(), at(ms)).is_some();
        assert!(fresh(10_700) && fresh(10_999));
        assert!(!fresh(11_000));
    }

    #[test]
    fn clocks_that_disagree_keep_it_no_longer_than_a_second() {
        let mut kept = SandboxCopy::default();
        // By the clock of the sandbox that read the store it is of half a second later.
        kept.keep(&room(), &read_at(10_500, 2, 9), at(10_000));
        let fresh = |ms| kept.fresh(&room(), at(ms)).is_some();
        assert!(fresh(10_000) && fresh(10_999));
        assert!(!fresh(11_000) && !fresh(9_999));
    }

    #[test]
    fn without_a_line_it_serves_visitors_inside_for_a_second_after_it_was_read() {
        let mut kept = SandboxCopy::default();
        kept.keep(&room(), &read_at(10_000, 9, 9), at(15_000));
        let life = u64::try_from(MAX_AGE_WITHOUT_A_LINE.as_millis()).unwrap_or_default();
        assert!(kept.fresh_inside(&room(), at(15_999)).is_some());
        assert!(kept.fresh_inside(&room(), at(16_000)).is_none());
        assert!(kept.fresh(&room(), at(15_000)).is_none());
        kept.keep(&room(), &read_at(10_000, 9, 9), at(10_000 + life - 1));
        assert!(
            kept.fresh_inside(&room(), at(10_000 + life - 1)).is_some()
                && kept.fresh_inside(&room(), at(10_000 + life)).is_none()
        );
        // While visitors wait it has to be as young as for them.
        kept.forget();
        kept.keep(&room(), &read_at(10_000, 2, 9), at(10_700));
        assert!(kept.fresh_inside(&room(), at(10_999)).is_some());
        assert!(kept.fresh_inside(&room(), at(11_000)).is_none());
    }

    #[test]
    fn under_a_cap_the_pop_is_asked_for_visitors_inside() {
        let mut copy = read_at(10_000, 2, 9);
        if let Some(board) = &mut copy.board {
            board.sessions = Some(Sessions::default());
        }
        let mut kept = SandboxCopy::default();
        kept.keep(&room(), &copy, at(10_000));
        assert!(kept.fresh_inside(&room(), at(10_000)).is_none());
        assert!(kept.fresh(&room(), at(10_000)).is_some());
    }

    #[test]
    fn what_is_later_takes_its_place_and_what_is_behind_does_not() {
        let mut kept = SandboxCopy::default();
        let cursor = |kept: &SandboxCopy| {
            let copy = kept.fresh(&room(), at(10_100))?;
            Some(copy.board.as_ref()?.cursor())
        };
        kept.keep(&room(), &read_at(10_000, 5, 9), at(10_000));
        kept.keep(&room(), &read_at(10_050, 2, 9), at(10_050));
        assert_eq!(cursor(&kept), Some(Cursor(5)));
        kept.keep(&room(), &read_at(10_060, 6, 9), at(10_060));
        assert_eq!(cursor(&kept), Some(Cursor(6)));
        let away = CachedBoard {
            is_old: true,
            ..read_at(10_070, 6, 9)
        };
        kept.keep(&room(), &away, at(10_070));
        assert_eq!(cursor(&kept), None);
    }

    #[test]
    fn it_is_of_one_room() {
        let mut kept = SandboxCopy::default();
        kept.keep(&room(), &read_at(10_000, 5, 9), at(10_000));
        let other = RoomName::new("other");
        assert!(kept.fresh(&other, at(10_000)).is_none());
        // That of another room is not compared with it.
        kept.keep(&other, &read_at(10_000, 2, 9), at(10_000));
        assert!(kept.fresh(&other, at(10_000)).is_some());
    }
}
