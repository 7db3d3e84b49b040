//! What an operator's browser gets: the panel, a question before what cannot be undone, and the way back.

use hmac_sha256::HMAC;

use super::login::{Operator, Right};
use super::verbs::{self, Ask, Flash, Intent, Verb};
use super::{Answered, simply, to_panel};
use crate::config::OnStoreError;
use crate::http::Reply;
use crate::page::{
    self, Away, BoardSeen, Configured, News, PanelView, Proposal, Rejection, Span, Unconfirmed,
};
use crate::queue::{Mode, Past, Reason, RoomName};
use crate::request::Request;
use crate::store::upstash::{Attempt, StoreError};
use crate::ticket::Ticket;
use crate::ticket::keys::{LENGTH, Purpose, sealed, unsealed};
use crate::visitor::ticket_cookie;

/// For how long the panel tells what was done, in seconds.
const FLASH_LIFE: u64 = 60;

/// The panel, with what went wrong if anything did.
pub(super) fn panel(
    status: u16,
    trouble: Option<Rejection<'_>>,
    operator: &Operator,
    request: &Request<'_>,
) -> Answered {
    let now_ms = request.now.ms();
    let attempt = match trouble {
        Some(_) => Attempt::AfterRefusal,
        None => Attempt::First,
    };
    let span = request.call.parameter("span");
    let span = span.and_then(|span| Span::named(&span)).unwrap_or_default();
    let snapshot = match request.line().panel(span.past(), &[], attempt) {
        Ok(snapshot) => snapshot,
        Err(fault) => {
            return without_store(
                fault,
                "Nothing can be read or moved.",
                None,
                operator,
                request,
            );
        }
    };
    let news = news(operator, request);
    let desk = PanelView {
        snapshot: &snapshot,
        words: verbs::WORDS,
        copy: request.pop.peek().map(|copy| BoardSeen {
            read_ms: copy.read_ms,
            is_old: copy.is_old,
        }),
        operator: &operator.name,
        acts: operator.role.may(Right::Set),
        ticket: ticket_cookie::ticket(request),
        news: news.as_ref(),
        trouble,
        once: &request.call.id,
        span,
        now_ms,
    };
    let reply = page::panel(status, &configured(request), &desk);
    let reason = if trouble.is_some() {
        Reason::NotChanged
    } else {
        Reason::Panel
    };
    Answered {
        board: Some(snapshot.board),
        ..simply(reply, reason)
    }
}

pub(super) fn without_store(
    fault: StoreError,
    known: &str,
    unconfirmed: Option<Unconfirmed<'_>>,
    operator: &Operator,
    request: &Request<'_>,
) -> Answered {
    let last = request.pop.last();
    let last = last.as_ref();
    let last = last.and_then(|copy| Some((copy.board.as_ref()?, copy.read_ms)));
    let (happens, meanwhile) = meanwhile(last.map(|(board, _)| board.mode()), request);
    let store = match fault {
        StoreError::NoAnswer => "does not answer",
        _ => "cannot be used",
    };
    let see = match fault {
        StoreError::NoAnswer
        | StoreError::Status(_)
        | StoreError::OverQuota
        | StoreError::NotAsked => "If it lasts, look at Upstash\u{2019}s console and at the log.",
        _ => "Waiting does not mend it: look at the log.",
    };
    let away = Away {
        heading: &format!("The store {store}: {happens}"),
        why: &sentence(&fault.to_string()),
        known,
        see,
        meanwhile,
        last,
        acts: operator.role.may(Right::Set),
        unconfirmed,
        once: &request.call.id,
        now_ms: request.now.ms(),
    };
    let reply = page::panel_without_store(&configured(request), &away);
    Answered {
        fault: Some(fault),
        ..simply(reply, Reason::StoreTrouble)
    }
}

/// What visitors meet without the store: the first of it for a heading, and the rest.
fn meanwhile(mode: Option<Mode>, request: &Request<'_>) -> (&'static str, &'static str) {
    match (mode, request.config.outage.policy) {
        (Some(Mode::Open), _) => ("the room stays open", "Visitors inside stay inside."),
        (Some(Mode::Automatic) | None, OnStoreError::Admit) => (
            "visitors go in by the pace",
            "They go in since on_store_error = admit. Visitors inside stay inside.",
        ),
        _ => (
            "no new visitor goes in",
            "Waiting visitors keep their places, and visitors inside stay inside.",
        ),
    }
}

fn configured<'a>(request: &Request<'a>) -> Configured<'a> {
    let (operators, room) = (&request.config.operators, request.room);
    let rooms = request.config.rooms.all();
    let rooms: Vec<_> = rooms
        .map(|room| (room.name.as_str(), room.routes.as_str()))
        .collect();
    Configured {
        room: room.name.as_str(),
        rooms: if rooms.len() > 1 { rooms } else { Vec::new() },
        path: &room.routes,
        tickets: operators.host.is_none(),
        permit_max: operators.permit_max,
        refresh_interval: room.refresh_interval,
        pace: room.pace,
        limits_of: room.limits_of.as_ref().map(RoomName::as_str),
        absent_visitors: room.absent_visitors,
        origin_health: room.health.setting,
        cap: room.cap,
        events: &room.events,
        invited_per_minute: room.invitations.per_minute,
        groups: &room.invitations.groups,
        message: room.pages.brand.message.as_deref(),
        short_passwords: operators
            .secrets
            .short()
            .map(|(_, password)| password.name.as_str())
            .collect(),
    }
}

