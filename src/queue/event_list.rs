//! The events of a room, in the order of their times.

use super::Event;
use serde::Deserialize;

/// What an operator set in place of the configured events. Boards have it as the store does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct EventList(pub Vec<Event>);

/// How a list without events is written, so that it differs from no list.
const NO_EVENTS: &str = "none";

impl EventList {
    /// As the store keeps it.
    #[must_use]
    pub fn written(&self) -> String {
        let events: Vec<String> = self.0.iter().map(Event::written).collect();
        if events.is_empty() {
            return NO_EVENTS.to_owned();
        }
        events.join(" ")
    }

    /// Reads what the store keeps.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        if text == NO_EVENTS {
            return Some(Self::default());
        }
        let events: Option<Vec<Event>> = text.split(' ').map(Event::read).collect();
        events.map(Self)
    }
}

impl TryFrom<String> for EventList {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no events")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::{Mode, Order};

    fn event(id: &str, opens_ms: u64, closes_ms: Option<u64>) -> Event {
        Event {
            closes_ms,
            order: Order::DrawnBy("beacon 4711".to_owned()),
            outside: Mode::Open,
            ..Event::new(id, opens_ms)
        }
    }

    #[test]
    fn a_list_is_read_as_it_was_written() {
        let two = vec![event("a-1", 1_000, Some(2_000)), event("b_2", 2_000, None)];
        for events in [vec![], two] {
            let list = EventList(events);
            assert_eq!(EventList::read(&list.written()), Some(list));
        }
        for garbled in [
            "",
            "sale",
            "sale:1:2",
            "sale:1:2:3",
            "sale:1:2:3:drawn x",
            "sale:1:2:x:drawn",
        ] {
            assert_eq!(EventList::read(garbled), None, "{garbled}");
        }
    }
}
