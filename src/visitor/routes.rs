//! What the waiting page asks for besides itself: each [`Route`] is one question or one wish.
//!
//! Invariant: none of these draws a number for somebody who came without a ticket.

use crate::http::negotiate::names_page;
use crate::http::object::object;
use crate::http::{Call, Reply};
use crate::page::{self, CookieTrial};
use crate::queue::Reason;
use crate::request::Request;
use crate::ticket::{Ticket, TicketStage};
use crate::visitor::api::{ApiAnswer, back, bad, bad_destination};
use crate::visitor::challenge;
use crate::visitor::invitation;
use crate::visitor::language;
use crate::visitor::lot;
use crate::visitor::order;
use crate::visitor::receipt;
use crate::visitor::ticket_cookie;
use crate::visitor::urls::{self, destination};
use crate::visitor::visit::{FollowUp, visit};
use crate::visitor::{Brought, Kind, kind};
use std::io::Read;

/// One of the routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Where the visitor stands, worded in the visitor's language.
    Place,
    /// Whether the ticket came back.
    Cookies,
    /// Whether the page refreshes by itself.
    Updates,
    /// Which language it speaks.
    Language,
    /// How the order comes about, in plain words.
    Order,
    /// What anybody may check of an order by lot.
    Lot,
    /// What a visitor can take along of the ticket.
    Receipt,
    /// The answer to a challenge.
    Challenge,
    /// An invitation, and the page that takes one.
    Invitation,
    /// Where a visitor stood in a room that is no longer listed.
    Gone,
}

/// Seconds until the second try.
const SECOND_TRY: u64 = 2;

/// The route at this path below the operator's.
#[must_use]
pub fn route(rest: &str) -> Option<Route> {
    match rest {
        "/place" => Some(Route::Place),
        "/cookies" => Some(Route::Cookies),
        "/updates" => Some(Route::Updates),
        "/language" => Some(Route::Language),
        "/order" => Some(Route::Order),
        "/lot" => Some(Route::Lot),
        "/receipt" => Some(Route::Receipt),
        "/challenge" => Some(Route::Challenge),
        "/invitation" => Some(Route::Invitation),
        _ if rest.starts_with("/room/") && rest.ends_with("/place") => Some(Route::Gone),
        _ => None,
    }
}

/// What is left to do. Where no visitor waits, nobody else renews the copy from which order and lot are read.
#[must_use]
pub fn after(route: Route) -> FollowUp {
    match route {
        Route::Order | Route::Lot => FollowUp::Look,
        _ => FollowUp::Nothing,
    }
}

/// Answers one of them.
#[must_use]
pub fn answer(route: Route, body: &mut dyn Read, request: &Request<'_>) -> ApiAnswer {
    let call = request.call;
    let methods = match route {
        Route::Invitation => "GET, HEAD, POST",
        _ => "GET, HEAD",
    };
    if let Some(reply) = Reply::wrong_method(&call.method, methods) {
        return ApiAnswer::Reply(reply, Reason::BadRequest);
    }
    let ticket = || ticket_cookie::ticket(request);
    match route {
        Route::Place => match ticket() {
            None => ApiAnswer::Reply(without_ticket(request), Reason::NotAVisitor),
            held => {
                let visit = visit(Kind::Poll, held, request);
                ApiAnswer::Visit(Box::new(visit))
            }
        },
        Route::Gone => ApiAnswer::Reply(room_gone(), Reason::NotAVisitor),
        Route::Cookies => cookies(request),
        Route::Updates => updates(ticket(), request),
        Route::Language => language(ticket(), request),
        // A browser reads the same of both.
        Route::Lot if !names_page(call) => {
            ApiAnswer::Reply(lot::reply(ticket().as_ref(), request), Reason::Lot)
        }
        Route::Order | Route::Lot => {
            ApiAnswer::Reply(order::reply(ticket().as_ref(), request), Reason::Lot)
        }
        Route::Receipt => {
            let reply = receipt::reply(ticket().as_ref(), request);
            ApiAnswer::Reply(reply, Reason::Receipt)
        }
        Route::Challenge => challenge::answer(ticket(), request),
        Route::Invitation => invitation::answer(body, request),
    }
}

/// The page asks again for a ticket that has ended, and tells the visitor that none is kept.
#[must_use]
pub fn without_ticket(request: &Request<'_>) -> Reply {
    let ticket = if ticket_cookie::keeps_cookies(request) {
        "ended"
    } else {
        "none"
    };
    Reply::data(200, &object!({ "waiting": true, "ticket": ticket }))
}

