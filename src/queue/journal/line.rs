//! One line of the journal, read.

use super::Head;
use crate::queue::{LaneName, words};
use std::collections::BTreeMap;

words! {
    /// What moved the line.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum JournalKind {
        /// The journal began, and nothing was known before.
        Begin = "begin",
        /// The store had lost the line, and a copy of the board brought it back.
        Loss = "loss",
        /// A copy of the board or a ticket knew more of the line than the store.
        Restore = "restore",
        /// Visitors who waited were released.
        Release = "release",
        /// Visitors went straight in, since none waited.
        Straight = "straight",
        /// An operator or a program let visitors in.
        Permit = "permit",
        /// An operator set something.
        Change = "change",
        /// An event began, and every number before it ended.
        Event = "event",
        /// It is known how many numbers an order by lot is about.
        Seal = "seal",
        /// An order by lot was decided.
        Lot = "lot",
        /// An operator ended every ticket.
        End = "end",
    }
}

/// Where one lane stood before and after, and how many numbers it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JournalLane {
    /// The cursor before.
    pub from: u64,
    /// The cursor after.
    pub to: u64,
    /// The length after.
    pub length: u64,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine<'a> {
    /// The digest of the line before.
    pub previous: &'a str,
    /// Its number, from 1.
    pub number: u64,
    /// When it was written, by the store's clock in milliseconds.
    pub at_ms: u64,
    /// What moved the line.
    pub kind: JournalKind,
    /// The main line, with which regions count.
    pub main: JournalLane,
    /// The groups that have numbers, or had some before, by name.
    pub groups: BTreeMap<LaneName, JournalLane>,
    /// How many visitors went in by an invitation, without a number.
    pub invited: u64,
    /// The second at which the current period began; nothing before the first one.
    pub period: Option<u64>,
    /// The remainder of its budget.
    pub left: u64,
    /// The credit after.
    pub credit: u64,
    /// How long a period is, in seconds.
    pub automatic: u64,
    /// The most visitors that a period lets in.
    pub most: u64,
    /// The rule that bound.
    pub rule: &'a str,
    /// The name of the credentials, or `sign` or `ticket`, or `-`.
    pub who: &'a str,
    /// What was asked or set, or the head that a copy of the board knew, or `-`.
    pub what: &'a str,
}

impl<'a> JournalLine<'a> {
    /// Reads a line; what is not written exactly so is none.
    #[must_use]
    pub fn read(text: &'a str) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [previous, words @ ..] = <[&str; 16]>::try_from(words).ok()?;
        let [seq, at, kind, from, to, length, in_groups, rest @ ..] = words;
        let [invited, period, left, credit, pace, rule, who, what] = rest;
        let (automatic, most) = pace.split_once(':')?;
        Some(Self {
            previous: Some(previous).filter(|digest| is_digest(digest))?,
            number: number(seq)?,
            at_ms: number(at)?,
            kind: JournalKind::named(kind)?,
            main: lane([from, to, length])?,
            groups: groups(in_groups)?,
            invited: number(invited)?,
            period: match period {
                "-1" => None,
                period => Some(number(period)?),
            },
            left: number(left)?,
            credit: number(credit)?,
            automatic: number(automatic)?,
            most: number(most)?,
            rule,
            who,
            what,
        })
    }

    /// All lanes of which it tells.
    pub fn lanes(&self) -> impl Iterator<Item = JournalLane> {
        std::iter::once(self.main).chain(self.groups.values().copied())
    }

