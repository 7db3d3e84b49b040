//! What holds whatever happens: random arrivals, looks, permits, lost answers and clocks that disagree by a minute,
//! run on a plain model, the embedded store and a real Redis. All three answer alike, step by step.

use std::collections::BTreeSet;

use now_serving::cache::NoSign;
use now_serving::cache::outbox::{Batch, Tally};
use now_serving::operator::verbs::{
    Credit, End, Intent, Message, Permit, Report, SetCap, SetMode, SetOverrule, SetPace,
};
use now_serving::queue::health::Health;
use now_serving::queue::{AbsentVisitors, Now, RoomName, Schedule, Sign, WaitingProof};
use now_serving::queue::{AdaptivePace, Answered, Answers, HealthRule, OriginHealth, Overrule};
use now_serving::queue::{Asker, Brought, Call, LineAnswer, Model, Outcome};
use now_serving::queue::{Cap, Claim, EndedSession, Enforcement, Renewal};
use now_serving::queue::{Lane, LineStatus, NetworkBound, Window};
use now_serving::queue::{Mode, Pace, Reason, Verdict, decide};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use upstash_local::Redis;

use crate::house::{Direct, admin, scattered};
use crate::traces::{Traces, both, changed, embedded, runner};

const START_MS: u64 = 1_800_000_000_000;
const CREDIT_MAX: u64 = 7;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Event {
    /// A new visitor draws.
    Join,
    /// A visitor repeats the draw, having lost the answer.
    Repeat(usize),
    /// A visitor looks at the sign.
    Look(usize),
    /// A visitor throws the ticket away and comes as a new one.
    Forget(usize),
    /// An operator or the origin.
    Permit(u64),
    /// An operator sets the mode.
    Mode(Mode),
    /// An operator sets the pace, or takes it back.
    Pace(Option<Pace>),
    Message(Option<&'static str>),
    ClearCredit,
    /// An operator sets the cap, or takes it back.
    Cap(Option<Cap>),
    /// A POP renews the sign, and brings this many first admissions and these answers of the origin under this number.
    Bring(u64, Answers, u64),
    /// The origin says how it answered, and of its load.
    Report(Answers, Option<u64>),
    /// An operator lets visitors in though the origin is sick, or no longer.
    Overrule(Overrule),
    /// A visitor inside visits, and a POP brings the renewed session under this number.
    Renew(usize, u64),
    /// The origin ends a visitor's session, with or without knowing its last minute.
    End(usize, bool),
    /// The metrics are asked for, and bring the same.
    Scrape(u64, Answers, u64),
    /// This many milliseconds go by.
    Pass(u64),
}

/// Something that happens in a data centre whose clock is off by this many milliseconds.
#[derive(Clone, Debug)]
struct Step {
    event: Event,
    skew_ms: i64,
}

fn step() -> impl Strategy<Value = Step> {
    let event = prop_oneof![
        4 => Just(Event::Join),
        1 => any::<usize>().prop_map(Event::Repeat),
        5 => any::<usize>().prop_map(Event::Look),
        1 => any::<usize>().prop_map(Event::Forget),
        1 => (1_u64..12).prop_map(Event::Permit),
        2 => (0_u64..40_000).prop_map(Event::Pass),
        1 => prop_oneof![
            3 => Just(Mode::Automatic),
            1 => prop::sample::select(&Mode::ALL[..]),
        ].prop_map(Event::Mode),
        1 => prop::option::of(pace()).prop_map(Event::Pace),
        1 => live_cap().prop_map(Event::Cap),
        1 => prop::option::of(prop::sample::select(vec!["", "soon", "later"])).prop_map(Event::Message),
        1 => Just(Event::ClearCredit),
        5 => (0_u64..9, answers(), 1_u64..400).prop_map(|(admitted, watched, number)| Event::Bring(admitted, watched, number)),
        1 => (answers(), prop::option::of(0_u64..1200)).prop_map(|(answers, load)| Event::Report(answers, load)),
        1 => prop::sample::select(vec![Overrule::On, Overrule::Off, Overrule::Off]).prop_map(Event::Overrule),
        2 => (any::<usize>(), 1_u64..400).prop_map(|(which, number)| Event::Renew(which, number)),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(which, knows)| Event::End(which, knows)),
        1 => (0_u64..9, answers(), 1_u64..40).prop_map(|(admitted, watched, number)| Event::Scrape(admitted, watched, number)),
    ];
    (event, -60_000_i64..=60_000).prop_map(|(event, skew_ms)| Step { event, skew_ms })
}

