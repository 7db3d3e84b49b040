//! How a line begins, and how an older one comes back: what POPs and tickets prove.

use super::{Call, Model};
use crate::admission::Cursor;
use crate::queue::{Birth, Live, Place, Sign, Splice};

/// While the data are this young, an older line may come back, and no ticket ends for its birth.
const YOUNG_MS: u64 = 120_000;
/// After an older line came back, nothing is released until the data are this old; tickets prove nothing before.
const SETTLE_MS: u64 = 10_000;
/// Numbers left free behind an older line: what was drawn in [`SPAN_MS`], and at least so many.
const LEAST_GAP: u64 = 20;
const SPAN_MS: u64 = 4_000;
/// So many tickets of one birth restore their line.
const WITNESSES: usize = 3;
/// So many splices are remembered.
const SPLICES: usize = 4;

/// Numbers drawn in spans of four seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Windows {
    window: u64,
    /// The length when the span began.
    from: u64,
    /// How many were drawn in the span before.
    last: u64,
}

/// What tickets of one older birth prove.
#[derive(Clone, Debug)]
pub(super) struct Proofs {
    greatest: Place,
    ids: Vec<String>,
}

impl Windows {
    pub(super) fn count_draw(&mut self, now_ms: u64, length: u64) {
        let window = now_ms / SPAN_MS;
        if window != self.window {
            let is_next = window == self.window + 1;
            self.last = if is_next { length - self.from } else { 0 };
            (self.window, self.from) = (window, length);
        }
    }

    fn recent(&self, now_ms: u64, length: u64) -> u64 {
        let (window, current) = (now_ms / SPAN_MS, length - self.from);
        if window == self.window {
            current + self.last
        } else if window == self.window + 1 {
            current
        } else {
            0
        }
    }
}

fn gap(recent: u64) -> u64 {
    recent.max(LEAST_GAP)
}

impl Model {
    /// What happens before each verb: the line is born, or what the POP knows is taken over.
    pub(super) fn begin(&mut self, call: Call<'_>) {
        if self.is_new {
            let birth = &mut self.sign.birth;
            (birth.born, birth.started, self.anchor_ms) = (call.now_ms, call.now_ms, call.now_ms);
        }
        if let Some(known) = call.known {
            self.take_sign(known, call.now_ms);
        }
        self.judge(call.now_ms);
        self.show(call.now_ms);
    }

    fn take_sign(&mut self, known: &Sign, now_ms: u64) {
        let (birth, other) = (&self.sign.birth, &known.birth);
        let is_better = birth.adopted == 0 || other.born > birth.born;
        if other.born == birth.born {
            self.take_maxima(known);
        } else if other.started > birth.started {
            self.take_live(&known.live);
            self.go_back_to(known, now_ms);
        } else if self.is_young(now_ms) && other.born < birth.started && is_better {
            if self.sign.live.version == 0 {
                self.take_live(&known.live);
            }
            self.adopt(known);
        }
    }

    fn is_young(&self, now_ms: u64) -> bool {
        let birth = &self.sign.birth;
        !birth.sealed && birth.started > 0 && now_ms.saturating_sub(birth.started) < YOUNG_MS
    }

    /// The same line: nothing it has shown is taken back. A sign that is further on means that a backup was restored.
    fn take_maxima(&mut self, known: &Sign) {
        if known.length > self.sign.length {
            self.sign.length = known.length + gap(known.birth.recent);
            self.windows.from = self.sign.length;
        }
        self.sign.epoch = self.sign.epoch.max(known.epoch);
        self.remember_cursor(known.cursor);
        if known.birth.order() > self.sign.birth.order() {
            self.sign.birth = known.birth.clone();
        }
        if known.live.version > self.sign.live.version {
            self.take_live(&known.live);
        }
    }

    /// The data are older than the sign: an old backup was restored. All of the sign's line comes back.
    fn go_back_to(&mut self, known: &Sign, now_ms: u64) {
        self.sign.birth = known.birth.clone();
        self.sign.length = known.length + gap(known.birth.recent);
        self.windows.from = self.sign.length;
        self.continue_from(known);
        self.anchor_ms = now_ms;
    }

