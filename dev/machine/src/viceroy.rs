//! The local server that runs the Wasm: where it is, and where it comes from.
//!
//! One on the PATH is taken first, then the one that the Fastly CLI downloads for itself, then the one in our cache. A version
//! that is too old is never taken.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::place::{self, into_place};
use crate::quiet;
use crate::tools::{cache, fastly_cli, missing, on_path};

/// The Viceroy that belongs to the pinned `fastly` crate. An older one may refuse its Wasm.
pub const VICEROY_VERSION: &str = "0.22.0";

/// How long the Fastly CLI may take to download it. Where the network lets nothing through, that is lost time.
const PATIENCE: Duration = Duration::from_mins(1);

/// What of Viceroy is compiled with which optimization, where the rest has none. All of it at its own level 3 takes twice the
/// time. The Wasm itself runs as fast either way: its compiler is the same. A request takes half as long again.
const OPTIMIZED: [(&str, &[&str]); 2] = [
    // Compiles the Wasm, so it decides how soon a room starts.
    (
        "2",
        &[
            "bumpalo",
            "cranelift-bforest",
            "cranelift-bitset",
            "cranelift-codegen",
            "cranelift-entity",
            "cranelift-frontend",
            "gimli",
            "hashbrown",
            "indexmap",
            "object",
            "postcard",
            "regalloc2",
            "serde_core",
            "sha2",
            "smallvec",
            "wasmparser",
            "wasmtime-environ",
            "wasmtime-internal-cranelift",
        ],
    ),
    // Works at each request.
    (
        "1",
        &[
            "bytes",
            "fastly-shared",
            "futures-core",
            "futures-util",
            "h2",
            "http",
            "httparse",
            "hyper",
            "itoa",
            "memchr",
            "tokio",
            "tracing",
            "tracing-core",
            "tracing-subscriber",
            "viceroy",
            "viceroy-lib",
            "wasmtime",
            "wasmtime-internal-core",
            "wasmtime-internal-fiber",
            "wiggle",
        ],
    ),
];

/// Where to look, the first first. The CLI keeps its copy beside its configuration.
fn places() -> Result<Vec<PathBuf>, String> {
    let home = env::var_os("HOME").map(PathBuf::from);
    let configuration = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let copy = home.map(|home| copy_of_the_cli(&home, configuration.as_deref()));
    let found = on_path("viceroy").into_iter().chain(copy);
    Ok(found.chain([root()?.join("bin/viceroy")]).collect())
}

/// The folder for the one that is downloaded or compiled here.
fn root() -> Result<PathBuf, String> {
    Ok(cache()?.join(format!("viceroy-{VICEROY_VERSION}")))
}

/// Where the CLI puts its copy, as Go names the folder for configurations.
fn copy_of_the_cli(home: &Path, configuration: Option<&Path>) -> PathBuf {
    let configuration = configuration.filter(|folder| !folder.as_os_str().is_empty());
    let folder = match configuration {
        _ if cfg!(target_os = "macos") => home.join("Library/Application Support"),
        Some(folder) => folder.to_owned(),
        None => home.join(".config"),
    };
    folder.join("fastly/viceroy")
}

/// The local server, of the right version or a later one.
///
/// # Errors
/// When there is none.
pub fn viceroy() -> Result<PathBuf, String> {
    let mut places = places()?.into_iter();
    places
        .find(|place| is_taken(place))
        .ok_or_else(|| missing(&format!("Viceroy {VICEROY_VERSION}")))
}

fn is_taken(program: &Path) -> bool {
    program.is_file() && refusal(program).is_none()
}

/// Why a program is not taken.
fn refusal(program: &Path) -> Option<String> {
    let output = Command::new(program).arg("--version").output();
    let said = output.map(|output| output.stdout).unwrap_or_default();
    let version = version(&String::from_utf8_lossy(&said));
    let why = match version {
        Some(version) if Some(version) >= self::version(VICEROY_VERSION) => return None,
        Some((major, minor, patch)) => format!("is version {major}.{minor}.{patch}"),
        None => "does not say its version".to_owned(),
    };
    let program = program.display();
    Some(format!(
        "{program} {why} and is not taken: {VICEROY_VERSION} or later is needed."
    ))
}

/// The three numbers of the first version in a text.
fn version(text: &str) -> Option<(u64, u64, u64)> {
    text.split_whitespace().find_map(|word| {
        let numbers = word.split('.').map(|number| number.parse().ok());
        match numbers.collect::<Option<Vec<_>>>()?.as_slice() {
            [major, minor, patch] => Some((*major, *minor, *patch)),
            _ => None,
        }
    })
}

/// Provides it where nothing can be compiled: by the CLI of this machine, if there is none yet.
///
/// # Errors
/// When that is not to be had: with the sentence that says where it is.
pub fn provide_compiled() -> Result<(), String> {
    if viceroy().is_ok() {
        return Ok(());
    }
    downloaded().map_err(|_| {
        format!(
            "This needs Fastly's local server, Viceroy {VICEROY_VERSION} or later: put the program `viceroy` of https://github.com/fastly/Viceroy/releases into a folder of the PATH."
        )
    })
}

/// Has the CLI download it, else compiles it.
pub(crate) fn install() -> Result<(), String> {
    let Err(reason) = downloaded() else {
        return Ok(());
    };
    eprintln!("The Fastly CLI downloads no local server here, so it is compiled: {reason}");
    compile()
}

/// Has the CLI download it.
fn downloaded() -> Result<(), String> {
    let refusals = places()?;
    let refusals = refusals.iter().filter(|place| place.is_file());
    for refusal in refusals.filter_map(|place| refusal(place)) {
        eprintln!("{refusal}");
    }
    fastly_cli().and_then(|cli| download(&cli, &root()?, PATIENCE))
}

