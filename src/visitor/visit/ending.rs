//! How a visit ends, by what was seen.

use super::Shared;
use super::sign::SignRead;
use super::{FollowUp, Unseen, Visit, VisitOutcome, WayIn, anew, provisional_ticket};
use crate::queue::backoff::MOST_TRIES;
use crate::queue::{Claim, Mode, Now, Position, Sign, Verdict, decide};
use crate::request::Request;
use crate::ticket::{Notice, Standing, Ticket};
use crate::visitor::Brought;

/// An admission ends with its epoch. What was let in without the store ends with a hold or a closure too, since it was
/// never this visitor's turn.
pub(super) fn has_ended(held: &Ticket, sign: &Sign) -> bool {
    match held.standing {
        Standing::Admitted { born, epoch, .. } => sign.has_ended(born, epoch),
        Standing::Provisional { .. } | Standing::Waiting(_) => {
            let granted = held.grace.and_then(|grace| grace.epoch);
            !sign.live.mode.lets_in() || granted.is_some_and(|epoch| epoch != sign.epoch)
        }
    }
}

/// What is left to a visitor whose stay has ended: the place in the line, where there is one.
pub(super) fn outside(held: Ticket, now: Now) -> Ticket {
    match held.standing {
        Standing::Admitted { .. } => anew(held, now),
        Standing::Provisional { .. } | Standing::Waiting(_) => Ticket {
            grace: None,
            ..held
        },
    }
}

pub(super) fn decided(
    held: Ticket,
    seen: SignRead,
    after: FollowUp,
    request: &Request<'_>,
) -> Visit {
    if seen.claim == Some(Claim::Used) {
        return used(held, seen.sign, after, request);
    }
    let now = request.now;
    let (end, standing) = stands(&held, &seen, now);
    let is_new = standing != held.standing;
    let notice = seen
        .notice
        .or(held.notice)
        .filter(|_| end != VisitOutcome::Admitted);
    Visit {
        end,
        changed: is_new || held.is_to_be_renewed(now),
        ticket: Ticket {
            standing,
            grace: held.grace.filter(|_| !is_new),
            notice,
            ..held
        },
        sign: Some(seen.sign),
        is_old: seen.is_old,
        way_in: WayIn::Sign,
        renewal: None,
        shared: Shared::No,
        fault: seen.fault,
        after,
    }
}

/// Where the holder of a ticket stands by what was seen, and what the ticket says of it from now on.
fn stands(held: &Ticket, seen: &SignRead, now: Now) -> (VisitOutcome, Standing) {
    let (sign, mode) = (&seen.sign, seen.sign.mode());
    let Some(position) = seen.position else {
        return (VisitOutcome::Closed, Standing::Provisional { tries: 0 });
    };
    let end = match decide(position, sign.cursor) {
        _ if mode == Mode::Closed => VisitOutcome::Closed,
        Verdict::Wait { ahead } => VisitOutcome::Waiting { ahead },
        Verdict::Admit if !mode.lets_in() => VisitOutcome::Called,
        Verdict::Admit if is_full(sign, seen.claim) => VisitOutcome::Full,
        Verdict::Admit => VisitOutcome::Admitted,
    };
    let standing = match end {
        VisitOutcome::Admitted => Standing::Admitted {
            position: Some(position),
            born: sign.birth.born,
            epoch: sign.epoch,
            at: now.secs(),
            session: session(seen.claim),
        },
        _ => placed(held, sign, position),
    };
    (end, standing)
}

/// The last minute of the session that a claim was given.
fn session(claim: Option<Claim>) -> Option<u64> {
    match claim {
        Some(Claim::Session(end)) => Some(end),
        Some(Claim::Full | Claim::Used) | None => None,
    }
}

/// Where a cap holds, a called visitor goes in with a session only.
fn is_full(sign: &Sign, claim: Option<Claim>) -> bool {
    sign.sessions.is_some() && session(claim).is_none()
}

/// The number has had its session, so the ticket is a copy: its holder gets one of their own, without a number so far.
fn used(held: Ticket, sign: Sign, after: FollowUp, request: &Request<'_>) -> Visit {
    let ticket = Ticket {
        language: held.language,
        notice: Some(Notice::Used),
        ..provisional_ticket(request.call.id.clone(), request.now)
    };
    Visit {
        after,
        ..Visit::provisional(ticket, sign)
    }
}

/// The place it had, or the one it just drew. A number that moved is written anew once it moves no more.
pub(super) fn placed(held: &Ticket, sign: &Sign, position: Position) -> Standing {
    let place = sign.place(position);
    match held.standing {
        Standing::Waiting(had) if had.is_same(place) => held.standing,
        Standing::Waiting(had) if sign.number(had) == Some(position) && !sign.rewrites(had) => {
            held.standing
        }
        _ => Standing::Waiting(place),
    }
}

/// A ticket that has a number keeps it through this; one without has a name at least, under which the next request asks
/// whether this draw happened after all, and counts the tries, so that its holder comes back later each time.
pub(super) fn without_store(
    held: Ticket,
    brought: Brought,
    fault: Unseen,
    now: Now,
    after: FollowUp,
) -> Visit {
    let standing = match held.standing {
        Standing::Provisional { tries } => Standing::Provisional {
            tries: tries.saturating_add(1).min(MOST_TRIES),
        },
        numbered => numbered,
    };
    Visit {
        end: VisitOutcome::Held,
        changed: brought == Brought::Nothing
            || standing != held.standing
            || held.is_to_be_renewed(now),
        ticket: Ticket { standing, ..held },
        way_in: WayIn::Sign,
        renewal: None,
        shared: Shared::No,
        sign: None,
        is_old: false,
        fault,
        after,
    }
}
