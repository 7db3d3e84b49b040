//! What an operator's browser gets: the panel, a question before what cannot be undone, and the way back.

use hmac_sha256::HMAC;

use super::{Answered, simply, to_panel};
use crate::cache::SignCache;
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::page::{self, Configured, Desk, Question, SignSeen, Trouble};
use crate::queue::Position;
use crate::queue::Reason;
use crate::queue::{Change, Effect, Sign};
use crate::store::Line;
use crate::store::upstash::{Attempt, StoreError};
use crate::ticket::keys::{LENGTH, Purpose, sealed, unsealed};
use crate::ticket::{Standing, Ticket};
use crate::visitor::ticket_cookie;

/// For how long the panel tells what was done, in seconds.
const NEWS_LIFE: u64 = 60;

/// The panel, with what went wrong if anything did.
pub(super) fn panel(
    status: u16,
    trouble: Option<Trouble<'_>>,
    call: &Call,
    line: &Line<'_>,
    near: &dyn SignCache,
    config: &Config,
) -> Answered {
    let attempt = match trouble {
        Some(_) => Attempt::AfterRefusal,
        None => Attempt::First,
    };
    let board = match line.board(attempt) {
        Ok(board) => board,
        Err(fault) => return without_store(fault, "Nothing can be read or moved.", config),
    };
    let news = news(call, config, line.now_ms / 1000);
    let desk = Desk {
        board: &board,
        copy: near.peek().map(|copy| SignSeen {
            read_ms: copy.read_ms,
            is_old: copy.is_old,
        }),
        ticket: ticket_cookie::ticket(call, config, line.now_ms / 1000),
        news: news.as_deref(),
        trouble,
        once: &call.id,
        now_ms: line.now_ms,
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
    change: &Change,
    again: &[(String, String)],
    line: &Line<'_>,
    config: &Config,
) -> Answered {
    let sign = match line.status() {
        Ok(sign) => sign,
        Err(fault) => return without_store(fault, "Nothing was changed.", config),
    };
    let question = question(change, &sign, config);
    Answered {
        sign: Some(sign),
        ..simply(
            page::question(&config.admin_path, &question, again),
            Reason::Panel,
        )
    }
}

fn question(change: &Change, sign: &Sign, config: &Config) -> Question {
    let waiting = page::people(sign.waiting());
    let (route, title, text, yes) = match change {
        Change::Mode(_) => (
            "mode",
            "Open the room?",
            format!(
                "Waiting now: {waiting}. They all go in at once, and so does everybody who comes. That cannot be taken back."
            ),
            "Open the room",
        ),
        Change::ClearCredit => (
            "credit",
            "Clear the credit?",
            format!(
                "Credit for {} is taken back. Those are admissions that were granted and not used yet.",
                page::people(sign.credit)
            ),
            "Clear the credit",
        ),
        Change::RaiseEpoch => (
            "epoch",
            "End all tickets?",
            format!(
                "Waiting now: {waiting}. They lose their places and draw again, and so do the {} let in so far, if they are still inside. That cannot be taken back. Type the room's name, {}, to do it.",
                page::people(sign.cursor.0),
                config.room
            ),
            "End all tickets",
        ),
        Change::Permit { amount, credit_max } => (
            "permit",
            "Let that many in?",
            format!(
                "Waiting now: {waiting}. {} That cannot be taken back.",
                permit_words(*amount, *credit_max, sign)
            ),
            "Let them in",
        ),
        _ => ("", "", String::new(), ""),
    };
    Question {
        route,
        title,
        text,
        yes,
        word: matches!(change, Change::RaiseEpoch).then(|| config.room.clone()),
    }
}

/// What a permit would do to the line as it stands.
fn permit_words(amount: u64, credit_max: u64, sign: &Sign) -> String {
    let now = amount.min(sign.waiting());
    let rest = amount - now;
    let kept = rest.min(credit_max.saturating_sub(sign.credit));
    let goes = match now {
        0 => "No visitor goes in now.".to_owned(),
        1 => "1 person goes in at once.".to_owned(),
        many => format!("{} go in at once.", page::people(many)),
    };
    let keeps = (kept > 0).then(|| {
        let kept = page::people(kept);
        format!("Credit for {kept} is kept for the next arrivals.")
    });
    let drops = dropped_words(rest - kept, credit_max);
    let words = [Some(goes), keeps, drops];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

fn dropped_words(dropped: u64, credit_max: u64) -> Option<String> {
    let words = || {
        format!(
            "Admissions for {} are dropped, since at most {credit_max} are kept as credit.",
            page::people(dropped)
        )
    };
    (dropped > 0).then(words)
}

/// Back to the panel, which tells what was done, with a test ticket if there is one.
pub(super) fn back(
    change: &Change,
    sign: &Sign,
    effect: Effect,
    call: &Call,
    line: &Line<'_>,
    config: &Config,
) -> Reply {
    let (now, number) = (line.now_ms / 1000, effect.number);
    let asked = match change {
        Change::Permit { amount, .. } => {
            format!("&asked={amount}&dropped={}", effect.dropped(*amount))
        }
        _ => String::new(),
    };
    let done = format!("done={}&number={number}{asked}", change.verb());
    let reply = panel_with_news(&done, config, now);
    let ticket = test_ticket(change, sign, number, now);
    let cookies = ticket.map(|ticket| ticket_cookie::cookies(call, &ticket, config, ticket.signed));
    reply.with_cookies(cookies.unwrap_or_default())
}

fn test_ticket(change: &Change, sign: &Sign, number: u64, now: u64) -> Option<Ticket> {
    let position = Position(number);
    let (id, standing) = match change {
        Change::Draw(id) if number > 0 => (id, Standing::Waiting(sign.place(position))),
        Change::Jump { id, .. } => (
            id,
            Standing::Admitted {
                position: (number > 0).then_some(position),
                born: sign.birth.born,
                epoch: sign.epoch,
                at: now,
            },
        ),
        _ => return None,
    };
    Some(Ticket {
        id: id.clone(),
        standing,
        signed: now,
        life: 0,
        grace: None,
        still: false,
        notice: None,
    })
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
    let number = |name: &str| call.parameter(name)?.parse::<u64>().ok();
    let many = number("number")?;
    let people = page::people(many);
    Some(match call.parameter("done")?.as_str() {
        "permit" => {
            let (asked, dropped) = (number("asked")?, number("dropped")?);
            let kept = asked.saturating_sub(many).saturating_sub(dropped);
            permitted_words(many, asked, kept, dropped, config)
        }
        "mode" if many > 0 => format!("The mode is set; {people} went in."),
        "mode" => "The mode is set.".to_owned(),
        "pace" => "The pace is set: in effect everywhere within this period.".to_owned(),
        "message" => "The message is set: waiting visitors see it at their next look.".to_owned(),
        "credit" => format!("Credit for {people} is cleared."),
        "epoch" => format!("All tickets have ended, those of {people} waiting among them."),
        "draw" => format!("This browser holds test ticket {many}."),
        "jump" if many == 0 => {
            "This browser holds a test ticket without a number and is let in.".to_owned()
        }
        "jump" => format!("This browser holds test ticket {many} and is let in."),
        "forget" => "This browser holds no ticket any more.".to_owned(),
        _ => return None,
    })
}

fn permitted_words(many: u64, asked: u64, kept: u64, dropped: u64, config: &Config) -> String {
    if many >= asked {
        return format!("Let in: {many}.");
    }
    let goes = format!("Let in: {many} of {asked}, since no other visitor was waiting.");
    let keeps = (kept > 0).then(|| format!("Credit for {} is kept.", page::people(kept)));
    let drops = dropped_words(dropped, config.credit_max);
    let words = [Some(goes), keeps, drops];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
