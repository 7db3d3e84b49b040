//! The straight line of one visit: ticket, the board near the visitor, at most one call to the store, verdict.
//!
//! Invariant: nobody costs more than one call before the answer; who is inside, or waits before a copy of the board,
//! costs none.

mod asked;
mod best;
mod called;
mod draw;
mod ending;
mod first;
mod inversion;
mod known;
mod look;
mod seen;
mod session;
mod signals;
mod tickets;
mod verdict;

use crate::cache::RefreshGuard;
use crate::queue::{
    AboveBound, Board, CountedRenewal, Cursor, Invited, Position, Signal, WaitingProof,
};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::ticket::{Grace, Ticket, TicketStage};
use crate::visitor::outcome::{TicketKept, VisitOutcome, WithoutStore};
use crate::visitor::store_health;
use crate::visitor::{Brought, Kind};
pub(crate) use best::best;
pub use called::WayIn;
pub(crate) use called::is_kept_out;
use draw::to_draw;
use ending::{decided, held_without_board};
use first::{by_the_copy, draw_and_tell, without_a_draw};
pub(crate) use known::{is_called_only, was_ended};
use look::WaitingVisitor;
use seen::{Look, Seen};
pub use session::Shared;
use session::{Inside, ended_by_look, kept_inside, looked_first};
pub(crate) use session::{outside_now, renewed_unsigned, still_inside};

use signals::{judged, kept_from_drawing};
use tickets::{anew_with, new_ticket, outside};

/// How a visit ended, and what is known from it.
pub struct Visit {
    /// Where the visitor stands now.
    pub end: VisitOutcome,
    /// What the visitor holds from now on.
    pub ticket: Ticket,
    /// Whether that differs from what came, so that it has to be signed.
    pub must_sign: bool,
    /// The board, if this visit saw it.
    pub board: Option<Board>,
    /// Whether that board is the last one known, since the store does not answer.
    pub is_old: bool,
    /// By what the visitor goes in, if this request is the one.
    pub way_in: WayIn,
    /// A session that this visit made longer, and that the store has not heard of.
    pub renewal: Option<CountedRenewal>,
    /// Whether more networks use the ticket than should.
    pub shared: Shared,
    /// What became of a draw above the bound of the visitor's network.
    pub above: Option<AboveBound>,
    /// What became of the invitation that the visitor brought.
    pub invited: Option<Invited>,
    /// What the platform said of a visitor who was about to draw.
    pub signals: Vec<Signal>,
    /// Why the store did not answer, if it did not.
    pub fault: Option<StoreError>,
    /// What is left to do once the visitor has been answered.
    pub after: FollowUp,
}

/// What is left to do once the visitor has been answered.
pub enum FollowUp {
    /// Nothing.
    Nothing,
    /// The copy of the board is to be renewed by this request.
    Refresh(RefreshGuard),
    /// There was no fresh copy: renew it unless somebody else does.
    Look,
}

impl From<Option<RefreshGuard>> for FollowUp {
    fn from(duty: Option<RefreshGuard>) -> Self {
        duty.map_or(Self::Nothing, Self::Refresh)
    }
}

/// Decides one visit. `ticket` has been verified; the request's random id becomes the id of a new one. Each ticket that is to
/// be signed says what the journal had reached by then.
#[must_use]
pub fn visit(kind: Kind, ticket: Option<Ticket>, request: &Request<'_>) -> Visit {
    let mut visit = visited(kind, ticket, request);
    if visit.must_sign {
        let seen = visit.board.as_ref().and_then(|board| board.head);
        let last = || request.pop.last_board()?.head;
        visit.ticket.head = seen.or_else(last).or(visit.ticket.head);
    }
    visit
}

