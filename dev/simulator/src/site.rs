//! The site in front of which visitors wait: the real service on the real scripts, in several POPs.
//!
//! Invariant: nothing here decides. A poll of a waiting visitor that costs the store nothing is reckoned by the product's own
//! functions from the same copy of the board, and the tests hold it against the whole answer: [`Polls`].

mod watched;

use std::cell::RefCell;
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use invariants::{Held, Histories};
use now_serving::cache::outbox::Tally;
use now_serving::cache::{BoardCache, LastBoard};
use now_serving::config::{Config, DOCUMENT, Source, Unreadable};
use now_serving::http::{Answer, Call};
use now_serving::queue::{
    Mode, Now, Reason, Sessions, TicketState, Verdict, decide, refresh_seconds,
};
use now_serving::telemetry::log::{Decision, RequestFacts};
use now_serving::ticket::{Ticket, TicketStage};
use serde_json::{Map, Value, json};
use upstash_local::{Clock, Fault, Faults, Rate, Store};
use virtual_edge::cache::{Cache, CacheFault};
use virtual_edge::{Direct, Happened, Log, Origin, Takes, Turn, id_of};

use crate::outside::Outside;
use crate::scenario::Scenario;
pub use watched::Watched;

/// When a simulation begins for which no time is given: a moment at which periods of a minute, an hour and a day begin.
pub const START_MS: u64 = 1_800_057_600_000;

const TOKEN: &str = "development-only-upstash-token";
const ADMIN: &str = "development-only-admin-token";

/// How polls of waiting visitors, and pages of visitors inside, are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Polls {
    /// Those that change nothing are reckoned, and so are such pages of visitors inside: nearly all of a crowd's requests.
    #[default]
    Reckoned,
    /// Each by the whole service.
    Whole,
}

/// What a browser asks for.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// A page of the site.
    Page,
    /// Where the answer before sent it to.
    Location(&'a str),
    /// The visitor's place, as the waiting page does.
    Place,
}

/// A browser that asks.
#[derive(Clone, Copy, Debug)]
pub struct Browser<'a> {
    /// The POP it comes to.
    pub pop: usize,
    /// Its cookie.
    pub ticket: Option<&'a str>,
    /// Tells networks apart.
    pub network: u32,
}

/// What it hears.
#[derive(Debug)]
pub struct Heard {
    /// Why.
    pub reason: Reason,
    /// Whether the request went on to the origin.
    pub is_forwarded: bool,
    /// The status, of an answer of ours.
    pub status: u16,
    /// The number on the ticket.
    pub position: Option<u64>,
    /// A new cookie.
    pub ticket: Option<String>,
    /// `Location`.
    pub location: Option<String>,
    /// `Refresh`.
    pub refresh: Option<String>,
    /// `Retry-After` in seconds.
    pub retry_after: Option<u64>,
    /// The place as data.
    pub place: Value,
    /// What the edge waits for, where it watches the origin's answer.
    pub watched: Option<Box<Watched>>,
}

/// A poll that was reckoned.
#[derive(Clone, Copy, Debug)]
pub struct Poll {
    /// In how many seconds to ask again.
    pub refresh: u64,
}

struct Pop {
    cache: Cache,
    /// What its sandboxes counted, and have not put into the outbox yet.
    tally: Tally,
    since_ms: Option<u64>,
}

/// The site.
pub struct Site {
    config: Config,
    store: Store,
    /// The way to the store, on which each call is held to the invariants.
    way: invariants::Watched<Direct>,
    takes: Takes,
    pops: Vec<Pop>,
    polls: Polls,
    /// When the simulation began.
    pub start_ms: u64,
    now_ms: u64,
    /// How far the store's clock is.
    store_ms: u64,
    counts_late_ms: u64,
    copies_late_ms: u64,
    requests: u64,
    /// The lines of the product's log, where they are kept.
    pub log: Option<Vec<String>>,
}

impl Site {
    /// An empty room with the settings of a scenario.
    ///
    /// # Errors
    /// What of the settings is not accepted, and what would be.
    pub fn new(scenario: &Scenario, polls: Polls) -> Result<Self, String> {
        let store = Store::embedded_at(TOKEN, Duration::from_millis(START_MS))?;
        Self::on(&store, START_MS, scenario, polls)
    }