fn answers() -> impl Strategy<Value = Answers> {
    let late = prop_oneof![3 => Just(0), 1 => 0_u64..9, 1 => 10_u64..60];
    let bad = prop_oneof![6 => Just(0), 1 => 0_u64..9];
    (0_u64..60, late, bad).prop_map(|(ok, late, bad)| Answers { ok, late, bad })
}

/// For how many seconds a marker stands.
const LIFE_S: u64 = 47;

fn health() -> impl Strategy<Value = HealthRule> {
    let setting = prop::sample::select(vec![
        OriginHealth::Off,
        OriginHealth::Observe,
        OriginHealth::On,
        OriginHealth::On,
    ]);
    let adaptive = AdaptivePace::ALL.map(|(_, adaptive)| adaptive);
    let adaptive = prop::sample::select(adaptive.to_vec());
    let rule = (
        setting,
        1_u64..30,
        prop::sample::select(vec![1_u64, 10, 30, 60]),
    );
    let window = (adaptive, 1_u64..3, 0_u64..20);
    (rule, window).prop_map(
        |((setting, sick_min, sick_share), (adaptive, window_min, window_max))| HealthRule {
            adaptive,
            window_min,
            window_max,
            setting,
            sick_min,
            sick_share,
            ..HealthRule::default()
        },
    )
}

fn pace() -> impl Strategy<Value = Pace> {
    (
        prop_oneof![Just(0_u64), Just(5), Just(15), Just(60)],
        1_u64..6,
    )
        .prop_map(|(automatic, quantity)| Pace {
            automatic,
            quantity,
        })
}

/// A visitor of the trace: the id of the draw, and the place once it is known.
struct Waiting {
    id: String,
    place: WaitingProof,
    shown: u64,
    /// The last minute of the session, once there is one.
    session: Option<u64>,
}

/// From which network a visitor asks this time: the second one is used by nobody else.
const NETWORKS: [&str; 3] = ["", "near", "far"];

fn asker(id: &str, now_ms: u64) -> Asker<'_> {
    let networks = NETWORKS.iter().cycle();
    let which = usize::try_from(now_ms % 3).unwrap_or(0);
    let network = networks.clone().nth(which).copied().unwrap_or_default();
    Asker {
        id,
        network,
        event: None,
        bound: NetworkBound::default(),
        invitation: None,
        lane: Lane::Main,
    }
}

/// Plays one trace and checks every invariant after every step.
struct Play<'a> {
    stores: &'a [Direct],
    pace: Pace,
    absent: AbsentVisitors,
    cap: Option<Cap>,
    health: HealthRule,
    model: Model,
    visitors: Vec<Waiting>,
    now_ms: u64,
    ids: u64,
    granted: u64,
    positions: BTreeSet<u64>,
    /// How many sessions moved from a minute where the store knew none: as if the move before it had been lost. What it then owes is
    /// forgiven some minutes later.
    owed: u64,
}

