//! What an event leaves behind at its end, and at its start: presses, stocks, lots and outages around both.

use std::time::Duration;

use audit::audit;
use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::{MINUTE, at_a_large_pace, positions, served_by_lot, timed_with};
use crate::house::{Ask, Got, House, PERMIT_TOKEN, Visitor, visitors};
use crate::stories::lines::status;
use crate::stories::rooms::go_in;

in_houses_whose_clock_is_turned! {
    hold_that_is_pressed_after_an_event_that_holds_is_hold
    the_stock_of_an_event_does_not_come_back_with_the_next_one
    a_stock_that_is_reported_in_the_second_of_the_end_ends_too
    the_mode_after_an_event_ends_with_the_prequeue_of_the_next
    a_room_that_an_event_has_closed_opens_with_the_next
    an_event_that_goes_by_arrival_draws_no_lot_in_its_middle
    a_visit_of_fixed_length_is_no_longer_by_an_old_ticket
    a_stock_that_is_reported_after_a_loss_holds
    no_place_by_lot_is_given_twice_after_a_loss
    a_change_in_an_event_is_one_version_of_the_settings
    an_event_that_ends_visits_is_asked_about_before_it_begins
    without_the_store_a_room_that_an_event_holds_or_closes_stays_so
    without_the_store_the_pace_of_an_event_ends_with_it
    without_the_store_the_operators_pace_holds_again_after_an_event
    without_the_store_the_stock_of_an_event_ends_with_it
    a_stock_that_was_reported_before_a_maintenance_outlives_it
    a_stock_that_is_reported_after_an_event_was_sold_out_holds
    a_stock_is_there_again_when_sold_out_is_undone
    a_data_centre_with_older_settings_ends_no_stock_of_an_event_that_goes_on
    the_audit_finds_no_fault_where_an_event_with_a_stock_is_sold_out
    the_audit_finds_no_fault_where_a_stock_was_reported_just_after_an_event
    a_stock_ends_with_an_event_that_is_taken_away
    a_stock_ends_with_an_event_that_is_no_longer_configured
    a_shop_without_stock_is_not_open_again_after_a_quiet_weekend
}

fn report(house: &House, body: &str) -> Got {
    let ask = Ask::get("/_queue/report").method("POST");
    let ask = ask.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    house.ask(&ask.body("application/json", body))
}

fn hold_that_is_pressed_after_an_event_that_holds_is_hold(house: &House) {
    at_a_large_pace(house);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.set(
        "event",
        &timed_with(
            house,
            "sale",
            [0, 0, 120],
            &json!({"outside":"automatic","then":"hold"}),
        )
        .to_string(),
    );
    house.wait(2 * MINUTE + Duration::from_secs(5));
    house.forget_the_sign();
    assert!(
        !Visitor::new(house).ask("/echo").inside,
        "held by the event"
    );
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert!(
        !Visitor::new(house).ask("/echo").inside,
        "hold, as the operator pressed"
    );
}

fn the_stock_of_an_event_does_not_come_back_with_the_next_one(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 5);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.set(
        "event",
        &timed_with(house, "one", [0, 0, 120], &json!({"outside":"automatic"})).to_string(),
    );
    house.wait(MINUTE);
    report(house, r#"{"stock":0}"#);
    house.wait(MINUTE + Duration::from_secs(5));
    house.permit(1);
    assert_eq!(status(house)["cursor"], 1, "it ended");
    let next = timed_with(
        house,
        "two",
        [3600, 3600, 7200],
        &json!({"outside":"automatic"}),
    );
    house.change("event", &json!({ "event": next }).to_string());
    house.permit(1);
    let told = status(house);
    assert_eq!((&told["cursor"], &told["stock"]), (&json!(2), &Value::Null));
}

