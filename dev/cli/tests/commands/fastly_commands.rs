//! Fastly's own commands on this checkout: they need nothing but `fastly.toml`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test may stop at the first surprise"
)]

use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harness::origin::Origin;
use harness::ports::free_addr;
use harness::process::Group;
use harness::project::project;
use harness::{sandbox_dir, tools, viceroy};
use upstash_local::{Server, Store};

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
    let _alone = crate::checkout();
    let package = "pkg/now-serving.tar.gz";
    succeeds(&["compute", "build", "--metadata-disable"]);
    succeeds(&["compute", "validate", "--package", package]);
    succeeds(&["compute", "pack", "--wasm-binary", "bin/main.wasm"]);
    succeeds(&["compute", "validate", "--package", package]);
    serves();
}

/// `serve` finds no store and no origin at first; the health of the configuration needs neither, and the log says what to start. With
/// both where `fastly.toml` expects them, as `cargo dev backends` starts them, the first visitor goes in, the panel opens and a permit is
/// granted.
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
        .timeout_global(Some(Duration::from_secs(20)))
        .build()
        .into();
    let page = agent.get(format!("http://{addr}/")).call();
    assert_eq!(page.unwrap().status(), 503);
    assert!(
        says("cargo dev backends"),
        "the log does not say what to start"
    );
    let settings = sandbox_dir::development_settings().unwrap();
    let (store, origin) = (([127, 0, 0, 1], 8079), ([127, 0, 0, 1], 8080));
    let data = Store::embedded(&settings["upstash_token"]).unwrap();
    let _store = Server::start(data, store.into()).unwrap();
    let _origin = Origin::start(origin.into()).unwrap();
    let visit = || agent.get(format!("http://{addr}/")).call().unwrap();
    let mut visits = std::iter::repeat_with(visit).take(60);
    let first = visits.find(|answer| {
        thread::sleep(Duration::from_millis(500));
        answer.status() == 200
    });
    let first = first.expect("nobody went in");
    let mut cookies = first.headers().get_all("set-cookie").iter();
    let has_ticket = cookies.any(|cookie| cookie.to_str().unwrap().starts_with("queue="));
    assert!(has_ticket, "{first:?}");
    let password = STANDARD.encode(format!("admin:{}", settings["admin_password"]));
    let mut panel = agent
        .get(format!("http://{addr}/_queue"))
        .header("authorization", format!("Basic {password}"))
        .call()
        .unwrap();
    let shown = panel.body_mut().read_to_string().unwrap();
    assert!(
        panel.status() == 200 && shown.contains("id=\"let-in\""),
        "{shown}"
    );
    let (token, _) = settings["permit_token"].split_once(',').unwrap();
    let permit = agent
        .post(format!("http://{addr}/_queue/permit"))
        .header("authorization", format!("Bearer {token}"))
        .send_empty()
        .unwrap();
    assert_eq!(permit.status(), 200);
}
