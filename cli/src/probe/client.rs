//! Requests to one host and to no other, counted and timed.
//!
//! Invariant: beyond its [`Bounds`] none is sent any more, except those that put something back.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::exchange::{Answer, Ask};
use super::target::Target;

/// How much one run may ask.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The most requests.
    pub requests: u32,
    /// The longest that it takes, besides putting back what it changed.
    pub time: Duration,
}

impl Bounds {
    /// Of a look at a service or a store.
    pub const OF_A_LOOK: Self = Self {
        requests: 125,
        time: Duration::from_mins(2),
    };
}

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// More of a body is not read.
const LARGEST_BODY: usize = 1 << 20;

/// How long it took to connect.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Connected {
    pub(crate) tcp: Duration,
    pub(crate) tls: Duration,
}

type Sender = SendRequest<Full<Bytes>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// One connection to the host, opened again when it has ended.
pub(crate) struct Client {
    pub(crate) target: Target,
    runtime: Runtime,
    tls: Option<TlsConnector>,
    connection: RefCell<Option<Sender>>,
    left: Cell<u32>,
    bounds: Bounds,
    until: Instant,
}

impl Client {
    /// Connects to nothing yet.
    ///
    /// # Errors
    /// When this machine knows no authority to check certificates with, or has no threads.
    pub(crate) fn new(target: Target, bounds: Bounds) -> Result<Self, String> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let tls = target.is_secure.then(connector).transpose()?;
        Ok(Self {
            target,
            runtime: runtime.map_err(|error| format!("No runtime: {error}."))?,
            tls,
            connection: RefCell::new(None),
            left: Cell::new(bounds.requests),
            bounds,
            until: Instant::now() + bounds.time,
        })
    }

    /// From now on it may ask this much.
    pub(crate) fn begins(&mut self, bounds: Bounds) {
        self.bounds = bounds;
        self.left = Cell::new(bounds.requests);
        self.until = Instant::now() + bounds.time;
    }

    /// How many requests have been sent.
    pub(crate) fn requests(&self) -> u32 {
        self.bounds.requests - self.left.get()
    }

    /// Sends a request and reads the answer.
    ///
    /// # Errors
    /// When there is no answer, or the run is over.
    pub(crate) fn ask(&self, ask: &Ask) -> Result<Answer, String> {
        self.count(ask)?;
        let sender = self.connection.borrow_mut().take();
        let (answer, sender) = self.runtime.block_on(self.within(ask, async {
            let sender = match ready(sender).await {
                Some(sender) => sender,
                None => self.open(&self.target).await?,
            };
            exchange(sender, &self.target, ask).await
        }))?;
        *self.connection.borrow_mut() = sender;
        Ok(answer)
    }

    /// The same over plain http, at port 80 of the same host.
    ///
    /// # Errors
    /// When there is no answer, or the run is over.
    pub(crate) fn ask_plainly(&self, ask: &Ask) -> Result<Answer, String> {
        self.count(ask)?;
        let plain = self.target.plain();
        let (answer, _) = self.runtime.block_on(self.within(ask, async {
            let (stream, _) = connect(&plain, None).await?;
            exchange(shake_hands(stream).await?, &plain, ask).await
        }))?;
        Ok(answer)
    }

    /// Opens a connection, and closes it.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(crate) fn connect_once(&self) -> Result<Connected, String> {
        let connected = async { Ok(connect(&self.target, self.tls.as_ref()).await?.1) };
        self.runtime
            .block_on(self.within(&Ask::get("/"), connected))
    }

    async fn open(&self, target: &Target) -> Result<Sender, String> {
        let (stream, _) = connect(target, self.tls.as_ref()).await?;
        shake_hands(stream).await
    }

    fn count(&self, ask: &Ask) -> Result<(), String> {
        let left = self.left.get();
        if !ask.is_owed && (left == 0 || Instant::now() > self.until) {
            return Err(format!(
                "The run is over: it sends at most {} requests and takes at most {} s.",
                self.bounds.requests,
                self.bounds.time.as_secs()
            ));
        }
        self.left.set(left.saturating_sub(1));
        Ok(())
    }

    async fn within<T>(
        &self,
        ask: &Ask,
        done: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        let late = |_| format!("no answer within {} s", PATIENCE.as_secs());
        let done = timeout(PATIENCE, done).await.map_err(late).flatten();
        done.map_err(|error| {
            let (scheme, authority) = (self.target.scheme(), &self.target.authority);
            format!(
                "{} {scheme}://{authority}{}: {error}.",
                ask.method, ask.path
            )
        })
    }
}

