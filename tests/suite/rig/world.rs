//! One store, several POPs, and what everybody does, told as visitors, operators and programs see it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;
use std::time::Duration;

use invariants::{Broken, Data, Held, Histories, Loss, Said, Visitor};
use now_serving::cache::LastBoard;
use now_serving::cache::outbox::Tally;
use now_serving::config::Config;
use now_serving::http::Call;
use now_serving::queue::journal::{JournalLane, JournalLine};
use now_serving::queue::{Invitation, LaneName, Noted, Now, Reason, RoomName};
use now_serving::store::upstash::{Attempt, Transport};
use now_serving::ticket::Keys;
use now_serving::ticket::invitation::sign_invitation;
use serde_json::{Value, json};
use upstash_local::Store;
use virtual_edge::cache::Cache;
use virtual_edge::{Direct, Happened, Takes, Turn, Turned, by_clock, id_of};

use super::plan::{COUNTRIES, POPS, Plan, Settings, USUAL, one_of, schedule};
use super::step::Kind;
use super::store::{COPIES, Engine};
use crate::house::{Ask, Got, SECRET, call, config_with, got};
use crate::inside::Dice;
use crate::metrics::scrape;
use crate::stories::invitations::sent;
use crate::stories::networks;
use crate::stories::verifier::signed;

const START_MS: u64 = 1_800_000_000_000;
const ROOM: &str = "main";
/// A call of the store is counted to take this long.
const TAKES: Takes = Takes::Always(Duration::from_millis(1));
/// Where losses are covered, each POP has told what it knows that long after one.
const TOLD_MS: u64 = 90_000;
/// Requests of one step, at most: each has an id of its own.
const REQUESTS: u64 = 64;

/// A browser or an app.
#[derive(Clone)]
struct Client {
    name: String,
    address: [u8; 4],
    pop: usize,
    country: &'static str,
    ticket: Option<String>,
    /// Tickets that it had before: its first one, and the first with a number.
    first: Option<String>,
    numbered: Option<String>,
    /// What it can quote to support.
    reference: Option<String>,
    challenge: Option<Value>,
    visitor: Visitor,
}

struct Pop {
    cache: Cache,
    config: Rc<Config>,
    settings: Settings,
    skew_ms: i64,
    /// How often its cache forgot something.
    generation: u64,
    /// What its sandboxes have counted and not yet put into an outbox.
    tally: Tally,
}

/// How the origin answers what is watched, in percent.
#[derive(Clone, Copy)]
struct Origin {
    late: u64,
    bad: u64,
}

pub(super) struct World<'a> {
    engine: &'a mut Engine,
    plan: Plan,
    weights: Vec<(u64, Kind)>,
    pops: Vec<Pop>,
    /// A POP of its own that reads the status after each step, and so moves nothing.
    watcher: Cache,
    clients: Vec<Client>,
    origin: Origin,
    now_ms: u64,
    steps: u64,
    requests: u64,
    visitors: u64,
    /// Lines of the journal that some data centre has logged.
    logged: RefCell<BTreeSet<String>>,
    keys: u64,
    /// What the line was when each copy of the store's data was made.
    backups: Vec<Data>,
    histories: Histories,
    /// Whether every loss is one that the rules cover: each POP that knows the line tells it in time, and none forgets it
    /// before.
    is_covered: bool,
    /// When data were lost the last time.
    lost_ms: u64,
    /// Whether the store's clock was ever set back: then times say nothing of what came first.
    is_set_back: bool,
    /// The status after the step before.
    status: String,
    trace: String,
}

/// What came of a request.
struct Heard {
    got: Got,
    told: String,
    is_waiting: bool,
}

/// The way to the store, which goes by the store's clock. What the store does is a step of the line's history.
struct Wire<'a> {
    store: &'a Store,
    histories: Option<&'a Histories>,
    now_ms: u64,
    calls: Cell<u64>,
}

impl Transport for Wire<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        self.calls.set(self.calls.get() + 1);
        let body = by_clock(body, self.now_ms);
        let answer = Direct(self.store.clone()).post(&body, attempt);
        let said = Said::read(&body, answer.as_ref());
        if let (Some(histories), Some(said)) = (self.histories, said) {
            histories.observe(&said);
        }
        answer
    }
}

