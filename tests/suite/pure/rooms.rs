//! Which request is for which room: the table in the docs, twenty rooms by host and path, and random rooms.

use std::collections::BTreeMap;

use now_serving::config::{Belongs, Config, DOCUMENT, Problem, Source, Unreadable};
use now_serving::http::Call;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::pure::conventions::text;
use crate::traces::{self, Traces};

/// A deployed service with this document.
pub(super) struct Deployed(pub(super) String);

impl Source for Deployed {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(match key {
            DOCUMENT => Some(self.0.clone()),
            "upstash_url" => Some("https://a.example".to_owned()),
            _ => None,
        })
    }
    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let secret = ["jwt_secret", "upstash_token"].contains(&key);
        Ok(secret.then(|| "0123456789abcdef0123456789abcdef".to_owned()))
    }
    fn keeps_secrets(&self) -> bool {
        true
    }
    fn is_local(&self) -> bool {
        false
    }
}

pub(super) fn loaded(document: &str) -> Config {
    match Config::load(Deployed(document.to_owned())) {
        Ok(config) => config,
        Err(unsound) => panic!("{document}: {:?}", unsound.problems),
    }
}

fn call((method, host, path): (&str, &str, &str), country: Option<&str>) -> Call {
    Call {
        method: method.to_owned(),
        host: host.to_owned(),
        path: path.to_owned(),
        country: country.map(str::to_owned),
        https: true,
        ..Call::default()
    }
}

/// In the words of the docs.
pub(super) fn room_of(config: &Config, call: &Call) -> String {
    let place = config.place_of(call);
    match place.belongs {
        Belongs::InRoom => place.room.name.to_string(),
        Belongs::PastRoom(_) => "skips every room".to_owned(),
        Belongs::Unclear => "refused".to_owned(),
    }
}

#[test]
fn the_table_of_the_docs_says_which_request_is_for_which_room() {
    let page = text("docs/deep/rooms.md");
    let document = page.split("```json\n").nth(1).unwrap();
    let config = loaded(document.split("```").next().unwrap());
    assert!(config.rooms.ask_for_country());
    let table = page.split("<!-- requests:").nth(1).unwrap();
    let rows = table
        .lines()
        .skip(3)
        .take_while(|line| line.starts_with('|'));
    let mut asked = 0;
    for row in rows {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, request, country, room, _] = cells.as_slice() else {
            panic!("{row}");
        };
        let (method, target) = request.trim_matches('`').split_once(' ').unwrap();
        let (host, path) = target.split_at(target.find('/').unwrap());
        let from = Some(country.trim_matches('`')).filter(|from| *from != "–");
        let (country, header) = match from.and_then(|from| from.split_once(": ")) {
            Some(header) => (None, Some(header)),
            None => (from, None),
        };
        let mut call = call((method, host, path), country);
        let header = header.map(|(name, value)| (name.to_lowercase(), value.into()));
        call.named.extend(header);
        assert_eq!(&room_of(&config, &call), room, "{row}");
        asked += 1;
    }
    assert_eq!(asked, 20);
}

/// Five hosts with four paths each.
#[test]
fn each_of_twenty_rooms_takes_its_own_requests_and_no_others() {
    const PATHS: [&str; 4] = ["/", "/sale/", "/sale/late/", "/checkout/"];
    let mut rooms = Vec::new();
    for host in 0..5 {
        for (at, path) in PATHS.iter().enumerate() {
            let host_name = format!("h{host}.shop.example");
            rooms.push(json!({ "name": format!("r{host}{at}"), "hosts": host_name, "paths": format!("{path}*") }));
        }
    }
    rooms.rotate_left(7);
    let config = loaded(&json!({ "rooms": rooms }).to_string());
    assert_eq!(config.rooms.all().count(), 21);
    for host in 0..6 {
        for (at, path) in PATHS.iter().enumerate() {
            for rest in ["", "a", "a/b", "a.css", "%41"] {
                let (host_name, path) = (format!("h{host}.shop.example"), format!("{path}{rest}"));
                let expected = if host < 5 {
                    format!("r{host}{at}")
                } else {
                    "main".to_owned()
                };
                let found = room_of(&config, &call(("GET", &host_name, &path), None));
                assert_eq!(found, expected, "{host_name}{path}");
            }
        }
    }
}

