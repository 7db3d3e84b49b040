//! The way of a called visitor into the room: who has been told that it is the turn, and is not yet inside.
//!
//! Invariant: a room on hold, by an operator or by itself, admits no called visitor; neither the number nor a session is used up by that.

use super::known::has_gone_in;
use super::look::{BoardLook, board_near, has_a_claim};
use super::session::is_about_to_end;
use super::tickets::{anew_with, outside};
use super::{FollowUp, Visit, VisitOutcome};
use crate::cache::{CachedBoard, Pop};
use crate::queue::health::LONGEST_MARKER_MS;
use crate::queue::{Board, Mode, Now};
use crate::request::Request;
use crate::ticket::{Notice, Ticket, TicketStage};
use crate::visitor::Kind;

/// By what a visitor goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WayIn {
    /// By the board that this request saw, if it saw one.
    Board,
    /// By an earlier one, which said that it is the turn.
    Called,
    /// By the policy for the time when the store does not answer.
    NoStore,
}

impl Visit {
    /// It is the turn, by an update of the waiting page or by what a page brings along. The next page goes in, unless one has done
    /// so while this was on its way.
    pub(super) fn or_called(mut self, request: &Request<'_>) -> Self {
        let is_new = self.must_sign && self.board.is_some();
        self.ticket.called |= is_new && !self.has_gone_in(request);
        self
    }

    /// A poll takes no slot. Where one is free, it tells the page to load, which claims it.
    pub(super) fn or_offered(self, request: &Request<'_>) -> Self {
        let is_offered = |board: &Board| {
            let position = self.position()?;
            Some(has_a_claim(&self.ticket, board, position, request))
        };
        let end = match self
            .board
            .as_ref()
            .filter(|_| !self.is_old)
            .and_then(is_offered)
        {
            Some(true) => VisitOutcome::Offered,
            Some(false) | None => self.end,
        };
        Self { end, ..self }
    }

    /// A called visitor goes in with the next page, not with a poll, unless the room admits no visitor at the moment.
    /// `look`: what this request has looked at already.
    pub(super) fn held_back_or_in(
        self,
        kind: Kind,
        look: Option<BoardLook>,
        request: &Request<'_>,
    ) -> Self {
        if !self.ticket.called {
            return self;
        }
        let BoardLook { copy: last, after } = look.unwrap_or_else(|| board_near(request));
        let loads = kind == Kind::Poll && is_about_to_end(&self.ticket, last.as_ref(), request.now);
        let board = last.as_ref().and_then(|last| last.board.as_ref());
        if let Some((ticket, board)) = board.and_then(|board| self.ended_by(board, request)) {
            return Self {
                after,
                ..Self::provisional(ticket, board)
            };
        }
        let seen = Self { after, ..self };
        let ended = match holding(last.as_ref(), request.now).filter(|_| !loads) {
            Some(board) if !seen.has_gone_in(request) => seen.outside(board, request.now),
            _ if kind.renews() => seen.goes_in(last),
            _ => seen,
        };
        ended.without_duty_at_the_origin()
    }

    /// The ticket that is left where this board says that the number has ended, or that its turn has passed.
    fn ended_by(&self, board: &Board, request: &Request<'_>) -> Option<(Ticket, Board)> {
        let (ticket, now) = (&self.ticket, request.now);
        let has_gone_in = || self.has_gone_in(request);
        let left = if ticket.is_ended_by(board, has_gone_in) {
            outside(ticket.clone(), now)
        } else if self.has_missed_turn(board, request) {
            anew_with(ticket, Notice::TurnOver, now)
        } else {
            return None;
        };
        Some((left, board.clone()))
    }

    /// Whether a visitor who was told of the turn has let it pass. Under a cap a session has begun with the turn, and ends by itself.
    /// At an origin that fails a visitor comes in time again and again.
    fn has_missed_turn(&self, board: &Board, request: &Request<'_>) -> bool {
        let TicketStage::Admitted {
            at, session: None, ..
        } = self.ticket.stage
        else {
            return false;
        };
        let of_lane = board.of(self.ticket.lane);
        let number = self.ticket.place().and_then(|place| of_lane.number(place));
        let turn = request.room.turn_minutes.saturating_mul(60);
        let is_late = request.now.secs() >= at.saturating_add(turn);
        is_late
            && number.is_some_and(|number| of_lane.is_over(number))
            && !self.has_gone_in(request)
    }

    fn has_gone_in(&self, request: &Request<'_>) -> bool {
        has_gone_in(&self.ticket, request.pop)
    }

    fn outside(self, board: Board, now: Now) -> Self {
        let end = match board.mode() {
            Mode::Closed => VisitOutcome::Closed,
            Mode::Automatic | Mode::Hold | Mode::Open => VisitOutcome::Called,
        };
        Self {
            end,
            must_sign: self.must_sign || self.ticket.is_to_be_renewed(now),
            board: Some(board),
            ..self
        }
    }

    fn goes_in(self, last: Option<CachedBoard>) -> Self {
        let ticket = Ticket {
            called: false,
            ..self.ticket
        };
        Self {
            ticket,
            must_sign: true,
            board: last.and_then(|last| last.board),
            way_in: WayIn::Called,
            ..self
        }
    }

    /// The same visitor, called and not yet inside: for one who meets an origin that fails.
    #[must_use]
    pub fn rescued(&self, last: Option<Board>, now: Now) -> Option<Self> {
        let board = self.board.clone().or(last)?;
        if self.way_in == WayIn::NoStore || self.position().is_none() {
            return None;
        }
        let mut ticket = Ticket {
            called: true,
            ..self.ticket.clone()
        };
        if let TicketStage::Admitted { at, .. } = &mut ticket.stage {
            *at = now.secs();
        }
        Some(Self {
            must_sign: true,
            board: Some(board),
            ..Self::unasked(VisitOutcome::Rescued, ticket, FollowUp::Nothing)
        })
    }
}

/// Whether a called visitor stays outside while no configuration can be read, by the last board alone.
pub(crate) fn is_kept_out(held: &Ticket, pop: &dyn Pop, now: Now) -> bool {
    held.called && holding(pop.last().as_ref(), now).is_some() && !has_gone_in(held, pop)
}

/// The last board, if it is of a room that admits no visitor: what an operator set holds until a newer board is known, the marker
/// of a sick origin no longer than it may stand.
fn holding(last: Option<&CachedBoard>, now: Now) -> Option<Board> {
    let last = last?;
    let age_ms = now.ms().abs_diff(last.read_ms);
    let board = last.board.clone()?;
    let may_be_sick = age_ms < LONGEST_MARKER_MS && board.is_held_by_origin();
    (!board.scheduled_mode().lets_in() || may_be_sick).then_some(board)
}
