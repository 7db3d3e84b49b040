//! What a visitor can take along: where the ticket stands, signed, to be checked by support.

use crate::cache::CachedBoard;
use crate::http::Reply;
use crate::http::negotiate::wants_json;
use crate::http::object::object;
use crate::page::{self, ReceiptView, iso_8601, utc};
use crate::queue::{Board, Position, TicketState, WaitingProof};
use crate::request::Request;
use crate::ticket::{Receipt, Ticket, TicketStage};
use crate::visitor::event::awaits_lot;
use crate::visitor::language;
use serde_json::Value;

/// A data centre where visitors wait reads the board every second: a copy that is older says where the line stood, not where it is.
const KNOWN_MS: u64 = 60_000;

/// Whether the number says where the ticket stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stated {
    Told,
    /// It is for a lot that is not decided yet.
    ByLot,
}

/// The receipt of this ticket, by the last board that is known here: no question to the store.
#[must_use]
pub(super) fn reply(ticket: Option<&Ticket>, request: &Request<'_>) -> Reply {
    let is_data = wants_json(request.call);
    match ticket {
        None if is_data => {
            let detail =
                "this browser keeps no ticket of the room, so there is nothing to say of one";
            Reply::problem(404, "No ticket", detail)
        }
        None => page::no_receipt(language::unframed(None, request)),
        Some(ticket) => {
            let (receipt, told) = receipt(ticket, request);
            let text = receipt.written(&request.room.name, &request.config.tickets.keys);
            if is_data {
                Reply::data(200, &facts(&receipt, &text, request.room.name.as_str()))
            } else {
                let seen = ReceiptView {
                    number: receipt.number.map(|number| number.0),
                    in_draw: told == Stated::ByLot,
                    ahead: ahead(&receipt),
                    given: &utc(receipt.given.ms()),
                    text: &text,
                };
                page::receipt(language::unframed(Some(ticket), request), &seen)
            }
        }
    }
}

fn facts(receipt: &Receipt, text: &str, room: &str) -> Value {
    object!({
        "room": room,
        "reference": receipt.reference.as_str(),
        "lane": receipt.lane.name(),
        "number": receipt.number.map(|number| number.0),
        "born": receipt.born,
        "signed": iso_8601(receipt.signed.saturating_mul(1000)),
        "head": receipt.head.map(String::from),
        "cursor": receipt.cursor,
        "ahead": ahead(receipt),
        "given": iso_8601(receipt.given.ms()),
        "receipt": text,
    })
}

/// A number, with the roll that it is of.
type Numbered = (Option<Position>, u64);

/// Where the ticket stands, as its page tells it.
pub(super) fn receipt(ticket: &Ticket, request: &Request<'_>) -> (Receipt, Stated) {
    let lane = ticket.lane;
    let last = request.pop.last();
    let is_recent = last.as_ref().is_some_and(|last| is_recent(last, request));
    let board = last.and_then(|last| last.board);
    let board = board.map(|board| match ticket.stage {
        TicketStage::Waiting(proof) => board.seen_from(lane, proof),
        TicketStage::Provisional { .. } | TicketStage::Admitted { .. } => board,
    });
    let of_lane = board.as_ref().map(|board| board.of(lane));
    let placed = of_lane.as_ref().and_then(|board| placed_in(board, ticket));
    let stated = placed.unwrap_or_else(|| written(ticket));
    // A copy from before an event knows nothing of its lot. It is of another roll, or of young data: there an event ends no ticket.
    let knows = |board: &&Board| placed.is_some() && !board.young;
    let (number, born) = stated;
    let here = board.as_ref().filter(knows);
    let by = |board: Option<&Board>| board.map_or(number, |board| ticket.position_by(board));
    let (position, shown) = (by(here), by(board.as_ref()));
    let awaits = match ticket.stage {
        TicketStage::Waiting(proof) if proof.place.came.is_none() => {
            awaits_lot(ticket, here, position, request)
        }
        TicketStage::Provisional { .. }
        | TicketStage::Waiting(_)
        | TicketStage::Admitted { .. } => false,
    };
    let cursor = of_lane
        .as_ref()
        .and_then(|board| cursor_of(board, shown, born, ticket));
    let receipt = Receipt {
        reference: ticket.reference(),
        lane,
        number: shown.filter(|_| !awaits),
        born,
        in_roll: number.filter(|_| !awaits),
        signed: ticket.signed,
        head: ticket.head,
        cursor: cursor.filter(|_| is_recent),
        given: request.now,
    };
    let told = if awaits { Stated::ByLot } else { Stated::Told };
    (receipt, told)
}

/// The number of a waiting ticket, as the lot of this board has it; nothing where the board does not know its roll.
fn placed_in(board: &Board, ticket: &Ticket) -> Option<Numbered> {
    let TicketStage::Waiting(WaitingProof { place, .. }) = ticket.stage else {
        return None;
    };
    match TicketState::of(place, board) {
        TicketState::Placed(position) => {
            let place = board.place(position);
            Some((Some(place.position), place.born))
        }
        // The copy is from before the draw.
        TicketState::Ahead => Some((Some(place.position), place.born)),
        TicketState::Ended | TicketState::Awaited => None,
    }
}

/// What the ticket itself says.
fn written(ticket: &Ticket) -> Numbered {
    match ticket.stage {
        TicketStage::Provisional { .. } => (None, 0),
        TicketStage::Waiting(proof) => (Some(proof.place.position), proof.place.born),
        TicketStage::Admitted { position, born, .. } => (position, born),
    }
}

/// Where the cursor stands that counts for this number, where the board knows its roll; nothing before the turn of a visitor inside.
fn cursor_of(board: &Board, shown: Option<Position>, born: u64, ticket: &Ticket) -> Option<u64> {
    let cursor = shown
        .map_or_else(|| board.cursor(), |shown| board.cursor_for(shown))
        .0;
    match ticket.stage {
        TicketStage::Provisional { .. } => Some(cursor),
        TicketStage::Waiting(_) => Some(cursor).filter(|_| board.knows(born)),
        TicketStage::Admitted { .. } => Some(cursor)
            .filter(|cursor| board.knows(born) && shown.is_none_or(|shown| shown.0 <= *cursor)),
    }
}

/// Whether the last board says where the line stands now.
fn is_recent(last: &CachedBoard, request: &Request<'_>) -> bool {
    request.now.ms().abs_diff(last.read_ms) <= KNOWN_MS
}

pub(super) fn ahead(receipt: &Receipt) -> Option<u64> {
    let (number, cursor) = (receipt.number?.0, receipt.cursor?);
    Some(number.saturating_sub(cursor).saturating_sub(1))
}
