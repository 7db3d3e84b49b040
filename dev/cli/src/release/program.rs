//! The program of operators for Linux on x86-64: one static file, compiled against musl.
//!
//! Lua's C and the assembler of TLS are compiled with it, so this needs musl's compiler besides Rust's target; the file needs neither.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::project::Project;
use harness::quiet;

use super::licences;
use super::package::Commit;
use super::parts::Parts;
use super::{Made, Options, free_of_this_machine, said, sbom};

/// Its package, which is also the name that Cargo gives to the program.
const PACKAGE: &str = "now-serving-cli";
/// What it is compiled to.
const TARGET: &str = "x86_64-unknown-linux-musl";
/// The profile of `Cargo.toml`.
const PROFILE: &str = "program";

const BUILD: &[&str] = &[
    "build",
    "--profile",
    PROFILE,
    "--target",
    TARGET,
    "--package",
    PACKAGE,
    "--bin",
    PACKAGE,
];

const INTRODUCTION: &str = "The program `now-serving` consists of the code of Now Serving and of these crates. The licences of each follow, as its author wrote them.

The standard library of Rust is in it too (MIT OR Apache-2.0): RUST-LIBRARY-LICENSES.html has its notices. So are musl (MIT, Copyright (c)
2005-2020 Rich Felker, et al.), and Lua 5.1 (MIT, Copyright (c) 1994-2012 Lua.org, PUC-Rio).
";

/// The program, the licences of its parts and its bill of materials. A draft leaves them out where this machine cannot compile it.
///
/// # Errors
/// When it cannot be compiled, or a licence is not allowed.
pub(super) fn of_linux(
    name: &str,
    project: &Project,
    commit: &Commit,
    options: &Options,
) -> Result<Vec<Made>, String> {
    match missing() {
        Some(reason) if options.draft => {
            anstream::eprintln!("The draft leaves out the program of operators: {reason}");
            return Ok(Vec::new());
        }
        Some(reason) => return Err(reason),
        None => {}
    }
    let parts = Parts::of(PACKAGE, TARGET)?;
    licences::allowed(&parts, &super::read(&project.root.join("deny.toml"))?)?;
    let (mut build, target) = free_of_this_machine(project, BUILD, TARGET)?;
    // The allocator's C holds when it was compiled. Not the commit's time: Cargo keeps what was compiled for another commit.
    build.env("SOURCE_DATE_EPOCH", "0");
    let program = target.join(TARGET).join(PROFILE).join(PACKAGE);
    let what = "Compiling the program of operators";
    quiet::run(what, &mut build, Some(&program))?;
    let program = fs::read(&program)
        .map_err(|error| format!("{} could not be read: {error}.", program.display()))?;
    let bill = sbom::of(&parts, &program, commit)?;
    let licences = licences::texts(INTRODUCTION, &parts)?.into_bytes();
    let name = format!("{name}-x86_64-linux");
    Ok(vec![
        (format!("{name}.cdx.json"), bill),
        (format!("{name}.licenses.txt"), licences),
        (name, program),
    ])
}

/// What this machine lacks to compile it.
fn missing() -> Option<String> {
    let folder = said(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    let has_target = folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir());
    let has_compiler = said(Command::new("musl-gcc").arg("--version")).is_ok();
    (!has_target || !has_compiler).then(|| {
        format!(
            "it is compiled for {TARGET} with musl-gcc, and one of the two is missing. `rustup target add {TARGET}` installs the first, the package musl-tools of Debian has the second."
        )
    })
}
