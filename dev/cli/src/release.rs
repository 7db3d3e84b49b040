//! `cargo dev release`: all that a version is published with, made from one commit.
//!
//! The same commit gives the same bytes: what is written down has the commit's time, and the Wasm knows no folder of this machine.

mod changelog;
mod demo;
mod deploy;
mod licences;
mod package;
mod parts;
mod program;
mod sbom;
mod version;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::install::{self, Need};
use harness::project::{self, Project, project};
use harness::quiet;

use package::Commit;
use parts::Parts;
use program::Program;

/// What `cargo dev release` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where it all goes [default: target/release-VERSION]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// The tag that is released: `v` and the version
    #[arg(long, value_name = "TAG")]
    pub tag: Option<String>,
    /// Try it before there is a version: with changes that are not committed, the notes of Unreleased, and the usual build of the Wasm
    #[arg(long, conflicts_with = "tag")]
    pub draft: bool,
    /// Leave out of a draft the programs, which take half an hour to compile
    #[arg(long, requires = "draft")]
    pub without_programs: bool,
}

/// The package of the Wasm.
const WASM: &str = "now-serving";

/// What operators and programs of their own read, as it is in the checkout.
const AS_IT_IS: [&str; 3] = [
    "docs/openapi.yaml",
    "deploy/monitoring/dashboard.json",
    "deploy/monitoring/alerts.yml",
];

const OPERATORS: Program = Program {
    package: "now-serving-cli",
    name: "now-serving",
    what: "the program of operators",
};

/// The module of Terraform.
const TERRAFORM: &str = "deploy/terraform";

/// A file of the release: its name and its bytes.
type Made = (String, Vec<u8>);

/// Makes the package, the programs of operators and of the demo, checksums, what both consist of, the licences of that, and the notes.
///
/// # Errors
/// When versions disagree, the changes say nothing of this one, files are not committed, a licence is not allowed, or the
/// CLI does not deploy the package.
pub fn release(options: &Options) -> Result<(), String> {
    let project = project()?;
    let root = |name: &str| read(&project.root.join(name));
    let version = version::of(&root("Cargo.toml")?, &root("fastly.toml")?)?;
    let changes = root("CHANGELOG.md")?;
    let notes = if options.draft {
        changelog::unreleased(&changes)?
    } else {
        version::is_tagged(&version, options.tag.as_deref())?;
        is_committed(&project.root)?;
        changelog::of(&changes, &version)?
    };
    let parts = Parts::of(WASM, project::WASM_TARGET)?;
    licences::allowed(&parts, &root("deny.toml")?)?;
    install::provide(Need::WasmTarget)?;
    install::provide(Need::FastlyCli)?;
    let name = format!("now-serving-{version}");
    let mut made = files(&name, &parts, options)?;
    made.push((
        "SHA256SUMS".to_owned(),
        package::checksums(&made).into_bytes(),
    ));
    made.push(("NOTES.md".to_owned(), notes.into_bytes()));
    let usual = || project.target.join(format!("release-{version}"));
    let out = options.out.clone().unwrap_or_else(usual);
    write(&out, &made)?;
    deploy::without_rust(&out.join(format!("{name}.tar.gz")))?;
    anstream::println!(
        "Fastly's CLI deploys the package without Rust: tried against a stand-in for Fastly's API."
    );
    Ok(())
}

