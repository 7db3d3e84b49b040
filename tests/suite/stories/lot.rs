//! An event whose order is drawn by lot: nobody knows it before the start, and everybody can check it afterwards.

mod loss;
mod operators;

use std::time::Duration;

use now_serving::page::iso_8601;
use now_serving::queue::draw::commitment;
use now_serving::queue::{Lane, Position, Seed};
use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor, inside, visitors};

pub(crate) use operators::*;

in_houses_whose_clock_is_turned! {
    a_decided_lot_is_known_where_no_visitor_waits
    a_lost_store_learns_the_order_from_a_ticket
    each_lane_has_an_order_of_its_own_and_learns_it_from_its_own_tickets
    a_lane_where_no_visitor_came_early_has_no_order
    the_order_is_the_same_in_every_data_centre
    a_store_that_is_away_at_the_start_draws_no_order_and_shows_no_number
}

const MINUTE: Duration = Duration::from_mins(1);
const SECOND: Duration = Duration::from_secs(1);

/// An event with its order by lot: its pre-queue, opening and end in seconds from now.
pub(super) fn timed(house: &House, id: &str, times: [i64; 3], more: &Value) -> Value {
    let second = i64::try_from(house.now_ms() / 1000).unwrap();
    let at = |after: i64| {
        let second = u64::try_from(second + after).unwrap();
        iso_8601(second * 1000).replace(".000", "")
    };
    let [prequeue, opens, closes] = times.map(at);
    let mut event = json!({
        "id": id, "prequeue": prequeue, "opens": opens, "closes": closes, "order": "drawn",
    });
    let more = more.as_object().unwrap().clone();
    event.as_object_mut().unwrap().extend(more);
    event
}

/// The same as the setting.
pub(super) fn set_event(house: &House, id: &str, times: [i64; 3], more: &Value) {
    house.set("event", &timed(house, id, times, more).to_string());
}

/// A line that is old enough, and an event with its order by lot that opens in a minute.
pub(super) fn event(house: &House, more: &Value) {
    house.set("automatic", "0");
    Visitor::new(house).ask("/");
    house.wait(3 * MINUTE);
    set_event(house, "sale", [0, 60, 3600], more);
    // The copy of the board is of the time before.
    house.wait(3 * SECOND);
}

/// The pre-queue of that event, and the time after its start.
pub(super) fn drawn<'a>(house: &'a House, many: usize, more: &Value) -> Vec<Visitor<'a>> {
    event(house, more);
    let mut line = visitors(house, many);
    for visitor in &mut line {
        let told = visitor.ask("/").json();
        assert_eq!(
            (&told["position"], &told["ahead"], &told["event"]["order"]),
            (&Value::Null, &Value::Null, &json!("drawn")),
            "{told}"
        );
        assert!(visitor.ticket.is_some());
    }
    house.wait(MINUTE);
    line
}