/// The authorities that this machine trusts.
fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("This machine has no certificates to check TLS with: install ca-certificates, or name a file of them in SSL_CERT_FILE.".to_owned());
    }
    let config = ClientConfig::builder().with_root_certificates(roots);
    Ok(TlsConnector::from(Arc::new(config.with_no_client_auth())))
}

async fn connect(
    target: &Target,
    tls: Option<&TlsConnector>,
) -> Result<(Box<dyn Stream>, Connected), String> {
    let begin = Instant::now();
    let stream = TcpStream::connect((target.host.as_str(), target.port)).await;
    let stream = stream.map_err(|error| format!("cannot connect: {}", plain(&error)))?;
    let tcp = begin.elapsed();
    // Small requests are not held back to be sent together.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        let none = Duration::ZERO;
        return Ok((Box::new(stream), Connected { tcp, tls: none }));
    };
    let name = ServerName::try_from(target.host.clone());
    let name = name.map_err(|error| format!("no name for a certificate: {error}"))?;
    let stream = tls.connect(name, stream).await;
    let stream = stream.map_err(|error| format!("no TLS: {}", plain(&error)))?;
    let tls = begin.elapsed().saturating_sub(tcp);
    Ok((Box::new(stream), Connected { tcp, tls }))
}

async fn shake_hands(stream: Box<dyn Stream>) -> Result<Sender, String> {
    let shaken = handshake(TokioIo::new(stream)).await;
    let (sender, connection) = shaken.map_err(|error| plain(&error))?;
    // Its end is seen when the next request is sent.
    tokio::spawn(async { drop(connection.await) });
    Ok(sender)
}

/// The connection, unless it has ended.
async fn ready(sender: Option<Sender>) -> Option<Sender> {
    let mut sender = sender?;
    // A connection that the service has closed is noticed when the runtime has looked at it.
    tokio::task::yield_now().await;
    sender.ready().await.ok()?;
    Some(sender)
}

async fn exchange(
    mut sender: Sender,
    target: &Target,
    ask: &Ask,
) -> Result<(Answer, Option<Sender>), String> {
    let request = request(target, ask)?;
    let begin = Instant::now();
    let answer = sender.send_request(request).await;
    let answer = answer.map_err(|error| format!("no answer: {}", plain(&error)))?;
    let took = begin.elapsed();
    let (answer, is_whole) = read(answer, took).await?;
    Ok((answer, is_whole.then_some(sender)))
}

fn request(target: &Target, ask: &Ask) -> Result<Request<Full<Bytes>>, String> {
    let method = Method::from_bytes(ask.method.as_bytes()).map_err(|error| plain(&error))?;
    let mut request = Request::builder()
        .method(method)
        .uri(&ask.path)
        .header("user-agent", "now-serving-probe");
    if ask.headers.iter().all(|(name, _)| *name != "host") {
        request = request.header("host", &target.authority);
    }
    for (name, value) in &ask.headers {
        request = request.header(*name, value);
    }
    let body = Full::new(Bytes::from(ask.body.clone()));
    request.body(body).map_err(|error| plain(&error))
}

/// The answer, and whether its body was read to the end, so that the connection can take another request.
async fn read(response: Response<Incoming>, took: Duration) -> Result<(Answer, bool), String> {
    let (head, body) = response.into_parts();
    let body = Limited::new(body, LARGEST_BODY).collect().await;
    let (body, is_whole) = match body {
        Ok(body) => (body.to_bytes(), true),
        // Of a page that large the head says enough.
        Err(error) if error.is::<http_body_util::LengthLimitError>() => (Bytes::new(), false),
        Err(error) => return Err(format!("the body broke off: {error}")),
    };
    let answer = Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        took,
    };
    Ok((answer, is_whole))
}

/// An error's words without the full stop that some have.
fn plain(error: &dyn Display) -> String {
    error.to_string().trim_end_matches('.').to_owned()
}
