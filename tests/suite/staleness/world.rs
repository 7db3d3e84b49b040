//! Visitors, data centres and one store; every answer is held against what the store knew when it was given.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use now_serving::cache::BoardCache;
use now_serving::config::Config;
use now_serving::queue::Now;
use now_serving::queue::Pace;
use now_serving::request::Request;
use now_serving::service;
use upstash_local::{Faults, Store};

use super::{Event, FaultProfile, LATEST_MS, SandboxFate, Step};
use crate::house::{Ask, Direct, Got, call, claims, config, got};
use virtual_edge::cache::{Cache, CacheFault};

const START_MS: u64 = 1_800_000_000_000;
/// Fresh for a second, renewed in the next: together the oldest sign anybody sees.
const FRESH_MS: u64 = 1000;
/// Fresh for so long for visitors inside while no visitor waits.
const FRESH_WITHOUT_A_LINE_MS: u64 = 9_000;
const SEEN_WITHIN_MS: u64 = 2000;

/// What the store knows.
#[derive(Clone, Copy, Debug)]
struct Truth {
    at_ms: u64,
    epoch: u64,
    cursor: u64,
}

/// One visitor and what has been shown so far.
#[derive(Default)]
struct Visitor {
    ticket: Option<String>,
    /// Epoch and position.
    place: Option<(u64, u64)>,
    inside: bool,
    /// How many were ahead when the number was drawn.
    drawn: u64,
    /// How many were ahead when last seen, by data centre.
    shown: BTreeMap<usize, u64>,
    /// An answer is on its way until then.
    busy_until_ms: u64,
}

pub(super) struct World {
    weather: FaultProfile,
    store: Store,
    config: Config,
    centres: Vec<Cache>,
    visitors: Vec<Visitor>,
    now_ms: u64,
    ids: u64,
    past: Vec<Truth>,
    holders: BTreeMap<(u64, u64), usize>,
    admitted: BTreeSet<(u64, u64)>,
    /// The newest epoch whose beginning a data centre must have noticed.
    noticed: BTreeMap<usize, u64>,
}

impl World {
    pub(super) fn new(
        weather: FaultProfile,
        store: &Store,
        clocks: &[i64],
        automatic: u64,
    ) -> Self {
        store.command(&["FLUSHALL"]).unwrap();
        store.fail(Faults::none());
        let pace = Pace {
            automatic,
            quantity: 3,
        };
        let mut config = config();
        config.rooms.first.pace = pace;
        let clock = |off: &i64| Cache::new(START_MS.saturating_add_signed(*off));
        Self {
            weather,
            store: store.clone(),
            config,
            centres: clocks.iter().map(clock).collect(),
            visitors: Vec::new(),
            now_ms: START_MS,
            ids: 0,
            past: Vec::new(),
            holders: BTreeMap::new(),
            admitted: BTreeSet::new(),
            noticed: BTreeMap::new(),
        }
    }

    pub(super) fn play(&mut self, step: &Step) {
        let centre = step.centre % self.centres.len();
        self.centres[centre].is_from_now_on(step.whim);
        match step.event {
            Event::Arrive => {
                self.visitors.push(Visitor::default());
                self.visit(self.visitors.len() - 1, centre, step);
            }
            Event::Look(which) => {
                if let Some(index) = which.checked_rem(self.visitors.len()) {
                    self.visit(index, centre, step);
                }
            }
            Event::Permit(amount) => {
                self.ask(&Ask::permit(amount), centre, step.life);
            }
            Event::Pass(time_ms) => self.wait(time_ms),
            Event::RaiseEpoch => {
                harness::kept::end_all(&self.store, "queue:{main}").unwrap();
            }
            Event::Store(fault) => self
                .store
                .fail(fault.map_or(Faults::none(), Faults::always)),
            Event::LoseCopy => self.centres[centre].memory.lose_copy(),
            Event::LoseLast => self.centres[centre].memory.lose_last(),
        }
        self.past.push(self.truth());
    }

