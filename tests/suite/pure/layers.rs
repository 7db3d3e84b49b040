//! Folders of `src` are layers: an arrow, `use crate::`, points down, and only to a layer that this table names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::pure::conventions::{files, root, text};

/// Each layer, from the top, with the layers it may import. Those are all below it: there can be no cycle.
const LAYERS: [(&str, &[&str]); 14] = [
    (
        "edge",
        &[
            "request",
            "service",
            "telemetry",
            "store",
            "cache",
            "config",
            "http",
            "queue",
        ],
    ),
    (
        "service",
        &[
            "request",
            "operator",
            "visitor",
            "telemetry",
            "cache",
            "config",
            "page",
            "http",
            "queue",
        ],
    ),
    (
        "operator",
        &[
            "request",
            "visitor",
            "telemetry",
            "store",
            "cache",
            "config",
            "page",
            "http",
            "ticket",
            "queue",
        ],
    ),
    (
        "visitor",
        &[
            "request", "store", "cache", "config", "page", "i18n", "http", "ticket", "queue",
        ],
    ),
    ("request", &["store", "cache", "config", "http", "queue"]),
    ("telemetry", &["store", "cache", "config", "http", "queue"]),
    ("store", &["cache", "queue"]),
    ("cache", &["queue"]),
    ("config", &["page", "http", "ticket", "queue"]),
    ("page", &["i18n", "http", "ticket", "queue"]),
    ("i18n", &["http"]),
    ("ticket", &["http", "queue"]),
    ("http", &["queue"]),
    ("queue", &[]),
];

/// The layers that a source imports, without its tests. The edge is a binary of its own and imports the library by name.
fn imports(source: &str) -> BTreeSet<String> {
    let code = source.split("\n#[cfg(test)]\n").next().unwrap();
    let after = |name: &str| {
        let rests = code.split(name).skip(1).map(str::to_owned);
        rests.collect::<Vec<_>>()
    };
    let rests = [after("crate::"), after("now_serving::")].concat();
    let names = rests.iter().flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => group.split('}').next().unwrap().split(',').collect(),
        None => vec![rest.as_str()],
    });
    let first = |name: &str| {
        let is_of_a_name = |letter: char| letter.is_alphanumeric() || letter == '_';
        name.trim()
            .split(|letter| !is_of_a_name(letter))
            .next()
            .unwrap()
            .to_owned()
    };
    names.map(first).filter(|name| !name.is_empty()).collect()
}

/// Every layer with what its sources import, by source.
fn arrows() -> BTreeMap<String, Vec<(String, BTreeSet<String>)>> {
    let below = root().join("src");
    let mut arrows: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for path in files(&below) {
        let name = path
            .strip_prefix(&below)
            .unwrap()
            .to_string_lossy()
            .replace('\\', "/");
        if path.extension().is_none_or(|end| end != "rs")
            || ["lib.rs", "main.rs"].contains(&name.as_str())
        {
            continue;
        }
        let layer = name.split(['/', '.']).next().unwrap().to_owned();
        let imported = imports(&text(&format!("src/{name}")));
        arrows.entry(layer).or_default().push((name, imported));
    }
    arrows
}

#[test]
fn every_arrow_points_to_a_layer_below() {
    let arrows = arrows();
    let layers: BTreeMap<_, _> = LAYERS.into();
    assert_eq!(
        arrows.keys().map(String::as_str).collect::<Vec<_>>(),
        layers.keys().copied().collect::<Vec<_>>(),
        "every folder is a layer"
    );
    for (layer, sources) in &arrows {
        for (name, imported) in sources {
            for other in imported.iter().filter(|other| *other != layer) {
                assert!(
                    layers[layer.as_str()].contains(&other.as_str()),
                    "{name} imports {other}"
                );
            }
        }
    }
}

#[test]
fn the_table_of_layers_only_points_down_and_names_nothing_that_is_not_used() {
    let arrows = arrows();
    for (place, (layer, allowed)) in LAYERS.iter().enumerate() {
        let below: Vec<_> = LAYERS
            .iter()
            .skip(place + 1)
            .map(|(name, _)| *name)
            .collect();
        for other in *allowed {
            assert!(below.contains(other), "{layer} points up to {other}");
            let is_used = arrows[*layer]
                .iter()
                .any(|(_, imported)| imported.contains(*other));
            assert!(is_used, "{layer} does not import {other}");
        }
    }
}

#[test]
fn only_the_edge_names_the_platform() {
    let below = root().join("src");
    let edge = below.join("edge");
    let names_it = |path: &PathBuf| {
        let source = std::fs::read_to_string(path).unwrap();
        source.contains("fastly::")
    };
    let (inside, outside): (Vec<_>, Vec<_>) = files(&below)
        .into_iter()
        .filter(names_it)
        .partition(|path| path.starts_with(&edge));
    assert!(outside.is_empty(), "{outside:?}");
    assert!(inside.contains(&edge.join("mod.rs")), "{inside:?}");
}

#[test]
fn the_rules_of_the_line_know_no_json_and_no_clock() {
    let below = root().join("src/queue");
    for path in files(&below) {
        let source = std::fs::read_to_string(&path).unwrap();
        let code = source.split("\n#[cfg(test)]\n").next().unwrap();
        assert!(!code.contains("serde_json"), "{}", path.display());
        assert!(!code.contains("SystemTime"), "{}", path.display());
    }
}

#[test]
fn a_group_of_imports_is_read_name_by_name() {
    let source = "use crate::{cache, page::Pages};\nlet a = crate::queue::decide(b);\n#[cfg(test)]\nuse crate::edge;";
    let expected = ["cache", "page", "queue"].map(str::to_owned);
    assert_eq!(imports(source), expected.into());
}
