//! The test bed of one scenario: the product and its floor, each in a Viceroy of its own, before
//! the same store and the same origin.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use http_body_util::Empty;
use hyper::Request;
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, COOKIE, HOST};
use now_serving_baselines::{SCRIPT, STORE_CALL, STORE_TOKEN};

use crate::load::{Answer, once};
use crate::newcomers::Newcomers;
use crate::scenario::{Cookies, Floor};
use harness::edge::{self, Edge, EdgeOptions};
use harness::origin::Origin;
use harness::process;
use harness::project::{self, WASM_TARGET};
use harness::sandbox_dir;
use upstash_local::{DEADLINE, Server, Store};

const ANY_PORT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 0);

/// A released number is seen this soon, however old the board may be that the edge goes by.
const RELEASE_DEADLINE: Duration = Duration::from_secs(5);

/// The Wasm of everything that is compared.
pub(crate) struct Builds {
    pub(crate) product: PathBuf,
    /// What the product is set to, beside what is set for development.
    settings: Vec<(String, String)>,
}

impl Builds {
    pub(crate) fn make(settings: &[(String, String)]) -> Result<Self, String> {
        let words = [
            "build",
            "--release",
            "--target",
            WASM_TARGET,
            "--package",
            "now-serving-baselines",
            "--bins",
        ];
        if !process::run(&mut project::cargo(&words)?)? {
            return Err("The floors could not be built, see above.".to_owned());
        }
        let product = edge::wasm()?;
        let settings = settings.to_vec();
        Ok(Self { product, settings })
    }

    /// The same with this setting as well.
    pub(crate) fn with(&self, key: &str, value: &str) -> Self {
        let settings = [
            self.settings.clone(),
            vec![(key.to_owned(), value.to_owned())],
        ];
        Self {
            product: self.product.clone(),
            settings: settings.concat(),
        }
    }

    pub(crate) fn floor(&self, floor: Floor) -> PathBuf {
        let file = format!("{}.wasm", floor.name());
        self.product.with_file_name(file)
    }
}

/// What every edge stands before.
pub(crate) struct Backends {
    pub(crate) store: Store,
    server: Server,
    origin: Origin,
}

impl Backends {
    pub(crate) fn start() -> Result<Self, String> {
        let store = Store::embedded(STORE_TOKEN)?;
        let digest = store.command(&["SCRIPT", "LOAD", SCRIPT])?;
        if !STORE_CALL.contains(&digest.to_string()) {
            return Err(format!(
                "The floor calls another script than its own: write {digest} into STORE_CALL."
            ));
        }
        Ok(Self {
            server: Server::start(store.clone(), ANY_PORT)?,
            origin: Origin::start(ANY_PORT)?,
            store,
        })
    }

    /// The product.
    pub(crate) fn product(&self, builds: &Builds) -> Result<Edge, String> {
        self.edge_with(builds.product.clone(), &builds.settings)
    }

    /// The product or a floor, with every call of the host written down.
    pub(crate) fn traced(&self, builds: &Builds, floor: Option<Floor>) -> Result<Edge, String> {
        let options = match floor {
            None => self.options(builds.product.clone(), &builds.settings)?,
            Some(floor) => self.options(builds.floor(floor), &[])?,
        };
        Edge::start(&EdgeOptions {
            is_traced: true,
            ..options
        })
    }

    /// A floor.
    pub(crate) fn floor(&self, builds: &Builds, floor: Floor) -> Result<Edge, String> {
        self.edge_with(builds.floor(floor), &[])
    }

    fn edge_with(&self, wasm: PathBuf, more: &[(String, String)]) -> Result<Edge, String> {
        Edge::start(&self.options(wasm, more)?)
    }

