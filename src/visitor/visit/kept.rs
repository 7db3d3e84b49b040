//! An update for a visitor who still waits by the board that the sandbox has from before.

use super::authority::{Authority, trusted};
use super::look::{BoardRead, Look, Seen};
use super::session::was_ended_by;
use crate::queue::{Verdict, WaitingProof};
use crate::request::Request;
use crate::ticket::Ticket;
use crate::visitor::Kind;

/// What the sandbox has from before is enough for an update that says what the one before said. All else the POP's copy decides,
/// and so does it for a page: who loads that after a permit goes in.
pub(super) fn by_kept(
    held: &Ticket,
    proof: WaitingProof,
    kind: Kind,
    request: &Request<'_>,
) -> Option<Look> {
    if kind != Kind::Poll {
        return None;
    }
    let copy = request.pop.kept(request.now)?;
    if was_ended_by(&held.id, copy.board.as_ref(), request.pop) {
        return Some(Seen::SessionEnded.into());
    }
    let Authority::Copy(board, position) = trusted(held, proof, copy, request.now) else {
        return None;
    };
    let seen = BoardRead::from(*board, held.lane, proof, position);
    // By the cursor of this answer: the ticket may have seen it further on than what is kept.
    let waits = seen.board.of(held.lane).verdict(position) != Verdict::Admit;
    waits.then(|| Seen::Board(Box::new(seen)).into())
}
