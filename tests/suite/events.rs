//! Events in random histories: draws, looks, losses, and schedules that are moved, cancelled and set anew, by configuration and live. The model, the
//! embedded store and a real Redis answer alike, step by step.

use now_serving::cache::LastSign;
use now_serving::operator::verbs::{
    Epoch, Intent, NewEvents, Permit, PublicValue, SetEvents, SetMode,
};
use now_serving::queue::{
    AbsentVisitors, Asker, Begun, Call, Cap, Changed, DrawSecrets, Event, EventList, HealthRule,
    Lane, LineAnswer, Mode, Model, NetworkBound, Now, Order, Outcome, Pace, Phase, RoomName,
    Schedule, Sign, TicketState, WaitingProof,
};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use upstash_local::Redis;

use crate::house::{Direct, admin};
use crate::traces::{Traces, asker, both, changed, embedded, runner};

const START_MS: u64 = 1_800_000_000_000;
const PACE: Pace = Pace {
    automatic: 5,
    quantity: 3,
};
const POPS: usize = 2;

/// One thing that happens in a POP.
#[derive(Clone, Debug)]
enum Step {
    Join(usize),
    Look(usize, usize),
    Pass(usize),
    Permit(u64),
    Mode(Mode),
    EndAll,
    /// An operator gives a public value.
    Lot(u8),
    Wait(u64),
    /// From now on the settings have these events, in one POP or in all of them.
    Schedule(Option<usize>, Vec<Event>),
    /// An operator sets these, or takes them back.
    Set(Option<Vec<Event>>),
    SellOut,
    /// The store loses all data.
    Lose,
}

fn step() -> impl Strategy<Value = Step> {
    let mode = prop::sample::select(&Mode::ALL[..]);
    prop_oneof![
        6 => (0..POPS).prop_map(Step::Join),
        6 => (0..POPS, any::<usize>()).prop_map(|(pop, which)| Step::Look(pop, which)),
        3 => (0..POPS).prop_map(Step::Pass),
        1 => (1_u64..9).prop_map(Step::Permit),
        1 => prop_oneof![4 => Just(Mode::Automatic), 1 => mode].prop_map(Step::Mode),
        1 => Just(Step::EndAll),
        2 => (0_u8..3).prop_map(Step::Lot),
        6 => prop_oneof![0_u64..20_000, 60_000_u64..200_000].prop_map(Step::Wait),
        1 => (prop::option::of(0..POPS), schedule())
            .prop_map(|(pop, events)| Step::Schedule(pop, events)),
        1 => prop::option::weighted(0.8, schedule()).prop_map(Step::Set),
        1 => Just(Step::SellOut),
        1 => Just(Step::Lose),
    ]
}

/// Up to two events within a quarter of an hour. An event that is moved keeps its name.
fn schedule() -> impl Strategy<Value = Vec<Event>> {
    let order = prop::sample::select(vec![
        Order::Arrival,
        Order::Drawn,
        Order::DrawnBy("a beacon".to_owned()),
    ]);
    let event = (0_u64..300_000, 0_u64..200_000, 1_u64..400_000, order);
    let closes = any::<bool>();
    (prop::collection::vec(event, 0..3), closes).prop_map(|(spans, closes)| {
        let (mut events, mut at_ms) = (Vec::new(), START_MS);
        let many = spans.len();
        for ((gap, prequeue, open, order), name) in spans.into_iter().zip(["one", "two"]) {
            let prequeue_ms = at_ms + gap;
            let opens_ms = prequeue_ms + prequeue;
            let is_last = events.len() + 1 == many;
            at_ms = opens_ms + open;
            events.push(Event {
                id: name.to_owned(),
                prequeue_ms,
                opens_ms,
                closes_ms: (closes || !is_last).then_some(at_ms),
                order,
            });
        }
        events
    })
}

