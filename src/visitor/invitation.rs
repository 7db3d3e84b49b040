//! How an invitation comes here: from the page that takes one, or from an app, by a form.
//!
//! Invariant: a link is safe to open (RFC 9110, 9.2.1): what scans mails may run a browser, and uses none up. It leads to a page with
//! one button. No store is asked here. What is verified goes into the visitor's ticket, and the next page brings it to the line,
//! so a client that keeps no ticket uses none up. The code stands in no address of ours, and in no answer but that page.

use super::api::{ApiAnswer, back, bad, bad_destination};
use super::kind::is_from_here;
use super::urls::{destination, sound_destination};
use super::{Brought, Kind, kind, language, ticket_cookie};
use crate::http::body::{self, Unread};
use crate::http::negotiate::{FORM, media, wants_json};
use crate::http::{Call, Reply, field};
use crate::page;
use crate::queue::invitation::PARAMETER;
use crate::queue::{Invited, Reason};
use crate::request::Request;
use crate::ticket::{Notice, Ticket};
use crate::visitor::visit::outside_now;
use std::io::Read;

/// The most that a form may hold, in bytes.
const LONGEST_FORM: u64 = 4096;

/// The page with the form, and what the form and the script of the waiting page send.
pub(super) fn answer(body: &mut dyn Read, request: &Request<'_>) -> ApiAnswer {
    if !request.room.invitations.are_taken() {
        return ApiAnswer::Reply(none_taken(), Reason::BadRequest);
    }
    match request.call.method.as_str() {
        "POST" => posted(body, request),
        _ => ApiAnswer::Invitation(form(request), None),
    }
}

/// The answer where no invitation is taken.
#[must_use]
pub fn none_taken() -> Reply {
    let detail =
        "no invitations are taken here; the setting invited_per_minute is 0 and priority is empty";
    Reply::problem(404, "No invitations", detail)
}

fn form(request: &Request<'_>) -> Reply {
    let to = destination(request.call).unwrap_or_else(|| "/".to_owned());
    asking(None, &to, request)
}

/// The page that takes an invitation: the code that came with the link, if one did, and where the visitor goes on.
fn asking(code: Option<&str>, to: &str, request: &Request<'_>) -> Reply {
    let held = ticket_cookie::ticket(request);
    let shell = language::shell(held.as_ref(), request);
    let action = format!("{}/invitation", request.room.routes);
    page::invitation(&action, code, to, shell).with("vary", "Accept-Language, Cookie")
}

fn posted(body: &mut dyn Read, request: &Request<'_>) -> ApiAnswer {
    let form = match form_of(body, request.call) {
        Ok(form) => form,
        Err(reply) => return ApiAnswer::Reply(reply, Reason::BadRequest),
    };
    let Some(to) = field(&form, "to").filter(|to| sound_destination(to)) else {
        return bad_destination();
    };
    let Some(code) = field(&form, PARAMETER) else {
        return bad(PARAMETER, None, "the code of an invitation");
    };
    // A form of another page brings no ticket along, and its answer would replace the one that the visitor has.
    if !is_from_here(request.call) {
        return ApiAnswer::Invitation(back(&to), None);
    }
    let (cookies, refused) = brought(&code, request);
    ApiAnswer::Invitation(back(&to).with_cookies(cookies), refused)
}

/// The bytes of the form.
fn form_of(body: &mut dyn Read, call: &Call) -> Result<Vec<u8>, Reply> {
    if media(&call.header("content-type")) != FORM {
        let detail = format!("the type is not {FORM}, which is accepted");
        return Err(Reply::problem(415, "Unsupported type", &detail));
    }
    body::whole(body, LONGEST_FORM).map_err(|unread| {
        let (status, title) = match unread {
            Unread::BrokeOff => (400, "Bad request"),
            Unread::TooLong(_) => (413, "Content too large"),
        };
        Reply::problem(status, title, &unread.to_string())
    })
}

/// A link with an invitation in its query is answered by the page with the button, which leads to the same address without it;
/// a visitor inside, who needs none, and a program are led there at once. Nothing for any other request.
#[must_use]
pub fn of_link(request: &Request<'_>) -> Option<Reply> {
    let call = request.call;
    let code = call.parameter(PARAMETER).filter(|code| is_a_token(code))?;
    let is_page = matches!(kind(request, Brought::Nothing), Kind::First | Kind::Visit);
    if !request.room.invitations.are_taken() || !is_page {
        return None;
    }
    let to = match call.query_without(PARAMETER) {
        Some(query) => format!("{}?{query}", call.path),
        None => call.path.clone(),
    };
    // Two slashes would lead to another site.
    let to = if to.starts_with("//") {
        format!("/.{to}")
    } else {
        to
    };
    if wants_json(call) || outside(request).is_none() || !sound_destination(&to) {
        return Some(back(&to).without_referrer());
    }
    // A form of a page without any referrer would not say from where it comes.
    Some(asking(Some(&code), &to, request).with_referrer("strict-origin"))
}

/// A visitor may paste the whole link, and programs may have written more behind it.
fn code_of(given: &str) -> &str {
    let (_, code) = given.rsplit_once("invitation=").unwrap_or(("", given));
    let is_other = |letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter);
    code.trim().split(is_other).next().unwrap_or_default()
}

/// Whether it has the form of a code: the site's own pages may have a parameter of the same name.
fn is_a_token(text: &str) -> bool {
    text.split('.').count() == 3 && code_of(text) == text
}

/// The ticket that came, or a new one; none for a visitor inside.
fn outside(request: &Request<'_>) -> Option<Ticket> {
    match ticket_cookie::ticket(request) {
        Some(held) => outside_now(held, request),
        None => Some(Ticket::provisional(request.call.id.clone(), request.now)),
    }
}

/// The ticket that brings the invitation to the line, or says why it is none. A visitor inside needs none.
fn brought(code: &str, request: &Request<'_>) -> (Vec<String>, Option<Invited>) {
    let Some(held) = outside(request) else {
        return (Vec::new(), None);
    };
    let keys = &request.config.tickets.keys;
    let read = keys.invitation(code_of(code), &request.room.name, request.now);
    let read = match read {
        Ok(invitation) if request.room.invitations.have_revoked(&invitation.batch) => {
            Err(Invited::Revoked)
        }
        read => read,
    };
    let refused = read.as_ref().err().copied();
    // Of a good one the store says what becomes of it.
    let notice = refused.and_then(Notice::of_invitation);
    // One that the ticket brings already is not lost by another, which may be used up.
    let ticket = Ticket {
        invitation: held.invitation.or_else(|| read.ok().map(Box::new)),
        notice,
        ..held
    };
    let cookies = if ticket.life > 0 {
        ticket_cookie::cookies_as_long(&ticket, request)
    } else {
        ticket_cookie::cookies(&ticket, request)
    };
    (cookies, refused)
}
