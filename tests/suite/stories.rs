//! The stories: each is run in every house. `t…` are the rules of the ticket counter, `defect_…` what its first
//! implementation did wrong, the rest is the contract of the wire.

use std::time::Duration;

use serde_json::json;

use crate::house::{Ask, House, PERMIT_TOKEN, SECRET, Visitor, claims};

const DAY: u64 = 86_400;

in_every_house! {
    t01_new_visitors_draw_1_2_3
    t02_admitted_if_and_only_if_the_cursor_has_reached_the_position
    t02_the_very_request_that_moves_the_cursor_is_admitted
    t03_ahead_is_position_minus_cursor_minus_one_and_never_grows
    t04_the_page_counts_people_in_words
    t05_the_page_refreshes_itself_without_script
    t06_the_ticket_is_a_signed_token_that_lives_a_day
    t07_an_altered_ticket_is_no_ticket
    t08_changing_the_secret_ends_every_ticket
    t09_bypass_paths_go_straight_to_the_origin
    t10_the_waiting_page_comes_from_the_edge_and_loads_nothing
    t11_the_panel_shows_the_line_to_the_operator
    t12_the_permit_api_moves_the_line
    t13_the_first_request_of_a_period_moves_the_line_once
    t13_automatic_zero_is_off
    t14_schedule_operator_and_origin_move_the_line_together
    t15_a_change_of_pace_takes_effect_within_one_period
    t17_every_decision_is_one_log_line
    defect_01_next_in_line_sees_nobody_ahead
    defect_02_other_cookies_do_not_hide_the_ticket
    defect_03_permit_needs_post_this_site_and_a_sound_amount
    defect_04_the_admin_prefix_is_exact_and_the_panel_is_never_open
    defect_05_store_calls_are_counted_exactly
    defect_06_idle_time_banks_nothing
    defect_08_keys_expire
    defect_09_a_store_that_is_down_is_a_waiting_page
    defect_10_only_visits_draw_and_answers_carry_their_headers
    defect_11_a_fresh_store_shows_zero
    defect_12_the_cookie_is_lax_and_knows_no_version
    credit_is_used_by_the_next_arrivals_and_capped
    an_admitted_ticket_is_signed_again_with_the_time_of_admission
    a_repeated_draw_gets_the_same_number_for_a_minute
    a_script_the_store_forgot_is_sent_again
    another_epoch_ends_the_tickets
    a_store_that_lost_its_memory_is_rebuilt_from_the_tickets
    rotating_the_secret_keeps_the_places
    what_was_posted_while_waiting_is_not_sent
    programs_get_data
    status_is_data_for_operator_and_program
    health_needs_no_store_and_no_password
    wrong_credentials_are_told_how_to_identify
    an_unsound_configuration_is_a_plain_page_and_one_line_with_every_problem
    the_waiting_status_is_a_setting
}

pub(crate) fn t01_new_visitors_draw_1_2_3(house: &House) {
    for expected in 1..=3 {
        let got = Visitor::new(house).ask("/");
        assert_eq!(got.json()["position"], expected);
        assert!(!got.inside);
    }
}

pub(crate) fn t02_admitted_if_and_only_if_the_cursor_has_reached_the_position(house: &House) {
    let mut visitors: Vec<Visitor> = (0..6).map(|_| Visitor::new(house)).collect();
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.permit(5);
    let inside: Vec<bool> = visitors
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect();
    assert_eq!(inside, [true, true, true, true, true, false]);
}

pub(crate) fn t02_the_very_request_that_moves_the_cursor_is_admitted(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    assert!(
        Visitor::new(house).ask("/echo").inside,
        "nobody waits and budget is left"
    );
}