/// What is said of a list of rooms: of which room, about which setting, and words of what is accepted.
fn refused(rooms: &Value, (room, key, words): (Option<&str>, &str, &str)) {
    let unsound = Config::load(Deployed(json!({ "rooms": rooms }).to_string())).err();
    let problems = unsound.unwrap_or_else(|| panic!("{rooms}")).problems;
    let is_it = |problem: &Problem| {
        problem.key == key && problem.room.as_deref() == room && problem.accepted.contains(words)
    };
    assert!(problems.iter().any(is_it), "{rooms}: {problems:?}");
}

#[test]
fn a_wrong_list_of_rooms_is_named_with_what_is_accepted() {
    let at = |name: &str, path: &str| json!({ "name": name, "paths": path });
    let many: Vec<Value> = (0..51)
        .map(|room| at(&format!("r{room}"), &format!("/{room}")))
        .collect();
    let list = "a list of at most 50 objects";
    for (rooms, words) in [
        (json!("sale"), list),
        (at("a", "/a"), list),
        (json!(many), list),
        (json!([{ "paths": "/a" }]), "a name in each room"),
        (json!([at("a b", "/a")]), "a name in each room"),
        (json!([at("post", "/a")]), "not post"),
        (json!([at("post-a", "/a")]), "not post"),
        (json!([at("main", "/a")]), "a name of its own"),
        (json!([at("a", "/a"), at("a", "/b")]), "a name of its own"),
        (json!([at("a", "/a"), at("b", "/a")]), "that differ"),
    ] {
        refused(&rooms, (None, "rooms", words));
    }
}

#[test]
fn what_all_rooms_have_in_common_is_named_once() {
    let rooms =
        json!([{ "name": "a", "paths": "/a" }, { "name": "b", "paths": "/b", "automatic": "y" }]);
    for (key, value, expected) in [
        ("regions", json!("x"), vec![None]),
        ("automatic", json!("x"), vec![None, Some("b")]),
        ("automatic", json!("y"), vec![None, Some("b")]),
        ("brand_colors", json!("x"), vec![None]),
    ] {
        let settings = json!({ "rooms": rooms.to_string(), key: value }).to_string();
        let problems = match Config::load(Deployed(settings)) {
            Ok(config) => config.ignored,
            Err(unsound) => unsound.problems,
        };
        let found: Vec<Option<&str>> = problems
            .iter()
            .filter(|problem| problem.key == key)
            .map(|problem| problem.room.as_deref())
            .collect();
        assert_eq!(found, expected, "{key} {value}");
    }
}

#[test]
fn what_is_wrong_in_a_room_names_the_room() {
    for (member, key, words) in [
        (json!({}), "rooms", "hosts, paths, countries or when"),
        (
            json!({ "not": "/a" }),
            "rooms",
            "hosts, paths, countries or when",
        ),
        (json!({ "paths": "a" }), "rooms", "paths such as"),
        (json!({ "paths": 1 }), "rooms", "paths such as"),
        (json!({ "paths": [{}] }), "rooms", "paths once, as a text"),
        (json!({ "paths": [] }), "rooms", "paths once, as a text"),
        (
            json!({ "hosts": "none", "paths": "/a" }),
            "rooms",
            "hosts once",
        ),
        (
            json!({ "paths": "/a", "path": "/b" }),
            "rooms",
            "did you mean paths?",
        ),
        (
            json!({ "paths": "/a", "host": "a.b" }),
            "rooms",
            "did you mean hosts?",
        ),
        (
            json!({ "paths": "/a", "country": "DE" }),
            "rooms",
            "did you mean countries?",
        ),
        (
            json!({ "paths": "/a", "except": "/a/b" }),
            "rooms",
            "did you mean not?",
        ),
        (
            json!({ "paths": "/a", "not": "b" }),
            "rooms",
            "in not: paths such as",
        ),
        (
            json!({ "hosts": "a.b", "verifier": "/verify" }),
            "verifier",
            "bypass_paths",
        ),
        (json!({ "hosts": "https://a" }), "rooms", "hosts such as"),
        (json!({ "hosts": "*" }), "rooms", "hosts such as"),
        (json!({ "hosts": "*a.b" }), "rooms", "hosts such as"),
        (json!({ "countries": "de" }), "rooms", "two capital letters"),
        (
            json!({ "paths": "/a", "automatic": -1 }),
            "automatic",
            "0 to 86400",
        ),
        (
            json!({ "paths": "/a", "automatik": 1 }),
            "rooms",
            "did you mean automatic?",
        ),
        (
            json!({ "paths": "/a", "ticket_life": 90 }),
            "rooms",
            "holds for all rooms",
        ),
        (
            json!({ "paths": "/a", "event": { "id": "x" } }),
            "event",
            "opens",
        ),
    ] {
        let mut room = member;
        room["name"] = json!("a");
        refused(&json!([room]), (Some("a"), key, words));
    }
}

