//! What rarely changes of what must hold in every browser: ways back, the language, and pages without scripts.

use fantoccini::Client;
use harness::browser::{Engine, Options};

use crate::browser::engines::{
    address, comes_in, length, press, run, site, tell_with, until, wait_until, with_worker,
};
use crate::browser::{text, wait_for_title};
use crate::house::House;

in_every_browser! {
    the_language_is_chosen_by_a_form_and_the_place_is_kept
    a_visitor_who_goes_back_and_forward_keeps_the_place
    a_worker_that_uses_the_browsers_own_answer_brings_the_page_a_number_and_in
}

async fn the_language_is_chosen_by_a_form_and_the_place_is_kept(house: &House, page: &Client) {
    site(house, "");
    page.goto(&address(house, "/sale")).await.unwrap();
    until(page, "document.querySelector('.number')").await;
    press(page, "#wish button").await;
    press(page, "button[value=de]").await;
    let german = now_serving::i18n::words("de");
    wait_for_title(page, german.text("heading")).await;
    assert_eq!(text(page, ".number").await, "2", "the same place");
    house.permit(2);
    wait_for_title(page, "The sale").await;
    assert_eq!(length(house), 2);
}

/// A page that a browser kept as it was goes on where it stood.
async fn a_visitor_who_goes_back_and_forward_keeps_the_place(house: &House, page: &Client) {
    site(house, "");
    page.goto(&address(house, "/")).await.unwrap();
    press(page, "#sale").await;
    until(page, "document.querySelector('.number')").await;
    run(page, "history.back()").await;
    wait_for_title(page, "The shop").await;
    run(page, "history.forward()").await;
    comes_in(house, page).await;
}

/// Navigation preload: the browser asks while the worker starts, as for a tab without a worker.
const PRELOADED: &str = "addEventListener('activate', event => event.waitUntil(registration.navigationPreload?.enable()))
    const answer = async event => await event.preloadResponse || fetch(event.request)
    addEventListener('fetch', event => event.respondWith(answer(event)))";

async fn a_worker_that_uses_the_browsers_own_answer_brings_the_page_a_number_and_in(
    house: &House,
    page: &Client,
) {
    with_worker(house, page, PRELOADED).await;
    comes_in(house, page).await;
}

#[test]
fn without_scripts_the_visitor_draws_and_is_let_in_by_every_browser() {
    for engine in [Engine::Chromium, Engine::Firefox, Engine::WebKit] {
        let options = Options::window(1280, 860).without_scripts();
        tell_with(engine, &options, async |house, page| {
            site(house, "");
            page.goto(&address(house, "/sale")).await.unwrap();
            wait_until("drawn", || length(house) == 2).await;
            house.permit(2);
            wait_until(&format!("in, with {}", engine.name()), || {
                let seen = house.wasm_side().origin.requests();
                // A browser asks for an icon besides.
                seen.iter().any(|request| request.target == "/sale")
            })
            .await;
            assert_eq!(length(house), 2);
        });
    }
}
