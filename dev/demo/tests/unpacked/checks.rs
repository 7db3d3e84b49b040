//! What the folder of a demo does on a machine that has nothing but the local server. The suite asks it of the usual build, and
//! `dev/cli/tests/commands/release.rs` of the archive of a release.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use harness::ports::free_addr;
use harness::{tools, viceroy};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// A demo that runs. A test that fails ends it too.
struct Demo {
    child: Child,
    addrs: [SocketAddr; 3],
}

impl Drop for Demo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Its program, with no other in the `PATH` than these.
pub(crate) fn command(folder: &Path, programs: &[(&str, &Path)]) -> (Command, tempfile::TempDir) {
    let home = tempfile::tempdir().unwrap();
    for (name, program) in programs {
        symlink(program, home.path().join(name)).unwrap();
    }
    let mut command = Command::new(folder.join("serve"));
    command
        .current_dir(home.path())
        .env_clear()
        .env("PATH", home.path())
        .env("HOME", home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    (command, home)
}

/// Starts it, draws a number behind its crowd, opens the panel, and ends it.
pub(crate) fn serves_without_a_compiler(folder: &Path) {
    let [shell, server] = [tools::on_path("sh").unwrap(), viceroy::viceroy().unwrap()];
    let (mut command, _home) = command(folder, &[("sh", &shell), ("viceroy", &server)]);
    let addrs = [(); 3].map(|()| free_addr().unwrap());
    for (option, addr) in ["--addr", "--store-addr", "--origin-addr"]
        .iter()
        .zip(addrs)
    {
        command.arg(option).arg(addr.to_string());
    }
    let began = Instant::now();
    let child = command.stderr(Stdio::inherit()).spawn().unwrap();
    let mut demo = Demo { child, addrs };
    let said: Vec<String> = BufReader::new(demo.child.stdout.as_mut().unwrap())
        .lines()
        .map_while(Result::ok)
        .take_while(|line| !line.starts_with("ready after "))
        .collect();
    assert!(demo.child.try_wait().unwrap().is_none(), "{said:?}");
    println!("The demo was ready after {:.1?}.", began.elapsed());
    assert!(demo.ahead() > 0, "the crowd came before");
    let panel = demo
        .get(
            "/_queue",
            [("accept", "text/html"), ("authorization", PANEL)],
        )
        .unwrap()
        .1;
    assert!(panel.contains("Hold the line"), "{panel}");
    kill(
        Pid::from_raw(demo.child.id().cast_signed()),
        Signal::SIGTERM,
    )
    .unwrap();
    assert!(demo.child.wait().unwrap().success());
    let is_free = |addr: &SocketAddr| TcpListener::bind(addr).is_ok();
    let leaves_nothing = || running_in(folder) == 0 && demo.addrs.iter().all(is_free);
    let ends = (0..300).any(|_| {
        sleep(Duration::from_millis(100));
        leaves_nothing()
    });
    assert!(ends, "{} processes are left", running_in(folder));
}

/// `admin:development-only-password`.
const PANEL: &str = "Basic YWRtaW46ZGV2ZWxvcG1lbnQtb25seS1wYXNzd29yZA==";

impl Demo {
    /// The cookie of an answer, and its body.
    fn get(&self, path: &str, headers: [(&str, &str); 2]) -> Option<(Option<String>, String)> {
        let [edge, ..] = self.addrs;
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .build();
        let agent: ureq::Agent = agent.into();
        let asked = agent.get(format!("http://{edge}{path}"));
        let with = headers.into_iter();
        let asked = with.fold(asked, |asked, (name, value)| asked.header(name, value));
        let mut answer = asked.call().ok()?;
        let cookie = answer.headers().get("set-cookie").cloned();
        let cookie = cookie.and_then(|set| Some(set.to_str().ok()?.split(';').next()?.to_owned()));
        Some((cookie, answer.body_mut().read_to_string().ok()?))
    }

    /// How many visitors are before a new one. The first answer sets a cookie, and the second has the number. A busy machine may
    /// need more.
    fn ahead(&self) -> u64 {
        let mut cookie = String::new();
        let ahead = (0..100).find_map(|_| {
            let (set, body) =
                self.get("/", [("accept", "application/json"), ("cookie", &cookie)])?;
            cookie = set.unwrap_or_else(|| cookie.clone());
            let place: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
            sleep(Duration::from_millis(200));
            place.get("ahead").and_then(serde_json::Value::as_u64)
        });
        ahead.unwrap()
    }
}

/// How many processes run in a folder, or run a program of it.
fn running_in(folder: &Path) -> usize {
    let folder = fs::canonicalize(folder).unwrap();
    let processes = fs::read_dir("/proc").unwrap().map_while(Result::ok);
    let is_in = |process: &Path| {
        ["cwd", "exe"].iter().any(|link| {
            fs::read_link(process.join(link)).is_ok_and(|place| place.starts_with(&folder))
        })
    };
    processes.filter(|process| is_in(&process.path())).count()
}
