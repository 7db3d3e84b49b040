//! What each path of the demo origin answers.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, SET_COOKIE};
use serde_json::json;

use super::{Seen, shop};

pub(super) type Response = hyper::Response<BoxBody<Bytes, Infallible>>;

/// How long `/slow` and how much `/download` may be asked for.
const LONGEST: Duration = Duration::from_secs(30);
const MOST_MEGABYTES: u64 = 10_000;

/// How an origin ends the session of the visitor who asks: in the words of this room, and of Cloudflare's.
const QUEUE_COMMAND: HeaderName = HeaderName::from_static("queue-command");
const CF_COMMAND: HeaderName = HeaderName::from_static("cf-waiting-room-command");

pub(super) async fn answer(seen: &Seen, path: &str, query: Option<&str>) -> Response {
    match (seen.method.as_str(), path) {
        ("GET" | "HEAD", "/") => shop_page(seen),
        ("GET" | "HEAD", "/assets/logo.svg" | "/favicon.ico") => {
            typed("image/svg+xml", shop::LOGO).with(CACHE_CONTROL, "public, max-age=3600")
        }
        ("GET" | "HEAD", "/slow") => {
            let pause = Duration::from_millis(number(query, "ms").unwrap_or(1000)).min(LONGEST);
            tokio::time::sleep(pause).await;
            typed(
                "text/plain",
                format!("Answered after {} ms.\n", pause.as_millis()),
            )
        }
        ("POST" | "PUT", "/upload") => typed(
            "application/json",
            json!({ "bytes": seen.body_length }).to_string(),
        ),
        ("GET" | "HEAD", "/download") => download(number(query, "mb").unwrap_or(100)),
        (_, "/echo") => echo(seen),
        ("GET" | "HEAD", "/cached") => cached(),
        (_, "/answer") => as_asked(query.unwrap_or_default()),
        ("GET" | "HEAD", "/cookies") => typed("text/plain", "Two cookies.\n")
            .with(SET_COOKIE, "first=1; Path=/")
            .with(SET_COOKIE, "second=2; Path=/; HttpOnly"),
        ("GET" | "HEAD" | "POST", "/logout") => {
            typed("text/plain", "Goodbye.\n").with(QUEUE_COMMAND, "end-session")
        }
        ("GET" | "HEAD" | "POST", "/revoke") => {
            typed("text/plain", "Goodbye.\n").with(CF_COMMAND, "Revoke")
        }
        ("GET" | "HEAD", "/robots.txt") => typed("text/plain", "User-agent: *\nAllow: /\n"),
        _ => match path
            .strip_prefix("/status/")
            .and_then(|code| code.parse().ok())
        {
            Some(status) => typed("text/plain", format!("Status {status}.\n")).status(status),
            None => {
                typed("text/html; charset=utf-8", shop::not_found()).status(StatusCode::NOT_FOUND)
            }
        },
    }
}

fn shop_page(seen: &Seen) -> Response {
    static SESSIONS: AtomicU64 = AtomicU64::new(1);
    let session = SESSIONS.fetch_add(1, Ordering::Relaxed);
    let position = seen
        .headers
        .iter()
        .find(|(name, _)| name == "queue-position")
        .and_then(|(_, value)| str::from_utf8(value).ok()?.parse().ok());
    typed("text/html; charset=utf-8", shop::page(position))
        .with(CACHE_CONTROL, "private, no-store")
        .with(
            SET_COOKIE,
            format!("shop_session={session:08x}; Path=/; HttpOnly"),
        )
}

fn echo(seen: &Seen) -> Response {
    let headers: Vec<_> = seen
        .headers
        .iter()
        .map(|(name, value)| json!([name, String::from_utf8_lossy(value)]))
        .collect();
    let body = json!({
        "method": seen.method,
        "target": seen.target,
        "headers": headers,
        "body_length": seen.body_length,
    });
    typed("application/json", body.to_string())
}

/// The counter shows whether an answer came from here or from a cache.
fn cached() -> Response {
    static ANSWERS: AtomicU64 = AtomicU64::new(1);
    let count = ANSWERS.fetch_add(1, Ordering::Relaxed);
    typed("text/plain", format!("Answer {count}.\n"))
        .with(CACHE_CONTROL, "public, max-age=60")
        .with(ETAG, "\"demo\"")
}

/// An answer as the query words it: the status, and any headers, such as `status=404&vary=cookie`. Its number says whether it came
/// from here or from a cache.
fn as_asked(query: &str) -> Response {
    static ANSWERS: AtomicU64 = AtomicU64::new(1);
    let count = ANSWERS.fetch_add(1, Ordering::Relaxed);
    let mut response = typed("text/plain", format!("Answer {count}.\n"));
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if name == "status" {
            let status = value
                .parse()
                .ok()
                .and_then(|code| StatusCode::from_u16(code).ok());
            *response.status_mut() = status.unwrap_or_default();
        } else if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
            response.headers_mut().append(name, value);
        }
    }
    response
}

fn download(megabytes: u64) -> Response {
    let body = Filler {
        left: megabytes.min(MOST_MEGABYTES) * 1_000_000,
    };
    let mut response = Response::new(body.boxed());
    response.headers_mut().insert(
        CONTENT_TYPE,
        HeaderValue::from_static("application/octet-stream"),
    );
    response
}

fn number(query: Option<&str>, key: &str) -> Option<u64> {
    parameter(query, key)?.parse().ok()
}

pub(super) fn parameter<'a>(query: Option<&'a str>, key: &str) -> Option<&'a str> {
    let mut pairs = query?.split('&').filter_map(|pair| pair.split_once('='));
    Some(pairs.find(|(name, _)| *name == key)?.1)
}

pub(super) fn typed(content_type: &'static str, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Full::new(body.into()).boxed());
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Words an answer in one expression.
trait Wording {
    fn with<V: TryInto<HeaderValue>>(self, name: HeaderName, value: V) -> Self;
    fn status(self, status: StatusCode) -> Self;
}

impl Wording for Response {
    fn with<V: TryInto<HeaderValue>>(mut self, name: HeaderName, value: V) -> Self {
        if let Ok(value) = value.try_into() {
            self.headers_mut().append(name, value);
        }
        self
    }

    fn status(mut self, status: StatusCode) -> Self {
        *self.status_mut() = status;
        self
    }
}

/// A body of known length made of one block, sent again and again.
struct Filler {
    left: u64,
}

static BLOCK: [u8; 65_536] = [b'.'; 65_536];

impl Body for Filler {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let wanted = usize::try_from(self.left).unwrap_or(BLOCK.len());
        let part = BLOCK.get(..wanted).unwrap_or(&BLOCK);
        self.left -= part.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
