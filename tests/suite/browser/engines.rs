//! What must hold in every browser, in Chromium, Firefox and `WebKit`: each visitor gets the page, a number, and in.
//!
//! The rest is in `long/engines.rs`.

use std::fs;
use std::io::{self, Write};

use fantoccini::actions::{InputSource, MouseActions, PointerAction};
use fantoccini::{Client, Locator};
use harness::browser::{Driver, Engine, Options};
use harness::tools;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use super::{LOOKUP_TIMEOUT, tell, text, wait_for_title};
use crate::house::{Ask, House, Visitor};

in_every_browser! {
    a_first_contact_gets_the_page_a_number_and_in
    what_is_posted_in_line_goes_nowhere_and_inside_to_the_origin
    a_worker_that_forwards_brings_the_page_a_number_and_in
    a_worker_that_looks_into_its_cache_first_brings_the_page_a_number_and_in
    a_worker_that_answers_polls_from_its_cache_keeps_no_visitor_in_line
    a_worker_that_asks_by_address_alone_brings_the_visitor_in
    a_link_of_turbo_draws_when_it_is_pressed_and_not_before
    a_visitor_who_goes_back_from_the_line_to_a_page_of_turbo_sees_it
    a_page_that_turbo_puts_in_the_place_of_the_line_is_left_alone
}

/// Tells a story in this browser, or says in a line that it is not there. In the line another visitor is first.
pub(crate) fn tell_in(engine: Engine, story: impl AsyncFnOnce(&House, &Client)) {
    tell_with(engine, &Options::window(1280, 860), story);
}

/// The same in a browser that is opened with these.
pub(crate) fn tell_with(
    engine: Engine,
    options: &Options,
    story: impl AsyncFnOnce(&House, &Client),
) {
    // Chromium is asked for by every other test of this tier.
    if engine != Engine::Chromium
        && let Err(reason) = engine.found()
    {
        // Seen whether or not the test passes.
        let line = format!("{reason} So no story was told in {}.\n", engine.name());
        io::stderr().write_all(line.as_bytes()).unwrap();
        return;
    }
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.warm();
    Visitor::new(&house).ask("/sale");
    let driver = Driver::start_for(engine).unwrap();
    tell(async {
        let page = driver.open(options).await.unwrap();
        story(&house, &page).await;
        page.close().await.unwrap();
    });
}

/// Waits until something is so.
pub(crate) async fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        if is_so() {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("never: {what}");
}

/// The address of a path behind the waiting room.
pub(crate) fn address(house: &House, path: &str) -> String {
    format!("{}{path}", house.wasm_side().edge.url())
}

/// How many numbers were drawn.
pub(crate) fn length(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["length"].as_u64().unwrap()
}

/// What a script on the page answers.
pub(crate) async fn run(page: &Client, script: &str) -> Value {
    page.execute(script, vec![]).await.unwrap()
}

