//! The languages of the waiting page: their list, and how many there are wherever a page says so.

use now_serving::i18n::{LANGUAGES, NAMES_IN_ENGLISH};

/// What follows their number in a page.
const UNIT: &str = " languages";

/// The list of `docs/reference/languages.md`.
pub(super) fn list() -> String {
    let named = NAMES_IN_ENGLISH.iter().zip(&LANGUAGES);
    let named: Vec<String> = named
        .map(|(name, words)| format!("{name} (`{}`)", words.tag))
        .collect();
    format!("{}{UNIT}: {}.\n", LANGUAGES.len(), named.join(", "))
}

/// The line of the contract that says which can be chosen.
pub(super) fn tags() -> String {
    let tags: Vec<&str> = LANGUAGES.iter().map(|words| words.tag).collect();
    format!("          enum: [{}]\n", tags.join(", "))
}

/// The page with their number before each ` languages` that has one, if any has.
pub(super) fn counted(page: &str) -> Option<String> {
    let (mut counted, mut rest) = (String::new(), page);
    let mut is_said = false;
    while let Some((before, after)) = rest.split_once(UNIT) {
        let words = before.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let has_number = words.len() < before.len();
        let number = has_number.then(|| LANGUAGES.len().to_string());
        counted = counted + words + &number.unwrap_or_default() + UNIT;
        is_said |= has_number;
        rest = after;
    }
    is_said.then(|| counted + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_how_many_there_are() {
        let many = LANGUAGES.len();
        let page = "In six languages: **7 languages**, 12 languages.";
        let expected = format!("In six languages: **{many} languages**, {many} languages.");
        assert_eq!(counted(page), Some(expected));
        assert_eq!(counted("In six languages."), None);
    }
}
