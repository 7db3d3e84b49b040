//! Where the tools are that this project runs but does not build: the Fastly CLI, redis-server, the browsers, axe-core,
//! Turbo, Schemathesis, Prometheus, and what the examples run in. This file only looks; [`crate::install`] installs. The local server
//! has a file of its own, [`crate::viceroy`].

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The Fastly CLI this project is tried with.
pub const FASTLY_CLI_VERSION: &str = "16.1.0";
/// The rules of accessibility the pages are held to; another version knows other rules.
pub const AXE_VERSION: &str = "4.14.1";
/// What some sites load their pages with; another version may mark its guesses otherwise.
pub const TURBO_VERSION: &str = "8.0.23";
/// What drives Firefox.
pub const GECKODRIVER_VERSION: &str = "0.37.1";
/// What holds the contract against the running service; another version asks other things.
pub const SCHEMATHESIS_VERSION: &str = "4.32.5";
/// What plays the visitors of a rehearsal; another version takes other options.
pub const LOCUST_VERSION: &str = "2.47.0";

/// The folder in which everything is kept that is installed: `$NOW_SERVING_CACHE`, else
/// `now-serving` in `$XDG_CACHE_HOME`, else in `~/.cache`.
///
/// # Errors
/// When none of these variables nor `$HOME` is set.
pub fn cache() -> Result<PathBuf, String> {
    cache_from(|name| {
        env::var_os(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    })
}

fn cache_from(variable: impl Fn(&str) -> Option<PathBuf>) -> Result<PathBuf, String> {
    variable("NOW_SERVING_CACHE")
        .or_else(|| Some(variable("XDG_CACHE_HOME")?.join("now-serving")))
        .or_else(|| Some(variable("HOME")?.join(".cache/now-serving")))
        .ok_or_else(|| "There is no folder for the tools: set NOW_SERVING_CACHE to one.".to_owned())
}

/// The folder npm puts the Fastly CLI into.
pub(crate) fn fastly_cli_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("fastly-cli-{FASTLY_CLI_VERSION}")))
}

/// The folder npm puts axe-core into.
pub(crate) fn axe_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("axe-core-{AXE_VERSION}")))
}

/// The folder npm puts Turbo into.
pub(crate) fn turbo_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("turbo-{TURBO_VERSION}")))
}

/// The folder geckodriver is compiled into.
pub(crate) fn geckodriver_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("geckodriver-{GECKODRIVER_VERSION}")))
}

/// The folder that holds Schemathesis and the Python it runs in.
pub(crate) fn schemathesis_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("schemathesis-{SCHEMATHESIS_VERSION}")))
}

/// The Fastly CLI of the right version, from the cache or from the PATH.
///
/// # Errors
/// When it is in neither.
pub fn fastly_cli() -> Result<PathBuf, String> {
    // The binary itself, not npm's wrapper script in .bin, which would have to be kept alive too.
    let cached = fastly_cli_root()?.join(fastly_cli_binary());
    if cached.is_file() {
        return Ok(cached);
    }
    on_path("fastly")
        .filter(|found| says(found, &["version"], FASTLY_CLI_VERSION))
        .ok_or_else(|| missing(&format!("The Fastly CLI {FASTLY_CLI_VERSION}")))
}

/// The CLI's real binary inside a folder npm installed into.
pub(crate) fn fastly_cli_binary() -> PathBuf {
    Path::new("node_modules")
        .join(fastly_cli_package())
        .join("fastly")
}

/// The package of npm that is the CLI's binary for this machine.
pub(crate) fn fastly_cli_package() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("@fastly/cli-{system}-{processor}")
}

/// `redis-server` on the PATH.
///
/// # Errors
/// When it is not there.
pub fn redis_server() -> Result<PathBuf, String> {
    on_path("redis-server").ok_or_else(|| missing("redis-server"))
}

/// What looks for mistakes in the script of the store.
///
/// # Errors
/// When it is not there.
pub fn luacheck() -> Result<PathBuf, String> {
    on_path("luacheck").ok_or_else(|| missing("luacheck"))
}

/// What looks for mistyped words.
///
/// # Errors
/// When it is not there.
pub fn codespell() -> Result<PathBuf, String> {
    on_path("codespell").ok_or_else(|| missing("codespell"))
}

/// What holds the dependencies against `deny.toml`. It is never installed here: compiling it takes longer than all of
/// the rest, and the workflow runs it.
///
/// # Errors
/// When it is not there.
pub fn cargo_deny() -> Result<PathBuf, String> {
    on_path("cargo-deny").ok_or_else(|| {
        "cargo-deny is not there, so licences, sources and advisories of the dependencies were not looked at: \
         `cargo install cargo-deny --locked`."
            .to_owned()
    })
}

