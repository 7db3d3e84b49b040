//! The last hour as one picture: arrivals and admissions of each minute as lines, waiting visitors as an area on a scale of
//! their own, and a mark where an operator acted.
//!
//! Invariant: lines end with the last whole minute, so that none falls only because a minute has just begun.

use std::fmt::Write as _;

use serde_json::Value;

use super::PanelView;
use super::hour::{Bar, Hour, MINUTE_MS};
use super::words::{moment_to_the_minute, number};
use crate::http::object::object;

/// The width of a minute and the height of the picture, in its own units; it is stretched to where it stands.
const STEP: u64 = 10;
const HEIGHT: u64 = 200;
/// How many steps each scale has.
const STEPS: u64 = 4;

/// The picture, and what it says in words. Nothing when nothing happened.
pub(super) fn chart(hour: &Hour, desk: &PanelView<'_>) -> Option<Value> {
    let bars = &hour.bars;
    let (whole, first) = (bars.split_last()?.1, bars.first()?);
    let most = |bars: &[Bar], what: fn(&Bar) -> u64| bars.iter().map(what).max().unwrap_or(0);
    let flow = |bar: &Bar| bar.arrived.max(bar.admitted);
    let crowd = most(bars, |bar| bar.waiting);
    if crowd == 0 && most(bars, flow) == 0 {
        return None;
    }
    let [people, rate] = [crowd, most(whole, flow)].map(scale);
    let width = STEP * u64::try_from(bars.len()).unwrap_or_default();
    let area = steps(bars, |bar| bar.waiting, people);
    let at = |minute: u64| moment_to_the_minute(minute * MINUTE_MS, desk.now_ms);
    let middle = first.minute + width / STEP / 2;
    Some(object!({
        "width": width,
        "area": format!("M0 {HEIGHT}V{}V{HEIGHT}Z", area.trim_start_matches("M0 ")),
        "arrived": steps(whole, |bar| bar.arrived, rate),
        "admitted": steps(whole, |bar| bar.admitted, rate),
        "marks": marks(first.minute, desk),
        "people": labels(people),
        "rates": labels(rate),
        "first": first.minute,
        "last": bars.len() - 1,
        "minutes": minutes(bars),
        "from": at(first.minute),
        "middle": at(middle),
        "waited": summed(bars, |bar| bar.waiting, desk.now_ms),
        "came": summed(bars, |bar| bar.arrived, desk.now_ms),
        "went": summed(bars, |bar| bar.admitted, desk.now_ms),
    }))
}

/// The sum of something, the most of it in a minute, and when that was first.
fn summed(bars: &[Bar], what: fn(&Bar) -> u64, now_ms: u64) -> Value {
    let most = bars.iter().map(what).max().unwrap_or(0);
    let bar = bars.iter().find(|bar| what(bar) == most);
    object!({
        "all": number(bars.iter().map(what).sum()),
        "most": number(most),
        "at": bar.map(|bar| moment_to_the_minute(bar.minute * MINUTE_MS, now_ms)),
    })
}

/// What operators did, as far as it is in the picture.
fn marks(first: u64, desk: &PanelView<'_>) -> Vec<Value> {
    let from_ms = first * MINUTE_MS;
    let actions = desk.snapshot.actions.iter();
    let seen = actions.filter(|action| action.set.at_ms >= from_ms);
    seen.map(|action| {
        let after_ms = action.set.at_ms - from_ms;
        object!({
            "at": after_ms / MINUTE_MS,
            "x": after_ms * STEP / MINUTE_MS,
            "what": (desk.words.what)(action),
        })
    })
    .collect()
}

/// For the script that reads out a minute: arrivals, admissions and waiting visitors of each.
fn minutes(bars: &[Bar]) -> String {
    let mut told = String::new();
    for bar in bars {
        let next = if told.is_empty() { "" } else { ";" };
        let _ = write!(
            told,
            "{next}{} {} {}",
            bar.arrived, bar.admitted, bar.waiting
        );
    }
    told
}

/// So high that something is seen of one visitor among many.
fn height(value: u64, top: u64) -> u64 {
    value.saturating_mul(HEIGHT).div_ceil(top).min(HEIGHT)
}

/// A step for each minute.
fn steps(bars: &[Bar], what: fn(&Bar) -> u64, top: u64) -> String {
    let mut path = String::new();
    let mut x = 0;
    for bar in bars {
        let y = HEIGHT - height(what(bar), top);
        let begin = if x == 0 { "M0 " } else { "V" };
        x += STEP;
        let _ = write!(path, "{begin}{y}H{x}");
    }
    path
}

