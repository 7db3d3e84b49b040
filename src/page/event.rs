//! What a page says of an event.

use serde::Serialize;
use serde_json::Value;

use super::clock::{self, iso_8601};
use crate::http::object::object;
use crate::queue::{Event, Mode, Outlook, With};

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
        let outside = Some(event.outside).filter(|mode| *mode != Mode::Closed);
        let more = [
            ("closes", event.closes_ms.map(time)),
            ("order", is_drawn.then(|| DRAWN.to_owned())),
            ("public_value", event.order.source().map(str::to_owned)),
            ("admits", (!event.admits).then(|| "none".to_owned())),
            ("outside", outside.map(|mode| mode.name().to_owned())),
            ("then", event.then.map(|mode| mode.name().to_owned())),
        ];
        if let Some(told) = told.as_object_mut() {
            for (name, text) in more {
                if let Some(text) = text {
                    told.insert(name.to_owned(), text.into());
                }
            }
            if !event.keeps_inside {
                told.insert("keeps_inside".to_owned(), false.into());
            }
            if event.with != With::default() {
                told.insert("with".to_owned(), with_json(&event.with));
            }
        }
        told
    };
    events.iter().map(event).collect::<Vec<Value>>().into()
}

/// What an event brings.
#[must_use]
pub fn with_json(With { pace, cap, message }: &With) -> Value {
    let pace = pace.map(|pace| {
        [
            ("automatic", Value::from(pace.automatic)),
            ("automatic_quantity", pace.quantity.into()),
        ]
    });
    let cap = cap.map(|cap| {
        [
            ("total_active", Value::from(cap.total_active)),
            ("session_minutes", cap.session_minutes.into()),
            ("claim_seconds", cap.claim_seconds.into()),
            ("session_renewal", cap.renewal.name().into()),
        ]
    });
    let message = message.as_deref().map(|text| ("message", text.into()));
    let members = pace.into_iter().flatten().chain(cap.into_iter().flatten());
    let members = members.chain(message);
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// A list of events in a few words.
#[must_use]
pub fn event_words(events: &[Event]) -> String {
    let words = |event: &Event| {
        let closes = event.closes_ms.map(clock::utc);
        let closes = closes
            .map(|at| format!(" and closes {at}"))
            .unwrap_or_default();
        format!(
            "event {} opens {}{closes}",
            event.id,
            clock::utc(event.opens_ms)
        )
    };
    let words: Vec<String> = events.iter().map(words).collect();
    if words.is_empty() {
        return "no event".to_owned();
    }
    words.join(", ")
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
    use crate::queue::Phase;

    #[test]
    fn programs_read_the_times_of_an_event_and_whether_they_come_too_late() {
        let mut event = Outlook {
            phase: Phase::Open,
            times: (0, 60_000, None),
            order: "arrival",
            goes_on: false,
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
