//! What the browser keeps for us: the ticket, read from its cookie and written back, and the twin of an admitted one.

use crate::config::Room;
use crate::http::Call;
use crate::http::cookie::{self, Names, SameSite, Scope};
use crate::http::negotiate::is_posted_form;
use crate::queue::Now;
use crate::request::Request;
use crate::ticket::{Keys, Standing, Ticket, kit};

/// Browsers keep a ticket this many seconds longer than it is good, so that its holder can read that its time is over.
pub const KEPT: u64 = 3_600;

/// The first of the cookies with our name that is a ticket of ours; a bad ticket is simply no ticket. Of one that this host shares
/// with others and one of its own that which goes in sooner: the visitor may have drawn on two hosts before they shared.
#[must_use]
pub fn ticket(request: &Request<'_>) -> Option<Ticket> {
    let keys = &request.config.tickets.keys;
    let ours = verified(request.call, keys, request.room, request.now);
    // Where the setting came later than the package, a visitor of the kit has drawn here meanwhile.
    sooner(ours.into_iter().chain(ticket_of_kit(request)), request.now)
}

/// The one that goes in before the others.
fn sooner(tickets: impl Iterator<Item = Ticket>, now: Now) -> Option<Ticket> {
    tickets.min_by_key(|ticket| {
        let number = ticket.position().map_or(u64::MAX, |number| number.0);
        (!ticket.is_inside(now), number)
    })
}

/// The ticket of who has one of Fastly's starter kit, where this room took over the kit's line.
fn ticket_of_kit(request: &Request<'_>) -> Option<Ticket> {
    let Request {
        call,
        config,
        room,
        now,
        ..
    } = *request;
    let line = config.tickets.kit?;
    let is_here = room.name == config.rooms.first.name;
    let mut tokens = is_here.then(|| values(call, kit::COOKIE))?;
    tokens.find_map(|token| config.tickets.keys.verify_kit(token, line, now))
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified(call: &Call, keys: &Keys, room: &Room, now: Now) -> Option<Ticket> {
    let verified = |token| keys.verify(token, &room.name, now);
    let kept = room.cookies.kept(call).into_iter();
    let tickets = kept.filter_map(|names| values(call, &names.ticket).find_map(verified));
    sooner(tickets, now)
}

/// The ticket of a visitor inside, from its twin, where another site's page posts a form here: the browser holds the
/// ticket itself back then. For nothing else, and never in the place of a ticket that came.
#[must_use]
pub fn ticket_of_form(request: &Request<'_>) -> Option<Ticket> {
    let keys = &request.config.tickets.keys;
    let twin = verified_twin(request.call, keys, request.room, request.now);
    twin.filter(|_| request.config.web.cross_site_posts)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified_twin(call: &Call, keys: &Keys, room: &Room, now: Now) -> Option<Ticket> {
    if brings_cookie(call, room) || !is_posted_form(call) {
        return None;
    }
    let mut tokens = tokens(call, room, |names| &names.twin).into_iter();
    let ticket = tokens.find_map(|token| keys.verify(token, &room.name, now))?;
    ticket.is_inside(now).then_some(ticket)
}

/// The same, or the first one that has expired.
#[must_use]
pub fn ticket_or_lapsed(request: &Request<'_>) -> Option<Ticket> {
    let Request {
        call,
        config,
        room,
        now,
        ..
    } = *request;
    let lapsed = |token| config.tickets.keys.verify_lapsed(token, &room.name, now);
    let mut tokens = tokens(call, room, |names| &names.ticket).into_iter();
    ticket(request).or_else(|| tokens.find_map(lapsed))
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
    let life = match ticket.standing {
        Standing::Admitted {
            session: Some(_), ..
        } => request.stay(),
        Standing::Admitted { session: None, .. } if !ticket.called => config.tickets.stay,
        // The time inside begins once its holder has gone in.
        Standing::Admitted { session: None, .. }
        | Standing::Provisional { .. }
        | Standing::Waiting(_) => config.tickets.life,
    };
    let token = config.tickets.keys.sign(ticket, &room.name, now, life);
    let cookies = token.map(|token| {
        let kept = set(&token, life.saturating_add(KEPT), request);
        vec![kept, twin(ticket, (&token, life), request)]
    });
    with_old_ended(cookies, request)
}

/// The same for a ticket which ends when the one that came would have ended.
#[must_use]
pub fn cookies_as_long(ticket: &Ticket, request: &Request<'_>) -> Vec<String> {
    let keys = &request.config.tickets.keys;
    let signed = Now::from_secs(ticket.signed);
    let token = keys.sign(ticket, &request.room.name, signed, ticket.life);
    let end = ticket.signed.saturating_add(ticket.life);
    let left = end.saturating_sub(request.now.secs());
    let cookies = token.map(|token| {
        let kept = set(&token, left.saturating_add(KEPT), request);
        vec![kept, twin(ticket, (&token, left), request)]
    });
    with_old_ended(cookies, request)
}

/// The `Set-Cookie` values after which the browser keeps none.
#[must_use]
pub fn forget(request: &Request<'_>) -> Vec<String> {
    let mut cookies = vec![set("", 0, request), no_twin(request)];
    end_old(&mut cookies, request);
    cookies
}

/// These, and the end of what the host had before it shared its cookies with others: not sooner than the browser has shown that it
/// keeps a shared one.
fn with_old_ended(cookies: Option<Vec<String>>, request: &Request<'_>) -> Vec<String> {
    let mut cookies = cookies.unwrap_or_default();
    if is_brought(request.room.cookies.of(request.call), request.call) {
        end_old(&mut cookies, request);
    }
    cookies
}

/// Adds the `Set-Cookie` values that end the tickets which came and are kept otherwise now.
fn end_old(cookies: &mut Vec<String>, request: &Request<'_>) {
    let Request { call, room, .. } = *request;
    let now = room.cookies.of(call);
    for names in room.cookies.kept(call) {
        if names != now && is_brought(names, call) {
            cookies.extend([names.set("", 0, site(request)), names.set_twin("", 0)]);
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

/// The same, where the ticket came under a name that is no longer its own.
#[must_use]
pub fn moved(ticket: &Ticket, request: &Request<'_>) -> Vec<String> {
    let Request { call, room, .. } = *request;
    let now = room.cookies.of(call);
    let mut kept = room.cookies.kept(call).into_iter();
    let is_elsewhere = kept.any(|names| names != now && is_brought(names, call));
    if is_elsewhere || ticket_of_kit(request).is_some() {
        cookies_as_long(ticket, request)
    } else {
        Vec::new()
    }
}

fn twin(ticket: &Ticket, (token, life): (&str, u64), request: &Request<'_>) -> String {
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
