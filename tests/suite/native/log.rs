//! What the service logs, and how much of it.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::config::Problem;
use now_serving::queue::Reason;
use now_serving::service;
use now_serving::telemetry::log::LONGEST_LINE;
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, House, Visitor, visitors};
use crate::log::{file, held_to_schema, schema, wrong};

/// The longest URL the platform takes, and no header is much longer.
const LONG: usize = 8192;

/// A line as logged, with one thing changed; `null` takes a field away.
fn spoilt(line: &Value, field: &str, value: Value) -> Value {
    let mut line = line.clone();
    let fields = line.as_object_mut().unwrap();
    match value {
        Value::Null => drop(fields.remove(field)),
        value => drop(fields.insert(field.to_owned(), value)),
    }
    line
}

/// One line of each kind: a look, a fault, a permit, a forward, an unsound configuration, a setting that is ignored, a
/// template that is refused.
fn lines() -> Vec<Value> {
    let house = House::native();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    house.permit(1);
    visitor.ask("/");
    house.store.fail(Faults::always(Fault::Refuse));
    Visitor::new(&house).ask("/");
    house.ask(&Ask::get("/_queue/status").operator());
    house.set("template", "{{nothing}}");
    house.ask(&Ask::get("/robots.txt"));
    house.set("brand_colors", "red");
    house.ask(&Ask::get("/robots.txt"));
    house.set("automatic", "often");
    house.ask(&Ask::get("/"));
    house.log()
}

#[test]
fn a_spoilt_line_is_refused() {
    let lines = lines();
    let line = |reason: &str| lines.iter().find(|line| line["reason"] == reason).unwrap();
    for (reason, field, value) in [
        ("waiting", "schema", json!(2)),
        ("waiting", "schema", Value::Null),
        ("waiting", "reason", json!("bored")),
        ("waiting", "cookie", json!("queue=…")),
        ("waiting", "timestamp", json!("now")),
        ("waiting", "clientAddress", json!("somewhere")),
        ("waiting", "requestUrl", json!("/")),
        (
            "waiting",
            "requestUrl",
            json!(format!("http://{}", "a".repeat(506))),
        ),
        ("waiting", "requestReferer", json!("https://a.example/?b")),
        ("waiting", "permitted", json!(true)),
        ("waiting", "responseStatus", Value::Null),
        ("waiting", "visitorPosition", json!(0)),
        ("waiting", "ticketReference", Value::Null),
        ("waiting", "sample", json!(1)),
        ("waiting", "problems", json!([])),
        ("waiting", "operator", json!("admin")),
        ("store_trouble", "storeError", Value::Null),
        ("permit", "sample", json!(2)),
        ("permit", "operator", Value::Null),
        ("bypass", "clientGeoCountry", json!("Utopia")),
        ("unsound_configuration", "problems", json!([])),
        ("unsound_configuration", "requestUrl", json!("http://a")),
        ("ignored_setting", "problems", json!([])),
        ("refused_template", "line", json!(0)),
    ] {
        assert_eq!(wrong(line(reason)), Vec::<String>::new());
        let spoilt = spoilt(line(reason), field, value);
        assert_ne!(wrong(&spoilt), Vec::<String>::new(), "{spoilt}");
    }
    let named = spoilt(line("permit"), "operator", json!("admin"));
    let told = spoilt(&named, "action", json!("released 1"));
    assert_eq!(wrong(&told), Vec::<String>::new());
}

#[test]
fn the_schema_and_the_docs_have_the_fields_and_the_reasons_of_the_code() {
    let in_code = Reason::ALL.map(|(word, _)| word.to_owned());
    let in_code = BTreeSet::from(in_code);
    let schema = schema();
    let told = schema["properties"]["reason"]["enum"].as_array().unwrap();
    let told: BTreeSet<String> = told
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(told, in_code);
    let told_by_docs = file("docs/reference/log.md");
    let parts = ["decision", "unsoundConfiguration", "refusedTemplate"]
        .map(|kind| &schema["$defs"][kind]["properties"]);
    let fields = parts.into_iter().chain([&schema["properties"]]);
    let fields = fields.flat_map(|fields| fields.as_object().unwrap().keys());
    for name in fields.chain(&told) {
        assert!(told_by_docs.contains(&format!("`{name}`")), "{name}");
    }
    let bound = format!("{} 000 bytes", LONGEST_LINE / 1000);
    assert!(told_by_docs.contains(&bound), "{bound}");
}

