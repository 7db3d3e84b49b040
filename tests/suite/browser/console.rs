//! The panel as a console: what its first screen shows, what its forms foresee, and a press that outlives an outage.

use std::time::Duration;

use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use harness::browser::{self, Driver, Options};
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::axe::assert_open_to_all;
use super::languages::TOO_WIDE;
use super::panel::{click, fill, press, wait_for, write_an_hour};
use super::{LETTERS, panel, picture, tell, text};
use crate::house::{Ask, House, Visitor};

/// What an operator decides by.
const DECISIVE: [&str; 7] = [
    "state", "brake", "waiting", "trend", "arriving", "admitted", "wait",
];

async fn find(page: &Client, id: &str) -> Element {
    page.find(Locator::Id(id)).await.unwrap()
}

fn mode(house: &House) -> String {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["mode"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_screen_shows_what_decides() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    house.change("settings", r#"{"automatic":10,"automatic_quantity":5}"#);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        for (width, height) in [(1280, 720), (390, 844)] {
            browser::resize(&page, width, height).await.unwrap();
            page.goto(&panel(&house)).await.unwrap();
            picture(&page, &format!("console-first-{width}")).await;
            for id in DECISIVE {
                // Seen, and covered by nothing: its corners are its own.
                let seen = format!(
                    "(() => {{ const found = document.getElementById('{id}'), box = found.getBoundingClientRect(); \
                     return found.textContent.trim() !== '' && [box.top + 1, box.bottom - 1].every(y => {{ \
                     const top = document.elementFromPoint(box.left + box.width / 2, y); \
                     return top && (found.contains(top) || top.contains(found)) }}) }})()"
                );
                wait_for(&page, &seen).await;
            }
        }
        page.close().await.unwrap();
    });
}

#[test]
fn a_minute_of_the_chart_is_read_out_by_keyboard_and_by_pointer() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    house.change("mode", r#"{"mode":"hold"}"#);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 1200)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        let minute = find(&page, "minute").await;
        let mut now = text(&page, "#told").await;
        // The minute in which the mode was set may be over.
        if !now.contains("mode") {
            minute.send_keys(&Key::Left.to_string()).await.unwrap();
            now = text(&page, "#told").await;
        }
        assert!(now.ends_with(" waiting; mode hold"), "{now}");
        for _ in 0..10 {
            minute.send_keys(&Key::Left.to_string()).await.unwrap();
        }
        let earlier = text(&page, "#told").await;
        assert!(
            earlier.contains(" arrived, ") && earlier != now,
            "{earlier}"
        );
        let is_said = "document.getElementById('minute').getAttribute('aria-valuetext') === document.getElementById('told').value";
        wait_for(&page, is_said).await;
        let hover = "const plot = document.getElementById('plot'), box = plot.getBoundingClientRect(); \
            plot.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, clientX: box.left + 1, clientY: box.top + 5 }))";
        page.execute(hover, vec![]).await.unwrap();
        wait_for(&page, "document.getElementById('minute').value === '0'").await;
        assert_open_to_all(&page, "a minute is read out").await;
        let forced = ("forced-colors", "active");
        browser::prefer(&page, &[forced]).await.unwrap();
        picture(&page, "console-forced").await;
        page.close().await.unwrap();
    });
}

#[test]
fn forms_say_what_they_would_do_and_what_was_done_is_undone() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 1200)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        let waiting: u64 = text(&page, "#waiting").await.parse().unwrap();
        fill(&page, "#amt", "20").await;
        click(&page, "[data-add='50']").await;
        let still = format!("{} would still wait.", waiting - 70);
        assert_eq!(text(&page, "#still").await, still);
        fill(&page, "#quantity", "20").await;
        fill(&page, "#automatic", "10").await;
        let forecast = text(&page, "#forecast").await;
        let begins = "= 120 a minute. At that pace the line is empty at about ";
        assert!(forecast.starts_with(begins), "{forecast}");
        fill(&page, "#quantity", "1").await;
        let forecast = text(&page, "#forecast").await;
        let slow = "= 6 a minute. At that pace the line does not shrink.";
        assert_eq!(forecast, slow);
        fill(&page, "#message-text", "Doors at ten").await;
        assert_eq!(text(&page, "#count").await, "12 of 200");
        assert_eq!(text(&page, "#preview").await, "Doors at ten");
        fill(&page, "#quantity", "15").await;
        press(&page, "pace").await;
        let done = text(&page, "#news").await;
        assert!(
            done.starts_with("The pace is set to 15 every 10 s"),
            "{done}"
        );
        assert_open_to_all(&page, "the way back").await;
        press(&page, "undo").await;
        assert_eq!(text(&page, "#pace-now").await, "off");
        page.close().await.unwrap();
    });
}

