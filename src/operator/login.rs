//! Who operates the room, and how often somebody may guess.
//!
//! Security in one list: what is not configured does not exist; both halves of Basic, and all tokens, are compared, in
//! constant time; browsers send Basic from other sites too, so a change needs POST and the same origin; Bearer comes
//! from programs only. What could be guessed is looked at one after the other: each network has a lane, and so has each
//! browser that is known from a right login. After ten wrong logins in a minute a lane is slow. A network whose parts guess
//! together has one lane, and so has the rest of the world where all guess.

mod device;
mod listed;
mod refused;

use crate::cache::{AttemptLock, LoginFailures, LoginThrottle};
use crate::config::{OperatorSecrets, Password, Problem, Token};
pub use crate::config::{Right, Role};
use crate::http::Call;
use crate::queue::Now;
use crate::request::Request;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
pub use device::{LIFE as DEVICE_LIFE, cookie as device_cookie};
use hmac_sha256::Hash as Sha256;
pub use listed::refused as refused_by_network;
pub use refused::{Refused, not_found, unsound};
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// A token of this many bytes is not guessed, however often it is tried: in hexadecimal it has 128 bits. It needs no lane.
pub const LONG_TOKEN: usize = 32;

/// This many logins of a lane may be wrong in a minute before it is slowed.
const FREE: u64 = 10;

/// This many of all strangers of a data centre may be wrong in a minute before they share one lane.
const FREE_OF_ALL: u64 = 100;

/// The minute, which begins with the first wrong login.
const WHILE: Duration = Duration::from_mins(1);

/// What an attempt takes once there were too many.
pub const PAUSE: Duration = Duration::from_millis(250);

/// Who asks, and what they may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// For the log: the operator's name by Basic, the token's by Bearer.
    pub name: String,
    /// What they may.
    pub role: Role,
    /// How they proved it.
    pub via: Scheme,
    /// The secret that has their name. Each secret gives its names apart from the others.
    pub secret: &'static str,
}

/// How somebody proved who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// A person in a browser, or a script with an operator's password.
    Basic,
    /// A program.
    Bearer,
}

/// What a route takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A password: it is for people.
    Panel,
    /// A password, or a token.
    Api,
}

/// Who asks.
///
/// # Errors
/// Why nobody is let in.
pub fn operator(door: Audience, request: &Request<'_>) -> Result<Operator, Refused> {
    let (call, secrets) = (request.call, &request.config.operators.secrets);
    let given = call.header("authorization");
    let (scheme, credentials) = given.split_once(' ').unwrap_or((&given, ""));
    let credentials = credentials.trim();
    if scheme.eq_ignore_ascii_case("basic") {
        let passwords = secrets.passwords()?.ok_or(Refused::NotConfigured)?;
        let check = || password_owner(credentials, &passwords.each);
        let found = match device::lane(&passwords.secret, request) {
            Some(lane) => attempt(&lane, request.pop, request.now, &check)?,
            None => attempt_of_a_stranger(call.address, request.pop, request.now, &check)?,
        };
        found.ok_or(Refused::Unauthorized(Scheme::Basic))
    } else if scheme.eq_ignore_ascii_case("bearer") && door == Audience::Api {
        let (permit, admin) = secrets.tokens_of_both_kinds()?;
        if permit.is_empty() && admin.is_empty() {
            return Err(Refused::NotConfigured);
        }
        let check = || token_owner(credentials.as_bytes(), permit, admin);
        let found = if credentials.len() < LONG_TOKEN {
            attempt_of_a_stranger(call.address, request.pop, request.now, &check)?
        } else {
            check()
        };
        found.ok_or(Refused::Unauthorized(Scheme::Bearer))
    } else if is_there(door, secrets)? {
        Err(Refused::Unauthorized(Scheme::Basic))
    } else {
        Err(Refused::NotConfigured)
    }
}

/// Whether there is a secret for this door. Admin tokens are not looked for, since there is no read left for them.
///
/// # Errors
/// What is wrong with a secret.
pub fn is_there(door: Audience, secrets: &OperatorSecrets) -> Result<bool, Vec<Problem>> {
    Ok(secrets.passwords()?.is_some()
        || (door == Audience::Api && !secrets.permit_tokens()?.is_empty()))
}

/// One attempt from a network that nothing is known of: in the lane of the widest network from which too many were wrong. Who has many
/// addresses is no quicker for it.
fn attempt_of_a_stranger(
    address: Option<IpAddr>,
    pop: &dyn LoginThrottle,
    now: Now,
    check: &dyn Fn() -> Option<Operator>,
) -> Result<Option<Operator>, Refused> {
    let wide = [
        ("all".to_owned(), FREE_OF_ALL),
        (network(address, 48), FREE),
    ];
    let is_wrong =
        |(lane, free): &&(String, u64)| pop.wrong(lane).is_some_and(|wrong| wrong.count >= *free);
    let narrow = network(address, 64);
    let lane = wide.iter().find(is_wrong).map_or(&narrow, |(lane, _)| lane);
    let operator = attempt(lane, pop, now, check)?;
    if operator.is_none() {
        // A network that is slowed already counts for no wider one, so one address slows no others.
        let mut lanes = vec![&narrow, &wide[1].0];
        lanes.dedup();
        let is_slow = |lane: &String| pop.wrong(lane).is_some_and(|wrong| wrong.count > FREE);
        let is_slowed = lanes.iter().any(|lane| is_slow(lane));
        let all = (!is_slowed).then_some(&wide[0].0);
        for other in lanes.into_iter().chain(all).filter(|other| *other != lane) {
            count_wrong(other, pop, now);
        }
    }
    Ok(operator)
}

