//! Chance with a seed: the same numbers in every run.

/// A stream of numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub struct Chance(u64);

const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Chance {
    /// The stream of this name among those of a seed: what one draws does not change what another one does.
    #[must_use]
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut chance = Self(seed.wrapping_mul(STEP) ^ stream.wrapping_mul(0xd134_2543_de82_ef95));
        chance.number();
        chance
    }

    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn fraction(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether it happens that happens with this share of all.
    pub fn happens(&mut self, share: f64) -> bool {
        self.fraction() < share
    }

    /// The time until something that does not regard the past, with this mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.fraction()).ln() * mean
    }

    /// With this median; `sigma` is the deviation of its logarithm.
    pub fn log_normal(&mut self, median: f64, sigma: f64) -> f64 {
        let (radius, angle) = (self.exponential(2.0).sqrt(), self.fraction());
        median * (sigma * radius * (angle * std::f64::consts::TAU).cos()).exp()
    }

    /// One of these shares, which add up to at most 1; the last one where they do not reach.
    pub fn one_of(&mut self, shares: &[f64]) -> usize {
        let mut left = self.fraction();
        for (index, share) in shares.iter().enumerate() {
            if left < *share {
                return index;
            }
            left -= share;
        }
        shares.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(draw: impl Fn(&mut Chance) -> f64) -> f64 {
        let mut chance = Chance::new(1, 1);
        (0..20_000).map(|_| draw(&mut chance)).sum::<f64>() / 20_000.0
    }

    #[test]
    fn each_stream_has_its_own_numbers_and_the_same_in_every_run() {
        let first = |seed, stream| Chance::new(seed, stream).number();
        assert_eq!(first(1, 1), first(1, 1));
        assert_ne!(first(1, 1), first(1, 2));
        assert_ne!(first(1, 1), first(2, 1));
    }

    #[test]
    fn the_means_are_what_they_say() {
        assert!((mean(Chance::fraction) - 0.5).abs() < 0.01);
        assert!((mean(|chance| chance.exponential(3.0)) - 3.0).abs() < 0.1);
        // The mean of a log-normal time is its median times e^(sigma²/2).
        let expected = (0.5_f64 * 0.25).exp();
        assert!((mean(|chance| chance.log_normal(1.0, 0.5)) - expected).abs() < 0.02);
        let second = mean(|chance| f64::from(u8::from(chance.one_of(&[0.7, 0.3]) == 1)));
        assert!((second - 0.3).abs() < 0.02);
    }
}
