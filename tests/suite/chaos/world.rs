//! One store, several POPs whose clocks are wrong, and everybody who sends requests to them.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use invariants::Held;
use invariants::{History, Outboxes};
use now_serving::cache::LastBoard;
use now_serving::cache::memory::Behind;
use now_serving::cache::outbox::{RENEWAL, Tally};
use now_serving::config::Config;
use now_serving::http::Call;
use now_serving::queue::{Inversion, Mode, Now, Reason};
use upstash_local::{Redis, Store};
use virtual_edge::cache::{Cache, CacheFault};
use virtual_edge::{Happened, Log, Origin, Takes, Turn, Turned, id_of};

use super::act::{self, Act, POPS};
use super::losses::Copy;
use super::people::Person;
use super::report::Report;
use super::rooms::{self, ROOMS, Standing, pop_name};
use super::settings::Settings;
use super::wire::{Fate, Wire};
use crate::house::{Ask, Got, STORE_TOKEN, call, facts, got};
use crate::inside::Dice;
use crate::log::held_to_schema;

const START_MS: u64 = 1_800_000_000_000;
/// How many acts a failure tells.
const TOLD: usize = 30;
/// How far a node may be behind with a copy of the board, which lives no longer, and with all else.
const COPY_MS: u64 = 2_000;
const OVERWRITTEN_MS: u64 = 5_000;
const TAKES: Takes = Takes::Always(Duration::from_millis(7));

/// Where the data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Engine {
    Embedded,
    /// A real Redis, which is killed and started again. Its scripts go by virtual time too.
    Redis,
}

/// Which objects the nodes of a POP hand out after they were overwritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nodes {
    /// None: a POP is one node.
    Sound,
    /// Copies of the board, which they may.
    OldCopies,
    /// All, which the platform is asked not to do.
    OldObjects,
}

