//! Who is inside, where a cap holds, against a truth that keeps every visitor.
//!
//! The service runs in this process, in several POPs whose clocks are wrong, on a store whose time is turned by hand. What
//! goes over the wire is read on its way: each answer shows which sessions the store has begun, and that no release and no
//! claim lifts sessions and promised slots together above the cap.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use invariants::{Claimed, Said};
use now_serving::cache::memory::InMemoryCache;
use now_serving::cache::outbox::{Outbox, Tally};
use now_serving::cache::{LastBoard, NoBoard, ended};
use now_serving::config::Config;
use now_serving::operator::verbs::{End, Intent, Permit, SetCap, SetMode};
use now_serving::queue::{Board, Cap, Changed, CountedRenewal, EndedSession, Mode, Now, Sessions};
use now_serving::request::Request;
use now_serving::service;
use now_serving::store::Line;
use now_serving::store::upstash::{Attempt, Attempts, Transport};
use now_serving::visitor::visit::FollowUp;
use serde_json::{Value, json};
use upstash_local::{Redis, Store};
use virtual_edge::by_clock;

use crate::house::{
    Ask, Direct, Got, STORE_TOKEN, admin, call, claims, config_with, got, scattered,
};

mod networks;
mod random;
mod rules;
mod turnover;

const START_MS: u64 = 1_800_000_000_000;
const MINUTE_MS: u64 = 60_000;

/// What becomes of a call to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Answered,
    /// The store does it, and the answer is lost.
    AnswerLost,
    /// The POP hears nothing, and the store does it later.
    Late,
    /// The network brings it twice.
    Twice,
}

/// One data centre.
struct Pop {
    cache: InMemoryCache,
    clock: Arc<AtomicU64>,
    /// By how much its clock is wrong.
    skew_ms: i64,
}

/// What is true, whether the store knows it or not.
#[derive(Default)]
struct Truth {
    /// The last minute of each session, by the id of its ticket.
    ends: BTreeMap<String, u64>,
    /// Who has claimed a number.
    numbers: BTreeMap<(u64, u64), String>,
    /// The moves that no POP will tell.
    lost: Vec<CountedRenewal>,
    /// Until when a session that several POPs made longer from the same end may hold another place; or one that a POP made longer
    /// which had not heard of its end.
    crossed: Vec<u64>,
    /// The sessions that the origin ended: the version of that list, and until which minute they are on it.
    ended: BTreeMap<String, (u64, u64)>,
    /// Sessions and promised slots by the latest answer.
    taken: u64,
    /// The batches that the store has counted.
    batches: BTreeMap<String, u64>,
}

impl Truth {
    /// How many sessions end with each minute from this one on.
    fn cells(&self, minute: u64) -> BTreeMap<u64, u64> {
        let mut cells = BTreeMap::new();
        for end in self.ends.values().filter(|end| **end >= minute) {
            *cells.entry(*end).or_default() += 1;
        }
        cells
    }

    fn inside(&self, minute: u64) -> u64 {
        self.cells(minute).values().sum()
    }

    /// How many sessions a call made longer, in batches that have not come before.
    fn renewals(&mut self, said: &Said) -> u64 {
        let mut told = 0;
        for batch in said.batches() {
            let last = self.batches.entry(batch.outbox.to_owned()).or_default();
            if batch.number > *last {
                *last = batch.number;
                told += batch.sessions.len() as u64;
            }
        }
        told
    }

    fn is_ended(&self, id: &str, minute: u64) -> bool {
        let ended = self.ended.get(id);
        ended.is_some_and(|(_, until)| minute <= *until)
    }

    /// By how much the store may be wrong.
    fn slack(&self, minute: u64) -> usize {
        // What a minute owes in place of a lost move counts until that minute is over.
        let lost = self.lost.iter().filter(|lost| lost.to + 1 >= minute);
        let crossed = self.crossed.iter().filter(|from| **from + 1 >= minute);
        lost.count() + crossed.count()
    }
}

struct World {
    store: Direct,
    config: Config,
    pops: Vec<Pop>,
    now_ms: Cell<u64>,
    ids: Cell<u64>,
    truth: RefCell<Truth>,
    /// Calls that the store has not done yet.
    late: RefCell<Vec<Vec<String>>>,
    calls: Cell<u64>,
    _redis: Option<Redis>,
}

/// A browser or a program.
#[derive(Clone)]
struct Client {
    ticket: Option<String>,
    address: IpAddr,
    pop: usize,
}

impl Client {
    fn new(pop: usize, network: u64) -> Self {
        let [.., high, low] = network.to_be_bytes();
        Self {
            ticket: None,
            address: Ipv4Addr::new(198, high, low, 7).into(),
            pop,
        }
    }

