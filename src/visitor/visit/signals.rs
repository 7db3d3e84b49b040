//! What the platform says of a visitor who is about to draw.
//!
//! Invariant: a ticket with a number is never asked about, no store is asked, and where nobody waits for a number, in an open
//! room and in front of a closed one, the platform is not asked either.

use super::first::gives_numbers;
use super::{FollowUp, Visit, VisitOutcome};
use crate::queue::{Judgement, Price, SignalRule, Treatment};
use crate::request::Request;
use crate::ticket::Ticket;
use crate::visitor::{Brought, Kind};

/// What is done about this visitor, if the request would draw.
pub(super) fn judged(
    kind: Kind,
    held: &Ticket,
    brought: Brought,
    request: &Request<'_>,
) -> Judgement {
    let rule = request.room.signals;
    let has_no_number = held.is_provisional();
    let draws = kind.draws(brought) && has_no_number;
    if rule == SignalRule::default() || !draws || !gives_numbers(request.pop) {
        return Judgement::default();
    }
    rule.judge(request.platform)
}

/// The end of a visit that may not draw. A visitor who has calculated or waited may. Whether an invitation is still good only the store
/// knows, so it spares none of that.
pub(super) fn kept_from_drawing(
    judged: &Judgement,
    held: &Ticket,
    request: &Request<'_>,
) -> Option<Visit> {
    let now = request.now;
    let may_draw = || held.has_answered_or_waited(now);
    let ended = |end, held| Visit::unasked(end, held, FollowUp::Nothing);
    match judged.treatment {
        _ if judged.is_crawler => Some(ended(VisitOutcome::Crawler, held.clone())),
        Treatment::Refuse => Some(ended(VisitOutcome::Refused, held.clone())),
        Treatment::Challenge if !may_draw() => {
            let is_known = held.challenged_for(now).is_some();
            let new = || held.challenged(Price::default(), now, request.config.tickets.life);
            let ticket = Ticket {
                stage: if is_known { held.stage } else { new() },
                ..held.clone()
            };
            let visit = ended(VisitOutcome::Challenged, ticket);
            Some(Visit {
                must_sign: !is_known,
                ..visit
            })
        }
        Treatment::Challenge | Treatment::Observe | Treatment::Ignore => None,
    }
}
