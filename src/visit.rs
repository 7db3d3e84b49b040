//! The straight line of one visit: ticket, at most one call to the store, verdict.
//!
//! Invariant: whoever is inside costs no call, and nobody costs more than one.

use crate::admission::{Position, Verdict, decide};
use crate::config::{Config, OnStoreError};
use crate::line::{Line, Place, Sign};
use crate::negotiate::Kind;
use crate::ticket::{Standing, Ticket};
use crate::upstash::StoreError;

/// How a visit ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Visit {
    /// To the origin. The ticket is to be signed anew when it changed.
    Inside {
        /// What the visitor holds from now on.
        ticket: Ticket,
        /// Whether that differs from what came.
        changed: bool,
        /// The sign, if this visit saw it.
        sign: Option<Sign>,
        /// Why the store did not answer, if that is why the visitor is inside.
        fault: Option<StoreError>,
    },
    /// In line, with the number and how many are ahead.
    Waiting {
        /// What the visitor holds from now on.
        ticket: Ticket,
        /// Whether that differs from what came.
        changed: bool,
        /// The number.
        position: Position,
        /// How many are ahead.
        ahead: u64,
        /// The sign.
        sign: Sign,
    },
    /// Held, since the store did not answer; an old place is kept, a new number is drawn by the next request.
    Held {
        /// What the visitor holds from now on.
        ticket: Ticket,
        /// Whether that differs from what came.
        changed: bool,
        /// Why.
        fault: StoreError,
    },
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
    let held = match ticket {
        Some(ticket) if ticket.is_inside(now) => return Visit::entered(ticket),
        Some(ticket) => ticket,
        None => Ticket {
            id: fresh.to_owned(),
            standing: Standing::Unnumbered,
            grace: None,
        },
    };
    let asked = match (held.standing, kind) {
        (_, Kind::Prefetch) => return Visit::Outside,
        (Standing::Waiting(place), _) => line.look(&held.id, place),
        (_, Kind::Visit) => line.join(&held.id),
        _ => return Visit::Outside,
    };
    match asked {
        Ok((sign, position)) => decided(held, sign, position, now),
        Err(fault) => without_store(held, fresh, fault, now, config),
    }
}

impl Visit {
    fn entered(ticket: Ticket) -> Self {
        Self::Inside {
            ticket,
            changed: false,
            sign: None,
            fault: None,
        }
    }
}

fn decided(held: Ticket, sign: Sign, position: Position, now: u64) -> Visit {
    let Verdict::Wait { ahead } = decide(position, sign.cursor) else {
        let standing = Standing::Admitted {
            position,
            epoch: sign.epoch,
            at: now,
        };
        let ticket = Ticket {
            standing,
            grace: None,
            ..held
        };
        return Visit::Inside {
            ticket,
            changed: true,
            sign: Some(sign),
            fault: None,
        };
    };
    let kept = matches!(held.standing, Standing::Waiting(place) if place.position == position && place.epoch == sign.epoch);
    let ticket = if kept {
        held
    } else {
        let place = Place {
            epoch: sign.epoch,
            position,
            seen: sign.cursor,
        };
        Ticket {
            standing: Standing::Waiting(place),
            grace: None,
            ..held
        }
    };
    Visit::Waiting {
        ticket,
        changed: !kept,
        position,
        ahead,
        sign,
    }
}

/// A ticket that keeps its number keeps it through this; one without gets a name, under which the next request asks
/// whether this draw happened after all.
fn without_store(held: Ticket, fresh: &str, fault: StoreError, now: u64, config: &Config) -> Visit {
    match config.on_store_error {
        OnStoreError::Hold => {
            let changed = held.id == fresh;
            Visit::Held {
                ticket: held,
                changed,
                fault,
            }
        }
        OnStoreError::Admit => {
            let ticket = Ticket {
                grace: Some(now.saturating_add(config.admit_for)),
                ..held
            };
            Visit::Inside {
                ticket,
                changed: true,
                sign: None,
                fault: Some(fault),
            }
        }
    }
}
