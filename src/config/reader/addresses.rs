//! The settings that are paths, hosts and origins.

use super::super::backend::{
    FOR_VISITORS, NO_SUCH, ORIGIN, OriginBackend, is_for_visitors, misdirected, mistimed,
};
use super::super::paths::is_path;
use super::super::{List, Paths, Problem};
use super::{NONE, Reader, words};
use crate::http::Site;

/// What skips the room by default: what browsers and crawlers fetch by themselves, and the pictures of a waiting page.
pub const BYPASS_DEFAULT: &str = "/robots.txt,/favicon.ico,/assets/background.jpg,/assets/logo.svg";

/// What a list of paths may hold.
pub(in crate::config) const PATHS: &str = "paths such as /robots.txt, /assets/*, *.css, POST /checkout, /über or /%C3%BCber; in either form without ?, #, %, *, ;, \\, //, an encoded . or /, letters that are not seen or compose another, spaces at the ends of parts, and parts that are . or ..; in front of them GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS";

/// What the setting `verifier` may be.
pub(in crate::config) const VERIFIER: &str = "none, an address such as https://verify.shop.example/queue, or a path of this site such as /verify; at most 200 characters, without ?, #, %, *, ; and \\, // in the path and parts that are . or ..";

impl Reader<'_> {
    pub(in crate::config) fn admin_path(&mut self) -> String {
        let path = self
            .setting("admin_path")
            .unwrap_or_else(|| "/_queue".to_owned());
        if path.len() < 2 || path.ends_with('/') || !is_path(&path) {
            let accepted = "a path such as /_queue: begins with /, does not end with /, no space, ?, #, %, *, ; or \\, no // and no part that is . or ..";
            self.problem("admin_path", Some(path.clone()), accepted);
        }
        path
    }

    /// Where the requests of a room go.
    pub(in crate::config) fn site(&mut self) -> Site {
        Site {
            backend: self.backend(),
            host: self.origin_host(),
        }
    }

    /// The backend, where that is not the usual one.
    fn backend(&mut self) -> Option<String> {
        let name = self.setting("backend").filter(|name| name != ORIGIN)?;
        if !is_for_visitors(&name) {
            self.problem("backend", Some(name.clone()), FOR_VISITORS);
        } else if self.source.origin_backend(&name) == OriginBackend::Missing {
            self.problem("backend", Some(name.clone()), NO_SUCH);
        }
        Some(name)
    }

    /// The `Host` that the origin gets in place of the visitor's.
    fn origin_host(&mut self) -> Option<String> {
        let host = self.optional("origin_host")?;
        if !is_domain(&host) {
            let accepted = "none, or the host name by which the origin knows the site, such as shop-1234.herokuapp.com: lower-case letters, digits, - and at least one dot; no scheme, port or path, no * and no IP address";
            self.problem("origin_host", Some(host.clone()), accepted);
        }
        Some(host)
    }

    /// Without a query: what it carries might be a secret, and settings are none.
    pub(in crate::config) fn probe_path(&mut self) -> Option<String> {
        let path = self.optional("probe_path")?;
        if path.len() > 200 || !is_path(&path) {
            let accepted = "none, or a path such as /health: at most 200 characters, begins with /, no space, ?, #, %, *, ; or \\, no // and no part that is . or ..";
            self.problem("probe_path", Some(path.clone()), accepted);
        }
        Some(path)
    }

    /// No visitor without a number reaches a page that the room holds.
    pub(in crate::config) fn verifier(&mut self, paths: &Paths) -> Option<String> {
        let address = self.optional("verifier")?;
        let is_here = is_path(&address);
        if address.len() > 200 || !(is_here || self.is_page(&address)) {
            self.problem("verifier", Some(address.clone()), VERIFIER);
        } else if is_here && !self.skips(paths, &address) {
            let accepted = "a path that skips the room, or challenged visitors do not reach it: name it in bypass_paths, too";
            self.problem("verifier", Some(address.clone()), accepted);
        }
        Some(address)
    }

    /// Whether a visitor without a number reaches this path. A listed room may be for a host, with all its paths.
    fn skips(&self, paths: &Paths, path: &str) -> bool {
        if self.layer.is_some() {
            paths.is_bypassed("GET", path)
        } else {
            paths.skip_room("GET", path)
        }
    }

    /// An address on another site, without a query.
    fn is_page(&self, address: &str) -> bool {
        let Some(rest) = self.without_scheme(address) else {
            return false;
        };
        let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        is_host(host) && (path.is_empty() || is_path(path))
    }

    /// What is behind `https://`, or `http://` on the local server.
    fn without_scheme<'b>(&self, url: &'b str) -> Option<&'b str> {
        let is_local = self.source.is_local();
        let plain = || url.strip_prefix("http://").filter(|_| is_local);
        url.strip_prefix("https://").or_else(plain)
    }

    /// Browsers keep what belongs to one host apart from another's pages, so it has to be one that visitors do not use.
    pub(in crate::config) fn admin_host(&mut self) -> Option<String> {
        let host = self.optional("admin_host")?;
        if !is_dns_name(&host) {
            let accepted = "none, or a host name such as queue.shop.example: lower-case letters, digits, - and dots; no scheme, port or path, no * and no IP address";
            self.problem("admin_host", Some(host.clone()), accepted);
        }
        Some(host)
    }

    /// Browsers take no cookie for all of a top-level domain.
    pub(in crate::config) fn cookie_domain(&mut self) -> Option<String> {
        let domain = self.optional("cookie_domain")?;
        if !is_domain(&domain) {
            let accepted = "none, or a domain such as shop.example: lower-case letters, digits, - and at least one dot; no scheme, port or path, no dot in front, no * and no IP address";
            self.problem("cookie_domain", Some(domain.clone()), accepted);
        }
        Some(domain)
    }

    pub(in crate::config) fn paths(&mut self) -> Paths {
        Paths {
            bypass: self.path_list("bypass_paths", BYPASS_DEFAULT),
            well_known: true,
            protected: self.protected_paths(),
            cache: self.cache_paths(),
            command: self.path_list("command_paths", NONE),
        }
    }

    /// Separated by commas or white space; `none` is an empty list.
    pub(in crate::config) fn path_list(&mut self, key: &'static str, default: &str) -> List {
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
    pub(in crate::config) fn protected_paths(&mut self) -> List {
        let key = "protected_paths";
        let Some(text) = self.setting(key) else {
            if self.document.is_null(key) {
                self.problem(key, Some("null".to_owned()), PATHS);
            }
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
    pub(in crate::config) fn cache_paths(&mut self) -> List {
        let key = "cache_paths";
        let list = self.path_list(key, NONE);
        if let Some(method) = list.methods_beside(&["GET", "HEAD"]) {
            let accepted = "no method but GET and HEAD: answers to others are never kept";
            self.problem(key, Some(method.to_owned()), accepted);
        }
        list
    }

    /// Separated by commas or white space; becomes a source list of Content-Security-Policy.
    pub(in crate::config) fn frame_ancestors(&mut self) -> Option<String> {
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
    pub(in crate::config) fn cors_origins(&mut self) -> Vec<String> {
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
    pub(in crate::config) fn upstash_url(&mut self) -> String {
        let url = self.setting("upstash_url");
        if !self.is_known("upstash_url") {
            return String::new();
        }
        let url = url.unwrap_or_default();
        let url = url.trim_end_matches('/').to_owned();
        if !self.without_scheme(&url).is_some_and(is_host) {
            // Its value is not named: somebody may have pasted an address with a password in it.
            let accepted = "the store's REST address, such as https://eu1-name.upstash.io";
            self.problem("upstash_url", None, accepted);
        }
        url
    }

    /// Whether calls to a sound address arrive there, and in time.
    pub(in crate::config) fn store_backend(&mut self, url: &str) {
        let is_sound = |problem: &Problem| problem.key != "upstash_url";
        if !self.is_known("upstash_url") || !self.found.problems.iter().all(is_sound) {
            return;
        }
        let backend = self.source.store_backend();
        let sent = || self.source.store_host_override();
        let misdirected = misdirected(&backend, sent, url);
        self.found.problems.extend(misdirected);
        self.found.ignored.extend(mistimed(&backend));
    }
}

/// A name or an IPv4 address, with a port or without.
pub(in crate::config) fn is_host(host: &str) -> bool {
    let (name, port) = host.split_once(':').unwrap_or((host, "443"));
    let sound = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
    !name.is_empty() && name.bytes().all(sound) && port.parse::<u16>().is_ok()
}

/// RFC 1123, 2.1: the last part begins with a letter, or browsers read an IPv4 address.
pub(in crate::config) fn is_dns_name(name: &str) -> bool {
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

/// A DNS name of two parts at least.
pub(in crate::config) fn is_domain(name: &str) -> bool {
    is_dns_name(name) && name.contains('.')
}

/// Only as the header `Origin` has it (RFC 6454, 6.2), since it is compared byte by byte: in lower case, and with a port
/// only if that is not the scheme's own. Over http only from this machine, where apps are developed.
pub(in crate::config) fn is_origin(origin: &str) -> bool {
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
