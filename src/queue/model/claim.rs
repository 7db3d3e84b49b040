//! How a called visitor claims a session of the model, where a cap holds.

use super::Model;
use super::draw::Hour;
use super::invite::Uses;
use crate::queue::{
    AboveBound, Begun, Claim, Invited, Lane, LineAnswer, NetworkBound, Position, Presented,
    TicketState, WaitingProof,
};
use std::collections::{BTreeMap, BTreeSet};

const MINUTE_MS: u64 = 60_000;
/// For how long a repeated question gets the same session, wherever it comes from.
const REPEATED_MS: u64 = 300_000;

/// What is kept beside the line, and so survives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Claims {
    by_id: BTreeMap<String, Claimed>,
    /// By lane, birth, epoch and number.
    numbers: BTreeSet<(Lane, u64, u64, u64)>,
    /// What networks have drawn.
    pub(super) networks: BTreeMap<String, Hour>,
    /// Which invitations have been used.
    pub(super) uses: Uses,
}

#[derive(Clone, Debug)]
struct Claimed {
    lane: Lane,
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
    /// In which lane its number is, or was drawn before the line was lost.
    pub lane: Lane,
    /// What the ticket says of the event that gave it its number.
    pub event: Option<&'a Begun>,
    /// How many numbers it may draw.
    pub bound: NetworkBound,
    /// The invitation that it brings.
    pub invitation: Option<Presented<'a>>,
}

/// What a visitor is answered.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Told {
    pub(super) position: Option<Position>,
    pub(super) lane: Lane,
    pub(super) claim: Option<Claim>,
    pub(super) above: Option<AboveBound>,
    pub(super) invited: Option<Invited>,
}

impl Told {
    pub(super) fn of(position: Position, claim: Option<Claim>) -> Self {
        Self {
            position: Some(position),
            claim,
            ..Self::default()
        }
    }

    /// By an invitation.
    pub(super) fn has_gone_past(&self) -> bool {
        self.invited == Some(Invited::In) || self.lane == Lane::Front
    }
}

impl Model {
    /// What the ticket was given before, and whether the same visitor asks again.
    pub(super) fn claimed_before(&self, asker: Asker<'_>, now_ms: u64) -> Option<Told> {
        let claimed = self.claims.by_id.get(asker.id)?;
        let is_kept = self.cap().is_some() && now_ms / MINUTE_MS <= claimed.end;
        let sign = self.sign.of(claimed.lane);
        let TicketState::Placed(position) = TicketState::of(claimed.place, &sign) else {
            return None;
        };
        let is_soon = now_ms < claimed.at_ms / 1000 * 1000 + REPEATED_MS;
        let is_near = !asker.network.is_empty() && claimed.network == asker.network;
        let claim = if is_soon || is_near {
            Claim::Session(claimed.end)
        } else {
            Claim::Used
        };
        is_kept.then_some(Told {
            lane: claimed.lane,
            ..Told::of(position, Some(claim))
        })
    }

    /// A called visitor asks for a session. `place` is what the ticket says of its number, if it says so.
    pub(super) fn claim(
        &mut self,
        asker: Asker<'_>,
        (lane, position): (Lane, Position),
        place: Option<WaitingProof>,
        now_ms: u64,
    ) -> Option<Claim> {
        let cap = self.cap()?;
        if !self.mode(now_ms).lets_in() {
            return Some(Claim::Full);
        }
        if let Some(told) = self.claimed_before(asker, now_ms) {
            return told.claim;
        }
        let named = place.map(|place| (lane, place.born, place.epoch, place.position.0));
        if named.is_some_and(|named| self.claims.numbers.contains(&named)) {
            return Some(Claim::Used);
        }
        if self.claimable(cap, now_ms) == 0 {
            return Some(Claim::Full);
        }
        self.inside.take_promise((lane, position));
        let end = now_ms / MINUTE_MS + cap.session_minutes;
        self.inside.open(end, 1, now_ms);
        self.claims.numbers.extend(named);
        let claimed = Claimed {
            lane,
            // No lot moves it any more.
            place: WaitingProof {
                came: Some(position),
                ..self.sign.of(lane).place(position)
            },
            end,
            at_ms: now_ms,
            network: asker.network.to_owned(),
        };
        self.claims.by_id.insert(asker.id.to_owned(), claimed);
        self.drawn.remove(asker.id);
        self.claims.uses.forget(asker.id);
        Some(Claim::Session(end))
    }

    /// Each answer to a visitor who brings an invitation says what became of it.
    pub(super) fn answered(&self, asker: Asker<'_>, told: Told) -> LineAnswer {
        let Told {
            position,
            lane,
            claim,
            above,
            invited,
        } = told;
        LineAnswer {
            sign: self.sign.clone(),
            position: position.filter(|_| claim != Some(Claim::Used)),
            lane,
            claim,
            above,
            invited: invited.or(asker.invitation.map(|_| Invited::Kept)),
        }
    }
}
