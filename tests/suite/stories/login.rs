//! Who may operate the room: named tokens, what is not configured, and what becomes of guessers.

use base64::Engine;
use now_serving::operator::login::PAUSE;
use now_serving::operator::verbs::VERBS;
use now_serving::page::iso_8601;
use serde_json::json;
use upstash_local::{Fault, Faults};

use crate::house::{ADMIN_TOKEN, Ask, House, PERMIT_TOKEN, Visitor, problem_keys};

/// Basic, `admin:wrong`.
const WRONG: &str = "Basic YWRtaW46d3Jvbmc=";

fn status(authorization: &str) -> Ask {
    Ask::get("/_queue/status").with("authorization", authorization)
}

fn bearer(token: &str) -> Ask {
    status(&format!("Bearer {token}"))
}

pub(crate) fn a_hundred_wrong_logins_are_slowed_and_logged_and_the_right_one_still_works(
    house: &House,
) {
    let before = house.log().len();
    let paused = house.paused(|| {
        for number in 0..50 {
            let token = format!("development-only-guess-{number}");
            assert_eq!(house.ask(&status(WRONG)).status, 401);
            assert_eq!(house.ask(&bearer(&token)).status, 401);
        }
    });
    assert!(paused >= PAUSE * 90, "{paused:?} for ninety of them");
    let log = house.log();
    let reasons = log[before..].iter().map(|line| &line["reason"]);
    assert_eq!(
        reasons.filter(|&reason| reason == "unauthorized").count(),
        100
    );
    for right in [
        Ask::get("/_queue").operator(),
        bearer(PERMIT_TOKEN),
        bearer(ADMIN_TOKEN),
    ] {
        assert_eq!(house.ask(&right).status, 200, "{right:?}");
    }
}

pub(crate) fn a_short_password_works_and_is_named_by_healthz_log_and_panel(house: &House) {
    let basic = |login: &str| {
        let pair = base64::engine::general_purpose::STANDARD.encode(login);
        Ask::get("/_queue/").with("authorization", format!("Basic {pair}"))
    };
    let health = Ask::get("/_queue/healthz");
    let sentence = "admin_password: a password of at least 12 bytes, which is harder to guess";
    house.set("admin_password", "eleven-byte");
    let before = house.log().len();
    let told = house.ask(&health);
    assert_eq!(told.status, 200, "{}", told.body);
    assert!(
        told.body.contains(&format!("short: {sentence}\n")),
        "{}",
        told.body
    );
    assert!(!told.body.contains("eleven"), "{}", told.body);
    let panel = house.ask(&basic("admin:eleven-byte"));
    assert_eq!(panel.status, 200);
    assert!(
        panel.body.contains("fewer than 12 bytes: admin"),
        "{}",
        panel.body
    );
    let log = house.log();
    for line in &log[before..] {
        let told = &line["problems"][0];
        assert_eq!(told["key"], "admin_password", "{line}");
        assert_eq!(told["value"], json!(null), "{line}");
    }
    house.set(
        "admin_password",
        r#"{"anna":"annas-password","ben":"bens-word"}"#,
    );
    let told = house.ask(&health).body;
    assert!(
        told.contains(&format!("short: {sentence}, for name 2\n")),
        "{told}"
    );
    assert!(!told.contains("ben"), "{told}");
    let panel = house.ask(&basic("anna:annas-password")).body;
    assert!(panel.contains("fewer than 12 bytes: ben<"), "{panel}");
    house.set("admin_password", "twelve-bytes");
    assert!(!house.ask(&health).body.contains("short"));
    assert!(
        !house
            .ask(&basic("admin:twelve-bytes"))
            .body
            .contains("fewer than 12")
    );
}

