//! The verbs of the line. Each is one Lua script, one call to the store and atomic there.
//!
//! Invariant: the cursor never falls and never passes the length; the scripts keep it, whoever calls and however often.

mod board;
mod change;
mod count;

use std::sync::LazyLock;

use hmac_sha1_compact::Hash as Sha1;
use jwt_simple::reexports::ct_codecs::{Encoder, Hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::admission::{Cursor, Measured, Mode, Pace, Position, waiting};
use crate::tally::Batch;
use crate::upstash::{self, StoreError, Transport};

pub use board::{Action, Board, Minute, Set};
pub use change::{Author, Change, Changed, Once};
pub use count::Figures;

/// A script with the digest under which the store remembers it.
struct Script {
    text: String,
    digest: String,
}

/// What every script begins with.
const COMMON: &str = include_str!("line/line.lua");

macro_rules! script {
    ($verb:literal) => {
        LazyLock::new(|| {
            // Put together here, so that what they have in common is in the Wasm once.
            let text = [COMMON, include_str!(concat!("line/", $verb))].concat();
            let digest = Hex::encode_to_string(Sha1::hash(text.as_bytes())).unwrap_or_default();
            Script { text, digest }
        })
    };
}

static JOIN: LazyLock<Script> = script!("join.lua");
static LOOK: LazyLock<Script> = script!("look.lua");
static CHANGE: LazyLock<Script> = script!("change.lua");
static STATUS: LazyLock<Script> = script!("status.lua");
static METRICS: LazyLock<Script> = script!("metrics.lua");

/// The public state of the line, the same for every visitor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sign {
    /// Raising it ends every ticket of the room.
    pub epoch: u64,
    /// Now serving.
    pub cursor: Cursor,
    /// Tickets drawn.
    pub length: u64,
    /// Admissions granted to arrivals that have not come yet.
    pub credit: u64,
    /// How fast the line moved, while somebody was left waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<Measured>,
    /// What an operator may have set.
    #[serde(default)]
    pub live: Live,
}

/// The settings that are kept with the line, so that a change is seen everywhere without a deploy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Live {
    /// Who goes in.
    pub mode: Mode,
    /// The pace: what an operator set, else what is configured.
    pub pace: Pace,
    /// What those who wait are told, if an operator set that; empty for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Grows with each change of these.
    pub version: u64,
}

impl Sign {
    /// How many hold a ticket and have not been admitted.
    #[must_use]
    pub fn waiting(&self) -> u64 {
        waiting(self.length, self.cursor)
    }
}

/// What a waiting ticket proves about the line, so that a store without memory can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The epoch it was drawn in.
    pub epoch: u64,
    /// The number on it.
    pub position: Position,
    /// Where the sign stood when it was drawn.
    pub seen: Cursor,
}

/// One room's line in the store, as one request sees it.
pub struct Line<'a> {
    /// The way to the store.
    pub store: &'a dyn Transport,
    /// The room's name.
    pub room: &'a str,
    /// The configured pace.
    pub pace: Pace,
    /// Seconds after which an untouched line is forgotten.
    pub lifetime: u64,
    /// Unix time in milliseconds.
    pub now_ms: u64,
}

