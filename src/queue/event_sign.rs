//! What the sign says of the event whose time it is, and by which clock that goes.

use super::{Event, Now, Phase};
use serde::{Deserialize, Serialize};

/// How long a question to the store and its answer take at most, in milliseconds, and by how much clocks differ unnoticed.
const LONGEST_WAY_MS: u64 = 2000;

/// What the sign says of the event whose time it is. Copies keep it as the store wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventSign {
    /// Its times.
    pub event: Event,
    /// Where it stood when the store was asked.
    pub phase: Phase,
    /// When that was, by the clock of the store: Unix time in milliseconds.
    pub told_ms: u64,
}

impl EventSign {
    /// Reads what the store wrote: `told phase id prequeue opens closes order`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (told_ms, text) = text.split_once(' ')?;
        let (phase, event) = text.split_once(' ')?;
        Some(Self {
            told_ms: told_ms.parse().ok()?,
            event: Event::read(&event.replace(' ', ":"))?,
            phase: Phase::named(phase)?,
        })
    }

    /// The time by which the event goes, where this was read at `read_ms` by a clock that says `now`: that of the store. A
    /// difference that the way to the store explains is none.
    #[must_use]
    pub fn now(&self, read_ms: u64, now: Now) -> Now {
        if self.told_ms.abs_diff(read_ms) < LONGEST_WAY_MS {
            return now;
        }
        let since_ms = now.ms().saturating_sub(read_ms);
        Now::from_ms(self.told_ms.saturating_add(since_ms))
    }
}

impl TryFrom<String> for EventSign {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no event")
    }
}

impl From<EventSign> for String {
    fn from(sign: EventSign) -> Self {
        let (phase, event) = (sign.phase.name(), sign.event.written().replace(':', " "));
        format!("{} {phase} {event}", sign.told_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Order;

    fn event(closes_ms: Option<u64>) -> Event {
        Event {
            id: "sale-1".to_owned(),
            prequeue_ms: 1,
            opens_ms: 2,
            closes_ms,
            order: Order::Arrival,
        }
    }

    #[test]
    fn what_the_store_wrote_is_read() {
        for closes_ms in [None, Some(3)] {
            let told = format!("9 prequeue sale-1 1 2 {} arrival", closes_ms.unwrap_or(0));
            let expected = EventSign {
                event: event(closes_ms),
                phase: Phase::Prequeue,
                told_ms: 9,
            };
            assert_eq!(String::from(expected.clone()), told);
            assert_eq!(EventSign::read(&told), Some(expected));
        }
        for garbled in [
            "",
            "9 later sale 1 2 3 arrival",
            "9 open sale 1 2 arrival",
            "9 open sale 1 2 x arrival",
            "9 open sale 1 2 3",
            "9 open sale 1 2 3 chance",
            "9 open sale 1 2 3 drawn~",
            "9 open sale 1 2 3 drawn~=a",
            "open sale 1 2 3 arrival",
        ] {
            assert_eq!(EventSign::read(garbled), None, "{garbled}");
        }
    }

    #[test]
    fn an_event_goes_by_the_clock_of_the_store() {
        let sign = EventSign {
            event: event(None),
            phase: Phase::Before,
            told_ms: 100_000,
        };
        for (read_ms, now_ms, expected) in [
            (100_000, 105_000, 105_000),
            (101_999, 105_000, 105_000),
            (98_001, 105_000, 105_000),
            (160_000, 165_000, 105_000),
            (40_000, 45_000, 105_000),
            (160_000, 159_000, 100_000),
        ] {
            let now = sign.now(read_ms, Now::from_ms(now_ms));
            assert_eq!(now.ms(), expected, "{read_ms} {now_ms}");
        }
    }
}
