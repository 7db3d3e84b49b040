//! What kind of request stands in line: a visit, a poll, a part of a page, or a request sent by another site.

use crate::http::Call;
use crate::http::negotiate::{FRAMES, is_in_no_frame, is_navigation, takes_page_or_data};
use crate::queue::Now;
use crate::request::Request;
use crate::ticket::Ticket;
use crate::visitor::ticket_cookie;

/// What kind of request stands in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A GET of a visitor or a visitor's program with a ticket.
    Visit,
    /// The same without one, so that it is not known whether the next one brings one.
    First,
    /// POST, PUT, PATCH or DELETE: the holder of a ticket is served as by GET; without a ticket none is drawn.
    Unsafe,
    /// HEAD asks about a page and draws nothing.
    Head,
    /// The waiting page asks where its holder stands, and draws nothing.
    Poll,
    /// A browser or a script library guessing where its user might go next.
    Prefetch,
    /// An image, a script, a style, or whatever else can show neither a page nor data.
    SubResource,
    /// Sent by a page of another origin in a way in which our cookie does not come along, or without need of a ticket:
    /// a picture, a frame, a script's request, a form. Or a frame that no setting lets show a page of ours. Draws nothing, and is
    /// never given a cookie.
    Elsewhere,
}

impl Kind {
    /// Whether a ticket may be drawn by it where none came.
    #[must_use]
    pub fn may_draw(self) -> bool {
        matches!(self, Self::Visit | Self::First)
    }

    /// Whether a session ends later by it: what its holder does, and not what a page brings along.
    #[must_use]
    pub fn renews(self) -> bool {
        matches!(self, Self::Visit | Self::First | Self::Unsafe)
    }

    /// Whether a number is drawn by it for a visitor whose ticket has none, or one that has ended.
    #[must_use]
    pub fn draws_for_holder(self) -> bool {
        matches!(self, Self::Visit | Self::First | Self::Unsafe)
    }

    /// Whether a number is drawn by it. A browser that brings a ticket keeps cookies, and its draw is done once.
    #[must_use]
    pub fn draws(self, brought: Brought) -> bool {
        self.draws_for_holder() && (brought == Brought::Ticket || self != Self::Unsafe)
    }
}

/// What a request brought along. A cookie of our name that is no ticket does not show that its client keeps the one it
/// gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// A ticket that is good.
    Ticket,
    /// None, or one whose time is over, or something else under its name.
    Nothing,
}

impl Brought {
    /// What this ticket, if one came, is worth now.
    #[must_use]
    pub fn of(ticket: Option<&Ticket>, now: Now) -> Self {
        match ticket {
            Some(ticket) if !ticket.has_lapsed(now) => Self::Ticket,
            _ => Self::Nothing,
        }
    }
}

/// From where a request was sent, as far as it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sender {
    /// A page of this origin, or the visitor, or a program that says nothing.
    Here,
    /// A page of another origin of the same site, or one of another origin in a browser that does not tell sites apart.
    OtherOrigin,
    /// A page of another site.
    OtherSite,
}

/// The headers that say what a request is for: of browsers, and with an `X-` in front of what scripts send, since they cannot set
/// `Sec-Purpose`. `docs/deep/requests.md` says which library sends what.
const PURPOSES: [&str; 5] = [
    "purpose",
    "sec-purpose",
    "x-moz",
    "x-purpose",
    "x-sec-purpose",
];

/// What these say of a guess.
const GUESSES: [&str; 3] = ["prefetch", "prerender", "preview"];

/// The headers that only a guess has, whatever they say: of htmx and of the two routers of Next.js.
const MARKS: [&str; 4] = [
    "hx-preloaded",
    "next-router-prefetch",
    "next-router-segment-prefetch",
    "x-middleware-prefetch",
];

/// Whether nobody has asked for it yet.
fn is_guess(call: &Call) -> bool {
    let says_so = |name: &&str| {
        let purpose = call.header(name).to_ascii_lowercase();
        GUESSES.iter().any(|guess| purpose.contains(guess))
    };
    let is_marked = |name: &&str| call.lines(name).next().is_some();
    PURPOSES.iter().any(says_so) || MARKS.iter().any(is_marked)
}

