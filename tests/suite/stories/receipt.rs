//! Receipts: what a visitor takes along of the ticket, and what support makes of it.

use std::time::Duration;

use serde_json::{Value, json};

use super::invitations::{invitation_by, used};
use super::lot::{drawn, event, places, set_event};
use crate::house::{Ask, Got, House, Visitor, inside, visitors};

// These stories need several POPs, a lost store, or an hour.
in_houses_whose_clock_is_turned! {
    a_receipt_tells_no_more_and_no_less_than_the_page
    a_receipt_of_a_visitor_inside_counts_nobody_ahead
    a_receipt_states_no_cursor_of_another_line
    who_came_after_the_lot_has_a_number_by_an_old_copy_too
    a_receipt_states_no_cursor_of_a_copy_that_is_old
    before_the_lot_a_receipt_tells_no_number
    before_the_lot_no_copy_of_before_the_event_tells_a_number
    before_the_lot_no_copy_of_before_an_event_in_a_young_line_tells_a_number
    a_number_that_the_lot_gave_stands_in_a_receipt_by_a_copy_of_before_it
    a_receipt_of_the_prequeue_is_old_once_all_tickets_were_ended
    a_receipt_of_a_visitor_inside_states_no_cursor_of_a_line_that_came_back
    no_line_of_another_number_is_told_to_have_called_one
    a_receipt_from_behind_a_loss_tells_what_the_page_tells_and_which_line_called
    a_receipt_finds_its_lines_in_a_long_journal
    receipts_are_looked_up_once_a_second_in_a_data_centre
}

fn taken(visitor: &mut Visitor<'_>) -> Value {
    visitor.send(Ask::get("/_queue/receipt").json()).json()
}

fn a_receipt_tells_no_more_and_no_less_than_the_page(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("FRA");
    let mut before = visitors(house, 5);
    for visitor in &mut before {
        visitor.ask("/");
    }
    house.go_to_pop_called("OSL");
    house.permit(4);
    house.forget_the_sign();
    let mut visitor = Visitor::new(house);
    let page = visitor.ask("/").json();
    assert_eq!((&page["position"], &page["cursor"]), (&json!(6), &json!(4)));
    // The other data centre knows the board of before, and nobody is moved back.
    house.go_to_pop_called("FRA");
    let receipt = taken(&mut visitor);
    for (name, told) in [
        ("number", "position"),
        ("cursor", "cursor"),
        ("ahead", "ahead"),
    ] {
        assert_eq!(receipt[name], page[told], "{name}: {receipt} {page}");
    }
}