/// A look of each, and one more once the order is known everywhere.
pub(super) fn places(house: &House, line: &mut [Visitor<'_>]) -> Vec<Value> {
    for _ in 0..3 {
        line[0].ask("/");
        house.wait(2 * SECOND);
    }
    let place = |visitor: &mut Visitor<'_>| visitor.ask("/").json()["position"].clone();
    line.iter_mut().map(place).collect()
}

fn lot(visitor: &mut Visitor<'_>) -> Value {
    let got = visitor.send_once(Ask::get("/_queue/lot"));
    assert_eq!(got.status, 200, "{got:?}");
    got.json()
}

/// A decided lot as it is told, and the places within the event of so many visitors in the order in which they came.
pub(crate) fn drawn_and_decided(house: &House, many: usize) -> (Value, Vec<u64>) {
    let mut line = drawn(house, many, &json!({}));
    let places = places(house, &mut line);
    // One number was drawn before the event.
    let places = places.iter().map(|place| place.as_u64().unwrap() - 1);
    (lot(&mut line[0]), places.collect())
}

pub(crate) fn the_order_of_a_prequeue_is_drawn_and_everybody_can_check_it(house: &House) {
    let mut line = drawn(house, 8, &json!({}));
    let before = lot(&mut line[0]);
    assert_eq!(
        (&before["secret"], &before["value"]),
        (&Value::Null, &Value::Null)
    );
    let found = places(house, &mut line);
    let told = lot(&mut line[0]);
    assert_eq!(
        before["commitment"], told["commitment"],
        "it was published before"
    );
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    assert_eq!(commitment(&text("secret")), text("commitment"));
    assert_eq!((&told["drawn"], &told["value"]), (&json!(8), &json!("")));
    let seed = Seed::new(&text("secret"), &text("value"), Lane::Main, 8);
    assert_eq!(text("seed"), seed.hex());
    // One number was drawn before the event.
    let expected: Vec<Value> = (1..=8)
        .map(|came| json!(1 + seed.drawn(8, Position(came)).0))
        .collect();
    assert_eq!(found, expected);
    let ticket = json!({ "came": 1, "place": seed.drawn(8, Position(1)).0 });
    assert_eq!(told["ticket"], ticket);
    assert_eq!(
        Visitor::new(house).ask("/").json()["position"],
        10,
        "behind them"
    );
    house.permit(3);
    house.wait(2 * SECOND);
    let first: Vec<bool> = found
        .iter()
        .map(|number| number.as_u64().unwrap() <= 4)
        .collect();
    assert_eq!(inside(&mut line), first);
}

pub(crate) fn until_the_public_value_is_given_the_line_stands(house: &House) {
    let mut line = drawn(house, 5, &json!({ "public_value": "beacon 4711" }));
    assert_eq!(places(house, &mut line), vec![Value::Null; 5]);
    assert_eq!(lot(&mut line[0])["public_value_from"], "beacon 4711");
    let got = house.ask(&Ask::permit(1));
    assert_eq!(got.status, 409, "{got:?}");
    let page = line[0].send(Ask::get("/")).body;
    assert!(page.contains("Places are being drawn by lot."), "{page}");
    let calls = house.calls(|| {
        let told = house.change("public-value", r#"{"value": " 90ab 12 "}"#);
        assert_eq!(
            (&told["drawn"], &told["value"]),
            (&json!(5), &json!("90ab 12"))
        );
    });
    assert_eq!(calls, 1);
    house.wait(2 * SECOND);
    let mut found: Vec<u64> = places(house, &mut line)
        .iter()
        .map(|number| number.as_u64().unwrap())
        .collect();
    found.sort_unstable();
    assert_eq!(found, [2, 3, 4, 5, 6]);
    let told = lot(&mut line[0]);
    assert_eq!(
        (&told["value"], &told["drawn"]),
        (&json!("90ab 12"), &json!(5))
    );
}

pub(crate) fn no_public_value_is_taken_early_late_or_twice(house: &House) {
    let give = |value: &str| {
        let json = json!({ "value": value }).to_string();
        house.ask(&Ask::json_to("public-value", &json))
    };
    let got = give("1");
    assert!(
        got.status == 409 && got.body.contains("there is no event"),
        "{got:?}"
    );
    event(house, &json!({ "public_value": "beacon 4711" }));
    Visitor::new(house).ask("/");
    let got = give("1");
    assert!(
        got.status == 409 && got.body.contains("has not opened"),
        "{got:?}"
    );
    house.wait(MINUTE);
    for value in ["", " ", "\u{e9}", &"1".repeat(101), "1\n2"] {
        let got = give(value);
        assert!(
            got.status == 400 && got.body.contains("accepted is 1 to 100 characters"),
            "{got:?}"
        );
    }
    let got = house.ask(&Ask::permit(1).body("application/json", r#"{"value":"1"}"#));
    assert_eq!(got.status, 400);
    assert_eq!(give("1").status, 200);
    let got = give("2");
    assert!(
        got.status == 409 && got.body.contains("is decided"),
        "{got:?}"
    );
}

pub(crate) fn a_visitor_whom_no_copy_reaches_goes_in_by_the_lot_and_not_by_arrival(house: &House) {
    let mut line = drawn(house, 6, &json!({}));
    let mut rest = line.split_off(1);
    let first = places(house, &mut line)[0].as_u64().unwrap();
    let seed = {
        let told = lot(&mut line[0]);
        let text = |name: &str| told[name].as_str().unwrap().to_owned();
        Seed::new(&text("secret"), &text("value"), Lane::Main, 6)
    };
    assert_eq!(first, 1 + seed.drawn(6, Position(1)).0);
    house.permit(3);
    // Nobody here knows the line any more.
    house.forget_the_sign();
    let places = (2..=6).map(|came| seed.drawn(6, Position(came)).0);
    let goes_in: Vec<bool> = places.map(|place| place <= 3).collect();
    assert_eq!(inside(&mut rest), goes_in);
}

pub(crate) fn an_event_by_lot_that_nobody_came_early_for_opens_at_once(house: &House) {
    event(house, &json!({ "public_value": "beacon 4711" }));
    house.wait(MINUTE);
    let told = Visitor::new(house).ask("/").json();
    assert_eq!(
        (&told["position"], &told["event"]["phase"]),
        (&json!(2), &json!("open"))
    );
    let told = lot(&mut Visitor::new(house));
    assert_eq!((&told["drawn"], &told["secret"]), (&json!(0), &Value::Null));
}

fn a_lost_store_learns_the_order_from_a_ticket(house: &House) {
    let mut line = drawn(house, 8, &json!({ "public_value": "beacon 4711" }));
    places(house, &mut line);
    house.change("public-value", r#"{"value": "90ab12"}"#);
    house.wait(2 * SECOND);
    let expected = places(house, &mut line[..4]);
    let told = lot(&mut line[0]);
    house.store.command(&["FLUSHALL"]).unwrap();
    house.forget_pop();
    // Their tickets are evidence once the data are ten seconds old, and three of them are enough.
    for _ in 0..4 {
        for visitor in &mut line[..4] {
            visitor.ask("/");
            house.wait(3 * SECOND);
        }
    }
    let after = lot(&mut line[0]);
    for known in ["secret", "value", "drawn", "seed", "ticket"] {
        assert_eq!(after[known], told[known], "{known}");
    }
    assert_eq!(places(house, &mut line[..4]), expected);
    let rest = places(house, &mut line[4..]);
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let seed = Seed::new(&text("secret"), &text("value"), Lane::Main, 8);
    let drawn: Vec<Value> = (5..=8)
        .map(|came| json!(1 + seed.drawn(8, Position(came)).0))
        .collect();
    assert_eq!(rest, drawn, "who had not asked since the start");
}

/// A visitor of the region came before the event, and none in its pre-queue.
fn a_lane_where_no_visitor_came_early_has_no_order(house: &House) {
    house.set("regions", r#"[{"name":"west","pops":["SJC"]}]"#);
    house.go_to_pop_called("SJC");
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    let mut line = drawn(house, 3, &json!({ "public_value": "beacon" }));
    places(house, &mut line);
    // The order is not decided yet.
    house.go_to_pop_called("SJC");
    let mut late = Visitor::new(house);
    for _ in 0..3 {
        let told = late.ask("/").json();
        assert_eq!(
            (&told["lane"], &told["position"]),
            (&json!("west"), &json!(2)),
            "{told}"
        );
        house.wait(2 * SECOND);
    }
    let lot = lot(&mut late);
    assert_eq!(
        (&lot["lane"], &lot["drawn"]),
        (&json!("west"), &json!(0)),
        "{lot}"
    );
    for (lane, status) in [
        ("main", 200),
        ("front", 200),
        ("nowhere", 200),
        ("", 400),
        ("a b", 400),
    ] {
        let got = house.ask(&Ask::get(&format!(
            "/_queue/lot?lane={}",
            lane.replace(' ', "+")
        )));
        assert_eq!(got.status, status, "{lane:?}: {got:?}");
    }
}

/// In a room with regions, also where the store loses everything after the order was decided.
fn each_lane_has_an_order_of_its_own_and_learns_it_from_its_own_tickets(house: &House) {
    house.set("regions", r#"[{"name":"west","pops":["SJC"]}]"#);
    event(house, &json!({ "public_value": "beacon 4711" }));
    let mut line = visitors(house, 8);
    assert_eq!(inside(&mut line), [false; 8]);
    house.go_to_pop_called("SJC");
    let mut west = visitors(house, 6);
    for visitor in &mut west {
        let told = visitor.ask("/").json();
        assert_eq!(
            (&told["lane"], &told["position"]),
            (&json!("west"), &Value::Null),
            "{told}"
        );
    }
    house.wait(MINUTE);
    house.go_to_pop_called("SJC");
    places(house, &mut west[..1]);
    let told = house.change("public-value", r#"{"value": "90ab12"}"#);
    assert_eq!(told["drawn"], 14, "of all lanes: {told}");
    let found = places(house, &mut west);
    let told = lot(&mut west[0]);
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let west_lane = Lane::read("west").unwrap();
    let seed = Seed::new(&text("secret"), &text("value"), west_lane, 6);
    assert_eq!(
        (text("lane"), text("seed")),
        ("west".to_owned(), seed.hex())
    );
    let expected: Vec<Value> = (1..=6)
        .map(|came| json!(seed.drawn(6, Position(came)).0))
        .collect();
    assert_eq!(found, expected);
    house.go_to_pop(0);
    let main = places(house, &mut line);
    assert!(main.iter().all(Value::is_u64), "{main:?}");
    house.store.command(&["FLUSHALL"]).unwrap();
    house.forget_pop();
    for _ in 0..4 {
        for visitor in &mut line {
            visitor.ask("/");
            house.wait(2 * SECOND);
        }
    }
    assert_eq!(places(house, &mut line), main);
    house.go_to_pop_called("SJC");
    house.forget_pop();
    assert_eq!(places(house, &mut west), expected);
    assert_eq!(lot(&mut west[0])["seed"], told["seed"]);
}

fn the_order_is_the_same_in_every_data_centre(house: &House) {
    let mut line = drawn(house, 8, &json!({}));
    let here = places(house, &mut line);
    house.go_to_pop(1);
    let mut rest: Vec<Visitor<'_>> = line
        .iter()
        .map(|visitor| Visitor::holding(house, visitor.ticket.clone()))
        .collect();
    house.shift_pop(60_000);
    assert_eq!(places(house, &mut rest), here, "its clock is a minute fast");
}

fn a_store_that_is_away_at_the_start_draws_no_order_and_shows_no_number(house: &House) {
    use upstash_local::{Fault, Faults};
    event(house, &json!({}));
    let mut line = visitors(house, 4);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(MINUTE);
    assert_eq!(places(house, &mut line), vec![Value::Null; 4]);
    house.forget_pop();
    assert_eq!(inside(&mut line), [false; 4]);
    house.store.fail(Faults::none());
    house.wait(3 * SECOND);
    let mut found: Vec<u64> = places(house, &mut line)
        .iter()
        .filter_map(Value::as_u64)
        .collect();
    found.sort_unstable();
    assert_eq!(found, [2, 3, 4, 5]);
}
