//! Which ticket counts where a browser sends several of one visitor.
//!
//! Invariant: the order in which they came decides nothing (RFC 6265, 4.2.2). What the copy of the board says is over takes the place
//! of no ticket that still counts.

use super::session::counts_inside;
use crate::cache::Pop;
use crate::queue::{Board, Now, Position, TicketState, Verdict, WaitingProof};
use crate::ticket::{Ticket, TicketStage};
use std::cmp::Reverse;

/// What a ticket entitles to beside another one of the same visitor, the best first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    /// Its holder is inside.
    Inside,
    /// Its holder was called, and has not gone in.
    Called,
    /// A number: the fewer are ahead the better, then the smaller.
    Number(u64, Position),
    /// None so far, or one that has ended.
    NoNumber,
    /// Its time is over.
    Lapsed,
}

/// The best of these tickets, and of two that are worth the same the one that was signed last. A single ticket, which nearly every
/// visitor has, is not compared with any board.
#[must_use]
pub(crate) fn best(mut tickets: Vec<Ticket>, pop: &dyn Pop, now: Now) -> Option<Ticket> {
    if tickets.len() < 2 {
        return tickets.pop();
    }
    let board = pop.last_board();
    tickets.into_iter().min_by_key(|ticket| {
        let signed = Reverse(ticket.signed);
        (
            worth(ticket, board.as_ref(), pop, now),
            signed,
            ticket.id.clone(),
        )
    })
}

fn worth(ticket: &Ticket, board: Option<&Board>, pop: &dyn Pop, now: Now) -> Worth {
    let of_lane = board.map(|board| board.of(ticket.lane));
    if ticket.has_lapsed(now) {
        return Worth::Lapsed;
    } else if has_missed_its_turn(ticket, of_lane.as_deref()) {
        return Worth::NoNumber;
    } else if counts_inside(ticket, pop, now) {
        return if ticket.called {
            Worth::Called
        } else {
            Worth::Inside
        };
    }
    match ticket.stage {
        TicketStage::Waiting(WaitingProof { place, .. }) => match of_lane.as_deref() {
            Some(board) if TicketState::of(place, board) == TicketState::Ended => Worth::NoNumber,
            Some(board) => {
                let position = board.number(place).unwrap_or(place.position);
                let ahead = match board.verdict(position) {
                    Verdict::Admit => 0,
                    Verdict::Wait { ahead } => ahead.saturating_add(1),
                };
                Worth::Number(ahead, position)
            }
            None => Worth::Number(place.position.0, place.position),
        },
        TicketStage::Provisional { .. } | TicketStage::Admitted { .. } => Worth::NoNumber,
    }
}

/// Whether it was called so long ago that its turn is over. A session ends by itself.
fn has_missed_its_turn(ticket: &Ticket, board: Option<&Board>) -> bool {
    let is_outside = match ticket.stage {
        TicketStage::Admitted { session, .. } => ticket.called && session.is_none(),
        TicketStage::Waiting(_) | TicketStage::Provisional { .. } => true,
    };
    let place = ticket.place().filter(|_| is_outside);
    let number = board
        .zip(place)
        .and_then(|(board, place)| board.number(place));
    board
        .zip(number)
        .is_some_and(|(board, number)| board.is_over(number))
}
