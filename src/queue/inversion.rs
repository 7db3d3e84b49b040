//! Visitors who are let in while others wait whose turn was before theirs, by the rule that let them pass.
//!
//! Invariant: whether a visitor passes others follows from the number and the board by which it goes in, and not from the reason for
//! which the request is counted. Within one line no rule lets a visitor pass.

use super::{Board, Lane, Position, Verdict, words};

words! {
    /// What let a visitor pass.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Inversion {
        /// An invitation, past the line.
        Invitation = "invitation",
        /// A number of the front lane, while visitors of other lines wait.
        Front = "front",
        /// A number of one region's line, while visitors of another one wait.
        Region = "region",
        /// The policy for the time when the store does not answer.
        WithoutStore = "without_store",
        /// An operator's own test ticket.
        Jump = "jump",
        /// None.
        Unexplained = "unexplained",
    }
}

impl Inversion {
    /// Whether a visitor who goes in with this number of a lane passes others by this board.
    #[must_use]
    pub fn by_number(position: Position, lane: Lane, board: &Board) -> Option<Self> {
        if !is_called(position, lane, board) {
            return Some(Self::Unexplained);
        }
        Self::by_lane(lane, board)
    }

    /// Whether a visitor whose number of this lane was called passes those of other lines. Their numbers cannot be compared.
    #[must_use]
    pub fn by_lane(lane: Lane, board: &Board) -> Option<Self> {
        let in_regions = board.regions().map(|(_, of)| of.waiting());
        let in_lines = in_regions.fold(board.waiting_in_main(), u64::saturating_add);
        let others = match lane {
            Lane::Front => in_lines,
            Lane::Main | Lane::Region(_) => in_lines.saturating_sub(board.lane(lane).waiting()),
        };
        let passes = match lane {
            Lane::Front => Self::Front,
            Lane::Main | Lane::Region(_) => Self::Region,
        };
        (others > 0).then_some(passes)
    }

    /// Whether a visitor without a number passes others by this board, when this rule lets the visitor in.
    #[must_use]
    pub fn without_number(rule: Self, board: &Board) -> Option<Self> {
        (board.waiting() > 0).then_some(rule)
    }

    /// Whether a visitor who goes in by a rule that asks for no turn passes others: not where the turn had come.
    #[must_use]
    pub fn out_of_turn(
        rule: Self,
        position: Option<Position>,
        lane: Lane,
        board: &Board,
    ) -> Option<Self> {
        match position {
            Some(position) if is_called(position, lane, board) => None,
            Some(_) => Some(rule),
            None => Self::without_number(rule, board),
        }
    }
}

fn is_called(position: Position, lane: Lane, board: &Board) -> bool {
    board.of(lane).verdict(position) == Verdict::Admit
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::queue::{LaneState, Stretch};

    /// The main line, the front lane and the line of a region, each as cursor and length.
    fn board(main: (u64, u64), front: (u64, u64), west: (u64, u64)) -> Board {
        let other = |lane, cursor, length| LaneState {
            rolls: vec![Stretch::new(0, cursor, length)],
            ..LaneState::new(lane)
        };
        Board {
            rolls: vec![Stretch::new(0, main.0, main.1)],
            lanes: vec![
                other(Lane::Front, front.0, front.1),
                other(Lane::read("west").unwrap(), west.0, west.1),
            ],
            epoch: 1,
            ..Board::default()
        }
    }

    #[test]
    fn within_one_line_no_rule_lets_a_visitor_pass() {
        let board = board((5, 60), (0, 0), (0, 0));
        let passed = |number| Inversion::by_number(Position(number), Lane::Main, &board);
        assert_eq!([1, 5].map(passed), [None, None]);
        assert_eq!(passed(6), Some(Inversion::Unexplained));
    }

    #[test]
    fn a_lane_passes_where_another_line_waits() {
        let west = Lane::read("west").unwrap();
        let passed = |lane, board: &Board| Inversion::by_number(Position(3), lane, board);
        for (lane, board, expected) in [
            (
                Lane::Front,
                board((5, 60), (3, 9), (0, 0)),
                Some(Inversion::Front),
            ),
            (
                Lane::Front,
                board((5, 5), (3, 9), (2, 4)),
                Some(Inversion::Front),
            ),
            (Lane::Front, board((60, 60), (3, 9), (0, 0)), None),
            (Lane::Main, board((5, 60), (3, 9), (0, 0)), None),
            (
                Lane::Main,
                board((5, 60), (0, 0), (2, 4)),
                Some(Inversion::Region),
            ),
            (
                west,
                board((5, 60), (0, 0), (3, 4)),
                Some(Inversion::Region),
            ),
            (west, board((60, 60), (3, 9), (3, 4)), None),
            (
                west,
                board((60, 60), (0, 0), (2, 4)),
                Some(Inversion::Unexplained),
            ),
        ] {
            assert_eq!(passed(lane, &board), expected, "{lane:?} {board:?}");
        }
    }

    #[test]
    fn a_rule_that_asks_for_no_turn_passes_only_those_who_wait() {
        let passed = |number: Option<u64>, board: &Board| {
            Inversion::out_of_turn(Inversion::Jump, number.map(Position), Lane::Main, board)
        };
        let line = board((5, 60), (0, 0), (0, 0));
        let empty = board((60, 60), (1, 1), (0, 0));
        assert_eq!(passed(Some(5), &line), None, "the turn had come");
        assert_eq!(passed(Some(7), &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &empty), None);
    }
}
