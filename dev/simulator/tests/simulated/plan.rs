//! The planner's arithmetic, held against the simulator, which plays the product itself.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use clap::Parser;
use now_serving::queue::Pace;
use simulator::plan::{self, Plan};
use simulator::scenario::{Overrides, load};
use simulator::units::{Rate, Span};
use simulator::{arrivals, site::Polls, world};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    options: plan::Options,
}

fn planned(words: &str) -> Result<Plan, String> {
    let words = ["plan"].into_iter().chain(words.split_whitespace());
    let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
    plan::made(&cli.options)
}

fn near(one: Span, other: Span, seconds: f64) {
    let off = (one.as_secs() - other.as_secs()).abs();
    assert!(off <= seconds, "{one:?} and {other:?}");
}

#[test]
fn a_plan_comes_true_in_a_simulation() {
    let plan = planned("--visitors 900 --over 3m --shape even --pace 120/min --pops 3").unwrap();
    let set = [
        "arrivals=[{\"over\":\"3m\",\"visitors\":900}]",
        "automatic_quantity=12",
        "visitors={}",
        "pops=3",
    ];
    let overrides = Overrides {
        set: set.map(str::to_owned).into(),
        ..Overrides::default()
    };
    let scenarios = load("sale", &overrides).unwrap();
    let (_, scenario) = scenarios.first().unwrap();
    let moments = arrivals::moments(&scenario.arrivals, 1);
    let run = world::play(scenario, &moments, Polls::Reckoned).unwrap();
    // Between the turn and the page a visitor's browser asks every five seconds, and waits three.
    near(plan.outcome.last_in.unwrap(), run.last_in.unwrap(), 20.0);
    for percent in [50, 95, 99] {
        let found = run.waits.percentile(percent.into()).unwrap();
        near(plan.outcome.wait(percent), found, 20.0);
    }
    let lines = plan.outcome.longest_line / simulator::units::float(run.longest_line);
    assert!((0.95..1.05).contains(&lines), "{lines}");
    // Each POP reads the board at most once a second; with few visitors a second goes by without.
    assert!(
        run.commands <= plan.commands,
        "{} {}",
        run.commands,
        plan.commands
    );
    assert!(
        run.commands * 2 > plan.commands,
        "{} {}",
        run.commands,
        plan.commands
    );
}

#[test]
fn the_pace_that_is_found_is_the_slowest_that_is_enough() {
    let found = planned("--visitors 50000 --over 10m --all-in-within 1h").unwrap();
    let within = Span::from_secs(3600);
    assert!(found.outcome.last_in.unwrap() <= within);
    let slower = format!(
        "--visitors 50000 --over 10m --pace {}/min",
        found.pace.a_minute - 1.0
    );
    assert!(planned(&slower).unwrap().outcome.last_in.unwrap() > within);
}

#[test]
fn a_pace_is_told_as_the_settings_that_make_it() {
    for (pace, settings) in [
        ("500/min", (6, 50)),
        ("20/min", (6, 2)),
        ("1/min", (60, 1)),
        ("75/15s", (5, 25)),
        ("0.1/min", (600, 1)),
        ("90/h", (40, 1)),
        ("7/h", (3600, 7)),
        ("1/1d", (86_400, 1)),
        ("12000000/min", (5, 1_000_000)),
        ("1000000/s", (1, 1_000_000)),
    ] {
        let plan = planned(&format!("--visitors 100 --over 1m --pace {pace}")).unwrap();
        let found = (plan.settings.automatic, plan.settings.quantity);
        assert_eq!(found, settings, "{pace}");
    }
}

