//! Events that operators set, move, bring forward, cancel and end while visitors wait.

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::{Value, json};

use super::{MINUTE, at_a_large_pace, event, page, permitted, positions, timed};
use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor, inside, visitors};

in_houses_whose_clock_is_turned! {
    an_event_that_is_brought_forward_in_another_data_centre_is_heard_of_within_a_minute
    an_event_set_live_comes_back_after_a_loss
    an_event_set_after_a_loss_holds
}

/// A copy of the board is never older.
const SEEN: Duration = Duration::from_secs(3);

/// No data are lost in the millisecond in which they began.
fn lose(house: &House) {
    house.wait(Duration::from_secs(1));
    house.store.restart_empty();
}

fn set(house: &House, event: &Value) -> Value {
    house.change("event", &json!({ "event": event }).to_string())
}

fn settings(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/settings").operator()).json()
}

fn version(house: &House) -> Value {
    settings(house)["version"].clone()
}

/// In which phase a visitor is.
fn phase(visitor: &mut Visitor<'_>) -> Value {
    visitor.ask("/").json()["event"]["phase"].clone()
}

pub(crate) fn an_event_set_live_counts_before_any_configured_one_and_is_taken_back(house: &House) {
    at_a_large_pace(house);
    house.warm();
    let sale = timed(house, "sale", [600, 1200, 3600]);
    let mut told = Value::Null;
    let calls = house.calls(|| told = set(house, &sale));
    assert_eq!(calls, 1);
    assert_eq!(told["event"]["phase"], "before");
    let shown = settings(house)["event"].clone();
    assert_eq!(
        [&shown["configured"], &shown["now"], &shown["by"]],
        [&json!([]), &json!([sale]), &json!("admin")]
    );
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let told = visitor.ask("/").json();
        assert_eq!(told["event"]["phase"], "before");
        assert_eq!(told["position"], Value::Null);
    });
    assert_eq!(calls, 0, "before an event");
    assert_eq!(permitted(house).status, 409);
    assert_eq!(set(house, &Value::Null)["event"], Value::Null);
    assert!(visitor.ask("/echo").inside);
    assert_eq!(settings(house)["event"]["now"], json!([]));
}

pub(crate) fn an_event_that_is_brought_forward_live_begins_for_those_who_read_the_countdown(
    house: &House,
) {
    at_a_large_pace(house);
    event(house, "sale", [1800, 3600, 7200]);
    let mut line = visitors(house, 3);
    assert_eq!(
        positions(&mut line),
        [Value::Null, Value::Null, Value::Null]
    );
    // What the data centre looked at afterwards has come.
    house.wait(SEEN);
    set(house, &timed(house, "sale", [0, 120, 3600]));
    assert_eq!(positions(&mut line), [1, 2, 3]);
    house.wait(2 * MINUTE);
    assert_eq!(inside(&mut line), [true; 3]);
}

/// A data centre that makes no call for its visitors asks once a minute, for all of them.
fn an_event_that_is_brought_forward_in_another_data_centre_is_heard_of_within_a_minute(
    house: &House,
) {
    event(house, "sale", [1800, 3600, 7200]);
    house.warm();
    let mut crowd = visitors(house, 100);
    let mut ask_all = || {
        let phases: Vec<Value> = crowd.iter_mut().map(phase).collect();
        assert!(phases.iter().all(|phase| *phase == phases[0]));
        phases[0].clone()
    };
    for _ in 0..3 {
        let calls = house.calls(|| {
            assert_eq!(ask_all(), "before");
            assert_eq!(ask_all(), "before");
        });
        assert_eq!(calls, 1);
        house.wait(MINUTE);
    }
    ask_all();
    house.go_to_pop(1);
    set(house, &timed(house, "sale", [0, 120, 3600]));
    house.go_to_pop(0);
    house.wait(Duration::from_secs(30));
    let mut visitor = Visitor::new(house);
    assert_eq!(phase(&mut visitor), "before");
    house.wait(Duration::from_secs(31));
    visitor.ask("/");
    assert_eq!(phase(&mut visitor), "prequeue");
}

