//! Regions of a room: random arrivals, looks, permits and losses, run on the model, the embedded store and a real Redis. All three
//! answer alike, no number of a region is given twice, and no cursor passes its length.

use std::collections::BTreeMap;

use now_serving::operator::verbs::{Epoch, Intent, Permit, SetMode, SetPace};
use now_serving::queue::regions::Lag;
use now_serving::queue::{AbsentVisitors, Cap, Enforcement, HealthRule};
use now_serving::queue::{Asker, Call, Model, NetworkBound, Now, Outcome, Pace};
use now_serving::queue::{
    Lane, Mode, Region, RegionName, Regions, RoomName, Schedule, Sign, WaitingProof,
};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use upstash_local::Redis;

use crate::house::{Direct, admin};
use crate::traces::{Known, Lost, Traces, both, changed, embedded, runner};

const START_MS: u64 = 1_800_000_000_000;
const PACE: Pace = Pace {
    automatic: 5,
    quantity: 3,
};
const CREDIT_MAX: u64 = 7;
/// The last one is no region of the room any more.
const NAMES: [&str; 4] = ["east", "north-2", "west", "gone"];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// A new visitor draws in this region, or in none of them.
    Join(Option<usize>),
    /// A visitor whose answer was lost asks again, maybe from another region.
    Repeat(usize, Option<usize>),
    Look(usize),
    /// A ticket that has ended draws again.
    Draw(usize),
    Permit(u64),
    Mode(Mode),
    Pace(Option<Pace>),
    EndAll,
    /// The POP reads the sign.
    Read,
    /// The store loses the line, or all data; the POP has just read the sign, or knows none.
    Lose(Lost, bool),
    /// A POP comes that knew the line before the loss.
    Return,
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let lost = prop_oneof![Just(Lost::Line), Just(Lost::All)];
    let mode = prop::sample::select(&Mode::ALL[..]);
    let region = || prop::option::weighted(0.8, prop_oneof![9 => 0..3_usize, 1 => Just(3)]);
    let quick = (1_u64..4, 1_u64..9).prop_map(|(automatic, quantity)| Pace {
        automatic: automatic * 5,
        quantity,
    });
    prop_oneof![
        12 => region().prop_map(Step::Join),
        2 => (any::<usize>(), region()).prop_map(|(who, region)| Step::Repeat(who, region)),
        5 => any::<usize>().prop_map(Step::Look),
        1 => any::<usize>().prop_map(Step::Draw),
        2 => (1_u64..9).prop_map(Step::Permit),
        1 => prop_oneof![3 => Just(Mode::Automatic), 1 => mode].prop_map(Step::Mode),
        1 => prop::option::of(quick).prop_map(Step::Pace),
        1 => Just(Step::EndAll),
        2 => Just(Step::Read),
        1 => (lost, any::<bool>()).prop_map(|(lost, knows)| Step::Lose(lost, knows)),
        1 => Just(Step::Return),
        6 => prop_oneof![0_u64..6_000, 0_u64..70_000].prop_map(Step::Wait),
    ]
}

fn cap() -> impl Strategy<Value = Option<Cap>> {
    let enforcement = prop_oneof![3 => Just(Enforcement::On), 1 => Just(Enforcement::Observe)];
    let cap = (2_u64..8, enforcement).prop_map(|(total_active, enforcement)| Cap {
        total_active,
        session_minutes: 3,
        claim_seconds: 20,
        enforcement,
    });
    prop::option::of(cap)
}

fn lane(region: Option<usize>) -> Lane {
    let name = region.map(|at| RegionName::read(NAMES[at]).unwrap());
    name.map_or(Lane::Main, Lane::Region)
}

