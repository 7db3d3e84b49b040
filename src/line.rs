//! The verbs of the line. Each is one Lua script, one call to the store and atomic there.
//!
//! Invariant: the cursor never falls and never passes the length; the scripts keep it, whoever calls and however often.

use std::sync::LazyLock;

use hmac_sha1_compact::Hash as Sha1;
use jwt_simple::reexports::ct_codecs::{Encoder, Hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::admission::{Cursor, Measured, Pace, Position, waiting};
use crate::upstash::{self, StoreError, Transport};

/// A script with the digest under which the store remembers it.
struct Script {
    text: &'static str,
    digest: String,
}

macro_rules! script {
    ($verb:literal) => {
        LazyLock::new(|| {
            let text = concat!(
                include_str!("line/line.lua"),
                include_str!(concat!("line/", $verb))
            );
            Script {
                text,
                digest: Hex::encode_to_string(Sha1::hash(text.as_bytes())).unwrap_or_default(),
            }
        })
    };
}

static JOIN: LazyLock<Script> = script!("join.lua");
static LOOK: LazyLock<Script> = script!("look.lua");
static PERMIT: LazyLock<Script> = script!("permit.lua");
static STATUS: LazyLock<Script> = script!("status.lua");

/// The public state of the line, the same for every visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Draws a number for the ticket `id`; the same id gets the same number for a minute.
    ///
    /// # Errors
    /// The store's fault; whether a number was drawn is then unknown, and a repeat with the same id finds out.
    pub fn join(&self, id: &str) -> Result<(Sign, Position), StoreError> {
        self.run(&JOIN, Some(id), &[]).map(positioned)
    }

    /// Where the sign stands, for the holder of a ticket. Its position comes back, or a new one where its epoch has ended.
    ///
    /// # Errors
    /// The store's fault.
    pub fn look(&self, id: &str, place: Place) -> Result<(Sign, Position), StoreError> {
        let facts = [place.epoch, place.position.0, place.seen.0];
        self.run(&LOOK, Some(id), &facts).map(positioned)
    }

    /// A look by nobody in particular: releases what is due and says where the sign stands.
    ///
    /// # Errors
    /// The store's fault.
    pub fn pass(&self) -> Result<Sign, StoreError> {
        self.run(&LOOK, None, &[0, 0, 0]).map(|(sign, _)| sign)
    }

    /// Releases up to `amount` now, keeps the rest as credit up to `credit_max`; answers how many were released.
    ///
    /// # Errors
    /// The store's fault; whether the line moved is then unknown.
    pub fn permit(&self, amount: u64, credit_max: u64) -> Result<(Sign, u64), StoreError> {
        self.run(&PERMIT, None, &[amount, credit_max])
    }

    /// Reads the sign and changes nothing.
    ///
    /// # Errors
    /// The store's fault.
    pub fn status(&self) -> Result<Sign, StoreError> {
        self.run(&STATUS, None, &[]).map(|(sign, _)| sign)
    }

    fn run(
        &self,
        script: &Script,
        id: Option<&str>,
        more: &[u64],
    ) -> Result<(Sign, u64), StoreError> {
        let keys = self.keys(id);
        let mut words = vec![keys.len().to_string()];
        words.extend(keys);
        let start = self.pace.period_start(self.now_ms);
        let budget = start.map_or(0, |_| self.pace.quantity);
        let shared = [
            start.unwrap_or(0),
            budget,
            self.lifetime,
            self.now_ms,
            self.pace.automatic,
        ];
        for number in shared.iter().chain(more) {
            words.push(number.to_string());
        }
        match self.call("EVALSHA", &script.digest, &words) {
            Err(StoreError::NoScript) => self.call("EVAL", script.text, &words),
            answer => answer,
        }
    }

    /// Braces keep the keys of a room in one slot of a Redis cluster.
    fn keys(&self, id: Option<&str>) -> Vec<String> {
        let line = format!("queue:{{{}}}", self.room);
        let memory = id.map(|id| format!("{line}:join:{id}"));
        std::iter::once(line).chain(memory).collect()
    }

    fn call(&self, verb: &str, script: &str, words: &[String]) -> Result<(Sign, u64), StoreError> {
        let command: Vec<&str> = [verb, script]
            .into_iter()
            .chain(words.iter().map(String::as_str))
            .collect();
        let value = upstash::decode(self.store.post(&upstash::encode(&command)))?;
        read(&value).ok_or(StoreError::Garbled)
    }
}

fn positioned((sign, number): (Sign, u64)) -> (Sign, Position) {
    (sign, Position(number))
}

fn read(value: &Value) -> Option<(Sign, u64)> {
    let numbers: Vec<u64> = value.as_array()?.iter().map_while(Value::as_u64).collect();
    let [
        epoch,
        cursor,
        length,
        credit,
        number,
        released,
        took_ms,
        moved_ms,
    ] = numbers[..]
    else {
        return None;
    };
    let measured = Measured {
        released,
        took_ms,
        moved_ms,
    };
    let sign = Sign {
        epoch,
        cursor: Cursor(cursor),
        length,
        credit,
        measured: (released > 0).then_some(measured),
    };
    Some((sign, number))
}