#[test]
fn one_look_in_ten_is_logged_and_everything_else_always() {
    let house = House::native();
    house.set("log_sample", "10");
    let mut crowd = visitors(&house, 40);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    for _ in 0..25 {
        for visitor in &mut crowd {
            visitor.ask("/shop");
            visitor.ask("/_queue/place");
        }
    }
    house.permit(1);
    assert!(crowd[0].ask("/").inside);
    let log = house.log();
    let (looks, rest): (Vec<_>, Vec<_>) = log.iter().partition(|line| line["sample"] == 10);
    assert!(
        (150..=250).contains(&looks.len()),
        "{} of 2000",
        looks.len()
    );
    assert!(looks.iter().all(|line| line["reason"] == "waiting"));
    let paths: BTreeSet<_> = looks
        .iter()
        .map(|line| line["requestUrl"].to_string())
        .collect();
    assert_eq!(paths.len(), 2, "of the page and of its updates: {paths:?}");
    let mut of_each: BTreeMap<_, usize> = BTreeMap::new();
    for line in &looks {
        *of_each
            .entry(line["visitorPosition"].to_string())
            .or_default() += 1;
    }
    let most = of_each.values().max().unwrap();
    assert!(
        of_each.len() > 30 && *most < 25,
        "not always the same: {of_each:?}"
    );
    let reasons: Vec<_> = rest
        .iter()
        .map(|line| line["reason"].as_str().unwrap())
        .collect();
    let reasons: Vec<_> = reasons
        .into_iter()
        .filter(|reason| *reason != "provisional")
        .collect();
    assert_eq!(reasons[..40], ["waiting"; 40], "every draw");
    assert_eq!(reasons[40..], ["permit", "admitted"]);
}

#[test]
fn a_look_that_finds_the_store_down_is_always_logged() {
    let house = House::native();
    house.set("log_sample", "10000");
    let mut crowd = visitors(&house, 20);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    house.store.fail(Faults::always(Fault::Refuse));
    for visitor in &mut crowd {
        house.forget_the_sign();
        visitor.ask("/");
    }
    let log = house.log();
    let log: Vec<_> = log
        .iter()
        .filter(|line| line["reason"] != "provisional")
        .collect();
    let faults = log.iter().filter(|line| line.get("storeError").is_some());
    assert_eq!((log.len(), faults.count()), (40, 20));
}

/// Whatever JSON makes longest, in every place.
fn longest(character: &str) -> Ask {
    let long = character.repeat(LONG);
    Ask::get(&format!("/{long}?{long}"))
        .method(character.repeat(LONG).leak())
        .with("host", &long)
        .with("referer", &long)
        .with("user-agent", &long)
        .with("cookie", &long)
}

#[test]
fn no_line_is_longer_than_is_said() {
    let house = House::native();
    house.set("log_query", "on");
    let mut lengths = Vec::new();
    for character in ["a", "\"", "\u{1}", "é", "\u{10ffff}", "\u{fffd}"] {
        for fault in [Faults::none(), Faults::always(Fault::Quote(400))] {
            house.store.fail(fault);
            house.ask(&longest(character));
            lengths.push(house.log().last().unwrap().to_string().len());
        }
    }
    let most = lengths.into_iter().max().unwrap();
    assert!(
        most > 9_000,
        "{most} bytes are not the longest line there is"
    );
    house.set("template", &"\u{1}{{".repeat(2_000));
    house.ask(&Ask::get("/"));
    assert_eq!(house.log().last().unwrap()["reason"], "refused_template");
}

#[test]
fn no_line_about_the_settings_is_longer_than_is_said() {
    let house = House::native();
    let long = "\u{1}".repeat(8_000);
    let wrong = "a,".repeat(4_000);
    for (key, value) in [
        ("admin_path", &long),
        ("message", &long),
        ("bypass_paths", &wrong),
    ] {
        house.set(key, value);
    }
    house.ask(&Ask::get("/"));
    let line = house.log().pop().unwrap();
    let told = line["problems"].as_array().unwrap().len();
    assert!(told > 30, "{told} problems");
    assert_eq!(told as u64 + line["more"].as_u64().unwrap(), 4_002);
    let few = [Problem {
        key: "room",
        value: None,
        accepted: "a name".to_owned(),
        unreadable: false,
        room: None,
    }];
    let few = held_to_schema(&service::unsound_entry(
        now_serving::queue::Now::from_ms(1),
        &few,
    ));
    assert_eq!(
        (&few["more"], few["problems"].as_array().unwrap().len()),
        (&json!(0), 1)
    );
}
