//! From how many networks one admitted ticket may be used, where a cap holds.

use super::Enforcement;
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