    fn wait(&mut self, time_ms: u64) {
        self.now_ms += time_ms;
        self.store.advance(Duration::from_millis(time_ms));
        for centre in &self.centres {
            centre.wait(time_ms);
        }
    }

    fn truth(&self) -> Truth {
        let stored = self.store.command(&["HGET", "queue:{main}", "epoch"]);
        let epoch = stored.unwrap().as_str().map(|text| text.parse().unwrap());
        let (cursor, _) = harness::kept::numbers(&self.store, "queue:{main}", "main").unwrap();
        Truth {
            at_ms: self.now_ms,
            epoch: epoch.unwrap_or(1),
            cursor,
        }
    }

    /// What everybody must have seen by now.
    fn known(&self) -> Truth {
        let late = match self.weather {
            FaultProfile::Fair | FaultProfile::Nodes | FaultProfile::OldNodes => 0,
            FaultProfile::Rough | FaultProfile::Foul => LATEST_MS,
        };
        let long_ago = |truth: &&Truth| truth.at_ms + SEEN_WITHIN_MS + late <= self.now_ms;
        let nothing = Truth {
            at_ms: START_MS,
            epoch: 1,
            cursor: 0,
        };
        *self.past.iter().rfind(long_ago).unwrap_or(&nothing)
    }

    /// The answer, and what was true when it was given.
    fn ask(&mut self, ask: &Ask, centre: usize, life: SandboxFate) -> (Got, Truth) {
        self.ids += 1;
        let id = format!("{:032x}", self.ids);
        let pop = &self.centres[centre];
        let (store, now_ms) = (Direct(self.store.clone()), pop.now_ms());
        if life == SandboxFate::Unanswered {
            pop.is_from_now_on(CacheFault::Forgetful);
        }
        let body = &mut ask.body.as_slice();
        let call = call(ask, id);
        let request = Request::new(&call, &self.config, &store, pop, Now::from_ms(now_ms));
        let outcome = service::handle(&request, body);
        let truth = self.truth();
        if life == SandboxFate::Whole {
            service::afterwards(outcome.after, &request);
        }
        (got(outcome.answer), truth)
    }

    fn visit(&mut self, index: usize, centre: usize, step: &Step) {
        if self.now_ms < self.visitors[index].busy_until_ms {
            return;
        }
        let mut ask = Ask::get("/").json();
        if let Some(ticket) = &self.visitors[index].ticket {
            ask = ask.with("cookie", format!("queue={ticket}"));
        }
        let held = self.visitors[index].place;
        let (mut got, mut truth) = self.ask(&ask, centre, step.life);
        if got.is_provisional() && step.life != SandboxFate::Unanswered {
            let ticket = got.ticket().unwrap();
            let ask = Ask::get("/")
                .json()
                .with("cookie", format!("queue={ticket}"));
            self.visitors[index].ticket = Some(ticket);
            (got, truth) = self.ask(&ask, centre, step.life);
        }
        if step.life == SandboxFate::Unanswered {
            return;
        }
        if let CacheFault::Late(late_ms) = step.whim {
            self.visitors[index].busy_until_ms = self.now_ms + late_ms;
        }
        if let Some(ticket) = got.ticket() {
            self.visitors[index].ticket = Some(ticket);
        }
        let claims = claims(self.visitors[index].ticket.as_ref().unwrap());
        let place = claims["born"].as_u64().zip(claims["pos"].as_u64());
        if let Some(place) = place {
            self.keeps(index, place);
        }
        if got.inside {
            self.may_be_inside(place.unwrap(), centre, truth);
        } else {
            let stays =
                self.visitors[index].inside && held.is_some_and(|(born, _)| born >= truth.epoch);
            assert!(!stays, "{held:?} was inside and is outside at {truth:?}");
            self.may_be_outside(index, centre, &got, truth);
        }
        self.visitors[index].inside = got.inside;
        if held.is_some() && held == self.visitors[index].place {
            self.notices(centre);
        }
    }

