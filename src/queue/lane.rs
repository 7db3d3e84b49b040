//! The lanes of a line: the main line, where visitors draw numbers as they come, the lines of regions, and the front lane, whose
//! numbers invitations open.
//!
//! Invariant: while visitors of the main line wait, the front lane has at most its share of what the pace lets in, rounded up once
//! and not with each period. `store/lua/release.lua` has the same rule.

use super::{Birth, Cursor, Pace, RegionLine, RegionName, Sessions, Sign, WaitingProof};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Where a number was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lane {
    /// In the main line.
    #[default]
    Main,
    /// In the front lane.
    Front,
    /// In the line of a region.
    Region(RegionName),
}

impl Lane {
    /// As the store and tickets write it; the main line is not written.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Main => None,
            Self::Front => Some("front"),
            Self::Region(name) => Some(name.as_str()),
        }
    }

    /// The one that was written so, if there is one.
    #[must_use]
    pub fn read(name: &str) -> Option<Self> {
        match name {
            "front" => Some(Self::Front),
            name => RegionName::read(name).map(Self::Region),
        }
    }

    /// The same, where the main line is not written; a later version may write others.
    #[must_use]
    pub fn named(name: Option<&str>) -> Option<Self> {
        name.map_or(Some(Self::Main), Self::read)
    }
}

/// The numbers of the front lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FrontLane {
    /// The last number admitted.
    pub cursor: Cursor,
    /// Numbers drawn.
    pub length: u64,
    /// The most numbers that were drawn in the last four seconds.
    pub recent: u64,
}

impl FrontLane {
    /// How many visitors wait in it.
    #[must_use]
    pub fn waiting(self) -> u64 {
        super::waiting(self.length, self.cursor)
    }

    /// `cursor length recent`, as the store keeps it.
    #[must_use]
    pub fn written(self) -> String {
        format!("{} {} {}", self.cursor.0, self.length, self.recent)
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split(' ').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Self {
            cursor: Cursor(next()?),
            length: next()?,
            recent: next()?,
        })
    }
}

impl Sign {
    /// How many visitors wait in the front lane.
    #[must_use]
    pub fn waiting_in_front(&self) -> u64 {
        self.front.map_or(0, FrontLane::waiting)
    }

    /// How many visitors wait in the lines of regions.
    #[must_use]
    pub fn waiting_in_regions(&self) -> u64 {
        let waiting = self.regions.iter().map(RegionLine::waiting);
        waiting.fold(0, u64::saturating_add)
    }

    /// How many numbers regions have admitted and drawn, in all: neither falls within one birth.
    #[must_use]
    pub fn in_regions(&self) -> (u64, u64) {
        let numbers = self.regions.iter().map(|line| (line.cursor.0, line.length));
        numbers.fold((0, 0), |sum: (u64, u64), (cursor, length)| {
            (sum.0.saturating_add(cursor), sum.1.saturating_add(length))
        })
    }

    /// The line of this region.
    #[must_use]
    pub fn region(&self, name: RegionName) -> RegionLine {
        let found = self.regions.iter().find(|line| line.name == name);
        found.copied().unwrap_or(RegionLine::new(name))
    }

    /// The line of a region is this one from now on. They are kept in the order of their names.
    pub(super) fn put_region(&mut self, line: RegionLine) {
        let at = self.regions.partition_point(|known| known.name < line.name);
        match self.regions.get_mut(at) {
            Some(known) if known.name == line.name => *known = line,
            Some(_) | None => self.regions.insert(at, line),
        }
    }

    /// The sign as visitors of this lane read it. The numbers of a region and of the front lane do not move, no lot orders them, and
    /// the pace is not theirs alone; the rate of the front lane is not measured.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Cow<'_, Self> {
        let (cursor, length, measured) = match lane {
            Lane::Main => return Cow::Borrowed(self),
            Lane::Front => {
                let front = self.front.unwrap_or_default();
                (front.cursor, front.length, None)
            }
            Lane::Region(name) => {
                let region = self.region(name);
                (region.cursor, region.length, region.measured)
            }
        };
        let mut of_lane = Self {
            birth: Birth {
                splices: Vec::new(),
                ..self.birth.clone()
            },
            cursor,
            length,
            measured,
            head: None,
            lines: None,
            begun: None,
            front: None,
            regions: Vec::new(),
            sessions: self.sessions.clone().map(Sessions::of_another_lane),
            ..self.clone()
        };
        of_lane.live.pace = Pace::default();
        Cow::Owned(of_lane)
    }

    /// The same, where this ticket of the lane saw it further on. No visitor is moved back.
    #[must_use]
    pub fn seen_from(mut self, lane: Lane, place: WaitingProof) -> Self {
        let seen = place.cursor_at_draw;
        match lane {
            _ if place.born != self.birth.born => {}
            Lane::Main => self.cursor = self.cursor.max(seen),
            Lane::Front => {
                let front = self.front.get_or_insert_default();
                front.cursor = front.cursor.max(seen);
            }
            Lane::Region(name) => {
                let known = self.region(name);
                self.put_region(RegionLine {
                    cursor: known.cursor.max(seen),
                    ..known
                });
            }
        }
        self
    }
}

