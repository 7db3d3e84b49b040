//! What the house promises about itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use cli_core::secret::Secret;
use now_serving::config::{
    Config, DEVELOPMENT, DOCUMENT, RETIRED, SECRETS, SINGLE, Source, Unreadable,
};

use crate::house::Given;

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

pub(crate) fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Answers with these secrets and remembers what it was asked.
#[derive(Clone, Default)]
struct Asked {
    given: BTreeMap<String, String>,
    keys: Arc<Mutex<Vec<String>>>,
    secrets: Arc<Mutex<BTreeSet<String>>>,
}

impl Source for Asked {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        self.keys.lock().unwrap().push(key.to_owned());
        let document = Some(r#"{"upstash_url":"https://a"}"#.to_owned());
        Ok(document.filter(|_| key == DOCUMENT))
    }
    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        self.secrets.lock().unwrap().insert(key.to_owned());
        Ok(self.given.get(key).cloned())
    }
    fn keeps_secrets(&self) -> bool {
        true
    }
    fn is_local(&self) -> bool {
        false
    }
}

pub(crate) fn asked() -> (BTreeSet<String>, BTreeSet<String>) {
    let mut asked = Asked::default();
    let nothing = Config::load(asked.clone());
    assert!(nothing.is_err(), "nothing is no configuration");
    asked.given = sound();
    let operators = Config::load(asked.clone()).ok().unwrap().operators.secrets;
    assert_eq!(operators.problems(), [], "there need be no operators");
    operators.tokens_of_both_kinds().unwrap();
    let mut secrets = asked.secrets.lock().unwrap().clone();
    assert!(
        secrets.remove(RETIRED),
        "the secret that has to move is asked for"
    );
    assert_eq!(
        secrets,
        SECRETS.map(str::to_owned).into(),
        "each that there is is asked for"
    );
    let mut settings = BTreeSet::from_iter(Config::names());
    // On the local server only.
    settings.remove("clock");
    (settings.into_iter().map(str::to_owned).collect(), secrets)
}

/// All that is required.
fn sound() -> BTreeMap<String, String> {
    BTreeMap::from(
        [
            ("jwt_secret", "0123456789abcdef0123456789abcdef"),
            ("upstash_token", "t"),
            ("upstash_url", "https://a"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned())),
    )
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let below = |path: PathBuf| {
        if path.is_dir() {
            files(&path)
        } else {
            vec![path]
        }
    };
    entries.flat_map(below).collect()
}

#[test]
fn the_costs_of_a_crowd_follow_from_their_formula() {
    let costs = text("docs/explanation/costs.md");
    let (data_centres, look_seconds, dollars_a_command) = (50.0, 26.0, 0.20 / 100_000.0);
    let grouped = |number: f64| {
        let digits = format!("{number:.0}");
        let groups: Vec<&str> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(|group| std::str::from_utf8(group).unwrap())
            .collect();
        groups.join(" ")
    };
    for (waiting, decimals) in [(1_000.0, 3), (100_000.0, 2), (10_000_000.0, 2)] {
        let commands = 3600.0 * data_centres;
        let row = format!(
            "| {} | {} | at most {} | {:.2} | ${:.decimals$} |",
            grouped(waiting),
            grouped((waiting / look_seconds).floor()),
            grouped(commands),
            commands * dollars_a_command,
            waiting * dollars_a_command,
        );
        assert!(costs.contains(&row), "{row}");
    }
    let each_look = 10_000_000.0 / look_seconds * 3600.0 * dollars_a_command;
    assert!(
        costs.contains(&format!("${} an hour", grouped(each_look))),
        "{each_look}"
    );
}

/// What has a default is not asked for: the CLI asks in any order, and writes down each default that is confirmed.
#[test]
fn what_has_no_sensible_default_is_asked_for_when_the_service_is_made_and_no_more() {
    let manifest = text("fastly.toml");
    let (_, secrets) = asked();
    assert_eq!(
        secrets.len(),
        5,
        "production allows five reads a request, which `login` counts: {secrets:?}"
    );
    let named = |prefix: &str| -> Vec<String> {
        let lines = manifest.lines();
        let named = lines.filter_map(|line| line.strip_prefix(prefix)?.strip_suffix(']'));
        named.map(str::to_owned).collect()
    };
    let items = named("[setup.config_stores.now-serving-config.items.");
    assert_eq!(items, ["settings", "upstash_url"]);
    assert!(manifest.contains("items.settings]\nvalue = \"{}\"\n"));
    let entries = named("[setup.secret_stores.now-serving-secrets.entries.");
    assert_eq!(entries, ["jwt_secret", "upstash_token", "admin_password"]);
    assert!(entries.iter().all(|entry| secrets.contains(entry)));
    let questions = manifest.matches("[setup.").count();
    assert_eq!(
        manifest.matches("\ndescription = ").count(),
        questions,
        "each with a description, and the manifest's own"
    );
}

#[test]
fn a_configuration_takes_few_keys_each_once() {
    let asked = Asked::default();
    let keys = Arc::clone(&asked.keys);
    assert!(Config::load(asked).is_err(), "there are no secrets");
    let keys = keys.lock().unwrap().join(" ");
    assert_eq!(keys, format!("{DOCUMENT} {}", SINGLE.join(" ")));
}

#[test]
fn the_development_configuration_is_sound_here_and_refused_elsewhere() {
    let settings: BTreeMap<String, String> = serde_json::from_str(&text("devconfig.json")).unwrap();
    let config = Config::load(Given(settings.clone())).ok().unwrap();
    assert_eq!(config.operators.secrets.problems(), []);
    assert!(config.operators.secrets.tokens_of_both_kinds().is_ok());
    for (key, value) in &settings {
        let secret = SECRETS.contains(&key.as_str());
        assert_eq!(value.starts_with(DEVELOPMENT), secret, "{key} is marked");
    }
}

/// The rest comes from the store, or is what `cargo dev secret` made before.
#[test]
fn every_secret_that_is_ours_to_make_can_be_made_and_is_accepted() {
    let (_, secrets) = asked();
    let not_ours = ["upstash_token"];
    let made: BTreeMap<String, String> = Secret::all()
        .iter()
        .map(|secret| (secret.name().to_owned(), secret.make().unwrap()))
        .collect();
    for key in secrets
        .iter()
        .filter(|key| !not_ours.contains(&key.as_str()))
    {
        assert!(made.contains_key(key), "{key}");
    }
    let mut settings = made.clone();
    let two = [&made["jwt_secret"], &made["permit_token"]].map(String::as_str);
    settings.insert("jwt_secret".to_owned(), two.join(","));
    settings.insert("upstash_token".to_owned(), "t".to_owned());
    let config = Config::load(Deployed(settings)).ok().unwrap();
    assert_eq!(config.operators.secrets.problems(), []);
    assert!(config.operators.secrets.tokens_of_both_kinds().is_ok());
}

/// The same in production.
struct Deployed(BTreeMap<String, String>);

impl Source for Deployed {
    fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
        let document = Some(r#"{"upstash_url":"https://a"}"#.to_owned());
        Ok(document.filter(|_| key == DOCUMENT))
    }
    fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
        Ok(self.0.get(key).cloned())
    }
    fn is_local(&self) -> bool {
        false
    }
}
