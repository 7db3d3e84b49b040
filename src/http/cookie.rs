//! Reads one cookie out of whatever a stranger sends, leaves the others as they are, and writes one.
//!
//! Works on bytes: a `Cookie` header of any shape is at worst a header without our cookie.

use super::Call;
use crate::queue::RoomName;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::borrow::Cow;

/// The names of a room's cookies, as browsers keep them in one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    scope: Scope,
    /// The hosts that share them: this one, and all below it.
    domain: Option<String>,
    /// The ticket's.
    pub ticket: Cow<'static, str>,
    /// The twin's: the same ticket once more, for forms that other sites post.
    pub twin: Cow<'static, str>,
}

/// Whether a cookie can be `Secure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Over https: the prefix makes browsers insist on `Secure`, `Path=/` and no `Domain` (RFC 6265bis 4.1.3).
    Secure,
    /// By a loopback address over http, where `Secure` cannot be had.
    Loopback,
}

impl Scope {
    /// That of the browser that sent this.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        if call.is_loopback() {
            Self::Loopback
        } else {
            Self::Secure
        }
    }

    /// The attribute.
    #[must_use]
    pub fn secure(self) -> &'static str {
        match self {
            Self::Secure => "; Secure",
            Self::Loopback => "",
        }
    }
}

/// The names of the cookies of a room, in each scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoomCookies {
    shared: Option<Names>,
    secure: Names,
    loopback: Names,
}

impl RoomCookies {
    /// Of a room whose tickets the hosts of this domain share, or whose every host has its own: of the first room, or of one
    /// besides it, which has its name at their end.
    #[must_use]
    pub fn new(domain: Option<String>, room: Option<&RoomName>) -> Self {
        let of_room = |names: Names| match room {
            None => names,
            Some(room) => names.of_room(room),
        };
        Self {
            shared: domain.map(|domain| of_room(Names::shared(domain))),
            secure: of_room(Names::of(Scope::Secure)),
            loopback: of_room(Names::of(Scope::Loopback)),
        }
    }

    /// As the browser is to keep them that sent this. It takes none for a domain that its host does not belong to.
    #[must_use]
    pub fn of(&self, call: &Call) -> &Names {
        let shared = self.shared.as_ref();
        match Scope::of(call) {
            Scope::Secure => shared
                .filter(|names| names.belong_to(call.host.split(':').next().unwrap_or_default()))
                .unwrap_or(&self.secure),
            Scope::Loopback => &self.loopback,
        }
    }

    /// As the browser may have kept them, those of [`of`](Self::of) first: a host had its own before it shared them.
    #[must_use]
    pub fn kept(&self, call: &Call) -> Vec<&Names> {
        match (Scope::of(call), &self.shared) {
            (Scope::Loopback, _) => vec![&self.loopback],
            (Scope::Secure, None) => vec![&self.secure],
            (Scope::Secure, Some(shared)) => vec![shared, &self.secure],
        }
    }
}

impl Names {
    /// Those of the first room.
    #[must_use]
    pub fn of(scope: Scope) -> Self {
        let (ticket, twin) = match scope {
            Scope::Secure => ("__Host-queue", "__Host-queue-post"),
            Scope::Loopback => ("queue", "queue-post"),
        };
        Self {
            scope,
            domain: None,
            ticket: Cow::Borrowed(ticket),
            twin: Cow::Borrowed(twin),
        }
    }

    /// Those that all hosts of a domain share: this prefix makes browsers insist on `Secure` alone (RFC 6265bis 4.1.3).
    fn shared(domain: String) -> Self {
        Self {
            domain: Some(domain),
            ticket: Cow::Borrowed("__Secure-queue"),
            twin: Cow::Borrowed("__Secure-queue-post"),
            ..Self::of(Scope::Secure)
        }
    }

    /// Those that Fastly's starter kit sets, which are ended where the room took over its line.
    #[must_use]
    pub fn of_kit() -> Self {
        Self {
            scope: Scope::Secure,
            ..Self::of(Scope::Loopback)
        }
    }

