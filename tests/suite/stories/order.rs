//! How the order comes about, in plain words: for this room as it is set, and for the visitor who asks.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::lot::{event, places};
use crate::house::{Ask, House, Visitor, visitors};

// These stories need minutes, or a store that is away.
in_houses_whose_clock_is_turned! {
    of_a_lot_the_page_says_no_more_than_is_known_and_then_how_it_was_drawn
    while_the_store_is_away_the_page_says_what_is_known
}

/// The page about the order, and the same as data.
fn told(visitor: &mut Visitor<'_>) -> (String, Value) {
    let page = visitor.send_once(Ask::get("/_queue/order").with("accept", "text/html"));
    let data = visitor.send_once(Ask::get("/_queue/order").json());
    assert_eq!((page.status, data.status), (200, 200), "{page:?} {data:?}");
    (page.body, data.json())
}

/// The names of the rules.
fn rules(told: &Value) -> Vec<&str> {
    let rules = told["rules"].as_array().unwrap().iter();
    rules.map(|rule| rule["rule"].as_str().unwrap()).collect()
}

fn says(page: &str, sentences: &[&str]) {
    for sentence in sentences {
        assert!(page.contains(sentence), "{sentence}: {page}");
    }
}

pub(crate) fn the_order_is_told_in_plain_words_with_the_visitor_s_number(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let (page, data) = told(&mut line[2]);
    says(
        &page,
        &[
            "<h1>How the line works</h1>",
            "Your number: 3",
            "There are 2 people ahead of you.",
            "<li>Numbers are given in the order in which people come",
            "<li>They can let chosen people and programs in without a number",
            "Fingerprint of the journal",
            "<a href=\"/_queue/receipt\">Proof of your place</a>",
        ],
    );
    assert!(
        !page.contains("by lot") && !page.contains("priority"),
        "{page}"
    );
    assert_eq!(rules(&data), ["arrival", "staff", "past"]);
    let facts = ["room", "lane", "number", "ahead"].map(|name| data[name].clone());
    assert_eq!(
        facts,
        [json!(house.room()), Value::Null, json!(3), json!(2)]
    );
    assert!(
        page.contains(data["head"].as_str().unwrap()),
        "{data} {page}"
    );
    let receipt = line[2].send_once(Ask::get("/_queue/receipt").json()).json();
    assert_eq!(data["ahead"], receipt["ahead"]);
    // The waiting page leads there.
    let waiting = line[2].send(Ask::get("/").with("accept", "text/html"));
    says(
        &waiting.body,
        &["<a href=\"/_queue/order\" target=_blank>How the line works</a>"],
    );
}

pub(crate) fn the_order_is_told_as_the_room_is_set(house: &House) {
    house.set("automatic", "0");
    house.set(
        "priority",
        r#"[{"name":"front","share":10},{"name":"back","share":5}]"#,
    );
    house.set("invited_per_minute", "30");
    house.set("on_store_error", "admit");
    house.set("total_active", "2000");
    let mut visitor = Visitor::new(house);
    let (page, data) = told(&mut visitor);
    says(
        &page,
        &[
            "they get about 15 of 100 places at most.",
            "at most 30 a minute",
            "room for 2,000 at a time",
            "people may go in without waiting",
        ],
    );
    let expected = [
        "arrival", "groups", "invited", "cap", "away", "staff", "past",
    ];
    assert_eq!(rules(&data), expected);
    let number = |name: &str| {
        let rules = data["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["rule"] == name).unwrap()["number"].clone()
    };
    let numbers = ["groups", "invited", "cap", "staff"].map(number);
    assert_eq!(numbers, [json!(15), json!(30), json!(2000), Value::Null]);
    assert!(
        !page.contains("Your number") && !page.contains("/_queue/receipt"),
        "{page}"
    );
    let german = Ask::get("/_queue/order").with("accept-language", "de");
    says(
        &house.ask(&german).body,
        &["So funktioniert die Warteschlange", "höchstens 30 Personen"],
    );
}

pub(crate) fn reading_of_the_order_costs_no_call_before_the_answer_and_draws_nothing(
    house: &House,
) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let calls = house.calls(|| {
        let got = line[1].send_once(Ask::get("/_queue/order"));
        assert_eq!(got.status, 200, "{got:?}");
    });
    assert_eq!(calls, 0, "the copy is fresh");
    let stranger = house.ask(&Ask::get("/_queue/order"));
    assert_eq!(
        (stranger.status, stranger.ticket()),
        (200, None),
        "{stranger:?}"
    );
    let head = house.ask(&Ask::get("/_queue/order").method("HEAD"));
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    assert_eq!(
        house.ask(&Ask::get("/_queue/order").method("POST")).status,
        405
    );
    assert_eq!(line[1].ask("/").json()["position"], 2);
}

fn of_a_lot_the_page_says_no_more_than_is_known_and_then_how_it_was_drawn(house: &House) {
    event(house, &json!({}));
    let mut line = visitors(house, 8);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let (page, data) = told(&mut line[2]);
    says(
        &page,
        &[
            "You’re in the draw.",
            "Places are drawn by lot when entry begins.",
            "commitment",
        ],
    );
    let is_checked = page.contains("anyone can check");
    assert!(!page.contains("Your number") && !is_checked, "{page}");
    assert_eq!(rules(&data), ["lot", "later", "staff", "past"]);
    assert_eq!(
        (&data["number"], &data["ahead"]),
        (&Value::Null, &Value::Null)
    );
    house.wait(Duration::from_mins(1));
    let found = places(house, &mut line);
    let (page, data) = told(&mut line[2]);
    says(
        &page,
        &[
            &format!("Your number: {}", found[2]),
            "places were drawn by lot among everyone who was here",
            "You came as number 3.",
            "With these values, anyone can check the order.",
        ],
    );
    assert_eq!(data["number"], found[2]);
    assert_eq!(rules(&data), ["drawn", "later", "staff", "past"]);
    // A browser reads the same where programs read what the lot follows from.
    let lot = line[2].send_once(Ask::get("/_queue/lot").with("accept", "text/html"));
    says(
        &lot.body,
        &["You came as number 3.", "<h1>How the line works</h1>"],
    );
}

fn while_the_store_is_away_the_page_says_what_is_known(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_mins(5));
    let (page, data) = told(&mut line[1]);
    says(&page, &["Your number: 2", "Numbers are given in the order"]);
    assert_eq!((&data["number"], &data["ahead"]), (&json!(2), &Value::Null));
    house.forget_pop();
    let (page, data) = told(&mut line[1]);
    says(&page, &["Your number: 2", "Numbers are given in the order"]);
    assert_eq!((&data["number"], &data["head"]), (&json!(2), &Value::Null));
    assert!(
        !page.contains("Checked at") && !page.contains("Fingerprint"),
        "{page}"
    );
}
