//! A number for a visitor who has none; in front of a closed room there is none to be had, and a crowd there costs the
//! store no more than one that waits.

use super::asked::once_a_second;
use super::look::{BoardRead, Look, Seen};
use crate::cache::{CachedBoard, Lookup};
use crate::queue::chance::Chance;
use crate::queue::{Board, LineAnswer, Mode};
use crate::request::Request;
use crate::store::Line;
use crate::store::upstash::StoreError;
use crate::ticket::Ticket;
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
