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
    /// Decisions of each room.
    pub(super) rooms: BTreeMap<&'static str, BTreeMap<String, u64>>,
    /// Of each line: the numbers that visitors got, and the visitors who went in by one.
    pub(super) lines: BTreeMap<String, (u64, u64)>,
    pub(super) statuses: BTreeMap<u16, u64>,
    pub(super) minutes: u64,
    pub(super) runs: u64,
}

impl Report {
    pub(super) fn fault(&mut self, kind: &str) {
        *self.faults.entry(kind.to_owned()).or_default() += 1;
    }

    pub(super) fn decision(&mut self, room: &'static str, reason: &str) {
        let of_room = self.rooms.entry(room).or_default();
        for counts in [&mut self.decisions, of_room] {
            *counts.entry(reason.to_owned()).or_default() += 1;
        }
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
        for (room, decisions) in &other.rooms {
            let own = self.rooms.entry(room).or_default();
            for (name, many) in decisions {
                *own.entry(name.clone()).or_default() += many;
            }
        }
        for (line, (given, inside)) in &other.lines {
            let own = self.lines.entry(line.clone()).or_default();
            (own.0, own.1) = (own.0 + given, own.1 + inside);
        }
        for (status, many) in &other.statuses {
            *self.statuses.entry(*status).or_default() += many;
        }
    }
}

impl Report {
    fn tell_rooms(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "decisions by reason: in all")?;
        for room in self.rooms.keys() {
            write!(to, ", {room}")?;
        }
        writeln!(to)?;
        for (reason, many) in &self.decisions {
            write!(to, "  {many:>8}")?;
            for decisions in self.rooms.values() {
                write!(to, "{:>8}", decisions.get(reason).unwrap_or(&0))?;
            }
            writeln!(to, "  {reason}")?;
        }
        writeln!(
            to,
            "numbers given, and visitors who went in by one, by line"
        )?;
        for (line, (given, inside)) in &self.lines {
            writeln!(to, "  {given:>8}{inside:>8}  {line}")?;
        }
        Ok(())
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
            ("checks by invariant", &self.checks),
        ] {
            writeln!(to, "{what}")?;
            for (name, many) in counts {
                writeln!(to, "  {many:>8}  {name}")?;
            }
        }
        self.tell_rooms(to)?;
        writeln!(to, "answers by status; 0: the origin's")?;
        for (status, many) in &self.statuses {
            writeln!(to, "  {many:>8}  {status}")?;
        }
        Ok(())
    }
}
