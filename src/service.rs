//! One request, in a straight line: may it be here at all, does it skip the room, is it the operator's, else a visit.
//!
//! Total: every call has an answer, and none of them is an error of ours.

mod admin_host;
mod unsound;

use std::io::Read;

use serde_json::json;

use crate::cache::outbox::Tally;
use crate::cache::{Lookup, Pop};
use crate::config::{Config, OriginCookie, Paths, Problem, Serves, WebSockets};
use crate::http::negotiate::wants_json;
use crate::http::{Answer, Call, Cookies, Forward, Reply, Way};
use crate::http::{cookie, cors};
use crate::operator::{self, Answered};
use crate::page;
use crate::page::Refused;
use crate::queue::Position;
use crate::queue::Reason;
use crate::store::upstash::Transport;
use crate::store::{Clock, Line};
use crate::telemetry::log::{self, Record, Share};
use crate::visitor::routes::{self, Aside, Route};
use crate::visitor::visit::{After, End, Visit, visit};
use crate::visitor::{Brought, Kind, kind};
use crate::visitor::{answer, ticket_cookie, trouble};

pub use unsound::passes;

/// What visitors may send.
const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// How much the log says about what is wrong with a template, in characters.
const REASON: usize = 200;

/// The most bytes of a line about the configuration that are not its problems.
const HEAD: usize = 200;

/// The answer, and what the log says about it.
pub struct Outcome {
    /// What to do.
    pub answer: Answer,
    /// What to write down.
    pub record: Record,
    /// What to do once the visitor has been answered: [`afterwards`].
    pub after: After,
}

/// Answers one request. `body` is read for operators only.
#[must_use]
pub fn handle(
    call: &Call,
    body: &mut dyn Read,
    config: &Config,
    store: &dyn Transport,
    near: &dyn Pop,
    now_ms: u64,
) -> Outcome {
    let mut outcome = routed(call, body, config, store, near, now_ms);
    if let Answer::Reply(reply) = outcome.answer {
        outcome.answer = Answer::Reply(secured(call, reply));
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

fn routed(
    call: &Call,
    body: &mut dyn Read,
    config: &Config,
    store: &dyn Transport,
    near: &dyn Pop,
    now_ms: u64,
) -> Outcome {
    if !call.names_host() {
        let detail = "the Host header does not name a host; accepted is a name or an address, with a port from 0 to 65535 or none, and nothing else, such as a user in front of @";
        return reply_with(Reply::problem(400, "Bad host", detail), Reason::BadHost);
    }
    if call.path == "*" {
        return reply_with(whole_server(&call.method), Reason::BadRequest);
    }
    let line = line(config, store, near, now_ms);
    let is_plain_http = call.is_plain_http();
    let serves = config.serves(call.hostname());
    if serves == Serves::Operators {
        return admin_host::answer(call, body, &line, near, config);
    }
    if let Some(rest) = operator::below(&call.path, &config.admin_path) {
        return match routes::route(rest) {
            None if !call.https && !call.local => operator_to_https(call),
            None if serves == Serves::Visitors => {
                of_operator(call, operator::answer_to_visitors(rest, call, config))
            }
            None => of_operator(
                call,
                operator::answer(rest, call, body, &line, near, config),
            ),
            Some(_) if is_plain_http => to_https(call, config),
            Some(route) => beside(route, call, &line, near, config),
        };
    }
    // The platform itself acts on a method such as PURGE, so none goes to the origin that is not known here.
    if let Some(reply) = Reply::wrong_method(&call.method, METHODS) {
        return reply_with(reply, Reason::BadMethod);
    }
    if let Some((reply, reason)) = web_socket_refused(call, config.web_sockets) {
        return reply_with(reply, reason);
    }
    if config.paths.skip_room(&call.method, &call.path) {
        return forward(call, config, Reason::Bypass);
    }
    if call.method == "OPTIONS" {
        return options(call);
    }
    if is_plain_http {
        return to_https(call, config);
    }
    let now = now_ms / 1000;
    let ticket = ticket_cookie::ticket_or_lapsed(call, config, now)
        .or_else(|| ticket_cookie::ticket_of_form(call, config, now));
    let brought = match &ticket {
        Some(ticket) if !ticket.has_lapsed(now) => Brought::Ticket,
        _ => Brought::Nothing,
    };
    let kind = kind(call, config, brought);
    let ended = visit(kind, ticket, &call.id, &line, near, config);
    worded(call, kind, ended, near, config, now_ms)
}

/// What could wait until the visitor had been answered.
pub fn afterwards(
    after: After,
    config: &Config,
    store: &dyn Transport,
    near: &dyn Pop,
    now_ms: u64,
) {
    let duty = match after {
        After::Nothing => None,
        After::Renew(duty) => Some(duty),
        After::Look => match near.lookup() {
            Lookup::Found(_, duty) => duty,
            Lookup::Missing(duty) => Some(duty),
            Lookup::Late | Lookup::Unknown => None,
        },
    };
    if let Some(duty) = duty {
        trouble::renew(duty, &line(config, store, near, now_ms), near);
    }
}

fn line<'a>(
    config: &'a Config,
    store: &'a dyn Transport,
    near: &'a dyn Pop,
    now_ms: u64,
) -> Line<'a> {
    Line {
        store,
        room: &config.room,
        pace: config.pace,
        lifetime: config
            .cookie_expiry
            .max(config.ticket_life)
            .saturating_mul(2),
        now_ms,
        clock: config.clock.map_or(Clock::Store, |_| Clock::Given),
        known: near,
        pop: near.pop(),
    }
}

