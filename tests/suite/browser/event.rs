//! An event as people meet it: the countdown, the pre-queue, the lot, their number, the site, and the end.

use std::time::Duration;

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use now_serving::page::iso_8601;
use serde_json::json;
use tokio::time::sleep;

use super::axe::assert_open_to_all;
use super::{LOOKUP_TIMEOUT, picture, tell, text, wait_for_title};
use crate::house::{House, Visitor};

const MINUTE: Duration = Duration::from_mins(1);

/// A line with one visitor, who waits.
fn with_a_visitor() -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.set("automatic", "0");
    Visitor::new(&house).ask("/");
    house
}

/// A second, as the settings name it.
fn at(second: u64) -> String {
    iso_8601(second * 1000).replace(".000", "")
}

/// An event whose pre-queue begins at this second, by arrival, and which opens so many seconds later.
fn opens_at(house: &House, second: u64, opens: u64) {
    let event = json!({
        "id": "sale", "prequeue": at(second), "opens": at(second + opens), "closes": at(second + 3_600),
    });
    house.set("event", &event.to_string());
    house.forget_the_sign();
}

/// A line that is three minutes old, and an event whose order a public value decides.
fn house() -> House {
    let house = with_a_visitor();
    house.wait(3 * MINUTE);
    let second = house.now_ms() / 1000;
    let at = |after: u64| at(second + after);
    let event = json!({
        "id": "sale", "prequeue": at(25), "opens": at(60), "closes": at(600), "order": "drawn",
        "public_value": "beacon 4711",
    });
    house.set("event", &event.to_string());
    house
}

/// Waits until the page says so by itself.
async fn says(page: &Client, selector: &str, words: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 20 {
        let script = format!("return document.querySelector('{selector}')?.textContent ?? ''");
        let found = page.execute(&script, vec![]).await;
        if found.is_ok_and(|found| found.as_str().is_some_and(|found| found.contains(words))) {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("never said: {words}\n{}", page.source().await.unwrap());
}

/// A state of the page: nobody is shut out of it, and a picture is left to be looked at.
async fn seen(page: &Client, name: &str) {
    picture(page, name).await;
    assert_open_to_all(page, name).await;
}

/// The clock that the page shows, in seconds: what the counters of its style add up to.
async fn clock(page: &Client) -> u64 {
    let script = "const style = getComputedStyle(document.getElementById('headline'), '::before'); \
        const at = name => +style.counterReset.match(name + ' ([0-9]+)')[1]; \
        return style.display === 'none' ? -1 : at('h') * 3600 + at('m') * 60 + at('s')";
    let found = page.execute(script, vec![]).await.unwrap();
    found.as_u64().unwrap_or_else(|| panic!("{found}"))
}

/// The clock goes on by itself, at most a second off what the page was told, and takes the place of the words.
async fn it_ticks(page: &Client) {
    let script = "return +document.querySelector('main').dataset.opens";
    let told = page
        .execute(script, vec![])
        .await
        .unwrap()
        .as_u64()
        .unwrap();
    let first = clock(page).await;
    assert!(first <= told && told <= first + 30, "{first} of {told}");
    // An update may hide it, as while the store is away, and the next one shows it again.
    let hide_and_show = "const main = document.querySelector('main'), shown = main.className; \
        main.className = 'held'; getComputedStyle(document.getElementById('headline')).display; main.className = shown";
    page.execute(hide_and_show, vec![]).await.unwrap();
    sleep(Duration::from_millis(2_100)).await;
    let second = clock(page).await;
    assert!(
        (1..=5).contains(&(first - second)),
        "{first}, then {second}"
    );
    // The style alone would have it drawn sixty times a second, which empties a phone.
    let script = "return document.getElementById('headline').getAnimations()[0].playState";
    let state = page.execute(script, vec![]).await.unwrap();
    assert_eq!(state, "paused");
    let script = "return getComputedStyle(document.getElementById('left')).display";
    let words = page.execute(script, vec![]).await.unwrap();
    assert_eq!(words, "none");
}

#[test]
fn a_browser_waits_through_an_event_by_lot_without_a_press() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        // The times count from here.
        let house = house();
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        assert_eq!(text(&page, "#heading").await, "Opens in");
        says(&page, "#line", "No numbers are given yet.").await;
        says(&page, "#at", "Opens ").await;
        it_ticks(&page).await;
        seen(&page, "event-before").await;
        // The wish to be called outlives the pages that load until then.
        page.execute("document.getElementById('alert').click()", vec![])
            .await
            .unwrap();
        says(&page, "#line", "You’re in the draw.").await;
        says(&page, "ol", "Places are drawn by lot when entry begins.").await;
        says(&page, "#alert", "The alert is on").await;
        it_ticks(&page).await;
        seen(&page, "event-prequeue").await;
        says(&page, "#line", "Places are being drawn by lot.").await;
        seen(&page, "event-drawing").await;
        house.change("public-value", r#"{"value": "90ab12"}"#);
        says(&page, ".number", "2").await;
        says(&page, "#heading", "You’re in line").await;
        says(&page, "#alert", "The alert is on").await;
        seen(&page, "event-drawn").await;
        house.permit(2);
        wait_for_title(&page, "The Ember Cup").await;
        house.wait(10 * MINUTE);
        let late = driver.open(&Options::window(390, 844)).await.unwrap();
        late.goto(&house.wasm_side().edge.url()).await.unwrap();
        assert_eq!(text(&late, "#heading").await, "This has ended");
        seen(&late, "event-over").await;
    });
}