/// Through which POP a request goes, and from which country it comes.
pub(super) type Spot = (usize, &'static str);

pub(super) struct Pop {
    /// What it has of each room.
    pub(super) rooms: Vec<Shelf>,
    /// How many times its cache began with nothing.
    pub(super) life: u64,
    pub(super) skew_ms: i64,
    pub(super) config: Rc<Config>,
    /// When it reads what was published.
    pub(super) reads_ms: Option<u64>,
}

/// What a POP has of one room.
pub(super) struct Shelf {
    pub(super) cache: Cache,
    /// Grows with each copy of the board that it loses.
    pub(super) generation: u64,
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
    /// For which room it was, by the settings of that POP. Cookies are named as those of the first room.
    pub(super) room: usize,
    pub(super) got: Got,
    pub(super) reason: Reason,
    /// Calls of the store before the answer.
    pub(super) calls: u64,
    pub(super) has_failed: bool,
    pub(super) is_renewed: bool,
    /// Whether the last board that the POP knew said that the room is open.
    pub(super) is_open: bool,
    /// The most calls that a visitor inside may cost: one where the request cannot be taken back and the POP knew no board, or where
    /// an open room lets in who draws nothing; two with the script.
    pub(super) most_inside: u64,
    pub(super) luck: Luck,
}

impl fmt::Debug for Heard {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { got, reason, .. } = self;
        let what = if got.inside { "inside" } else { "answered" };
        let given = got.ticket().as_deref().and_then(Held::of);
        let room = ROOMS[self.room];
        writeln!(
            to,
            "\n  {room}: {reason:?}, {what} {}, given {given:?}",
            got.status
        )?;
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
    pub(super) seed: u64,
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
    /// What is true of each room.
    pub(super) truth: Vec<RefCell<History>>,
    /// What the log of each room says was noted, line by line: none of them is lost.
    pub(super) log: Vec<RefCell<Vec<String>>>,
    pub(super) standing: RefCell<Standing>,
    report: RefCell<Report>,
    late: RefCell<Vec<String>>,
    pub(super) trouble: Option<Trouble>,
    pub(super) copy: Option<Copy>,
    /// What each outbox was given.
    pub(super) put: BTreeMap<String, BTreeMap<String, u64>>,
    pub(super) keys: u64,
    pub(super) event: BTreeMap<usize, super::operators::Timed>,
    /// An operator who closes the room or sets an event takes that back.
    pub(super) takes_back: Vec<(u64, Act)>,
    told: VecDeque<String>,
    peril: Peril,
    pub(super) nodes: Nodes,
}

/// What the acts are about.
#[derive(Clone, Copy)]
enum Peril {
    /// Everything at once.
    All,
    /// The slots of a cap, among many visitors and an adversary, with a store that is well.
    Siege,
}

impl World {
    pub(super) fn new(seed: u64, engine: Engine) -> Self {
        let mut settings = Settings::new(has_regions(seed));
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
        let shelf = |name: &str| Shelf {
            cache: Cache::in_pop(name, START_MS),
            generation: 0,
            tally: Tally::default(),
            failed_ms: None,
        };
        let pop = |number: usize| Pop {
            rooms: ROOMS.map(|_| shelf(&pop_name(number, 0))).into(),
            life: 0,
            skew_ms: 0,
            config: Rc::clone(&config),
            reads_ms: None,
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
            // No minute is so calm that the store measures absent visitors.
            truth: ROOMS
                .map(|_| RefCell::new(History::without_absences()))
                .into(),
            log: ROOMS.map(|_| RefCell::default()).into(),
            standing: RefCell::new(Standing::new(engine)),
            report: RefCell::default(),
            late: RefCell::default(),
            trouble: None,
            copy: None,
            put: BTreeMap::new(),
            keys: 0,
            event: BTreeMap::new(),
            takes_back: Vec::new(),
            told: VecDeque::new(),
            peril: Peril::All,
            nodes: Nodes::Sound,
        }
    }

    /// The same in POPs of several nodes.
    pub(super) fn with_nodes(mut self, nodes: Nodes) -> Self {
        self.nodes = nodes;
        for truth in &self.truth {
            truth.borrow_mut().outboxes = match nodes {
                Nodes::Sound | Nodes::OldCopies => Outboxes::Last,
                Nodes::OldObjects => Outboxes::Overwritten,
            };
        }
        self
    }

    /// The same with ten slots in each room and an adversary who wants them.
    pub(super) fn besieged(seed: u64) -> Self {
        let mut world = Self::new(seed, Engine::Embedded);
        world.peril = Peril::Siege;
        world.settings.set("total_active", "10");
        for pop in 0..POPS {
            world.reads_settings(pop);
        }
        world
    }

    /// Everything at once for this many minutes, and what must hold when all is well again.
    pub(super) fn play(&mut self, minutes: u64) -> Report {
        self.report.borrow_mut().minutes = minutes;
        let end_ms = START_MS + minutes * 60_000;
        while self.now_ms < end_ms {
            let gap = match self.dice.roll(100) {
                0 => 2_000,
                1..=5 => 400,
                _ => 85,
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
            let act = match self.peril {
                Peril::All => Act::drawn(&mut self.dice),
                Peril::Siege => Act::of_a_siege(&mut self.dice),
            };
            self.does(act);
        }
        self.calm();
        self.journals_hold();
        self.told()
    }

    fn told(&self) -> Report {
        let mut report = self.report.borrow().clone();
        report.runs = 1;
        for (truth, room) in self.truth.iter().zip(ROOMS) {
            let truth = truth.borrow();
            report.calls += truth.calls;
            for (what, many) in truth.checks.counts() {
                *report.checks.entry((*what).to_owned()).or_default() += many;
            }
            for (why, many) in &truth.uncovered_by {
                let why = format!("not covered in a room: {why}");
                *report.faults.entry(why).or_default() += many;
            }
            for (lane, given) in truth.given_by_lane() {
                let went_in = truth.went_in.get(&lane).copied().unwrap_or(0);
                let name = lane.name().unwrap_or("main line");
                report
                    .lines
                    .insert(format!("{room}: {name}"), (given, went_in));
            }
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
            Act::Operator(room, presses) => self.operator(room, presses),
            Act::Origin(room, tells) => self.origin(room, tells),
            Act::Event(room, sets) => self.events(room, sets),
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
            for here in &self.pops[pop].rooms {
                here.cache.wait(ms);
            }
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
        let luck = match self.peril {
            Peril::All => self.any_luck(),
            Peril::Siege => Luck::GOOD,
        };
        match luck.cache {
            CacheFault::Sound => Luck {
                cache: self.node(),
                ..luck
            },
            _ => luck,
        }
    }

    /// The node of a POP that a request reaches: half of them are behind.
    pub(super) fn node(&mut self) -> CacheFault {
        if self.nodes == Nodes::Sound || self.dice.is_one_in(2) {
            return CacheFault::Sound;
        }
        let copy_ms = self.dice.between(0, COPY_MS);
        let overwritten_ms = match self.nodes {
            Nodes::OldObjects => self.dice.between(0, OVERWRITTEN_MS),
            Nodes::Sound | Nodes::OldCopies => 0,
        };
        CacheFault::Node(Behind {
            copy_ms,
            overwritten_ms,
        })
    }

    fn any_luck(&mut self) -> Luck {
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
    pub(super) fn ask(&mut self, ask: &Ask, (pop, country): Spot, luck: Luck) -> Heard {
        self.ids += 1;
        let call = called(ask, id_of(self.ids), country);
        let config = Rc::clone(&self.pops[pop].config);
        let place = rooms::named(config.place_of(&call).room.name.as_str());
        self.note_luck((pop, place), luck);
        let cache = self.pops[pop].rooms[place].cache.clone();
        let now_ms = self.now_ms.saturating_add_signed(self.pops[pop].skew_ms);
        let now = Now::from_ms(now_ms);
        let wire = self.wire(luck.fate, Some(place));
        let room = &config.place_of(&call).room.name;
        let logs = |happened: Happened<'_>| {
            held_to_schema(&happened.entry(room));
        };
        // Who draws nothing goes in by the last board of an open room, and looks first where that is old.
        let last = cache.memory.last_board();
        let is_open = last.is_some_and(|board| board.scheduled_mode() == Mode::Open);
        let knows_none = cache.memory.last_board().is_none() || luck.cache != CacheFault::Sound;
        let looks_first = knows_none && !matches!(ask.method, "GET" | "HEAD");
        let most_inside = if looks_first || is_open { 2 } else { 0 };
        cache.is_from_now_on(luck.cache);
        let log = Log {
            facts: &facts,
            write: &|line| drop(held_to_schema(line)),
        };
        let before = Cell::new((0, false));
        let answered = || before.set((wire.calls.take(), wire.has_failed.get()));
        let turn = Turn::new(&call, now, &config, &self.store, TAKES, &cache).by(&wire);
        let turn = turn
            .hearing(&logs)
            .logging(log)
            .before(Origin::Answers(&|| (80, 200)));
        let turn = match luck.life {
            Life::Whole => turn.then(&answered),
            _ => turn.until_answered(&answered),
        };
        let Turned {
            answer,
            served,
            tally,
            ..
        } = turn.serve(&mut ask.body.as_slice());
        let (calls, has_failed) = before.get();
        let heard = Heard {
            is_open,
            most_inside,
            room: place,
            got: rooms::own_cookies(got(answer), place),
            reason: served.record.reason,
            calls,
            has_failed,
            is_renewed: served.renewal.is_some(),
            luck,
        };
        let status = (!heard.got.inside).then_some(heard.got.status);
        let all_calls = calls + wire.calls.get();
        let has_failed = wire.has_failed.get();
        cache.is_from_now_on(CacheFault::Sound);
        assert_eq!(tally.inversions(Inversion::Unexplained), 0, "{heard:?}");
        self.note_calls((pop, place), all_calls, has_failed);
        self.count((pop, place), &tally, luck);
        let mut report = self.report.borrow_mut();
        if let Some(inversion) = served.record.inversion {
            report.decision(
                ROOMS[place],
                &format!("passes others: {}", inversion.name()),
            );
        }
        report.requests += 1;
        report.decision(ROOMS[place], heard.reason.name());
        report.status(status.unwrap_or(0));
        drop(report);
        heard
    }

    /// For which room a request is in this POP.
    pub(super) fn room_of(&self, ask: &Ask, (pop, country): Spot) -> usize {
        let call = called(ask, id_of(0), country);
        rooms::named(self.pops[pop].config.place_of(&call).room.name.as_str())
    }

    /// Whether the POP knows of this room.
    pub(super) fn lists(&self, pop: usize, room: usize) -> bool {
        let ask = rooms::to_room(Ask::get("/_queue/"), room);
        self.room_of(&ask, (pop, "US")) == room
    }

    /// The POP renews the board of a room, and brings what was counted.
    pub(super) fn looks(&mut self, pop: usize, room: usize) {
        self.ids += 1;
        let (ask, country) = rooms::surely(room);
        let call = called(&ask, id_of(self.ids), country);
        let config = Rc::clone(&self.pops[pop].config);
        let cache = self.pops[pop].rooms[room].cache.clone();
        cache.is_from_now_on(self.node());
        let wire = self.wire(Fate::Answered, Some(room));
        let now = Now::from_ms(self.now_ms.saturating_add_signed(self.pops[pop].skew_ms));
        let turn = Turn::new(&call, now, &config, &self.store, TAKES, &cache).by(&wire);
        let tally = turn.look();
        let (calls, has_failed) = (wire.calls.get(), wire.has_failed.get());
        cache.is_from_now_on(CacheFault::Sound);
        self.note_calls((pop, room), calls, has_failed);
        self.count((pop, room), &tally, Luck::GOOD);
    }

    fn wire(&self, fate: Fate, room: Option<usize>) -> Wire<'_> {
        Wire {
            store: &self.store,
            truth: &self.truth,
            log: &self.log,
            standing: &self.standing,
            room,
            report: &self.report,
            late: &self.late,
            now_ms: self.now_ms,
            fate: Cell::new(fate),
            calls: Cell::default(),
            has_failed: Cell::default(),
        }
    }

    fn note_luck(&mut self, (pop, room): (usize, usize), luck: Luck) {
        if luck.life != Life::Whole {
            self.fault(&format!("sandbox: ends, {:?}", luck.life));
        }
        if luck.cache != CacheFault::Sound {
            let name = format!("{:?}", luck.cache);
            let name = name.split(['(', ' ']).next().unwrap_or_default();
            self.fault(&format!("cache: {name}"));
        }
        // Within a data centre the number ahead grows where nodes hand out copies of different age.
        if matches!(luck.cache, CacheFault::Forgetful | CacheFault::Node(_)) {
            self.pops[pop].rooms[room].generation += 1;
        }
    }

    fn note_calls(&mut self, (pop, room): (usize, usize), calls: u64, has_failed: bool) {
        if has_failed {
            self.pops[pop].rooms[room].failed_ms = Some(self.now_ms);
        } else if calls > 0 {
            self.truth[room].borrow_mut().has_told(pop);
        }
    }

    /// A sandbox keeps what it counted for some requests.
    fn count(&mut self, (pop, room): (usize, usize), tally: &Tally, luck: Luck) {
        if luck.life != Life::Whole {
            self.note_lost_renewals(room, tally);
            return;
        }
        self.pops[pop].rooms[room].tally.merge(tally);
        if self.dice.is_one_in(4) {
            self.flush_sandboxes(pop);
        }
    }

    /// Sessions that no POP will tell of.
    pub(super) fn note_lost_renewals(&self, room: usize, tally: &Tally) {
        let text = tally.encode();
        let names = text.split(' ').filter_map(|pair| pair.split_once('='));
        let moves = names.filter_map(|(name, many)| Some((name.strip_prefix("renewed_")?, many)));
        let mut truth = self.truth[room].borrow_mut();
        for (span, sessions) in moves {
            let to: u64 = span.split('_').next().unwrap().parse().unwrap();
            for _ in 0..sessions.len() / RENEWAL {
                truth.doubts(to);
            }
        }
    }

    /// Its sandboxes end without having told what they counted.
    pub(super) fn end_sandboxes(&mut self, pop: usize) {
        for room in 0..ROOMS.len() {
            let tally = std::mem::take(&mut self.pops[pop].rooms[room].tally);
            self.note_lost_renewals(room, &tally);
        }
        self.reads_settings(pop);
    }

    /// What the sandboxes have counted goes into the POP's outboxes.
    pub(super) fn flush_sandboxes(&mut self, pop: usize) {
        for room in 0..ROOMS.len() {
            let tally = std::mem::take(&mut self.pops[pop].rooms[room].tally);
            if tally.is_empty() {
                continue;
            }
            let node = self.node();
            let cache = &self.pops[pop].rooms[room].cache;
            cache.is_from_now_on(node);
            cache.memory.put_by(&tally);
            cache.is_from_now_on(CacheFault::Sound);
            let put = self.put.entry(self.outbox_of(pop, room)).or_default();
            let text = tally.encode();
            for (name, many) in text.split(' ').filter_map(|pair| pair.split_once('=')) {
                if name.starts_with("decided_") {
                    *put.entry(name.to_owned()).or_default() += many.parse::<u64>().unwrap();
                }
            }
        }
    }

    /// The store does what it was asked late.
    pub(super) fn catch_up(&self) {
        for body in self.late.take() {
            self.wire(Fate::Answered, None).done(&body);
        }
    }
}

/// Whether one of the rooms has regions by this seed.
pub(super) fn has_regions(seed: u64) -> bool {
    seed % 2 == 1
}

/// What the edge would make of a request from this country.
fn called(ask: &Ask, id: String, country: &str) -> Call {
    Call {
        country: Some(country.to_owned()),
        ..call(ask, id)
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