/// What a service answers to newcomers whose configuration is unsound: it neither opens the gate nor says more than that.
#[must_use]
pub fn unsound() -> Reply {
    let text =
        "This site is being set up and cannot be shown yet. Please come back in a little while.";
    page::notice(503, "Not open yet", text).with("retry-after", "30")
}

/// The log line that names every problem at once, or as many as fit, and how many more there are.
#[must_use]
pub fn unsound_entry(timestamp: u64, problems: &[Problem]) -> String {
    problems_entry(timestamp, Reason::UnsoundConfiguration, problems)
}

/// The log line about settings that have their defaults instead, once for each reading of them; none where all are sound.
#[must_use]
pub fn ignored_entry(timestamp: u64, config: &Config) -> Option<String> {
    let problems = &config.ignored;
    let entry = || problems_entry(timestamp, Reason::IgnoredSetting, problems);
    (!problems.is_empty()).then(entry)
}

fn problems_entry(timestamp: u64, reason: Reason, problems: &[Problem]) -> String {
    let mut space = log::LONGEST_LINE - HEAD;
    let fits = |problem: &&Problem| {
        let size = json!(problem).to_string().len() + 1;
        space
            .checked_sub(size)
            .inspect(|left| space = *left)
            .is_some()
    };
    let told: Vec<&Problem> = problems.iter().take_while(fits).collect();
    let more = problems.len() - told.len();
    log::line(&json!({
        "timestamp": timestamp,
        "reason": reason,
        "problems": told,
        "more": more,
    }))
}

/// The log line with what was counted and could be kept nowhere else.
#[must_use]
pub fn uncounted_entry(timestamp: u64, tally: &Tally) -> String {
    let counts = tally.encode();
    log::line(&json!({ "timestamp": timestamp, "reason": Reason::Uncounted, "counts": counts }))
}

/// The log lines about templates that are not shown, once for each reading of the settings.
#[must_use]
pub fn refused_entries(timestamp: u64, config: &Config) -> Vec<String> {
    let entry = |refused: Refused| {
        let reason = refused.refusal.reason.chars().take(REASON);
        log::line(&json!({
            "timestamp": timestamp,
            "reason": Reason::RefusedTemplate,
            "template": refused.template,
            "line": refused.refusal.line,
            "detail": reason.collect::<String>(),
        }))
    };
    config.pages.refused().into_iter().map(entry).collect()
}

/// The answer to a visitor inside when the origin does not answer, with the ticket that was meant for the origin's answer.
#[must_use]
pub fn origin_failed(call: &Call, forward: &Forward) -> Reply {
    let text = "The site did not answer. You are in, and stay in: please try again in a moment.";
    let reply = if wants_json(call) {
        Reply::problem(502, "The origin did not answer", text)
    } else {
        page::notice(502, "Please try again", text)
    };
    let cookies = forward.set_cookies.clone();
    secured(call, reply.with("retry-after", "5").with_cookies(cookies))
}

