//! A real browser, for journeys and measurements: Chromium without a window, driven through its own driver, or one of
//! another [`Engine`].
//!
//! What `WebDriver` has no word for is said in Chromium's own protocol: [`cdp`].

mod engine;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

use fantoccini::wd::{Capabilities, TimeoutConfiguration, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder};
use hyper::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::tools;

pub use engine::Engine;

/// chromedriver takes a free port of IPv6 and then the same one of IPv4, which another program may have: then it ends. It
/// gives Chromium a minute to start.
const ATTEMPTS: u32 = 5;

/// How long a script may take, as long as chromedriver lets a page load.
const PATIENCE: Duration = Duration::from_mins(5);

/// Alone on this machine, as root too, and asking for nothing that no page asked for.
const ARGUMENTS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
];

/// Chromium's number for what it never allows.
const BLOCKED: u8 = 2;

/// The driver; it and every browser it opened end with it.
#[derive(Debug)]
pub struct Driver {
    engine: Engine,
    running: engine::Running,
}

/// What a browser is opened with.
#[derive(Clone, Debug)]
pub struct Options {
    size: (u32, u32),
    runs_scripts: bool,
    arguments: Vec<String>,
    preferences: BTreeMap<&'static str, Value>,
    /// What is written down, by the driver's names: which log, and from which level on.
    logs: BTreeMap<&'static str, &'static str>,
}

/// A request that a page made, or that was made for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// In capitals.
    pub method: String,
    /// Where it went, as a whole.
    pub url: String,
}

impl Driver {
    /// Starts chromedriver on a port of its own choice.
    ///
    /// # Errors
    /// When it is not there, or does not listen in time.
    pub fn start() -> Result<Self, String> {
        Self::start_for(Engine::Chromium)
    }

    /// Starts the driver of such a browser.
    ///
    /// # Errors
    /// When it is not there, or does not listen in time.
    pub fn start_for(engine: Engine) -> Result<Self, String> {
        engine.found()?;
        let again = (1..ATTEMPTS).find_map(|_| engine.start().ok());
        let running = again.map_or_else(|| engine.start(), Ok)?;
        Ok(Self { engine, running })
    }

    /// Opens a new browser with a profile of its own. Firefox and `WebKit` heed the size of the window and whether scripts run,
    /// Firefox the preferences that it knows as well, and their drivers have one browser open at a time.
    ///
    /// # Errors
    /// When the browser is not there or does not start.
    pub async fn open(&self, options: &Options) -> Result<Client, String> {
        let name = self.engine.name();
        let cannot = |error: &dyn Display| format!("{name} could not be opened: {error}.");
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(self.capabilities(options)?);
        let mut opened = builder.connect(self.running.url()).await;
        for _ in 1..ATTEMPTS {
            if opened.is_ok() {
                break;
            }
            opened = builder.connect(self.running.url()).await;
        }
        let client = opened.map_err(|error| cannot(&error))?;
        let timeouts = TimeoutConfiguration::new(Some(PATIENCE), None, None);
        let set = client.update_timeouts(timeouts).await;
        set.map_err(|error| cannot(&error))?;
        if self.engine != Engine::Chromium {
            let (width, height) = options.size;
            let sized = client.set_window_size(width, height).await;
            sized.map_err(|error| cannot(&error))?;
        }
        Ok(client)
    }

    fn capabilities(&self, options: &Options) -> Result<Capabilities, String> {
        let of_engine = match self.engine {
            Engine::Chromium => {
                let chromium = json!({
                    "args": options.arguments,
                    "binary": tools::chromium()?,
                    "prefs": options.preferences,
                });
                vec![
                    ("goog:chromeOptions", chromium),
                    ("goog:loggingPrefs", json!(options.logs)),
                ]
            }
            Engine::Firefox => {
                let mut preferences = options.preferences.clone();
                preferences.insert("javascript.enabled", options.runs_scripts.into());
                let firefox = json!({
                    "args": ["-headless"],
                    "binary": tools::firefox()?,
                    "prefs": preferences,
                });
                vec![("moz:firefoxOptions", firefox)]
            }
            // Its driver knows where its browser is.
            Engine::WebKit => {
                let scripts = format!("--enable-javascript={}", options.runs_scripts);
                let webkit = json!({ "args": ["--automation", scripts] });
                vec![("webkitgtk:browserOptions", webkit)]
            }
        };
        let named = of_engine
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Ok(named.collect())
    }
}

