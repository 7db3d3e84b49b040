//! How the model follows the answers of the origin with its pace.

use super::{Call, Model, Outcome};
use crate::queue::health::AdaptivePace;
use crate::queue::{Answers, Cursor, OriginHealth, OriginSign};
use crate::queue::{Bounds, Past, Period, Steering, Window};

/// Until released visitors count, every number is before this one.
const NOT_YET: u64 = (1 << 53) - 1;

/// Pages of visitors inside are told under 0.
pub(super) fn at_first() -> Window {
    Window {
        cuts: 1,
        ..Window::default()
    }
}

impl Model {
    /// What is known of the window.
    #[must_use]
    pub fn window(&self, now_ms: u64) -> (Window, Past) {
        let past = Past {
            unused: 0,
            baseline: self.baseline.share(),
            load: self.load(now_ms),
            is_settled: true,
        };
        (self.window, past)
    }

    fn load(&self, now_ms: u64) -> Option<u64> {
        let counts = self.load.filter(|(_, until_ms)| now_ms < *until_ms);
        counts.map(|(load, _)| load)
    }

    /// The origin says how it answered, or how much of its capacity is in use.
    pub fn report(&mut self, answers: Answers, load: Option<u64>, call: Call<'_>) -> Outcome {
        let (sign, ()) = self.verb(call, |line, before| {
            if let Some(load) = load {
                line.load = Some((load, call.now_ms + 30_000));
            }
            line.hear((answers, answers), call.now_ms);
            line.open_period(call.now_ms, before);
            line.release(call.now_ms);
        });
        Outcome::Done(sign, 0, 0)
    }

    fn steering(&self) -> Steering {
        let (rule, quantity) = (&self.health_rule.0, self.sign.live.pace.quantity);
        match rule.adaptive {
            AdaptivePace::On => {
                let max = match rule.window_max {
                    0 => quantity,
                    most => most,
                };
                let min = rule.window_min.min(max);
                Steering::Answers(Bounds { min, max })
            }
            AdaptivePace::Off | AdaptivePace::Observe => Steering::Fixed {
                quantity,
                min: rule.window_min.min(quantity),
                tolerated: rule.sick_share * 10,
            },
        }
    }

    fn period_of_window(&self, at: u64) -> Period {
        let lasts = self.sign.live.pace.automatic;
        Period { at, lasts }
    }

    fn begin_window(&mut self) {
        if self.window.size == 0 {
            self.window.size = self.sign.live.pace.quantity * 1000;
        }
    }

    /// The pace is another one.
    pub(super) fn forget_window(&mut self, now_ms: u64) {
        let quantity = self.sign.live.pace.quantity;
        self.window = self.window.forgotten(quantity, now_ms / 1000);
        self.cut_at = None;
    }

    /// How many visitors these periods have, of which the first begins at that second.
    pub(super) fn window_budget(&mut self, budget: u64, at: u64, now_ms: u64) -> u64 {
        let usual = self.sign.live.pace.budget();
        let many = budget.checked_div(usual).unwrap_or(0);
        if self.health_rule.0.setting == OriginHealth::Off || many == 0 {
            return budget;
        }
        self.begin_window();
        let past = Past {
            unused: self.left,
            baseline: self.baseline.share(),
            load: self.load(now_ms),
            is_settled: self.cut_at.is_some(),
        };
        let before = self.window.cuts;
        let (period, steering) = (self.period_of_window(at), self.steering());
        // One report makes one cut.
        let is_cut = past.load.is_some_and(|load| load > 1000)
            && past.is_settled
            && at >= self.window.changed + 10;
        self.load = self.load.filter(|_| !is_cut);
        self.window.open(period, past, steering);
        if self.window.cuts != before {
            self.cut_at = None;
        }
        let all = many * self.window.size + self.window_remainder;
        self.window_remainder = all % 1000;
        all / 1000
    }

    /// From the first period after a cut on visitors count whose number is above the last one before it.
    pub(super) fn settle_cut(&mut self, now_ms: u64) {
        if self.cut_at.is_none() && now_ms / 1000 >= self.window.counts_from {
            self.cut_at = Some(self.sign.cursor);
        }
    }

    /// What POPs heard of visitors who were released since.
    pub(super) fn hear_window(&mut self, answers: Answers) {
        let late = answers.late + answers.bad;
        self.window.heard(u64::MAX, answers.sum(), late);
    }

    /// An operator lets visitors in all the same.
    pub(super) fn end_ramp(&mut self, now_ms: u64) {
        if let Some(end) = self.window.ramp.take() {
            self.window.size = end;
            self.window.changed = now_ms / 1000;
            (self.window.samples, self.window.late) = (0, 0);
        }
    }

    /// Whether a period has fewer visitors than the pace.
    fn is_slowed(&self) -> bool {
        let (rule, pace) = (&self.health_rule.0, self.sign.live.pace);
        let follows = rule.adaptive == AdaptivePace::On || self.window.ramp.is_some();
        rule.setting != OriginHealth::Off
            && follows
            && (1..pace.budget() * 1000).contains(&self.window.size)
    }

    /// The most that one period can have.
    pub(super) fn period_most(&self) -> u64 {
        if self.is_slowed() {
            self.window.size.div_ceil(1000)
        } else {
            self.sign.live.pace.budget()
        }
    }

    /// What the sign says of it.
    pub(super) fn told_origin(&self, now_ms: u64) -> OriginSign {
        OriginSign {
            holds: self.is_held(now_ms),
            cuts: self.window.cuts,
            cut_at: self.cut_at.unwrap_or(Cursor(NOT_YET)),
            is_slowed: self.is_slowed(),
        }
    }

    /// A sick origin is given little at first.
    pub(super) fn ramp_window(&mut self, now_ms: u64) {
        self.begin_window();
        let (period, steering) = (self.period_of_window(now_ms / 1000), self.steering());
        self.window.sick(period, steering);
        self.cut_at = None;
    }
}
