//! A stand-in for Fastly's API: remembers what it was asked and what was made, and answers as much as the CLI needs to go on.
//!
//! It knows one service with versions, which are locked once they are active. A clone has what its version had. It shows what the CLI asks for, not whether Fastly would grant it: a test says what it does not grant.

use std::collections::BTreeMap;
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

/// The token that it takes.
pub const TOKEN: &str = "development-only-api-token";

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

/// What the account has, and how far the service has come.
#[derive(Debug, Default)]
struct State {
    seen: Vec<Seen>,
    /// The newest version, from 1 once there is a service.
    version: u64,
    /// The one that visitors get, or 0.
    active: u64,
    /// The service, as the API shows it.
    service: Option<Value>,
    /// Everything else, by the path it was made at.
    made: BTreeMap<String, Vec<Value>>,
    /// What the API would tell of the files in a package.
    files_hash: String,
    is_issued: bool,
    refusals: Vec<Refusal>,
}

/// A request that is not granted.
#[derive(Debug)]
struct Refusal {
    /// How its line begins and ends, such as `POST` and `/backend`, and what its body has.
    begin: String,
    end: String,
    part: String,
    /// How often.
    times: u32,
    status: u16,
    detail: String,
}

/// One request, as the stand-in looks at it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    method: &'a str,
    path: &'a str,
    query: &'a str,
    body: &'a [u8],
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

    /// Refuses, so many times, a request of this method whose path ends so and whose body has this part.
    pub fn refuse(
        &self,
        (method, end, part): (&str, &str, &str),
        times: u32,
        (status, detail): (u16, &str),
    ) {
        locked(&self.state).refusals.push(Refusal {
            begin: format!("{method} "),
            end: end.to_owned(),
            part: part.to_owned(),
            times,
            status,
            detail: detail.to_owned(),
        });
    }

    /// The hash of the files in the package that it will get, as `fastly compute hash-files` tells it.
    pub fn expect_package(&self, files_hash: &str) {
        files_hash.clone_into(&mut locked(&self.state).files_hash);
    }

    /// From now on the certificates that were ordered are issued.
    pub fn issue(&self) {
        locked(&self.state).is_issued = true;
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
    let header = |wanted: &str| {
        head.iter().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case(wanted).then(|| value.trim())
        })
    };
    let length = header("content-length").and_then(|length| length.parse().ok());
    let mut body = Vec::new();
    let wanted: u64 = length.unwrap_or_default();
    let read = reader.by_ref().take(wanted).read_to_end(&mut body);
    let target = head.first().cloned().unwrap_or_default();
    let mut words = target.split(' ');
    let (Ok(_), Some(method), Some(target)) = (read, words.next(), words.next()) else {
        return;
    };
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let asked = Asked {
        method,
        path,
        query,
        body: &body,
    };
    let (status, told) = {
        let mut state = locked(state);
        state.seen.push(Seen {
            line: format!("{method} {path}"),
            bytes: body.clone(),
        });
        // What the CLI wants to know before any command needs no token.
        if path.contains("/.well-known/") || header("fastly-key") == Some(TOKEN) {
            state.told(asked)
        } else {
            refused(401, "Provided credentials are missing or invalid")
        }
    };
    let told = told.to_string();
    let length = told.len();
    let answer = format!(
        "HTTP/1.1 {status} .\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{told}"
    );
    // The CLI may have stopped to read.
    let _ = reader.get_mut().write_all(answer.as_bytes());
}

fn refused(status: u16, detail: &str) -> (u16, Value) {
    (status, json!({ "msg": detail, "detail": detail }))
}

/// What a body says, as a form or as JSON.
fn fields(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| {
        let pairs = url::form_urlencoded::parse(body).into_owned();
        Value::Object(pairs.map(|(key, value)| (key, json!(value))).collect())
    })
}

/// The name by which a path leads to what was made.
fn name(made: &Value) -> Option<&str> {
    let keys = ["name", "item_key", "fqdn", "id"];
    keys.iter().find_map(|key| made.get(key)?.as_str())
}

/// Where what belongs to a version of the service is made or listed.
fn of_version(number: u64) -> String {
    format!("/service/{SERVICE}/version/{number}/")
}

/// What is changed gets these fields.
fn merge(made: Option<&mut Value>, changed: &Value) {
    if let (Some(Value::Object(made)), Value::Object(changed)) = (made, changed) {
        made.extend(changed.clone());
    }
}

/// One on each page of a list, so that a caller who reads a page alone is found out.
fn page(listed: &[Value], query: &str) -> Value {
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let cursor = pairs.find(|(key, _)| key == "cursor");
    let at: usize = cursor
        .and_then(|(_, at)| at.parse().ok())
        .unwrap_or_default();
    let next = (at + 1 < listed.len()).then(|| (at + 1).to_string());
    let here: Vec<&Value> = listed.get(at).into_iter().collect();
    json!({ "data": here, "meta": { "limit": 1, "next_cursor": next.unwrap_or_default() } })
}

