//! What random traces share that are played on the model and on stores.

use now_serving::queue::{Asker, Changed, Effect, Lane, NetworkBound, Outcome};
use proptest::prelude::ProptestConfig;
use proptest::test_runner::TestRunner;

/// Plays this many traces, and writes none that fails beside the sources.
pub(crate) fn runner(cases: u32) -> TestRunner {
    TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    })
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