impl Play<'_> {
    /// The same verb everywhere: same answers.
    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        now_ms: u64,
        model: impl Fn(&mut Model) -> T,
        verb: impl Fn(&Line<'_>) -> T,
    ) -> T {
        let expected = model(&mut self.model);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: self.pace,
                absent_visitors: self.absent,
                cap: self.cap.unwrap_or_default(),
                schedule: Schedule::NONE,
                health: (self.health, LIFE_S),
                network: asker("", now_ms).network.to_owned(),
                bound: NetworkBound::default(),
                invitation: None,
                lane: Lane::Main,
                front_share: 0,
                regions: None,
                lifetime: 172_800,
                pop: String::new(),
                now: Now::from_ms(now_ms),
                clock: Clock::Given,
                known: &NoSign,
            };
            assert_eq!(verb(&line), expected);
        }
        expected
    }

    fn step(&mut self, step: &Step) {
        let before = self.model.sign().cursor;
        let taken = self.taken();
        let now_ms = self.now_ms.saturating_add_signed(step.skew_ms);
        match &step.event {
            Event::Pass(time) => self.now_ms += time,
            Event::Permit(amount) => {
                self.granted += amount;
                let (amount, credit_max) = (*amount, CREDIT_MAX);
                self.change(now_ms, &Permit { amount, credit_max }, |model, call| {
                    model.permit(amount, credit_max, call)
                });
            }
            Event::Mode(mode) => self.change(now_ms, &SetMode(*mode), |model, call| {
                model.set_mode(*mode, call)
            }),
            Event::Pace(pace) => self.change(now_ms, &set_pace(*pace), |model, call| {
                model.set_pace(*pace, call)
            }),
            Event::Cap(cap) => self.change(now_ms, &SetCap(*cap), |model, call| {
                model.set_cap(*cap, call)
            }),
            Event::Message(text) => {
                let message = Message(text.map(str::to_owned));
                self.change(now_ms, &message, |model, call| {
                    model.set_message(*text, call)
                });
            }
            Event::ClearCredit => self.change(now_ms, &Credit, Model::clear_credit),
            Event::Overrule(overrule) => {
                self.change(now_ms, &SetOverrule(*overrule), |model, call| {
                    model.overrule(*overrule, call)
                });
            }
            Event::Report(answers, load) => {
                let report = Report {
                    answers: *answers,
                    load: *load,
                };
                self.change(now_ms, &report, |model, call| {
                    model.report(*answers, *load, call)
                });
            }
            Event::Bring(admitted, watched, number) => {
                let (batch, brought) =
                    batch(*admitted, (*watched, self.cuts(*number)), (*number, now_ms));
                let call = Call {
                    brought: &[brought],
                    ..at(now_ms)
                };
                self.everywhere(
                    now_ms,
                    |model| model.pass(call),
                    |line| line.release_due(std::slice::from_ref(&batch)).unwrap(),
                );
            }
            Event::Scrape(admitted, watched, number) => {
                let (batch, brought) =
                    batch(*admitted, (*watched, self.cuts(*number)), (*number, now_ms));
                self.everywhere(
                    now_ms,
                    |model| {
                        model.scrape(&[brought], now_ms);
                        model.absent(now_ms)
                    },
                    |line| line.figures(std::slice::from_ref(&batch)).unwrap().absent,
                );
            }
            Event::Renew(which, number) => self.renew(*which, *number, now_ms),
            Event::End(which, knows) => self.end(*which, *knows, now_ms),
            Event::Join => self.join(now_ms),
            Event::Repeat(which) => self.repeat(*which, now_ms),
            Event::Look(which) => self.look(*which, now_ms),
            Event::Forget(which) => {
                if let Some(index) = which.checked_rem(self.visitors.len()) {
                    self.visitors.swap_remove(index);
                    self.join(now_ms);
                }
            }
        }
        self.explain(now_ms);
        let may_add = matches!(step.event, Event::Renew(..) | Event::Cap(_))
            || self.model.sign().live.mode == Mode::Open;
        let sessions = self.model.sign().sessions.as_ref();
        if let Some(cap) = sessions.filter(|cap| cap.enforcement == Enforcement::On)
            && !may_add
        {
            let now = self.taken();
            assert!(
                now <= cap.total_active.max(taken) + self.owed,
                "{now} of {cap:?}, {taken} before"
            );
        }
        let sign = self.model.sign();
        assert!(sign.cursor >= before, "the cursor never falls");
        assert!(sign.cursor.0 <= sign.length, "and never passes the length");
        assert!(
            sign.cursor.0 <= self.model.granted() + self.granted,
            "never more than the budgets, what was granted and who found the room open"
        );
    }

    fn change(
        &mut self,
        now_ms: u64,
        intent: &dyn Intent,
        on_model: impl Fn(&mut Model, Call<'static>) -> Outcome,
    ) {
        self.everywhere(
            now_ms,
            |model| changed(on_model(model, at(now_ms))),
            |line| line.change(intent.change(), &admin()).unwrap(),
        );
    }

    fn join(&mut self, now_ms: u64) {
        self.ids += 1;
        let id = format!("visitor-{}", self.ids);
        let LineAnswer {
            sign,
            position,
            claim,
            ..
        } = self.everywhere(
            now_ms,
            |model| model.join(asker(&id, now_ms), at(now_ms)),
            |line| line.join(&id).unwrap(),
        );
        let is_closed = sign.live.mode == Mode::Closed;
        assert_eq!(
            position.is_none(),
            is_closed,
            "a closed room gives no number"
        );
        let Some(position) = position else {
            return;
        };
        assert!(
            self.positions.insert(position.0),
            "position {} twice",
            position.0
        );
        let place = WaitingProof {
            born: sign.birth.born,
            epoch: sign.epoch,
            position,
            cursor_at_draw: sign.cursor,
            came: None,
        };
        self.visitors.push(Waiting {
            id,
            place,
            shown: u64::MAX,
            session: session(claim),
        });
        self.show(self.visitors.len() - 1, &sign);
    }

    fn repeat(&mut self, which: usize, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let id = self.visitors[index].id.clone();
        let LineAnswer {
            sign,
            position,
            claim,
            ..
        } = self.everywhere(
            now_ms,
            |model| model.join(asker(&id, now_ms), at(now_ms)),
            |line| line.join(&id).unwrap(),
        );
        if self.visitors[index].session.is_some() {
            // Once the session is over, or from elsewhere, the name is good for another number.
            self.visitors.remove(index);
            self.positions.extend(position.map(|position| position.0));
            return;
        }
        self.visitors[index].session = session(claim);
        assert_eq!(
            position,
            Some(self.visitors[index].place.position),
            "a repeated draw gets the same number"
        );
        self.show(index, &sign);
    }

    fn look(&mut self, which: usize, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let (id, place) = (self.visitors[index].id.clone(), self.visitors[index].place);
        let LineAnswer {
            sign,
            position,
            claim,
            ..
        } = self.everywhere(
            now_ms,
            |model| model.look(asker(&id, now_ms), place, at(now_ms)),
            |line| line.look(&id, (place, None), MayDraw::Yes, &[]).unwrap(),
        );
        let visitor = &mut self.visitors[index];
        if claim == Some(Claim::Used) {
            assert!(visitor.session.is_some(), "only what was claimed is used");
            self.visitors.remove(index);
            return;
        }
        visitor.session = session(claim).or(visitor.session);
        assert_eq!(position, Some(place.position));
        self.show(index, &sign);
    }

    /// A POP has made a session longer, and tells the store; the number may be that of a batch that was told before.
    fn renew(&mut self, which: usize, number: u64, now_ms: u64) {
        let cap = self.model.sign().sessions.as_ref();
        let (Some(index), Some(cap)) = (which.checked_rem(self.visitors.len()), cap) else {
            return;
        };
        let (from, to) = (self.visitors[index].session, now_ms / 60_000 + cap.minutes);
        let renewal = Renewal {
            from: from.unwrap_or(0),
            to,
        };
        self.note_owed(from);
        if from.is_some_and(|from| from < to) {
            self.visitors[index].session = Some(to);
        }
        let (mut batch, brought) = batch(0, (Answers::default(), 0), (number, now_ms));
        batch.tally.renewed(renewal);
        let call = Call {
            brought: &[Brought {
                renewed: &[(renewal, 1)],
                ..brought
            }],
            ..at(now_ms)
        };
        self.everywhere(
            now_ms,
            |model| model.pass(call),
            |line| line.release_due(std::slice::from_ref(&batch)).unwrap(),
        );
    }

    /// The visitor may go on with a copy of the ticket, so the session may be renewed once more, too.
    fn end(&mut self, which: usize, knows: bool, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let visitor = &self.visitors[index];
        let last = visitor.session.filter(|_| knows);
        self.note_owed(last);
        let visitor = &self.visitors[index];
        // The ids of these visitors begin alike, and a mark has hexadecimal digits.
        let number: u64 = visitor.id.trim_start_matches("visitor-").parse().unwrap();
        let mark: String = format!("{:032x}", scattered(number))
            .chars()
            .rev()
            .take(12)
            .collect();
        let sessions = [EndedSession {
            mark,
            last: last.unwrap_or(0),
        }];
        let end = End {
            sessions: sessions.to_vec(),
            reference: None,
        };
        self.change(now_ms, &end, |model, call| model.end(&sessions, call));
    }

    fn note_owed(&mut self, from: Option<u64>) {
        let sessions = self.model.sign().sessions.as_ref();
        let mut cells = sessions.into_iter().flat_map(|sessions| &sessions.cells);
        let is_known = cells.any(|cell| Some(cell.end) == from);
        self.owed += u64::from(from.is_some() && !is_known);
    }

    /// Mostly of visitors who count for the window.
    fn cuts(&self, number: u64) -> u64 {
        let cuts = self.model.sign().origin.map_or(0, |origin| origin.cuts);
        cuts.saturating_sub(u64::from(number.is_multiple_of(4)))
    }

    /// Every store says the same of releases.
    fn explain(&mut self, now_ms: u64) {
        if self.model.has_begun() {
            self.everywhere(
                now_ms,
                |model| {
                    let (window, past) = model.window(now_ms);
                    let origin = (shown(model.health()), seen(window), past);
                    (model.explained(now_ms), origin)
                },
                |line| {
                    let LineStatus { limits, origin, .. } = line.status().unwrap();
                    let health = shown(origin.health);
                    (limits, (health, seen(origin.window), origin.past))
                },
            );
        }
    }

    /// How many slots are taken, by sessions and by promises.
    fn taken(&self) -> u64 {
        let sessions = self.model.sign().sessions.as_ref();
        sessions.map_or(0, |sessions| sessions.inside() + sessions.promised)
    }

    /// No visitor overtakes: the sign that admits a visitor admits every visitor ahead of them.
    fn show(&mut self, index: usize, sign: &Sign) {
        let position = self.visitors[index].place.position;
        match decide(position, sign.cursor) {
            Verdict::Wait { ahead } => {
                assert!(
                    ahead <= self.visitors[index].shown,
                    "what is shown to one visitor never grows"
                );
                self.visitors[index].shown = ahead;
            }
            Verdict::Admit => {
                let earlier = self
                    .visitors
                    .iter()
                    .filter(|other| other.place.position < position);
                assert!(
                    earlier
                        .map(|other| decide(other.place.position, sign.cursor))
                        .all(|verdict| verdict == Verdict::Admit)
                );
                self.visitors[index].shown = 0;
            }
        }
    }
}

