//! What the model knows of the origin.

use super::{Call, Model, Outcome};
use crate::queue::health::{Health, HealthRule, OVERRULED_MS};
use crate::queue::{Answers, Mode, OriginHealth, Overrule};

/// The rule, and for how many seconds a marker stands.
pub(super) type Rule = (HealthRule, u64);

impl Model {
    /// The same line with this rule for the origin, and markers of this many seconds.
    #[must_use]
    pub fn with_health(self, rule: HealthRule, life_s: u64) -> Self {
        Self {
            health_rule: (rule, life_s),
            ..self
        }
    }

    /// What is known of the origin.
    #[must_use]
    pub fn health(&self) -> Health {
        self.health
    }

    /// Who goes in now.
    pub(super) fn mode(&self, now_ms: u64) -> Mode {
        if self.is_held(now_ms) {
            Mode::Hold
        } else {
            self.scheduled_mode(now_ms)
        }
    }

    /// Whether the room is on hold by itself, since its origin is sick.
    pub(super) fn is_held(&self, now_ms: u64) -> bool {
        let is_sick = self.health.holds(&self.health_rule.0, now_ms);
        is_sick && self.scheduled_mode(now_ms) == Mode::Automatic
    }

    /// POPs tell what they have watched.
    pub(super) fn hear(&mut self, (heard, of_window): (Answers, Answers), now_ms: u64) {
        let (rule, life_s) = self.health_rule;
        if rule.setting == OriginHealth::Off || heard.sum() == 0 {
            return;
        }
        let minute = now_ms / 60_000;
        self.baseline
            .heard(minute, heard.sum(), heard.late + heard.bad);
        if !self.is_held(now_ms) {
            self.hear_window(of_window);
        }
        self.health.hear(heard, &rule, (now_ms, life_s));
    }

    /// While the room is on hold for it, what is missed is not made up for, and the pace begins small afterwards.
    pub(super) fn keep_sick(&mut self, now_ms: u64) {
        if !self.is_held(now_ms) {
            return;
        }
        self.left = 0;
        self.anchor_ms = self.anchor_ms.max(self.health.sick_until_ms);
        if self.window.ramp.is_none() {
            self.ramp_window(now_ms);
        }
    }

    /// An operator lets visitors in though the origin is sick, or no longer does.
    pub fn overrule(&mut self, overrule: Overrule, call: Call<'_>) -> Outcome {
        let (sign, released) = self.verb(call, |line, before| {
            line.health.overruled_until_ms = match overrule {
                Overrule::On => call.now_ms + OVERRULED_MS,
                Overrule::Off => 0,
            };
            line.note_change(&format!("overrule:{}", overrule.name()), call.now_ms);
            if overrule == Overrule::On {
                line.anchor_ms = line.anchor_ms.min(call.now_ms);
                line.end_ramp(call.now_ms);
            }
            line.open_period(call.now_ms, before);
            let before = line.sign.cursor.0;
            line.release(call.now_ms);
            line.sign.cursor.0 - before
        });
        Outcome::Done(sign, released, 0)
    }

    /// What the sign says of the origin.
    pub(super) fn show_origin(&mut self, now_ms: u64) {
        let is_watched = self.health_rule.0.setting != OriginHealth::Off;
        self.sign.origin = is_watched.then(|| self.told_origin(now_ms));
    }
}
