//! What anybody may check of an order by lot, and what it gave to the visitor who asks: as data, and as what [`order`](super::order) says of it.

use crate::http::Reply;
use crate::http::object::object;
use crate::page::LotView;
use crate::queue::{Begun, Board, Lane, Position};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use serde_json::Value;

/// What is accepted as a lane.
const ACCEPTED: &str = "lane is main or the name of a group or a region";

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
    let ticket_here = ticket.filter(|ticket| ticket.lane == lane);
    let lot = Lot::of(&board, ticket_here);
    Reply::data(200, &told(lot.as_ref(), lane, request.room.name.as_str()))
        .with("vary", "Accept, Accept-Language, Cookie")
}

/// What a visitor reads: of the lot of the event whose time it is, and not of one before.
pub(super) fn view(board: &Board, ticket: Option<&Ticket>) -> LotView {
    let board = board.of(ticket.map_or(Lane::Main, |ticket| ticket.lane));
    let event = board.event.as_ref().map(|current| &current.event);
    let is_current = |lot: &Lot<'_>| event.is_none_or(|event| event.id == lot.begun.id);
    let lot = Lot::of(&board, ticket).filter(is_current);
    lot.as_ref().map(Lot::view).unwrap_or_default()
}

/// What is known of an order by lot, and what it gave to one ticket.
struct Lot<'a> {
    begun: &'a Begun,
    commitment: &'a str,
    seed: Option<String>,
    /// As which one the holder came, and at which place the lot put them.
    ticket: Option<(u64, Option<u64>)>,
}

impl<'a> Lot<'a> {
    fn of(board: &'a Board, ticket: Option<&Ticket>) -> Option<Self> {
        let begun = board.begun.as_ref()?;
        Some(Self {
            begun,
            commitment: begun.commitment.as_deref()?,
            seed: begun.seed().map(|seed| seed.hex()),
            ticket: ticket.and_then(|ticket| place(begun, board, ticket)),
        })
    }

    fn view(&self) -> LotView {
        let lot = self.begun.lot.as_ref();
        let values = [
            ("commitment", Some(self.commitment)),
            ("value", lot.map(|lot| lot.value.as_str())),
            ("secret", lot.map(|lot| lot.secret.as_str())),
            ("seed", self.seed.as_deref()),
        ];
        let is_told = |(name, value): (&'static str, Option<&str>)| Some((name, value?.to_owned()));
        let given = self.ticket.and_then(|(_, given)| given);
        LotView {
            source: self.begun.order.source().map(str::to_owned),
            came: self.ticket.map(|(came, _)| came),
            place: given.zip(self.begun.drawn()),
            is_decided: self.seed.is_some(),
            values: values.into_iter().filter_map(is_told).collect(),
        }
    }
}

fn told(lot: Option<&Lot<'_>>, lane: Lane, room: &str) -> Value {
    let Some(Lot {
        begun,
        commitment,
        seed,
        ticket,
    }) = lot
    else {
        return object!({ "room": room, "event": None::<&str> });
    };
    let lot = begun.lot.as_ref();
    object!({
        "room": room,
        "event": begun.id.as_str(),
        "commitment": *commitment,
        "public_value_from": begun.order.source(),
        "lane": lane.full_name(),
        "drawn": begun.drawn(),
        "value": lot.map(|lot| lot.value.as_str()),
        "secret": lot.map(|lot| lot.secret.as_str()),
        "seed": seed.as_deref(),
        "ticket": ticket.map(|(came, given)| object!({ "came": came, "place": given })),
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
