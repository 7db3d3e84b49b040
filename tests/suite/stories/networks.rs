//! How many numbers one network may draw, and what a visitor above that does for one.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, Visitor, claims, visitors};

/// Every draw counts from here on: the room has a line, and its network has drawn as many numbers as it may.
const DRAWS: u64 = 2;
/// How many digests the first number above the bound takes on average.
const FIRST: u64 = 1 << 20;

/// The first number that answers a challenge.
pub(crate) fn calculated(challenge: &Value) -> String {
    let text = challenge["text"].as_str().unwrap();
    let tries = challenge["tries"].as_u64().unwrap();
    let mut begun = hmac_sha256::Hash::new();
    begun.update(format!("{text}:"));
    let mut digits = vec![b'0'];
    while !is_solved(begun, &digits, tries) {
        let last = digits.iter().rposition(|digit| *digit < b'9');
        match last {
            Some(at) => digits[at] += 1,
            None => digits.insert(0, b'1'),
        }
        let after = last.map_or(1, |at| at + 1);
        digits[after..].fill(b'0');
    }
    String::from_utf8(digits).unwrap()
}

fn is_solved(mut begun: hmac_sha256::Hash, digits: &[u8], tries: u64) -> bool {
    begun.update(digits);
    let first = u64::from_be_bytes(*begun.finalize().first_chunk().unwrap());
    first < u64::MAX / tries
}

/// How many times the calculation of the first one above the bound is asked for.
fn times(challenge: &Value) -> u64 {
    challenge["tries"].as_u64().unwrap() / FIRST
}

/// Sends an answer, as a browser or an app does.
pub(crate) fn sent(text: &str, answer: &str) -> Ask {
    let query = form(&[("text", text), ("answer", answer), ("to", "/")]);
    Ask::get(&format!("/_queue/challenge?{query}"))
}

fn form(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("&")
}

/// A room whose visitors all come from one network.
pub(crate) fn bound(house: &House) {
    house.warm();
    house.set("network_bound", "challenge");
    house.set("network_draws", &DRAWS.to_string());
    for (visitor, number) in visitors(house, 2).iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
}

pub(crate) fn challenged(visitor: &mut Visitor<'_>) -> Value {
    let got = visitor.ask("/");
    assert_eq!(got.json()["position"], Value::Null, "{got:?}");
    assert_eq!(
        got.header("retry-after"),
        got.json()["refresh_seconds"].to_string()
    );
    got.json()["challenge"].clone()
}

/// One for each time that [`House::is_free`] tells a story which happens to a visitor once.
pub(crate) fn already_challenged(house: &House) -> Vec<Visitor<'_>> {
    let mut all = visitors(house, 5);
    for visitor in &mut all {
        challenged(visitor);
    }
    all
}

/// The answer that is right, and what came back.
fn solved(visitor: &mut Visitor<'_>) -> (Ask, Got) {
    let challenge = challenged(visitor);
    let ask = sent(challenge["text"].as_str().unwrap(), &calculated(&challenge));
    let got = visitor.send_once(ask.clone());
    assert_eq!((got.status, got.header("location")), (303, "/"), "{got:?}");
    (ask, got)
}

pub(crate) fn number(visitor: &mut Visitor<'_>) -> Value {
    visitor.ask("/").json()["position"].clone()
}

pub(crate) fn draws_above_the_bound_of_a_network_are_counted(house: &House) {
    house.set("network_bound", "observe");
    house.set("network_draws", "3");
    let mut all = visitors(house, 5);
    let positions: Vec<Value> = all.iter_mut().map(number).collect();
    assert_eq!(positions, [1, 2, 3, 4, 5]);
    let polled: Vec<Value> = all.iter_mut().map(number).collect();
    assert_eq!(polled, positions, "a poll draws nothing");
    let above = |line: &&Value| line["aboveNetworkBound"] == "drawn";
    assert_eq!(house.log().iter().filter(above).count(), 2);
}

pub(crate) fn a_visitor_above_the_bound_gets_a_number_for_a_calculation(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    assert_eq!(challenged(&mut visitor)["answer_to"], "/_queue/challenge");
    assert!(
        house.is_free(|| drop(challenged(&mut visitor))),
        "no store is asked again"
    );
    let mut asked = already_challenged(house);
    assert!(
        house.is_free(|| {
            visitor = asked.pop().unwrap();
            solved(&mut visitor);
        }),
        "nor for the answer"
    );
    let lines = house.log();
    let reasons: Vec<&Value> = lines.iter().map(|line| &line["reason"]).collect();
    assert!(reasons.contains(&&json!("challenged")), "{reasons:?}");
    assert!(reasons.contains(&&json!("solved")), "{reasons:?}");
    assert_eq!(number(&mut visitor), 3);
    assert_eq!(number(&mut visitor), 3);
    challenged(&mut Visitor::new(house));
}

