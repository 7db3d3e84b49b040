//! How the origin answers a request that is watched: its body is never touched, and no visitor waits longer for it.

use std::thread;
use std::time::{Duration, Instant};

use fastly::handle::{BodyHandle, PendingRequestHandle, PollHandleResult, ResponseHandle};
use fastly::http::header::{CACHE_CONTROL, CONTENT_LENGTH, SET_COOKIE};
use fastly::http::request::SendErrorCause;
use fastly::http::{FramingHeadersMode, HeaderValue};

use now_serving::http::{Call, Forward, OnBad, PRIVATE, Watch};
use now_serving::queue::Answered;
use now_serving::service::{Delivery, Forwarded};

use super::to_origin::hand_over;
use super::upstash::LENGTH;

/// How long the sandbox sleeps between two looks: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(8));

/// How long the sandbox waits for an answer to `HEAD`, in milliseconds.
const HEAD_MS: u64 = 1000;

/// Waits for the head of the answer until it is late, and leaves the rest to the host.
pub(super) fn watched(
    pending: PendingRequestHandle,
    began: Instant,
    forward: &Forward,
    watch: &Watch,
    call: &Call,
) -> Result<Forwarded, SendErrorCause> {
    let forwarded = |status, answered, end| Forwarded {
        status,
        answered: Some(answered),
        end,
    };
    match head_in_time(pending, began, watch.slow_ms)? {
        Head::There(head, body) => {
            let status = head.get_status().as_u16();
            let answered = Answered::of(Some(status), elapsed_ms(began), watch.slow_ms);
            if answered == Answered::Bad && watch.on_bad == OnBad::KeepPlace {
                return Ok(forwarded(None, answered, Delivery::Withheld));
            }
            deliver(head, body, &forward.set_cookies, call);
            Ok(forwarded(Some(status), answered, Delivery::Delivered))
        }
        Head::Awaited(pending) => {
            hand_over(pending, &forward.set_cookies);
            Ok(forwarded(None, Answered::Late, Delivery::Delivered))
        }
    }
}

/// Delivers the answer to a `HEAD`: the host hands over no length but that of a body. Where it is late, the host hands it over.
pub(super) fn head_delivered(
    pending: PendingRequestHandle,
    began: Instant,
    forward: &Forward,
    call: &Call,
) -> Result<Forwarded, SendErrorCause> {
    match head_in_time(pending, began, HEAD_MS)? {
        Head::There(head, body) => deliver(head, body, &forward.set_cookies, call),
        Head::Awaited(pending) => {
            hand_over(pending, &forward.set_cookies);
        }
    }
    Ok(Forwarded::default())
}

/// The head of an answer, or the request that still waits for it.
pub(super) enum Head {
    There(ResponseHandle, BodyHandle),
    Awaited(PendingRequestHandle),
}

pub(super) fn head_in_time(
    mut pending: PendingRequestHandle,
    began: Instant,
    slow_ms: u64,
) -> Result<Head, SendErrorCause> {
    let (mut pause, longest) = PAUSES;
    loop {
        pending = match pending.poll() {
            PollHandleResult::Done(answer) => {
                return answer.map(|(head, body)| Head::There(head, body));
            }
            PollHandleResult::Pending(pending) if elapsed_ms(began) > slow_ms => {
                return Ok(Head::Awaited(pending));
            }
            PollHandleResult::Pending(pending) => pending,
        };
        thread::sleep(pause);
        pause = (pause * 2).min(longest);
    }
}

/// Hands the answer on, with cookies of ours. That to a `HEAD` has the length of what a `GET` would bring (RFC 9110 9.3.2).
pub(super) fn deliver(mut head: ResponseHandle, body: BodyHandle, cookies: &[String], call: &Call) {
    let has_length = |head: &ResponseHandle| {
        matches!(head.get_header_value(&CONTENT_LENGTH, LENGTH), Ok(Some(_)))
    };
    if call.method == "HEAD" && has_length(&head) {
        head.set_framing_headers_mode(FramingHeadersMode::ManuallyFromHeaders);
    }
    let values = cookies
        .iter()
        .flat_map(|cookie| HeaderValue::from_str(cookie));
    for cookie in values {
        head.append_header(&SET_COOKIE, &cookie);
    }
    if !cookies.is_empty() {
        head.insert_header(&CACHE_CONTROL, &HeaderValue::from_static(PRIVATE));
    }
    head.send_to_client(body);
}

/// Since the request was sent.
pub(super) fn elapsed_ms(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
