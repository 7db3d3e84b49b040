//! How the model measures which called visitors do not come.

use super::Model;
use crate::queue::Answers;
use crate::queue::Renewal;
use crate::queue::absent::{Absent, AbsentVisitors, Turnout};
use crate::queue::{Mode, absent};
use std::collections::{BTreeMap, VecDeque};

/// A POP brings its counts within this time; later than that after a release they are late.
const LATE_MS: u64 = 30_000;
const MINUTE_MS: u64 = 60_000;
/// How many minutes a share counts without a new measurement.
const LONGEST_SHARE: u64 = 30;
/// How many samples there are.
const SAMPLES: usize = 61;

/// First admissions that a POP brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brought<'a> {
    /// Which till they come from.
    pub till: &'a str,
    /// Grows with each batch of the till.
    pub number: u64,
    /// How many.
    pub admitted: u64,
    /// Sessions that were renewed there, and how many each time.
    pub renewed: &'a [(Renewal, u64)],
    /// How the origin answered what was watched there.
    pub watched: Answers,
    /// Under which number of cuts.
    pub cuts: u64,
}

/// What the line knows of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// All first admissions.
    pub(super) claimed: u64,
    /// When the first release was made after the latest counts came.
    uncounted_ms: Option<u64>,
    /// Since which minute the mode is automatic and counts come in time.
    steady: Option<u64>,
    /// Per mille.
    share: Option<u64>,
    /// The minute in which it was measured.
    measured: u64,
    /// The remainder of a budget, per mille.
    pub(super) remainder: u64,
    /// The latest minute in which a verb ran.
    minute: u64,
}

/// What is kept beside the line, and so survives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// How minutes ended, the latest first.
    samples: VecDeque<(u64, Turnout)>,
    /// The number of the latest batch of each till.
    tills: BTreeMap<String, u64>,
}

impl Model {
    /// The same line with this setting.
    #[must_use]
    pub fn with_absent_visitors(self, setting: AbsentVisitors) -> Self {
        Self {
            absent_visitors: setting,
            ..self
        }
    }

    /// What is known of called visitors who do not come.
    #[must_use]
    pub fn absent(&self, now_ms: u64) -> Absent {
        let last = (now_ms / MINUTE_MS).saturating_sub(1);
        let latest: Vec<_> = self.kept.samples.iter().take(2).copied().collect();
        let missing_at = |minute: u64| {
            if minute >= self.counted.minute {
                return self.turnout().missing();
            }
            let sample = latest.iter().find(|(at, _)| *at <= minute);
            sample.map_or(0, |(_, turnout)| turnout.missing())
        };
        let ends = (missing_at(last.saturating_sub(1)), missing_at(last));
        Absent {
            share: self.counted.share,
            may_come: absent::may_come(self.turnout().missing(), ends, now_ms % MINUTE_MS),
        }
    }

    /// A POP that is asked for its metrics brings what it has counted. The line does not move.
    pub fn scrape(&mut self, brought: &[Brought<'_>], now_ms: u64) {
        let mut line = self.clone();
        line.begin_sessions(now_ms);
        line.count(brought, now_ms);
        if !self.is_new {
            self.counted = line.counted;
            self.health = line.health;
            (self.window, self.baseline) = (line.window, line.baseline.clone());
            self.cut_at = line.cut_at;
            if line.cap().is_some() {
                self.inside.take_counts_of(&line.inside);
            }
        }
        self.kept = line.kept;
    }

    pub(super) fn turnout(&self) -> Turnout {
        Turnout {
            called: self.admitted,
            came: self.counted.claimed,
        }
    }

    /// The share for which the pace calls more visitors.
    pub(super) fn compensated(&self) -> u64 {
        let pace = self.sign.live.pace;
        self.absent_visitors.compensated(pace, self.counted.share)
    }

    /// What is kept at most of a budget.
    pub(super) fn most_kept(&self) -> u64 {
        absent::kept(self.period_most(), self.compensated())
    }

    pub(super) fn count(&mut self, brought: &[Brought<'_>], now_ms: u64) {
        let mut heard = (Answers::default(), Answers::default());
        for batch in brought {
            let last = self.kept.tills.entry(batch.till.to_owned()).or_default();
            if batch.number > *last {
                *last = batch.number;
                self.renew(batch.renewed, now_ms);
                self.counted.claimed += batch.admitted;
                heard.0 = heard.0.and(batch.watched);
                if batch.cuts == self.window.cuts {
                    heard.1 = heard.1.and(batch.watched);
                }
                if batch.admitted > 0 {
                    if self.counted.are_late(now_ms) {
                        self.counted.steady = None;
                    }
                    self.counted.uncounted_ms = None;
                }
            }
        }
        self.hear(heard, now_ms);
    }

    /// What happens after each verb: how the turnout stood before it, and what that says at the end of a minute.
    pub(super) fn watch_turnout(&mut self, before: Turnout, now_ms: u64) {
        let this = now_ms / MINUTE_MS;
        let is_automatic = self.mode(now_ms) == Mode::Automatic;
        self.counted.steady = (is_automatic && !self.counted.are_late(now_ms))
            .then(|| self.counted.steady.unwrap_or(this));
        if self.admitted > before.called {
            self.counted.uncounted_ms.get_or_insert(now_ms);
        }
        if this <= self.counted.minute {
            return;
        }
        if self.counted.minute > 0 {
            self.kept.samples.push_front((self.counted.minute, before));
            self.kept.samples.truncate(SAMPLES);
            self.measure_absent(this);
        }
        self.counted.minute = this;
    }

    fn measure_absent(&mut self, this: u64) {
        let was_idle = self.counted.minute + 1 < this;
        if self.absent_visitors == AbsentVisitors::Off || was_idle {
            self.counted.share = None;
        } else if self.counted.steady.is_some_and(|since| since + 7 <= this) {
            let ends = self.kept.samples.iter().skip(1).take(6);
            let ends: Vec<Turnout> = ends
                .zip(1..)
                .filter(|((at, _), back)| at + 1 + back == this)
                .map(|((_, turnout), _)| *turnout)
                .collect();
            self.counted.share = match ends[..] {
                [last, _, _, _, _, first] => last.absent_since(first),
                _ => None,
            };
            if self.counted.share.is_some() {
                self.counted.measured = this;
            }
        } else if this - self.counted.measured > LONGEST_SHARE {
            self.counted.share = None;
        }
    }
}

impl Counted {
    /// The latest minute in which a verb ran.
    pub(super) fn minute(&self) -> u64 {
        self.minute
    }

    /// What was called and came until now says nothing of the visitors called from now on.
    pub(super) fn begin_anew(&mut self) {
        self.steady = None;
    }

    fn are_late(&self, now_ms: u64) -> bool {
        let since = self.uncounted_ms;
        since.is_some_and(|since_ms| now_ms.saturating_sub(since_ms) > LATE_MS)
    }
}
