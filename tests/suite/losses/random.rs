//! Random arrivals, polls and losses in several POPs, run on the model, the embedded store and a real Redis. All three
//! answer alike, step by step.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::cache::LastSign;
use now_serving::cache::outbox::{Batch, Tally};
use now_serving::operator::verbs::{Credit, Epoch, Intent, Message, Permit, SetMode, SetPace};
use now_serving::queue::{AbsentVisitors, Changed, Now, RoomName, Schedule, Sign, WaitingProof};
use now_serving::queue::{Answers, Cap, HealthRule, Lane, NetworkBound};
use now_serving::queue::{Brought, Call, LineAnswer, Model, Outcome, TicketState};
use now_serving::queue::{Mode, Pace, Position, Reason};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use upstash_local::Redis;

use crate::house::{Direct, admin};
use crate::traces::{Traces, asker, changed, config, embedded, on};

const START_MS: u64 = 1_800_000_000_000;
const CREDIT_MAX: u64 = 7;
const POPS: usize = 3;
const LINE: &str = "queue:{main}";
/// A copy of the sign serves for so long.
const COPY_MS: u64 = 2_000;
/// Every POP that knows a sign polls within this time after a loss.
const POLLED_MS: u64 = 100_000;

/// The losses in one trace with [`Care::Kept`]: the store remembers no more numbers that moved.
const LOSSES: usize = 6;

/// One thing that happens.
#[derive(Clone, Debug)]
enum Event {
    /// A new visitor draws.
    Join,
    /// The answer to a draw was lost, and the visitor repeats it.
    Repeat(usize),
    /// A visitor polls.
    Poll(usize),
    /// A second client polls with an earlier copy of a visitor's cookie.
    Replay(usize),
    /// The POP reads the sign.
    Pass,
    /// The same, and it brings first admissions.
    Bring(u64),
    /// A program reads the status.
    Status,
    Permit(u64),
    Mode(Mode),
    Pace(Option<Pace>),
    Message(Option<&'static str>),
    ClearCredit,
    EndAll,
    /// The POP's cache drops its sign.
    Forget,
    /// A backup is made.
    Backup,
    Lose(Loss),
    /// This many milliseconds go by.
    Wait(u64),
}

/// How data are lost.
#[derive(Clone, Copy, Debug)]
enum Loss {
    /// `FLUSHALL`, or a new database.
    Everything,
    /// The line's key is deleted, or it expires.
    Line,
    /// A backup of the line is restored.
    Restored(usize),
    /// A failover to an empty store, whose clock is this many milliseconds behind.
    ClockBack(u64),
}

/// Something that happens in one POP.
#[derive(Clone, Debug)]
struct Step {
    event: Event,
    pop: usize,
}

fn step() -> impl Strategy<Value = Step> {
    let event = prop_oneof![
        8 => Just(Event::Join),
        1 => any::<usize>().prop_map(Event::Repeat),
        8 => any::<usize>().prop_map(Event::Poll),
        2 => any::<usize>().prop_map(Event::Replay),
        1 => Just(Event::Pass),
        2 => (0_u64..9).prop_map(Event::Bring),
        1 => Just(Event::Status),
        1 => (1_u64..12).prop_map(Event::Permit),
        1 => prop_oneof![
            3 => Just(Mode::Automatic),
            1 => prop::sample::select(&Mode::ALL[..]),
        ].prop_map(Event::Mode),
        1 => prop::option::of(pace()).prop_map(Event::Pace),
        1 => prop::option::of(prop::sample::select(vec!["", "soon", "later"])).prop_map(Event::Message),
        1 => Just(Event::ClearCredit),
        1 => Just(Event::EndAll),
        1 => Just(Event::Forget),
        1 => Just(Event::Backup),
        3 => loss().prop_map(Event::Lose),
        5 => prop_oneof![1_u64..50, 50_u64..3_000, 3_000_u64..30_000, 30_000_u64..200_000].prop_map(Event::Wait),
    ];
    (event, 0..POPS).prop_map(|(event, pop)| Step { event, pop })
}

fn loss() -> impl Strategy<Value = Loss> {
    prop_oneof![
        3 => Just(Loss::Everything),
        2 => Just(Loss::Line),
        2 => any::<usize>().prop_map(Loss::Restored),
        1 => (1_009_u64..=60_000).prop_map(Loss::ClockBack),
    ]
}

fn pace() -> impl Strategy<Value = Pace> {
    let automatic = prop_oneof![Just(0_u64), Just(5), Just(15), Just(60)];
    (automatic, 1_u64..6).prop_map(|(automatic, quantity)| Pace {
        automatic,
        quantity,
    })
}

/// What the POPs of a trace do besides what the trace says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Care {
    /// After a loss every POP that has a sign polls within [`POLLED_MS`], and the best sign is never forgotten. Where a
    /// backup was restored, the first POP to poll knows more than the backup; others may know more still.
    Kept,
    /// Nothing.
    None,
}

