//! One line, one birth: what the store loses comes back, and no ticket moves a line it does not belong to.

use std::time::Duration;

use now_serving::queue::{Cursor, Position};
use now_serving::queue::{Place, WaitingProof};
use now_serving::ticket::TicketStage;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor, claims, inside, visitors};
use crate::tickets;

// These stories need minutes.
in_houses_whose_clock_is_turned! {
    the_pace_is_kept_when_visitors_poll_seldom
    after_an_outage_no_more_than_two_periods_go_in_at_once
    what_went_in_without_the_store_is_not_paid_twice
    ten_minutes_of_hold_release_one_period_afterwards
    the_periods_of_the_quiet_time_after_a_loss_are_not_made_up_for
    a_ticket_whose_line_nobody_knows_ends_after_two_minutes_and_says_so
    a_store_whose_clock_is_set_back_goes_on_calling
    a_line_that_came_back_to_a_store_whose_clock_is_behind_goes_on
}

pub(crate) fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

/// A ticket with our signature, from any line.
pub(crate) fn signed(house: &House, proof: WaitingProof) -> String {
    let now = house.now_ms() / 1000;
    let id = format!("{:032x}", proof.place.position.0);
    tickets::signed(id, TicketStage::Waiting(proof), house.room(), now)
}

pub(crate) fn place(born: u64, position: u64, seen: u64) -> WaitingProof {
    WaitingProof::of(
        Place {
            born,
            position: Position(position),
            came: None,
        },
        Cursor(seen),
    )
}

pub(crate) fn with_ticket(ask: Ask, ticket: &str) -> Ask {
    ask.with("cookie", format!("queue={ticket}"))
}

/// This many visitors in line.
pub(crate) fn line(house: &House, many: usize) -> Vec<Visitor<'_>> {
    let mut visitors = visitors(house, many);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    visitors
}

pub(crate) fn a_ticket_of_an_older_line_moves_nothing(house: &House) {
    let mut strangers = line(house, 5);
    let before = status(house);
    for old in [place(1000, 100, 100), place(1000, 3, 1)] {
        let ticket = signed(house, old);
        for _ in 0..3 {
            let got = house.ask(&with_ticket(Ask::get("/").json(), &ticket));
            assert!(!got.inside, "{old:?}");
            house.forget_the_sign();
        }
    }
    let after = status(house);
    for name in ["epoch", "cursor", "length"] {
        assert_eq!(before[name], after[name], "{name}");
    }
    assert_eq!(inside(&mut strangers), [false; 5]);
    assert_eq!(strangers[0].ask("/").json()["position"], 1);
}

