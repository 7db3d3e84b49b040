//! The panel on a host of its own: a browser keeps it apart from the shop's pages.

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use upstash_local::{Fault, Faults};

use super::axe::assert_open_to_all;
use super::panel::{press, wait_for};
use super::{picture, tell, text};
use crate::house::{Ask, House, PASSWORD, Visitor};

/// To a browser `localhost` and `127.0.0.1` are two sites, and both are this machine.
const HOST: &str = "localhost";

fn there(house: &House, path: &str, login: &str) -> String {
    let shop = house.wasm_side().edge.url();
    let (_, port) = shop.rsplit_once(':').unwrap();
    format!("http://{login}{HOST}:{port}{path}")
}

fn mode(house: &House) -> String {
    let asked = Ask::get("/_queue/status").with("host", HOST).operator();
    let status = house.ask(&asked).json();
    status["mode"].as_str().unwrap().to_owned()
}

/// On a phone and on a desk, light and dark.
async fn pictures(page: &Client, name: &str) {
    for (width, height) in [(360, 3400), (1280, 1500)] {
        browser::resize(page, width, height).await.unwrap();
        for scheme in ["light", "dark"] {
            let preferred = ("prefers-color-scheme", scheme);
            browser::prefer(page, &[preferred]).await.unwrap();
            let fits = "document.documentElement.scrollWidth <= innerWidth";
            wait_for(page, fits).await;
            assert_open_to_all(page, &format!("{name}, {width}, {scheme}")).await;
            picture(page, &format!("{name}-{width}-{scheme}")).await;
        }
    }
}

#[test]
fn a_panel_on_a_host_of_its_own_works_there_and_no_page_of_the_shop_presses_its_buttons() {
    let house = House::wasm_shared();
    house.set("admin_host", HOST);
    Visitor::new(&house).ask("/");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let login = format!("admin:{PASSWORD}@");
        page.goto(&there(&house, "/", &login)).await.unwrap();
        assert_eq!(text(&page, "#waiting").await, "1", "/ leads to the panel");
        pictures(&page, "panel-own-host").await;
        press(&page, "mode-hold").await;
        assert_eq!(text(&page, "#news").await, "The mode is set to hold.");
        assert_eq!(mode(&house), "hold");
        // A page of the shop without a policy of its own.
        let shop = format!("{}/robots.txt", house.wasm_side().edge.url());
        page.goto(&shop).await.unwrap();
        let url = there(&house, "/_queue/mode", "");
        let attack = format!(
            "const done = arguments[0]; fetch('{url}', {{ method: 'POST', mode: 'no-cors', credentials: 'include', \
             headers: {{ 'content-type': 'application/x-www-form-urlencoded' }}, body: 'mode=closed' }}) \
             .then(answer => done(answer.type), error => done(String(error)))"
        );
        let answered = page.execute_async(&attack, vec![]).await.unwrap();
        assert_eq!(answered, "opaque", "the shop's page reads nothing");
        assert_eq!(mode(&house), "hold", "and changes nothing");
        let refused = |line: &serde_json::Value| {
            let is_mode = line["requestUrl"].as_str().unwrap().ends_with("/mode");
            is_mode && line["reason"] == "unauthorized"
        };
        let refused = house.log_where(refused);
        assert!(!refused.is_empty(), "it did reach the edge");
        house.store.fail(Faults::always(Fault::Unauthorized));
        page.goto(&there(&house, "/_queue", &login)).await.unwrap();
        pictures(&page, "panel-down").await;
        page.close().await.unwrap();
    });
}
