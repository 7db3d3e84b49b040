//! The country of a visitor, as the local server tells it, and the room that it decides about.

use std::collections::BTreeMap;

use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use serde_json::{Value, json};
use upstash_local::{DEADLINE, Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, STORE_TOKEN};

use super::limits::{held, secrets};
use super::signals::place;

/// The name of the cookie with the ticket that a visitor from this place gets.
fn cookie_of(place: Option<Value>) -> String {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let mut settings = held(&store.url());
    let rooms = r#"[{"name":"near","countries":["DE","AT"]},{"name":"sale","countries":"DE","paths":"/sale/*"}]"#;
    settings.insert("rooms".to_owned(), rooms.to_owned());
    let places = place.map(|place| ("127.0.0.1".to_owned(), place));
    let edge = Edge::start(&EdgeOptions {
        secrets: secrets(),
        places: BTreeMap::from_iter(places),
        ..EdgeOptions::local(
            harness::edge::wasm().unwrap(),
            (origin.url(), store.url()),
            settings,
            20 * DEADLINE,
        )
    })
    .unwrap();
    let got = Connection::open(edge.addr()).ask(&Ask::get("/shoes").json());
    assert_eq!(got.json()["position"], 1, "{got:?}");
    let cookie = got.header("set-cookie");
    cookie.split('=').next().unwrap().to_owned()
}

#[test]
fn the_country_that_the_platform_knows_decides_about_the_room() {
    let here = |code: &str| {
        let mut place = place("?", "?");
        place["country_code"] = json!(code);
        Some(place)
    };
    assert_eq!(cookie_of(here("DE")), "queue-near");
    assert_eq!(cookie_of(here("AT")), "queue-near");
    assert_eq!(cookie_of(here("FR")), "queue");
    assert_eq!(cookie_of(here("?")), "queue", "a country that is not known");
}
