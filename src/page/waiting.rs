//! The waiting page and its JSON twin.

use super::challenge::ChallengeData;
use super::clock::iso_8601;
use super::event::EventData;
use super::page_context::Told;
use super::pages::Page;
use super::stage::Obstacle;
use super::{CfWaitingRoom, Challenge, NOBODY, Pages, Shell};
use crate::http::Reply;
use crate::i18n::Language;
use crate::queue::{
    Cursor, Group, Lane, Mode, Now, Outlook, Position, Slowed, Slowness, Verdict, decide,
};
use crate::ticket::Notice;
use serde::Serialize;
use serde_json::Value;

/// A draw by lot that decides a visitor's place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Draw {
    /// There is none, or it has been decided.
    #[default]
    None,
    /// It is still to come, and the number says nothing until then.
    Awaited,
}

/// What a waiting visitor reads.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The number; `None` while none could be drawn.
    pub position: Option<Position>,
    /// In which lane that number is.
    pub lane: Lane,
    /// The group that the lane is of.
    pub group: Option<Group>,
    /// Where the board stands and how many are ahead; `None` while the store does not answer.
    pub seen: Option<(Cursor, u64)>,
    /// Who goes in.
    pub mode: Mode,
    /// What keeps a called visitor out, besides the mode.
    pub obstacle: Obstacle,
    /// The draw by lot that decides the place.
    pub draw: Draw,
    /// About how many were called and are not inside yet, where a cap holds.
    pub at_door: Option<u64>,
    /// Why the number is a new one.
    pub notice: Option<Notice>,
    /// What operators tell waiting visitors.
    pub message: Option<String>,
    /// When they said it, in seconds since 1970; `None` for a message of the configuration.
    pub said: Option<u64>,
    /// How many were ahead when the number was drawn.
    pub first: Option<u64>,
    /// What to quote to support.
    pub reference: Option<String>,
    /// Whether that is the last board known, since the store does not answer.
    pub is_old: bool,
    /// Seconds until it is this visitor's turn, where that can be known.
    pub estimate: Option<u64>,
    /// Seconds for which the turn is kept at least, where that is known.
    pub valid: Option<u64>,
    /// How many visitors may still be called by the stock that the origin reported.
    pub stock: Option<u64>,
    /// Why the wait is longer than it was estimated to be at the draw, where that is known; and what time it is.
    pub slowed: Option<(Slowed, Now)>,
    /// The event whose time it is.
    pub event: Option<Outlook>,
    /// Seconds until the next look.
    pub refresh: u64,
    /// Whether the page should not refresh by itself.
    pub still: bool,
    /// Whether the request carried something that was not delivered.
    pub unsent: bool,
    /// What a visitor above the bound of a network is asked to calculate.
    pub challenge: Option<Challenge>,
}

impl Waiting {
    /// Whether the turn has come while the mode admits no visitor.
    pub(super) fn is_called(&self) -> bool {
        let numbers = self.seen.zip(self.position);
        numbers.is_some_and(|((cursor, _), position)| decide(position, cursor) == Verdict::Admit)
    }

    /// What the stock has left, where that may be gone before the turn: at least as many are ahead.
    #[must_use]
    pub fn stock_left(&self) -> Option<u64> {
        let (_, ahead) = self.position.and(self.seen).filter(|_| !self.is_called())?;
        self.stock.filter(|left| ahead >= *left)
    }

    /// Why the number is a new one, where the visitor had another before, or what became of an invitation.
    pub(super) fn told(&self) -> Option<Notice> {
        let is_told = |notice: &Notice| self.position.is_some() || !notice.is_of_number();
        self.notice.filter(is_told)
    }
}

/// Where the links of a waiting page lead.
#[derive(Clone, Debug, Default)]
pub struct Links {
    /// The page itself, by GET.
    pub here: String,
    /// The place as data.
    pub place: String,
    /// Begins or stops refreshing by itself.
    pub updates: String,
    /// Takes the language that the visitor chooses.
    pub language: String,
    /// The site's start page, where another line or none leads there.
    pub home: Option<String>,
    /// Takes an invitation; none where none is taken.
    pub invitation: Option<String>,
}

