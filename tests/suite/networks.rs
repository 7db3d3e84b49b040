//! How many numbers one network may draw in an hour, in random histories: the model, the embedded store and a real Redis answer
//! alike, step by step.

use std::collections::BTreeMap;

use now_serving::cache::NoSign;
use now_serving::operator::verbs::{Epoch, Intent, SetMode};
use now_serving::queue::{AboveBound, Enforcement, Lane, Mode, NetworkBound};
use now_serving::queue::{AbsentVisitors, Asker, Call, Cap, HealthRule, LineAnswer, Model};
use now_serving::queue::{Now, Outcome, Pace, RoomName, Schedule, WaitingProof};
use now_serving::store::{Clock, Line, MayDraw};
use proptest::prelude::*;
use serde_json::Value;
use upstash_local::Redis;

use crate::house::{Ask, Direct, House, Visitor, admin, visitors};
use crate::metrics::{numbers, scrape};
use crate::stories::networks::{calculated, sent};
use crate::traces::{Traces, both, changed, embedded, runner};

const START_MS: u64 = 1_800_000_000_000;
const HOUR_MS: u64 = 3_600_000;
const PACE: Pace = Pace {
    automatic: 15,
    quantity: 2,
};
/// The first is of a visitor whose address is not known.
const NETWORKS: [&str; 3] = ["", "near", "far"];

/// One thing that happens.
#[derive(Clone, Debug)]
enum Step {
    /// A new visitor of a network draws, or one whose challenge is solved.
    Join(usize, Proof),
    /// A visitor whose answer was lost repeats the draw.
    Repeat(usize),
    /// A visitor looks at the sign, and draws where the ticket has ended.
    Look(usize),
    Mode(Mode),
    EndAll,
    /// The store loses all data.
    Lose,
    Wait(u64),
}

/// Whether a visitor has solved a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proof {
    None,
    Solved,
}

fn step() -> impl Strategy<Value = Step> {
    let mode = prop::sample::select(&Mode::ALL[..]);
    let proof = prop_oneof![4 => Just(Proof::None), 1 => Just(Proof::Solved)];
    prop_oneof![
        9 => (0..NETWORKS.len(), proof).prop_map(|(which, proof)| Step::Join(which, proof)),
        2 => any::<usize>().prop_map(Step::Repeat),
        3 => any::<usize>().prop_map(Step::Look),
        1 => prop_oneof![3 => Just(Mode::Automatic), 1 => mode].prop_map(Step::Mode),
        1 => Just(Step::EndAll),
        1 => Just(Step::Lose),
        3 => prop_oneof![3 => 0_u64..60_000, 1 => HOUR_MS - 60_000..HOUR_MS + 60_000].prop_map(Step::Wait),
    ]
}

fn bound() -> impl Strategy<Value = NetworkBound> {
    let enforcement = vec![None, Some(Enforcement::Observe), Some(Enforcement::On)];
    let enforcement = prop::sample::select(enforcement);
    (1_u64..5, enforcement).prop_map(|(draws, enforcement)| NetworkBound { draws, enforcement })
}

/// A visitor who has a number.
struct Holder {
    id: String,
    network: &'static str,
    place: WaitingProof,
}

struct Play<'a> {
    stores: &'a [Direct],
    bound: NetworkBound,
    model: Model,
    holders: Vec<Holder>,
    /// When the hour of a network ends, and how many numbers it drew without a solved challenge.
    hours: BTreeMap<&'static str, (u64, u64)>,
    now_ms: u64,
    ids: u64,
}

