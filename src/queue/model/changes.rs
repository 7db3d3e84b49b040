//! What operators and the origin's programs do to the line.

use super::journal::{NOBODY, OPERATOR};
use super::{Call, Model, Outcome};
use crate::queue::{Cap, Mode, Pace};

impl Model {
    /// Releases up to `amount` visitors and keeps the rest as credit.
    pub fn permit(&mut self, amount: u64, credit_max: u64, call: Call<'_>) -> Outcome {
        let mut refused = self.clone();
        refused.begin(call);
        if !refused.mode(call.now_ms).lets_in() {
            return Outcome::NotAdmitting(refused.sign);
        }
        let (sign, (released, kept)) = self.verb(call, |line, before| {
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
            line.note_released(before, call.now_ms);
            line.pass_gaps(call.now_ms);
            let is_quiet = call.now_ms < line.quiet_ms;
            let released = if is_quiet {
                0
            } else {
                line.admit(amount, call.now_ms)
            };
            let before = line.sign.credit;
            let credit = before + amount - released;
            line.sign.credit = before.max(credit.min(credit_max));
            let kept = line.sign.credit - before;
            if released + kept > 0 {
                line.note_permit(&format!("{amount}:{released}:{kept}"), call.now_ms);
            }
            (released, kept)
        });
        Outcome::Done(sign, released, kept)
    }

    /// An operator sets the mode.
    pub fn set_mode(&mut self, mode: Mode, call: Call<'_>) -> Outcome {
        let (sign, released) = self.verb(call, |line, before| {
            let holds = line.sign.live.mode;
            if holds != mode {
                if holds != Mode::Automatic {
                    line.anchor_ms = call.now_ms;
                }
                line.sign.live.mode = mode;
                line.sign.live.version += 1;
                line.note_change(&format!("mode:{}", mode.name()), call.now_ms);
            }
            // The operator means it, also where it already holds and a POP knows a later one.
            set_now(&mut line.sign.live.set_at.mode, call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms)
        });
        Outcome::Done(sign, released, 0)
    }

    /// An operator sets the pace, or takes it back.
    pub fn set_pace(&mut self, pace: Option<Pace>, call: Call<'_>) -> Outcome {
        let (sign, ()) = self.verb(call, |line, before| {
            let what = pace.map_or("-:-".to_owned(), |pace| {
                format!("{}:{}", pace.automatic, pace.quantity)
            });
            line.note_change(&format!("pace:{what}"), call.now_ms);
            line.sign.live.pace = pace.unwrap_or(line.configured);
            line.sign.live.paced = pace.is_some();
            line.sign.live.version += 1;
            set_now(&mut line.sign.live.set_at.pace, call.now_ms);
            line.judge(call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
        });
        Outcome::Done(sign, 0, 0)
    }

    /// An operator sets the message, or takes it back.
    pub fn set_message(&mut self, message: Option<&str>, call: Call<'_>) -> Outcome {
        let (sign, ()) = self.verb(call, |line, _| {
            line.note_change(
                &format!("message:{}", message.unwrap_or(NOBODY)),
                call.now_ms,
            );
            let live = &mut line.sign.live;
            live.message = message.map(str::to_owned);
            live.version += 1;
            set_now(&mut live.set_at.message, call.now_ms);
        });
        Outcome::Done(sign, 0, 0)
    }

    /// An operator sets the cap, or takes it back.
    pub fn set_cap(&mut self, cap: Option<Cap>, call: Call<'_>) -> Outcome {
        let (sign, released) = self.verb(call, |line, before| {
            let what = cap.map_or(NOBODY.to_owned(), |cap| cap.written());
            line.note_change(&format!("cap:{what}"), call.now_ms);
            line.sign.live.cap = cap;
            line.sign.live.version += 1;
            set_now(&mut line.sign.live.set_at.cap, call.now_ms);
            line.begin_sessions(call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms)
        });
        Outcome::Done(sign, released, 0)
    }

    /// An operator clears the credit.
    pub fn clear_credit(&mut self, call: Call<'_>) -> Outcome {
        let (sign, cleared) = self.verb(call, |line, _| {
            line.cleared = true;
            let cleared = std::mem::take(&mut line.sign.credit);
            if cleared > 0 {
                line.note_change("credit:0", call.now_ms);
            }
            cleared
        });
        Outcome::Done(sign, cleared, 0)
    }

    /// An operator ends all tickets.
    pub fn end_all(&mut self, call: Call<'_>) -> Outcome {
        let (sign, waiting) = self.verb(call, |line, _| {
            let waiting = line.sign.waiting();
            line.end_tickets(call.now_ms);
            line.note(("end", NOBODY), OPERATOR, NOBODY, call.now_ms);
            waiting
        });
        Outcome::Done(sign, waiting, 0)
    }

    /// Every ticket ends.
    pub(super) fn end_tickets(&mut self, now_ms: u64) {
        self.begin_anew(now_ms);
        self.counted.begin_anew();
        self.end_sessions(now_ms);
    }
}

/// Later than before, whatever the clock does.
pub(super) fn set_now(time: &mut u64, now_ms: u64) {
    *time = now_ms.max(*time + 1);
}
