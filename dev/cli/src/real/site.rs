//! The site in real time: the Wasm in a local server for each POP, before one store and one origin.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harness::edge::{Edge, EdgeOptions};
use harness::sandbox_dir::{self, Settings};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::{HeaderMap, Request};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use now_serving::config::{DOCUMENT, SECRETS};
use now_serving::queue::Sessions;
use serde_json::Value;
use simulator::outside::Outside;
use simulator::scenario::Scenario;
use tokio::runtime::Handle;
use tokio::time::timeout;
use upstash_local::{DEADLINE, Server, Store};

use super::origin::{Pool, VISITOR};

const ANY_PORT: ([u8; 4], u16) = ([127, 0, 0, 1], 0);
/// No answer takes this long unless none comes.
const PATIENCE: Duration = Duration::from_mins(2);

/// What a browser asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A page.
    Page,
    /// The visitor's place, as the waiting page does.
    Place,
}

/// A request of a browser.
pub(super) struct Ask {
    pub(super) kind: Kind,
    pub(super) pop: usize,
    pub(super) visitor: usize,
    pub(super) target: String,
    pub(super) cookie: Option<String>,
}

/// An answer to it.
pub(super) struct Heard {
    pub(super) status: u16,
    headers: HeaderMap,
    body: Bytes,
}

impl Heard {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The value of a cookie that it sets.
    pub(super) fn cookie(&self, name: &str) -> Option<&str> {
        let cookies = self.headers.get_all("set-cookie").iter();
        let mut pairs = cookies.filter_map(|line| line.to_str().ok()?.split(';').next());
        pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// The site.
pub(super) struct Site {
    // Dropped in this order: the edges before what they stand before.
    edges: Vec<Edge>,
    store: Store,
    _server: Server,
    pub(super) origin: Arc<Pool>,
    client: Client<HttpConnector, Full<Bytes>>,
    /// Where operators are, and the token of their programs.
    admin: (String, String),
    room: String,
    requests: AtomicU64,
}

impl Site {
    /// An empty room with the settings of a scenario.
    pub(super) fn start(
        scenario: &Scenario,
        wasm: &Path,
        runtime: &Handle,
    ) -> Result<Self, String> {
        let settings = settings(scenario)?;
        let secret = |name: &str| settings.get(name).cloned().unwrap_or_default();
        let text = |name: &str, default: &str| {
            let set = scenario.settings.get(name).and_then(Value::as_str);
            set.unwrap_or(default).to_owned()
        };
        let store = Store::embedded(&secret("upstash_token"))?;
        let server = Server::start(store.clone(), ANY_PORT.into())?;
        let origin = Arc::new(Pool::new(scenario));
        let addr = runtime.block_on(origin.start())?;
        let edge = |_| start_edge(&settings, wasm, (addr, &server));
        let edges = (0..scenario.pops).map(edge).collect::<Result<_, _>>()?;
        // The local servers looked once whether the store is there.
        store.reset_counts();
        Ok(Self {
            edges,
            store,
            _server: server,
            origin,
            client: Client::builder(TokioExecutor::new()).build_http(),
            admin: (text("admin_path", "/_queue"), secret("admin_token")),
            room: text("room", "main"),
            requests: AtomicU64::new(0),
        })
    }

    /// Where the waiting page asks for the place.
    pub(super) fn place(&self) -> String {
        format!("{}/place", self.admin.0)
    }

    /// One request of a browser; nothing where no answer comes.
    pub(super) async fn ask(&self, ask: Ask) -> Option<Heard> {
        let mut request = Request::get(self.url(ask.pop, &ask.target)?);
        let (accept, dest, mode, site) = match ask.kind {
            Kind::Place => ("*/*", "empty", "cors", "same-origin"),
            Kind::Page => {
                let accept = "text/html,application/xhtml+xml,*/*;q=0.8";
                (accept, "document", "navigate", "none")
            }
        };
        for (name, value) in [
            ("accept", accept),
            ("accept-language", "en"),
            ("sec-fetch-dest", dest),
            ("sec-fetch-mode", mode),
            ("sec-fetch-site", site),
        ] {
            request = request.header(name, value);
        }
        if let Some(cookie) = &ask.cookie {
            request = request.header("cookie", cookie);
        }
        let request = request.header(VISITOR, ask.visitor);
        self.send(request.body(Full::default()).ok()?).await
    }

    /// A change by an operator's program.
    pub(super) async fn operate(&self, verb: &str, fields: &Value) -> Result<(), String> {
        let (path, token) = &self.admin;
        let unsent = || format!("{verb}: no answer");
        let url = self.url(0, &format!("{path}/{verb}"));
        let request = Request::post(url.ok_or_else(unsent)?)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json")
            .body(Full::from(fields.to_string()));
        let request = request.map_err(|error| format!("{verb}: {error}"))?;
        match self.send(request).await.ok_or_else(unsent)? {
            heard if heard.status == 200 => Ok(()),
            heard => Err(format!("{verb}: {}", heard.json())),
        }
    }

    fn url(&self, pop: usize, target: &str) -> Option<String> {
        let edge = self.edges.get(pop)?;
        Some(format!("{}{target}", edge.url()))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Option<Heard> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        let exchange = async {
            let (head, body) = self.client.request(request).await.ok()?.into_parts();
            Some(Heard {
                status: head.status.as_u16(),
                headers: head.headers,
                body: body.collect().await.ok()?.to_bytes(),
            })
        };
        timeout(PATIENCE, exchange).await.ok().flatten()
    }
}

impl Outside for Site {
    fn store(&self) -> &Store {
        &self.store
    }

    fn room(&self) -> &str {
        &self.room
    }

    fn now_ms(&self) -> u64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |now| u64::try_from(now.as_millis()).unwrap_or(u64::MAX))
    }

    fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// The Wasm keeps them to itself.
    fn sessions(&self) -> Option<Sessions> {
        None
    }
}

/// The scenario's settings, with the secrets of development.
fn settings(scenario: &Scenario) -> Result<Settings, String> {
    let mut settings = sandbox_dir::development_settings()?;
    settings.retain(|key, _| SECRETS.contains(&key.as_str()));
    let document = Value::from(scenario.settings.clone());
    settings.insert(DOCUMENT.to_owned(), document.to_string());
    Ok(settings)
}

fn start_edge(
    settings: &Settings,
    wasm: &Path,
    (origin, store): (SocketAddr, &Server),
) -> Result<Edge, String> {
    let backends = (format!("http://{origin}"), store.url());
    Edge::start(&EdgeOptions::local(
        wasm.to_owned(),
        backends,
        settings.clone(),
        DEADLINE,
    ))
}
