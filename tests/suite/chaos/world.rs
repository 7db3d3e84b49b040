//! One store, several POPs whose clocks are wrong, and everybody who sends requests to them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use now_serving::cache::outbox::Tally;
use now_serving::config::Config;
use now_serving::http::Answer;
use now_serving::queue::{Inversion, Now, Reason};
use now_serving::service::FollowUp;
use now_serving::telemetry::log::entry;
use upstash_local::{Redis, Store};
use virtual_edge::cache::{Cache, CacheFault};
use virtual_edge::{Happened, Takes, Turn, id_of, watched};

use super::act::{self, Act, POPS};
use super::held::Held;
use super::losses::{Copy, Loss};
use super::people::Person;
use super::report::Report;
use super::settings::Settings;
use super::truth::Truth;
use super::wire::{Fate, Wire};
use crate::house::{Ask, Got, STORE_TOKEN, call, facts, got};
use crate::inside::Dice;
use crate::log::held_to_schema;

const START_MS: u64 = 1_800_000_000_000;
/// How many acts a failure tells.
const TOLD: usize = 30;
const TAKES: Takes = Takes::Always(Duration::from_millis(7));

/// Where the data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Embedded,
    /// A real Redis, which is killed and started again. Its scripts go by virtual time too.
    Redis,
}

pub(super) struct Pop {
    pub(super) cache: Cache,
    /// Grows with each copy of the sign that it loses.
    pub(super) generation: u64,
    /// How many times its cache began with nothing.
    pub(super) life: u64,
    pub(super) skew_ms: i64,
    pub(super) config: Rc<Config>,
    /// When it reads what was published.
    pub(super) reads_ms: Option<u64>,
    /// What its sandboxes have counted, and not put into the outbox.
    tally: Tally,
    /// When a call failed here the last time.
    pub(super) failed_ms: Option<u64>,
}

/// The store's trouble: each call fails by this chance in a hundred.
#[derive(Clone, Copy)]
pub(super) struct Trouble {
    pub(super) fault: upstash_local::Fault,
    pub(super) chance: u64,
    pub(super) until_ms: u64,
}

/// How far a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Life {
    Whole,
    /// Its sandbox ends before it has answered.
    Unanswered,
    /// Its sandbox ends as soon as it has answered.
    Answered,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Luck {
    pub(super) life: Life,
    pub(super) fate: Fate,
    pub(super) cache: CacheFault,
}

impl Luck {
    pub(super) const GOOD: Self = Self {
        life: Life::Whole,
        fate: Fate::Answered,
        cache: CacheFault::Sound,
    };
}

/// What came of a request.
pub(super) struct Heard {
    pub(super) got: Got,
    pub(super) reason: Reason,
    /// Calls of the store before the answer.
    pub(super) calls: u64,
    pub(super) has_failed: bool,
    pub(super) is_renewed: bool,
    pub(super) luck: Luck,
}

impl fmt::Debug for Heard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { got, reason, .. } = self;
        let what = if got.inside { "inside" } else { "answered" };
        let given = got.ticket().as_deref().map(Held::of);
        writeln!(to, "\n  {reason:?}, {what} {}, given {given:?}", got.status)?;
        let body: String = got.body.chars().take(600).collect();
        writeln!(to, "  {} {body}", got.header("location"))?;
        let fate = if self.has_failed {
            "of which one failed"
        } else {
            "all well"
        };
        write!(
            to,
            "  {} calls before the answer, {fate}, {:?}",
            self.calls, self.luck
        )
    }
}

pub(super) struct World {
    seed: u64,
    pub(super) dice: Dice,
    pub(super) store: Store,
    pub(super) redis: Option<Redis>,
    /// Until when the Redis stays away.
    pub(super) is_back_ms: Option<u64>,
    pub(super) now_ms: u64,
    ids: u64,
    pub(super) settings: Settings,
    /// When all tickets became none by another secret.
    pub(super) reset_ms: Option<u64>,
    pub(super) pops: Vec<Pop>,
    pub(super) people: Vec<Person>,
    pub(super) truth: RefCell<Truth>,
    report: RefCell<Report>,
    late: RefCell<Vec<String>>,
    pub(super) trouble: Option<Trouble>,
    pub(super) copy: Option<Copy>,
    pub(super) loss: Option<Loss>,
    /// What each outbox was given.
    pub(super) put: BTreeMap<String, BTreeMap<String, u64>>,
    pub(super) keys: u64,
    pub(super) event: Option<super::operators::Timed>,
    /// An operator who closes the room or sets an event takes that back.
    pub(super) takes_back: Vec<(u64, Act)>,
    told: VecDeque<String>,
}

