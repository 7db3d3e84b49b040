//! A visitor's request at the origin: how it is sent, and what becomes of the answer.

use std::time::Instant;

use fastly::Request;
use fastly::http::HeaderValue;
use fastly::http::request::SendErrorCause;

use now_serving::config::budget::URL;
use now_serving::http::{Call, Commands, Forward, OnBad, Reply, Way, upgrades_only};
use now_serving::queue::Answered;
use now_serving::service::{self, Delivery, Forwarded};

use super::command::obeyed;
use super::outbox::Counts;
use super::request::send;
use super::to_origin::{Sent, ToOrigin};
use super::watch::{head_delivered, watched};

/// Sends the request on, bodies untouched: the host answers the visitor from the origin while this sandbox takes the
/// next request. Where the origin may command something, the sandbox waits for the head of the answer. An answer takes its place
/// if the request could not even be begun.
pub(super) fn forwarded(
    request: Request,
    forward: &Forward,
    call: &Call,
    failed: &dyn Fn() -> Reply,
    counts: &Counts,
) -> Forwarded {
    let lines = || {
        request
            .get_header_all("connection")
            .map(HeaderValue::as_bytes)
    };
    if forward.way == Way::WebSocket && !upgrades_only(lines()) {
        return instead(service::bad_upgrade(call), None);
    }
    if request.get_url_str().len() > URL {
        return instead(service::too_long(call, forward), None);
    }
    let began = Instant::now();
    let sent = ToOrigin::new(request, forward, call).send();
    let handed_over = sent.and_then(|sent| match (sent, &forward.commands) {
        (Sent::Passed(pending), Commands::Read(ending)) => {
            obeyed(pending, began, forward, ending.as_deref(), call)
        }
        (Sent::Passed(pending), Commands::Unread) if let Some(watch) = &forward.watch => {
            watched(pending, began, forward, watch, call)
        }
        (Sent::Passed(pending), Commands::Unread) if call.method == "HEAD" => {
            head_delivered(pending, began, forward, call)
        }
        (sent, _) => sent
            .handed_over(&forward.set_cookies)
            .map(|()| Forwarded::default()),
    });
    let cause = match handed_over {
        Ok(forwarded) => return forwarded,
        Err(cause) => cause,
    };
    // What this sandbox may not send says nothing of the origin.
    let answered = (!counts.are_at_limit(&cause)).then_some(Answered::Bad);
    let is_withheld = forward
        .watch
        .is_some_and(|watch| watch.on_bad == OnBad::KeepPlace);
    match cause {
        // So the SDK names what the platform answers while its product for WebSockets is switched off.
        SendErrorCause::FanoutNotEnabled => instead(service::no_web_sockets(call), None),
        _ if is_withheld => Forwarded {
            status: None,
            answered,
            end: Delivery::Withheld,
        },
        _ => instead(failed(), forward.watch.and(answered)),
    }
}

/// An answer of ours in place of the origin's.
fn instead(reply: Reply, answered: Option<Answered>) -> Forwarded {
    Forwarded {
        status: Some(send(reply)),
        answered,
        end: Delivery::Delivered,
    }
}
