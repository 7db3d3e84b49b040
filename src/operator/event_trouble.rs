//! Why an event does not go as its settings say: healthz and status name it.

use crate::queue::{Board, Event, Phase};
use crate::request::Request;

/// What an operator has to know of the events, by this board.
pub(super) fn event_trouble(board: &Board, request: &Request<'_>) -> Option<&'static str> {
    hidden(board, request).or_else(|| at_odds(board, request))
}

/// What operators set takes the place of the settings, also when it is over.
fn hidden(board: &Board, request: &Request<'_>) -> Option<&'static str> {
    let is_over = |event: &Event| event.is_over(request.now.ms());
    let live = &board.live.events.as_ref()?.0;
    let is_new = |event: &Event| !is_over(event) && live.iter().all(|set| set.id != event.id);
    let is_hidden = live.iter().all(is_over) && !live.is_empty();
    (is_hidden && request.room.events.iter().any(is_new)).then_some(
        "the events that an operator set are over, and hide one of the settings that is still to come: go back to the configured events",
    )
}

/// The event began in another way than its settings say now, or its lot cannot be drawn.
fn at_odds(board: &Board, request: &Request<'_>) -> Option<&'static str> {
    let (begun, shown) = (board.begun.as_ref()?, &board.event.as_ref()?.event);
    let events = board.live.events(&request.room.events);
    let event = events.iter().find(|event| event.id == shown.id)?;
    let room = request.room.name.as_str();
    let phase = event.phase(request.now.ms());
    if begun.id != shown.id && matches!(phase, Phase::Prequeue | Phase::Open) {
        Some(
            "it began no line of its own, and its order is by arrival: it opens before the last event that began, as that was set when it began",
        )
    } else if event.order != shown.order {
        Some(
            "its order is not the one of the settings: it keeps the order with which it began, and it goes in by arrival where its id was used before: give it another id",
        )
    } else if begun.is_undecided() && request.schedule().reveal(room, begun).is_none() {
        Some(
            "no entry of jwt_secret makes its secret: put the entry back that signed when the pre-queue began",
        )
    } else {
        None
    }
}
