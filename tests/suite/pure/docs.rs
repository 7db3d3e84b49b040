//! The documentation: its links lead somewhere, and what it lists is there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use now_serving::config::Config;

use crate::pure::conventions::{files, root, text};

/// The pages that people read, by their paths.
pub(crate) fn pages() -> Vec<PathBuf> {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md");
    let top = files_of(&root()).into_iter().filter(is_page);
    let below = ["deploy", "docs", "examples"].map(|folder| files(&root().join(folder)));
    let below = below.into_iter().flatten().filter(is_page);
    top.chain(below).collect()
}

/// The files of a folder, without those of its folders.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_file()).collect()
}

/// The lines outside of blocks of code.
pub(super) fn prose(page: &str) -> Vec<&str> {
    let mut is_code = false;
    let outside = page.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    outside.collect()
}

/// What a line links to and shows, besides addresses of other sites.
fn links(line: &str) -> Vec<String> {
    let without_code: String = line.split('`').step_by(2).collect();
    let to = without_code
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let shown = line
        .split("src=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let all = to.chain(shown).map(str::to_owned);
    all.filter(|link| !link.contains("://")).collect()
}

/// The anchor that GitHub makes of a heading.
fn anchor(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page).into_iter().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| anchor(heading.trim()))
    });
    headings.collect()
}

/// What is wrong with a link of this page.
fn fault(page: &Path, link: &str) -> Option<&'static str> {
    let (path, fragment) = match link.split_once('#') {
        Some((path, fragment)) => (path, Some(fragment)),
        None => (link, None),
    };
    let target = match path {
        "" => page.to_owned(),
        path => page.parent().unwrap().join(path),
    };
    let Ok(target) = target.canonicalize() else {
        return Some("leads nowhere");
    };
    if !target.starts_with(root().canonicalize().unwrap()) {
        return Some("leads out of the repository");
    }
    let is_missing = |fragment| {
        fs::read_to_string(&target).map_or(true, |page| !anchors(&page).contains(fragment))
    };
    fragment
        .is_some_and(is_missing)
        .then_some("names no heading of that page")
}

#[test]
fn every_link_of_the_docs_leads_to_a_file_and_a_heading_that_are_there() {
    let (mut checked, mut faults) = (0, Vec::new());
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        for link in prose(&page).into_iter().flat_map(links) {
            checked += 1;
            let name = path.strip_prefix(root()).unwrap().display();
            faults.extend(fault(&path, &link).map(|fault| format!("{name}: {link} {fault}")));
        }
    }
    assert!(checked > 100, "{checked} links were found");
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = root().join("docs/README.md");
    let faults = |line: &str| -> Vec<Option<&str>> {
        let links = links(line).into_iter();
        links.map(|link| fault(&page, &link)).collect()
    };
    assert_eq!(
        faults("[a](glossary.md#glossary), [`b`](../LICENSE), [c](#run-it) and <https://d>"),
        [None; 3]
    );
    assert_eq!(faults("`[a](none.md)` and [b](https://b/c.md)"), []);
    assert_eq!(
        faults("[a](none.md) [b](glossary.md#none) [c](#none) [d](../..) <img src=\"e.png\">"),
        [
            Some("leads nowhere"),
            Some("names no heading of that page"),
            Some("names no heading of that page"),
            Some("leads out of the repository"),
            Some("leads nowhere"),
        ]
    );
    assert_eq!(
        anchor("Domain, and the first look"),
        "domain-and-the-first-look"
    );
}

#[test]
fn every_page_is_in_the_index_of_the_docs() {
    let index = text("docs/README.md");
    let decisions = text("docs/decisions/README.md");
    for path in pages() {
        let Ok(name) = path.strip_prefix(root().join("docs")) else {
            continue;
        };
        let name = name.to_str().unwrap().replace('\\', "/");
        let listed = match name.strip_prefix("decisions/") {
            Some(decision) if decision != "README.md" => {
                decisions.contains(&format!("({decision})"))
            }
            _ => index.contains(&format!("({name})")) || index.contains(&format!("({name}#")),
        };
        assert!(listed || name == "README.md", "{name}");
    }
}

