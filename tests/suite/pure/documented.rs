//! Every setting, secret, metric, reason and route has one row in the reference, and each row is of one that there is.

use std::collections::BTreeSet;
use std::fs;

use now_serving::config::Config;
use now_serving::telemetry::prometheus::{Kind, METRICS, PREFIX};
use serde_json::Value;

use crate::house::{House, Visitor};
use crate::metrics::scrape;
use crate::pure::conventions::{asked, files, root, text};

/// The first two cells of each row below this heading of a table, in the whole reference and the page behind its requests.
fn rows(heading: &str) -> Vec<[String; 2]> {
    let begin = format!("| {heading} |");
    let mut rows = Vec::new();
    let behind = root().join("docs/deep/requests.md");
    for page in files(&root().join("docs/reference"))
        .into_iter()
        .chain([behind])
    {
        let page = fs::read_to_string(page).unwrap();
        let mut lines = page.lines();
        while lines.by_ref().any(|line| line.starts_with(&begin)) {
            let table = lines.by_ref().skip(1);
            for row in table.take_while(|line| line.starts_with('|')) {
                let mut cells = row.split('|').skip(1).map(|cell| cell.trim().to_owned());
                rows.push([(); 2].map(|()| cells.next().unwrap()));
            }
        }
    }
    rows
}

/// The names in the first column below this heading, one for each time that one is there.
fn documented(heading: &str) -> Vec<String> {
    let rows = rows(heading).into_iter();
    let names = rows.flat_map(|[names, _]| {
        let names = names.split('`').skip(1).step_by(2);
        let names = names.map(|name| name.split('{').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn sorted(names: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    let names: BTreeSet<String> = names.into_iter().map(Into::into).collect();
    names.into_iter().collect()
}

#[test]
fn every_setting_and_secret_is_documented_once() {
    assert_eq!(documented("setting"), sorted(Config::names()));
    let (_, secrets) = asked();
    assert_eq!(documented("secret"), sorted(secrets));
}

/// The names of the table of metrics, as a scrape has them.
fn metrics() -> Vec<String> {
    sorted(
        METRICS
            .iter()
            .map(|metric| format!("{PREFIX}{}", metric.name)),
    )
}

#[test]
fn every_metric_is_documented_once() {
    let documented = documented("metric");
    assert_eq!(documented, metrics());
    let house = House::native();
    house.set("total_active", "5");
    Visitor::new(&house).ask("/");
    let got = house.ask(&scrape());
    let names = got.body.lines().filter_map(|line| {
        let (name, _) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
        Some(name)
    });
    let scraped = sorted(names);
    let others = documented.iter().filter(|name| !scraped.contains(name));
    // Absent while nobody can tell.
    let expected = [
        "absent_ratio",
        "estimated_wait_seconds",
        "lane_cursor",
        "lane_waiting",
        "recount_ends_timestamp_seconds",
        "stock_left",
        "window_visitors",
    ];
    let expected = expected.map(|name| format!("{PREFIX}{name}"));
    assert_eq!(
        others.collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
    assert_eq!(documented.len(), scraped.len() + expected.len());
}

/// As Prometheus advises: what each kind ends in, and no unit but base units.
#[test]
fn names_of_metrics_say_what_kind_and_which_unit_it_is() {
    for metric in METRICS {
        let name = metric.name;
        let is = |end: &str| name.ends_with(end);
        assert_eq!(metric.kind == Kind::Counter, is("_total"), "{name}");
        assert!(metric.kind != Kind::Histogram || is("_seconds"), "{name}");
        let others = ["_ms", "_us", "_minutes", "_percent", "_share"];
        assert!(!others.into_iter().any(is), "{name}");
        let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        assert!(name.chars().all(is_part), "{name}");
        let help = metric.help;
        assert!(
            help.ends_with('.') && !help.contains(['\\', '\n', '|']),
            "{name}: {help}"
        );
    }
}

/// In queries, alerts, guides and what is said of settings: no other name begins as those of metrics do.
#[test]
fn whatever_names_a_metric_names_one_that_there_is() {
    let metrics = metrics();
    let folders =
        ["deploy", "docs", "templates", "examples"].map(|folder| files(&root().join(folder)));
    let named = [root().join("README.md"), root().join("CHANGELOG.md")];
    let mut found = BTreeSet::new();
    for path in folders.into_iter().flatten().chain(named) {
        // Pictures are no text.
        let page = fs::read_to_string(&path).unwrap_or_default();
        for rest in page.split(PREFIX).skip(1) {
            let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
            let name = format!("{PREFIX}{}", &rest[..end]);
            let of_histogram = ["_bucket", "_sum", "_count"];
            let metric = of_histogram.iter().find_map(|end| name.strip_suffix(end));
            let metric = metric.unwrap_or(&name).to_owned();
            assert!(metrics.contains(&metric), "{}: {name}", path.display());
            found.insert(metric);
        }
    }
    assert!(metrics.iter().all(|name| found.contains(name)));
}

#[test]
fn every_reason_is_documented_once() {
    let schema: Value = serde_json::from_str(&text("tests/log.schema.json")).unwrap();
    let reasons = schema["properties"]["reason"]["enum"].as_array().unwrap();
    let reasons = reasons.iter().map(|reason| reason.as_str().unwrap());
    assert_eq!(documented("reason"), sorted(reasons));
}

/// With its method; HEAD is there wherever GET is.
#[test]
fn every_route_is_documented_once() {
    let contract = text("docs/openapi.yaml");
    let mut promised = Vec::new();
    let mut route = "";
    for line in contract.lines() {
        let name = line.strip_suffix(':').unwrap_or_default();
        if let Some(path) = name.strip_prefix("  /") {
            route = path;
        } else if let Some(method) = name
            .strip_prefix("    ")
            .filter(|_| route.starts_with("_queue"))
        {
            let is_one = ["get", "post"].contains(&method);
            promised.extend(is_one.then(|| format!("{} /{route}", method.to_uppercase())));
        }
    }
    assert!(promised.len() > 20, "{promised:?}");
    let rows = rows("route").into_iter().map(|[route, method]| {
        let method = method.split(' ').next().unwrap().to_owned();
        format!("{method} {}", route.trim_matches('`'))
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    assert_eq!(rows, sorted(promised));
}

/// By the words on it; those that the panel fills in are modes, and the brake.
#[test]
fn every_button_of_the_panel_is_documented() {
    let (panel, page) = (
        text("templates/admin.html"),
        text("docs/reference/panel.md"),
    );
    let buttons = panel.split("<button").skip(1).map(|button| {
        let (words, _) = button.split_once("</button>").unwrap();
        let (_, words) = words.rsplit_once('>').unwrap();
        words.trim_end_matches('…')
    });
    let buttons: Vec<&str> = buttons.filter(|words| !words.contains("{{")).collect();
    assert!(buttons.len() > 15, "{buttons:?}");
    for words in buttons {
        let is_way_back = words.starts_with("Back to the configured ");
        assert!(is_way_back || page.contains(words), "{words}");
    }
}
