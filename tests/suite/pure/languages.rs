//! The waiting page's languages: that each is whole. `choice` is which of them a visitor gets, `numbers` what each makes
//! of numbers.

mod choice;
mod numbers;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use now_serving::i18n::{LANGUAGES, Language};

/// The texts that count.
const COUNTED: [&str; 5] = ["ahead", "days", "minutes", "hours", "look"];
/// New texts, which only the file of English has until a translation of each has been reviewed.
const PENDING: [&str; 0] = [];
const FORMS: [&str; 6] = ["zero", "one", "two", "few", "many", "other"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/words")
}

/// A language's file, as it is.
fn file(tag: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder().join(format!("{tag}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The text and the form of a name that counts: `ahead_one` is `ahead`, `one`.
fn counted(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('_')
        .filter(|(text, form)| COUNTED.contains(text) && FORMS.contains(form))
}

/// The numbers below a hundred thousand by the form they take, which are the forms a language needs. No rule looks at
/// more than the last two digits, but for that of whole millions, whose form no file spells out.
fn forms(words: &Language) -> BTreeMap<&'static str, Vec<u64>> {
    let mut forms = BTreeMap::<_, Vec<u64>>::new();
    for number in 0..100_000 {
        let numbers = forms.entry(words.plural(number)).or_default();
        if numbers.len() < 2 {
            numbers.push(number);
        }
    }
    forms
}

#[test]
fn every_file_is_a_language_and_every_language_has_a_file() {
    let files: BTreeSet<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    let tags = LANGUAGES.iter().map(|words| format!("{}.json", words.tag));
    assert_eq!(files, tags.collect());
    for words in &LANGUAGES {
        for (name, text) in file(words.tag) {
            assert_eq!(words.text(&name), text, "{} {name}", words.tag);
        }
    }
}

#[test]
fn every_language_has_the_texts_of_english_in_the_forms_its_grammar_needs() {
    let english = file("en");
    for words in &LANGUAGES {
        let forms = forms(words);
        let needed: BTreeSet<String> = english
            .keys()
            .flat_map(|name| match counted(name) {
                Some((text, _)) => forms.keys().map(|form| format!("{text}_{form}")).collect(),
                None => vec![name.clone()],
            })
            .collect();
        let there: BTreeSet<String> = file(words.tag).into_keys().collect();
        let missing = needed.difference(&there);
        let missing: Vec<_> = missing
            .filter(|name| !PENDING.contains(&name.as_str()))
            .collect();
        let useless: Vec<_> = there.difference(&needed).collect();
        assert!(missing.is_empty(), "{} lacks {missing:?}", words.tag);
        assert!(useless.is_empty(), "{} needs no {useless:?}", words.tag);
    }
}

#[test]
fn a_text_that_is_not_translated_yet_is_shown_in_english() {
    let english = file("en");
    for words in &LANGUAGES {
        for name in PENDING {
            assert_eq!(words.text(name), english[name], "{} {name}", words.tag);
            let has_its_own = words.tag != "en" && file(words.tag).contains_key(name);
            assert!(!has_its_own, "{} {name} is translated", words.tag);
        }
    }
}

/// A form that stands for one number may say it with a word.
#[test]
fn every_text_has_the_placeholders_of_english() {
    let english = file("en");
    let holes = |text: &str| {
        let names = ["{n}", "{time}", "{from}"];
        names.map(|name| text.matches(name).count())
    };
    for words in &LANGUAGES {
        let forms = forms(words);
        for (name, text) in file(words.tag) {
            let (model, alone) = match counted(&name) {
                Some((stem, form)) => (format!("{stem}_other"), forms[form].len() == 1),
                None => (name.clone(), false),
            };
            let is_word = alone && holes(&text) == [0, 0, 0];
            let same = holes(&text) == holes(&english[&model]);
            assert!(same || is_word, "{} {name}: {text}", words.tag);
            let braces = text.matches(['{', '}']).count();
            let known: usize = holes(&text).iter().sum();
            assert_eq!(braces, 2 * known, "{} {name}: {text}", words.tag);
        }
    }
}

#[test]
fn every_text_can_stand_anywhere_on_a_page() {
    for words in &LANGUAGES {
        for (name, text) in file(words.tag) {
            assert!(!text.is_empty(), "{} {name}", words.tag);
            assert_eq!(text, text.trim(), "{} {name}", words.tag);
            let bad = text.contains(|sign: char| "<>\"'&\\".contains(sign) || sign.is_control());
            assert!(!bad, "{} {name}: {text}", words.tag);
        }
    }
}
