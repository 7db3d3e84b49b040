//! Where a ticket stands by the board: by the copy in the POP, or by one call to the store.

use super::FollowUp;
use super::asked::once_a_second;
use super::known::{was_ended, was_ended_by};
use super::seen::{BoardRead, Look, Seen};
use crate::cache::outbox::Batch;
use crate::cache::session::{CLAIM_REPEATED_WITHIN, MAY_HAVE_BEGUN};
use crate::cache::{CachedBoard, Lookup, RefreshGuard};
use crate::queue::chance::Chance;
use crate::queue::{
    AboveBound, Board, Claim, Enforcement, Invited, LineAnswer, Mode, Now, Position, Renewal,
    TicketState, Verdict, WaitingProof,
};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::store::{Line, MayDraw};
use crate::ticket::{Notice, Ticket};
use crate::visitor::Kind;
use crate::visitor::store_health;

/// For how long a late visitor who may not ask for a slot does not ask again.
const LUCK_SECONDS: u64 = 10;

/// Seconds after signing during which a copy of the board need not know a number.
const SIGN_LAG_SECONDS: u64 = 10;

/// A visitor with a number who asks where they stand.
#[derive(Clone, Copy)]
pub(super) struct WaitingVisitor<'a> {
    pub(super) ticket: &'a Ticket,
    /// What the ticket says of the number.
    pub(super) proof: WaitingProof,
    kind: Kind,
    pub(super) request: &'a Request<'a>,
}

impl<'a> WaitingVisitor<'a> {
    /// The holder of this ticket.
    pub(super) fn new(
        kind: Kind,
        ticket: &'a Ticket,
        proof: WaitingProof,
        request: &'a Request<'a>,
    ) -> Self {
        Self {
            ticket,
            proof,
            kind,
            request,
        }
    }
}

