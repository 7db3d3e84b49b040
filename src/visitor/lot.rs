//! What anybody may check of an order by lot, and what it gave to the visitor who asks.

use crate::http::Reply;
use crate::http::object::object;
use crate::queue::{Begun, Board, Lane, Position};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use serde_json::Value;

/// What is accepted as a lane.
const ACCEPTED: &str = "lane is main, front or the name of a region";

/// What is known here of the lot, without a question to the store.
#[must_use]
pub(super) fn reply(ticket: Option<&Ticket>, request: &Request<'_>) -> Reply {
    let Some(board) = request.pop.last_board() else {
        let detail = "nothing is known here of the line yet; ask again in some seconds";
        return Reply::problem(503, "Not known yet", detail);
    };
    let lane = match request.call.parameter("lane").as_deref() {
        None => Some(ticket.map_or(Lane::Main, |ticket| ticket.lane)),
        Some(name) => Lane::of_full_name(name),
    };
    let Some(lane) = lane else {
        return Reply::problem(400, "No such lane", ACCEPTED);
    };
    let board = board.of(lane);
    let ticket = ticket.filter(|ticket| ticket.lane == lane);
    Reply::data(200, &told(&board, lane, ticket, request.room.name.as_str()))
}

fn told(board: &Board, lane: Lane, ticket: Option<&Ticket>, room: &str) -> Value {
    let begun = board
        .begun
        .as_ref()
        .filter(|begun| begun.commitment.is_some());
    let Some(begun) = begun else {
        return object!({ "room": room, "event": None::<&str> });
    };
    let lot = begun.lot.as_ref();
    let seed = begun.seed().map(|seed| seed.hex());
    let place = ticket.and_then(|ticket| place(begun, board, ticket));
    object!({
        "room": room,
        "event": begun.id.as_str(),
        "commitment": begun.commitment.as_deref(),
        "public_value_from": begun.order.source(),
        "lane": lane.full_name(),
        "drawn": begun.drawn(),
        "value": lot.map(|lot| lot.value.as_str()),
        "secret": lot.map(|lot| lot.secret.as_str()),
        "seed": seed.as_deref(),
        "ticket": place.map(|(came, given)| object!({ "came": came, "place": given })),
    })
}

/// As which one its holder came, and at which place the lot put them: both within this event.
fn place(begun: &Begun, board: &Board, ticket: &Ticket) -> Option<(u64, Option<u64>)> {
    let TicketStage::Waiting(proof) = ticket.stage else {
        return None;
    };
    // Who came behind the lot is at the place behind all of it.
    let within = |position: Position| {
        let place = board.place(position);
        let is_in = begun.came(place);
        is_in.or_else(|| board.behind(begun.first()?, position))
    };
    let place = board.redrawn(proof).place;
    let is_decided = begun.seed().is_some();
    let given = board.number(place).filter(|_| is_decided);
    let came = place.came.or_else(|| board.number(place))?;
    Some((within(came)?, given.and_then(within)))
}
