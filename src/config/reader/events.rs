//! The setting `event`: one object, or a list of several. Operators set events in the same words.

use super::Reader;
use crate::http::json::{self, Pairs, Value};
use crate::http::moment::moment;
use crate::http::without_mark;
use crate::page::{LONGEST_HEADING, LONGEST_MESSAGE, UNSAYABLE, is_sayable};
use crate::queue::{Cap, Event, Mode, Order, Pace, Renewing, With};
use std::ops::RangeInclusive;

/// The most events of a list: every call to the store brings all of them.
const MOST: usize = 16;
/// The longest name of an event.
const LONGEST_ID: usize = 32;
/// The longest name of where a public value comes from.
const LONGEST_SOURCE: usize = 100;

/// What is wrong with an event: the member, its value, and what is accepted.
pub struct Fault {
    /// The value.
    pub value: String,
    /// What is accepted.
    pub accepted: String,
}

impl Fault {
    fn new(value: impl Into<String>, accepted: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            accepted: accepted.into(),
        }
    }
}

/// What the room has for what an event does not name of its pace and its cap.
#[derive(Clone, Copy)]
pub struct Usual {
    /// The pace.
    pub pace: Pace,
    /// The cap.
    pub cap: Cap,
}

/// An event, and how the waiting page looks while it runs.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The event.
    pub event: Event,
    /// Stands in the heading's place.
    pub heading: Option<String>,
    /// The page in place of the room's.
    pub template: Option<String>,
}

impl Reader<'_> {
    /// The events that begin by themselves, in the order of their times.
    pub(in crate::config) fn events(&mut self, usual: Usual) -> Vec<Told> {
        let Some(text) = self.json("event") else {
            return Vec::new();
        };
        match read(&text, usual) {
            Ok(events) => events,
            Err(faults) => {
                for Fault { value, accepted } in faults {
                    self.problem("event", Some(value), accepted);
                }
                Vec::new()
            }
        }
    }
}

/// Reads an event or a list of events.
///
/// # Errors
/// All that is wrong, and what is accepted: never nothing.
pub fn read(text: &str, usual: Usual) -> Result<Vec<Told>, Vec<Fault>> {
    let accepted = r#"an object such as {"id":"sale","opens":"2030-01-31T10:00:00+01:00"}, or a list of such objects"#;
    let is_list = without_mark(text).trim_start().starts_with('[');
    let listed = if is_list {
        json::read(text.as_bytes())
    } else {
        json::read(text.as_bytes()).map(|pairs| vec![pairs])
    };
    let listed: Vec<Pairs> = listed.map_err(|_| vec![Fault::new(text, accepted)])?;
    let (mut events, mut faults) = (Vec::new(), Vec::new());
    for pairs in &listed {
        match told(pairs, usual) {
            Ok(event) => events.push(event),
            Err(found) => faults.extend(found),
        }
    }
    if faults.is_empty() {
        let told: Vec<&Event> = events.iter().map(|told| &told.event).collect();
        faults = unfit(&told);
    }
    if faults.is_empty() {
        Ok(events)
    } else {
        Err(faults)
    }
}

/// What is wrong with these events together: they are few, and follow each other.
#[must_use]
pub fn unfit(events: &[&Event]) -> Vec<Fault> {
    if events.len() > MOST {
        let many = format!("{} events", events.len());
        return vec![Fault::new(many, format!("at most {MOST} events"))];
    }
    contradictions(events)
}

