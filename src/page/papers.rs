//! The pages that a visitor can take along or check: the receipt of a ticket, and how the order comes about.

use serde_json::Value;

use super::shell::paragraph;
use super::stage::ahead_of;
use super::{Link, Shell};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::Language;

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
    let stands = number.or(ahead);
    let keep = seen.number.map(|_| words.text("receipt_keep"));
    let more = stands.iter().map(String::as_str).chain(keep);
    let home = shell.home();
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
        "more": more.map(paragraph).collect::<Vec<Value>>(),
        "values": listed(values),
        "link": home.to,
        "label": home.label,
    });
    shell.page(200, words.text("receipt"), &given, more)
}

/// A browser that keeps no ticket asks for its receipt.
#[must_use]
pub fn no_receipt(shell: Shell<'_>) -> Reply {
    shell.notice(404, ["no_ticket", "no_ticket_why"], Some(shell.home()))
}

/// What is known of an order by lot, in words.
#[derive(Clone, Debug, Default)]
pub struct LotView {
    /// Where the public value comes from.
    pub source: Option<String>,
    /// As which one the visitor came.
    pub came: Option<u64>,
    /// The visitor's place, and of how many.
    pub place: Option<(u64, u64)>,
    /// Whether the order is known.
    pub is_decided: bool,
    /// What the order follows from, by the names that programs read.
    pub values: Vec<(&'static str, String)>,
}

/// A rule by which visitors go in: the name of its text, and the number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule(pub &'static str, pub Option<u64>);

impl Rule {
    fn sentence(self, words: &Language) -> String {
        let number = self.1.map(|number| words.number(number));
        let number = number.unwrap_or_default();
        words.text(self.0).replace("{n}", &number)
    }

    /// As programs read it.
    #[must_use]
    pub fn data(self) -> Value {
        let Self(text, number) = self;
        let name = text.strip_prefix("order_").unwrap_or(text);
        object!({ "rule": name, "number": number })
    }
}

/// How the order of a room comes about, and what a visitor has in it.
#[derive(Clone, Debug, Default)]
pub struct OrderView<'a> {
    /// What holds in this room.
    pub rules: Vec<Rule>,
    /// The number of the visitor, where the ticket has one that says something.
    pub number: Option<u64>,
    /// Whether it is for a lot that is not decided.
    pub in_draw: bool,
    /// How many are ahead, where that is known.
    pub ahead: Option<u64>,
    /// What is known of an order by lot.
    pub lot: LotView,
    /// What the journal has reached, where there is one.
    pub head: Option<String>,
    /// When the line stood so, in UTC.
    pub read: Option<&'a str>,
    /// Where the receipt of the ticket is.
    pub receipt: Option<&'a str>,
}

/// How the order comes about, in plain words.
#[must_use]
pub fn order(shell: Shell<'_>, seen: OrderView<'_>) -> Reply {
    let words = shell.words;
    let number = |number| words.number(number);
    let LotView {
        source,
        came,
        place,
        is_decided,
        values,
    } = seen.lot;
    let mine = match seen.number {
        Some(mine) => format!("{}: {}", words.text("number"), number(mine)),
        None if seen.in_draw => words.text("in_draw").to_owned(),
        None if seen.receipt.is_some() => words.text("no_number").to_owned(),
        None => String::new(),
    };
    let ahead = seen.ahead.filter(|_| seen.number.is_some());
    let place = place.map(|(place, of)| {
        let text = words.text("lot_place").replace("{n}", &number(place));
        text.replace("{from}", &number(of))
    });
    let came = came.map(|came| words.text("lot_came").replace("{n}", &number(came)));
    let has_values = !values.is_empty();
    let of_lot = |name| has_values.then(|| words.text(name).to_owned());
    let source = source.map(|source| words.text("lot_public").replace("{from}", &source));
    let first = [came, place, ahead.map(|ahead| ahead_of(ahead, words))];
    let last = [
        of_lot("lot_secret"),
        source.filter(|_| has_values),
        of_lot("lot_values").filter(|_| is_decided),
        (seen.head.as_ref()).map(|_| words.text("journal").to_owned()),
        (seen.read).map(|read| words.text("updated").replace("{time}", read)),
    ];
    let lines =
        |texts: Vec<String>| -> Vec<Value> { texts.iter().map(|text| paragraph(text)).collect() };
    let rules = seen.rules.iter().map(|rule| rule.sentence(words));
    let receipt = seen.receipt.map(|to| Link {
        to,
        label: words.text("receipt"),
    });
    let link = receipt.unwrap_or(shell.home());
    let head = seen.head.map(|head| (words.text("journal_head"), head));
    let more = object!({
        "more": lines(first.into_iter().flatten().collect()),
        "rules": lines(rules.collect()),
        "then": lines(last.into_iter().flatten().collect()),
        "values": listed(values.into_iter().chain(head)),
        "link": link.to,
        "label": link.label,
    });
    shell.page(200, words.text("how_order"), &mine, more)
}

fn listed<'a>(values: impl IntoIterator<Item = (&'a str, String)>) -> Vec<Value> {
    let value = |(name, value): (&str, String)| object!({ "name": name, "value": value });
    values.into_iter().map(value).collect()
}
