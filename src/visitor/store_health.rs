//! What the sandboxes of a POP tell each other of the store's troubles, and what follows from it: for the next draw, and
//! for visitors who may go in without the store.
//!
//! The rules are in [`queue`](crate::queue); the notes are in the POP's cache.

use std::time::Duration;

use crate::cache::{
    BoardCache, CachedBoard, Marker, Markers, Pop, RefreshGuard, TicketMark, read, write,
};
use crate::config::OnStoreError;
use crate::queue::breaker::{Breaker, Closure, Reopening};
use crate::queue::chance::Chance;
use crate::queue::health::LONGEST_MARKER_MS;
use crate::queue::outage::{Failures, Outage};
use crate::queue::share;
use crate::queue::{Board, Now};
use crate::queue::{Mode, Pace};
use crate::request::Request;
use crate::store::upstash::StoreError;

/// How long a POP remembers that its calls failed: longer than the rules look back.
const KEPT: Duration = Duration::from_mins(1);
/// How long it remembers whom it let in last: as long as it keeps the last board.
const ENTRY_KEPT: Duration = Duration::from_hours(24);

/// So old a board is believed that the room is open, when a call fails and the store may be well.
const OPEN_BELIEVED_MS: u64 = 10_000;

/// The draws of a POP, as one request sees them.
pub struct Draws<'a> {
    pop: &'a dyn Markers,
    now: Now,
    chance: Chance,
    outage: Outage,
    breaker: Breaker,
}

impl<'a> Draws<'a> {
    /// What is known as the request begins.
    #[must_use]
    pub fn new(pop: &'a dyn Markers, now: Now, chance: Chance) -> Self {
        let outage = outage(pop);
        // A draw that fails notes that too, and in good times one note less is read.
        let breaker = (outage.failures).map_or_else(Breaker::default, |_| breaker(pop));
        Self {
            pop,
            now,
            chance,
            outage,
            breaker,
        }
    }

    /// Whether this request may draw.
    #[must_use]
    pub fn are_let(&self) -> bool {
        self.breaker.lets_draw(self.now.ms(), self.chance)
    }

    /// Its draw succeeded.
    pub fn succeeded(&self) {
        note_answered(self.outage, self.pop, self.now);
        // What closed while this draw was on its way is not opened by it.
        if self.breaker.closure.is_none() {
            return;
        }
        if let Some(reopening) = breaker(self.pop).succeeded(self.now.ms()) {
            let numbers = [reopening.after_ms, reopening.share];
            write(self.pop, Marker::Reopening, numbers, KEPT);
        }
    }

    /// Its draw failed.
    pub fn failed(&self, fault: &StoreError) {
        failed(self.pop, self.now, fault);
        if *fault == StoreError::NotAsked {
            return;
        }
        if let Some(closure) = breaker(self.pop).failed(self.now.ms(), self.chance) {
            let numbers = [closure.until_ms, closure.repeats];
            write(self.pop, Marker::Closure, numbers, KEPT);
        }
    }
}

/// A call that began then was answered.
pub fn answered(pop: &dyn Markers, began: Now) {
    note_answered(outage(pop), pop, began);
}

fn note_answered(outage: Outage, pop: &dyn Markers, began: Now) {
    if outage.is_ended_by(began.ms()) {
        write(pop, Marker::Answered, [began.ms()], KEPT);
    }
}

/// The format in which another version of the service keeps the line, where calls of this POP failed for that a moment ago.
pub(crate) fn other_format(pop: &dyn Markers) -> Option<u64> {
    read(pop, Marker::Format).map(|[kept]| kept)
}

/// A call that began then was not answered. One that was never sent says nothing of the store.
pub fn failed(pop: &dyn Markers, began: Now, fault: &StoreError) {
    if *fault == StoreError::NotAsked {
        return;
    }
    if let StoreError::OtherFormat(kept) = fault {
        write(pop, Marker::Format, [*kept], KEPT);
    }
    if let Some(failures) = outage(pop).failed(began.ms()) {
        let numbers = [failures.since_ms, failures.last_ms, failures.calls];
        write(pop, Marker::Failures, numbers, KEPT);
    }
}

/// Renews the copy of the board, and tells the store what was counted.
pub(crate) fn renew(duty: RefreshGuard, request: &Request<'_>) -> CachedBoard {
    let (pop, now) = (request.pop, request.now);
    let batches = pop.next_batches();
    let (board, fault) = match request.line().release_due(&batches) {
        Ok(board) => (Some(board), None),
        Err(fault) => (None, Some(fault)),
    };
    let copy = CachedBoard::of(board, pop, now);
    match fault {
        None => {
            duty.renew(&copy);
            pop.acknowledge(&batches);
            answered(pop, now);
        }
        // The duty goes to the next request.
        Some(StoreError::NotAsked) => {}
        Some(fault) => {
            duty.renew(&copy);
            failed(pop, now, &fault);
        }
    }
    copy
}

