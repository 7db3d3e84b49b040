//! The panel: what operators see and what they can press, and the question before what cannot be undone.

use std::sync::LazyLock;

use serde_json::json;

use super::template::Template;
use super::{ADMIN_TEXT, NOBODY, QUESTION_TEXT, house, notice};
use crate::admission::Pace;
use crate::config::Config;
use crate::http::Reply;
use crate::line::Board;
use crate::near::Copied;
use crate::ticket::Ticket;
use crate::words::english;

// Parsed when they are first shown.
static ADMIN: LazyLock<Option<Template>> = LazyLock::new(|| house(ADMIN_TEXT));
static QUESTION: LazyLock<Option<Template>> = LazyLock::new(|| house(QUESTION_TEXT));

/// What the panel shows.
pub struct Desk<'a> {
    /// The line, and what belongs to it.
    pub board: &'a Board,
    /// The copy of the sign that visitors see here.
    pub copy: Option<Copied>,
    /// The ticket this browser holds.
    pub ticket: Option<Ticket>,
    /// What was just done.
    pub news: Option<&'a str>,
    /// What was not.
    pub trouble: Option<&'a str>,
    /// So that a form sent twice is one change.
    pub once: &'a str,
    /// Unix time in milliseconds.
    pub now_ms: u64,
}

/// What is asked before something that cannot be undone.
pub struct Question {
    /// Where the answer goes.
    pub route: &'static str,
    /// The question.
    pub title: &'static str,
    /// What it does, and to how many.
    pub text: String,
    /// The word on the button.
    pub yes: &'static str,
    /// What has to be typed.
    pub word: Option<String>,
}

/// The panel: the line as it stands, and the buttons.
#[must_use]
pub fn panel(status: u16, config: &Config, desk: &Desk<'_>) -> Reply {
    let sign = &desk.board.sign;
    let shown = json!({
        "cursor": number(sign.cursor.0),
        "length": number(sign.length),
        "waiting": number(sign.waiting()),
        "credit": number(sign.credit),
    });
    let title = format!("{} waiting · Now Serving", number(sign.waiting()));
    let pace = sign.live.pace;
    let data = json!({
        "title": title,
        "room": config.room,
        "path": config.admin_path,
        "sign": shown,
        "trouble": desk.trouble,
        "news": desk.news,
        "once": desk.once,
        "pace": pace_words(pace),
        "amount": pace.quantity.min(config.permit_max),
        "permit_max": config.permit_max,
        "permit_max_words": number(config.permit_max),
        "look": seconds(config.refresh_interval),
    });
    shown_as(&ADMIN, status, &title, data)
}

/// The panel while nothing can be seen.
#[must_use]
pub fn panel_without_store(config: &Config, trouble: &str) -> Reply {
    let title = "Now Serving: no answer";
    let data = json!({
        "title": title,
        "room": config.room,
        "path": config.admin_path,
        "down": trouble,
    });
    shown_as(&ADMIN, 503, title, data)
}

/// The question, with what the form said as hidden fields.
#[must_use]
pub fn question(config: &Config, question: &Question, again: &[(String, String)]) -> Reply {
    let fields = again.iter().filter(|(name, _)| name != "word");
    let fields = fields.map(|(name, value)| json!({ "name": name, "value": value }));
    let data = json!({
        "title": question.title,
        "text": question.text,
        "yes": question.yes,
        "word": question.word,
        "path": config.admin_path,
        "route": question.route,
        "fields": fields.collect::<Vec<_>>(),
    });
    shown_as(&QUESTION, 200, question.title, data)
}

fn shown_as(
    template: &LazyLock<Option<Template>>,
    status: u16,
    title: &str,
    data: serde_json::Value,
) -> Reply {
    let shown = template.as_ref();
    shown
        .and_then(|page| page.render(status, &data.into(), NOBODY))
        .unwrap_or_else(|| notice(status, title, "The panel's template cannot be shown."))
}

/// So many people.
#[must_use]
pub fn people(many: u64) -> String {
    if many == 1 {
        "1 person".to_owned()
    } else {
        format!("{} people", number(many))
    }
}

fn pace_words(pace: Pace) -> String {
    if pace.automatic == 0 {
        return "The line moves by hand and by the permit API only.".to_owned();
    }
    format!(
        "The line moves by {} every {}.",
        number(pace.quantity),
        seconds(pace.automatic)
    )
}

fn seconds(many: u64) -> String {
    let plural = if many == 1 { "" } else { "s" };
    format!("{} second{plural}", number(many))
}

/// Operators read English.
fn number(number: u64) -> String {
    english().number(number)
}
