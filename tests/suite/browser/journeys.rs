//! Whole visits, as people make them: with scripts and without, offline, in the background, in two tabs.

use std::time::Duration;

use fantoccini::{Client, Locator};
use harness::browser::{self, Driver, Options};
use serde_json::{Value, json};
use tokio::time::sleep;
use upstash_local::{Fault, Faults};

use super::axe::assert_open_to_all;
use super::{LOOKUP_TIMEOUT, SLOWLY, picture, tabs, tell, text, wait_for_title};
use crate::house::{House, Visitor};

const SECOND: Duration = Duration::from_secs(1);

/// A house whose page polls once a second, with this many in line already.
fn house(ahead: usize) -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.warm();
    for _ in 0..ahead {
        Visitor::new(&house).ask("/");
    }
    house
}

fn address(house: &House, path: &str) -> String {
    format!("{}{path}", house.wasm_side().edge.url())
}

fn drawn(house: &House) -> u64 {
    house.numbers("main").1
}

async fn run(page: &Client, script: &str) -> Value {
    page.execute(script, vec![]).await.unwrap()
}

/// Waits until an expression of the page's is true.
async fn until(page: &Client, expression: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let is_true = page
            .execute(&format!("return !!({expression})"), vec![])
            .await;
        if is_true.is_ok_and(|value| value == true) {
            return;
        }
        sleep(SECOND / 10).await;
    }
    panic!("never true: {expression}");
}

async fn open(house: &House, driver: &Driver, options: &Options) -> Client {
    let page = driver.open(options).await.unwrap();
    page.goto(&address(house, "/")).await.unwrap();
    page
}

/// A page without scripts may be exchanged between the look for an element and the click.
async fn press(page: &Client, selector: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        if let Ok(element) = page.find(Locator::Css(selector)).await
            && element.click().await.is_ok()
        {
            return;
        }
        sleep(SECOND / 10).await;
    }
    panic!("never pressed: {selector}");
}

/// A state of the page: nobody is shut out of it, and a picture is left to be looked at.
async fn seen(page: &Client, name: &str) {
    picture(page, name).await;
    assert_open_to_all(page, name).await;
}

fn desktop() -> Options {
    Options::window(1280, 860)
}

#[test]
fn the_page_updates_in_place_asks_nobody_else_and_goes_in_by_itself() {
    let house = house(2);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop().recording_requests()).await;
        assert_eq!(
            text(&page, "#line").await,
            "There are 2 people ahead of you."
        );
        run(&page, "window.first = document.getElementById('line')").await;
        house.permit(1);
        until(
            &page,
            "document.getElementById('line').textContent === 'There is 1 person ahead of you.'",
        )
        .await;
        until(&page, "document.title === '1 \u{b7} You’re in line'").await;
        house.permit(1);
        until(
            &page,
            "document.getElementById('line').textContent === 'You’re next.'",
        )
        .await;
        assert_eq!(
            run(
                &page,
                "return window.first === document.getElementById('line')"
            )
            .await,
            true,
            "no reload"
        );
        assert_eq!(
            run(&page, "return document.getElementById('progress').value").await,
            66
        );
        let asked = browser::requests(&page).await.unwrap();
        let paths = [
            "/",
            "/_queue/cookies?try=1&to=%2F",
            "/_queue/place?language=en",
        ];
        let own = paths.map(|path| address(&house, path));
        assert!(
            asked.len() >= 3
                && asked
                    .iter()
                    .all(|request| own.contains(&without_number(request))),
            "{asked:?}"
        );
        let mut polls: Vec<&str> = asked.iter().map(|request| request.url.as_str()).collect();
        polls.retain(|url| url.contains("/place?"));
        let many = polls.len();
        polls.dedup();
        assert_eq!(polls.len(), many, "each has an address of its own");
        run(&page, SLOWLY).await;
        house.permit(1);
        wait_for_title(&page, "\u{2713} It’s your turn").await;
        assert_eq!(text(&page, "#heading").await, "It’s your turn");
        let icon = "return document.querySelector('link[rel=icon]').href.includes('1d6b3a')";
        assert_eq!(run(&page, icon).await, true, "a green icon");
        picture(&page, "turn").await;
        wait_for_title(&page, "The Ember Cup").await;
        let seen = house.wasm_side().origin.requests();
        let pages = seen.iter().filter(|request| request.target == "/").count();
        assert_eq!(
            pages, 1,
            "the origin is asked once, by the visitor who goes in"
        );
        page.close().await.unwrap();
    });
}

