//! What the waiting page says, in the visitor's language: texts, plural forms, numbers.
//!
//! One file for each language in `templates/words/`, and one row for it below. Every file has the same texts, and as many
//! forms of those that count as its grammar has; the suite says what is missing.

mod choice;
mod number;
mod plural;
mod span;

use number::Grouping;

/// The names of all texts, sorted.
static NAMES: &[&str] = include!(concat!(env!("OUT_DIR"), "/names.rs"));

/// The texts of a language in the order of their names, as `build.rs` writes them. One that it does not have is empty.
struct Texts {
    all: &'static str,
    ends: &'static [u16],
}

/// One language.
pub struct Language {
    /// Its tag (BCP 47), for `lang`.
    pub tag: &'static str,
    /// `ltr` or `rtl`, for `dir`.
    pub direction: &'static str,
    plural: fn(u64) -> &'static str,
    grouping: Grouping,
    texts: Texts,
}

macro_rules! languages {
    ($($tag:literal $direction:literal $plural:ident $grouping:ident)*) => {
        [$(Language {
            tag: $tag,
            direction: $direction,
            plural: plural::$plural,
            grouping: number::$grouping,
            texts: Texts {
                all: include_str!(concat!(env!("OUT_DIR"), "/", $tag, ".txt")),
                ends: include!(concat!(env!("OUT_DIR"), "/", $tag, ".rs")),
            },
        }),*]
    };
}

/// All there are. The first is for a visitor who reads none of them.
pub static LANGUAGES: [Language; 18] = languages! {
    "en" "ltr" one_or_other COMMA
    "de" "ltr" one_or_other DOT
    "fr" "ltr" french NARROW_SPACE
    "es" "ltr" spanish LATE_DOT
    "it" "ltr" spanish LATE_DOT
    "pt-BR" "ltr" french DOT
    "pt-PT" "ltr" spanish LATE_SPACE
    "nl" "ltr" one_or_other DOT
    "pl" "ltr" polish LATE_SPACE
    "sv" "ltr" one_or_other SPACE
    "uk" "ltr" ukrainian SPACE
    "ar" "rtl" arabic COMMA
    "he" "rtl" hebrew COMMA
    "hi" "ltr" hindi INDIAN
    "ja" "ltr" other COMMA
    "ko" "ltr" other COMMA
    "zh-Hans" "ltr" other COMMA
    "zh-Hant" "ltr" other COMMA
};

/// The language a visitor reads best, of those there are, by `Accept-Language` as it came.
#[must_use]
pub fn words(accept_language: &str) -> &'static Language {
    choice::choose(accept_language, &LANGUAGES).unwrap_or_else(english)
}

/// What those get who have not said what they read.
#[must_use]
pub fn english() -> &'static Language {
    let [first, ..] = &LANGUAGES;
    first
}

impl Language {
    /// The names of all texts.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        let named = NAMES.iter().enumerate();
        named.filter_map(|(index, name)| self.texts.get(index).map(|_| *name))
    }

    /// A text; empty when there is none of that name.
    #[must_use]
    pub fn text(&self, name: &str) -> &'static str {
        self.find(name).unwrap_or_default()
    }

    /// A number as the language's readers write it, in Latin digits: what `Intl.NumberFormat` makes of the tag.
    #[must_use]
    pub fn number(&self, number: u64) -> String {
        number::grouped(number, &self.grouping)
    }

    /// The form a number takes, by its CLDR name: what `Intl.PluralRules` makes of the tag.
    #[must_use]
    pub fn plural(&self, number: u64) -> &'static str {
        (self.plural)(number)
    }

    /// A text with its number, in the form that number takes: `counted("ahead", 2)` is `ahead_other` in English.
    #[must_use]
    pub fn counted(&self, name: &str, number: u64) -> String {
        self.form(name, number).replace("{n}", &self.number(number))
    }

    /// How long somebody has to wait, no finer than it is known: see `span` for the rule.
    #[must_use]
    pub fn wait(&self, seconds: Option<u64>) -> String {
        let Some(seconds) = seconds else {
            return self.text("unknown").to_owned();
        };
        self.worded(span::span(seconds))
    }

    /// How long it is until a time that is known.
    #[must_use]
    pub fn until(&self, seconds: u64) -> String {
        self.worded(span::known(seconds))
    }

    fn worded(&self, span: Option<span::Span>) -> String {
        let Some(span) = span else {
            return self.text("soon").to_owned();
        };
        let time = self.counted(span.unit, span.to);
        match span.from {
            None => self.text("about").replace("{time}", &time),
            Some(from) => self
                .text("range")
                .replace("{from}", &self.beginning(span.unit, from))
                .replace("{time}", &time),
        }
    }

    /// Where a range begins: a number, "40 to 60 minutes". A language whose form has a word instead of the number has to
    /// name the unit twice, as in the Hebrew "an hour to two hours".
    fn beginning(&self, unit: &str, from: u64) -> String {
        let form = self.form(unit, from);
        if form.contains("{n}") {
            self.number(from)
        } else {
            form.to_owned()
        }
    }

    /// The form of a number, or the nearest there is: French, Spanish, Italian and Portuguese have one for millions that no
    /// file spells out, and Polish and Ukrainian have `other` for fractions only.
    fn form(&self, name: &str, number: u64) -> &'static str {
        [self.plural(number), "other", "many"]
            .iter()
            .find_map(|form| self.find(&format!("{name}_{form}")))
            .unwrap_or_default()
    }

    fn find(&self, name: &str) -> Option<&'static str> {
        self.texts.get(NAMES.binary_search(&name).ok()?)
    }
}

impl Texts {
    /// The text of that name, by the name's place.
    fn get(&self, index: usize) -> Option<&'static str> {
        let end = |index: usize| self.ends.get(index).copied().map(usize::from);
        let from = index.checked_sub(1).map_or(Some(0), end)?;
        let text = self.all.get(from..end(index)?)?;
        (!text.is_empty()).then_some(text)
    }
}
