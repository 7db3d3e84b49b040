//! What an event brings, and gives back at its end.

use std::time::Duration;

use audit::audit;
use serde_json::{Value, json};

use super::{MINUTE, at_a_large_pace, positions, served_by_lot, timed, timed_with};
use crate::house::{Ask, House, Visitor, inside};

in_houses_whose_clock_is_turned! {
    a_visit_of_fixed_length_ends_though_its_visitor_comes_again
    an_event_keeps_the_visits_that_it_finds_unless_it_says_otherwise
}

/// An event in two minutes, with two of pre-queue and two until its end, in a room that goes on, with more members.
fn event(house: &House, more: &Value) {
    let mut event = timed_with(house, "sale", [120, 240, 360], more);
    if more.get("outside").is_none() {
        event["outside"] = "automatic".into();
    }
    house.set("event", &event.to_string());
}

/// A setting that operators can change: its value, and who set it.
fn live(house: &House, name: &str) -> (Value, Value) {
    let told = house.ask(&Ask::get("/_queue/settings").operator()).json();
    let told = &told[name];
    (told["now"].clone(), told["by"].clone())
}

fn pace(house: &House) -> (Value, Value) {
    let (pace, by) = live(house, "pace");
    (pace["automatic_quantity"].clone(), by)
}

/// Of each line of the journal by an event or an operator: who, and what.
fn journal(house: &House) -> Vec<String> {
    let page = house.ask(&Ask::get("/_queue/journal").operator()).json();
    assert_eq!(
        audit(&[&page.to_string()], &[]).faults,
        Vec::<String>::new()
    );
    let lines = page["lines"].as_array().unwrap().iter();
    let words = lines.map(|line| line.as_str().unwrap().split(' ').collect::<Vec<_>>());
    let changes = words.filter(|words| words[3] == "change");
    changes
        .map(|words| format!("{} {}", words[14], words[15]))
        .collect()
}

pub(crate) fn an_event_brings_its_pace_cap_and_message_and_gives_them_back(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "30");
    house.change("message", r#"{"message":"Hello"}"#);
    let with = json!({
        "automatic": 60, "automatic_quantity": 200, "total_active": 500, "session_renewal": "off",
        "message": "Sale: 5 % off + more",
    });
    event(house, &json!({ "with": with }));
    let by_event = || (json!(200), json!("event:sale"));
    assert_eq!(pace(house), (json!(30), Value::Null));
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    house.wait(2 * MINUTE);
    assert_eq!(pace(house), by_event(), "from the pre-queue on");
    let mut late = Visitor::new(house);
    assert_eq!(late.ask("/").json()["message"], "Sale: 5 % off + more");
    house.wait(2 * MINUTE);
    assert!(late.ask("/echo").inside);
    let (cap, by) = live(house, "cap");
    let found = (
        &cap["total_active"],
        &cap["session_minutes"],
        &cap["session_renewal"],
        by,
    );
    assert_eq!(
        found,
        (&json!(500), &json!(20), &json!("off"), json!("event:sale"))
    );
    house.wait(2 * MINUTE + Duration::from_secs(3));
    assert_eq!(pace(house), (json!(30), Value::Null), "as before");
    assert_eq!(live(house, "message"), (json!("Hello"), json!("admin")));
    assert_eq!(live(house, "cap").0["total_active"], 0);
    assert!(late.ask("/echo").inside, "the cap went, and nobody with it");
    assert!(Visitor::new(house).ask("/echo").inside);
    let expected = [
        "admin message:Hello",
        "event:sale phase:outside",
        "event:sale phase:prequeue",
        "event:sale pace:60:200",
        "event:sale message:Sale:,5,%,off,+,more",
        "event:sale cap:500,20,60,off",
        "event:sale phase:open",
        "event:sale phase:outside",
        "event:sale pace:60:30",
        "event:sale message:Hello",
        "event:sale cap:-",
    ];
    let told = journal(house);
    let named = |line: &&String| !line.contains("sha1:");
    let expected: Vec<&str> = expected
        .into_iter()
        .filter(|line| !line.contains('%'))
        .collect();
    assert_eq!(told.iter().filter(named).collect::<Vec<_>>(), expected);
}

