//! What a challenged visitor is answered.

use crate::http::{Call, Reply};
use crate::page::{self, Challenge, Waiting};
use crate::request::Request;
use crate::ticket::Ticket;
use crate::ticket::challenge::TRIES;
use crate::visitor::language;
use crate::visitor::urls::{self, here};
use crate::visitor::visit::Visit;

/// The page goes on by itself when the wait is over, by GET.
pub(super) fn challenged(
    status: u16,
    challenge: &Challenge,
    waiting: &Waiting,
    ticket: &Ticket,
    request: &Request<'_>,
) -> Reply {
    let here = here(request.call);
    let shell = language::shell(Some(ticket), request);
    let unsent = waiting.unsent.then(|| shell.words.text("unsent"));
    page::challenge(status, waiting.refresh, challenge, unsent, &here, shell)
        .with("refresh", format!("{}; url={here}", waiting.refresh))
}

/// What a challenged visitor is asked for.
pub(super) fn challenge(visit: &Visit, request: &Request<'_>) -> Challenge {
    let Request { config, room, .. } = *request;
    let text = config.tickets.keys.challenge(&visit.ticket, request.now);
    let asked = visit.ticket.challenge();
    let answer_to = format!("{}/challenge", request.room.routes);
    let verifier = room.verifier.as_deref();
    Challenge {
        verifier: verifier.map(|page| verifier_link(page, &text, &answer_to, request.call)),
        text,
        tries: asked.map_or(TRIES, |asked| asked.tries()),
        answer_to,
        invitation: urls::invitation(request),
    }
}

/// The way to the verifier, which leads back to the address that the visitor is at. A verifier of another site reads in it
/// which site the answer goes to.
fn verifier_link(page: &str, text: &str, answer_to: &str, call: &Call) -> String {
    let site = if page.starts_with('/') {
        String::new()
    } else {
        call.site()
    };
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("text", text)
        .append_pair("to", &here(call))
        .append_pair("answer_to", &format!("{site}{answer_to}"))
        .finish();
    format!("{page}?{query}")
}
