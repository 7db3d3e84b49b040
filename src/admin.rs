//! The operator's routes: the panel, the permit API, status and health.
//!
//! Security in one list: what is not configured does not exist; both halves of Basic are compared, in constant time;
//! browsers send Basic from other sites too, so a change needs POST and the same origin; Bearer comes from programs only.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac_sha256::Hash as Sha256;
use jwt_simple::reexports::ct_codecs;
use serde_json::json;

use crate::admission::{Rate, estimated_wait};
use crate::amount::{self, Refusal};
use crate::config::Config;
use crate::http::{Call, Reply};
use crate::line::{Line, Sign};
use crate::near::{Copied, Near};
use crate::page;
use crate::record::Reason;
use crate::upstash::StoreError;

/// The operator's name. There is one.
const OPERATOR: &str = "admin";
const BASIC_CHALLENGE: &str = r#"Basic realm="Now Serving", charset="UTF-8""#;
const BEARER_CHALLENGE: &str = r#"Bearer realm="Now Serving", error="invalid_token""#;

/// What is known of a permit whose answer was lost.
const UNKNOWN: &str = "whether the line moved is unknown: look at the figures once they are back";

/// An answer, why it is that one, and what was wrong with the store if anything was.
pub struct Answered {
    /// What to send.
    pub reply: Reply,
    /// For the log.
    pub reason: Reason,
    /// For the log.
    pub fault: Option<StoreError>,
    /// The sign, if this request saw it.
    pub sign: Option<Sign>,
}

#[derive(Clone, Copy)]
enum Route {
    Panel,
    Permit,
    Status,
    Health,
}

/// How a caller proved who it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// By Basic: a person in a browser, or a script with the operator's password.
    Operator,
    /// By Bearer: a program.
    Program,
}

/// The part of the path below the operator's, if it is one of his: `/_queue` and `/_queue/…`, never `/_queuefoo`.
#[must_use]
pub fn below<'a>(path: &'a str, admin_path: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(admin_path)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

