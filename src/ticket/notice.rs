//! Why a visitor has another number: as it stands in tickets, and as programs read it.

use serde::{Deserialize, Serialize};

/// Why a visitor who had a number has another one now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The line was started anew, and every ticket ended.
    Anew,
    /// The ticket's time was over.
    Lapsed,
    /// The session was over.
    SessionOver,
    /// The session was ended, by the origin or an operator.
    SessionEnded,
    /// The number had been used already, by this ticket or a copy of it.
    Used,
}

impl Notice {
    /// The notice that stands for it in tickets that the version before may read: it refuses one that it does not know.
    pub(super) fn known_before(self) -> Self {
        match self {
            Self::Anew | Self::Used => Self::Anew,
            Self::Lapsed | Self::SessionOver | Self::SessionEnded => Self::Lapsed,
        }
    }

    /// What is written besides.
    pub(super) fn why(self) -> Option<&'static str> {
        match self {
            Self::Anew | Self::Lapsed => None,
            Self::SessionOver | Self::SessionEnded | Self::Used => Some(self.name()),
        }
    }

    pub(super) fn of_why(why: &str) -> Option<Self> {
        let newer = [Self::SessionOver, Self::SessionEnded, Self::Used];
        newer.into_iter().find(|notice| notice.name() == why)
    }

    /// As programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anew => "line_started_anew",
            Self::Lapsed => "ticket_expired",
            Self::SessionOver => "session_over",
            Self::SessionEnded => "session_ended",
            Self::Used => "ticket_used",
        }
    }
}
