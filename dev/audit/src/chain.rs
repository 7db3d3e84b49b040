//! The lines of a room in the order in which each follows the one before.

use std::collections::BTreeMap;

use now_serving::queue::Head;
use now_serving::queue::journal::{BEGINNING, JournalKind, JournalLine};

use crate::Report;

/// The lines by their digest, and which follow which.
pub(crate) struct Chain<'a> {
    pub(crate) room: &'a str,
    pub(crate) lines: BTreeMap<&'a str, JournalLine<'a>>,
    /// The digests of the lines behind each digest.
    behind: BTreeMap<&'a str, Vec<&'a str>>,
    /// The lines that follow none that is here.
    first: Vec<&'a str>,
}

impl<'a> Chain<'a> {
    pub(crate) fn new(
        room: &'a str,
        texts: &'a BTreeMap<String, String>,
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
        let chain = Self {
            room,
            lines,
            behind,
            first,
        };
        chain.find_gaps(faults);
        chain.find_forks(faults);
        chain
    }

    /// The line in front of this one.
    pub(crate) fn before(&self, line: &JournalLine<'_>) -> Option<&JournalLine<'a>> {
        self.lines.get(line.previous)
    }

    /// The list may begin later than the journal did, once, and at its oldest line. Everywhere else lines are missing.
    fn find_gaps(&self, faults: &mut Vec<String>) {
        let beginnings = self
            .first
            .iter()
            .filter_map(|digest| self.lines.get(digest));
        for (place, line) in beginnings.enumerate() {
            let is_begun = line.previous == BEGINNING && line.number == 1;
            let is_of_all = matches!(line.kind, JournalKind::Begin | JournalKind::Loss);
            if line.previous == BEGINNING && !(is_begun && is_of_all) {
                faults.push(format!(
                    "{}: line {} says that it is the first, and is none.",
                    self.room, line.number
                ));
            } else if !is_begun && (place > 0 || line.number <= 1) {
                faults.push(format!(
                    "{}: before line {} of {} lines are missing.",
                    self.room, line.number, line.at_ms
                ));
            }
        }
    }

    /// Two lines behind one: the store came back with older data. The branch that went on says so, by a head of the other, or by
    /// that of the line before both, of which a copy knew more than the store.
    fn find_forks(&self, faults: &mut Vec<String>) {
        for (digest, followers) in &self.behind {
            let branches: Vec<Vec<&str>> = followers.iter().map(|one| self.branch(one)).collect();
            let explained = branches.iter().filter(|branch| {
                let others = branches.iter().filter(|other| other != branch);
                let known = others.flatten().chain([digest]);
                let mut heads = known.filter_map(|digest| Head::of(digest));
                heads.any(|head| self.names(branch, head))
            });
            if explained.count() + 1 < branches.len() {
                let number = self.lines.get(digest).map_or(0, |line| line.number);
                faults.push(format!(
                    "{}: {} lines follow line {number}, and none says that the store lost the other: it came back with older data and \
                     no copy of the sign was left, or lines were written anew.",
                    self.room,
                    branches.len()
                ));
            }
        }
    }

    fn names(&self, branch: &[&str], head: Head) -> bool {
        let mut lines = branch.iter().filter_map(|digest| self.lines.get(digest));
        lines.any(|line| line.known_before() == Some(head))
    }

    /// This line and all behind it.
    fn branch(&self, first: &'a str) -> Vec<&'a str> {
        let mut found = vec![first];
        let mut at = 0;
        while let Some(digest) = found.get(at) {
            found.extend(self.behind.get(digest).into_iter().flatten());
            at += 1;
        }
        found
    }

    /// What a reader should know of it.
    pub(crate) fn told(&self, report: &mut Report) {
        let room = self.room;
        for (place, line) in (0..).zip(self.first.iter().filter_map(|one| self.lines.get(one))) {
            if line.previous != BEGINNING {
                let number = line.number;
                report.notes.push(format!(
                    "{room}: the first line here is number {number}. What was before is not checked."
                ));
            } else if place > 0 {
                let at = line.at_ms;
                let known = line.known_before().map(|head| match self.line_of(head) {
                    Some(last) => format!("after line {}", last.number),
                    None => format!("after the head {head}, which is not here"),
                });
                let known = known.unwrap_or("without a word of the lines before".into());
                report
                    .notes
                    .push(format!("{room}: at {at} the journal began anew, {known}."));
            }
        }
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

    fn line_of(&self, head: Head) -> Option<&JournalLine<'a>> {
        let mut lines = self.lines.iter();
        let found = lines.find(|(digest, _)| Head::of(digest) == Some(head));
        found.map(|(_, line)| line)
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
