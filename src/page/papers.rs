//! The pages that a visitor can take along or check: the receipt of a ticket, and how a lot put the places in order.

use serde_json::Value;

use super::Shell;
use super::shell::paragraph;
use super::stage::ahead_of;
use crate::http::Reply;
use crate::http::object::object;

/// The receipt of a ticket, in words.
#[derive(Clone, Copy, Debug)]
pub struct ReceiptView<'a> {
    /// The number, where the ticket has one.
    pub number: Option<u64>,
    /// Whether the number is for a lot that is not decided.
    pub in_draw: bool,
    /// How many are ahead, where that is known.
    pub ahead: Option<u64>,
    /// When it was given, in UTC.
    pub given: &'a str,
    /// The signed text.
    pub text: &'a str,
}

/// The receipt of a visitor's ticket.
#[must_use]
pub fn receipt(shell: Shell<'_>, seen: &ReceiptView<'_>) -> Reply {
    let words = shell.words;
    let number = match seen.number {
        Some(_) => None,
        None if seen.in_draw => Some(words.text("in_draw").to_owned()),
        None => Some(words.text("no_number").to_owned()),
    };
    let given = words.text("updated").replace("{time}", seen.given);
    let ahead = seen.ahead.filter(|_| seen.number.is_some());
    let ahead = ahead.map(|ahead| ahead_of(ahead, words));
    let text = number.or(ahead).unwrap_or_default();
    let values = [
        (
            words.text("number"),
            seen.number.map(|number| words.number(number)),
        ),
        (words.text("receipt"), Some(seen.text.to_owned())),
    ];
    let values = values
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let more = object!({
        "more": vec![paragraph(&given), paragraph(words.text("receipt_keep"))],
        "values": listed(values),
    });
    shell.page(200, words.text("receipt"), &text, more)
}

/// A browser that keeps no ticket asks for its receipt.
#[must_use]
pub fn no_receipt(shell: Shell<'_>) -> Reply {
    shell.notice(404, ["no_ticket", "no_ticket_why"], None)
}

/// What is known of an order by lot, in words.
#[derive(Clone, Debug, Default)]
pub struct LotView<'a> {
    /// Whether there is one.
    pub is_drawn: bool,
    /// Where the public value comes from.
    pub source: Option<&'a str>,
    /// As which one the visitor came.
    pub came: Option<u64>,
    /// The visitor's place, and of how many.
    pub place: Option<(u64, u64)>,
    /// What the order follows from, by the names that programs read.
    pub values: Vec<(&'static str, String)>,
}

/// How an order by lot came about.
#[must_use]
pub fn lot(status: u16, shell: Shell<'_>, seen: LotView<'_>) -> Reply {
    let words = shell.words;
    let has_values = !seen.values.is_empty();
    let number = |number| words.number(number);
    let place = seen.place.map(|(place, of)| {
        let text = words.text("lot_place").replace("{n}", &number(place));
        text.replace("{from}", &number(of))
    });
    let sentences = [
        seen.came
            .map(|came| words.text("lot_came").replace("{n}", &number(came))),
        has_values.then(|| words.text("lot_secret").to_owned()),
        (seen.source.filter(|_| has_values))
            .map(|source| words.text("lot_public").replace("{from}", source)),
        has_values.then(|| words.text("lot_values").to_owned()),
    ];
    let lines: Vec<Value> = sentences
        .iter()
        .flatten()
        .map(|text| paragraph(text))
        .collect();
    // What is to come is said until it has come.
    let text = place.unwrap_or_else(|| {
        let name = if seen.is_drawn { "lot" } else { "unknown" };
        words.text(name).to_owned()
    });
    let more = object!({ "more": lines, "values": listed(seen.values) });
    shell.page(status, words.text("how_drawn"), &text, more)
}

fn listed<'a>(values: impl IntoIterator<Item = (&'a str, String)>) -> Vec<Value> {
    let value = |(name, value): (&str, String)| object!({ "name": name, "value": value });
    values.into_iter().map(value).collect()
}