struct Visitor {
    id: String,
    place: WaitingProof,
    /// Earlier cookies.
    before: Vec<WaitingProof>,
    /// How often *End all tickets* had been pressed when the number was drawn.
    ended: u64,
    /// Which draw it was.
    drawn: u64,
    inside: bool,
}

#[derive(Clone, Default)]
struct Pop {
    sign: Option<Sign>,
    read_ms: u64,
}

impl LastSign for Pop {
    fn last_sign(&self) -> Option<Sign> {
        self.sign.clone()
    }
}

/// A backup of the line.
struct Backup {
    model: Model,
    hashes: Vec<Vec<String>>,
}

/// Plays one trace and checks every invariant after every step.
struct Play<'a> {
    stores: &'a [Direct],
    care: Care,
    pace: Pace,
    model: Model,
    pops: Vec<Pop>,
    visitors: Vec<Visitor>,
    backups: Vec<Backup>,
    now_ms: u64,
    ids: u64,
    /// How often *End all tickets* was pressed.
    ended: u64,
    /// When data were lost, and which POPs have not polled since.
    lost: Option<(u64, BTreeSet<usize>)>,
    /// When data were lost the last time.
    lost_ms: u64,
    /// How many were let in before all POPs had polled.
    early: u64,
    losses: usize,
    batches: u64,
    permitted: u64,
}