impl World {
    pub(super) fn new(seed: u64, engine: Engine) -> Self {
        let mut settings = Settings::new();
        let (store, redis) = match engine {
            Engine::Embedded => {
                let time = Duration::from_millis(START_MS);
                (Store::embedded_at(STORE_TOKEN, time).unwrap(), None)
            }
            Engine::Redis => {
                settings.set("clock", "0");
                let redis = Redis::start().unwrap();
                (Store::redis(redis.url(), STORE_TOKEN).unwrap(), Some(redis))
            }
        };
        let config = settings.config();
        let pop = |number: usize| Pop {
            cache: Cache::in_pop(&format!("P{number}"), START_MS),
            generation: 0,
            life: 0,
            skew_ms: 0,
            config: Rc::clone(&config),
            reads_ms: None,
            tally: Tally::default(),
            failed_ms: None,
        };
        Self {
            seed,
            dice: Dice(seed),
            store,
            redis,
            is_back_ms: None,
            now_ms: START_MS,
            ids: 0,
            settings,
            reset_ms: None,
            pops: (0..POPS).map(pop).collect(),
            people: Vec::new(),
            truth: RefCell::default(),
            report: RefCell::default(),
            late: RefCell::default(),
            trouble: None,
            copy: None,
            loss: None,
            put: BTreeMap::new(),
            keys: 0,
            event: None,
            takes_back: Vec::new(),
            told: VecDeque::new(),
        }
    }

    /// Everything at once for this many minutes, and what must hold when all is well again.
    pub(super) fn play(&mut self, minutes: u64) -> Report {
        self.report.borrow_mut().minutes = minutes;
        let end_ms = START_MS + minutes * 60_000;
        while self.now_ms < end_ms {
            let gap = match self.dice.roll(100) {
                0 => 2_000,
                1..=5 => 400,
                _ => 70,
            };
            let gap = self.dice.between(0, gap);
            self.wait(gap);
            let due = self
                .takes_back
                .extract_if(.., |(due_ms, _)| *due_ms <= self.now_ms);
            let due: Vec<(u64, Act)> = due.collect();
            for act in due.into_iter().map(|(_, act)| act) {
                self.does(act);
            }
            let act = Act::drawn(&mut self.dice);
            self.does(act);
        }
        self.calm();
        self.journal_holds();
        self.told()
    }

    fn told(&self) -> Report {
        let mut report = self.report.borrow().clone();
        let truth = self.truth.borrow();
        report.calls = truth.calls;
        report.runs = 1;
        for (what, many) in &truth.checks {
            report.checks.insert((*what).to_owned(), *many);
        }
        for (why, many) in &truth.why {
            report.faults.insert(format!("not covered: {why}"), *many);
        }
        report
    }

    fn does(&mut self, act: Act) {
        self.tell(&act);
        self.perform(act);
        self.report.borrow_mut().acts += 1;
    }

    fn perform(&mut self, act: Act) {
        match act {
            Act::Visitor(visits) => self.visitor(visits),
            Act::Operator(presses) => self.operator(presses),
            Act::Origin(tells) => self.origin(tells),
            Act::Event(sets) => self.events(sets),
            Act::Store(suffers) => self.suffers(suffers),
            Act::Edge(loses) => self.loses(loses),
            Act::Settings(publishes) => self.publishes(publishes),
            Act::Quiet(seconds) => self.wait(seconds * 1_000),
        }
    }

    /// Remembers what happens, for the case that it fails.
    pub(super) fn tell(&mut self, what: &dyn std::fmt::Debug) {
        let acts = self.report.borrow().acts;
        let seconds = (self.now_ms - START_MS) / 1_000;
        self.told
            .push_back(format!("{acts} at {seconds} s: {what:?}"));
        if self.told.len() > TOLD {
            self.told.pop_front();
        }
    }

    pub(super) fn fault(&self, kind: &str) {
        self.report.borrow_mut().fault(kind);
    }

