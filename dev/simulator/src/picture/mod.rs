//! The picture of a simulation, as SVG: what came, who went in, how long the line and the wait were, how the origin fared.
//!
//! It stands for itself: no script, no font of its own, nothing from elsewhere.

mod axis;
mod followed;
mod panel;

use std::fmt::Write as _;

use crate::record::{Point, Run};
use crate::report::{Report, a_minute, worded};
use crate::units::{Span, float, grouped};
use axis::Axis;
use panel::{Curve, Panel, Style};

/// Width of the picture, and of what is drawn in it.
const WIDTH: f64 = 1200.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 1160.0;
/// Height of a panel with its title and the space below.
const PANEL: f64 = 216.0;
/// Two colours that the colour-blind can tell apart, and two more.
const COLOURS: [&str; 4] = ["#1f5fbf", "#d1661a", "#15806a", "#8a3fa0"];
const INK: &str = "#1b2430";
const FAINT: &str = "#5d6875";
const GROUND: &str = "#c9d2dc";

/// A percentile of fewer answers in a point says nothing.
const ENOUGH_ANSWERS: u64 = 40;

/// Draws it.
#[must_use]
pub fn draw(report: &Report) -> String {
    let minutes = report.runs.iter().map(shown_minutes);
    let time = Axis::time(minutes.fold(1.0, f64::max));
    let panels = if report.is_followed() {
        followed::panels(report)
    } else {
        panels(report, time.end)
    };
    let head = 116.0 + figures_height(report);
    let height = float(panels.len() as u64).mul_add(PANEL, head) + 56.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{}\" font-family=\"Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\" fill=\"{INK}\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n",
        escaped(&report.title)
    );
    svg += &head_of(report);
    let mut top = head;
    for panel in &panels {
        svg += &panel.draw(top, &time);
        top += PANEL;
    }
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\" font-size=\"13\" fill=\"{FAINT}\">{}</text>\n</svg>",
        top + 26.0,
        escaped(&played(report)),
    );
    svg
}

/// How it was played.
fn played(report: &Report) -> String {
    let seed = report.seed;
    if report.is_followed() {
        return format!(
            "Played in virtual time, seed {seed}: the rule alone in front of an origin that is made up."
        );
    }
    format!(
        "Played in virtual time by Now Serving itself: {} POPs, seed {seed}. What must hold: {}.",
        report.pops,
        rules(report)
    )
}

fn rules(report: &Report) -> String {
    let faults = report.runs.iter().map(|run| worded(&run.checks));
    let fault = faults.into_iter().find(|said| said != "held");
    fault.unwrap_or_else(|| {
        "no number twice, none called before a smaller one, no visitor too early, the cap kept"
            .to_owned()
    })
}

fn colour(index: usize) -> &'static str {
    COLOURS.get(index % COLOURS.len()).copied().unwrap_or(INK)
}

/// The title, what to look for, and the figures of each run.
fn head_of(report: &Report) -> String {
    let mut svg = format!(
        "<text x=\"{LEFT}\" y=\"56\" font-size=\"30\" font-weight=\"700\">{}</text>\n<text x=\"{LEFT}\" y=\"86\" font-size=\"16\" fill=\"{FAINT}\">{}</text>\n",
        escaped(&report.title),
        escaped(&report.says)
    );
    let mut top = 116.0;
    for (index, run) in report.runs.iter().enumerate() {
        if report.runs.len() > 1 {
            let _ = writeln!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{}\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{}\"/><text x=\"{}\" y=\"{}\" font-size=\"16\" font-weight=\"600\">{}</text>",
                top + 2.0,
                colour(index),
                LEFT + 22.0,
                top + 14.0,
                escaped(&run.name)
            );
            top += 24.0;
        }
        svg += &figures(run, top);
        top += 70.0;
    }
    svg
}

fn figures_height(report: &Report) -> f64 {
    let name = if report.runs.len() > 1 { 24.0 } else { 0.0 };
    float(report.runs.len() as u64) * (name + 70.0) + 18.0
}

/// What a figure is called, and what it is.
type Figure = (&'static str, String);

/// The figures of one run, in a row.
fn figures(run: &Run, top: f64) -> String {
    let all = followed::figures(run).unwrap_or_else(|| figures_of_line(run));
    let step = (RIGHT - LEFT) / 6.0;
    let mut svg = String::new();
    for (at, (name, figure)) in (0_u32..).zip(all) {
        let x = f64::from(at).mul_add(step, LEFT);
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{}\" font-size=\"24\" font-weight=\"600\">{figure}</text><text x=\"{x}\" y=\"{}\" font-size=\"13\" fill=\"{FAINT}\">{name}</text>",
            top + 26.0,
            top + 46.0
        );
    }
    svg
}

fn figures_of_line(run: &Run) -> Vec<Figure> {
    let percentile = |percent| {
        let wait = run.waits.percentile(percent).unwrap_or_default();
        wait.to_string()
    };
    let a_minute = a_minute(run).map_or("–".to_owned(), |many| format!("{many:.0}"));
    let dollars = run.bills.upstash + run.bills.fastly;
    let cost = (run.commands > 0).then(|| ("both bills", format!("${dollars:.2}")));
    let line = [
        ("visitors came", grouped(run.sums.arrivals)),
        ("let in a minute", a_minute),
        ("longest line", grouped(run.longest_line)),
        ("half waited at most", percentile(50)),
        ("95 of 100 at most", percentile(95)),
    ];
    line.into_iter().chain(cost).collect()
}

