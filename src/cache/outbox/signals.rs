//! What the platform said of visitors, counted.

use super::Tally;
use crate::queue::Signal;

impl Tally {
    /// The platform said this of a visitor who was about to draw.
    pub fn signalled(&mut self, signal: Signal) {
        self.add(&name(signal), 1);
    }

    /// How often that was so.
    #[must_use]
    pub fn signals(&self, signal: Signal) -> u64 {
        self.number(&name(signal))
    }
}

fn name(signal: Signal) -> String {
    format!("signal_{}", signal.name())
}
