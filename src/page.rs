//! What people see: the waiting page, its JSON twin, the panel and a plain notice.
//!
//! Templates are parsed once; everything on a page comes with it, and its policy forbids the rest.

mod template;

use std::sync::LazyLock;

use serde::Serialize;
use serde_json::json;

use crate::admission::{Pace, Position};
use crate::config::Config;
use crate::http::Reply;
use crate::line::Sign;
use template::Template;

const QUEUE_TEXT: &str = include_str!("../templates/queue.html");
const ADMIN_TEXT: &str = include_str!("../templates/admin.html");
const NOTICE_TEXT: &str = include_str!("../templates/notice.html");

// One by one, so that nobody parses a page that is not shown.
static QUEUE: LazyLock<Template> = LazyLock::new(|| Template::new(QUEUE_TEXT));
static ADMIN: LazyLock<Template> = LazyLock::new(|| Template::new(ADMIN_TEXT));
static NOTICE: LazyLock<Template> = LazyLock::new(|| Template::new(NOTICE_TEXT));

const NOBODY: &str = "'none'";

/// What a waiting visitor is told.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waiting {
    /// The number; `None` while none could be drawn.
    pub position: Option<Position>,
    /// Where the sign stands and how many are ahead; `None` while the store does not answer.
    pub seen: Option<(Sign, u64)>,
    /// Whether that is the last sign known, since the store does not answer.
    pub is_old: bool,
    /// Seconds until it is this visitor's turn, where that can be known.
    pub estimate: Option<u64>,
    /// Seconds until the next look.
    pub refresh: u64,
    /// Whether the request carried something that was not delivered.
    pub unsent: bool,
}

/// The waiting page, for whoever may show it in a frame.
#[must_use]
pub fn waiting_page(status: u16, waiting: &Waiting, frame_ancestors: Option<&str>) -> Reply {
    let number = waiting.position.map(|position| grouped(position.0));
    let ahead = waiting.seen.map(|(_, ahead)| ahead);
    let title = match (&number, ahead) {
        (_, Some(ahead)) => format!("{} ahead of you", grouped(ahead)),
        (Some(number), None) => format!("Your number is {number}"),
        (None, None) => "You are in line".to_owned(),
    };
    let line = match (ahead, waiting.position) {
        (Some(ahead), _) => ahead_words(ahead),
        (None, Some(_)) => "Your place is kept. We cannot see the sign at the moment.".to_owned(),
        (None, None) => {
            "Please wait a moment: we will draw your number at the next look.".to_owned()
        }
    };
    let data = json!({
        "title": title,
        "heading": "You are in line",
        "number": number,
        "line": line,
        "wait": waiting.estimate.map(wait_words),
        "serving": waiting.seen.map(|(sign, _)| grouped(sign.cursor.0)),
        "old": waiting.is_old,
        "unsent": waiting.unsent,
        "refresh": seconds(waiting.refresh),
    });
    QUEUE.render(status, data, frame_ancestors.unwrap_or(NOBODY))
}

#[derive(Serialize)]
struct WaitingData<'a> {
    waiting: bool,
    position: Option<u64>,
    cursor: Option<u64>,
    ahead: Option<u64>,
    estimated_wait_seconds: Option<u64>,
    refresh_seconds: u64,
    room: &'a str,
    message: Option<&'a str>,
    /// Only there to say that the figures are the last ones known.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<bool>,
    /// Only there to say that what the request carried was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<bool>,
}

/// The same as data, for programs.
#[must_use]
pub fn waiting_json(status: u16, waiting: &Waiting, room: &str) -> Reply {
    let data = WaitingData {
        waiting: true,
        position: waiting.position.map(|position| position.0),
        cursor: waiting.seen.map(|(sign, _)| sign.cursor.0),
        ahead: waiting.seen.map(|(_, ahead)| ahead),
        estimated_wait_seconds: waiting.estimate,
        refresh_seconds: waiting.refresh,
        room,
        message: None,
        old: waiting.is_old.then_some(true),
        sent: waiting.unsent.then_some(false),
    };
    Reply::json(status, &data)
}

