//! What the Wasm asks of the platform's HTTP cache, for every kind of request and answer. The local server has no such cache: the
//! host of this Wasm has one, and writes down what it is asked (`dev/strict-host`).

use std::thread;
use std::time::Duration;

use crate::house::{Ask, House, Visitor};

/// With what the last line about a request begins.
const LAST: [&str; 4] = ["found", "not offered", "pass", "host's cache"];

/// What the host was asked since the output was forgotten, without the URL's host. The local server writes its lines after the answer,
/// so this waits for the last one.
fn asked(house: &House) -> Vec<String> {
    let edge = &house.wasm_side().edge;
    let lines = || edge.log_lines("strict_host");
    let is_last = |line: &String| LAST.iter().any(|last| line.starts_with(last));
    for _ in 0..500 {
        if lines().last().is_some_and(is_last) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let host = edge.url();
    let lines = lines().into_iter();
    lines.map(|line| line.replace(&host, "")).collect()
}

/// The last request's lines, where the origin or the cache has answered it.
fn asked_for(house: &House, ask: &Ask) -> Vec<String> {
    house.wasm_side().edge.forget_output();
    let got = house.ask(ask);
    assert!(got.inside, "{got:?}");
    asked(house)
}

/// A visitor inside, of a house whose cache may keep what is at `/answer`.
fn caching() -> House {
    let house = House::wasm_strict();
    house.set("cache_paths", "/answer");
    house.permit(3);
    house
}

fn cookie_of_a_visitor_inside(house: &House) -> String {
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    format!("queue={}; shop=1", visitor.ticket.unwrap())
}

/// What every request brings that may come from the cache: nothing by which an origin could tell one visitor from another but the
/// pass, and where they come from.
const BROUGHT: &str =
    "fastly-client-ip host queue-pass x-forwarded-for x-forwarded-host x-forwarded-proto";

#[test]
fn an_answer_is_offered_to_the_cache_only_where_the_origin_says_that_it_is_for_all_and_for_how_long()
 {
    let house = caching();
    let cookie = cookie_of_a_visitor_inside(&house);
    let asked_for = |query: &str| {
        let target = format!("/answer?{query}");
        let asked = asked_for(&house, &Ask::get(&target).with("cookie", &cookie));
        let mut looked_up: Vec<&str> = asked[0].split_once(" by ").unwrap().1.split(' ').collect();
        looked_up.sort_unstable();
        looked_up.retain(|name| {
            !matches!(
                *name,
                "accept" | "accept-encoding" | "content-length" | "user-agent"
            )
        });
        assert_eq!(looked_up.join(" "), BROUGHT, "{query}");
        assert_eq!(
            asked[0].split(" by ").next().unwrap(),
            format!("look-up http {target}")
        );
        assert_eq!(asked[1], format!("fetch GET {target}"));
        asked[2..]
            .iter()
            .map(|line| line.replace(&format!(" {target}"), ""))
            .collect::<Vec<String>>()
    };
    for (query, offered) in [
        ("cache-control=max-age=60", "offered 200 for 60 s by []"),
        (
            "cache-control=public,s-maxage=90,max-age=60",
            "offered 200 for 90 s by []",
        ),
        (
            "surrogate-control=max-age=30&cache-control=no-cache",
            "offered 200 for 30 s by []",
        ),
        (
            "cache-control=max-age=60&age=20",
            "offered 200 for 40 s by []",
        ),
        (
            "cache-control=max-age=60&vary=accept-encoding,origin",
            "offered 200 for 60 s by [accept-encoding origin]",
        ),
        (
            "status=301&location=/a&cache-control=max-age=60",
            "offered 301 for 60 s by []",
        ),
    ] {
        assert_eq!(asked_for(query), [offered, "found"], "{query}");
    }
    for query in [
        "cache-control=max-age=60&set-cookie=session=1",
        "cache-control=private,max-age=60",
        "cache-control=no-store,max-age=60",
        "cache-control=no-cache,max-age=60",
        "cache-control=max-age=60&surrogate-control=private",
        "cache-control=max-age=60&vary=*",
        "cache-control=max-age=60&vary=accept-encoding,Cookie",
        "cache-control=max-age=60&vary=Authorization",
        "cache-control=max-age=60&vary=queue-pass",
        "cache-control=max-age=60&vary=x-forwarded-for",
        "status=404&cache-control=max-age=60",
        "status=410&cache-control=max-age=60",
        "status=500&cache-control=max-age=60",
        "status=503",
        "status=404",
        "",
        "cache-control=public",
        "expires=0",
    ] {
        assert_eq!(asked_for(query), ["not offered, noted for 10 s"], "{query}");
    }
    // A note would live longer by the answer's age.
    let aged = "status=404&cache-control=max-age=60&age=20";
    assert_eq!(asked_for(aged), ["not offered"], "{aged}");
}

#[test]
fn a_request_that_is_for_one_visitor_passes_the_cache_by() {
    let house = caching();
    house.set("bypass_paths", "/robots.txt");
    let cookie = cookie_of_a_visitor_inside(&house);
    let good = "/answer?cache-control=max-age=60";
    let of_visitor = |ask: Ask| ask.with("cookie", &cookie);
    for (ask, expected) in [
        (
            of_visitor(Ask::get(good).with("authorization", "Basic YTpi")),
            format!("pass GET {good}"),
        ),
        (
            of_visitor(Ask::get(good).method("POST").with("content-length", "0")),
            format!("pass POST {good}"),
        ),
        (
            of_visitor(Ask::get("/cached")),
            "pass GET /cached".to_owned(),
        ),
        (
            of_visitor(Ask::get("/answers")),
            "pass GET /answers".to_owned(),
        ),
        (Ask::get("/robots.txt"), "pass GET /robots.txt".to_owned()),
        (Ask::preflight(good), format!("pass OPTIONS {good}")),
    ] {
        assert_eq!(asked_for(&house, &ask), [expected], "{ask:?}");
    }
}

#[test]
fn the_second_visitor_gets_what_is_for_all_from_the_cache_and_never_what_was_for_the_first() {
    let house = caching();
    let cookies = [(); 2].map(|()| cookie_of_a_visitor_inside(&house));
    let origin = &house.wasm_side().origin;
    let pages = |target: &str| {
        origin.clear();
        let got = cookies
            .clone()
            .map(|cookie| house.ask(&Ask::get(target).with("cookie", cookie)));
        assert!(
            got.iter().all(|got| got.body.starts_with("Answer ")),
            "{got:?}"
        );
        (got.map(|got| got.body), origin.requests().len())
    };
    let ([first, second], reached) = pages("/answer?cache-control=max-age=60");
    assert_eq!((first == second, reached), (true, 1), "{first} {second}");
    for query in [
        "cache-control=private,max-age=60",
        "cache-control=max-age=60&set-cookie=a=1",
        "cache-control=max-age=60&vary=cookie",
        "status=404&cache-control=max-age=60",
        "",
    ] {
        for _ in 0..2 {
            let ([first, second], reached) = pages(&format!("/answer?{query}"));
            assert_eq!(
                (first == second, reached),
                (false, 2),
                "{query}: {first} {second}"
            );
        }
    }
}

/// The visitor who goes in by an answer from the cache gets a ticket with it, which no other visitor ever sees.
#[test]
fn no_ticket_comes_from_the_cache() {
    let house = caching();
    let good = "/answer?cache-control=max-age=60";
    let tickets = [(); 2].map(|()| {
        let mut visitor = Visitor::new(&house);
        let got = visitor.ask(good);
        assert!(got.body.starts_with("Answer "), "{got:?}");
        assert_eq!(got.header("cache-control"), "private, no-store");
        visitor.ticket.unwrap()
    });
    assert_ne!(tickets[0], tickets[1]);
    let cookie = format!("queue={}", tickets[0]);
    let head = Ask::get(good).method("HEAD").with("cookie", &cookie);
    let head = house.ask(&head);
    assert_eq!((head.status, head.body.as_str()), (200, ""), "{head:?}");
    let got = house.ask(&Ask::get(good).with("cookie", cookie));
    assert_eq!(
        (got.ticket(), got.header("cache-control")),
        (None, "max-age=60"),
        "{got:?}"
    );
    assert_eq!(
        house
            .wasm_side()
            .origin
            .requests()
            .iter()
            .filter(|seen| seen.target == good)
            .count(),
        1
    );
}
