//! One test for each mechanism with minutes in it, on the real clock: `cargo dev test --long`. Everywhere else the clock
//! is turned. `engines` are the stories of browsers that are not told in every run, `api`, `languages` and `matrix` look at more than each run
//! does.

mod api;
mod engines;
mod languages;
mod matrix;

use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, House, Visitor, visitors};

fn cursor(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["cursor"].as_u64().unwrap()
}

/// This many visitors in line.
fn line(house: &House, many: usize) -> Vec<Visitor<'_>> {
    let mut visitors = visitors(house, many);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    visitors
}

#[test]
fn a_waiting_ticket_lives_as_long_as_its_holder_polls() {
    let house = House::wasm();
    house.set("ticket_life", "60");
    let mut visitors = line(&house, 2);
    for _ in 0..6 {
        sleep(Duration::from_secs(25));
        let told = visitors[1].ask("/").json();
        assert_eq!(
            (&told["position"], &told["notice"]),
            (&json!(2), &Value::Null)
        );
    }
    sleep(Duration::from_secs(61));
    assert_eq!(visitors[1].ask("/").json()["notice"], "ticket_expired");
}

#[test]
fn the_pace_is_kept_when_visitors_poll_seldom() {
    let house = House::wasm();
    house.set("automatic", "10");
    house.set("automatic_quantity", "1");
    let mut visitors = line(&house, 40);
    house.wait_for_period(10);
    visitors[39].ask("/");
    let before = cursor(&house);
    // One period that no request saw is made up for, and no more.
    for _ in 0..5 {
        sleep(Duration::from_secs(20));
        visitors[39].ask("/");
    }
    let after = cursor(&house);
    assert!((9..=11).contains(&(after - before)), "{before} to {after}");
}

#[test]
fn a_line_that_was_lost_comes_back_and_moves_again_after_ten_seconds() {
    let house = House::wasm();
    let mut visitors = line(&house, 3);
    house.store.restart_empty();
    let mut newcomer = Visitor::new(&house);
    newcomer.ask("/");
    house.permit(1);
    house.forget_the_sign();
    assert!(
        !visitors[0].ask("/echo").inside,
        "a better copy may still come"
    );
    sleep(Duration::from_secs(11));
    visitors[2].ask("/");
    assert!(visitors[0].ask("/echo").inside);
    assert_eq!(visitors[1].ask("/").json()["position"], 2);
}

#[test]
fn a_store_that_is_away_lets_visitors_in_by_policy_after_some_seconds() {
    let house = House::wasm();
    house.set("on_store_error", "admit");
    house.set("automatic", "10");
    house.set("automatic_quantity", "1");
    let mut visitors = line(&house, 3);
    visitors[2].ask("/");
    house
        .store
        .fail(upstash_local::Faults::always(upstash_local::Fault::Refuse));
    house.forget_the_sign();
    assert!(
        !visitors[2].ask("/echo").inside,
        "one call that failed is no outage"
    );
    let went_in = (0..10).any(|_| {
        sleep(Duration::from_secs(2));
        visitors[2].ask("/echo").inside
    });
    assert!(went_in);
}
