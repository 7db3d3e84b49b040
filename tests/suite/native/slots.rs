//! Which slots are taken, where a line or a cap begins while visitors are inside and counts are on their way.

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::ended::{end, inside as taken, pass};
use crate::house::{Ask, House, Visitor, claims, inside, visitors};

const SEEN: Duration = Duration::from_secs(2);
const POPS: [&str; 2] = ["north", "south"];
/// Until then a line that has just begun may come back.
const YOUNG: Duration = Duration::from_mins(3);

/// A room where all who come go in, in the first seconds of a minute.
fn easy() -> House {
    let house = House::native();
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
    house.warm();
    house.go_to_pop_called(POPS[0]);
    Visitor::new(&house).ask("/");
    house.wait(YOUNG);
    house.wait_for_period(60);
    house
}

/// All that both data centres have counted reaches the store.
fn tell(house: &House) {
    for pop in POPS {
        house.go_to_pop_called(pop);
        let got = house.ask(&Ask::get("/_queue/metrics").operator());
        assert_eq!(got.status, 200, "{got:?}");
    }
    house.go_to_pop_called(POPS[0]);
}

/// Visitors who went in without a cap, by data centre, and asked for a page since one holds: no store has heard of them.
fn counted_late(house: &House) -> [Vec<Visitor<'_>>; 2] {
    let mut both = POPS.map(|pop| {
        house.go_to_pop_called(pop);
        let mut here = visitors(house, 5);
        assert_eq!(inside(&mut here), [true; 5]);
        here
    });
    house.set("total_active", "10");
    for (pop, here) in POPS.into_iter().zip(&mut both) {
        house.go_to_pop_called(pop);
        house.forget_the_sign();
        assert!(Visitor::new(house).ask("/echo").inside);
        assert_eq!(inside(here), [true; 5]);
    }
    house.go_to_pop_called(POPS[0]);
    both
}

fn end_all(house: &House) {
    house.change("epoch", &house.word());
}

/// An event whose pre-queue and start pass.
fn event(house: &House) {
    let at = |after: u64| iso_8601((house.now_ms() / 1000 + after) * 1000).replace(".000", "");
    let event = json!({ "id": "sale", "prequeue": at(1), "opens": at(3) });
    house.set("event", &event.to_string());
    house.wait(Duration::from_secs(5));
}

#[test]
fn what_was_counted_for_a_line_that_has_ended_takes_no_slot() {
    let house = easy();
    let mut before = counted_late(&house);
    end_all(&house);
    // A data centre that has not heard of it counts them once more.
    house.go_to_pop_called(POPS[1]);
    before[1][0].ask("/echo");
    tell(&house);
    assert_eq!(taken(&house), 0, "phantoms");
    house.wait(SEEN);
    let mut now = visitors(&house, 12);
    let went_in = now.iter_mut().filter_map(|visitor| {
        house.wait(SEEN);
        visitor.ask("/echo").inside.then_some(())
    });
    assert_eq!(went_in.count(), 10);
    tell(&house);
    assert_eq!(taken(&house), 10);
}

/// A cap that begins with the new line meets what was counted for visitors of the old one.
#[test]
fn a_cap_that_begins_after_all_tickets_ended_counts_none_of_them() {
    let house = easy();
    let _before = counted_late(&house);
    house.set("total_active", "0");
    end_all(&house);
    house.set("total_active", "10");
    house.go_to_pop_called(POPS[1]);
    tell(&house);
    assert_eq!(taken(&house), 0, "phantoms");
}

/// Visitors of the new line who went in before the cap are counted, in the same minute too.
#[test]
fn visitors_of_the_new_line_who_went_in_before_the_cap_are_counted() {
    let house = easy();
    end_all(&house);
    let all = counted_late(&house);
    let many: u64 = all.iter().map(|here| here.len() as u64).sum();
    tell(&house);
    // With one more in each data centre, who saw that there is a cap.
    assert_eq!(taken(&house), many + 2);
}

/// Three visitors inside, who have all slots.
fn full(house: &House) -> Vec<Visitor<'_>> {
    house.set("total_active", "3");
    let mut all = visitors(house, 3);
    assert_eq!(inside(&mut all), [true; 3]);
    all
}

