//! Why a request was answered as it was: one word for the log, the metrics and the tests.

use super::words;

words! {
    /// Why a request was answered as it was.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Reason {
        /// On the list of what skips the room.
        Bypass = "bypass",
        /// A client that needs no ticket: by a signed header, or from a listed network.
        Allowed = "allowed",
        /// OPTIONS: a preflight goes to the origin, so that other sites' scripts learn what they may do; any other is answered.
        Preflight = "preflight",
        /// Had been admitted before.
        Inside = "inside",
        /// Admitted by this very request.
        Admitted = "admitted",
        /// Went in by an invitation.
        Invited = "invited",
        /// An invitation was brought, its page asked for, or one made.
        Invitation = "invitation",
        /// Would have been, but the origin failed: the place is kept.
        Rescued = "rescued",
        /// Would have gone to the origin, but the site's firewall stopped it.
        WafBlocked = "waf_blocked",
        /// In line.
        Waiting = "waiting",
        /// A first contact while others wait: a ticket without a number, which is drawn when the ticket comes back.
        Provisional = "provisional",
        /// Its network has drawn as many numbers as it may, or the platform says something of it: a calculation or a wait comes
        /// before the number.
        Challenged = "challenged",
        /// The platform says something of it for which no number is drawn.
        Refused = "refused",
        /// A verified crawler, for which no number is drawn.
        Crawler = "crawler",
        /// The answer to a challenge is right.
        Solved = "solved",
        /// The store does not answer: held.
        Held = "held",
        /// The room is closed.
        Closed = "closed",
        /// The store does not answer: let in by policy.
        AdmittedWithoutStore = "admitted_without_store",
        /// HEAD, a prefetch or a part of a page, without a ticket that lets it in.
        NotAVisitor = "not_a_visitor",
        /// Asked whether the browser kept its ticket.
        Cookies = "cookies",
        /// A browser that keeps no cookies was told so.
        NoCookies = "no_cookies",
        /// The page was told to refresh by itself, or not to.
        Updates = "updates",
        /// A request to the room's own routes that was not understood.
        BadRequest = "bad_request",
        /// TRACE, CONNECT, or a method that is not known here.
        BadMethod = "bad_method",
        /// A WebSocket.
        NotSupported = "not_supported",
        /// `Host` names no host.
        BadHost = "bad_host",
        /// Over plain http in production: sent to https before anything is drawn.
        ToHttps = "to_https",
        /// The panel.
        Panel = "panel",
        /// The line was moved.
        Permit = "permit",
        /// Something else was changed by an operator.
        Changed = "changed",
        /// Nothing was changed: somebody else was quicker, or the mode lets nobody in.
        NotChanged = "not_changed",
        /// The status API.
        Status = "status",
        /// The settings were read.
        Settings = "settings",
        /// The health route.
        Health = "health",
        /// Nothing at this path below the operator's.
        NotFound = "not_found",
        /// No password is configured, so there is no panel.
        NoPassword = "no_password",
        /// Wrong or missing credentials, or a change asked for from another site.
        Unauthorized = "unauthorized",
        /// An operator's request that was not understood.
        BadOperatorRequest = "bad_operator_request",
        /// The store does not answer an operator.
        StoreTrouble = "store_trouble",
        /// A login that was not looked at, since too many from there were wrong.
        TooManyLogins = "too_many_logins",
        /// A network from which people may not use the operators' routes, or a list of networks that cannot be asked.
        NotListed = "not_listed",
        /// A secret of the operators is not what is accepted.
        UnsoundSecret = "unsound_secret",
        /// The metrics.
        Metrics = "metrics",
        /// How the order comes about, and what anybody may check of one by lot.
        Lot = "lot",
        /// An operator read the journal.
        Journal = "journal",
        /// An operator or a program read the report of an event.
        EventReport = "event_report",
        /// A visitor took a receipt, or an operator checked one.
        Receipt = "receipt",
        /// Nobody is served before the settings are right.
        UnsoundConfiguration = "unsound_configuration",
        /// A wrong setting of looks, words or the log has its default instead.
        IgnoredSetting = "ignored_setting",
        /// A list of paths is in force that no visitor can open.
        ClosedPaths = "closed_paths",
        /// A template is broken, and another one serves.
        RefusedTemplate = "refused_template",
        /// What was counted and could be kept nowhere else.
        Uncounted = "uncounted",
        /// Waiting visitors were released.
        Released = "released",
        /// The origin has become sick.
        OriginSick = "origin_sick",
        /// The store wrote into the journal.
        Noted = "noted",
        /// It is not known who is inside, since the store lost its data.
        Recount = "recount",
    }
}

impl Reason {
    /// All that a request can be answered for.
    pub fn of_requests() -> impl Iterator<Item = Self> {
        let all = Self::ALL.into_iter().map(|(_, reason)| reason);
        all.filter(|reason| !reason.is_of_no_request())
    }

    /// Whether a visitor goes in for the first time, or would have but for the origin.
    #[must_use]
    pub fn is_first(self) -> bool {
        matches!(self, Self::Admitted | Self::Invited | Self::Rescued)
    }

    /// Whether only a line of the log about something else than a request gives it.
    fn is_of_no_request(self) -> bool {
        matches!(
            self,
            Self::UnsoundConfiguration
                | Self::IgnoredSetting
                | Self::ClosedPaths
                | Self::RefusedTemplate
                | Self::Uncounted
                | Self::Released
                | Self::OriginSick
                | Self::Noted
                | Self::Recount
        )
    }
}
