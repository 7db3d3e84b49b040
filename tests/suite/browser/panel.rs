//! The panel in a browser: it follows the line by itself, and takes nothing out of anybody's hands.

use std::time::{Duration, Instant};

use fantoccini::{Client, Locator};
use harness::browser::{self, Driver, Options};
use now_serving::page::iso_8601;
use serde_json::json;
use upstash_local::{Fault, Faults};

use super::{LOOKUP_TIMEOUT, panel, picture, tell, text};
use crate::house::{Ask, House, PASSWORD, Visitor};

/// An hour of a sale: a crowd comes, and is let in by 20 to 40 a minute.
pub(crate) fn write_an_hour(house: &House) {
    let this = house.now_ms() / 60_000;
    let (mut drawn, mut admitted) = (0, 0);
    let minutes = (0..60).map(|at| {
        drawn += if at < 25 { 90 - 3 * at } else { 12 + at % 7 };
        admitted = drawn.min(admitted + 20 + at * 7 % 21);
        (this - 60 + at, drawn - admitted, drawn, admitted, admitted)
    });
    house.write_minutes(minutes.collect::<Vec<_>>());
    let cursor = admitted;
    let [this, drawn, admitted] = [this, drawn, admitted].map(|number| number.to_string());
    house.write(&["minute", &this, "drawn", &drawn, "main length", &drawn]);
    house.write(&["admitted", &admitted, "main cursor", &admitted]);
    let [since, from] = [house.now_ms() - 300_000, cursor - 150].map(|number| number.to_string());
    let moved = house.now_ms().to_string();
    house.write(&[
        "main since",
        &since,
        "main from",
        &from,
        "main moved",
        &moved,
    ]);
    house.write(&["main mid", &since, "main mid_from", &from]);
}

/// Clicks, where no button at the bottom of a phone covers it. A panel that shows what is new may exchange the element
/// meanwhile.
pub(crate) async fn click(page: &Client, selector: &str) {
    let began = Instant::now();
    loop {
        let clicked = async {
            let element = page.wait().at_most(LOOKUP_TIMEOUT);
            let element = element.for_element(Locator::Css(selector)).await?;
            let found = serde_json::to_value(&element)?;
            let into_view = "arguments[0].scrollIntoView({ block: 'center' })";
            page.execute(into_view, vec![found]).await?;
            element.click().await
        };
        match clicked.await {
            Err(error)
                if error.is_stale_element_reference() && began.elapsed() < LOOKUP_TIMEOUT => {}
            clicked => return clicked.unwrap(),
        }
    }
}

/// Fills in a field. A panel that shows what is new may exchange it meanwhile.
pub(crate) async fn fill(page: &Client, selector: &str, text: &str) {
    let mut last = None;
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let typed = async {
            let field = page.find(Locator::Css(selector)).await?;
            field.clear().await?;
            field.send_keys(text).await?;
            field.prop("value").await
        };
        match typed.await {
            Ok(value) if value.as_deref() == Some(text) => return,
            other => last = Some(other),
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{selector} never holds {text:?}, but {last:?}");
}

/// Clicks, and waits for the page that leads to, or for the question.
pub(crate) async fn press(page: &Client, button: &str) -> String {
    let mark = "document.documentElement.dataset.before = 'yes'; document.querySelector('details').open = true";
    page.execute(mark, vec![]).await.unwrap();
    let selector = format!("#{button}");
    click(page, &selector).await;
    let fresh = Locator::Css("html:not([data-before]) body, dialog[open]");
    page.wait()
        .at_most(LOOKUP_TIMEOUT)
        .for_element(fresh)
        .await
        .unwrap();
    page.source().await.unwrap()
}

async fn value(page: &Client, id: &str) -> String {
    let value = "return document.getElementById(arguments[0]).value";
    let value = page.execute(value, vec![json!(id)]).await.unwrap();
    value.as_str().unwrap().to_owned()
}

/// Waits until something on the page is true.
pub(crate) async fn wait_for(page: &Client, condition: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let found = page.execute(&format!("return {condition}"), vec![]).await;
        if found.is_ok_and(|found| found == true) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{condition}: {}", page.source().await.unwrap());
}

/// Waits until these words are on the page: for a moment, a browser that loads one has none.
pub(crate) async fn says(page: &Client, words: &str) {
    wait_for(
        page,
        &format!(
            "document.documentElement.outerHTML.includes({})",
            json!(words)
        ),
    )
    .await;
}

/// Without forms there is less that its script has to look after, and it follows all the same.
#[test]
fn the_panel_of_an_operator_who_may_only_look_follows_the_line() {
    let house = House::wasm();
    let passwords = json!({ "admin": { "password": PASSWORD, "may": "look" } });
    house.set("admin_password", &passwords.to_string());
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        assert!(text(&page, "h1").await.contains("admin · may only look"));
        assert_eq!(text(&page, "#waiting").await, "0");
        Visitor::new(&house).ask("/");
        let follows = "document.querySelector('#waiting').textContent === '1'";
        wait_for(&page, follows).await;
        let forms = page.find_all(Locator::Css("form, button")).await.unwrap();
        assert_eq!(forms.len(), 0);
        let lost = "return document.querySelector('#lost').hidden";
        assert_eq!(page.execute(lost, Vec::new()).await.unwrap(), json!(true));
    });
}