pub(crate) fn an_event_that_is_moved_live_keeps_its_line(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 120, 3600]);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    set(house, &timed(house, "sale", [0, 600, 3600]));
    house.wait(3 * MINUTE);
    assert_eq!(inside(&mut line), [false; 2], "it opens later");
    assert_eq!(positions(&mut line), [1, 2]);
    set(house, &timed(house, "sale", [0, 0, 3600]));
    house.wait(SEEN);
    assert_eq!(inside(&mut line), [true; 2], "it was brought forward");
}

pub(crate) fn an_event_that_is_cancelled_live_lets_the_line_move(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 600, 3600]);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    assert_eq!(set(house, &json!([]))["event"], Value::Null);
    house.wait(SEEN);
    assert_eq!(inside(&mut line), [true; 2]);
}

/// What the panel answers to its form.
fn form(house: &House, fields: &str) -> Got {
    let press = format!("{fields}&version={}", version(house));
    house.ask(&Ask::form("event", &press))
}

pub(crate) fn an_event_that_begins_at_once_ends_the_line_before_and_asks_first(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    house.wait(3 * MINUTE);
    let sale = timed(house, "sale", [0, 0, 3600]);
    let event = format!("event={sale}");
    let asked = form(house, &event);
    assert_eq!(asked.status, 200);
    for words in [
        "Begin the event now?",
        "The event sale begins at once",
        "2 people",
    ] {
        assert!(asked.body.contains(words), "{words}: {}", asked.body);
    }
    assert_eq!(version(house), 0, "nothing was set");
    at_a_large_pace(house);
    assert_eq!(form(house, &format!("{event}&sure=yes")).status, 303);
    house.wait(SEEN);
    let told = line[1].ask("/echo");
    assert!(told.inside, "the first of the new line goes in: {told:?}");
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["cursor"], &status["length"]),
        (&json!(3), &json!(3))
    );
}

pub(crate) fn an_event_to_come_closes_a_running_room_and_asks_first(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    let sale = timed(house, "sale", [600, 1200, 3600]);
    let fields = format!("event={sale}");
    let asked = form(house, &fields);
    assert_eq!(asked.status, 200);
    for words in [
        "Close the room until the event?",
        "The event sale has not begun",
        "2 people",
    ] {
        assert!(asked.body.contains(words), "{words}: {}", asked.body);
    }
    assert_eq!(version(house), 0, "nothing was set");
    assert_eq!(form(house, &format!("{fields}&sure=yes")).status, 303);
    house.wait(SEEN);
    assert_eq!(phase(&mut line[0]), "before");
    let moved = timed(house, "sale", [900, 1500, 3600]);
    let moved = form(house, &format!("event={moved}"));
    assert_eq!(moved.status, 303, "it is closed already: {moved:?}");
}

