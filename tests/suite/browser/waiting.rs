//! The waiting page as people meet it who see, hear or move in other ways, and what its figures do between two polls.

use std::time::Duration;

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::axe::assert_open_to_all;
use super::engines::press;
use super::languages::TOO_WIDE;
use super::states::SMALL;
use super::{LETTERS, LOOKUP_TIMEOUT, SLOWLY, picture, tabs, tell, text, wait_for_title};
use crate::house::{House, Visitor};

async fn run(page: &Client, script: &str) -> Value {
    page.execute(script, vec![]).await.unwrap()
}

async fn until(page: &Client, expression: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let script = format!("return !!({expression})");
        let found = page.execute(&script, vec![]).await;
        if found.is_ok_and(|found| found == true) {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("never true: {expression}");
}

/// A house whose page polls once in this many seconds, with this many visitors in line.
fn house(refresh: &str, ahead: usize) -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", refresh);
    house.warm();
    for _ in 0..ahead {
        Visitor::new(&house).ask("/");
    }
    house
}

async fn open(house: &House, driver: &Driver) -> Client {
    let page = driver.open(&Options::window(1280, 860)).await.unwrap();
    page.goto(&house.wasm_side().edge.url()).await.unwrap();
    page
}

/// WCAG 1.4.12, word by word.
const SPACING: &str = "const sheet = new CSSStyleSheet()
    sheet.replaceSync('* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important } p { margin-bottom: 2em !important }')
    document.adoptedStyleSheets = [sheet]";

#[test]
fn the_page_is_whole_with_forced_colours_large_text_and_wide_spacing() {
    let house = house("30", 3);
    house.permit(1);
    house.set("brand_name", "Ember & Ash, the shop with the long name");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        let said = "return document.getElementById('progress').getAttribute('aria-valuetext')";
        assert_eq!(run(&page, said).await, "There are 2 people ahead of you.");
        assert_eq!(run(&page, SMALL).await, json!([]));
        for (width, letters) in [(320, "100%"), (360, "200%")] {
            browser::resize(&page, width, 800).await.unwrap();
            page.execute(LETTERS, vec![json!(letters)]).await.unwrap();
            assert_eq!(run(&page, TOO_WIDE).await, json!([]), "{width}");
            picture(&page, &format!("waiting-{width}")).await;
        }
        run(&page, SPACING).await;
        assert_eq!(run(&page, TOO_WIDE).await, json!([]), "wide spacing");
        picture(&page, "waiting-spacing").await;
        let denied = json!({ "permission": { "name": "notifications" }, "setting": "denied" });
        let set = browser::cdp(&page, "Browser.setPermission", denied).await;
        set.unwrap();
        page.refresh().await.unwrap();
        browser::resize(&page, 390, 844).await.unwrap();
        browser::prefer(&page, &[("forced-colors", "active")])
            .await
            .unwrap();
        let pressed = "const alert = document.getElementById('alert')
            const colour = () => getComputedStyle(alert).backgroundColor
            const before = colour()
            alert.click()
            return [before !== colour(), alert.getAttribute('aria-pressed'), alert.lastChild.textContent]";
        let expected = json!([true, "true", "The alert is on"]);
        assert_eq!(run(&page, pressed).await, expected);
        // A browser that shows no notification says so in the button: the figures are no older for it.
        until(
            &page,
            "document.getElementById('alert').lastChild.textContent.startsWith('Notifications are off')",
        )
        .await;
        assert_eq!(text(&page, "#state").await, "");
        let seen = "const bar = document.getElementById('progress'), style = getComputedStyle(bar)
            return style.borderColor !== style.backgroundColor";
        assert_eq!(run(&page, seen).await, true);
        picture(&page, "waiting-forced").await;
        page.close().await.unwrap();
    });
}

#[test]
fn figures_walk_to_what_a_poll_confirmed_and_nothing_jumps() {
    let house = house("6", 40);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        // Every figure that was shown, with every shift of the layout.
        let watch = "window.shown = [], window.shifts = 0
            const serving = document.getElementById('serving')
            new MutationObserver(() => window.shown.push(+serving.textContent)).observe(serving, { childList: true, characterData: true, subtree: true })
            new PerformanceObserver(list => { for (const shift of list.getEntries()) window.shifts += shift.value }).observe({ type: 'layout-shift' })";
        run(&page, watch).await;
        house.permit(20);
        until(&page, "window.shown.includes(20)").await;
        let shown = run(&page, "return window.shown").await;
        let shown: Vec<u64> = serde_json::from_value(shown).unwrap();
        assert!(shown.len() > 3 && shown.is_sorted(), "{shown:?}");
        assert!(shown.iter().all(|number| *number <= 20), "{shown:?}");
        assert_eq!(
            text(&page, "#line").await,
            "There are 20 people ahead of you."
        );
        browser::prefer(&page, &[("prefers-reduced-motion", "reduce")])
            .await
            .unwrap();
        run(&page, "window.shown = []").await;
        house.permit(10);
        until(&page, "window.shown.length").await;
        assert_eq!(run(&page, "return window.shown").await, json!([30]));
        assert_eq!(run(&page, "return window.shifts").await, 0);
        page.close().await.unwrap();
    });
}