/// One event.
///
/// # Errors
/// All that is wrong, and what is accepted. What the members say of each other is looked at once each of them is sound.
pub(crate) fn told(Pairs(members): &Pairs, usual: Usual) -> Result<Told, Vec<Fault>> {
    let (mut id, mut times, mut named_order, mut from) = (None, [None; 3], None, None);
    let (mut outside, mut then, mut admits, mut keeps_inside) = (Mode::Closed, None, true, true);
    let mut brought = Brought::default();
    let mut faults = Vec::new();
    for (name, value, is_again) in json::each(members) {
        let text = value.text().unwrap_or_default();
        let place = TIMES.iter().position(|time| time == name);
        let read = match place.and_then(|place| times.get_mut(place)) {
            _ if is_again => Err(Fault::new(name, "each member of an event once")),
            // As our answers tell an event without an end.
            Some(_) if name == "closes" && value.is_null() => Ok(()),
            Some(time) => {
                *time = moment(text);
                time.map(drop).ok_or_else(|| no_moment(name, value))
            }
            None if name == "id" => id_named(value).map(|named| id = Some(named)),
            None if name == "order" => order_named(value).map(|named| named_order = Some(named)),
            None if name == "public_value" => source(value).map(|named| from = Some(named)),
            None if name == "outside" => outside_named(value).map(|named| outside = named),
            None if name == "admits" => admits_named(value).map(|named| admits = named),
            None if name == "then" && value.is_null() => Ok(()),
            None if name == "then" => then_named(value).map(|named| then = Some(named)),
            None if name == "keeps_inside" => truth(value).map(|named| keeps_inside = named),
            None if name == "with" => {
                match with(value, usual) {
                    Ok(named) => brought = named,
                    Err(found) => faults.extend(found),
                }
                Ok(())
            }
            None => {
                let accepted = "id, prequeue, opens, closes, order, public_value, outside, admits, keeps_inside, with and then in an event";
                Err(Fault::new(name, accepted))
            }
        };
        faults.extend(read.err());
    }
    let lacks = |name: &str| !members.iter().any(|(other, _)| other == name);
    if lacks("id") {
        let accepted = "an id in each event, which stays when its times change";
        faults.push(Fault::new("", accepted));
    }
    if lacks("opens") {
        let of = id.clone().unwrap_or_default();
        faults.push(Fault::new(of, "the time opens in each event"));
    }
    let [prequeue_ms, opens_ms, closes_ms] = times;
    let (Some(id), Some(opens_ms), true) = (id, opens_ms, faults.is_empty()) else {
        return Err(faults);
    };
    let order = order(named_order, from);
    let event = Event {
        prequeue_ms: prequeue_ms.unwrap_or(opens_ms),
        id,
        opens_ms,
        closes_ms,
        order: order.as_ref().map_or(Order::Arrival, Order::clone),
        outside,
        then,
        admits,
        keeps_inside,
        with: brought.with,
    };
    faults.extend(order.err());
    faults.extend(disorder(&event));
    if faults.is_empty() {
        let Brought {
            heading, template, ..
        } = brought;
        Ok(Told {
            event,
            heading,
            template,
        })
    } else {
        Err(faults)
    }
}

/// What an event brings.
#[derive(Default)]
struct Brought {
    with: With,
    heading: Option<String>,
    template: Option<String>,
}

/// What is not named of pace or cap is the room's, where another part of it is named.
fn with(value: &Value, usual: Usual) -> Result<Brought, Vec<Fault>> {
    let members = value.structured();
    let members = members.and_then(|text| json::read(text.as_bytes()).ok());
    let Some(Pairs(members)) = members else {
        let accepted = r#"with as an object such as {"automatic":60,"automatic_quantity":200}"#;
        return Err(vec![Fault::new(value.to_string(), accepted)]);
    };
    let (mut pace, mut cap) = (usual.pace, usual.cap);
    let (mut brought, mut faults) = (Brought::default(), Vec::new());
    for (name, value, is_again) in json::each(&members) {
        let into = |to: &mut u64, range| number(name, value, range).map(|number| *to = number);
        let read = match name.as_str() {
            _ if is_again => Err(Fault::new(name, "each member of with once")),
            "automatic" => into(&mut pace.automatic, Pace::AUTOMATIC),
            "automatic_quantity" => into(&mut pace.quantity, Pace::QUANTITY),
            "total_active" => into(&mut cap.total_active, Cap::TOTAL_ACTIVE),
            "session_minutes" => into(&mut cap.session_minutes, Cap::SESSION_MINUTES),
            "claim_seconds" => into(&mut cap.claim_seconds, Cap::CLAIM_SECONDS),
            "session_renewal" => {
                let named = value.text().and_then(Renewing::named);
                let wrong = || Fault::new(value.to_string(), "session_renewal on or off");
                named.map(|named| cap.renewal = named).ok_or_else(wrong)
            }
            "message" => sayable(name, value, 0, LONGEST_MESSAGE)
                .map(|text| brought.with.message = Some(text)),
            "heading" => {
                sayable(name, value, 1, LONGEST_HEADING).map(|text| brought.heading = Some(text))
            }
            "template" => {
                let text = value.text().filter(|text| !text.is_empty());
                let wrong = || Fault::new(value.to_string(), "a template that is a text");
                text.map(|text| brought.template = Some(text.to_owned()))
                    .ok_or_else(wrong)
            }
            _ => {
                let accepted = "automatic, automatic_quantity, total_active, session_minutes, claim_seconds, session_renewal, message, heading and template in with";
                Err(Fault::new(name, accepted))
            }
        };
        let is_of = |names: &[&str]| names.contains(&name.as_str());
        if is_of(&PACE) {
            brought.with.pace = Some(pace);
        } else if is_of(&CAP) {
            brought.with.cap = Some(cap);
        }
        faults.extend(read.err());
    }
    if faults.is_empty() {
        Ok(brought)
    } else {
        Err(faults)
    }
}

