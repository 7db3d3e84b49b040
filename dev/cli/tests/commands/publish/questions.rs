//! From a copy of this checkout, and from a package alone, to an active version: what the CLI asks on a terminal, answered.

use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use development::fastly_api::{Api, SERVICE};
use harness::project::{self, project};
use nix::pty::openpty;

use super::{command, form, shell, succeeds};

/// The questions that have no good default, by what stands before each, and the answers. The CLI asks again for a host that
/// it cannot look up.
const SIX: [(&str, &str); 6] = [
    ("called 'protected_content'", "localhost"),
    ("called 'upstash'", "127.0.0.2"),
    ("called 'upstash_url'", "https://eu1-name.upstash.io"),
    (
        "called 'jwt_secret'",
        "development-only-jwt-secret-0123456789abcdef",
    ),
    ("called 'upstash_token'", "development-only-upstash-token"),
    ("called 'admin_password'", "development-only-password"),
];

/// How long the CLI may say nothing.
const PATIENCE: Duration = Duration::from_mins(2);

/// All that is read there, piece by piece.
fn pieces(source: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, pieces) = channel();
    let mut source = source;
    thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(read @ 1..) = source.read(&mut bytes) {
            let _ = sender.send(String::from_utf8_lossy(&bytes[..read]).into_owned());
        }
    });
    pieces
}

/// Answers what the CLI asks, everything but the six with Return. How often it asked, and how often each of the six.
fn answered(command: &mut Command) -> (usize, [usize; 6]) {
    let terminal = openpty(None, None).unwrap();
    let mut keyboard = File::from(terminal.master);
    command.stdin(Stdio::from(terminal.slave));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let errors = pieces(child.stderr.take().unwrap());
    let said = pieces(child.stdout.take().unwrap());
    let (mut all, mut since, mut asked, mut six) = (String::new(), String::new(), 0, [0; 6]);
    while let Ok(piece) = said.recv_timeout(PATIENCE) {
        all.push_str(&piece);
        since.push_str(&piece);
        // A secret has no default in brackets; elsewhere the brackets may come as a piece of their own.
        let is_secret = since.contains("Secret Store entry called") && since.ends_with("Value: ");
        if !is_secret && !since.ends_with("] ") {
            continue;
        }
        let found = SIX.iter().position(|(what, _)| since.contains(what));
        let answer = match found {
            Some(found) => {
                six[found] += 1;
                SIX[found].1
            }
            None if since.ends_with("[y/N] ") => "y",
            None => "",
        };
        asked += 1;
        keyboard
            .write_all(format!("{answer}\n").as_bytes())
            .unwrap();
        since.clear();
    }
    let _ = child.kill();
    let status = child.wait().unwrap();
    let errors: String = errors.iter().collect();
    assert!(status.success(), "{all}{errors}");
    (asked, six)
}

/// Everything that the service needs is made, with the answers in it.
fn is_made(api: &Api) {
    let changes = api.changes();
    let at = |part: &str| {
        changes
            .iter()
            .filter(|change| change.contains(part))
            .count()
    };
    let made = ["/backend", "/item/", "/secrets", "/version/1/resource"].map(at);
    assert_eq!(made, [2, 2, 3, 2], "{changes:?}");
    let version = format!("PUT /service/{SERVICE}/version/1");
    let last = [format!("{version}/package"), format!("{version}/activate")];
    assert!(changes.ends_with(&last), "{changes:?}");
    let hosts: Vec<_> = api
        .seen()
        .iter()
        .filter(|seen| seen.line.ends_with("/backend"))
        .flat_map(|seen| form(&seen.body()))
        .filter(|(key, _)| key == "address")
        .map(|(_, host)| host)
        .collect();
    assert!(
        SIX[..2]
            .iter()
            .all(|(_, host)| hosts.contains(&(*host).to_owned())),
        "{hosts:?}"
    );
}

fn setup(manifest: &Path) -> (toml::Value, toml::Value) {
    let manifest: toml::Table = toml::from_str(&fs::read_to_string(manifest).unwrap()).unwrap();
    (manifest["setup"].clone(), manifest["scripts"].clone())
}

/// `publish` is a build, a pack and this deploy. The build is left out: it would compile everything in the new folder.
#[test]
fn a_copy_and_a_package_alone_lead_to_a_service_by_six_answers() {
    let folder = tempfile::tempdir().unwrap();
    let [copy, mine, empty] = ["copy", "mine", "empty"].map(|name| folder.path().join(name));
    fs::create_dir(&mine).unwrap();
    fs::create_dir(&empty).unwrap();
    let root = &project().unwrap().root;
    let wasm = project::build_wasm().unwrap();
    let [from, to, wasm] = [&copy, &mine, &wasm].map(|path| path.display().to_string());
    let api = Api::start().unwrap();
    let begin = format!(
        "git clone --quiet . {from}
        cd {to}
        fastly compute init --from {from} --non-interactive
        fastly compute pack --wasm-binary {wasm}"
    );
    succeeds(&shell(&api, folder.path(), &begin));
    assert_eq!(
        setup(&mine.join("fastly.toml")),
        setup(&root.join("fastly.toml"))
    );
    let deploy = "fastly compute deploy --status-check-off";
    for (place, deploy) in [
        (&mine, deploy.to_owned()),
        (&empty, format!("{deploy} --package {to}/pkg/mine.tar.gz")),
    ] {
        let api = Api::start().unwrap();
        let script = format!(
            "unset FASTLY_SERVICE_ID; cd {}; exec {deploy}",
            place.display()
        );
        let (asked, six) = answered(&mut command(&api, folder.path(), &script));
        assert_eq!((asked, six), (12, [1; 6]), "{deploy}");
        is_made(&api);
    }
}