/// The subscriptions of a domain, as JSON:API has them.
fn subscriptions(domains: &[Value], state: &str, is_list: bool) -> Value {
    let data: Vec<Value> = domains
        .iter()
        .map(|domain| {
            json!({
                "id": "made-subscription", "type": "tls_subscription",
                "attributes": { "certificate_authority": "certainly", "state": state },
                "relationships": {
                    "common_name": { "data": { "id": domain, "type": "tls_domain" } },
                    "tls_domains": { "data": [{ "id": domain, "type": "tls_domain" }] },
                    "tls_authorizations": { "data": [{ "id": domain, "type": "tls_authorization" }] },
                },
            })
        })
        .collect();
    let included: Vec<Value> = domains
        .iter()
        .map(|domain| {
            let challenge = |kind: &str, record: &str, name: String, values: &[&str]| {
                json!({ "type": kind, "record_type": record, "record_name": name, "values": values })
            };
            let own = domain.as_str().unwrap_or_default();
            json!({
                "id": domain, "type": "tls_authorization",
                "attributes": { "state": "pending", "challenges": [
                    challenge("managed-dns", "CNAME", format!("_acme-challenge.{own}"), &["made.fastly-validations.com"]),
                    challenge("managed-http-cname", "CNAME", own.to_owned(), &["j.sni.global.fastly.net"]),
                    challenge("managed-http-a", "A", own.to_owned(), &["192.0.2.1", "192.0.2.2"]),
                ] },
            })
        })
        .collect();
    let data = match data.first() {
        Some(one) if !is_list => one.clone(),
        _ => json!(data),
    };
    json!({ "data": data, "included": included })
}

impl State {
    /// What Fastly would say, as far as the CLI looks at it.
    fn told(&mut self, asked: Asked<'_>) -> (u16, Value) {
        let line = format!("{} {}", asked.method, asked.path);
        let body = String::from_utf8_lossy(asked.body).into_owned();
        let is_meant = |refusal: &&mut Refusal| {
            refusal.times > 0
                && line.starts_with(&refusal.begin)
                && line.ends_with(&refusal.end)
                && body.contains(&refusal.part)
        };
        if let Some(refusal) = self.refusals.iter_mut().find(is_meant) {
            refusal.times -= 1;
            return refused(refusal.status, &refusal.detail);
        }
        let parts: Vec<&str> = asked.path.split('/').skip(1).collect();
        match (asked.method, &parts[..]) {
            ("GET", ["service", "search"]) => {
                let is_name = |service: &&Value| {
                    url::form_urlencoded::parse(asked.query.as_bytes()).any(|(key, value)| {
                        key == "name" && service.get("name") == Some(&json!(value))
                    })
                };
                match self.service.as_ref().filter(is_name) {
                    Some(service) => (200, service.clone()),
                    None => refused(404, "Record not found"),
                }
            }
            ("POST", ["service"]) => {
                self.version = 1;
                let asked = fields(asked.body);
                let text = |key: &str| asked.get(key).cloned().unwrap_or_else(|| json!(""));
                let service = json!({
                    "id": SERVICE, "name": text("name"), "comment": text("comment"), "type": "wasm",
                });
                self.service = Some(service.clone());
                (200, service)
            }
            ("PUT", ["service", _]) => {
                let changed = fields(asked.body);
                merge(self.service.as_mut(), &changed);
                (200, self.service.clone().unwrap_or_default())
            }
            ("DELETE", ["service", _]) => {
                self.service = None;
                self.active = 0;
                self.of_the_rest(asked)
            }
            ("GET", ["service", _, "details"]) => {
                let field = |name: &str| {
                    let service = self.service.as_ref();
                    service.and_then(|service| service.get(name)).cloned()
                };
                let service = json!({
                    "id": SERVICE, "type": "wasm", "name": field("name"), "comment": field("comment"),
                    "active_version": (self.active > 0).then(|| self.version(self.active)),
                    "version": self.newest(), "versions": self.versions(),
                });
                (200, service)
            }
            ("GET", ["service", _, "version"]) => (200, json!(self.versions())),
            ("PUT", [.., number, "clone"]) => {
                self.version += 1;
                let (old, new) = (
                    format!("/service/{SERVICE}/version/{number}/"),
                    of_version(self.version),
                );
                let had = self.made.iter().filter(|(path, _)| path.starts_with(&old));
                let copies: Vec<_> = had
                    .map(|(path, made)| (path.replacen(&old, &new, 1), made.clone()))
                    .collect();
                self.made.extend(copies);
                (200, self.newest())
            }
            ("PUT", [.., number, "activate"]) => {
                self.active = number.parse().unwrap_or_default();
                (200, self.version(self.active))
            }
            ("PUT", [.., "package"]) => {
                let package =
                    json!({ "id": "made", "metadata": { "files_hash": self.files_hash } });
                self.made
                    .insert(asked.path.to_owned(), vec![package.clone()]);
                (200, package)
            }
            ("GET", [.., "package"]) => {
                match self.made.get(asked.path).and_then(|made| made.first()) {
                    Some(package) => (200, package.clone()),
                    None => refused(404, "Record not found"),
                }
            }
            ("GET", ["service", _, "version", number]) => {
                (200, self.version(number.parse().unwrap_or_default()))
            }
            ("GET", ["resources", "stores", "secret", "signing-key"]) => {
                (200, json!({ "signing_key": SIGNING_KEY }))
            }
            ("POST", ["resources", "stores", "secret", "client-key"]) => (
                200,
                json!({
                    "public_key": CLIENT_KEY, "signature": SIGNATURE, "expires_at": "2100-01-01T00:00:00Z",
                }),
            ),
            ("DELETE", ["tls", "subscriptions", _]) => {
                self.made.remove("/tls/subscriptions");
                (204, json!({}))
            }
            (method, ["tls", "subscriptions"]) => self.subscription(method, asked),
            _ => self.of_the_rest(asked),
        }
    }

