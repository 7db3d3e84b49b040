//! What the routes of the waiting page answer.

use super::visit::Visit;
use crate::http::{Reply, shortened};
use crate::queue::{Invited, Reason};

/// Where a visit stands, or an answer that needed none.
pub enum ApiAnswer {
    /// The holder of a ticket was looked after.
    Visit(Box<Visit>),
    /// Nobody was.
    Reply(Reply, Reason),
    /// The same about an invitation, and why it was refused.
    Invitation(Reply, Option<Invited>),
}

pub(super) fn back(to: &str) -> Reply {
    Reply::new(303, "text/plain; charset=utf-8", "").with("location", to)
}

pub(super) fn bad_destination() -> ApiAnswer {
    refused("to is missing or no such path; accepted is a path of this site, such as /shop?item=1")
}

pub(super) fn bad(name: &str, found: Option<&str>, accepted: &str) -> ApiAnswer {
    let found = found.map(|found| format!("{:?}", shortened(found)));
    let found = found.unwrap_or_else(|| "missing".to_owned());
    refused(&format!("{name} is {found}; accepted is {accepted}"))
}

fn refused(detail: &str) -> ApiAnswer {
    let reply = Reply::problem(400, "Bad request", detail);
    ApiAnswer::Reply(reply, Reason::BadRequest)
}
