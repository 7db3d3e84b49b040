//! An operator's template. It is refused at a line that it has, or shown: then no value of a visitor or an operator is markup on the
//! page, it is sound in every language, and a page comes in any case.
//!
//! The values hold a word made of the template's own digest, which therefore stands in no template.

use now_serving::i18n::{LANGUAGES, Language, english};
use now_serving::page::{Brand, Links, Pages, Waiting, waiting_page};
use now_serving::queue::{Cursor, Position};

/// Reads a template, and shows a page by it.
pub fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let digest = digest(bytes);
    let word = format!("q{digest:016x}");
    let pages = Pages::new(brand(&word), Some(text.clone()));
    let own_refused = pages.own_refused().cloned();
    if let Some(refusal) = &own_refused {
        let lines = 1 + text.replace("\r\n", "\n").matches(['\n', '\r']).count();
        assert!(
            (1..=lines).contains(&refusal.line),
            "{refusal:?} of {lines}"
        );
        assert!(!refusal.reason.is_empty(), "{refusal:?}");
        // The built-in page serves, which needs no fuzzer.
        return;
    }
    let other = usize::try_from(digest).unwrap_or(0) % LANGUAGES.len();
    for words in [Some(english()), LANGUAGES.get(other)]
        .into_iter()
        .flatten()
    {
        shown(&pages, &word, words);
    }
    assert_eq!(pages.refused(), [], "sound in English, and refused");
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    let step = |digest: u64, byte: &u8| (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The word behind each sign that means something in HTML or in a template.
fn hostile(word: &str) -> String {
    format!(".<{word} \"{word} '{word} `{word} {{{{{word}}}}}\\{{{{{word}}}}}</{word}>")
}

fn brand(word: &str) -> Brand {
    Brand {
        name: Some(hostile(word)),
        logo: Some("data:image/png;base64,AA==".to_owned()),
        heading: Some(hostile(word)),
        ..Brand::default()
    }
}

fn shown(pages: &Pages, word: &str, words: &'static Language) {
    let text = || hostile(word);
    let waiting = Waiting {
        position: Some(Position(7)),
        seen: Some((Cursor(3), 3)),
        message: Some(text()),
        reference: Some(text()),
        estimate: Some(90),
        refresh: 5,
        unsent: true,
        ..Waiting::default()
    };
    let links = Links {
        here: text(),
        place: text(),
        updates: text(),
        language: text(),
        home: Some(text()),
        invitation: Some(text()),
    };
    let reply = waiting_page(503, &waiting, &links, words, pages, None);
    let page = String::from_utf8_lossy(&reply.body).into_owned();
    assert_eq!(reply.status, 503);
    for sign in ["<", "</", "\"", "'", "`"] {
        let markup = format!("{sign}{word}");
        assert!(!page.contains(&markup), "{markup} in {page}");
    }
}
