//! Guessing, on the story's clock; what a login reads; what a list of tokens may look like.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use now_serving::cache::SessionEnds;
use now_serving::cache::outbox::{Batch, Outbox};
use now_serving::cache::session::Renewed;
use now_serving::cache::{AddressLists, LastBoard, StoreAnswers, TicketMark, TicketMarks};
use now_serving::cache::{
    AttemptLock, BoardCache, CachedBoard, LoginFailures, LoginThrottle, Lookup, Marker, Markers,
    Pop, TURN_TIMEOUT,
};
use now_serving::config::{Config, Problem, Source, Unreadable};
use now_serving::http::{Answer, Call};
use now_serving::operator;
use now_serving::operator::login::{self, Audience, Operator, PAUSE, Refused, Right, Role, Scheme};
use now_serving::operator::verbs::VERBS;
use now_serving::queue::Board;
use now_serving::queue::Now;
use now_serving::queue::Renewal;
use now_serving::request::Request;
use now_serving::service;
use now_serving::store::upstash::{Attempt, Transport};
use upstash_local::Store;

use crate::house::{
    ADMIN_TOKEN, Ask, Direct, Given, PASSWORD, PERMIT_TOKEN, STORE_TOKEN, call, config,
};
use crate::verbs::open_to;
use now_serving::cache::memory::InMemoryCache;
use virtual_edge::cache::{Cache, CacheFault};

const HERE: &str = "192.0.2.1";
pub(crate) const WRONG: &str = "Bearer development-only-guess";

/// One data centre, and who comes to it from where; an address that is none is not known.
struct PanelView {
    pop: InMemoryCache,
    now_ms: Arc<AtomicU64>,
    config: Config,
}

impl PanelView {
    fn new() -> Self {
        let now_ms = Arc::new(AtomicU64::new(1_800_000_000_000));
        Self {
            pop: InMemoryCache::new(Arc::clone(&now_ms)),
            now_ms,
            config: config(),
        }
    }

    fn wait(&self, time: Duration) {
        let time = u64::try_from(time.as_millis()).unwrap();
        self.now_ms.fetch_add(time, Ordering::SeqCst);
    }

    fn asked(&self, address: &str, authorization: Option<&str>) -> Result<Operator, Refused> {
        let now_ms = self.now_ms.load(Ordering::SeqCst);
        let call = from(address, authorization);
        alone(&call, &self.config, &self.pop, now_ms, |request| {
            login::operator(Audience::Api, request)
        })
    }

    /// This many wrong logins.
    fn guess(&self, address: &str, times: usize) {
        for _ in 0..times {
            let got = self.asked(address, Some(WRONG));
            assert_eq!(got, Err(Refused::Unauthorized(Scheme::Bearer)));
        }
    }

    /// How long the right login takes from there.
    fn takes(&self, address: &str) -> Duration {
        let before = self.pop.paused();
        let right = format!("Bearer {PERMIT_TOKEN}");
        self.asked(address, Some(&right)).unwrap();
        self.pop.paused().checked_sub(before).unwrap()
    }
}

fn from(address: &str, authorization: Option<&str>) -> Call {
    let headers = authorization.map(|text| ("authorization", text.as_bytes().to_vec()));
    Call {
        address: address.parse().ok(),
        headers: headers.into_iter().collect(),
        ..Call::default()
    }
}

#[test]
fn the_eleventh_attempt_takes_a_quarter_of_a_second_right_or_wrong() {
    let desk = PanelView::new();
    desk.guess(HERE, 10);
    assert_eq!(desk.pop.paused(), Duration::ZERO);
    desk.guess(HERE, 1);
    assert_eq!(desk.pop.paused(), PAUSE);
    assert_eq!(desk.takes(HERE), PAUSE, "the right one too");
    assert_eq!(PAUSE, Duration::from_millis(250));
}

#[test]
fn a_wrong_login_counts_for_a_minute_from_the_first() {
    let desk = PanelView::new();
    desk.guess(HERE, 9);
    desk.wait(Duration::from_millis(59_999));
    desk.guess(HERE, 1);
    assert_eq!(desk.takes(HERE), PAUSE);
    desk.wait(Duration::from_millis(1));
    assert_eq!(desk.takes(HERE), Duration::ZERO);
    desk.guess(HERE, 10);
    assert_eq!(desk.takes(HERE), PAUSE, "and then it begins anew");
}

