//! The journal, page by page, as a program keeps it.

use super::{Answered, simply, store_trouble};
use crate::http::Reply;
use crate::http::object::object;
use crate::queue::{JournalPage, JournalRange, Reason, RoomName};
use crate::request::Request;
use serde_json::Value;

/// The lines from the number `from` on: from the first one that there is, where none is named.
pub(super) fn journal(request: &Request<'_>) -> Answered {
    let from = request.call.parameter("from");
    let number = from.as_deref().map_or(Ok(1), str::parse);
    let Some(first) = number.ok().filter(|first| (1..=LAST).contains(first)) else {
        let detail = format!(
            "from is {from:?}; accepted is the number of a line, from 1 to {LAST}; nothing was read",
            from = from.unwrap_or_default()
        );
        let reply = Reply::problem(400, "Bad request", &detail);
        return simply(reply, Reason::BadOperatorRequest);
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
