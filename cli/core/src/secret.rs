//! Secrets that nobody guesses, from the randomness of the operating system; and the keys by which an origin checks
//! passes, derived from `jwt_secret`. `now-serving secret` prints them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Signs or opens for programs: 256 bits, as many as HMAC-SHA-256 makes use of.
const BYTES: usize = 32;
/// Typed by people: none of these looks like another. 32 of them, five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Four groups of five letters are 100 bits.
const GROUPS: usize = 4;
const GROUP: usize = 5;

/// The shortest `jwt_secret`, in bytes, as the service has it.
const SHORTEST: usize = 32;

/// A secret that we make; the store's token is made by the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret {
    /// Signs the tickets.
    JwtSecret,
    /// Opens permit and status to the origin's programs.
    PermitToken,
    /// Opens what an operator may do to programs.
    AdminToken,
    /// Opens the panel to the user `admin`.
    AdminPassword,
}

impl Secret {
    /// All there are.
    #[must_use]
    pub fn all() -> &'static [Self] {
        &[
            Self::JwtSecret,
            Self::PermitToken,
            Self::AdminToken,
            Self::AdminPassword,
        ]
    }

    /// As the secret store names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::JwtSecret => "jwt_secret",
            Self::PermitToken => "permit_token",
            Self::AdminToken => "admin_token",
            Self::AdminPassword => "admin_password",
        }
    }

    /// What it is for, in the words of `now-serving secret --help`.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        match self {
            Self::JwtSecret => "Signs the tickets",
            Self::PermitToken => "Opens permit and status to the origin's programs",
            Self::AdminToken => "Opens what an operator may do to programs",
            Self::AdminPassword => "Opens the panel to the user `admin`",
        }
    }

    /// Makes a new one.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn make(self) -> Result<String, String> {
        match self {
            Self::JwtSecret | Self::PermitToken | Self::AdminToken => Ok(hex(&random::<BYTES>()?)),
            Self::AdminPassword => {
                let letters: Vec<char> = random::<{ GROUPS * GROUP }>()?.map(letter).to_vec();
                let groups: Vec<String> = letters
                    .chunks(GROUP)
                    .map(|group| group.iter().collect())
                    .collect();
                Ok(groups.join("-"))
            }
        }
    }
}

/// A line for each entry of `jwt_secret`: the key's name, as `kid` in a pass, and the key that
/// checks it in hexadecimal.
///
/// # Errors
/// When there is none, or one is too short; its value is not named.
pub fn pass_keys(entries: &str) -> Result<String, String> {
    let secrets = entries_of(entries)?;
    let line = |secret: &&str| {
        let kid: String = URL_SAFE_NO_PAD
            .encode(hmac_sha256::Hash::hash(secret.as_bytes()))
            .chars()
            .take(8)
            .collect();
        format!("{kid} {}\n", derived(secret, "queue-pass"))
    };
    Ok(secrets.iter().map(line).collect())
}

/// A line for each entry of `jwt_secret`: the key with which a verifier signs its answers, in hexadecimal.
///
/// # Errors
/// When there is none, or one is too short; its value is not named.
pub fn verifier_keys(entries: &str) -> Result<String, String> {
    keys(entries, "queue-verifier")
}

/// The same for a shop that makes invitations itself.
///
/// # Errors
/// When there is none, or one is too short; its value is not named.
pub fn invite_keys(entries: &str) -> Result<String, String> {
    keys(entries, "queue-invite")
}

fn keys(entries: &str, label: &str) -> Result<String, String> {
    let secrets = entries_of(entries)?;
    let line = |secret: &&str| derived(secret, label) + "\n";
    Ok(secrets.iter().map(line).collect())
}

fn derived(secret: &str, label: &str) -> String {
    hex(&hmac_sha256::HMAC::mac(label, secret.as_bytes()))
}

/// The entries of `jwt_secret`, the newest first.
///
/// # Errors
/// When there is none, or one is too short; its value is not named.
pub fn entries_of(entries: &str) -> Result<Vec<&str>, String> {
    let words = entries.split(|c: char| c == ',' || c.is_whitespace());
    let secrets: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if secrets.is_empty() || secrets.iter().any(|secret| secret.len() < SHORTEST) {
        return Err(format!(
            "That is no jwt_secret; accepted is one or more of at least {SHORTEST} bytes, separated by commas."
        ));
    }
    Ok(secrets)
}

/// The id of an invitation: 128 random bits.
///
/// # Errors
/// When the system has no randomness.
pub fn id() -> Result<String, String> {
    Ok(hex(&random::<16>()?))
}

fn hex(bytes: &[u8]) -> String {
    let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    halves
        .filter_map(|half| char::from_digit(half.into(), 16))
        .collect()
}

fn random<const LENGTH: usize>() -> Result<[u8; LENGTH], String> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)
        .map_err(|error| format!("The system gives no randomness: {error}."))?;
    Ok(bytes)
}

/// Five bits of a byte, so that every letter is as likely as any other.
fn letter(byte: u8) -> char {
    let place = usize::from(byte) % LETTERS.len();
    LETTERS.get(place).copied().map_or('a', char::from)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_secret_is_as_long_as_it_is_strong() {
        for secret in Secret::all() {
            let made = secret.make().unwrap();
            let bits = match secret {
                Secret::AdminPassword => 5 * made.replace('-', "").len(),
                _ => 4 * made.len(),
            };
            let least = if *secret == Secret::AdminPassword {
                96
            } else {
                256
            };
            assert!(bits >= least, "{secret:?}: {bits}");
        }
    }

    #[test]
    fn no_two_secrets_are_alike() {
        let made = (0..100).flat_map(|_| Secret::all());
        let made: BTreeSet<String> = made.map(|secret| secret.make().unwrap()).collect();
        assert_eq!(made.len(), 400);
    }

    #[test]
    fn each_entry_has_a_key_of_its_own_and_what_is_no_secret_is_refused_unnamed() {
        let (one, other) = ("a".repeat(32), "b".repeat(32));
        let printed = pass_keys(&format!("{one}, {other}\n")).unwrap();
        let lines: BTreeSet<&str> = printed.lines().collect();
        assert_eq!(lines.len(), 2);
        for line in lines {
            let (kid, key) = line.split_once(' ').unwrap();
            assert_eq!((kid.len(), key.len()), (8, 64), "{line}");
            assert!(!printed.contains(&one) && !printed.contains(&other));
            for others in [verifier_keys, invite_keys] {
                let others = others(&format!("{one},{other}")).unwrap();
                let is_another = |line: &&str| line.len() == 64 && *line != key;
                assert_eq!(others.lines().filter(is_another).count(), 2, "{others}");
            }
        }
        for wrong in [
            "",
            " , ",
            "too-short-to-sign",
            &format!("{one},too-short-to-sign"),
        ] {
            let refused = pass_keys(wrong).unwrap_err();
            assert!(refused.contains("at least 32 bytes"), "{refused}");
            assert!(!refused.contains("too-short"), "{refused}");
        }
    }

    #[test]
    fn a_password_is_typed_without_asking_which_letter_that_is() {
        let letters: BTreeSet<u8> = LETTERS.iter().copied().collect();
        assert_eq!(
            letters.len(),
            32,
            "each once, so that each counts five bits"
        );
        assert!(!letters.iter().any(|letter| b"0o1l".contains(letter)));
        let used: BTreeSet<char> = (0..=255).map(letter).collect();
        assert_eq!(used.len(), 32);
        let password = Secret::AdminPassword.make().unwrap();
        assert_eq!(
            password.split('-').map(str::len).collect::<Vec<_>>(),
            [5; 4]
        );
    }
}
