//! The program on a machine with nothing else, and what its texts say.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod checks;

use std::path::Path;

use checks::{Alone, does_the_work_of_operators};

const PROGRAM: &str = env!("CARGO_BIN_EXE_now-serving-cli");

#[test]
fn an_operator_with_nothing_but_the_program_makes_invitations_checks_plans_and_audits() {
    does_the_work_of_operators(Path::new(PROGRAM));
}

#[test]
fn what_is_missing_to_follow_the_guides_is_named() {
    let alone = Alone::with(Path::new(PROGRAM));
    let (code, said, _) = alone.run(&["doctor"], "");
    assert_eq!(code, Some(1));
    for missing in ["missing  fastly", "missing  curl"] {
        assert!(said.contains(missing), "{said}");
    }
}

/// With stand-ins for both programs.
#[cfg(unix)]
#[test]
fn the_doctor_says_whether_there_is_a_token_and_never_prints_it() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::process::Command;

    let folder = tempfile::tempdir().unwrap();
    let stand_in = |name: &str, script: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let doctor = || {
        let output = Command::new(PROGRAM)
            .arg("doctor")
            .env_clear()
            .env("PATH", folder.path())
            .output()
            .unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).unwrap())
    };
    stand_in(
        "curl",
        "echo 'curl 8.0.0 (x86_64-pc-linux-gnu) libcurl/8.0.0 OpenSSL/3.0.19 zlib/1.2.13 brotli/1.0.9'",
    );
    stand_in(
        "fastly",
        "[ \"$1\" = version ] && echo Fastly CLI version v16.1.0 || { echo the-token; exit 1; }",
    );
    let (code, said) = doctor();
    assert_eq!(code, Some(1));
    assert!(said.contains("ok       fastly"), "{said}");
    // What is to be done is read last, and no line is broken by a narrow window.
    let last = said.lines().last().unwrap_or_default();
    assert!(last.starts_with("missing  a token"), "{said}");
    assert!(said.lines().all(|line| line.len() <= 80), "{said}");
    stand_in(
        "fastly",
        "[ \"$1\" = version ] && echo Fastly CLI version v16.1.0 || echo the-token",
    );
    let (code, said) = doctor();
    assert_eq!(code, Some(0), "{said}");
    assert!(
        said.contains("Nothing is missing.") && !said.contains("the-token"),
        "{said}"
    );
}

#[test]
fn a_text_that_names_a_command_names_the_program_that_its_reader_has() {
    let alone = Alone::with(Path::new(PROGRAM));
    let words = ["probe", "--service", "http://127.0.0.1:1", "--token"];
    let (code, _, complained) = alone.run(&words, "");
    assert_eq!(code, Some(1));
    assert!(
        complained.contains(" now-serving probe …") && !complained.contains("cargo dev"),
        "{complained}"
    );
}

/// The workflow of a release tries each program by this script; here it runs on the usual build.
#[cfg(unix)]
#[test]
fn what_a_release_tries_a_program_by_passes_and_fails_with_another_program() {
    let smoke = concat!(env!("CARGO_MANIFEST_DIR"), "/../.ci/smoke");
    for (program, is_ours) in [(PROGRAM, true), ("true", false)] {
        let status = std::process::Command::new(smoke)
            .arg(program)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .status();
        assert_eq!(status.unwrap().success(), is_ours, "{program}");
    }
}

#[test]
fn the_script_of_a_shell_completes_the_commands() {
    let alone = Alone::with(Path::new(PROGRAM));
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let (code, said, _) = alone.run(&["completion", shell], "");
        assert_eq!(code, Some(0), "{shell}");
        assert!(
            said.contains("now-serving") && said.contains("invite"),
            "{shell}"
        );
    }
}