/// Of three rooms, `main`, `a` and `b`, with what the last two say besides.
#[test]
fn what_is_no_pace_to_share_is_named_with_what_is_accepted() {
    let rooms = |a: Value, b: Value| {
        let mut rooms = json!([{ "name": "a", "paths": "/a" }, { "name": "b", "paths": "/b" }]);
        for (at, more) in [a, b].into_iter().enumerate() {
            for (name, value) in more.as_object().unwrap() {
                rooms[at][name] = value.clone();
            }
        }
        rooms
    };
    let none = || json!({});
    for (a, b, room, words) in [
        (
            json!({ "shares": "x" }),
            none(),
            "a",
            "the name of another room",
        ),
        (
            json!({ "shares": "a" }),
            none(),
            "a",
            "the name of another room",
        ),
        (
            json!({ "shares": 5 }),
            none(),
            "a",
            "the name of another room",
        ),
        (
            json!({ "shares": "b" }),
            json!({ "shares": "main" }),
            "a",
            "names none in its own shares",
        ),
        (
            json!({ "shares": "main", "automatic": 5 }),
            none(),
            "a",
            "beside it none of automatic, automatic_quantity",
        ),
        (
            json!({ "shares": "main", "automatic_quantity": 5 }),
            none(),
            "a",
            "beside it none of automatic, automatic_quantity",
        ),
        (
            json!({ "shares": "main", "total_active": 5 }),
            none(),
            "a",
            "beside it none of automatic, automatic_quantity",
        ),
        (
            json!({ "shares": "main", "session_minutes": 5 }),
            none(),
            "a",
            "beside it none of automatic, automatic_quantity",
        ),
        (
            json!({ "shares": "main", "active_visitors": "observe" }),
            none(),
            "a",
            "session_renewal and active_visitors",
        ),
        (
            json!({ "share": "main" }),
            none(),
            "a",
            "did you mean shares?",
        ),
    ] {
        refused(&rooms(a, b), (Some(room), "rooms", words));
    }
    let document = json!({ "automatic": 20, "total_active": 9, "rooms": rooms(
        json!({ "automatic": 60, "automatic_quantity": 7, "total_active": 8 }),
        json!({ "shares": "a", "automatic": null, "total_active": null }),
    ) });
    let config = loaded(&document.to_string());
    let told = config.rooms.all().map(|room| {
        let of = room.limits_of.as_ref().map(ToString::to_string);
        (
            room.pace.automatic,
            room.pace.quantity,
            room.cap.total_active,
            of,
            config.rooms.sharing_with(room),
        )
    });
    let of_a = (60, 7, 8, Some("a".to_owned()), 2);
    assert_eq!(
        told.collect::<Vec<_>>(),
        [(20, 5, 9, None, 1), of_a.clone(), of_a]
    );
}

#[test]
fn what_only_concerns_looks_closes_no_room() {
    for room in [
        json!({ "name": "a", "paths": "/a", "heading": " " }),
        json!({ "name": "a", "paths": "/a", "log_sample": 3 }),
        json!({ "name": "a", "paths": "/a", "of_a_later_version": true }),
    ] {
        let config = loaded(&json!({ "rooms": [room] }).to_string());
        assert_eq!(config.ignored.len(), 1, "{room}");
        assert_eq!(config.ignored[0].room.as_deref(), Some("a"));
    }
}

#[test]
fn a_room_says_null_for_the_default_and_goes_before_single_keys() {
    let document = json!({
        "automatic": 20, "automatic_quantity": 7, "heading": "Soon",
        "rooms": [{ "name": "a", "paths": "/a", "automatic": null, "heading": "" }, { "name": "b", "paths": "/b" }],
    });
    let config = loaded(&document.to_string());
    let told: BTreeMap<String, (u64, u64, Option<String>)> = config
        .rooms
        .all()
        .map(|room| {
            let heading = room.pages.brand.heading.clone();
            (
                room.name.to_string(),
                (room.pace.automatic, room.pace.quantity, heading),
            )
        })
        .collect();
    let soon = || Some("Soon".to_owned());
    assert_eq!(
        told,
        BTreeMap::from([
            ("a".to_owned(), (15, 7, None)),
            ("b".to_owned(), (20, 7, soon())),
            ("main".to_owned(), (20, 7, soon())),
        ])
    );
}

/// What a path may be made of: parts of rooms' paths, and what origins read in several ways.
const PIECES: [&str; 14] = [
    "sale", "SALE", "vip", "x", "/", "/", "%2f", "%252F", ".", "..", ";", "\\", "%00", "%c0%af",
];

