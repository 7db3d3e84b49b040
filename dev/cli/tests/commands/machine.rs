//! What the commands make of the machine they run on.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use harness::ports::free_addr;

/// A folder of programs that has nothing but the ones named, as far as they are here.
fn programs(names: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for name in names {
        let found = std::env::split_paths(&path).map(|folder| folder.join(name));
        if let Some(program) = found.into_iter().find(|program| program.is_file()) {
            symlink(program, folder.path().join(name)).unwrap();
        }
    }
    folder
}

#[test]
fn doctor_says_what_is_missing_how_it_would_come_and_how_large_it_is_and_installs_nothing() {
    let path = programs(&["rustc", "rustup", "cargo", "cc", "sh"]);
    let cache = tempfile::tempdir().unwrap();
    let cache = cache.path().join("none");
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .arg("doctor")
        .env("PATH", path.path())
        .env("NOW_SERVING_CACHE", &cache)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(!said.contains('\u{1b}'), "no colours in a pipe: {said}");
    for told in [
        "missing  npm",
        "missing  Viceroy                  the local server that runs the Wasm; by the Fastly CLI, else compiled in some 10 minutes, about 56 MB",
        "missing  Redis                    test: to compare the local store with; apt-get: redis-server, about 7 MB",
        "missing  Chromium and its driver  test: the browser journeys; apt-get: chromium chromium-driver fonts-dejavu-core, about 443 MB",
        "missing  Firefox and its driver   test: stories in every browser; apt-get: firefox-esr, and geckodriver compiled in some 2 minutes, about 350 MB",
        "missing  WebKit and its driver    test: stories in every browser; apt-get: webkit2gtk-driver xvfb, about 210 MB",
        "missing  Turbo                    test: a site that loads its pages with it; npm, about 1 MB",
        "missing  Schemathesis",
        "missing  Python                   test: the examples in Python; apt-get: python3, about 20 MB",
        "install what is missing when they need it: about ",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
    assert!(said.contains("ok       rustc"), "{said}");
    assert!(!cache.exists(), "it only looks");
}

fn dev(words: &[&str], path: &Path, cache: &Path) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(words)
        .env("PATH", path)
        .env("NOW_SERVING_CACHE", cache)
        .env_remove("NOW_SERVING_TOKEN")
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

/// The shipped program names itself: `cli/tests/alone/main.rs`.
#[test]
fn a_text_of_a_command_for_operators_names_cargo_dev_in_a_checkout() {
    let empty = tempfile::tempdir().unwrap();
    let words = ["probe", "--service", "http://127.0.0.1:1", "--token"];
    let (code, said) = dev(&words, empty.path(), empty.path());
    assert_eq!(code, Some(1));
    assert!(said.contains(" cargo dev probe …"), "{said}");
}

#[test]
fn doctor_says_of_a_machine_with_nothing_on_its_path_that_all_is_missing() {
    let empty = tempfile::tempdir().unwrap();
    let (code, said) = dev(&["doctor"], empty.path(), &empty.path().join("none"));
    assert_eq!(code, Some(1), "{said}");
    for told in [
        "missing  rustc                    Rust 1.95 or later, https://rustup.rs",
        "missing  npm                      by apt-get or Homebrew, about 250 MB",
        "missing  Fastly CLI",
        "MB in all.",
    ] {
        assert!(said.contains(told), "{told}: {said}");
    }
}

#[test]
fn homebrew_is_asked_where_there_is_no_apt_and_without_either_the_names_are_told() {
    let path = programs(&["rustc", "cargo", "sh"]);
    let cache = tempfile::tempdir().unwrap();
    let out = cache.path().join("pictures").display().to_string();
    let pictures = ["pictures", "--out", &out];
    let (code, said) = dev(&pictures, path.path(), cache.path());
    assert_eq!(code, Some(1), "{said}");
    assert!(
        said.contains("Not there: chromium chromium-driver"),
        "{said}"
    );
    let asked = cache.path().join("asked");
    let brew = path.path().join("brew");
    fs::write(
        &brew,
        format!("#!/bin/sh\necho \"$@\" > {}\n", asked.display()),
    )
    .unwrap();
    fs::set_permissions(&brew, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, said) = dev(&pictures, path.path(), cache.path());
    assert_eq!(
        fs::read_to_string(asked).unwrap(),
        "install google-chrome chromedriver\n",
        "{said}"
    );
    assert!(said.contains("is still not found"), "{said}");
}

#[test]
fn a_mistyped_command_or_option_is_told_what_was_meant() {
    let here = tempfile::tempdir().unwrap();
    for (words, meant) in [
        (&["srve"][..], "a similar subcommand exists: 'serve'"),
        (
            &["serve", "--crwd", "3"],
            "a similar argument exists: '--crowd'",
        ),
    ] {
        let (code, said) = dev(words, here.path(), here.path());
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(meant), "{said}");
    }
}

#[test]
fn bash_completes_commands_and_options_by_the_script_for_it() {
    let script = r#"eval "$("$0" completion bash)"
        complete() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dev dev "${!#}" "${@: -2:1}"; echo "${COMPREPLY[*]}"; }
        complete dev pic; complete dev serve --cro; type dev"#;
    let output = Command::new("bash")
        .args(["--norc", "-c", script, env!("CARGO_BIN_EXE_dev")])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = said.lines();
    assert_eq!(lines.next(), Some("pictures"), "{said}");
    assert_eq!(lines.next(), Some("--crowd"), "{said}");
    assert!(said.contains("cargo dev \"$@\""), "{said}");
    let here = tempfile::tempdir().unwrap();
    for shell in ["zsh", "fish"] {
        let (code, said) = dev(&["completion", shell], here.path(), here.path());
        assert_eq!(code, Some(0));
        assert!(said.contains("dev") && said.contains("crowd"), "{said}");
    }
}

#[test]
fn backends_run_the_store_and_the_shop_and_nothing_else() {
    let [store, origin] = [(); 2].map(|()| free_addr().unwrap().to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["backends", "--store-addr", &store, "--origin-addr", &origin])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said: Vec<String> = lines
        .map_while(Result::ok)
        .take_while(|line| line != "ready")
        .collect();
    assert!(
        said.iter()
            .any(|line| line.contains("fastly compute serve")),
        "{said:?}"
    );
    let shop = ureq::get(format!("http://{origin}/")).call().unwrap();
    assert_eq!(shop.status(), 200);
    let settings = fs::read_to_string(
        harness::project::project()
            .unwrap()
            .root
            .join("devconfig.json"),
    );
    let settings: serde_json::Value = serde_json::from_str(&settings.unwrap()).unwrap();
    let token = settings
        .get("upstash_token")
        .and_then(serde_json::Value::as_str);
    let pong = ureq::post(format!("http://{store}/"))
        .header("authorization", format!("Bearer {}", token.unwrap()))
        .send(r#"["PING"]"#)
        .unwrap();
    assert_eq!(pong.status(), 200);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGTERM).unwrap();
    assert!(child.wait().unwrap().success());
}