    /// The same on this store, whose clock stands still at the start.
    ///
    /// # Errors
    /// The same.
    pub fn on(
        store: &Store,
        start_ms: u64,
        scenario: &Scenario,
        polls: Polls,
    ) -> Result<Self, String> {
        store.limit(Some(Rate {
            commands: scenario.store.commands_a_second,
            clock: Clock::Advanced,
        }));
        let pop = |number: usize| Pop {
            cache: Cache::in_pop(&format!("P{number:02}"), start_ms),
            tally: Tally::default(),
            since_ms: None,
        };
        Ok(Self {
            config: config(&scenario.settings)?,
            store: store.clone(),
            way: invariants::Watched {
                inner: Direct(store.clone()),
                histories: Rc::default(),
            },
            start_ms,
            takes: Takes::Always(Duration::from_millis(scenario.store.takes.ms())),
            pops: (0..scenario.pops).map(pop).collect(),
            polls,
            now_ms: start_ms,
            store_ms: start_ms,
            counts_late_ms: scenario.edge.counts_late.ms(),
            copies_late_ms: scenario.edge.copies_late.ms(),
            requests: 0,
            log: None,
        })
    }

    /// How many visitors the pace lets in a minute; 0 where it is off.
    #[must_use]
    pub fn pace_a_minute(&self) -> f64 {
        let room = &self.config.rooms.first;
        room.pace
            .rate()
            .map_or(0.0, now_serving::queue::Rate::per_minute)
    }

    /// Lets time pass.
    pub fn go_to(&mut self, at_ms: u64) {
        self.now_ms = at_ms;
    }

    /// Whether the store answers.
    pub fn set_store_away(&self, fault: Option<Fault>) {
        self.store
            .fail(fault.map_or(Faults::none(), Faults::always));
    }

    /// The ticket in a cookie, as the product reads it.
    #[must_use]
    pub fn read(&self, token: &str) -> Option<Ticket> {
        let room = &self.config.rooms.first;
        let keys = &self.config.tickets.keys;
        keys.verify(token, &room.name, Now::from_ms(self.now_ms))
    }

    /// One request of a browser, answered by the whole service.
    pub fn ask(&mut self, target: Target<'_>, browser: Browser<'_>) -> Heard {
        let id = self.next_id();
        let call = call(target, browser, &self.config.operators.path, id);
        let heard = self.answer(&call, &[], browser.pop);
        self.note(&heard, browser.ticket);
        heard
    }

    /// What a visitor got is part of the history.
    fn note(&self, heard: &Heard, brought: Option<&str>) {
        let is_visit = matches!(
            heard.reason,
            Reason::Inside | Reason::Admitted | Reason::Invited
        );
        let is_inside = heard.is_forwarded && is_visit;
        let given = heard.ticket.as_deref().and_then(Held::of);
        let brought = brought.filter(|_| is_inside && given.is_none());
        let brought = brought.and_then(Held::of);
        let histories = &self.way.histories;
        histories.answered(given.as_ref(), brought.as_ref(), is_inside);
    }

    /// What must hold of the line, and of what visitors were given.
    #[must_use]
    pub fn histories(&self) -> &Histories {
        &self.way.histories
    }

    /// A change by an operator's program.
    ///
    /// # Errors
    /// What the service says where it refuses.
    pub fn operate(&mut self, verb: &str, fields: &Value) -> Result<(), String> {
        let body = fields.to_string().into_bytes();
        let mut call = Call {
            method: "POST".to_owned(),
            path: format!("{}/{verb}", self.config.operators.path),
            id: self.next_id(),
            ..operators()
        };
        call.headers.extend([
            ("content-type", b"application/json".to_vec()),
            ("content-length", body.len().to_string().into_bytes()),
        ]);
        let heard = self.answer(&call, &body, 0);
        if heard.status == 200 {
            return Ok(());
        }
        Err(format!("{verb}: {}", heard.place))
    }

