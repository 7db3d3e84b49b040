//! What the house promises about itself.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use now_serving::config::{Config, DEVELOPMENT, Source};

use crate::house::Given;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// Answers nothing and remembers what it was asked.
#[derive(Default)]
struct Asked {
    settings: RefCell<BTreeSet<String>>,
    secrets: RefCell<BTreeSet<String>>,
}

impl Source for Asked {
    fn setting(&self, key: &str) -> Option<String> {
        self.settings.borrow_mut().insert(key.to_owned());
        None
    }
    fn secret(&self, key: &str) -> Option<String> {
        self.secrets.borrow_mut().insert(key.to_owned());
        None
    }
    fn is_local(&self) -> bool {
        false
    }
}

fn asked() -> (BTreeSet<String>, BTreeSet<String>) {
    let asked = Asked::default();
    assert!(Config::load(&asked).is_err(), "nothing is no configuration");
    (asked.settings.into_inner(), asked.secrets.into_inner())
}

#[test]
fn native_only_one_file_names_the_platform() {
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() && name != "edge.rs" {
            assert!(
                !fs::read_to_string(&path).unwrap().contains("fastly::"),
                "{name}"
            );
        }
    }
}

#[test]
fn native_every_setting_and_secret_is_asked_for_when_the_service_is_made() {
    let manifest = text("fastly.toml");
    let (settings, secrets) = asked();
    let secrets: BTreeSet<String> = secrets
        .into_iter()
        .filter(|key| key != "upstash_url")
        .collect();
    assert_eq!(
        secrets.len(),
        5,
        "production allows five reads of the secret store: {secrets:?}"
    );
    assert!(
        settings.len() <= 32,
        "and 32 of the config store: {settings:?}"
    );
    for key in settings.difference(&secrets) {
        assert!(
            manifest.contains(&format!("[setup.config_stores.config.items.{key}]\n")),
            "{key}"
        );
    }
    for key in &secrets {
        assert!(
            manifest.contains(&format!("[setup.secret_stores.secrets.entries.{key}]\n")),
            "{key}"
        );
    }
    let questions = manifest.matches("[setup.").count();
    assert_eq!(
        manifest.matches("\ndescription = ").count(),
        questions,
        "each with a description, and the manifest's own"
    );
}

#[test]
fn native_the_values_proposed_when_the_service_is_made_are_the_defaults() {
    let proposed: BTreeMap<String, String> = text("fastly.toml")
        .split("[setup.config_stores.config.items.")
        .skip(1)
        .filter_map(|item| {
            let (key, rest) = item.split_once("]\n")?;
            let value = rest.strip_prefix("value = \"")?.split_once('"')?.0;
            Some((key.to_owned(), value.to_owned()))
        })
        .collect();
    assert!(proposed.len() >= 10, "{proposed:?}");
    let sound = || {
        BTreeMap::from(
            [
                ("jwt_secret", "0123456789abcdef0123456789abcdef"),
                ("upstash_token", "t"),
                ("upstash_url", "https://a"),
            ]
            .map(|(key, value)| (key.to_owned(), value.to_owned())),
        )
    };
    let mut confirmed = sound();
    confirmed.extend(proposed);
    let shape = |settings: &BTreeMap<String, String>| {
        let config = Config::load(&Given(settings)).ok().unwrap();
        (
            config.room,
            config.admin_path,
            config.pace,
            config.refresh_interval,
            config.cookie_expiry,
            config.bypass_paths,
        )
    };
    assert_eq!(shape(&confirmed), shape(&sound()));
    let rest = |settings: &BTreeMap<String, String>| {
        let config = Config::load(&Given(settings)).ok().unwrap();
        (
            config.waiting_status,
            config.on_store_error,
            (config.frame_ancestors, config.origin_cookie),
            config.admit_for,
            config.permit_max,
            config.credit_max,
        )
    };
    assert_eq!(rest(&confirmed), rest(&sound()));
}

#[test]
fn native_the_development_configuration_is_sound_here_and_refused_elsewhere() {
    let settings: BTreeMap<String, String> = serde_json::from_str(&text("devconfig.json")).unwrap();
    assert!(Config::load(&Given(&settings)).is_ok());
    for (key, value) in &settings {
        let secret = ["secret", "token", "password"]
            .iter()
            .any(|word| key.contains(word));
        assert_eq!(value.starts_with(DEVELOPMENT), secret, "{key} is marked");
    }
}

#[test]
fn native_readme_names_every_setting_and_route() {
    let readme = text("README.md");
    let (settings, secrets) = asked();
    for key in settings.union(&secrets) {
        assert!(readme.contains(&format!("| `{key}` |")), "{key}");
    }
    for route in [
        "/_queue",
        "/_queue/permit",
        "/_queue/status",
        "/_queue/healthz",
    ] {
        assert!(readme.contains(&format!("| `{route}` |")), "{route}");
    }
}