fn without_number(request: &browser::Request) -> String {
    let (address, _) = request.url.split_once("&n=").unwrap_or((&request.url, ""));
    address.to_owned()
}

/// What keeps the script's requests from their answers: a cache that knows addresses, one that knows paths only and has
/// something else there, and an extension that stops them.
const SPOILT: [&str; 3] = [
    "const real = fetch, kept = {}; window.fetch = async (url, how) => (kept[url] ||= await real(url, how)).clone()",
    "window.fetch = async () => new Response('<p>Offline</p>', { headers: { 'content-type': 'text/html' } })",
    "window.fetch = () => Promise.reject(new TypeError('Failed to fetch'))",
];

#[test]
fn a_visitor_whose_polls_are_spoilt_goes_in_as_without_scripts() {
    for spoil in SPOILT {
        let house = house(1);
        let driver = Driver::start().unwrap();
        tell(async {
            let page = open(&house, &driver, &desktop()).await;
            run(&page, spoil).await;
            house.permit(2);
            for _ in 0..3 {
                let titles = page.title().await.unwrap();
                if titles.contains("The Ember Cup") {
                    break;
                }
                sleep(10 * SECOND).await;
            }
            wait_for_title(&page, "The Ember Cup").await;
            assert_eq!(drawn(&house), 2, "{spoil}");
            page.close().await.unwrap();
        });
    }
}

#[test]
fn without_scripts_the_page_refreshes_itself_can_be_stopped_and_goes_in() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&desktop()).await.unwrap();
        browser::run_scripts(&page, false).await.unwrap();
        page.goto(&address(&house, "/?a=1")).await.unwrap();
        assert_eq!(
            text(&page, "#line").await,
            "There is 1 person ahead of you."
        );
        assert_eq!(text(&page, "#updated").await, "Checks again in 1 second.");
        house.permit(1);
        wait_for_title(&page, "0 \u{b7} You’re in line").await;
        assert_eq!(
            page.current_url().await.unwrap().as_str(),
            address(&house, "/?a=1")
        );
        picture(&page, "without-scripts").await;
        let stopped = "This page no longer updates by itself.";
        for _ in 0..20 {
            press(&page, "#pause").await;
            // A refresh may take the place of what the press asked for.
            if text(&page, "#state").await == stopped {
                break;
            }
        }
        assert_eq!(text(&page, "#state").await, stopped);
        house.permit(1);
        sleep(3 * SECOND).await;
        assert!(
            page.title().await.unwrap().contains("You’re in line"),
            "as asked"
        );
        press(&page, "#look").await;
        wait_for_title(&page, "The Ember Cup").await;
        assert_eq!(
            page.current_url().await.unwrap().as_str(),
            address(&house, "/?a=1")
        );
        assert_eq!(drawn(&house), 2);
        page.close().await.unwrap();
    });
}

#[test]
fn without_cookies_the_visitor_reads_so_and_draws_once() {
    let house = house(0);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop().without_cookies()).await;
        wait_for_title(&page, "Cookies are turned off").await;
        seen(&page, "without-cookies").await;
        sleep(3 * SECOND).await;
        assert_eq!(drawn(&house), 1);
        page.close().await.unwrap();

        let page = driver.open(&desktop().without_cookies()).await.unwrap();
        browser::run_scripts(&page, false).await.unwrap();
        page.goto(&address(&house, "/")).await.unwrap();
        wait_for_title(&page, "Cookies are turned off").await;
        picture(&page, "without-cookies-and-scripts").await;
        sleep(3 * SECOND).await;
        assert_eq!(drawn(&house), 1, "no number more while somebody waits");
        page.close().await.unwrap();
    });
}

#[test]
fn a_minute_offline_costs_nothing_but_the_news() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        browser::connect(&page, false).await.unwrap();
        until(
            &page,
            "document.getElementById('state').textContent.startsWith('You are offline.')",
        )
        .await;
        seen(&page, "offline").await;
        house.permit(1);
        sleep(60 * SECOND).await;
        assert_eq!(
            text(&page, "#line").await,
            "There is 1 person ahead of you."
        );
        browser::connect(&page, true).await.unwrap();
        until(
            &page,
            "document.getElementById('line').textContent === 'You’re next.'",
        )
        .await;
        until(&page, "document.getElementById('state').textContent === ''").await;
        assert_eq!(drawn(&house), 2, "the same place");
        page.close().await.unwrap();
    });
}