fn worded(
    call: &Call,
    kind: Kind,
    visit: Visit,
    near: &dyn Pop,
    config: &Config,
    now_ms: u64,
) -> Outcome {
    let now = now_ms / 1000;
    let cookies = signed(call, kind, &visit, config, now);
    let answer = if visit.end == End::Inside {
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
    outcome(answer, visit, near, share(call, config))
}

/// What the waiting page asks for. A visitor who may go in reads so, and goes in by the next request.
fn beside(route: Route, call: &Call, line: &Line<'_>, near: &dyn Pop, config: &Config) -> Outcome {
    let visit = match routes::answer(route, call, line, near, config) {
        Aside::Visit(visit) => *visit,
        Aside::Reply(reply, reason) => {
            return reply_with(for_visitor(call, reply, config), reason);
        }
    };
    let reply = match visit.end {
        End::Inside => Reply::data(200, &json!({ "waiting": false })),
        End::Outside => routes::without_ticket(call),
        _ => answer::place(call, &visit, config, line.now_ms),
    };
    // There is a visit only for a ticket that came.
    let kind = kind(call, config, Brought::Ticket);
    let cookies = signed(call, kind, &visit, config, line.now_ms / 1000);
    let reply = for_visitor(call, reply.with_cookies(cookies), config);
    outcome(Answer::Reply(reply), visit, near, share(call, config))
}

/// How many polls of waiting visitors are logged: they say little, and there are many.
fn share(call: &Call, config: &Config) -> Share {
    Share::one_in(config.log_sample, call.chance())
}

/// The ticket as cookies, where it differs from the one that came. To a page elsewhere none is given unless one came
/// along: the browser would put it in the place of a ticket that is not known here.
fn signed(call: &Call, kind: Kind, visit: &Visit, config: &Config, now: u64) -> Vec<String> {
    let may_be_kept = kind != Kind::Elsewhere || ticket_cookie::keeps_cookies(call);
    if visit.changed && may_be_kept {
        ticket_cookie::cookies(call, &visit.ticket, config, now)
    } else {
        Vec::new()
    }
}

fn outcome(answer: Answer, visit: Visit, near: &dyn Pop, share_of_looks: Share) -> Outcome {
    let reason = match visit.end {
        End::Inside => entered(&visit, near),
        End::Waiting { .. } | End::Called => Reason::Waiting,
        End::Provisional => Reason::Provisional,
        End::Held => Reason::Held,
        End::Closed => Reason::Closed,
        End::Outside => Reason::NotAVisitor,
    };
    let is_look = reason == Reason::Waiting && !visit.changed && visit.fault.is_none();
    let record = Record {
        share: if is_look { share_of_looks } else { Share::All },
        queue_cursor: visit.sign.as_ref().map(|sign| sign.cursor.0),
        visitor_position: visit.position().map(|position| position.0),
        ticket_reference: visit.reference(),
        store_error: visit.fault.map(|fault| fault.to_string()),
        ..Record::of(visit.end == End::Inside, reason)
    };
    Outcome {
        answer,
        record,
        after: visit.after,
    }
}

fn entered(visit: &Visit, near: &dyn Pop) -> Reason {
    if visit.is_without_store {
        Reason::AdmittedWithoutStore
    } else if visit.changed && near.is_first_admission(&visit.ticket.id) {
        Reason::Admitted
    } else {
        Reason::Inside
    }
}

fn to_https(call: &Call, config: &Config) -> Outcome {
    reply_with(for_visitor(call, https(call), config), Reason::ToHttps)
}

/// Credentials that came over plain http are left unread: a listener on the network has them. A change is not repeated over
/// https by itself, so that its sender learns what was sent; and a browser that came by https already would come here again.
fn operator_to_https(call: &Call) -> Outcome {
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

fn of_operator(call: &Call, answered: Answered) -> Outcome {
    let record = Record {
        queue_cursor: answered.sign.map(|sign| sign.cursor.0),
        operator: answered.operator,
        action: answered.action,
        problems: answered.problems,
        store_error: answered.fault.map(|fault| fault.to_string()),
        ..Record::of(false, answered.reason)
    };
    Outcome {
        answer: Answer::Reply(for_method(call, answered.reply)),
        record,
        after: After::Nothing,
    }
}

/// What every answer of ours to a visitor has in common.
fn for_visitor(call: &Call, reply: Reply, config: &Config) -> Reply {
    for_method(call, cors::readable(reply, call, &config.cors_origins))
}

fn for_method(call: &Call, reply: Reply) -> Reply {
    if call.method == "HEAD" {
        reply.without_body()
    } else {
        reply
    }
}

fn forward(call: &Call, config: &Config, reason: Reason) -> Outcome {
    Outcome {
        answer: Answer::Forward(bare(call, &config.paths, config.origin_cookie)),
        record: Record::of(true, reason),
        after: After::Nothing,
    }
}

/// What is answered to a request whose target is no path but `*`: `OPTIONS *` asks about the server (RFC 9110 7.1), and no
/// other method takes that target.
#[must_use]
pub fn whole_server(method: &str) -> Reply {
    match method {
        "OPTIONS" => what_is_taken(),
        method => {
            let detail = "the request target is no path; accepted is one that begins with /, and * for OPTIONS only";
            let reply = Reply::problem(400, "Bad request target", detail);
            if method == "HEAD" {
                reply.without_body()
            } else {
                reply
            }
        }
    }
}

/// The answer to a WebSocket that goes no further, wherever it leads; nothing if it may go on, or is none.
fn web_socket_refused(call: &Call, web_sockets: WebSockets) -> Option<(Reply, Reason)> {
    if !call.is_web_socket() {
        return None;
    }
    if web_sockets == WebSockets::Refuse {
        return Some((not_switched_on(), Reason::NotSupported));
    }
    if call.method == "GET" && call.has("sec-websocket-key") && !call.has_body() {
        return None;
    }
    let detail = "a WebSocket begins with GET, Sec-WebSocket-Key and no body (RFC 6455 4.1); this request does not";
    let reply = Reply::problem(400, "Bad WebSocket request", detail);
    Some((reply, Reason::BadRequest))
}

/// What is answered to a WebSocket where the platform hands over none.
#[must_use]
pub fn no_web_sockets(call: &Call) -> Reply {
    secured(call, not_switched_on())
}

/// What is answered to a WebSocket whose `Connection` names other headers.
#[must_use]
pub fn bad_upgrade(call: &Call) -> Reply {
    let detail = "the Connection header of a WebSocket names what the origin should see; accepted are Upgrade and keep-alive";
    secured(call, Reply::problem(400, "Bad Connection", detail))
}

fn not_switched_on() -> Reply {
    let detail = "WebSockets are not switched on here; accepted are HTTP requests without Upgrade: websocket";
    Reply::problem(501, "WebSocket is not supported", detail)
}

/// What visitors may send.
fn what_is_taken() -> Reply {
    Reply::new(204, "text/plain; charset=utf-8", "").with("allow", METHODS)
}

/// Whether a page elsewhere may send something is for the origin to say, which learns nothing else by it; what may be sent
/// at all is known here.
fn options(call: &Call) -> Outcome {
    if !call.is_preflight() {
        return reply_with(what_is_taken(), Reason::Preflight);
    }
    let forward = Forward {
        cookies: Cookies::None,
        ..Forward::default()
    };
    Outcome {
        answer: Answer::Forward(forward),
        record: Record::of(true, Reason::Preflight),
        after: After::Nothing,
    }
}

/// What every request loses on its way to the origin, and gains nothing yet. Where other visitors may see the answer, it
/// is not asked for in the name of this one: without cookies, and never with credentials.
fn bare(call: &Call, paths: &Paths, origin_cookie: OriginCookie) -> Forward {
    let way = way(call, paths);
    if way == Way::Cache {
        return Forward {
            cookies: Cookies::None,
            way,
            ..Forward::default()
        };
    }
    let loopback = call.is_loopback();
    let twin = cookie::twin_name(loopback);
    let ours = match origin_cookie {
        OriginCookie::Remove => vec![cookie::name(loopback), twin],
        OriginCookie::Keep => vec![twin],
    };
    Forward {
        cookies: Cookies::Without(ours),
        way,
        ..Forward::default()
    }
}

/// What an origin answers to plain http is often the way to https: kept, it would be shown to visitors who are there.
fn way(call: &Call, paths: &Paths) -> Way {
    let is_for_one = call.has("authorization") || call.has_body();
    let is_by_http = !call.https && !call.local;
    if call.is_web_socket() {
        Way::WebSocket
    } else if !is_for_one && !is_by_http && paths.may_be_cached(&call.method, &call.path) {
        Way::Cache
    } else {
        Way::Pass
    }
}

/// The same of a visitor inside. The pass is always sent, since an origin may refuse what comes without; the number
/// does not where other visitors may see the answer.
fn of_visitor(bare: Forward, position: Option<Position>, pass: Option<String>) -> Forward {
    let position = position.filter(|_| bare.way != Way::Cache);
    Forward {
        position,
        pass,
        ..bare
    }
}

fn reply_with(reply: Reply, reason: Reason) -> Outcome {
    Outcome {
        answer: Answer::Reply(reply),
        record: Record::of(false, reason),
        after: After::Nothing,
    }
}
