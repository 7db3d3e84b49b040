//! What the site's firewall (WAF) is asked, and what a visitor gets whose request it stops: the test gives the verdict.

use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, Visitor, claims, visitors};
use crate::stories::invitations::{invitation, sent as sent_invitation};

const SECOND: Duration = Duration::from_secs(1);

/// What the firewall says of this request, by a header of it.
fn says(ask: Ask, verdict: &str) -> Ask {
    ask.with("x-says-waf", verdict)
}

fn inspecting() -> House {
    let house = House::native();
    house.set("waf", "inspect");
    house.set("waf_workspace", "shop/production");
    house
}

fn is_blocked(got: &Got) -> bool {
    let text = "This request was stopped by the site’s security rules.";
    got.status == 403 && !got.inside && got.body.contains(text)
}

/// The reasons and verdicts of all requests of which the firewall was asked.
fn asked(house: &House) -> Vec<(String, String)> {
    let lines = house.log();
    let asked = lines.iter().filter(|line| line["waf"].is_string());
    let word = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
    asked
        .map(|line| (word(line, "reason"), word(line, "waf")))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(reason, verdict): &(&str, &str)| ((*reason).to_owned(), (*verdict).to_owned());
    expected.iter().map(owned).collect()
}

fn is_counted(house: &House, lines: &[&str]) {
    let metrics = house.ask(&Ask::get("/_queue/metrics").operator()).body;
    for line in lines {
        let found = metrics.lines().any(|found| found == *line);
        let of_it = metrics.lines().filter(|found| found.contains("waf"));
        assert!(found, "{line}: {:?}", of_it.collect::<Vec<_>>());
    }
}

#[test]
fn the_first_page_inside_and_what_changes_something_are_inspected_and_nothing_else() {
    let house = inspecting();
    house.warm();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/shop");
    visitor.ask("/shop");
    visitor.ask("/_queue/place");
    assert_eq!(asked(&house), []);
    house.permit(1);
    house.wait(2 * SECOND);
    assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
    assert_eq!(asked(&house), [], "a poll");
    assert!(visitor.ask("/shop").inside);
    assert!(visitor.ask("/shop").inside);
    let post = || Ask::get("/shop").method("POST");
    assert!(visitor.send_once(post()).inside);
    assert!(!Visitor::new(&house).send_once(post()).inside);
    for method in ["GET", "HEAD", "POST"] {
        assert!(house.ask(&Ask::get("/robots.txt").method(method)).inside);
    }
    assert!(house.ask(&Ask::preflight("/shop")).inside);
    let expected = [
        ("admitted", "allowed"),
        ("inside", "allowed"),
        ("bypass", "allowed"),
    ];
    assert_eq!(asked(&house), pairs(&expected));
    is_counted(
        &house,
        &[
            r#"now_serving_waf_total{room="main",verdict="allowed"} 3"#,
            r#"now_serving_waf_total{room="main",verdict="blocked"} 0"#,
        ],
    );
}

#[test]
fn by_default_nothing_is_inspected() {
    let house = House::native();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    let page = || says(Ask::get("/shop"), "block");
    assert!(visitor.send(page()).inside);
    assert!(visitor.send_once(page().method("POST")).inside);
    assert_eq!(asked(&house), []);
}

#[test]
fn a_visitor_whose_first_page_is_blocked_keeps_the_place_and_may_try_again() {
    let house = inspecting();
    house.warm();
    let mut all = visitors(&house, 2);
    for visitor in &mut all {
        visitor.ask("/shop");
    }
    house.permit(1);
    house.wait(2 * SECOND);
    for _ in 0..3 {
        let got = all[0].send(says(Ask::get("/shop"), "block"));
        assert!(is_blocked(&got), "{got:?}");
        assert!(got.header("content-type").starts_with("text/html"));
        house.wait(2 * SECOND);
    }
    let place = all[0].ask("/_queue/place").json();
    assert_eq!(place["waiting"], false, "{place}");
    // What a page brings along goes to the origin before the page does: it is inspected, too.
    let part = || Ask::get("/logo.svg").with("sec-fetch-dest", "image");
    assert!(!all[0].send_once(says(part(), "block")).inside);
    assert!(all[0].ask("/shop").inside);
    assert!(all[0].send_once(says(part(), "block")).inside);
    let ticket = claims(all[0].ticket.as_deref().unwrap());
    assert_eq!(ticket["pos"], 1, "{ticket}");
    assert!(!all[1].ask("/shop").inside);
    let blocked = ("waf_blocked", "blocked");
    let expected = [blocked, blocked, blocked, blocked, ("admitted", "allowed")];
    assert_eq!(asked(&house), pairs(&expected));
    for line in house.log_where(|line| line["reason"] == "waf_blocked") {
        let said = (&line["permitted"], &line["responseStatus"]);
        assert_eq!(said, (&json!(false), &json!(403)), "{line}");
    }
    is_counted(
        &house,
        &[
            "now_serving_drawn_total{room=\"main\"} 2",
            "now_serving_admitted_total{room=\"main\"} 1",
            r#"now_serving_waf_total{room="main",verdict="allowed"} 1"#,
            r#"now_serving_waf_total{room="main",verdict="blocked"} 4"#,
            r#"now_serving_decisions_total{room="main",reason="waf_blocked"} 4"#,
        ],
    );
}

