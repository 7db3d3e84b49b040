//! Installs what `cargo dev serve` and `cargo dev test` run, in the cache folder or with the system.
//!
//! Every step first looks whether its thing is there, so a second run installs nothing. A step
//! that cannot be done ends in one sentence that holds the command to run.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::packages;
use crate::place::{compile, into_place};
use crate::project::WASM_TARGET;
use crate::quiet::run;
use crate::tools::{
    self, AXE_VERSION, FASTLY_CLI_VERSION, GECKODRIVER_VERSION, LOCUST_VERSION,
    SCHEMATHESIS_VERSION, TURBO_VERSION,
};
use crate::viceroy;

/// Prints nothing, and ends well where Python's tools can be installed: Debian keeps half of `venv` in another package.
const PYTHON_SUFFICES: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";

/// Something a command needs before it can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The standard library for the service's target.
    WasmTarget,
    /// The real `fastly compute serve`.
    FastlyCli,
    /// The local server that runs the Wasm.
    Viceroy,
    /// A real Redis to compare the local store with.
    Redis,
    /// A headless browser and its driver.
    Browser,
    /// Another browser and its driver.
    Firefox,
    /// A third, of the engine that Safari has, with its driver and a screen for it.
    WebKit,
    /// What looks for barriers on a page.
    Axe,
    /// What some sites load their pages with.
    Turbo,
    /// What holds the contract against the running service.
    Schemathesis,
    /// What scrapes the metrics and draws them.
    Prometheus,
    /// What looks for mistakes in the script of the store.
    Luacheck,
    /// What looks for mistyped words.
    Codespell,
    /// What runs the examples in JavaScript.
    Node,
    /// What runs the examples in Python.
    Python,
    /// The web server of an example.
    Nginx,
    /// What plays the visitors of a rehearsal.
    Locust,
}

/// Installs what is needed unless it is there.
///
/// # Errors
/// When it is not there and cannot be installed.
pub fn provide(need: Need) -> Result<(), String> {
    if need.is_met() {
        return Ok(());
    }
    let _lock = lock()?;
    provide_alone(need)
}

/// The same while no other run installs anything.
fn provide_alone(need: Need) -> Result<(), String> {
    static FAILED: Mutex<BTreeMap<Need, String>> = Mutex::new(BTreeMap::new());
    // Another run may have installed it while we waited for the lock.
    if need.is_met() {
        return Ok(());
    }
    let failed = || FAILED.lock().unwrap_or_else(PoisonError::into_inner);
    // What could not be installed a moment ago cannot be now.
    if let Some(reason) = failed().get(&need) {
        return Err(reason.clone());
    }
    let done = need.install().and_then(|()| {
        let lost = "was installed but is still not found: look at the lines above.";
        need.is_met()
            .then_some(())
            .ok_or_else(|| format!("{need:?} {lost}"))
    });
    if let Err(reason) = &done {
        failed().insert(need, reason.clone());
    }
    done
}

impl Need {
    /// All of them, those of `cargo dev serve` first.
    pub const ALL: [Self; 17] = [
        Self::WasmTarget,
        Self::FastlyCli,
        Self::Viceroy,
        Self::Redis,
        Self::Browser,
        Self::Firefox,
        Self::WebKit,
        Self::Axe,
        Self::Turbo,
        Self::Schemathesis,
        Self::Prometheus,
        Self::Luacheck,
        Self::Codespell,
        Self::Node,
        Self::Python,
        Self::Nginx,
        Self::Locust,
    ];

    /// Where it is.
    ///
    /// # Errors
    /// When it is not there.
    pub fn found(self) -> Result<PathBuf, String> {
        match self {
            Self::WasmTarget => wasm_target(),
            Self::Viceroy => viceroy::viceroy(),
            Self::FastlyCli => tools::fastly_cli(),
            Self::Redis => tools::redis_server(),
            Self::Browser => tools::font()
                .and_then(|_| tools::chromedriver())
                .and_then(|_| tools::chromium()),
            Self::Firefox => tools::geckodriver().and_then(|_| tools::firefox()),
            Self::WebKit => tools::xvfb().and_then(|_| tools::webkit_driver()),
            Self::Axe => tools::axe(),
            Self::Turbo => tools::turbo(),
            Self::Schemathesis => {
                tools::schemathesis().map(|found| PathBuf::from(found.get_program()))
            }
            Self::Prometheus => tools::promtool().and_then(|_| tools::prometheus()),
            Self::Luacheck => tools::luacheck(),
            Self::Codespell => tools::codespell(),
            Self::Node => tools::node(),
            Self::Python => tools::python(),
            Self::Nginx => tools::nginx().map(|(program, _)| program),
            Self::Locust => tools::locust().map(|found| PathBuf::from(found.get_program())),
        }
    }