/// Who is inside stays, and keeps the slot; who waits draws anew.
#[test]
fn an_event_ends_no_session() {
    let house = easy();
    let mut all = full(&house);
    let mut waiting = visitors(&house, 2);
    assert_eq!(inside(&mut waiting), [false; 2]);
    house.wait(Duration::from_mins(3));
    assert_eq!(inside(&mut all), [true; 3]);
    event(&house);
    house.wait(SEEN);
    assert_eq!(inside(&mut all), [true; 3]);
    tell(&house);
    assert_eq!(taken(&house), 3);
    let told = waiting[0].ask("/").json();
    assert_eq!(
        (&told["position"], &told["notice"]),
        (&json!(7), &json!("line_started_anew"))
    );
}

/// The answer to a claim was lost, and an event began before its visitor could ask again.
#[test]
fn who_claimed_a_slot_just_before_an_event_goes_in_by_it() {
    let house = easy();
    house.set("total_active", "1");
    let mut all = visitors(&house, 3);
    assert_eq!(inside(&mut all), [true, false, false]);
    house.permit(1);
    let passes = [pass(&house, &all[0])];
    assert_eq!(end(&house, &passes)["ended"], 1);
    house.wait(Duration::from_mins(2));
    // An answer that is cut off as well keeps what was done.
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert!(!all[1].ask("/echo").inside);
    house.store.fail(Faults::none());
    assert_eq!(taken(&house), 1);
    event(&house);
    house.wait(SEEN);
    assert!(all[1].ask("/echo").inside);
    assert!(!all[2].ask("/echo").inside);
    assert_eq!(taken(&house), 1);
}

#[test]
fn a_session_that_begins_in_the_minute_of_a_new_line_can_be_ended() {
    let house = easy();
    let before = full(&house);
    let old: Vec<String> = before.iter().map(|visitor| pass(&house, visitor)).collect();
    end_all(&house);
    house.wait(SEEN);
    let mut now = visitors(&house, 3);
    for visitor in &mut now {
        assert!(visitor.ask("/echo").inside);
        house.wait(SEEN);
    }
    assert_eq!(taken(&house), 3);
    // Those of the same minute that ended with all tickets hold no slot.
    assert_eq!(end(&house, &old)["ended"], 3);
    assert_eq!(taken(&house), 3);
    let passes: Vec<String> = now[..2]
        .iter()
        .map(|visitor| pass(&house, visitor))
        .collect();
    assert_eq!(end(&house, &passes)["ended"], 2);
    assert_eq!(taken(&house), 1, "at once");
    house.wait(SEEN);
    assert!(now[2].ask("/echo").inside);
    tell(&house);
    assert_eq!(taken(&house), 1);
}

/// Keeps the ticket without a number, and the one with it.
fn both_tickets(house: &House) -> [Visitor<'_>; 2] {
    let mut visitor = Visitor::new(house);
    visitor.send_once(Ask::get("/echo").json());
    let without = visitor.ticket.clone();
    visitor.ask("/echo");
    assert_ne!(visitor.ticket, without);
    [Visitor::holding(house, without), visitor]
}

#[test]
fn a_number_has_one_session_whichever_of_its_tickets_comes() {
    for first in [0, 1] {
        let house = House::native();
        house.set("automatic", "0");
        house.set("session_minutes", "2");
        house.set("total_active", "10");
        house.warm();
        visitors(&house, 1)[0].ask("/");
        house.wait(SEEN);
        let mut both = both_tickets(&house);
        let number = both[1].ask("/").json()["position"].clone();
        assert_eq!(number, 2);
        house.permit(2);
        house.wait(SEEN);
        let comes = |visitor: &mut Visitor<'_>| {
            (0..3).any(|_| {
                house.wait(SEEN);
                visitor.ask("/echo").inside
            })
        };
        assert!(comes(&mut both[first]));
        house.wait(Duration::from_mins(5));
        // Nobody has been called since.
        assert!(!comes(&mut both[1 - first]), "a second session");
        // The first one has had it too.
        assert!(!comes(&mut both[first]));
    }
}

const FOUR: [&str; 4] = ["north", "south", "east", "west"];

/// A client that ignores its cookies sends one ticket to four data centres.
fn sent_to_four(house: &House, ticket: Option<&String>) {
    for pop in FOUR {
        house.go_to_pop_called(pop);
        let mut copy = Visitor::holding(house, ticket.cloned());
        assert!(copy.ask("/echo").inside, "{pop}");
    }
    house.go_to_pop_called(POPS[0]);
}