    /// The metrics once every POP has told what it counted, as a program reads them.
    ///
    /// # Errors
    /// What the service says where it refuses.
    pub fn scrape(&mut self) -> Result<String, String> {
        let mut text = Err("there is no POP".to_owned());
        for number in 0..self.pops.len() {
            if let Some(pop) = self.pops.get_mut(number) {
                pop.cache.memory.put_by(&std::mem::take(&mut pop.tally));
            }
            let call = Call {
                method: "GET".to_owned(),
                path: format!("{}/metrics", self.config.operators.path),
                id: self.next_id(),
                ..operators()
            };
            let cache = self.cache_now(number);
            let turned = self.turn(&call, &cache).serve(&mut &[][..]);
            let Answer::Reply(reply) = turned.answer else {
                return Err("the metrics went on to the origin".to_owned());
            };
            text = String::from_utf8(reply.body).map_err(|error| error.to_string());
        }
        text
    }

    /// A poll of a waiting visitor, where the copy of the board in the POP is enough and nothing is left to do.
    pub fn poll(&mut self, ticket: &Ticket, pop: usize) -> Option<Poll> {
        let now = Now::from_ms(self.now_ms);
        let TicketStage::Waiting(proof) = ticket.stage else {
            return None;
        };
        if self.polls == Polls::Whole || ticket.grace.is_some() || ticket.is_to_be_renewed(now) {
            return None;
        }
        let copy = self.pop(pop)?.cache.peek()?;
        let board = copy.board.filter(|_| !copy.is_old)?;
        // A number by lot is put on the ticket first.
        let is_plain = board.redrawn(proof) == proof;
        let TicketState::Placed(position) = TicketState::of(proof.place, &board) else {
            return None;
        };
        let cursor = board
            .clone()
            .seen_from(ticket.lane, proof)
            .cursor_for(position);
        let Verdict::Wait { ahead } = decide(position, cursor) else {
            return None;
        };
        if !is_plain || board.live.mode == Mode::Closed {
            return None;
        }
        let is_moving = board.mode().lets_in();
        let estimate = is_moving.then(|| board.estimated_wait(ahead, now.ms()));
        let call = Call {
            id: self.next_id(),
            ..Call::default()
        };
        let room = &self.config.rooms.first;
        let shortest = room.refresh_interval;
        let refresh = refresh_seconds(shortest, ahead, estimate.flatten(), call.chance());
        let mut tally = Tally::default();
        tally.decided(Reason::Waiting);
        self.count(pop, &tally);
        Some(Poll { refresh })
    }

    /// Whether a visitor inside asks for a page that goes on to the origin by the ticket alone, and changes nothing.
    pub fn goes_on(&mut self, ticket: &Ticket, pop: usize) -> bool {
        let now = Now::from_ms(self.now_ms);
        let TicketStage::Admitted {
            session: None,
            born,
            ..
        } = ticket.stage
        else {
            return false;
        };
        if self.polls == Polls::Whole || ticket.grace.is_some() || ticket.has_lapsed(now) {
            return false;
        }
        if self.next_is_sampled() {
            return false;
        }
        let last = self.pop(pop).and_then(|pop| pop.cache.last());
        let fresh = last.filter(|last| last.is_fresh_inside(now));
        let Some(board) = fresh.and_then(|last| last.board) else {
            return false;
        };
        let goes_on = board.sessions.is_none() && !board.has_ended_visits(born);
        if goes_on {
            self.requests += 1;
            let mut tally = Tally::default();
            tally.decided(Reason::Inside);
            self.count(pop, &tally);
        }
        goes_on
    }

    /// How long the visitor with this number reads that they will wait, in seconds, by what this POP knows.
    pub fn estimate(&mut self, position: u64, pop: usize) -> Option<u64> {
        let now_ms = self.now_ms;
        let board = self.pop(pop)?.cache.last_board()?;
        let board = Some(board).filter(|board| board.mode().lets_in())?;
        let ahead = position.checked_sub(board.cursor().0 + 1)?;
        board.estimated_wait(ahead, now_ms)
    }

    fn next_id(&mut self) -> String {
        self.requests += 1;
        id_of(self.requests)
    }

    /// A POP whose clock shows what it is.
    fn pop(&mut self, pop: usize) -> Option<&mut Pop> {
        let now_ms = self.now_ms;
        let pop = self.pops.get_mut(pop)?;
        let behind = now_ms.saturating_sub(pop.cache.now_ms());
        if behind > 0 {
            pop.cache.wait(behind);
        }
        Some(pop)
    }

