//! Features that say who goes in when, two at a time: each pair is accepted, and each of the two keeps its promise beside the other.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::invitations::{invitation_by, used};
use super::lot::timed;
use crate::house::{Ask, House, Visitor, claims};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Feature {
    Regions,
    Lot,
    Groups,
    Cap,
    AdaptivePace,
    Event,
    AbsentVisitors,
    /// An event beside normal service, which brings the pace.
    Beside,
    Stock,
}

use Feature::{AbsentVisitors, AdaptivePace, Beside, Cap, Event, Groups, Lot, Regions, Stock};

macro_rules! each_pair {
    ($($name:ident: $one:ident $other:ident,)*) => {
        mod native {
            use super::*;
            $(#[test] fn $name() { go_together(&House::native(), [$one, $other]); })*
        }
        mod redis {
            use super::*;
            $(#[test] fn $name() { go_together(&House::redis(), [$one, $other]); })*
        }
        mod pure {
            use super::*;
            #[test]
            fn no_pair_is_left_out() {
                let all = [
                    Regions, Lot, Groups, Cap, AdaptivePace, Event, AbsentVisitors, Beside, Stock,
                ];
                let told = [$([$one, $other]),*];
                for (at, one) in all.iter().enumerate() {
                    for other in &all[at + 1..] {
                        assert!(told.iter().any(|pair| pair == &[*one, *other]));
                    }
                }
            }
        }
    };
}

each_pair! {
    regions_and_a_lot: Regions Lot,
    regions_and_groups: Regions Groups,
    regions_and_a_cap: Regions Cap,
    regions_and_a_pace_that_follows_the_origin: Regions AdaptivePace,
    regions_and_an_event: Regions Event,
    regions_and_absent_visitors: Regions AbsentVisitors,
    a_lot_and_groups: Lot Groups,
    a_lot_and_a_cap: Lot Cap,
    a_lot_and_a_pace_that_follows_the_origin: Lot AdaptivePace,
    a_lot_and_an_event: Lot Event,
    a_lot_and_absent_visitors: Lot AbsentVisitors,
    groups_and_a_cap: Groups Cap,
    groups_and_a_pace_that_follows_the_origin: Groups AdaptivePace,
    groups_and_an_event: Groups Event,
    groups_and_absent_visitors: Groups AbsentVisitors,
    a_cap_and_a_pace_that_follows_the_origin: Cap AdaptivePace,
    a_cap_and_an_event: Cap Event,
    a_cap_and_absent_visitors: Cap AbsentVisitors,
    a_pace_that_follows_the_origin_and_an_event: AdaptivePace Event,
    a_pace_that_follows_the_origin_and_absent_visitors: AdaptivePace AbsentVisitors,
    an_event_and_absent_visitors: Event AbsentVisitors,
    regions_and_an_event_beside_them: Regions Beside,
    a_lot_and_an_event_beside_it: Lot Beside,
    groups_and_an_event_beside_them: Groups Beside,
    a_cap_and_an_event_beside_it: Cap Beside,
    a_pace_that_follows_the_origin_and_an_event_beside_it: AdaptivePace Beside,
    an_event_with_a_line_of_its_own_and_one_beside_the_room: Event Beside,
    absent_visitors_and_an_event_beside_them: AbsentVisitors Beside,
    regions_and_a_stock: Regions Stock,
    a_lot_and_a_stock: Lot Stock,
    groups_and_a_stock: Groups Stock,
    a_cap_and_a_stock: Cap Stock,
    a_pace_that_follows_the_origin_and_a_stock: AdaptivePace Stock,
    an_event_and_a_stock: Event Stock,
    absent_visitors_and_a_stock: AbsentVisitors Stock,
    an_event_beside_the_room_and_a_stock: Beside Stock,
}

const PERIOD: Duration = Duration::from_secs(15);
/// Each period has so many visitors.
const QUANTITY: u64 = 10;
/// The shares of two groups.
const VIP: u64 = 30;
const SHARE: u64 = 20;
const SLOTS: u64 = 12;
/// For so many visitors there is enough.
const ENOUGH: u64 = 32;

/// A visitor in a data centre.
struct One<'a> {
    visitor: Visitor<'a>,
    pop: &'static str,
    is_inside: bool,
}

impl One<'_> {
    /// The lane and the number on the ticket.
    fn place(&self) -> (String, u64) {
        let ticket = claims(self.visitor.ticket.as_deref().unwrap());
        let lane = ticket["lane"].as_str().unwrap_or("main");
        (lane.to_owned(), ticket["pos"].as_u64().unwrap())
    }
}

