//! Requests on their way to the origin.
//!
//! Invariant: [`ToOrigin`] alone sends to a backend of the origin, and when one is made it is settled whether the platform
//! may keep the answer in a shared cache. `clippy.toml` finds a call of the SDK that sends in any other place.

use std::time::Duration;

use fastly::experimental::{BackendExt as _, BackendHealth};
use fastly::handle::{BodyHandle, CacheOverride, PendingRequestHandle, RequestHandle};
use fastly::http::header::{AGE, CACHE_CONTROL, COOKIE, SET_COOKIE, USER_AGENT};
use fastly::http::request::{PendingRequest, PendingResponseKind, SendErrorCause};
use fastly::http::{CandidateResponse, HeaderName, HeaderValue, Url};
use fastly::{Backend, Request};

use now_serving::config::ORIGIN;
use now_serving::http::{Call, Forward, PRIVATE, Site, Way, is_for_all, told};

/// A request for the origin, marked as a *pass* or for the cache.
///
/// As a *pass* the platform keeps no answer, shows none to another visitor and makes no request wait for another one of the same
/// address; without it a `200` would be kept for two minutes. Every request is a pass, except those whose paths the settings
/// list for the cache.
pub(super) struct ToOrigin<'a> {
    backend: &'a str,
    request: RequestHandle,
    body: Option<BodyHandle>,
    way: Way,
}

impl<'a> ToOrigin<'a> {
    /// A visitor's request, with what is ours taken out and what the origin should know put in. Where the answer is watched, a body that
    /// no header announced, as HTTP/2 allows, stays here: its sender could make the answer late.
    pub(super) fn new(mut request: Request, forward: &'a Forward, call: &Call) -> Self {
        // What came may name the same path in another way, such as by dot segments. What was judged is what is sent.
        let judged = request.get_url().clone();
        request.set_pass(match forward.way {
            Way::Pass | Way::WebSocket => true,
            Way::Cache => false,
        });
        let (mut request, body) = request.into_handles();
        request.set_url(&judged);
        prepare(&mut request, forward, call);
        let body = body.filter(|_| forward.watch.is_none() || call.has_body());
        Self {
            backend: named(&forward.site),
            request,
            body,
            way: forward.way,
        }
    }

    /// Sends it as it was marked.
    pub(super) fn send(self) -> Result<Sent, SendErrorCause> {
        match self.way {
            Way::Pass => self.send_pass().map(Sent::Passed),
            Way::Cache => self.send_to_cache(),
            Way::WebSocket => self.hand_off(),
        }
    }

    /// Sends a request of the edge's own: a pass, with none of a visitor's headers.
    pub(super) fn send_probe(
        url: &Url,
        site: &'a Site,
    ) -> Result<PendingRequestHandle, SendErrorCause> {
        let mut request = RequestHandle::new();
        request.set_url(url);
        request.insert_header(&USER_AGENT, &HeaderValue::from_static("now-serving-health"));
        request.set_cache_override(&CacheOverride::Pass);
        let probe = Self {
            backend: named(site),
            request,
            body: None,
            way: Way::Pass,
        };
        probe.send_pass()
    }

    /// Sends a pass. By its handle: [`Request::send_async`] copies the whole request from the host first, for an error that is
    /// not looked at here.
    #[expect(
        clippy::disallowed_methods,
        reason = "the request is marked as a pass by each of the functions that lead here"
    )]
    fn send_pass(self) -> Result<PendingRequestHandle, SendErrorCause> {
        let body = self.body.unwrap_or_else(BodyHandle::new);
        self.request.send_async(body, self.backend)
    }

    /// Sends what may be cached; as a pass where there is no such cache, as on the local server.
    ///
    /// A body that no header announced, as HTTP/2 allows, stays here: it would change for one visitor what is then kept for all.
    #[expect(
        clippy::disallowed_methods,
        reason = "an answer for one visitor is not stored: `keep_what_is_for_all`"
    )]
    fn send_to_cache(self) -> Result<Sent, SendErrorCause> {
        let request =
            Request::from_handles(self.request, None).with_after_send(keep_what_is_for_all);
        let unsent = match request.send_async(self.backend) {
            Ok(pending) => return Ok(Sent::Cached(Box::new(pending))),
            Err(unsent) => unsent,
        };
        if !matches!(unsent.root_cause(), SendErrorCause::HttpCacheApiUnsupported) {
            return Err(unsent.into());
        }
        let mut request = unsent.into_sent_req();
        request.set_pass(true);
        let (request, body) = request.into_handles();
        let passed = Self {
            request,
            body,
            way: Way::Pass,
            ..self
        };
        passed.send_pass().map(Sent::Passed)
    }

    /// Gives the connection of a WebSocket to the host.
    #[expect(
        clippy::disallowed_methods,
        reason = "a WebSocket is for one visitor, and the request is marked as a pass"
    )]
    fn hand_off(mut self) -> Result<Sent, SendErrorCause> {
        self.request.handoff_websocket(self.backend)?;
        Ok(Sent::HandedOver)
    }
}

