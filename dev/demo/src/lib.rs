//! `cargo dev serve` and the demo of a release: the whole thing on this machine, from a shop to the waiting room before it.
//!
//! The store and the shop run in this process, the edge in a child; all end together.

mod crowd;
mod decisions;
mod edge;
mod options;
mod others;
mod past;
mod signals;

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use now_serving::config::{DEVELOPMENT, DOCUMENT, PARTS, closest};

use crowd::Crowd;
use decisions::Decisions;
use edge::EdgeProcess;
use harness::install::{self, Need};
use harness::origin::{Origin, demo};
use harness::project;
use harness::sandbox_dir::{self, Backends, Settings};
use harness::viceroy;
pub use options::{BackendOptions, Options};
use past::Past;
use start::duration;
use upstash_local::{DEADLINE, Server, Store};

/// The commands of this crate.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Run the waiting room on this machine, with a shop behind it and the store, until Ctrl-C
    Serve(Options),
    /// Run only the store and the shop, for `fastly compute serve`, until Ctrl-C
    Backends(BackendOptions),
}

impl Command {
    /// Performs the command, until Ctrl-C.
    ///
    /// # Errors
    /// When it could not be performed.
    pub fn perform(self) -> Result<bool, String> {
        match self {
            Self::Serve(options) => serve(&options),
            Self::Backends(options) => backends(&options),
        }
        .map(|()| true)
    }
}

/// Runs until Ctrl-C or SIGTERM.
///
/// # Errors
/// When something cannot be set up, built or started, or when the edge ends by itself.
pub fn serve(options: &Options) -> Result<(), String> {
    let began = SystemTime::now();
    check_ports(options)?;
    check_settings(options, &sandbox_dir::known_keys())?;
    others::check(options)?;
    let settings = options.settings(sandbox_dir::development_settings()?);
    provide()?;
    // Played beside what follows, until the store is needed.
    let past = options.has_past().then(|| {
        let token = setting(&settings, "upstash_token", "");
        Past::begin(&settings, token)
    });
    let wasm = wasm(options)?;

    let stop = signals::receiver()?;
    let origin = start_origin(options)?;
    let folder = folder(options, &wasm, &settings)?;
    let decisions = Decisions::new(folder.join("decisions.log"), options.log)?;
    let mut edge = EdgeProcess::start(&folder, options.addr, &decisions)?;
    if !edge.await_answer(&stop, &health_url(options, &settings))? {
        return Ok(());
    }
    let store = start_store(options, &settings, past)?;
    let place = format!("{}/place", admin_path(&settings));
    let _crowd = match options.crowd() {
        0 => None,
        many => Some(Crowd::start(options.addr, &place, many)?),
    };
    print_addresses(options, &settings, origin.as_ref(), store.as_ref());
    print_what_to_try(options, &decisions);
    anstream::println!("\nready after {}", duration(start::since_begun(began)));
    edge.run_until(&stop)
}

/// Runs the store and the shop where `fastly.toml` expects them, until Ctrl-C or SIGTERM.
///
/// # Errors
/// When a port is in use.
fn backends(options: &BackendOptions) -> Result<(), String> {
    let stop = signals::receiver()?;
    let settings = sandbox_dir::development_settings()?;
    let token = setting(&settings, "upstash_token", "");
    let store = Server::start(Store::embedded(token)?, options.store_addr)?;
    let origin = Origin::start(options.origin_addr)?;
    anstream::println!(
        "store   {}\nshop    {}\n\nNow run `fastly compute serve` in another terminal. Ctrl-C ends these two.\nready",
        store.url(),
        origin.url()
    );
    // The channel closes with the thread that waits for signals, and that waits for ever.
    let _ = stop.recv();
    Ok(())
}

/// What serves. Without sources it is only looked for and downloaded: there is no compiler either.
fn provide() -> Result<(), String> {
    if !project::project()?.has_sources {
        return viceroy::provide_compiled();
    }
    install::provide(Need::WasmTarget)?;
    if let Err(reason) = install::provide(Need::FastlyCli) {
        anstream::eprintln!("{reason}\nGoing on without it: the edge runs in Viceroy directly.");
    }
    install::provide(Need::Viceroy)
}

