//! The report of a log: what is in it is told once, and what is not in it is not made up.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use audit::report::{Of, report};
use now_serving::page::{NoShows, ShownAs, iso_8601};
use now_serving::queue::journal::{BEGINNING, digest};
use now_serving::queue::{Histogram, RoomName, Sample};
use serde_json::{Value, json};

const MINUTE: u64 = 60_000;
/// The whole minute at which the logs begin.
const START: u64 = 30_000_000 * MINUTE;

/// A log of the room `main`, written line by line.
struct Log {
    lines: Vec<String>,
    head: String,
    number: u64,
    traced: u64,
}

impl Log {
    fn new() -> Self {
        Self {
            lines: Vec::new(),
            head: BEGINNING.to_owned(),
            number: 0,
            traced: 0,
        }
    }

    fn note(&mut self, at_ms: u64, rest: &str) {
        self.number += 1;
        let (kind, rest) = rest.split_once(' ').unwrap();
        let line = format!("{} {} {at_ms} {kind} {rest}", self.head, self.number);
        self.head = digest(&RoomName::new("main"), &line);
        let line = json!({ "schema": 1, "head": self.head, "noted": [line], "reason": "noted", "room": "main", "timestamp": at_ms });
        self.lines.push(line.to_string());
    }

    fn ask(&mut self, at_ms: u64, mut more: Value) {
        self.traced += 1;
        let line = more.as_object_mut().unwrap();
        line.insert("schema".into(), 1.into());
        line.insert("timestamp".into(), at_ms.into());
        line.insert("fastlyTraceId".into(), self.traced.to_string().into());
        line.entry("room").or_insert("main".into());
        line.entry("reason").or_insert("waiting".into());
        self.lines.push(more.to_string());
    }

    fn draw(&mut self, at_ms: u64, number: u64) {
        self.ask(
            at_ms,
            json!({ "visitorPosition": number, "eventPhase": "prequeue" }),
        );
    }

    fn come(&mut self, at_ms: u64, number: u64, waited: u64) {
        self.ask(
            at_ms,
            json!({ "reason": "admitted", "visitorPosition": number, "waitedSeconds": waited, "eventPhase": "open" }),
        );
    }

    fn told(&self, of: Of<'_>) -> (Value, bool) {
        told(&[&self.text()], of)
    }

    fn text(&self) -> String {
        self.lines.join("\n") + "\n"
    }
}

fn told(texts: &[&str], of: Of<'_>) -> (Value, bool) {
    let (report, is_sound) = report(texts, of).unwrap();
    let body = report.shown(ShownAs::Json).body;
    (serde_json::from_slice(&body).unwrap(), is_sound)
}

const ALL: Of<'_> = Of {
    room: "main",
    event: None,
    from_ms: None,
    to_ms: None,
};
const SALE: Of<'_> = Of {
    event: Some("sale"),
    ..ALL
};

fn minutes(told: &Value, rule: &str) -> u64 {
    let all = told["bound_by"].as_array().unwrap();
    let found = all.iter().find(|bound| bound["rule"] == rule);
    found.map_or(0, |bound| bound["minutes"].as_u64().unwrap())
}

/// Ten draw from the first minute on, and from the fifth on one of them is called and comes in each minute, five in all.
fn sale() -> Log {
    let (mut log, opens) = (Log::new(), START + 5 * MINUTE);
    let at = START + 10;
    log.draw(START + 3, 1);
    log.note(at, "begin 0 0 0 - 0 -1 0 0 60:1 - - -");
    log.note(
        at,
        "change 0 0 0 - 0 -1 0 0 60:1 - event:sale phase:prequeue",
    );
    log.note(
        at,
        &format!("event 0 0 0 - 0 -1 0 0 60:1 - - sale:{opens}:arrival"),
    );
    for number in 2..=10 {
        log.draw(START + number * 1000, number);
    }
    for number in 1..=5 {
        let at = opens + (number - 1) * MINUTE + 500;
        let from = number - 1;
        log.note(
            at,
            &format!(
                "release {from} {number} 10 - 0 {} 0 0 60:1 pace - -",
                at / 1000
            ),
        );
        log.come(at + 1000, number, (at - START) / 1000 - number);
    }
    log
}