/// What makes a pace, and a cap.
const PACE: [&str; 2] = ["automatic", "automatic_quantity"];
const CAP: [&str; 4] = [
    "total_active",
    "session_minutes",
    "claim_seconds",
    "session_renewal",
];

fn number(name: &str, value: &Value, range: RangeInclusive<u64>) -> Result<u64, Fault> {
    let number = match value {
        Value::Number(text) | Value::Text(text) => json::whole(text),
        Value::Other(_) => None,
    };
    let number = number.filter(|number| range.contains(number));
    number.ok_or_else(|| {
        let (from, to) = (range.start(), range.end());
        let accepted = format!("{name} as a whole number from {from} to {to}");
        Fault::new(value.to_string(), accepted)
    })
}

fn sayable(name: &str, value: &Value, least: usize, longest: usize) -> Result<String, Fault> {
    let text = value.text().map(str::trim);
    let is_sound = |text: &&str| text.len() >= least && is_sayable(text, longest);
    let sound = text.filter(is_sound).map(str::to_owned);
    sound.ok_or_else(|| {
        let accepted =
            format!("{name} as a text of {least} to {longest} characters without {UNSAYABLE}");
        Fault::new(value.to_string(), accepted)
    })
}

fn id_named(value: &Value) -> Result<String, Fault> {
    let text = value.text().unwrap_or_default();
    let accepted = || format!("an id of 1 to {LONGEST_ID} letters, digits, - and _");
    is_id(text)
        .then(|| text.to_owned())
        .ok_or_else(|| Fault::new(value.to_string(), accepted()))
}

/// In which order visitors of the pre-queue go in.
fn order(order: Option<Order>, source: Option<String>) -> Result<Order, Fault> {
    match (order.unwrap_or_default(), source) {
        (Order::Arrival, Some(source)) => {
            let accepted = "a public_value only where the order is drawn";
            Err(Fault::new(source, accepted))
        }
        (_, Some(source)) => Ok(Order::DrawnBy(source)),
        (order, None) => Ok(order),
    }
}

fn order_named(value: &Value) -> Result<Order, Fault> {
    let orders = [Order::Arrival, Order::Drawn];
    let found = orders
        .into_iter()
        .find(|order| Some(order.name()) == value.text());
    found.ok_or_else(|| Fault::new(value.to_string(), "the order arrival or drawn"))
}

/// The mode of the room before its pre-queue and after its end.
fn outside_named(value: &Value) -> Result<Mode, Fault> {
    let named = value.text().and_then(Event::outside_named);
    named.ok_or_else(|| Fault::new(value.to_string(), "outside closed, automatic or open"))
}

/// Whether visitors go in while it is open.
fn admits_named(value: &Value) -> Result<bool, Fault> {
    match value.text() {
        Some("all") => Ok(true),
        Some("none") => Ok(false),
        _ => Err(Fault::new(value.to_string(), "admits all or none")),
    }
}

