//! The last hour as a picture: who waited as an area, who was let in each minute as bars, each on its own scale.

use std::fmt::Write as _;

use serde_json::Value;

use super::hour::{Bar, Hour};
use super::{number, people};
use crate::http::object::object;
use crate::page::clock;

/// The width of a minute and the height of a picture, in its own units; it is stretched to where it stands.
const STEP: u64 = 10;
const HEIGHT: u64 = 100;

/// The two pictures, and what they say in words.
#[derive(Debug)]
pub(super) struct Chart {
    line: String,
    area: String,
    bars: String,
    most_waiting: String,
    most_admitted: String,
    from: String,
    summary: String,
}

impl From<Chart> for Value {
    fn from(chart: Chart) -> Self {
        object!({
            "line": chart.line,
            "area": chart.area,
            "bars": chart.bars,
            "most_waiting": chart.most_waiting,
            "most_admitted": chart.most_admitted,
            "from": chart.from,
            "summary": chart.summary,
        })
    }
}

/// Nothing when nothing happened.
pub(super) fn chart(hour: &Hour) -> Option<Chart> {
    let bars = hour.bars();
    let (first, last) = (bars.first()?, bars.last()?);
    let admitted: u64 = bars.iter().map(|bar| bar.admitted).sum();
    let (crowd, crowded) = most(&bars, |bar| bar.waiting)?;
    let (rush, rushed) = most(&bars, |bar| bar.admitted)?;
    if crowd == 0 && admitted == 0 {
        return None;
    }
    let [waiting, rate] = [crowd, rush].map(round_up);
    let line = line(&bars, waiting);
    let rushed = if rush > 0 {
        format!(" at {rushed}")
    } else {
        String::new()
    };
    Some(Chart {
        area: format!("M0 {HEIGHT}V{}V{HEIGHT}Z", line.trim_start_matches("M0 ")),
        line,
        bars: columns(&bars, rate),
        most_waiting: number(waiting),
        most_admitted: number(rate),
        from: time(first.minute),
        summary: format!(
            "{} waiting now, at most {} at {crowded}. {} let in within the hour, at most {} a minute{rushed}.",
            number(last.waiting),
            number(crowd),
            people(admitted),
            number(rush),
        ),
    })
}

/// The most of something, and when that was first.
fn most(bars: &[Bar], what: impl Fn(&Bar) -> u64) -> Option<(u64, String)> {
    let most = bars.iter().map(&what).max()?;
    let bar = bars.iter().find(|bar| what(bar) == most)?;
    Some((most, time(bar.minute)))
}

fn time(minute: u64) -> String {
    clock::time(minute * 60_000).chars().take(5).collect()
}

/// So high that something is seen of one visitor among many.
fn height(value: u64, top: u64) -> u64 {
    value.saturating_mul(HEIGHT).div_ceil(top).min(HEIGHT)
}

/// A step for each minute.
fn line(bars: &[Bar], top: u64) -> String {
    let mut path = String::new();
    for (bar, x) in bars.iter().zip((0..).step_by(10)) {
        let y = HEIGHT - height(bar.waiting, top);
        let begin = if x == 0 { "M0 " } else { "V" };
        let _ = write!(path, "{begin}{y}H{}", x + STEP);
    }
    path
}

fn columns(bars: &[Bar], top: u64) -> String {
    let mut path = String::new();
    for (bar, x) in bars.iter().zip((0..).step_by(10)) {
        let height = height(bar.admitted, top);
        if height > 0 {
            let _ = write!(path, "M{} {HEIGHT}v-{height}h8v{height}z", x + 1);
        }
    }
    path
}

/// The next of 1, 2, 5, 10, 20, 50 and so on, so that the scale stands still while figures change.
fn round_up(most: u64) -> u64 {
    let tens = std::iter::successors(Some(1_u64), |ten| ten.checked_mul(10));
    let mut steps = tens.flat_map(|ten| [1, 2, 5].map(|step| ten.saturating_mul(step)));
    steps.find(|step| *step >= most).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::hour::tests::{TEN, board};
    use super::*;

    fn shown(minutes: &[(u64, u64, u64)]) -> Option<Chart> {
        chart(&Hour::new(&board(minutes), TEN * 60_000 + 30_000))
    }

    #[test]
    fn an_hour_in_which_nothing_happened_has_no_picture() {
        assert!(shown(&[(0, 0, 0)]).is_none());
        assert!(shown(&[(TEN - 200, 0, 900), (TEN - 100, 0, 900)]).is_none());
    }

    #[test]
    fn scales_are_round_and_hold_the_most() {
        for (most, top) in [(0, 1), (1, 1), (3, 5), (5, 5), (6, 10), (1001, 2000)] {
            assert_eq!(round_up(most), top);
        }
        assert!(round_up(u64::MAX) == u64::MAX);
    }

    #[test]
    fn bars_stand_where_and_as_high_as_they_should() {
        let chart = shown(&[(TEN - 9, 40, 0), (TEN - 5, 30, 10), (TEN, 10, 15)]);
        let Some(chart) = chart else {
            unreachable!("something happened");
        };
        assert_eq!(chart.bars, "M541 100v-100h8v100zM591 100v-50h8v50z");
        assert_eq!((&*chart.most_waiting, &*chart.most_admitted), ("50", "10"));
        assert!(chart.line.starts_with("M0 100H10"), "{}", chart.line);
        assert!(chart.line.ends_with("V40H590V80H600"), "{}", chart.line);
        assert!(chart.area.starts_with("M0 100V100H10"), "{}", chart.area);
        assert!(chart.area.ends_with("V80H600V100Z"), "{}", chart.area);
        assert_eq!(chart.from, "09:01");
        assert_eq!(
            chart.summary,
            "10 waiting now, at most 40 at 09:51. 15 people let in within the hour, at most 10 a minute at 09:55."
        );
    }

    #[test]
    fn one_visitor_among_a_million_is_seen() {
        let chart = shown(&[(TEN - 9, 1_000_000, 0), (TEN, 1_000_000, 1)]);
        assert!(chart.is_some_and(|chart| chart.bars.contains("v-100")));
        assert_eq!(height(1, 1_000_000), 1);
        assert_eq!(height(u64::MAX, 1), HEIGHT);
    }
}