/// The page with the question has a style of its own, which the policy of the panel does not allow.
#[test]
fn a_question_is_asked_without_a_complaint_of_the_browser() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    house.change("settings", r#"{"automatic":60,"automatic_quantity":1}"#);
    let driver = Driver::start().unwrap();
    tell(async {
        let options = Options::window(1280, 860).recording_errors();
        let page = driver.open(&options).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        for button in ["#mode-open", "#pace"] {
            fill(&page, "#quantity", "5").await;
            click(&page, button).await;
            wait_for(&page, "document.querySelector('dialog[open]') !== null").await;
            click(&page, "#no").await;
            wait_for(&page, "document.querySelector('dialog') === null").await;
        }
        let complaints = browser::errors(&page).await.unwrap();
        assert_eq!(complaints, <[String; 0]>::default());
        page.close().await.unwrap();
    });
}

#[test]
fn a_question_opens_over_the_panel_and_no_changes_nothing() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    house.change("settings", r#"{"automatic":60,"automatic_quantity":1}"#);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        let gone = "!document.querySelector('dialog') && document.activeElement.id === 'quantity'";
        for no in [None, Some("#no")] {
            fill(&page, "#quantity", "5").await;
            let quantity = find(&page, "quantity").await;
            quantity.send_keys(&Key::Enter.to_string()).await.unwrap();
            wait_for(
                &page,
                "document.querySelector('dialog[open] #question') !== null",
            )
            .await;
            let focused = page.active_element().await.unwrap();
            // A single key holds nothing while a question is open.
            focused.send_keys("h").await.unwrap();
            assert_open_to_all(&page, "a question").await;
            picture(&page, "console-question").await;
            match no {
                Some(no) => click(&page, no).await,
                None => focused.send_keys(&Key::Escape.to_string()).await.unwrap(),
            }
            wait_for(&page, gone).await;
        }
        assert_eq!(mode(&house), "automatic");
        for width in [320, 1280] {
            browser::resize(&page, width, 860).await.unwrap();
            click(&page, "#pace").await;
            wait_for(&page, "document.querySelector('dialog[open]') !== null").await;
            let wide = page.execute(TOO_WIDE, vec![]).await.unwrap();
            assert_eq!(wide, json!([]), "{width}");
            picture(&page, &format!("console-question-{width}")).await;
            click(&page, "#no").await;
        }
        press(&page, "pace").await;
        press(&page, "yes").await;
        assert_eq!(text(&page, "#pace-now").await, "5 every 60 seconds");
        // The way back from a slower pace is a faster one.
        fill(&page, "#quantity", "1").await;
        press(&page, "pace").await;
        press(&page, "undo").await;
        let asked = text(&page, "dialog #question").await;
        assert_eq!(asked, "Set this much faster pace?");
        house.store.fail(Faults::always(Fault::Unauthorized));
        let warned =
            "document.querySelector('dialog').textContent.includes('these figures may be old')";
        wait_for(&page, warned).await;
        page.close().await.unwrap();
    });
}

#[test]
fn the_brake_comes_before_a_question_that_is_on_its_way() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        house
            .store
            .fail(Faults::always(Fault::Delay(Duration::from_millis(400))));
        fill(&page, "#amt", "200").await;
        let both =
            "document.getElementById('let-in').click(), document.getElementById('brake').click()";
        page.execute(both, vec![]).await.unwrap();
        let held = "(document.getElementById('news') || document.body).textContent.startsWith('The mode is set')";
        wait_for(&page, held).await;
        house.store.fail(Faults::none());
        assert_eq!(mode(&house), "hold");
        wait_for(&page, "!document.querySelector('dialog')").await;
        page.close().await.unwrap();
    });
}

#[test]
fn hold_pressed_during_an_outage_is_confirmed_when_the_store_comes_back() {
    let house = House::wasm_shared();
    for _ in 0..3 {
        Visitor::new(&house).ask("/");
    }
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        house.store.fail(Faults::always(Fault::Unauthorized));
        click(&page, "#brake").await;
        let told = text(&page, "#again p").await;
        assert_eq!(told, "Hold was not confirmed. Trying again…");
        assert_eq!(text(&page, "#waiting").await, "3", "as far as is known");
        assert_open_to_all(&page, "not confirmed").await;
        picture(&page, "console-not-confirmed").await;
        house.store.fail(Faults::none());
        // The page that says so is exchanged for a newer one soon.
        wait_for(
            &page,
            "document.getElementById('band').textContent.includes('On hold')",
        )
        .await;
        assert_eq!(mode(&house), "hold");
        page.close().await.unwrap();
    });
}

