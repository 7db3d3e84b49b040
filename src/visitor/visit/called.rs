//! The way of a called visitor into the room: who has been told that it is the turn, and is not yet inside.
//!
//! Invariant: a room on hold, by an operator or by itself, admits no called visitor; neither the number nor a session is used up by that.

use super::{FollowUp, Visit, VisitOutcome};
use crate::cache::Once;
use crate::queue::health::LONGEST_MARKER_MS;
use crate::queue::{Mode, Sign};
use crate::request::Request;
use crate::ticket::{Standing, Ticket};
use crate::visitor::Kind;

impl Visit {
    /// An update of the waiting page says that it is the turn. The page goes in by its next request.
    #[must_use]
    pub fn told(mut self) -> Self {
        let is_admitted = matches!(self.ticket.standing, Standing::Admitted { .. });
        self.ticket.called |= is_admitted && self.changed && self.sign.is_some();
        self
    }

    /// A called visitor goes in by what the visitor does, unless the room admits no visitor at the moment.
    pub(super) fn held_back_or_in(self, kind: Kind, request: &Request<'_>) -> Self {
        if !self.ticket.called {
            return self;
        }
        match self.holding(request) {
            Some(sign) => self.outside(sign),
            None if kind.renews() => self.goes_in(),
            None => self,
        }
    }

    /// The last sign, if it is of a room that admits no visitor: what an operator set holds until a newer sign is known, the
    /// marker of a sick origin no longer than it may stand. A client that ignores its cookies has gone in before.
    fn holding(&self, request: &Request<'_>) -> Option<Sign> {
        let last = request.pop.last()?;
        let age_ms = request.now.ms().abs_diff(last.read_ms);
        let sign = last.sign?;
        let may_be_sick = age_ms < LONGEST_MARKER_MS && sign.is_held_by_origin();
        let is_held = !sign.live.mode.lets_in() || may_be_sick;
        let is_inside = || request.pop.has_heard(Once::Admitted, &self.ticket.id);
        (is_held && !is_inside()).then_some(sign)
    }

    fn outside(self, sign: Sign) -> Self {
        let end = match sign.mode() {
            Mode::Closed => VisitOutcome::Closed,
            Mode::Automatic | Mode::Hold | Mode::Open => VisitOutcome::Called,
        };
        Self {
            end,
            sign: Some(sign),
            ..self
        }
    }

    fn goes_in(self) -> Self {
        let ticket = Ticket {
            called: false,
            ..self.ticket
        };
        Self {
            ticket,
            changed: true,
            was_called: true,
            ..self
        }
    }

    /// The same visitor, called and not yet inside: for one who meets an origin that fails.
    #[must_use]
    pub fn rescued(&self, last: Option<Sign>) -> Option<Self> {
        let sign = self.sign.clone().or(last)?;
        if self.is_without_store || self.position().is_none() {
            return None;
        }
        let ticket = Ticket {
            called: true,
            ..self.ticket.clone()
        };
        Some(Self {
            changed: true,
            sign: Some(sign),
            ..Self::unasked(VisitOutcome::Rescued, ticket, FollowUp::Nothing)
        })
    }
}
