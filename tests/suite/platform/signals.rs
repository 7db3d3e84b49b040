//! What the local server says of a request: of its address, and of attacks.

use std::collections::BTreeMap;

use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use serde_json::{Value, json};
use upstash_local::{DEADLINE, Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, House, STORE_TOKEN, visitors};

use super::limits::{held, secrets, traced};

#[test]
fn where_no_product_says_anything_visitors_draw_as_ever() {
    let house = House::wasm_shared();
    let rule = r#"{"bot":"refuse","hosting":"refuse","anonymous":"refuse","ddos":"refuse"}"#;
    house.set("signals", rule);
    for (visitor, number) in visitors(&house, 3).iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
    let health = house.ask(&Ask::get("/_queue/healthz"));
    // The local server says no of attacks, and its geolocation that this machine is no proxy.
    let said = "ok\nsignals: bot is not known here, hosting is answered, anonymous is answered, ddos is answered\n";
    assert_eq!((health.status, health.body.as_str()), (200, said));
}

/// A place as the platform tells it.
pub(super) fn place(proxy_type: &str, proxy_description: &str) -> Value {
    json!({
        "as_name": "A provider",
        "as_number": 64_496,
        "area_code": 0,
        "city": "?",
        "conn_speed": "broadband",
        "conn_type": "wired",
        "continent": "EU",
        "country_code": "DE",
        "country_code3": "DEU",
        "country_name": "germany",
        "latitude": 0.0,
        "longitude": 0.0,
        "metro_code": 0,
        "postal_code": "?",
        "proxy_type": proxy_type,
        "proxy_description": proxy_description,
        "region": "?",
        "utc_offset": 100,
    })
}

#[test]
fn where_no_product_knows_the_address_its_geolocation_says_what_it_is() {
    for (kind, description, title, is_challenged) in [
        ("hosting", "?", json!("No number is given"), false),
        ("?", "cloud", json!("No number is given"), false),
        ("anonymous", "?", Value::Null, true),
        ("?", "vpn", Value::Null, true),
        ("public", "?", Value::Null, false),
        ("consumer-privacy", "apple", Value::Null, false),
    ] {
        let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
        let origin = Origin::start(ANY_PORT).unwrap();
        let mut settings = held(&store.url());
        let rule = r#"{"hosting":"refuse","anonymous":"challenge"}"#;
        settings.insert("signals".to_owned(), rule.to_owned());
        let edge = Edge::start(&EdgeOptions {
            secrets: secrets(),
            places: BTreeMap::from([("127.0.0.1".to_owned(), place(kind, description))]),
            ..EdgeOptions::local(
                harness::edge::wasm().unwrap(),
                (origin.url(), store.url()),
                settings,
                20 * DEADLINE,
            )
        })
        .unwrap();
        let got = Connection::open(edge.addr()).ask(&Ask::get("/").json());
        assert_eq!(got.json()["title"], title, "{kind} {description}: {got:?}");
        let challenge = &got.json()["challenge"];
        assert_eq!(challenge.is_object(), is_challenged, "{got:?}");
    }
}

/// Whether a first visitor's draw asks the platform of bots, of the address, and of attacks.
fn asked(signals: Option<&str>) -> [bool; 3] {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let mut settings = held(&store.url());
    settings.extend(signals.map(|rule| ("signals".to_owned(), rule.to_owned())));
    let edge = traced(settings, &store.url(), &origin);
    let got = Connection::open(edge.addr()).ask(&Ask::get("/").json());
    assert_eq!(got.json()["position"], 1);
    // Written down when all that the request called has been: the sandbox waits for the next one, or it ends.
    let is_over = |line: &String| {
        let last = ["function=\"next_request_wait\"", " completed using "];
        last.iter().any(|words| line.contains(words))
    };
    let lines = (0..1_000).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        let lines = edge.output();
        lines.iter().any(is_over).then_some(lines)
    });
    let lines = lines.unwrap();
    let calls = ["bot_analyzed", "resvpnproxy_is", "client_ddos_detected"];
    calls.map(|call| {
        let call = format!("function=\"downstream_{call}");
        lines.iter().any(|line| line.contains(&call))
    })
}

#[test]
fn the_platform_is_asked_for_the_signals_in_use_and_for_no_others() {
    assert_eq!(asked(None), [false, false, false]);
    assert_eq!(asked(Some(r#"{"bot":"observe"}"#)), [true, false, false]);
    let others = r#"{"bot":"ignore","anonymous":"observe","ddos":"refuse"}"#;
    assert_eq!(asked(Some(others)), [false, true, true]);
}
