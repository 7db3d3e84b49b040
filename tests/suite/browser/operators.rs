//! Every button of the panel, and what a visitor in another browser sees of it.

use fantoccini::{Client, Locator};
use harness::browser::{self, Driver, Options};
use harness::origin::Seen;
use tokio::time::sleep;

use super::axe::assert_open_to_all;
use super::panel::{click, fill};
use super::{LOOKUP_TIMEOUT, panel, tell, wait_for_title};
use crate::house::{House, PASSWORD, Visitor};

const TENTH: std::time::Duration = std::time::Duration::from_millis(100);

/// Waits until an element's text has this in it, without any script of the page.
async fn says(page: &Client, selector: &str, part: &str) {
    let mut last = String::new();
    for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
        if let Ok(element) = page.find(Locator::Css(selector)).await {
            last = element
                .text()
                .await
                .unwrap_or_else(|error| error.to_string());
            if last.contains(part) {
                return;
            }
        }
        sleep(TENTH).await;
    }
    panic!("{selector} never says {part:?}, but {last:?}");
}

/// An operator at the panel of a house, and a visitor who waits in front of it.
struct Room<'a> {
    house: &'a House,
    operator: Client,
    visitor: Client,
    /// Whether the operator's browser runs scripts.
    scripts: bool,
}

impl Room<'_> {
    /// Presses a button of the panel, and reads what it did.
    async fn press(&self, button: &str, news: &str) {
        click(&self.operator, button).await;
        says(&self.operator, "#news", news).await;
    }

    /// The same, with a question in between.
    async fn press_and_be_asked(
        &self,
        button: &str,
        question: &str,
        word: Option<&str>,
        news: &str,
    ) {
        click(&self.operator, button).await;
        says(&self.operator, "#question", question).await;
        let dialogs = self.operator.find_all(Locator::Css("dialog[open]")).await;
        assert_eq!(dialogs.unwrap().len() == 1, self.scripts, "{question}");
        self.is_open_to_all(question).await;
        if let Some(word) = word {
            fill(&self.operator, "#word", word).await;
        }
        self.press("#yes", news).await;
    }

    /// What looks for barriers is a script itself.
    async fn is_open_to_all(&self, state: &str) {
        browser::run_scripts(&self.operator, true).await.unwrap();
        assert_open_to_all(&self.operator, state).await;
        browser::run_scripts(&self.operator, self.scripts)
            .await
            .unwrap();
    }

    /// The visitor comes as somebody new.
    async fn comes(&self) {
        self.visitor.delete_all_cookies().await.unwrap();
        self.goes_home().await;
    }

    async fn goes_home(&self) {
        let home = self.house.wasm_side().edge.url();
        self.visitor.goto(&home).await.unwrap();
    }

    async fn tells_waiting_visitors(&self) {
        fill(&self.operator, "#message-text", "Doors at ten").await;
        self.press("#message", "The message is set").await;
        says(&self.visitor, "#message", "Doors at ten").await;
        self.press("#message-back", "The message is the configured one again")
            .await;
        let gone = "return document.getElementById('message').textContent === ''";
        for _ in 0..LOOKUP_TIMEOUT.as_secs() * 10 {
            let is_gone = self.visitor.execute(gone, vec![]).await;
            if is_gone.is_ok_and(|gone| gone == true) {
                return;
            }
            sleep(TENTH).await;
        }
        panic!("the message stays");
    }

    async fn holds_and_closes(&self) {
        self.press("#mode-hold", "The mode is set").await;
        says(&self.visitor, "#headline", "Entry is paused").await;
        self.press("#mode-closed", "The mode is set").await;
        says(&self.visitor, "#heading", "Closed for now").await;
        says(&self.visitor, ".number", "3").await;
        self.press("#mode-automatic", "The mode is set").await;
        says(&self.visitor, "#heading", "You’re in line").await;
    }

    async fn lets_in(&self) {
        says(&self.visitor, "#line", "There are 2 people ahead of you.").await;
        fill(&self.operator, "#amt", "1").await;
        self.press("#let-in", "Let in: 1.").await;
        says(&self.visitor, "#line", "There is 1 person ahead of you.").await;
        fill(&self.operator, "#quantity", "2").await;
        fill(&self.operator, "#automatic", "2").await;
        self.press("#pace", "The pace is set").await;
        wait_for_title(&self.visitor, "The Ember Cup").await;
        self.press("#pace-back", "The pace is set").await;
        says(&self.operator, "#pace-now", "off").await;
    }

    async fn takes_back_credit(&self) {
        fill(&self.operator, "#amt", "5").await;
        self.press("#let-in", "Let in: 0 of 5").await;
        says(&self.operator, "#credit", "5").await;
        click(&self.operator, "#danger summary").await;
        let news = "Credit for 5 people is cleared";
        self.press_and_be_asked("#clear-credit", "Clear the credit?", None, news)
            .await;
        self.comes().await;
        says(&self.visitor, "#line", "You’re next.").await;
    }

    async fn opens(&self) {
        let news = "1 person went in";
        self.press_and_be_asked("#mode-open", "Open the room?", None, news)
            .await;
        wait_for_title(&self.visitor, "The Ember Cup").await;
        self.comes().await;
        wait_for_title(&self.visitor, "The Ember Cup").await;
        self.press("#mode-automatic", "The mode is set").await;
    }

    async fn ends_all_tickets(&self) {
        click(&self.operator, "#danger summary").await;
        let news = "All tickets have ended";
        self.press_and_be_asked("#epoch", "End all tickets?", Some(self.house.room()), news)
            .await;
        self.house.forget_the_sign();
        self.goes_home().await;
        says(&self.visitor, "#heading", "You’re in line").await;
        says(&self.visitor, "#line", "You’re next.").await;
    }

    async fn tries_a_ticket(&self) {
        let home = self.house.wasm_side().edge.url();
        self.press("#draw", "This browser holds test ticket").await;
        self.operator.goto(&home).await.unwrap();
        says(&self.operator, "#line", "There is 1 person ahead of you.").await;
        self.operator.goto(&panel(self.house)).await.unwrap();
        self.press("#jump", "and is let in").await;
        self.operator.goto(&home).await.unwrap();
        wait_for_title(&self.operator, "The Ember Cup").await;
        self.operator.goto(&panel(self.house)).await.unwrap();
        self.press("#forget", "holds no ticket any more").await;
        says(&self.visitor, "#line", "You’re next.").await;
    }
}

