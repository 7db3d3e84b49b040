//! Signals that the local server never sees, several of them, and what is counted.

use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor, claims, visitors};
use crate::stories::signals::{bot, bots, is_refused, solve};

#[test]
fn the_strictest_signal_decides() {
    let house = &House::native();
    house.warm();
    let rule = json!({ "bot": "challenge", "hosting": "observe", "ddos": "refuse" });
    house.set("signals", &rule.to_string());
    let from = |signals: &[&'static str]| {
        let ask = Ask::get("/").json();
        let ask = signals.iter().fold(ask, |ask, signal| match *signal {
            "bot" => ask.bot("true"),
            name => ask.with(name, "true"),
        });
        Visitor::new(house).send_once(ask)
    };
    let (hosting, ddos) = ("x-says-hosting", "x-says-ddos");
    assert!(is_refused(&from(&["bot", hosting, ddos])));
    let challenged = from(&["bot", hosting]);
    assert!(challenged.json()["challenge"].is_object(), "{challenged:?}");
    assert_eq!(from(&[hosting]).json()["position"], 1);
    assert!(is_refused(&from(&[ddos])));
    let logged: Vec<Value> = house
        .log()
        .iter()
        .map(|line| line["signals"].clone())
        .collect();
    assert_eq!(
        logged,
        [
            json!(["bot", "hosting", "ddos"]),
            json!(["bot", "hosting"]),
            json!(["hosting"]),
            json!(["ddos"])
        ]
    );
}

#[test]
fn a_visitor_who_has_calculated_is_refused_all_the_same_by_a_stricter_signal() {
    let house = &House::native();
    let rule = json!({ "bot": "challenge", "anonymous": "refuse" });
    house.set("signals", &rule.to_string());
    let mut visitor = Visitor::new(house);
    let got = visitor.send_once(bot());
    solve(&mut visitor, &got);
    let both = bot().with("x-says-anonymous", "true");
    assert!(is_refused(&visitor.send_once(both)));
    let ticket = claims(visitor.ticket.as_deref().unwrap());
    assert_eq!(ticket.get("pos"), None);
    assert_eq!(visitor.send_once(bot()).json()["position"], 1);
}

#[test]
fn after_a_cold_start_the_first_bot_is_refused() {
    let house = &House::native();
    bots(house, "refuse");
    house.set("automatic", "15");
    for visitor in &mut visitors(house, 3) {
        visitor.ask("/");
    }
    house.forget_pop();
    assert_eq!(
        house.calls(|| assert!(is_refused(&Visitor::new(house).send_once(bot())))),
        0
    );
}

#[test]
fn what_the_platform_says_is_counted_by_signal() {
    let house = House::native();
    house.set("signals", r#"{"bot":"refuse","hosting":"observe"}"#);
    for _ in 0..3 {
        assert!(is_refused(&Visitor::new(&house).send_once(bot())));
    }
    let hosted = Ask::get("/").json().with("x-says-hosting", "true");
    assert_eq!(Visitor::new(&house).send_once(hosted).json()["position"], 1);
    let metrics = house.ask(&Ask::get("/_queue/metrics").operator()).body;
    for line in [
        "now_serving_signals_total{room=\"main\",signal=\"bot\"} 3",
        "now_serving_signals_total{room=\"main\",signal=\"hosting\"} 1",
        "now_serving_signals_total{room=\"main\",signal=\"ddos\"} 0",
        "now_serving_decisions_total{room=\"main\",reason=\"refused\"} 3",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}");
    }
}
