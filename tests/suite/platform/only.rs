//! What only the shipped Wasm in the local server can show: streams, the origin's own headers, production's manners.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use harness::heap::Sandboxes;
use jwt_simple::prelude::*;
use serde_json::Value;

use crate::house::{Ask, House, SECRET, Visitor, problem_keys};

const MB: u64 = 1_000_000;

/// An admitted visitor's cookie.
fn admitted(house: &House) -> String {
    house.permit(1);
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    format!("queue={}", visitor.ticket.unwrap())
}

#[test]
fn a_hundred_megabytes_stream_both_ways_in_a_small_heap() {
    let house = House::wasm();
    let cookie = admitted(&house);
    let url = house.wasm_side().edge.url();
    let agent = ureq::Agent::new_with_defaults();
    let mut response = agent
        .get(format!("{url}/download?mb=100"))
        .header("cookie", &cookie)
        .call()
        .unwrap();
    let bytes = std::io::copy(&mut response.body_mut().as_reader(), &mut std::io::sink()).unwrap();
    assert_eq!(bytes, 100 * MB);
    let upload = ureq::SendBody::from_owned_reader(std::io::repeat(b'x').take(100 * MB));
    let mut response = agent
        .post(format!("{url}/upload"))
        .header("cookie", &cookie)
        .send(upload)
        .unwrap();
    let told: Value = serde_json::from_str(&response.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(told["bytes"], 100 * MB);
    // The local server tells what a sandbox used when it ends, after a few requests.
    for _ in 0..12 {
        house.ask(&Ask::get("/robots.txt"));
    }
    let heap = (0..100).find_map(|_| {
        std::thread::sleep(Duration::from_millis(300));
        Sandboxes::of(&house.wasm_side().edge.output()).heap_mb
    });
    let heap = heap.unwrap_or_default();
    println!("largest heap: {heap:.1} MiB");
    assert!(heap > 0.0 && heap < 16.0, "{heap} MiB");
}

#[test]
fn the_origins_answer_survives() {
    let house = House::wasm_shared();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    house.permit(1);
    let first = visitor.ask("/cookies");
    let cookies = first.all("set-cookie");
    assert_eq!(cookies.len(), 4, "the origin's two and ours: {cookies:?}");
    assert_eq!(
        first.all("cache-control"),
        ["private, no-store"],
        "while it carries our cookie"
    );
    let second = visitor.ask("/cookies");
    assert_eq!(second.all("set-cookie").len(), 2, "the origin's two");
    for status in [200, 201, 204, 301, 304, 404, 418, 500, 503] {
        assert_eq!(visitor.ask(&format!("/status/{status}")).status, status);
    }
    let cached = visitor.ask("/cached");
    assert_eq!(cached.header("cache-control"), "public, max-age=60");
    assert!(!cached.header("etag").is_empty());
    assert_eq!(cached.all("set-cookie"), Vec::<&str>::new());
}

#[test]
fn the_origin_sees_position_and_pass_but_not_our_cookie() {
    let house = House::wasm_shared();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    house.permit(1);
    visitor.ask("/echo");
    let forged = Ask::get("/echo?a=b")
        .method("POST")
        .body("text/plain", "hello")
        .with("queue-position", "0")
        .with("queue-pass", "forged")
        .with("cookie", "queue-post=twin; z=1")
        .with("x-mine", "kept");
    house.wasm_side().origin.clear();
    assert!(visitor.send(forged).inside);
    let seen = house.wasm_side().origin.requests().pop().unwrap();
    let all = |name: &str| -> Vec<String> {
        let lines = seen.headers.iter().filter(|(found, _)| found == name);
        lines
            .map(|(_, value)| String::from_utf8_lossy(value).into_owned())
            .collect()
    };
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str(), seen.body_length),
        ("POST", "/echo?a=b", 5)
    );
    assert_eq!(all("cookie"), ["z=1; theme=dark; x=y"]);
    assert_eq!(all("queue-position"), ["1"]);
    assert_eq!(all("x-mine"), ["kept"]);
    let pass = &all("queue-pass")[0];
    let claims = crate::house::claims(pass);
    assert_eq!(
        (
            &claims["room"],
            &claims["aud"],
            claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap()
        ),
        (&house.room().into(), &"127.0.0.1".into(), 60)
    );
    house.set("origin_cookie", "keep");
    visitor.ask("/echo");
    let kept = house.wasm_side().origin.requests().pop().unwrap();
    let kept = format!(
        "{:?}",
        kept.headers
            .iter()
            .map(|(_, value)| String::from_utf8_lossy(value))
            .collect::<Vec<_>>()
    );
    assert!(kept.contains("theme=dark; queue=ey"), "{kept}");
    let bypass = Ask::get("/robots.txt")
        .with("queue-position", "7")
        .with("queue-pass", "forged");
    house.ask(&bypass);
    let seen = house.wasm_side().origin.requests().pop().unwrap();
    assert!(
        seen.headers
            .iter()
            .all(|(name, _)| !name.starts_with("queue-")),
        "copies sent by a client are removed everywhere"
    );
}

