//! What a visitor learns of an event: by the board, or by the clock where the store was not asked.

use super::visit::Visit;
use crate::queue::{Board, Event, Outlook, Phase, Position};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};

/// Whether the number says nothing yet, since its order is by lot. Where the store does not answer and no copy is here, it is not
/// known whether the lot is drawn.
pub(super) fn awaits_lot(
    ticket: &Ticket,
    board: Option<&Board>,
    number: Option<Position>,
    request: &Request<'_>,
) -> bool {
    match (board, ticket.stage) {
        (Some(board), _) => number.is_some_and(|number| board.of(ticket.lane).awaits_lot(number)),
        (None, TicketStage::Waiting(proof)) => {
            let is_by_lot =
                |(event, phase): (Event, Phase)| event.order.is_drawn() && phase.has_begun();
            proof.place.came.is_none() && request.event().is_some_and(is_by_lot)
        }
        (None, _) => false,
    }
}

/// The same of a visit.
pub(super) fn visit_awaits_lot(visit: &Visit, request: &Request<'_>) -> bool {
    awaits_lot(
        &visit.ticket,
        visit.board.as_ref(),
        visit.position(),
        request,
    )
}

/// What is known of an event: by the board, or by the clock where the store was not asked.
pub(super) fn outlook(visit: &Visit, request: &Request<'_>) -> Option<Outlook> {
    let (event, phase) = match &visit.board {
        Some(board) => {
            let told = board.event.as_ref()?;
            (told.event.clone(), told.phase)
        }
        None => request.event()?,
    };
    // To visitors of a room that goes on it is no event; in a maintenance the room is on hold.
    let is_told = phase == Phase::Before || phase.has_begun();
    is_told.then(|| Outlook::new(&event, phase, request.now_of_events().ms()))
}
