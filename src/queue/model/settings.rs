//! What operators set around a loss of the data.

use super::Model;
use crate::queue::Live;

impl Model {
    /// What an operator had set comes back, unless an operator has set it later.
    pub(super) fn take_live(&mut self, live: &Live) {
        let configured = self.configured;
        let own = &mut self.sign.live;
        let (mut mine, theirs) = (own.set_at, live.set_at.or(live.version));
        let is_same_pace = own.paced == live.paced && (!own.paced || own.pace == live.pace);
        let differs = [
            own.mode != live.mode,
            !is_same_pace,
            own.message != live.message,
            own.cap != live.cap,
        ];
        let times = [
            (theirs.mode, mine.mode),
            (theirs.pace, mine.pace),
            (theirs.message, mine.message),
            (theirs.cap, mine.cap),
        ];
        let [mode, pace, message, cap] = times.map(|(theirs, mine)| theirs > mine);
        let pairs = || {
            times
                .into_iter()
                .zip(differs)
                .filter(|(_, differs)| *differs)
        };
        let is_taken = pairs().any(|((theirs, mine), _)| theirs > mine);
        let is_kept = pairs().any(|((theirs, mine), _)| theirs < mine);
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
        own.set_at = mine;
        // What is now set is another state than either copy showed, unless one of them knew all of it.
        let known = live.version + u64::from(is_kept);
        let taken = own.version + u64::from(is_taken);
        own.version = own.version.max(known).max(taken);
    }
}
