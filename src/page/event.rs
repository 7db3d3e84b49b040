//! What a page says of an event.

use serde::Serialize;
use serde_json::Value;

use super::Waiting;
use super::clock::{self, iso_8601};
use crate::http::object::object;
use crate::i18n::Language;
use crate::queue::{Event, Mode, Outlook, Phase};

/// The order by lot.
pub(super) const DRAWN: &str = "drawn";

/// A list of events, as the setting and operators write it.
#[must_use]
pub fn events_json(events: &[Event]) -> Value {
    let time = |unix_ms| format!("{}T{}Z", clock::day(unix_ms), clock::time(unix_ms));
    let event = |event: &Event| {
        let mut told = object!({
            "id": event.id.as_str(),
            "prequeue": time(event.prequeue_ms),
            "opens": time(event.opens_ms),
        });
        let is_drawn = event.order.is_drawn();
        let more = [
            ("closes", event.closes_ms.map(time)),
            ("order", is_drawn.then(|| DRAWN.to_owned())),
            ("public_value", event.order.source().map(str::to_owned)),
        ];
        if let Some(told) = told.as_object_mut() {
            for (name, text) in more {
                if let Some(text) = text {
                    told.insert(name.to_owned(), text.into());
                }
            }
        }
        told
    };
    events.iter().map(event).collect::<Vec<Value>>().into()
}

/// A list of events in a few words.
#[must_use]
pub fn event_words(events: &[Event]) -> String {
    let words = |event: &Event| {
        let (day, time) = (clock::day(event.opens_ms), clock::time(event.opens_ms));
        format!("event {} opens {day} {time} UTC", event.id)
    };
    let words: Vec<String> = events.iter().map(words).collect();
    if words.is_empty() {
        return "no event".to_owned();
    }
    words.join(", ")
}

/// The words that take the place of those for any other line.
#[derive(Default)]
pub(super) struct EventWords {
    pub(super) heading: Option<&'static str>,
    pub(super) headline: Option<String>,
    pub(super) line: Option<&'static str>,
    pub(super) hold: Option<&'static str>,
    pub(super) late: Option<&'static str>,
}

impl EventWords {
    pub(super) fn of(waiting: &Waiting, words: &Language) -> Self {
        let Some(event) = &waiting.event else {
            return Self::default();
        };
        let until = || {
            let time = words.until(event.opens_in());
            Some(words.text("until_open").replace("{time}", &time))
        };
        match (event.phase, waiting.mode) {
            (Phase::Before, _) => Self {
                heading: Some(words.text("not_open")),
                headline: until(),
                line: Some(words.text("before")).filter(|_| waiting.position.is_none()),
                ..Self::default()
            },
            // Without a number there is a lot to wait for.
            (Phase::Prequeue, Mode::Hold) if event.order == DRAWN && waiting.position.is_none() => {
                Self {
                    headline: until(),
                    line: Some(words.text("lot")),
                    ..Self::default()
                }
            }
            (Phase::Drawing, Mode::Hold) => Self {
                line: Some(words.text("drawing")).filter(|_| waiting.position.is_none()),
                hold: Some(words.text("drawing")).filter(|_| waiting.position.is_some()),
                ..Self::default()
            },
            (Phase::Prequeue, Mode::Hold) => Self {
                headline: until().filter(|_| waiting.position.is_some()),
                hold: Some(words.text("prequeue")),
                ..Self::default()
            },
            (Phase::Over, Mode::Closed) => Self {
                heading: Some(words.text("over_heading")),
                line: Some(words.text("over")),
                ..Self::default()
            },
            (Phase::Open, _) if event.is_too_late(waiting.estimate) => Self {
                late: Some(words.text("late")),
                ..Self::default()
            },
            _ => Self::default(),
        }
    }
}

/// Seconds until the event opens, on the page that counts down.
pub(super) fn countdown(waiting: &Waiting) -> Option<u64> {
    let event = waiting.event.filter(|event| event.phase == Phase::Before);
    event.as_ref().map(Outlook::opens_in)
}

/// The same as data, for programs.
#[derive(Serialize)]
pub(super) struct EventData {
    closes: Option<String>,
    opens: String,
    order: &'static str,
    phase: &'static str,
    prequeue: String,
    too_late: bool,
}

impl EventData {
    pub(super) fn new(event: &Outlook, estimate: Option<u64>) -> Self {
        let (prequeue_ms, opens_ms, closes_ms) = event.times;
        Self {
            closes: closes_ms.map(iso_8601),
            opens: iso_8601(opens_ms),
            order: event.order,
            phase: event.phase.name(),
            prequeue: iso_8601(prequeue_ms),
            too_late: event.is_too_late(estimate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_read_the_times_of_an_event_and_whether_they_come_too_late() {
        let mut event = Outlook {
            phase: Phase::Open,
            times: (0, 60_000, None),
            order: "arrival",
            now_ms: 90_000,
        };
        let told = |event: &Outlook| {
            let data = EventData::new(event, Some(60));
            serde_json::to_string(&data).unwrap_or_default()
        };
        let without_end = concat!(
            r#"{"closes":null,"opens":"1970-01-01T00:01:00.000Z","order":"arrival","#,
            r#""phase":"open","prequeue":"1970-01-01T00:00:00.000Z","too_late":false}"#
        );
        assert_eq!(told(&event), without_end);
        event.times.2 = Some(120_000);
        let late = without_end
            .replace("null", r#""1970-01-01T00:02:00.000Z""#)
            .replace("false", "true");
        assert_eq!(told(&event), late);
    }
}
