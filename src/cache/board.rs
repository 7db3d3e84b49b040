//! The copy of the board near the visitor: one per data centre, so that waiting costs the store nothing.
//!
//! Invariant: the cursor only grows, so an old copy can make a visitor wait a little longer and never lets a visitor in
//! too early. A copy is fresh for a second; in the second after that it still serves while one request renews it.

use std::mem;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::codec::{decode, encode};
use super::marker::Markers;
use crate::queue::{Board, FORMAT, Logged, Mode, Now};

/// How long a copy is as good as the board.
pub const MAX_AGE: Duration = Duration::from_secs(1);
/// How long it serves on while one request renews it. Together: nobody sees a board older than two seconds
/// while the store answers.
pub const STALE_WHILE_REVALIDATE: Duration = Duration::from_secs(1);
/// How long a board is good enough for visitors inside while no visitor waits. Renewed in the second after: so while they
/// come, none goes in by a board older than ten seconds, and a site with no line costs a tenth.
pub const MAX_AGE_WITHOUT_A_LINE: Duration = Duration::from_secs(9);
/// How long a board is good enough before an event, when no visitor draws: so within a minute a POP hears of an event that was
/// brought forward.
const MAX_AGE_BEFORE_AN_EVENT: Duration = Duration::from_mins(1);
/// How long the last board is kept for the time when the store does not answer.
pub const LAST_BOARD_TTL: Duration = Duration::from_hours(1);
/// The longest a request waits for another one to read the board.
pub const LOOKUP_TIMEOUT: Duration = Duration::from_millis(500);

/// What this POP knows, from its own cache and never from a cookie: every call to the store brings the last board, so that data
/// the store lost come back.
pub trait LastBoard {
    /// The last board.
    fn last_board(&self) -> Option<Board>;
    /// The small notes that it keeps, where it keeps any.
    fn notes(&self) -> Option<&dyn Markers> {
        None
    }
}

/// A POP that knows no board.
pub struct NoBoard;

impl LastBoard for NoBoard {
    fn last_board(&self) -> Option<Board> {
        None
    }
}

/// A copy of the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachedBoard {
    /// What it shows; `None` when the store did not answer and nothing was known.
    pub board: Option<Board>,
    /// Whether the store failed to answer since.
    pub is_old: bool,
    /// When the store showed it (Unix time in milliseconds).
    pub read_ms: u64,
    /// When a look showed it last: a draw shows the board too, but brings the store nothing that was counted, and is not
    /// what tells the store that this data centre is there.
    pub looked_ms: u64,
}

/// What a POP adds to the text of a board: a line of its own in front of it.
#[derive(Serialize, Deserialize)]
struct Added {
    is_old: bool,
    read_ms: u64,
    looked_ms: u64,
    logged: Option<Logged>,
}

/// Reads the text that a store wrote; nothing where it cannot be read.
#[must_use]
pub fn read_board(text: String, logged: Option<Logged>) -> Option<Board> {
    let mut board: Board = serde_json::from_str(&text).ok()?;
    if board.format != FORMAT || !board.is_exact() {
        return None;
    }
    board.brought.pace_after = board.live.pace;
    board.live = mem::take(&mut board.live).with(&board.brought);
    (board.text, board.logged) = (text, logged);
    Some(board)
}

/// What the data centre has.
pub enum Lookup {
    /// A copy; the request that is handed the duty renews it once the visitor has been answered.
    Hit(Box<CachedBoard>, Option<RefreshGuard>),
    /// Nothing: this request reads the board for everybody who waits for it.
    Miss(RefreshGuard),
    /// Another request reads the board for everybody, and takes longer than the store may.
    Timeout,
    /// The cache cannot say: this request asks the store for itself, as if there were no cache.
    Unavailable,
}

/// The duty of one request to renew the copy. Dropped, it goes to the next one.
pub type RefreshGuard = Box<dyn Refresh>;

/// Fulfils a duty.
pub trait Refresh {
    /// Puts the copy up, or the last board where that is later, and wakes the requests that wait for it.
    fn renew(self: Box<Self>, copy: &CachedBoard);
}

