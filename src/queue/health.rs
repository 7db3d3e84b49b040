//! The setting that says when the origin counts as sick, and what the store tells of it: the marker, and the answers behind it.
//! `store/lua/health.lua` and `heard.lua` have the rule, since the answers of all POPs come together only there.

use super::chance::{Chance, Rule};
use super::origin::{Answers, OriginHealth};
use super::words;
use serde::Serialize;
use std::ops::RangeInclusive;

/// When the origin counts as sick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthRule {
    /// What is done about it.
    pub setting: OriginHealth,
    /// From how many bad answers on.
    pub sick_min: u64,
    /// From which share of bad answers on, in percent.
    pub sick_share: u64,
    /// Answers that take longer are late, in milliseconds.
    pub slow_ms: u64,
    /// Of the documents of visitors inside, one in this many is watched; none at 0.
    pub watch_documents: u64,
    /// Whether the pace follows the answers.
    pub adaptive: AdaptivePace,
    /// The fewest visitors of a period then, and of the first one after a sickness.
    pub window_min: u64,
    /// The most; 0 for as many as the pace has.
    pub window_max: u64,
}

words! {
    /// Whether the pace follows the answers of the origin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum AdaptivePace {
        /// It does not.
        #[default]
        Off = "off",
        /// It is shown what the answers say.
        Observe = "observe",
        /// It does.
        On = "on",
    }
}

impl Default for HealthRule {
    fn default() -> Self {
        Self {
            setting: OriginHealth::Observe,
            ..Self::OFF
        }
    }
}

impl HealthRule {
    /// No answer is watched.
    pub const OFF: Self = Self {
        setting: OriginHealth::Off,
        sick_min: 3,
        sick_share: 30,
        slow_ms: 1000,
        watch_documents: 10,
        adaptive: AdaptivePace::Off,
        window_min: 1,
        window_max: 0,
    };
    /// What is accepted as the fewest visitors of a period.
    pub const WINDOW_MIN: RangeInclusive<u64> = 1..=1_000_000;
    /// What is accepted as the most; 0 for as many as the pace has.
    pub const WINDOW_MAX: RangeInclusive<u64> = 0..=1_000_000;
    /// What is accepted as the number of bad answers.
    pub const SICK_MIN: RangeInclusive<u64> = 1..=1000;
    /// What is accepted as their share, in percent.
    pub const SICK_SHARE: RangeInclusive<u64> = 1..=100;
    /// What is accepted as the time of an answer, in milliseconds.
    pub const SLOW_MS: RangeInclusive<u64> = 50..=60_000;
    /// What is accepted as the share of documents.
    pub const WATCH_DOCUMENTS: RangeInclusive<u64> = 0..=10_000;

    /// What the script reads: the setting, the two thresholds, for how many seconds a marker would stand, and what the pace follows.
    #[must_use]
    pub fn written(&self, life_s: u64) -> String {
        let (setting, min, share) = (self.setting.name(), self.sick_min, self.sick_share);
        let (adaptive, least, most) = (self.adaptive.name(), self.window_min, self.window_max);
        format!("{setting} {min} {share} {life_s} {adaptive} {least} {most}")
    }
}

/// The longest life of a marker, in milliseconds.
pub const LONGEST_MARKER_MS: u64 = 60_000;
/// The life of a marker in seconds: from 40 to 60, by chance, so that lines do not come back together.
#[must_use]
pub fn marker_seconds(chance: Chance) -> u64 {
    chance.between(Rule::Marker, 40, 60)
}

/// What the store knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Recent answers; older ones count less.
    pub recent: Answers,
    /// Until when the marker stands.
    pub sick_until_ms: u64,
    /// Until when an operator has overruled it.
    pub overruled_until_ms: u64,
}

/// The origin has become sick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sickness {
    /// When that was seen, by the store's clock.
    #[serde(skip)]
    pub at_ms: u64,
    /// Until when the marker stands.
    pub until_ms: u64,
    /// The answers that showed it.
    #[serde(flatten)]
    pub answers: Answers,
}

/// Whole numbers with spaces between.
pub(crate) fn numbers<const N: usize>(text: &str) -> Option<[u64; N]> {
    let words: Option<Vec<u64>> = text.split(' ').map(|word| word.parse().ok()).collect();
    words?.try_into().ok()
}

impl Sickness {
    /// Reads what the store wrote: when, until when, and the answers.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let [at_ms, until_ms, ok, late, bad] = numbers(text)?;
        let answers = Answers { ok, late, bad };
        Some(Self {
            at_ms,
            until_ms,
            answers,
        })
    }
}

impl Health {
    /// Reads what the store tells: until when the origin counts as sick, until when that is overruled, and recent answers.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let [sick_until_ms, overruled_until_ms, ok, late, bad] = numbers(text)?;
        Some(Self {
            recent: Answers { ok, late, bad },
            sick_until_ms,
            overruled_until_ms,
        })
    }

    /// Whether the marker stands.
    #[must_use]
    pub fn is_sick(&self, now_ms: u64) -> bool {
        now_ms < self.sick_until_ms
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Answered;
    use std::collections::BTreeSet;

    #[test]
    fn an_answer_of_500_or_after_more_than_a_second_is_not_well() {
        let of = |status, ms| Answered::of(Some(status), ms, 1000);
        assert_eq!(of(499, 10), Answered::Ok);
        assert_eq!(of(500, 10), Answered::Bad);
        assert_eq!(of(404, 10), Answered::Ok, "a wrong address is no sickness");
        assert_eq!(of(200, 1000), Answered::Ok);
        assert_eq!(of(200, 1001), Answered::Late);
        assert_eq!(of(503, 1001), Answered::Bad);
        assert_eq!(Answered::of(None, 0, 1000), Answered::Bad);
    }

    #[test]
    fn a_marker_stands_for_40_to_60_seconds_by_chance() {
        let lives = (0..1000).map(|number| marker_seconds(Chance::new(number)));
        let lives: BTreeSet<u64> = lives.collect();
        assert_eq!(lives.first(), Some(&40));
        assert_eq!(lives.last(), Some(&60));
    }
}