#[test]
fn each_state_is_a_headline_and_the_turn_has_the_focus() {
    let house = house("1", 2);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        house.change("mode", r#"{"mode":"hold"}"#);
        until(
            &page,
            "document.getElementById('headline').textContent === 'Entry is paused'",
        )
        .await;
        let kept = "You keep number 3. This page continues by itself.";
        assert_eq!(text(&page, "#detail").await, kept);
        let said = "Entry is paused for now. Your place is kept. There are 2 people ahead of you.";
        let heard = "return document.getElementById('heard').textContent";
        assert_eq!(run(&page, heard).await, said, "one sentence after another");
        picture(&page, "hold").await;
        assert_open_to_all(&page, "hold").await;
        house.change("mode", r#"{"mode":"automatic"}"#);
        house.change("epoch", &house.word());
        until(&page, "document.getElementById('notice')").await;
        let anew =
            "The line was started anew, and all earlier tickets ended. Your new number is 4.";
        assert_eq!(text(&page, "#notice").await, anew);
        run(&page, SLOWLY).await;
        house.permit(1);
        wait_for_title(&page, "\u{2713} It’s your turn").await;
        let focused = "return document.activeElement.id";
        assert_eq!(run(&page, focused).await, "enter");
        assert_eq!(run(&page, heard).await, "It’s your turn. Taking you in…");
        // What is said of the updates would turn the way in grey.
        let offline = "dispatchEvent(new Event('offline'))
            return document.getElementById('state').textContent";
        assert_eq!(run(&page, offline).await, "");
        wait_for_title(&page, "The Ember Cup").await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_visitor_chooses_the_language_without_scripts() {
    let house = house("30", 1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        browser::run_scripts(&page, false).await.unwrap();
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        press(&page, "#wish button").await;
        press(&page, "button[value=de]").await;
        let german = now_serving::i18n::words("de");
        wait_for_title(&page, german.text("heading")).await;
        assert_eq!(text(&page, ".number").await, "2", "the same place");
        picture(&page, "chosen-language").await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_tab_keeps_its_language_when_another_one_is_chosen_elsewhere() {
    let house = house("1", 1);
    let driver = Driver::start().unwrap();
    let german = now_serving::i18n::words("de");
    tell(async {
        let page = open(&house, &driver).await;
        text(&page, ".number").await;
        let first = page.window().await.unwrap();
        run(&page, "window.open('/')").await;
        let tabs = tabs(&page, 2).await;
        let second = tabs.into_iter().find(|tab| *tab != first).unwrap();
        page.switch_to_window(second).await.unwrap();
        press(&page, "#wish button").await;
        wait_for_title(&page, "Language").await;
        assert_open_to_all(&page, "languages").await;
        press(&page, "button[value=de]").await;
        wait_for_title(&page, german.text("heading")).await;
        page.switch_to_window(first).await.unwrap();
        browser::cdp(&page, "Page.bringToFront", json!({}))
            .await
            .unwrap();
        house.permit(1);
        until(
            &page,
            "document.getElementById('line').textContent === 'You’re next.'",
        )
        .await;
        page.refresh().await.unwrap();
        wait_for_title(&page, german.text("heading")).await;
        page.close().await.unwrap();
    });
}

/// As a view inside an app has none, and as a site's own scripts fill it.
const STORAGES: [&str; 2] = [
    "Object.defineProperty(window, 'sessionStorage', { get: () => null })",
    "Storage.prototype.setItem = () => { throw 0 }; Object.defineProperty(window, 'sessionStorage', { value: new Proxy({}, { set() { throw 0 } }) })",
];

#[test]
fn a_browser_whose_storage_takes_nothing_is_called_and_goes_in() {
    let driver = Driver::start().unwrap();
    tell(async {
        for storage in STORAGES {
            let house = house("1", 1);
            let page = driver.open(&Options::window(1280, 860)).await.unwrap();
            let source = json!({ "source": storage });
            browser::cdp(&page, "Page.addScriptToEvaluateOnNewDocument", source)
                .await
                .unwrap();
            page.goto(&house.wasm_side().edge.url()).await.unwrap();
            press(&page, "#alert").await;
            until(&page, "document.querySelector('#alert[aria-pressed=true]')").await;
            house.permit(2);
            wait_for_title(&page, "The Ember Cup").await;
            page.close().await.unwrap();
        }
    });
}
