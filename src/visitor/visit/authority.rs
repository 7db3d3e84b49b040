//! Who can say where a ticket stands: a copy of the sign, or the store.

use super::FollowUp;
use super::sign::{Asked, SignRead};
use crate::cache::CachedSign;
use crate::queue::{
    AboveBound, Invited, Lane, LineAnswer, Mode, Now, Position, Sign, TicketState, WaitingProof,
};
use crate::ticket::{Notice, Ticket};

/// Seconds after signing during which a copy of the sign need not know a number.
const SIGN_LAG_SECONDS: u64 = 10;

/// Who can say where this ticket stands.
pub(super) enum Authority {
    Copy(Box<Sign>, Position),
    Ended,
    Store,
    Nobody,
}

pub(super) fn trusted(held: &Ticket, place: WaitingProof, copy: CachedSign, now: Now) -> Authority {
    // A ticket may be younger than the copy of the sign, which then does not know its number yet.
    let is_young = now.secs() < held.signed.saturating_add(SIGN_LAG_SECONDS);
    let is_old = copy.is_old;
    let Some(sign) = copy.sign else {
        return Authority::Nobody;
    };
    let of_lane = sign.of(held.lane);
    let number = of_lane.number(place).filter(|_| is_old || is_young);
    match TicketState::of(place, &of_lane) {
        TicketState::Placed(position) => Authority::Copy(Box::new(sign), position),
        TicketState::Settling => Authority::Nobody,
        TicketState::Ended => Authority::Ended,
        TicketState::Ahead => match number {
            Some(position) => Authority::Copy(Box::new(sign), position),
            None if is_old => Authority::Nobody,
            None => Authority::Store,
        },
    }
}

/// What the store itself says about a ticket.
pub(super) fn answered(lane: Lane, place: WaitingProof, answer: LineAnswer) -> Asked {
    if matches!(answer.invited, Some(Invited::In | Invited::Front)) {
        let seen = SignRead::answered(answer);
        return Asked::Seen(Box::new(seen), FollowUp::Nothing);
    }
    let (sign, position) = (answer.sign.of(lane), answer.position);
    let state = TicketState::of(place, &sign);
    let is_closed = sign.scheduled_mode() == Mode::Closed;
    let is_new = position.is_some() || answer.above == Some(AboveBound::Challenged);
    let notice = match (state, position) {
        (TicketState::Placed(_), _) => None,
        // It had ended, and drew anew; or it would have, but for its network or the closed room.
        (TicketState::Ended | TicketState::Ahead, _) if is_new => Some(Notice::Anew),
        (TicketState::Ended, _) if is_closed => None,
        (TicketState::Ended, _) => return Asked::Ended(FollowUp::Nothing),
        (TicketState::Settling | TicketState::Ahead, _) => {
            return Asked::Unseen(None, FollowUp::Nothing);
        }
    };
    let placed = match state {
        TicketState::Placed(position) => Some((position, sign.redrawn(place).came)),
        TicketState::Ended | TicketState::Settling | TicketState::Ahead => None,
    };
    let seen = SignRead::answered(answer);
    let (position, came) = placed.map_or((seen.position, seen.came), |(position, came)| {
        (seen.position.map(|_| position), came)
    });
    let seen = SignRead {
        notice,
        position,
        came,
        ..seen
    };
    Asked::Seen(Box::new(seen), FollowUp::Nothing)
}