pub(super) fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", String::from_iter(first), letters.as_str())
}

/// What a form is asked about.
pub(super) enum About<'a> {
    /// What cannot be undone, or touches many; and the change, where something is known of what follows.
    Risk(Ask<'a>, Option<Proposal>),
    /// A change that the panel proposed: its sender typed no figure of it.
    Proposal(Proposal),
}

impl<'a> About<'a> {
    /// Nothing where the change is made at once.
    pub(super) fn new(intent: &'a dyn Intent, is_proposed: bool) -> Option<Self> {
        match (intent.question(), intent.proposal()) {
            (Some(ask), proposal) => Some(Self::Risk(ask, proposal)),
            (None, Some(proposal)) if is_proposed => Some(Self::Proposal(proposal)),
            (None, _) => None,
        }
    }
}

/// Asks first, and says how many it touches and what would follow from it.
pub(super) fn ask(
    verb: &Verb,
    about: &About<'_>,
    again: &[(String, String)],
    operator: &Operator,
    request: &Request<'_>,
) -> Answered {
    let unconfirmed = Unconfirmed {
        route: verb.route,
        fields: again,
    };
    let snapshot = match request.line().panel(Past::HOUR, &[], Attempt::First) {
        Ok(snapshot) => snapshot,
        Err(fault) => {
            return without_store(
                fault,
                "Nothing was changed.",
                Some(unconfirmed),
                operator,
                request,
            );
        }
    };
    let (question, proposal) = match about {
        About::Risk(ask, proposal) => (ask(&snapshot.board, request.room), *proposal),
        About::Proposal(proposal) => (page::proposed(&snapshot, *proposal), Some(*proposal)),
    };
    let forecast = proposal.and_then(|of| page::forecast(&snapshot, of, request.now.ms()));
    let path = &request.room.routes;
    let reply = page::question(path, verb.route, &question, forecast, again);
    Answered {
        board: Some(snapshot.board),
        ..simply(reply, Reason::Panel)
    }
}

/// Back to the panel, which tells what was done, with a test ticket if there is one.
pub(super) fn redirect(
    done: &str,
    ticket: Option<&Ticket>,
    operator: &Operator,
    request: &Request<'_>,
) -> Reply {
    let reply = panel_with_flash(done, operator, request);
    let cookies = ticket.map(|ticket| ticket_cookie::cookies(ticket, request));
    reply.with_cookies(cookies.unwrap_or_default())
}

/// Takes the operator's own ticket away.
pub(super) fn forget(operator: &Operator, request: &Request<'_>) -> Answered {
    let reply = panel_with_flash("done=forget&number=0", operator, request)
        .with_cookies(ticket_cookie::forget(request));
    Answered {
        action: Some("test ticket thrown away".to_owned()),
        ..simply(reply, Reason::Panel)
    }
}

/// The way to the panel with what was just done, which no link can claim to another operator: it is sealed, for a minute.
fn panel_with_flash(done: &str, operator: &Operator, request: &Request<'_>) -> Reply {
    let text = format!("{done}&at={}&seal=", request.now.secs());
    let query = flash_keys(operator, request)
        .next()
        .map(|key| sealed(&text, &key));
    to_panel(Some(&query.unwrap_or_default()), request.room)
}

fn flash_keys(operator: &Operator, request: &Request<'_>) -> impl Iterator<Item = [u8; LENGTH]> {
    let whose = format!("{} {}", request.room.name.as_str(), operator.name);
    let keys = request.config.tickets.keys.of(Purpose::News);
    keys.map(move |key| HMAC::mac(&whose, key))
}

/// Whether we said this within the last minute. Clocks of two data centres may differ a little.
fn is_flash(operator: &Operator, request: &Request<'_>) -> bool {
    let call = request.call;
    let query = call.query.as_deref().unwrap_or_default();
    let is_ours = flash_keys(operator, request).any(|key| unsealed(query, &key).is_some());
    let at = call.parameter("at").and_then(|at| at.parse::<u64>().ok());
    is_ours && at.is_some_and(|at| request.now.secs().abs_diff(at) < FLASH_LIFE)
}

/// What the last press of a button did, as the redirect after it tells.
fn news(operator: &Operator, request: &Request<'_>) -> Option<News> {
    if !is_flash(operator, request) {
        return None;
    }
    let call = request.call;
    let flash = Flash {
        act: &call.parameter("done")?,
        number: call.parameter("number")?.parse().ok()?,
        request,
    };
    Some(News {
        words: verbs::flash(&flash)?,
        version: flash.detail("version"),
        at_ms: flash.detail("at")?.saturating_mul(1000),
    })
}
