//! `docs/settings.schema.json`, by which editors check the configuration document, against what the service accepts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use jsonschema::Validator;
use now_serving::config::{Config, DOCUMENT, MORE, PARTS, Source, Unreadable};
use serde_json::{Value, json};

use crate::pure::conventions::text;

static SCHEMA: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(&text("docs/settings.schema.json")).unwrap());
static RULES: LazyLock<Validator> = LazyLock::new(|| jsonschema::validator_for(&SCHEMA).unwrap());

/// A deployed service with this document and sound secrets.
struct Deployed(String);

impl Source for Deployed {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(match key {
            DOCUMENT => Some(self.0.clone()),
            "upstash_url" => Some("https://a.example".to_owned()),
            "settings_2" | "settings_3" => Some("{}".to_owned()),
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

/// Every problem that the service has with a document.
fn problems(document: &Value) -> Vec<String> {
    let said = |found: now_serving::config::Problem| format!("{}: {}", found.key, found.accepted);
    match Config::load(Deployed(document.to_string())) {
        Ok(config) => config.ignored.into_iter().map(said).collect(),
        Err(unsound) => unsound.problems.into_iter().map(said).collect(),
    }
}

fn property(name: &str) -> &'static Value {
    &SCHEMA["properties"][name]
}

#[test]
fn the_schema_of_the_document_knows_every_setting_and_no_other() {
    let properties = SCHEMA["properties"].as_object().unwrap();
    let described: BTreeSet<&str> = properties.keys().map(String::as_str).collect();
    let mut names = BTreeSet::from_iter(Config::names());
    names.extend([MORE, "$schema"]);
    assert_eq!(described, names);
    assert_eq!(property(MORE)["items"]["enum"], json!(PARTS));
    for name in names.iter().filter(|name| **name != "$schema") {
        let told = property(name)["description"].as_str().unwrap();
        assert!(told.len() > 20, "{name}: {told}");
    }
}

#[test]
fn the_defaults_of_the_schema_are_those_of_the_service() {
    let properties = SCHEMA["properties"].as_object().unwrap();
    let defaults: BTreeMap<&String, &Value> = properties
        .iter()
        .filter_map(|(name, property)| Some((name, property.get("default")?)))
        .collect();
    assert!(defaults.len() > 20, "{defaults:?}");
    let shape = |document: Value| {
        let config = Config::load(Deployed(document.to_string())).ok().unwrap();
        assert_eq!(config.ignored, []);
        let room = config.rooms.first;
        let (operators, tickets) = (config.operators, config.tickets);
        let room = (
            (
                room.name,
                room.pace,
                room.absent_visitors,
                (room.cap, room.turn_minutes, room.longest_stay),
            ),
            (
                room.refresh_interval,
                room.pages.brand,
                room.shared_tickets,
                (
                    room.network_bound,
                    room.invitations,
                    room.signals,
                    room.allow_acl,
                    room.regions,
                    (room.verifier, room.site),
                ),
            ),
        );
        let operators = (
            (operators.path, operators.host, operators.acl),
            (operators.permit_max, operators.credit_max),
        );
        let others = (
            (
                tickets.life,
                tickets.stay,
                tickets.kit,
                config.backend_calls,
            ),
            (
                (config.paths, config.waf),
                config.web,
                config.outage,
                config.logging,
            ),
        );
        (room, operators, others)
    };
    assert_eq!(shape(json!(defaults)), shape(json!({})));
    assert!(RULES.is_valid(&json!(defaults)));
}

#[test]
fn the_schema_has_the_limits_of_the_service() {
    let properties = SCHEMA["properties"].as_object().unwrap();
    for (name, property) in properties.iter().filter(|(name, _)| *name != "clock") {
        let number = |field: &str| property[field].as_i64();
        if let (Some(least), Some(most)) = (number("minimum"), number("maximum")) {
            for (value, is_sound) in [
                (least - 1, false),
                (least, true),
                (most, true),
                (most + 1, false),
            ] {
                agree(name, &json!(value), is_sound);
            }
        }
        for value in property["enum"].as_array().into_iter().flatten() {
            agree(name, value, true);
        }
        if property.get("enum").is_some() {
            agree(name, &json!("neither"), false);
        }
        if let Some(most) = property["maxLength"].as_u64().filter(|_| {
            ![
                "brand_logo",
                "admin_host",
                "cookie_domain",
                "backend",
                "origin_host",
                "probe_path",
                "verifier",
            ]
            .contains(&name.as_str())
        }) {
            let text = |length: u64| json!("é".repeat(usize::try_from(length).unwrap()));
            agree(name, &text(most), true);
            agree(name, &text(most + 1), false);
        }
    }
}

/// Whether editors and the service say the same about a value.
fn agree(name: &str, value: &Value, is_sound: bool) {
    let mut document = json!({ name: value });
    if value == "inspect" {
        // The WAF is asked by these names.
        document["waf_workspace"] = json!("shop/production");
    }
    assert_eq!(
        RULES.is_valid(&document),
        is_sound,
        "the schema on {document}"
    );
    let problems = problems(&document);
    assert_eq!(
        problems.is_empty(),
        is_sound,
        "the service on {document}: {problems:?}"
    );
}

const OPENS: &str = "2030-01-31T10:00:00+01:00";

#[test]
fn editors_and_the_service_agree_on_words_paths_and_sites() {
    let logo = |length: usize| json!(format!("data:image/png,{}", "A".repeat(length - 15)));
    for (name, value, is_sound) in [
        ("room", json!("a-B_1"), true),
        ("room", json!("a b"), false),
        ("room", json!("x".repeat(65)), false),
        ("admin_path", json!("/staff/queue"), true),
        ("admin_path", json!("/"), false),
        ("admin_path", json!("/a/"), false),
        ("admin_path", json!("/a/../b"), false),
        ("admin_path", json!("a"), false),
        (
            "bypass_paths",
            json!(["/robots.txt", "/assets/*", "/*"]),
            true,
        ),
        ("bypass_paths", json!([]), true),
        ("bypass_paths", json!("none"), true),
        ("bypass_paths", json!(["assets"]), false),
        ("bypass_paths", json!(["/a*b"]), false),
        ("bypass_paths", json!(["/a b"]), false),
        (
            "bypass_paths",
            json!(["/über/*", "/%C3%BCber", "/a%20b", "/購入/*"]),
            true,
        ),
        ("bypass_paths", json!(["/a%2fb"]), false),
        ("bypass_paths", json!(["/a%2"]), false),
        ("bypass_paths", json!(["/u\u{308}ber"]), false),
        ("bypass_paths", json!(["/a\u{200b}b"]), false),
        ("bypass_paths", json!(["/a/../b"]), false),
        ("bypass_paths", json!([1]), false),
        (
            "bypass_paths",
            json!(["GET, POST /a", "*.min.css", "/b/"]),
            true,
        ),
        ("bypass_paths", json!(["FETCH /a"]), false),
        ("bypass_paths", json!(["*."]), false),
        ("bypass_paths", json!(["*.abcdefghijklmnopq"]), false),
        (
            "protected_paths",
            json!(["/tickets/*", "POST /checkout"]),
            true,
        ),
        ("protected_paths", json!([]), false),
        ("cache_paths", json!(["GET /assets/*", "*.css"]), true),
        ("cache_paths", json!(["POST /a"]), false),
        (
            "command_paths",
            json!(["POST /logout", "/order/done"]),
            true,
        ),
        ("command_paths", json!(["logout"]), false),
        (
            "signals",
            json!({ "bot": "observe", "ddos": "refuse" }),
            true,
        ),
        ("bypass_when", json!("none"), true),
        ("bypass_when", json!([]), true),
        (
            "bypass_when",
            json!([{ "header": ["X-App", "ios", "ü a"], "cookie": "a.b", "query": "a b", "agent": "A/", "country": "DE" }, { "country": ["DE", "AT"] }]),
            true,
        ),
        ("bypass_when", json!({ "cookie": "a" }), false),
        ("bypass_when", json!([{}]), false),
        ("bypass_when", json!([{ "host": "a" }]), false),
        ("bypass_when", json!([{ "header": "X-App" }]), false),
        ("bypass_when", json!([{ "header": [] }]), false),
        ("bypass_when", json!([{ "header": ["X App"] }]), false),
        ("bypass_when", json!([{ "header": ["X-App", " a"] }]), false),
        (
            "bypass_when",
            json!([{ "header": ["X-App", "a", "a"] }]),
            false,
        ),
        (
            "bypass_when",
            json!([{ "header": ["Authorization"] }]),
            false,
        ),
        ("bypass_when", json!([{ "header": ["TE"] }]), false),
        ("bypass_when", json!([{ "header": ["Te-a"] }]), true),
        ("bypass_when", json!([{ "header": ["Proxy-A"] }]), false),
        ("bypass_when", json!([{ "cookie": "queue-a" }]), false),
        ("bypass_when", json!([{ "cookie": "queued" }]), true),
        ("bypass_when", json!([{ "query": "" }]), false),
        ("bypass_when", json!([{ "agent": " A" }]), false),
        ("bypass_when", json!([{ "country": ["de"] }]), false),
        (
            "rooms",
            json!([{ "name": "a", "when": [{ "cookie": "a" }] }]),
            true,
        ),
        ("rooms", json!([{ "name": "a", "when": [] }]), false),
        (
            "rooms",
            json!([{ "name": "a", "paths": "/a", "when": "none" }]),
            false,
        ),
        ("signals", json!({ "bot": "block" }), false),
        ("signals", json!({ "bots": "observe" }), false),
        ("signals", json!("bot"), false),
        ("priority", json!("none"), true),
        ("priority", json!([]), true),
        (
            "priority",
            json!([{ "name": "vip", "share": 50 }, { "name": "fans", "share": 50 }]),
            true,
        ),
        ("priority", json!([{ "name": "vip" }]), false),
        ("priority", json!([{ "share": 5 }]), false),
        ("priority", json!([{ "name": "main", "share": 5 }]), false),
        ("priority", json!([{ "name": "vip", "share": 0 }]), false),
        ("priority", json!([{ "name": "vip", "share": 101 }]), false),
        (
            "priority",
            json!([{ "name": "vip", "share": 5, "uses": 1 }]),
            false,
        ),
        ("regions", json!("none"), true),
        (
            "regions",
            json!([{ "name": "west", "countries": ["US", "CA"] }, { "name": "east", "pops": "LHR, FRA" }]),
            true,
        ),
        ("regions", json!([]), false),
        ("regions", json!([{ "name": "west" }]), false),
        ("regions", json!([{ "name": "main", "pops": "SJC" }]), false),
        ("regions", json!([{ "name": "west", "pops": "sjc" }]), false),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "countries": "US" }]),
            false,
        ),
        ("regions", json!([{ "name": "west", "pops": [] }]), false),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "share": 1 }, { "name": "east", "pops": "LHR", "share": 99 }]),
            true,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "share": 0 }]),
            false,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "share": 1.5 }]),
            false,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "quota": 1 }]),
            false,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "backend": "west_origin" }]),
            true,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "backend": "upstash" }]),
            false,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "backend": "west", "origin_host": "west.example" }]),
            true,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "backend": "west", "origin_host": "none" }]),
            false,
        ),
        (
            "regions",
            json!([{ "name": "west", "pops": "SJC", "origin_host": "west.example" }]),
            false,
        ),
        ("event", json!({ "id": "sale", "opens": OPENS }), true),
        ("event", json!([{ "id": "sale", "opens": OPENS }]), true),
        ("event", json!([]), true),
        ("event", json!({ "id": "sale" }), false),
        ("event", json!({ "opens": OPENS }), false),
        ("event", json!({ "id": "a b", "opens": OPENS }), false),
        (
            "event",
            json!({ "id": "sale", "opens": "2030-01-31T10:00:00" }),
            false,
        ),
        (
            "event",
            json!({ "id": "sale", "opens": OPENS, "ends": OPENS }),
            false,
        ),
        ("event", json!(true), false),
        ("probe_path", json!("/"), true),
        (
            "probe_path",
            json!(format!("/a/{}/", "x".repeat(196))),
            true,
        ),
        ("probe_path", json!(format!("/{}", "x".repeat(200))), false),
        ("probe_path", json!("/health?key=secret"), false),
        ("probe_path", json!("/a//b"), false),
        ("probe_path", json!("/../a"), false),
        ("probe_path", json!("health"), false),
        (
            "verifier",
            json!("https://verify.shop.example:8443/a/b/"),
            true,
        ),
        ("verifier", json!("https://verify.shop.example"), true),
        ("verifier", json!("http://verify.shop.example"), false),
        ("verifier", json!("https://verify.shop.example/?a=b"), false),
        ("verifier", json!("https://u:p@verify.shop.example"), false),
        ("verifier", json!("/verify?a=b"), false),
        ("verifier", json!("verify"), false),
        ("message", json!("a\u{202e}b"), false),
        ("admin_host", json!("queue.shop.example"), true),
        ("admin_host", json!("https://queue.shop.example"), false),
        ("admin_host", json!("192.0.2.7"), false),
        ("waf", json!("off"), true),
        ("waf_workspace", json!("none"), true),
        ("waf_workspace", json!("shop/production"), true),
        ("waf_workspace", json!("Shop_1.2-3/a"), true),
        ("waf_workspace", json!("shop"), false),
        ("waf_workspace", json!("shop/"), false),
        ("waf_workspace", json!("shop/a/b"), false),
        ("waf_workspace", json!("shop/a b"), false),
        (
            "waf_workspace",
            json!(format!("a/{}", "b".repeat(128))),
            true,
        ),
        (
            "waf_workspace",
            json!(format!("a/{}", "b".repeat(129))),
            false,
        ),
        ("backend", json!("protected_content"), true),
        ("backend", json!("sale_origin.2"), true),
        ("backend", json!("upstash"), false),
        ("backend", json!("sale origin"), false),
        ("origin_host", json!("none"), true),
        ("origin_host", json!("shop-1234.herokuapp.com"), true),
        ("origin_host", json!("origin"), false),
        ("origin_host", json!("https://origin.example"), false),
        ("origin_host", json!("origin.example:8443"), false),
        ("origin_host", json!("Origin.example"), false),
        ("cookie_domain", json!("none"), true),
        ("cookie_domain", json!("www.shop.example"), true),
        ("cookie_domain", json!("example"), false),
        ("cookie_domain", json!(".shop.example"), false),
        ("cookie_domain", json!("192.0.2.7"), false),
        (
            "frame_ancestors",
            json!(["self", "https://*.shop.example:8443"]),
            true,
        ),
        ("frame_ancestors", json!(["http://shop.example"]), false),
        ("frame_ancestors", json!(["*"]), false),
        (
            "cors_origins",
            json!(["https://app.shop.example", "http://localhost:5173"]),
            true,
        ),
        ("cors_origins", json!(["https://App.shop.example"]), false),
        ("cors_origins", json!(["http://app.shop.example"]), false),
        ("cors_origins", json!(["*"]), false),
        ("brand_colors", json!(["#c8371b", "#FF9A73"]), true),
        ("brand_colors", json!(["red"]), false),
        (
            "brand_colors",
            json!(["#000000", "#000000", "#000000"]),
            false,
        ),
        ("brand_logo", logo(6_000), true),
        ("brand_logo", logo(6_001), false),
        ("brand_logo", json!("https://a.example/logo.png"), false),
        ("heading", json!(" "), false),
        ("heading", json!("a\nb"), false),
        ("message", json!("<b>Hi</b>"), true),
        ("message", json!(true), false),
        ("upstash_url", json!("ftp://a.example"), false),
        ("automatic", json!(1.5), false),
        ("cf_compat", json!(true), false),
        (MORE, json!(["settings_2", "settings_3"]), true),
        (MORE, json!(["settings_2", "settings_2"]), false),
        (MORE, json!(["bypass_paths"]), false),
        ("bypas_paths", json!("none"), false),
    ] {
        if name == "upstash_url" {
            assert!(!RULES.is_valid(&json!({ name: value })));
        } else {
            agree(name, &value, is_sound);
        }
    }
}