/// What has a checksum.
fn files(name: &str, parts: &Parts, options: &Options) -> Result<Vec<Made>, String> {
    let project = project()?;
    let wasm = if options.draft {
        project::build_wasm()?
    } else {
        wasm_of_no_machine(project)?
    };
    let commit = Commit::of(&project.root)?;
    let package = package::packed(&wasm, &project.root.join("fastly.toml"), &commit)?;
    let bill = sbom::of(parts, &package, &commit)?;
    let text = licences::texts(licences::OF_THE_WASM, parts)?;
    let mut licences = vec![("THIRD-PARTY-LICENSES.txt".to_owned(), text.into_bytes())];
    match licences::of_rust() {
        Ok(text) => licences.push(("RUST-LIBRARY-LICENSES.html".to_owned(), text.into_bytes())),
        Err(reason) if options.draft => anstream::eprintln!("{reason}"),
        Err(reason) => return Err(reason),
    }
    let mut made = vec![
        (format!("{name}.cdx.json"), bill),
        (format!("{name}.tar.gz"), package),
    ];
    let terraform = package::folder(&project.root, TERRAFORM, &commit)?;
    made.push((format!("{name}-terraform.tar.gz"), terraform));
    for path in AS_IT_IS.map(|path| project.root.join(path)) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        made.push((name.into_owned(), read(&path)?.into_bytes()));
    }
    let unasked = options
        .without_programs
        .then(|| "--without-programs.".to_owned());
    match unasked.or_else(program::missing) {
        None => {
            let program = OPERATORS.compiled(project, &commit)?;
            let file = format!("{name}-x86_64-linux");
            made.extend([
                (format!("{file}.cdx.json"), program.bill),
                (format!("{file}.licenses.txt"), program.licences),
                (file, program.bytes),
            ]);
            made.extend(demo::archived(name, &wasm, &licences, project, &commit)?);
        }
        Some(reason) if options.draft => {
            anstream::eprintln!("The draft leaves out the programs: {reason}");
        }
        Some(reason) => return Err(reason),
    }
    made.extend(licences);
    Ok(made)
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path)
        .map_err(|error| format!("{} could not be read: {error}.", path.display()))
}

fn write(out: &Path, made: &[Made]) -> Result<(), String> {
    let cannot = |error| format!("{} could not be filled: {error}.", out.display());
    fs::create_dir_all(out).map_err(cannot)?;
    anstream::println!("{}:", out.display());
    for (name, bytes) in made {
        fs::write(out.join(name), bytes).map_err(cannot)?;
        anstream::println!("  {name:<42} {:>9} bytes", bytes.len());
    }
    Ok(())
}

/// What a command says, if it ends well.
fn said(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{program} could not be started: {error}."))?;
    let [told, errors] =
        [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
    output
        .status
        .success()
        .then_some(told)
        .ok_or_else(|| format!("{program} failed:\n{errors}"))
}

fn is_committed(root: &Path) -> Result<(), String> {
    let status = said(
        Command::new("git")
            .args(["status", "--porcelain"])
            .current_dir(root),
    )?;
    if status.is_empty() {
        return Ok(());
    }
    Err(format!(
        "A version is made from a commit, and these files differ from it: commit them, or try --draft.\n{}",
        status.trim_end()
    ))
}

fn wasm_of_no_machine(project: &Project) -> Result<PathBuf, String> {
    let (mut build, target) =
        free_of_this_machine(project, project::BUILD_WASM, project::WASM_TARGET)?;
    let wasm = target
        .join(project::WASM_TARGET)
        .join("release/now-serving.wasm");
    quiet::run("Compiling the Wasm of the release", &mut build, Some(&wasm))?;
    Ok(wasm)
}

/// A build without the names of this machine's folders, which panics would hold otherwise, and the folder that it fills.
///
/// That is a folder of its own: with other flags Cargo would compile everything again for the next usual build.
fn free_of_this_machine(
    project: &Project,
    words: &[&str],
    compiled_to: &str,
) -> Result<(Command, PathBuf), String> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let home = home.ok_or("Cargo's folder is not known: set CARGO_HOME.")?;
    let remap =
        |folder: &Path, name: &str| format!("--remap-path-prefix={}={name}", folder.display());
    let flags = [remap(&home, "/cargo"), remap(&project.root, "/now-serving")];
    let target = project.target.join("release-build");
    let mut build = project::cargo(words)?;
    build
        .arg("--locked")
        .arg("--target-dir")
        .arg(&target)
        .arg("--config")
        .arg(format!("target.{compiled_to}.rustflags={flags:?}"))
        // They would take the place of all other flags.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    Ok((build, target))
}
