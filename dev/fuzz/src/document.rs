//! The configuration. Any settings give either a room within the documented limits or problems that name key and what is accepted; no
//! problem shows a secret; a value that no setting can have is never taken for its absence.
//!
//! A line that begins with `=== ` names the key of the config store that follows it; what stands before the first is the document.

use std::collections::BTreeMap;

use now_serving::config::{Config, DOCUMENT, Problem, SINGLE, Serves, Source, Unreadable, Unsound};
use now_serving::page::waiting_json;
use now_serving::queue::{Event, Pace};
use serde_json::{Map, Value};

use crate::keys::{NOW, SECRET};

/// What the store has under each key.
#[derive(Clone)]
struct Given(BTreeMap<String, String>);

impl Source for Given {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(self.0.get(key).cloned())
    }

    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let is_needed = ["jwt_secret", "upstash_token"].contains(&key);
        Ok(is_needed.then(|| SECRET.to_owned()))
    }

    fn keeps_secrets(&self) -> bool {
        true
    }

    fn is_local(&self) -> bool {
        self.0.contains_key("local")
    }
}

impl Given {
    fn read(text: &str) -> Self {
        let mut parts = text.split("\n=== ");
        let document = parts.next().unwrap_or_default().to_owned();
        let url = "https://store.example".to_owned();
        let mut keys = BTreeMap::from([("upstash_url".to_owned(), url)]);
        keys.extend(parts.map(|part| {
            let (key, value) = part.split_once('\n').unwrap_or((part, ""));
            (key.to_owned(), value.to_owned())
        }));
        keys.insert(DOCUMENT.to_owned(), document);
        Self(keys)
    }
}

/// Reads settings.
pub fn target(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let given = Given::read(&text);
    let problems = match Config::load(given.clone()) {
        Ok(config) => {
            is_within_limits(&config);
            decides(&config, &given);
            [config.ignored, config.closed].concat()
        }
        Err(unsound) => {
            assert!(
                !unsound.problems.is_empty(),
                "unsound, and nothing is wrong"
            );
            serves_on(&unsound);
            unsound.problems
        }
    };
    for problem in &problems {
        is_told(problem, &text);
    }
    no_wrong_value_is_absent(&given, &problems);
}

fn is_told(problem: &Problem, text: &str) {
    let Problem {
        key,
        value,
        accepted,
        ..
    } = problem;
    assert!(!key.is_empty() && !accepted.is_empty(), "{problem:?}");
    let said = value.iter().chain([accepted]);
    for said in said {
        assert!(said.chars().count() <= 512, "{problem:?}");
        let is_shown = said.contains(SECRET) && !text.contains(SECRET);
        assert!(!is_shown, "{problem:?} shows a secret");
    }
}

fn is_within_limits(config: &Config) {
    let room = &config.rooms.first;
    let name = room.name.as_str();
    let is_of_a_name = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    assert!(
        (1..=64).contains(&name.len()) && name.chars().all(is_of_a_name),
        "{name:?}"
    );
    let times = 60..=2_592_000;
    for (what, number, accepted) in [
        ("automatic", room.pace.automatic, Pace::AUTOMATIC),
        ("automatic_quantity", room.pace.quantity, Pace::QUANTITY),
        ("refresh_interval", room.refresh_interval, 1..=30),
        ("ticket_life", config.tickets.life, times.clone()),
        ("cookie_expiry", config.tickets.stay, times),
        ("admit_for", config.outage.admit_for, 1..=3_600),
        ("log_sample", config.logging.sample, 1..=10_000),
        ("backend_calls", config.backend_calls, 6..=32),
    ] {
        assert!(accepted.contains(&number), "{what} is {number}");
    }
    let path = &config.operators.path;
    assert!(path.starts_with('/') && !path.ends_with('/'), "{path:?}");
}

/// What a request asks of the settings has an answer; `path` and `host` are the key's own.
fn decides(config: &Config, given: &Given) {
    let of = |key: &str| given.0.get(key).map_or("/", String::as_str);
    let paths = &config.paths;
    for method in ["GET", "POST", "OPTIONS"] {
        let _ = paths.take_commands(method, of("path"));
        let _ = paths.may_be_cached(method, of("path"));
        let _ = paths.skip_room(method, of("path"));
        // What not every origin reads alike skips no room, unless everything does.
        let skips = |path: &str| paths.skip_room(method, path);
        let is_slipped = ["/a/../b", "/%2e%2e/b", "/a%2fb"].into_iter().any(skips);
        assert!(!is_slipped || skips("/listed/by/no-setting"), "{paths:?}");
    }
    let serves = config.serves(of("host"));
    assert_eq!(serves == Serves::Both, config.operators.host.is_none());
    let room = &config.rooms.first;
    for event in &room.events {
        let _ = Event::of(&room.events, event.opens_ms).map(|event| event.phase(NOW * 1000));
        assert_eq!(Event::read(&event.written()).as_ref(), Some(event));
    }
    let told = waiting_json(
        503,
        &now_serving::page::Waiting::default(),
        room.name.as_str(),
        None,
    );
    assert!(serde_json::from_slice::<Value>(&told.body).is_ok());
}

/// Visitors inside stay inside: what is left of the settings answers too.
fn serves_on(unsound: &Unsound) {
    let _ = unsound.paths.skip_room("GET", "/assets/a.css");
    let _ = unsound.serves("shop.example");
    let _ = unsound.is_whole();
}

/// `true` is no value of any setting.
fn no_wrong_value_is_absent(given: &Given, problems: &[Problem]) {
    let text = given.0.get(DOCUMENT).map_or("", String::as_str);
    let document: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    for name in Config::names() {
        let has_single = SINGLE.contains(&name) && given.0.contains_key(name);
        let is_wrong = document.get(name).is_some_and(Value::is_boolean) && !has_single;
        let is_named = problems.iter().any(|problem| problem.key == name);
        assert!(!is_wrong || is_named, "{name} is no problem: {problems:?}");
    }
}