#[test]
fn the_panel_follows_the_line_and_leaves_a_form_alone_that_is_filled_in() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        assert_eq!(text(&page, "#waiting").await, "0");
        fill(&page, "#quantity", "33").await;
        Visitor::new(&house).ask("/");
        let other = Ask::get("/_queue/message").method("POST").operator();
        let other = other.with("sec-fetch-site", "same-origin");
        let told = other.body("application/json", r#"{"message":"Nine, we are late."}"#);
        assert_eq!(house.ask(&told).status, 200);
        wait_for(
            &page,
            "document.querySelector('#waiting').textContent === '1'",
        )
        .await;
        wait_for(&page, "document.title.includes(' 1 waiting')").await;
        wait_for(
            &page,
            "document.querySelector('#message-words').textContent.includes('Nine, we are late.')",
        )
        .await;
        assert_eq!(value(&page, "message-text").await, "Nine, we are late.");
        assert_eq!(value(&page, "quantity").await, "33");
        let note = text(&page, "#f-pace .meanwhile").await;
        assert!(note.contains("“Nine, we are late.” by admin at "), "{note}");

        let refused = press(&page, "pace").await;
        assert!(
            refused.contains("Changed in the meantime: message"),
            "{refused}"
        );
        Visitor::new(&house).ask("/");
        wait_for(
            &page,
            "document.querySelector('#waiting').textContent === '2'",
        )
        .await;
        assert_eq!(value(&page, "quantity").await, "33", "what was typed");
        let warned = page.find(Locator::Css(".meanwhile")).await;
        assert!(warned.is_err(), "nothing changed since: sending works");
        press(&page, "pace").await;
        assert_eq!(value(&page, "quantity").await, "33");
        assert!(text(&page, "#pace-words").await.contains("now off since "));
        page.close().await.unwrap();
    });
}

#[test]
fn the_panel_says_since_when_nothing_answers_and_recovers_by_itself() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        house.store.fail(Faults::always(Fault::Unauthorized));
        // A request that takes too long has other words.
        let is_told = "document.getElementById('state').textContent.includes('The store refused')";
        wait_for(&page, is_told).await;
        let why = "The store refused upstash_token (401). Nothing can be read or moved. \
            Waiting visitors keep their places, and visitors inside stay inside.";
        let heading = "The store cannot be used: no new visitor goes in";
        assert_eq!(text(&page, "#state h2").await, heading);
        assert_eq!(text(&page, "#down").await, why);
        assert_eq!(text(&page, "#lost").await, "", "one box says so");
        assert_eq!(text(&page, "#store").await, "no answer");
        picture(&page, "panel-lost").await;
        page.refresh().await.unwrap();
        assert_eq!(text(&page, "#down").await, why);
        picture(&page, "panel-down").await;
        house.store.fail(Faults::none());
        wait_for(&page, "!!document.querySelector('#more')").await;
        page.close().await.unwrap();
    });
}

/// A minute that is over soon.
const SHORT_MINUTE: &str = "const soon = window.setTimeout; \
    window.setTimeout = (work, ms) => soon(work, ms === 60000 ? 400 : ms)";

#[test]
fn a_tab_in_the_background_claims_nothing_after_a_minute() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        page.execute(SHORT_MINUTE, vec![]).await.unwrap();
        wait_for(&page, "document.title.startsWith('? main')").await;
        let hide = "Object.defineProperty(document, 'hidden', { configurable: true, value: arguments[0] }); \
            document.dispatchEvent(new Event('visibilitychange'))";
        page.execute(hide, vec![json!(true)]).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
        let marked = "document.title.startsWith('? main') && document.getElementById('icon').href.includes('%234a4540') \
            && document.getElementById('icon').href.includes('M2 7h12v2H2z')";
        wait_for(&page, marked).await;
        page.execute(hide, vec![json!(false)]).await.unwrap();
        wait_for(&page, "document.title.includes(' waiting')").await;
        page.close().await.unwrap();
    });
}

