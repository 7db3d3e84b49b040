//! The licences of what is in the Wasm and in the program of operators: only those that deny.toml allows, and the text of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use super::parts::{Part, Parts};
use super::said;

/// What the file of a licence begins with.
const FILES: [&str; 5] = ["LICEN", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

#[derive(Deserialize)]
struct Deny {
    licenses: Licenses,
}

#[derive(Deserialize)]
struct Licenses {
    allow: Vec<String>,
}

/// Whether each part may be used under a licence that is allowed. Its exceptions are for what is in neither.
///
/// # Errors
/// When one may not: with all of those.
pub(super) fn allowed(parts: &Parts, deny: &str) -> Result<(), String> {
    let deny: Deny = toml::from_str(deny).map_err(|error| format!("deny.toml: {error}"))?;
    let allow = deny
        .licenses
        .allow
        .iter()
        .map(|licence| Licensee::parse(licence));
    let allow: Vec<Licensee> = allow
        .collect::<Result<_, _>>()
        .map_err(|error| format!("deny.toml: {error}"))?;
    let mut forbidden = Vec::new();
    for part in &parts.crates {
        let may =
            |licence: &spdx::LicenseReq| allow.iter().any(|allowed| allowed.satisfies(licence));
        if !expression(part)?.evaluate(may) {
            forbidden.push(format!("{} {}: {}", part.name, part.version, part.licence));
        }
    }
    if forbidden.is_empty() {
        return Ok(());
    }
    Err(format!(
        "deny.toml does not allow the licence of:\n{}",
        forbidden.join("\n")
    ))
}

fn expression(part: &Part) -> Result<Expression, String> {
    Expression::parse_mode(&part.licence, ParseMode::LAX).map_err(|error| {
        format!(
            "The licence of {} is no SPDX expression: {error}",
            part.name
        )
    })
}

/// A list of the crates, and then each text once, with the crates that it is from.
pub(super) fn texts(introduction: &str, parts: &Parts) -> Result<String, String> {
    let mut list = String::new();
    // By the words of a text, which many crates wrap and indent otherwise.
    let mut texts = BTreeMap::<String, (String, Vec<String>)>::new();
    for part in &parts.crates {
        let Part {
            name,
            version,
            licence,
            repository,
            ..
        } = part;
        let from = repository
            .as_ref()
            .map(|url| format!(", {url}"))
            .unwrap_or_default();
        list.extend([name, " ", version, ": ", licence, &from, "\n"]);
        for (file, text) in files(part)? {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (_, users) = texts.entry(words).or_insert_with(|| (text, Vec::new()));
            users.push(format!("{name} {version}: {file}"));
        }
    }
    let mut texts: Vec<_> = texts
        .into_values()
        .map(|(text, users)| (users, text))
        .collect();
    texts.sort();
    let texts = texts.into_iter().map(|(users, text)| {
        let line = "-".repeat(80);
        format!(
            "{line}\n{}\n{line}\n\n{}\n\n",
            users.join("\n"),
            text.trim_matches(['\n', '\r'])
        )
    });
    Ok(format!(
        "{introduction}\n{list}\n{}",
        texts.collect::<String>()
    ))
}

/// The beginning of the list for the Wasm.
pub(super) const OF_THE_WASM: &str = "The Wasm of Now Serving consists of its own code and of these crates. The licences of each follow, as its author wrote them.

The standard library of Rust is in it too (MIT OR Apache-2.0): RUST-LIBRARY-LICENSES.html has its notices. For wasm32-wasip1 it
brings wasi-libc (Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT), with parts of musl (MIT, Copyright (c) 2005-2020 Rich Felker, et al.).
";

/// The names and texts of a crate's licences. Where its author left them out, the texts that SPDX has.
fn files(part: &Part) -> Result<Vec<(String, String)>, String> {
    let cannot = |error| format!("{} could not be read: {error}.", part.folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&part.folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let is_licence = FILES
            .iter()
            .any(|begin| name.to_uppercase().starts_with(begin));
        if is_licence && path.is_file() {
            files.push((name, super::read(&path)?));
        }
    }
    files.sort();
    if files.is_empty() {
        files = standard(part)?;
    }
    Ok(files)
}

fn standard(part: &Part) -> Result<Vec<(String, String)>, String> {
    let mut texts = Vec::new();
    for wanted in expression(part)?.requirements() {
        let licence = wanted.req.license.id().map(spdx::LicenseId::text);
        let exception = wanted
            .req
            .addition
            .as_ref()
            .and_then(spdx::AdditionItem::id);
        let text = licence
            .into_iter()
            .chain(exception.map(spdx::ExceptionId::text));
        let text = text.collect::<Vec<_>>().join("\n\n");
        texts.push((format!("{}, the text of SPDX", wanted.req), text));
    }
    Ok(texts)
}

/// The notices of Rust's own library, which rustup installs with the compiler.
pub(super) fn of_rust() -> Result<String, String> {
    let root = said(Command::new("rustc").args(["--print", "sysroot"]))?;
    super::read(&Path::new(root.trim()).join("share/doc/rust/COPYRIGHT-library.html"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use std::collections::BTreeSet;

    use super::*;

    fn part(name: &str, licence: &str, folder: &Path) -> Part {
        Part {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.to_owned(),
            folder: folder.to_owned(),
            repository: None,
            sha256: None,
            links: BTreeSet::new(),
        }
    }

    fn parts(crates: Vec<Part>) -> Parts {
        let service = part("now-serving", "MIT", Path::new(""));
        Parts { service, crates }
    }

    #[test]
    fn a_licence_that_is_not_allowed_is_refused_with_the_name_of_its_crate() {
        const DENY: &str = "[licenses]\nallow = [\"MIT\", \"Apache-2.0 WITH LLVM-exception\"]\n";
        let verdict =
            |licence: &str| allowed(&parts(vec![part("a", licence, Path::new(""))]), DENY);
        for fine in [
            "MIT",
            "MIT/GPL-3.0",
            "Apache-2.0 WITH LLVM-exception OR ISC",
        ] {
            assert_eq!(verdict(fine), Ok(()), "{fine}");
        }
        for wrong in ["GPL-3.0-only", "MIT AND ISC", "Apache-2.0"] {
            let said = verdict(wrong).unwrap_err();
            assert!(said.ends_with(&format!("a 1.0.0: {wrong}")), "{said}");
        }
        assert!(verdict("Mine").is_err_and(|said| said.contains("no SPDX expression")));
    }

    #[test]
    fn one_text_of_two_crates_is_told_once_and_a_missing_one_comes_from_spdx() {
        let folder = tempfile::tempdir().unwrap();
        let with = |name: &str, text: &str| {
            let folder = folder.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join("LICENSE-MIT"), text).unwrap();
            fs::write(folder.join("README.md"), "no licence").unwrap();
            part(name, "MIT", &folder)
        };
        let [a, b] = [
            with("a", "Do as\nyou like."),
            with("b", "Do  as you\r\nlike.\n"),
        ];
        let empty = folder.path().join("c");
        fs::create_dir(&empty).unwrap();
        let c = part("c", "Apache-2.0 WITH LLVM-exception", &empty);
        let told = texts(OF_THE_WASM, &parts(vec![a, b, c])).unwrap();
        assert!(
            told.contains("\na 1.0.0: LICENSE-MIT\nb 1.0.0: LICENSE-MIT\n"),
            "{told}"
        );
        assert_eq!(told.matches("you like.").count(), 1, "{told}");
        assert!(told.contains("c 1.0.0: Apache-2.0 WITH LLVM-exception, the text of SPDX\n"));
        assert!(told.contains("LLVM Exceptions to the Apache 2.0 License"));
        assert!(!told.contains("no licence"));
    }
}