#[test]
fn a_store_that_is_down_is_named_calmly_and_the_figures_come_back() {
    use upstash_local::{Fault, Faults};
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        until(&page, "performance.getEntriesByType('resource').length > 1").await;
        house.store.fail(Faults::always(Fault::Refuse));
        until(&page, "document.getElementById('state').textContent.startsWith('We can’t see how far the line')").await;
        seen(&page, "store-down").await;
        assert_eq!(text(&page, ".number").await, "2");
        house.store.fail(Faults::none());
        until(&page, "document.getElementById('state').textContent === ''").await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_page_in_the_background_looks_seldom_and_shows_the_turn_in_its_tab() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        page.minimize_window().await.unwrap();
        until(&page, "document.hidden").await;
        let looks = "return performance.getEntriesByType('resource').length";
        let before = run(&page, looks).await.as_u64().unwrap();
        sleep(8 * SECOND).await;
        let after = run(&page, looks).await.as_u64().unwrap();
        assert!(
            after <= before + 1,
            "{before}, then {after}: one was under way at most"
        );
        house.permit(2);
        wait_for_title(&page, "\u{2713} It’s your turn").await;
        sleep(5 * SECOND).await;
        assert_eq!(
            page.title().await.unwrap(),
            "\u{2713} It’s your turn",
            "nobody is there yet"
        );
        seen(&page, "turn-in-the-background").await;
        page.set_window_rect(0, 0, 1280, 860).await.unwrap();
        wait_for_title(&page, "The Ember Cup").await;
        page.close().await.unwrap();
    });
}

#[test]
fn the_back_button_never_leads_back_into_the_line() {
    let house = house(0);
    for status in ["503", "200"] {
        house.set("waiting_status", status);
        let driver = Driver::start().unwrap();
        tell(async {
            let page = open(&house, &driver, &desktop()).await;
            house.permit(1);
            wait_for_title(&page, "The Ember Cup").await;
            page.goto(&address(&house, "/echo")).await.unwrap();
            page.back().await.unwrap();
            wait_for_title(&page, "The Ember Cup").await;
            page.back().await.unwrap();
            let title = page.title().await.unwrap();
            assert!(!title.contains("in line"), "{status}: {title}");
            page.close().await.unwrap();
        });
    }
}

#[test]
fn two_tabs_opened_at_once_share_one_place() {
    let house = house(3);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&desktop()).await.unwrap();
        page.goto(&address(&house, "/robots.txt")).await.unwrap();
        let first = page.window().await.unwrap();
        run(&page, "window.open('/'), window.open('/')").await;
        let mut tabs = tabs(&page, 3).await;
        tabs.retain(|tab| *tab != first);
        let mut numbers = Vec::new();
        for tab in &tabs {
            page.switch_to_window(tab.clone()).await.unwrap();
            browser::cdp(&page, "Page.bringToFront", json!({}))
                .await
                .unwrap();
            text(&page, ".number").await;
            // Both may have drawn before they knew of each other. In the background a page looks seldom.
            run(&page, "dispatchEvent(new Event('online'))").await;
            sleep(3 * SECOND).await;
            numbers.push(text(&page, ".number").await);
        }
        assert_eq!(numbers[0], numbers[1]);
        house.permit(10);
        for tab in tabs {
            page.switch_to_window(tab).await.unwrap();
            browser::cdp(&page, "Page.bringToFront", json!({}))
                .await
                .unwrap();
            wait_for_title(&page, "The Ember Cup").await;
        }
        page.close().await.unwrap();
    });
}

#[test]
fn what_was_posted_in_line_is_not_sent_again_by_going_in() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        let submit = "const form = document.createElement('form'); form.method = 'post'; form.action = '/'; document.body.append(form); form.submit()";
        run(&page, submit).await;
        until(&page, "document.body.textContent.includes('go through')").await;
        seen(&page, "not-sent").await;
        house.permit(2);
        wait_for_title(&page, "The Ember Cup").await;
        let seen = house.wasm_side().origin.requests();
        assert!(
            seen.iter().all(|request| request.method == "GET"),
            "{seen:?}"
        );
        page.close().await.unwrap();
    });
}

#[test]
fn the_operators_message_and_brand_stay_true_while_the_page_waits() {
    let house = house(1);
    house.set("brand_name", "Ember & Ash");
    house.set("message", "Doors open at eight.");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        assert_eq!(text(&page, "#message").await, "Doors open at eight.");
        seen(&page, "brand").await;
        house.set("message", "Doors open at nine.");
        until(
            &page,
            "document.getElementById('message').textContent === 'Doors open at nine.'",
        )
        .await;
        house.set("message", "none");
        until(
            &page,
            "document.getElementById('message').textContent === ''",
        )
        .await;
        // What an operator says has a time, and what is configured has none.
        let from = "return document.getElementById('message').dataset.from";
        assert_eq!(run(&page, from).await, "Ember & Ash");
        house.change("message", r#"{"message":"Doors are open."}"#);
        until(
            &page,
            "/^Ember & Ash · .*\\d+:\\d\\d/.test(document.getElementById('message').dataset.from)",
        )
        .await;
        seen(&page, "message").await;
        house.permit(1);
        wait_for_title(&page, "0 \u{b7} You’re in line \u{b7} Ember & Ash").await;
        page.close().await.unwrap();
    });
}

