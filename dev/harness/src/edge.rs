//! The service's Wasm in Viceroy, for tests: started on a free port, ended when dropped.

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process::Group;
use crate::sandbox_dir::{self, Backends, Settings};
use crate::{project, strict, viceroy};

/// Viceroy compiles the Wasm when it starts; on a busy machine that takes a while.
const START_DEADLINE: Duration = Duration::from_mins(5);

/// The variable by which a service knows where it runs; Viceroy always says `localhost`.
const HOSTNAME_VARIABLE: &[u8] = b"FASTLY_HOSTNAME";

/// Viceroy's option about them.
const WEB_SOCKETS: &str = "--enable-local-websocket-passthrough";

/// What an edge is started with.
#[derive(Clone, Debug)]
pub struct EdgeOptions {
    /// The Wasm to run; see [`wasm`].
    pub wasm: PathBuf,
    /// The URL of the backend `protected_content`.
    pub origin: String,
    /// The URLs of further backends for visitors, by name.
    pub more_origins: BTreeMap<String, String>,
    /// The URL of the backend `upstash`, and of the setting `upstash_url` unless that is given.
    pub store: String,
    /// Everything else in the config store.
    pub settings: BTreeMap<String, String>,
    /// Whether the service learns that it runs on the local server, as Viceroy does. With
    /// `false` it cannot find `FASTLY_HOSTNAME` and takes itself for a deployed one.
    pub local: bool,
    /// Whether an `Upgrade: websocket` is handed over, as for a service with the platform's product for them.
    pub web_sockets: bool,
    /// Everything in the secret store; empty where there is none.
    pub secrets: BTreeMap<String, String>,
    /// Lists of networks by the names of their links: the entries of each, as the platform's API takes them.
    pub acls: BTreeMap<String, serde_json::Value>,
    /// What geolocation says, by address; of this machine Viceroy's own where it says nothing.
    pub places: BTreeMap<String, serde_json::Value>,
    /// Whether Viceroy writes down every call of the host, as [`Edge::output`] has them.
    pub is_traced: bool,
    /// How long the store may take; 500 ms in production.
    pub deadline: Duration,
}

impl EdgeOptions {
    /// The local server as the product runs in it: no secret store, no lists, nothing written down. The backends are the
    /// origin and the store.
    #[must_use]
    pub fn local(
        wasm: PathBuf,
        (origin, store): (String, String),
        settings: BTreeMap<String, String>,
        deadline: Duration,
    ) -> Self {
        Self {
            wasm,
            origin,
            more_origins: BTreeMap::new(),
            store,
            settings,
            local: true,
            web_sockets: false,
            secrets: BTreeMap::new(),
            acls: BTreeMap::new(),
            places: BTreeMap::new(),
            is_traced: false,
            deadline,
        }
    }
}

/// A running edge.
#[derive(Debug)]
pub struct Edge {
    addr: SocketAddr,
    lines: Lines,
    settings: Mutex<Settings>,
    /// The URL of the store it was started with.
    store: String,
    // Dropped in this order: first the process, then the folder it runs in.
    group: Group,
    folder: TempDir,
}

type Lines = Arc<Mutex<Vec<String>>>;

impl Edge {
    /// Starts Viceroy and waits until it listens. As it starts, Viceroy sends `GET /` to both
    /// backends once, to see whether they are there.
    ///
    /// # Errors
    /// When Viceroy is not there, or ends or is silent instead of listening.
    pub fn start(options: &EdgeOptions) -> Result<Self, String> {
        let viceroy = viceroy::viceroy()?;
        let folder =
            tempfile::tempdir().map_err(|error| format!("No temporary folder: {error}."))?;
        let settings = with_store(options.settings.clone(), &options.store);
        let backends = Backends {
            origin: &options.origin,
            store: &options.store,
            deadline: options.deadline,
        };
        sandbox_dir::write_manifest(folder.path(), backends)?;
        sandbox_dir::add_backends(folder.path(), &options.more_origins)?;
        sandbox_dir::write_settings(folder.path(), &settings)?;
        sandbox_dir::add_secrets(folder.path(), &options.secrets)?;
        sandbox_dir::add_acls(folder.path(), &options.acls)?;
        sandbox_dir::add_places(folder.path(), &options.places)?;
        sandbox_dir::add_rules(folder.path())?;
        let wasm = if options.local {
            options.wasm.clone()
        } else {
            without_hostname(&options.wasm, folder.path())?
        };
        let handed_over = format!("{WEB_SOCKETS}={}", options.web_sockets);
        let mut command = viceroy_command(&viceroy, folder.path(), &[&handed_over], &wasm);
        if options.is_traced {
            command.env("RUST_LOG", "viceroy=info,viceroy_lib=trace");
        }
        let mut group = Group::start_in(&mut command, folder.path())?;
        let lines = Lines::default();
        let listening = record(&mut group, &lines);
        let addr = await_listening(&mut group, &listening, &lines)?;
        Ok(Self {
            addr,
            lines,
            settings: Mutex::new(settings),
            store: options.store.clone(),
            group,
            folder,
        })
    }

