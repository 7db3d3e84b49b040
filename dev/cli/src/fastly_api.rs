//! A stand-in for Fastly's API: remembers what it was asked, and answers as much as the CLI needs to go on.
//!
//! It knows one service with versions, which are locked once they are active. It shows what the CLI asks for, not
//! whether Fastly would grant it.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use serde_json::{Value, json};

/// What signs the key to which the CLI encrypts secrets, that key, and its signature: the halves of two pairs that are
/// public, made for these checks.
const SIGNING_KEY: &str = "8MtflRPuC3qZSpoetSCpeywcwkNPhbncg3Utlu5HU6Q=";
const CLIENT_KEY: &str = "GQYyhfQIE8OcHb4A0sGjzHK3RwxcgqcbFpqGlo8c7T4=";
const SIGNATURE: &str =
    "2MXBxCJ2BWtuIKZZkgCRXEa3WIUUEvDGw3Hc1OLyl0mepYnWptleGUaEQddPpJtMPBS6L6vc0XOM+g5IFgTIDg==";

/// The id of its one service.
pub const SERVICE: &str = "made-service";

/// One request of the CLI.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Such as `PUT /service/made-service/version/1/activate`.
    pub line: String,
    /// As it came.
    pub bytes: Vec<u8>,
}

impl Seen {
    /// The body of a request that sends text.
    #[must_use]
    pub fn body(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// How far the service has come.
#[derive(Debug, Default)]
struct State {
    seen: Vec<Seen>,
    /// The newest version, from 1 once there is a service.
    version: u64,
    is_active: bool,
}

/// The stand-in, as long as its process lives.
#[derive(Debug)]
pub struct Api {
    url: String,
    state: Arc<Mutex<State>>,
}

impl Api {
    /// Listens on a port of its own.
    ///
    /// # Errors
    /// When no port is free.
    pub fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let url = format!("http://{}", listener.local_addr()?);
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        // Ends with the process: nothing it holds outlives it.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                // The CLI may keep a connection open beside another one.
                let shared = Arc::clone(&shared);
                thread::spawn(move || answer(stream, &shared));
            }
        });
        Ok(Self { url, state })
    }

    /// What the CLI takes as `FASTLY_API_ENDPOINT` and `FASTLY_ACCOUNT_ENDPOINT`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it was asked so far, but for what the CLI wants to know before any command.
    #[must_use]
    pub fn seen(&self) -> Vec<Seen> {
        let seen = &locked(&self.state).seen;
        let is_asked = |seen: &&Seen| !seen.line.contains("/.well-known/");
        seen.iter().filter(is_asked).cloned().collect()
    }

    /// The requests that change something, without their bodies.
    #[must_use]
    pub fn changes(&self) -> Vec<String> {
        let lines = self.seen().into_iter().map(|seen| seen.line);
        lines.filter(|line| !line.starts_with("GET ")).collect()
    }
}

fn locked(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One request, one answer.
fn answer(stream: TcpStream, state: &Mutex<State>) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_owned());
    }
    let length = head.iter().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let is_length = name.eq_ignore_ascii_case("content-length");
        is_length.then(|| value.trim().parse::<u64>().ok())?
    });
    let mut body = Vec::new();
    let wanted = length.unwrap_or_default();
    let read = reader.by_ref().take(wanted).read_to_end(&mut body);
    let target = head.first().cloned().unwrap_or_default();
    let mut words = target.split(' ');
    let (Ok(_), Some(method), Some(target)) = (read, words.next(), words.next()) else {
        return;
    };
    let path = target.split('?').next().unwrap_or_default();
    let told = {
        let mut state = locked(state);
        state.seen.push(Seen {
            line: format!("{method} {path}"),
            bytes: body,
        });
        state.told(method, path).to_string()
    };
    let length = told.len();
    let answer = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{told}"
    );
    // The CLI may have stopped to read.
    let _ = reader.get_mut().write_all(answer.as_bytes());
}

impl State {
    /// What Fastly would say, as far as the CLI looks at it.
    fn told(&mut self, method: &str, path: &str) -> Value {
        let parts: Vec<&str> = path.split('/').skip(1).collect();
        match (method, &parts[..]) {
            ("POST", ["service"]) => {
                self.version = 1;
                json!({ "id": SERVICE, "name": "now-serving", "type": "wasm" })
            }
            ("GET", ["service", _, "details"]) => json!({
                "id": SERVICE, "name": "now-serving", "type": "wasm",
                "active_version": self.is_active.then(|| self.newest()),
                "version": self.newest(), "versions": [self.newest()],
            }),
            ("GET", ["service", _, "version"]) => json!([self.newest()]),
            ("PUT", [.., "clone"]) => {
                (self.version, self.is_active) = (self.version + 1, false);
                self.newest()
            }
            ("PUT", [.., "activate"]) => {
                self.is_active = true;
                self.newest()
            }
            ("GET", ["service", _, "version", number]) => {
                self.version(number.parse().unwrap_or_default())
            }
            ("GET", [.., "domain"] | ["resources", "stores", "config"]) => json!([]),
            ("GET", ["resources", "stores", "secret", "signing-key"]) => {
                json!({ "signing_key": SIGNING_KEY })
            }
            ("POST", ["resources", "stores", "secret", "client-key"]) => json!({
                "public_key": CLIENT_KEY, "signature": SIGNATURE, "expires_at": "2100-01-01T00:00:00Z",
            }),
            ("GET", ["resources", "stores", ..]) => json!({ "data": [], "meta": {} }),
            _ => json!({ "id": "made", "name": "made", "status": "ok" }),
        }
    }

    fn newest(&self) -> Value {
        self.version(self.version)
    }

    /// Whatever is older than the newest was active once.
    fn version(&self, number: u64) -> Value {
        let is_newest = number == self.version;
        json!({
            "service_id": SERVICE, "number": number,
            "active": is_newest && self.is_active, "locked": !is_newest || self.is_active,
        })
    }
}
