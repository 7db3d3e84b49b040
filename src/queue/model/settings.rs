//! What operators set around a loss of the data.

use super::Model;
use crate::queue::Live;

impl Model {
    /// What an operator had set comes back, unless an operator has set it later.
    pub(super) fn take_live(&mut self, live: &Live) {
        let (configured, own) = (self.configured, &mut self.sign.live);
        let (mut mine, theirs) = (own.set_at, live.set_at.or(live.version));
        let is_same_pace = own.paced == live.paced && (!own.paced || own.pace == live.pace);
        let differs = [
            own.mode != live.mode,
            !is_same_pace,
            own.message != live.message,
            own.cap != live.cap,
            own.events != live.events,
        ];
        let times = [
            (theirs.mode, mine.mode),
            (theirs.pace, mine.pace),
            (theirs.message, mine.message),
            (theirs.cap, mine.cap),
            (theirs.event, mine.event),
        ];
        let [mode, pace, message, cap, event] = times.map(|(theirs, mine)| theirs > mine);
        let changed = times.into_iter().zip(differs);
        let changed: Vec<_> = changed.filter(|(_, differs)| *differs).collect();
        let is_taken = changed.iter().any(|((theirs, mine), _)| theirs > mine);
        let is_kept = changed.iter().any(|((theirs, mine), _)| theirs < mine);
        if mode {
            (own.mode, mine.mode) = (live.mode, theirs.mode);
        }
        if pace {
            own.pace = if live.paced { live.pace } else { configured };
            (own.paced, mine.pace) = (live.paced, theirs.pace);
        }
        if message {
            (own.message, mine.message) = (live.message.clone(), theirs.message);
        }
        if cap {
            (own.cap, mine.cap) = (live.cap, theirs.cap);
        }
        if event {
            (own.events, mine.event) = (live.events.clone(), theirs.event);
        }
        own.set_at = mine;
        // What is now set is another state than either copy showed, unless one of them knew all of it.
        let known = live.version + u64::from(is_kept);
        let taken = own.version + u64::from(is_taken);
        own.version = own.version.max(known).max(taken);
    }
}
