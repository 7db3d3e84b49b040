//! The dashboard of `deploy/monitoring`: every metric is on it, the log is beside the line, and Grafana can draw it.

use std::collections::BTreeSet;

use now_serving::telemetry::prometheus::{METRICS, PREFIX};
use serde_json::Value;

use super::conventions::text;

pub(crate) fn dashboard() -> Value {
    serde_json::from_str(&text("deploy/monitoring/dashboard.json")).unwrap()
}

pub(crate) fn list(value: &Value) -> Vec<Value> {
    value.as_array().unwrap().clone()
}

/// What is drawn at the top: panels, and rows, of which a collapsed one holds its panels itself.
fn drawn() -> Vec<Value> {
    list(&dashboard()["panels"])
}

/// All panels but the rows.
pub(crate) fn panels() -> Vec<Value> {
    let all = drawn()
        .into_iter()
        .flat_map(|panel| match &panel["panels"] {
            Value::Array(below) => below.clone(),
            _ => vec![panel],
        });
    all.collect()
}

/// The queries of a panel.
pub(crate) fn queries(panel: &Value) -> Vec<String> {
    let queries = list(&panel["targets"]).into_iter();
    let queries = queries.map(|target| target["expr"].as_str().unwrap().to_owned());
    queries.collect()
}

fn of_kind<'a>(panels: &'a [Value], source: &str) -> Vec<&'a Value> {
    let is_it = |panel: &&Value| panel["datasource"]["type"] == source;
    panels.iter().filter(is_it).collect()
}

/// The words of a query, of which a metric is one; a histogram is read by its buckets.
fn words(query: &str) -> impl Iterator<Item = &str> {
    let words = query.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    words.map(|word| word.strip_suffix("_bucket").unwrap_or(word))
}

#[test]
fn every_metric_is_on_a_panel() {
    let panels = panels();
    let shown: Vec<String> = of_kind(&panels, "prometheus")
        .into_iter()
        .flat_map(queries)
        .collect();
    let shown: BTreeSet<&str> = shown.iter().flat_map(|query| words(query)).collect();
    let names = METRICS
        .iter()
        .map(|metric| format!("{PREFIX}{}", metric.name));
    let names: BTreeSet<String> = names.collect();
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !shown.contains(name.as_str()))
        .collect();
    assert!(missing.is_empty(), "on no panel: {missing:?}");
    let unknown = shown
        .iter()
        .filter(|word| word.starts_with(PREFIX) && !names.contains(**word));
    assert_eq!(
        unknown.collect::<Vec<_>>(),
        Vec::<&&str>::new(),
        "no such metric"
    );
}

/// A figure of now and its course are two questions; the same question twice is none.
#[test]
fn no_panel_repeats_another() {
    let mut seen = BTreeSet::new();
    for panel in panels() {
        let asked = (panel["type"].to_string(), queries(&panel));
        assert!(seen.insert(asked), "{} is there twice", panel["title"]);
        assert!(seen.insert((panel["title"].to_string(), vec![panel["type"].to_string()])));
    }
}

/// What an operator looks for first: how many wait, their course beside who goes in, and the log next to it.
#[test]
fn it_begins_with_who_waits_and_has_the_log_beside_the_line() {
    let panels = panels();
    let asks = |panel: &Value, name: &str| queries(panel).iter().any(|query| query.contains(name));
    assert!(asks(&panels[0], "now_serving_waiting") && panels[0]["type"] == "stat");
    let mut graphs = panels.iter().filter(|panel| panel["type"] == "timeseries");
    let line = graphs.next().unwrap();
    for name in ["now_serving_waiting", "now_serving_admitted_total"] {
        assert!(asks(line, name), "{line}");
    }
    let logs = of_kind(&panels, "loki");
    let [log] = logs.as_slice() else {
        panic!("{logs:?}");
    };
    assert_eq!(log["type"], "logs");
    assert_eq!(log["gridPos"]["y"], line["gridPos"]["y"]);
    // What it shows of a line is in the schema of the log.
    let schema = text("tests/log.schema.json");
    let query = &queries(log)[0];
    let shown: Vec<&str> = query
        .split("{{.")
        .skip(1)
        .map(|rest| rest.split("}}").next().unwrap())
        .collect();
    assert!(
        shown.contains(&"reason") && query.contains("room=\"$room\""),
        "{query}"
    );
    for field in shown {
        assert!(schema.contains(&format!("\"{field}\": {{")), "{field}");
    }
}

/// Ids that are there twice, panels that cover each other, and data sources that are not asked for show as an empty or a broken page.
#[test]
fn every_panel_has_a_place_an_id_and_a_data_source_of_its_own() {
    let dashboard = dashboard();
    let variables = list(&dashboard["templating"]["list"]);
    let variables: Vec<&str> = variables
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    let is_known = |text: &str| {
        let names = text.split('$').skip(1).map(|rest| {
            let name = rest.trim_start_matches('{');
            name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .next()
                .unwrap()
                .to_owned()
        });
        names
            .filter(|name| name != "__rate_interval")
            .all(|name| variables.contains(&name.as_str()))
    };
    let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
    let rows = drawn().into_iter().filter(|panel| panel["type"] == "row");
    for panel in rows.chain(panels()) {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{panel}");
        if panel["type"] != "row" {
            let source = panel["datasource"]["uid"].as_str().unwrap();
            assert!(source.starts_with("${") && is_known(source), "{source}");
            assert!(
                !panel["description"].as_str().unwrap().is_empty(),
                "{panel}"
            );
            let refs: BTreeSet<_> = list(&panel["targets"])
                .iter()
                .map(|target| target["refId"].to_string())
                .collect();
            assert_eq!(refs.len(), queries(&panel).len(), "{panel}");
            assert!(
                queries(&panel).iter().all(|query| is_known(query)),
                "{panel}"
            );
        }
    }
    // What a collapsed row holds is placed when it is opened.
    for panel in drawn() {
        let [x, y, w, h] =
            ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().unwrap());
        assert!(w > 0 && h > 0 && x + w <= 24, "{panel}");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(cells.insert(cell), "{} covers another", panel["title"]);
        }
    }
}
