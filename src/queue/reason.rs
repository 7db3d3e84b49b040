//! Why a request was answered as it was: one word for the log, the metrics and the tests.

use serde::Serialize;

/// Why a request was answered as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(serde::Deserialize))]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// On the list of what skips the room.
    Bypass,
    /// A client that needs no ticket: by a signed header, or from a listed network.
    Allowed,
    /// OPTIONS: a preflight goes to the origin, so that other sites' scripts learn what they may do; any other is answered.
    Preflight,
    /// Had been admitted before.
    Inside,
    /// Admitted by this very request.
    Admitted,
    /// Went in by an invitation.
    Invited,
    /// An invitation was brought, or its page asked for.
    Invitation,
    /// Would have been, but the origin failed: the place is kept.
    Rescued,
    /// Would have gone to the origin, but the site's firewall stopped it.
    WafBlocked,
    /// In line.
    Waiting,
    /// A first contact while others wait: a ticket without a number, which is drawn when the ticket comes back.
    Provisional,
    /// Its network has drawn as many numbers as it may, or the platform says something of it: a calculation or a wait comes
    /// before the number.
    Challenged,
    /// The platform says something of it for which no number is drawn.
    Refused,
    /// A verified crawler, for which no number is drawn.
    Crawler,
    /// The answer to a challenge is right.
    Solved,
    /// The store does not answer: held.
    Held,
    /// The room is closed.
    Closed,
    /// The store does not answer: let in by policy.
    AdmittedWithoutStore,
    /// HEAD, a prefetch or a part of a page, without a ticket that lets it in.
    NotAVisitor,
    /// Asked whether the browser kept its ticket.
    Cookies,
    /// A browser that keeps no cookies was told so.
    NoCookies,
    /// The page was told to refresh by itself, or not to.
    Updates,
    /// A request to the room's own routes that was not understood.
    BadRequest,
    /// TRACE, CONNECT, or a method that is not known here.
    BadMethod,
    /// A WebSocket.
    NotSupported,
    /// `Host` names no host.
    BadHost,
    /// Over plain http in production: sent to https before anything is drawn.
    ToHttps,
    /// The panel.
    Panel,
    /// The line was moved.
    Permit,
    /// Something else was changed by an operator.
    Changed,
    /// Nothing was changed: somebody else was quicker, or the mode lets nobody in.
    NotChanged,
    /// The status API.
    Status,
    /// The settings were read.
    Settings,
    /// The health route.
    Health,
    /// Nothing at this path below the operator's.
    NotFound,
    /// No password is configured, so there is no panel.
    NoPassword,
    /// Wrong or missing credentials, or a change asked for from another site.
    Unauthorized,
    /// An operator's request that was not understood.
    BadOperatorRequest,
    /// The store does not answer an operator.
    StoreTrouble,
    /// A login that was not looked at, since too many from there were wrong.
    TooManyLogins,
    /// A network from which people may not use the operators' routes, or a list of networks that cannot be asked.
    NotListed,
    /// A secret of the operators is not what is accepted.
    UnsoundSecret,
    /// The metrics.
    Metrics,
    /// What anybody may check of an order by lot.
    Lot,
    /// An operator read the journal.
    Journal,
    /// A visitor took a receipt, or an operator checked one.
    Receipt,
    /// Nobody is served before the settings are right.
    UnsoundConfiguration,
    /// A wrong setting of looks, words or the log has its default instead.
    IgnoredSetting,
    /// A list of paths is in force that no visitor can open.
    ClosedPaths,
    /// A template is broken, and another one serves.
    RefusedTemplate,
    /// What was counted and could be kept nowhere else.
    Uncounted,
    /// Waiting visitors were released.
    Released,
    /// The origin has become sick.
    OriginSick,
    /// The store wrote into the journal.
    Noted,
    /// It is not known who is inside, since the store lost its data.
    Recount,
}

impl Reason {
    /// All that a request can be answered for.
    #[rustfmt::skip]
    pub const ALL: [Self; 46] = [
        Self::Bypass, Self::Allowed, Self::Preflight, Self::Inside, Self::Admitted, Self::Invited, Self::Invitation, Self::Rescued, Self::WafBlocked, Self::Waiting, Self::Provisional, Self::Challenged, Self::Refused, Self::Crawler, Self::Solved, Self::Held, Self::Closed,
        Self::AdmittedWithoutStore, Self::NotAVisitor, Self::Cookies, Self::NoCookies, Self::Updates, Self::BadRequest,
        Self::BadMethod, Self::NotSupported, Self::BadHost, Self::ToHttps, Self::Panel, Self::Permit, Self::Changed, Self::NotChanged,
        Self::Status, Self::Settings, Self::Health, Self::NotFound, Self::NoPassword, Self::Unauthorized,
        Self::BadOperatorRequest, Self::StoreTrouble, Self::TooManyLogins, Self::NotListed, Self::UnsoundSecret,
        Self::Metrics, Self::Lot, Self::Journal, Self::Receipt,
    ];

    /// Its name, in the log and among the metrics.
    #[must_use]
    pub fn name(self) -> String {
        let mut name = String::new();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() && !name.is_empty() {
                name.push('_');
            }
            name.push(letter.to_ascii_lowercase());
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_has_the_same_name_in_the_log_and_among_the_metrics() {
        for reason in Reason::ALL {
            let logged = serde_json::to_value(reason).unwrap_or_default();
            assert_eq!(logged.as_str(), Some(reason.name().as_str()));
        }
    }
}
