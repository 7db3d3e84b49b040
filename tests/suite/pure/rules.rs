//! The page of the rules: what it names for each of them is there, and it leaves out no invariant and no file of vectors.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::pure::conventions::{files, root, text};

/// A rule, and the names in its cells: code, cases of tables, stories and invariants.
type Row = (String, [Vec<String>; 4]);

/// Reads a line of a table, without the bar that it begins with.
fn row(line: &str) -> Row {
    let mut cells = line.split(" | ");
    let rule = cells.next().unwrap().to_owned();
    let mut names = cells.map(|cell| cell.split('`').skip(1).step_by(2).map(str::to_owned));
    (rule, [(); 4].map(|()| names.next().unwrap().collect()))
}

/// The rules of the page.
fn rows() -> Vec<Row> {
    let page = text("docs/deep/rules.md");
    let lines = page.lines().filter_map(|line| line.strip_prefix("| "));
    let rules = lines.filter(|line| !line.starts_with("rule |"));
    rules.map(row).collect()
}

/// What is wrong with a row.
fn faults(row: &Row, suite: &str, known: &BTreeSet<String>) -> Vec<String> {
    let (rule, [code, tables, stories, invariants]) = row;
    let is_told = |name: &&String| suite.contains(&format!("fn {name}("));
    let code_missing = code.iter().filter(|file| !is_code(file));
    let tables_missing = tables.iter().filter(|case| !is_case(case));
    let stories_missing = stories.iter().filter(|name| !is_told(name));
    let invariants_missing = invariants.iter().filter(|name| !known.contains(*name));
    let missing = code_missing.chain(tables_missing).chain(stories_missing);
    let missing = missing.chain(invariants_missing);
    let missing = missing.map(|name| format!("{rule} There is no {name}"));
    let many = tables.len() + stories.len() + invariants.len();
    let is_bare = code.is_empty() || many == 0;
    let bare = is_bare.then(|| format!("{rule} No code, or nothing that holds it"));
    missing.chain(bare).collect()
}

fn is_code(file: &str) -> bool {
    let mut folders = ["src/store/lua", "src/store/lua/verbs", "src"].into_iter();
    folders.any(|folder| root().join(folder).join(file).is_file())
}

/// Whether `FILE: NAME` is a case of a table.
fn is_case(case: &str) -> bool {
    let (file, name) = case.split_once(": ").unwrap_or((case, ""));
    let table = fs::read_to_string(root().join("tests/vectors").join(file));
    let table: Value = serde_json::from_str(&table.unwrap_or_default()).unwrap_or_default();
    let mut cases = table["cases"].as_array().into_iter().flatten();
    cases.any(|case| case["name"].as_str() == Some(name))
}

/// All sources below a folder, one behind the other.
fn sources(folder: &str) -> String {
    let mut paths = files(&root().join(folder));
    paths.retain(|path| path.extension().is_some_and(|end| end == "rs"));
    let sources = paths.iter().map(|path| fs::read_to_string(path).unwrap());
    sources.collect()
}

/// What histories are held to: each is the first argument of a check, or one of those that `name` may be.
fn invariants() -> BTreeSet<String> {
    let source = sources("dev/invariants/src");
    let checks = [".holds(", ".must(", ".count("].into_iter();
    let checked = checks.flat_map(|check| source.split(check).skip(1));
    let named = checked.filter_map(|rest| rest.trim_start().strip_prefix('"')?.split('"').next());
    let choices = source.split("let name = ").skip(1);
    let choices = choices.filter_map(|rest| rest.split("};").next());
    let chosen = choices.flat_map(|choice| choice.split('"').skip(1).step_by(2));
    named.chain(chosen).map(str::to_owned).collect()
}

#[test]
fn what_the_page_of_the_rules_names_is_there() {
    let (rows, suite, invariants) = (rows(), sources("tests/suite"), invariants());
    assert!(rows.len() > 30, "{}", rows.len());
    let faults = rows.iter().flat_map(|row| faults(row, &suite, &invariants));
    let faults: Vec<String> = faults.collect();
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_invariant_and_no_file_of_vectors_is_missing_on_the_page_of_the_rules() {
    let (rows, mut missing) = (rows(), invariants());
    assert!(missing.len() > 40, "{missing:?}");
    for entry in fs::read_dir(root().join("tests/vectors")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        missing.extend(name.strip_suffix(".json").map(|_| name.clone()));
    }
    for (_, [_, tables, _, invariants]) in &rows {
        let files = tables.iter().filter_map(|case| case.split(": ").next());
        for name in files.chain(invariants.iter().map(String::as_str)) {
            missing.remove(name);
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn a_rule_that_names_what_is_not_there_is_found() {
    let case = "`draw.json: position 5, cursor 5: admitted`";
    let right = format!("`pace.lua` | {case} | `told` | `a number lasts`");
    for (cells, many) in [
        (right.as_str(), 0),
        ("`pace` | `draw.json: none` | `tol` | `a number`", 4),
        ("`pace.lua` | - | - | -", 1),
        ("- | - | `told` | -", 1),
    ] {
        let found = faults(&row(&format!("R. | {cells}")), "fn told(", &invariants());
        assert_eq!(found.len(), many, "{found:?}");
    }
}
