//! Each kind of setting: how it is read, and what is accepted.
//!
//! A wrong one, and one that cannot be read, is remembered and its default goes on, so that one look finds every problem.

use std::fmt::Display;
use std::ops::RangeInclusive;

use super::backend::{misdirected, mistimed};
use super::document::{Document, Known};
use super::paths::is_path;
use super::{
    DEVELOPMENT, DOCUMENT, List, Paths, Problem, RETIRED, Rights, SECRETS, Source, Token,
    Unreadable, closest,
};

/// Stands for what is absent, since the prompts of `fastly compute publish` take no blank answer.
pub(super) const NONE: &str = "none";

/// What skips the room by default: what browsers and crawlers fetch by themselves, and the pictures of a waiting page.
const BYPASS_DEFAULT: &str = "/robots.txt,/favicon.ico,/assets/background.jpg,/assets/logo.svg";

/// What a list of paths may hold.
const PATHS: &str = "paths such as /robots.txt, /assets/*, *.css, POST /checkout; without %, ;, \\, // and parts that are . or ..; in front of them GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// Signs the tickets.
const JWT_SECRET: &str = "jwt_secret";

/// The least a secret that signs can be, in bytes.
const SHORTEST: usize = 32;

/// The least a program's token can be, in bytes.
const TOKEN: usize = 16;

/// Looks, words and the log: a wrong one of these lets nobody in, keeps nobody out and loses no place, so its default
/// serves instead.
const COSMETIC: [&str; 11] = [
    "brand_name",
    "brand_colors",
    "brand_logo",
    "heading",
    "message",
    "template",
    "cf_compat",
    "waiting_status",
    "refresh_interval",
    "log_sample",
    "log_query",
];

/// Reads one setting after the other and remembers what was wrong.
pub(super) struct Reader<'a> {
    source: &'a dyn Source,
    document: Document,
    /// Every setting that was asked for: there are no others.
    asked: Vec<&'static str>,
    found: Findings,
}

