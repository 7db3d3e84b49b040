//! The glossary: each word once, and each word in use.

use std::fs;
use std::path::PathBuf;

use crate::pure::conventions::text;
use crate::pure::docs::{pages, prose};

const PAGE: &str = "docs/glossary.md";

/// The words of the glossary's first table; a row may have several, with commas between them.
fn terms(page: &str) -> Vec<String> {
    let table = page.split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter_map(|row| row.split_once(" | ")).skip(1);
    let terms = rows.flat_map(|(terms, _)| terms.split(", "));
    terms.map(str::to_owned).collect()
}

/// Small letters, with one space where words are apart; names such as `Idempotency-Key` and `shared_tickets` are words too.
fn words(page: &str) -> String {
    let apart = |letter: char| {
        if letter.is_alphanumeric() {
            letter
        } else {
            ' '
        }
    };
    let spaced: String = page.to_lowercase().chars().map(apart).collect();
    format!(
        " {} ",
        spaced.split_whitespace().collect::<Vec<_>>().join(" ")
    )
}

/// Whether text has this word, alone or as the plural.
fn has(text: &str, word: &str) -> bool {
    let word = words(word);
    let word = word.trim_end();
    ["", "s"]
        .iter()
        .any(|end| text.contains(&format!("{word}{end} ")))
}

/// The prose of each page besides the glossary, as [`words`], with its path.
fn texts() -> Vec<(String, String)> {
    let pages = pages().into_iter().filter(|path| !path.ends_with(PAGE));
    let read = |path: PathBuf| {
        let page = fs::read_to_string(&path).unwrap();
        (path.display().to_string(), words(&prose(&page).join("\n")))
    };
    pages.map(read).collect()
}

#[test]
fn each_word_of_the_glossary_is_in_it_once_and_in_use() {
    let (terms, texts) = (terms(&text(PAGE)), texts());
    assert!(terms.len() > 30, "{terms:?}");
    for (place, term) in terms.iter().enumerate() {
        assert!(!terms[..place].contains(term), "{term} is there twice");
        let used = texts.iter().any(|(_, text)| has(text, term));
        assert!(used, "no page uses {term}");
    }
}

#[test]
fn a_word_is_found_in_names_and_as_the_plural_and_not_in_another_word() {
    let text = words("`shared_tickets`, Idempotency-Key,\nreleases and the POP.");
    for word in ["shared ticket", "idempotency key", "release", "POP"] {
        assert!(has(&text, word), "{word}");
    }
    assert!(!has(&text, "lease") && !has(&text, "ticket key"));
}
