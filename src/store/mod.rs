//! The verbs of the line: one call each to the script in `store/lua`, atomic there and the only home of the rules that move it.
//!
//! Invariant: the cursor never falls and never passes the length; the scripts keep it, whatever is called, however often.

mod arguments;
mod asker;
mod change;
mod count;
mod heard;
mod journal;
mod panel;
mod reply;
mod script;
pub mod upstash;

use crate::cache::outbox::Batch;
use crate::cache::{LastBoard, ended};
use crate::queue::{
    AbsentVisitors, Actor, Begun, Board, Cap, Change, Changed, Effort, EndedSession, Enforcement,
    Event, Group, HealthRule, Lane, LineAnswer, LineStatus, NetworkBound, Now, Pace, PanelSnapshot,
    Past, Presented, Regions, RoomName, Schedule, WaitingProof,
};
use arguments::{Arguments, Keys, named, shared};
pub use count::Figures;
use reply::Answer;
use upstash::{Attempt, StoreError, Transport};

/// How many numbers share one key that says which of them have been claimed: 64 KB at most.
const CHUNK: u64 = 8_192;

/// By how many bits each number is known to be claimed, of which a ticket has one by its id. A restored backup may give a number
/// twice: of two tickets with one number one in this many pairs has the same bit, and the second of these is taken for a copy.
const BITS: u64 = 64;

/// Which clock the script goes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The store's own.
    Store,
    /// The time that comes along, for tests.
    Given,
}

/// One room's line in the store, as one request sees it.
pub struct Line<'a> {
    /// The way to the store.
    pub store: &'a dyn Transport,
    /// The room's name.
    pub room: &'a RoomName,
    /// The configured pace.
    pub pace: Pace,
    /// The room whose pace and cap these are, where several rooms have them together.
    pub limits_of: Option<&'a RoomName>,
    /// The events of that room, where it is another one.
    pub limits_events: &'a [Event],
    /// What is done about called visitors who do not come.
    pub absent_visitors: AbsentVisitors,
    /// The configured cap.
    pub cap: Cap,
    /// Whether a cap holds visitors back, whoever set it.
    pub active_visitors: Enforcement,
    /// For how many minutes a turn lasts; 0 for as long as the ticket.
    pub turn_minutes: u64,
    /// The configured events.
    pub schedule: Schedule<'a>,
    /// When the origin is sick, and how many seconds a marker of this call would stand.
    pub health: (HealthRule, u64),
    /// The name of the origin, where other rooms have the same one.
    pub origin: Option<&'a str>,
    /// A keyed digest of the visitor's network, so that a copy of a ticket is known; empty where it is not known.
    pub network: String,
    /// How many numbers that network may draw.
    pub bound: NetworkBound,
    /// What the visitor has done for a number above it.
    pub effort: Effort,
    /// The invitation that the visitor brings.
    pub invitation: Option<Presented<'a>>,
    /// In which lane the visitor's number is, or was drawn before the line was lost.
    pub lane: Lane,
    /// The lane in which the visitor draws whom no invitation lets into another one: that of a region, or the main one.
    pub home: Lane,
    /// The groups of the room, the first of which goes first.
    pub groups: &'a [Group],
    /// The regions of the room, if it has some.
    pub regions: Option<&'a Regions>,
    /// Seconds after which an untouched line is forgotten.
    pub lifetime: u64,
    /// The time by the clock of the POP.
    pub now: Now,
    /// Which clock the script goes by.
    pub clock: Clock,
    /// What this POP knows already.
    pub known: &'a dyn LastBoard,
    /// The name of the POP, so that the script can count them; empty where it has none.
    pub pop: String,
}

/// Whether a ticket that has ended may draw a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MayDraw {
    /// A visitor asks.
    Yes,
    /// A poll, or a part of a page.
    No,
}

/// Which of the bits of a number a ticket has.
fn bit_of(id: &str) -> u64 {
    let bytes = id.bytes().map(u64::from);
    bytes.fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte)) % BITS
}

/// The text of the script, for stores that should know it before the first call.
#[must_use]
pub fn script() -> String {
    script::text()
}

