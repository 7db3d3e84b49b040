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
const SPLICES: usize = 8;

/// What an operator has set since the data began: newer than any sign from before.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Since {
    pub(super) mode: bool,
    pub(super) pace: bool,
}

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

/// Behind the numbers that a sign knows: it may be older than the last of them.
fn behind(known: &Sign) -> u64 {
    known.length + known.birth.recent.max(LEAST_GAP)
}

/// The greater offset counts, where both are known.
fn add_splice(splices: &mut Vec<Splice>, splice: Splice) {
    match splices.iter_mut().find(|known| known.born == splice.born) {
        Some(known) => known.offset = known.offset.max(splice.offset),
        None => splices.push(splice),
    }
}

/// What was born before this line settled, and is not known to the sign, has ended.
fn without_ended(mut splices: Vec<Splice>, known: &Sign) -> Vec<Splice> {
    let birth = &known.birth;
    splices.retain(|splice| splice.born >= birth.settled || birth.splice_of(splice.born).is_some());
    splices
}

impl Splice {
    fn by(self, offset: u64) -> Self {
        Self {
            offset: self.offset + offset,
            ..self
        }
    }
}

impl Model {
    /// What happens before each verb: the line is born, or what the POP knows is taken over.
    pub(super) fn begin(&mut self, call: Call<'_>) {
        let birth = &mut self.sign.birth;
        if self.is_new {
            (birth.born, birth.started, self.anchor_ms) = (call.now_ms, call.now_ms, call.now_ms);
        }
        // A clock that jumps back makes no data young again.
        let age = call.now_ms.saturating_sub(birth.started);
        if birth.started > 0 && age >= YOUNG_MS {
            (birth.sealed, birth.settled) = (true, birth.settled.max(birth.started));
        }
        self.show_birth(call.now_ms);
        if let Some(known) = call.known {
            self.take_sign(known, call.now_ms);
        }
        self.judge(call.now_ms);
        self.show(call.now_ms);
    }

    fn take_sign(&mut self, known: &Sign, now_ms: u64) {
        let (birth, other) = (&self.sign.birth, &known.birth);
        let is_same = other.born == birth.born;
        let is_better = birth.adopted == 0 || other.born > birth.born;
        let is_later = other.order() > birth.order();
        let moves = birth.own_splice().is_some();
        if is_same && moves && other.started < birth.started {
            self.take_better_copy(known);
        } else if is_same && !(is_later && moves) {
            self.take_maxima(known, now_ms);
        } else if is_later {
            self.take_live(&known.live, Since::default());
            self.go_back_to(known, now_ms);
        } else if !birth.young || other.born >= birth.started {
            return;
        } else if moves && other.born > birth.born && other.is_fragment() {
            if other.born >= birth.settled {
                self.take_fragment(known);
            }
        } else if is_better || birth.fragment {
            self.take_live_from_before(&known.live);
            self.adopt(known);
        }
        self.show_birth(now_ms);
    }

    fn is_young(&self, now_ms: u64) -> bool {
        let birth = &self.sign.birth;
        !birth.sealed && birth.started > 0 && now_ms.saturating_sub(birth.started) < YOUNG_MS
    }

    fn own_offset(&self) -> u64 {
        let own = self.sign.birth.own_splice();
        own.map_or(0, |splice| splice.offset)
    }

    /// The numbers that the present data gave follow behind `base`; `others` are the splices of the sign.
    fn splice_behind(&mut self, base: u64, others: &[Splice]) {
        let drawn_here = self.sign.length - self.own_offset();
        let from = self.windows.from.saturating_sub(self.own_offset());
        let birth = &mut self.sign.birth;
        let own = Splice {
            born: birth.started,
            offset: base,
        };
        let others = others.iter().filter(|splice| splice.born != own.born);
        let mut splices: Vec<Splice> = others.copied().collect();
        splices.push(own);
        let oldest = splices.len().saturating_sub(SPLICES);
        birth.splices = splices.split_off(oldest);
        self.sign.length = base + drawn_here;
        self.windows.from = base + from;
    }

