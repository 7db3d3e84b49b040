//! `cargo dev simulate --real`: the scenario in virtual time, and beside it the same visitors before the real Wasm.
//!
//! `site` is the Wasm in local servers, before one store and one `origin`; `visitor` is what one visitor does, as in the
//! simulator's `world`, `world` what they share on the real clock, and `play` all of them. Seed, arrivals and habits are the simulator's own.

mod origin;
mod play;
mod site;
mod visitor;
mod world;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use harness::edge;
use harness::install::{self, Need};
use simulator::apart::Apart;
use simulator::record::Run;
use simulator::scenario::{Rule, Scenario};
use simulator::simulate::{self, Case};
use simulator::site::Polls;

/// The most POPs of a real run: each is a server of its own on this machine.
const MOST_POPS: usize = 2;

/// Plays each way of the scenario, and tells what came of it and how far both are apart. Whether every rule held.
///
/// # Errors
/// When something is not accepted, cannot be played in real time, or cannot be started.
pub fn play(options: &simulate::Options) -> Result<bool, String> {
    let mut cases = simulate::cases(options)?;
    for case in &mut cases {
        fit(&mut case.scenario)?;
    }
    let wasm = wasm()?;
    let mut runs = Vec::new();
    for case in &cases {
        let both = both(case, &wasm)?;
        let report = simulate::told(std::slice::from_ref(case), both.to_vec())?;
        let [virtual_run, real_run] = &both;
        let apart = Apart::of(virtual_run, real_run);
        anstream::println!("{}{apart}", report.table());
        runs.extend(both);
    }
    let report = simulate::told(&cases, runs)?;
    simulate::keep(&report, options)?;
    Ok(report.holds())
}

/// The Wasm that is played, built where it must be.
///
/// # Errors
/// When it cannot be built, or the local server cannot be installed.
pub fn wasm() -> Result<PathBuf, String> {
    install::provide(Need::WasmTarget)?;
    install::provide(Need::Viceroy)?;
    edge::wasm()
}

/// One way, in virtual and in real time.
///
/// # Errors
/// When the product refuses its settings, or something cannot be started.
pub fn both(case: &Case, wasm: &Path) -> Result<[Run; 2], String> {
    let Case {
        name,
        scenario,
        moments,
    } = case;
    let mut virtual_run = simulator::world::play(scenario, moments, Polls::Reckoned)?;
    let separator = if name.is_empty() { "" } else { ", " };
    virtual_run.name = format!("{name}{separator}virtual");
    anstream::eprintln!(
        "Playing {}{separator}{name} in real time: {} at most.",
        scenario.title,
        scenario.lasts
    );
    let mut real_run = play::play(case, virtual_run.pace_a_minute, wasm)?;
    real_run.name = format!("{name}{separator}real");
    Ok([virtual_run, real_run])
}

/// What a real run can play: fewer POPs, and none of what the simulator alone can do.
fn fit(scenario: &mut Scenario) -> Result<(), String> {
    if scenario.pops > MOST_POPS {
        anstream::eprintln!(
            "A real run has {MOST_POPS} POPs, not {}: each is a server on this machine. The virtual run beside it has as many.",
            scenario.pops
        );
        scenario.pops = MOST_POPS;
    }
    let keeps_places = scenario.settings.get("on_origin_error");
    let unfit = [
        (
            simulate::rule(scenario) != Rule::NowServing,
            "a rule other than now_serving",
        ),
        (scenario.visitors.copies > 0.0, "visitors.copies"),
        (scenario.has_event(), "an event"),
        (
            scenario
                .events
                .iter()
                .any(|event| event.store_away.is_some()),
            "store_away",
        ),
        (
            keeps_places.is_some_and(|set| set == "keep"),
            "on_origin_error = keep",
        ),
    ];
    match unfit.iter().find(|(is_there, _)| *is_there) {
        Some((_, what)) => Err(format!(
            "{}: a real run cannot play {what}; without --real it is played in virtual time.",
            scenario.title
        )),
        None => Ok(()),
    }
}

pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
