//! The vectors of rules that the simulator alone has, as tables: `tests/vectors/simulator/`.
//!
//! They are what the product is compared with: a pace that is split among workers, and a window that follows the places of late
//! work.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use serde_json::{Value, json};
use simulator::place::{Form, Places};
use simulator::split::{of_worker, per_worker, workers_at};

use simulator::window::Bounds;
use tables::table::{Table, Words, compare};

/// Plays a table on a function.
fn hold(file: &str, text: &str, play: fn(&mut Words) -> Result<Value, String>) {
    let table = Table::read(text).unwrap_or_else(|fault| panic!("{file}: {fault}"));
    assert_eq!(table.function.as_deref(), Some(file));
    for case in &table.cases {
        let mut words = Words::new("given", Value::Object(case.given.clone())).unwrap();
        let found = play(&mut words);
        let held = found.and_then(|found| {
            words.end()?;
            compare(&Value::Object(case.then.clone()), &found, "")
        });
        held.unwrap_or_else(|fault| panic!("{file}, {}: {fault}", case.name));
    }
}

#[test]
fn slots_are_divided_among_workers_as_the_source_divides_them() {
    let text = include_str!("../../../../tests/vectors/simulator/workers.json");
    hold("workers", text, |words| {
        let fraction = |value: Option<Value>| value.and_then(|value| value.as_f64());
        let workers = fraction(words.take("workers")).ok_or("no workers")?;
        let own = (words.number("slots")?.unwrap_or(0), workers);
        let anywhere = words.number("anywhere")?.unwrap_or(0);
        let all_workers = fraction(words.take("all_workers")).unwrap_or(workers);
        let used = fraction(words.take("utilisation"));
        let curve = fraction(words.take("curve")).unwrap_or(1.0);
        let whole = words.number("of_workers")?;
        let divided = whole.zip(used);
        let divided = divided.map(|(whole, used)| workers_at(whole, used, curve));
        Ok(json!({
            "of_own": per_worker(own.0, divided.unwrap_or(own.1)),
            "together": of_worker(own, (anywhere, all_workers)),
            "workers": divided,
        }))
    });
}

#[test]
fn late_work_moves_the_window_as_it_was_published() {
    let text = include_str!("../../../../tests/vectors/simulator/places.json");
    hold("places", text, |words| {
        let bounds = Bounds { min: 5, max: 250 };
        let form = match words.text("form")?.as_deref() {
            None | Some("smart") => Form::Smart,
            Some("naive") => Form::Naive,
            Some(other) => return Err(format!("{other:?} is neither smart nor naive")),
        };
        let mut places = Places {
            window: words.needed("window")?,
            successes: 0,
        };
        for _ in 0..words.number("successes")?.unwrap_or(0) {
            places.success(bounds);
        }
        if let Some(place) = words.number("late_at_place")? {
            places.timeout(form, place, bounds);
        }
        for _ in 0..words.number("successes_then")?.unwrap_or(0) {
            places.success(bounds);
        }
        let starts = words.number("work_at_place")?;
        Ok(json!({
            "window": places.window,
            "starts": starts.map(|place| places.starts(place)),
        }))
    });
}
