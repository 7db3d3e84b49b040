//! A data centre's cache with whims: silent, losing what it is given, being given it late, or handing out what was overwritten.
//!
//! What is late is on its way until the data centre's clock reaches its time; the duty it fulfils is taken until then.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::cache::SessionEnds;
use now_serving::cache::outbox::{Batch, Outbox};
use now_serving::cache::session::Renewed;
use now_serving::cache::{AddressLists, LastBoard, StoreAnswers, TicketMark, TicketMarks};
use now_serving::cache::{
    AttemptLock, BoardCache, CachedBoard, LoginFailures, LoginThrottle, Lookup, Marker, Markers,
    Pop, Refresh, RefreshGuard,
};
use now_serving::queue::Board;
use now_serving::queue::Renewal;

use now_serving::cache::memory::{Behind, InMemoryCache};

/// How one request finds the cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheFault {
    /// As it should.
    #[default]
    Sound,
    /// It does not answer.
    Silent,
    /// It takes copies and forgets them.
    Forgetful,
    /// Copies reach it this many milliseconds after the store was read.
    Late(u64),
    /// The request reaches a node of the POP that is behind.
    Node(Behind),
}

/// The cache of one data centre; clones share everything.
#[derive(Clone)]
pub struct Cache {
    /// The sound cache behind it.
    pub memory: InMemoryCache,
    now_ms: Arc<AtomicU64>,
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    whim: Cell<CacheFault>,
    on_its_way: RefCell<Vec<OnItsWay>>,
}

struct OnItsWay {
    due_ms: u64,
    copy: CachedBoard,
    duty: Option<RefreshGuard>,
}

/// A duty that meets with the whim of the request that has it.
struct Errand(Cache, RefreshGuard);

impl Cache {
    /// A POP without a name of its own, whose clock shows this.
    #[must_use]
    pub fn new(now_ms: u64) -> Self {
        Self::in_pop("HERE", now_ms)
    }

    /// The cache of this POP.
    #[must_use]
    pub fn in_pop(pop: &str, now_ms: u64) -> Self {
        let now_ms = Arc::new(AtomicU64::new(now_ms));
        Self {
            memory: InMemoryCache::in_pop(pop, Arc::clone(&now_ms)),
            now_ms,
            state: Rc::default(),
        }
    }

    /// What the POP's clock shows.
    #[must_use]
    pub fn now_ms(&self) -> u64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    /// How requests find the cache from now on.
    pub fn is_from_now_on(&self, whim: CacheFault) {
        self.state.whim.set(whim);
        self.memory.hands_out(match whim {
            CacheFault::Node(behind) => behind,
            _ => Behind::default(),
        });
    }

    /// Lets time pass; everything on its way arrives exactly when it is due.
    pub fn wait(&self, time_ms: u64) {
        let end_ms = self.now_ms() + time_ms;
        let mut waiting = self.state.on_its_way.take();
        waiting.sort_by_key(|late| late.due_ms);
        for late in waiting {
            if late.due_ms > end_ms {
                self.state.on_its_way.borrow_mut().push(late);
                continue;
            }
            self.now_ms.store(late.due_ms, Ordering::SeqCst);
            match late.duty {
                Some(duty) => duty.renew(&late.copy),
                None => self.memory.put(&late.copy),
            }
        }
        self.now_ms.store(end_ms, Ordering::SeqCst);
    }

    fn take(&self, copy: &CachedBoard, duty: Option<RefreshGuard>) {
        match (self.state.whim.get(), duty) {
            (CacheFault::Forgetful, _) => {}
            (CacheFault::Late(late_ms), duty) => {
                self.state.on_its_way.borrow_mut().push(OnItsWay {
                    due_ms: self.now_ms() + late_ms,
                    copy: copy.clone(),
                    duty,
                });
            }
            (CacheFault::Sound | CacheFault::Silent | CacheFault::Node(_), Some(duty)) => {
                duty.renew(copy);
            }
            (CacheFault::Sound | CacheFault::Silent | CacheFault::Node(_), None) => {
                self.memory.put(copy);
            }
        }
    }

