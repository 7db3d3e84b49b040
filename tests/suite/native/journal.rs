//! What of the journal shows only in a store that is looked into: how long the list grows, and what a loss leaves of it.

use std::time::Duration;

use audit::{audit, audit_from};
use now_serving::queue::RoomName;
use now_serving::queue::journal::{BEGINNING, digest};
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor};
use crate::stories::journal::the_log_has_all;
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

/// On hold the line is kept by its polls, while no line is written.
#[test]
fn the_list_is_kept_as_long_as_the_line_is() {
    let house = House::native();
    let mut visitor = Visitor::new(&house);
    house.set("automatic", "0");
    visitor.ask("/");
    house.change("mode", r#"{"mode":"hold"}"#);
    let key = house.key(":journal");
    house.store.command(&["EXPIRE", &key, "100000"]).unwrap();
    let ttl = || {
        house
            .store
            .command(&["TTL", &key])
            .unwrap()
            .as_u64()
            .unwrap()
    };
    let lines = list(&house).len();
    for _ in 0..13 {
        house.wait(Duration::from_mins(5));
        visitor.ask("/");
    }
    assert_eq!(list(&house).len(), lines, "nothing has moved");
    assert!(ttl() > 150_000, "{}", ttl());
}

/// Tickets, and with them the line, may live for minutes, and a line be kept by polls that note nothing for an hour.
#[test]
fn the_list_of_a_line_of_short_tickets_is_kept_for_two_hours() {
    let house = House::native();
    house.set("automatic", "0");
    house.set("ticket_life", "600");
    house.set("cookie_expiry", "600");
    house.permit(1);
    let told = house.store.command(&["TTL", &house.key(":journal")]);
    assert_eq!(told.unwrap(), 7_200);
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
    let page = page.to_string();
    let whole = audit(&[&page], &[]).faults;
    assert!(
        whole[0].ends_with("check the others by --from 5."),
        "{whole:?}"
    );
    let report = audit_from(5, &[&page], &[]);
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
    let got = Visitor::new(&house).ask("/");
    assert!(!got.inside, "another copy may know of visitors who wait");
    assert_eq!(status(&house)["credit"], 4);
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

/// A data centre that comes to know the line logs what another one wrote and never heard of.
#[test]
fn another_data_centre_logs_what_the_one_that_wrote_it_never_heard_of() {
    let house = House::native();
    house.set("automatic", "0");
    let mut visitor = Visitor::new(&house);
    house.change("mode", r#"{"mode":"hold"}"#);
    visitor.ask("/");
    house.go_to_pop(1);
    house.store.fail(Faults::always(Fault::DropAnswer));
    for number in 0..40 {
        let message = format!(r#"{{"message":"Message {number}"}}"#);
        house.ask(&Ask::json_to("message", &message));
    }
    house.store.fail(Faults::none());
    house.go_to_pop(0);
    for _ in 0..2 {
        house.forget_the_sign();
        visitor.ask("/");
    }
    assert_eq!(the_log_has_all(&house).len(), 42, "a page at a time");
}

/// Nothing is told twice to a data centre that heard it, however many visitors ask there.
#[test]
fn a_line_that_was_heard_is_not_told_again() {
    let house = House::native();
    house.set("automatic", "0");
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    for _ in 0..40 {
        house.permit(1);
        house.forget_the_sign();
        visitor.ask("/");
        Visitor::new(&house).ask("/");
        house.ask(&Ask::get("/_queue/status").operator());
    }
    let many = noted(&house).matches(" permit ").count();
    assert_eq!(many, 40);
}

/// A scraper asks in a data centre where no visitor does, and keeps no copy of the board.
#[test]
fn a_scrape_logs_no_line_that_another_data_centre_wrote() {
    let house = House::native();
    house.permit(3);
    house.go_to_pop_called("LHR");
    let before = noted(&house);
    for _ in 0..5 {
        let got = house.ask(&Ask::get("/_queue/metrics").operator());
        assert_eq!(got.status, 200, "{got:?}");
    }
    assert_eq!(noted(&house), before);
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

/// A page of these lines, each without the digest and the number in front.
fn forged(lines: &[&str]) -> String {
    let (room, mut previous) = (RoomName::new("main"), BEGINNING.to_owned());
    let lines = lines.iter().zip(1..).map(|(line, number)| {
        let line = format!("{previous} {number} {line}");
        previous = digest(&room, &line);
        line
    });
    let lines: Vec<String> = lines.collect();
    json!({ "room": "main", "lines": lines, "head": previous, "next": null }).to_string()
}

const BEGIN: &str = "1800000000000 begin 0 0 0 - 0 -1 0 0 15:5 - - -";
/// Five of sixty are let in.
const RELEASE: &str = "1800000015000 release 0 5 60 - 0 1800000015 0 0 15:5 pace - -";

#[test]
fn a_journal_that_begins_anew_in_its_midst_says_where_and_jumps_nowhere() {
    let with = |line: &str| audit(&[&forged(&[BEGIN, RELEASE, line])], &[]);
    for (line, cursor) in [
        ("1800000016000 begin 0 0 0 - 0 -1 0 0 15:5 - - -", 0),
        (
            "1800000016000 begin 5 5 61 - 0 1800000015 0 0 15:5 - - -",
            5,
        ),
    ] {
        let report = with(line);
        assert_eq!(report.faults, Vec::<String>::new());
        let told = format!("with line 3 the journal began anew at the cursor {cursor},");
        assert!(report.notes[0].contains(&told), "{report:?}");
    }
    for line in [
        "1800000016000 begin 40 40 60 - 0 1800000015 0 0 15:5 - - -",
        "1800000016000 begin 5 40 60 - 0 1800000015 0 0 15:5 - - -",
        "1800000016000 begin 0 5 60 - 0 1800000015 0 0 15:5 - sign -",
        "1800000016000 begin 5 5 60 0:1:1 0 1800000015 0 0 15:5 - - -",
    ] {
        assert!(!with(line).faults.is_empty(), "{line}");
    }
}

/// The service before had no journal.
#[test]
fn a_journal_that_begins_with_a_line_says_that_what_was_is_not_proven() {
    let begin = "1800000000000 begin 40 40 60 - 0 -1 0 0 15:5 - - -";
    let report = audit(&[&forged(&[begin])], &[]);
    assert_eq!(report.faults, Vec::<String>::new());
    let told = "when the line had 60 numbers and the cursor stood at 40.";
    assert!(report.notes[0].contains(told), "{report:?}");
}

/// The document changed from 5 to 50, and the data centre that wrote the release had not read that.
#[test]
fn a_release_by_a_pace_that_the_next_lines_tell_is_noted() {
    let old = "1800000030000 release 5 45 60 - 0 1800000030 10 0 15:5 pace - -";
    let new = |at: u64, pace: &str, rest: &str| {
        format!("{at} release 45 55 60 - 0 1800000030 0 0 15:{pace} pace {rest}")
    };
    let with = |lines: &[&str]| audit(&[&forged(&[&[BEGIN, RELEASE], lines].concat())], &[]);
    let report = with(&[old, &new(1_800_000_031_000, "50", "- -")]);
    assert_eq!(report.faults, Vec::<String>::new());
    let told =
        "line 3: 40 went in, 6 were allowed by the pace that it tells. It keeps to that of line 4:";
    assert!(report.notes[0].contains(told), "{report:?}");
    // Not where it is too many by any pace, long before, or an operator set the pace afterwards.
    let set = "1800000030500 change 45 45 60 - 0 1800000030 10 0 15:50 - admin pace:15:50";
    for lines in [
        vec![old],
        vec![old, &new(1_800_000_031_000, "30", "- -")],
        vec![old, &new(1_800_000_091_000, "50", "- -")],
        vec![old, set, &new(1_800_000_031_000, "50", "- -")],
    ] {
        assert!(!with(&lines).faults.is_empty(), "{lines:?}");
    }
}

#[test]
fn a_release_above_every_budget_is_refused() {
    let with = |line: &str| audit(&[&forged(&[BEGIN, RELEASE, line])], &[]).faults;
    let fits = "1800000030000 release 5 10 60 - 0 1800000030 0 0 15:5 pace - -";
    assert_eq!(with(fits), Vec::<String>::new());
    for line in [
        "1800000030000 release 5 12 60 - 0 1800000030 0 0 15:5 pace - -",
        "1800000015000 release 5 6 60 - 0 1800000015 0 0 15:5 pace - -",
        "1800000030000 straight 5 40 60 - 0 1800000030 0 0 15:5 pace - -",
        "1800000030000 permit 5 10 60 - 0 1800000015 0 0 15:5 pace admin 1:1:0",
    ] {
        assert!(!with(line).is_empty(), "{line}");
    }
}

/// What a reader of the journal can check of what the shop said.
#[test]
fn more_called_than_the_reported_stock_are_refused() {
    let with = |lines: &[&str]| audit(&[&forged(&[&[BEGIN, RELEASE], lines].concat())], &[]).faults;
    let stock = |many: &str| {
        format!("1800000016000 change 5 5 60 - 0 1800000015 0 0 15:5 - shop stock:{many}")
    };
    let five = "1800000030000 release 5 10 60 - 0 1800000030 0 0 15:5 pace - -";
    let group = "1800000031000 permit 10 10 60 front:0:1:3 0 1800000030 0 0 15:5 pace admin 1:1:0";
    let ended = "1800000031000 end 10 60 60 - 0 1800000030 0 0 15:5 - admin -";
    let again = "1800000030500 change 10 10 60 - 0 1800000030 0 0 15:5 - shop stock:1";
    for (many, lines) in [
        ("5", vec![five]),
        ("6", vec![five, group]),
        ("0", vec![]),
        ("-", vec![five, group]),
        // Nobody is called by the end of all tickets, and another report begins anew.
        ("5", vec![five, ended]),
        ("5", vec![five, again, group]),
    ] {
        let lines = [
            vec![stock(many)],
            lines.into_iter().map(str::to_owned).collect(),
        ]
        .concat();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(with(&lines), Vec::<String>::new(), "{many}");
    }
    let faults = with(&[&stock("4"), five]);
    assert_eq!(
        faults,
        ["main: line 3: by line 4 5 were called of a stock of 4."]
    );
    assert_eq!(with(&[&stock("5"), five, group]).len(), 1);
}

/// Whoever moved it could choose which places the public value gives.
#[test]
fn a_cursor_that_moves_between_a_seal_and_its_lot_is_refused() {
    let seal = "1800000016000 seal 5 5 60 - 0 1800000015 0 0 15:5 - - sale:5:55";
    let set = "1800000017000 change 5 5 60 - 0 1800000015 0 0 15:5 - admin message:Soon";
    let jump = "1800000017000 permit 5 6 60 - 0 1800000015 0 0 15:5 event admin jump";
    let at = |cursor: u64| {
        format!("1800000018000 lot {cursor} {cursor} 60 - 0 1800000015 0 0 15:5 - admin sale:4711")
    };
    let with = |lines: &[&str]| audit(&[&forged(&[&[BEGIN, RELEASE], lines].concat())], &[]).faults;
    assert_eq!(with(&[seal, set, &at(5)]), Vec::<String>::new());
    assert_eq!(with(&[jump]), Vec::<String>::new(), "without a lot");
    let faults = with(&[seal, jump, &at(6)]);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].contains("line 5: the cursor moved between the seal in line 3 and this lot"),
        "{faults:?}"
    );
    // A group has a lot too.
    let front = "1800000017000 permit 5 5 60 front:0:1:3 0 1800000015 0 0 15:5 event admin 1:1:0";
    let lot = "1800000018000 lot 5 5 60 front:1:1:3 0 1800000015 0 0 15:5 - admin sale:4711";
    let seal = "1800000016000 seal 5 5 60 front:0:0:3 0 1800000015 0 0 15:5 - - sale:5:55";
    let faults = with(&[seal, front, lot]);
    let is_told = |fault: &String| fault.contains("the cursor moved between the seal in line 3");
    assert!(faults.iter().any(is_told), "{faults:?}");
}

/// A reader takes the first of two members, or the last.
#[test]
fn a_page_with_a_member_that_stands_twice_is_refused() {
    let page = forged(&[BEGIN, RELEASE]);
    assert_eq!(audit(&[&page], &[]).faults, Vec::<String>::new());
    for twice in [r#""lines":["x"],"#, r#""room":"main","#, r#""head":"x","#] {
        let text = page.replacen('{', &format!("{{{twice}"), 1);
        let faults = audit(&[&page, &text], &[]).faults;
        assert!(
            faults.len() == 1 && faults[0].contains("Text 2 cannot be read: duplicate field"),
            "{faults:?}"
        );
    }
    let two = format!("{page}\n{page}");
    assert_eq!(audit(&[&two], &[]).faults, Vec::<String>::new());
}