fn go_together(house: &House, pair: [Feature; 2]) {
    let has = |feature| pair.contains(&feature);
    set(house, pair);
    let opens = opens(house, pair);
    let mut all = arrive(house, &has);
    if has(Stock) {
        house.change("report", &json!({ "stock": ENOUGH }).to_string());
    }
    if let Some(opens_ms) = opens {
        ask_all(house, &mut all);
        assert!(all.iter().all(|one| !one.is_inside), "before the start");
        if has(Lot) {
            let told = all[0].visitor.ask("/").json();
            assert_eq!(told["position"], Value::Null, "{told}");
        }
        house.wait(Duration::from_millis(opens_ms - house.now_ms()));
    } else {
        house.change("mode", r#"{"mode":"automatic"}"#);
    }
    for _ in 0..4 {
        house.wait(PERIOD);
        house.forget_the_sign();
        ask_all(house, &mut all);
        in_the_order_of_their_lanes(&all);
        let inside = all.iter().filter(|one| one.is_inside).count() as u64;
        if has(Cap) {
            assert!(inside <= SLOTS, "{inside} of {SLOTS}");
            let sessions = &status(house)["sessions"];
            let many = |name: &str| sessions[name].as_u64().unwrap();
            assert!(many("inside") + many("promised") <= SLOTS, "{sessions}");
        }
    }
    kept_their_promises(house, pair, &all);
}

fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

fn set(house: &House, pair: [Feature; 2]) {
    house.set("automatic", "15");
    let quantity = if pair.contains(&Beside) { 1 } else { QUANTITY };
    house.set("automatic_quantity", &quantity.to_string());
    for feature in pair {
        match feature {
            Regions => {
                let west = r#"[{"name":"west","pops":["SJC"],"share":50}]"#;
                house.set("regions", west);
            }
            Groups => house.set(
                "priority",
                &format!(r#"[{{"name":"vip","share":{VIP}}},{{"name":"front","share":{SHARE}}}]"#),
            ),
            Cap => {
                house.set("total_active", &SLOTS.to_string());
                house.set("session_minutes", "20");
            }
            AdaptivePace => {
                house.set("origin_health", "on");
                house.set("adaptive_pace", "on");
            }
            AbsentVisitors => house.set("absent_visitors", "on"),
            Lot | Event | Beside | Stock => {}
        }
    }
    // Data that are young begin no event and seal no lot.
    house.change("mode", r#"{"mode":"hold"}"#);
    house.wait(Duration::from_mins(3));
    Visitor::new(house).ask("/");
}

/// When the event opens, where there is one; then its pre-queue has begun.
fn opens(house: &House, pair: [Feature; 2]) -> Option<u64> {
    let of = |id, times, order| {
        let mut more = json!({ "order": order });
        if pair.contains(&Beside) {
            more["outside"] = "automatic".into();
            more["with"] = json!({ "automatic_quantity": QUANTITY });
        }
        timed(house, id, times, &more)
    };
    let events = match pair {
        [Event, Beside] => {
            let mut early = of("early", [0, 20, 40], "arrival");
            early["outside"] = "closed".into();
            json!([early, of("sale", [45, 105, 7200], "arrival")])
        }
        [Lot, Event] => json!([
            of("early", [0, 20, 40], "arrival"),
            of("sale", [45, 105, 7200], "drawn")
        ]),
        [Lot, _] | [_, Lot] => of("sale", [0, 60, 7200], "drawn"),
        [Event | Beside, _] | [_, Event | Beside] => of("sale", [0, 60, 7200], "arrival"),
        _ => return None,
    };
    house.set("event", &events.to_string());
    house.change("mode", r#"{"mode":"automatic"}"#);
    let is_second = matches!(pair, [Lot, Event] | [Event, Beside]);
    let opens_ms = house.now_ms() / 1000 * 1000 + if is_second { 105_000 } else { 60_000 };
    if is_second {
        house.wait(Duration::from_secs(25));
        Visitor::new(house).ask("/");
        house.wait(Duration::from_secs(25));
    }
    house.wait(Duration::from_secs(3));
    Some(opens_ms)
}

/// Forty visitors come, some of them from the west and some with an invitation.
fn arrive<'a>(house: &'a House, has: &dyn Fn(Feature) -> bool) -> Vec<One<'a>> {
    let codes = ["vip", "front"].map(|name| invitation_by(Some(name), house, name, 100, 3600));
    let mut all = Vec::new();
    for at in 0..40 {
        let pop = if at % 3 == 0 { "SJC" } else { "FRA" };
        house.go_to_pop_called(pop);
        let mut visitor = Visitor::new(house);
        if has(Groups) && at % 4 == 0 {
            used(&mut visitor, &codes[at / 4 % 2]);
        } else {
            visitor.ask("/");
        }
        all.push(One {
            visitor,
            pop,
            is_inside: false,
        });
    }
    all
}

fn ask_all(house: &House, all: &mut [One<'_>]) {
    for _ in 0..2 {
        for one in all.iter_mut().filter(|one| !one.is_inside) {
            house.go_to_pop_called(one.pop);
            one.is_inside = one.visitor.ask("/").inside;
        }
        house.wait(Duration::from_secs(1));
    }
}

/// Nobody inside has a greater number than a visitor of the same lane who waits.
fn in_the_order_of_their_lanes(all: &[One<'_>]) {
    let mut lanes: BTreeMap<String, Vec<(u64, bool)>> = BTreeMap::new();
    for one in all {
        let (lane, number) = one.place();
        lanes.entry(lane).or_default().push((number, one.is_inside));
    }
    for (lane, mut numbers) in lanes {
        numbers.sort_unstable();
        assert!(
            numbers.windows(2).all(|two| two[0].0 < two[1].0),
            "a number twice in {lane}: {numbers:?}"
        );
        assert!(
            numbers.is_sorted_by_key(|(_, is_inside)| !is_inside),
            "{lane}: {numbers:?}"
        );
    }
}

fn kept_their_promises(house: &House, pair: [Feature; 2], all: &[One<'_>]) {
    let told = status(house);
    let inside = |name: &str| {
        let of_lane = all.iter().filter(|one| one.place().0 == name);
        of_lane.filter(|one| one.is_inside).count() as u64
    };
    let (vip, front) = (inside("vip"), inside("front"));
    let (west, main) = (inside("west"), inside("main"));
    let sum = vip + front + west + main;
    // The visitor who came first, and never again, may have a slot that is kept.
    let least = if pair.contains(&Cap) { SLOTS - 1 } else { 30 };
    assert!(sum >= least, "{sum}");
    for feature in pair {
        match feature {
            // Half of what groups leave; and all that the other lane does not use.
            Regions => assert!(west.abs_diff(main) <= 12 && west >= 6, "{west} {main}"),
            Groups => {
                let most = |share: u64| (sum * share).div_ceil(100) + 8;
                assert!(vip > 0 && vip <= most(VIP), "{vip} of {sum}");
                assert!(front > 0 && front <= most(SHARE), "{front} of {sum}");
            }
            Cap => assert_eq!(told["sessions"]["inside"], sum, "{told}"),
            AdaptivePace => assert_eq!(told["origin"]["window"]["setting"], "on", "{told}"),
            AbsentVisitors => assert_eq!(told["absent"]["setting"], "on", "{told}"),
            Lot => {
                let lot = house.ask(&Ask::get("/_queue/lot")).json();
                assert!(lot["seed"].is_string(), "{lot}");
                assert!(lot["drawn"].as_u64() > Some(0), "{lot}");
            }
            Event => assert_eq!(told["mode"], "automatic", "{told}"),
            Beside => {
                let pace = &told["rate"]["automatic_quantity"];
                assert_eq!(pace, QUANTITY, "{told}");
            }
            Stock => {
                let left = told["stock"].as_u64().unwrap();
                assert!(sum + left <= ENOUGH, "{sum} and {left}");
            }
        }
    }
}
