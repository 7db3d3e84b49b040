//! The host of the setting `admin_host`: the operators' routes, and nothing else.
//!
//! Invariant: a request to it draws no number and does not reach the origin.

use std::io::Read;

use super::{Outcome, for_method, of_operator, operator_to_https, reply_with};
use crate::cache::Pop;
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::operator;
use crate::queue::Reason;
use crate::store::Line;

/// Answers a request to this host.
pub(super) fn answer(
    call: &Call,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Pop,
    config: &Config,
) -> Outcome {
    if !call.https && !call.local {
        return operator_to_https(call);
    }
    if call.path == "/" {
        return to_panel(call, config);
    }
    let answered = match operator::below(&call.path, &config.admin_path) {
        Some(rest) => operator::answer(rest, call, body, line, near, config),
        None => operator::not_found(),
    };
    of_operator(call, answered)
}

fn to_panel(call: &Call, config: &Config) -> Outcome {
    if let Some(reply) = Reply::wrong_method(&call.method, "GET, HEAD") {
        return reply_with(reply, Reason::BadOperatorRequest);
    }
    let reply = operator::to_panel(None, config);
    reply_with(for_method(call, reply), Reason::Panel)
}
