//! The challenge to a visitor above the bound of a network, in a browser.

use std::collections::BTreeMap;
use std::time::Duration;

use fantoccini::{Client, Locator};
use harness::browser::{self, Driver, Options};
use serde_json::json;

use super::elsewhere::site;
use super::invitation::{is_let_in_at, press};
use super::languages::{Looked, fit_and_are_open_to_all};
use super::{picture, tell, text, wait_for_title};
use crate::house::{House, Visitor};
use crate::stories::invitations::invitation;
use crate::stories::verifier::signed;

/// Keeps the page where it is once its script has an answer, and the time since the page was asked for.
const STAYS: &str =
    "HTMLFormElement.prototype.submit = function () { window.took = performance.now() }";

/// A room whose visitors all come from one network, which has drawn as many numbers as it may.
fn house() -> House {
    let house = House::wasm_shared();
    house.warm();
    house.set("network_bound", "challenge");
    house.set("network_draws", "1");
    house.set("refresh_interval", "30");
    Visitor::new(&house).ask("/");
    house
}

async fn goto(page: &Client, house: &House) {
    page.goto(&house.wasm_side().edge.url()).await.unwrap();
}

async fn stays(page: &Client) {
    let source = json!({ "source": STAYS });
    browser::cdp(page, "Page.addScriptToEvaluateOnNewDocument", source)
        .await
        .unwrap();
}

#[test]
fn a_browser_calculates_by_itself_and_has_a_number() {
    let house = house();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let goal = format!(
            "{}/a/b?x=1#frag",
            house.wasm_side().edge.url().trim_end_matches('/')
        );
        page.goto(&goal).await.unwrap();
        assert_eq!(text(&page, ".number").await, "2");
        assert_eq!(
            text(&page, "#line").await,
            "There is 1 person ahead of you."
        );
        assert_eq!(page.current_url().await.unwrap().as_str(), goal);
        page.close().await.unwrap();
    });
}

/// No server sees what stands behind #, so the page hands it over.
#[test]
fn a_link_with_an_invitation_leads_past_the_challenge() {
    let house = house();
    house.set("invited_per_minute", "10");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let url = house.wasm_side().edge.url();
        let url = url.trim_end_matches('/');
        let code = invitation(&house, "one", 1, 3600);
        page.goto(&format!("{url}/echo#invitation={code}"))
            .await
            .unwrap();
        press(&page).await;
        is_let_in_at(&page, &format!("{url}/echo")).await;
        page.close().await.unwrap();
    });
}

#[test]
fn a_visitor_may_wait_instead() {
    let house = house();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        // The calculation takes long enough for a press.
        let slow = json!({ "rate": 20 });
        browser::cdp(&page, "Emulation.setCPUThrottlingRate", slow)
            .await
            .unwrap();
        stays(&page).await;
        goto(&page, &house).await;
        // Its button says what the page says without it.
        let skip = "const parts = ['text', 'skip', 'wait'].map(id => document.getElementById(id))
            const shown = () => parts.filter(part => !part.hidden).map(part => part.id)
            const before = shown(), word = parts[1].textContent
            parts[1].click()
            return [before, word, shown()]";
        let told = page.execute(skip, vec![]).await.unwrap();
        let expected = json!([["text", "skip"], "Skip it and wait 10 minutes", ["wait"]]);
        assert_eq!(told, expected);
        let took = "return window.took ?? null";
        let before = page.execute(took, vec![]).await.unwrap();
        tokio::time::sleep(Duration::from_secs(2)).await;
        let after = page.execute(took, vec![]).await.unwrap();
        assert_eq!(before, after, "it has stopped");
        page.close().await.unwrap();
    });
}

/// Its time is printed and no more: the machine may be busy.
#[test]
fn a_browser_four_times_slower_calculates_too() {
    let house = house();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let slow = json!({ "rate": 4 });
        browser::cdp(&page, "Emulation.setCPUThrottlingRate", slow)
            .await
            .unwrap();
        stays(&page).await;
        for _ in 0..2 {
            // Another ticket, so another challenge.
            page.delete_all_cookies().await.unwrap();
            goto(&page, &house).await;
            println!("at a quarter of the speed: {:.0} ms", took(&page).await);
        }
        page.close().await.unwrap();
    });
}

/// The milliseconds from the request of the page to its answer.
async fn took(page: &Client) -> f64 {
    for _ in 0..3_000 {
        let took = page.execute("return window.took ?? null", vec![]).await;
        if let Some(took) = took.unwrap().as_f64() {
            return took;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("no answer after five minutes")
}

/// The verifier is a page of another site, as the browser sees it.
#[test]
fn a_browser_goes_to_the_verifier_and_comes_back_to_a_number() {
    let house = house();
    let verifier = site("<!doctype html><title>Verifier</title>".to_owned());
    house.set("verifier", &verifier);
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        goto(&page, &house).await;
        for scheme in ["light", "dark"] {
            let preferred = ("prefers-color-scheme", scheme);
            browser::prefer(&page, &[preferred]).await.unwrap();
            picture(&page, &format!("verifier-desktop-{scheme}")).await;
        }
        let link = page.find(Locator::Css("main a")).await.unwrap();
        assert_eq!(link.text().await.unwrap(), "Continue");
        link.click().await.unwrap();
        wait_for_title(&page, "Verifier").await;
        let here = page.current_url().await.unwrap();
        assert!(here.as_str().starts_with(&verifier), "{here}");
        let asked: BTreeMap<String, String> = here.query_pairs().into_owned().collect();
        let text_signed = signed(&asked["text"]);
        let answer = [
            ("text", &asked["text"]),
            ("answer", &text_signed),
            ("to", &asked["to"]),
        ];
        let mut query = form_urlencoded::Serializer::new(String::new());
        let query = query.extend_pairs(answer).finish();
        let back = json!(format!("{}?{query}", asked["answer_to"]));
        let go = "location.href = arguments[0]";
        page.execute(go, vec![back]).await.unwrap();
        assert_eq!(text(&page, ".number").await, "2");
        page.close().await.unwrap();
    });
}

#[test]
fn the_challenge_fits_and_is_open_to_all_in_every_language() {
    the_challenge_fits_in_every_language(Looked::EachDirection);
}

pub(crate) fn the_challenge_fits_in_every_language(looked: Looked) {
    in_every_language(&house(), looked, "challenge", ("#text", "challenge"));
}

#[test]
fn the_way_to_the_verifier_fits_and_is_open_to_all_in_every_language() {
    the_way_to_the_verifier_fits_in_every_language(Looked::EachDirection);
}

pub(crate) fn the_way_to_the_verifier_fits_in_every_language(looked: Looked) {
    let house = house();
    house.set("verifier", "https://verify.shop.example/queue");
    in_every_language(&house, looked, "verifier", ("main a", "continue"));
}

/// The page of this name, with an element of it and the word there.
fn in_every_language(house: &House, looked: Looked, name: &str, said: (&str, &str)) {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 900)).await.unwrap();
        stays(&page).await;
        let url = house.wasm_side().edge.url();
        fit_and_are_open_to_all(&page, looked, &[(name, &url)], said).await;
        page.close().await.unwrap();
    });
}
