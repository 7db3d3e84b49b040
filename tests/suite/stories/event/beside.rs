//! An event in a room that goes on before it and after it.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::{MINUTE, at_a_large_pace, permitted, positions, timed};
use crate::house::{Ask, House, Visitor, inside, visitors};

/// An event in two minutes, with two of pre-queue and two until its end.
fn event(house: &House, outside: &str, order: &str) {
    let mut event = timed(house, "sale", [120, 240, 360]);
    event["outside"] = outside.into();
    event["order"] = order.into();
    house.set("event", &event.to_string());
}

fn phase(house: &House) -> Value {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["event"]["phase"].clone()
}

pub(crate) fn a_room_that_goes_on_keeps_its_pace_before_an_event_and_after_it(house: &House) {
    at_a_large_pace(house);
    event(house, "automatic", "arrival");
    let mut early = Visitor::new(house);
    assert!(early.ask("/echo").inside, "before the event");
    assert_eq!(phase(house), "outside");
    house.wait(2 * MINUTE);
    let mut line = visitors(house, 2);
    assert_eq!(inside(&mut line), [false; 2], "in the pre-queue");
    let told = line[0].ask("/").json();
    assert_eq!(told["event"]["phase"], "prequeue", "{told}");
    assert!(early.ask("/echo").inside, "who was inside stays");
    house.wait(2 * MINUTE);
    assert_eq!(inside(&mut line), [true; 2], "in the event");
    house.wait(2 * MINUTE);
    assert!(Visitor::new(house).ask("/echo").inside, "after the event");
    assert_eq!(phase(house), "outside");
    assert!(early.ask("/echo").inside && line[0].ask("/echo").inside);
}

/// Neither the number nor the turn is lost: who waits wants in, whatever for.
pub(crate) fn who_waits_when_the_prequeue_begins_waits_on_before_those_who_come(house: &House) {
    house.set("automatic", "0");
    event(house, "automatic", "arrival");
    let mut line = visitors(house, 3);
    assert_eq!(positions(&mut line), [1, 2, 3]);
    house.permit(1);
    house.forget_the_sign();
    let called = line[0].ask("/_queue/place").json();
    assert_eq!(called["waiting"], false, "{called}");
    house.wait(2 * MINUTE + Duration::from_secs(3));
    assert_eq!(permitted(house).status, 409, "the line stands");
    let mut late = Visitor::new(house);
    assert_eq!(late.ask("/").json()["ahead"], 2);
    for (visitor, position) in line.iter_mut().zip([1, 2, 3]) {
        let told = visitor.ask("/").json();
        let found = (&told["position"], &told["notice"]);
        assert_eq!(found, (&json!(position), &Value::Null));
    }
    house.wait(2 * MINUTE);
    assert!(line[0].ask("/echo").inside, "called before the event");
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(inside(&mut line), [true; 3]);
    assert!(late.ask("/echo").inside);
}

/// All who wait when it opens are put in order.
pub(crate) fn who_waits_when_the_prequeue_begins_is_in_the_lot(house: &House) {
    house.set("automatic", "0");
    Visitor::new(house).ask("/");
    house.permit(1);
    house.wait(3 * MINUTE);
    event(house, "automatic", "drawn");
    let mut line = visitors(house, 5);
    assert_eq!(positions(&mut line[..2]), [2, 3]);
    house.wait(2 * MINUTE + Duration::from_secs(3));
    for visitor in &mut line {
        let told = visitor.ask("/").json();
        assert_eq!(told["position"], Value::Null, "{told}");
    }
    house.wait(2 * MINUTE);
    for _ in 0..3 {
        line[0].ask("/");
        house.wait(Duration::from_secs(2));
    }
    let mut places: Vec<u64> = positions(&mut line)
        .iter()
        .map(|place| place.as_u64().unwrap())
        .collect();
    places.sort_unstable();
    assert_eq!(places, [2, 3, 4, 5, 6]);
}

pub(crate) fn a_room_that_is_open_is_open_before_an_event_and_after_it(house: &House) {
    house.set("automatic", "0");
    event(house, "open", "arrival");
    assert!(Visitor::new(house).ask("/echo").inside, "without a pace");
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    let mut held = Visitor::new(house);
    assert!(!held.ask("/echo").inside, "in the pre-queue");
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    assert!(!held.ask("/echo").inside, "the event has no pace either");
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    assert!(
        held.ask("/echo").inside,
        "who waited in it goes in after it"
    );
    // What an operator sets holds outside of it as well.
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert!(!Visitor::new(house).ask("/echo").inside);
}

pub(crate) fn in_a_maintenance_visitors_wait_and_then_the_line_goes_on(house: &House) {
    at_a_large_pace(house);
    let mut maintenance = timed(house, "night", [120, 120, 240]);
    maintenance["outside"] = "automatic".into();
    maintenance["admits"] = "none".into();
    house.set("event", &maintenance.to_string());
    let mut early = Visitor::new(house);
    assert!(early.ask("/echo").inside);
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    let mut held = visitors(house, 2);
    assert_eq!(positions(&mut held), [2, 3]);
    assert_eq!(inside(&mut held), [false; 2]);
    assert_eq!(phase(house), "maintenance");
    let told = held[0].ask("/").json();
    let found = (&told["mode"], &told["event"]);
    assert_eq!(found, (&json!("hold"), &Value::Null), "{told}");
    assert_eq!(permitted(house).status, 409);
    assert!(early.ask("/echo").inside, "who was inside stays");
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    assert_eq!(inside(&mut held), [true; 2]);
}

/// The lot is of those who wait when it opens.
pub(crate) fn who_was_called_before_the_prequeue_is_told_of_no_lot(house: &House) {
    house.set("automatic", "0");
    event(house, "automatic", "drawn");
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    house.permit(1);
    house.wait(2 * MINUTE + Duration::from_secs(3));
    let stage = |visitor: &mut Visitor<'_>| visitor.ask("/_queue/place").json()["stage"].clone();
    assert_eq!(stage(&mut line[0]), "called");
    assert_eq!(stage(&mut line[1]), "lot");
}

/// Without a board the clock says that the lot is still to come, and a number that was told stays told.
pub(crate) fn a_number_before_the_prequeue_is_told_where_the_store_is_away(house: &House) {
    house.set("automatic", "0");
    event(house, "automatic", "drawn");
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    house.forget_pop();
    house.store.fail(Faults::always(Fault::Refuse));
    assert_eq!(positions(&mut line), [1, 2]);
}
