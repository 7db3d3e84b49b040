//! Visitors who go in while others wait whose turn was before: each is counted under the rule that let the visitor pass.

use std::collections::BTreeMap;
use std::time::Duration;

use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor, visitors};
use crate::metrics::{numbers, scrape};
use crate::stories::trouble::{make_the_line_stand, suffer};

/// The rules by which visitors passed others, and how many.
fn passed(house: &House) -> BTreeMap<String, u64> {
    let told = numbers(&house.ask(&scrape()).body).into_iter();
    let passed = told.filter_map(|(name, number)| {
        let by = name.strip_prefix("now_serving_inversions_total{room=\"main\",by=\"")?;
        let by = by.strip_suffix("\"}")?.to_owned();
        (number > 0.0).then_some((by, format!("{number}").parse().unwrap()))
    });
    passed.collect()
}

fn is_only(house: &House, by: &str, many: u64) {
    assert_eq!(passed(house), BTreeMap::from([(by.to_owned(), many)]));
}

#[test]
fn visitors_who_go_in_by_their_numbers_pass_no_other() {
    let house = House::native();
    house.set("automatic", "15");
    house.set("automatic_quantity", "2");
    let mut crowd = visitors(&house, 6);
    for _ in 0..5 {
        for visitor in &mut crowd {
            visitor.ask("/");
        }
        house.wait(Duration::from_secs(15));
    }
    house.permit(3);
    assert_eq!(passed(&house), BTreeMap::new());
}

#[test]
fn an_operator_s_own_ticket_passes_the_line_unless_its_turn_has_come() {
    let house = House::native();
    house.set("automatic", "0");
    let jump = |browser: &mut Visitor<'_>| {
        let sent = browser.send_once(Ask::form("ticket", "act=jump").operator());
        assert_eq!(sent.status, 303, "{sent:?}");
    };
    jump(&mut Visitor::new(&house));
    assert_eq!(passed(&house), BTreeMap::new(), "no visitor waits");
    for visitor in &mut visitors(&house, 2) {
        visitor.ask("/");
    }
    let mut browser = Visitor::new(&house);
    jump(&mut browser);
    assert!(browser.ask("/echo").inside);
    is_only(&house, "jump", 1);
}

#[test]
fn a_newcomer_let_in_while_the_store_is_away_passes_waiting_visitors() {
    let house = House::native();
    house.set("on_store_error", "admit");
    make_the_line_stand(&house, 1);
    let mut waiting = Visitor::new(&house);
    waiting.ask("/");
    waiting.ask("/");
    suffer(&house, Fault::Refuse, &mut waiting);
    assert!(Visitor::new(&house).ask("/echo").inside);
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    // The first one brings the batch that failed, and what was counted since comes with the next.
    house.ask(&scrape());
    is_only(&house, "without_store", 1);
}

#[test]
fn a_visitor_whom_a_poll_lets_in_while_the_store_is_away_counts_once() {
    let house = House::native();
    house.set("on_store_error", "admit");
    make_the_line_stand(&house, 1);
    let [mut first, mut second] = [Visitor::new(&house), Visitor::new(&house)];
    for visitor in [&mut first, &mut second] {
        visitor.ask("/");
        visitor.ask("/");
    }
    suffer(&house, Fault::Refuse, &mut first);
    let told = second.ask("/_queue/place").json();
    assert_eq!(told["waiting"], false, "{told}");
    for _ in 0..2 {
        assert!(second.ask("/echo").inside);
    }
    let lines = house.log();
    let by_policy = lines
        .iter()
        .filter(|line| line["reason"] == "admitted_without_store");
    assert_eq!(by_policy.count(), 1, "{lines:#?}");
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    house.ask(&scrape());
    is_only(&house, "without_store", 1);
}
