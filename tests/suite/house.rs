//! One way to ask, three houses that answer.
//!
//! A story does not know which house it is in, but for the clock: natively it is turned by hand, in the Wasm it runs.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use harness::sandbox_dir::stored;
use now_serving::cache::{MAX_AGE, STALE_WHILE_REVALIDATE};
use now_serving::config::Query;
use now_serving::config::{Config, DOCUMENT, Room, Source, Unreadable, Unsound};
use now_serving::http::{Answer, Call, HEADERS, withheld};
use now_serving::queue::{Actor, Now, Platform, Signal, Waf, WafAnswer, WafFault};
use now_serving::service;
use now_serving::telemetry::log::RequestFacts;
use serde_json::{Value, json};
use upstash_local::Redis;
use upstash_local::{DEADLINE, Server, Store};
use virtual_edge::{Happened, Log, Takes, Turn, VirtualHost, id_of};

mod pool;

pub(crate) use virtual_edge::{Direct, scattered};

use crate::log;
use now_serving::cache::memory::InMemoryCache;
use now_serving::cache::{Listed, Pop};

pub(crate) const ANY_PORT: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0);
/// Why the log has lines that are about no request, and come with whatever request the line moved.
const OF_NO_REQUEST: [&str; 3] = ["released", "origin_sick", "noted"];
pub(crate) const PASSWORD: &str = "development-only-password";
pub(crate) const PERMIT_TOKEN: &str = "development-only-permit-token";
pub(crate) const ADMIN_TOKEN: &str = "development-only-admin-token";
pub(crate) const SECRET: &str = "development-only-jwt-secret-0123456789abcdef";
pub(crate) const STORE_TOKEN: &str = "development-only-upstash-token";

/// How long the store may take where a story is not about that: a busy machine is no fault of the store's.
const PATIENT: Duration = Duration::from_secs(10);

/// A longer time is skipped. A sandbox reads its settings again after a second, a copy of the board lives for two.
const LONG: Duration = Duration::from_secs(3);

/// Settings of a line that nobody but the story moves.
fn settings() -> BTreeMap<String, String> {
    let pairs = [
        ("jwt_secret", SECRET),
        ("upstash_url", "http://127.0.0.1:8079"),
        ("upstash_token", STORE_TOKEN),
        ("admin_password", PASSWORD),
        ("permit_token", PERMIT_TOKEN),
        ("admin_token", ADMIN_TOKEN),
        ("automatic", "0"),
    ];
    pairs
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// The same for an edge, which has the store's address from where the store is.
fn settings_of(room: &str) -> BTreeMap<String, String> {
    let mut settings = settings();
    settings.remove("upstash_url");
    if room != ROOM {
        settings.insert("room".to_owned(), room.to_owned());
    }
    settings
}

/// A request as a stranger sends it.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, Vec<u8>)>,
    pub(crate) body: Vec<u8>,
    /// The sender's address; the local server sees every request come from this machine.
    pub(crate) address: IpAddr,
}

impl Ask {
    pub(crate) fn get(target: &str) -> Self {
        Self {
            method: "GET",
            target: target.to_owned(),
            headers: Vec::new(),
            body: Vec::new(),
            address: Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// The same from another address.
    pub(crate) fn from(mut self, address: [u8; 4]) -> Self {
        self.address = address.into();
        self
    }

    pub(crate) fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name, value.as_ref().to_vec()));
        self
    }

    pub(crate) fn body(mut self, content_type: &str, body: &str) -> Self {
        self.body = body.as_bytes().to_vec();
        self.with("content-type", content_type)
    }

    /// A press of the button that lets visitors in.
    pub(crate) fn press(form: &str) -> Self {
        Self::form("permit", form)
    }

    /// A form of the panel, as a browser on it sends it.
    pub(crate) fn form(route: &str, form: &str) -> Self {
        Self::change(route).body("application/x-www-form-urlencoded", form)
    }

    /// A change by an operator's script.
    pub(crate) fn json_to(route: &str, json: &str) -> Self {
        Self::change(route).body("application/json", json)
    }

    fn change(route: &str) -> Self {
        Self::get(&format!("/_queue/{route}"))
            .method("POST")
            .with("sec-fetch-site", "same-origin")
            .operator()
    }

    /// A call of the origin's program.
    pub(crate) fn permit(amount: u64) -> Self {
        Self::get("/_queue/permit")
            .method("POST")
            .with("authorization", format!("Bearer {PERMIT_TOKEN}"))
            .body("application/json", &format!(r#"{{"amt":{amount}}}"#))
    }

    pub(crate) fn operator(self) -> Self {
        use base64::Engine;
        let pair = base64::engine::general_purpose::STANDARD.encode(format!("admin:{PASSWORD}"));
        self.with("authorization", format!("Basic {pair}"))
    }

    /// What a browser asks first when a page elsewhere sends more than a form could.
    pub(crate) fn preflight(target: &str) -> Self {
        Self::get(target)
            .method("OPTIONS")
            .with("origin", "https://app.shop.example")
            .with("access-control-request-method", "PUT")
    }

    pub(crate) fn json(self) -> Self {
        self.with("accept", "application/json")
    }

    /// Sent by a client of which bot management says whether it is a bot.
    pub(crate) fn bot(self, is_one: &str) -> Self {
        self.with("x-fastly-bot-analyzed", "true")
            .with("x-fastly-bot-detected", is_one)
    }
}

/// What a platform says of a request, by headers of it: of bots by those of which the local server makes its own answer.
struct Says<'a>(&'a Ask);