/// Answers a request below the operator's path.
#[must_use]
pub fn answer(
    rest: &str,
    call: &Call,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Answered {
    let (route, allowed) = match rest {
        "" | "/" => (Route::Panel, "GET, HEAD"),
        "/permit" => (Route::Permit, "POST"),
        "/status" => (Route::Status, "GET, HEAD"),
        "/healthz" => (Route::Health, "GET, HEAD"),
        _ => return not_found(),
    };
    if !exists(route, config) {
        return Answered {
            reason: Reason::NoPassword,
            ..not_found()
        };
    }
    if let Some(reply) = Reply::wrong_method(&call.method, allowed) {
        return simply(reply, Reason::BadOperatorRequest);
    }
    match (route, caller(route, call, config)) {
        (Route::Health, _) => {
            let reply = Reply::new(200, "text/plain; charset=utf-8", "ok\n");
            simply(reply, Reason::Health)
        }
        (_, Err(refused)) => simply(*refused, Reason::Unauthorized),
        (Route::Panel, Ok(_)) => panel(call, line, config),
        (Route::Status, Ok(_)) => status(line, config),
        (Route::Permit, Ok(caller)) => permit(call, caller, body, line, near, config),
    }
}

/// Without a password there is no panel; the permit token alone opens what programs need.
fn exists(route: Route, config: &Config) -> bool {
    let panel = config.admin_password.is_some();
    match route {
        Route::Panel => panel,
        Route::Permit | Route::Status => panel || config.permit_token.is_some(),
        Route::Health => true,
    }
}

fn simply(reply: Reply, reason: Reason) -> Answered {
    Answered {
        reply,
        reason,
        fault: None,
        sign: None,
    }
}

fn not_found() -> Answered {
    simply(
        Reply::problem(404, "Not found", "there is nothing at this path"),
        Reason::NotFound,
    )
}

fn panel(call: &Call, line: &Line<'_>, config: &Config) -> Answered {
    let sign = match line.status() {
        Ok(sign) => sign,
        Err(fault) => return panel_without_store(fault, "nothing can be read or moved", config),
    };
    let news = news(call);
    let reply = page::panel(200, config, Some(sign), None, news.as_deref());
    Answered {
        sign: Some(sign),
        ..simply(reply, Reason::Panel)
    }
}

fn panel_without_store(fault: StoreError, known: &str, config: &Config) -> Answered {
    let trouble = format!("{fault}; {known}");
    Answered {
        fault: Some(fault),
        ..simply(
            page::panel(503, config, None, Some(&trouble), None),
            Reason::StoreTrouble,
        )
    }
}

/// What the last press of the button did, as the redirect after it tells; only numbers are taken from the query.
fn news(call: &Call) -> Option<String> {
    let number = |name: &str| call.parameter(name)?.parse::<u64>().ok();
    let (released, asked) = (number("released")?, number("asked")?);
    Some(if released >= asked {
        format!("Let in: {released}.")
    } else {
        format!(
            "Let in: {released} of {asked}, since nobody else was waiting. The rest is kept as credit, as far as credit_max allows."
        )
    })
}

fn status(line: &Line<'_>, config: &Config) -> Answered {
    match line.status() {
        Ok(sign) => Answered {
            sign: Some(sign),
            ..simply(
                Reply::json(200, &status_json(sign, config, line.now_ms)),
                Reason::Status,
            )
        },
        Err(fault) => store_trouble(fault, "nothing was read"),
    }
}

fn status_json(sign: Sign, config: &Config, now_ms: u64) -> serde_json::Value {
    let measured = sign.measured.and_then(|measured| measured.rate(now_ms));
    json!({
        "room": config.room,
        "mode": if config.pace.automatic == 0 { "manual" } else { "automatic" },
        "epoch": sign.epoch,
        "cursor": sign.cursor.0,
        "length": sign.length,
        "waiting": sign.waiting(),
        "credit": sign.credit,
        "rate": {
            "automatic": config.pace.automatic,
            "automatic_quantity": config.pace.quantity,
            "per_minute": config.pace.rate().map(Rate::per_minute),
            "measured_per_minute": measured.map(Rate::per_minute),
        },
        "estimated_wait_seconds": estimated_wait(sign.waiting(), sign.measured, config.pace, now_ms),
    })
}

fn permit(
    call: &Call,
    caller: Caller,
    body: &mut dyn Read,
    line: &Line<'_>,
    near: &dyn Near,
    config: &Config,
) -> Answered {
    let asked = match amount::read(&call.header("content-type"), body, config.permit_max) {
        Ok(asked) => asked,
        Err(refusal) => return simply(refused(&refusal), Reason::BadOperatorRequest),
    };
    let in_browser = caller == Caller::Operator && asked.by_form;
    let (sign, released) = match line.permit(asked.amount, config.credit_max) {
        Ok(moved) => moved,
        Err(fault) if in_browser => return panel_without_store(fault, UNKNOWN, config),
        Err(fault) => return store_trouble(fault, UNKNOWN),
    };
    near.put(&Copied::new(sign));
    let reply = if in_browser {
        let location = format!(
            "{}?released={released}&asked={}",
            config.admin_path, asked.amount
        );
        Reply::new(303, "text/plain; charset=utf-8", "").with("location", location)
    } else {
        let (cursor, length, credit) = (sign.cursor.0, sign.length, sign.credit);
        Reply::json(
            200,
            &json!({ "cursor": cursor, "length": length, "waiting": sign.waiting(), "released": released, "credit": credit }),
        )
    };
    Answered {
        sign: Some(sign),
        ..simply(reply, Reason::Permit)
    }
}

fn refused(refusal: &Refusal) -> Reply {
    let (status, title) = match refusal {
        Refusal::Amount(_) => (400, "Bad request"),
        Refusal::TooLarge(_) => (413, "Content too large"),
        Refusal::Type(_) => (415, "Unsupported media type"),
    };
    Reply::problem(status, title, &format!("{refusal}; nothing moved"))
}

fn store_trouble(fault: StoreError, known: &str) -> Answered {
    let detail = format!("{fault}; {known}");
    let reply = Reply::problem(503, "The store does not answer", &detail).with("retry-after", "5");
    Answered {
        fault: Some(fault),
        ..simply(reply, Reason::StoreTrouble)
    }
}

fn caller(route: Route, call: &Call, config: &Config) -> Result<Caller, Box<Reply>> {
    let given = call.header("authorization");
    let (scheme, credentials) = given.split_once(' ').unwrap_or((&given, ""));
    if scheme.eq_ignore_ascii_case("bearer") && !matches!(route, Route::Panel) {
        return match &config.permit_token {
            Some(token) if same(token.as_bytes(), credentials.trim().as_bytes()) => {
                Ok(Caller::Program)
            }
            _ => Err(Box::new(unauthorized(
                "the bearer token is not the permit_token",
                BEARER_CHALLENGE,
            ))),
        };
    }
    let password = config.admin_password.as_deref();
    if !scheme.eq_ignore_ascii_case("basic")
        || !password.is_some_and(|password| opens(credentials, password))
    {
        return Err(Box::new(unauthorized(
            "this needs the operator's name and password",
            BASIC_CHALLENGE,
        )));
    }
    if matches!(route, Route::Permit) && !same_origin(call) {
        let detail = "a change needs Sec-Fetch-Site: same-origin or an Origin equal to the host; programs send a Bearer token; nothing moved";
        return Err(Box::new(Reply::problem(403, "Not from this site", detail)));
    }
    Ok(Caller::Operator)
}

fn unauthorized(detail: &str, challenge: &str) -> Reply {
    Reply::problem(401, "Unauthorized", detail).with("www-authenticate", challenge)
}

/// Both halves are always compared.
fn opens(credentials: &str, password: &str) -> bool {
    let decoded = STANDARD.decode(credentials.trim()).unwrap_or_default();
    let mut halves = decoded.splitn(2, |byte| *byte == b':');
    let name = same(halves.next().unwrap_or_default(), OPERATOR.as_bytes());
    let word = same(halves.next().unwrap_or_default(), password.as_bytes());
    name & word
}

/// Digests have one length, so the time tells nothing about either side.
fn same(left: &[u8], right: &[u8]) -> bool {
    ct_codecs::verify(&Sha256::hash(left), &Sha256::hash(right))
}

fn same_origin(call: &Call) -> bool {
    match call.header("sec-fetch-site").as_ref() {
        "" => {
            let origin = call.header("origin");
            let scheme = if call.https { "https://" } else { "http://" };
            origin
                .strip_prefix(scheme)
                .is_some_and(|host| !host.is_empty() && host.eq_ignore_ascii_case(&call.host))
        }
        site => site == "same-origin",
    }
}
