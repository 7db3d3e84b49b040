//! How a visit ends, by what was seen.

use super::seen::BoardRead;
use super::tickets::anew_with;
use super::verdict::verdict;
use super::{FollowUp, Visit, VisitOutcome};
use crate::queue::backoff::MOST_TRIES;
use crate::queue::{Board, Claim, Drawn, Invited, Lane, Now, Place};
use crate::request::Request;
use crate::store::upstash::StoreError;
use crate::ticket::{Notice, Ticket, TicketStage};
use crate::visitor::Brought;

pub(super) fn decided(
    held: Ticket,
    seen: BoardRead,
    after: FollowUp,
    request: &Request<'_>,
) -> Visit {
    if seen.claim == Some(Claim::Used) {
        return used(held, seen.board, after, request);
    }
    let now = request.now;
    let end = verdict(&seen);
    let is_waiting = matches!(end, VisitOutcome::Waiting { .. });
    if !is_waiting && is_over(&seen) {
        return turn_over(&held, seen.board, after, now);
    }
    let stage = stage(end, &held, &seen, request);
    let is_new = stage != held.stage;
    let by_lot = matches!(stage, TicketStage::Waiting(proof) if proof.place.came.is_some());
    let known = || seen.board.of(seen.lane).begun.clone();
    let event = held.event.clone().filter(|_| !is_new).or_else(known);
    let event = event.filter(|_| by_lot);
    let invited = seen.invited.or_else(|| revoked(&held, request));
    let notice = notice(&held, seen.notice, invited);
    let lane = seen.position.map_or(held.lane, |_| seen.lane);
    let is_outside = end != VisitOutcome::Admitted;
    let is_brought = invited.is_none() && is_outside;
    let must_sign = is_new || invited.is_some() || held.is_to_be_renewed(now);
    let ticket = Ticket {
        drawn: held.drawn.or_else(|| drawn(end, &seen, lane, now)),
        stage,
        grace: held.grace.filter(|_| !is_new),
        notice: notice.filter(|_| is_outside),
        event,
        invitation: held.invitation.filter(|_| is_brought),
        lane,
        ..held
    };
    Visit {
        must_sign,
        board: Some(seen.board),
        is_old: seen.is_old,
        above: seen.above,
        invited,
        fault: seen.fault,
        ..Visit::unasked(end, ticket, after)
    }
}

/// When the number was drawn, where it has just been; a visitor of a lot waits from the draw on, too.
fn drawn(end: VisitOutcome, seen: &BoardRead, lane: Lane, now: Now) -> Option<Drawn> {
    let is_placed = end != VisitOutcome::Admitted && seen.position.is_some();
    is_placed.then(|| {
        let board = seen.board.of(lane);
        let ahead = end.row().ahead.filter(|_| board.mode().lets_in());
        let estimate = ahead.and_then(|ahead| board.estimated_wait(ahead, now.ms()));
        Drawn {
            at: now.secs(),
            estimate,
        }
    })
}

/// What the page says of the number or of the invitation. A number of a group ends what it said of that before.
fn notice(held: &Ticket, seen: Option<Notice>, invited: Option<Invited>) -> Option<Notice> {
    let said = invited.and_then(Notice::of_invitation);
    let before = held.notice.filter(|_| invited != Some(Invited::Group));
    said.or(seen).or(before)
}

/// A batch may be revoked while a ticket still brings its invitation.
fn revoked(held: &Ticket, request: &Request<'_>) -> Option<Invited> {
    let brought = held.invitation.as_ref()?;
    let is_revoked = request.room.invitations.have_revoked(&brought.batch);
    is_revoked.then_some(Invited::Revoked)
}

/// What the ticket says of its holder from now on.
fn stage(end: VisitOutcome, held: &Ticket, seen: &BoardRead, request: &Request<'_>) -> TicketStage {
    let board = seen.board.of(seen.lane);
    // A visitor who goes in by an invitation has no number.
    let position = seen.position.filter(|_| seen.invited != Some(Invited::In));
    let place = position.map(|position| board.place(position));
    match (end, place) {
        (VisitOutcome::Challenged, _) => {
            let price = seen.price.unwrap_or_default();
            held.challenged(price, request.now, request.config.tickets.life)
        }
        (VisitOutcome::Admitted, place) => TicketStage::Admitted {
            position: place.map(|place| place.position),
            born: place.map_or(seen.board.own, |place| place.born),
            at: request.now.secs(),
            session: session(seen.claim),
        },
        (_, Some(place)) => placed(held, seen, place),
        (_, None) => TicketStage::Provisional {
            tries: 0,
            challenge: None,
        },
    }
}

/// The last minute of the session that a claim was given.
fn session(claim: Option<Claim>) -> Option<u64> {
    match claim {
        Some(Claim::Session(end)) => Some(end),
        Some(Claim::Full | Claim::Used) | None => None,
    }
}

/// The number has had its session, so the ticket is a copy: its holder gets one of their own, without a number so far.
fn used(held: Ticket, board: Board, after: FollowUp, request: &Request<'_>) -> Visit {
    let ticket = Ticket {
        language: held.language,
        notice: Some(Notice::Used),
        ..Ticket::provisional(request.call.id.clone(), request.now)
    };
    Visit {
        after,
        ..Visit::provisional(ticket, board)
    }
}

/// Whether the visitor was called too long ago. One who has a session came in time, and asks for the answer again.
fn is_over(seen: &BoardRead) -> bool {
    let is_late = |position| seen.board.of(seen.lane).is_over(position);
    session(seen.claim).is_none() && seen.position.is_some_and(is_late)
}

/// The turn has gone unused: its visitor draws anew with the next request. All that bring this ticket draw one number together.
pub(super) fn turn_over(held: &Ticket, board: Board, after: FollowUp, now: Now) -> Visit {
    let ticket = anew_with(held, Notice::TurnOver, now);
    Visit {
        after,
        ..Visit::provisional(ticket, board)
    }
}

/// The place it had, or the one it just drew.
fn placed(held: &Ticket, seen: &BoardRead, place: Place) -> TicketStage {
    let board = seen.board.of(seen.lane);
    let place = Place {
        came: seen.came,
        ..place
    };
    let proof = board.proof(place);
    match held.stage {
        // The store answered past the copy, which may be behind at the next poll: the ticket says how far the line was.
        _ if held.lane != seen.lane || seen.invited.is_some() => TicketStage::Waiting(proof),
        TicketStage::Waiting(had) if had.place == place => held.stage,
        TicketStage::Waiting(had)
            if board.number(had.place) == seen.position
                && had.place.came.is_some() == seen.came.is_some() =>
        {
            held.stage
        }
        _ => TicketStage::Waiting(proof),
    }
}

/// A ticket that has a number keeps it through this; one without has a name at least, under which the next request asks
/// whether this draw happened after all, and counts the tries, so that its holder comes back later each time.
pub(super) fn held_without_board(
    held: Ticket,
    brought: Brought,
    fault: Option<StoreError>,
    now: Now,
    after: FollowUp,
) -> Visit {
    let stage = match held.stage {
        TicketStage::Provisional { tries, challenge } => TicketStage::Provisional {
            tries: tries.saturating_add(1).min(MOST_TRIES),
            challenge,
        },
        numbered => numbered,
    };
    let must_sign =
        brought == Brought::Nothing || stage != held.stage || held.is_to_be_renewed(now);
    let ticket = Ticket { stage, ..held };
    Visit {
        must_sign,
        fault,
        ..Visit::unasked(VisitOutcome::Held, ticket, after)
    }
}
