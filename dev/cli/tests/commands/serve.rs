//! `cargo dev serve` as a child: it comes up, and however it ends, nothing stays behind.

#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

use harness::origin::Origin;
use harness::ports::free_addr;
use upstash_local::{Server, Store};

struct Serving {
    child: Child,
    addrs: [SocketAddr; 3],
    descendants: Vec<Pid>,
}

impl Serving {
    fn start(crowd: &str) -> Self {
        let addrs = free_addrs();
        let [edge, store, origin] = addrs.map(|addr| addr.to_string());
        let mut child = Command::new(env!("CARGO_BIN_EXE_dev"))
            .args([
                "serve",
                "--addr",
                &edge,
                "--store-addr",
                &store,
                "--origin-addr",
                &origin,
                "--crowd",
                crowd,
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said: Vec<String> = BufReader::new(child.stdout.as_mut().unwrap())
            .lines()
            .map_while(Result::ok)
            .take_while(|line| !line.starts_with("ready after "))
            .collect();
        let descendants = descendants(child.id());
        assert!(!descendants.is_empty(), "it was never ready: {said:?}");
        Self {
            child,
            addrs,
            descendants,
        }
    }

    fn url(&self, path: &str) -> String {
        let [edge, ..] = self.addrs;
        format!("http://{edge}{path}")
    }

    /// Whether this is behind no line.
    fn shows(&self, path: &str, words: &str) -> bool {
        let mut page = ureq::get(self.url(path)).call().unwrap();
        page.body_mut().read_to_string().unwrap().contains(words)
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().cast_signed()), signal).unwrap();
    }

    /// Half a minute after its end at the latest, its processes are gone and its ports free.
    fn leaves_nothing(&self) -> bool {
        (0..300).any(|_| {
            sleep(Duration::from_millis(100));
            let alive = processes().into_iter().map(|(pid, _)| pid);
            let is_free = |addr: &SocketAddr| TcpListener::bind(addr).is_ok();
            !alive.into_iter().any(|pid| self.descendants.contains(&pid))
                && self.addrs.iter().all(is_free)
        })
    }
}

/// A test that fails ends it too; its guards end the rest.
impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_addrs() -> [SocketAddr; 3] {
    [(); 3].map(|()| free_addr().unwrap())
}

/// Id and parent of every process that has not ended.
fn processes() -> Vec<(Pid, Pid)> {
    let output = Command::new("ps")
        .args(["-eo", "pid=,ppid=,stat="])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let row = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let [pid, parent, state] = words.as_slice() else {
            return None;
        };
        let id = |word: &str| word.parse().ok().map(Pid::from_raw);
        (!state.starts_with('Z')).then_some((id(pid)?, id(parent)?))
    };
    text.lines().filter_map(row).collect()
}

fn descendants(of: u32) -> Vec<Pid> {
    let mut family = vec![Pid::from_raw(of.cast_signed())];
    let processes = processes();
    let mut place = 0;
    while let Some(parent) = family.get(place).copied() {
        let children = processes.iter().filter(|(_, of)| *of == parent);
        family.extend(children.map(|(pid, _)| *pid));
        place += 1;
    }
    family.split_off(1)
}

#[test]
fn it_shows_the_sheet_of_states_and_sigterm_ends_it_well_with_no_process_and_no_port_left() {
    let mut serving = Serving::start("0");
    let health = ureq::get(serving.url("/_queue/healthz")).call().unwrap();
    assert_eq!(health.status(), 200);
    assert!(serving.shows("/_demo", "Every state side by side"));
    assert!(serving.shows("/_demo/page/next/en/brand", "You"));
    serving.signal(Signal::SIGTERM);
    assert!(serving.child.wait().unwrap().success());
    assert!(serving.leaves_nothing());
}

/// What it says instead of serving, before anything is built.
fn refused(options: &[&str]) -> String {
    let [edge, store, origin] = free_addrs().map(|addr| addr.to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["serve", "--addr", &edge, "--store-addr", &store])
        .args(["--origin-addr", &origin])
        .args(options)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8(said).unwrap();
    assert!(!output.status.success(), "{said}");
    assert!(!said.contains("ready"), "{said}");
    said
}

