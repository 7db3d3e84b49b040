//! What a window follows, and what it knows when a period is opened.

use super::{TOLERANCE, VISITOR};

/// The fewest and the most visitors of a period: the settings `window_min` and `window_max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The fewest.
    pub min: u64,
    /// The most.
    pub max: u64,
}

/// What the pace follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steering {
    /// The answers, within bounds.
    Answers(Bounds),
    /// An operator: only after a sickness it is lower.
    Fixed {
        /// How many visitors a period has.
        quantity: u64,
        /// What the ramp begins with at least.
        min: u64,
        /// The share of late answers that the ramp bears, in per mille: a larger one makes the origin sick.
        tolerated: u64,
    },
}

impl Steering {
    pub(super) fn tolerated(self, baseline: u64) -> u64 {
        match self {
            Self::Answers(_) => baseline + TOLERANCE,
            Self::Fixed { tolerated, .. } => tolerated.max(baseline + TOLERANCE),
        }
    }

    pub(super) fn min(self) -> u64 {
        match self {
            Self::Answers(Bounds { min, .. }) | Self::Fixed { min, .. } => min * VISITOR,
        }
    }
}

/// A period of the pace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// When it begins (Unix time in seconds).
    pub at: u64,
    /// How many seconds it lasts.
    pub lasts: u64,
}

impl Period {
    /// The seconds of the whole periods that fit into these.
    pub(super) fn whole(self, seconds: u64) -> u64 {
        seconds / self.lasts.max(1) * self.lasts
    }
}

/// What is known when a period is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Past {
    /// How many visitors of its window the period before has not used.
    pub unused: u64,
    /// The share of late answers while the origin is well, in per mille.
    pub baseline: u64,
    /// How much of its capacity the origin says is in use, in per mille.
    pub load: Option<u64>,
    /// Whether visitors are released who count since the latest cut.
    pub is_settled: bool,
}
