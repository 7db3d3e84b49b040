//! One measurement: one scenario with a number of connections, on the product and its floor in turn.
//!
//! Slices alternate, a pair as A B and the next as B A, so that whatever else this machine does
//! moves both sides.

use std::time::Duration;

use now_serving_baselines::PAGE_LENGTH;

use crate::figures::{Figures, Ratio, Slice, cpu_ratio};
use crate::load::Crowd;
use crate::scenario::{Ask, Floor, Scenario};
use crate::test_bed::TestBed;
use crate::usage;
use harness::edge::Edge;
use harness::heap::Sandboxes;
use upstash_local::Store;

/// One slice of load.
const SLICE: Duration = Duration::from_secs(1);
/// Before anything counts: pools fill, scripts and pages become known.
const WARM_UP: Duration = Duration::from_millis(300);
/// After the last answer, for what is done when the visitor has been served.
const AFTER: Duration = Duration::from_millis(20);
/// How far the floor's page may differ from ours, in per cent.
const PAGE_TOLERANCE: usize = 10;

/// What one measurement found.
pub(crate) struct Measured {
    pub(crate) scenario: Scenario,
    pub(crate) connections: usize,
    pub(crate) of: Floor,
    pub(crate) floor: Side,
    pub(crate) product: Side,
    pub(crate) cpu_ratio: Ratio,
}

/// One side of it.
#[derive(Clone, Copy)]
pub(crate) struct Side {
    pub(crate) figures: Figures,
    pub(crate) sandboxes: Sandboxes,
}

/// An edge under load.
pub(crate) struct Runner<'a> {
    edge: &'a Edge,
    store: &'a Store,
    crowd: Crowd,
    slices: Vec<Slice>,
    ended_before: usize,
}

pub(crate) async fn measure(
    bed: &TestBed,
    (scenario, of): (Scenario, Floor),
    connections: usize,
    pairs: u64,
) -> Result<Measured, String> {
    let store = &bed.backends.store;
    let ask = scenario.ask(&bed.cookies);
    let mut product = Runner::start(&bed.product, store, ask, connections).await?;
    let ask = scenario.ask_floor(of, &bed.cookies);
    let mut floor = Runner::start(&bed.floor, store, ask, connections).await?;
    for pair in 0..pairs {
        if pair % 2 == 0 {
            floor.slice().await?;
            product.slice().await?;
        } else {
            product.slice().await?;
            floor.slice().await?;
        }
    }
    let cpu_ratio = cpu_ratio(&floor.slices, &product.slices)
        .ok_or("No request was answered within a slice.")?;
    Ok(Measured {
        scenario,
        connections,
        of,
        floor: floor.side()?,
        product: product.side()?,
        cpu_ratio,
    })
}

/// The lengths of the product's page and the floor's, which have to be about the same.
pub(crate) async fn compare_pages(bed: &TestBed) -> Result<usize, String> {
    let ask = Scenario::Waiting.ask(&bed.cookies);
    let mut crowd = Crowd::connect(bed.product.addr(), ask, 1).await?;
    let (answer, _) = crowd.probe().await?;
    let length = answer.body.len();
    if length.abs_diff(PAGE_LENGTH) * 100 <= length * PAGE_TOLERANCE {
        return Ok(length);
    }
    Err(format!(
        "The waiting page has {length} bytes, the floor's {PAGE_LENGTH}: set PAGE_LENGTH in dev/bench/baselines/src/lib.rs to {length}."
    ))
}

impl<'a> Runner<'a> {
    pub(crate) async fn start(
        edge: &'a Edge,
        store: &'a Store,
        ask: Ask,
        connections: usize,
    ) -> Result<Self, String> {
        let mut crowd = Crowd::connect(edge.addr(), ask, connections).await?;
        crowd.probe().await?;
        crowd.slice(WARM_UP).await?;
        tokio::time::sleep(AFTER).await;
        usage::forget_peak(edge.pid())?;
        Ok(Self {
            edge,
            store,
            crowd,
            slices: Vec::new(),
            ended_before: edge.output().len(),
        })
    }

    pub(crate) async fn slice(&mut self) -> Result<(), String> {
        let pid = self.edge.pid();
        let (cpu, calls, commands) = (usage::cpu(pid)?, self.store.calls(), self.store.commands());
        let (answers, time) = self.crowd.slice(SLICE).await?;
        tokio::time::sleep(AFTER).await;
        self.slices.push(Slice {
            answers,
            time,
            cpu: usage::cpu(pid)?.saturating_sub(cpu),
            calls: self.store.calls() - calls,
            commands: self.store.commands() - commands,
        });
        Ok(())
    }

    pub(crate) fn side(&self) -> Result<Side, String> {
        let output = self.edge.output();
        let lines = output.get(self.ended_before..).unwrap_or_default();
        Ok(Side {
            figures: Figures::of(&self.slices, usage::peak_kb(self.edge.pid())?),
            sandboxes: Sandboxes::of(lines),
        })
    }
}
