//! A line that never ends in front of an origin, and a window that follows its answers: what the share rule is measured with.
//!
//! Nothing of the product runs: [`crate::window`] has the rule. Visitors come some seconds after their release, and each asks for one page;
//! notes of answers reach the rule one to two seconds after the answers.

use std::collections::VecDeque;
use std::ops::Range;

use crate::baseline::Baseline;
use crate::chance::Chance;
use crate::origin::{Answer, Origin};
use crate::scenario::OriginIs;
use crate::units::{float, whole};
use crate::window::{Period, Steering, Window};

/// A slower answer is late.
const SLOW_MS: u64 = 1000;
/// How long after their release visitors come, at least and at most.
const COME_MS: (u64, u64) = (1000, 5000);
/// This number of bad answers makes the origin sick, where it is at least this share of all that are remembered.
const SICK_BAD: u64 = 3;
const SICK_PERCENT: u64 = 30;
/// For how long bad answers are remembered, in seconds.
const SICK_MEMORY: u64 = 30;
/// For how long the origin is taken to be sick, in seconds.
const SICK_SECONDS: (u64, u64) = (40, 60);
/// An origin that is out says so at once.
const OUT: Answer = Answer {
    after_ms: 5,
    status: 503,
};

/// What is played.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The origin.
    pub origin: OriginIs,
    /// What the pace follows.
    pub steering: Steering,
    /// The first window, in visitors.
    pub begins: u64,
    /// The length of a period, in seconds.
    pub lasts: u64,
    /// For how many seconds it is played.
    pub seconds: u64,
    /// Which share of the first answers is watched.
    pub watched: f64,
    /// The seconds in which each answer is bad. Only with it the origin can be sick.
    pub outage: Option<Range<u64>>,
}

/// What happened within a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Second {
    /// How many visitors came.
    pub came: u64,
    /// How many of their answers were late.
    pub late: u64,
    /// The window in thousandths of a visitor; `None` while the origin is taken to be sick.
    pub size: Option<u64>,
}

/// Watched answers to visitors of one period.
#[derive(Clone, Copy, Debug, Default)]
struct Note {
    released: u64,
    answers: u64,
    late: u64,
    bad: u64,
}

/// What bad answers say.
#[derive(Default)]
struct Sickness {
    until: u64,
    answers: u64,
    bad: u64,
}

struct Play<'a> {
    setup: &'a Setup,
    origin: Origin,
    chance: Chance,
    window: Window,
    baseline: Baseline,
    sickness: Sickness,
    /// What was left of a window that is no whole visitor, in thousandths.
    remainder: u64,
    /// Visitors on their way, by the second: when each comes (in milliseconds), and when it was released.
    coming: VecDeque<Vec<(u64, u64)>>,
    /// Notes on their way, by the second.
    notes: VecDeque<Vec<Note>>,
}

/// Plays it with this seed, second by second.
#[must_use]
pub fn play(setup: &Setup, seed: u64) -> Vec<Second> {
    let mut play = Play {
        setup,
        origin: Origin::new(&setup.origin, Chance::new(seed, 1)),
        chance: Chance::new(seed, 2),
        window: Window::of(setup.begins),
        baseline: Baseline::default(),
        sickness: Sickness::default(),
        remainder: 0,
        coming: VecDeque::new(),
        notes: VecDeque::new(),
    };
    (0..setup.seconds).map(|now| play.second(now)).collect()
}

impl Play<'_> {
    fn second(&mut self, now: u64) -> Second {
        self.hear(now);
        let is_sick = now < self.sickness.until;
        if !is_sick && now.is_multiple_of(self.setup.lasts) {
            self.open(now);
        }
        let mut second = Second {
            size: Some(self.window.size).filter(|_| !is_sick),
            ..Second::default()
        };
        let mut coming = self.coming.pop_front().unwrap_or_default();
        coming.sort_unstable();
        for (at_ms, released) in coming {
            second.came += 1;
            second.late += self.arrive(at_ms, released);
        }
        second
    }

    fn hear(&mut self, now: u64) {
        if now.is_multiple_of(SICK_MEMORY) {
            (self.sickness.answers, self.sickness.bad) = (0, 0);
        }
        for note in self.notes.pop_front().unwrap_or_default() {
            self.baseline.heard(now / 60, note.answers, note.late);
            self.window.heard(note.released, note.answers, note.late);
            self.sickness.answers += note.answers;
            self.sickness.bad += note.bad;
        }
        let Sickness {
            until,
            answers,
            bad,
        } = self.sickness;
        let is_bad = bad >= SICK_BAD && bad * 100 >= answers * SICK_PERCENT;
        if self.setup.outage.is_some() && now >= until && is_bad {
            let (from, to) = SICK_SECONDS;
            self.sickness = Sickness {
                until: now + from + whole(self.chance.fraction() * float(to - from)),
                ..Sickness::default()
            };
            self.window.sick(self.period(now), self.setup.steering);
        }
    }

    fn period(&self, at: u64) -> Period {
        let lasts = self.setup.lasts;
        Period { at, lasts }
    }

    fn open(&mut self, now: u64) {
        let baseline = self.baseline.share();
        self.window
            .open(self.period(now), baseline, self.setup.steering);
        let all = self.window.size + self.remainder;
        self.remainder = all % 1000;
        let (from_ms, to_ms) = COME_MS;
        for _ in 0..all / 1000 {
            let after_ms = from_ms + whole(self.chance.fraction() * float(to_ms - from_ms));
            let visitor = (now * 1000 + after_ms, now);
            put(&mut self.coming, after_ms / 1000, visitor);
        }
    }

    /// A visitor comes and is answered: whether late is counted as 0 or 1.
    fn arrive(&mut self, at_ms: u64, released: u64) -> u64 {
        let now = at_ms / 1000;
        let is_out = self.setup.outage.as_ref();
        let answer = if is_out.is_some_and(|outage| outage.contains(&now)) {
            OUT
        } else {
            self.origin.ask(at_ms)
        };
        let bad = u64::from(answer.status >= 500);
        let late = bad.max(u64::from(answer.after_ms > SLOW_MS));
        if self.chance.happens(self.setup.watched) {
            let known_ms = at_ms + answer.after_ms.min(SLOW_MS + 1);
            let note = Note {
                released,
                answers: 1,
                late,
                bad,
            };
            // The first note of this second is heard in the next one.
            put(&mut self.notes, known_ms / 1000 + 1 - now, note);
        }
        late
    }
}

/// Puts something where the queue is this many seconds later.
fn put<T>(queue: &mut VecDeque<Vec<T>>, seconds: u64, what: T) {
    let index = usize::try_from(seconds).unwrap_or(usize::MAX);
    if queue.len() <= index {
        queue.resize_with(index + 1, Vec::new);
    }
    if let Some(slot) = queue.get_mut(index) {
        slot.push(what);
    }
}
