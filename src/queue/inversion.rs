//! Visitors who are let in while others wait whose turn was before theirs, by the rule that let them pass.
//!
//! Invariant: whether a visitor passes others follows from the number and the sign by which it goes in, and not from the reason for
//! which the request is counted. Within one line no rule lets a visitor pass.

use super::{Lane, Position, Sign, Verdict, decide};
use serde::Serialize;

/// What let a visitor pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Inversion {
    /// An invitation, past the line.
    Invitation,
    /// A number of the front lane, while visitors of other lines wait.
    Front,
    /// A number of one region's line, while visitors of another one wait.
    Region,
    /// The policy for the time when the store does not answer.
    WithoutStore,
    /// An operator's own test ticket.
    Jump,
    /// None.
    Unexplained,
}

impl Inversion {
    /// Every one, by its name in the log and among the metrics.
    pub const ALL: [(&'static str, Self); 6] = [
        ("invitation", Self::Invitation),
        ("front", Self::Front),
        ("region", Self::Region),
        ("without_store", Self::WithoutStore),
        ("jump", Self::Jump),
        ("unexplained", Self::Unexplained),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }

    /// Whether a visitor who goes in with this number of a lane passes others by this sign.
    #[must_use]
    pub fn by_number(position: Position, lane: Lane, sign: &Sign) -> Option<Self> {
        if !is_called(position, lane, sign) {
            return Some(Self::Unexplained);
        }
        Self::by_lane(lane, sign)
    }

    /// Whether a visitor whose number of this lane was called passes those of other lines. Their numbers cannot be compared.
    #[must_use]
    pub fn by_lane(lane: Lane, sign: &Sign) -> Option<Self> {
        let in_lines = sign.waiting_in_main() + sign.waiting_in_regions();
        let others = match lane {
            Lane::Main => sign.waiting_in_regions(),
            Lane::Front => in_lines,
            Lane::Region(name) => in_lines.saturating_sub(sign.region(name).waiting()),
        };
        let passes = match lane {
            Lane::Front => Self::Front,
            Lane::Main | Lane::Region(_) => Self::Region,
        };
        (others > 0).then_some(passes)
    }

    /// Whether a visitor without a number passes others by this sign, when this rule lets the visitor in.
    #[must_use]
    pub fn without_number(rule: Self, sign: &Sign) -> Option<Self> {
        (sign.waiting() > 0).then_some(rule)
    }

    /// Whether a visitor who goes in by a rule that asks for no turn passes others: not where the turn had come.
    #[must_use]
    pub fn out_of_turn(
        rule: Self,
        position: Option<Position>,
        lane: Lane,
        sign: &Sign,
    ) -> Option<Self> {
        match position {
            Some(position) if is_called(position, lane, sign) => None,
            Some(_) => Some(rule),
            None => Self::without_number(rule, sign),
        }
    }
}

fn is_called(position: Position, lane: Lane, sign: &Sign) -> bool {
    decide(position, sign.of(lane).cursor) == Verdict::Admit
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use crate::queue::{Birth, Cursor, FrontLane, Live, RegionLine, RegionName, TurnsOver};

    /// The main line, the front lane and the line of a region, each as cursor and length.
    fn sign(main: (u64, u64), front: (u64, u64), west: (u64, u64)) -> Sign {
        Sign {
            cursor: Cursor(main.0),
            length: main.1,
            front: Some(FrontLane {
                cursor: Cursor(front.0),
                length: front.1,
                recent: 0,
            }),
            over: TurnsOver::default(),
            regions: vec![RegionLine {
                cursor: Cursor(west.0),
                length: west.1,
                ..RegionLine::new(RegionName::read("west").unwrap())
            }],
            birth: Birth::default(),
            epoch: 1,
            credit: 0,
            measured: None,
            head: None,
            lines: None,
            logged: None,
            pops: None,
            sessions: None,
            origin: None,
            event: None,
            begun: None,
            live: Live::default(),
        }
    }

    #[test]
    fn within_one_line_no_rule_lets_a_visitor_pass() {
        let sign = sign((5, 60), (0, 0), (0, 0));
        let passed = |number| Inversion::by_number(Position(number), Lane::Main, &sign);
        assert_eq!([1, 5].map(passed), [None, None]);
        assert_eq!(passed(6), Some(Inversion::Unexplained));
    }

    #[test]
    fn a_lane_passes_where_another_line_waits() {
        let west = Lane::read("west").unwrap();
        let passed = |lane, sign: &Sign| Inversion::by_number(Position(3), lane, sign);
        for (lane, sign, expected) in [
            (
                Lane::Front,
                sign((5, 60), (3, 9), (0, 0)),
                Some(Inversion::Front),
            ),
            (
                Lane::Front,
                sign((5, 5), (3, 9), (2, 4)),
                Some(Inversion::Front),
            ),
            (Lane::Front, sign((60, 60), (3, 9), (0, 0)), None),
            (Lane::Main, sign((5, 60), (3, 9), (0, 0)), None),
            (
                Lane::Main,
                sign((5, 60), (0, 0), (2, 4)),
                Some(Inversion::Region),
            ),
            (west, sign((5, 60), (0, 0), (3, 4)), Some(Inversion::Region)),
            (west, sign((60, 60), (3, 9), (3, 4)), None),
            (
                west,
                sign((60, 60), (0, 0), (2, 4)),
                Some(Inversion::Unexplained),
            ),
        ] {
            assert_eq!(passed(lane, &sign), expected, "{lane:?} {sign:?}");
        }
    }

    #[test]
    fn a_rule_that_asks_for_no_turn_passes_only_those_who_wait() {
        let passed = |number: Option<u64>, sign: &Sign| {
            Inversion::out_of_turn(Inversion::Jump, number.map(Position), Lane::Main, sign)
        };
        let line = sign((5, 60), (0, 0), (0, 0));
        let empty = sign((60, 60), (1, 1), (0, 0));
        assert_eq!(passed(Some(5), &line), None, "the turn had come");
        assert_eq!(passed(Some(7), &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &line), Some(Inversion::Jump));
        assert_eq!(passed(None, &empty), None);
    }
}