impl<'a> World<'a> {
    pub(super) fn new(plan: Plan, seed: u64, engine: &'a mut Engine) -> Self {
        engine.clear();
        let mut dice = Dice(seed ^ 0x5eed);
        let settings = plan.settings(&mut dice, START_MS);
        let config = loaded(&settings);
        let is_skewed = plan == Plan::Line;
        let pop = |which: usize| Pop {
            cache: Cache::in_pop(&format!("P{which}"), START_MS),
            config: Rc::clone(&config),
            settings: settings.clone(),
            skew_ms: if is_skewed { skew(&mut dice) } else { 0 },
            generation: 0,
            tally: Tally::default(),
        };
        let pops = (0..POPS).map(pop).collect();
        let given = settings
            .iter()
            .map(|(name, value)| format!("{name}={value}"));
        let given = given.collect::<Vec<_>>().join(" ");
        let world = Self {
            engine,
            plan,
            weights: plan.weights(),
            pops,
            watcher: Cache::in_pop("WATCHER", START_MS),
            clients: Vec::new(),
            origin: Origin { late: 0, bad: 0 },
            now_ms: START_MS,
            steps: 0,
            requests: 0,
            logged: RefCell::default(),
            visitors: 0,
            keys: 0,
            backups: Vec::new(),
            histories: Histories::default(),
            is_covered: seed.is_multiple_of(2),
            lost_ms: START_MS,
            is_set_back: false,
            status: String::new(),
            trace: format!("history {seed}: {given}\n"),
        };
        world.is_at();
        world
    }

    pub(super) fn trace(self) -> String {
        self.trace
    }

    /// No step follows.
    ///
    /// # Errors
    /// What only a later step could have explained.
    pub(super) fn ends(&self) -> Result<(), Broken> {
        self.histories.room_mut(ROOM).ends()
    }

    /// The step of this number, and what the line shows after it.
    ///
    /// # Errors
    /// The invariants that do not hold after it.
    pub(super) fn plays(&mut self, number: u64) -> Result<(), Broken> {
        self.steps += 1;
        self.requests = 0;
        let mut dice = Dice(number);
        let kind = self.drawn(&mut dice);
        let seconds = seconds(self.now_ms);
        write!(self.trace, "{} {seconds} {kind:?}", self.steps).unwrap();
        self.performs(kind, &mut dice);
        self.trace.push('\n');
        let status = self.status();
        if status != self.status {
            writeln!(self.trace, "  line {status}").unwrap();
            self.status = status;
        }
        self.all_have_places()?;
        self.histories.verdict()
    }

    /// No two visitors have one place, and none was overtaken but by a named rule.
    fn all_have_places(&self) -> Result<(), Broken> {
        let mut history = self.histories.room_mut(ROOM);
        if history.is_recovering() || history.uncovered > 0 || history.has_repeats() {
            return Ok(());
        }
        let tickets = self.clients.iter().filter_map(|client| {
            let held = client.ticket.as_deref().and_then(Held::of)?;
            Some((held, client.visitor.is_excused))
        });
        let all: Vec<(Held, bool)> = tickets.collect();
        // A ticket that further clients use says not who came first.
        let shared = all.iter().filter(|(_, is_excused)| *is_excused);
        let shared: BTreeSet<&str> = shared.map(|(held, _)| held.sub.as_str()).collect();
        let held = all.iter().map(|(held, _)| held);
        let held = held.filter(|held| !shared.contains(held.sub.as_str()));
        history.all_have_places(held)
    }

    fn drawn(&self, dice: &mut Dice) -> Kind {
        let all: u64 = self.weights.iter().map(|(weight, _)| weight).sum();
        let mut roll = dice.roll(all);
        for (weight, kind) in &self.weights {
            if roll < *weight {
                return *kind;
            }
            roll -= weight;
        }
        Kind::Wait
    }

