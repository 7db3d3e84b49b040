//! Visitors, POPs and two primaries of the store, and the steps of a schedule.
//!
//! Each step is drawn from a number of its own, so faults, arrivals and pauses are the same whatever the service answers.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::cache::memory::InMemoryCache;
use now_serving::config::Config;
use now_serving::http::Call;
use now_serving::queue::Now;
use now_serving::store::upstash::{Attempt, Transport};
use serde_json::{Value, json};
use upstash_local::{Backup, Store};
use virtual_edge::{Direct, Takes, Turn, by_clock, id_of};

use super::fate::{Drawn, Entrances, Lost, Shown, Visitor, repeated};
use crate::house::{Ask, Got, STORE_TOKEN, call, config_with, got};
use crate::inside::Dice;

const START_MS: u64 = 1_800_000_000_000;
const TAKES: Takes = Takes::Always(Duration::from_millis(1));
/// Pages poll together, so that most of them are answered by a copy of the board.
const TICK_MS: u64 = 10_000;
/// No copy of the board is left after this time.
const STALE_MS: u64 = 2_200;
/// The number of steps between two looks at the positions of all visitors.
const LOOK: u64 = 30;
/// Backups that are kept of each primary.
const BACKUPS: usize = 4;
const HOUR_MS: u64 = 3_600_000;

/// The pace once everything is whole.
const HEALING: (&str, &str) = ("5", "3");
const PERIOD_MS: u64 = 5_000;
const TURNS: u64 = 3;
/// In each so many periods all poll who wait behind this many turns.
const ALL: u64 = 6;
const FAR: u64 = 2 * ALL * TURNS;
/// Turns of the first time after the faults do not count as empty: a store that just got news releases nothing.
const SETTLING_MS: u64 = 20_000;
/// When for this time none has gone in and none has come closer, those who are outside never go in.
const HOPELESS_MS: u64 = 900_000;

/// The countries of visitors, the first ones with a region each where the room has regions.
const COUNTRIES: [&str; 4] = ["JP", "DE", "US", "AT"];
const REGIONS: [&str; 3] = ["east", "north", "west"];
const MAIN: &str = "main";

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A new visitor comes to a POP.
    Arrive,
    /// A waiting visitor polls, maybe through another POP from now on.
    Poll,
    /// Time passes.
    Wait,
    /// A primary loses all its data.
    Lose,
    /// The data of a primary are backed up.
    BackUp,
    /// A primary has the data of one of its backups again.
    Restore,
    /// A POP forgets its copies of the board, or all POPs do.
    Forget,
    /// The clock of a primary is set back or ahead, or put right.
    SetClock,
    /// An operator ends all tickets.
    EndAll,
    /// All POPs go over to the other primary.
    Switch,
    /// One POP reaches the other primary.
    Part,
}

const OF_VISITORS: [(u64, Step); 3] = [(320, Step::Arrive), (260, Step::Poll), (220, Step::Wait)];

struct Pop {
    /// Each node has a cache of its own.
    nodes: Vec<InMemoryCache>,
    primary: usize,
}

struct Primary {
    store: Store,
    /// By how much its clock is ahead.
    ahead_ms: i64,
    backups: Vec<Backup>,
    /// How many were made.
    made: usize,
}

/// The way to a store whose clock is wrong.
struct Skewed<'a> {
    store: &'a Store,
    now_ms: u64,
}

impl Transport for Skewed<'_> {
    fn post(&self, body: &str, attempt: Attempt) -> Option<(u16, Vec<u8>)> {
        Direct(self.store.clone()).post(&by_clock(body, self.now_ms), attempt)
    }
}

/// The cache through which a request goes.
#[derive(Clone, Copy, Debug)]
struct Door {
    pop: usize,
    node: usize,
}

pub(super) struct World {
    steps: Vec<(u64, Step)>,
    seed: u64,
    config: Config,
    /// The same with the pace at the end.
    healing: Config,
    regions: usize,
    pops: Vec<Pop>,
    primaries: [Primary; 2],
    visitors: Vec<Visitor>,
    entrances: Entrances,
    clock: Arc<AtomicU64>,
    requests: u64,
    /// How often all tickets were ended on purpose.
    endings: u64,
    lost: Lost,
    story: Option<RefCell<String>>,
}

