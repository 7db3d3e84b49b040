//! Why a visitor has another number, or what became of an invitation: as it stands in tickets, and as programs read it.

use crate::queue::Invited;

/// Why a visitor who had a number has another one now, or what became of an invitation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    StayOver,
    /// The session was ended, by the origin or an operator.
    SessionEnded,
    /// The number had been used already, by this ticket or a copy of it.
    Used,
    /// The invitation is good, and the visitor did not go in by it.
    InvitationKept,
    /// The invitation has been used as often as it may be.
    InvitationUsed,
    /// The invitation's time is over.
    InvitationExpired,
    /// The invitation's batch is revoked.
    InvitationRevoked,
    /// What came is no invitation to this room.
    NoInvitation,
}

impl Notice {
    /// Every notice, by its name in tickets and for programs.
    const ALL: [(&'static str, Self); 12] = [
        ("line_started_anew", Self::Anew),
        ("ticket_expired", Self::Lapsed),
        ("turn_over", Self::TurnOver),
        ("session_over", Self::SessionOver),
        ("stay_over", Self::StayOver),
        ("session_ended", Self::SessionEnded),
        ("ticket_used", Self::Used),
        ("invitation_kept", Self::InvitationKept),
        ("invitation_used", Self::InvitationUsed),
        ("invitation_expired", Self::InvitationExpired),
        ("invitation_revoked", Self::InvitationRevoked),
        ("no_invitation", Self::NoInvitation),
    ];

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
        !matches!(
            self,
            Self::InvitationKept
                | Self::InvitationUsed
                | Self::InvitationExpired
                | Self::InvitationRevoked
                | Self::NoInvitation
        )
    }

    /// The notice of this name, if it is one.
    pub(super) fn read(name: &str) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, notice)| notice)
    }

    /// Its name in tickets and for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        let found = Self::ALL.into_iter().find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }
}