    /// A look finds a fresh copy or renews it; a draw does neither. While no visitor waits, a copy is fresh for longer.
    fn notices(&mut self, centre: usize) {
        let last = self.centres[centre].last().and_then(|last| last.board);
        let fresh_ms = match last {
            Some(board) if board.waiting() == 0 => FRESH_WITHOUT_A_LINE_MS,
            _ if self.weather == FaultProfile::Nodes => SEEN_WITHIN_MS,
            _ => FRESH_MS,
        };
        let was_before = |past: &&Truth| past.at_ms + fresh_ms <= self.now_ms;
        if let Some(past) = self.past.iter().rfind(was_before) {
            self.noticed.insert(centre, past.epoch);
        }
    }

    /// No number is held twice, and none changes but for a newer epoch.
    fn keeps(&mut self, index: usize, place: (u64, u64)) {
        let holder = *self.holders.entry(place).or_insert(index);
        assert_eq!(holder, index, "{place:?} is held by two visitors");
        let visitor = &mut self.visitors[index];
        if visitor.place == Some(place) {
            return;
        }
        let is_newer = visitor.place.is_none_or(|(epoch, _)| epoch < place.0);
        assert!(is_newer, "{:?} became {place:?}", visitor.place);
        *visitor = Visitor {
            ticket: visitor.ticket.take(),
            place: Some(place),
            drawn: u64::MAX,
            inside: visitor.inside,
            busy_until_ms: visitor.busy_until_ms,
            ..Visitor::default()
        };
    }

    /// The true cursor has reached every visitor inside, and they are out as soon as the data centre knows of a new epoch.
    fn may_be_inside(&mut self, place: (u64, u64), centre: usize, truth: Truth) {
        let (epoch, position) = place;
        assert!(position <= truth.cursor, "{place:?} is in at {truth:?}");
        self.admitted.insert(place);
        let of_epoch = self.admitted.range((epoch, 0)..=(epoch, u64::MAX)).count();
        assert!(of_epoch as u64 <= truth.cursor, "{of_epoch} at {truth:?}");
        let noticed = self.noticed.get(&centre).copied().unwrap_or(1);
        if matches!(self.weather, FaultProfile::Fair | FaultProfile::Nodes) {
            assert!(epoch >= noticed, "{place:?} is in, {noticed} was noticed");
        }
    }

    /// A waiting visitor sees a board that is true, no older than it may be, and that does not go back.
    fn may_be_outside(&mut self, index: usize, centre: usize, got: &Got, truth: Truth) {
        let (known, json) = (self.known(), got.json());
        let visitor = &mut self.visitors[index];
        let epoch = visitor.place.map_or(0, |(epoch, _)| epoch);
        let Some((ahead, cursor)) = json["ahead"].as_u64().zip(json["cursor"].as_u64()) else {
            let may_fail = matches!(self.weather, FaultProfile::Rough | FaultProfile::Foul);
            assert!(may_fail, "the sign is always seen");
            return;
        };
        let position = json["position"].as_u64().unwrap();
        assert_eq!(Some((epoch, position)), visitor.place);
        assert_eq!(ahead, position - cursor - 1);
        assert!(cursor <= truth.cursor, "{cursor} is shown at {truth:?}");
        if json["old"].is_null() {
            assert!(cursor >= known.cursor, "{cursor} is shown, {known:?}");
            assert!(epoch >= known.epoch, "{epoch} goes on, {known:?}");
        }
        if visitor.drawn == u64::MAX {
            visitor.drawn = ahead;
        }
        assert!(
            ahead <= visitor.drawn,
            "{ahead}, {} at the draw",
            visitor.drawn
        );
        let before = visitor.shown.insert(centre, ahead).unwrap_or(u64::MAX);
        if matches!(self.weather, FaultProfile::Fair | FaultProfile::Rough) {
            assert!(ahead <= before, "{ahead} are ahead after {before}");
        }
    }
}