/// The first ticket of the first visitor goes to four data centres every six seconds, while the others are away.
fn sent_on(house: &House, time: Duration, ticket: Option<&String>) {
    let end_ms = house.now_ms() + u64::try_from(time.as_millis()).unwrap();
    while house.now_ms() < end_ms {
        sent_to_four(house, ticket);
        house.wait(Duration::from_secs(6));
    }
}

#[test]
fn an_admitted_ticket_sent_to_four_data_centres_holds_one_slot() {
    let house = easy();
    house.set("session_minutes", "5");
    house.set("total_active", "4");
    let mut all = visitors(&house, 4);
    assert_eq!(inside(&mut all), [true; 4]);
    assert_eq!(taken(&house), 4);
    let first = all[0].ticket.clone();
    sent_on(&house, Duration::from_mins(4), first.as_ref());
    assert_eq!(taken(&house), 4, "the others may come back until now");
    sent_on(&house, Duration::from_mins(4), first.as_ref());
    assert_eq!(taken(&house), 1, "the others are gone");
    house.wait(SEEN);
    let mut next = visitors(&house, 3);
    for visitor in &mut next {
        assert!(visitor.ask("/echo").inside);
        house.wait(SEEN);
    }
}

/// Its visitor went in before there was a cap, so no claim says whose session it is.
#[test]
fn a_ticket_from_before_the_cap_holds_one_slot_in_four_data_centres() {
    let house = easy();
    let mut all = visitors(&house, 2);
    assert_eq!(inside(&mut all), [true; 2]);
    house.set("session_minutes", "5");
    house.set("total_active", "10");
    for pop in FOUR {
        house.go_to_pop_called(pop);
        house.forget_the_sign();
        Visitor::new(&house).ask("/echo");
    }
    let first = all[0].ticket.clone();
    for _ in 0..9 {
        sent_on(&house, Duration::from_mins(1), first.as_ref());
        let others = 4;
        assert!(taken(&house) <= others + 1, "{}", taken(&house));
    }
    assert_eq!(taken(&house), 1, "the others are gone");
}

/// Data centres that have not heard of it tell more of the session, and of no other visitor's.
#[test]
fn a_session_that_was_ended_holds_no_slot_whatever_data_centres_tell_of_it() {
    let house = easy();
    house.set("session_minutes", "5");
    house.set("total_active", "4");
    let mut all = visitors(&house, 3);
    assert_eq!(inside(&mut all), [true; 3]);
    let first = all[0].ticket.clone();
    sent_on(&house, Duration::from_secs(150), first.as_ref());
    // Each of them counts it once more in this minute, and tells that after the end.
    house.wait_for_period(60);
    sent_to_four(&house, first.as_ref());
    let ended = pass(&house, &Visitor::holding(&house, first));
    assert_eq!(end(&house, &[ended])["ended"], 1);
    assert_eq!(taken(&house), 2, "at once");
    for pop in FOUR {
        house.go_to_pop_called(pop);
        let got = house.ask(&Ask::get("/_queue/metrics").operator());
        assert_eq!(got.status, 200, "{got:?}");
    }
    assert_eq!(taken(&house), 2, "and from then on");
    house.wait(SEEN);
    assert!(all[1].ask("/echo").inside);
    house.wait(SEEN);
    all[1].ask("/echo");
    house.wait(Duration::from_mins(4));
    assert_eq!(taken(&house), 1, "the third is gone, the second is not");
}

/// A room with slots and a pace of its own, and visitors in line whom a permit has called.
fn called(house: &House, slots: u64, many: usize) -> Vec<Visitor<'_>> {
    house.set("claim_seconds", "10");
    house.set("total_active", &slots.to_string());
    house.warm();
    let mut line = visitors(house, many);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(slots);
    house.wait(SEEN);
    line
}

fn polled(visitor: &mut Visitor<'_>) -> Value {
    visitor.ask("/_queue/place").json()
}

/// What a page brings along while its visitor waits.
fn picture(visitor: &mut Visitor<'_>) {
    let ask = Ask::get("/echo").with("sec-fetch-dest", "image");
    visitor.send(ask.with("accept", "image/*"));
}

