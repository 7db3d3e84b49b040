//! The symptoms of `docs/how-to/troubleshoot.md`: each is brought about, seen as the page says, and gone once what it says is done.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use crate::house::{ADMIN_TOKEN, Ask, Got, House, PERMIT_TOKEN, Visitor};
use crate::metrics::scrape;
use crate::pure::conventions::{files, root, text};

/// What plays each symptom: the heading, and a test of this file or a story. No word stands where only Fastly can show it.
const PLAYED: [(&str, &str); 16] = [
    (
        "Every page is a plain 503",
        "a_wrong_setting_is_named_by_healthz_and_taken_back",
    ),
    (
        "Everyone goes straight in",
        "paths_and_modes_that_let_everyone_in_are_found",
    ),
    ("Nobody goes in", "the_status_says_why_the_line_stands"),
    (
        "The place is kept, the figures are old",
        "a_store_that_is_away_is_in_the_log_and_costs_no_place",
    ),
    (
        "The panel asks for the password again",
        "each_answer_to_a_login_says_what_is_wrong",
    ),
    (
        "403 Not from this site",
        "a_change_by_a_program_needs_a_token",
    ),
    (
        "The browser ends at /_queue/cookies",
        "a_browser_that_keeps_no_cookies_gets_a_page_that_says_so_after_two_tries",
    ),
    (
        "Another host of the site starts a second line",
        "the_hosts_of_a_domain_share_a_place",
    ),
    (
        "robots.txt or pictures get the waiting page",
        "a_list_of_paths_replaces_the_default_one",
    ),
    (
        "A payment callback or a webhook gets 503",
        "a_webhook_passes_once_its_path_is_listed",
    ),
    ("The site redirects, or answers for another host", ""),
    ("Visitors inside get Fastly's error page", ""),
    (
        "Visitors inside are back in the line",
        "a_reset_of_the_line_names_the_new_number_on_the_page",
    ),
    (
        "Fewer visitors arrive than the pace says",
        "called_visitors_who_do_not_come_are_shown",
    ),
    ("The log is empty", ""),
    (
        "The metrics answer 401 or 404",
        "a_scraper_sends_the_token_alone",
    ),
];

