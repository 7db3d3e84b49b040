//! How a visit is answered and written down.

use super::to_origin::{bare, of_visitor};
use super::{Outcome, Request, for_visitor, logged_fault, reply_with, signed, waf};
use crate::cache::TicketMark;
use crate::http::object::object;
use crate::http::{Answer, Commands, Ending, Forward, Reply, Way};
use crate::queue::{EndedSession, Invited, Phase, Reason, Waited};
use crate::telemetry::log::{Decision, Sampling};
use crate::visitor::api::ApiAnswer;
use crate::visitor::outcome::{Logged, Update, VisitOutcome};
use crate::visitor::routes::{self, Route};
use crate::visitor::visit::{Shared, Visit, WayIn};
use crate::visitor::{Brought, Kind, kind};
use crate::visitor::{answer, ticket_cookie};
use std::io::Read;

pub(super) fn answer_visit<'a>(kind: Kind, visit: Visit, request: &Request<'a>) -> Outcome<'a> {
    let Request {
        call,
        config,
        room,
        now,
        ..
    } = *request;
    let cookies = signed(&visit, || kind, request);
    let reason = reason(&visit, request);
    let mut rescue = None;
    let inspected = waf::of_visit(&visit, reason, request);
    let stop = inspected.as_ref().and_then(|found| found.stop.as_ref());
    let answer = if let Some(stop) = stop {
        waf::visit_stopped(kind, &visit, stop, reason, request)
    } else if visit.end == VisitOutcome::Admitted {
        let keys = &config.tickets.keys;
        let pass = keys.pass(&visit.ticket, &room.name, call.hostname(), now);
        let bare = bare(
            call,
            &config.paths,
            config.web.origin_cookie,
            &config.rooms,
            room.site(visit.ticket.lane),
        );
        // What answers a WebSocket takes no cookie; the next page brings the ticket.
        let is_kept = bare.way != Way::WebSocket;
        let watch;
        (watch, rescue) = super::watch::watch(kind, bare.way, &visit, reason, request);
        if rescue.is_none() && matches!(reason, Reason::Admitted | Reason::Invited) {
            request.pop.mark(TicketMark::Admitted, &visit.ticket.id);
        }
        Answer::Forward(Forward {
            watch,
            set_cookies: cookies.into_iter().filter(|_| is_kept).collect(),
            commands: commands(bare.way, &visit, request),
            ..of_visitor(bare, visit.position(), pass)
        })
    } else {
        let reply = answer::answer(kind, &visit, cookies, request);
        Answer::Reply(for_visitor(call, reply, config))
    };
    let mut outcome = recorded(answer, visit, reason, request);
    if let Some(rescue) = &rescue {
        outcome.record.queue_cursor = rescue.queue_cursor();
    }
    waf::note(&mut outcome.record, inspected);
    Outcome { rescue, ..outcome }
}

/// What the origin may command with its answer. What may be cached goes to several visitors, so it ends no session.
fn commands(way: Way, visit: &Visit, request: &Request<'_>) -> Commands {
    let (call, paths) = (request.call, &request.config.paths);
    if way != Way::Pass || !paths.take_commands(&call.method, &call.path) {
        return Commands::Unread;
    }
    // Where this visit made it longer, the store has not heard of that, and need not.
    let known = |last| visit.renewal.map_or(last, |renewal| renewal.from);
    let ticket = &visit.ticket;
    let ending = |(last, of)| Ending {
        session: EndedSession::of_ticket(&ticket.id, Some((known(last), of))),
        cookies: ticket_cookie::forget(request),
    };
    let session = ticket.session().zip(ticket.went_in_by());
    Commands::Read(session.map(ending).map(Box::new))
}