    fn is_met(self) -> bool {
        self.found().is_ok()
    }

    /// Whether the tests leave out what it is for where it cannot be had, and say so in a line.
    #[must_use]
    pub fn can_be_left_out(self) -> bool {
        matches!(self, Self::Firefox | Self::WebKit)
    }

    /// What it is called, and what it is for.
    #[must_use]
    pub fn about(self) -> (&'static str, &'static str) {
        match self {
            Self::WasmTarget => ("Rust for wasm32-wasip1", "the service is compiled to it"),
            Self::Viceroy => ("Viceroy", "the local server that runs the Wasm"),
            Self::FastlyCli => ("Fastly CLI", "serve, as Fastly's users start it"),
            Self::Redis => ("Redis", "test: to compare the local store with"),
            Self::Browser => ("Chromium and its driver", "test: the browser journeys"),
            Self::Firefox => ("Firefox and its driver", "test: stories in every browser"),
            Self::WebKit => ("WebKit and its driver", "test: stories in every browser"),
            Self::Axe => ("axe-core", "test: barriers on the pages"),
            Self::Turbo => ("Turbo", "test: a site that loads its pages with it"),
            Self::Schemathesis => ("Schemathesis", "test: the contract of the API"),
            Self::Prometheus => ("Prometheus", "test: the metrics and alerts"),
            Self::Luacheck => ("luacheck", "test: the script of the store"),
            Self::Codespell => ("codespell", "test: the spelling"),
            Self::Node => ("Node", "test: the examples in JavaScript"),
            Self::Python => ("Python", "test: the examples in Python"),
            Self::Nginx => ("nginx and njs", "test: an example"),
            Self::Locust => ("Locust", "test: the visitors of a rehearsal"),
        }
    }

    /// How it would be installed, and about how many megabytes that takes on the disk.
    #[must_use]
    pub fn plan(self) -> (&'static str, u64) {
        match self {
            Self::WasmTarget => ("rustup target add", 96),
            Self::Viceroy => ("by the Fastly CLI, else compiled in some 10 minutes", 56),
            Self::FastlyCli => ("npm", 29),
            Self::Redis => ("apt-get: redis-server", 7),
            Self::Browser => ("apt-get: chromium chromium-driver fonts-dejavu-core", 443),
            Self::Firefox => (
                "apt-get: firefox-esr, and geckodriver compiled in some 2 minutes",
                350,
            ),
            Self::WebKit => ("apt-get: webkit2gtk-driver xvfb", 210),
            Self::Axe => ("npm", 4),
            Self::Turbo => ("npm", 1),
            Self::Schemathesis => ("pip, in an environment of its own", 94),
            Self::Prometheus => ("apt-get download, unpacked", 113),
            Self::Luacheck => ("apt-get: lua-check", 2),
            Self::Codespell => ("apt-get: codespell", 2),
            Self::Node => ("apt-get: nodejs", 90),
            Self::Python => ("apt-get: python3", 20),
            Self::Nginx => ("apt-get download, unpacked", 4),
            Self::Locust => ("pip, in an environment of its own", 85),
        }
    }

    fn install(self) -> Result<(), String> {
        match self {
            Self::WasmTarget => install_wasm_target(),
            Self::Viceroy => install_viceroy(),
            Self::FastlyCli => install_fastly_cli(),
            Self::Redis => packages::install(&packages::REDIS, "to compare the local store with"),
            Self::Browser => packages::install(&packages::BROWSER, "for the browser journeys"),
            Self::Firefox => install_firefox(),
            Self::WebKit => packages::install(&packages::WEBKIT, "for the browser journeys"),
            Self::Axe => install_axe(),
            Self::Turbo => install_turbo(),
            Self::Schemathesis => install_schemathesis(),
            Self::Prometheus => packages::unpack(
                &packages::PROMETHEUS,
                "Prometheus, which scrapes the metrics",
                &tools::prometheus_root()?,
            ),
            Self::Luacheck => packages::install(&packages::LUACHECK, "for the script of the store"),
            Self::Codespell => packages::install(&packages::CODESPELL, "for the spelling"),
            Self::Node => packages::install(&packages::NODE, "for the examples in JavaScript"),
            Self::Python => packages::install(&packages::PYTHON, "for the examples in Python"),
            Self::Nginx => packages::unpack(
                &packages::NGINX,
                "nginx and its module njs, for an example",
                &tools::nginx_root()?,
            ),
            Self::Locust => install_locust(),
        }
    }
}

