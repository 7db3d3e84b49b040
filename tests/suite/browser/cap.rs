//! A cap, as people meet it: inside for as long as they work, and told what happened when they come back late.

use std::time::Duration;

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use serde_json::json;

use super::axe::assert_open_to_all;
use super::panel::says;
use super::{picture, tell, text, wait_for_title};
use crate::house::{House, Visitor};

const MINUTE: Duration = Duration::from_mins(1);
const SHOP: &str = "The Ember Cup";
const OVER: &str = "Your visit ended, since you were away for a while. Your new number is ";

/// A room with this many slots, whose page polls once a second.
fn house(slots: &str) -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.set("total_active", slots);
    house.set("session_minutes", "2");
    house.set("claim_seconds", "10");
    house.warm();
    house
}

async fn goto(page: &Client, house: &House) {
    let url = house.wasm_side().edge.url();
    page.goto(&url).await.unwrap();
}

async fn next_in_line(house: &House, driver: &Driver) -> Client {
    let page = driver.open(&Options::window(1280, 860)).await.unwrap();
    goto(&page, house).await;
    assert_eq!(text(&page, "#line").await, "You’re next.");
    page
}

#[test]
fn a_visitor_works_for_three_sessions_leaves_and_reads_what_happened() {
    let house = house("2");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = next_in_line(&house, &driver).await;
        house.permit(1);
        wait_for_title(&page, SHOP).await;
        for minute in 0..6 {
            house.wait(MINUTE);
            goto(&page, &house).await;
            let title = page.title().await.unwrap();
            assert!(title.contains(SHOP), "after {minute} minutes: {title}");
        }
        Visitor::new(&house).ask("/");
        page.goto("about:blank").await.unwrap();
        house.wait(4 * MINUTE);
        goto(&page, &house).await;
        assert_eq!(
            text(&page, "#line").await,
            "There is 1 person ahead of you."
        );
        says(&page, OVER).await;
        picture(&page, "session-over").await;
        assert_open_to_all(&page, "session over").await;
        house.permit(2);
        wait_for_title(&page, SHOP).await;
        page.close().await.unwrap();
    });
}

/// A slot is kept for ten seconds here, and nobody looks at the tab.
#[test]
fn a_page_in_the_background_takes_its_slot_by_itself() {
    let house = house("2");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = next_in_line(&house, &driver).await;
        page.minimize_window().await.unwrap();
        house.permit(1);
        // In the background it looks twice a minute.
        tokio::time::sleep(Duration::from_secs(20)).await;
        wait_for_title(&page, SHOP).await;
        let is_hidden = page.execute("return document.hidden", vec![]).await;
        assert_eq!(is_hidden.unwrap(), true);
        page.close().await.unwrap();
    });
}

/// The page as it is now, on a phone and on a desk, in light and in dark.
async fn seen(page: &Client, house: &House, name: &str, words: &str) {
    for width in [360, 1280] {
        browser::resize(page, width, 860).await.unwrap();
        for scheme in ["light", "dark"] {
            let preferred = ("prefers-color-scheme", scheme);
            browser::prefer(page, &[preferred]).await.unwrap();
            goto(page, house).await;
            text(page, "#line").await;
            says(page, words).await;
            let what = format!("{name}-{width}-{scheme}");
            picture(page, &what).await;
            assert_open_to_all(page, &what).await;
        }
    }
}

async fn holds(page: &Client, house: &House, ticket: &str) {
    let cookie = json!({ "name": "queue", "value": ticket, "url": house.wasm_side().edge.url() });
    browser::cdp(page, "Network.setCookie", cookie)
        .await
        .unwrap();
}

#[test]
fn the_page_of_a_full_room_and_of_a_used_number_is_open_to_all() {
    let house = house("1");
    // Time for every look while the second visitor is inside.
    house.set("session_minutes", "10");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let [mut late, mut second] = [Visitor::new(&house), Visitor::new(&house)];
        late.ask("/");
        second.ask("/");
        let waited = second.ticket.clone().unwrap();
        house.permit(1);
        house.wait(Duration::from_secs(12));
        house.permit(1);
        assert!(second.ask("/echo").inside);
        let full = "It’s your turn as soon as a place inside is free.";
        holds(&page, &house, late.ticket.as_deref().unwrap()).await;
        seen(&page, &house, "full", full).await;
        assert_eq!(text(&page, "#line").await, full);
        page.goto("about:blank").await.unwrap();
        house.wait(12 * MINUTE);
        holds(&page, &house, &waited).await;
        let used = "Your earlier number has already been used to go in. Your new number is ";
        seen(&page, &house, "ticket-used", used).await;
        page.goto("about:blank").await.unwrap();
        holds(&page, &house, second.ticket.as_deref().unwrap()).await;
        seen(&page, &house, "session-over", OVER).await;
        page.close().await.unwrap();
    });
}
