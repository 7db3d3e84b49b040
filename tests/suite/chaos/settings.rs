//! What is published, and how it reaches the POPs: each sandbox reads it within half a minute, and one POP before the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use now_serving::config::Config;

use super::act::{POPS, Publishes};
use super::world::World;
use crate::house::{SECRET, config_with};

/// How many visitors may go straight in by an invitation within a minute.
pub(super) const MOST_INVITED_PER_MINUTE: u64 = 3;
/// A sandbox reads its settings at its start, and lives for half a minute.
const READ_WITHIN_MS: u64 = 30_000;
/// Between two writes of a rotation, and after another secret without the old one: every POP has read it.
pub(super) const READ_EVERYWHERE_MS: u64 = 2 * READ_WITHIN_MS;

/// What is published.
#[derive(Clone)]
pub(super) struct Settings {
    given: BTreeMap<String, String>,
    pub(super) secrets: Vec<String>,
    /// The entry that is to sign after the next write.
    next: Option<String>,
    written_ms: u64,
}

impl Settings {
    pub(super) fn new() -> Self {
        let given = [
            ("automatic", "5"),
            ("automatic_quantity", "3"),
            ("front_share", "20"),
            ("origin_health", "on"),
            ("session_minutes", "3"),
            ("claim_seconds", "15"),
            ("total_active", "12"),
            ("network_draws", "20"),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            given: given.into(),
            secrets: vec![SECRET.to_owned()],
            next: None,
            written_ms: 0,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.given.insert(name.to_owned(), value.to_owned());
    }

    pub(super) fn config(&self) -> Rc<Config> {
        let secrets = self.secrets.join(",");
        let invited = MOST_INVITED_PER_MINUTE.to_string();
        let given = self.given.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
        let ours = [
            ("jwt_secret", secrets.as_str()),
            ("invited_per_minute", &invited),
        ];
        let given: Vec<(&str, &str)> = given.chain(ours).collect();
        Rc::new(config_with(&given))
    }

    /// `old`, then `old,new`, then `new,old`: the third write waits until no ticket of the old one lives.
    fn rotate(&mut self, entry: String, now_ms: u64) -> bool {
        if now_ms < self.written_ms + READ_EVERYWHERE_MS {
            return false;
        }
        self.written_ms = now_ms;
        if let Some(next) = self.next.take() {
            self.secrets.retain(|secret| *secret != next);
            self.secrets.insert(0, next);
        } else {
            self.secrets.push(entry.clone());
            self.next = Some(entry);
        }
        true
    }
}

impl World {
    pub(super) fn publishes(&mut self, what: Publishes) {
        let now_ms = self.now_ms;
        match what {
            Publishes::Setting(name, value) => self.settings.set(name, value),
            Publishes::Rotation => {
                let entry = self.secret();
                if !self.settings.rotate(entry, now_ms) {
                    return;
                }
                self.fault("secrets: a write of a rotation");
            }
            Publishes::Reset => {
                self.settings.secrets = vec![self.secret()];
                self.settings.next = None;
                self.reset_ms = Some(now_ms);
                self.excuse_everybody();
                self.fault("secrets: all at once");
            }
            Publishes::Deploy => {
                self.fault("edge: a deploy");
                for pop in 0..POPS {
                    self.flush_sandboxes(pop);
                    self.reads_settings(pop);
                }
                return;
            }
        }
        for pop in 0..POPS {
            let due = now_ms + self.dice.roll(READ_WITHIN_MS);
            self.pops[pop].reads_ms.get_or_insert(due);
        }
    }

    pub(super) fn reads_settings(&mut self, pop: usize) {
        let config = self.settings.config();
        let pop = &mut self.pops[pop];
        (pop.config, pop.reads_ms) = (config, None);
    }

    fn secret(&mut self) -> String {
        format!("chaos-only-secret-{:032x}", self.dice.roll(u64::MAX))
    }
}
