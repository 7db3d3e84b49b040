//! What operators set while the line moves.

use std::time::Duration;

use serde_json::{Value, json};

use super::DAY;
use crate::house::{ADMIN_TOKEN, Ask, House, PERMIT_TOKEN, Visitor, claims, inside, visitors};

/// A copy of the board is never older.
const SEEN_WITHIN: Duration = Duration::from_secs(2);

fn status(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/status").operator()).json()
}

fn settings(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/settings").operator()).json()
}

/// What the page says to somebody.
fn page_of(visitor: &mut Visitor<'_>) -> String {
    visitor.send(Ask::get("/").with("accept", "text/html")).body
}

/// All that the store has of the line and of what operators did.
fn everything(house: &House) -> Vec<Value> {
    [
        &["HGETALL", &house.key("")][..],
        &["LRANGE", &house.key(":actions"), "0", "-1"],
    ]
    .map(|command| house.store.command(command).unwrap())
    .to_vec()
}

pub(crate) fn on_hold_nobody_new_goes_in(house: &House) {
    let mut visitors = visitors(house, 3);
    inside(&mut visitors);
    house.permit(1);
    let told = house.change("mode", r#"{"mode":"hold"}"#);
    assert_eq!(
        (&told["mode"], &told["version"]),
        (&json!("hold"), &json!(1))
    );
    assert_eq!(
        inside(&mut visitors),
        [false, false, false],
        "not even whose turn it is"
    );
    let waits = visitors[0].ask("/").json();
    assert_eq!(
        (&waits["mode"], &waits["ahead"]),
        (&json!("hold"), &json!(0))
    );
    assert_eq!(waits["estimated_wait_seconds"], Value::Null);
    assert!(page_of(&mut visitors[1]).contains(">Entry is paused<"));
    let got = house.ask(&Ask::permit(1));
    assert_eq!(
        (got.status, got.json()["detail"].as_str().unwrap()),
        (409, "the mode is hold; nothing moved")
    );
    let mut late = Visitor::new(house);
    assert_eq!(
        late.ask("/").json()["position"],
        4,
        "numbers are drawn as ever"
    );
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert_eq!(inside(&mut visitors), [true, false, false]);
    assert_eq!(status(house)["cursor"], 1);
}

pub(crate) fn an_open_room_lets_everybody_in_and_counts_them(house: &House) {
    let mut visitors = visitors(house, 3);
    inside(&mut visitors);
    let told = house.change("mode", r#"{"mode":"open"}"#);
    assert_eq!(told["cursor"], 3);
    house.wait(SEEN_WITHIN);
    assert_eq!(inside(&mut visitors), [true, true, true]);
    let mut new = Visitor::new(house);
    assert!(new.ask("/echo").inside);
    let status = status(house);
    assert_eq!(
        (&status["mode"], &status["cursor"], &status["length"]),
        (&json!("open"), &json!(4), &json!(4))
    );
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.wait(SEEN_WITHIN);
    assert!(!Visitor::new(house).ask("/echo").inside);
    assert!(visitors[0].ask("/echo").inside, "who is in stays in");
}

pub(crate) fn a_closed_room_tells_everybody_and_nobody_draws(house: &House) {
    house.warm();
    let mut waiting = Visitor::new(house);
    waiting.ask("/");
    let mut admitted = Visitor::new(house);
    admitted.ask("/");
    house.permit(1);
    assert!(waiting.ask("/echo").inside);
    house.change("mode", r#"{"mode":"closed"}"#);
    // Another sandbox may have read the board just before.
    house.wait(SEEN_WITHIN);
    assert!(waiting.ask("/echo").inside, "who is in stays in");
    let page = page_of(&mut admitted);
    assert!(
        page.contains("Closed for now") && page.contains(">2<"),
        "with its number: {page}"
    );
    let told = admitted.ask("/_queue/place").json();
    assert_eq!(
        (&told["closed"], &told["position"]),
        (&json!(true), &json!(2))
    );
    let mut new = Visitor::new(house);
    let got = new.ask("/");
    assert_eq!(
        (got.status, got.ticket(), &got.json()["mode"]),
        (503, None, &json!("closed"))
    );
    assert!(house.is_free(|| {
        let page = page_of(&mut new);
        assert!(page.contains("Closed for now"));
        assert!(!page.contains("Keep this page open"), "there is no place");
    }));
    house.forget_the_sign();
    let began = house.now_ms();
    let calls = house.calls(|| {
        for _ in 0..20 {
            assert_eq!(new.ask("/").json()["mode"], "closed");
        }
    });
    let most = house.most_looks_since(began);
    assert!((1..=most).contains(&calls), "one looks for all: {calls}");
    assert_eq!(status(house)["length"], 2);
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert_eq!(admitted.ask("/").json()["position"], 2);
    assert_eq!(new.ask("/").json()["position"], 3);
}

pub(crate) fn a_pace_set_by_an_operator_goes_before_what_is_configured(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1");
    house.wait_for_period(60);
    let mut visitors = visitors(house, 8);
    assert_eq!(
        inside(&mut visitors)
            .iter()
            .filter(|inside| **inside)
            .count(),
        1
    );
    let told = house.change("settings", r#"{"automatic":60,"automatic_quantity":3}"#);
    assert_eq!(
        (&told["automatic"], &told["automatic_quantity"]),
        (&json!(60), &json!(3))
    );
    house.wait_for_period(60);
    house.wait(SEEN_WITHIN);
    inside(&mut visitors);
    assert_eq!(status(house)["cursor"], 4, "three in the next period");
    house.change(
        "settings",
        r#"{"automatic":null,"automatic_quantity":null}"#,
    );
    house.wait_for_period(60);
    house.wait(SEEN_WITHIN);
    inside(&mut visitors);
    assert_eq!(status(house)["cursor"], 5, "and one again");
}

pub(crate) fn the_settings_say_what_is_configured_and_who_set_what(house: &House) {
    house.set("automatic", "15");
    house.set("message", "Welcome");
    let untouched = settings(house);
    let pace = json!({ "automatic": 15, "automatic_quantity": 5 });
    let as_configured =
        |value: &Value| json!({ "configured": value, "now": value, "since": null, "by": null });
    assert_eq!(
        untouched,
        json!({
            "version": 0,
            "mode": as_configured(&json!("automatic")),
            "pace": as_configured(&pace),
            "message": as_configured(&json!("Welcome")),
            "cap": as_configured(&cap(0, 20)),
            "event": as_configured(&json!([])),
        })
    );
    house.change("settings", r#"{"automatic":15,"automatic_quantity":20}"#);
    let set = settings(house);
    assert_eq!(set["version"], 1);
    assert_eq!(set["pace"]["configured"], pace);
    assert_eq!(set["pace"]["now"]["automatic_quantity"], 20);
    assert_eq!(set["pace"]["by"], "admin");
    let since = set["pace"]["since"].as_str().unwrap();
    assert!(since.starts_with("20") && since.ends_with('Z'), "{since}");
    assert_eq!(set["mode"]["by"], Value::Null);
}

fn cap(total: u64, minutes: u64) -> Value {
    json!({ "total_active": total, "session_minutes": minutes, "claim_seconds": 60, "session_renewal": "on" })
}

/// A cap where none is configured: it holds from the next release on, and taken back it holds no more.
pub(crate) fn a_cap_set_by_an_operator_goes_before_what_is_configured(house: &House) {
    house.set("automatic", "0");
    let mut line = visitors(house, 5);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let told = house.change(
        "cap",
        r#"{"total_active":2,"session_minutes":5,"claim_seconds":90}"#,
    );
    let now = json!({ "total_active": 2, "session_minutes": 5, "claim_seconds": 90, "session_renewal": "on" });
    assert_eq!(told["cap"], now);
    let set = settings(house);
    assert_eq!(
        (&set["cap"]["now"], &set["cap"]["by"]),
        (&now, &json!("admin"))
    );
    assert_eq!(set["cap"]["configured"], cap(0, 20));
    assert_eq!(house.permit(4)["released"], 2, "two slots");
    house.wait(SEEN_WITHIN);
    assert_eq!(inside(&mut line), [true, true, false, false, false]);
    let told = status(house)["sessions"].clone();
    let figures = ["inside", "promised", "free", "minutes"].map(|name| told[name].clone());
    assert_eq!(figures, [2, 0, 0, 5].map(|figure| json!(figure)));
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(panel.contains("2 people for 5 minutes"), "{panel}");
    let told = house.change("cap", r#"{"total_active":3}"#);
    let set = settings(house);
    for now in [&told["cap"], &set["cap"]["now"]] {
        assert_eq!(*now, cap(3, 20), "the others are as configured");
    }
    house.change("cap", r#"{"total_active":null}"#);
    assert_eq!(status(house)["sessions"], Value::Null);
    house.permit(1);
    house.wait(SEEN_WITHIN);
    assert_eq!(inside(&mut line), [true; 5], "the credit and one more");
    for (json, wrong) in [
        ("{}", "total_active"),
        (r#"{"total_active":10000001}"#, "total_active"),
        (
            r#"{"total_active":2,"session_minutes":1}"#,
            "session_minutes",
        ),
        (r#"{"total_active":2,"claim_seconds":601}"#, "claim_seconds"),
        (
            r#"{"total_active":null,"session_minutes":5}"#,
            "session_minutes",
        ),
    ] {
        let refused = house.ask(&Ask::json_to("cap", json));
        assert_eq!(refused.status, 400, "{json}");
        assert!(refused.body.contains(wrong), "{}", refused.body);
    }
    assert_eq!(settings(house)["version"], 3, "nothing moved");
}

pub(crate) fn of_two_operators_the_second_sees_what_the_first_changed(house: &House) {
    house.change("mode", r#"{"mode":"hold","version":0}"#);
    let before = everything(house);
    let second = house.ask(&Ask::json_to("mode", r#"{"mode":"open","version":0}"#));
    let detail = second.json()["detail"].as_str().unwrap().to_owned();
    assert_eq!(second.status, 409);
    assert!(
        detail.contains("version 1") && detail.contains("mode hold"),
        "{detail}"
    );
    let form = Ask::form(
        "settings",
        "version=0&automatic=5&automatic_quantity=5&once=a",
    );
    let page = house.ask(&form);
    assert_eq!(
        (page.status, page.header("content-type")),
        (409, "text/html; charset=utf-8")
    );
    assert!(page.body.contains("mode hold"), "{}", page.body);
    assert_eq!(everything(house), before, "nothing is overwritten");
    house.change("mode", r#"{"mode":"automatic","version":1}"#);
}

pub(crate) fn a_message_set_by_an_operator_goes_before_what_is_configured(house: &House) {
    house.set("message", "Configured words");
    let mut visitor = Visitor::new(house);
    assert_eq!(visitor.ask("/").json()["message"], "Configured words");
    for (json, shown) in [
        (
            r#"{"message":"Doors at ten <b>sharp</b>"}"#,
            json!("Doors at ten <b>sharp</b>"),
        ),
        (r#"{"message":""}"#, Value::Null),
        (r#"{"message":null}"#, json!("Configured words")),
    ] {
        house.change("message", json);
        house.wait(SEEN_WITHIN);
        assert_eq!(visitor.ask("/").json()["message"], shown, "{json}");
        let escaped = page_of(&mut visitor).contains("<b>sharp");
        assert!(!escaped, "what is shown is escaped");
    }
}

pub(crate) fn credit_can_be_cleared(house: &House) {
    house.permit(5);
    assert_eq!(
        house.change("credit", "{}"),
        json!({ "credit": 0, "cleared": 5 })
    );
    assert!(!Visitor::new(house).ask("/echo").inside);
}

pub(crate) fn raising_the_epoch_needs_the_word_and_nobody_waits_behind_ended_numbers(
    house: &House,
) {
    let mut visitors = visitors(house, 3);
    inside(&mut visitors);
    let upper_case = json!({ "word": house.room().to_uppercase() }).to_string();
    for json in ["{}", &upper_case, r#"{"word":""}"#] {
        let got = house.ask(&Ask::json_to("epoch", json));
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert_eq!(got.status, 400, "{json}");
        let accepted = format!("accepted is the name of the room, \"{}\"", house.room());
        assert!(detail.contains(&accepted), "{detail}");
    }
    // No question is shown to a program, so its form has to say the word at once.
    let form = "application/x-www-form-urlencoded";
    let program = Ask::get("/_queue/epoch").method("POST").body(form, "");
    let got = house.ask(&program.with("authorization", format!("Bearer {ADMIN_TOKEN}")));
    assert_eq!(got.status, 400, "{got:?}");
    let ended = house.change("epoch", &house.word());
    assert_eq!(ended["ended"], 3);
    let now_ms = house.now_ms();
    assert!(
        ended["epoch"].as_u64() >= Some(now_ms - 60_000),
        "comparable across a loss of the store: {ended}"
    );
    house.wait(SEEN_WITHIN);
    let again = visitors[2].ask("/").json();
    assert_eq!(
        (&again["position"], &again["ahead"]),
        (&json!(4), &json!(0))
    );
}

pub(crate) fn the_origin_s_token_lets_in_and_reads_and_no_more(house: &House) {
    let bearer = format!("Bearer {PERMIT_TOKEN}");
    let before = everything(house);
    for route in ["settings", "mode", "message", "credit", "epoch"] {
        let ask = Ask::get(&format!("/_queue/{route}")).method("POST");
        let got = house.ask(
            &ask.with("authorization", &bearer)
                .body("application/json", "{}"),
        );
        assert_eq!(got.status, 403, "{route}");
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("permit_token"), "{detail}");
    }
    assert_eq!(everything(house), before);
    house.permit(1);
    assert_eq!(
        everything(house)[1],
        json!([]),
        "what programs do all the time is no operator's action"
    );
}

pub(crate) fn nothing_but_a_post_of_the_panel_s_own_site_changes_anything(house: &House) {
    Visitor::new(house).ask("/");
    house.permit(3);
    // The minute under way is written down once, by the first request of the next one.
    let before = everything(house)[1].clone();
    let state = status(house);
    let epoch = format!("sure=yes&word={}", house.room());
    let forms = [
        ("permit", "amt=1"),
        ("mode", "mode=hold"),
        ("settings", "automatic=5&automatic_quantity=5"),
        ("message", "message=hello"),
        ("credit", "sure=yes"),
        ("epoch", &epoch),
        ("ticket", "act=jump"),
        ("ticket/forget", ""),
    ];
    for (route, form) in forms {
        let get = Ask::get(&format!("/_queue/{route}?{form}")).operator();
        let bare = Ask::get(&format!("/_queue/{route}"))
            .method("POST")
            .operator();
        let post = bare.clone().body("application/x-www-form-urlencoded", form);
        let origin = |origin: &str| post.clone().with("origin", origin);
        for (ask, accepted) in [
            (get.clone(), &[405, 200][..]),
            (get.clone().with("sec-purpose", "prefetch"), &[405, 200]),
            (
                get.clone()
                    .with("sec-fetch-dest", "image")
                    .with("sec-fetch-site", "cross-site"),
                &[405, 200],
            ),
            (get.clone().method("HEAD"), &[405, 200]),
            (get.clone().method("PUT"), &[405]),
            (get.clone().method("DELETE"), &[405]),
            (post.clone(), &[403]),
            (post.clone().with("sec-fetch-site", "cross-site"), &[403]),
            (post.clone().with("sec-fetch-site", "same-site"), &[403]),
            (post.clone().with("sec-fetch-site", "none"), &[403]),
            (origin("https://evil.example"), &[403]),
            (origin("null"), &[403]),
            (bare.clone().body("text/plain", form), &[403]),
        ] {
            let got = house.ask(&ask);
            assert!(accepted.contains(&got.status), "{} {ask:?}", got.status);
            assert_eq!(got.ticket(), None);
        }
    }
    assert_eq!(
        (everything(house)[1].clone(), status(house)),
        (before, state)
    );
}

pub(crate) fn a_name_given_twice_changes_nothing(house: &House) {
    for (route, json) in [
        ("mode", r#"{"mode":"hold","mode":"open"}"#),
        ("mode", r#"{"mode":"hold","\u006dode":"open"}"#),
        ("permit", r#"{"amt":1,"amt":1}"#),
        (
            "settings",
            r#"{"automatic":null,"automatic_quantity":null,"automatic":5}"#,
        ),
    ] {
        let got = house.ask(&Ask::json_to(route, json));
        assert_eq!(got.status, 400, "{json}: {got:?}");
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert!(
            detail.contains("is given twice; accepted is each field once"),
            "{detail}"
        );
    }
    let status = status(house);
    assert_eq!(
        (&status["mode"], &status["version"]),
        (&json!("automatic"), &json!(0))
    );
}

pub(crate) fn a_query_on_a_change_is_refused(house: &House) {
    for ask in [
        Ask::json_to("permit?amt=500", r#"{"amt":1}"#),
        Ask::json_to("permit?amt=500", "{}"),
        Ask::form("mode?mode=hold", "mode=hold"),
        Ask::form("ticket/forget?really=yes", ""),
    ] {
        let got = house.ask(&ask);
        assert_eq!(got.status, 400, "{ask:?}: {got:?}");
        assert!(got.body.contains("no query"), "{}", got.body);
    }
    assert_eq!(
        house.ask(&Ask::json_to("permit?", "{}")).status,
        200,
        "an empty one says nothing"
    );
    assert_eq!(status(house)["mode"], "automatic");
}

pub(crate) fn what_is_said_of_json_that_is_no_object_fits_the_route(house: &House) {
    for (route, example) in [
        ("permit", r#"{"amt": 5}"#),
        ("mode", r#"{"mode": "hold"}"#),
        ("epoch", &house.word()),
        ("credit", "{}"),
    ] {
        let got = house.ask(&Ask::json_to(route, "5"));
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert!(
            detail.contains(&format!("accepted is such as {example};")),
            "{detail}"
        );
    }
    let got = house.ask(&Ask::json_to("credit", r#"{"amt":5}"#));
    let detail = got.json()["detail"].as_str().unwrap().to_owned();
    assert!(detail.contains("accepted is no field at all;"), "{detail}");
}

pub(crate) fn a_test_ticket_is_for_a_browser_and_its_form(house: &House) {
    let got = house.ask(&Ask::json_to("ticket", r#"{"act":"draw"}"#));
    assert_eq!((got.status, got.ticket()), (415, None), "{got:?}");
    assert!(
        got.body.contains("application/x-www-form-urlencoded"),
        "{}",
        got.body
    );
    assert_eq!(status(house)["length"], 0, "no number was drawn");
}

pub(crate) fn the_same_key_draws_the_same_test_ticket(house: &House) {
    let id = |key: &'static str| {
        let ask = Ask::form("ticket", "act=draw").with("idempotency-key", key);
        let got = house.ask(&ask);
        assert_eq!(got.status, 303, "{got:?}");
        claims(&got.ticket().unwrap())["sub"].clone()
    };
    let first = id("order-1");
    assert_eq!(id("order-1"), first);
    assert_ne!(id("order-2"), first);
    assert_eq!(first.as_str().unwrap().len(), 32);
    assert_eq!(status(house)["length"], 2);
}

pub(crate) fn a_change_that_is_not_understood_says_what_is_accepted(house: &House) {
    for (route, json, accepted) in [
        (
            "mode",
            r#"{"mode":"paused"}"#,
            "automatic, hold, open or closed",
        ),
        ("mode", "{}", "mode is missing"),
        (
            "mode",
            r#"{"mode":"hold","until":5}"#,
            "the field \"until\" is unknown; accepted is version, mode",
        ),
        (
            "settings",
            r#"{"automatic":15}"#,
            "automatic_quantity is missing",
        ),
        (
            "settings",
            r#"{"automatic":-1,"automatic_quantity":5}"#,
            "a whole number from 0 to 86400",
        ),
        (
            "settings",
            r#"{"automatic":15,"automatic_quantity":0}"#,
            "a whole number from 1 to 1000000",
        ),
        (
            "settings",
            r#"{"automatic":null,"automatic_quantity":5}"#,
            "a whole number from 0 to 86400",
        ),
        (
            "permit",
            r#"{"amt":1e400}"#,
            "amt is 1e400; accepted is a whole number from 1 to 10000",
        ),
        (
            "permit",
            r#"{"amt":1.0000000000000000001}"#,
            "amt is 1.0000000000000000001; accepted is a whole number from 1 to 10000",
        ),
        ("message", r#"{"message":5}"#, "accepted is a text"),
        (
            "message",
            r#"{"message":"two\nlines"}"#,
            "without control characters",
        ),
        (
            "message",
            "{\"message\":\"Open at \u{202e}00:8\"}",
            "message is \"Open at \\u{202e}00:8\"; accepted is a text of at most 200 characters without control characters and bidirectional controls (U+202A to U+202E, U+2066 to U+2069)",
        ),
        ("message", "{}", "message is missing"),
        ("mode", r#"{"mode":"hold","version":"1"}"#, "version is"),
    ] {
        let before = everything(house);
        let got = house.ask(&Ask::json_to(route, json));
        assert_eq!(
            (got.status, got.header("content-type")),
            (400, "application/problem+json"),
            "{json}"
        );
        let detail = got.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains(accepted), "{json}: {detail}");
        assert_eq!(everything(house), before);
    }
    let long = format!(r#"{{"message":"{}"}}"#, "é".repeat(201));
    assert_eq!(house.ask(&Ask::json_to("message", &long)).status, 400);
    let most = format!(r#"{{"message":"{}"}}"#, "é".repeat(200));
    house.change("message", &most);
    let marked = "نفتح في \u{200f}8:00\u{200e}";
    let told = house.change("message", &json!({ "message": marked }).to_string());
    assert_eq!(
        told["message"], marked,
        "Arabic and Hebrew need their marks"
    );
}

pub(crate) fn what_an_operator_set_outlives_a_quiet_month(house: &House) {
    house.change("mode", r#"{"mode":"hold"}"#);
    let ttl = house.store.command(&["TTL", &house.key("")]).unwrap();
    assert!(ttl.as_u64().unwrap() > 29 * DAY, "{ttl}");
    for key in [&house.key(":actions"), &house.key(":minutes")] {
        let ttl = house.store.command(&["TTL", key]).unwrap();
        assert!(ttl != json!(-1), "{key} ends");
    }
}

pub(crate) fn what_operators_do_costs_one_call(house: &House) {
    house.warm();
    house.change("message", r#"{"message":""}"#);
    let get = |route: &str| Ask::get(&format!("/_queue{route}")).operator();
    for ask in [
        get(""),
        get("/status"),
        get("/settings"),
        Ask::permit(1),
        Ask::press("amt=1"),
        Ask::form("mode", "mode=hold"),
        Ask::json_to("mode", r#"{"mode":"automatic"}"#),
        Ask::json_to("settings", r#"{"automatic":9,"automatic_quantity":9}"#),
        // What the panel proposes asks first, and so does what touches many; the answer is sent with the same fields.
        Ask::form("settings", "automatic=9&automatic_quantity=12&ask=yes"),
        Ask::form(
            "settings",
            "automatic=9&automatic_quantity=12&ask=yes&sure=yes",
        ),
        Ask::form("settings", "automatic=9&automatic_quantity=60"),
        Ask::form("mode", "mode=open"),
        Ask::form("mode", "mode=open&sure=yes"),
        Ask::json_to("message", r#"{"message":"x"}"#),
        Ask::json_to("credit", "{}"),
        Ask::form("ticket", "act=draw"),
    ] {
        assert_eq!(house.calls(|| drop(house.ask(&ask))), 1, "{ask:?}");
    }
    assert_eq!(
        house.calls(|| drop(house.ask(&Ask::form("ticket/forget", "")))),
        0
    );
}
