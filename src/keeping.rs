//! What the browser keeps for us: the ticket, read from its cookie and written back.

use crate::config::Config;
use crate::cookie::{self, SameSite};
use crate::http::Call;
use crate::ticket::Ticket;

/// The first of the cookies with our name that is a ticket of ours; a bad ticket is simply no ticket.
#[must_use]
pub fn ticket(call: &Call, config: &Config, now: u64) -> Option<Ticket> {
    values(call).find_map(|token| config.keys.verify(token, &config.room, now))
}

/// Whether the browser sent a cookie with our name, whatever is in it.
#[must_use]
pub fn keeps_cookies(call: &Call) -> bool {
    values(call).next().is_some()
}

/// The ticket as a `Set-Cookie` value.
#[must_use]
pub fn cookie(call: &Call, ticket: &Ticket, config: &Config, now: u64) -> Option<String> {
    let life = config.cookie_expiry;
    let token = config.keys.sign(ticket, &config.room, now, life)?;
    Some(set(call, config, &token, life))
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
