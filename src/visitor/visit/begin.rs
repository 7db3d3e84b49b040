//! The ticket with which a visit begins.

use super::look::Seen;
use super::session::{anew_with, was_ended};
use crate::cache::{LastBoard, Pop};
use crate::queue::{Lane, Now};
use crate::ticket::{Notice, Standing, Ticket};

/// A new ticket where none came, or in the place of one whose time is over.
pub(super) fn new_ticket(lapsed: Option<Ticket>, fresh: &str, now: Now) -> Ticket {
    let new = Ticket::provisional(fresh, now);
    match lapsed {
        None => new,
        Some(lapsed) => Ticket {
            notice: lapsed.position().map(|_| ended(lapsed.standing)),
            language: lapsed.language,
            invitation: lapsed.invitation,
            ..new
        },
    }
}

/// Why a ticket whose time is over had a number. One with a session lived at least as long as that.
fn ended(standing: Standing) -> Notice {
    match standing {
        Standing::Admitted {
            session: Some(_), ..
        } => Notice::SessionOver,
        Standing::Admitted { session: None, .. }
        | Standing::Provisional { .. }
        | Standing::Waiting(_) => Notice::Lapsed,
    }
}

/// The same after the line was started anew, in the language that its holder chose and with the invitation.
pub(super) fn anew(held: Ticket, now: Now) -> Ticket {
    Ticket {
        notice: Some(Notice::Anew),
        language: held.language,
        invitation: held.invitation,
        ..Ticket::provisional(held.id, now)
    }
}

/// The ticket that draws in the place of one that has ended, or of one without a number.
pub(super) fn to_draw(held: Ticket, ended: &Seen, pop: &dyn Pop, now: Now) -> Ticket {
    if matches!(ended, Seen::SessionEnded) || was_ended(&held.id, pop) {
        anew_with(&held, Notice::SessionEnded, now)
    } else if held.position().is_some() {
        Ticket {
            lane: lane_of_lost(&held, pop),
            ..anew(held, now)
        }
    } else {
        let id = held.drawing_id(now);
        let lane = if id == held.id { held.lane } else { Lane::Main };
        Ticket { id, lane, ..held }
    }
}

/// Where a visitor draws whose line was lost: in the lane of the number that was. Not where all tickets were ended.
fn lane_of_lost(held: &Ticket, pop: &dyn LastBoard) -> Lane {
    match (held.standing, pop.last_board()) {
        (Standing::Waiting(proof), Some(board)) if !board.has_ended(proof.place.born) => held.lane,
        _ => Lane::Main,
    }
}