/// The pass that came along with the last request to the origin.
fn last_pass(house: &House) -> String {
    let seen = house.wasm_side().origin.requests().pop().unwrap();
    let mut headers = seen.headers.into_iter();
    let (_, pass) = headers.find(|(name, _)| name == "queue-pass").unwrap();
    String::from_utf8(pass).unwrap()
}

/// What `cargo dev secret pass` prints for these entries, line by line: the name of each key, and the key.
fn printed_keys(entries: &str) -> Vec<(String, HS256Key)> {
    let printed = cli_core::secret::pass_keys(entries).unwrap();
    let line = |line: &str| {
        let (kid, key) = line.split_once(' ').unwrap();
        (kid.to_owned(), HS256Key::from_bytes(&unhex(key)))
    };
    printed.lines().map(line).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    pairs.map(byte).collect()
}

/// As an origin does that holds these keys.
fn is_pass(keys: &[(String, HS256Key)], token: &str) -> bool {
    let metadata = Token::decode_metadata(token).unwrap();
    let options = || VerificationOptions {
        required_signature_type: Some("queue-pass+JWT".to_owned()),
        allowed_audiences: Some(HashSet::from(["127.0.0.1".to_owned()])),
        ..VerificationOptions::default()
    };
    let named = keys.iter().find(|(kid, _)| metadata.key_id() == Some(kid));
    named.is_some_and(|(_, key)| {
        key.verify_token::<NoCustomClaims>(token, Some(options()))
            .is_ok()
    })
}

#[test]
fn the_printed_key_checks_passes_and_neither_checks_nor_mints_tickets() {
    let house = House::wasm_shared();
    let cookie = admitted(&house);
    let ticket = cookie.strip_prefix("queue=").unwrap();
    house.ask(&Ask::get("/echo").with("cookie", &cookie));
    let pass = last_pass(&house);
    let keys = printed_keys(SECRET);
    assert!(is_pass(&keys, &pass));
    assert!(!is_pass(&keys, ticket), "a ticket is never a pass");
    assert!(!is_pass(&printed_keys(&"x".repeat(32)), &pass));
    let by_the_secret = HS256Key::from_bytes(SECRET.as_bytes());
    let (kid, key) = &keys[0];
    assert!(by_the_secret.verify_token::<Value>(ticket, None).is_ok());
    assert!(by_the_secret.verify_token::<Value>(&pass, None).is_err());
    assert!(key.verify_token::<Value>(ticket, None).is_err());

    let claims = by_the_secret.verify_token::<Value>(ticket, None).unwrap();
    let minted = key.clone().with_key_id(kid).authenticate(claims).unwrap();
    let forged = Ask::get("/echo").with("cookie", format!("queue={minted}"));
    assert!(!house.ask(&forged).inside, "the key mints no ticket");
    let posing = Ask::get("/echo").with("cookie", format!("queue={pass}"));
    assert!(!house.ask(&posing).inside, "a pass is never a ticket");
    assert!(
        house.ask(&Ask::get("/echo").with("cookie", &cookie)).inside,
        "the real one still is"
    );
}

#[test]
fn an_origin_that_has_the_new_key_first_accepts_every_pass_of_a_rotation() {
    const NEXT: &str = "development-only-jwt-secret-fedcba9876543210";
    let house = House::wasm_shared();
    let cookie = admitted(&house);
    let inside = Ask::get("/echo").with("cookie", &cookie);
    let keys = printed_keys(&format!("{SECRET},{NEXT}"));
    for listed in [
        format!("{SECRET},{NEXT}"),
        format!("{NEXT},{SECRET}"),
        NEXT.to_owned(),
    ] {
        assert!(house.ask(&inside).inside && is_pass(&keys, &last_pass(&house)));
        house.set("jwt_secret", &listed);
        let is_known = listed.contains(SECRET);
        assert_eq!(house.ask(&inside).inside, is_known, "{listed}");
        assert!(is_pass(&keys, &last_pass(&house)));
    }
    assert!(
        !is_pass(&printed_keys(SECRET), &last_pass(&house)),
        "the last one is signed with the new key"
    );
}