    /// `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Where it listens.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The process id of Viceroy.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.group.pid()
    }

    /// Changes or removes one setting; a sandbox sees it within a second.
    ///
    /// # Errors
    /// When the settings file cannot be written.
    pub fn set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let mut settings = held(&self.settings);
        match value {
            Some(value) => settings.insert(key.to_owned(), value.to_owned()),
            None => settings.remove(key),
        };
        sandbox_dir::write_settings(self.folder.path(), &settings)
    }

    /// Replaces all settings; a sandbox sees the new ones within a second.
    ///
    /// # Errors
    /// When the settings file cannot be written.
    pub fn set_all(&self, settings: Settings) -> Result<(), String> {
        let settings = with_store(settings, &self.store);
        sandbox_dir::write_settings(self.folder.path(), &settings)?;
        *held(&self.settings) = settings;
        Ok(())
    }

    /// Says what the host of [`strict_wasm`] refuses from now on, by the names of its rules: at first nothing. Another Wasm does not ask.
    ///
    /// # Errors
    /// When their file cannot be written.
    pub fn set_rules(&self, rules: &[(&str, &str)]) -> Result<(), String> {
        let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        sandbox_dir::write_rules(self.folder.path(), &rules.iter().map(own).collect())
    }

    /// Forgets every line written so far, by Viceroy and to endpoints.
    pub fn forget_output(&self) {
        held(&self.lines).clear();
    }

    /// The messages logged so far to that endpoint.
    #[must_use]
    pub fn log_lines(&self, endpoint: &str) -> Vec<String> {
        let prefix = format!("{endpoint} :: ");
        held(&self.lines)
            .iter()
            .filter_map(|line| line.strip_prefix(&prefix))
            .map(str::to_owned)
            .collect()
    }

    /// All lines Viceroy has written so far. Among them is, for each sandbox that has ended, one that says
    /// `request completed using 1.2 MiB of WebAssembly heap`.
    #[must_use]
    pub fn output(&self) -> Vec<String> {
        held(&self.lines).clone()
    }
}

/// Builds the release Wasm of the service, once per process, and returns its path.
///
/// # Errors
/// When the build fails.
pub fn wasm() -> Result<PathBuf, String> {
    static WASM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    WASM.get_or_init(project::build_wasm).clone()
}

/// Builds the Wasm whose host has the platform's limits and its HTTP cache, once per process, and returns its path. What that host
/// was asked for is in the log `strict_host`.
///
/// # Errors
/// When the build fails.
pub fn strict_wasm() -> Result<PathBuf, String> {
    static WASM: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    WASM.get_or_init(strict::build_strict_wasm).clone()
}

/// The command that runs Viceroy in an edge's folder, on a port of its own choice.
fn viceroy_command(viceroy: &Path, folder: &Path, options: &[&str], wasm: &Path) -> Command {
    let mut command = Command::new(viceroy);
    command
        .args(["serve", "--addr", "127.0.0.1:0", "-C", "fastly.toml"])
        .args(options)
        .arg(wasm)
        .current_dir(folder)
        .env("RUST_LOG", "viceroy=info,viceroy_lib=info")
        .env_remove("RUST_LOG_PRETTY")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Settings that name this store, unless they name another.
fn with_store(mut settings: Settings, store: &str) -> Settings {
    settings
        .entry("upstash_url".to_owned())
        .or_insert_with(|| store.to_owned());
    settings
}

fn record(group: &mut Group, lines: &Lines) -> Receiver<SocketAddr> {
    let (sender, listening) = mpsc::channel();
    let lines = Arc::clone(lines);
    group.follow(move |line| {
        if let Some((_, addr)) = line.split_once("Listening on http://")
            && let Ok(addr) = addr.trim().parse()
        {
            // Nobody waits any more when a handler logs the same words later.
            let _ = sender.send(addr);
        }
        held(&lines).push(line);
    });
    listening
}

fn await_listening(
    group: &mut Group,
    listening: &Receiver<SocketAddr>,
    lines: &Lines,
) -> Result<SocketAddr, String> {
    let deadline = Instant::now() + START_DEADLINE;
    let how = loop {
        if let Ok(addr) = listening.recv_timeout(Duration::from_millis(20)) {
            return Ok(addr);
        }
        if let Some(status) = group.ended() {
            break format!("ended ({status})");
        }
        if Instant::now() > deadline {
            break format!("was not ready after {} s", START_DEADLINE.as_secs());
        }
    };
    // Stopping it also reads what it said to the end.
    group.stop();
    let lines = last_lines(&held(lines));
    Err(format!("Viceroy {how}. Its last lines:\n{lines}"))
}

fn last_lines(lines: &[String]) -> String {
    let start = lines.len().saturating_sub(20);
    lines.get(start..).unwrap_or_default().join("\n")
}

/// A copy of the Wasm that asks for a variable that nobody sets.
fn without_hostname(wasm: &Path, folder: &Path) -> Result<PathBuf, String> {
    let cannot = |error| format!("{} could not be copied: {error}.", wasm.display());
    let mut bytes = fs::read(wasm).map_err(cannot)?;
    let places: Vec<usize> = bytes
        .windows(HOSTNAME_VARIABLE.len())
        .enumerate()
        .filter_map(|(place, window)| (window == HOSTNAME_VARIABLE).then_some(place))
        .collect();
    if places.is_empty() {
        return Err(
            "This Wasm never asks for FASTLY_HOSTNAME, so it cannot be told that it is deployed."
                .to_owned(),
        );
    }
    for place in places {
        if let Some(first) = bytes.get_mut(place) {
            *first = b'_';
        }
    }
    let copy = folder.join("deployed.wasm");
    fs::write(&copy, bytes).map_err(cannot)?;
    Ok(copy)
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
