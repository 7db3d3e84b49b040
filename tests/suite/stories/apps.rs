//! Programs in the line: what an app written for another waiting room finds, and what a page elsewhere may read.

use serde_json::{Value, json};

use crate::house::{Ask, House, visitors};

const DAY_MS: u64 = 86_400_000;

pub(crate) fn an_app_written_for_cloudflare_finds_its_object_when_that_is_on(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    let mut visitors = visitors(house, 7);
    for visitor in &mut visitors[..6] {
        visitor.ask("/");
    }
    let off = visitors[6].ask("/").json();
    assert_eq!(off.get("cfWaitingRoom"), None, "nobody asked for it");
    house.set("cf_compat", "on");
    let before = house.now_ms();
    let got = visitors[6].ask("/");
    let took = house.now_ms() - before;
    let data = got.json();
    let room = &data["cfWaitingRoom"];
    let minutes = data["ahead"].as_u64().unwrap();
    assert!(minutes >= 3, "{data}");
    assert_eq!(
        wait(room),
        (true, minutes, format!("{minutes} minutes").as_str()),
        "one goes in each minute"
    );
    assert_eq!(
        room["refreshIntervalSeconds"].to_string(),
        got.header("retry-after")
    );
    assert_eq!(
        [&room["inWaitingRoom"], &room["isFIFOQueue"]],
        [&json!(true), &json!(true)]
    );
    let since =
        (ms_of_day(room["lastUpdated"].as_str().unwrap()) + DAY_MS - before % DAY_MS) % DAY_MS;
    assert!(
        since <= took,
        "{room} {since} ms after {before}, within {took}"
    );
    house.set("automatic", "0");
    let still = visitors[6].ask("/").json();
    assert_eq!(
        wait(&still["cfWaitingRoom"]),
        (false, 0, "unavailable"),
        "the line stands still"
    );
    let page = house.ask(&Ask::get("/").with("accept", "text/html"));
    assert!(!page.body.contains("cfWaitingRoom"), "{}", page.body);
}

fn wait(room: &Value) -> (bool, u64, &str) {
    (
        room["waitTimeKnown"].as_bool().unwrap(),
        room["waitTime"].as_u64().unwrap(),
        room["waitTimeFormatted"].as_str().unwrap(),
    )
}

/// Of `2020-08-03T23:46:00.000Z`: the milliseconds since midnight.
fn ms_of_day(iso: &str) -> u64 {
    let time = iso.split_once('T').unwrap().1.strip_suffix('Z').unwrap();
    let part = |range: std::ops::Range<usize>| time[range].parse::<u64>().unwrap();
    ((part(0..2) * 60 + part(3..5)) * 60 + part(6..8)) * 1000 + part(9..12)
}
