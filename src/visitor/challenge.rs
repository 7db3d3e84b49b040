//! The answer to a challenge: with a right one the ticket may draw. No store is asked.

use super::api::{ApiAnswer, back, bad, bad_destination};
use super::ticket_cookie;
use super::urls::{self, destination};
use crate::queue::Reason;
use crate::request::Request;
use crate::ticket::Ticket;
use crate::ticket::challenge::{Answer, Challenged, Proof, TRIES};

/// What comes of an answer. One that is no longer good leads to another challenge.
pub(super) fn answer(ticket: Option<Ticket>, request: &Request<'_>) -> ApiAnswer {
    let Request { call, config, .. } = *request;
    let Some(to) = destination(call) else {
        return bad_destination();
    };
    let given = (call.parameter("text"), call.parameter("answer"));
    let (Some(text), Some(answer)) = given else {
        return bad(
            "text",
            None,
            "what the challenge says, and answer beside it",
        );
    };
    let Some(held) = ticket else {
        return ApiAnswer::Reply(back(&urls::cookies(request.room, &to, 1)), Reason::Cookies);
    };
    let (keys, proof) = (&config.tickets.keys, request.room.proof());
    let is_asked = held.is_provisional();
    match keys.answer(&held, proof, &text, &answer, request.now) {
        Answer::Solved(ticket) if is_asked => {
            let cookies = ticket_cookie::cookies(&ticket, request);
            ApiAnswer::Reply(back(&to).with_cookies(cookies), Reason::Solved)
        }
        Answer::Wrong => bad("answer", Some(&answer), &accepted(proof, held.challenge())),
        Answer::Solved(_) | Answer::Stale => ApiAnswer::Reply(back(&to), Reason::Challenged),
    }
}

fn accepted(proof: Proof, asked: Option<Challenged>) -> String {
    match proof {
        Proof::Calculation => {
            let tries = asked.map_or(TRIES, |asked| asked.tries());
            format!(
                "one with which the first 64 bits of SHA-256 of text:answer are below 2^64 / {tries}"
            )
        }
        Proof::Verifier => {
            let accepted =
                "HMAC-SHA256 of text by the key of verifiers, in 64 lower-case hexadecimal digits";
            accepted.to_owned()
        }
    }
}