impl Line<'_> {
    /// Draws a number for the ticket `id`; the same id gets the same number for five minutes after it was last asked for.
    /// In front of a closed room there is none.
    ///
    /// # Errors
    /// The store's fault; whether a number was drawn is then unknown, and a repeat with the same id finds out.
    pub fn join(&self, id: &str) -> Result<LineAnswer, StoreError> {
        let (keys, arguments) = self.asker(id);
        self.eval("join", keys, arguments, Answer::visitor)
    }

    /// Where the board stands, for the holder of a ticket, and the ticket's number in the line. A ticket that has ended
    /// draws a new number where it may, and one that was called claims a session where a cap holds. The call brings what was
    /// counted.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn look(
        &self,
        id: &str,
        proof: WaitingProof,
        event: Option<&Begun>,
        may_draw: MayDraw,
        batches: &[Batch],
    ) -> Result<LineAnswer, StoreError> {
        let (mut keys, mut arguments) = self.brought(batches);
        let place = proof.place;
        let (chunk, number) = (place.position.0 / CHUNK, place.position.0 % CHUNK);
        let bit = number.saturating_mul(BITS).saturating_add(bit_of(id));
        let lane = self.lane.name().map(|lane| format!("{lane}:"));
        let lane = lane.unwrap_or_default();
        let claimed = format!("claims:{lane}{}:{chunk}", place.born);
        let (of_ticket, of_network) = self.asker(id);
        keys.extend(of_ticket);
        arguments.extend(of_network);
        keys.push(("claimed", self.key(&claimed)));
        let ticket = [
            ("ticket_id", id.to_owned()),
            ("ticket_born", place.born.to_string()),
            ("ticket_epoch", proof.epoch.to_string()),
            ("ticket_visits_epoch", proof.visits_epoch.to_string()),
            ("ticket_position", place.position.0.to_string()),
            ("ticket_seen", proof.cursor_at_draw.0.to_string()),
            ("claim_bit", bit.to_string()),
        ];
        arguments.extend(ticket.map(named));
        let told = [
            (may_draw == MayDraw::Yes).then(|| ("draws", "yes".to_owned())),
            place.came.map(|_| ("ticket_came", "yes".to_owned())),
            event.map(|event| ("ticket_event", event.written())),
        ];
        arguments.extend(told.into_iter().flatten().map(named));
        self.eval("look", keys, arguments, Answer::visitor)
    }

    /// A look without a ticket: releases what is due and says where the board stands.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn release_due(&self, batches: &[Batch]) -> Result<Board, StoreError> {
        let (keys, arguments) = self.brought(batches);
        self.eval("look", keys, arguments, Answer::board)
    }

    /// All that there is to measure, once these batches are counted too; moves nothing.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn figures(&self, batches: &[Batch]) -> Result<Figures, StoreError> {
        let arguments = count::arguments(batches, self.now);
        self.eval(
            "metrics",
            self.counted(batches),
            arguments,
            count::read_figures,
        )
    }

    /// Reads the board, what is known of absent visitors, and what happened in the last hour; changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn status(&self) -> Result<LineStatus, StoreError> {
        let (keys, arguments) = self.past(Past::HOUR, &[]);
        self.eval("status", keys, arguments, Answer::status)
    }

    /// The board with all that the panel shows besides, and so much of what happened, once these batches are counted too; moves nothing.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn panel(
        &self,
        past: Past,
        batches: &[Batch],
        attempt: Attempt,
    ) -> Result<PanelSnapshot, StoreError> {
        let (mut keys, arguments) = self.past(past, batches);
        keys.push(("actions", self.key("actions")));
        self.eval_as(attempt, "panel", keys, arguments, panel::read_panel)
    }

    /// Does what an operator or a program asks, once.
    ///
    /// # Errors
    /// The store's fault; whether anything changed is then unknown, and a repeat with the same key finds out.
    pub fn change(&self, change: Change, author: &Actor<'_>) -> Result<Changed, StoreError> {
        let mut keys = self.history().to_vec();
        keys.push(("actions", self.key("actions")));
        if let Some(once) = &author.once {
            keys.push(("once", self.key(&format!("once:{}", once.key))));
        }
        if let Some(id) = &change.draws {
            keys.push(("draw", self.draw_key(id)));
        }
        let mark = |ended: &EndedSession| ("mark", self.key(&format!("ended:{}", ended.mark)));
        keys.extend(change.ends.iter().map(mark));
        keys.extend((!change.ends.is_empty()).then(|| ("ended", self.key("ended"))));
        let arguments = change::arguments(change, author);
        self.eval("change", keys, arguments, change::read_changed)
    }

    /// Runs a verb and reads its answer: the one call of this request.
    fn eval<T>(
        &self,
        verb: &str,
        keys: Keys,
        arguments: Arguments,
        read: impl FnOnce(&Answer) -> Option<T>,
    ) -> Result<T, StoreError> {
        self.eval_as(Attempt::First, verb, keys, arguments, read)
    }

    fn eval_as<T>(
        &self,
        attempt: Attempt,
        verb: &str,
        keys: Keys,
        arguments: Arguments,
        read: impl FnOnce(&Answer) -> Option<T>,
    ) -> Result<T, StoreError> {
        let answer = self.eval_raw(attempt, verb, keys, arguments);
        let read = answer.and_then(|value| {
            let answer = Answer::read(value).ok_or(StoreError::Garbled)?;
            let told = read(&answer).ok_or(StoreError::Garbled)?;
            self.hear(&answer);
            Ok(told)
        });
        read.inspect_err(|fault| {
            if *fault != StoreError::NotAsked {
                self.store.failed(fault);
            }
        })
    }

    fn eval_raw(
        &self,
        attempt: Attempt,
        verb: &str,
        mut keys: Keys,
        arguments: Arguments,
    ) -> Result<serde_json::Value, StoreError> {
        let always = [
            ("minutes", "minutes"),
            ("journal", "journal"),
            ("inside0", "inside:0"),
            ("inside1", "inside:1"),
        ];
        keys.extend(always.map(|(name, key)| (name, self.key(key))));
        keys.extend(
            self.limits_of
                .map(|of| ("limits", format!("{}:limits", of.line_key()))),
        );
        keys.push(("line", self.line_key()));
        let (names, keys): (Vec<&str>, Vec<String>) = keys.into_iter().unzip();
        let (many, names) = (keys.len().to_string(), names.join(" "));
        let pairs = [shared(verb, self), arguments].concat();
        let mut words = vec![many.as_str()];
        words.extend(keys.iter().map(String::as_str));
        words.push(&names);
        words.extend(
            pairs
                .iter()
                .flat_map(|(name, value)| [name.as_ref(), value.as_str()]),
        );
        let by_digest = [&["EVALSHA", script::DIGEST], &words[..]].concat();
        match self.command(&by_digest, attempt) {
            Err(StoreError::NoScript) => {
                let text = script::text();
                let in_full = [&["EVAL", &text], &words[..]].concat();
                self.command(&in_full, Attempt::AfterNoScript)
            }
            answer => answer,
        }
    }

    fn line_key(&self) -> String {
        let of = self.limits_of.unwrap_or(self.room);
        self.room.line_key_beside(of)
    }

    /// The key of something else that belongs to the line.
    fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.line_key())
    }

    fn draw_key(&self, id: &str) -> String {
        self.key(&format!("join:{id}"))
    }

    /// What a POP brings when it renews the board: what was counted there, and its name.
    fn brought(&self, batches: &[Batch]) -> (Keys, Arguments) {
        let (mut keys, mut arguments) =
            (self.counted(batches), count::arguments(batches, self.now));
        let known = self.known.last_board().and_then(|board| board.sessions);
        if self.cap.holds() || known.is_some() {
            let is_listed = known.is_some_and(|sessions| sessions.ended > 0);
            let seen = is_listed.then(|| ended::version(self.known));
            keys.push(("ended", self.key("ended")));
            arguments.push(named(("ended_seen", seen.unwrap_or(0).to_string())));
        }
        if !self.pop.is_empty() {
            keys.push(("pops", self.key("pops")));
            arguments.push(named(("pop", self.pop.clone())));
        }
        (keys, arguments)
    }

    /// What was counted, and the number of the last batch of each of these outboxes.
    fn counted(&self, batches: &[Batch]) -> Keys {
        let outbox = |batch: &Batch| ("outbox", self.key(&format!("outbox:{}", batch.outbox)));
        let counts = std::iter::once(("counts", self.key("counts")));
        let counts = counts.chain(self.history());
        counts.chain(batches.iter().map(outbox)).collect()
    }

    /// Where the history is put in order. A draw has no part in that.
    fn history(&self) -> [(&'static str, String); 2] {
        ["hours", "counted"].map(|name| (name, self.key(name)))
    }

    /// What is counted before, and how much of the history is told.
    fn past(&self, past: Past, batches: &[Batch]) -> (Keys, Arguments) {
        let many = [
            ("minutes", past.minutes),
            ("hours", past.hours),
            ("actions", past.actions),
        ];
        let many = many.map(|(name, many)| named((name, many.to_string())));
        let counted = count::arguments(batches, self.now);
        (self.counted(batches), [counted, many.to_vec()].concat())
    }

    fn command(&self, command: &[&str], attempt: Attempt) -> Result<serde_json::Value, StoreError> {
        let answer = upstash::decode(self.store.post(&upstash::encode(command), attempt));
        answer.map_err(|fault| match fault {
            StoreError::NoAnswer if self.store.is_at_limit() => StoreError::NotAsked,
            fault => fault,
        })
    }
}