fn a_stock_that_is_reported_in_the_second_of_the_end_ends_too(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 5);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.set(
        "event",
        &timed_with(house, "one", [0, 0, 600], &json!({"outside":"automatic"})).to_string(),
    );
    house.wait(MINUTE);
    let gone = house.now_ms() % 1000;
    house.wait(Duration::from_millis(1200 - gone));
    report(house, r#"{"stock":0}"#);
    house.change("event", r#"{"event":"sold_out"}"#);
    house.wait(MINUTE);
    house.permit(1);
    let told = status(house);
    assert_eq!(
        (&told["cursor"], &told["stock"]),
        (&json!(1), &Value::Null),
        "{told}"
    );
}

fn the_mode_after_an_event_ends_with_the_prequeue_of_the_next(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    let one = timed_with(
        house,
        "one",
        [0, 0, 120],
        &json!({"outside":"automatic","then":"open"}),
    );
    let two = timed_with(house, "two", [240, 360, 600], &json!({}));
    house.set("event", &json!([one, two]).to_string());
    house.wait(5 * MINUTE);
    house.forget_the_sign();
    let mut line = visitors(house, 3);
    let inside: Vec<bool> = line
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect();
    assert_eq!(inside, [false; 3], "the pre-queue of the second");
}

fn a_room_that_an_event_has_closed_opens_with_the_next(house: &House) {
    at_a_large_pace(house);
    let one = timed_with(house, "one", [0, 0, 120], &json!({"then":"closed"}));
    let two = timed_with(house, "two", [240, 360, 600], &json!({}));
    house.set("event", &json!([one, two]).to_string());
    house.wait(2 * MINUTE + Duration::from_secs(5));
    house.forget_the_sign();
    assert!(!Visitor::new(house).ask("/echo").inside);
    house.wait(4 * MINUTE);
    house.forget_the_sign();
    assert!(
        Visitor::new(house).ask("/echo").inside,
        "the second is open"
    );
}

fn an_event_that_goes_by_arrival_draws_no_lot_in_its_middle(house: &House) {
    let mut line = served_by_lot(house, 5, 900);
    positions(&mut line);
    house.wait(4 * MINUTE);
    let mut late = visitors(house, 12);
    let before = positions(&mut late);
    house.permit(5);
    house.wait(Duration::from_secs(5));
    for _ in 0..3 {
        late[0].ask("/");
        house.wait(Duration::from_secs(2));
    }
    let after = positions(&mut late);
    assert_eq!(before, after, "told long ago, in an open event");
}

/// The ticket is from before the cap, and names no session.
fn a_visit_of_fixed_length_is_no_longer_by_an_old_ticket(house: &House) {
    at_a_large_pace(house);
    house.set("event", &timed_with(house, "one", [60, 60, 7200], &json!({"outside":"automatic","with":{"total_active":5,"session_minutes":3,"session_renewal":"off"}})).to_string());
    let mut guest = Visitor::new(house);
    assert!(guest.ask("/echo").inside);
    let kept = guest.ticket.clone();
    house.set("automatic", "0");
    house.wait(2 * MINUTE);
    let mut minutes = 0;
    for _ in 0..30 {
        let mut again = Visitor::holding(house, kept.clone());
        let inside = again.send_once(Ask::get("/echo").json()).inside;
        minutes += usize::from(inside);
        house.wait(MINUTE);
    }
    assert!(minutes <= 5, "{minutes}");
}

fn a_stock_that_is_reported_after_a_loss_holds(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 9);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(5);
    house.forget_the_sign();
    line[8].ask("/");
    house.store.restart_empty();
    house.go_to_pop(2);
    report(house, r#"{"stock":3}"#);
    house.go_to_pop(0);
    house.forget_the_sign();
    line[8].ask("/");
    house.wait(Duration::from_secs(11));
    line[8].ask("/");
    assert_eq!(
        status(house)["stock"],
        3,
        "that many more, said the shop after the loss"
    );
}

/// Only half of the visitors have read their places.
fn no_place_by_lot_is_given_twice_after_a_loss(house: &House) {
    let mut line = served_by_lot(house, 8, 3600);
    // Half of them read their places.
    for visitor in &mut line[..4] {
        visitor.ask("/");
    }
    house.wait(4 * MINUTE);
    line[0].ask("/");
    house.store.restart_empty();
    house.go_to_pop(2);
    Visitor::new(house).ask("/");
    house.wait(Duration::from_secs(3));
    house.go_to_pop(0);
    for _ in 0..30 {
        house.wait(Duration::from_secs(5));
        line[0].ask("/");
    }
    let mut told: Vec<u64> = line
        .iter_mut()
        .map(|visitor| visitor.ask("/").json()["position"].as_u64().unwrap())
        .collect();
    told.sort_unstable();
    told.dedup();
    assert_eq!(told.len(), 8);
}

fn a_change_in_an_event_is_one_version_of_the_settings(house: &House) {
    at_a_large_pace(house);
    let two = timed_with(
        house,
        "two",
        [0, 0, 600],
        &json!({"outside":"automatic","with":{"automatic_quantity":3}}),
    );
    house.set("event", &two.to_string());
    Visitor::new(house).ask("/");
    let told = house.change("settings", r#"{"automatic":60,"automatic_quantity":4}"#);
    let got = house.ask(&Ask::json_to(
        "mode",
        &json!({"mode":"hold","version":told["version"]}).to_string(),
    ));
    assert_eq!(got.status, 200);
    let journal = house.ask(&Ask::get("/_queue/journal").operator()).body;
    assert_eq!(audit(&[&journal], &[]).faults, Vec::<String>::new());
}

fn an_event_that_ends_visits_is_asked_about_before_it_begins(house: &House) {
    at_a_large_pace(house);
    let more = json!({ "outside": "automatic", "keeps_inside": false });
    let event = timed_with(house, "sale", [3600, 3600, 7200], &more);
    house.set("event", &event.to_string());
    let mut guest = Visitor::new(house);
    assert!(guest.ask("/echo").inside);
    house.wait(3 * MINUTE);
    let second = house.now_ms() / 1000;
    let at = |second: u64| iso_8601(second * 1000).replace(".000Z", "");
    let (opens, closes) = (at(second - 1), at(second + 600));
    let got = house.ask(&Ask::form(
        "event",
        &format!("event=[]&id=sale&opens={opens}&closes={closes}&offset=Z"),
    ));
    assert_ne!(got.status, 303);
    let asked = "who is inside waits again";
    assert!(got.body.contains(asked), "{}", got.body);
    assert!(guest.ask("/echo").inside, "nothing has happened yet");
}

fn without_the_store_a_room_that_an_event_holds_or_closes_stays_so(house: &House) {
    house.set("on_store_error", "admit");
    at_a_large_pace(house);
    for (id, then, outside) in [("one", "hold", "automatic"), ("two", "closed", "closed")] {
        let more = json!({ "outside": outside, "then": then });
        let event = timed_with(house, id, [0, 0, 120], &more);
        house.set("event", &event.to_string());
        let mut guest = Visitor::new(house);
        assert!(guest.ask("/echo").inside, "{id}");
        house.wait(MINUTE + Duration::from_secs(50));
        Visitor::new(house).ask("/echo");
        house.store.fail(Faults::always(Fault::Refuse));
        house.wait(Duration::from_secs(20));
        for _ in 0..10 {
            house.wait(Duration::from_secs(5));
            assert!(!Visitor::new(house).ask("/echo").inside, "{id}");
        }
        house.store.fail(Faults::none());
        house.wait(MINUTE);
    }
}

fn without_the_store_the_pace_of_an_event_ends_with_it(house: &House) {
    house.set("on_store_error", "admit");
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    let more = json!({ "outside": "automatic", "with": { "automatic_quantity": 600 } });
    let event = timed_with(house, "one", [0, 0, 120], &more);
    house.set("event", &event.to_string());
    Visitor::new(house).ask("/echo");
    house.wait(MINUTE + Duration::from_secs(50));
    Visitor::new(house).ask("/echo");
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_secs(30));
    let came = (0..60).filter(|_| {
        house.wait(Duration::from_secs(1));
        Visitor::new(house).ask("/echo").inside
    });
    assert!(came.count() <= 2);
}

/// An event beside the room, which has run for a minute.
fn begins_without_an_end(house: &House) {
    let event = json!({ "id": "sale", "opens": at(house, 0), "outside": "automatic" });
    house.set("event", &event.to_string());
    house.wait(MINUTE);
}

fn its_journal_is_sound(house: &House) {
    let journal = house.ask(&Ask::get("/_queue/journal").operator()).body;
    assert_eq!(
        audit(&[&journal], &[]).faults,
        Vec::<String>::new(),
        "{journal}"
    );
}

fn line_by_hand(house: &House) -> Vec<Visitor<'_>> {
    house.set("automatic", "0");
    let mut line = visitors(house, 5);
    for visitor in &mut line {
        visitor.ask("/");
    }
    line
}

