//! What a visit saw of the line: the board, what the store answered, or why neither says where the visitor stands.

use super::FollowUp;
use crate::queue::{
    AboveBound, Board, Claim, Invited, Lane, LineAnswer, Position, Price, WaitingProof,
};
use crate::store::upstash::StoreError;
use crate::ticket::Notice;

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
    TicketOver,
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