    fn answer(&mut self, call: &Call, body: &[u8], pop: usize) -> Heard {
        let cache = self.cache_now(pop);
        let lines = RefCell::new(Vec::new());
        let log = Log {
            facts: &RequestFacts::of,
            write: &|line| lines.borrow_mut().push(line.to_owned()),
        };
        let late = CacheFault::Late(self.copies_late_ms);
        let answered = || cache.is_from_now_on(late);
        let write_down = |happened: Happened<'_>| self.write_down(&lines, happened);
        let turn = self
            .turn(call, &cache)
            .before(Origin::Later)
            .then(&answered);
        let turn = if self.log.is_some() {
            turn.logging(log).hearing(&write_down)
        } else {
            turn
        };
        let turned = turn.serve(&mut &*body);
        cache.is_from_now_on(CacheFault::Sound);
        let heard = Heard {
            watched: Watched::of(&turned, call, pop),
            ..heard(&turned.served.record, turned.answer)
        };
        self.count(pop, &turned.tally);
        if let Some(log) = &mut self.log {
            log.append(&mut lines.into_inner());
        }
        heard
    }

    /// The cache of a POP; its clock and the store's show what it is.
    fn cache_now(&mut self, pop: usize) -> Cache {
        let behind = self.now_ms.saturating_sub(self.store_ms);
        self.store.advance(Duration::from_millis(behind));
        self.store_ms = self.now_ms;
        self.way.histories.is_at(self.now_ms);
        let cache = self.pop(pop).map(|pop| pop.cache.clone());
        cache.unwrap_or_else(|| Cache::new(self.now_ms))
    }

    fn turn<'a>(&'a self, call: &'a Call, cache: &'a Cache) -> Turn<'a> {
        let now = Now::from_ms(self.now_ms);
        Turn::new(call, now, &self.config, &self.store, self.takes, cache).by(&self.way)
    }

    /// The product's log has a line of what the store says besides its answer.
    fn write_down(&self, lines: &RefCell<Vec<String>>, happened: Happened<'_>) {
        let room = &self.config.rooms.first.name;
        lines.borrow_mut().push(happened.entry(room));
    }

    /// A look at the board that no visitor waits for.
    fn look(&mut self, call: &Call, cache: &Cache, pop: usize) {
        cache.is_from_now_on(CacheFault::Late(self.copies_late_ms));
        let lines = RefCell::new(Vec::new());
        let write_down = |happened: Happened<'_>| self.write_down(&lines, happened);
        let turn = self.turn(call, cache);
        let turn = if self.log.is_some() {
            turn.hearing(&write_down)
        } else {
            turn
        };
        let tally = turn.look();
        cache.is_from_now_on(CacheFault::Sound);
        self.count(pop, &tally);
        if let Some(log) = &mut self.log {
            log.append(&mut lines.into_inner());
        }
    }

    /// A sandbox keeps what it counted for a while.
    fn count(&mut self, pop: usize, tally: &Tally) {
        let (now_ms, late_ms) = (self.now_ms, self.counts_late_ms);
        let Some(pop) = self.pops.get_mut(pop) else {
            return;
        };
        pop.tally.merge(tally);
        if now_ms >= *pop.since_ms.get_or_insert(now_ms) + late_ms {
            pop.cache.memory.put_by(&std::mem::take(&mut pop.tally));
            pop.since_ms = None;
        }
    }
}

impl Outside for Site {
    fn store(&self) -> &Store {
        &self.store
    }

    fn room(&self) -> &str {
        let room = &self.config.rooms.first;
        room.name.as_str()
    }

    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn requests(&self) -> u64 {
        self.requests
    }

    /// By the newest sign that a POP knows.
    fn sessions(&self) -> Option<Sessions> {
        let newest = self.pops.iter().filter_map(|pop| pop.cache.memory.last());
        newest.max_by_key(|copy| copy.read_ms)?.board?.sessions
    }
}

const HOST: &str = "shop.example";

/// What each request of an operator's program has.
fn operators() -> Call {
    Call {
        host: HOST.to_owned(),
        https: true,
        address: Some(Ipv4Addr::new(192, 0, 2, 1).into()),
        headers: vec![("authorization", format!("Bearer {ADMIN}").into_bytes())],
        ..Call::default()
    }
}

