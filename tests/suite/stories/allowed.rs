//! Clients that need no ticket: monitors and partners.

use now_serving::queue::{Now, RoomName};
use now_serving::ticket::Keys;
use now_serving::ticket::allowance::sign_allowance;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, SECRET, Visitor, visitors};

/// The header of a monitor, which ends after these seconds.
fn allowance(house: &House, seconds: i64) -> String {
    let now = Now::from_ms(house.now_ms());
    let ends = now.secs().saturating_add_signed(seconds);
    let (keys, room) = (Keys::new(SECRET, None), RoomName::new(house.room()));
    sign_allowance(&keys, "uptime", ends, &room, now).unwrap()
}

/// A room with a line.
fn crowded(house: &House) {
    house.warm();
    for (visitor, number) in visitors(house, 2).iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
}

pub(crate) fn a_monitor_with_a_signed_header_passes_without_a_ticket_or_a_store_call(
    house: &House,
) {
    crowded(house);
    let token = allowance(house, 60);
    let free = house.is_free(|| {
        for method in ["GET", "HEAD", "POST"] {
            let ask = Ask::get("/echo").method(method).with("queue-allow", &token);
            let got = house.ask(&ask);
            assert!(got.inside, "{method}: {got:?}");
            assert_eq!(got.ticket(), None);
        }
    });
    assert!(free);
    let mut lines = house.log();
    lines.retain(|line| line["reason"] == "allowed");
    let named = |line: &&Value| line["allowed"] == "uptime" && line["permitted"] == true;
    assert_eq!(lines.iter().filter(named).count(), lines.len());
    assert!(lines.len() >= 3, "{lines:?}");
    assert!(lines.iter().all(|line| line["visitorPosition"].is_null()));
    assert_eq!(Visitor::new(house).ask("/").json()["position"], 3);
}

pub(crate) fn a_wrong_or_expired_header_changes_nothing_and_is_logged(house: &House) {
    crowded(house);
    let (good, over) = (allowance(house, 60), allowance(house, -1));
    let forged = good.replace('.', ".A");
    for (token, number, told) in [
        (forged.as_str(), 3, "wrong"),
        ("", 4, "wrong"),
        (over.as_str(), 5, "expired"),
    ] {
        let mut visitor = Visitor::new(house);
        let ask = Ask::get("/").json().with("queue-allow", token);
        let got = visitor.send(ask);
        assert_eq!(got.json()["position"], number, "{got:?}");
        let lines = house.log_where(|line| line["visitorPosition"] == number);
        assert_eq!(lines[0]["allowRefused"], told, "{lines:?}");
    }
}

pub(crate) fn a_closed_room_and_an_outage_do_not_hold_an_allowed_client(house: &House) {
    crowded(house);
    house.change("mode", r#"{"mode":"closed"}"#);
    house.forget_the_sign();
    let token = allowance(house, 600);
    let ask = || Ask::get("/echo").with("queue-allow", &token);
    assert!(!Visitor::new(house).ask("/echo").inside);
    assert!(house.ask(&ask()).inside);
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(house.ask(&ask()).inside);
    house.store.fail(Faults::none());
}

pub(crate) fn an_allowed_client_has_no_rights_of_an_operator(house: &House) {
    let token = allowance(house, 60);
    for ask in [
        Ask::get("/_queue/"),
        Ask::get("/_queue/status"),
        Ask::get("/_queue/metrics"),
        Ask::permit(1),
    ] {
        let mut ask = ask.with("queue-allow", &token);
        ask.headers.retain(|(name, _)| *name != "authorization");
        assert_eq!(house.ask(&ask).status, 401, "{ask:?}");
    }
    let place = house.ask(&Ask::get("/_queue/place").with("queue-allow", &token));
    assert_eq!(place.json(), json!({ "waiting": true, "ticket": "none" }));
}

pub(crate) fn a_listed_network_passes_without_a_ticket_or_a_store_call(house: &House) {
    crowded(house);
    house.set("allow_acl", "offices");
    let free = house.is_free(|| {
        for method in ["GET", "HEAD", "POST"] {
            let got = house.ask(&Ask::get("/echo").method(method));
            assert!(got.inside && got.ticket().is_none(), "{method}: {got:?}");
        }
    });
    assert!(free);
    let mut lines = house.log();
    lines.retain(|line| line["reason"] == "allowed");
    assert!(lines.len() >= 3, "{lines:?}");
    assert!(lines.iter().all(|line| line["allowed"] == "offices"));
}

pub(crate) fn an_unlisted_network_and_an_unread_list_wait_like_any_other(house: &House) {
    crowded(house);
    for (list, number, told) in [
        ("strangers", 3, Value::Null),
        ("empty", 4, Value::Null),
        ("missing", 5, json!("list_unread")),
    ] {
        house.set("allow_acl", list);
        let got = Visitor::new(house).ask("/");
        assert_eq!(got.json()["position"], number, "{got:?}");
        let lines = house.log_where(|line| line["visitorPosition"] == number);
        assert_eq!(lines[0]["allowRefused"], told, "{lines:?}");
    }
}

pub(crate) fn a_visitor_with_a_number_stays_one_in_a_listed_network(house: &House) {
    house.warm();
    let mut all = visitors(house, 2);
    for visitor in &mut all {
        visitor.ask("/");
    }
    house.set("allow_acl", "offices");
    let got = all[1].ask("/");
    assert_eq!(got.json()["position"], 2, "{got:?}");
}
