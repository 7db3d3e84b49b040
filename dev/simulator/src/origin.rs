//! The origin: workers that take requests from one queue, first come, first served.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::chance::Chance;
use crate::scenario::{Latency, OriginIs};
use crate::units::{Span, float, whole};

/// What a visitor gets who is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// After which time, its time in the queue included.
    pub after_ms: u64,
    /// The status.
    pub status: u16,
}

/// An origin at work.
pub struct Origin {
    workers: usize,
    queue: usize,
    slows: f64,
    takes: Latency,
    slower: f64,
    chance: Chance,
    /// When each worker has done what it was given.
    free: BinaryHeap<Reverse<u64>>,
    /// When each request that was taken is done.
    done: BinaryHeap<Reverse<u64>>,
}

/// A request that is turned away is turned away at once.
pub const REFUSED: Answer = Answer {
    after_ms: 5,
    status: 503,
};

/// A sick origin fails at once, whatever is asked.
pub const SICK: Answer = Answer {
    after_ms: 5,
    status: 500,
};

impl Origin {
    /// An idle one.
    #[must_use]
    pub fn new(origin: &OriginIs, chance: Chance) -> Self {
        Self {
            workers: origin.workers,
            queue: origin.queue,
            slows: origin.slows,
            takes: origin.takes.clone(),
            slower: 1.0,
            chance,
            free: (0..origin.workers).map(|_| Reverse(0)).collect(),
            done: BinaryHeap::new(),
        }
    }

    /// From now on each request takes this many times as long.
    pub fn is_slower(&mut self, times: f64) {
        self.slower = times;
    }

    /// A request comes.
    pub fn ask(&mut self, now_ms: u64) -> Answer {
        while self.done.peek().is_some_and(|Reverse(end)| *end <= now_ms) {
            self.done.pop();
        }
        let waiting = self.done.len().saturating_sub(self.workers);
        if waiting >= self.queue {
            return REFUSED;
        }
        let takes = self.takes(waiting);
        let free = self.free.pop().map_or(0, |Reverse(free)| free);
        let end = free.max(now_ms) + takes;
        self.free.push(Reverse(end));
        self.done.push(Reverse(end));
        Answer {
            after_ms: end - now_ms,
            status: 200,
        }
    }

    /// How long a worker takes for the next request, in milliseconds, where this number of requests waits before it.
    pub fn takes(&mut self, waiting: usize) -> u64 {
        let waiting_for_each = float(waiting as u64) / float(self.workers as u64);
        let takes = self.time() * self.slower * (1.0 + self.slows * waiting_for_each);
        whole(takes).max(1)
    }

    /// How long the next request takes by itself, in milliseconds.
    pub fn time(&mut self) -> f64 {
        match &self.takes {
            Latency::Constant(time) => time.as_ms(),
            Latency::Exponential(mean) => self.chance.exponential(mean.as_ms()),
            Latency::LogNormal { median, sigma } => self.chance.log_normal(median.as_ms(), *sigma),
            Latency::Histogram(buckets) => from_buckets(buckets, &mut self.chance),
            // A file was read when the scenario was.
            Latency::File(_) => 0.0,
        }
    }
}

/// Some time within a bucket, which is as likely as it is full.
fn from_buckets(buckets: &[(Span, u64)], chance: &mut Chance) -> f64 {
    let all: u64 = buckets.iter().map(|(_, many)| many).sum();
    let mut left = chance.fraction() * float(all);
    let mut from = 0.0;
    for (to, many) in buckets {
        if left < float(*many) {
            return from + chance.fraction() * (to.as_ms() - from).max(0.0);
        }
        left -= float(*many);
        from = to.as_ms();
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(workers: usize, queue: usize, slows: f64, takes: Latency) -> Origin {
        let origin = OriginIs {
            workers,
            takes,
            queue,
            slows,
        };
        Origin::new(&origin, Chance::new(1, 1))
    }

    fn constant() -> Latency {
        Latency::Constant(Span::from_ms(100))
    }

    #[test]
    fn a_request_waits_for_a_free_worker_and_one_too_many_is_turned_away() {
        let mut origin = origin(2, 2, 0.0, constant());
        let after: Vec<_> = (0..4).map(|_| origin.ask(1000).after_ms).collect();
        assert_eq!(after, [100, 100, 200, 200]);
        assert_eq!(origin.ask(1000), REFUSED);
        assert_eq!(origin.ask(1150).after_ms, 150);
        assert_eq!(origin.ask(5000).after_ms, 100);
    }

    #[test]
    fn an_origin_that_slows_takes_longer_the_longer_its_queue_is() {
        let mut origin = origin(1, 100, 1.0, constant());
        let after: Vec<_> = (0..4).map(|_| origin.ask(0).after_ms).collect();
        // None waits, none waits, one waits, two wait.
        assert_eq!(after, [100, 200, 400, 700]);
        origin.is_slower(3.0);
        assert_eq!(origin.ask(10_000).after_ms, 300);
    }

    #[test]
    fn the_times_of_a_histogram_are_those_of_its_buckets() {
        let buckets = [(50, 3), (100, 0), (200, 1)].map(|(ms, many)| (Span::from_ms(ms), many));
        let mut origin = origin(1, 1, 0.0, Latency::Histogram(buckets.into()));
        let times: Vec<f64> = (0..4000).map(|_| origin.time()).collect();
        let fast = times.iter().filter(|time| **time <= 50.0).count();
        assert!((2850..3150).contains(&fast), "{fast}");
        assert!(
            times
                .iter()
                .all(|time| *time <= 50.0 || (100.0..=200.0).contains(time))
        );
    }
}
