//! What holds whatever happens: random arrivals, looks, permits, lost answers and clocks that disagree by a minute,
//! run on a plain model, the embedded store and a real Redis. All three answer alike, step by step.

use std::collections::{BTreeMap, BTreeSet};

use dev::redis::Redis;
use dev::store::Store;
use now_serving::admission::{Cursor, Measured, Mode, Pace, Position, Verdict, decide};
use now_serving::line::{Author, Change, Changed, Line, Live, Place, Sign};
use proptest::prelude::*;

use crate::house::{Direct, STORE_TOKEN};

const START_MS: u64 = 1_800_000_000_000;
const CREDIT_MAX: u64 = 7;
const WINDOW_MS: u64 = 300_000;

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
    /// So many milliseconds go by.
    Pass(u64),
}

/// Something that happens in a data centre whose clock is off by so many milliseconds.
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
    ];
    (event, -60_000_i64..=60_000).prop_map(|(event, skew_ms)| Step { event, skew_ms })
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

/// The line in plain Rust.
struct Model {
    configured: Pace,
    sign: Sign,
    opened: Option<u64>,
    left: u64,
    drawn: BTreeMap<String, u64>,
    /// Where the measured rate begins, and where it will begin after a window: when, and where the cursor stood.
    checkpoints: Option<[(u64, u64); 2]>,
    /// Length and budget of the periods in which it was measured.
    measured_at: (u64, u64),
    moved_ms: u64,
    /// All budgets of all periods so far.
    budgets: u64,
    /// How many an open room let in.
    passed: u64,
}

impl Model {
    fn new(configured: Pace) -> Self {
        let live = Live {
            pace: configured,
            ..Live::default()
        };
        let sign = Sign {
            epoch: 1,
            cursor: Cursor(0),
            length: 0,
            credit: 0,
            measured: None,
            live,
        };
        Self {
            configured,
            sign,
            opened: None,
            left: 0,
            drawn: BTreeMap::new(),
            checkpoints: None,
            measured_at: (0, 0),
            moved_ms: 0,
            budgets: 0,
            passed: 0,
        }
    }

    fn budget(&self) -> u64 {
        let pace = self.sign.live.pace;
        if pace.automatic > 0 { pace.quantity } else { 0 }
    }

    /// What was measured at another pace says nothing about this one.
    fn judge(&mut self) {
        let now = (self.sign.live.pace.automatic, self.budget());
        if self.measured_at != now {
            self.checkpoints = None;
            self.measured_at = now;
        }
    }

    /// A verb, and what it says about the rate of the line.
    fn measured<T>(&mut self, now_ms: u64, verb: impl FnOnce(&mut Self) -> T) -> (Sign, T) {
        self.judge();
        let before = self.sign.cursor;
        let told = verb(self);
        let cursor = self.sign.cursor.0;
        if self.sign.waiting() == 0 {
            self.checkpoints = None;
        } else if self.sign.cursor > before {
            let last_ms = self.checkpoints.map_or(0, |_| self.moved_ms);
            self.moved_ms = now_ms.max(last_ms);
            let here = (self.moved_ms, cursor);
            self.checkpoints = Some(match self.checkpoints {
                None => [here, here],
                Some([_, mid]) if self.moved_ms - mid.0 >= WINDOW_MS => [mid, here],
                Some(younger) => younger,
            });
        }
        self.sign.measured = self.checkpoints.and_then(|[(since_ms, from), _]| {
            (cursor > from).then(|| Measured {
                released: cursor - from,
                took_ms: self.moved_ms - since_ms,
                moved_ms: self.moved_ms,
            })
        });
        (self.sign.clone(), told)
    }

    fn admit(&mut self, most: u64) -> u64 {
        let released = most.min(self.sign.waiting());
        self.sign.cursor.0 += released;
        released
    }

    /// Periods are opened forward only, so a clock that lags opens none; and none is opened while nobody is to go in.
    fn release(&mut self, now_ms: u64) {
        let start = self.sign.live.pace.period_start(now_ms).unwrap_or(0);
        let mode = self.sign.live.mode;
        if mode == Mode::Automatic && self.opened.is_none_or(|opened| start > opened) {
            self.opened = Some(start);
            self.left = self.budget();
            self.budgets += self.left;
        }
        self.left = self.left.min(self.budget());
        self.let_in();
    }

    fn let_in(&mut self) {
        match self.sign.live.mode {
            Mode::Automatic => {
                self.sign.credit -= self.admit(self.sign.credit);
                self.left -= self.admit(self.left);
            }
            Mode::Open => self.passed += self.admit(u64::MAX),
            Mode::Hold | Mode::Closed => {}
        }
    }

    fn join(&mut self, id: &str, now_ms: u64) -> (Sign, Position) {
        self.measured(now_ms, |line| {
            line.release(now_ms);
            let number = if let Some(number) = line.drawn.get(id) {
                *number
            } else if line.sign.live.mode == Mode::Closed {
                0
            } else {
                line.sign.length += 1;
                line.drawn.insert(id.to_owned(), line.sign.length);
                line.sign.length
            };
            line.let_in();
            Position(number)
        })
    }

    fn look(&mut self, place: Place, now_ms: u64) -> (Sign, Position) {
        self.measured(now_ms, |line| {
            line.release(now_ms);
            place.position
        })
    }