fn wasm_target() -> Result<PathBuf, String> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output();
    let output = output.map_err(|error| format!("rustc could not be started: {error}."))?;
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    let target = sysroot.join("lib/rustlib").join(WASM_TARGET).join("lib");
    if target.is_dir() {
        Ok(target)
    } else {
        Err(format!("The Rust target {WASM_TARGET} is not installed."))
    }
}

fn install_wasm_target() -> Result<(), String> {
    if tools::on_path("rustup").is_none() {
        return Err(format!(
            "The Rust target {WASM_TARGET} is not installed and rustup is not there: install the \
             standard library for {WASM_TARGET} the way Rust was installed."
        ));
    }
    let what =
        format!("Installing the Rust target {WASM_TARGET}, which the service is compiled to");
    run(
        &what,
        Command::new("rustup").args(["target", "add", WASM_TARGET]),
        None,
    )
}

/// The CLI downloads in seconds what takes minutes to compile.
fn install_viceroy() -> Result<(), String> {
    // Why it could not be installed is said where it is asked for; here it is compiled instead.
    let _ = provide_alone(Need::FastlyCli);
    viceroy::install()
}

/// Packages of npm with the digest of each, as `npm install --package-lock-only --omit-lockfile-registry-resolved` writes them.
const AXE_LOCK: &str = include_str!("../locks/axe-core.json");
/// The one build of the CLI whose digest is known here; on other machines its version alone is.
const FASTLY_CLI_LOCK: &str = include_str!("../locks/fastly-cli-linux-x64.json");

/// Packages of Python likewise, Hypothesis among them, which draws other examples under the same seed in another version. As `uv pip compile --universal --generate-hashes --python-version 3.11` writes them.
const SCHEMATHESIS_LOCK: &str = include_str!("../locks/schemathesis.txt");
const LOCUST_LOCK: &str = include_str!("../locks/locust.txt");

/// The package of this machine's build: it is the binary, and the package that chooses among them has nothing to add.
fn install_fastly_cli() -> Result<(), String> {
    let what = format!("the Fastly CLI {FASTLY_CLI_VERSION}, whose `compute serve` runs the edge");
    let name = tools::fastly_cli_package();
    let lock = FASTLY_CLI_LOCK
        .contains(&format!("\"{name}\""))
        .then_some(FASTLY_CLI_LOCK);
    let package = (&*name, FASTLY_CLI_VERSION);
    install_from_npm(package, lock, &what, &tools::fastly_cli_root()?)
}

fn install_axe() -> Result<(), String> {
    let what = format!("axe-core {AXE_VERSION}, which looks for barriers on the pages");
    let package = ("axe-core", AXE_VERSION);
    install_from_npm(package, Some(AXE_LOCK), &what, &tools::axe_root()?)
}

fn install_turbo() -> Result<(), String> {
    let what = format!("Turbo {TURBO_VERSION}, with which some sites load their pages");
    let package = ("@hotwired/turbo", TURBO_VERSION);
    install_from_npm(package, None, &what, &tools::turbo_root()?)
}

fn install_firefox() -> Result<(), String> {
    if tools::firefox().is_err() {
        packages::install(&packages::FIREFOX, "for the browser journeys")?;
    }
    if tools::geckodriver().is_ok() {
        return Ok(());
    }
    compile(
        "geckodriver",
        GECKODRIVER_VERSION,
        &format!(
            "Compiling geckodriver {GECKODRIVER_VERSION}, which drives Firefox (once, some 2 minutes)"
        ),
        &tools::geckodriver_root()?,
        ["opt-level=0", "debug=0"].map(str::to_owned),
    )
}

