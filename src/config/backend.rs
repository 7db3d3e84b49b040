//! The backends of the service: that of the store decides address and deadlines, whatever the settings say, and those for visitors'
//! requests are named by the settings, of a room or of a region.
//!
//! Invariant: a token is sent over a connection to the host of `upstash_url`, or with that host as its `Host`, and no visitor's request to
//! the store. Whose certificate the connection needs is the backend's.

use std::time::Duration;

use super::Problem;

/// The key under which the log and the health route name it.
const BACKEND: &str = "upstash";

/// The backend of the origin where neither a room nor a region names another one.
pub const ORIGIN: &str = "protected_content";

/// How long a connection to the store may take; whether that includes TLS is not documented.
pub const CONNECT: Duration = Duration::from_secs(1);
/// How long its first byte may take, and each pause after it.
pub const ANSWER: Duration = Duration::from_millis(500);

/// What a source knows of the store's backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreBackend {
    /// It cannot be asked: this is no running service.
    #[default]
    NotAsked,
    /// There is none.
    Missing,
    /// There is this one.
    Found(Backend),
}

/// What a source knows of a backend to which visitors' requests may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginBackend {
    /// It cannot be asked: this is no running service.
    NotAsked,
    /// There is none.
    Missing,
    /// There is one.
    Found,
}

/// What the platform says about a backend.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backend {
    /// The name or the address it is connected to.
    pub host: String,
    /// Its deadlines; `None` where they cannot be asked for, as on the local server.
    pub deadlines: Option<Deadlines>,
}

/// The three deadlines of a backend, which add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// Until there is a connection.
    pub connect: Duration,
    /// From then until the first byte of the answer.
    pub first_byte: Duration,
    /// Between two parts of it.
    pub between_bytes: Duration,
}

/// A backend whose calls would go elsewhere than to the host of `upstash_url`, or nowhere: that closes the room.
///
/// No document of the platform says whether the host of a backend is the one of its address or the one that it sends, so either will
/// do. The second is asked for only where the first is another.
pub(super) fn misdirected(
    backend: &StoreBackend,
    host_override: impl FnOnce() -> Option<String>,
    url: &str,
) -> Option<Problem> {
    let backend = match backend {
        StoreBackend::NotAsked => return None,
        StoreBackend::Found(backend) => backend,
        StoreBackend::Missing => return Some(missing()),
    };
    let host = host(url);
    let is_it = |found: &str| found.eq_ignore_ascii_case(host);
    let is_right = is_it(&backend.host) || host_override().is_some_and(|found| is_it(&found));
    (!is_right).then(|| {
        let accepted = format!(
            "the host of upstash_url: fastly service backend update --version latest --autoclone --name upstash --address {host} --override-host {host} --ssl-sni-hostname {host} --ssl-cert-hostname {host}"
        );
        Problem::wrong(BACKEND, Some(backend.host.clone()), &accepted)
    })
}

fn missing() -> Problem {
    let accepted = "a backend of this name: fastly service backend create --version latest --autoclone --name upstash --address HOST --port 443 --override-host HOST --ssl-sni-hostname HOST --ssl-cert-hostname HOST --connect-timeout 1000 --first-byte-timeout 500 --between-bytes-timeout 500, with the host of upstash_url";
    Problem::wrong(BACKEND, None, accepted)
}

/// What is accepted as the name of one.
pub(super) const FOR_VISITORS: &str = "the name of a backend of the service for visitors' requests, 1 to 64 letters, digits, - _ and . , and not upstash";
/// What is accepted where there is none of the name.
pub(super) const NO_SUCH: &str = "the name of a backend of the service: fastly service backend create --version latest --autoclone --name NAME --address HOST --port 443 --ssl-sni-hostname HOST --ssl-cert-hostname HOST, with HOST where the site is";

/// Whether visitors' requests may go to a backend of this name.
pub(super) fn is_for_visitors(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (1..=64).contains(&name.len()) && name.bytes().all(is_part) && name != BACKEND
}