/// The kind of a request, from its method, the headers browsers send by themselves and the ticket.
#[must_use]
pub fn kind(request: &Request<'_>, brought: Brought) -> Kind {
    let call = request.call;
    if is_guess(call) {
        return Kind::Prefetch;
    }
    // It shows nothing and keeps no cookie.
    if call.is_web_socket() {
        return Kind::SubResource;
    }
    match call.header("sec-fetch-dest").as_ref() {
        "" | "document" | "empty" => {}
        dest if FRAMES.contains(&dest) => {}
        _ => return Kind::SubResource,
    }
    if call.method == "HEAD" {
        return Kind::Head;
    }
    if is_from_elsewhere(request) {
        return Kind::Elsewhere;
    }
    if !is_navigation(call) && !takes_page_or_data(call) {
        return Kind::SubResource;
    }
    match call.method.as_str() {
        "GET" if brought == Brought::Ticket => Kind::Visit,
        "GET" => Kind::First,
        _ => Kind::Unsafe,
    }
}

/// A link from anywhere brings a `Lax` cookie along. Nothing else from another site does (RFC 6265bis 5.2); from another
/// origin of the same site all do, so there a cookie of ours speaks for itself.
fn is_from_elsewhere(request: &Request<'_>) -> bool {
    let call = request.call;
    let is_link = call.method == "GET" && is_navigation(call) && is_in_no_frame(call);
    match sender(call) {
        // A page whose visitor is inside may show a frame without credentials, which looks like a first contact.
        Sender::Here => {
            !is_in_no_frame(call) && !ticket_cookie::keeps_cookies(request) && !is_invited(request)
        }
        _ if is_link => false,
        Sender::OtherOrigin => !ticket_cookie::keeps_cookies(request) && !is_invited(request),
        Sender::OtherSite => !ticket_cookie::is_for_other_sites(request) || !is_invited(request),
    }
}

/// Whether a page of the room's own origin sends it, or a program that is no browser.
pub(super) fn is_from_here(call: &Call) -> bool {
    call.header("sec-fetch-site") != "none" && sender(call) == Sender::Here
}

fn sender(call: &Call) -> Sender {
    match call.header("sec-fetch-site").as_ref() {
        "same-origin" | "none" => Sender::Here,
        "same-site" => Sender::OtherOrigin,
        "" => match call.header("origin").as_ref() {
            "" => Sender::Here,
            origin if call.is_own_origin(origin) => Sender::Here,
            _ => Sender::OtherOrigin,
        },
        _ => Sender::OtherSite,
    }
}

/// Whether the settings let that page show ours in a frame, or read our answers.
fn is_invited(request: &Request<'_>) -> bool {
    let (call, web) = (request.call, &request.config.web);
    if FRAMES.contains(&call.header("sec-fetch-dest").as_ref()) {
        let allowed = web.frame_ancestors.as_deref().unwrap_or_default();
        let is_own = sender(call) == Sender::Here && allowed.split(' ').any(|it| it == "'self'");
        is_own || is_listed(&call.header("referer"), allowed)
    } else {
        let origin = call.header("origin");
        web.cors_origins.iter().any(|listed| *listed == origin)
    }
}