#[test]
fn right_logins_and_requests_without_credentials_are_no_wrong_ones() {
    let desk = PanelView::new();
    for _ in 0..50 {
        assert_eq!(desk.takes(HERE), Duration::ZERO);
        let nobody = desk.asked(HERE, None);
        assert_eq!(nobody, Err(Refused::Unauthorized(Scheme::Basic)));
    }
    desk.guess(HERE, 10);
    for _ in 0..50 {
        let nobody = desk.asked(HERE, None);
        assert_eq!(nobody, Err(Refused::Unauthorized(Scheme::Basic)));
    }
    assert_eq!(desk.pop.paused(), Duration::ZERO, "and are never slowed");
}

#[test]
fn who_guesses_slows_the_same_address_and_the_same_64_bits_of_an_ipv6_one() {
    let desk = PanelView::new();
    desk.guess(HERE, 10);
    assert_eq!(desk.takes("192.0.2.2"), Duration::ZERO);
    assert_eq!(
        desk.takes("::ffff:192.0.2.1"),
        PAUSE,
        "the same in longer words"
    );
    desk.guess("2001:db8:0:1::1", 5);
    desk.guess("2001:db8:0:1:ffff:ffff:ffff:ffff", 5);
    assert_eq!(desk.takes("2001:db8:0:1::2"), PAUSE);
    assert_eq!(desk.takes("2001:db8:1:1::1"), Duration::ZERO);
    desk.guess("", 10);
    assert_eq!(desk.takes(""), PAUSE, "and a request without one");
}

/// A server that is rented has often 65 536 networks of 64 bits.
#[test]
fn wrong_logins_from_many_networks_of_one_48_slow_them_all() {
    let desk = PanelView::new();
    for network in 0..10 {
        desk.guess(&format!("2001:db8:7:{network}::1"), 1);
    }
    assert_eq!(desk.pop.paused(), Duration::ZERO);
    assert_eq!(desk.takes("2001:db8:7:ffff::1"), PAUSE);
    assert_eq!(desk.takes("2001:db8:8::1"), Duration::ZERO);
    desk.wait(Duration::from_mins(1));
    assert_eq!(desk.takes("2001:db8:7:ffff::1"), Duration::ZERO);
}

/// However many addresses guess: four a second in a data centre.
#[test]
fn after_a_hundred_wrong_logins_in_a_minute_all_strangers_share_one_lane() {
    let desk = PanelView::new();
    for host in 0..100 {
        desk.guess(&format!("198.51.100.{host}"), 1);
    }
    assert_eq!(desk.pop.paused(), Duration::ZERO);
    for host in 0..20 {
        desk.guess(&format!("203.0.113.{host}"), 1);
    }
    assert_eq!(desk.pop.paused(), 20 * PAUSE);
    for stranger in [HERE, "2001:db8:9::1", ""] {
        assert_eq!(desk.takes(stranger), PAUSE, "{stranger}");
    }
    let AttemptLock::Mine(turn) = desk.pop.turn("all") else {
        panic!("no other login has it");
    };
    let right = format!("Bearer {PERMIT_TOKEN}");
    let refused = desk.asked(HERE, Some(&right)).unwrap_err();
    assert_eq!(refused, Refused::TooMany, "one at a time");
    drop(turn);
    let call = from(HERE, Some(&basic(PASSWORD)));
    let call = known(
        call,
        &device_cookie(&desk.config, "a-browser", NOW_MS / 1000),
    );
    let before = desk.pop.paused();
    let got = alone(&call, &desk.config, &desk.pop, NOW_MS, |request| {
        login::operator(Audience::Panel, request)
    });
    assert!(got.is_ok(), "{got:?}");
    assert_eq!(desk.pop.paused(), before, "a browser that is known");
    desk.wait(Duration::from_mins(1));
    assert_eq!(desk.takes(HERE), Duration::ZERO);
}

/// However often one address, or one /48, guesses.
#[test]
fn wrong_logins_of_one_network_slow_no_others() {
    let desk = PanelView::new();
    desk.guess("198.51.100.1", 150);
    for host in 0..150 {
        desk.guess(&format!("2001:db8:7:{host:x}::1"), 1);
    }
    for stranger in [HERE, "2001:db8:9::1", "203.0.113.9"] {
        assert_eq!(desk.takes(stranger), Duration::ZERO, "{stranger}");
    }
}

#[test]
fn who_waits_too_long_for_a_turn_is_not_looked_at() {
    let desk = PanelView::new();
    desk.guess(HERE, 1);
    let AttemptLock::Mine(turn) = desk.pop.turn(HERE) else {
        panic!("nobody had it");
    };
    let right = format!("Bearer {PERMIT_TOKEN}");
    let refused = desk.asked(HERE, Some(&right)).unwrap_err();
    let reply = refused.reply();
    let retry = reply
        .headers
        .iter()
        .find(|(name, _)| *name == "retry-after");
    assert_eq!((refused, reply.status), (Refused::TooMany, 429));
    assert_eq!(retry.unwrap().1, "5");
    drop(turn);
    assert!(desk.asked(HERE, Some(&right)).is_ok());
    assert_eq!(desk.pop.wrong(HERE).unwrap().count, 1, "nor counted");
}

