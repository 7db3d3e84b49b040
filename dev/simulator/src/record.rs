//! What a simulation writes down: a point for each minute, and the sums.

use std::collections::BTreeMap;

use now_serving::queue::{Enforcement, Reason};

use crate::costs::{Bills, bills};
use crate::histogram::Histogram;
use crate::origin::Answer;
use crate::outside::Outside;
use crate::person::Habit;
use crate::scenario::Scenario;
use crate::units::{Span, float};
use crate::waits::Waits;

/// What happened within one point of time.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Its end, in milliseconds after the start.
    pub end_ms: u64,
    /// Visitors who came for the first time.
    pub arrivals: u64,
    /// Visitors who had to wait.
    pub had_to_wait: u64,
    /// Numbers that were drawn.
    pub drawn: u64,
    /// Visitors who went in for the first time.
    pub admitted: u64,
    /// Visitors who gave up.
    pub left: u64,
    /// By how much the cursor moved.
    pub called: u64,
    /// Numbers that wait, at its end.
    pub waiting: u64,
    /// Visitors inside, at its end.
    pub inside: u64,
    /// How many of them had stayed on the page.
    pub stayed: u64,
    /// How many of them were of the first half who came.
    pub early: u64,
    /// Sessions by the store's count, at its end; 0 without a cap.
    pub sessions: u64,
    /// The longest that one of these had waited.
    pub longest_wait: Span,
    /// Calls of the store.
    pub calls: u64,
    /// Requests to the edge.
    pub requests: u64,
    /// How long the origin took.
    pub origin: Histogram,
    /// Requests that the origin turned away, or failed to answer.
    pub failed: u64,
    /// Whether the origin counts as sick, at its end.
    pub is_sick: bool,
    /// Answers that were late.
    pub late: u64,
    /// This window at the end of the point, in thousandths of a visitor.
    pub window: Option<u64>,
}

/// What must not happen, and whether it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Numbers that two visitors drew.
    pub twice: u64,
    /// Numbers that are smaller than one drawn before.
    pub out_of_order: u64,
    /// Visitors who went in before the cursor reached their number.
    pub too_early: u64,
    /// Times that the cursor fell.
    pub cursor_fell: u64,
    /// The most sessions and promised slots there were above the cap.
    pub above_cap: u64,
}

/// What came of a simulation.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// What is played, where several ways are compared.
    pub name: String,
    /// How long a point is.
    pub every: Span,
    /// How long it took until no visitor was left.
    pub lasted: Span,
    /// The points, in order.
    pub points: Vec<Point>,
    /// The pace, in visitors a minute.
    pub pace_a_minute: f64,
    /// The waits of the visitors who went in, copies aside.
    pub waits: Histogram,
    /// Who went in, in that order: whether each was of the first half who came. Noted where an event decides the order.
    pub order: Option<Vec<bool>>,
    /// When the last visitor who waited went in.
    pub last_in: Option<Span>,
    /// The longest the line was.
    pub longest_line: u64,
    /// The cap, where there is one.
    pub cap: Option<u64>,
    /// The most visitors inside at the end of a point.
    pub most_inside: u64,
    /// Sums of the points.
    pub sums: Point,
    /// Entries by a copied ticket, besides its first holder's.
    pub by_copies: u64,
    /// Visitors inside who were sent back to the line.
    pub put_back: u64,
    /// Visitors who were let in while the store did not answer.
    pub without_store: u64,
    /// Estimates with five minutes to go and more: how far off, in thousandths of the truth.
    pub estimates_off: Histogram,
    /// The others, in milliseconds.
    pub near_estimates_off: Histogram,
    /// Waits from the draw on, as visitors and the metrics counted them, beside what the page said at the draw.
    pub counted: Waits,
    /// How much of the pace came when visitors had to wait, in percent.
    pub waits_from_percent: Option<f64>,
    /// The most numbers drawn within a second of a point, on average.
    pub most_draws_a_second: f64,
    /// Commands that the store ran.
    pub commands: u64,
    /// What it costs.
    pub bills: Bills,
    /// What must not happen.
    pub checks: Checks,
}

