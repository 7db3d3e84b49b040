//! The history of one room's line: each call of the store after the one before, and what visitors were given.
//!
//! [`Data`] is the state of the store as far as its answers show it. It is lost with the store's data, and comes back
//! with an older copy of them; what visitors have been given stays. The caller says what was lost, and where a loss is
//! one that the rules do not cover (`docs/deep/reliability.md`, *What a loss costs*).

mod counts;
mod draws;
mod events;
mod groups;
mod journal;
mod losses;
mod tickets;
mod visitors;

use std::collections::{BTreeMap, BTreeSet};

use now_serving::queue::{Lane, Mode, Pace, Phase};

use crate::board::Board;
use crate::broken::{Broken, Checks};
use crate::bucket::Bucket;
use crate::said::{Said, Verb};
use draws::{Came, Drawn};
use groups::Shares;
use journal::Pending;
pub use losses::Loss;
use losses::{Recovery, Repeats};
use tickets::Given;
pub use visitors::{Answered, Visitor};

/// For how long after a loss a better copy may still say which sessions there are.
const UNSETTLED_MS: u64 = 130_000;

/// State of the store, as far as its answers show it.
#[derive(Clone, Default)]
pub struct Data {
    /// The line; nothing before the first call.
    pub board: Option<Board>,
    /// The decisions that were counted.
    sums: BTreeMap<String, u64>,
    /// The last batch of each outbox.
    outboxes: BTreeMap<String, u64>,
    /// The keys under which something was done once.
    once: BTreeSet<String>,
    /// The tickets that used each invitation, and the invitation of each of them by epoch and by
    /// whether it led straight in.
    uses: BTreeMap<String, BTreeSet<String>>,
    used_by: BTreeMap<(String, u64, bool), String>,
    /// The tickets that went straight in by an invitation, and those of the latest minute.
    went_past: BTreeSet<String>,
    this_minute: (u64, BTreeSet<String>),
    /// The hour of each network.
    networks: BTreeMap<String, draws::Hour>,
    /// The draws that a repeat gets again.
    draws: Drawn,
    /// The ticket that claimed a session with each number, by lane, data and epoch.
    claims: BTreeMap<(Lane, (u64, u64), u64, u64), String>,
    /// The last minute of each session that was claimed or told, by the mark of its ticket.
    sessions: BTreeMap<String, u64>,
    /// The digest of the last line of the journal up to which none is missing.
    last_line: Option<String>,
    /// Lines behind it before which some are missing, by their number: the digest and the text.
    untold: BTreeMap<u64, (String, String)>,
}

/// What a POP finds of an outbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outboxes {
    /// The outbox as it was written last.
    #[default]
    Last,
    /// Maybe as it was before: another batch may come under a number that was counted.
    Overwritten,
}

/// The history of one room's line.
///
/// Each step is [`History::observe`] for a call that the store has done, also where the POP heard nothing of it, and
/// [`History::given`] and [`History::enters`] for an answer to a visitor.
#[derive(Default)]
pub struct History {
    /// State of the store.
    pub data: Data,
    /// Number of calls.
    pub calls: u64,
    /// Checks so far.
    pub checks: Checks,
    bucket: Bucket,
    /// Time of the last loss or return of data.
    lost_ms: Option<u64>,
    /// Time at which the line last followed from other data.
    pub turned_ms: u64,
    /// Beginning of the present data.
    pub began_ms: u64,
    /// The greatest epoch that any board had.
    pub epoch: u64,
    /// The same of visits.
    visits_epoch: u64,
    has_no_absences: bool,
    /// Whether a cap ever held.
    pub was_capped: bool,
    /// Number of losses that the rules do not cover.
    pub uncovered: u64,
    /// The same by reason.
    pub uncovered_by: BTreeMap<&'static str, u64>,
    /// Whether the line had a past before the history began.
    has_a_past: bool,
    losses: u64,
    repeats: Vec<Repeats>,
    recovery: Option<Recovery>,
    /// Visitors who went in by a number, by lane.
    pub went_in: BTreeMap<Lane, u64>,
    /// The last number called, by lane and roll.
    called: BTreeMap<(Lane, u64), u64>,
    /// The ticket of each number, by lane and roll.
    numbers: BTreeMap<(Lane, u64, u64), Given>,
    /// The same for places by lot.
    lots: BTreeMap<(Lane, u64, u64), Given>,
    /// The visitors who went in by a call of their number, or past the line, and the roll of that.
    let_in: BTreeSet<(String, u64)>,
    /// When each visitor came.
    came: BTreeMap<String, Came>,
    /// Visitors who were released while a loss was not settled, and those whom operators and programs let in.
    early: u64,
    permitted: u64,
    /// Until which minute a renewal counts that the store may not have heard of, or not in order.
    doubtful: Vec<u64>,
    /// What POPs find of their outboxes.
    pub outboxes: Outboxes,
    /// Counts of each batch.
    batches: BTreeMap<(String, u64), BTreeMap<String, u64>>,
    /// Counts that each outbox has brought in all.
    pub brought: BTreeMap<String, BTreeMap<String, u64>>,
    /// The event that began and was no part of a loss.
    whole_event: Option<String>,
    shares: Shares,
    /// The lines of the journal by their digest.
    lines: BTreeMap<String, String>,
    pending: Vec<Pending>,
}