#[test]
fn lines_that_are_given_twice_are_told_once() {
    let mut log = sale();
    for second in 0..3 {
        log.ask(
            START + 7 * MINUTE + second * 1000,
            json!({ "storeError": "no answer" }),
        );
    }
    let last = START + 8 * MINUTE;
    log.ask(
        last,
        json!({ "reason": "admitted", "waitedSeconds": 4, "visitorPosition": 10, "inversion": "jump" }),
    );
    let text = log.text();
    let once = told(&[&text], SALE);
    assert_eq!(once.0["came"], 6);
    assert_eq!(told(&[&text, &text], SALE), once);
    // By lines of another system, where they end in another way.
    assert_eq!(told(&[&text, &text.replace('\n', "\r\n")], SALE), once);
}

#[test]
fn the_report_goes_to_the_end_of_the_log() {
    let mut log = sale();
    let end = START + 20 * MINUTE;
    log.come(end, 9, 1100);
    let (told, _) = log.told(SALE);
    assert_eq!(told["came"], 6, "{told}");
    assert_eq!(told["to"], iso_8601(end + 1));
    assert_eq!(told["goes_on"], true, "nothing says that it ended");
    // Of the service it is the log, whatever room the last line is about.
    let later = end + MINUTE;
    log.ask(later, json!({ "room": "other" }));
    assert_eq!(log.told(SALE).0["to"], iso_8601(later + 1));
    assert_eq!(log.told(ALL).0["to"], iso_8601(later + 1));
    assert_eq!(log.told(ALL).0["goes_on"], false);
    log.note(
        later,
        "change 5 5 10 - 0 -1 0 0 60:1 - event:sale phase:over",
    );
    assert_eq!(log.told(SALE).0["goes_on"], false);
    let earlier = Of {
        to_ms: Some(end),
        ..SALE
    };
    assert_eq!(log.told(earlier).0["goes_on"], true, "at that time it did");
}

#[test]
fn before_an_opening_the_minutes_of_the_line_are_told() {
    let mut log = sale();
    log.lines.retain(|line| !line.contains(" release "));
    let (told, _) = log.told(SALE);
    assert_eq!(told["arrived"], 10, "{told}");
    assert_eq!(minutes(&told, "event"), 10, "{told}");
}

#[test]
fn who_begins_an_event_is_of_it() {
    let mut log = sale();
    // The request came before the store wrote of it.
    log.come(START + 9, 1, 0);
    let (told, _) = log.told(SALE);
    assert_eq!(told["from"], iso_8601(START + 3));
    assert_eq!((&told["came"], &told["arrived"]), (&json!(6), &json!(10)));
}

#[test]
fn what_a_log_does_not_have_is_said_and_not_taken_for_nothing() {
    let log = sale();
    // It begins in the middle of the line, with the sixth line of the journal.
    let place = log.lines.iter().position(|line| line.contains(" 6 "));
    let text = log.lines[place.unwrap()..].join("\n");
    let texts: &[&str] = &[&text];
    let of = Of {
        from_ms: Some(START),
        to_ms: Some(START + 30 * MINUTE),
        ..ALL
    };
    let (told_of_it, is_sound) = told(texts, of);
    let unknown = told_of_it["unknown"].to_string();
    for said in [
        "The log begins at",
        "The log ends at",
        "before number 6 are missing",
    ] {
        assert!(unknown.contains(said), "{said}: {told_of_it}");
    }
    assert_eq!(minutes(&told_of_it, "waiting"), 0, "{told_of_it}");
    assert_eq!(minutes(&told_of_it, "unheard"), 27, "{told_of_it}");
    assert_eq!(minutes(&told_of_it, "pace"), 3, "{told_of_it}");
    // Who drew before it is none who arrived in it.
    assert_eq!(told_of_it["arrived"], 0);
    assert_eq!(told_of_it["longest_line"]["waiting"], 8);
    // The verdict is that of `now-serving audit` over the same lines.
    let audited = audit::audit(texts, &[]);
    let verdict = told_of_it["journal"].to_string();
    assert_eq!(is_sound, audited.faults.is_empty());
    assert!(verdict.contains(&audited.verdict()), "{verdict}");
    assert!(verdict.contains(&audited.faults[0]), "{verdict}");
    // A time of which the log has nothing at all.
    let long_before = Of {
        from_ms: Some(START - 1440 * MINUTE),
        to_ms: Some(START),
        ..ALL
    };
    let (told_of_it, _) = told(texts, long_before);
    assert_eq!(minutes(&told_of_it, "unheard"), 1440, "{told_of_it}");
    assert_eq!(minutes(&told_of_it, "waiting"), 0, "{told_of_it}");
}