impl WaitingVisitor<'_> {
    /// Where the visitor stands: for an update by what the sandbox has from before, where that is enough, else by the POP.
    pub(super) fn look(self) -> Look {
        self.by_sandbox_copy().unwrap_or_else(|| self.by_pop())
    }

    /// The sandbox's copy is enough for a poll while the visitor still waits. In every other case, and for pages, the POP's copy
    /// decides: a visitor who loads the page after a permit goes in.
    fn by_sandbox_copy(self) -> Option<Look> {
        if self.kind != Kind::Poll {
            return None;
        }
        let copy = self.request.pop.kept(self.request.now)?;
        if was_ended_by(&self.ticket.id, copy.board.as_ref(), self.request.pop) {
            return Some(Seen::SessionEnded.into());
        }
        let Authority::Copy(board, position) = self.trusted(copy) else {
            return None;
        };
        let seen = self.seen(*board, position);
        // By the cursor of this answer: the ticket may have seen it further on than what is kept.
        let waits = seen.board.of(self.ticket.lane).verdict(position) != Verdict::Admit;
        waits.then(|| Seen::Board(Box::new(seen)).into())
    }

    /// From the copy in the POP. Without one, this request reads the store for everybody who waits for it; and when ticket and copy
    /// contradict each other, it asks the store for itself.
    fn by_pop(self) -> Look {
        let pop = self.request.pop;
        let (copy, duty) = match pop.lookup() {
            Lookup::Miss(duty) => return self.for_all(duty),
            Lookup::Unavailable => return self.ask(Shown::PutUp),
            // Until the request that reads the board is done, the last one is better than none.
            Lookup::Timeout => (CachedBoard::last_known(pop), None),
            // The line of this ticket may still come back, and its ticket is evidence: it renews the copy with its question.
            Lookup::Hit(copy, Some(duty)) if self.is_awaited(&copy) => return self.for_all(duty),
            Lookup::Hit(copy, duty) => (*copy, duty),
        };
        if was_ended_by(&self.ticket.id, copy.board.as_ref(), pop) {
            return Seen::SessionEnded.then(duty);
        }
        let is_old = copy.is_old;
        let trusted = self.trusted(copy);
        if let Authority::Copy(board, position) = &trusted
            && !is_old
            && (self.brings_invitation() || self.may_claim(board, *position))
        {
            return match duty {
                // The copy is due: the claim renews it, and brings what was counted.
                Some(duty) => self.for_all(duty),
                // A visitor who waits on sees the copy next, and no more ahead than now.
                None if self.brings_invitation() => self.ask(Shown::PutUp),
                None => self.ask(Shown::Kept),
            };
        }
        match trusted {
            Authority::Copy(board, position) => {
                let seen = BoardRead {
                    is_old,
                    ..self.seen(*board, position)
                };
                Seen::Board(Box::new(seen)).then(duty)
            }
            Authority::Nobody => Seen::Nothing(is_old.then_some(StoreError::NoAnswer)).then(duty),
            Authority::Ended => Seen::TicketOver.then(duty),
            Authority::Store => self.ask(Shown::PutUp),
        }
    }

    /// Reads the store, and wakes the requests that wait for that.
    fn for_all(self, duty: RefreshGuard) -> Look {
        let Request { pop, now, .. } = *self.request;
        if was_ended(&self.ticket.id, pop) {
            return Seen::SessionEnded.then(FollowUp::Refresh(duty));
        }
        let batches = pop.next_batches();
        let visitor = self.redrawn();
        let asked = visitor.asks_store(&batches);
        let board = asked.as_ref().ok().map(|answer| answer.board.clone());
        let copy = CachedBoard::of(board, pop, now);
        match &asked {
            Ok(_) => {
                duty.renew(&copy);
                pop.acknowledge(&batches);
                store_health::answered(pop, now);
            }
            // The duty goes to the next request.
            Err(StoreError::NotAsked) => drop(duty),
            Err(fault) => {
                duty.renew(&copy);
                store_health::failed(pop, now, fault);
            }
        }
        match (asked, visitor.trusted(copy)) {
            (Ok(answer), _) => visitor.answered(answer),
            (Err(fault), Authority::Copy(board, position)) => {
                let seen = BoardRead {
                    fault: Some(fault),
                    is_old: true,
                    ..visitor.seen(*board, position)
                };
                Seen::Board(Box::new(seen)).into()
            }
            (Err(_), Authority::Ended) if !self.kind.draws_for_holder() => Seen::TicketOver.into(),
            (Err(fault), _) => Seen::Nothing(Some(fault)).into(),
        }
    }

    /// Asks the store itself, and lets the others see what it said.
    fn ask(self, shown: Shown) -> Look {
        if was_ended(&self.ticket.id, self.request.pop) {
            return Seen::SessionEnded.into();
        }
        let visitor = self.redrawn();
        let call = || visitor.asks_and_shows(shown);
        let asked = if self.brings_invitation() {
            once_a_second(self.ticket, self.request, call)
        } else {
            call()
        };
        match asked {
            Ok(answer) => visitor.answered(answer),
            Err(fault) => Seen::Nothing(Some(fault)).into(),
        }
    }

    fn asks_and_shows(self, shown: Shown) -> Result<LineAnswer, StoreError> {
        let Request { pop, now, .. } = *self.request;
        let asked = self.asks_store(&[]);
        match &asked {
            Ok(answer) => {
                let last = pop.last();
                let copy = CachedBoard::drawn(answer.board.clone(), now, last.as_ref());
                match shown {
                    Shown::PutUp => pop.put(&copy),
                    Shown::Kept => pop.remember(&copy),
                }
                store_health::answered(pop, now);
            }
            Err(fault) => store_health::failed(pop, now, fault),
        }
        asked
    }

    /// The one call of the store.
    fn asks_store(self, batches: &[Batch]) -> Result<LineAnswer, StoreError> {
        let (id, event) = (&self.ticket.id, self.ticket.event.as_ref());
        let may_draw = if self.kind.draws_for_holder() {
            MayDraw::Yes
        } else {
            MayDraw::No
        };
        let asked = (self.line()).look(id, self.proof, event, may_draw, batches);
        note_claim(id, &asked, self.request);
        asked
    }

    /// A poll leaves the invitation to the next page.
    fn line(&self) -> Line<'_> {
        let brought = self.ticket.invitation.as_deref();
        let brought = brought.filter(|_| self.kind.draws_for_holder());
        self.request.line_with(brought, self.ticket.lane)
    }

    /// Whether the store has to say what becomes of an invitation.
    fn brings_invitation(&self) -> bool {
        self.ticket.invitation.is_some() && self.line().invitation.is_some()
    }

    /// Whether the visitor comes for a slot: a poll asks for none.
    fn may_claim(&self, board: &Board, position: Position) -> bool {
        self.kind.renews() && has_a_claim(self.ticket, board, position, self.request)
    }

    fn is_awaited(&self, copy: &CachedBoard) -> bool {
        let board = copy.board.as_ref().filter(|_| !copy.is_old);
        board.is_some_and(|board| {
            let board = board.of(self.ticket.lane);
            TicketState::of(self.proof.place, &board) == TicketState::Awaited
        })
    }

    /// The same with the number that the lot gave, which the store compares, where the POP knows it.
    fn redrawn(self) -> Self {
        let known = self.request.pop.last_board();
        let redrawn = known.map(|board| board.of(self.ticket.lane).redrawn(self.proof));
        Self {
            proof: redrawn.unwrap_or(self.proof),
            ..self
        }
    }

    /// Who can say where this visitor stands, by a copy of the board.
    pub(super) fn trusted(self, copy: CachedBoard) -> Authority {
        let Self {
            ticket: held,
            proof,
            ..
        } = self;
        let now = self.request.now;
        // A ticket may be younger than the copy of the board, which then does not know its number yet.
        let is_young = now.secs() < held.signed.saturating_add(SIGN_LAG_SECONDS);
        let is_old = copy.is_old;
        let Some(board) = copy.board else {
            return Authority::Nobody;
        };
        let state = |board: &Board| TicketState::of(proof.place, &board.of(held.lane));
        match state(&board) {
            TicketState::Placed(position) => Authority::Copy(Box::new(board), position),
            TicketState::Awaited => Authority::Nobody,
            TicketState::Ended => Authority::Ended,
            TicketState::Ahead if is_old || is_young => {
                let board = board.seen_from(held.lane, proof);
                match state(&board) {
                    TicketState::Placed(position) => Authority::Copy(Box::new(board), position),
                    _ if is_old => Authority::Nobody,
                    _ => Authority::Store,
                }
            }
            TicketState::Ahead => Authority::Store,
        }
    }

    /// What the store itself says about the ticket.
    pub(super) fn answered(self, answer: LineAnswer) -> Look {
        let (lane, proof) = (self.ticket.lane, self.proof);
        if matches!(answer.invited, Some(Invited::In | Invited::Group)) {
            let seen = BoardRead::answered(answer);
            return Seen::Board(Box::new(seen)).into();
        }
        let (board, position) = (answer.board.of(lane), answer.position);
        let state = TicketState::of(proof.place, &board);
        let is_closed = board.scheduled_mode() == Mode::Closed;
        let is_new = position.is_some() || answer.above == Some(AboveBound::Challenged);
        let notice = match (state, position) {
            (TicketState::Placed(_), _) => None,
            // It had ended, and drew anew; or it would have, but for its network or the closed room.
            (TicketState::Ended | TicketState::Ahead, _) if is_new => Some(Notice::Anew),
            (TicketState::Ended, _) if is_closed => None,
            (TicketState::Ended, _) => return Seen::TicketOver.into(),
            (TicketState::Awaited | TicketState::Ahead, _) => {
                return Seen::Nothing(None).into();
            }
        };
        let placed = match state {
            TicketState::Placed(position) => Some((position, board.redrawn(proof).place.came)),
            TicketState::Ended | TicketState::Awaited | TicketState::Ahead => None,
        };
        let seen = BoardRead::answered(answer);
        let (position, came) = placed.map_or((seen.position, seen.came), |(position, came)| {
            (seen.position.map(|_| position), came)
        });
        let seen = BoardRead {
            notice,
            position,
            came,
            ..seen
        };
        Seen::Board(Box::new(seen)).into()
    }

    /// The board as this visitor sees it.
    fn seen(&self, board: Board, position: Position) -> BoardRead {
        BoardRead::from(board, self.ticket.lane, self.proof, position)
    }
}