/// The regions of the room, some of them with a fixed share.
fn regions() -> impl Strategy<Value = Regions> {
    let lag = prop::sample::select(vec![Lag::One, Lag::Two]);
    let percents = prop_oneof![
        3 => Just([None; 3]),
        2 => Just([Some(45), Some(55), None]),
        3 => [1..34, 1..34, 1..35].map(prop::option::of::<std::ops::Range<u64>>),
    ];
    (lag, percents).prop_map(|(lag, percents)| {
        let region = |(name, share): (&&str, Option<u64>)| Region {
            name: RegionName::read(name).unwrap(),
            share,
        };
        let list = NAMES.iter().zip(percents).map(region).collect();
        Regions { list, lag }
    })
}

/// A visitor, and the number.
#[derive(Clone)]
struct Guest {
    id: String,
    lane: Lane,
    place: Option<WaitingProof>,
}

struct Play<'a> {
    stores: &'a [Direct],
    cap: Option<Cap>,
    regions: Regions,
    model: Model,
    known: Known,
    /// What a POP knew when the store lost the line.
    before: Option<Sign>,
    /// Who drew each number of a region, by birth and epoch.
    holders: BTreeMap<(Lane, u64, u64, u64), String>,
    guests: Vec<Guest>,
    ids: usize,
    now_ms: u64,
}