pub(crate) fn t03_ahead_is_position_minus_cursor_minus_one_and_never_grows(house: &House) {
    house
        .store
        .command(&["HSET", "queue:{main}", "length", "3289", "cursor", "1"])
        .unwrap();
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

pub(crate) fn t04_the_page_counts_people_in_words(house: &House) {
    for words in [
        "You are next.",
        "There is 1 person ahead of you.",
        "There are 2 people ahead of you.",
    ] {
        let page = house.ask(&Ask::get("/"));
        assert!(page.body.contains(words), "{words}: {}", page.body);
    }
}

pub(crate) fn t05_the_page_refreshes_itself_without_script(house: &House) {
    let page = house.ask(&Ask::get("/"));
    assert_eq!(
        (page.header("refresh"), page.header("retry-after")),
        ("5", "5")
    );
    assert!(!page.body.contains("<script"));
}

pub(crate) fn t06_the_ticket_is_a_signed_token_that_lives_a_day(house: &House) {
    let got = house.ask(&Ask::get("/"));
    let claims = claims(&got.ticket().unwrap());
    assert_eq!(claims["pos"], 1);
    assert_eq!(claims["room"], "main");
    assert_eq!(claims["epoch"], 1);
    assert_eq!(
        claims["exp"].as_u64().unwrap() - claims["iat"].as_u64().unwrap(),
        DAY
    );
    assert!(claims["sub"].as_str().unwrap().len() == 32);
    assert!(
        got.header("set-cookie")
            .ends_with("; Path=/; HttpOnly; SameSite=Lax; Max-Age=86400"),
        "{got:?}"
    );
}

pub(crate) fn t07_an_altered_ticket_is_no_ticket(house: &House) {
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

pub(crate) fn t08_changing_the_secret_ends_every_ticket(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    house.set("jwt_secret", "another-secret-for-this-story-of-32-bytes");
    let got = visitor.ask("/echo");
    assert!(!got.inside);
    assert_eq!(got.json()["position"], 2);
}

pub(crate) fn t09_bypass_paths_go_straight_to_the_origin(house: &House) {
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

pub(crate) fn t10_the_waiting_page_comes_from_the_edge_and_loads_nothing(house: &House) {
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

pub(crate) fn t11_the_panel_shows_the_line_to_the_operator(house: &House) {
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
    ] {
        assert!(panel.body.contains(shown), "{shown}: {}", panel.body);
    }
    assert_eq!(panel.header("cache-control"), "private, no-store");
}

pub(crate) fn t12_the_permit_api_moves_the_line(house: &House) {
    for _ in 0..4 {
        Visitor::new(house).ask("/");
    }
    assert_eq!(
        house.permit(3),
        json!({"cursor": 3, "length": 4, "waiting": 1, "released": 3, "credit": 0})
    );
    let pressed = house.ask(&Ask::press("amt=1"));
    assert_eq!(
        (pressed.status, pressed.header("location")),
        (303, "/_queue?released=1&asked=1")
    );
    let told = house.ask(&Ask::get("/_queue?released=1&asked=1").operator());
    assert!(told.body.contains("Let in: 1."), "{}", told.body);
    let by_default = house.ask(&Ask::press(""));
    assert_eq!(by_default.header("location"), "/_queue?released=0&asked=1");
}

pub(crate) fn t13_the_first_request_of_a_period_moves_the_line_once(house: &House) {
    house.set("automatic", "4");
    house.set("automatic_quantity", "2");
    house.wait_for_period(4);
    let mut visitors: Vec<Visitor> = (0..6).map(|_| Visitor::new(house)).collect();
    let inside: Vec<bool> = visitors
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect();
    assert_eq!(
        inside,
        [true, true, false, false, false, false],
        "the budget of this period"
    );
    assert!(
        visitors[2..]
            .iter_mut()
            .all(|visitor| !visitor.ask("/echo").inside),
        "and no more of it"
    );
    house.wait_for_period(4);
    let inside: Vec<bool> = visitors[2..]
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect();
    assert_eq!(inside, [true, true, false, false], "the next one's");
}

pub(crate) fn t13_automatic_zero_is_off(house: &House) {
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

pub(crate) fn t14_schedule_operator_and_origin_move_the_line_together(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    let mut visitors: Vec<Visitor> = (0..5).map(|_| Visitor::new(house)).collect();
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

pub(crate) fn t15_a_change_of_pace_takes_effect_within_one_period(house: &House) {
    house.set("automatic", "3600");
    house.set("automatic_quantity", "1");
    let mut first = Visitor::new(house);
    assert!(first.ask("/echo").inside);
    let mut second = Visitor::new(house);
    assert!(!second.ask("/echo").inside);
    house.set("automatic", "2");
    house.wait_for_period(2);
    assert!(
        second.ask("/echo").inside,
        "though the hour that was opened is not over"
    );
}

pub(crate) fn t17_every_decision_is_one_log_line(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/drop?token=private");
    house.permit(1);
    visitor.ask("/echo");
    visitor.ask("/echo");
    let log = house.log_of(4);
    assert_eq!(log.len(), 4, "{log:?}");
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
            json!(200)
        )
    );
    assert_eq!(
        told(&log[3]),
        (
            json!("inside"),
            json!(true),
            json!(null),
            json!(1),
            json!(200)
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

pub(crate) fn defect_01_next_in_line_sees_nobody_ahead(house: &House) {
    let mut visitors: Vec<Visitor> = (0..3).map(|_| Visitor::new(house)).collect();
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.permit(1);
    assert_eq!(visitors[1].ask("/").json()["ahead"], 0);
    assert_eq!(visitors[2].ask("/").json()["ahead"], 1);
}

pub(crate) fn defect_02_other_cookies_do_not_hide_the_ticket(house: &House) {
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
    let got = house.ask(&Ask::get("/").json().with("cookie", "session=1"));
    assert_eq!((got.status, &got.json()["position"]), (503, &json!(2)));
}

pub(crate) fn defect_03_permit_needs_post_this_site_and_a_sound_amount(house: &House) {
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
        (400, Ask::press("amt=-1")),
        (400, Ask::press("amt=0")),
        (400, Ask::press("amt=abc")),
        (400, Ask::press("amt=10001")),
        (400, Ask::press("amount=2")),
        (413, Ask::press(&format!("amt=1&{}", "x".repeat(2000)))),
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

pub(crate) fn defect_04_the_admin_prefix_is_exact_and_the_panel_is_never_open(house: &House) {
    assert_eq!(
        house.ask(&Ask::get("/_queuefoo").json()).json()["position"],
        1,
        "the origin's path, so it queues"
    );
    assert_eq!(
        house.ask(&Ask::get("/_queue/nothing").operator()).status,
        404
    );
    assert_eq!(house.ask(&Ask::get("/_queue")).status, 401);
    house.set("admin_password", "");
    house.set("permit_token", "");
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
    let last = house.log_of(9).pop().unwrap();
    assert_eq!(last["reason"], "no_password", "and the log says so");
}

pub(crate) fn defect_05_store_calls_are_counted_exactly(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1, "new");
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1, "waiting");
    assert_eq!(house.calls(|| drop(house.permit(1))), 1, "permit");
    assert_eq!(
        house.calls(|| drop(visitor.ask("/echo"))),
        1,
        "admitted just now"
    );
    assert_eq!(house.calls(|| drop(visitor.ask("/echo"))), 0, "inside");
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/_queue").operator()))),
        1,
        "panel"
    );
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/_queue/status").operator()))),
        1,
        "status"
    );
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/robots.txt")))),
        0,
        "bypass"
    );
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/").method("OPTIONS")))),
        0,
        "preflight"
    );
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/_queue/healthz")))),
        0,
        "health"
    );
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::get("/_queue")))),
        0,
        "nobody's panel"
    );
}

