//! One random rig: visitors, operators, the origin's programs, clocks and losses, drawn by a seed and played through the real
//! service on the real script, over the embedded store and a real Redis.
//!
//! A [`Plan`] says which settings a history may have and how often each kind of step comes. A step is drawn from one number, so
//! a history is a list of numbers, and a shorter list of them is a history, too. Each step tells what came of it: [`World`] writes
//! the *visible* outcome as text, and that is all that a trace holds: who asked what, status, reason, stage, position, the number
//! ahead, what was released by lane, the lines of the journal without their digests, and the store calls. Tickets have no name of
//! their own, only their holders. So a trace survives another ticket, another state of the store and another wire.
//!
//! `tests/traces` keeps a trace of each plan: the first steps as text, in which a difference can be read, and digests of many
//! more: one that every run compares, and a longer one with `--long`. `TRACES=write cargo dev test rig::` writes them anew; a
//! commit that does says which answers changed, and why.

mod plan;
mod step;
pub(crate) mod store;
mod world;

use std::env;
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use hmac_sha256::Hash;
use invariants::Broken;

use crate::inside::Dice;
use crate::pure::conventions::root;
use plan::Plan;
use store::Engine;
use world::World;

/// Steps of one history.
const STEPS: usize = 75;
/// Histories that are kept as text: 300 steps.
const AS_TEXT: u64 = 4;
/// Histories behind those of which a digest is kept that every run compares: 5,000 steps and more.
const AS_DIGEST: u64 = 68;
/// The same for the digest that `--long` compares: 20,000 steps and more.
const AS_LONG_DIGEST: u64 = 268;
/// Histories of each plan that the long tier plays anew.
const NEW: u64 = 600;
/// The seed of the first of them.
const SEED: &str = "RIG_SEED";
/// Histories of the long tier that broke an invariant once.
const FOUND: [(Plan, u64); 3] = [
    (Plan::Events, 270),
    (Plan::Losses, 68_159_266_891_463_216),
    (Plan::Line, 32_187_218_476_444_843),
];
/// Set to write the traces anew.
const WRITE: &str = "TRACES";
/// Set to a folder that gets each history behind the text in a file, so that `diff -r` between two commits shows what changed.
const FOLDER: &str = "TRACES_FOLDER";

/// The numbers of a history's steps.
fn numbers(seed: u64, many: usize) -> Vec<u64> {
    let mut dice = Dice(seed);
    (0..many).map(|_| dice.roll(u64::MAX)).collect()
}

/// The trace of one history, in which every invariant holds after every step.
fn played(plan: Plan, seed: u64, engine: &mut Engine) -> String {
    let numbers = numbers(seed, STEPS);
    match trace(plan, seed, &numbers, engine) {
        Ok(trace) => trace,
        Err(found) => {
            let (broken, trace) = shortest(plan, seed, numbers, found, engine);
            panic!("{} {seed}, made shorter: {broken}\n{trace}", plan.name());
        }
    }
}

/// The trace of these steps, or what it broke and the trace up to there.
fn trace(
    plan: Plan,
    seed: u64,
    numbers: &[u64],
    engine: &mut Engine,
) -> Result<String, (Broken, String)> {
    let mut world = World::new(plan, seed, engine);
    let mut steps = numbers.iter();
    let verdict = steps.try_for_each(|number| world.plays(*number));
    let verdict = verdict.and_then(|()| world.ends());
    let trace = world.trace();
    verdict.map_or_else(
        |broken| Err((broken, trace.clone())),
        |()| Ok(trace.clone()),
    )
}

/// A history that breaks the same invariant and of which no step can be left out.
fn shortest(
    plan: Plan,
    seed: u64,
    mut numbers: Vec<u64>,
    (mut broken, mut shown): (Broken, String),
    engine: &mut Engine,
) -> (Broken, String) {
    let is_same = |one: &Broken, other: &Broken| one.0[0].invariant == other.0[0].invariant;
    let mut part = numbers.len().next_power_of_two();
    while part > 0 {
        let mut at = 0;
        while at < numbers.len() {
            let mut fewer = numbers.clone();
            fewer.drain(at..(at + part).min(numbers.len()));
            match trace(plan, seed, &fewer, engine) {
                Err((found, trace)) if is_same(&found, &broken) => {
                    (numbers, broken, shown) = (fewer, found, trace);
                }
                _ => at += part,
            }
        }
        part /= 2;
    }
    (broken, shown)
}

/// Where the trace of a plan is kept.
fn file(plan: Plan) -> PathBuf {
    let name = format!("tests/traces/{}.txt", plan.name());
    root().join(name)
}

/// The kept trace: its text, and the digest of this many histories behind it.
fn kept(plan: Plan, many: u64) -> (String, String) {
    let all = fs::read_to_string(file(plan)).unwrap();
    let (text, digests) = all.split_once(&format!("\n{DIGEST}")).unwrap();
    let line = format!("{DIGEST}{digests}");
    let begin = digest_of(many, "");
    let digest = line.lines().find_map(|line| line.strip_prefix(&begin));
    (text.to_owned(), digest.unwrap().to_owned())
}

/// With what the line of a digest begins.
const DIGEST: &str = "sha256 of ";

