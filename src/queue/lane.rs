//! The lanes of a line: the main line, where visitors draw numbers as they come, and others by name: the lines of regions, and those of
//! groups, whose numbers invitations open. The settings say which is which.
//!
//! Invariant: a name is one that the store, tickets and programs can write without quotes, and never that of the main line.
//! What each lane gets of a release is the store's rule (`store/lua/release.lua`, `store/lua/shares.lua`).

use super::board::present;
use super::rolls::{drawn, served};
use super::{Board, Cursor, Groups, Measured, Pace, Stretch, waiting};
use serde::Deserialize;
use std::borrow::Cow;

/// The name of the main line, where it is written.
const MAIN: &str = "main";

/// The most letters of a name.
const MOST: usize = 16;

/// The name of a lane other than the main one: a letter, and up to 15 letters, digits, `-` and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct LaneName([u8; MOST]);

impl LaneName {
    /// Reads a name. That of the main line is none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let is_part = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        let is_sound = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text.bytes().all(is_part)
            && text != MAIN;
        let mut letters = [0; MOST];
        let place = letters.get_mut(..text.len()).filter(|_| is_sound)?;
        place.copy_from_slice(text.as_bytes());
        Some(Self(letters))
    }

    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|letter| *letter == 0);
        let letters = self.0.get(..end.unwrap_or(MOST)).unwrap_or_default();
        std::str::from_utf8(letters).unwrap_or_default()
    }
}

impl TryFrom<String> for LaneName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::read(&name).ok_or("no name of a lane")
    }
}

/// Where a number was drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub enum Lane {
    /// In the main line.
    #[default]
    Main,
    /// In the lane of a region or a group.
    Named(LaneName),
}

impl Lane {
    /// As the store and tickets write it; the main line is not written.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Main => None,
            Self::Named(name) => Some(name.as_str()),
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
        LaneName::read(name).map(Self::Named)
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

    /// The lanes of regions in which a number was drawn, by name: those that are none of these groups.
    pub fn regions(&self, groups: &Groups) -> impl Iterator<Item = (LaneName, &LaneState)> {
        self.lanes.iter().filter_map(|of| match of.lane {
            Lane::Named(name) if !groups.has(of.lane) => Some((name, of)),
            _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_never_that_of_the_main_line() {
        for name in ["w", "west", "front", "North-America_2", "abcdefghijklmnop"] {
            let read = LaneName::read(name);
            assert_eq!(read.as_ref().map(LaneName::as_str), Some(name));
        }
        for name in [
            "",
            "main",
            "2west",
            "-west",
            "we st",
            "we;st",
            "wést",
            "abcdefghijklmnopq",
        ] {
            assert_eq!(LaneName::read(name), None, "{name}");
        }
        assert!(LaneName::read("east") < LaneName::read("eastern"));
        assert!(LaneName::read("eastern") < LaneName::read("west"));
    }
}