/// The mode that it sets at its end.
fn then_named(value: &Value) -> Result<Mode, Fault> {
    let named = value.text().and_then(Mode::named);
    let accepted = "then automatic, hold, open or closed";
    named.ok_or_else(|| Fault::new(value.to_string(), accepted))
}

/// Whether visitors inside stay inside.
fn truth(value: &Value) -> Result<bool, Fault> {
    match value.to_string().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(Fault::new(value.to_string(), "keeps_inside true or false")),
    }
}

fn source(value: &Value) -> Result<String, Fault> {
    let text = value.text().map(str::trim).unwrap_or_default();
    let is_sound = !text.is_empty() && is_sayable(text, LONGEST_SOURCE);
    let accepted = || {
        format!(
            "a public_value of 1 to {LONGEST_SOURCE} characters, which says where the value will be published; no {UNSAYABLE}"
        )
    };
    is_sound
        .then(|| text.to_owned())
        .ok_or_else(|| Fault::new(value.to_string(), accepted()))
}

/// The times of an event follow each other, and a maintenance is no sale.
fn disorder(event: &Event) -> impl Iterator<Item = Fault> {
    let is_late = event.prequeue_ms > event.opens_ms;
    let closes = event.closes_ms;
    let is_early = closes.is_some_and(|closes_ms| closes_ms <= event.opens_ms);
    let late = is_late.then_some("a prequeue that is no later than opens");
    let early = is_early.then_some("a time closes that is later than opens");
    let is_sale = event.outside == Mode::Closed
        || event.order != Order::Arrival
        || event.prequeue_ms != event.opens_ms
        || !event.keeps_inside
        || closes.is_none();
    let sale = (!event.admits && is_sale).then_some(
        "admits none only with closes, with outside automatic or open, and without prequeue, order and keeps_inside",
    );
    let endless = (event.then.is_some() && closes.is_none()).then_some("then only with closes");
    let found = [late, early, sale, endless].into_iter().flatten();
    found.map(|accepted| Fault::new(&event.id, accepted))
}

const TIMES: [&str; 3] = ["prequeue", "opens", "closes"];

fn no_moment(name: &str, value: &Value) -> Fault {
    let accepted = format!(
        "a time of {name} with its offset from UTC, such as 2030-01-31T10:00:00+01:00 or 2030-01-31T09:00:00Z"
    );
    Fault::new(value.to_string(), accepted)
}

/// Events of a list follow each other in time.
fn contradictions(events: &[&Event]) -> Vec<Fault> {
    let overlaps = |pair: &[&Event]| {
        let [first, second] = pair else { return None };
        let is_after = first
            .closes_ms
            .is_some_and(|closes_ms| closes_ms <= second.prequeue_ms);
        let accepted = "a prequeue, or opens where there is none, that is no earlier than closes of the event before, which needs that time";
        (!is_after).then(|| Fault::new(&second.id, accepted))
    };
    let is_known = |(place, event): &(usize, &&Event)| {
        let mut before = events.iter().take(*place);
        before.any(|before| before.id == event.id)
    };
    let twice = events.iter().enumerate().filter(is_known);
    let twice = twice.map(|(_, event)| Fault::new(&event.id, "an id of its own for each event"));
    twice
        .chain(events.windows(2).filter_map(overlaps))
        .collect()
}