/// The name of a site's backend.
fn named(site: &Site) -> &str {
    site.backend.as_deref().unwrap_or(ORIGIN)
}

/// A request that is under way to the origin, or to the cache.
pub(super) enum Sent {
    /// Sent as a pass.
    Passed(PendingRequestHandle),
    /// Sent by way of the cache. Boxed for its size.
    Cached(Box<PendingRequest>),
    /// A WebSocket, which the host has already.
    HandedOver,
}

impl Sent {
    /// Leaves it to the host. Cookies come with the visitor's own answer; none of them is ever in the cache.
    pub(super) fn handed_over(self, cookies: &[String]) -> Result<(), SendErrorCause> {
        let any = PendingResponseKind::Any;
        match self {
            Self::Passed(pending) => {
                hand_over(pending, cookies);
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

/// Leaves the answer to the host, whenever it comes, with what the visitor gets besides.
pub(super) fn hand_over(pending: PendingRequestHandle, cookies: &[String]) {
    let any = PendingResponseKind::Any;
    for cookie in cookies {
        pending.append_response_header(SET_COOKIE, cookie, any);
    }
    if !cookies.is_empty() {
        pending.set_response_header(CACHE_CONTROL, PRIVATE, any);
    }
    pending.send_to_client();
}

/// How long it is noted that an answer was not stored. As long as the answer says an error would keep a whole path from the cache.
const NOTED: Duration = Duration::from_secs(10);

/// Runs before an answer is stored. One that is not stored is noted, so that requests for it do not wait for each other.
#[expect(
    clippy::unnecessary_wraps,
    reason = "the SDK asks for a function that may fail"
)]
fn keep_what_is_for_all(answer: &mut CandidateResponse) -> Result<(), SendErrorCause> {
    let status = answer.get_status().as_u16();
    let lines = |name| answer.get_header_all(name).map(HeaderValue::as_bytes);
    if !is_for_all(status, lines) {
        // A note lives longer by the age of the answer, so there is none of one that has an age.
        let has_age = answer.get_header(AGE).is_some();
        answer.set_uncacheable(!has_age);
        answer.set_ttl(NOTED);
    }
    Ok(())
}

/// Whether a health check of the platform, where this backend has one, says that the origin is down.
pub(super) fn is_unhealthy(site: &Site) -> bool {
    let health = Backend::from_name(named(site)).map(|backend| backend.is_healthy());
    matches!(health, Ok(Ok(BackendHealth::Unhealthy)))
}

/// What is ours goes, what the origin should know comes. Every change is a call to the host, so nothing is changed that
/// need not be.
///
/// A `Host` among it is the one that is sent, unless the backend has an `override_host`: so says the SDK at
/// `BackendBuilder::override_host`, and so it is on the local server. The URL stays the visitor's.
fn prepare(request: &mut RequestHandle, forward: &Forward, call: &Call) {
    let came: Vec<&[u8]> = call.lines("cookie").collect();
    let left = forward.cookies.left(came.iter().copied());
    let is_as_it_came = match (&left, came.as_slice()) {
        (None, []) => true,
        (Some(left), [line]) => left == line,
        _ => false,
    };
    if !is_as_it_came {
        request.remove_header(&COOKIE);
        if let Some(left) = left.and_then(|left| HeaderValue::from_bytes(&left).ok()) {
            request.insert_header(&COOKIE, &left);
        }
    }
    let told: Vec<(&'static str, HeaderValue)> = told(call, forward)
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.parse().ok()?)))
        .collect();
    let is_told = |name: &str| told.iter().any(|(told, _)| *told == name);
    // A WebSocket is none without it.
    let is_needed =
        |name: &str| forward.way == Way::WebSocket && matches!(name, "connection" | "upgrade");
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
