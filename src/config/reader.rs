//! Each kind of setting: how it is read, and what is accepted.
//!
//! A wrong one, and one that cannot be read, is remembered and its default goes on, so that one look finds every problem.

mod addresses;
mod choices;
mod conditions;
pub mod events;
mod findings;
mod kit;
mod layer;
mod priority;
mod profile;
mod regions;
mod rooms;
mod secrets;
mod shares;
mod signals;
mod waf;

use super::document::{Document, Known, NONE};
use super::{Problem, Source, Unreadable};
use crate::queue::RoomName;
pub use addresses::BYPASS_DEFAULT;
pub(super) use findings::{Findings, SITE, WafSettings};
use layer::Layer;
pub use profile::{Defaults, PROFILES};
pub use rooms::is_country;
use std::fmt::Display;
use std::ops::RangeInclusive;

/// Reads one setting after the other and remembers what was wrong.
pub(super) struct Reader<'a> {
    source: &'a dyn Source,
    document: Document,
    /// What the room says besides it that is being read.
    layer: Option<Layer>,
    /// What the room's profile says of settings that are absent.
    profile: Defaults,
    /// Every setting that was asked for: there are no others.
    asked: Vec<&'static str>,
    /// The same with what each accepts, where that is wanted.
    table: Option<Vec<Asked>>,
    /// Whether those that are asked for now are settings in which rooms may differ.
    of_rooms: bool,
    /// Whether those that are asked for now are [`cosmetic`](Self::cosmetic).
    is_cosmetic: bool,
    /// Those that are.
    cosmetic: Vec<&'static str>,
    found: Findings,
}

/// A setting as the service reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Its name.
    pub name: &'static str,
    /// Whether the rooms of a list may differ in it.
    pub is_of_rooms: bool,
    /// What it can be.
    pub accepts: Accepts,
}

/// What a setting can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Accepts {
    /// A whole number.
    Number {
        /// Where it is not set.
        default: u64,
        /// The least and the most.
        range: RangeInclusive<u64>,
    },
    /// One of a few words.
    Word {
        /// Where it is not set.
        default: String,
        /// All of them.
        words: Vec<String>,
    },
    /// What no table can say.
    Text,
}

impl<'a> Reader<'a> {
    /// For secrets, which no document holds.
    pub(super) fn new(source: &'a dyn Source) -> Self {
        Self {
            source,
            document: Document::default(),
            layer: None,
            profile: &[],
            asked: Vec::new(),
            table: None,
            of_rooms: false,
            is_cosmetic: false,
            cosmetic: Vec::new(),
            found: Findings::default(),
        }
    }

    /// The same, and writes down what each setting accepts.
    pub(super) fn with_table(self) -> Self {
        Self {
            table: Some(Vec::new()),
            ..self
        }
    }

    /// For settings as well.
    pub(super) fn of_settings(source: &'a dyn Source) -> Self {
        Self {
            document: Document::read(source),
            ..Self::new(source)
        }
    }

