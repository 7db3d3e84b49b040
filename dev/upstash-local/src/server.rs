//! The store on a socket: HTTP/1.1 with keep-alive, on threads of its own.
//!
//! The embedded engine answers within microseconds and runs where the request was read; only a real
//! Redis is waited for on another thread.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::Duration;

use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::Store;
use crate::faults::{PIECE, Timing};
use crate::wire::{LARGEST_BODY, Reply, Request};

/// A running server; dropping it closes every connection and frees the port.
pub struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `store` at `addr`; port 0 takes a free one.
    ///
    /// # Errors
    /// When the address is taken, or no thread can be started.
    pub fn start(store: Store, addr: SocketAddr) -> Result<Self, String> {
        let wording = |error| format!("The store cannot listen on {addr}: {error}. Is it in use?");
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::channel();
        let thread = std::thread::Builder::new().name("store".to_owned());
        let serve = move || match open(addr) {
            Ok((runtime, listener)) => {
                let address = listener.local_addr();
                if tell.send(address).is_ok() {
                    runtime.block_on(accept_until(stopped, store, listener));
                }
                // A call that waits for a Redis must not hold up the end.
                runtime.shutdown_timeout(Duration::from_millis(100));
            }
            Err(error) => drop(tell.send(Err(error))),
        };
        let thread = thread.spawn(serve).map_err(wording)?;
        let address = told
            .recv()
            .map_err(|_| "The store's thread ended at its start.")?;
        Ok(Self {
            address: address.map_err(wording)?,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Where it listens, as `http://127.0.0.1:8079`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn open(addr: SocketAddr) -> std::io::Result<(Runtime, TcpListener)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let listener = runtime.block_on(TcpListener::bind(addr))?;
    Ok((runtime, listener))
}

async fn accept_until(stopped: oneshot::Receiver<()>, store: Store, listener: TcpListener) {
    let accept = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(serve(store.clone(), stream))),
                // Out of file descriptors, most likely: trying again at once would spin.
                Err(_) => sleep(Duration::from_millis(10)).await,
            }
        }
    };
    tokio::select! {
        () = accept => {}
        _ = stopped => {}
    }
}

async fn serve(store: Store, stream: TcpStream) {
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let service = hyper::service::service_fn(move |request| respond(store.clone(), request));
    let connection = hyper::server::conn::http1::Builder::new();
    let served = connection
        .serve_connection(TokioIo::new(stream), service)
        .await;
    // A caller that went away and a connection closed on purpose end here alike.
    drop(served);
}

async fn respond(
    store: Store,
    request: hyper::Request<Incoming>,
) -> Result<Response<Parts>, &'static str> {
    let (head, body) = request.into_parts();
    let (reply, timing) = match collect(body).await? {
        Some(body) => answer(store, head, body).await?,
        None => (Reply::too_large(), Timing::AtOnce),
    };
    let Reply::Answer { status, body } = reply else {
        return Err("closed without an answer on purpose");
    };
    if let Timing::After(pause) = timing {
        sleep(pause).await;
    }
    let status = StatusCode::from_u16(status).map_err(|_| "no such status")?;
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .body(Parts::new(body, timing))
        .map_err(|_| "no such header")
}

/// The whole body, or nothing when it is too large; one that says so beforehand is not read.
async fn collect(body: Incoming) -> Result<Option<Bytes>, &'static str> {
    if usize::try_from(body.size_hint().lower()).is_ok_and(|least| least > LARGEST_BODY) {
        return Ok(None);
    }
    match Limited::new(body, LARGEST_BODY).collect().await {
        Ok(body) => Ok(Some(body.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Ok(None),
        Err(_) => Err("the request's body did not arrive"),
    }
}

async fn answer(
    store: Store,
    head: hyper::http::request::Parts,
    body: Bytes,
) -> Result<(Reply, Timing), &'static str> {
    let remote = store.is_remote();
    let work = move || {
        let authorization = head.headers.get(AUTHORIZATION);
        store.reply(&Request {
            method: head.method.as_str(),
            target: head
                .uri
                .path_and_query()
                .map_or("/", |target| target.as_str()),
            authorization: authorization.and_then(|value| value.to_str().ok()),
            body: &body,
        })
    };
    if remote {
        let done = tokio::task::spawn_blocking(work).await;
        done.map_err(|_| "the work was interrupted")
    } else {
        Ok(work())
    }
}

/// A body in one or several pieces, with a pause before each but the first.
struct Parts {
    pieces: VecDeque<Bytes>,
    pause: Duration,
    until_next: Option<Pin<Box<Sleep>>>,
}

impl Parts {
    fn new(body: Vec<u8>, timing: Timing) -> Self {
        let (length, pause) = match timing {
            Timing::AtOnce | Timing::After(_) => (body.len(), Duration::ZERO),
            Timing::Halved(pause) => (body.len().div_ceil(2), pause),
            Timing::Trickled { pause, .. } => (PIECE, pause),
        };
        let mut rest = Bytes::from(body);
        let mut pieces = VecDeque::new();
        while rest.len() > length {
            pieces.push_back(rest.split_to(length));
        }
        pieces.push_back(rest);
        Self {
            pieces,
            pause,
            until_next: None,
        }
    }
}

impl Body for Parts {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(until_next) = self.until_next.as_mut() {
            std::task::ready!(until_next.as_mut().poll(context));
        }
        self.until_next = Some(Box::pin(sleep(self.pause)));
        Poll::Ready(self.pieces.pop_front().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let left: usize = self.pieces.iter().map(Bytes::len).sum();
        SizeHint::with_exact(u64::try_from(left).unwrap_or(u64::MAX))
    }
}
