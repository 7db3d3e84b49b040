//! The cookie by which an operator's browser is known again, so that logins from it queue in a lane of their own.
//!
//! Invariant: it opens nothing. Password and name are asked for as ever; a guesser in the operator's network
//! cannot make the operator wait. It is set after a right login by Basic, sent to the operators' routes only, and ends
//! with its time, with the passwords and with the entry of `jwt_secret` that its key is derived from.

use hmac_sha256::HMAC;

use crate::http::Call;
use crate::http::cookie::{self, Scope};
use crate::request::Request;
use crate::ticket::keys::{LENGTH, Purpose, sealed, unsealed};

const SECURE_NAME: &str = "__Secure-queue-device";
/// On a loopback address over http, where `Secure` cannot be had.
const LOOPBACK_NAME: &str = "queue-device";

/// 30 days, in seconds.
pub const LIFE: u64 = 2_592_000;

/// A browser that has logged in before.
struct Device {
    id: String,
    /// In Unix seconds.
    until: u64,
}

/// The lane of the browser that sent this, if it is known.
pub(super) fn lane(passwords: &str, request: &Request<'_>) -> Option<String> {
    let device = known(passwords, request)?;
    Some(format!("device:{}", device.id))
}

/// A `Set-Cookie` value by which this browser is known from now on; none while it is known for long enough.
#[must_use]
pub fn cookie(request: &Request<'_>) -> Option<String> {
    let (call, operators) = (request.call, &request.config.operators);
    let now = request.now.secs();
    let passwords = &operators.secrets.passwords().ok()??.secret;
    let device = known(passwords, request);
    if device
        .as_ref()
        .is_some_and(|device| device.until > now + LIFE / 2)
    {
        return None;
    }
    let id = device.map_or_else(|| call.id.clone(), |device| device.id);
    let key = keys(passwords, request).next()?;
    let value = sealed(
        &format!("{}.{id}.{}", request.config.rooms.first.name, now + LIFE),
        &key,
    );
    let (name, path) = (name(call), &operators.path);
    let secure = Scope::of(call).secure();
    Some(format!(
        "{name}={value}; Path={path}{secure}; HttpOnly; SameSite=Strict; Max-Age={LIFE}"
    ))
}

fn known(passwords: &str, request: &Request<'_>) -> Option<Device> {
    let call = request.call;
    let mut values = call
        .headers
        .iter()
        .filter(|(found, _)| *found == "cookie")
        .flat_map(|(_, header)| cookie::values(header, name(call)));
    values.find_map(|value| read(value, passwords, request))
}

fn read(value: &str, passwords: &str, request: &Request<'_>) -> Option<Device> {
    let text = keys(passwords, request).find_map(|key| unsealed(value, &key))?;
    let mut parts = text.split('.');
    let (room, id, until) = (parts.next()?, parts.next()?, parts.next()?);
    let until = until.parse().ok()?;
    let service = &request.config.rooms.first.name;
    let is_ours = room == service.as_str() && request.now.secs() < until;
    is_ours.then(|| Device {
        id: id.to_owned(),
        until,
    })
}

/// The passwords are part of them: another password, and no browser is known any more.
fn keys(passwords: &str, request: &Request<'_>) -> impl Iterator<Item = [u8; LENGTH]> {
    let keys = request.config.tickets.keys.of(Purpose::Device);
    keys.map(move |key| HMAC::mac(passwords, key))
}

fn name(call: &Call) -> &'static str {
    match Scope::of(call) {
        Scope::Secure => SECURE_NAME,
        Scope::Loopback => LOOPBACK_NAME,
    }
}