/// Deadlines by which visitors wait for the store longer than they should, or not long enough.
pub(super) fn mistimed(backend: &StoreBackend) -> Option<Problem> {
    let StoreBackend::Found(backend) = backend else {
        return None;
    };
    let found = backend.deadlines?;
    let expected = Deadlines {
        connect: CONNECT,
        first_byte: ANSWER,
        between_bytes: ANSWER,
    };
    (found != expected).then(|| {
        let milliseconds = |deadlines: Deadlines| {
            [deadlines.connect, deadlines.first_byte, deadlines.between_bytes].map(|time| time.as_millis())
        };
        let [connect, first, between] = milliseconds(found);
        let value = format!("connect {connect} ms, first byte {first} ms, between bytes {between} ms");
        let accepted = "connect 1000 ms, first byte 500 ms, between bytes 500 ms: fastly service backend update --version latest --autoclone --name upstash --connect-timeout 1000 --first-byte-timeout 500 --between-bytes-timeout 500";
        Problem::wrong(BACKEND, Some(value), accepted)
    })
}

/// The host of a URL, without its port.
fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    authority.split(':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://eu1-name.upstash.io";

    fn backend(host: &str, milliseconds: Option<[u64; 3]>) -> StoreBackend {
        let deadlines = milliseconds.map(|milliseconds| {
            let [connect, first_byte, between_bytes] = milliseconds.map(Duration::from_millis);
            Deadlines {
                connect,
                first_byte,
                between_bytes,
            }
        });
        StoreBackend::Found(Backend {
            host: host.to_owned(),
            deadlines,
        })
    }

    #[test]
    fn calls_go_to_the_host_of_the_url_and_nowhere_else() {
        for (host, url) in [
            ("eu1-name.upstash.io", URL),
            ("EU1-name.upstash.io", URL),
            ("127.0.0.1", "http://127.0.0.1:8079"),
            ("a.example", "https://a.example:8443/"),
        ] {
            assert_eq!(
                misdirected(&backend(host, None), || None, url),
                None,
                "{host} {url}"
            );
        }
        for host in [
            "us1-name.upstash.io",
            "upstash.io",
            "",
            "eu1-name.upstash.io.example",
        ] {
            let found = misdirected(&backend(host, None), || None, URL);
            let told = found.map(|found| (found.key, found.value, found.accepted));
            let (key, value, accepted) = told.unwrap_or_default();
            assert_eq!((key, value.as_deref()), ("upstash", Some(host)));
            assert!(
                accepted.contains("backend update")
                    && accepted.contains("--address eu1-name.upstash.io ")
            );
        }
        let none = misdirected(&StoreBackend::Missing, || None, URL).map(|found| found.accepted);
        assert_eq!(misdirected(&StoreBackend::NotAsked, || None, URL), None);
        assert!(
            none.is_some_and(
                |accepted| accepted.contains("backend create") && accepted.len() <= 512
            )
        );
    }

    #[test]
    fn a_backend_that_is_connected_elsewhere_and_sends_the_host_of_the_url_is_accepted() {
        let at = |address: &str, sent: Option<&str>| {
            misdirected(&backend(address, None), || sent.map(str::to_owned), URL)
        };
        assert_eq!(at("192.0.2.7", Some("eu1-name.upstash.io")), None);
        assert_eq!(at("192.0.2.7", Some("EU1-NAME.upstash.io")), None);
        for (address, sent) in [
            ("192.0.2.7", Some("us1-name.upstash.io")),
            ("192.0.2.7", Some("")),
            ("192.0.2.7", None),
        ] {
            assert!(at(address, sent).is_some(), "{address} {sent:?}");
        }
        let never = || unreachable!("it is not asked for where the address is right");
        let right = backend("eu1-name.upstash.io", None);
        assert_eq!(misdirected(&right, never, URL), None);
    }

    #[test]
    fn each_deadline_is_compared_and_what_mends_it_is_named() {
        assert_eq!(mistimed(&backend("a", Some([1000, 500, 500]))), None);
        assert_eq!(
            mistimed(&backend("a", None)),
            None,
            "they cannot be asked for"
        );
        for (found, value) in [
            (
                [1000, 15_000, 10_000],
                "connect 1000 ms, first byte 15000 ms, between bytes 10000 ms",
            ),
            (
                [999, 500, 500],
                "connect 999 ms, first byte 500 ms, between bytes 500 ms",
            ),
            (
                [1000, 501, 500],
                "connect 1000 ms, first byte 501 ms, between bytes 500 ms",
            ),
            (
                [1000, 500, 0],
                "connect 1000 ms, first byte 500 ms, between bytes 0 ms",
            ),
        ] {
            let told =
                mistimed(&backend("a", Some(found))).map(|found| (found.value, found.accepted));
            let (found, accepted) = told.unwrap_or_default();
            assert_eq!(found.as_deref(), Some(value));
            assert!(accepted.contains("--first-byte-timeout 500"));
        }
    }
}
