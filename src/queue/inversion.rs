//! Visitors who are let in while others wait whose turn was before theirs, by the rule that let them pass.
//!
//! Invariant: whether a visitor passes others follows from the number and the board by which it goes in, and not from the reason for
//! which the request is counted. Within one line no rule lets a visitor pass.

use super::{Board, Groups, Lane, Position, Verdict, words};

words! {
    /// What let a visitor pass.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Inversion {
        /// An invitation, past the line.
        Invitation = "invitation",
        /// A number of a priority group, while visitors of lower ranks wait.
        Group = "group",
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
    pub fn by_number(
        position: Position,
        lane: Lane,
        groups: &Groups,
        board: &Board,
    ) -> Option<Self> {
        if !is_called(position, lane, board) {
            return Some(Self::Unexplained);
        }
        Self::by_lane(lane, groups, board)
    }

    /// Whether a visitor whose number of this lane was called passes those of other lines. Their numbers cannot be compared.
    #[must_use]
    pub fn by_lane(lane: Lane, groups: &Groups, board: &Board) -> Option<Self> {
        if let Some(below) = groups.waiting_below(lane, board) {
            return (below > 0).then_some(Self::Group);
        }
        let in_regions = board.regions(groups).map(|(_, of)| of.waiting());
        let in_lines = in_regions.fold(board.waiting_in_main(), u64::saturating_add);
        (in_lines > board.lane(lane).waiting()).then_some(Self::Region)
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
    use crate::queue::{Group, LaneName, LaneState, Stretch};

    fn named(name: &str) -> Lane {
        Lane::read(name).unwrap()
    }

    /// A room with two groups, and a region.
    fn groups() -> Groups {
        let of = |name| Group {
            name: LaneName::read(name).unwrap(),
            share: 20,
        };
        Groups {
            list: ["vip", "press"].map(of).to_vec(),
        }
    }

    /// The main line, the two groups and the line of the region, each as cursor and length.
    fn board(main: (u64, u64), groups: [(u64, u64); 2], west: (u64, u64)) -> Board {
        let other = |name, (cursor, length)| LaneState {
            rolls: vec![Stretch::new(0, cursor, length)],
            ..LaneState::new(named(name))
        };
        Board {
            rolls: vec![Stretch::new(0, main.0, main.1)],
            lanes: vec![
                other("press", groups[1]),
                other("vip", groups[0]),
                other("west", west),
            ],
            epoch: 1,
            ..Board::default()
        }
    }

    #[test]
    fn within_one_line_no_rule_lets_a_visitor_pass() {
        let board = board((5, 60), [(0, 0); 2], (0, 0));
        let passed = |number| Inversion::by_number(Position(number), Lane::Main, &groups(), &board);
        assert_eq!([1, 5].map(passed), [None, None]);
        assert_eq!(passed(6), Some(Inversion::Unexplained));
    }

    #[test]
    fn a_lane_passes_where_a_lower_line_waits() {
        let passed = |name, board: &Board| {
            let lane = Lane::of_full_name(name).unwrap();
            Inversion::by_number(Position(3), lane, &groups(), board)
        };
        let (group, region) = (Some(Inversion::Group), Some(Inversion::Region));
        let unexplained = Some(Inversion::Unexplained);
        let (empty, none) = ((60, 60), (0, 0));
        for (lane, board, expected) in [
            ("vip", board((5, 60), [(3, 9), none], none), group),
            ("vip", board((5, 5), [(3, 9), none], (2, 4)), group),
            ("vip", board(empty, [(3, 9), (2, 4)], none), group),
            ("vip", board(empty, [(3, 9), none], none), None),
            ("press", board(empty, [(2, 4), (3, 9)], none), None),
            ("press", board((5, 60), [none, (3, 9)], none), group),
            ("main", board((5, 60), [(3, 9), (3, 9)], none), None),
            ("main", board((5, 60), [none; 2], (2, 4)), region),
            ("west", board((5, 60), [none; 2], (3, 4)), region),
            ("west", board(empty, [(3, 9), none], (3, 4)), None),
            ("west", board(empty, [none; 2], (2, 4)), unexplained),
        ] {
            assert_eq!(passed(lane, &board), expected, "{lane:?} {board:?}");
        }
    }

    #[test]
    fn a_rule_that_asks_for_no_turn_passes_only_those_who_wait() {
        let passed = |number: Option<u64>, board: &Board| {
            Inversion::out_of_turn(Inversion::Jump, number.map(Position), Lane::Main, board)
        };
        let line = board((5, 60), [(0, 0); 2], (0, 0));
        let empty = board((60, 60), [(1, 1), (0, 0)], (0, 0));
        assert_eq!(passed(Some(5), &line), None, "the turn had come");
        assert_eq!(passed(Some(7), &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &empty), None);
    }
}