impl Play<'_> {
    fn new(stores: &[Direct], bound: NetworkBound) -> Play<'_> {
        Play {
            stores,
            bound,
            model: Model::new(PACE),
            holders: Vec::new(),
            hours: BTreeMap::new(),
            now_ms: START_MS,
            ids: 0,
        }
    }

    /// The same verb everywhere: same answers.
    fn everywhere<T: PartialEq + std::fmt::Debug>(
        &mut self,
        (network, bound): (&str, NetworkBound),
        model: impl Fn(&mut Model, Call<'_>) -> T,
        verb: impl Fn(&Line<'_>) -> T,
    ) -> T {
        let call = Call {
            now_ms: self.now_ms,
            known: None,
            brought: &[],
        };
        let expected = model(&mut self.model, call);
        for store in self.stores {
            let line = Line {
                store,
                room: &RoomName::new("main"),
                pace: PACE,
                absent_visitors: AbsentVisitors::default(),
                cap: Cap::default(),
                schedule: Schedule::NONE,
                health: (HealthRule::OFF, 0),
                network: network.to_owned(),
                bound,
                invitation: None,
                lane: Lane::Main,
                front_share: 0,
                regions: None,
                lifetime: 172_800,
                pop: String::new(),
                now: Now::from_ms(self.now_ms),
                clock: Clock::Given,
                known: &NoSign,
            };
            assert_eq!(verb(&line), expected);
        }
        expected
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Join(which, proof) => self.join(NETWORKS[*which], *proof),
            Step::Repeat(which) => self.repeat(*which),
            Step::Look(which) => self.look(*which),
            Step::Mode(mode) => {
                self.change(&SetMode(*mode), |model, call| model.set_mode(*mode, call));
            }
            Step::EndAll => {
                self.now_ms += 1_000;
                self.change(&Epoch, Model::end_all);
            }
            Step::Lose => {
                for store in self.stores {
                    store.0.command(&["FLUSHALL"]).unwrap();
                }
                self.now_ms += 1_000;
                self.model = Model::new(PACE);
                self.holders.clear();
                self.hours.clear();
            }
            Step::Wait(time) => self.now_ms += time,
        }
    }

    fn join(&mut self, network: &'static str, proof: Proof) {
        self.ids += 1;
        let id = format!("visitor-{}", self.ids);
        let bound = match proof {
            Proof::None => self.bound,
            Proof::Solved => self.bound.lifted(),
        };
        let answer = self.draw(&id, network, bound);
        self.check(network, proof, &answer);
        self.keep(id, network, &answer);
    }

    fn draw(&mut self, id: &str, network: &'static str, bound: NetworkBound) -> LineAnswer {
        let asker = Asker {
            id,
            network,
            bound,
            invitation: None,
            lane: Lane::Main,
            event: None,
        };
        self.everywhere(
            (network, bound),
            |model, call| model.join(asker, call),
            |line| line.join(id).unwrap(),
        )
    }

    /// No network has more numbers in an hour than its bound, and none is held back before.
    fn check(&mut self, network: &'static str, proof: Proof, answer: &LineAnswer) {
        let mode = answer.sign.live.mode;
        let is_held_back = answer.above == Some(AboveBound::Challenged);
        let is_closed = mode == Mode::Closed;
        assert_eq!(answer.position.is_none(), is_closed || is_held_back);
        let holds = self.bound.enforcement == Some(Enforcement::On);
        if !holds || network.is_empty() || is_closed {
            assert!(!is_held_back);
            return;
        }
        let hour = self.hours.entry(network).or_default();
        if self.now_ms >= hour.0 {
            *hour = (self.now_ms + HOUR_MS, 0);
        }
        let may_draw = hour.1 < self.bound.draws || mode == Mode::Open;
        assert_eq!(is_held_back, !may_draw && proof == Proof::None);
        hour.1 += u64::from(!is_held_back);
    }

    fn keep(&mut self, id: String, network: &'static str, answer: &LineAnswer) {
        let place = answer.position.map(|position| answer.sign.place(position));
        let holder = place.map(|place| Holder { id, network, place });
        self.holders.extend(holder);
    }

    /// A repeated draw gets the same number, and counts for no network.
    fn repeat(&mut self, which: usize) {
        let Some(index) = which.checked_rem(self.holders.len()) else {
            return;
        };
        let Holder { id, network, place } = self.holders.swap_remove(index);
        let answer = self.draw(&id, network, self.bound);
        if answer.sign.number(place) == answer.position && answer.position.is_some() {
            assert_eq!(answer.above, None);
        } else {
            self.check(network, Proof::None, &answer);
        }
        self.keep(id, network, &answer);
    }

    fn look(&mut self, which: usize) {
        let Some(index) = which.checked_rem(self.holders.len()) else {
            return;
        };
        let Holder { id, network, place } = self.holders.swap_remove(index);
        let asker = Asker {
            id: &id,
            network,
            bound: self.bound,
            invitation: None,
            lane: Lane::Main,
            event: None,
        };
        let answer = self.everywhere(
            (network, self.bound),
            |model, call| model.look(asker, place, call),
            |line| line.look(&id, (place, None), MayDraw::Yes, &[]).unwrap(),
        );
        if answer.sign.number(place) != answer.position || answer.position.is_none() {
            self.check(network, Proof::None, &answer);
        }
        self.keep(id, network, &answer);
    }

    fn change(&mut self, intent: &dyn Intent, on_model: impl Fn(&mut Model, Call<'_>) -> Outcome) {
        self.everywhere(
            ("", self.bound),
            |model, call| changed(on_model(model, call)),
            |line| line.change(intent.change(), &admin()).unwrap(),
        );
    }
}

fn hold_over(stores: &[Direct], traces: Traces) {
    let histories = (bound(), prop::collection::vec(step(), 1..60));
    let outcome = runner(traces).run(&histories, |(bound, steps)| {
        for store in stores {
            store.0.command(&["FLUSHALL"]).unwrap();
        }
        let mut play = Play::new(stores, bound);
        for step in &steps {
            play.step(step);
        }
        Ok(())
    });
    outcome.unwrap();
}

/// A bound with a challenge above it.
const BOUND: NetworkBound = NetworkBound {
    draws: 100,
    enforcement: Some(Enforcement::On),
};

/// How many numbers the model and the store give to this number of visitors, spread over these networks.
fn drawn(many: usize, networks: usize) -> usize {
    let stores = [embedded()];
    let mut play = Play::new(&stores, BOUND);
    let drawn = (0..many).filter(|visitor| {
        let network = format!("network-{}", visitor % networks);
        let id = format!("visitor-{visitor}");
        let asker = Asker {
            id: &id,
            network: &network,
            bound: BOUND,
            invitation: None,
            lane: Lane::Main,
            event: None,
        };
        let answer = play.everywhere(
            (&network, BOUND),
            |model, call| model.join(asker, call),
            |line| line.join(&id).unwrap(),
        );
        answer.position.is_some()
    });
    drawn.count()
}

/// A room with a line, with this bound.
fn house(draws: &str) -> House {
    let house = House::native();
    house.warm();
    house.set("network_bound", "challenge");
    house.set("network_draws", draws);
    visitors(&house, 1)[0].ask("/");
    house
}

fn length(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["length"].as_u64().unwrap()
}

/// A visitor from an address, who comes back at once where the answer says so.
fn asked(visitor: &mut Visitor<'_>, address: [u8; 4]) -> Value {
    let got = visitor.send_once(Ask::get("/").json().from(address));
    if got.is_provisional() {
        return visitor.send_once(Ask::get("/").json().from(address)).json();
    }
    got.json()
}

mod native {
    use super::*;

    #[test]
    fn a_challenge_costs_one_call_and_its_answer_none() {
        let house = house("1");
        let mut first = Visitor::new(&house);
        let own = [198, 51, 100, 1];
        assert_eq!(house.calls(|| drop(asked(&mut first, own))), 1, "a draw");
        let mut second = Visitor::new(&house);
        let mut challenge = Value::Null;
        let calls = house.calls(|| challenge = asked(&mut second, own)["challenge"].clone());
        assert_eq!(calls, 1, "no number was drawn");
        assert_eq!(house.calls(|| drop(asked(&mut second, own))), 0);
        let answer = calculated(&challenge);
        let ask = sent(challenge["text"].as_str().unwrap(), &answer).from(own);
        assert_eq!(house.calls(|| drop(second.send_once(ask))), 0);
        let calls = house.calls(|| assert_eq!(asked(&mut second, own)["position"], 3));
        assert_eq!(calls, 1, "the draw");
        let neighbour = asked(&mut Visitor::new(&house), [198, 51, 100, 250]);
        assert!(neighbour["challenge"].is_object(), "of the same network");
        assert_eq!(
            asked(&mut Visitor::new(&house), [198, 51, 101, 1])["position"],
            4
        );
    }

    #[test]
    fn a_network_draws_no_more_than_its_bound_in_a_few_histories() {
        hold_over(&[embedded()], Traces::Known(60));
    }

    #[test]
    fn the_metrics_count_the_draws_above_the_bound() {
        let house = House::native();
        house.set("network_bound", "observe");
        house.set("network_draws", "3");
        for mut visitor in visitors(&house, 5) {
            visitor.ask("/");
        }
        let told = numbers(&house.ask(&scrape()).body);
        let name = "queue_network_bound_draws_total{room=\"main\"}";
        assert_eq!(told.get(name).copied(), Some(2.0));
    }
}

mod simulated {
    use super::*;

    #[test]
    fn of_ten_thousand_draws_one_network_gets_its_bound_and_ten_thousand_networks_all() {
        assert_eq!(drawn(10_000, 1), 100);
        assert_eq!(drawn(10_000, 10_000), 10_000);
    }

    /// Half of the clients of a network keep no cookies. One in four hundred is a browser, which calculates.
    #[test]
    fn behind_a_crowd_of_one_network_every_browser_gets_a_number_and_no_cookieless_client_does() {
        let house = house("100");
        let mut browsers = 0;
        for client in 0..2_000_u64 {
            let [.., low] = client.to_be_bytes();
            let address = [203, 0, 113, low];
            let mut visitor = Visitor::new(&house);
            if client % 2 == 0 {
                house.ask(&Ask::get("/").json().from(address));
                continue;
            }
            let told = asked(&mut visitor, address);
            if client % 400 == 399 {
                let challenge = &told["challenge"];
                let text = challenge["text"].as_str().unwrap();
                visitor.send_once(sent(text, &calculated(challenge)).from(address));
                assert!(asked(&mut visitor, address)["position"].is_u64());
                browsers += 1;
            }
        }
        assert_eq!((browsers, length(&house)), (5, 1 + 100 + browsers));
    }

    #[test]
    fn from_two_thousand_networks_every_visitor_gets_a_number() {
        let house = house("1");
        for client in 0..2_000_u64 {
            let [.., high, low] = client.to_be_bytes();
            let told = asked(&mut Visitor::new(&house), [10, high, low, 1]);
            assert!(told["position"].is_u64(), "{told}");
        }
        assert_eq!(length(&house), 2_001);
    }

    #[test]
    fn a_network_draws_no_more_than_its_bound() {
        hold_over(&[embedded()], Traces::Known(400));
    }
}

mod long {
    use super::*;

    #[test]
    fn the_bound_of_a_network_holds_in_new_histories() {
        hold_over(&[embedded()], Traces::New(800));
    }
}

mod redis {
    use super::*;

    #[test]
    fn the_model_the_embedded_store_and_redis_count_networks_alike() {
        let redis = Redis::start().unwrap();
        let stores = both(&redis);
        hold_over(&stores, Traces::Known(200));
    }
}
