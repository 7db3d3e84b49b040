//! The vectors of the rules, as tables: `tests/vectors/` has one file a rule, and `tests/vectors/README.md` says which row of the
//! mission each of them holds.
//!
//! A table is played on the real script, over the embedded store and over a real Redis; `functions/` has the rules that no script
//! has. No table names a field of the store, nor an argument or an answer of the script: a table says what visitors and
//! operators see, so it outlives every change of the state and of the wire.

mod functions;

use std::cell::RefCell;
use std::fs;
use std::time::Duration;

use now_serving::queue::RoomName;
use now_serving::store::upstash::Transport;
use tables::{Case, Ground, Loss, Table, folder, names, read};
use upstash_local::Redis;

use crate::house::Direct;
use crate::rig::store::Copy;
use crate::traces::{embedded, on};

/// A store of the suite's own, in which every case has the one room.
struct Own<'a> {
    store: &'a Direct,
    copy: RefCell<Option<Copy>>,
}

impl<'a> Own<'a> {
    fn new(store: &'a Direct) -> Self {
        let copy = RefCell::new(None);
        Self { store, copy }
    }

    fn run(&self, words: &[&str]) -> Result<(), String> {
        self.store.0.command(words).map(drop)
    }
}

impl Ground for Own<'_> {
    fn store(&self) -> &dyn Transport {
        self.store
    }

    fn room(&self) -> RoomName {
        RoomName::new("main")
    }

    fn begin(&self) -> Result<(), String> {
        self.copy.take();
        self.run(&["FLUSHALL"])
    }

    fn pass(&self, time: Duration) {
        self.store.0.advance(time);
    }

    fn lose(&self, what: Loss) -> Result<(), String> {
        match what {
            // A real Redis has the copy in another database, which stays.
            Loss::Everything if self.store.0.backup().is_none() => {
                self.run(&["EVAL", "redis.call('FLUSHDB')", "0"])
            }
            Loss::Everything => self.run(&["FLUSHALL"]),
            Loss::Line => self.run(&["DEL", "queue:{main}"]),
            Loss::SinceCopy => {
                let copy = self.copy.borrow();
                let copy = copy.as_ref().ok_or("no copy was made: known is back_up")?;
                copy.restore(&self.store.0);
                Ok(())
            }
        }
    }

    fn back_up(&self) -> Result<(), String> {
        self.copy.replace(Some(Copy::of(&self.store.0, 0)));
        Ok(())
    }
}

/// Plays all cases of a table, and tells of every one that fails.
fn hold(name: &str, play: impl Fn(&Table, &Case) -> Result<(), String>) {
    let table = read(name).unwrap();
    let faults: Vec<String> = table
        .cases
        .iter()
        .filter_map(|case| {
            let fault = play(&table, case).err()?;
            Some(format!("{name}.json, {}: {fault}", case.name))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} cases fail\n{}",
        faults.len(),
        table.cases.len(),
        faults.join("\n")
    );
}

/// Plays a table on the script in this store.
fn on_the_script(name: &str, store: &Direct) {
    hold(name, |table, case| match &table.function {
        None => tables::play(case, &Own::new(store)),
        Some(function) => Err(format!("{function:?} is played on no script")),
    });
}

/// Plays a table on the function that it names.
fn on_its_function(name: &str) {
    hold(name, |table, case| match &table.function {
        Some(function) => functions::play(function, case),
        None => Err("the table names no function".to_owned()),
    });
}

