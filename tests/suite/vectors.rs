//! The vectors of the rules, as tables: `tests/vectors/` has one file a rule, and `tests/vectors/README.md` says which row of the
//! mission each of them holds.
//!
//! A table is played on the real script, over the embedded store and over a real Redis; `functions/` has the rules that no script
//! has. No table names a field of the store, nor an argument or an answer of the script: a table says what visitors and
//! operators see, so it outlives every change of the state and of the wire.

mod found;
mod functions;
mod play;
mod settings;
mod steps;
mod table;

use std::fs;
use std::path::PathBuf;

use now_serving::queue::draw;
use upstash_local::Redis;

use crate::house::Direct;
use crate::traces::{embedded, on};
use table::Table;

/// Where the tables are.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors")
}

fn read(name: &str) -> Table {
    let path = folder().join(format!("{name}.json"));
    let text = fs::read_to_string(&path);
    let text = text.unwrap_or_else(|fault| panic!("{}: {fault}", path.display()));
    Table::read(&text).unwrap_or_else(|fault| panic!("{name}.json: {fault}"))
}

/// The secret of an order by lot: the one of the steps in `docs/reference/lot.md`, for the event `sale`.
fn secret(event: &str) -> String {
    let key = b"0123456789abcdef0123456789abcdef";
    draw::secret(key, "main", (event, 1_800_000_000_000))
}

/// Plays all cases of a table, and tells of every one that fails.
fn hold(name: &str, play: impl Fn(&Table, &table::Case) -> Result<(), String>) {
    let table = read(name);
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
        None => play::play(case, store),
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
macro_rules! tables {
    (script: $($rule:ident)*; functions: $($function:ident)*;) => {
        const ON_THE_SCRIPT: &[&str] = &[$(stringify!($rule)),*];
        const ON_FUNCTIONS: &[&str] = &[$(stringify!($function)),*];

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

        mod pure {
            use super::*;

            $(#[test] fn $function() { on_its_function(concat!("functions/", stringify!($function))); })*

            #[test]
            fn every_table_is_played() {
                assert_eq!(files(""), sorted(ON_THE_SCRIPT));
                assert_eq!(files("functions"), sorted(ON_FUNCTIONS));
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

tables! {
    script: absent baseline claim draw ended event front health invitations loss lot networks operators period rate regions release slots turns window;
    functions: alone answered estimate marker page_words period_of_a_time place refresh session slots_free;
}

/// The tables in this folder, by name.
fn files(under: &str) -> Vec<String> {
    let entries = fs::read_dir(folder().join(under)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let tables = names.filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()));
    let mut tables: Vec<String> = tables.collect();
    tables.sort();
    tables
}

fn sorted(names: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    names.sort();
    names
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
        play::play(&table.cases[0], &store)
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
