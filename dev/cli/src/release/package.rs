//! Archives with nothing in them that depends on when and where they are made: among them the package as `fastly compute pack` would
//! make it.

use std::collections::BTreeSet;
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

/// A file of an archive.
pub(super) struct Entry {
    /// Below the archive's own folder.
    path: String,
    bytes: Vec<u8>,
    is_program: bool,
}

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

impl Entry {
    pub(super) fn of(path: &str, bytes: Vec<u8>) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            is_program: false,
        }
    }

    pub(super) fn program(path: &str, bytes: Vec<u8>) -> Self {
        Self {
            is_program: true,
            ..Self::of(path, bytes)
        }
    }

    pub(super) fn read(path: &str, file: &Path) -> Result<Self, String> {
        let bytes = fs::read(file)
            .map_err(|error| format!("{} could not be read: {error}.", file.display()))?;
        Ok(Self::of(path, bytes))
    }
}

/// Packs the Wasm and the manifest.
pub(super) fn packed(wasm: &Path, manifest: &Path, commit: &Commit) -> Result<Vec<u8>, String> {
    let entries = [
        Entry::read("bin/main.wasm", wasm)?,
        Entry::read("fastly.toml", manifest)?,
    ];
    archive(FOLDER, &entries, commit)
}

/// Packs what Git knows below a folder of the checkout.
pub(super) fn folder(root: &Path, name: &str, commit: &Commit) -> Result<Vec<u8>, String> {
    let mut list = Command::new("git");
    let listed = said(list.args(["ls-files", "."]).current_dir(root.join(name)))?;
    let entries = listed
        .lines()
        .map(|path| Entry::read(path, &root.join(name).join(path)));
    let entries = entries.collect::<Result<Vec<_>, _>>()?;
    let own = Path::new(name).file_name().unwrap_or_default();
    archive(&own.to_string_lossy(), &entries, commit)
}

/// Packs files into a folder, which is named before them, as is each folder below it.
pub(super) fn archive(folder: &str, entries: &[Entry], commit: &Commit) -> Result<Vec<u8>, String> {
    let cannot = |error| format!("The archive of {folder} could not be made: {error}.");
    let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::best()));
    let mut append = |path: &Path, kind: EntryType, mode: u32, bytes: &[u8]| {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(bytes.len() as u64);
        header.set_mode(mode);
        header.set_mtime(commit.seconds);
        tar.append_data(&mut header, path, bytes)
    };
    let mut named = BTreeSet::new();
    for entry in entries {
        let path = Path::new(folder).join(&entry.path);
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.pop();
        for folder in above.into_iter().rev() {
            if named.insert(folder.to_owned()) {
                append(&folder.join(""), EntryType::Directory, 0o755, &[]).map_err(cannot)?;
            }
        }
        let mode = if entry.is_program { 0o755 } else { 0o644 };
        append(&path, EntryType::Regular, mode, &entry.bytes).map_err(cannot)?;
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