/// Logins that arrive in the same moment. Each lane serves one at a time, in the order in which they came; what is read of a
/// lane without its turn is what stood there before any of them.
struct Burst {
    memory: InMemoryCache,
    before: BTreeMap<String, LoginFailures>,
    lanes: Rc<RefCell<BTreeMap<String, Lane>>>,
    /// How far this login is in time, from the burst's moment.
    clock: Rc<Cell<Duration>>,
}

#[derive(Default)]
struct Lane {
    free_at: Duration,
    is_taken: bool,
}

/// Held by the login whose turn it is.
struct Served(
    String,
    Rc<RefCell<BTreeMap<String, Lane>>>,
    Rc<Cell<Duration>>,
);

impl Burst {
    fn new() -> Self {
        Self {
            memory: InMemoryCache::new(Arc::new(AtomicU64::new(NOW_MS))),
            before: BTreeMap::new(),
            lanes: Rc::default(),
            clock: Rc::default(),
        }
    }

    /// The answer to one of them, and how long it took.
    fn login(&self, call: &Call, config: &Config) -> (Result<Operator, Refused>, Duration) {
        self.clock.set(Duration::ZERO);
        let got = alone(call, config, self, NOW_MS, |request| {
            login::operator(Audience::Api, request)
        });
        (got, self.clock.get())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let mut lanes = self.1.borrow_mut();
        let lane = lanes.get_mut(&self.0).unwrap();
        (lane.free_at, lane.is_taken) = (self.2.get(), false);
    }
}

impl LastBoard for Burst {
    fn last_board(&self) -> Option<Board> {
        self.memory.last_board()
    }
}

impl Markers for Burst {
    fn marker(&self, marker: Marker) -> Option<Vec<u8>> {
        self.memory.marker(marker)
    }

    fn put_marker(&self, marker: Marker, note: &[u8], life: Duration) {
        self.memory.put_marker(marker, note, life);
    }

    fn alone(&self, marker: Marker, work: &mut dyn FnMut()) {
        self.memory.alone(marker, work);
    }
}

impl BoardCache for Burst {
    fn lookup(&self) -> Lookup {
        self.memory.lookup()
    }

    fn peek(&self) -> Option<CachedBoard> {
        self.memory.peek()
    }

    fn put(&self, copy: &CachedBoard) {
        self.memory.put(copy);
    }

    fn remember(&self, copy: &CachedBoard) {
        self.memory.remember(copy);
    }

    fn last(&self) -> Option<CachedBoard> {
        self.memory.last()
    }
}

impl LoginThrottle for Burst {
    fn turn(&self, lane: &str) -> AttemptLock {
        let mut lanes = self.lanes.borrow_mut();
        let taken = lanes.entry(lane.to_owned()).or_default();
        assert!(!taken.is_taken, "one at a time");
        if taken.free_at > TURN_TIMEOUT {
            self.clock.set(TURN_TIMEOUT);
            return AttemptLock::Late;
        }
        taken.is_taken = true;
        self.clock.set(taken.free_at);
        let served = Served(
            lane.to_owned(),
            Rc::clone(&self.lanes),
            Rc::clone(&self.clock),
        );
        AttemptLock::Mine(Box::new(served) as Box<dyn Any>)
    }

    fn wrong(&self, lane: &str) -> Option<LoginFailures> {
        let has_turn = self
            .lanes
            .borrow()
            .get(lane)
            .is_some_and(|lane| lane.is_taken);
        if has_turn {
            self.memory.wrong(lane)
        } else {
            self.before.get(lane).copied()
        }
    }

    fn put_wrong(&self, lane: &str, wrong: LoginFailures, life: Duration) {
        self.memory.put_wrong(lane, wrong, life);
    }

    fn pause(&self, time: Duration) {
        self.clock.set(self.clock.get() + time);
    }
}

impl Outbox for Burst {
    fn batches(&self) -> Vec<Batch> {
        self.memory.batches()
    }

    fn acknowledge(&self, batches: &[Batch]) {
        self.memory.acknowledge(batches);
    }
}

impl SessionEnds for Burst {
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

impl TicketMarks for Burst {
    fn is_marked(&self, what: TicketMark, id: &str) -> bool {
        self.memory.is_marked(what, id)
    }

