//! What the first implementation of the counter did wrong. The seventh, the origin's lost cookies, is for the Wasm alone.

use std::time::Duration;

use serde_json::json;

use crate::house::{Ask, House, PERMIT_TOKEN, Visitor, claims, inside, visitors};

use super::DAY;

pub(crate) fn next_in_line_sees_nobody_ahead(house: &House) {
    let mut visitors = visitors(house, 3);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.permit(1);
    assert_eq!(visitors[1].ask("/").json()["ahead"], 0);
    assert_eq!(visitors[2].ask("/").json()["ahead"], 1);
}

pub(crate) fn other_cookies_do_not_hide_the_ticket(house: &House) {
    let ticket = house.ask(&Ask::get("/")).ticket().unwrap();
    let long = "a=b; ".repeat(1600);
    let shapes: Vec<Vec<u8>> = vec![
        format!("queue={ticket}").into(),
        format!("session=1; queue={ticket}").into(),
        format!("session=1;queue={ticket};").into(),
        format!("queue=\"{ticket}\"").into(),
        format!("queue=old; queue={ticket}").into(),
        format!("{long}queue={ticket}").into(),
        [
            b"\xff\xfe=\x80; ".as_slice(),
            format!("queue={ticket}").as_bytes(),
        ]
        .concat(),
    ];
    for shape in shapes {
        let got = house.ask(&Ask::get("/").json().with("cookie", &shape));
        assert_eq!(
            got.json()["position"],
            1,
            "{}",
            String::from_utf8_lossy(&shape)
        );
        assert_eq!(
            got.ticket(),
            None,
            "the ticket is not signed anew on each refresh"
        );
    }
    let mut other = Visitor::new(house);
    let got = other.send(Ask::get("/").json().with("cookie", "session=1"));
    assert_eq!((got.status, &got.json()["position"]), (503, &json!(2)));
}