/// What each panel takes from a point of a run.
type Value = fn(&Run, &Point) -> Option<f64>;

fn panels(report: &Report, end: f64) -> Vec<Panel> {
    let mut panels = vec![
        flow(report),
        of_all(report, "Visitors who wait", |_, point| {
            Some(float(point.waiting))
        }),
        of_all(
            report,
            "Longest wait of visitors who stayed on the page, in minutes",
            |_, point| (point.stayed > 0).then(|| point.longest_wait.as_minutes()),
        ),
    ];
    if report.runs.iter().any(|run| run.order.is_some()) {
        let title = "Of the visitors who went in, from the first half who came, in percent";
        panels.push(of_all(report, title, |_, point| {
            let admitted = float(point.admitted);
            (point.admitted > 0).then(|| 100.0 * float(point.early) / admitted)
        }));
    }
    if report.runs.iter().any(|run| run.most_inside > 0) {
        let has_cap = report.runs.iter().any(|run| run.cap.is_some());
        let inside = if has_cap {
            of_all(report, "Sessions of visitors inside", |_, point| {
                Some(float(point.sessions))
            })
        } else {
            of_all(report, "Visitors inside", |_, point| {
                Some(float(point.inside))
            })
        };
        panels.push(with_cap(inside, report, end));
    }
    let has_origin = |run: &Run| run.sums.origin.longest() > Span::default();
    if report.runs.iter().any(has_origin) {
        let title = "Answers of the origin, 95 of 100 within, in milliseconds";
        panels.push(of_all(report, title, |_, point| {
            let is_enough = point.origin.many() >= ENOUGH_ANSWERS;
            let p95 = point.origin.percentile(95).filter(|_| is_enough);
            p95.map(Span::as_ms)
        }));
    }
    panels
}

/// Arrivals as a ground, and who went in.
fn flow(report: &Report) -> Panel {
    let mut curves = Vec::new();
    if let Some(run) = report.runs.first() {
        curves.push(Curve {
            style: Style::Ground,
            colour: GROUND,
            points: points(run, |run, point| Some(per_minute(run, point.arrivals))),
        });
    }
    for (index, run) in report.runs.iter().enumerate() {
        curves.push(Curve {
            style: Style::Line,
            colour: colour(index),
            points: points(run, |run, point| Some(per_minute(run, point.admitted))),
        });
    }
    let key = [("came", GROUND), ("went in", colour(0))];
    let key = if report.runs.len() > 1 {
        &key[..1]
    } else {
        &key[..]
    };
    Panel {
        title: "Visitors a minute".to_owned(),
        key: key
            .iter()
            .map(|(name, colour)| ((*name).to_owned(), *colour))
            .collect(),
        curves,
    }
}

fn of_all(report: &Report, title: &str, value: Value) -> Panel {
    let style = if report.runs.len() > 1 {
        Style::Line
    } else {
        Style::Filled
    };
    let curves = report.runs.iter().enumerate().map(|(index, run)| Curve {
        style,
        colour: colour(index),
        points: points(run, value),
    });
    Panel {
        title: title.to_owned(),
        key: Vec::new(),
        curves: curves.collect(),
    }
}

fn per_minute(run: &Run, many: u64) -> f64 {
    float(many) / run.every.as_minutes()
}

/// Minutes after the start, and what there was.
fn points(run: &Run, value: Value) -> Vec<(f64, f64)> {
    let half = run.every.as_minutes() / 2.0;
    // The last point is seldom whole.
    let whole = run.points.len().saturating_sub(1).max(1);
    let points = run.points.iter().take(whole);
    let at = |point: &Point| (Span::from_ms(point.end_ms).as_minutes() - half).max(0.0);
    let points = points.filter(|point| at(point) <= shown_minutes(run));
    points
        .filter_map(|point| Some((at(point), value(run, point)?)))
        .collect()
}

/// Up to where a run is worth showing: as long as visitors come or wait, or a site is not nearly empty again.
fn shown_minutes(run: &Run) -> f64 {
    let is_shown = |point: &&Point| {
        point.arrivals > 0
            || point.waiting > 0
            || point.inside * 20 > run.most_inside
            || point.window.is_some()
    };
    let last = run.points.iter().rfind(is_shown);
    last.map_or(1.0, |point| Span::from_ms(point.end_ms).as_minutes())
}

/// The cap as a line across.
fn with_cap(mut panel: Panel, report: &Report, end: f64) -> Panel {
    if let Some(cap) = report.runs.iter().filter_map(|run| run.cap).max() {
        panel.key.push((format!("cap {}", grouped(cap)), FAINT));
        panel.curves.push(Curve {
            style: Style::Limit,
            colour: FAINT,
            points: vec![(0.0, float(cap)), (end, float(cap))],
        });
    }
    panel
}

/// A text as XML has it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
