//! One number, one session: lost answers, second tabs, and copies of a ticket.

use std::time::Duration;

use serde_json::json;
use upstash_local::{Fault, Faults};

use super::super::invitations::{invitation_by, used};
use super::{at_a_large_pace, cap, counted, line};
use crate::house::{Ask, House, Visitor};

// These stories need minutes, and other addresses than this machine's.
in_houses_whose_clock_is_turned! {
    a_copy_shares_the_session_for_a_while_and_then_draws
    a_number_that_a_restored_store_gave_twice_lets_both_visitors_in
    a_number_of_a_group_that_was_given_twice_lets_both_visitors_in
    of_a_number_that_was_given_twice_each_ticket_has_one_session
}

const HERE: [u8; 4] = [192, 0, 2, 1];
const NEXT_DOOR: [u8; 4] = [192, 0, 2, 200];
const ELSEWHERE: [u8; 4] = [198, 51, 100, 1];

/// Other visitors keep the copy of the board young, so that it shows what is taken.
fn is_seen(house: &House, other: &mut Visitor<'_>) {
    house.forget_the_sign();
    other.ask("/");
}

pub(crate) fn a_claim_whose_answer_was_lost_has_one_session(house: &House) {
    cap(house, 1);
    let mut line = line(house, 2);
    house.permit(1);
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(!line[0].ask("/echo").inside);
    house.store.fail(Faults::none());
    assert_eq!(counted(house), (1, 0), "the store has done its part");
    let (first, rest) = line.split_at_mut(1);
    is_seen(house, &mut rest[0]);
    assert!(
        first[0].ask("/echo").inside,
        "the only slot is this visitor's"
    );
    assert_eq!(counted(house), (1, 0));
}

pub(crate) fn an_arrival_whose_answer_was_lost_has_one_session(house: &House) {
    at_a_large_pace(house);
    cap(house, 1);
    let mut visitor = Visitor::new(house);
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(!visitor.ask("/echo").inside);
    house.store.fail(Faults::none());
    // After a failed draw few may draw for some seconds.
    house.wait(Duration::from_secs(20));
    assert!(visitor.ask("/echo").inside);
    assert_eq!(counted(house), (1, 0));
}

pub(crate) fn a_second_tab_that_brings_the_waiting_ticket_back_costs_no_slot(house: &House) {
    cap(house, 1);
    let mut line = line(house, 2);
    let waiting = line[0].ticket.clone();
    house.permit(1);
    assert!(line[0].ask("/echo").inside);
    let (_, rest) = line.split_at_mut(1);
    is_seen(house, &mut rest[0]);
    let mut tab = Visitor::holding(house, waiting);
    assert!(
        tab.ask("/echo").inside,
        "in a room that is full with this visitor"
    );
    assert_eq!(counted(house), (1, 0));
    assert!(!rest[0].ask("/echo").inside);
}

fn a_copy_shares_the_session_for_a_while_and_then_draws(house: &House) {
    cap(house, 10);
    let mut all = line(house, 2);
    let waiting = all[0].ticket.clone();
    house.permit(1);
    let from = |visitor: &mut Visitor<'_>, address| {
        let got = visitor.send(Ask::get("/echo").json().from(address));
        (got.inside, got)
    };
    let copy = || Visitor::holding(house, waiting.clone());
    assert!(from(&mut all[0], HERE).0);
    house.wait(Duration::from_secs(290));
    assert!(from(&mut copy(), ELSEWHERE).0, "soon after");
    assert_eq!(counted(house), (1, 0));
    house.wait(Duration::from_secs(20));
    assert!(from(&mut copy(), NEXT_DOOR).0, "from the same network");
    assert_eq!(counted(house), (1, 0));
    let (is_inside, got) = from(&mut copy(), ELSEWHERE);
    assert!(!is_inside);
    assert_eq!(
        [&got.json()["position"], &got.json()["notice"]],
        [&json!(3), &json!("ticket_used")]
    );
    assert_eq!(counted(house), (1, 0));
    house.wait(Duration::from_mins(20));
    let (is_inside, got) = from(&mut copy(), HERE);
    assert!(!is_inside, "until the session's first end");
    assert_eq!(got.json()["notice"], "ticket_used");
}

/// The last two visitors hold the same number: the second drew it after the store had come back from a backup of before the first.
fn given_twice<'a>(house: &'a House, draw: &dyn Fn() -> Visitor<'a>) -> [Visitor<'a>; 2] {
    let backup = house.store.command(&["HGETALL", &house.key("")]).unwrap();
    let pairs = backup.as_array().unwrap().iter();
    let pairs: Vec<&str> = pairs.map(|text| text.as_str().unwrap()).collect();
    let first = draw();
    house.store.command(&["DEL", &house.key("")]).unwrap();
    house.write(&pairs);
    house.forget_pop();
    let both = [first, draw()];
    house.wait(Duration::from_secs(130));
    both
}

fn drawn(house: &House) -> Visitor<'_> {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    visitor.ask("/");
    visitor
}

fn number(visitor: &mut Visitor<'_>) -> serde_json::Value {
    visitor.ask("/").json()["position"].clone()
}

fn a_number_that_a_restored_store_gave_twice_lets_both_visitors_in(house: &House) {
    cap(house, 10);
    line(house, 2);
    let [mut first, mut second] = given_twice(house, &|| drawn(house));
    assert_eq!([number(&mut first), number(&mut second)], [3, 3]);
    house.permit(3);
    house.forget_the_sign();
    assert!(first.ask("/echo").inside);
    assert!(second.ask("/echo").inside, "{:?}", second.ask("/").json());
    assert_eq!(counted(house).0, 2);
}

fn a_number_of_a_group_that_was_given_twice_lets_both_visitors_in(house: &House) {
    house.set("priority", r#"[{"name":"front","share":50}]"#);
    cap(house, 10);
    line(house, 2);
    let code = invitation_by(Some("front"), house, "many", 9, 36_000);
    let invited = || {
        let mut visitor = Visitor::new(house);
        used(&mut visitor, &code);
        visitor
    };
    let [mut first, mut second] = given_twice(house, &invited);
    assert_eq!([number(&mut first), number(&mut second)], [1, 1]);
    house.permit(3);
    house.forget_the_sign();
    assert!(first.ask("/echo").inside);
    assert!(second.ask("/echo").inside, "{:?}", second.ask("/").json());
}

fn of_a_number_that_was_given_twice_each_ticket_has_one_session(house: &House) {
    cap(house, 10);
    line(house, 2);
    let both = given_twice(house, &|| drawn(house));
    let tickets = both.map(|visitor| visitor.ticket);
    house.permit(3);
    house.forget_the_sign();
    let comes = || {
        let mut copies = tickets
            .clone()
            .map(|ticket| Visitor::holding(house, ticket));
        copies.each_mut().map(|visitor| visitor.ask("/echo").inside)
    };
    assert_eq!(comes(), [true; 2]);
    house.wait(Duration::from_mins(25));
    house.forget_the_sign();
    assert_eq!(comes(), [false; 2]);
}
