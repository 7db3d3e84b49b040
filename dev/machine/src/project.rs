//! This checkout: where it is, where Cargo builds it, and its Wasm.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

use crate::quiet::run;
use crate::sources;
pub use start::{BUILD_WASM, WASM_TARGET};

/// The folders of the workspace.
#[derive(Clone, Debug)]
pub struct Project {
    /// The folder that holds `fastly.toml` and `devconfig.json`.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
    /// The release Wasm, built or not.
    pub wasm: PathBuf,
    /// Whether there is something to compile.
    pub has_sources: bool,
    /// What has tests.
    pub tested: Vec<Tested>,
}

/// What Cargo compiles as one program of tests.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The name of its package.
    pub package: String,
    /// `lib`, `bin` or `test`.
    pub kind: String,
    /// Its own name.
    pub name: String,
    /// The source that names all of its modules.
    pub source: PathBuf,
}

/// The Wasm in a folder without sources.
pub const UNPACKED_WASM: &str = "now-serving.wasm";

static PROJECT: OnceLock<Result<Project, String>> = OnceLock::new();

/// From now on the project is this folder, which a release was unpacked to: it has the settings and the Wasm of a checkout, and
/// Cargo is not asked.
pub fn unpacked(folder: &Path) {
    // A program that has asked Cargo before keeps its answer.
    let _ = PROJECT.set(Ok(Project {
        root: folder.to_owned(),
        target: folder.join("run"),
        wasm: folder.join(UNPACKED_WASM),
        has_sources: false,
        tested: Vec::new(),
    }));
}

/// Asks Cargo, once per process, for the folders of the workspace.
///
/// # Errors
/// When `cargo metadata` fails.
pub fn project() -> Result<&'static Project, String> {
    PROJECT
        .get_or_init(ask_cargo)
        .as_ref()
        .map_err(Clone::clone)
}

/// A `cargo` command that runs in the root of the checkout.
///
/// # Errors
/// When the root is not known.
pub fn cargo(arguments: &[&str]) -> Result<Command, String> {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(&project()?.root);
    Ok(command)
}

/// The path of the release Wasm, built or not.
///
/// # Errors
/// When the target folder is not known.
pub fn wasm_path() -> Result<PathBuf, String> {
    Ok(project()?.wasm.clone())
}

/// Builds the release Wasm and returns its path.
///
/// # Errors
/// When the build fails: with what Cargo said last.
pub fn build_wasm() -> Result<PathBuf, String> {
    let wasm = wasm_path()?;
    run("Compiling the Wasm", &mut cargo(BUILD_WASM)?, Some(&wasm))?;
    Ok(wasm)
}

/// The triple of this machine. With a target that is named, Cargo keeps the flags from what runs while it compiles.
///
/// # Errors
/// When `rustc` cannot be started, or names none.
pub fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output();
    let output = output.map_err(|error| format!("rustc could not be started: {error}."))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .ok_or_else(|| "`rustc -vV` names no host.".to_owned())
}

impl Tested {
    /// The names of its tests by its sources, each with its modules before it: all that the compiled program lists, and a few that
    /// are of no test.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        sources::tests(&self.source)
    }
}

fn ask_cargo() -> Result<Project, String> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let output = Command::new("cargo")
        .args([
            "metadata",
            "--no-deps",
            "--format-version",
            "1",
            "--manifest-path",
        ])
        .arg(&manifest)
        .output()
        .map_err(|error| format!("cargo could not be started: {error}."))?;
    if !output.status.success() {
        return Err(format!(
            "`cargo metadata` failed: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("`cargo metadata` gave no JSON: {error}."))?;
    let folder = |key: &str| {
        metadata
            .get(key)
            .and_then(Value::as_str)
            .map(PathBuf::from)
            .ok_or_else(|| format!("`cargo metadata` names no {key}."))
    };
    let target = folder("target_directory")?;
    Ok(Project {
        root: folder("workspace_root")?,
        wasm: target.join(WASM_TARGET).join("release/now-serving.wasm"),
        target,
        has_sources: true,
        tested: tested(&metadata),
    })
}

fn tested(metadata: &Value) -> Vec<Tested> {
    let list = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned();
    let text = |value: &Value, key: &str| Some(value.get(key)?.as_str()?.to_owned());
    let mut tested = Vec::new();
    for package in list(metadata, "packages").unwrap_or_default() {
        for target in list(&package, "targets").unwrap_or_default() {
            let has_tests = target.get("test").and_then(Value::as_bool);
            tested.extend(has_tests.unwrap_or_default().then(|| {
                Some(Tested {
                    package: text(&package, "name")?,
                    kind: list(&target, "kind")?.first()?.as_str()?.to_owned(),
                    name: text(&target, "name")?,
                    source: PathBuf::from(text(&target, "src_path")?),
                })
            }));
        }
    }
    tested.into_iter().flatten().collect()
}
