//! What holds whatever happens: random arrivals, looks, permits, lost answers and clocks that disagree by a minute,
//! run on a plain model, the embedded store and a real Redis. All three answer alike, step by step.

use std::collections::{BTreeMap, BTreeSet};

use dev::redis::Redis;
use dev::store::Store;
use now_serving::admission::{Cursor, Measured, Pace, Position, Verdict, decide};
use now_serving::line::{Line, Place, Sign};
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
    pace: Pace,
    sign: Sign,
    opened: Option<u64>,
    left: u64,
    drawn: BTreeMap<String, u64>,
    /// Where the measured rate begins, and where it will begin after a window: when, and where the cursor stood.
    checkpoints: Option<[(u64, u64); 2]>,
    moved_ms: u64,
}

impl Model {
    fn new(pace: Pace) -> Self {
        let sign = Sign {
            epoch: 1,
            cursor: Cursor(0),
            length: 0,
            credit: 0,
            measured: None,
        };
        Self {
            pace,
            sign,
            opened: None,
            left: 0,
            drawn: BTreeMap::new(),
            checkpoints: None,
            moved_ms: 0,
        }
    }

    /// A verb, and what it says about the rate of the line.
    fn measured<T>(&mut self, now_ms: u64, verb: impl FnOnce(&mut Self) -> T) -> (Sign, T) {
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
        (self.sign, told)
    }

    fn admit(&mut self, most: u64) -> u64 {
        let released = most.min(self.sign.waiting());
        self.sign.cursor.0 += released;
        released
    }

    fn release(&mut self, now_ms: u64) {
        if let Some(start) = self.pace.period_start(now_ms)
            && self.opened.is_none_or(|opened| start > opened)
        {
            self.opened = Some(start);
            self.left = self.pace.quantity;
        }
        self.sign.credit -= self.admit(self.sign.credit);
        self.left -= self.admit(self.left);
    }

    fn join(&mut self, id: &str, now_ms: u64) -> (Sign, Position) {
        self.measured(now_ms, |line| {
            line.release(now_ms);
            let number = if let Some(number) = line.drawn.get(id) {
                *number
            } else {
                line.sign.length += 1;
                line.drawn.insert(id.to_owned(), line.sign.length);
                line.sign.length
            };
            line.release(now_ms);
            Position(number)
        })
    }

    fn look(&mut self, place: Place, now_ms: u64) -> (Sign, Position) {
        self.measured(now_ms, |line| {
            line.release(now_ms);
            place.position
        })
    }

    fn permit(&mut self, amount: u64, now_ms: u64) -> (Sign, u64) {
        self.measured(now_ms, |line| {
            line.release(now_ms);
            let released = line.admit(amount);
            line.sign.credit = (line.sign.credit + amount - released).min(CREDIT_MAX);
            released
        })
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
    periods: BTreeSet<u64>,
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
        self.opens(now_ms);
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
        let before = self.model.sign;
        let now_ms = self.now_ms.saturating_add_signed(step.skew_ms);
        match step.event {
            Event::Pass(time) => self.now_ms += time,
            Event::Permit(amount) => self.permit(amount, now_ms),
            Event::Join => self.join(now_ms),
            Event::Repeat(which) => self.repeat(which, now_ms),
            Event::Look(which) => self.look(which, now_ms),
            Event::Forget(which) => {
                if let Some(index) = which.checked_rem(self.visitors.len()) {
                    self.visitors.swap_remove(index);
                    self.join(now_ms);
                }
            }
        }
        let sign = self.model.sign;
        assert!(sign.cursor >= before.cursor, "the cursor never falls");
        assert!(sign.cursor.0 <= sign.length, "and never passes the length");
        let budget = self.pace.quantity * self.periods.len() as u64;
        assert!(
            sign.cursor.0 <= budget + self.granted,
            "never more than the budgets and what was granted"
        );
    }

    /// Periods are opened forward only, so a clock that lags opens none.
    fn opens(&mut self, now_ms: u64) {
        if let Some(start) = self.pace.period_start(now_ms)
            && self.periods.last().is_none_or(|last| start > *last)
        {
            self.periods.insert(start);
        }
    }

    fn permit(&mut self, amount: u64, now_ms: u64) {
        self.granted += amount;
        self.everywhere(
            now_ms,
            |model| model.permit(amount, now_ms),
            |line| line.permit(amount, CREDIT_MAX).unwrap(),
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
        self.show(self.visitors.len() - 1, sign);
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
        self.show(index, sign);
    }

    fn look(&mut self, which: usize, now_ms: u64) {
        let Some(index) = which.checked_rem(self.visitors.len()) else {
            return;
        };
        let (id, place) = (self.visitors[index].id.clone(), self.visitors[index].place);
        let (sign, position) = self.everywhere(
            now_ms,
            |model| model.look(place, now_ms),
            |line| line.look(&id, place).unwrap(),
        );
        assert_eq!(position, place.position);
        self.show(index, sign);
    }

    /// Nobody overtakes: whoever is admitted has everybody before him admitted by the same sign.
    fn show(&mut self, index: usize, sign: Sign) {
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
            periods: BTreeSet::new(),
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