impl Line<'_> {
    /// Draws a number for the ticket `id`; the same id gets the same number for a minute, and 0 is none, since the room
    /// is closed.
    ///
    /// # Errors
    /// The store's fault; whether a number was drawn is then unknown, and a repeat with the same id finds out.
    pub fn join(&self, id: &str) -> Result<(Sign, Position), StoreError> {
        self.positioned(&JOIN, &[self.memory(id)], &[])
    }

    /// Where the sign stands, for the holder of a ticket. Its position comes back, or a new one where its epoch has ended.
    /// What was counted goes along.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn look(
        &self,
        id: &str,
        place: Place,
        batches: &[Batch],
    ) -> Result<(Sign, Position), StoreError> {
        let facts = [place.epoch, place.position.0, place.seen.0].map(|fact| fact.to_string());
        let (keys, counts) = (self.counted(batches), count::words(batches));
        let keys = [vec![self.memory(id)], keys].concat();
        let words: Vec<&str> = facts.iter().chain(&counts).map(String::as_str).collect();
        self.positioned(&LOOK, &keys, &words)
    }

    /// A look by nobody in particular: releases what is due and says where the sign stands.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn pass(&self, batches: &[Batch]) -> Result<Sign, StoreError> {
        let nobody = Place {
            epoch: 0,
            position: Position(0),
            seen: Cursor(0),
        };
        self.look("", nobody, batches).map(|(sign, _)| sign)
    }

    /// All that there is to measure, once these batches are counted too; moves nothing.
    ///
    /// # Errors
    /// The store's fault; whether the batches were counted is then unknown.
    pub fn figures(&self, batches: &[Batch]) -> Result<Figures, StoreError> {
        let words = count::words(batches);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run(
            &METRICS,
            &self.counted(batches),
            &words,
            count::read_figures,
        )
    }

    /// Reads the sign and changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn status(&self) -> Result<Sign, StoreError> {
        let sign = |value: &Value| value.get(0).and_then(read).map(|(sign, _)| sign);
        self.run(&STATUS, &[self.key("actions")], &[], sign)
    }

    /// The sign with all that the panel shows besides; changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn board(&self) -> Result<Board, StoreError> {
        let keys = [self.key("actions")];
        self.run(&STATUS, &keys, &["board"], board::read_board)
    }

    /// Does what an operator or a program asks, once.
    ///
    /// # Errors
    /// The store's fault; whether anything changed is then unknown, and a repeat with the same key finds out.
    pub fn change(&self, change: &Change, author: &Author<'_>) -> Result<Changed, StoreError> {
        let once = author.once.as_ref();
        let keys = [
            self.key("actions"),
            self.key(&format!("once:{}", once.map_or("", |once| &once.key))),
            self.memory(change.draws().unwrap_or_default()),
        ];
        let words = change::words(change, author);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        self.run(&CHANGE, &keys, &words, change::read_changed)
    }

    fn positioned(
        &self,
        script: &Script,
        keys: &[String],
        words: &[&str],
    ) -> Result<(Sign, Position), StoreError> {
        let (sign, number) = self.run(script, keys, words, read)?;
        Ok((sign, Position(number)))
    }

    /// Runs a script and reads its answer.
    fn run<T>(
        &self,
        script: &Script,
        keys: &[String],
        words: &[&str],
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, StoreError> {
        let answer = self.answer(script, keys, words);
        let read = answer.and_then(|value| read(&value).ok_or(StoreError::Garbled));
        read.inspect_err(|fault| self.store.failed(fault))
    }

    fn answer(&self, script: &Script, keys: &[String], more: &[&str]) -> Result<Value, StoreError> {
        let [line, hour] = [self.line(), self.key("hour")];
        let shared = [
            (keys.len() + 2).to_string(),
            line,
            hour,
            self.now_ms.to_string(),
            self.pace.automatic.to_string(),
            self.pace.quantity.to_string(),
            self.lifetime.to_string(),
        ];
        let [many, line, hour, facts @ ..] = &shared;
        let words: Vec<&str> = [many, line, hour]
            .into_iter()
            .chain(keys)
            .chain(facts)
            .map(String::as_str)
            .chain(more.iter().copied())
            .collect();
        match self.call("EVALSHA", &script.digest, &words) {
            Err(StoreError::NoScript) => self.call("EVAL", &script.text, &words),
            answer => answer,
        }
    }

    /// Braces keep the keys of a room in one slot of a Redis cluster.
    fn line(&self) -> String {
        format!("queue:{{{}}}", self.room)
    }

    fn key(&self, name: &str) -> String {
        format!("{}:{name}", self.line())
    }

    fn memory(&self, id: &str) -> String {
        self.key(&format!("join:{id}"))
    }

    /// What was counted, and the number of the last batch of each of these tills.
    fn counted(&self, batches: &[Batch]) -> Vec<String> {
        let tills = batches.iter().map(|batch| format!("till:{}", batch.till));
        let names = std::iter::once("counts".to_owned()).chain(tills);
        names.map(|name| self.key(&name)).collect()
    }

    fn call(&self, verb: &str, script: &str, words: &[&str]) -> Result<Value, StoreError> {
        let command = [&[verb, script], words].concat();
        upstash::decode(self.store.post(&upstash::encode(&command)))
    }
}

/// The answer of `line.lua`.
fn read(value: &Value) -> Option<(Sign, u64)> {
    let (numbers, words) = value.as_array()?.split_at_checked(13)?;
    let numbers: Vec<u64> = numbers.iter().map_while(Value::as_u64).collect();
    let [
        epoch,
        cursor,
        length,
        credit,
        number,
        released,
        took_ms,
        moved_ms,
        automatic,
        quantity,
        version,
        _drawn,
        _admitted,
    ] = numbers[..]
    else {
        return None;
    };
    let [mode, message] = words else {
        return None;
    };
    let measured = Measured {
        released,
        took_ms,
        moved_ms,
    };
    let live = Live {
        mode: Mode::named(mode.as_str()?)?,
        pace: Pace {
            automatic,
            quantity,
        },
        message: message.as_str().map(str::to_owned),
        version,
    };
    let sign = Sign {
        epoch,
        cursor: Cursor(cursor),
        length,
        credit,
        measured: (released > 0).then_some(measured),
        live,
    };
    Some((sign, number))
}
