//! What a run has seen: faults by kind, and decisions by reason.

use std::collections::BTreeMap;
use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) acts: u64,
    pub(super) requests: u64,
    pub(super) calls: u64,
    pub(super) checks: BTreeMap<String, u64>,
    pub(super) faults: BTreeMap<String, u64>,
    pub(super) decisions: BTreeMap<String, u64>,
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) minutes: u64,
    pub(super) runs: u64,
}

impl Report {
    pub(super) fn fault(&mut self, kind: &str) {
        *self.faults.entry(kind.to_owned()).or_default() += 1;
    }

    pub(super) fn decision(&mut self, reason: &str) {
        *self.decisions.entry(reason.to_owned()).or_default() += 1;
    }

    pub(super) fn status(&mut self, status: u16) {
        *self.statuses.entry(status).or_default() += 1;
    }

    /// Adds what another run has seen.
    pub(super) fn merge(&mut self, other: &Self) {
        self.acts += other.acts;
        self.requests += other.requests;
        self.calls += other.calls;
        self.minutes += other.minutes;
        self.runs += other.runs;
        for (own, others) in [
            (&mut self.faults, &other.faults),
            (&mut self.decisions, &other.decisions),
            (&mut self.checks, &other.checks),
        ] {
            for (name, many) in others {
                *own.entry(name.clone()).or_default() += many;
            }
        }
        for (status, many) in &other.statuses {
            *self.statuses.entry(*status).or_default() += many;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            to,
            "{} runs, {} virtual minutes, {} acts, {} requests, {} store calls, 0 invariants broken",
            self.runs, self.minutes, self.acts, self.requests, self.calls
        )?;
        for (what, counts) in [
            ("faults by kind", &self.faults),
            ("decisions by reason", &self.decisions),
            ("checks by invariant", &self.checks),
        ] {
            writeln!(to, "{what}")?;
            for (name, many) in counts {
                writeln!(to, "  {many:>8}  {name}")?;
            }
        }
        writeln!(to, "answers by status; 0: the origin's")?;
        for (status, many) in &self.statuses {
            writeln!(to, "  {many:>8}  {status}")?;
        }
        Ok(())
    }
}
