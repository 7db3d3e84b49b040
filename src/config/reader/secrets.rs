//! The secrets: what each must be, and what is said of one that is not, without its value.

use super::super::{ADMIN, DEVELOPMENT, Password, Passwords, RETIRED, Role, Token};
use super::{NONE, Reader, is_name, words};
use crate::http::json::{self, Pairs, Value};
use crate::http::without_mark;

/// Signs the tickets.
pub(in crate::config) const JWT_SECRET: &str = "jwt_secret";

/// The least a secret that signs can be, in bytes.
pub(in crate::config) const SHORTEST: usize = 32;

/// Opens the panel.
const ADMIN_PASSWORD: &str = "admin_password";

/// The least an operator's password can be, in bytes.
const PASSWORD: usize = 8;

/// The least a program's token can be, in bytes.
pub(in crate::config) const TOKEN: usize = 16;

impl Reader<'_> {
    /// The first signs and all verify. A rotation is three writes of this one entry, so that every POP knows a new secret
    /// before the first one signs with it, and still knows the old one. What is sound of them is kept: visitors who were
    /// admitted by it stay inside, whatever is wrong with another.
    pub(in crate::config) fn jwt_secrets(&mut self) -> Vec<String> {
        let Some(listed) = self.given(JWT_SECRET) else {
            if self.is_known(JWT_SECRET) {
                let accepted = "a secret of at least 32 bytes; this one is required";
                self.problem(JWT_SECRET, None, accepted);
                self.found.unknown.push(JWT_SECRET);
            }
            return Vec::new();
        };
        let secrets = self.sound_secrets(JWT_SECRET, &listed);
        if secrets.is_empty() {
            self.found.unknown.push(JWT_SECRET);
        }
        secrets
    }

    /// Those of `jwt_secret_previous`, which the version before read. They go on verifying for visitors inside until the
    /// operator has moved them.
    pub(in crate::config) fn retired_secrets(&mut self) -> Vec<String> {
        let Some(listed) = self.given(RETIRED) else {
            return Vec::new();
        };
        let accepted = "no entry of this name: write its secrets behind the one in jwt_secret, separated by commas, then write none here";
        self.problem(RETIRED, None, accepted);
        let is_sound = |secret: &&str| self.why_unsound(secret, SHORTEST).is_none();
        words(&listed).filter(is_sound).map(str::to_owned).collect()
    }

    pub(in crate::config) fn sound_secrets(
        &mut self,
        key: &'static str,
        listed: &str,
    ) -> Vec<String> {
        if words(listed).next().is_none() {
            self.problem(key, None, "one secret, or several separated by commas");
        }
        let secrets = words(listed).map(str::to_owned);
        let is_sound = |secret: &String| self.check(key, secret, SHORTEST);
        secrets.filter(is_sound).collect()
    }

    /// It travels in a header.
    pub(in crate::config) fn upstash_token(&mut self) -> String {
        let token = self.required("upstash_token", 1);
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.problem("upstash_token", None, "visible ASCII characters only");
        }
        token
    }

    pub(in crate::config) fn required(&mut self, key: &'static str, shortest: usize) -> String {
        let secret = self.secret(key, shortest);
        if secret.is_none() && self.is_known(key) {
            let accepted = format!("a secret of at least {shortest} bytes; this one is required");
            self.problem(key, None, accepted);
        }
        secret.unwrap_or_default()
    }

    pub(in crate::config) fn secret(
        &mut self,
        key: &'static str,
        shortest: usize,
    ) -> Option<String> {
        let secret = self.given(key)?;
        self.check(key, &secret, shortest);
        Some(secret)
    }

    /// One password, which is admin's, or a JSON object of names and passwords. A version without names takes the whole
    /// object for admin's password: it opens to who knows all of it.
    pub(in crate::config) fn passwords(&mut self) -> Option<Passwords> {
        let secret = self.given(ADMIN_PASSWORD)?;
        let given = secret.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        if !given.starts_with('{') {
            self.check(ADMIN_PASSWORD, &secret, PASSWORD);
            let name = ADMIN.to_owned();
            let word = secret.clone();
            let role = Role::All;
            let each = vec![Password { name, word, role }];
            return Some(Passwords { secret, each });
        }
        let Pairs(pairs) = json::read(given.as_bytes()).unwrap_or(Pairs(Vec::new()));
        let mut each: Vec<Password> = Vec::new();
        let is_taken = |name: &str, each: &[Password]| {
            each.iter()
                .any(|other| other.name.eq_ignore_ascii_case(name))
        };
        let mut are_names = !pairs.is_empty();
        for (number, (name, said)) in (1..).zip(pairs) {
            are_names &= is_name(&name) && !is_taken(&name, &each);
            let read = operator(name, &said);
            let wrong = match &read {
                Ok(password) => self.why_unsound(&password.word, PASSWORD),
                Err(accepted) => Some((*accepted).to_owned()),
            };
            // Who the operators are is nothing for everybody who asks after the health.
            if let Some(accepted) = wrong {
                let accepted = format!("{accepted}, for name {number}");
                self.problem(ADMIN_PASSWORD, None, accepted);
            }
            each.extend(read);
        }
        if !are_names {
            let accepted = r#"one password, or a JSON object such as {"anna":"<password>","ben":{"password":"<password>","may":"look"}}; names of 1 to 32 letters, digits, - and _, each once in any case"#;
            self.problem(ADMIN_PASSWORD, None, accepted);
        }
        Some(Passwords { secret, each })
    }

    /// One token, which is called like its key, or several of the form `name:token`, or `name/role:token` for one that may
    /// do only what its role says.
    pub(in crate::config) fn tokens(&mut self, key: &'static str, whole: Role) -> Vec<Token> {
        let Some(text) = self.given(key) else {
            return Vec::new();
        };
        let mut tokens: Vec<Token> = Vec::new();
        for word in words(&text) {
            let (name, secret) = word.split_once(':').unwrap_or((key, word));
            let (name, role) = match name.split_once('/') {
                Some((name, role)) => (name, named(role, &Role::OF_TOKENS)),
                None => (name, Some(whole)),
            };
            if role.is_none() {
                let accepted = format!(
                    "behind the slash one of the roles {}, for token {}",
                    names(&Role::OF_TOKENS),
                    tokens.len() + 1
                );
                self.problem(key, None, accepted);
            }
            self.check(key, secret, TOKEN);
            let is_new = |token: &Token| token.name != name && token.secret != secret;
            // A role at another place would be read as the name or the secret of one that may do more.
            let begins = secret.split_once(':').map_or("", |(begins, _)| begins);
            let is_role = |word: &str| named(word, &Role::OF_TOKENS).is_some();
            if is_role(name) || is_role(begins) || !is_name(name) || !tokens.iter().all(is_new) {
                let accepted = format!(
                    "one token, or several such as shop:<token>,prometheus/read:<token>; names of 1 to 32 letters, digits, - and _, each once; each token once; no name and no beginning of a token is one of the roles {}",
                    names(&Role::OF_TOKENS)
                );
                self.problem(key, None, accepted);
            }
            let (name, secret) = (name.to_owned(), secret.to_owned());
            // Nothing comes of a secret with a problem, whatever its tokens may.
            let role = role.unwrap_or(Role::Read);
            tokens.push(Token { name, secret, role });
        }
        if tokens.is_empty() {
            self.problem(key, None, "none, one token, or several");
        }
        tokens
    }

    /// The secret store first; the config store is for the local server and for services without a secret store. What
    /// one of them does not say is not looked for in the other.
    pub(in crate::config) fn given(&mut self, key: &'static str) -> Option<String> {
        let said = self.source.secret(key);
        let mut found = self.known(key, said);
        if found.is_none() && self.is_known(key) && !self.source.keeps_secrets() {
            let said = self.source.setting(key);
            found = self.known(key, said);
        }
        let found = found.map(|value| without_mark(&value).to_owned());
        found.filter(|value| value != NONE && !value.is_empty())
    }

    /// Whether a secret is sound.
    pub(in crate::config) fn check(
        &mut self,
        key: &'static str,
        secret: &str,
        shortest: usize,
    ) -> bool {
        let wrong = self.why_unsound(secret, shortest);
        if let Some(accepted) = &wrong {
            self.problem(key, None, accepted);
        }
        wrong.is_none()
    }

    /// What would be accepted instead of an unsound secret.
    pub(in crate::config) fn why_unsound(&self, secret: &str, shortest: usize) -> Option<String> {
        let is_printable = |byte: u8| (b' '..=b'~').contains(&byte) || byte >= 0x80;
        if secret.len() < shortest {
            Some(format!("a secret of at least {shortest} bytes"))
        } else if !secret.bytes().all(is_printable) {
            Some("a secret without control characters".to_owned())
        } else if secret.starts_with(DEVELOPMENT) && !self.source.is_local() {
            Some("a secret of your own: this one is for development only".to_owned())
        } else {
            None
        }
    }
}

