//! Why a visitor has another number, or what became of an invitation: as it stands in tickets, and as programs read it.

use crate::queue::Invited;
use serde::{Deserialize, Serialize};

/// Why a visitor who had a number has another one now, or what became of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notice {
    /// The line was started anew, and every ticket ended.
    Anew,
    /// The ticket's time was over.
    Lapsed,
    /// The visitor was called, and did not come in time.
    TurnOver,
    /// The session was over.
    SessionOver,
    /// The visitor was inside for as long as a visit may last.
    #[serde(skip)]
    StayOver,
    /// The session was ended, by the origin or an operator.
    SessionEnded,
    /// The number had been used already, by this ticket or a copy of it.
    Used,
    /// The invitation is good, and the visitor did not go in by it.
    #[serde(skip)]
    InvitationKept,
    /// The invitation has been used as often as it may be.
    #[serde(skip)]
    InvitationUsed,
    /// The invitation's time is over.
    #[serde(skip)]
    InvitationExpired,
    /// The invitation's batch is revoked.
    #[serde(skip)]
    InvitationRevoked,
    /// What came is no invitation to this room.
    #[serde(skip)]
    NoInvitation,
}

impl Notice {
    /// The notice that stands for it in tickets that the version before may read: it refuses one that it does not know.
    pub(super) fn known_before(self) -> Option<Self> {
        match self {
            Self::Anew | Self::Used => Some(Self::Anew),
            Self::Lapsed
            | Self::TurnOver
            | Self::SessionOver
            | Self::StayOver
            | Self::SessionEnded => Some(Self::Lapsed),
            _ => None,
        }
    }

    /// What became of an invitation; none for a visitor who went in.
    #[must_use]
    pub fn of_invitation(invited: Invited) -> Option<Self> {
        match invited {
            Invited::In | Invited::Front => None,
            Invited::Kept => Some(Self::InvitationKept),
            Invited::Used => Some(Self::InvitationUsed),
            Invited::Expired => Some(Self::InvitationExpired),
            Invited::Revoked => Some(Self::InvitationRevoked),
            Invited::Wrong => Some(Self::NoInvitation),
        }
    }

    /// Whether it says why the number is a new one.
    #[must_use]
    pub fn is_of_number(self) -> bool {
        self.known_before().is_some()
    }

    /// What is written besides.
    pub(super) fn why(self) -> Option<&'static str> {
        match self {
            Self::Anew | Self::Lapsed => None,
            _ => Some(self.name()),
        }
    }

    pub(super) fn of_why(why: &str) -> Option<Self> {
        let newer = [
            Self::TurnOver,
            Self::SessionOver,
            Self::StayOver,
            Self::SessionEnded,
            Self::Used,
            Self::InvitationKept,
            Self::InvitationUsed,
            Self::InvitationExpired,
            Self::InvitationRevoked,
            Self::NoInvitation,
        ];
        newer.into_iter().find(|notice| notice.name() == why)
    }

    /// As programs read it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Anew => "line_started_anew",
            Self::Lapsed => "ticket_expired",
            Self::TurnOver => "turn_over",
            Self::SessionOver => "session_over",
            Self::StayOver => "stay_over",
            Self::SessionEnded => "session_ended",
            Self::Used => "ticket_used",
            Self::InvitationKept => "invitation_kept",
            Self::InvitationUsed => "invitation_used",
            Self::InvitationExpired => "invitation_expired",
            Self::InvitationRevoked => "invitation_revoked",
            Self::NoInvitation => "no_invitation",
        }
    }
}
