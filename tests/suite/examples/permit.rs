//! A backend that lets visitors in: a call that is repeated moves the line once.

use std::process::Command;

use harness::tools;
use serde_json::Value;
use upstash_local::{Fault, Faults};

use super::program::{Program, example};
use super::status;
use crate::house::{House, PERMIT_TOKEN, visitors};

fn shell() -> Command {
    Command::new(example("permit/permit.sh"))
}

fn node() -> Command {
    let mut command = Command::new(tools::node().unwrap());
    command.arg(example("permit/permit.js"));
    command
}

/// The program, told where the edge is.
fn of(mut command: Command, house: &House, arguments: [&str; 2]) -> Program {
    let url = format!("{}/_queue", house.wasm_side().edge.url());
    command
        .args(arguments)
        .env("QUEUE_URL", url)
        .env("PERMIT_TOKEN", PERMIT_TOKEN);
    Program::start(&mut command)
}

/// What it printed, if it ended well.
fn answer(program: Program) -> Value {
    let (is_well, written) = program.end();
    assert!(is_well, "{written}");
    // curl says in the lines before that it tries again.
    let last = written.lines().last().unwrap();
    serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {written}"))
}

/// What each of the two programs has to do.
fn holds(command: impl Fn() -> Command) {
    let house = House::wasm_shared();
    for visitor in &mut visitors(&house, 12) {
        visitor.ask("/");
    }
    let first = answer(of(command(), &house, ["3", "order-1"]));
    assert_eq!(
        (&first["released"], &first["cursor"]),
        (&3.into(), &3.into())
    );
    let again = answer(of(command(), &house, ["3", "order-1"]));
    assert_eq!(again, first, "the same key moves nothing");
    let other = answer(of(command(), &house, ["2", "order-2"]));
    assert_eq!(other["cursor"], 5);

    let calls = house.store.calls();
    house.store.fail(Faults::always(Fault::DropAnswer));
    let mut unlucky = of(command(), &house, ["2", "order-3"]);
    unlucky.until(|_| house.store.calls() > calls);
    house.store.fail(Faults::none());
    assert_eq!(answer(unlucky)["released"], 2, "it tries again by itself");
    assert_eq!(status(&house)["cursor"], 7, "and the line moved once");

    let (is_well, written) = of(command(), &house, ["0", "order-4"]).end();
    assert!(!is_well && written.contains("whole number"), "{written}");
    assert_eq!(status(&house)["cursor"], 7);
}

#[test]
fn a_shell_lets_visitors_in_once_for_each_key() {
    holds(shell);
}

#[test]
fn node_lets_visitors_in_once_for_each_key() {
    holds(node);
}