/// Decides the visit; [`visit`] adds what the journal had reached. Visitors inside and polls come first, since they cost least.
fn visited(kind: Kind, ticket: Option<Ticket>, request: &Request<'_>) -> Visit {
    let Request { call, now, .. } = *request;
    let brought = Brought::of(ticket.as_ref(), now);
    let held = match ticket {
        Some(ticket) if brought == Brought::Ticket => ticket,
        lapsed => new_ticket(lapsed, &call.id, now),
    };
    let held = if held.is_inside(now) {
        match inside(kind, held, request) {
            Ok(visit) => return *visit,
            Err(left) => *left,
        }
    } else {
        held
    };
    match held.stage {
        TicketStage::Waiting(proof) if kind == Kind::Poll => poll_in_line(held, proof, request),
        _ => draws_or_looks(kind, held, brought, request),
    }
}

/// A visitor inside stays there, or is left with this ticket outside.
fn inside(kind: Kind, held: Ticket, request: &Request<'_>) -> Result<Box<Visit>, Box<Ticket>> {
    let (pop, now) = (request.pop, request.now);
    let look = looked_first(kind, &held, request);
    if let Some((ticket, board)) = ended_by_look(&held, look.as_ref(), request) {
        // No number is drawn by the same request: that would be another call.
        return Ok(Box::new(Visit {
            after: look.map_or(FollowUp::Nothing, |look| look.after),
            ..Visit::provisional(ticket, board)
        }));
    }
    let Some(after) = still_inside(&held, pop, now) else {
        return Err(Box::new(outside(held, now)));
    };
    match kept_inside(kind, &held, request) {
        Ok(inside) => {
            let visit = Visit::inside(held, &inside, after);
            Ok(Box::new(visit.held_back_or_in(kind, look, request)))
        }
        Err(over) => Err(Box::new(anew_with(&held, over, now))),
    }
}

/// A visitor outside, by a request that may draw a number or for which none is drawn.
fn draws_or_looks(kind: Kind, held: Ticket, brought: Brought, request: &Request<'_>) -> Visit {
    if let Some(visit) = without_a_draw(kind, &held, request) {
        return visit;
    }
    let judged = judged(kind, &held, brought, request);
    let kept = kept_from_drawing(&judged, &held, request);
    let visit = kept.unwrap_or_else(|| seen_or_drawn(kind, held, brought, request));
    Visit {
        signals: judged.seen,
        ..visit
    }
}

/// The board or the store says where the visitor stands, and gives a number where there is none.
fn seen_or_drawn(kind: Kind, mut held: Ticket, brought: Brought, request: &Request<'_>) -> Visit {
    if let Some(visit) = by_the_copy(kind, &held, brought, request) {
        return visit;
    }
    let mut look: Look = match held.stage {
        TicketStage::Waiting(proof) => WaitingVisitor::new(kind, &held, proof, request).look(),
        _ => Seen::TicketOver.into(),
    };
    if matches!(look.seen, Seen::TicketOver | Seen::SessionEnded) && kind.draws(brought) {
        held = to_draw(held, &look.seen, request.pop, request.now);
        look = draw_and_tell(&held, request);
    }
    concluded(kind, held, brought, look, request)
}

/// A visitor with a number who only asks where they stand.
fn poll_in_line(held: Ticket, proof: WaitingProof, request: &Request<'_>) -> Visit {
    let look = WaitingVisitor::new(Kind::Poll, &held, proof, request).look();
    concluded(Kind::Poll, held, Brought::Ticket, look, request)
}

/// How the visit ends, by what was seen.
fn concluded(
    kind: Kind,
    held: Ticket,
    brought: Brought,
    look: Look,
    request: &Request<'_>,
) -> Visit {
    let Look { seen, after } = look;
    let ended = match seen {
        Seen::Board(seen) => decided(held, *seen, after, request),
        Seen::Nothing(fault) => held_without_board(held, brought, fault, request.now, after),
        Seen::TicketOver | Seen::SessionEnded => {
            return Visit::unasked(VisitOutcome::NotAVisitor, held, after);
        }
    };
    let ended = match ended.end {
        VisitOutcome::Admitted if !kind.renews() => ended.or_called(request),
        VisitOutcome::Full if kind == Kind::Poll => ended.or_offered(request),
        _ => ended,
    };
    ended.or_let_in(request).without_duty_at_the_origin()
}