    pub(super) fn wait(&mut self, ms: u64) {
        self.now_ms += ms;
        self.store.advance(Duration::from_millis(ms));
        for pop in 0..POPS {
            self.pops[pop].cache.wait(ms);
            let is_due = self.pops[pop]
                .reads_ms
                .is_some_and(|due| due <= self.now_ms);
            if is_due {
                self.reads_settings(pop);
            }
        }
        self.time_has_passed();
    }

    /// What goes wrong with the next request, if anything does.
    pub(super) fn luck(&mut self) -> Luck {
        let now_ms = self.now_ms;
        self.trouble = self.trouble.filter(|trouble| trouble.until_ms > now_ms);
        let fate = match (self.trouble, self.dice.roll(200)) {
            (_, 0) => Fate::Late,
            (_, 1) => Fate::Twice,
            (_, 2) => Fate::Fails(act::fault(&mut self.dice)),
            (Some(trouble), _) if self.dice.roll(100) < trouble.chance => {
                Fate::Fails(trouble.fault)
            }
            _ => Fate::Answered,
        };
        let life = match self.dice.roll(100) {
            0 => Life::Unanswered,
            1 => Life::Answered,
            _ => Life::Whole,
        };
        let cache = match self.dice.roll(100) {
            0 => CacheFault::Silent,
            1 => CacheFault::Forgetful,
            2..=4 => CacheFault::Late(self.dice.between(1, 1_500)),
            _ => CacheFault::Sound,
        };
        Luck { life, fate, cache }
    }