/// Who can say where this ticket stands.
pub(super) enum Authority {
    Copy(Box<Board>, Position),
    Ended,
    Store,
    Nobody,
}

/// What becomes of the board that an answer shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// It is the copy from now on.
    PutUp,
    /// It is the last board that is known. The copy is left to the looks, which bring what was counted: claims come in
    /// crowds, and would keep it fresh.
    Kept,
}

/// Whether this visitor was called, and may find a slot now where a cap holds. Otherwise the copy is enough. A full room may be
/// full with this visitor's own session. Of late visitors a poll and the page that it loads are lucky together.
pub(super) fn has_a_claim(
    held: &Ticket,
    board: &Board,
    position: Position,
    request: &Request<'_>,
) -> bool {
    let board = board.of(held.lane);
    let is_called = board.verdict(position) == Verdict::Admit
        && board.mode().lets_in()
        && !board.is_over(position);
    let Some(cap) = board.sessions.as_ref().filter(|_| is_called) else {
        return false;
    };
    let holds_back = cap.enforcement == Enforcement::On && board.live.mode != Mode::Open;
    !holds_back
        || cap.is_worth_a_claim(board.has_lapsed(position), luck(held, request.now))
        || request.pop.session_end(&held.id).is_some()
}

/// The random number of a ticket for some seconds.
fn luck(held: &Ticket, now: Now) -> Chance {
    let span = now.secs() / LUCK_SECONDS;
    Chance::of(&format!("{} {span}", held.id))
}

