//! The lanes of a line: the main line, where visitors draw numbers as they come, the lines of regions, and the front lane, whose
//! numbers invitations open.
//!
//! What each lane gets of a release is the store's rule (`store/lua/release.lua`, `store/lua/shares.lua`).

use super::board::present;
use super::rolls::{drawn, served};
use super::{Board, Cursor, Measured, Pace, RegionName, Stretch, waiting};
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
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct LaneState {
    /// Which lane.
    #[serde(rename = "name")]
    pub lane: Lane,
    /// Its numbers, the oldest roll first.
    pub rolls: Vec<Stretch>,
    /// How fast it moved, while visitors were left waiting.
    #[serde(default, deserialize_with = "present")]
    pub measured: Option<Measured>,
}

impl LaneState {
    /// A lane without a number.
    #[must_use]
    pub fn new(lane: Lane) -> Self {
        Self {
            lane,
            rolls: Vec::new(),
            measured: None,
        }
    }

    /// The numbers served in it.
    #[must_use]
    pub fn cursor(&self) -> Cursor {
        served(&self.rolls)
    }

    /// The numbers drawn in it.
    #[must_use]
    pub fn length(&self) -> u64 {
        drawn(&self.rolls)
    }

    /// The number of visitors who wait in it.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        waiting(self.length(), self.cursor())
    }
}

impl Board {
    /// The numbers of this lane.
    #[must_use]
    pub fn lane(&self, lane: Lane) -> LaneState {
        if lane == Lane::Main {
            return LaneState {
                lane,
                rolls: self.rolls.clone(),
                measured: self.measured,
            };
        }
        let found = self.lanes.iter().find(|known| known.lane == lane);
        found.cloned().unwrap_or_else(|| LaneState::new(lane))
    }

    /// The lanes of regions in which a number was drawn, by name.
    pub fn regions(&self) -> impl Iterator<Item = (RegionName, &LaneState)> {
        self.lanes.iter().filter_map(|of| match of.lane {
            Lane::Region(name) => Some((name, of)),
            Lane::Main | Lane::Front => None,
        })
    }

    /// The sums of the cursors and of the lengths of all lanes.
    #[must_use]
    pub fn in_all_lanes(&self) -> (u64, u64) {
        let others = self.lanes.iter();
        let numbers = others.map(|of| (of.cursor().0, of.length()));
        numbers.fold(
            (self.cursor().0, self.length()),
            |sum: (u64, u64), (cursor, length)| {
                (sum.0.saturating_add(cursor), sum.1.saturating_add(length))
            },
        )
    }

    /// The board as visitors of this lane read it. The pace is not that of another lane than the main one alone.
    #[must_use]
    pub fn of(&self, lane: Lane) -> Cow<'_, Self> {
        if lane == Lane::Main {
            return Cow::Borrowed(self);
        }
        let LaneState {
            mut rolls,
            measured,
            ..
        } = self.lane(lane);
        // A roll of which one lane is known is known in all.
        for of in &self.rolls {
            let place = rolls.partition_point(|known| known.born < of.born);
            if rolls.get(place).is_none_or(|known| known.born != of.born) {
                rolls.insert(place, Stretch::new(of.born, 0, 0));
            }
        }
        let mut of_lane = Self {
            rolls,
            measured,
            head: None,
            lines: None,
            logged: None,
            text: String::new(),
            over: self.over.of(lane),
            begun: self.begun.as_ref().map(|begun| begun.of(lane)),
            lanes: Vec::new(),
            ..self.clone()
        };
        of_lane.live.pace = Pace::default();
        Cow::Owned(of_lane)
    }
}
