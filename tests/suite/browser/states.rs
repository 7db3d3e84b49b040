//! Every page that a visitor can see and every panel, as the sheet of states has them: whole, within reach of a finger, and open to all.

use fantoccini::Client;
use harness::browser::{self, Driver, Engine, Options};
use harness::origin::Origin;
use harness::origin::demo::{LINES, PATH, STATES};
use serde_json::json;

use super::axe::barriers;
use super::languages::TOO_WIDE;
use super::{LETTERS, tell};
use crate::house::ANY_PORT;

/// Buttons, links and fields, each with its label, that are smaller than a finger, but for links within a sentence (WCAG 2.5.8).
pub(super) const SMALL: &str =
    "return [...document.querySelectorAll('a, button, select, textarea, input:not([type=hidden])')]
    .filter(item => item.checkVisibility() && getComputedStyle(item).display !== 'inline')
    .filter(item => (item.closest('label') ?? item).getBoundingClientRect().height < 44)
    .map(item => item.outerHTML)";

/// How pages are looked at.
pub(crate) struct Look {
    /// What a failed test calls it.
    pub(crate) name: &'static str,
    /// Width and height of the window, in pixels.
    pub(crate) size: (u32, u32),
    /// What the visitor prefers, in Chromium.
    pub(crate) prefers: &'static [(&'static str, &'static str)],
    /// The same in Firefox: settings of the profile.
    pub(crate) profile: &'static [(&'static str, i64)],
    /// The size of letters.
    pub(crate) letters: &'static str,
    /// Whether the pages' scripts run.
    pub(crate) runs_scripts: bool,
}

/// A phone in the dark.
pub(crate) const PHONE: Look = Look {
    name: "phone, dark",
    size: (360, 800),
    prefers: &[("prefers-color-scheme", "dark")],
    profile: &[("layout.css.prefers-color-scheme.content-override", 0)],
    letters: "100%",
    runs_scripts: true,
};

/// The addresses of all pages of the sheet.
fn addresses() -> impl Iterator<Item = String> {
    let pages = STATES
        .iter()
        .map(|state| format!("{PATH}/page/{}/en/brand", state.name));
    let panels = LINES
        .iter()
        .map(|line| format!("{PATH}/panel/{}", line.name));
    pages.chain(panels)
}

