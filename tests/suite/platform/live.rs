//! Two data centres on one store: two local servers, each with a cache of its own.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::house::{Ask, House, Visitor, inside, visitors};

const SEEN_WITHIN: Duration = Duration::from_secs(2);
const PERIOD: u64 = 4;

/// Two of them, whose line moves by one in each period.
fn two() -> [House; 2] {
    let here = House::wasm_shared();
    let there = here.in_another_data_centre(harness::edge::wasm().unwrap());
    for house in [&here, &there] {
        house.set("automatic", &PERIOD.to_string());
        house.set("automatic_quantity", "1");
    }
    [here, there]
}

/// Where the board stands, as a visitor there sees it.
fn cursor(visitor: &mut Visitor<'_>) -> u64 {
    visitor.ask("/").json()["cursor"].as_u64().unwrap()
}

#[test]
fn a_change_of_pace_is_in_effect_in_two_data_centres_within_one_period() {
    assert!((0..5).any(|_| changes_the_pace(&two())), "never in time");
}

/// Whether everything until the change was in one period, which takes a machine that is not too busy. If so, the change
/// is in effect in the next one.
fn changes_the_pace([here, there]: &[House; 2]) -> bool {
    here.wait_for_period(PERIOD);
    let began = Instant::now();
    let mut here_waiting = visitors(here, 10);
    let mut there_waiting = visitors(there, 10);
    let are_inside = inside(&mut here_waiting);
    inside(&mut there_waiting);
    here.change("settings", r#"{"automatic":4,"automatic_quantity":3}"#);
    if began.elapsed() > Duration::from_secs(PERIOD - 1) {
        return false;
    }
    assert_eq!(are_inside[..2], [true, false], "one in this period");
    there.wait_for_period(PERIOD);
    there.wait(SEEN_WITHIN);
    let lasts = [&mut there_waiting, &mut here_waiting].map(|all| &mut all[9]);
    // Two looks: the first may be the one that opens the period for the others.
    let seen = lasts.map(|visitor| cursor(visitor).max(cursor(visitor)));
    let status = there.ask(&Ask::get("/_queue/status").operator()).json();
    let moved = status["cursor"].as_u64().unwrap();
    assert!(moved >= 4, "three more in the period after: {status}");
    assert!(
        (moved - 1).is_multiple_of(3),
        "and in no period fewer: {status}"
    );
    assert!(seen.iter().all(|cursor| *cursor >= 4), "{seen:?}");
    true
}

#[test]
fn hold_open_and_closed_are_in_effect_in_two_data_centres_within_two_seconds() {
    let [here, there] = two();
    let mut here_waiting = visitors(&here, 5);
    let mut there_waiting = visitors(&there, 5);
    inside(&mut here_waiting);
    inside(&mut there_waiting);
    there.change("mode", r#"{"mode":"hold"}"#);
    here.wait(SEEN_WITHIN);
    let count = |visitors: &mut [Visitor<'_>]| inside(visitors).iter().filter(|is| **is).count();
    let before = count(&mut here_waiting) + count(&mut there_waiting);
    here.wait(Duration::from_secs(PERIOD + 1));
    let after = count(&mut here_waiting) + count(&mut there_waiting);
    assert_eq!(after, before, "nobody new, though a period began");
    here.change("mode", r#"{"mode":"open"}"#);
    there.wait(SEEN_WITHIN);
    assert_eq!(count(&mut there_waiting), 5);
    assert_eq!(count(&mut here_waiting), 5);
    let mut new = Visitor::new(&there);
    assert!(new.ask("/echo").inside);
    let status = here.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["cursor"], &status["length"]),
        (&json!(11), &json!(11)),
        "everybody is counted"
    );
    here.change("mode", r#"{"mode":"automatic"}"#);
    there.wait(SEEN_WITHIN);
    let mut waiting = visitors(&there, 3);
    inside(&mut waiting);
    here.change("mode", r#"{"mode":"closed"}"#);
    there.wait(SEEN_WITHIN);
    for visitor in waiting.iter_mut().skip(1) {
        assert_eq!(visitor.ask("/").json()["mode"], "closed");
    }
    assert_eq!(Visitor::new(&there).ask("/").ticket(), None);
    assert!(new.ask("/echo").inside, "who is in stays in");
}

#[test]
fn the_same_key_in_parallel_in_two_data_centres_moves_once() {
    let [here, there] = two();
    here.change("mode", r#"{"mode":"automatic"}"#);
    let mut waiting = visitors(&here, 9);
    here.change("settings", r#"{"automatic":0,"automatic_quantity":1}"#);
    inside(&mut waiting);
    let wasm = [here.wasm_side(), there.wasm_side()];
    let answers: BTreeSet<(u16, String)> = thread::scope(|scope| {
        let ask = |at: usize| {
            let asked = Ask::permit(2).with("idempotency-key", "drop-1");
            let got = wasm[at % 2].ask(&asked);
            (got.status, got.body)
        };
        let asking: Vec<_> = (0..16).map(|at| scope.spawn(move || ask(at))).collect();
        asking.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(answers.len(), 1, "{answers:?}");
    let status = here.ask(&Ask::get("/_queue/status").operator()).json();
    let released = answers.first().unwrap();
    assert_eq!(released.0, 200);
    assert!(released.1.contains(r#""released":2"#), "{released:?}");
    assert_eq!(status["cursor"], 2, "{answers:?}");
}
