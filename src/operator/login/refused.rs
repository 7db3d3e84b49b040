//! Why a request for an operator's route is turned away, and how that is answered.

use super::{Role, Scheme};
use crate::config::Problem;
use crate::http::Reply;
use crate::queue::Reason;

pub(super) const BASIC: &str = r#"Basic realm="Now Serving", charset="UTF-8""#;

pub(super) const BEARER: &str = r#"Bearer realm="Now Serving", error="invalid_token""#;

/// Why nobody was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no secret that could.
    NotConfigured,
    /// No credentials, or wrong ones.
    Unauthorized(Scheme),
    /// The operator or the token of this name, which may only so much, for something that needs more.
    Forbidden(String, Role),
    /// A secret that could is no sound one.
    Unsound(Vec<Problem>),
    /// Others from there were wrong too often, and are still waiting for their turn.
    TooMany,
    /// People may not use the operators' routes from this network.
    NotListed,
    /// Whether they may could not be found out.
    ListUnread(Vec<Problem>),
}

impl From<Vec<Problem>> for Refused {
    fn from(problems: Vec<Problem>) -> Self {
        Self::Unsound(problems)
    }
}

impl Refused {
    /// For the log.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            Self::NotConfigured => Reason::NoPassword,
            Self::Unauthorized(_) | Self::Forbidden(..) => Reason::Unauthorized,
            Self::Unsound(_) => Reason::UnsoundSecret,
            Self::TooMany => Reason::TooManyLogins,
            Self::NotListed | Self::ListUnread(_) => Reason::NotListed,
        }
    }

    /// The answer to the request.
    #[must_use]
    pub fn reply(&self) -> Reply {
        match self {
            Self::NotConfigured => not_found(),
            Self::Unauthorized(via) => {
                let (detail, challenge) = match via {
                    Scheme::Basic => ("this needs the operator's name and password", BASIC),
                    Scheme::Bearer => ("the bearer token is none of those configured", BEARER),
                };
                Reply::problem(401, "Unauthorized", detail).with("www-authenticate", challenge)
            }
            Self::Forbidden(name, role) => {
                let only = |what: &str| {
                    format!(
                        "may only {what}read status, metrics, the journal and receipts; this needs a token with more rights, or the operator's password"
                    )
                };
                let may = match role {
                    Role::Read => only(""),
                    Role::Stock => only("report the stock, and "),
                    Role::Event => {
                        only("set the events (keeps_inside=false only as configured), and ")
                    }
                    Role::Invite => only("make invitations, and "),
                    Role::Permit | Role::All => {
                        "is a permit_token, which may permit and read; this needs an admin_token, or the operator's password".to_owned()
                    }
                    Role::Look => {
                        "may only look, as admin_password says; this needs the password of an operator who may do all".to_owned()
                    }
                };
                let title = match role {
                    Role::Look => "Not with this password",
                    _ => "Not with this token",
                };
                Reply::problem(403, title, &format!("{name} {may}; nothing was done"))
            }
            Self::Unsound(problems) => unsound(
                "a secret is not what is accepted, so it opens nothing;",
                problems,
            ),
            Self::TooMany => {
                let detail = "too many logins from this network were wrong, and others are waiting for their turn; these credentials were not looked at, and nothing was done";
                Reply::problem(429, "Too many wrong logins", detail).with("retry-after", "5")
            }
            Self::NotListed => {
                let detail = "the ACL of the setting operators_acl does not allow this network; the credentials were not looked at, and nothing was done; programs send a Bearer token";
                Reply::problem(403, "Not from this network", detail)
            }
            Self::ListUnread(_) => {
                let detail = "the ACL of the setting operators_acl could not be asked, so nobody is let in by it; it is to be linked to this service under that name; nothing was done";
                let reply = Reply::problem(503, "The list of networks cannot be read", detail);
                reply.with("retry-after", "30")
            }
        }
    }
}

/// What is not there, and what nobody could be let in to.
#[must_use]
pub fn not_found() -> Reply {
    Reply::problem(404, "Not found", "there is nothing at this path")
}

/// What follows from problems, and behind it every key and what is accepted. Values are for the log alone.
#[must_use]
pub fn unsound(what_follows: &str, problems: &[Problem]) -> Reply {
    let told = problems.iter().map(Problem::for_all);
    let detail = format!("{what_follows} {}", told.collect::<Vec<_>>().join("; "));
    Reply::problem(503, "Unsound configuration", &detail).with("retry-after", "30")
}