    fn of_room(self, room: &RoomName) -> Self {
        Self {
            ticket: Cow::Owned(format!("{}-{room}", self.ticket)),
            twin: Cow::Owned(format!("{}-{room}", self.twin)),
            ..self
        }
    }

    /// Whether a browser keeps them for this host (RFC 6265, 5.1.3).
    fn belong_to(&self, host: &str) -> bool {
        let domain = self.domain.as_deref().unwrap_or_default();
        let at = host.len().checked_sub(domain.len());
        let ends = at.and_then(|at| host.split_at_checked(at));
        ends.is_some_and(|(below, end)| {
            end.eq_ignore_ascii_case(domain) && (below.is_empty() || below.ends_with('.'))
        })
    }

    /// The attribute, behind the path.
    fn domain(&self) -> String {
        let domain = self.domain.as_deref();
        domain.map_or_else(String::new, |domain| format!("; Domain={domain}"))
    }

    /// The `Set-Cookie` value of the ticket.
    #[must_use]
    pub fn set(&self, token: &str, max_age: u64, site: SameSite) -> String {
        let (name, domain, secure) = (&self.ticket, self.domain(), self.scope.secure());
        let site = match site {
            SameSite::Lax => "Lax",
            SameSite::NonePartitioned => "None; Partitioned",
        };
        format!(
            "{name}={token}; Path=/{domain}{secure}; HttpOnly; SameSite={site}; Max-Age={max_age}"
        )
    }

    /// The `Set-Cookie` value of the twin, which browsers send with every request. `Secure` on loopback too: they take
    /// `SameSite=None` with it only, and loopback addresses for secure.
    #[must_use]
    pub fn set_twin(&self, token: &str, max_age: u64) -> String {
        let (name, domain) = (&self.twin, self.domain());
        format!(
            "{name}={token}; Path=/{domain}; Secure; HttpOnly; SameSite=None; Max-Age={max_age}"
        )
    }
}

/// Every value the header gives that name, in order, with surrounding quotes taken off.
pub fn values<'a>(header: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a str> {
    pairs(header)
        .filter(move |pair| is_named(pair, name))
        .filter_map(|pair| pair.splitn(2, |byte| *byte == b'=').nth(1))
        .map(<[u8]>::trim_ascii)
        .map(unquoted)
        .filter_map(|value| std::str::from_utf8(value).ok())
}

/// Whether the header has a cookie of that name, whatever its value is.
#[must_use]
pub fn names(header: &[u8], name: &str) -> bool {
    pairs(header).any(|pair| is_named(pair, name))
}

