//! Where a ticket stands by the board: by the copy in the POP, or by one call to the store.

use super::FollowUp;
use super::asked::once_a_second;
use super::authority::{Authority, answered, trusted};
use super::kept::by_kept;
use super::session::{was_ended, was_ended_by};
use crate::cache::session::{CLAIM_REPEATED_WITHIN, MAY_HAVE_BEGUN};
use crate::cache::{CachedBoard, LastBoard, Lookup, RefreshGuard};
use crate::queue::chance::Chance;
use crate::queue::{
    AboveBound, Board, Claim, Enforcement, Invited, Lane, LineAnswer, Mode, Now, Position, Price,
    Renewal, TicketState, Verdict, WaitingProof,
};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::store::{Line, MayDraw};
use crate::ticket::{Notice, Ticket};
use crate::visitor::Kind;
use crate::visitor::trouble;

/// For how long a late visitor who may not ask for a slot does not ask again.
const LUCK_SECONDS: u64 = 10;

/// What a look or a draw brought.
pub(super) struct BoardRead {
    /// What the visitor has to be told about the number, if anything.
    pub(super) notice: Option<Notice>,
    pub(super) board: Board,
    /// The number; none in front of a closed room.
    pub(super) position: Option<Position>,
    /// In which lane that number is.
    pub(super) lane: Lane,
    /// The number that the visitor drew, where a lot gave this one.
    pub(super) came: Option<Position>,
    /// What came of the question for a slot, where it was asked.
    pub(super) claim: Option<Claim>,
    /// What became of a draw above the bound of the visitor's network.
    pub(super) above: Option<AboveBound>,
    /// What a challenged visitor does for a number.
    pub(super) price: Option<Price>,
    /// What became of the invitation that the visitor brought.
    pub(super) invited: Option<Invited>,
    pub(super) is_old: bool,
    pub(super) fault: Option<StoreError>,
}

/// A look at the board, or a draw: what was seen, and what is left to do.
pub(super) struct Look {
    pub(super) seen: Seen,
    pub(super) after: FollowUp,
}

/// What a look or a draw says of a ticket.
pub(super) enum Seen {
    /// Where it stands.
    Board(Box<BoardRead>),
    /// The board cannot say: by the store's fault, or by none where the line may still come back.
    Nothing(Option<StoreError>),
    /// Its line or its epoch has ended: it is no ticket.
    Ended,
    /// Its session was ended, by the origin or an operator: it is a copy.
    SessionEnded,
}

impl Seen {
    /// The same with something left to do.
    pub(super) fn then(self, after: impl Into<FollowUp>) -> Look {
        let after = after.into();
        Look { seen: self, after }
    }
}

impl From<Seen> for Look {
    fn from(seen: Seen) -> Self {
        seen.then(FollowUp::Nothing)
    }
}

impl From<Result<BoardRead, StoreError>> for Look {
    fn from(answer: Result<BoardRead, StoreError>) -> Self {
        match answer {
            Ok(seen) => Seen::Board(Box::new(seen)).into(),
            Err(fault) => Seen::Nothing(Some(fault)).into(),
        }
    }
}

impl BoardRead {
    /// Fresh from the store, which does not know what number the lot gives: a visitor learns that number before claiming a slot.
    pub(super) fn answered(answer: LineAnswer) -> Self {
        let drawn = answer.position.filter(|_| answer.claim.is_none());
        let given = drawn.and_then(|number| answer.board.of(answer.lane).by_lot(number));
        Self {
            lane: answer.lane,
            claim: answer.claim,
            above: answer.above,
            price: answer.price,
            invited: answer.invited,
            came: drawn.filter(|_| given.is_some()),
            ..Self::new(answer.board, given.or(answer.position))
        }
    }

    /// Without a question for a slot.
    pub(super) fn new(board: Board, position: Option<Position>) -> Self {
        Self {
            notice: None,
            board,
            position,
            lane: Lane::Main,
            came: None,
            claim: None,
            above: None,
            price: None,
            invited: None,
            is_old: false,
            fault: None,
        }
    }