    /// A better copy of the line that these young data have adopted: what they gave moves behind it.
    fn take_better_copy(&mut self, known: &Sign) {
        let mut others = known.birth.splices.clone();
        for splice in &self.sign.birth.splices {
            add_splice(&mut others, *splice);
        }
        let others = without_ended(others, known);
        let birth = &mut self.sign.birth;
        birth.fragment &= known.birth.is_fragment();
        birth.settled = birth.settled.max(known.birth.settled);
        let base = self.own_offset();
        if behind(known) > base {
            self.sign.birth.adopted += 1;
            self.lend(known.credit);
            self.checkpoints = None;
        }
        self.splice_behind(base.max(behind(known)), &others);
        self.sign.epoch = self.sign.epoch.max(known.epoch);
        self.remember_cursor(Cursor(known.cursor.0.min(known.length)));
        if self.since.mode || self.since.pace || known.live.version > self.sign.live.version {
            self.take_live_from_before(&known.live);
        }
    }

    /// A younger line that was lost before this one's sign could reach it: its numbers follow behind this line, and the
    /// numbers of the present data behind those.
    fn take_fragment(&mut self, known: &Sign) {
        let (birth, own) = (&self.sign.birth, self.own_offset());
        let (born, same) = (known.birth.born, birth.splice_of(known.birth.born));
        let offset = same.map_or(own, |splice| splice.offset);
        let base = own.max(offset + behind(known));
        let mut others = birth.splices.clone();
        add_splice(&mut others, Splice { born, offset });
        for splice in &known.birth.splices {
            add_splice(&mut others, splice.by(offset));
        }
        if base > own {
            self.sign.birth.adopted += 1;
            self.checkpoints = None;
        }
        self.splice_behind(base, &others);
    }

    /// The same line: nothing it has shown is taken back. A sign that is further on means that a backup was restored.
    fn take_maxima(&mut self, known: &Sign, now_ms: u64) {
        let reached = &self.sign;
        let is_further = known.length > reached.length
            || known.cursor > reached.cursor
            || known.epoch > reached.epoch;
        let is_before = known.birth.started < reached.birth.started;
        if known.length > self.sign.length {
            self.sign.length = behind(known);
            self.windows.from = self.sign.length;
        }
        self.sign.epoch = self.sign.epoch.max(known.epoch);
        self.remember_cursor(known.cursor);
        if is_further && !is_before {
            self.sign.credit = known.credit;
            (self.left, self.anchor_ms) = (0, now_ms);
        }
        if known.birth.order() > self.sign.birth.order() {
            self.sign.birth = known.birth.clone();
        }
        if known.live.version > self.sign.live.version {
            if is_before {
                self.take_live_from_before(&known.live);
            } else {
                self.take_live(&known.live, Since::default());
            }
        }
    }

    /// The data are older than the sign: a backup was restored, or the store's clock jumped back when it lost its data. All
    /// of the sign's line comes back; numbers that young data gave follow.
    fn go_back_to(&mut self, known: &Sign, now_ms: u64) {
        let base = behind(known);
        let birth = &self.sign.birth;
        let has_ended = birth.started < known.birth.settled;
        let knows_these = known.birth.splice_of(birth.started).is_some();
        if birth.young && !has_ended && !knows_these {
            self.splice_behind(base, &known.birth.splices);
        } else {
            self.sign.birth.splices.clone_from(&known.birth.splices);
            self.sign.length = base;
            self.windows.from = base;
        }
        self.sign.birth = Birth {
            splices: std::mem::take(&mut self.sign.birth.splices),
            ..known.birth.clone()
        };
        self.sign.cursor = Cursor(known.cursor.0.min(known.length));
        self.sign.epoch = known.epoch;
        self.sign.credit = known.credit;
        (self.left, self.anchor_ms, self.checkpoints) = (0, now_ms, None);
    }