/// Whether a cookie of this name may be one of a room, in any scope: a ticket's, or what begins so.
#[must_use]
pub fn is_ours(name: &str) -> bool {
    let is_it = |ours: &&str| {
        let rest = name.strip_prefix(ours);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    TICKETS.iter().any(is_it)
}

/// With what the cookies of rooms besides the first begin where browsers keep such names for us alone: also of a room that is no
/// longer listed.
pub const OF_ROOMS: [&str; 2] = ["__Host-queue-", "__Secure-queue-"];

/// With what the name of every ticket's cookie begins, whatever room it is of; that of a twin as well.
pub const TICKETS: [&str; 3] = ["__Host-queue", "__Secure-queue", "queue"];
/// And with what that of every twin's.
pub const TWINS: [&str; 3] = ["__Host-queue-post", "__Secure-queue-post", "queue-post"];

/// The header without the cookies of these names, of those that begin with one that ends in `-`, and of those that are one of `like`,
/// or go on from it with `-`, and have a ticket for their value; the others byte for byte. `None` when nothing is left.
#[must_use]
pub fn without(header: &[u8], names: &[impl AsRef<str>], like: &[&str]) -> Option<Vec<u8>> {
    let is_ours = |pair: &[u8]| {
        let is_it = |name: &str| {
            let begins =
                name.ends_with('-') && pair.trim_ascii_start().starts_with(name.as_bytes());
            begins || is_named(pair, name)
        };
        names.iter().any(|name| is_it(name.as_ref())) || is_like_one(pair, like)
    };
    if !pairs(header).any(is_ours) {
        return Some(header.to_vec());
    }
    let rest: Vec<&[u8]> = pairs(header).filter(|pair| !is_ours(pair)).collect();
    let rest = rest.join(&b';').trim_ascii().to_vec();
    (!rest.is_empty()).then_some(rest)
}

/// Whether a cookie that is named like one of ours holds what looks like a ticket: a JWT that says of which room it is. A room that is
/// no longer listed may come back, and its tickets with it.
fn is_like_one(pair: &[u8], like: &[&str]) -> bool {
    let mut parts = pair.splitn(2, |byte| *byte == b'=').map(<[u8]>::trim_ascii);
    let (Some(name), Some(value)) = (parts.next(), parts.next()) else {
        return false;
    };
    let is_name = |like: &&str| {
        let rest = name.strip_prefix(like.as_bytes());
        rest.is_some_and(|rest| rest.first().is_none_or(|next| *next == b'-'))
    };
    like.iter().any(is_name) && is_ticket(unquoted(value))
}

fn is_ticket(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'.');
    let (Some(_), Some(claims), Some(_), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let claims = URL_SAFE_NO_PAD.decode(claims).unwrap_or_default();
    let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap_or_default();
    let is_text = |name: &str| claims.get(name).is_some_and(serde_json::Value::is_string);
    let is_time = |name: &str| claims.get(name).is_some_and(serde_json::Value::is_u64);
    is_text("room") && is_text("sub") && is_time("iat") && is_time("exp")
}

/// To which requests from other sites the browser adds the cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    /// To links. `Strict` would lose the place of a visitor who arrives by one.
    Lax,
    /// To pages inside frames, kept apart for each site around the frame.
    NonePartitioned,
}

fn pairs(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| *byte == b';')
}

fn unquoted(value: &[u8]) -> &[u8] {
    let inner = value.strip_prefix(b"\"");
    let inner = inner.and_then(|rest| rest.strip_suffix(b"\""));
    inner.unwrap_or(value)
}

