//! How far two runs of the same visitors are apart: admissions a minute, of the whole run and minute by minute.

use std::fmt;

use crate::record::Run;
use crate::units::float;

/// The second of two runs beside the first one.
#[derive(Clone, Debug, PartialEq)]
pub struct Apart {
    /// Admissions a minute over the whole of either.
    pub a_minute: [f64; 2],
    /// Admissions of each minute that both have to its end.
    pub minutes: Vec<[u64; 2]>,
}

impl Apart {
    /// Counts them.
    #[must_use]
    pub fn of(first: &Run, second: &Run) -> Self {
        let runs = [first, second];
        let [mut first, mut second] = runs.map(minutes);
        let both = first.len().min(second.len());
        first.truncate(both);
        second.truncate(both);
        Self {
            a_minute: runs.map(|run| float(run.sums.admitted) / run.lasted.as_minutes()),
            minutes: first.into_iter().zip(second).map(Into::into).collect(),
        }
    }

    /// By how many percent the second run has more admissions or fewer.
    #[must_use]
    pub fn percent(&self) -> f64 {
        percent(self.a_minute)
    }
}

/// The admissions of the minutes that ended: a run is over with the last thing that happens, which may be just before.
fn minutes(run: &Run) -> Vec<u64> {
    const MINUTE_MS: u64 = 60_000;
    const JUST_BEFORE_MS: u64 = 1000;
    let whole = (run.lasted.ms() + JUST_BEFORE_MS) / MINUTE_MS;
    let whole = usize::try_from(whole).unwrap_or(usize::MAX);
    let of = |minute: u64| {
        let is_in_it = |end_ms: u64| end_ms.div_ceil(MINUTE_MS) == minute + 1;
        let points = run.points.iter().filter(|point| is_in_it(point.end_ms));
        points.map(|point| point.admitted).sum()
    };
    (0..).take(whole).map(of).collect()
}

fn percent([first, second]: [f64; 2]) -> f64 {
    100.0 * (second - first).abs() / first.max(f64::MIN_POSITIVE)
}

impl fmt::Display for Apart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.a_minute;
        write!(
            formatter,
            "Went in a minute: {first:.1} and {second:.1}, {:.1} % apart",
            self.percent()
        )?;
        if !self.minutes.is_empty() {
            let each = self.minutes.iter().map(|[first, second]| {
                let apart = percent([float(*first), float(*second)]);
                format!("{first} and {second} ({apart:.1} %)")
            });
            let each: Vec<String> = each.collect();
            write!(formatter, "; minute by minute {}", each.join(", "))?;
        }
        writeln!(formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Point;
    use crate::units::Span;

    /// Points of half a minute with these admissions.
    fn run(admitted: &[u64]) -> Run {
        let ends = (1..).map(|point| 30_000 * point);
        let points = admitted.iter().zip(ends).map(|(admitted, end_ms)| Point {
            end_ms,
            admitted: *admitted,
            ..Point::default()
        });
        let mut run = Run {
            points: points.collect(),
            ..Run::default()
        };
        run.sums.admitted = admitted.iter().sum();
        run.lasted = Span::from_ms(30_000 * admitted.len() as u64);
        run
    }

    #[test]
    fn two_runs_are_compared_whole_and_by_the_minutes_that_both_have() {
        let apart = Apart::of(&run(&[40, 60, 50, 50, 10]), &run(&[45, 60, 50, 45]));
        assert_eq!(apart.minutes, [[100, 105], [100, 95]]);
        assert_eq!(
            apart.to_string(),
            "Went in a minute: 84.0 and 100.0, 19.0 % apart; minute by minute 100 and 105 (5.0 %), 100 and 95 (5.0 %)\n"
        );
        let mut shorter = run(&[40, 60]);
        shorter.lasted = Span::from_ms(59_400);
        let apart = Apart::of(&shorter, &run(&[40, 60]));
        assert_eq!(apart.minutes, [[100, 100]]);
        let same = Apart::of(&run(&[7]), &run(&[7]));
        assert_eq!((same.percent(), same.minutes.len()), (0.0, 0));
    }
}
