//! The way to the origin: what a request loses and gains, and how it is sent.
//!
//! Invariant: one function sends to the origin, and it decides whether the answer may be kept in a shared cache.

use fastly::handle::{BodyHandle, PendingRequestHandle, RequestHandle};
use fastly::http::header::{CACHE_CONTROL, COOKIE, SET_COOKIE};
use fastly::http::request::{PendingResponseKind, SendErrorCause};
use fastly::http::{HeaderName, HeaderValue};
use fastly::{Request, Response};

use now_serving::http::{Call, Forward, PRIVATE, told};
use now_serving::service;

const ORIGIN: &str = "protected_content";

/// Sends the request on, bodies untouched: the host answers the visitor from the origin while this sandbox takes the
/// next request. An answer takes its place if the request could not even be begun.
pub(super) fn forwarded(request: Request, forward: &Forward, call: &Call) -> Option<Response> {
    let Ok(pending) = sent(request, forward, call) else {
        return Some(super::response(service::origin_failed(call, forward)));
    };
    for cookie in &forward.set_cookies {
        pending.append_response_header(SET_COOKIE, cookie, PendingResponseKind::Any);
    }
    if !forward.set_cookies.is_empty() {
        pending.set_response_header(CACHE_CONTROL, PRIVATE, PendingResponseKind::Any);
    }
    pending.send_to_client();
    None
}

/// The only way to the origin. *Pass*: the platform keeps no answer, shows none to another visitor and makes no request
/// wait for another one of the same address. Without it a `200` would be kept for two minutes.
///
/// Sent by its handle: [`Request::send_async`] copies the whole request from the host first, for an error that is not
/// looked at here.
fn sent(
    mut request: Request,
    forward: &Forward,
    call: &Call,
) -> Result<PendingRequestHandle, SendErrorCause> {
    // What came may name the same path in another way, such as by dot segments. What was judged is what is sent.
    let judged = request.get_url().clone();
    request.set_pass(true);
    let (mut handle, body) = request.into_handles();
    handle.set_url(&judged);
    prepare(&mut handle, forward, call);
    handle.send_async(body.unwrap_or_else(BodyHandle::new), ORIGIN)
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
    // What is set replaces what came.
    for name in call.withheld.iter().filter(|name| !is_told(name)) {
        if let Ok(name) = HeaderName::from_bytes(name.as_bytes()) {
            request.remove_header(&name);
        }
    }
    for (name, value) in &told {
        request.insert_header(&HeaderName::from_static(name), value);
    }
}
