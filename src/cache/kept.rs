//! The sign as a sandbox has it from its POP: kept for the requests that follow within a second, since to ask the POP again is
//! much of what such a request costs.
//!
//! Invariant: it lets no visitor in, and no visitor is answered by a sign older than the POP's own copy may be. Its second counts
//! from when a look showed it, as far as the clocks of a POP agree, and from when this sandbox read it, as far as they do not.

use super::{CachedSign, MAX_AGE};
use crate::queue::{Now, RoomName};

/// What a sandbox keeps: one sign, of the room that it served last.
#[derive(Clone, Debug, Default)]
pub struct KeptSign(Option<Kept>);

#[derive(Clone, Debug)]
struct Kept {
    room: RoomName,
    copy: CachedSign,
    since: Now,
}

impl KeptSign {
    /// Keeps what was read or put up now, unless it is behind what is kept; a sign of a store that is away is not kept.
    pub fn keep(&mut self, room: &RoomName, copy: &CachedSign, now: Now) {
        let is_behind = |kept: &CachedSign| copy.is_older_than(kept);
        if copy.is_old || copy.sign.is_none() {
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
    pub fn fresh(&self, room: &RoomName, now: Now) -> Option<&CachedSign> {
        self.of(room, now).filter(|copy| copy.is_fresh(now))
    }

    /// For a visitor inside. Where a cap holds, the POP is asked: a session that was ended is over there at once.
    #[must_use]
    pub fn fresh_inside(&self, room: &RoomName, now: Now) -> Option<&CachedSign> {
        let has_no_cap = |copy: &&CachedSign| {
            let sign = copy.sign.as_ref();
            sign.is_some_and(|sign| sign.sessions.is_none())
        };
        let kept = self.of(room, now).filter(has_no_cap);
        kept.filter(|copy| copy.is_fresh_inside(now))
    }

    /// What was read within a second.
    fn of(&self, room: &RoomName, now: Now) -> Option<&CachedSign> {
        let kept = self.0.as_ref().filter(|kept| kept.room == *room)?;
        let age = now.ms().checked_sub(kept.since.ms())?;
        (u128::from(age) < MAX_AGE.as_millis()).then_some(&kept.copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::MAX_AGE_WITHOUT_A_LINE;
    use crate::queue::{Cursor, Sign};

    const SESSIONS: &str = r#","sessions":{"total_active":9,"minutes":20,"enforcement":"on","told_ms":0,"since":0,"promised":0,"claimable":0,"late":0,"lapsed":0,"cells":[]}"#;

    /// A sign with these fields behind it.
    fn read_with(more: &str, ms: u64, cursor: u64, length: u64) -> CachedSign {
        let birth = r#"{"born":0,"started":0,"adopted":0,"settled":0,"recent":0}"#;
        let text = format!(
            r#"{{"birth":{birth},"epoch":1,"cursor":{cursor},"length":{length},"credit":0{more}}}"#
        );
        let sign: Option<Sign> = serde_json::from_str(&text).ok();
        CachedSign {
            sign,
            is_old: false,
            read_ms: ms,
            looked_ms: ms,
        }
    }

    fn read_at(ms: u64, cursor: u64, length: u64) -> CachedSign {
        read_with("", ms, cursor, length)
    }

    fn room() -> RoomName {
        RoomName::default()
    }

    fn at(ms: u64) -> Now {
        Now::from_ms(ms)
    }

    #[test]
    fn it_is_kept_for_a_second_after_the_look_that_showed_it() {
        let mut kept = KeptSign::default();
        kept.keep(&room(), &read_at(10_000, 2, 9), at(10_700));
        let fresh = |ms| kept.fresh(&room(), at(ms)).is_some();
        assert!(fresh(10_700) && fresh(10_999));
        assert!(!fresh(11_000));
    }

    #[test]
    fn clocks_that_disagree_keep_it_no_longer_than_a_second() {
        let mut kept = KeptSign::default();
        // By the clock of the sandbox that read the store it is of half a second later.
        kept.keep(&room(), &read_at(10_500, 2, 9), at(10_000));
        let fresh = |ms| kept.fresh(&room(), at(ms)).is_some();
        assert!(fresh(10_000) && fresh(10_999));
        assert!(!fresh(11_000) && !fresh(9_999));
    }

    #[test]
    fn without_a_line_it_serves_visitors_inside_for_a_second_after_it_was_read() {
        let mut kept = KeptSign::default();
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
        let copy = read_with(SESSIONS, 10_000, 2, 9);
        let mut kept = KeptSign::default();
        kept.keep(&room(), &copy, at(10_000));
        assert!(kept.fresh_inside(&room(), at(10_000)).is_none());
        assert!(kept.fresh(&room(), at(10_000)).is_some());
    }

    #[test]
    fn what_is_later_takes_its_place_and_what_is_behind_does_not() {
        let mut kept = KeptSign::default();
        let cursor = |kept: &KeptSign| {
            let copy = kept.fresh(&room(), at(10_100))?;
            Some(copy.sign.as_ref()?.cursor)
        };
        kept.keep(&room(), &read_at(10_000, 5, 9), at(10_000));
        kept.keep(&room(), &read_at(10_050, 2, 9), at(10_050));
        assert_eq!(cursor(&kept), Some(Cursor(5)));
        kept.keep(&room(), &read_at(10_060, 6, 9), at(10_060));
        assert_eq!(cursor(&kept), Some(Cursor(6)));
        let away = CachedSign {
            is_old: true,
            ..read_at(10_070, 6, 9)
        };
        kept.keep(&room(), &away, at(10_070));
        assert_eq!(cursor(&kept), None);
    }

    #[test]
    fn it_is_of_one_room() {
        let mut kept = KeptSign::default();
        kept.keep(&room(), &read_at(10_000, 5, 9), at(10_000));
        let other = RoomName::new("other");
        assert!(kept.fresh(&other, at(10_000)).is_none());
        // That of another room is not compared with it.
        kept.keep(&other, &read_at(10_000, 2, 9), at(10_000));
        assert!(kept.fresh(&other, at(10_000)).is_some());
    }
}