/// The rows of the first table below a heading of a page, by cells.
fn table(page: &str, heading: &str) -> Vec<Vec<String>> {
    let page = text(page);
    let (_, below) = page.split_once(heading).unwrap();
    let lines = below.lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| line.starts_with('|')).skip(2);
    let cells = |row: &str| -> Vec<String> {
        let cells = row.trim_matches('|').split(" | ");
        cells.map(|cell| cell.trim().to_owned()).collect()
    };
    rows.map(cells).collect()
}

#[test]
fn the_readme_has_bills_of_the_costs() {
    let bills = table("README.md", "## What it costs\n");
    let cases = table("docs/explanation/costs.md", "## Two bills\n");
    assert!(bills.len() > 1, "one event, and always on");
    for bill in bills {
        let case = cases.iter().find(|case| case[0] == bill[0]);
        let case = case.unwrap_or_else(|| panic!("{bill:?}"));
        assert_eq!(bill[1..], [2, 4, 6, 7].map(|column| case[column].clone()));
    }
}

/// Each cell says no, or names settings, routes, commands and files that there are.
#[test]
fn what_the_comparison_says_of_this_product_is_there() {
    let settings = Config::names();
    let contract = text("docs/openapi.yaml");
    let commands = ["reference/cli", "deep/dev"].map(|page| text(&format!("docs/{page}.md")));
    let is_there = |name: &str| {
        let is_command = |words: &str| {
            let heading = |program: &str| format!("\n## `{program} {words}`");
            let headings = ["now-serving", "cargo dev"].map(heading);
            let is_in = |page: &String| headings.iter().any(|heading| page.contains(heading));
            commands.iter().any(is_in)
        };
        settings.contains(&name)
            || contract.contains(&format!("\n  {name}:"))
            || name.strip_prefix("cargo dev ").is_some_and(is_command)
            || root().join(name).is_file()
    };
    let rows = table("docs/explanation/comparison.md", "## Feature by feature\n");
    assert!(rows.len() > 15, "{rows:?}");
    for row in rows {
        let names: Vec<&str> = row[1].split('`').skip(1).step_by(2).collect();
        assert_eq!(names.is_empty(), row[1] == "no", "{row:?}");
        for name in names {
            assert!(is_there(name), "{name}: {row:?}");
        }
    }
}

/// What moves in the house moves in the docs too; the changes tell of the past.
#[test]
fn the_files_that_the_docs_name_are_there() {
    const FOLDERS: [&str; 7] = [
        "src/",
        "tests/",
        "dev/",
        "deploy/",
        "templates/",
        "docs/",
        "examples/",
    ];
    let mut named = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        if path.ends_with("CHANGELOG.md") {
            continue;
        }
        let lines = prose(&page).into_iter();
        let words = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
        let is_file = |word: &&str| FOLDERS.iter().any(|folder| word.starts_with(folder));
        for file in words.filter(is_file) {
            named += 1;
            assert!(root().join(file).exists(), "{}: {file}", path.display());
        }
    }
    assert!(named > 50, "{named}");
}

/// Who is woken by an alert finds a section of its name.
#[test]
fn every_alert_has_a_section_that_says_what_to_do() {
    let alerts = text("deploy/monitoring/alerts.yml");
    let of = |key: &'static str| {
        alerts
            .lines()
            .filter_map(move |line| line.trim().strip_prefix(key))
    };
    let page = text("docs/how-to/alerts.md");
    let sections = page.lines().filter_map(|line| line.strip_prefix("## "));
    let sections: Vec<&str> = sections.collect();
    assert!(
        of("- alert: ").eq(sections.iter().copied()),
        "in the same order"
    );
    let links = sections
        .iter()
        .map(|name| format!("docs/how-to/alerts.md#{}", anchor(name)));
    assert!(
        of("runbook_url: ").eq(links),
        "each alert leads to its section"
    );
}
