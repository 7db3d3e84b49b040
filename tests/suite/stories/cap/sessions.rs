//! Sessions: how long a visitor stays inside, and what comes after.

use std::time::Duration;

use serde_json::json;

use super::{cap, counted, line, page, place, session};
use crate::house::{Ask, House, Visitor, claims, inside};

// These stories need minutes.
in_houses_whose_clock_is_turned! {
    a_visitor_who_comes_each_minute_stays_inside_for_free
    parallel_requests_after_a_session_draw_one_number
    a_data_centre_without_a_sign_lets_a_visitor_inside_go_on
    without_a_sound_configuration_a_session_goes_on
}

const MINUTE: Duration = Duration::from_mins(1);
/// What follows an answer may take a busy machine some of these.
const MOMENT: Duration = Duration::from_millis(50);
const OVER: &str = "Your visit ended, since you were away for a while. Your new number is ";
const USED: &str = "Your earlier number has already been used to go in. Your new number is ";

/// A part of a page.
fn picture() -> Ask {
    Ask::get("/echo")
        .with("sec-fetch-dest", "image")
        .with("accept", "image/*")
}

/// A visitor inside, in front of as many who wait, and the ticket with which this visitor waited.
fn let_in(house: &House, waiting: usize) -> (Visitor<'_>, Option<String>) {
    let mut line = line(house, waiting + 1);
    house.permit(1);
    let mut first = line.remove(0);
    let before = first.ticket.clone();
    assert!(first.ask("/echo").inside);
    (first, before)
}

fn a_visitor_who_comes_each_minute_stays_inside_for_free(house: &House) {
    house.set("session_minutes", "5");
    cap(house, 10);
    let (mut visitor, _) = let_in(house, 1);
    house.wait_for_period(60);
    for minute in 0..15 {
        house.wait(Duration::from_millis(59_300));
        let got = visitor.send(picture());
        assert_eq!((got.inside, got.ticket()), (true, None), "{minute}");
        house.wait(Duration::from_millis(700));
        let got = visitor.send(picture());
        assert_eq!(
            (got.inside, got.ticket()),
            (true, None),
            "a picture of {minute}"
        );
        let calls = house.calls(|| {
            let got = visitor.ask("/echo");
            assert!(got.inside, "{minute}");
            assert!(got.ticket().is_some(), "{minute}: the session ends later");
            let got = visitor.ask("/echo");
            assert_eq!((got.inside, got.ticket()), (true, None), "once a minute");
        });
        assert_eq!(calls, 0, "{minute}");
        assert_eq!(session(&visitor), house.now_ms() / 60_000 + 5);
    }
    house.wait(Duration::from_secs(2));
    visitor.ask("/echo");
    assert_eq!(counted(house), (1, 0));
    let log = house.log();
    let reasons = log.iter().filter_map(|line| line["reason"].as_str());
    let after: Vec<_> = reasons.skip_while(|reason| *reason != "admitted").collect();
    assert!(after.len() > 60, "{}", after.len());
    assert!(
        after[1..].iter().all(|reason| *reason == "inside"),
        "{after:?}"
    );
}

