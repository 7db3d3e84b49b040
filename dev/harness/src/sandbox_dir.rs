//! The folder a local edge runs in: a `fastly.toml` made for it and a copy of the settings.
//!
//! The checkout's own files stay untouched, and two edges never share a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use now_serving::config::{Config, DOCUMENT, MORE, PARTS, RETIRED, SECRETS, SINGLE};
use now_serving::http::without_mark;
use serde_json::{Value as Json, json};

use crate::project::project;

/// Settings of the service, key to value, as its config store holds them.
pub type Settings = BTreeMap<String, String>;

/// The settings of this machine, in the root of the checkout.
pub const DEVELOPMENT_SETTINGS: &str = "devconfig.json";

/// The name of the settings file in an edge's folder.
const SETTINGS_FILE: &str = "config.json";

/// The name of the file with the rules of a strict host.
const RULES_FILE: &str = "rules.json";

/// The two backends of the service.
#[derive(Clone, Copy, Debug)]
pub struct Backends<'a> {
    /// The URL of the protected site.
    pub origin: &'a str,
    /// The URL of the store.
    pub store: &'a str,
    /// How long the store may take.
    pub deadline: Duration,
}

/// The settings of `devconfig.json`.
///
/// # Errors
/// When the file is not there or is not a flat JSON object of strings.
pub fn development_settings() -> Result<Settings, String> {
    let path = project()?.root.join(DEVELOPMENT_SETTINGS);
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("devconfig.json could not be read: {error}."))?;
    parse(&text)
}

/// The names of every setting and secret there is.
#[must_use]
pub fn known_keys() -> Vec<&'static str> {
    let settings = Config::names();
    settings.into_iter().chain(SECRETS).collect()
}

/// The settings as the config store holds them: what has no key of its own stands in the document, where one that is
/// given goes before what was there. A document that cannot be understood is left as it is.
#[must_use]
pub fn stored(settings: &Settings) -> Settings {
    let has_own_key = |key: &str| {
        key == DOCUMENT
            || [&SINGLE[..], &PARTS, &SECRETS, &[RETIRED]]
                .concat()
                .contains(&key)
    };
    let (mut stored, others): (Settings, Settings) =
        (settings.clone().into_iter()).partition(|(key, _)| has_own_key(key));
    let given = stored.get(DOCUMENT).map_or("{}", String::as_str);
    let Ok(Json::Object(mut document)) = serde_json::from_str(without_mark(given)) else {
        return stored;
    };
    let mut more = match document.get(MORE) {
        Some(Json::Array(more)) => more.clone(),
        _ => Vec::new(),
    };
    // The document and a long setting may be too long for one key.
    let parts = stored.keys().filter(|key| PARTS.contains(&key.as_str()));
    let unnamed: Vec<&String> = parts.filter(|part| !more.contains(&json!(part))).collect();
    if others.is_empty() && unnamed.is_empty() && stored.contains_key(DOCUMENT) {
        return stored;
    }
    for part in unnamed {
        document.remove(part);
        more.push(json!(part));
        document.insert(MORE.to_owned(), json!(more));
    }
    document.extend(
        others
            .into_iter()
            .map(|(key, value)| (key, Json::from(value))),
    );
    stored.insert(DOCUMENT.to_owned(), Json::Object(document).to_string());
    stored
}

fn parse(text: &str) -> Result<Settings, String> {
    let object: BTreeMap<String, serde_json::Value> = serde_json::from_str(without_mark(text))
        .map_err(|error| format!("devconfig.json is not a JSON object: {error}."))?;
    let entries = object.into_iter().map(|(key, value)| match value {
        serde_json::Value::String(value) => Ok((key, value)),
        _ => Err(format!(
            "devconfig.json: the value of \"{key}\" must be a string, in quotes."
        )),
    });
    entries.collect()
}

/// Writes the settings so that a reader sees the old ones or the new ones, never half.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_settings(folder: &Path, settings: &Settings) -> Result<(), String> {
    replace(&folder.join(SETTINGS_FILE), &stored(settings))
}