#[test]
fn tickets_that_only_poll_hold_no_slot() {
    for asks in [|visitor: &mut Visitor<'_>| drop(polled(visitor)), picture] {
        let house = House::native();
        let mut line = called(&house, 3, 4);
        let (bots, person) = line.split_at_mut(3);
        for _ in 0..60 {
            bots.iter_mut().for_each(asks);
            polled(&mut person[0]);
            assert_eq!(taken(&house), 0);
            house.wait(Duration::from_secs(5));
        }
        house.permit(1);
        house.wait(SEEN);
        assert!(person[0].ask("/echo").inside, "their promises are back");
    }
}

#[test]
fn a_poll_says_that_a_slot_is_free_and_the_page_takes_it() {
    let house = House::native();
    let mut line = called(&house, 1, 2);
    assert_eq!(
        polled(&mut line[0]),
        json!({ "waiting": false, "claim": true })
    );
    assert_eq!(taken(&house), 0, "by the poll");
    assert!(line[0].ask("/echo").inside);
    assert_eq!(taken(&house), 1, "by the page");
    house.wait(SEEN);
    assert_eq!(polled(&mut line[1])["waiting"], true);
}

/// The page loads where its poll says so, and only there.
#[test]
fn one_of_many_late_visitors_who_poll_takes_a_slot_that_is_free() {
    let house = House::native();
    house.set("session_minutes", "2");
    let mut line = called(&house, 20, 20);
    // None of them came in time; then there is one slot.
    house.wait(Duration::from_secs(30));
    house.set("total_active", "1");
    house.permit(1);
    let mut came = Vec::new();
    for _ in 0..40 {
        house.wait(Duration::from_secs(4));
        for (number, visitor) in line.iter_mut().enumerate() {
            if polled(visitor)["waiting"] == false && visitor.ask("/echo").inside {
                came.push(number);
            }
        }
        assert!(taken(&house) <= 1);
    }
    assert!(!came.is_empty(), "the slot stays free");
}

#[test]
fn no_visit_lasts_longer_than_the_longest_stay() {
    let house = easy();
    house.set("session_minutes", "2");
    house.set("longest_stay_minutes", "5");
    house.set("total_active", "1");
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/echo").inside);
    let first = visitor.ticket.clone();
    for minute in 1..=5 {
        house.wait(Duration::from_mins(1));
        assert!(visitor.ask("/echo").inside, "{minute}");
        house.go_to_pop_called(POPS[1]);
        visitor.ask("/");
        house.go_to_pop_called(POPS[0]);
    }
    house.wait(Duration::from_mins(1));
    // The slot is free with the end of the stay, and another visitor takes it.
    tell(&house);
    assert_eq!(taken(&house), 0);
    house.wait(SEEN);
    assert!(Visitor::new(&house).ask("/echo").inside);
    house.wait(SEEN);
    for pop in POPS {
        house.go_to_pop_called(pop);
        for ticket in [&visitor.ticket, &first] {
            let mut copy = Visitor::holding(&house, ticket.clone());
            let told = copy.ask("/").json();
            assert_eq!(told["notice"], "stay_over", "{pop}: {told}");
        }
    }
    assert_eq!(taken(&house), 1);
}

/// A visitor was inside for hours when the cap came: the stay counts from there.
#[test]
fn a_longest_stay_throws_no_visitor_out_when_the_cap_begins() {
    for (longest, stays) in [("5", false), ("0", true)] {
        let house = easy();
        house.set("session_minutes", "2");
        house.set("longest_stay_minutes", longest);
        let mut visitor = Visitor::new(&house);
        assert!(visitor.ask("/echo").inside);
        house.wait(Duration::from_hours(3));
        house.set("total_active", "10");
        house.forget_the_sign();
        Visitor::new(&house).ask("/echo");
        for minute in 0..5 {
            assert!(visitor.ask("/echo").inside, "{minute}");
            house.wait(Duration::from_mins(1));
        }
        house.wait(Duration::from_mins(1));
        let number =
            |visitor: &Visitor<'_>| claims(visitor.ticket.as_deref().unwrap())["pos"].clone();
        let had = number(&visitor);
        visitor.ask("/echo");
        assert_eq!(number(&visitor) == had, stays, "{longest}");
    }
}
