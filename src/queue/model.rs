//! The whole line in plain Rust: the specification of the scripts, which answer every trace as this does.
//!
//! Invariant: the cursor never falls and never passes the length.

use std::collections::BTreeMap;

use super::{Live, Place, Sign};
use crate::admission::{Cursor, Measured, Mode, Pace, Position};

/// Nothing older than two windows counts in a measured rate.
const WINDOW_MS: u64 = 300_000;

/// The line of one room.
#[derive(Clone, Debug)]
pub struct Model {
    /// The pace that holds unless an operator set another.
    configured: Pace,
    /// What the line shows.
    sign: Sign,
    /// The second at which the current period began.
    period: Option<u64>,
    /// What is left of the period's budget.
    left: u64,
    /// The numbers drawn, by the id of the draw.
    drawn: BTreeMap<String, u64>,
    /// Where the measured rate begins, and where it will begin after a window: when, and where the cursor stood.
    checkpoints: Option<[(u64, u64); 2]>,
    /// Length and budget of the periods in which it was measured.
    measured_at: (u64, u64),
    moved_ms: u64,
    /// The sum of the budgets of all periods opened so far, and of what an open room let in: no more may have gone in,
    /// but for what was permitted.
    granted: u64,
}

/// What became of an operator's change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, with the number that the script tells.
    Done(Sign, u64),
    /// Not done: the mode admits no visitor.
    NotAdmitting(Sign),
}

impl Model {
    /// A line in a store that holds nothing.
    #[must_use]
    pub fn new(configured: Pace) -> Self {
        let live = Live {
            pace: configured,
            ..Live::default()
        };
        let sign = Sign {
            epoch: 1,
            cursor: Cursor(0),
            length: 0,
            credit: 0,
            measured: None,
            live,
        };
        Self {
            configured,
            sign,
            period: None,
            left: 0,
            drawn: BTreeMap::new(),
            checkpoints: None,
            measured_at: (0, 0),
            moved_ms: 0,
            granted: 0,
        }
    }

    /// What the line shows.
    #[must_use]
    pub fn sign(&self) -> &Sign {
        &self.sign
    }

    /// How many may have gone in so far, besides those who were permitted.
    #[must_use]
    pub fn granted(&self) -> u64 {
        self.granted
    }

    /// Draws a number for the ticket `id`; 0 in front of a closed room.
    pub fn join(&mut self, id: &str, now_ms: u64) -> (Sign, Position) {
        self.verb(now_ms, |line| {
            line.open_period(now_ms);
            line.release();
            let number = line.draw(id);
            line.release();
            Position(number)
        })
    }

    /// The sign, for a ticket of this place.
    pub fn look(&mut self, place: Place, now_ms: u64) -> (Sign, Position) {
        self.verb(now_ms, |line| {
            line.open_period(now_ms);
            line.release();
            place.position
        })
    }

    /// Releases up to `amount` visitors and keeps the rest as credit.
    pub fn permit(&mut self, amount: u64, credit_max: u64, now_ms: u64) -> Outcome {
        if !self.sign.live.mode.lets_in() {
            return Outcome::NotAdmitting(self.verb(now_ms, |_| ()).0);
        }
        let (sign, released) = self.verb(now_ms, |line| {
            line.open_period(now_ms);
            line.release();
            let released = line.admit(amount);
            let credit = line.sign.credit + amount - released;
            line.sign.credit = line.sign.credit.max(credit.min(credit_max));
            released
        });
        Outcome::Done(sign, released)
    }

    /// An operator sets the mode.
    pub fn set_mode(&mut self, mode: Mode, now_ms: u64) -> Outcome {
        let (sign, released) = self.verb(now_ms, |line| {
            let before = line.sign.cursor.0;
            line.sign.live.mode = mode;
            line.sign.live.version += 1;
            line.open_period(now_ms);
            line.release();
            line.sign.cursor.0 - before
        });
        Outcome::Done(sign, released)
    }

    /// An operator sets the pace, or takes it back.
    pub fn set_pace(&mut self, pace: Option<Pace>, now_ms: u64) -> Outcome {
        let (sign, ()) = self.verb(now_ms, |line| {
            line.sign.live.pace = pace.unwrap_or(line.configured);
            line.sign.live.version += 1;
            line.judge();
            line.open_period(now_ms);
            line.release();
        });
        Outcome::Done(sign, 0)
    }

    fn budget(&self) -> u64 {
        let pace = self.sign.live.pace;
        if pace.automatic > 0 { pace.quantity } else { 0 }
    }

    /// What was measured at another pace says nothing about this one.
    fn judge(&mut self) {
        let now = (self.sign.live.pace.automatic, self.budget());
        if self.measured_at != now {
            self.checkpoints = None;
            self.measured_at = now;
        }
    }

    /// Does something to the line, and measures how that moved it.
    fn verb<T>(&mut self, now_ms: u64, verb: impl FnOnce(&mut Self) -> T) -> (Sign, T) {
        self.judge();
        let before = self.sign.cursor;
        let told = verb(self);
        let cursor = self.sign.cursor.0;
        if self.sign.waiting() == 0 {
            self.checkpoints = None;
        } else if self.sign.cursor > before {
            let last_ms = self.checkpoints.map_or(0, |_| self.moved_ms);
            self.moved_ms = now_ms.max(last_ms);
            let here = (self.moved_ms, cursor);
            self.checkpoints = Some(match self.checkpoints {
                None => [here, here],
                Some([_, mid]) if self.moved_ms - mid.0 >= WINDOW_MS => [mid, here],
                Some(younger) => younger,
            });
        }
        self.sign.measured = self.checkpoints.and_then(|[(since_ms, from), _]| {
            (cursor > from).then(|| Measured {
                released: cursor - from,
                took_ms: self.moved_ms - since_ms,
                moved_ms: self.moved_ms,
            })
        });
        (self.sign.clone(), told)
    }

    /// Periods are opened forward only, so a clock that lags opens none; and none is opened on hold, open or closed.
    fn open_period(&mut self, now_ms: u64) {
        let start = self.sign.live.pace.period_start(now_ms).unwrap_or(0);
        let is_new = self.period.is_none_or(|period| start > period);
        if self.sign.live.mode == Mode::Automatic && is_new {
            self.period = Some(start);
            self.left = self.budget();
            self.granted += self.left;
        }
        self.left = self.left.min(self.budget());
    }

    fn admit(&mut self, most: u64) -> u64 {
        let released = most.min(self.sign.waiting());
        self.sign.cursor.0 += released;
        released
    }

    /// Credit goes first; an open room admits everybody and uses neither credit nor budget.
    fn release(&mut self) {
        match self.sign.live.mode {
            Mode::Automatic => {
                self.sign.credit -= self.admit(self.sign.credit);
                self.left -= self.admit(self.left);
            }
            Mode::Open => self.granted += self.admit(u64::MAX),
            Mode::Hold | Mode::Closed => {}
        }
    }

    fn draw(&mut self, id: &str) -> u64 {
        if let Some(number) = self.drawn.get(id) {
            *number
        } else if self.sign.live.mode == Mode::Closed {
            0
        } else {
            self.sign.length += 1;
            self.drawn.insert(id.to_owned(), self.sign.length);
            self.sign.length
        }
    }
}
