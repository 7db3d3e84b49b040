//! The sheet of states, asked over HTTP.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use harness::origin::Origin;
use harness::origin::demo::{LINES, LOOKS, PATH, STATES};
use now_serving::i18n::{LANGUAGES, Language};
use ureq::http::Response;
use ureq::{Agent, Body};

fn start() -> Origin {
    Origin::start(([127, 0, 0, 1], 0).into()).unwrap()
}

fn get(url: &str) -> Response<Body> {
    ureq::get(url).call().unwrap()
}

/// What a reader sees, without the entities.
fn text(mut response: Response<Body>) -> String {
    let html = response.body_mut().read_to_string().unwrap();
    let html = html.replace("&quot;", "\"").replace("&#x27;", "'");
    html.replace("&#39;", "'").replace("&amp;", "&")
}

/// What the page of a state shows in a language, before it reaches a place that the text fills in.
fn said(words: &Language, name: &str) -> &'static str {
    let text = words.text(name);
    assert_ne!(text, "", "{name} in {}", words.tag);
    text.split('{').next().unwrap_or(text)
}

#[test]
fn every_state_is_shown_and_says_what_it_must_in_every_language() {
    let origin = start();
    for state in STATES {
        for words in &LANGUAGES {
            let (name, tag) = (state.name, words.tag);
            let page = get(&format!("{}{PATH}/page/{name}/{tag}/plain", origin.url()));
            assert_eq!(page.status(), 200, "{name}");
            let page = text(page);
            assert!(page.contains(&format!(r#"lang="{tag}""#)), "{name}: {page}");
            for text in state.says {
                let said = said(words, text);
                assert!(page.contains(said), "{name}, {tag}: no {said:?} in {page}");
            }
        }
    }
}

#[test]
fn every_look_shows_the_states_with_its_own_page() {
    let origin = start();
    let of = |look: &str| text(get(&format!("{}{PATH}/page/way/en/{look}", origin.url())));
    let [brand, plain, own @ ..] = LOOKS.each_ref().map(|look| of(look.name));
    assert!(brand.contains("Ember & Ash") && brand.contains("<script>"));
    assert!(!plain.contains("Ember & Ash") && plain.contains("<script>"));
    for page in &own {
        assert!(page.contains("Ember & Ash") && !page.contains("<script>"));
    }
    for page in own.into_iter().chain([brand, plain]) {
        assert!(page.contains("266") && page.contains("119"), "{page}");
    }
}

#[test]
fn every_page_to_copy_says_in_every_state_what_the_built_in_one_says() {
    let origin = start();
    let english = LANGUAGES.first().unwrap();
    for look in &LOOKS {
        for state in STATES {
            let page = format!("{PATH}/page/{}/en/{}", state.name, look.name);
            let page = text(get(&format!("{}{page}", origin.url())));
            for text in state.says {
                let said = said(english, text);
                assert!(
                    page.contains(said),
                    "{}, {}: no {said:?} in {page}",
                    look.name,
                    state.name
                );
            }
        }
    }
}

#[test]
fn the_panel_is_shown_with_each_kind_of_line() {
    let origin = start();
    let panels = LINES.iter().map(|line| {
        let panel = get(&format!("{}{PATH}/panel/{}", origin.url(), line.name));
        assert_eq!(panel.status(), 200);
        text(panel)
    });
    let [
        empty,
        growing,
        rush,
        hold,
        forgotten,
        cap,
        sick,
        away,
        before,
        lot,
        rooms,
    ] = panels.collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(waiting(&empty), 0);
    assert!(waiting(&growing) > 100 && growing.contains("The pace is 30 a minute"));
    assert!(waiting(&hold) > waiting(&growing) && hold.contains("On hold"));
    for (panel, change) in [
        (&growing, "Let in 42 a minute"),
        (&rush, "Let in 3"),
        (&cap, "Raise the cap to 600"),
    ] {
        assert!(
            panel.contains("What would help") && panel.contains(change),
            "{change}: {panel}"
        );
    }
    assert_eq!(
        forgotten.matches("On hold for").count(),
        2,
        "in its data too"
    );
    for (panel, words) in [
        (&rush, "A rush begins: "),
        (&forgotten, "On hold for 38 min, by anna: "),
        (
            &cap,
            "Growing, held back by the cap: 40 arrive and 8 go in each minute",
        ),
        (&sick, "The origin is sick: no new visitor goes in"),
        (&away, "The store does not answer: no new visitor goes in"),
        (&away, "</time>, in mode Automatic."),
        (
            &before,
            "Before the event: no visitor goes in, and none draws a number",
        ),
        (&before, ", and it opens at <time"),
        (&lot, "The order is not decided 7 min after the opening: "),
        (&rooms, "aria-label=\"Rooms\""),
    ] {
        assert!(panel.contains(words), "{words}: {panel}");
    }
}

/// How many visitors wait, by the title of a panel.
fn waiting(panel: &str) -> u64 {
    let (_, title) = panel.split_once("<title>").unwrap();
    let (before, _) = title.split_once(" waiting").unwrap();
    let number = before.rsplit(' ').next().unwrap();
    number.replace(',', "").parse().unwrap()
}

#[test]
fn the_sheet_has_a_frame_for_each_state_that_only_the_sheet_may_show() {
    let origin = start();
    let sheet = text(get(&format!("{}{PATH}?lang=ar&look=plain", origin.url())));
    for state in STATES {
        let page = format!("{PATH}/page/{}/ar/plain", state.name);
        assert!(sheet.contains(&format!(r#"src="{page}""#)), "{sheet}");
        let shown = get(&format!("{}{page}", origin.url()));
        let policy = shown.headers()["content-security-policy"].to_str().unwrap();
        assert!(policy.ends_with("frame-ancestors 'self'"), "{policy}");
    }
    for line in LINES {
        assert!(sheet.contains(&format!(r#"src="{PATH}/panel/{}""#, line.name)));
    }
}

#[test]
fn an_update_tells_of_the_state_the_page_is_in() {
    let origin = start();
    let beside = |state: &str, loaded_ms: u64, what: &str| {
        let page = format!("{}{PATH}/page/{state}/de/brand", origin.url());
        text(get(&format!("{page}/{loaded_ms}/{what}")))
    };
    let place = |state: &str, loaded_ms: u64| beside(state, loaded_ms, "place");
    let now_ms = u64::MAX;
    assert!(place("way", now_ms).contains(r#""position":266,"ahead":"119""#));
    assert!(place("turn", now_ms).contains(r#""waiting":false"#));
    assert!(place("story", now_ms).contains(r#""ahead":"120""#));
    assert!(place("story", 0).contains(r#""waiting":false"#));
}

#[test]
fn nothing_else_below_the_sheet_is_there_and_nothing_is_moved() {
    let origin = start();
    let agent = Agent::new_with_defaults();
    for rest in [
        "/",
        "/page",
        "/page/way/en",
        "/page/way/xx/brand",
        "/panel/growing/mode",
        "/nothing",
    ] {
        let got = agent.get(format!("{}{PATH}{rest}", origin.url())).call();
        let expected = if rest == "/" { 200 } else { 204 };
        assert_eq!(got.unwrap().status(), expected, "{rest}");
    }
    let pressed = agent.post(format!("{}{PATH}/panel/growing/mode", origin.url()));
    assert_eq!(pressed.send("mode=hold").unwrap().status(), 204);
    let elsewhere = agent.get(format!("{}{PATH}nstration", origin.url())).call();
    assert!(
        matches!(elsewhere, Err(ureq::Error::StatusCode(404))),
        "the shop's own paths"
    );
}

#[test]
fn a_page_in_a_frame_that_loads_itself_again_stays_as_it_is() {
    let origin = start();
    let page = format!("{}{PATH}/page/turn/en/brand", origin.url());
    let again = ureq::get(&page).header("cache-control", "max-age=0");
    assert_eq!(again.call().unwrap().status(), 200, "a page of its own");
    let again = ureq::get(&page).header("cache-control", "max-age=0");
    let again = again.header("sec-fetch-dest", "iframe").call().unwrap();
    assert_eq!(again.status(), 204);
}