impl Options {
    /// A window of that size. Chromium opens none that is narrower than 500 pixels: for those, [`resize`].
    #[must_use]
    pub fn window(width: u32, height: u32) -> Self {
        let mut arguments: Vec<String> = ARGUMENTS.iter().map(|&word| word.to_owned()).collect();
        arguments.push(format!("--window-size={width},{height}"));
        Self {
            size: (width, height),
            runs_scripts: true,
            arguments,
            preferences: BTreeMap::new(),
            logs: BTreeMap::new(),
        }
    }

    /// One more of Chromium's own arguments.
    #[must_use]
    pub fn argument(mut self, argument: &str) -> Self {
        self.arguments.push(argument.to_owned());
        self
    }

    /// A preference of the profile, by its dotted name.
    #[must_use]
    pub fn preference(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.preferences.insert(name, value.into());
        self
    }

    /// Every cookie is refused, as some visitors have it.
    #[must_use]
    pub fn without_cookies(self) -> Self {
        self.preference("profile.default_content_setting_values.cookies", BLOCKED)
    }

    /// No script runs, as some visitors have it. What a driver asks of a page by a script is not answered then.
    #[must_use]
    pub fn without_scripts(mut self) -> Self {
        self.runs_scripts = false;
        self.preference("profile.default_content_setting_values.javascript", BLOCKED)
    }

    /// The languages the visitor reads, the best first, separated by commas: `de-CH,fr`.
    #[must_use]
    pub fn reading(self, languages: &str) -> Self {
        let first = languages.split(',').next().unwrap_or_default();
        self.argument(&format!("--lang={first}"))
            .preference("intl.accept_languages", languages)
    }

    /// Whether [`requests`] can be asked.
    #[must_use]
    pub fn recording_requests(mut self) -> Self {
        self.logs.insert("performance", "ALL");
        self
    }

    /// Whether [`errors`] can be asked.
    #[must_use]
    pub fn recording_errors(mut self) -> Self {
        self.logs.insert("browser", "SEVERE");
        self
    }
}

/// Says something in Chromium's own protocol, such as `Emulation.setCPUThrottlingRate` with `{"rate": 4}`.
///
/// # Errors
/// When Chromium does not know it or cannot do it.
pub async fn cdp(browser: &Client, command: &str, parameters: Value) -> Result<Value, String> {
    let body = json!({ "cmd": command, "params": parameters });
    vendor(browser, "goog/cdp/execute", body)
        .await
        .map_err(|error| failed(command, error))
}

/// Gives the page this width and height in pixels, however narrow.
///
/// # Errors
/// When Chromium cannot.
pub async fn resize(browser: &Client, width: u32, height: u32) -> Result<(), String> {
    resize_at(browser, (width, height), 1).await
}

/// The same on a screen that shows each pixel with a square of its own, of this width.
///
/// # Errors
/// When Chromium cannot.
pub async fn resize_at(
    browser: &Client,
    (width, height): (u32, u32),
    scale: u32,
) -> Result<(), String> {
    let size =
        json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
    cdp(browser, "Emulation.setDeviceMetricsOverride", size).await?;
    Ok(())
}