    fn change(&mut self, change: &Change, now_ms: u64) -> Changed {
        let mode = self.sign.live.mode;
        if matches!(change, Change::Permit { .. }) && matches!(mode, Mode::Hold | Mode::Closed) {
            return Changed::Standing(self.measured(now_ms, |_| ()).0);
        }
        let (sign, number) = self.measured(now_ms, |line| {
            let before = line.sign.cursor.0;
            match change {
                Change::Mode(mode) => line.sign.live.mode = *mode,
                Change::Pace(pace) => line.sign.live.pace = pace.unwrap_or(line.configured),
                _ => {}
            }
            line.judge();
            line.release(now_ms);
            match change {
                Change::Permit { amount, .. } => {
                    let released = line.admit(*amount);
                    line.sign.credit = (line.sign.credit + amount - released).min(CREDIT_MAX);
                    return released;
                }
                _ => line.sign.live.version += 1,
            }
            match change {
                Change::Mode(_) => line.sign.cursor.0 - before,
                _ => 0,
            }
        });
        Changed::Done(sign, number)
    }
}

/// A visitor of the trace: the id of the draw, and the place once it is known.
struct Waiting {
    id: String,
    place: Place,
    shown: u64,
}

/// Plays one trace and checks every invariant after every step.
struct Play<'a> {
    stores: &'a [Direct],
    pace: Pace,
    model: Model,
    visitors: Vec<Waiting>,
    now_ms: u64,
    ids: u64,
    granted: u64,
    positions: BTreeSet<u64>,
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
                room: "main",
                pace: self.pace,
                lifetime: 172_800,
                now_ms,
            };
            assert_eq!(verb(&line), expected);
        }
        expected
    }

    fn step(&mut self, step: &Step) {
        let before = self.model.sign.cursor;
        let now_ms = self.now_ms.saturating_add_signed(step.skew_ms);
        match &step.event {
            Event::Pass(time) => self.now_ms += time,
            Event::Permit(amount) => {
                self.granted += amount;
                let (amount, credit_max) = (*amount, CREDIT_MAX);
                self.change(&Change::Permit { amount, credit_max }, now_ms);
            }
            Event::Mode(mode) => self.change(&Change::Mode(*mode), now_ms),
            Event::Pace(pace) => self.change(&Change::Pace(*pace), now_ms),
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
        let (sign, model) = (&self.model.sign, &self.model);
        assert!(sign.cursor >= before, "the cursor never falls");
        assert!(sign.cursor.0 <= sign.length, "and never passes the length");
        assert!(
            sign.cursor.0 <= model.budgets + model.passed + self.granted,
            "never more than the budgets, what was granted and who found the room open"
        );
    }

    fn change(&mut self, change: &Change, now_ms: u64) {
        let author = Author {
            name: "admin",
            address: "192.0.2.1",
            is_told: true,
            seen: None,
            once: None,
        };
        self.everywhere(
            now_ms,
            |model| model.change(change, now_ms),
            |line| line.change(change, &author).unwrap(),
        );
    }

    fn join(&mut self, now_ms: u64) {
        self.ids += 1;
        let id = format!("visitor-{}", self.ids);
        let (sign, position) = self.everywhere(
            now_ms,
            |model| model.join(&id, now_ms),
            |line| line.join(&id).unwrap(),
        );
        if sign.live.mode == Mode::Closed {
            assert_eq!(
                position,
                Position(0),
                "nobody draws while the room is closed"
            );
            return;
        }
        assert!(
            self.positions.insert(position.0),
            "position {} twice",
            position.0
        );
        let place = Place {
            epoch: sign.epoch,
            position,
            seen: sign.cursor,
        };
        self.visitors.push(Waiting {
            id,
            place,
            shown: u64::MAX,
        });
        self.show(self.visitors.len() - 1, &sign);
    }

    fn repeat(&mut self, which: usize, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let id = self.visitors[index].id.clone();
        let (sign, position) = self.everywhere(
            now_ms,
            |model| model.join(&id, now_ms),
            |line| line.join(&id).unwrap(),
        );
        assert_eq!(
            position, self.visitors[index].place.position,
            "a repeated draw gets the same number"
        );
        self.show(index, &sign);
    }

    fn look(&mut self, which: usize, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let (id, place) = (self.visitors[index].id.clone(), self.visitors[index].place);
        let (sign, position) = self.everywhere(
            now_ms,
            |model| model.look(place, now_ms),
            |line| line.look(&id, place, &[]).unwrap(),
        );
        assert_eq!(position, place.position);
        self.show(index, &sign);
    }

    /// Nobody overtakes: whoever is admitted has everybody before him admitted by the same sign.
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

fn hold_over(stores: &[Direct], cases: u32) {
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let traces = (pace(), prop::collection::vec(step(), 1..80));
    let outcome = runner.run(&traces, |(pace, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play {
            stores,
            pace,
            model: Model::new(pace),
            visitors: Vec::new(),
            now_ms: START_MS,
            ids: 0,
            granted: 0,
            positions: BTreeSet::new(),
        };
        for step in &steps {
            play.step(step);
        }
        Ok(())
    });
    outcome.unwrap();
}

#[test]
fn native_the_line_keeps_its_invariants() {
    let embedded = Direct(Store::embedded(STORE_TOKEN).unwrap());
    hold_over(&[embedded], 400);
}

#[test]
fn redis_the_model_the_embedded_store_and_redis_answer_alike() {
    let redis = Redis::start().unwrap();
    let stores = [
        Direct(Store::embedded(STORE_TOKEN).unwrap()),
        Direct(Store::redis(redis.url(), STORE_TOKEN).unwrap()),
    ];
    hold_over(&stores, 200);
}
