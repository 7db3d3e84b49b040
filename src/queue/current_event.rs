//! What the board says of the event whose time it is, and by which clock that goes.

use super::{Event, Now, Phase};
use serde::Deserialize;

/// How long a question to the store and its answer take at most, in milliseconds, and by how much clocks differ unnoticed.
const LONGEST_WAY_MS: u64 = 2000;

/// What the board says of the event whose time it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CurrentEvent {
    /// Its times.
    pub event: Event,
    /// Where it stood when the store was asked.
    pub phase: Phase,
    /// When that was, by the clock of the store: Unix time in milliseconds.
    pub told_ms: u64,
}

impl CurrentEvent {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            prequeue_ms: 1,
            ..Event::new("sale-1", 2)
        }
    }

    #[test]
    fn an_event_goes_by_the_clock_of_the_store() {
        let current = CurrentEvent {
            event: event(),
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
            let now = current.now(read_ms, Now::from_ms(now_ms));
            assert_eq!(now.ms(), expected, "{read_ms} {now_ms}");
        }
    }
}
