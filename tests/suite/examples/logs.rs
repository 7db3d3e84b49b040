//! Lines of a real run in a database: the queries answer what happened.

use std::fs;
use std::process::Command;

use harness::tools;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::program::{Program, example};
use crate::house::{House, Visitor};

/// Runs each statement of the queries and prints its rows.
const RUN: &str = "
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1])
for statement in open(sys.argv[2]).read().split(';')[:-1]:
    print(json.dumps(database.execute(statement).fetchall()))
";

/// Three visitors come, two are called, one of them goes in; a fourth comes while the store fails.
fn live(house: &House) {
    let mut visitors = [0; 3].map(|_| Visitor::new(house));
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.change("message", r#"{"message":"Doors at ten"}"#);
    house.permit(2);
    visitors[1].ask("/echo");
    visitors[2].ask("/");
    house.store.fail(Faults::always(Fault::ServerError));
    Visitor::new(house).ask("/");
    house.store.fail(Faults::none());
}

fn python(arguments: &[&std::ffi::OsStr]) -> String {
    let mut command = Command::new(tools::python().unwrap());
    let (is_well, written) = Program::start(command.args(arguments)).end();
    assert!(is_well, "{written}");
    written
}

#[test]
fn the_queries_tell_what_happened_in_a_run() {
    let house = House::wasm();
    live(&house);
    house.log();
    let folder = tempfile::tempdir().unwrap();
    let (database, log) = (folder.path().join("queue.db"), folder.path().join("log"));
    let lines = house.wasm_side().edge.log_lines("queue_logs");
    fs::write(&log, lines.join("\n")).unwrap();
    let load = example("logs/load.py");
    let said = python(&[load.as_ref(), database.as_ref(), log.as_ref()]);
    assert!(
        said.starts_with(&format!("{} lines are in", lines.len())),
        "{said}"
    );

    let queries = example("logs/queries.sql");
    let rows = python(&[
        "-c".as_ref(),
        RUN.as_ref(),
        database.as_ref(),
        queries.as_ref(),
    ]);
    let rows: Vec<Value> = rows
        .lines()
        .map(|rows| serde_json::from_str(rows).unwrap())
        .collect();
    let [minutes, waits, absent, trouble, changes] = rows.try_into().unwrap();
    let sum = |column: usize| -> u64 {
        let minutes = minutes.as_array().unwrap().iter();
        minutes.map(|minute| minute[column].as_u64().unwrap()).sum()
    };
    assert_eq!((sum(1), sum(3)), (4, 1), "came and went in: {minutes}");
    assert_eq!(waits[0][0], 1, "{waits}");
    assert_eq!(
        (absent.as_array().unwrap().len(), &absent[0][1]),
        (1, &json!(1)),
        "{absent}"
    );
    assert!(trouble.to_string().contains("500"), "{trouble}");
    let changes = changes.to_string();
    assert!(
        changes.contains("admin") && changes.contains("permit 2 of 2"),
        "{changes}"
    );
}
