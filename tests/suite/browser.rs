//! A real browser, driven through its own driver: Chromium without a window, and in `engines` Firefox and `WebKit` as well.

mod admin_host;
mod axe;
mod cap;
pub(crate) mod challenge;
mod console;
mod demo;
mod elsewhere;
pub(crate) mod engines;
mod event;
pub(crate) mod invitation;
mod journeys;
pub(crate) mod languages;
mod operators;
mod options;
mod panel;
mod rooms;
pub(crate) mod states;
mod waiting;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use fantoccini::wd::WindowHandle;
use fantoccini::{Client, Locator};
use harness::browser::{Driver, Options};
use serde_json::json;

use self::panel::{click, fill};
use crate::house::{House, PASSWORD};

const LOOKUP_TIMEOUT: Duration = Duration::from_secs(30);

/// Tells a story that has to wait for browsers.
pub(crate) fn tell(story: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(story);
}

/// The panel's address, with what opens it.
fn panel(house: &House) -> String {
    let url = house.wasm_side().edge.url();
    url.replace("http://", &format!("http://admin:{PASSWORD}@")) + "/_queue"
}

pub(crate) async fn text(browser: &Client, selector: &str) -> String {
    let began = Instant::now();
    loop {
        let found = browser
            .wait()
            .at_most(LOOKUP_TIMEOUT)
            .for_element(Locator::Css(selector))
            .await;
        let text = match found {
            Ok(found) => found.text().await,
            Err(error) => Err(error),
        };
        match text {
            // The page refreshed itself in between.
            Err(_) if began.elapsed() < LOOKUP_TIMEOUT => {}
            text => return text.unwrap(),
        }
    }
}

/// The tabs, once there are this many: a browser lists a new one when it has opened it.
async fn tabs(browser: &Client, many: usize) -> Vec<WindowHandle> {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let tabs = browser.windows().await.unwrap();
        if tabs.len() == many {
            return tabs;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("never {many} tabs")
}

/// From now on the page stays for a quarter of a minute, and not for three seconds, before it goes in: so long can it be
/// looked at.
const SLOWLY: &str = "const soon = window.setTimeout; \
    window.setTimeout = (work, ms) => soon(work, ms === 3000 ? 15000 : ms)";

/// Letters of this size on the page, in a font that is wide: what fits in it fits in others.
const LETTERS: &str = "document.documentElement.style.fontSize = arguments[0]
    document.body.style.fontFamily = '\"DejaVu Sans\", Verdana'";

/// Where the pictures of a journey are left to be looked at.
async fn picture(browser: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join(format!("{name}.png")),
        browser.screenshot().await.unwrap(),
    )
    .unwrap();
}

/// What a page has loaded besides itself and its updates.
async fn loaded(browser: &Client) -> serde_json::Value {
    browser
        .execute(
            "return performance.getEntriesByType('resource').map(entry => entry.name).filter(name => !name.includes('/_queue/place?'))",
            vec![],
        )
        .await
        .unwrap()
}

pub(crate) async fn wait_for_title(browser: &Client, part: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        if browser
            .title()
            .await
            .is_ok_and(|title| title.contains(part))
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!(
        "no page with {part:?} in its title: {:?}",
        browser.title().await
    );
}

#[test]
fn a_visitor_is_let_in_by_the_operators_button_and_lands_in_the_shop() {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    crate::house::Visitor::new(&house).ask("/");
    let driver = Driver::start().unwrap();
    tell(async {
        let window = Options::window(1280, 860);
        let visitor = driver.open(&window).await.unwrap();
        let operator = driver.open(&window).await.unwrap();
        visitor.goto(&house.wasm_side().edge.url()).await.unwrap();
        assert_eq!(text(&visitor, ".number").await, "2");
        assert_eq!(
            text(&visitor, "#line").await,
            "There is 1 person ahead of you."
        );
        assert_eq!(
            loaded(&visitor).await,
            json!([]),
            "nothing but the page itself"
        );
        picture(&visitor, "waiting").await;
        operator.goto(&panel(&house)).await.unwrap();
        assert_eq!(text(&operator, "#waiting").await, "2");
        picture(&operator, "panel").await;
        fill(&operator, "#amt", "2").await;
        click(&operator, "#let-in").await;
        assert_eq!(text(&operator, "#news").await, "Let in: 2.");
        assert_eq!(text(&operator, "#waiting").await, "0");
        picture(&operator, "panel-after").await;
        wait_for_title(&visitor, "The Ember Cup").await;
        picture(&visitor, "shop").await;
        visitor.close().await.unwrap();
        operator.close().await.unwrap();
    });
}
