//! Barriers on a page, as axe-core finds them: the levels A and AA of WCAG 2.2, and what is good practice besides.

use std::fs;

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use harness::tools;
use serde_json::Value;
use upstash_local::{Fault, Faults};

use super::panel::{click, press, says, wait_for, write_an_hour};
use super::{panel, picture, tell};
use crate::house::{Ask, House};
use crate::stories::panel::grows;

const RUN: &str = r"
    const done = arguments[arguments.length - 1];
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    axe.run(document, { runOnly: { type: 'tag', values } }).then(
        found => done({ violations: found.violations, passes: found.passes.map(rule => rule.id) }),
        error => done({ error: String(error) }),
    );
";

/// The windows in which a page is looked at. No rule of its style is about width and colours at once, so each width and each
/// scheme is there, not each pair.
const LOOKS_LIKE: [(u32, &str); 2] = [(360, "dark"), (1280, "light")];

/// How often a page is looked at that exchanges itself meanwhile.
const LOOKS: usize = 3;

/// What is wrong with the page in the browser, line by line: the rule, what it asks for, and where.
pub(super) async fn barriers(page: &Client) -> Vec<String> {
    let script = fs::read_to_string(tools::axe().unwrap()).unwrap() + RUN;
    let mut found = page.execute_async(&script, vec![]).await;
    for _ in 1..LOOKS {
        if found.is_err() {
            found = page.execute_async(&script, vec![]).await;
        }
    }
    let found = found.unwrap();
    let passes = found["passes"].as_array();
    assert!(
        passes.is_some_and(|passes| !passes.is_empty()),
        "axe-core has looked at a page: {found}"
    );
    let violations = found["violations"].as_array().unwrap();
    violations.iter().flat_map(lines).collect()
}

fn lines(violation: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (id, help) = (word(&violation["id"]), word(&violation["help"]));
    let nodes = violation["nodes"].as_array().unwrap();
    nodes
        .iter()
        .map(|node| format!("{id}: {help} ({} {})", node["target"], word(&node["html"])))
        .collect()
}

/// The page as it stands now puts no barrier before anybody.
pub(crate) async fn assert_open_to_all(page: &Client, what: &str) {
    let found = barriers(page).await;
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Looks at the page with these words on it, on a phone in dark and on a desk in light.
async fn assert_no_barrier(page: &Client, words: &str, url: &str) {
    assert_no_barrier_at(page, words, || url.to_owned()).await;
}

/// The same for a page whose address does not last.
async fn assert_no_barrier_at(page: &Client, words: &str, url: impl Fn() -> String) {
    for (width, scheme) in LOOKS_LIKE {
        browser::resize(page, width, 860).await.unwrap();
        let preferred = ("prefers-color-scheme", scheme);
        browser::prefer(page, &[preferred]).await.unwrap();
        page.goto(&url()).await.unwrap();
        says(page, words).await;
        assert_open_to_all(page, &format!("{words}, {width} pixels wide, {scheme}")).await;
    }
}

#[test]
fn each_barrier_of_a_page_is_named() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let spoilt = "data:text/html,<html lang=en><title>Spoilt</title><main><h1>Spoilt</h1>\
            <img src='data:,'><p style='color:silver;background:white'>faint</p></main>";
        page.goto(spoilt).await.unwrap();
        let found = barriers(&page).await;
        let rules: Vec<_> = found
            .iter()
            .filter_map(|line| line.split(": ").next())
            .collect();
        assert_eq!(rules, ["color-contrast", "image-alt"], "{found:#?}");
        assert!(found[1].contains("<img src=\"data:,\">"), "{found:#?}");
        page.close().await.unwrap();
    });
}

/// The same for the page that a button of the panel leads to.
async fn assert_no_barrier_behind(page: &Client, panel: &str, button: &str, words: &str) {
    for (width, scheme) in LOOKS_LIKE {
        browser::resize(page, width, 860).await.unwrap();
        let preferred = ("prefers-color-scheme", scheme);
        browser::prefer(page, &[preferred]).await.unwrap();
        page.goto(panel).await.unwrap();
        let pressed = press(page, button).await;
        assert!(pressed.contains(words), "{words}: {pressed}");
        let what = format!("{words}, {width} pixels wide, {scheme}");
        assert_open_to_all(page, &what).await;
        picture(page, &format!("{button}-{width}-{scheme}")).await;
    }
}

#[test]
fn the_panel_and_its_questions_put_no_barrier_before_anybody() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let url = panel(&house);
        assert_no_barrier(&page, " arrived, at most ", &url).await;
        page.execute("document.querySelector('details').open = true", vec![])
            .await
            .unwrap();
        assert_open_to_all(&page, "with what cannot be undone").await;
        assert_no_barrier_behind(&page, &url, "epoch", "They lose their places").await;
        assert_no_barrier_behind(&page, &url, "mode-hold", "The mode is set").await;
        assert_no_barrier_behind(&page, &url, "let-in", "Nobody is let in").await;
        page.close().await.unwrap();
    });
}

#[test]
fn what_would_help_opens_its_question_over_the_panel_and_puts_no_barrier_before_anybody() {
    let house = House::wasm_shared();
    house.set("automatic", "60");
    house.set("automatic_quantity", "30");
    grows(&house, 30);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let url = panel(&house);
        assert_no_barrier_behind(&page, &url, "help-1", "Set this pace?").await;
        wait_for(&page, "!!document.querySelector('dialog[open] #yes')").await;
        click(&page, "#yes").await;
        says(&page, "The pace is set to 45 every 60 seconds").await;
        press(&page, "undo").await;
        says(&page, "The pace is set to what is configured").await;
        page.close().await.unwrap();
    });
}

#[test]
fn no_page_of_ours_puts_a_barrier_before_anybody() {
    let house = House::wasm_shared();
    // So that no page is exchanged while it is looked at.
    house.set("refresh_interval", "30");
    let url = house.wasm_side().edge.url();
    house.ask(&Ask::get("/"));
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        assert_no_barrier(&page, "Your number", &url).await;
        let panel = panel(&house);
        assert_no_barrier(&page, "Last in line waits", &panel).await;
        for (key, value) in [
            ("brand_name", "Ember & Ash"),
            (
                "brand_logo",
                "data:image/svg+xml,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E",
            ),
            ("brand_colors", "#ffff00 #000080"),
            ("message", "Doors open at eight."),
        ] {
            house.set(key, value);
        }
        assert_no_barrier(&page, "Doors open at eight.", &url).await;
        house.store.fail(Faults::always(Fault::Unauthorized));
        assert_no_barrier(&page, "The store refused upstash_token (401).", &panel).await;
        house.forget_the_sign();
        assert_no_barrier(&page, "how far the line has moved", &url).await;
        house.store.fail(Faults::none());
        // What was done is said for a minute only.
        let after = || {
            let pressed = house.ask(&Ask::press("amt=9"));
            let (_, done) = pressed.header("location").split_once('?').unwrap();
            format!("{panel}?{done}")
        };
        assert_no_barrier_at(&page, " of 9. Credit for", after).await;
        // Visitors inside are served whatever the settings are.
        page.delete_all_cookies().await.unwrap();
        house.set("cookie_expiry", "soon");
        assert_no_barrier(&page, "Not open yet", &url).await;
        page.close().await.unwrap();
    });
}
