//! The simulator against the real thing: the same visitors in virtual time, and before the real Wasm in real time.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use development::real;
use simulator::apart::Apart;
use simulator::record::Checks;
use simulator::simulate::{Options, cases};

fn options(scenario: &str, set: &[&str]) -> Options {
    Options {
        scenario: Some(scenario.to_owned()),
        set: set.iter().map(|pair| (*pair).to_owned()).collect(),
        ..Options::default()
    }
}

/// The line does not end within the two minutes, so that all that is slower lets fewer visitors in.
#[test]
#[ignore = "takes two minutes and a machine of its own: cargo dev test --long"]
fn in_real_time_as_many_visitors_go_in_a_minute_as_in_virtual_time() {
    let cases = cases(&options("short", &[])).unwrap();
    let both = real::both(cases.first().unwrap(), &real::wasm().unwrap()).unwrap();
    for run in &both {
        assert_eq!(run.checks, Checks::default(), "{}", run.name);
        let waiting = run.points.last().unwrap().waiting;
        assert!(waiting > 50, "{}: {waiting}", run.name);
    }
    let [virtual_run, real_run] = &both;
    let apart = Apart::of(virtual_run, real_run);
    println!("{apart}");
    assert_eq!(apart.minutes.len(), 2);
    assert!(apart.percent() <= 5.0, "{apart}");
}

#[test]
fn what_a_real_run_cannot_play_is_named_and_nothing_is_started() {
    for (scenario, set, named) in [
        ("outage", "seed=1", "store_away"),
        ("share", "seed=1", "a rule other than now_serving"),
        ("short", "visitors.copies=0.1", "visitors.copies"),
        ("short", "on_origin_error=keep", "on_origin_error = keep"),
    ] {
        let said = real::play(&options(scenario, &[set])).unwrap_err();
        assert!(said.contains(named), "{scenario}: {said}");
    }
}
