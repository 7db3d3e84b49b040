//! Turns that are over: up to which number of each lane and roll a called visitor has come too late.
//!
//! When a turn is over is the store's rule (`store/lua/turns.lua`).

use super::{Board, Cursor, Lane, Position};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// What is accepted as the minutes for which a turn lasts. 0: it lasts as long as the ticket.
pub const TURN_MINUTES: RangeInclusive<u64> = 0..=1_440;
/// The shortest turn that ends, in minutes.
pub const SHORTEST_TURN: u64 = 5;

/// The last number of each lane and roll whose turn is over; those without one are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct TurnsOver(Vec<LastTurn>);

/// The last number of one lane and roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct LastTurn {
    #[serde(default)]
    lane: Lane,
    born: u64,
    last: Cursor,
}

impl TurnsOver {
    /// The last one of this lane and roll.
    #[must_use]
    pub fn last(&self, lane: Lane, born: u64) -> Option<Cursor> {
        let mut all = self.0.iter();
        let found = all.find(|known| (known.lane, known.born) == (lane, born));
        found.map(|known| known.last)
    }

    /// As visitors of this lane read it.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Self {
        let own = self.0.iter().filter(|known| known.lane == lane);
        let own = own.map(|known| LastTurn {
            lane: Lane::Main,
            ..*known
        });
        Self(own.collect())
    }
}

impl Board {
    /// Whether a visitor at this position was called too long ago to go in by it.
    #[must_use]
    pub fn is_over(&self, position: Position) -> bool {
        let place = self.place(position);
        let last = self.over.last(Lane::Main, place.born);
        last.is_some_and(|last| place.position.0 <= last.0)
    }
}
