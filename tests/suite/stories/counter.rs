//! The rules of the ticket counter. That streams and the origin's cookies come through is shown in the Wasm alone.

use std::time::Duration;

use serde_json::json;

use crate::house::{Ask, House, PERMIT_TOKEN, SECRET, Visitor, claims, inside, visitors};

use super::DAY;

pub(crate) fn new_visitors_draw_1_2_3(house: &House) {
    for expected in 1..=3 {
        let got = Visitor::new(house).ask("/");
        assert_eq!(got.json()["position"], expected);
        assert!(!got.inside);
    }
}

pub(crate) fn admitted_if_and_only_if_the_cursor_has_reached_the_position(house: &House) {
    let mut visitors = visitors(house, 6);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.permit(5);
    assert_eq!(inside(&mut visitors), [true, true, true, true, true, false]);
}

pub(crate) fn the_very_request_that_moves_the_cursor_is_admitted(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    assert!(
        Visitor::new(house).ask("/echo").inside,
        "nobody waits and budget is left"
    );
}

pub(crate) fn ahead_is_position_minus_cursor_minus_one_and_never_grows(house: &House) {
    house.write(&["main length", "3289", "main cursor", "1"]);
    let mut visitor = Visitor::new(house);
    let first = visitor.ask("/").json();
    assert_eq!(
        (&first["position"], &first["cursor"], &first["ahead"]),
        (&json!(3290), &json!(1), &json!(3288))
    );
    let page = house.ask(&Ask::get("/").with(
        "cookie",
        format!("queue={}", visitor.ticket.clone().unwrap()),
    ));
    assert!(page.body.contains("3,288"), "{}", page.body);
    let mut shown = 3288;
    for arrivals in 0..5 {
        for _ in 0..arrivals {
            Visitor::new(house).ask("/");
        }
        house.permit(2);
        let ahead = visitor.ask("/").json()["ahead"].as_u64().unwrap();
        assert_eq!(ahead, shown - 2);
        shown = ahead;
    }
}

