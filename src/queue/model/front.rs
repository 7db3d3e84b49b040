//! The front lane of the model.

use super::birth::{LEAST_GAP, Windows};
use super::{Asker, Model};
use crate::queue::{
    Cursor, FrontLane, FrontShare, Invited, Lane, Mode, Position, TicketState, WaitingProof, Way,
};

/// What is known of it beside its numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    /// Its share, in percent.
    pub(super) percent: u64,
    /// By how much it is ahead of that, in hundredths of a visitor.
    pub(super) over: u64,
    /// How many of its visitors were called in all.
    pub(super) called: u64,
    pub(super) windows: Windows,
}

impl Model {
    /// The same line with this share of the front lane, in percent.
    #[must_use]
    pub fn with_front_share(mut self, percent: u64) -> Self {
        self.front.percent = percent;
        self
    }

    pub(super) fn front_share(&self) -> FrontShare {
        FrontShare {
            percent: self.front.percent,
            over: self.front.over,
        }
    }

    fn lane(&mut self) -> &mut FrontLane {
        self.sign.front.get_or_insert_default()
    }

    /// The lane releases.
    pub(super) fn call_front(&mut self, many: u64) {
        if many > 0 {
            self.lane().cursor.0 += many;
            self.front.called += many;
        }
    }

    /// The number of a visitor who draws there by an invitation, or once more where the line of the number was lost.
    pub(super) fn arrive_in_front(
        &mut self,
        asker: Asker<'_>,
        now_ms: u64,
    ) -> (Option<Position>, Option<Invited>) {
        let brought = asker.invitation.filter(|brought| brought.opens(Way::Front));
        if brought.is_none() && asker.lane != Lane::Front {
            return (None, None);
        }
        let before = self.claims.uses.drawn_in_front(asker.id);
        if let Some(position) = before.and_then(|place| self.number_in(Lane::Front, place)) {
            return (Some(position), brought.map(|_| Invited::Front));
        }
        let draws = matches!(self.mode(now_ms), Mode::Automatic | Mode::Hold);
        if !draws || self.front.percent == 0 {
            return (None, None);
        }
        if asker.lane == Lane::Front {
            // Once for each ticket.
            let draws = self.claims.uses.draws_again(asker.id);
            return (draws.then(|| self.draw_in_front(asker, now_ms)), None);
        }
        let Some(brought) = brought else {
            return (None, None);
        };
        let is_good = |place: WaitingProof| !self.sign.has_ended(place.born, place.epoch);
        if !before.is_some_and(is_good) {
            if let Some(refused) = self.refused(brought, now_ms) {
                return (None, Some(refused));
            }
            self.use_up(brought);
        }
        let position = self.draw_in_front(asker, now_ms);
        (Some(position), Some(Invited::Front))
    }

    fn draw_in_front(&mut self, asker: Asker<'_>, now_ms: u64) -> Position {
        let length = self.lane().length;
        self.front.windows.count_draw(now_ms, length);
        self.lane().length += 1;
        let position = Position(length + 1);
        let place = self.sign.of(Lane::Front).place(position);
        self.claims.uses.draw_in_front(asker.id, place);
        position
    }

    /// The number of a ticket of a lane, if its line and its epoch have not ended.
    pub(super) fn number_in(&self, lane: Lane, place: WaitingProof) -> Option<Position> {
        match TicketState::of(place, &self.sign.of(lane)) {
            TicketState::Placed(position) => Some(position),
            TicketState::Ended | TicketState::Settling | TicketState::Ahead => None,
        }
    }

    /// A ticket of the lane proves what it had reached.
    pub(super) fn take_front_ticket(&mut self, place: WaitingProof) {
        let birth = &self.sign.birth;
        if !self.is_of_this(place.born, place.epoch) || birth.started == 0 {
            return;
        }
        self.sign.epoch = self.sign.epoch.max(place.epoch);
        self.show_held(Lane::Front, place.position.0);
        if place.position.0 > self.lane().length {
            self.gaps.remove(&Lane::Front);
            self.begin_front_at(place.position.0 + LEAST_GAP);
        }
        let seen = place.cursor_at_draw.0.min(place.position.0);
        self.remember_front_cursor(Cursor(seen));
    }

    pub(super) fn begin_front_at(&mut self, length: u64) {
        self.lane().length = length;
        self.front.windows.begin_at(length);
    }

    pub(super) fn remember_front_cursor(&mut self, seen: Cursor) {
        let cursor = &mut self.lane().cursor;
        *cursor = (*cursor).max(seen);
    }

    /// The line is of another birth, and the numbers of the lane were not.
    pub(super) fn forget_front(&mut self) {
        self.sign.front = None;
        self.front.over = 0;
        self.front.windows.begin_at(0);
    }

    /// Every ticket ends.
    pub(super) fn end_front(&mut self) {
        let lane = self.lane();
        lane.cursor = Cursor(lane.length);
        self.front.over = 0;
    }

    pub(super) fn show_front(&mut self, now_ms: u64) {
        let lane = self.sign.front.filter(|lane| lane.length > 0);
        self.sign.front = lane.map(|lane| FrontLane {
            recent: self.front.windows.recent(now_ms, lane.length),
            ..lane
        });
    }
}
