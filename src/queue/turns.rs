//! Turns that are over: up to which number of each lane a called visitor has come too late.
//!
//! When a turn is over is the store's rule (`store/lua/turns.lua`).

use super::{Board, Cursor, Lane, Position};
use serde::Deserialize;
use std::ops::RangeInclusive;

/// What is accepted as the minutes for which a turn lasts. 0: it lasts as long as the ticket.
pub const TURN_MINUTES: RangeInclusive<u64> = 0..=1_440;
/// The shortest turn that ends, in minutes.
pub const SHORTEST_TURN: u64 = 5;

/// The last number of each lane whose turn is over; lanes without one are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct TurnsOver(Vec<LastTurn>);

/// The last number of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct LastTurn {
    #[serde(default)]
    lane: Lane,
    last: Cursor,
}

impl TurnsOver {
    /// The last one of this lane.
    #[must_use]
    pub fn last(&self, lane: Lane) -> Option<Cursor> {
        let found = self.0.iter().find(|known| known.lane == lane);
        found.map(|known| known.last)
    }

    /// As visitors of this lane read it.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Self {
        let own = self.last(lane).map(|last| LastTurn {
            lane: Lane::Main,
            last,
        });
        Self(own.into_iter().collect())
    }
}

impl Board {
    /// Whether a visitor with this number was called too long ago to go in by it.
    #[must_use]
    pub fn is_over(&self, position: Position) -> bool {
        let last = self.over.last(Lane::Main);
        last.is_some_and(|last| position.0 <= last.0)
    }
}
