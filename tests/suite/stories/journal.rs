//! The journal: what moved the line, chained so that no line can be changed, and named in every ticket.

use std::collections::BTreeSet;
use std::time::Duration;

use audit::{audit, head_of};
use serde_json::Value;
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor, claims, visitors};

fn page(house: &House) -> Value {
    let got = house.ask(&Ask::get("/_queue/journal").operator());
    assert_eq!(got.status, 200, "{got:?}");
    got.json()
}

/// Of each line: what kind it is, from where to where the cursor moved, who moved it and what was asked.
fn told(page: &Value) -> Vec<String> {
    let lines = page["lines"].as_array().unwrap().iter();
    let words = |line: &Value| {
        let words: Vec<&str> = line.as_str().unwrap().split(' ').collect();
        [3, 4, 5, 14, 15].map(|at| words[at]).join(" ")
    };
    lines.map(words).collect()
}

pub(crate) fn the_journal_says_what_moved_the_line_and_hangs_together(house: &House) {
    house.set("automatic", "0");
    for visitor in &mut visitors(house, 4) {
        visitor.ask("/");
    }
    house.permit(2);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.change("message", r#"{"message":"Soon: all sizes"}"#);
    house.change("epoch", &house.word());
    let page = page(house);
    let expected = [
        "begin 0 0 - -",
        "permit 0 2 permit_token 2:2:0",
        "change 2 2 admin mode:hold",
        "change 2 2 admin message:Soon:,all,sizes",
        "end 2 4 admin -",
    ];
    assert_eq!(told(&page), expected);
    assert_eq!(
        (&page["room"], &page["next"]),
        (&house.room().into(), &Value::Null)
    );
    let report = audit(&[&page.to_string()], &[]);
    assert_eq!((report.faults, report.lines), (Vec::new(), 5));
}

pub(crate) fn a_ticket_carries_what_the_journal_had_reached(house: &House) {
    house.set("automatic", "0");
    let mut visitor = Visitor::new(house);
    let token = visitor.ask("/").ticket().unwrap();
    house.permit(1);
    assert!(visitor.ask("/").inside);
    let head = head_of(&token).unwrap();
    assert_eq!(claims(&token)["head"], head.to_string());
    let page = page(house).to_string();
    let found = audit(&[&page], &[head]);
    assert_eq!(found.faults, Vec::<String>::new());
    assert!(
        found.notes[0].contains("when the cursor stood at 0."),
        "{found:?}"
    );
    let later = head_of(visitor.ticket.as_ref().unwrap()).unwrap();
    assert_ne!(later, head, "signed again with the admission");
    assert_eq!(audit(&[&page], &[later]).faults, Vec::<String>::new());
    let other = audit(&[&page.replace("permit", "release")], &[head]);
    assert_ne!(other.faults, Vec::<String>::new());
}

pub(crate) fn what_moves_nothing_is_not_in_the_journal(house: &House) {
    house.set("automatic", "0");
    let mut crowd = visitors(house, 3);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    house.permit(1);
    crowd[0].ask("/");
    let before = page(house);
    for visitor in &mut crowd {
        visitor.ask("/");
        visitor.ask("/_queue/place");
    }
    house.forget_the_sign();
    crowd[1].ask("/");
    house.change("credit", "{}");
    assert_eq!(page(house), before);
}

/// Also where no visitor's number is served by it.
pub(crate) fn every_jump_is_a_line_of_the_journal(house: &House) {
    house.set("automatic", "0");
    let mut crowd = visitors(house, 3);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    for at in [None, Some(2), Some(0)] {
        let ticket = at.and_then(|at: usize| crowd[at].ticket.clone());
        let mut browser = Visitor::holding(house, ticket);
        let sent = browser.send_once(Ask::form("ticket", "act=jump").operator());
        assert_eq!(sent.status, 303, "{sent:?}");
        assert!(browser.ask("/echo").inside);
    }
    let page = page(house);
    let expected = [
        "begin 0 0 - -",
        "permit 0 0 admin jump",
        "permit 0 0 admin jump",
        "permit 0 1 admin jump",
    ];
    assert_eq!(told(&page), expected);
    assert_eq!(
        audit(&[&page.to_string()], &[]).faults,
        Vec::<String>::new()
    );
}

/// A busy site without a line has a line in the journal once in ten seconds, and not one for each visitor.
pub(crate) fn visitors_who_go_straight_in_are_told_together(house: &House) {
    house.set("automatic", "15");
    house.set("automatic_quantity", "100");
    for visitor in &mut visitors(house, 12) {
        assert!(visitor.ask("/").inside);
    }
    let many = told(&page(house)).len();
    assert!((2..=4).contains(&many), "{many} lines");
    house.change("mode", r#"{"mode":"hold"}"#);
    let told = told(&page(house));
    assert_eq!(
        told.last().map(String::as_str),
        Some("change 12 12 admin mode:hold")
    );
    assert!(told[told.len() - 2].ends_with(" 12 - -"), "{told:?}");
}

pub(crate) fn the_journal_is_for_operators_and_read_by_one_call(house: &House) {
    house.set("automatic", "0");
    house.permit(3);
    assert_eq!(house.ask(&Ask::get("/_queue/journal")).status, 401);
    let ask = |query: &str| house.ask(&Ask::get(&format!("/_queue/journal{query}")).operator());
    assert_eq!(house.calls(|| drop(ask(""))), 1);
    let second = ask("?from=2").json();
    assert_eq!(told(&second), ["permit 0 0 permit_token 3:0:3"]);
    let behind = ask("?from=3").json();
    assert_eq!((told(&behind), &behind["head"]), (Vec::new(), &Value::Null));
    for from in ["0", "-1", "two", "", "1.5", "9007199254740993"] {
        let refused = ask(&format!("?from={from}"));
        assert_eq!(refused.status, 400, "{from}");
        let accepted = "accepted is a whole number from 1 to ";
        assert!(refused.body.contains(accepted), "{}", refused.body);
    }
    assert_eq!(
        house
            .ask(&Ask::get("/_queue/journal").operator().method("POST"))
            .status,
        405
    );
}

pub(crate) fn a_query_of_the_journal_is_read_exactly(house: &House) {
    Visitor::new(house).ask("/");
    let asked = |query: &str| house.ask(&Ask::get(&format!("/_queue/journal{query}")).operator());
    for query in ["", "?", "?from=1", "?from=%31"] {
        assert_eq!(asked(query).status, 200, "{query}");
    }
    for (query, told) in [
        ("?from=1&from=2", "\\\"from\\\" is given twice"),
        ("?from=1&from=1", "\\\"from\\\" is given twice"),
        ("?from=1&f%72om=1", "\\\"from\\\" is given twice"),
        ("?form=7", "\\\"form\\\" is unknown; accepted is from"),
        ("?from=1&to=9", "\\\"to\\\" is unknown; accepted is from"),
        ("?from=0", "from is"),
        ("?from=+1", "from is"),
        ("?from", "from is"),
    ] {
        let got = asked(query);
        assert_eq!(got.status, 400, "{query}: {got:?}");
        assert!(got.body.contains(told), "{query}: {}", got.body);
    }
}

/// Faults by which the store has done its work, and no data centre reads the answer.
const LOST: [Fault; 3] = [Fault::DropAnswer, Fault::BrokenJson, Fault::WrongType];

/// Asks while the answer of the store is lost.
fn losing(house: &House, fault: Fault, ask: &Ask) {
    house.store.fail(Faults::always(fault));
    assert_eq!(house.ask(ask).status, 503, "{fault:?}");
    house.store.fail(Faults::none());
}

/// The lines of the journal that the log of this room has.
fn logged(house: &House) -> (String, BTreeSet<String>) {
    let is_noted = |line: &Value| line["reason"] == "noted" && line["room"] == house.room();
    let noted: Vec<Value> = house.lines().into_iter().filter(is_noted).collect();
    let text = |line: &Value| line.as_str().unwrap().to_owned();
    let lines = noted
        .iter()
        .flat_map(|noted| noted["noted"].as_array().unwrap());
    let lines = lines.map(text).collect();
    (
        noted.iter().map(|line| line.to_string() + "\n").collect(),
        lines,
    )
}

/// The lines of the store, once the log has each of them too, and hangs together by itself. What follows an answer is logged a little
/// later.
pub(crate) fn the_log_has_all(house: &House) -> BTreeSet<String> {
    let page = page(house);
    let lines = page["lines"].as_array().unwrap().iter();
    let lines: BTreeSet<String> = lines
        .map(|line| line.as_str().unwrap().to_owned())
        .collect();
    for _ in 0..250 {
        if logged(house).1.is_superset(&lines) {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let (text, logged) = logged(house);
    let missing: Vec<&String> = lines.difference(&logged).collect();
    assert_eq!(missing, Vec::<&String>::new());
    assert_eq!(audit(&[&text], &[]).faults, Vec::<String>::new());
    lines
}

pub(crate) fn what_a_lost_answer_has_written_is_logged_with_the_next_look(house: &House) {
    house.set("automatic", "0");
    let mut crowd = visitors(house, 6);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    for fault in LOST {
        losing(house, fault, &Ask::permit(1));
        losing(
            house,
            fault,
            &Ask::json_to("message", r#"{"message":"Soon"}"#),
        );
        house.forget_the_sign();
        let asked = || drop(crowd[5].ask("/"));
        assert!(house.calls(asked) <= 1, "no call for it");
        assert!(
            the_log_has_all(house)
                .iter()
                .any(|line| line.contains(" permit "))
        );
    }
}

pub(crate) fn the_first_lines_of_all_are_logged_though_their_answer_was_lost(house: &House) {
    house.set("automatic", "0");
    house.warm();
    losing(house, Fault::DropAnswer, &Ask::permit(2));
    losing(
        house,
        Fault::BrokenJson,
        &Ask::json_to("mode", r#"{"mode":"hold"}"#),
    );
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.forget_the_sign();
    visitor.ask("/");
    assert_eq!(the_log_has_all(house).len(), 3);
}

pub(crate) fn an_operator_who_only_looks_brings_the_log_what_it_lacks(house: &House) {
    house.set("automatic", "0");
    house.permit(1);
    losing(house, Fault::WrongType, &Ask::permit(2));
    let status = Ask::get("/_queue/status").operator();
    assert_eq!(house.calls(|| drop(house.ask(&status))), 1);
    assert_eq!(the_log_has_all(house).len(), 3);
}

/// A program that repeats its permit until it is answered has it in the log, whatever the store loses afterwards.
pub(crate) fn a_permit_that_is_answered_to_a_repeat_is_in_the_log_whatever_is_lost_afterwards(
    house: &House,
) {
    house.set("automatic", "0");
    let mut crowd = visitors(house, 6);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    let keyed =
        |number: u64| Ask::permit(number).with("idempotency-key", format!("order-{number}"));
    for (number, fault) in (1..).zip(LOST) {
        losing(house, fault, &keyed(number));
        let again = house.ask(&keyed(number));
        assert_eq!(again.json()["released"], number, "{again:?}");
    }
    house.store.restart_empty();
    house.forget_the_sign();
    crowd[5].ask("/");
    the_log_has_all(house);
    for number in 1..=3 {
        let words = format!(" permit_token {number}:{number}:0");
        assert!(
            logged(house).1.iter().any(|line| line.ends_with(&words)),
            "{number}"
        );
    }
}

/// The store loses everything between the permit and its repeat: the permit is carried out anew, with a line.
pub(crate) fn a_permit_that_was_lost_before_its_repeat_has_a_line_all_the_same(house: &House) {
    house.set("automatic", "0");
    house.permit(1);
    let keyed = Ask::permit(7).with("idempotency-key", "order-7");
    losing(house, Fault::DropAnswer, &keyed);
    house.store.restart_empty();
    let again = house.ask(&keyed);
    assert_eq!(again.status, 200, "{again:?}");
    let lines = the_log_has_all(house);
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with(" permit_token 7:0:7")),
        "{lines:?}"
    );
}
