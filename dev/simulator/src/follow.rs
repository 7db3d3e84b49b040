//! What came of a window that follows answers: of the share rule, and of what it is compared with.

use crate::place::{self, Form};
use crate::record::{Point, Run};
use crate::scenario::Scenario;
use crate::steered::{self, Second, Setup};
use crate::units::{Span, float, whole};
use crate::window::{Bounds, Steering};

/// Bounds that the share rule does not reach.
const WIDE: Bounds = Bounds {
    min: 1,
    max: 100_000,
};

/// Plays the share rule in front of the scenario's origin; the settings have the first pace.
///
/// # Errors
/// When the scenario has no pace or no origin.
pub fn share(scenario: &Scenario) -> Result<Run, String> {
    let (lasts, begins) = scenario
        .pace()
        .ok_or("share needs automatic and automatic_quantity")?;
    let origin = scenario.origin.clone().ok_or("share needs an origin")?;
    let setup = Setup {
        origin,
        steering: Steering::Answers(WIDE),
        begins,
        lasts,
        seconds: whole(scenario.lasts.as_secs()),
        watched: 1.0,
        outage: None,
    };
    Ok(run(&steered::play(&setup, scenario.seed), scenario.point))
}

/// Plays the rule that it is compared with, in one of its forms.
///
/// # Errors
/// When the scenario has no origin with one worker.
pub fn places(scenario: &Scenario, form: Form) -> Result<Run, String> {
    Ok(run(&place::play(scenario, form)?, scenario.point))
}

/// The seconds as a run, in points this long.
fn run(seconds: &[Second], every: Span) -> Run {
    let each = whole(every.as_secs()).max(1);
    let chunks = seconds.chunks(usize::try_from(each).unwrap_or(usize::MAX));
    let mut run = Run {
        every: Span::from_secs(each),
        ..Run::default()
    };
    for chunk in chunks {
        let begin_ms = run.sums.end_ms;
        let point = Point {
            end_ms: begin_ms + chunk.len() as u64 * 1000,
            admitted: chunk.iter().map(|second| second.came).sum(),
            late: chunk.iter().map(|second| second.late).sum(),
            window: chunk.last().and_then(|second| second.size),
            ..Point::default()
        };
        run.sums.end_ms = point.end_ms;
        run.sums.admitted += point.admitted;
        run.sums.late += point.late;
        run.points.push(point);
    }
    run.lasted = Span::from_ms(run.sums.end_ms);
    run
}

/// The figures of such a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// How many answers there were.
    pub answers: u64,
    /// How many of them were late.
    pub late: u64,
    /// How many were in time a second.
    pub in_time_a_second: f64,
    /// The smallest and the largest window after the first quarter of the time.
    pub window: (u64, u64),
}

impl Figures {
    /// Those of a run in which a window followed answers.
    #[must_use]
    pub fn of(run: &Run) -> Option<Self> {
        let start = run.points.len() / 4;
        let later = || run.points.iter().skip(start).filter_map(visitors);
        let window = later().min().zip(later().max())?;
        let in_time = run.sums.admitted - run.sums.late;
        Some(Self {
            answers: run.sums.admitted,
            late: run.sums.late,
            in_time_a_second: float(in_time) / run.lasted.as_secs(),
            window,
        })
    }

    /// Of how many answers one was late.
    #[must_use]
    pub fn one_late_of(&self) -> Option<f64> {
        (self.late > 0).then(|| float(self.answers) / float(self.late))
    }
}

/// The window at the end of a point, in whole visitors.
#[must_use]
pub fn visitors(point: &Point) -> Option<u64> {
    point.window.map(|size| size / 1000)
}
