//! One request, in a straight line: may it be here at all, is it the operator's, does it skip the room, else a visit. In which order
//! a host answers, counts and logs that is in [`serve()`].
//!
//! Total: every call has an answer, and none of them is an error of ours.

mod admin_host;
mod entries;
mod serve;
mod to_origin;
mod unsound;
mod visits;
mod waf;
mod watch;

use crate::cache::Lookup;
use crate::config::{Belongs, Config, Serves, below};
use crate::http::cors;
use crate::http::negotiate::wants_json;
use crate::http::{Answer, Call, Forward, Reply};
use crate::operator::{self, Answered};
use crate::page::{self, Shell};
use crate::queue::{AllowFault, CountedRenewal, Reason};
use crate::request::Request;
use crate::telemetry::log::Decision;
use crate::visitor;
use crate::visitor::routes::{self};
pub use crate::visitor::visit::FollowUp;
use crate::visitor::visit::{Visit, visit};
use crate::visitor::{Brought, Kind, kind};
use crate::visitor::{store_health, ticket_cookie};
pub use entries::{
    noted_entry, recount_entry, released_entry, settings_entries, sick_entry, uncounted_entry,
    unsound_entry,
};
pub use serve::{Delivery, Forwarded, Host, Served, serve, serve_unsound};
use std::fmt::Display;
use std::io::Read;
use to_origin::{METHODS, options, unclear, web_socket_refused};
pub use to_origin::{bad_upgrade, no_web_sockets, too_long, whole_server};
use visits::{answer_api, answer_visit, invitation};
pub use watch::{Rescue, is_news};

/// The answer, and what the log says about it.
pub struct Outcome<'a> {
    /// What to do.
    pub answer: Answer,
    /// What to write down.
    pub record: Decision,
    /// A session that was made longer, for the store.
    pub renewal: Option<CountedRenewal>,
    /// What to do once the visitor has been answered: [`afterwards`].
    pub after: FollowUp,
    /// A visitor who goes in only once the origin has answered.
    pub rescue: Option<Box<Rescue<'a>>>,
}

impl Outcome<'_> {
    /// The same with why its sender was not allowed to pass.
    fn with_refused(mut self, refused: Option<AllowFault>) -> Self {
        self.record.allow_refused = refused.or(self.record.allow_refused);
        self
    }
}

/// Answers one request.
#[must_use]
pub fn handle<'a>(request: &Request<'a>, body: &mut dyn Read) -> Outcome<'a> {
    let mut outcome = not_served(request.call)
        .or_else(|| operators(request, body))
        .or_else(|| past_the_room(request))
        .unwrap_or_else(|| allowed_or_visited(request));
    if let Answer::Reply(reply) = outcome.answer {
        outcome.answer = Answer::Reply(secured(request.call, reply));
    }
    outcome
}

/// What came over https is to come so again: for a day, since what the origin answers is for the origin to say.
fn secured(call: &Call, reply: Reply) -> Reply {
    if call.https {
        reply.with("strict-transport-security", "max-age=86400")
    } else {
        reply
    }
}

/// A request that names no host or no path.
fn not_served(call: &Call) -> Option<Outcome<'static>> {
    if !call.names_host() {
        let detail = "the Host header does not name a host; accepted is a name or an address, with a port from 0 to 65535 or none, and nothing else, such as a user in front of @";
        let reply = Reply::problem(400, "Bad host", detail);
        return Some(reply_with(reply, Reason::BadHost));
    }
    let is_whole_server = call.path == "*";
    is_whole_server.then(|| reply_with(whole_server(&call.method), Reason::BadRequest))
}

