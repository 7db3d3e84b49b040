//! How the model ends sessions, where the origin or an operator asks for it.

use super::{Call, Model, Outcome};
use crate::queue::EndedSession;
use std::collections::BTreeMap;

const MINUTE_MS: u64 = 60_000;
/// How many ended sessions are listed at a time.
const MOST: usize = 1_000;

/// What is kept of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ended {
    /// The latest last, each with its version.
    listed: Vec<(u64, EndedSession)>,
    /// The last minute in which each mark is remembered.
    marks: BTreeMap<String, u64>,
}

impl Model {
    /// Ends sessions; how many now, and how many only by themselves, since the list is full.
    pub fn end(&mut self, sessions: &[EndedSession], call: Call<'_>) -> Outcome {
        let mut refused = self.clone();
        refused.begin(call);
        if refused.cap().is_none() {
            return Outcome::NotAdmitting(refused.sign);
        }
        let this = call.now_ms / MINUTE_MS;
        let (sign, (number, later)) = self.verb(call, |line, _| {
            let (mut number, mut later) = (0, 0);
            for session in sessions {
                if line.has_ended(session, this) {
                    continue;
                }
                if line.ended.is_full(this) {
                    later += 1;
                } else {
                    line.end_one(session, call.now_ms);
                    number += 1;
                }
            }
            (number, later)
        });
        Outcome::Done(sign, number, later)
    }

    fn has_ended(&self, session: &EndedSession, this: u64) -> bool {
        let kept = self.ended.marks.get(&session.mark);
        kept.is_some_and(|last| this <= *last)
    }

    fn end_one(&mut self, session: &EndedSession, now_ms: u64) {
        let this = now_ms / MINUTE_MS;
        let last = self.last_end(this);
        let shown = self.inside_mut();
        shown.ended = now_ms.max(shown.ended + 1);
        shown.ended_last = shown.ended_last.max(last);
        let version = shown.ended;
        let mark = session.mark.clone();
        self.ended.marks.insert(mark.clone(), last);
        let entry = EndedSession { mark, last };
        self.ended.listed.push((version, entry));
        let extra = self.ended.listed.len().saturating_sub(MOST);
        self.ended.listed.drain(..extra);
        // Where it ended with all tickets before, it holds no slot. At `floor` it may have, and is left to end by itself.
        if session.last > self.inside_mut().floor {
            self.leave(session.last, 1, now_ms);
        }
    }

    /// What a POP does not have, which knows the list up to this version.
    #[must_use]
    pub fn ended_since(&self, seen: u64) -> Vec<EndedSession> {
        let newer = self.ended.listed.iter().rev();
        let newer = newer.take_while(|(version, _)| *version > seen);
        newer.map(|(_, entry)| entry.clone()).collect()
    }
}

impl Ended {
    /// The oldest is dropped only where its session would have ended.
    fn is_full(&self, this: u64) -> bool {
        let is_kept = |(_, oldest): &(u64, EndedSession)| oldest.last >= this;
        self.listed.len() == MOST && self.listed.first().is_some_and(is_kept)
    }
}
