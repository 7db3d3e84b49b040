//! Visitors who make a line in front of the demo shop: so that the first one who looks sees a waiting room, and the panel moves.
//!
//! Each keeps the ticket, polls at the pace that the room names, looks at some pages once inside, and leaves; some leave before.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::Bytes;
use hyper::{Request, StatusCode, header};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::time::sleep;

/// How many of a hundred visitors leave before it is their turn.
const LEAVERS: usize = 15;

/// How many visitors come in a second until the crowd is there, and how many come after that while it is.
const FIRST_A_SECOND: u64 = 10;
const LATER_A_SECOND: u64 = 2;

/// The crowd begins so long before the room is said to be ready.
const HEAD_START: Duration = Duration::from_secs(2);

/// How many redirects a browser would follow here at most.
const REDIRECTS: usize = 4;

/// A crowd that goes on until it is dropped.
pub(super) struct Crowd {
    _runtime: Runtime,
}

/// What an answer says.
struct Heard {
    status: StatusCode,
    location: Option<String>,
    ticket: Option<String>,
    is_of_room: bool,
    body: Bytes,
}

struct Visitor {
    edge: SocketAddr,
    place: String,
    client: Client<HttpConnector, Empty<Bytes>>,
    number: usize,
    ticket: Option<String>,
}

impl Crowd {
    /// Keeps about this many visitors in the line. `place` is the path that a waiting page polls.
    pub(super) fn start(edge: SocketAddr, place: &str, many: usize) -> Result<Self, String> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|error| format!("The crowd could not be started: {error}."))?;
        let client = Client::builder(TokioExecutor::new()).build_http();
        let place = place.to_owned();
        runtime.spawn(async move {
            let present = Arc::<AtomicUsize>::default();
            for number in 0.. {
                let is_first = number < many;
                let rate = if is_first {
                    FIRST_A_SECOND
                } else {
                    LATER_A_SECOND
                };
                sleep(Duration::from_millis(1000 / rate)).await;
                if present.load(Ordering::Relaxed) >= many {
                    continue;
                }
                let (client, place) = (client.clone(), place.clone());
                let visitor = Visitor {
                    edge,
                    place,
                    client,
                    number,
                    ticket: None,
                };
                let present = Arc::clone(&present);
                present.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    visitor.visit().await;
                    present.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        // Some wait by now.
        std::thread::sleep(HEAD_START);
        Ok(Self { _runtime: runtime })
    }
}

impl Visitor {
    async fn visit(mut self) {
        // A few polls, for a visitor who leaves.
        let leaves = self.number % 100 < LEAVERS;
        let mut patience = if leaves {
            2 + self.number % 7
        } else {
            usize::MAX
        };
        while let Some(heard) = self.open("/").await {
            if !heard.is_of_room {
                return self.look_around().await;
            }
            while let Some(seconds) = self.poll().await {
                patience = patience.saturating_sub(1);
                if patience == 0 {
                    return;
                }
                sleep(Duration::from_secs(seconds)).await;
            }
        }
    }

    /// Inside: some pages, with time to read them.
    async fn look_around(&mut self) {
        for page in 0..3 + self.number % 4 {
            sleep(Duration::from_secs(
                5 + (self.number * 7 + page * 3) as u64 % 20,
            ))
            .await;
            self.ask("/", "text/html").await;
        }
    }

    /// A page, behind its redirects.
    async fn open(&mut self, target: &str) -> Option<Heard> {
        let mut target = target.to_owned();
        for _ in 0..REDIRECTS {
            let heard = self.ask(&target, "text/html").await?;
            match heard.location {
                Some(location) => target = location,
                None => return Some(heard),
            }
        }
        None
    }

    /// Seconds until the next poll; none once it is the turn, or where the page has to be asked for anew.
    async fn poll(&mut self) -> Option<u64> {
        let place = self.place.clone();
        let heard = self.ask(&place, "application/json").await?;
        let told: Value = serde_json::from_slice(&heard.body).ok()?;
        let is_waiting = told.get("waiting") == Some(&Value::Bool(true));
        let seconds = told.get("refresh_seconds").and_then(Value::as_u64);
        seconds.filter(|_| is_waiting && heard.status == StatusCode::OK)
    }

    async fn ask(&mut self, target: &str, accept: &str) -> Option<Heard> {
        let mut request = Request::get(format!("http://{}{target}", self.edge))
            .header(header::ACCEPT, accept)
            .header(header::USER_AGENT, "Now Serving crowd (cargo dev serve)");
        if let Some(ticket) = &self.ticket {
            request = request.header(header::COOKIE, format!("queue={ticket}"));
        }
        let answer = self
            .client
            .request(request.body(Empty::new()).ok()?)
            .await
            .ok()?;
        let heard = Heard {
            status: answer.status(),
            location: text(answer.headers().get(header::LOCATION)),
            ticket: ticket(answer.headers()),
            is_of_room: answer.headers().contains_key(header::RETRY_AFTER),
            body: answer.into_body().collect().await.ok()?.to_bytes(),
        };
        if heard.ticket.is_some() {
            self.ticket.clone_from(&heard.ticket);
        }
        Some(heard)
    }
}

fn text(value: Option<&header::HeaderValue>) -> Option<String> {
    value?.to_str().ok().map(str::to_owned)
}

/// The ticket that an answer sets.
fn ticket(headers: &header::HeaderMap) -> Option<String> {
    headers
        .get_all(header::SET_COOKIE)
        .iter()
        .find_map(|cookie| {
            let (value, _) = cookie
                .to_str()
                .ok()?
                .strip_prefix("queue=")?
                .split_once(';')?;
            (!value.is_empty()).then(|| value.to_owned())
        })
}
