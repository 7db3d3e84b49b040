//! The regions of a room: their names, and their lines as the sign tells them.
//!
//! Invariant: a name is one that the store, tickets and programs can write without quotes, and never that of another lane.

use super::{Cursor, Lane, Measured};
use serde::{Deserialize, Deserializer, Serializer};

/// The most letters of a name.
const MOST: usize = 16;

/// The name of a region: a letter, and up to 15 letters, digits, `-` and `_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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

/// The line of one region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionLine {
    /// Which region.
    pub name: RegionName,
    /// The last number admitted.
    pub cursor: Cursor,
    /// Numbers drawn.
    pub length: u64,
    /// The most numbers that were drawn in the last four seconds.
    pub recent: u64,
    /// How fast it moved, while visitors were left waiting.
    pub measured: Option<Measured>,
}

impl RegionLine {
    /// One without a number.
    #[must_use]
    pub fn new(name: RegionName) -> Self {
        Self {
            name,
            cursor: Cursor(0),
            length: 0,
            recent: 0,
            measured: None,
        }
    }

    /// How many visitors wait in it.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        super::waiting(self.length, self.cursor)
    }

    /// In which lane its numbers are.
    #[must_use]
    pub fn lane(&self) -> Lane {
        Lane::Region(self.name)
    }

    /// `name cursor length recent`, and what was measured, where that is known: as the store tells it.
    #[must_use]
    pub fn written(&self) -> String {
        let (name, cursor) = (self.name.as_str(), self.cursor.0);
        let numbers = format!("{name} {cursor} {} {}", self.length, self.recent);
        self.measured.map_or(numbers.clone(), |measured| {
            let Measured {
                released,
                took_ms,
                moved_ms,
                step_ms,
            } = measured;
            format!("{numbers} {released} {took_ms} {moved_ms} {step_ms}")
        })
    }

    /// Those of all regions, with `;` between two.
    #[must_use]
    pub fn all_written(lines: &[Self]) -> String {
        lines
            .iter()
            .map(Self::written)
            .collect::<Vec<_>>()
            .join(";")
    }

    /// Reads what was written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (name, numbers) = text.split_once(' ')?;
        let numbers = numbers
            .split(' ')
            .map(str::parse)
            .collect::<Result<Vec<u64>, _>>();
        let (cursor, length, recent, measured) = match numbers.ok()?[..] {
            [cursor, length, recent] => (cursor, length, recent, None),
            [cursor, length, recent, released, took_ms, moved_ms, step_ms] => {
                let measured = Measured {
                    released,
                    took_ms,
                    moved_ms,
                    step_ms,
                };
                (cursor, length, recent, Some(measured))
            }
            _ => return None,
        };
        Some(Self {
            name: RegionName::read(name)?,
            cursor: Cursor(cursor),
            length,
            recent,
            measured,
        })
    }

    /// Reads those of all regions, with `;` between two.
    #[must_use]
    pub fn read_all(text: &str) -> Option<Vec<Self>> {
        text.split(';').map(Self::read).collect()
    }
}

/// In a copy of the sign.
pub(super) mod in_copy {
    use super::{Deserialize, Deserializer, RegionLine, Serializer};
    use serde::de::Error;

    pub(in crate::queue) fn serialize<S: Serializer>(
        lines: &[RegionLine],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&RegionLine::all_written(lines))
    }

    pub(in crate::queue) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<RegionLine>, D::Error> {
        let text = String::deserialize(deserializer)?;
        RegionLine::read_all(&text).ok_or_else(|| D::Error::custom("no lines of regions"))
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

    #[test]
    fn the_lines_of_regions_are_read_as_the_store_tells_them() {
        let line = |name| {
            RegionName::read(name).map(|name| RegionLine {
                cursor: Cursor(3),
                length: 20,
                recent: 4,
                ..RegionLine::new(name)
            })
        };
        let measured = Measured {
            released: 5,
            took_ms: 60_000,
            moved_ms: 90_000,
            step_ms: 15_000,
        };
        let west = line("west").map(|west| RegionLine {
            measured: Some(measured),
            ..west
        });
        let told = "east 3 20 4;west 3 20 4 5 60000 90000 15000";
        assert_eq!(
            RegionLine::read_all(told),
            line("east").zip(west).map(|(east, west)| vec![east, west])
        );
        let written = RegionLine::read_all(told).map(|lines| RegionLine::all_written(&lines));
        assert_eq!(written.as_deref(), Some(told));
        for text in [
            "",
            "west",
            "west 3 20",
            "west 3 20 4 5",
            "2 3 20 4",
            "west 3 x 4",
            "west 3 20 4;",
        ] {
            assert_eq!(RegionLine::read_all(text), None, "{text}");
        }
    }
}
