//! The cache of a POP in memory: the same promises as the platform's, on a clock that is turned by hand.
//!
//! A POP has several nodes. The one that a request reaches may hand out an object as it was before it was overwritten, as far
//! [`Behind`] as [`InMemoryCache::hands_out`] says.

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
    ANSWER_LIFE, AddressLists, AttemptLock, BoardCache, CachedBoard, LastBoard, Listed,
    LoginFailures, LoginThrottle, Lookup, MAX_AGE, Marker, Markers, Pop, Refresh, RefreshGuard,
    STALE_WHILE_REVALIDATE, SessionEnds, StoreAnswers, TicketMark, TicketMarks,
};
use crate::queue::health::LONGEST_MARKER_MS;
use crate::queue::{Board, Renewal};

/// Versions that were overwritten longer ago are in no node.
const LONGEST_BEHIND_MS: u64 = 10_000;

/// How many milliseconds ago what a node hands out may have been overwritten: at most ten seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Behind {
    /// The copy of the board.
    pub copy_ms: u64,
    /// All else that is overwritten: the last board, sessions, the outbox, notes, answers, wrong logins.
    pub overwritten_ms: u64,
}

/// One data centre's cache; clones share everything.
#[derive(Clone)]
pub struct InMemoryCache {
    now_ms: Arc<AtomicU64>,
    shelf: Rc<Shelf>,
    /// Until when each origin counts as sick, for all rooms.
    origins: Rc<Objects<String, u64>>,
}

/// An object of the cache: the version that was written last, behind those that a node may still hand out.
struct Versions<T>(Vec<Version<T>>);

#[derive(Clone)]
struct Version<T> {
    value: T,
    since: u64,
    until: u64,
}

struct Shelf {
    pop: String,
    behind: Cell<Behind>,
    /// For how many milliseconds what was overwritten is kept: not at all until a node is behind.
    kept_ms: Cell<u64>,
    copy: RefCell<Versions<CachedBoard>>,
    last: RefCell<Versions<CachedBoard>>,
    /// Whether somebody has the duty.
    on_duty: Cell<bool>,
    /// From where somebody was wrong.
    wrong: Objects<String, LoginFailures>,
    /// The sessions renewed here; nothing where one was forgotten.
    sessions: Objects<String, Option<Session>>,
    /// What was heard of tickets, and until when that is remembered.
    heard: RefCell<BTreeMap<(TicketMark, String), u64>>,
    /// What the store answered.
    answers: Objects<String, Vec<u8>>,
    /// From where somebody has a turn.
    turns: RefCell<BTreeSet<String>>,
    /// How long somebody was made to wait, all in all.
    paused: Cell<Duration>,
    slot: RefCell<Versions<OutboxSlot>>,
    /// What the lists of networks say, whatever the address.
    lists: BTreeMap<String, Listed>,
    markers: Objects<Marker, Vec<u8>>,
}

