//! A cap, where the clock of a data centre is not the store's.

use std::time::Duration;

use serde_json::Value;

use crate::house::{Ask, House, Visitor, claims, visitors};

fn session(visitor: &Visitor<'_>) -> u64 {
    let claims = claims(visitor.ticket.as_deref().unwrap());
    claims["ses"].as_u64().unwrap()
}

/// The minute by the store's clock.
fn minute(house: &House) -> u64 {
    let time = house.store.command(&["TIME"]).unwrap();
    time[0].as_str().unwrap().parse::<u64>().unwrap() / 60
}

/// Minutes are counted by the store's time, which the board carries; a data centre only adds how long ago it read that.
#[test]
fn a_wrong_clock_of_a_data_centre_ends_no_session_early() {
    for wrong_ms in [-60_000, 60_000] {
        let house = House::native();
        house.unset("clock");
        house.set("session_minutes", "2");
        house.set("total_active", "10");
        let mut both = [Visitor::new(&house), Visitor::new(&house)];
        for visitor in &mut both {
            visitor.ask("/");
        }
        house.permit(2);
        let [first, second] = &mut both;
        assert!(first.ask("/echo").inside);
        house.shift_pop(wrong_ms);
        assert!(second.ask("/echo").inside);
        let store = minute(&house);
        for visitor in [&*first, &*second] {
            let end = session(visitor);
            assert!((store + 1..=store + 2).contains(&end), "{end} at {store}");
        }
        for _ in 0..6 {
            house.wait(Duration::from_secs(55));
            for visitor in [&mut *first, &mut *second] {
                assert!(visitor.ask("/echo").inside);
                house.wait(Duration::from_millis(1_100));
                assert!(visitor.ask("/echo").inside);
                let (end, store) = (session(visitor), minute(&house));
                assert!((store + 1..=store + 2).contains(&end), "{end} at {store}");
            }
        }
        house.wait(Duration::from_mins(4));
        assert_eq!(first.ask("/").json()["notice"], "session_over");
    }
}

/// Claims come in crowds, and each shows the board: all the same the copy grows old, and the request that renews it brings what was
/// counted.
#[test]
fn claims_do_not_keep_the_counts_from_the_store() {
    let house = House::native();
    house.set("automatic", "0");
    house.set("total_active", "100");
    let mut line = visitors(&house, 40);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(40);
    house.forget_the_sign();
    for visitor in &mut line {
        assert!(visitor.ask("/echo").inside);
        house.wait(Duration::from_millis(250));
    }
    let told = house.store.command(&["HGET", &house.key(""), "claimed"]);
    let told: u64 = told.unwrap().as_str().unwrap().parse().unwrap();
    assert!(told >= 30, "{told} of 40 after ten seconds");
}

/// What operators read of a recount: until when, in the status, by the metrics, and whether the panel says it.
fn recount(house: &House) -> (Value, Option<String>, bool) {
    let asked = |route: &str| house.ask(&Ask::get(route).operator());
    let status = asked("/_queue/status").json();
    let metrics = asked("/_queue/metrics").body;
    let name = "now_serving_recount_ends_timestamp_seconds{";
    let metric = metrics.lines().find(|line| line.starts_with(name));
    let metric = metric.map(|line| line.rsplit_once(' ').unwrap().1.to_owned());
    let is_shown = asked("/_queue")
        .body
        .contains("it is not known who is inside. Until");
    (status["release"]["recount_until"].clone(), metric, is_shown)
}

/// Two inside and four who wait, and then the store and every data centre lose all that they know.
fn all_is_lost(house: &House) -> Vec<Visitor<'_>> {
    house.set("automatic", "0");
    house.set("total_active", "3");
    house.set("session_minutes", "3");
    let mut line = visitors(house, 6);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(2);
    for visitor in &mut line[..2] {
        assert!(visitor.ask("/echo").inside);
    }
    house.wait_for_period(60);
    assert_eq!(recount(house), (Value::Null, None, false));
    house.store.restart_empty();
    house.forget_pop();
    for _ in 0..6 {
        for visitor in &mut line {
            visitor.ask("/echo");
        }
        house.wait(Duration::from_secs(15));
    }
    line
}

#[test]
fn operators_read_until_when_visitors_inside_are_counted_anew() {
    let house = House::native();
    let began = house.now_ms();
    let mut line = all_is_lost(&house);
    let (until, metric, is_shown) = recount(&house);
    let until_ms: u64 = metric.unwrap().parse::<u64>().unwrap() * 1_000;
    assert!(is_shown);
    assert!(
        (began + 180_000..began + 420_000).contains(&until_ms),
        "{until_ms}"
    );
    assert_eq!(
        until.as_str(),
        Some(&*now_serving::page::iso_8601(until_ms))
    );
    let said: Vec<Value> = (house.lines().into_iter())
        .filter(|line| line["reason"] == "recount")
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0]["recount"]["untilMs"], until_ms);
    // Nothing of this moves the line before.
    house.set("total_active", "9");
    assert_eq!(house.permit(1)["released"], 0);
    house.wait(Duration::from_millis(until_ms - house.now_ms()));
    assert!(line[2].ask("/echo").inside, "by the permit that was kept");
    assert_eq!(recount(&house), (Value::Null, None, false));
}

#[test]
fn a_cap_that_only_observes_and_none_have_no_recount() {
    for (key, value) in [("active_visitors", "observe"), ("total_active", "0")] {
        let house = House::native();
        let _line = all_is_lost(&house);
        assert!(recount(&house).2);
        house.set(key, value);
        assert_eq!(recount(&house), (Value::Null, None, false), "{key}");
    }
}
