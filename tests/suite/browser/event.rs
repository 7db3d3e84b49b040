//! An event as people meet it: the countdown, the pre-queue, the lot, their number, the site, and the end.

use std::time::Duration;

use fantoccini::Client;
use harness::browser::{Driver, Options};
use now_serving::page::iso_8601;
use serde_json::json;
use tokio::time::sleep;

use super::axe::assert_open_to_all;
use super::{LOOKUP_TIMEOUT, picture, tell, text, wait_for_title};
use crate::house::{House, Visitor};

const MINUTE: Duration = Duration::from_mins(1);

/// A line that is three minutes old, and an event whose order a public value decides.
fn house() -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.set("automatic", "0");
    Visitor::new(&house).ask("/");
    house.wait(3 * MINUTE);
    let second = house.now_ms() / 1000;
    let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
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

#[test]
fn a_browser_waits_through_an_event_by_lot_without_a_press() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        // The times count from here.
        let house = house();
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        assert_eq!(text(&page, "#heading").await, "Not open yet");
        seen(&page, "event-before").await;
        says(&page, "#line", "Places are drawn by lot when entry begins.").await;
        says(&page, "#headline", "Time until entry begins").await;
        seen(&page, "event-prequeue").await;
        says(&page, "#line", "Places are being drawn by lot.").await;
        seen(&page, "event-drawing").await;
        house.change("public-value", r#"{"value": "90ab12"}"#);
        says(&page, ".number", "2").await;
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
