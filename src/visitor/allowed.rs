//! Clients that go to the origin without a ticket, such as monitors and partners: by a signed header, or from a network that the
//! operators list.
//!
//! Invariant: no store is asked for them, they draw nothing, and they have no rights of an operator.

use crate::cache::Listed;
use crate::queue::AllowFault;
use crate::request::Request;
use crate::ticket::Ticket;

/// The header that brings an allowance.
const HEADER: &str = "queue-allow";

/// The name in the allowance that a request brings, or why it is none; nothing where it brings none.
#[must_use]
pub fn brought(request: &Request<'_>) -> Option<Result<String, AllowFault>> {
    let line = request.call.lines(HEADER).next()?;
    let token = std::str::from_utf8(line).unwrap_or_default().trim();
    let keys = &request.config.tickets.keys;
    Some(keys.allowance(token, &request.room.name, request.now))
}

/// The name of the list that allows the sender's network, or that it could not be asked; nothing where it is not listed, and where
/// the sender has a ticket with a number, which is not asked about.
#[must_use]
pub fn listed(
    ticket: Option<&Ticket>,
    request: &Request<'_>,
) -> Option<Result<String, AllowFault>> {
    let list = request.room.allow_acl.as_ref()?;
    let has_no_number = |ticket: &Ticket| ticket.is_provisional();
    if !ticket.is_none_or(has_no_number) {
        return None;
    }
    match request.pop.listed(list, request.call.address?) {
        Listed::Allowed => Some(Ok(list.clone())),
        Listed::Unknown => Some(Err(AllowFault::ListUnread)),
        Listed::Not => None,
    }
}
