//! What random traces share: how many are played, by which seed, and on which store.

use std::hash::{BuildHasher, Hasher, RandomState};

use proptest::prelude::ProptestConfig;
use proptest::test_runner::{RngSeed, TestRunner};
use upstash_local::{Redis, Store};

use crate::house::{Direct, STORE_TOKEN};

/// How many traces are played, and whether they are the same in each run. With `PROPTEST_RNG_SEED` they are those of that
/// seed, which a failure prints.
#[derive(Clone, Copy)]
pub(crate) enum Traces {
    /// A landing is refused for what it changed, not for a rare trace of old code.
    Known(u32),
    /// The long tier looks for such a trace.
    New(u32),
}

/// A store in this process.
pub(crate) fn embedded() -> Direct {
    Direct(Store::embedded(STORE_TOKEN).unwrap())
}

/// A store in front of this Redis.
pub(crate) fn on(redis: &Redis) -> Direct {
    Direct(Store::redis(redis.url(), STORE_TOKEN).unwrap())
}

/// Plays these traces, and writes none that fails beside the sources.
pub(crate) fn runner(traces: Traces) -> TestRunner {
    TestRunner::new(config(traces))
}

pub(crate) fn config(traces: Traces) -> ProptestConfig {
    let given = ProptestConfig::default();
    let (cases, seed) = match traces {
        Traces::Known(cases) => (cases, 1),
        Traces::New(cases) => (cases, RandomState::new().build_hasher().finish()),
    };
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(seed),
        given @ RngSeed::Fixed(_) => given,
    };
    println!("The same traces again: PROPTEST_RNG_SEED={rng_seed}");
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed,
        ..given
    }
}