/// What the waiting page asks for. A visitor who may go in reads so, and goes in by the next request.
pub(super) fn answer_api(
    route: Route,
    body: &mut dyn Read,
    request: &Request<'_>,
) -> Outcome<'static> {
    let Request { call, config, .. } = *request;
    let visit = match routes::answer(route, body, request) {
        ApiAnswer::Visit(visit) => *visit,
        ApiAnswer::Reply(reply, reason) => {
            let mut outcome = reply_with(for_visitor(call, reply, config), reason);
            outcome.after = routes::after(route);
            return outcome;
        }
        ApiAnswer::Invitation(reply, refused) => return invitation(reply, refused, request),
    };
    let row = visit.end.row();
    let reply = match row.update {
        Update::Enter => Reply::data(200, &object!({ "waiting": false })),
        Update::Claim => Reply::data(200, &object!({ "waiting": false, "claim": true })),
        Update::NoTicket => routes::without_ticket(request),
        Update::Place => answer::place(&visit, request),
    };
    // There is a visit only for a ticket that came.
    let cookies = signed(&visit, || kind(request, Brought::Ticket), request);
    let reply = for_visitor(call, reply.with_cookies(cookies), config);
    // A visitor who may go in does so by the next request, and counts as come then. Without the store that request says nothing of it.
    let reason = match visit.way_in {
        WayIn::NoStore => Reason::AdmittedWithoutStore,
        WayIn::Board | WayIn::Called => row.reason,
    };
    recorded(Answer::Reply(reply), visit, reason, request)
}

/// An invitation came, or its page was asked for.
pub(super) fn invitation(
    reply: Reply,
    refused: Option<Invited>,
    request: &Request<'_>,
) -> Outcome<'static> {
    let reply = for_visitor(request.call, reply, request.config);
    let mut outcome = reply_with(reply, Reason::Invitation);
    outcome.record.invitation = refused;
    outcome
}

/// Where the event stands: by the board, or by the clock where the store is not asked before an event.
fn phase(visit: &Visit, request: &Request<'_>) -> Option<Phase> {
    if let Some(board) = &visit.board {
        return board.event.as_ref().map(|event| event.phase);
    }
    let is_before = visit.end == VisitOutcome::Closed;
    is_before.then(|| Some(request.event()?.1))?
}

/// Whether one of the requests that say little is logged.
fn sampling(request: &Request<'_>) -> Sampling {
    Sampling::one_in(request.config.logging.sample, request.call.chance())
}

/// The answer to a visit with its line of the log.
fn recorded(
    answer: Answer,
    visit: Visit,
    reason: Reason,
    request: &Request<'_>,
) -> Outcome<'static> {
    let is_admitted = visit.end == VisitOutcome::Admitted;
    let groups = &request.room.invitations.groups;
    let inversion = is_admitted
        .then(|| visit.inversion(reason, groups))
        .flatten();
    let is_look = !visit.must_sign && visit.fault.is_none();
    let decision = if is_admitted {
        Decision::forwarded(reason)
    } else {
        Decision::answered(reason)
    };
    let record = Decision {
        share: match visit.end.row().log {
            Logged::Sampled if is_look => sampling(request),
            Logged::Sampled | Logged::All => Sampling::All,
        },
        queue_cursor: visit.cursor().map(|cursor| cursor.0),
        event_phase: phase(&visit, request).map(Phase::name),
        lane: visit.ticket.lane.name().map(str::to_owned),
        shared_ticket: visit.shared == Shared::Yes,
        above_network_bound: visit.above,
        invitation: visit.invited,
        inversion,
        visitor_position: visit.position().map(|position| position.0),
        waited: (reason.is_first()).then(|| Waited::until(request.now.secs(), visit.ticket.drawn)),
        ticket_reference: visit.reference(),
        signals: visit.signals,
        store_error: visit.fault.map(|fault| logged_fault(&fault, request.call)),
        ..decision
    };
    Outcome {
        answer,
        record,
        renewal: visit.renewal,
        after: visit.after,
        rescue: None,
    }
}

fn reason(visit: &Visit, request: &Request<'_>) -> Reason {
    match visit.end {
        VisitOutcome::Admitted => entered(visit, request),
        outside => outside.row().reason,
    }
}

fn entered(visit: &Visit, request: &Request<'_>) -> Reason {
    let is_by_this = visit.board.is_some() && visit.must_sign && !visit.ticket.called;
    let may_be_first = is_by_this || visit.way_in == WayIn::Called;
    if visit.way_in == WayIn::NoStore {
        Reason::AdmittedWithoutStore
    } else if may_be_first
        && !request
            .pop
            .is_marked(TicketMark::Admitted, &visit.ticket.id)
    {
        match visit.invited {
            Some(Invited::In) => Reason::Invited,
            _ => Reason::Admitted,
        }
    } else {
        Reason::Inside
    }
}
