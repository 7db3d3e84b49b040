//! Keys by purpose: every signature of ours that is no ticket has a key of its own, derived from `jwt_secret`.
//!
//! Invariant: who holds the key of one purpose can neither check nor sign for another, and never learns the secret.
//! Tickets are signed with the secret itself, so no derived key signs one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac_sha256::HMAC;

/// How long a derived key is, in bytes.
pub const LENGTH: usize = 32;

/// What a derived key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// `Queue-Pass`, which origins check.
    Pass,
    /// The cookie by which an operator's browser is known again.
    Device,
    /// What the panel says was just done.
    News,
    /// The networks from which sessions were claimed.
    Network,
    /// What the answer to a challenge begins with.
    Challenge,
    /// What the operator's verifier answers to a challenge.
    Verifier,
    /// Invitations.
    Invitation,
    /// What lets programs of monitors and partners pass.
    Allowance,
    /// What a visitor takes along of a ticket.
    Receipt,
}

impl Purpose {
    /// What is mixed with the secret. It never changes: the key would change with it.
    fn label(self) -> &'static str {
        match self {
            Self::Pass => "queue-pass",
            Self::Device => "queue-device",
            Self::News => "queue-news",
            Self::Network => "queue-network",
            Self::Challenge => "queue-challenge",
            Self::Verifier => "queue-verifier",
            Self::Invitation => "queue-invite",
            Self::Allowance => "queue-allow",
            Self::Receipt => "queue-receipt",
        }
    }
}

/// HMAC-SHA256 of the purpose's label under one entry of `jwt_secret`.
#[must_use]
pub fn derived(secret: &[u8], purpose: Purpose) -> [u8; LENGTH] {
    HMAC::mac(purpose.label(), secret)
}

/// A text with its seal behind it.
#[must_use]
pub fn sealed(text: &str, key: &[u8]) -> String {
    format!("{text}.{}", seal(text, key))
}

/// The text in front of a seal, if it is the one of this key. Compared in constant time.
#[must_use]
pub fn unsealed<'a>(sealed: &'a str, key: &[u8]) -> Option<&'a str> {
    let (text, found) = sealed.rsplit_once('.')?;
    ct_codecs::verify(found.as_bytes(), seal(text, key).as_bytes()).then_some(text)
}

/// A few characters by which a text is known again, and which tell nothing about it without the key.
#[must_use]
pub fn shortened(text: &str, key: &[u8]) -> String {
    seal(text, key).chars().take(12).collect()
}

fn seal(text: &str, key: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(HMAC::mac(text, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_is_of_one_key_and_one_text() {
        let whole = sealed("a.b", b"key");
        assert_eq!(unsealed(&whole, b"key"), Some("a.b"));
        assert_eq!(unsealed(&whole, b"other"), None);
        let of_another = whole.replace("a.b", "a.c");
        for broken in [
            "",
            ".",
            "a.b",
            "a.b.",
            &of_another,
            &whole[1..],
            &whole[..46],
        ] {
            assert_eq!(unsealed(broken, b"key"), None, "{broken}");
        }
    }

    /// Also computed by `openssl dgst -sha256 -mac HMAC`, so that an origin's key outlives every build of ours.
    #[test]
    fn a_key_is_the_hmac_of_its_purpose_and_never_changes() {
        use ct_codecs::{Encoder, Hex};
        let key = derived(b"0123456789abcdef0123456789abcdef", Purpose::Pass);
        let hex = Hex::encode_to_string(key).ok();
        assert_eq!(
            hex.as_deref(),
            Some("ef92d3454828134cf708ca2ee379ace27619c9e4a3d66e5149f4059ec4c612d5")
        );
    }
}