fn at(house: &House, after: u64) -> String {
    iso_8601((house.now_ms() / 1000 + after) * 1000).replace(".000", "")
}

fn without_the_store_the_operators_pace_holds_again_after_an_event(house: &House) {
    house.set("on_store_error", "admit");
    house.set("automatic", "60");
    house.set("automatic_quantity", "600");
    house.change("settings", r#"{"automatic": 60, "automatic_quantity": 1}"#);
    let event = json!({
        "id": "one", "opens": at(house, 10), "closes": at(house, 120), "outside": "automatic",
        "with": { "automatic_quantity": 300 },
    });
    house.set("event", &event.to_string());
    let mut guest = Visitor::new(house);
    // By a look the data centre learns that there is one.
    for _ in 0..11 {
        house.wait(Duration::from_secs(10));
        guest.ask("/echo");
    }
    Visitor::new(house).ask("/echo");
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_secs(30));
    let came = go_in(house, "/echo");
    assert!(came <= 2, "{came} at 1 a minute");
}

fn without_the_store_the_stock_of_an_event_ends_with_it(house: &House) {
    house.set("on_store_error", "admit");
    house.set("automatic", "60");
    house.set("automatic_quantity", "60");
    let event = json!({
        "id": "one", "opens": at(house, 0), "closes": at(house, 120), "outside": "automatic",
    });
    house.set("event", &event.to_string());
    Visitor::new(house).ask("/echo");
    report(house, r#"{"stock": 0}"#);
    let mut guest = Visitor::new(house);
    for _ in 0..11 {
        house.wait(Duration::from_secs(10));
        guest.ask("/echo");
    }
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_secs(30));
    let came = go_in(house, "/echo");
    assert!(came > 20, "{came} in the minutes after the event");
}