    fn claim(&self, name: &str) -> Option<Value> {
        let ticket = self.ticket.as_ref()?;
        claims(ticket).get(name).cloned()
    }

    fn number(&self) -> Option<u64> {
        self.claim("pos")?.as_u64()
    }
}

impl World {
    fn new(store: Store, redis: Option<Redis>, skews_s: &[i64], settings: &[(&str, &str)]) -> Self {
        let pops = skews_s.iter().map(|skew| {
            let clock = Arc::new(AtomicU64::new(START_MS.saturating_add_signed(skew * 1000)));
            Pop {
                cache: InMemoryCache::new(Arc::clone(&clock)),
                clock,
                skew_ms: skew * 1000,
            }
        });
        let world = Self {
            store: Direct(store),
            config: settings_of(settings),
            pops: pops.collect(),
            now_ms: Cell::new(START_MS),
            ids: Cell::new(1),
            truth: RefCell::default(),
            late: RefCell::default(),
            calls: Cell::new(0),
            _redis: redis,
        };
        world.command(&["SCRIPT", "LOAD", &now_serving::store::script()]);
        world
    }

    fn embedded(skews_s: &[i64], settings: &[(&str, &str)]) -> Self {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        Self::new(store, None, skews_s, settings)
    }

    fn redis(skews_s: &[i64], settings: &[(&str, &str)]) -> Self {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), STORE_TOKEN).unwrap();
        Self::new(store, Some(redis), skews_s, settings)
    }

    fn command(&self, words: &[&str]) {
        self.store.0.command(words).unwrap();
    }

    fn set(&mut self, settings: &[(&str, &str)]) {
        self.config = settings_of(settings);
    }

    fn minute(&self) -> u64 {
        self.now_ms.get() / MINUTE_MS
    }

    fn wait(&self, ms: u64) {
        self.now_ms.set(self.now_ms.get() + ms);
        for pop in &self.pops {
            let here = self.now_ms.get().saturating_add_signed(pop.skew_ms);
            pop.clock.store(here, Ordering::SeqCst);
        }
        self.store.0.advance(Duration::from_millis(ms));
    }

    /// One request: what came of it, and the session that it made longer.
    fn request(&self, client: &Client, fate: Fate) -> (Got, Tally, Option<CountedRenewal>) {
        let ask = match &client.ticket {
            Some(ticket) => Ask::get("/")
                .json()
                .with("cookie", format!("queue={ticket}")),
            None => Ask::get("/").json(),
        };
        self.ids.set(self.ids.get() + 1);
        let id = format!("{:032x}", scattered(self.ids.get()));
        let mut call = call(&ask, id);
        call.address = Some(client.address);
        let pop = &self.pops[client.pop];
        let now = Now::from_ms(pop.clock.load(Ordering::SeqCst));
        let wire = self.wire(client.pop, fate);
        let request = Request::new(&call, &self.config, &wire, &pop.cache, now);
        let outcome = service::handle(&request, &mut ask.body.as_slice());
        let mut tally = Tally::default();
        tally.decided(outcome.record.reason);
        if let Some(renewal) = outcome.renewal {
            tally.renewed(renewal);
        }
        if outcome.record.shared_ticket {
            tally.shared();
        }
        let wire = self.wire(client.pop, fate);
        let request = Request::new(&call, &self.config, &wire, &pop.cache, now);
        service::afterwards(outcome.after, &request);
        (got(outcome.answer), tally, outcome.renewal)
    }

    /// A request as a browser makes it, which comes back at once where the answer says so.
    fn visit(&self, client: &mut Client) -> bool {
        let got = self.visit_once(client, Fate::Answered);
        if got.is_provisional() {
            return self.visit_once(client, Fate::Answered).inside;
        }
        got.inside
    }

    fn visit_once(&self, client: &mut Client, fate: Fate) -> Got {
        let (got, tally, renewal) = self.request(client, fate);
        if let Some(renewal) = renewal {
            self.note(client, renewal);
        }
        self.pops[client.pop].cache.put_by(&tally);
        if let Some(ticket) = got.ticket() {
            client.ticket = Some(ticket);
        }
        got
    }

    /// The session of this ticket ends later.
    fn note(&self, client: &Client, renewal: CountedRenewal) {
        let id = client.claim("sub").unwrap();
        let mut truth = self.truth.borrow_mut();
        let id = id.as_str().unwrap().to_owned();
        if truth.is_ended(&id, self.minute()) {
            truth.crossed.push(renewal.to);
            return;
        }
        let end = truth.ends.entry(id).or_default();
        *end = renewal.to.max(*end);
    }

    /// A session is renewed in this POP, maybe from an end that another POP has moved already.
    fn note_crossing(&self, client: &Client, renewal: CountedRenewal) {
        let id = client.claim("sub").unwrap().as_str().unwrap().to_owned();
        let minute = self.minute();
        let is_behind = |end: &u64| *end >= minute && renewal.from < *end;
        let is_behind = self.truth.borrow().ends.get(&id).is_some_and(is_behind);
        if is_behind {
            self.truth.borrow_mut().crossed.push(renewal.to);
        }
    }

    /// The origin ends the session of this ticket.
    fn end(&self, client: &Client) {
        let number = |name| client.claim(name).and_then(|claim| claim.as_u64());
        let id = client.claim("sub").unwrap().as_str().unwrap().to_owned();
        let end = End {
            sessions: vec![EndedSession::of_ticket(
                &id,
                number("ses").zip(number("born")),
            )],
            reference: None,
        };
        let changed = self.line(|line| line.change(end.change(), &admin()));
        let Changed::Done(board, _) = changed.unwrap() else {
            panic!("a cap holds");
        };
        let sessions = board.sessions.unwrap();
        let listed = (sessions.ended, self.minute() + sessions.minutes + 1);
        let mut truth = self.truth.borrow_mut();
        let kept = truth.ends.remove(&id);
        // The ticket may be older than another one of the same visitor, whose session then ends later than is said.
        truth
            .crossed
            .extend(kept.filter(|end| Some(*end) != number("ses")));
        truth.ended.insert(id, listed);
    }

    /// Whether this ticket names the end that its session has.
    fn is_of_its_end(&self, client: &Client) -> bool {
        let id = client.claim("sub");
        let truth = self.truth.borrow();
        let end = id.and_then(|id| truth.ends.get(id.as_str().unwrap()).copied());
        end.is_some() && end == client.claim("ses").and_then(|ses| ses.as_u64())
    }

    /// Whether this POP has heard that the session of this ticket was ended.
    fn knows_ended(&self, client: &Client) -> bool {
        let Some(id) = client.claim("sub") else {
            return false;
        };
        let truth = self.truth.borrow();
        let version = truth.ended.get(id.as_str().unwrap());
        let known = ended::kept(&self.pops[client.pop].cache).version;
        version.is_some_and(|(version, until)| known >= *version && self.minute() <= *until)
    }

    /// The line, as an operator's program reaches it.
    fn line<T>(&self, verb: impl FnOnce(&Line<'_>) -> T) -> T {
        let call = call(&Ask::get("/"), "0".repeat(32));
        let (wire, now) = (
            self.wire(0, Fate::Answered),
            Now::from_ms(self.now_ms.get()),
        );
        let request = Request::new(&call, &self.config, &wire, &self.pops[0].cache, now);
        verb(&Line {
            known: &NoBoard,
            ..request.line()
        })
    }

    fn permit(&self, amount: u64) {
        let permit = Permit {
            amount,
            credit_max: 10_000,
        };
        self.line(|line| line.change(permit.change(), &admin()))
            .unwrap();
    }

    /// An operator sets a cap.
    fn cap(&self, total_active: u64, session_minutes: u64) {
        let cap = Cap {
            total_active,
            session_minutes,
            ..Cap::default()
        };
        self.line(|line| line.change(SetCap(Some(cap)).change(), &admin()))
            .unwrap();
    }

    fn mode(&self, mode: Mode) {
        self.line(|line| line.change(SetMode(mode).change(), &admin()))
            .unwrap();
    }

    /// This many clients, who ask one after the other.
    fn arrivals(&self, pop: usize, many: u64) -> Vec<Client> {
        let first = self.ids.get();
        let mut clients: Vec<_> = (0..many)
            .map(|which| Client::new(pop, first + which))
            .collect();
        self.visits(&mut clients);
        clients
    }

    /// How many of them are inside after a visit.
    fn visits(&self, clients: &mut [Client]) -> usize {
        let inside = clients
            .iter_mut()
            .filter_map(|client| self.visit(client).then_some(()));
        inside.count()
    }

    fn wire(&self, pop: usize, fate: Fate) -> Wire<'_> {
        Wire {
            world: self,
            pop,
            fate: Cell::new(fate),
            attempts: Attempts::default(),
        }
    }

    /// Does what comes over the wire, and reads the answer.
    fn answer(&self, words: &[String]) -> (u16, Vec<u8>) {
        self.calls.set(self.calls.get() + 1);
        let body = by_clock(&json!(words).to_string(), self.now_ms.get());
        let answer = self.store.post(&body, Attempt::First);
        self.observe(&Said::read(&body, answer.as_ref()).unwrap());
        answer.unwrap()
    }

    fn observe(&self, said: &Said) {
        let mut truth = self.truth.borrow_mut();
        let told = truth.renewals(said);
        let Some(board) = said.board() else {
            return;
        };
        let Some(taken) = board.taken else {
            return;
        };
        let slack = truth.slack(self.minute()) as u64;
        let most = |cap: u64| cap.max(truth.taken) + told + slack;
        assert!(
            board.cap.is_none_or(|cap| taken <= most(cap)),
            "{taken} of {:?}, {} before, {told} told: {said:?}",
            board.cap,
            truth.taken
        );
        truth.taken = taken;
        let (Some(Claimed::Until(end)), Some(id)) = (said.claimed(), said.visitor()) else {
            return;
        };
        // A copy of an ended ticket gets that session again, which counts no more.
        if !truth.is_ended(id, self.minute()) {
            let (_, number) = said.placed().unwrap();
            let number = (board.epoch, number);
            let first = truth.numbers.entry(number).or_insert_with(|| id.to_owned());
            assert_eq!(first, id, "{number:?} was claimed twice");
            let known = truth.ends.entry(id.to_owned()).or_default();
            *known = end.max(*known);
        }
    }

    /// The store does what it was asked late.
    fn catch_up(&self) {
        for words in self.late.take() {
            self.answer(&words);
        }
    }

    /// A POP renews the sign and brings all that it has counted.
    fn flush(&self, pop: usize) {
        let here = &self.pops[pop];
        let now = Now::from_ms(here.clock.load(Ordering::SeqCst));
        let ask = Ask::get("/").json();
        for _ in 0..3 {
            here.cache.lose_copy();
            let call = call(&ask, "0".repeat(32));
            let wire = self.wire(pop, Fate::Answered);
            let request = Request::new(&call, &self.config, &wire, &here.cache, now);
            service::afterwards(FollowUp::Look, &request);
        }
        assert!(here.cache.batches().is_empty(), "all was told");
    }

    fn flush_all(&self) {
        for pop in 0..self.pops.len() {
            self.flush(pop);
        }
    }

    /// What the latest sign says.
    fn sign(&self) -> Board {
        self.flush(0);
        self.pops[0].cache.last_board().unwrap()
    }

    fn sessions(&self) -> Sessions {
        self.sign().sessions.unwrap()
    }

    /// With all told, the store knows who is inside: exactly, but for what was lost.
    fn check(&self) {
        self.catch_up();
        self.flush_all();
        let (sessions, minute) = (self.sessions(), self.minute());
        let truth = self.truth.borrow();
        let expected = truth.cells(minute);
        let cells: BTreeMap<u64, u64> = sessions
            .cells
            .iter()
            .map(|cell| (cell.end, cell.many))
            .collect();
        let slack = truth.slack(minute);
        if slack == 0 {
            assert_eq!(cells, expected, "in minute {minute}");
        }
        let off = sessions.inside().abs_diff(truth.inside(minute));
        assert!(
            off <= slack as u64,
            "{off} off, {slack} lost: {cells:?} for {expected:?}"
        );
    }
}