/// What runs the examples in JavaScript.
///
/// # Errors
/// When it is not there.
pub fn node() -> Result<PathBuf, String> {
    on_path("node").ok_or_else(|| missing("Node"))
}

/// What runs the examples in Python.
///
/// # Errors
/// When it is not there.
pub fn python() -> Result<PathBuf, String> {
    on_path("python3").ok_or_else(|| missing("Python"))
}

/// The folder nginx is unpacked into.
pub(crate) fn nginx_root() -> Result<PathBuf, String> {
    Ok(cache()?.join("nginx"))
}

/// nginx and its module njs, from the cache or where Debian's packages put them, of any version.
///
/// # Errors
/// When they are in neither.
pub fn nginx() -> Result<(PathBuf, PathBuf), String> {
    [nginx_root()?, PathBuf::from("/")]
        .map(|root| {
            let module = "usr/lib/nginx/modules/ngx_http_js_module.so";
            (root.join("usr/sbin/nginx"), root.join(module))
        })
        .into_iter()
        .find(|(program, module)| program.is_file() && module.is_file())
        .ok_or_else(|| missing("nginx with its module njs"))
}

/// The folder Prometheus is unpacked into.
pub(crate) fn prometheus_root() -> Result<PathBuf, String> {
    Ok(cache()?.join("prometheus"))
}

/// Prometheus from the cache or from the PATH, of any version.
///
/// # Errors
/// When it is in neither.
pub fn prometheus() -> Result<PathBuf, String> {
    unpacked_or_on_path("prometheus")
}

/// What comes with it to look at metrics and rules.
///
/// # Errors
/// When it is in neither.
pub fn promtool() -> Result<PathBuf, String> {
    unpacked_or_on_path("promtool")
}

fn unpacked_or_on_path(program: &str) -> Result<PathBuf, String> {
    let unpacked = prometheus_root()?.join("usr/bin").join(program);
    if unpacked.is_file() {
        return Ok(unpacked);
    }
    on_path(program).ok_or_else(|| missing(program))
}

/// Where macOS keeps its browsers.
const MACOS_CHROMIUM: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
const MACOS_FIREFOX: [&str; 1] = ["/Applications/Firefox.app/Contents/MacOS/firefox"];

/// Chromium or Chrome on the PATH, or where macOS keeps it.
///
/// # Errors
/// When neither is there.
pub fn chromium() -> Result<PathBuf, String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    browser(&names, &MACOS_CHROMIUM).ok_or_else(|| missing("Chromium"))
}

/// Firefox on the PATH, or where macOS keeps it.
///
/// # Errors
/// When it is not there.
pub fn firefox() -> Result<PathBuf, String> {
    browser(&["firefox-esr", "firefox"], &MACOS_FIREFOX).ok_or_else(|| missing("Firefox"))
}

fn browser(names: &[&str], on_macos: &[&str]) -> Option<PathBuf> {
    let mut found = names.iter().filter_map(|name| on_path(name));
    let mut kept = on_macos.iter().map(PathBuf::from);
    found
        .next()
        .or_else(|| kept.find(|program| program.is_file()))
}

/// `chromedriver` on the PATH.
///
/// # Errors
/// When it is not there.
pub fn chromedriver() -> Result<PathBuf, String> {
    on_path("chromedriver").ok_or_else(|| missing("chromedriver"))
}

/// Where systems keep the font that pages are measured in.
const FONT: [&str; 4] = [
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/TTF/DejaVuSans.ttf",
    "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
    "/System/Library/Fonts/Supplemental/Verdana.ttf",
];

/// A wide font, `DejaVu Sans` or Verdana: what fits in it fits in others too. A system without any font shows no letter.
///
/// # Errors
/// When it is not there.
pub fn font() -> Result<PathBuf, String> {
    let mut places = FONT.iter().map(PathBuf::from);
    places
        .find(|font| font.is_file())
        .ok_or_else(|| missing("The font DejaVu Sans"))
}

/// `geckodriver` on the PATH or from the cache, of any version.
///
/// # Errors
/// When it is in neither.
pub fn geckodriver() -> Result<PathBuf, String> {
    let compiled = geckodriver_root()?.join("bin/geckodriver");
    on_path("geckodriver")
        .or_else(|| compiled.is_file().then_some(compiled))
        .ok_or_else(|| missing("geckodriver"))
}

