//! What one network may do: from how many of them one admitted ticket may be used, where a cap holds, and how many numbers one
//! may draw in an hour.

use super::Enforcement;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedTickets {
    /// How many.
    pub networks: u64,
    /// Whether visitors of further networks are refused; nothing where it is not looked at.
    pub enforcement: Option<Enforcement>,
}

impl Default for SharedTickets {
    fn default() -> Self {
        Self {
            networks: 4,
            enforcement: Some(Enforcement::Observe),
        }
    }
}

impl SharedTickets {
    /// What is accepted as the number of networks.
    pub const NETWORKS: RangeInclusive<u64> = 1..=16;
    /// Every choice of what is done, by its name among the settings.
    pub const CHOICES: [(&'static str, Option<Enforcement>); 3] = [
        ("off", None),
        ("observe", Some(Enforcement::Observe)),
        ("on", Some(Enforcement::On)),
    ];

    /// What is done with a visitor from the network that was the `place`-th to use this ticket: nothing within the limit.
    #[must_use]
    pub fn beyond(&self, place: u64) -> Option<Enforcement> {
        self.enforcement.filter(|_| place > self.networks)
    }
}

/// How many numbers one network may draw in an hour, which begins with the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkBound {
    /// How many.
    pub draws: u64,
    /// Whether a visitor above it is challenged; nothing where it is not looked at.
    pub enforcement: Option<Enforcement>,
}

impl Default for NetworkBound {
    fn default() -> Self {
        Self {
            draws: 100,
            enforcement: None,
        }
    }
}

/// What became of a visitor whose network has drawn as many as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AboveBound {
    /// A number was drawn all the same.
    Drawn,
    /// None was.
    Challenged,
}

impl AboveBound {
    /// Every one, by its name in the answers of the script.
    pub const ALL: [(&'static str, Self); 2] =
        [("drawn", Self::Drawn), ("challenged", Self::Challenged)];

    /// The one of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, above)| above)
    }
}

impl NetworkBound {
    /// What is accepted as the number of draws.
    pub const DRAWS: RangeInclusive<u64> = 1..=1_000_000;
    /// Every choice of what is done, by its name among the settings.
    pub const CHOICES: [(&'static str, Option<Enforcement>); 3] = [
        ("off", None),
        ("observe", Some(Enforcement::Observe)),
        ("challenge", Some(Enforcement::On)),
    ];

    /// The same for a visitor who has solved a challenge: the draw counts, and is not held back.
    #[must_use]
    pub fn lifted(self) -> Self {
        Self {
            enforcement: self.enforcement.map(|_| Enforcement::Observe),
            ..self
        }
    }

    /// As the script receives it; nothing where it is not looked at.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let enforcement = self.enforcement?;
        Some(format!("{} {}", self.draws, enforcement.name()))
    }
}