/// Waits until an expression of the page's is true.
pub(crate) async fn until(page: &Client, expression: &str) {
    let script = format!("return !!({expression})");
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let found = page.execute(&script, vec![]).await;
        if found.is_ok_and(|found| found == true) {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("never true: {expression}: {}", shown(page).await);
}

/// The page as it stands, for who reads why a test failed.
async fn shown(page: &Client) -> String {
    let url = page.current_url().await;
    format!("{url:?} {:?}", page.source().await)
}

pub(crate) async fn press(page: &Client, selector: &str) {
    let element = page.wait().at_most(LOOKUP_TIMEOUT);
    let element = element.for_element(Locator::Css(selector)).await.unwrap();
    element.click().await.unwrap();
}

/// The visitor has the second number, and is let in: the page that was asked for comes by itself, and no other number was
/// drawn.
pub(crate) async fn comes_in(house: &House, page: &Client) {
    until(page, "document.querySelector('.number')").await;
    assert_eq!(text(page, ".number").await, "2");
    assert_eq!(text(page, "#line").await, "There is 1 person ahead of you.");
    house.permit(2);
    wait_for_title(page, "The sale").await;
    assert_eq!(length(house), 2);
}

/// A site whose pages are open, but for the sale. All have this in their heads.
pub(crate) fn site(house: &House, head: &str) {
    house.set("protected_paths", "/sale");
    let origin = &house.wasm_side().origin;
    for (path, title) in [("/", "The shop"), ("/sale", "The sale")] {
        let page = format!(
            "<!doctype html><html lang=en><head><title>{title}</title>{head}</head>\
             <body><h1>{title}</h1><a id=sale href=/sale>The sale</a></body></html>"
        );
        origin.show(path, "text/html; charset=utf-8", page);
    }
}

async fn a_first_contact_gets_the_page_a_number_and_in(house: &House, page: &Client) {
    site(house, "");
    page.goto(&address(house, "/sale")).await.unwrap();
    comes_in(house, page).await;
    assert_eq!(
        page.current_url().await.unwrap().as_str(),
        address(house, "/sale")
    );
}

/// Posts a form of the page's.
const POST: &str = "const form = document.createElement('form')
    form.method = 'post', form.action = arguments[0]
    document.body.append(form), form.submit()";

fn posted(house: &House) -> usize {
    let seen = house.wasm_side().origin.requests();
    let posts = seen.iter().filter(|request| request.method == "POST");
    posts.count()
}

async fn what_is_posted_in_line_goes_nowhere_and_inside_to_the_origin(
    house: &House,
    page: &Client,
) {
    site(house, "");
    page.goto(&address(house, "/sale")).await.unwrap();
    until(page, "document.querySelector('.number')").await;
    page.execute(POST, vec![json!("/sale")]).await.unwrap();
    until(page, "document.body.textContent.includes('go through')").await;
    comes_in(house, page).await;
    assert_eq!(posted(house), 0);
    page.execute(POST, vec![json!("/sale")]).await.unwrap();
    wait_until("posted", || posted(house) == 1).await;
}

/// What the site's pages do to have a worker.
const REGISTER: &str = "<script>navigator.serviceWorker.register('/worker.js')</script>";

/// What every worker here does: it is there at once, also for the page that brought it.
const AT_ONCE: &str = "addEventListener('install', () => skipWaiting())
    addEventListener('activate', event => event.waitUntil(clients.claim()))\n";

const FORWARDS: &str =
    "addEventListener('fetch', event => event.respondWith(fetch(event.request)))";

/// It keeps whatever was good, and knows it by its path.
const CACHE_FIRST: &str = "const answer = async request => {
        const cache = await caches.open('site')
        const kept = await cache.match(request, { ignoreSearch: true })
        if (kept) return kept
        const fresh = await fetch(request)
        if (fresh.ok && request.method === 'GET') await cache.put(request, fresh.clone())
        return fresh
    }
    addEventListener('fetch', event => event.respondWith(answer(event.request)))";

/// Nothing of what a tab says of itself goes along but its cookies.
const BY_ADDRESS: &str =
    "addEventListener('fetch', event => event.respondWith(fetch(event.request.url)))";

/// A visitor of the shop, which has a worker by then, goes to the sale.
pub(crate) async fn with_worker(house: &House, page: &Client, worker: &str) {
    site(house, REGISTER);
    let origin = &house.wasm_side().origin;
    origin.show(
        "/worker.js",
        "text/javascript",
        format!("{AT_ONCE}{worker}"),
    );
    page.goto(&address(house, "/")).await.unwrap();
    until(page, "navigator.serviceWorker.controller").await;
    press(page, "#sale").await;
}

async fn a_worker_that_forwards_brings_the_page_a_number_and_in(house: &House, page: &Client) {
    with_worker(house, page, FORWARDS).await;
    comes_in(house, page).await;
    let controlled = "return !!navigator.serviceWorker.controller";
    assert_eq!(run(page, controlled).await, true);
}

async fn a_worker_that_looks_into_its_cache_first_brings_the_page_a_number_and_in(
    house: &House,
    page: &Client,
) {
    with_worker(house, page, CACHE_FIRST).await;
    comes_in(house, page).await;
}

