//! The rules of the ticket counter, T1 to T17. T16, the streams, is for the Wasm alone.

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
    house.write(&["length", "3289", "cursor", "1"]);
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
    assert_eq!(claims["epoch"], 1);
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
        r#"id="let-in">Let them in<"#,
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
