//! The browser does what the stories ask of it: a story about a visitor without cookies means nothing with cookies.

use fantoccini::Client;
use harness::browser::{self, Driver, Options, Request};
use serde_json::{Value, json};

use super::tell;
use crate::house::House;

const SET_A_COOKIE: &str = "(document.cookie = 'a=b', document.cookie)";

async fn look(page: &Client, expression: &str) -> Value {
    page.execute(&format!("return {expression}"), vec![])
        .await
        .unwrap()
}

#[test]
fn refuses_cookies_speaks_a_language_and_tells_every_request_when_told_to() {
    let house = House::wasm_shared();
    let url = house.wasm_side().edge.url();
    let driver = Driver::start().unwrap();
    tell(async {
        let options = Options::window(800, 600)
            .without_cookies()
            .reading("de-CH,fr")
            .recording_requests();
        let page = driver.open(&options).await.unwrap();
        for _ in 0..2 {
            page.goto(&format!("{url}/a?b=c")).await.unwrap();
        }
        let way = "/_queue/cookies?try=1&to=%2Fa%3Fb%3Dc";
        assert_eq!(
            page.current_url().await.unwrap().as_str(),
            format!("{url}{way}"),
            "asked for a ticket, since the first one was refused"
        );
        assert_eq!(look(&page, SET_A_COOKIE).await, "");
        page.goto(&format!("{url}/robots.txt")).await.unwrap();
        let seen = house.wasm_side().origin.requests().pop().unwrap();
        let accepted = seen
            .headers
            .iter()
            .find(|(name, _)| name == "accept-language");
        let accepted = String::from_utf8_lossy(&accepted.unwrap().1).into_owned();
        assert!(accepted.starts_with("de-CH,"), "{accepted}");
        let get = |path: &str| Request {
            method: "GET".to_owned(),
            url: format!("{url}{path}"),
        };
        let expected = [get("/a?b=c"), get("/a?b=c"), get(way)];
        // The browser looks for an icon of the origin's file when it finds the time.
        let told = browser::requests(&page).await.unwrap();
        assert!(told.starts_with(&expected), "{told:?}");
        assert!(told.contains(&get("/robots.txt")), "{told:?}");
        let again = browser::requests(&page).await.unwrap();
        assert!(
            again.iter().all(|request| !expected.contains(request)),
            "each once: {again:?}"
        );
        page.close().await.unwrap();
    });
}

#[test]
fn is_narrow_dark_calm_offline_or_without_scripts_when_told_to() {
    let house = House::wasm_shared();
    let robots = format!("{}/robots.txt", house.wasm_side().edge.url());
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        page.goto(&robots).await.unwrap();
        assert_eq!(look(&page, SET_A_COOKIE).await, "a=b");
        let dark = "matchMedia('(prefers-color-scheme: dark)').matches";
        let calm = "matchMedia('(prefers-reduced-motion: reduce)').matches";
        let all = format!("[innerWidth, {dark}, {calm}]");
        assert_eq!(look(&page, &all).await, json!([1280, false, false]));
        browser::resize(&page, 320, 640).await.unwrap();
        let features = [
            ("prefers-color-scheme", "dark"),
            ("prefers-reduced-motion", "reduce"),
        ];
        browser::prefer(&page, &features).await.unwrap();
        page.refresh().await.unwrap();
        assert_eq!(look(&page, &all).await, json!([320, true, true]));

        browser::connect(&page, false).await.unwrap();
        assert!(page.goto(&robots).await.is_err(), "offline");
        browser::connect(&page, true).await.unwrap();
        page.goto(&robots).await.unwrap();

        let scripted =
            "data:text/html,<title>as sent</title><script>document.title='changed'</script>";
        page.goto(scripted).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "changed");
        browser::run_scripts(&page, false).await.unwrap();
        page.goto(scripted).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "as sent");
        browser::run_scripts(&page, true).await.unwrap();
        page.goto(scripted).await.unwrap();
        assert_eq!(page.title().await.unwrap(), "changed");

        let wrong = browser::cdp(&page, "Emulation.unheardOf", json!({})).await;
        assert!(wrong.is_err_and(|error| error.contains("Emulation.unheardOf")));
        page.close().await.unwrap();
    });
}
