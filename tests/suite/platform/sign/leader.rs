//! One request reads the board for all who wait there: whatever becomes of it, the others are answered.
//!
//! A request dies here as it does in the local server, whose sandbox ends when it has an answer for somebody who has
//! gone; a panic of ours cannot be had from outside.

use std::thread;
use std::time::{Duration, Instant};

use now_serving::cache::MAX_AGE;
use now_serving::ticket::TicketStage;
use serde_json::json;
use upstash_local::{Fault, Faults};

use super::{after_the_answers, ahead, herd, line_of, poll, print_times, signed};
use crate::connection::Connection;
use crate::house::{Ask, House};

/// Far beyond the store's deadline and the time anybody waits for somebody else's look.
const AWAY: Duration = Duration::from_secs(20);

/// How long the origin takes.
const SLOW: Duration = Duration::from_secs(8);

/// Waits until it is so.
fn until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_mins(1), "it never was");
        thread::sleep(Duration::from_millis(1));
    }
}

/// The most looks in this time: one a second, and one at each end.
fn most_calls(time: Duration) -> u64 {
    2 + time.as_secs()
}

/// Whether the local server had an answer for somebody who had gone.
fn lost_an_answer(house: &House) -> bool {
    let lines = house.wasm_side().edge.output();
    lines
        .iter()
        .any(|line| line.contains("response receiver is open"))
}

#[test]
fn a_look_that_gets_no_answer_is_not_repeated_by_the_requests_that_waited_for_it() {
    let house = House::wasm_with_the_deadline();
    let tickets = line_of(&house, 50);
    house.store.fail(Faults::always(Fault::Delay(AWAY)));
    let mut last = Duration::ZERO;
    let calls = house.calls(|| {
        let answers = herd(house.wasm_side().edge.addr(), &tickets);
        for ((got, time), position) in answers.iter().zip(1..) {
            let seen = (ahead(got, position), &got.json()["old"]);
            assert_eq!(
                seen,
                (Some(position - 1), &json!(true)),
                "the last sign serves on"
            );
            assert!(*time < AWAY, "somebody waited for the store");
            last = last.max(*time);
        }
        print_times("stalled", answers.into_iter().map(|(_, time)| time));
    });
    println!("{calls} calls");
    assert!((1..=most_calls(last)).contains(&calls), "{calls} calls");
    house.store.fail(Faults::none());
    house.forget_the_sign();
    let last = house.ask(&poll(&tickets[49]));
    assert_eq!(
        (ahead(&last, 50), &last.json()["old"]),
        (Some(49), &json!(null))
    );
}

#[test]
fn a_look_whose_visitor_leaves_serves_the_requests_that_wait_for_it() {
    let house = House::wasm();
    let tickets = line_of(&house, 21);
    let slow = Fault::Delay(Duration::from_millis(300));
    house.store.fail(Faults::always(slow));
    let leaves = || {
        house.forget_the_sign();
        leaves(&house, &tickets)
    };
    assert!((0..5).any(|_| leaves()), "who left was still there");
}

/// The last of them looks and leaves, and the others are answered. Whether the visitor had gone before the answer came:
/// a machine that is busy may hold this thread for longer.
fn leaves(house: &House, tickets: &[String]) -> bool {
    let edge = house.wasm_side().edge.addr();
    let (last, tickets) = tickets.split_last().unwrap();
    let before = house.store.calls();
    let mut leader = Connection::open(edge);
    leader.send(&poll(last));
    until(|| house.store.calls() > before);
    drop(leader);
    let answers = herd(edge, tickets);
    after_the_answers();
    let calls = house.store.calls() - before;
    for ((got, _), position) in answers.iter().zip(1..) {
        assert_eq!(ahead(got, position), Some(position - 1));
    }
    println!("{calls} calls");
    let times = answers.into_iter().map(|(_, time)| time);
    let last = times.clone().max().unwrap();
    print_times("behind one who left", times);
    assert!((1..=most_calls(last)).contains(&calls), "{calls} calls");
    lost_an_answer(house)
}

/// The line moves without anybody here being told, and the copy gets old, but not too old to be shown.
fn moved_behind_an_old_copy(house: &House, cursor: u64) {
    house.write(&["main cursor", &cursor.to_string()]);
    thread::sleep(MAX_AGE + Duration::from_millis(200));
}

/// Number 20 polls until it sees this many ahead, and never sees nothing.
fn looks_until(house: &House, ticket: &str, wanted: u64) {
    let began = Instant::now();
    let calls = house.calls(|| {
        while ahead(&house.ask(&poll(ticket)), 20).unwrap() != wanted {
            let left = SLOW.checked_sub(began.elapsed());
            assert!(
                left > Some(Duration::from_secs(1)),
                "nobody renewed the copy"
            );
            thread::sleep(Duration::from_millis(20));
        }
    });
    println!(
        "seen after {} ms, {calls} calls",
        began.elapsed().as_millis()
    );
    assert!(calls <= most_calls(began.elapsed()), "{calls} calls");
}

#[test]
fn the_sign_does_not_wait_for_an_origin_that_is_slow_to_answer_who_goes_in() {
    let house = House::wasm();
    let tickets = line_of(&house, 20);
    house.write(&["main cursor", "1"]);
    assert_eq!(ahead(&house.ask(&poll(&tickets[19])), 20), Some(18));
    moved_behind_an_old_copy(&house, 2);
    let wasm = house.wasm_side();
    let mut first = Connection::open(wasm.edge.addr());
    let slow = format!("/slow?ms={}", SLOW.as_millis());
    first.send(&Ask::get(&slow).with("cookie", format!("queue={}", tickets[0])));
    until(|| !wasm.origin.requests().is_empty());
    looks_until(&house, &tickets[19], 17);
    assert!(first.answer().inside);
}

/// A look that keeps the edge busy for some milliseconds before it sees the copy: a thousand tickets of another room
/// are refused first.
fn long_poll(house: &House, ticket: &str) -> Ask {
    let other = signed(
        house,
        "0".repeat(32),
        TicketStage::Provisional {
            tries: 0,
            challenge: None,
        },
        "other",
    );
    let others = format!("queue={other}; ").repeat(1000);
    Ask::get("/")
        .json()
        .with("cookie", format!("{others}queue={ticket}"))
}

#[test]
fn the_duty_of_one_who_leaves_goes_to_the_next() {
    let house = House::wasm();
    let tickets = line_of(&house, 20);
    let leave = long_poll(&house, &tickets[18]);
    house.ask(&poll(&tickets[19]));
    for round in 1..18 {
        moved_behind_an_old_copy(&house, round);
        let mut leaver = Connection::open(house.wasm_side().edge.addr());
        leaver.send(&leave);
        // Gone when the answer is ready, but not before the request has been taken.
        thread::sleep(Duration::from_millis(2 + round % 4));
        drop(leaver);
        looks_until(&house, &tickets[19], 19 - round);
        if lost_an_answer(&house) {
            return;
        }
    }
    panic!("nobody left in time")
}
