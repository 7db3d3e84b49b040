//! What `cargo dev release` makes of this commit, twice.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use harness::project::{cargo, project};
use serde_json::Value;

fn release(words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dev"));
    command.arg("release").args(words).output().unwrap()
}

/// What is in a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(path).unwrap(),
            )
        })
        .collect()
}

#[path = "../../../../cli/tests/alone/checks.rs"]
mod alone;
#[cfg(target_os = "linux")]
#[path = "../../../demo/tests/unpacked/checks.rs"]
mod unpacked;

/// Makes a draft: the one of a commit differs from it in the checks that come first, and in the flags of the compiler.
fn draft(folder: &Path, more: &[&str]) -> (BTreeMap<String, Vec<u8>>, String) {
    let words = ["--draft", "--out", folder.to_str().unwrap()];
    let output = release(&[&words[..], more].concat());
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("Fastly's CLI deploys the package without Rust"),
        "{said}"
    );
    (files(folder), said)
}

#[test]
fn a_release_has_all_that_it_needs_and_the_same_commit_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let [(one, _), (other, _)] =
        ["one", "other"].map(|name| draft(&folder.path().join(name), &["--without-programs"]));
    assert!(one == other, "{:?}", one.keys());
    let text = |name: &str| String::from_utf8(one[name].clone()).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let package = format!("now-serving-{version}.tar.gz");
    what_is_packed_is_what_was_built(&one[&package]);
    let terraform = format!("now-serving-{version}-terraform.tar.gz");
    what_is_in_the_checkout_is_there_too(&one, &terraform);
    let sum = Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(folder.path().join("one"))
        .output()
        .unwrap();
    assert!(sum.status.success(), "{sum:?}");
    let summed: BTreeSet<_> = text("SHA256SUMS")
        .lines()
        .map(|line| line[66..].to_owned())
        .collect();
    let made = one
        .keys()
        .filter(|name| !["SHA256SUMS", "NOTES.md"].contains(&name.as_str()));
    assert_eq!(summed, made.cloned().collect());
    let linked = linked();
    let bill: Value =
        serde_json::from_slice(&one[&format!("now-serving-{version}.cdx.json")]).unwrap();
    let parts = bill["components"].as_array().unwrap();
    let names: BTreeSet<_> = parts
        .iter()
        .map(|part| {
            [&part["name"], &part["version"]]
                .map(|word| word.as_str().unwrap())
                .join(" ")
        })
        .filter(|part| !part.starts_with("rust-std "))
        .collect();
    assert_eq!(names, linked);
    assert_eq!(parts.len(), linked.len() + 1);
    let licences = text("THIRD-PARTY-LICENSES.txt");
    for part in &linked {
        let has = |line: &str| {
            line.strip_prefix(part.as_str())
                .is_some_and(|rest| rest.starts_with(": "))
        };
        assert!(
            licences.lines().filter(|line| has(line)).count() >= 2,
            "{part} is listed, and has a text"
        );
    }
    let changes = fs::read_to_string(project().unwrap().root.join("CHANGELOG.md")).unwrap();
    assert!(text("NOTES.md").lines().count() > 1 && changes.contains(text("NOTES.md").trim_end()));
}

#[test]
#[ignore = "the programs take half an hour to compile: cargo dev test --long"]
fn its_programs_need_nothing_but_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let (one, said) = draft(&folder.path().join("one"), &[]);
    let text = |name: &str| String::from_utf8(one[name].clone()).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let program = format!("now-serving-{version}-x86_64-linux");
    if one.contains_key(&program) {
        an_operator_needs_nothing_but(&folder.path().join("one").join(&program));
        assert!(text(&format!("{program}.licenses.txt")).contains("\nring "));
        let bill: Value = serde_json::from_str(&text(&format!("{program}.cdx.json"))).unwrap();
        assert_eq!(bill["metadata"]["component"]["name"], "now-serving-cli");
        let demo = format!("now-serving-{version}-demo-x86_64-linux");
        let bill: Value = serde_json::from_str(&text(&format!("{demo}.cdx.json"))).unwrap();
        assert_eq!(bill["metadata"]["component"]["name"], "now-serving-demo");
        the_demo_needs_no_compiler(&one, &folder.path().join("one").join(demo + ".tar.gz"));
    } else {
        assert!(said.contains("leaves out the programs"), "{said}");
        assert!(!has_musl(), "{said}");
    }
}

/// It is one static file, and does its work where nothing else is.
fn an_operator_needs_nothing_but(program: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let installed = folder.path().join("now-serving");
    let status = Command::new("install")
        .args(["-m", "755"])
        .args([program, installed.as_path()])
        .status();
    assert!(status.unwrap().success());
    let linked = Command::new("ldd").arg(&installed).output().unwrap();
    let linked = String::from_utf8([linked.stdout, linked.stderr].concat()).unwrap();
    let is_static = ["statically linked", "not a dynamic executable"];
    assert!(
        is_static.iter().any(|words| linked.contains(words)) && !linked.contains("=>"),
        "{linked}"
    );
    alone::does_the_work_of_operators(&installed);
}

