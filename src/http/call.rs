//! A request as plain data: what the rest of the service knows of it.

use std::borrow::Cow;
use std::net::IpAddr;

/// The request headers the service reads; the edge copies these and no others.
pub const HEADERS: [&str; 28] = [
    "accept",
    "accept-language",
    "access-control-request-method",
    "authorization",
    "content-length",
    "content-type",
    "cookie",
    "hx-preloaded",
    "idempotency-key",
    "next-router-prefetch",
    "next-router-segment-prefetch",
    "origin",
    "purpose",
    "queue-allow",
    "referer",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-purpose",
    "sec-websocket-key",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-middleware-prefetch",
    "x-moz",
    "x-purpose",
    "x-requested-with",
    "x-sec-purpose",
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
    /// The sender's, by two letters (ISO 3166-1), where it is known and decides something.
    pub country: Option<String>,
    /// On the local server, where everybody comes over http.
    pub local: bool,
    /// Lines of [`HEADERS`] in the order they came; names in lower case.
    pub headers: Vec<(&'static str, Vec<u8>)>,
    /// Lines of those headers that conditions of the settings name and [`HEADERS`] does not; names in lower case.
    pub named: Vec<(String, Vec<u8>)>,
    /// Names of the headers that came and go no further ([`withheld`](super::withheld)), in lower case.
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
        field(self.query.as_deref().unwrap_or_default().as_bytes(), name)
    }

    /// The query without the values of that name; none where nothing is left of it.
    #[must_use]
    pub fn query_without(&self, name: &str) -> Option<String> {
        let query = self.query.as_deref()?;
        let parts = query.split('&');
        let kept = parts.filter(|part| field(part.as_bytes(), name).is_none());
        let kept: Vec<&str> = kept.collect();
        Some(kept.join("&")).filter(|query| !query.is_empty())
    }

    /// Scheme, host and path.
    #[must_use]
    pub fn url(&self) -> String {
        self.site() + &self.path
    }

    /// Scheme and host.
    #[must_use]
    pub fn site(&self) -> String {
        let scheme = if self.https { "https" } else { "http" };
        format!("{scheme}://{}", self.host)
    }

    /// Whether `Host` names a host and nothing else. A URL's parser takes what stands in front of an `@` for a user and
    /// decodes `%`, so the host that it finds is another than the one that was compared.
    #[must_use]
    pub fn names_host(&self) -> bool {
        !self.path.is_empty() && !self.host.contains(['@', '/', '\\', '?', '#', '%'])
    }

    /// The `Host` header without port and brackets, and without dots at its end: one ends a full name, and more of them
    /// make no other host of it.
    #[must_use]
    pub fn hostname(&self) -> &str {
        let name = match self.host.strip_prefix('[') {
            Some(six) => six.split(']').next(),
            None => self.host.split(':').next(),
        };
        let name = name.unwrap_or_default();
        name.trim_end_matches('.')
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

/// A value of a form or a query, decoded; the first, where there are several of that name.
#[must_use]
pub fn field(form: &[u8], name: &str) -> Option<String> {
    form_urlencoded::parse(form)
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

/// A private address (RFC 1918, 3927, 4193, 4291), or a name in the network (RFC 6762).
pub(super) fn is_in_own_network(host: &str) -> bool {
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => address.is_private() || address.is_link_local(),
        Ok(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
        Err(_) => host
            .rsplit_once('.')
            .is_some_and(|(_, top)| top.eq_ignore_ascii_case("local")),
    }
}

pub(super) fn is_loopback_ip4(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>()
        .is_ok_and(|address| address.is_loopback())
}
