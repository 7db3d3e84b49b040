//! The lanes of a line: the main line, where visitors draw numbers as they come, the lines of regions, and the front lane, whose
//! numbers invitations open.
//!
//! What each lane gets of a release is the store's rule (`store/lua/release.lua`, `store/lua/shares.lua`).

use super::board::present;
use super::{
    Birth, Board, Cursor, Measured, Pace, Position, RegionName, Sessions, WaitingProof, waiting,
};
use serde::Deserialize;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// The name of the main line, where it is written.
const MAIN: &str = "main";

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

    /// Its name where the main line has one too, as the store's script and `/_queue/lot` have it.
    #[must_use]
    pub fn full_name(&self) -> &str {
        self.name().unwrap_or(MAIN)
    }

    /// The lane of this name, of which the main line has one too.
    #[must_use]
    pub fn of_full_name(name: &str) -> Option<Self> {
        Self::named(Some(name).filter(|name| *name != MAIN))
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

/// What is accepted as the share of the front lane in what the pace lets in, in percent; 0: there is no front lane.
pub const FRONT_SHARE: RangeInclusive<u64> = 0..=50;

/// The numbers of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct LaneState {
    /// Which lane.
    #[serde(rename = "name")]
    pub lane: Lane,
    /// The last number admitted.
    pub cursor: Cursor,
    /// Numbers drawn.
    pub length: u64,
    /// The most numbers that were drawn in the last four seconds.
    pub recent: u64,
    /// How fast it moved, while visitors were left waiting.
    #[serde(default, deserialize_with = "present")]
    pub measured: Option<Measured>,
    /// The last number whose visitor does not count for the window of the pace that follows the origin's answers; nothing while none
    /// counts.
    #[serde(default, deserialize_with = "present")]
    pub cut_at: Option<Cursor>,
    /// The last number whose promised slot was given back, under a cap.
    #[serde(default)]
    pub lapsed: Cursor,
}

impl LaneState {
    /// A lane without a number.
    #[must_use]
    pub fn new(lane: Lane) -> Self {
        Self {
            lane,
            cursor: Cursor(0),
            length: 0,
            recent: 0,
            measured: None,
            cut_at: None,
            lapsed: Cursor(0),
        }
    }

    /// The number of visitors who wait in it.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        waiting(self.length, self.cursor)
    }
}

impl Board {
    /// The numbers of this lane.
    #[must_use]
    pub fn lane(&self, lane: Lane) -> LaneState {
        if lane == Lane::Main {
            return LaneState {
                lane,
                cursor: self.cursor,
                length: self.length,
                recent: self.birth.recent,
                measured: self.measured,
                cut_at: self.origin.and_then(|origin| origin.cut_at),
                lapsed: (self.sessions.as_ref()).map_or(Cursor(0), |sessions| sessions.lapsed),
            };
        }
        let found = self.lanes.iter().find(|known| known.lane == lane);
        found.copied().unwrap_or(LaneState::new(lane))
    }

    /// The lanes of regions in which a number was drawn, by name.
    pub fn regions(&self) -> impl Iterator<Item = (RegionName, &LaneState)> {
        self.lanes.iter().filter_map(|of| match of.lane {
            Lane::Region(name) => Some((name, of)),
            Lane::Main | Lane::Front => None,
        })
    }

    /// How often the window was cut, where a visitor who is released with this number of a lane counts for it.
    #[must_use]
    pub fn window_of(&self, position: Position, lane: Lane) -> Option<u64> {
        let origin = self.origin.filter(|origin| origin.cut_at.is_some())?;
        // A lane without a number was cut before its first one.
        let cut_at = self.lane(lane).cut_at.unwrap_or(Cursor(0));
        (position.0 > cut_at.0).then_some(origin.cuts)
    }

    /// The sums of the cursors and of the lengths of all lanes: neither falls within one birth.
    #[must_use]
    pub fn in_all_lanes(&self) -> (u64, u64) {
        let others = self.lanes.iter();
        let numbers = others.map(|of| (of.cursor.0, of.length));
        numbers.fold(
            (self.cursor.0, self.length),
            |sum: (u64, u64), (cursor, length)| {
                (sum.0.saturating_add(cursor), sum.1.saturating_add(length))
            },
        )
    }

    /// The board as visitors of this lane read it. The numbers of another lane than the main one do not move, and the pace is not theirs
    /// alone.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Cow<'_, Self> {
        if lane == Lane::Main {
            return Cow::Borrowed(self);
        }
        let LaneState {
            cursor,
            length,
            measured,
            lapsed,
            ..
        } = self.lane(lane);
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
            begun: self.begun.as_ref().map(|begun| begun.of(lane)),
            lanes: Vec::new(),
            sessions: self
                .sessions
                .clone()
                .map(|sessions| Sessions { lapsed, ..sessions }),
            ..self.clone()
        };
        of_lane.live.pace = Pace::default();
        Cow::Owned(of_lane)
    }

    /// The same, where this ticket of the lane saw it further on. No visitor is moved back.
    #[must_use]
    pub fn seen_from(mut self, lane: Lane, place: WaitingProof) -> Self {
        let seen = place.cursor_at_draw;
        if place.born != self.birth.born {
            return self;
        }
        let known = self.lanes.iter_mut().find(|known| known.lane == lane);
        match (lane, known) {
            (Lane::Main, _) => self.cursor = self.cursor.max(seen),
            (_, Some(known)) => known.cursor = known.cursor.max(seen),
            (_, None) => self.lanes.push(LaneState {
                cursor: seen,
                ..LaneState::new(lane)
            }),
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
