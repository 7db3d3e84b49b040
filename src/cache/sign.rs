//! The copy of the sign near the visitor: one per data centre, so that waiting costs the store nothing.
//!
//! Invariant: the cursor only grows, so an old copy can make a visitor wait a little longer and never lets a visitor in
//! too early. A copy is fresh for a second; in the second after that it still serves while one request renews it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::marker::Markers;
use crate::queue::{Mode, Now, Sign};

/// How long a copy is as good as the sign.
pub const MAX_AGE: Duration = Duration::from_secs(1);
/// How long it serves on while one request renews it. Together: nobody sees a sign older than two seconds
/// while the store answers.
pub const STALE_WHILE_REVALIDATE: Duration = Duration::from_secs(1);
/// How long a sign is good enough for visitors inside while no visitor waits. Renewed in the second after: so while they
/// come, none goes in by a sign older than ten seconds, and a site with no line costs a tenth.
pub const MAX_AGE_WITHOUT_A_LINE: Duration = Duration::from_secs(9);
/// How long a sign is good enough before an event, when no visitor draws: so within a minute a POP hears of an event that was
/// brought forward.
const MAX_AGE_BEFORE_AN_EVENT: Duration = Duration::from_mins(1);
/// How long the last sign is kept for the time when the store does not answer.
pub const LAST_SIGN_TTL: Duration = Duration::from_hours(1);
/// The longest a request waits for another one to read the sign.
pub const LOOKUP_TIMEOUT: Duration = Duration::from_millis(500);

/// What this POP knows, from its own cache and never from a cookie: every call to the store brings the last sign, so that data
/// the store lost come back.
pub trait LastSign {
    /// The last sign.
    fn last_sign(&self) -> Option<Sign>;
    /// The small notes that it keeps, where it keeps any.
    fn notes(&self) -> Option<&dyn Markers> {
        None
    }
}

/// A POP that knows no sign.
pub struct NoSign;

impl LastSign for NoSign {
    fn last_sign(&self) -> Option<Sign> {
        None
    }
}

/// A copy of the sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CachedSign {
    /// What it shows; `None` when the store did not answer and nothing was known.
    pub sign: Option<Sign>,
    /// Whether the store failed to answer since.
    pub is_old: bool,
    /// When the store showed it (Unix time in milliseconds).
    #[serde(default)]
    pub read_ms: u64,
    /// When a look showed it last: a draw shows the sign too, but brings the store nothing that was counted, and is not
    /// what tells the store that this data centre is there.
    #[serde(default)]
    pub looked_ms: u64,
}

/// What the data centre has.
pub enum Lookup {
    /// A copy; the request that is handed the duty renews it once the visitor has been answered.
    Hit(Box<CachedSign>, Option<RefreshGuard>),
    /// Nothing: this request reads the sign for everybody who waits for it.
    Miss(RefreshGuard),
    /// Another request reads the sign for everybody, and takes longer than the store may.
    Timeout,
    /// The cache cannot say: this request asks the store for itself, as if there were no cache.
    Unavailable,
}

/// The duty of one request to renew the copy. Dropped, it goes to the next one.
pub type RefreshGuard = Box<dyn Refresh>;

/// Fulfils a duty.
pub trait Refresh {
    /// Puts the copy up, unless it is behind the one there, and wakes the requests that wait for it.
    fn renew(self: Box<Self>, copy: &CachedSign);
}

/// Where the copy of the sign is kept, and the last one that was seen.
pub trait SignCache: LastSign {
    /// The copy, with a duty for one request at a time.
    fn lookup(&self) -> Lookup;
    /// The copy if there is a fresh one, without waiting and without a duty.
    fn peek(&self) -> Option<CachedSign>;
    /// The copy as the sandbox has it from before, for an update to a visitor who still waits by it: without asking the POP.
    fn kept(&self, _now: Now) -> Option<CachedSign> {
        None
    }
    /// Puts up what a permit just saw, unless that is behind the copy there.
    fn put(&self, copy: &CachedSign);
    /// Keeps what a draw just saw as the last sign, unless that is behind the one there: the copy is left to the looks.
    fn remember(&self, copy: &CachedSign);
    /// The last sign that was read when this request first asked, for the time when the store does not answer or no
    /// visitor has looked. It is never behind the copy.
    fn last(&self) -> Option<CachedSign>;
    /// The last sign for a visitor inside, who may be judged by what the sandbox has from before.
    fn last_for_inside(&self, _now: Now) -> Option<CachedSign> {
        self.last()
    }
}

