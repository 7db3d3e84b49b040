//! A cap on who is inside, as visitors see it: slots here; sessions, copies and trouble below.

mod copies;
mod ended;
mod scarce;
mod sessions;
mod trouble;

use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, claims, inside, visitors};

pub(crate) use copies::*;
pub(crate) use ended::*;
pub(crate) use scarce::*;
pub(crate) use sessions::*;
pub(crate) use trouble::*;

/// What a called visitor reads where no slot is free.
const FULL: &str = "It’s your turn as soon as a place inside is free.";
/// The shortest time for which a slot is kept, and when it has been given back.
const CLAIM_SECONDS: &str = "10";
const LAPSED: Duration = Duration::from_secs(12);

/// A room with this many slots.
fn cap(house: &House, total_active: u64) {
    house.set("total_active", &total_active.to_string());
    house.warm();
}

/// A pace that no story uses up.
fn at_a_large_pace(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
}

/// This many visitors in line.
fn line(house: &House, many: usize) -> Vec<Visitor<'_>> {
    let mut line = visitors(house, many);
    for visitor in &mut line {
        visitor.ask("/");
    }
    line
}

fn field(house: &House, name: &str) -> String {
    let told = house.store.command(&["HGET", &house.key(""), name]);
    told.unwrap().as_str().unwrap_or_default().to_owned()
}

/// How many sessions the store counts, and how many slots it has promised.
fn counted(house: &House) -> (u64, u64) {
    let minute = house.now_ms() / 60_000;
    let number = |text: &str| text.parse::<u64>().unwrap();
    let owed = |text: &str| text.parse::<i64>().unwrap();
    let ring = field(house, "ring");
    let cells = ring.split_whitespace().map(|cell| cell.split_once(':'));
    let cells = cells.map(|cell| cell.map(|(end, many)| (number(end), owed(many))));
    let sessions = cells
        .map(Option::unwrap)
        .filter(|(end, _)| *end >= minute)
        .map(|(_, many)| many);
    let kept = field(house, "promises");
    let promised = kept.split_whitespace();
    let promised = promised.map(|kept| number(kept.split(':').nth(1).unwrap()));
    (sessions.sum::<i64>().unsigned_abs(), promised.sum())
}

/// The last minute of the session that a visitor's ticket names.
fn session(visitor: &Visitor<'_>) -> Value {
    claims(visitor.ticket.as_deref().unwrap())["ses"].clone()
}

fn place(visitor: &mut Visitor<'_>) -> Value {
    visitor.ask("/_queue/place").json()
}

/// A page, as a browser asks for it.
fn page(visitor: &mut Visitor<'_>, target: &str) -> Got {
    visitor.send(Ask::get(target).with("accept", "text/html"))
}

pub(crate) fn ten_slots_take_ten_of_fifteen_arrivals_at_one_call_each(house: &House) {
    at_a_large_pace(house);
    cap(house, 10);
    let mut arrivals = visitors(house, 15);
    for (number, visitor) in (1..).zip(&mut arrivals) {
        let mut got = None;
        let calls = house.calls(|| got = Some(visitor.ask("/echo")));
        let got = got.unwrap();
        assert_eq!((calls, got.inside), (1, number <= 10), "{number}");
        if !got.inside {
            let told = got.json();
            assert_eq!(
                (&told["position"], &told["ahead"]),
                (&json!(number), &json!(number - 11))
            );
        }
    }
    assert_eq!(counted(house), (10, 0));
    assert_eq!(house.numbers("main"), (10, 15));
    house.forget_the_sign();
    let still: Vec<bool> = (1..=15).map(|number| number <= 10).collect();
    assert_eq!(inside(&mut arrivals), still);
    assert_eq!(counted(house), (10, 0));
}

