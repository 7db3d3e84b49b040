//! The origin's commands: on the paths of `command_paths` the edge waits for the head of an answer, and takes them out.

use std::time::Instant;

use fastly::handle::{PendingRequestHandle, ResponseHandle};
use fastly::http::HeaderName;
use fastly::http::request::SendErrorCause;

use now_serving::http::{COMMANDS, Call, Ending, Forward, commands};
use now_serving::queue::Answered;
use now_serving::service::{Delivery, Forwarded};

use super::watch::{deliver, elapsed_ms};

/// The longest command that is read, in bytes.
const LONGEST: usize = 1024;

/// Hands the answer on without its commands; with cookies that end the ticket, where the origin ends the session.
pub(super) fn obeyed(
    pending: PendingRequestHandle,
    began: Instant,
    forward: &Forward,
    ending: Option<&Ending>,
    call: &Call,
) -> Result<Forwarded, SendErrorCause> {
    let (mut head, body) = pending.wait()?;
    let ending = ending.filter(|_| is_commanded(&head));
    for (name, _) in COMMANDS {
        head.remove_header(&HeaderName::from_static(name));
    }
    let cookies = ending.map_or(&forward.set_cookies, |ending| &ending.cookies);
    let status = head.get_status().as_u16();
    deliver(head, body, cookies, call);
    let answered = forward
        .watch
        .map(|watch| Answered::of(Some(status), elapsed_ms(began), watch.slow_ms));
    Ok(Forwarded {
        status: Some(status),
        answered,
        end: if ending.is_some() {
            Delivery::SessionEnded
        } else {
            Delivery::Delivered
        },
    })
}

fn is_commanded(head: &ResponseHandle) -> bool {
    COMMANDS.into_iter().any(|(name, command)| {
        let value = head.get_header_value(&HeaderName::from_static(name), LONGEST);
        let value = value.ok().flatten();
        value.is_some_and(|value| commands(value.as_bytes(), command))
    })
}