/// Writes the rules of a strict host in the same way.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_rules(folder: &Path, rules: &Settings) -> Result<(), String> {
    replace(&folder.join(RULES_FILE), rules)
}

fn replace(file: &Path, entries: &Settings) -> Result<(), String> {
    let new = file.with_extension("json.new");
    fs::write(&new, json!(entries).to_string())
        .and_then(|()| fs::rename(&new, file))
        .map_err(|error| format!("{} could not be written: {error}.", file.display()))
}

/// Adds a place for the rules of a strict host to the manifest in this folder; there are none yet.
///
/// # Errors
/// When a file cannot be written.
pub fn add_rules(folder: &Path) -> Result<(), String> {
    write_rules(folder, &Settings::new())?;
    let lines = format!(
        "\n[local_server.config_stores.strict_host]\nformat = \"json\"\nfile = \"{RULES_FILE}\"\n"
    );
    add_to_manifest(folder, &lines)
}

/// Writes `fastly.toml` for an edge that runs in this folder.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_manifest(folder: &Path, backends: Backends<'_>) -> Result<(), String> {
    fs::write(folder.join("fastly.toml"), manifest(backends)).map_err(|error| {
        format!(
            "fastly.toml in {} could not be written: {error}.",
            folder.display()
        )
    })
}

/// Adds the secret store to the manifest in this folder, unless there is nothing in it.
///
/// # Errors
/// When the manifest cannot be written to.
pub fn add_secrets(folder: &Path, secrets: &Settings) -> Result<(), String> {
    let lines = secrets.iter().map(|(key, value)| {
        let (key, value) = (quoted(key), quoted(value));
        format!("\n[[local_server.secret_stores.secrets]]\nkey = {key}\ndata = {value}\n")
    });
    add_to_manifest(folder, &lines.collect::<String>())
}

/// Adds lists of networks to the manifest in this folder, each with its entries in a file of its own.
///
/// # Errors
/// When a file cannot be written.
pub fn add_acls(folder: &Path, acls: &BTreeMap<String, serde_json::Value>) -> Result<(), String> {
    let mut lines = String::new();
    for (name, entries) in acls {
        let file = format!("acl-{name}.json");
        let text = json!({ "entries": entries }).to_string();
        fs::write(folder.join(&file), text).map_err(|error| {
            format!(
                "{file} in {} could not be written: {error}.",
                folder.display()
            )
        })?;
        let list = format!("\n[local_server.acls.{name}]\nfile = {}\n", quoted(&file));
        lines.push_str(&list);
    }
    add_to_manifest(folder, &lines)
}

/// Adds backends to the manifest in this folder: the URL of each by its name.
///
/// # Errors
/// When the file cannot be written.
pub fn add_backends(folder: &Path, backends: &BTreeMap<String, String>) -> Result<(), String> {
    let lines = backends.iter().map(|(name, url)| {
        let backend = backend(url);
        format!("\n[local_server.backends.{name}]\n{backend}")
    });
    add_to_manifest(folder, &lines.collect::<String>())
}

/// Adds what geolocation says to the manifest in this folder, unless that is nothing.
///
/// # Errors
/// When a file cannot be written.
pub fn add_places(folder: &Path, places: &BTreeMap<String, Json>) -> Result<(), String> {
    if places.is_empty() {
        return Ok(());
    }
    let file = "places.json";
    fs::write(folder.join(file), json!(places).to_string()).map_err(|error| {
        format!(
            "{file} in {} could not be written: {error}.",
            folder.display()
        )
    })?;
    let lines = format!("\n[local_server.geolocation]\nformat = \"json\"\nfile = \"{file}\"\n");
    add_to_manifest(folder, &lines)
}

fn add_to_manifest(folder: &Path, lines: &str) -> Result<(), String> {
    let path = folder.join("fastly.toml");
    let manifest = fs::read_to_string(&path);
    let written = manifest.and_then(|manifest| fs::write(&path, manifest + lines));
    written.map_err(|error| {
        format!(
            "fastly.toml in {} could not be written: {error}.",
            folder.display()
        )
    })
}