fn is_named(pair: &[u8], name: &str) -> bool {
    let found = pair.split(|byte| *byte == b'=').next();
    found.is_some_and(|found| found.trim_ascii() == name.as_bytes()) && pair.contains(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(header: &[u8]) -> Vec<&str> {
        values(header, "__Host-queue").collect()
    }

    #[test]
    fn our_cookie_is_found_wherever_it_stands() {
        assert_eq!(found(b"__Host-queue=abc"), ["abc"]);
        assert_eq!(found(b"shop=1; __Host-queue=abc; x=y"), ["abc"]);
        assert_eq!(found(b"shop=1;__Host-queue=abc"), ["abc"]);
        assert_eq!(found(b"  __Host-queue = abc ;"), ["abc"]);
        assert_eq!(found(b"__Host-queue=\"abc\""), ["abc"]);
        assert_eq!(found(b"__Host-queue=a; __Host-queue=b"), ["a", "b"]);
        assert_eq!(found(b"__Host-queue=a=b"), ["a=b"]);
    }

    #[test]
    fn no_shape_of_the_header_is_an_error() {
        for header in [
            &b""[..],
            b";;;",
            b"=",
            b"=abc",
            b"__Host-queue",
            b"x__Host-queue=abc",
            b"__host-queue=abc",
            b"\xff\xfe=\x00",
            b"__Host-queue=\xff",
        ] {
            assert_eq!(found(header), Vec::<&str>::new(), "{header:?}");
        }
        assert_eq!(found(b"__Host-queue=\""), ["\""]);
        let long = [&b"a=".repeat(4096)[..], b"; __Host-queue=abc"].concat();
        assert_eq!(found(&long), ["abc"]);
    }

    #[test]
    fn the_origin_gets_the_other_cookies_byte_for_byte() {
        let left = |header: &[u8]| without(header, &["__Host-queue", "__Host-queue-post"], &[]);
        assert_eq!(left(b"a=1; b=\xff"), Some(b"a=1; b=\xff".to_vec()));
        assert_eq!(
            left(b"a=1; __Host-queue=x; b=\xff"),
            Some(b"a=1; b=\xff".to_vec())
        );
        assert_eq!(left(b"__Host-queue=x; a=1"), Some(b"a=1".to_vec()));
        assert_eq!(left(b"__Host-queue=x; __Host-queue=y"), None);
        assert_eq!(left(b"__Host-queue=x; __Host-queue-post=x"), None);
        assert_eq!(
            left(b"queue=1; __Host-queue=x"),
            Some(b"queue=1".to_vec()),
            "the origin's own"
        );
    }

    #[test]
    fn what_looks_like_a_ticket_is_one_of_ours_by_any_name_of_ours() {
        let jwt = |claims: &str| {
            let claims = URL_SAFE_NO_PAD.encode(claims);
            format!("eyJhbGciOiJIUzI1NiJ9.{claims}.c2lnbmVk")
        };
        let ticket = jwt(r#"{"iat":1,"exp":2,"sub":"a","room":"gone"}"#);
        let is_left = |pair: &str, like: &[&str]| {
            without(pair.as_bytes(), &[] as &[&str], like) == Some(pair.as_bytes().to_vec())
        };
        for name in [
            "queue",
            "queue-gone",
            "queue-post-gone",
            "__Host-queue",
            "__Secure-queue-post",
        ] {
            assert!(!is_left(&format!("{name}={ticket}"), &TICKETS), "{name}");
            assert!(
                !is_left(&format!(" {name} = \"{ticket}\""), &TICKETS),
                "{name}"
            );
            let is_twin = name.contains("-post");
            assert_eq!(
                is_left(&format!("{name}={ticket}"), &TWINS),
                !is_twin,
                "{name}"
            );
        }
        for name in ["queued", "my-queue", "Queue", "__Host-queues"] {
            assert!(is_left(&format!("{name}={ticket}"), &TICKETS), "{name}");
        }
        for value in [
            jwt(r#"{"iat":1,"exp":2,"sub":"a"}"#),
            jwt(r#"{"iat":1,"exp":2,"sub":"a","room":7}"#),
            jwt("no JSON"),
            format!("{ticket}.more"),
            "a.!.b".to_owned(),
            "7".to_owned(),
            String::new(),
        ] {
            assert!(is_left(&format!("queue-own={value}"), &TICKETS), "{value}");
        }
    }

    #[test]
    fn the_cookie_is_as_strict_as_a_waiting_room_can_have_it() {
        let [secure, loopback] = [Scope::Secure, Scope::Loopback].map(Names::of);
        assert_eq!(
            secure.set("abc", 86_400, SameSite::Lax),
            "__Host-queue=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400"
        );
        assert_eq!(
            loopback.set("abc", 60, SameSite::Lax),
            "queue=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60"
        );
        assert_eq!(
            secure.set("abc", 60, SameSite::NonePartitioned),
            "__Host-queue=abc; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=60"
        );
        assert_eq!(
            [secure, loopback].map(|names| names.set_twin("abc", 60)),
            [
                "__Host-queue-post=abc; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=60",
                "queue-post=abc; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=60"
            ]
        );
    }

    #[test]
    fn hosts_share_a_cookie_of_their_domain_and_no_other_host_does() {
        let shared = Names::shared("shop.example".to_owned());
        assert_eq!(
            [
                shared.set("abc", 60, SameSite::Lax),
                shared.set_twin("abc", 60)
            ],
            [
                "__Secure-queue=abc; Path=/; Domain=shop.example; Secure; HttpOnly; SameSite=Lax; Max-Age=60",
                "__Secure-queue-post=abc; Path=/; Domain=shop.example; Secure; HttpOnly; SameSite=None; Max-Age=60"
            ]
        );
        for host in ["shop.example", "www.shop.example", "a.b.Shop.Example"] {
            assert!(shared.belong_to(host), "{host}");
        }
        for host in [
            "",
            "example",
            "xshop.example",
            "shop.example.evil.example",
            "shop.example.",
            "\u{e9}shop.exampl",
        ] {
            assert!(!shared.belong_to(host), "{host}");
        }
    }
}