/// A page that stands still looks on twice a minute, and at once when it is back online.
#[test]
fn a_paused_page_stands_still_and_says_when_it_is_the_visitors_turn() {
    let house = house(2);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        let line = text(&page, "#line").await;
        press(&page, "#pause").await;
        let watching = "Updates are paused. When it’s your turn, this page says so.";
        assert_eq!(text(&page, "#state").await, watching);
        let promises = "return document.getElementById('keep').offsetParent !== null";
        assert_eq!(run(&page, promises).await, false, "to let the visitor in");
        seen(&page, "stopped").await;
        let looks = "return performance.getEntriesByType('resource').length";
        let back_online = "dispatchEvent(new Event('online'))";
        let before = run(&page, looks).await;
        house.permit(1);
        sleep(3 * SECOND).await;
        assert_eq!(run(&page, looks).await, before, "seldom");
        run(&page, back_online).await;
        let has_looked = format!("performance.getEntriesByType('resource').length > {before}");
        until(&page, &has_looked).await;
        assert_eq!(text(&page, "#line").await, line, "and shows nothing new");
        press(&page, "#look").await;
        let shown = format!("document.getElementById('line').textContent !== '{line}'");
        until(&page, &shown).await;
        assert_eq!(text(&page, "#state").await, watching, "still");
        house.permit(2);
        sleep(2 * SECOND).await;
        run(&page, back_online).await;
        wait_for_title(&page, "\u{2713} It’s your turn").await;
        assert_eq!(text(&page, "#heard").await, "It’s your turn");
        seen(&page, "stopped-turn").await;
        sleep(4 * SECOND).await;
        assert_eq!(text(&page, "#enter").await, "Enter now", "as asked");
        press(&page, "#enter").await;
        wait_for_title(&page, "The Ember Cup").await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_page_without_a_number_is_paused_and_resumed() {
    let house = house(0);
    house.store.fail(Faults::always(Fault::Refuse));
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        wait_for_title(&page, "Please wait").await;
        for (state, switch) in [
            (
                "Updates are paused. When it’s your turn, this page says so.",
                "Resume updates",
            ),
            ("", "Pause updates"),
        ] {
            press(&page, "#pause").await;
            assert_eq!(text(&page, "#pause").await, switch);
            let shown = run(&page, "return document.getElementById('state').textContent").await;
            assert_eq!(shown, state);
        }
        page.close().await.unwrap();
    });
}

#[test]
fn a_resumed_page_goes_on_by_itself() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver, &desktop()).await;
        press(&page, "#pause").await;
        press(&page, "#pause").await;
        assert_eq!(text(&page, "#state").await, "");
        assert!(text(&page, "#keep").await.contains("it lets you in"));
        house.permit(2);
        wait_for_title(&page, "The Ember Cup").await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_sound_and_a_notification_come_only_to_who_asked() {
    let house = house(1);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&desktop()).await.unwrap();
        let watch = "window.asked = []
            const remember = name => function () { window.asked.push(name); return Promise.resolve('granted') }
            Notification.requestPermission = remember('permission')
            window.AudioContext = function () { window.asked.push('sound'); this.resume = () => {} }";
        let watch = json!({ "source": watch });
        browser::cdp(&page, "Page.addScriptToEvaluateOnNewDocument", watch)
            .await
            .unwrap();
        page.goto(&address(&house, "/")).await.unwrap();
        until(&page, "performance.getEntriesByType('resource').length > 1").await;
        assert_eq!(run(&page, "return window.asked").await, json!([]));
        let pressed = "return document.getElementById('alert').getAttribute('aria-pressed')";
        assert_eq!(run(&page, pressed).await, "false");
        press(&page, "#alert").await;
        assert_eq!(run(&page, pressed).await, "true");
        let asked = run(&page, "return window.asked").await;
        assert_eq!(asked, json!(["sound", "permission"]));
        seen(&page, "alert").await;
        press(&page, "#alert").await;
        assert_eq!(run(&page, pressed).await, "false");
        page.close().await.unwrap();
    });
}
