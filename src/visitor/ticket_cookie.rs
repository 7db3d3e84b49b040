//! What the browser keeps for us: the ticket, read from its cookie and written back, and the twin of an admitted one.

use crate::config::Config;
use crate::http::Call;
use crate::http::cookie::{self, SameSite};
use crate::http::negotiate::is_posted_form;
use crate::ticket::{Keys, Standing, Ticket};

/// Browsers keep a ticket this many seconds longer than it is good, so that its holder can read that its time is over.
pub const KEPT: u64 = 3_600;

/// The first of the cookies with our name that is a ticket of ours; a bad ticket is simply no ticket.
#[must_use]
pub fn ticket(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    verified(call, &config.keys, &config.room, now)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified(call: &Call, keys: &Keys, room: &str, now: u64) -> Option<Ticket> {
    let name = cookie::name(call.is_loopback());
    values(call, name).find_map(|token| keys.verify(token, room, now))
}

/// The ticket of a visitor inside, from its twin, where another site's page posts a form here: the browser holds the
/// ticket itself back then. For nothing else, and never in the place of a ticket that came.
#[must_use]
pub fn ticket_of_form(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    let twin = verified_twin(call, &config.keys, &config.room, now);
    twin.filter(|_| config.cross_site_posts)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified_twin(call: &Call, keys: &Keys, room: &str, now: u64) -> Option<Ticket> {
    if keeps_cookies(call) || !is_posted_form(call) {
        return None;
    }
    let name = cookie::twin_name(call.is_loopback());
    let ticket = values(call, name).find_map(|token| keys.verify(token, room, now))?;
    ticket.is_inside(now).then_some(ticket)
}

/// The same, or the first one that has expired.
#[must_use]
pub fn ticket_or_lapsed(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    let lapsed = |token| config.keys.verify_lapsed(token, &config.room, now);
    let name = cookie::name(call.is_loopback());
    ticket(call, config, now).or_else(|| values(call, name).find_map(lapsed))
}

/// Whether the browser sent a cookie with our name, whatever is in it.
#[must_use]
pub fn keeps_cookies(call: &Call) -> bool {
    values(call, cookie::name(call.is_loopback()))
        .next()
        .is_some()
}

/// The `Set-Cookie` values of a ticket with a whole life before it: its own, and with an admission its twin's. Any other
/// ticket ends the twin, so that a visitor who is back in the line does not pass by an old one.
#[must_use]
pub fn cookies(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Vec<String> {
    let life = match ticket.standing {
        Standing::Admitted { .. } => config.cookie_expiry,
        Standing::Unnumbered { .. } | Standing::Waiting(_) => config.ticket_life,
    };
    let token = config.keys.sign(ticket, &config.room, now, life);
    let cookies = token.map(|token| {
        let has_twin = config.cross_site_posts && ticket.is_inside(now);
        let twin = if has_twin {
            cookie::set_twin(call.is_loopback(), &token, life)
        } else {
            no_twin(call)
        };
        vec![set(call, config, &token, life.saturating_add(KEPT)), twin]
    });
    cookies.unwrap_or_default()
}

/// The same for a ticket that is not admitted and ends when the one that came would have ended.
#[must_use]
pub fn cookies_as_long(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Vec<String> {
    let token = config
        .keys
        .sign(ticket, &config.room, ticket.signed, ticket.life);
    let end = ticket.signed.saturating_add(ticket.life);
    let left = end.saturating_sub(now).saturating_add(KEPT);
    let cookies = token.map(|token| vec![set(call, config, &token, left), no_twin(call)]);
    cookies.unwrap_or_default()
}

/// The `Set-Cookie` values after which the browser keeps none.
#[must_use]
pub fn forget(call: &Call, config: &Config) -> Vec<String> {
    vec![set(call, config, "", 0), no_twin(call)]
}

fn no_twin(call: &Call) -> String {
    cookie::set_twin(call.is_loopback(), "", 0)
}

/// Whether browsers send the ticket with requests of other sites' pages, too: only for the sake of pages in frames.
#[must_use]
pub fn is_for_other_sites(call: &Call, config: &Config) -> bool {
    site(call, config) == SameSite::NonePartitioned
}

fn set(call: &Call, config: &Config, token: &str, life: u64) -> String {
    cookie::set(call.is_loopback(), token, life, site(call, config))
}

fn site(call: &Call, config: &Config) -> SameSite {
    match (&config.frame_ancestors, call.is_loopback()) {
        (Some(_), false) => SameSite::NonePartitioned,
        _ => SameSite::Lax,
    }
}

fn values<'a>(call: &'a Call, name: &'static str) -> impl Iterator<Item = &'a str> {
    call.headers
        .iter()
        .filter(|(found, _)| *found == "cookie")
        .flat_map(move |(_, header)| cookie::values(header, name))
}