impl World {
    pub(super) fn new(faults: &[(u64, Step)], seed: u64) -> Self {
        let mut dice = Dice(seed ^ 0x5eed);
        let clock = Arc::new(AtomicU64::new(START_MS));
        let regions = one_of(&mut dice, &[0, 0, 2, 3]);
        let mut settings = Vec::new();
        if regions > 0 {
            settings.push(("regions", with_shares(regions, &mut dice)));
        }
        let paces = [
            ("10", "1"),
            ("15", "1"),
            ("15", "2"),
            ("30", "3"),
            ("60", "5"),
        ];
        let pace = one_of(&mut dice, &paces);
        let pops = (0..dice.between(1, 4)).map(|pop| {
            let nodes = if dice.is_one_in(3) { 2 } else { 1 };
            let node = |node| InMemoryCache::in_pop(&format!("P{pop}-{node}"), Arc::clone(&clock));
            Pop {
                nodes: (0..nodes).map(node).collect(),
                primary: 0,
            }
        });
        Self {
            steps: [&OF_VISITORS, faults].concat(),
            seed,
            config: with_pace(&settings, pace),
            healing: with_pace(&settings, HEALING),
            regions,
            pops: pops.collect(),
            primaries: [Primary::new(), Primary::new()],
            visitors: Vec::new(),
            entrances: Entrances::default(),
            clock,
            requests: 0,
            endings: 0,
            lost: Lost::default(),
            story: None,
        }
    }

    /// From now on each step and answer is written down.
    pub(super) fn tells_its_story(&mut self) {
        self.story = Some(RefCell::default());
    }

    pub(super) fn story(&self) -> String {
        self.story.as_ref().map_or_else(String::new, RefCell::take)
    }

    /// Plays all steps, and then for as long as visitors wait and go in without a fault.
    pub(super) fn plays(&mut self, steps: u64) -> Lost {
        let mut numbers = Dice(self.seed);
        for step in 1..=steps {
            let mut dice = Dice(numbers.roll(u64::MAX));
            self.passes(dice.between(1, 400));
            let kind = self.drawn(&mut dice);
            self.tells(|| format!("{step} {kind:?}"));
            self.performs(kind, &mut dice);
            if step % LOOK == 0 {
                self.looks(&mut dice);
            }
        }
        self.heals(&mut numbers);
        self.sums_up()
    }

    fn drawn(&self, dice: &mut Dice) -> Step {
        let all: u64 = self.steps.iter().map(|(weight, _)| weight).sum();
        let mut roll = dice.roll(all);
        for (weight, step) in &self.steps {
            if roll < *weight {
                return *step;
            }
            roll -= weight;
        }
        Step::Wait
    }

    fn performs(&mut self, step: Step, dice: &mut Dice) {
        match step {
            Step::Arrive => self.comes(dice),
            Step::Poll => {
                let which = dice.roll(u64::MAX);
                let roams = dice.is_one_in(8).then(|| dice.index(self.pops.len()));
                let waiting = self.waiting();
                if let Some(at) = pick(&waiting, which) {
                    let visitor = &mut self.visitors[at];
                    visitor.pop = roams.unwrap_or(visitor.pop);
                    self.polls(at);
                }
            }
            Step::Wait => {
                let most = one_of(dice, &[200, 3_000, 20_000]);
                let short = dice.between(1, most);
                let long = dice.between(60_000, 180_000);
                self.passes(if dice.is_one_in(12) { long } else { short });
            }
            Step::EndAll => self.ends_all(dice),
            Step::BackUp => {
                let at = self.primary(dice);
                self.primaries[at].backs_up();
            }
            Step::Lose
            | Step::Restore
            | Step::Forget
            | Step::SetClock
            | Step::Switch
            | Step::Part => {
                self.lost.faults += 1;
                self.fails(step, dice);
            }
        }
    }