fn a_stock_that_was_reported_before_a_maintenance_outlives_it(house: &House) {
    let _line = line_by_hand(house);
    let event = json!({
        "id": "night", "opens": at(house, 60), "closes": at(house, 120),
        "outside": "automatic", "admits": "none",
    });
    house.set("event", &event.to_string());
    report(house, r#"{"stock": 0}"#);
    house.wait(3 * MINUTE);
    let told = house.permit(2);
    assert_eq!(told["released"], 0, "{told}");
}

/// The end that an operator sets is the beginning of this second.
fn a_stock_that_is_reported_after_an_event_was_sold_out_holds(house: &House) {
    let _line = line_by_hand(house);
    let event = json!({ "id": "sale", "opens": at(house, 0), "outside": "automatic" });
    house.set("event", &event.to_string());
    house.wait(Duration::from_millis(60_300));
    house.change("event", r#"{"event": "sold_out"}"#);
    house.wait(Duration::from_millis(300));
    report(house, r#"{"stock": 1}"#);
    assert_eq!(status(house)["stock"], 1);
    let told = house.permit(3);
    assert_eq!(told["released"], 1, "{told}");
}

fn a_stock_is_there_again_when_sold_out_is_undone(house: &House) {
    let _line = line_by_hand(house);
    begins_without_an_end(house);
    report(house, r#"{"stock": 1}"#);
    house.change("event", r#"{"event": "sold_out"}"#);
    house.change("event", r#"{"event": null}"#);
    assert_eq!(status(house)["event"]["phase"], "open");
    let told = house.permit(3);
    assert_eq!(told["released"], 1, "{told}");
}

fn a_data_centre_with_older_settings_ends_no_stock_of_an_event_that_goes_on(house: &House) {
    let _line = line_by_hand(house);
    let began = house.now_ms();
    let event = |closes: u64| {
        let time = |second: u64| iso_8601((began / 1000 + second) * 1000).replace(".000", "");
        json!({ "id": "sale", "opens": time(0), "closes": time(closes), "outside": "automatic" })
            .to_string()
    };
    house.set("event", &event(600));
    house.wait(MINUTE);
    report(house, r#"{"stock": 1}"#);
    // The end is moved half a minute before.
    house.wait(Duration::from_secs(510));
    house.set("event", &event(7_200));
    status(house);
    house.permit(1);
    // Ten seconds later than the old end a sandbox asks that was there before.
    house.wait(Duration::from_secs(40));
    house.set("event", &event(600));
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    house.set("event", &event(7_200));
    let told = house.permit(3);
    assert_eq!(told["released"], 0, "all that was there is sold: {told}");
}

fn the_audit_finds_no_fault_where_an_event_with_a_stock_is_sold_out(house: &House) {
    let _line = line_by_hand(house);
    begins_without_an_end(house);
    report(house, r#"{"stock": 0}"#);
    house.permit(2);
    house.change("event", r#"{"event": "sold_out"}"#);
    house.permit(1);
    its_journal_is_sound(house);
}

fn the_audit_finds_no_fault_where_a_stock_was_reported_just_after_an_event(house: &House) {
    let _line = line_by_hand(house);
    let event = json!({ "id": "sale", "opens": at(house, 0), "closes": at(house, 60), "outside": "automatic" });
    house.set("event", &event.to_string());
    house.permit(1);
    house.wait(Duration::from_millis(60_400));
    report(house, r#"{"stock": 1}"#);
    house.permit(3);
    its_journal_is_sound(house);
}

/// Reported while an event runs it ends with the event, also where that is taken away.
fn a_stock_ends_with_an_event_that_is_taken_away(house: &House) {
    let _line = line_by_hand(house);
    begins_without_an_end(house);
    report(house, r#"{"stock": 0}"#);
    house.change("event", r#"{"event": []}"#);
    let told = house.permit(2);
    assert_eq!(told["released"], 2, "{told}");
}

/// The same where the document no longer has it.
fn a_stock_ends_with_an_event_that_is_no_longer_configured(house: &House) {
    let _line = line_by_hand(house);
    let event = json!({
        "id": "sale", "opens": at(house, 0), "closes": at(house, 600), "outside": "automatic",
    });
    house.set("event", &event.to_string());
    house.wait(MINUTE);
    report(house, r#"{"stock": 0}"#);
    house.wait(10 * MINUTE);
    house.set("event", "[]");
    let told = house.permit(2);
    assert_eq!(told["released"], 2, "{told}");
}

/// Sold out on a Friday.
fn a_shop_without_stock_is_not_open_again_after_a_quiet_weekend(house: &House) {
    house.set("automatic", "15");
    house.set("automatic_quantity", "5");
    Visitor::new(house).ask("/echo");
    report(house, r#"{"stock": 0}"#);
    assert!(!Visitor::new(house).ask("/echo").inside);
    house.wait(Duration::from_hours(60));
    // A data centre keeps its last board for an hour.
    house.go_to_pop(1);
    assert!(!Visitor::new(house).ask("/echo").inside);
}