/// No other visitor waits, so the page has a number at once, and the first poll is good for the worker's cache.
async fn a_worker_that_answers_polls_from_its_cache_keeps_no_visitor_in_line(
    house: &House,
    page: &Client,
) {
    house.permit(1);
    sleep(Duration::from_secs(3)).await;
    with_worker(house, page, CACHE_FIRST).await;
    until(page, "document.querySelector('.number')").await;
    assert_eq!(text(page, "#line").await, "You’re next.");
    until(page, "performance.getEntriesByType('resource').length > 1").await;
    house.permit(1);
    wait_for_title(page, "The sale").await;
    assert_eq!(length(house), 2);
}

/// What it gets is JSON, since its requests are those of a script that names nothing. A tab obeys its `Refresh`.
async fn a_worker_that_asks_by_address_alone_brings_the_visitor_in(house: &House, page: &Client) {
    with_worker(house, page, BY_ADDRESS).await;
    wait_until("drawn", || length(house) == 2).await;
    house.permit(2);
    wait_for_title(page, "The sale").await;
    assert_eq!(length(house), 2);
}

/// Opens the shop, whose pages Turbo exchanges in one document.
async fn open_with_turbo(house: &House, page: &Client) {
    site(house, "<script src=/turbo.js defer></script>");
    let turbo = fs::read_to_string(tools::turbo().unwrap()).unwrap();
    let origin = &house.wasm_side().origin;
    origin.show("/turbo.js", "text/javascript", turbo);
    page.goto(&address(house, "/")).await.unwrap();
    until(page, "window.Turbo").await;
}

async fn a_link_of_turbo_draws_when_it_is_pressed_and_not_before(house: &House, page: &Client) {
    open_with_turbo(house, page).await;
    let watch = "window.guessed = 0
        addEventListener('turbo:before-prefetch', () => window.guessed++)";
    run(page, watch).await;
    let link = page.find(Locator::Css("#sale")).await.unwrap();
    let over = PointerAction::MoveToElement {
        element: link.clone(),
        duration: None,
        x: 0.,
        y: 0.,
    };
    let mouse = MouseActions::new("mouse".to_owned()).then(over);
    page.perform_actions(mouse).await.unwrap();
    until(page, "window.guessed").await;
    sleep(Duration::from_millis(500)).await;
    assert_eq!(length(house), 1, "for a link that is only seen");
    link.click().await.unwrap();
    comes_in(house, page).await;
}

/// The first page has no number yet and loads itself anew, without Turbo. To the browser it is still one document with the
/// page before.
async fn a_visitor_who_goes_back_from_the_line_to_a_page_of_turbo_sees_it(
    house: &House,
    page: &Client,
) {
    open_with_turbo(house, page).await;
    press(page, "#sale").await;
    until(page, "document.querySelector('.number') && !window.Turbo").await;
    run(page, "history.back()").await;
    wait_for_title(page, "The shop").await;
    press(page, "#sale").await;
    comes_in(house, page).await;
}

/// Turbo leaves the scripts of the page before running: the waiting page's has nothing to do with the page that comes. No other
/// visitor waits, so the page has a number at once, and stays in the document.
async fn a_page_that_turbo_puts_in_the_place_of_the_line_is_left_alone(
    house: &House,
    page: &Client,
) {
    open_with_turbo(house, page).await;
    house.permit(1);
    sleep(Duration::from_secs(3)).await;
    run(page, "window.kept = true").await;
    press(page, "#sale").await;
    until(page, "document.querySelector('.number')").await;
    assert_eq!(run(page, "return window.kept").await, true);
    run(page, "history.back()").await;
    wait_for_title(page, "The shop").await;
    sleep(Duration::from_secs(6)).await;
    house.permit(1);
    sleep(Duration::from_secs(2)).await;
    run(page, "location.hash = 'part'").await;
    sleep(Duration::from_secs(2)).await;
    let now = run(page, "return [document.title, window.kept]").await;
    assert_eq!(now, json!(["The shop", true]), "not loaded anew");
    press(page, "#sale").await;
    wait_for_title(page, "The sale").await;
    assert_eq!(length(house), 2);
}
