//! Everything that can be wrong with the store, under both policies.

use std::time::{Duration, Instant};

use serde_json::json;
use upstash_local::{DEADLINE, Fault, Faults};

use crate::house::{Ask, House, Visitor, claims};
use crate::stories::trouble::{make_the_line_stand, suffer};

/// Far beyond the deadline of 500 ms, so that an answer in less shows that nobody waited for the store.
const LATE: Duration = Duration::from_secs(20);

/// Longer than draws are held back after one has failed.
const WELL_AGAIN: Duration = Duration::from_secs(20);

const FAULTS: [Fault; 12] = [
    Fault::Refuse,
    Fault::Delay(LATE),
    Fault::Unauthorized,
    Fault::TooManyRequests,
    Fault::ServerError,
    Fault::BrokenJson,
    Fault::ErrorWithStatus200,
    Fault::QuotaExceeded,
    Fault::WrongType,
    Fault::DropAnswer,
    Fault::StallBody(LATE),
    // No piece is late, and all together are.
    Fault::Trickle(Duration::from_millis(300)),
];

/// One visitor inside and one waiting, as number 2, before anything goes wrong.
fn before(house: &House) -> (Visitor<'_>, Visitor<'_>) {
    let mut inside = Visitor::new(house);
    inside.ask("/");
    house.permit(1);
    assert!(inside.ask("/echo").inside);
    let mut waiting = Visitor::new(house);
    assert_eq!(waiting.ask("/").json()["position"], 2);
    (inside, waiting)
}

fn in_time<T>(fault: Fault, what: &str, work: impl FnOnce() -> T) -> T {
    let began = Instant::now();
    let done = work();
    let took = began.elapsed();
    println!("{fault:?}, {what}: {} ms", took.as_millis());
    assert!(
        took < LATE,
        "{fault:?}, {what}: somebody waited for the store"
    );
    done
}

fn hold(house: &House) {
    let (mut inside, mut waiting) = before(house);
    for fault in FAULTS {
        house.forget_the_sign();
        house.store.fail(Faults::always(fault));
        assert!(inside.ask("/echo").inside, "{fault:?}: never notices");
        let got = in_time(fault, "waiting", || waiting.ask("/echo"));
        let told = got.json();
        assert_eq!((got.status, got.inside), (503, false), "{fault:?}");
        assert_eq!(
            (&told["position"], &told["ahead"], &told["old"]),
            (&json!(2), &json!(0), &json!(true)),
            "{fault:?}: the last sign serves on"
        );
        let mut newcomer = Visitor::new(house);
        let got = in_time(fault, "new", || newcomer.ask("/echo"));
        assert_eq!((got.status, got.inside), (503, false), "{fault:?}");
        assert_eq!(got.json()["position"], json!(null), "{fault:?}");
        operator_is_told(house, fault);
        house.store.fail(Faults::none());
        assert_eq!(
            waiting.ask("/").json()["position"],
            2,
            "{fault:?}: the place was kept"
        );
        house.wait(WELL_AGAIN);
        let drawn = newcomer.ask("/").json()["position"].as_u64().unwrap();
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        assert_eq!(
            status["length"], drawn,
            "{fault:?}: no number was drawn twice or lost"
        );
        assert_eq!(status["cursor"], 1, "{fault:?}");
    }
}

/// Under `admit`, once the store is really away, one visitor after the other goes in, as fast as the line would move.
fn admit(house: &House, faults: &[Fault]) {
    house.set("on_store_error", "admit");
    house.set("admit_for", "12");
    make_the_line_stand(house, 1);
    let (mut inside, mut waiting) = before(house);
    for fault in faults.iter().copied() {
        house.forget_the_sign();
        assert!(!waiting.ask("/echo").inside, "{fault:?}: the store is well");
        suffer(house, fault, &mut waiting);
        let mut newcomer = Visitor::new(house);
        assert!(
            in_time(fault, "new", || newcomer.ask("/echo")).inside,
            "{fault:?}: the first one"
        );
        assert!(
            !in_time(fault, "waiting", || waiting.ask("/echo")).inside,
            "{fault:?}: the next one in fifteen seconds"
        );
        assert_eq!(
            house.calls(|| assert!(newcomer.ask("/echo").inside)),
            0,
            "{fault:?}: the grace itself needs no store"
        );
        house.wait(Duration::from_millis(15_100));
        assert!(
            waiting.ask("/echo").inside,
            "{fault:?}: fifteen seconds later"
        );
        assert_eq!(
            claims(waiting.ticket.as_deref().unwrap())["pos"],
            2,
            "{fault:?}: with the place kept"
        );
        assert!(inside.ask("/echo").inside, "{fault:?}: never notices");
        operator_is_told(house, fault);
        house.store.fail(Faults::none());
        house.wait(WELL_AGAIN);
        let back = waiting.ask("/echo");
        assert!(!back.inside, "{fault:?}: for twelve seconds and no longer");
        assert_eq!(back.json()["position"], 2, "{fault:?}");
        assert!(!newcomer.ask("/echo").inside, "{fault:?}");
    }
}

