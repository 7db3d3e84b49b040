//! What one sandbox takes of the platform in its whole life, as the local server writes down every call of the host: look-ups
//! of the config store, reads of the secret store, calls of backends. In the worst configuration: everything set, and long.

use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use std::time::Duration;

use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use now_serving::cache::MAX_AGE;
use now_serving::config::budget;
use serde_json::json;
use upstash_local::{DEADLINE, Server, Store};

use crate::connection::Connection;
use crate::house::{ADMIN_TOKEN, ANY_PORT, Ask, PASSWORD, PERMIT_TOKEN, SECRET, STORE_TOKEN};

/// The least that can be set: a sandbox with seven requests to the origin exceeds it.
const CALLS: u64 = 6;

/// What a sandbox took.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    look_ups: u64,
    secrets: u64,
    calls: u64,
}

/// Every key there can be, each as long as the platform takes it.
fn worst(store: &str) -> BTreeMap<String, String> {
    let long = |length: usize| "x".repeat(length);
    let paths: Vec<String> = (0..40)
        .map(|number| format!("/{number}{}", long(100)))
        .collect();
    let document = json!({
        "more": ["settings_2", "template"],
        "backend_calls": CALLS,
        "bypass_paths": paths,
        "probe_path": "/status/500",
        "message": long(200),
        "heading": long(120),
    });
    let logo = format!("data:image/png,{}", long(5_985));
    let part = json!({ "brand_logo": logo, "brand_name": long(60), "log_query": "on" });
    let page = format!("<p>{{{{line}}}}</p><!-- {} -->", long(7_900));
    let keys = [
        ("settings", document.to_string()),
        ("settings_2", part.to_string()),
        ("template", page),
        ("upstash_url", store.to_owned()),
        ("room", "main".to_owned()),
        ("automatic", "0".to_owned()),
        ("automatic_quantity", "5".to_owned()),
        ("cookie_expiry", "86400".to_owned()),
        ("refresh_interval", "5".to_owned()),
    ];
    keys.map(|(key, value)| (key.to_owned(), value)).into()
}

pub(super) fn secrets() -> BTreeMap<String, String> {
    let tokens = format!("{PERMIT_TOKEN},prometheus/read:development-only-read-token");
    let secrets = [
        (
            "jwt_secret",
            &format!("{SECRET},development-only-jwt-secret-fedcba9876543210"),
        ),
        ("upstash_token", &STORE_TOKEN.to_owned()),
        ("admin_password", &PASSWORD.to_owned()),
        ("permit_token", &tokens),
        ("admin_token", &ADMIN_TOKEN.to_owned()),
    ];
    secrets
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .into()
}

/// Everybody who can ask, one after the other.
fn asks(ticket: &str) -> Vec<Ask> {
    let holds = |target: &str| {
        Ask::get(target)
            .json()
            .with("cookie", format!("queue={ticket}"))
    };
    let mut asks = vec![Ask::get("/robots.txt"); 7];
    asks.extend([
        Ask::get("/").json(),
        holds("/"),
        Ask::get("/robots.txt"),
        holds("/_queue/place"),
        Ask::get("/_queue").operator(),
        holds("/"),
        Ask::permit(1),
        Ask::get("/robots.txt"),
        Ask::get("/_queue/healthz"),
        Ask::get("/_queue/status"),
    ]);
    asks
}

/// What each sandbox took, by the number that the local server gives it.
fn taken(lines: &[String]) -> BTreeMap<u64, Taken> {
    let mut taken: BTreeMap<u64, Taken> = BTreeMap::new();
    for line in lines {
        let Some((_, rest)) = line.split_once("request{id=") else {
            continue;
        };
        let (id, rest) = rest.split_once('}').unwrap();
        let of_it = taken.entry(id.parse().unwrap()).or_default();
        let is_trace = line.contains(" TRACE ");
        // Each call has a line with its arguments and one with its result.
        let is_call = |module: &str, function: &str| {
            let begin = format!("wiggle abi{{module=\"fastly_{module}\" function=\"{function}");
            is_trace && rest.contains(&begin) && !rest.contains(": result=")
        };
        of_it.look_ups += u64::from(is_call("config_store", "get\""));
        of_it.secrets += u64::from(is_call("secret_store", "get\""));
        of_it.calls += u64::from(is_call("http_req", "send"));
    }
    // A request that another sandbox served has a number too, and nothing else.
    taken.retain(|_, taken| taken.look_ups > 0);
    taken
}