pub(crate) fn an_answer_is_worth_one_number(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    challenged(&mut visitor);
    let before = visitor.ticket.clone();
    let (ask, _) = solved(&mut visitor);
    assert_eq!(number(&mut visitor), 3);
    let mut copies = [(); 2].map(|()| Visitor::holding(house, before.clone()));
    for copy in &mut copies {
        let again = copy.send_once(ask.clone());
        assert_eq!(again.status, 303, "{again:?}");
        assert_eq!(number(copy), 3, "the same number");
    }
    let used = visitor.send_once(ask.clone());
    assert_eq!(
        (used.status, used.ticket()),
        (303, None),
        "with a number it does nothing"
    );
    let mut other = Visitor::new(house);
    challenged(&mut other);
    let refused = other.send_once(ask.clone());
    assert_eq!(
        (refused.status, refused.ticket()),
        (303, None),
        "of another ticket"
    );
    challenged(&mut other);
    house.wait(Duration::from_hours(1));
    let mut late = Visitor::holding(house, before);
    assert_eq!(late.send_once(ask).ticket(), None, "its time is over");
}

/// Both have calculated for the first number above the bound.
pub(crate) fn each_number_of_a_network_above_its_bound_is_dearer_than_the_one_before(
    house: &House,
) {
    bound(house);
    let mut all = [(); 3].map(|()| Visitor::new(house));
    let asked = all.each_mut().map(|visitor| times(&challenged(visitor)));
    assert_eq!(asked, [1, 1, 1], "as long as none is drawn");
    let [first, second, third] = &mut all;
    solved(first);
    solved(second);
    assert_eq!(number(first), 3);
    let asked = challenged(second);
    assert_eq!(times(&asked), 1, "what was calculated counts");
    solved(second);
    assert_eq!(number(second), 4);
    assert_eq!(times(&challenged(third)), 1, "as the page was given to it");
    solved(third);
    assert_eq!(times(&challenged(third)), 2, "and two more by now");
    let mut late = Visitor::new(house);
    assert_eq!(times(&challenged(&mut late)), 3);
}

/// Copies of a ticket may calculate for challenges of several moments.
pub(crate) fn one_ticket_draws_one_number_for_any_number_of_answers(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    challenged(&mut visitor);
    let before = visitor.ticket.clone();
    solved(&mut visitor);
    assert_eq!(number(&mut visitor), 3);
    for _ in 0..2 {
        house.wait(Duration::from_secs(200));
        let mut copy = Visitor::holding(house, before.clone());
        solved(&mut copy);
        assert_eq!(number(&mut copy), 3, "the same number");
    }
}

pub(crate) fn a_visitor_far_above_the_bound_reads_how_long_the_calculation_takes(house: &House) {
    bound(house);
    house.set("network_bound", "observe");
    for mut visitor in visitors(house, 57) {
        visitor.ask("/");
    }
    house.set("network_bound", "challenge");
    let mut visitor = Visitor::new(house);
    let page = visitor.send(Ask::get("/shop"));
    assert!(
        page.body.contains("on a phone it takes about 5 minutes"),
        "{}",
        page.body
    );
    assert!(
        page.body.contains("continues by itself in 10 minutes"),
        "{}",
        page.body
    );
    assert_eq!(times(&challenged(&mut visitor)), 58);
}