/// Where the copy of the board is kept, and the last one that was seen.
pub trait BoardCache: LastBoard {
    /// The copy, with a duty for one request at a time.
    fn lookup(&self) -> Lookup;
    /// The same for a request that expects no fresh copy, so that none is looked for before the duty.
    fn lookup_old(&self) -> Lookup {
        self.lookup()
    }
    /// The copy if there is a fresh one, without waiting and without a duty.
    fn peek(&self) -> Option<CachedBoard>;
    /// The copy as the sandbox has it from before, for an update to a visitor who still waits by it: without asking the POP.
    fn kept(&self, _now: Now) -> Option<CachedBoard> {
        None
    }
    /// Puts up what a permit just saw, or the last board where that is later.
    fn put(&self, copy: &CachedBoard);
    /// Keeps what a draw just saw as the last board, unless that is behind the one there: the copy is left to the looks.
    fn remember(&self, copy: &CachedBoard);
    /// The last board that was read when this request first asked, for the time when the store does not answer or no
    /// visitor has looked. It is never behind the copy.
    fn last(&self) -> Option<CachedBoard>;
    /// The last board for a visitor inside, who may be judged by what the sandbox has from before.
    fn last_for_inside(&self, _now: Now) -> Option<CachedBoard> {
        self.last()
    }
}

impl CachedBoard {
    /// As it lies in the cache: what this POP adds, and the text as it came.
    #[must_use]
    pub fn written(&self) -> Vec<u8> {
        let added = Added {
            is_old: self.is_old,
            read_ms: self.read_ms,
            looked_ms: self.looked_ms,
            logged: self.board.as_ref().and_then(|board| board.logged),
        };
        let text = self.board.as_ref().map_or("", |board| &board.text);
        let mut written = encode(&added);
        written.push(b'\n');
        written.extend_from_slice(text.as_bytes());
        written
    }

    /// Reads what was written; nothing where it cannot be read.
    #[must_use]
    pub fn read(written: &[u8]) -> Option<Self> {
        let (added, text) = std::str::from_utf8(written).ok()?.split_once('\n')?;
        let added: Added = decode(added.as_bytes())?;
        let board = match text {
            "" => None,
            text => Some(read_board(text.to_owned(), added.logged)?),
        };
        Some(Self {
            board,
            is_old: added.is_old,
            read_ms: added.read_ms,
            looked_ms: added.looked_ms,
        })
    }

    /// A board just read.
    #[must_use]
    pub fn new(board: Board, now: Now) -> Self {
        Self {
            board: Some(board),
            is_old: false,
            read_ms: now.ms(),
            looked_ms: now.ms(),
        }
    }

    /// A board that a draw showed, after this look.
    #[must_use]
    pub fn drawn(board: Board, now: Now, last: Option<&Self>) -> Self {
        Self {
            looked_ms: last.map_or(0, |last| last.looked_ms),
            ..Self::new(board, now)
        }
    }

    /// Whether a look showed it a second ago at most.
    #[must_use]
    pub fn is_fresh(&self, now: Now) -> bool {
        self.was_looked_at_within(MAX_AGE, now)
    }