fn settings_of(settings: &[(&str, &str)]) -> Config {
    config_with(&[&[("clock", "0")], settings].concat())
}

/// The way from a POP to the store.
struct Wire<'a> {
    world: &'a World,
    pop: usize,
    fate: Cell<Fate>,
    attempts: Attempts,
}

impl Transport for Wire<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        assert!(self.attempts.take(attempt), "a second call: {body}");
        let words: Vec<String> = serde_json::from_str(body).unwrap();
        // Each POP has an outbox of its own.
        let own = |word: String| match word.strip_suffix(":outbox:here") {
            Some(room) => format!("{room}:outbox:pop-{}", self.pop),
            None => word,
        };
        let words: Vec<String> = words.into_iter().map(own).collect();
        match self.fate.replace(Fate::Answered) {
            Fate::Answered => Some(self.world.answer(&words)),
            Fate::AnswerLost => {
                self.world.answer(&words);
                None
            }
            Fate::Late => {
                self.world.late.borrow_mut().push(words);
                None
            }
            Fate::Twice => {
                self.world.answer(&words);
                Some(self.world.answer(&words))
            }
        }
    }
}

/// Numbers as if by chance, the same in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    pub(crate) fn is_one_in(&mut self, many: u64) -> bool {
        self.roll(many) == 0
    }

    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.roll(to - from + 1)
    }

    pub(crate) fn index(&mut self, below: usize) -> usize {
        usize::try_from(self.roll(below as u64)).unwrap()
    }
}