/// What a reading brought to light.
#[derive(Default)]
pub(super) struct Findings {
    /// What closes the room to newcomers.
    pub(super) problems: Vec<Problem>,
    /// What is wrong with settings that have their defaults instead.
    pub(super) ignored: Vec<Problem>,
    /// Settings and secrets that may be there or not, since what holds them was not read or not understood.
    pub(super) unknown: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    /// For secrets, which no document holds.
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            document: Document::default(),
            asked: Vec::new(),
            found: Findings::default(),
        }
    }

    /// For settings as well.
    pub(super) fn of_settings(source: &'a dyn Source) -> Self {
        let mut reader = Self::new(source);
        reader.document = Document::read(source);
        for problem in std::mem::take(&mut reader.document.problems) {
            reader.add(problem);
        }
        reader
    }

    /// What was found, once every setting has been asked for: then a name that was not asked for is none.
    pub(super) fn findings(mut self) -> Findings {
        let names: Vec<String> = (self.document.others(|name| self.asked.contains(&name)))
            .map(str::to_owned)
            .collect();
        for name in names {
            let meant = closest(&name, self.asked.iter().copied());
            let accepted = match meant {
                _ if SECRETS.contains(&name.as_str()) || name == RETIRED => {
                    "the name of a setting; a secret belongs into the secret store".to_owned()
                }
                Some(meant) => format!("the name of a setting; did you mean {meant}?"),
                None => "the name of a setting; there is none of this name".to_owned(),
            };
            let problem = Problem::wrong(DOCUMENT, Some(name), &accepted);
            // One of a later version sets nothing here, and must not close the room after a roll-back.
            match meant.filter(|meant| !COSMETIC.contains(meant)) {
                None => self.found.ignored.push(problem),
                Some(meant) => {
                    self.found.unknown.push(meant);
                    self.found.problems.push(problem);
                }
            }
        }
        self.found
    }

    /// The name of every setting that was asked for.
    pub(super) fn asked(self) -> Vec<&'static str> {
        self.asked
    }

    /// What was read, unless anything was wrong.
    pub(super) fn checked<T>(self, read: T) -> Result<T, Vec<Problem>> {
        if self.found.problems.is_empty() {
            Ok(read)
        } else {
            Err(self.found.problems)
        }
    }

    pub(super) fn setting(&mut self, key: &'static str) -> Option<String> {
        self.asked.push(key);
        match self.document.get(key) {
            Known::Is(text) => return Some(text),
            Known::Absent => {}
            // Its value is not named: it may hold a secret that belongs elsewhere.
            Known::NoText => {
                let accepted = "a text, a number, or a list of texts; on and off for switches";
                self.problem(key, None, accepted);
                self.found.unknown.push(key);
            }
            Known::Twice => {
                self.problem(key, None, "each setting once");
                self.found.unknown.push(key);
            }
            Known::Unreadable => self.is_not_read(key),
            Known::Unknown => self.found.unknown.push(key),
        }
        None
    }

    /// The value of a key, if there is one; that there is none is believed only of a store that says so.
    fn known(
        &mut self,
        key: &'static str,
        said: Result<Option<String>, Unreadable>,
    ) -> Option<String> {
        if said.is_err() {
            self.is_not_read(key);
        }
        said.ok().flatten().filter(|value| !value.is_empty())
    }

    fn is_not_read(&mut self, key: &'static str) {
        self.found.unknown.push(key);
        self.add(Problem::unreadable(key));
    }

    fn add(&mut self, problem: Problem) {
        if COSMETIC.contains(&problem.key) {
            self.found.ignored.push(problem);
        } else {
            self.found.problems.push(problem);
        }
    }

    fn is_known(&self, key: &str) -> bool {
        !self.found.unknown.contains(&key)
    }

    /// One for which `none` stands where it is absent.
    pub(super) fn optional(&mut self, key: &'static str) -> Option<String> {
        self.setting(key).filter(|text| text != NONE)
    }

    pub(super) fn problem(
        &mut self,
        key: &'static str,
        value: Option<String>,
        accepted: impl Display,
    ) {
        self.add(Problem::wrong(key, value, &accepted.to_string()));
    }

    pub(super) fn number(
        &mut self,
        key: &'static str,
        default: u64,
        range: RangeInclusive<u64>,
    ) -> u64 {
        let Some(text) = self.setting(key) else {
            return default;
        };
        match text.parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let (from, to) = range.into_inner();
                self.problem(
                    key,
                    Some(text),
                    format_args!("a whole number from {from} to {to}"),
                );
                default
            }
        }
    }

    pub(super) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        default: T,
        choices: &[(&str, T)],
    ) -> T {
        let Some(text) = self.setting(key) else {
            return default;
        };
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            return *choice;
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        self.problem(key, Some(text), names.join(", "));
        default
    }

    pub(super) fn room(&mut self) -> String {
        let room = self.setting("room").unwrap_or_else(|| "main".to_owned());
        if room.len() > 64 || !room.bytes().all(is_name_byte) {
            self.problem(
                "room",
                Some(room.clone()),
                "1 to 64 letters, digits, - and _",
            );
        }
        room
    }

    pub(super) fn admin_path(&mut self) -> String {
        let path = self
            .setting("admin_path")
            .unwrap_or_else(|| "/_queue".to_owned());
        if path.len() < 2 || path.ends_with('/') || !is_path(&path) {
            let accepted = "a path such as /_queue: begins with /, does not end with /, no space, ?, #, %, *, ; or \\, no // and no part that is . or ..";
            self.problem("admin_path", Some(path.clone()), accepted);
        }
        path
    }

    /// Browsers keep what belongs to one host apart from another's pages, so it has to be one that visitors do not use.
    pub(super) fn admin_host(&mut self) -> Option<String> {
        let host = self.optional("admin_host")?;
        if !is_dns_name(&host) {
            let accepted = "none, or a host name such as queue.shop.example: lower-case letters, digits, - and dots; no scheme, port or path, no * and no IP address";
            self.problem("admin_host", Some(host.clone()), accepted);
        }
        Some(host)
    }

    /// The name of a link.
    pub(super) fn operators_acl(&mut self) -> Option<String> {
        let name = self.optional("operators_acl")?;
        let is_named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > 64 || !name.bytes().all(is_named) {
            let accepted = "none, or the link name of an ACL: 1 to 64 letters, digits, - and _";
            self.problem("operators_acl", Some(name.clone()), accepted);
        }
        Some(name)
    }

    /// Seconds, for tests: a deployed service has only the right time, and no look-up to spare for another.
    pub(super) fn clock(&mut self) -> Option<i64> {
        const YEAR: i64 = 31_536_000;
        if !self.source.is_local() {
            return None;
        }
        let text = self.setting("clock")?;
        let shift = text
            .parse()
            .ok()
            .filter(|shift| (-YEAR..=YEAR).contains(shift));
        if shift.is_none() {
            let accepted = format!("a whole number of seconds from -{YEAR} to {YEAR}");
            self.problem("clock", Some(text), accepted);
        }
        shift
    }

    pub(super) fn paths(&mut self) -> Paths {
        Paths {
            bypass: self.path_list("bypass_paths", BYPASS_DEFAULT),
            protected: self.protected_paths(),
            cache: self.cache_paths(),
        }
    }

    /// Separated by commas or white space; `none` is an empty list.
    fn path_list(&mut self, key: &'static str, default: &str) -> List {
        let text = self.setting(key).unwrap_or_else(|| default.to_owned());
        if text == NONE {
            return List::default();
        }
        let (list, wrong) = List::read(&text);
        for word in wrong {
            self.problem(key, Some(word), format_args!("none, or {PATHS}"));
        }
        list
    }

    /// Never empty: what protects nothing is no room, and a mistake.
    fn protected_paths(&mut self) -> List {
        let key = "protected_paths";
        let Some(text) = self.setting(key) else {
            return List::everything();
        };
        let (list, mut wrong) = List::read(&text);
        if list.is_empty() && wrong.is_empty() {
            wrong.push(text);
        }
        for word in wrong {
            self.problem(key, Some(word), PATHS);
        }
        list
    }

    /// Only what is asked for by GET and HEAD is ever cached.
    fn cache_paths(&mut self) -> List {
        let key = "cache_paths";
        let list = self.path_list(key, NONE);
        if let Some(method) = list.methods_beside(&["GET", "HEAD"]) {
            let accepted = "no method but GET and HEAD: answers to others are never kept";
            self.problem(key, Some(method.to_owned()), accepted);
        }
        list
    }

    /// Separated by commas or white space; becomes a source list of Content-Security-Policy.
    pub(super) fn frame_ancestors(&mut self) -> Option<String> {
        let text = self.optional("frame_ancestors")?;
        let source = |word: &str| match word.strip_prefix("https://") {
            Some(host) => is_host(host.strip_prefix("*.").unwrap_or(host)).then(|| word.to_owned()),
            None => (word == "self").then(|| "'self'".to_owned()),
        };
        let sources: Option<Vec<String>> = words(&text).map(source).collect();
        if sources.is_none() {
            let accepted = "none, self, or sites such as https://shop.example or https://*.shop.example; separated by commas";
            self.problem("frame_ancestors", Some(text), accepted);
        }
        sources.map(|sources| sources.join(" "))
    }

    /// Separated by commas or white space.
    pub(super) fn cors_origins(&mut self) -> Vec<String> {
        let text = self.optional("cors_origins").unwrap_or_default();
        let origins: Vec<String> = words(&text).map(str::to_owned).collect();
        for origin in &origins {
            if !is_origin(origin) {
                let accepted = "none, or origins as browsers name them, such as https://app.shop.example or http://localhost:5173: lower case, no path, no *, no port that is the scheme's own; separated by commas";
                self.problem("cors_origins", Some(origin.clone()), accepted);
            }
        }
        origins
    }

    /// No secret: production allows few reads of the secret store.
    pub(super) fn upstash_url(&mut self) -> String {
        let url = self.setting("upstash_url");
        if !self.is_known("upstash_url") {
            return String::new();
        }
        let url = url.unwrap_or_default();
        let url = url.trim_end_matches('/').to_owned();
        let local = self.source.is_local();
        let host = url
            .strip_prefix("https://")
            .or_else(|| url.strip_prefix("http://").filter(|_| local));
        if !host.is_some_and(is_host) {
            // Its value is not named: somebody may have pasted an address with a password in it.
            let accepted = "the store's REST address, such as https://eu1-name.upstash.io";
            self.problem("upstash_url", None, accepted);
        }
        url
    }

    /// The first signs and all verify. A rotation is three writes of this one entry, so that every POP knows a new secret
    /// before the first one signs with it, and still knows the old one. What is sound of them is kept: visitors who were
    /// admitted by it stay inside, whatever is wrong with another.
    pub(super) fn jwt_secrets(&mut self) -> Vec<String> {
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
    pub(super) fn retired_secrets(&mut self) -> Vec<String> {
        let Some(listed) = self.given(RETIRED) else {
            return Vec::new();
        };
        let accepted = "no entry of this name: write its secrets behind the one in jwt_secret, separated by commas, then write none here";
        self.problem(RETIRED, None, accepted);
        let is_sound = |secret: &&str| self.why_unsound(secret, SHORTEST).is_none();
        words(&listed).filter(is_sound).map(str::to_owned).collect()
    }

    fn sound_secrets(&mut self, key: &'static str, listed: &str) -> Vec<String> {
        if words(listed).next().is_none() {
            self.problem(key, None, "one secret, or several separated by commas");
        }
        let secrets = words(listed).map(str::to_owned);
        let is_sound = |secret: &String| self.check(key, secret, SHORTEST);
        secrets.filter(is_sound).collect()
    }

    /// Whether calls to a sound address arrive there, and in time.
    pub(super) fn store_backend(&mut self, url: &str) {
        let is_sound = |problem: &Problem| problem.key != "upstash_url";
        if !self.is_known("upstash_url") || !self.found.problems.iter().all(is_sound) {
            return;
        }
        let backend = self.source.store_backend();
        self.found.problems.extend(misdirected(&backend, url));
        self.found.ignored.extend(mistimed(&backend));
    }

    /// It travels in a header.
    pub(super) fn upstash_token(&mut self) -> String {
        let token = self.required("upstash_token", 1);
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            self.problem("upstash_token", None, "visible ASCII characters only");
        }
        token
    }

    pub(super) fn required(&mut self, key: &'static str, shortest: usize) -> String {
        let secret = self.secret(key, shortest);
        if secret.is_none() && self.is_known(key) {
            let accepted = format!("a secret of at least {shortest} bytes; this one is required");
            self.problem(key, None, accepted);
        }
        secret.unwrap_or_default()
    }

    pub(super) fn secret(&mut self, key: &'static str, shortest: usize) -> Option<String> {
        let secret = self.given(key)?;
        self.check(key, &secret, shortest);
        Some(secret)
    }

    /// One token, which is called like its key, or several of the form `name:token`; `name/read:token` may only read.
    pub(super) fn tokens(&mut self, key: &'static str, whole: Rights) -> Vec<Token> {
        let Some(text) = self.given(key) else {
            return Vec::new();
        };
        let mut tokens: Vec<Token> = Vec::new();
        for word in words(&text) {
            let (name, secret) = word.split_once(':').unwrap_or((key, word));
            // A version without roles takes this for no name, and refuses it instead of giving all rights.
            let (name, rights) = match name.strip_suffix("/read") {
                Some(name) => (name, Rights::Read),
                None => (name, whole),
            };
            self.check(key, secret, TOKEN);
            let is_new = |token: &Token| token.name != name && token.secret != secret;
            // A role at another place would be read as the name or the secret of one that may do more.
            let is_role = name == "read" || secret.starts_with("read:");
            if is_role || !is_name(name) || !tokens.iter().all(is_new) {
                let accepted = "one token, or several such as shop:<token>,prometheus/read:<token>; names of 1 to 32 letters, digits, - and _, and none is read; no token that begins with read:; each name and each token once";
                self.problem(key, None, accepted);
            }
            let (name, secret) = (name.to_owned(), secret.to_owned());
            tokens.push(Token {
                name,
                secret,
                rights,
            });
        }
        if tokens.is_empty() {
            self.problem(key, None, "none, one token, or several");
        }
        tokens
    }

    /// The secret store first; the config store is for the local server and for services without a secret store. What
    /// one of them does not say is not looked for in the other.
    fn given(&mut self, key: &'static str) -> Option<String> {
        let said = self.source.secret(key);
        let mut found = self.known(key, said);
        if found.is_none() && self.is_known(key) && !self.source.keeps_secrets() {
            let said = self.source.setting(key);
            found = self.known(key, said);
        }
        found.filter(|value| value != NONE)
    }

    /// Whether a secret is sound.
    fn check(&mut self, key: &'static str, secret: &str, shortest: usize) -> bool {
        let wrong = self.why_unsound(secret, shortest);
        if let Some(accepted) = &wrong {
            self.problem(key, None, accepted);
        }
        wrong.is_none()
    }

    /// What would be accepted instead of an unsound secret.
    fn why_unsound(&self, secret: &str, shortest: usize) -> Option<String> {
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

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// What the log can call a token.
fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len()) && name.bytes().all(is_name_byte)
}

