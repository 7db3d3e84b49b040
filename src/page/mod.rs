//! What people see: the waiting page, its JSON twin, the panel and a plain notice.
//!
//! The built-in pages are compiled; everything on a page comes with it, and its policy forbids the rest.

mod brand;
mod built_in;
mod challenge;
mod clock;
mod cloudflare;
mod countdown;
mod event;
mod invitation;
mod noticed;
mod page_context;
mod pages;
mod panel;
mod papers;
mod report;
mod shell;
mod stage;
mod template;
mod update;
mod waiting;

use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::{self, Language};
pub use brand::{Brand, LONGEST_HEADING, LONGEST_MESSAGE, UNSAYABLE, is_sayable};
pub use challenge::{Challenge, challenge};
pub use clock::{iso_8601, utc};
pub use cloudflare::CfWaitingRoom;
pub use event::{event_words, events_json, with_json};
pub use invitation::invitation;
pub use pages::{Pages, Refused};
pub use panel::{
    ASKS_ABOVE, ASKS_FROM_TIMES, ActionWords, Away, BoardSeen, Configured, Forecast, News,
    PanelView, Proposal, Question, Rejection, Span, Unconfirmed, forecast, number, pace_words,
    panel, panel_without_store, people, proposed, question, stands,
};
pub use papers::{LotView, OrderView, ReceiptView, Rule, no_receipt, order, receipt};
pub use report::{LaneWaits, NoShows, Press, Report, ShownAs};
use serde_json::Value;
pub use shell::Shell;
use shell::paragraph;
pub use stage::Obstacle;
pub use template::Refusal;
use template::Same;
pub use update::place;
pub use waiting::{Draw, Links, Waiting, waiting_json, waiting_page};

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
pub fn cookies(status: u16, shell: Shell<'_>, to: &str, trial: CookieTrial) -> Reply {
    let label = shell.words.text("again");
    match trial {
        // It goes on at once, and nothing is wrong.
        CookieTrial::UnderWay => shell.notice(status, ["posted", "cookies_tried"], None),
        CookieTrial::Failed => {
            shell.notice(status, ["cookies", "cookies_why"], Some(Link { to, label }))
        }
    }
}

/// No number is given to a visitor of whom the platform says something.
#[must_use]
pub fn refused(shell: Shell<'_>) -> Reply {
    shell.notice(403, ["refused", "refused_why"], None)
}

/// The site's firewall stops the request.
#[must_use]
pub fn stopped(shell: Shell<'_>) -> Reply {
    shell.notice(403, ["stopped", "stopped_why"], Some(shell.home()))
}

/// The origin did not answer a visitor inside, who may ask again at `here`. `more` is for a developer.
#[must_use]
pub fn away(shell: Shell<'_>, here: Option<&str>, more: Option<&str>) -> Reply {
    let more: Vec<Value> = more.map(paragraph).into_iter().collect();
    let [title, text] = ["posted", "away"].map(|name| shell.words.text(name));
    let label = shell.words.text("again");
    let more = object!({ "more": more, "link": here, "label": label });
    shell.page(502, title, text, more)
}

/// The same in a sentence for programs.
#[must_use]
pub fn away_detail() -> &'static str {
    i18n::english().text("away")
}

/// A form was posted by a visitor whose ticket did not come along: it was not delivered, and this page goes on to `to`.
#[must_use]
pub fn posted(status: u16, shell: Shell<'_>, to: &str) -> Reply {
    let label = shell.words.text("continue");
    shell.notice(status, ["not_sent", "posted_why"], Some(Link { to, label }))
}

/// The languages, of which the visitor chooses one: `action` takes it, and leads back to `to`.
#[must_use]
pub fn languages(shell: Shell<'_>, action: &str, to: &str) -> Reply {
    let language = |words: &Language| {
        let is_here = words.tag == shell.words.tag;
        object!({ "tag": words.tag, "name": words.text("name"), "here": is_here })
    };
    let languages: Vec<Value> = i18n::LANGUAGES.iter().map(language).collect();
    let more = object!({ "action": action, "to": to, "languages": languages });
    shell.page(200, shell.words.text("language"), "", more)
}

/// The way on from a page.
#[derive(Clone, Copy, Debug)]
pub struct Link<'a> {
    /// Where it leads.
    pub to: &'a str,
    /// What the visitor or the operator reads on it.
    pub label: &'a str,
}

/// A page for an operator about a problem, with a way on.
#[must_use]
pub fn problem(status: u16, title: &str, text: &str, link: Link<'_>) -> Reply {
    let more = object!({ "link": link.to, "label": link.label });
    Shell::plain(i18n::english()).page(status, title, text, more)
}

/// A page of a service whose configuration cannot be read, with one thing to say.
#[must_use]
pub fn notice(status: u16, title: &str, text: &str) -> Reply {
    Shell::plain(i18n::english()).page(status, title, text, Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::built_in::texts::{
        ADMIN, CHALLENGE, INVITATION, NOTICE, QUESTION, QUEUE, REPORT,
    };

    #[test]
    fn nothing_on_a_page_comes_from_elsewhere() {
        for text in [
            QUEUE, ADMIN, NOTICE, CHALLENGE, INVITATION, QUESTION, REPORT,
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
