//! What random traces share that are played on the model and on stores.

use std::hash::{BuildHasher, Hasher, RandomState};

use now_serving::cache::LastSign;
use now_serving::queue::{Asker, Changed, Effect, Lane, NetworkBound, Outcome, Sign};
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

/// Both, which have to say the same.
pub(crate) fn both(redis: &Redis) -> [Direct; 2] {
    [embedded(), on(redis)]
}

/// What a store loses: the line, or all data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lost {
    Line,
    All,
}

/// What a POP knows.
pub(crate) struct Known(pub(crate) Option<Sign>);

impl LastSign for Known {
    fn last_sign(&self) -> Option<Sign> {
        self.0.clone()
    }
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

/// A visitor of no network.
pub(crate) fn asker(id: &str) -> Asker<'_> {
    Asker {
        id,
        network: "",
        event: None,
        bound: NetworkBound::default(),
        invitation: None,
        lane: Lane::Main,
    }
}

/// A change of the model, as a store answers it.
pub(crate) fn changed(outcome: Outcome) -> Changed {
    match outcome {
        Outcome::Done(sign, number, kept) => {
            let kept = Some(kept);
            Changed::Done(sign, Effect { number, kept })
        }
        Outcome::NotAdmitting(sign) => Changed::NotAdmitting(sign),
    }
}