/// The page stays as it is loaded: only its updates say that the event has opened.
#[test]
fn a_page_that_waits_for_an_opening_goes_on_without_another_load() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        let house = with_a_visitor();
        let second = house.now_ms() / 1000;
        opens_at(&house, second, 20);
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        says(&page, "#heading", "Opens in").await;
        says(&page, "#detail", "Places are by order of arrival.").await;
        says(&page, "#alert", "Alert me when it opens").await;
        it_ticks(&page).await;
        page.execute("window.isTheSame = true", vec![])
            .await
            .unwrap();
        says(&page, "#heading", "You’re in line").await;
        says(&page, "#alert", "Alert me when it’s my turn").await;
        says(&page, "#line", "ahead of you.").await;
        let left = page
            .execute(
                "return [window.isTheSame, document.getElementById('left'), document.getElementById('headline').className]",
                vec![],
            )
            .await
            .unwrap();
        assert_eq!(left, json!([true, null, ""]));
        seen(&page, "event-opened").await;
    });
}

#[test]
fn a_countdown_whose_event_is_moved_is_shown_anew() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        let house = with_a_visitor();
        let second = house.now_ms() / 1000;
        opens_at(&house, second, 60);
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        says(&page, "#heading", "Opens in").await;
        assert!(clock(&page).await <= 60);
        opens_at(&house, second, 600);
        for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
            let left = "return +document.querySelector('main')?.dataset.opens || 0";
            let told = page.execute(left, vec![]).await;
            if told.is_ok_and(|told| told.as_u64() > Some(300)) {
                break;
            }
            sleep(Duration::from_millis(100)).await;
        }
        let shown = clock(&page).await;
        assert!((500..=600).contains(&shown), "{shown}");
        stays_for_some_polls(&page).await;
    });
}

/// The page that is there asks several times and is not loaded again.
async fn stays_for_some_polls(page: &Client) {
    let mark = "const asked = fetch; window.polls = 0; window.fetch = (...all) => { window.polls++; return asked(...all) }";
    page.execute(mark, vec![]).await.unwrap();
    let mut polls = 0;
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let counted = page.execute("return window.polls ?? -1", vec![]).await;
        polls = counted.unwrap().as_i64().unwrap();
        if !(0..=2).contains(&polls) {
            break;
        }
        sleep(Duration::from_millis(500)).await;
    }
    assert!(polls > 2, "it was loaded again");
}

/// Nothing but the way to the visitor is slow: what the page counts began before its first byte came.
#[test]
fn a_countdown_on_a_slow_connection_is_loaded_once_and_is_right() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        let house = with_a_visitor();
        let second = house.now_ms() / 1000;
        opens_at(&house, second, 600);
        browser::cdp(&page, "Network.enable", json!({}))
            .await
            .unwrap();
        let slow = json!({
            "offline": false, "latency": 7_000, "downloadThroughput": -1, "uploadThroughput": -1,
        });
        browser::cdp(&page, "Network.emulateNetworkConditions", slow)
            .await
            .unwrap();
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        says(&page, "#heading", "Opens in").await;
        stays_for_some_polls(&page).await;
        let left = (second + 600).saturating_sub(house.now_ms() / 1000);
        let shown = clock(&page).await;
        assert!(shown.abs_diff(left) <= 10, "{shown} of {left}");
    });
}