pub(crate) fn defect_06_idle_time_banks_nothing(house: &House) {
    house.set("automatic", "3");
    house.set("automatic_quantity", "1");
    Visitor::new(house).ask("/");
    house.wait(Duration::from_secs(7));
    house.wait_for_period(3);
    let mut visitors: Vec<Visitor> = (0..4).map(|_| Visitor::new(house)).collect();
    let inside: Vec<bool> = visitors
        .iter_mut()
        .map(|visitor| visitor.ask("/echo").inside)
        .collect();
    assert_eq!(
        inside,
        [true, false, false, false],
        "one period's budget, not three"
    );
}

pub(crate) fn defect_08_keys_expire(house: &House) {
    Visitor::new(house).ask("/");
    let keys = house
        .store
        .command(&[
            "EVAL",
            "return redis.call('TTL', KEYS[1])",
            "1",
            "queue:{main}",
        ])
        .unwrap();
    let left = keys.as_u64().unwrap();
    assert!((2 * DAY - 60..=2 * DAY).contains(&left), "{left}");
}

pub(crate) fn defect_09_a_store_that_is_down_is_a_waiting_page(house: &House) {
    use dev::store::{Fault, Faults};
    house.store.fail(Faults::always(Fault::Refuse));
    let got = house.ask(&Ask::get("/"));
    assert_eq!(got.status, 503);
    assert!(
        got.body.contains("You are in line") && !got.header("retry-after").is_empty(),
        "{got:?}"
    );
}

