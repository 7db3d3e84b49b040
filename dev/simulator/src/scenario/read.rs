//! From a file to a scenario: what is wrong is named, with what is accepted.

use std::fs;
use std::path::Path;

use now_serving::config::closest;
use serde_json::{Map, Value};

use super::{Event, Latency, Scenario};

/// The scenarios that come with this program, by their names.
macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// The names of the scenarios that come with this program.
        pub const NAMES: &[&str] = &[$($name),*];

        fn text_of(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some(include_str!(concat!("../../scenarios/", $name, ".json"))),)*
                _ => None,
            }
        }
    };
}

built_in!(
    "sale", "overload", "absent", "cap", "day", "morning", "outage", "sick", "slow", "split",
    "millions", "naive", "smart", "share", "short", "follow", "lot", "shop", "log",
);

/// What the command line says otherwise than the scenario.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `key=value` pairs: a setting of the product, or a path such as `visitors.absent`.
    pub set: Vec<String>,
    /// Another seed.
    pub seed: Option<u64>,
    /// Another number of POPs.
    pub pops: Option<usize>,
}

/// Whether a scenario of this name comes with this program.
#[must_use]
pub fn is_built_in(name: &str) -> bool {
    NAMES.contains(&name)
}

/// The scenario of a name or in a file, with what is said otherwise; and what it is compared with, each whole.
///
/// # Errors
/// What cannot be read or is not accepted, and what would be.
pub fn load(name: &str, overrides: &Overrides) -> Result<Vec<(String, Scenario)>, String> {
    let text = match text_of(name) {
        Some(text) => text.to_owned(),
        None => fs::read_to_string(name).map_err(|error| missing(name, &error.to_string()))?,
    };
    let value =
        serde_json::from_str(&text).map_err(|error| format!("{name} is no JSON: {error}."))?;
    let folder = Path::new(name).parent().unwrap_or_else(|| Path::new(""));
    variants(value, overrides, folder).map_err(|wrong| format!("{name}: {wrong}."))
}

fn missing(name: &str, error: &str) -> String {
    let meant = closest(name, NAMES);
    let meant = meant.map(|meant| format!(" Did you mean {meant}?"));
    format!(
        "{name} is no scenario and could not be read as a file: {error}.{} Accepted are {}, or the path of a file.",
        meant.unwrap_or_default(),
        NAMES.join(", ")
    )
}

/// Each way to play it, by its name; the first is the scenario as it stands, unless it only compares.
fn variants(
    mut value: Value,
    overrides: &Overrides,
    folder: &Path,
) -> Result<Vec<(String, Scenario)>, String> {
    for pair in &overrides.set {
        let (key, text) = pair
            .split_once('=')
            .ok_or_else(|| format!("--set {pair}: accepted is key=value"))?;
        // What is no JSON is a text.
        let set = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        let path = if key.contains('.') || is_of_scenario(key) {
            key.to_owned()
        } else {
            format!("settings.{key}")
        };
        put(&mut value, &path, set)?;
    }
    if let Some(seed) = overrides.seed {
        put(&mut value, "seed", seed.into())?;
    }
    if let Some(pops) = overrides.pops {
        put(&mut value, "pops", pops.into())?;
    }
    let base = checked(value.clone(), folder)?;
    if base.compare.is_empty() {
        return Ok(vec![(String::new(), base)]);
    }
    let each = base.compare.iter().map(|variant| {
        let mut varied = value.clone();
        for (path, set) in &variant.set {
            put(&mut varied, path, set.clone())
                .map_err(|wrong| format!("{}: {wrong}", variant.name))?;
        }
        // What was asked for on the command line is asked of each.
        let mut scenario =
            checked(varied, folder).map_err(|wrong| format!("{}: {wrong}", variant.name))?;
        scenario.compare = vec![variant.clone()];
        Ok((variant.name.clone(), scenario))
    });
    each.collect()
}

/// What can be set by one word, other than settings of the product.
fn is_of_scenario(key: &str) -> bool {
    const KEYS: [&str; 13] = [
        "title", "says", "seed", "pops", "lasts", "point", "settings", "arrivals", "visitors",
        "origin", "store", "edge", "events",
    ];
    KEYS.contains(&key)
}

