//! What people see: the waiting page, its JSON twin, the panel and a plain notice.
//!
//! The built-in pages are compiled; everything on a page comes with it, and its policy forbids the rest.

mod brand;
mod built_in;
mod challenge;
mod clock;
mod cloudflare;
mod event;
mod invitation;
mod noticed;
mod page_context;
mod pages;
mod panel;
mod stage;
mod template;
mod update;
mod waiting;

use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::{self, Language};
pub use brand::{Brand, LONGEST_MESSAGE, UNSAYABLE, is_sayable};
pub use challenge::{Challenge, challenge};
pub use clock::iso_8601;
pub use cloudflare::CfWaitingRoom;
pub use event::{event_words, events_json};
pub use invitation::invitation;
pub use pages::{Pages, Refused};
pub use panel::{
    ASKS_ABOVE, ASKS_FROM_TIMES, ActionWords, Away, BoardSeen, Configured, News, PanelView,
    Question, Rejection, Unconfirmed, number, pace_words, panel, panel_without_store, people,
    question,
};
pub use stage::Obstacle;
pub use template::Refusal;
use template::Same;
pub use update::place;
pub use waiting::{Links, Waiting, waiting_json, waiting_page};

/// What a page without texts and without a brand of its own is rendered with.
fn unbranded(words: &Language) -> Same<'_> {
    Same { words, brand: None }
}

const NOBODY: &str = "'none'";

/// What a page about cookies says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieTrial {
    /// They are being tried.
    UnderWay,
    /// None were kept.
    Failed,
}

/// A page about cookies.
#[must_use]
pub fn cookies(status: u16, words: &Language, to: &str, trial: CookieTrial) -> Reply {
    let label = words.text("again");
    let (title, text, link) = match trial {
        CookieTrial::UnderWay => ("heading_unnumbered", "unnumbered", None),
        CookieTrial::Failed => ("cookies", "cookies_why", Some(Link { to, label })),
    };
    let [title, text] = [title, text].map(|name| words.text(name));
    notice_in(words, status, title, text, link, NOBODY)
}

/// No number is given to a visitor of whom the platform says something.
#[must_use]
pub fn refused(words: &Language, frame_ancestors: Option<&str>) -> Reply {
    let [title, text] = ["refused", "refused_why"].map(|name| words.text(name));
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    notice_in(words, 403, title, text, None, frame_ancestors)
}

/// The site's firewall stops the request.
#[must_use]
pub fn stopped(words: &Language, frame_ancestors: Option<&str>) -> Reply {
    let [title, text] = ["stopped", "stopped_why"].map(|name| words.text(name));
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    notice_in(words, 403, title, text, None, frame_ancestors)
}

/// A form was posted by a visitor whose ticket did not come along: it was not delivered, and this page goes on to `to`.
#[must_use]
pub fn posted(status: u16, words: &Language, to: &str, frame_ancestors: Option<&str>) -> Reply {
    let [title, text, label] = ["posted", "posted_why", "continue"].map(|name| words.text(name));
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    notice_in(
        words,
        status,
        title,
        text,
        Some(Link { to, label }),
        frame_ancestors,
    )
}

/// The way on from a page.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Where it leads.
    pub to: &'a str,
    /// What the visitor or the operator reads on it.
    pub label: &'a str,
}

/// A page about a problem, with a way on.
#[must_use]
pub fn problem(status: u16, title: &str, text: &str, link: Link<'_>) -> Reply {
    notice_in(i18n::english(), status, title, text, Some(link), NOBODY)
}

/// A page with one thing to say.
#[must_use]
pub fn notice(status: u16, title: &str, text: &str) -> Reply {
    notice_in(i18n::english(), status, title, text, None, NOBODY)
}

fn notice_in(
    words: &Language,
    status: u16,
    title: &str,
    text: &str,
    link: Option<Link<'_>>,
    frame_ancestors: &str,
) -> Reply {
    let data = object!({
        "lang": words.tag,
        "dir": words.direction,
        "title": title,
        "text": text,
        "link": link.map(|link| link.to),
        "label": link.map(|link| link.label),
    });
    built_in::NOTICE.render(status, &data, unbranded(words), frame_ancestors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::built_in::texts::{ADMIN, CHALLENGE, INVITATION, NOTICE, QUESTION, QUEUE};

    #[test]
    fn nothing_on_a_page_comes_from_elsewhere() {
        for text in [QUEUE, ADMIN, NOTICE, CHALLENGE, INVITATION, QUESTION] {
            let text = text.replace("http://www.w3.org/2000/svg", "");
            // The logo is a setting that begins with `data:`.
            let text = text.replace(r#"src="{{brand.logo}}""#, "");
            for outside in ["http://", "https://", "src=", "@import", "url("] {
                assert!(!text.contains(outside), "{outside} in {text}");
            }
        }
    }

    #[test]
    fn what_is_shown_is_escaped() {
        let reply = notice(200, "<script>", "\"&'");
        let html = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(
            html.contains("&lt;script&gt;") && !html.contains("<script>"),
            "{html}"
        );
    }
}
