//! The language that a visitor chose: its tag stands in the ticket.

use crate::i18n::{LANGUAGES, Language};

/// The language of exactly this tag.
pub(super) fn named(tag: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|words| words.tag == tag)
}

/// All tags, as an error lists them.
pub(super) fn tags() -> String {
    let tags: Vec<&str> = LANGUAGES.iter().map(|words| words.tag).collect();
    tags.join(", ")
}