type Objects<Key, T> = RefCell<BTreeMap<Key, Versions<T>>>;

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
            behind: Cell::default(),
            kept_ms: Cell::default(),
            copy: RefCell::default(),
            last: RefCell::default(),
            on_duty: Cell::default(),
            wrong: RefCell::default(),
            sessions: RefCell::default(),
            heard: RefCell::default(),
            answers: RefCell::default(),
            turns: RefCell::default(),
            paused: Cell::default(),
            slot: RefCell::default(),
            lists,
            markers: RefCell::default(),
        });
        Self {
            now_ms,
            shelf,
            origins: Rc::default(),
        }
    }

    /// The cache of the same POP as another room has it, of which this one is new.
    #[must_use]
    pub fn beside(self, other: &Self) -> Self {
        Self {
            origins: Rc::clone(&other.origins),
            ..self
        }
    }

    /// From now on requests reach a node that is this far behind.
    pub fn hands_out(&self, behind: Behind) {
        self.shelf.behind.set(behind);
        if behind != Behind::default() {
            self.shelf.kept_ms.set(LONGEST_BEHIND_MS);
        }
    }

    /// What a request counted is put in when it has been answered and all is done.
    pub fn put_by(&self, tally: &Tally) {
        self.with_slot(|slot| slot.put(tally));
    }

    /// The cache needs the room for something else.
    pub fn lose_copy(&self) {
        self.shelf.copy.take();
    }

    /// How long all were made to wait, by a clock that stands still meanwhile.
    #[must_use]
    pub fn paused(&self) -> Duration {
        self.shelf.paused.get()
    }

    /// The cache needs the room of the last board, too.
    pub fn lose_last(&self) {
        self.shelf.last.take();
    }

    fn now(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    /// Now, and since when what was overwritten is kept.
    fn since(&self) -> [u64; 2] {
        let now = self.now();
        [now, now.saturating_sub(self.shelf.kept_ms.get())]
    }

    fn in_a(&self, time: Duration) -> u64 {
        self.now() + u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
    }

    /// What a request finds of an object that is overwritten.
    fn found<Key: Ord, T: Clone>(&self, objects: &Objects<Key, T>, key: &Key) -> Option<T> {
        self.overwritten(objects.borrow().get(key)?)
    }

    fn overwritten<T: Clone>(&self, object: &Versions<T>) -> Option<T> {
        let behind = self.shelf.behind.get().overwritten_ms;
        let found = object.found(self.now(), behind)?;
        Some(found.value.clone())
    }

    fn write<Key: Ord, T>(&self, objects: &Objects<Key, T>, key: Key, value: T, until: u64) {
        let mut objects = objects.borrow_mut();
        let object = objects.entry(key).or_default();
        object.write(value, self.since(), until);
    }

    /// A request changes the slot as it finds it. No other slot ever has its name: the store counts each number of a slot once.
    fn with_slot<T>(&self, work: impl FnOnce(&mut OutboxSlot) -> T) -> T {
        let mut object = self.shelf.slot.borrow_mut();
        let slot = match self.shelf.kept_ms.get() {
            0 => object.0.pop().map(|last| last.value),
            _ => self.overwritten(&object),
        };
        let mut slot = slot.unwrap_or_else(|| OutboxSlot::new(self.shelf.pop.to_lowercase()));
        let done = work(&mut slot);
        object.write(slot, self.since(), u64::MAX);
        done
    }

    /// The copy and its age, unless it has expired.
    fn copy(&self, behind_ms: u64) -> Option<(CachedBoard, u64)> {
        let copy = self.shelf.copy.borrow();
        let found = copy.found(self.now(), behind_ms)?;
        let age = self.now().saturating_sub(found.since);
        Some((found.value.clone(), age))
    }

    /// The same as a node hands it out.
    fn copy_of_a_node(&self) -> Option<(CachedBoard, u64)> {
        self.copy(self.shelf.behind.get().copy_ms)
    }

    /// The last board is written, and found for as long as this cache lasts.
    fn keep_last(&self, copy: CachedBoard) {
        let mut object = self.shelf.last.borrow_mut();
        object.write(copy, self.since(), u64::MAX);
    }

    fn duty(&self) -> Option<RefreshGuard> {
        let taken = self.shelf.on_duty.replace(true);
        (!taken).then(|| -> RefreshGuard { Box::new(OnDuty(self.clone())) })
    }
}

impl<T> Versions<T> {
    /// Puts a version up at this time, and forgets those that were overwritten longer ago than a node may be behind.
    fn write(&mut self, value: T, [since, oldest]: [u64; 2], until: u64) {
        while self.0.get(1).is_some_and(|next| next.since <= oldest) {
            self.0.remove(0);
        }
        self.0.push(Version {
            value,
            since,
            until,
        });
    }

    /// The last version, or the one before that a node has which is this far behind. What is not in a node it asks for.
    fn found(&self, now: u64, behind_ms: u64) -> Option<&Version<T>> {
        let lives = |version: &&Version<T>| now < version.until;
        let is_in_the_node = |version: &&Version<T>| version.since.saturating_add(behind_ms) <= now;
        let of_the_node = self.0.iter().rfind(is_in_the_node).filter(lives);
        let last = self.0.last().filter(lives);
        of_the_node.filter(|_| behind_ms > 0).or(last)
    }
}

impl<T> Default for Versions<T> {
    fn default() -> Self {
        Self(Vec::new())
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
        self.found(&self.shelf.markers, &marker)
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        let until = self.in_a(life);
        self.write(&self.shelf.markers, marker, note.to_vec(), until);
    }

    fn alone(&self, _marker: Marker, work: &mut dyn FnMut()) {
        work();
    }

    fn sick_until(&self, origin: &str) -> u64 {
        let found = self.found(&self.origins, &origin.to_owned());
        found.unwrap_or(0)
    }

    fn put_sick_until(&self, origin: &str, time_ms: u64) {
        let until = self.in_a(Duration::from_millis(LONGEST_MARKER_MS));
        self.write(&self.origins, origin.to_owned(), time_ms, until);
    }
}

