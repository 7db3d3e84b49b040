//! Values as a POP's cache keeps them.
//!
//! Invariant: what is read has every part of its type, and nothing behind it. A note that is spoilt, or that lacks a part, is none.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value as the cache keeps it.
#[must_use]
pub fn encode(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}

/// The value that [`encode`] wrote.
#[must_use]
pub fn decode<T: DeserializeOwned>(kept: &[u8]) -> Option<T> {
    // As everything else that is read, by a text: the Wasm has that reader.
    serde_json::from_str(std::str::from_utf8(kept).ok()?).ok()
}
