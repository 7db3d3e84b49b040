//! Where `cargo dev serve` takes the local server from, on a machine that has none, by the real Fastly CLI.
//!
//! The CLI asks the site of Fastly's developers where a release is; here a stand-in behind a proxy answers, as that site.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use harness::ports::free_addr;
use harness::{tools, viceroy};

use crate::tls::acceptor;

/// As much as a start may say, however little is there.
const MOST_LINES: usize = 40;

/// A machine of its own: what is on its PATH, its cache and its configuration.
struct Machine {
    folder: tempfile::TempDir,
    /// The local server of the machine that the test runs on.
    real: PathBuf,
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            folder: tempfile::tempdir().unwrap(),
            real: viceroy::viceroy().unwrap(),
        };
        fs::create_dir(machine.path("bin")).unwrap();
        for name in ["rustc", "rustup", "cargo", "cc", "sh"] {
            symlink(
                tools::on_path(name).unwrap(),
                machine.path("bin").join(name),
            )
            .unwrap();
        }
        symlink(tools::fastly_cli().unwrap(), machine.path("bin/fastly")).unwrap();
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn has(&self, program: &str, script: &str) {
        let path = self.path("bin").join(program);
        let _ = fs::remove_file(&path);
        write_program(&path, script);
    }

    /// All that the command says until the room is ready. It is ended then.
    fn serve(&self, variables: &[(&str, &str)]) -> Vec<String> {
        let [edge, store, origin] = [(); 3].map(|()| free_addr().unwrap().to_string());
        let mut child = Command::new("/bin/sh")
            .args(["-c", r#"exec "$0" "$@" 2>&1"#, env!("CARGO_BIN_EXE_dev")])
            .args(["serve", "--no-build", "--crowd", "0", "--addr", &edge])
            .args(["--store-addr", &store, "--origin-addr", &origin])
            .env("PATH", self.path("bin"))
            .env("NOW_SERVING_CACHE", self.path("cache"))
            .env("XDG_CONFIG_HOME", self.path("configuration"))
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            said.push(line.unwrap());
            if said.last().unwrap().starts_with("ready after ") {
                let pid = Pid::from_raw(child.id().cast_signed());
                kill(pid, Signal::SIGTERM).unwrap();
            }
        }
        assert!(child.wait().unwrap().success(), "{said:#?}");
        said
    }

    fn cached(&self) -> PathBuf {
        let root = format!("cache/viceroy-{}", viceroy::VICEROY_VERSION);
        self.path(&root).join("bin/viceroy")
    }
}

fn write_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn many(said: &[String], words: &str) -> usize {
    said.iter().filter(|line| line.contains(words)).count()
}

#[test]
fn one_that_is_too_old_is_named_and_the_cli_downloads_the_right_one() {
    let machine = Machine::new();
    machine.has("viceroy", "echo viceroy 0.9.7");
    let script = format!(r#"exec {} "$@""#, machine.real.display());
    let releases = Releases::start(machine.folder.path(), &script);
    let authority = releases.authority.display().to_string();
    let said = machine.serve(&[
        ("HTTPS_PROXY", &format!("http://{}", releases.proxy)),
        ("SSL_CERT_FILE", &authority),
    ]);
    assert_eq!(
        many(&said, "is version 0.9.7 and is not taken"),
        1,
        "{said:#?}"
    );
    assert_eq!(many(&said, "compiled"), 0, "{said:#?}");
    assert!(
        fs::read_to_string(machine.cached())
            .unwrap()
            .contains(&script)
    );
    assert!(
        !machine.path("configuration/fastly/viceroy").exists(),
        "the CLI of this user has no other copy than before"
    );
    let asked = releases.asked.lock().unwrap();
    assert!(
        asked.iter().any(|line| line.contains("viceroy_v0.22.0_")),
        "the version that belongs to this project: {asked:?}"
    );
    assert!(said.len() <= MOST_LINES, "{} lines: {said:#?}", said.len());
}

#[test]
fn a_download_that_fails_is_one_line_and_it_is_compiled() {
    let machine = Machine::new();
    let cargo = tools::on_path("cargo").unwrap();
    let (cargo, real) = (cargo.display(), machine.real.display());
    // `install viceroy --version 0.22.0 --locked --root FOLDER`, without its ten minutes.
    machine.has(
        "cargo",
        &format!(
            r#"[ "$1" = install ] || exec {cargo} "$@"
{{ command -p mkdir -p "$7/bin" && command -p ln -s {real} "$7/bin/viceroy"; }}"#
        ),
    );
    let said = machine.serve(&[("HTTPS_PROXY", "http://127.0.0.1:1")]);
    assert_eq!(
        many(&said, "downloads no local server here"),
        1,
        "{said:#?}"
    );
    assert_eq!(many(&said, "connection refused"), 1, "{said:#?}");
    assert_eq!(fs::read_link(machine.cached()).unwrap(), machine.real);
    assert!(said.len() <= MOST_LINES, "{} lines: {said:#?}", said.len());
}

/// Fastly's list of releases, and a release.
struct Releases {
    _runtime: Runtime,
    proxy: SocketAddr,
    authority: PathBuf,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Releases {
    /// With a local server that is this script.
    fn start(folder: &Path, script: &str) -> Self {
        write_program(&folder.join("viceroy"), script);
        let packed = Command::new("tar")
            .args(["czf", "-", "viceroy"])
            .current_dir(folder)
            .output()
            .unwrap()
            .stdout;
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let plain = answers(packed, Arc::clone(&asked));
        let authority = folder.join("authority.pem");
        let acceptor = acceptor("developer.fastly.com", &authority);
        let runtime = Runtime::new().unwrap();
        let bound = tokio::net::TcpListener::bind("127.0.0.1:0");
        let listener = runtime.block_on(bound).unwrap();
        let proxy = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let acceptor = acceptor.clone();
                tokio::spawn(tunnel(stream, acceptor, plain));
            }
        });
        Self {
            _runtime: runtime,
            proxy,
            authority,
            asked,
        }
    }
}

/// A proxy that does not go where it is asked to: it speaks TLS itself, and hands on what is in it.
async fn tunnel(
    mut stream: TcpStream,
    acceptor: TlsAcceptor,
    plain: SocketAddr,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    stream
        .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        .await?;
    let mut stream = acceptor.accept(stream).await?;
    let mut plain = TcpStream::connect(plain).await?;
    copy_bidirectional(&mut stream, &mut plain).await?;
    Ok(())
}

/// Answers a request for a release with it, and any other with where the newest is.
fn answers(packed: Vec<u8>, asked: Arc<Mutex<Vec<String>>>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    let newest = format!(
        r#"{{"url":"http://{addr}/viceroy_v99.9.9_linux-amd64.tar.gz","version":"99.9.9"}}"#
    );
    // Ends with the process: nothing it holds outlives the test.
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream);
            let lines = reader.by_ref().lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let line = head.into_iter().next().unwrap_or_default();
            let body = if line.contains(".tar.gz") {
                packed.as_slice()
            } else {
                newest.as_bytes()
            };
            asked.lock().unwrap().push(line);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = reader
                .get_mut()
                .write_all(&[head.as_bytes(), body].concat());
        }
    });
    addr
}
