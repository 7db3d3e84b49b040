//! The settings: read once, checked once, then trusted.
//!
//! Absent is a choice and means the default. Present but wrong is a problem that names key, value and what is accepted,
//! and so is a value that cannot be read: an error is never taken for absence. All problems are named at once, a secret's
//! value never. A problem with looks, words or the log is named too, and the default serves.

mod backend;
mod brand;
pub mod budget;
mod closest;
mod condition;
mod document;
mod groups;
mod operators;
mod paths;
mod problem;
mod reader;
mod regions;
mod room;
mod rooms;
mod source;
mod unsound;

use crate::config::budget::{CALLS, CALLS_OF_A_REQUEST};
use crate::http::Call;
use crate::queue::{Now, Waf};
use crate::ticket::Keys;
pub use backend::{ANSWER, Backend, CONNECT, Deadlines, ORIGIN, OriginBackend, StoreBackend};
pub use closest::closest;
pub use document::{DOCUMENT, LONGEST, MORE, PARTS, SINGLE};
pub use groups::{
    Logging, OnOriginError, OnStoreError, Operators, OriginCookie, Outage, Query, Store, Tickets,
    Web, WebSockets,
};
pub use operators::{
    ADMIN, OperatorSecrets, Password, Passwords, RETIRED, Right, Role, SECRETS, Token,
};
pub use paths::{List, Paths};
pub use problem::Problem;
pub use reader::{Accepts, Asked, BYPASS_DEFAULT, Defaults, PROFILES, events, is_country};
use reader::{Findings, Reader, SITE, WafSettings};
pub use regions::RoomRegions;
pub use room::Room;
pub use rooms::{Belongs, PastBy, Place, Rooms};
pub use source::{Remembering, Source, Spent, Unreadable};
use std::sync::Arc;
pub use unsound::{KnownWaf, Unsound};

/// What is served on a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serves {
    /// Everything: no `admin_host` is set.
    Both,
    /// The operators' routes and nothing else.
    Operators,
    /// Everything but the operators' routes.
    Visitors,
}

/// Everything a request needs to know, checked.
pub struct Config {
    /// The rooms.
    pub rooms: Rooms,
    /// What the rooms are for, what skips them, and what may be cached.
    pub paths: Paths,
    /// What visitors' browsers, other sites and the origin get to see.
    pub web: Web,
    /// Tickets and the keys that sign them.
    pub tickets: Tickets,
    /// What to do while the store does not answer.
    pub outage: Outage,
    /// How the site's firewall is asked, where it is.
    pub waf: Option<Waf>,
    /// The operators' routes.
    pub operators: Operators,
    /// What is logged.
    pub logging: Logging,
    /// The store.
    pub store: Store,
    /// The most backend calls of a sandbox.
    pub backend_calls: u64,
    /// Seconds by which the clocks of edge and store are shifted; on the local server only.
    pub clock: Option<i64>,
    /// What is wrong with settings that only concern looks, words or the log, and have their defaults therefore.
    pub ignored: Vec<Problem>,
    /// Lists of paths that are in force, and that no visitor can open.
    pub closed: Vec<Problem>,
}

/// Secrets that begin so are for the local server only.
pub const DEVELOPMENT: &str = "development-only-";

impl Config {
    /// Reads and checks everything that a visitor's request needs, and keeps the source for what an operator's does.
    ///
    /// # Errors
    /// Every problem there is, not only the first, and what can be served all the same.
    pub fn load(source: impl Source + 'static) -> Result<Self, Box<Unsound>> {
        Self::read(&(Arc::new(source) as Arc<dyn Source>))
    }

    /// The same of a source that is kept.
    ///
    /// # Errors
    /// The same.
    pub fn read(source: &Arc<dyn Source>) -> Result<Self, Box<Unsound>> {
        let mut reader = Reader::of_settings(&**source);
        let config = Self::asked_of(&mut reader, source);
        let findings = reader.findings();
        if findings.problems.is_empty() {
            Ok(Self {
                ignored: findings.ignored,
                closed: findings.closed,
                ..config
            })
        } else {
            Err(Box::new(Unsound::of(config, findings)))
        }
    }

    /// Every setting with what it accepts, as the service reads them.
    #[must_use]
    pub fn table() -> Vec<Asked> {
        let nothing: Arc<dyn Source> = Arc::new(Nothing);
        let mut reader = Reader::of_settings(&*nothing).with_table();
        Self::asked_of(&mut reader, &nothing);
        reader.table()
    }

    /// The name of every setting.
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        Self::table().iter().map(|asked| asked.name).collect()
    }

    fn asked_of(reader: &mut Reader<'_>, source: &Arc<dyn Source>) -> Self {
        let secrets = [reader.jwt_secrets(), reader.retired_secrets()].concat();
        let mut secrets = secrets.iter().map(String::as_str);
        let upstash_url = reader.upstash_url();
        reader.store_backend(&upstash_url);
        let upstash_token = reader.upstash_token();
        let paths = reader.paths();
        let bypass_when = reader.bypass_when();
        let operators = Operators::asked_of(reader, source);
        Self {
            web: reader.web(),
            tickets: Tickets {
                life: reader.number("ticket_life", 86_400, 60..=2_592_000),
                stay: reader.number("cookie_expiry", 86_400, 60..=2_592_000),
                keys: Keys::new(secrets.next().unwrap_or_default(), secrets),
                kit: reader.kit(),
            },
            outage: Outage {
                policy: reader.on_store_error(),
                admit_for: reader.number("admit_for", 60, 1..=3_600),
            },
            waf: reader.waf(),
            logging: reader.logging(),
            store: Store {
                url: upstash_url,
                token: upstash_token,
            },
            backend_calls: reader.number("backend_calls", CALLS, CALLS_OF_A_REQUEST..=32),
            clock: reader.clock(),
            // Last: what is a setting of all rooms is known then.
            rooms: reader.rooms(&paths, bypass_when, &operators),
            paths,
            operators,
            ignored: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Where a request belongs.
    #[must_use]
    pub fn place_of(&self, call: &Call) -> Place<'_> {
        self.rooms.place_of(&self.paths, &self.operators.path, call)
    }

    /// Whether all of it was read; if not, it is read again for the next request.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.ignored.iter().any(|problem| problem.unreadable)
    }

    /// A time of the POP's clock, as the setting `clock` shifts it.
    #[must_use]
    pub fn shifted(&self, now: Now) -> Now {
        now.shifted(self.clock.unwrap_or(0))
    }

    /// What is served on a host, named without its port.
    #[must_use]
    pub fn serves(&self, host: &str) -> Serves {
        serves(self.operators.host.as_deref(), host)
    }
}

/// The part of the path below another, if it is: of `/_queue` that is `/_queue` and `/_queue/…`, never `/_queuefoo`.
#[must_use]
pub fn below<'a>(path: &'a str, above: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(above)?;
    (rest.is_empty() || rest.starts_with('/')).then_some(rest)
}

fn serves(admin_host: Option<&str>, host: &str) -> Serves {
    match admin_host {
        None => Serves::Both,
        Some(admin_host) if host.eq_ignore_ascii_case(admin_host) => Serves::Operators,
        Some(_) => Serves::Visitors,
    }
}

/// On the local server, where every setting is asked for.
struct Nothing;

