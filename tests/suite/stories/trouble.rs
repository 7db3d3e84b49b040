//! What a store in trouble costs visitors, and what it does not.

use std::time::Duration;

use serde_json::json;
use upstash_local::{DEADLINE, Fault, Faults};

use crate::house::{Ask, Got, House, Visitor, claims, standing_pace};

in_houses_whose_clock_is_turned! {
    one_late_answer_lets_in_nobody
    a_connection_that_died_costs_its_visitor_one_try_and_others_nothing
}

/// What becomes of a call on a connection that the store has closed: it is not delivered, or its answer is lost.
pub(crate) const DIED: [Fault; 2] = [Fault::Refuse, Fault::DropAnswer];

/// Longer than any closure of a breaker, and the time until all may draw again.
const WELL_AGAIN: Duration = Duration::from_secs(20);

/// A line that is known to move, by this many visitors in 15 seconds, and in which it is no visitor's turn.
pub(crate) fn make_the_line_stand(house: &House, quantity: u64) {
    let pace = standing_pace(15, quantity, house.now_ms());
    let [automatic, quantity, period] =
        [pace.automatic, pace.quantity, pace.period].map(|number| number.to_string());
    house.write(&["live_automatic", &automatic, "live_quantity", &quantity]);
    house.write(&["period", &period, "left", "0", "version", "1"]);
}

/// The store is away, and a visitor asks until all but the last of the calls have failed that make it certain: the next
/// one is the third in more than five seconds.
pub(crate) fn suffer(house: &House, fault: Fault, visitor: &mut Visitor<'_>) {
    house.forget_the_sign();
    house.store.fail(Faults::always(fault));
    for wait in [Duration::from_millis(2_100), Duration::from_secs(5)] {
        assert_eq!(
            visitor.ask("/_queue/place").json()["waiting"],
            true,
            "{fault:?}"
        );
        house.wait(wait);
    }
}

fn seconds(got: &Got) -> u64 {
    got.header("retry-after").parse().unwrap()
}

pub(crate) fn a_closed_room_that_opens_again_costs_one_call(house: &House) {
    // This is about the exact number of calls, and a script that the store has to learn is one more.
    house.warm();
    house.change("mode", r#"{"mode":"closed"}"#);
    assert_eq!(Visitor::new(house).ask("/").json()["mode"], "closed");
    house.forget_the_sign();
    // As another data centre would open it: nothing here learns of it.
    house.write(&["mode", "automatic"]);
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| assert_eq!(visitor.ask("/").json()["position"], 1));
    assert_eq!(calls, 1);
}

pub(crate) fn who_cannot_draw_comes_back_later_each_time(house: &House) {
    house.store.fail(Faults::always(Fault::Refuse));
    let mut visitor = Visitor::new(house);
    let expected = [(3, 5), (5, 10), (10, 20), (20, 40), (30, 60), (30, 60)];
    for (tries, (least, most)) in (1..).zip(expected) {
        let got = visitor.ask("/");
        assert!((least..=most).contains(&seconds(&got)), "{tries}: {got:?}");
        assert_eq!(got.json()["refresh_seconds"], seconds(&got), "{got:?}");
        let counted = claims(visitor.ticket.as_deref().unwrap())["tries"].clone();
        assert_eq!(counted, json!(tries.min(5)), "{got:?}");
    }
    let page = visitor.send(Ask::get("/"));
    assert!(
        page.header("refresh")
            .starts_with(page.header("retry-after")),
        "{page:?}"
    );
    house.store.fail(Faults::none());
    house.wait(WELL_AGAIN);
    let drawn = visitor.ask("/");
    assert_eq!(drawn.json()["position"], 1);
    assert_eq!(seconds(&drawn), 5, "it waits like any other");
    let claims = claims(visitor.ticket.as_deref().unwrap());
    assert_eq!(claims["tries"], json!(null));
}

pub(crate) fn who_comes_after_a_failed_draw_costs_no_call(house: &House) {
    house.store.fail(Faults::always(Fault::Refuse));
    let began = house.now_ms();
    assert_eq!(house.calls(|| drop(Visitor::new(house).ask("/"))), 1);
    let mut next = Visitor::new(house);
    let calls = house.calls(|| {
        for _ in 0..3 {
            let got = next.ask("/echo");
            assert_eq!((got.status, got.inside), (503, false));
            assert_eq!(got.json()["position"], json!(null));
        }
    });
    let most = (house.now_ms() - began) / 1000;
    assert!(
        calls <= most,
        "for a second the store is left alone: {calls}"
    );
    let id = claims(next.ticket.as_deref().unwrap())["sub"].clone();
    house.store.fail(Faults::none());
    house.wait(WELL_AGAIN);
    assert_eq!(house.calls(|| drop(next.ask("/"))), 2, "with the script");
    let drawn = claims(next.ticket.as_deref().unwrap());
    assert_eq!((&drawn["pos"], &drawn["sub"]), (&json!(1), &id));
    assert_eq!(Visitor::new(house).ask("/").json()["position"], 2);
}

