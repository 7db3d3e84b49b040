//! The journal, page by page, as a program keeps it.

use super::input::{Fields, Refusal};
use super::{Answered, misunderstood, simply, store_trouble};
use crate::http::object::object;
use crate::http::{Call, Reply};
use crate::queue::{JournalPage, JournalRange, Reason, RoomName};
use crate::request::Request;
use serde_json::Value;

/// The lines from the number `from` on: from the first one that there is, where none is named.
pub(super) fn journal(request: &Request<'_>) -> Answered {
    let first = match from(request.call) {
        Ok(first) => first,
        Err(refusal) => return misunderstood(&refusal, "nothing was read"),
    };
    let many = *JournalRange::MANY.end();
    match request.line().journal(JournalRange { first, many }) {
        Ok(page) => simply(
            Reply::json(200, &page_json(&request.room.name, page)),
            Reason::Journal,
        ),
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

/// The number of the first line that is asked for.
fn from(call: &Call) -> Result<u64, Refusal> {
    let mut fields = Fields::of_query(call);
    let first = fields.number("from", 1..=LAST)?;
    fields.end().map(|()| first.unwrap_or(1))
}

/// The greatest whole number that Lua's numbers hold exactly, with one to spare for the sum of a page.
const LAST: u64 = (1 << 52) - 1;

/// `next` is where the next page begins. Behind the last line stands its digest; elsewhere the next line begins with it.
fn page_json(room: &RoomName, page: JournalPage) -> Value {
    let number = |line: &String| line.split(' ').nth(1)?.parse::<u64>().ok();
    let until = page.lines.last().and_then(number);
    let next = until
        .filter(|until| *until < page.last)
        .map(|until| until + 1);
    object!({
        "room": room.as_str(),
        "lines": page.lines,
        "head": until.filter(|_| next.is_none()).map(|_| page.head.as_str()),
        "next": next,
    })
}