/// Each table by the test that plays it.
macro_rules! on_both_stores {
    ($($rule:ident)*) => {
        const ON_THE_SCRIPT: &[&str] = &[$(stringify!($rule)),*];

        mod native {
            $(#[test] fn $rule() { super::on_the_script(stringify!($rule), &super::embedded()); })*
        }

        mod redis {
            $(
                #[test]
                fn $rule() {
                    let redis = super::Redis::start().unwrap();
                    super::on_the_script(stringify!($rule), &super::on(&redis));
                }
            )*
        }
    };
}

on_both_stores! {
    absent baseline claim draw ended event groups health invitations loss lot networks operators period rate regions release slots slowed stock turns window
}

/// Each table of a function, and what is true of all tables.
macro_rules! on_functions {
    ($($function:ident)*) => {
        const ON_FUNCTIONS: &[&str] = &[$(stringify!($function)),*];

        mod pure {
            use super::*;

            $(#[test] fn $function() { on_its_function(concat!("functions/", stringify!($function))); })*

            #[test]
            fn every_table_is_played() {
                assert_eq!(names("").unwrap(), ON_THE_SCRIPT);
                assert_eq!(names("functions").unwrap(), ON_FUNCTIONS);
            }

            #[test]
            fn every_row_of_the_mission_is_held_by_a_table_or_a_test_that_is_there() {
                super::every_row_is_held();
            }

            #[test]
            fn a_table_that_is_not_understood_is_refused() {
                super::refusals();
            }
        }
    };
}

on_functions! {
    alone answered estimate marker page_words period_of_a_time place refresh session slots_free
}

/// The page beside the tables names each row of the mission, and what it names is there.
fn every_row_is_held() {
    let page = fs::read_to_string(folder().join("README.md")).unwrap();
    let (_, rows) = page.split_once("row by row").unwrap();
    let rows: Vec<Vec<&str>> = rows
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| row"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    let named: Vec<&str> = rows.iter().map(|row| row[0]).collect();
    let letters = [("T", 22), ("C", 22), ("L", 9), ("Z", 7)];
    let expected = letters
        .iter()
        .flat_map(|(letter, last)| (1..=*last).map(move |number| format!("{letter}{number}")));
    assert_eq!(named, expected.collect::<Vec<_>>());
    let sources = ["tests/suite", "dev/simulator/tests", "dev/harness/tests"]
        .map(|below| crate::pure::conventions::files(&folder().join("../..").join(below)))
        .concat();
    let sources: Vec<String> = sources
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    for row in &rows {
        let held = row[1..]
            .iter()
            .flat_map(|cell| cell.split('`').skip(1).step_by(2));
        let held: Vec<&str> = held.collect();
        assert!(!held.is_empty(), "{} is held by nothing", row[0]);
        for name in held.iter().filter(|name| !name.starts_with("dev/")) {
            let is_there = match name.strip_suffix(".json") {
                Some(_) => folder().join(name).exists(),
                None => sources
                    .iter()
                    .any(|source| source.contains(&format!("fn {name}("))),
            };
            assert!(is_there, "{}: there is no {name}", row[0]);
        }
    }
}

/// Tables that are wrong, each with what its error has to say.
fn refusals() {
    let table = |cases: &str| {
        let whole = r#"{"title": "T", "source": ["S"], "says": "Something.", "cases": [CASES]}"#;
        Table::read(&whole.replace("CASES", cases))
    };
    let fault = |cases: &str| table(cases).err().unwrap();
    let steps = r#""steps": [{"draw": 1}]"#;
    for (cases, says) in [
        (
            r#"{"name": "a", "stepps": [], "then": {"cursor": 1}}"#,
            "known are name",
        ),
        (&format!(r#"{{"name": "a", {steps}}}"#), "expects nothing"),
        (
            &format!(r#"{{"name": "a", {steps}, "then": {{}}}}"#),
            "expects nothing",
        ),
        (r#"{"name": "a", "then": {"cursor": 1}}"#, "nothing happens"),
        (
            &format!(
                r#"{{"name": "a", "columns": ["x"], "rows": [[1]], {steps}, "then": {{"cursor": 1}}}}"#
            ),
            "does not use its column",
        ),
        (
            r#"{"name": "a", "columns": ["x"], "rows": [[1, 2]], "steps": [{"draw": "$x"}], "then": {"cursor": 1}}"#,
            "has not 1 values",
        ),
        (
            r#"{"name": "a", "columns": ["x"], "rows": [[1]], "steps": [{"draw": "$x"}], "then": {"cursor": "$y"}}"#,
            "no column",
        ),
        (
            r#"{"name": "a", "columns": ["x"], "rows": [[null]], "steps": [{"draw": 1, "gives": {"number": "$x"}}], "then": {"cursor": 0}}"#,
            "expects null",
        ),
    ] {
        let fault = fault(cases);
        assert!(fault.contains(says), "{cases}: {fault}");
    }
    let store = embedded();
    let played = |case: &str| {
        let table = table(case).unwrap();
        tables::play(&table.cases[0], &Own::new(&store))
            .err()
            .unwrap_or_default()
    };
    for (steps, then, says) in [
        (r#"{"jump": 1}"#, r#""cursor": 1"#, "one of wait, at, draw"),
        (
            r#"{"draw": 1, "of": "Ann"}"#,
            r#""cursor": 1"#,
            "known are draw",
        ),
        (r#"{"draw": 1}"#, r#""place": 1"#, "known are absent"),
        (
            r#"{"draw": 1, "gives": {"place": 1}}"#,
            r#""cursor": 0"#,
            "known are above_bound",
        ),
        (r#"{"draw": 1}"#, r#""cursor": 1"#, "expected 1, found 0"),
        (
            r#"{"draw": 1, "gives": {"number": 2}}"#,
            r#""cursor": 0"#,
            "step 1",
        ),
        (
            r#"{"mode": "closed"}, {"permit": 1}"#,
            r#""cursor": 0"#,
            "refused",
        ),
        (r#"{"look": "Ann"}"#, r#""cursor": 0"#, "has not come"),
    ] {
        let case = format!(r#"{{"name": "a", "steps": [{steps}], "then": {{{then}}}}}"#);
        let fault = played(&case);
        assert!(fault.contains(says), "{steps} {then}: {fault}");
    }
}
