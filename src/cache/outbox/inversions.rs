//! Visitors who passed others, counted.

use super::Tally;
use crate::queue::Inversion;

impl Tally {
    /// A visitor was let in while others waited whose turn was before.
    pub fn inverted(&mut self, inversion: Inversion) {
        self.add(&name(inversion), 1);
    }

    /// How often this let a visitor pass.
    #[must_use]
    pub fn inversions(&self, inversion: Inversion) -> u64 {
        self.number(&name(inversion))
    }
}

fn name(inversion: Inversion) -> String {
    format!("inverted_{}", inversion.name())
}
