//! The regions of a room, each of which has a lane of the line.

use super::LaneName;

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
    pub name: LaneName,
    /// How many percent of each release are for it, where that is fixed.
    pub share: Option<u64>,
}

impl Regions {
    /// The region of this name.
    #[must_use]
    pub fn named(&self, name: LaneName) -> Option<&Region> {
        self.list.iter().find(|region| region.name == name)
    }
}