pub(crate) fn the_page_counts_people_in_words(house: &House) {
    for words in [
        "You’re next.",
        "There is 1 person ahead of you.",
        "There are 2 people ahead of you.",
    ] {
        let page = Visitor::new(house).send(Ask::get("/"));
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
}

pub(crate) fn the_page_refreshes_itself_without_script(house: &House) {
    let page = house.ask(&Ask::get("/shop?a=1"));
    assert_eq!(
        (page.header("refresh"), page.header("retry-after")),
        ("5; url=/_queue/cookies?try=1&to=%2Fshop%3Fa%3D1", "5"),
        "by way of the cookie that was just set"
    );
    let kept = Ask::get("/shop").with("cookie", format!("queue={}", page.ticket().unwrap()));
    assert_eq!(house.ask(&kept).header("refresh"), "5");
}

pub(crate) fn the_ticket_is_a_signed_token_that_lives_a_day(house: &House) {
    let got = house.ask(&Ask::get("/"));
    let claims = claims(&got.ticket().unwrap());
    assert_eq!(claims["pos"], 1);
    assert_eq!(claims["room"], house.room());
    assert!(
        claims["born"].as_u64() > Some(1_000_000_000_000),
        "{claims}"
    );
    assert_eq!(
        claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(),
        DAY
    );
    assert!(claims["sub"].as_str().unwrap().len() == 32);
    assert!(
        got.header("set-cookie")
            .ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=90000"),
        "{got:?}"
    );
}

pub(crate) fn an_altered_ticket_is_no_ticket(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let mut altered = visitor.ticket.clone().unwrap();
    let middle = altered.len() / 2;
    let other = if &altered[middle..=middle] == "A" {
        "B"
    } else {
        "A"
    };
    altered.replace_range(middle..=middle, other);
    visitor.ticket = Some(altered);
    assert_eq!(
        visitor.ask("/").json()["position"],
        2,
        "a new one at the back"
    );
}

pub(crate) fn changing_the_secret_ends_every_ticket(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    house.set("jwt_secret", "another-secret-for-this-story-of-32-bytes");
    let got = visitor.ask("/echo");
    assert!(!got.inside);
    assert_eq!(got.json()["position"], 2);
}

pub(crate) fn bypass_paths_go_straight_to_the_origin(house: &House) {
    for path in [
        "/robots.txt",
        "/favicon.ico",
        "/assets/background.jpg",
        "/assets/logo.svg",
    ] {
        let calls = house.calls(|| {
            let got = house.ask(&Ask::get(path));
            assert!(got.inside, "{path}");
            assert_eq!(got.ticket(), None, "{path}");
        });
        assert_eq!(calls, 0, "{path}");
    }
    assert!(!house.ask(&Ask::get("/robots.txt/x")).inside);
}

pub(crate) fn the_waiting_page_comes_from_the_edge_and_loads_nothing(house: &House) {
    let page = house.ask(&Ask::get("/"));
    assert!(!page.inside);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "style-src 'sha256-",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
}

pub(crate) fn the_panel_shows_the_line_to_the_operator(house: &House) {
    for _ in 0..7 {
        Visitor::new(house).ask("/");
    }
    house.permit(3);
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert_eq!(panel.status, 200);
    for shown in [
        r#"id="cursor">3<"#,
        r#"id="length">7<"#,
        r#"id="waiting">4<"#,
        r#"id="credit">0<"#,
        "Let visitors in",
        r#"id="let-in" class="go">Let them in<"#,
    ] {
        assert!(panel.body.contains(shown), "{shown}: {}", panel.body);
    }
    assert_eq!(panel.header("cache-control"), "private, no-store");
}

pub(crate) fn the_permit_api_moves_the_line(house: &House) {
    for _ in 0..4 {
        Visitor::new(house).ask("/");
    }
    assert_eq!(
        house.permit(3),
        json!({"cursor": 3, "length": 4, "waiting": 1, "released": 3, "credit": 0, "dropped": 0})
    );
    let pressed = house.ask(&Ask::press("amt=1"));
    let location = pressed.header("location");
    assert_eq!(pressed.status, 303);
    assert!(
        location.starts_with("/_queue/?done=permit&number=1&asked=1&dropped=0&at="),
        "{location}"
    );
    let told = house.ask(&Ask::get(location).operator());
    assert!(told.body.contains("Let in: 1."), "{}", told.body);
    let by_default = house.ask(&Ask::press(""));
    let location = by_default.header("location");
    assert!(
        location.starts_with("/_queue/?done=permit&number=0&asked=1&dropped=0&at="),
        "{location}"
    );
}

pub(crate) fn the_first_request_of_a_period_moves_the_line_once(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "2");
    house.wait_for_period(60);
    let mut visitors = visitors(house, 6);
    assert_eq!(
        inside(&mut visitors),
        [true, true, false, false, false, false],
        "the budget of this period"
    );
    assert!(
        visitors[2..]
            .iter_mut()
            .all(|visitor| !visitor.ask("/echo").inside),
        "and no more of it"
    );
    house.wait_for_period(60);
    assert_eq!(
        inside(&mut visitors[2..]),
        [true, true, false, false],
        "the next one's"
    );
}

pub(crate) fn automatic_zero_is_off(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    for _ in 0..3 {
        house.wait(Duration::from_millis(1100));
        assert!(!visitor.ask("/echo").inside);
    }
    assert_eq!(
        visitor.ask("/").json()["estimated_wait_seconds"],
        json!(null)
    );
}

pub(crate) fn schedule_operator_and_origin_move_the_line_together(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    let mut visitors = visitors(house, 5);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.ask(&Ask::press("amt=2"));
    house.permit(1);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    // One by schedule, or two where a minute began in between.
    let cursor = status["cursor"].as_u64().unwrap();
    assert!(cursor == 4 || cursor == 5, "{status}");
}

