//! What the browser keeps for us: the ticket, read from its cookie and written back, and the twin of an admitted one.

use crate::cache::Pop;
use crate::config::Room;
use crate::http::Call;
use crate::http::cookie::{self, Names, SameSite, Scope};
use crate::http::negotiate::is_posted_form;
use crate::queue::Now;
use crate::request::Request;
use crate::ticket::{Keys, Ticket, TicketStage, kit};
use crate::visitor::visit::best;

/// Browsers keep a ticket this many seconds longer than it is good, so that its holder can read that its time is over.
pub const COOKIE_GRACE_SECS: u64 = 3_600;

/// The ticket that counts: the best of those that came, whatever cookies of ours they are in; a bad ticket is simply no ticket. Any
/// page of the domain may set the cookie of Fastly's starter kit, so that one is read only where no ticket of ours came.
#[must_use]
pub fn ticket(request: &Request<'_>) -> Option<Ticket> {
    ours(request).or_else(|| ticket_of_kit(request))
}

fn ours(request: &Request<'_>) -> Option<Ticket> {
    let keys = &request.config.tickets.keys;
    verified(request.call, keys, request.room, request.pop, request.now)
}

/// The ticket of who has one of the kit, where this room took over the kit's line.
fn ticket_of_kit(request: &Request<'_>) -> Option<Ticket> {
    let Request {
        call,
        config,
        room,
        pop,
        now,
        ..
    } = *request;
    let line = config.tickets.kit?;
    let is_here = room.name == config.rooms.first.name;
    let tokens = is_here.then(|| values(call, kit::COOKIE))?;
    let tickets = tokens.filter_map(|token| config.tickets.keys.verify_kit(token, line, now));
    best(tickets.collect(), pop, now)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified(call: &Call, keys: &Keys, room: &Room, pop: &dyn Pop, now: Now) -> Option<Ticket> {
    let tokens = tokens(call, room, |names| &names.ticket).into_iter();
    let tickets = tokens.filter_map(|token| keys.verify(token, &room.name, now));
    best(tickets.collect(), pop, now)
}

/// The ticket of a visitor inside, from its twin, where another site's page posts a form here: the browser holds the
/// ticket itself back then. For nothing else, and never in the place of a ticket that came.
#[must_use]
pub fn ticket_of_form(request: &Request<'_>) -> Option<Ticket> {
    let keys = &request.config.tickets.keys;
    let twin = verified_twin(request.call, keys, request.room, request.pop, request.now);
    twin.filter(|_| request.config.web.cross_site_posts)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified_twin(
    call: &Call,
    keys: &Keys,
    room: &Room,
    pop: &dyn Pop,
    now: Now,
) -> Option<Ticket> {
    if brings_cookie(call, room) || !is_posted_form(call) {
        return None;
    }
    let tokens = tokens(call, room, |names| &names.twin).into_iter();
    let tickets = tokens.filter_map(|token| keys.verify(token, &room.name, now));
    let inside = tickets.filter(|ticket| ticket.is_inside(now));
    best(inside.collect(), pop, now)
}

/// The ticket that counts, or one that has expired.
#[must_use]
pub fn ticket_or_lapsed(request: &Request<'_>) -> Option<Ticket> {
    let Request {
        call,
        config,
        room,
        pop,
        now,
        ..
    } = *request;
    let lapsed = |token| config.tickets.keys.verify_lapsed(token, &room.name, now);
    let tokens = || tokens(call, room, |names| &names.ticket).into_iter();
    ticket(request).or_else(|| best(tokens().filter_map(lapsed).collect(), pop, now))
}

/// Whether the browser sent a cookie with our name, whatever is in it.
#[must_use]
pub fn keeps_cookies(request: &Request<'_>) -> bool {
    brings_cookie(request.call, request.room)
}

fn brings_cookie(call: &Call, room: &Room) -> bool {
    !tokens(call, room, |names| &names.ticket).is_empty()
}

/// The `Set-Cookie` values of a ticket with a whole life before it: its own, and with an admission its twin's. Any other
/// ticket ends the twin, so that a visitor who is back in the line does not pass by an old one.
#[must_use]
pub fn cookies(ticket: &Ticket, request: &Request<'_>) -> Vec<String> {
    let Request {
        config, room, now, ..
    } = *request;
    let life = match ticket.stage {
        TicketStage::Admitted {
            session: Some(_), ..
        } => request.stay(),
        TicketStage::Admitted { session: None, .. } if !ticket.called => config.tickets.stay,
        // The time inside begins once its holder has gone in.
        TicketStage::Admitted { session: None, .. }
        | TicketStage::Provisional { .. }
        | TicketStage::Waiting(_) => config.tickets.life,
    };
    let token = config.tickets.keys.sign(ticket, &room.name, now, life);
    written(ticket, token, life, request)
}

/// The same for a ticket which ends when the one that came would have ended.
#[must_use]
pub fn cookies_as_long(ticket: &Ticket, request: &Request<'_>) -> Vec<String> {
    let keys = &request.config.tickets.keys;
    let signed = Now::from_secs(ticket.signed);
    let token = keys.sign(ticket, &request.room.name, signed, ticket.life);
    let end = ticket.signed.saturating_add(ticket.life);
    let left = end.saturating_sub(request.now.secs());
    written(ticket, token, left, request)
}

/// A signed ticket with so many seconds before it, and the end of what the browser has of the same visitor besides: of what the host
/// had before it shared its cookies with others not sooner than the browser has shown that it keeps a shared one.
fn written(
    ticket: &Ticket,
    token: Option<String>,
    life: u64,
    request: &Request<'_>,
) -> Vec<String> {
    let Some(token) = token else {
        return Vec::new();
    };
    let mut cookies = Vec::new();
    // A browser that knows no partitions has one cookie for both forms: its end comes first.
    if are_two_forms_brought(request) {
        cookies.extend(no_other_form(request));
    }
    cookies.push(set(&token, life.saturating_add(COOKIE_GRACE_SECS), request));
    cookies.push(twin(ticket, &token, life, request));
    if is_brought(request.room.cookies.of(request.call), request.call) {
        end_old(&mut cookies, request);
    }
    cookies
}

/// The `Set-Cookie` values after which the browser keeps none, in whatever form it has it.
#[must_use]
pub fn forget(request: &Request<'_>) -> Vec<String> {
    let mut cookies = vec![set("", 0, request), no_twin(request)];
    cookies.extend(no_other_form(request));
    end_old(&mut cookies, request);
    cookies
}

/// Whether the browser has a cookie in the form that the settings want, and one in the form that they wanted before: it keeps them
/// apart and sends both under one name, the older one first.
fn are_two_forms_brought(request: &Request<'_>) -> bool {
    let Request { call, room, .. } = *request;
    let own = room.cookies.of(call);
    Scope::of(call) == Scope::Secure && values(call, &own.ticket).nth(1).is_some()
}

/// The end of the cookie in the form that the settings do not want. On loopback there is one form.
fn no_other_form(request: &Request<'_>) -> Option<String> {
    let Request { call, room, .. } = *request;
    let other = match site(request) {
        SameSite::Lax => SameSite::NonePartitioned,
        SameSite::NonePartitioned => SameSite::Lax,
    };
    let names = room.cookies.of(call);
    (Scope::of(call) == Scope::Secure).then(|| names.set("", 0, other))
}

/// Adds the `Set-Cookie` values that end the tickets which came and are kept otherwise now.
fn end_old(cookies: &mut Vec<String>, request: &Request<'_>) {
    let Request { call, room, .. } = *request;
    let now = room.cookies.of(call);
    for names in room.cookies.kept(call) {
        if names != now && is_brought(names, call) {
            let forms = [SameSite::Lax, SameSite::NonePartitioned];
            cookies.extend(forms.map(|form| names.set("", 0, form)));
            cookies.push(names.set_twin("", 0));
        }
    }
    // Over http the ticket has the name of the kit's, and takes its place.
    if Scope::of(call) == Scope::Secure && ticket_of_kit(request).is_some() {
        cookies.push(Names::of_kit().set("", 0, SameSite::Lax));
    }
}

fn is_brought(names: &Names, call: &Call) -> bool {
    values(call, &names.ticket).next().is_some()
}

/// The same, where the ticket came under a name or in a form that is no longer its own, or among others of the same visitor.
#[must_use]
pub fn moved(ticket: &Ticket, request: &Request<'_>) -> Vec<String> {
    let Request { call, room, .. } = *request;
    // It is no ticket that came.
    if ticket.life == 0 {
        return Vec::new();
    }
    let now = room.cookies.of(call);
    let mut kept = room.cookies.kept(call).into_iter();
    let is_elsewhere = kept.any(|names| names != now && is_brought(names, call));
    let is_of_kit = ticket_of_kit(request).is_some();
    if is_elsewhere || are_two_forms_brought(request) || is_of_kit && ours(request).is_none() {
        return cookies_as_long(ticket, request);
    }
    let mut cookies = Vec::new();
    if is_of_kit {
        end_old(&mut cookies, request);
    }
    cookies
}

fn twin(ticket: &Ticket, token: &str, life: u64, request: &Request<'_>) -> String {
    if request.config.web.cross_site_posts && ticket.is_inside(request.now) {
        let names = request.room.cookies.of(request.call);
        names.set_twin(token, life)
    } else {
        no_twin(request)
    }
}

fn no_twin(request: &Request<'_>) -> String {
    let names = request.room.cookies.of(request.call);
    names.set_twin("", 0)
}

/// Whether browsers send the ticket with requests of other sites' pages, too: only for the sake of pages in frames.
#[must_use]
pub fn is_for_other_sites(request: &Request<'_>) -> bool {
    site(request) == SameSite::NonePartitioned
}

fn set(token: &str, life: u64, request: &Request<'_>) -> String {
    let names = request.room.cookies.of(request.call);
    names.set(token, life, site(request))
}

fn site(request: &Request<'_>) -> SameSite {
    match (&request.config.web.frame_ancestors, Scope::of(request.call)) {
        (Some(_), Scope::Secure) => SameSite::NonePartitioned,
        _ => SameSite::Lax,
    }
}

/// What the browser kept under our name: what this host shares with others before what is its own.
fn tokens<'a>(call: &'a Call, room: &'a Room, name: fn(&Names) -> &str) -> Vec<&'a str> {
    let names = room.cookies.kept(call).into_iter();
    names.flat_map(|names| values(call, name(names))).collect()
}

fn values<'a>(call: &'a Call, name: &'a str) -> impl Iterator<Item = &'a str> {
    call.headers
        .iter()
        .filter(|(found, _)| *found == "cookie")
        .flat_map(move |(_, header)| cookie::values(header, name))
}
