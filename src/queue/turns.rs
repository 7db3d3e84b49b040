//! Turns that are over: up to which number of each lane a called visitor has come too late.
//!
//! When a turn is over is the store's rule (`store/lua/turns.lua`).

use super::{Cursor, Lane, Position, Sign};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// What is accepted as the minutes for which a turn lasts. 0: it lasts as long as the ticket.
pub const TURN_MINUTES: RangeInclusive<u64> = 0..=1_440;
/// The shortest turn that ends, in minutes.
pub const SHORTEST_TURN: u64 = 5;

/// The last number of each lane whose turn is over; lanes without one are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TurnsOver(Vec<(Lane, Cursor)>);

impl TurnsOver {
    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The last one of this lane.
    #[must_use]
    pub fn last(&self, lane: Lane) -> Option<Cursor> {
        let found = self.0.iter().find(|(known, _)| *known == lane);
        found.map(|(_, last)| *last)
    }

    /// As visitors of this lane read it.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Self {
        let last = self.last(lane).map(|last| (Lane::Main, last));
        Self(last.into_iter().collect())
    }

    /// `cursor:lane;` of each, as the store tells it.
    #[must_use]
    pub fn written(&self) -> String {
        let one = |(lane, last): &(Lane, Cursor)| {
            format!("{}:{};", last.0, lane.name().unwrap_or_default())
        };
        self.0.iter().map(one).collect()
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let one = |word: &str| {
            let (last, lane) = word.split_once(':')?;
            let lane = Lane::named(Some(lane).filter(|lane| !lane.is_empty()))?;
            Some((lane, Cursor(last.parse().ok()?)))
        };
        let words = text.split_terminator(';').map(one);
        words.collect::<Option<_>>().map(Self)
    }
}

impl From<TurnsOver> for String {
    fn from(over: TurnsOver) -> Self {
        over.written()
    }
}

impl TryFrom<String> for TurnsOver {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("no turns that are over")
    }
}

impl Sign {
    /// Whether a visitor with this number was called too long ago to go in by it.
    #[must_use]
    pub fn is_over(&self, position: Position) -> bool {
        let last = self.over.last(Lane::Main);
        last.is_some_and(|last| position.0 <= last.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_read_as_the_store_tells_them() {
        let told = "5:;3:front;7:west;";
        let over = TurnsOver::read(told);
        assert_eq!(over.as_ref().map(TurnsOver::written).as_deref(), Some(told));
        let front = over.map(|over| over.of(Lane::Front).written());
        assert_eq!(front.as_deref(), Some("3:;"));
        assert_eq!(TurnsOver::read(""), Some(TurnsOver::default()));
        for text in [";", "5", "x:;", "5:the back;", "-1:;"] {
            assert_eq!(TurnsOver::read(text), None, "{text}");
        }
    }
}
