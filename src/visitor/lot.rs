//! What anybody may check of an order by lot, and what it gave to the visitor who asks.

use crate::http::Reply;
use crate::http::object::object;
use crate::queue::{Begun, Board, Lane, Seed};
use crate::request::Request;
use crate::ticket::{Standing, Ticket};
use serde_json::Value;

/// What is known here of the lot, without a question to the store.
#[must_use]
pub(super) fn reply(ticket: Option<&Ticket>, request: &Request<'_>) -> Reply {
    let Some(board) = request.pop.last_board() else {
        let detail = "nothing is known here of the line yet; ask again in some seconds";
        return Reply::problem(503, "Not known yet", detail);
    };
    Reply::data(200, &told(&board, ticket, request.room.name.as_str()))
}

fn told(board: &Board, ticket: Option<&Ticket>, room: &str) -> Value {
    let begun = board
        .begun
        .as_ref()
        .filter(|begun| begun.commitment.is_some());
    let Some(begun) = begun else {
        return object!({ "room": room, "event": None::<&str> });
    };
    let lot = begun.lot.as_ref();
    let seed = lot.zip(begun.drawn);
    let seed = seed.map(|(lot, n)| Seed::new(&lot.secret, &lot.value, n).hex());
    let place = ticket.and_then(|ticket| place(begun, board, ticket));
    object!({
        "room": room,
        "event": begun.id.as_str(),
        "commitment": begun.commitment.as_deref(),
        "public_value_from": begun.order.source(),
        "drawn": begun.drawn,
        "value": lot.map(|lot| lot.value.as_str()),
        "secret": lot.map(|lot| lot.secret.as_str()),
        "seed": seed.as_deref(),
        "ticket": place.map(|(came, given)| object!({ "came": came, "place": given })),
    })
}

/// As which one its holder came, and at which place the lot put them: both within this event.
fn place(begun: &Begun, board: &Board, ticket: &Ticket) -> Option<(u64, Option<u64>)> {
    let (Standing::Waiting(place), Lane::Main) = (ticket.standing, ticket.lane) else {
        return None;
    };
    let place = board.redrawn(place);
    let is_decided = begun.lot.is_some() && begun.drawn.is_some();
    let given = board.number(place).filter(|_| is_decided);
    let came = place.came.or_else(|| board.number(place))?;
    let within = |number: u64| number.checked_sub(begun.base).filter(|number| *number > 0);
    Some((within(came.0)?, given.and_then(|given| within(given.0))))
}
