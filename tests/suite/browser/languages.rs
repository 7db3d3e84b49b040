//! The page in every language: worded as the browser itself would word it, and whole on a small screen.

use harness::browser::{self, Driver, Options};
use now_serving::i18n::LANGUAGES;
use serde_json::{Value, json};

use super::axe::assert_open_to_all;
use super::{picture, tell, text};
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

/// The words that are wider than the page, or reach out of the box they stand in.
pub(super) const TOO_WIDE: &str = "const wide = document.documentElement.clientWidth
    return [...document.querySelectorAll('body *')]
        .filter(item => item.offsetParent && item.id !== 'heard' && (item.getBoundingClientRect().right > wide + 1
            || item.getBoundingClientRect().left < -1 || item.scrollWidth > item.clientWidth + 1 && getComputedStyle(item).display !== 'inline'))
        .map(item => item.tagName + ' ' + item.id + ' ' + item.className + ': ' + item.textContent.trim().slice(0, 60))";

#[test]
fn every_language_fits_320_pixels_and_twice_the_size_of_letters() {
    let house = House::wasm_shared();
    house.make_the_line_long();
    let driver = Driver::start().unwrap();
    tell(async {
        let page = driver.open(&Options::window(800, 900)).await.unwrap();
        let agent = page.execute("return navigator.userAgent", vec![]);
        let agent = agent.await.unwrap();
        for words in &LANGUAGES {
            let reader = json!({ "userAgent": agent, "acceptLanguage": words.tag });
            let reads = "Emulation.setUserAgentOverride";
            browser::cdp(&page, reads, reader).await.unwrap();
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
                let size = "document.documentElement.style.fontSize = arguments[0]";
                page.execute(size, vec![json!(letters)]).await.unwrap();
                let wide: Value = page.execute(TOO_WIDE, vec![]).await.unwrap();
                assert_eq!(wide, json!([]), "{} at {width}", words.tag);
            }
            picture(&page, &format!("page-{}", words.tag)).await;
            assert_open_to_all(&page, words.tag).await;
        }
        page.close().await.unwrap();
    });
}
