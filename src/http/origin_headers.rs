//! What the origin receives with a request besides what the visitor sent: who asked, for which host, by which scheme, and
//! that the visitor is inside.
//!
//! Invariant: nothing a client says under one of these names reaches the origin, nor what would make it see another path,
//! method or host than were judged here.

use super::{Call, Forward};

/// Names that no client speaks for: those of addresses, and those by which programs take a request for another one, or for a
/// setting of theirs (`proxy`, CVE-2016-5385).
const WITHHELD: &[&str] = &[
    "cf-connecting-ip",
    "cf-connecting-ipv6",
    "client-ip",
    "fastly-client-ip",
    "fastly-ssl",
    "fly-client-ip",
    "forwarded",
    "forwarded-for",
    "front-end-https",
    "proxy",
    "queue-allow",
    "queue-pass",
    "queue-position",
    "true-client-ip",
    "wl-proxy-client-ip",
    "x-accel-mapping",
    "x-appengine-user-ip",
    "x-azure-clientip",
    "x-azure-socketip",
    "x-client-ip",
    "x-cluster-client-ip",
    "x-forwarded",
    "x-host",
    "x-http-host-override",
    "x-http-method",
    "x-http-method-override",
    "x-invoke-path",
    "x-matched-path",
    "x-method-override",
    "x-nf-client-connection-ip",
    "x-original-forwarded-for",
    "x-original-host",
    "x-original-method",
    "x-original-scheme",
    "x-original-uri",
    "x-original-url",
    "x-originating-ip",
    "x-real-ip",
    "x-remote-addr",
    "x-remote-ip",
    "x-rewrite-url",
    "x-scheme",
    "x-sendfile-type",
    "x-url-scheme",
    "x-vercel-forwarded-for",
];

/// Names for the next hop alone (RFC 9110 7.6.1), besides those that `Connection` names. The first would let a client name what is
/// ours for an origin's own proxy to drop. The host sets what its own connections need.
const OF_THE_HOP: &[&str] = &[
    "connection",
    "http2-settings",
    "keep-alive",
    "te",
    "upgrade",
];

/// What whole families of such names begin with.
const FAMILIES: &[&str] = &["proxy-", "x-envoy-", "x-forwarded-"];

/// What a request is not without, whatever `Connection` names.
const OF_EACH_REQUEST: &[&str] = &["content-length", "host", "transfer-encoding"];

/// Of the names of a request's headers, in lower case, those that go no further, by the lines of its `Connection`.
#[must_use]
pub fn withheld<'a>(
    names: impl Iterator<Item = &'a str>,
    connection: impl Iterator<Item = &'a [u8]>,
) -> Vec<String> {
    let by_connection: Vec<String> = connection
        .flat_map(|line| line.split(|byte| *byte == b','))
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).to_ascii_lowercase())
        .filter(|name| !OF_EACH_REQUEST.contains(&name.as_str()))
        .collect();
    let is_named = |name: &str| by_connection.iter().any(|named| named == name);
    names
        .filter(|name| is_withheld(name) || is_named(name))
        .map(str::to_owned)
        .collect()
}

/// Whether a client's header of this name, in lower case, goes no further. Many origins read `_` as `-` (RFC 3875 4.1.18),
/// and some read so every byte of a name that is no letter and no digit.
#[must_use]
pub fn is_withheld(name: &str) -> bool {
    let begins_with = |listed: &str| {
        let mut same = name.bytes().zip(listed.bytes());
        name.len() >= listed.len() && same.all(|(found, listed)| dashed(found) == listed)
    };
    let is = |listed: &&str| name.len() == listed.len() && begins_with(listed);
    FAMILIES.iter().any(|family| begins_with(family)) || WITHHELD.iter().chain(OF_THE_HOP).any(is)
}

fn dashed(byte: u8) -> u8 {
    if byte.is_ascii_alphanumeric() {
        byte
    } else {
        b'-'
    }
}