    /// One request, in the order in which the edge answers it.
    pub(super) fn ask(&mut self, ask: &Ask, pop: usize, luck: Luck) -> Heard {
        self.ids += 1;
        let call = call(ask, id_of(self.ids));
        self.note_luck(pop, luck);
        let config = Rc::clone(&self.pops[pop].config);
        let cache = self.pops[pop].cache.clone();
        let now_ms = self.now_ms.saturating_add_signed(self.pops[pop].skew_ms);
        let now = Now::from_ms(now_ms);
        let wire = self.wire(luck.fate);
        let room = &config.place_of(&call).room.name;
        let logs = |happened: Happened<'_>| {
            held_to_schema(&happened.entry(room));
        };
        cache.is_from_now_on(luck.cache);
        let way = (&self.store, TAKES);
        let turn = Turn::new((&call, now), &config, way, &cache, &logs).by(&wire);
        let outcome = turn.handle(&mut ask.body.as_slice());
        let calls = wire.calls.take();
        let watch = match &outcome.answer {
            Answer::Forward(forward) => forward.watch,
            Answer::Reply(_) => None,
        };
        let heard = Heard {
            got: got(outcome.answer),
            reason: outcome.record.reason,
            calls,
            has_failed: wire.has_failed.get(),
            is_renewed: outcome.renewal.is_some(),
            luck,
        };
        let status = (!heard.got.inside).then_some(heard.got.status);
        if outcome.record.is_logged() {
            let facts = facts((&call, room), config.logging.query, now_ms);
            held_to_schema(&entry(&facts, status, &outcome.record));
        }
        if luck.life == Life::Whole {
            turn.afterwards(outcome.after);
        }
        let all_calls = calls + wire.calls.get();
        let has_failed = wire.has_failed.get();
        cache.is_from_now_on(CacheFault::Sound);
        let mut tally = turn.tally();
        assert_eq!(tally.inversions(Inversion::Unexplained), 0, "{heard:?}");
        if let Some(watch) = watch
            && let Some(cuts) = watch.told
        {
            let (_, answered) = watched(&watch, 80, 200);
            tally.watched(cuts, answered, now);
        }
        self.note_calls(pop, all_calls, has_failed);
        self.count(pop, &tally, luck);
        let mut report = self.report.borrow_mut();
        if let Some(inversion) = outcome.record.inversion {
            report.decision(&format!("passes others: {}", inversion.name()));
        }
        report.requests += 1;
        report.decision(&heard.reason.name());
        report.status(status.unwrap_or(0));
        drop(report);
        heard
    }

    /// The POP renews the sign, and brings what was counted.
    pub(super) fn looks(&mut self, pop: usize) {
        self.ids += 1;
        let call = call(&Ask::get("/"), id_of(self.ids));
        let (config, cache) = (
            Rc::clone(&self.pops[pop].config),
            self.pops[pop].cache.clone(),
        );
        let wire = self.wire(Fate::Answered);
        let now = Now::from_ms(self.now_ms.saturating_add_signed(self.pops[pop].skew_ms));
        let way = (&self.store, TAKES);
        let turn = Turn::new((&call, now), &config, way, &cache, &|_| ()).by(&wire);
        turn.afterwards(FollowUp::Look);
        let (calls, has_failed) = (wire.calls.get(), wire.has_failed.get());
        let tally = turn.tally();
        self.note_calls(pop, calls, has_failed);
        self.count(pop, &tally, Luck::GOOD);
    }

    fn wire(&self, fate: Fate) -> Wire<'_> {
        Wire {
            store: &self.store,
            truth: &self.truth,
            report: &self.report,
            late: &self.late,
            now_ms: self.now_ms,
            fate: Cell::new(fate),
            calls: Cell::default(),
            has_failed: Cell::default(),
        }
    }

    fn note_luck(&mut self, pop: usize, luck: Luck) {
        if luck.life != Life::Whole {
            self.fault(&format!("sandbox: ends, {:?}", luck.life));
        }
        if luck.cache != CacheFault::Sound {
            let name = format!("{:?}", luck.cache);
            self.fault(&format!(
                "cache: {}",
                name.split('(').next().unwrap_or_default()
            ));
        }
        if luck.cache == CacheFault::Forgetful {
            self.pops[pop].generation += 1;
        }
    }

    fn note_calls(&mut self, pop: usize, calls: u64, has_failed: bool) {
        if has_failed {
            self.pops[pop].failed_ms = Some(self.now_ms);
        } else if calls > 0 {
            self.has_told(pop);
        }
    }

    /// A sandbox keeps what it counted for some requests.
    fn count(&mut self, pop: usize, tally: &Tally, luck: Luck) {
        if luck.life != Life::Whole {
            self.note_lost_renewals(tally);
            return;
        }
        self.pops[pop].tally.merge(tally);
        if self.dice.is_one_in(4) {
            self.flush_sandboxes(pop);
        }
    }

    /// Sessions that no POP will tell of.
    pub(super) fn note_lost_renewals(&self, tally: &Tally) {
        let text = tally.encode();
        let names = text.split(' ').filter_map(|pair| pair.split_once('='));
        let moves = names.filter_map(|(name, many)| Some((name.strip_prefix("renewed_")?, many)));
        let mut truth = self.truth.borrow_mut();
        for (span, many) in moves {
            let (_, to) = span.split_once('_').unwrap();
            let to: u64 = to.parse().unwrap();
            truth
                .doubtful
                .extend((0..many.parse().unwrap()).map(|_| to));
        }
    }

    /// Its sandboxes end without having told what they counted.
    pub(super) fn end_sandboxes(&mut self, pop: usize) {
        let tally = std::mem::take(&mut self.pops[pop].tally);
        self.note_lost_renewals(&tally);
        self.reads_settings(pop);
    }

    /// What the sandboxes have counted goes into the POP's outbox.
    pub(super) fn flush_sandboxes(&mut self, pop: usize) {
        let tally = std::mem::take(&mut self.pops[pop].tally);
        let cache = &self.pops[pop].cache.memory;
        cache.put_by(&tally);
        let till = format!("queue:{{main}}:till:{}", self.outbox_of(pop));
        let put = self.put.entry(till).or_default();
        let text = tally.encode();
        for (name, many) in text.split(' ').filter_map(|pair| pair.split_once('=')) {
            if name.starts_with("decided_") {
                *put.entry(name.to_owned()).or_default() += many.parse::<u64>().unwrap();
            }
        }
    }

    /// The store does what it was asked late.
    pub(super) fn catch_up(&self) {
        for body in self.late.take() {
            self.wire(Fate::Answered).done(&body);
        }
    }
}

/// What failed, and how to see it again.
impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("The last acts:");
            for told in &self.told {
                println!("  {told}");
            }
            let acts = self.report.borrow().acts;
            println!(
                "In act {acts}. The same again: {}={}",
                super::SEED,
                self.seed
            );
        }
    }
}
