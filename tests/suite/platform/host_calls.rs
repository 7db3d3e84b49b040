//! How often a request calls the host, as the local server writes it down: the calls are most of what a request costs.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use harness::edge::Edge;
use harness::heap::Sandboxes;
use harness::host_calls::{self, Taken};
use harness::origin::Origin;
use serde_json::json;
use upstash_local::{Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, PERMIT_TOKEN, STORE_TOKEN};

use super::limits::{held, traced};

/// Of this many equal requests some are in the middle of a sandbox's life, and find a board that is fresh: in the sandbox, or in the
/// POP.
const REQUESTS: usize = 12;

/// In MB of 2^20 bytes: what a request leaves to the next in its sandbox, of which one here serves six at most, is little.
const LARGEST_HEAP: f64 = 1.8;

/// How often they are sent again where another number of calls is seen. On a slow machine most of them may find the board old, and
/// renew it; a request that always calls the host more often is seen to each time.
const TRIES: usize = 5;

/// What most of them take. Behind each stands one that ends, so that nothing is cut off.
fn usual(edge: &Edge, asks: &dyn Fn() -> Ask) -> Option<Taken> {
    let asks: Vec<Ask> = (0..REQUESTS).map(|_| asks()).collect();
    let mut connection = Connection::open(edge.addr());
    edge.forget_output();
    for ask in &asks {
        connection.ask(ask);
    }
    let ask = &asks[0];
    let lines = edge.output();
    let heap = Sandboxes::of(&lines).heap_mb.unwrap_or_default();
    let calls = host_calls::by_request(&lines);
    println!("{}: {calls:?}, {heap} MiB", ask.target);
    assert!(heap < LARGEST_HEAP, "{}: {heap} MiB", ask.target);
    host_calls::usual(&lines)
}

/// What Chromium sends with an update.
fn of_browser(ask: Ask) -> Ask {
    let agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
    let headers = [
        ("accept", "application/json"),
        ("accept-language", "en-GB,en;q=0.9"),
        ("dnt", "1"),
        ("referer", "http://127.0.0.1/"),
        ("sec-ch-ua", r#""Chromium";v="140""#),
        ("sec-ch-ua-mobile", "?0"),
        ("sec-ch-ua-platform", r#""Linux""#),
        ("sec-fetch-dest", "empty"),
        ("sec-fetch-mode", "cors"),
        ("sec-fetch-site", "same-origin"),
        ("user-agent", agent),
    ];
    let with = |ask: Ask, (name, value)| ask.with(name, value);
    headers.into_iter().fold(ask, with)
}

#[test]
fn a_request_calls_the_host_no_more_often_than_it_needs() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let edge = traced(held(&store.url()), &store.url(), &origin);
    let mut connection = Connection::open(edge.addr());
    let mut draw = || {
        // The second visitor's number is drawn by the ticket of the first contact.
        let first = connection.ask(&Ask::get("/").json()).ticket().unwrap();
        let ask = Ask::get("/")
            .json()
            .with("cookie", format!("queue={first}"));
        let second = connection.ask(&ask).ticket();
        format!("queue={}", second.unwrap_or(first))
    };
    let (first, second) = (draw(), draw());
    let first_contact = Ask::get("/").json();
    // What a ticket was answered is remembered for a second, so each draws with one of its own.
    let drawing = || {
        let ticket = Connection::open(edge.addr()).ask(&first_contact).ticket();
        let cookie = format!("queue={}", ticket.unwrap());
        first_contact.clone().with("cookie", cookie)
    };
    let permit = Ask::get("/_queue/permit").method("POST");
    let permit = permit.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let inside = {
        let mut connection = Connection::open(edge.addr());
        assert_eq!(connection.ask(&permit).status, 200);
        let got = connection.ask(&Ask::get("/echo").with("cookie", &first));
        format!("queue={}", got.ticket().unwrap())
    };
    let expected = [
        (Ask::get("/robots.txt"), 19, 0),
        (Ask::get("/echo").json().with("cookie", &inside), 24, 0),
        (Ask::get("/echo").with("cookie", inside), 23, 0),
        (Ask::get("/_queue/place").with("cookie", &second), 17, 0),
        // Eight headers of these are read, besides the one that names the host.
        (
            of_browser(Ask::get("/_queue/place").with("cookie", &second)),
            24,
            0,
        ),
        (Ask::get("/").with("cookie", &second), 31, 1),
        (first_contact.clone(), 30, 1),
    ];
    let is_usual = |calls: usize, cache_operations: usize, asks: &dyn Fn() -> Ask| {
        let taken = Taken {
            calls,
            cache_operations,
        };
        let mut seen = (0..TRIES).map(|_| usual(&edge, asks));
        assert!(
            seen.any(|usual| usual == Some(taken)),
            "not {taken:?} for {}",
            asks().target
        );
    };
    for (ask, calls, cache_operations) in expected {
        is_usual(calls, cache_operations, &|| ask.clone());
    }
    is_usual(60, 6, &drawing);
}

#[test]
fn a_header_that_conditions_name_is_asked_for_once_and_only_where_it_came() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let mut settings = held(&store.url());
    let conditions = json!([
        { "header": ["X-App", "ios"] }, { "header": ["X-App", "android"] }, { "header": ["X-Other"] },
        { "cookie": "beta" }, { "query": "preview" }, { "agent": "ShopApp/" },
    ]);
    let document = json!({ "bypass_when": conditions, "bypass_paths": "/robots.txt" });
    settings.insert("settings".to_owned(), document.to_string());
    let edge = traced(settings, &store.url(), &origin);
    let robots = || Ask::get("/robots.txt");
    for (ask, calls) in [
        (robots(), 19),
        (robots().with("dnt", "1"), 19),
        (robots().with("x-app", "web"), 20),
    ] {
        let taken = Taken {
            calls,
            cache_operations: 0,
        };
        let mut seen = (0..TRIES).map(|_| usual(&edge, &|| ask.clone()));
        assert!(
            seen.any(|usual| usual == Some(taken)),
            "not {taken:?}: {ask:?}"
        );
    }
}