/// Lets the page see what its visitor prefers, such as `("prefers-color-scheme", "dark")`, and nothing else.
///
/// # Errors
/// When Chromium cannot.
pub async fn prefer(browser: &Client, features: &[(&str, &str)]) -> Result<(), String> {
    let features: Vec<Value> = features
        .iter()
        .map(|(name, value)| json!({ "name": name, "value": value }))
        .collect();
    cdp(
        browser,
        "Emulation.setEmulatedMedia",
        json!({ "features": features }),
    )
    .await?;
    Ok(())
}

/// Takes the scripts of every page from now on for text, or runs them again.
///
/// # Errors
/// When Chromium cannot.
pub async fn run_scripts(browser: &Client, run: bool) -> Result<(), String> {
    let value = json!({ "value": !run });
    cdp(browser, "Emulation.setScriptExecutionDisabled", value).await?;
    Ok(())
}

/// Cuts the browser off from the network, or connects it again.
///
/// # Errors
/// When Chromium cannot.
pub async fn connect(browser: &Client, connected: bool) -> Result<(), String> {
    cdp(browser, "Network.enable", json!({})).await?;
    let unlimited = -1;
    let conditions = json!({
        "offline": !connected,
        "latency": 0,
        "downloadThroughput": unlimited,
        "uploadThroughput": unlimited,
    });
    cdp(browser, "Network.emulateNetworkConditions", conditions).await?;
    Ok(())
}

/// Every request since this was last asked, redirects one by one, in a browser opened with
/// [`Options::recording_requests`].
///
/// # Errors
/// When the browser keeps no such log.
pub async fn requests(browser: &Client) -> Result<Vec<Request>, String> {
    let entries = log(browser, "performance").await?;
    Ok(entries.iter().filter_map(request).collect())
}

/// What the consoles of the page and its frames complain of since this was last asked, in a browser opened with
/// [`Options::recording_errors`].
///
/// # Errors
/// When the browser keeps no such log.
pub async fn errors(browser: &Client) -> Result<Vec<String>, String> {
    let entries = log(browser, "browser").await?;
    let message = |entry: &Value| Some(entry.get("message")?.as_str()?.to_owned());
    Ok(entries.iter().filter_map(message).collect())
}

async fn log(browser: &Client, kind: &str) -> Result<Vec<Value>, String> {
    let log = vendor(browser, "se/log", json!({ "type": kind }))
        .await
        .map_err(|error| failed(&format!("The log {kind}"), error))?;
    Ok(log.as_array().cloned().unwrap_or_default())
}

/// An entry of the performance log is JSON within JSON, and only some are about a request.
fn request(entry: &Value) -> Option<Request> {
    let event: Value = serde_json::from_str(entry.get("message")?.as_str()?).ok()?;
    let event = event.get("message")?;
    if event.get("method")? != "Network.requestWillBeSent" {
        return None;
    }
    let text = |name: &str| {
        let value = event.pointer(&format!("/params/request/{name}"))?;
        Some(value.as_str()?.to_owned())
    };
    Some(Request {
        method: text("method")?,
        url: text("url")?,
    })
}

/// A command that `WebDriver` leaves to the makers of browsers.
#[derive(Debug)]
struct Vendor {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Vendor {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!(
            "session/{}/{}",
            session.unwrap_or_default(),
            self.path
        ))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}

async fn vendor(
    browser: &Client,
    path: &'static str,
    body: Value,
) -> Result<Value, fantoccini::error::CmdError> {
    browser.issue_cmd(Vendor { path, body }).await
}

fn failed(what: &str, error: impl Display) -> String {
    format!("{what} failed: {error}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_entries_about_a_request_are_taken_from_the_log() {
        let entry = |method: &str| {
            let event = json!({ "message": {
                "method": method,
                "params": { "request": { "method": "GET", "url": "http://a/" } },
            } });
            json!({ "level": "INFO", "message": event.to_string() })
        };
        let request = request(&entry("Network.requestWillBeSent"));
        assert!(
            request.is_some_and(|request| request.method == "GET" && request.url == "http://a/")
        );
        assert_eq!(super::request(&entry("Network.responseReceived")), None);
    }
}
