//! What simulations promise, whatever the seed: the product's rules hold in them, and the same scenario gives the same bytes.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

use simulator::record::{Checks, Run, early_percent};
use simulator::report::{Report, a_minute};
use simulator::scenario::{NAMES, Overrides, load};
use simulator::simulate::{Options, report};
use simulator::site::{Polls, Site};
use simulator::{arrivals, picture, split, world};

/// A scenario with something else in it.
fn played(scenario: &str, seed: u64, set: &[&str]) -> Report {
    report(&options(scenario, seed, set)).unwrap()
}

fn options(scenario: &str, seed: u64, set: &[&str]) -> Options {
    Options {
        scenario: Some(scenario.to_owned()),
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
        seed: Some(seed),
        ..Options::default()
    }
}

/// The sale with a thirtieth of its visitors, and a pace that suits them.
const SMALL: [&str; 5] = [
    "arrivals.0.visitors=600",
    "arrivals.1.visitors=50",
    "arrivals.0.over=4m",
    "automatic_quantity=6",
    "pops=3",
];

fn run(report: &Report) -> &Run {
    report.runs.first().unwrap()
}

fn told(report: &Report) -> [String; 3] {
    [
        report.table(),
        report.json().to_string(),
        picture::draw(report),
    ]
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_one_others() {
    let few = [&SMALL[..], &["arrivals.0.visitors=200"]].concat();
    let first = told(&played("sale", 1, &few));
    assert_eq!(first, told(&played("sale", 1, &few)));
    assert_ne!(first, told(&played("sale", 2, &few)));
}

#[test]
fn a_poll_that_is_reckoned_is_the_poll_that_the_service_answers() {
    let sale = [&SMALL[..], &["arrivals.0.visitors=300"]].concat();
    let outage = ["arrivals.0.visitors=300", "automatic_quantity=4", "pops=3"];
    let capped = [
        "arrivals.0.visitors=60",
        "arrivals.1.visitors=140",
        "total_active=20",
        "pops=2",
    ];
    // The event opens at 0:32. Each way to play it is held against the service.
    let lot = [
        "arrivals.0.visitors=60",
        "arrivals.1.visitors=60",
        "automatic_quantity=2",
        "refresh_interval=30",
        "pops=2",
    ];
    let cases = [
        ("lot", &lot[..]),
        ("sale", &sale[..]),
        ("outage", &outage[..]),
        ("cap", &capped[..]),
    ];
    for (scenario, set) in cases {
        let reckoned = told(&played(scenario, 3, set));
        let whole = Options {
            whole: true,
            ..options(scenario, 3, set)
        };
        assert_eq!(reckoned, told(&report(&whole).unwrap()), "{scenario}");
    }
}

/// No number twice, numbers in the order of the draws, no visitor before the cursor, no cursor that falls; and estimates with
/// five minutes to go that are off by a fifth at most, nine times of ten, as the docs promise.
#[test]
fn the_rules_hold_for_every_seed() {
    let long = [&SMALL[..], &["arrivals.0.visitors=900"]].concat();
    for seed in 1..=3 {
        let report = played("sale", seed, &long);
        let run = run(&report);
        assert_eq!(run.checks, Checks::default(), "{seed}");
        assert!(report.holds());
        assert!(
            run.estimates_off.many() > 100,
            "{seed}: {}",
            run.estimates_off.many()
        );
        let off = run.estimates_off.percentile(90).unwrap().ms();
        assert!(off <= 200, "{seed}: {off} thousandths");
        // Browsers without cookies draw nothing while visitors wait, and come back for ever if they are let in.
        let inside_or_absent = run.sums.admitted <= run.sums.drawn;
        assert!(inside_or_absent, "{seed}: {run:?}");
    }
}

#[test]
fn the_cap_holds_for_every_seed() {
    // The hours of the scenario in half of the time, with as many visitors for each slot and minute.
    let set = [
        "lasts=75m",
        "arrivals.0.over=20m",
        "arrivals.0.visitors=30",
        "arrivals.1.from=20m",
        "arrivals.1.over=35m",
        "arrivals.1.visitors=120",
        "total_active=25",
        "pops=3",
    ];
    for seed in 1..=3 {
        let report = played("cap", seed, &set);
        let run = run(&report);
        assert_eq!(run.checks, Checks::default(), "{seed}");
        assert_eq!(run.cap, Some(25));
        // Sessions outlive their visitors, and so fewer are inside than have a session.
        assert!(run.most_inside <= 25, "{seed}: {}", run.most_inside);
        assert!(run.most_inside >= 15, "{seed}: {}", run.most_inside);
        assert!(run.longest_line > 8, "{seed}: {}", run.longest_line);
    }
}

/// Half of them come in the first minute: by arrival they go in first, by lot they are half of each tenth, as far as chance goes.
#[test]
fn by_lot_coming_first_helps_none() {
    let few = [
        "arrivals.0.visitors=400",
        "arrivals.1.visitors=400",
        "automatic_quantity=10",
        "refresh_interval=30",
        "pops=2",
    ];
    for seed in 1..=2 {
        let report = played("lot", seed, &few);
        let early: Vec<f64> = report.runs.iter().filter_map(early_percent).collect();
        let [by_arrival, by_lot] = early.as_slice() else {
            panic!("two ways: {early:?}")
        };
        assert!(*by_arrival > 99.0, "{early:?}");
        // Of 76 visitors by a fair lot half, and more than 17 percent off once in 300 times.
        assert!((33.0..67.0).contains(by_lot), "{early:?}");
    }
}

/// Of a day in a shop that stays open: a tenth of its visitors, of its paces, of its cap and of its stock.
#[test]
fn a_sale_in_an_open_shop_holds_nobody_outside_of_its_time_and_throws_nobody_out() {
    const MINUTE: u64 = 60_000;
    let event = |name: &str, value: &str| format!("settings.event.0.with.{name}={value}");
    let set = [
        "arrivals.0.visitors=900".to_owned(),
        "arrivals.1.visitors=300".to_owned(),
        "automatic_quantity=3".to_owned(),
        event("automatic_quantity", "10"),
        event("total_active", "120"),
        "events.0.stock=600".to_owned(),
        "pops=2".to_owned(),
    ];
    let set: Vec<&str> = set.iter().map(String::as_str).collect();
    let report = played("shop", 1, &set);
    let run = run(&report);
    assert_eq!(run.checks, Checks::default());
    assert_eq!(run.put_back, 0, "inside is inside");
    let points = |from: u64, to: u64| {
        let is_in = move |end_ms: u64| end_ms > from * MINUTE && end_ms <= to * MINUTE;
        run.points.iter().filter(move |point| is_in(point.end_ms))
    };
    let sum = |from: u64, to: u64, of: fn(&simulator::record::Point) -> u64| {
        points(from, to).map(of).sum::<u64>()
    };
    // Each point is ten minutes, and the stock is used up within one.
    let [prequeue, opens, sold_out, closes] = [570, 600, 710, 720];
    let [night, morning] = [1_320, 1_350];
    // Before the sale and after it the shop keeps its own pace, at which nobody waits for long.
    for (from, to) in [(0, prequeue), (closes + 60, night)] {
        let came = sum(from, to, |point| point.arrivals);
        let went_in = sum(from, to, |point| point.admitted);
        assert!(
            came > 60 && came.abs_diff(went_in) <= 12,
            "{came} {went_in}"
        );
        assert!(points(from, to).all(|point| point.waiting <= 4), "{from}");
    }
    assert_eq!(
        sum(prequeue, opens, |point| point.called),
        0,
        "the pre-queue"
    );
    let called: Vec<u64> = points(opens, sold_out).map(|point| point.called).collect();
    // A period more is in a point where it begins with its first moment.
    assert!(called.iter().all(|many| *many <= 110), "{called:?}");
    assert!(
        sum(opens, sold_out, |point| point.called) <= 600,
        "the stock"
    );
    assert!(
        sum(opens, opens + 30, |point| point.called) >= 290,
        "its own pace"
    );
    assert!(points(opens, closes).all(|point| point.sessions <= 120));
    assert_eq!(sum(sold_out, closes, |point| point.called), 0, "sold out");
    assert!(points(closes, closes + 60).all(|point| point.called <= 31));
    assert_eq!(
        sum(night, morning, |point| point.called),
        0,
        "a maintenance"
    );
    let all = &run.sums;
    assert!(all.admitted + 60 >= all.arrivals, "all but the absent");
}

#[test]
fn as_many_come_as_the_pace_says_where_absent_visitors_are_made_up_for() {
    // A hundred a minute, of whom thirty do not come.
    let set = [
        "automatic_quantity=10",
        "arrivals.0.visitors=2200",
        "pops=2",
    ];
    let report = played("absent", 1, &set);
    let [observed, on] = report.runs.as_slice() else {
        panic!("{report:?}");
    };
    let late = |run: &Run| {
        let points = run
            .points
            .iter()
            .filter(|point| point.end_ms > 9 * 60_000 && point.waiting > 0);
        let admitted: Vec<u64> = points.map(|point| point.admitted).collect();
        admitted.iter().sum::<u64>() / admitted.len() as u64
    };
    assert!((65..=75).contains(&late(observed)), "{}", late(observed));
    assert!((95..=105).contains(&late(on)), "{}", late(on));
}

/// What the first POP counts is no reason to leave out what the others do: then visitors who came would be taken for absent.
#[test]
fn where_every_visitor_comes_no_more_are_called_than_the_pace_says() {
    let all_come = [
        "visitors.absent=0",
        "automatic_quantity=10",
        "arrivals.0.visitors=1300",
        "pops=4",
    ];
    let report = played("absent", 1, &all_come);
    for run in &report.runs {
        let most = run.points.iter().map(|point| point.called).max().unwrap();
        assert!(most <= 105, "{}: {most} a minute", run.name);
    }
}

#[test]
fn no_visitor_goes_in_while_the_store_is_away_and_all_do_afterwards() {
    let set = ["arrivals.0.visitors=600", "automatic_quantity=4", "pops=3"];
    let report = played("outage", 1, &set);
    let text = "Visitors inside go on, and each waiting visitor keeps the number; no visitor goes in until it is back";
    assert_eq!(report.says, text);
    let run = run(&report);
    assert_eq!(run.checks, Checks::default());
    assert_eq!((run.sums.drawn, run.sums.admitted), (600, 600));
    let away = run.points.iter();
    let away = away.filter(|point| point.end_ms > 310_000 && point.end_ms <= 360_000);
    let mut away = away.map(|point| point.origin.many());
    assert!(away.all(|pages| pages > 0), "visitors inside go on");
    let of = |from_ms: u64, to_ms: u64| {
        let points = run
            .points
            .iter()
            .filter(|point| point.end_ms > from_ms && point.end_ms <= to_ms);
        points.map(|point| point.admitted).sum::<u64>()
    };
    // Five seconds for visitors who were called just before, with their page about to go in.
    assert_eq!(of(310_000, 360_000), 0, "{:?}", run.points);
    assert!(of(240_000, 300_000) > 30);
    assert!(of(370_000, 430_000) > 30);
}

#[test]
fn a_pace_divided_among_workers_makes_visitors_wait_a_quarter_below_the_limit() {
    let scenarios = load("split", &Overrides::default()).unwrap();
    let [(_, shared), (_, divided)] = scenarios.as_slice() else {
        panic!("{scenarios:?}");
    };
    let moments = |seed| arrivals::moments(&shared.arrivals, seed);
    let run = world::play(shared, &moments(1), Polls::Reckoned).unwrap();
    let limit = run.waits_from_percent.unwrap();
    assert!((95.0..115.0).contains(&limit), "{limit} %");
    let each = (1..=20).map(|seed| {
        let run = split::play(divided, &moments(seed)).unwrap();
        run.waits_from_percent.unwrap()
    });
    let mean = each.sum::<f64>() / 20.0;
    assert!((70.0..=80.0).contains(&mean), "{mean} %");
}

#[test]
fn an_origin_that_bears_the_pace_answers_soon_and_half_as_many_more_drown_it() {
    let few = [
        "arrivals.0.visitors=1500",
        "arrivals.0.over=1m",
        "pops=2",
        "point=20s",
    ];
    let report = played("slow", 1, &few);
    let [sound, drowned] = report.runs.as_slice() else {
        panic!("{report:?}");
    };
    assert!(a_minute(sound).unwrap() < a_minute(drowned).unwrap());
    let text = "It bears some 300 visitors a minute; at 450 its queue makes most answers late";
    assert_eq!(report.says, text);
    let late = |run: &Run| run.sums.late * 100 / run.sums.origin.many();
    assert!(late(sound) < 20, "{} % late", late(sound));
    assert!(late(drowned) > 50, "{} % late", late(drowned));
    let p95 = |run: &Run| run.sums.origin.percentile(95).unwrap().ms();
    assert!(p95(sound) < 1500, "{} ms", p95(sound));
    assert!(p95(drowned) > 4 * p95(sound), "{} ms", p95(drowned));
}

#[test]
fn each_call_of_the_store_and_each_ticket_is_held_to_the_invariants() {
    let scenarios = load("short", &Overrides::default()).unwrap();
    let (_, scenario) = scenarios.first().unwrap();
    let moments = arrivals::moments(&scenario.arrivals, 1);
    let site = Site::new(scenario, Polls::Reckoned).unwrap();
    let (_, site) = world::play_on(site, scenario, &moments).unwrap();
    let rooms = site.histories().rooms();
    let history = rooms.get("main").unwrap();
    let checked = |name| history.checks.counts().get(name).copied().unwrap_or(0);
    let visitors = moments.len() as u64;
    assert!(history.calls > visitors, "{} calls", history.calls);
    // The first call of all has none before it, and who goes straight in waits with no number.
    for (name, least) in [
        ("a draw gets the next number", visitors - 1),
        ("no number is given twice", visitors / 2),
        ("the number was called", visitors / 2),
    ] {
        assert!(checked(name) >= least, "{name}: {}", checked(name));
    }
    assert!(checked("a line of the journal keeps its rules") > 0);
}

#[test]
fn every_scenario_that_comes_along_is_one() {
    for name in NAMES {
        let scenarios = load(name, &Overrides::default()).unwrap();
        for (_, scenario) in scenarios {
            let site = Site::new(&scenario, Polls::Reckoned);
            assert!(site.is_ok(), "{name}: {:?}", site.err());
        }
    }
}

#[test]
fn what_a_scenario_does_not_know_is_named_with_what_is_accepted() {
    let wrong = |set: &str| report(&options("sale", 1, &[set])).unwrap_err();
    for (set, said) in [
        (
            "visitors.absnt=0.3",
            "sale: unknown field `absnt`, expected one of `absent`",
        ),
        (
            "visitors.absent=3",
            "visitors.absent is 3; accepted is a share from 0 to 1",
        ),
        (
            "lasts=soon",
            "\"soon\" is no time; accepted is a number and ms, s, m, h or d, such as 90s",
        ),
        ("arrivals.7.visitors=1", "7 is none of the 2 there are"),
        ("pops=0", "pops is 0; accepted is 1 or more"),
        ("automatik=3", "automatik"),
        (
            "automatic=often",
            "settings: automatic is \"often\"; accepted is",
        ),
        ("automatic", "accepted is key=value"),
        (
            "arrivals.0.shape=sudden",
            "expected one of `even`, `rush`, `rising`, `hill`",
        ),
    ] {
        let found = wrong(set);
        assert!(found.contains(said), "{set}: {found}");
    }
    let missing = report(&options("sail", 1, &[])).unwrap_err();
    assert!(missing.contains("Did you mean sale?"), "{missing}");
}

/// What an event's log says of its visitors is what came: played again with the same settings, the line goes as it went.
#[test]
fn an_event_is_played_again_from_the_log_of_the_product() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("queue.log");
    let steady = [&SMALL[..], &["visitors={}", "origin=null"]].concat();
    let written = Options {
        queue_log: Some(path.clone()),
        ..options("sale", 1, &steady)
    };
    let first = report(&written).unwrap();
    let again = Options {
        scenario: None,
        log: Some(path.clone()),
        ..options("", 1, &["automatic=6", "automatic_quantity=6", "pops=3"])
    };
    let again = report(&again).unwrap();
    let [first, again] = [run(&first), run(&again)];
    assert_eq!(first.sums.arrivals, again.sums.arrivals);
    let lines = first.longest_line.abs_diff(again.longest_line);
    assert!(lines <= 3, "{} {}", first.longest_line, again.longest_line);
    // And twice as fast, it takes half as long.
    let faster = Options {
        scenario: None,
        log: Some(path),
        ..options("", 1, &["automatic=6", "automatic_quantity=12", "pops=3"])
    };
    let faster = report(&faster).unwrap();
    let half = |run: &Run| run.waits.percentile(50).unwrap().as_secs();
    assert!(half(run(&faster)) < 0.7 * half(again));
}

#[test]
fn what_an_operator_changes_in_an_event_is_accepted_and_holds() {
    let admitted = |event: &str| {
        let events = format!(r#"events=[{{"at":"1m",{event}}}]"#);
        let set = ["arrivals.0.visitors=300", "automatic_quantity=2", "pops=1"];
        let set = [&set[..], &["arrivals.0.over=30s", "lasts=3m", &events]].concat();
        run(&played("outage", 1, &set)).sums.admitted
    };
    let none = admitted(r#""origin_slower":1"#);
    for more in [
        r#""permit":50"#,
        r#""pace":{"automatic":6,"automatic_quantity":8}"#,
        r#""mode":"open""#,
    ] {
        assert!(admitted(more) > none + 30, "{more}");
    }
    let fewer = admitted(r#""mode":"hold""#);
    assert!(fewer + 10 < none, "{fewer} of {none}");
}
