//! What of the journal shows only in a store that is looked into: how long the list grows, and what a loss leaves of it.

use std::time::Duration;

use audit::audit;
use serde_json::Value;

use crate::house::{Ask, House, Visitor};
use crate::stories::lines::status;

fn list(house: &House) -> Vec<String> {
    let key = house.key(":journal");
    let lines = house.store.command(&["LRANGE", &key, "0", "-1"]).unwrap();
    let text = |line: &Value| line.as_str().unwrap().to_owned();
    lines.as_array().unwrap().iter().map(text).collect()
}

/// What the log has of it.
fn noted(house: &House) -> String {
    let lines = house.lines().into_iter();
    let noted = lines.filter(|line| line["reason"] == "noted");
    noted.map(|line| line.to_string() + "\n").collect()
}

#[test]
fn the_list_keeps_ten_thousand_lines_and_is_shortened_by_a_hundred() {
    let house = House::native();
    house.set("automatic", "0");
    house.permit(1);
    let key = house.key(":journal");
    let before = list(&house).len();
    let dummies = vec!["line"; 10_098 - before];
    let push = [&["LPUSH", key.as_str()], &dummies[..]].concat();
    house.store.command(&push).unwrap();
    house.permit(1);
    assert_eq!(list(&house).len(), 10_099);
    house.permit(1);
    let lines = list(&house);
    assert_eq!(lines.len(), 10_000);
    assert!(
        lines[0].contains(" 4 "),
        "the latest is first: {}",
        lines[0]
    );
    let ttl = house.store.command(&["TTL", &key]).unwrap();
    assert!(ttl.as_u64().unwrap() > 86_400, "{ttl}");
}

/// A page that asks for a line which the store has dropped begins with the oldest one.
#[test]
fn a_page_begins_with_the_oldest_line_there_is() {
    let house = House::native();
    house.set("automatic", "0");
    for _ in 0..5 {
        house.permit(1);
    }
    let key = house.key(":journal");
    house.store.command(&["LTRIM", &key, "0", "1"]).unwrap();
    let page = house.ask(&Ask::get("/_queue/journal").operator()).json();
    assert_eq!(page["lines"].as_array().unwrap().len(), 2);
    let report = audit(&[&page.to_string()], &[]);
    assert_eq!(report.faults, Vec::<String>::new());
    assert!(
        report.notes[0].contains("the first line here is number 5."),
        "{report:?}"
    );
}

/// The store comes back with older data in which nothing else is missing: the credit of a permit. Only the journal of a copy shows it.
#[test]
fn a_permit_that_the_store_lost_comes_back_with_a_copy_of_the_sign() {
    let house = House::native();
    house.set("automatic", "0");
    house.permit(1);
    let older = house.store.backup().unwrap();
    house.permit(3);
    assert_eq!(status(&house)["credit"], 4);
    house.store.restart_from(&older);
    Visitor::new(&house).ask("/");
    assert_eq!(
        status(&house)["credit"],
        4,
        "and nothing of it is used while the line settles"
    );
    let report = audit(&[&noted(&house)], &[]);
    assert_eq!(report.faults, Vec::<String>::new());
    let told = "behind line 2 there are 2 lines: the store came back with older data.";
    assert!(
        report.notes.iter().any(|note| note.contains(told)),
        "{report:?}"
    );
}

#[test]
fn a_store_that_lost_all_begins_a_journal_that_names_the_one_before() {
    let house = House::native();
    house.set("automatic", "0");
    house.permit(1);
    house.store.restart_empty();
    house.wait(Duration::from_secs(3));
    Visitor::new(&house).ask("/");
    let lines = list(&house);
    let first = lines.last().unwrap();
    assert!(first.contains(" loss "), "{first}");
    let report = audit(&[&noted(&house)], &[]);
    assert_eq!(report.faults, Vec::<String>::new());
    assert!(
        report.notes[0].ends_with("the journal began anew, after line 2."),
        "{report:?}"
    );
}

/// Of the line alone: the list goes on.
#[test]
fn a_list_that_outlived_the_line_goes_on() {
    let house = House::native();
    house.set("automatic", "0");
    house.permit(1);
    house.store.command(&["DEL", &house.key("")]).unwrap();
    house.permit(1);
    let report = audit(&[&noted(&house)], &[]);
    assert_eq!((report.faults, report.notes), (Vec::new(), Vec::new()));
    assert_eq!(report.lines, 4);
}

/// A key of another type loses lines, and no visitor notices.
#[test]
fn a_journal_of_another_type_stops_nobody() {
    let house = House::native();
    house.set("automatic", "0");
    house
        .store
        .command(&["SET", &house.key(":journal"), "x"])
        .unwrap();
    assert_eq!(house.permit(2)["credit"], 2);
    assert!(Visitor::new(&house).ask("/").inside);
    let got = house.ask(&Ask::get("/_queue/journal").operator());
    assert_eq!(got.status, 503, "it is not read as empty: {got:?}");
}
