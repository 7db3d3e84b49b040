//! How the model draws numbers.

use super::claim::Told;
use super::{Asker, Model};
use crate::queue::{AboveBound, Lane, Mode, Position, TicketState, WaitingProof};

const HOUR_MS: u64 = 3_600_000;

/// The hour in which a network draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hour {
    ends_ms: u64,
    drawn: u64,
}

impl Model {
    /// This line in a store that remembers the draws and the counts of another: the line's own data were lost, or restored from a backup.
    #[must_use]
    pub fn with_draws_of(self, other: &Self) -> Self {
        Self {
            drawn: other.drawn.clone(),
            kept: other.kept.clone(),
            claims: other.claims.clone(),
            ended: other.ended.clone(),
            journal: self.journal.with_list_of(&other.journal),
            ..self
        }
    }

    /// Waiting visitors go first; then the number is drawn, and it may use what is left of the budget.
    /// A visitor who goes straight in claims a session at once.
    pub(super) fn arrive(&mut self, asker: Asker<'_>, now_ms: u64) -> Told {
        if let Some(told) = self.claimed_before(asker, now_ms) {
            return told;
        }
        self.release(now_ms);
        let past = self.go_past(asker, now_ms);
        if past.has_gone_past() {
            return past;
        }
        let drawn = self.draw(asker, now_ms);
        self.release(now_ms);
        let (lane, cursor) = (drawn.lane, self.sign.of(drawn.lane).cursor);
        let is_called = |position: &Position| {
            let is_redrawn = lane == Lane::Main && self.is_redrawn(*position);
            position.0 <= cursor.0 && !is_redrawn
        };
        let called = drawn.position.filter(is_called);
        let claim = called.and_then(|position| self.claim(asker, (lane, position), None, now_ms));
        Told {
            claim,
            invited: past.invited,
            ..drawn
        }
    }

    /// A repeated draw gets the same number.
    fn draw(&mut self, asker: Asker<'_>, now_ms: u64) -> Told {
        let before = self.drawn.get(asker.id).copied();
        let is_placed = |place: &WaitingProof| {
            matches!(TicketState::of(*place, &self.sign), TicketState::Placed(_))
        };
        if let Some(place) = before.filter(is_placed) {
            return Told {
                position: self.sign.written_number(place),
                ..Told::default()
            };
        }
        if let Some((lane, position)) = self.drawn_in_region(asker.id) {
            return Told {
                lane,
                ..Told::of(position, None)
            };
        }
        if self.mode(now_ms) == Mode::Closed {
            return Told::default();
        }
        let above = self.count_for_network(asker, now_ms);
        if above == Some(AboveBound::Challenged) {
            return Told {
                above,
                ..Told::default()
            };
        }
        Told {
            above,
            lane: match asker.lane {
                Lane::Main | Lane::Front => Lane::Main,
                region @ Lane::Region(_) => region,
            },
            ..Told::of(self.next_number(asker, now_ms), None)
        }
    }

    /// In the visitor's region, or in the main line.
    fn next_number(&mut self, asker: Asker<'_>, now_ms: u64) -> Position {
        if let Lane::Region(name) = asker.lane {
            return self.draw_in_region(asker, name, now_ms);
        }
        self.came_from_anywhere(now_ms);
        self.windows.count_draw(now_ms, self.sign.length);
        self.sign.length += 1;
        let position = Position(self.sign.length);
        let place = self.sign.place(position);
        self.drawn.insert(asker.id.to_owned(), place);
        position
    }

    /// What becomes of a draw from this network, which counts unless it gets no number.
    fn count_for_network(&mut self, asker: Asker<'_>, now_ms: u64) -> Option<AboveBound> {
        if asker.network.is_empty() || asker.bound.enforcement.is_none() {
            return None;
        }
        let known = self.claims.networks.get(asker.network).copied();
        let in_time = known.filter(|hour| now_ms < hour.ends_ms);
        let mut hour = in_time.unwrap_or(Hour {
            ends_ms: now_ms + HOUR_MS,
            drawn: 0,
        });
        let above = asker.bound.above(hour.drawn, self.mode(now_ms));
        if above != Some(AboveBound::Challenged) {
            hour.drawn += 1;
            let network = asker.network.to_owned();
            self.claims.networks.insert(network, hour);
        }
        above
    }
}
