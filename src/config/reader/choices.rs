//! The settings that are one of a few words, and the group that most of them are in.

use super::{Reader, words};
use crate::config::{Logging, OnOriginError, OnStoreError, OriginCookie, Query, Web, WebSockets};
use crate::queue::invitation::is_batch;
use crate::queue::{
    AbsentVisitors, AdaptivePace, Cap, Enforcement, HealthRule, Invitations, NetworkBound,
    OriginHealth, Renewing, SHORTEST_TURN, Sessions, SharedTickets, TURN_MINUTES,
};

impl Reader<'_> {
    /// How many may be inside, and for how long.
    pub(in crate::config) fn cap(&mut self) -> Cap {
        let cap = Cap::default();
        Cap {
            total_active: self.number("total_active", cap.total_active, Cap::TOTAL_ACTIVE),
            session_minutes: self.number(
                "session_minutes",
                cap.session_minutes,
                Cap::SESSION_MINUTES,
            ),
            claim_seconds: self.number("claim_seconds", cap.claim_seconds, Cap::CLAIM_SECONDS),
            renewal: self.choice("session_renewal", cap.renewal, &Renewing::ALL),
        }
    }

    /// Whether a cap holds visitors back, whoever set it.
    pub(in crate::config) fn active_visitors(&mut self) -> Enforcement {
        self.choice("active_visitors", Enforcement::On, &Enforcement::ALL)
    }

    /// For how many minutes a turn lasts.
    pub(in crate::config) fn turn_minutes(&mut self) -> u64 {
        let minutes = self.number("turn_minutes", 60, TURN_MINUTES);
        if (1..SHORTEST_TURN).contains(&minutes) {
            let accepted = format!("0, or a whole number from {SHORTEST_TURN} to 1440");
            self.problem("turn_minutes", Some(minutes.to_string()), accepted);
        }
        minutes
    }

    /// For how long a visitor may be inside where that cap holds: never shorter than a session.
    pub(in crate::config) fn longest_stay(&mut self, cap: &Cap) -> u64 {
        let (name, most) = ("longest_stay_minutes", Sessions::LONGEST_STAY);
        let Some(text) = self.setting(name) else {
            return Sessions::USUAL_STAY;
        };
        let least = cap.session_minutes.max(*most.start());
        match text.parse() {
            Ok(minutes) if minutes == 0 || (least..=*most.end()).contains(&minutes) => minutes,
            _ => {
                let end = most.end();
                let accepted =
                    format!("0, or a whole number from {least} (session_minutes) to {end}");
                self.problem(name, Some(text), accepted);
                Sessions::USUAL_STAY
            }
        }
    }

    /// When the origin counts as sick, and what is done about it.
    pub(in crate::config) fn health(&mut self) -> HealthRule {
        let mut rule = self.health_alone();
        if rule.setting != OriginHealth::Off || rule.adaptive == AdaptivePace::Off {
            return rule;
        }
        if self.is_of_profile("adaptive_pace") {
            rule.adaptive = AdaptivePace::Off;
        } else {
            let accepted =
                "off where origin_health is off, since the pace follows answers that are watched";
            self.problem("adaptive_pace", None, accepted);
        }
        rule
    }

    fn health_alone(&mut self) -> HealthRule {
        let rule = HealthRule::default();
        HealthRule {
            setting: self.choice("origin_health", rule.setting, &OriginHealth::ALL),
            sick_min: self.number("sick_min", rule.sick_min, HealthRule::SICK_MIN),
            sick_share: self.number("sick_share", rule.sick_share, HealthRule::SICK_SHARE),
            slow_ms: self.number("slow_ms", rule.slow_ms, HealthRule::SLOW_MS),
            watch_documents: self.number(
                "watch_documents",
                rule.watch_documents,
                HealthRule::WATCH_DOCUMENTS,
            ),
            adaptive: self.choice("adaptive_pace", rule.adaptive, &AdaptivePace::ALL),
            window_min: self.number("window_min", rule.window_min, HealthRule::WINDOW_MIN),
            window_max: self.number("window_max", rule.window_max, HealthRule::WINDOW_MAX),
        }
    }

    /// What browsers, other sites and the origin get to see.
    pub(in crate::config) fn web(&mut self) -> Web {
        Web {
            waiting_status: self.cosmetic(Self::waiting_status),
            frame_ancestors: self.frame_ancestors(),
            cors_origins: self.cors_origins(),
            cf_compat: self.cosmetic(Self::cf_compat),
            cross_site_posts: self.cross_site_posts(),
            origin_cookie: self.origin_cookie(),
            web_sockets: self.web_sockets(),
        }
    }

    /// The status of the waiting page.
    fn waiting_status(&mut self) -> u16 {
        self.choice(
            "waiting_status",
            503,
            &[("503", 503), ("200", 200), ("202", 202), ("429", 429)],
        )
    }

    /// Whether the waiting data also speaks to programs written for Cloudflare.
    fn cf_compat(&mut self) -> bool {
        self.choice("cf_compat", false, &[("off", false), ("on", true)])
    }

    /// Whether forms that another site posts go in.
    fn cross_site_posts(&mut self) -> bool {
        self.choice("cross_site_posts", true, &[("on", true), ("off", false)])
    }

    /// Whether the origin sees our cookie.
    fn origin_cookie(&mut self) -> OriginCookie {
        self.choice(
            "origin_cookie",
            OriginCookie::Remove,
            &[
                ("remove", OriginCookie::Remove),
                ("keep", OriginCookie::Keep),
            ],
        )
    }

    /// Whether `WebSockets` are handed over.
    fn web_sockets(&mut self) -> WebSockets {
        self.choice(
            "websockets",
            WebSockets::Refuse,
            &[("off", WebSockets::Refuse), ("on", WebSockets::HandOver)],
        )
    }

    /// From how many networks one admitted ticket may be used.
    pub(in crate::config) fn shared_tickets(&mut self) -> SharedTickets {
        let SharedTickets {
            networks,
            enforcement,
        } = SharedTickets::default();
        SharedTickets {
            networks: self.number("ticket_networks", networks, SharedTickets::NETWORKS),
            enforcement: self.choice("shared_tickets", enforcement, &SharedTickets::CHOICES),
        }
    }

    /// How many numbers one network may draw.
    pub(in crate::config) fn network_bound(&mut self) -> NetworkBound {
        let NetworkBound { draws, enforcement } = NetworkBound::default();
        NetworkBound {
            draws: self.number("network_draws", draws, NetworkBound::DRAWS),
            enforcement: self.choice("network_bound", enforcement, &NetworkBound::CHOICES),
        }
    }

    /// Which invitations are taken.
    pub(in crate::config) fn invitations(&mut self) -> Invitations {
        let per_minute = self.number("invited_per_minute", 0, Invitations::PER_MINUTE);
        let text = self.optional("invitations_revoked").unwrap_or_default();
        let revoked: Vec<String> = words(&text).map(str::to_owned).collect();
        let are_few = revoked.len() <= Invitations::MOST_REVOKED;
        if !are_few || !revoked.iter().all(|batch| is_batch(batch)) {
            let accepted = format!(
                "none, or names of batches, at most {}: each 1 to 32 letters, digits, - and _",
                Invitations::MOST_REVOKED
            );
            self.problem("invitations_revoked", Some(text), accepted);
        }
        Invitations {
            per_minute,
            groups: self.priority(),
            revoked,
        }
    }

    /// What is done about called visitors who do not come.
    pub(in crate::config) fn absent_visitors(&mut self) -> AbsentVisitors {
        let default = AbsentVisitors::default();
        self.choice("absent_visitors", default, &AbsentVisitors::ALL)
    }

    /// What happens while the store does not answer.
    pub(in crate::config) fn on_store_error(&mut self) -> OnStoreError {
        self.choice(
            "on_store_error",
            OnStoreError::Hold,
            &[("hold", OnStoreError::Hold), ("admit", OnStoreError::Admit)],
        )
    }

    /// What a visitor gets who would go in, where the origin's answer is bad.
    pub(in crate::config) fn on_origin_error(&mut self) -> OnOriginError {
        let choices = [("pass", OnOriginError::Pass), ("keep", OnOriginError::Keep)];
        self.choice("on_origin_error", OnOriginError::Pass, &choices)
    }

    /// What is logged.
    pub(in crate::config) fn logging(&mut self) -> Logging {
        self.cosmetic(|reader| Logging {
            sample: reader.number("log_sample", 1, 1..=10_000),
            query: reader.log_query(),
        })
    }

    /// What a log line says of the query.
    fn log_query(&mut self) -> Query {
        self.choice(
            "log_query",
            Query::LeftOut,
            &[("off", Query::LeftOut), ("on", Query::Kept)],
        )
    }
}
