//! Pages of another site, and what a real browser sends for them: 127.0.0.1 and localhost are two sites.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};

use fantoccini::{Client, Locator};
use harness::browser::{Driver, Options};

use super::{LOOKUP_TIMEOUT, tell, text, wait_for_title};
use crate::house::{ANY_PORT, Ask, House, Visitor};

/// A site that answers every path with this page, for as long as the tests run.
pub(super) fn site(page: String) -> String {
    let listener = TcpListener::bind(ANY_PORT).unwrap();
    let addr: SocketAddr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let mut lines = BufReader::new(&socket).lines();
            while lines
                .next()
                .is_some_and(|line| line.is_ok_and(|line| !line.is_empty()))
            {}
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                page.len()
            );
            // A client that has left needs no answer.
            let _ = (&socket).write_all((head + &page).as_bytes());
        }
    });
    format!("http://localhost:{}/", addr.port())
}

/// A bank's page that posts a form as soon as it is loaded.
fn bank(shop: &str) -> String {
    site(format!(
        "<!doctype html><title>Bank</title><form method=post action='{shop}/echo'>\
         <input name=paid value=1></form><script>document.forms[0].submit()</script>"
    ))
}

/// The bank's form got no further. What the page says of it stands for three seconds, and then the line does.
const STOPPED: &str = "/One moment, please|You’re in line/.test(document.title)";

fn house() -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    house.warm();
    house
}

fn length(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["length"].as_u64().unwrap()
}

async fn open(house: &House, driver: &Driver) -> Client {
    let page = driver.open(&Options::window(1280, 860)).await.unwrap();
    page.goto(&house.wasm_side().edge.url()).await.unwrap();
    page
}

async fn until(page: &Client, expression: &str) {
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        let script = format!("return !!({expression})");
        if page
            .execute(&script, vec![])
            .await
            .is_ok_and(|value| value == true)
        {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let body = page.find(Locator::Css("body")).await.unwrap().text().await;
    panic!("never true: {expression}: {body:?}");
}

/// What the origin was sent by POST.
fn posted(house: &House) -> usize {
    let seen = house.wasm_side().origin.requests();
    seen.iter()
        .filter(|request| request.method == "POST")
        .count()
}

#[test]
fn a_form_of_another_site_takes_no_place_away() {
    let house = house();
    Visitor::new(&house).ask("/");
    let bank = bank(&house.wasm_side().edge.url());
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        assert_eq!(text(&page, ".number").await, "2");
        for scripts in [true, false] {
            page.goto(&bank).await.unwrap();
            until(&page, STOPPED).await;
            harness::browser::run_scripts(&page, scripts).await.unwrap();
            wait_for_title(&page, "You’re in line").await;
            assert_eq!(text(&page, ".number").await, "2", "scripts: {scripts}");
            harness::browser::run_scripts(&page, true).await.unwrap();
        }
        assert_eq!((length(&house), posted(&house)), (2, 0));
        page.close().await.unwrap();
    });
}

#[test]
fn a_form_of_another_site_reaches_the_origin_for_a_visitor_inside() {
    let house = house();
    let bank = bank(&house.wasm_side().edge.url());
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        house.permit(1);
        wait_for_title(&page, "The Ember Cup").await;
        page.goto(&bank).await.unwrap();
        until(&page, "document.body.textContent.includes('\"method\":\"POST\"') || document.body.textContent.includes('\"method\": \"POST\"')").await;
        assert_eq!((length(&house), posted(&house)), (1, 1));
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        wait_for_title(&page, "The Ember Cup").await;

        // Back in the line, the twin has ended with the ticket.
        house.change("epoch", &house.word());
        house.forget_the_sign();
        page.goto(&house.wasm_side().edge.url()).await.unwrap();
        wait_for_title(&page, "You’re in line").await;
        page.goto(&bank).await.unwrap();
        until(&page, STOPPED).await;
        wait_for_title(&page, "You’re in line").await;
        assert_eq!((length(&house), posted(&house)), (2, 1));
        page.close().await.unwrap();
    });
}

#[test]
fn what_another_sites_page_loads_draws_nothing_and_replaces_nothing() {
    let house = house();
    Visitor::new(&house).ask("/");
    let shop = house.wasm_side().edge.url();
    let picture = |number: u8| format!("<img src='{shop}/p/{number}'>");
    let pictures = (0..30).map(picture).collect::<Vec<_>>().concat();
    let page_of_pictures = site(format!(
        "<!doctype html><title>Loading</title>{pictures}<iframe src='{shop}/framed'></iframe><script>\
         const sent = [];\
         for (let i = 0; i < 20; i++) {{\
           sent.push(fetch('{shop}/f' + i, {{ mode: 'no-cors', credentials: 'include' }}));\
           sent.push(fetch('{shop}/c' + i, {{ credentials: 'include' }}));\
           sent.push(fetch('{shop}/n' + i, {{ mode: 'no-cors', method: 'POST', body: 'a=b' }}));\
         }}\
         sent.push(fetch('{shop}/_queue/cookies?try=1&to=/', {{ mode: 'no-cors', credentials: 'include' }}));\
         addEventListener('load', () => Promise.allSettled(sent).then(() => {{ document.title = 'All sent' }}))\
         </script>"
    ));
    let driver = Driver::start().unwrap();
    tell(async {
        let page = open(&house, &driver).await;
        assert_eq!(text(&page, ".number").await, "2");
        let ticket = page.get_named_cookie("queue").await.unwrap();
        let ticket = ticket.value().to_owned();
        page.goto(&page_of_pictures).await.unwrap();
        wait_for_title(&page, "All sent").await;
        page.goto(&shop).await.unwrap();
        assert_eq!(text(&page, ".number").await, "2");
        let after = page.get_named_cookie("queue").await.unwrap();
        assert_eq!(after.value(), ticket);
        assert_eq!((length(&house), posted(&house)), (2, 0));
        page.close().await.unwrap();
    });
}