impl CachedSign {
    /// A sign just read.
    #[must_use]
    pub fn new(sign: Sign, now: Now) -> Self {
        Self {
            sign: Some(sign),
            is_old: false,
            read_ms: now.ms(),
            looked_ms: now.ms(),
        }
    }

    /// A sign that a draw showed, after this look.
    #[must_use]
    pub fn drawn(sign: Sign, now: Now, last: Option<&Self>) -> Self {
        Self {
            looked_ms: last.map_or(0, |last| last.looked_ms),
            ..Self::new(sign, now)
        }
    }

    /// Whether a look showed it a second ago at most.
    #[must_use]
    pub fn is_fresh(&self, now: Now) -> bool {
        self.was_looked_at_within(MAX_AGE, now)
    }

    /// Whether admitted visitors can be judged by it: while no visitor waits, for longer than a copy is fresh. An open room
    /// never has a line, and its sign has to be young when the store goes away; and where a cap holds, it brings renewals soon.
    #[must_use]
    pub fn is_fresh_inside(&self, now: Now) -> bool {
        let is_without_line = |sign: &Sign| {
            sign.waiting() == 0 && sign.live.mode != Mode::Open && sign.sessions.is_none()
        };
        let has_no_line = self.sign.as_ref().is_some_and(is_without_line);
        let life = if has_no_line {
            MAX_AGE_WITHOUT_A_LINE
        } else {
            MAX_AGE
        };
        self.was_looked_at_within(life, now)
    }

    /// Whether the store showed it lately enough for visitors inside while no visitor waits.
    #[must_use]
    pub fn is_young(&self, now: Now) -> bool {
        u128::from(now.ms().abs_diff(self.read_ms)) < MAX_AGE_WITHOUT_A_LINE.as_millis()
    }

    /// Whether visitors before an event can be answered by it.
    #[must_use]
    pub fn is_fresh_before_an_event(&self, now: Now) -> bool {
        self.was_looked_at_within(MAX_AGE_BEFORE_AN_EVENT, now)
    }

    fn was_looked_at_within(&self, time: Duration, now: Now) -> bool {
        u128::from(now.ms().abs_diff(self.looked_ms)) < time.as_millis()
    }

    /// What to put up after the store was asked: the sign it showed, or the last one while it does not answer.
    #[must_use]
    pub fn of(answer: Option<Sign>, cache: &dyn SignCache, now: Now) -> Self {
        answer.map_or_else(|| Self::without_store(cache), |sign| Self::new(sign, now))
    }

    /// Whether it shows less than another: it was read earlier, however late it comes. A store that lost its memory is
    /// believed once the other copy has expired.
    #[must_use]
    pub fn is_older_than(&self, other: &Self) -> bool {
        let reached = |copy: &Self| {
            let sign = copy.sign.as_ref()?;
            Some((
                sign.birth.order(),
                sign.epoch,
                sign.cursor,
                sign.length,
                sign.front.map(|front| (front.cursor, front.length)),
                sign.in_regions(),
                sign.live.version,
            ))
        };
        reached(self) < reached(other)
    }

    /// What to put up: this, or the last sign where that shows more and was not read long before. A renewal whose answer comes late
    /// may find no copy there, while a permit or a draw has been seen since.
    #[must_use]
    pub fn or_later(&self, last: Option<Self>) -> Self {
        let is_later = |last: &Self| {
            let gap = Duration::from_millis(self.read_ms.saturating_sub(last.read_ms));
            self.is_older_than(last) && gap < MAX_AGE + STALE_WHILE_REVALIDATE
        };
        match last.filter(is_later) {
            Some(last) => Self {
                looked_ms: self.looked_ms.max(last.looked_ms),
                ..last
            },
            None => self.clone(),
        }
    }