/// Puts a value at a path of names and numbers, such as `arrivals.0.visitors`.
fn put(value: &mut Value, path: &str, set: Value) -> Result<(), String> {
    let mut place = value;
    for part in path.split('.') {
        if place.is_null() {
            *place = Value::Object(Map::new());
        }
        place = match place {
            Value::Object(object) => object.entry(part).or_insert(Value::Null),
            Value::Array(list) => {
                let many = list.len();
                let at = part
                    .parse()
                    .ok()
                    .and_then(|index: usize| list.get_mut(index));
                at.ok_or_else(|| {
                    format!("{path}: {part} is none of the {many} there are, counted from 0")
                })?
            }
            _ => return Err(format!("{path}: {part} is in nothing that has parts")),
        };
    }
    *place = set;
    Ok(())
}

fn checked(value: Value, folder: &Path) -> Result<Scenario, String> {
    let mut scenario: Scenario =
        serde_json::from_value(value).map_err(|error| error.to_string())?;
    let habits = &scenario.visitors;
    let shares = [
        ("visitors.absent", habits.absent),
        ("visitors.asleep", habits.asleep),
        ("visitors.in_background", habits.in_background),
        ("visitors.late", habits.late),
        ("visitors.copies", habits.copies),
        ("visitors.without_cookies", habits.without_cookies),
    ];
    for (name, share) in shares {
        if !(0.0..=1.0).contains(&share) {
            return Err(format!(
                "{name} is {share}; accepted is a share from 0 to 1"
            ));
        }
    }
    positive("pops", scenario.pops)?;
    positive("visitors.pages", habits.pages as usize)?;
    positive(
        "store.commands_a_second",
        scenario.store.commands_a_second as usize,
    )?;
    for (name, span) in [("point", scenario.point), ("lasts", scenario.lasts)] {
        if span.ms() < 1000 {
            return Err(format!("{name} is {span}; accepted is a second or more"));
        }
    }
    for (index, event) in scenario.events.iter().enumerate() {
        one_thing(event).map_err(|wrong| format!("events.{index} {wrong}"))?;
    }
    if let Some(origin) = &mut scenario.origin {
        positive("origin.workers", origin.workers)?;
        if !origin.slows.is_finite() || origin.slows < 0.0 {
            return Err(format!(
                "origin.slows is {}; accepted is 0 or more",
                origin.slows
            ));
        }
        if let Latency::File(file) = &origin.takes {
            origin.takes = Latency::Histogram(histogram(&folder.join(file))?);
        }
        if let Latency::Histogram(buckets) = &origin.takes
            && buckets.iter().all(|(_, many)| *many == 0)
        {
            return Err("origin.takes.histogram has no answers; accepted is a list such as [[\"50ms\", 120], [\"100ms\", 900]]".to_owned());
        }
    }
    Ok(scenario)
}

fn positive(name: &str, number: usize) -> Result<(), String> {
    if number == 0 {
        return Err(format!("{name} is 0; accepted is 1 or more"));
    }
    Ok(())
}

fn one_thing(event: &Event) -> Result<(), String> {
    let there = [
        event.mode.is_some(),
        event.permit.is_some(),
        event.pace.is_some(),
        event.cap.is_some(),
        event.stock.is_some(),
        event.store_away.is_some(),
        event.origin_slower.is_some(),
        event.origin_sick.is_some(),
    ];
    match there.iter().filter(|is_there| **is_there).count() {
        1 => Ok(()),
        many => Err(format!(
            "says {many} things; accepted is one of mode, permit, pace, cap, stock, store_away, origin_slower, origin_sick besides at"
        )),
    }
}

fn histogram(path: &Path) -> Result<Vec<(crate::units::Span, u64)>, String> {
    let name = path.display();
    let text = fs::read_to_string(path)
        .map_err(|error| format!("origin.takes.file {name} could not be read: {error}"))?;
    serde_json::from_str(&text).map_err(|error| {
        format!("{name}: {error}; accepted is a list such as [[\"50ms\", 120], [\"100ms\", 900]]")
    })
}
