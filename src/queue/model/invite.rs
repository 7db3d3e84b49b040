//! How a visitor of the model goes past the line by an invitation: straight in, or by a number of the front lane.

use super::claim::Told;
use super::{Asker, Model};
use crate::queue::{Claim, Invited, Lane, Mode, Presented, RegionName, WaitingProof, Way};
use std::collections::{BTreeMap, BTreeSet};

const MINUTE_MS: u64 = 60_000;

/// What is kept beside the line, and so survives it.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// By the id of the invitation.
    many: BTreeMap<String, u64>,
    /// By the id of the ticket: the birth and the epoch of the line, and the last minute of the session.
    given: BTreeMap<String, (u64, u64, Option<u64>)>,
    /// By the id of the ticket: what it drew in the front lane.
    front: BTreeMap<String, WaitingProof>,
    /// By the id of the ticket: what it drew in a region.
    region: BTreeMap<String, (RegionName, WaitingProof)>,
    /// The tickets that drew in the front lane once more, since the line of their number was lost.
    again: BTreeSet<String>,
}

impl Uses {
    /// The ticket has claimed a session.
    pub(super) fn forget(&mut self, id: &str) {
        self.given.remove(id);
        self.front.remove(id);
        self.region.remove(id);
    }

    pub(super) fn drawn_in_front(&self, id: &str) -> Option<WaitingProof> {
        self.front.get(id).copied()
    }

    pub(super) fn drawn_in_region(&self, id: &str) -> Option<(RegionName, WaitingProof)> {
        self.region.get(id).copied()
    }

    pub(super) fn draw_in_region(&mut self, id: &str, drawn: (RegionName, WaitingProof)) {
        self.region.insert(id.to_owned(), drawn);
    }

    /// Whether the ticket may draw there once more; from now on it may not.
    pub(super) fn draws_again(&mut self, id: &str) -> bool {
        self.again.insert(id.to_owned())
    }

    pub(super) fn draw_in_front(&mut self, id: &str, place: WaitingProof) {
        self.front.insert(id.to_owned(), place);
    }
}

/// How many went in by an invitation in a minute.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Minute {
    minute: u64,
    many: u64,
}

impl Model {
    /// Goes past the line by an invitation, and what becomes of that. A number of the front lane may use what is left of the
    /// budget.
    pub(super) fn go_past(&mut self, asker: Asker<'_>, now_ms: u64) -> Told {
        let told = self.go_in(asker, now_ms);
        if told.has_gone_past() {
            return told;
        }
        let (position, invited) = self.arrive_in_front(asker, now_ms);
        let invited = invited.or(told.invited);
        let Some(position) = position else {
            return Told { invited, ..told };
        };
        self.release(now_ms);
        let is_called = position.0 <= self.sign.of(Lane::Front).cursor.0;
        let claim = is_called.then(|| self.claim(asker, (Lane::Front, position), None, now_ms));
        Told {
            position: Some(position),
            lane: Lane::Front,
            claim: claim.flatten(),
            invited,
            ..told
        }
    }

    /// Straight in, with the last minute of the session where a cap holds. The line has released what is due, and neither its
    /// budget nor its promises are used.
    pub(super) fn go_in(&mut self, asker: Asker<'_>, now_ms: u64) -> Told {
        let brought = asker.invitation;
        let Some(presented) = brought.filter(|brought| brought.opens(Way::In)) else {
            return Told::default();
        };
        let told = |invited, end: Option<u64>| Told {
            claim: end.map(Claim::Session),
            invited: Some(invited),
            ..Told::default()
        };
        let this = now_ms / MINUTE_MS;
        let (born, epoch) = (self.sign.birth.born, self.sign.epoch);
        if self.mode(now_ms).lets_in()
            && let Some((of, at, end)) = self.claims.uses.given.get(asker.id).copied()
            && (of, at) == (born, epoch)
            && end.is_none_or(|end| this <= end)
        {
            return told(Invited::In, end);
        }
        if self.mode(now_ms) == Mode::Open {
            return told(Invited::Kept, None);
        }
        if let Some(refused) = self.refused(presented, now_ms) {
            return told(refused, None);
        }
        if !self.may_invite(presented, now_ms) {
            return told(Invited::Kept, None);
        }
        let end = self.cap().map(|cap| this + cap.session_minutes);
        self.use_up(presented);
        self.count_in(this);
        self.journal.count_invited();
        if let Some(end) = end {
            self.inside.open(end, 1, now_ms);
        }
        let uses = &mut self.claims.uses;
        uses.given.insert(asker.id.to_owned(), (born, epoch, end));
        told(Invited::In, end)
    }

    /// Why an invitation is no longer good.
    pub(super) fn refused(&self, presented: Presented<'_>, now_ms: u64) -> Option<Invited> {
        let invitation = presented.invitation;
        let uses = self.claims.uses.many.get(&invitation.id).copied();
        if now_ms >= invitation.ends.saturating_mul(1000) {
            Some(Invited::Expired)
        } else if uses.unwrap_or(0) >= invitation.uses {
            Some(Invited::Used)
        } else {
            None
        }
    }

    /// Slots that are promised to called visitors are not free.
    fn may_invite(&self, presented: Presented<'_>, now_ms: u64) -> bool {
        let Minute { minute, many } = self.invited;
        let many = if minute == now_ms / MINUTE_MS {
            many
        } else {
            0
        };
        self.mode(now_ms) == Mode::Automatic
            && now_ms >= self.quiet_ms
            && many < presented.per_minute
            && self.slots(now_ms) != Some(0)
    }

    pub(super) fn use_up(&mut self, presented: Presented<'_>) {
        let id = presented.invitation.id.clone();
        *self.claims.uses.many.entry(id).or_default() += 1;
    }

    fn count_in(&mut self, this: u64) {
        let Minute { minute, many } = self.invited;
        let before = if minute == this { many } else { 0 };
        self.invited = Minute {
            minute: this,
            many: before + 1,
        };
    }
}