    fn performs(&mut self, kind: Kind, dice: &mut Dice) {
        match kind {
            Kind::Arrive => {
                let at = self.comes(dice);
                self.visits(at, dice);
            }
            Kind::Poll => self.with(dice, Self::visits),
            Kind::Page => self.with(dice, |world, at, dice| {
                world.asks(at, Ask::get("/page").with("accept", "text/html"), dice);
            }),
            Kind::Place => self.with(dice, |world, at, dice| {
                world.asks(at, Ask::get("/_queue/place"), dice);
            }),
            Kind::Unanswered => self.with(dice, |world, at, dice| {
                let kept = world.clients[at].clone();
                let got = world.asks(at, Ask::get("/").json(), dice);
                let is_excused = kept.visitor.is_excused || got.inside;
                world.clients[at] = kept;
                world.clients[at].visitor.is_excused = is_excused;
            }),
            Kind::Replay => self.with(dice, Self::replays),
            Kind::Forget => self.with(dice, |world, at, dice| {
                world.clients.swap_remove(at);
                let at = world.comes(dice);
                world.visits(at, dice);
            }),
            Kind::Roam => self.with(dice, |world, at, dice| {
                let client = &mut world.clients[at];
                client.pop = dice.index(POPS);
                client.country = one_of(dice, &COUNTRIES);
                let place = format!(" {} P{} {}", client.name, client.pop, client.country);
                world.trace.push_str(&place);
            }),
            Kind::Post => self.with(dice, |world, at, dice| {
                let form = Ask::get("/cart").method("POST").json();
                world.asks(at, form.body("application/json", "{}"), dice);
            }),
            Kind::Invite => self.invited(dice),
            Kind::Solve => self.with(dice, Self::solves),
            Kind::Permit => self.operates(&Ask::permit(dice.between(1, 11)), dice),
            Kind::PermitOnce => self.permits_once(dice),
            Kind::Mode => {
                let modes = [
                    "automatic",
                    "automatic",
                    "automatic",
                    "hold",
                    "open",
                    "closed",
                ];
                self.sets("mode", &json!({ "mode": one_of(dice, &modes) }), dice);
            }
            Kind::Pace => {
                let pace = if dice.is_one_in(3) {
                    json!({ "automatic": null, "automatic_quantity": null })
                } else {
                    let (automatic, quantity) = (one_of(dice, &[0, 5, 15, 60]), dice.between(1, 9));
                    json!({ "automatic": automatic, "automatic_quantity": quantity })
                };
                self.sets("settings", &pace, dice);
            }
            Kind::Message => {
                let message = one_of(dice, &[None, Some(""), Some("soon"), Some("later")]);
                self.sets("message", &json!({ "message": message }), dice);
            }
            Kind::Credit => self.sets("credit", &json!({}), dice),
            Kind::Cap => {
                let cap = match dice.roll(4) {
                    0 => json!({ "total_active": null }),
                    1 => json!({ "total_active": 0 }),
                    _ => json!({
                        "total_active": dice.between(1, 6), "session_minutes": dice.between(2, 4),
                        "claim_seconds": dice.between(10, 90),
                    }),
                };
                self.sets("cap", &cap, dice);
            }
            Kind::EndAll => {
                // An epoch counts in seconds, and a press asks for a word: no two fall into one second.
                self.wait(1_000);
                self.sets("epoch", &json!({ "word": ROOM }), dice);
                self.wait(1_000);
            }
            Kind::Overrule => {
                let overrule = one_of(dice, &["on", "off", "off"]);
                self.sets("overrule", &json!({ "overrule": overrule }), dice);
            }
            Kind::Report => {
                let late = one_of(dice, &[0, 0, 4, 40]);
                let bad = one_of(dice, &[0, 0, 0, 5]);
                let mut report = json!({ "ok": dice.roll(60), "late": late, "bad": bad });
                if dice.is_one_in(2) {
                    report["load"] =
                        (f64::from(one_of(dice, &[300, 800, 950, 1_200])) / 1000.0).into();
                }
                self.sets("report", &report, dice);
            }
            Kind::End => self.with(dice, |world, at, dice| {
                let reference = world.clients[at].reference.clone();
                world.clients[at].visitor.is_excused = true;
                write!(world.trace, " {}", world.clients[at].name).unwrap();
                if let Some(reference) = reference {
                    let ask = Ask::json_to("end", &json!({ "reference": reference }).to_string());
                    world.operates(&ask, dice);
                }
            }),
            Kind::TestTicket => self.tests_a_ticket(dice),
            Kind::Event => {
                let event = match dice.roll(5) {
                    0 => Value::Null,
                    1 => "sold_out".into(),
                    _ => schedule(dice, self.now_ms, &USUAL),
                };
                self.sets("event", &json!({ "event": event }), dice);
            }
            Kind::PublicValue => {
                let value = format!("value {}", dice.roll(3));
                self.sets("public-value", &json!({ "value": value }), dice);
            }
            Kind::Read => {
                let route = one_of(dice, &["", "status", "settings", "journal", "metrics"]);
                write!(self.trace, " {route}").unwrap();
                let ask = match route {
                    "metrics" => scrape(),
                    route => Ask::get(&format!("/_queue/{route}")).operator(),
                };
                self.operates(&ask, dice);
            }
            Kind::Origin => {
                let late = one_of(dice, &[0, 0, 10, 60]);
                let bad = one_of(dice, &[0, 0, 0, 50]);
                self.origin = Origin { late, bad };
                write!(self.trace, " {late} % late, {bad} % bad").unwrap();
            }
            Kind::Publish => self.publishes(dice),
            Kind::Skew => {
                let (pop, skew_ms) = (dice.index(POPS), skew(dice));
                self.pops[pop].skew_ms = skew_ms;
                write!(self.trace, " P{pop} by {skew_ms} ms").unwrap();
            }
            Kind::ForgetPop => self.forgets(dice),
            Kind::Backup => {
                self.engine.back_up(self.backups.len());
                let data = self.histories.room_mut(ROOM).data.clone();
                self.backups.push(data);
            }
            Kind::Lose => self.loses(dice),
            Kind::Wait => {
                let most = one_of(dice, &[50, 3_000, 6_000, 30_000]);
                let ms = dice.between(1, most);
                self.wait(ms);
            }
            Kind::Quarter => self.wait(15_000),
            Kind::Minutes => {
                let ms = dice.between(20_000, 200_000);
                self.wait(ms);
            }
            Kind::LongWait => {
                let most = one_of(dice, &[70_000, 200_000, 200_000, 2_000_000]);
                let ms = dice.between(20_000, most);
                self.wait(ms);
            }
        }
    }

