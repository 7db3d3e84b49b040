//! The contract, `docs/openapi.yaml`, held against the running Wasm by some thousand requests: what it allows and what
//! it forbids. Which checks are left out, and why, is in `tests/schemathesis.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use harness::tools;
use now_serving::config::Role;
use now_serving::operator::verbs::VERBS;

use crate::house::{ADMIN_TOKEN, House, PASSWORD, PERMIT_TOKEN};
use crate::verbs::open_to;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(name)
}

/// The rules with the routes of all verbs that have none of their own in them.
fn rules_of_verbs() -> String {
    let rules = fs::read_to_string(file("schemathesis.toml")).unwrap();
    let has_its_own = |route: &str| rules.contains(&format!("\"/_queue/{route}\""));
    let routes = VERBS.iter().map(|verb| verb.route);
    let routes: Vec<&str> = routes.filter(|route| !has_its_own(route)).collect();
    rules.replace("VERBS", &routes.join("|"))
}

fn contract() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.yaml")
}

/// Whether the house keeps the contract where these arguments look, and what was said about it.
fn keeps(house: &House, contract: &Path, arguments: &[&str]) -> Result<(), String> {
    // It leaves notes where it runs.
    let folder = tempfile::tempdir().unwrap();
    let rules = folder.path().join("schemathesis.toml");
    fs::write(&rules, rules_of_verbs()).unwrap();
    let output = tools::schemathesis()
        .unwrap()
        .arg("--config-file")
        .arg(&rules)
        .arg("run")
        .arg(contract)
        .args(["--url", &house.wasm_side().edge.url()])
        .args(arguments)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    if output.status.success() {
        return Ok(());
    }
    Err(said)
}

fn assert_keeps(house: &House, arguments: &[&str]) {
    if let Err(said) = keeps(house, &contract(), arguments) {
        panic!("{said}");
    }
}

fn operator() -> String {
    use base64::Engine;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("admin:{PASSWORD}"));
    format!("Authorization: Basic {pair}")
}

fn program(token: &str) -> String {
    format!("Authorization: Bearer {token}")
}

/// On the panel's own site, as its form is.
const SAME_SITE: [&str; 2] = ["-H", "Sec-Fetch-Site: same-origin"];

#[test]
fn the_operators_routes_keep_it() {
    operators_routes_keep_it(&[]);
}

#[test]
fn the_programs_routes_keep_it() {
    programs_routes_keep_it(&[]);
}

#[test]
fn the_waiting_answer_keeps_it() {
    waiting_answer_keeps_it(&[]);
}

/// With these arguments besides; likewise below.
pub(crate) fn operators_routes_keep_it(more: &[&str]) {
    let house = House::wasm();
    house.set("invited_per_minute", "10");
    let operator = ["--include-path-regex", "^/_queue", "-H", &operator()];
    assert_keeps(&house, &[&operator[..], &SAME_SITE, more].concat());
}

pub(crate) fn programs_routes_keep_it(more: &[&str]) {
    let house = House::wasm();
    house.set("invited_per_minute", "10");
    let read = ["status", "journal", "receipt/check", "invite", "metrics"];
    let mut others = open_to(Role::All);
    others.retain(|route| !open_to(Role::Permit).contains(route));
    for (routes, token) in [
        ([&open_to(Role::Permit)[..], &read].concat(), PERMIT_TOKEN),
        (others, ADMIN_TOKEN),
    ] {
        let routes = format!("^/_queue/({})$", routes.join("|"));
        let program = ["--include-path-regex", &routes, "-H", &program(token)];
        assert_keeps(&house, &[&program[..], more].concat());
    }
}

pub(crate) fn waiting_answer_keeps_it(more: &[&str]) {
    let house = House::wasm();
    let visitor = [&["--exclude-path-regex", "^/_queue"], more].concat();
    assert_keeps(&house, &visitor);
    house.set("cf_compat", "on");
    assert_keeps(&house, &visitor);
}

/// Twice not what the service does: a field of another name, and a route that asks for a password.
#[test]
fn one_that_is_not_kept_is_found_out() {
    let house = House::wasm();
    let text = fs::read_to_string(contract()).unwrap();
    let spoilt = text
        .replace(
            "waiting, released, credit, dropped]",
            "waiting, released, loan, dropped]",
        )
        .replace("security: []", "security: [{ operator: [] }]");
    let folder = tempfile::tempdir().unwrap();
    let contract = folder.path().join("spoilt.yaml");
    fs::write(&contract, spoilt).unwrap();
    // Both are spoilt here: what a permit answers, and a route without a password.
    let routes = "^/_queue/(permit|healthz)$";
    let operator = ["--include-path-regex", routes, "-H", &operator()];
    let said = keeps(&house, &contract, &[&operator[..], &SAME_SITE].concat()).unwrap_err();
    for found in [
        "Response violates schema",
        "accepts requests without authentication",
    ] {
        assert!(said.contains(found), "{found}: {said}");
    }
}