    /// What a draw leaves as the last sign, unless it is behind that. A draw that was on its way meanwhile takes nothing away of what
    /// the log has.
    #[must_use]
    pub fn to_remember(&self, last: Option<&Self>) -> Option<Self> {
        if last.is_some_and(|last| self.is_older_than(last)) {
            return None;
        }
        let logged = last.and_then(|last| last.sign.as_ref()?.logged);
        let mut copy = self.clone();
        if let Some(sign) = &mut copy.sign {
            sign.logged = sign.logged.max(logged);
        }
        Some(copy)
    }

    /// The last sign, or none, while the store does not answer.
    #[must_use]
    pub fn without_store(cache: &dyn SignCache) -> Self {
        let last = cache.last();
        Self {
            read_ms: last.as_ref().map_or(0, |last| last.read_ms),
            looked_ms: last.as_ref().map_or(0, |last| last.looked_ms),
            sign: last.and_then(|last| last.sign),
            is_old: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Birth;
    use crate::queue::Cursor;
    use crate::queue::{Live, TurnsOver};

    fn copy(epoch: u64, cursor: u64, length: u64) -> CachedSign {
        let sign = Sign {
            birth: Birth::default(),
            epoch,
            cursor: Cursor(cursor),
            length,
            front: None,
            regions: Vec::new(),
            over: TurnsOver::default(),
            credit: 0,
            measured: None,
            head: None,
            lines: None,
            logged: None,
            pops: None,
            sessions: None,
            origin: None,
            event: None,
            begun: None,
            live: Live::default(),
        };
        CachedSign::new(sign, Now::default())
    }

    #[test]
    fn a_copy_is_small_and_one_of_an_older_version_is_read() {
        let birth = r#""birth":{"born":0,"started":0,"adopted":0,"settled":0,"recent":0},"#;
        let older = r#"{"sign":{"epoch":1,"cursor":2,"length":3,"credit":0},"is_old":false}"#;
        let read: Option<CachedSign> = serde_json::from_str(older).ok();
        assert_eq!(read, Some(copy(1, 2, 3)));
        let written = serde_json::to_string(&copy(1, 2, 3)).ok();
        let live =
            r#","live":{"mode":"automatic","pace":{"automatic":0,"quantity":0},"version":0}},"#;
        let newer = older
            .replace("},", live)
            .replace("{\"epoch", &format!("{{{birth}\"epoch"))
            .replace("false}", r#"false,"read_ms":0,"looked_ms":0}"#);
        assert_eq!(written, Some(newer));
    }

    #[test]
    fn what_was_read_late_gives_way_to_what_was_seen_since_and_no_longer_than_a_copy_lives() {
        let at = |cursor, read_ms| CachedSign {
            read_ms,
            ..copy(1, cursor, 9)
        };
        let late = at(2, 10_000);
        let shown = |last| late.or_later(Some(last)).sign;
        assert_eq!(late.or_later(None), late);
        assert_eq!(shown(at(5, 10_300)), at(5, 0).sign);
        assert_eq!(shown(at(5, 8_001)), at(5, 0).sign);
        // A store that came back from a backup is believed.
        assert_eq!(shown(at(5, 8_000)), late.sign);
        assert_eq!(shown(at(1, 10_300)), late.sign);
        let drawn = CachedSign {
            looked_ms: 7_000,
            ..at(5, 10_300)
        };
        let looked = CachedSign {
            looked_ms: 10_000,
            ..late.clone()
        };
        assert_eq!(looked.or_later(Some(drawn)).looked_ms, 10_000);
    }

    #[test]
    fn a_copy_is_behind_by_epoch_cursor_length_and_version() {
        let nothing = CachedSign {
            sign: None,
            ..copy(1, 0, 0)
        };
        let mut on_hold = copy(1, 5, 7);
        if let Some(sign) = &mut on_hold.sign {
            sign.live.version = 1;
        }
        let copies = [
            nothing,
            copy(1, 2, 3),
            copy(1, 2, 9),
            copy(1, 5, 7),
            on_hold,
            copy(2, 0, 0),
        ];
        for (at, earlier) in copies.iter().enumerate() {
            for (after, later) in copies.iter().enumerate() {
                assert_eq!(earlier.is_older_than(later), at < after, "{at} and {after}");
            }
        }
    }
}