/// How many visitors wait in each lane, or how many of each go in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ByLane {
    /// In the main line, and in the lines of regions.
    pub main: u64,
    /// In the front lane.
    pub front: u64,
}

impl ByLane {
    /// In both.
    #[must_use]
    pub fn sum(self) -> u64 {
        self.main.saturating_add(self.front)
    }

    /// That many of them, the main line first.
    #[must_use]
    pub fn main_first(self, most: u64) -> Self {
        let main = self.main.min(most);
        Self {
            main,
            front: self.front.min(most - main),
        }
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self {
            main: self.main + others.main,
            front: self.front + others.front,
        }
    }

    /// Those that are left without these.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self {
            main: self.main - others.main,
            front: self.front - others.front,
        }
    }
}

/// The share of the front lane in what the pace lets in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrontShare {
    /// In percent; 0: there is no front lane.
    pub percent: u64,
    /// By how much the lane is ahead of its share since the main line was last empty, in hundredths of a visitor.
    pub over: u64,
}

impl FrontShare {
    /// What is accepted as the share, in percent.
    pub const PERCENT: RangeInclusive<u64> = 0..=50;

    /// How many visitors of each lane go in, and by how much the front lane is ahead of its share then. A lane gives back what it
    /// does not use.
    #[must_use]
    pub fn split(self, most: u64, waiting: ByLane) -> (ByLane, u64) {
        let most = most.min(waiting.sum());
        let due = self.percent.saturating_mul(most);
        let front = due.saturating_sub(self.over).div_ceil(100);
        let front = front.min(waiting.front);
        let main = waiting.main.min(most - front);
        let over = if main < waiting.main {
            (front.saturating_mul(100).saturating_add(self.over)).saturating_sub(due)
        } else {
            0
        };
        let front = most - main;
        (ByLane { main, front }, over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_lane(main: u64, front: u64) -> ByLane {
        ByLane { main, front }
    }

    fn split(percent: u64, most: u64, main: u64, front: u64) -> (u64, u64) {
        let share = FrontShare { percent, over: 0 };
        let (of, _) = share.split(most, by_lane(main, front));
        (of.main, of.front)
    }

    #[test]
    fn the_front_lane_has_its_share_and_each_lane_gives_back_what_it_does_not_use() {
        for (percent, most, main, front, expected) in [
            (10, 30, 50, 50, (27, 3)),
            (10, 30, 5, 50, (5, 25)),
            (10, 30, 50, 2, (28, 2)),
            (10, 30, 50, 0, (30, 0)),
            (10, 30, 0, 50, (0, 30)),
            (10, 5, 50, 50, (4, 1)),
            (10, 4, 50, 50, (3, 1)),
            (50, 5, 50, 50, (2, 3)),
            (10, 30, 4, 3, (4, 3)),
            (10, 0, 50, 50, (0, 0)),
            (0, 30, 50, 50, (30, 0)),
            (0, 30, 5, 50, (5, 25)),
        ] {
            let told = split(percent, most, main, front);
            assert_eq!(told, expected, "{percent} % of {most}: {main} and {front}");
        }
    }

    /// However the releases fall: the main line waits, and slots come one by one.
    #[test]
    fn over_many_releases_the_front_lane_has_its_share_rounded_up_once() {
        for (percent, most) in [(10, 1), (10, 5), (33, 1), (50, 1), (1, 7), (25, 3)] {
            let (mut share, mut all, mut front) = (FrontShare { percent, over: 0 }, 0, 0);
            for _ in 0..200 {
                let (of, over) = share.split(most, by_lane(1_000_000, 1_000_000));
                share.over = over;
                (all, front) = (all + most, front + of.front);
                assert_eq!(front, (all * percent).div_ceil(100), "{percent} % of {all}");
                assert!(of.main >= most - (most * percent).div_ceil(100));
            }
        }
    }

    #[test]
    fn an_empty_front_lane_banks_nothing_and_an_empty_main_line_is_owed_nothing() {
        let ahead = FrontShare {
            percent: 10,
            over: 90,
        };
        assert_eq!(ahead.split(1, by_lane(9, 0)), (by_lane(1, 0), 80));
        assert_eq!(ahead.split(30, by_lane(50, 0)), (by_lane(30, 0), 0));
        assert_eq!(ahead.split(5, by_lane(3, 9)), (by_lane(3, 2), 0));
        assert_eq!(ahead.split(0, by_lane(9, 9)), (by_lane(0, 0), 90));
        assert_eq!(ahead.split(u64::MAX, by_lane(u64::MAX, 1)).0.front, 1);
    }

    #[test]
    fn a_lane_is_read_as_it_was_written() {
        let lane = FrontLane {
            cursor: Cursor(3),
            length: 20,
            recent: 4,
        };
        assert_eq!(FrontLane::read(&lane.written()), Some(lane));
        for text in ["", "3 20", "3 x 4"] {
            assert_eq!(FrontLane::read(text), None, "{text}");
        }
        let west = RegionName::read("west").map(Lane::Region);
        for lane in [Lane::Main, Lane::Front].into_iter().chain(west) {
            assert_eq!(Lane::named(lane.name()), Some(lane));
        }
        assert_eq!(Lane::named(Some("of a later version")), None);
    }
}
