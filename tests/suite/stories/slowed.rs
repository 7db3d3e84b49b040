//! Why a wait has grown: said with its time to a visitor whose wait is late by it, and to no other.

use std::time::Duration;

use serde_json::{Value, json};

use super::invitations::{invitation_by, used};
use crate::house::{Ask, House, Visitor, visitors};

// These stories need minutes.
in_houses_whose_clock_is_turned! {
    a_wait_that_a_lower_pace_made_longer_says_so_until_the_pace_is_raised
    a_wait_that_a_pause_made_longer_says_from_when_to_when
    what_came_before_the_draw_made_no_wait_longer
    what_made_the_wait_longer_outlives_a_loss_of_the_store
    what_a_newer_version_says_of_it_stops_no_visitor
    a_group_is_told_since_it_came_and_not_since_a_quiet_time_or_a_loss
}

const MINUTE: Duration = Duration::from_mins(1);

/// A line that moves at two visitors in fifteen seconds, and its last visitor, who is told of seven minutes and a half.
fn line(house: &House) -> Vec<Visitor<'_>> {
    house.set("automatic", "15");
    house.set("automatic_quantity", "2");
    let mut line = visitors(house, 60);
    for visitor in &mut line {
        visitor.ask("/");
    }
    line
}

fn pace(house: &House, quantity: u64) {
    let pace = json!({ "automatic": 15, "automatic_quantity": quantity });
    house.change("settings", &pace.to_string());
    house.forget_the_sign();
}

/// Why the wait has grown, as programs and as people read it.
fn told(visitor: &mut Visitor<'_>) -> (Value, String) {
    let data = visitor.ask("/").json();
    let page = visitor.send(Ask::get("/").with("accept", "text/html"));
    let (_, detail) = page.body.split_once("<p id=detail>").unwrap();
    let (detail, _) = detail.split_once("</p>").unwrap();
    (data["slowed"].clone(), detail.to_owned())
}

fn a_wait_that_a_lower_pace_made_longer_says_so_until_the_pace_is_raised(house: &House) {
    let mut line = line(house);
    house.wait(MINUTE);
    let visitor = &mut line[59];
    assert_eq!(told(visitor), (Value::Null, String::new()));
    pace(house, 1);
    let (slowed, detail) = told(visitor);
    assert_eq!(slowed["cause"], "pace", "{slowed}");
    assert_eq!(slowed["to"], Value::Null);
    let since = slowed["from"].as_str().unwrap();
    let clock = since.get(11..16).unwrap();
    assert_eq!(
        detail,
        format!("Your wait has grown. The site slowed the line at {clock}\u{a0}UTC.")
    );
    // An update of the page says the same.
    let update = visitor.send(Ask::get("/_queue/place")).json();
    assert_eq!(update["detail"], detail);
    pace(house, 2);
    assert_eq!(told(&mut line[59]), (Value::Null, String::new()));
}

fn a_wait_that_a_pause_made_longer_says_from_when_to_when(house: &House) {
    let mut line = line(house);
    house.wait(MINUTE);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    house.wait(10 * MINUTE);
    // While the line is on hold the page says that.
    assert_eq!(told(&mut line[59]).0, Value::Null);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.forget_the_sign();
    let (slowed, detail) = told(&mut line[59]);
    assert_eq!(slowed["cause"], "hold", "{slowed}");
    assert!(
        detail.starts_with("Your wait has grown. Entry was paused from "),
        "{detail}"
    );
    assert_eq!(detail.matches("\u{a0}UTC").count(), 2, "{detail}");
}

fn what_came_before_the_draw_made_no_wait_longer(house: &House) {
    let mut line = line(house);
    house.wait(Duration::from_secs(2));
    pace(house, 1);
    house.wait(2 * MINUTE);
    let mut late = Visitor::new(house);
    late.ask("/");
    late.ask("/");
    house.wait(5 * MINUTE);
    assert_eq!(told(&mut late), (Value::Null, String::new()));
    assert_eq!(told(&mut line[59]).0["cause"], "pace");
}

fn what_made_the_wait_longer_outlives_a_loss_of_the_store(house: &House) {
    let mut line = line(house);
    house.wait(MINUTE);
    pace(house, 1);
    house.wait(3 * MINUTE);
    let before = told(&mut line[59]).0;
    assert_eq!(before["cause"], "pace", "{before}");
    house.store.command(&["FLUSHALL"]).unwrap();
    for _ in 0..3 {
        house.wait(2 * Duration::from_secs(1));
        line[59].ask("/");
    }
    assert_eq!(told(&mut line[59]).0, before);
}

fn a_group_is_told_since_it_came_and_not_since_a_quiet_time_or_a_loss(house: &House) {
    let group = r#"[{"name":"front","share":60}]"#;
    house.set("priority", group);
    house.warm();
    let mut line = line(house);
    let minutes = |line: &mut Vec<Visitor<'_>>, many: u32| {
        for _ in 0..many {
            house.wait(MINUTE);
            house.forget_the_sign();
            line[59].ask("/");
        }
    };
    let slowed = || -> String {
        let told = ["HGET", &house.key(""), "slowed"];
        let told = house.store.command(&told).unwrap();
        told.as_str().unwrap_or_default().to_owned()
    };
    house.set("automatic_quantity", "1");
    minutes(&mut line, 12);
    assert!(!slowed().starts_with("groups"), "{}", slowed());
    let code = invitation_by(Some("front"), house, "many", 1000, 36_000);
    let mut front = visitors(house, 200);
    for visitor in &mut front {
        used(visitor, &code);
    }
    house.forget_the_sign();
    minutes(&mut line, 1);
    let since = slowed();
    assert!(since.starts_with("groups "), "{since}");
    // They wait all the time: that nobody asks for a while makes them no news.
    house.wait(15 * MINUTE);
    minutes(&mut line, 2);
    assert_eq!(slowed(), since);
    house.store.command(&["FLUSHALL"]).unwrap();
    minutes(&mut line, 15);
    front[199].ask("/");
    minutes(&mut line, 2);
    assert!(["", &since].contains(&slowed().as_str()), "{}", slowed());
}

fn what_a_newer_version_says_of_it_stops_no_visitor(house: &House) {
    let mut line = line(house);
    for text in [
        "weather 1800000000000 0",
        "pace",
        "pace 99999999999999999999999 0",
    ] {
        house.write(&["slowed", text]);
        house.wait(MINUTE);
        house.forget_the_sign();
        let got = line[59].ask("/");
        assert_eq!(got.status, 503, "{text}");
        assert!(
            got.json()["position"].as_u64().is_some(),
            "{text}: {}",
            got.body
        );
        assert_eq!(
            house.ask(&Ask::get("/_queue/status").operator()).status,
            200,
            "{text}"
        );
    }
}
