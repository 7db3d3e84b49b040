//! What tickets prove, when no sign has come.

use super::Model;
use super::birth::{LEAST_GAP, SETTLE_MS, YOUNG_MS};
use super::pieces::{Piece, Pieces};
use crate::queue::{Cursor, WaitingProof};

/// How many tickets of one birth restore their line.
const WITNESSES: usize = 3;

/// What tickets of one older birth prove.
#[derive(Clone, Debug)]
pub(super) struct Proofs {
    greatest: WaitingProof,
    ids: Vec<String>,
}

impl Model {
    /// When no sign has come, three tickets of one birth restore their line; of several births the youngest counts.
    pub(super) fn witness(&mut self, id: &str, place: WaitingProof, now_ms: u64) {
        let birth = &self.sign.birth;
        let age = now_ms.saturating_sub(birth.started);
        let is_time = (SETTLE_MS..YOUNG_MS).contains(&age);
        if birth.sealed || birth.adopted > 0 || place.born >= birth.started || !is_time {
            return;
        }
        let nothing = || Proofs {
            greatest: WaitingProof {
                epoch: 0,
                position: crate::queue::Position(0),
                cursor_at_draw: Cursor(0),
                ..place
            },
            ids: Vec::new(),
        };
        let known = self.proofs.take().unwrap_or_else(nothing);
        if known.greatest.born > place.born {
            self.proofs = Some(known);
            return;
        }
        let is_same = known.greatest.born == place.born;
        let mut proofs = if is_same { known } else { nothing() };
        let (greatest, seen) = (
            &mut proofs.greatest,
            place.cursor_at_draw.0.min(place.position.0),
        );
        greatest.epoch = greatest.epoch.max(place.epoch);
        greatest.position = greatest.position.max(place.position);
        greatest.cursor_at_draw = greatest.cursor_at_draw.max(Cursor(seen));
        if !proofs.ids.iter().any(|known| known == id) {
            proofs.ids.push(id.to_owned());
        }
        if proofs.ids.len() < WITNESSES {
            self.proofs = Some(proofs);
            return;
        }
        self.restore(proofs.greatest, now_ms);
    }

    /// A number beyond what is known of its piece. If that is the last piece, the store has lost data.
    pub(super) fn take_number(&mut self, place: WaitingProof, end: u64, now_ms: u64) {
        let (started, young) = (self.sign.birth.started, self.sign.birth.young);
        let piece = Piece {
            born: place.born,
            many: place.position.0 + LEAST_GAP,
        };
        if end == self.sign.length {
            let mut past = self.pieces();
            past.grow(piece);
            self.begin_new_data(past, 0, now_ms);
            self.leave_free(now_ms);
        } else if young {
            let mut past = Pieces::of(&self.sign.birth, self.sign.length);
            let own = past.pop(started);
            past.grow(piece);
            self.lay(past, own);
        }
    }

    /// The line comes back as far as the ticket of this place proves it.
    fn restore(&mut self, greatest: WaitingProof, now_ms: u64) {
        let restored = Piece {
            born: greatest.born,
            many: greatest.position.0 + LEAST_GAP,
        };
        let mut past = Pieces::default();
        let own = Piece {
            born: self.sign.birth.started,
            many: self.sign.length,
        };
        past.grow(restored);
        self.lay(past, own);
        self.leave_free(now_ms);
        // Nobody has said who waits in the lanes: the free numbers wait with them.
        self.gaps.clear();
        (self.sign.epoch, self.sign.cursor) = (greatest.epoch, greatest.cursor_at_draw);
    }
}
