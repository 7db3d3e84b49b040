//! What a third party checks by the programs of the docs, without any code of this project: a journal, receipts and a lot.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::tools;
use serde_json::{Value, json};

use crate::fed::fed;
use crate::house::{Ask, House, Visitor, visitors};
use crate::pure::conventions::text;
use crate::stories::lot::drawn_and_decided;

const SECOND: Duration = Duration::from_secs(1);

/// The program of this page, as a file.
fn program(folder: &Path, page: &str) -> PathBuf {
    let page = text(page);
    let (_, behind) = page.split_once("```python\n").unwrap();
    let (program, _) = behind.split_once("```").unwrap();
    let path = folder.join("check.py");
    fs::write(&path, program).unwrap();
    path
}

/// Whether it ends well, and what it writes.
fn run(program: &Path, arguments: &[&str], input: &str) -> (bool, String) {
    let mut python = Command::new(tools::python().unwrap());
    let ended = fed(python.arg(program).args(arguments), input);
    let written = [ended.stdout, ended.stderr].concat();
    let written = String::from_utf8(written).unwrap();
    (ended.status.success(), written.trim_end().to_owned())
}

fn journal(house: &House) -> Value {
    let got = house.ask(&Ask::get("/_queue/journal").operator());
    assert_eq!(got.status, 200, "{got:?}");
    got.json()
}

fn receipt(visitor: &mut Visitor<'_>) -> Value {
    visitor.send(Ask::get("/_queue/receipt").json()).json()
}

/// Writes each as a file and checks them all.
fn check(all: &[Value]) -> (bool, String) {
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), "docs/deep/journal.md");
    let name = |(at, told): (usize, &Value)| {
        let path = folder.path().join(format!("{at}.json"));
        fs::write(&path, told.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let names: Vec<String> = all.iter().enumerate().map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    run(&program, &names, "")
}

/// Three visitors come, an operator says something, a fourth comes, and a program lets two in.
#[test]
fn a_journal_and_receipts_are_checked_by_the_program_of_the_docs() {
    let house = House::native();
    let mut line = visitors(&house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.change("message", r#"{"message":"Doors at ten"}"#);
    let mut late = Visitor::new(&house);
    late.ask("/");
    house.permit(2);
    house.wait(2 * SECOND);
    let told = [journal(&house), receipt(&mut line[1]), receipt(&mut late)];
    let (is_well, written) = check(&told);
    assert!(is_well, "{written}");
    let lines = told[0]["lines"].as_array().unwrap();
    let is_permit = |line: &Value| line.as_str().unwrap().contains(" permit ");
    let permit = lines.iter().position(is_permit).unwrap();
    let reference = |receipt: &Value| receipt["reference"].as_str().unwrap().to_owned();
    let expected = format!(
        "{}, number 2: signed behind line 1\n{}, number 4: signed behind line 2\nlines 1 to {}",
        reference(&told[1]),
        reference(&told[2]),
        lines.len()
    );
    assert_eq!(written, expected);

    let without = |at: usize| {
        let mut told = told.clone();
        told[0]["lines"].as_array_mut().unwrap().remove(at);
        told
    };
    let with = |at: usize, from: &str, to: &str| {
        let mut told = told.clone();
        let line = told[0]["lines"][at].as_str().unwrap().replace(from, to);
        told[0]["lines"][at] = json!(line);
        told
    };
    let later = |told: [Value; 3]| [&told[..], &[journal(&house)]].concat();
    house.permit(1);
    let (is_well, written) = check(&later(told.clone()));
    assert!(is_well, "an older page beside a newer one: {written}");
    let mut of_another = told.clone();
    of_another[1]["head"] = json!("0123456789abcdef");
    let (_, written) = check(&of_another);
    assert!(written.contains("signed behind none"), "{written}");
    let renamed = with(permit - 1, "admin", "anna");
    let faults = [
        (without(1).to_vec(), "line 2 is missing"),
        (
            without(lines.len() - 1).to_vec(),
            "the end of a page is missing",
        ),
        (renamed.to_vec(), "line 2 was changed"),
        (later(renamed), "line 2 was told in two ways"),
        (
            with(permit, " 2 4 ", " 1 4 ").to_vec(),
            "the end of a page is missing",
        ),
    ];
    for (told, part) in faults {
        let (is_well, written) = check(&told);
        assert!(!is_well && written.contains(part), "{part}: {written}");
    }
}

#[test]
fn a_place_by_lot_is_checked_by_the_program_of_the_docs() {
    let house = House::native();
    let (lot, places) = drawn_and_decided(&house, 8);
    let folder = tempfile::tempdir().unwrap();
    let program = program(folder.path(), "docs/deep/lot.md");
    for (came, place) in (1..).zip(&places) {
        let (is_well, written) = run(&program, &[&format!("{came}")], &lot.to_string());
        assert_eq!((is_well, written), (true, place.to_string()));
    }
    // Who came behind the lot keeps the place.
    for came in [9, 1_000] {
        let written = run(&program, &[&format!("{came}")], &lot.to_string());
        assert_eq!(written, (true, came.to_string()));
    }
    let mut other = lot.clone();
    other["secret"] = json!("0".repeat(64));
    assert!(!run(&program, &["1"], &other.to_string()).0);
}
