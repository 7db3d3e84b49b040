//! An event that begins by itself: before it, in its pre-queue, while it is open, and after its end.

mod beside;
mod brought;
mod ends;
mod live;

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, Visitor, inside, visitors};

pub(crate) use beside::*;
pub(crate) use brought::*;
pub(crate) use live::*;

in_houses_whose_clock_is_turned! {
    a_number_before_the_prequeue_is_told_where_the_store_is_away
    without_the_store_the_policy_lets_no_visitor_in_before_an_event
}

const MINUTE: Duration = Duration::from_mins(1);

/// An event with its pre-queue, opening and end in seconds from now.
fn timed(house: &House, id: &str, [prequeue, opens, closes]: [u64; 3]) -> Value {
    let second = house.now_ms() / 1000;
    let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
    json!({ "id": id, "prequeue": at(prequeue), "opens": at(opens), "closes": at(closes) })
}

/// The same with more members.
fn timed_with(house: &House, id: &str, times: [u64; 3], more: &Value) -> Value {
    let mut event = timed(house, id, times);
    for (name, value) in more.as_object().unwrap() {
        event[name] = value.clone();
    }
    event
}

/// So many wait by the places that the lot of an event beside the room gave them, and a second one follows, with a lot and this end.
fn served_by_lot(house: &House, many: usize, closes: u64) -> Vec<Visitor<'_>> {
    house.set("automatic", "0");
    let more = json!({ "outside": "automatic", "order": "drawn" });
    let [one, two] = [("one", [0, 180, 240]), ("two", [360, 420, closes])]
        .map(|(id, times)| timed_with(house, id, times, &more));
    house.set("event", &json!([one, two]).to_string());
    let mut line = visitors(house, many);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.wait(3 * MINUTE);
    for _ in 0..3 {
        line[0].ask("/");
        house.wait(Duration::from_secs(2));
    }
    line
}

/// The same as the setting.
fn event(house: &House, id: &str, times: [u64; 3]) {
    house.set("event", &timed(house, id, times).to_string());
}

/// A pace that no story uses up.
fn at_a_large_pace(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
}

fn positions(visitors: &mut [Visitor<'_>]) -> Vec<Value> {
    let ask = |visitor: &mut Visitor<'_>| visitor.ask("/").json()["position"].clone();
    visitors.iter_mut().map(ask).collect()
}

/// What a permit of one visitor is answered.
fn permitted(house: &House) -> Got {
    house.ask(&Ask::permit(1))
}

pub(crate) fn before_an_event_no_visitor_draws_and_none_goes_in(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [300, 600, 900]);
    let mut line = visitors(house, 3);
    assert_eq!(
        positions(&mut line),
        [Value::Null, Value::Null, Value::Null]
    );
    assert_eq!(inside(&mut line), [false; 3]);
    assert_eq!(permitted(house).status, 409);
    assert_eq!(house.numbers("main").1, 0);
}

pub(crate) fn in_the_prequeue_numbers_are_drawn_and_at_the_start_they_go_in(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 120, 900]);
    let mut line = visitors(house, 3);
    assert_eq!(positions(&mut line), [1, 2, 3]);
    // A number is good for nothing after the end.
    let valid = line[0].ask("/_queue/place").json()["valid"].clone();
    assert!((800..=900).contains(&valid.as_u64().unwrap()), "{valid}");
    assert_eq!(permitted(house).status, 409, "the line stands");
    assert_eq!(inside(&mut line), [false; 3]);
    house.wait(2 * MINUTE);
    assert_eq!(inside(&mut line), [true; 3]);
}

pub(crate) fn after_an_event_no_new_visitor_goes_in_and_visitors_inside_stay(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 0, 120]);
    let mut guest = Visitor::new(house);
    assert!(guest.ask("/echo").inside);
    house.wait(2 * MINUTE);
    let mut late = Visitor::new(house);
    let told = late.ask("/").json();
    assert_eq!(
        (&told["position"], &told["mode"]),
        (&Value::Null, &json!("closed"))
    );
    assert!(guest.ask("/echo").inside, "and goes on");
    assert_eq!(permitted(house).status, 409);
}

