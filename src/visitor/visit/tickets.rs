//! The ticket with which a visit begins, and the one that is left where a stay or a line has ended.

use crate::queue::Now;
use crate::ticket::{Notice, Ticket, TicketStage};

/// A new ticket where none came, or in the place of one whose time is over.
pub(super) fn new_ticket(lapsed: Option<Ticket>, fresh: &str, now: Now) -> Ticket {
    let new = Ticket::provisional(fresh, now);
    match lapsed {
        None => new,
        Some(lapsed) => Ticket {
            notice: lapsed.position().map(|_| ended(lapsed.stage)),
            language: lapsed.language,
            invitation: lapsed.invitation,
            ..new
        },
    }
}

/// Why a ticket whose time is over had a number. One with a session lived at least as long as that.
fn ended(stage: TicketStage) -> Notice {
    match stage {
        TicketStage::Admitted {
            session: Some(_), ..
        } => Notice::SessionOver,
        TicketStage::Admitted { session: None, .. }
        | TicketStage::Provisional { .. }
        | TicketStage::Waiting(_) => Notice::Lapsed,
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

/// The visitor goes to the back of the line, under another name: the number of the old one has been used. Parallel requests
/// with the same ticket agree on that name, so they draw one number and take one slot.
pub(super) fn anew_with(held: &Ticket, notice: Notice, now: Now) -> Ticket {
    Ticket {
        notice: Some(notice),
        id: held.next_id(),
        ..anew(held.clone(), now)
    }
}

/// What is left to a visitor whose stay has ended: the place in the line, where there is one.
pub(super) fn outside(held: Ticket, now: Now) -> Ticket {
    match held.stage {
        TicketStage::Admitted { .. } => anew(held, now),
        TicketStage::Provisional { .. } | TicketStage::Waiting(_) => Ticket {
            grace: None,
            ..held
        },
    }
}
