//! The waiting answer: what there is to tell, when to come back, and nothing that anybody else may keep.

mod challenge;
mod refused;

use crate::config::Room;
use crate::http::Reply;
use crate::http::negotiate::{is_given_in_place, is_in_no_frame, is_posted_form, wants_json};
use crate::page::{self, CfWaitingRoom, Draw, Links, Waiting};
use crate::queue::backoff;
use crate::queue::chance::Chance;
use crate::queue::{Board, Mode, Outlook, Phase, Slowness, Verdict, decide, refresh_seconds};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use crate::visitor::Kind;
use crate::visitor::event::{outlook, visit_awaits_lot};
use crate::visitor::language;
use crate::visitor::outcome::{Again, AnswerKind, Status, VisitOutcome};
use crate::visitor::ticket_cookie;
use crate::visitor::urls::{self, here};
use crate::visitor::visit::Visit;
use challenge::{challenge, challenged};
pub use refused::stopped;

/// What an answer depends on.
const VARY: &str = "Accept, Accept-Language, Cookie";

/// Seconds until a provisional ticket comes back.
const AT_ONCE: u64 = 1;

/// Seconds for which the page stays that says that a form was not delivered.
const READING_TIME: u64 = 3;

/// The longest way back that is put into a header.
const LONGEST_WAY_BACK: usize = 2000;

/// A page, data, or nothing but headers, as the request asks for.
#[must_use]
pub fn answer(kind: Kind, visit: &Visit, cookies: Vec<String>, request: &Request<'_>) -> Reply {
    let (call, web) = (request.call, &request.config.web);
    let row = visit.end.row();
    match row.answer {
        AnswerKind::NoNumber => return refused::refused(visit, request),
        AnswerKind::ComeBackLater => return refused::come_back_later(),
        AnswerKind::Line | AnswerKind::LineOnceKept => {}
    }
    let status = match row.status {
        Status::OfWaiting => web.waiting_status,
        Status::Unavailable => 503,
    };
    let waiting = view(visit, request);
    let shows_a_page = is_posted_form(call) && is_in_no_frame(call) && !wants_json(call);
    let reply = match kind {
        Kind::Elsewhere if shows_a_page => posted(status, request),
        Kind::Unsafe
            if shows_a_page
                && matches!(
                    visit.end,
                    VisitOutcome::NotAVisitor | VisitOutcome::Provisional
                ) =>
        {
            posted(status, request)
        }
        // Nobody reads these: no page is made only to be thrown away. And whatever the waiting page has for a status,
        // a script or a style that is not there must not look as if it were.
        Kind::Prefetch | Kind::SubResource | Kind::Elsewhere => nothing(),
        _ if wants_json(call) => {
            let cf = web
                .cf_compat
                .then(|| CfWaitingRoom::new(&waiting, request.now.ms()));
            let data = page::waiting_json(status, &waiting, request.room.name.as_str(), cf);
            // A tab that shows it goes on by itself; scripts do not read this.
            data.with_some("refresh", refreshing(&waiting, None))
        }
        _ if row.answer == AnswerKind::LineOnceKept => {
            provisional(status, &waiting, visit, request)
        }
        _ if let Some(challenge) = &waiting.challenge => {
            challenged(status, challenge, &waiting, &visit.ticket, request)
        }
        _ => page(
            status,
            &waiting,
            visit,
            way_back(&cookies, request),
            request,
        ),
    };
    reply
        .with("retry-after", waiting.refresh.to_string())
        .with("vary", VARY)
        .with_cookies(cookies)
}

/// The page is shown with the number, when the ticket has come back by way of the question whether it was kept.
fn provisional(status: u16, waiting: &Waiting, visit: &Visit, request: &Request<'_>) -> Reply {
    match way_to_cookies(request) {
        Some(url) => Reply::new(303, "text/plain; charset=utf-8", "").with("location", url),
        None => page(status, waiting, visit, None, request),
    }
}

fn nothing() -> Reply {
    Reply::new(503, "text/plain; charset=utf-8", "")
}

/// What a form is answered that came without a ticket, or with one that has ended. The page goes on by GET: from a page of this site the browser
/// sends the cookie which it held back from the form of another one (RFC 6265bis 5.2).
fn posted(status: u16, request: &Request<'_>) -> Reply {
    let here = here(request.call);
    let reply = page::posted(status, language::shell(None, request), &here);
    reply.with("refresh", format!("{READING_TIME}; url={here}"))
}

