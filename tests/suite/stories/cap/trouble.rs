//! A cap while the store is away.

use std::time::Duration;

use upstash_local::{Fault, Faults};

use super::{cap, counted, line};
use crate::house::{House, Visitor};
use crate::stories::trouble::{make_the_line_stand, suffer};

// These stories need minutes.
in_houses_whose_clock_is_turned! {
    visitors_inside_go_on_without_the_store_which_is_told_later_once
    renewals_that_the_store_hears_of_again_and_again_take_one_slot
}

/// The visitor was called, and the store went away before the claim.
fn called_before_an_outage(house: &House) -> Vec<Visitor<'_>> {
    make_the_line_stand(house, 1_000);
    cap(house, 10);
    let line = line(house, 2);
    house.permit(1);
    line
}

pub(crate) fn without_the_store_a_called_visitor_is_held(house: &House) {
    let mut line = called_before_an_outage(house);
    suffer(house, Fault::Refuse, &mut line[0]);
    for _ in 0..3 {
        let got = line[0].ask("/echo");
        assert_eq!((got.status, got.inside), (503, false), "{got:?}");
    }
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    let came = (0..5).any(|_| line[0].ask("/echo").inside);
    assert!(came, "once the store is back");
    assert_eq!(counted(house).0, 1);
}

pub(crate) fn without_the_store_the_policy_lets_a_called_visitor_in(house: &House) {
    house.set("on_store_error", "admit");
    let mut line = called_before_an_outage(house);
    suffer(house, Fault::Refuse, &mut line[0]);
    let came = (0..50).any(|_| line[0].ask("/echo").inside);
    assert!(came);
    assert_eq!(counted(house).0, 0, "counted with a visit later");
}

fn visitors_inside_go_on_without_the_store_which_is_told_later_once(house: &House) {
    go_on_without_the_store(house, Fault::Refuse);
}

/// The store hears of each renewal, and its answers are lost: then it hears of it again.
fn renewals_that_the_store_hears_of_again_and_again_take_one_slot(house: &House) {
    go_on_without_the_store(house, Fault::DropAnswer);
}

/// One of two visitors inside goes on for longer than a session.
fn go_on_without_the_store(house: &House, fault: Fault) {
    house.set("session_minutes", "3");
    cap(house, 10);
    let mut both = line(house, 2);
    house.permit(2);
    assert_eq!(crate::house::inside(&mut both), [true; 2]);
    house.wait_for_period(60);
    house.store.fail(Faults::always(fault));
    let visitor = &mut both[0];
    for minute in 0..8 {
        for _ in 0..4 {
            assert!(visitor.ask("/echo").inside, "{minute}");
            house.wait(Duration::from_secs(15));
        }
    }
    house.store.fail(Faults::none());
    for _ in 0..4 {
        assert!(visitor.ask("/echo").inside);
        house.wait(Duration::from_secs(3));
    }
    assert_eq!(counted(house), (1, 0), "the other one was not heard of");
}
