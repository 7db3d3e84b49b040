//! The journal: what moved the line, one text for each step, chained by a digest so that none can be changed, left out or put
//! elsewhere without a trace.
//!
//! Invariant: the digest of a line is that of the room's key, a space and the line, and the next line begins with it.
//! `store/lua/journal.lua` writes them.

mod line;

use super::{Board, RoomName, sha1};
pub use line::{JournalKind, JournalLane, JournalLine};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// What the journal has reached: the first 16 digits of the digest of its last line. Boards and tickets carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Head(u64);

impl Head {
    /// How many digits it has.
    const DIGITS: usize = 16;

    /// Reads its 16 digits.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_whole = text.len() == Self::DIGITS && text.bytes().all(is_digit);
        let number = is_whole.then(|| u64::from_str_radix(text, 16).ok());
        number.flatten().map(Self)
    }

    /// The head of a journal whose last line has this digest.
    #[must_use]
    pub fn of(digest: &str) -> Option<Self> {
        Self::read(digest.get(..Self::DIGITS)?)
    }
}

impl fmt::Display for Head {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:016x}", self.0)
    }
}

impl From<Head> for String {
    fn from(head: Head) -> Self {
        head.to_string()
    }
}

impl TryFrom<String> for Head {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or("not 16 hexadecimal digits")
    }
}

/// The digest of a line of this room's journal.
#[must_use]
pub fn digest(room: &RoomName, line: &str) -> String {
    let digits = sha1::hex(format!("{} {line}", room.line_key()).as_bytes());
    digits.map(char::from).iter().collect()
}

/// What stands in front of the first line of all, in place of a digest.
pub const BEGINNING: &str = "0000000000000000000000000000000000000000";

/// Up to which line the log of a POP has the journal without a gap: the number and the head of that line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Logged(u64, Head);

impl Logged {
    /// Reads it as the script writes it.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (number, head) = text.split_once(' ')?;
        Some(Self(number.parse().ok()?, Head::read(head)?))
    }

    /// As the script reads it.
    #[must_use]
    pub fn written(self) -> String {
        let Self(number, head) = self;
        format!("{number} {head}")
    }
}

/// Lines that an answer told: what the verb wrote, and what the log of the POP lacked before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noted {
    /// The lines, in their order.
    pub lines: Vec<String>,
    /// The digest of the last of them.
    pub head: String,
}

impl Noted {
    /// When the last of them was written, by the store's clock in milliseconds.
    #[must_use]
    pub fn at_ms(&self) -> u64 {
        let words = self.lines.last().map(|line| line.split(' '));
        let time = words.and_then(|mut words| words.nth(2)?.parse().ok());
        time.unwrap_or_default()
    }
}

/// A page of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalPage {
    /// The number of the last line that was written; 0 without one.
    pub last: u64,
    /// Its digest; empty without one.
    pub head: String,
    /// The lines that were asked for, in their order: later ones where the store no longer has those.
    pub lines: Vec<String>,
}

/// What the journal says of a receipt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traced {
    /// The line as it stands now.
    pub board: Board,
    /// The line that its head is the digest of, where the store has it.
    pub head: Option<String>,
    /// The line by which its number was called, likewise.
    pub called: Option<String>,
    /// Whether the journal has the sum of all regions alone, which says of no number when it was called.
    pub is_of_sum: bool,
}

/// From which number on, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalRange {
    /// The number of the first line.
    pub first: u64,
    /// How many lines at most.
    pub many: u64,
}

impl JournalRange {
    /// How many lines one answer has at most, which is some 70 KB.
    pub const MANY: RangeInclusive<u64> = 1..=500;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_sixteen_digits_and_nothing_else() {
        let text = "00f7c1d2e3a4b596";
        let head = Head::read(text);
        assert_eq!(head.map(|head| head.to_string()).as_deref(), Some(text));
        assert_eq!(Head::of(&text.repeat(2)), head);
        for wrong in [
            "",
            "00f7c1d2e3a4b59",
            "00f7c1d2e3a4b5961",
            "00F7C1D2E3A4B596",
            "+0f7c1d2e3a4b596",
            "00f7c1d2e3a4b59g",
        ] {
            assert_eq!(Head::read(wrong), None, "{wrong}");
        }
        let json = serde_json::to_string(&head).ok();
        assert_eq!(json.as_deref(), Some(r#""00f7c1d2e3a4b596""#));
        assert!(serde_json::from_str::<Head>(r#""00f7""#).is_err());
    }

    /// Also computed by `printf 'queue:{main} abc' | sha1sum`.
    #[test]
    fn a_line_is_digested_behind_the_key_of_its_room() {
        let of = |room| digest(&RoomName::new(room), "abc");
        assert_eq!(of("main"), "e66840305415c9165675357589de0f0f3f23beda");
        assert_ne!(of("main"), of("other"));
    }
}
