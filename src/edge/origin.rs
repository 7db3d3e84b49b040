//! The way to the origin: what a request loses and gains, and how it is sent.
//!
//! Invariant: one function sends a visitor's request to the origin, and it decides whether the answer may be kept in a
//! shared cache.

use std::time::Instant;

use fastly::experimental::{BackendExt as _, BackendHealth};
use fastly::handle::{BodyHandle, CacheOverride, PendingRequestHandle, RequestHandle};
use fastly::http::header::{CACHE_CONTROL, COOKIE, SET_COOKIE, USER_AGENT};
use fastly::http::request::{PendingRequest, PendingResponseKind, SendErrorCause};
use fastly::http::{CandidateResponse, HeaderName, HeaderValue, Url};
use fastly::{Backend, Request};

use now_serving::http::{
    Call, Commands, Forward, OnBad, PRIVATE, Reply, Way, forbids_storing, told, upgrades_only,
};
use now_serving::queue::Answered;
use now_serving::service;

use super::command::{Obeyed, obeyed};
use super::watch::{Watched, elapsed_ms, watched};

/// The usual one.
const ORIGIN: &str = "protected_content";

/// Sends the request on, bodies untouched: the host answers the visitor from the origin while this sandbox takes the
/// next request. Where the origin may command something, the sandbox waits for the head of the answer. An answer takes its place
/// if the request could not even be begun.
pub(super) fn forwarded(
    request: Request,
    forward: &Forward,
    call: &Call,
) -> (Forwarded, Option<Answered>) {
    let lines = || {
        request
            .get_header_all("connection")
            .map(HeaderValue::as_bytes)
    };
    if forward.way == Way::WebSocket && !upgrades_only(lines()) {
        return (Forwarded::Instead(service::bad_upgrade(call)), None);
    }
    let began = Instant::now();
    let sent = sent(request, forward, call);
    let handed_over = sent.and_then(|sent| match (sent, &forward.commands) {
        (Sent::Passed(pending), Commands::Read(ending)) => {
            let obeyed = obeyed(pending, forward, ending.as_deref())?;
            let answered = forward
                .watch
                .map(|watch| Answered::of(Some(obeyed.status), elapsed_ms(began), watch.slow_ms));
            Ok((Forwarded::Obeyed(obeyed), answered))
        }
        (Sent::Passed(pending), Commands::Unread) if let Some(watch) = &forward.watch => {
            let (watched, answered) = watched(pending, began, (forward, watch))?;
            Ok((Forwarded::Watched(watched), Some(answered)))
        }
        (sent, _) => sent
            .handed_over(&forward.set_cookies)
            .map(|()| (Forwarded::HandedOver, None)),
    });
    let reply = match handed_over {
        Ok(forwarded) => return forwarded,
        // So the SDK names what the platform answers while its product for WebSockets is switched off.
        Err(SendErrorCause::FanoutNotEnabled) => service::no_web_sockets(call),
        Err(_) if is_rescued(forward) => {
            return (Forwarded::Watched(Watched::Withheld), Some(Answered::Bad));
        }
        Err(_) => service::origin_failed(call, forward),
    };
    let answered = forward.watch.map(|_| Answered::Bad);
    (Forwarded::Instead(reply), answered)
}

fn is_rescued(forward: &Forward) -> bool {
    let watch = forward.watch.as_ref();
    watch.is_some_and(|watch| watch.on_bad == OnBad::KeepPlace)
}

/// What became of a request for the origin.
pub(super) enum Forwarded {
    /// The host answers the visitor.
    HandedOver,
    /// The answer was looked at for commands, and is under way.
    Obeyed(Obeyed),
    /// The answer was watched.
    Watched(Watched),
    /// This takes its place.
    Instead(Reply),
}

/// What is under way to the origin, or to the cache.
enum Sent {
    Passed(PendingRequestHandle),
    /// Boxed for its size.
    Cached(Box<PendingRequest>),
    /// A WebSocket, which the host has already.
    HandedOver,
}

impl Sent {
    /// Leaves it to the host. Cookies come with the visitor's own answer; none of them is ever in the cache.
    fn handed_over(self, cookies: &[String]) -> Result<(), SendErrorCause> {
        let any = PendingResponseKind::Any;
        match self {
            Self::Passed(pending) => {
                hand_over(&pending, cookies);
                pending.send_to_client();
                Ok(())
            }
            Self::Cached(mut pending) => {
                for cookie in cookies {
                    pending.append_response_header(SET_COOKIE, cookie, any);
                }
                if !cookies.is_empty() {
                    pending.set_response_header(CACHE_CONTROL, PRIVATE, any);
                }
                Ok(pending.send_to_client()?)
            }
            Self::HandedOver => Ok(()),
        }
    }
}

/// What the visitor gets besides the answer, whenever it comes.
pub(super) fn hand_over(pending: &PendingRequestHandle, cookies: &[String]) {
    let any = PendingResponseKind::Any;
    for cookie in cookies {
        pending.append_response_header(SET_COOKIE, cookie, any);
    }
    if !cookies.is_empty() {
        pending.set_response_header(CACHE_CONTROL, PRIVATE, any);
    }
}

