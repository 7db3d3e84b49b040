//! The demo: what `cargo dev serve` is, for a machine without a compiler. A folder with the program, the Wasm and the settings.

use std::path::Path;

use harness::project::{Project, UNPACKED_WASM};
use harness::sandbox_dir::DEVELOPMENT_SETTINGS;

use super::Made;
use super::package::{Commit, Entry, archive};
use super::program::Program;

/// What the archive unpacks to.
const FOLDER: &str = "now-serving-demo";

const PROGRAM: Program = Program {
    package: "now-serving-demo",
    name: "serve",
    what: "the program of the demo",
};

/// The archive, and the bill of materials of its program. It has the licences of all that is in it, some of which were made before.
pub(super) fn archived(
    name: &str,
    wasm: &Path,
    licences: &[Made],
    project: &Project,
    commit: &Commit,
) -> Result<[Made; 2], String> {
    let program = PROGRAM.compiled(project, commit)?;
    let settings = project.root.join(DEVELOPMENT_SETTINGS);
    let mut entries = vec![
        Entry::program(PROGRAM.name, program.bytes),
        Entry::read(UNPACKED_WASM, wasm)?,
        Entry::read(DEVELOPMENT_SETTINGS, &settings)?,
        Entry::read("LICENSE", &project.root.join("LICENSE"))?,
        Entry::of("serve.licenses.txt", program.licences),
    ];
    let made = licences.iter();
    entries.extend(made.map(|(name, bytes)| Entry::of(name, bytes.clone())));
    let name = format!("{name}-demo-x86_64-linux");
    Ok([
        (format!("{name}.cdx.json"), program.bill),
        (format!("{name}.tar.gz"), archive(FOLDER, &entries, commit)?),
    ])
}
