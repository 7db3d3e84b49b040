//! How the model knows who is inside, where a cap holds.

use super::Model;
use super::inside::{Inside, Promise};
use crate::queue::sessions::{Cap, Cell, Enforcement, Renewal, Sessions, free_slots};
use crate::queue::{Cursor, Mode, Sign};

const MINUTE_MS: u64 = 60_000;

impl Model {
    /// The same line with this cap.
    #[must_use]
    pub fn with_cap(self, cap: Option<Cap>) -> Self {
        Self { cap, ..self }
    }

    /// The cap that holds: an operator's, else the configured one.
    pub(super) fn cap(&self) -> Option<Cap> {
        self.sign.live.cap.or(self.cap).filter(Cap::holds)
    }

    /// What happens before each verb: slots that were not claimed return.
    pub(super) fn begin_sessions(&mut self, now_ms: u64) {
        let this = now_ms / MINUTE_MS;
        let Inside { ring, base, .. } = &mut self.inside;
        ring.retain(|end, many| *end >= this && *many != 0);
        base.retain(|end, _| *end >= this);
        self.inside.settle(this);
        let Some(cap) = self.cap() else {
            return;
        };
        let is_still = !self.mode(now_ms).lets_in();
        let inside = &mut self.inside;
        inside.floor = inside.floor.min(this + cap.session_minutes);
        if self.counted.minute() > inside.capped || inside.since == 0 {
            inside.since = this;
        }
        let first_end = this + cap.session_minutes;
        inside.first_end = Some(inside.first_end.map_or(first_end, |end| end.min(first_end)));
        let minutes = this.saturating_sub(inside.late_at).min(60);
        inside.late >>= minutes;
        inside.late_at = inside.late_at.max(this);
        let second = now_ms / 1000;
        for promise in &mut inside.promises {
            promise.second = if is_still {
                second
            } else {
                promise.second.min(second)
            };
        }
        while let Some(promise) = inside.promises.front().copied()
            && now_ms > (promise.second + cap.claim_seconds) * 1000
        {
            inside.promises.pop_front();
            inside.late += promise.many;
            inside.lapsed = inside.lapsed.max(promise.number);
        }
    }

    /// What happens after each verb.
    pub(super) fn end_of_verb(&mut self, now_ms: u64) {
        if self.cap().is_some() {
            self.inside.capped = self.inside.capped.max(now_ms / MINUTE_MS);
        }
    }

    /// The cap that decides.
    fn enforced(&self) -> Option<Cap> {
        let is_enforced = |cap: &Cap| cap.enforcement == Enforcement::On;
        self.cap()
            .filter(is_enforced)
            .filter(|_| self.sign.live.mode != Mode::Open)
    }

    pub(super) fn is_recounting(&self, now_ms: u64) -> bool {
        self.enforced().is_some() && now_ms / MINUTE_MS < self.inside.recount
    }

    /// Free slots, also where the cap only observes; nothing without one.
    pub(super) fn free_slots(&self) -> Option<u64> {
        let (cap, inside) = (self.cap()?, &self.inside);
        Some(free_slots(
            cap.total_active,
            inside.sum(),
            inside.promised(),
        ))
    }

    /// How many visitors may be released; nothing without a limit.
    pub(super) fn slots(&self, now_ms: u64) -> Option<u64> {
        self.enforced()?;
        if self.is_recounting(now_ms) {
            return Some(0);
        }
        self.free_slots()
    }

    /// How many called visitors may come in now.
    pub(super) fn claimable(&self, cap: Cap, now_ms: u64) -> u64 {
        match self.slots(now_ms) {
            None => cap.total_active.saturating_sub(self.inside.sum()).max(1),
            Some(_) if now_ms < self.quiet_ms || self.is_recounting(now_ms) => 0,
            Some(slots) => self.inside.promised() + slots,
        }
    }

    /// Released visitors have their slots for a while.
    pub(super) fn promise(&mut self, many: u64, now_ms: u64) {
        if self.cap().is_none() || many == 0 {
            return;
        }
        let (second, number) = (now_ms / 1000, self.sign.cursor.0);
        let promises = &mut self.inside.promises;
        match promises.back_mut() {
            Some(last) if last.second >= second => {
                last.many += many;
                last.number = number;
            }
            _ => promises.push_back(Promise {
                second,
                many,
                number,
            }),
        }
    }