/// The numbers beside a scale, from the top.
fn labels(top: u64) -> Vec<Value> {
    let step = top / STEPS;
    let labels = (0..=STEPS).rev();
    let label = |at: u64| object!({ "label": number(at.saturating_mul(step)) });
    labels.map(label).collect()
}

/// The top of a scale whose steps are round, so that it stands still while figures change.
fn scale(most: u64) -> u64 {
    let tens = std::iter::successors(Some(1_u64), |ten| ten.checked_mul(10));
    let mut steps = tens.flat_map(|ten| [10, 15, 20, 30, 50].map(|step| ten.saturating_mul(step)));
    // In tenths, since one and a half is a step of hundreds but not of ones.
    let is_whole = |step: &u64| step.is_multiple_of(10);
    let least = most.div_ceil(STEPS);
    let step = steps.find(|step| is_whole(step) && step / 10 >= least);
    step.map_or(u64::MAX, |step| step / 10 * STEPS)
}

#[cfg(test)]
mod tests {
    use super::super::ActionWords;
    use super::super::hour::tests::{TEN, snapshot};
    use super::*;
    use crate::queue::{Action, Provenance};

    const NOW_MS: u64 = TEN * MINUTE_MS + 30_000;

    fn shown(minutes: &[(u64, u64, u64)]) -> Option<Value> {
        let mut snapshot = snapshot(minutes);
        snapshot
            .actions
            .extend([NOW_MS - 90_000, 0].map(|at_ms| Action {
                set: Provenance {
                    at_ms,
                    by: Some("anna".to_owned()),
                },
                address: String::new(),
                verb: "mode".to_owned(),
                number: 0,
                value: "hold".to_owned(),
                second: String::new(),
            }));
        let desk = PanelView {
            snapshot: &snapshot,
            words: ActionWords {
                what: |action| action.value.clone(),
                is_setting: |_| true,
            },
            copy: None,
            operator: "anna",
            ticket: None,
            news: None,
            trouble: None,
            once: "",
            now_ms: NOW_MS,
        };
        chart(&Hour::new(&snapshot, NOW_MS), &desk)
    }

    #[test]
    fn an_hour_in_which_nothing_happened_has_no_picture() {
        assert!(shown(&[(0, 0, 0)]).is_none());
        assert!(shown(&[(TEN - 200, 0, 900), (TEN - 100, 0, 900)]).is_none());
    }

    #[test]
    fn scales_have_four_round_steps_and_hold_the_most() {
        for (most, top) in [
            (0, 4),
            (1, 4),
            (5, 8),
            (41, 60),
            (61, 80),
            (120, 120),
            (121, 200),
            (1_001, 1_200),
        ] {
            assert_eq!(scale(most), top, "{most}");
        }
        assert!(scale(u64::MAX) > u64::MAX / 2);
    }

    #[test]
    fn a_short_history_fills_the_picture_and_its_lines_end_with_the_last_whole_minute() {
        let minutes = [(TEN - 3, 40, 0), (TEN - 2, 30, 10), (TEN, 12, 30)];
        let Some(chart) = shown(&minutes) else {
            unreachable!("something happened");
        };
        let text = |name: &str| chart.get(name).and_then(Value::as_str).unwrap_or_default();
        assert_eq!(chart.get("width"), Some(&40.into()));
        assert_eq!(text("arrived"), "M0 0H10V200H20V200H30");
        assert_eq!(text("admitted"), "M0 200H10V150H20V200H30");
        assert_eq!(text("area"), "M0 200V0H10V50H20V50H30V140H40V200Z");
        assert_eq!(text("minutes"), "40 0 40;0 10 30;0 0 30;2 20 12");
        let labels = ["40", "30", "20", "10", "0"].map(|label| object!({ "label": label }));
        assert_eq!(chart.get("rates"), Some(&labels.to_vec().into()));
        let mark = object!({ "at": 2, "x": 20, "what": "hold" });
        assert_eq!(chart.get("marks"), Some(&vec![mark].into()));
    }

    #[test]
    fn one_visitor_among_a_million_is_seen() {
        assert_eq!(height(1, 1_000_000), 1);
        assert_eq!(height(u64::MAX, 1), HEIGHT);
    }
}