/// A name or an IPv4 address, with a port or without.
fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    !name.is_empty() && name.bytes().all(sound) && port.parse::<u16>().is_ok()
}

/// RFC 1123, 2.1: the last part begins with a letter, or browsers read an IPv4 address.
fn is_dns_name(name: &str) -> bool {
    let is_sound = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(is_sound)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    name.len() <= 253
        && name.split('.').all(is_label)
        && last.starts_with(|first: char| first.is_ascii_lowercase())
}

/// Only as the header `Origin` has it (RFC 6454, 6.2), since it is compared byte by byte: in lower case, and with a port
/// only if that is not the scheme's own. Over http only from this machine, where apps are developed.
fn is_origin(origin: &str) -> bool {
    let (host, own_port) = match origin.split_once("://") {
        Some(("https", host)) => (host, 443),
        Some(("http", host)) => (host, 80),
        _ => return false,
    };
    let (name, port) = match host.split_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let is_port = |port: &str| {
        let number = port.parse::<u16>();
        number.is_ok_and(|number| number != own_port && number.to_string() == port)
    };
    is_host(name)
        && !name.bytes().any(|byte| byte.is_ascii_uppercase())
        && port.is_none_or(is_port)
        && (own_port == 443 || matches!(name, "localhost" | "127.0.0.1"))
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
}