    fn with(&mut self, dice: &mut Dice, act: impl FnOnce(&mut Self, usize, &mut Dice)) {
        if !self.clients.is_empty() {
            let at = dice.index(self.clients.len());
            act(self, at, dice);
        }
    }

    fn wait(&mut self, ms: u64) {
        let told_ms = self.lost_ms + TOLD_MS;
        let is_recovering = self.histories.room_mut(ROOM).is_recovering();
        if self.is_covered && is_recovering && self.now_ms + ms >= told_ms {
            let before = told_ms.saturating_sub(self.now_ms);
            self.passes(before);
            (0..POPS).for_each(|pop| self.looks(pop));
            return self.passes(ms - before);
        }
        self.passes(ms);
    }

    /// The POP renews its copy of the board.
    fn looks(&mut self, pop: usize) {
        self.requests += 1;
        let ask = Ask::get("/");
        let call = call(&ask, id_of(self.steps * REQUESTS + self.requests));
        let here = &self.pops[pop];
        let (config, cache) = (Rc::clone(&here.config), here.cache.clone());
        let wire = Wire {
            store: &self.engine.store,
            histories: Some(&self.histories),
            now_ms: self.now_ms,
            calls: Cell::default(),
        };
        let happened = RefCell::new(String::new());
        let listens = |what: Happened<'_>| told_of(what, &mut happened.borrow_mut(), &self.logged);
        cache.memory.lose_copy();
        let (store, now) = (&self.engine.store, Now::from_ms(self.now_ms));
        let turn = Turn::new(&call, now, &config, store, TAKES, &cache).by(&wire);
        let _ = turn.hearing(&listens).look();
        self.trace.push_str(&happened.into_inner());
        self.histories.room_mut(ROOM).has_told(pop);
    }

    fn passes(&mut self, ms: u64) {
        self.now_ms += ms;
        self.engine.wait(ms);
        for pop in &self.pops {
            pop.cache.wait(ms);
        }
        self.watcher.wait(ms);
        self.is_at();
    }

    fn is_at(&self) {
        self.histories.is_at(self.now_ms);
        self.histories.room_mut(ROOM).time_passes(self.now_ms);
    }

    /// Another visitor, who has not asked for anything yet.
    fn comes(&mut self, dice: &mut Dice) -> usize {
        self.visitors += 1;
        let network = match self.plan {
            Plan::Networks => dice.roll(2),
            _ => self.visitors % 250,
        };
        self.clients.push(Client {
            name: format!("V{}", self.visitors),
            address: [198, 51, u8::try_from(network).unwrap(), 7],
            pop: dice.index(POPS),
            country: one_of(dice, &COUNTRIES),
            ticket: None,
            first: None,
            numbered: None,
            reference: None,
            challenge: None,
            visitor: self.histories.room_mut(ROOM).visitor(),
        });
        self.clients.len() - 1
    }

    /// A request as an app makes it, which comes back at once where the answer says so.
    fn visits(&mut self, at: usize, dice: &mut Dice) {
        let got = self.asks(at, Ask::get("/").json(), dice);
        if got.is_provisional() {
            self.asks(at, Ask::get("/").json(), dice);
        }
    }

    /// One request of a visitor, with the ticket that the visitor has.
    fn asks(&mut self, at: usize, ask: Ask, dice: &mut Dice) -> Got {
        let client = self.clients[at].clone();
        write!(self.trace, " | {} P{}", client.name, client.pop).unwrap();
        let ask = ask.from(client.address);
        let ask = match &client.ticket {
            Some(ticket) => ask.with("cookie", format!("theme=dark; queue={ticket}")),
            None => ask,
        };
        let (heard, reference) = self.ask(
            (&ask, client.ticket.as_deref()),
            client.pop,
            client.country,
            dice,
        );
        self.trace.push_str(&heard.told);
        self.keeps_its_promises(at, &heard);
        let got = heard.got;
        let client = &mut self.clients[at];
        client.reference = reference.or(client.reference.take());
        if let Some(ticket) = got.ticket() {
            client.first.get_or_insert_with(|| ticket.clone());
            client.ticket = Some(ticket);
        }
        if got.header("content-type").contains("json") {
            let told = got.json();
            client.challenge = Some(told["challenge"].clone()).filter(|told| !told.is_null());
            if told["position"].is_u64() {
                client.numbered = client.numbered.take().or_else(|| client.ticket.clone());
            }
        }
        got
    }