fn call(target: Target<'_>, browser: Browser<'_>, ours: &str, id: String) -> Call {
    let place = format!("{ours}/place");
    let (path, query) = match target {
        Target::Page => ("/", None),
        Target::Place => (place.as_str(), None),
        Target::Location(location) => match location.split_once('?') {
            Some((path, query)) => (path, Some(query.to_owned())),
            None => (location, None),
        },
    };
    let sent = |name, value: &str| (name, value.as_bytes().to_vec());
    let mut headers = match target {
        Target::Place => vec![
            sent("accept", "*/*"),
            sent("sec-fetch-dest", "empty"),
            sent("sec-fetch-mode", "cors"),
            sent("sec-fetch-site", "same-origin"),
        ],
        Target::Page | Target::Location(_) => vec![
            sent("accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
            sent("sec-fetch-dest", "document"),
            sent("sec-fetch-mode", "navigate"),
            sent("sec-fetch-site", "none"),
        ],
    };
    headers.push(sent("accept-language", "en"));
    headers.extend(
        browser
            .ticket
            .map(|ticket| sent("cookie", &format!("{COOKIE}{ticket}"))),
    );
    Call {
        method: "GET".to_owned(),
        path: path.to_owned(),
        query,
        host: HOST.to_owned(),
        https: true,
        // Addresses for private use; each visitor has a /24 of its own.
        address: Some(
            Ipv4Addr::from_bits((10 << 24) + (browser.network << 8) % (1 << 24) + 1).into(),
        ),
        headers,
        id,
        ..Call::default()
    }
}

const COOKIE: &str = "__Host-queue=";

fn heard(record: &Decision, answer: Answer) -> Heard {
    let ticket = |cookie: &str| {
        let value = cookie.strip_prefix(COOKIE)?.split(';').next()?;
        Some(value.to_owned())
    };
    let empty = Heard {
        reason: record.reason,
        is_forwarded: false,
        status: 200,
        position: record.visitor_position,
        ticket: None,
        location: None,
        refresh: None,
        retry_after: None,
        place: Value::Null,
        watched: None,
    };
    match answer {
        Answer::Forward(forward) => Heard {
            is_forwarded: true,
            ticket: forward.set_cookies.iter().find_map(|cookie| ticket(cookie)),
            ..empty
        },
        Answer::Reply(reply) => {
            let all = |name: &'static str| {
                let headers = reply
                    .headers
                    .iter()
                    .filter(move |(found, _)| *found == name);
                headers.map(|(_, value)| value.as_str())
            };
            let is_data = all("content-type").any(|kind| kind.contains("json"));
            Heard {
                status: reply.status,
                ticket: all("set-cookie").find_map(ticket),
                location: all("location").next().map(str::to_owned),
                refresh: all("refresh").next().map(str::to_owned),
                retry_after: all("retry-after").next().and_then(|text| text.parse().ok()),
                place: is_data
                    .then(|| serde_json::from_slice(&reply.body).ok())
                    .flatten()
                    .unwrap_or(Value::Null),
                ..empty
            }
        }
    }
}

/// The settings of a scenario, with the secrets of no service.
struct Settings(String);

impl Source for Settings {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok((key == DOCUMENT).then(|| self.0.clone()))
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let secrets = [
            ("jwt_secret", "development-only-jwt-secret-0123456789abcdef"),
            ("upstash_token", TOKEN),
            ("admin_token", ADMIN),
        ];
        let found = secrets.iter().find(|(name, _)| *name == key);
        Ok(found.map(|(_, value)| (*value).to_owned()))
    }

    fn keeps_secrets(&self) -> bool {
        true
    }

    fn is_local(&self) -> bool {
        true
    }
}

fn config(settings: &Map<String, Value>) -> Result<Config, String> {
    let mut document = settings.clone();
    document.insert("upstash_url".to_owned(), json!("http://127.0.0.1:8079"));
    let config = Config::load(Settings(Value::from(document).to_string()));
    let problems = match &config {
        Ok(config) => [&config.ignored[..], &config.closed].concat(),
        Err(unsound) => unsound.problems.clone(),
    };
    let worded = problems.iter().map(|problem| {
        let value = problem.value.as_ref();
        let value = value.map_or(":".to_owned(), |value| format!(" is {value:?};"));
        format!(
            "settings: {}{value} accepted is {}",
            problem.key, problem.accepted
        )
    });
    let worded: Vec<String> = worded.collect();
    match config {
        Ok(config) if worded.is_empty() => Ok(config),
        _ => Err(worded.join("\n")),
    }
}
