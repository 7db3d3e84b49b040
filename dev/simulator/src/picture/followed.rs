//! What the picture shows where a window follows answers.

use super::{Figure, Panel, Report, Run, float, grouped, of_all};
use crate::follow::{self, Figures};

/// A share of fewer answers in a point says nothing.
const ENOUGH_ANSWERS: u64 = 10;

/// The figures of such a run.
pub(super) fn figures(run: &Run) -> Option<Vec<Figure>> {
    let figures = Figures::of(run)?;
    let one_of = figures.one_late_of();
    let one_of = one_of.map_or_else(|| "–".to_owned(), |of| format!("{of:.1}"));
    let (smallest, largest) = figures.window;
    Some(vec![
        ("answers", grouped(figures.answers)),
        ("late", grouped(figures.late)),
        ("answers per late one", one_of),
        (
            "in time, a second",
            format!("{:.1}", figures.in_time_a_second),
        ),
        ("smallest window later", grouped(smallest)),
        ("largest", grouped(largest)),
    ])
}

pub(super) fn panels(report: &Report) -> Vec<Panel> {
    vec![
        of_all(report, "Window", |_, point| {
            follow::visitors(point).map(float)
        }),
        of_all(report, "Answers in time, a second", |run, point| {
            Some(float(point.admitted - point.late) / run.every.as_secs())
        }),
        of_all(report, "Late answers, of a hundred", |_, point| {
            let share = 100.0 * float(point.late) / float(point.admitted.max(1));
            (point.admitted >= ENOUGH_ANSWERS).then_some(share)
        }),
    ]
}
