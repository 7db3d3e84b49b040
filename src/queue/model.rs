//! The whole line in plain Rust: the specification of the scripts, which answer every trace as this does.
//!
//! Invariant: the cursor never falls and never passes the length, unless an older line comes back.

mod absent;
mod birth;
mod changes;
mod claim;
mod draw;
mod ended;
mod event;
mod explain;
mod front;
mod health;
mod inside;
mod invite;
mod journal;
mod look;
mod lost;
mod lot;
mod pace;
mod pieces;
mod rate;
mod regions;
mod sessions;
mod settings;
mod window;
mod witness;

use super::{Live, Sign, WaitingProof};
use crate::queue::Baseline;
use crate::queue::Window;
use crate::queue::health::{Health, HealthRule};
use crate::queue::{AbsentVisitors, Cap, Cursor, Event, Lane, LineAnswer, Pace, Released};
pub use absent::Brought;
use absent::{Counted, Kept};
use birth::Windows;
pub use claim::Asker;
use claim::Claims;
use ended::Ended;
use inside::Inside;
use rate::Measuring;
use regions::InRegions;
use std::collections::BTreeMap;
use witness::Proofs;

/// The line of one room.
#[derive(Clone, Debug)]
pub struct Model {
    /// The pace that holds unless an operator set another.
    configured: Pace,
    /// What is done about called visitors who do not come.
    absent_visitors: AbsentVisitors,
    /// The configured cap.
    cap: Option<Cap>,
    /// The configured events.
    events: Vec<Event>,
    /// What decides their orders by lot.
    secrets: fn(&str, u64) -> Vec<String>,
    /// What the line shows.
    sign: Sign,
    /// Whether the store holds anything yet.
    is_new: bool,
    /// Until then nothing is released: an older line has come back, and a better copy of it may still come.
    quiet_ms: u64,
    /// Whether an operator has cleared the credit since the data began.
    cleared: bool,
    /// Credit that came back with a line.
    lent: u64,
    /// Numbers drawn in the last seconds.
    windows: Windows,
    /// What a loss left free in each lane.
    gaps: BTreeMap<Lane, lost::Gap>,
    /// What tickets of an older line have proven.
    proofs: Option<Proofs>,
    /// The second at which the current period began.
    period: Option<u64>,
    /// What is left of its budget.
    left: u64,
    /// Since when missed periods count.
    anchor_ms: u64,
    /// The draws: birth, epoch and number, by the id of the draw.
    drawn: BTreeMap<String, WaitingProof>,
    /// How it moved from release to release.
    measuring: Measuring,
    /// Length and budget of the periods in which it was measured.
    measured_at: (u64, u64),
    /// All admissions.
    admitted: u64,
    /// What is known of called visitors who do not come.
    counted: Counted,
    /// What is kept beside the line.
    kept: Kept,
    /// Who is inside.
    inside: Inside,
    /// Who has been.
    claims: Claims,
    /// Whose session was ended.
    ended: Ended,
    /// What is known of the origin, and the rule for it.
    health: Health,
    health_rule: health::Rule,
    /// How many visitors a period may have, the remainder of one, the last number before the latest cut, and the baseline.
    window: Window,
    window_remainder: u64,
    cut_at: Option<Cursor>,
    baseline: Baseline,
    /// What the origin said of its load, and until when that counts.
    load: Option<(u64, u64)>,
    /// What was released last.
    last: Option<Released>,
    /// The sum of the budgets of all periods opened so far, and of what an open room let in.
    granted: u64,
    /// How many visitors went in by an invitation.
    invited: invite::Minute,
    /// The front lane.
    front: front::Front,
    /// What moved the line.
    journal: journal::Journal,
    /// The regions.
    regions: InRegions,
}

/// The sign of a line that nothing has moved yet.
pub(super) fn sign_at_first(configured: Pace) -> Sign {
    let live = Live {
        pace: configured,
        ..Live::default()
    };
    Sign {
        birth: super::Birth::default(),
        epoch: 1,
        cursor: Cursor(0),
        length: 0,
        front: None,
        regions: Vec::new(),
        credit: 0,
        measured: None,
        head: None,
        lines: None,
        pops: None,
        sessions: None,
        origin: None,
        event: None,
        begun: None,
        live,
    }
}