/// One member of the object of passwords, or what is accepted instead.
fn operator(name: String, said: &Value) -> Result<Password, &'static str> {
    const ACCEPTED: &str =
        r#"a password, or an object such as {"password":"<password>","may":"look"}"#;
    if let Some(word) = said.text() {
        let (word, role) = (word.to_owned(), Role::All);
        return Ok(Password { name, word, role });
    }
    let object = said.structured().unwrap_or_default();
    let Pairs(members) = json::read(object.as_bytes()).map_err(|_| ACCEPTED)?;
    let (mut word, mut role) = (None, None);
    for (member, value) in &members {
        match (member.as_str(), value.text()) {
            ("password", Some(text)) if word.is_none() => word = Some(text.to_owned()),
            ("may", text) if role.is_none() => {
                let named = text.and_then(|text| named(text, &Role::OF_OPERATORS));
                role = Some(named.ok_or("all or look as the value of may")?);
            }
            ("password" | "may", _) => return Err(ACCEPTED),
            _ => return Err("no members but password and may"),
        }
    }
    Ok(Password {
        name,
        word: word.ok_or(ACCEPTED)?,
        role: role.unwrap_or(Role::All),
    })
}

/// The role of this name, out of some.
fn named(name: &str, of: &[(&str, Role)]) -> Option<Role> {
    let found = of.iter().find(|(known, _)| *known == name);
    found.map(|(_, role)| *role)
}

fn names(of: &[(&str, Role)]) -> String {
    let names: Vec<&str> = of.iter().map(|(name, _)| *name).collect();
    names.join(", ")
}
