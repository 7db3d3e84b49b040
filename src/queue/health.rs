//! Whether the origin is sick: by how it answered the requests that POPs have watched.
//!
//! Invariant: a marker ends by its time alone, unless an operator overrules it. `store/lua/health.lua` has the same rule, since the
//! answers of all POPs come together only there.

use super::chance::{Chance, Rule};
use super::origin::{Answers, OriginHealth};
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

/// Whether the pace follows the answers of the origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdaptivePace {
    /// It does not.
    #[default]
    Off,
    /// It is shown what the answers say.
    Observe,
    /// It does.
    On,
}

impl AdaptivePace {
    /// Every choice, by its name among the settings.
    pub const ALL: [(&'static str, Self); 3] = [
        ("off", Self::Off),
        ("observe", Self::Observe),
        ("on", Self::On),
    ];

    /// Its name among the settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Observe => "observe",
            Self::On => "on",
        }
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

/// For how long an operator overrules it, in milliseconds.
pub const OVERRULED_MS: u64 = 3_600_000;
/// How long an answer counts in full, in milliseconds.
const SPAN_MS: u64 = 10_000;
/// From how many answers on older ones count half.
const MANY: u64 = 50;

/// What the store knows of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Recent answers; older ones count less.
    pub recent: Answers,
    /// As of which span of time.
    pub(crate) span: u64,
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
            ..Self::default()
        })
    }

    /// Whether the marker stands.
    #[must_use]
    pub fn is_sick(&self, now_ms: u64) -> bool {
        now_ms < self.sick_until_ms
    }

    /// Whether it keeps visitors from going in.
    #[must_use]
    pub fn holds(&self, rule: &HealthRule, now_ms: u64) -> bool {
        rule.setting == OriginHealth::On
            && self.is_sick(now_ms)
            && now_ms >= self.overruled_until_ms
    }

    /// POPs tell what they have watched. While the marker stands that changes nothing: visitors who were in before it still get bad
    /// answers.
    pub fn hear(
        &mut self,
        heard: Answers,
        rule: &HealthRule,
        (now_ms, life_s): (u64, u64),
    ) -> Option<Sickness> {
        if heard.sum() == 0 || self.is_sick(now_ms) {
            return None;
        }
        let span = now_ms / SPAN_MS;
        let kept = match span.checked_sub(self.span) {
            Some(0) => self.recent,
            Some(1) => self.recent.halved(),
            _ => Answers::default(),
        };
        let mut recent = kept.and(heard);
        self.span = span;
        // Where the pace follows the answers, late ones make it slower, unless nearly all are.
        let all_bad = recent.late + recent.bad;
        let follows = rule.adaptive == AdaptivePace::On;
        let sick = if follows && all_bad * 10 < recent.sum() * 9 {
            recent.bad
        } else {
            all_bad
        };
        if sick >= rule.sick_min && sick * 100 >= rule.sick_share * recent.sum() {
            self.sick_until_ms = now_ms + life_s * 1000;
            self.recent = Answers::default();
            return Some(Sickness {
                at_ms: now_ms,
                until_ms: self.sick_until_ms,
                answers: recent,
            });
        }
        while recent.sum() >= MANY {
            recent = recent.halved();
        }
        self.recent = recent;
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Answered;
    use std::collections::BTreeSet;

    const NOW: u64 = 1_800_000_000_000;

    fn rule() -> HealthRule {
        HealthRule {
            setting: OriginHealth::On,
            ..HealthRule::default()
        }
    }

    fn answers(ok: u64, late: u64, bad: u64) -> Answers {
        Answers { ok, late, bad }
    }

    fn is_sick_after(heard: &[Answers], rule: &HealthRule) -> bool {
        let mut health = Health::default();
        let seen = heard
            .iter()
            .filter_map(|heard| health.hear(*heard, rule, (NOW, 50)));
        seen.count() > 0
    }

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

    #[test]
    fn with_a_threshold_of_one_each_such_answer_sets_the_marker() {
        let source = HealthRule {
            sick_min: 1,
            ..rule()
        };
        assert!(is_sick_after(&[answers(0, 0, 1)], &source));
        assert!(is_sick_after(&[answers(0, 1, 0)], &source));
        assert!(!is_sick_after(&[answers(1, 0, 0)], &source));
    }

    #[test]
    fn below_the_threshold_or_the_share_nothing_happens() {
        assert!(!is_sick_after(&[answers(0, 0, 2)], &rule()));
        assert!(is_sick_after(&[answers(0, 0, 3)], &rule()));
        assert!(is_sick_after(
            &[answers(0, 0, 2), answers(0, 0, 1)],
            &rule()
        ));
        assert!(!is_sick_after(&[answers(8, 0, 3)], &rule()), "27 %");
        assert!(is_sick_after(&[answers(7, 0, 3)], &rule()), "30 %");
        assert!(is_sick_after(&[answers(7, 2, 1)], &rule()));
    }

    #[test]
    fn old_answers_count_less_and_then_no_more() {
        let mut health = Health::default();
        let mut hear = |heard, ms| health.hear(heard, &rule(), (NOW + ms, 50)).is_some();
        assert!(!hear(answers(60, 0, 0), 0));
        assert!(!hear(answers(0, 0, 6), 10_000), "6 of 21");
        assert!(hear(answers(0, 0, 3), 20_000), "6 of 13");
        let mut health = Health::default();
        let mut hear = |heard, ms| health.hear(heard, &rule(), (NOW + ms, 50)).is_some();
        assert!(!hear(answers(0, 0, 2), 0));
        assert!(
            !hear(answers(0, 0, 2), 30_000),
            "those before are forgotten"
        );
        assert!(
            !hear(answers(0, 0, 2), 0),
            "also where the clock is set back"
        );
        let mut health = Health::default();
        let mut hear = |heard| health.hear(heard, &rule(), (NOW, 50)).is_some();
        assert!(!hear(answers(10_000, 0, 0)));
        assert!(
            hear(answers(0, 0, 40)),
            "a long good time is soon outweighed"
        );
    }

    #[test]
    fn while_the_marker_stands_nothing_makes_it_longer_or_ends_it() {
        let mut health = Health::default();
        let seen = health.hear(answers(0, 0, 3), &rule(), (NOW, 41));
        let expected = Sickness {
            at_ms: NOW,
            until_ms: NOW + 41_000,
            answers: answers(0, 0, 3),
        };
        assert_eq!(seen, Some(expected));
        for heard in [answers(0, 0, 9), answers(999, 0, 0)] {
            assert_eq!(health.hear(heard, &rule(), (NOW + 40_999, 60)), None);
            assert!(health.holds(&rule(), NOW + 40_999));
        }
        assert!(!health.holds(&rule(), NOW + 41_000));
        assert_eq!(
            health.hear(answers(0, 0, 2), &rule(), (NOW + 41_000, 60)),
            None,
            "what was bad before counts no more"
        );
    }

    #[test]
    fn it_holds_only_with_the_setting_and_unless_an_operator_overrules_it() {
        let sick = Health {
            sick_until_ms: NOW + 1,
            ..Health::default()
        };
        assert!(sick.holds(&rule(), NOW));
        let observed = HealthRule {
            setting: OriginHealth::Observe,
            ..rule()
        };
        assert!(sick.is_sick(NOW) && !sick.holds(&observed, NOW));
        let overruled = Health {
            overruled_until_ms: NOW + 1,
            ..sick
        };
        assert!(!overruled.holds(&rule(), NOW));
    }
}
