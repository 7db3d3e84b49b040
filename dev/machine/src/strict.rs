//! The Wasm of the service with a host that is stricter than the local server: `dev/strict-host` takes the place of the SDK's system
//! crate.
//!
//! Cargo names that in a `[patch]`, which would change `Cargo.lock`. So it builds from a folder of links into the checkout, with a
//! manifest and a lock of its own. Invariant: what is shipped is never touched, since the program has another name. All that both
//! have in common is compiled once.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::project::{Project, cargo, project};
use crate::quiet::run;
use start::WASM_TARGET;

/// The name of the program.
const NAME: &str = "now-serving-strict";

/// The SDK's system crate.
const SYSTEM: &str = "fastly-sys";

/// The package that takes its place, as the workspace's manifest names it.
const MEMBER: &str = "\"dev/strict-host\", ";

/// What of the checkout is compiled, or named by its manifest.
const LINKS: [&str; 8] = [
    "build",
    "build.rs",
    "cli",
    "dev",
    "examples",
    "src",
    "templates",
    "tests",
];

/// Builds it and returns its path.
///
/// # Errors
/// When the build fails: with what Cargo said last.
pub fn build_strict_wasm() -> Result<PathBuf, String> {
    let project = project()?;
    let wasm = project
        .target
        .join(WASM_TARGET)
        .join(format!("release/{NAME}.wasm"));
    let folder = project.target.join("strict-host");
    let cannot = |error| format!("{}: {error}.", folder.display());
    let locked = fs::read_to_string(project.root.join("Cargo.lock")).map_err(cannot)?;
    if System::find(&locked).is_err() {
        let mut fetch = cargo(&["fetch", "--locked"])?;
        run("Downloading the sources of the Wasm", &mut fetch, None)?;
    }
    let system = System::find(&locked)?;
    prepare(project, &folder, &system).map_err(cannot)?;
    let arguments = [
        "build",
        "--release",
        "--offline",
        "--target",
        WASM_TARGET,
        "--bin",
        NAME,
    ];
    let mut command = cargo(&arguments)?;
    command
        .current_dir(folder.join("tree"))
        .arg("--target-dir")
        .arg(&project.target);
    run("Compiling the Wasm with limits", &mut command, Some(&wasm))?;
    Ok(wasm)
}

/// The system crate that the workspace's lock names.
struct System {
    version: String,
    folder: PathBuf,
}

impl System {
    /// Where Cargo has put its source when it compiled the Wasm that is shipped. Asked itself, Cargo would first download what other
    /// targets need.
    fn find(locked: &str) -> Result<Self, String> {
        let version = version(locked).ok_or(format!("Cargo.lock names no {SYSTEM}."))?;
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(Path::new(&env::var_os("HOME")?).join(".cargo")));
        let sources = home.unwrap_or_default().join("registry/src");
        let registries = fs::read_dir(&sources).into_iter().flatten().flatten();
        let mut folders =
            registries.map(|registry| registry.path().join(format!("{SYSTEM}-{version}")));
        let folder = folders.find(|folder| folder.is_dir());
        let folder = folder.ok_or(format!("{} has no {SYSTEM} {version}.", sources.display()))?;
        Ok(Self {
            version: version.to_owned(),
            folder,
        })
    }

    /// The manifest of what takes its place. By its version it is another package than the one it is made of, and as good.
    fn manifest(&self, root: &Path) -> String {
        let version = &self.version;
        let source = quoted(&root.join("dev/strict-host/src/lib.rs"));
        let real = quoted(&self.folder);
        format!(
            "[package]\nname = \"{SYSTEM}\"\nversion = \"{version}+strict\"\nedition = \"2024\"\n\n\
             [lib]\npath = {source}\n\n\
             [dependencies]\nfastly-shared = \"={version}\"\nreal = {{ package = \"{SYSTEM}\", path = {real} }}\n"
        )
    }
}

fn prepare(project: &Project, folder: &Path, system: &System) -> io::Result<()> {
    let (tree, host) = (folder.join("tree"), folder.join("host"));
    for folder in [&tree, &host] {
        fs::create_dir_all(folder)?;
    }
    for name in LINKS {
        match symlink(project.root.join(name), tree.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    let read = |name: &str| fs::read_to_string(project.root.join(name));
    write(&host.join("Cargo.toml"), &system.manifest(&project.root))?;
    write(&tree.join("Cargo.toml"), &manifest(&read("Cargo.toml")?))?;
    fs::write(tree.join("Cargo.lock"), lock(&read("Cargo.lock")?))
}

/// Writes a file that is to differ, so that Cargo sees one that is as it was.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|found| found == text) {
        return Ok(());
    }
    fs::write(path, text)
}

/// The workspace's manifest with the other program and the other system crate.
fn manifest(workspace: &str) -> String {
    let shipped = "[[bin]]\nname = \"now-serving\"\n";
    let renamed = workspace.replace(shipped, &format!("[[bin]]\nname = \"{NAME}\"\n"));
    let alone = renamed.replace(MEMBER, "");
    format!("{alone}\n[patch.crates-io]\n{SYSTEM} = {{ path = \"../host\" }}\n")
}

/// The workspace's lock without the system crate, for which Cargo then takes the other one.
fn lock(workspace: &str) -> String {
    const PACKAGE: &str = "[[package]]\n";
    let system = format!("name = \"{SYSTEM}\"\n");
    let packages = workspace.split(PACKAGE);
    let kept: Vec<&str> = packages
        .filter(|package| !package.starts_with(&system))
        .collect();
    kept.join(PACKAGE)
}

/// The version of the system crate in a lock.
fn version(lock: &str) -> Option<&str> {
    let (_, after) = lock.split_once(&format!("name = \"{SYSTEM}\"\nversion = \""))?;
    Some(after.split_once('"')?.0)
}

/// A TOML string; every JSON string is one.
fn quoted(path: &Path) -> String {
    Value::from(path.display().to_string()).to_string()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use super::*;

    #[test]
    fn the_strict_program_has_a_name_of_its_own_and_another_system_crate() {
        let workspace = fs::read_to_string(project().unwrap().root.join("Cargo.toml")).unwrap();
        let made = manifest(&workspace);
        assert!(
            made.contains("[[bin]]\nname = \"now-serving-strict\"\n"),
            "{made}"
        );
        assert!(
            !made.contains("name = \"now-serving\"\npath") && !made.contains("strict-host\""),
            "{made}"
        );
        assert!(
            made.ends_with("[patch.crates-io]\nfastly-sys = { path = \"../host\" }\n"),
            "{made}"
        );
    }

    #[test]
    fn the_lock_loses_the_system_crate_alone() {
        let package = |name: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"1\"\n\n");
        let [one, system, other] = ["fastly", "fastly-sys", "fastly-system"].map(package);
        let whole = format!("a\n{one}{system}{other}");
        assert_eq!(version(&whole), Some("1"));
        assert_eq!(lock(&whole), format!("a\n{one}{other}"));
    }
}