    fn keeps_its_promises(&mut self, at: usize, heard: &Heard) {
        let client = &mut self.clients[at];
        client.visitor.is_excused |= self.is_set_back;
        let brought = client.ticket.as_deref().and_then(Held::of);
        let given = heard.got.ticket().as_deref().and_then(Held::of);
        let is_json = heard.got.header("content-type").contains("json");
        let ahead = is_json.then(|| heard.got.json()["ahead"].as_u64());
        let pop = &self.pops[client.pop];
        let copy = pop.cache.memory.last_board();
        let answer = invariants::Answered {
            brought: brought.as_ref(),
            given: given.as_ref(),
            ahead: ahead.flatten(),
            is_inside: heard.got.inside,
            is_waiting: heard.is_waiting,
            pop: (client.pop, pop.generation),
            copy: copy.as_ref(),
            // A session of two minutes ends with a minute, and each POP's clock may be wrong by one.
            surely_inside_ms: 0,
            now_ms: self.now_ms,
        };
        self.histories.reached(ROOM, &mut client.visitor, &answer);
    }

    /// A further client, which goes on with what it gets.
    fn replays(&mut self, at: usize, dice: &mut Dice) {
        let visitor = self.clients[at].clone();
        let (which, ticket) = match dice.roll(3) {
            0 => ("first", visitor.first),
            1 => ("first numbered", visitor.numbered),
            _ => ("present", visitor.ticket),
        };
        write!(self.trace, " the {which} ticket of {}", visitor.name).unwrap();
        // Under a cap a number and a session are the first client's that uses them.
        let was_capped = self.histories.room_mut(ROOM).was_capped;
        self.clients[at].visitor.is_excused |= was_capped || which == "present";
        let at = self.comes(dice);
        self.clients[at].ticket = ticket;
        self.clients[at].visitor.is_excused = true;
        self.visits(at, dice);
        if dice.is_one_in(2) {
            self.clients.truncate(at);
        }
    }

    fn solves(&mut self, at: usize, dice: &mut Dice) {
        let Some(challenge) = self.clients[at].challenge.clone() else {
            return self.visits(at, dice);
        };
        let answer = if dice.is_one_in(4) {
            "0".to_owned()
        } else {
            signed(challenge["text"].as_str().unwrap())
        };
        let ask = networks::sent(challenge["text"].as_str().unwrap(), &answer);
        self.asks(at, ask, dice);
        self.visits(at, dice);
    }

    fn invited(&mut self, dice: &mut Dice) {
        let uses = dice.between(1, 3);
        let which = dice.index(4);
        let group = (!dice.is_one_in(2)).then_some(["front", "vip", "front", "gone"][which]);
        let life = if which == 0 { 30 } else { 86_400 };
        let invitation = Invitation {
            id: format!("invitation-{which}-{}-{uses}", group.unwrap_or("in")),
            uses,
            ends: START_MS / 1_000 + life,
            batch: "spring".to_owned(),
            group: group.and_then(LaneName::read),
        };
        write!(self.trace, " {}", invitation.id).unwrap();
        let (keys, now) = (Keys::new(SECRET, None), Now::from_ms(START_MS));
        let code = sign_invitation(&keys, &invitation, &RoomName::new(ROOM), now).unwrap();
        let at = if self.clients.is_empty() || dice.is_one_in(2) {
            self.comes(dice)
        } else {
            dice.index(self.clients.len())
        };
        self.asks(at, sent(&code, "/"), dice);
        self.clients[at].visitor.is_moved();
        self.visits(at, dice);
    }

    /// What an operator sets, in any POP.
    fn sets(&mut self, route: &str, body: &Value, dice: &mut Dice) {
        write!(self.trace, " {body}").unwrap();
        self.operates(&Ask::json_to(route, &body.to_string()), dice);
    }

    /// A request of an operator or a program, in any POP. What a reader gets is not told, but the answer to a change is.
    fn operates(&mut self, ask: &Ask, dice: &mut Dice) {
        let pop = dice.index(POPS);
        write!(self.trace, " | P{pop}").unwrap();
        let (heard, _) = self.ask((ask, None), pop, "US", dice);
        self.trace.push_str(&heard.told);
        if ask.method == "POST"
            && heard
                .got
                .header("content-type")
                .contains("application/json")
        {
            let told = heard.got.json();
            for name in [
                "cursor", "length", "waiting", "credit", "released", "ended", "drawn",
            ] {
                if told[name].is_u64() {
                    write!(self.trace, " {name} {}", told[name]).unwrap();
                }
            }
        }
    }

