//! What the browser keeps for us: the ticket, read from its cookie and written back.

use crate::config::Config;
use crate::cookie::{self, SameSite};
use crate::http::Call;
use crate::ticket::{Keys, Standing, Ticket};

/// Browsers keep a ticket so many seconds longer than it is good, so that its holder can be told that its time is over.
pub const KEPT: u64 = 3_600;

/// The first of the cookies with our name that is a ticket of ours; a bad ticket is simply no ticket.
#[must_use]
pub fn ticket(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    verified(call, &config.keys, &config.room, now)
}

/// The same by these keys, for this room.
#[must_use]
pub fn verified(call: &Call, keys: &Keys, room: &str, now: u64) -> Option<Ticket> {
    values(call).find_map(|token| keys.verify(token, room, now))
}

/// The same, or the first one that has expired.
#[must_use]
pub fn ticket_or_lapsed(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    let lapsed = |token| config.keys.verify_lapsed(token, &config.room, now);
    ticket(call, config, now).or_else(|| values(call).find_map(lapsed))
}

/// Whether the browser sent a cookie with our name, whatever is in it.
#[must_use]
pub fn keeps_cookies(call: &Call) -> bool {
    values(call).next().is_some()
}

/// The ticket as a `Set-Cookie` value, with a whole life before it.
#[must_use]
pub fn cookie(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Option<String> {
    let life = match ticket.standing {
        Standing::Admitted { .. } => config.cookie_expiry,
        Standing::Unnumbered { .. } | Standing::Waiting(_) => config.ticket_life,
    };
    let token = config.keys.sign(ticket, &config.room, now, life)?;
    Some(set(call, config, &token, life.saturating_add(KEPT)))
}

/// The ticket as a `Set-Cookie` value that ends when the ticket that came would have ended.
#[must_use]
pub fn cookie_as_long(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Option<String> {
    let token = config
        .keys
        .sign(ticket, &config.room, ticket.signed, ticket.life)?;
    let left = ticket
        .signed
        .saturating_add(ticket.life)
        .saturating_sub(now);
    Some(set(call, config, &token, left.saturating_add(KEPT)))
}

/// A `Set-Cookie` value after which the browser keeps none.
#[must_use]
pub fn forget(call: &Call, config: &Config) -> String {
    set(call, config, "", 0)
}

fn set(call: &Call, config: &Config, token: &str, life: u64) -> String {
    let loopback = call.is_loopback();
    let site = match (&config.frame_ancestors, loopback) {
        (Some(_), false) => SameSite::NonePartitioned,
        _ => SameSite::Lax,
    };
    cookie::set(loopback, token, life, site)
}

fn values(call: &Call) -> impl Iterator<Item = &str> {
    let name = cookie::name(call.is_loopback());
    call.headers
        .iter()
        .filter(|(found, _)| *found == "cookie")
        .flat_map(move |(_, header)| cookie::values(header, name))
}