impl Play<'_> {
    /// The same verb everywhere: same answers. The POP keeps the sign.
    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        pop: usize,
        model: impl Fn(&mut Model, Call<'_>) -> T,
        verb: impl Fn(&Line<'_>) -> T,
        sign: impl Fn(&T) -> Option<&Sign>,
    ) -> T {
        let known = self.pops[pop].clone();
        let call = Call {
            now_ms: self.now_ms,
            known: known.sign.as_ref(),
            brought: &[],
        };
        let granted = self.model.granted();
        let expected = model(&mut self.model, call);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: self.pace,
                absent_visitors: AbsentVisitors::On,
                cap: Cap::default(),
                schedule: Schedule::NONE,
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
            assert_eq!(verb(&line), expected);
        }
        if self.lost.is_some() {
            self.early += self.model.granted() - granted;
        }
        if let Some(sign) = sign(&expected) {
            self.keep(pop, sign.clone());
        }
        expected
    }

    fn keep(&mut self, pop: usize, sign: Sign) {
        if let Some(before) = &self.pops[pop].sign
            && before.birth.order() == sign.birth.order()
        {
            assert!(sign.cursor >= before.cursor, "the cursor never falls");
            assert!(sign.length >= before.length, "nor does the length");
            assert!(sign.epoch >= before.epoch, "nor does the epoch");
        }
        assert!(sign.cursor.0 <= sign.length, "never more than were drawn");
        self.pops[pop] = Pop {
            sign: Some(sign),
            read_ms: self.now_ms,
        };
        if let Some((_, pending)) = &mut self.lost {
            pending.remove(&pop);
            if pending.is_empty() {
                self.lost = None;
            }
        }
    }

    fn step(&mut self, step: &Step) {
        let pop = step.pop;
        match &step.event {
            Event::Join => self.join(pop),
            Event::Repeat(which) => self.repeat(pop, *which),
            Event::Poll(which) => self.poll(pop, *which),
            Event::Replay(which) => self.replay(pop, *which),
            Event::Pass => self.pass(pop),
            Event::Bring(admitted) => self.bring(pop, *admitted),
            Event::Status => self.status(pop),
            Event::Permit(amount) => {
                let (amount, credit_max) = (*amount, CREDIT_MAX);
                self.permitted += amount;
                self.change(pop, &Permit { amount, credit_max }, |model, call| {
                    model.permit(amount, credit_max, call)
                });
            }
            Event::Mode(mode) => self.change(pop, &SetMode(*mode), |model, call| {
                model.set_mode(*mode, call)
            }),
            Event::Pace(pace) => self.change(
                pop,
                &SetPace {
                    pace: *pace,
                    last: Pace::default(),
                },
                |model, call| model.set_pace(*pace, call),
            ),
            Event::Message(text) => {
                let message = Message(text.map(str::to_owned));
                self.change(pop, &message, |model, call| model.set_message(*text, call));
            }
            Event::ClearCredit => self.change(pop, &Credit, Model::clear_credit),
            Event::EndAll => {
                // Each press asks for a word, so no two fall into one second, which is what an epoch counts in.
                self.wait(1_000);
                self.change(pop, &Epoch, Model::end_all);
                self.ended += 1;
            }
            Event::Forget => {
                let lost = self.lost.as_ref();
                let is_awaited = lost.is_some_and(|(_, pending)| pending.contains(&pop));
                if self.care == Care::None || !is_awaited && self.best() != Some(pop) {
                    self.pops[pop] = Pop::default();
                    if let Some((_, pending)) = &mut self.lost {
                        pending.remove(&pop);
                        if pending.is_empty() {
                            self.lost = None;
                        }
                    }
                }
            }
            Event::Backup => self.back_up(),
            Event::Lose(loss) => self.lose(*loss, pop),
            Event::Wait(time) => self.wait(*time),
        }
        self.check();
    }

    /// The POP that knows most.
    fn best(&self) -> Option<usize> {
        let knows = |pop: &usize| {
            let sign = self.pops[*pop].sign.as_ref()?;
            let (started, adopted) = sign.birth.order();
            Some((
                started,
                adopted,
                sign.birth.settled,
                sign.epoch,
                sign.length,
                sign.cursor,
                sign.live.version,
            ))
        };
        (0..POPS)
            .filter(|pop| knows(pop).is_some())
            .max_by_key(|pop| knows(pop))
    }

    fn wait(&mut self, time: u64) {
        self.now_ms += time;
        let Some((since, pending)) = self.lost.clone() else {
            return;
        };
        if self.care == Care::Kept && self.now_ms > since + POLLED_MS {
            let now_ms = std::mem::replace(&mut self.now_ms, since + POLLED_MS);
            for pop in pending {
                self.pass(pop);
            }
            self.now_ms = now_ms;
        }
    }

    fn back_up(&mut self) {
        let hash = |store: &Direct| {
            let pairs = store.0.command(&["HGETALL", LINE]).unwrap();
            let pairs = pairs.as_array().unwrap().iter();
            pairs
                .map(|text| text.as_str().unwrap().to_owned())
                .collect()
        };
        let hashes: Vec<Vec<String>> = self.stores.iter().map(hash).collect();
        if hashes.first().is_none_or(|hash| !hash.is_empty()) && self.model.has_begun() {
            let model = self.model.clone();
            self.backups.push(Backup { model, hashes });
        }
    }

    fn lose(&mut self, loss: Loss, first: usize) {
        self.losses += 1;
        if self.care == Care::Kept && self.losses > LOSSES {
            return;
        }
        // No data are lost in the second in which they began.
        self.now_ms += 1_000;
        match loss {
            Loss::Everything | Loss::ClockBack(_) => {
                for store in self.stores {
                    store.0.command(&["FLUSHALL"]).unwrap();
                }
                self.model = line(self.pace);
                // Births that follow each other within a minute cannot be told apart by a clock that is set back.
                if let (Loss::ClockBack(by), Care::None) = (loss, self.care) {
                    self.now_ms -= by;
                }
            }
            Loss::Line => {
                for store in self.stores {
                    store.0.command(&["DEL", LINE]).unwrap();
                }
                self.model = line(self.pace).with_draws_of(&self.model);
            }
            Loss::Restored(which) => {
                let Some(index) = which.checked_rem(self.backups.len()) else {
                    return;
                };
                let backup = &self.backups[index];
                for (store, hash) in self.stores.iter().zip(&backup.hashes) {
                    let hash = hash.iter().map(String::as_str);
                    let words: Vec<&str> = ["HSET", LINE].into_iter().chain(hash).collect();
                    store.0.command(&["DEL", LINE]).unwrap();
                    store.0.command(&words).unwrap();
                }
                self.model = backup.model.clone().with_draws_of(&self.model);
            }
        }
        let known = (0..POPS).filter(|pop| self.pops[*pop].sign.is_some());
        let known: BTreeSet<usize> = known.collect();
        if known.is_empty() {
            return;
        }
        // A restored backup may be data that began after an earlier loss: their time goes on.
        let since = self.lost.take().map(|(since, _)| since);
        let is_restored = matches!(loss, Loss::Restored(_));
        let since = since.filter(|_| is_restored).unwrap_or(self.now_ms);
        (self.lost, self.lost_ms) = (Some((since, known)), self.now_ms);
        if let (Care::Kept, Loss::Restored(_)) = (self.care, loss) {
            let knowing: Vec<usize> = (0..POPS).filter(|pop| self.knows_more(*pop)).collect();
            if let Some(index) = first.checked_rem(knowing.len()) {
                self.pass(knowing[index]);
            }
            if let Some((since, _)) = &mut self.lost
                && self.model.sign().birth.started == self.now_ms
            {
                *since = self.now_ms;
            }
        }
    }

    /// Whether a POP knows more of the line than the store does.
    fn knows_more(&self, pop: usize) -> bool {
        let reached = |sign: &Sign| (sign.length, sign.cursor, sign.epoch, sign.live.version);
        let here = self.model.sign();
        self.pops[pop].sign.as_ref().is_some_and(|sign| {
            let (more, less) = (reached(sign), reached(here));
            let is_further =
                more.0 > less.0 || more.1 > less.1 || more.2 > less.2 || more.3 > less.3;
            let (order, here) = (sign.birth.order(), here.birth.order());
            order > here || order == here && is_further
        })
    }

    fn pass(&mut self, pop: usize) {
        self.everywhere(
            pop,
            Model::pass,
            |line| line.release_due(&[]).unwrap(),
            |sign: &Sign| Some(sign),
        );
    }

    /// A POP renews the sign, and brings what was counted there: each batch twice, since the first answer is lost.
    fn bring(&mut self, pop: usize, admitted: u64) {
        let till = format!("till-{pop}");
        self.batches += 1;
        let number = self.batches;
        let mut tally = Tally::default();
        for _ in 0..admitted {
            tally.decided(Reason::Admitted);
        }
        tally.decided(Reason::Inside);
        let batch = Batch {
            place: 0,
            till: till.clone(),
            number,
            tally,
        };
        let brought = Brought {
            till: &till,
            number,
            admitted,
            renewed: &[],
            watched: Answers::default(),
            cuts: 0,
        };
        for _ in 0..2 {
            self.everywhere(
                pop,
                |model, call| {
                    model.pass(Call {
                        brought: &[brought],
                        ..call
                    })
                },
                |line| line.release_due(std::slice::from_ref(&batch)).unwrap(),
                |sign: &Sign| Some(sign),
            );
        }
    }

    /// What is known of absent visitors is the same everywhere.
    fn status(&self, pop: usize) {
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: self.pace,
                absent_visitors: AbsentVisitors::On,
                cap: Cap::default(),
                schedule: Schedule::NONE,
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
                known: &self.pops[pop],
            };
            assert_eq!(
                line.status().unwrap().absent,
                self.model.absent(self.now_ms)
            );
        }
    }

    fn change(
        &mut self,
        pop: usize,
        intent: &dyn Intent,
        on_model: impl Fn(&mut Model, Call<'_>) -> Outcome,
    ) {
        self.everywhere(
            pop,
            |model, call| changed(on_model(model, call)),
            |line| line.change(intent.change(), &admin()).unwrap(),
            |changed| match changed {
                Changed::Done(sign, _) => Some(sign),
                // A refusal writes nothing, so it is no poll.
                Changed::NotAdmitting(_) => None,
                other => panic!("{other:?}"),
            },
        );
    }

    fn draw(&mut self, pop: usize, id: &str) -> Option<WaitingProof> {
        let LineAnswer { sign, position, .. } = self.everywhere(
            pop,
            |model, call| model.join(asker(id), call),
            |line| line.join(id).unwrap(),
            |answer| Some(&answer.sign),
        );
        assert_eq!(position.is_none(), sign.live.mode == Mode::Closed);
        position.map(|position| sign.place(position))
    }

    fn join(&mut self, pop: usize) {
        self.ids += 1;
        let id = format!("visitor-{}", self.ids);
        if let Some(place) = self.draw(pop, &id) {
            self.visitors.push(Visitor {
                id,
                place,
                before: Vec::new(),
                ended: self.ended,
                drawn: self.ids,
                inside: false,
            });
        }
    }

    fn repeat(&mut self, pop: usize, which: usize) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let id = self.visitors[index].id.clone();
        let Some(place) = self.draw_repeated(pop, &id) else {
            return;
        };
        // The ticket that was held is thrown away for what the repeat says.
        self.ids += 1;
        let visitor = &mut self.visitors[index];
        let sign = self.model.sign();
        let is_new = sign.number(visitor.place) != sign.number(place);
        if !visitor.place.is_same(place) {
            let had = std::mem::replace(&mut visitor.place, place);
            visitor.before.push(had);
        }
        if is_new {
            // A POP that missed *End all tickets* may repeat a number that has ended, so `ended` stays.
            (visitor.drawn, visitor.inside) = (self.ids, false);
        }
    }

    fn draw_repeated(&mut self, pop: usize, id: &str) -> Option<WaitingProof> {
        let LineAnswer { sign, position, .. } = self.everywhere(
            pop,
            |model, call| model.join(asker(id), call),
            |line| line.join(id).unwrap(),
            |answer| Some(&answer.sign),
        );
        position.map(|position| sign.place(position))
    }

    /// By the copy of the sign where there is one, else by the store, as a visit does.
    fn poll(&mut self, pop: usize, which: usize) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        if self.visitors[index].inside {
            return;
        }
        let (id, had) = (self.visitors[index].id.clone(), self.visitors[index].place);
        let copy = self.pops[pop].clone();
        let is_fresh = self.now_ms.saturating_sub(copy.read_ms) < COPY_MS;
        let (sign, position) = match copy.sign.filter(|_| is_fresh) {
            Some(sign) => match TicketState::of(had, &sign) {
                TicketState::Placed(position) => (sign, Some(position)),
                TicketState::Settling => return,
                // For two seconds a copy from before the loss may not know of a line that came back.
                TicketState::Ended if self.care == Care::Kept && copy.read_ms < self.lost_ms => {
                    return;
                }
                TicketState::Ended => {
                    self.may_end(index);
                    let Some(place) = self.draw_repeated(pop, &id) else {
                        // Closed: no new number.
                        self.visitors.remove(index);
                        return;
                    };
                    let sign = self.pops[pop].sign.clone().unwrap();
                    (sign.clone(), sign.number(place))
                }
                TicketState::Ahead => self.look(pop, index, had),
            },
            None => self.look(pop, index, had),
        };
        if let Some(position) = position {
            self.hold(index, &sign, position);
        }
    }

    fn look(&mut self, pop: usize, index: usize, had: WaitingProof) -> (Sign, Option<Position>) {
        let id = self.visitors[index].id.clone();
        let answer = self.ask(pop, &id, had);
        if answer.1.is_none() && TicketState::of(had, &answer.0) == TicketState::Ended {
            self.may_end(index);
            self.visitors.remove(index);
            return answer;
        }
        if answer.1.is_some() && answer.0.number(had) != answer.1 {
            self.may_end(index);
        }
        answer
    }

    fn ask(&mut self, pop: usize, id: &str, place: WaitingProof) -> (Sign, Option<Position>) {
        let answer = self.everywhere(
            pop,
            |model, call| model.look(asker(id), place, call),
            |line| line.look(id, (place, None), MayDraw::Yes, &[]).unwrap(),
            |answer| Some(&answer.sign),
        );
        (answer.sign, answer.position)
    }

    /// A visitor's number is about to be taken away.
    fn may_end(&mut self, index: usize) {
        let visitor = &mut self.visitors[index];
        if self.care == Care::Kept {
            assert_ne!(
                visitor.ended, self.ended,
                "{:?} loses the place",
                visitor.place
            );
        }
        self.ids += 1;
        (visitor.ended, visitor.drawn) = (self.ended, self.ids);
    }

    /// The number as the sign shows it, and the cookie that its holder has from now on.
    fn hold(&mut self, index: usize, sign: &Sign, position: Position) {
        let visitor = &mut self.visitors[index];
        if sign.cursor.0 >= position.0 && sign.live.mode.lets_in() {
            visitor.inside = true;
        }
        let is_kept = sign.number(visitor.place) == Some(position) && !sign.rewrites(visitor.place);
        if !is_kept {
            let had = std::mem::replace(&mut visitor.place, sign.place(position));
            visitor.before.push(had);
        }
    }

    /// An old cookie moves nothing that the line has not shown, but draws where it has ended.
    fn replay(&mut self, pop: usize, which: usize) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let Some(place) = self.visitors[index].before.first().copied() else {
            return;
        };
        self.ids += 1;
        let id = format!("client-{}", self.ids);
        self.ask(pop, &id, place);
    }

    /// What must hold once every POP that has a sign has polled.
    fn check(&self) {
        if self.care == Care::None || self.lost.is_some() {
            return;
        }
        let sign = self.model.sign();
        let mut holders: BTreeMap<Position, &str> = BTreeMap::new();
        let mut overtaken: BTreeMap<Position, u64> = BTreeMap::new();
        let mut waiting: Vec<Position> = Vec::new();
        let mut visitors: Vec<&Visitor> = self.visitors.iter().collect();
        visitors.sort_by_key(|visitor| visitor.drawn);
        for visitor in visitors {
            let state = TicketState::of(visitor.place, sign);
            if visitor.ended == self.ended && !visitor.inside {
                assert!(
                    matches!(state, TicketState::Placed(_)),
                    "{:?} of {} is {state:?} in {sign:?}",
                    visitor.place,
                    visitor.id
                );
            }
            let TicketState::Placed(position) = state else {
                continue;
            };
            if let Some(other) = holders.insert(position, &visitor.id) {
                panic!("{} and {other} hold {position:?} of {sign:?}", visitor.id);
            }
            if visitor.inside {
                for waits in &waiting {
                    *overtaken.entry(*waits).or_default() += 1;
                }
            } else if position.0 > sign.cursor.0 {
                waiting.push(position);
            }
        }
        for (position, by) in overtaken {
            assert!(
                by <= self.early + self.permitted,
                "{position:?} was overtaken by {by}, {} were let in early",
                self.early
            );
        }
    }
}