#[test]
fn who_is_let_in_while_the_origin_is_down_stays_in() {
    let house = House::wasm_without_origin();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    let first = visitor.ask("/");
    assert_eq!(first.status, 502, "in the host's own words");
    assert_eq!(first.all("cache-control"), ["private, no-store"]);
    let again = visitor.ask("/");
    assert_eq!((again.status, again.ticket()), (502, None));
    let log = house.log();
    assert_eq!(
        (&log[1]["reason"], &log[2]["reason"]),
        (&"admitted".into(), &"inside".into())
    );
}

#[test]
fn production_refuses_what_is_for_development_only() {
    let house = House::wasm_deployed();
    let got = house.ask(&Ask::get("/echo"));
    assert_eq!((got.status, got.inside), (503, false));
    let log = house.log();
    let keys = problem_keys(&log[0]);
    assert_eq!(
        keys,
        ["jwt_secret", "upstash_url", "upstash_token"],
        "and a store without TLS"
    );
    assert!(
        !log[0].to_string().contains("development-only"),
        "{}",
        log[0]
    );
}

#[test]
fn production_sends_http_to_https_before_anything_is_drawn() {
    let house = House::wasm_deployed();
    for (key, value) in [
        ("jwt_secret", "a-real-secret-of-this-story-32-bytes"),
        ("upstash_url", "https://127.0.0.1"),
        ("upstash_token", "a-real-token"),
        ("admin_password", "a-real-password"),
        ("permit_token", "a-real-permit-token"),
        ("cors_origins", "https://app.shop.example"),
    ] {
        house.set(key, value);
    }
    let calls = house.calls(|| {
        let ask = Ask::get("/drop?size=m").with("host", "shop.example");
        let got = house.ask(&ask.with("origin", "https://app.shop.example"));
        assert_eq!(
            (got.status, got.header("location"), got.ticket()),
            (308, "https://shop.example/drop?size=m", None)
        );
        assert_eq!(
            got.header("access-control-allow-origin"),
            "https://app.shop.example",
            "a browser follows for a page only where that page may read"
        );
    });
    assert_eq!(calls, 0);
    let got = house.ask(&Ask::get("/drop").with("host", "shop.example:80"));
    assert_eq!(got.header("location"), "https://shop.example/drop");
    // Over http no browser sends this: the platform would have told the scheme wrong.
    for path in ["/drop", "/_queue/place", "/_queue/cookies?try=1&to=%2F"] {
        let ask = Ask::get(path).with("host", "shop.example");
        let got = house.ask(&ask.with("sec-fetch-mode", "navigate"));
        assert_ne!(got.status, 308, "{path}: it would come again: {got:?}");
        let cookies = got.all("set-cookie");
        assert!(
            cookies.iter().all(|cookie| cookie.contains("; Secure")),
            "{cookies:?}"
        );
    }
    assert!(
        house
            .ask(&Ask::get("/robots.txt").with("host", "shop.example"))
            .inside
    );
}

#[test]
fn production_leads_operators_to_https_on_the_admin_host_and_visitors_to_nothing() {
    let house = House::wasm_deployed();
    for (key, value) in [
        ("jwt_secret", "a-real-secret-of-this-story-32-bytes"),
        ("upstash_url", "https://127.0.0.1"),
        ("upstash_token", "a-real-token"),
        ("admin_password", "a-real-password"),
        ("admin_host", "queue.shop.example"),
    ] {
        house.set(key, value);
    }
    let calls = house.calls(|| {
        for path in ["/", "/_queue", "/_queue/status", "/drop", "/robots.txt"] {
            let ask = |method| {
                Ask::get(&format!("{path}?a=b"))
                    .method(method)
                    .with("host", "queue.shop.example:80")
                    .with("authorization", "Basic YWRtaW46YS1yZWFsLXBhc3N3b3Jk")
            };
            let got = house.ask(&ask("GET"));
            let location = format!("https://queue.shop.example{path}?a=b");
            assert_eq!((got.status, got.inside), (308, false), "{path}");
            assert_eq!(got.header("location"), location);
            let got = house.ask(&ask("POST"));
            assert_eq!((got.status, got.inside), (403, false), "{path}");
        }
    });
    assert_eq!(calls, 0);
    let on_the_shop = |path| house.ask(&Ask::get(path).with("host", "shop.example"));
    let got = on_the_shop("/_queue");
    let location = "https://shop.example/_queue";
    assert_eq!((got.status, got.header("location")), (308, location));
    assert!(on_the_shop("/robots.txt").inside);
}

