//! An app that waits by JSON: one number for all of its polls, and in when it is called.

use std::process::Command;

use harness::tools;

use super::program::{Program, example};
use super::status;
use crate::house::{House, Visitor};

#[test]
fn an_app_waits_with_one_number_and_goes_in() {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    Visitor::new(&house).ask("/");
    let mut command = Command::new(tools::python().unwrap());
    command
        .arg(example("app/app.py"))
        .arg(format!("{}/echo", house.wasm_side().edge.url()));
    let mut app = Program::start(&mut command);
    let told = "Your number is 2. Ahead of you: 1.";
    app.until(|app| app.written().matches(told).count() >= 2);
    house.permit(2);
    let (is_well, written) = app.end();
    assert!(is_well, "{written}");
    assert!(written.contains("The shop answered 200"), "{written}");
    assert_eq!(status(&house)["length"], 2, "it drew once: {written}");
}