    /// Of an edge whose line moves only by hand.
    fn options(&self, wasm: PathBuf, more: &[(String, String)]) -> Result<EdgeOptions, String> {
        let mut settings = sandbox_dir::development_settings()?;
        settings.insert("automatic".to_owned(), "0".to_owned());
        settings.insert("upstash_token".to_owned(), STORE_TOKEN.to_owned());
        settings.remove("upstash_url");
        settings.extend(more.iter().cloned());
        let backends = (self.origin.url(), self.server.url());
        Ok(EdgeOptions {
            web_sockets: true,
            ..EdgeOptions::local(wasm, backends, settings, DEADLINE)
        })
    }
}

/// Two edges to compare, and two visitors of the product.
pub(crate) struct TestBed {
    // Dropped in this order: the edges before what they stand before.
    pub(crate) product: Edge,
    pub(crate) floor: Edge,
    pub(crate) backends: Backends,
    pub(crate) cookies: Cookies,
}

impl TestBed {
    pub(crate) async fn lay(builds: &Builds, floor: Floor) -> Result<Self, String> {
        let backends = Backends::start()?;
        let floor = backends.floor(builds, floor)?;
        let product = backends.product(builds)?;
        let admitted = admit(product.addr()).await?;
        let waiting = draw(product.addr(), "/").await?;
        // While that one waits, the first answer is a ticket without a number.
        let newcomers = Newcomers::like(&draw(product.addr(), "/").await?)?;
        Ok(Self {
            product,
            floor,
            backends,
            cookies: Cookies {
                newcomers: Some(newcomers),
                waiting,
                admitted,
            },
        })
    }
}

/// The cookie that a new visitor of this path gets.
pub(crate) async fn draw(addr: SocketAddr, path: &str) -> Result<String, String> {
    let answer = once(addr, request(addr, "GET", path, &[])?).await?;
    ticket(&answer).ok_or_else(|| unexpected("a new visitor's ticket", &answer))
}

/// The cookie that a visitor with this one has after one more contact: a new one, or the same.
pub(crate) async fn draw_again(
    addr: SocketAddr,
    cookie: (hyper::header::HeaderName, String),
) -> Result<String, String> {
    let known = cookie.1.clone();
    let answer = once(addr, request(addr, "GET", "/", &[cookie])?).await?;
    Ok(ticket(&answer).unwrap_or(known))
}

/// The cookie of a visitor who was let in.
async fn admit(addr: SocketAddr) -> Result<String, String> {
    let waiting = draw(addr, "/").await?;
    let permit = [(
        AUTHORIZATION,
        "Bearer development-only-permit-token".to_owned(),
    )];
    let answer = once(addr, request(addr, "POST", "/_queue/permit", &permit)?).await?;
    if answer.status != 200 {
        return Err(unexpected("a permit", &answer));
    }
    let deadline = Instant::now() + RELEASE_DEADLINE;
    loop {
        let look = request(addr, "GET", "/status/200", &[(COOKIE, waiting.clone())])?;
        let answer = once(addr, look).await?;
        if let Some(admitted) = ticket(&answer).filter(|_| answer.status != 503) {
            return Ok(admitted);
        }
        if Instant::now() > deadline {
            return Err(unexpected("the ticket of somebody let in", &answer));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn ticket(answer: &Answer) -> Option<String> {
    let mut cookies = answer.cookies.iter();
    cookies.find(|pair| pair.starts_with("queue")).cloned()
}

fn unexpected(wanted: &str, answer: &Answer) -> String {
    let text = String::from_utf8_lossy(&answer.body);
    let beginning: String = text.chars().take(200).collect();
    format!(
        "The product gave not {wanted} but status {}: {beginning}",
        answer.status
    )
}

fn request(
    addr: SocketAddr,
    method: &str,
    target: &str,
    headers: &[(hyper::header::HeaderName, String)],
) -> Result<Request<Empty<Bytes>>, String> {
    let mut request = Request::builder()
        .method(method)
        .uri(target)
        .header(HOST, addr.to_string());
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request
        .body(Empty::new())
        .map_err(|error| format!("{method} {target} cannot be asked: {error}."))
}
