//! `cargo dev bench --rooms`: whether one room's flood reaches the visitors of the others.
//!
//! Twenty rooms by path in one service. One is flooded while visitors wait in the others, in turn with the same flood in the same room
//! of another service with a store of its own: what the machine itself costs is in both.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::figures::{count, percentile};
use crate::load::Crowd;
use crate::newcomers::Newcomers;
use crate::scenario::{Ask, Cookies, IN_LINE, Scenario};
use crate::test_bed::{Backends, Builds, draw};

/// The rooms besides the first, of which the first one listed is flooded.
const ROOMS: usize = 19;
/// One slice of flood.
const SLICE: Duration = Duration::from_secs(1);
/// The flood asks this often, about half of what two cores answer to newcomers. If each connection sent its next request at the last
/// answer, the two floods would not be the same.
const FLOOD: Duration = Duration::from_millis(3);
/// The visitors of the other rooms ask this often, one room after the other.
const PACE: Duration = Duration::from_millis(5);
/// Where the flood goes.
const FLOODED: &str = "/room-0/";

/// What the visitors of the other rooms noticed, and what the flood was.
#[derive(Default)]
struct Side {
    /// How long each of their answers took, in microseconds.
    answers: Vec<u32>,
    flood: usize,
    /// How many of them read that their place could not be seen.
    held: usize,
    calls: usize,
    time: Duration,
}

/// Measures both kinds of flood, by this number of pairs of slices each.
///
/// # Errors
/// When something cannot be started, or an answer under load is not the right one.
pub(crate) async fn rooms(
    builds: &Builds,
    connections: usize,
    pairs: u64,
) -> Result<String, String> {
    let listed: Vec<_> = (0..ROOMS)
        .map(|room| json!({ "name": format!("room-{room}"), "paths": format!("/room-{room}/*") }))
        .collect();
    let builds = builds.with("rooms", &json!(listed).to_string());
    let mut table = format!(
        "{ROOMS} rooms and the first, {connections} connections of flood: answers to visitors who wait in the other rooms\n\n{:<26}{:>12}{:>12}{:>12}{:>10}{:>14}{:>16}\n",
        "flood", "p50", "p99", "ratio", "unseen", "flood a s", "store calls a s"
    );
    for scenario in [Scenario::Waiting, Scenario::New] {
        let [elsewhere, here] = flooded(&builds, scenario, (connections, pairs)).await?;
        let ratio = elsewhere.percentile(99).zip(here.percentile(99));
        let ratio = ratio.map_or(f64::NAN, |(elsewhere, here)| here / elsewhere);
        let name = scenario.name();
        table += &elsewhere.row(&format!("another service, {name}"), None);
        table += &here.row(&format!("one room, {name}"), Some(ratio));
    }
    Ok(table)
}

/// The flood in a room of another service and the same in one of this, in turn.
async fn flooded(
    builds: &Builds,
    scenario: Scenario,
    (connections, pairs): (usize, u64),
) -> Result<[Side; 2], String> {
    let (elsewhere, backends) = (Backends::start()?, Backends::start()?);
    let (other_edge, edge) = (elsewhere.product(builds)?, backends.product(builds)?);
    let mut crowds = Vec::new();
    for addr in [other_edge.addr(), edge.addr()] {
        let waiting = draw(addr, FLOODED).await?;
        let newcomers = Newcomers::like(&draw(addr, FLOODED).await?)?;
        let cookies = Cookies {
            newcomers: Some(newcomers),
            waiting,
            ..Cookies::default()
        };
        let ask = scenario.ask(&cookies).to(FLOODED);
        let mut crowd = Crowd::connect(addr, ask, connections).await?;
        crowd.probe().await?;
        crowds.push(crowd);
    }
    let addr = edge.addr();
    let mut others = Vec::new();
    for room in 1..ROOMS {
        let path = format!("/room-{room}/");
        let waiting = draw(addr, &path).await?;
        let cookies = Cookies {
            waiting,
            ..Cookies::default()
        };
        // Also the page of a visitor whose line could not be read: that is counted.
        let ask = Scenario::Waiting.ask(&cookies).to(&path);
        others.push(Ask {
            mark: "<!doctype html>",
            ..ask
        });
    }
    let mut sides = [Side::default(), Side::default()];
    for pair in 0..pairs {
        let order = if pair % 2 == 0 { [0, 1] } else { [1, 0] };
        for which in order {
            let (Some(crowd), Some(side)) = (crowds.get_mut(which), sides.get_mut(which)) else {
                continue;
            };
            let (calls, asks) = (backends.store.calls(), others.clone());
            let visitors = thread::spawn(move || visitors(addr, asks));
            let flood = crowd.paced(FLOOD, SLICE).await?;
            let noticed = visitors
                .join()
                .map_err(|_| "The other visitors were interrupted.")??;
            side.answers.extend(noticed.answers);
            side.held += noticed.held;
            if flood.unseen + flood.failed > 0 {
                return Err(format!(
                    "{} requests of the flood got no answer, and {} not the one that this scenario measures.",
                    flood.failed, flood.unseen
                ));
            }
            side.flood += flood.answers.len();
            side.calls += usize::try_from(backends.store.calls() - calls).unwrap_or(usize::MAX);
            side.time += flood.time;
        }
    }
    Ok(sides)
}

/// The visitors of the other rooms for one slice, in a thread of their own: the flood's must not keep them waiting.
fn visitors(addr: SocketAddr, asks: Vec<Ask>) -> Result<Side, String> {
    crate::runtime()?.block_on(async {
        let mut crowds = Vec::new();
        for ask in asks {
            crowds.push(Crowd::connect(addr, ask, 1).await?);
        }
        let (begin, mut noticed) = (Instant::now(), Side::default());
        while begin.elapsed() < SLICE {
            for crowd in &mut crowds {
                let (answer, time) = crowd.probe().await?;
                let micros = u32::try_from(time.as_micros()).unwrap_or(u32::MAX);
                noticed.answers.push(micros);
                let is_placed = String::from_utf8_lossy(&answer.body).contains(IN_LINE);
                noticed.held += usize::from(!is_placed);
                tokio::time::sleep(PACE).await;
            }
        }
        Ok(noticed)
    })
}

impl Side {
    /// In milliseconds.
    fn percentile(&self, of_hundred: usize) -> Option<f64> {
        let mut answers = self.answers.clone();
        answers.sort_unstable();
        (!answers.is_empty()).then(|| f64::from(percentile(&answers, of_hundred)) / 1000.0)
    }

    fn row(&self, name: &str, ratio: Option<f64>) -> String {
        let ms = |of_hundred| {
            let ms = self.percentile(of_hundred).unwrap_or(f64::NAN);
            format!("{ms:.1} ms")
        };
        let seconds = self.time.as_secs_f64();
        let per_second = |many: f64| format!("{:.0}", many / seconds);
        let ratio = ratio.map_or_else(String::new, |ratio| format!("×{ratio:.2}"));
        let (flood, calls) = (count(self.flood), count(self.calls));
        format!(
            "{name:<26}{:>12}{:>12}{ratio:>12}{:>10}{:>14}{:>16}\n",
            ms(50),
            ms(99),
            self.held,
            per_second(flood),
            per_second(calls),
        )
    }
}