    /// From a copy. The ticket may have seen the board further on when it was drawn, and nobody is moved back.
    pub(super) fn from(board: Board, lane: Lane, proof: WaitingProof, position: Position) -> Self {
        let board = board.seen_from(lane, proof);
        let came = board.of(lane).redrawn(proof).place.came;
        Self {
            lane,
            came,
            ..Self::new(board, Some(position))
        }
    }
}

/// Where the board stands: for an update from what the sandbox has from before, where that is enough, else from the POP.
pub(super) fn look(held: &Ticket, proof: WaitingProof, kind: Kind, request: &Request<'_>) -> Look {
    by_kept(held, proof, kind, request).unwrap_or_else(|| look_in_pop(held, proof, kind, request))
}

/// From the copy in the POP. Without one, this request reads the store for everybody who waits for it; and when ticket and copy
/// contradict each other, it asks the store for itself.
fn look_in_pop(held: &Ticket, proof: WaitingProof, kind: Kind, request: &Request<'_>) -> Look {
    let (copy, duty) = match request.pop.lookup() {
        Lookup::Miss(duty) => return look_for_all(held, proof, kind, duty, request),
        Lookup::Unavailable => return ask(held, proof, kind, Shown::PutUp, request),
        // Until the request that reads the board is done, the last one is better than none.
        Lookup::Timeout => (CachedBoard::without_store(request.pop), None),
        // The line of this ticket may still come back, and its ticket is evidence: it renews the copy with its question.
        Lookup::Hit(copy, Some(duty)) if is_awaited(held, proof, &copy) => {
            return look_for_all(held, proof, kind, duty, request);
        }
        Lookup::Hit(copy, duty) => (*copy, duty),
    };
    if was_ended_by(&held.id, copy.board.as_ref(), request.pop) {
        return Seen::SessionEnded.then(duty);
    }
    let is_old = copy.is_old;
    let trusted = trusted(held, proof, copy, request.now);
    if let Authority::Copy(board, position) = &trusted
        && !is_old
        && (brings_invitation(held, kind, request)
            || kind.renews() && has_a_claim(held, board, *position, request))
    {
        return match duty {
            // The copy is due: the claim renews it, and brings what was counted.
            Some(duty) => look_for_all(held, proof, kind, duty, request),
            // A visitor who waits on sees the copy next, and no more ahead than now.
            None if brings_invitation(held, kind, request) => {
                ask(held, proof, kind, Shown::PutUp, request)
            }
            None => ask(held, proof, kind, Shown::Kept, request),
        };
    }
    match trusted {
        Authority::Copy(board, position) => {
            let seen = BoardRead {
                is_old,
                ..BoardRead::from(*board, held.lane, proof, position)
            };
            Seen::Board(Box::new(seen)).then(duty)
        }
        Authority::Nobody => Seen::Nothing(is_old.then_some(StoreError::NoAnswer)).then(duty),
        Authority::Ended => Seen::Ended.then(duty),
        Authority::Store => ask(held, proof, kind, Shown::PutUp, request),
    }
}

/// A poll leaves the invitation to the next page.
fn line<'a>(held: &'a Ticket, kind: Kind, request: &'a Request<'_>) -> Line<'a> {
    let brought = held.invitation.as_deref();
    request.line_with(brought.filter(|_| kind.draws_for_holder()), held.lane)
}

