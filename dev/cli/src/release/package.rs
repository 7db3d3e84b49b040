//! The package as `fastly compute pack` would make it, but with nothing in it that depends on when and where it is made.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use flate2::Compression;
use flate2::write::GzEncoder;
use hmac_sha256::Hash;
use tar::{Builder, EntryType, Header};

use super::{Made, said};

/// The folder that the CLI looks for in a package: the name in fastly.toml.
const FOLDER: &str = "now-serving";

/// When the commit was made that is released.
pub(super) struct Commit {
    /// In seconds.
    pub(super) seconds: u64,
    /// By ISO 8601.
    pub(super) time: String,
}

impl Commit {
    /// Asks Git.
    pub(super) fn of(root: &Path) -> Result<Self, String> {
        let told = said(
            Command::new("git")
                .args(["show", "--no-patch", "--format=%ct %cI"])
                .current_dir(root),
        )?;
        let (seconds, time) = told.trim().split_once(' ').unwrap_or_default();
        let time = time.to_owned();
        match seconds.parse() {
            Ok(seconds) => Ok(Self { seconds, time }),
            Err(_) => Err(format!("git said {told:?}, which is no time.")),
        }
    }
}

/// Packs the Wasm and the manifest.
pub(super) fn packed(wasm: &Path, manifest: &Path, commit: &Commit) -> Result<Vec<u8>, String> {
    let cannot = |error| format!("The package could not be made: {error}.");
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let mut append = |path: &str, kind: EntryType, bytes: &[u8]| {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(if kind == EntryType::Directory {
            0o755
        } else {
            0o644
        });
        header.set_mtime(commit.seconds);
        tar.append_data(&mut header, format!("{FOLDER}/{path}"), bytes)
    };
    append("", EntryType::Directory, &[]).map_err(cannot)?;
    append("bin/", EntryType::Directory, &[]).map_err(cannot)?;
    for (path, file) in [("bin/main.wasm", wasm), ("fastly.toml", manifest)] {
        let bytes = fs::read(file)
            .map_err(|error| format!("{} could not be read: {error}.", file.display()))?;
        append(path, EntryType::Regular, &bytes).map_err(cannot)?;
    }
    tar.into_inner().and_then(GzEncoder::finish).map_err(cannot)
}

/// What `sha256sum --check` reads.
pub(super) fn checksums(made: &[Made]) -> String {
    let lines = made
        .iter()
        .map(|(name, bytes)| format!("{}  {name}\n", sha256(bytes)));
    lines.collect()
}

/// In hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Hash::hash(bytes)
        .iter()
        .fold(String::new(), |mut text, byte| {
            // Nothing hinders a text to grow.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
