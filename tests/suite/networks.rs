//! How many numbers one network may draw in an hour, where crowds come from one network or from many.

use std::time::Duration;

use now_serving::queue::{AbsentVisitors, Enforcement, NetworkBound};
use now_serving::queue::{Now, Pace, RoomName};
use now_serving::store::Line;
use serde_json::Value;

use crate::house::{Ask, House, Visitor, visitors};
use crate::metrics::{numbers, scrape};
use crate::stories::networks::{calculated, sent};
use crate::traces::embedded;

const START_MS: u64 = 1_800_000_000_000;
const PACE: Pace = Pace {
    automatic: 15,
    quantity: 2,
};
/// A bound with a challenge above it.
const BOUND: NetworkBound = NetworkBound {
    draws: 100,
    enforcement: Some(Enforcement::On),
};

/// How many numbers the store gives to this number of visitors, spread over these networks.
fn drawn(many: usize, networks: usize) -> usize {
    let store = embedded();
    let drawn = (0..many).filter(|visitor| {
        let room = RoomName::new("main");
        let line = Line {
            pace: PACE,
            absent_visitors: AbsentVisitors::default(),
            network: format!("network-{}", visitor % networks),
            bound: BOUND,
            ..tables::line(&store, &room, Now::from_ms(START_MS))
        };
        let answer = line.join(&format!("visitor-{visitor}")).unwrap();
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
    fn the_metrics_count_the_draws_above_the_bound() {
        let house = House::native();
        house.set("network_bound", "observe");
        house.set("network_draws", "3");
        for mut visitor in visitors(&house, 5) {
            visitor.ask("/");
        }
        let told = numbers(&house.ask(&scrape()).body);
        let name = "now_serving_network_bound_draws_total{room=\"main\"}";
        assert_eq!(told.get(name).copied(), Some(2.0));
    }
}

mod simulated {
    use super::*;

    /// When each of these visitors, who come together, gets a number without a calculation, and how often each asked.
    fn waited(house: &House, many: usize) -> (Vec<u64>, Vec<u64>) {
        let own = [198, 51, 100, 1];
        let mut all: Vec<(Visitor<'_>, u64, u64)> =
            (0..many).map(|_| (Visitor::new(house), 0, 0)).collect();
        let (mut now, mut drawn) = (0, Vec::new());
        while drawn.len() < many {
            for (visitor, at, times) in &mut all {
                if *at > now {
                    continue;
                }
                let told = asked(visitor, own);
                *times += 1;
                if told["position"].is_u64() {
                    drawn.push(now);
                    *at = u64::MAX;
                } else {
                    *at = now + told["refresh_seconds"].as_u64().unwrap();
                }
            }
            let next = all.iter().map(|(_, at, _)| *at).min().unwrap();
            if next < u64::MAX {
                house.wait(Duration::from_secs(next - now));
                now = next;
            }
        }
        (drawn, all.into_iter().map(|(.., times)| times).collect())
    }

    #[test]
    fn sixty_visitors_of_one_network_who_wait_side_by_side_above_a_bound_of_two_take_an_hour() {
        let house = house("2");
        asked(&mut Visitor::new(&house), [198, 51, 100, 1]);
        asked(&mut Visitor::new(&house), [198, 51, 100, 1]);
        let (drawn, times) = waited(&house, 60);
        assert_eq!(drawn[0], 600, "{drawn:?}");
        assert!(drawn[59] >= 3600, "{drawn:?}");
        let mut crowds = drawn.windows(9).filter(|nine| nine[8] - nine[0] < 60);
        assert_eq!(
            crowds.next(),
            None,
            "six after a pause, and two where the hour begins anew: {drawn:?}"
        );
        assert!(times.iter().all(|times| *times <= 4), "{times:?}");
    }

    #[test]
    fn of_ten_thousand_draws_one_network_gets_its_bound_and_ten_thousand_networks_all() {
        assert_eq!(drawn(10_000, 1), 100);
        assert_eq!(drawn(10_000, 10_000), 10_000);
    }

    /// Half of the clients of a network keep no cookies. One in a thousand is a browser, which calculates.
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
            if client % 1_000 == 999 {
                let challenge = &told["challenge"];
                let text = challenge["text"].as_str().unwrap();
                visitor.send_once(sent(text, &calculated(challenge)).from(address));
                assert!(asked(&mut visitor, address)["position"].is_u64());
                browsers += 1;
            }
        }
        assert_eq!((browsers, length(&house)), (2, 1 + 100 + browsers));
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
}