impl Says<'_> {
    fn header(&self, name: &str) -> Option<bool> {
        let found = self.0.headers.iter().find(|(found, _)| *found == name);
        found.map(|(_, value)| value == b"true")
    }
}

impl Platform for Says<'_> {
    fn says(&self, signal: Signal) -> Option<bool> {
        match signal {
            Signal::Bot => {
                let is_analyzed = self.header("x-fastly-bot-analyzed")?;
                let is_detected = self.header("x-fastly-bot-detected");
                is_analyzed.then(|| is_detected == Some(true))
            }
            Signal::Hosting => self.header("x-says-hosting"),
            Signal::Anonymous => self.header("x-says-anonymous"),
            Signal::Ddos => self.header("x-says-ddos"),
        }
    }

    fn is_verified_crawler(&self) -> bool {
        self.header("x-fastly-bot-verified") == Some(true)
    }

    /// Besides the words `block` with the status 406, or a status and maybe an address.
    fn inspect(&self, _waf: &Waf) -> WafAnswer {
        let found = self
            .0
            .headers
            .iter()
            .find(|(name, _)| *name == "x-says-waf");
        let said = found.map_or("allow".into(), |(_, value)| String::from_utf8_lossy(value));
        let (status, redirect) = match said.split_once(' ') {
            Some((status, to)) => (status, Some(to.to_owned())),
            None => (said.as_ref(), None),
        };
        match status {
            "allow" => WafAnswer::Allow,
            "unauthorized" => WafAnswer::Failed(WafFault::Unauthorized),
            "unknown_verdict" => WafAnswer::Failed(WafFault::UnknownVerdict),
            "not_asked" => WafAnswer::Failed(WafFault::NotAsked),
            status => WafAnswer::Block {
                status: status.parse().unwrap_or(406),
                redirect,
            },
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub(crate) struct Got {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Whether the origin answered.
    pub(crate) inside: bool,
}

impl Got {
    pub(crate) fn of(reply: now_serving::http::Reply) -> Self {
        let headers = reply
            .headers
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Self {
            status: reply.status,
            headers,
            body: String::from_utf8(reply.body).unwrap(),
            inside: false,
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.all(name).first().copied().unwrap_or_default()
    }

    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        self.headers
            .iter()
            .filter(|(found, _)| found == name)
            .map(|(_, value)| value.as_str())
            .collect()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Our ticket, if this answer brings one.
    pub(crate) fn ticket(&self) -> Option<String> {
        self.cookie("queue")
    }

    /// Whether it brings a ticket without a number that is to come back at once.
    pub(crate) fn is_provisional(&self) -> bool {
        let has_no_number = |ticket: String| claims(&ticket).get("pos").is_none();
        let is_at_once = self.status == 303 || self.header("retry-after") == "1";
        is_at_once && !self.inside && self.ticket().is_some_and(has_no_number)
    }

    /// The twin for forms of other sites, if this answer brings it; empty when it ends it.
    pub(crate) fn twin(&self) -> Option<String> {
        self.cookie("queue-post")
    }

    fn cookie(&self, name: &str) -> Option<String> {
        let pair = |cookie: &str| {
            let (found, value) = cookie.split(';').next()?.split_once('=')?;
            let found = found.strip_prefix("__Host-").unwrap_or(found);
            (found == name).then(|| value.to_owned())
        };
        self.all("set-cookie").into_iter().find_map(pair)
    }
}

pub(crate) struct House {
    kind: Kind,
    pub(crate) store: Store,
    logged: RefCell<Vec<Value>>,
    _redis: Option<Redis>,
}

enum Kind {
    Native {
        /// The caches of the POPs, and which of them serves now.
        pops: RefCell<Vec<InMemoryCache>>,
        /// What they keep of rooms besides the first.
        others: RefCell<BTreeMap<(usize, String), InMemoryCache>>,
        pop: Cell<usize>,
        settings: RefCell<BTreeMap<String, String>>,
        /// Keys and secrets that cannot be read.
        unreadable: RefCell<BTreeSet<String>>,
        /// What was read of them, until they change.
        loaded: RefCell<Option<Loaded>>,
        now_ms: Arc<AtomicU64>,
        ids: AtomicU64,
    },
    Wasm(Box<Wasm>),
}

/// Settings as a sandbox keeps them for its next requests.
type Loaded = Rc<Result<Config, Box<Unsound>>>;

pub(crate) struct Wasm {
    pub(crate) edge: Arc<Edge>,
    pub(crate) origin: Arc<Origin>,
    agent: ureq::Agent,
    /// How many requests were answered.
    answers: AtomicUsize,
    /// Seconds by which the setting `clock` has shifted the time.
    shifted: AtomicU64,
    room: String,
    /// How long its store may take.
    deadline: Duration,
    /// Whether other stories have the server before and after this one.
    is_shared: bool,
    server: Option<Server>,
}

/// The room of a house that shares nothing.
const ROOM: &str = "main";

/// Lists of networks, as the houses without a platform know them by name.
fn lists() -> BTreeMap<String, Value> {
    let entry =
        |action: &str| json!([{ "op": "create", "prefix": "127.0.0.0/8", "action": action }]);
    BTreeMap::from([
        ("offices".to_owned(), entry("ALLOW")),
        ("strangers".to_owned(), entry("BLOCK")),
        ("empty".to_owned(), json!([])),
    ])
}

/// How an edge of the Wasm differs from the usual one.
struct EdgeIs {
    /// Whether it takes itself for the local server.
    local: bool,
    /// Where its origin is, if not at the demo origin.
    origin: Option<String>,
    /// Where further backends for visitors are, by name.
    more_origins: BTreeMap<String, String>,
    /// Whether the local server hands over an `Upgrade: websocket`.
    web_sockets: bool,
    /// How long the store may take.
    deadline: Duration,
}

impl Default for EdgeIs {
    fn default() -> Self {
        Self {
            local: true,
            origin: None,
            more_origins: BTreeMap::new(),
            web_sockets: true,
            deadline: PATIENT,
        }
    }
}

impl House {
    pub(crate) fn native() -> Self {
        Self::here(Store::embedded(STORE_TOKEN).unwrap(), None)
    }

    pub(crate) fn redis() -> Self {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), STORE_TOKEN).unwrap();
        Self::here(store, Some(redis))
    }

    fn here(store: Store, redis: Option<Redis>) -> Self {
        let now_ms = Arc::new(AtomicU64::new(1_800_000_000_000));
        let mut settings = settings();
        // The scripts go by the story's clock, which is turned by hand.
        settings.insert("clock".to_owned(), "0".to_owned());
        let kind = Kind::Native {
            settings: RefCell::new(settings),
            unreadable: RefCell::default(),
            loaded: RefCell::default(),
            pops: RefCell::new(vec![here(&now_ms)]),
            others: RefCell::default(),
            pop: Cell::new(0),
            now_ms,
            ids: AtomicU64::new(1),
        };
        Self {
            kind,
            store,
            logged: RefCell::default(),
            _redis: redis,
        }
    }

    pub(crate) fn wasm() -> Self {
        Self::start(EdgeIs::default())
    }

    /// Its store has as long as in production.
    pub(crate) fn wasm_with_the_deadline() -> Self {
        Self::start(EdgeIs {
            deadline: DEADLINE,
            ..EdgeIs::default()
        })
    }

    /// The Wasm takes itself for a deployed service.
    pub(crate) fn wasm_deployed() -> Self {
        Self::start(EdgeIs {
            local: false,
            ..EdgeIs::default()
        })
    }

    /// The service has another backend for visitors besides.
    pub(crate) fn wasm_with_another_origin(name: &str, url: &str) -> Self {
        Self::start(EdgeIs {
            more_origins: BTreeMap::from([(name.to_owned(), url.to_owned())]),
            ..EdgeIs::default()
        })
    }

    /// Its host has the platform's HTTP cache, and the limits that a story gives it.
    pub(crate) fn wasm_strict() -> Self {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        let wasm = harness::edge::strict_wasm().unwrap();
        Self::start_in(ROOM, store, wasm, EdgeIs::default())
    }

    /// Nobody listens where the origin should be.
    pub(crate) fn wasm_without_origin() -> Self {
        Self::wasm_with_origin("http://127.0.0.1:1")
    }

    /// Somebody else listens there.
    pub(crate) fn wasm_with_origin(url: &str) -> Self {
        Self::start(EdgeIs {
            origin: Some(url.to_owned()),
            ..EdgeIs::default()
        })
    }

    /// The same, and the local server hands over no `WebSocket`, like a service without the product.
    pub(crate) fn wasm_without_web_sockets(origin: &str) -> Self {
        Self::start(EdgeIs {
            origin: Some(origin.to_owned()),
            web_sockets: false,
            ..EdgeIs::default()
        })
    }

    /// Another edge with another Wasm for the same room on the same store, with settings and a cache of its own.
    pub(crate) fn in_another_data_centre(&self, wasm: PathBuf) -> Self {
        let edge = EdgeIs {
            deadline: self.wasm_side().deadline,
            ..EdgeIs::default()
        };
        Self::start_in(self.room(), self.store.clone(), wasm, edge)
    }

    fn start(edge: EdgeIs) -> Self {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        Self::start_in(ROOM, store, harness::edge::wasm().unwrap(), edge)
    }

    fn start_in(room: &str, store: Store, wasm: PathBuf, edge: EdgeIs) -> Self {
        let server = Server::start(store.clone(), ANY_PORT).unwrap();
        let origin = Origin::start(ANY_PORT).unwrap();
        let settings = settings_of(room);
        let options = EdgeOptions {
            wasm,
            origin: edge.origin.unwrap_or_else(|| origin.url()),
            more_origins: edge.more_origins,
            store: server.url(),
            settings,
            local: edge.local,
            web_sockets: edge.web_sockets,
            secrets: BTreeMap::new(),
            acls: lists(),
            places: BTreeMap::new(),
            is_traced: false,
            deadline: edge.deadline,
        };
        let edge = Edge::start(&options).unwrap();
        // Viceroy asks both backends whether they are there before it listens.
        origin.clear();
        store.reset_counts();
        Self::of_wasm(
            store,
            Wasm {
                edge: Arc::new(edge),
                origin: Arc::new(origin),
                agent: agent(),
                answers: AtomicUsize::new(0),
                shifted: AtomicU64::new(0),
                room: room.to_owned(),
                deadline: options.deadline,
                is_shared: false,
                server: Some(server),
            },
        )
    }

    fn of_wasm(store: Store, wasm: Wasm) -> Self {
        Self {
            kind: Kind::Wasm(Box::new(wasm)),
            store,
            logged: RefCell::default(),
            _redis: None,
        }
    }

    /// The name of the room.
    pub(crate) fn room(&self) -> &str {
        match &self.kind {
            Kind::Native { .. } => ROOM,
            Kind::Wasm(wasm) => &wasm.room,
        }
    }

    /// The key of the line in the store, or with an ending the key of what belongs to it.
    pub(crate) fn key(&self, ending: &str) -> String {
        format!("queue:{{{}}}{ending}", self.room())
    }

    /// What ends all tickets: the word is the room's name.
    pub(crate) fn word(&self) -> String {
        json!({ "word": self.room() }).to_string()
    }

    /// The Wasm's own side; a story that is about nothing else starts there.
    pub(crate) fn wasm_side(&self) -> &Wasm {
        match &self.kind {
            Kind::Wasm(wasm) => wasm,
            Kind::Native { .. } => panic!("this story is about the Wasm"),
        }
    }

    pub(crate) fn set(&self, key: &str, value: &str) {
        match &self.kind {
            Kind::Native {
                settings, loaded, ..
            } => {
                settings
                    .borrow_mut()
                    .insert(key.to_owned(), value.to_owned());
                loaded.take();
            }
            Kind::Wasm(wasm) => {
                // Stories of one server are kept apart by their rooms.
                assert!(
                    key != "room" || !wasm.is_shared,
                    "take a server of your own"
                );
                wasm.edge.set(key, Some(value)).unwrap();
                // A sandbox reads its settings again after a second.
                std::thread::sleep(Duration::from_millis(1050));
            }
        }
    }

    /// Takes a setting away.
    pub(crate) fn unset(&self, key: &str) {
        match &self.kind {
            Kind::Native { settings, .. } => drop(settings.borrow_mut().remove(key)),
            Kind::Wasm(wasm) => wasm.edge.set(key, None).unwrap(),
        }
    }

    /// From now on none of these keys and secrets can be read, and every other can.
    pub(crate) fn cannot_read(&self, keys: &[&str]) {
        match &self.kind {
            Kind::Native {
                unreadable, loaded, ..
            } => {
                unreadable.replace(keys.iter().map(|key| (*key).to_owned()).collect());
                loaded.take();
            }
            Kind::Wasm(_) => panic!("the stores of the local server can always be read"),
        }
    }

    pub(crate) fn now_ms(&self) -> u64 {
        match &self.kind {
            Kind::Native { now_ms, .. } => now_ms.load(Ordering::SeqCst),
            Kind::Wasm(wasm) => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                let shifted = wasm.shifted.load(Ordering::SeqCst) * 1000;
                u64::try_from(now.as_millis()).unwrap() + shifted
            }
        }
    }

    /// The cache of the POP that serves now.
    fn pop(&self) -> InMemoryCache {
        match &self.kind {
            Kind::Native { pops, pop, .. } => pops.borrow()[pop.get()].clone(),
            Kind::Wasm(_) => panic!("the cache of the Wasm is its own"),
        }
    }

    /// What this POP keeps of a room.
    fn pop_of(&self, room: &Room, first: &Room, pop: &InMemoryCache) -> InMemoryCache {
        let Kind::Native {
            others,
            pop: number,
            now_ms,
            ..
        } = &self.kind
        else {
            panic!("the cache of the Wasm is its own");
        };
        if room.name == first.name {
            return pop.clone();
        }
        let key = (number.get(), room.name.to_string());
        let mut others = others.borrow_mut();
        let new = || pop_called(&pop.pop(), now_ms).beside(pop);
        others.entry(key).or_insert_with(new).clone()
    }

    /// From now on this POP serves, with a cache of its own.
    pub(crate) fn go_to_pop(&self, number: usize) {
        match &self.kind {
            Kind::Native {
                pops, pop, now_ms, ..
            } => {
                let mut pops = pops.borrow_mut();
                while pops.len() <= number {
                    pops.push(here(now_ms));
                }
                pop.set(number);
            }
            Kind::Wasm(_) => panic!("the Wasm serves in one POP"),
        }
    }

    /// From now on the POP of this name serves, with a cache of its own.
    pub(crate) fn go_to_pop_called(&self, name: &str) {
        match &self.kind {
            Kind::Native {
                pops, pop, now_ms, ..
            } => {
                let mut pops = pops.borrow_mut();
                let known = pops.iter().position(|pop| pop.pop() == name);
                if known.is_none() {
                    pops.push(pop_called(name, now_ms));
                }
                pop.set(known.unwrap_or(pops.len() - 1));
            }
            Kind::Wasm(_) => panic!("the Wasm serves in one POP"),
        }
    }

    /// The cache of this POP drops everything.
    pub(crate) fn forget_pop(&self) {
        let pop = self.pop();
        pop.lose_copy();
        pop.lose_last();
    }

    /// Sets every clock back, as a failover to a machine whose clock lags does to the store's.
    pub(crate) fn set_back(&self, time: Duration) {
        match &self.kind {
            Kind::Native { now_ms, .. } => {
                let time = u64::try_from(time.as_millis()).unwrap();
                now_ms.fetch_sub(time, Ordering::SeqCst);
            }
            Kind::Wasm(_) => panic!("the clock of the Wasm runs"),
        }
    }

    /// Shifts the clock of the data centres by milliseconds, and not the store's.
    pub(crate) fn shift_pop(&self, by_ms: i64) {
        match &self.kind {
            Kind::Native { now_ms, .. } => {
                let now = now_ms.load(Ordering::SeqCst);
                now_ms.store(now.saturating_add_signed(by_ms), Ordering::SeqCst);
            }
            Kind::Wasm(_) => panic!("the clock of the Wasm runs"),
        }
    }

    /// Lets time pass. In the Wasm a long time is skipped: clocks are shifted, and only the last seconds, in which a
    /// copy of the board expires, are waited for.
    pub(crate) fn wait(&self, time: Duration) {
        match &self.kind {
            Kind::Native { now_ms, .. } => {
                now_ms.fetch_add(u64::try_from(time.as_millis()).unwrap(), Ordering::SeqCst);
                self.store.advance(time);
            }
            Kind::Wasm(wasm) => {
                let skipped = Duration::from_secs(time.saturating_sub(LONG).as_secs());
                if !skipped.is_zero() {
                    self.wait_for_what_follows_answers();
                    let shifted = wasm.shifted.load(Ordering::SeqCst) + skipped.as_secs();
                    wasm.shifted.store(shifted, Ordering::SeqCst);
                    self.store.advance(skipped);
                    wasm.edge.set("clock", Some(&shifted.to_string())).unwrap();
                }
                std::thread::sleep(time.checked_sub(skipped).unwrap());
            }
        }
    }

    /// Shifts the clock of this data centre as that of the other, whose story waited.
    pub(crate) fn follow_the_clock_of(&self, other: &Self) {
        let shifted = other.wasm_side().shifted.load(Ordering::SeqCst);
        let wasm = self.wasm_side();
        wasm.shifted.store(shifted, Ordering::SeqCst);
        let shifted = shifted.to_string();
        wasm.edge.set("clock", Some(&shifted)).unwrap();
    }

    /// What follows an answer may still ask the store. If the store's clock were shifted just before and the edge's just
    /// after that, the edge would take the board it gets for one of another time.
    fn wait_for_what_follows_answers(&self) {
        let mut calls = None;
        while calls != Some(self.store.calls()) {
            calls = Some(self.store.calls());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// How long this piece of story was made to wait: exactly, where the clock stands still meanwhile; in the Wasm no
    /// longer than this.
    pub(crate) fn paused(&self, story: impl FnOnce()) -> Duration {
        match &self.kind {
            Kind::Native { .. } => {
                let pop = self.pop();
                let before = pop.paused();
                story();
                pop.paused().checked_sub(before).unwrap()
            }
            Kind::Wasm(_) => {
                let began = Instant::now();
                story();
                began.elapsed()
            }
        }
    }

    /// Waits for the beginning of the next period of this length in seconds.
    pub(crate) fn wait_for_period(&self, seconds: u64) {
        let length = seconds * 1000;
        let gone = self.now_ms() % length;
        self.wait(Duration::from_millis(length - gone + 5));
    }

    pub(crate) fn ask(&self, ask: &Ask) -> Got {
        match &self.kind {
            Kind::Native { now_ms, ids, .. } => {
                let id = id_of(ids.fetch_add(1, Ordering::SeqCst));
                let now_ms = now_ms.load(Ordering::SeqCst);
                self.ask_here(ask, &self.loaded(), &self.pop(), now_ms, id)
            }
            Kind::Wasm(wasm) => wasm.ask(ask),
        }
    }

    /// The settings, read once for all requests until the story changes them.
    fn loaded(&self) -> Loaded {
        let Kind::Native {
            settings,
            unreadable,
            loaded,
            ..
        } = &self.kind
        else {
            panic!("the Wasm reads its settings itself");
        };
        let load = || {
            Rc::new(Config::load(Failing {
                given: Given(settings.borrow().clone()),
                unreadable: unreadable.borrow().clone(),
            }))
        };
        Rc::clone(loaded.borrow_mut().get_or_insert_with(load))
    }

    fn ask_here(
        &self,
        ask: &Ask,
        loaded: &Result<Config, Box<Unsound>>,
        pop: &InMemoryCache,
        now_ms: u64,
        id: String,
    ) -> Got {
        let call = call(ask, id);
        let config = match loaded {
            Ok(config) => config,
            Err(unsound) => return self.ask_unsound((&call, ask), unsound, pop, now_ms),
        };
        for line in service::settings_entries(Now::from_ms(now_ms), config) {
            self.write_down(&line);
        }
        let now = Now::from_ms(now_ms);
        let place = config.place_of(&call);
        let name = &place.room.name;
        let pop = &self.pop_of(place.room, &config.rooms.first, pop);
        let hears = |happened: Happened<'_>| self.write_down(&happened.entry(name));
        let platform = Says(ask);
        let write = |line: &str| self.write_down(line);
        let log = Log {
            facts: &facts,
            write: &write,
        };
        let turn = Turn::new(&call, now, config, &self.store, Takes::Measured, pop);
        let turn = turn.on(&platform).hearing(&hears).logging(log);
        let turned = turn.serve(&mut ask.body.as_slice());
        pop.put_by(&turned.tally);
        got(turned.answer)
    }

    fn ask_unsound(
        &self,
        (call, ask): (&Call, &Ask),
        unsound: &Unsound,
        pop: &InMemoryCache,
        now_ms: u64,
    ) -> Got {
        let now = Now::from_ms(now_ms);
        let write = |line: &str| self.write_down(line);
        let mut host = VirtualHost::logging(Log {
            facts: &facts,
            write: &write,
        });
        service::serve_unsound(call, now, unsound, pop, &Says(ask), &mut host);
        let (answer, tally) = host.ended();
        pop.put_by(&tally);
        got(answer.unwrap())
    }

    fn write_down(&self, line: &str) {
        self.logged.borrow_mut().push(log::held_to_schema(line));
    }

    /// What was logged of the requests so far, in their order. A sandbox writes its line when it has answered, and the next
    /// one may be quicker: this waits until there are as many lines as answers, and a while where an answer has none.
    pub(crate) fn log(&self) -> Vec<Value> {
        let answers = match &self.kind {
            Kind::Native { .. } => 0,
            Kind::Wasm(wasm) => wasm.answers.load(Ordering::SeqCst),
        };
        self.log_within(answers, 100)
    }

    fn log_now(&self) -> Vec<Value> {
        let lines = self.lines().into_iter();
        lines
            .filter(|line| !OF_NO_REQUEST.contains(&line["reason"].as_str().unwrap_or_default()))
            .collect()
    }

    /// What the log says of releases, once it does: their lines are about no request.
    pub(crate) fn releases(&self) -> Vec<Value> {
        let found = || -> Vec<Value> {
            let lines = self.lines().into_iter();
            let lines = lines.filter(|line| line["reason"] == "released");
            lines.map(|line| line["release"].clone()).collect()
        };
        for _ in 0..500 {
            if !found().is_empty() || matches!(self.kind, Kind::Native { .. }) {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        found()
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        match &self.kind {
            Kind::Native { .. } => self.logged.borrow().clone(),
            Kind::Wasm(wasm) => {
                let lines = wasm.edge.log_lines("queue_logs");
                let mut lines: Vec<Value> =
                    lines.iter().map(|line| log::held_to_schema(line)).collect();
                lines.sort_by_key(|line| line["timestamp"].as_u64());
                lines
            }
        }
    }

    /// The same where the story knows how many lines there will be at least, and waits for them.
    pub(crate) fn log_of(&self, lines: usize) -> Vec<Value> {
        self.log_within(lines, 1_500)
    }

    fn log_within(&self, lines: usize, looks: u32) -> Vec<Value> {
        for _ in 0..looks {
            if self.log_now().len() >= lines {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.log_now()
    }

    /// Waits until such a line is logged, and returns all of them.
    pub(crate) fn log_where(&self, is_wanted: impl Fn(&Value) -> bool) -> Vec<Value> {
        let wanted = || -> Vec<Value> {
            let log = self.log_now().into_iter();
            log.filter(|line| is_wanted(line)).collect()
        };
        for _ in 0..1_500 {
            let found = wanted();
            if !found.is_empty() || matches!(self.kind, Kind::Native { .. }) {
                return found;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        wanted()
    }

    /// Store calls that this piece of story makes, without what follows an earlier answer.
    pub(crate) fn calls(&self, story: impl FnOnce()) -> u64 {
        if matches!(self.kind, Kind::Wasm(_)) {
            self.wait_for_what_follows_answers();
        }
        let before = self.store.calls();
        story();
        self.store.calls() - before
    }

    /// Whether this piece of story makes no call. In the Wasm a copy's second may end in between, and somebody be sent to
    /// look, so the story runs up to five times: what costs a call by itself costs it each time.
    pub(crate) fn is_free(&self, mut story: impl FnMut()) -> bool {
        (0..5).any(|_| self.calls(&mut story) == 0)
    }

    /// The most calls that looking after the board costs from `began` until now: one a second, and one at each end.
    pub(crate) fn most_looks_since(&self, began: u64) -> u64 {
        (self.now_ms() - began) / 1000 + 2
    }

    /// Lets the store know the script, so that calls are counted as they are from the second one on.
    pub(crate) fn warm(&self) {
        let load = ["SCRIPT", "LOAD", &now_serving::store::script()];
        self.store.command(&load).unwrap();
    }

    /// Writes into the line as another data centre would: nothing here learns of it. `LANE cursor` and `LANE length` are of its own roll.
    pub(crate) fn write(&self, fields: &[&str]) {
        harness::kept::write(&self.store, &self.key(""), fields).unwrap();
    }

    /// Writes how these minutes ended, the oldest first: each with its number, how many waited, and how many had been drawn, released and
    /// come in all.
    pub(crate) fn write_minutes(
        &self,
        minutes: impl IntoIterator<Item = (u64, u64, u64, u64, u64)>,
    ) {
        let mut before = [0; 3];
        for (minute, waiting, drawn, released, came) in minutes {
            let sums = [drawn, released, came];
            let moved = std::array::from_fn(|at| sums[at] - before[at]);
            before = sums;
            let sample = harness::kept::sample(minute, waiting, moved);
            let command = ["LPUSH", &self.key(":minutes"), &sample];
            self.store.command(&command).unwrap();
        }
        let [drawn, released, came] = before.map(|sum| sum.to_string());
        let noted = [
            "noted_drawn",
            &drawn,
            "noted_released",
            &released,
            "noted_came",
            &came,
        ];
        self.write(&noted);
    }

    /// Ends all tickets as an operator does in another data centre: nothing here learns of it.
    pub(crate) fn end_all_elsewhere(&self) {
        harness::kept::end_all(&self.store, &self.key("")).unwrap();
    }

    /// How many numbers of a lane were served, and how many were drawn, as the store keeps them.
    pub(crate) fn numbers(&self, lane: &str) -> (u64, u64) {
        harness::kept::numbers(&self.store, &self.key(""), lane).unwrap()
    }

    /// More than a million tickets drawn, 200 000 of them waiting, at a pace that is known and moves nobody now.
    pub(crate) fn make_the_line_long(&self) {
        let pace = standing_pace(15, 5, self.now_ms());
        self.set("automatic", &pace.automatic.to_string());
        self.set("automatic_quantity", &pace.quantity.to_string());
        self.warm();
        self.write(&["main length", "1234567", "main cursor", "1034567"]);
        self.write(&["period", &pace.period.to_string(), "left", "0"]);
        self.forget_the_sign();
    }

    /// Waits until no copy of the board is left in the data centre.
    pub(crate) fn forget_the_sign(&self) {
        self.wait(MAX_AGE + STALE_WHILE_REVALIDATE + Duration::from_millis(100));
    }

    /// Changes something by an operator's script.
    pub(crate) fn change(&self, route: &str, json: &str) -> Value {
        let got = self.ask(&Ask::json_to(route, json));
        assert_eq!(got.status, 200, "{got:?}");
        got.json()
    }

    pub(crate) fn permit(&self, amount: u64) -> Value {
        let got = self.ask(&Ask::permit(amount));
        assert_eq!(got.status, 200, "{got:?}");
        got.json()
    }
}

/// A pace at which a line stands for as long as a test takes.
pub(crate) struct StandingPace {
    pub(crate) automatic: u64,
    pub(crate) quantity: u64,
    /// The period that is used up.
    pub(crate) period: u64,
}

/// As many visitors a second as in this pace, in periods of a day: today's has nothing left, and tomorrow's has nothing either where
/// today ends within a minute.
pub(crate) fn standing_pace(automatic: u64, quantity: u64, now_ms: u64) -> StandingPace {
    const DAY: u64 = 86_400;
    StandingPace {
        automatic: DAY,
        quantity: quantity * DAY / automatic,
        period: (now_ms / 1000 + 60) / DAY * DAY,
    }
}

/// Whatever story was told, its log is read once more, but where each line was read as it was written. A server that others share goes back, unless the story failed.
impl Drop for House {
    fn drop(&mut self) {
        if std::thread::panicking() || matches!(self.kind, Kind::Native { .. }) {
            return;
        }
        self.log_now();
        if let Kind::Wasm(wasm) = &mut self.kind {
            pool::put_back(wasm);
        }
    }
}

/// What a visitor's browser or a program asks with.
fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .allow_non_standard_methods(true)
        .timeout_global(Some(Duration::from_mins(1)))
        .build()
        .new_agent()
}

/// What the edge knows of a request, as far as it can be known here.
pub(crate) fn facts(call: &Call, query: Query) -> RequestFacts {
    RequestFacts {
        client_address: Some("192.0.2.1".to_owned()),
        ..RequestFacts::of(call, query)
    }
}

/// A browser, as far as cookies go.
pub(crate) struct Visitor<'a> {
    house: &'a House,
    pub(crate) ticket: Option<String>,
}

impl<'a> Visitor<'a> {
    pub(crate) fn new(house: &'a House) -> Self {
        Self {
            house,
            ticket: None,
        }
    }

    /// With this ticket.
    pub(crate) fn holding(house: &'a House, ticket: Option<String>) -> Self {
        Self { house, ticket }
    }

    pub(crate) fn ask(&mut self, target: &str) -> Got {
        self.send(Ask::get(target).json())
    }

    /// As browsers and apps do: one that the answer sends back at once with a ticket comes back at once.
    pub(crate) fn send(&mut self, ask: Ask) -> Got {
        let got = self.send_once(ask.clone());
        if !got.is_provisional() {
            return got;
        }
        if got.status == 303 {
            let back = self.send_once(Ask::get(got.header("location")));
            // Browsers leave a dot segment out.
            let location = back.header("location");
            let location = location.strip_prefix("/.").unwrap_or(location);
            assert_eq!((back.status, location), (303, ask.target.as_str()));
        }
        self.send_once(ask)
    }

    /// One request and no more.
    pub(crate) fn send_once(&mut self, ask: Ask) -> Got {
        let ask = match &self.ticket {
            Some(ticket) => ask.with("cookie", format!("theme=dark; queue={ticket}; x=y")),
            None => ask,
        };
        let got = self.house.ask(&ask);
        if let Some(ticket) = got.ticket() {
            self.ticket = Some(ticket);
        }
        got
    }
}

/// This many visitors who have not asked for anything yet.
pub(crate) fn visitors(house: &House, many: usize) -> Vec<Visitor<'_>> {
    (0..many).map(|_| Visitor::new(house)).collect()
}

/// Which of them the origin answers, asked one after the other.
pub(crate) fn inside(visitors: &mut [Visitor<'_>]) -> Vec<bool> {
    visitors
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect()
}

/// The keys a log line of an unsound configuration names.
pub(crate) fn problem_keys(line: &Value) -> Vec<&str> {
    let problems = line["problems"].as_array().unwrap();
    problems
        .iter()
        .map(|problem| problem["key"].as_str().unwrap())
        .collect()
}

/// The claims of a ticket, unverified.
pub(crate) fn claims(ticket: &str) -> Value {
    use base64::Engine;
    let part = ticket.split('.').nth(1).unwrap();
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(part)
        .unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

/// Settings as a map, of which most stand in the document; a secret is found in the config store, as on the local
/// server.
pub(crate) struct Given(pub(crate) BTreeMap<String, String>);

impl Source for Given {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(match key {
            DOCUMENT => stored(&self.0).remove(DOCUMENT),
            key => self.0.get(key).cloned(),
        })
    }
    fn secret(&self, _key: &str) -> Result<Option<String>, Unreadable> {
        Ok(None)
    }
    fn is_local(&self) -> bool {
        true
    }
}

/// The same, but for keys and secrets that cannot be read.
struct Failing {
    given: Given,
    unreadable: BTreeSet<String>,
}

impl Failing {
    fn is_read(&self, key: &str) -> Result<(), Unreadable> {
        (!self.unreadable.contains(key))
            .then_some(())
            .ok_or(Unreadable)
    }
}

impl Source for Failing {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        self.is_read(key)?;
        self.given.setting(key)
    }
    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        self.is_read(key)?;
        self.given.secret(key)
    }
    fn is_local(&self) -> bool {
        true
    }
}

pub(crate) fn config() -> Config {
    config_with(&[])
}

/// The same with these settings.
pub(crate) fn config_with(more: &[(&str, &str)]) -> Config {
    let mut settings = settings();
    let more = more.iter().copied();
    settings.extend(more.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let Ok(config) = Config::load(Given(settings)) else {
        panic!("the settings of the stories are sound");
    };
    config
}

/// The operator, as changes are asked for straight of the line.
pub(crate) fn admin() -> Actor<'static> {
    Actor {
        name: "admin",
        address: "192.0.2.1",
        audited: true,
        seen: None,
        once: None,
    }
}

/// What the edge would make of the request.
pub(crate) fn call(ask: &Ask, id: String) -> Call {
    let (path, query) = match ask.target.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (ask.target.as_str(), None),
    };
    let host = ask.headers.iter().find(|(name, _)| *name == "host");
    let lines = ask.headers.iter();
    let names: Vec<String> = lines
        .clone()
        .map(|(name, _)| name.to_ascii_lowercase())
        .collect();
    let connection = lines.clone().filter(|(name, _)| *name == "connection");
    Call {
        method: ask.method.to_owned(),
        path: path.to_owned(),
        query,
        host: host.map_or("127.0.0.1:7676".to_owned(), |(_, host)| {
            String::from_utf8_lossy(host).into_owned()
        }),
        https: false,
        address: Some(ask.address),
        country: None,
        local: true,
        headers: ask
            .headers
            .iter()
            .filter(|(name, _)| HEADERS.contains(name))
            .cloned()
            .collect(),
        named: lines
            .filter(|(name, _)| !HEADERS.contains(name))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect(),
        withheld: withheld(
            names.iter().map(String::as_str),
            connection.map(|(_, value)| value.as_slice()),
        ),
        id,
    }
}

pub(crate) fn got(answer: Answer) -> Got {
    match answer {
        Answer::Reply(reply) => Got::of(reply),
        Answer::Forward(forward) => {
            let cookies = forward.set_cookies.into_iter();
            let private = ("cache-control".to_owned(), "private, no-store".to_owned());
            let private = (cookies.len() > 0).then_some(private);
            let cookies = cookies.map(|cookie| ("set-cookie".to_owned(), cookie));
            Got {
                status: 200,
                headers: cookies.chain(private).collect(),
                body: String::new(),
                inside: true,
            }
        }
    }
}

impl Wasm {
    pub(crate) fn ask(&self, ask: &Ask) -> Got {
        assert!(
            ask.address.is_loopback(),
            "all of this machine's requests are its own"
        );
        let mut request = ureq::http::Request::builder()
            .method(ask.method)
            .uri(format!("{}{}", self.edge.url(), ask.target));
        for (name, value) in &ask.headers {
            request = request.header(*name, value.as_slice());
        }
        let seen = self.origin.requests().len();
        let mut response = self
            .agent
            .run(request.body(ask.body.as_slice()).unwrap())
            .unwrap();
        let headers = response
            .headers()
            .iter()
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        self.answers.fetch_add(1, Ordering::SeqCst);
        Got {
            status: response.status().as_u16(),
            headers,
            body: response.body_mut().read_to_string().unwrap_or_default(),
            inside: self.origin.requests().len() > seen,
        }
    }
}

fn here(now_ms: &Arc<AtomicU64>) -> InMemoryCache {
    pop_called("HERE", now_ms)
}

/// The cache of a POP, on a platform that has three lists of networks.
fn pop_called(name: &str, now_ms: &Arc<AtomicU64>) -> InMemoryCache {
    let lists = [
        ("offices", Listed::Allowed),
        ("strangers", Listed::Not),
        ("empty", Listed::Not),
    ];
    let lists = lists.map(|(name, listed)| (name.to_owned(), listed));
    InMemoryCache::with_lists(name, lists.into(), Arc::clone(now_ms))
}
