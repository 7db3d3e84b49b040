//! How a tool gets to its place in the cache folder: made beside it and moved, or compiled by Cargo.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::quiet::run;
use crate::tools;

/// Moves a folder into place when it is complete, so that an interrupted install is never taken for one.
pub(crate) fn into_place(
    root: &Path,
    install: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<(), String> {
    // Appended, since versions have dots of their own.
    let mut unfinished = root.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let _ = fs::remove_dir_all(&unfinished);
    let done = install(&unfinished);
    if done.is_err() {
        let _ = fs::remove_dir_all(&unfinished);
    }
    done?;
    // What is there already is incomplete too, else nothing would be installed.
    let _ = fs::remove_dir_all(root);
    fs::rename(&unfinished, root)
        .map_err(|error| format!("{} could not be moved into place: {error}.", root.display()))
}

/// Compiles a program of the registry, with these lines of the profile `release`.
pub(crate) fn compile(
    package: &str,
    version: &str,
    what: &str,
    root: &Path,
    profile: impl IntoIterator<Item = String>,
) -> Result<(), String> {
    let cache = tools::cache()?;
    let build = cache.join(format!("{package}-build"));
    let lines = profile.into_iter();
    // Outside the checkout, so that its Cargo settings do not reach this build.
    let done = run(
        what,
        Command::new("cargo")
            .args(["install", package, "--version", version])
            .args([
                OsStr::new("--locked"),
                OsStr::new("--root"),
                root.as_os_str(),
            ])
            .args(lines.map(|line| format!("--config=profile.release.{line}")))
            .current_dir(cache)
            .env("CARGO_TARGET_DIR", &build),
        Some(root),
    );
    if done.is_ok() {
        // Some gigabytes nobody needs again; an unfinished build is kept to go on from.
        let _ = fs::remove_dir_all(&build);
    }
    done
}