/// After this time the sandbox of a visit has ended, which the local server lets wait for ten seconds, and the copy of the board is old.
const QUIET: Duration = Duration::from_secs(12);

/// What one page asks for besides itself, all at once: nearly each has a sandbox of its own.
const PARTS: usize = 20;

#[test]
fn a_quiet_site_takes_no_more_operations_of_the_cache_than_the_docs_say() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let edge = traced(held(&store.url()), &store.url(), &origin);
    let asked = |ask: &Ask| Connection::open(edge.addr()).ask(ask);
    let permit = Ask::get("/_queue/permit").method("POST");
    asked(&permit.with("authorization", format!("Bearer {PERMIT_TOKEN}")));
    let ticket = asked(&Ask::get("/echo")).ticket().unwrap();
    let inside = Ask::get("/echo").with("cookie", format!("queue={ticket}"));
    thread::sleep(QUIET);
    let visited = |parts: usize| {
        edge.forget_output();
        assert_eq!(asked(&inside).status, 200);
        thread::scope(|scope| {
            for _ in 0..parts {
                scope.spawn(|| assert_eq!(asked(&inside).status, 200));
            }
        });
        thread::sleep(QUIET);
        Taken::of(&edge.output()).cache_operations
    };
    // The first takes along what was counted of the admission. Each renews the copy of the board, sends what was counted, and has it
    // acknowledged.
    let alone = [visited(0), visited(0)];
    let page = visited(PARTS);
    println!("alone {alone:?}, a page {page}");
    assert!(
        alone.iter().all(|many| (1..=21).contains(many)),
        "{alone:?}"
    );
    // A part that comes while the board is being renewed looks for that too.
    assert!(page <= 6 * (1 + PARTS), "{page}");
}

/// What a sandbox did of a request for the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Did {
    /// The visitor has the answer, or the host is told to hand it over.
    Answered,
    /// What the origin answered is kept for the store, or it is noted that this page was heard.
    Noted,
}

impl Did {
    /// The keys are known by their lengths.
    fn of(line: &str) -> Option<Self> {
        let calls = |module: &str, function: &str| {
            line.contains(&format!("{{module=\"{module}\" function=\"{function}"))
        };
        let keys = [
            "outbox:main:4".to_owned(),
            format!("watched:main:path {:40}", ""),
        ];
        let is_one = || {
            keys.iter()
                .any(|key| line.contains(&format!("/{} ", key.len())))
        };
        if calls("fastly_http_resp", "send_downstream") {
            Some(Self::Answered)
        } else if calls("fastly_cache", "insert") && is_one() {
            Some(Self::Noted)
        } else {
            None
        }
    }
}

/// What was done of each request that was answered, in its order.
fn done(lines: &[String]) -> Vec<Vec<Did>> {
    let mut done: BTreeMap<&str, Vec<Vec<Did>>> = BTreeMap::new();
    for line in lines.iter().filter(|line| host_calls::is_call(line)) {
        let (_, rest) = line.split_once("request{id=").unwrap();
        let of_sandbox = done.entry(rest.split('}').next().unwrap()).or_default();
        if line.contains("function=\"next_request_wait\"") || of_sandbox.is_empty() {
            of_sandbox.push(Vec::new());
        }
        of_sandbox.last_mut().unwrap().extend(Did::of(line));
    }
    let requests = done.into_values().flatten();
    let answered = requests.filter(|done| done.contains(&Did::Answered));
    answered.collect()
}

/// Whether the origin answered badly or late, and whether the visitor came in by the request or was inside.
#[test]
fn what_the_origin_answers_is_noted_after_the_visitor_has_the_answer() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let mut settings = held(&store.url());
    let watched = [
        ("origin_health", "observe"),
        ("watch_documents", "1"),
        ("slow_ms", "100"),
    ];
    settings.extend(watched.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let edge = traced(settings, &store.url(), &origin);
    let asked = |ask: &Ask| Connection::open(edge.addr()).ask(ask);
    let permit = Ask::get("/_queue/permit").method("POST");
    let permit = permit.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let let_in = || assert_eq!(asked(&permit).status, 200);
    let_in();
    let ticket = asked(&Ask::get("/echo").json()).ticket().unwrap();
    let page = Ask::get("/status/500").with("accept", "text/html");
    let page = page.with("sec-fetch-mode", "navigate");
    for (ask, notes) in [
        (Ask::get("/status/500").json(), 1),
        (Ask::get("/slow?ms=400").json(), 1),
        (page.with("cookie", format!("queue={ticket}")), 2),
    ] {
        let_in();
        edge.forget_output();
        asked(&ask);
        let noted = |done: &[Vec<Did>]| {
            done.iter()
                .flatten()
                .filter(|did| **did == Did::Noted)
                .count()
        };
        let mut seen = Vec::new();
        // What is noted may be on its way.
        for _ in 0..TRIES * 20 {
            seen = done(&edge.output());
            if noted(&seen) >= notes {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        println!("{}: {seen:?}", ask.target);
        assert!(noted(&seen) >= notes, "{}: {seen:?}", ask.target);
        for done in seen {
            assert_eq!(done[0], Did::Answered, "{}: {done:?}", ask.target);
        }
    }
}