pub(crate) fn after_a_session_the_visitor_is_at_the_back_and_reads_why(house: &House) {
    house.set("session_minutes", "2");
    cap(house, 10);
    let (mut visitor, before) = let_in(house, 2);
    let of_the_session = visitor.ticket.clone();
    house.wait(4 * MINUTE);
    // The page that is still open shows nothing of it, and a picture neither draws nor takes the ticket away.
    let got = visitor.send(picture());
    assert_eq!((got.inside, got.ticket()), (false, None));
    assert_eq!(place(&mut visitor)["ticket"], "ended");
    let shown = page(&mut visitor, "/").body;
    assert!(shown.contains(OVER), "{shown}");
    let told = visitor.ask("/").json();
    assert_eq!(
        [&told["position"], &told["ahead"], &told["notice"]],
        [&json!(4), &json!(2), &json!("session_over")]
    );
    let id = |ticket: &Option<String>| claims(ticket.as_deref().unwrap())["sub"].clone();
    assert_ne!(id(&visitor.ticket), id(&before), "another ticket");
    assert!(!visitor.send(picture()).inside);

    let mut replayed = Visitor::holding(house, before);
    let told = replayed.ask("/").json();
    assert_eq!(
        [&told["position"], &told["notice"]],
        [&json!(5), &json!("ticket_used")]
    );
    let shown = page(&mut replayed, "/").body;
    assert!(shown.contains(USED), "{shown}");

    house.permit(2);
    house.wait(Duration::from_secs(3));
    let mut replayed = Visitor::holding(house, of_the_session);
    let got = replayed.ask("/echo");
    assert!(!got.inside, "the old session opens nothing");
    house.permit(1);
    let came = (0..5).any(|_| visitor.ask("/echo").inside);
    assert!(came, "the new number has its turn");
}

/// A tab that wakes up sends several requests at once, all with the same ticket.
fn parallel_requests_after_a_session_draw_one_number(house: &House) {
    house.set("session_minutes", "2");
    super::at_a_large_pace(house);
    cap(house, 10);
    let mut first = Visitor::new(house);
    assert!(first.ask("/echo").inside);
    house.wait(4 * MINUTE);
    let ticket = first.ticket.clone();
    for _ in 0..6 {
        let mut tab = Visitor::holding(house, ticket.clone());
        assert!(tab.ask("/echo").inside, "a slot is free");
    }
    assert_eq!(counted(house), (1, 0));
}

pub(crate) fn programs_and_forms_renew_a_session_as_pages_do(house: &House) {
    house.set("session_minutes", "3");
    cap(house, 10);
    let (mut visitor, _) = let_in(house, 1);
    let fetch = || {
        Ask::get("/echo")
            .json()
            .with("sec-fetch-site", "same-origin")
            .with("sec-fetch-mode", "cors")
            .with("sec-fetch-dest", "empty")
    };
    let post = || fetch().method("POST").body("application/json", "{}");
    for ask in [fetch(), post(), fetch(), post()] {
        house.wait(2 * MINUTE);
        // Where no board is left, the first request brings one.
        visitor.send(picture());
        let renewed = (0..20).any(|_| {
            house.wait(MOMENT);
            let got = visitor.send(ask.clone());
            assert!(got.inside, "{ask:?}");
            got.ticket().is_some()
        });
        assert!(renewed, "{ask:?}");
    }
    house.wait(5 * MINUTE);
    let told = visitor.send(post());
    assert!(!told.inside);
    assert_eq!(
        [&told.json()["notice"], &told.json()["sent"]],
        [&json!("session_over"), &json!(false)]
    );
}

/// A bank's form brings the twin alone, and can be given no cookie.
pub(crate) fn a_form_of_another_site_goes_in_while_the_session_lasts(house: &House) {
    house.set("session_minutes", "3");
    cap(house, 10);
    let mut visitor = line(house, 1).remove(0);
    house.permit(1);
    let twin = visitor.ask("/echo").twin().unwrap();
    assert_eq!(visitor.ticket.as_ref(), Some(&twin), "of the session");
    let form = || {
        let form = Ask::get("/echo")
            .method("POST")
            .with("sec-fetch-site", "cross-site")
            .with("sec-fetch-mode", "navigate")
            .with("sec-fetch-dest", "document")
            .with("origin", "https://bank.example");
        form.body("application/x-www-form-urlencoded", "paid=1")
            .with("cookie", format!("queue-post={twin}"))
    };
    house.wait(2 * MINUTE);
    for _ in 0..3 {
        let got = house.ask(&form());
        assert!(got.inside, "{got:?}");
        assert_eq!(got.all("set-cookie"), Vec::<&str>::new());
    }
    house.wait(4 * MINUTE);
    let got = house.ask(&form());
    assert!(!got.inside && got.body.contains("was not delivered"));
    assert_eq!(got.all("set-cookie"), Vec::<&str>::new());
    assert_eq!(house.numbers("main").1, 1, "and draws nothing");
}

