//! The lanes of a line: the main line, where visitors draw numbers as they come, the lines of regions, and the front lane, whose
//! numbers invitations open.
//!
//! What each lane gets of a release is the store's rule (`store/lua/release.lua`, `store/lua/shares.lua`).

use super::{Birth, Board, Cursor, Pace, RegionLine, RegionName, Sessions, WaitingProof};
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Where a number was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
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

impl TryFrom<String> for Lane {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::read(&name).ok_or("no lane")
    }
}

/// The numbers of the front lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct FrontLane {
    /// The last number admitted.
    pub cursor: Cursor,
    /// Numbers drawn.
    pub length: u64,
    /// The most numbers that were drawn in the last four seconds.
    pub recent: u64,
}

impl FrontLane {
    /// What is accepted as its share in what the pace lets in, in percent; 0: there is no front lane.
    pub const SHARE: RangeInclusive<u64> = 0..=50;

    /// How many visitors wait in it.
    #[must_use]
    pub fn waiting(self) -> u64 {
        super::waiting(self.length, self.cursor)
    }
}

impl Board {
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

    /// The board as visitors of this lane read it. The numbers of a region and of the front lane do not move, no lot orders them, and
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
            logged: None,
            text: String::new(),
            over: self.over.of(lane),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_is_read_as_it_was_written() {
        let west = RegionName::read("west").map(Lane::Region);
        for lane in [Lane::Main, Lane::Front].into_iter().chain(west) {
            assert_eq!(Lane::named(lane.name()), Some(lane));
        }
        assert_eq!(Lane::named(Some("of a later version")), None);
    }
}