    /// The numbers drawn meanwhile follow behind those of the older line.
    fn adopt(&mut self, known: &Sign) {
        let (mut base, mut others) = (behind(known), known.birth.splices.clone());
        let birth = &self.sign.birth;
        if birth.fragment && known.birth.born < birth.born {
            // The fragment follows behind the older line, and so does what followed behind the fragment.
            let same = known.birth.splice_of(birth.born);
            let offset = same.map_or(base, |splice| splice.offset);
            add_splice(
                &mut others,
                Splice {
                    born: birth.born,
                    offset,
                },
            );
            for splice in &birth.splices {
                add_splice(&mut others, splice.by(offset));
            }
            others = without_ended(others, known);
            base = base.max(self.own_offset() + offset);
        }
        self.splice_behind(base, &others);
        let birth = &mut self.sign.birth;
        (birth.fragment, birth.settled) = (known.birth.is_fragment(), known.birth.settled);
        (birth.born, birth.adopted) = (known.birth.born, birth.adopted + 1);
        self.quiet_ms = birth.started + SETTLE_MS;
        self.sign.cursor = Cursor(known.cursor.0.min(known.length));
        self.sign.epoch = known.epoch;
        self.lend(known.credit);
        (self.left, self.anchor_ms, self.checkpoints) = (0, self.quiet_ms, None);
    }

    /// What an operator had set comes back, but for what an operator has set since.
    fn take_live(&mut self, live: &Live, since: Since) {
        let configured = Live {
            pace: self.configured,
            ..Live::default()
        };
        let mut other = if live.version > 0 {
            live.clone()
        } else {
            configured
        };
        if !other.paced {
            other.pace = self.configured;
        }
        let own = &mut self.sign.live;
        if since.mode {
            other.mode = own.mode;
        }
        if since.pace {
            (other.pace, other.paced) = (own.pace, own.paced);
        }
        if since.mode || since.pace {
            other.version = own.version.max(live.version + 1);
        }
        *own = other;
    }

    fn take_live_from_before(&mut self, live: &Live) {
        self.take_live(live, self.since);
    }

    /// Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it.
    fn lend(&mut self, credit: u64) {
        self.sign.credit = self.sign.credit - self.lent.min(self.sign.credit) + credit;
        self.lent = credit;
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
        (birth.started, birth.sealed) = (now_ms.max(birth.started + 1), true);
        birth.settled = birth.started;
        birth.splices.clear();
    }

    /// What a ticket proves: the line it belongs to has reached its number. A line of the version before has no birth, so
    /// any ticket of that version may be of another line: it proves nothing.
    pub(super) fn take_ticket(&mut self, id: &str, place: Place, now_ms: u64) {
        let birth = &self.sign.birth;
        let splice = birth.splice_of(place.born);
        if place.born == birth.born && birth.started > 0 {
            self.take_number(place);
        } else if let Some(splice) = splice {
            let number = place.position.0 + splice.offset;
            if number > self.sign.length {
                self.sign.length = number + LEAST_GAP;
                self.windows.from = self.sign.length;
            }
        } else {
            self.witness(id, place, now_ms);
        }
        self.show_birth(now_ms);
    }

    fn take_number(&mut self, place: Place) {
        self.sign.epoch = self.sign.epoch.max(place.epoch);
        let base = place.position.0 + LEAST_GAP;
        match self.sign.birth.own_splice() {
            Some(own) if place.position.0 > own.offset => {
                let others = self.sign.birth.splices.clone();
                self.splice_behind(base, &others);
                self.sign.birth.adopted += 1;
                self.checkpoints = None;
            }
            _ if place.position.0 > self.sign.length => {
                self.sign.length = base;
                self.windows.from = base;
            }
            _ => {}
        }
        self.remember_cursor(Cursor(place.seen.0.min(place.position.0)));
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
