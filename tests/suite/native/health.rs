//! A sick origin, where the moment or another fault matters.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor};

fn report(house: &House, json: &str) -> Got {
    let report = Ask::get("/_queue/report").method("POST");
    let report = report.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    house.ask(&report.body("application/json", json))
}

fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

/// A room whose origin is sick, with a pace of this many a second.
fn sick(quantity: u64) -> House {
    let house = House::native();
    house.set("origin_health", "on");
    house.set("automatic", "1");
    house.set("automatic_quantity", &quantity.to_string());
    house.warm();
    house
}

#[test]
fn with_the_store_away_a_sick_origin_keeps_visitors_out_for_a_minute_at_most() {
    let house = sick(10);
    house.set("on_store_error", "admit");
    assert_eq!(report(&house, r#"{"bad": 9}"#).json()["mode"], "hold");
    let mut visitor = Visitor::new(&house);
    assert!(!visitor.ask("/echo").inside);
    house.store.fail(Faults::always(Fault::Refuse));
    for _ in 0..7 {
        house.wait(Duration::from_secs(5));
        assert!(!visitor.ask("/echo").inside, "the marker may stand");
    }
    for _ in 0..6 {
        house.wait(Duration::from_secs(5));
        visitor.ask("/echo");
    }
    assert!(visitor.ask("/echo").inside, "it cannot stand any more");
}

/// The page goes in some seconds after it has read that the turn has come.
#[test]
fn who_read_that_the_turn_has_come_stays_in_the_line_of_a_sick_origin_and_who_is_inside_goes_on() {
    let house = sick(1);
    house.set("automatic", "0");
    let page = || Ask::get("/shop").with("accept", "text/html");
    let mut visitors = [Visitor::new(&house), Visitor::new(&house)];
    for visitor in &mut visitors {
        assert!(!visitor.send(page()).inside);
    }
    house.permit(2);
    house.wait(Duration::from_secs(2));
    for visitor in &mut visitors {
        assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
    }
    let [inside, called] = &mut visitors;
    assert!(inside.send(page()).inside);
    report(&house, r#"{"bad": 9}"#);
    house.wait(Duration::from_secs(2));
    assert!(inside.send(page()).inside, "and has the sign renewed");
    let back = called.send(page());
    assert_eq!((back.inside, back.status), (false, 503), "{back:?}");
    assert!(inside.send(page()).inside);
    let told = called.ask("/_queue/place").json();
    assert_eq!(told["waiting"], true, "{told}");
    house.wait(Duration::from_secs(61));
    assert_eq!(called.ask("/_queue/place").json()["waiting"], false);
    assert!(called.send(page()).inside);
    let log = house.log();
    let admitted = log.iter().filter(|line| line["reason"] == "admitted");
    assert_eq!(admitted.count(), 2, "each once");
}

/// However late the visitor comes, and whatever the POP knows: the first page is the one that goes in.
#[test]
fn who_was_called_long_ago_stays_in_the_line_of_a_room_on_hold() {
    for stop in ["sick", "hold", "closed"] {
        let house = sick(1);
        house.set("automatic", "0");
        let mut called = Visitor::new(&house);
        assert!(!called.ask("/echo").inside);
        house.permit(1);
        house.wait(Duration::from_secs(2));
        assert_eq!(called.ask("/_queue/place").json()["waiting"], false);
        house.wait(Duration::from_mins(10));
        match stop {
            "sick" => drop(report(&house, r#"{"bad": 9}"#)),
            mode => drop(house.change("mode", &json!({ "mode": mode }).to_string())),
        }
        assert_eq!(
            called.ask("/_queue/place").json()["waiting"],
            true,
            "{stop}"
        );
        house.wait(Duration::from_secs(20));
        let back = called.ask("/shop");
        assert_eq!(
            (back.inside, back.json()["position"].clone()),
            (false, json!(1)),
            "{stop}"
        );
        house.change("mode", r#"{"mode": "automatic"}"#);
        house.wait(Duration::from_secs(61));
        called.ask("/_queue/place");
        assert!(called.ask("/shop").inside, "{stop}");
    }
}

#[test]
fn under_a_cap_a_called_visitor_keeps_the_slot_however_long_the_room_is_on_hold() {
    let house = sick(1);
    house.set("automatic", "0");
    house.set("total_active", "5");
    house.set("session_minutes", "2");
    let slots = |house: &House| {
        let sessions = status(house)["sessions"].clone();
        (sessions["inside"].clone(), sessions["promised"].clone())
    };
    let mut called = Visitor::new(&house);
    assert!(!called.ask("/echo").inside);
    house.permit(1);
    house.wait(Duration::from_secs(2));
    assert_eq!(called.ask("/_queue/place").json()["waiting"], false);
    assert_eq!(slots(&house), (json!(0), json!(1)));
    house.change("mode", r#"{"mode": "hold"}"#);
    for second in (0..300).step_by(25) {
        house.wait(Duration::from_secs(25));
        let told = called.ask("/_queue/place").json();
        assert_eq!(told["waiting"], true, "{second}: {told}");
        assert!(!called.ask("/shop").inside, "{second}: {told}");
    }
    house.change("mode", r#"{"mode": "automatic"}"#);
    house.wait(Duration::from_secs(2));
    called.ask("/_queue/place");
    let got = called.ask("/shop");
    assert!(got.inside, "{got:?}");
    house.wait(Duration::from_secs(5));
    called.ask("/shop");
    assert_eq!(slots(&house), (json!(1), json!(0)));
    let log = house.log();
    let admitted = log.iter().filter(|line| line["reason"] == "admitted");
    assert_eq!(admitted.count(), 1);
    house.wait(Duration::from_secs(200));
    assert!(!called.ask("/shop").inside, "a session of two minutes");
}

#[test]
fn after_a_sickness_the_pace_begins_small_and_doubles_with_each_good_period() {
    let house = sick(64);
    house.set("automatic", "20");
    house.wait_for_period(20);
    assert_eq!(report(&house, r#"{"ok": 50}"#).json()["mode"], "automatic");
    let told = report(&house, r#"{"bad": 50}"#);
    assert_eq!(told.json()["mode"], "hold");
    let window = |house: &House| status(house)["origin"]["window"].clone();
    assert_eq!(
        window(&house)["size"],
        2.0,
        "64 halved five times: five periods of 20 s"
    );
    assert_eq!(window(&house)["is_ramp"], true);
    house.wait(Duration::from_secs(61));
    let mut sizes = Vec::new();
    for _ in 0..7 {
        house.wait_for_period(20);
        report(&house, r#"{"ok": 5}"#);
        sizes.push(window(&house)["size"].clone());
        house.wait(Duration::from_secs(20));
    }
    assert_eq!(
        sizes,
        [4.0, 8.0, 16.0, 32.0, 64.0, 64.0, 64.0].map(|size| json!(size))
    );
    assert_eq!(window(&house)["is_ramp"], false);
}

#[test]
fn neither_a_small_pace_nor_none_makes_a_window_larger_than_it() {
    for (automatic, quantity) in [("20", "3"), ("0", "3"), ("86400", "1")] {
        let house = sick(3);
        house.set("automatic", automatic);
        house.set("automatic_quantity", quantity);
        house.set("window_min", "100");
        house.set("adaptive_pace", "on");
        report(&house, r#"{"bad": 50}"#);
        house.wait(Duration::from_secs(61));
        report(&house, r#"{"ok": 50, "load": 0.1}"#);
        let size = status(&house)["origin"]["window"]["size"].as_f64().unwrap();
        assert!(size <= quantity.parse().unwrap(), "{automatic}: {size}");
    }
}

#[test]
fn a_permit_is_refused_while_the_origin_is_sick_and_says_why() {
    let house = sick(1);
    report(&house, r#"{"bad": 3}"#);
    let refused = house.ask(&Ask::permit(1));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(
        refused.body.contains("the origin is sick"),
        "{}",
        refused.body
    );
    house.wait(Duration::from_secs(61));
    assert_eq!(house.ask(&Ask::permit(1)).status, 200);
}

#[test]
fn hold_stays_hold_and_an_open_room_stays_open() {
    let house = sick(1);
    for (mode, is_inside) in [("open", true), ("hold", false)] {
        house.change("mode", &json!({ "mode": mode }).to_string());
        assert_eq!(report(&house, r#"{"bad": 9}"#).json()["mode"], mode);
        house.wait(Duration::from_secs(2));
        assert_eq!(
            Visitor::new(&house).ask("/echo").inside,
            is_inside,
            "{mode}"
        );
        assert_ne!(status(&house)["release"]["bound_by"], "origin");
        house.wait(Duration::from_secs(61));
    }
}
