//! Invitations in a browser: by a link, and by the page without scripts.

use fantoccini::{Client, Locator};
use harness::browser::{Driver, Options};
use now_serving::i18n::LANGUAGES;
use serde_json::Value;

use super::languages::{Looked, fit_and_are_open_to_all};
use super::{LOOKUP_TIMEOUT, tell, text};
use crate::house::{House, Visitor};
use crate::stories::invitations::{invitation, uses};

/// A room with a line.
fn house() -> House {
    let house = House::wasm_shared();
    house.warm();
    house.set("invited_per_minute", "10");
    house.set("refresh_interval", "30");
    for _ in 0..2 {
        Visitor::new(&house).ask("/");
    }
    house
}

/// The visitor presses the button of the page on which a link ends, which says so and has no field.
pub(super) async fn press(page: &Client) {
    let button = page.wait().for_element(Locator::Css("form button"));
    let button = button.await.unwrap();
    let told = LANGUAGES.iter().find(|words| words.tag == "en").unwrap();
    assert_eq!(text(page, "#text").await, told.text("invitation_ready"));
    let field = "return document.forms[0].elements.invitation.type";
    assert_eq!(page.execute(field, vec![]).await.unwrap(), "hidden");
    button.click().await.unwrap();
}

/// The browser is let in and gets there.
pub(super) async fn is_let_in_at(page: &Client, url: &str) {
    let is_in = "return document.readyState === 'complete' && !document.querySelector('main') && location.href";
    let mut found = Value::Null;
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        found = page.execute(is_in, vec![]).await.unwrap_or_default();
        if found == url {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("let in at {found}, not at {url}")
}

#[test]
fn a_browser_opens_the_link_of_an_invitation_and_goes_in() {
    let house = house();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let url = house.wasm_side().edge.url();
        let url = url.trim_end_matches('/');
        let code = invitation(&house, "one", 2, 3600);
        for (link, used) in [
            ("/echo?a=b#invitation=", "1"),
            ("/echo?a=b&invitation=", "2"),
        ] {
            page.goto(&format!("{url}{link}{code}")).await.unwrap();
            // What only opens a link, with scripts and for a while, uses nothing up.
            tokio::time::sleep(std::time::Duration::from_secs(4)).await;
            let before = (used != "1").then_some("1");
            assert_eq!(uses(&house, "one").as_deref(), before, "{link}");
            press(&page).await;
            // Without the code.
            is_let_in_at(&page, &format!("{url}/echo?a=b")).await;
            assert_eq!(uses(&house, "one").as_deref(), Some(used));
            page.delete_all_cookies().await.unwrap();
        }
        let again = format!("{url}/shop#invitation={code}");
        page.goto(&again).await.unwrap();
        press(&page).await;
        page.wait()
            .for_element(Locator::Css("#notice"))
            .await
            .unwrap();
        assert_eq!(
            text(&page, "#notice").await,
            "Your invitation has already been used."
        );
        page.close().await.unwrap();
    });
}

#[test]
fn the_page_that_takes_an_invitation_fits_and_is_open_to_all_in_every_language() {
    the_page_that_takes_an_invitation_fits_in_every_language(Looked::EachDirection);
}

pub(crate) fn the_page_that_takes_an_invitation_fits_in_every_language(looked: Looked) {
    let house = house();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 900)).await.unwrap();
        let url = house.wasm_side().edge.url();
        let url = url.trim_end_matches('/');
        let to = format!("{url}/_queue/invitation?to=/echo");
        let by_link = format!("{to}&by=link#invitation=a.b.c");
        let pages = [
            ("invitation", to.as_str()),
            ("invitation-button", by_link.as_str()),
        ];
        fit_and_are_open_to_all(&page, looked, &pages, ("h1", "invitation")).await;
        page.close().await.unwrap();
    });
}
