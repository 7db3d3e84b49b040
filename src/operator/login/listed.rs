//! The setting `operators_acl`: from which networks people may use the operators' routes.
//!
//! Programs are not asked: what they prove themselves with is a token.

use super::Refused;
use crate::cache::{Listed, Pop};
use crate::config::{Config, Problem};
use crate::http::Call;

/// Why this request is refused before its credentials are looked at, if it is.
#[must_use]
pub fn refused(call: &Call, config: &Config, near: &dyn Pop) -> Option<Refused> {
    let list = config.operators_acl.as_ref()?;
    if is_of_a_program(call) {
        return None;
    }
    let listed = call
        .address
        .map_or(Listed::Not, |address| near.listed(list, address));
    match listed {
        Listed::Allowed => None,
        Listed::Not => Some(Refused::NotListed),
        Listed::Unknown => Some(Refused::ListUnread(vec![Problem {
            key: "operators_acl",
            value: Some(list.clone()),
            accepted: "the name by which an ACL is linked to this service".to_owned(),
            unreadable: true,
        }])),
    }
}

fn is_of_a_program(call: &Call) -> bool {
    let given = call.header("authorization");
    let scheme = given.split_once(' ').map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("bearer")
}
