//! An update of the waiting page: the figures in words, the same as on the page.

use super::Waiting;
use super::stage::{Dated, Headline, Stage, opens_in};
use crate::http::Reply;
use crate::i18n::Language;
use crate::queue::Mode;
use serde::Serialize;

/// The figures in words, the same on the page and in its updates.
#[derive(Serialize)]
pub(super) struct Worded<'a> {
    /// What stands in the place of the usual heading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) heading: Option<&'static str>,
    /// The button that rings.
    #[serde(skip)]
    pub(super) bell: Option<&'static str>,
    pub(super) waiting: bool,
    pub(super) stage: &'static str,
    /// The same for the page.
    #[serde(skip)]
    pub(super) state: Stage,
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
    /// Seconds until the event opens, where the page counts down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opens: Option<u64>,
    /// Seconds until the turn, and for which it is kept: the page makes times of the day of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) estimate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) valid: Option<u64>,
    /// Why the wait has grown, or when entry ends, with places for times, and how many seconds ago that began and ended: the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slowed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) since: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) until: Option<i64>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stock_left: Option<u64>,
}

impl<'a> Worded<'a> {
    pub(super) fn new(waiting: &'a Waiting, words: &'a Language) -> Self {
        let stage = Stage::of(waiting);
        let row = stage.row(waiting);
        let ahead = waiting.seen.map(|(_, ahead)| ahead);
        let opens = opens_in(waiting).filter(|_| row.headline == Headline::Countdown);
        // No turn is promised that comes after the end.
        let estimate = waiting.estimate.filter(|_| stage != Stage::Late);
        let text = |name| words.text(name).to_owned();
        let dated = stage.dated(waiting, words);
        let [since, until] = dated.as_ref().map(Dated::ago).unwrap_or_default();
        Self {
            heading: row.heading.map(|name| words.text(name)),
            bell: row.bell,
            waiting: true,
            stage: row.name,
            state: stage,
            position: waiting.position.map(|position| position.0),
            ahead: ahead.map(|ahead| words.number(ahead)),
            line: row.line(waiting, words),
            wait: ahead.map(|_| words.wait(estimate)),
            serving: waiting.seen.map(|(cursor, _)| words.number(cursor.0)),
            cursor: waiting.seen.map(|(cursor, _)| cursor.0),
            progress: ahead
                .zip(waiting.first)
                .map(|(ahead, first)| progress(ahead, first)),
            refresh_seconds: waiting.refresh,
            opens,
            estimate,
            valid: waiting.valid,
            slowed: dated.map(|dated| dated.sentence),
            since,
            until,
            message: waiting.message.as_deref(),
            said: waiting.said,
            // A visitor without a number has no place that could be kept.
            old: (waiting.is_old && waiting.position.is_some()).then(|| words.text("old")),
            hold: stage.hold(waiting).map(|name| words.text(name)),
            headline: match row.headline {
                Headline::Text(name) => Some(text(name)),
                Headline::Countdown => opens.map(|seconds| words.until(seconds)),
                Headline::Wait | Headline::None => None,
            },
            detail: stage.detail(waiting, words),
            closed: (waiting.mode == Mode::Closed).then_some(true),
            stock_left: waiting.stock_left(),
        }
    }
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