    /// A POP has renewed sessions.
    pub(super) fn renew(&mut self, renewed: &[(Renewal, u64)], now_ms: u64) {
        let Some(cap) = self.cap() else {
            return;
        };
        let floor = self.inside.floor;
        let is_of_now = |from: u64| from == 0 || from >= floor;
        for (Renewal { from, to }, many) in
            renewed.iter().filter(|(moved, _)| is_of_now(moved.from))
        {
            if self.inside.is_unheard_of(*from) {
                let until = self.sign.birth.started / MINUTE_MS + cap.session_minutes + 1;
                self.inside.recount = self.inside.recount.max(until);
            } else {
                self.leave(*from, *many, now_ms);
            }
            self.inside.open(*to, *many, now_ms);
        }
    }

    /// A copy of the sign knows who was inside before a loss; the latest one counts. A cap that an operator set comes only after
    /// this.
    pub(super) fn take_sessions(&mut self, known: &Sign, now_ms: u64) {
        let this = now_ms / MINUTE_MS;
        let inside = &mut self.inside;
        if let Some(known) = &known.sessions
            && known.told_ms > inside.told_ms
        {
            (inside.told_ms, inside.recount) = (known.told_ms, 0);
            inside.since = match inside.since {
                0 => known.since,
                since => since.min(known.since),
            };
            let cells = known.cells.iter().filter(|cell| cell.end >= this);
            let cells = cells
                .map(|cell| (cell.end, cell.many.cast_signed()))
                .collect();
            inside.rebase(cells);
        }
    }

    /// The store has lost data: what it knows of sessions is as old as the rest.
    pub(super) fn begin_ring(&mut self) {
        self.inside.base = self.inside.settled();
    }

    /// Every ticket has ended, and with it every session.
    pub(super) fn end_sessions(&mut self, now_ms: u64) {
        let minutes = self.cap().map(|cap| cap.session_minutes);
        let inside = &mut self.inside;
        inside.floor = minutes.map_or(0, |minutes| now_ms / MINUTE_MS + minutes);
        inside.ring.clear();
        inside.base.clear();
        inside.promises.clear();
        (inside.late, inside.lapsed, inside.recount) = (0, 0, 0);
        (inside.owed, inside.ended_last) = (0, 0);
    }

    /// Sessions leave a minute; what stood at one that is over has left already.
    pub(super) fn leave(&mut self, end: u64, many: u64, now_ms: u64) {
        let this = now_ms / MINUTE_MS;
        if end < this {
            return;
        }
        let left = self.inside.ring.entry(end).or_default();
        *left -= many.cast_signed();
        if *left < 0 {
            self.inside.owed = this;
        }
    }

    pub(super) fn inside_mut(&mut self) -> &mut Inside {
        &mut self.inside
    }

    /// No session ends later, also where a POP that has not heard of an end makes it longer in the next seconds.
    pub(super) fn last_end(&self, this: u64) -> u64 {
        let minutes = self.cap().map_or(0, |cap| cap.session_minutes);
        let mut ends = self.inside.ring.iter().filter(|(_, many)| **many > 0);
        let latest = ends.next_back().map_or(0, |(end, _)| *end);
        latest.max(this + minutes + 1)
    }

    /// What the sign says of the cap.
    pub(super) fn show_sessions(&mut self, now_ms: u64) {
        let told = self.cap().map(|cap| {
            let inside = &self.inside;
            let settled = inside.settled().into_iter();
            let cells = settled.map(|(end, many)| Cell {
                end,
                many: many.unsigned_abs(),
            });
            let is_listed = now_ms / MINUTE_MS <= inside.ended_last;
            Sessions {
                total_active: cap.total_active,
                minutes: cap.session_minutes,
                enforcement: cap.enforcement,
                told_ms: now_ms,
                since: inside.since,
                promised: inside.promised(),
                claimable: self.claimable(cap, now_ms),
                late: inside.late,
                lapsed: Cursor(inside.lapsed),
                cells: cells.collect(),
                ended: if is_listed { inside.ended } else { 0 },
            }
        });
        self.sign.sessions = told;
    }
}
