//! Over every scenario that comes along: the metrics report the waits that visitors counted, and where nothing changes after the draw,
//! the wait is what the page said then, nine times of ten.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod small;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::thread;

use simulator::record::Run;
use simulator::scenario::{NAMES, Rule, Scenario};
use simulator::simulate::{Case, Options, cases, rule};
use simulator::site::Polls;
use simulator::units::Span;
use simulator::world;

/// Each way in which the product plays it, with visitors.
fn played(name: &str, part: u64) -> impl Iterator<Item = (Scenario, Run)> {
    let options = Options {
        scenario: Some(name.to_owned()),
        set: match part {
            1 => Vec::new(),
            _ => small::sets(name, part),
        },
        ..Options::default()
    };
    let of_the_product = |case: &Case| rule(&case.scenario) == Rule::NowServing;
    let cases = cases(&options).unwrap().into_iter().filter(of_the_product);
    cases.filter(|case| !case.moments.is_empty()).map(|case| {
        let mut run = world::play(&case.scenario, &case.moments, Polls::Reckoned).unwrap();
        run.name = case.name;
        (case.scenario, run)
    })
}

/// Whether no operator, no fault and no rule of the room changes how fast the line goes once it is there.
fn is_steady(scenario: &Scenario) -> bool {
    let is_on = |rule: &str| scenario.settings.get(rule).is_some_and(|set| set == "on");
    scenario.events.is_empty()
        && !scenario.has_event()
        && !is_on("adaptive_pace")
        && !is_on("absent_visitors")
}

/// The percentiles of the metrics are in the bucket of those that visitors counted, in whole seconds; and the page was right.
fn holds(name: &str, scenario: &Scenario, run: &Run) {
    for percent in [50, 95] {
        let counted = run.counted.counted(percent).unwrap();
        let (above, most) = run.counted.reported(percent).unwrap();
        let case = format!(
            "{name}, {}: p{percent} {counted}, {above}..{most}",
            run.name
        );
        assert!(counted + 1 >= above && counted <= most + 1, "{case}");
    }
    let [sooner, within, later] = run.counted.came();
    let all = sooner + within + later;
    let case = format!("{name}, {}: {sooner}, {within}, {later}", run.name);
    println!("{case}");
    assert!(!is_steady(scenario) || within * 10 >= all * 9, "{case}");
}

/// Part of the visitors, of the pace and of the cap. Few slots say less of a cap, so `day` is played at its size alone; so are `overload`,
/// which is near the bar, and the ten days of `millions`, by its own test.
fn part(name: &str) -> Option<u64> {
    match name {
        "day" | "overload" | "millions" => None,
        "short" | "cap" | "split" => Some(1),
        _ => Some(10),
    }
}

#[test]
fn visitors_count_what_the_metrics_report_and_wait_as_the_page_said() {
    thread::scope(|scope| {
        for name in NAMES {
            scope.spawn(move || {
                let runs = part(name).map(|part| played(name, part));
                for (scenario, run) in runs.into_iter().flatten() {
                    holds(name, &scenario, &run);
                }
            });
        }
    });
}

/// `WAITS=write` writes the table anew.
#[test]
#[ignore = "each scenario at its size, but for the millions: cargo dev test --long"]
fn they_do_so_at_their_size_and_the_docs_have_how_far_off_the_page_was_in_the_others() {
    let mut table = "| scenario | half waited | 95 of 100 | sooner than said | as said | later |\n|---|---|---|---|---|---|\n".to_owned();
    for name in NAMES.iter().filter(|name| **name != "millions") {
        for (scenario, run) in played(name, 1) {
            holds(name, &scenario, &run);
            if !is_steady(&scenario) {
                table += &row(name, &run);
            }
        }
    }
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/deep/scenarios.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- waits: ").unwrap();
    let (mark, rest) = rest.split_once('\n').unwrap();
    let (_, after) = rest.split_once("<!-- end of waits").unwrap();
    let written = format!("{before}<!-- waits: {mark}\n{table}<!-- end of waits{after}");
    if std::env::var("WAITS").is_ok_and(|how| how == "write") {
        std::fs::write(&path, written).unwrap();
    } else {
        assert_eq!(page, written);
    }
}

fn row(name: &str, run: &Run) -> String {
    let name = match run.name.as_str() {
        "" => format!("`{name}`"),
        way => format!("`{name}`, {way}"),
    };
    let waited = |percent| Span::from_secs(run.counted.counted(percent).unwrap()).to_string();
    let mut row = format!("| {name} | {} | {} |", waited(50), waited(95));
    let came = run.counted.came();
    let all: u64 = came.iter().sum();
    for many in came {
        let percent = (many * 100 + all / 2).checked_div(all);
        let cell = percent.map_or("–".to_owned(), |percent| format!("{percent} %"));
        let _ = write!(row, " {cell} |");
    }
    row + "\n"
}