pub(crate) fn defect_10_only_visits_draw_and_answers_carry_their_headers(house: &House) {
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
        assert!(house.ask(&Ask::get("/echo").method("OPTIONS")).inside);
        let got = house.ask(&Ask::get("/").method("TRACE"));
        assert_eq!((got.status, got.inside), (405, false));
        assert!(got.header("allow").contains("GET"));
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
    let challenge = house.ask(&Ask::get("/_queue"));
    assert_eq!(
        challenge.header("www-authenticate"),
        r#"Basic realm="Now Serving", charset="UTF-8""#
    );
}

pub(crate) fn defect_11_a_fresh_store_shows_zero(house: &House) {
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert!(
        panel.body.contains(r#"id="waiting">0<"#) && !panel.body.contains("NaN"),
        "{}",
        panel.body
    );
}

pub(crate) fn defect_12_the_cookie_is_lax_and_knows_no_version(house: &House) {
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
        .json()
        .with("host", "shop.example")
        .with("sec-fetch-site", "cross-site");
    let by_link = by_link.with(
        "cookie",
        format!("__Host-queue={}", elsewhere.ticket().unwrap()),
    );
    assert_eq!(
        house.ask(&by_link).json()["position"],
        2,
        "who arrives by a link keeps the place"
    );
}

pub(crate) fn credit_is_used_by_the_next_arrivals_and_capped(house: &House) {
    house.set("credit_max", "3");
    let granted = house.permit(2);
    assert_eq!(
        (&granted["released"], &granted["credit"], &granted["cursor"]),
        (&json!(0), &json!(2), &json!(0))
    );
    assert_eq!(house.permit(9)["credit"], 3, "kept up to credit_max");
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert!(panel.body.contains(r#"id="credit">3<"#));
    let inside: Vec<bool> = (0..4)
        .map(|_| Visitor::new(house).ask("/echo").inside)
        .collect();
    assert_eq!(inside, [true, true, true, false]);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["cursor"], &status["length"], &status["credit"]),
        (&json!(3), &json!(4), &json!(0))
    );
    house.set("credit_max", "0");
    house.permit(5);
    assert!(!Visitor::new(house).ask("/echo").inside);
}

pub(crate) fn an_admitted_ticket_is_signed_again_with_the_time_of_admission(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let first = visitor.ask("/echo");
    let claims = claims(&first.ticket().unwrap());
    let now = house.now_ms() / 1000;
    let admitted = claims["adm"].as_u64().unwrap();
    assert!(now - admitted <= 2, "{claims}");
    assert_eq!(claims["exp"].as_u64().unwrap(), admitted + DAY);
    assert_eq!(first.header("cache-control"), "private, no-store");
    assert_eq!(visitor.ask("/echo").ticket(), None, "once");
}

pub(crate) fn a_repeated_draw_gets_the_same_number_for_a_minute(house: &House) {
    use dev::store::{Fault, Faults};
    house.warm();
    let mut visitor = Visitor::new(house);
    house.store.fail(Faults::always(Fault::DropAnswer));
    let lost = visitor.ask("/");
    assert_eq!((lost.status, &lost.json()["position"]), (503, &json!(null)));
    assert!(
        visitor.ticket.is_some(),
        "a ticket without a number, under which the draw is repeated"
    );
    assert_eq!(
        visitor.ask("/").ticket(),
        None,
        "and the same one until it has one"
    );
    let drawn = house
        .store
        .command(&["HGET", "queue:{main}", "length"])
        .unwrap();
    assert_eq!(drawn, "1", "the draw happened, only its answer was lost");
    house.store.fail(Faults::none());
    assert_eq!(visitor.ask("/").json()["position"], 1);
    assert_eq!(
        Visitor::new(house).ask("/").json()["position"],
        2,
        "no number was lost"
    );
}

pub(crate) fn a_script_the_store_forgot_is_sent_again(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.store.restart();
    let calls = house.calls(|| assert_eq!(visitor.ask("/").json()["position"], 1));
    assert_eq!(calls, 2, "NOSCRIPT, then the script itself");
    assert_eq!(house.calls(|| drop(visitor.ask("/"))), 1);
}

pub(crate) fn another_epoch_ends_the_tickets(house: &House) {
    let mut visitors: Vec<Visitor> = (0..3).map(|_| Visitor::new(house)).collect();
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house
        .store
        .command(&["HSET", "queue:{main}", "epoch", "2"])
        .unwrap();
    let calls = house.calls(|| {
        let got = visitors[0].ask("/");
        assert_eq!(
            got.json()["position"],
            4,
            "drawn anew, at the back, by the same request"
        );
        assert_eq!(claims(&got.ticket().unwrap())["epoch"], 2);
    });
    assert!(
        calls <= 2,
        "one, and one more where the script was not known yet"
    );
    assert_eq!(visitors[0].ask("/").json()["position"], 4);
}

pub(crate) fn a_store_that_lost_its_memory_is_rebuilt_from_the_tickets(house: &House) {
    house
        .store
        .command(&["HSET", "queue:{main}", "epoch", "3"])
        .unwrap();
    let mut visitors: Vec<Visitor> = (0..5).map(|_| Visitor::new(house)).collect();
    for visitor in &mut visitors[..4] {
        visitor.ask("/");
    }
    house.permit(2);
    visitors[4].ask("/");
    house.store.restart_empty();
    let last = visitors[4].ask("/").json();
    assert_eq!(
        (&last["position"], &last["cursor"], &last["ahead"]),
        (&json!(5), &json!(2), &json!(2))
    );
    assert!(
        visitors[0].ask("/echo").inside,
        "who was let in and had not come yet"
    );
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(status["epoch"], 3, "no ticket that had ended comes back");
    assert_eq!(
        Visitor::new(house).ask("/").json()["position"],
        6,
        "nobody overtakes"
    );
}

pub(crate) fn rotating_the_secret_keeps_the_places(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.set("jwt_secret", "the-next-secret-of-at-least-32-bytes!");
    house.set("jwt_secret_previous", SECRET);
    assert_eq!(visitor.ask("/").json()["position"], 1);
    let mut newcomer = Visitor::new(house);
    assert_eq!(newcomer.ask("/").json()["position"], 2);
    house.set("jwt_secret_previous", "");
    assert_eq!(
        newcomer.ask("/").json()["position"],
        2,
        "signed with the new one"
    );
    assert_eq!(
        visitor.ask("/").json()["position"],
        3,
        "dropping the old secret ends its tickets"
    );
}

pub(crate) fn what_was_posted_while_waiting_is_not_sent(house: &House) {
    let form = Ask::get("/order")
        .method("POST")
        .body("application/x-www-form-urlencoded", "item=1");
    let page = house.ask(&form.clone());
    assert!(
        !page.inside && page.body.contains("<strong>not</strong> been delivered"),
        "{}",
        page.body
    );
    assert_eq!(house.ask(&form.json()).json()["sent"], false);
    assert_eq!(house.ask(&Ask::get("/").json()).json().get("sent"), None);
}

pub(crate) fn programs_get_data(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    Visitor::new(house).ask("/");
    Visitor::new(house).ask("/");
    for ask in [
        Ask::get("/").with("accept", "application/json, text/plain, */*"),
        Ask::get("/")
            .with("accept", "text/html")
            .with("sec-fetch-dest", "empty"),
        Ask::get("/")
            .with("accept", "*/*")
            .with("x-requested-with", "XMLHttpRequest"),
    ] {
        let got = house.ask(&ask);
        assert_eq!(
            (got.status, got.header("content-type")),
            (503, "application/json")
        );
        let data = got.json();
        let keys: Vec<&String> = data.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "ahead",
                "cursor",
                "estimated_wait_seconds",
                "message",
                "position",
                "refresh_seconds",
                "room",
                "waiting"
            ]
        );
        assert_eq!(
            (&data["waiting"], &data["room"], &data["message"]),
            (&json!(true), &json!("main"), &json!(null))
        );
        let ahead = data["ahead"].as_u64().unwrap();
        assert_eq!(data["estimated_wait_seconds"], ahead * 60);
        assert_eq!(
            data["refresh_seconds"].to_string(),
            got.header("retry-after")
        );
    }
    assert_eq!(
        house
            .ask(&Ask::get("/").with("accept", "application/json;q=0.1, text/html"))
            .header("content-type"),
        "text/html; charset=utf-8"
    );
}