/// Nothing came along that a second request could show, so the answer brings it.
#[test]
fn a_newcomer_who_would_go_straight_in_keeps_the_number_when_blocked() {
    let house = inspecting();
    house.permit(2);
    let mut visitor = Visitor::new(&house);
    let got = visitor.send_once(says(Ask::get("/shop"), "block"));
    assert!(is_blocked(&got), "{got:?}");
    assert!(visitor.ask("/shop").inside);
    assert_eq!(claims(visitor.ticket.as_deref().unwrap())["pos"], 1);
    is_counted(&house, &["now_serving_drawn_total{room=\"main\"} 1"]);
    let next = Visitor::new(&house).ask("/shop");
    assert!(next.inside, "the second admission is for another visitor");
}

#[test]
fn a_blocked_visitor_takes_one_slot_of_a_cap_and_no_second_one() {
    let house = inspecting();
    house.set("total_active", "2");
    house.set("active_visitors", "on");
    house.permit(3);
    let mut visitor = Visitor::new(&house);
    for _ in 0..2 {
        assert!(is_blocked(&visitor.send(says(Ask::get("/shop"), "block"))));
        house.wait(2 * SECOND);
    }
    assert!(visitor.ask("/shop").inside);
    assert!(Visitor::new(&house).ask("/shop").inside);
    assert!(!Visitor::new(&house).ask("/shop").inside, "full");
}

#[test]
fn an_invitation_is_not_used_up_by_a_page_that_was_blocked() {
    let house = inspecting();
    house.warm();
    house.set("invited_per_minute", "10");
    for visitor in &mut visitors(&house, 2) {
        visitor.ask("/");
    }
    let code = invitation(&house, "one", 1, 3600);
    let mut visitor = Visitor::new(&house);
    visitor.send_once(sent_invitation(&code, "/"));
    let got = visitor.send(says(Ask::get("/shop"), "block"));
    assert!(is_blocked(&got), "{got:?}");
    house.wait(2 * SECOND);
    assert!(visitor.ask("/shop").inside);
}

