//! What an operator's browser gets: the panel, a question before what cannot be undone, and the way back.

use super::{Answered, simply};
use crate::admission::Position;
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::keeping;
use crate::line::{Change, Line, Place, Sign};
use crate::near::Near;
use crate::page::{self, Desk, Question, Trouble};
use crate::record::Reason;
use crate::ticket::{Standing, Ticket};
use crate::upstash::StoreError;

/// The panel, with what went wrong if anything did.
pub(super) fn panel(
    status: u16,
    trouble: Option<Trouble<'_>>,
    call: &Call,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Answered {
    let board = match line.board() {
        Ok(board) => board,
        Err(fault) => return without_store(fault, "nothing can be read or moved", config),
    };
    let news = news(call);
    let desk = Desk {
        board: &board,
        copy: near.peek(),
        ticket: keeping::ticket(call, config, line.now_ms / 1000),
        news: news.as_deref(),
        trouble,
        once: &call.id,
        now_ms: line.now_ms,
    };
    let reply = page::panel(status, config, &desk);
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
    let trouble = format!("{fault}; {known}");
    Answered {
        fault: Some(fault),
        ..simply(
            page::panel_without_store(config, &trouble),
            Reason::StoreTrouble,
        )
    }
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
        Err(fault) => return without_store(fault, "nothing changed", config),
    };
    let question = question(change, &sign, config);
    Answered {
        sign: Some(sign),
        ..simply(page::question(config, &question, again), Reason::Panel)
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
        Change::Permit { amount, .. } => (
            "permit",
            "Let that many in?",
            format!(
                "{} go in at once. Waiting now: {waiting}. That cannot be taken back.",
                page::people(*amount)
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

/// Back to the panel, which tells what was done; a test ticket goes along.
pub(super) fn back(
    change: &Change,
    sign: &Sign,
    number: u64,
    call: &Call,
    line: &Line<'_>,
    config: &Config,
) -> Reply {
    let asked = match change {
        Change::Permit { amount, .. } => format!("&asked={amount}"),
        _ => String::new(),
    };
    let verb = change.verb();
    let location = format!("{}?done={verb}&number={number}{asked}", config.admin_path);
    let reply = Reply::new(303, "text/plain; charset=utf-8", "").with("location", location);
    let ticket = test_ticket(change, sign, number, line.now_ms / 1000);
    let cookie = ticket.and_then(|ticket| keeping::cookie(call, &ticket, config, ticket.signed));
    reply.with_some("set-cookie", cookie)
}

fn test_ticket(change: &Change, sign: &Sign, number: u64, now: u64) -> Option<Ticket> {
    let position = Position(number);
    let (id, standing) = match change {
        Change::Draw(id) if number > 0 => (
            id,
            Standing::Waiting(Place {
                born: sign.birth.born,
                epoch: sign.epoch,
                position,
                seen: sign.cursor,
            }),
        ),
        Change::Jump(id) => (
            id,
            Standing::Admitted {
                position,
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
pub(super) fn forget(call: &Call, config: &Config) -> Answered {
    let location = format!("{}?done=forget&number=0", config.admin_path);
    let reply = Reply::new(303, "text/plain; charset=utf-8", "")
        .with("location", location)
        .with("set-cookie", keeping::forget(call, config));
    Answered {
        action: Some("test ticket thrown away".to_owned()),
        ..simply(reply, Reason::Changed)
    }
}

/// What the last press of a button did, as the redirect after it tells; only known words and numbers are taken from the query.
fn news(call: &Call) -> Option<String> {
    let number = |name: &str| call.parameter(name)?.parse::<u64>().ok();
    let many = number("number")?;
    let people = page::people(many);
    Some(match call.parameter("done")?.as_str() {
        "permit" => {
            let asked = number("asked")?;
            if many >= asked {
                format!("Let in: {many}.")
            } else {
                format!(
                    "Let in: {many} of {asked}, since nobody else was waiting. The rest is kept as credit, as far as credit_max allows."
                )
            }
        }
        "mode" if many > 0 => format!("The mode is set; {people} went in."),
        "mode" => "The mode is set.".to_owned(),
        "pace" => "The pace is set: in effect everywhere within this period.".to_owned(),
        "message" => "The message is set: those who wait see it at their next look.".to_owned(),
        "credit" => format!("Credit for {people} is cleared."),
        "epoch" => format!("All tickets have ended, those of {people} waiting among them."),
        "draw" => format!("This browser holds test ticket {many}."),
        "jump" => format!("This browser holds test ticket {many} and is let in."),
        "forget" => "This browser holds no ticket any more.".to_owned(),
        _ => return None,
    })
}
