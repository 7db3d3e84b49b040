//! What people see: the waiting page, its JSON twin, the panel and a plain notice.
//!
//! Templates are parsed once; everything on a page comes with it, and its policy forbids the rest.

mod brand;
mod challenge;
mod clock;
mod cloudflare;
mod event;
mod invitation;
mod noticed;
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
    ASKS_ABOVE, ASKS_FROM_TIMES, ActionWords, Away, Configured, News, PanelView, Question,
    Rejection, SignSeen, Unconfirmed, number, pace_words, panel, panel_without_store, people,
    question,
};
pub use stage::Rescue;
use std::sync::LazyLock;
pub use template::Refusal;
use template::Template;
pub use update::place;
use waiting::data;
pub use waiting::{Links, Waiting, waiting_json, waiting_page};

/// The waiting page as `build.rs` puts it together.
const QUEUE_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/queue.html"));

const ADMIN_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/admin.html"));

const NOTICE_TEXT: &str = include_str!("../../templates/notice.html");

/// The end of a notice that is a challenge, as `build.rs` puts it together.
const CHALLENGE_TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/challenge.html"));

/// The end of a notice that takes an invitation.
const INVITATION_TEXT: &str = include_str!("../../templates/invitation.html");

const QUESTION_TEXT: &str = include_str!("../../templates/question.html");

// Parsed when it is first shown. It has no constants, and is the house's own: a test parses it.
static NOTICE: LazyLock<Option<Template>> = LazyLock::new(|| house(NOTICE_TEXT));

fn house(text: &str) -> Option<Template> {
    Template::new(text, &|_| None).ok()
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
    let (title, text, link) = match trial {
        CookieTrial::UnderWay => ("heading_unnumbered", "unnumbered", None),
        CookieTrial::Failed => ("cookies", "cookies_why", Some((to, words.text("again")))),
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
        Some((to, label)),
        frame_ancestors,
    )
}

/// A page about a problem, with a way on.
#[must_use]
pub fn problem(status: u16, title: &str, text: &str, link: (&str, &str)) -> Reply {
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
    link: Option<(&str, &str)>,
    frame_ancestors: &str,
) -> Reply {
    let data = object!({
        "lang": words.tag,
        "dir": words.direction,
        "title": title,
        "text": text,
        "link": link.map(|(to, _)| to),
        "label": link.map(|(_, label)| label),
    });
    let shown = NOTICE.as_ref();
    shown
        .and_then(|page| page.render(status, &data.into(), frame_ancestors))
        .unwrap_or_else(|| Reply::new(status, "text/plain; charset=utf-8", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_on_a_page_comes_from_elsewhere() {
        for text in [
            QUEUE_TEXT,
            ADMIN_TEXT,
            NOTICE_TEXT,
            CHALLENGE_TEXT,
            INVITATION_TEXT,
            QUESTION_TEXT,
        ] {
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
