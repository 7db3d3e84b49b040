//! What the product does at each limit of the platform: every visitor is answered, never by a 500 of ours, and nothing that was
//! counted is lost. The local server has no such limits: the host of this Wasm has them (`dev/strict-host`).
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use harness::edge::{Edge, EdgeOptions};
use harness::origin::Origin;
use now_serving::cache::outbox::Tally;
use now_serving::queue::Reason;
use upstash_local::{DEADLINE, Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, Got, House, STORE_TOKEN, Visitor};
use crate::metrics::{exact, numbers, scrape};

use super::limits::{held, secrets};

/// A local sandbox reads its settings again after a second.
const SETTINGS_READ: Duration = Duration::from_millis(1050);

/// The host goes by these rules, from the next reading of the settings on.
fn limit(house: &House, rules: &[(&str, &str)]) {
    house.wasm_side().edge.set_rules(rules).unwrap();
    thread::sleep(SETTINGS_READ);
}

/// How often the host has refused something by a rule.
fn refusals(edge: &Edge, rule: &str) -> usize {
    let lines = edge.log_lines("strict_host");
    let refusal = format!("refused {rule}");
    let refused = lines.iter().filter(|line| line.starts_with(&refusal));
    refused.count()
}

/// Whether it comes to be so. The local server writes its lines after the answer.
fn becomes(is_so: impl Fn() -> bool) -> bool {
    (0..1_500).any(|_| {
        let is_so = is_so();
        if !is_so {
            thread::sleep(Duration::from_millis(20));
        }
        is_so
    })
}

fn visitor_inside(house: &House) -> Visitor<'_> {
    house.permit(1);
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    visitor
}

/// A visitor inside is asked for as well as all others who can ask, and each kind of answer has these statuses in this order: a first
/// contact, a draw, a poll; a page and a form inside, a path that skips the room; status, panel and health.
fn statuses(house: &House, inside: &mut Visitor<'_>) -> [u16; 9] {
    let mut newcomer = Visitor::new(house);
    let form = Ask::get("/echo").method("POST");
    let answers = [
        newcomer.send_once(Ask::get("/").json()),
        newcomer.send_once(Ask::get("/").json()),
        newcomer.send_once(Ask::get("/_queue/place")),
        inside.ask("/echo"),
        inside.send(form.body("text/plain", "a=1")),
        house.ask(&Ask::get("/robots.txt")),
        house.ask(&Ask::get("/_queue/status").operator()),
        house.ask(&Ask::get("/_queue/").operator()),
        house.ask(&Ask::get("/_queue/healthz")),
    ];
    answers.map(|got| got.status)
}

/// What is answered where nothing is refused.
const WELL: [u16; 9] = [503, 503, 200, 200, 200, 200, 200, 200, 200];

/// Decisions by reason, of the log's lines about requests, and of those in which a sandbox wrote down what it could not count otherwise.
fn logged(house: &House) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let (mut decided, mut uncounted) = (BTreeMap::new(), BTreeMap::new());
    for line in house.lines() {
        let reason = line["reason"].as_str().unwrap().to_owned();
        if let Some(counts) = line["counts"].as_str() {
            let tally = Tally::decode(counts).unwrap();
            for reason in Reason::of_requests() {
                *uncounted.entry(reason.name().to_owned()).or_default() += tally.decisions(reason);
            }
        } else {
            *decided.entry(reason).or_default() += 1;
        }
    }
    (decided, uncounted)
}

/// Waits until each decision of the log is in the metrics, or in a line about what could not be counted otherwise: a sandbox that waits
/// for more to do puts by what it has counted after ten seconds: so long the local server has it wait.
fn all_is_counted(house: &House) {
    let mut wrong = Vec::new();
    for _ in 0..80 {
        let got = house.ask(&scrape());
        let (decided, uncounted) = logged(house);
        let of = |counts: &BTreeMap<String, u64>, reason: &str| counts.get(reason).copied();
        let told = numbers(&got.body).into_iter().filter_map(|(name, told)| {
            let reason =
                name.strip_prefix("now_serving_decisions_total{room=\"main\",reason=\"")?;
            let reason = reason.trim_end_matches("\"}").to_owned();
            let [decided, uncounted] =
                [&decided, &uncounted].map(|counts| of(counts, &reason).unwrap_or(0));
            let is_well = told + exact(uncounted) == exact(decided);
            // The scrape itself is on its way.
            (reason != "metrics" && !is_well)
                .then(|| format!("{reason}: {told} and {uncounted} of {decided}"))
        });
        wrong = told.collect();
        if got.status == 200 && wrong.is_empty() {
            return;
        }
        thread::sleep(Duration::from_millis(500));
    }
    panic!("{wrong:#?}");
}