/// What a screen reader speaks of by itself when it changes.
const LIVE: &str = "[role=status], [role=alert], [role=log], [aria-live]:not([aria-live=off]), output:not([aria-live=off])";

/// Keeps what is spoken.
const LISTEN: &str = "window.spoken = []
    new MutationObserver(changes => {
        const live = changes.map(change => (change.target.closest ? change.target : change.target.parentNode).closest(arguments[0]))
        const words = [...new Set(live)].filter(Boolean).map(region => region.textContent).filter(Boolean)
        spoken.push(...words)
    }).observe(document, { subtree: true, childList: true, characterData: true })";

#[test]
fn a_screen_reader_is_told_what_was_done_and_at_most_four_other_verdicts_a_minute() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        press(&page, "brake").await;
        let focused = "document.activeElement.id === 'news' && document.activeElement.textContent === 'The mode is set to hold.'";
        wait_for(&page, focused).await;
        let regions = format!("document.querySelectorAll({}).length === 1", json!(LIVE));
        wait_for(&page, &regions).await;
        page.execute(LISTEN, vec![json!(LIVE)]).await.unwrap();
        let began = Instant::now();
        for mode in ["automatic", "hold"].into_iter().cycle() {
            house.change("mode", &json!({ "mode": mode }).to_string());
            Visitor::new(&house).ask("/");
            tokio::time::sleep(Duration::from_secs(2)).await;
            if began.elapsed() > Duration::from_secs(56) {
                break;
            }
        }
        let spoken = page.execute("return spoken", vec![]).await.unwrap();
        let many = spoken.as_array().map_or(0, Vec::len);
        assert!((2..=4).contains(&many), "{spoken}");
        wait_for(&page, &regions).await;
        page.close().await.unwrap();
    });
}

#[test]
fn after_a_press_the_confirmation_has_the_focus_also_without_scripts() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let options = Options::window(1280, 860).without_scripts();
        let page = driver.open(&options).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        click(&page, "#brake").await;
        assert_eq!(text(&page, "#news:focus").await, "The mode is set to hold.");
        house.change("message", r#"{"message":"Ten."}"#);
        click(&page, "#pace").await;
        let told = text(&page, "#trouble:focus").await;
        assert!(told.contains("Changed in the meantime"), "{told}");
        page.close().await.unwrap();
    });
}

/// An event that opens within the hour, and one of the day after.
fn in_the_prequeue(house: &House) -> String {
    let second = house.now_ms() / 1000;
    let at = |minutes: u64| iso_8601((second + minutes * 60) * 1000).replace(".000", "");
    let [sale, next] = [("spring-sale", 0), ("second-day", 1440)].map(|(id, from)| {
        let [prequeue, opens, closes] = [from, from + 30, from + 600].map(at);
        json!({ "id": id, "prequeue": prequeue, "opens": opens, "closes": closes })
    });
    json!([sale, next]).to_string()
}

#[test]
fn the_panel_fits_a_phone_and_a_desk_in_every_mode() {
    let house = House::wasm_shared();
    house.set("invited_per_minute", "10");
    house.set("priority", r#"[{"name":"front","share":20}]"#);
    write_an_hour(&house);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        let fill = "for (const [id, value] of [['quantity', 20], ['automatic', 30], ['message-text', 'We let you in as fast as the shop can bear.']]) \
            document.getElementById(id).value = value";
        for button in ["mode-hold", "pace", "draw", "mode-automatic", "message"] {
            page.execute(fill, vec![]).await.unwrap();
            press(&page, button).await;
        }
        for mode in ["normal", "mode-hold", "mode-closed", "prequeue"] {
            if mode == "prequeue" {
                press(&page, "mode-automatic").await;
                house.set("event", &in_the_prequeue(&house));
            }
            page.goto(&panel(&house)).await.unwrap();
            if mode.starts_with("mode-") {
                press(&page, mode).await;
            }
            for (width, height) in [(360, 4800), (1280, 2400)] {
                browser::resize(&page, width, height).await.unwrap();
                for scheme in ["light", "dark"] {
                    let preferred = ("prefers-color-scheme", scheme);
                    browser::prefer(&page, &[preferred]).await.unwrap();
                    let fits = "document.documentElement.scrollWidth <= innerWidth";
                    wait_for(&page, fits).await;
                    picture(&page, &format!("panel-{mode}-{width}-{scheme}")).await;
                }
            }
        }
        page.close().await.unwrap();
    });
}
