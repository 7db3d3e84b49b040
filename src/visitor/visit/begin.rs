//! The ticket with which a visit begins.

use crate::queue::Now;
use crate::ticket::{Notice, Standing, Ticket};

/// The ticket that came, or a new one where none came or its time is over.
pub(super) fn held(ticket: Option<Ticket>, fresh: &str, now: Now) -> Ticket {
    let new = || provisional_ticket(fresh.to_owned(), now);
    match ticket {
        None => new(),
        Some(lapsed) if lapsed.has_lapsed(now) => Ticket {
            notice: lapsed.position().map(|_| ended(lapsed.standing)),
            language: lapsed.language,
            ..new()
        },
        Some(ticket) => ticket,
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

/// A ticket whose number is still to be drawn.
#[must_use]
pub fn provisional_ticket(id: String, now: Now) -> Ticket {
    Ticket {
        id,
        standing: Standing::Provisional { tries: 0 },
        signed: now.secs(),
        life: 0,
        grace: None,
        still: false,
        called: false,
        language: None,
        notice: None,
    }
}

/// The same after the line was started anew, in the language that its holder chose.
pub(super) fn anew(held: Ticket, now: Now) -> Ticket {
    Ticket {
        notice: Some(Notice::Anew),
        language: held.language,
        ..provisional_ticket(held.id, now)
    }
}