/// A visitor goes in for the first time.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// How long after they came.
    pub waited_ms: u64,
    /// Their number.
    pub position: Option<u64>,
    /// Whether they are of the first half who came.
    pub is_early: bool,
    /// What they did meanwhile.
    pub habit: Habit,
    /// Why they went in.
    pub reason: Reason,
}

/// A run as it is written down.
pub struct Record {
    every_ms: u64,
    slow_ms: u64,
    run: Run,
    point: Point,
    /// Where calls, requests and cursor were at the end of the last point.
    before: (u64, u64, u64),
    inside: u64,
    /// Who holds a number: a visitor, by how many drew it.
    drawn: BTreeMap<u64, u32>,
    last_number: u64,
    now_ms: u64,
}

impl Record {
    /// An empty one of this scenario.
    #[must_use]
    pub fn new(scenario: &Scenario, pace_a_minute: f64) -> Self {
        Self {
            every_ms: scenario.point.ms(),
            slow_ms: scenario.slow_ms(),
            run: Run {
                every: scenario.point,
                pace_a_minute,
                order: scenario.has_event().then(Vec::new),
                ..Run::default()
            },
            point: Point::default(),
            before: (0, 0, 0),
            inside: 0,
            drawn: BTreeMap::new(),
            last_number: 0,
            now_ms: 0,
        }
    }

    /// What happens now belongs to this point.
    pub fn point(&mut self) -> &mut Point {
        &mut self.point
    }

    /// Time passes up to here.
    pub fn pass(&mut self, now_ms: u64, site: &impl Outside) {
        while now_ms >= (self.run.points.len() as u64 + 1) * self.every_ms {
            self.close((self.run.points.len() as u64 + 1) * self.every_ms, site);
        }
        self.now_ms = now_ms;
    }

    /// Ends a point.
    pub fn close(&mut self, end_ms: u64, site: &impl Outside) {
        let (length, cursor) = site.line();
        let (calls, requests, before) = self.before;
        let mut point = std::mem::take(&mut self.point);
        point.end_ms = end_ms;
        point.waiting = length.saturating_sub(cursor);
        point.inside = self.inside;
        point.called = cursor.saturating_sub(before);
        point.calls = site.calls() - calls;
        point.requests = site.requests() - requests;
        point.is_sick = site.is_sick();
        self.before = (site.calls(), site.requests(), cursor);
        self.run.checks.cursor_fell += u64::from(cursor < before);
        point.sessions = self.check_cap(site);
        self.run.points.push(point);
    }

    /// How many sessions there are, and whether they are as few as they may.
    fn check_cap(&mut self, site: &impl Outside) -> u64 {
        let Some(sessions) = site.sessions() else {
            return 0;
        };
        self.run.cap = self.run.cap.max(Some(sessions.total_active));
        if sessions.enforcement == Enforcement::On {
            let taken = sessions.inside() + sessions.promised;
            let above = taken.saturating_sub(sessions.total_active);
            self.run.checks.above_cap = self.run.checks.above_cap.max(above);
        }
        sessions.inside()
    }

    /// The largest number that was drawn.
    #[must_use]
    pub fn last_number(&self) -> u64 {
        self.last_number
    }

    /// A visitor has a number, and asked for it when `before` was the largest.
    pub fn drew(&mut self, number: u64, before: u64, is_copy: bool) {
        self.point.drawn += 1;
        let times = self.drawn.entry(number).or_default();
        *times += 1;
        self.run.checks.twice += u64::from(*times > 1 && !is_copy);
        self.run.checks.out_of_order += u64::from(number < before);
        self.last_number = self.last_number.max(number);
    }

    /// A visitor has to wait.
    pub fn waits(&mut self) {
        self.point.had_to_wait += 1;
    }