    fn answers(&self) -> bool {
        self.state.whim.get() != CacheFault::Silent
    }
}

impl LastBoard for Cache {
    fn last_board(&self) -> Option<Board> {
        self.last()?.board
    }
}

impl Markers for Cache {
    fn marker(&self, marker: Marker) -> Option<Vec<u8>> {
        self.answers().then(|| self.memory.marker(marker))?
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        if self.answers() && self.state.whim.get() != CacheFault::Forgetful {
            self.memory.put_marker(marker, note, life);
        }
    }

    fn alone(&self, marker: Marker, work: &mut dyn FnMut()) {
        if self.answers() {
            self.memory.alone(marker, work);
        }
    }
}

impl BoardCache for Cache {
    fn lookup(&self) -> Lookup {
        if !self.answers() {
            return Lookup::Unavailable;
        }
        let errand = |duty| -> RefreshGuard { Box::new(Errand(self.clone(), duty)) };
        match self.memory.lookup() {
            Lookup::Hit(copy, duty) => Lookup::Hit(copy, duty.map(errand)),
            Lookup::Miss(duty) => Lookup::Miss(errand(duty)),
            nothing => nothing,
        }
    }

    fn peek(&self) -> Option<CachedBoard> {
        self.answers().then(|| self.memory.peek())?
    }

    fn put(&self, copy: &CachedBoard) {
        self.take(copy, None);
    }

    fn remember(&self, copy: &CachedBoard) {
        let whim = self.state.whim.get();
        if matches!(whim, CacheFault::Sound | CacheFault::Node(_)) {
            self.memory.remember(copy);
        }
    }

    fn last(&self) -> Option<CachedBoard> {
        self.answers().then(|| self.memory.last())?
    }
}

impl LoginThrottle for Cache {
    fn wrong(&self, from: &str) -> Option<LoginFailures> {
        self.answers().then(|| self.memory.wrong(from))?
    }

    fn put_wrong(&self, from: &str, wrong: LoginFailures, life: Duration) {
        if self.answers() {
            self.memory.put_wrong(from, wrong, life);
        }
    }

    fn turn(&self, from: &str) -> AttemptLock {
        if self.answers() {
            self.memory.turn(from)
        } else {
            AttemptLock::Unknown
        }
    }

    fn pause(&self, time: Duration) {
        self.memory.pause(time);
    }
}

impl Outbox for Cache {
    fn batches(&self) -> Vec<Batch> {
        self.memory.batches()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        self.memory.acknowledge(batches);
    }
}

impl SessionEnds for Cache {
    fn session_end(&self, id: &str) -> Option<u64> {
        self.memory.session_end(id)
    }

    fn renew_session(&self, id: &str, renewal: Renewal, network: &str, life: Duration) -> Renewed {
        self.memory.renew_session(id, renewal, network, life)
    }

    fn forget_session(&self, id: &str) {
        self.memory.forget_session(id);
    }
}

impl TicketMarks for Cache {
    fn is_marked(&self, what: TicketMark, id: &str) -> bool {
        self.memory.is_marked(what, id)
    }

    fn mark(&self, what: TicketMark, id: &str) {
        self.memory.mark(what, id);
    }
}

impl StoreAnswers for Cache {
    fn answer(&self, asked: &str) -> Option<Vec<u8>> {
        self.memory.answer(asked)
    }

    fn keep_answer(&self, asked: &str, answer: &[u8]) {
        self.memory.keep_answer(asked, answer);
    }
}

impl AddressLists for Cache {
    fn listed(&self, _list: &str, _address: std::net::IpAddr) -> now_serving::cache::Listed {
        now_serving::cache::Listed::Unknown
    }
}

impl Pop for Cache {
    fn pop(&self) -> String {
        self.memory.pop()
    }
}

impl Refresh for Errand {
    fn renew(self: Box<Self>, copy: &CachedBoard) {
        let Self(cache, duty) = *self;
        cache.take(copy, Some(duty));
    }
}