/// What became of an operator's change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, with the number that the script tells, and what a permit added to the credit.
    Done(Sign, u64, u64),
    /// Not done: the mode admits no visitor.
    NotAdmitting(Sign),
}

/// What every call to the store brings.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The store's time in milliseconds.
    pub now_ms: u64,
    /// The last sign that the POP knows.
    pub known: Option<&'a Sign>,
    /// What a look brings that was counted there.
    pub brought: &'a [Brought<'a>],
}

/// Whether visitors waited before a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Idle,
    Waiting,
}

impl Model {
    /// A line in a store that holds nothing.
    #[must_use]
    pub fn new(configured: Pace) -> Self {
        Self {
            configured,
            absent_visitors: AbsentVisitors::default(),
            cap: None,
            events: Vec::new(),
            secrets: |_, _| Vec::new(),
            sign: sign_at_first(configured),
            is_new: true,
            quiet_ms: 0,
            cleared: false,
            lent: 0,
            windows: Windows::default(),
            gaps: BTreeMap::new(),
            proofs: None,
            period: None,
            left: 0,
            anchor_ms: 0,
            drawn: BTreeMap::new(),
            measuring: Measuring::default(),
            measured_at: (0, 0),
            admitted: 0,
            counted: Counted::default(),
            kept: Kept::default(),
            inside: Inside::default(),
            claims: Claims::default(),
            ended: Ended::default(),
            health: Health::default(),
            health_rule: (HealthRule::OFF, 0),
            window: window::at_first(),
            window_remainder: 0,
            cut_at: Some(Cursor(0)),
            baseline: Baseline::default(),
            load: None,
            last: None,
            granted: 0,
            invited: invite::Minute::default(),
            front: front::Front::default(),
            journal: journal::Journal::default(),
            regions: InRegions::default(),
        }
    }

    /// What the line shows.
    #[must_use]
    pub fn sign(&self) -> &Sign {
        &self.sign
    }

    /// Whether the store holds the line.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.is_new
    }

    /// How many may have gone in so far, besides those that a permit released.
    #[must_use]
    pub fn granted(&self) -> u64 {
        self.granted
    }

    /// Draws a number for the ticket `id`; none in front of a closed room.
    pub fn join(&mut self, asker: Asker<'_>, call: Call<'_>) -> LineAnswer {
        let (_, told) = self.verb(call, |line, before| {
            line.open_period(call.now_ms, before);
            line.arrive(asker, call.now_ms)
        });
        self.answered(asker, told)
    }

    /// The sign, for a POP that asks without a ticket.
    pub fn pass(&mut self, call: Call<'_>) -> Sign {
        let (sign, ()) = self.verb(call, |line, before| {
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
            line.count(call.brought, call.now_ms);
        });
        sign
    }

    /// Does something to the line, and measures how that moved it. `verb` hears whether visitors waited before.
    fn verb<T>(&mut self, call: Call<'_>, verb: impl FnOnce(&mut Self, Before) -> T) -> (Sign, T) {
        self.begin(call);
        self.is_new = false;
        let (turnout, in_front) = (self.turnout(), self.front.called);
        let before = match self.sign.waiting() {
            0 => Before::Idle,
            _ => Before::Waiting,
        };
        let told = verb(self, before);
        self.end_of_verb(call.now_ms);
        self.keep_sick(call.now_ms);
        self.note_release(turnout.called, call.now_ms);
        self.close_journal(before, call.now_ms);
        let waits = self.sign.waiting() > 0;
        let called = self.admitted - turnout.called - (self.front.called - in_front);
        if self.sign.waiting_in_main() == 0 {
            self.measuring.forget();
        } else if called > 0 {
            self.measuring.measure(self.sign.cursor, call.now_ms);
        }
        self.measure_regions(call.now_ms);
        self.watch_turnout(turnout, call.now_ms);
        if waits && before == Before::Idle {
            let kept = if self.is_held(call.now_ms) {
                self.anchor_ms
            } else {
                0
            };
            self.anchor_ms = kept.max(call.now_ms);
        }
        self.show(call.now_ms);
        (self.sign.clone(), told)
    }
}