fn at(now_ms: u64) -> Call<'static> {
    Call {
        now_ms,
        known: None,
        brought: &[],
    }
}

fn shown(health: Health) -> (Answers, u64, u64) {
    (
        health.recent,
        health.sick_until_ms,
        health.overruled_until_ms,
    )
}

/// What the status shows of it.
fn seen(window: Window) -> Window {
    Window {
        changed: 0,
        counts_from: 0,
        cuts: 0,
        ..window
    }
}

/// A batch of the only till, and what the model reads of it.
fn batch(
    admitted: u64,
    (watched, cuts): (Answers, u64),
    (number, now_ms): (u64, u64),
) -> (Batch, Brought<'static>) {
    let till = "till-1";
    let mut tally = Tally::default();
    for _ in 0..admitted {
        tally.decided(Reason::Admitted);
    }
    tally.decided(Reason::Waiting);
    for (answered, many) in [
        (Answered::Ok, watched.ok),
        (Answered::Late, watched.late),
        (Answered::Bad, watched.bad),
    ] {
        for _ in 0..many {
            tally.watched(cuts, answered, Now::from_ms(now_ms));
        }
    }
    let batch = Batch {
        place: 0,
        till: till.to_owned(),
        number,
        tally,
    };
    let brought = Brought {
        till,
        number,
        admitted,
        renewed: &[],
        watched,
        cuts,
    };
    (batch, brought)
}

