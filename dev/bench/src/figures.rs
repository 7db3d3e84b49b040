//! The arithmetic of a measurement: percentiles, medians, ratios. No clock, no process.

use std::time::Duration;

/// One slice of load on one side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slice {
    /// How long each answer took, in microseconds.
    pub(crate) answers: Vec<u32>,
    pub(crate) time: Duration,
    /// Processor time of the whole process.
    pub(crate) cpu: Duration,
    pub(crate) calls: u64,
    pub(crate) commands: u64,
}

/// What all slices of one side come to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) requests: u64,
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Processor milliseconds per 1000 requests.
    pub(crate) cpu_ms: f64,
    pub(crate) peak_mb: f64,
    pub(crate) calls: f64,
    pub(crate) commands: f64,
}

/// How often the product needs what its floor needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) lowest: f64,
    pub(crate) highest: f64,
}

impl Slice {
    /// Processor milliseconds per 1000 requests; `None` when there was no request.
    fn cpu_ms(&self) -> Option<f64> {
        let requests = self.answers.len();
        (requests > 0).then(|| self.cpu.as_secs_f64() * 1e6 / count(requests))
    }
}

impl Figures {
    pub(crate) fn of(slices: &[Slice], peak_kb: u64) -> Self {
        let mut answers: Vec<u32> = slices
            .iter()
            .flat_map(|slice| slice.answers.iter().copied())
            .collect();
        answers.sort_unstable();
        let time: f64 = slices.iter().map(|slice| slice.time.as_secs_f64()).sum();
        let cpu: f64 = slices.iter().map(|slice| slice.cpu.as_secs_f64()).sum();
        let calls: u64 = slices.iter().map(|slice| slice.calls).sum();
        let commands: u64 = slices.iter().map(|slice| slice.commands).sum();
        let requests = count(answers.len());
        Self {
            requests: answers.len() as u64,
            per_second: requests / time,
            p50_ms: f64::from(percentile(&answers, 50)) / 1000.0,
            p99_ms: f64::from(percentile(&answers, 99)) / 1000.0,
            cpu_ms: cpu * 1e6 / requests,
            peak_mb: whole(peak_kb) / 1024.0,
            calls: whole(calls) / requests,
            commands: whole(commands) / requests,
        }
    }
}

/// The processor time of the product against its floor's, pair by pair; `None` without a pair.
pub(crate) fn cpu_ratio(floor: &[Slice], product: &[Slice]) -> Option<Ratio> {
    let pairs = floor.iter().zip(product);
    let mut ratios: Vec<f64> = pairs
        .filter_map(|(floor, product)| Some(product.cpu_ms()? / floor.cpu_ms()?))
        .collect();
    ratios.sort_by(f64::total_cmp);
    Some(Ratio {
        median: median(&ratios)?,
        lowest: *ratios.first()?,
        highest: *ratios.last()?,
    })
}

/// The middle of sorted numbers, or the mean of the two in the middle.
pub(crate) fn median(sorted: &[f64]) -> Option<f64> {
    let upper = *sorted.get(sorted.len() / 2)?;
    if sorted.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = sorted.get((sorted.len() / 2).checked_sub(1)?)?;
    Some(f64::midpoint(*lower, upper))
}

/// The smallest of sorted numbers that this percentage does not exceed; 0 of none.
pub(crate) fn percentile(sorted: &[u32], percent: usize) -> u32 {
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or_default()
}

pub(crate) fn count(number: usize) -> f64 {
    whole(number as u64)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a bench counts far fewer than 2^52 of anything"
)]
fn whole(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    fn slice(requests: usize, cpu_ms: u64) -> Slice {
        Slice {
            answers: vec![1000; requests],
            time: Duration::from_secs(1),
            cpu: Duration::from_millis(cpu_ms),
            calls: 2 * requests as u64,
            commands: requests as u64,
        }
    }

    fn is(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-9
    }

    #[test]
    fn a_percentile_is_the_nearest_rank() {
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!(percentile(&hundred, 50), 50);
        assert_eq!(percentile(&hundred, 99), 99);
        assert_eq!(percentile(&[7], 99), 7);
        assert_eq!(percentile(&[1, 2, 3], 50), 2);
        assert_eq!(percentile(&[], 50), 0);
    }

    #[test]
    fn a_median_stands_in_the_middle() {
        assert_eq!(median(&[]), None);
        assert!(is(median(&[3.0]).unwrap(), 3.0));
        assert!(is(median(&[1.0, 2.0, 9.0]).unwrap(), 2.0));
        assert!(is(median(&[1.0, 2.0, 3.0, 9.0]).unwrap(), 2.5));
    }

    #[test]
    fn a_side_is_the_sum_of_its_slices() {
        let figures = Figures::of(&[slice(1000, 400), slice(500, 500)], 2048);
        assert_eq!(figures.requests, 1500);
        assert!(is(figures.per_second, 750.0));
        assert!(is(figures.cpu_ms, 600.0));
        assert!(is(figures.p99_ms, 1.0));
        assert!(is(figures.peak_mb, 2.0));
        assert!(is(figures.calls, 2.0) && is(figures.commands, 1.0));
    }

    #[test]
    fn a_ratio_is_taken_pair_by_pair_per_request() {
        let floor = [slice(1000, 100), slice(1000, 200), slice(1000, 100)];
        let product = [slice(500, 100), slice(1000, 220), slice(100, 15)];
        let ratio = cpu_ratio(&floor, &product).unwrap();
        assert!(is(ratio.median, 1.5) && is(ratio.lowest, 1.1) && is(ratio.highest, 2.0));
    }

    #[test]
    fn a_slice_without_a_request_makes_no_pair() {
        assert_eq!(cpu_ratio(&[slice(0, 10)], &[slice(10, 10)]), None);
    }
}