fn setting<'a>(settings: &'a Settings, key: &str, default: &'a str) -> &'a str {
    settings.get(key).map_or(default, String::as_str)
}

/// What is misspelt is said before anything is built.
fn check_settings(options: &Options, known: &[&'static str]) -> Result<(), String> {
    let is_unknown = |key: &str| key != DOCUMENT && !PARTS.contains(&key) && !known.contains(&key);
    let Some((key, _)) = options.settings.iter().find(|(key, _)| is_unknown(key)) else {
        return Ok(());
    };
    let meant = closest(key, known);
    let meant = meant.map_or(String::new(), |meant| format!(" Did you mean {meant}?"));
    Err(format!(
        "There is no setting {key}.{meant} --set knows {}.",
        known.join(", ")
    ))
}

/// Says at once what would fail only after minutes of building.
fn check_ports(options: &Options) -> Result<(), String> {
    let mut uses = vec![(options.addr, "the edge", "--addr")];
    if options.store.is_none() {
        uses.push((options.store_addr, "the local store", "--store-addr"));
    }
    if options.origin.is_none() {
        uses.push((options.origin_addr, "the demo shop", "--origin-addr"));
    }
    for (addr, user, option) in uses {
        TcpListener::bind(addr).map_err(|error| {
            format!("Port {} is needed by {user} and cannot be used ({error}): free it or choose another with {option} HOST:PORT.", addr.port())
        })?;
    }
    Ok(())
}

fn wasm(options: &Options) -> Result<PathBuf, String> {
    if !options.no_build && project::project()?.has_sources {
        return project::build_wasm();
    }
    let wasm = project::wasm_path()?;
    if wasm.is_file() {
        return Ok(wasm);
    }
    Err(format!(
        "{} is not there: it is made without --no-build, and comes with a release.",
        wasm.display()
    ))
}

fn start_store(
    options: &Options,
    settings: &Settings,
    past: Option<Past>,
) -> Result<Option<Server>, String> {
    if options.store.is_some() {
        return Ok(None);
    }
    let token = setting(settings, "upstash_token", "");
    let store = match (&options.redis, past) {
        (Some(url), _) => Store::redis(url, token)?,
        (None, Some(past)) => match past.store() {
            Ok(store) => store,
            Err(reason) => {
                anstream::eprintln!("{reason}");
                Store::embedded(token)?
            }
        },
        (None, None) => Store::embedded(token)?,
    };
    Server::start(store, options.store_addr).map(Some)
}

fn start_origin(options: &Options) -> Result<Option<Origin>, String> {
    match options.origin {
        Some(_) => Ok(None),
        None => Origin::start(options.origin_addr).map(Some),
    }
}

/// Makes the folder `fastly compute serve` runs in; one per port, so that two can run.
fn folder(options: &Options, wasm: &Path, settings: &Settings) -> Result<PathBuf, String> {
    let folder = project::project()?
        .target
        .join("serve")
        .join(options.addr.port().to_string());
    fs::create_dir_all(folder.join("bin"))
        .and_then(|()| fs::copy(wasm, folder.join("bin/main.wasm")))
        .map_err(|error| format!("{} could not be filled: {error}.", folder.display()))?;
    let demo = format!("http://{}", options.origin_addr);
    let backends = Backends {
        origin: options.origin.as_deref().unwrap_or(&demo),
        store: setting(settings, "upstash_url", ""),
        deadline: DEADLINE,
    };
    sandbox_dir::write_manifest(&folder, backends)?;
    sandbox_dir::write_settings(&folder, settings)?;
    Ok(folder)
}

fn admin_path(settings: &Settings) -> &str {
    setting(settings, "admin_path", "/_queue")
}

/// Where the panel is, which has a host of its own with `admin_host`.
fn panel_url(edge: SocketAddr, settings: &Settings) -> String {
    let path = admin_path(settings);
    match setting(settings, "admin_host", "none") {
        "" | "none" => format!("http://{edge}{path}"),
        host => format!("http://{host}:{}{path}", edge.port()),
    }
}

fn health_url(options: &Options, settings: &Settings) -> String {
    format!("http://{}{}/healthz", options.addr, admin_path(settings))
}

/// How to log in. A password of one's own is known to who set it, and is not shown.
fn login(settings: &Settings) -> String {
    match setting(settings, "admin_password", "none") {
        "" | "none" => "no admin_password is set: the panel is off".to_owned(),
        word if word.starts_with(DEVELOPMENT) => format!("user admin, password {word}"),
        word if word.starts_with('{') => "the names and passwords of admin_password".to_owned(),
        _ => "user admin, the password of admin_password".to_owned(),
    }
}

fn print_addresses(
    options: &Options,
    settings: &Settings,
    origin: Option<&Origin>,
    store: Option<&Server>,
) {
    let edge = format!("http://{}", options.addr);
    let panel = panel_url(options.addr, settings);
    let tokens = setting(settings, "permit_token", "(no permit_token set)");
    // One without a role may permit. Its secret is what stands behind the name.
    let is_plain = |token: &&str| !token.split(':').next().unwrap_or_default().contains('/');
    let permit_token = tokens.split(',').map(str::trim).find(is_plain);
    let permit_token = permit_token.unwrap_or("(no permit_token without a role)");
    let permit_token = permit_token
        .split_once(':')
        .map_or(permit_token, |(_, secret)| secret);
    let shop = origin.map(Origin::url);
    let behind = shop
        .as_deref()
        .or(options.origin.as_deref())
        .unwrap_or_default();
    let store_kind = match (store, &options.redis) {
        (None, _) => "Upstash".to_owned(),
        (Some(_), Some(_)) => "local, in front of a real Redis".to_owned(),
        (Some(_), None) => "local, in memory".to_owned(),
    };
    let bold = anstyle::Style::new().bold();
    let row = |name: &str, address: &str, note: &str| {
        anstream::println!("  {name:<8}{bold}{address:<32}{bold:#}{note}");
    };
    anstream::println!();
    row("shop", &format!("{edge}/"), "through the waiting room");
    row("panel", &panel, &login(settings));
    row("origin", behind, "what is protected");
    row("store", setting(settings, "upstash_url", ""), &store_kind);
    anstream::println!(
        "\n  Let five in, as the origin would:\n  curl -X POST {panel}/permit -H 'Authorization: Bearer {permit_token}' -H 'Content-Type: application/json' -d '{{\"amt\":5}}'"
    );
}

fn print_what_to_try(options: &Options, decisions: &Decisions) {
    let many = options.crowd();
    anstream::println!("\nTry:");
    match many {
        0 => anstream::println!(
            "  1. Open the shop: nobody waits, so you go straight in. --crowd 300 makes a line."
        ),
        _ => anstream::println!(
            "  1. Open the shop: {many} visitors are about to make a line, and you wait behind them."
        ),
    }
    anstream::println!(
        "  2. Open the panel beside it, and press Hold the line, then Resume: the waiting page says both."
    );
    anstream::println!("  3. Let visitors in, or set another pace, and see the wait change.");
    anstream::println!("  4. Read what was decided: {}", decisions.path().display());
    if options.origin.is_none() {
        let sheet = format!("http://{}{}", options.addr, demo::PATH);
        anstream::println!("  5. See every state of both pages side by side: {sheet}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_is_where_admin_host_and_admin_path_say() {
        let edge = SocketAddr::from(([127, 0, 0, 1], 7676));
        let url = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            let settings = pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            panel_url(edge, &settings.collect())
        };
        assert_eq!(url(&[]), "http://127.0.0.1:7676/_queue");
        for none in ["", "none"] {
            let settings = [("admin_host", none), ("admin_path", "/desk")];
            assert_eq!(url(&settings), "http://127.0.0.1:7676/desk");
        }
        let host = [("admin_host", "localhost")];
        assert_eq!(url(&host), "http://localhost:7676/_queue");
    }
}
