//! Which crate needs which: what only the commands need is not compiled for the product's tests.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::BTreeSet;

use harness::project::cargo;

/// The names of all packages that are compiled for the tests of one, itself among them.
fn compiled_for_tests_of(package: &str) -> BTreeSet<String> {
    compiled(package, "normal,build,dev")
}

fn compiled(package: &str, edges: &str) -> BTreeSet<String> {
    packages(&["--edges", edges, "--package", package])
}

/// The names of the packages in a tree.
fn packages(of: &[&str]) -> BTreeSet<String> {
    let name = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
    lines(of).into_iter().map(name).collect()
}

/// The lines of a tree, each a package with its version.
fn lines(of: &[&str]) -> Vec<String> {
    let words = ["tree", "--prefix", "none"];
    let output = cargo(&words).unwrap().args(of).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let tree = String::from_utf8(output.stdout).unwrap();
    let package = |line: &str| line.trim_end_matches(" (*)").to_owned();
    tree.lines().map(package).collect()
}

#[test]
fn the_products_tests_compile_nothing_that_only_the_commands_need() {
    let compiled = compiled_for_tests_of("now-serving");
    for needed in [
        "now-serving",
        "now-serving-audit",
        "now-serving-cli-core",
        "now-serving-fuzz",
        "now-serving-harness",
        "now-serving-machine",
        "now-serving-virtual-edge",
        "upstash-local",
    ] {
        assert!(compiled.contains(needed), "{needed}");
    }
    let commands = [
        "now-serving-cli",
        "now-serving-dev",
        "now-serving-bench",
        "now-serving-baselines",
        "now-serving-runner",
        "now-serving-simulator",
        "anstream",
        "clap",
        "criterion",
        "libfuzzer-sys",
        "rcgen",
        "tokio-rustls",
    ];
    for command in commands {
        assert!(!compiled.contains(command), "{command}");
    }
}

/// The bench is part of the commands, and what only it needs to measure with is compiled for it alone. So is what makes the site.
#[test]
fn the_commands_compile_no_criterion_and_no_mdbook() {
    let commands = compiled_for_tests_of("now-serving-dev");
    for (package, only) in [
        ("now-serving-bench", "criterion"),
        ("now-serving-site", "mdbook-driver"),
    ] {
        assert!(!commands.contains(only), "{only}");
        assert!(compiled_for_tests_of(package).contains(only), "{only}");
    }
}

/// Operators get one file, which runs on a machine that has nothing of a developer's.
#[test]
fn the_program_of_operators_has_nothing_that_runs_the_wasm_or_installs_a_tool() {
    let linked = compiled("now-serving-cli", "normal");
    for needed in ["now-serving", "now-serving-audit", "now-serving-simulator"] {
        assert!(linked.contains(needed), "{needed}");
    }
    for other in [
        "now-serving-dev",
        "now-serving-harness",
        "now-serving-machine",
        "now-serving-runner",
        "now-serving-start",
        "fantoccini",
        "ureq",
    ] {
        assert!(!linked.contains(other), "{other}");
    }
}

/// A contributor waits for them before the first test.
#[test]
fn the_runner_of_the_tests_compiles_nothing_of_the_service_and_few_crates() {
    let compiled = compiled("now-serving-runner", "normal,build");
    for other in [
        "now-serving",
        "now-serving-harness",
        "tokio",
        "hyper",
        "ring",
    ] {
        assert!(!compiled.contains(other), "{other}");
    }
    assert!(compiled.len() <= 60, "{}: {compiled:?}", compiled.len());
}

#[test]
fn the_local_store_depends_on_nothing_of_this_project() {
    let compiled = compiled_for_tests_of("upstash-local");
    let ours = compiled
        .iter()
        .filter(|name| name.starts_with("now-serving"));
    assert_eq!(ours.collect::<Vec<_>>(), Vec::<&String>::new());
    assert!(compiled.contains("mlua"));
}

/// What the product is made of.
const SIX: [&str; 6] = [
    "base64",
    "fastly",
    "handlebars",
    "jwt-simple",
    "serde",
    "serde_json",
];

const DIRECT: [&[&str]; 2] = [&OF_THE_WASM, &["--depth", "1", "--package", "now-serving"]];
const OF_THE_WASM: [&str; 4] = ["--target", "wasm32-wasip1", "--edges", "normal"];

/// What makes the Wasm smaller than without it.
const INFLATES: &str = "miniz_oxide";

#[test]
fn the_wasm_has_no_package_that_the_six_and_the_inflater_do_not_bring() {
    let mut brought = BTreeSet::new();
    for line in lines(&DIRECT.concat()) {
        let mut words = line.split(' ');
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        if name == INFLATES || SIX.contains(&name) {
            let package = format!("{name}@{}", version.trim_start_matches('v'));
            brought.extend(lines(
                &[&OF_THE_WASM[..], &["--package", &package]].concat(),
            ));
        }
    }
    let compiled = lines(&[&OF_THE_WASM[..], &["--package", "now-serving"]].concat());
    let others: BTreeSet<_> = (compiled.into_iter())
        .filter(|package| !brought.contains(package))
        .collect();
    let is_ours = |package: &String| package.starts_with("now-serving v");
    assert!(
        others.len() == 1 && others.iter().all(is_ours),
        "{others:?}"
    );
}

#[test]
fn each_package_that_the_product_names_has_its_row_in_the_docs() {
    let page = include_str!("../../../../docs/deep/architecture.md");
    let (_, table) = page.split_once("## Packages of the Wasm").unwrap();
    let named = packages(&DIRECT.concat());
    for package in named.iter().filter(|name| *name != "now-serving") {
        let cell = format!("`{package}`");
        let has_row = table
            .lines()
            .any(|line| line.starts_with('|') && line.contains(&cell));
        assert!(has_row, "{package}");
    }
}