/// Whether a page's address is one of a source list, in which the setting allows hosts over https, with `*.` in front or
/// without.
fn is_listed(page: &str, allowed: &str) -> bool {
    let Some(rest) = page.strip_prefix("https://") else {
        return false;
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    allowed.split(' ').any(|source| {
        let source = source.strip_prefix("https://").unwrap_or_default();
        match source.strip_prefix('*') {
            Some(end) => host.len() > end.len() && host.ends_with(end),
            None => !source.is_empty() && host == source,
        }
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::cache::memory::InMemoryCache;
    use crate::config::{Config, Source, Unreadable};
    use crate::store::upstash::{Attempt, Transport};

    /// The kind of a request is known without it.
    struct NoStore;

    impl Transport for NoStore {
        fn post(&self, _body: &str, _attempt: Attempt) -> Option<(u16, Vec<u8>)> {
            None
        }
    }

    fn kind(call: &Call, config: &Config) -> Kind {
        kind_of(call, config, Brought::Nothing)
    }

    fn kind_of(call: &Call, config: &Config, brought: Brought) -> Kind {
        let cache = InMemoryCache::new(std::sync::Arc::default());
        let request = Request::new(call, config, &NoStore, &cache, Now::default());
        super::kind(&request, brought)
    }

    fn call(headers: &[(&'static str, &str)]) -> Call {
        Call {
            method: "GET".to_owned(),
            headers: headers
                .iter()
                .map(|(name, value)| (*name, value.as_bytes().to_vec()))
                .collect(),
            ..Call::default()
        }
    }

    struct Settings(Vec<(&'static str, &'static str)>);

    impl Source for Settings {
        fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
            let given: std::collections::BTreeMap<_, _> = self.0.iter().copied().collect();
            Ok((key == "settings").then(|| serde_json::json!(given).to_string()))
        }
        fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
            let is_there = ["jwt_secret", "upstash_token"].contains(&key);
            Ok(is_there.then(|| "0123456789abcdef0123456789abcdef".to_owned()))
        }
        fn keeps_secrets(&self) -> bool {
            true
        }
        fn is_local(&self) -> bool {
            false
        }
    }

    fn config(settings: &[(&'static str, &'static str)]) -> Config {
        let url = ("upstash_url", "https://store.example");
        let settings = settings.iter().copied().chain([url]).collect();
        Config::load(Settings(settings)).ok().unwrap()
    }

    /// A request to `https://shop.example`.
    fn sent(method: &str, headers: &[(&'static str, &str)]) -> Call {
        Call {
            method: method.to_owned(),
            host: "shop.example".to_owned(),
            https: true,
            ..call(headers)
        }
    }

    #[test]
    fn only_visits_may_draw() {
        let config = config(&[]);
        let kind = |method: &str, headers: &[(&'static str, &str)]| {
            kind_of(&sent(method, headers), &config, Brought::Nothing)
        };
        assert_eq!(kind("GET", &[]), Kind::First);
        for dest in ["document", "empty"] {
            assert_eq!(
                kind("GET", &[("sec-fetch-dest", dest)]),
                Kind::First,
                "{dest}"
            );
        }
        for dest in FRAMES {
            let found = kind("GET", &[("sec-fetch-dest", dest)]);
            assert_eq!(found, Kind::Elsewhere, "{dest}");
        }
        for dest in [
            "image", "script", "style", "font", "audio", "video", "worker", "manifest",
        ] {
            let found = kind("GET", &[("sec-fetch-dest", dest)]);
            assert_eq!(found, Kind::SubResource, "{dest}");
        }
        for (name, value) in [
            ("sec-purpose", "prefetch;prerender"),
            ("purpose", "prefetch"),
            ("x-moz", "prefetch"),
            ("x-sec-purpose", "prefetch"),
            ("x-purpose", "Preview"),
            ("next-router-prefetch", "2"),
            ("next-router-segment-prefetch", "/_tree"),
            ("x-middleware-prefetch", "1"),
            ("hx-preloaded", "true"),
        ] {
            assert_eq!(kind("GET", &[(name, value)]), Kind::Prefetch, "{name}");
        }
        assert_eq!(kind("HEAD", &[]), Kind::Head);
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            assert_eq!(kind(method, &[]), Kind::Unsafe, "{method}");
        }
        for accept in ["image/*", "text/css", "text/event-stream", "text/html;q=0"] {
            assert_eq!(
                kind("GET", &[("accept", accept)]),
                Kind::SubResource,
                "{accept}"
            );
        }
    }

    #[test]
    fn what_another_sites_page_sends_draws_nothing_but_for_a_link() {
        let config = config(&[]);
        let from = |method: &str, site: &str, mode: &str, dest: &str| {
            let headers = [
                ("sec-fetch-site", site),
                ("sec-fetch-mode", mode),
                ("sec-fetch-dest", dest),
            ];
            kind(&sent(method, &headers), &config)
        };
        for site in ["cross-site", "same-site", "something-new"] {
            let found = from("GET", site, "navigate", "document");
            assert_eq!(found, Kind::First, "a link from {site}");
            for (method, mode, dest) in [
                ("GET", "no-cors", "empty"),
                ("GET", "cors", "empty"),
                ("GET", "navigate", "iframe"),
                ("GET", "no-cors", "object"),
                ("POST", "navigate", "document"),
                ("POST", "cors", "empty"),
            ] {
                let found = from(method, site, mode, dest);
                assert_eq!(found, Kind::Elsewhere, "{method} {site} {mode} {dest}");
            }
        }
        for site in ["same-origin", "none"] {
            assert_eq!(from("GET", site, "cors", "empty"), Kind::First, "{site}");
            assert_eq!(from("POST", site, "navigate", "document"), Kind::Unsafe);
        }
    }

    #[test]
    fn a_browser_that_does_not_tell_sites_apart_names_the_page_s_origin() {
        let config = config(&[]);
        let from = |origin: &str| kind(&sent("GET", &[("origin", origin)]), &config);
        assert_eq!(from("https://shop.example"), Kind::First);
        assert_eq!(from("https://SHOP.example"), Kind::First);
        for origin in ["https://evil.example", "http://shop.example", "null"] {
            assert_eq!(from(origin), Kind::Elsewhere, "{origin}");
        }
    }

    #[test]
    fn a_cookie_that_came_from_a_page_of_the_same_site_speaks_for_itself() {
        let config = config(&[]);
        let with_cookie = |site: &str, brought: Brought| {
            let headers = [
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "cors"),
                ("sec-fetch-dest", "empty"),
                ("cookie", "__Host-queue=x"),
            ];
            kind_of(&sent("GET", &headers), &config, brought)
        };
        assert_eq!(with_cookie("same-site", Brought::Ticket), Kind::Visit);
        assert_eq!(
            with_cookie("same-site", Brought::Nothing),
            Kind::First,
            "the cookie is no ticket"
        );
        for brought in [Brought::Ticket, Brought::Nothing] {
            assert_eq!(with_cookie("cross-site", brought), Kind::Elsewhere);
        }
    }

    #[test]
    fn an_app_of_the_same_site_draws_where_its_origin_is_listed() {
        let app = "https://app.shop.example";
        let listed = config(&[("cors_origins", app)]);
        let asks = |site: &str, origin: &str| {
            let headers = [
                ("sec-fetch-site", site),
                ("sec-fetch-mode", "cors"),
                ("sec-fetch-dest", "empty"),
                ("origin", origin),
            ];
            kind(&sent("GET", &headers), &listed)
        };
        assert_eq!(asks("same-site", app), Kind::First);
        assert_eq!(
            asks("same-site", "https://www.shop.example"),
            Kind::Elsewhere
        );
        assert_eq!(
            asks("cross-site", app),
            Kind::Elsewhere,
            "its browser would not keep the cookie"
        );
    }

    #[test]
    fn a_frame_draws_where_its_page_is_listed() {
        let listed = config(&[(
            "frame_ancestors",
            "self https://a.example https://*.b.example",
        )]);
        let frame = |page: &str, config: &Config| {
            let headers = [
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "iframe"),
                ("referer", page),
            ];
            kind(&sent("GET", &headers), config)
        };
        for page in [
            "https://a.example/",
            "https://a.example/x?y",
            "https://x.b.example/",
        ] {
            assert_eq!(frame(page, &listed), Kind::First, "{page}");
            assert_eq!(frame(page, &config(&[])), Kind::Elsewhere, "{page}");
        }
        for page in [
            "",
            "http://a.example/",
            "https://a.example.evil.example/",
            "https://xb.example/",
            "https://b.example/",
            "https://evil.example/https://a.example/",
            "self",
        ] {
            assert_eq!(frame(page, &listed), Kind::Elsewhere, "{page}");
        }
    }
}
