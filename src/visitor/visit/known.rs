//! What a POP knows of a ticket besides the board: whether its holder has gone in, and whether its session was ended.

use crate::cache::{Markers, Pop, TicketMark, TicketMarks, ended};
use crate::queue::{Board, Enforcement, Sessions};
use crate::ticket::Ticket;

/// A client that ignores its cookies comes again with the ticket that it went in by.
pub(super) fn has_gone_in(held: &Ticket, pop: &dyn TicketMarks) -> bool {
    pop.is_marked(TicketMark::Admitted, &held.id)
}

/// Whether the visitor has been told that it is the turn, and has not gone in yet.
pub(crate) fn is_called_only(held: &Ticket, pop: &dyn TicketMarks) -> bool {
    held.called && !has_gone_in(held, pop)
}

/// Whether the origin or an operator ended the session of this ticket. A cap that only observes refuses no ticket.
pub(crate) fn was_ended(id: &str, pop: &dyn Pop) -> bool {
    was_ended_by(id, pop.last_board().as_ref(), pop)
}

/// The same by what this board says of it.
pub(super) fn was_ended_by(id: &str, board: Option<&Board>, pop: &dyn Markers) -> bool {
    let sessions = board.and_then(|board| board.sessions.as_ref());
    sessions.is_some_and(|sessions| is_on_the_list(id, sessions, pop))
}

pub(super) fn is_on_the_list(id: &str, sessions: &Sessions, pop: &dyn Markers) -> bool {
    sessions.ended > 0 && sessions.enforcement == Enforcement::On && ended::has(pop, id)
}