/// The answer to a claim may be lost here or on the way to the visitor, who then asks again with the same ticket.
fn note_claim(id: &str, asked: &Result<LineAnswer, StoreError>, request: &Request<'_>) {
    let pop = request.pop;
    match asked {
        Ok(answer) => match (answer.claim, &answer.board.sessions) {
            (Some(Claim::Session(end)), Some(sessions)) => {
                let begun = Renewal { from: 0, to: end };
                pop.renew_session(id, begun, &request.network(), sessions.kept_for());
            }
            (Some(Claim::Full), _) => pop.forget_session(id),
            _ => {}
        },
        Err(StoreError::NoAnswer | StoreError::Garbled) if request.session_minutes().is_some() => {
            pop.renew_session(id, MAY_HAVE_BEGUN, "", CLAIM_REPEATED_WITHIN);
        }
        Err(_) => {}
    }
}

/// A look at the board near the visitor, whatever the ticket; and what is left to do.
pub(super) struct BoardLook {
    pub(super) copy: Option<CachedBoard>,
    pub(super) after: FollowUp,
}

/// The board near the visitor: a called visitor looks at it as a waiting one does, since the room may be on hold by now.
pub(super) fn board_near(request: &Request<'_>) -> BoardLook {
    let last = || request.pop.last();
    let (copy, after) = match request.pop.lookup() {
        Lookup::Hit(copy, duty) => (last().or(Some(*copy)), duty.into()),
        Lookup::Miss(duty) => (Some(store_health::renew(duty, request)), FollowUp::Nothing),
        Lookup::Timeout => (last(), FollowUp::Nothing),
        // Nothing near the visitor says whether the room is on hold.
        Lookup::Unavailable => {
            let asked = request.line().release_due(&[]).ok();
            let copy = CachedBoard::of(asked, request.pop, request.now);
            (Some(copy), FollowUp::Nothing)
        }
    };
    BoardLook { copy, after }
}