    fn mark(&self, what: TicketMark, id: &str) {
        self.memory.mark(what, id);
    }
}

impl StoreAnswers for Burst {
    fn answer(&self, asked: &str) -> Option<Vec<u8>> {
        self.memory.answer(asked)
    }

    fn keep_answer(&self, asked: &str, answer: &[u8]) {
        self.memory.keep_answer(asked, answer);
    }
}

impl AddressLists for Burst {
    fn listed(&self, _list: &str, _address: std::net::IpAddr) -> now_serving::cache::Listed {
        now_serving::cache::Listed::Unknown
    }
}

impl Pop for Burst {
    fn pop(&self) -> String {
        self.memory.pop()
    }
}

const NOW_MS: u64 = 1_800_000_000_000;

pub(crate) fn basic(password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("admin:{password}")))
}

/// As a browser sends it that got this cookie.
fn known(call: Call, set_cookie: &str) -> Call {
    let pair = set_cookie.split(';').next().unwrap().as_bytes().to_vec();
    let headers = [call.headers, vec![("cookie", pair)]].concat();
    Call { headers, ..call }
}

fn device_cookie(config: &Config, id: &str, now: u64) -> String {
    let call = Call {
        id: id.to_owned(),
        ..Call::default()
    };
    cookie_for(&call, config, now).unwrap()
}

/// The cookie that an operator's browser gets that sent this, at this Unix second.
fn cookie_for(call: &Call, config: &Config, now: u64) -> Option<String> {
    let cache = InMemoryCache::new(Arc::default());
    alone(call, config, &cache, now * 1000, login::device_cookie)
}

/// A store that is not there.
struct NoStore;

impl Transport for NoStore {
    fn post(&self, _body: &str, _attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        None
    }
}

