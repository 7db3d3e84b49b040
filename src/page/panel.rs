//! The panel: what operators see, and the button.

use std::sync::LazyLock;

use serde_json::json;

use super::template::Template;
use super::{ADMIN_TEXT, NOBODY, house, notice};
use crate::admission::Pace;
use crate::config::Config;
use crate::http::Reply;
use crate::line::Sign;
use crate::words::english;

// Parsed when it is first shown.
static ADMIN: LazyLock<Option<Template>> = LazyLock::new(|| house(ADMIN_TEXT));

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
            "cursor": number(sign.cursor.0),
            "length": number(sign.length),
            "waiting": number(sign.waiting()),
            "credit": number(sign.credit),
        })
    });
    let title = sign.map_or_else(
        || "Now Serving: no answer".to_owned(),
        |sign| format!("{} waiting · Now Serving", number(sign.waiting())),
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
        "permit_max_words": number(config.permit_max),
        "look": seconds(config.refresh_interval),
    });
    let shown = ADMIN.as_ref();
    shown
        .and_then(|page| page.render(status, &data.into(), NOBODY))
        .unwrap_or_else(|| notice(status, &title, "The panel's template cannot be shown."))
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
