//! JWTs that the tools sign offline, and that are verified here without a question to the store.
//!
//! Invariant: each kind has a key of its own and a `typ` of its own, so that none is taken for another, for a ticket or for a pass.

use super::keys::{LENGTH, sealed, unsealed};
use crate::http::object::object;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

/// Nothing longer is looked at.
pub(super) const LONGEST: usize = 512;

/// These claims with the first of these keys.
pub(super) fn signed(
    kind: &str,
    claims: &Value,
    mut keys: impl Iterator<Item = [u8; LENGTH]>,
) -> Option<String> {
    let written = |part: &Value| Some(URL_SAFE_NO_PAD.encode(serde_json::to_vec(part).ok()?));
    let header = written(&object!({ "alg": "HS256", "typ": kind }))?;
    let text = format!("{header}.{}", written(claims)?);
    Some(sealed(&text, &keys.next()?))
}

/// The claims of one that was signed with any of these keys.
pub(super) fn claims(
    kind: &str,
    token: &str,
    mut keys: impl Iterator<Item = [u8; LENGTH]>,
) -> Option<Value> {
    if token.len() > LONGEST {
        return None;
    }
    let (header, claims) = parts(keys.find_map(|key| unsealed(token, &key))?)?;
    (header.get("typ")?.as_str()? == kind).then_some(claims)
}

/// The header and the claims of what a seal is of.
pub(super) fn parts(sealed: &str) -> Option<(Value, Value)> {
    let (header, claims) = sealed.split_once('.')?;
    Some((part(header)?, part(claims)?))
}

fn part(text: &str) -> Option<Value> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    serde_json::from_slice(&bytes).ok()
}