    /// Each lane of which it or another one tells, in it and in the other. One without a number is not told.
    pub fn lanes_beside<'b>(
        &'b self,
        other: &'b JournalLine<'_>,
    ) -> impl Iterator<Item = (JournalLane, JournalLane)> + 'b {
        let of = |line: &JournalLine<'_>, name| line.groups.get(name).copied().unwrap_or_default();
        let gone = (other.groups.keys()).filter(|name| !self.groups.contains_key(name));
        let names = self.groups.keys().chain(gone);
        let groups = names.map(move |name| (of(self, name), of(other, name)));
        std::iter::once((self.main, other.main)).chain(groups)
    }

    /// The head that a copy of the board knew.
    #[must_use]
    pub fn known_before(&self) -> Option<Head> {
        let is_return = matches!(self.kind, JournalKind::Loss | JournalKind::Restore);
        Head::read(self.what).filter(|_| is_return)
    }
}

fn is_digest(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 40 && text.bytes().all(is_digit)
}

/// A whole number as the script writes it: no board, no zero in front.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// `name:from:to:length` of each, with commas between them, or `-`.
fn groups(text: &str) -> Option<BTreeMap<LaneName, JournalLane>> {
    if text == "-" {
        return Some(BTreeMap::new());
    }
    let mut groups = BTreeMap::new();
    for group in text.split(',') {
        let (name, numbers) = group.split_once(':')?;
        let numbers: Vec<&str> = numbers.split(':').collect();
        let of = lane(numbers.try_into().ok()?)?;
        if groups.insert(LaneName::read(name)?, of).is_some() {
            return None;
        }
    }
    Some(groups)
}

fn lane(words: [&str; 3]) -> Option<JournalLane> {
    let [from, to, length] = words.map(number);
    Some(JournalLane {
        from: from?,
        to: to?,
        length: length?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "4a0a19218e082a343a1b17e5333409af9d98f0f5 17 1800000000000 release 40 45 61 press:0:0:2,vip:3:4:9 2 1800000000 0 7 15:5 pace - -";

    #[test]
    fn a_line_is_read_as_the_script_writes_it() {
        let line = JournalLine::read(LINE);
        let of = |name, from, to, length| {
            let numbers = JournalLane { from, to, length };
            LaneName::read(name).map(|name| (name, numbers))
        };
        let groups = [of("press", 0, 0, 2), of("vip", 3, 4, 9)];
        let expected = JournalLine {
            previous: "4a0a19218e082a343a1b17e5333409af9d98f0f5",
            number: 17,
            at_ms: 1_800_000_000_000,
            kind: JournalKind::Release,
            main: JournalLane {
                from: 40,
                to: 45,
                length: 61,
            },
            groups: groups.into_iter().flatten().collect(),
            invited: 2,
            period: Some(1_800_000_000),
            left: 0,
            credit: 7,
            automatic: 15,
            most: 5,
            rule: "pace",
            who: "-",
            what: "-",
        };
        assert_eq!(line, Some(expected));
    }

    #[test]
    fn what_is_not_written_so_is_no_line() {
        for (from, to) in [
            (" 17 ", " 017 "),
            (" 17 ", " +17 "),
            (" release ", " released "),
            ("3:4:9", "3:4"),
            ("vip:", ""),
            ("vip:", "press:"),
            (",vip", ",,vip"),
            ("vip:", "main:"),
            ("15:5", "15"),
            (" pace - -", " pace -"),
            ("4a0a", "4A0A"),
            ("4a0a", "4a0"),
            ("1800000000 0", "-2 0"),
        ] {
            let text = LINE.replace(from, to);
            assert_ne!(text, LINE);
            assert_eq!(JournalLine::read(&text), None, "{text}");
        }
    }

    #[test]
    fn a_line_that_came_back_names_what_was_known_before() {
        let of = |kind: &str, what: &str| {
            let text = LINE.replace("release", kind);
            let text = text.replace(" pace - -", &format!(" - sign {what}"));
            JournalLine::read(&text).and_then(|line| line.known_before())
        };
        let head = Head::read("0123456789abcdef");
        assert_eq!(of("loss", "0123456789abcdef"), head);
        assert_eq!(of("restore", "0123456789abcdef"), head);
        assert_eq!(of("restore", "-"), None);
        assert_eq!(of("change", "0123456789abcdef"), None);
    }
}