pub(crate) fn an_event_that_a_list_which_is_over_hides_is_named(house: &House) {
    house.set("automatic", "0");
    event(house, "sale", [0, 0, 3600]);
    Visitor::new(house).ask("/");
    house.wait(SEEN);
    house.change("event", r#"{"event":"sold_out"}"#);
    house.wait(SEEN);
    let trouble = || {
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        status["event_trouble"].clone()
    };
    assert_eq!(trouble(), Value::Null, "nothing is to come");
    event(house, "next", [600, 1200, 3600]);
    house.wait(SEEN);
    let told = trouble().to_string();
    assert!(told.contains("go back to the configured events"), "{told}");
    let health = house.ask(&Ask::get("/_queue/healthz")).body;
    assert!(
        health.contains("go back to the configured events"),
        "{health}"
    );
    set(house, &Value::Null);
    assert_eq!(trouble(), Value::Null);
}

pub(crate) fn an_event_that_begins_no_line_is_named_and_its_question_is_true(house: &House) {
    house.set("automatic", "0");
    event(house, "typo", [0, 90_000, 99_000]);
    Visitor::new(house).ask("/");
    house.wait(SEEN);
    set(house, &json!([]));
    house.wait(SEEN);
    let sale = timed(house, "sale", [60, 600, 3600]);
    let fields = format!("event={sale}");
    let asked = form(house, &fields).body;
    assert!(asked.contains("begins no line of its own"), "{asked}");
    // As status tells its times.
    let status = || house.ask(&Ask::get("/_queue/status").operator()).json();
    set(house, &sale);
    assert_eq!(status()["event_trouble"], Value::Null, "not yet");
    let mut told = status()["event"].clone();
    for more in ["phase", "too_late"] {
        told.as_object_mut().unwrap().remove(more);
    }
    assert!(told["opens"].as_str().unwrap().contains(".000Z"), "{told}");
    set(house, &told);
    house.wait(2 * MINUTE);
    let trouble = status()["event_trouble"].to_string();
    assert!(trouble.contains("began no line of its own"), "{trouble}");
}

pub(crate) fn an_event_is_sold_out_and_opened_again(house: &House) {
    house.set("automatic", "0");
    event(house, "sale", [0, 0, 3600]);
    let mut guest = Visitor::new(house);
    guest.ask("/");
    house.permit(1);
    assert!(guest.ask("/echo").inside);
    house.wait(MINUTE);
    let told = house.change("event", r#"{"event":"sold_out"}"#);
    assert_eq!(told["event"]["phase"], "over");
    house.wait(SEEN);
    let mut late = Visitor::new(house);
    let told = late.ask("/").json();
    assert_eq!(
        (&told["event"]["phase"], &told["position"]),
        (&json!("over"), &Value::Null)
    );
    assert!(page(&mut late).contains("This has ended"));
    assert!(guest.ask("/echo").inside, "and goes on");
    let again = house.ask(&Ask::json_to("event", r#"{"event":"sold_out"}"#));
    assert_eq!(again.status, 409, "{again:?}");
    assert_eq!(
        again.json()["detail"],
        "an event is sold out while it is open; nothing moved"
    );
    house.change("event", r#"{"event":null}"#);
    house.wait(SEEN);
    assert_eq!(late.ask("/").json()["position"], 2);
}

pub(crate) fn of_two_operators_who_set_events_the_second_reads_what_the_first_set(house: &House) {
    let sale = timed(house, "sale", [600, 1200, 3600]);
    let first = json!({ "event": sale, "version": 0 });
    house.change("event", &first.to_string());
    let second = json!({ "event": [], "version": 0 });
    let refused = house.ask(&Ask::json_to("event", &second.to_string()));
    assert_eq!(refused.status, 409, "{refused:?}");
    let page = house.ask(&Ask::form("event", "event=%5B%5D&version=0&once=a"));
    assert_eq!(page.status, 409);
    assert!(page.body.contains("event sale opens"), "{}", page.body);
    assert_eq!(settings(house)["event"]["now"], json!([sale]));
}

pub(crate) fn what_is_no_event_moves_nothing_and_says_what_is_accepted(house: &House) {
    for (json, accepted) in [
        ("{}", "event is missing; accepted is an event, a list"),
        (r#"{"event":"now"}"#, "an object such as"),
        (r#"{"event":5}"#, "an object such as"),
        (
            r#"{"event":{"id":"sale"}}"#,
            "event is \"sale\"; accepted is the time opens",
        ),
        (
            r#"{"event":{"id":"sale","opens":"2030-01-31T10:00:00"}}"#,
            "a time of opens with its offset",
        ),
        (
            r#"{"event":[],"until":5}"#,
            "the field \"until\" is unknown",
        ),
        (
            r#"{"event":[],"opens":"2030-01-31T10:00:00Z"}"#,
            "the field \"opens\" is unknown",
        ),
    ] {
        let refused = house.ask(&Ask::json_to("event", json));
        assert_eq!(refused.status, 400, "{json}");
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(accepted), "{json}: {detail}");
    }
    let hours = (0..17).map(|hour| timed(house, "a", [hour, hour, hour + 1]));
    let many = json!({ "event": hours.collect::<Vec<Value>>() });
    let refused = house.ask(&Ask::json_to("event", &many.to_string()));
    assert!(refused.body.contains("at most 16 events"), "{refused:?}");
    let sold = house.ask(&Ask::json_to("event", r#"{"event":"sold_out"}"#));
    assert_eq!(sold.status, 409, "no event is open");
    let program = Ask::get("/_queue/event").method("POST");
    let program = program.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let refused = house.ask(&program.body("application/json", r#"{"event":[]}"#));
    assert_eq!(refused.status, 403);
    let actions = ["LRANGE", &house.key(":actions"), "0", "-1"];
    let listed = house.store.command(&actions).unwrap();
    assert_eq!((version(house), listed), (json!(0), json!([])));
}

pub(crate) fn an_event_set_twice_by_one_key_is_set_once(house: &House) {
    let sale = json!({ "event": timed(house, "sale", [600, 1200, 3600]) });
    let ask = Ask::json_to("event", &sale.to_string()).with("idempotency-key", "sale");
    let first = house.ask(&ask);
    assert_eq!(first.status, 200, "{first:?}");
    house.change("event", r#"{"event":null}"#);
    assert_eq!(house.ask(&ask).body, first.body);
    assert_eq!(version(house), 2);
}

fn an_event_set_live_comes_back_after_a_loss(house: &House) {
    house.set("automatic", "0");
    let sale = timed(house, "sale", [0, 600, 3600]);
    set(house, &sale);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    lose(house);
    house.forget_the_sign();
    assert_eq!(positions(&mut line), [1, 2]);
    assert_eq!(phase(&mut line[0]), "prequeue");
    assert_eq!(settings(house)["event"]["now"], json!([sale]));
}

/// One data centre knows the event that was set first. After the loss the operator sets another.
fn an_event_set_after_a_loss_holds(house: &House) {
    house.set("automatic", "0");
    set(house, &timed(house, "old", [0, 600, 3600]));
    let mut line = visitors(house, 2);
    positions(&mut line);
    lose(house);
    house.go_to_pop(1);
    house.forget_pop();
    let new = timed(house, "new", [900, 1200, 3600]);
    set(house, &new);
    house.go_to_pop(0);
    house.forget_the_sign();
    positions(&mut line);
    assert_eq!(settings(house)["event"]["now"], json!([new]));
}

/// `/_queue/lot` says what this data centre saw last.
pub(crate) fn an_event_by_lot_that_is_set_live_is_committed_to_at_once(house: &House) {
    let mut sale = timed(house, "sale", [0, 600, 3600]);
    sale["order"] = json!("drawn");
    set(house, &sale);
    let lot = house.ask(&Ask::get("/_queue/lot")).json();
    assert_eq!(lot["event"], "sale");
    assert_eq!(lot["commitment"].as_str().map(str::len), Some(64), "{lot}");
    let mut visitor = Visitor::new(house);
    assert_eq!(phase(&mut visitor), "prequeue");
    assert_eq!(settings(house)["event"]["now"], json!([sale]));
}

pub(crate) fn an_event_that_runs_is_asked_about_before_it_is_taken_away(house: &House) {
    at_a_large_pace(house);
    let mut sale = timed(house, "sale", [0, 0, 3600]);
    sale["outside"] = "automatic".into();
    sale["with"] = json!({ "automatic_quantity": 7 });
    house.set("event", &sale.to_string());
    assert!(Visitor::new(house).ask("/echo").inside);
    let form = |body: &str| house.ask(&Ask::form("event", body));
    let asked = form("event=[]").body;
    assert!(
        asked.contains("Take the event away while it runs?"),
        "{asked}"
    );
    let live = |house: &House| settings(house)["pace"]["now"]["automatic_quantity"].clone();
    assert_eq!(live(house), 7, "nothing has happened yet");
    assert_eq!(form("event=[]&sure=yes").status, 303);
    assert_eq!(live(house), 1000);
    // By its name alone it comes back as it is configured.
    let second = house.now_ms() / 1000;
    let opens = iso_8601(second * 1000).replace(".000Z", "");
    let back = form(&format!(
        "event=[]&id=sale&opens={opens}&offset=%2B00:00&sure=yes"
    ));
    assert_eq!(back.status, 303, "{}", back.body);
    assert_eq!(live(house), 7);
    assert_eq!(settings(house)["event"]["now"][0]["outside"], "automatic");
}