/// The present secret of an event, and one that signs no more.
fn secrets(event: &str, opens_ms: u64) -> Vec<String> {
    let entries = ["a1", "b2"].map(|entry| entry.repeat(8 + event.len()));
    entries.map(|entry| format!("{entry}{opens_ms:x}")).to_vec()
}

struct Secrets;

impl DrawSecrets for Secrets {
    fn secrets(&self, _room: &str, (event, opens_ms): (&str, u64)) -> Vec<String> {
        secrets(event, opens_ms)
    }
}

/// A visitor's ticket.
#[derive(Clone)]
struct Held {
    id: String,
    place: WaitingProof,
    event: Option<Begun>,
}

impl Held {
    /// What is written on a ticket of this number.
    fn written(id: String, sign: &Sign, place: WaitingProof) -> Self {
        let place = sign.redrawn(place);
        let event = sign.begun.clone().filter(|_| place.came.is_some());
        Self { id, place, event }
    }
}

/// What a POP keeps.
#[derive(Clone, Default)]
struct Pop(Option<Sign>);

impl LastSign for Pop {
    fn last_sign(&self) -> Option<Sign> {
        self.0.clone()
    }
}

struct Play<'a> {
    stores: &'a [Direct],
    model: Model,
    /// The settings of each POP.
    events: Vec<Vec<Event>>,
    pops: Vec<Pop>,
    visitors: Vec<Held>,
    now_ms: u64,
    ids: u64,
    /// Whether data were lost: then copies and tickets move the line as well.
    has_lost: bool,
}