/// The visitor's browser has scripts; the operator's may have none.
async fn every_button(house: &House, width: u32, scripts: bool) {
    let driver = Driver::start().unwrap();
    let window = Options::window(1280, 860);
    let [operator, visitor] = [
        driver.open(&window).await.unwrap(),
        driver.open(&window).await.unwrap(),
    ];
    browser::resize(&operator, width, 860).await.unwrap();
    browser::run_scripts(&operator, scripts).await.unwrap();
    let room = Room {
        house,
        operator,
        visitor,
        scripts,
    };
    room.goes_home().await;
    room.operator.goto(&panel(house)).await.unwrap();
    says(&room.operator, "#waiting", "3").await;
    room.tells_waiting_visitors().await;
    room.holds_and_closes().await;
    room.lets_in().await;
    room.takes_back_credit().await;
    room.opens().await;
    room.ends_all_tickets().await;
    room.tries_a_ticket().await;
    says(&room.operator, "#actions", "admin").await;
    room.operator.close().await.unwrap();
    room.visitor.close().await.unwrap();
}

/// Two wait already.
fn house() -> House {
    let house = House::wasm_shared();
    house.set("refresh_interval", "1");
    for _ in 0..2 {
        Visitor::new(&house).ask("/");
    }
    house
}

#[test]
fn every_button_of_the_panel_is_seen_by_who_waits() {
    let house = house();
    tell(every_button(&house, 1280, true));
}

#[test]
fn every_button_works_on_a_phone_without_scripts() {
    let house = house();
    tell(every_button(&house, 360, false));
}

#[test]
fn of_two_operators_the_second_reads_what_the_first_did() {
    let house = house();
    house.set(
        "admin_password",
        r#"{"anna":"annas-password","ben":"bens-password"}"#,
    );
    let driver = Driver::start().unwrap();
    tell(async {
        let window = Options::window(1280, 860);
        let [first, second] = [
            driver.open(&window).await.unwrap(),
            driver.open(&window).await.unwrap(),
        ];
        for (page, name) in [(&first, "anna"), (&second, "ben")] {
            // With scripts the second would have seen it already.
            browser::run_scripts(page, false).await.unwrap();
            let login = format!("{name}:{name}s-password");
            let panel = panel(&house).replace(&format!("admin:{PASSWORD}"), &login);
            page.goto(&panel).await.unwrap();
            says(page, "h1", name).await;
        }
        click(&first, "#mode-hold").await;
        says(&first, "#news", "The mode is set").await;
        fill(&second, "#quantity", "20").await;
        fill(&second, "#automatic", "15").await;
        click(&second, "#pace").await;
        says(
            &second,
            "#trouble",
            "Changed in the meantime: mode hold by anna",
        )
        .await;
        says(&second, "#mode", "Hold").await;
        says(&second, "#pace-now", "off").await;
        browser::run_scripts(&second, true).await.unwrap();
        assert_open_to_all(&second, "changed in the meantime").await;
        first.close().await.unwrap();
        second.close().await.unwrap();
    });
}

/// Which of the requests that the origin has seen carried credentials.
fn with_credentials(house: &House) -> Vec<String> {
    let seen = house.wasm_side().origin.requests();
    assert!(!seen.is_empty(), "the origin was asked");
    let carries = |seen: &Seen| seen.headers.iter().any(|(name, _)| name == "authorization");
    seen.into_iter()
        .filter(carries)
        .map(|seen| seen.target)
        .collect()
}

#[test]
fn the_password_of_an_operator_who_looks_at_the_shop_stays_at_the_edge() {
    let house = House::wasm_shared();
    house.set("bypass_paths", "/, /assets/*, /favicon.ico");
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(1280, 860)).await.unwrap();
        let shop = house.wasm_side().edge.url();
        let path = shop.replace("http://", &format!("http://admin:{PASSWORD}@")) + "/_queue";
        page.goto(&path).await.unwrap();
        says(&page, "#waiting", "0").await;
        click(&page, "#mode-hold").await;
        says(&page, "#news", "The mode is set").await;
        for path in ["/", "/assets/logo.svg"] {
            page.goto(&format!("{shop}{path}")).await.unwrap();
        }
        assert_eq!(with_credentials(&house), [""; 0]);
        // What the browser keeps opens the panel again, by whichever address it was bookmarked.
        for path in ["/_queue/", "/_queue", "/_queue/?a=b"] {
            page.goto(&format!("{shop}{path}")).await.unwrap();
            says(&page, "#mode", "Hold").await;
            page.goto(&shop).await.unwrap();
            wait_for_title(&page, "The Ember Cup").await;
        }
        assert_eq!(with_credentials(&house), [""; 0]);
        page.close().await.unwrap();
    });
}