pub(crate) fn a_wrong_answer_is_refused_and_says_what_is_accepted(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    let challenge = challenged(&mut visitor);
    let text = challenge["text"].as_str().unwrap();
    let mut answers = (0..).map(|number| format!("no-{number}"));
    let answer = answers.next().unwrap();
    let wrong = visitor.send_once(sent(text, &answer));
    let detail = format!(
        "answer is \"{answer}\"; accepted is one with which the first 64 bits of SHA-256 of text:answer are below 2^64 / {FIRST}"
    );
    assert_eq!(
        (wrong.status, &wrong.json()["detail"]),
        (400, &json!(detail))
    );
    let (begin, last) = text.split_at(text.len() - 1);
    let forged = format!("{begin}{}", if last == "x" { "y" } else { "x" });
    let refused = visitor.send_once(sent(
        &forged,
        &calculated(&json!({ "text": forged, "tries": FIRST })),
    ));
    assert_eq!(
        (refused.status, refused.ticket()),
        (303, None),
        "{refused:?}"
    );
    let elsewhere = Ask::get("/_queue/challenge?text=a&answer=b&to=//evil.example");
    assert_eq!(visitor.send_once(elsewhere).status, 400);
    for query in ["", "text=a&", "answer=b&"] {
        let half = Ask::get(&format!("/_queue/challenge?{query}to=/"));
        assert_eq!(visitor.send_once(half).status, 400, "{query}");
    }
    let without_a_ticket = house.ask(&sent(text, &calculated(&challenge)));
    assert!(
        without_a_ticket
            .header("location")
            .starts_with("/_queue/cookies?try=1")
    );
    assert_eq!(number(&mut visitor), Value::Null);
}

pub(crate) fn a_visitor_who_does_not_calculate_waits_ten_minutes_instead(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    let page = visitor.send(Ask::get("/shop"));
    assert_eq!(page.header("refresh"), "600; url=/shop");
    assert!(
        page.body.contains("continues by itself in 10 minutes"),
        "{}",
        page.body
    );
    house.wait(Duration::from_secs(590));
    challenged(&mut visitor);
    let mut copy = Visitor::holding(house, visitor.ticket.clone());
    house.wait(Duration::from_secs(12));
    assert_eq!(number(&mut visitor), 3);
    assert_eq!(number(&mut copy), 3);
}

pub(crate) fn visitors_who_wait_side_by_side_draw_one_after_the_other(house: &House) {
    bound(house);
    let mut all = [(); 3].map(|()| Visitor::new(house));
    for (visitor, wait) in all.iter_mut().zip([600, 660, 720]) {
        challenged(visitor);
        let told = visitor.ask("/").json()["refresh_seconds"].as_u64().unwrap();
        assert!((wait - 20..=wait).contains(&told), "{told} of {wait}");
    }
    house.wait(Duration::from_secs(602));
    assert_eq!(number(&mut all[0]), 3);
    for visitor in &mut all[1..] {
        assert_eq!(number(visitor), Value::Null, "not yet");
    }
    house.wait(Duration::from_secs(62));
    assert_eq!(number(&mut all[1]), 4);
    assert_eq!(number(&mut all[2]), Value::Null);
}

pub(crate) fn a_visitor_who_comes_late_after_the_wait_holds_no_other_of_the_network_up(
    house: &House,
) {
    bound(house);
    let mut all = [(); 3].map(|()| Visitor::new(house));
    for visitor in &mut all {
        challenged(visitor);
    }
    let [first, second, third] = &mut all;
    house.wait(Duration::from_secs(655));
    assert_eq!(number(first), 3, "a minute late");
    house.wait(Duration::from_secs(7));
    assert_eq!(number(second), 4, "in its minute");
    house.wait(Duration::from_secs(350));
    assert_eq!(number(third), 5, "four minutes late and more");
}

pub(crate) fn a_challenge_that_was_solved_outlives_trouble_of_the_store(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    solved(&mut visitor);
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert_eq!(
        number(&mut visitor),
        Value::Null,
        "the store has drawn, and the answer is lost"
    );
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(number(&mut visitor), 3);
    let mut other = Visitor::new(house);
    solved(&mut other);
    house.store.command(&["FLUSHALL"]).unwrap();
    assert!(number(&mut other).is_u64());
    let ticket = claims(other.ticket.as_deref().unwrap());
    assert_eq!(ticket["above"], Value::Null, "a number needs no leave");
}

pub(crate) fn an_open_room_challenges_no_visitor(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    challenged(&mut visitor);
    house.change("mode", r#"{"mode":"open"}"#);
    house.forget_the_sign();
    assert!(visitor.ask("/echo").inside);
    assert!(Visitor::new(house).ask("/echo").inside);
}

pub(crate) fn an_ended_ticket_above_the_bound_is_challenged_with_one_call(house: &House) {
    bound(house);
    let mut visitor = Visitor::new(house);
    solved(&mut visitor);
    assert_eq!(number(&mut visitor), 3);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let calls = house.calls(|| drop(challenged(&mut visitor)));
    assert_eq!(calls, 1);
    solved(&mut visitor);
    let got = visitor.ask("/").json();
    assert_eq!(
        (&got["position"], &got["notice"]),
        (&json!(4), &json!("line_started_anew"))
    );
}