/// The credentials are right: over plain http they are not even looked at.
#[test]
fn production_reads_no_credentials_over_plain_http() {
    let house = House::wasm_deployed();
    for (key, value) in [
        ("jwt_secret", "a-real-secret-of-this-story-32-bytes"),
        ("upstash_url", "https://127.0.0.1"),
        ("upstash_token", "a-real-token"),
        ("admin_password", "a-real-password"),
        ("admin_token", "a-real-admin-token"),
    ] {
        house.set(key, value);
    }
    let basic = "Basic YWRtaW46YS1yZWFsLXBhc3N3b3Jk";
    let calls = house.calls(|| {
        for (method, status) in [("GET", 308), ("HEAD", 308), ("POST", 403), ("PUT", 403)] {
            for credentials in [basic, "Bearer a-real-admin-token", "Basic wrong"] {
                for route in ["", "/status", "/permit", "/nothing"] {
                    let ask = Ask::get(&format!("/_queue{route}?a=b"))
                        .method(method)
                        .with("host", "shop.example:80")
                        .with("authorization", credentials);
                    let again = house.ask(&ask.clone().with("sec-fetch-site", "same-origin"));
                    let seen = (again.status, again.header("location"));
                    assert_eq!(seen, (403, ""), "a browser that came by https: {again:?}");
                    let got = house.ask(&ask);
                    assert_eq!(got.status, status, "{method} {route} {credentials}");
                    let location = format!("https://shop.example/_queue{route}?a=b");
                    let expected = if status == 308 { location.as_str() } else { "" };
                    assert_eq!(got.header("location"), expected);
                    assert_eq!(got.header("www-authenticate"), "");
                    assert_eq!(got.header("strict-transport-security"), "");
                }
            }
        }
    });
    assert_eq!(calls, 0);
}

#[test]
fn a_log_line_says_who_and_where_without_the_query() {
    let house = House::wasm_shared();
    house.ask(
        &Ask::get("/drop?token=private")
            .with("referer", "http://elsewhere.example/a?key=private")
            .with("user-agent", "story/1"),
    );
    let line = &house.log()[0];
    for (field, value) in [
        ("clientAddress", "127.0.0.1"),
        ("requestMethod", "GET"),
        ("requestReferer", "http://elsewhere.example/a"),
        ("requestUserAgent", "story/1"),
        ("fastlyHostname", "localhost"),
    ] {
        assert_eq!(line[field], value, "{line}");
    }
    assert!(
        line["requestUrl"].as_str().unwrap().ends_with("/drop"),
        "{line}"
    );
    for field in [
        "timestamp",
        "fastlyRegion",
        "fastlyServiceId",
        "fastlyServiceVersion",
        "fastlyTraceId",
        "responseStatus",
        "permitted",
        "queueCursor",
        "visitorPosition",
        "reason",
    ] {
        assert!(line.get(field).is_some(), "{field}: {line}");
    }
    assert!(!line.to_string().contains("private"), "{line}");
}

