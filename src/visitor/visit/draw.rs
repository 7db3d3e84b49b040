//! A number for a visitor who has none; in front of a closed room there is none to be had, and a crowd there costs the
//! store no more than one that waits.

use super::asked::once_a_second;
use super::known::was_ended;
use super::seen::{BoardRead, Look, Seen};
use super::tickets::{anew, anew_with};
use crate::cache::{CachedBoard, LastBoard, Lookup, Pop};
use crate::queue::chance::Chance;
use crate::queue::{Board, Lane, LineAnswer, Mode, Now};
use crate::request::Request;
use crate::store::Line;
use crate::store::upstash::StoreError;
use crate::ticket::{Notice, Ticket, TicketStage};
use crate::visitor::store_health::Draws;

pub(super) fn draw(held: &Ticket, request: &Request<'_>) -> Look {
    match request.pop.last().and_then(closed) {
        Some(last) => draw_where_it_was_closed(held, last, request),
        None => draw_or_wait(held, request).into(),
    }
}

/// One call to the store, or none: after draws of this data centre have failed, few may try.
fn draw_or_wait(held: &Ticket, request: &Request<'_>) -> Result<BoardRead, StoreError> {
    let drawn = once_a_second(held, request, || call_or_wait(held, request));
    drawn.map(BoardRead::answered)
}

fn call_or_wait(held: &Ticket, request: &Request<'_>) -> Result<LineAnswer, StoreError> {
    let draws = Draws::new(request.pop, request.now, Chance::of(&request.call.id));
    if !draws.are_let() {
        return Err(StoreError::NotAsked);
    }
    let line = request.line_with(held.invitation.as_deref(), held.lane);
    let effort = held.effort(request.now);
    let answer = Line { effort, ..line }.join(&held.id);
    match &answer {
        Ok(_) => draws.succeeded(),
        Err(fault) => draws.failed(fault),
    }
    answer
}

/// The room was closed when a visitor last looked, which is a while ago. One request draws for all: it gets a number if
/// the room is open again, and if not, it brings the board that says so. Either way that is one call.
fn draw_where_it_was_closed(held: &Ticket, last: Board, request: &Request<'_>) -> Look {
    match request.pop.lookup() {
        Lookup::Hit(copy, duty) => match closed(*copy) {
            Some(board) => closed_room(board).then(duty),
            None => draw_or_wait(held, request).into(),
        },
        Lookup::Miss(duty) => {
            let drawn = draw_or_wait(held, request);
            let board = drawn.as_ref().ok().map(|seen| seen.board.clone());
            duty.renew(&CachedBoard::of(board, request.pop, request.now));
            // The room is closed as far as is known here, so this visitor reads that, and the log says why.
            let seen = drawn.unwrap_or_else(|fault| BoardRead {
                fault: Some(fault),
                ..BoardRead::new(last, None)
            });
            Seen::Board(Box::new(seen)).into()
        }
        Lookup::Timeout => closed_room(last).into(),
        Lookup::Unavailable => draw_or_wait(held, request).into(),
    }
}

fn closed_room(board: Board) -> Seen {
    Seen::Board(Box::new(BoardRead::new(board, None)))
}

fn closed(copy: CachedBoard) -> Option<Board> {
    copy.board
        .filter(|board| board.scheduled_mode() == Mode::Closed)
}

/// The ticket that draws in the place of one that has ended, or of one without a number.
pub(super) fn to_draw(held: Ticket, ended: &Seen, pop: &dyn Pop, now: Now) -> Ticket {
    if matches!(ended, Seen::SessionEnded) || was_ended(&held.id, pop) {
        anew_with(&held, Notice::SessionEnded, now)
    } else if held.position().is_some() {
        Ticket {
            lane: lane_of_lost(&held, pop),
            ..anew(held, now)
        }
    } else {
        let id = held.drawing_id(now);
        let lane = if id == held.id { held.lane } else { Lane::Main };
        Ticket { id, lane, ..held }
    }
}

/// Where a visitor draws whose line was lost: in the lane of the number that was. Not where all tickets were ended.
fn lane_of_lost(held: &Ticket, pop: &dyn LastBoard) -> Lane {
    match (held.stage, pop.last_board()) {
        (TicketStage::Waiting(proof), Some(board)) if !board.has_ended(proof.place.born) => {
            held.lane
        }
        _ => Lane::Main,
    }
}