    /// Reads settings of looks, words and the log. A wrong one of these lets nobody in, keeps nobody out and loses no
    /// place, so its default serves instead.
    pub(super) fn cosmetic<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.is_cosmetic = true;
        let value = read(self);
        self.is_cosmetic = false;
        value
    }

    /// Every setting that was asked for, in that order: of a reader [`with_table`](Self::with_table).
    pub(super) fn table(self) -> Vec<Asked> {
        self.table.unwrap_or_default()
    }

    fn note(&mut self, name: &'static str) {
        self.asked.push(name);
        if self.is_cosmetic {
            self.cosmetic.push(name);
        }
        if let Some(table) = &mut self.table {
            table.push(Asked {
                name,
                is_of_rooms: self.of_rooms,
                accepts: Accepts::Text,
            });
        }
    }

    /// The setting that was asked for last accepts this.
    fn note_accepts(&mut self, accepts: impl FnOnce() -> Accepts) {
        let last = self.table.as_mut().and_then(|table| table.last_mut());
        if let Some(last) = last {
            last.accepts = accepts();
        }
    }

    /// What was read, unless anything was wrong.
    pub(super) fn checked<T>(self, read: T) -> Result<T, Vec<Problem>> {
        if self.found.problems.is_empty() {
            Ok(read)
        } else {
            Err(self.found.problems)
        }
    }

    pub(super) fn setting(&mut self, key: &'static str) -> Option<String> {
        self.note(key);
        match self.said(key) {
            Known::Is(text) => return Some(text),
            Known::Absent => return self.of_profile(key),
            // Its value is not named: it may hold a secret that belongs elsewhere.
            Known::NoText => {
                let accepted = "a text, a number, or a list of texts; on and off for switches";
                self.problem(key, None, accepted);
                self.found.unknown.push(key);
            }
            Known::Twice => {
                self.problem(key, None, "each setting once");
                self.found.unknown.push(key);
            }
            Known::Unreadable => self.is_not_read(key),
            Known::Unknown => self.found.unknown.push(key),
        }
        None
    }

    /// What is said of a setting, by the room or by the document.
    fn said(&self, key: &str) -> Known {
        let differing = self.layer.as_ref().and_then(|layer| layer.get(key));
        differing.unwrap_or_else(|| self.document.get(key))
    }

    /// The JSON of a setting that is no text, or a text that holds it.
    pub(super) fn json(&mut self, key: &'static str) -> Option<String> {
        let json = match &self.layer {
            Some(layer) if layer.get(key).is_some() => layer.json(key),
            _ => self.document.json(key),
        };
        if let Some(json) = json {
            self.note(key);
            return Some(json);
        }
        self.setting(key)
    }

    /// The value of a key, if there is one; that there is none is believed only of a store that says so.
    fn known(
        &mut self,
        key: &'static str,
        said: Result<Option<String>, Unreadable>,
    ) -> Option<String> {
        if said.is_err() {
            self.is_not_read(key);
        }
        said.ok().flatten().filter(|value| !value.is_empty())
    }

    fn is_not_read(&mut self, key: &'static str) {
        self.found.unknown.push(key);
        self.add(Problem::unreadable(key));
    }

    fn of_layer(&self, problem: Problem) -> Problem {
        let room = self.layer.as_ref().map(|layer| layer.room().to_owned());
        Problem { room, ..problem }
    }

    fn add(&mut self, problem: Problem) {
        let layer = self.layer.as_ref();
        let is_inherited = layer.is_some_and(|layer| layer.get(problem.key).is_none());
        let found = if self.cosmetic.contains(&problem.key) {
            &mut self.found.ignored
        } else {
            &mut self.found.problems
        };
        // What a room has in common with the first is named once.
        if is_inherited && found.contains(&problem) {
            return;
        }
        let room = layer.map(|layer| layer.room().to_owned());
        found.push(Problem { room, ..problem });
    }

    fn is_known(&self, key: &str) -> bool {
        !self.found.unknown.contains(&key)
    }

    /// One for which `none` stands where it is absent.
    pub(super) fn optional(&mut self, key: &'static str) -> Option<String> {
        self.setting(key).filter(|text| text != NONE)
    }

    pub(super) fn problem(
        &mut self,
        key: &'static str,
        value: Option<String>,
        accepted: impl Display,
    ) {
        self.add(Problem::wrong(key, value, &accepted.to_string()));
    }

    pub(super) fn number(
        &mut self,
        key: &'static str,
        default: u64,
        range: RangeInclusive<u64>,
    ) -> u64 {
        let text = self.setting(key);
        self.note_accepts(|| Accepts::Number {
            default,
            range: range.clone(),
        });
        let Some(text) = text else {
            return default;
        };
        match text.parse() {
            Ok(number) if range.contains(&number) => number,
            _ => {
                let (from, to) = range.into_inner();
                self.problem(
                    key,
                    Some(text),
                    format_args!("a whole number from {from} to {to}"),
                );
                default
            }
        }
    }

    pub(super) fn choice<T: Copy + PartialEq>(
        &mut self,
        key: &'static str,
        default: T,
        choices: &[(&str, T)],
    ) -> T {
        let is_usual = |(_, choice): &&(&str, T)| *choice == default;
        let usual = self
            .table
            .as_ref()
            .and_then(|_| choices.iter().find(is_usual));
        let usual = usual.map_or("", |(name, _)| name);
        let chosen = self.chosen(key, usual, &mut choices.iter().map(|(name, _)| *name));
        let chosen = chosen.and_then(|at| choices.get(at));
        chosen.map_or(default, |(_, choice)| *choice)
    }

    /// Which of these names the setting is: apart, since the code of each kind of choice is in the Wasm.
    fn chosen(
        &mut self,
        key: &'static str,
        usual: &str,
        names: &mut dyn Iterator<Item = &str>,
    ) -> Option<usize> {
        let text = self.setting(key);
        let names: Vec<&str> = names.collect();
        self.note_accepts(|| Accepts::Word {
            default: usual.to_owned(),
            words: names.iter().map(|name| (*name).to_owned()).collect(),
        });
        let text = text?;
        let chosen = names.iter().position(|name| *name == text);
        if chosen.is_none() {
            self.problem(key, Some(text), names.join(", "));
        }
        chosen
    }

    pub(super) fn room(&mut self) -> RoomName {
        let room = self.setting("room").unwrap_or_else(|| "main".to_owned());
        if room.len() > 64 || !room.bytes().all(is_name_byte) {
            self.problem(
                "room",
                Some(room.clone()),
                "1 to 64 letters, digits, - and _",
            );
        }
        RoomName::new(room)
    }

    /// The name of a link.
    pub(super) fn acl(&mut self, key: &'static str) -> Option<String> {
        let name = self.optional(key)?;
        let is_named = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if name.is_empty() || name.len() > 64 || !name.bytes().all(is_named) {
            let accepted = "none, or the link name of an ACL: 1 to 64 letters, digits, - and _";
            self.problem(key, Some(name.clone()), accepted);
        }
        Some(name)
    }

    /// Seconds, for tests: a deployed service has only the right time, and no look-up to spare for another.
    pub(super) fn clock(&mut self) -> Option<i64> {
        const YEAR: i64 = 31_536_000;
        if !self.source.is_local() {
            return None;
        }
        let text = self.setting("clock")?;
        let shift = text
            .parse()
            .ok()
            .filter(|shift| (-YEAR..=YEAR).contains(shift));
        if shift.is_none() {
            let accepted = format!("a whole number of seconds from -{YEAR} to {YEAR}");
            self.problem("clock", Some(text), accepted);
        }
        shift
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// What the log can call a token. `-` alone stands for no actor in the journal, so a name has a letter or a digit.
fn is_name(name: &str) -> bool {
    (1..=32).contains(&name.len())
        && name.bytes().all(is_name_byte)
        && name.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c == ',' || c.is_whitespace())
        .filter(|word| !word.is_empty())
}
