//! What the origin gets to see, for every kind of request: an echo of the headers, through the shipped Wasm.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

use harness::origin::Seen;
use upstash_local::{Fault, Faults};

use crate::connection::Connection;
use crate::house::{Ask, House, Visitor, claims};

/// What a client sends in order to be taken for another one, to reach another path, or to be taken for let in. Several
/// origins read other bytes as `-`.
const FORGED: [&str; 70] = [
    "Queue-Pass",
    "Queue-Position",
    "Queue_Pass",
    "Queue_Position",
    "X-Forwarded-For",
    "X_Forwarded_For",
    "X-Forwarded_For",
    "X-Forwarded-Host",
    "X_Forwarded_Host",
    "X-Forwarded-Proto",
    "X-Forwarded-Port",
    "X-Forwarded-Prefix",
    "X-Forwarded-Server",
    "X-Forwarded",
    "Forwarded",
    "Fastly-Client-IP",
    "Fastly_Client_IP",
    "Fastly-SSL",
    "X-Real-IP",
    "X_Real_IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "X-Host",
    "X-Original-URL",
    "X-Rewrite-URL",
    "X-HTTP-Method",
    "X-HTTP-Method-Override",
    "X-Method-Override",
    "Proxy",
    "Queue.Pass",
    "Queue~Position",
    "X-Forwarded.For",
    "X-Original-Forwarded-For",
    "Client-IP",
    "X-Original-Host",
    "X-Scheme",
    "X-Url-Scheme",
    "X-Original-Scheme",
    "Front-End-Https",
    "Forwarded-For",
    "X-Originating-IP",
    "X-Remote-IP",
    "X-Remote-Addr",
    "X-Original-URI",
    "X_Original_Uri",
    "X-Original-Method",
    "X-Envoy-Original-Path",
    "X-Envoy-External-Address",
    "X-Matched-Path",
    "X-Invoke-Path",
    "X-HTTP-Host-Override",
    "X-Accel-Mapping",
    "X-Sendfile-Type",
    "Proxy-Client-IP",
    "WL-Proxy-Client-IP",
    "Fly-Client-IP",
    "X-Azure-ClientIP",
    "X-Azure-SocketIP",
    "X-Vercel-Forwarded-For",
    "X-NF-Client-Connection-IP",
    "X-AppEngine-User-IP",
    "CF-Connecting-IPv6",
    "Keep-Alive",
    "Proxy-Connection",
    "Proxy-Authorization",
    "HTTP2-Settings",
    "TE",
    "X-Hop",
];

/// What all kinds of requests show of it.
const TOLD: [(&str, &str); 4] = [
    ("fastly-client-ip", "127.0.0.1"),
    ("x-forwarded-for", "127.0.0.1"),
    ("x-forwarded-host", "shop.example"),
    ("x-forwarded-proto", "http"),
];

fn forged(ask: Ask) -> Ask {
    let ask = ask
        .with("host", "shop.example")
        .with("x-mine", "kept")
        .with("upgrade", "h2c")
        .with("connection", "queue-pass, x-forwarded-for")
        .with(
            "connection",
            "Upgrade, HTTP2-Settings,x-hop , host, close, keep-alive",
        );
    let names = FORGED.into_iter();
    names.fold(ask, |ask, name| ask.with(name, "forged"))
}

/// What reached the origin of this request, which nothing but the test has touched.
fn sent(house: &House, ask: &Ask) -> Seen {
    house.wasm_side().origin.clear();
    let edge = house.wasm_side().edge.addr();
    let got = Connection::open(edge).ask(ask);
    let mut seen = house.wasm_side().origin.requests();
    assert_eq!(seen.len(), 1, "{ask:?}: {got:?}");
    seen.remove(0)
}

/// Names and values in the order of the names; of a pass only whose it is.
fn headers(seen: &Seen) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = seen
        .headers
        .iter()
        .map(|(name, value)| {
            let value = String::from_utf8(value.clone()).unwrap();
            let value = match name.as_str() {
                "queue-pass" => claims(&value)["aud"].as_str().unwrap().to_owned(),
                _ => value,
            };
            (name.clone(), value)
        })
        .collect();
    headers.sort();
    headers
}

