//! Who can say where a ticket stands: a copy of the board, or the store.

use super::look::{BoardRead, Look, Seen, WaitingVisitor};
use crate::cache::CachedBoard;
use crate::queue::{AboveBound, Board, Invited, LineAnswer, Mode, Position, TicketState};
use crate::ticket::Notice;

/// Seconds after signing during which a copy of the board need not know a number.
const SIGN_LAG_SECONDS: u64 = 10;

/// Who can say where this ticket stands.
pub(super) enum Authority {
    Copy(Box<Board>, Position),
    Ended,
    Store,
    Nobody,
}

impl WaitingVisitor<'_> {
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
        if matches!(answer.invited, Some(Invited::In | Invited::Front)) {
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
            (TicketState::Ended, _) => return Seen::Ended.into(),
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
}