pub(crate) fn what_an_operator_sets_while_an_event_runs_stays_after_it(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "30");
    house.change("settings", r#"{"automatic":60,"automatic_quantity":40}"#);
    event(
        house,
        &json!({ "with": { "automatic": 60, "automatic_quantity": 200, "message": "Sale" } }),
    );
    house.wait(3 * MINUTE);
    assert_eq!(pace(house).0, 200, "what was set before does not hold");
    let told = house.change("settings", r#"{"automatic":60,"automatic_quantity":100}"#);
    assert_eq!(pace(house), (json!(100), json!("admin")));
    let after = house.ask(&Ask::get("/_queue/settings").operator()).json();
    assert_eq!(after["version"], told["version"], "that was one change");
    let last = journal(house).pop().unwrap();
    assert_eq!(last, "admin pace:60:100", "and not the event's");
    house.forget_the_sign();
    assert_eq!(
        Visitor::new(house).ask("/").json()["message"],
        "Sale",
        "that is the event's"
    );
    house.change(
        "settings",
        r#"{"automatic":null,"automatic_quantity":null}"#,
    );
    assert_eq!(pace(house), (json!(200), json!("event:sale")), "given back");
    house.change("settings", r#"{"automatic":60,"automatic_quantity":90}"#);
    house.wait(4 * MINUTE);
    assert_eq!(pace(house), (json!(90), json!("admin")), "and stays");
}

pub(crate) fn an_event_sets_a_mode_at_its_end_until_an_operator_does(house: &House) {
    at_a_large_pace(house);
    event(house, &json!({ "then": "hold" }));
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert!(Visitor::new(house).ask("/echo").inside);
    house.wait(4 * MINUTE);
    house.forget_the_sign();
    assert!(Visitor::new(house).ask("/echo").inside, "in the event");
    house.wait(2 * MINUTE);
    house.forget_the_sign();
    let mut held = Visitor::new(house);
    assert!(!held.ask("/echo").inside);
    assert_eq!(live(house, "mode"), (json!("hold"), json!("event:sale")));
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.forget_the_sign();
    assert!(held.ask("/echo").inside, "an operator lets in again");
    assert_eq!(live(house, "mode"), (json!("automatic"), json!("admin")));
}

pub(crate) fn a_closed_room_may_go_on_after_its_event(house: &House) {
    at_a_large_pace(house);
    event(house, &json!({ "outside": "closed", "then": "automatic" }));
    assert!(!Visitor::new(house).ask("/echo").inside);
    house.wait(6 * MINUTE);
    house.forget_the_sign();
    assert!(Visitor::new(house).ask("/echo").inside);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert!(!Visitor::new(house).ask("/echo").inside);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.forget_the_sign();
    assert!(
        Visitor::new(house).ask("/echo").inside,
        "as an operator sets it"
    );
}

pub(crate) fn an_event_keeps_the_visits_that_it_finds_unless_it_says_otherwise(house: &House) {
    at_a_large_pace(house);
    house.set("total_active", "10");
    for (keeps, id) in [(true, "one"), (false, "two")] {
        let mut event = timed(house, id, [180, 240, 300]);
        event["outside"] = "automatic".into();
        event["keeps_inside"] = keeps.into();
        let mut guest = Visitor::new(house);
        assert!(guest.ask("/echo").inside);
        house.set("event", &event.to_string());
        house.wait(3 * MINUTE);
        // The event begins with a visitor who comes.
        Visitor::new(house).ask("/");
        house.wait(Duration::from_secs(3));
        guest.ask("/echo");
        house.wait(Duration::from_secs(3));
        assert_eq!(guest.ask("/echo").inside, keeps, "{id}");
        house.wait(2 * MINUTE);
    }
}

pub(crate) fn a_visit_of_fixed_length_ends_though_its_visitor_comes_again(house: &House) {
    house.set("automatic", "0");
    house.set("total_active", "10");
    house.set("session_minutes", "4");
    house.set("session_renewal", "off");
    let mut guest = Visitor::new(house);
    guest.ask("/");
    house.permit(1);
    for _ in 0..5 {
        assert!(guest.ask("/echo").inside);
        house.wait(MINUTE);
    }
    assert!(!guest.ask("/echo").inside);
    let told = guest.ask("/").json();
    assert_eq!(told["position"], 2, "{told}");
    assert_eq!(told["notice"], "stay_over", "it was not away");
    // An operator who makes visits renew their sessions again means those that begin.
    house.change(
        "cap",
        r#"{"total_active":10,"session_minutes":2,"session_renewal":"on"}"#,
    );
    house.permit(1);
    for _ in 0..5 {
        house.wait(MINUTE);
        assert!(guest.ask("/echo").inside);
    }
}

/// The store loses everything while an event brings its pace.
pub(crate) fn what_an_event_brings_and_gives_back_survives_a_loss(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "30");
    house.change("settings", r#"{"automatic":60,"automatic_quantity":40}"#);
    event(house, &json!({ "with": { "automatic_quantity": 200 } }));
    house.wait(4 * MINUTE);
    house.forget_the_sign();
    assert!(Visitor::new(house).ask("/echo").inside);
    assert_eq!(pace(house), (json!(200), json!("event:sale")));
    house.store.restart_empty();
    house.wait(Duration::from_secs(3));
    Visitor::new(house).ask("/");
    assert_eq!(pace(house), (json!(200), json!("event:sale")));
    house.wait(3 * MINUTE);
    Visitor::new(house).ask("/");
    assert_eq!(pace(house).0, 40, "what an operator had set");
}

/// One lot at a time: numbers that a lot has put in order are in no other one.
pub(crate) fn while_an_earlier_lot_is_served_an_event_draws_none(house: &House) {
    let mut line = served_by_lot(house, 5, 600);
    // Who comes back only in the second event has a place by the first one's lot.
    let told = positions(&mut line[1..]);
    house.wait(3 * MINUTE);
    let mut late = Visitor::new(house);
    assert_eq!(late.ask("/").json()["position"], 6);
    house.wait(MINUTE + Duration::from_secs(5));
    assert_eq!(positions(&mut line[1..]), told);
    let mut places: Vec<u64> = positions(&mut line)
        .iter()
        .map(|place| place.as_u64().unwrap())
        .collect();
    places.sort_unstable();
    assert_eq!(places, [1, 2, 3, 4, 5]);
    assert_eq!(late.ask("/").json()["position"], 6, "behind all of them");
    house.permit(6);
    house.forget_the_sign();
    assert_eq!(inside(&mut line), [true; 5]);
}

pub(crate) fn an_event_has_a_heading_of_its_own_while_it_runs(house: &House) {
    house.set("automatic", "0");
    house.set("heading", "The shop");
    event(house, &json!({ "with": { "heading": "The sale" } }));
    let heading = |house: &House| {
        house.forget_the_sign();
        let page = Ask::get("/").with("accept", "text/html");
        let page = Visitor::new(house).send(page).body;
        let named = ["The shop", "The sale"].map(|heading| page.contains(heading));
        assert!(named[0] != named[1], "{page}");
        named[1]
    };
    assert!(!heading(house));
    house.wait(2 * MINUTE);
    assert!(heading(house));
    house.wait(4 * MINUTE);
    assert!(!heading(house));
}