    fn fails(&mut self, step: Step, dice: &mut Dice) {
        let at = self.primary(dice);
        let primary = &mut self.primaries[at];
        let what = match step {
            Step::Lose => {
                primary.store.restart_empty();
                format!("primary {at}")
            }
            Step::Restore => format!("primary {at}: {:?}", primary.restores(dice)),
            Step::SetClock => {
                primary.sets_clock(dice);
                format!("primary {at} by {} ms", primary.ahead_ms)
            }
            Step::Forget => {
                let all = dice.is_one_in(5);
                let only = dice.index(self.pops.len());
                for (at, pop) in self.pops.iter().enumerate() {
                    if all || at == only {
                        pop.forgets();
                    }
                }
                if all {
                    "all POPs".to_owned()
                } else {
                    format!("P{only}")
                }
            }
            _ => {
                let only = (step == Step::Part).then(|| dice.index(self.pops.len()));
                for (at, pop) in self.pops.iter_mut().enumerate() {
                    if only.is_none_or(|only| only == at) {
                        pop.primary = 1 - pop.primary;
                    }
                }
                let primaries = self.pops.iter().map(|pop| pop.primary);
                format!("{:?}", primaries.collect::<Vec<_>>())
            }
        };
        self.tells(|| format!("  {what}"));
    }

    /// The primary of some POP.
    fn primary(&self, dice: &mut Dice) -> usize {
        self.pops[dice.index(self.pops.len())].primary
    }

    /// An epoch counts in seconds: no visitor draws in the second of the press.
    fn ends_all(&mut self, dice: &mut Dice) {
        self.passes(1_000);
        let door = self.door(dice.index(self.pops.len()));
        let ask = Ask::json_to("epoch", &json!({ "word": MAIN }).to_string());
        let got = self.answers(&ask, None, door);
        self.tells(|| format!("  {door:?} {} {}", got.status, got.body));
        if got.status == 200 {
            self.endings += 1;
        }
        self.passes(1_000);
    }

    fn comes(&mut self, dice: &mut Dice) {
        let number = self.visitors.len();
        let byte = |number: usize| u8::try_from(number % 250).unwrap();
        let country = one_of(dice, &COUNTRIES);
        let address = [81, byte(number / 250), byte(number), 7];
        let every_ms = one_of(dice, &[Some(20_000), Some(60_000), Some(60_000), None]);
        self.visitors.push(Visitor {
            pop: dice.index(self.pops.len()),
            every_ms,
            due_ms: self.now_ms() + every_ms.unwrap_or(0),
            ..Visitor::new(address, country, self.lane_of(country))
        });
        self.visits(number, self.door(self.visitors[number].pop));
    }

