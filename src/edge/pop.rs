//! What a POP remembers, in the platform's cache: the last board, logins, markers, ends of sessions, the outbox.

use std::cell::{OnceCell, RefCell};
use std::net::IpAddr;
use std::rc::Rc;
use std::time::Duration;

use fastly::Acl;
use fastly::cache::core::{CacheError, CacheKey, Transaction};

use now_serving::cache::outbox::{Batch, Outbox};
use now_serving::cache::session::{FORGOTTEN, Renewed, Session};
use now_serving::cache::{
    ANSWER_LIFE, AddressLists, AttemptLock, BoardCache, CachedBoard, LastBoard, Listed,
    LoginFailures, LoginThrottle, Marker, Markers, Pop, SandboxCopy, SessionEnds, StoreAnswers,
    TURN_TIMEOUT, TicketMark, TicketMarks, decode, encode,
};
use now_serving::queue::health::LONGEST_MARKER_MS;
use now_serving::queue::{Board, Now, Renewal};

use super::lock::alone;
use super::objects::{Overwritten, WrittenOnce};
use super::outbox::{Counts, NEWS_SLOT, QUIET_MS, SHORT_TURN};
use super::{now, variable};

/// The data centre's cache: the copy of the board, and the last one there was.
#[derive(Clone)]
pub(super) struct PlatformCache {
    /// The last board as this request found it: it is asked after in several places, and every time is an operation of the cache.
    pub(super) found: OnceCell<Option<CachedBoard>>,
    /// What this sandbox has from before.
    pub(super) kept: Rc<RefCell<SandboxCopy>>,
    pub(super) counts: Counts,
    pub(super) now: Now,
}

impl PlatformCache {
    pub(super) fn new(counts: &Counts, kept: &Rc<RefCell<SandboxCopy>>, now: Now) -> Self {
        Self {
            found: OnceCell::new(),
            kept: Rc::clone(kept),
            counts: counts.clone(),
            now,
        }
    }

    fn session_key(&self, id: &str) -> CacheKey {
        CacheKey::from(self.counts.room().cache_key_of("session", id))
    }

    fn once(&self, what: TicketMark, id: &str) -> WrittenOnce {
        let key = self.counts.room().cache_key_of(what.name(), id);
        WrittenOnce::at(CacheKey::from(key))
    }

    fn kept_answer(&self, asked: &str) -> Overwritten {
        let key = self.counts.room().cache_key_of("answer", asked);
        Overwritten::at(CacheKey::from(key))
    }

    fn note(&self, marker: Marker) -> Overwritten {
        let key = self.counts.room().cache_key(marker.name());
        Overwritten::at(CacheKey::from(key))
    }

    fn session(&self, id: &str) -> Option<Session> {
        let found = Overwritten::at(self.session_key(id)).found()?;
        decode(&found.user_metadata())
    }

    fn keep_session(&self, id: &str, written: Vec<u8>, life: Duration) {
        // What cannot be kept the next visit tells once more.
        let _ = Overwritten::at(self.session_key(id)).write(written, life);
    }
}

impl LastBoard for PlatformCache {
    fn last_board(&self) -> Option<Board> {
        self.last()?.board
    }

    fn notes(&self) -> Option<&dyn Markers> {
        Some(self)
    }
}

impl Markers for PlatformCache {
    fn marker(&self, marker: Marker) -> Option<Vec<u8>> {
        let found = self.note(marker).found()?;
        Some(found.user_metadata().to_vec())
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        // Without a note the next request goes by what it finds out by itself.
        let _ = self.note(marker).write(note.to_vec(), life);
    }

    fn alone(&self, marker: Marker, work: &mut dyn FnMut()) {
        let key = CacheKey::from(
            self.counts
                .room()
                .cache_key(&format!("{}-lock", marker.name())),
        );
        let _ = alone(key, SHORT_TURN, work);
    }

    fn sick_until(&self, origin: &str) -> u64 {
        let found = sick_origin(origin).found();
        let kept = found.and_then(|found| decode(&found.user_metadata()));
        kept.unwrap_or(0)
    }

    fn put_sick_until(&self, origin: &str, time_ms: u64) {
        // Without it the other rooms go by the answers that they hear of themselves.
        let life = Duration::from_millis(LONGEST_MARKER_MS);
        let _ = sick_origin(origin).write(encode(&time_ms), life);
    }
}

/// Where it is kept of an origin, for all rooms that have it.
fn sick_origin(origin: &str) -> Overwritten {
    Overwritten::at(CacheKey::from(format!("origin-sick:{origin}")))
}

