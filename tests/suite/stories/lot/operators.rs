//! What operators do around an order by lot: it puts numbers in order that still wait, and nothing changes it once it is announced.

use serde_json::{Value, json};

use super::{MINUTE, SECOND, drawn, event, lot, places, set_event, timed};
use crate::house::{Ask, House, Visitor, inside, visitors};

/// The numbers of a line, in rising order.
fn sorted(numbers: &[Value]) -> Vec<u64> {
    let mut sorted: Vec<u64> = numbers.iter().filter_map(Value::as_u64).collect();
    sorted.sort_unstable();
    sorted
}

pub(crate) fn tickets_that_ended_in_the_prequeue_are_no_part_of_the_lot(house: &House) {
    event(house, &json!({}));
    let mut line = visitors(house, 6);
    inside(&mut line);
    house.change("epoch", &house.word());
    house.wait(3 * SECOND);
    inside(&mut line);
    house.wait(MINUTE);
    let found = places(house, &mut line);
    assert_eq!(sorted(&found), [8, 9, 10, 11, 12, 13]);
    assert_eq!(inside(&mut line), [false; 6], "no visitor was called");
    assert_eq!(lot(&mut line[0])["drawn"], 6);
}

pub(crate) fn a_visitor_who_was_called_before_the_start_goes_in_by_the_old_number(house: &House) {
    house.set("total_active", "1000");
    event(house, &json!({}));
    let mut first = visitors(house, 6);
    inside(&mut first);
    house.change("mode", r#"{"mode":"open"}"#);
    house.wait(2 * SECOND);
    assert_eq!(inside(&mut first[..3]), [true; 3]);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.wait(3 * SECOND);
    let mut late = visitors(house, 6);
    inside(&mut late);
    house.wait(MINUTE);
    let found = places(house, &mut late);
    assert_eq!(sorted(&found), [8, 9, 10, 11, 12, 13]);
    assert_eq!(inside(&mut late), [false; 6], "no visitor was called");
    assert_eq!(inside(&mut first), [true; 6]);
    house.permit(6);
    house.wait(2 * SECOND);
    assert_eq!(inside(&mut late), [true; 6], "no number was used before");
}

/// The members of `/_queue/lot` that are announced before the start.
fn announced(house: &House) -> Value {
    let told = lot(&mut Visitor::new(house));
    json!([told["event"], told["commitment"], told["public_value_from"]])
}

/// What programs of operators read.
fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

/// Whether the page of a visitor speaks of a lot.
fn promises_a_lot(house: &House) -> bool {
    let page = Visitor::new(house).send(Ask::get("/")).body;
    page.contains("by lot")
}

pub(crate) fn an_announced_order_stays_whatever_the_settings_say(house: &House) {
    let mut line = drawn(house, 5, &json!({ "public_value": "beacon" }));
    places(house, &mut line);
    let before = announced(house);
    assert_eq!(before[2], "beacon");
    // A data centre has old settings, or the document was published again.
    for other in [
        json!({}),
        json!({ "order": "arrival" }),
        json!({ "public_value": "another" }),
    ] {
        set_event(house, "sale", [-70, -10, 3500], &other);
        assert_eq!(places(house, &mut line), vec![Value::Null; 5], "{other}");
        assert_eq!(announced(house), before);
        let trouble = status(house)["event_trouble"].to_string();
        assert!(trouble.contains("with which it began"), "{trouble}");
    }
    house.change("public-value", r#"{"value": "7"}"#);
    house.wait(2 * SECOND);
    assert_eq!(sorted(&places(house, &mut line)), [2, 3, 4, 5, 6]);
}

/// Else an operator who knows the public value could choose how many numbers it puts in order.
pub(crate) fn while_a_lot_is_awaited_no_operator_jumps_the_line_or_draws(house: &House) {
    let mut line = drawn(house, 5, &json!({ "public_value": "beacon" }));
    places(house, &mut line);
    let before = status(house);
    for visitor in &line[..3] {
        let mut browser = Visitor::holding(house, visitor.ticket.clone());
        for form in ["act=jump", "act=draw"] {
            let sent = browser.send_once(Ask::form("ticket", form).operator());
            assert_eq!(sent.status, 409, "{form}: {sent:?}");
        }
    }
    let after = status(house);
    for name in ["cursor", "length"] {
        assert_eq!(before[name], after[name], "{name}");
    }
    let told = house.change("public-value", r#"{"value": "7"}"#);
    assert_eq!(told["drawn"], 5);
    house.wait(2 * SECOND);
    assert_eq!(sorted(&places(house, &mut line)), [2, 3, 4, 5, 6]);
}

/// How many numbers a lot puts in order is said once. A line that moved first has no lot any more.
pub(crate) fn a_line_that_moved_between_the_seal_and_the_lot_goes_by_arrival(house: &House) {
    let more = json!({ "public_value": "beacon" });
    let mut line = drawn(house, 5, &more);
    places(house, &mut line);
    house.change("event", r#"{"event": []}"#);
    house.permit(2);
    house.change("event", r#"{"event": null}"#);
    house.wait(2 * SECOND);
    let got = house.ask(&Ask::json_to("public-value", r#"{"value": "7"}"#));
    assert_eq!(got.status, 409, "{got:?}");
    house.permit(1);
    house.wait(2 * SECOND);
    assert_eq!(inside(&mut line), [true, true, true, false, false]);
}

pub(crate) fn operators_move_an_announced_event_and_change_no_order(house: &House) {
    house.set("automatic", "0");
    let set = |times, id: &str, more: &Value| {
        let event = timed(house, id, times, more);
        let got = house.ask(&Ask::json_to(
            "event",
            &json!({ "event": event }).to_string(),
        ));
        (got.status, got.body)
    };
    Visitor::new(house).ask("/");
    house.wait(3 * MINUTE);
    let beacon = json!({ "public_value": "beacon" });
    assert_eq!(set([60, 120, 3600], "sale", &json!({})).0, 200);
    assert_eq!(set([0, 60, 3600], "sale", &beacon).0, 200, "not announced");
    let mut line = visitors(house, 3);
    inside(&mut line);
    for other in [
        json!({}),
        json!({ "order": "arrival" }),
        json!({ "public_value": "b" }),
    ] {
        let (status, told) = set([0, 60, 3600], "sale", &other);
        assert!(
            status == 409 && told.contains("its times may change"),
            "{told}"
        );
    }
    assert_eq!(set([0, 90, 3600], "sale", &beacon).0, 200);
    house.wait(MINUTE + 33 * SECOND);
    places(house, &mut line);
    house.change("public-value", r#"{"value": "7"}"#);
    house.wait(2 * SECOND);
    assert_eq!(sorted(&places(house, &mut line)), [2, 3, 4]);
    let (status, told) = set([600, 900, 3600], "sale", &beacon);
    assert!(status == 409 && told.contains("needs another id"), "{told}");
    assert_eq!(set([600, 900, 3600], "sale-2", &beacon).0, 200);
}

pub(crate) fn an_id_that_is_used_again_promises_no_lot(house: &House) {
    let mut line = drawn(house, 3, &json!({}));
    places(house, &mut line);
    set_event(house, "sale", [60, 120, 3600], &json!({}));
    house.wait(MINUTE + 3 * SECOND);
    let mut again = visitors(house, 3);
    assert!(!promises_a_lot(house));
    let trouble = status(house)["event_trouble"].clone();
    let health = house.ask(&Ask::get("/_queue/healthz")).body;
    for told in [trouble.as_str().unwrap(), &health] {
        assert!(told.contains("give it another id"), "{told}");
    }
    let told = again[0].ask("/").json();
    assert_eq!(
        (&told["position"], &told["event"]["order"]),
        (&json!(6), &json!("arrival"))
    );
    assert_eq!(status(house)["event"]["order"], "arrival");
}

pub(crate) fn an_event_that_opens_before_the_last_one_promises_no_lot(house: &House) {
    house.set("automatic", "0");
    Visitor::new(house).ask("/");
    house.wait(3 * MINUTE);
    set_event(house, "rehearsal", [0, 86_400, 90_000], &json!({}));
    house.wait(3 * SECOND);
    Visitor::new(house).ask("/");
    house.wait(10 * SECOND);
    set_event(
        house,
        "sale",
        [0, 60, 3600],
        &json!({ "public_value": "b" }),
    );
    house.wait(3 * SECOND);
    let mut line = visitors(house, 3);
    assert!(!promises_a_lot(house));
    let told = line[0].ask("/").json();
    assert_eq!(told["event"]["order"], "arrival");
    assert!(told["position"].is_number(), "{told}");
    assert_eq!(status(house)["event"]["order"], "arrival");
}

pub(crate) fn without_the_entry_that_was_committed_to_the_line_says_why_it_stands(house: &House) {
    event(house, &json!({}));
    inside(&mut visitors(house, 2));
    assert_eq!(status(house)["event_trouble"], Value::Null);
    house.set("jwt_secret", "another-secret-for-this-story-of-32-bytes");
    let trouble = status(house)["event_trouble"].to_string();
    assert!(trouble.contains("put the entry back"), "{trouble}");
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 200);
    assert!(health.body.contains("event: no entry"), "{}", health.body);
}

pub(crate) fn the_pace_of_the_polls_says_nothing_of_the_arrival(house: &House) {
    event(house, &json!({}));
    let mut line = visitors(house, 1);
    inside(&mut line);
    house.write(&["main length", "2000"]);
    line.extend(visitors(house, 1));
    inside(&mut line);
    house.wait(3 * SECOND);
    for visitor in &mut line {
        let told = visitor.ask("/");
        let seconds: u64 = told.header("retry-after").parse().unwrap();
        assert!((20..=30).contains(&seconds), "{seconds}");
    }
}

pub(super) fn a_decided_lot_is_known_where_no_visitor_waits(house: &House) {
    let mut line = drawn(house, 3, &json!({ "public_value": "beacon" }));
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    places(house, &mut line);
    house.change("public-value", r#"{"value": "7"}"#);
    house.go_to_pop(1);
    house.wait(10 * MINUTE);
    let mut anybody = Visitor::new(house);
    lot(&mut anybody);
    assert_eq!(
        house.calls(|| assert_eq!(lot(&mut anybody)["value"], "7")),
        0
    );
}

pub(crate) fn a_lot_that_closes_undecided_shows_no_number(house: &House) {
    event(house, &json!({ "public_value": "beacon" }));
    let mut line = visitors(house, 3);
    inside(&mut line);
    set_event(
        house,
        "sale",
        [-30, 60, 61],
        &json!({ "public_value": "beacon" }),
    );
    house.wait(2 * MINUTE);
    let told = line[0].ask("/").json();
    assert_eq!(told["event"]["phase"], "over", "{told}");
    assert_eq!(told["position"], Value::Null, "{told}");
}

pub(crate) fn who_came_behind_the_lot_is_told_the_place(house: &House) {
    house.set("automatic", "0");
    let mut line = drawn(house, 3, &json!({}));
    places(house, &mut line);
    let mut late = Visitor::new(house);
    late.ask("/");
    let told = lot(&mut late);
    let (ticket, behind) = (&told["ticket"], told["drawn"].as_u64().unwrap() + 1);
    assert_eq!(ticket["came"], ticket["place"], "{told}");
    assert!(ticket["came"].as_u64().unwrap() >= behind, "{told}");
}