    fn lane_of(&self, country: &str) -> &'static str {
        let regions = REGIONS.iter().zip(COUNTRIES).take(self.regions);
        let found = regions.into_iter().find(|(_, here)| *here == country);
        found.map_or(MAIN, |(name, _)| name)
    }

    /// A waiting page asks for the place, and loads the page where its turn has come, its ticket has ended or its number is
    /// another one.
    fn polls(&mut self, at: usize) {
        let door = self.door(self.visitors[at].pop);
        if self.visitors[at].position.is_some() {
            let told = self.place(at, door);
            let visitor = &self.visitors[at];
            if told.is_some() && visitor.position == visitor.on_page {
                return;
            }
        }
        self.visits(at, door);
    }

    /// The place of a visitor who is to wait; none where the turn has come or the ticket has ended.
    fn place(&mut self, at: usize, door: Door) -> Option<Value> {
        let told = self.asks(at, Ask::get("/_queue/place"), door).json();
        let visitor = &mut self.visitors[at];
        visitor.is_ended |= told["ticket"].is_string();
        if told["waiting"] == false || visitor.is_ended {
            return None;
        }
        visitor.is_placed(&told);
        self.waits(at);
        Some(told)
    }

    /// Loads the page, and comes back at once where the answer says so.
    fn visits(&mut self, at: usize, door: Door) {
        let mut got = self.asks(at, Ask::get("/").json(), door);
        if got.is_provisional() {
            got = self.asks(at, Ask::get("/").json(), door);
        }
        let now = Drawn {
            at_ms: self.now_ms(),
            endings: self.endings,
        };
        let visitor = &mut self.visitors[at];
        if got.inside {
            return self.entrances.goes_in(visitor, now);
        }
        let (told, was_told_ended) = (got.json(), visitor.marks.told_ended);
        visitor.is_shown(&told, now);
        if visitor.position.is_some() {
            let shown = told["lane"].as_str().unwrap_or(MAIN);
            let known = REGIONS.into_iter().find(|name| *name == shown);
            visitor.lane = known.unwrap_or(MAIN);
        }
        if visitor.marks.told_ended && !was_told_ended {
            self.tells(|| format!("  V{at} is told that the line has ended"));
        }
        self.waits(at);
    }

    /// The visitor is told to wait.
    fn waits(&mut self, at: usize) {
        let now_ms = self.now_ms();
        if let Some(by_ms) = self.entrances.waits(&mut self.visitors[at], now_ms) {
            self.tells(|| format!("  V{at} is overtaken by a draw {by_ms} ms later"));
        }
    }

    /// One request of a visitor, with the ticket that its browser keeps.
    fn asks(&mut self, at: usize, ask: Ask, door: Door) -> Got {
        let visitor = &self.visitors[at];
        let ask = ask.from(visitor.address);
        let ask = match &visitor.ticket {
            Some(ticket) => ask.with("cookie", format!("queue={ticket}")),
            None => ask,
        };
        let country = Some(visitor.country);
        let got = self.answers(&ask, country, door);
        let target = &ask.target;
        self.tells(|| {
            let body = if got.inside { "in" } else { &got.body };
            let Door { pop, node } = door;
            format!("  V{at} P{pop}-{node} {target} {} {body}", got.status)
        });
        let ticket = got.ticket();
        let visitor = &mut self.visitors[at];
        visitor.ticket = ticket.or(visitor.ticket.take());
        got
    }

    /// One request, in the order in which the edge answers it.
    fn answers(&mut self, ask: &Ask, country: Option<&str>, door: Door) -> Got {
        self.requests += 1;
        let call = Call {
            country: country.map(str::to_owned),
            ..call(ask, id_of(self.requests))
        };
        let now_ms = self.now_ms();
        let pop = &self.pops[door.pop];
        let Primary {
            store, ahead_ms, ..
        } = &self.primaries[pop.primary];
        let cache = &pop.nodes[door.node];
        let skewed = Skewed {
            store,
            now_ms: now_ms.saturating_add_signed(*ahead_ms),
        };
        let now = Now::from_ms(now_ms);
        let turn = Turn::new(&call, now, &self.config, store, TAKES, cache);
        let turn = if *ahead_ms == 0 {
            turn
        } else {
            turn.by(&skewed)
        };
        let turned = turn.serve(&mut ask.body.as_slice());
        cache.put_by(&turned.tally);
        got(turned.answer)
    }

    /// One of the nodes of a POP.
    fn door(&self, pop: usize) -> Door {
        let node = Dice(self.requests).index(self.pops[pop].nodes.len());
        Door { pop, node }
    }

    /// Looks at the positions of all waiting visitors at one time through one node whose copy of the board is new. What is
    /// shown twice counts where a second look sees it as well.
    fn looks(&mut self, dice: &mut Dice) {
        self.passes(STALE_MS);
        let door = Door {
            pop: dice.index(self.pops.len()),
            node: 0,
        };
        self.tells(|| format!("look through {door:?}"));
        let mut loads = Vec::new();
        let first = repeated(&self.shown(door, &mut loads));
        if !first.is_empty() {
            let second = repeated(&self.shown(door, &mut loads));
            for at in first.into_iter().filter(|at| second.contains(at)) {
                self.tells(|| format!("  V{at} has the position of another visitor"));
                self.visitors[at].marks.given_twice = true;
            }
        }
        for at in loads {
            if !self.visitors[at].is_in {
                self.visits(at, door);
            }
        }
    }

    /// What all who have a number are shown, but for those who are told only that their place is kept. `loads` gets those whose
    /// page is to be loaded.
    fn shown(&mut self, door: Door, loads: &mut Vec<usize>) -> Vec<Shown> {
        let mut all = Vec::new();
        for at in self.waiting() {
            if self.visitors[at].position.is_none() {
                continue;
            }
            let Some(told) = self.place(at, door) else {
                loads.push(at);
                continue;
            };
            let visitor = &self.visitors[at];
            if visitor.position != visitor.on_page {
                loads.push(at);
            }
            let is_old = !told["old"].is_null();
            if let (false, Some(position), Some(_), Some(drawn)) =
                (is_old, visitor.position, visitor.ahead, visitor.drawn)
            {
                all.push(Shown {
                    at,
                    lane: visitor.lane,
                    position,
                    drawn_ms: drawn.at_ms,
                });
            }
        }
        all
    }

    /// Everything is whole again, and the line moves well for as long as visitors wait and go in.
    fn heals(&mut self, dice: &mut Dice) {
        let primary = self.primary(dice);
        for pop in &mut self.pops {
            pop.primary = primary;
        }
        self.primaries[primary].ahead_ms = 0;
        std::mem::swap(&mut self.config, &mut self.healing);
        self.tells(|| format!("heals on primary {primary}"));
        self.looks(dice);
        let never_in = self.goes_on(self.now_ms() + SETTLING_MS);
        self.lost.never_in = never_in.len() as u64;
        for at in never_in {
            self.visits(at, self.door(self.visitors[at].pop));
        }
        self.lost.never_in_anew = self.goes_on(u64::MAX).len() as u64;
    }

    /// Period after period passes, and the pages poll, in each period those of visitors who may be called soon. It ends when no
    /// visitor waits, or when for long none has gone in and none has come closer; who waits then. Turns after `counted_ms`
    /// count while visitors wait.
    fn goes_on(&mut self, counted_ms: u64) -> Vec<usize> {
        let (mut best, mut last_ms) = ((usize::MAX, u64::MAX), self.now_ms());
        let (mut turns, mut used) = (0, 0);
        let mut waiting = self.waiting();
        for round in 1_u64.. {
            let now_ms = self.now_ms();
            if waiting.is_empty() || now_ms - last_ms > HOPELESS_MS {
                break;
            }
            let next_ms = (now_ms / PERIOD_MS + 1) * PERIOD_MS + STALE_MS;
            self.turns_clocks(next_ms - now_ms);
            for at in &waiting {
                if round.is_multiple_of(ALL) || self.visitors[*at].ahead < Some(FAR) {
                    self.polls(*at);
                }
            }
            let before = waiting.len();
            waiting = self.waiting();
            if next_ms > counted_ms && !waiting.is_empty() {
                turns += TURNS;
                used += (before - waiting.len()) as u64;
            }
            let ahead = waiting.iter().filter_map(|at| self.visitors[*at].ahead);
            let left = (waiting.len(), ahead.min().unwrap_or(u64::MAX));
            if left < best {
                (best, last_ms) = (left, next_ms);
            }
        }
        self.lost.turns += turns;
        self.lost.empty_turns += turns.saturating_sub(used);
        waiting
    }

    fn sums_up(&mut self) -> Lost {
        for visitor in &self.visitors {
            self.lost.note(visitor);
        }
        self.lost.overtook = self.entrances.overtook();
        self.lost.clone()
    }

    fn waiting(&self) -> Vec<usize> {
        let all = self.visitors.iter().enumerate();
        let waiting = all.filter(|(_, visitor)| !visitor.is_in);
        waiting.map(|(at, _)| at).collect()
    }

    fn now_ms(&self) -> u64 {
        self.clock.load(Ordering::SeqCst)
    }

    /// Time passes, and pages poll.
    fn passes(&mut self, ms: u64) {
        let end_ms = self.now_ms() + ms;
        while self.now_ms() < end_ms {
            let now_ms = self.now_ms();
            let tick_ms = (now_ms / TICK_MS + 1) * TICK_MS;
            self.turns_clocks(tick_ms.min(end_ms) - now_ms);
            if self.now_ms() == tick_ms {
                self.pages_poll();
            }
        }
    }

    fn pages_poll(&mut self) {
        let now_ms = self.now_ms();
        for at in self.waiting() {
            let visitor = &mut self.visitors[at];
            if let Some(every_ms) = visitor.every_ms
                && visitor.due_ms <= now_ms
            {
                visitor.due_ms = now_ms + every_ms;
                self.polls(at);
            }
        }
    }

    fn turns_clocks(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
        for primary in &self.primaries {
            primary.store.advance(Duration::from_millis(ms));
        }
    }

    fn tells(&self, what: impl FnOnce() -> String) {
        if let Some(story) = &self.story {
            let ms = self.now_ms() - START_MS;
            let (seconds, ms) = (ms / 1_000, ms % 1_000);
            writeln!(story.borrow_mut(), "{seconds}.{ms:03} {}", what()).unwrap();
        }
    }
}

