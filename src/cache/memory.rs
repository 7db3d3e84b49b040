//! The cache of a POP in memory: the same promises as the platform's, on a clock that is turned by hand.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::cache::outbox::{Batch, Outbox, OutboxSlot, Tally};
use crate::cache::session::{Renewed, Session};
use crate::cache::{
    ANSWER_LIFE, AttemptLock, BoardCache, CachedBoard, LastBoard, Listed, LoginFailures,
    LoginThrottle, Lookup, MAX_AGE, Marker, Markers, Once, Pop, Refresh, RefreshGuard,
    STALE_WHILE_REVALIDATE, SessionEnds,
};
use crate::queue::{Board, Renewal};

/// One data centre's cache; clones share everything.
#[derive(Clone)]
pub struct InMemoryCache {
    now_ms: Arc<AtomicU64>,
    shelf: Rc<Shelf>,
}

struct Shelf {
    pop: String,
    /// The copy, and when it was put up.
    copy: RefCell<Option<(CachedBoard, u64)>>,
    last: RefCell<Option<CachedBoard>>,
    /// Whether somebody has the duty.
    on_duty: Cell<bool>,
    /// From where somebody was wrong, and until when that counts.
    wrong: RefCell<BTreeMap<String, (LoginFailures, u64)>>,
    /// The sessions renewed here, and until when each is kept.
    sessions: RefCell<BTreeMap<String, (Session, u64)>>,
    /// What was heard of tickets, and until when that is remembered.
    heard: RefCell<BTreeMap<(Once, String), u64>>,
    /// What the store answered, and until when that is kept.
    answers: RefCell<BTreeMap<String, (Vec<u8>, u64)>>,
    /// From where somebody has a turn.
    turns: RefCell<BTreeSet<String>>,
    /// How long somebody was made to wait, all in all.
    paused: Cell<Duration>,
    till: RefCell<OutboxSlot>,
    /// What the lists of networks say, whatever the address.
    lists: BTreeMap<String, Listed>,
    /// Each note, and until when it is kept.
    markers: RefCell<BTreeMap<Marker, (Vec<u8>, u64)>>,
}

struct OnDuty(InMemoryCache);

/// A turn to log in.
struct InTurn(InMemoryCache, String);

impl InMemoryCache {
    /// A POP without a name of its own.
    #[must_use]
    pub fn new(now_ms: Arc<AtomicU64>) -> Self {
        Self::in_pop("HERE", now_ms)
    }

    /// The cache of this POP.
    #[must_use]
    pub fn in_pop(pop: &str, now_ms: Arc<AtomicU64>) -> Self {
        Self::with_lists(pop, BTreeMap::new(), now_ms)
    }

    /// The same, with what the platform's lists of networks say.
    #[must_use]
    pub fn with_lists(pop: &str, lists: BTreeMap<String, Listed>, now_ms: Arc<AtomicU64>) -> Self {
        let shelf = Rc::new(Shelf {
            pop: pop.to_owned(),
            copy: RefCell::default(),
            last: RefCell::default(),
            on_duty: Cell::default(),
            wrong: RefCell::default(),
            sessions: RefCell::default(),
            heard: RefCell::default(),
            answers: RefCell::default(),
            turns: RefCell::default(),
            paused: Cell::default(),
            // No other till ever has its name: the store counts each number of a till once.
            till: RefCell::new(OutboxSlot::new(pop.to_lowercase())),
            lists,
            markers: RefCell::default(),
        });
        Self { now_ms, shelf }
    }

    /// What a request counted is put in when it has been answered and all is done.
    pub fn put_by(&self, tally: &Tally) {
        self.shelf.till.borrow_mut().put(tally);
    }

    /// The cache needs the room for something else.
    pub fn lose_copy(&self) {
        self.shelf.copy.replace(None);
    }

    /// How long all were made to wait, by a clock that stands still meanwhile.
    #[must_use]
    pub fn paused(&self) -> Duration {
        self.shelf.paused.get()
    }

    /// The cache needs the room of the last board, too.
    pub fn lose_last(&self) {
        self.shelf.last.replace(None);
    }

    fn now(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn session(&self, id: &str) -> Option<Session> {
        let (session, until) = self.shelf.sessions.borrow().get(id).cloned()?;
        (self.now() < until).then_some(session)
    }

    fn in_a(&self, time: Duration) -> u64 {
        self.now() + u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    }

    /// The copy and its age, unless it has expired.
    fn found(&self) -> Option<(CachedBoard, u64)> {
        let (copy, since) = self.shelf.copy.borrow().clone()?;
        let age = self.now().saturating_sub(since);
        let life =
            u64::try_from((MAX_AGE + STALE_WHILE_REVALIDATE).as_millis()).unwrap_or(u64::MAX);
        (age < life).then_some((copy, age))
    }

    fn duty(&self) -> Option<RefreshGuard> {
        let taken = self.shelf.on_duty.replace(true);
        (!taken).then(|| -> RefreshGuard { Box::new(OnDuty(self.clone())) })
    }
}

fn is_fresh(age: u64) -> bool {
    u128::from(age) < MAX_AGE.as_millis()
}

impl LastBoard for InMemoryCache {
    fn last_board(&self) -> Option<Board> {
        self.last()?.board
    }

