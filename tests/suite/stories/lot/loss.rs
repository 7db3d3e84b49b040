//! A store that loses its data around a draw by lot.

use serde_json::{Value, json};

use super::{MINUTE, SECOND, drawn, event, lot, places, set_event};
use crate::house::{House, Visitor, inside, visitors};
use upstash_local::{Fault, Faults};

in_houses_whose_clock_is_turned! {
    a_data_centre_that_knows_nothing_counts_no_line_for_the_lot
    of_two_copies_the_older_says_where_the_line_of_the_event_begins
    a_decided_order_outlives_a_loss_after_the_start_was_moved
    without_store_and_copy_no_number_of_the_prequeue_is_shown
    an_id_that_is_used_again_after_a_loss_has_another_secret
}

fn lose(house: &House) {
    house.store.command(&["FLUSHALL"]).unwrap();
}

/// Some questions, two seconds apart.
fn ask_on(house: &House, visitor: &mut Visitor<'_>) {
    for _ in 0..3 {
        visitor.ask("/");
        house.wait(2 * SECOND);
    }
}

/// Whether all of them have a number, and no two the same.
fn is_one_each(found: &[Value]) -> bool {
    let mut numbers: Vec<u64> = found.iter().filter_map(Value::as_u64).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.len() == found.len()
}

fn a_data_centre_that_knows_nothing_counts_no_line_for_the_lot(house: &House) {
    event(house, &json!({ "public_value": "beacon" }));
    let mut line = visitors(house, 10);
    inside(&mut line);
    house.wait(50 * SECOND);
    line[0].ask("/");
    lose(house);
    house.wait(20 * SECOND);
    house.go_to_pop(1);
    let mut late = visitors(house, 2);
    inside(&mut late);
    house.go_to_pop(0);
    ask_on(house, &mut line[0]);
    house.wait(3 * MINUTE);
    ask_on(house, &mut line[0]);
    assert_eq!(places(house, &mut line), vec![Value::Null; 10]);
    house.change("public-value", r#"{"value": "1"}"#);
    house.wait(2 * SECOND);
    let found = places(house, &mut line);
    assert!(is_one_each(&found), "{found:?}");
    let told = lot(&mut line[9]);
    assert!(told["drawn"].as_u64().unwrap() >= 10, "{told}");
    let place = told["ticket"]["place"].as_u64();
    assert_eq!(place.map(|place| json!(place + 1)), Some(found[9].clone()));
}

fn of_two_copies_the_older_says_where_the_line_of_the_event_begins(house: &House) {
    // A copy from before the pre-queue, and one from its middle.
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    event(house, &json!({}));
    let mut line = visitors(house, 30);
    inside(&mut line);
    house.wait(5 * SECOND);
    ask_on(house, &mut line[0]);
    lose(house);
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    house.wait(2 * SECOND);
    ask_on(house, &mut line[0]);
    assert_eq!(places(house, &mut line), vec![Value::Null; 30]);
    house.wait(3 * MINUTE);
    ask_on(house, &mut line[0]);
    let found = places(house, &mut line);
    assert!(is_one_each(&found), "{found:?}");
    let came: Vec<Value> = line
        .iter_mut()
        .map(|visitor| lot(visitor)["ticket"]["came"].clone())
        .collect();
    assert_eq!(came, (1..=30).map(|came| json!(came)).collect::<Vec<_>>());
    let mut sorted: Vec<u64> = found.iter().filter_map(Value::as_u64).collect();
    let by_arrival = sorted.clone();
    sorted.sort_unstable();
    assert_ne!(by_arrival, sorted, "all of them were in the lot");
}

fn a_decided_order_outlives_a_loss_after_the_start_was_moved(house: &House) {
    event(house, &json!({}));
    let mut line = visitors(house, 8);
    inside(&mut line);
    set_event(house, "sale", [-10, 90, 3600], &json!({}));
    house.wait(95 * SECOND);
    let expected = places(house, &mut line);
    assert!(is_one_each(&expected), "{expected:?}");
    let told = lot(&mut line[0]);
    lose(house);
    house.go_to_pop(1);
    inside(&mut visitors(house, 1));
    house.go_to_pop(0);
    house.wait(2 * SECOND);
    ask_on(house, &mut line[0]);
    // What the data centre without a copy began is younger.
    house.go_to_pop(1);
    house.wait(20 * SECOND);
    ask_on(house, &mut Visitor::new(house));
    let tickets = line.iter().map(|visitor| visitor.ticket.clone());
    let mut here: Vec<Visitor<'_>> = tickets
        .map(|ticket| Visitor::holding(house, ticket))
        .collect();
    assert_eq!(places(house, &mut here), expected);
    let after = lot(&mut here[0]);
    for known in ["commitment", "secret", "drawn", "seed"] {
        assert_eq!(after[known], told[known], "{known}");
    }
}

fn without_store_and_copy_no_number_of_the_prequeue_is_shown(house: &House) {
    event(house, &json!({}));
    let mut line = visitors(house, 4);
    inside(&mut line);
    house.store.fail(Faults::always(Fault::Refuse));
    house.forget_pop();
    for _ in 0..2 {
        for visitor in &mut line {
            let told = visitor.ask("/").json();
            assert_eq!(told["position"], Value::Null, "{told}");
        }
        house.wait(MINUTE);
    }
}

fn an_id_that_is_used_again_after_a_loss_has_another_secret(house: &House) {
    let mut line = drawn(house, 3, &json!({}));
    let first = lot(&mut line[0])["commitment"].clone();
    lose(house);
    house.forget_pop();
    set_event(house, "sale", [0, 60, 3600], &json!({}));
    house.wait(3 * SECOND);
    Visitor::new(house).ask("/");
    house.wait(2 * SECOND);
    let second = lot(&mut Visitor::new(house))["commitment"].clone();
    assert!(
        first.is_string() && second.is_string() && second != first,
        "{first} {second}"
    );
}
