//! What a visitor can take along: where the ticket stands, signed, to be checked by support.

use crate::http::Reply;
use crate::http::negotiate::wants_json;
use crate::http::object::object;
use crate::page::{self, iso_8601, people};
use crate::queue::{Position, Sign};
use crate::request::Request;
use crate::ticket::{Receipt, Standing, Ticket};
use serde_json::Value;

/// The receipt of this ticket, by the last sign that is known here: no question to the store.
#[must_use]
pub(super) fn reply(ticket: Option<&Ticket>, request: &Request<'_>) -> Reply {
    let is_data = wants_json(request.call);
    match ticket {
        None if is_data => {
            let detail =
                "this browser keeps no ticket of the room, so there is nothing to say of one";
            Reply::problem(404, "No ticket", detail)
        }
        None => page::notice(
            404,
            "No ticket",
            "This browser keeps no ticket of this room.",
        ),
        Some(ticket) => {
            let sign = request.pop.last_sign();
            let receipt = receipt(ticket, sign.as_ref(), request);
            let text = receipt.written(&request.room.name, &request.config.tickets.keys);
            if is_data {
                Reply::data(200, &facts(&receipt, &text, request.room.name.as_str()))
            } else {
                page::notice(200, "Your receipt", &words(&receipt, &text))
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
        "epoch": receipt.epoch,
        "signed": iso_8601(receipt.signed.saturating_mul(1000)),
        "head": receipt.head.map(String::from),
        "cursor": receipt.cursor,
        "ahead": ahead(receipt),
        "given": iso_8601(receipt.given.ms()),
        "receipt": text,
    })
}

fn words(receipt: &Receipt, text: &str) -> String {
    let number = receipt.number.map_or_else(
        || "Your ticket has no number.".to_owned(),
        |Position(number)| format!("Your number is {number}."),
    );
    let ahead = ahead(receipt).map(|ahead| format!(" Ahead of you: {}.", people(ahead)));
    let (ahead, given) = (ahead.unwrap_or_default(), iso_8601(receipt.given.ms()));
    format!("{number}{ahead} Time: {given}. Keep this text for support: {text}")
}

fn receipt(ticket: &Ticket, sign: Option<&Sign>, request: &Request<'_>) -> Receipt {
    let of_lane = sign.map(|sign| sign.of(ticket.lane));
    let (number, born, epoch) = match ticket.standing {
        Standing::Provisional { .. } => (None, 0, 0),
        Standing::Admitted {
            position,
            born,
            epoch,
            ..
        } => (position, born, epoch),
        Standing::Waiting(place) => {
            let here = of_lane.as_ref().and_then(|sign| {
                let number = sign.number(place)?;
                Some((Some(number), sign.birth.born, sign.epoch))
            });
            here.unwrap_or((Some(place.position), place.born, place.epoch))
        }
    };
    Receipt {
        reference: ticket.reference(),
        lane: ticket.lane,
        number,
        born,
        epoch,
        signed: ticket.signed,
        head: ticket.head,
        cursor: of_lane.map(|sign| sign.cursor.0),
        given: request.now,
    }
}

fn ahead(receipt: &Receipt) -> Option<u64> {
    let (number, cursor) = (receipt.number?.0, receipt.cursor?);
    Some(number.saturating_sub(cursor).saturating_sub(1))
}
