//! What the waiting page says, in the visitor's language: texts, plural forms, numbers.
//!
//! One file for each language in `templates/words/`; every one has the same texts, and as many forms of those that count
//! as its grammar has.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One language.
pub struct Words {
    /// Its tag (BCP 47), for `lang`.
    pub tag: &'static str,
    /// `ltr` or `rtl`, for `dir`.
    pub direction: &'static str,
    texts: LazyLock<BTreeMap<String, String>>,
}

static ENGLISH: Words = Words {
    tag: "en",
    direction: "ltr",
    texts: LazyLock::new(|| {
        serde_json::from_str(include_str!("../templates/words/en.json")).unwrap_or_default()
    }),
};

/// The language a visitor reads best, of those there are; `Accept-Language` as it came.
#[must_use]
pub fn words(_accept_language: &str) -> &'static Words {
    &ENGLISH
}

/// What those get who have not said what they read.
#[must_use]
pub fn english() -> &'static Words {
    &ENGLISH
}

impl Words {
    /// All texts.
    #[must_use]
    pub fn texts(&self) -> &BTreeMap<String, String> {
        &self.texts
    }

    /// A text; empty when there is none of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    /// A number as the language's readers write it.
    #[must_use]
    pub fn number(&self, number: u64) -> String {
        number.to_string()
    }

    /// A text with its number, in the form that number takes: `counted("ahead", 2)` is `ahead_other` in English.
    #[must_use]
    pub fn counted(&self, name: &str, number: u64) -> String {
        let form = if number == 1 { "one" } else { "other" };
        self.text(&format!("{name}_{form}"))
            .replace("{n}", &self.number(number))
    }

    /// How long somebody has to wait, no finer than it is known.
    #[must_use]
    pub fn wait(&self, seconds: Option<u64>) -> String {
        match seconds {
            None => self.text("unknown").to_owned(),
            Some(0..=59) => self.text("soon").to_owned(),
            Some(more) => {
                let time = self.counted("minutes", (more + 30) / 60);
                self.text("about").replace("{time}", &time)
            }
        }
    }
}
