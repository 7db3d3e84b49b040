//! The lines of a room in the order in which each follows the one before.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::queue::Head;
use now_serving::queue::journal::{BEGINNING, JournalKind, JournalLine};

use crate::Report;

/// The lines by their digest, and which follow which.
pub(crate) struct Chain<'a> {
    pub(crate) room: &'a str,
    pub(crate) lines: BTreeMap<&'a str, JournalLine<'a>>,
    /// The digests by what signs and tickets carry of them.
    by_head: BTreeMap<Head, &'a str>,
    /// The digests of the lines behind each digest.
    behind: BTreeMap<&'a str, Vec<&'a str>>,
    /// The lines that follow none that is here.
    first: Vec<&'a str>,
}

/// Where the way to a line parts from others: the line that several follow, and the one of them that is on the way.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Turn<'a> {
    fork: &'a str,
    branch: &'a str,
}

/// The forks on the way to a line, the oldest first.
fn way<'a>(turns: &BTreeMap<&'a str, Turn<'a>>, line: &str) -> Vec<Turn<'a>> {
    let last = turns.get(line).copied();
    let before = |turn: &Turn<'a>| turns.get(turn.fork).copied();
    let mut way: Vec<Turn<'a>> = std::iter::successors(last, before).collect();
    way.reverse();
    way
}

impl<'a> Chain<'a> {
    pub(crate) fn new(
        room: &'a str,
        texts: &'a BTreeMap<String, String>,
        from: u64,
        faults: &mut Vec<String>,
    ) -> Self {
        let read = |(digest, text): (&'a String, &'a String)| {
            Some((digest.as_str(), JournalLine::read(text)?))
        };
        let lines: BTreeMap<&str, JournalLine<'_>> = texts.iter().filter_map(read).collect();
        let mut behind: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut first = Vec::new();
        for (digest, line) in &lines {
            if lines.contains_key(line.previous) {
                behind.entry(line.previous).or_default().push(digest);
            } else {
                first.push(*digest);
            }
        }
        first.sort_by_key(|digest| lines.get(digest).map(|line| (line.at_ms, line.number)));
        let head = |digest: &&'a str| Some((Head::of(digest)?, *digest));
        let by_head = lines.keys().filter_map(head).collect();
        let chain = Self {
            room,
            lines,
            by_head,
            behind,
            first,
        };
        chain.find_gaps(from, faults);
        chain.find_forks(faults);
        chain
    }

    /// The line in front of this one.
    pub(crate) fn before(&self, line: &JournalLine<'_>) -> Option<&JournalLine<'a>> {
        self.lines.get(line.previous)
    }

    /// The lines behind this one, as far as each has one follower.
    pub(crate) fn lines_behind(&self, digest: &str) -> impl Iterator<Item = &JournalLine<'a>> {
        let follower = |digest: &str| match self.behind.get(digest).map(Vec::as_slice) {
            Some([one]) => Some(*one),
            _ => None,
        };
        let behind = std::iter::successors(follower(digest), move |digest| follower(digest));
        behind.filter_map(|digest| self.lines.get(digest))
    }

    /// The list may begin later than the journal did where the reader says so, once, and at its oldest line. Everywhere else lines
    /// are missing.
    fn find_gaps(&self, from: u64, faults: &mut Vec<String>) {
        for (place, line) in self.beginnings() {
            let (room, number, at) = (self.room, line.number, line.at_ms);
            let is_begun = line.previous == BEGINNING && number == 1;
            let is_of_all = matches!(line.kind, JournalKind::Begin | JournalKind::Loss);
            if line.previous == BEGINNING && !(is_begun && is_of_all) {
                faults.push(format!(
                    "{room}: line {number} says that it is the first, and is none."
                ));
            } else if !is_begun && (place > 0 || number <= 1) {
                faults.push(format!(
                    "{room}: before line {number} of {at} lines are missing."
                ));
            } else if !is_begun && number > from {
                faults.push(format!(
                    "{room}: before line {number} of {at} lines are missing. If they are in no copy, check the others by --from {number}."
                ));
            }
            let head = line.known_before().filter(|_| is_begun && place > 0);
            let unknown = head.filter(|head| self.line_of(*head).is_none());
            faults.extend(unknown.map(|head| {
                format!("{room}: at {at} the journal began anew after the head {head}, and the line of that head is missing.")
            }));
        }
    }

    /// The lines that follow none that is here, the oldest first.
    fn beginnings(&self) -> impl Iterator<Item = (usize, &JournalLine<'a>)> {
        let lines = self.first.iter().filter_map(|one| self.lines.get(one));
        lines.enumerate()
    }

