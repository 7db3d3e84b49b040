//! The script, as the build puts it together from its files (`build/script.rs`).

use crate::queue::sha1;

/// What the store is sent.
pub(super) const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/script.lua"));

/// The digest under which the store remembers it.
pub(super) const DIGEST: &str = match std::str::from_utf8(&DIGITS) {
    Ok(digits) => digits,
    Err(_) => "",
};
#[expect(long_running_const_eval, reason = "it ends with the script")]
static DIGITS: [u8; 40] = sha1::hex(TEXT.as_bytes());
