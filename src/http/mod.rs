//! A request and its answer as plain data. Nothing in here knows the platform.

pub mod cookie;
pub mod cors;
pub mod json;
pub mod negotiate;
mod text;
mod told;

use std::borrow::Cow;
use std::net::IpAddr;

use crate::queue::Position;

pub use text::{first, shortened};
pub use told::{forbids_storing, is_withheld, told, upgrades_only};

/// The request headers the service reads; the edge copies these and no others.
pub const HEADERS: [&str; 21] = [
    "accept",
    "accept-language",
    "access-control-request-method",
    "authorization",
    "content-length",
    "content-type",
    "cookie",
    "idempotency-key",
    "origin",
    "purpose",
    "referer",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-purpose",
    "sec-websocket-key",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-moz",
    "x-requested-with",
];

/// One request, without its body.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// In capitals, as it came.
    pub method: String,
    /// Still percent-encoded; empty when `Host` names no host, since then there is no URL.
    pub path: String,
    /// Without the `?`.
    pub query: Option<String>,
    /// The `Host` header, with the port.
    pub host: String,
    /// Whether the visitor came over TLS.
    pub https: bool,
    /// The address of its sender, where that is known.
    pub address: Option<IpAddr>,
    /// On the local server, where everybody comes over http.
    pub local: bool,
    /// Lines of [`HEADERS`] in the order they came; names in lower case.
    pub headers: Vec<(&'static str, Vec<u8>)>,
    /// Names of the headers that came and go no further ([`is_withheld`]), in lower case.
    pub withheld: Vec<String>,
    /// Fresh for every request: becomes the id of the ticket, should one be drawn, and spreads the refreshes.
    pub id: String,
}

impl Call {
    /// Every line of one header.
    pub fn lines<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        self.headers
            .iter()
            .filter(move |(found, _)| *found == name)
            .map(|(_, value)| value.as_slice())
    }

    /// A header as text: its first line, empty when absent, with what is not UTF-8 replaced.
    #[must_use]
    pub fn header(&self, name: &str) -> Cow<'_, str> {
        self.headers
            .iter()
            .find(|(found, _)| *found == name)
            .map_or(Cow::Borrowed(""), |(_, value)| {
                String::from_utf8_lossy(value.trim_ascii())
            })
    }

    /// Path and query, as a link on the same site names it.
    #[must_use]
    pub fn target(&self) -> String {
        match &self.query {
            Some(query) => format!("{}?{query}", self.path),
            None => self.path.clone(),
        }
    }

    /// A value of the query, decoded; the first, where there are several of that name.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<String> {
        let query = self.query.as_deref().unwrap_or_default();
        form_urlencoded::parse(query.as_bytes())
            .find(|(found, _)| found == name)
            .map(|(_, value)| value.into_owned())
    }

    /// Scheme, host and path.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}{}", self.host, self.path)
    }

    /// Whether `Host` names a host and nothing else. A URL's parser takes what stands in front of an `@` for a user and
    /// decodes `%`, so the host that it finds is another than the one that was compared.
    #[must_use]
    pub fn names_host(&self) -> bool {
        !self.path.is_empty() && !self.host.contains(['@', '/', '\\', '?', '#', '%'])
    }

    /// The `Host` header without port and brackets, and without the dot that ends a full name.
    #[must_use]
    pub fn hostname(&self) -> &str {
        let name = match self.host.strip_prefix('[') {
            Some(six) => six.split(']').next(),
            None => self.host.split(':').next(),
        };
        let name = name.unwrap_or_default();
        name.strip_suffix('.').unwrap_or(name)
    }

    /// On a loopback address over http, where a cookie cannot be `Secure`; or at the local server's address in its own
    /// network, so that a phone can try it.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.hostname();
        let is_loopback = host == "localhost" || host == "::1" || is_loopback_ip4(host);
        !self.https && (is_loopback || self.local && is_in_own_network(host))
    }

    /// Whether a browser asks for a page elsewhere what that page may send here (Fetch 4.8).
    #[must_use]
    pub fn is_preflight(&self) -> bool {
        self.method == "OPTIONS"
            && self.has("origin")
            && self.has("access-control-request-method")
            && !self.has_body()
    }

    /// Whether a header came.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.lines(name).next().is_some()
    }

    /// Whether the headers announce a body; by HTTP/2 one may come without (RFC 9113 8.1).
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.has("transfer-encoding") || self.lines("content-length").any(|n| n != b"0")
    }

    /// Whether the connection is to become a WebSocket.
    #[must_use]
    pub fn is_web_socket(&self) -> bool {
        let lines = self.lines("upgrade").map(String::from_utf8_lossy);
        let names = |line: &Cow<'_, str>| {
            line.split(',')
                .any(|name| name.trim().eq_ignore_ascii_case("websocket"))
        };
        lines.into_iter().any(|line| names(&line))
    }

    /// Whether an `Origin` is this site: same scheme, host and port.
    #[must_use]
    pub fn is_own_origin(&self, origin: &str) -> bool {
        let scheme = if self.https { "https://" } else { "http://" };
        origin
            .strip_prefix(scheme)
            .is_some_and(|host| !host.is_empty() && host.eq_ignore_ascii_case(&self.host))
    }

    /// Whether it came over plain http, where nobody asked for https.
    #[must_use]
    pub fn is_plain_http(&self) -> bool {
        !self.https && !self.local && !self.says_it_is_secure()
    }

    /// Whether the browser takes the address for one of https: over http it sends none of these, but on the own machine
    /// (Fetch Metadata 2). Where the platform should tell the scheme wrong, a redirect to https would never end.
    #[must_use]
    pub fn says_it_is_secure(&self) -> bool {
        ["sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest"]
            .iter()
            .any(|name| self.has(name))
    }

    /// A number that differs from request to request.
    #[must_use]
    pub fn chance(&self) -> u64 {
        self.id.bytes().fold(0, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(u64::from(byte))
        })
    }
}

