//! The operators' routes.

use super::login::{Audience, Right};
use super::verbs;
use super::verbs::Verb;
use crate::config::Config;

#[derive(Clone, Copy, Debug)]
pub(super) enum Route {
    Panel,
    Status,
    /// POST sets the pace.
    Settings,
    Forget,
    Health,
    Metrics,
    Journal,
    Report,
    Receipt,
    Invite,
    Change(&'static Verb),
}

impl Route {
    /// The route at this path below the operator's, and the methods it takes.
    pub(super) fn at(rest: &str) -> Option<(Self, &'static str)> {
        const READ: &str = "GET, HEAD";
        const CHANGE: &str = "POST";
        Some(match rest {
            "" | "/" => (Self::Panel, READ),
            "/status" => (Self::Status, READ),
            "/settings" => (Self::Settings, "GET, HEAD, POST"),
            "/ticket/forget" => (Self::Forget, CHANGE),
            "/healthz" => (Self::Health, READ),
            "/metrics" => (Self::Metrics, READ),
            "/receipt/check" => (Self::Receipt, CHANGE),
            "/invite" => (Self::Invite, CHANGE),
            "/journal" => (Self::Journal, READ),
            "/event/report" => (Self::Report, READ),
            _ => (Self::Change(verbs::at(rest.strip_prefix('/')?)?), CHANGE),
        })
    }

    /// A test ticket is a cookie for the host that visitors use, so a panel on a host of its own has none.
    pub(super) fn is_there(self, config: &Config) -> bool {
        let keeps_a_ticket = match self {
            Self::Forget => true,
            Self::Change(verb) => verb.needs.0 == Audience::Panel,
            _ => false,
        };
        config.operators.host.is_none() || !keeps_a_ticket
    }

    /// Which credentials open it by this method, and what they have to be good for; nothing for what is open to all.
    pub(super) fn needs(self, method: &str) -> Option<(Audience, Right)> {
        match self {
            Self::Health => None,
            // Programs have no browser to show a panel or to keep a ticket in.
            Self::Panel => Some((Audience::Panel, Right::Look)),
            Self::Forget => Some((Audience::Panel, Right::Set)),
            Self::Status | Self::Metrics | Self::Journal | Self::Report => {
                Some((Audience::Api, Right::Read))
            }
            Self::Receipt => Some((Audience::Api, Right::Receipts)),
            Self::Invite => Some((Audience::Api, Right::Invite)),
            Self::Settings if method != "POST" => Some((Audience::Api, Right::Look)),
            Self::Settings => Some(verbs::PACE.needs),
            Self::Change(verb) => Some(verb.needs),
        }
    }
}

/// Whether a path ends with the name of a route that programs use, wherever the operators' routes are.
#[must_use]
pub fn is_of_programs(path: &str) -> bool {
    let last = path.rfind('/').and_then(|at| path.get(at..));
    let route = last.and_then(Route::at);
    matches!(
        route.and_then(|(route, _)| route.needs("POST")),
        Some((Audience::Api, _))
    )
}
