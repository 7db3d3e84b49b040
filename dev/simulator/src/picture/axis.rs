//! Axes with round numbers.

use crate::units::{grouped, whole};

/// An axis from 0: where it ends, and what is written where.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    pub(super) end: f64,
    pub(super) marks: Vec<(f64, String)>,
}

/// Steps of a time in minutes.
const MINUTES: [f64; 13] = [
    0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0, 360.0, 720.0, 1440.0,
];

impl Axis {
    /// A time in minutes, with ten marks at most.
    pub(super) fn time(end: f64) -> Self {
        let fits = |step: &&f64| end / **step <= 10.0;
        let step = MINUTES.iter().find(fits).copied().unwrap_or(end / 10.0);
        let is_long = end >= 120.0;
        let label = |minutes: f64| {
            if is_long {
                format!("{}:{:02} h", whole(minutes) / 60, whole(minutes) % 60)
            } else if step < 1.0 {
                format!("{minutes:.1} min")
            } else {
                format!("{minutes:.0} min")
            }
        };
        Self {
            end,
            marks: marks(end, step, label),
        }
    }

    /// A number, with four or five marks, the last one at its end.
    pub(super) fn number(most: f64) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let rough = most / 4.0;
        let power = 10_f64.powf(rough.log10().floor());
        let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= rough * 0.999);
        let step = step.unwrap_or(rough);
        let end = (most / step).ceil() * step;
        let label = |number: f64| {
            if step < 1.0 {
                format!("{number:.1}")
            } else {
                grouped(whole(number))
            }
        };
        Self {
            end,
            marks: marks(end, step, label),
        }
    }
}

fn marks(end: f64, step: f64, label: impl Fn(f64) -> String) -> Vec<(f64, String)> {
    let places = (0_u32..).map(|mark| f64::from(mark) * step);
    let places = places.take_while(|place| *place <= end * 1.0001);
    places.map(|place| (place, label(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.marks.iter().map(|(_, label)| label.as_str()).collect()
    }

    #[test]
    fn a_number_ends_at_a_round_one() {
        assert_eq!(
            labels(&Axis::number(15_347.0)),
            ["0", "5 000", "10 000", "15 000", "20 000"]
        );
        assert_eq!(
            labels(&Axis::number(0.0)),
            ["0.0", "0.2", "0.5", "0.8", "1.0"]
        );
        assert_eq!(labels(&Axis::number(8.0)), ["0", "2", "4", "6", "8"]);
    }

    #[test]
    fn a_time_has_ten_marks_at_most() {
        assert_eq!(labels(&Axis::time(50.0)).last(), Some(&"50 min"));
        assert_eq!(
            labels(&Axis::time(200.0)),
            [
                "0:00 h", "0:30 h", "1:00 h", "1:30 h", "2:00 h", "2:30 h", "3:00 h"
            ]
        );
        assert!(labels(&Axis::time(2880.0)).len() <= 11);
    }
}
