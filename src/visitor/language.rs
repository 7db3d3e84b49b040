//! The language that a visitor chose: its tag stands in the ticket. And the pages in it.

use crate::http::Call;
use crate::i18n::{LANGUAGES, Language, words};
use crate::page::Shell;
use crate::request::Request;
use crate::ticket::Ticket;

/// The language that the visitor chose, or the one that the browser asks for.
pub(super) fn of(ticket: Option<&Ticket>, call: &Call) -> &'static Language {
    let chosen = ticket.and_then(|ticket| ticket.language.as_deref());
    let chosen = chosen.and_then(named);
    chosen.unwrap_or_else(|| words(&call.header("accept-language")))
}

/// What the room's pages look like to the holder of this ticket.
pub(crate) fn shell<'a>(ticket: Option<&Ticket>, request: &Request<'a>) -> Shell<'a> {
    Shell {
        words: of(ticket, request.call),
        brand: &request.room.pages.brand,
        frame_ancestors: request.config.web.frame_ancestors.as_deref(),
    }
}

/// The same of a page that no other site may show in a frame, whatever the settings say: what it says is the visitor's own, or a press
/// on it counts.
pub(super) fn unframed<'a>(ticket: Option<&Ticket>, request: &Request<'a>) -> Shell<'a> {
    Shell {
        frame_ancestors: None,
        ..shell(ticket, request)
    }
}

/// What pages look like while no configuration can be read.
pub(crate) fn plain_shell(call: &Call) -> Shell<'static> {
    Shell::plain(of(None, call))
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
