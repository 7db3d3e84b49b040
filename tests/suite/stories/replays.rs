//! One ticket, sent again and again by a client that keeps none of the answers: what that costs the store.

use std::time::Duration;

use super::invitations::{invitation_by, sent, used};
use super::lines::{line, status};
use crate::house::{Ask, House, Visitor};

in_houses_whose_clock_is_turned! {
    a_replayed_ticket_without_a_number_costs_one_call_a_second
    a_replayed_invitation_that_is_used_costs_one_call_a_second
    a_replayed_ticket_that_has_ended_costs_one_call_a_second
    a_replayed_invitation_that_waits_for_the_end_of_hold_costs_one_call_a_second
}

/// In each of five seconds this ticket comes twenty times. The store is asked for it once, and the copy of the board is renewed once.
fn costs_one_call_a_second(house: &House, ticket: &str) {
    for second in 0..5 {
        let calls = house.calls(|| {
            for _ in 0..20 {
                let mut copy = Visitor::holding(house, Some(ticket.to_owned()));
                assert!(!copy.send_once(Ask::get("/").json()).inside);
            }
        });
        assert!(calls <= 2, "{calls} calls in second {second}");
        house.wait(Duration::from_secs(1));
    }
}

fn a_replayed_ticket_without_a_number_costs_one_call_a_second(house: &House) {
    house.set("automatic", "0");
    line(house, 3);
    let mut visitor = Visitor::new(house);
    visitor.send_once(Ask::get("/").json());
    let ticket = visitor.ticket.clone().unwrap();
    costs_one_call_a_second(house, &ticket);
    assert_eq!(status(house)["length"], 4, "one number");
    assert_eq!(visitor.ask("/").json()["position"], 4);
}

fn a_replayed_invitation_that_is_used_costs_one_call_a_second(house: &House) {
    house.set("automatic", "0");
    house.set("invited_per_minute", "10");
    let mut crowd = line(house, 3);
    let code = invitation_by(None, house, "one", 1, 3_600);
    crowd[2].send_once(sent(&code, "/echo"));
    let brings = crowd[2].ticket.clone().unwrap();
    assert!(used(&mut crowd[1], &code).inside, "it is used up");
    costs_one_call_a_second(house, &brings);
    let told = crowd[2].ask("/").json();
    assert_eq!(
        (&told["position"], &told["notice"]),
        (&3.into(), &"invitation_used".into())
    );
}

fn a_replayed_ticket_that_has_ended_costs_one_call_a_second(house: &House) {
    house.set("automatic", "0");
    let mut crowd = line(house, 3);
    house.change("epoch", &house.word());
    line(house, 1);
    let length = || status(house)["length"].as_u64().unwrap();
    let before = length();
    let ticket = crowd[0].ticket.clone().unwrap();
    costs_one_call_a_second(house, &ticket);
    assert_eq!(length(), before + 1, "one number");
    assert_eq!(crowd[0].ask("/").json()["position"], before + 1);
}

fn a_replayed_invitation_that_waits_for_the_end_of_hold_costs_one_call_a_second(house: &House) {
    house.set("automatic", "0");
    house.set("invited_per_minute", "10");
    let mut crowd = line(house, 3);
    house.change("mode", r#"{"mode": "hold"}"#);
    let code = invitation_by(None, house, "one", 1, 3_600);
    crowd[2].send_once(sent(&code, "/echo"));
    costs_one_call_a_second(house, &crowd[2].ticket.clone().unwrap());
    house.change("mode", r#"{"mode": "automatic"}"#);
    house.forget_the_sign();
    assert!(crowd[2].ask("/echo").inside);
}
