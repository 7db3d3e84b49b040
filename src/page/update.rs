//! An update of the waiting page: the figures in words, the same as on the page.

use super::Waiting;
use super::event::EventWords;
use super::stage::Stage;
use crate::http::Reply;
use crate::i18n::Language;
use crate::queue::{Lane, Mode};
use serde::Serialize;

/// The figures in words, the same on the page and in its updates.
#[derive(Serialize)]
pub(super) struct Worded<'a> {
    #[serde(skip)]
    pub(super) heading: Option<&'static str>,
    pub(super) waiting: bool,
    pub(super) stage: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ahead: Option<String>,
    pub(super) line: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) wait: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) serving: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cursor: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) progress: Option<u64>,
    pub(super) refresh_seconds: u64,
    /// Seconds until the turn, and for which it is kept: the page makes times of the day of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) estimate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) said: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hold: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) headline: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) closed: Option<bool>,
}

impl<'a> Worded<'a> {
    pub(super) fn new(waiting: &'a Waiting, words: &'a Language) -> Self {
        let stage = Stage::of(waiting);
        let event = EventWords::of(waiting, words);
        let ahead = waiting.seen.map(|(_, ahead)| ahead);
        let position = waiting.position.map(|position| position.0);
        // A visitor without a number has no place that could be kept.
        let is_on_hold = waiting.mode == Mode::Hold && position.is_some();
        let keeps_number = position.filter(|_| is_on_hold || stage == Stage::Closed);
        let keeps = |number| {
            words
                .text("kept_number")
                .replace("{n}", &words.number(number))
        };
        let line = event.line.map(str::to_owned);
        let headline = || stage.headline(words).map(str::to_owned);
        // An event that is over, or has not begun, keeps no number.
        let kept = keeps_number.filter(|_| line.is_none()).map(keeps);
        Self {
            heading: event.heading,
            waiting: true,
            stage: stage.name(),
            position,
            ahead: ahead.map(|ahead| words.number(ahead)),
            line: line.unwrap_or_else(|| stage.line(waiting, words)),
            wait: ahead.map(|_| words.wait(waiting.estimate)),
            serving: waiting.seen.map(|(cursor, _)| words.number(cursor.0)),
            cursor: waiting.seen.map(|(cursor, _)| cursor.0),
            progress: ahead
                .zip(waiting.first)
                .map(|(ahead, first)| progress(ahead, first)),
            refresh_seconds: waiting.refresh,
            estimate: waiting.estimate,
            valid: waiting.valid,
            message: waiting.message.as_deref(),
            said: waiting.said,
            old: waiting.is_old.then(|| words.text("old")),
            hold: is_on_hold.then(|| event.hold.unwrap_or_else(|| words.text("hold"))),
            headline: event.headline.or_else(headline),
            detail: event
                .hold
                .or(event.late)
                .or(lane(waiting, words))
                .map(str::to_owned)
                .or(kept),
            closed: (waiting.mode == Mode::Closed).then_some(true),
        }
    }
}

/// That the visitor waits in the front lane, where the board says how far that is.
fn lane<'a>(waiting: &Waiting, words: &'a Language) -> Option<&'a str> {
    let is_moving = waiting.seen.is_some() && waiting.mode != Mode::Hold;
    (waiting.lane == Lane::Front && is_moving).then(|| words.text("front"))
}

/// How much of the way is done, in percent; the last step is one's own.
fn progress(ahead: u64, first: u64) -> u64 {
    let gone = first.saturating_sub(ahead);
    gone.saturating_mul(100) / first.saturating_add(1)
}

/// An update of that page: as few bytes as say what changed.
#[must_use]
pub fn place(waiting: &Waiting, words: &Language) -> Reply {
    Reply::data(200, &Worded::new(waiting, words))
}
