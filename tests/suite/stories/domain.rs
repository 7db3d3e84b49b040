//! The setting `cookie_domain`: one place on all hosts of a domain.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, Got, House};

/// The cookies of a browser by name and by the hosts that each is for: one host, or a domain with a dot in front.
#[derive(Default)]
struct Browser(BTreeMap<(String, String), String>);

impl Browser {
    fn ask(&mut self, house: &House, host: &str, ask: Ask) -> Got {
        let is_for = |hosts: &str| {
            let domain = hosts.strip_prefix('.');
            hosts == host || domain.is_some_and(|domain| host == domain || host.ends_with(hosts))
        };
        let sent = self.0.iter().filter(|((_, hosts), _)| is_for(hosts));
        let sent: Vec<String> = sent
            .map(|((name, _), value)| format!("{name}={value}"))
            .collect();
        let mut ask = ask.with("host", host);
        if !sent.is_empty() {
            ask = ask.with("cookie", sent.join("; "));
        }
        let got = house.ask(&ask);
        for cookie in got.all("set-cookie") {
            if cookie.starts_with("__") {
                self.keep(host, cookie);
            }
        }
        got
    }

    fn keep(&mut self, host: &str, cookie: &str) {
        let (pair, attributes) = cookie.split_once("; ").unwrap();
        let (name, value) = pair.split_once('=').unwrap();
        let mut attributes = attributes.split("; ");
        let domain = attributes
            .clone()
            .find_map(|part| part.strip_prefix("Domain="));
        assert!(attributes.clone().any(|part| part == "Secure"), "{cookie}");
        assert_eq!(name.starts_with("__Host-"), domain.is_none(), "{cookie}");
        let hosts = domain.map_or_else(|| host.to_owned(), |domain| format!(".{domain}"));
        let key = (name.to_owned(), hosts);
        if attributes.any(|part| part == "Max-Age=0") {
            self.0.remove(&key);
        } else {
            self.0.insert(key, value.to_owned());
        }
    }

    /// The number, drawn by the second contact where somebody waits.
    fn number(&mut self, house: &House, host: &str) -> Value {
        let mut asked = (0..2).map(|_| self.ask(house, host, Ask::get("/").json()).json());
        let drawn = asked.find(|got| !got["position"].is_null());
        drawn.map_or(Value::Null, |got| got["position"].clone())
    }

    fn names(&self) -> Vec<&str> {
        self.0.keys().map(|(name, _)| name.as_str()).collect()
    }
}

pub(crate) fn the_hosts_of_a_domain_share_a_place(house: &House) {
    house.set("cookie_domain", "shop.example");
    house.set("cross_site_posts", "on");
    let (mut visitor, mut another) = (Browser::default(), Browser::default());
    assert_eq!(visitor.number(house, "www.shop.example"), 1);
    assert_eq!(visitor.names(), ["__Secure-queue"]);
    for host in ["tickets.shop.example", "shop.example", "a.b.shop.example"] {
        assert_eq!(visitor.number(house, host), 1, "{host}");
    }
    assert_eq!(another.number(house, "xshop.example"), 2);
    assert_eq!(another.names(), ["__Host-queue"], "its host has its own");
    house.permit(1);
    let inside = visitor.ask(house, "www.shop.example", Ask::get("/echo"));
    assert!(inside.inside, "{inside:?}");
    assert_eq!(visitor.names(), ["__Secure-queue", "__Secure-queue-post"]);
    assert!(
        house.is_free(|| {
            let there = visitor.ask(house, "tickets.shop.example", Ask::get("/echo"));
            assert!(there.inside, "{there:?}");
        }),
        "no store is asked for a visitor inside"
    );
}

pub(crate) fn a_place_from_before_the_hosts_shared_it_is_kept(house: &House) {
    house.set("cookie_expiry", "60");
    let mut visitor = Browser::default();
    assert_eq!(visitor.number(house, "www.shop.example"), 1);
    assert_eq!(visitor.names(), ["__Host-queue"]);
    let mut another = Browser::default();
    assert_eq!(another.number(house, "tickets.shop.example"), 2);
    house.set("cookie_domain", "shop.example");
    for kept in [&["__Host-queue", "__Secure-queue"][..], &["__Secure-queue"]] {
        assert_eq!(visitor.number(house, "www.shop.example"), 1);
        assert_eq!(visitor.names(), kept, "the old one until the other is seen");
    }
    assert_eq!(
        another.number(house, "www.shop.example"),
        3,
        "not known there"
    );
    for host in ["tickets.shop.example", "www.shop.example"] {
        assert_eq!(another.number(house, host), 2, "the earlier one, at {host}");
    }
    let spoilt = ("__Secure-queue".to_owned(), ".shop.example".to_owned());
    let shared = another.0.insert(spoilt, "spoilt".to_owned()).unwrap();
    another.keep(
        "tickets.shop.example",
        &format!("__Host-queue={shared}; Secure"),
    );
    assert_eq!(
        another.number(house, "tickets.shop.example"),
        2,
        "the one that is a ticket"
    );
    house.permit(1);
    let inside = visitor.ask(house, "www.shop.example", Ask::get("/echo"));
    assert!(inside.inside, "{inside:?}");
    let there = visitor.ask(house, "tickets.shop.example", Ask::get("/echo"));
    assert!(there.inside, "{there:?}");
    house.wait(Duration::from_secs(61));
    let number = visitor.number(house, "www.shop.example");
    assert_eq!(number, 4, "no old ticket brings anybody back");
}

pub(crate) fn a_shared_place_is_nothing_where_each_host_has_its_own(house: &House) {
    house.set("cookie_domain", "shop.example");
    let mut visitor = Browser::default();
    assert_eq!(visitor.number(house, "www.shop.example"), 1);
    house.set("cookie_domain", "none");
    assert_eq!(visitor.number(house, "www.shop.example"), 2);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(status["length"], json!(2));
}