/// Bytes that no client library would send.
#[test]
fn no_shape_of_a_request_is_an_error_of_ours() {
    let house = House::wasm_shared();
    let long = "a".repeat(8192);
    let requests: Vec<Vec<u8>> = vec![
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: \xff\xfe; queue=\xff\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: queue\r\nCookie: =\r\nCookie: ;;;\r\n\r\n".to_vec(),
        format!("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: queue={long}\r\n\r\n").into(),
        format!("GET /{long} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").into(),
        b"GET /%ff%00%zz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET /?\xff HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET //evil.example/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET /_queue HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Basic \xff\r\n\r\n".to_vec(),
        b"GET /_queue HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Basic Og==\r\n\r\n".to_vec(),
        b"POST /_queue/permit HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\n\xff\xfe\xfd"
            .to_vec(),
        b"BREW / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".to_vec(),
        b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept: \xff;q=\xff\r\nSec-Fetch-Dest: \xff\r\n\r\n"
            .to_vec(),
    ];
    let spoilt = [
        "a:99999",
        "999.1.1.1",
        "1.2.3.4.5",
        "xn--",
        "xn--99999999999",
    ];
    let hosts = spoilt
        .map(|host| format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").into());
    for request in requests.into_iter().chain(hosts) {
        let mut socket = TcpStream::connect(house.wasm_side().edge.addr()).unwrap();
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        socket.write_all(&request).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer);
        let shape = String::from_utf8_lossy(&request).into_owned();
        let waits = ["HTTP/1.1 503", "HTTP/1.1 303"];
        let waits = waits.iter().any(|status| answer.starts_with(status));
        let ours = waits && answer.contains("x-robots-tag: noindex");
        let client_error = answer.starts_with("HTTP/1.1 4");
        assert!(ours || client_error, "{shape}: {answer}");
    }
}