/// The copy of another data centre may be of before the turn.
fn a_receipt_of_a_visitor_inside_counts_nobody_ahead(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("FRA");
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.go_to_pop_called("OSL");
    house.permit(3);
    assert!(line[2].ask("/").inside);
    house.go_to_pop_called("FRA");
    let receipt = taken(&mut line[2]);
    let facts = ["number", "ahead"].map(|name| receipt[name].clone());
    assert_eq!(facts, [json!(3), Value::Null], "{receipt}");
    let page = line[2].send(Ask::get("/_queue/receipt")).body;
    assert!(!page.contains("ahead of you"), "{page}");
    for part in [
        "<p id=text>Checked at ",
        " UTC</p>",
        "<dt>Your number<dd>3<dt>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

/// The board of another line says nothing of a number of this one.
fn a_receipt_states_no_cursor_of_another_line(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("FRA");
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let facts = |receipt: &Value| ["number", "cursor", "ahead"].map(|name| receipt[name].clone());
    assert_eq!(facts(&taken(&mut line[2])), [json!(3), json!(0), json!(2)]);
    // All is lost but the ticket, and another visitor begins a line.
    house.store.command(&["FLUSHALL"]).unwrap();
    house.go_to_pop_called("OSL");
    house.wait(Duration::from_secs(1));
    Visitor::new(house).ask("/");
    let receipt = taken(&mut line[2]);
    assert_eq!(facts(&receipt), [json!(3), Value::Null, Value::Null]);
    // And of tickets that were ended nothing either.
    let mut new = Visitor::new(house);
    new.ask("/");
    new.ask("/");
    house.change("epoch", r#"{"word":"main"}"#);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    let ended = taken(&mut new);
    assert_eq!(
        (&ended["cursor"], &ended["ahead"]),
        (&Value::Null, &Value::Null),
        "{ended}"
    );
    let told = check(house, ended["receipt"].as_str().unwrap());
    assert_eq!(told["verdict"], "old", "{told}");
}

fn who_came_after_the_lot_has_a_number_by_an_old_copy_too(house: &House) {
    let mut before = drawn(house, 3, &json!({}));
    before[0].ask("/");
    house.wait(Duration::from_mins(2));
    let mut late = Visitor::new(house);
    late.ask("/");
    let number = late.ask("/").json()["position"].clone();
    house.wait(Duration::from_mins(5));
    let receipt = taken(&mut late);
    assert_eq!(receipt["number"], number, "{receipt}");
    assert_eq!(receipt["cursor"], Value::Null, "{receipt}");
}

fn a_receipt_states_no_cursor_of_a_copy_that_is_old(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    for visitor in &mut line {
        visitor.ask("/");
    }
    assert_eq!(taken(&mut line[1])["ahead"], 1);
    house.wait(Duration::from_mins(5));
    let receipt = taken(&mut line[1]);
    let facts = ["number", "cursor", "ahead"].map(|name| receipt[name].clone());
    assert_eq!(facts, [json!(2), Value::Null, Value::Null], "{receipt}");
    line[1].ask("/");
    assert_eq!(taken(&mut line[1])["ahead"], 1);
}

fn before_the_lot_a_receipt_tells_no_number(house: &House) {
    let mut line = drawn(house, 3, &json!({}));
    // Until the first look after the start nobody knows the order.
    let receipt = taken(&mut line[2]);
    let facts = ["number", "ahead"].map(|name| receipt[name].clone());
    assert_eq!(facts, [Value::Null, Value::Null], "{receipt}");
    let page = line[2].send(Ask::get("/_queue/receipt"));
    assert!(page.body.contains("<p>You’re in the draw.</p>"), "{page:?}");
    assert!(!page.body.contains("<dt>Your number"), "{page:?}");
    let text = receipt["receipt"].as_str().unwrap();
    assert_eq!(check(house, text)["number"], Value::Null);
    let place = places(house, &mut line)[2].clone();
    assert_eq!(taken(&mut line[2])["number"], place);
}

/// A visitor draws in the pre-queue elsewhere; here the last board is of before it.
fn tells_no_number(house: &House) {
    house.go_to_pop_called("OSL");
    let mut visitor = Visitor::new(house);
    let page = visitor.ask("/").json();
    assert_eq!(page["position"], Value::Null, "{page}");
    house.go_to_pop_called("FRA");
    let receipt = taken(&mut visitor);
    assert_eq!(receipt["number"], Value::Null, "{receipt}");
    assert_ne!(receipt["born"], 0, "{receipt}");
}

fn before_the_lot_no_copy_of_before_the_event_tells_a_number(house: &House) {
    house.go_to_pop_called("FRA");
    event(house, &json!({}));
    tells_no_number(house);
}

/// There the event ends no tickets as it begins, so the copy is of the same epoch.
fn before_the_lot_no_copy_of_before_an_event_in_a_young_line_tells_a_number(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("FRA");
    Visitor::new(house).ask("/");
    set_event(house, "sale", [0, 60, 3600], &json!({}));
    house.wait(Duration::from_secs(3));
    tells_no_number(house);
}

fn a_number_that_the_lot_gave_stands_in_a_receipt_by_a_copy_of_before_it(house: &House) {
    house.go_to_pop_called("FRA");
    let mut line = drawn(house, 3, &json!({}));
    house.go_to_pop_called("OSL");
    let found = places(house, &mut line);
    let numbers = |line: &mut [Visitor<'_>]| {
        let number = |visitor: &mut Visitor<'_>| taken(visitor)["number"].clone();
        line.iter_mut().map(number).collect::<Vec<Value>>()
    };
    house.go_to_pop_called("FRA");
    assert_eq!(numbers(&mut line), found, "while they wait");
    house.go_to_pop_called("OSL");
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(inside(&mut line), [true; 3]);
    house.go_to_pop_called("FRA");
    assert_eq!(numbers(&mut line), found, "inside");
}

fn a_receipt_of_the_prequeue_is_old_once_all_tickets_were_ended(house: &House) {
    house.set("automatic", "0");
    event(house, &json!({}));
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let of_prequeue = taken(&mut visitor);
    let mut newcomer = Visitor::new(house);
    newcomer.send_once(Ask::get("/").json());
    let without_a_place = taken(&mut newcomer);
    assert_eq!(
        (&of_prequeue["number"], &without_a_place["born"]),
        (&Value::Null, &json!(0))
    );
    let verdict = |receipt: &Value| {
        let told = check(house, receipt["receipt"].as_str().unwrap());
        told["verdict"].clone()
    };
    assert_eq!(verdict(&of_prequeue), "valid");
    house.change("epoch", &house.word());
    assert_eq!(verdict(&of_prequeue), "old");
    assert_eq!(verdict(&without_a_place), "valid", "it had no place to end");
}

/// The numbers of after the loss are behind those that came back, and what is served of these says nothing of the turn of a visitor inside.
fn a_receipt_of_a_visitor_inside_states_no_cursor_of_a_line_that_came_back(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("FRA");
    let mut first = visitors(house, 6);
    for visitor in &mut first {
        visitor.ask("/");
    }
    house.permit(5);
    house.store.command(&["FLUSHALL"]).unwrap();
    house.go_to_pop_called("OSL");
    house.wait(Duration::from_secs(1));
    let mut young = visitors(house, 4);
    for visitor in &mut young {
        visitor.ask("/");
    }
    house.permit(4);
    house.forget_the_sign();
    assert!(young[3].ask("/").inside);
    let before = taken(&mut young[3]);
    house.go_to_pop_called("FRA");
    assert_eq!(first[5].ask("/").json()["position"], 6);
    let receipt = taken(&mut young[3]);
    let facts = ["number", "cursor", "ahead"].map(|name| receipt[name].clone());
    assert_eq!(facts, [json!(10), Value::Null, Value::Null], "{receipt}");
    assert_eq!(receipt["born"], before["born"]);
}

fn no_line_of_another_number_is_told_to_have_called_one(house: &House) {
    house.set("automatic", "0");
    house.go_to_pop_called("OSL");
    let mut line = visitors(house, 6);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(2);
    house.forget_the_sign();
    let receipts: Vec<String> = (line.iter_mut())
        .map(|visitor| {
            visitor.ask("/");
            taken(visitor)["receipt"].as_str().unwrap().to_owned()
        })
        .collect();
    let called = |of: usize| check(house, &receipts[of])["called"]["kind"].clone();
    assert_eq!((called(1), called(2)), (json!("permit"), Value::Null));
    // The store loses the line and keeps the journal. Newcomers begin another line, of which more are called.
    house
        .store
        .command(&["DEL", &format!("queue:{{{}}}", house.room())])
        .unwrap();
    house.go_to_pop_called("FRA");
    let mut young = visitors(house, 6);
    for visitor in &mut young {
        visitor.ask("/");
    }
    house.permit(5);
    assert_eq!(called(3), Value::Null, "five of another line were called");
    // A copy of the first line comes back.
    house.go_to_pop_called("OSL");
    house.permit(1);
    assert_eq!(called(3), Value::Null, "a restoration calls nobody");
}

/// Who draws behind the visitors of before has a number behind theirs.
fn a_receipt_from_behind_a_loss_tells_what_the_page_tells_and_which_line_called(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 6);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(2);
    house.wait(Duration::from_secs(3));
    line[5].ask("/");
    house.store.restart_empty();
    let mut late = visitors(house, 2);
    for visitor in &mut late {
        visitor.ask("/");
    }
    house.wait(Duration::from_secs(12));
    let page = late[1].ask("/").json();
    assert_eq!(page["position"], 8, "{page}");
    let receipt = taken(&mut late[1]);
    for (name, told) in [
        ("number", "position"),
        ("cursor", "cursor"),
        ("ahead", "ahead"),
    ] {
        assert_eq!(receipt[name], page[told], "{name}: {receipt} {page}");
    }
    let text = receipt["receipt"].as_str().unwrap();
    assert_eq!(check(house, text)["called"], Value::Null);
    house.permit(6);
    let told = check(house, text);
    let found = ["kind", "cursor"].map(|name| told["called"][name].clone());
    assert_eq!(found, [json!("permit"), json!(8)], "{told}");
    assert_eq!([&told["number"], &told["cursor"]], [8, 8], "{told}");
}

/// Of early tickets and of late ones, near the end that is read first and far from it.
fn a_receipt_finds_its_lines_in_a_long_journal(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 1_500);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let mut late = Vec::new();
    for number in 1..=1_500 {
        house.permit(1);
        house.wait(Duration::from_millis(100));
        if number % 300 == 0 {
            house.forget_the_sign();
            let mut visitor = Visitor::new(house);
            visitor.ask("/");
            // The line begins with its first line.
            late.push((taken(&mut visitor), number + 1));
        }
    }
    let found = |receipt: &Value, name: &str| {
        let told = check(house, receipt["receipt"].as_str().unwrap());
        told[name]["line"].as_u64()
    };
    for number in [1, 2, 299, 750, 1_499, 1_500] {
        let receipt = taken(&mut line[number - 1]);
        let called = u64::try_from(number).unwrap() + 1;
        assert_eq!(found(&receipt, "called"), Some(called), "{receipt}");
        assert_eq!(found(&receipt, "head"), Some(1), "{receipt}");
    }
    for (receipt, reached) in late {
        assert_eq!(found(&receipt, "head"), Some(reached), "{receipt}");
        assert_eq!(found(&receipt, "called"), None, "{receipt}");
    }
}

/// A token that may only read is no reason for the store to be slow.
fn receipts_are_looked_up_once_a_second_in_a_data_centre(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let receipts: Vec<String> = (line.iter_mut())
        .map(|visitor| taken(visitor)["receipt"].as_str().unwrap().to_owned())
        .collect();
    let asks = || {
        let ask = |receipt| {
            let body = json!({ "receipt": receipt }).to_string();
            house.ask(&Ask::json_to("receipt/check", &body)).status
        };
        receipts
            .iter()
            .cycle()
            .take(20)
            .map(ask)
            .collect::<Vec<u16>>()
    };
    for _ in 0..2 {
        let mut statuses = Vec::new();
        let calls = house.calls(|| statuses = asks());
        assert_eq!((calls, statuses[0]), (1, 200));
        assert!(statuses[1..].iter().all(|status| *status == 429));
        house.wait(Duration::from_secs(1));
    }
    // What is no receipt costs the store nothing, and is always told.
    let altered = house.ask(&Ask::json_to("receipt/check", r#"{"receipt":"x.y"}"#));
    assert_eq!(altered.json()["verdict"], "altered");
}

/// A data centre looks one up once a second.
fn check(house: &House, receipt: &str) -> Value {
    house.wait(Duration::from_secs(1));
    let body = json!({ "receipt": receipt }).to_string();
    house.change("receipt/check", &body)
}

pub(crate) fn a_receipt_says_where_the_ticket_stands_and_support_sees_what_happened(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let taken = line[2].send(Ask::get("/_queue/receipt").json());
    assert_eq!(taken.status, 200, "{taken:?}");
    let taken = taken.json();
    let facts = ["room", "number", "cursor", "ahead", "lane"].map(|name| taken[name].clone());
    let room = json!(house.room());
    assert_eq!(facts, [room, json!(3), json!(0), json!(2), Value::Null]);
    let receipt = taken["receipt"].as_str().unwrap();
    let before = check(house, receipt);
    assert_eq!(
        (&before["verdict"], &before["called"]),
        (&json!("valid"), &Value::Null)
    );
    assert_eq!(before["head"]["kind"], "begin");
    house.permit(3);
    let after = check(house, receipt);
    assert_eq!(
        (&after["cursor_then"], &after["cursor"]),
        (&json!(0), &json!(3))
    );
    let called = ["kind", "cursor", "who", "line"].map(|name| after["called"][name].clone());
    assert_eq!(
        called,
        [json!("permit"), json!(3), json!("permit_token"), json!(2)]
    );
    assert_eq!(after["number"], 3);
    house.change("epoch", &house.word());
    assert_eq!(check(house, receipt)["verdict"], "old");
}

pub(crate) fn a_receipt_of_an_invited_visitor_is_of_a_line_and_ends_with_it(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    line[0].ask("/");
    let waiting = taken(&mut line[0]);
    house.set("invited_per_minute", "10");
    let code = invitation_by(None, house, "one", 1, 3_600);
    assert!(used(&mut line[1], &code).inside);
    let invited = taken(&mut line[1]);
    assert_eq!(invited["number"], Value::Null, "{invited}");
    assert_eq!(invited["born"], waiting["born"], "{invited}");
    let receipt = invited["receipt"].as_str().unwrap();
    assert_eq!(check(house, receipt)["verdict"], "valid");
    house.change("epoch", &house.word());
    assert_eq!(check(house, receipt)["verdict"], "old");
}

pub(crate) fn a_receipt_that_was_altered_is_refused_without_a_call(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 1);
    line[0].ask("/");
    let taken = line[0].send(Ask::get("/_queue/receipt").json()).json();
    let receipt = taken["receipt"].as_str().unwrap();
    assert_eq!(house.calls(|| drop(check(house, receipt))), 1);
    let altered = receipt.replacen("cm", "cn", 1);
    assert_ne!(altered, receipt);
    for text in [
        altered.as_str(),
        "",
        "x.y",
        line[0].ticket.as_ref().unwrap(),
    ] {
        let told = house.calls(|| {
            let expected = json!({ "room": house.room(), "verdict": "altered" });
            assert_eq!(check(house, text), expected, "{text}");
        });
        assert_eq!(told, 0);
    }
    for wrong in [
        "{}",
        r#"{"receipt":5}"#,
        r#"{"receipt":"x","more":"y"}"#,
        &json!({ "receipt": "x".repeat(1_001) }).to_string(),
    ] {
        let refused = house.ask(&Ask::json_to("receipt/check", wrong));
        assert_eq!(refused.status, 400, "{wrong}");
        assert!(
            refused.body.contains("nothing was checked"),
            "{}",
            refused.body
        );
    }
}

/// What the panel answers to a receipt in its form, sent by a page of this site or of another.
fn pasted(house: &House, receipt: &str, site: &str) -> Got {
    house.wait(Duration::from_secs(1));
    let ask = Ask::get("/_queue/receipt/check").method("POST").operator();
    let ask = ask.with("sec-fetch-site", site);
    let text = format!("receipt={receipt}");
    house.ask(&ask.body("application/x-www-form-urlencoded", &text))
}

pub(crate) fn a_receipt_is_a_page_for_a_browser_and_its_check_a_form(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 2);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let page = line[1].send(Ask::get("/_queue/receipt"));
    for part in [
        "There is 1 person ahead of you.",
        "<dt>Your number<dd>2<dt>",
        "Keep the text below: support can check with it which place was yours.",
    ] {
        assert!(page.body.contains(part), "{part}: {page:?}");
    }
    let taken = line[1].send(Ask::get("/_queue/receipt").json()).json();
    let receipt = taken["receipt"].as_str().unwrap();
    let form = |site: &str| pasted(house, receipt, site);
    let checked = form("same-origin");
    assert_eq!(checked.status, 200, "{checked:?}");
    assert!(
        checked.body.contains("The receipt is valid: ticket "),
        "{}",
        checked.body
    );
    assert!(
        checked
            .body
            .contains("No line since the line began or was last restored has called the number.")
    );
    assert_eq!(form("cross-site").status, 403);
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(panel.contains("Check the receipt"), "{panel}");
}

pub(crate) fn without_a_ticket_there_is_no_receipt_and_taking_one_costs_no_call(house: &House) {
    house.set("automatic", "0");
    let none = house.ask(&Ask::get("/_queue/receipt").json());
    assert_eq!(none.status, 404, "{none:?}");
    assert_eq!(house.ask(&Ask::get("/_queue/receipt")).status, 404);
    let mut line = visitors(house, 1);
    line[0].ask("/");
    let calls = house.calls(|| drop(line[0].send(Ask::get("/_queue/receipt").json())));
    assert_eq!(calls, 0);
    let checked = house.ask(&Ask::get("/_queue/receipt/check").operator());
    assert_eq!(checked.status, 405);
    let anybody = Ask::get("/_queue/receipt/check").method("POST");
    assert_eq!(
        house.ask(&anybody.body("application/json", "{}")).status,
        401
    );
}

pub(crate) fn a_receipt_of_a_group_and_of_a_region_is_checked_too(house: &House) {
    house.set("automatic", "0");
    house.set("priority", r#"[{"name":"front","share":20}]"#);
    let mut line = visitors(house, 2);
    line[0].ask("/");
    used(
        &mut line[1],
        &invitation_by(Some("front"), house, "many", 10, 3_600),
    );
    let receipt = |visitor: &mut crate::house::Visitor<'_>| {
        let taken = visitor.send(Ask::get("/_queue/receipt").json()).json();
        taken["receipt"].as_str().unwrap().to_owned()
    };
    let of_front = receipt(&mut line[1]);
    house.permit(2);
    let told = check(house, &of_front);
    let facts = ["verdict", "lane", "number", "cursor"].map(|name| told[name].clone());
    assert_eq!(facts, [json!("valid"), json!("front"), json!(1), json!(1)]);
    assert_eq!(told["called"]["kind"], "permit", "{told}");
    house.unset("priority");
    let pop = r#"[{"name":"again","countries":["AT"]}]"#;
    house.set("regions", pop);
    let mut later = visitors(house, 1);
    later[0].ask("/");
    let of_main = receipt(&mut later[0]);
    house.permit(1);
    // The journal has the sum of all lines, which says of no number when it was called.
    let told = check(house, &of_main);
    assert_eq!(
        (&told["verdict"], &told["called"]),
        (&json!("valid"), &Value::Null)
    );
    let told = pasted(house, &of_main, "same-origin").body;
    let why =
        "The journal has one sum for all regions, so no line of it says when a number was called.";
    assert!(told.contains(why), "{told}");
    // The store remembers the region, and still searches for no number.
    house.unset("regions");
    let told = pasted(house, &of_main, "same-origin").body;
    assert!(told.contains(why), "{told}");
}
