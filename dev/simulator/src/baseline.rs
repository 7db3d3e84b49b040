//! The baseline: the share of late answers while the origin is well, since some answers are always late. The product's is in
//! `store/lua/window.lua`.
//!
//! Invariant: it is at most 10 %, and it is known only from groups of at least 200 answers, one a minute at most, of the last
//! ten minutes. The lower quartile of the groups counts, so a bad quarter of an hour does not become the measure.

/// A group has at least this many answers.
const GROUP: u64 = 200;
/// A group is forgotten after this many minutes.
const MINUTES: u64 = 10;
/// All answers, in per mille.
const WHOLE: u64 = 1000;
/// A larger share is no baseline.
const MOST: u64 = 100;

/// What is known of the share of late answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    /// Whole groups, the oldest first: the minute in which each ended, and its share in per mille.
    pub groups: Vec<(u64, u64)>,
    /// The minute of the last answers.
    pub minute: u64,
    /// The answers that are no group yet.
    pub answers: u64,
    /// How many of them were late.
    pub late: u64,
}

impl Baseline {
    /// Answers came within this minute of Unix time.
    pub fn heard(&mut self, minute: u64, answers: u64, late: u64) {
        if minute > self.minute {
            self.close();
            self.minute = minute;
        }
        self.answers = self.answers.saturating_add(answers);
        self.late = self.late.saturating_add(late.min(answers));
        self.groups.retain(|(ended, _)| ended + MINUTES > minute);
    }

    /// The share in per mille: the lower quartile of the groups, and 0 where there is none.
    #[must_use]
    pub fn share(&self) -> u64 {
        let mut shares: Vec<u64> = self.groups.iter().map(|(_, share)| *share).collect();
        shares.sort_unstable();
        let quartile = shares.len().saturating_sub(1) / 4;
        shares.get(quartile).map_or(0, |share| MOST.min(*share))
    }

    fn close(&mut self) {
        if self.answers < GROUP {
            return;
        }
        let share = self.late.saturating_mul(WHOLE) / self.answers;
        self.groups.push((self.minute, share));
        self.answers = 0;
        self.late = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After groups of 1000 answers each, from minute 1 on, with these shares in per mille.
    fn after(shares: &[u64]) -> Baseline {
        let mut baseline = Baseline::default();
        for (minute, share) in (1..).zip(shares) {
            baseline.heard(minute, 1000, *share);
        }
        baseline.heard(shares.len() as u64 + 1, 0, 0);
        baseline
    }

    #[test]
    fn it_is_the_lower_quartile_of_the_groups() {
        assert_eq!(after(&[]).share(), 0, "unknown");
        assert_eq!(after(&[30]).share(), 30);
        assert_eq!(after(&[40, 10, 30, 20]).share(), 10);
        assert_eq!(after(&[50, 40, 10, 30, 20]).share(), 20);
        assert_eq!(after(&[900, 20, 900, 900, 30, 900, 900, 900]).share(), 30);
    }

    #[test]
    fn it_is_at_most_a_tenth() {
        assert_eq!(after(&[100]).share(), 100);
        assert_eq!(after(&[101]).share(), 100);
    }

    #[test]
    fn a_group_has_at_least_200_answers_and_ends_with_its_minute() {
        let mut baseline = Baseline::default();
        baseline.heard(1, 199, 20);
        baseline.heard(2, 0, 0);
        assert_eq!(baseline.groups, [], "too few: collected on");
        baseline.heard(2, 1, 0);
        assert_eq!(baseline.groups, [], "the minute goes on");
        baseline.heard(2, 600, 60);
        baseline.heard(3, 50, 50);
        assert_eq!(baseline.groups, [(2, 100)]);
        assert_eq!((baseline.answers, baseline.late), (50, 50));
    }

    #[test]
    fn groups_are_forgotten_after_ten_minutes_and_there_are_never_more() {
        let mut baseline = after(&[10, 20]);
        baseline.heard(11, 0, 0);
        assert_eq!(baseline.groups, [(2, 20)]);
        baseline.heard(12, 0, 0);
        assert_eq!((baseline.groups.len(), baseline.share()), (0, 0));
        for minute in 1..100 {
            baseline.heard(minute, 10_000, 0);
            assert!(baseline.groups.len() <= 10, "{minute}");
        }
    }

    #[test]
    fn more_late_answers_than_answers_are_none() {
        assert_eq!(after(&[5000]).groups, [(1, 1000)]);
    }
}