fn line(pace: Pace) -> Model {
    Model::new(pace).with_absent_visitors(AbsentVisitors::On)
}

fn hold_over(stores: &[Direct], care: Care, traces: Traces) {
    let mut runner = TestRunner::new(ProptestConfig {
        max_shrink_iters: 3_000,
        ..config(traces)
    });
    let traces = (pace(), prop::collection::vec(step(), 1..100));
    let outcome = runner.run(&traces, |(pace, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play {
            stores,
            care,
            pace,
            model: line(pace),
            pops: vec![Pop::default(); POPS],
            visitors: Vec::new(),
            backups: Vec::new(),
            now_ms: START_MS,
            ids: 0,
            ended: 0,
            lost: None,
            lost_ms: 0,
            early: 0,
            losses: 0,
            batches: 0,
            permitted: 0,
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

    /// The model alone: it costs next to nothing, so it plays far more traces.
    #[test]
    fn no_place_is_lost_and_no_number_held_twice_while_a_pop_knows_the_line() {
        hold_over(&[], Care::Kept, Traces::Known(300));
    }

    #[test]
    fn the_embedded_store_answers_as_the_model_does_in_a_few_losses() {
        let stores = [embedded()];
        hold_over(&stores, Care::Kept, Traces::Known(10));
        hold_over(&stores, Care::None, Traces::Known(10));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn the_embedded_store_answers_as_the_model_does_whatever_is_lost() {
        let stores = [embedded()];
        hold_over(&stores, Care::Kept, Traces::Known(100));
        hold_over(&stores, Care::None, Traces::Known(100));
    }
}

mod long {
    use super::*;

    #[test]
    fn the_embedded_store_answers_as_the_model_does_in_new_traces() {
        let stores = [embedded()];
        hold_over(&[], Care::Kept, Traces::New(3_000));
        hold_over(&stores, Care::Kept, Traces::New(500));
        hold_over(&stores, Care::None, Traces::New(500));
    }
}

mod redis {
    use super::*;

    #[test]
    fn answers_as_the_model_does_whatever_is_lost() {
        let redis = Redis::start().unwrap();
        let stores = [on(&redis)];
        hold_over(&stores, Care::Kept, Traces::Known(60));
        hold_over(&stores, Care::None, Traces::Known(60));
    }
}
