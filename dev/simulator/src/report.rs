//! How a simulation is reported: a table for a terminal, and all of it as JSON.

use std::fmt::Write as _;

use anstyle::Style;
use serde_json::{Value, json};

use crate::costs::COMMANDS_A_SECOND;
use crate::follow::{self, Figures};
use crate::record::{Checks, Point, Run, early_percent};
use crate::units::{Span, grouped, whole};
use crate::waits::Waits;

/// What came of a scenario, once or in several ways.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the scenario is called.
    pub title: String,
    /// What to look for.
    pub says: String,
    /// The seed.
    pub seed: u64,
    /// How many POPs there were.
    pub pops: usize,
    /// Each way it was played.
    pub runs: Vec<Run>,
}

/// A row: what it tells, and how it words it of a run; nothing where a run has none of that.
type Row = (&'static str, fn(&Run) -> Option<String>);

const ROWS: &[Row] = &[
    ("Visitors who came", |run| Some(grouped(run.sums.arrivals))),
    ("… drew a number", |run| Some(grouped(run.sums.drawn))),
    ("… went in", |run| Some(grouped(run.sums.admitted))),
    ("… gave up", |run| some(run.sums.left)),
    ("… were sent back to the line", |run| some(run.put_back)),
    ("… went in while the store was away", |run| {
        some(run.without_store)
    }),
    ("… went in by a copied ticket as well", |run| {
        some(run.by_copies)
    }),
    ("Went in a minute while a line was there", |run| {
        a_minute(run).map(|many| format!("{many:.0}"))
    }),
    (
        "Of the first tenth who went in, of the first half who came",
        |run| early_percent(run).map(|percent| format!("{percent:.0} %")),
    ),
    ("Longest line", |run| Some(grouped(run.longest_line))),
    ("Most visitors inside", |run| Some(grouped(run.most_inside))),
    ("Most sessions", |run| {
        let most = run.points.iter().map(|point| point.sessions).max()?;
        run.cap
            .map(|cap| format!("{} of {}", grouped(most), grouped(cap)))
    }),
    ("Half wait at most", |run| wait(run, 50)),
    ("… 95 of 100", |run| wait(run, 95)),
    ("… 99 of 100", |run| wait(run, 99)),
    ("… the longest", |run| {
        Some(run.waits.longest().to_string())
    }),
    ("Last visitor who waited goes in after", |run| {
        run.last_in.map(|at| at.to_string())
    }),
    ("Visitors have to wait from, of the pace", |run| {
        // A crowd that comes at once says nothing of a limit.
        let percent = run.waits_from_percent.filter(|percent| *percent < 130.0);
        percent.map(|percent| format!("{percent:.0} %"))
    }),
    ("Estimate off, 90 of 100, from five minutes on", |run| {
        let off = run.estimates_off.percentile(90)?;
        Some(format!("{:.0} %", off.as_ms() / 10.0))
    }),
    ("… nearer the front", |run| {
        run.near_estimates_off
            .percentile(90)
            .map(|off| off.to_string())
    }),
    ("Waited as the page said at the draw", |run| {
        let [sooner, within, later] = run.counted.came();
        let percent = (within * 100).checked_div(sooner + within + later)?;
        Some(format!("{percent} %"))
    }),
    ("Half of the origin's answers take at most", |run| {
        answer(run, 50)
    }),
    ("… 95 of 100", |run| answer(run, 95)),
    ("… 99 of 100", |run| answer(run, 99)),
    ("… late", |run| some(run.sums.late)),
    ("… in time, a minute", |run| {
        in_time_a_minute(run).map(|many| format!("{many:.0}"))
    }),
    ("… turned away", |run| some(run.sums.failed)),
    ("Requests to the edge", |run| {
        Some(grouped(run.sums.requests))
    }),
    ("Commands of the store", |run| Some(grouped(run.commands))),
    ("Most draws a second, of 10 000", |run| {
        Some(format!("{:.0}", run.most_draws_a_second))
    }),
    ("Upstash", |run| Some(format!("${:.2}", run.bills.upstash))),
    ("Fastly, for requests", |run| {
        Some(format!("${:.2}", run.bills.fastly))
    }),
    ("What must hold", |run| Some(worded(&run.checks))),
];

/// The rows where a window follows answers.
const FOLLOWED: &[Row] = &[
    ("Answers", |run| {
        Figures::of(run).map(|figures| grouped(figures.answers))
    }),
    ("… late", |run| {
        Figures::of(run).map(|figures| grouped(figures.late))
    }),
    ("… per late one", |run| {
        let of = Figures::of(run)?.one_late_of()?;
        Some(format!("{of:.1}"))
    }),
    ("… in time, a second", |run| {
        Figures::of(run).map(|figures| format!("{:.1}", figures.in_time_a_second))
    }),
    ("Smallest window, after a quarter of the time", |run| {
        Figures::of(run).map(|figures| grouped(figures.window.0))
    }),
    ("… largest", |run| {
        Figures::of(run).map(|figures| grouped(figures.window.1))
    }),
];

fn some(many: u64) -> Option<String> {
    (many > 0).then(|| grouped(many))
}

fn wait(run: &Run, percent: u64) -> Option<String> {
    run.waits.percentile(percent).map(|span| span.to_string())
}

fn answer(run: &Run, percent: u64) -> Option<String> {
    let took = run.sums.origin.percentile(percent)?;
    (run.sums.origin.longest() > Span::default()).then(|| format!("{} ms", grouped(took.ms())))
}

/// How many answers were in time a minute, where an origin takes time.
#[must_use]
pub fn in_time_a_minute(run: &Run) -> Option<f64> {
    let Point { origin, late, .. } = &run.sums;
    let in_time = crate::units::float(origin.many() - late);
    (origin.longest() > Span::default()).then(|| in_time / run.lasted.as_minutes())
}

/// How many went in a minute, on average of the points at whose begin and end visitors waited.
#[must_use]
pub fn a_minute(run: &Run) -> Option<f64> {
    let pairs = run.points.windows(2).filter_map(|pair| match pair {
        [before, point] if before.waiting > 0 && point.waiting > 0 => Some(point.admitted),
        _ => None,
    });
    let admitted: Vec<u64> = pairs.collect();
    let minutes = crate::units::float(admitted.len() as u64) * run.every.as_minutes();
    let all: u64 = admitted.iter().sum();
    (minutes > 0.0).then(|| crate::units::float(all) / minutes)
}

/// Whether every rule held, and which one did not.
#[must_use]
pub fn worded(checks: &Checks) -> String {
    let faults = [
        ("numbers drawn twice", checks.twice),
        ("numbers out of order", checks.out_of_order),
        ("in too early", checks.too_early),
        ("times the cursor fell", checks.cursor_fell),
        ("above the cap", checks.above_cap),
    ];
    let there = faults.iter().filter(|(_, many)| *many > 0);
    let there: Vec<String> = there.map(|(what, many)| format!("{many} {what}")).collect();
    if there.is_empty() {
        "held".to_owned()
    } else {
        there.join(", ")
    }
}

impl Report {
    /// The table, with bold titles for terminals that show them.
    #[must_use]
    pub fn table(&self) -> String {
        let bold = Style::new().bold();
        let mut text = format!("{bold}{}{bold:#}\n{}\n\n", self.title, self.says);
        let rows = if self.is_followed() { FOLLOWED } else { ROWS };
        let rows = rows.iter().filter_map(|(name, cell)| {
            let cells: Vec<Option<String>> = self.runs.iter().map(cell).collect();
            cells.iter().any(Option::is_some).then_some((*name, cells))
        });
        let rows: Vec<_> = rows.collect();
        let left = rows.iter().map(|(name, _)| name.chars().count()).max();
        let left = left.unwrap_or(0);
        let widths: Vec<usize> = (0..self.runs.len())
            .map(|at| self.width(at, &rows))
            .collect();
        if self.runs.len() > 1 {
            text += &" ".repeat(left);
            for (run, width) in self.runs.iter().zip(&widths) {
                let _ = write!(text, "  {bold}{:>width$}{bold:#}", run.name);
            }
            text.push('\n');
        }
        for (name, cells) in &rows {
            let _ = write!(text, "{name:<left$}");
            for (cell, width) in cells.iter().zip(&widths) {
                let _ = write!(text, "  {:>width$}", cell.as_deref().unwrap_or("–"));
            }
            text.push('\n');
        }
        text
    }

    fn width(&self, at: usize, rows: &[(&str, Vec<Option<String>>)]) -> usize {
        let cells = rows.iter().filter_map(|(_, cells)| cells.get(at)?.as_ref());
        let name = self.runs.get(at).map_or(0, |run| run.name.chars().count());
        let widest = cells.map(|cell| cell.chars().count()).max().unwrap_or(1);
        widest.max(if self.runs.len() > 1 { name } else { 0 })
    }

    /// Whether windows that follow answers were played, without the product.
    #[must_use]
    pub fn is_followed(&self) -> bool {
        self.runs.iter().all(|run| Figures::of(run).is_some())
    }

    /// Whether every rule held in every run.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.runs.iter().all(|run| run.checks == Checks::default())
    }

    /// All of it, for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let each =
            |run| Figures::of(run).map_or_else(|| run_json(run), |of| followed_json(run, of));
        let runs: Vec<Value> = self.runs.iter().map(each).collect();
        json!({
            "title": self.title,
            "seed": self.seed,
            "pops": self.pops,
            "draws_a_second_limit": COMMANDS_A_SECOND,
            "runs": runs,
        })
    }
}

