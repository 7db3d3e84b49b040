//! How a called visitor claims a session of the model, where a cap holds.

use super::Model;
use crate::queue::{Claim, LineAnswer, Position, TicketState, WaitingProof};
use std::collections::{BTreeMap, BTreeSet};

const MINUTE_MS: u64 = 60_000;
/// For how long a repeated question gets the same session, wherever it comes from.
const REPEATED_MS: u64 = 300_000;

/// What is kept beside the line, and so survives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    by_id: BTreeMap<String, Claimed>,
    /// By birth, epoch and number.
    numbers: BTreeSet<(u64, u64, u64)>,
}

#[derive(Clone, Debug)]
struct Claimed {
    place: WaitingProof,
    /// The last minute of the session.
    end: u64,
    at_ms: u64,
    network: String,
}

/// Who asks for a number or a session.
#[derive(Clone, Copy, Debug)]
pub struct Asker<'a> {
    /// The id of the ticket.
    pub id: &'a str,
    /// The network.
    pub network: &'a str,
}

impl Model {
    /// What the ticket was given before, and whether the same visitor asks again.
    pub(super) fn claimed_before(
        &self,
        asker: Asker<'_>,
        now_ms: u64,
    ) -> Option<(Position, Claim)> {
        let claimed = self.claims.by_id.get(asker.id)?;
        let is_kept = self.cap().is_some() && now_ms / MINUTE_MS <= claimed.end;
        let TicketState::Placed(position) = TicketState::of(claimed.place, &self.sign) else {
            return None;
        };
        let is_soon = now_ms < claimed.at_ms / 1000 * 1000 + REPEATED_MS;
        let is_near = !asker.network.is_empty() && claimed.network == asker.network;
        let claim = if is_soon || is_near {
            Claim::Session(claimed.end)
        } else {
            Claim::Used
        };
        is_kept.then_some((position, claim))
    }

    /// A called visitor asks for a session. `place` is what the ticket says of its number, if it says so.
    pub(super) fn claim(
        &mut self,
        asker: Asker<'_>,
        position: Position,
        place: Option<WaitingProof>,
        now_ms: u64,
    ) -> Option<Claim> {
        let cap = self.cap()?;
        if !self.mode(now_ms).lets_in() {
            return Some(Claim::Full);
        }
        if let Some((_, claim)) = self.claimed_before(asker, now_ms) {
            return Some(claim);
        }
        let named = place.map(|place| (place.born, place.epoch, place.position.0));
        if named.is_some_and(|named| self.claims.numbers.contains(&named)) {
            return Some(Claim::Used);
        }
        if self.claimable(cap, now_ms) == 0 {
            return Some(Claim::Full);
        }
        self.inside.take_promise(position);
        let end = now_ms / MINUTE_MS + cap.session_minutes;
        self.inside.open(end, 1, now_ms);
        self.claims.numbers.extend(named);
        let claimed = Claimed {
            place: self.sign.place(position),
            end,
            at_ms: now_ms,
            network: asker.network.to_owned(),
        };
        self.claims.by_id.insert(asker.id.to_owned(), claimed);
        self.drawn.remove(asker.id);
        Some(Claim::Session(end))
    }

    pub(super) fn answered(
        &self,
        (position, claim): (Option<Position>, Option<Claim>),
    ) -> LineAnswer {
        LineAnswer {
            sign: self.sign.clone(),
            position: position.filter(|_| claim != Some(Claim::Used)),
            claim,
        }
    }
}
