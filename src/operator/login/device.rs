//! The cookie by which an operator's browser is known again, so that logins from it queue in a lane of their own.
//!
//! Invariant: it opens nothing. Password and name are asked for as ever; a guesser in the operator's network
//! cannot make the operator wait. It is set after a right login by Basic, sent to the operators' routes only, and ends
//! with its time, with the password and with the entry of `jwt_secret` that its key is derived from.

use hmac_sha256::HMAC;

use crate::config::Config;
use crate::http::Call;
use crate::http::cookie;
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
pub(super) fn lane(call: &Call, password: &str, config: &Config, now: u64) -> Option<String> {
    let device = known(call, password, config, now)?;
    Some(format!("device:{}", device.id))
}

/// A `Set-Cookie` value by which this browser is known from now on; none while it is known for long enough.
#[must_use]
pub fn cookie(call: &Call, config: &Config, now: u64) -> Option<String> {
    let password = config.operators.password().ok()??;
    let device = known(call, password, config, now);
    if device
        .as_ref()
        .is_some_and(|device| device.until > now + LIFE / 2)
    {
        return None;
    }
    let id = device.map_or_else(|| call.id.clone(), |device| device.id);
    let key = keys(password, config).next()?;
    let value = sealed(&format!("{}.{id}.{}", config.room, now + LIFE), &key);
    let (name, path) = (name(call), &config.admin_path);
    let secure = if call.is_loopback() { "" } else { "; Secure" };
    Some(format!(
        "{name}={value}; Path={path}{secure}; HttpOnly; SameSite=Strict; Max-Age={LIFE}"
    ))
}

fn known(call: &Call, password: &str, config: &Config, now: u64) -> Option<Device> {
    let mut values = call
        .headers
        .iter()
        .filter(|(found, _)| *found == "cookie")
        .flat_map(|(_, header)| cookie::values(header, name(call)));
    values.find_map(|value| read(value, password, config, now))
}

fn read(value: &str, password: &str, config: &Config, now: u64) -> Option<Device> {
    let text = keys(password, config).find_map(|key| unsealed(value, &key))?;
    let mut parts = text.split('.');
    let (room, id, until) = (parts.next()?, parts.next()?, parts.next()?);
    let until = until.parse().ok()?;
    let is_ours = room == config.room && now < until;
    is_ours.then(|| Device {
        id: id.to_owned(),
        until,
    })
}

/// The password is part of them: another password, and no browser is known any more.
fn keys(password: &str, config: &Config) -> impl Iterator<Item = [u8; LENGTH]> {
    let keys = config.keys.of(Purpose::Device);
    keys.map(move |key| HMAC::mac(password, key))
}

fn name(call: &Call) -> &'static str {
    if call.is_loopback() {
        LOOPBACK_NAME
    } else {
        SECURE_NAME
    }
}
