//! The regions of a room, each of which has a lane of the line.
//!
//! Invariant: a name is one that the store, tickets and programs can write without quotes, and never that of another lane.

use serde::Deserialize;

/// The most letters of a name.
const MOST: usize = 16;

/// The name of a region: a letter, and up to 15 letters, digits, `-` and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct RegionName([u8; MOST]);

impl RegionName {
    /// Reads a name. Those of other lanes are none.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let is_part = |letter: u8| letter.is_ascii_alphanumeric() || b"-_".contains(&letter);
        let is_sound = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && text.bytes().all(is_part)
            && !["front", "main"].contains(&text);
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

/// Which minute says how much came to each region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lag {
    /// The minute before this one, the latest that is complete.
    #[default]
    One,
    /// The one before that.
    Two,
}

impl Lag {
    /// How many minutes it lies back.
    #[must_use]
    pub fn minutes(self) -> u64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// The regions of a room, and which minute says how much came to each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Regions {
    /// The regions, in the order of the settings.
    pub list: Vec<Region>,
    /// Which minute.
    pub lag: Lag,
}

/// A region as the settings have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its name.
    pub name: RegionName,
    /// How many percent of each release are for it, where that is fixed.
    pub share: Option<u64>,
}

impl Regions {
    /// The region of this name.
    #[must_use]
    pub fn named(&self, name: RegionName) -> Option<&Region> {
        self.list.iter().find(|region| region.name == name)
    }
}

impl TryFrom<String> for RegionName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::read(&name).ok_or("no name of a region")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written_and_never_that_of_another_lane() {
        for name in ["w", "west", "North-America_2", "abcdefghijklmnop"] {
            let read = RegionName::read(name);
            assert_eq!(read.as_ref().map(RegionName::as_str), Some(name));
        }
        for name in [
            "",
            "front",
            "main",
            "2west",
            "-west",
            "we st",
            "we;st",
            "wést",
            "abcdefghijklmnopq",
        ] {
            assert_eq!(RegionName::read(name), None, "{name}");
        }
        assert!(RegionName::read("east") < RegionName::read("eastern"));
        assert!(RegionName::read("eastern") < RegionName::read("west"));
    }
}
