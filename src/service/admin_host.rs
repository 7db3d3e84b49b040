//! The host of the setting `admin_host`: the operators' routes, and nothing else.
//!
//! Invariant: a request to it draws no number and does not reach the origin.

use std::io::Read;

use super::{Outcome, for_method, of_operator, operator_to_https, reply_with};
use crate::config::below;
use crate::http::Reply;
use crate::operator;
use crate::queue::Reason;
use crate::request::Request;

/// Answers a request to this host.
pub(super) fn answer(body: &mut dyn Read, request: &Request<'_>) -> Outcome<'static> {
    let call = request.call;
    if !call.https && !call.local {
        return operator_to_https(call);
    }
    if call.path == "/" {
        return to_panel(request);
    }
    let answered = match below(&call.path, &request.room.routes) {
        Some(rest) => operator::answer(rest, body, request),
        None => operator::not_found(),
    };
    of_operator(call, answered)
}

fn to_panel(request: &Request<'_>) -> Outcome<'static> {
    let call = request.call;
    if let Some(reply) = Reply::wrong_method(&call.method, "GET, HEAD") {
        return reply_with(reply, Reason::BadOperatorRequest);
    }
    let reply = operator::to_panel(None, &request.config.rooms.first);
    reply_with(for_method(call, reply), Reason::Panel)
}