/// By its lock, where there is one, and never with scripts of the package.
fn install_from_npm(
    (name, version): (&str, &str),
    lock: Option<&str>,
    what: &str,
    root: &Path,
) -> Result<(), String> {
    if tools::on_path("npm").is_none() {
        packages::install(&packages::NPM, &format!("which installs {what}"))?;
    }
    let words = [
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
    ];
    let wanted = format!("{{\"private\":true,\"dependencies\":{{\"{name}\":\"{version}\"}}}}\n");
    into_place(root, |unfinished| {
        write(unfinished, "package.json", &wanted)?;
        if let Some(lock) = lock {
            write(unfinished, "package-lock.json", lock)?;
        }
        let verb = if lock.is_some() { "ci" } else { "install" };
        run(
            &format!("Installing {what}"),
            Command::new("npm")
                .arg(verb)
                .args(words)
                .arg("--prefix")
                .arg(unfinished),
            Some(unfinished),
        )
    })
}

fn write(folder: &Path, name: &str, text: &str) -> Result<(), String> {
    let file = folder.join(name);
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, text));
    written.map_err(|error| format!("{} cannot be written: {error}.", file.display()))
}

fn install_schemathesis() -> Result<(), String> {
    let what = format!(
        "Schemathesis {SCHEMATHESIS_VERSION}, which holds the contract against the running service"
    );
    install_from_pypi(SCHEMATHESIS_LOCK, &what, &tools::schemathesis_root()?)
}

fn install_locust() -> Result<(), String> {
    let what = format!("Locust {LOCUST_VERSION}, which plays the visitors of a rehearsal");
    install_from_pypi(LOCUST_LOCK, &what, &tools::locust_root()?)
}

/// Into an environment of its own, by a lock. Built packages alone: a source would run a script of its own.
fn install_from_pypi(lock: &str, what: &str, root: &Path) -> Result<(), String> {
    if !python_suffices() {
        let why = format!("which installs {what}");
        packages::install(&packages::PYTHON_WITH_VENV, &why)?;
        if !python_suffices() {
            return Err(format!(
                "`python3` is older than 3.11 or cannot make environments (module venv), and there is need of both: {what}. \
                 Put a newer one first in the PATH."
            ));
        }
    }
    let words = [
        "-m",
        "pip",
        "install",
        "--no-input",
        "--disable-pip-version-check",
        "--require-hashes",
        "--only-binary",
        ":all:",
        "--requirement",
    ];
    into_place(root, |unfinished| {
        run(
            "Making a Python environment for it",
            Command::new("python3").args(["-m", "venv"]).arg(unfinished),
            None,
        )?;
        write(unfinished, "requirements.txt", lock)?;
        run(
            &format!("Installing {what}"),
            Command::new(unfinished.join("bin/python"))
                .args(words)
                .arg(unfinished.join("requirements.txt")),
            Some(unfinished),
        )
    })
}

fn python_suffices() -> bool {
    Command::new("python3")
        .args(["-c", PYTHON_SUFFICES])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// One installation at a time in this cache; the lock goes with the file.
fn lock() -> Result<File, String> {
    let cache = tools::cache()?;
    let cannot = |error| {
        format!(
            "The cache folder {} cannot be used: {error}.",
            cache.display()
        )
    };
    fs::create_dir_all(&cache).map_err(cannot)?;
    let file = File::create(cache.join("lock")).map_err(cannot)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            eprintln!("Another `cargo dev` is installing; waiting for it.");
            file.lock().map_err(cannot)?;
        }
        Err(TryLockError::Error(error)) => return Err(cannot(error)),
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locks_are_of_the_versions_that_are_asked_for_and_have_a_digest_of_each_package() {
        for (lock, name, version) in [
            (AXE_LOCK, "axe-core", AXE_VERSION),
            (FASTLY_CLI_LOCK, "@fastly/cli-linux-x64", FASTLY_CLI_VERSION),
        ] {
            assert!(
                lock.contains(&format!("\"{name}\": \"{version}\"")),
                "{name}"
            );
            let packages = lock.matches("\"node_modules/").count();
            assert_eq!(lock.matches("\"integrity\": \"sha512-").count(), packages);
            assert!(!lock.contains("\"resolved\"") && !lock.contains("hasInstallScript"));
        }
        for (lock, name, version) in [
            (SCHEMATHESIS_LOCK, "schemathesis", SCHEMATHESIS_VERSION),
            (LOCUST_LOCK, "locust", LOCUST_VERSION),
        ] {
            assert!(lock.contains(&format!("\n{name}=={version} ")), "{name}");
            for package in lock.split('\n').filter(|line| line.contains("==")) {
                assert!(package.ends_with('\\'), "{package} has a digest");
            }
        }
    }
}
