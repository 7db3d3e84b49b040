//! The hour before the start: a line that was there, so that the panel's first look shows more than zeros.
//!
//! Nothing is made up: the simulator plays an hour of visitors on the real service and the real scripts, in virtual time, and
//! the store that it leaves goes on with this machine's clock.

use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness::sandbox_dir::{self, Settings};
use now_serving::config::{DOCUMENT, MORE, SINGLE};
use serde_json::{Map, Value, json};
use simulator::arrivals;
use simulator::scenario::{Scenario, Shape, Wave};
use simulator::site::{Polls, Site};
use simulator::units::{Span, whole};
use simulator::world;
use upstash_local::Store;

const HOUR: Duration = Duration::from_hours(1);

/// A pace above this has no more visitors: they are played before the room is ready.
const MOST_A_MINUTE: f64 = 60.0;

/// An hour that is being played.
pub(super) struct Past(JoinHandle<Result<Store, String>>);

impl Past {
    /// Plays it beside what else has to be done until the store is needed. The settings are sound if the service serves with them.
    pub(super) fn begin(settings: &Settings, token: &str) -> Self {
        let (settings, token) = (settings.clone(), token.to_owned());
        Self(thread::spawn(move || store(&settings, &token)))
    }

    /// The store with that hour in it.
    pub(super) fn store(self) -> Result<Store, String> {
        let played = self.0.join();
        let played = played.map_err(|_| "it was not played to its end".to_owned());
        played
            .flatten()
            .map_err(|reason| format!("The past hour could not be played: {reason}."))
    }
}

fn store(settings: &Settings, token: &str) -> Result<Store, String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let began = now.unwrap_or_default().saturating_sub(HOUR);
    let began_ms = u64::try_from(began.as_millis()).unwrap_or(u64::MAX);
    let store = Store::embedded_at(token, began)?;
    let scenario = scenario(settings)?;
    let site = Site::on(&store, began_ms, &scenario, Polls::Reckoned)?;
    let moments = moments(site.pace_a_minute());
    world::play_on(site, &scenario, &moments)?;
    store.limit(None);
    store.reset_counts();
    store.follow_clock();
    Ok(store)
}

/// Visitors who mostly wait to the end, and an operator who once let some in.
fn scenario(settings: &Settings) -> Result<Scenario, String> {
    let scenario = json!({
        "title": "The past hour",
        "says": "Two rushes, each of which makes a line",
        "lasts": "1h",
        "pops": 1,
        "settings": document(settings),
        "arrivals": [],
        "visitors": { "absent": 0.02, "patience": "20m", "pages": 2, "stays": "1m" },
        "events": [{ "at": "11m", "permit": 20 }],
    });
    serde_json::from_value(scenario).map_err(|error| error.to_string())
}

/// The settings as one document. What a part holds, such as a logo, moves no line.
fn document(settings: &Settings) -> Map<String, Value> {
    let stored = sandbox_dir::stored(settings);
    let text = stored.get(DOCUMENT).map_or("", String::as_str);
    let mut document: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    document.remove(MORE);
    let single = stored
        .into_iter()
        .filter(|(key, _)| SINGLE.contains(&key.as_str()));
    document.extend(single.map(|(key, value)| (key, Value::from(value))));
    document
}

/// Fewer visitors than the pace lets in, but for two rushes. None where the pace is off: their line would never end.
fn moments(pace_a_minute: f64) -> Vec<u64> {
    let wave = |from: u64, over: u64, minutes_of_pace: f64, shape| Wave {
        from: Span::from_secs(from * 60),
        over: Span::from_secs(over * 60),
        visitors: whole(pace_a_minute.min(MOST_A_MINUTE) * minutes_of_pace),
        shape,
    };
    let waves = [
        wave(0, 60, 15.0, Shape::Even),
        wave(6, 6, 10.0, Shape::Hill),
        wave(32, 7, 12.0, Shape::Hill),
    ];
    arrivals::moments(&waves, 1)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;
    use now_serving::queue::Sample;

    fn demo(more: &[(&str, &str)]) -> Settings {
        let mut settings = sandbox_dir::development_settings().unwrap();
        let demo = [("automatic", "6"), ("automatic_quantity", "4")];
        for (key, value) in demo.iter().chain(more) {
            settings.insert((*key).to_owned(), (*value).to_owned());
        }
        settings
    }

    fn number(value: &Value) -> u64 {
        value.as_str().unwrap().parse().unwrap()
    }

    #[test]
    fn the_past_hour_leaves_a_line_whose_numbers_agree_and_a_minute_for_each_of_its_minutes() {
        let past = Past::begin(&demo(&[]), "token");
        let store = past.store().unwrap();
        let field = |name| number(&store.command(&["HGET", "queue:{main}", name]).unwrap());
        let (cursor, length) = harness::kept::numbers(&store, "queue:{main}", "main").unwrap();
        let (drawn, admitted) = (field("drawn"), field("admitted"));
        assert!(cursor <= length && length > 1200, "{cursor} of {length}");
        assert!(drawn == length && admitted <= cursor, "{drawn}, {admitted}");
        let keys = store
            .command(&["LRANGE", "queue:{main}:minutes", "0", "-1"])
            .unwrap();
        let texts = keys.as_array().unwrap().iter();
        let minutes: Vec<Sample> = texts
            .map(|text| Sample::read(text.as_str().unwrap()).unwrap())
            .collect();
        assert!((58..=61).contains(&minutes.len()), "{minutes:?}");
        // The newest first.
        let [newest, .., oldest] = minutes.as_slice() else {
            unreachable!()
        };
        assert_eq!(newest.at - oldest.at + 1, minutes.len() as u64);
        let sum = |of: fn(&Sample) -> u64| minutes.iter().map(of).sum::<u64>();
        assert!(sum(|minute| minute.drawn) > length - 60, "{minutes:?}");
        assert!(sum(|minute| minute.released) > admitted - 60);
        let most = minutes.iter().map(|minute| minute.waiting).max().unwrap();
        assert!((100..600).contains(&most), "two rushes wait: {most}");
        let actions = store
            .command(&["LRANGE", "queue:{main}:actions", "0", "-1"])
            .unwrap();
        assert_eq!(actions.as_array().unwrap().len(), 1, "{actions}");
        // From now on its clock is this machine's.
        let now = || {
            let time = SystemTime::now().duration_since(UNIX_EPOCH);
            time.unwrap().as_secs()
        };
        let before = now();
        let time = store
            .command(&["EVAL", "return redis.call('TIME')[1]", "0"])
            .unwrap();
        let around = before - 1..=now() + 1;
        assert!(around.contains(&number(&time)), "{time}, not {around:?}");
        assert_eq!(store.calls(), 0, "what is counted begins now");
    }

    #[test]
    fn a_line_that_does_not_move_has_no_past() {
        let store = Past::begin(&demo(&[("automatic", "0")]), "token")
            .store()
            .unwrap();
        let numbers = harness::kept::numbers(&store, "queue:{main}", "main");
        assert_eq!(numbers, Ok((0, 0)));
    }
}
