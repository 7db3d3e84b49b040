//! What a program consists of, the Wasm or that of operators: the crates that Cargo links into it, and what Cargo knows of each.
//!
//! What only runs while it is compiled (macros, build scripts) is no part of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::project::{cargo, project};
use serde::Deserialize;

use super::said;

/// Shows each crate with its depth before its name, the program's own first.
const TREE: &[&str] = &[
    "tree",
    "--locked",
    "--edges",
    "normal,no-proc-macro",
    "--prefix",
    "depth",
    "--no-dedupe",
    "--format",
    "{p}",
    "--package",
];

/// The program's own crate, and what is linked with it.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) service: Part,
    /// In the order of their names.
    pub(super) crates: Vec<Part>,
}

/// One crate.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) version: String,
    /// As its author wrote it, by SPDX.
    pub(super) licence: String,
    /// Where its sources are on this machine.
    pub(super) folder: PathBuf,
    pub(super) repository: Option<String>,
    /// Of the file that the registry has.
    pub(super) sha256: Option<String>,
    /// What it links itself, by [`Part::id`].
    pub(super) links: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    manifest_path: PathBuf,
    repository: Option<String>,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Part {
    /// Names it among the parts.
    pub(super) fn id(&self) -> String {
        id(&self.name, &self.version)
    }
}

impl Parts {
    /// Asks Cargo for those of a package, compiled to this target.
    pub(super) fn of(package: &str, target: &str) -> Result<Self, String> {
        let tree = [TREE, &[package, "--target", target]].concat();
        let links = links(&said(&mut cargo(&tree)?)?)?;
        let metadata = [
            "metadata",
            "--locked",
            "--format-version",
            "1",
            "--filter-platform",
            target,
        ];
        let metadata: Metadata = serde_json::from_str(&said(&mut cargo(&metadata)?)?)
            .map_err(|error| format!("`cargo metadata`: {error}."))?;
        let lock: Lock = toml::from_str(&super::read(&project()?.root.join("Cargo.lock"))?)
            .map_err(|error| format!("Cargo.lock: {error}"))?;
        let mut sums: BTreeMap<String, Option<String>> = lock
            .package
            .into_iter()
            .map(|locked| (id(&locked.name, &locked.version), locked.checksum))
            .collect();
        let mut parts = BTreeMap::new();
        for found in metadata.packages {
            let id = id(&found.name, &found.version);
            if let Some(links) = links.get(&id) {
                let sha256 = sums.remove(&id).flatten();
                parts.insert(id, part(found, links.clone(), sha256)?);
            }
        }
        if let Some(missing) = links.keys().find(|id| !parts.contains_key(*id)) {
            return Err(format!(
                "`cargo metadata` does not know {missing}, which `cargo tree` links."
            ));
        }
        let (service, crates) = parts.into_values().partition(|part| part.name == package);
        let [service] =
            <[Part; 1]>::try_from(service).map_err(|_| format!("Cargo knows no {package}."))?;
        Ok(Self { service, crates })
    }
}

fn part(package: Package, links: BTreeSet<String>, sha256: Option<String>) -> Result<Part, String> {
    let licence = package
        .license
        .ok_or_else(|| format!("{} names no licence.", package.name))?;
    Ok(Part {
        licence,
        folder: package
            .manifest_path
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default(),
        name: package.name,
        version: package.version,
        repository: package.repository,
        sha256,
        links,
    })
}

fn id(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

/// What each crate of the tree links itself.
fn links(tree: &str) -> Result<BTreeMap<String, BTreeSet<String>>, String> {
    let mut links = BTreeMap::<String, BTreeSet<String>>::new();
    let mut above: Vec<String> = Vec::new();
    for line in tree.lines() {
        let name = line.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let depth = line.strip_suffix(name).and_then(|depth| depth.parse().ok());
        let mut words = name.split(' ');
        let version = |word: &'_ str| word.strip_prefix('v').map(str::to_owned);
        let (Some(depth), Some(name), Some(version)) =
            (depth, words.next(), words.next().and_then(version))
        else {
            return Err(format!("`cargo tree` said {line:?}, which is no crate."));
        };
        let id = id(name, &version);
        above.truncate(depth);
        if let Some(parent) = above.last() {
            links.entry(parent.clone()).or_default().insert(id.clone());
        }
        links.entry(id.clone()).or_default();
        above.push(id);
    }
    Ok(links)
}

/// The version of Rust, whose library is in the Wasm too.
pub(super) fn rust() -> Result<String, String> {
    let told = said(Command::new("rustc").arg("--version"))?;
    told.split(' ')
        .nth(1)
        .map(str::to_owned)
        .ok_or_else(|| format!("rustc said {told:?}, which is no version."))
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test may stop at the first surprise"
    )]

    use super::*;

    #[test]
    fn what_stands_deeper_is_linked_by_what_stands_above() {
        let tree = "0a v1.0.0 (/a)\n1b v2.0.0\n2c3 v3.0.0+d\n1c3 v3.0.0+d\n";
        let links = links(tree).unwrap();
        let of = |id: &str| links[id].iter().map(String::as_str).collect::<Vec<_>>();
        assert_eq!(links.len(), 3);
        assert_eq!(of("a@1.0.0"), ["b@2.0.0", "c3@3.0.0+d"]);
        assert_eq!(of("b@2.0.0"), ["c3@3.0.0+d"]);
        assert_eq!(of("c3@3.0.0+d"), [""; 0]);
        assert!(super::links("what?").is_err_and(|wrong| wrong.contains("what?")));
    }
}
