//! The language that a visitor chose: its tag stands in the ticket.

use crate::http::Call;
use crate::i18n::{LANGUAGES, Language, words};
use crate::ticket::Ticket;

/// The language that the visitor chose, or the one that the browser asks for.
pub(super) fn of(ticket: Option<&Ticket>, call: &Call) -> &'static Language {
    let chosen = ticket.and_then(|ticket| ticket.language.as_deref());
    let chosen = chosen.and_then(named);
    chosen.unwrap_or_else(|| words(&call.header("accept-language")))
}

/// The language of exactly this tag.
pub(super) fn named(tag: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|words| words.tag == tag)
}

/// All tags, as an error lists them.
pub(super) fn tags() -> String {
    let tags: Vec<&str> = LANGUAGES.iter().map(|words| words.tag).collect();
    tags.join(", ")
}
