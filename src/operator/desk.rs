//! What an operator's browser gets: the panel, a question before what cannot be undone, and the way back.

use hmac_sha256::HMAC;

use super::verbs::{self, Ask, News, Verb};
use super::{Answered, Context, simply, to_panel};
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::page::{self, Configured, PanelView, SignSeen, Trouble};
use crate::queue::Reason;
use crate::store::Line;
use crate::store::upstash::{Attempt, StoreError};
use crate::ticket::Ticket;
use crate::ticket::keys::{LENGTH, Purpose, sealed, unsealed};
use crate::visitor::ticket_cookie;

/// For how long the panel tells what was done, in seconds.
const NEWS_LIFE: u64 = 60;

/// The panel, with what went wrong if anything did.
pub(super) fn panel(status: u16, trouble: Option<Trouble<'_>>, at: Context<'_>) -> Answered {
    let (now_ms, config) = (at.line.now_ms, at.config);
    let attempt = match trouble {
        Some(_) => Attempt::AfterRefusal,
        None => Attempt::First,
    };
    let board = match at.line.board(attempt) {
        Ok(board) => board,
        Err(fault) => return without_store(fault, "Nothing can be read or moved.", config),
    };
    let news = news(at.call, config, now_ms / 1000);
    let desk = PanelView {
        board: &board,
        words: verbs::WORDS,
        copy: at.near.peek().map(|copy| SignSeen {
            read_ms: copy.read_ms,
            is_old: copy.is_old,
        }),
        ticket: ticket_cookie::ticket(at.call, config, now_ms / 1000),
        news: news.as_deref(),
        trouble,
        once: &at.call.id,
        now_ms,
    };
    let reply = page::panel(status, &configured(config), &desk);
    let reason = if trouble.is_some() {
        Reason::NotChanged
    } else {
        Reason::Panel
    };
    Answered {
        sign: Some(board.sign),
        ..simply(reply, reason)
    }
}

pub(super) fn without_store(fault: StoreError, known: &str, config: &Config) -> Answered {
    let why = sentence(&fault.to_string());
    Answered {
        fault: Some(fault),
        ..simply(
            page::panel_without_store(&configured(config), &why, known),
            Reason::StoreTrouble,
        )
    }
}

fn configured(config: &Config) -> Configured<'_> {
    Configured {
        room: &config.room,
        path: &config.admin_path,
        tickets: config.admin_host.is_none(),
        permit_max: config.permit_max,
        refresh_interval: config.refresh_interval,
        pace: config.pace,
        message: config.pages.brand.message.as_deref(),
    }
}

fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", String::from_iter(first), letters.as_str())
}

/// Asks first, and says how many it touches.
pub(super) fn ask(
    verb: &Verb,
    ask: &Ask<'_>,
    again: &[(String, String)],
    at: Context<'_>,
) -> Answered {
    let sign = match at.line.status() {
        Ok(sign) => sign,
        Err(fault) => return without_store(fault, "Nothing was changed.", at.config),
    };
    let question = ask(&sign, at.config);
    let reply = page::question(&at.config.admin_path, verb.route, &question, again);
    Answered {
        sign: Some(sign),
        ..simply(reply, Reason::Panel)
    }
}

/// Back to the panel, which tells what was done, with a test ticket if there is one.
pub(super) fn back(done: &str, ticket: Option<&Ticket>, at: Context<'_>) -> Reply {
    let reply = panel_with_news(done, at.config, at.line.now_ms / 1000);
    let cookies =
        ticket.map(|ticket| ticket_cookie::cookies(at.call, ticket, at.config, ticket.signed));
    reply.with_cookies(cookies.unwrap_or_default())
}

/// Takes the operator's own ticket away.
pub(super) fn forget(call: &Call, line: &Line<'_>, config: &Config) -> Answered {
    let reply = panel_with_news("done=forget&number=0", config, line.now_ms / 1000)
        .with_cookies(ticket_cookie::forget(call, config));
    Answered {
        action: Some("test ticket thrown away".to_owned()),
        ..simply(reply, Reason::Changed)
    }
}

/// The way to the panel with what was just done, which no link of a stranger can claim: it is sealed, for a minute.
fn panel_with_news(done: &str, config: &Config, now: u64) -> Reply {
    let text = format!("{done}&at={now}&seal=");
    let query = news_keys(config).next().map(|key| sealed(&text, &key));
    to_panel(Some(&query.unwrap_or_default()), config)
}

fn news_keys(config: &Config) -> impl Iterator<Item = [u8; LENGTH]> {
    let keys = config.keys.of(Purpose::News);
    keys.map(|key| HMAC::mac(&config.room, key))
}

/// Whether we said this within the last minute. Clocks of two data centres may differ a little.
fn is_news(call: &Call, config: &Config, now: u64) -> bool {
    let query = call.query.as_deref().unwrap_or_default();
    let is_ours = news_keys(config).any(|key| unsealed(query, &key).is_some());
    let at = call.parameter("at").and_then(|at| at.parse::<u64>().ok());
    is_ours && at.is_some_and(|at| now.abs_diff(at) < NEWS_LIFE)
}

/// What the last press of a button did, as the redirect after it tells.
fn news(call: &Call, config: &Config, now: u64) -> Option<String> {
    if !is_news(call, config, now) {
        return None;
    }
    verbs::news(&News {
        act: &call.parameter("done")?,
        number: call.parameter("number")?.parse().ok()?,
        call,
        config,
    })
}