fn run_json(run: &Run) -> Value {
    let percentiles = |percent| run.waits.percentile(percent).map(Span::as_secs);
    let answers = |percent| run.sums.origin.percentile(percent).map(Span::ms);
    json!({
        "name": run.name,
        "lasted_seconds": run.lasted.as_secs(),
        "visitors": run.sums.arrivals,
        "drawn": run.sums.drawn,
        "admitted": run.sums.admitted,
        "gave_up": run.sums.left,
        "put_back": run.put_back,
        "admitted_without_store": run.without_store,
        "admitted_by_copies": run.by_copies,
        "admitted_a_minute": a_minute(run).map(hundredths),
        "early_percent_of_first_tenth": early_percent(run).map(hundredths),
        "longest_line": run.longest_line,
        "most_inside": run.most_inside,
        "wait_seconds": {
            "p50": percentiles(50),
            "p95": percentiles(95),
            "p99": percentiles(99),
            "longest": run.waits.longest().as_secs(),
        },
        "last_in_seconds": run.last_in.map(Span::as_secs),
        "waits_from_percent_of_pace": run.waits_from_percent.map(hundredths),
        "estimate_off_percent_p90": run.estimates_off.percentile(90).map(|off| off.as_ms() / 10.0),
        "waited_since_the_draw": waits_json(&run.counted),
        "origin_ms": { "p50": answers(50), "p95": answers(95), "p99": answers(99), "late": run.sums.late, "in_time_a_minute": in_time_a_minute(run).map(hundredths), "turned_away": run.sums.failed },
        "requests": run.sums.requests,
        "store_commands": run.commands,
        "most_draws_a_second": hundredths(run.most_draws_a_second),
        "dollars": { "upstash": hundredths(run.bills.upstash), "requests": hundredths(run.bills.fastly) },
        "checks": {
            "numbers_twice": run.checks.twice,
            "numbers_out_of_order": run.checks.out_of_order,
            "admitted_too_early": run.checks.too_early,
            "cursor_fell": run.checks.cursor_fell,
            "above_cap": run.checks.above_cap,
        },
        "points": run.points.iter().map(point_json).collect::<Vec<Value>>(),
    })
}