/// The waiting page, for the sites that may show it in a frame; the same as a notice if its template cannot be shown.
#[must_use]
pub fn waiting_page(
    status: u16,
    waiting: &Waiting,
    links: &Links,
    words: &'static Language,
    pages: &Pages,
    frame_ancestors: Option<&str>,
) -> Reply {
    let told = Told::new(waiting, links, words, &pages.brand);
    let shell = Shell {
        words,
        brand: &pages.brand,
        frame_ancestors,
    };
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    let shown = match pages.page(words) {
        Page::BuiltIn(page) => Some(page.render(status, &told, told.same(), frame_ancestors)),
        Page::Own(page) => page.render(status, &told.value().into(), frame_ancestors),
        Page::Broken => None,
    };
    shown.unwrap_or_else(|| {
        let (title, text) = (told.heading(), told.worded.line.as_str());
        shell.page(status, title, text, Value::Null)
    })
}

/// Why the wait has grown.
#[derive(Serialize)]
pub(super) struct SlowedData {
    cause: Slowness,
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

impl From<Slowed> for SlowedData {
    fn from(slowed: Slowed) -> Self {
        Self {
            cause: slowed.cause,
            from: iso_8601(slowed.from_ms),
            to: slowed.to_ms.map(iso_8601),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WaitingData<'a> {
    pub(super) waiting: bool,
    pub(super) position: Option<u64>,
    pub(super) cursor: Option<u64>,
    pub(super) ahead: Option<u64>,
    pub(super) estimated_wait_seconds: Option<u64>,
    pub(super) refresh_seconds: u64,
    pub(super) room: &'a str,
    pub(super) message: Option<&'a str>,
    /// Only there to say that the line is on hold or the room closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<Mode>,
    /// Only there for a number outside of the main line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lane: Option<&'a str>,
    /// Only there to say that the turn has come, and no slot is free.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full: Option<bool>,
    /// Only there to say that the stock may be gone before the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stock_left: Option<u64>,
    /// Only there to say that the figures are the last ones known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<bool>,
    /// Only there to say why the wait is longer than it was estimated to be at the draw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) slowed: Option<SlowedData>,
    /// Only there to say why the number is a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<&'static str>,
    /// Only there to say that what the request carried was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<bool>,
    /// The event whose time it is, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<EventData>,
    /// Only there for a visitor above the bound of a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<ChallengeData<'a>>,
    /// The same once more, for programs written for Cloudflare.
    #[serde(rename = "cfWaitingRoom", skip_serializing_if = "Option::is_none")]
    pub(super) cf: Option<CfWaitingRoom>,
}

/// The same as data, for programs.
#[must_use]
pub fn waiting_json(
    status: u16,
    waiting: &Waiting,
    room: &str,
    cf: Option<CfWaitingRoom>,
) -> Reply {
    let data = WaitingData {
        waiting: true,
        position: waiting.position.map(|position| position.0),
        cursor: waiting.seen.map(|(cursor, _)| cursor.0),
        ahead: waiting.seen.map(|(_, ahead)| ahead),
        estimated_wait_seconds: waiting.estimate,
        refresh_seconds: waiting.refresh,
        room,
        message: waiting.message.as_deref(),
        mode: (!waiting.mode.lets_in()).then_some(waiting.mode),
        lane: waiting.lane.name(),
        full: (waiting.obstacle == Obstacle::Full).then_some(true),
        stock_left: waiting.stock_left(),
        old: waiting.is_old.then_some(true),
        slowed: waiting.slowed.map(|(slowed, _)| slowed.into()),
        notice: waiting.told().map(Notice::name),
        sent: waiting.unsent.then_some(false),
        event: waiting
            .event
            .as_ref()
            .map(|event| EventData::new(event, waiting.estimate)),
        challenge: waiting.challenge.as_ref().map(Challenge::data),
        cf,
    };
    Reply::json(status, &data)
}