/// One answer of the store after another, of the same data.
struct Step<'a> {
    before: &'a Board,
    board: &'a Board,
    said: &'a Said,
    now_ms: u64,
    /// Sessions of which the batches of this call tell, and that the store did not know.
    renewals: u64,
    /// Whether a copy or a ticket may know more of the line than these data, or the journal says that one did.
    came_back: bool,
}

/// Visitors that one call released.
#[derive(Clone, Copy)]
struct Moved {
    all: u64,
    in_others: u64,
}

impl Step<'_> {
    /// Released visitors, without numbers that a copy or a ticket showed.
    fn moved(&self) -> Moved {
        let (mut all, mut in_others) = (0, 0);
        for (lane, numbers) in &self.board.lanes {
            let known = self.said.remembered(*lane, self.board);
            let known = known.max(self.before.of(*lane).cursor);
            let moved = numbers.cursor.saturating_sub(known);
            all += moved;
            in_others += match lane {
                Lane::Named(_) => moved,
                Lane::Main => 0,
            };
        }
        Moved { all, in_others }
    }

    /// Whether the numbers say only what the call did: no copy and no ticket may have shown more.
    fn is_plain(&self) -> bool {
        !self.came_back && self.board.epoch == self.before.epoch
    }

    /// Whether an operator opened the room, so that all go in and no rule of the line counts.
    fn is_open(&self) -> bool {
        [self.before, self.board]
            .iter()
            .any(|board| board.mode == Mode::Open)
    }

    /// Numbers that were drawn.
    fn drawn(&self) -> u64 {
        self.board.drawn.saturating_sub(self.before.drawn)
    }

    fn told(&self) -> String {
        format!("{:?} after {:?}", self.board, self.before)
    }
}

impl History {
    /// A history in which the store never measures absent visitors, so that the pace is never raised for them. It does
    /// only where all POPs tell it in time who came.
    #[must_use]
    pub fn without_absences() -> Self {
        Self {
            has_no_absences: true,
            ..Self::default()
        }
    }

    /// The store has done a call, and answered so, at this time of its clock.
    ///
    /// # Errors
    /// The invariants that do not hold after it. The history goes on with what was answered.
    pub fn observe(&mut self, said: &Said, now_ms: u64) -> Result<(), Broken> {
        self.calls += 1;
        let noted = self.note(said);
        if let Some(board) = said.board() {
            let renewals = self.count(said, now_ms / 60_000);
            if said.verb() == Verb::Metrics {
                self.sums_are_told(said);
            }
            if matches!(said.verb(), Verb::Metrics | Verb::Read) && said.brings_counts() {
                // What was counted is kept, and nothing else.
                let known = self.data.board.as_mut();
                if let Some(known) = known.filter(|known| known.order == board.order) {
                    known.taken = board.taken;
                }
            }
            if said.is_kept() {
                self.is_done_once(said);
                self.is_left_so(board, (said, renewals), &noted, now_ms);
            }
        }
        self.checks.verdict()
    }