fn count_wrong(lane: &str, pop: &dyn LoginThrottle, now: Now) {
    let (wrong, life) = once_more(pop.wrong(lane), now);
    pop.put_wrong(lane, wrong, life);
}

/// One attempt, when it is its turn in its lane: so none is left uncounted, and a burst is no quicker than its lane. A
/// cache that does not answer locks nobody out.
fn attempt(
    lane: &str,
    pop: &dyn LoginThrottle,
    now: Now,
    check: &dyn Fn() -> Option<Operator>,
) -> Result<Option<Operator>, Refused> {
    let _until_dropped = match pop.turn(lane) {
        AttemptLock::Mine(turn) => Some(turn),
        AttemptLock::Unknown => None,
        AttemptLock::Late => return Err(Refused::TooMany),
    };
    let wrong = pop.wrong(lane);
    if wrong.is_some_and(|wrong| wrong.count >= FREE) {
        pop.pause(PAUSE);
    }
    let operator = check();
    if operator.is_none() {
        count_wrong(lane, pop, now);
    }
    Ok(operator)
}

/// One wrong login more, and for how long it counts.
fn once_more(wrong: Option<LoginFailures>, now: Now) -> (LoginFailures, Duration) {
    let first = LoginFailures {
        count: 0,
        since_ms: now.ms(),
    };
    let LoginFailures { count, since_ms } = wrong.unwrap_or(first);
    let age = Duration::from_millis(now.ms().saturating_sub(since_ms));
    let more = LoginFailures {
        count: count.saturating_add(1),
        since_ms,
    };
    (more, WHILE.saturating_sub(age))
}

/// A client with an IPv6 address has as many as 64 bits can name, and one that rents a server often as many networks as 16 bits can.
fn network(address: Option<IpAddr>, bits: u8) -> String {
    let Some(address) = address else {
        return String::new();
    };
    match address.to_canonical() {
        IpAddr::V6(six) => {
            let rest = 128 - u32::from(bits);
            let network = Ipv6Addr::from(u128::from(six) >> rest << rest);
            format!("{network}/{bits}")
        }
        four @ IpAddr::V4(_) => four.to_string(),
    }
}

/// Both halves of all are always compared.
fn password_owner(credentials: &str, passwords: &[Password]) -> Option<Operator> {
    let decoded = STANDARD.decode(credentials).unwrap_or_default();
    let mut halves = decoded.splitn(2, |byte| *byte == b':');
    let (name, word) = (halves.next()?, halves.next().unwrap_or_default());
    passwords.iter().fold(None, |found, password| {
        let is_name = constant_time_eq(name, password.name.as_bytes());
        let is_word = constant_time_eq(word, password.word.as_bytes());
        let operator = (is_name & is_word).then(|| Operator {
            name: password.name.clone(),
            role: password.role,
            via: Scheme::Basic,
            secret: "admin_password",
        });
        operator.or(found)
    })
}

/// All tokens are always compared.
fn token_owner(given: &[u8], permit: &[Token], admin: &[Token]) -> Option<Operator> {
    let permit = permit.iter().map(|token| ("permit_token", token));
    let admin = admin.iter().map(|token| ("admin_token", token));
    permit.chain(admin).fold(None, |found, (secret, token)| {
        let is_it = constant_time_eq(given, token.secret.as_bytes());
        let operator = is_it.then(|| Operator {
            name: token.name.clone(),
            role: token.role,
            via: Scheme::Bearer,
            secret,
        });
        operator.or(found)
    })
}

/// Digests have one length, so the time tells nothing about either side.
fn constant_time_eq(left: &[u8], right: &[u8]) -> bool {
    ct_codecs::verify(&Sha256::hash(left), &Sha256::hash(right))
}

/// Whether a browser sent this from a page of ours.
#[must_use]
pub fn is_same_origin(call: &Call) -> bool {
    match call.header("sec-fetch-site").as_ref() {
        "" => call.is_own_origin(&call.header("origin")),
        site => site == "same-origin",
    }
}

impl Operator {
    /// Whether they have this right.
    ///
    /// # Errors
    /// When they have not.
    pub fn may(self, needed: Right) -> Result<Self, Refused> {
        if self.role.may(needed) {
            Ok(self)
        } else {
            Err(Refused::Forbidden(self.name, self.role))
        }
    }
}