/// Unpacked in an empty folder, it serves.
fn the_demo_needs_no_compiler(made: &BTreeMap<String, Vec<u8>>, archive: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let status = Command::new("tar")
        .arg("xzf")
        .arg(archive)
        .current_dir(folder.path())
        .status();
    assert!(status.unwrap().success());
    let folder = folder.path().join("now-serving-demo");
    let has = files(&folder);
    let licences = ["RUST-LIBRARY-LICENSES.html", "THIRD-PARTY-LICENSES.txt"];
    let expected = [
        "LICENSE",
        licences[0],
        licences[1],
        "devconfig.json",
        "now-serving.wasm",
        "serve",
        "serve.licenses.txt",
    ];
    assert_eq!(has.keys().collect::<Vec<_>>(), expected);
    assert!(licences.iter().all(|name| has[*name] == made[*name]));
    #[cfg(target_os = "linux")]
    unpacked::serves_without_a_compiler(&folder);
}

/// Whether this machine can compile it.
fn has_musl() -> bool {
    let folder = Command::new("rustc")
        .args([
            "--print",
            "target-libdir",
            "--target",
            "x86_64-unknown-linux-musl",
        ])
        .output()
        .unwrap();
    let folder = String::from_utf8(folder.stdout).unwrap();
    let compiler = Command::new("musl-gcc").arg("--version").output();
    Path::new(folder.trim()).is_dir() && compiler.is_ok_and(|output| output.status.success())
}

/// The files of an archive, by path.
fn packed(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut packed = BTreeMap::new();
    for entry in tar::Archive::new(GzDecoder::new(archive))
        .entries()
        .unwrap()
    {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if entry.header().entry_type().is_file() {
            packed.insert(entry.path().unwrap().display().to_string(), bytes);
        }
    }
    packed
}

/// What files of this machine have, by the paths of an archive.
fn read<'a>(files: impl IntoIterator<Item = (&'a str, PathBuf)>) -> BTreeMap<String, Vec<u8>> {
    let files = files.into_iter();
    files
        .map(|(path, file)| (path.to_owned(), fs::read(file).unwrap()))
        .collect()
}

fn what_is_packed_is_what_was_built(package: &[u8]) {
    let packed = packed(package);
    let built = harness::project::wasm_path().unwrap();
    let manifest = project().unwrap().root.join("fastly.toml");
    let expected = [
        ("now-serving/bin/main.wasm", built),
        ("now-serving/fastly.toml", manifest),
    ];
    assert!(packed == read(expected), "{:?}", packed.keys());
}

/// What operators would take from a checkout otherwise.
fn what_is_in_the_checkout_is_there_too(made: &BTreeMap<String, Vec<u8>>, terraform: &str) {
    let root = &project().unwrap().root;
    for path in [
        "docs/openapi.yaml",
        "deploy/monitoring/dashboard.json",
        "deploy/monitoring/alerts.yml",
    ] {
        let (_, name) = path.rsplit_once('/').unwrap();
        assert!(made[name] == fs::read(root.join(path)).unwrap(), "{path}");
    }
    let module = [
        "README.md",
        "examples/with-upstash/main.tf",
        "main.tf",
        "outputs.tf",
        "variables.tf",
        "versions.tf",
    ];
    let names = module.map(|path| format!("terraform/{path}"));
    let expected = names
        .iter()
        .map(|path| (path.as_str(), root.join("deploy").join(path)));
    let packed = packed(&made[terraform]);
    assert!(packed == read(expected), "{:?}", packed.keys());
}

/// The crates that are linked into the Wasm, as Cargo says otherwise than the command asks.
fn linked() -> BTreeSet<String> {
    let words = [
        "tree",
        "-p",
        "now-serving",
        "--target",
        "wasm32-wasip1",
        "-e",
        "no-build,no-dev,no-proc-macro",
        "--prefix",
        "none",
    ];
    let output = cargo(&words).unwrap().output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let crates = tree.lines().skip(1).map(|line| {
        let words: Vec<_> = line.split(' ').take(2).collect();
        format!("{} {}", words[0], &words[1][1..])
    });
    let crates: BTreeSet<_> = crates.collect();
    assert!(
        crates.iter().any(|name| name.starts_with("fastly 0.")),
        "{crates:?}"
    );
    crates
}

#[test]
fn what_is_no_version_yet_is_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let output = release(&["--tag", "v99.0.0", "--out", out.to_str().unwrap()]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        !output.status.success() && said.contains("not v99.0.0"),
        "{said}"
    );
    assert!(!out.exists(), "nothing is made");
}
