//! Each key of a scenario is in its docs, and the example there is a scenario.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;

use clap::Parser;
use serde_json::{Value, json};
use simulator::plan;
use simulator::scenario::{NAMES, Scenario};

fn text(name: &str) -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).unwrap()
}

fn page() -> String {
    text("docs/deep/scenarios.md")
}

/// The keys that are accepted beside one that is not, at a place in a scenario.
fn accepted(at: &str) -> Vec<String> {
    let mut scenario = json!({
        "title": "", "says": "", "lasts": "1h", "arrivals": [{ "over": "1m", "visitors": 1 }],
        "visitors": {}, "origin": { "workers": 1, "takes": { "constant": "1s" } }, "store": {}, "edge": {},
        "events": [{ "at": "1m" }], "compare": [{ "name": "" }],
    });
    let place = scenario.pointer_mut(at).unwrap();
    place["no_such_key"] = Value::from(1);
    let wrong = serde_json::from_value::<Scenario>(scenario).unwrap_err();
    let wrong = wrong.to_string();
    let (_, keys) = wrong.split_once("expected ").unwrap();
    let keys = keys.split('`').skip(1).step_by(2);
    keys.map(str::to_owned).collect()
}

#[test]
fn the_docs_have_each_key_of_a_scenario() {
    let page = page();
    let mut many = 0;
    for at in [
        "",
        "/arrivals/0",
        "/visitors",
        "/origin",
        "/store",
        "/edge",
        "/events/0",
        "/compare/0",
    ] {
        for key in accepted(at) {
            assert!(page.contains(&format!("| `{key}` |")), "{at}: {key}");
            many += 1;
        }
    }
    assert!(many > 40, "{many}");
}

#[test]
fn the_docs_have_each_scenario_that_comes_along() {
    let page = page();
    for name in NAMES {
        assert!(page.contains(&format!("| `{name}` |")), "{name}");
    }
}

#[test]
fn the_example_of_the_docs_is_a_scenario() {
    let page = page();
    let (_, example) = page.split_once("```json\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let scenario: Scenario = serde_json::from_str(example).unwrap();
    assert_eq!(scenario.title, "A sale at noon");
}

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: plan::Options,
}

/// The lines of the planner that the docs show are those that it prints; `…` alone stands for lines that are left out.
#[test]
fn the_docs_show_what_the_planner_prints() {
    let page = text("docs/how-to/choose-the-pace.md");
    let blocks = page.split("```console\n$ cargo dev plan ").skip(1);
    let mut many = 0;
    for block in blocks {
        let (block, _) = block.split_once("```").unwrap();
        let (words, lines) = block.split_once('\n').unwrap();
        let words = ["plan"].into_iter().chain(words.split_whitespace());
        let plan = plan::made(&Cli::try_parse_from(words).unwrap().options).unwrap();
        let table = plan
            .table()
            .replace("\u{1b}[1m", "")
            .replace("\u{1b}[0m", "");
        for line in lines.lines().filter(|line| *line != "…") {
            assert!(
                table.lines().any(|printed| printed == line),
                "{line} in\n{table}"
            );
            many += 1;
        }
    }
    assert!(many > 15, "{many}");
}