    fn permits_once(&mut self, dice: &mut Dice) {
        self.keys += u64::from(!dice.is_one_in(3));
        let key = format!("order-{}", self.keys);
        let ask = Ask::permit(dice.between(1, 3)).with("idempotency-key", key);
        self.operates(&ask, dice);
        self.operates(&ask, dice);
    }

    /// The operator's browser is a client like others from then on.
    fn tests_a_ticket(&mut self, dice: &mut Dice) {
        let at = match self.clients.len() {
            0 => self.comes(dice),
            many => dice.index(many),
        };
        let form = one_of(dice, &["act=draw", "act=jump", "act=jump"]);
        write!(self.trace, " {form}").unwrap();
        self.clients[at].visitor.is_excused = true;
        let got = self.asks(at, Ask::form("ticket", form), dice);
        let held = got.ticket().as_deref().and_then(Held::of);
        if let Some(held) = held.filter(|held| held.is_admitted) {
            self.histories.room_mut(ROOM).lets_in(&held);
        }
        self.visits(at, dice);
    }

    fn publishes(&mut self, dice: &mut Dice) {
        let settings = self.pops[0].settings.clone();
        let settings = self.plan.published(&settings, dice, self.now_ms);
        let config = loaded(&settings);
        let only = dice.is_one_in(2).then(|| dice.index(POPS));
        for (at, pop) in self.pops.iter_mut().enumerate() {
            if only.is_none_or(|only| only == at) {
                (pop.config, pop.settings) = (Rc::clone(&config), settings.clone());
            }
        }
        let told = settings.get("event").or(settings.get("regions"));
        write!(
            self.trace,
            " in {only:?}: {}",
            told.map_or("", String::as_str)
        )
        .unwrap();
    }

    fn forgets(&mut self, dice: &mut Dice) {
        let pop = dice.index(POPS);
        self.pops[pop].generation += 1;
        let cache = &self.pops[pop].cache.memory;
        let what = one_of(dice, &["copy", "copy", "all"]);
        let what = if self.is_covered { "copy" } else { what };
        cache.lose_copy();
        if what == "all" {
            cache.lose_last();
            self.histories.room_mut(ROOM).is_forgotten_by(pop);
        }
        write!(self.trace, " P{pop} {what}").unwrap();
    }

    fn loses(&mut self, dice: &mut Dice) {
        // No data are lost in the second in which they began.
        self.wait(1_000);
        let caches = self.pops.iter().map(|pop| pop.cache.memory.last_board());
        let copies: Vec<_> = caches.collect();
        let (what, loss) = match dice.roll(8) {
            0..=2 => {
                self.engine.lose_all();
                ("everything", Loss::All)
            }
            3..=4 => {
                self.engine.lose(&RoomName::new(ROOM).line_key());
                ("the line", Loss::Line)
            }
            _ if self.is_covered => return self.trace.push_str(" nothing"),
            5..=6 => match self.engine.restore(dice.index(64)) {
                Some(at) => {
                    let copy = self.backups.iter().enumerate().rev();
                    let copy = copy.filter(|(which, _)| which % COPIES == at);
                    let (_, data) = copy.take(1).next().unwrap();
                    (
                        "what came since a copy",
                        Loss::Restored(Box::new(data.clone())),
                    )
                }
                None => return self.trace.push_str(" nothing"),
            },
            _ => {
                self.engine.lose_all();
                self.now_ms -= dice.between(1_009, 60_000);
                ("everything, and its clock is set back", Loss::All)
            }
        };
        write!(self.trace, " {what}").unwrap();
        let mut history = self.histories.room_mut(ROOM);
        history.loses(loss, &copies, self.now_ms);
        self.lost_ms = self.now_ms;
        self.is_set_back |= what.ends_with("set back");
        if self.is_set_back {
            history.does_not_cover("the clock of the store was set back");
        }
        drop(history);
        self.is_at();
    }

