//! Whether a visitor who goes in passes others whose turn was before.

use super::{Visit, VisitOutcome, WayIn};
use crate::queue::{Inversion, Invited, Reason, Sign};
use crate::ticket::Standing;

impl Visit {
    /// What let the visitor pass. A visitor whom no rule let pass counts with each request, the others when they go in.
    #[must_use]
    pub fn inversion(&self, reason: Reason) -> Option<Inversion> {
        if self.end != VisitOutcome::Admitted {
            return None;
        }
        let (position, lane) = (self.position(), self.ticket.lane);
        let passed = match (self.way_in, &self.sign) {
            // No sign says whether other visitors wait.
            (WayIn::NoStore, None) => Some(Inversion::WithoutStore),
            (WayIn::NoStore, Some(sign)) => {
                Inversion::out_of_turn(Inversion::WithoutStore, position, lane, sign)
            }
            (_, None) => None,
            // The sign that called the visitor was looked at then, and may be newer than this one.
            (WayIn::Called, Some(sign)) => match position {
                Some(_) => Inversion::by_lane(lane, sign),
                None => Inversion::without_number(Inversion::Invitation, sign),
            },
            (WayIn::Sign, Some(sign)) => self.by_sign(sign),
        };
        let is_first = matches!(
            reason,
            Reason::Admitted | Reason::Invited | Reason::AdmittedWithoutStore
        );
        passed.filter(|passed| is_first || *passed == Inversion::Unexplained)
    }

    /// The sign that this request saw let the visitor in.
    fn by_sign(&self, sign: &Sign) -> Option<Inversion> {
        let Standing::Admitted { position, .. } = self.ticket.standing else {
            return Inversion::without_number(Inversion::Unexplained, sign);
        };
        match (position, self.invited) {
            (Some(position), _) => Inversion::by_number(position, self.ticket.lane, sign),
            (None, Some(Invited::In)) => Inversion::without_number(Inversion::Invitation, sign),
            (None, _) => Inversion::without_number(Inversion::Unexplained, sign),
        }
    }
}