fn is_id(text: &str) -> bool {
    (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(super::is_name_byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Usual = Usual {
        pace: Pace::USUAL,
        cap: Cap {
            total_active: 0,
            session_minutes: 20,
            claim_seconds: 60,
            renewal: Renewing::On,
        },
    };

    fn told(text: &str) -> Result<Vec<Event>, String> {
        let worded = |Fault { value, accepted }| format!("{value}: {accepted}");
        let all = |faults: Vec<Fault>| faults.into_iter().map(worded).collect::<Vec<_>>();
        let events = |told: Vec<Told>| told.into_iter().map(|told| told.event).collect();
        let read = read(text, USUAL).map(events);
        read.map_err(|faults| all(faults).join("\n"))
    }

    fn sale(id: &str, [prequeue, opens]: [u64; 2], closes: Option<u64>) -> Event {
        const HOUR_MS: u64 = 3_600_000;
        // 2030-01-31T00:00:00Z.
        let at = |hour: u64| 1_896_048_000_000 + hour * HOUR_MS;
        Event {
            prequeue_ms: at(prequeue),
            closes_ms: closes.map(at),
            ..Event::new(id, at(opens))
        }
    }

    #[test]
    fn an_event_is_an_object_and_several_are_a_list_in_their_order() {
        let one = r#"{"id":"sale","opens":"2030-01-31T10:00:00Z"}"#;
        assert_eq!(told(one), Ok(vec![sale("sale", [10, 10], None)]));
        let whole = r#"{"id":"a","prequeue":"2030-01-31T10:00+01:00","opens":"2030-01-31T05:00:00-05:00","closes":"2030-01-31T12:00Z"}"#;
        let first = sale("a", [9, 10], Some(12));
        assert_eq!(told(whole), Ok(vec![first.clone()]));
        let later = r#"{"id":"b","opens":"2030-01-31T12:00:00Z"}"#;
        let both = Ok(vec![first, sale("b", [12, 12], None)]);
        assert_eq!(told(&format!("[{whole},{later}]")), both);
        let as_told = r#"{"id":"b","opens":"2030-01-31T12:00:00.000Z","closes":null}"#;
        assert_eq!(told(as_told), Ok(vec![sale("b", [12, 12], None)]));
        assert_eq!(told("[]"), Ok(Vec::new()));
        for (members, order) in [
            (r#","order":"arrival""#, Order::Arrival),
            (r#","order":"drawn""#, Order::Drawn),
            (
                r#","order":"drawn","public_value":" beacon 4711 ""#,
                Order::DrawnBy("beacon 4711".to_owned()),
            ),
        ] {
            let text = format!(r#"{{"id":"a","opens":"2030-01-31T12:00:00Z"{members}}}"#);
            let drawn = Event {
                order,
                ..sale("a", [12, 12], None)
            };
            assert_eq!(told(&text), Ok(vec![drawn]));
        }
    }

    #[test]
    fn what_is_outside_of_an_event_and_whom_it_admits_is_read() {
        for (members, outside, admits) in [
            ("", Mode::Closed, true),
            (r#","outside":"closed","admits":"all""#, Mode::Closed, true),
            (r#","outside":"automatic""#, Mode::Automatic, true),
            (r#","outside":"open","admits":"none""#, Mode::Open, false),
        ] {
            let text = format!(
                r#"{{"id":"a","opens":"2030-01-31T12:00:00Z","closes":"2030-01-31T13:00:00Z"{members}}}"#
            );
            let expected = Event {
                outside,
                admits,
                ..sale("a", [12, 12], Some(13))
            };
            assert_eq!(told(&text), Ok(vec![expected]));
        }
    }

    #[test]
    fn every_problem_of_every_event_is_named_at_once() {
        for (text, lines) in [
            (
                r#"{"id":"a b","opens":"2030","closes":"x","order":"z","sequence":1}"#,
                vec![
                    "\"a b\": an id of 1 to 32 letters, digits, - and _",
                    "\"2030\": a time of opens",
                    "\"x\": a time of closes",
                    "\"z\": the order arrival or drawn",
                    "sequence: id, prequeue",
                ],
            ),
            ("{}", vec![": an id in each event", ": the time opens in"]),
            (
                r#"{"id":"a","opens":"2030-01-31T10:00Z","prequeue":"2030-01-31T11:00Z","closes":"2030-01-31T10:00Z","public_value":"b"}"#,
                vec![
                    "b: a public_value only where",
                    "a: a prequeue that is no later than opens",
                    "a: a time closes that is later than opens",
                ],
            ),
            (
                r#"[{"id":"a","opens":"x"},{"id":"b"},{"id":"c","id":"d","opens":"2030-01-31T10:00Z"}]"#,
                vec![
                    "\"x\": a time of opens",
                    "b: the time opens in",
                    "id: each member",
                ],
            ),
            (
                r#"[{"id":"a","opens":"2030-01-31T10:00Z"},{"id":"a","opens":"2030-01-31T11:00Z"}]"#,
                vec!["a: an id of its own", "a: a prequeue, or opens"],
            ),
        ] {
            let found = told(text).err().unwrap_or_default();
            let found: Vec<&str> = found.lines().collect();
            let same = found.iter().zip(&lines);
            let fit = found.len() == lines.len() && { same }.all(|(is, be)| is.starts_with(be));
            assert!(fit, "{text}: {found:#?}");
        }
    }

    #[test]
    fn times_that_contradict_each_other_are_named_with_what_is_accepted() {
        let at = |times: &str| format!(r#"{{"id":"sale",{times}}}"#);
        let [nine, ten] = [9, 10].map(|hour| format!("2030-01-31T{hour:02}:00:00Z"));
        let event = |id: &str, more: &str| format!(r#"{{"id":"{id}","opens":"{ten}"{more}}}"#);
        let closes = r#","closes":"2030-01-31T11:00:00Z""#;
        let later = r#"{"id":"b","opens":"2030-02-01T10:00:00Z"}"#;
        for (text, words) in [
            ("on".to_owned(), "on: an object such as"),
            ("[1]".to_owned(), "[1]: an object such as"),
            (at(""), "an object such as"),
            ("{}".to_owned(), "an id in each event"),
            (event("two words", ""), "\"two words\": an id of 1 to 32"),
            (r#"{"id":"sale"}"#.to_owned(), "sale: the time opens"),
            (
                event("sale", r#","sequence":"drawn""#),
                "sequence: id, prequeue",
            ),
            (
                event("sale", r#","order":"random""#),
                "the order arrival or drawn",
            ),
            (
                event("sale", r#","public_value":"beacon""#),
                "beacon: a public_value only where the order is drawn",
            ),
            (
                event("sale", r#","outside":"hold""#),
                "outside closed, automatic or open",
            ),
            (
                event("sale", r#","outside":true"#),
                "outside closed, automatic or open",
            ),
            (event("sale", r#","admits":"some""#), "admits all or none"),
            (
                event("sale", r#","outside":"automatic","admits":"none""#),
                "admits none only with closes",
            ),
            (
                event("sale", r#","closes":"2030-01-31T23:00Z","admits":"none""#),
                "with outside automatic or open",
            ),
            (
                event("sale", r#","order":"drawn","public_value":"a\u202eb""#),
                "no control characters and bidirectional controls",
            ),
            (
                event("sale", r#","order":"drawn","public_value":" ""#),
                "a public_value of 1 to 100 characters",
            ),
            (
                at(r#""opens":"2030-01-31T10:00:00""#),
                "a time of opens with its offset",
            ),
            (
                at(r#""opens":"2030-02-30T10:00:00Z""#),
                "a time of opens with its offset",
            ),
            (at(r#""opens":1896084000"#), "1896084000: a time of opens"),
            (
                event(
                    "sale",
                    &format!(r#","prequeue":"{ten}","prequeue":"{ten}""#),
                ),
                "prequeue: each member",
            ),
            (
                at(&format!(r#""opens":"{nine}","prequeue":"{ten}""#)),
                "sale: a prequeue that is no later than opens",
            ),
            (
                at(&format!(r#""opens":"{ten}","closes":"{ten}""#)),
                "sale: a time closes that is later than opens",
            ),
            (
                format!("[{},{}]", event("a", ""), event("b", "")),
                "b: a prequeue, or opens",
            ),
            (
                format!("[{later},{}]", event("a", closes)),
                "a: a prequeue, or opens",
            ),
            (
                format!("[{},{}]", event("a", closes), event("b", closes)),
                "b: a prequeue, or opens",
            ),
            (
                format!("[{},{}]", event("a", closes), event("a", closes)),
                "a: an id of its own",
            ),
            (
                format!(
                    r#"[{},{{"id":"b","opens":"2030-01-31T12:00:00Z","closes":"2030-01-31T13:00:00Z"}},{{"id":"a","opens":"2030-02-01T10:00:00Z"}}]"#,
                    event("a", closes)
                ),
                "a: an id of its own",
            ),
            (
                format!("[{}]", vec![event("a", ""); 17].join(",")),
                "at most 16 events",
            ),
        ] {
            let found = told(&text).err().unwrap_or_default();
            assert!(found.contains(words), "{text}: {found}");
        }
    }
}
