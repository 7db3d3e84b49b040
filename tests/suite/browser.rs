//! A real browser: Chromium without a window, driven through its own driver.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use dev::process::Group;
use dev::tools;
use fantoccini::wd::Capabilities;
use fantoccini::{Client, ClientBuilder, Locator};
use serde_json::json;

use crate::house::{House, PASSWORD};

const PATIENCE: Duration = Duration::from_secs(30);

/// The driver; it and every browser it started end with it.
struct Driver {
    _group: Group,
    url: String,
}

impl Driver {
    fn start() -> Self {
        let mut group = Group::start(
            Command::new(tools::chromedriver().unwrap())
                .arg("--port=0")
                .stdout(Stdio::piped()),
        )
        .unwrap();
        let (found, port) = mpsc::channel();
        group.follow(move |line| {
            if let Some((_, rest)) = line.split_once("started successfully on port ") {
                let _ = found.send(rest.trim_end_matches('.').to_owned());
            }
        });
        let port = port.recv_timeout(PATIENCE).unwrap();
        Self {
            _group: group,
            url: format!("http://127.0.0.1:{port}"),
        }
    }

    /// A new browser with a window of that size and a profile of its own.
    async fn browser(&self, width: u32, height: u32) -> Client {
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
        ];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).into();
        arguments.push(format!("--window-size={width},{height}"));
        let options = json!({ "args": arguments, "binary": tools::chromium().unwrap() });
        let capabilities = Capabilities::from_iter([("goog:chromeOptions".to_owned(), options)]);
        ClientBuilder::new(hyper_util::client::legacy::connect::HttpConnector::new())
            .capabilities(capabilities)
            .connect(&self.url)
            .await
            .unwrap()
    }
}

async fn text(browser: &Client, selector: &str) -> String {
    browser
        .wait()
        .at_most(PATIENCE)
        .for_element(Locator::Css(selector))
        .await
        .unwrap()
        .text()
        .await
        .unwrap()
}

/// Where the pictures of a journey are left to be looked at.
async fn picture(browser: &Client, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    fs::create_dir_all(&folder).unwrap();
    fs::write(
        folder.join(format!("{name}.png")),
        browser.screenshot().await.unwrap(),
    )
    .unwrap();
}

/// What the page loaded besides itself.
async fn loaded(browser: &Client) -> serde_json::Value {
    browser
        .execute(
            "return performance.getEntriesByType('resource').map(entry => entry.name)",
            vec![],
        )
        .await
        .unwrap()
}

async fn wait_for_title(browser: &Client, part: &str) {
    for _ in 0..PATIENCE.as_secs() * 10 {
        if browser
            .title()
            .await
            .is_ok_and(|title| title.contains(part))
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!(
        "no page with {part:?} in its title: {:?}",
        browser.title().await
    );
}

#[test]
fn browser_a_visitor_is_let_in_by_the_operators_button_and_lands_in_the_shop() {
    let house = House::wasm();
    house.set("refresh_interval", "1");
    crate::house::Visitor::new(&house).ask("/");
    let driver = Driver::start();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let visitor = driver.browser(1280, 860).await;
        let operator = driver.browser(1280, 860).await;
        visitor.goto(&house.wasm_side().edge.url()).await.unwrap();
        assert_eq!(text(&visitor, ".number").await, "2");
        assert_eq!(
            text(&visitor, ".ahead").await,
            "There is 1 person ahead of you."
        );
        assert_eq!(
            loaded(&visitor).await,
            json!([]),
            "nothing but the page itself"
        );
        picture(&visitor, "waiting").await;
        let panel = house
            .wasm_side()
            .edge
            .url()
            .replace("http://", &format!("http://admin:{PASSWORD}@"));
        operator.goto(&format!("{panel}/_queue")).await.unwrap();
        assert_eq!(text(&operator, "#waiting").await, "2");
        picture(&operator, "panel").await;
        let amount = operator.find(Locator::Css("#amt")).await.unwrap();
        amount.clear().await.unwrap();
        amount.send_keys("2").await.unwrap();
        operator
            .find(Locator::Css("button"))
            .await
            .unwrap()
            .click()
            .await
            .unwrap();
        assert_eq!(text(&operator, ".news").await, "Let in: 2.");
        assert_eq!(text(&operator, "#waiting").await, "0");
        picture(&operator, "panel-after").await;
        wait_for_title(&visitor, "The Ember Cup").await;
        picture(&visitor, "shop").await;
        visitor.close().await.unwrap();
        operator.close().await.unwrap();
    });
}