    /// The line is like this from now on.
    fn is_left_so(
        &mut self,
        board: Board,
        (said, renewals): (&Said, u64),
        noted: &journal::Wrote,
        now_ms: u64,
    ) {
        for (lane, numbers) in &board.lanes {
            self.checks.holds(
                "the cursor never passes the length",
                numbers.cursor <= numbers.length,
                || format!("{lane:?} of {board:?}"),
            );
        }
        self.journal_is_of(&board, noted);
        let before = self.data.board.take();
        if before.is_none() {
            self.has_a_past |= self.losses == 0 && board.drawn > 1;
            (self.turned_ms, self.began_ms) = (now_ms, now_ms);
            if !self.is_settled(now_ms) {
                self.early = self.early.saturating_add(board.admitted);
            }
        }
        let same = (before.as_ref()).filter(|before| self.follows(before, &board, now_ms));
        let step = same.map(|before| Step {
            before,
            board: &board,
            said,
            now_ms,
            renewals,
            came_back: noted.came_back || self.may_come_back(&board),
        });
        if let Some(step) = &step {
            self.is_one_step(step);
        }
        self.is_invited(said, step.as_ref(), (&board, now_ms));
        self.is_claimed(said, &board);
        self.slots_are_of_visitors(said, &board, now_ms);
        self.is_drawn(said, step.as_ref(), (&board, now_ms));
        self.epoch = self.epoch.max(board.epoch);
        self.visits_epoch = self.visits_epoch.max(board.visits_epoch);
        self.was_capped |= board.taken.is_some();
        self.note_called(&board);
        self.note_event(&board, before.as_ref(), now_ms);
        self.data.board = Some(board);
    }

    /// Whether the line is still of the same data.
    fn follows(&mut self, before: &Board, board: &Board, now_ms: u64) -> bool {
        self.checks
            .holds("data are never older", board.order >= before.order, || {
                format!("{board:?} after {before:?}")
            });
        if board.order == before.order {
            return true;
        }
        self.turned_ms = now_ms;
        self.bucket = Bucket::default();
        self.shares.forget();
        false
    }

    /// Checks between two answers of the same data.
    fn is_one_step(&mut self, step: &Step<'_>) {
        self.never_goes_back(step);
        let moved = step.moved();
        self.is_allowed(step, moved);
        self.is_below_the_cap(step);
        self.keeps_the_phase(step, moved);
        self.keeps_the_event(step);
        self.groups_have_their_shares(step);
    }

    fn never_goes_back(&mut self, step: &Step<'_>) {
        let (before, board) = (step.before, step.board);
        self.checks
            .must("an epoch never falls", board.epoch >= before.epoch, || {
                step.told()
            });
        for (lane, then) in &before.lanes {
            let now = board.of(*lane);
            let name = match lane {
                Lane::Named(_) => "now serving of another lane never moves back",
                Lane::Main => "now serving never moves back",
            };
            let is_kept = now.cursor >= then.cursor && now.length >= then.length;
            self.checks
                .holds(name, is_kept, || format!("{lane:?} of {}", step.told()));
        }
    }

    /// No more are released than pace, credit and permits allow.
    fn is_allowed(&mut self, step: &Step<'_>, moved: Moved) {
        let (before, board) = (step.before, step.board);
        let granted = step.said.granted();
        self.checks.holds(
            "credit comes from a permit",
            board.credit <= before.credit.saturating_add(granted),
            || format!("{granted} were granted: {}", step.told()),
        );
        self.permitted = self.permitted.saturating_add(granted);
        if step.is_open() {
            return;
        }
        let used = before.credit.saturating_sub(board.credit);
        let by_pace = moved.all.saturating_sub(granted.saturating_add(used));
        let most = step.said.most_a_period(board.pace);
        let is_raised = !self.has_no_absences && step.said.makes_up_for_absent(board.pace);
        let pace = Pace {
            quantity: if is_raised {
                most + most.div_ceil(2)
            } else {
                most
            },
            ..board.pace
        };
        let is_allowed = self.bucket.takes(by_pace, pace, step.now_ms);
        let bucket = &self.bucket;
        self.checks
            .must("no more are released than are allowed", is_allowed, || {
                format!(
                    "{by_pace} by the pace are too many for {bucket:?}: {}",
                    step.told()
                )
            });
        if moved.all > 0 {
            self.checks.count("no more are released than are allowed");
        }
        let counted = board.admitted.saturating_sub(before.admitted);
        self.checks.must(
            "the parts of a release are its sum",
            moved.all <= counted,
            || {
                format!(
                    "the parts are {}, and {counted} were released: {}",
                    moved.all,
                    step.told()
                )
            },
        );
        if moved.in_others > 0 {
            self.checks.count("the parts of a release are its sum");
        }
        if !self.is_settled(step.now_ms) {
            self.early = self.early.saturating_add(moved.all);
        }
    }