fn waits_json(waits: &Waits) -> Value {
    let [sooner, within, later] = waits.came();
    json!({
        "p50_seconds": waits.counted(50),
        "p95_seconds": waits.counted(95),
        "as_the_page_said": { "sooner": sooner, "within": within, "later": later },
    })
}

fn followed_json(run: &Run, figures: Figures) -> Value {
    let point = |point: &Point| {
        json!({
            "end_seconds": Span::from_ms(point.end_ms).as_secs(),
            "answers": point.admitted,
            "late": point.late,
            "window": follow::visitors(point),
        })
    };
    let (smallest, largest) = figures.window;
    json!({
        "name": run.name,
        "lasted_seconds": run.lasted.as_secs(),
        "answers": figures.answers,
        "late": figures.late,
        "one_late_of": figures.one_late_of().map(hundredths),
        "in_time_a_second": hundredths(figures.in_time_a_second),
        "window": { "smallest": smallest, "largest": largest },
        "points": run.points.iter().map(point).collect::<Vec<Value>>(),
    })
}

fn point_json(point: &Point) -> Value {
    json!({
        "end_seconds": Span::from_ms(point.end_ms).as_secs(),
        "arrivals": point.arrivals,
        "drawn": point.drawn,
        "called": point.called,
        "admitted": point.admitted,
        "gave_up": point.left,
        "waiting": point.waiting,
        "inside": point.inside,
        "sessions": point.sessions,
        "longest_wait_seconds": point.longest_wait.as_secs(),
        "store_calls": point.calls,
        "requests": point.requests,
        "origin_p95_ms": point.origin.percentile(95).map(Span::ms),
        "origin_answers": point.origin.many(),
        "origin_late": point.late,
        "origin_turned_away": point.failed,
        "origin_sick": point.is_sick,
    })
}

/// Without digits that say nothing.
fn hundredths(number: f64) -> f64 {
    crate::units::float(whole(number * 100.0)) / 100.0
}
