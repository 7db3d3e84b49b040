//! Times counted in buckets, each 8 % longer than the one before: percentiles that are off by four percent at most.

use crate::units::{Span, whole};

/// How much longer a bucket is than the one before.
const GROWTH: f64 = 1.08;
/// Enough for four days in milliseconds.
const BUCKETS: usize = 256;

/// Times by bucket.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u32>,
    many: u64,
    longest_ms: u64,
    sum_ms: u64,
}

impl Histogram {
    /// Counts a time.
    pub fn add(&mut self, ms: u64) {
        let bucket = bucket(ms);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(bucket) {
            *count += 1;
        }
        self.many += 1;
        self.sum_ms += ms;
        self.longest_ms = self.longest_ms.max(ms);
    }

    /// Counts all that another one counted.
    pub fn merge(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.many += other.many;
        self.sum_ms += other.sum_ms;
        self.longest_ms = self.longest_ms.max(other.longest_ms);
    }

    /// How many times were counted.
    #[must_use]
    pub fn many(&self) -> u64 {
        self.many
    }

    /// The longest.
    #[must_use]
    pub fn longest(&self) -> Span {
        Span::from_ms(self.longest_ms)
    }

    /// The sum of all.
    #[must_use]
    pub fn sum(&self) -> Span {
        Span::from_ms(self.sum_ms)
    }

    /// The time that this percentage does not exceed; nothing where none was counted.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<Span> {
        let wanted = (self.many * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let found = self.counts.iter().position(|count| {
            seen += u64::from(*count);
            seen >= wanted
        })?;
        Some(Span::from_ms(middle(found).min(self.longest_ms)))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a logarithm of at least 1 is small and not negative"
)]
fn bucket(ms: u64) -> usize {
    let at = Span::from_ms(ms + 1).as_ms().ln() / GROWTH.ln();
    (at as usize).min(BUCKETS - 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "there are 256 buckets"
)]
fn middle(bucket: usize) -> u64 {
    let from = GROWTH.powi(bucket as i32);
    whole(from * (1.0 + GROWTH) / 2.0 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_off_by_four_percent_at_most() {
        let mut times = Histogram::default();
        assert_eq!(times.percentile(50), None);
        for ms in 1..=10_000 {
            times.add(ms);
        }
        for (percent, truth) in [(1, 100.0), (50, 5000.0), (95, 9500.0), (99, 9900.0)] {
            let found = times.percentile(percent).map_or(0.0, Span::as_ms);
            assert!((found / truth - 1.0).abs() < 0.045, "{percent}: {found}");
        }
        assert_eq!(times.longest(), Span::from_ms(10_000));
        let mut both = Histogram::default();
        both.merge(&times);
        both.merge(&times);
        assert_eq!(
            (both.many(), both.percentile(50)),
            (20_000, times.percentile(50))
        );
    }

    #[test]
    fn the_longest_time_is_in_the_last_bucket() {
        let mut times = Histogram::default();
        times.add(0);
        times.add(u64::from(u32::MAX));
        assert_eq!(times.percentile(1), Some(Span::from_ms(0)));
        assert!(times.percentile(99) > Some(Span::from_secs(86_400)));
    }
}
