//! `now-serving secret`: secrets that nobody guesses, from the randomness of the operating system; and the keys by which an
//! origin checks passes, a verifier signs answers and a shop signs invitations, derived from `jwt_secret`.
//!
//! One alone goes to stdout as it is, to be piped into Fastly's CLI, which keeps every byte it is given. What exists is
//! read from standard input or the environment: a command line is seen by every process of the machine.

use std::io::{self, IsTerminal, Read, Write};

use clap::ValueEnum;
use clap::builder::PossibleValue;
use cli_core::secret::{Secret, invite_keys, pass_keys, verifier_keys};

use crate::program;

/// Where `jwt_secret` is looked for before standard input is read.
const VARIABLE: &str = "JWT_SECRET";
/// Options of `now-serving secret`.
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
    /// The keys that sign the answers of a verifier.
    Verifier,
    /// The keys that sign invitations.
    Invite,
}

impl ValueEnum for Wanted {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::New(Secret::JwtSecret),
            Self::New(Secret::PermitToken),
            Self::New(Secret::AdminToken),
            Self::New(Secret::AdminPassword),
            Self::Pass,
            Self::Verifier,
            Self::Invite,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::New(secret) => PossibleValue::new(secret.name()).help(secret.purpose()),
            Self::Pass => PossibleValue::new("pass").help(
                "The keys that check `Queue-Pass` at the origin, for the entries of `jwt_secret` \
                 given in JWT_SECRET or on standard input",
            ),
            Self::Verifier => PossibleValue::new("verifier")
                .help("The keys with which a `verifier` signs its answers, for the same entries"),
            Self::Invite => PossibleValue::new("invite")
                .help("The keys with which a shop makes invitations itself, for the same entries"),
        })
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
        Some(Wanted::Verifier) => verifier_keys(&given()?)?,
        Some(Wanted::Invite) => invite_keys(&given()?)?,
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
pub(crate) fn given() -> Result<String, String> {
    if let Ok(entries) = std::env::var(VARIABLE) {
        return Ok(entries);
    }
    let mut input = io::stdin();
    if input.is_terminal() {
        return Err(format!(
            "Give jwt_secret in {VARIABLE} or on standard input, where no screen and no history keeps it, \
             such as printf %s \"$JWT_SECRET\" | {} secret pass",
            program::name()
        ));
    }
    let mut entries = String::new();
    let read = input.read_to_string(&mut entries);
    read.map_err(|error| format!("Standard input could not be read: {error}."))?;
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_secret_can_be_asked_for_by_its_name_and_so_can_the_keys_of_others() {
        let names = Wanted::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        let secrets = Secret::all().iter().map(|secret| secret.name());
        assert_eq!(
            names,
            secrets
                .chain(["pass", "verifier", "invite"])
                .collect::<Vec<_>>()
        );
    }
}