/// A request for which no store is needed.
fn alone<T>(
    call: &Call,
    config: &Config,
    pop: &dyn Pop,
    now_ms: u64,
    ask: impl FnOnce(&Request<'_>) -> T,
) -> T {
    let now = Now::from_ms(now_ms);
    ask(&Request::new(call, config, &NoStore, pop, now))
}

#[test]
fn nobody_in_the_operators_network_can_make_a_known_browser_wait() {
    let (burst, config) = (Burst::new(), config());
    let cookie = device_cookie(&config, "0123", NOW_MS / 1000);
    let right = from(HERE, Some(&basic(PASSWORD)));
    let operator = known(right.clone(), &cookie);
    let mut from_the_network = Vec::new();
    for _ in 0..40 {
        from_the_network.push(burst.login(&from(HERE, Some(&basic("guess"))), &config));
        let (got, took) = burst.login(&operator, &config);
        assert!(got.is_ok() && took.is_zero(), "{got:?} after {took:?}");
    }
    let late = |(got, _): &&(_, _)| *got == Err(Refused::TooMany);
    assert_eq!(
        from_the_network.iter().filter(late).count(),
        9,
        "ten at once, and four a second"
    );
    let (got, took) = burst.login(&right, &config);
    assert_eq!(
        (got, took),
        (Err(Refused::TooMany), TURN_TIMEOUT),
        "a browser that is not known queues"
    );
}

#[test]
fn a_burst_is_looked_at_one_by_one_and_a_guess_among_it_is_not_let_past() {
    let (burst, config) = (Burst::new(), config());
    let took: Vec<Duration> = (0..30)
        .map(|_| burst.login(&from(HERE, Some(&basic("guess"))), &config).1)
        .collect();
    assert!(took[..10].iter().all(Duration::is_zero), "{took:?}");
    for (place, took) in took.iter().enumerate().skip(10) {
        assert_eq!(
            *took,
            PAUSE * u32::try_from(place - 9).unwrap(),
            "number {place}"
        );
    }
    let (got, took) = burst.login(&from(HERE, Some(&basic(PASSWORD))), &config);
    assert_eq!(
        (got.is_ok(), took),
        (true, PAUSE * 21),
        "after all before it"
    );
    let (got, _) = burst.login(&from(HERE, Some(&basic(PASSWORD))), &config);
    assert_eq!(got, Err(Refused::TooMany), "though it is right");
}

#[test]
fn a_long_token_needs_no_lane_and_a_short_one_does() {
    let long = "0123456789abcdef0123456789abcdef";
    let short = &long[..login::LONG_TOKEN - 1];
    let mut settings = required();
    let tokens = format!("long:{long},short:{short}");
    settings.extend([
        ("permit_token", tokens.as_str()),
        ("admin_password", PASSWORD),
    ]);
    let (burst, config) = (Burst::new(), loaded(&settings));
    let ask = |token: &str| {
        let call = from(HERE, Some(&format!("Bearer {token}")));
        burst.login(&call, &config)
    };
    for number in 0..100 {
        let (got, took) = ask(&format!("{number:032}"));
        assert_eq!(
            (got, took),
            (Err(Refused::Unauthorized(Scheme::Bearer)), Duration::ZERO)
        );
    }
    assert_eq!(
        burst.memory.wrong(HERE),
        None,
        "and none of them slows anybody"
    );
    for _ in 0..40 {
        assert!(ask("short").0.is_err());
    }
    assert_eq!(ask(short).0, Err(Refused::TooMany));
    assert!(ask(long).0.is_ok() && ask(long).1.is_zero());
    let elsewhere = from("192.0.2.2", Some(&format!("Bearer {short}")));
    assert!(burst.login(&elsewhere, &config).0.is_ok());
}

#[test]
fn a_known_browser_still_needs_the_password_and_guesses_in_its_own_lane() {
    let (burst, config) = (Burst::new(), config());
    let cookie = device_cookie(&config, "0123", NOW_MS / 1000);
    let call = |authorization: Option<&str>| known(from(HERE, authorization), &cookie);
    let unauthorized = Err(Refused::Unauthorized(Scheme::Basic));
    assert_eq!(burst.login(&call(None), &config).0, unauthorized);
    for _ in 0..40 {
        let (got, _) = burst.login(&call(Some(&basic("guess"))), &config);
        assert!(got.is_err());
    }
    let late = (Err(Refused::TooMany), TURN_TIMEOUT);
    assert_eq!(burst.login(&call(Some(&basic(PASSWORD))), &config), late);
    let elsewhere = known(from("192.0.2.9", Some(&basic(PASSWORD))), &cookie);
    assert_eq!(burst.login(&elsewhere, &config), late, "wherever it goes");
    let (got, took) = burst.login(&from(HERE, Some(&basic(PASSWORD))), &config);
    assert!(
        got.is_ok() && took.is_zero(),
        "and the network is not slowed"
    );
}

#[test]
fn a_browser_is_known_for_thirty_days_by_this_password_and_this_room() {
    const DAYS: u64 = 86_400;
    let now = NOW_MS / 1000;
    let with = |key: &'static str, value: &'static str| {
        let mut settings = required();
        settings.extend([("admin_password", PASSWORD), (key, value)]);
        loaded(&settings)
    };
    let config = with("room", "main");
    let cookie = device_cookie(&config, "0123", now);
    let is_known = |config: &Config, cookie: &str, now: u64| {
        let call = known(Call::default(), cookie);
        cookie_for(&call, config, now).is_none()
    };
    assert!(is_known(&config, &cookie, now), "and no new cookie is sent");
    assert!(is_known(&config, &cookie, now + 15 * DAYS - 1));
    let renewed = known(Call::default(), &cookie);
    let renewed = cookie_for(&renewed, &config, now + 15 * DAYS).unwrap();
    assert!(
        renewed.contains("=main.0123."),
        "the same browser: {renewed}"
    );
    for other in [
        with("admin_password", "another-password"),
        with("room", "side"),
        with("jwt_secret", "fedcba9876543210fedcba9876543210"),
    ] {
        assert!(!is_known(&other, &cookie, now));
    }
    let rotated = "fedcba9876543210fedcba9876543210,0123456789abcdef0123456789abcdef";
    let mut settings = required();
    settings.extend([("admin_password", PASSWORD), ("jwt_secret", rotated)]);
    assert!(
        is_known(&loaded(&settings), &cookie, now),
        "through a rotation"
    );
    let expired = known(Call::default(), &cookie);
    let anew = cookie_for(&expired, &config, now + 30 * DAYS).unwrap();
    assert!(!anew.contains("0123"), "{anew}");
    let altered = cookie.replace("main.0123", "main.0124");
    assert!(!is_known(&config, &altered, now));
}

#[test]
fn the_cookie_of_a_known_browser_goes_to_the_operators_routes_of_this_site_alone() {
    let config = config();
    let production = Call {
        https: true,
        host: "shop.example".to_owned(),
        id: "0123".to_owned(),
        ..Call::default()
    };
    let set = cookie_for(&production, &config, 1_800_000_000).unwrap();
    let (pair, attributes) = set.split_once("; ").unwrap();
    assert!(
        pair.starts_with("__Secure-queue-device=main.0123.1802592000."),
        "{pair}"
    );
    assert_eq!(
        attributes,
        "Path=/_queue; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000"
    );
}

#[test]
fn a_cache_that_does_not_answer_locks_nobody_out() {
    let (cache, config) = (Cache::new(1_800_000_000_000), config());
    cache.is_from_now_on(CacheFault::Silent);
    let asked = |authorization: &str| {
        let call = from(HERE, Some(authorization));
        alone(&call, &config, &cache, cache.now_ms(), |request| {
            login::operator(Audience::Api, request)
        })
    };
    for _ in 0..20 {
        assert_eq!(asked(WRONG), Err(Refused::Unauthorized(Scheme::Bearer)));
    }
    assert!(asked(&format!("Bearer {PERMIT_TOKEN}")).is_ok());
}

#[test]
fn a_permit_token_may_permit_and_read_and_an_admin_token_everything() {
    let desk = PanelView::new();
    let of = |token: &str| desk.asked(HERE, Some(&format!("Bearer {token}"))).unwrap();
    let (permit, admin) = (of(PERMIT_TOKEN), of(ADMIN_TOKEN));
    assert_eq!((permit.role, admin.role), (Role::Permit, Role::All));
    assert!(permit.clone().may(Right::Permit).is_ok());
    for right in [Right::Permit, Right::Event, Right::Set, Right::Look] {
        assert!(admin.clone().may(right).is_ok());
    }
    assert!(permit.clone().may(Right::Read).is_ok());
    let refused = permit.may(Right::Set).unwrap_err();
    let reply = refused.reply();
    let detail = String::from_utf8(reply.body).unwrap();
    assert_eq!(reply.status, 403);
    assert!(detail.contains("needs an admin_token"), "{detail}");
}

/// Each change that is made, by the role that makes it.
#[test]
fn each_role_opens_the_routes_of_its_rights() {
    let opens = |role| {
        let mut routes = open_to(role);
        routes.sort_unstable();
        routes
    };
    assert_eq!(opens(Role::Read), [""; 0]);
    assert_eq!(opens(Role::Look), [""; 0]);
    assert_eq!(opens(Role::Event), ["event"]);
    assert_eq!(opens(Role::Stock), ["report"]);
    assert_eq!(opens(Role::Invite), [""; 0]);
    assert_eq!(opens(Role::Permit), ["end", "permit", "report"]);
    let of_api = VERBS.iter().filter(|verb| verb.needs.0 == Audience::Api);
    assert_eq!(opens(Role::All).len(), of_api.count());
}

#[test]
fn a_token_with_the_role_read_can_only_read() {
    const READ: &str = "a-token-that-may-only-read";
    let mut settings = required();
    let tokens = format!("{PERMIT_TOKEN},prometheus/read:{READ}");
    settings.insert("permit_token", &tokens);
    let (config, desk) = (loaded(&settings), PanelView::new());
    let store = Direct(Store::embedded(STORE_TOKEN).unwrap());
    let asked = |ask: &Ask| {
        let ask = ask.clone().with("authorization", format!("Bearer {READ}"));
        let (call, mut body) = (call(&ask, "0".repeat(32)), ask.body.as_slice());
        let now_ms = 1_800_000_000_000;
        let outcome = service::handle(
            &Request::new(&call, &config, &store, &desk.pop, Now::from_ms(now_ms)),
            &mut body,
        );
        let Answer::Reply(reply) = outcome.answer else {
            panic!("{ask:?} went to the origin");
        };
        let text = String::from_utf8(reply.body).unwrap();
        (reply.status, outcome.record.operator, text)
    };
    for route in ["status", "metrics"] {
        let (status, name, _) = asked(&Ask::get(&format!("/_queue/{route}")));
        assert_eq!(
            (status, name.as_deref()),
            (200, Some("prometheus")),
            "{route}"
        );
    }
    for route in open_to(Role::All) {
        let ask = Ask::get(&format!("/_queue/{route}")).method("POST");
        let (status, _, told) = asked(&ask.body("application/json", r#"{"amt":1}"#));
        assert_eq!(status, 403, "{route}: {told}");
        assert!(told.contains("prometheus may only read"), "{told}");
        assert!(told.contains("nothing was done"), "{told}");
    }
    assert_eq!(asked(&Ask::get("/_queue/settings")).0, 403);
    for path in ["/_queue", "/_queue/"] {
        assert_eq!(asked(&Ask::get(path)).0, 404, "there is no password");
    }
}

#[test]
fn the_log_names_who_asked() {
    let store = Direct(Store::embedded(STORE_TOKEN).unwrap());
    let mut settings = BTreeMap::from([
        ("permit_token", "development-only-permit-token"),
        (
            "admin_token",
            "ops:development-only-ops-token cd:development-only-cd-token",
        ),
        ("admin_password", PASSWORD),
    ]);
    settings.extend(required());
    let config = loaded(&settings);
    let desk = PanelView::new();
    let asked = |ask: Ask| {
        let call = call(&ask, String::new());
        let now = Now::from_ms(1_800_000_000_000);
        let request = Request::new(&call, &config, &store, &desk.pop, now);
        let answered = operator::answer("/status", &mut [].as_slice(), &request);
        answered.operator
    };
    let bearer =
        |token: &str| Ask::get("/_queue/status").with("authorization", format!("bearer {token}"));
    for (name, ask) in [
        (Some("admin"), Ask::get("/_queue/status").operator()),
        (Some("permit_token"), bearer(PERMIT_TOKEN)),
        (Some("ops"), bearer("development-only-ops-token")),
        (Some("cd"), bearer("development-only-cd-token")),
        (None, bearer("development-only-no-token")),
    ] {
        assert_eq!(asked(ask.clone()).as_deref(), name, "{ask:?}");
    }
}

#[test]
fn each_operator_logs_in_by_name_with_a_password_of_their_own() {
    let mut settings = required();
    let passwords = r#"{"anna":"annas password","ben":"bens: password"}"#;
    settings.insert("admin_password", passwords);
    let (burst, config) = (Burst::new(), loaded(&settings));
    let asked = |pair: &str| {
        let given = format!("Basic {}", STANDARD.encode(pair));
        let got = burst.login(&from(HERE, Some(&given)), &config).0;
        got.map(|operator| operator.name)
    };
    for (pair, name) in [
        ("anna:annas password", Some("anna")),
        ("ben:bens: password", Some("ben")),
        ("ben:annas password", None),
        ("Anna:annas password", None),
        ("admin:annas password", None),
        (&format!("admin:{passwords}"), None),
        ("anna:", None),
        ("anna", None),
        (":annas password", None),
        ("", None),
    ] {
        assert_eq!(asked(pair).ok().as_deref(), name, "{pair}");
    }
    let cookie = device_cookie(&config, "0123", NOW_MS / 1000);
    settings.insert("admin_password", r#"{"anna":"annas password"}"#);
    let without_ben = loaded(&settings);
    let call = known(Call::default(), &cookie);
    let renewed = cookie_for(&call, &without_ben, NOW_MS / 1000).unwrap();
    assert!(
        !renewed.contains("0123"),
        "a browser of who has left is not known any more"
    );
}

fn required() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        ("jwt_secret", "0123456789abcdef0123456789abcdef"),
        ("upstash_token", "t"),
        ("upstash_url", "https://store.example"),
    ])
}

fn loaded(settings: &BTreeMap<&str, &str>) -> Config {
    let owned = |(key, value): (&&str, &&str)| ((*key).to_owned(), (*value).to_owned());
    Config::load(Given(settings.iter().map(owned).collect()))
        .ok()
        .unwrap()
}

fn problems(permit: &str, admin: &str) -> Vec<Problem> {
    let mut settings = required();
    settings.extend([("permit_token", permit), ("admin_token", admin)]);
    let operators = loaded(&settings).operators;
    operators
        .secrets
        .tokens_of_both_kinds()
        .err()
        .unwrap_or_default()
}

#[test]
fn a_wrong_list_of_tokens_is_answered_with_what_is_accepted_and_never_with_a_token() {
    const A: &str = "0123456789abcdef";
    const B: &str = "fedcba9876543210";
    let long = "n".repeat(33);
    let sound = format!("{A} {}:{B}", "n".repeat(32));
    assert_eq!(problems(&sound, "none"), []);
    assert_eq!(problems("a-b_C9:with:colons:in:it", ""), []);
    for wrong in [
        format!("{long}:{A}"),
        format!(":{A}"),
        format!("the shop:{A}"),
        format!("shöp:{A}"),
        format!("a:{A},b:{A}"),
        format!("a:{A},a:{B}"),
        format!("{A},{B}"),
        format!("a:{A},b:short"),
        "a:".to_owned(),
        format!("read:{A}"),
        format!("a/read:{A},b:{A}"),
        "a/read:short".to_owned(),
        format!("a:read:{A}"),
        format!("a/write:{A}"),
        format!("a/event/read:{A}"),
        format!("event:{A}"),
        format!("stock:{A}"),
        format!("invite:{A}"),
        format!("a:event:{A}"),
        format!("/read:{A}"),
        " , ".to_owned(),
    ] {
        for (key, found) in [
            ("permit_token", problems(&wrong, "none")),
            ("admin_token", problems("none", &wrong)),
        ] {
            assert!(!found.is_empty(), "{wrong}");
            for problem in found {
                assert_eq!((problem.key, &problem.value), (key, &None), "{wrong}");
                assert!(!problem.accepted.contains(A), "{}", problem.accepted);
            }
        }
    }
    let unknown = problems(&format!("shop:{B},cms/events:{A}"), "none");
    let accepted = "behind the slash one of the roles read, stock, event, invite, for token 2";
    assert_eq!(unknown.len(), 1, "{unknown:?}");
    assert_eq!(unknown[0].accepted, accepted);
    let both = problems(&format!("a:{A}"), &format!("b:{A}"));
    assert_eq!(
        both.len(),
        1,
        "one that may permit could do everything: {both:?}"
    );
    let keys = problems("short", "short")
        .into_iter()
        .map(|problem| problem.key);
    assert_eq!(keys.collect::<Vec<_>>(), ["permit_token", "admin_token"]);
}

/// A secret store that counts.
#[derive(Clone, Default)]
struct Counting {
    secrets: BTreeMap<&'static str, &'static str>,
    read: Arc<Mutex<Vec<String>>>,
}

impl Source for Counting {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(match key {
            "upstash_url" => Some("https://store.example".to_owned()),
            "settings" => Some("{}".to_owned()),
            _ => None,
        })
    }
    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        self.read.lock().unwrap().push(key.to_owned());
        Ok(self.secrets.get(key).map(|secret| (*secret).to_owned()))
    }
    fn is_local(&self) -> bool {
        true
    }
}