/// Only reading: a permit whose answer is lost has moved the line.
fn operator_is_told(house: &House, fault: Fault) {
    let status = in_time(fault, "status", || {
        house.ask(&Ask::get("/_queue/status").operator())
    });
    assert_eq!(
        (status.status, status.header("content-type")),
        (503, "application/problem+json"),
        "{fault:?}"
    );
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert_eq!(panel.status, 503, "{fault:?}");
    let (_, down) = panel.body.split_once("id=\"down\"").unwrap();
    let (down, _) = down.split_once("</p>").unwrap();
    assert!(
        down.contains(">The store") && down.contains("Nothing can be read or moved."),
        "{fault:?}: {down}"
    );
    let named = down.to_ascii_lowercase().matches("the store").count();
    assert_eq!(named, 1, "{fault:?}, said once: {down}");
}

/// A `NOSCRIPT` that took long is no reason to leave the script unsent: the store is well, and would never learn it.
fn learns_the_scripts(policy: &str) {
    // Seconds are left even to the slowest: on a busy machine less would be too late.
    let house = House::shared_with(Duration::from_secs(6));
    house.set("on_store_error", policy);
    for milliseconds in [480, 1200, 1600] {
        house.store.command(&["SCRIPT", "FLUSH"]).unwrap();
        house.forget_the_sign();
        let away = Fault::Delay(Duration::from_millis(milliseconds));
        house.store.fail(Faults::always(away));
        let mut visitor = Visitor::new(&house);
        let answers = [visitor.ask("/echo"), visitor.ask("/echo")];
        assert!(!answers.iter().any(|got| got.inside), "{away:?}: waits");
        let number = answers[1].json()["position"].clone();
        assert!(number.is_u64(), "{away:?}: {answers:?}");
        let status = || house.ask(&Ask::get("/_queue/status").operator());
        let statuses = [status(), status()];
        let told: Vec<u16> = statuses.iter().map(|got| got.status).collect();
        assert_eq!(told[1], 200, "{away:?}: {told:?}");
        assert_eq!(statuses[1].json()["length"], number, "{away:?}");
    }
}

mod native {
    use super::*;

    #[test]
    fn every_fault_holds_who_waits_and_nobody_else() {
        hold(&House::native());
    }

    #[test]
    fn every_fault_admits_by_policy_for_a_while() {
        admit(&House::native(), &FAULTS);
    }

    /// Only the native clock can be turned that far.
    #[test]
    fn a_draw_is_remembered_for_five_minutes_after_its_last_repeat() {
        for (repeats, position) in [
            // The store's clock runs meanwhile.
            (&[290][..], 1),
            (&[290, 290, 290], 1),
            (&[301], 2),
            (&[290, 301], 2),
        ] {
            let house = House::native();
            // The draw has to happen, and only its answer be lost.
            house.warm();
            let mut visitor = Visitor::new(&house);
            for seconds in repeats {
                house.store.fail(Faults::always(Fault::DropAnswer));
                visitor.ask("/");
                house.store.fail(Faults::none());
                house.wait(Duration::from_secs(*seconds));
            }
            assert_eq!(visitor.ask("/").json()["position"], position, "{repeats:?}");
        }
    }

    #[test]
    fn a_permit_without_an_answer_says_that_it_does_not_know() {
        let house = House::native();
        house.store.fail(Faults::always(Fault::DropAnswer));
        let got = house.ask(&Ask::permit(1));
        assert_eq!((got.status, got.header("retry-after")), (503, "5"));
        let pressed = house.ask(&Ask::press("amt=1"));
        assert_eq!(
            (pressed.status, pressed.header("content-type")),
            (503, "text/html; charset=utf-8"),
            "in a browser it is the panel that says so"
        );
        for (told, words) in [
            (got, "whether anything changed is unknown"),
            (pressed, "Trying again is safe"),
        ] {
            assert!(told.body.contains(words), "{}", told.body);
        }
    }
}

mod wasm {
    use super::*;

    #[test]
    fn every_fault_holds_who_waits_and_nobody_else() {
        hold(&House::shared_with(DEADLINE));
    }

    #[test]
    fn every_fault_admits_by_policy_for_a_while() {
        let some = [Fault::Refuse, Fault::Delay(LATE), Fault::ServerError];
        admit(&House::shared_with(DEADLINE), &some);
    }

    #[test]
    fn a_store_far_away_learns_the_scripts_while_it_holds() {
        learns_the_scripts("hold");
    }

    #[test]
    fn a_store_far_away_learns_the_scripts_and_nobody_is_admitted_meanwhile() {
        learns_the_scripts("admit");
    }
}
