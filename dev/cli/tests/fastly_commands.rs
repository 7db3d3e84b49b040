//! Fastly's own commands on this checkout: they need nothing but `fastly.toml`.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use harness::ports::free_addr;
use harness::process::Group;
use harness::project::project;
use harness::{tools, viceroy};

fn fastly(words: &[&str]) -> Command {
    let mut command = Command::new(tools::fastly_cli().unwrap());
    command
        .args(words)
        .args(["--non-interactive", "--quiet"])
        .current_dir(&project().unwrap().root)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn succeeds(words: &[&str]) {
    let output = fastly(words).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{words:?}: {said}");
}

#[test]
fn build_pack_validate_and_serve_work_on_their_own() {
    let package = "pkg/now-serving.tar.gz";
    succeeds(&["compute", "build", "--metadata-disable"]);
    succeeds(&["compute", "validate", "--package", package]);
    succeeds(&["compute", "pack", "--wasm-binary", "bin/main.wasm"]);
    succeeds(&["compute", "validate", "--package", package]);
    serves();
}

/// `serve` finds no store and no origin here; the health of the configuration needs neither, and the log says what to start.
fn serves() {
    let addr = free_addr().unwrap().to_string();
    let viceroy = viceroy::viceroy().unwrap().display().to_string();
    let words = ["compute", "serve", "--metadata-disable", "--addr", &addr];
    let mut command = fastly(&words);
    command.args(["--viceroy-path", &viceroy]);
    let mut group = Group::start(&mut command).unwrap();
    let (said, heard) = mpsc::channel();
    group.follow(move |line| drop(said.send(line)));
    let says = |what: &str| {
        let mut lines = std::iter::from_fn(|| heard.recv_timeout(Duration::from_mins(3)).ok());
        lines.any(|line| line.contains(what))
    };
    assert!(says("Listening on"), "it never listened");
    let health = ureq::get(format!("http://{addr}/_queue/healthz"))
        .call()
        .unwrap();
    assert_eq!(health.status(), 200);
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let page = agent.get(format!("http://{addr}/")).call();
    assert_eq!(page.unwrap().status(), 503);
    assert!(
        says("cargo dev backends"),
        "the log does not say what to start"
    );
}
