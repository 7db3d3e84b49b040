//! The page in every language: worded as the browser itself would word it, and whole on a small screen.

use fantoccini::Client;
use harness::browser::{self, Driver, Options};
use now_serving::i18n::{LANGUAGES, Language};
use serde_json::{Value, json};

use super::axe::assert_open_to_all;
use super::{LETTERS, picture, tell, text};
use crate::house::House;

/// Every number up to this, and some beyond.
const SMALL: u64 = 1_200;
const LARGE: [u64; 8] = [
    1_999, 9_999, 10_000, 12_345, 100_021, 999_999, 1_234_567, 98_765_432,
];

#[test]
fn numbers_and_their_forms_are_those_of_the_browser() {
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 600)).await.unwrap();
        let numbers: Vec<u64> = (0..=SMALL).chain(LARGE).collect();
        let script = "const [tag, numbers] = arguments
            const shown = new Intl.NumberFormat(tag + '-u-nu-latn'), form = new Intl.PluralRules(tag)
            return numbers.map(number => [shown.format(number), form.select(number)])";
        for words in &LANGUAGES {
            let given = vec![json!(words.tag), json!(numbers)];
            let theirs = page.execute(script, given).await.unwrap();
            let theirs: Vec<[String; 2]> = serde_json::from_value(theirs).unwrap();
            for (number, theirs) in numbers.iter().zip(theirs) {
                let ours = [words.number(*number), words.plural(*number).to_owned()];
                assert_eq!(ours, theirs, "{number} in {}", words.tag);
            }
        }
        page.close().await.unwrap();
    });
}

/// The words that are wider than the page, or reach out of the box they stand in. What is typed into a field scrolls there.
pub(super) const TOO_WIDE: &str = "const wide = document.documentElement.clientWidth
    return [...document.querySelectorAll('body *')]
        .filter(item => item.offsetParent && item.id !== 'heard' && (item.getBoundingClientRect().right > wide + 1
            || item.getBoundingClientRect().left < -1 || item.scrollWidth > item.clientWidth + 1 && item.tagName !== 'INPUT' && getComputedStyle(item).display !== 'inline'))
        .map(item => item.tagName + ' ' + item.id + ' ' + item.className + ': ' + item.textContent.trim().slice(0, 60))";

/// In which languages a page is not only measured but put before axe-core too, in light and in dark, and on a picture. What
/// axe-core sees is the page's structure, its colours and its direction, of which a language changes the direction alone.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Looked {
    /// In the first language of each direction.
    EachDirection,
    /// In all of them: with `--long`.
    All,
}

impl Looked {
    fn is_at(self, words: &Language) -> bool {
        let mut first = LANGUAGES.iter();
        let first = first.find(|other| other.direction == words.direction);
        self == Self::All || first.is_some_and(|first| first.tag == words.tag)
    }
}

/// From now on the visitor reads this language.
async fn reads(page: &Client, words: &Language) {
    let agent = page.execute("return navigator.userAgent", vec![]);
    let reader = json!({ "userAgent": agent.await.unwrap(), "acceptLanguage": words.tag });
    let reads = "Emulation.setUserAgentOverride";
    browser::cdp(page, reads, reader).await.unwrap();
}

/// The page as it stands is not wider than its window.
async fn fits(page: &Client, words: &Language) {
    let wide: Value = page.execute(TOO_WIDE, vec![]).await.unwrap();
    assert_eq!(wide, json!([]), "{}", words.tag);
}

/// These pages, each by a name and its address, fit 320 pixels in every language and put no barrier before anybody. `word` is the
/// text that stands in this element of each.
pub(super) async fn fit_and_are_open_to_all(
    page: &Client,
    looked: Looked,
    pages: &[(&str, &str)],
    (element, word): (&str, &str),
) {
    browser::resize(page, 320, 700).await.unwrap();
    for words in &LANGUAGES {
        reads(page, words).await;
        // Colours change no width.
        let schemes: &[&str] = if looked.is_at(words) {
            &["light", "dark"]
        } else {
            &["light"]
        };
        for scheme in schemes {
            let preferred = ("prefers-color-scheme", *scheme);
            browser::prefer(page, &[preferred]).await.unwrap();
            for (name, url) in pages {
                page.goto(url).await.unwrap();
                assert_eq!(text(page, element).await, words.text(word));
                fits(page, words).await;
                if looked.is_at(words) {
                    let what = format!("{name}-{}-{scheme}", words.tag);
                    picture(page, &what).await;
                    assert_open_to_all(page, &what).await;
                }
            }
        }
    }
}

#[test]
fn every_language_fits_320_pixels_and_twice_the_size_of_letters() {
    the_waiting_page_fits_in_every_language(Looked::EachDirection);
}

pub(crate) fn the_waiting_page_fits_in_every_language(looked: Looked) {
    let house = House::wasm_shared();
    house.make_the_line_long();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 900)).await.unwrap();
        for words in &LANGUAGES {
            reads(&page, words).await;
            page.goto(&house.wasm_side().edge.url()).await.unwrap();
            let root = page.execute(
                "const { lang, dir } = document.documentElement; return [lang, dir]",
                vec![],
            );
            let expected = json!([words.tag, words.direction]);
            assert_eq!(root.await.unwrap(), expected);
            assert_eq!(text(&page, "#heading").await, words.text("heading"));
            for (width, scheme, letters) in [
                (360, "dark", "200%"),
                (1280, "light", "100%"),
                (320, "light", "100%"),
            ] {
                browser::resize(&page, width, 900).await.unwrap();
                browser::prefer(&page, &[("prefers-color-scheme", scheme)])
                    .await
                    .unwrap();
                page.execute(LETTERS, vec![json!(letters)]).await.unwrap();
                fits(&page, words).await;
            }
            if looked.is_at(words) {
                picture(&page, &format!("page-{}", words.tag)).await;
                assert_open_to_all(&page, words.tag).await;
            }
        }
        page.close().await.unwrap();
    });
}
