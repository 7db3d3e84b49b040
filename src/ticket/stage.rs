//! What a ticket entitles its holder to, from the first contact on.

use super::Ticket;
use super::challenge::Challenged;
use crate::queue::{Lane, Now, Position, WaitingProof};

/// What a ticket entitles its holder to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TicketStage {
    /// The draw has not been confirmed: the next request repeats it under the same id.
    Provisional {
        /// How often its holder has tried without getting a number.
        tries: u64,
        /// What its holder was asked for a number.
        challenge: Option<Challenged>,
    },
    /// A place in the line.
    Waiting(WaitingProof),
    /// Inside since `at` (Unix seconds), with no question to the store until the ticket expires.
    Admitted {
        /// The number it was admitted with; none for a test ticket that was let in without one.
        position: Option<Position>,
        /// The roll of that number, or the one that gave numbers then.
        born: u64,
        /// When.
        at: u64,
        /// The last minute of the session, since 1970; none for a visitor let in without a cap.
        session: Option<u64>,
    },
}

impl Ticket {
    /// One whose number is still to be drawn.
    #[must_use]
    pub fn provisional(id: impl Into<String>, now: Now) -> Self {
        let stage = TicketStage::Provisional {
            tries: 0,
            challenge: None,
        };
        Self::new(id, stage, now)
    }

    /// One about to be signed, of which nothing else is known.
    #[must_use]
    pub fn new(id: impl Into<String>, stage: TicketStage, now: Now) -> Self {
        Self {
            id: id.into(),
            stage,
            signed: now.secs(),
            life: 0,
            grace: None,
            still: false,
            called: false,
            language: None,
            notice: None,
            event: None,
            invitation: None,
            lane: Lane::Main,
            head: None,
            drawn: None,
        }
    }

    /// Whether its number is still to be drawn.
    #[must_use]
    pub fn is_provisional(&self) -> bool {
        matches!(self.stage, TicketStage::Provisional { .. })
    }
}