pub(crate) fn status_is_data_for_operator_and_program(house: &House) {
    house.set("automatic", "30");
    house.set("automatic_quantity", "10");
    let program =
        Ask::get("/_queue/status").with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    for ask in [Ask::get("/_queue/status").operator(), program] {
        let got = house.ask(&ask);
        assert_eq!(got.status, 200);
        assert_eq!(
            got.json(),
            json!({
                "room": "main", "mode": "automatic", "epoch": 1, "cursor": 0, "length": 0, "waiting": 0, "credit": 0,
                "rate": {"automatic": 30, "automatic_quantity": 10, "per_minute": 20.0}, "estimated_wait_seconds": 0,
            })
        );
    }
    assert_eq!(
        house
            .ask(&Ask::get("/_queue/status").method("POST").operator())
            .header("allow"),
        "GET, HEAD"
    );
}

pub(crate) fn health_needs_no_store_and_no_password(house: &House) {
    use dev::store::{Fault, Faults};
    house.store.fail(Faults::always(Fault::Refuse));
    let got = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!((got.status, got.body.as_str()), (200, "ok\n"));
    house.set("automatic", "soon");
    assert_eq!(house.ask(&Ask::get("/_queue/healthz")).status, 503);
}

pub(crate) fn wrong_credentials_are_told_how_to_identify(house: &House) {
    for authorization in [
        "",
        "Basic",
        "Basic !!!",
        "Basic YWRtaW46d3Jvbmc=",
        "Basic cm9vdDpkZXZlbG9wbWVudC1vbmx5LXBhc3N3b3Jk",
        "Bearer",
        "Digest x",
        "Bearer development-only-permit-token",
    ] {
        let got = house.ask(&Ask::get("/_queue").with("authorization", authorization));
        assert_eq!(got.status, 401, "{authorization}");
        assert!(
            got.header("www-authenticate").starts_with("Basic realm="),
            "{authorization}"
        );
    }
    let got = house.ask(
        &Ask::get("/_queue/permit")
            .method("POST")
            .with("authorization", "Bearer wrong"),
    );
    assert_eq!(got.status, 401);
    assert!(got.header("www-authenticate").starts_with("Bearer realm="));
}