    /// No release and no claim lifts sessions and promised slots above the cap.
    fn is_below_the_cap(&mut self, step: &Step<'_>) {
        let minute = step.now_ms / 60_000;
        self.doubtful.retain(|until| *until + 1 >= minute);
        let (before, board) = (step.before, step.board);
        let (Some(cap), Some(taken), Some(was)) = (board.cap, board.taken, before.taken) else {
            return;
        };
        if !self.is_settled(step.now_ms) {
            return;
        }
        let (renewals, doubtful) = (step.renewals, self.doubtful.len() as u64);
        self.checks.holds(
            "sessions stay below the cap",
            taken <= cap.max(was).saturating_add(renewals + doubtful),
            || {
                format!(
                    "{taken} of {cap}, {was} before, {renewals} renewed, {doubtful} in doubt: {}",
                    step.told()
                )
            },
        );
    }

    /// Each slot that is taken is the session of a ticket that was let in or used within a session's length: none is lost for longer,
    /// and a ticket has one, in however many data centres it is used. After a loss the sessions of a copy have no names.
    fn slots_are_of_visitors(&mut self, said: &Said, board: &Board, now_ms: u64) {
        let Some(length) = said.session_minutes() else {
            return;
        };
        let nameless_ms = UNSETTLED_MS + (length + 1) * 60_000;
        let is_recent = |lost: u64| lost.saturating_add(nameless_ms) > now_ms;
        if self.has_a_past || self.lost_ms.is_some_and(is_recent) {
            return;
        }
        let minute = now_ms / 60_000;
        let known = self.data.sessions.values().filter(|end| **end >= minute);
        let (inside, known) = (said.inside(), known.count() as u64);
        self.checks.holds(
            "each slot is that of a visitor who came within a session",
            inside <= known,
            || format!("{inside} are taken, and {known} came: {board:?}"),
        );
    }

    /// While an event has not opened, no visitor goes in, and before it and after it no number is drawn.
    fn keeps_the_phase(&mut self, step: &Step<'_>, moved: Moved) {
        let Some(phase) = step.board.phase().filter(|_| !step.is_open()) else {
            return;
        };
        // An operator's own ticket may go in at any time.
        if !phase.lets_in() {
            self.checks.holds(
                "no visitor goes in while an event is not open",
                moved.all <= step.said.granted() || step.board.epoch != step.before.epoch,
                || format!("{} in {phase:?}: {}", moved.all, step.told()),
            );
        }
        if matches!(phase, Phase::Before | Phase::Over) {
            self.checks.holds(
                "no number is drawn before an event or after it",
                step.drawn() == 0,
                || format!("{} in {phase:?}: {}", step.drawn(), step.told()),
            );
        }
    }

    /// Whether no loss is so recent that a POP may still know more than the store.
    fn is_settled(&self, now_ms: u64) -> bool {
        self.lost_ms
            .is_none_or(|lost| lost.saturating_add(UNSETTLED_MS) <= now_ms)
    }

    /// Whether an older line may come back: where data are young that are not the first ones.
    fn may_come_back(&self, board: &Board) -> bool {
        board.is_young && (self.losses > 0 || self.has_a_past)
    }

    /// A renewal of which the store may hear late, in another order, or never: it counts until this minute.
    pub fn doubts(&mut self, until_minute: u64) {
        self.doubtful.push(until_minute);
    }
}