/// `WebKitWebDriver` on the PATH. It brings its browser.
///
/// # Errors
/// When it is not there.
pub fn webkit_driver() -> Result<PathBuf, String> {
    on_path("WebKitWebDriver").ok_or_else(|| missing("WebKitWebDriver"))
}

/// `Xvfb`, a screen without a display, on the PATH.
///
/// # Errors
/// When it is not there.
pub fn xvfb() -> Result<PathBuf, String> {
    on_path("Xvfb").ok_or_else(|| missing("Xvfb"))
}

/// Turbo's script, as a page loads it.
///
/// # Errors
/// When it is not there.
pub fn turbo() -> Result<PathBuf, String> {
    let script = turbo_root()?.join("node_modules/@hotwired/turbo/dist/turbo.es2017-umd.js");
    if script.is_file() {
        return Ok(script);
    }
    Err(missing(&format!("Turbo {TURBO_VERSION}")))
}

/// axe-core's script, which looks at a page from within.
///
/// # Errors
/// When it is not there.
pub fn axe() -> Result<PathBuf, String> {
    let script = axe_root()?.join("node_modules/axe-core/axe.min.js");
    if script.is_file() {
        return Ok(script);
    }
    Err(missing(&format!("axe-core {AXE_VERSION}")))
}

/// A command that runs Schemathesis.
///
/// # Errors
/// When it is not there.
pub fn schemathesis() -> Result<Command, String> {
    let root = schemathesis_root()?;
    python_module(&root, "schemathesis.cli", SCHEMATHESIS_VERSION)
        .ok_or_else(|| missing(&format!("Schemathesis {SCHEMATHESIS_VERSION}")))
}

/// The folder that holds Locust and the Python it runs in.
pub(crate) fn locust_root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("locust-{LOCUST_VERSION}")))
}

/// A command that runs Locust.
///
/// # Errors
/// When it is not there.
pub fn locust() -> Result<Command, String> {
    let root = locust_root()?;
    python_module(&root, "locust", LOCUST_VERSION)
        .ok_or_else(|| missing(&format!("Locust {LOCUST_VERSION}")))
}

/// A command that runs a module of the environment in this folder, if it has this version. By the interpreter: the scripts
/// of an environment hold the path it was made at, and it is moved when complete.
fn python_module(root: &Path, module: &str, version: &str) -> Option<Command> {
    let python = root.join("bin/python");
    // Asked, since an environment breaks when the system's Python becomes another version.
    if !says(&python, &["-m", module, "--version"], version) {
        return None;
    }
    let mut command = Command::new(python);
    command.args(["-m", module]);
    Some(command)
}

/// The first file of that name in the folders of the PATH.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

fn says(program: &Path, arguments: &[&str], version: &str) -> bool {
    let Ok(output) = Command::new(program).args(arguments).output() else {
        return false;
    };
    String::from_utf8_lossy(&output.stdout)
        .split_whitespace()
        .any(|word| word.trim_start_matches('v') == version)
}

pub(crate) fn missing(what: &str) -> String {
    format!("{what} is not there: run `cargo dev test`, which sets it up.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache_with(variables: &[(&str, &str)]) -> Result<PathBuf, String> {
        cache_from(|name| {
            let (_, value) = variables.iter().find(|(key, _)| *key == name)?;
            Some(PathBuf::from(value))
        })
    }

    #[test]
    fn the_cache_is_where_the_most_particular_variable_says() {
        let all = [
            ("NOW_SERVING_CACHE", "/n"),
            ("XDG_CACHE_HOME", "/x"),
            ("HOME", "/h"),
        ];
        assert_eq!(cache_with(&all), Ok(PathBuf::from("/n")));
        assert_eq!(cache_with(&all[1..]), Ok(PathBuf::from("/x/now-serving")));
        assert_eq!(
            cache_with(&all[2..]),
            Ok(PathBuf::from("/h/.cache/now-serving"))
        );
    }

    #[test]
    fn without_a_home_the_error_names_the_variable_to_set() {
        assert!(cache_with(&[]).is_err_and(|error| error.contains("NOW_SERVING_CACHE")));
    }

    #[test]
    fn a_version_counts_only_as_a_whole_word() {
        let echo = Path::new("echo");
        assert!(says(
            echo,
            &["Fastly CLI version v16.1.0 (4d64ad67)"],
            "16.1.0"
        ));
        assert!(!says(echo, &["locust 2.47.01"], "2.47.0"));
        assert!(!says(
            Path::new("/nowhere/locust"),
            &["--version"],
            "2.47.0"
        ));
    }
}