/// A private address (RFC 1918, 3927, 4193, 4291), or a name in the network (RFC 6762).
fn is_in_own_network(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
        Err(_) => host
            .rsplit_once('.')
            .is_some_and(|(_, top)| top.eq_ignore_ascii_case("local")),
    }
}

fn is_loopback_ip4(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| address.is_loopback())
}

/// What is to be done with the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Pass it on to the origin, body and all.
    Forward(Forward),
    /// Answer it here.
    Reply(Reply),
}

/// What the origin and the visitor get besides what they send each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forward {
    /// For `Queue-Position`.
    pub position: Option<Position>,
    /// For `Queue-Pass`.
    pub pass: Option<String>,
    /// Which of the visitor's cookies go along.
    pub cookies: Cookies,
    /// How it goes there.
    pub way: Way,
    /// To be appended to the origin's own, together with `Cache-Control: private, no-store`.
    pub set_cookies: Vec<String>,
}

/// How a request goes to the origin, and what the platform may do with the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// The answer is handed to this visitor, and nothing of it is kept.
    #[default]
    Pass,
    /// The answer is kept as the origin's headers say, and shown to other visitors.
    Cache,
    /// The connection becomes a WebSocket between the visitor and the origin.
    WebSocket,
}

/// The visitor's cookies on the way to the origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cookies {
    /// All but those of these names.
    Without(Vec<&'static str>),
    /// None at all.
    None,
}

impl Default for Cookies {
    fn default() -> Self {
        Self::Without(Vec::new())
    }
}

impl Cookies {
    /// A `Cookie` header as the origin gets it, if anything is left.
    #[must_use]
    pub fn left(&self, header: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Without(names) => cookie::without(header, names),
            Self::None => None,
        }
    }
}

/// An answer from the edge itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// In the order they are sent.
    pub headers: Vec<(&'static str, String)>,
    /// Empty for HEAD.
    pub body: Vec<u8>,
}

