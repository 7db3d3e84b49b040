//! Whether Fastly's CLI deploys a package on a machine that has the CLI and nothing else.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use harness::tools;

use crate::fastly_api::{Api, SERVICE};

use super::said;

/// Deploys it to a stand-in for Fastly's API, as the docs have it.
///
/// # Errors
/// When the CLI stops, or when another package or none becomes active.
pub(super) fn without_rust(package: &Path) -> Result<(), String> {
    let cannot = |error| format!("The package could not be tried: {error}.");
    let bytes = fs::read(package).map_err(cannot)?;
    let package = fs::canonicalize(package).map_err(cannot)?;
    let api = Api::start().map_err(cannot)?;
    let folder = tempfile::tempdir().map_err(cannot)?;
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).map_err(cannot)?;
    symlink(tools::fastly_cli()?, programs.join("fastly")).map_err(cannot)?;
    let fastly = |words: &[&str]| {
        let mut command = Command::new(programs.join("fastly"));
        command
            .args(words)
            .current_dir(folder.path())
            .env_clear()
            .env("PATH", &programs)
            .env("HOME", folder.path())
            .env("FASTLY_API_ENDPOINT", api.url())
            .env("FASTLY_ACCOUNT_ENDPOINT", api.url())
            .env("FASTLY_API_TOKEN", "development-only-api-token")
            .env("FASTLY_SERVICE_ID", SERVICE);
        said(&mut command)
    };
    fastly(&[
        "service",
        "create",
        "--type",
        "wasm",
        "--name",
        "now-serving",
    ])?;
    let package = package.display().to_string();
    fastly(&[
        "compute",
        "deploy",
        "--package",
        &package,
        "--non-interactive",
        "--no-default-domain",
    ])?;
    let changes = api.changes();
    let version = format!("PUT /service/{SERVICE}/version/1");
    let is_active = changes.last() == Some(&format!("{version}/activate"));
    let seen = api.seen();
    let upload = seen
        .iter()
        .find(|seen| seen.line == format!("{version}/package"));
    let is_it =
        upload.is_some_and(|seen| seen.bytes.windows(bytes.len()).any(|part| part == bytes));
    if is_active && is_it {
        return Ok(());
    }
    Err(format!(
        "Fastly's CLI did not make the package the active version. It asked for: {changes:#?}"
    ))
}