/// The session that a claim gave.
fn session(claim: Option<Claim>) -> Option<u64> {
    match claim {
        Some(Claim::Session(end)) => Some(end),
        _ => None,
    }
}

/// What an operator sets: mostly a cap, sometimes none, sometimes what is configured.
fn live_cap() -> impl Strategy<Value = Option<Cap>> {
    let none = Cap {
        total_active: 0,
        ..Cap::default()
    };
    prop_oneof![2 => cap(), 1 => Just(Some(none))]
}

fn cap() -> impl Strategy<Value = Option<Cap>> {
    let enforcement =
        prop::sample::select(vec![Enforcement::On, Enforcement::On, Enforcement::Observe]);
    let cap = (1_u64..6, 2_u64..4, 10_u64..90, enforcement).prop_map(
        |(total_active, session_minutes, claim_seconds, enforcement)| Cap {
            total_active,
            session_minutes,
            claim_seconds,
            enforcement,
        },
    );
    prop::option::weighted(0.6, cap)
}

fn hold_over(stores: &[Direct], traces: Traces) {
    let mut runner = runner(traces);
    let setting = prop::sample::select(AbsentVisitors::ALL.map(|(_, setting)| setting).to_vec());
    let traces = (
        pace(),
        setting,
        cap(),
        health(),
        prop::collection::vec(step(), 1..80),
    );
    let outcome = runner.run(&traces, |(pace, absent, cap, health, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play {
            stores,
            pace,
            absent,
            cap,
            health,
            model: Model::new(pace)
                .with_absent_visitors(absent)
                .with_cap(cap)
                .with_health(health, LIFE_S),
            visitors: Vec::new(),
            now_ms: START_MS,
            ids: 0,
            granted: 0,
            positions: BTreeSet::new(),
            owed: 0,
        };
        for step in &steps {
            play.step(step);
        }
        Ok(())
    });
    outcome.unwrap();
}

mod native {
    use super::*;

    #[test]
    fn the_line_keeps_its_invariants_in_a_few_traces() {
        let embedded = embedded();
        hold_over(&[embedded], Traces::Known(20));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn the_line_keeps_its_invariants() {
        let embedded = embedded();
        hold_over(&[embedded], Traces::Known(200));
    }
}

mod long {
    use super::*;

    #[test]
    fn the_line_keeps_its_invariants_in_new_traces() {
        hold_over(&[embedded()], Traces::New(400));
    }
}

mod redis {
    use super::*;

    #[test]
    fn the_model_the_embedded_store_and_redis_answer_alike() {
        let redis = Redis::start().unwrap();
        let stores = both(&redis);
        hold_over(&stores, Traces::Known(200));
    }
}

fn set_pace(pace: Option<Pace>) -> SetPace {
    let last = Pace::default();
    SetPace { pace, last }
}
