//! A release as the store noted it, and what bounded it: operators read why the line moves as it does.

use super::words;
use serde::Serialize;

/// What one verb released, and why no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Released {
    /// When, by the store's clock, in Unix milliseconds.
    #[serde(skip)]
    pub at_ms: u64,
    /// How many visitors.
    pub released: u64,
    /// How many pace and credit allowed.
    pub pace: u64,
    /// How many slots were free; nothing without a cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots: Option<u64>,
    /// Why no more.
    pub bound_by: Bound,
}

/// What bounds the line, and what was released last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// Why no more visitors are released now.
    pub bound_by: Bound,
    /// The last release; nothing where there was none.
    pub last: Option<Released>,
    /// Until when it is not known who is inside, Unix time in milliseconds; nothing while it is.
    pub recount_ms: Option<u64>,
}

/// That the store has lost who is inside, and lets no visitor in by the cap until the sessions of that time have ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recount {
    /// When it found that out, by the store's clock, in Unix milliseconds.
    #[serde(skip)]
    pub at_ms: u64,
    /// Until when, likewise.
    pub until_ms: u64,
}

impl Recount {
    /// Reads what the store wrote: both times, with a space between.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (at_ms, until_ms) = text.split_once(' ')?;
        Some(Self {
            at_ms: at_ms.parse().ok()?,
            until_ms: until_ms.parse().ok()?,
        })
    }
}

words! {
    /// Why no more visitors were released.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Bound {
        /// No visitor waits any more.
        Waiting = "waiting",
        /// The mode admits no visitor.
        Mode = "mode",
        /// An older line may still come back.
        Quiet = "quiet",
        /// The stock that was reported is used up.
        Stock = "stock",
        /// Credit and budget are used up.
        Pace = "pace",
        /// No slot is free.
        Slots = "slots",
        /// It is not known who is inside, since the store lost its data.
        Recount = "recount",
        /// The origin is sick.
        Origin = "origin",
        /// The event is not open.
        Event = "event",
    }
}

impl Released {
    /// Reads what the store wrote: time, number, pace, slots or `-`, and the rule, with spaces between.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [at_ms, released, pace, slots, bound_by] = words[..] else {
            return None;
        };
        let slots = match slots {
            "-" => None,
            slots => Some(slots.parse().ok()?),
        };
        Some(Self {
            at_ms: at_ms.parse().ok()?,
            released: released.parse().ok()?,
            pace: pace.parse().ok()?,
            slots,
            bound_by: Bound::named(bound_by)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_store_noted_of_a_release_is_read() {
        let expected = Released {
            at_ms: 7,
            released: 12,
            pace: 20,
            slots: Some(12),
            bound_by: Bound::Slots,
        };
        assert_eq!(Released::read("7 12 20 12 slots"), Some(expected));
        let without = Released {
            slots: None,
            bound_by: Bound::Pace,
            ..expected
        };
        assert_eq!(Released::read("7 12 20 - pace"), Some(without));
        for spoilt in [
            "",
            "1 2 3 4",
            "1 2 3 4 luck",
            "1 2 3 x pace",
            "1 2 3 4 pace 5",
        ] {
            assert_eq!(Released::read(spoilt), None, "{spoilt}");
        }
    }
}
