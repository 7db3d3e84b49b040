//! The setting `operators_acl`: from which networks people may use the operators' routes.
//!
//! Programs are not asked: what they prove themselves with is a token.

use super::Refused;
use crate::cache::Listed;
use crate::config::Problem;
use crate::http::Call;
use crate::request::Request;

/// Why this request is refused before its credentials are looked at, if it is.
#[must_use]
pub fn refused(request: &Request<'_>) -> Option<Refused> {
    let Request { call, pop, .. } = *request;
    let list = request.config.operators.acl.as_ref()?;
    if is_of_a_program(call) {
        return None;
    }
    let listed = call
        .address
        .map_or(Listed::Not, |address| pop.listed(list, address));
    match listed {
        Listed::Allowed => None,
        Listed::Not => Some(Refused::NotListed),
        Listed::Unknown => Some(Refused::ListUnread(vec![Problem {
            key: "operators_acl",
            value: Some(list.clone()),
            accepted: "the name by which an ACL is linked to this service".to_owned(),
            unreadable: true,
            room: None,
        }])),
    }
}

fn is_of_a_program(call: &Call) -> bool {
    let given = call.header("authorization");
    let scheme = given.split_once(' ').map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("bearer")
}
