//! What people and programs write by hand, and what their editors put into it unseen.

use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor};

const MARK: &str = "\u{feff}";

/// What is wrong with the settings, as the log says it.
fn problems(house: &House) -> Value {
    let health = house.ask(&Ask::get("/_queue/healthz"));
    if health.status == 200 && !health.body.contains("ignored: ") {
        return json!([]);
    }
    let logged = house.log().len();
    house.ask(&Ask::get("/"));
    let log = house.log_of(logged + 1);
    log.last().unwrap()["problems"].clone()
}

fn is_sound(house: &House) {
    assert_eq!(problems(house), json!([]));
}

/// RFC 8259, 8.1.
pub(crate) fn a_byte_order_mark_is_ignored(house: &House) {
    let event = format!(r#"{MARK} [{{"id":"sale","opens":"2030-01-31T10:00:00+01:00"}}]"#);
    let signals = format!(r#"{MARK}{{"bot":"observe"}}"#);
    let document = json!({"more": ["settings_2"], "event": event, "signals": signals});
    house.set("settings", &format!("{MARK}{document}"));
    house.set("settings_2", &format!("{MARK}{{\"permit_max\":3}}"));
    house.set("refresh_interval", &format!("{MARK}7"));
    is_sound(house);
    house.set("settings", MARK);
    assert_eq!(problems(house)[0]["key"], "settings", "none is there");
    house.set("settings", "{}");
    Visitor::new(house).ask("/");
    let body = format!(r#"{MARK}{{"amt":1}}"#);
    let got = house.ask(&Ask::json_to("permit", &body));
    assert_eq!((got.status, &got.json()["released"]), (200, &json!(1)));
    let twice = format!(r#"{MARK}{MARK}{{"amt":1}}"#);
    let got = house.ask(&Ask::json_to("permit", &twice));
    assert_eq!(got.status, 400);
    assert!(got.body.contains("U+FEFF"), "{}", got.body);
}

pub(crate) fn a_letter_that_is_not_seen_is_named(house: &House) {
    for (document, named) in [
        ("\u{a0}{}", "U+00A0"),
        ("{\u{200b}\"room\":\"a\"}", "U+200B"),
        ("{\"automatic\":15,\n\u{3000}\"room\":\"a\"}", "U+3000"),
        ("{\u{0}\"\u{0}", "U+0000"),
    ] {
        house.set("settings", document);
        let told = problems(house);
        let accepted = told[0]["accepted"].as_str().unwrap_or_default();
        assert!(accepted.contains(named), "{named}: {told}");
    }
    house.set("settings", "{}");
    house.set("automatic", "1\u{2060}5");
    let told = problems(house);
    assert_eq!(told[0]["value"], "1<U+2060>5", "{told}");
    house.set("automatic", "15");
    let got = house.ask(&Ask::json_to("permit", "{\u{a0}\"amt\":1}"));
    assert_eq!(got.status, 400);
    assert!(got.body.contains("line 1, column 2"), "{}", got.body);
    assert!(got.body.contains("U+00A0"), "{}", got.body);
}