impl Play<'_> {
    fn new(stores: &[Direct], cap: Option<Cap>, regions: Regions) -> Play<'_> {
        let model = Model::new(PACE).with_cap(cap);
        Play {
            stores,
            cap,
            model: model.with_regions(Some(regions.clone())),
            regions,
            known: Known(None),
            before: None,
            holders: BTreeMap::new(),
            guests: Vec::new(),
            ids: 0,
            now_ms: START_MS,
        }
    }

    /// The same verb everywhere: same answers.
    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        of: Lane,
        model: impl Fn(&mut Model, Call<'_>) -> T,
        verb: impl Fn(&Line<'_>) -> T,
    ) -> T {
        let call = Call {
            now_ms: self.now_ms,
            known: self.known.0.as_ref(),
            brought: &[],
        };
        let expected = model(&mut self.model, call);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: PACE,
                absent_visitors: AbsentVisitors::default(),
                cap: self.cap.unwrap_or_default(),
                schedule: Schedule::NONE,
                health: (HealthRule::OFF, 0),
                network: String::new(),
                bound: NetworkBound::default(),
                invitation: None,
                lane: of,
                front_share: 0,
                regions: Some(&self.regions),
                lifetime: 172_800,
                pop: String::new(),
                now: Now::from_ms(self.now_ms),
                clock: Clock::Given,
                known: &self.known,
            };
            assert_eq!(verb(&line), expected);
        }
        for line in &self.model.sign().regions {
            assert!(line.cursor.0 <= line.length, "{line:?}");
        }
        expected
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Join(region) => {
                self.ids += 1;
                let guest = Guest {
                    id: format!("guest-{}", self.ids),
                    lane: lane(*region),
                    place: None,
                };
                self.ask(guest);
            }
            Step::Repeat(who, region) => {
                if let Some(guest) = self.one(*who) {
                    let known = guest.place.map(|_| guest.lane);
                    let lane = known.unwrap_or(lane(*region));
                    self.ask(Guest { lane, ..guest });
                }
            }
            Step::Look(who) => {
                if let Some(guest) = self.one(*who) {
                    self.ask(guest);
                }
            }
            Step::Draw(who) => {
                if let Some(guest) = self.one(*who) {
                    self.ask(Guest {
                        place: None,
                        ..guest
                    });
                }
            }
            Step::Permit(amount) => {
                let permit = Permit {
                    amount: *amount,
                    credit_max: CREDIT_MAX,
                };
                self.change(&permit, |model, call| {
                    model.permit(*amount, CREDIT_MAX, call)
                });
            }
            Step::Mode(mode) => {
                self.change(&SetMode(*mode), |model, call| model.set_mode(*mode, call));
            }
            Step::Pace(pace) => {
                self.change(
                    &SetPace {
                        pace: *pace,
                        last: PACE,
                    },
                    |model, call| model.set_pace(*pace, call),
                );
            }
            Step::EndAll => {
                self.now_ms += 1_000;
                self.change(&Epoch, Model::end_all);
            }
            Step::Read => self.known = Known(self.sign()),
            Step::Return => self.known = Known(self.before.clone()),
            Step::Lose(lost, knows) => self.lose(*lost, *knows),
            // The store forgets a draw after 300 s, and the model does not.
            Step::Wait(ms) => {
                self.now_ms += ms;
                if self.now_ms > START_MS + 290_000 {
                    self.guests.clear();
                }
            }
        }
    }

    fn one(&mut self, who: usize) -> Option<Guest> {
        let at = who.checked_rem(self.guests.len())?;
        Some(self.guests.swap_remove(at))
    }

    fn sign(&self) -> Option<Sign> {
        let sign = self.model.sign().clone();
        self.model.has_begun().then_some(sign)
    }

    fn lose(&mut self, lost: Lost, knows: bool) {
        // No two lines are born in the same millisecond.
        self.now_ms += 1_000;
        let command = match lost {
            Lost::Line => &["DEL", "queue:{main}"][..],
            Lost::All => &["FLUSHALL"],
        };
        for store in self.stores {
            store.0.command(command).unwrap();
        }
        let sign = self.sign();
        self.known = Known(sign.clone().filter(|_| knows));
        self.before = sign;
        let new = Model::new(PACE).with_cap(self.cap);
        let new = new.with_regions(Some(self.regions.clone()));
        self.model = match lost {
            Lost::Line => new.with_draws_of(&self.model),
            Lost::All => new,
        };
    }

    fn ask(&mut self, guest: Guest) {
        let before = self.model.sign().clone();
        let answer = match guest.place {
            None => self.everywhere(
                guest.lane,
                |model, call| model.join(asker(&guest), call),
                |line| line.join(&guest.id).unwrap(),
            ),
            Some(place) => self.everywhere(
                guest.lane,
                |model, call| model.look(asker(&guest), place, call),
                |line| {
                    let place = (place, None);
                    line.look(&guest.id, place, MayDraw::Yes, &[]).unwrap()
                },
            ),
        };
        let Some(position) = answer.position else {
            return self.guests.push(guest);
        };
        let lane = answer.lane;
        let of_lane = answer.sign.of(lane).into_owned();
        let place = of_lane.place(position);
        // While the data are young, a copy may know of numbers that are not known here.
        if lane != Lane::Main && !before.birth.young {
            let number = (lane, place.born, place.epoch, position.0);
            let holder = self.holders.entry(number).or_insert(guest.id.clone());
            assert_eq!(*holder, guest.id, "{number:?}");
        }
        self.guests.push(Guest {
            lane,
            place: Some(place),
            ..guest
        });
    }

    fn change(&mut self, intent: &dyn Intent, on_model: impl Fn(&mut Model, Call<'_>) -> Outcome) {
        self.everywhere(
            Lane::Main,
            |model, call| changed(on_model(model, call)),
            |line| line.change(intent.change(), &admin()).unwrap(),
        );
    }
}

fn asker(guest: &Guest) -> Asker<'_> {
    Asker {
        id: &guest.id,
        network: "",
        bound: NetworkBound::default(),
        invitation: None,
        lane: guest.lane,
        event: None,
    }
}

fn hold_over(stores: &[Direct], traces: Traces) {
    let histories = (cap(), regions(), prop::collection::vec(step(), 1..90));
    let outcome = runner(traces).run(&histories, |(cap, regions, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play::new(stores, cap, regions);
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
    fn model_and_store_split_alike_in_a_few_histories() {
        hold_over(&[embedded()], Traces::Known(80));
    }
}

mod long {
    use super::*;

    #[test]
    fn model_and_store_split_alike_in_new_histories() {
        hold_over(&[embedded()], Traces::New(800));
    }
}

mod redis {
    use super::*;

    #[test]
    fn the_model_the_embedded_store_and_redis_split_alike() {
        let redis = Redis::start().unwrap();
        let stores = both(&redis);
        hold_over(&stores, Traces::Known(40));
    }
}