/// Every reading of a path that some origin may have, by rewriting it in any order: far more than any one origin does.
fn readings(path: &str) -> Vec<String> {
    let mut all = vec![path.to_owned()];
    let mut at = 0;
    while at < all.len() && all.len() < 400 {
        let path = all[at].clone();
        let mut nexts = vec![
            path.replace("//", "/"),
            path.replace('\\', "/"),
            path.to_ascii_lowercase(),
            path.replace("%25", "%"),
            path.replace("%2f", "/").replace("%2F", "/"),
            path.replace("%c0%af", "/"),
            path.split(';').next().unwrap().to_owned(),
            path.split("%00").next().unwrap().to_owned(),
            path.replace("/./", "/"),
        ];
        // A part with its parameters, and one with the two dots behind it.
        let parts: Vec<&str> = path.split('/').collect();
        let without = parts.iter().map(|part| part.split(';').next().unwrap());
        nexts.push(without.collect::<Vec<_>>().join("/"));
        if let Some(up) = parts.iter().skip(1).position(|part| *part == "..") {
            let mut left = parts.clone();
            left.remove(up + 1);
            if up > 0 {
                left.remove(up);
            }
            nexts.push(left.join("/"));
        }
        for next in nexts {
            if !all.contains(&next) {
                all.push(next);
            }
        }
        at += 1;
    }
    all
}

proptest! {
    #![proptest_config(traces::config(Traces::Known(3_000)))]

    /// Who is let into one room reaches by no spelling what an origin serves as another's.
    #[test]
    fn no_spelling_of_a_rooms_path_is_another_rooms(
        pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 1..8),
    ) {
        let config = loaded(&json!({ "rooms": [
            { "name": "sale", "paths": "/sale/*" },
            { "name": "vip", "paths": "/sale/vip/*" },
        ] }).to_string());
        let path = format!("/{}", pieces.concat());
        let found = room_of(&config, &call(("GET", "a.example", &path), None));
        for reading in readings(&path) {
            let is_below = |above: &str| reading == above || reading.starts_with(&format!("{above}/"));
            // Some leave out dots and what a semicolon begins, others do not: of the two rooms that it may be, the closer one has it.
            let is_either = ["/sale/vip.", "/sale/vip;"].iter().any(|begin| reading.starts_with(begin));
            if found == "vip" && is_either {
                continue;
            }
            let meant = if is_below("/sale/vip") { "vip" } else if is_below("/sale") { "sale" } else { continue };
            prop_assert!(
                found == meant || found == "refused",
                "{path} is for {found}, and may be read as {reading}"
            );
        }
    }
}

/// Whether the rooms are known of a document that closes them to newcomers, so that who is inside stays inside.
#[test]
fn what_leaves_open_which_room_a_request_is_for_lets_nobody_pass() {
    let knows = |document: Value| {
        let unsound = Config::load(Deployed(document.to_string())).err().unwrap();
        let place = unsound.place_of(&call(("GET", "a.example", "/sale/a"), None));
        place.map(|place| place.room.name.to_string())
    };
    let with = |member: &str, value: Value| {
        let mut room = json!({ "name": "sale", "paths": "/sale/*" });
        room[member] = value;
        json!({ "rooms": [room], "on_store_error": "oops" })
    };
    let sale = Some("sale".to_owned());
    for (member, value) in [
        ("automatik", json!(5)),
        ("ticket_life", json!(90)),
        ("automatic", json!(-1)),
        ("of_a_later_version", json!(1)),
        ("not", json!([])),
    ] {
        assert_eq!(knows(with(member, value)), sale, "{member}");
    }
    for (member, value) in [
        ("path", json!("/b")),
        ("not", json!(7)),
        ("hosts", json!([])),
        ("name", json!("a b")),
    ] {
        assert_eq!(knows(with(member, value)), None, "{member}");
    }
    let misspelt = json!({ "romms": [{ "name": "sale", "paths": "/sale/*" }] });
    assert_eq!(knows(misspelt), None);
    // Not read: who is inside the first room stays inside, and nobody else passes.
    let unread = json!({ "room": "shop", "more": ["settings_2"], "protected_paths": "/checkout", "bypass_paths": "/a" });
    let unsound = Config::load(Deployed(unread.to_string())).err().unwrap();
    let place = |path| {
        unsound
            .place_of(&call(("GET", "a.example", path), None))
            .unwrap()
    };
    assert_eq!(place("/sale/a").belongs, Belongs::InRoom);
}
