//! Keys by purpose: every signature of ours that is no ticket has a key of its own, derived from `jwt_secret`.
//!
//! Invariant: who holds the key of one purpose can neither check nor sign for another, and never learns the secret.
//! Tickets are signed with the secret itself, so no derived key signs one.

use hmac_sha256::HMAC;

/// How long a derived key is, in bytes.
pub const LENGTH: usize = 32;

/// What a derived key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `Queue-Pass`, which origins check.
    Pass,
}

impl Purpose {
    /// What is mixed with the secret. It never changes: the key would change with it.
    fn label(self) -> &'static str {
        match self {
            Self::Pass => "queue-pass",
        }
    }
}

/// HMAC-SHA256 of the purpose's label under one entry of `jwt_secret`.
#[must_use]
pub fn derived(secret: &[u8], purpose: Purpose) -> [u8; LENGTH] {
    HMAC::mac(purpose.label(), secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also computed by `openssl dgst -sha256 -mac HMAC`, so that an origin's key outlives every build of ours.
    #[test]
    fn a_key_is_the_hmac_of_its_purpose_and_never_changes() {
        use jwt_simple::reexports::ct_codecs::{Encoder, Hex};
        let key = derived(b"0123456789abcdef0123456789abcdef", Purpose::Pass);
        let hex = Hex::encode_to_string(key).ok();
        assert_eq!(
            hex.as_deref(),
            Some("ef92d3454828134cf708ca2ee379ace27619c9e4a3d66e5149f4059ec4c612d5")
        );
    }
}
