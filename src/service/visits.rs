//! How a visit is answered and written down.

use super::onwards::{bare, of_visitor};
use super::{Outcome, Request, for_visitor, reply_with};
use crate::cache::Pop;
use crate::config::Config;
use crate::http::{Answer, Call, Forward, Reply, Way};
use crate::queue::Reason;
use crate::telemetry::log::{Decision, Share};
use crate::visitor::routes::{self, Aside, Route};
use crate::visitor::visit::{Visit, VisitOutcome};
use crate::visitor::{Brought, Kind, kind};
use crate::visitor::{answer, ticket_cookie};
use serde_json::json;

pub(super) fn worded(kind: Kind, visit: Visit, request: &Request<'_>) -> Outcome {
    let Request {
        call,
        config,
        now_ms,
        ..
    } = *request;
    let now = now_ms / 1000;
    let cookies = signed(call, kind, &visit, config, now);
    let answer = if visit.end == VisitOutcome::Admitted {
        let pass = (config.keys).pass(&visit.ticket.id, &config.room, call.hostname(), now);
        let bare = bare(call, &config.paths, config.origin_cookie);
        // What answers a WebSocket takes no cookie; the next page brings the ticket.
        let is_kept = bare.way != Way::WebSocket;
        Answer::Forward(Forward {
            set_cookies: cookies.into_iter().filter(|_| is_kept).collect(),
            ..of_visitor(bare, visit.position(), pass)
        })
    } else {
        let reply = answer::answer(call, kind, &visit, cookies, config, now_ms);
        Answer::Reply(for_visitor(call, reply, config))
    };
    outcome(answer, visit, request.pop, share(call, config))
}

/// What the waiting page asks for. A visitor who may go in reads so, and goes in by the next request.
pub(super) fn beside(route: Route, request: &Request<'_>) -> Outcome {
    let Request {
        call,
        config,
        pop,
        now_ms,
        ..
    } = *request;
    let visit = match routes::answer(route, call, &request.line(), pop, config) {
        Aside::Visit(visit) => *visit,
        Aside::Reply(reply, reason) => {
            return reply_with(for_visitor(call, reply, config), reason);
        }
    };
    let reply = match visit.end {
        VisitOutcome::Admitted => Reply::data(200, &json!({ "waiting": false })),
        VisitOutcome::NotAVisitor => routes::without_ticket(call),
        _ => answer::place(call, &visit, config, now_ms),
    };
    // There is a visit only for a ticket that came.
    let kind = kind(call, config, Brought::Ticket);
    let cookies = signed(call, kind, &visit, config, now_ms / 1000);
    let reply = for_visitor(call, reply.with_cookies(cookies), config);
    outcome(Answer::Reply(reply), visit, pop, share(call, config))
}

/// How many polls of waiting visitors are logged: they say little, and there are many.
pub(super) fn share(call: &Call, config: &Config) -> Share {
    Share::one_in(config.log_sample, call.chance())
}

/// The ticket as cookies, where it differs from the one that came. To a page elsewhere none is given unless one came
/// along: the browser would put it in the place of a ticket that is not known here.
pub(super) fn signed(
    call: &Call,
    kind: Kind,
    visit: &Visit,
    config: &Config,
    now: u64,
) -> Vec<String> {
    let may_be_kept = kind != Kind::Elsewhere || ticket_cookie::keeps_cookies(call);
    if visit.changed && may_be_kept {
        ticket_cookie::cookies(call, &visit.ticket, config, now)
    } else {
        Vec::new()
    }
}

pub(super) fn outcome(
    answer: Answer,
    visit: Visit,
    near: &dyn Pop,
    share_of_looks: Share,
) -> Outcome {
    let reason = match visit.end {
        VisitOutcome::Admitted => entered(&visit, near),
        VisitOutcome::Waiting { .. } | VisitOutcome::Called => Reason::Waiting,
        VisitOutcome::Provisional => Reason::Provisional,
        VisitOutcome::Held => Reason::Held,
        VisitOutcome::Closed => Reason::Closed,
        VisitOutcome::NotAVisitor => Reason::NotAVisitor,
    };
    let is_look = reason == Reason::Waiting && !visit.changed && visit.fault.is_none();
    let record = Decision {
        share: if is_look { share_of_looks } else { Share::All },
        queue_cursor: visit.sign.as_ref().map(|sign| sign.cursor.0),
        visitor_position: visit.position().map(|position| position.0),
        ticket_reference: visit.reference(),
        store_error: visit.fault.map(|fault| fault.to_string()),
        ..Decision::of(visit.end == VisitOutcome::Admitted, reason)
    };
    Outcome {
        answer,
        record,
        after: visit.after,
    }
}

pub(super) fn entered(visit: &Visit, near: &dyn Pop) -> Reason {
    if visit.is_without_store {
        Reason::AdmittedWithoutStore
    } else if visit.changed && near.is_first_admission(&visit.ticket.id) {
        Reason::Admitted
    } else {
        Reason::Inside
    }
}