#[test]
fn each_symptom_of_the_page_is_played() {
    let page = text("docs/how-to/troubleshoot.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("## "));
    assert!(headings.eq(PLAYED.map(|(heading, _)| heading)));
    let sources: String = files(&root().join("tests/suite"))
        .iter()
        .map(|path| fs::read_to_string(path).unwrap_or_default())
        .collect();
    for (heading, test) in PLAYED {
        let is_played = test.is_empty() || sources.contains(&format!("fn {test}("));
        assert!(is_played, "{heading}: {test}");
    }
}

fn reason(house: &House) -> Value {
    house.log().last().unwrap()["reason"].clone()
}

/// Whether a visitor who comes now is let in at once.
fn goes_in(house: &House) -> bool {
    Visitor::new(house).ask("/echo").inside
}

fn status(house: &House) -> Value {
    let bearer = format!("Bearer {PERMIT_TOKEN}");
    let got = house.ask(&Ask::get("/_queue/status").with("authorization", bearer));
    got.json()
}

#[test]
fn a_wrong_setting_is_named_by_healthz_and_taken_back() {
    let house = House::native();
    house.set("automatic", "often");
    let page = house.ask(&Ask::get("/echo"));
    assert!(page.status == 503 && page.body.contains("being set up"));
    assert_eq!(reason(&house), "unsound_configuration");
    let health = house.ask(&Ask::get("/_queue/healthz"));
    assert_eq!(health.status, 503);
    assert!(health.body.contains("automatic: a whole number from 0"));
    house.set("automatic", "0");
    assert_eq!(house.ask(&Ask::get("/_queue/healthz")).status, 200);
    assert_eq!(Visitor::new(&house).ask("/").json()["position"], 1);
}

#[test]
fn paths_and_modes_that_let_everyone_in_are_found() {
    let house = House::native();
    house.set("protected_paths", "/tickets/*");
    assert!(goes_in(&house));
    assert_eq!(reason(&house), "bypass");
    house.set("protected_paths", "/*");
    assert!(!goes_in(&house));
    house.change("mode", r#"{"mode":"open"}"#);
    assert!(goes_in(&house));
    assert_eq!(status(&house)["mode"], "open");
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert!(!goes_in(&house));
}

#[test]
fn the_status_says_why_the_line_stands() {
    let house = House::native();
    let mut visitor = Visitor::new(&house);
    assert!(!visitor.ask("/echo").inside);
    assert_eq!(status(&house)["release"]["bound_by"], "pace");
    house.change("mode", r#"{"mode":"hold"}"#);
    assert_eq!(status(&house)["release"]["bound_by"], "mode");
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.permit(1);
    house.wait(Duration::from_secs(3));
    assert!(visitor.ask("/echo").inside);
}

#[test]
fn a_store_that_is_away_is_in_the_log_and_costs_no_place() {
    let house = House::native();
    let mut visitor = Visitor::new(&house);
    assert_eq!(visitor.ask("/").json()["position"], 1);
    house.forget_the_sign();
    house.store.fail(Faults::always(Fault::Refuse));
    let away = visitor.send(Ask::get("/"));
    assert!(
        away.body
            .contains("see how far the line has moved right now")
    );
    let log = house.log();
    assert!(
        log.iter().any(|line| line["storeError"].is_string()),
        "{log:?}"
    );
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(30));
    assert_eq!(visitor.ask("/").json()["position"], 1);
}

#[test]
fn each_answer_to_a_login_says_what_is_wrong() {
    let house = House::native();
    let panel = || Ask::get("/_queue/");
    // Basic, `admin:wrong`.
    let wrong = panel().with("authorization", "Basic YWRtaW46d3Jvbmc=");
    assert_eq!(house.ask(&wrong).status, 401);
    assert_eq!(house.ask(&panel().operator()).status, 200);
    house.set("admin_host", "queue.shop.example");
    assert_eq!(
        house.ask(&panel().operator()).status,
        404,
        "on another host"
    );
    house.unset("admin_host");
    house.set("operators_acl", "office");
    let told = house.ask(&panel().operator());
    assert!([403, 503].contains(&told.status), "{told:?}");
    house.set("operators_acl", "none");
    house.set("admin_password", "none");
    assert_eq!(
        house.ask(&panel().operator()).status,
        404,
        "no password is set"
    );
}

#[test]
fn a_change_by_a_program_needs_a_token() {
    let house = House::native();
    let hold = || {
        let ask = Ask::get("/_queue/mode").method("POST");
        ask.body("application/json", r#"{"mode":"hold"}"#)
    };
    let refused = house.ask(&hold().operator());
    assert_eq!(refused.status, 403);
    assert_eq!(refused.json()["title"], "Not from this site");
    let done = house.ask(&hold().with("authorization", format!("Bearer {ADMIN_TOKEN}")));
    assert_eq!(done.status, 200);
    assert_eq!(status(&house)["mode"], "hold");
}

#[test]
fn a_list_of_paths_replaces_the_default_one() {
    let house = House::native();
    let robots = || house.ask(&Ask::get("/robots.txt")).inside;
    assert!(robots());
    house.set("bypass_paths", "/health");
    Visitor::new(&house).ask("/");
    assert!(!robots());
    house.set("bypass_paths", "/health, /robots.txt, /favicon.ico");
    assert!(robots());
}

#[test]
fn a_webhook_passes_once_its_path_is_listed() {
    let house = House::native();
    let hook = || -> Got {
        let ask = Ask::get("/hooks/pay").method("POST");
        house.ask(&ask.body("application/json", &json!({"paid": true}).to_string()))
    };
    let held = hook();
    assert!(!held.inside && held.status == 503, "{held:?}");
    house.set("bypass_paths", "POST /hooks/*");
    assert!(hook().inside);
}

#[test]
fn a_scraper_sends_the_token_alone() {
    let house = House::native();
    house.set(
        "permit_token",
        "prometheus/read:development-only-read-token",
    );
    let with = |token: &str| {
        let ask = scrape();
        let headers = ask.headers.iter();
        let others = headers.filter(|(name, _)| *name != "authorization");
        let headers = others.cloned().collect();
        let ask = Ask { headers, ..ask };
        house
            .ask(&ask.with("authorization", format!("Bearer {token}")))
            .status
    };
    assert_eq!(with("prometheus/read:development-only-read-token"), 401);
    assert_eq!(with("development-only-read-token"), 200);
    house.set("permit_token", "none");
    house.set("admin_token", "none");
    house.set("admin_password", "none");
    assert_eq!(with("development-only-read-token"), 404);
}