/// The only way to the origin. As a *pass* the platform keeps no answer, shows none to another visitor and makes no
/// request wait for another one of the same address; without it a `200` would be kept for two minutes. So is sent
/// whatever the settings do not list for the cache, and where there is no such cache, as on the local server.
///
/// Passed by its handle: [`Request::send_async`] copies the whole request from the host first, for an error that is not
/// looked at here.
fn sent(mut request: Request, forward: &Forward, call: &Call) -> Result<Sent, SendErrorCause> {
    let backend = forward.backend.as_deref().unwrap_or(ORIGIN);
    let passed = |handle: RequestHandle, body: Option<BodyHandle>| {
        let body = body.unwrap_or_else(BodyHandle::new);
        handle.send_async(body, backend).map(Sent::Passed)
    };
    let may_be_cached = forward.way == Way::Cache;
    // What came may name the same path in another way, such as by dot segments. What was judged is what is sent.
    let judged = request.get_url().clone();
    request.set_pass(!may_be_cached);
    let (mut handle, body) = request.into_handles();
    handle.set_url(&judged);
    prepare(&mut handle, forward, call);
    match forward.way {
        Way::Pass => return passed(handle, body),
        Way::WebSocket => {
            handle.handoff_websocket(backend)?;
            return Ok(Sent::HandedOver);
        }
        Way::Cache => {}
    }
    // A body that no header announced, as HTTP/2 allows, would change for one visitor what is then kept for all.
    let request = Request::from_handles(handle, None).with_after_send(keep_what_is_for_all);
    let unsent = match request.send_async(backend) {
        Ok(pending) => return Ok(Sent::Cached(Box::new(pending))),
        Err(unsent) => unsent,
    };
    if !matches!(unsent.root_cause(), SendErrorCause::HttpCacheApiUnsupported) {
        return Err(unsent.into());
    }
    let mut request = unsent.into_sent_req();
    request.set_pass(true);
    let (handle, body) = request.into_handles();
    passed(handle, body)
}

/// Runs before an answer is stored. One that is not stored is noted, so that requests for it do not wait for each other.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the SDK asks for a function that may fail"
)]
fn keep_what_is_for_all(answer: &mut CandidateResponse) -> Result<(), SendErrorCause> {
    let to_all = answer.get_header_all(CACHE_CONTROL);
    let to_platform = answer.get_header_all("surrogate-control");
    let is_for_one = forbids_storing(
        to_all.map(HeaderValue::as_bytes),
        to_platform.map(HeaderValue::as_bytes),
    );
    if is_for_one || answer.contains_header(SET_COOKIE) {
        answer.set_uncacheable(true);
    }
    Ok(())
}

/// Asks the origin by no visitor's request: as a *pass*, and with none of a visitor's headers.
pub(super) fn probed(
    url: &Url,
    backend: Option<&str>,
) -> Result<PendingRequestHandle, SendErrorCause> {
    let mut request = RequestHandle::new();
    request.set_url(url);
    request.insert_header(&USER_AGENT, &HeaderValue::from_static("now-serving-health"));
    request.set_cache_override(&CacheOverride::Pass);
    request.send_async(BodyHandle::new(), backend.unwrap_or(ORIGIN))
}

/// Whether a health check of the platform, where this backend has one, says that the origin is down.
pub(super) fn is_unhealthy(backend: Option<&str>) -> bool {
    let health = Backend::from_name(backend.unwrap_or(ORIGIN)).map(|backend| backend.is_healthy());
    matches!(health, Ok(Ok(BackendHealth::Unhealthy)))
}

/// What is ours goes, what the origin should know comes. Every change is a call to the host, so nothing is changed that
/// need not be.
fn prepare(request: &mut RequestHandle, forward: &Forward, call: &Call) {
    let came: Vec<&[u8]> = call.lines("cookie").collect();
    let left: Vec<Vec<u8>> = came
        .iter()
        .filter_map(|line| forward.cookies.left(line))
        .collect();
    if left != came {
        request.remove_header(&COOKIE);
        for line in left.iter().flat_map(|line| HeaderValue::from_bytes(line)) {
            request.append_header(&COOKIE, &line);
        }
    }
    let told: Vec<(&'static str, HeaderValue)> = told(call, forward)
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let is_told = |name: &str| told.iter().any(|(told, _)| *told == name);
    // A WebSocket is none without it.
    let is_needed = |name: &str| forward.way == Way::WebSocket && name == "connection";
    let is_gone = |name: &&String| !is_told(name) && !is_needed(name);
    // What is set replaces what came.
    for name in call.withheld.iter().filter(is_gone) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            request.remove_header(&name);
        }
    }
    for (name, value) in &told {
        request.insert_header(&HeaderName::from_static(name), value);
    }
}
