//! What the visitors of a real run share: the site, the real clock, and the record of what happens to them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use simulator::record::{Record, Run};
use simulator::scenario::Scenario;
use tokio::time::Instant;

use super::held;
use super::site::Site;

/// A real run under way.
pub(super) struct World {
    pub(super) scenario: Scenario,
    pub(super) site: Site,
    record: Mutex<Record>,
    start: Instant,
    unanswered: AtomicU64,
}

impl World {
    /// A run that begins now.
    pub(super) fn new(scenario: &Scenario, pace_a_minute: f64, site: Site) -> Self {
        Self {
            scenario: scenario.clone(),
            site,
            record: Mutex::new(Record::new(scenario, pace_a_minute)),
            start: Instant::now(),
            unanswered: AtomicU64::new(0),
        }
    }

    /// Milliseconds after the start; the end is part of the last point.
    pub(super) fn now_ms(&self) -> u64 {
        let now_ms = u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX);
        now_ms.min(self.scenario.lasts.ms() - 1)
    }

    /// What is written down, up to here.
    pub(super) fn record(&self) -> MutexGuard<'_, Record> {
        let mut record = held(&self.record);
        record.pass(self.now_ms(), &self.site);
        record
    }

    /// This moment of the scenario on the real clock.
    pub(super) fn at(&self, at_ms: u64) -> Instant {
        self.start + Duration::from_millis(at_ms)
    }

    pub(super) fn had_no_answer(&self) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    /// What was written down, when no visitor has a part in it any more.
    pub(super) fn finished(self) -> Run {
        let unanswered = self.unanswered.load(Ordering::Relaxed);
        if unanswered > 0 {
            anstream::eprintln!("{unanswered} requests had no answer.");
        }
        let end_ms = self.now_ms() + 1;
        let mut record = self
            .record
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        record.pass(end_ms - 1, &self.site);
        record.close(end_ms, &self.site);
        record.finished(&self.site)
    }
}