#[test]
fn at_each_limit_of_what_is_sent_and_read_every_request_is_answered_and_counted() {
    let house = House::wasm_strict();
    let edge = &house.wasm_side().edge;
    let mut inside = visitor_inside(&house);
    assert_eq!(statuses(&house, &mut inside), WELL);
    let stop = [503, 503, 200, 502, 502, 502, 503, 503, 200];
    for (rule, value, expected) in [
        ("calls", "0", stop),
        ("head_bytes", "100", stop),
        ("look_ups", "0", [503; 9]),
        // The first one says which paths skip the room.
        (
            "look_ups",
            "1",
            [503, 503, 503, 503, 503, 200, 503, 503, 503],
        ),
        // What the host answers in place of the origin it words itself.
        (
            "full_backends",
            "protected_content",
            [503, 503, 200, 503, 503, 503, 200, 200, 200],
        ),
        (
            "full_backends",
            "upstash",
            [503, 503, 200, 200, 200, 200, 503, 503, 200],
        ),
    ] {
        let before = refusals(edge, rule);
        limit(&house, &[(rule, value)]);
        let found = statuses(&house, &mut inside);
        assert!(becomes(|| refusals(edge, rule) > before), "{rule}");
        assert_eq!(found, expected, "{rule}: {value}");
        limit(&house, &[]);
        assert_eq!(statuses(&house, &mut inside), WELL, "after {rule}");
    }
    all_is_counted(&house);
}

/// As on an account that may make fewer calls than `backend_calls` says.
#[test]
fn a_sandbox_without_calls_left_leaves_the_next_request_to_another_and_blames_no_origin() {
    let house = House::wasm_strict();
    house.set("origin_health", "observe");
    let edge = &house.wasm_side().edge;
    limit(&house, &[("calls", "3")]);
    let ask = || house.ask(&Ask::get("/robots.txt")).status;
    let found: Vec<u16> = (0..20).map(|_| ask()).collect();
    assert!(found.contains(&502), "{found:?}");
    assert!(becomes(|| refusals(edge, "calls") > 0));
    // A sandbox answers three and ends with the fourth. Where it is still busy after an answer, the host begins another, and the two may
    // end one after the other.
    let failed = found.iter().filter(|status| **status == 502).count();
    let answered = found.iter().filter(|status| **status == 200).count();
    assert_eq!(failed + answered, found.len(), "{found:?}");
    assert!(failed * 3 <= answered, "{found:?}");
    assert!(
        found.windows(3).all(|three| three.contains(&200)),
        "{found:?}"
    );
    limit(&house, &[]);
    house.permit(1);
    // Each of these ends a sandbox, so the next one makes its first call to draw, and has none left for the origin. Where one of
    // before still waits, it draws nothing.
    let is_cut_off = || {
        edge.set_rules(&[("calls", "0")]).unwrap();
        assert_eq!([ask(), ask(), ask()], [502; 3]);
        let permit = house.ask(&Ask::permit(1));
        assert_eq!(permit.status, 503);
        assert!(
            permit.body.contains("nothing was changed"),
            "{}",
            permit.body
        );
        edge.set_rules(&[("calls", "1")]).unwrap();
        Visitor::new(&house).ask("/echo").status == 502
    };
    assert!((0..10).any(|_| is_cut_off()));
    limit(&house, &[]);
    all_is_counted(&house);
    let told = numbers(&house.ask(&scrape()).body);
    assert_eq!(
        told["now_serving_origin_answers_total{room=\"main\",answer=\"bad\"}"],
        0.0
    );
}

/// Nothing of the POP is remembered then: each visitor asks the store, and what a sandbox counts is in its last line.
#[test]
fn without_the_cache_every_request_is_answered_and_counted_in_the_log() {
    let house = House::wasm_strict();
    let mut inside = visitor_inside(&house);
    limit(&house, &[("cache", "0")]);
    for _ in 0..3 {
        assert_eq!(statuses(&house, &mut inside), WELL);
    }
    assert!(becomes(|| refusals(&house.wasm_side().edge, "cache") > 0));
    // What was counted before is still in the POP.
    limit(&house, &[]);
    all_is_counted(&house);
    let (_, uncounted) = logged(&house);
    assert!(
        uncounted["bypass"] > 0 && uncounted["inside"] > 0,
        "{uncounted:?}"
    );
}