/// The CLI has no command for the download: `compute serve` does it first, and then finds nothing that it could serve.
fn download(cli: &Path, root: &Path, patience: Duration) -> Result<(), String> {
    into_place(root, |unfinished| {
        let cannot = |error| format!("{}: {error}.", unfinished.display());
        let manifest = format!(
            "manifest_version = 3\nname = \"none\"\nlanguage = \"other\"\n\n[local_server]\nviceroy_version = \"{VICEROY_VERSION}\"\n"
        );
        fs::create_dir_all(unfinished.join("bin")).map_err(cannot)?;
        fs::write(unfinished.join("fastly.toml"), manifest).map_err(cannot)?;
        // A home of its own, so that the CLI of this user keeps what it has.
        let copy = copy_of_the_cli(unfinished, Some(unfinished));
        let words = ["compute", "serve", "--skip-build", "--metadata-disable"];
        let mut command = Command::new(cli);
        command
            .args(words)
            .args(["--non-interactive", "--quiet", "--file", "none.wasm"])
            .current_dir(unfinished)
            .envs([("HOME", unfinished), ("XDG_CONFIG_HOME", unfinished)])
            .env_remove("FASTLY_VICEROY_USE_PATH");
        let what =
            format!("Downloading Viceroy {VICEROY_VERSION}, the local server that runs the Wasm");
        let said = quiet::run_for(&what, &mut command, &copy, patience)?;
        if is_taken(&copy) {
            return fs::rename(&copy, unfinished.join("bin/viceroy")).map_err(cannot);
        }
        let reason = said.iter().find(|line| line.starts_with("ERROR:"));
        Err(reason.or(said.last()).cloned().unwrap_or_default())
    })
}

fn compile() -> Result<(), String> {
    let what = format!(
        "Compiling Viceroy {VICEROY_VERSION}, the local server that runs the Wasm (once, some 10 minutes)"
    );
    let levels = OPTIMIZED.iter().flat_map(|(level, crates)| {
        let crates = crates.iter();
        crates.map(move |name| format!("package.{name}.opt-level={level}"))
    });
    // Without "off" the parts of each optimized crate are optimized once more together: a minute for the last crate alone, on one
    // core.
    let rest = ["opt-level=0", "debug=0", "lto=\"off\""].map(str::to_owned);
    let profile = rest.into_iter().chain(levels);
    place::compile("viceroy", VICEROY_VERSION, &what, &root()?, profile)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    fn program(folder: &Path, name: &str, script: &str) -> PathBuf {
        let path = folder.join(name);
        // By a child: a program that is still open for writing cannot be run, and what another test starts just then would
        // hold it open.
        let write = r#"printf '#!/bin/sh\n%s\n' "$1" > "$0"; chmod +x "$0""#;
        let mut shell = Command::new("sh");
        let written = shell.args(["-c", write]).arg(&path).arg(script).status();
        assert!(written.unwrap().success());
        path
    }

    #[test]
    fn an_older_one_and_one_without_a_version_are_not_taken_and_it_is_said_why() {
        let folder = tempfile::tempdir().unwrap();
        let refused = |says: &str| refusal(&program(folder.path(), "viceroy", says));
        for taken in [
            "viceroy 0.22.0",
            "viceroy 0.22.1",
            "viceroy 0.100.0",
            "viceroy 1.0.0",
        ] {
            assert_eq!(refused(&format!("echo {taken}")), None, "{taken}");
        }
        for (says, why) in [
            (
                "echo viceroy 0.21.9",
                "is version 0.21.9 and is not taken: 0.22.0",
            ),
            ("echo viceroy 0.3.0", "is version 0.3.0"),
            (
                "echo command not found; exit 127",
                "does not say its version",
            ),
        ] {
            let told = refused(says).unwrap();
            assert!(told.contains(why) && !told.contains('\n'), "{says}: {told}");
        }
    }

    #[test]
    fn the_copy_of_the_cli_is_beside_its_configuration() {
        let home = Path::new("/home/a");
        let expected = if cfg!(target_os = "macos") {
            ["/home/a/Library/Application Support/fastly/viceroy"; 3]
        } else {
            [
                "/home/a/.config/fastly/viceroy",
                "/home/a/.config/fastly/viceroy",
                "/c/fastly/viceroy",
            ]
        };
        let found = [None, Some(Path::new("")), Some(Path::new("/c"))];
        let found = found.map(|configuration| copy_of_the_cli(home, configuration));
        assert_eq!(found, expected.map(PathBuf::from));
    }

    #[test]
    fn a_cli_that_downloads_none_is_one_line_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("viceroy");
        let copy = r#"mkdir -p "$XDG_CONFIG_HOME/fastly"; cd "$XDG_CONFIG_HOME/fastly"; "#;
        let patience = Duration::from_secs(5);
        for (script, why) in [
            (
                "echo; echo ERROR: no such host.; echo; echo try again",
                "ERROR: no such host.",
            ),
            ("sleep 60", "nothing came of it in 5 s."),
            (
                &format!("{copy} echo 'echo viceroy 0.1.0' > viceroy; chmod +x viceroy; echo done"),
                "done",
            ),
        ] {
            let cli = program(folder.path(), "fastly", script);
            let told = download(&cli, &root, patience).unwrap_err();
            assert_eq!(told, why, "{script}");
            let left = fs::read_dir(folder.path()).unwrap().count();
            assert_eq!(left, 1, "only the CLI: {script}");
        }
    }
}
