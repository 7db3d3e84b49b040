//! What a visitor is answered who gets no number, by what the platform says, or whose request the site's firewall stops.

use super::VARY;
use crate::http::negotiate::wants_json;
use crate::http::{Call, Reply};
use crate::page::{self, Shell};
use crate::queue::Stop;
use crate::request::Request;
use crate::visitor::language;
use crate::visitor::visit::Visit;

/// When a verified crawler may come back, in seconds. Crawlers keep what they know of a page that answers 503 for a while.
const LATER: u64 = 3_600;

/// A crawler reads the status, and when to come back.
pub(super) fn come_back_later() -> Reply {
    let detail = "verified crawlers get no number; they may come back after Retry-After";
    Reply::problem(503, "Come back later", detail).with("retry-after", LATER.to_string())
}

/// Without a ticket: none that was given here would change what the platform says.
pub(super) fn refused(visit: &Visit, request: &Request<'_>) -> Reply {
    let call = request.call;
    let reply = if wants_json(call) {
        let detail = "no number is given to this client or its network; another network or device may get one";
        Reply::problem(403, "No number is given", detail)
    } else {
        page::refused(language::shell(Some(&visit.ticket), request))
    };
    reply.with("vary", VARY)
}

/// In place of the origin's answer.
#[must_use]
pub fn stopped(stop: &Stop, shell: Shell<'_>, call: &Call) -> Reply {
    let reply = match stop {
        Stop::Redirect(status, to) => {
            Reply::new(*status, "text/plain; charset=utf-8", "").with("location", to)
        }
        Stop::Page if wants_json(call) => {
            let detail = "this request was stopped by the site's security rules";
            Reply::problem(403, "Request stopped", detail)
        }
        Stop::Page => page::stopped(shell),
    };
    reply.with("vary", VARY)
}