    /// One request, in the order in which the edge answers it.
    fn ask(
        &mut self,
        (ask, ticket): (&Ask, Option<&str>),
        pop: usize,
        country: &str,
        dice: &mut Dice,
    ) -> (Heard, Option<String>) {
        self.requests += 1;
        assert!(
            self.requests < REQUESTS,
            "each request has an id of its own"
        );
        let call = Call {
            country: Some(country.to_owned()),
            ..call(ask, id_of(self.steps * REQUESTS + self.requests))
        };
        let here = &self.pops[pop];
        let (config, cache) = (Rc::clone(&here.config), here.cache.clone());
        let now = Now::from_ms(self.now_ms.saturating_add_signed(here.skew_ms));
        let wire = Wire {
            store: &self.engine.store,
            histories: Some(&self.histories),
            now_ms: self.now_ms,
            calls: Cell::default(),
        };
        let happened = RefCell::new(String::new());
        let listens = |what: Happened<'_>| told_of(what, &mut happened.borrow_mut(), &self.logged);
        let calls = Cell::new(0);
        let answered = || calls.set(wire.calls.take());
        let (late, bad) = (self.origin.late, self.origin.late + self.origin.bad);
        let rolled = RefCell::new(&mut *dice);
        let answers = || match rolled.borrow_mut().roll(100) {
            roll if roll < late => (5_000, 200),
            roll if roll < bad => (80, 500),
            _ => (80, 200),
        };
        let store = &self.engine.store;
        let turn = Turn::new(&call, now, &config, store, TAKES, &cache).by(&wire);
        let turn = turn
            .hearing(&listens)
            .then(&answered)
            .before(virtual_edge::Origin::Answers(&answers));
        let Turned {
            answer,
            served,
            tally,
            ..
        } = turn.serve(&mut ask.body.as_slice());
        let record = served.record;
        let got = got(answer);
        let (calls, later) = (calls.get(), wire.calls.get());
        let mut told = told(&got, record.reason.name());
        if let Some(answered) = record.origin_answer {
            write!(told, " answered {answered:?}").unwrap();
        }
        if let Some(above) = record.above_network_bound {
            write!(told, " above {above:?}").unwrap();
        }
        if let Some(invitation) = record.invitation {
            write!(told, " invitation {}", invitation.name()).unwrap();
        }
        if let Some(inversion) = record.inversion {
            write!(told, " passes by {}", inversion.name()).unwrap();
        }
        if record.shared_ticket {
            told.push_str(" shared");
        }
        if served.renewal.is_some() {
            // Until the sandbox ends and the POP looks, the store does not know of it.
            let until = self.now_ms / 60_000 + 6;
            self.histories.room_mut(ROOM).doubts(until);
        }
        if calls + later > 0 {
            write!(told, " calls {calls}+{later}").unwrap();
        }
        told.push_str(&happened.into_inner());
        let brought = ticket.and_then(Held::of);
        let given = got.ticket().as_deref().and_then(Held::of);
        let is_visit = matches!(
            record.reason,
            Reason::Inside | Reason::Admitted | Reason::Invited
        );
        let enters = is_visit && got.inside;
        self.histories
            .answered(given.as_ref(), brought.as_ref(), enters);
        if calls + later > 0 {
            self.histories.room_mut(ROOM).has_told(pop);
        }
        let here = &mut self.pops[pop];
        here.tally.merge(&tally);
        if dice.is_one_in(3) {
            let tally = std::mem::take(&mut here.tally);
            here.cache.memory.put_by(&tally);
        }
        let is_waiting = matches!(
            record.reason,
            Reason::Waiting | Reason::Held | Reason::Closed | Reason::Provisional
        );
        let heard = Heard {
            got,
            told,
            is_waiting,
        };
        (heard, record.ticket_reference)
    }

    /// What programs read of the line, without what counts calls and versions.
    fn status(&self) -> String {
        let ask = Ask::get("/_queue/status").operator();
        let call = call(&ask, id_of(self.steps * REQUESTS));
        let wire = Wire {
            store: &self.engine.store,
            histories: None,
            now_ms: self.now_ms,
            calls: Cell::default(),
        };
        let store = &self.engine.store;
        let config = Rc::clone(&self.pops[0].config);
        let now = Now::from_ms(self.now_ms);
        let turn = Turn::new(&call, now, &config, store, TAKES, &self.watcher).by(&wire);
        let got = got(turn.serve(&mut [].as_slice()).answer);
        status(&got.json())
    }
}

/// A clock that is wrong by up to a minute.
fn skew(dice: &mut Dice) -> i64 {
    i64::try_from(dice.roll(120_001)).unwrap() - 60_000
}

fn loaded(settings: &Settings) -> Rc<Config> {
    let given = settings
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    // The script goes by the store's clock, which the rig turns.
    let given: Vec<(&str, &str)> = given.chain([("clock", "0")]).collect();
    Rc::new(config_with(&given))
}

/// Seconds since the beginning of a history.
fn seconds(now_ms: u64) -> String {
    let ms = i128::from(now_ms) - i128::from(START_MS);
    format!("{}.{:03}", ms.div_euclid(1_000), ms.rem_euclid(1_000))
}

/// An answer in one line.
fn told(got: &Got, reason: &str) -> String {
    let mut told = if got.inside {
        format!(" in {reason}")
    } else {
        format!(" {} {reason}", got.status)
    };
    let is_json = got.header("content-type").contains("json");
    if let Some((_, rest)) = got.body.split_once("<main class=\"") {
        write!(told, " stage {}", rest.split('"').next().unwrap()).unwrap();
    }
    if is_json && !got.body.is_empty() {
        let json = got.json();
        let shown = [
            "stage",
            "lane",
            "position",
            "cursor",
            "ahead",
            "estimated_wait_seconds",
            "mode",
            "notice",
            "slots",
        ];
        for name in shown {
            match &json[name] {
                Value::Null => {}
                Value::String(text) => write!(told, " {name} {text}").unwrap(),
                value => write!(told, " {name} {value}").unwrap(),
            }
        }
    }
    told
}

