//! A visitor's first contact while others wait, or while slots are scarce: a provisional ticket, and a number once it has come
//! back.
//!
//! What keeps no cookies, such as crawlers, link previews and monitors, then draws nothing in front of a line, and takes no more
//! than half of the slots.

use super::draw::draw;
use super::look::board_near;
use super::seen::{BoardRead, Look, Seen};
use super::{FollowUp, Visit, VisitOutcome};
use crate::cache::{BoardCache, CachedBoard};
use crate::queue::{Board, Enforcement, Mode, Phase};
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use crate::visitor::{Brought, Kind};

/// A visit by which no number is drawn, whatever the platform says of it.
pub(super) fn without_a_draw(kind: Kind, held: &Ticket, request: &Request<'_>) -> Option<Visit> {
    if kind == Kind::Prefetch {
        return Some(Visit::unasked(
            VisitOutcome::NotAVisitor,
            held.clone(),
            FollowUp::Nothing,
        ));
    }
    if kind.draws_for_holder()
        && let Some(after) = before_an_event(held, request)
    {
        return Some(Visit::unasked(VisitOutcome::Closed, held.clone(), after));
    }
    let is_challenged = || is_challenged(held, request) && held.invitation.is_none();
    if kind.draws_for_holder() && is_challenged() {
        return Some(Visit::unasked(
            VisitOutcome::Challenged,
            held.clone(),
            FollowUp::Nothing,
        ));
    }
    None
}

/// What the copy of the board decides by itself, without a look or a draw.
pub(super) fn by_the_copy(
    kind: Kind,
    held: &Ticket,
    brought: Brought,
    request: &Request<'_>,
) -> Option<Visit> {
    if kind == Kind::First
        && let Some(board) = asks_twice(request.pop)
    {
        return Some(Visit::provisional(held.clone(), board));
    }
    if brought == Brought::Nothing && !kind.may_draw() {
        let (board, after) = board_for_no_visitor(request);
        let is_open = board.as_ref().is_some_and(is_open);
        // It is no visitor, and is let in uncounted as the visitors are.
        let end = if is_open {
            VisitOutcome::Admitted
        } else {
            VisitOutcome::NotAVisitor
        };
        return Some(Visit::unasked(end, held.clone(), after));
    }
    None
}

/// Whether a ticket was challenged and has not waited long enough. In an open room, and in front of a closed one, there is nothing
/// to calculate for.
fn is_challenged(held: &Ticket, request: &Request<'_>) -> bool {
    let room = request.room;
    (room.network_bound.enforcement == Some(Enforcement::On) || room.signals.challenges())
        && held.challenged_for(request.now).is_some()
        && gives_numbers(request.pop)
}

/// Whether a number is a place in a line, as far as this data centre knows: not in an open room, and a closed one gives none.
pub(super) fn gives_numbers(pop: &dyn BoardCache) -> bool {
    let last = pop.last().and_then(|last| last.board);
    let mode = last.map_or(Mode::Automatic, |board| board.scheduled_mode());
    matches!(mode, Mode::Automatic | Mode::Hold)
}

/// The board, if visitors wait or slots are scarce by the last one that this data centre knows. Otherwise, and where it knows none,
/// a number is drawn at once: a line that has not begun cannot be made longer in front of other visitors.
fn asks_twice(pop: &dyn BoardCache) -> Option<Board> {
    let board = pop.last()?.board?;
    (has_line(&board) || are_slots_scarce(&board)).then_some(board)
}

/// More than half of them are taken, where a cap holds visitors back.
fn are_slots_scarce(board: &Board) -> bool {
    let cap = board.sessions.as_ref();
    let cap = cap.filter(|cap| cap.enforcement == Enforcement::On);
    board.live.mode == Mode::Automatic
        && cap.is_some_and(|cap| cap.free().saturating_mul(2) < cap.total_active)
}

/// An open room lets everybody in, and in front of a closed one there is no number to be had.
fn has_line(board: &Board) -> bool {
    matches!(board.scheduled_mode(), Mode::Automatic | Mode::Hold) && board.waiting() > 0
}

fn is_open(board: &Board) -> bool {
    board.scheduled_mode() == Mode::Open
}

/// The board for a request that draws nothing, and what is left to do. An open room is open to it also where no visitor asks and
/// renews the copy, so it goes by the last board. Where that is older than one for visitors inside may be, it is renewed: afterwards, or
/// before the answer where it says that the room is open, since it may have been closed elsewhere. That is a call in nine seconds for
/// all. A data centre that knows no board makes none.
fn board_for_no_visitor(request: &Request<'_>) -> (Option<Board>, FollowUp) {
    let pop = request.pop;
    let fresh = pop
        .peek()
        .filter(|copy| !copy.is_old && copy.board.is_some());
    match fresh.or_else(|| pop.last()) {
        Some(last) if last.is_young(request.now) => (last.board, FollowUp::Nothing),
        Some(last) if last.board.as_ref().is_some_and(is_open) => {
            let looked = board_near(request);
            let young = looked.copy.filter(|copy| copy.is_young(request.now));
            (young.and_then(|copy| copy.board), looked.after)
        }
        Some(last) => (last.board, FollowUp::Look),
        None => (None, FollowUp::Nothing),
    }
}

/// Where an event has not begun no number is drawn, and the visitor's request does not ask the store. Until a board has told the time
/// of the store, the clock of the POP counts, and the store has the last word where that is fast. Once a minute a request asks it afterwards, for all: an operator
/// may have brought the event forward. Where no event is configured a waiting ticket is looked up anyway.
fn before_an_event(held: &Ticket, request: &Request<'_>) -> Option<FollowUp> {
    let is_waiting = matches!(held.stage, TicketStage::Waiting(_));
    if is_waiting && request.room.events.is_empty() {
        return None;
    }
    let (_, phase) = request.event()?;
    (phase == Phase::Before).then(|| match request.pop.last() {
        Some(last) if last.is_fresh_before_an_event(request.now) => FollowUp::Nothing,
        _ => FollowUp::Look,
    })
}

/// Draws, and tells the data centre where it did not know whether visitors wait. What it remembers brings the line back
/// when the store loses it, so it has to know of every number drawn here.
pub(super) fn draw_and_tell(held: &Ticket, request: &Request<'_>) -> Look {
    let pop = request.pop;
    let look = draw(held, request);
    if let Seen::Board(seen) = &look.seen
        && let BoardRead {
            board,
            position: Some(_),
            ..
        } = &**seen
    {
        let copy = CachedBoard::drawn(board.clone(), request.now, pop.last().as_ref());
        let had_line = pop.last().and_then(|last| last.board);
        if has_line(board) == had_line.is_some_and(|board| has_line(&board)) {
            pop.remember(&copy);
        } else {
            pop.put(&copy);
        }
    }
    look
}