fn manifest(backends: Backends<'_>) -> String {
    // The deadline belongs to the backend, since the SDK has none per request.
    let deadline = backends.deadline.as_millis();
    format!(
        "manifest_version = 3\n\
         name = \"now-serving\"\n\
         language = \"other\"\n\n\
         [local_server.backends.protected_content]\n{origin}\n\
         [local_server.backends.upstash]\n{store}\
         first_byte_timeout_ms = {deadline}\n\
         between_bytes_timeout_ms = {deadline}\n\n\
         [local_server.config_stores.config]\n\
         format = \"json\"\n\
         file = \"{SETTINGS_FILE}\"\n",
        origin = backend(backends.origin),
        store = backend(backends.store),
    )
}

/// A site elsewhere must see its own name in `Host`; one on this machine may see ours.
fn backend(url: &str) -> String {
    let url_line = format!("url = {}\n", quoted(url));
    match host(url) {
        Some(host) if !is_loopback(host) => format!("{url_line}override_host = {}\n", quoted(host)),
        _ => url_line,
    }
}

/// The `host:port` of a URL.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    rest.split(['/', '?'])
        .next()
        .filter(|host| !host.is_empty())
}

fn is_loopback(host: &str) -> bool {
    ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

/// A TOML string; every JSON string is one.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn a_setting_that_is_not_a_string_is_named() {
        let error = parse(r#"{"room":"main","automatic":15}"#).unwrap_err();
        assert!(error.contains("\"automatic\""), "{error}");
    }

    #[test]
    fn only_a_site_elsewhere_gets_its_own_host_name() {
        assert_eq!(
            backend("http://127.0.0.1:8080"),
            "url = \"http://127.0.0.1:8080\"\n"
        );
        assert_eq!(
            backend("http://localhost/a"),
            "url = \"http://localhost/a\"\n"
        );
        let elsewhere = backend("https://shop.example:8443/a");
        assert!(
            elsewhere.contains("override_host = \"shop.example:8443\""),
            "{elsewhere}"
        );
        assert!(backend("http://localhost.example").contains("override_host"));
    }

    #[test]
    fn what_has_no_key_of_its_own_stands_in_the_document() {
        let own = |pairs: &[(&str, &str)]| -> Settings {
            let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
            pairs.iter().map(own).collect()
        };
        for (given, expected) in [
            (own(&[]), own(&[("settings", "{}")])),
            (
                own(&[
                    ("room", "a"),
                    ("heading", "b"),
                    ("jwt_secret", "c"),
                    ("template", "d"),
                ]),
                own(&[
                    ("room", "a"),
                    ("jwt_secret", "c"),
                    ("settings", r#"{"heading":"b","more":["template"]}"#),
                    ("template", "d"),
                ]),
            ),
            (
                own(&[
                    ("settings", r#"{"heading":"a","permit_max":5}"#),
                    ("heading", "b"),
                ]),
                own(&[("settings", r#"{"heading":"b","permit_max":5}"#)]),
            ),
            (
                own(&[("settings", "{ "), ("heading", "b")]),
                own(&[("settings", "{ ")]),
            ),
            (
                own(&[("settings", r#"{"a":1,"a":2}"#)]),
                own(&[("settings", r#"{"a":1,"a":2}"#)]),
            ),
            (
                own(&[("settings", r#"{"more":["template"]}"#), ("template", "d")]),
                own(&[("settings", r#"{"more":["template"]}"#), ("template", "d")]),
            ),
        ] {
            assert_eq!(stored(&given), expected);
        }
    }

    #[test]
    fn settings_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let one = Settings::from([("room".to_owned(), "ma\"in".to_owned())]);
        write_settings(folder.path(), &one).unwrap();
        write_settings(folder.path(), &one).unwrap();
        let text = fs::read_to_string(folder.path().join(SETTINGS_FILE)).unwrap();
        assert_eq!(parse(&text).unwrap(), stored(&one));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
