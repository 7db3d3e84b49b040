//! The folder a local edge runs in: a `fastly.toml` made for it and a copy of the settings.
//!
//! The checkout's own files stay untouched, and two edges never share a file.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use crate::project::project;

/// Settings of the service, key to value, as its config store holds them.
pub type Settings = BTreeMap<String, String>;

/// The name of the settings file in an edge's folder.
const SETTINGS_FILE: &str = "config.json";

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
    let path = project()?.root.join("devconfig.json");
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("devconfig.json could not be read: {error}."))?;
    parse(&text)
}

/// Every setting and secret there is, as `fastly.toml` asks for them.
///
/// # Errors
/// When the file is not there.
pub fn known_keys() -> Result<Vec<String>, String> {
    let path = project()?.root.join("fastly.toml");
    let text = fs::read_to_string(&path)
        .map_err(|error| format!("fastly.toml could not be read: {error}."))?;
    let key = |line: &str| {
        let rest = line
            .strip_prefix("[setup.config_stores.config.items.")
            .or_else(|| line.strip_prefix("[setup.secret_stores.secrets.entries."))?;
        rest.strip_suffix(']').map(str::to_owned)
    };
    Ok(text.lines().filter_map(key).collect())
}

fn parse(text: &str) -> Result<Settings, String> {
    let object: BTreeMap<String, serde_json::Value> = serde_json::from_str(text)
        .map_err(|error| format!("devconfig.json is not a JSON object: {error}."))?;
    let entries = object.into_iter().map(|(key, value)| match value {
        serde_json::Value::String(value) => Ok((key, value)),
        _ => Err(format!(
            "devconfig.json: the value of \"{key}\" must be a string, in quotes."
        )),
    });
    entries.collect()
}

/// Writes the settings so that whoever reads them sees the old ones or the new ones, never half.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_settings(folder: &Path, settings: &Settings) -> Result<(), String> {
    let text = serde_json::json!(settings).to_string();
    let new = folder.join("config.json.new");
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, folder.join(SETTINGS_FILE)))
        .map_err(|error| {
            format!(
                "The settings in {} could not be written: {error}.",
                folder.display()
            )
        })
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
    fn settings_are_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let one = Settings::from([("room".to_owned(), "ma\"in".to_owned())]);
        write_settings(folder.path(), &one).unwrap();
        write_settings(folder.path(), &one).unwrap();
        let text = fs::read_to_string(folder.path().join(SETTINGS_FILE)).unwrap();
        assert_eq!(parse(&text).unwrap(), one);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
