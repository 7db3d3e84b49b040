//! What Now Serving is compared with: the pace divided among workers, each of which lets in what it was given and asks no counter
//! (Cloudflare's design of 2023, before its counters). It waits before the limit is reached, since a worker that got more
//! visitors than its part turns them away while another one has places left.

use std::collections::VecDeque;

use crate::chance::Chance;
use crate::person::shares;
use crate::record::{Point, Run, waits_from};
use crate::scenario::Scenario;
use crate::units::{Span, float, whole};

/// How many a worker may let in of these slots, where this many workers divide them.
#[must_use]
pub fn per_worker(slots: u64, workers: f64) -> u64 {
    if workers <= 0.0 {
        return 0;
    }
    whole((float(slots) / workers).floor())
}

/// Of how many workers the slots are divided among while only this share of the limit is used: few, so that none waits far
/// from the limit.
#[must_use]
pub fn workers_at(workers: u64, utilisation: f64, curve: f64) -> f64 {
    float(workers) * utilisation.powf(curve)
}

/// What a worker may let in: its part of its POP's slots, and of those kept for any POP.
#[must_use]
pub fn of_worker((slots, workers): (u64, f64), (anywhere, all_workers): (u64, f64)) -> u64 {
    per_worker(slots, workers) + per_worker(anywhere, all_workers)
}

/// How many workers a POP has.
const WORKERS: u64 = 3;
/// The slots of a minute.
const MINUTE_MS: u64 = 60_000;

struct Pop {
    /// How many each worker may still let in within this minute.
    left: Vec<u64>,
    /// When its waiting visitors came.
    waiting: VecDeque<u64>,
    arrivals: u64,
    chance: Chance,
}

/// Plays visitors who come at these moments by this rule: its settings `automatic` and `automatic_quantity` are the limit.
///
/// # Errors
/// When the scenario has no pace.
pub fn play(scenario: &Scenario, moments: &[u64]) -> Result<Run, String> {
    let (automatic, quantity) = scenario
        .pace()
        .ok_or("worker_split needs automatic and automatic_quantity")?;
    let limit = quantity * 60 / automatic;
    // Other moments, other chance.
    let seed = scenario.seed ^ moments.iter().sum::<u64>();
    let shares = shares(scenario.pops);
    let mut pops: Vec<Pop> = (0..shares.len() as u64)
        .map(|pop| Pop {
            left: Vec::new(),
            waiting: VecDeque::new(),
            arrivals: 0,
            chance: Chance::new(seed, 3_000_000 + pop),
        })
        .collect();
    let mut run = Run {
        every: Span::from_ms(MINUTE_MS),
        pace_a_minute: float(limit),
        ..Run::default()
    };
    let mut moments = moments.iter().copied().peekable();
    let mut chance = Chance::new(seed, 3_000_000 - 1);
    for minute in 0..scenario.lasts.ms() / MINUTE_MS {
        let (begin_ms, end_ms) = (minute * MINUTE_MS, (minute + 1) * MINUTE_MS);
        let mut point = Point {
            end_ms,
            ..Point::default()
        };
        give_out(&mut pops, limit);
        for pop in &mut pops {
            pop.let_waiting_in(begin_ms, &mut point, &mut run);
        }
        while let Some(at_ms) = moments.next_if(|at_ms| *at_ms < end_ms) {
            point.arrivals += 1;
            let came_to = chance.one_of(&shares);
            if let Some(pop) = pops.get_mut(came_to) {
                pop.arrive(at_ms, &mut point, &mut run);
            }
        }
        point.waiting = pops.iter().map(|pop| pop.waiting.len() as u64).sum();
        let is_over = moments.peek().is_none() && point.waiting == 0;
        run.points.push(point);
        if is_over {
            break;
        }
    }
    Ok(summed(run))
}

/// A POP's slots are what it let come in the last minute, and the rest of the limit is kept for any POP; both are divided
/// among workers.
fn give_out(pops: &mut [Pop], limit: u64) {
    let all: u64 = pops.iter().map(|pop| pop.arrivals).sum();
    let workers = float(WORKERS * pops.len() as u64);
    let anywhere = limit.saturating_sub(all);
    for pop in pops {
        let slots = limit * pop.arrivals / all.max(limit);
        let of_each = of_worker((slots, float(WORKERS)), (anywhere, workers));
        pop.left = (0..WORKERS).map(|_| of_each).collect();
        pop.arrivals = 0;
    }
}

impl Pop {
    /// A visitor goes in at once, or waits, as the worker says that the request reached.
    fn arrive(&mut self, at_ms: u64, point: &mut Point, run: &mut Run) {
        self.arrivals += 1;
        let worker = whole((self.chance.fraction() * float(WORKERS)).floor());
        let worker = usize::try_from(worker).unwrap_or_default();
        let left = self.left.get_mut(worker).filter(|left| **left > 0);
        let Some(left) = left.filter(|_| self.waiting.is_empty()) else {
            self.waiting.push_back(at_ms);
            point.had_to_wait += 1;
            return;
        };
        *left -= 1;
        point.admitted += 1;
        point.stayed += 1;
        run.waits.add(0);
    }

    fn let_waiting_in(&mut self, now_ms: u64, point: &mut Point, run: &mut Run) {
        for left in &mut self.left {
            while *left > 0
                && let Some(came_ms) = self.waiting.pop_front()
            {
                *left -= 1;
                point.admitted += 1;
                point.stayed += 1;
                let waited = Span::from_ms(now_ms - came_ms);
                point.longest_wait = point.longest_wait.max(waited);
                run.waits.add(waited.ms());
                run.last_in = Some(Span::from_ms(now_ms));
            }
        }
    }
}

fn summed(mut run: Run) -> Run {
    for point in &run.points {
        run.sums.arrivals += point.arrivals;
        run.sums.admitted += point.admitted;
        run.longest_line = run.longest_line.max(point.waiting);
        run.lasted = Span::from_ms(point.end_ms);
    }
    run.waits_from_percent = waits_from(&run);
    run
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures of the source.
    #[test]
    fn slots_are_divided_as_the_source_divides_them() {
        assert_eq!(per_worker(15, 3.0), 5);
        assert_eq!(per_worker(113, 10.0), 11);
        assert_eq!(of_worker((15, 3.0), (113, 10.0)), 16, "San Jose");
        assert_eq!(of_worker((0, 1.0), (113, 10.0)), 11, "Delhi");
        let workers = workers_at(10, 0.25, 1.0);
        assert!((workers - 2.5).abs() < 1e-9);
        assert_eq!(per_worker(113, workers), 45);
        assert_eq!(per_worker(113, 0.0), 0);
    }
}
