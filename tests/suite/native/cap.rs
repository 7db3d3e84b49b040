//! A cap, where the clock of a data centre is not the store's.

use std::time::Duration;

use crate::house::{House, Visitor, claims, visitors};

fn session(visitor: &Visitor<'_>) -> u64 {
    let claims = claims(visitor.ticket.as_deref().unwrap());
    claims["ses"].as_u64().unwrap()
}

/// The minute by the store's clock.
fn minute(house: &House) -> u64 {
    let time = house.store.command(&["TIME"]).unwrap();
    time[0].as_str().unwrap().parse::<u64>().unwrap() / 60
}

/// Minutes are counted by the store's time, which the sign carries; a data centre only adds how long ago it read that.
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

/// Claims come in crowds, and each shows the sign: all the same the copy grows old, and the request that renews it brings what was
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