#[test]
fn a_visitor_who_would_go_in_without_the_store_is_inspected() {
    let house = inspecting();
    Visitor::new(&house).ask("/");
    house.change("mode", r#"{"mode":"open"}"#);
    house.store.fail(Faults::always(Fault::Refuse));
    house.forget_the_sign();
    let mut visitor = Visitor::new(&house);
    let got = visitor.send(says(Ask::get("/echo"), "block"));
    assert!(is_blocked(&got), "{got:?}");
    assert_eq!(visitor.ticket, None);
    assert!(visitor.ask("/echo").inside);
    let expected = [
        ("waf_blocked", "blocked"),
        ("admitted_without_store", "allowed"),
    ];
    assert_eq!(asked(&house), pairs(&expected));
}

#[test]
fn a_visitor_inside_whose_post_is_blocked_stays_inside() {
    let house = inspecting();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/shop").inside);
    let post = |verdict| says(Ask::get("/shop").method("POST"), verdict);
    assert!(is_blocked(&visitor.send_once(post("block"))));
    for method in ["PUT", "PATCH", "DELETE"] {
        assert!(is_blocked(&visitor.send_once(post("block").method(method))));
    }
    assert!(is_blocked(
        &house.ask(&says(Ask::get("/robots.txt").method("POST"), "block"))
    ));
    assert!(visitor.send_once(post("allow")).inside);
    assert!(visitor.send_once(says(Ask::get("/shop"), "block")).inside);
}

#[test]
fn what_a_client_without_a_ticket_sends_is_inspected_by_its_name() {
    let house = inspecting();
    house.set("allow_acl", "offices");
    let post = |verdict| says(Ask::get("/shop").method("POST"), verdict);
    assert!(house.ask(&says(Ask::get("/shop"), "block")).inside);
    assert!(house.ask(&post("allow")).inside);
    assert!(is_blocked(&house.ask(&post("block"))));
    let expected = [("allowed", "allowed"), ("waf_blocked", "blocked")];
    assert_eq!(asked(&house), pairs(&expected));
    let named = house.log_where(|line| line["allowed"] == "offices");
    assert_eq!(named.len(), 3);
}

#[test]
fn a_program_reads_as_json_that_its_request_was_blocked() {
    let house = inspecting();
    house.permit(1);
    let got = house.ask(&says(Ask::get("/shop").json(), "block"));
    assert_eq!(got.status, 403);
    assert_eq!(got.header("content-type"), "application/problem+json");
    let said = json!({
        "title": "Request stopped",
        "status": 403,
        "detail": "this request was stopped by the site's security rules",
    });
    assert_eq!(got.json(), said);
    assert!(got.header("vary").contains("Accept"));
    let head = house.ask(&says(
        Ask::get("/robots.txt").method("POST").json(),
        "block",
    ));
    assert_eq!(head.json(), said);
}

#[test]
fn the_status_of_the_firewall_is_no_more_than_a_redirect() {
    let house = inspecting();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    let got = visitor.send(says(Ask::get("/shop"), "302 https://shop.example/verify"));
    let location = got.header("location");
    assert_eq!((got.status, location), (302, "https://shop.example/verify"));
    for verdict in ["302", "503", "429", "200", "302 /a\u{e4}b"] {
        house.wait(2 * SECOND);
        let got = visitor.send(says(Ask::get("/shop"), verdict));
        assert!(is_blocked(&got), "{verdict}: {got:?}");
        assert_eq!(got.header("location"), "");
    }
    house.wait(2 * SECOND);
    assert!(visitor.ask("/shop").inside, "the place was kept");
}

#[test]
fn a_firewall_that_gives_no_verdict_lets_pass_or_blocks_as_the_setting_says() {
    let house = inspecting();
    let verdicts = ["unauthorized", "unknown_verdict", "not_asked"];
    house.permit(3);
    for verdict in verdicts {
        let got = Visitor::new(&house).send(says(Ask::get("/shop"), verdict));
        assert!(got.inside, "{verdict}: {got:?}");
    }
    house.set("on_waf_error", "block");
    house.permit(3);
    for verdict in verdicts {
        let got = Visitor::new(&house).send(says(Ask::get("/shop"), verdict));
        assert!(is_blocked(&got), "{verdict}: {got:?}");
    }
    let failed = |reason| (reason, "failed");
    let expected = [[failed("admitted"); 3], [failed("waf_blocked"); 3]].concat();
    assert_eq!(asked(&house), pairs(&expected));
    let lines = house.log_where(|line| line["waf"] == "failed");
    let faults: Vec<&str> = lines
        .iter()
        .map(|line| line["wafError"].as_str().unwrap())
        .collect();
    assert_eq!(faults, [verdicts, verdicts].concat());
}

#[test]
fn while_another_setting_is_wrong_what_changes_something_is_still_inspected() {
    let house = inspecting();
    house.permit(1);
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/shop").inside);
    house.set("automatic", "often");
    let post = |verdict| says(Ask::get("/shop").method("POST"), verdict);
    assert!(visitor.send_once(post("allow")).inside);
    assert!(is_blocked(&visitor.send_once(post("block"))));
    let bypass = |verdict| says(Ask::get("/robots.txt").method("POST"), verdict);
    assert!(house.ask(&bypass("allow")).inside);
    assert!(is_blocked(&house.ask(&bypass("block"))));
    let expected = [
        ("admitted", "allowed"),
        ("inside", "allowed"),
        ("waf_blocked", "blocked"),
        ("bypass", "allowed"),
        ("waf_blocked", "blocked"),
    ];
    assert_eq!(asked(&house), pairs(&expected));
}

/// Nothing says whether it is to be inspected.
#[test]
fn while_the_settings_of_the_firewall_are_wrong_nothing_that_changes_something_goes_to_the_origin()
{
    for (key, wrong) in [
        ("waf", "inspct"),
        ("waf_workspace", "production"),
        ("waf_workspace", "none"),
        ("on_waf_error", "open"),
        ("waff", "inspect"),
    ] {
        let house = inspecting();
        house.permit(1);
        let mut visitor = Visitor::new(&house);
        assert!(visitor.ask("/shop").inside);
        house.set(key, wrong);
        let post = visitor.send_once(Ask::get("/shop").method("POST"));
        assert_eq!((post.status, post.inside), (503, false), "{key} {wrong}");
        let bypass = house.ask(&Ask::get("/robots.txt").method("POST"));
        assert_eq!(
            (bypass.status, bypass.inside),
            (503, false),
            "{key} {wrong}"
        );
        assert!(visitor.ask("/shop").inside, "{key} {wrong}");
        assert!(house.ask(&Ask::get("/robots.txt")).inside, "{key} {wrong}");
    }
}
