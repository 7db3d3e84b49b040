//! The programs for Linux on x86-64: each one static file, compiled against musl.
//!
//! Lua's C and the assembler of TLS are compiled with them, so this needs musl's compiler besides Rust's target; the files need neither.

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::project::Project;
use harness::quiet;

use super::licences;
use super::package::Commit;
use super::parts::Parts;
use super::{free_of_this_machine, said, sbom};

/// What they are compiled to.
const TARGET: &str = "x86_64-unknown-linux-musl";
/// The profile of `Cargo.toml`.
const PROFILE: &str = "program";

/// A program that is published.
pub(super) struct Program {
    /// Its package, which is also the name that Cargo gives to it.
    pub(super) package: &'static str,
    /// How its users call it.
    pub(super) name: &'static str,
    /// What it is.
    pub(super) what: &'static str,
}

/// One that is compiled.
pub(super) struct Compiled {
    pub(super) bytes: Vec<u8>,
    /// The licences of its parts.
    pub(super) licences: Vec<u8>,
    /// Its bill of materials.
    pub(super) bill: Vec<u8>,
}

impl Program {
    /// Compiles it.
    ///
    /// # Errors
    /// When it cannot be compiled, or a licence is not allowed.
    pub(super) fn compiled(&self, project: &Project, commit: &Commit) -> Result<Compiled, String> {
        let parts = Parts::of(self.package, TARGET)?;
        licences::allowed(&parts, &super::read(&project.root.join("deny.toml"))?)?;
        let words = ["build", "--profile", PROFILE, "--target", TARGET];
        let words = [
            &words[..],
            &["--package", self.package, "--bin", self.package],
        ]
        .concat();
        let (mut build, target) = free_of_this_machine(project, &words, TARGET)?;
        // The allocator's C holds when it was compiled. Not the commit's time: Cargo keeps what was compiled for another commit.
        build.env("SOURCE_DATE_EPOCH", "0");
        let program = target.join(TARGET).join(PROFILE).join(self.package);
        let what = format!("Compiling {}", self.what);
        quiet::run(&what, &mut build, Some(&program))?;
        let bytes = fs::read(&program)
            .map_err(|error| format!("{} could not be read: {error}.", program.display()))?;
        Ok(Compiled {
            bill: sbom::of(&parts, &bytes, commit)?,
            licences: licences::texts(&introduction(self.name), &parts)?.into_bytes(),
            bytes,
        })
    }
}

fn introduction(name: &str) -> String {
    format!(
        "The program `{name}` consists of the code of Now Serving and of these crates. The licences of each follow, as its author wrote them.

The standard library of Rust is in it too (MIT OR Apache-2.0): RUST-LIBRARY-LICENSES.html has its notices. So are musl (MIT, Copyright (c)
2005-2020 Rich Felker, et al.), and Lua 5.1 (MIT, Copyright (c) 1994-2012 Lua.org, PUC-Rio).
"
    )
}

/// What this machine lacks to compile one.
pub(super) fn missing() -> Option<String> {
    let folder = said(Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]));
    let has_target = folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir());
    let has_compiler = said(Command::new("musl-gcc").arg("--version")).is_ok();
    (!has_target || !has_compiler).then(|| {
        format!(
            "they are compiled for {TARGET} with musl-gcc, and one of the two is missing. `rustup target add {TARGET}` installs the first, the package musl-tools of Debian has the second."
        )
    })
}