/// The operators' host, and what lies below their path: their routes, and what the waiting page asks for.
fn operators(request: &Request<'_>, body: &mut dyn Read) -> Option<Outcome<'static>> {
    let Request { call, config, .. } = *request;
    let serves = config.serves(call.hostname());
    if serves == Serves::Operators {
        return Some(admin_host::answer(body, request));
    }
    let rest = below(&call.path, &request.room.routes)?;
    Some(match routes::route(rest) {
        None if !call.https && !call.local => operator_to_https(call),
        None if serves == Serves::Visitors => {
            of_operator(call, operator::answer_to_visitors(rest, request))
        }
        None => {
            let answered = operator::answer(rest, body, request);
            of_operator(call, answered)
        }
        Some(_) if call.is_plain_http() => to_https(request),
        Some(route) => answer_api(route, body, request),
    })
}

/// What goes to the origin without a visit, or has no way there. The platform itself acts on a method such as PURGE, so none
/// goes to the origin that is not known here.
fn past_the_room(request: &Request<'_>) -> Option<Outcome<'static>> {
    let Request { call, config, .. } = *request;
    if let Some(reply) = Reply::wrong_method(&call.method, METHODS) {
        return Some(reply_with(reply, Reason::BadMethod));
    }
    if let Some((reply, reason)) = web_socket_refused(call, config.web.web_sockets) {
        return Some(reply_with(reply, reason));
    }
    match request.belongs {
        Belongs::InRoom => {}
        Belongs::PastRoom(by) => return Some(to_origin::bypassed(by, request)),
        Belongs::Unclear => return Some(reply_with(unclear(), Reason::BadRequest)),
    }
    if call.method == "OPTIONS" {
        return Some(options(call, &request.room.site));
    }
    call.is_plain_http().then(|| to_https(request))
}

/// What is not good in the header of an allowance changes nothing, and is logged.
fn allowed_or_visited<'a>(request: &Request<'a>) -> Outcome<'a> {
    match visitor::allowed::brought(request) {
        Some(Ok(name)) => to_origin::allowed(name, request),
        Some(Err(fault)) => visited(request).with_refused(Some(fault)),
        None => visited(request),
    }
}

fn visited<'a>(request: &Request<'a>) -> Outcome<'a> {
    if let Some(reply) = visitor::invitation::of_link(request) {
        return invitation(reply, None, request);
    }
    let ticket =
        ticket_cookie::ticket_or_lapsed(request).or_else(|| ticket_cookie::ticket_of_form(request));
    let brought = Brought::of(ticket.as_ref(), request.now);
    let listed = visitor::allowed::listed(
        ticket.as_ref().filter(|_| brought == Brought::Ticket),
        request,
    );
    let refused = match listed {
        Some(Ok(name)) => return to_origin::allowed(name, request),
        Some(Err(fault)) => Some(fault),
        None => None,
    };
    let kind = kind(request, brought);
    answer_visit(kind, visit(kind, ticket, request), request).with_refused(refused)
}

/// What could wait until the visitor had been answered.
pub fn afterwards(after: FollowUp, request: &Request<'_>) {
    let duty = match after {
        FollowUp::Nothing => None,
        FollowUp::Refresh(duty) => Some(duty),
        FollowUp::Look => match request.pop.lookup_old() {
            Lookup::Hit(_, duty) => duty,
            Lookup::Miss(duty) => Some(duty),
            Lookup::Timeout | Lookup::Unavailable => None,
        },
    };
    if let Some(duty) = duty {
        store_health::renew(duty, request);
    }
}

/// What a service answers to newcomers whose configuration is unsound: it neither opens the gate nor says more than that.
#[must_use]
pub fn unsound() -> Reply {
    let text =
        "This site is being set up and cannot be shown yet. Please come back in a little while.";
    // A waiting page may have been loaded again, and goes on by itself.
    page::notice(503, "Not open yet", text)
        .with("retry-after", "30")
        .with("refresh", "30")
}

/// What a developer reads who has started the edge alone.
const ON_THIS_MACHINE: &str =
    "On your own machine, `cargo dev backends` starts a demo site and a local store.";

/// What the log says of a failure of the store.
fn logged_fault(fault: &impl Display, call: &Call) -> String {
    if call.local {
        format!("{fault}. {ON_THIS_MACHINE}")
    } else {
        fault.to_string()
    }
}

