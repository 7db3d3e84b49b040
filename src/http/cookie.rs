//! Reads one cookie out of whatever a stranger sends, leaves the others as they are, and writes one.
//!
//! Works on bytes: a `Cookie` header of any shape is at worst a header without our cookie.

/// The cookie's name over https: the prefix makes browsers insist on `Secure`, `Path=/` and no `Domain` (RFC 6265bis 4.1.3).
pub const SECURE_NAME: &str = "__Host-queue";
/// The cookie's name on a loopback address over http, where `Secure` cannot be had.
pub const LOOPBACK_NAME: &str = "queue";

/// The name of the twin over https: the same ticket once more, for forms that other sites post.
pub const SECURE_TWIN_NAME: &str = "__Host-queue-post";
/// And on a loopback address over http.
pub const LOOPBACK_TWIN_NAME: &str = "queue-post";

/// Which of the two names applies.
#[must_use]
pub fn name(loopback: bool) -> &'static str {
    if loopback { LOOPBACK_NAME } else { SECURE_NAME }
}

/// The same for the twin.
#[must_use]
pub fn twin_name(loopback: bool) -> &'static str {
    if loopback {
        LOOPBACK_TWIN_NAME
    } else {
        SECURE_TWIN_NAME
    }
}

/// Every value the header gives that name, in order, with surrounding quotes taken off.
pub fn values<'a>(header: &'a [u8], name: &'a str) -> impl Iterator<Item = &'a str> {
    pairs(header)
        .filter(move |pair| is_named(pair, name))
        .filter_map(|pair| pair.splitn(2, |byte| *byte == b'=').nth(1))
        .map(<[u8]>::trim_ascii)
        .map(|value| {
            value
                .strip_prefix(b"\"")
                .and_then(|rest| rest.strip_suffix(b"\""))
                .unwrap_or(value)
        })
        .filter_map(|value| std::str::from_utf8(value).ok())
}

/// The header without the cookies of these names, the others byte for byte; `None` when nothing is left.
#[must_use]
pub fn without(header: &[u8], names: &[&str]) -> Option<Vec<u8>> {
    let is_ours = |pair: &[u8]| names.iter().any(|name| is_named(pair, name));
    if !pairs(header).any(is_ours) {
        return Some(header.to_vec());
    }
    let rest: Vec<&[u8]> = pairs(header).filter(|pair| !is_ours(pair)).collect();
    let rest = rest.join(&b';').trim_ascii().to_vec();
    (!rest.is_empty()).then_some(rest)
}

/// To which requests from other sites the browser adds the cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameSite {
    /// To links. `Strict` would lose the place of a visitor who arrives by one.
    Lax,
    /// To pages inside frames, kept apart for each site around the frame.
    NonePartitioned,
}

/// The `Set-Cookie` value.
#[must_use]
pub fn set(loopback: bool, token: &str, max_age: u64, site: SameSite) -> String {
    let secure = if loopback { "" } else { "; Secure" };
    let name = name(loopback);
    let site = match site {
        SameSite::Lax => "Lax",
        SameSite::NonePartitioned => "None; Partitioned",
    };
    format!("{name}={token}; Path=/{secure}; HttpOnly; SameSite={site}; Max-Age={max_age}")
}

/// The `Set-Cookie` value of the twin, which browsers send with every request. `Secure` on loopback too: they take
/// `SameSite=None` with it only, and loopback addresses for secure.
#[must_use]
pub fn set_twin(loopback: bool, token: &str, max_age: u64) -> String {
    let name = twin_name(loopback);
    format!("{name}={token}; Path=/; Secure; HttpOnly; SameSite=None; Max-Age={max_age}")
}

fn pairs(header: &[u8]) -> impl Iterator<Item = &[u8]> {
    header.split(|byte| *byte == b';')
}

fn is_named(pair: &[u8], name: &str) -> bool {
    pair.split(|byte| *byte == b'=')
        .next()
        .is_some_and(|found| found.trim_ascii() == name.as_bytes())
        && pair.contains(&b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(header: &[u8]) -> Vec<&str> {
        values(header, SECURE_NAME).collect()
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
        let left = |header: &[u8]| without(header, &[SECURE_NAME, SECURE_TWIN_NAME]);
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
    fn the_cookie_is_as_strict_as_a_waiting_room_can_have_it() {
        assert_eq!(
            set(false, "abc", 86_400, SameSite::Lax),
            "__Host-queue=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=86400"
        );
        assert_eq!(
            set(true, "abc", 60, SameSite::Lax),
            "queue=abc; Path=/; HttpOnly; SameSite=Lax; Max-Age=60"
        );
        assert_eq!(
            set(false, "abc", 60, SameSite::NonePartitioned),
            "__Host-queue=abc; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=60"
        );
        assert_eq!(
            [false, true].map(|loopback| set_twin(loopback, "abc", 60)),
            [
                "__Host-queue-post=abc; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=60",
                "queue-post=abc; Path=/; Secure; HttpOnly; SameSite=None; Max-Age=60"
            ]
        );
    }
}
