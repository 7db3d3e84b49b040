//! What the sandboxes of a POP tell each other of the store's troubles, and what follows for the next draw.
//!
//! The rules are in [`queue`](crate::queue); the notes are in the POP's cache.

use std::time::Duration;

use crate::near::{Marker, Near, read, write};
use crate::queue::breaker::{Breaker, Closure, Reopening};
use crate::queue::chance::Chance;

/// How long a POP remembers that its draws failed: the longest closure, and the time until all may draw again.
const CLOSURE_KEPT: Duration = Duration::from_mins(1);

/// The draws of a POP, as one request sees them.
pub struct Draws<'a> {
    near: &'a dyn Near,
    now_ms: u64,
    chance: Chance,
    breaker: Breaker,
}

impl<'a> Draws<'a> {
    /// What is known as the request begins.
    #[must_use]
    pub fn new(near: &'a dyn Near, now_ms: u64, chance: Chance) -> Self {
        Self {
            near,
            now_ms,
            chance,
            breaker: breaker(near),
        }
    }

    /// Whether this request may draw.
    #[must_use]
    pub fn are_let(&self) -> bool {
        self.breaker.lets_draw(self.now_ms, self.chance)
    }

    /// Its draw succeeded.
    pub fn succeeded(&self) {
        // What closed while this draw was on its way is not opened by it.
        if self.breaker.closure.is_none() {
            return;
        }
        if let Some(reopening) = breaker(self.near).succeeded(self.now_ms) {
            let numbers = [reopening.after_ms, reopening.share];
            write(self.near, Marker::Reopening, numbers, CLOSURE_KEPT);
        }
    }

    /// Its draw failed.
    pub fn failed(&self) {
        if let Some(closure) = breaker(self.near).failed(self.now_ms, self.chance) {
            let numbers = [closure.until_ms, closure.repeats];
            write(self.near, Marker::Closure, numbers, CLOSURE_KEPT);
        }
    }
}

fn breaker(near: &dyn Near) -> Breaker {
    let Some([until_ms, repeats]) = read(near, Marker::Closure) else {
        return Breaker::default();
    };
    let reopening = read(near, Marker::Reopening);
    Breaker {
        closure: Some(Closure { until_ms, repeats }),
        reopening: reopening.map(|[after_ms, share]| Reopening { after_ms, share }),
    }
}