/// The answer to a visitor inside when the origin does not answer, with the ticket that was meant for the origin's answer.
#[must_use]
pub fn origin_failed(call: &Call, forward: &Forward, shell: Shell<'_>) -> Reply {
    let local = call.local.then_some(ON_THIS_MACHINE);
    let reply = if wants_json(call) {
        let text = page::away_detail();
        let detail = [Some(text), local].into_iter().flatten();
        Reply::problem(
            502,
            "The origin did not answer",
            &detail.collect::<Vec<_>>().join(" "),
        )
    } else {
        // A form is not sent again by a link.
        let here = visitor::here(call);
        let is_page = matches!(call.method.as_str(), "GET" | "HEAD");
        page::away(shell, Some(here.as_str()).filter(|_| is_page), local)
    };
    let cookies = forward.set_cookies.clone();
    secured(call, reply.with("retry-after", "5").with_cookies(cookies))
}

fn to_https(request: &Request<'_>) -> Outcome<'static> {
    let Request { call, config, .. } = *request;
    reply_with(for_visitor(call, https(call), config), Reason::ToHttps)
}

/// Credentials that came over plain http are left unread: a listener on the network has them. A change is not repeated over
/// https by itself, so that its sender learns what was sent; and a browser that came by https already would come here again.
fn operator_to_https(call: &Call) -> Outcome<'static> {
    if matches!(call.method.as_str(), "GET" | "HEAD") && call.is_plain_http() {
        return reply_with(for_method(call, https(call)), Reason::ToHttps);
    }
    let detail = "this came over plain http; accepted is https; the credentials were not read and nothing moved, but others may have read them";
    reply_with(
        Reply::problem(403, "Not over plain http", detail),
        Reason::ToHttps,
    )
}

/// The same address over https, on the port that is https's own where the port was http's own.
fn https(call: &Call) -> Reply {
    let host = call.host.strip_suffix(":80").unwrap_or(&call.host);
    let location = format!("https://{host}{}", call.target());
    Reply::new(308, "text/plain; charset=utf-8", "").with("location", location)
}

fn of_operator(call: &Call, answered: Answered) -> Outcome<'static> {
    let board = answered.board.as_ref();
    let record = Decision {
        queue_cursor: board.map(|board| board.cursor().0),
        event_phase: board.and_then(|board| Some(board.event.as_ref()?.phase.name())),
        operator: answered.operator,
        action: answered.action,
        inversion: answered.inversion,
        problems: answered.problems,
        store_error: answered.fault.map(|fault| logged_fault(&fault, call)),
        ..Decision::answered(answered.reason)
    };
    Outcome {
        answer: Answer::Reply(for_method(call, answered.reply)),
        record,
        renewal: None,
        after: FollowUp::Nothing,
        rescue: None,
    }
}

/// The ticket as cookies, where it differs from the one that came, or came under another name. To a page elsewhere none is given unless one came
/// along: the browser would put it in the place of a ticket that is not known here.
fn signed(visit: &Visit, kind: impl FnOnce() -> Kind, request: &Request<'_>) -> Vec<String> {
    let may_be_kept = || kind() != Kind::Elsewhere || ticket_cookie::keeps_cookies(request);
    if visit.must_sign && may_be_kept() {
        ticket_cookie::cookies(&visit.ticket, request)
    } else {
        ticket_cookie::moved(&visit.ticket, request)
    }
}

/// What every answer of ours to a visitor has in common.
fn for_visitor(call: &Call, reply: Reply, config: &Config) -> Reply {
    for_method(call, cors::readable(reply, call, &config.web.cors_origins))
}

fn for_method(call: &Call, reply: Reply) -> Reply {
    if call.method == "HEAD" {
        reply.without_body()
    } else {
        reply
    }
}

fn reply_with(reply: Reply, reason: Reason) -> Outcome<'static> {
    Outcome {
        answer: Answer::Reply(reply),
        record: Decision::answered(reason),
        renewal: None,
        after: FollowUp::Nothing,
        rescue: None,
    }
}