pub(crate) fn an_event_begins_a_line_of_its_own(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 3);
    assert_eq!(positions(&mut line), [1, 2, 3]);
    house.permit(2);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside);
    let called = line[1].ask("/_queue/place").json();
    assert_eq!(called["waiting"], false, "{called}");
    house.wait(3 * MINUTE);
    event(house, "sale", [0, 120, 900]);
    // The copy of the board is of the time before.
    house.wait(Duration::from_secs(3));
    let mut late = Visitor::new(house);
    assert_eq!(late.ask("/").json()["position"], 4);
    assert_eq!(late.ask("/").json()["ahead"], 0);
    // Behind the first visitor of the event; who was called and has not gone in, too.
    for (place, position) in [(2, 5), (1, 6)] {
        let told = line[place].ask("/").json();
        let found = (&told["position"], &told["notice"]);
        assert_eq!(found, (&json!(position), &json!("line_started_anew")));
    }
    assert!(line[0].ask("/echo").inside, "an event ends no visit");
}

/// The request by which a called visitor wants to go in is the first of all after the event has opened.
pub(crate) fn who_was_called_before_an_event_goes_in_past_nobody(house: &House) {
    house.set("automatic", "0");
    let mut called = Visitor::new(house);
    Visitor::new(house).ask("/");
    assert_eq!(called.ask("/").json()["position"], 2);
    house.permit(2);
    house.forget_the_sign();
    assert_eq!(called.ask("/_queue/place").json()["waiting"], false);
    house.wait(3 * MINUTE);
    event(house, "sale", [0, 0, 900]);
    house.wait(Duration::from_secs(3));
    let got = called.ask("/echo");
    assert!(!got.inside, "{got:?}");
    let told = called.ask("/").json();
    let found = (&told["position"], &told["notice"]);
    assert_eq!(found, (&json!(3), &json!("line_started_anew")));
}

pub(crate) fn an_event_that_is_moved_keeps_its_line(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 120, 3600]);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    event(house, "sale", [0, 600, 3600]);
    house.wait(3 * MINUTE);
    assert_eq!(inside(&mut line), [false; 2], "it opens later");
    assert_eq!(positions(&mut line), [1, 2]);
    event(house, "sale", [0, 0, 3600]);
    house.wait(Duration::from_secs(3));
    assert_eq!(inside(&mut line), [true; 2], "it was brought forward");
}

pub(crate) fn after_an_event_that_is_cancelled_the_line_moves_as_ever(house: &House) {
    at_a_large_pace(house);
    event(house, "sale", [0, 600, 3600]);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    house.set("event", "[]");
    house.wait(MINUTE);
    assert_eq!(inside(&mut line), [true; 2]);
}

pub(crate) fn a_line_seals_how_many_drew_before_the_start(house: &House) {
    house.set("automatic", "0");
    // While the data are young, a copy may come that knows of more numbers.
    Visitor::new(house).ask("/");
    house.wait(3 * MINUTE);
    event(house, "sale", [0, 60, 3600]);
    house.wait(Duration::from_secs(3));
    let mut line = visitors(house, 3);
    positions(&mut line);
    house.wait(MINUTE + Duration::from_secs(2));
    assert_eq!(Visitor::new(house).ask("/").json()["position"], 5);
    let written = house
        .store
        .command(&["HGET", &house.key(""), "event"])
        .unwrap();
    let written = written.as_str().unwrap().to_owned();
    assert!(
        written.starts_with("sale ") && written.ends_with("=1:3"),
        "{written}"
    );
}

pub(crate) fn a_store_that_is_away_at_the_start_opens_nothing_and_the_line_moves_once_it_is_back(
    house: &House,
) {
    at_a_large_pace(house);
    event(house, "sale", [0, 60, 3600]);
    let mut line = visitors(house, 2);
    assert_eq!(positions(&mut line), [1, 2]);
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(2 * MINUTE);
    assert_eq!(inside(&mut line), [false; 2]);
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(3));
    assert_eq!(inside(&mut line), [true; 2]);
}

