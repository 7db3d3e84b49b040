//! One request, in the order in which every host answers it (`src/service/serve.rs`).

use std::cell::RefCell;
use std::io::Read;
use std::time::{Duration, Instant};

use now_serving::cache::Pop;
use now_serving::cache::outbox::Tally;
use now_serving::config::Config;
use now_serving::http::{Answer, Call};
use now_serving::queue::{
    AnsweredTo, Noted, Now, Platform, Recount, Released, RoomName, SaysNothing,
};
use now_serving::request::{Ports, Request};
use now_serving::service::{self, FollowUp, Served};
use now_serving::store::upstash::{Attempt, Attempts, StoreError, Transport};
use upstash_local::Store;

use crate::Direct;
use crate::host::{Log, Origin, VirtualHost};

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

/// One request of a visitor or an operator.
pub struct Turn<'a> {
    call: &'a Call,
    config: &'a Config,
    pop: &'a dyn Pop,
    platform: &'a dyn Platform,
    now: Now,
    store: Counting<'a>,
    origin: Origin<'a>,
    log: Option<Log<'a>>,
    afterwards: Afterwards<'a>,
}

/// What happens once the visitor has been answered.
enum Afterwards<'a> {
    /// What could wait is done.
    Done,
    /// The same, after this.
    Behind(&'a dyn Fn()),
    /// Nothing: the sandbox has ended.
    Lost(&'a dyn Fn()),
}

/// What came of a request.
pub struct Turned {
    /// What the visitor got.
    pub answer: Answer,
    /// What became of the request.
    pub served: Served,
    /// What was counted, for an outbox of its POP.
    pub tally: Tally,
    /// Whether something waits until the origin has answered.
    pub left: bool,
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
        call: &'a Call,
        now: Now,
        config: &'a Config,
        store: &Store,
        takes: Takes,
        pop: &'a dyn Pop,
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
                hears: &|_| (),
                attempts: RefCell::default(),
            },
            origin: Origin::Unseen,
            log: None,
            afterwards: Afterwards::Done,
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

    /// The same, with an ear for what the store says besides its answer.
    #[must_use]
    pub fn hearing(mut self, hears: &'a dyn Fn(Happened<'_>)) -> Self {
        self.store.hears = hears;
        self
    }

    /// The same in front of this origin.
    #[must_use]
    pub fn before(self, origin: Origin<'a>) -> Self {
        Self { origin, ..self }
    }

    /// The same with a log.
    #[must_use]
    pub fn logging(self, log: Log<'a>) -> Self {
        Self {
            log: Some(log),
            ..self
        }
    }

    /// The same, with something that happens between the answer and what could wait.
    #[must_use]
    pub fn then(self, between: &'a dyn Fn()) -> Self {
        Self {
            afterwards: Afterwards::Behind(between),
            ..self
        }
    }

    /// The same in a sandbox that ends with the answer, when this happens.
    #[must_use]
    pub fn until_answered(self, then: &'a dyn Fn()) -> Self {
        Self {
            afterwards: Afterwards::Lost(then),
            ..self
        }
    }

    /// Serves it.
    ///
    /// # Panics
    ///
    /// Where the service has sent no answer, which is a mistake of its own.
    #[must_use]
    pub fn serve(self, body: &mut dyn Read) -> Turned {
        let request = self.request();
        let later = |request: &Request<'_>, work: &mut dyn FnMut(&Request<'_>)| {
            self.store.attempts.take();
            if !matches!(self.afterwards, Afterwards::Lost(_)) {
                work(request);
            }
        };
        let between = || match self.afterwards {
            Afterwards::Done => {}
            Afterwards::Behind(between) | Afterwards::Lost(between) => between(),
        };
        let mut host = VirtualHost {
            origin: self.origin,
            log: self.log,
            between: Some(&between),
            later: Some(&later),
            ..VirtualHost::default()
        };
        let served = service::serve(&request, body, &mut host);
        let left = host.left.get();
        let (answer, counted) = host.ended();
        let mut tally = self.store.tally.into_inner();
        tally.merge(&counted);
        #[expect(clippy::expect_used, reason = "every request is answered")]
        let answer = answer.expect("an answer");
        Turned {
            answer,
            served,
            tally,
            left,
        }
    }

    /// Whether the origin's answer to it counts, which has been delivered now.
    #[must_use]
    pub fn is_news(&self, to: AnsweredTo) -> bool {
        service::is_news(to, &self.request())
    }

    /// The look at the board that could wait until the visitor had been answered, and what was counted by that.
    #[must_use]
    pub fn look(self) -> Tally {
        service::afterwards(FollowUp::Look, &self.request());
        self.store.tally.into_inner()
    }

    fn request(&self) -> Request<'_> {
        let ports = Ports {
            store: &self.store,
            pop: self.pop,
            platform: self.platform,
        };
        Request::at(
            self.config.place_of(self.call),
            self.call,
            self.config,
            ports,
            self.now,
        )
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
