//! A visit, and what the journal had reached by then: each ticket that is signed says so.

use super::{Visit, visited};
use crate::request::Request;
use crate::ticket::Ticket;
use crate::visitor::Kind;

/// Decides one visit. `ticket` has been verified; the request's random id becomes the id of a new one.
#[must_use]
pub fn visit(kind: Kind, ticket: Option<Ticket>, request: &Request<'_>) -> Visit {
    let mut visit = visited(kind, ticket, request);
    if visit.changed {
        let seen = visit.sign.as_ref().and_then(|sign| sign.head);
        let last = || request.pop.last_sign()?.head;
        visit.ticket.head = seen.or_else(last).or(visit.ticket.head);
    }
    visit
}
