//! What the site's firewall (WAF) says of a request that would go to the origin, and what follows.
//!
//! Invariant: only a request that it allows, or of which it says nothing where that is to pass, goes on.

use super::words;
use serde::Serialize;

/// How the firewall is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waf {
    /// The name by which its maker knows the operator.
    pub corp: String,
    /// The name of the operator's rules there.
    pub workspace: String,
    /// What becomes of a request of which it gives no verdict.
    pub on_error: OnWafError,
}

words! {
    /// What becomes of a request of which the firewall gives no verdict.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum OnWafError {
        /// It goes on.
        #[default]
        Pass = "pass",
        /// It is stopped, as one that the firewall blocks.
        Block = "block",
    }
}

/// What the firewall answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WafAnswer {
    /// The request may go on.
    Allow,
    /// It may not.
    Block {
        /// The status that the firewall would answer with.
        status: i16,
        /// Where it would send the visitor.
        redirect: Option<String>,
    },
    /// It could not be asked, or gave no verdict that is known here.
    Failed(WafFault),
}

/// Why the firewall gave no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WafFault {
    /// It says that this service may not ask it.
    Unauthorized,
    /// Its verdict is not known here.
    UnknownVerdict,
    /// It gave none.
    NoVerdict,
    /// Its answer is not understood, or too long.
    Garbled,
    /// The names by which it was asked are not accepted.
    WrongNames,
    /// It could not be asked.
    NotAsked,
}

words! {
    /// What became of a request of which the firewall was asked.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum WafVerdict {
        /// It was allowed.
        Allowed = "allowed",
        /// It was blocked.
        Blocked = "blocked",
        /// There was no verdict.
        Failed = "failed",
    }
}

/// What is answered in place of the origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A page of ours.
    Page,
    /// What the firewall wants: this status, and the way to another address.
    Redirect(u16, String),
}

/// What follows from an answer of the firewall.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspected {
    /// For the log and the metrics.
    pub verdict: WafVerdict,
    /// What stops the request, where it does not go on.
    pub stop: Option<Stop>,
    /// Why there was no verdict.
    pub fault: Option<WafFault>,
}

impl Inspected {
    /// What follows from this answer.
    #[must_use]
    pub fn of(answer: WafAnswer, on_error: OnWafError) -> Self {
        let fault = match answer {
            WafAnswer::Allow => return Self::with(WafVerdict::Allowed, None),
            WafAnswer::Block { status, redirect } => {
                let stop = redirect.and_then(|to| redirected(status, to));
                return Self::with(WafVerdict::Blocked, Some(stop.unwrap_or(Stop::Page)));
            }
            WafAnswer::Failed(fault) => fault,
        };
        let stop = match on_error {
            OnWafError::Pass => None,
            OnWafError::Block => Some(Stop::Page),
        };
        Self {
            fault: Some(fault),
            ..Self::with(WafVerdict::Failed, stop)
        }
    }

    fn with(verdict: WafVerdict, stop: Option<Stop>) -> Self {
        Self {
            verdict,
            stop,
            fault: None,
        }
    }
}

/// A status that leads browsers on, with an address that can stand in a header.
fn redirected(status: i16, to: String) -> Option<Stop> {
    let leads_on = matches!(status, 301 | 302 | 303 | 307 | 308);
    let is_address = !to.is_empty() && to.bytes().all(|byte| byte.is_ascii_graphic());
    let status = u16::try_from(status).ok()?;
    (leads_on && is_address).then_some(Stop::Redirect(status, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(status: i16, redirect: Option<&str>) -> WafAnswer {
        let redirect = redirect.map(str::to_owned);
        WafAnswer::Block { status, redirect }
    }

    #[test]
    fn what_is_allowed_goes_on_and_what_is_blocked_is_stopped_whatever_follows_a_fault() {
        for (_, on_error) in OnWafError::ALL {
            let allowed = Inspected::of(WafAnswer::Allow, on_error);
            assert_eq!(allowed, Inspected::with(WafVerdict::Allowed, None));
            for status in [406, 403, 404, 429, 500, 503, 200, 0, -1, i16::MAX, 302] {
                let blocked = Inspected::of(block(status, None), on_error);
                let page = Inspected::with(WafVerdict::Blocked, Some(Stop::Page));
                assert_eq!(blocked, page, "{status}");
            }
        }
    }

    #[test]
    fn where_the_firewall_leads_a_visitor_elsewhere_it_does() {
        let to = "https://shop.example/verify?a=b";
        for status in [301, 302, 303, 307, 308] {
            let inspected = Inspected::of(block(status, Some(to)), OnWafError::Pass);
            let stop = Stop::Redirect(status.unsigned_abs(), to.to_owned());
            assert_eq!(inspected.stop, Some(stop));
        }
    }

    #[test]
    fn what_is_no_redirect_is_a_page() {
        let good = "https://shop.example/";
        for (status, to) in [
            (304, good),
            (406, good),
            (200, good),
            (302, ""),
            (302, "https://shop.example/\r\nx: y"),
            (302, "https://shop.example/ä"),
            (302, "a b"),
        ] {
            let inspected = Inspected::of(block(status, Some(to)), OnWafError::Pass);
            assert_eq!(inspected.stop, Some(Stop::Page), "{status} {to}");
        }
    }

    #[test]
    fn without_a_verdict_it_passes_or_is_stopped_as_the_setting_says() {
        for fault in [
            WafFault::Unauthorized,
            WafFault::UnknownVerdict,
            WafFault::NoVerdict,
            WafFault::Garbled,
            WafFault::WrongNames,
            WafFault::NotAsked,
        ] {
            for (on_error, stop) in [
                (OnWafError::Pass, None),
                (OnWafError::Block, Some(Stop::Page)),
            ] {
                let expected = Inspected {
                    verdict: WafVerdict::Failed,
                    stop,
                    fault: Some(fault),
                };
                assert_eq!(Inspected::of(WafAnswer::Failed(fault), on_error), expected);
            }
        }
    }
}
