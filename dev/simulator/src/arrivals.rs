//! When visitors come: as the waves of a scenario say, or as a log says they came.

use crate::chance::Chance;
use crate::scenario::{RUSH_MEAN, Shape, Wave};
use crate::units::whole;

/// The moments, in milliseconds after the start, in order.
#[must_use]
pub fn moments(waves: &[Wave], seed: u64) -> Vec<u64> {
    let mut moments = Vec::new();
    for (number, wave) in (1_000_000..).zip(waves) {
        let mut chance = Chance::new(seed, number);
        let drawn = (0..wave.visitors).map(|_| {
            let at = moment(wave.shape, &mut chance) * wave.over.as_ms();
            wave.from.ms() + whole(at)
        });
        moments.extend(drawn);
    }
    moments.sort_unstable();
    moments
}

/// A moment of a wave, from 0 for its begin to 1 for its end.
fn moment(shape: Shape, chance: &mut Chance) -> f64 {
    let fraction = chance.fraction();
    match shape {
        Shape::Even => fraction,
        Shape::Rising => fraction.sqrt(),
        Shape::Hill => f64::midpoint(fraction, chance.fraction()),
        Shape::Rush => loop {
            let at = chance.exponential(RUSH_MEAN);
            if at < 1.0 {
                break at;
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Span, float};

    fn before(shape: Shape, part: f64) -> usize {
        let wave = Wave {
            from: Span::from_secs(60),
            over: Span::from_secs(600),
            visitors: 10_000,
            shape,
        };
        let moments = moments(&[wave], 1);
        let expected = 10_000.0 * shape.share_until(part);
        assert_eq!(moments.len(), 10_000);
        assert!(moments.iter().all(|at| (60_000..=660_000).contains(at)));
        assert!(moments.is_sorted());
        let end = 60_000 + whole(part * 600_000.0);
        let many = moments.iter().filter(|at| **at < end).count();
        assert!(
            (float(many as u64) - expected).abs() < 150.0,
            "{many} of {expected}"
        );
        many
    }

    #[test]
    fn a_wave_is_spread_as_its_shape_says() {
        assert!((1900..2100).contains(&before(Shape::Even, 0.2)));
        assert!((6500..6900).contains(&before(Shape::Rush, 0.2)));
        assert!((350..450).contains(&before(Shape::Rising, 0.2)));
        assert!((700..900).contains(&before(Shape::Hill, 0.2)));
        assert!((4850..5150).contains(&before(Shape::Hill, 0.5)));
    }
}