    fn notes(&self) -> Option<&dyn Markers> {
        Some(self)
    }
}

impl Markers for InMemoryCache {
    fn marker(&self, marker: Marker) -> Option<Vec<u8>> {
        let (note, until) = self.shelf.markers.borrow().get(&marker).cloned()?;
        (self.now() < until).then_some(note)
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        let until = self.in_a(life);
        let mut markers = self.shelf.markers.borrow_mut();
        markers.insert(marker, (note.to_vec(), until));
    }

    fn alone(&self, _marker: Marker, work: &mut dyn FnMut()) {
        work();
    }
}

impl LoginThrottle for InMemoryCache {
    fn wrong(&self, from: &str) -> Option<LoginFailures> {
        let (wrong, until) = self.shelf.wrong.borrow().get(from).copied()?;
        (self.now() < until).then_some(wrong)
    }

    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration) {
        let until = self.in_a(life);
        let mut known = self.shelf.wrong.borrow_mut();
        known.insert(from.to_owned(), (wrong, until));
    }

    fn turn(&self, from: &str) -> AttemptLock {
        let is_free = self.shelf.turns.borrow_mut().insert(from.to_owned());
        if is_free {
            AttemptLock::Mine(Box::new(InTurn(self.clone(), from.to_owned())))
        } else {
            AttemptLock::Late
        }
    }

    fn pause(&self, time: Duration) {
        self.shelf.paused.set(self.paused() + time);
    }
}

impl Drop for InTurn {
    fn drop(&mut self) {
        self.0.shelf.turns.borrow_mut().remove(&self.1);
    }
}

impl BoardCache for InMemoryCache {
    fn lookup(&self) -> Lookup {
        match self.found() {
            Some((copy, age)) if is_fresh(age) => Lookup::Hit(Box::new(copy), None),
            Some((copy, _)) => Lookup::Hit(Box::new(copy), self.duty()),
            None => self.duty().map_or(Lookup::Timeout, Lookup::Miss),
        }
    }

    fn peek(&self) -> Option<CachedBoard> {
        let (copy, age) = self.found()?;
        is_fresh(age).then_some(copy)
    }

    fn put(&self, copy: &CachedBoard) {
        if self
            .found()
            .is_some_and(|(there, _)| copy.is_older_than(&there))
        {
            return;
        }
        let copy = copy.or_later(self.last());
        self.shelf.copy.replace(Some((copy.clone(), self.now())));
        if !copy.is_old {
            self.shelf.last.replace(Some(copy));
        }
    }

    fn remember(&self, copy: &CachedBoard) {
        if let Some(copy) = copy.to_remember(self.last().as_ref()) {
            self.shelf.last.replace(Some(copy));
        }
    }

    fn last(&self) -> Option<CachedBoard> {
        self.shelf.last.borrow().clone()
    }
}

impl Outbox for InMemoryCache {
    fn batches(&self) -> Vec<Batch> {
        self.shelf.till.borrow_mut().batch(0).into_iter().collect()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        for batch in batches {
            self.shelf.till.borrow_mut().acknowledge(batch);
        }
    }
}

impl SessionEnds for InMemoryCache {
    fn session_end(&self, id: &str) -> Option<u64> {
        Some(self.session(id)?.end)
    }

    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed {
        let (changed, renewed) = Session::visited(self.session(id), renewal, network);
        if let Some(session) = changed {
            let until = self.in_a(life);
            let sessions = &self.shelf.sessions;
            sessions
                .borrow_mut()
                .insert(id.to_owned(), (session, until));
        }
        renewed
    }

    fn forget_session(&self, id: &str) {
        self.shelf.sessions.borrow_mut().remove(id);
    }
}

impl Pop for InMemoryCache {
    fn listed(&self, list: &str, _address: IpAddr) -> Listed {
        let found = self.shelf.lists.get(list).copied();
        found.unwrap_or(Listed::Unknown)
    }

    fn pop(&self) -> String {
        self.shelf.pop.clone()
    }

    fn answer(&self, asked: &str) -> Option<Vec<u8>> {
        let (answer, until) = self.shelf.answers.borrow().get(asked).cloned()?;
        (self.now() < until).then_some(answer)
    }

    fn keep_answer(&self, asked: &str, answer: &[u8]) {
        let until = self.in_a(ANSWER_LIFE);
        let mut answers = self.shelf.answers.borrow_mut();
        answers.insert(asked.to_owned(), (answer.to_vec(), until));
    }

    fn has_heard(&self, what: Once, id: &str) -> bool {
        let heard = self.shelf.heard.borrow();
        let until = heard.get(&(what, id.to_owned()));
        until.is_some_and(|until| *until > self.now())
    }

    fn hear(&self, what: Once, id: &str) {
        let until = self.in_a(what.kept());
        let mut heard = self.shelf.heard.borrow_mut();
        heard.insert((what, id.to_owned()), until);
    }
}

impl Refresh for OnDuty {
    fn renew(self: Box<Self>, copy: &CachedBoard) {
        self.0.put(copy);
    }
}

/// Fulfilled or dropped, the duty is free again.
impl Drop for OnDuty {
    fn drop(&mut self) {
        self.0.shelf.on_duty.replace(false);
    }
}