/// Whether the store has to say what becomes of an invitation.
fn brings_invitation(held: &Ticket, kind: Kind, request: &Request<'_>) -> bool {
    held.invitation.is_some() && line(held, kind, request).invitation.is_some()
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

fn is_awaited(held: &Ticket, proof: WaitingProof, copy: &CachedBoard) -> bool {
    let board = copy.board.as_ref().filter(|_| !copy.is_old);
    board.is_some_and(|board| {
        TicketState::of(proof.place, &board.of(held.lane)) == TicketState::Awaited
    })
}

/// Reads the store, and wakes the requests that wait for that.
pub(super) fn look_for_all(
    held: &Ticket,
    proof: WaitingProof,
    kind: Kind,
    duty: RefreshGuard,
    request: &Request<'_>,
) -> Look {
    let (pop, now) = (request.pop, request.now);
    if was_ended(&held.id, pop) {
        return Seen::SessionEnded.then(FollowUp::Refresh(duty));
    }
    let batches = pop.next_batches();
    let proof = redrawn(held, proof, pop);
    let asked = line(held, kind, request).look(
        &held.id,
        (proof, held.event.as_ref()),
        may_draw(kind),
        &batches,
    );
    note_claim(&held.id, &asked, request);
    let board = asked.as_ref().ok().map(|answer| answer.board.clone());
    let copy = CachedBoard::of(board, pop, now);
    match &asked {
        Ok(_) => {
            duty.renew(&copy);
            pop.acknowledge(&batches);
            trouble::answered(pop, now);
        }
        // The duty goes to the next request.
        Err(StoreError::NotAsked) => drop(duty),
        Err(fault) => {
            duty.renew(&copy);
            trouble::failed(pop, now, fault);
        }
    }
    match (asked, trusted(held, proof, copy, now)) {
        (Ok(answer), _) => answered(held.lane, proof, answer),
        (Err(fault), Authority::Copy(board, position)) => {
            let seen = BoardRead {
                fault: Some(fault),
                is_old: true,
                ..BoardRead::from(*board, held.lane, proof, position)
            };
            Seen::Board(Box::new(seen)).into()
        }
        (Err(_), Authority::Ended) if !kind.draws_for_holder() => Seen::Ended.into(),
        (Err(fault), _) => Seen::Nothing(Some(fault)).into(),
    }
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

/// Asks the store itself, and lets the others see what it said.
fn ask(
    held: &Ticket,
    proof: WaitingProof,
    kind: Kind,
    shown: Shown,
    request: &Request<'_>,
) -> Look {
    if was_ended(&held.id, request.pop) {
        return Seen::SessionEnded.into();
    }
    let proof = redrawn(held, proof, request.pop);
    let call = || call(held, proof, kind, shown, request);
    let asked = if brings_invitation(held, kind, request) {
        once_a_second(held, request, call)
    } else {
        call()
    };
    match asked {
        Ok(answer) => answered(held.lane, proof, answer),
        Err(fault) => Seen::Nothing(Some(fault)).into(),
    }
}

fn call(
    held: &Ticket,
    proof: WaitingProof,
    kind: Kind,
    shown: Shown,
    request: &Request<'_>,
) -> Result<LineAnswer, StoreError> {
    let (pop, now) = (request.pop, request.now);
    let asked =
        line(held, kind, request).look(&held.id, (proof, held.event.as_ref()), may_draw(kind), &[]);
    note_claim(&held.id, &asked, request);
    match &asked {
        Ok(answer) => {
            let last = pop.last();
            let copy = CachedBoard::drawn(answer.board.clone(), now, last.as_ref());
            match shown {
                Shown::PutUp => pop.put(&copy),
                Shown::Kept => pop.remember(&copy),
            }
            trouble::answered(pop, now);
        }
        Err(fault) => trouble::failed(pop, now, fault),
    }
    asked
}

/// The store compares the number that the lot gave, where the POP knows it.
fn redrawn(held: &Ticket, proof: WaitingProof, pop: &dyn LastBoard) -> WaitingProof {
    let known = pop.last_board();
    known.map_or(proof, |board| board.of(held.lane).redrawn(proof))
}

pub(super) fn may_draw(kind: Kind) -> MayDraw {
    if kind.draws_for_holder() {
        MayDraw::Yes
    } else {
        MayDraw::No
    }
}