fn a_data_centre_without_a_sign_lets_a_visitor_inside_go_on(house: &House) {
    house.set("session_minutes", "5");
    cap(house, 10);
    let (mut visitor, _) = let_in(house, 1);
    for minute in 0..6 {
        house.wait(MINUTE);
        house.go_to_pop(1 + minute);
        let got = visitor.ask("/echo");
        assert_eq!(
            (got.inside, got.ticket()),
            (true, None),
            "not judged without a sign"
        );
        let got = visitor.ask("/echo");
        assert!(
            got.inside && got.ticket().is_some(),
            "renewed by the sign of {minute}"
        );
        house.wait(Duration::from_secs(2));
        visitor.ask("/echo");
    }
    assert_eq!(counted(house), (1, 0));
}

fn without_a_sound_configuration_a_session_goes_on(house: &House) {
    house.set("session_minutes", "2");
    cap(house, 10);
    let (mut visitor, _) = let_in(house, 1);
    house.set("automatic", "often");
    for _ in 0..5 {
        house.wait(MINUTE);
        assert!(visitor.ask("/echo").inside);
    }
    house.set("automatic", "0");
    house.wait(MINUTE);
    let got = visitor.ask("/echo");
    assert!(got.inside, "the visitor was never away: {got:?}");
    assert!(got.ticket().is_some(), "and the ticket says so from now on");
    house.wait(Duration::from_secs(2));
    visitor.ask("/echo");
    assert_eq!(counted(house), (1, 0));
}

/// A longer session counts from each visitor's next visit, and a shorter one throws no visitor out at once.
pub(crate) fn a_new_length_counts_from_the_next_visit(house: &House) {
    house.set("session_minutes", "8");
    cap(house, 10);
    let mut both = line(house, 2);
    house.permit(2);
    assert_eq!(inside(&mut both), [true; 2]);
    let [visitor, other] = &mut both[..] else {
        panic!("two");
    };
    let is_shown = |visitor: &mut Visitor<'_>| {
        house.forget_the_sign();
        assert!(visitor.ask("/echo").inside);
    };
    house.set("session_minutes", "2");
    is_shown(visitor);
    house.wait(5 * MINUTE);
    assert!(visitor.ask("/echo").inside, "it began with eight minutes");
    house.set("session_minutes", "20");
    is_shown(visitor);
    let renewed = |_| {
        house.wait(MOMENT);
        visitor.ask("/echo").ticket().is_some()
    };
    assert!((0..20).any(renewed));
    let end = session(visitor).as_u64().unwrap();
    assert!(end >= house.now_ms() / 60_000 + 19, "{end}");
    house.wait(10 * MINUTE);
    assert!(visitor.ask("/echo").inside);
    let told = other.ask("/").json();
    assert_eq!(told["notice"], "session_over", "it was away");
}

/// The ticket lives as long as the session, however short a ticket's life is without a cap.
pub(crate) fn a_session_outlives_a_shorter_life_of_tickets(house: &House) {
    house.set("cookie_expiry", "60");
    house.set("session_minutes", "6");
    cap(house, 10);
    let (mut visitor, _) = let_in(house, 1);
    for _ in 0..2 {
        house.wait(4 * MINUTE);
        let got = visitor.ask("/echo");
        assert!(got.inside, "{got:?}");
        let renewed = |_| {
            house.wait(MOMENT);
            visitor.ask("/echo").ticket().is_some()
        };
        assert!(got.ticket().is_some() || (0..20).any(renewed));
    }
    house.wait(8 * MINUTE);
    assert_eq!(visitor.ask("/").json()["notice"], "session_over");
}
