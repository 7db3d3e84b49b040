//! Invitations: what one entitles to, and what becomes of it where the line answers.
//!
//! Invariant: an invitation is used only by a visitor who goes in by it, or draws in the lane of its group, at most as often as it says,
//! and no number of the main line is used for it.

use super::{Groups, LaneName, Now, words};
use std::ops::RangeInclusive;

/// What the field of a form and the query of a link call it.
pub const PARAMETER: &str = "invitation";

/// A verified invitation, as tickets carry it to the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Random; names the counter of its uses.
    pub id: String,
    /// How many visitors may use it.
    pub uses: u64,
    /// From which Unix second on it is no longer good.
    pub ends: u64,
    /// The batch that it was made with, by which it can be revoked.
    pub batch: String,
    /// The group in whose lane it opens a number; none: it opens the way straight in.
    pub group: Option<LaneName>,
}

impl Invitation {
    /// How many visitors may be allowed to use one.
    pub const USES: RangeInclusive<u64> = 1..=100_000;
    /// How far ahead one may end, in seconds.
    pub const LONGEST_SECS: u64 = 3650 * 86_400;
    /// What is accepted as its end.
    pub const END: &str =
        "a time of the future, at most ten years ahead, such as 2030-02-01T00:00:00Z";

    /// The Unix second of this time, if one that is made now may end then.
    #[must_use]
    pub fn end_at(time_ms: u64, now: Now) -> Option<u64> {
        let latest = now.secs() + Self::LONGEST_SECS;
        let accepted = now.ms() + 1000..=latest * 1000;
        accepted.contains(&time_ms).then_some(time_ms / 1000)
    }

    /// Whether it is one that may be made at this time: a shop that makes some may miscount.
    #[must_use]
    pub fn is_sound(&self, now: Now) -> bool {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        is_batch(&self.batch)
            && (1..=64).contains(&self.id.len())
            && self.id.bytes().all(is_part)
            && Self::USES.contains(&self.uses)
            && self.ends.saturating_sub(now.secs()) <= Self::LONGEST_SECS
    }

    /// As a ticket carries it. The name of a group begins with a letter, and the uses with a digit.
    #[must_use]
    pub fn written(&self) -> String {
        let Self {
            id,
            uses,
            ends,
            batch,
            group,
        } = self;
        let group = group.map_or_else(String::new, |group| format!("{} ", group.as_str()));
        format!("{group}{uses} {ends} {batch} {id}")
    }

    /// The one that was written so.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let named = text
            .split_once(' ')
            .and_then(|(name, rest)| Some((LaneName::read(name)?, rest)));
        let (group, text) = named.map_or((None, text), |(name, rest)| (Some(name), rest));
        let mut words = text.splitn(4, ' ');
        Some(Self {
            group,
            uses: words.next()?.parse().ok()?,
            ends: words.next()?.parse().ok()?,
            batch: words.next()?.to_owned(),
            id: words.next()?.to_owned(),
        })
    }
}

words! {
    /// What became of an invitation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Invited {
        /// The visitor went in by it.
        In = "in",
        /// The visitor has a number of its group by it.
        Group = "group",
        /// It was not used, and stays good: the room admits no visitor, the minute has had its visitors, no slot is free, or the
        /// room has no such group.
        Kept = "kept",
        /// It has been used as often as it may be.
        Used = "used",
        /// Its time is over.
        Expired = "expired",
        /// Its batch is revoked.
        Revoked = "revoked",
        /// It is no invitation to this room.
        Wrong = "wrong",
    }
}

/// Which invitations are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invitations {
    /// How many visitors may go straight in by one in a minute.
    pub per_minute: u64,
    /// The groups whose lanes they open.
    pub groups: Groups,
    /// The batches that are no longer good.
    pub revoked: Vec<String>,
}

impl Invitations {
    /// What is accepted as the number of visitors in a minute.
    pub const PER_MINUTE: RangeInclusive<u64> = 0..=100_000;
    /// How many batches may be revoked.
    pub const MOST_REVOKED: usize = 100;

    /// Whether any is taken.
    #[must_use]
    pub fn are_taken(&self) -> bool {
        self.per_minute > 0 || !self.groups.list.is_empty()
    }

    /// Whether this batch is no longer good.
    #[must_use]
    pub fn have_revoked(&self, batch: &str) -> bool {
        self.revoked.iter().any(|revoked| revoked == batch)
    }
}

/// An invitation that a visitor brings to the line, and how many visitors may go straight in by one in a minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presented<'a> {
    /// The invitation.
    pub invitation: &'a Invitation,
    /// How many.
    pub per_minute: u64,
}

impl Presented<'_> {
    /// As the script receives it.
    #[must_use]
    pub fn written(&self) -> String {
        let Invitation {
            uses, ends, group, ..
        } = self.invitation;
        let group = group.as_ref().map_or("-", LaneName::as_str);
        format!("{uses} {ends} {} {group}", self.per_minute)
    }
}

/// Whether a name is one of a batch.
#[must_use]
pub fn is_batch(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    (1..=32).contains(&name.len()) && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invitation_is_read_as_it_was_written() {
        let invitation = Invitation {
            id: "an id".to_owned(),
            uses: 3,
            ends: 1_800_000_000,
            batch: "spring".to_owned(),
            group: None,
        };
        for group in [None, LaneName::read("vip")] {
            let written = Invitation {
                group,
                ..invitation.clone()
            };
            assert_eq!(Invitation::read(&written.written()), Some(written));
        }
        for text in [
            "",
            "vip",
            "3 1800000000 spring",
            "3 x spring id",
            "-1 1800000000 spring id",
        ] {
            assert_eq!(Invitation::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_batch_is_named_in_letters_that_need_no_care() {
        let longest = "a".repeat(32);
        for name in ["spring", "vip-2", "A_b", &longest] {
            assert!(is_batch(name), "{name}");
        }
        for name in ["", "a b", "a,b", "ä", &"a".repeat(33)] {
            assert!(!is_batch(name), "{name}");
        }
    }
}