/// A token of a program that may change the event, such as the one of an editor's calendar.
pub(crate) fn a_token_with_the_role_event_sets_events_and_nothing_else(house: &House) {
    const EVENT: &str = "development-only-event-token";
    house.set("permit_token", &format!("cms/event:{EVENT}"));
    let as_program = |ask: Ask| ask.with("authorization", format!("Bearer {EVENT}"));
    let post = |route: &str, body: &str| {
        let ask = Ask::get(&format!("/_queue/{route}")).method("POST");
        house.ask(&as_program(ask.body("application/json", body)))
    };
    let opens = "2030-01-31T10:00:00+01:00";
    let set = post(
        "event",
        &format!(r#"{{"event":{{"id":"sale","opens":"{opens}"}}}}"#),
    );
    assert_eq!(set.status, 200, "{}", set.body);
    assert_eq!(set.json()["version"], 1);
    assert_eq!(post("event", r#"{"event":null}"#).status, 200);
    assert_eq!(
        post("event", r#"{"event":"sold_out"}"#).status,
        409,
        "none is open"
    );
    for route in ["status", "metrics", "journal"] {
        let got = house.ask(&as_program(Ask::get(&format!("/_queue/{route}"))));
        assert_eq!(got.status, 200, "{route}");
    }
    for (route, body) in [
        ("permit", r#"{"amt":1}"#),
        ("mode", r#"{"mode":"open"}"#),
        ("settings", r#"{"automatic":15,"automatic_quantity":20}"#),
        ("end", r#"{"reference":"3FA9-C0D1"}"#),
    ] {
        let refused = post(route, body);
        assert_eq!(refused.status, 403, "{route}: {}", refused.body);
        let told = "cms may only set the events (keeps_inside=false only as configured), and read";
        assert!(refused.body.contains(told), "{}", refused.body);
    }
    assert_eq!(
        house.ask(&as_program(Ask::get("/_queue/settings"))).status,
        403
    );
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(panel.contains("event sale opens"), "Activity names it");
    assert!(panel.contains(">cms "), "with its sender: {panel}");
}

/// To end all visits is for operators, and an event that does so is theirs.
pub(crate) fn the_role_event_ends_no_visit_but_by_an_event_that_is_configured_so(house: &House) {
    const EVENT: &str = "development-only-event-token";
    house.set("automatic", "60");
    house.set("automatic_quantity", "50");
    house.set("permit_token", &format!("cms/event:{EVENT}"));
    let mut guest = Visitor::new(house);
    assert!(guest.ask("/echo").inside);
    house.wait(std::time::Duration::from_mins(2));
    let event = |id: &str, ends: &[&str], after_s: u64| {
        let at = |second| iso_8601((house.now_ms() / 1000 + second) * 1000).replace(".000", "");
        let (opens, closes) = (at(after_s), at(after_s + 600));
        let mut event =
            json!({ "id": id, "opens": opens, "closes": closes, "outside": "automatic" });
        if ends.contains(&id) {
            event["keeps_inside"] = json!(false);
        }
        event
    };
    let sets = |event: &serde_json::Value| {
        let ask = Ask::get("/_queue/event").method("POST");
        let ask = ask.with("authorization", format!("Bearer {EVENT}"));
        let body = json!({ "event": event }).to_string();
        house.ask(&ask.body("application/json", &body))
    };
    let ended = || house.ask(&Ask::get("/_queue/status").operator()).json()["epoch"] != 1;
    for list in [
        event("sale", &["sale"], 0),
        json!([event("first", &[], 0), event("sale", &["sale"], 3600)]),
    ] {
        let refused = sets(&list);
        assert_eq!(refused.status, 403, "{list}: {}", refused.body);
        let told = "(keeps_inside=false only as configured)";
        assert!(refused.body.contains(told), "{}", refused.body);
    }
    house.set("event", &event("sale", &[], 7200).to_string());
    assert_eq!(sets(&event("sale", &["sale"], 0)).status, 403);
    house.set("event", &event("sale", &["sale"], 7200).to_string());
    assert_eq!(sets(&event("other", &["other"], 0)).status, 403);
    assert!(!ended() && guest.ask("/echo").inside);
    assert_eq!(sets(&event("sale", &[], 7200)).status, 200);
    let moved = sets(&event("sale", &["sale"], 0));
    assert_eq!(moved.status, 200, "its times may change: {}", moved.body);
    house.forget_the_sign();
    guest.ask("/echo");
    assert!(ended(), "as the settings say");
}

pub(crate) fn an_operator_who_may_only_look_sees_the_panel_without_forms(house: &House) {
    house.set(
        "admin_password",
        r#"{"anna":"annas-password","ben":{"password":"bens-own-word","may":"look"}}"#,
    );
    let by = |login: &str, ask: Ask| {
        let pair = base64::engine::general_purpose::STANDARD.encode(login);
        house.ask(&ask.with("authorization", format!("Basic {pair}")))
    };
    let form = |route: &str, form: &str| {
        Ask::get(&format!("/_queue/{route}"))
            .method("POST")
            .with("sec-fetch-site", "same-origin")
            .body("application/x-www-form-urlencoded", form)
    };
    let (anna, ben) = ("anna:annas-password", "ben:bens-own-word");
    Visitor::new(house).ask("/");
    let seen = |who| by(who, Ask::get("/_queue/"));
    let (annas, bens) = (seen(anna).body, seen(ben).body);
    assert!(annas.contains("<form "));
    assert!(annas.contains("\u{b7} anna</small>"), "{annas}");
    assert!(
        bens.contains("\u{b7} ben \u{b7} may only look</small>"),
        "{bens}"
    );
    for shown in [
        "id=\"waiting\"",
        "id=\"mode-words\"",
        "id=\"pace-words\"",
        "id=\"actions\"",
    ] {
        assert!(bens.contains(shown), "{shown}: {bens}");
    }
    let page = bens.split("<script>").next().unwrap_or_default();
    for control in [
        "<form",
        "<button",
        "<input type=\"number",
        "Danger zone",
        "Let visitors in</h2>",
        "<kbd>",
    ] {
        assert!(!page.contains(control), "{control}: {page}");
    }
    for route in ["status", "settings", "metrics", "journal"] {
        let got = by(ben, Ask::get(&format!("/_queue/{route}")));
        assert_eq!(got.status, 200, "{route}");
    }
    let routes = VERBS.iter().map(|verb| verb.route);
    for route in routes.chain(["ticket/forget", "receipt/check", "invite"]) {
        let refused = by(ben, form(route, ""));
        assert_eq!(refused.status, 403, "{route}: {}", refused.body);
        let told = "ben may only look, as admin_password says";
        assert!(refused.body.contains(told), "{route}: {}", refused.body);
        assert!(
            refused.body.contains("nothing was done"),
            "{}",
            refused.body
        );
    }
    assert_eq!(by(anna, form("permit", "amt=1")).status, 303);
    house.store.fail(Faults::always(Fault::Unauthorized));
    let (annas, bens) = (seen(anna), seen(ben));
    assert_eq!((annas.status, bens.status), (503, 503));
    let sends = "sends <i>Hold the line</i> again";
    for shown in ["<form ", sends] {
        assert!(annas.body.contains(shown), "{shown}: {}", annas.body);
        assert!(!bens.body.contains(shown), "{shown}: {}", bens.body);
    }
}

pub(crate) fn several_tokens_have_names_and_open_the_same(house: &House) {
    house.set(
        "permit_token",
        "shop:development-only-shop-token,\n app:development-only-app-token\n",
    );
    for (token, expected) in [
        ("development-only-shop-token", 200),
        ("development-only-app-token", 200),
        (ADMIN_TOKEN, 200),
        (PERMIT_TOKEN, 401),
        ("shop:development-only-shop-token", 401),
        ("shop", 401),
        ("", 401),
    ] {
        assert_eq!(house.ask(&bearer(token)).status, expected, "{token}");
    }
}

/// A browser sends its password on below the folder of the path that asked for it (RFC 7617 2.2): asked for at `/_queue`
/// that would be the whole site, and the origin.
pub(crate) fn without_credentials_the_operators_path_leads_to_its_slash_and_no_challenge_comes_before(
    house: &House,
) {
    house.warm();
    let calls = house.calls(|| {
        for (target, slash) in [
            ("/_queue", "/_queue/"),
            ("/_queue?", "/_queue/?"),
            ("/_queue?done=mode", "/_queue/?done=mode"),
            ("/_queue?to=//b.example", "/_queue/?to=//b.example"),
        ] {
            for method in ["GET", "HEAD"] {
                let got = house.ask(&Ask::get(target).method(method));
                let seen = (got.status, got.header("location"));
                assert_eq!(seen, (303, slash), "{method} {target}");
                assert_eq!(got.header("www-authenticate"), "");
                assert_eq!(got.header("cache-control"), "private, no-store");
                assert_eq!(got.body, "");
                let there = house.ask(&Ask::get(slash).method(method));
                assert_eq!(there.status, 401, "{method} {slash}");
                assert!(there.header("www-authenticate").starts_with("Basic "));
            }
        }
    });
    assert_eq!(calls, 0);
    for target in ["/_queue", "/_queue/", "/_queue?a=b"] {
        let with = house.ask(&Ask::get(target).operator());
        assert_eq!(with.status, 200, "for scripts: {target}");
        let wrong = house.ask(&Ask::get(target).with("authorization", WRONG));
        let expected = if target == "/_queue/" { 401 } else { 303 };
        assert_eq!(wrong.status, expected, "{target}");
        let asks = !wrong.header("www-authenticate").is_empty();
        assert_eq!(asks, expected == 401, "{target}");
        let posted = house.ask(&Ask::get(target).method("POST"));
        assert_eq!((posted.status, posted.header("allow")), (405, "GET, HEAD"));
    }
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(
        !panel.contains("\"/_queue\""),
        "no link leads there: {panel}"
    );
    let asked = house.ask(&Ask::form("epoch", "")).body;
    assert!(asked.contains("href=\"/_queue/\""), "nor back: {asked}");
    let back = house.ask(&Ask::press("amt=1"));
    let to = back.header("location");
    assert!(to.starts_with("/_queue/?done=permit&"), "{to}");
}

pub(crate) fn people_operate_the_room_from_listed_networks_only_and_programs_from_anywhere(
    house: &House,
) {
    let people = [
        Ask::get("/_queue").operator(),
        Ask::get("/_queue"),
        Ask::get("/_queue/"),
        Ask::get("/_queue/status").operator(),
        Ask::get("/_queue/permit"),
        Ask::press("amt=1"),
    ];
    let before = people.iter().map(|ask| house.ask(ask).status);
    assert_eq!(before.collect::<Vec<_>>(), [200, 303, 401, 200, 405, 303]);
    for (list, expected) in [("strangers", 403), ("empty", 403), ("no-such-list", 503)] {
        house.set("operators_acl", list);
        for ask in &people {
            let got = house.ask(ask);
            assert_eq!(got.status, expected, "{list}: {ask:?}");
            assert!(got.body.contains("operators_acl"), "{got:?}");
            assert!(got.header("www-authenticate").is_empty(), "{got:?}");
        }
        assert_eq!(house.ask(&bearer(PERMIT_TOKEN)).status, 200, "{list}");
        for open in ["/_queue/place", "/_queue/healthz"] {
            assert_eq!(house.ask(&Ask::get(open)).status, 200, "{list}: {open}");
        }
    }
    house.set("operators_acl", "offices");
    let after = people.iter().map(|ask| house.ask(ask).status);
    assert_eq!(after.collect::<Vec<_>>(), [200, 303, 401, 200, 405, 303]);
    let log = house.log();
    let listed = log.iter().filter(|line| line["reason"] == "not_listed");
    assert_eq!(listed.count(), 18);
    let unread = log
        .iter()
        .filter(|line| line["problems"][0]["key"] == "operators_acl");
    assert_eq!(unread.count(), 6, "the log says which list cannot be asked");
}

pub(crate) fn without_a_password_there_is_no_panel_whatever_else_opens(house: &House) {
    house.set("admin_password", "none");
    for ask in [
        Ask::get("/_queue"),
        Ask::get("/_queue/"),
        Ask::get("/_queue").operator(),
        Ask::get("/_queue").with("authorization", format!("Bearer {ADMIN_TOKEN}")),
        Ask::get("/_queue").method("POST"),
        Ask::get("/_queue/status").operator(),
        Ask::press("amt=1"),
    ] {
        assert_eq!(house.ask(&ask).status, 404, "{ask:?}");
    }
    assert_eq!(house.ask(&bearer(PERMIT_TOKEN)).status, 200);
    assert_eq!(house.ask(&Ask::get("/_queue/status")).status, 401);
    let beside = house.ask(&Ask::get("/_queuefoo").json());
    assert_eq!(beside.json()["position"], 1, "the origin's path");
    let log = house.log();
    let reasons = log.iter().filter(|line| line["reason"] == "no_password");
    assert_eq!(reasons.count(), 7);
}

pub(crate) fn a_wrong_secret_of_the_operators_closes_their_routes_and_no_others(house: &House) {
    house.set("permit_token", "shop:brief");
    assert_eq!(house.ask(&Ask::get("/").json()).json()["position"], 1);
    assert_eq!(house.ask(&Ask::get("/_queue").operator()).status, 200);
    let before = house.log().len();
    for ask in [
        bearer(PERMIT_TOKEN),
        Ask::permit(1),
        Ask::get("/_queue/healthz"),
    ] {
        let got = house.ask(&ask);
        assert_eq!(
            (got.status, got.header("content-type")),
            (503, "application/problem+json"),
            "{ask:?}"
        );
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert!(
            detail.contains("permit_token: a secret of at least 16 bytes"),
            "{detail}"
        );
        assert!(!detail.contains("brief"), "{detail}");
    }
    let log = house.log();
    for line in &log[before..] {
        assert_eq!(
            (&line["reason"], problem_keys(line)),
            (&json!("unsound_secret"), vec!["permit_token"])
        );
        assert!(!line.to_string().contains("brief"), "{line}");
    }
    house.set("admin_password", "short");
    assert_eq!(house.ask(&Ask::get("/_queue").operator()).status, 503);
    assert_eq!(Visitor::new(house).ask("/").json()["position"], 2);
}
