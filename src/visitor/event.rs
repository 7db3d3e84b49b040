//! What a visitor learns of an event: by the sign, or by the clock where the store was not asked.

use super::visit::Visit;
use crate::queue::{Event, Lane, Outlook, Phase};
use crate::request::Request;
use crate::ticket::Standing;

/// Whether the number says nothing yet, since its order is by lot. Where the store does not answer and no copy is here, it is not
/// known whether the lot is drawn.
pub(super) fn awaits_lot(visit: &Visit, request: &Request<'_>) -> bool {
    match (&visit.sign, visit.ticket.standing) {
        (Some(sign), _) => visit
            .position()
            .is_some_and(|number| sign.of(visit.ticket.lane).awaits_lot(number)),
        (None, Standing::Waiting(place)) if visit.ticket.lane == Lane::Main => {
            let is_by_lot =
                |(event, phase): (Event, Phase)| event.order.is_drawn() && phase != Phase::Before;
            place.came.is_none() && request.event().is_some_and(is_by_lot)
        }
        (None, _) => false,
    }
}

/// What is known of an event: by the sign, or by the clock where the store was not asked.
pub(super) fn outlook(visit: &Visit, request: &Request<'_>) -> Option<Outlook> {
    let (event, phase) = match &visit.sign {
        Some(sign) => {
            let told = sign.event.as_ref()?;
            (told.event.clone(), told.phase)
        }
        None => request.event()?,
    };
    Some(Outlook::new(&event, phase, request.now_of_events().ms()))
}