impl LoginThrottle for PlatformCache {
    fn wrong(&self, from: &str) -> Option<LoginFailures> {
        let found = wrong_logins(from).found()?;
        decode(&found.user_metadata())
    }

    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration) {
        // If the cache does not take the count, the next login is not slowed.
        let _ = wrong_logins(from).write(encode(&wrong), life);
    }

    /// Nobody ever puts up what the transaction is for, so it goes from one to the next.
    fn turn(&self, from: &str) -> AttemptLock {
        let asked = Transaction::lookup(login_key("turn", from)).timeout(TURN_TIMEOUT);
        match asked.execute() {
            Ok(turn) if turn.must_insert_or_update() => AttemptLock::Mine(Box::new(turn)),
            Err(CacheError::Timeout) => AttemptLock::Late,
            Ok(_) | Err(_) => AttemptLock::Unknown,
        }
    }
}

impl SessionEnds for PlatformCache {
    fn session_end(&self, id: &str) -> Option<u64> {
        Some(self.session(id)?.end)
    }

    /// Where it is another request's turn, that one tells it.
    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed {
        let lock = self.session_key(&format!("{id}-lock"));
        let renewed = alone(lock, SHORT_TURN, || {
            let (changed, renewed) = Session::visited(self.session(id), renewal, network);
            if let Some(session) = changed {
                self.keep_session(id, encode(&session), life);
            }
            renewed
        });
        renewed.unwrap_or_default()
    }

    fn forget_session(&self, id: &str) {
        if self.session_end(id).is_some() {
            self.keep_session(id, FORGOTTEN.into(), Duration::from_secs(1));
        }
    }
}

impl Outbox for PlatformCache {
    fn batches(&self) -> Vec<Batch> {
        self.counts.flush_into_outbox(SHORT_TURN);
        let batches = (0..=NEWS_SLOT).filter_map(|place| self.counts.batch_of(place));
        batches.collect()
    }

    /// One outbox, at random. A POP that has been quiet sends them all: its next refresh may be far away. So does one under a cap,
    /// since the store is to hear of each renewal before the session ends by what it knows.
    fn next_batches(&self) -> Vec<Batch> {
        let last = self.last();
        let is_quiet = last
            .as_ref()
            .is_none_or(|last| now().ms().saturating_sub(last.read_ms) > QUIET_MS);
        let board = last.as_ref().and_then(|last| last.board.as_ref());
        if is_quiet || board.is_some_and(|board| board.sessions.is_some()) {
            return self.batches();
        }
        let is_watched =
            last.is_some_and(|last| last.board.is_some_and(|board| board.origin.is_some()));
        let news = is_watched
            .then(|| self.counts.batch_of(NEWS_SLOT))
            .flatten();
        self.counts.next_batch().into_iter().chain(news).collect()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        for batch in batches {
            self.counts.acknowledge(batch);
        }
    }
}

impl TicketMarks for PlatformCache {
    fn is_marked(&self, what: TicketMark, id: &str) -> bool {
        self.once(what, id).exists()
    }

    fn mark(&self, what: TicketMark, id: &str) {
        // What cannot be remembered counts again.
        let _ = self.once(what, id).write(what.kept());
    }
}

impl StoreAnswers for PlatformCache {
    fn answer(&self, asked: &str) -> Option<Vec<u8>> {
        let found = self.kept_answer(asked).found()?;
        Some(found.user_metadata().to_vec())
    }

    fn keep_answer(&self, asked: &str, answer: &[u8]) {
        // Without it the next request asks the store.
        let _ = self.kept_answer(asked).write(answer.to_vec(), ANSWER_LIFE);
    }
}

impl AddressLists for PlatformCache {
    fn listed(&self, list: &str, address: IpAddr) -> Listed {
        let found = Acl::open(list).map(|acl| acl.try_lookup(address));
        match found {
            Ok(Ok(Some(entry))) if entry.is_allow() => Listed::Allowed,
            Ok(Ok(_)) => Listed::Not,
            Ok(Err(_)) | Err(_) => Listed::Unknown,
        }
    }
}

impl Pop for PlatformCache {
    fn pop(&self) -> String {
        variable("FASTLY_POP")
    }
}

/// The wrong logins from a place.
fn wrong_logins(from: &str) -> Overwritten {
    Overwritten::at(login_key("wrong", from))
}

/// Of the logins that all rooms share.
fn login_key(name: &str, from: &str) -> CacheKey {
    CacheKey::from(format!("login-{name}:{from}"))
}
