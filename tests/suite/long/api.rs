//! The contract held by many more requests, which are others each time: a failure says by which seed.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::contract::{operators_routes_keep_it, programs_routes_keep_it, waiting_answer_keeps_it};

fn many(keep: impl FnOnce(&[&str])) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = now.as_secs().to_string();
    keep(&["--max-examples", "300", "--seed", &seed]);
}

#[test]
fn the_operators_routes_keep_it() {
    many(operators_routes_keep_it);
}

#[test]
fn the_programs_routes_keep_it() {
    many(programs_routes_keep_it);
}

#[test]
fn the_waiting_answer_keeps_it() {
    many(waiting_answer_keeps_it);
}
