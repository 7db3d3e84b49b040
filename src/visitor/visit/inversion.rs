//! Whether a visitor who goes in passes others whose turn was before.

use super::{Visit, WayIn};
use crate::queue::{Board, Groups, Inversion, Invited, Reason};
use crate::ticket::TicketStage;

impl Visit {
    /// What let a visitor who goes in pass. A visitor whom no rule let pass counts with each request, the others when they go in.
    #[must_use]
    pub fn inversion(&self, reason: Reason, groups: &Groups) -> Option<Inversion> {
        let (position, lane) = (self.position(), self.ticket.lane);
        let passed = match (self.way_in, &self.board) {
            // No board says whether other visitors wait.
            (WayIn::NoStore, None) => Some(Inversion::WithoutStore),
            (WayIn::NoStore, Some(board)) => {
                Inversion::out_of_turn(Inversion::WithoutStore, position, lane, board)
            }
            (_, None) => None,
            // The board that called the visitor was looked at then, and may be newer than this one.
            (WayIn::Called, Some(board)) => match position {
                Some(_) => Inversion::by_lane(lane, groups, board),
                None => Inversion::without_number(Inversion::Invitation, board),
            },
            (WayIn::Board, Some(board)) => self.by_board(groups, board),
        };
        let is_first = matches!(
            reason,
            Reason::Admitted | Reason::Invited | Reason::AdmittedWithoutStore
        );
        passed.filter(|passed| is_first || *passed == Inversion::Unexplained)
    }

    /// The board that this request saw let the visitor in.
    fn by_board(&self, groups: &Groups, board: &Board) -> Option<Inversion> {
        let TicketStage::Admitted { position, .. } = self.ticket.stage else {
            return Inversion::without_number(Inversion::Unexplained, board);
        };
        match (position.and(self.position()), self.invited) {
            (Some(position), _) => Inversion::by_number(position, self.ticket.lane, groups, board),
            (None, Some(Invited::In)) => Inversion::without_number(Inversion::Invitation, board),
            (None, _) => Inversion::without_number(Inversion::Unexplained, board),
        }
    }
}