pub(crate) fn seven_and_one_are_eight_and_of_seven_more_two_find_a_slot(house: &House) {
    at_a_large_pace(house);
    cap(house, 10);
    let mut seven = visitors(house, 7);
    assert_eq!(inside(&mut seven), [true; 7]);
    assert!(Visitor::new(house).ask("/echo").inside);
    assert_eq!(counted(house), (8, 0));
    let mut more = visitors(house, 7);
    let came = inside(&mut more).iter().filter(|came| **came).count();
    assert_eq!((came, counted(house)), (2, (10, 0)));
}

pub(crate) fn a_called_visitor_claims_with_one_call_and_is_inside_with_none(house: &House) {
    cap(house, 10);
    let mut line = line(house, 3);
    house.permit(1);
    assert_eq!(counted(house), (0, 1), "a slot is promised");
    let first = &mut line[0];
    let minute = house.now_ms() / 60_000;
    assert_eq!(house.calls(|| assert!(first.ask("/echo").inside)), 1);
    assert_eq!(counted(house), (1, 0));
    let end = session(first).as_u64().unwrap();
    assert!((minute + 20..=minute + 21).contains(&end), "{end}");
    assert!(house.is_free(|| assert!(first.ask("/echo").inside)));
    assert!(house.is_free(|| assert!(!line[2].ask("/echo").inside)));
    let log = house.log();
    let admitted = log.iter().filter(|line| line["reason"] == "admitted");
    assert_eq!(admitted.count(), 1);
}

/// The first visitor of three was called and did not come in time, so the second has the only slot.
fn full(house: &House) -> [Visitor<'_>; 3] {
    house.set("claim_seconds", CLAIM_SECONDS);
    cap(house, 1);
    let line = line(house, 3);
    house.permit(1);
    house.wait(LAPSED);
    house.permit(1);
    let [late, mut inside, next] = line.try_into().ok().unwrap();
    assert!(inside.ask("/echo").inside);
    assert_eq!(counted(house), (1, 0));
    [late, inside, next]
}

pub(crate) fn a_called_visitor_of_a_full_room_waits_for_free_and_reads_why(house: &House) {
    house.set("session_minutes", "2");
    let [mut late, _inside, mut next] = full(house);
    late.ask("/");
    // The copy of the board shows that the slot was taken.
    house.wait(Duration::from_secs(2));
    late.ask("/");
    assert!(house.is_free(|| assert!(!late.ask("/echo").inside)));
    let told = late.ask("/").json();
    assert_eq!(
        [
            &told["waiting"],
            &told["position"],
            &told["cursor"],
            &told["ahead"]
        ],
        [&json!(true), &json!(1), &json!(2), &json!(0)]
    );
    assert_eq!(told["estimated_wait_seconds"], Value::Null);
    let shown = page(&mut late, "/").body;
    assert!(shown.contains(FULL), "{shown}");
    assert_eq!(place(&mut late)["line"], FULL);
    assert_eq!(place(&mut next)["line"], "You’re next.");
    // The session of the visitor inside ends.
    house.wait(Duration::from_mins(4));
    let came = (0..5).any(|_| late.ask("/echo").inside);
    assert!(came, "the turn stays");
    assert_eq!((next.ask("/echo").inside, counted(house)), (false, (1, 0)));
}

pub(crate) fn observed_the_cap_holds_no_visitor_back_and_counts_all(house: &House) {
    house.set("active_visitors", "observe");
    house.set("session_minutes", "2");
    at_a_large_pace(house);
    cap(house, 2);
    let mut all = visitors(house, 5);
    assert_eq!(inside(&mut all), [true; 5]);
    assert_eq!(counted(house), (5, 0));
    house.wait(Duration::from_mins(5));
    assert_eq!(inside(&mut all), [true; 5], "no session ends");
}