impl Play<'_> {
    fn schedule(&self, pop: usize) -> Schedule<'_> {
        Schedule {
            events: &self.events[pop],
            secrets: &Secrets,
        }
    }

    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        pop: usize,
        model: impl Fn(&mut Model, Call<'_>) -> T,
        verb: impl Fn(&Line<'_>) -> T,
        sign: impl Fn(&T) -> Option<&Sign>,
    ) -> T {
        let (known, before) = (self.pops[pop].clone(), self.model.sign().clone());
        let granted = self.model.granted();
        self.model = self.model.clone().with_events(self.events[pop].clone());
        let call = Call {
            now_ms: self.now_ms,
            known: known.0.as_ref(),
            brought: &[],
        };
        let answer = model(&mut self.model, call);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: PACE,
                absent_visitors: AbsentVisitors::Off,
                cap: Cap::default(),
                schedule: self.schedule(pop),
                health: (HealthRule::OFF, 0),
                network: String::new(),
                bound: NetworkBound::default(),
                invitation: None,
                lane: Lane::Main,
                front_share: 0,
                regions: None,
                lifetime: 172_800,
                now: Now::from_ms(self.now_ms),
                clock: Clock::Given,
                pop: String::new(),
                known: &known,
            };
            assert_eq!(verb(&line), answer);
        }
        if let Some(sign) = sign(&answer) {
            self.pops[pop] = Pop(Some(sign.clone()));
            self.check(pop, &before, granted);
        }
        answer
    }

    /// What one verb may do in a phase.
    fn check(&self, pop: usize, before: &Sign, granted: u64) {
        let sign = self.model.sign();
        let Some(event) = Event::of(sign.live.events(&self.events[pop]), self.now_ms) else {
            return;
        };
        let shown = sign.event.as_ref().map(|shown| shown.phase);
        let phase = shown.unwrap_or_else(|| event.phase(self.now_ms));
        if sign.live.mode == Mode::Open || before.live.mode == Mode::Open {
            return;
        }
        if phase != Phase::Open {
            assert_eq!(
                self.model.granted(),
                granted,
                "no period is opened {phase:?}"
            );
        }
        if self.has_lost || sign.epoch != before.epoch {
            return;
        }
        if phase != Phase::Open {
            assert_eq!(sign.cursor, before.cursor, "no visitor goes in {phase:?}");
        }
        if matches!(phase, Phase::Before | Phase::Over) {
            assert_eq!(sign.length, before.length, "no number is drawn {phase:?}");
        }
        if let (Some(begun), Some(was)) = (&sign.begun, &before.begun)
            && begun.id == was.id
        {
            let end = |begun: &Begun| begun.drawn.map(|drawn| begun.base + drawn);
            assert!(
                was.drawn.is_none() || begun.drawn == Some(0) || end(begun) == end(was),
                "it is known once which number is the last one"
            );
            if was.lot.is_none() && begun.lot.is_some() {
                assert!(begun.base >= before.cursor.0, "the lot calls no number");
            }
            assert!(
                was.lot.is_none() || begun.lot == was.lot,
                "the order is decided once"
            );
            assert_eq!(begun.order, was.order, "it stays as it was announced");
            assert!(
                was.commitment.is_none() || begun.commitment == was.commitment,
                "and committed to once"
            );
        }
        if phase == Phase::Prequeue
            && sign
                .begun
                .as_ref()
                .is_some_and(|begun| begun.id == event.id)
        {
            assert_eq!(
                sign.mode(),
                if sign.live.mode == Mode::Closed {
                    Mode::Closed
                } else {
                    Mode::Hold
                }
            );
        }
    }

    fn step(&mut self, step: &Step) {
        let now_ms = self.now_ms;
        match step {
            Step::Join(pop) => self.join(*pop),
            Step::Look(pop, which) => self.look(*pop, *which),
            Step::Pass(pop) => {
                self.everywhere(
                    *pop,
                    Model::pass,
                    |line| line.release_due(&[]).unwrap(),
                    |sign| Some(sign),
                );
            }
            Step::Permit(amount) => {
                let (amount, credit_max) = (*amount, 5);
                self.change(&Permit { amount, credit_max }, |model, call| {
                    model.permit(amount, credit_max, call)
                });
            }
            Step::Mode(mode) => {
                self.change(&SetMode(*mode), |model, call| model.set_mode(*mode, call));
            }
            Step::EndAll => {
                self.now_ms = now_ms + 1_000;
                self.change(&Epoch, Model::end_all);
            }
            Step::Lot(value) => {
                let value = format!("value {value}");
                let begun = self.model.sign().begun.as_ref();
                let reveal = begun.and_then(|begun| self.schedule(0).reveal("main", begun));
                let intent = PublicValue {
                    value: value.clone(),
                    reveals: reveal.clone().into_iter().collect(),
                };
                self.change(&intent, |model, call| {
                    model.set_lot(&value, reveal.as_ref(), call)
                });
            }
            Step::Wait(time) => self.now_ms += time,
            Step::Schedule(pop, events) => {
                for at in pop.map_or(0..POPS, |pop| pop..pop + 1) {
                    self.events[at].clone_from(events);
                }
            }
            Step::Set(events) => {
                let events = events.clone().map(EventList);
                let listed = events.as_ref().map_or(&self.events[0], |list| &list.0);
                let event = Event::of(listed, now_ms);
                let committed = event.and_then(|event| {
                    let opens = (event.id.as_str(), event.opens_ms);
                    self.schedule(0).committed("main", opens, &event.order)
                });
                let intent = SetEvents::To(NewEvents {
                    events: events.clone(),
                    surprise: None,
                    commitment: committed,
                });
                self.change(&intent, |model, call| {
                    model.set_events(events.clone(), call)
                });
            }
            Step::SellOut => self.change(&SetEvents::SoldOut, Model::sell_out),
            Step::Lose => {
                self.has_lost = true;
                for store in self.stores {
                    store.0.command(&["FLUSHALL"]).unwrap();
                }
                self.model = Model::new(PACE)
                    .with_absent_visitors(AbsentVisitors::Off)
                    .with_secrets(secrets);
            }
        }
    }

    fn join(&mut self, pop: usize) {
        self.ids += 1;
        let id = format!("visitor-{}", self.ids);
        let answer = self.everywhere(
            pop,
            |model, call| model.join(asker(&id), call),
            |line| line.join(&id).unwrap(),
            |answer| Some(&answer.sign),
        );
        self.keep(id, &answer);
    }

    fn keep(&mut self, id: String, LineAnswer { sign, position, .. }: &LineAnswer) {
        assert_eq!(position.is_none(), sign.mode() == Mode::Closed);
        let held = position.map(|position| Held::written(id, sign, sign.place(position)));
        self.visitors.extend(held);
    }

    fn look(&mut self, pop: usize, which: usize) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let Held { id, place, event } = self.visitors[index].clone();
        // A POP that knows the order brings the number that it gave.
        let known = self.pops[pop].0.clone();
        let place = known.map_or(place, |sign| sign.redrawn(place));
        let asker = Asker {
            event: event.as_ref(),
            ..asker(&id)
        };
        let answer = self.everywhere(
            pop,
            |model, call| model.look(asker, place, call),
            |line| {
                line.look(&id, (place, event.as_ref()), MayDraw::Yes, &[])
                    .unwrap()
            },
            |answer| Some(&answer.sign),
        );
        let state = TicketState::of(place, &answer.sign);
        if matches!(state, TicketState::Ended | TicketState::Ahead) {
            self.visitors.swap_remove(index);
            if let Some(position) = answer.position {
                self.visitors
                    .push(Held::written(id, &answer.sign, answer.sign.place(position)));
            }
        } else if matches!(state, TicketState::Placed(_)) {
            self.visitors[index] = Held::written(id, &answer.sign, place);
            self.no_number_is_held_twice(&answer.sign);
        }
    }

    /// Of the visitors whose tickets say all that is known.
    fn no_number_is_held_twice(&self, sign: &Sign) {
        if self.has_lost {
            return;
        }
        let numbers =
            self.visitors
                .iter()
                .filter_map(|held| match TicketState::of(held.place, sign) {
                    TicketState::Placed(position) => Some(position.0),
                    _ => None,
                });
        let mut numbers: Vec<u64> = numbers.collect();
        let many = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), many, "a number is held twice");
    }

    fn change(&mut self, intent: &dyn Intent, on_model: impl Fn(&mut Model, Call<'_>) -> Outcome) {
        self.everywhere(
            0,
            |model, call| changed(on_model(model, call)),
            |line| line.change(intent.change(), &admin()).unwrap(),
            |changed| match changed {
                Changed::Done(sign, _) => Some(sign),
                // No POP keeps the sign of a refusal.
                Changed::NotAdmitting(_) => None,
                other => panic!("{other:?}"),
            },
        );
    }
}

fn hold_over(stores: &[Direct], traces: Traces) {
    let mut runner = runner(traces);
    let histories = (schedule(), prop::collection::vec(step(), 1..60));
    let outcome = runner.run(&histories, |(events, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play {
            stores,
            model: Model::new(PACE)
                .with_absent_visitors(AbsentVisitors::Off)
                .with_secrets(secrets),
            events: vec![events; POPS],
            pops: vec![Pop::default(); POPS],
            visitors: Vec::new(),
            now_ms: START_MS,
            ids: 0,
            has_lost: false,
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
    fn events_keep_their_phases_in_a_few_histories() {
        hold_over(&[embedded()], Traces::Known(60));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn events_keep_their_phases() {
        hold_over(&[embedded()], Traces::Known(400));
    }
}

mod long {
    use super::*;

    #[test]
    fn events_keep_their_phases_in_new_histories() {
        hold_over(&[embedded()], Traces::New(800));
    }
}

mod redis {
    use super::*;

    #[test]
    fn the_model_the_embedded_store_and_redis_begin_events_alike() {
        let redis = Redis::start().unwrap();
        let stores = both(&redis);
        hold_over(&stores, Traces::Known(200));
    }
}