/// The line of a digest.
fn digest_of(many: u64, digest: &str) -> String {
    format!("{DIGEST}{many} histories: {digest}")
}

fn as_text(plan: Plan, engine: &mut Engine) -> String {
    let histories = (0..AS_TEXT).map(|seed| played(plan, seed, engine));
    histories.collect::<Vec<_>>().join("\n")
}

/// The digests of so many histories behind the text.
fn as_digests<const N: usize>(plan: Plan, many: [u64; N], engine: &mut Engine) -> [String; N] {
    let (mut hash, mut played_so_far) = (Hash::new(), 0);
    many.map(|many| {
        for seed in played_so_far..many {
            let history = played(plan, AS_TEXT + seed, engine);
            if let Ok(folder) = env::var(FOLDER) {
                let name = format!("{}-{seed:03}.txt", plan.name());
                fs::write(PathBuf::from(folder).join(name), &history).unwrap();
            }
            hash.update(history);
        }
        played_so_far = many;
        let digest = hash.finalize();
        digest
            .iter()
            .fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
    })
}

/// The first line in which two traces differ, with the lines around it.
fn assert_same(found: &str, expected: &str, what: &str) {
    let pairs = found.lines().zip(expected.lines());
    let same = pairs.take_while(|(found, expected)| found == expected);
    let at = same.count();
    let many = found.lines().count().max(expected.lines().count());
    if at == many {
        return;
    }
    let around = |text: &str| {
        let lines = text.lines().skip(at.saturating_sub(4)).take(9);
        lines.collect::<Vec<_>>().join("\n  ")
    };
    panic!(
        "{what}, line {}:\nexpected\n  {}\nfound\n  {}",
        at + 1,
        around(expected),
        around(found)
    );
}

fn the_first_steps_are_as_kept(plan: Plan) {
    if env::var(WRITE).is_ok() {
        return;
    }
    let found = as_text(plan, &mut Engine::embedded());
    assert_same(&found, &kept(plan, AS_DIGEST).0, plan.name());
}

fn the_further_steps_are_as_kept(plan: Plan, many: u64) {
    let engine = &mut Engine::embedded();
    let depths = [AS_DIGEST, AS_LONG_DIGEST];
    if env::var(WRITE).is_ok() && many == AS_DIGEST {
        let mut text = as_text(plan, engine);
        let digests = as_digests(plan, depths, engine);
        for (many, digest) in depths.iter().zip(digests) {
            text.push('\n');
            text.push_str(&digest_of(*many, &digest));
        }
        return fs::write(file(plan), format!("{text}\n")).unwrap();
    }
    let [digest] = as_digests(plan, [many], engine);
    assert_eq!(digest, kept(plan, many).1, "{}", plan.name());
}

/// The same histories on a Redis tell the same.
fn redis_answers_alike(plan: Plan, seeds: std::ops::Range<u64>) {
    let (mut embedded, mut redis) = (Engine::embedded(), Engine::redis());
    for seed in seeds {
        let expected = played(plan, seed, &mut embedded);
        let found = played(plan, seed, &mut redis);
        assert_same(&found, &expected, &format!("{} {seed}", plan.name()));
    }
}

/// Histories that no run has played before. A failure is seen again with the seed that this prints.
fn every_invariant_holds_in_new_histories(plan: Plan) {
    let given = env::var(SEED).ok().map(|seed| seed.parse().unwrap());
    let first = given.unwrap_or_else(|| RandomState::new().build_hasher().finish() >> 8);
    println!("The same histories again: {SEED}={first}");
    let engine = &mut Engine::embedded();
    for seed in first..first + NEW {
        played(plan, seed, engine);
    }
}

macro_rules! of_each_plan {
    ($($name:ident $plan:ident)*) => {
        mod native {
            #[test]
            fn histories_that_broke_an_invariant_once_break_none() {
                for (plan, seed) in super::FOUND {
                    super::played(plan, seed, &mut super::Engine::embedded());
                }
            }

            $(#[test] fn $name() { super::the_first_steps_are_as_kept(super::Plan::$plan); })*
        }
        mod simulated {
            $(#[test] fn $name() { super::the_further_steps_are_as_kept(super::Plan::$plan, super::AS_DIGEST); })*
        }
        mod redis {
            $(#[test] fn $name() { super::redis_answers_alike(super::Plan::$plan, 0..24); })*
        }
        mod long {
            mod in_both_stores {
                use super::super::*;

                $(#[test] fn $name() { redis_answers_alike(Plan::$plan, 1_000..1_100); })*
            }

            mod in_further_steps {
                use super::super::*;

                $(#[test] fn $name() { the_further_steps_are_as_kept(Plan::$plan, AS_LONG_DIGEST); })*
            }

            mod in_new_histories {
                use super::super::*;

                $(#[test] fn $name() { every_invariant_holds_in_new_histories(Plan::$plan); })*
            }
        }
    };
}

of_each_plan! {
    the_line_answers_as_its_trace_says Line
    lost_lines_answer_as_their_trace_says Losses
    events_answer_as_their_trace_says Events
    absent_visitors_are_answered_as_their_trace_says Turnout
    regions_answer_as_their_trace_says Regions
    networks_are_answered_as_their_trace_says Networks
    invitations_are_answered_as_their_trace_says Invitations
}