/// The panel: the line as it stands, or why it cannot be seen, and the button.
#[must_use]
pub fn panel(
    status: u16,
    config: &Config,
    sign: Option<Sign>,
    trouble: Option<&str>,
    news: Option<&str>,
) -> Reply {
    let shown = sign.map(|sign| {
        json!({
            "cursor": grouped(sign.cursor.0),
            "length": grouped(sign.length),
            "waiting": grouped(sign.waiting()),
            "credit": grouped(sign.credit),
        })
    });
    let title = sign.map_or_else(
        || "Now Serving: no answer".to_owned(),
        |sign| format!("{} waiting · Now Serving", grouped(sign.waiting())),
    );
    let data = json!({
        "title": title,
        "room": config.room,
        "path": config.admin_path,
        "sign": shown,
        "trouble": trouble,
        "news": news,
        "pace": pace_words(config.pace),
        "amount": config.pace.quantity.min(config.permit_max),
        "permit_max": config.permit_max,
        "permit_max_words": grouped(config.permit_max),
        "look": seconds(config.refresh_interval),
    });
    ADMIN.render(status, data, NOBODY)
}

/// A page with one thing to say.
#[must_use]
pub fn notice(status: u16, title: &str, text: &str) -> Reply {
    NOTICE.render(status, json!({ "title": title, "text": text }), NOBODY)
}

fn ahead_words(ahead: u64) -> String {
    match ahead {
        0 => "You are next.".to_owned(),
        1 => "There is 1 person ahead of you.".to_owned(),
        more => format!("There are {} people ahead of you.", grouped(more)),
    }
}

fn wait_words(seconds: u64) -> String {
    match seconds {
        0..=59 => "Less than a minute to go.".to_owned(),
        60..=89 => "About 1 minute to go.".to_owned(),
        90..=5_399 => format!("About {} minutes to go.", (seconds + 30) / 60),
        more => format!("About {} hours to go.", grouped((more + 1_800) / 3_600)),
    }
}

fn pace_words(pace: Pace) -> String {
    if pace.automatic == 0 {
        return "The line moves by hand and by the permit API only.".to_owned();
    }
    format!(
        "The line moves by {} every {}.",
        grouped(pace.quantity),
        seconds(pace.automatic)
    )
}

fn seconds(number: u64) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} second{plural}", grouped(number))
}

/// Digits in groups of three, as English readers expect them.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let first = digits.len() % 3;
    digits
        .char_indices()
        .flat_map(|(index, digit)| {
            let comma = index > 0 && index % 3 == first;
            comma.then_some(',').into_iter().chain([digit])
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wording_follows_the_count() {
        assert_eq!(ahead_words(0), "You are next.");
        assert_eq!(ahead_words(1), "There is 1 person ahead of you.");
        assert_eq!(ahead_words(2), "There are 2 people ahead of you.");
        assert_eq!(ahead_words(3288), "There are 3,288 people ahead of you.");
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        let shown = [0, 12, 123, 1_234, 123_456, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
    }

    #[test]
    fn a_wait_is_worded_no_finer_than_it_is_known() {
        let shown = [0, 59, 60, 89, 90, 720, 7_200].map(wait_words);
        assert_eq!(
            shown,
            [
                "Less than a minute to go.",
                "Less than a minute to go.",
                "About 1 minute to go.",
                "About 1 minute to go.",
                "About 2 minutes to go.",
                "About 12 minutes to go.",
                "About 2 hours to go.",
            ]
        );
    }

    #[test]
    fn nothing_on_a_page_comes_from_elsewhere() {
        for text in [QUEUE_TEXT, ADMIN_TEXT, NOTICE_TEXT] {
            let text = text.replace("http://www.w3.org/2000/svg", "");
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