    /// Two lines behind one: the store came back with older data. The branch that went on says so, by a head of the other, or by
    /// that of the line before both, of which a copy knew more than the store.
    fn find_forks(&self, faults: &mut Vec<String>) {
        let forks = self.behind.iter().filter(|(_, behind)| behind.len() > 1);
        let forks: Vec<_> = forks.collect();
        if forks.is_empty() {
            return;
        }
        let explained = self.explained();
        for (digest, branches) in forks {
            let is_explained = |branch: &&&str| explained.contains(*branch);
            if branches.iter().filter(is_explained).count() + 1 < branches.len() {
                let number = self.lines.get(digest).map_or(0, |line| line.number);
                faults.push(format!(
                    "{}: {} lines follow line {number}, and none says that the store lost the other: it came back with older data and \
                     no copy of the board was left, or lines were written anew.",
                    self.room,
                    branches.len()
                ));
            }
        }
    }

    /// The first lines of the branches in which a line names a head of another branch of the same fork, or that of the line before them.
    fn explained(&self) -> BTreeSet<&'a str> {
        let turns = self.turns();
        let mut explained = BTreeSet::new();
        for (digest, line) in &self.lines {
            let named = line.known_before().and_then(|head| self.by_head.get(&head));
            let Some(named) = named else {
                continue;
            };
            let (own, other) = (way(&turns, digest), way(&turns, named));
            let shared = own
                .iter()
                .zip(&other)
                .take_while(|(own, other)| own == other);
            let shared = shared.count();
            let parted = own.get(shared).filter(|own| {
                let other = other.get(shared).map_or(*named, |other| other.fork);
                own.fork == other
            });
            explained.extend(parted.map(|own| own.branch));
        }
        explained
    }

    /// For each line, the last fork on the way to it.
    fn turns(&self) -> BTreeMap<&'a str, Turn<'a>> {
        let mut turns = BTreeMap::new();
        let mut open: Vec<&'a str> = self.first.clone();
        while let Some(digest) = open.pop() {
            let followers = self.behind.get(digest).map_or(&[][..], Vec::as_slice);
            for branch in followers {
                let turn = match followers {
                    [_] => turns.get(digest).copied(),
                    _ => Some(Turn {
                        fork: digest,
                        branch,
                    }),
                };
                turns.extend(turn.map(|turn| (*branch, turn)));
                open.push(branch);
            }
        }
        turns
    }

    /// What a reader should know of it.
    pub(crate) fn told(&self, report: &mut Report) {
        let room = self.room;
        for (place, line) in self.beginnings() {
            let (number, at) = (line.number, line.at_ms);
            let (cursor, length) = (line.main.to, line.main.length);
            if line.previous != BEGINNING {
                report.notes.push(format!(
                    "{room}: the first line here is number {number}. What was before is not checked."
                ));
            } else if place > 0 {
                let known = line.known_before().map(|head| match self.line_of(head) {
                    Some(last) => format!("after line {}", last.number),
                    None => format!("after the head {head}, which is not here"),
                });
                let known = known.unwrap_or("without a word of the lines before".into());
                report
                    .notes
                    .push(format!("{room}: at {at} the journal began anew, {known}."));
            } else if line.kind == JournalKind::Begin && length > 0 {
                report.notes.push(format!(
                    "{room}: the journal began when the line had {length} numbers and the cursor stood at {cursor}. How it came there is not proven."
                ));
            }
        }
        self.told_anew(report);
        for (digest, followers) in &self.behind {
            let number = self.lines.get(digest).map_or(0, |line| line.number);
            if followers.len() > 1 {
                report.notes.push(format!(
                    "{room}: behind line {number} there are {} lines: the store came back with older data.",
                    followers.len()
                ));
            }
        }
        for line in self.lines.values() {
            if self
                .before(line)
                .is_some_and(|before| before.at_ms > line.at_ms)
            {
                report.notes.push(format!(
                    "{room}: line {} is of an earlier time than the line in front of it.",
                    line.number
                ));
            }
        }
    }

    /// A `begin` behind other lines: the store lost the line, or what it knew of the journal, and kept the list.
    fn told_anew(&self, report: &mut Report) {
        let begun = self.lines.values();
        let begun = begun.filter(|line| line.kind == JournalKind::Begin && line.number > 1);
        for line in begun {
            let (room, number, cursor) = (self.room, line.number, line.main.to);
            report.notes.push(format!(
                "{room}: with line {number} the journal began anew at the cursor {cursor}, and no copy of the board was left."
            ));
        }
    }

    fn line_of(&self, head: Head) -> Option<&JournalLine<'a>> {
        self.lines.get(self.by_head.get(&head)?)
    }

    /// Where a head is.
    pub(crate) fn find(&self, head: Head) -> Option<String> {
        let line = self.line_of(head)?;
        let (number, at, cursor) = (line.number, line.at_ms, line.main.to);
        Some(format!(
            "{}: the head {head} is line {number} of {at}, when the cursor stood at {cursor}.",
            self.room
        ))
    }
}