/// The page loads again, and its path may be another room's.
fn room_gone() -> Reply {
    Reply::data(200, &object!({ "waiting": true, "ticket": "ended" }))
}

/// Where a page goes that brought no cookie of ours: the first try was the ticket it was given then, the second is
/// another one without a number; a browser that kept neither gets a page that says so, and draws no more. Crawlers
/// read the status, so it is the waiting page's.
fn cookies(request: &Request<'_>) -> ApiAnswer {
    let Request { call, config, .. } = *request;
    let Some(to) = destination(call) else {
        return bad_destination();
    };
    if ticket_cookie::ticket(request).is_some() {
        return ApiAnswer::Reply(back(&to), Reason::Cookies);
    }
    if kind(request, Brought::Nothing) != Kind::First {
        return ApiAnswer::Reply(not_a_visitor(), Reason::NotAVisitor);
    }
    let shell = language::unframed(None, request);
    match call.parameter("try").as_deref() {
        Some("1") => {
            let again = format!("{SECOND_TRY}; url={}", urls::cookies(request.room, &to, 2));
            let try_again = Ticket::provisional(call.id.clone(), request.now);
            let reply = page::cookies(config.web.waiting_status, shell, &to, CookieTrial::UnderWay);
            let reply = reply
                .with("retry-after", SECOND_TRY.to_string())
                .with("refresh", again);
            let cookies = ticket_cookie::cookies(&try_again, request);
            ApiAnswer::Reply(reply.with_cookies(cookies), Reason::Cookies)
        }
        Some("2") => {
            let reply = page::cookies(config.web.waiting_status, shell, &to, CookieTrial::Failed);
            let reply = reply.with("retry-after", request.room.refresh_interval.to_string());
            ApiAnswer::Reply(reply, Reason::NoCookies)
        }
        other => bad("try", other, "1 or 2"),
    }
}

/// Whether a page keeps cookies is of interest only where a ticket could be drawn, and only there is one given.
fn not_a_visitor() -> Reply {
    Reply::new(503, "text/plain; charset=utf-8", "")
}

/// Whether the page refreshes by itself from now on.
fn updates(ticket: Option<Ticket>, request: &Request<'_>) -> ApiAnswer {
    let still = match request.call.parameter("every").as_deref() {
        Some("off") => true,
        Some("on") => false,
        other => return bad("every", other, "on or off"),
    };
    let wished = |held| Ticket { still, ..held };
    granted(ticket.map(wished), request)
}

/// Which language the page speaks from now on. Without one, those that there are.
fn language(ticket: Option<Ticket>, request: &Request<'_>) -> ApiAnswer {
    let tag = request.call.parameter("language");
    if tag.is_none() {
        let Some(to) = destination(request.call) else {
            return bad_destination();
        };
        let action = format!("{}/language", request.room.routes);
        let reply = page::languages(language::shell(ticket.as_ref(), request), &action, &to);
        let reply = reply.with("vary", "Accept-Language, Cookie");
        return ApiAnswer::Reply(reply, Reason::Updates);
    }
    let Some(words) = tag.as_deref().and_then(language::named) else {
        return bad("language", tag.as_deref(), &language::tags());
    };
    let wished = |held| Ticket {
        language: Some(words.tag.to_owned()),
        ..held
    };
    granted(ticket.map(wished), request)
}

/// Signs the ticket again with its holder's wish, and prolongs nothing by that; the one of a visitor inside is left alone.
fn granted(wished: Option<Ticket>, request: &Request<'_>) -> ApiAnswer {
    let call = request.call;
    let Some(to) = destination(call) else {
        return bad_destination();
    };
    // A link of another page may lead here, and leads back, but it does not wish for the visitor.
    let wished = wished.filter(|_| is_wished(call));
    let has_gone_in =
        |held: &Ticket| matches!(held.stage, TicketStage::Admitted { .. }) && !held.called;
    let wished = wished.filter(|held| !has_gone_in(held));
    let cookies = wished.map(|wished| ticket_cookie::cookies_as_long(&wished, request));
    let reply = back(&to).with_cookies(cookies.unwrap_or_default());
    ApiAnswer::Reply(reply, Reason::Updates)
}

/// Whether a page of this origin leads here, or a browser that does not say what does.
fn is_wished(call: &Call) -> bool {
    let [site, mode] = ["sec-fetch-site", "sec-fetch-mode"].map(|name| call.header(name));
    matches!(site.as_ref(), "" | "same-origin") && matches!(mode.as_ref(), "" | "navigate")
}