/// One request byte by byte, on a connection of its own, and the answer to it.
fn raw(house: &House, request: &str) -> String {
    let mut socket = TcpStream::connect(house.wasm_side().edge.addr()).unwrap();
    let patience = Some(Duration::from_secs(20));
    socket.set_read_timeout(patience).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

/// No client library would leave these paths as they are.
#[test]
fn the_path_that_was_judged_is_the_path_that_is_sent() {
    let house = House::wasm_shared();
    house.set("bypass_paths", "/robots.txt,/assets/*");
    let mut held = 0;
    for path in [
        "/checkout/../robots.txt",
        "/robots.txt/../checkout",
        "/assets/../checkout",
        "/assets/%2e%2e/checkout",
        "/assets/%2E./checkout",
        "/assets/..\\checkout",
        "/assets\\..\\checkout",
        "/assets/%252e%252e/checkout",
        "/assets/..;/checkout",
        "/assets//../checkout",
        "//assets/../checkout",
        "/assets/.\t./checkout",
        "/./robots.txt",
        "/assets/a/./b",
        "/assets/%5c../checkout",
    ] {
        house.wasm_side().origin.clear();
        let answer = raw(
            &house,
            &format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        );
        let sent = house.wasm_side().origin.requests();
        let sent: Vec<&str> = sent.iter().map(|seen| seen.target.as_str()).collect();
        match sent[..] {
            [] => {
                let status = answer.split(' ').nth(1).unwrap();
                assert!(["303", "503", "400"].contains(&status), "{path}: {answer}");
                held += 1;
            }
            [target] => {
                let is_listed = target == "/robots.txt" || target.starts_with("/assets/");
                let is_plain = ["..", "%", "\\", ";", "//"]
                    .iter()
                    .all(|odd| !target.contains(odd));
                assert!(is_listed && is_plain, "{path} was sent as {target}");
            }
            _ => panic!("{path}: {sent:?}"),
        }
    }
    assert!(held >= 9, "{held}");
}

/// As it stands in the request line; nothing on the way may make another path of it than the one that was judged.
#[test]
fn no_spelling_of_a_protected_path_gets_past_the_room() {
    let house = House::wasm_shared();
    house.set("protected_paths", "/checkout, /tickets/*, *.php");
    house.set("bypass_paths", "/assets/*, *.css");
    let reaches_the_origin = |path: &str| {
        house.wasm_side().origin.clear();
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let answer = raw(&house, &request);
        let status = answer.split(' ').nth(1).unwrap();
        let sent = house.wasm_side().origin.requests();
        assert!(
            sent.len() == 1 || ["303", "503", "400"].contains(&status),
            "{path}: {answer}"
        );
        sent.first().map(|seen| seen.target.clone())
    };
    for path in [
        "/checkout",
        "/checkout/",
        "/checkout?a=.css",
        "/CheckOut",
        "/%63heckout",
        "/%43heckout/",
        "/checkout.",
        "/checkout%20",
        "/about/../checkout",
        "/about/%2e%2e/checkout",
        "/about\\..\\checkout",
        "/about/..%2fcheckout",
        "//checkout",
        "/about//checkout",
        "/checkout;x",
        "/checkout%3bx",
        "/checkout%3fx",
        "/checkout%23x",
        "/checkout%3fa.css",
        "/checkout%00.css",
        "/checkout%2f.css",
        "/checkout%5cx.css",
        "/checkout%252f.css",
        "/./checkout",
        "/checkout/.",
        "/assets/../checkout",
        "/assets/..;/checkout",
        "/tickets",
        "/tickets/1",
        "/TICKETS/1",
        "/%74ickets/1",
        "/tickets./1",
        "/index.php",
        "/index.PHP/a",
        "/a/index.%70hp",
        "http://a/checkout",
        "http://b/assets/../tickets/1",
    ] {
        assert_eq!(reaches_the_origin(path), None, "{path}");
    }
    for (path, target) in [
        ("/", "/"),
        ("/about?next=/checkout", "/about?next=/checkout"),
        ("/checkouts", "/checkouts"),
        ("/checkout/../about", "/about"),
        ("/a/checkout", "/a/checkout"),
        ("/assets/a%20b", "/assets/a%20b"),
        ("/checkout.css", "/checkout.css"),
        ("http://a/about", "/about"),
    ] {
        assert_eq!(reaches_the_origin(path).as_deref(), Some(target), "{path}");
    }
}

#[test]
fn the_server_as_a_whole_is_no_page_and_no_error_of_ours() {
    let house = House::wasm_shared();
    for (method, host, status) in [
        ("GET", "a:80", "400"),
        ("HEAD", "127.0.0.1:7676", "400"),
        ("POST", "a:80", "400"),
        ("OPTIONS", "127.0.0.1:7676", "204"),
    ] {
        let request = format!("{method} * HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        let answer = raw(&house, &request);
        let found = answer.split(' ').nth(1).unwrap_or_default();
        assert_eq!(found, status, "{request}{answer}");
    }
    let request = "GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let answer = raw(&house, request);
    assert!(!answer.starts_with("HTTP/1.1 500"), "{answer}");
    assert!(house.ask(&Ask::get("/robots.txt")).inside, "and it goes on");
}

/// The SDK panics over what the local server says of a value that is too long.
#[test]
fn a_value_that_the_config_store_does_not_give_out_closes_the_room_and_is_logged() {
    let house = House::wasm_shared();
    let too_long = format!(r#"{{"message":"{}"}}"#, "a".repeat(9_000));
    house.set("settings", &too_long);
    for path in ["/", "/_queue/healthz", "/"] {
        let got = house.ask(&Ask::get(path));
        assert_eq!((got.status, got.header("retry-after")), (503, "30"));
        assert!(got.body.contains("being set up"), "{}", got.body);
    }
    house.log_of(3);
    let told = house.wasm_side().edge.log_lines("queue_logs");
    let unread = told.iter().filter(|line| {
        line.contains("unsound_configuration") && line.contains(r#""unreadable":true"#)
    });
    assert_eq!(unread.count(), 3, "{told:?}");
    house.set("settings", "{}");
    assert!(house.ask(&Ask::get("/robots.txt")).inside, "and it goes on");
}

#[test]
fn a_visitor_inside_is_sent_where_the_path_leads() {
    let house = House::wasm_shared();
    let cookie = admitted(&house);
    for (path, expected) in [
        ("/a/../echo?b=..%2f", "/echo?b=..%2f"),
        ("/a\\b", "/a/b"),
        ("/a%2Fb;c//d", "/a%2Fb;c//d"),
        ("/%E4%BD%A0?q=%20", "/%E4%BD%A0?q=%20"),
    ] {
        house.wasm_side().origin.clear();
        raw(
            &house,
            &format!(
                "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nCookie: {cookie}\r\n\r\n"
            ),
        );
        let seen = house.wasm_side().origin.requests().pop().unwrap();
        assert_eq!(seen.target, expected);
    }
}

#[test]
fn a_backend_that_leads_elsewhere_than_the_address_says_closes_the_room_and_tells_what_mends_it() {
    let house = House::wasm_shared();
    assert_eq!(house.ask(&Ask::get("/_queue/healthz")).body, "ok\n");
    house.set("upstash_url", "http://store.example");
    let health = house.ask(&Ask::get("/_queue/healthz"));
    let told = health.json()["detail"].to_string();
    let command = "upstash: the host of upstash_url: fastly service backend update --version latest --autoclone --name upstash --address store.example";
    assert!(health.status == 503 && told.contains(command), "{told}");
    let calls = house.calls(|| assert_eq!(house.ask(&Ask::get("/").json()).status, 503));
    assert_eq!(calls, 0, "the token is sent nowhere");
}