impl Pop {
    fn forgets(&self) {
        for node in &self.nodes {
            node.lose_copy();
            node.lose_last();
        }
    }
}

impl Primary {
    fn new() -> Self {
        Self {
            store: Store::embedded_at(STORE_TOKEN, Duration::from_millis(START_MS)).unwrap(),
            ahead_ms: 0,
            backups: Vec::new(),
            made: 0,
        }
    }

    /// Keeps a backup in place of the oldest one.
    fn backs_up(&mut self) {
        let backup = self.store.backup().unwrap();
        let at = self.made % BACKUPS;
        self.backups.truncate(BACKUPS);
        if at < self.backups.len() {
            self.backups[at] = backup;
        } else {
            self.backups.push(backup);
        }
        self.made += 1;
    }

    /// How many backups ago its data were as they are now.
    fn restores(&self, dice: &mut Dice) -> Option<usize> {
        let which = usize::try_from(dice.roll(1 << 16)).unwrap();
        let at = which.checked_rem(self.backups.len())?;
        self.store.restart_from(&self.backups[at]);
        Some((self.made - 1 - at) % self.backups.len())
    }

    /// Keys whose time is over by the clock that is ahead are gone.
    fn sets_clock(&mut self, dice: &mut Dice) {
        let most = one_of(dice, &[2_000, 60_000, 600_000, HOUR_MS]);
        let by = i64::try_from(dice.roll(2 * most + 1)).unwrap() - i64::try_from(most).unwrap();
        let ahead_ms = if dice.is_one_in(4) { 0 } else { by };
        let further = u64::try_from(ahead_ms - self.ahead_ms).unwrap_or(0);
        self.store.advance(Duration::from_millis(further));
        self.ahead_ms = ahead_ms;
    }
}

fn one_of<T: Copy>(dice: &mut Dice, all: &[T]) -> T {
    all[dice.index(all.len())]
}

/// One of them by a number that is drawn whether or not there are any.
fn pick(all: &[usize], which: u64) -> Option<usize> {
    let at = which.checked_rem(all.len() as u64)?;
    Some(all[usize::try_from(at).unwrap()])
}

/// Regions, some of them with a fixed share.
fn with_shares(many: usize, dice: &mut Dice) -> String {
    let regions = REGIONS.iter().zip(COUNTRIES).take(many);
    let regions = regions.map(|(name, country)| {
        let mut region = json!({ "name": name, "countries": country });
        if dice.is_one_in(2) {
            region["share"] = dice.between(10, 30).into();
        }
        region
    });
    regions.collect::<Value>().to_string()
}

/// The settings of a room with this pace, in which the script goes by the time that it is given.
fn with_pace(settings: &[(&str, String)], pace: (&str, &str)) -> Config {
    let given = settings.iter().map(|(name, value)| (*name, value.as_str()));
    let own = [
        ("automatic", pace.0),
        ("automatic_quantity", pace.1),
        ("clock", "0"),
    ];
    config_with(&given.chain(own).collect::<Vec<_>>())
}