    /// Whether admitted visitors can be judged by it: while no visitor waits, for longer than a copy is fresh. An open room
    /// never has a line, and its board has to be young when the store goes away; and where a cap holds, it brings renewals soon.
    #[must_use]
    pub fn is_fresh_inside(&self, now: Now) -> bool {
        let is_without_line = |board: &Board| {
            board.waiting() == 0 && board.scheduled_mode() != Mode::Open && board.sessions.is_none()
        };
        let has_no_line = self.board.as_ref().is_some_and(is_without_line);
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

    /// What to put up after the store was asked: the board it showed, or the last one while it does not answer.
    #[must_use]
    pub fn of(answer: Option<Board>, cache: &dyn BoardCache, now: Now) -> Self {
        answer.map_or_else(|| Self::last_known(cache), |board| Self::new(board, now))
    }

    /// Whether it shows less than another: it was read earlier, however late it comes. A store that lost its memory is
    /// believed once the other copy has expired.
    #[must_use]
    pub fn is_older_than(&self, other: &Self) -> bool {
        let reached = |copy: &Self| {
            let board = copy.board.as_ref()?;
            Some((
                board.order(),
                board.epoch,
                board.in_all_lanes(),
                board.live.version,
            ))
        };
        reached(self) < reached(other)
    }

    /// What to put up: this, or the last board where that shows more and was not read long before. A renewal whose answer comes late
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

    /// What a draw leaves as the last board, unless it is behind that. A draw that was on its way meanwhile takes nothing away of what
    /// the log has.
    #[must_use]
    pub fn to_remember(&self, last: Option<&Self>) -> Option<Self> {
        if last.is_some_and(|last| self.is_older_than(last)) {
            return None;
        }
        let logged = last.and_then(|last| last.board.as_ref()?.logged);
        let mut copy = self.clone();
        if let Some(board) = &mut copy.board {
            board.logged = board.logged.max(logged);
        }
        Some(copy)
    }

    /// The last board, or none, while the store does not answer.
    #[must_use]
    pub fn last_known(cache: &dyn BoardCache) -> Self {
        let last = cache.last();
        Self {
            read_ms: last.as_ref().map_or(0, |last| last.read_ms),
            looked_ms: last.as_ref().map_or(0, |last| last.looked_ms),
            board: last.and_then(|last| last.board),
            is_old: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Cursor, Stretch};

    fn copy(epoch: u64, cursor: u64, length: u64) -> CachedBoard {
        let board = Board {
            epoch,
            rolls: vec![Stretch::new(0, cursor, length)],
            ..Board::default()
        };
        CachedBoard::new(board, Now::default())
    }

    #[test]
    fn a_copy_is_the_text_as_it_came_behind_what_the_pop_adds() {
        let text = r#"{"format":1,"own":9,"merged":0,"young":true,"epoch":1,"visits_epoch":1,"rolls":[{"born":9,"served":2,"drawn":3}],
            "credit":0,"of a later version":"a\/b","live":{"mode":"hold","pace":{"automatic":15,"quantity":5},"paced":false,"version":1}}"#;
        let text = text.replace('\n', "");
        let logged = Logged::read("7 0123456789abcdef");
        let board = read_board(text.clone(), logged);
        assert_eq!(
            board.as_ref().map(|board| (board.cursor(), board.logged)),
            Some((Cursor(2), logged))
        );
        let copy = CachedBoard {
            board,
            is_old: false,
            read_ms: 5,
            looked_ms: 4,
        };
        let written = copy.written();
        assert!(written.ends_with(text.as_bytes()));
        assert_eq!(CachedBoard::read(&written), Some(copy.clone()));
        let nothing = CachedBoard {
            board: None,
            is_old: true,
            ..copy
        };
        assert_eq!(CachedBoard::read(&nothing.written()), Some(nothing));
        for spoilt in [
            "",
            "{}",
            "{}\n",
            "{\"is_old\":false,\"read_ms\":5,\"looked_ms\":4,\"logged\":null}\n{}",
        ] {
            assert_eq!(CachedBoard::read(spoilt.as_bytes()), None, "{spoilt}");
        }
    }

    #[test]
    fn what_was_read_late_gives_way_to_what_was_seen_since_and_no_longer_than_a_copy_lives() {
        let at = |cursor, read_ms| CachedBoard {
            read_ms,
            ..copy(1, cursor, 9)
        };
        let late = at(2, 10_000);
        let shown = |last| late.or_later(Some(last)).board;
        assert_eq!(late.or_later(None), late);
        assert_eq!(shown(at(5, 10_300)), at(5, 0).board);
        assert_eq!(shown(at(5, 8_001)), at(5, 0).board);
        // A store that came back from a backup is believed.
        assert_eq!(shown(at(5, 8_000)), late.board);
        assert_eq!(shown(at(1, 10_300)), late.board);
        let drawn = CachedBoard {
            looked_ms: 7_000,
            ..at(5, 10_300)
        };
        let looked = CachedBoard {
            looked_ms: 10_000,
            ..late.clone()
        };
        assert_eq!(looked.or_later(Some(drawn)).looked_ms, 10_000);
    }

    #[test]
    fn a_copy_is_behind_by_epoch_cursor_length_and_version() {
        let nothing = CachedBoard {
            board: None,
            ..copy(1, 0, 0)
        };
        let mut on_hold = copy(1, 5, 7);
        if let Some(board) = &mut on_hold.board {
            board.live.version = 1;
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