impl Reply {
    /// What every answer of the edge carries: it is private, it is not for an index, and it is what it says it is.
    #[must_use]
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![
            ("content-type", content_type.to_owned()),
            ("cache-control", PRIVATE.to_owned()),
            ("x-robots-tag", "noindex".to_owned()),
            ("x-content-type-options", "nosniff".to_owned()),
            ("referrer-policy", "same-origin".to_owned()),
        ];
        let body = body.into();
        Self {
            status,
            headers,
            body,
        }
    }

    /// A page: HTML, and nothing in it may load anything but what its policy names.
    #[must_use]
    pub fn page(status: u16, html: String, policy: &str) -> Self {
        Self::new(status, "text/html; charset=utf-8", html)
            .with("content-security-policy", policy)
            // The platform compresses what says so, in whichever way the browser takes, and takes this line out.
            .with("x-compress-hint", "on")
    }

    /// JSON of something that serialises; `null` if it should ever not.
    #[must_use]
    pub fn json(status: u16, value: &impl serde::Serialize) -> Self {
        let body = serde_json::to_vec(value).unwrap_or_else(|_| b"null".to_vec());
        Self::new(status, "application/json", body)
    }

    /// Data for the waiting page's own script: nothing in front of it but what keeps it private and what it is.
    #[must_use]
    pub fn data(status: u16, value: &impl serde::Serialize) -> Self {
        let mut reply = Self::json(status, value);
        reply
            .headers
            .retain(|(name, _)| !matches!(*name, "x-robots-tag" | "referrer-policy"));
        reply
    }

    /// An error as RFC 9457 words it: `detail` says what was wrong and what is accepted.
    #[must_use]
    pub fn problem(status: u16, title: &str, detail: &str) -> Self {
        let body = serde_json::json!({ "title": title, "status": status, "detail": detail });
        Self::new(status, "application/problem+json", body.to_string())
    }

    /// The answer to a method that is not among these, which are separated by `, `; nothing if it is.
    #[must_use]
    pub fn wrong_method(method: &str, allowed: &'static str) -> Option<Self> {
        if allowed.split(", ").any(|one| one == method) {
            return None;
        }
        let detail = format!("{method} is not one of {allowed}");
        Some(Self::problem(405, "Method not allowed", &detail).with("allow", allowed))
    }

    /// One header more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// One header more, if there is something to say.
    #[must_use]
    pub fn with_some(self, name: &'static str, value: Option<String>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// The cookies the browser is to keep or to forget, one header each.
    #[must_use]
    pub fn with_cookies(self, cookies: Vec<String>) -> Self {
        cookies
            .into_iter()
            .fold(self, |reply, cookie| reply.with("set-cookie", cookie))
    }

    /// The same without a body.
    #[must_use]
    pub fn without_body(mut self) -> Self {
        self.body.clear();
        self
    }
}

/// `Cache-Control` of whatever is meant for one visitor.
pub const PRIVATE: &str = "private, no-store";

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, https: bool) -> bool {
        let call = Call {
            host: host.to_owned(),
            https,
            ..Call::default()
        };
        call.is_loopback()
    }

    #[test]
    fn a_host_is_the_same_with_the_dot_that_ends_a_full_name() {
        for (host, name) in [
            ("queue.local", "queue.local"),
            ("queue.local.", "queue.local"),
            ("queue.local.:7676", "queue.local"),
            ("queue.local..", "queue.local."),
            ("[::1]:80", "::1"),
            ("", ""),
        ] {
            let host = host.to_owned();
            let call = Call {
                host,
                ..Call::default()
            };
            assert_eq!(call.hostname(), name, "{call:?}");
        }
    }

    #[test]
    fn what_a_url_takes_for_another_part_is_no_host() {
        for (host, is_one) in [
            ("queue.local:80", true),
            ("[::1]:80", true),
            ("a@queue.local", false),
            ("a:b@queue.local", false),
            ("queue.local/a", false),
            ("queue.local\\a", false),
            ("queue.local?a", false),
            ("queue.local#a", false),
            ("%71ueue.local", false),
        ] {
            let (host, path) = (host.to_owned(), "/".to_owned());
            let call = Call {
                path,
                host,
                ..Call::default()
            };
            assert_eq!(call.names_host(), is_one, "{call:?}");
        }
    }

    #[test]
    fn loopback_is_an_address_of_this_machine_over_http() {
        for host in [
            "127.0.0.1:7676",
            "127.9.9.9",
            "localhost",
            "localhost:80",
            "[::1]:7676",
            "[::1]",
        ] {
            assert!(at(host, false), "{host}");
            assert!(!at(host, true), "{host} over https");
        }
        for host in [
            "",
            "shop.example",
            "localhost.example",
            "127.0.0.1.example",
            "127.0.0",
            "[::2]",
            "[",
            "0.0.0.0",
        ] {
            assert!(!at(host, false), "{host}");
        }
    }

    #[test]
    fn a_phone_keeps_the_cookie_of_the_local_server_and_of_no_other() {
        let keeps = |host: &str, local: bool, https: bool| {
            let call = Call {
                host: host.to_owned(),
                https,
                local,
                ..Call::default()
            };
            call.is_loopback()
        };
        for host in [
            "192.168.1.7:7676",
            "10.0.0.2",
            "172.16.0.1:80",
            "laptop.local:7676",
            "[fd00::7]:7676",
        ] {
            assert!(keeps(host, true, false), "{host}");
            assert!(!keeps(host, false, false), "{host} in production");
            assert!(!keeps(host, true, true), "{host} over https");
        }
        for host in ["8.8.8.8", "shop.example", "local", "192.168.1.7.example"] {
            assert!(!keeps(host, true, false), "{host}");
        }
    }
}
