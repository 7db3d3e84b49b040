//! What is published, and how it reaches the POPs: each sandbox reads it within half a minute, and one POP before the other.

use std::collections::BTreeMap;
use std::rc::Rc;

use now_serving::config::Config;

use serde_json::Value;

use super::act::{POPS, Publishes};
use super::rooms::{LATE, Listed, WORLD};
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
    listed: Vec<Listed>,
    /// What was published before.
    before: Option<(BTreeMap<String, String>, Vec<Listed>)>,
    pub(super) secrets: Vec<String>,
    /// The entry that is to sign after the next write.
    next: Option<String>,
    written_ms: u64,
}

impl Settings {
    pub(super) fn new(has_regions: bool) -> Self {
        let given = [
            ("automatic", "5"),
            ("automatic_quantity", "3"),
            (
                "priority",
                r#"[{"name":"vip","share":30},{"name":"front","share":20}]"#,
            ),
            ("origin_health", "on"),
            ("session_minutes", "3"),
            ("claim_seconds", "15"),
            ("total_active", "12"),
            ("network_draws", "20"),
        ];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            given: given.into(),
            listed: Listed::all(has_regions),
            before: None,
            secrets: vec![SECRET.to_owned()],
            next: None,
            written_ms: 0,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.given.insert(name.to_owned(), value.to_owned());
    }

    /// Every room of the list at once.
    pub(super) fn list_all(&mut self) {
        let mut later = Listed::late(LATE[1]);
        later.members.remove("countries");
        later.members.insert("paths".to_owned(), "/later".into());
        self.listed.push(later);
    }

    /// Keeps what is published now, for a build before that comes back.
    fn keep(&mut self) {
        self.before = Some((self.given.clone(), self.listed.clone()));
    }

    fn room(&mut self, room: usize) -> Option<&mut Listed> {
        self.listed.iter_mut().find(|listed| listed.room == room)
    }

    /// Whether that changes anything.
    fn list(&mut self, late: Option<usize>) -> bool {
        let is_late = |listed: &Listed| LATE.contains(&listed.room);
        let now = self.listed.iter().find(|one| is_late(one));
        if now.map(|listed| listed.room) == late {
            return false;
        }
        self.listed.retain(|listed| !is_late(listed));
        self.listed.extend(late.map(Listed::late));
        true
    }

    /// Takes a region away, or adds it. A room that has regions keeps one.
    fn toggle(&mut self, region: usize) -> Option<&'static str> {
        let world = self.room(WORLD)?;
        let had = world.regions.len();
        if had == 0 {
            return None;
        }
        world.regions.retain(|known| *known != region);
        if world.regions.is_empty() {
            world.regions.push(region);
            return None;
        }
        if world.regions.len() < had {
            return Some("settings: a region is taken away");
        }
        world.regions.push(region);
        Some("settings: a region is added")
    }

    pub(super) fn config(&self) -> Rc<Config> {
        let rooms: Value = self.listed.iter().map(Listed::json).collect();
        let rooms = rooms.to_string();
        let secrets = self.secrets.join(",");
        let invited = MOST_INVITED_PER_MINUTE.to_string();
        let given = self.given.iter();
        let given = given.map(|(name, value)| (name.as_str(), value.as_str()));
        let ours = [
            ("jwt_secret", secrets.as_str()),
            ("invited_per_minute", &invited),
            ("rooms", &rooms),
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
            Publishes::Setting(name, value) => {
                self.settings.keep();
                self.settings.set(name, value);
                self.fault("settings: another value");
            }
            Publishes::Member(room, name, value) => {
                self.settings.keep();
                let Some(listed) = self.settings.room(room) else {
                    return;
                };
                listed.members.insert(name.to_owned(), value.into());
                self.fault("settings: another value in a room");
            }
            Publishes::Paths(paths) => {
                self.settings.keep();
                let Some(sale) = self.settings.room(1) else {
                    return;
                };
                sale.members.insert("paths".to_owned(), paths.into());
                self.fault("settings: other paths of a room");
            }
            Publishes::Lists(late) => {
                self.settings.keep();
                if !self.settings.list(late) {
                    return;
                }
                self.fault("settings: a room is removed, added or renamed");
            }
            Publishes::Region(region) => {
                self.settings.keep();
                let Some(what) = self.settings.toggle(region) else {
                    return;
                };
                self.fault(what);
            }
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
                return self.deploy();
            }
            Publishes::Back => {
                let Some((given, listed)) = self.settings.before.take() else {
                    return;
                };
                (self.settings.given, self.settings.listed) = (given, listed);
                self.fault("edge: a deploy of the settings before");
                return self.deploy();
            }
        }
        for pop in 0..POPS {
            let due = now_ms + self.dice.roll(READ_WITHIN_MS);
            self.pops[pop].reads_ms.get_or_insert(due);
        }
    }

    /// All sandboxes end, and the next ones read what is published.
    fn deploy(&mut self) {
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            self.reads_settings(pop);
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