impl Visit {
    /// What its holder can quote to support; nothing for a visitor who holds no ticket after this.
    #[must_use]
    pub fn reference(&self) -> Option<String> {
        let is_kept = match self.end.row().ticket {
            TicketKept::Yes => true,
            TicketKept::WithNumber => self.ticket.position().is_some(),
            TicketKept::No => false,
        };
        is_kept.then(|| self.ticket.reference())
    }

    /// A visitor who was let in before.
    fn inside(held: Ticket, inside: &Inside, after: FollowUp) -> Self {
        Self {
            shared: inside.shared,
            must_sign: inside.is_renewed(),
            renewal: inside.renewal,
            ..Self::unasked(VisitOutcome::Admitted, inside.ticket(held), after)
        }
    }

    /// A first contact, decided from the copy of the board alone.
    fn provisional(ticket: Ticket, board: Board) -> Self {
        Self {
            must_sign: true,
            board: Some(board),
            ..Self::unasked(VisitOutcome::Provisional, ticket, FollowUp::Nothing)
        }
    }

    /// Where the board stands in the visitor's lane.
    #[must_use]
    pub fn cursor(&self) -> Option<Cursor> {
        let board = self.board.as_ref()?;
        let of_lane = board.of(self.ticket.lane);
        let position = self.position();
        Some(position.map_or_else(|| of_lane.cursor(), |position| of_lane.cursor_for(position)))
    }

    /// The visitor's position in the lane, by the board: behind the numbers of older rolls. Without one, the number on the ticket.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        match &self.board {
            Some(board) => self.ticket.position_by(board),
            None => self.ticket.position(),
        }
    }

    /// Decided from the ticket alone.
    fn unasked(end: VisitOutcome, ticket: Ticket, after: FollowUp) -> Self {
        Self {
            end,
            ticket,
            must_sign: false,
            board: None,
            is_old: false,
            way_in: WayIn::Board,
            renewal: None,
            shared: Shared::No,
            above: None,
            invited: None,
            signals: Vec::new(),
            fault: None,
            after,
        }
    }

    /// A visitor who waits only because the store cannot say how far the line is goes in where the rules allow that, for
    /// `admit_for` seconds, and is back in the old place afterwards.
    fn or_let_in(self, request: &Request<'_>) -> Self {
        let is_held = match self.end.row().without_store {
            WithoutStore::AfterFault => self.fault.is_some(),
            WithoutStore::ByOldBoard => self.is_old,
            WithoutStore::No => false,
        };
        if !is_held {
            return self;
        }
        let known = || request.pop.last().and_then(|last| last.board);
        let board = self.board.clone().or_else(known);
        if !store_health::lets_in(board.as_ref(), request) {
            return self;
        }
        let grace = Grace {
            until: (request.now.secs()).saturating_add(request.config.outage.admit_for),
            epoch: board.map(|board| board.visits_epoch),
        };
        Self {
            end: VisitOutcome::Admitted,
            must_sign: true,
            way_in: WayIn::NoStore,
            fault: self.fault.or(Some(StoreError::NotAsked)),
            ticket: Ticket {
                grace: Some(grace),
                ..self.ticket
            },
            ..self
        }
    }

    /// The origin may take long to answer, and no other visitor should be without a board until then: the request that goes
    /// in hands the duty on, and looks afterwards whether another one took it.
    fn without_duty_at_the_origin(self) -> Self {
        let after = match (self.end, self.after) {
            (VisitOutcome::Admitted, FollowUp::Refresh(_)) => FollowUp::Look,
            (_, after) => after,
        };
        Self { after, ..self }
    }
}