pub(crate) fn a_change_of_pace_takes_effect_within_one_period(house: &House) {
    house.set("automatic", "3600");
    house.set("automatic_quantity", "1");
    house.wait_for_period(3600);
    let mut first = Visitor::new(house);
    assert!(first.ask("/echo").inside);
    let mut second = Visitor::new(house);
    assert!(!second.ask("/echo").inside);
    house.set("automatic", "2");
    house.wait_for_period(2);
    house.forget_the_sign();
    assert!(
        second.ask("/echo").inside,
        "though the hour that was opened is not over"
    );
}

pub(crate) fn every_decision_is_one_log_line(house: &House) {
    house.set("origin_health", "off");
    let mut visitor = Visitor::new(house);
    visitor.ask("/drop?token=private");
    house.permit(1);
    visitor.ask("/echo");
    visitor.ask("/echo");
    let log = house.log();
    assert_eq!(log.len(), 4, "{log:?}");
    // The host answers who is inside: how, is not known here.
    let told = |line: &serde_json::Value| {
        (
            line["reason"].clone(),
            line["permitted"].clone(),
            line["queueCursor"].clone(),
            line["visitorPosition"].clone(),
            line["responseStatus"].clone(),
        )
    };
    assert_eq!(
        told(&log[0]),
        (
            json!("waiting"),
            json!(false),
            json!(0),
            json!(1),
            json!(503)
        )
    );
    assert_eq!(
        told(&log[1]),
        (
            json!("permit"),
            json!(false),
            json!(1),
            json!(null),
            json!(200)
        )
    );
    assert_eq!(
        told(&log[2]),
        (
            json!("admitted"),
            json!(true),
            json!(1),
            json!(1),
            json!(null)
        )
    );
    assert_eq!(
        told(&log[3]),
        (
            json!("inside"),
            json!(true),
            json!(null),
            json!(1),
            json!(null)
        )
    );
    let text = format!("{log:?}");
    for secret in [
        "private",
        visitor.ticket.as_deref().unwrap(),
        SECRET,
        PERMIT_TOKEN,
    ] {
        assert!(!text.contains(secret), "{secret}");
    }
}

pub(crate) fn looks_are_sampled_and_draws_are_not(house: &House) {
    house.set("log_sample", "10000");
    let mut crowd = visitors(house, 10);
    for visitor in &mut crowd {
        visitor.ask("/");
    }
    for visitor in &mut crowd {
        visitor.ask("/");
        visitor.ask("/_queue/place");
    }
    house.permit(1);
    assert!(crowd[0].ask("/echo").inside);
    let is_look = |line: &&serde_json::Value| line["sample"] == 10_000;
    // The permit and the admission come last, nine of the visitors met a line, and there is a line more for each look that
    // was drawn: hardly one.
    let log = house.log();
    let told = log.iter().filter(|line| !is_look(line));
    let told = told.filter(|line| line["reason"] != "provisional");
    let told: Vec<_> = told.map(|line| line["reason"].clone()).collect();
    assert_eq!(told[..10], ["waiting"; 10], "every draw");
    assert_eq!(told[10..], ["permit", "admitted"]);
    assert!(log.iter().filter(is_look).count() < 10, "{log:?}");
}

pub(crate) fn the_query_is_logged_only_where_that_was_asked_for(house: &House) {
    let ask =
        Ask::get("/drop?size=m&token=private").with("referer", "https://a.example/b?c=private");
    let url = |line: &serde_json::Value| line["requestUrl"].as_str().unwrap().to_owned();
    house.ask(&ask);
    house.set("log_query", "on");
    house.ask(&ask);
    let log = house.log();
    assert!(url(&log[0]).ends_with("/drop"), "{log:?}");
    assert!(
        url(&log[1]).ends_with("/drop?size=m&token=private"),
        "{log:?}"
    );
    assert_eq!(log[1]["requestReferer"], "https://a.example/b");
}

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
