//! The program of the demo in a folder that has no sources, on a machine without a compiler.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod checks;

use std::fs;
use std::path::Path;

use harness::project::{UNPACKED_WASM, build_wasm, project};
use harness::sandbox_dir::DEVELOPMENT_SETTINGS;

/// What `cargo dev release` packs, but for the licences.
fn unpacked() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let settings = project().unwrap().root.join(DEVELOPMENT_SETTINGS);
    for (name, file) in [
        ("serve", Path::new(env!("CARGO_BIN_EXE_now-serving-demo"))),
        (UNPACKED_WASM, &build_wasm().unwrap()),
        (DEVELOPMENT_SETTINGS, &settings),
    ] {
        fs::copy(file, folder.path().join(name)).unwrap();
    }
    folder
}

/// Says where the local server is had, where there is none.
fn names_the_local_server(folder: &Path) {
    let (mut command, _home) = checks::command(folder, &[]);
    for option in ["--addr", "--store-addr", "--origin-addr"] {
        command.arg(option).arg("127.0.0.1:0");
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("https://github.com/fastly/Viceroy/releases") && !said.contains("cargo"),
        "{said}"
    );
}

#[test]
fn the_program_the_wasm_and_the_settings_are_all_that_a_demo_needs_besides_the_local_server() {
    let folder = unpacked();
    checks::serves_without_a_compiler(folder.path());
    names_the_local_server(folder.path());
}
