//! What goes on to the origin, and what never does.

use super::{Outcome, for_visitor, reply_with, secured, waf};
use crate::config::{OriginCookie, PastBy, Paths, Rooms, WebSockets};
use crate::http::cookie::{OF_ROOMS, TICKETS, TWINS};
use crate::http::{Answer, Call, Cookies, Forward, Reply, Site, Way};
use crate::queue::Position;
use crate::queue::Reason;
use crate::request::Request;
use crate::telemetry::log::Decision;
use crate::visitor::visit::FollowUp;
use crate::visitor::{answer, language};
use std::borrow::Cow;

/// What visitors may send.
pub(super) const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

pub(super) fn forward(request: &Request<'_>, reason: Reason) -> Outcome<'static> {
    let Request {
        call, config, room, ..
    } = *request;
    let bare = bare(
        call,
        &config.paths,
        config.web.origin_cookie,
        &config.rooms,
        &room.site,
    );
    let mut outcome = forward_with(bare, reason);
    let inspected = waf::of_request(call, config.waf.as_ref(), request.platform);
    outcome.note(inspected, &|stop| {
        for_visitor(
            call,
            answer::stopped(stop, language::shell(None, request), call),
            config,
        )
    });
    outcome
}

/// What goes on to the origin as it is.
pub(super) fn forward_with(forward: Forward, reason: Reason) -> Outcome<'static> {
    Outcome {
        answer: Answer::Forward(forward),
        record: Decision::forwarded(reason),
        renewal: None,
        after: FollowUp::Nothing,
        rescue: None,
    }
}

/// A request that goes past every room. The log names the condition by which it does, since the line has nothing else of it.
pub(super) fn bypassed(by: PastBy, request: &Request<'_>) -> Outcome<'static> {
    let mut outcome = forward(request, Reason::Bypass);
    outcome.record.rule = rule(by);
    outcome
}

/// What the log says of it.
pub(super) fn rule(by: PastBy) -> Option<String> {
    match by {
        PastBy::BypassWhen(_) => Some(by.to_string()),
        PastBy::BypassPaths | PastBy::WellKnown | PastBy::NotProtected => None,
    }
}

/// A client that needs no ticket, by the name that the log has of it.
pub(super) fn allowed(name: String, request: &Request<'_>) -> Outcome<'static> {
    let outcome = forward(request, Reason::Allowed);
    let record = Decision {
        allowed: Some(name),
        ..outcome.record
    };
    Outcome { record, ..outcome }
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
pub(super) fn web_socket_refused(call: &Call, web_sockets: WebSockets) -> Option<(Reply, Reason)> {
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

/// What is answered where the URL would be too long on its way to the origin: what is not ASCII grows on the way, and so does `'` in a query.
#[must_use]
pub fn too_long(call: &Call, forward: &Forward) -> Reply {
    let detail =
        "accepted are 8192 bytes of a URL in percent-encoding, such as %27 for ' and %C3%A9 for é";
    let reply = Reply::problem(414, "URL too long", detail);
    secured(call, reply.with_cookies(forward.set_cookies.clone()))
}

/// What is answered to a WebSocket whose `Connection` names other headers.
#[must_use]
pub fn bad_upgrade(call: &Call) -> Reply {
    let detail = "the Connection header of a WebSocket names what the origin should see; accepted are Upgrade and keep-alive";
    secured(call, Reply::problem(400, "Bad Connection", detail))
}

pub(super) fn not_switched_on() -> Reply {
    let detail = "WebSockets are not switched on here; accepted are HTTP requests without Upgrade: websocket";
    Reply::problem(501, "WebSocket is not supported", detail)
}

/// Let into one room, a visitor could reach what another room protects by such a path.
pub(super) fn unclear() -> Reply {
    let detail = "origins may read this path as one of several rooms; accepted is one that all read alike: without //, \\, ; and parts that are . or .., and without % in front of what stands for these, for % or for /";
    Reply::problem(400, "Unclear path", detail)
}

/// What visitors may send.
pub(super) fn what_is_taken() -> Reply {
    Reply::new(204, "text/plain; charset=utf-8", "").with("allow", METHODS)
}

/// Whether a page elsewhere may send something is for the origin to say, which learns nothing else by it; what may be sent
/// at all is known here.
pub(super) fn options(call: &Call, site: &Site) -> Outcome<'static> {
    if !call.is_preflight() {
        return reply_with(what_is_taken(), Reason::Preflight);
    }
    let forward = Forward {
        cookies: Cookies::None,
        site: site.clone(),
        ..Forward::default()
    };
    forward_with(forward, Reason::Preflight)
}

/// What every request loses on its way to the origin, the tickets of all rooms among it, and gains nothing yet. Where other
/// visitors may see the answer, it is not asked for in the name of this one: without cookies, and never with credentials. Where it goes to
/// another backend than the usual one, or for another host than the visitor's, no other visitor sees the answer: no document says that the
/// cache tells these apart.
pub(super) fn bare(
    call: &Call,
    paths: &Paths,
    origin_cookie: OriginCookie,
    rooms: &Rooms,
    site: &Site,
) -> Forward {
    let way = match way(call, paths) {
        Way::Cache if *site != Site::default() => Way::Pass,
        way => way,
    };
    if way == Way::Cache {
        return Forward {
            cookies: Cookies::None,
            way,
            ..Forward::default()
        };
    }
    let names = rooms.all().flat_map(|room| room.cookies.kept(call));
    let ours = names.flat_map(|names| {
        let ticket = match origin_cookie {
            OriginCookie::Remove => Some(names.ticket.clone()),
            OriginCookie::Keep => None,
        };
        ticket.into_iter().chain([names.twin.clone()])
    });
    let (of_rooms, like) = match origin_cookie {
        OriginCookie::Remove => (&OF_ROOMS[..], &TICKETS[..]),
        OriginCookie::Keep => (&[][..], &TWINS[..]),
    };
    let ours = ours.chain(of_rooms.iter().copied().map(Cow::Borrowed));
    Forward {
        cookies: Cookies::Without(ours.collect(), like),
        site: site.clone(),
        way,
        ..Forward::default()
    }
}

/// What an origin answers to plain http is often the way to https: kept, it would be shown to visitors who are there.
pub(super) fn way(call: &Call, paths: &Paths) -> Way {
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
pub(super) fn of_visitor(
    bare: Forward,
    position: Option<Position>,
    pass: Option<String>,
) -> Forward {
    let position = position.filter(|_| bare.way != Way::Cache);
    Forward {
        position,
        pass,
        ..bare
    }
}