/// The same as an update of the page, in the page's language: another one may have been chosen in another tab meanwhile.
#[must_use]
pub fn place(visit: &Visit, request: &Request<'_>) -> Reply {
    let shown = request.call.parameter("language");
    let shown = shown.as_deref().and_then(language::named);
    let words = shown.unwrap_or_else(|| language::of(Some(&visit.ticket), request.call));
    page::place(&view(visit, request), words)
}

/// A visitor who came without any cookie and gets a ticket is asked for it at the next poll.
fn way_back(cookies: &[String], request: &Request<'_>) -> Option<String> {
    let is_tried = !cookies.is_empty() && !ticket_cookie::keeps_cookies(request);
    is_tried.then(|| way_to_cookies(request)).flatten()
}

/// The question whether the ticket was kept, which leads back here, where the request can be led.
fn way_to_cookies(request: &Request<'_>) -> Option<String> {
    let url = || urls::cookies(request.room, &here(request.call), 1);
    let url = (!is_given_in_place(request.call)).then(url);
    url.filter(|url| url.len() <= LONGEST_WAY_BACK)
}

/// When a tab asks again, and where, unless the visitor stopped that.
fn refreshing(waiting: &Waiting, next: Option<String>) -> Option<String> {
    (!waiting.still).then(|| match next {
        Some(url) => format!("{}; url={url}", waiting.refresh),
        None => waiting.refresh.to_string(),
    })
}

fn page(
    status: u16,
    waiting: &Waiting,
    visit: &Visit,
    next: Option<String>,
    request: &Request<'_>,
) -> Reply {
    let Request {
        call, config, room, ..
    } = *request;
    let here = here(call);
    let every = if waiting.still { "on" } else { "off" };
    let is_over = (waiting.event.as_ref()).is_some_and(|event| event.phase == Phase::Over);
    let links = Links {
        place: format!("{}/place", room.routes),
        updates: urls::updates(room, &here, every),
        language: format!("{}/language", room.routes),
        home: is_over.then(|| urls::start_page(request)).flatten(),
        invitation: urls::invitation(request),
        here,
    };
    let frames = config.web.frame_ancestors.as_deref();
    let words = language::of(Some(&visit.ticket), call);
    let event = visit.board.as_ref().and_then(|board| board.event.as_ref());
    let pages = room.pages_now(event);
    let reply = page::waiting_page(status, waiting, &links, words, pages, frames);
    reply.with_some("refresh", refreshing(waiting, next))
}

/// What operators tell waiting visitors, and when they set it, in seconds since 1970.
fn message(board: Option<&Board>, room: &Room) -> (Option<String>, Option<u64>) {
    let set = board.filter(|board| board.live.message.is_some());
    let text = set.map_or(&room.pages.brand.message, |board| &board.live.message);
    let text = text.clone().filter(|text| !text.is_empty());
    let said = set.map(|board| match &board.brought.message {
        Some((by, _)) => by.since_ms / 1_000,
        None => board.live.set_at.message / 1_000,
    });
    let said = said.filter(|said| *said > 0 && text.is_some());
    (text, said)
}

/// What there is to tell.
fn view(visit: &Visit, request: &Request<'_>) -> Waiting {
    let Request {
        call, room, now, ..
    } = *request;
    let row = visit.end.row();
    let ahead = row.ahead;
    let board = visit
        .board
        .as_ref()
        .map(|board| board.of(visit.ticket.lane));
    let board = board.as_deref();
    let event = outlook(visit, request);
    let mode = mode(visit);
    // An old board says how far the line was, and not when it goes on.
    let has_an_estimate = matches!(visit.end, VisitOutcome::Waiting { .. }) && !visit.is_old;
    let estimate = (board.zip(ahead)).filter(|_| mode.lets_in() && has_an_estimate);
    let estimate = estimate.and_then(|(board, ahead)| board.estimated_wait(ahead, now.ms()));
    let (message, said) = message(board, room);
    let slowed = board.and_then(|board| board.slowed).filter(|slowed| {
        let is_behind_groups = room.invitations.groups.has(visit.ticket.lane);
        let concerns = slowed.cause != Slowness::Groups || !is_behind_groups;
        let explains = |drawn| slowed.explains(drawn, estimate, now.secs());
        concerns && has_an_estimate && mode.lets_in() && visit.ticket.drawn.is_some_and(explains)
    });
    let tells_place = !visit_awaits_lot(visit, request);
    let is_challenged = visit.end == VisitOutcome::Challenged;
    let sessions = visit
        .board
        .as_ref()
        .and_then(|board| board.sessions.as_ref());
    Waiting {
        position: visit.position().filter(|_| tells_place),
        lane: visit.ticket.lane,
        group: room.invitations.groups.of(visit.ticket.lane),
        seen: visit.cursor().zip(ahead).filter(|_| tells_place),
        mode,
        obstacle: row.obstacle,
        draw: if tells_place {
            Draw::None
        } else {
            Draw::Awaited
        },
        at_door: sessions.map(|sessions| sessions.late),
        notice: visit.ticket.notice,
        message,
        said,
        first: first(&visit.ticket),
        reference: visit.reference(),
        is_old: visit.is_old,
        estimate,
        valid: valid(visit, event.as_ref(), request),
        stock: board.and_then(|board| board.live.stock),
        slowed: slowed.map(|slowed| (slowed, now)),
        event,
        refresh: refresh(visit, ahead.unwrap_or(0), estimate, event.as_ref(), request),
        still: visit.ticket.still,
        unsent: !matches!(call.method.as_str(), "GET" | "HEAD"),
        challenge: is_challenged.then(|| challenge(visit, request)),
    }
}