/// Looks at every page so, and says all that is wrong with any.
pub(crate) async fn look_at_all(driver: &Driver, engine: Engine, look: &Look) {
    let origin = Origin::start(ANY_PORT).unwrap();
    let (width, height) = look.size;
    let mut options = Options::window(width, height);
    for (name, value) in look.profile {
        options = options.preference(name, *value);
    }
    // Chromium stops scripts while a page loads, and can still be asked by one; the others cannot be asked then.
    let is_asked = look.runs_scripts || engine == Engine::Chromium;
    if !is_asked {
        options = options.without_scripts();
    }
    let page = driver.open(&options).await.unwrap();
    if engine == Engine::Chromium {
        browser::resize(&page, width, height).await.unwrap();
        browser::prefer(&page, look.prefers).await.unwrap();
    }
    let mut faults = Vec::new();
    for address in addresses() {
        if engine == Engine::Chromium {
            let run = browser::run_scripts(&page, look.runs_scripts);
            run.await.unwrap();
        }
        let went = page.goto(&format!("{}{address}", origin.url())).await;
        went.unwrap_or_else(|error| panic!("{address}: {error}"));
        if engine == Engine::Chromium {
            browser::run_scripts(&page, true).await.unwrap();
        }
        let title = page.title().await.unwrap();
        let mut found = Vec::from_iter(title.is_empty().then(|| "no title".to_owned()));
        if is_asked {
            found.append(&mut faults_of(&page, look.letters).await);
        }
        let (engine, look) = (engine.name(), look.name);
        let named = found
            .into_iter()
            .map(|fault| format!("{address} in {engine}, {look}: {fault}"));
        faults.extend(named);
    }
    page.close().await.unwrap();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// What is wrong with the page in the browser, line by line.
async fn faults_of(page: &Client, letters: &str) -> Vec<String> {
    if letters != "100%" {
        page.execute(LETTERS, vec![json!(letters)]).await.unwrap();
    }
    let mut faults = Vec::new();
    for (fault, script) in [("too wide", TOO_WIDE), ("too small for a finger", SMALL)] {
        let found = page.execute(script, vec![]).await.unwrap();
        let found: Vec<String> = serde_json::from_value(found).unwrap();
        faults.extend(found.iter().map(|item| format!("{fault}: {item}")));
    }
    faults.append(&mut barriers(page).await);
    faults
}

#[test]
fn every_state_is_whole_and_open_to_all_on_a_phone_in_the_dark() {
    let driver = Driver::start().unwrap();
    tell(async { look_at_all(&driver, Engine::Chromium, &PHONE).await });
}

/// Loads a state of the demo.
async fn show(page: &Client, origin: &Origin, state: &str) {
    let address = format!("{}{PATH}/page/{state}/en/brand", origin.url());
    page.goto(&address).await.unwrap();
}

/// Without a script the times are in UTC.
#[test]
fn times_of_the_past_are_those_of_the_visitor_s_clock() {
    let origin = Origin::start(ANY_PORT).unwrap();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(360, 800)).await.unwrap();
        for (runs_scripts, is_utc) in [(false, true), (true, false)] {
            let run = browser::run_scripts(&page, runs_scripts);
            run.await.unwrap();
            show(&page, &origin, "slowed-hold").await;
            browser::run_scripts(&page, true).await.unwrap();
            let detail = "return document.getElementById('detail').textContent";
            let said = page.execute(detail, vec![]).await.unwrap();
            let said = said.as_str().unwrap();
            let is_whole = said.starts_with("Your wait has grown. Entry was paused from ")
                && !said.contains('{');
            assert!(is_whole && said.contains("UTC") == is_utc, "{said}");
        }
        page.close().await.unwrap();
    });
}

/// No line is empty where a time belongs: from days on it is of dates.
#[test]
fn a_turn_has_a_time_or_dates_and_an_end_its_time() {
    let origin = Origin::start(ANY_PORT).unwrap();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(360, 800)).await.unwrap();
        for (state, place, pattern) in [
            ("next", "at", r"^Your turn at around \d+:\d\d"),
            (
                "far",
                "at",
                r"^Your turn between .*\d+:\d\d.* and .*\d+:\d\d",
            ),
            ("days", "at", r"^Your turn between \w+\s\d+ and \w+\s\d+$"),
            ("late", "detail", r"^Entry ends at .*\d+:\d\d(?!.*UTC)"),
        ] {
            show(&page, &origin, state).await;
            let text = "return document.getElementById(arguments[0]).textContent";
            let said = page.execute(text, vec![json!(place)]).await.unwrap();
            let fits = "return new RegExp(arguments[0]).test(arguments[1])";
            let fits = page.execute(fits, vec![json!(pattern), said.clone()]).await;
            assert_eq!(fits.unwrap(), json!(true), "{state}: {said}");
        }
        page.close().await.unwrap();
    });
}

#[test]
fn a_page_that_stands_still_looks_so_and_its_switch_is_in_sight_on_a_phone() {
    let origin = Origin::start(ANY_PORT).unwrap();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(390, 844)).await.unwrap();
        browser::resize(&page, 390, 844).await.unwrap();
        let look = "const colour = getComputedStyle(document.getElementById('line')).color
            return [colour, document.getElementById('pause').getBoundingClientRect().bottom < innerHeight]";
        let mut looked = Vec::new();
        for state in ["way", "paused"] {
            show(&page, &origin, state).await;
            looked.push(page.execute(look, vec![]).await.unwrap());
        }
        assert_ne!(looked[0][0], looked[1][0], "{looked:?}");
        assert_eq!(looked[1][1], json!(true), "{looked:?}");
        page.close().await.unwrap();
    });
}