pub(super) fn traced(settings: BTreeMap<String, String>, store: &str, origin: &Origin) -> Edge {
    let backends = (origin.url(), store.to_owned());
    Edge::start(&EdgeOptions {
        secrets: secrets(),
        is_traced: true,
        ..EdgeOptions::local(
            harness::edge::wasm().unwrap(),
            backends,
            settings,
            20 * DEADLINE,
        )
    })
    .unwrap()
}

#[test]
fn no_sandbox_exceeds_what_the_platform_allows_in_the_worst_configuration() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let edge = traced(worst(&store.url()), &store.url(), &origin);
    let mut connection = Connection::open(edge.addr());
    let mut ticket = String::new();
    let (mut answers, mut asked) = (BTreeSet::new(), 0);
    for _ in 0..6 {
        for ask in asks(&ticket) {
            let got = connection.ask(&ask);
            ticket = got.ticket().unwrap_or(ticket);
            answers.insert(got.status);
            asked += 1;
        }
        // The settings of a local sandbox are read again after a second.
        thread::sleep(Duration::from_millis(400));
    }
    assert!(
        answers.contains(&200) && !answers.contains(&500),
        "{answers:?}"
    );
    let taken = taken(&edge.output());
    println!("{taken:?}");
    let most = |of: fn(&Taken) -> u64| taken.values().map(of).max().unwrap();
    assert!(
        most(|taken| taken.look_ups) >= 12,
        "the worst configuration was read"
    );
    assert!(
        most(|taken| taken.secrets) >= 4,
        "an operator's secrets too"
    );
    assert!(most(|taken| taken.calls) >= 1);
    assert!(taken.len() < asked, "sandboxes live on");
    for (id, taken) in taken {
        assert!(
            taken.look_ups <= u64::try_from(budget::LOOK_UPS).unwrap(),
            "{id}: {taken:?}"
        );
        assert!(
            taken.secrets <= u64::try_from(budget::SECRETS).unwrap(),
            "{id}: {taken:?}"
        );
        assert!(taken.calls <= CALLS, "{id}: {taken:?}");
    }
}

/// A line that moves by hand only.
pub(super) fn held(store: &str) -> BTreeMap<String, String> {
    let held = [("upstash_url", store), ("automatic", "0")];
    held.map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

/// The look-ups of an outbox, known by the length of the key, after each refresh of the board.
fn outboxes_by_refresh(lines: &[String]) -> Vec<usize> {
    let of = |function: &str, key: &str| {
        let begin = format!("{{module=\"fastly_cache\" function=\"{function}\"}}: cache_key=");
        let length = format!("/{} ", key.len());
        move |line: &String| line.contains(&begin) && line.contains(&length)
    };
    let is_refresh = of("transaction_lookup_async", "board:main");
    let is_outbox = of("lookup", "outbox:main:0");
    let spans = lines.split(is_refresh).skip(1);
    spans
        .map(|span| span.iter().filter(|line| is_outbox(line)).count())
        .collect()
}

/// A visitor polls alone, and each poll finds that the board is to be read again. Once before and once after the store's
/// answer; a sandbox that ends may look once more, and so does each refresh for what the origin answered.
#[test]
fn a_refresh_of_the_sign_looks_at_one_outbox() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let edge = traced(held(&store.url()), &store.url(), &origin);
    let mut connection = Connection::open(edge.addr());
    let mut ticket = String::new();
    for _ in 0..8 {
        let ask = Ask::get("/").json();
        let got = connection.ask(&ask.with("cookie", format!("queue={ticket}")));
        ticket = got.ticket().unwrap_or(ticket);
        thread::sleep(MAX_AGE + Duration::from_millis(100));
    }
    let seen = outboxes_by_refresh(&edge.output());
    println!("{seen:?}");
    assert!(seen.len() >= 5, "{seen:?}");
    assert!(
        seen.iter().all(|looked| (1..=4).contains(looked)),
        "{seen:?}"
    );
}