/// What the log says of the line besides the request.
fn told_of(happened: Happened<'_>, told: &mut String, logged: &RefCell<BTreeSet<String>>) {
    match happened {
        Happened::Released(released) => {
            let slots = released
                .slots
                .map_or("-".to_owned(), |slots| slots.to_string());
            let (many, pace, bound) = (released.released, released.pace, released.bound_by.name());
            write!(
                told,
                "\n  released {many} of pace {pace} slots {slots} bound {bound}"
            )
            .unwrap();
        }
        Happened::Noted(Noted { lines, .. }) => {
            // A data centre logs also what another one has.
            for line in lines {
                if logged.borrow_mut().insert(line.clone()) {
                    write!(told, "\n  journal {}", journal(line)).unwrap();
                }
            }
        }
        Happened::Recounts(recount) => {
            let lasts = (recount.until_ms - recount.at_ms).div_ceil(60_000);
            write!(told, "\n  recount for {lasts} minutes").unwrap();
        }
    }
}

/// A line of the journal without its number and digest, in the time of the history.
fn journal(line: &str) -> String {
    let line = JournalLine::read(line).unwrap();
    let kind = format!("{:?}", line.kind).to_lowercase();
    let numbers = |lane: JournalLane| format!("{}>{}/{}", lane.from, lane.to, lane.length);
    let period = line.period.map_or("-".to_owned(), |period| {
        let second = i128::from(period) - i128::from(START_MS / 1_000);
        second.to_string()
    });
    let groups = line
        .groups
        .iter()
        .map(|(name, of)| format!(" {} {}", name.as_str(), numbers(*of)));
    let groups: String = groups.collect();
    format!(
        "{kind} main {}{groups} invited {} period {period} left {} credit {} pace {}:{} {} {} {}",
        numbers(line.main),
        line.invited,
        line.left,
        line.credit,
        line.automatic,
        line.most,
        line.rule,
        line.who,
        without_digests(line.what),
    )
}

/// Digests say nothing to a reader, and change with what they are made of.
fn without_digests(text: &str) -> String {
    let is_digest = |word: &&str| {
        word.len() >= 16
            && word
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() && !byte.is_ascii_uppercase())
    };
    let words: Vec<&str> = text.split_inclusive([':', ',', ' ', '~']).collect();
    let shown = words.iter().map(|word| {
        let bare = word.trim_end_matches([':', ',', ' ', '~']);
        if is_digest(&bare) {
            word.replace(bare, "digest")
        } else {
            (*word).to_owned()
        }
    });
    shown.collect()
}

/// The status as one line.
fn status(told: &Value) -> String {
    let mut line = format!(
        "{} {}/{} credit {} bound {}",
        told["mode"].as_str().unwrap_or("?"),
        told["cursor"],
        told["length"],
        told["credit"],
        told["release"]["bound_by"].as_str().unwrap_or("?"),
    );
    let front = &told["invitations"]["front"];
    if front["length"].as_u64().is_some_and(|length| length > 0) {
        write!(line, " front {}/{}", front["cursor"], front["length"]).unwrap();
    }
    if let Some(straight) = told["invitations"]["straight_in"]
        .as_u64()
        .filter(|many| *many > 0)
    {
        write!(line, " straight {straight}").unwrap();
    }
    for region in told["regions"].as_array().into_iter().flatten() {
        let name = region["name"].as_str().unwrap();
        write!(line, " {name} {}/{}", region["cursor"], region["length"]).unwrap();
    }
    if let Some(sessions) = told["sessions"].as_object() {
        let number = |name: &str| sessions[name].to_string();
        let (inside, promised) = (number("inside"), number("promised"));
        write!(
            line,
            " inside {inside} promised {promised} free {}",
            number("free")
        )
        .unwrap();
    }
    let numbers: BTreeMap<&str, &Value> = [
        ("rate", &told["rate"]["measured_per_minute"]),
        ("wait", &told["estimated_wait_seconds"]),
        ("absent", &told["absent"]["share"]),
        ("window", &told["origin"]["window"]["size"]),
        ("sick", &told["origin"]["sick_until"]),
        ("phase", &told["event"]["phase"]),
    ]
    .into();
    for (name, value) in numbers {
        match value {
            Value::Null => {}
            Value::String(text) => write!(line, " {name} {text}").unwrap(),
            value => write!(line, " {name} {value}").unwrap(),
        }
    }
    line
}