/// Any rate that the command takes: what it prints is that rate, and `cargo dev check` accepts it.
#[test]
fn the_printed_settings_are_the_planned_pace_or_none_are() {
    for pace in [
        "0.37/min",
        "1.7/h",
        "33/7s",
        "0.001/s",
        "2500.5/min",
        "11/13m",
        "999999/s",
        "3/1d",
    ] {
        let plan = planned(&format!("--visitors 100 --over 1m --pace {pace}")).unwrap();
        let made = Rate::of(plan.settings).a_minute;
        let off = made / plan.pace.a_minute - 1.0;
        assert!(off.abs() < 1e-9, "{pace}: {:?}", plan.settings);
        assert!(Pace::QUANTITY.contains(&plan.settings.quantity), "{pace}");
        assert!(Pace::AUTOMATIC.contains(&plan.settings.automatic), "{pace}");
    }
    for (pace, nearest) in [
        ("1/2d", "1 a day: automatic = 86400, automatic_quantity = 1"),
        (
            "9000000/s",
            "60000000 a minute: automatic = 1, automatic_quantity = 1000000",
        ),
        ("3.14159265358979/min", "3.1416 a minute: automatic = "),
    ] {
        let said = planned(&format!("--visitors 100 --over 1m --pace {pace}"));
        let said = said.err().unwrap_or_default();
        assert!(said.starts_with("No settings make "), "{pace}: {said}");
        assert!(said.contains(nearest), "{pace}: {said}");
    }
}

#[test]
fn the_bills_are_those_of_the_docs() {
    // As in the table of the docs, with 920 000 commands: 200 000 visitors who each wait half an hour and make 40 requests inside, in a sale of four hours.
    let plan =
        planned("--visitors 200000 --over 4h --shape even --pace 830/min --requests 40").unwrap();
    assert!(
        (900_000..930_000).contains(&plan.commands),
        "{}",
        plan.commands
    );
    assert!((plan.bills.upstash - 0.000_002 * simulator::units::float(plan.commands)).abs() < 1e-9);
}

#[test]
fn what_cannot_be_planned_is_said_with_what_is_accepted() {
    let wrong = |words: &str| planned(words).err().unwrap();
    for (words, said) in [
        ("--visitors 100 --over 1m", "--pace"),
        (
            "--visitors 100 --over soon --pace 5/min",
            "accepted is a number and ms, s, m, h or d",
        ),
        (
            "--visitors 100 --over 1m --pace 5",
            "accepted is such as 500/min",
        ),
        (
            "--visitors 100 --over 1m --pace 5/min --absent 2",
            "accepted is a share from 0 to 0.95",
        ),
        (
            "--visitors 100 --over 1m --pace 5/min --cap 10",
            "--session",
        ),
        (
            "--visitors 100 --over 1h --all-in-within 10m",
            "No pace lets the last visitor in within 10 min",
        ),
    ] {
        let found = wrong(words);
        assert!(found.contains(said), "{words}: {found}");
    }
}

#[test]
fn a_number_that_is_not_accepted_says_which_is() {
    let sound = "--visitors 900 --over 3m --pace 120/min";
    for (words, told) in [
        (
            "--visitors 1e3 --over 3m --pace 9/s",
            "is not in 1..=100000000",
        ),
        (
            "--visitors -5 --over 3m --pace 9/s",
            "is not in 1..=100000000",
        ),
        (
            "--visitors 0 --over 3m --pace 9/s",
            "is not in 1..=100000000",
        ),
        (
            "--visitors 9 --over 3m --pace -5/min",
            "accepted is such as",
        ),
        ("--visitors 9 --over 3m --pace 5", "accepted is such as"),
        (&format!("{sound} --pops 201"), "is not in 1..=200"),
        (&format!("{sound} --requests x"), "is not in 0..=1000000"),
        (&format!("{sound} --absent -1"), "from 0 to 0.95"),
        (
            &format!("{sound} --cap 0 --session 5m"),
            "is not in 1..=10000000",
        ),
    ] {
        let said = planned(words).err().unwrap_or_default();
        assert!(said.contains(told), "{words}: {said}");
    }
    assert!(planned(sound).is_ok());
}