/// An operator sets how many may be inside, and so does an event. Whether that holds visitors back is the settings' alone.
pub(crate) fn a_cap_that_an_operator_or_an_event_sets_acts_as_the_settings_say_now(house: &House) {
    at_a_large_pace(house);
    let go_in = || inside(&mut visitors(house, 3));
    let acts = |profile| {
        house.set("profile", profile);
        house.wait(Duration::from_mins(1));
        go_in() != [true; 3]
    };
    let follow_the_profile = |by: &str| {
        for (profile, expected) in [("observe", false), ("sale", true), ("observe", false)] {
            assert_eq!(acts(profile), expected, "{by}, {profile}");
        }
        assert!(acts("none"), "{by}: as usual");
    };
    house.set("profile", "observe");
    house.change("cap", r#"{"total_active":1}"#);
    assert_eq!(go_in(), [true; 3], "it only counts");
    follow_the_profile("an operator");
    house.change("cap", r#"{"total_active":null}"#);
    let event = json!({
        "id": "sale", "opens": "2026-01-01T00:00:00Z", "outside": "automatic", "with": { "total_active": 1 },
    });
    house.set("profile", "observe");
    house.set("event", &event.to_string());
    assert_eq!(go_in(), [true; 3], "it only counts");
    follow_the_profile("an event");
}

/// Where the cap holds no visitor back, a late one goes in at once: there is nothing to wait for.
pub(crate) fn latecomers_wait_for_no_slot_where_the_cap_is_observed_or_the_room_open(
    house: &House,
) {
    house.set("claim_seconds", CLAIM_SECONDS);
    house.set("active_visitors", "observe");
    cap(house, 1);
    let mut late = line(house, 20);
    house.permit(20);
    house.wait(LAPSED);
    house.permit(1);
    assert_eq!(inside(&mut late[..10]), [true; 10]);
    house.set("active_visitors", "on");
    house.change("mode", r#"{"mode":"open"}"#);
    assert_eq!(inside(&mut late[10..]), [true; 10]);
    assert_eq!(counted(house).0, 20);
}

pub(crate) fn the_cap_is_switched_on_and_off_over_visitors_inside(house: &House) {
    house.set("session_minutes", "2");
    let mut both = line(house, 2);
    house.permit(2);
    assert_eq!(inside(&mut both), [true; 2]);
    house.set("total_active", "1");
    let counts_both = |both: &mut [Visitor<'_>]| {
        // Of the sandboxes that counted a visit, each look takes along the counts of one.
        for _ in 0..60 {
            assert_eq!(inside(both), [true; 2], "above the cap");
            house.wait(Duration::from_secs(1));
            if counted(house).0 == 2 {
                return true;
            }
        }
        false
    };
    assert!(
        counts_both(&mut both),
        "with their next visits: {:?}",
        counted(house)
    );
    house.set("total_active", "0");
    house.wait(Duration::from_mins(5));
    house.permit(1);
    assert_eq!(
        inside(&mut both),
        [true; 2],
        "no session ends without a cap"
    );
    house.set("total_active", "1");
    assert!(counts_both(&mut both), "on again: {:?}", counted(house));
}

pub(crate) fn on_hold_and_closed_no_called_visitor_claims(house: &House) {
    cap(house, 10);
    let mut line = line(house, 2);
    house.permit(1);
    for mode in ["hold", "closed"] {
        house.change("mode", &json!({ "mode": mode }).to_string());
        assert!(
            house.is_free(|| assert!(!line[0].ask("/echo").inside)),
            "{mode}"
        );
        assert_eq!(counted(house).0, 0, "{mode}");
    }
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert_eq!(house.calls(|| assert!(line[0].ask("/echo").inside)), 1);
    assert_eq!(counted(house), (1, 0));
}

pub(crate) fn an_open_room_ignores_the_cap_and_counts(house: &House) {
    cap(house, 1);
    let mut waiting = line(house, 2);
    house.change("mode", r#"{"mode":"open"}"#);
    let mut newcomer = Visitor::new(house);
    assert!(newcomer.ask("/echo").inside);
    assert_eq!(inside(&mut waiting), [true; 2]);
    assert_eq!(counted(house).0, 3);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.permit(1);
    house.forget_the_sign();
    assert!(!Visitor::new(house).ask("/echo").inside, "it is full");
    assert_eq!(inside(&mut waiting), [true; 2], "and ends no visit");
    assert!(newcomer.ask("/echo").inside);
}
