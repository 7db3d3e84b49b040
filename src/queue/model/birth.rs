//! How a line begins, and how an older one comes back: what POPs and tickets prove.

use super::journal::NOBODY;
use super::pieces::{Piece, Pieces};
use super::{Call, Model};
use crate::queue::{Begun, Cursor, Lane, Sign, WaitingProof};

/// While the data are this young, an older line may come back, and no ticket ends for its birth.
pub(super) const YOUNG_MS: u64 = 120_000;

/// After an older line came back, nothing is released until the data are this old; tickets prove nothing before.
pub(super) const SETTLE_MS: u64 = 10_000;

/// Numbers left free behind an older line: what was drawn in [`SPAN_MS`], and at least this many.
pub(super) const LEAST_GAP: u64 = 20;

const SPAN_MS: u64 = 4_000;

/// Numbers drawn in spans of four seconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Windows {
    window: u64,
    /// The length when the span began.
    from: u64,
    /// How many were drawn in the span before.
    last: u64,
}

impl Windows {
    /// The numbers so far were not drawn now.
    pub(super) fn begin_at(&mut self, length: u64) {
        self.from = length;
    }

    pub(super) fn count_draw(&mut self, now_ms: u64, length: u64) {
        let window = now_ms / SPAN_MS;
        if window != self.window {
            let is_next = window == self.window + 1;
            self.last = if is_next { length - self.from } else { 0 };
            (self.window, self.from) = (window, length);
        }
    }

