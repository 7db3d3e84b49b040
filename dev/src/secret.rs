//! `cargo dev secret`: secrets that nobody guesses, from the randomness of the operating system; and the keys by which an
//! origin checks passes, derived from `jwt_secret`.
//!
//! One alone goes to stdout as it is, to be piped into Fastly's CLI, which keeps every byte it is given. What exists is
//! read from standard input or the environment: a command line is seen by every process of the machine.

use std::io::{self, IsTerminal, Read, Write};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::ValueEnum;
use clap::builder::PossibleValue;

/// Signs or opens for programs: 256 bits, as many as HMAC-SHA-256 makes use of.
const BYTES: usize = 32;
/// Typed by people: none of these looks like another. 32 of them, five bits each.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
/// Four groups of five letters are 100 bits.
const GROUPS: usize = 4;
const GROUP: usize = 5;

/// Where `jwt_secret` is looked for before standard input is read.
const VARIABLE: &str = "JWT_SECRET";
/// The shortest `jwt_secret`, in bytes, as the service has it.
const SHORTEST: usize = 32;

/// What `cargo dev secret` can be told.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this one, and nothing but its value
    #[arg(value_name = "NAME")]
    pub name: Option<Wanted>,
}

/// What can be asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// A new secret.
    New(Secret),
    /// The keys that check `Queue-Pass`.
    Pass,
}

impl ValueEnum for Wanted {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::New(Secret::JwtSecret),
            Self::New(Secret::PermitToken),
            Self::New(Secret::AdminToken),
            Self::New(Secret::AdminPassword),
            Self::Pass,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = "The keys that check `Queue-Pass` at the origin, for the entries of `jwt_secret` \
                    given in JWT_SECRET or on standard input";
        match self {
            Self::New(secret) => secret.to_possible_value(),
            Self::Pass => Some(PossibleValue::new("pass").help(help)),
        }
    }
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

/// Prints the secrets asked for.
///
/// # Errors
/// When the system has no randomness, nobody reads, or what was given is no `jwt_secret`.
pub fn secret(options: &Options) -> Result<(), String> {
    let mut out = io::stdout();
    let text = match options.name {
        // What a program reads is the secret to its last byte, and a line's end is none of it.
        Some(Wanted::New(name)) if out.is_terminal() => name.make()? + "\n",
        Some(Wanted::New(name)) => name.make()?,
        Some(Wanted::Pass) => pass_keys(&given()?)?,
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

/// The entries that were given, separated by commas or white space.
fn given() -> Result<String, String> {
    if let Ok(entries) = std::env::var(VARIABLE) {
        return Ok(entries);
    }
    let mut input = io::stdin();
    if input.is_terminal() {
        return Err(format!(
            "Give jwt_secret in {VARIABLE} or on standard input, where no screen and no history keeps it: \
             printf %s \"$JWT_SECRET\" | cargo dev secret pass"
        ));
    }
    let mut entries = String::new();
    let read = input.read_to_string(&mut entries);
    read.map_err(|error| format!("Standard input could not be read: {error}."))?;
    Ok(entries)
}

/// A line for each entry of `jwt_secret`: the key's name, as `kid` in a pass, and the key that
/// checks it in hexadecimal.
///
/// # Errors
/// When there is none, or one is too short; its value is not named.
pub fn pass_keys(entries: &str) -> Result<String, String> {
    let words = entries.split(|c: char| c == ',' || c.is_whitespace());
    let secrets: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    if secrets.is_empty() || secrets.iter().any(|secret| secret.len() < SHORTEST) {
        return Err(format!(
            "That is no jwt_secret; accepted is one or more of at least {SHORTEST} bytes, separated by commas."
        ));
    }
    let line = |secret: &&str| {
        let kid: String = URL_SAFE_NO_PAD
            .encode(hmac_sha256::Hash::hash(secret.as_bytes()))
            .chars()
            .take(8)
            .collect();
        let key = hmac_sha256::HMAC::mac("queue-pass", secret.as_bytes());
        format!("{kid} {}\n", hex(&key))
    };
    Ok(secrets.iter().map(line).collect())
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
    fn every_secret_can_be_asked_for_by_its_name_and_so_can_the_keys_of_passes() {
        let names = Wanted::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        let secrets = Secret::all().iter().map(|secret| secret.name());
        assert_eq!(
            names,
            secrets.chain(["pass".to_owned()]).collect::<Vec<_>>()
        );
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