#[test]
fn the_origin_receives_the_same_with_every_kind_of_request_and_nothing_a_client_says_of_itself() {
    let house = House::wasm_shared();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    let first = visitor.send(Ask::get("/echo").with("host", "shop.example").json());
    assert!(first.inside);
    let ticket = visitor.ticket.clone().unwrap();
    let cookie = format!("__Host-queue={ticket}; shop=1");
    let twin = format!("__Host-queue-post={ticket}; shop=1");
    let form = "application/x-www-form-urlencoded";
    let of_another_site = Ask::get("/echo")
        .method("POST")
        .with("sec-fetch-mode", "navigate");
    let inside: &[(&str, &str)] = &[
        ("cookie", "shop=1"),
        ("queue-pass", "shop.example"),
        ("queue-position", "1"),
    ];
    let numbered: &[(&str, &str)] = &[("queue-pass", "shop.example"), ("queue-position", "2")];
    let without_number: &[(&str, &str)] = &[("queue-pass", "shop.example")];
    let check = |kind: &str, ask: Ask, more: &[(&str, &str)]| {
        let found = headers(&sent(&house, &forged(ask)));
        let host = [
            ("content-length", "0"),
            ("host", "shop.example"),
            ("x-mine", "kept"),
        ];
        let expected = TOLD.iter().chain(&host).chain(more);
        let mut expected: Vec<(String, String)> = expected
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        expected.sort();
        assert_eq!(found, expected, "{kind}");
    };
    let every_kind = || {
        check("bypass", Ask::get("/robots.txt"), &[]);
        check("inside", Ask::get("/echo").with("cookie", &cookie), inside);
    };
    every_kind();
    let preflight = [
        ("origin", "https://app.shop.example"),
        ("access-control-request-method", "PUT"),
    ];
    check(
        "preflight",
        Ask::preflight("/echo").with("cookie", &cookie),
        &preflight,
    );
    let mut posted = vec![("sec-fetch-mode", "navigate"), ("content-type", form)];
    posted.extend(inside);
    let ask = of_another_site
        .with("content-type", form)
        .with("cookie", twin);
    check("a form of another site", ask, &posted);
    house.change("mode", r#"{"mode":"open"}"#);
    house.forget_the_sign();
    check("open", Ask::get("/echo"), numbered);
    house.store.fail(Faults::always(Fault::Refuse));
    check("open, without the store", Ask::get("/echo"), without_number);
    every_kind();
    let shared = format!("__Secure-queue={ticket}; __Secure-queue-post={ticket}; {cookie}");
    for domain in ["shop.example", "wrong"] {
        house.set("cookie_domain", domain);
        let ask = Ask::get("/echo").with("cookie", &shared);
        check("inside on a host of the domain", ask, inside);
    }
    house.set("automatic", "wrong");
    every_kind();
}

/// The names of a request's headers come from the host in one piece or in several, and one may be longer than a piece.
#[test]
fn however_many_and_long_the_names_of_headers_are_none_of_ours_reaches_the_origin() {
    let house = House::wasm_shared();
    let named = |name: String| -> &'static str { name.leak() };
    let many = (0..20).map(|number| named(format!("x-mine-{number}-{}", "a".repeat(240))));
    let many: Vec<&str> = many.collect();
    let with = |ask: Ask, name: &&'static str| ask.with(name, "kept");
    let ask = many.iter().fold(Ask::get("/robots.txt"), with);
    let ours = named(format!("X-Forwarded-{}", "b".repeat(5_000)));
    let theirs = named(format!("x-mine-{}", "c".repeat(5_000)));
    let longest = ask.clone().with(ours, "forged").with(theirs, "kept");
    for (ask, kept) in [(ask, many.len()), (longest, many.len() + 1)] {
        let ask = forged(ask);
        let seen = sent(&house, &ask);
        let of_value = |wanted: &[u8]| seen.headers.iter().filter(|(_, v)| v == wanted).count();
        assert_eq!(of_value(b"forged"), 0, "{:?}", seen.headers);
        // The one of `forged` is kept too.
        assert_eq!(of_value(b"kept"), kept + 1);
        for (name, value) in TOLD {
            let lines = seen.headers.iter().filter(|(found, _)| found == name);
            let values: Vec<&[u8]> = lines.map(|(_, value)| value.as_slice()).collect();
            assert_eq!(values, [value.as_bytes()], "{name}");
        }
    }
}

/// So do its lines: several of one name, of which one is longer than a piece.
#[test]
fn a_ticket_is_found_among_several_lines_of_long_cookies() {
    let house = House::wasm_shared();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/echo").inside);
    let ticket = format!("queue={}", visitor.ticket.unwrap());
    for length in [10, 3_000, 6_000] {
        let long = |name: &str| format!("{name}={}", "a".repeat(length));
        let ask = Ask::get("/echo").with("cookie", long("first"));
        let ask = ask.with("cookie", &ticket).with("cookie", long("last"));
        let seen = sent(&house, &ask);
        let expected = format!("{}; {}", long("first"), long("last"));
        assert!(
            cookies(&seen) == [expected.as_bytes()],
            "{length}: {seen:?}"
        );
    }
}

fn cookies(seen: &Seen) -> Vec<&[u8]> {
    let lines = seen.headers.iter().filter(|(name, _)| name == "cookie");
    lines.map(|(_, value)| value.as_slice()).collect()
}

/// Programs behind the origin's server read the first line, or what their server makes of several (RFC 9113 8.2.3).
#[test]
fn however_many_lines_of_cookies_come_the_origin_gets_one() {
    let house = House::wasm_shared();
    for (lines, expected) in [
        (&["a=1", "b=2"][..], &["a=1; b=2"][..]),
        (&["a=1; b=2", "c=3;"], &["a=1; b=2; c=3;"]),
        (&["a=1", "queue=x", "b=2"], &["a=1; b=2"]),
        (&["queue=x", "queue-post=y"], &[]),
        (&["a=1", "", "b=\u{e9}"], &["a=1; b=\u{e9}"]),
        (&["a=1;b=2"], &["a=1;b=2"]),
    ] {
        let ask = Ask::get("/robots.txt");
        let ask = lines.iter().fold(ask, |ask, line| ask.with("cookie", line));
        let seen = sent(&house, &ask);
        let expected: Vec<&[u8]> = expected.iter().map(|line| line.as_bytes()).collect();
        assert_eq!(cookies(&seen), expected, "{lines:?}");
    }
}

/// What `Connection` names is for the edge alone (RFC 9110 7.6.1); the way of a message is not for a client to spoil.
#[test]
fn what_a_connection_names_goes_no_further() {
    let house = House::wasm_shared();
    for (named, kept) in [
        ("x-mine", false),
        ("X-Mine", false),
        ("close, X-MINE", false),
        ("close", true),
        ("x-min, x-mine-too", true),
        ("\"x-mine\"", true),
    ] {
        let ask = Ask::get("/robots.txt").with("x-mine", "mine");
        let seen = sent(&house, &ask.with("connection", named));
        let has = |name: &str| seen.headers.iter().any(|(found, _)| found == name);
        assert_eq!(has("x-mine"), kept, "{named}: {seen:?}");
        assert!(has("host") && !has("connection"), "{named}: {seen:?}");
    }
}

/// What a client that asks for the head reads of the answer's length (RFC 9110 9.3.2).
#[test]
fn a_head_tells_the_length_of_what_a_get_would_bring() {
    let house = House::wasm_shared();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/echo").inside);
    let ticket = format!("queue={}", visitor.ticket.unwrap());
    let head = |from: SocketAddr, path: &str| {
        let mut socket = TcpStream::connect(from).unwrap();
        let request = format!(
            "HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: {ticket}\r\nConnection: close\r\n\r\n"
        );
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        let lines = answer.to_ascii_lowercase();
        let lengths = lines
            .lines()
            .filter_map(|line| line.strip_prefix("content-length: "));
        let lengths: Vec<String> = lengths.map(str::to_owned).collect();
        (answer.starts_with("HTTP/1.1 200"), lengths)
    };
    let edge = house.wasm_side().edge.addr();
    let origin = house.wasm_side().origin.url();
    let origin: SocketAddr = origin.trim_start_matches("http://").parse().unwrap();
    let same = |path: &str| {
        let found = head(origin, path);
        assert_ne!(found, (true, vec!["0".to_owned()]), "{path}");
        assert_eq!(head(edge, path), found, "{path}");
    };
    for path in [
        "/assets/logo.svg",
        "/download?mb=3",
        "/robots.txt",
        "/cookies",
    ] {
        same(path);
    }
    house.set("command_paths", "/assets/*");
    same("/assets/logo.svg");
    house.set("cache_paths", "/robots.txt");
    same("/robots.txt");
    assert!(
        head(edge, "/slow?ms=1500").0,
        "one that is late comes all the same"
    );
}

/// The local server has no such cache, so here every request reaches the origin; what it would share is what arrives.
#[test]
fn what_may_be_cached_is_asked_for_in_no_visitor_s_name() {
    let house = House::wasm_shared();
    house.set("cache_paths", "/cookies, /echo");
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    let first = visitor.ask("/cookies");
    assert_eq!(
        first.all("set-cookie").len(),
        4,
        "the origin's two and ours"
    );
    assert_eq!(first.all("cache-control"), ["private, no-store"]);
    let cookie = format!("shop=1; queue={}; theme=dark", visitor.ticket.unwrap());
    let ask = || Ask::get("/echo?a=b").with("cookie", &cookie);
    for _ in 0..2 {
        let seen = sent(&house, &ask());
        assert_eq!(
            (seen.method.as_str(), seen.target.as_str()),
            ("GET", "/echo?a=b")
        );
        let names: Vec<String> = headers(&seen).into_iter().map(|(name, _)| name).collect();
        let expected = [
            "content-length",
            "fastly-client-ip",
            "host",
            "queue-pass",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
        ];
        assert_eq!(names, expected);
    }
    let seen = sent(&house, &ask().with("authorization", "Basic YTpi"));
    let headers = headers(&seen);
    let has = |name: &str, value: &str| headers.contains(&(name.to_owned(), value.to_owned()));
    assert!(has("cookie", "shop=1; theme=dark"), "{headers:?}");
    assert!(has("queue-position", "1"), "{headers:?}");
}

/// The local server keeps no answers, so this shows our part: each request reaches the origin. That it does so as a pass
/// is held by a test of the sources.
#[test]
fn two_visitors_never_see_each_others_page_of_an_origin_that_says_nothing_of_freshness() {
    let house = House::wasm_shared();
    house.set("bypass_paths", "/echo");
    for round in 0..5 {
        for (own, other) in [("shop=first", "shop=second"), ("shop=second", "shop=first")] {
            let got = house.ask(&Ask::get("/echo").with("cookie", own));
            assert!(got.inside, "{got:?}");
            assert!(
                got.body.contains(own) && !got.body.contains(other),
                "{round}: {got:?}"
            );
            for name in ["cache-control", "expires", "surrogate-control"] {
                assert_eq!(got.header(name), "", "the origin says nothing: {got:?}");
            }
        }
    }
}

/// Of a request that claims another host: `Host` and `X-Forwarded-Host` as the origin receives them.
fn hosts(house: &House, ask: Ask) -> [String; 2] {
    let ask = ask.with("host", "shop.example");
    let ask = ask.with("x-forwarded-host", "forged.example");
    let seen = sent(house, &ask.with("x_forwarded_host", "forged.example"));
    let headers = headers(&seen);
    ["host", "x-forwarded-host"].map(|name| {
        let named = headers.iter().filter(|(found, _)| found == name);
        let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
        values.join(", ")
    })
}

#[test]
fn an_origin_that_goes_by_host_receives_its_own_and_the_visitors_beside_it() {
    let house = House::wasm_shared();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(
        visitor
            .send(Ask::get("/echo").with("host", "shop.example").json())
            .inside
    );
    let cookie = format!("__Host-queue={}", visitor.ticket.clone().unwrap());
    let every_kind = || {
        [
            Ask::get("/robots.txt"),
            Ask::preflight("/echo"),
            Ask::get("/echo").with("cookie", &cookie),
            Ask::get("/commands/echo").with("cookie", &cookie),
            Ask::get("/cached").with("cookie", &cookie),
        ]
    };
    house.set("command_paths", "/commands/*");
    house.set("cache_paths", "/cached");
    for ask in every_kind() {
        assert_eq!(hosts(&house, ask), ["shop.example", "shop.example"]);
    }
    house.set("origin_host", "shop.platform.example");
    for ask in every_kind() {
        let found = hosts(&house, ask);
        assert_eq!(found, ["shop.platform.example", "shop.example"]);
    }
    let sale = r#"[{"name":"sale","paths":"/sale/*","origin_host":"sale.platform.example"}]"#;
    house.set("rooms", sale);
    let of_sale = hosts(&house, Ask::preflight("/sale/shoes"));
    assert_eq!(of_sale, ["sale.platform.example", "shop.example"]);
    let of_shop = hosts(&house, Ask::preflight("/shoes"));
    assert_eq!(of_shop, ["shop.platform.example", "shop.example"]);
}

/// The visitor's host might lead back here.
#[test]
fn while_it_is_not_known_for_which_host_the_origin_is_asked_it_is_not() {
    let house = House::wasm_shared();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/echo").inside);
    let all = |visitor: &mut Visitor<'_>| {
        house.wasm_side().origin.clear();
        let inside = visitor.ask("/echo").status;
        let others = [Ask::get("/robots.txt"), Ask::preflight("/echo")];
        let [bypass, preflight] = others.map(|ask| house.ask(&ask).status);
        let seen = house.wasm_side().origin.requests().len();
        ([inside, bypass, preflight], seen)
    };
    let rooms = r#"[{"name":"sale","paths":"/sale/*","origin_host":"https://a.example"}]"#;
    for (key, value) in [("origin_host", "https://a.example"), ("rooms", rooms)] {
        house.set(key, value);
        assert_eq!(all(&mut visitor), ([503; 3], 0), "{key}");
        let health = house.ask(&Ask::get("/_queue/healthz"));
        let told = health.json()["detail"].to_string();
        let accepted = ": none, or the host name by which the origin knows the site";
        assert!(
            health.status == 503 && told.contains("origin_host") && told.contains(accepted),
            "{told}"
        );
        house.set(key, "none");
    }
    // Another problem leaves it known.
    house.set("origin_host", "shop.platform.example");
    house.set("automatic", "often");
    assert_eq!(all(&mut visitor).1, 3);
}
