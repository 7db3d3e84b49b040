//! The script, as the build puts it together from its files (`build/script.rs`).
//!
//! A store is sent its text once, and its digest at each call. So the Wasm has the text compressed: each sandbox is smaller for it.

use crate::queue::sha1;
use miniz_oxide::inflate::decompress_to_vec;

/// What the store is sent where it does not know the digest.
pub(super) fn text() -> String {
    const DEFLATED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/script.deflate"));
    // The test below inflates the same bytes.
    let bytes = decompress_to_vec(DEFLATED).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// The digest under which the store remembers it.
pub(super) const DIGEST: &str = match std::str::from_utf8(&DIGITS) {
    Ok(digits) => digits,
    Err(_) => "",
};
#[expect(long_running_const_eval, reason = "it ends with the script")]
static DIGITS: [u8; 40] = sha1::hex(TEXT.as_bytes());
const TEXT: &str = include_str!(concat!(env!("OUT_DIR"), "/script.lua"));

#[cfg(test)]
mod tests {
    #[test]
    fn the_text_that_is_sent_is_the_one_of_the_digest() {
        assert_eq!(super::text(), super::TEXT);
    }
}