#[test]
fn without_a_log_every_request_is_answered_and_counted() {
    for rule in ["log_refused", "no_log"] {
        let house = House::wasm_strict();
        limit(&house, &[(rule, "1")]);
        let mut inside = visitor_inside(&house);
        assert_eq!(statuses(&house, &mut inside), WELL, "{rule}");
        let edge = &house.wasm_side().edge;
        assert!(becomes(|| refusals(edge, rule) > 0), "{rule}");
        assert_eq!(house.lines(), [] as [serde_json::Value; 0], "{rule}");
        let bypass = "now_serving_decisions_total{room=\"main\",reason=\"bypass\"}";
        let is_counted = || numbers(&house.ask(&scrape()).body).get(bypass) == Some(&1.0);
        let is_counted = || {
            thread::sleep(Duration::from_millis(500));
            is_counted()
        };
        assert!((0..80).any(|_| is_counted()), "{rule}");
    }
}

#[test]
fn where_the_secrets_are_used_up_every_request_is_answered() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let backends = (origin.url(), store.url());
    let wasm = harness::edge::strict_wasm().unwrap();
    let edge = Edge::start(&EdgeOptions {
        secrets: secrets(),
        ..EdgeOptions::local(wasm, backends, held(&store.url()), 20 * DEADLINE)
    });
    let edge = edge.unwrap();
    let statuses = |rules: &[(&str, &str)]| {
        edge.set_rules(rules).unwrap();
        thread::sleep(SETTINGS_READ);
        let asks = [
            Ask::get("/").json(),
            Ask::get("/robots.txt"),
            Ask::get("/_queue/status").operator(),
            Ask::get("/_queue/healthz"),
        ];
        asks.map(|ask| Connection::open(edge.addr()).ask(&ask).status)
    };
    assert_eq!(statuses(&[]), [503, 200, 200, 200]);
    for many in ["0", "1", "2"] {
        let found = statuses(&[("secrets", many)]);
        assert!(becomes(|| refusals(&edge, "secrets") > 0), "{many}");
        assert_eq!(found, [503, 200, 503, 503], "{many}");
        // A secret that could not be read is none that is absent.
        let is_unread = |line: &String| line.contains(r#""key":"upstash_token","unreadable":true"#);
        let is_told = || edge.log_lines("queue_logs").iter().any(is_unread);
        assert!(becomes(is_told), "{many}");
        edge.forget_output();
    }
    assert_eq!(statuses(&[("secrets", "5")]), [503, 200, 200, 200]);
}

/// Each `'` of a query is three bytes on its way to the origin.
#[test]
fn a_url_that_would_be_too_long_for_the_host_is_refused_by_us() {
    let house = House::wasm_strict();
    limit(&house, &[("url_bytes", "8192")]);
    let ask = |quotes: usize| {
        let target = format!("/robots.txt?{}", "'".repeat(quotes));
        Connection::open(house.wasm_side().edge.addr()).ask(&Ask::get(&target).json())
    };
    assert_eq!(ask(2_700).status, 200);
    let got = ask(2_800);
    assert_eq!(
        (got.status, &got.json()["title"]),
        (414, &serde_json::json!("URL too long"))
    );
    all_is_counted(&house);
}

/// A visitor who goes in just then gets the ticket all the same, and needs no number more.
#[test]
fn a_visitor_who_goes_in_while_the_origin_has_no_connection_left_stays_inside() {
    let house = House::wasm_strict();
    for (health, status) in [("off", 503), ("observe", 502)] {
        house.set("origin_health", health);
        house.permit(1);
        limit(&house, &[("full_backends", "protected_content")]);
        let mut visitor = Visitor::new(&house);
        let got: Got = visitor.ask("/echo");
        assert_eq!(
            (got.status, got.inside, got.ticket().is_some()),
            (status, false, true),
            "{health}: {got:?}"
        );
        limit(&house, &[]);
        assert!(visitor.send_once(Ask::get("/echo")).inside, "{health}");
    }
    all_is_counted(&house);
}