#[test]
fn a_time_may_be_longer_than_a_log_by_any_number_of_years() {
    let log = sale();
    let ever = Of {
        from_ms: Some(0),
        // The last minute of the year 9999.
        to_ms: Some(253_402_300_740_000),
        ..ALL
    };
    let (told_of_it, _) = log.told(ever);
    assert_eq!(told_of_it["arrived"], 10, "{told_of_it}");
    assert_eq!(minutes(&told_of_it, "event"), 10, "{told_of_it}");
    let after = Of {
        from_ms: Some(START + 1440 * MINUTE),
        to_ms: Some(START + 2880 * MINUTE),
        ..ALL
    };
    let (told_of_it, _) = log.told(after);
    assert_eq!(told_of_it["longest_line"], Value::Null, "{told_of_it}");
    assert_eq!(minutes(&told_of_it, "unheard"), 1440, "{told_of_it}");
}

#[test]
fn lines_that_are_missing_in_the_middle_are_said() {
    let mut log = sale();
    log.lines.retain(|line| !line.contains(" 6 "));
    let unknown = log.told(SALE).0["unknown"].to_string();
    assert!(
        unknown.contains("The journal has no line 6, which was written between"),
        "{unknown}"
    );
}

#[test]
fn the_longest_line_is_the_most_at_any_moment() {
    let (mut log, at) = (sale(), START + 12 * MINUTE + 5000);
    for number in 11..=60 {
        log.draw(at + number, number);
    }
    log.note(
        at + 2000,
        &format!(
            "release 5 60 60 - 0 {} 0 0 60:99 pace - -",
            (at + 2000) / 1000
        ),
    );
    let (told, _) = log.told(SALE);
    assert_eq!(told["longest_line"]["waiting"], 55, "{told}");
    assert_eq!(told["longest_line"]["at"], iso_8601(at + 60));
}

#[test]
fn what_changes_nothing_in_the_line_is_nothing_that_operators_did() {
    let (mut log, at) = (sale(), START + 6 * MINUTE);
    let press = |reason: &str, action: &str| json!({ "reason": reason, "operator": "admin", "action": action });
    for _ in 0..3 {
        log.ask(at, press("invitation", "invitation of batch a"));
    }
    log.ask(at, press("changed", "mode hold"));
    log.ask(at, press("permit", "permit 1 of 1"));
    let (told, _) = log.told(SALE);
    let changes = told["changes"].as_array().unwrap();
    let what: Vec<&Value> = changes.iter().map(|change| &change["what"]).collect();
    assert_eq!(what, ["mode hold", "permit 1 of 1"]);
}

