//! What one network may do: from how many of them one admitted ticket may be used, where a cap holds, and how many numbers one
//! may draw in an hour.

use super::{Enforcement, words};
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

words! {
    /// What became of a visitor whose network has drawn as many as it may.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum AboveBound {
        /// A number was drawn all the same.
        Drawn = "drawn",
        /// None was.
        Challenged = "challenged",
    }
}

/// What a visitor has done for a number above the bound of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Up to which place above the bound the calculation is enough: the n-th costs n times the first. 0 without one.
    pub paid: u64,
    /// The wait in its place.
    pub wait: ChallengeWait,
}

words! {
    /// The wait of a visitor who does not calculate.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ChallengeWait {
        /// None so far.
        #[default]
        None = "none",
        /// The visitor was told when to come, and that is still to come.
        Begun = "begun",
        /// The visitor comes when the wait is over.
        Over = "over",
    }
}

impl Effort {
    /// What a passed test of the operator's verifier is worth: any place.
    pub const VERIFIED: u64 = 1 << 40;

    /// As the script receives it; nothing where nothing was done.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        (*self != Self::default()).then(|| format!("{} {}", self.paid, self.wait.name()))
    }
}

/// What a number costs a visitor who is challenged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    /// Its place above the bound within the network's hour, from 1.
    pub place: u64,
    /// How many seconds the visitor waits who does not calculate, where the store says it: not to a visitor who waits already.
    pub wait: Option<u64>,
}

impl Default for Price {
    /// The first above the bound, and what a visitor is asked of whom the platform says something.
    fn default() -> Self {
        Self {
            place: 1,
            wait: None,
        }
    }
}

impl Price {
    /// As the script tells it: both numbers, and no seconds as 0.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (place, wait) = text.split_once(' ')?;
        let wait: u64 = wait.parse().ok()?;
        Some(Self {
            place: place.parse().ok()?,
            wait: (wait > 0).then_some(wait),
        })
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

    /// As the script receives it; nothing where it is not looked at.
    #[must_use]
    pub fn written(&self) -> Option<String> {
        let enforcement = self.enforcement?;
        Some(format!("{} {}", self.draws, enforcement.name()))
    }
}