#[test]
fn large_text_on_a_narrow_phone_keeps_its_words_whole() {
    let house = House::wasm_shared();
    write_an_hour(&house);
    house.change("mode", r#"{"mode":"hold"}"#);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        browser::resize(&page, 360, 6000).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        page.execute(LETTERS, vec![json!("200%")]).await.unwrap();
        let open = "document.querySelector('details').open = true";
        page.execute(open, vec![]).await.unwrap();
        picture(&page, "console-large").await;
        let whole = "[...document.querySelectorAll('p:not(.axis), dt, dd, small, button, label, li > *, h1, h2, h3')].filter(found => found.offsetParent).every(found => { \
            const words = found.textContent.trim(), range = document.createRange(); range.selectNodeContents(found); \
            const lines = new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 20))).size; \
            return words.length < 6 || words.length / lines >= 3 })";
        wait_for(&page, whole).await;
        wait_for(&page, "document.documentElement.scrollWidth <= innerWidth").await;
        page.close().await.unwrap();
    });
}

/// Two operators see the same fault.
#[test]
fn a_button_that_changed_under_the_hand_resumes_nothing() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&panel(&house)).await.unwrap();
        wait_for(&page, "!document.querySelector('[data-script]').hidden").await;
        click(&page, "#pace").await;
        assert!(text(&page, "#news").await.starts_with("The pace is set"));
        // Within three seconds of the change: however late this test is, the page presses in time.
        let at_once = "const look = setInterval(() => {
            if (!document.getElementById('brake').textContent.includes('Resume')) return
            clearInterval(look)
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'h', bubbles: true }))
        }, 20)";
        page.execute(at_once, vec![]).await.unwrap();
        house.change("mode", r#"{"mode":"hold"}"#);
        let told = text(&page, ".brake .meanwhile").await;
        assert!(told.starts_with("This button has just changed"), "{told}");
        assert_eq!(mode(&house), "hold");
        let news = "document.getElementById('news')";
        assert_eq!(
            page.execute(&format!("return {news}"), vec![])
                .await
                .unwrap(),
            Value::Null,
            "something else was set since"
        );
        tokio::time::sleep(Duration::from_millis(3100)).await;
        let body = page.find(Locator::Css("body")).await.unwrap();
        house.change("message", r#"{"message":"Ten."}"#);
        wait_for(
            &page,
            "document.getElementById('message-words').textContent.includes('Ten.')",
        )
        .await;
        body.send_keys("h").await.unwrap();
        wait_for(&page, "!!document.getElementById('news')").await;
        assert_eq!(mode(&house), "automatic");
        page.close().await.unwrap();
    });
}

#[test]
fn the_key_h_holds_the_line_and_times_are_those_of_the_operator() {
    let house = House::wasm_shared();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let zone = json!({ "timezoneId": "Asia/Kathmandu" });
        browser::cdp(&page, "Emulation.setTimezoneOverride", zone)
            .await
            .unwrap();
        page.goto(&panel(&house)).await.unwrap();
        let is_local = "(() => { const time = document.querySelector('#as-of time'), at = new Date(time.dateTime); \
            const two = number => String(number).padStart(2, '0'), told = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':'); \
            return at.getTimezoneOffset() === -345 && time.textContent === told && time.title === at.toISOString().slice(11, 19) + ' UTC' })()";
        wait_for(&page, is_local).await;
        fill(&page, "#message-text", "h").await;
        assert_eq!(mode(&house), "automatic", "a letter of a message");
        let body = page.find(Locator::Css("body")).await.unwrap();
        page.execute("document.activeElement.blur()", vec![])
            .await
            .unwrap();
        body.send_keys("h").await.unwrap();
        assert_eq!(text(&page, "#news").await, "The mode is set to hold.");
        assert_eq!(mode(&house), "hold");
        click(&page, "#keys").await;
        page.refresh().await.unwrap();
        let is_off = "!document.getElementById('keys').checked";
        wait_for(&page, is_off).await;
        let body = page.find(Locator::Css("body")).await.unwrap();
        body.send_keys("h").await.unwrap();
        assert_eq!(mode(&house), "hold", "the key is off");
        page.close().await.unwrap();
    });
}
