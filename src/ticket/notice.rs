//! Why a visitor has another number, or what became of an invitation: as it stands in tickets, and as programs read it.

use crate::queue::{Invited, words};

words! {
    /// Why a visitor who had a number has another one now, or what became of an invitation.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Notice {
        /// The line was started anew, and every ticket ended.
        Anew = "line_started_anew",
        /// The ticket's time was over.
        Lapsed = "ticket_expired",
        /// The visitor was called, and did not come in time.
        TurnOver = "turn_over",
        /// The session was over.
        SessionOver = "session_over",
        /// The visitor was inside for as long as a visit may last.
        StayOver = "stay_over",
        /// The session was ended, by the origin or an operator.
        SessionEnded = "session_ended",
        /// The number had been used already, by this ticket or a copy of it.
        Used = "ticket_used",
        /// The invitation is good, and the visitor did not go in by it.
        InvitationKept = "invitation_kept",
        /// The invitation has been used as often as it may be.
        InvitationUsed = "invitation_used",
        /// The invitation's time is over.
        InvitationExpired = "invitation_expired",
        /// The invitation's batch is revoked.
        InvitationRevoked = "invitation_revoked",
        /// What came is no invitation to this room.
        NoInvitation = "no_invitation",
    }
}

impl Notice {
    /// What became of an invitation; none for a visitor who went in.
    #[must_use]
    pub fn of_invitation(invited: Invited) -> Option<Self> {
        match invited {
            Invited::In | Invited::Group => None,
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
        !matches!(
            self,
            Self::InvitationKept
                | Self::InvitationUsed
                | Self::InvitationExpired
                | Self::InvitationRevoked
                | Self::NoInvitation
        )
    }
}
