//! `cargo dev secret`: secrets that nobody guesses, from the randomness of the operating system.
//!
//! One alone goes to stdout as it is, to be piped into Fastly's CLI, which keeps every byte it is given.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;

/// Signs or opens for programs: 256 bits, as many as HMAC-SHA-256 makes use of.
const BYTES: usize = 32;
/// Typed by people: none of these looks like another. 32 of them, five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Four groups of five letters are 100 bits.
const GROUPS: usize = 4;
const GROUP: usize = 5;

/// What `cargo dev secret` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this one, and nothing but its value
    #[arg(value_name = "NAME")]
    pub name: Option<Secret>,
}

/// A secret that we make; the store's token is made by the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Secret {
    /// Signs the tickets
    JwtSecret,
    /// Opens permit and status to the origin's programs
    PermitToken,
    /// Opens what an operator may do to programs
    AdminToken,
    /// Opens the panel to the user `admin`
    AdminPassword,
}

impl Secret {
    /// All there are.
    #[must_use]
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// As the secret store names it.
    #[must_use]
    pub fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Makes a new one.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn make(self) -> Result<String, String> {
        match self {
            Self::JwtSecret | Self::PermitToken | Self::AdminToken => {
                let bytes = random::<BYTES>()?;
                let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
                Ok(halves
                    .filter_map(|half| char::from_digit(half.into(), 16))
                    .collect())
            }
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

/// Prints the secrets asked for.
///
/// # Errors
/// When the system has no randomness or nobody reads.
pub fn secret(options: &Options) -> Result<(), String> {
    let mut out = io::stdout();
    let text = match options.name {
        // What a program reads is the secret to its last byte, and a line's end is none of it.
        Some(name) if out.is_terminal() => name.make()? + "\n",
        Some(name) => name.make()?,
        None => lines()?,
    };
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(|error| format!("The secret could not be written: {error}."))
}

fn lines() -> Result<String, String> {
    let line = |secret: &Secret| Ok(format!("{} {}\n", secret.name(), secret.make()?));
    Secret::all().iter().map(line).collect()
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
