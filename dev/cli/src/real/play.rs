//! A real run: visitors come when the simulator's do, each a task of its own, and the scenario's events happen at their times.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use simulator::outside::Outside;
use simulator::person::{Person, shares};
use simulator::record::Run;
use simulator::scenario::{Event, Scenario};
use simulator::simulate::Case;
use tokio::runtime::Builder;
use tokio::task::JoinSet;
use tokio::time::{sleep_until, timeout_at};

use super::site::Site;
use super::visitor::Visitor;
use super::world::World;

/// Plays a scenario to its end.
pub(super) fn play(case: &Case, pace_a_minute: f64, wasm: &Path) -> Result<Run, String> {
    let scenario = &case.scenario;
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("No runtime: {error}."))?;
    let site = Site::start(scenario, wasm, runtime.handle())?;
    runtime.block_on(until_a_period(scenario, &site));
    let world = Arc::new(World::new(scenario, pace_a_minute, site));
    runtime.block_on(run(&world, &case.moments))?;
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

async fn run(world: &Arc<World>, moments: &[u64]) -> Result<(), String> {
    let pops = shares(world.scenario.pops);
    let end = world.at(world.scenario.lasts.ms());
    let (mut events, mut visitors) = (JoinSet::new(), JoinSet::new());
    for event in world.scenario.events.clone() {
        events.spawn(happens(Arc::clone(world), event));
    }
    let visits = async {
        for (number, at_ms) in moments.iter().enumerate() {
            sleep_until(world.at(*at_ms)).await;
            visitors.spawn(arriving(world, number, &pops).visit());
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

fn arriving(world: &Arc<World>, number: usize, pops: &[f64]) -> Visitor {
    let (seed, habits) = (world.scenario.seed, &world.scenario.visitors);
    let person = Person::new(number as u64, seed, habits, pops, world.now_ms());
    let mut record = world.record();
    record.point().arrivals += 1;
    Visitor {
        number,
        person,
        before: record.last_number(),
        world: Arc::clone(world),
    }
}

async fn happens(world: Arc<World>, event: Event) -> Result<(), String> {
    sleep_until(world.at(event.at.ms())).await;
    if let Some((verb, fields)) = event.change() {
        world.site.operate(verb, &fields).await?;
    }
    if let Some(times) = event.origin_slower {
        world.site.origin.is_slower(times);
    }
    if let Some(time) = event.origin_sick {
        world.site.origin.is_sick(Duration::from_millis(time.ms()));
    }
    Ok(())
}