/// What the origin receives with this request, one line for each name.
#[must_use]
pub fn told(call: &Call, forward: &Forward) -> Vec<(&'static str, String)> {
    let address = call.address.map(|address| address.to_string());
    let is_https = call.https || !call.local && !call.is_plain_http();
    let scheme = if is_https { "https" } else { "http" };
    let lines = [
        ("host", forward.site.host.clone()),
        ("x-forwarded-for", address.clone()),
        ("fastly-client-ip", address),
        ("x-forwarded-host", Some(call.host.clone())),
        ("x-forwarded-proto", Some(scheme.to_owned())),
        (
            "queue-position",
            forward.position.map(|position| position.0.to_string()),
        ),
        ("queue-pass", forward.pass.clone()),
    ];
    let known = lines.into_iter();
    known
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

/// Rules by which an answer is for one visitor alone, or for no cache (RFC 9111 5.2.2).
const FOR_ONE: &[&str] = &["private", "no-store"];

/// The same, and the rule to ask the origin each time, which the platform does not follow by itself.
const FOR_ONE_OR_ASKED: &[&str] = &["private", "no-store", "no-cache"];

/// The rules that say for how long: the second is for caches that several visitors share.
const TO_ALL_CACHES: &str = "max-age=";
const TO_SHARED_ONES: &str = "s-maxage=";

/// What tells one visitor from another, of what the origin is sent: an answer that varies by one of these is not for all. With
/// `*` it varies by more than can be named.
const OF_ONE: [&str; 7] = [
    "*",
    "cookie",
    "authorization",
    "queue-pass",
    "queue-position",
    "x-forwarded-for",
    "fastly-client-ip",
];

/// Whether the origin says that an answer is for all visitors, and for how long, by its status and the lines of its headers. Without a
/// word about the time the platform would keep most answers for two minutes, and some errors among them.
#[must_use]
pub fn is_for_all<'a, L: Iterator<Item = &'a [u8]>>(
    status: u16,
    lines: impl Fn(&'static str) -> L,
) -> bool {
    let [to_all, to_platform] = ["cache-control", "surrogate-control"];
    let says_how_long = || {
        lines(to_all).any(|line| has_time(line, &[TO_ALL_CACHES, TO_SHARED_ONES]))
            || lines(to_platform).any(|line| has_time(line, &[TO_ALL_CACHES]))
    };
    let varies = || lines("vary").any(|line| has_part(line, &|name| OF_ONE.contains(&name)));
    status < 400
        && lines("set-cookie").next().is_none()
        && !forbids_storing(lines(to_all), lines(to_platform))
        && !varies()
        && says_how_long()
}

/// Whether an answer may not be kept in the platform's cache, by the lines of the origin's `Cache-Control` and
/// `Surrogate-Control`. With a `max-age` in the second an origin tells the platform what differs from what it tells
/// browsers, so that `no-cache` in the first is for browsers then. Without one the platform goes by the first.
#[must_use]
pub fn forbids_storing<'a>(
    cache_control: impl Iterator<Item = &'a [u8]>,
    surrogate_control: impl Iterator<Item = &'a [u8]>,
) -> bool {
    let to_platform: Vec<&[u8]> = surrogate_control.collect();
    let forbidding = if to_platform
        .iter()
        .any(|line| has_time(line, &[TO_ALL_CACHES]))
    {
        FOR_ONE
    } else {
        FOR_ONE_OR_ASKED
    };
    let mut to_all = cache_control;
    let mut to_platform = to_platform.into_iter();
    to_all.any(|line| names_any(line, forbidding))
        || to_platform.any(|line| names_any(line, FOR_ONE_OR_ASKED))
}

/// Whether a line says for how long, by one of these rules.
fn has_time(line: &[u8], rules: &[&str]) -> bool {
    has_part(line, &|part| {
        let seconds = rules.iter().find_map(|rule| part.strip_prefix(rule));
        let seconds = seconds.unwrap_or_default().trim_matches('"');
        !seconds.is_empty() && seconds.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether one of the parts between commas is such a one, in lower case.
fn has_part(line: &[u8], is_it: &dyn Fn(&str) -> bool) -> bool {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    line.split(',').map(str::trim).any(is_it)
}

fn names_any(line: &[u8], rules: &[&str]) -> bool {
    let line = String::from_utf8_lossy(line).to_ascii_lowercase();
    // Whatever stands between two names: an origin that writes `private; max-age=60` means it.
    let is_between = |letter: char| !letter.is_ascii_alphanumeric() && !"-_".contains(letter);
    let mut names = line.split(is_between);
    names.any(|name| rules.contains(&name))
}

/// Whether the `Connection` of a WebSocket names nothing that a proxy of the origin should drop. The host sends it as it
/// came, so a client could have the pass dropped, or the address it comes from.
#[must_use]
pub fn upgrades_only<'a>(mut connection: impl Iterator<Item = &'a [u8]>) -> bool {
    connection.all(|line| {
        let mut names = line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii);
        names.all(|name| {
            ["", "upgrade", "keep-alive"]
                .iter()
                .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::Site;
    use super::*;
    use crate::queue::Position;

    #[test]
    fn the_connection_of_a_web_socket_names_the_upgrade_and_no_header() {
        for (lines, expected) in [
            (&["Upgrade"][..], true),
            (&["keep-alive, Upgrade"], true),
            (&["Keep-Alive", "upgrade,"], true),
            (&["Upgrade, queue-pass"], false),
            (&["Upgrade", "X-Forwarded-For"], false),
            (&["Upgrade\tclose"], false),
        ] {
            let found = upgrades_only(lines.iter().map(|line| line.as_bytes()));
            assert_eq!(found, expected, "{lines:?}");
        }
    }

    #[test]
    fn what_is_withheld_is_known_with_any_other_byte_for_a_dash() {
        for name in [
            "queue-allow",
            "queue-pass",
            "queue_pass",
            "x-forwarded-for",
            "x_forwarded-for",
            "x_forwarded_anything",
            "x-forwarded",
            "forwarded",
            "fastly_client_ip",
            "x_http_method_override",
            "connection",
            "queue.pass",
            "queue~position",
            "x-forwarded.for",
            "x.forwarded-anything",
            "client-ip",
            "forwarded-for",
            "x-original-forwarded-for",
            "x_original_uri",
            "x-envoy-original-path",
            "proxy-authorization",
            "proxy_client_ip",
            "te",
            "upgrade",
        ] {
            assert!(is_withheld(name), "{name}");
        }
        for name in [
            "",
            "x",
            "queue",
            "queue-passes",
            "x-queue-pass",
            "forwarded-by",
            "x-forward",
            "proxying",
            "te-x",
            "x-envoy",
            "x-original-filename",
            "host",
            "x-requested-with",
            "queuepass",
            "queue.passes",
        ] {
            assert!(!is_withheld(name), "{name}");
        }
    }

    #[test]
    fn what_connection_names_goes_no_further_and_a_request_stays_one() {
        let names = ["host", "content-length", "x-mine", "x-hop", "te", "cookie"];
        let left = |lines: &[&str]| {
            let lines = lines.iter().map(|line| line.as_bytes());
            withheld(names.into_iter(), lines)
        };
        assert_eq!(left(&[]), ["te"]);
        assert_eq!(left(&["close, X-Hop"]), ["x-hop", "te"]);
        assert_eq!(
            left(&["close", " x-hop ,,x-mine"]),
            ["x-mine", "x-hop", "te"]
        );
        assert_eq!(left(&["host, Content-Length, x-min, \u{e9}"]), ["te"]);
    }

    fn forbids<const N: usize, const M: usize>(all: [&str; N], platform: [&str; M]) -> bool {
        let platform = platform.iter().map(|line| line.as_bytes());
        forbids_storing(all.iter().map(|line| line.as_bytes()), platform)
    }

    #[test]
    fn an_answer_is_for_all_where_the_origin_says_so_and_for_how_long() {
        let is_for_all = |status, headers: &[(&str, &'static str)]| {
            super::is_for_all(status, |name| {
                let of_name = headers.iter().filter(move |(found, _)| *found == name);
                of_name.map(|(_, value)| value.as_bytes())
            })
        };
        let long = ("cache-control", "public, max-age=60");
        for (headers, expected) in [
            (&[long][..], true),
            (&[("cache-control", "S-MaxAge=\"60\"")], true),
            (&[("surrogate-control", "max-age=60")], true),
            (&[("expires", "Thu, 01 Jan 2026 00:00:00 GMT")], false),
            (&[long, ("vary", "Accept-Encoding, Origin")], true),
            (&[long, ("vary", "X-Cookie")], true),
            (&[], false),
            (&[("cache-control", "public")], false),
            (&[("cache-control", "max-age=")], false),
            (&[long, ("cache-control", "private")], false),
            (&[long, ("set-cookie", "a=1")], false),
            (&[long, ("vary", "*")], false),
            (&[long, ("vary", "Accept-Encoding,Cookie")], false),
            (&[long, ("vary", "Accept"), ("vary", "Queue-Pass")], false),
            (&[long, ("vary", "Authorization")], false),
            (&[long, ("vary", "X-Forwarded-For")], false),
        ] {
            assert_eq!(is_for_all(200, headers), expected, "{headers:?}");
        }
        let statuses = [301, 304, 399, 400, 404, 410, 500, 503];
        let kept = statuses.map(|status| is_for_all(status, &[long]));
        let expected = [true, true, true, false, false, false, false, false];
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_an_origin_gives_to_one_visitor_is_not_stored() {
        for rules in [
            "private",
            "no-store",
            "max-age=60, Private",
            "private=\"set-cookie\"",
            "public,NO-STORE",
            "no-cache, no-store, must-revalidate",
            "private; max-age=60",
            "max-age=60;no-store",
            "\u{c}private\u{c}",
        ] {
            assert!(forbids([rules], []), "{rules}");
            assert!(forbids([rules], ["max-age=60"]), "{rules}");
        }
        for rules in ["", "public, max-age=60", "x-private", "s-maxage=1"] {
            assert!(!forbids([rules], []), "{rules}");
        }
        assert!(forbids(["public", "private"], []), "in any line");
    }

    #[test]
    fn what_an_origin_wants_to_be_asked_about_each_time_is_not_stored() {
        for rules in [
            "no-cache",
            "No-Cache, max-age=60",
            "no-cache=\"set-cookie\"",
        ] {
            assert!(forbids([rules], []), "{rules}");
            assert!(
                !forbids([rules], ["max-age=60"]),
                "{rules}: this is for browsers, the platform reads something else"
            );
            for to_platform in ["no-store", "private", "no-cache"] {
                assert!(forbids([rules], [to_platform]), "{to_platform}");
            }
        }
    }

    /// Frameworks that render ESI say so on every page. It does not say for how long, so what browsers are told holds.
    #[test]
    fn what_the_platform_is_told_without_a_time_overrules_nothing() {
        for to_platform in [
            "content=\"ESI/1.0\"",
            "",
            "max-age",
            "max-age=",
            "max-age=soon",
            "x-max-age=60",
            "max-stale=60",
        ] {
            assert!(forbids(["no-cache"], [to_platform]), "{to_platform}");
            assert!(!forbids(["max-age=60"], [to_platform]), "{to_platform}");
        }
        for to_platform in [
            "Max-Age=60",
            "max-age=\"60\"",
            "content=\"ESI/1.0\", max-age=60",
            "content=\"ESI/1.0\",max-age=0 , x=y",
        ] {
            assert!(!forbids(["no-cache"], [to_platform]), "{to_platform}");
            assert!(forbids(["private"], [to_platform]), "{to_platform}");
        }
        let lines = ["content=\"ESI/1.0\"", "max-age=60"];
        assert!(!forbids(["no-cache"], lines), "in any line");
    }

    /// A platform finds the site by its own name, and the site the visitor's in `X-Forwarded-Host`.
    #[test]
    fn an_origin_that_goes_by_host_receives_its_own_and_the_visitors_beside_it() {
        let call = Call {
            host: "shop.example:8443".to_owned(),
            ..Call::default()
        };
        let forward = Forward {
            site: Site {
                host: Some("shop-1234.platform.example".to_owned()),
                ..Site::default()
            },
            ..Forward::default()
        };
        let lines = told(&call, &forward);
        for (name, value) in [
            ("host", "shop-1234.platform.example"),
            ("x-forwarded-host", "shop.example:8443"),
        ] {
            let found = lines.iter().filter(|(found, _)| *found == name);
            let found: Vec<&str> = found.map(|(_, value)| &**value).collect();
            assert_eq!(found, [value], "{name}");
        }
    }

    #[test]
    fn an_origin_receives_who_asks_for_which_host_by_which_scheme() {
        let call = Call {
            host: "shop.example:8443".to_owned(),
            https: true,
            address: "2001:db8::1".parse().ok(),
            ..Call::default()
        };
        let forward = Forward {
            position: Some(Position(7)),
            pass: Some("p".to_owned()),
            ..Forward::default()
        };
        let lines = told(&call, &forward);
        let lines: Vec<(&str, &str)> = lines
            .iter()
            .map(|(name, value)| (*name, &**value))
            .collect();
        assert_eq!(
            lines,
            [
                ("x-forwarded-for", "2001:db8::1"),
                ("fastly-client-ip", "2001:db8::1"),
                ("x-forwarded-host", "shop.example:8443"),
                ("x-forwarded-proto", "https"),
                ("queue-position", "7"),
                ("queue-pass", "p"),
            ]
        );
        let scheme = |local: bool, headers: &[&'static str]| {
            let call = Call {
                https: false,
                local,
                headers: headers.iter().map(|name| (*name, b"x".to_vec())).collect(),
                ..call.clone()
            };
            let mut lines = told(&call, &forward).into_iter();
            lines.find_map(|(name, value)| (name == "x-forwarded-proto").then_some(value))
        };
        for (local, headers, expected) in [
            (false, &[][..], "http"),
            (false, &["sec-fetch-mode"], "https"),
            (true, &["sec-fetch-mode"], "http"),
        ] {
            assert_eq!(scheme(local, headers).as_deref(), Some(expected));
        }
        let of_nobody = Call {
            address: None,
            https: false,
            ..call
        };
        let names: Vec<&str> = told(&of_nobody, &Forward::default())
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["x-forwarded-host", "x-forwarded-proto"]);
    }
}