impl LoginThrottle for InMemoryCache {
    fn wrong(&self, from: &str) -> Option<LoginFailures> {
        self.found(&self.shelf.wrong, &from.to_owned())
    }

    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration) {
        let until = self.in_a(life);
        self.write(&self.shelf.wrong, from.to_owned(), wrong, until);
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
    /// A node that is behind hands out its copy while that lives, without a duty: that is for the requests that find the last one.
    fn lookup(&self) -> Lookup {
        let last = self.copy(0);
        let of_the_node = self.copy_of_a_node();
        if let Some((copy, _)) = of_the_node.filter(|found| Some(found) != last.as_ref()) {
            return Lookup::Hit(Box::new(copy), None);
        }
        match last {
            Some((copy, age)) if is_fresh(age) => Lookup::Hit(Box::new(copy), None),
            Some((copy, _)) => Lookup::Hit(Box::new(copy), self.duty()),
            None => self.duty().map_or(Lookup::Timeout, Lookup::Miss),
        }
    }

    fn peek(&self) -> Option<CachedBoard> {
        let is_fresh = |found: &(CachedBoard, u64)| is_fresh(found.1);
        let found = self.copy_of_a_node().filter(is_fresh);
        let (copy, _) = found.or_else(|| self.copy(0).filter(is_fresh))?;
        Some(copy)
    }

    fn put(&self, copy: &CachedBoard) {
        let copy = copy.or_later(self.last());
        let until = self.in_a(MAX_AGE + STALE_WHILE_REVALIDATE);
        let mut object = self.shelf.copy.borrow_mut();
        object.write(copy.clone(), self.since(), until);
        if !copy.is_old {
            self.keep_last(copy);
        }
    }

    fn remember(&self, copy: &CachedBoard) {
        if let Some(copy) = copy.to_remember(self.last().as_ref()) {
            self.keep_last(copy);
        }
    }

    fn last(&self) -> Option<CachedBoard> {
        self.overwritten(&self.shelf.last.borrow())
    }
}

impl Outbox for InMemoryCache {
    fn batches(&self) -> Vec<Batch> {
        let slot = self.overwritten(&self.shelf.slot.borrow());
        if slot.is_none_or(|slot| slot.is_empty()) {
            return Vec::new();
        }
        self.with_slot(|slot| slot.batch(0)).into_iter().collect()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        for batch in batches {
            self.with_slot(|slot| slot.acknowledge(batch));
        }
    }
}

impl SessionEnds for InMemoryCache {
    fn session_end(&self, id: &str) -> Option<u64> {
        let session = self.found(&self.shelf.sessions, &id.to_owned())??;
        Some(session.end)
    }

    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed {
        let known = self.found(&self.shelf.sessions, &id.to_owned());
        let (changed, renewed) = Session::visited(known.flatten(), renewal, network);
        if changed.is_some() {
            let until = self.in_a(life);
            self.write(&self.shelf.sessions, id.to_owned(), changed, until);
        }
        renewed
    }

    fn forget_session(&self, id: &str) {
        if self.session_end(id).is_some() {
            let until = self.in_a(Duration::from_secs(1));
            self.write(&self.shelf.sessions, id.to_owned(), None, until);
        }
    }
}

impl TicketMarks for InMemoryCache {
    fn is_marked(&self, what: TicketMark, id: &str) -> bool {
        let heard = self.shelf.heard.borrow();
        let until = heard.get(&(what, id.to_owned()));
        until.is_some_and(|until| *until > self.now())
    }

    fn mark(&self, what: TicketMark, id: &str) {
        let until = self.in_a(what.kept());
        let mut heard = self.shelf.heard.borrow_mut();
        heard.insert((what, id.to_owned()), until);
    }
}

impl StoreAnswers for InMemoryCache {
    fn answer(&self, asked: &str) -> Option<Vec<u8>> {
        self.found(&self.shelf.answers, &asked.to_owned())
    }

    fn keep_answer(&self, asked: &str, answer: &[u8]) {
        let until = self.in_a(ANSWER_LIFE);
        let answer = answer.to_vec();
        self.write(&self.shelf.answers, asked.to_owned(), answer, until);
    }
}

impl AddressLists for InMemoryCache {
    fn listed(&self, list: &str, _address: IpAddr) -> Listed {
        let found = self.shelf.lists.get(list).copied();
        found.unwrap_or(Listed::Unknown)
    }
}

impl Pop for InMemoryCache {
    fn pop(&self) -> String {
        self.shelf.pop.clone()
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
