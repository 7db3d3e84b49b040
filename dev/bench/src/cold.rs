//! What a start from cold costs: the first request to a new Viceroy.

use std::time::Duration;

use crate::figures::median;
use crate::load::Crowd;
use crate::scenario::{Ask, Floor, Scenario};
use crate::test_bed::{Builds, TestBed};
use harness::edge::Edge;

/// How many new Viceroys of each side are asked.
const STARTS: usize = 5;
/// What Viceroy does when it begins to listen is not the first request's business.
const SETTLE: Duration = Duration::from_millis(200);

/// Milliseconds until the first answer, in ascending order, of each side.
pub(crate) struct Cold {
    pub(crate) floor: Starts,
    pub(crate) product: Starts,
}

/// First requests of one side, in milliseconds.
pub(crate) struct Starts {
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

/// A waiting visitor's look against a floor that asks the store as well, since a cold cache makes
/// the product ask.
pub(crate) async fn starts(builds: &Builds) -> Result<Cold, String> {
    let bed = TestBed::lay(builds, Floor::Store).await?;
    let waiting = Scenario::Waiting.ask(&bed.cookies);
    let floor = Scenario::New.ask_floor(Floor::Store, &bed.cookies);
    // Lets the store know the product's scripts, as a store in use does.
    first_request(&bed.product, &waiting).await?;
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let edge = bed.backends.floor(builds, Floor::Store)?;
        times.0.push(first_request(&edge, &floor).await?);
        let edge = bed.backends.product(builds)?;
        times.1.push(first_request(&edge, &waiting).await?);
    }
    Ok(Cold {
        floor: Starts::of(times.0)?,
        product: Starts::of(times.1)?,
    })
}

async fn first_request(edge: &Edge, ask: &Ask) -> Result<f64, String> {
    let mut crowd = Crowd::connect(edge.addr(), ask.clone(), 1).await?;
    tokio::time::sleep(SETTLE).await;
    let (_, time) = crowd.probe().await?;
    Ok(time.as_secs_f64() * 1000.0)
}

impl Starts {
    fn of(mut times: Vec<f64>) -> Result<Self, String> {
        times.sort_by(f64::total_cmp);
        let found = median(&times).zip(times.first().copied().zip(times.last().copied()));
        let (median, (lowest, highest)) = found.ok_or("Nothing was started from cold.")?;
        Ok(Self {
            median,
            lowest,
            highest,
        })
    }
}
