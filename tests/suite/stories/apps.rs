//! Programs in the line: what an app written for another waiting room finds, and what a page elsewhere may read.

use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, visitors};

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
    assert!(data["ahead"].as_u64() >= Some(3), "{data}");
    let minutes = data["estimated_wait_seconds"].as_u64().unwrap();
    let minutes = minutes.div_ceil(60).max(1);
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
    house.forget_the_sign();
    let still = visitors[6].ask("/").json();
    assert_eq!(
        wait(&still["cfWaitingRoom"]),
        (false, 0, "unavailable"),
        "the line stands still"
    );
    let page = house.ask(&Ask::get("/").with("accept", "text/html"));
    assert!(!page.body.contains("cfWaitingRoom"), "{}", page.body);
}

pub(crate) fn a_page_of_a_listed_origin_may_read_that_it_waits(house: &House) {
    let app = "https://app.shop.example";
    house.set("cors_origins", &format!("{app}, http://localhost:5173"));
    let told = |got: &Got| {
        [
            "access-control-allow-origin",
            "access-control-allow-credentials",
            "access-control-expose-headers",
        ]
        .map(|name| got.all(name).join(" and "))
    };
    let nothing = || [(); 3].map(|()| String::new());
    let answers = [
        Ask::get("/"),
        Ask::get("/").json(),
        Ask::get("/order").method("POST").json(),
        Ask::get("/").method("HEAD"),
        Ask::get("/").with("purpose", "prefetch"),
        Ask::get("/").with("sec-fetch-dest", "image"),
    ];
    for ask in &answers {
        for origin in [app, "http://localhost:5173"] {
            let got = house.ask(&ask.clone().with("origin", origin));
            assert_eq!(told(&got), [origin, "true", "Retry-After"], "{ask:?}");
            assert_eq!(got.all("vary"), ["Accept, Accept-Language, Cookie, Origin"]);
        }
    }
    for origin in [
        "https://shop.example",
        "http://app.shop.example",
        "https://app.shop.example:8443",
        "https://app.shop.example.evil.example",
        "https://evil.example,https://app.shop.example",
        "null",
        "*",
    ] {
        let got = house.ask(&Ask::get("/").json().with("origin", origin));
        assert_eq!(told(&got), nothing(), "{origin}");
        assert_eq!(got.all("vary"), ["Accept, Accept-Language, Cookie, Origin"]);
    }
    let from_nowhere = house.ask(&Ask::get("/").json());
    assert_eq!(told(&from_nowhere), nothing());
    assert_eq!(
        from_nowhere.all("vary"),
        ["Accept, Accept-Language, Cookie, Origin"],
        "a cache may meet this answer first"
    );
    for ask in [
        Ask::preflight("/echo"),
        Ask::get("/robots.txt"),
        Ask::get("/_queue/status").operator(),
        Ask::get("/_queue"),
        Ask::get("/_queue/"),
        Ask::permit(1),
        Ask::get("/_queue/healthz"),
    ] {
        let got = house.ask(&ask.clone().with("origin", app));
        assert_eq!(
            told(&got),
            nothing(),
            "the origin's or the operator's: {ask:?}"
        );
        assert!(!got.header("vary").contains("Origin"), "{ask:?}");
    }
}

pub(crate) fn without_a_list_of_origins_nothing_tells_who_asked(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let mut look = |setting: &str, ask: Ask| {
        house.set("cors_origins", setting);
        let mut got = visitor.send(ask);
        got.headers.retain(|(name, _)| name != "date");
        (got.status, got.headers, got.body)
    };
    let from = |ask: &Ask| ask.clone().with("origin", "https://app.shop.example");
    for ask in [
        Ask::get("/").json(),
        Ask::get("/").with("sec-fetch-dest", "image"),
    ] {
        let silent = look("", ask.clone());
        assert_eq!(look("", from(&ask)), silent);
        assert_eq!(look("none", from(&ask)), silent);
        assert_ne!(look("https://app.shop.example", from(&ask)), silent);
    }
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