impl Source for Nothing {
    fn setting(&self, _key: &str) -> Result<Option<String>, Unreadable> {
        Ok(None)
    }
    fn secret(&self, _key: &str) -> Result<Option<String>, Unreadable> {
        Ok(None)
    }
    fn is_local(&self) -> bool {
        true
    }
}

/// `.` and `..`, which are resolved on the way (RFC 3986 3.3).
fn is_dot_segment(segment: &str) -> bool {
    matches!(segment, "." | "..")
}

#[cfg(test)]
mod tests {
    #![expect(
        clippy::unwrap_used,
        clippy::indexing_slicing,
        reason = "a test fails by panicking"
    )]

    use std::collections::BTreeMap;

    use super::*;
    use crate::http::Site;
    use crate::queue::{AbsentVisitors, Enforcement, OnWafError, Pace, RoomName};
    use crate::ticket::challenge::Proof;

    #[derive(Clone)]
    struct Given {
        settings: BTreeMap<&'static str, String>,
        secrets: BTreeMap<&'static str, String>,
        /// For these the store has an error.
        unreadable: Vec<&'static str>,
        local: bool,
    }

    impl Given {
        /// What is no single key stands in the document.
        fn stored(&self, key: &str) -> Option<String> {
            if key != DOCUMENT || self.settings.contains_key(key) {
                return self.settings.get(key).cloned();
            }
            let settings = self.settings.iter();
            let in_it: BTreeMap<_, _> = settings.filter(|(key, _)| !SINGLE.contains(key)).collect();
            Some(serde_json::json!(in_it).to_string())
        }
    }

    impl Source for Given {
        fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
            if self.unreadable.contains(&key) {
                return Err(Unreadable);
            }
            Ok(self.stored(key))
        }
        fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
            if self.unreadable.contains(&key) {
                return Err(Unreadable);
            }
            Ok(self.secrets.get(key).cloned())
        }
        fn is_local(&self) -> bool {
            self.local
        }
    }

    fn sound() -> Given {
        Given {
            settings: BTreeMap::from([("upstash_url", "https://store.example".to_owned())]),
            secrets: BTreeMap::from([
                ("jwt_secret", "0123456789abcdef0123456789abcdef".to_owned()),
                ("upstash_token", "t".to_owned()),
            ]),
            unreadable: Vec::new(),
            local: false,
        }
    }

    fn with(key: &'static str, value: &str) -> Given {
        let mut given = sound();
        given.settings.insert(key, value.to_owned());
        given
    }

    /// All that is said about it, whatever it closes.
    fn problems(given: &Given) -> Vec<Problem> {
        match Config::load(given.clone()) {
            Ok(config) => {
                let operators = config.operators.secrets;
                let tokens = operators.tokens_of_both_kinds().err();
                let passwords = operators.passwords().err();
                let secrets = [passwords, tokens].map(Option::unwrap_or_default).concat();
                [config.ignored, secrets].concat()
            }
            Err(unsound) => unsound.problems,
        }
    }

    #[test]
    fn what_is_absent_or_empty_has_the_documented_default() {
        let config = Config::load(with("room", "")).ok().unwrap();
        assert_eq!(config.rooms.first.name.as_str(), "main");
        assert_eq!(config.operators.path, "/_queue");
        assert_eq!(config.operators.host, None);
        assert_eq!(config.rooms.first.site, Site::default());
        assert_eq!(
            config.rooms.first.pace,
            Pace {
                automatic: 15,
                quantity: 5
            }
        );
        assert_eq!(config.rooms.first.refresh_interval, 5);
        assert_eq!(config.rooms.first.absent_visitors, AbsentVisitors::Observe);
        assert_eq!(config.rooms.first.cap, crate::queue::Cap::default());
        assert_eq!(config.rooms.first.longest_stay, 240);
        assert_eq!((config.tickets.life, config.tickets.stay), (86_400, 86_400));
        assert_eq!(config.tickets.kit, None);
        assert_eq!(config.web.waiting_status, 503);
        assert_eq!(config.outage.policy, OnStoreError::Hold);
        assert_eq!(
            (
                config.outage.admit_for,
                config.operators.permit_max,
                config.operators.credit_max
            ),
            (60, 10_000, 1_000)
        );
        assert_eq!(
            config.paths,
            Paths {
                bypass: List::read(
                    "/robots.txt /favicon.ico /assets/background.jpg /assets/logo.svg"
                )
                .0,
                well_known: true,
                protected: List::read("/*").0,
                cache: List::read("").0,
                command: List::read("").0,
            }
        );
        assert_eq!(config.operators.secrets.passwords(), Ok(None));
        let none: (&[Token], &[Token]) = (&[], &[]);
        assert_eq!(config.operators.secrets.tokens_of_both_kinds(), Ok(none));
        assert_eq!(
            (config.web.frame_ancestors, config.web.origin_cookie),
            (None, OriginCookie::Remove)
        );
        assert_eq!(
            (config.web.cf_compat, config.web.cors_origins),
            (false, Vec::new())
        );
        assert_eq!(
            (config.logging.sample, config.logging.query),
            (1, Query::LeftOut)
        );
        assert!(config.web.cross_site_posts);
        assert_eq!(config.web.web_sockets, WebSockets::Refuse);
        assert_eq!(config.waf, None);
    }

    const WAF_WORKSPACE: &str = "none, or CORP/WORKSPACE, the two names by which the Next-Gen WAF knows the site: each 1 to 128 letters, digits, -, _ and .";

    #[test]
    fn the_firewall_is_asked_by_two_names() {
        let long = "a".repeat(128);
        for (value, names) in [
            ("shop/production", ["shop", "production"]),
            ("Shop_1.2-3/a", ["Shop_1.2-3", "a"]),
            (&format!("{long}/{long}"), [long.as_str(), long.as_str()]),
        ] {
            let mut given = with("waf_workspace", value);
            given.settings.insert("waf", "inspect".to_owned());
            given.settings.insert("on_waf_error", "block".to_owned());
            let [corp, workspace] = names.map(str::to_owned);
            let expected = Waf {
                corp,
                workspace,
                on_error: OnWafError::Block,
            };
            assert_eq!(Config::load(given).ok().unwrap().waf, Some(expected));
            let off = Config::load(with("waf_workspace", value)).ok().unwrap();
            assert_eq!(off.waf, None);
        }
        for wrong in [
            "shop/",
            "/production",
            "/",
            "shop/a/b",
            "shop production",
            "sh op/production",
            "shop/produ\u{e4}ction",
            "shop/a\r\nb",
            &format!("{long}a/b"),
            &format!("b/{long}a"),
        ] {
            let found = problems(&with("waf_workspace", wrong));
            assert_eq!(found.len(), 1, "{wrong}");
            assert_eq!(
                (found[0].key, &*found[0].accepted),
                ("waf_workspace", WAF_WORKSPACE)
            );
        }
    }

    #[test]
    fn a_firewall_is_not_asked_without_its_names() {
        for given in [with("waf", "inspect"), {
            let mut given = with("waf", "inspect");
            given.settings.insert("waf_workspace", "none".to_owned());
            given
        }] {
            let expected = Problem {
                key: "waf_workspace",
                value: None,
                accepted:
                    "CORP/WORKSPACE where waf is inspect, since the WAF is asked by these names"
                        .to_owned(),
                unreadable: false,
                room: None,
            };
            assert_eq!(problems(&given), [expected]);
        }
    }

    #[test]
    fn a_group_has_no_name_of_a_region() {
        let groups = r#"[{"name":"vip","share":5},{"name":"west","share":5}]"#;
        let mut given = with("priority", groups);
        assert_eq!(problems(&given), []);
        let regions = r#"[{"name":"west","pops":"SJC"}]"#.to_owned();
        given.settings.insert("regions", regions);
        let found = problems(&given);
        let told: Vec<_> = found
            .iter()
            .map(|found| (found.key, found.value.as_deref()))
            .collect();
        assert_eq!(told, [("priority", Some("west"))]);
        assert!(
            found[0].accepted.contains("not that of a region"),
            "{found:?}"
        );
    }

    #[test]
    fn every_wrong_setting_is_named_with_what_is_accepted() {
        for (key, wrong, accepted) in [
            ("automatic", "abc", "a whole number from 0 to 86400"),
            ("automatic", "-1", "a whole number from 0 to 86400"),
            (
                "automatic_quantity",
                "0",
                "a whole number from 1 to 1000000",
            ),
            ("refresh_interval", "31", "a whole number from 1 to 30"),
            ("cookie_expiry", "1", "a whole number from 60 to 2592000"),
            ("ticket_life", "1", "a whole number from 60 to 2592000"),
            ("waiting_status", "401", "503, 200, 202, 429"),
            ("absent_visitors", "yes", "off, observe, on"),
            ("total_active", "-1", "a whole number from 0 to 10000000"),
            ("session_minutes", "1", "a whole number from 2 to 240"),
            (
                "longest_stay_minutes",
                "1",
                "0, or a whole number from 20 (session_minutes) to 1440",
            ),
            ("claim_seconds", "601", "a whole number from 10 to 600"),
            ("turn_minutes", "1441", "a whole number from 0 to 1440"),
            ("turn_minutes", "4", "0, or a whole number from 5 to 1440"),
            ("active_visitors", "off", "observe, on"),
            ("shared_tickets", "yes", "off, observe, on"),
            ("ticket_networks", "0", "a whole number from 1 to 16"),
            ("network_bound", "on", "off, observe, challenge"),
            ("network_draws", "0", "a whole number from 1 to 1000000"),
            (
                "signals",
                r#"{"bot":"block"}"#,
                r#"an object such as {"bot":"observe"}: bot, hosting, anonymous and ddos, each once, with ignore, observe, challenge or refuse"#,
            ),
            (
                "invited_per_minute",
                "100001",
                "a whole number from 0 to 100000",
            ),
            (
                "priority",
                "20",
                r#"none, or a list of at most 16 objects such as {"name":"members","share":30}, the first of which goes first"#,
            ),
            ("regions_lag", "3", "a whole number from 1 to 2"),
            (
                "regions",
                "west",
                r#"a list of at most 16 objects such as {"name":"west","countries":["US","CA"]} or {"name":"west","pops":["SJC","SEA"]}"#,
            ),
            (
                "invitations_revoked",
                "spring a/b",
                "none, or names of batches, at most 100: each 1 to 32 letters, digits, - and _",
            ),
            ("on_store_error", "open", "hold, admit"),
            ("origin_cookie", "yes", "remove, keep"),
            ("websockets", "yes", "off, on"),
            ("waf", "on", "off, inspect"),
            ("waf_workspace", "production", WAF_WORKSPACE),
            ("on_waf_error", "hold", "pass, block"),
            ("cf_compat", "true", "off, on"),
            ("cross_site_posts", "true", "on, off"),
            ("admit_for", "0", "a whole number from 1 to 3600"),
            ("permit_max", "0", "a whole number from 1 to 1000000"),
            ("credit_max", "1.5", "a whole number from 0 to 1000000"),
            ("log_sample", "0", "a whole number from 1 to 10000"),
            ("backend_calls", "5", "a whole number from 6 to 32"),
            ("log_query", "yes", "off, on"),
            (
                "kit",
                r#"{"until":"2030-02-01T00:00:00Z","born":1896000000000}"#,
                r#"none, or what cargo dev migrate printed, such as {"until":"2030-02-01T00:00:00Z","born":1896000000000,"numbers":4321}"#,
            ),
            ("room", "a b", "1 to 64 letters, digits, - and _"),
        ] {
            let expected = Problem {
                key,
                value: Some(wrong.to_owned()),
                accepted: accepted.to_owned(),
                unreadable: false,
                room: None,
            };
            assert_eq!(problems(&with(key, wrong)), [expected]);
        }
    }

    #[test]
    fn every_wrong_text_is_a_problem_of_its_own_setting() {
        for (key, wrong) in [
            ("admin_path", "/"),
            ("admin_path", "queue"),
            ("admin_path", "/q/"),
            ("admin_path", "/a?b"),
            ("admin_path", "/."),
            ("admin_path", "/a/.."),
            ("admin_path", "/a/../b"),
            ("admin_path", "/./a"),
            ("admin_path", "//a"),
            ("admin_path", "/a;b"),
            ("probe_path", "health"),
            ("probe_path", "/health?key=secret"),
            ("probe_path", "/a b"),
            ("probe_path", "//a.example"),
            ("probe_path", "/a/../b"),
            ("probe_path", &"/x".repeat(101)),
            ("verifier", "verify.shop.example"),
            ("verifier", "http://verify.shop.example/"),
            ("verifier", "https://"),
            ("verifier", "https://u:p@verify.shop.example"),
            ("verifier", "https://verify.shop.example/?a=b"),
            ("verifier", "https://verify.shop.example/../a"),
            ("verifier", "//verify.shop.example"),
            ("verifier", "/verify?a=b"),
            ("verifier", "javascript:alert(1)"),
            ("verifier", &"/x".repeat(101)),
            ("admin_host", "https://panel.shop.example"),
            ("admin_host", "panel.shop.example:8443"),
            ("admin_host", "panel.shop.example/"),
            ("admin_host", "panel.shop.example."),
            ("admin_host", "Panel.shop.example"),
            ("admin_host", "panel_1.shop.example"),
            ("admin_host", "-panel.shop.example"),
            ("admin_host", "panel-.shop.example"),
            ("admin_host", "panel..example"),
            ("admin_host", ".shop.example"),
            ("admin_host", "*.shop.example"),
            ("admin_host", "a.example,b.example"),
            ("admin_host", "warteraum.käse.example"),
            ("admin_host", "192.0.2.7"),
            ("admin_host", "::1"),
            ("admin_host", " "),
            ("backend", "upstash"),
            ("backend", "two words"),
            ("backend", "käse"),
            ("backend", &"a".repeat(65)),
            ("origin_host", "https://origin.example"),
            ("origin_host", "origin.example:8443"),
            ("origin_host", "origin.example/"),
            ("origin_host", "origin.example."),
            ("origin_host", "Origin.example"),
            ("origin_host", "origin"),
            ("origin_host", "*.example"),
            ("origin_host", "a.example b.example"),
            ("origin_host", "a.example,b.example"),
            ("origin_host", "a.example\r\nx-mine: 1"),
            ("origin_host", " "),
            ("origin_host", "käse.example"),
            ("origin_host", "192.0.2.7"),
            ("origin_host", "::1"),
            ("origin_host", &format!("{}example", "a.".repeat(128))),
            ("cookie_domain", "example"),
            ("cookie_domain", ".shop.example"),
            ("cookie_domain", "Shop.example"),
            ("cookie_domain", "https://shop.example"),
            ("cookie_domain", "shop.example; Secure"),
            ("cookie_domain", "192.0.2.7"),
            ("operators_acl", "two words"),
            ("allow_acl", "two words"),
            ("bypass_paths", "/a/../b"),
            ("bypass_paths", "/a//b"),
            ("bypass_paths", "none,/a"),
            ("bypass_paths", "assets"),
            ("bypass_paths", "/a*b"),
            ("protected_paths", "none"),
            ("cache_paths", "assets"),
            ("command_paths", "logout"),
            ("command_paths", "none,/a"),
            ("cache_paths", "GET /a, POST /b"),
            ("protected_paths", ","),
            ("protected_paths", "checkout"),
            ("protected_paths", "/checkout POST"),
            ("upstash_url", "http://store.example"),
            ("upstash_url", "https://"),
            ("frame_ancestors", "https://a.example; script-src *"),
            ("frame_ancestors", "http://a.example"),
            ("frame_ancestors", "*"),
            ("cors_origins", "*"),
            ("cors_origins", "null"),
            ("cors_origins", "app.shop.example"),
            ("cors_origins", "https://"),
            ("cors_origins", "https://app.shop.example/"),
            ("cors_origins", "https://app.shop.example/cart"),
            ("cors_origins", "https://*.shop.example"),
            ("cors_origins", "https://u:p@app.shop.example"),
            ("cors_origins", "https://App.shop.example"),
            ("cors_origins", "https://app.shop.example:443"),
            ("cors_origins", "https://app.shop.example:08443"),
            ("cors_origins", "https://app.shop.example:99999"),
            ("cors_origins", "http://app.shop.example"),
            ("cors_origins", "http://localhost.example:5173"),
            ("cors_origins", "http://localhost:80"),
            ("cors_origins", "none,https://app.shop.example"),
            ("upstash_url", "https://a/b"),
            ("upstash_url", "https://a:b"),
            ("upstash_url", "https://["),
            ("upstash_url", "example"),
            ("upstash_url", "https://u:p@a"),
        ] {
            let found = problems(&with(key, wrong));
            assert_eq!(
                found.iter().map(|problem| problem.key).collect::<Vec<_>>(),
                [key],
                "{wrong}"
            );
        }
    }

    #[test]
    fn the_admin_host_is_a_name_and_its_parts_are_no_longer_than_dns_allows() {
        let (part, name) = ("a".repeat(63), "a.".repeat(126));
        for sound in [
            "panel.shop.example",
            "localhost",
            "xn--kse-qla.example",
            "4711.shop.example",
            &format!("{part}.example"),
            &format!("{name}b"),
        ] {
            let config = Config::load(with("admin_host", sound)).ok().unwrap();
            assert_eq!(config.operators.host.as_deref(), Some(sound));
        }
        for wrong in [format!("a{part}.example"), format!("{name}bc")] {
            let found = problems(&with("admin_host", &wrong));
            assert_eq!((found.len(), found[0].key), (1, "admin_host"), "{wrong}");
            assert!(found[0].accepted.starts_with("none, or a host name"));
        }
        let none = Config::load(with("admin_host", "none")).ok().unwrap();
        assert_eq!(none.operators.host, None);
    }

    #[test]
    fn a_host_is_the_operators_the_visitors_or_both() {
        let config = Config::load(sound()).ok().unwrap();
        assert_eq!(config.serves("shop.example"), Serves::Both);
        let config = Config::load(with("admin_host", "panel.example"));
        let config = config.ok().unwrap();
        for (host, serves) in [
            ("panel.example", Serves::Operators),
            ("PANEL.Example", Serves::Operators),
            ("panel.example.", Serves::Visitors),
            ("a.panel.example", Serves::Visitors),
            ("shop.example", Serves::Visitors),
            ("", Serves::Visitors),
        ] {
            assert_eq!(config.serves(host), serves, "{host}");
        }
    }

    #[test]
    fn a_shifted_clock_is_for_the_local_server_only() {
        let mut given = with("clock", "-3600");
        let deployed = Config::load(given.clone()).ok().unwrap();
        assert_eq!(
            deployed.shifted(Now::from_ms(5_000_000)),
            Now::from_ms(5_000_000)
        );
        given.local = true;
        let config = Config::load(given.clone()).ok().unwrap();
        assert_eq!(
            config.shifted(Now::from_ms(5_000_000)),
            Now::from_ms(1_400_000)
        );
        for wrong in ["x", "1.5", "31536001", "-31536001"] {
            given.settings.insert("clock", wrong.to_owned());
            assert_eq!(problems(&given).len(), 1, "{wrong}");
        }
        let config = Config::load(sound()).ok().unwrap();
        assert_eq!(
            (config.clock, config.shifted(Now::from_ms(5))),
            (None, Now::from_ms(5))
        );
    }

    #[test]
    fn a_part_that_is_missing_closes_nothing_where_it_holds_only_looks() {
        for (part, closes) in [
            ("settings_2", true),
            ("template", false),
            ("brand_logo", false),
        ] {
            let first = format!(r#"{{"more":["{part}"]}}"#);
            let given = with(DOCUMENT, &first);
            assert_eq!(Config::load(given.clone()).is_err(), closes, "{part}");
            let keys: Vec<&str> = problems(&given).iter().map(|found| found.key).collect();
            assert_eq!(keys, [part]);
        }
    }

    #[test]
    fn wrong_looks_words_and_log_settings_have_their_defaults_and_close_nothing() {
        let defaults = Config::load(sound()).ok().unwrap();
        for (key, wrong) in [
            ("brand_name", " "),
            ("brand_colors", "red"),
            ("brand_logo", "https://shop.example/logo.png"),
            ("heading", "a\nb"),
            ("message", "a\u{7}"),
            ("log_sample", "0"),
            ("log_query", "yes"),
            ("cf_compat", "true"),
            ("waiting_status", "401"),
            ("refresh_interval", "31"),
        ] {
            let config = Config::load(with(key, wrong)).ok().unwrap();
            let keys: Vec<&str> = config.ignored.iter().map(|found| found.key).collect();
            assert_eq!(keys, [key]);
            assert_eq!(
                config.rooms.first.pages.brand, defaults.rooms.first.pages.brand,
                "{key}"
            );
            assert_eq!(
                (
                    config.logging.sample,
                    config.logging.query,
                    config.web.cf_compat
                ),
                (1, Query::LeftOut, false)
            );
            assert_eq!(
                (
                    config.web.waiting_status,
                    config.rooms.first.refresh_interval
                ),
                (503, 5)
            );
            assert!(config.is_whole(), "{key} would be as wrong the next time");
        }
    }

    #[test]
    fn a_setting_that_cannot_be_read_is_never_taken_for_absent() {
        let mut all: Vec<&'static str> = vec!["jwt_secret", RETIRED, "upstash_token"];
        all.extend(["settings", "room", "automatic", "automatic_quantity"]);
        all.extend(["cookie_expiry", "upstash_url"]);
        for key in all {
            let given = Given {
                unreadable: vec![key],
                ..sound()
            };
            let unsound = Config::load(given).err().unwrap();
            let expected = Problem {
                key,
                value: None,
                accepted: "could not be read, and is asked for again".to_owned(),
                unreadable: true,
                room: None,
            };
            assert_eq!(unsound.problems, [expected]);
            assert!(!unsound.is_whole());
        }
        let given = Given {
            unreadable: vec!["refresh_interval"],
            ..sound()
        };
        let config = Config::load(given).ok().unwrap();
        assert_eq!(
            (config.ignored[0].key, config.ignored.len()),
            ("refresh_interval", 1)
        );
        assert!(!config.is_whole(), "it is asked for again");
    }

    #[test]
    fn an_operators_secret_that_cannot_be_read_opens_nothing_and_is_asked_for_again() {
        #[derive(Clone)]
        struct Recovering(Given, Arc<std::sync::atomic::AtomicBool>);
        impl Source for Recovering {
            fn setting(&self, key: &str) -> Result<Option<String>, Unreadable> {
                self.0.setting(key)
            }
            fn secret(&self, key: &str) -> Result<Option<String>, Unreadable> {
                let is_well = self.1.load(std::sync::atomic::Ordering::SeqCst);
                if key == "admin_password" && !is_well {
                    return Err(Unreadable);
                }
                self.0.secret(key)
            }
            fn is_local(&self) -> bool {
                false
            }
        }
        let mut given = sound();
        given
            .secrets
            .insert("admin_password", "a-password".to_owned());
        let is_well = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let source = Recovering(given, Arc::clone(&is_well));
        let operators = Config::load(source).ok().unwrap().operators.secrets;
        let problems = operators.passwords().unwrap_err();
        assert_eq!(
            (problems[0].key, problems[0].unreadable),
            ("admin_password", true)
        );
        is_well.store(true, std::sync::atomic::Ordering::SeqCst);
        let passwords = operators.passwords().unwrap().unwrap();
        assert_eq!(passwords.secret, "a-password");
    }

    #[test]
    fn what_is_sound_of_an_unsound_configuration_lets_admitted_visitors_and_bypass_paths_pass() {
        let mut given = with("bypass_paths", "/robots.txt,assets");
        given.settings.insert("room", "side".to_owned());
        let unsound = Config::load(given.clone()).err().unwrap();
        assert!(
            unsound.paths.skip_room("GET", "/robots.txt")
                && !unsound.paths.skip_room("GET", "assets")
        );
        assert_eq!(
            unsound
                .place_of(&Call::default())
                .map(|place| place.room.name.clone()),
            Some(RoomName::new("side"))
        );
        assert!(unsound.keys.is_some());
        given.settings.insert("room", "a b".to_owned());
        given.secrets.insert("jwt_secret", "short".to_owned());
        given.unreadable = vec!["settings"];
        let unsound = Config::load(given).err().unwrap();
        assert!(unsound.place_of(&Call::default()).is_none() && unsound.keys.is_none());
        assert!(
            !unsound.paths.skip_room("GET", "/robots.txt"),
            "it may not be listed any more"
        );
    }

    #[test]
    fn an_unsound_configuration_lets_past_what_is_soundly_not_protected() {
        let mut given = with("protected_paths", "/checkout");
        given.settings.insert("room", "a b".to_owned());
        let passes = |given: &Given| {
            let unsound = Config::load(given.clone()).err().unwrap();
            unsound.paths.skip_room("GET", "/about")
        };
        assert!(passes(&given));
        for wrong in ["/checkout, tickets", "none"] {
            given.settings.insert("protected_paths", wrong.to_owned());
            assert!(!passes(&given), "{wrong}");
        }
        given
            .settings
            .insert("protected_paths", "/checkout".to_owned());
        given.unreadable = vec!["settings"];
        assert!(!passes(&given), "all may be protected");
    }

    #[test]
    fn null_protects_nothing_so_it_is_no_list_of_paths() {
        let found = Config::load(with("settings", r#"{"protected_paths":null}"#));
        let unsound = found.err().unwrap();
        assert!(!unsound.paths.skip_room("GET", "/about"));
        let named: Vec<(&str, Option<&str>)> = (unsound.problems.iter())
            .map(|problem| (problem.key, problem.value.as_deref()))
            .collect();
        assert_eq!(named, [("protected_paths", Some("null"))]);
    }

    #[test]
    fn a_room_without_a_path_that_a_visitor_opens_by_get_is_told_and_closes_nothing() {
        let told = |key: &'static str, value: &str| {
            let config = Config::load(with(key, value)).ok().unwrap();
            assert_eq!(config.ignored, [], "each list is in force");
            let closed = config.closed.into_iter();
            let told: Vec<(Option<String>, &str)> =
                closed.map(|problem| (problem.room, problem.key)).collect();
            told
        };
        let room =
            |paths: &str| format!(r#"[{{"name":"pay","hosts":["a.example"],"paths":{paths}}}]"#);
        let protected = [(None, "protected_paths")];
        assert_eq!(
            told("protected_paths", "POST /checkout, PUT /cart"),
            protected
        );
        assert_eq!(told("protected_paths", "HEAD /checkout"), protected);
        assert_eq!(
            told("protected_paths", "/robots.txt"),
            protected,
            "by default it is bypassed"
        );
        for reached in ["POST /checkout, /cart", "GET POST /checkout", "/*"] {
            assert_eq!(told("protected_paths", reached), [], "{reached}");
        }
        let pay = [(Some("pay".to_owned()), "rooms")];
        assert_eq!(told("rooms", &room(r#"["POST /checkout"]"#)), pay);
        assert_eq!(told("rooms", &room(r#"["POST /checkout","/cart"]"#)), []);
        assert_eq!(
            told("rooms", r#"[{"name":"pay","hosts":["a.example"]}]"#),
            []
        );
        let rooms = |listed: &str| told("rooms", &format!("[{listed}]"));
        for (never, listed) in [
            ("not", r#"{"name":"pay","paths":"/pay","not":"/pay"}"#),
            ("bypassed", r#"{"name":"pay","paths":["/robots.txt"]}"#),
            (
                "the operators'",
                r#"{"name":"pay","paths":["/_queue/*","/_queue"]}"#,
            ),
            (
                "the one before takes all",
                r#"{"name":"a","paths":"/pay, /b"},{"name":"pay","paths":"/pay"}"#,
            ),
        ] {
            assert_eq!(rooms(listed), pay, "{never}");
        }
        for reached in [
            r#"{"name":"pay","paths":"/pay/*","not":"/pay/help"}"#,
            r#"{"name":"pay","paths":["/robots.txt","/pay"]}"#,
            r#"{"name":"a","hosts":"a.example","paths":"/pay"},{"name":"pay","paths":"/pay"}"#,
            r#"{"name":"a","paths":"/pay"},{"name":"pay","paths":"/pay","countries":"DE"}"#,
            r#"{"name":"a","paths":"/pay/*"},{"name":"pay","paths":"/pay/%C3%BCber/*"}"#,
            r#"{"name":"pay","hosts":["*.example"]}"#,
            r#"{"name":"pay","paths":"*.pdf"}"#,
            r#"{"name":"pay","paths":"/.well-known/pay"}"#,
        ] {
            assert_eq!(rooms(reached), [], "{reached}");
        }
        let mut given = with("admin_host", "a.example");
        given.settings.insert("rooms", room(r#"["/cart"]"#));
        let config = Config::load(given).ok().unwrap();
        assert_eq!(config.closed.len(), 1, "that host is the operators'");
        let mut given = with("bypass_paths", "/*");
        given.settings.insert("rooms", room(r#"["/cart"]"#));
        assert_eq!(
            Config::load(given).ok().unwrap().closed,
            [],
            "all rooms are off"
        );
        // Visitors draw at another service of the same domain.
        let mut given = with("protected_paths", "POST /checkout");
        given
            .settings
            .insert("cookie_domain", "shop.example".to_owned());
        assert_eq!(Config::load(given).ok().unwrap().closed, []);
    }

    #[test]
    fn a_mistyped_method_opens_no_path_and_protects_no_less() {
        let unsound = |key, value| {
            let found = Config::load(with(key, value)).err();
            found.unwrap().paths
        };
        for wrong in ["get /checkout", "GET PSOT /checkout", "/a psot /*"] {
            for method in ["GET", "POST"] {
                let paths = unsound("bypass_paths", wrong);
                assert!(!paths.skip_room(method, "/checkout"), "{wrong}");
                let paths = unsound("protected_paths", wrong);
                assert!(!paths.skip_room(method, "/about"), "{wrong}");
            }
        }
    }

    #[test]
    fn where_operators_are_answered_is_known_only_of_what_was_read_and_is_sound() {
        let knows = |given: Given| Config::load(given).err().unwrap().knows_operators;
        assert!(knows(with("automatic", "often")));
        for (key, wrong) in [
            ("admin_path", "gate"),
            ("admin_paths", "/gate"),
            ("admin_host", "https://queue.shop.example"),
            ("settings", r#"{"admin_path":{}}"#),
            ("settings", "no JSON"),
        ] {
            assert!(!knows(with(key, wrong)), "{key}: {wrong}");
        }
        let unreadable = Given {
            unreadable: vec!["settings"],
            ..sound()
        };
        assert!(!knows(unreadable));
    }

    #[test]
    fn an_unsound_secret_opens_nothing_and_leaves_the_sound_ones_beside_it() {
        const NOW: Now = Now::from_secs(1_800_000_000);
        let (short, sound_one) = ("b".repeat(31), "a".repeat(32));
        let mut given = sound();
        given
            .secrets
            .insert("jwt_secret", format!("{short},{sound_one}"));
        let keys = Config::load(given).err().unwrap().keys.unwrap();
        let ticket = crate::ticket::Ticket::provisional("id", NOW);
        let verifies = |secret: &str| {
            let token = Keys::new(secret, None).sign(&ticket, &RoomName::new("main"), NOW, 60);
            keys.verify(&token.unwrap(), &RoomName::new("main"), NOW)
                .is_some()
        };
        assert!(verifies(&sound_one) && !verifies(&short));
    }

    #[test]
    fn a_name_that_is_no_setting_is_named_with_the_one_that_was_meant() {
        for (name, meant, is_closed) in [
            (
                "bypass_path",
                "the name of a setting; did you mean bypass_paths?",
                true,
            ),
            (
                "mesage",
                "the name of a setting; did you mean message?",
                false,
            ),
            (
                "turnstile",
                "the name of a setting; there is none of this name",
                false,
            ),
            (
                "jwt_secret",
                "the name of a setting; a secret belongs into the secret store",
                false,
            ),
        ] {
            let given = with(name, "hush");
            assert_eq!(Config::load(given.clone()).is_err(), is_closed, "{name}");
            let expected = Problem {
                key: "settings",
                value: Some(name.to_owned()),
                accepted: meant.to_owned(),
                unreadable: false,
                room: None,
            };
            assert_eq!(problems(&given), [expected]);
        }
    }

    #[test]
    fn a_setting_that_is_no_text_or_there_twice_is_a_problem_of_its_own_kind() {
        for (document, key, is_closed) in [
            (r#"{"room":{}}"#, "room", true),
            (r#"{"cors_origins":[1]}"#, "cors_origins", true),
            (r#"{"bypass_paths":true}"#, "bypass_paths", true),
            (r#"{"permit_max":1,"permit_max":1}"#, "permit_max", true),
            (r#"{"heading":false}"#, "heading", false),
            (r#"{"message":"a","message":"a"}"#, "message", false),
        ] {
            let given = with("settings", document);
            let unsound = Config::load(given.clone()).err();
            assert_eq!(unsound.is_some(), is_closed, "{document}");
            if key == "bypass_paths" {
                let paths = unsound.unwrap().paths;
                assert!(!paths.skip_room("GET", "/robots.txt"), "it is unknown");
            }
            let found = problems(&given);
            assert_eq!((found.len(), found[0].key), (1, key), "{document}");
        }
    }

    #[test]
    fn what_is_no_text_is_never_named_since_it_may_hold_a_token() {
        for document in [
            r#"{"upstash_url":{"url":"https://a.example","token":"hush"}}"#,
            r#"{"admin_host":[["hush"]]}"#,
        ] {
            let mut given = with("settings", document);
            if document.contains("upstash_url") {
                given.settings.remove("upstash_url");
            }
            let found = problems(&given);
            assert_eq!((found.len(), &found[0].value), (1, &None), "{document}");
        }
    }

    #[test]
    fn numbers_and_lists_are_as_good_as_texts() {
        let document =
            r#"{"automatic":30,"bypass_paths":["/a","/b/*"],"cors_origins":[],"permit_max":null}"#;
        let config = Config::load(with("settings", document)).ok().unwrap();
        assert_eq!(
            (
                config.rooms.first.pace.automatic,
                config.operators.permit_max
            ),
            (30, 10_000)
        );
        assert_eq!(config.paths.bypass, List::read("/a,/b/*").0);
        assert_eq!(config.web.cors_origins, Vec::<String>::new());
    }

    #[test]
    fn every_name_that_is_asked_for_is_one() {
        let names = Config::names();
        assert!(SINGLE.iter().all(|key| names.contains(key)));
        for name in ["clock", "template", "brand_logo", "bypass_paths"] {
            assert!(names.contains(&name), "{name}");
        }
        assert!(SECRETS.iter().all(|key| !names.contains(key)));
    }

    #[test]
    fn all_problems_are_named_at_once() {
        let mut given = with("automatic", "x");
        given.secrets.clear();
        given.settings.remove("upstash_url");
        let keys: Vec<&str> = problems(&given).iter().map(|problem| problem.key).collect();
        assert_eq!(
            keys,
            ["jwt_secret", "upstash_url", "upstash_token", "automatic"]
        );
    }

    #[test]
    fn a_short_or_a_development_secret_is_refused_and_never_named() {
        for (key, short) in [
            ("jwt_secret", "31-bytes-are-not-enough-for-this"),
            ("admin_password", "1234567"),
            ("permit_token", "fifteen-bytes--"),
            ("admin_token", "fifteen-bytes--"),
        ] {
            let mut given = sound();
            given
                .secrets
                .insert(key, short[..short.len().min(31)].to_owned());
            let found = problems(&given);
            assert_eq!(found.len(), 1);
            assert_eq!((found[0].key, &found[0].value), (key, &None));
        }
        for key in [
            "jwt_secret",
            "admin_password",
            "permit_token",
            "admin_token",
            "upstash_token",
        ] {
            let mut given = sound();
            given.secrets.insert(
                key,
                format!("{DEVELOPMENT}0123456789abcdef0123456789abcdef"),
            );
            assert_eq!(problems(&given).len(), 1, "{key} in production");
            given.local = true;
            assert_eq!(problems(&given), [], "{key} on the local server");
        }
    }

    #[test]
    fn each_of_the_secrets_that_sign_and_verify_is_a_secret_of_its_own() {
        let (one, other) = ["a", "b"].map(|letter| letter.repeat(32)).into();
        for (listed, wrong) in [
            (one.clone(), 0),
            (format!("{one},{other}"), 0),
            (format!("{one}, {other}\n"), 0),
            (format!("{one},short"), 1),
            (format!("short,{DEVELOPMENT}{other}"), 2),
            (" , ".to_owned(), 1),
        ] {
            let mut given = sound();
            given.secrets.insert("jwt_secret", listed.clone());
            assert_eq!(problems(&given).len(), wrong, "{listed}");
        }
    }

    #[test]
    fn a_rotation_of_the_version_before_learns_what_to_write_and_ends_no_ticket() {
        const NOW: Now = Now::from_secs(1_800_000_000);
        let (old, ticket) = (
            "o".repeat(32),
            crate::ticket::Ticket::provisional("id", NOW),
        );
        let token = Keys::new(&old, None)
            .sign(&ticket, &RoomName::new("main"), NOW, 60)
            .unwrap();
        let mut given = sound();
        given.secrets.insert(RETIRED, format!("short,{old}"));
        let unsound = Config::load(given).err().unwrap();
        let keys = unsound.keys.unwrap();
        assert!(keys.verify(&token, &RoomName::new("main"), NOW).is_some());
        assert_eq!(unsound.problems.len(), 1);
        let problem = &unsound.problems[0];
        assert_eq!((problem.key, &problem.value), (RETIRED, &None));
        assert!(problem.accepted.contains("behind the one in jwt_secret"));
    }

    #[test]
    fn the_address_of_a_store_is_never_named_since_it_may_hold_a_password() {
        let found = problems(&with(
            "upstash_url",
            "rediss://default:hush@store.example:6379",
        ));
        assert_eq!((found.len(), &found[0].value), (1, &None));
    }

    #[test]
    fn a_wrong_value_is_named_only_as_far_as_it_is_short_and_holds_no_password() {
        let long = "é".repeat(8_000);
        for (wrong, named) in [
            (long.as_str(), Some("é".repeat(512))),
            ("https://name:hush@a.example", None),
        ] {
            for key in ["automatic", "admin_path", "frame_ancestors", "cors_origins"] {
                let found = problems(&with(key, wrong));
                assert_eq!((found.len(), &found[0].value), (1, &named), "{key}");
            }
        }
    }

    #[test]
    fn where_everything_skips_the_room_so_do_odd_paths() {
        let config = Config::load(with("bypass_paths", "/*")).ok().unwrap();
        for path in ["/", "/a;b", "/a//b", "/%252e"] {
            assert!(config.paths.skip_room("GET", path), "{path}");
        }
    }

    #[test]
    fn nothing_skips_the_room_where_that_is_said() {
        let config = Config::load(with("bypass_paths", "none")).ok().unwrap();
        assert!(config.paths.bypass.is_empty());
        assert!(!config.paths.skip_room("GET", "/robots.txt"));
    }

    #[test]
    fn a_verifier_of_this_site_has_to_skip_the_room() {
        for elsewhere in [
            "https://verify.shop.example",
            "https://verify.shop.example:8443/a/",
        ] {
            let config = Config::load(with("verifier", elsewhere)).ok().unwrap();
            assert_eq!(config.rooms.first.verifier.as_deref(), Some(elsewhere));
            assert_eq!(config.rooms.first.proof(), Proof::Verifier);
        }
        let config = Config::load(with("verifier", "none")).ok().unwrap();
        assert_eq!(config.rooms.first.proof(), Proof::Calculation);
        for (bypass, protected, skips) in [
            ("GET /verify", "/*", true),
            ("none", "/checkout", true),
            ("POST /verify", "/*", false),
            ("none", "/*", false),
        ] {
            let mut given = with("verifier", "/verify");
            given.settings.insert("bypass_paths", bypass.to_owned());
            given
                .settings
                .insert("protected_paths", protected.to_owned());
            let told: Vec<String> = problems(&given).into_iter().map(|p| p.accepted).collect();
            let in_words = "a path that skips the room, or challenged visitors do not reach it: name it in bypass_paths, too";
            let expected: &[&str] = if skips { &[] } else { &[in_words] };
            assert_eq!(told, expected, "{bypass}, {protected}");
        }
        let mut local = with("verifier", "http://127.0.0.1:8080/");
        local.local = true;
        assert_eq!(problems(&local), []);
    }

    #[test]
    fn frames_are_for_the_sites_that_are_named() {
        let given = with(
            "frame_ancestors",
            "self, https://a.example https://*.b.example:8443",
        );
        let config = Config::load(given).ok().unwrap();
        let expected = "'self' https://a.example https://*.b.example:8443";
        assert_eq!(config.web.frame_ancestors.as_deref(), Some(expected));
        let config = Config::load(with("frame_ancestors", "none")).ok().unwrap();
        assert_eq!(config.web.frame_ancestors, None);
    }

    #[test]
    fn answers_are_for_the_pages_of_origins_that_are_named_as_browsers_name_them() {
        let given = "https://app.shop.example, https://app.shop.example:8443,http://localhost:5173 http://127.0.0.1";
        let config = Config::load(with("cors_origins", given)).ok().unwrap();
        assert_eq!(
            config.web.cors_origins,
            [
                "https://app.shop.example",
                "https://app.shop.example:8443",
                "http://localhost:5173",
                "http://127.0.0.1"
            ]
        );
        let config = Config::load(with("cors_origins", "none")).ok().unwrap();
        assert_eq!(config.web.cors_origins, Vec::<String>::new());
        let found = problems(&with("cors_origins", "https://app.shop.example,*"));
        assert_eq!(
            found[0].value.as_deref(),
            Some("*"),
            "only the wrong one is named"
        );
    }

    #[test]
    fn a_secret_that_says_none_is_absent() {
        let mut given = sound();
        given.secrets.extend(
            [RETIRED, "admin_password", "permit_token", "admin_token"]
                .map(|key| (key, "none".to_owned())),
        );
        assert_eq!(problems(&given), []);
        given.secrets.insert("jwt_secret", "none".to_owned());
        assert_eq!(problems(&given).len(), 1);
    }

    #[test]
    fn an_operator_may_do_all_or_only_look() {
        let mut given = sound();
        let secret = r#"{"anna":"12345678","ben":{"password":"23456789","may":"look"},"cem":{"may":"all","password":"34567890"},"dia":{"password":"45678901"}}"#;
        given.secrets.insert("admin_password", secret.to_owned());
        let operators = Config::load(given).ok().unwrap().operators.secrets;
        let passwords = operators.passwords().unwrap().unwrap();
        let each = passwords.each.iter();
        assert_eq!(
            each.map(|password| (password.name.as_str(), password.role))
                .collect::<Vec<_>>(),
            [
                ("anna", Role::All),
                ("ben", Role::Look),
                ("cem", Role::All),
                ("dia", Role::All)
            ]
        );
    }

    /// The names and passwords, where they are sound.
    fn who_logs_in(given: &Given) -> Vec<(String, String)> {
        let operators = Config::load(given.clone()).ok().unwrap().operators.secrets;
        let passwords = operators.passwords().unwrap().unwrap().clone();
        let each = passwords.each.into_iter();
        each.map(|password| (password.name, password.word))
            .collect()
    }

    /// What the settings of a room are that a profile may give, in the words of the settings.
    fn profiled(room: &Room) -> [&'static str; 7] {
        let bound = |enforcement: Option<Enforcement>| enforcement.map_or("off", Enforcement::name);
        [
            room.health.setting.name(),
            room.health.adaptive.name(),
            room.absent_visitors.name(),
            room.active_visitors.name(),
            bound(room.shared_tickets.enforcement),
            bound(room.network_bound.enforcement),
            match room.on_origin_error {
                OnOriginError::Pass => "pass",
                OnOriginError::Keep => "keep",
            },
        ]
    }

    const USUAL: [&str; 7] = ["observe", "off", "observe", "on", "observe", "off", "pass"];
    const SALE: [&str; 7] = ["on", "observe", "on", "on", "observe", "on", "keep"];

    #[test]
    fn a_profile_is_other_defaults_and_what_is_given_goes_before_it() {
        let observe = [
            "observe", "observe", "observe", "observe", "observe", "observe", "pass",
        ];
        let slow = ["off", "off", "on", "on", "observe", "off", "keep"];
        for (settings, expected) in [
            (vec![], USUAL),
            (vec![("profile", "none")], USUAL),
            (vec![("profile", "observe")], observe),
            (vec![("profile", "sale")], SALE),
            // The pace cannot be watched where the answers are not: what the profile says gives way.
            (
                vec![
                    ("profile", "sale"),
                    ("origin_health", "off"),
                    ("network_bound", "off"),
                ],
                slow,
            ),
        ] {
            let mut given = sound();
            given.settings.extend(
                settings
                    .iter()
                    .map(|(key, value)| (*key, (*value).to_owned())),
            );
            let room = Config::load(given).ok().unwrap().rooms.first;
            assert_eq!(profiled(&room), expected, "{settings:?}");
            let is_observed = settings.contains(&("profile", "observe"));
            assert_eq!(
                room.signals.known(&crate::queue::SaysNothing).count(),
                if is_observed { 4 } else { 0 }
            );
        }
        for wrong in ["sales", "on", "Sale"] {
            let found = problems(&with("profile", wrong));
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].accepted, "none, observe, sale");
        }
        let mut both = with("profile", "sale");
        both.settings.insert("origin_health", "off".to_owned());
        both.settings.insert("adaptive_pace", "observe".to_owned());
        assert_eq!(problems(&both)[0].key, "adaptive_pace");
    }

    #[test]
    fn each_default_of_a_profile_is_a_setting_in_which_rooms_may_differ() {
        let table = Config::table();
        for (name, value) in PROFILES.iter().flat_map(|(_, defaults)| *defaults) {
            let asked = table.iter().find(|asked| asked.name == *name).unwrap();
            assert!(asked.is_of_rooms, "{name}");
            if let Accepts::Word { words, .. } = &asked.accepts {
                assert!(words.iter().any(|word| word == value), "{name}: {value}");
            }
        }
        let rooms = r#"[{"name":"a","paths":"/a","profile":"sale"},{"name":"b","paths":"/b","profile":null,"absent_visitors":null},{"name":"c","paths":"/c"}]"#;
        let mut given = with("profile", "observe");
        given.settings.insert("rooms", rooms.to_owned());
        given.settings.insert("absent_visitors", "off".to_owned());
        let rooms = Config::load(given).ok().unwrap().rooms;
        let told: Vec<_> = rooms.all().map(profiled).collect();
        let observe = [
            "observe", "observe", "off", "observe", "observe", "observe", "pass",
        ];
        let of_sale = ["on", "observe", "off", "on", "observe", "on", "keep"];
        assert_eq!(told, [observe, of_sale, USUAL, observe]);
    }

    #[test]
    fn there_is_one_password_or_one_for_each_operator() {
        let one = |secret: &str| {
            let mut given = sound();
            given.secrets.insert("admin_password", secret.to_owned());
            given
        };
        let (anna, ben) = ("an, apple: red", "{ben's own}");
        assert_eq!(
            who_logs_in(&one(&format!("\u{feff}\n {{\"anna\":\"{anna}\"}}\n"))),
            [("anna".to_owned(), anna.to_owned())]
        );
        assert_eq!(
            who_logs_in(&one(&format!(r#"{{"anna":"{anna}", "ben_2":"{ben}"}}"#))),
            [("anna", anna), ("ben_2", ben)].map(|(name, word)| (name.to_owned(), word.to_owned()))
        );
        for (secret, told) in [
            ("{}", "or a JSON object such as"),
            (r#"{"anna":"12345678""#, "or a JSON object such as"),
            (r#"{"anna":12345678}"#, "a password, or an object such as"),
            (
                r#"{"anna":"12345678","ben":{}}"#,
                "such as {\"password\":\"<password>\",\"may\":\"look\"}, for name 2",
            ),
            (
                r#"{"anna":{"may":"look"}}"#,
                "a password, or an object such as",
            ),
            (
                r#"{"anna":{"password":12345678}}"#,
                "a password, or an object such as",
            ),
            (
                r#"{"anna":{"password":"12345678","password":"12345678"}}"#,
                "a password, or an object such as",
            ),
            (
                r#"{"anna":{"password":"12345678","may":"read"}}"#,
                "all or look as the value of may, for name 1",
            ),
            (
                r#"{"anna":{"password":"12345678","may":null}}"#,
                "all or look as the value of may, for name 1",
            ),
            (
                r#"{"anna":{"password":"12345678","can":"look"}}"#,
                "no members but password and may, for name 1",
            ),
            (
                r#"{"anna":{"password":"1234567","may":"look"}}"#,
                "8 bytes, for name 1",
            ),
            (r#"{"anna b":"12345678"}"#, "names of 1 to 32 letters"),
            (r#"{"":"12345678"}"#, "names of 1 to 32 letters"),
            (r#"{"anna":"12345678","anna":"23456789"}"#, "each once"),
            (r#"{"anna":"12345678","\u0061nna":"23456789"}"#, "each once"),
            (r#"{"anna":"12345678","Anna":"23456789"}"#, "each once"),
            (
                r#"{"anna":"12345678","ben":"1234567"}"#,
                "8 bytes, for name 2",
            ),
            (r#"{"anna":"1234567\n8"}"#, "control characters, for name 1"),
        ] {
            let found = problems(&one(secret));
            assert_eq!(found.len(), 1, "{secret}");
            assert_eq!((found[0].key, &found[0].value), ("admin_password", &None));
            assert!(found[0].accepted.contains(told), "{secret}: {found:?}");
            assert!(!found[0].accepted.contains("234567"), "{found:?}");
        }
        let developed = one(&format!(r#"{{"anna":"{DEVELOPMENT}password"}}"#));
        assert_eq!(problems(&developed).len(), 1, "in production");
    }

    #[test]
    fn the_secret_store_comes_before_the_config_store() {
        let mut given = with("admin_password", "from-the-config-store");
        assert_eq!(
            who_logs_in(&given),
            [("admin".to_owned(), "from-the-config-store".to_owned())]
        );
        given
            .secrets
            .insert("admin_password", "from-the-secret-store".to_owned());
        assert_eq!(
            who_logs_in(&given),
            [("admin".to_owned(), "from-the-secret-store".to_owned())]
        );
    }
}