    /// A visitor goes in for the first time.
    pub fn entered(&mut self, entry: Entry, site: &impl Outside) {
        let Entry {
            waited_ms,
            position,
            is_early,
            habit,
            reason,
        } = entry;
        self.inside += 1;
        if reason == Reason::AdmittedWithoutStore {
            self.run.without_store += 1;
        } else {
            let (_, cursor) = site.line();
            let is_early = position.is_some_and(|position| position > cursor);
            self.run.checks.too_early += u64::from(is_early);
        }
        if habit == Habit::Copy {
            self.run.by_copies += 1;
            return;
        }
        self.point.admitted += 1;
        self.point.early += u64::from(is_early);
        if let Some(order) = &mut self.run.order {
            order.push(is_early);
        }
        self.run.waits.add(waited_ms);
        if waited_ms > 0 {
            self.run.last_in = Some(Span::from_ms(self.now_ms));
        }
        if habit == Habit::Steady {
            self.point.stayed += 1;
            let longest = self.point.longest_wait.max(Span::from_ms(waited_ms));
            self.point.longest_wait = longest;
        }
    }

    /// A visitor goes in, that many seconds after the draw, after the page estimated so many.
    pub fn waited(&mut self, seconds: u64, estimate: Option<u64>) {
        self.run.counted.add(seconds, estimate);
    }

    /// The origin answered.
    pub fn answered(&mut self, answer: Answer) {
        if answer.status >= 500 {
            self.point.failed += 1;
        } else {
            self.point.origin.add(answer.after_ms);
            self.point.late += u64::from(answer.after_ms > self.slow_ms);
        }
    }

    /// A visitor inside leaves.
    pub fn left_inside(&mut self) {
        self.inside = self.inside.saturating_sub(1);
    }

    /// A visitor inside is back in the line.
    pub fn put_back(&mut self) {
        self.run.put_back += 1;
        self.left_inside();
    }

    /// An estimate that was shown has become true, or not: both in seconds.
    pub fn estimated(&mut self, shown: u64, truth: u64) {
        let off = shown.abs_diff(truth);
        if truth >= 300 {
            self.run.estimates_off.add(off * 1000 / truth);
        } else {
            self.run.near_estimates_off.add(off * 1000);
        }
    }

    /// All is over.
    #[must_use]
    pub fn finished(self, site: &impl Outside) -> Run {
        let mut run = self.run;
        let mut sums = Point::default();
        for point in &run.points {
            sums.end_ms = point.end_ms;
            sums.arrivals += point.arrivals;
            sums.drawn += point.drawn;
            sums.admitted += point.admitted;
            sums.left += point.left;
            sums.called += point.called;
            sums.calls += point.calls;
            sums.requests += point.requests;
            sums.failed += point.failed;
            sums.late += point.late;
            sums.origin.merge(&point.origin);
            sums.longest_wait = sums.longest_wait.max(point.longest_wait);
        }
        let most = |value: fn(&Point) -> u64| run.points.iter().map(value).max().unwrap_or(0);
        run.longest_line = most(|point| point.waiting);
        run.most_inside = most(|point| point.inside);
        run.most_draws_a_second = float(most(|point| point.drawn)) / run.every.as_secs();
        run.lasted = Span::from_ms(sums.end_ms);
        run.commands = site.store().commands();
        run.bills = bills(run.commands, sums.requests);
        run.waits_from_percent = waits_from(&run);
        run.sums = sums;
        run
    }
}

/// How many of the first tenth who went in are of the first half who came, in percent.
#[must_use]
pub fn early_percent(run: &Run) -> Option<f64> {
    let order = run.order.as_ref()?;
    let first = order.get(..order.len() / 10)?;
    let early = first.iter().filter(|is_early| **is_early).count();
    (!first.is_empty()).then(|| 100.0 * float(early as u64) / float(first.len() as u64))
}

/// The arrivals of the first point in which one of ten had to wait, in percent of the pace.
#[must_use]
pub fn waits_from(run: &Run) -> Option<f64> {
    let waits = |point: &&Point| point.had_to_wait * 10 > point.arrivals;
    let point = run.points.iter().find(waits)?;
    let a_minute = float(point.arrivals) / run.every.as_minutes();
    (run.pace_a_minute > 0.0).then(|| 100.0 * a_minute / run.pace_a_minute)
}
