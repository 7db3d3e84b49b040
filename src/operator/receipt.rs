//! What support makes of a receipt that a visitor shows: whether it is one, and what the journal says of it.

use std::io::Read;

use super::input::{Fields, LONGEST_BODY, Refusal};
use super::{Answered, misunderstood, simply, store_trouble};
use crate::cache::TicketMark;
use crate::http::Reply;
use crate::http::object::object;
use crate::page::{self, Link, iso_8601};
use crate::queue::journal::JournalLine;
use crate::queue::{Board, Reason, Traced};
use crate::request::Request;
use crate::ticket::{Receipt, ReceiptFault};
use serde_json::Value;

/// The longest text that is taken for a receipt, in characters.
const LONGEST_RECEIPT: usize = 1000;

/// The answer to a receipt, as a page where the panel's form brought it.
pub(super) fn check(body: &mut dyn Read, request: &Request<'_>) -> Answered {
    let content_type = request.call.header("content-type");
    let (room, keys) = (&request.room.name, &request.config.tickets.keys);
    let text = match read(&content_type, body) {
        Ok(text) => text,
        Err(refusal) => return misunderstood(&refusal, "nothing was checked"),
    };
    let receipt = match Receipt::read(&text, room, keys) {
        Ok(receipt) => receipt,
        Err(fault) => return told(&of_fault(fault, request), None, request),
    };
    if !request.pop.is_first(TicketMark::Receipt, "") {
        let detail = "a receipt was checked in this data centre less than a second ago; nothing was read of the line";
        let reply = Reply::problem(429, "Too many receipts", detail).with("retry-after", "1");
        return simply(reply, Reason::Receipt);
    }
    let traced = request
        .line()
        .trace(receipt.head, receipt.signed, receipt.lane, receipt.place());
    match traced {
        Ok(traced) => told(
            &of_receipt(&receipt, &traced, request),
            Some(traced.board),
            request,
        ),
        Err(fault) => store_trouble(
            fault,
            "the receipt is one of this room, and nothing was read of the line",
        ),
    }
}

fn read(content_type: &str, body: &mut dyn Read) -> Result<String, Refusal> {
    let example = r#"{"receipt": "…"}"#;
    let mut fields = Fields::read(content_type, body, LONGEST_BODY, example)?;
    let text = fields.text("receipt")?;
    fields.end()?;
    if text
        .as_ref()
        .is_some_and(|text| text.chars().count() > LONGEST_RECEIPT)
    {
        return Err(Refusal::Value(format!(
            "receipt is longer than {LONGEST_RECEIPT} characters; accepted is the text of a receipt"
        )));
    }
    let missing = || Refusal::Value("receipt is missing; accepted is the text of a receipt".into());
    text.ok_or_else(missing)
}

/// A page with the same in words, where a form asked.
fn told(told: &(Value, String), board: Option<Board>, request: &Request<'_>) -> Answered {
    let is_form = Fields::is_form(&request.call.header("content-type"));
    let reply = if is_form {
        let panel = format!("{}/", request.room.routes);
        let link = Link {
            to: &panel,
            label: "To the panel",
        };
        page::problem(200, "The receipt", &told.1, link)
    } else {
        Reply::json(200, &told.0)
    };
    Answered {
        board,
        ..simply(reply, Reason::Receipt)
    }
}

fn of_fault(fault: ReceiptFault, request: &Request<'_>) -> (Value, String) {
    let (verdict, words) = match fault {
        ReceiptFault::Altered => (
            "altered",
            "This is not a receipt of this service: it was altered, or its secret is no longer kept.",
        ),
        ReceiptFault::OtherRoom => ("other_room", "This is a receipt of another room."),
    };
    let room = request.room.name.as_str();
    let told = object!({ "room": room, "verdict": verdict });
    (told, words.to_owned())
}

/// What it says, and what the journal says since.
fn of_receipt(receipt: &Receipt, traced: &Traced, request: &Request<'_>) -> (Value, String) {
    let cursor = traced.board.of(receipt.lane).cursor().0;
    // Only a ticket without a place yet is of no roll, and nothing ends it.
    let verdict = if receipt.born > 0 && traced.board.has_ended(receipt.born) {
        "old"
    } else {
        "valid"
    };
    let line = |text: Option<&String>| {
        let (line, kind) = found(text)?;
        Some(object!({
            "line": line.number,
            "at": iso_8601(line.at_ms),
            "cursor": line.main.to,
            "kind": kind,
            "rule": line.rule,
            "who": line.who,
        }))
    };
    let told = object!({
        "room": request.room.name.as_str(),
        "verdict": verdict,
        "reference": receipt.reference.as_str(),
        "lane": receipt.lane.name(),
        "number": receipt.number.map(|number| number.0),
        "signed": iso_8601(receipt.signed.saturating_mul(1000)),
        "given": iso_8601(receipt.given.ms()),
        "cursor_then": receipt.cursor,
        "cursor": cursor,
        "head": line(traced.head.as_ref()),
        "called": line(traced.called.as_ref()),
    });
    (told, words(receipt, traced, verdict, cursor))
}

/// A line that was found, and the word of its kind.
fn found(text: Option<&String>) -> Option<(JournalLine<'_>, &str)> {
    let text = text?;
    Some((JournalLine::read(text)?, text.split(' ').nth(3)?))
}

fn words(receipt: &Receipt, traced: &Traced, verdict: &str, cursor: u64) -> String {
    let number = receipt.number.map_or("no number".to_owned(), |number| {
        format!("number {}", number.0)
    });
    let (reference, given) = (&receipt.reference, iso_8601(receipt.given.ms()));
    let then = receipt
        .cursor
        .map(|cursor| format!(", when the cursor stood at {cursor}"));
    let begin = format!(
        "The receipt is {verdict}: ticket {reference} with {number}, given at {given}{}. The cursor stands at {cursor} now.",
        then.unwrap_or_default()
    );
    let of = |text: Option<&String>| {
        let (line, _) = found(text)?;
        Some((line.number, iso_8601(line.at_ms)))
    };
    let head = match (of(traced.head.as_ref()), receipt.head) {
        (Some((line, at)), _) => format!(" Its head is line {line} of the journal, of {at}."),
        (None, Some(_)) => {
            " Its head is not among the thousand lines before it was signed that the store has: look into the log.".to_owned()
        }
        (None, None) => " It was signed before there was a journal.".to_owned(),
    };
    let called = match of(traced.called.as_ref()) {
        Some((line, at)) => format!(" The number was called by line {line}, at {at}."),
        None if receipt.number.is_none() => String::new(),
        None if traced.is_of_sum => " The journal has one sum for all regions, so no line of it says when a number was called.".to_owned(),
        None => " No line since the line began or was last restored has called the number.".to_owned(),
    };
    [begin, head, called].concat()
}