pub(crate) fn who_has_no_number_reads_nothing_of_a_place(house: &House) {
    house.store.fail(Faults::always(Fault::Refuse));
    let mut visitor = Visitor::new(house);
    for _ in 0..2 {
        let page = visitor.send(Ask::get("/")).body;
        assert!(
            page.contains("We can’t give you a number yet. This page keeps trying."),
            "{page}"
        );
        for untrue in [
            "place is kept",
            "You’re in line",
            "Keep this page open",
            "this one place",
            "draw your number",
        ] {
            assert!(!page.contains(untrue), "{untrue}: {page}");
        }
        let poll = visitor.ask("/_queue/place").json();
        assert_eq!(poll["ticket"], "ended", "the page asks again itself");
    }
    house.store.fail(Faults::none());
    house.wait(WELL_AGAIN);
    let page = visitor.send(Ask::get("/")).body;
    assert!(
        page.contains("You’re in line") && page.contains("Your place is kept"),
        "{page}"
    );
}

pub(crate) fn one_late_answer_lets_in_nobody(house: &House) {
    house.set("on_store_error", "admit");
    make_the_line_stand(house, 1_000);
    let mut waiting = Visitor::new(house);
    assert_eq!(waiting.ask("/").json()["position"], 1);
    for mode in ["automatic", "hold", "closed"] {
        house.change("mode", &json!({ "mode": mode }).to_string());
        house.forget_the_sign();
        let late = Fault::Delay(Duration::from_millis(700));
        house.store.fail(Faults::always(late));
        assert!(!waiting.ask("/echo").inside, "{mode}");
        assert!(!Visitor::new(house).ask("/echo").inside, "{mode}");
        house.store.fail(Faults::none());
        house.wait(WELL_AGAIN);
        assert!(!waiting.ask("/echo").inside, "{mode}");
    }
}

/// The platform keeps connections, and the local server none: so one call fails here.
fn a_connection_that_died_costs_its_visitor_one_try_and_others_nothing(house: &House) {
    house.warm();
    let mut number = 0;
    for fault in DIED {
        house.store.fail(Faults::always(fault));
        let mut visitor = Visitor::new(house);
        let got = visitor.ask("/");
        assert_eq!((got.status, &got.json()["position"]), (503, &json!(null)));
        house.store.fail(Faults::none());
        house.wait(Duration::from_millis(1_100));
        let other = Visitor::new(house).ask("/").json()["position"].clone();
        house.wait(Duration::from_secs(seconds(&got) - 1));
        let drawn = visitor.ask("/").json()["position"].clone();
        let (was_done, is_next) = (json!(number + 1), json!(number + 2));
        let expected = match fault {
            Fault::DropAnswer => (&was_done, &is_next),
            _ => (&is_next, &was_done),
        };
        assert_eq!((&drawn, &other), expected, "{fault:?}");
        number += 2;
        assert_eq!(house.numbers("main"), (0, number), "{fault:?}");
    }
}

pub(crate) fn without_the_store_hold_closed_and_sold_out_stay_and_let_in_nobody(house: &House) {
    house.set("on_store_error", "admit");
    make_the_line_stand(house, 1_000);
    let mut waiting = Visitor::new(house);
    waiting.ask("/");
    for (mode, stock) in [("hold", "null"), ("closed", "null"), ("automatic", "0")] {
        house.ask(&Ask::json_to("report", &format!(r#"{{"stock":{stock}}}"#)));
        house.change("mode", &json!({ "mode": mode }).to_string());
        house.forget_the_sign();
        assert!(!waiting.ask("/echo").inside, "{mode}");
        suffer(house, Fault::Refuse, &mut waiting);
        for _ in 0..3 {
            assert!(!waiting.ask("/echo").inside, "{mode}");
            assert!(!Visitor::new(house).ask("/echo").inside, "{mode}");
        }
        house.store.fail(Faults::none());
    }
}

pub(crate) fn an_open_room_stays_open_without_the_store(house: &House) {
    let mut waiting = Visitor::new(house);
    waiting.ask("/");
    waiting.ask("/");
    let held = waiting.ticket.clone();
    house.change("mode", r#"{"mode":"open"}"#);
    house.store.fail(Faults::always(Fault::Refuse));
    for _ in 0..2 {
        house.forget_the_sign();
        let began = house.now_ms();
        let mut held = Visitor::holding(house, held.clone());
        assert!(held.ask("/echo").inside, "with a number");
        assert_eq!(claims(held.ticket.as_deref().unwrap())["pos"], 1);
        let mut new = Visitor::new(house);
        assert!(new.ask("/echo").inside, "without one");
        let calls = house.calls(|| assert!(new.ask("/echo").inside));
        assert!(calls <= (house.now_ms() - began) / 1000, "{calls}");
    }
}

pub(crate) fn what_was_let_in_without_the_store_ends_with_a_hold_and_with_its_epoch(house: &House) {
    house.set("admit_for", "600");
    for end in [
        ["mode", "hold"],
        ["mode", "closed"],
        ["visits_epoch", "9999999999999"],
    ] {
        house.change("mode", r#"{"mode":"open"}"#);
        house.store.fail(Faults::always(Fault::Refuse));
        house.forget_the_sign();
        let mut new = Visitor::new(house);
        assert!(new.ask("/echo").inside);
        house.store.fail(Faults::none());
        house.write(&["mode", "automatic"]);
        house.write(&end);
        house.wait(Duration::from_secs(2));
        // The first request finds no fresh sign and looks once it has been answered; every later request knows it.
        let is_out = (0..50).any(|_| {
            house.wait(Duration::from_millis(50));
            !new.ask("/echo").inside
        });
        assert!(is_out, "{end:?}");
        assert!(!new.ask("/echo").inside, "{end:?}");
    }
}

mod wasm {
    use super::*;

    #[test]
    fn one_late_answer_lets_in_nobody() {
        super::one_late_answer_lets_in_nobody(&House::shared_with(DEADLINE));
    }
}
