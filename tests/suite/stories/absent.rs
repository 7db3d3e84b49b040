//! Called visitors who do not come: their share is measured from what POPs count, and shown.

use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, House, inside, visitors};
use crate::metrics::{numbers, scrape};

use super::lines::status;

// This story needs minutes.
in_houses_whose_clock_is_turned! {
    three_of_ten_who_do_not_come_are_seen_after_seven_minutes
}

/// Visitors who are called in each minute.
const CALLED: usize = 20;
const MINUTES: usize = 8;

fn absent(house: &House) -> Value {
    status(house)["absent"].clone()
}

fn three_of_ten_who_do_not_come_are_seen_after_seven_minutes(house: &House) {
    house.set("automatic", "0");
    house.set("automatic_quantity", &CALLED.to_string());
    let mut line = visitors(house, CALLED * (MINUTES + 1));
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.set("automatic", "60");
    let (called, rest) = line.split_at_mut(CALLED * MINUTES);
    let last = &mut rest[CALLED - 1];
    for (minute, called) in called.chunks_mut(CALLED).enumerate() {
        house.wait_for_period(60);
        last.ask("/");
        let share = absent(house)["share"].clone();
        // The first sample is of the minute in which the pace began.
        let known = if minute < 7 { json!(null) } else { json!(0.3) };
        assert_eq!(share, known, "in minute {minute}");
        let come = inside(&mut called[..CALLED * 7 / 10]);
        assert!(come.iter().all(|inside| *inside), "{come:?}");
        for _ in 0..5 {
            house.wait(Duration::from_secs(9));
            last.ask("/");
        }
    }
}

/// In every house, since it needs no time: another data centre has counted for minutes.
pub(crate) fn called_visitors_who_do_not_come_are_shown(house: &House) {
    assert_eq!(
        absent(house),
        json!({"setting": "observe", "share": null, "may_come": 0}),
        "nothing is known in a store that is new"
    );
    assert_shows(house, r#"id="absent">not known yet<"#);
    assert!(
        !house
            .ask(&scrape())
            .body
            .contains("now_serving_absent_ratio")
    );
    house.wait_for_period(60);
    let minute = house.now_ms() / 60_000;
    house.write_minutes((1..=7).rev().map(|ago| {
        let (called, came) = (7_000 - 500 * ago, 4_900 - 350 * ago);
        (minute - ago, 9, 9_000, called, came)
    }));
    let (steady, now) = ((minute - 9).to_string(), minute.to_string());
    let counted = [
        "admitted", "6500", "claimed", "4550", "steady", &steady, "minute", &now,
    ];
    house.write(
        &[
            &["main length", "9000", "main cursor", "9000"][..],
            &counted,
        ]
        .concat(),
    );
    house.wait(Duration::from_mins(1));
    let mut waiting = visitors(house, 3);
    for visitor in &mut waiting {
        visitor.ask("/");
    }
    // A draw measures nothing: the first look of the minute does.
    assert_eq!(absent(house)["share"], json!(null));
    house.forget_the_sign();
    waiting[0].ask("/");
    assert_eq!(
        absent(house),
        json!({"setting": "observe", "share": 0.3, "may_come": 0})
    );
    house.permit(2);
    assert_eq!(absent(house)["may_come"], 2);
    assert_shows(house, r#"id="came">70 %<"#);
    assert_shows(house, r#"id="absent">2 called may still come<"#);
    let told = numbers(&house.ask(&scrape()).body);
    let told =
        |name: &str| told[&format!("now_serving_{name}{{room=\"{}\"}}", house.room())].to_string();
    assert_eq!(
        (told("absent_ratio"), told("may_come")),
        ("0.3".into(), "2".into())
    );
    house.forget_the_sign();
    assert!(waiting[0].ask("/echo").inside);
    for _ in 0..120 {
        house.wait(Duration::from_millis(500));
        waiting[2].ask("/");
        if claimed(house) == 4551 {
            return;
        }
    }
    panic!("{} came", claimed(house));
}

/// First admissions, as far as data centres have told.
fn claimed(house: &House) -> u64 {
    let claimed = house.store.command(&["HGET", &house.key(""), "claimed"]);
    claimed.unwrap().as_str().unwrap().parse().unwrap()
}

fn assert_shows(house: &House, shown: &str) {
    let panel = house.ask(&Ask::get("/_queue/").operator());
    assert!(panel.body.contains(shown), "{shown}: {}", panel.body);
}