    pub(super) fn recent(&self, now_ms: u64, length: u64) -> u64 {
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

/// Behind the numbers that a copy knows: it may be older than the last of them.
pub(super) fn behind(known: &Sign) -> u64 {
    known.length + known.birth.recent.max(LEAST_GAP)
}

impl Model {
    /// What happens before each verb: the line is born, or what the POP knows is taken over.
    pub(super) fn begin(&mut self, call: Call<'_>) {
        self.open_journal();
        let birth = &mut self.sign.birth;
        if self.is_new {
            (birth.born, birth.started, self.anchor_ms) = (call.now_ms, call.now_ms, call.now_ms);
        }
        let settled = birth.settled;
        // A clock that jumps back makes no data young again.
        let age = call.now_ms.saturating_sub(birth.started);
        if birth.started > 0 && age >= YOUNG_MS {
            (birth.sealed, birth.settled) = (true, birth.settled.max(birth.started));
        }
        self.begin_sessions(call.now_ms);
        self.begin_regions(call.now_ms);
        self.show_birth(call.now_ms);
        if let Some(known) = call.known {
            self.take_sign(known, settled, call.now_ms);
        }
        let who = call.known.map_or(NOBODY, |_| "sign");
        let head = call.known.and_then(|known| known.head);
        self.note_return(who, head, call.now_ms);
        self.begin_event(call);
        self.judge(call.now_ms);
        self.show(call.now_ms);
    }

    fn take_sign(&mut self, known: &Sign, settled: u64, now_ms: u64) {
        let before = self.sign.birth.order();
        let age = known.birth.started.cmp(&self.sign.birth.started);
        self.take_line(known, settled, now_ms);
        self.take_lanes(known, before, now_ms);
        // Of this line, or of a piece of it.
        let (birth, born) = (&self.sign.birth, known.birth.born);
        if born == birth.born || birth.splice_of(born).is_some() {
            self.take_live(&known.live);
            let begun = self.sign.begun.take();
            self.sign.begun = Begun::joined(begun, known.begun.as_ref(), age);
            self.keep_waiting(known.begun.as_ref());
        }
    }

    /// `settled` is what the store says; data that became old since then, unless they were restored, have settled too.
    fn take_line(&mut self, known: &Sign, settled: u64, now_ms: u64) {
        let (birth, other) = (&self.sign.birth, &known.birth);
        let (base, order) = (birth.born, birth.order());
        let here = self.known_of_last(known);
        let is_same = other.order() == birth.order();
        // The numbers of an epoch that has ended are of no use.
        let is_late = !birth.young
            && other.born == base
            && other.started < birth.started
            && known.epoch >= self.sign.epoch;
        let mut past = Pieces::of(other, behind(known));
        let has_lost_lines = is_same && known.lines > Some(self.journal_lines());
        let is_behind = (is_same || is_late) && self.is_older_than(known);
        if other.order() > birth.order() || is_behind || has_lost_lines {
            let cleared = is_late && self.cleared;
            if is_late {
                past = past.joined(self.pieces());
                self.count_anew();
            } else if birth.young && birth.adopted == 0 {
                past.grow(self.pieces().pop(birth.started));
            } else {
                self.sign.birth.settled = settled;
                past = self.pieces().joined(past);
            }
            self.begin_new_data(past, other.started, now_ms);
            self.cleared = cleared;
        } else if birth.young && other.started < birth.started {
            let mut here = Pieces::of(birth, self.sign.length);
            let own = here.pop(birth.started);
            self.lay(here.joined(past), own);
        } else {
            return;
        }
        if known.birth.born == self.sign.birth.born {
            self.take_values(known, (base, order));
            self.leave_gap(known, here, now_ms);
            self.take_sessions(known, now_ms);
        }
    }

    /// Whether a sign is further on than the line: then the store has lost data.
    fn is_older_than(&self, known: &Sign) -> bool {
        let reached = &self.sign;
        known.length > reached.length
            || known.cursor > reached.cursor
            || known.epoch > reached.epoch
            || known.live.version > reached.live.version
            || self.lanes_are_behind(known)
    }

    pub(super) fn is_young(&self, now_ms: u64) -> bool {
        let birth = &self.sign.birth;
        !birth.sealed && birth.started > 0 && now_ms.saturating_sub(birth.started) < YOUNG_MS
    }

    pub(super) fn pieces(&self) -> Pieces {
        Pieces::of(&self.sign.birth, behind(&self.sign))
    }

    /// Puts piece behind piece, those of the present data last.
    pub(super) fn lay(&mut self, past: Pieces, own: Piece) {
        let began = self.sign.length - own.many;
        let laid = past.laid_out(own);
        let birth = &mut self.sign.birth;
        let is_of_another = birth.born != laid.born;
        let is_other = birth.adopted == 0 || is_of_another;
        birth.settled = laid.settled;
        if is_other || birth.splices != laid.splices {
            if is_other {
                self.quiet_ms = birth.started + SETTLE_MS;
                self.left = 0;
            }
            (birth.born, birth.adopted) = (laid.born, birth.adopted + 1);
            birth.splices = laid.splices;
            // Where pieces move, the numbers that were left free among them do too.
            self.gaps.remove(&Lane::Main);
            self.forget_rate();
        }
        let drawn = self.windows.from.saturating_sub(began).min(own.many);
        self.windows.from = laid.offset + drawn;
        self.sign.length = laid.length;
        self.sign.cursor = self.sign.cursor.min(Cursor(laid.length));
        if is_of_another {
            self.gaps.clear();
            self.forget_front();
            self.forget_regions();
        }
    }

    /// The store has lost data, so no copy may show the last numbers that were given: what is drawn from now on moves when
    /// a better copy comes.
    pub(super) fn begin_new_data(&mut self, past: Pieces, after_ms: u64, now_ms: u64) {
        let birth = &mut self.sign.birth;
        birth.started = now_ms.max(birth.started + 1).max(after_ms + 1);
        (birth.adopted, birth.sealed) = (0, false);
        let own = Piece {
            born: birth.started,
            many: 0,
        };
        (self.cleared, self.lent) = (false, self.sign.credit);
        self.begin_ring();
        self.lay(past, own);
    }

    /// What a copy says of the line besides its numbers; `base` was the line before it came, and `order` what it had adopted.
    fn take_values(&mut self, known: &Sign, (base, order): (u64, (u64, u64))) {
        let birth = &self.sign.birth;
        if birth.order() != order {
            self.lend(known.credit);
        }
        if base == self.sign.birth.born {
            self.sign.epoch = self.sign.epoch.max(known.epoch);
            self.remember_cursor(known.cursor);
        } else {
            self.sign.epoch = known.epoch;
            self.sign.cursor = Cursor(known.cursor.0.min(self.sign.length));
        }
    }

    /// Credit that came back with a line is replaced by what a better copy says; credit granted since is added to it. Credit
    /// that an operator cleared stays cleared.
    fn lend(&mut self, credit: u64) {
        if self.cleared {
            return;
        }
        self.sign.credit = self.sign.credit - self.lent.min(self.sign.credit) + credit;
        self.lent = credit;
    }

    pub(super) fn remember_cursor(&mut self, seen: Cursor) {
        if seen > self.sign.cursor {
            // Remembered, not admitted now: the measurement begins anew.
            self.sign.cursor = Cursor(seen.0.min(self.sign.length));
            self.forget_rate();
        }
    }

    pub(super) fn begin_anew(&mut self, now_ms: u64) {
        self.sign.epoch = (self.sign.epoch + 1).max(now_ms / 1000);
        self.sign.cursor = Cursor(self.sign.length);
        self.sign.credit = 0;
        self.end_front();
        self.end_regions();
        self.quiet_ms = 0;
        self.forget_rate();
        let birth = &mut self.sign.birth;
        (birth.started, birth.sealed) = (now_ms.max(birth.started + 1), true);
        birth.settled = birth.started;
        birth.splices.clear();
    }

    /// What a ticket proves: its piece of the line has reached its number. A line of the version before has no birth, so any
    /// ticket of that version may be of another line: it proves nothing.
    pub(super) fn take_ticket(&mut self, id: &str, place: WaitingProof, now_ms: u64) {
        let birth = &self.sign.birth;
        let is_base = place.born == birth.born;
        let splice = birth.splice_of(place.born).filter(|_| !is_base);
        if is_base && birth.started > 0 || splice.is_some() {
            let end = self.sign.greatest(place.born);
            let offset = splice.map_or(0, |splice| splice.offset);
            if place.position.0 + offset > end {
                self.take_number(place, end, now_ms);
            }
            if place.born != self.sign.birth.started {
                self.show_held(Lane::Main, place.position.0 + offset);
            }
            if is_base {
                self.sign.epoch = self.sign.epoch.max(place.epoch);
                self.remember_cursor(Cursor(place.cursor_at_draw.0.min(place.position.0)));
            }
        } else {
            self.witness(id, place, now_ms);
        }
        self.show_birth(now_ms);
    }

    pub(super) fn show_birth(&mut self, now_ms: u64) {
        self.sign.birth.young = self.is_young(now_ms);
        self.sign.birth.recent = self.windows.recent(now_ms, self.sign.length);
    }
}