pub(crate) fn a_line_whose_data_are_lost_is_as_the_pop_last_saw_it(house: &House) {
    let mut before = line(house, 12);
    house.permit(4);
    assert!(before[0].ask("/echo").inside);
    house.change("message", r#"{"message":"Doors at ten"}"#);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.store.restart_empty();
    let mut stranger = Visitor::new(house);
    let drawn = stranger.ask("/").json();
    assert!(
        drawn["position"].as_u64() > Some(12),
        "a newcomer follows behind: {drawn}"
    );
    assert_eq!(drawn["message"], "Doors at ten");
    house.forget_the_sign();
    let told = before[11].ask("/").json();
    assert_eq!(
        (&told["position"], &told["cursor"], &told["ahead"]),
        (&json!(12), &json!(4), &json!(7))
    );
    assert_eq!(
        told["mode"], "hold",
        "what an operator set is not forgotten"
    );
    assert!(before[0].ask("/echo").inside, "and visitors inside stay");
    let called = before[1].ask("/").json();
    assert_eq!(
        (&called["position"], &called["ahead"]),
        (&json!(2), &json!(0))
    );
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.wait(Duration::from_secs(11));
    assert!(before[1].ask("/echo").inside);
    house.permit(1);
    assert!(before[4].ask("/echo").inside, "a permit reaches who waits");
}

pub(crate) fn the_copy_of_an_older_line_admits_nobody_of_a_younger_one(house: &House) {
    let _before = line(house, 20);
    house.permit(20);
    // Drawn in a line that began later, before this POP has heard of it.
    let born = house.now_ms() + 1000;
    for position in [1, 5, 20] {
        let ticket = signed(house, place(born, position, 0));
        let got = house.ask(&with_ticket(Ask::get("/echo").json(), &ticket));
        assert!(!got.inside, "number {position} of another line");
    }
}

pub(crate) fn an_ended_ticket_draws_for_visits_only_and_says_that_the_line_was_started_anew(
    house: &House,
) {
    let mut visitors = line(house, 3);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let ended = visitors[0].ticket.clone().unwrap();
    for ask in [
        Ask::get("/_queue/place"),
        Ask::get("/").method("HEAD"),
        Ask::get("/a.png").with("sec-fetch-dest", "image"),
        Ask::get("/").with("sec-purpose", "prefetch"),
    ] {
        let got = house.ask(&with_ticket(ask.clone(), &ended));
        assert_eq!((got.inside, got.ticket()), (false, None), "{ask:?}");
        if ask.target == "/_queue/place" {
            assert_eq!(got.json()["ticket"], "ended");
        }
    }
    assert_eq!(status(house)["length"], 3, "none of these drew");
    let told = visitors[0].ask("/").json();
    assert_eq!(
        (&told["position"], &told["notice"]),
        (&json!(4), &json!("line_started_anew"))
    );
    let page = visitors[0].send(Ask::get("/").with("accept", "text/html"));
    let sentence = "The line was started anew, and all earlier tickets ended.";
    assert!(page.body.contains(sentence), "{}", page.body);
    let newcomer = Visitor::new(house).ask("/").json();
    assert_eq!(newcomer["notice"], Value::Null);
}

pub(crate) fn a_waiting_ticket_lives_as_long_as_its_holder_polls(house: &House) {
    house.set("ticket_life", "60");
    house.set("cookie_expiry", "60");
    let mut first = Visitor::new(house);
    let mut visitor = Visitor::new(house);
    first.ask("/");
    assert_eq!(visitor.ask("/").json()["position"], 2);
    // Ten lives of a ticket.
    for _ in 0..12 {
        house.wait(Duration::from_secs(50));
        let told = visitor.ask("/").json();
        assert_eq!(
            (&told["position"], &told["notice"]),
            (&json!(2), &Value::Null)
        );
    }
    house.wait(Duration::from_secs(61));
    let told = visitor.ask("/").json();
    assert_eq!(told["notice"], "ticket_expired", "{told}");
    assert_eq!(told["position"], 3, "at the back");
}

pub(crate) fn choosing_the_refresh_prolongs_no_ticket(house: &House) {
    house.set("ticket_life", "60");
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let before = claims(visitor.ticket.as_deref().unwrap());
    house.wait(Duration::from_secs(40));
    visitor.send(Ask::get("/_queue/updates?every=off&to=/"));
    let after = claims(visitor.ticket.as_deref().unwrap());
    assert_eq!(after["still"], true);
    for name in ["iat", "exp", "born", "pos"] {
        assert_eq!(before[name], after[name], "{name}");
    }
}

/// A failover to a machine whose clock lags.
fn a_store_whose_clock_is_set_back_goes_on_calling(house: &House) {
    house.set("automatic", "10");
    house.set("automatic_quantity", "1");
    let mut visitors = line(house, 10);
    for _ in 0..3 {
        house.wait_for_period(10);
        visitors[9].ask("/");
    }
    let before = status(house)["cursor"].as_u64().unwrap();
    house.set_back(Duration::from_hours(1));
    for called in 1..=4 {
        house.forget_pop();
        house.wait(Duration::from_secs(10));
        visitors[9].ask("/");
        let cursor = status(house)["cursor"].as_u64().unwrap();
        assert!(
            (before + called - 1..=before + called).contains(&cursor),
            "{cursor} after {called} periods, {before} before"
        );
    }
}

fn a_line_that_came_back_to_a_store_whose_clock_is_behind_goes_on(house: &House) {
    house.set("automatic", "10");
    house.set("automatic_quantity", "1");
    let mut visitors = line(house, 10);
    house.wait_for_period(10);
    visitors[9].ask("/");
    let before = status(house)["cursor"].as_u64().unwrap();
    house.store.restart_empty();
    house.set_back(Duration::from_hours(1));
    for _ in 0..4 {
        house.wait(Duration::from_secs(10));
        visitors[9].ask("/");
    }
    let cursor = status(house)["cursor"].as_u64().unwrap();
    assert!(cursor >= before + 2, "{cursor}, {before} before");
}

fn the_pace_is_kept_when_visitors_poll_seldom(house: &House) {
    house.set("automatic", "15");
    house.set("automatic_quantity", "1");
    let mut visitors = line(house, 100);
    house.wait_for_period(15);
    visitors[99].ask("/");
    let before = status(house)["cursor"].as_u64().unwrap();
    for _ in 0..24 {
        house.wait(Duration::from_secs(25));
        visitors[99].ask("/");
    }
    let after = status(house)["cursor"].as_u64().unwrap();
    // Ten minutes are forty periods, of which the last may be open.
    assert!((39..=40).contains(&(after - before)), "{before} to {after}");
    house.wait(Duration::from_mins(10));
    visitors[99].ask("/");
    let late = status(house)["cursor"].as_u64().unwrap();
    assert_eq!(late - after, 2, "one period that was missed at most");
}

/// Seconds without the store, in each of which a visitor polls: how many visitors went in, and by how much the cursor moves when it is
/// back.
fn outage(house: &House, seconds: u64) -> (usize, u64) {
    house.set("automatic", "3");
    house.set("automatic_quantity", "3");
    let mut visitors = line(house, 200);
    for _ in 0..3 {
        house.wait_for_period(3);
        visitors[199].ask("/");
    }
    let before = status(house)["cursor"].as_u64().unwrap();
    house.store.fail(Faults::always(Fault::Refuse));
    let mut inside = 0;
    for second in 0..seconds {
        house.wait(Duration::from_secs(1));
        let visitor = 100 + usize::try_from(second % 99).unwrap();
        inside += usize::from(visitors[visitor].ask("/echo").inside);
    }
    house.store.fail(Faults::none());
    house.forget_the_sign();
    visitors[199].ask("/");
    let after = status(house)["cursor"].as_u64().unwrap();
    (inside, after - before)
}

/// An origin that was as far away as the store would meet them all at once.
fn after_an_outage_no_more_than_two_periods_go_in_at_once(house: &House) {
    let (inside, moved) = outage(house, 33);
    assert_eq!(inside, 0);
    assert!((3..=6).contains(&moved), "{moved} where a period has 3");
}

fn what_went_in_without_the_store_is_not_paid_twice(house: &House) {
    house.set("on_store_error", "admit");
    let (inside, moved) = outage(house, 60);
    assert!(inside > 20, "{inside} went in");
    let all = u64::try_from(inside).unwrap() + moved;
    assert!(all <= 60 + 6, "{inside} in a minute, and then {moved}");
}

fn ten_minutes_of_hold_release_one_period_afterwards(house: &House) {
    house.set("automatic", "10");
    house.set("automatic_quantity", "2");
    let mut visitors = line(house, 50);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.wait(Duration::from_mins(10));
    visitors[49].ask("/");
    let before = status(house)["cursor"].as_u64().unwrap();
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert_eq!(status(house)["cursor"].as_u64().unwrap() - before, 2);
}

/// As an origin that comes back with the store would meet them all at once.
fn the_periods_of_the_quiet_time_after_a_loss_are_not_made_up_for(house: &House) {
    house.set("automatic", "1");
    house.set("automatic_quantity", "2");
    let mut visitors = line(house, 50);
    house.forget_the_sign();
    visitors[49].ask("/");
    let before = status(house)["cursor"].as_u64().unwrap();
    house.store.command(&["FLUSHALL"]).unwrap();
    house.forget_the_sign();
    visitors[49].ask("/");
    house.wait(Duration::from_millis(10_500));
    visitors[49].ask("/");
    let moved = status(house)["cursor"].as_u64().unwrap() - before;
    assert!((1..=4).contains(&moved), "{moved} in half a second");
}

fn a_ticket_whose_line_nobody_knows_ends_after_two_minutes_and_says_so(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ticket = Some(signed(house, place(1000, 7, 0)));
    let mut newcomer = Visitor::new(house);
    newcomer.ask("/");
    for _ in 0..7 {
        let told = visitor.ask("/").json();
        assert_eq!(
            (&told["position"], &told["ahead"]),
            (&json!(7), &Value::Null),
            "its line may still come back"
        );
        house.wait(Duration::from_secs(17));
    }
    house.wait(Duration::from_secs(17));
    newcomer.ask("/");
    let calls = house.calls(|| {
        assert_eq!(visitor.ask("/").json()["notice"], "line_started_anew");
    });
    assert_eq!(calls, 1, "the draw");
}

/// A page is told to come back after 35 seconds at the most.
pub(crate) fn a_waiting_visitor_keeps_the_place_at_any_ticket_life(house: &House) {
    house.set("automatic", "0");
    for life in ["60", "61", "75", "100"] {
        house.set("ticket_life", life);
        let mut visitor = Visitor::new(house);
        let drawn = visitor.ask("/").json()["position"].clone();
        for seconds in [29, 35, 35, 1, 35, 24, 35, 35] {
            house.wait(Duration::from_secs(seconds));
            let told = visitor.ask("/").json();
            assert_eq!(told["position"], drawn, "{life}: {told}");
        }
    }
}