    /// The numbers drawn meanwhile follow behind those of the older line.
    fn adopt(&mut self, known: &Sign) {
        let base = known.length + gap(known.birth.recent);
        let birth = &mut self.sign.birth;
        let own = birth.splices.first().map_or(0, |splice| splice.offset);
        let shift = i64::try_from(base).unwrap_or(i64::MAX) - own;
        for splice in &mut birth.splices {
            splice.offset += shift;
        }
        if birth.splices.len() < SPLICES {
            birth.splices.push(Splice {
                born: birth.born,
                above: u64::try_from(own).unwrap_or(0),
                offset: shift,
            });
        }
        (birth.born, birth.adopted) = (known.birth.born, birth.adopted + 1);
        self.quiet_ms = birth.started + SETTLE_MS;
        self.anchor_ms = self.quiet_ms;
        self.sign.length = self.sign.length.saturating_add_signed(shift);
        self.windows.from = self.windows.from.saturating_add_signed(shift);
        self.continue_from(known);
    }

    fn continue_from(&mut self, known: &Sign) {
        self.sign.cursor = Cursor(known.cursor.0.min(known.length));
        self.sign.epoch = known.epoch;
        self.sign.credit = known.credit;
        self.left = 0;
        self.checkpoints = None;
    }

    fn take_live(&mut self, live: &Live) {
        if live.version > 0 {
            self.sign.live = live.clone();
        }
    }

    fn remember_cursor(&mut self, seen: Cursor) {
        if seen > self.sign.cursor {
            // Remembered, not admitted now: the measurement begins anew.
            self.sign.cursor = Cursor(seen.0.min(self.sign.length));
            self.checkpoints = None;
        }
    }

    pub(super) fn begin_anew(&mut self, now_ms: u64) {
        self.sign.epoch = (self.sign.epoch + 1).max(now_ms / 1000);
        self.sign.cursor = Cursor(self.sign.length);
        self.sign.credit = 0;
        self.quiet_ms = 0;
        self.checkpoints = None;
        let birth = &mut self.sign.birth;
        (birth.started, birth.sealed) = (now_ms, true);
        birth.splices.clear();
    }

    /// What a ticket proves: the line it belongs to has reached its number.
    pub(super) fn take_ticket(&mut self, id: &str, place: Place, now_ms: u64) {
        if place.born == self.sign.birth.born {
            self.sign.epoch = self.sign.epoch.max(place.epoch);
            if place.position.0 > self.sign.length {
                self.sign.length = place.position.0 + LEAST_GAP;
                self.windows.from = self.sign.length;
            }
            self.remember_cursor(Cursor(place.seen.0.min(place.position.0)));
        } else {
            self.witness(id, place, now_ms);
        }
        self.show_birth(now_ms);
    }

    /// When no sign has come, three tickets of one birth restore their line; of several births the youngest counts.
    fn witness(&mut self, id: &str, place: Place, now_ms: u64) {
        let birth = &self.sign.birth;
        let age = now_ms.saturating_sub(birth.started);
        let is_time = (SETTLE_MS..YOUNG_MS).contains(&age);
        if birth.sealed || birth.adopted > 0 || place.born >= birth.started || !is_time {
            return;
        }
        let nothing = || Proofs {
            greatest: Place {
                epoch: 0,
                position: crate::admission::Position(0),
                seen: Cursor(0),
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
        let (greatest, seen) = (&mut proofs.greatest, place.seen.0.min(place.position.0));
        greatest.epoch = greatest.epoch.max(place.epoch);
        greatest.position = greatest.position.max(place.position);
        greatest.seen = greatest.seen.max(Cursor(seen));
        if !proofs.ids.iter().any(|known| known == id) {
            proofs.ids.push(id.to_owned());
        }
        if proofs.ids.len() < WITNESSES {
            self.proofs = Some(proofs);
            return;
        }
        let greatest = proofs.greatest;
        self.adopt(&Sign {
            pops: None,
            birth: Birth {
                born: greatest.born,
                ..Birth::default()
            },
            epoch: greatest.epoch,
            cursor: greatest.seen,
            length: greatest.position.0,
            credit: 0,
            measured: None,
            live: Live::default(),
        });
    }

    pub(super) fn show_birth(&mut self, now_ms: u64) {
        self.sign.birth.young = self.is_young(now_ms);
        self.sign.birth.recent = self.windows.recent(now_ms, self.sign.length);
    }
}