pub(crate) fn an_unsound_configuration_is_a_plain_page_and_one_line_with_every_problem(
    house: &House,
) {
    house.set("automatic", "often");
    house.set("on_store_error", "open");
    house.set("jwt_secret", "short");
    let before = house.log().len();
    let got = house.ask(&Ask::get("/echo"));
    assert_eq!((got.status, got.inside), (503, false));
    assert!(got.body.contains("being set up"));
    let log = house.log_of(before + 1);
    let line = log.last().unwrap();
    let keys: Vec<&str> = line["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["key"].as_str().unwrap())
        .collect();
    assert_eq!(
        (&line["reason"], keys),
        (
            &json!("unsound_configuration"),
            vec!["jwt_secret", "automatic", "on_store_error"]
        )
    );
    assert!(
        !line.to_string().contains("short"),
        "a secret's value is never named: {line}"
    );
}

pub(crate) fn the_waiting_status_is_a_setting(house: &House) {
    for status in ["200", "202", "429", "503"] {
        house.set("waiting_status", status);
        assert_eq!(house.ask(&Ask::get("/")).status.to_string(), status);
        assert_eq!(
            house.ask(&Ask::get("/").method("HEAD")).status.to_string(),
            status
        );
        assert_eq!(
            house.ask(&Ask::get("/").with("purpose", "prefetch")).status,
            503
        );
    }
}
