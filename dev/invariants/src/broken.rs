//! Findings of a history: what was checked, how often, and what did not hold.

use std::collections::BTreeMap;
use std::fmt;

/// One invariant that did not hold, and what was found instead.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault {
    /// The invariant, as [`Checks::counts`] names it.
    pub invariant: &'static str,
    /// The finding, in words.
    pub found: String,
}

/// The invariants that one step of a history broke: at least one.
#[derive(Clone, PartialEq, Eq)]
pub struct Broken(pub Vec<Fault>);

impl fmt::Display for Broken {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fault) in self.0.iter().enumerate() {
            let between = if at > 0 { "\n" } else { "" };
            write!(to, "{between}broken: {}: {}", fault.invariant, fault.found)?;
        }
        Ok(())
    }
}

/// The same words, so that `unwrap` in a test shows them.
impl fmt::Debug for Broken {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{self}")
    }
}

impl std::error::Error for Broken {}

/// The checks of a history. An invariant that does not hold is noted, and the history goes on: a reader that
/// wants to may hear of the next fault, too.
#[derive(Debug, Default)]
pub struct Checks {
    counts: BTreeMap<&'static str, u64>,
    faults: Vec<Fault>,
}

impl fmt::Debug for Fault {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}: {}", self.invariant, self.found)
    }
}

impl Checks {
    /// Number of checks of each invariant, by its name.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<&'static str, u64> {
        &self.counts
    }

    /// Counts a check that is made elsewhere.
    pub fn count(&mut self, invariant: &'static str) {
        *self.counts.entry(invariant).or_default() += 1;
    }

    /// Checks without counting: for conditions that accompany a counted one.
    pub(crate) fn must(
        &mut self,
        invariant: &'static str,
        is_held: bool,
        found: impl FnOnce() -> String,
    ) {
        if !is_held {
            let found = found();
            self.faults.push(Fault { invariant, found });
        }
    }

    /// Checks and counts.
    pub(crate) fn holds(
        &mut self,
        invariant: &'static str,
        is_held: bool,
        found: impl FnOnce() -> String,
    ) {
        self.count(invariant);
        self.must(invariant, is_held, found);
    }

    /// Faults since this was last called.
    pub(crate) fn verdict(&mut self) -> Result<(), Broken> {
        if self.faults.is_empty() {
            return Ok(());
        }
        Err(Broken(std::mem::take(&mut self.faults)))
    }
}
