//! Clients that keep no cookies, and the slots.

use super::{at_a_large_pace, cap, counted};
use crate::house::{Ask, Got, House, Visitor};

pub(crate) fn what_keeps_no_cookies_takes_half_of_the_slots_at_most(house: &House) {
    at_a_large_pace(house);
    cap(house, 6);
    for _ in 0..10 {
        house.ask(&Ask::get("/echo").json());
    }
    assert_eq!(counted(house).0, 4, "more than half");
    let mut got = None;
    assert!(house.is_free(|| got = Some(house.ask(&Ask::get("/").json()))));
    assert!(got.as_ref().is_some_and(Got::is_provisional), "{got:?}");
    let mut visitor = Visitor::holding(house, got.unwrap().ticket());
    assert_eq!(house.calls(|| assert!(visitor.ask("/echo").inside)), 1);
    assert_eq!(counted(house).0, 5);
}
