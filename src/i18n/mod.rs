//! What the waiting page says, in the visitor's language: texts, plural forms, numbers.
//!
//! One file for each language in `templates/words/`, and one row for it below. Every file has the same texts, and as many
//! forms of those that count as its grammar has; the suite says what is missing. The tests below have a row for it too: what
//! CLDR says of its numbers.

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
    ($($tag:literal $name:literal $direction:literal $plural:ident $grouping:ident)*) => {
        /// The name of each in English, for the docs.
        pub const NAMES_IN_ENGLISH: &[&str] = &[$($name),*];

        /// All there are. The first is for a visitor who reads none of them.
        pub static LANGUAGES: [Language; NAMES_IN_ENGLISH.len()] = [$(Language {
            tag: $tag,
            direction: $direction,
            plural: plural::$plural,
            grouping: number::$grouping,
            texts: Texts {
                all: include_str!(concat!(env!("OUT_DIR"), "/", $tag, ".txt")),
                ends: include!(concat!(env!("OUT_DIR"), "/", $tag, ".rs")),
            },
        }),*];
    };
}

languages! {
    "en" "English" "ltr" one_or_other COMMA
    "de" "German" "ltr" one_or_other DOT
    "fr" "French" "ltr" french NARROW_SPACE
    "es" "Spanish" "ltr" spanish LATE_DOT
    "it" "Italian" "ltr" spanish LATE_DOT
    "pt-BR" "Portuguese of Brazil" "ltr" french DOT
    "pt-PT" "Portuguese of Portugal" "ltr" spanish LATE_SPACE
    "nl" "Dutch" "ltr" one_or_other DOT
    "pl" "Polish" "ltr" polish LATE_SPACE
    "sv" "Swedish" "ltr" one_or_other SPACE
    "uk" "Ukrainian" "ltr" ukrainian SPACE
    "ar" "Arabic" "rtl" arabic COMMA
    "he" "Hebrew" "rtl" hebrew COMMA
    "hi" "Hindi" "ltr" hindi INDIAN
    "ja" "Japanese" "ltr" other COMMA
    "ko" "Korean" "ltr" other COMMA
    "zh-Hans" "simplified Chinese" "ltr" other COMMA
    "zh-Hant" "traditional Chinese" "ltr" other COMMA
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTED: [u64; 20] = [
        0, 1, 2, 3, 5, 10, 11, 12, 14, 21, 22, 25, 100, 101, 102, 103, 111, 112, 1_000, 1_000_000,
    ];
    const WRITTEN: [u64; 8] = [
        0,
        999,
        1_000,
        9_999,
        10_000,
        123_456,
        1_234_567,
        12_345_678_901,
    ];

    /// What ICU 78 (CLDR 48) says of each language: the form that each number of [`COUNTED`] takes, by 0, 1, 2, f(ew), m(any) and - for
    /// other; and how each of [`WRITTEN`] is written, with `_` for a space at which no line breaks and `'` for a narrow one.
    #[rustfmt::skip]
    const CLDR: &[(&str, &str, &str)] = &[
        ("en",      "- 1 - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("de",      "- 1 - - - - - - - - - - - - - - - - - -", "0 999 1.000 9.999 10.000 123.456 1.234.567 12.345.678.901"),
        ("fr",      "1 1 - - - - - - - - - - - - - - - - - m", "0 999 1'000 9'999 10'000 123'456 1'234'567 12'345'678'901"),
        ("es",      "- 1 - - - - - - - - - - - - - - - - - m", "0 999 1000 9999 10.000 123.456 1.234.567 12.345.678.901"),
        ("it",      "- 1 - - - - - - - - - - - - - - - - - m", "0 999 1000 9999 10.000 123.456 1.234.567 12.345.678.901"),
        ("pt-BR",   "1 1 - - - - - - - - - - - - - - - - - m", "0 999 1.000 9.999 10.000 123.456 1.234.567 12.345.678.901"),
        ("pt-PT",   "- 1 - - - - - - - - - - - - - - - - - m", "0 999 1000 9999 10_000 123_456 1_234_567 12_345_678_901"),
        ("nl",      "- 1 - - - - - - - - - - - - - - - - - -", "0 999 1.000 9.999 10.000 123.456 1.234.567 12.345.678.901"),
        ("pl",      "m 1 f f m m m m m m f m m m f f m m m m", "0 999 1000 9999 10_000 123_456 1_234_567 12_345_678_901"),
        ("sv",      "- 1 - - - - - - - - - - - - - - - - - -", "0 999 1_000 9_999 10_000 123_456 1_234_567 12_345_678_901"),
        ("uk",      "m 1 f f m m m m m 1 f m m 1 f f m m m m", "0 999 1_000 9_999 10_000 123_456 1_234_567 12_345_678_901"),
        ("ar",      "0 1 2 f f f m m m m m m - - - f m m - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("he",      "- 1 2 - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("hi",      "1 1 - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 1,23,456 12,34,567 12,34,56,78,901"),
        ("ja",      "- - - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("ko",      "- - - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("zh-Hans", "- - - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
        ("zh-Hant", "- - - - - - - - - - - - - - - - - - - -", "0 999 1,000 9,999 10,000 123,456 1,234,567 12,345,678,901"),
    ];

    #[test]
    fn the_numbers_of_languages_are_as_cldr_has_them() {
        assert_eq!(CLDR.len(), LANGUAGES.len());
        for (words, (tag, forms, written)) in LANGUAGES.iter().zip(CLDR) {
            assert_eq!(words.tag, *tag);
            let taken = COUNTED.map(|number| match words.plural(number) {
                "zero" => "0",
                "one" => "1",
                "two" => "2",
                "few" => "f",
                "many" => "m",
                _ => "-",
            });
            assert_eq!(taken.join(" "), *forms, "{tag}");
            let told = WRITTEN.map(|number| words.number(number));
            let written = written.replace('_', "\u{a0}").replace('\'', "\u{202f}");
            assert_eq!(told.join(" "), written, "{tag}");
        }
    }
}
