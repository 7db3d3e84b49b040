//! A rehearsal with a known tool: visitors who keep their cookies and the pace that they are told.

use std::fs;
use std::process::Command;

use harness::tools;
use serde_json::Value;

use super::program::{Program, example};
use super::status;
use crate::house::House;

const VISITORS: u64 = 12;

/// The rehearsal with these arguments, without its page for the browser.
fn rehearsal(arguments: &[&str]) -> Command {
    let mut command = tools::locust().unwrap();
    command
        .arg("-f")
        .arg(example("rehearse/locustfile.py"))
        .args(["--headless", "--users", &VISITORS.to_string()])
        .args(["--spawn-rate", "12"])
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .args(arguments);
    command
}

/// Each kind of request, how many there were, and how many failed.
fn counts(json: &Value) -> Vec<(&str, u64, u64)> {
    let kinds = json.as_array().unwrap().iter();
    let count = |kind: &Value, name: &str| kind[name].as_u64().unwrap();
    kinds
        .map(|kind| {
            let name = kind["name"].as_str().unwrap();
            (
                name,
                count(kind, "num_requests"),
                count(kind, "num_failures"),
            )
        })
        .collect()
}

#[test]
fn visitors_of_a_rehearsal_draw_one_number_each_and_go_in_when_they_are_called() {
    let house = House::wasm_shared();
    house.set("refresh_interval", "2");
    let url = house.wasm_side().edge.url();
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("told");
    let told_to = told.to_str().unwrap();
    let arguments = ["--host", &url, "--json-file", told_to];
    let mut rehearsal = Program::start(&mut rehearsal(&arguments));
    rehearsal.until(|rehearsal| status(&house)["length"] == VISITORS || rehearsal.has_ended());
    house.permit(5);
    let origin = &house.wasm_side().origin;
    rehearsal.until(|rehearsal| !origin.requests().is_empty() || rehearsal.has_ended());
    // The visitors have to read what the origin answered.
    std::thread::sleep(std::time::Duration::from_secs(5));
    rehearsal.interrupt();
    let (is_well, written) = rehearsal.end();
    assert!(is_well, "{written}");
    let status = status(&house);
    assert_eq!(status["length"], VISITORS, "one number for each: {status}");
    let json = serde_json::from_slice(&fs::read(told.with_extension("json")).unwrap()).unwrap();
    let counts = counts(&json);
    let of = |wanted: &str| counts.iter().find(|(name, ..)| *name == wanted);
    assert!(
        counts.iter().all(|(_, _, failures)| *failures == 0),
        "{counts:?}"
    );
    assert!(
        of("waiting").is_some() && of("inside /").is_some(),
        "{counts:?}"
    );
}

#[test]
fn a_host_that_is_away_is_a_failure_and_no_visit() {
    let away = ["--host", "http://127.0.0.1:1"];
    let mut rehearsal = Program::start(&mut rehearsal(&away));
    // Locust says how it stands every two seconds.
    rehearsal.until(|rehearsal| rehearsal.written().contains("trouble /"));
    rehearsal.interrupt();
    let (is_well, written) = rehearsal.end();
    assert!(!is_well, "{written}");
    assert!(!written.contains("inside /"), "{written}");
}

#[test]
fn a_rehearsal_without_a_host_sends_nothing() {
    let (is_well, written) = Program::start(&mut rehearsal(&[])).end();
    assert!(!is_well, "{written}");
    assert!(
        written.contains("Name the host of the rehearsal"),
        "{written}"
    );
}