#[test]
fn only_what_the_log_says_of_a_plan_is_planned() {
    let mut log = sale();
    let planned = |log: &Log| log.told(SALE).0["planned"].clone();
    let opens = START + 5 * MINUTE;
    let of = |prequeue: Value, closes: Value, pace: Value| json!({ "id": "sale", "prequeue": prequeue, "opens": iso_8601(opens), "closes": closes, "pace": pace });
    assert_eq!(planned(&log), of(Value::Null, Value::Null, Value::Null));
    // What an operator sets while it runs is no plan.
    let note = |at: u64, who: &str, what: &str| {
        (at, format!("change 5 5 10 - 0 -1 0 0 30:9 - {who} {what}"))
    };
    let (at, line) = note(START + 11 * MINUTE, "admin", "pace:30:9");
    log.note(at, &line);
    assert_eq!(planned(&log), of(Value::Null, Value::Null, Value::Null));
    let (at, line) = note(START + 12 * MINUTE, "event:sale", "pace:60:1");
    log.note(at, &line);
    let pace = json!({ "automatic": 60, "automatic_quantity": 1 });
    assert_eq!(planned(&log), of(Value::Null, Value::Null, pace));

    let mut log = Log::new();
    let (begins, closes) = (START - MINUTE, START + 8 * MINUTE);
    log.note(START - 2 * MINUTE, "begin 0 0 0 - 0 -1 0 0 60:1 - - -");
    for what in [
        format!("event:sale:{begins}:{opens}:{closes}:arrival"),
        "pace:60:2".to_owned(),
    ] {
        log.note(
            START - 2 * MINUTE,
            &format!("change 0 0 0 - 0 -1 0 0 60:1 - admin {what}"),
        );
    }
    log.note(
        START,
        &format!("event 0 0 0 - 0 -1 0 0 60:1 - - sale:{opens}:arrival"),
    );
    let pace = json!({ "automatic": 60, "automatic_quantity": 2 });
    let [begins, closes] = [begins, closes].map(|ms| Value::from(iso_8601(ms)));
    assert_eq!(planned(&log), of(begins.clone(), closes, pace));
    let told = log.told(SALE).0;
    assert_eq!((&told["from"], &told["goes_on"]), (&begins, &json!(true)));
    log.ask(START + 9 * MINUTE, json!({}));
    assert_eq!(log.told(SALE).0["goes_on"], false);
}

#[test]
fn a_log_that_is_cut_in_a_line_says_so() {
    let log = sale();
    let text = log.text();
    let (told_of_it, _) = told(&[&text[..text.len() - 20]], SALE);
    assert!(
        told_of_it["unknown"].to_string().contains("is cut off"),
        "{told_of_it}"
    );
    let (told_of_it, _) = told(&[text.trim_end()], SALE);
    assert_eq!(told_of_it["unknown"], json!([]), "{told_of_it}");
}

#[test]
fn presses_near_each_other_share_a_number() {
    let mut log = sale();
    log.ask(START + 60 * MINUTE, json!({}));
    for minute in [5, 5, 6, 40] {
        let press = json!({ "reason": "changed", "operator": "admin", "action": "mode hold" });
        log.ask(START + minute * MINUTE, press);
    }
    let (report, _) = report(&[&log.text()], SALE).unwrap();
    let svg = String::from_utf8(report.shown(ShownAs::Svg).body).unwrap();
    let marks = svg.split("fill=\"#c0392b\">").skip(1);
    let marks: Vec<&str> = marks.filter_map(|mark| mark.split('<').next()).collect();
    assert_eq!(marks, ["1\u{2013}3", "4"]);
    assert_eq!(svg.matches("stroke-dasharray=\"2 3\"").count(), 3);
}

#[test]
fn of_those_who_were_called_before_nobody_is_said_to_have_come_or_not() {
    let minute = |at, waiting, drawn, released| Sample {
        at,
        waiting,
        drawn,
        released,
        ..Sample::default()
    };
    // Fifty waited before, and ninety come of whom nobody knows which.
    let minutes = [minute(0, 100, 50, 0), minute(20, 0, 0, 100)];
    let mut came = Histogram::default();
    for _ in 0..90 {
        came.add(1200);
    }
    assert_eq!(NoShows::by_wait(&minutes, &came), []);
}