/// Whether a visitor goes in without an answer of the store, by the last board known: into an open room, and by the policy
/// `admit` when the store is really away and it is this visitor's turn in the share that this POP has of the pace. Where nothing was left
/// of a stock, none does.
#[must_use]
pub fn lets_in(board: Option<&Board>, request: &Request<'_>) -> bool {
    let (pop, now) = (request.pop, request.now);
    if board.is_some_and(|board| board.live.stock == Some(0) && stock_counts(board, request)) {
        return false;
    }
    match board.map(|board| mode(board, pop, now)) {
        Some(Mode::Hold | Mode::Closed) => false,
        Some(Mode::Open) if is_recent(pop, now) => true,
        Some(Mode::Open) => outage(pop).is_real(now.ms()),
        Some(Mode::Automatic) | None => {
            let pace = board.map_or(request.room.pace, |board| pace(board, request));
            // Each POP has its part of the pace, and so has each of the rooms that have it together.
            let pops = board.and_then(|board| board.pops);
            let rooms = request.config.rooms.sharing_with(request.room);
            let pops = pops.map(|pops| pops.saturating_mul(rooms));
            request.config.outage.policy == OnStoreError::Admit
                && is_open_here(request)
                && outage(pop).is_real(now.ms())
                && takes_turn(pace, pops, pop, now)
        }
    }
}

/// Whether the stock of this board still counts: one that was reported while an event ran counts while that runs.
fn stock_counts(board: &Board, request: &Request<'_>) -> bool {
    let Some(of) = &board.live.stock_of else {
        return true;
    };
    let event = request.event().filter(|(_, phase)| phase.runs());
    event.is_some_and(|(event, _)| *of == format!("{}:{}", event.id, event.opens_ms))
}

/// The pace of this board; where it is that of an event which has ended since, the one before it.
fn pace(board: &Board, request: &Request<'_>) -> Pace {
    let now_ms = request.now_of_events().ms();
    match &board.brought.pace {
        Some((by, _)) if (1..=now_ms).contains(&by.until_ms) => board.brought.pace_after,
        _ => board.live.pace,
    }
}

/// Whether no event is closed now, as far as is known here.
fn is_open_here(request: &Request<'_>) -> bool {
    let now_ms = request.now_of_events().ms();
    let event = request.event();
    event.is_none_or(|(event, phase)| {
        let ends_open = event.then.is_none_or(Mode::lets_in);
        phase.lets_in() && (ends_open || !event.is_over(now_ms))
    })
}

/// A sick origin keeps new visitors out as long as a marker stands; what the last board says of it is not longer true.
fn mode(board: &Board, pop: &dyn BoardCache, now: Now) -> Mode {
    let last = pop.last();
    let may_stand =
        last.is_some_and(|last| now.ms().saturating_sub(last.read_ms) <= LONGEST_MARKER_MS);
    if may_stand {
        board.mode()
    } else {
        board.scheduled_mode()
    }
}

/// Whether the last board is so young that the mode can hardly have changed since. A POP that was quiet for a while may not
/// have heard that the room was closed.
fn is_recent(pop: &dyn BoardCache, now: Now) -> bool {
    let last = pop.last();
    last.is_some_and(|last| now.ms().saturating_sub(last.read_ms) <= OPEN_BELIEVED_MS)
}

/// The note of the last visitor may be read as it was before it was overwritten, so the turn has a mark as well. Two turns are never
/// less than an interval apart.
fn takes_turn(pace: Pace, pops: Option<u64>, pop: &dyn Pop, now: Now) -> bool {
    let Some(interval_us) = share::interval_us(pace, pops) else {
        return false;
    };
    let after = |entry: Option<[u64; 1]>| {
        let last_us = entry.map(|[last_us]| last_us);
        share::let_in(last_us, interval_us, now.ms().saturating_mul(1000))
    };
    // Nearly always it is not: that takes no turn.
    if after(read(pop, Marker::Entry)).is_none() {
        return false;
    }
    let mut is_let_in = false;
    pop.alone(Marker::Entry, &mut || {
        if let Some(last_us) = after(read(pop, Marker::Entry)) {
            let turn = last_us.checked_div(interval_us).unwrap_or(last_us);
            is_let_in = pop.is_first(TicketMark::Turn, &format!("{interval_us}-{turn}"));
            write(pop, Marker::Entry, [last_us], ENTRY_KEPT);
        }
    });
    is_let_in
}

fn breaker(pop: &dyn Markers) -> Breaker {
    let Some([until_ms, repeats]) = read(pop, Marker::Closure) else {
        return Breaker::default();
    };
    let reopening = read(pop, Marker::Reopening);
    Breaker {
        closure: Some(Closure { until_ms, repeats }),
        reopening: reopening.map(|[after_ms, share]| Reopening { after_ms, share }),
    }
}

fn outage(pop: &dyn Markers) -> Outage {
    let failures = read(pop, Marker::Failures);
    let failures = failures.map(|[since_ms, last_ms, calls]| Failures {
        since_ms,
        last_ms,
        calls,
    });
    let answered_ms = failures.and_then(|_| read(pop, Marker::Answered));
    Outage {
        failures,
        answered_ms: answered_ms.map(|[answered_ms]| answered_ms),
    }
}
