//! How many calls of the host a request of each kind makes: most of what it costs stands behind them.

use crate::load::Crowd;
use crate::scenario::{Floor, Scenario};
use crate::test_bed::{Builds, TestBed};
use harness::host_calls;

/// Of this many equal requests some are in the middle of a sandbox's life, and find a copy of the board that is fresh.
const REQUESTS: usize = 12;

/// The usual number of the product, or of a floor; nothing where the local server wrote nothing down.
///
/// # Errors
/// When an edge cannot be started, or an answer is not the right one.
pub(crate) async fn host_calls(
    builds: &Builds,
    bed: &TestBed,
    scenario: Scenario,
    floor: Option<Floor>,
) -> Result<Option<usize>, String> {
    let edge = bed.backends.traced(builds, floor)?;
    let ask = match floor {
        None => scenario.ask(&bed.cookies),
        Some(floor) => scenario.ask_floor(floor, &bed.cookies),
    };
    let mut crowd = Crowd::connect(edge.addr(), ask, 1).await?;
    crowd.probe().await?;
    edge.forget_output();
    for _ in 0..REQUESTS {
        crowd.probe().await?;
    }
    let usual = host_calls::usual(&edge.output());
    Ok(usual.map(|taken| taken.calls))
}