fn without_the_store_the_policy_lets_no_visitor_in_before_an_event(house: &House) {
    house.set("on_store_error", "admit");
    at_a_large_pace(house);
    event(house, "sale", [1800, 1800, 3600]);
    house.store.fail(Faults::always(Fault::Refuse));
    let mut visitor = Visitor::new(house);
    let comes = |visitor: &mut Visitor<'_>| {
        let pause = Duration::from_secs(3);
        (0..20).any(|_| {
            house.wait(pause);
            visitor.ask("/echo").inside
        })
    };
    assert!(!comes(&mut visitor));
    house.wait(30 * MINUTE);
    assert!(
        comes(&mut visitor),
        "once it is open by the clock of the data centre"
    );
}

/// The page of a visitor.
fn page(visitor: &mut Visitor<'_>) -> String {
    visitor.send(Ask::get("/")).body
}

pub(crate) fn before_an_event_the_page_counts_down_and_no_call_is_made(house: &House) {
    let begins_ms = (house.now_ms() / 1000 + 620) * 1000;
    event(house, "sale", [620, 620, 3600]);
    // The data centre has just looked whether an operator has set another event.
    Visitor::new(house).ask("/");
    house.wait(Duration::from_secs(3));
    let mut visitor = Visitor::new(house);
    let calls = house.calls(|| {
        let told = visitor.ask("/").json();
        assert_eq!(told["event"]["phase"], "before");
        let seconds = told["refresh_seconds"].as_u64().unwrap();
        assert!((20..=30).contains(&seconds), "{seconds}");
        let page = page(&mut visitor);
        for words in [
            "<title>Not open yet",
            "<h1 id=heading dir=auto>Opens in</h1>",
            "<span id=left>about 10 minutes</span>",
            "<p id=at>Opens ",
            "data-due=\"Opens ",
            "Alert me when it opens",
            "No numbers are given yet.",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
    });
    assert_eq!(calls, 0);
    house.wait(Duration::from_secs(607));
    let left = |house: &House| begins_ms.saturating_sub(house.now_ms()).div_ceil(1000);
    // Five of spread, and one where a second began before the event was set.
    let most = left(house) + 6;
    let told = visitor.ask("/").json();
    let least = left(house);
    let seconds = told["refresh_seconds"].as_u64().unwrap();
    assert!(
        (least..=most).contains(&seconds),
        "soon after the start: {seconds}, {least} to {most}"
    );
}

pub(crate) fn in_the_prequeue_and_after_the_end_the_page_says_so(house: &House) {
    event(house, "sale", [0, 600, 1200]);
    let mut visitor = Visitor::new(house);
    assert_eq!(visitor.ask("/").json()["event"]["phase"], "prequeue");
    let told = page(&mut visitor);
    for words in [
        "<h1 id=heading dir=auto>Opens in</h1>",
        "<span id=left>about 10 minutes</span>",
        "Entry has not begun.",
        "Alert me when it opens",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    house.wait(20 * MINUTE);
    house.wait(Duration::from_secs(3));
    let told = page(&mut visitor);
    for words in [
        "This has ended",
        "Entry has ended. No more visitors go in.",
        "Thank you for coming.",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    for words in ["id=alert", "Checks again", "To the start page"] {
        assert!(!told.contains(words), "{words}: {told}");
    }
    // The start page is not behind this room, so a way leads there.
    house.set("bypass_paths", "/");
    let told = visitor.send(Ask::get("/shop")).body;
    assert!(
        told.contains("<a class=do href=\"/\">To the start page</a>"),
        "{told}"
    );
}

pub(crate) fn a_visitor_who_comes_too_late_reads_so_while_waiting(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    house.wait_for_period(60);
    event(house, "sale", [0, 0, 200]);
    let mut line = visitors(house, 6);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let late = "Entry may end before your turn";
    for (visitor, is_late) in [(1, false), (5, true)] {
        let told = line[visitor].ask("/").json();
        assert_eq!(told["event"]["too_late"], is_late, "{told}");
        assert_eq!(page(&mut line[visitor]).contains(late), is_late);
    }
}
