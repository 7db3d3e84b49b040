//! The demo origin: the shop behind the waiting room, and paths that show what an origin can do.
//!
//! Invariant: no body is ever held in memory, neither one that comes in nor one that goes out.

pub mod demo;
mod routes;
mod shop;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use hyper::service::service_fn;
use hyper::{Request, server::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

/// A running demo origin; dropping it stops it and frees its port.
#[derive(Debug)]
pub struct Origin {
    addr: SocketAddr,
    log: Log,
    pages: Pages,
    runtime: Option<Runtime>,
}

/// A request as it reached the origin.
#[derive(Clone, Debug)]
pub struct Seen {
    /// `GET`, `POST`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lower case, in the order they came, with the bytes they had.
    pub headers: Vec<(String, Vec<u8>)>,
    /// How many bytes of body came in.
    pub body_length: u64,
}

type Log = Arc<Mutex<Vec<Seen>>>;

/// What it shows besides, by path: the type and the content.
type Pages = Arc<Mutex<BTreeMap<String, (&'static str, String)>>>;

impl Origin {
    /// Starts it in threads of its own; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address cannot be used.
    pub fn start(addr: SocketAddr) -> Result<Self, String> {
        let cannot = |error| format!("The demo origin cannot listen on {addr}: {error}.");
        let listener = StdListener::bind(addr).map_err(cannot)?;
        listener.set_nonblocking(true).map_err(cannot)?;
        let addr = listener.local_addr().map_err(cannot)?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(cannot)?;
        let (log, pages) = (Log::default(), Pages::default());
        let listener = {
            let _entered = runtime.enter();
            TcpListener::from_std(listener).map_err(cannot)?
        };
        runtime.spawn(accept(listener, Arc::clone(&log), Arc::clone(&pages)));
        Ok(Self {
            addr,
            log,
            pages,
            runtime: Some(runtime),
        })
    }

    /// `http://HOST:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// The last requests it has seen, oldest first, each once its body was read.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        held(&self.log).clone()
    }

    /// Forgets the requests seen so far, and what it was given to show.
    pub fn clear(&self) {
        held(&self.log).clear();
        held(&self.pages).clear();
    }

    /// From now on this is at that path, whatever was there.
    pub fn show(&self, path: &str, content_type: &'static str, content: impl Into<String>) {
        let page = (content_type, content.into());
        held(&self.pages).insert(path.to_owned(), page);
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // In a thread of its own, because a runtime may not be waited for inside another.
            let stop = thread::spawn(move || runtime.shutdown_timeout(Duration::from_secs(1)));
            let _ = stop.join();
        }
    }
}

async fn accept(listener: TcpListener, log: Log, pages: Pages) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // Out of file descriptors, most likely: give others the time to close theirs.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let (log, pages) = (Arc::clone(&log), Arc::clone(&pages));
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let service =
                service_fn(move |request| serve(request, Arc::clone(&log), Arc::clone(&pages)));
            // An error is a visitor who went away.
            let _ = http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn serve(
    request: Request<Incoming>,
    log: Log,
    pages: Pages,
) -> Result<routes::Response, Infallible> {
    let (head, body) = request.into_parts();
    let seen = Seen {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
            .collect(),
        body_length: length(body).await,
    };
    remember(&log, seen.clone());
    let shown = held(&pages).get(head.uri.path()).cloned();
    if let Some((content_type, content)) = shown {
        return Ok(routes::typed(content_type, content));
    }
    let (path, query) = (head.uri.path(), head.uri.query());
    if let Some(state) = demo::answer(&seen, path, query) {
        return Ok(state);
    }
    Ok(routes::answer(&seen, path, query).await)
}

/// Reads a body to its end, keeping only its length.
async fn length<B: Body + Unpin>(mut body: B) -> u64 {
    let mut length = 0;
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            length += hyper::body::Buf::remaining(data) as u64;
        }
    }
    length
}

/// Keeps the last ten thousand, so that an origin under load does not grow for ever.
fn remember(log: &Log, seen: Seen) {
    const KEPT: usize = 10_000;
    let mut log = held(log);
    if log.len() >= 2 * KEPT {
        log.drain(..KEPT);
    }
    log.push(seen);
}

fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
