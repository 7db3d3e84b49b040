//! The panel while the store does not answer: what this data centre last knew, and what becomes of a press.
//!
//! Invariant: a press that was not confirmed stays on the page under its own key, so that sending it again is one change.

use serde_json::Value;

use super::verdict::{Level, Verdict};
use super::words::moment;
use super::{Configured, band, figures, rooms, settings, shown_as};
use crate::http::Reply;
use crate::http::object::object;
use crate::page::built_in;
use crate::queue::{Board, Mode};

/// What is known without the store.
pub struct Away<'a> {
    /// That the store does not answer, and what visitors meet.
    pub heading: &'a str,
    /// What is wrong, as a sentence.
    pub why: &'a str,
    /// What became of the request, as a sentence.
    pub known: &'a str,
    /// Where more is said of it, as a sentence.
    pub see: &'a str,
    /// What else visitors meet, in sentences.
    pub meanwhile: &'a str,
    /// The last board, and when the store showed it in Unix milliseconds.
    pub last: Option<(&'a Board, u64)>,
    /// Whether the operator may change anything.
    pub acts: bool,
    /// The press that was not confirmed.
    pub unconfirmed: Option<Unconfirmed<'a>>,
    /// So that a form sent twice is one change.
    pub once: &'a str,
    /// Unix time in milliseconds.
    pub now_ms: u64,
}

/// A form whose answer is not known.
#[derive(Clone, Copy)]
pub struct Unconfirmed<'a> {
    /// Its route below the operators' path.
    pub route: &'a str,
    /// What it said.
    pub fields: &'a [(String, String)],
}

/// The panel as far as this data centre knows it.
#[must_use]
pub fn panel_without_store(configured: &Configured<'_>, away: &Away<'_>) -> Reply {
    let title = format!("\u{26a0} no answer \u{b7} {}", configured.room);
    let now_ms = away.now_ms;
    let board = away.last.map(|(board, _)| board);
    let verdict = Verdict::new(Level::Alarm, away.heading);
    let data = object!({
        "title": title.as_str(),
        "room": configured.room,
        "rooms": rooms(configured),
        "path": configured.path,
        "acts": away.acts,
        "once": away.once,
        "at": away.last.map(|(_, read_ms)| moment(read_ms, now_ms)),
        "down": object!({
            "why": away.why, "known": away.known, "meanwhile": away.meanwhile,
            "see": away.see,
            "asks": away.unconfirmed.is_none(),
            "press": away.acts && board.is_some(),
        }),
        "again": away.unconfirmed.map(again),
        "version": board.map(|board| board.live.version),
        "sign": board.map(|board| figures::line(board, now_ms)),
        "band": board.map_or_else(
            || band::away(&verdict),
            |board| band::band(board, None, Some(&verdict), now_ms),
        ),
    });
    shown_as(&built_in::ADMIN, 503, &data)
}

fn again(press: Unconfirmed<'_>) -> Value {
    let fields = press.fields.iter();
    let fields = fields
        .map(|(name, value)| object!({ "name": name.as_str(), "value": value.as_str() }))
        .collect::<Vec<Value>>();
    object!({ "route": press.route, "fields": fields, "what": what(press) })
}

fn what(press: Unconfirmed<'_>) -> &'static str {
    let mut fields = press.fields.iter();
    let mode = fields.find(|(name, _)| name == "mode");
    let mode = mode.and_then(|(_, value)| Mode::named(value));
    match (press.route, mode) {
        ("mode", Some(mode)) => settings::label(mode),
        ("settings", _) => "The pace",
        ("permit", _) => "Letting visitors in",
        ("message", _) => "The message",
        ("cap", _) => "The cap",
        ("public-value", _) => "The public value",
        _ => "The press",
    }
}
