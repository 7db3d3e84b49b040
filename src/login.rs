//! Who asks on the operators' routes, and what they may.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac_sha256::Hash as Sha256;
use jwt_simple::reexports::ct_codecs;

use crate::config::Config;
use crate::http::{Call, Reply};

/// The operator's name. There is one.
const OPERATOR: &str = "admin";
const BASIC_CHALLENGE: &str = r#"Basic realm="Now Serving", charset="UTF-8""#;
const BEARER_CHALLENGE: &str = r#"Bearer realm="Now Serving", error="invalid_token""#;

/// Who asks, and what they may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// The name of the credentials.
    pub name: String,
    /// What they may.
    pub rights: Rights,
    /// How they came.
    pub via: Via,
}

/// What somebody may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Let visitors in, and read.
    Permit,
    /// Everything.
    All,
}

/// How somebody proved who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// By Basic: a person in a browser, or a script with the operator's password.
    Basic,
    /// By Bearer: a program.
    Bearer,
}

/// Who asks.
///
/// # Errors
/// The answer to whoever has not proved it.
pub fn operator(call: &Call, config: &Config) -> Result<Operator, Box<Reply>> {
    let given = call.header("authorization");
    let (scheme, credentials) = given.split_once(' ').unwrap_or((&given, ""));
    if scheme.eq_ignore_ascii_case("bearer") {
        return match &config.permit_token {
            Some(token) if same(token.as_bytes(), credentials.trim().as_bytes()) => Ok(Operator {
                name: "permit_token".to_owned(),
                rights: Rights::Permit,
                via: Via::Bearer,
            }),
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
    Ok(Operator {
        name: OPERATOR.to_owned(),
        rights: Rights::All,
        via: Via::Basic,
    })
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

/// Whether a browser sent this from a page of the same site.
#[must_use]
pub fn is_same_origin(call: &Call) -> bool {
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
