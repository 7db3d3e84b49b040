//! A visitor's request at the origin: how it is sent, and what becomes of the answer.

use std::time::Instant;

use fastly::Request;
use fastly::http::HeaderValue;
use fastly::http::request::SendErrorCause;

use now_serving::config::budget::URL;
use now_serving::http::{Call, Commands, Forward, OnBad, Reply, Way, upgrades_only};
use now_serving::queue::Answered;
use now_serving::service;

use super::command::{Obeyed, obeyed};
use super::outbox::Counts;
use super::to_origin::{Sent, ToOrigin};
use super::watch::{Watched, elapsed_ms, head_delivered, watched};

/// Sends the request on, bodies untouched: the host answers the visitor from the origin while this sandbox takes the
/// next request. Where the origin may command something, the sandbox waits for the head of the answer. An answer takes its place
/// if the request could not even be begun.
pub(super) fn forwarded(
    request: Request,
    forward: &Forward,
    (call, counts): (&Call, &Counts),
) -> (Forwarded, Option<Answered>) {
    let lines = || {
        request
            .get_header_all("connection")
            .map(HeaderValue::as_bytes)
    };
    if forward.way == Way::WebSocket && !upgrades_only(lines()) {
        return (Forwarded::Instead(service::bad_upgrade(call)), None);
    }
    if request.get_url_str().len() > URL {
        return (Forwarded::Instead(service::too_long(call, forward)), None);
    }
    let began = Instant::now();
    let sent = ToOrigin::new(request, forward, call).send();
    let handed_over = sent.and_then(|sent| match (sent, &forward.commands) {
        (Sent::Passed(pending), Commands::Read(ending)) => {
            let obeyed = obeyed(pending, forward, ending.as_deref(), call)?;
            let answered = forward
                .watch
                .map(|watch| Answered::of(Some(obeyed.status), elapsed_ms(began), watch.slow_ms));
            Ok((Forwarded::Obeyed(obeyed), answered))
        }
        (Sent::Passed(pending), Commands::Unread) if let Some(watch) = &forward.watch => {
            let (watched, answered) = watched(pending, began, (forward, watch), call)?;
            Ok((Forwarded::Watched(watched), Some(answered)))
        }
        (Sent::Passed(pending), Commands::Unread) if call.method == "HEAD" => {
            head_delivered(pending, began, forward, call).map(|()| (Forwarded::HandedOver, None))
        }
        (sent, _) => sent
            .handed_over(&forward.set_cookies)
            .map(|()| (Forwarded::HandedOver, None)),
    });
    let failed = handed_over.as_ref().err();
    let is_at_limit = failed.is_some_and(|cause| counts.are_at_limit(cause));
    // What this sandbox may not send says nothing of the origin.
    let bad = (!is_at_limit).then_some(Answered::Bad);
    let reply = match handed_over {
        Ok(forwarded) => return forwarded,
        // So the SDK names what the platform answers while its product for WebSockets is switched off.
        Err(SendErrorCause::FanoutNotEnabled) => service::no_web_sockets(call),
        Err(_) if is_rescued(forward) => {
            return (Forwarded::Watched(Watched::Withheld), bad);
        }
        Err(_) => service::origin_failed(call, forward),
    };
    let answered = forward.watch.and(bad);
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
