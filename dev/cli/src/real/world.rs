//! Real time: visitors come when the simulator's do, each a task of its own, and what happens to them is written down.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use simulator::outside::Outside;
use simulator::person::{Person, shares};
use simulator::record::{Record, Run};
use simulator::scenario::{Event, Scenario};
use simulator::simulate::Case;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::site::Site;
use super::visitor::Visitor;

/// A real run under way.
pub(super) struct World {
    pub(super) scenario: Scenario,
    pub(super) site: Site,
    pops: Vec<f64>,
    record: Mutex<Record>,
    start: Instant,
    unanswered: AtomicU64,
}

/// Plays a scenario to its end.
pub(super) fn play(case: &Case, pace_a_minute: f64, wasm: &Path) -> Result<Run, String> {
    let scenario = &case.scenario;
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("No runtime: {error}."))?;
    let site = Site::start(scenario, wasm, runtime.handle())?;
    runtime.block_on(until_a_period(scenario, &site));
    let world = Arc::new(World {
        scenario: scenario.clone(),
        site,
        pops: shares(scenario.pops),
        record: Mutex::new(Record::new(scenario, pace_a_minute)),
        start: Instant::now(),
        unanswered: AtomicU64::new(0),
    });
    runtime.block_on(world.run(&case.moments))?;
    // No visitor has a part in it from here on.
    drop(runtime);
    let world = Arc::into_inner(world).ok_or("A visitor goes on after the end.")?;
    Ok(world.finished())
}

/// A simulation begins with a period of the pace, and so does this.
async fn until_a_period(scenario: &Scenario, site: &Site) {
    let (secs, _) = scenario.pace().unwrap_or((1, 0));
    let length_ms = secs * 1000;
    let left_ms = length_ms - site.now_ms() % length_ms;
    tokio::time::sleep(Duration::from_millis(left_ms)).await;
}

impl World {
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

    pub(super) fn had_no_answer(&self) {
        self.unanswered.fetch_add(1, Ordering::Relaxed);
    }

    async fn run(self: &Arc<Self>, moments: &[u64]) -> Result<(), String> {
        let end = self.at(self.scenario.lasts.ms());
        let (mut events, mut visitors) = (JoinSet::new(), JoinSet::new());
        for event in self.scenario.events.clone() {
            events.spawn(Arc::clone(self).event(event));
        }
        let visits = async {
            for (number, at_ms) in moments.iter().enumerate() {
                sleep_until(self.at(*at_ms)).await;
                visitors.spawn(self.arrives(number).visit());
            }
            while let Some(done) = visitors.join_next().await {
                done.map_err(|error| format!("A visitor was interrupted: {error}."))?;
            }
            Ok::<_, String>(())
        };
        // Visitors who are left at the end stay where they are.
        timeout_at(end, visits).await.unwrap_or(Ok(()))?;
        while let Some(done) = events.try_join_next() {
            done.map_err(|error| format!("An event was interrupted: {error}."))??;
        }
        Ok(())
    }

    fn at(&self, at_ms: u64) -> Instant {
        self.start + Duration::from_millis(at_ms)
    }

    fn arrives(self: &Arc<Self>, number: usize) -> Visitor {
        let (seed, habits) = (self.scenario.seed, &self.scenario.visitors);
        let person = Person::new(number as u64, seed, habits, &self.pops, self.now_ms());
        let mut record = self.record();
        record.point().arrivals += 1;
        Visitor {
            number,
            person,
            before: record.last_number(),
            world: Arc::clone(self),
        }
    }

    async fn event(self: Arc<Self>, event: Event) -> Result<(), String> {
        sleep_until(self.at(event.at.ms())).await;
        if let Some((verb, fields)) = event.change() {
            self.site.operate(verb, &fields).await?;
        }
        if let Some(times) = event.origin_slower {
            self.site.origin.is_slower(times);
        }
        if let Some(time) = event.origin_sick {
            self.site.origin.is_sick(Duration::from_millis(time.ms()));
        }
        Ok(())
    }

    fn finished(self) -> Run {
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

pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