const VISITORS: [&str; 3] = ["jwt_secret", "jwt_secret_previous", "upstash_token"];

/// What is read for this request, by a sandbox that has not served any other, and then once more.
fn read(secrets: &BTreeMap<&'static str, &'static str>, ask: &Ask) -> Vec<String> {
    let source = Counting {
        secrets: secrets.clone(),
        ..Counting::default()
    };
    let config = Config::load(source.clone()).ok().unwrap();
    let store = Direct(Store::embedded(STORE_TOKEN).unwrap());
    let (call, desk) = (call(ask, "0".repeat(32)), PanelView::new());
    let mut reads = [(); 2].map(|()| {
        let mut body = ask.body.as_slice();
        let _ = service::handle(
            &Request::new(
                &call,
                &config,
                &store,
                &desk.pop,
                Now::from_ms(1_800_000_000_000),
            ),
            &mut body,
        );
        source.read.lock().unwrap().clone()
    });
    assert_eq!(reads[0], reads[1], "each is read once: {ask:?}");
    reads[0].split_off(VISITORS.len())
}

/// Production allows five, three of which are the visitors'.
#[test]
fn no_request_reads_more_than_five_secrets() {
    let mut all = required();
    all.extend([
        ("admin_password", PASSWORD),
        ("permit_token", PERMIT_TOKEN),
        ("admin_token", ADMIN_TOKEN),
    ]);
    let nobody = required();
    let (password, permit, admin) = ("admin_password", "permit_token", "admin_token");
    let status = || Ask::get("/_queue/status");
    let guess = || status().with("authorization", WRONG);
    for (secrets, ask, expected) in [
        (&all, Ask::get("/"), vec![]),
        (&all, Ask::get("/_queue/place"), vec![]),
        (&all, Ask::get("/_queue").operator(), vec![password]),
        (&all, status().operator(), vec![password]),
        (&all, Ask::press("amt=1"), vec![password]),
        (
            &all,
            status().with("authorization", "Basic wrong"),
            vec![password],
        ),
        (&all, Ask::permit(1), vec![permit, admin]),
        (&all, guess(), vec![permit, admin]),
        (
            &all,
            Ask::get("/_queue").with("authorization", WRONG),
            vec![password],
        ),
        (&all, Ask::get("/_queue"), vec![password]),
        (&all, Ask::get("/_queue/"), vec![password]),
        (&all, status(), vec![password]),
        (&all, status().method("PUT"), vec![password]),
        (&all, Ask::get("/_queue/healthz"), vec![password, permit]),
        (&nobody, Ask::get("/_queue").operator(), vec![password]),
        (&nobody, Ask::get("/_queue"), vec![password]),
        (&nobody, Ask::get("/_queue/"), vec![password]),
        (&nobody, status(), vec![password, permit]),
        (&nobody, status().method("PUT"), vec![password, permit]),
        (&nobody, Ask::permit(1), vec![permit, admin]),
        (&nobody, Ask::get("/_queue/healthz"), vec![password, permit]),
    ] {
        assert_eq!(read(secrets, &ask), expected, "{ask:?}");
        assert!(VISITORS.len() + expected.len() <= 5);
    }
}