/// Who goes in. Before an event the store need not be asked. Later the clock alone does not say it: an operator may have moved the
/// event, or opened the room.
fn mode(visit: &Visit) -> Mode {
    match visit.end {
        VisitOutcome::Closed => Mode::Closed,
        _ => visit.board.as_ref().map_or(Mode::Automatic, Board::mode),
    }
}

/// Visitors come back within these seconds after the first numbers are drawn, and not all in one.
const SPREAD: u64 = 6;

/// Seconds until the next look.
fn refresh(
    visit: &Visit,
    ahead: u64,
    estimate: Option<u64>,
    event: Option<&Outlook>,
    request: &Request<'_>,
) -> u64 {
    let Request { call, room, .. } = *request;
    match (visit.end.row().again, visit.ticket.stage) {
        (Again::AtOnce, _) => return AT_ONCE,
        (Again::AfterChallenge, _) => {
            return visit.ticket.challenged_for(request.now).unwrap_or(AT_ONCE);
        }
        (Again::LaterEachTime, TicketStage::Provisional { tries, .. }) => {
            return backoff::seconds(tries, Chance::of(&call.id));
        }
        (Again::LaterEachTime | Again::ByLine, _) => {}
    }
    let after =
        |ahead, estimate| refresh_seconds(room.refresh_interval, ahead, estimate, call.chance());
    match event {
        Some(event) if event.phase == Phase::Before => {
            let far = after(u64::MAX, None);
            far.min(event.prequeue_in() + call.chance() % SPREAD)
        }
        // The pace of the polls would say who came first.
        _ if visit_awaits_lot(visit, request) => after(u64::MAX, None),
        _ => after(ahead, estimate),
    }
}

/// Seconds for which the turn is kept at least: until the ticket ends, or the line by an event, and no longer than a turn that came
/// now. Of a turn that has come it is not known here since when. Where a cap holds, the turn waits for a place inside, so no time is
/// promised for it, and none where nothing says whether one does.
fn valid(visit: &Visit, event: Option<&Outlook>, request: &Request<'_>) -> Option<u64> {
    let board = visit.board.as_ref();
    let is_uncapped = board.is_some_and(|board| board.sessions.is_none());
    let has_come = matches!(visit.end, VisitOutcome::Called);
    let has_turn = visit.position().is_some() && is_uncapped && !request.room.cap.holds();
    let ticket = &visit.ticket;
    let end = ticket.signed.saturating_add(ticket.life);
    let turn = match request.room.turn_minutes.saturating_mul(60) {
        0 => u64::MAX,
        seconds => seconds,
    };
    let left = if visit.must_sign {
        request.config.tickets.life
    } else {
        end.saturating_sub(request.now.secs())
    };
    // The pre-queue ends the numbers of before it, and the last visitor goes in at the end.
    let ends = event.and_then(|event| match event.phase {
        Phase::Before => Some(event.prequeue_in()),
        _ => Some(event.last_ms()?.saturating_sub(event.now_ms) / 1000),
    });
    (has_turn && !has_come).then(|| left.min(turn).min(ends.unwrap_or(u64::MAX)))
}

/// How many were ahead when the number was drawn.
fn first(ticket: &Ticket) -> Option<u64> {
    let TicketStage::Waiting(proof) = ticket.stage else {
        return None;
    };
    match decide(proof.place.position, proof.cursor_at_draw) {
        Verdict::Wait { ahead } => Some(ahead),
        Verdict::Admit => None,
    }
}