#[test]
fn a_dead_origin_and_a_store_that_refuses_or_is_none_are_named_and_nothing_is_ready() {
    let [dead, addr, _] = free_addrs();
    let dead = format!("http://{dead}");
    let said = refused(&["--origin", &dead]);
    assert!(
        said.contains(&format!("The origin {dead} does not answer")),
        "{said}"
    );
    refused(&["--redis", &dead.replace("http", "redis")]);
    let said = refused(&["--store", &dead, "--store-token", "never-shown"]);
    assert!(
        said.contains(&format!("The store {dead} does not answer")),
        "{said}"
    );
    assert!(!said.contains("never-shown"), "{said}");
    let store = Server::start(Store::embedded("right").unwrap(), addr).unwrap();
    let said = refused(&["--store", &store.url(), "--store-token", "never-shown"]);
    assert!(said.contains("refuses the token (401)"), "{said}");
    assert!(!said.contains("never-shown"), "{said}");
    let shop = Origin::start(free_addrs()[2]).unwrap();
    let said = refused(&["--store", &shop.url(), "--store-token", "never-shown"]);
    assert!(said.contains("not as Upstash does"), "{said}");
}

#[test]
fn the_line_has_a_past_hour_and_the_first_visitor_waits_behind_others() {
    let serving = Serving::start("20");
    // The edge or its store may be late on a busy machine.
    let status = || {
        let status = ureq::get(serving.url("/_queue/status"));
        let bearer = "Bearer development-only-admin-token";
        status.header("authorization", bearer).call().ok()
    };
    let mut status = (0..100).find_map(|_| {
        sleep(Duration::from_millis(200));
        status()
    });
    let status = status.as_mut().unwrap();
    let status = status.body_mut().read_to_string().unwrap();
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    let length = status.get("length").and_then(serde_json::Value::as_u64);
    assert!(length > Some(1200), "an hour of visitors: {status}");
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .build()
        .into();
    // The first answer sets a cookie, and the second has the number. A busy machine may need more.
    let mut cookie = String::new();
    let ahead = (0..100).find_map(|_| {
        let page = agent
            .get(serving.url("/"))
            .header("accept", "application/json");
        let mut answer = page.header("cookie", &cookie).call().unwrap();
        if let Some(set) = answer.headers().get("set-cookie") {
            let set = set.to_str().unwrap();
            cookie = set.split(';').next().unwrap().to_owned();
        }
        let place = answer.body_mut().read_to_string().unwrap();
        let place: serde_json::Value = serde_json::from_str(&place).unwrap_or_default();
        sleep(Duration::from_millis(200));
        place.get("ahead").and_then(serde_json::Value::as_u64)
    });
    assert!(ahead > Some(0), "{ahead:?}");
}

#[test]
fn even_a_killed_one_leaves_no_process_and_no_port() {
    let mut serving = Serving::start("0");
    serving.signal(Signal::SIGKILL);
    serving.child.wait().unwrap();
    assert!(serving.leaves_nothing());
}

#[test]
fn an_edge_that_ends_by_itself_is_reported() {
    let mut serving = Serving::start("0");
    // The edge has a guard, and their ids do not say which is which.
    for pid in &serving.descendants {
        let _ = killpg(*pid, Signal::SIGKILL);
    }
    let mut said = String::new();
    let stderr = serving.child.stderr.take().unwrap();
    for line in BufReader::new(stderr).lines().map_while(Result::ok) {
        said.push_str(&line);
    }
    assert_eq!(serving.child.wait().unwrap().code(), Some(1));
    assert!(said.contains("The edge ended by itself"), "{said}");
    assert!(serving.leaves_nothing());
}

#[test]
fn a_busy_port_is_named_with_its_use_and_the_option_to_change_it() {
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = busy.local_addr().unwrap().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["serve", "--addr", "127.0.0.1:0", "--store-addr", &addr])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    for part in [
        busy.local_addr().unwrap().port().to_string().as_str(),
        "local store",
        "--store-addr",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn a_misspelt_setting_is_named_with_those_there_are() {
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args([
            "serve",
            "--addr",
            "127.0.0.1:0",
            "--store-addr",
            "127.0.0.1:0",
        ])
        .args(["--origin-addr", "127.0.0.1:0", "--set", "automtic=1"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("no setting automtic") && said.contains("automatic_quantity"),
        "{said}"
    );
}

#[test]
fn settings_the_service_does_not_accept_are_named_and_nothing_stays_running() {
    let [edge, store, origin] = free_addrs().map(|addr| addr.to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_dev"))
        .args(["serve", "--addr", &edge, "--store-addr", &store])
        .args(["--origin-addr", &origin, "--set", "automatic=often"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let expected = r#"automatic is "often"; accepted is a whole number from 0 to 86400"#;
    assert!(said.contains(expected), "{said}");
}
