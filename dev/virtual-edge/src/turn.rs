//! One request, in the order in which the edge answers it (`src/edge/mod.rs`): decide, count, and then what could wait.

use std::cell::RefCell;
use std::io::Read;
use std::time::{Duration, Instant};

use now_serving::cache::Pop;
use now_serving::cache::outbox::Tally;
use now_serving::config::Config;
use now_serving::http::Call;
use now_serving::queue::{
    AboveBound, Noted, Now, Platform, Recount, Released, RoomName, SaysNothing,
};
use now_serving::request::Request;
use now_serving::service::{self, Outcome};
use now_serving::store::upstash::{Attempt, Attempts, StoreError, Transport};
use now_serving::visitor::visit::FollowUp;
use upstash_local::Store;

use crate::Direct;

/// How long a call of the store is counted to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// As long as it took on this machine.
    Measured,
    /// So long, in every run.
    Always(Duration),
}

/// What the store says of the line besides its answer: the edge logs it.
#[derive(Clone, Copy, Debug)]
pub enum Happened<'a> {
    /// Visitors who waited were released.
    Released(&'a Released),
    /// Lines of the journal were told.
    Noted(&'a Noted),
    /// It is not known who is inside.
    Recounts(&'a Recount),
}

impl Happened<'_> {
    /// Its line of the log.
    #[must_use]
    pub fn entry(self, room: &RoomName) -> String {
        match self {
            Self::Released(released) => service::released_entry(room, released),
            Self::Noted(noted) => service::noted_entry(room, noted),
            Self::Recounts(recount) => service::recount_entry(room, recount),
        }
    }
}

/// One request of a visitor or an operator, and what it counts.
pub struct Turn<'a> {
    call: &'a Call,
    config: &'a Config,
    pop: &'a dyn Pop,
    platform: &'a dyn Platform,
    now: Now,
    store: Counting<'a>,
}

/// The store for one request, counted as the edge counts. The edge refuses a call that a request may not make; here it is a
/// mistake of the rules.
struct Counting<'a> {
    direct: Direct,
    /// Another way to the store.
    way: Option<&'a dyn Transport>,
    takes: Takes,
    tally: RefCell<Tally>,
    hears: &'a dyn Fn(Happened<'_>),
    attempts: RefCell<Attempts>,
}

impl<'a> Turn<'a> {
    /// A request that came now.
    #[must_use]
    pub fn new(
        (call, now): (&'a Call, Now),
        config: &'a Config,
        (store, takes): (&Store, Takes),
        pop: &'a dyn Pop,
        hears: &'a dyn Fn(Happened<'_>),
    ) -> Self {
        Self {
            call,
            config,
            pop,
            platform: &SaysNothing,
            now,
            store: Counting {
                direct: Direct(store.clone()),
                way: None,
                takes,
                tally: RefCell::default(),
                hears,
                attempts: RefCell::default(),
            },
        }
    }

    /// The same on a platform that says something of the request.
    #[must_use]
    pub fn on(self, platform: &'a dyn Platform) -> Self {
        Self { platform, ..self }
    }

    /// The same by another way to the store, such as one on which calls are lost.
    #[must_use]
    pub fn by(mut self, way: &'a dyn Transport) -> Self {
        self.store.way = Some(way);
        self
    }

    /// The answer, counted.
    #[must_use]
    pub fn handle(&self, body: &mut dyn Read) -> Outcome {
        let outcome = service::handle(&self.request(), body);
        let mut tally = self.store.tally.borrow_mut();
        tally.decided(outcome.record.reason);
        if let Some(renewal) = outcome.renewal {
            tally.renewed(renewal);
        }
        if outcome.record.shared_ticket {
            tally.shared();
        }
        if outcome.record.above_network_bound == Some(AboveBound::Drawn) {
            tally.drawn_above_bound();
        }
        if let Some(invited) = outcome.record.invitation {
            tally.invited(invited);
        }
        if let Some(inversion) = outcome.record.inversion {
            tally.inverted(inversion);
        }
        for signal in &outcome.record.signals {
            tally.signalled(*signal);
        }
        if let Some(verdict) = outcome.record.waf {
            tally.inspected(verdict);
        }
        outcome
    }

    /// What could wait until the visitor had been answered: another call of the store may follow.
    pub fn afterwards(&self, after: FollowUp) {
        self.store.attempts.take();
        service::afterwards(after, &self.request());
    }

    /// What the request counted, for an outbox of its POP.
    #[must_use]
    pub fn tally(self) -> Tally {
        self.store.tally.into_inner()
    }

    fn request(&self) -> Request<'_> {
        let ports: (&dyn Transport, &dyn Pop) = (&self.store, self.pop);
        Request {
            platform: self.platform,
            ..Request::new(self.call, self.config, ports, self.now)
        }
    }
}

impl Transport for Counting<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        assert!(
            self.attempts.borrow().take(attempt),
            "a second call: {body}"
        );
        let began = Instant::now();
        let answer = self.way.unwrap_or(&self.direct).post(body, attempt);
        let took = match self.takes {
            Takes::Measured => began.elapsed(),
            Takes::Always(time) => time,
        };
        self.tally.borrow_mut().called(took);
        answer
    }

    fn failed(&self, fault: &StoreError) {
        self.tally.borrow_mut().failed(fault.kind());
    }

    fn released(&self, released: &Released) {
        (self.hears)(Happened::Released(released));
    }

    fn noted(&self, noted: &Noted) {
        (self.hears)(Happened::Noted(noted));
    }

    fn recounts(&self, recount: &Recount) {
        (self.hears)(Happened::Recounts(recount));
    }
}
