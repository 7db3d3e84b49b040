//! The straight line of one visit: ticket, at most one call to the store, verdict.
//!
//! Invariant: whoever is inside costs no call, and nobody costs more than one.

use crate::admission::{Position, Verdict, decide};
use crate::config::{Config, OnStoreError};
use crate::line::{Line, Place, Sign};
use crate::negotiate::Kind;
use crate::ticket::{Standing, Ticket};
use crate::upstash::StoreError;

/// How a visit ended, and what is known from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Visit {
    /// Where the visitor stands now.
    pub end: End,
    /// What the visitor holds from now on.
    pub ticket: Ticket,
    /// Whether that differs from what came, so that it has to be signed.
    pub changed: bool,
    /// The sign, if this visit saw it.
    pub sign: Option<Sign>,
    /// Why the store did not answer, if it did not.
    pub fault: Option<StoreError>,
}

/// Where a visitor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At the origin.
    Inside,
    /// In line, behind so many.
    Waiting {
        /// How many go in before.
        ahead: u64,
    },
    /// Held, since the store did not answer: a place is kept, a number is drawn by the next request.
    Held,
    /// Not a visitor, and without a ticket that would let it in: no number drawn, no call made.
    Outside,
}

/// Decides one visit. `ticket` has been verified; `fresh` becomes the id of a new one.
#[must_use]
pub fn visit(
    kind: Kind,
    ticket: Option<Ticket>,
    fresh: &str,
    line: &Line<'_>,
    config: &Config,
) -> Visit {
    let now = line.now_ms / 1000;
    let is_new = ticket.is_none();
    let held = ticket.unwrap_or_else(|| Ticket {
        id: fresh.to_owned(),
        standing: Standing::Unnumbered,
        grace: None,
    });
    if held.is_inside(now) {
        return Visit::unasked(End::Inside, held);
    }
    let asked = match (held.standing, kind) {
        (_, Kind::Prefetch) => return Visit::unasked(End::Outside, held),
        (Standing::Waiting(place), _) => line.look(&held.id, place),
        (_, Kind::Visit) => line.join(&held.id),
        _ => return Visit::unasked(End::Outside, held),
    };
    match asked {
        Ok((sign, position)) => decided(held, sign, position, now),
        Err(fault) => without_store(held, is_new, fault, now, config),
    }
}

impl Visit {
    /// Decided from the ticket alone.
    fn unasked(end: End, ticket: Ticket) -> Self {
        Self {
            end,
            ticket,
            changed: false,
            sign: None,
            fault: None,
        }
    }
}

fn decided(held: Ticket, sign: Sign, position: Position, now: u64) -> Visit {
    let epoch = sign.epoch;
    let (end, standing) = match decide(position, sign.cursor) {
        Verdict::Admit => {
            let at = now;
            let standing = Standing::Admitted {
                position,
                epoch,
                at,
            };
            (End::Inside, standing)
        }
        Verdict::Wait { ahead } => (End::Waiting { ahead }, placed(&held, sign, position)),
    };
    let changed = standing != held.standing;
    let grace = held.grace.filter(|_| !changed);
    Visit {
        end,
        ticket: Ticket {
            standing,
            grace,
            ..held
        },
        changed,
        sign: Some(sign),
        fault: None,
    }
}

/// The place it had, or the one it just drew.
fn placed(held: &Ticket, sign: Sign, position: Position) -> Standing {
    match held.standing {
        Standing::Waiting(place) if place.position == position && place.epoch == sign.epoch => {
            held.standing
        }
        _ => Standing::Waiting(Place {
            epoch: sign.epoch,
            position,
            seen: sign.cursor,
        }),
    }
}

/// A ticket that has a number keeps it through this; a new one has a name at least, under which the next request asks
/// whether this draw happened after all.
fn without_store(
    held: Ticket,
    is_new: bool,
    fault: StoreError,
    now: u64,
    config: &Config,
) -> Visit {
    let (end, grace) = match config.on_store_error {
        OnStoreError::Hold => (End::Held, held.grace),
        OnStoreError::Admit => (End::Inside, Some(now.saturating_add(config.admit_for))),
    };
    Visit {
        end,
        changed: is_new || grace != held.grace,
        ticket: Ticket { grace, ..held },
        sign: None,
        fault: Some(fault),
    }
}
