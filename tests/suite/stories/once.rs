//! A request that comes twice with the same key is carried out once.

use ct_codecs::{Encoder, Hex};
use serde_json::json;
use upstash_local::Faults;

use super::DAY;
use super::trouble::DIED;
use crate::house::{Ask, House, visitors};
use crate::verbs::EXAMPLES;

fn with_key(ask: Ask, key: &str) -> Ask {
    ask.with("idempotency-key", key)
}

/// Six wait.
fn a_line(house: &House) {
    for visitor in &mut visitors(house, 6) {
        visitor.ask("/");
    }
}

fn cursor(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["cursor"].as_u64().unwrap()
}

pub(crate) fn the_same_key_again_moves_nothing_and_answers_the_same(house: &House) {
    a_line(house);
    let first = house.ask(&with_key(Ask::permit(2), "order-1"));
    house.permit(1);
    let again = house.ask(&with_key(Ask::permit(2), "order-1"));
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(cursor(house), 3);
    let other = house.ask(&with_key(Ask::permit(2), "order-2"));
    assert_eq!(other.json()["cursor"], 5);
    for (route, json) in EXAMPLES.iter() {
        let json = if *route == "epoch" {
            &house.word()
        } else {
            json
        };
        let ask = with_key(Ask::json_to(route, json), route);
        let first = house.ask(&ask);
        house.change("mode", r#"{"mode":"automatic"}"#);
        let again = house.ask(&ask);
        // No cap holds here, and no order is drawn.
        let status = match *route {
            "end" => 400,
            "public-value" => 409,
            _ => 200,
        };
        assert_eq!((again.status, again.body), (status, first.body), "{route}");
    }
    let got = house.ask(&with_key(Ask::permit(1), &"x".repeat(256)));
    assert_eq!(got.status, 400);
    assert!(got.body.contains("Idempotency-Key is"), "{}", got.body);
}

pub(crate) fn a_change_without_an_answer_is_repeated_by_its_key(house: &House) {
    a_line(house);
    house.permit(1);
    for (fault, moved) in DIED.into_iter().zip([3, 5]) {
        house.store.fail(Faults::always(fault));
        let ask = with_key(Ask::permit(2), &format!("{fault:?}"));
        assert_eq!(house.ask(&ask).status, 503, "{fault:?}");
        house.store.fail(Faults::none());
        let again = house.ask(&ask);
        assert_eq!(again.json()["released"], 2, "{fault:?}");
        assert_eq!(cursor(house), moved, "{fault:?}: moved once");
    }
}

pub(crate) fn a_key_used_for_something_else_is_refused(house: &House) {
    a_line(house);
    house.ask(&with_key(Ask::permit(1), "order-1"));
    let other = house.ask(&with_key(Ask::permit(2), "order-1"));
    assert_eq!(other.status, 409);
    assert!(
        other.body.contains("was used for something else"),
        "{}",
        other.body
    );
    let operator = house.ask(&with_key(Ask::json_to("permit", r#"{"amt":2}"#), "order-1"));
    assert_eq!(operator.json()["released"], json!(2), "somebody else's key");
    assert_eq!(cursor(house), 3);
}

pub(crate) fn a_key_is_forgotten_after_a_day(house: &House) {
    house.ask(&with_key(Ask::permit(1), "order-1"));
    let digest = hmac_sha256::Hash::hash(b"permit_token/permit_token\norder-1");
    let digest = Hex::encode_to_string(digest).unwrap();
    let key = house.key(&format!(":once:{digest}"));
    let ttl = house.store.command(&["TTL", &key]).unwrap();
    assert!((DAY - 60..=DAY).contains(&ttl.as_u64().unwrap()), "{ttl}");
}

pub(crate) fn a_repeat_shows_nobody_how_the_line_stood_then(house: &House) {
    let first = with_key(Ask::json_to("mode", r#"{"mode":"automatic"}"#), "start");
    house.ask(&first);
    let mut waiting = visitors(house, 1);
    waiting[0].ask("/");
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert_eq!(house.ask(&first).json()["mode"], "automatic");
    assert_eq!(waiting[0].ask("/").json()["mode"], "hold");
}

/// The line has a measured rate by then, which the memory of the key knows nothing about.
pub(crate) fn the_same_key_answers_the_same_wherever_the_line_has_moved(house: &House) {
    a_line(house);
    let ask = with_key(Ask::permit(1), "order-1");
    let first = house.ask(&ask);
    for _ in 0..3 {
        house.wait(std::time::Duration::from_millis(1100));
        house.permit(1);
    }
    let again = house.ask(&ask);
    assert_eq!((again.status, &again.body), (200, &first.body));
    assert_eq!(cursor(house), 4);
}

/// Names of operators, of permit tokens and of admin tokens are given apart from each other.
pub(crate) fn a_key_of_a_token_is_none_of_the_operator_nor_of_another_token_of_its_name(
    house: &House,
) {
    const TOKEN: &str = "development-only-token-of-a-shop";
    const OTHER: &str = "development-only-token-of-an-admin";
    a_line(house);
    house.set("permit_token", &format!("admin:{TOKEN}"));
    house.set("admin_token", &format!("admin:{OTHER}"));
    let by = |token: &str, amount: u64| {
        let body = format!(r#"{{"amt":{amount}}}"#);
        let ask = Ask::get("/_queue/permit").method("POST");
        let ask = ask.with("authorization", format!("Bearer {token}"));
        with_key(ask.body("application/json", &body), "order-1")
    };
    let by_token = |amount: u64| by(TOKEN, amount);
    assert_eq!(house.ask(&by_token(1)).json()["released"], 1);
    let operator = with_key(Ask::json_to("permit", r#"{"amt":1}"#), "order-1");
    assert_eq!(house.ask(&operator).json()["cursor"], 2, "a key of its own");
    assert_eq!(house.ask(&operator).json()["cursor"], 2);
    assert_eq!(house.ask(&by_token(1)).json()["cursor"], 1);
    assert_eq!(house.ask(&by(OTHER, 1)).json()["cursor"], 3, "and another");
    assert_eq!(house.ask(&by(OTHER, 1)).json()["cursor"], 3);
    let other = with_key(Ask::json_to("permit", r#"{"amt":3}"#), "order-2");
    assert_eq!(house.ask(&other).status, 200);
    let answer = with_key(by_token(2), "order-3");
    assert_eq!(house.ask(&answer).status, 400, "two keys");
    // With the same role, too.
    house.set("permit_token", &format!("shop/event:{TOKEN}"));
    house.set("admin_token", &format!("shop/event:{OTHER}"));
    let sets = |token: &str, body: &str| {
        let ask = Ask::get("/_queue/event").method("POST");
        let ask = ask.with("authorization", format!("Bearer {token}"));
        house.ask(&with_key(ask.body("application/json", body), "order-1"))
    };
    assert_eq!(sets(TOKEN, r#"{"event":[]}"#).status, 200);
    assert_eq!(sets(OTHER, r#"{"event":null}"#).status, 200);
    assert_eq!(sets(OTHER, r#"{"event":[]}"#).status, 409, "its own key");
}

pub(crate) fn a_change_is_the_same_as_a_form_and_as_json(house: &House) {
    a_line(house);
    let bearer = |body: Ask| {
        body.with(
            "authorization",
            format!("Bearer {}", crate::house::PERMIT_TOKEN),
        )
    };
    let sent = |media: &str, body: &str, key: &str| {
        let ask = bearer(Ask::get("/_queue/permit").method("POST"));
        house.ask(&with_key(ask.body(media, body), key))
    };
    let (form, json) = ("application/x-www-form-urlencoded", "application/json");
    for (media, body) in [
        (json, r#"{"amt":3}"#),
        (form, "amt=3"),
        (json, r#"{"amt":3.0}"#),
        (json, r#"{"amt":30e-1}"#),
    ] {
        let got = sent(media, body, "order-1");
        assert_eq!((got.status, cursor(house)), (200, 3), "{body}: {got:?}");
    }
    assert_eq!(sent(form, "amt=2", "order-1").status, 409);
    let text = |json: &str| house.ask(&with_key(Ask::json_to("message", json), "order-2"));
    assert_eq!(text(r#"{"message":"007"}"#).status, 200);
    assert_eq!(
        text(r#"{"message":"7"}"#).status,
        409,
        "a text is no number"
    );
    let year = with_key(Ask::json_to("message", r#"{"message":"2030"}"#), "order-3");
    assert_eq!(house.ask(&year).status, 200);
    let got = house.ask(&with_key(Ask::form("message", "message=2030"), "order-3"));
    assert_eq!(got.status, 303, "{got:?}");
}
