//! The window of a pace that follows the origin, as operators read it in the status and on the panel, and what the watched answers
//! behind it say. They read both also while the pace does not follow the answers. `store/lua/window.lua` moves the window, and says
//! what the answers say.

use super::words;

/// How many visitors a period may have, and what is known of their answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// In thousandths of a visitor.
    pub size: u64,
    /// About where the origin had enough, in thousandths of a visitor; `None` before the first cut.
    pub knee: Option<u64>,
    /// Up to where it grows back after a sickness, in thousandths of a visitor; `None` where it does not.
    pub ramp: Option<u64>,
    /// The answers since it changed last.
    pub samples: Samples,
    /// The share of late answers while the origin is well, in per mille.
    pub baseline: u64,
    /// How much of its capacity the origin says is in use, in per mille.
    pub load: Option<u64>,
    /// What the samples and the load say.
    pub says: Finding,
}

/// Watched answers since the window changed last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Samples {
    /// How many.
    pub answers: u64,
    /// How many of them were late.
    pub late: u64,
}

words! {
    /// What samples say of the origin, and what the origin says of its load.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Finding {
        /// Nothing, since there are none.
        #[default]
        Unknown = "unknown",
        /// As few are late as is tolerated: the window may grow.
        Healthy = "healthy",
        /// More samples are needed.
        Doubtful = "doubtful",
        /// More are late than is tolerated: the window is cut.
        Late = "late",
    }
}