pub(crate) fn permit_needs_post_this_site_and_a_sound_amount(house: &House) {
    for _ in 0..3 {
        Visitor::new(house).ask("/");
    }
    let form = "application/x-www-form-urlencoded";
    let from = |site: &str| {
        Ask::get("/_queue/permit")
            .method("POST")
            .operator()
            .with("sec-fetch-site", site)
            .body(form, "amt=1")
    };
    let bare = || {
        Ask::get("/_queue/permit")
            .method("POST")
            .operator()
            .body(form, "amt=1")
    };
    let by_json = |body: &str| Ask::json_to("permit", body);
    let refused = [
        (405, Ask::get("/_queue/permit?amt=1").operator()),
        (405, Ask::get("/_queue/permit").method("PUT").operator()),
        (403, from("cross-site")),
        (403, from("same-site")),
        (403, from("none")),
        (403, bare()),
        (403, bare().with("origin", "http://evil.example")),
        (403, bare().with("origin", "null")),
        (
            401,
            Ask::get("/_queue/permit")
                .method("POST")
                .with("sec-fetch-site", "same-origin")
                .body(form, "amt=1"),
        ),
        (400, by_json(r#"{"amt":-1}"#)),
        (400, by_json(r#"{"amt":10001}"#)),
        (400, by_json(r#"{"amount":2}"#)),
        (413, by_json(&"x".repeat(5000))),
        (
            415,
            Ask::get("/_queue/permit")
                .method("POST")
                .with("authorization", format!("Bearer {PERMIT_TOKEN}"))
                .body("text/plain", "amt=1"),
        ),
    ];
    for (status, ask) in refused {
        let got = house.ask(&ask);
        assert_eq!(
            (got.status, got.header("content-type")),
            (status, "application/problem+json"),
            "{ask:?}: {got:?}"
        );
        assert_eq!(got.json()["status"], status);
    }
    for (status, form) in [
        (400, "amt=-1"),
        (400, "amt=0"),
        (400, "amt=abc"),
        (400, "amt=10001"),
        (400, "amount=2"),
        (413, &format!("amt=1&{}", "x".repeat(5000))),
    ] {
        let got = house.ask(&Ask::press(form));
        assert_eq!(got.status, status, "{form}");
        assert!(got.body.contains("id=\"trouble\""), "{form}: {}", got.body);
    }
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["cursor"], &status["credit"]),
        (&json!(0), &json!(0)),
        "nothing moved"
    );
    let by_origin = house.ask(
        &bare()
            .with("host", "shop.example")
            .with("origin", "http://shop.example"),
    );
    assert_eq!(
        by_origin.status, 303,
        "an old browser without Sec-Fetch-Site"
    );
}

pub(crate) fn the_admin_prefix_is_exact_and_the_panel_is_never_open(house: &House) {
    assert_eq!(
        house.ask(&Ask::get("/_queuefoo").json()).json()["position"],
        1,
        "the origin's path, so it queues"
    );
    assert_eq!(
        house.ask(&Ask::get("/_queue/nothing").operator()).status,
        404
    );
    assert_eq!(house.ask(&Ask::get("/_queue")).status, 303);
    assert_eq!(house.ask(&Ask::get("/_queue/")).status, 401);
    house.set("admin_password", "");
    house.set("permit_token", "");
    house.set("admin_token", "");
    for path in ["/_queue", "/_queue/", "/_queue/status"] {
        assert_eq!(house.ask(&Ask::get(path).operator()).status, 404, "{path}");
        assert_eq!(
            house
                .ask(&Ask::get(path).with("authorization", "Basic YWRtaW46"))
                .status,
            404,
            "{path}"
        );
    }
    assert_eq!(house.ask(&Ask::permit(1)).status, 404);
    let last = house.log().pop().unwrap();
    assert_eq!(last["reason"], "no_password", "and the log says so");
}

pub(crate) fn store_calls_are_counted_exactly(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1, "new");
    assert!(house.is_free(|| drop(visitor.ask("/"))), "waiting");
    house.forget_the_sign();
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1, "the first look");
    assert_eq!(house.calls(|| drop(house.permit(1))), 1, "permit");
    assert!(visitor.ask("/echo").inside);
    assert!(house.is_free(|| drop(visitor.ask("/echo"))), "inside");
    let is_admitted_for_free = || {
        let mut next = Visitor::new(house);
        next.ask("/");
        house.permit(1);
        house.calls(|| assert!(next.ask("/echo").inside)) == 0
    };
    assert!((0..5).any(|_| is_admitted_for_free()), "admitted just now");
    let asks = [
        ("panel", 1, Ask::get("/_queue").operator()),
        ("status", 1, Ask::get("/_queue/status").operator()),
        ("bypass", 0, Ask::get("/robots.txt")),
        ("preflight", 0, Ask::preflight("/")),
        ("OPTIONS", 0, Ask::get("/").method("OPTIONS")),
        ("health", 0, Ask::get("/_queue/healthz")),
        ("nobody's panel", 0, Ask::get("/_queue/")),
        ("the way there", 0, Ask::get("/_queue")),
    ];
    for (what, expected, ask) in asks {
        assert_eq!(house.calls(|| drop(house.ask(&ask))), expected, "{what}");
    }
    Visitor::new(house).ask("/");
    let first_contact = || drop(house.ask(&Ask::get("/")));
    assert!(
        house.is_free(first_contact),
        "a first contact while others wait"
    );
    let second_contact = || drop(Visitor::new(house).ask("/"));
    assert_eq!(house.calls(second_contact), 1, "and the second one");
}

pub(crate) fn idle_time_banks_nothing(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    Visitor::new(house).ask("/");
    house.wait(Duration::from_mins(3));
    house.wait_for_period(60);
    let mut visitors = visitors(house, 4);
    assert_eq!(
        inside(&mut visitors),
        [true, false, false, false],
        "one period's budget, not three"
    );
}

pub(crate) fn keys_expire(house: &House) {
    Visitor::new(house).ask("/");
    let keys = house
        .store
        .command(&[
            "EVAL",
            "return redis.call('TTL', KEYS[1])",
            "1",
            &house.key(""),
        ])
        .unwrap();
    let left = keys.as_u64().unwrap();
    assert!((2 * DAY - 60..=2 * DAY).contains(&left), "{left}");
}

pub(crate) fn a_store_that_is_down_is_a_waiting_page(house: &House) {
    use upstash_local::{Fault, Faults};
    house.store.fail(Faults::always(Fault::Refuse));
    let got = house.ask(&Ask::get("/"));
    assert_eq!(got.status, 503);
    assert!(
        got.body.contains("Please wait") && !got.header("retry-after").is_empty(),
        "{got:?}"
    );
}

pub(crate) fn only_visits_draw_and_answers_carry_their_headers(house: &House) {
    let quiet = [
        (503, Ask::get("/").with("sec-purpose", "prefetch")),
        (503, Ask::get("/").with("purpose", "prefetch")),
        (503, Ask::get("/").with("x-moz", "prefetch")),
        (503, Ask::get("/").with("sec-fetch-dest", "image")),
        (503, Ask::get("/").with("sec-fetch-dest", "script")),
        (503, Ask::get("/").with("sec-fetch-dest", "style")),
        (503, Ask::get("/").with("sec-fetch-dest", "font")),
        (503, Ask::get("/").method("HEAD")),
    ];
    let calls = house.calls(|| {
        for (status, ask) in quiet {
            let got = house.ask(&ask);
            assert_eq!(
                (got.status, got.body.as_str(), got.ticket()),
                (status, "", None),
                "{ask:?}"
            );
            assert!(!got.inside && !got.header("retry-after").is_empty());
        }
        assert!(house.ask(&Ask::preflight("/echo")).inside);
        let got = house.ask(&Ask::get("/").method("TRACE"));
        assert_eq!((got.status, got.inside), (405, false));
        assert!(got.header("allow").contains("GET"));
        let got = house.ask(&Ask::get("/_queue/permit").method("TRACE"));
        assert_eq!((got.status, got.header("allow")), (405, "POST"));
    });
    assert_eq!(calls, 0);
    let got = house.ask(&Ask::get("/"));
    for (name, value) in [
        ("cache-control", "private, no-store"),
        ("vary", "Accept, Accept-Language, Cookie"),
        ("x-robots-tag", "noindex"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
    ] {
        assert_eq!(got.header(name), value);
    }
    let challenge = house.ask(&Ask::get("/_queue/"));
    assert_eq!(
        challenge.header("www-authenticate"),
        r#"Basic realm="Now Serving", charset="UTF-8""#
    );
}

pub(crate) fn a_fresh_store_shows_zero(house: &House) {
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert!(
        panel.body.contains(r#"id="waiting">0<"#) && !panel.body.contains("NaN"),
        "{}",
        panel.body
    );
}

pub(crate) fn the_cookie_is_lax_and_knows_no_version(house: &House) {
    let on_loopback = house.ask(&Ask::get("/"));
    assert!(on_loopback.header("set-cookie").starts_with("queue="));
    let elsewhere = house.ask(&Ask::get("/").with("host", "shop.example"));
    let cookie = elsewhere.header("set-cookie");
    assert!(
        cookie.starts_with("__Host-queue=") && cookie.contains("; Secure; HttpOnly; SameSite=Lax"),
        "{cookie}"
    );
    let claims = claims(&elsewhere.ticket().unwrap());
    assert_eq!(claims.get("iss"), None);
    let by_link = Ask::get("/")
        .with("host", "shop.example")
        .with("sec-fetch-site", "cross-site")
        .with("sec-fetch-mode", "navigate");
    let by_link = by_link.with(
        "cookie",
        format!("__Host-queue={}", elsewhere.ticket().unwrap()),
    );
    let page = house.ask(&by_link);
    assert!(
        page.body.contains(r#"data-position="2""#),
        "who arrives by a link keeps the place: {}",
        page.body
    );
}