    fn subscription(&mut self, method: &str, asked: Asked<'_>) -> (u16, Value) {
        let made = self.made.entry(asked.path.to_owned()).or_default();
        if method == "POST" {
            let body = fields(asked.body);
            let domain = body.pointer("/data/relationships/tls_domain/data/0/id");
            made.push(domain.cloned().unwrap_or_default());
        }
        let state = if self.is_issued { "issued" } else { "pending" };
        (200, subscriptions(made, state, method == "GET"))
    }

    /// What is made, listed, shown and deleted by its name.
    fn of_the_rest(&mut self, asked: Asked<'_>) -> (u16, Value) {
        let here = asked.path.to_owned();
        let (above, last) = here.rsplit_once('/').unwrap_or_default();
        let last = last.replace("%2E", ".");
        let is_it =
            |made: &Value| name(made) == Some(&last) || made.get("id") == Some(&json!(last));
        match asked.method {
            "POST" => {
                let mut made = fields(asked.body);
                let id = match here.as_str() {
                    "/resources/stores/config" => "config-id",
                    "/resources/stores/secret" => "secrets-id",
                    _ => "made",
                };
                let key = made.get("item_key").or(made.get("fqdn")).cloned();
                if let Value::Object(made) = &mut made {
                    made.entry("id").or_insert_with(|| json!(id));
                    let name = key.unwrap_or_else(|| json!("made"));
                    made.entry("name").or_insert(name);
                }
                self.made.entry(here).or_default().push(made.clone());
                (200, made)
            }
            "GET" => {
                let listed = self.made.get(&here).cloned().unwrap_or_default();
                let of_the_service = ["backend", "domain", "resource"].contains(&last.as_str());
                if of_the_service || here == "/resources/stores/config" {
                    return (200, json!(listed));
                }
                if here == "/resources/stores/secret" {
                    return (200, page(&listed, asked.query));
                }
                if last == "domains" || last == "secrets" {
                    return (200, json!({ "data": listed, "meta": {} }));
                }
                let found = self
                    .made
                    .get(above)
                    .and_then(|made| made.iter().find(|made| is_it(made)));
                match found {
                    Some(made) => (200, made.clone()),
                    None => refused(404, "Record not found"),
                }
            }
            "DELETE" => {
                if let Some(made) = self.made.get_mut(above) {
                    made.retain(|made| !is_it(made));
                }
                let below = format!("{here}/");
                self.made.retain(|path, _| !path.starts_with(&below));
                (200, json!({ "status": "ok" }))
            }
            _ => {
                let mut made = fields(asked.body);
                if last == "secrets" {
                    self.made.entry(here).or_default().push(made.clone());
                } else if let (Value::Object(made), true) = (&mut made, above.ends_with("/item")) {
                    made.insert("name".to_owned(), json!(last));
                    let made = Value::Object(made.clone());
                    self.made.entry(above.to_owned()).or_default().push(made);
                } else {
                    let there = self.made.get_mut(above);
                    merge(
                        there.and_then(|there| there.iter_mut().find(|made| is_it(made))),
                        &made,
                    );
                }
                (200, json!({ "id": "made", "name": "made", "status": "ok" }))
            }
        }
    }

    fn newest(&self) -> Value {
        self.version(self.version)
    }

    fn versions(&self) -> Vec<Value> {
        (1..=self.version)
            .map(|number| self.version(number))
            .collect()
    }

    /// Whatever is older than the newest was active once.
    fn version(&self, number: u64) -> Value {
        let is_active = number == self.active;
        json!({
            "service_id": SERVICE, "number": number,
            "active": is_active, "locked": is_active || number < self.version,
        })
    }
}
