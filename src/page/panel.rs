//! The panel: what operators see and what they can press.

mod actions;
mod advice;
mod away;
mod band;
mod chart;
mod events;
mod figures;
mod hour;
mod origin;
mod question;
mod settings;
mod trend;
mod undo;
mod verdict;
mod words;

use serde_json::Value;

use super::template::Compiled;
use super::{NOBODY, built_in, unbranded};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::english;
use crate::queue::{
    AbsentVisitors, Board, Bound, Cap, Event, Groups, OriginHealth, Pace, PanelSnapshot,
};
use crate::ticket::Ticket;
use hour::Hour;
use trend::Trend;
use verdict::verdict;

pub use actions::ActionWords;
pub use advice::{Forecast, Proposal, forecast, proposed};
pub use away::{Away, Unconfirmed, panel_without_store};
pub(super) use chart::{HEIGHT, STEP, per, steps};
pub use hour::Span;
pub use question::{ASKS_ABOVE, ASKS_FROM_TIMES, Question, question};
pub(super) use trend::in_minutes;
pub use undo::News;
pub(super) use words::span_words;
use words::{moment, seconds};
pub use words::{number, pace_words, people};

/// What is configured, as far as the panel shows it.
#[derive(Clone, Debug)]
pub struct Configured<'a> {
    /// The room's name.
    pub room: &'a str,
    /// Every room where there are several: its name, and where its panel is.
    pub rooms: Vec<(&'a str, &'a str)>,
    /// The operators' path.
    pub path: &'a str,
    /// Whether visitors come by the same host, so that this browser's ticket is theirs.
    pub tickets: bool,
    /// The most visitors that one permit lets in.
    pub permit_max: u64,
    /// Seconds between two polls of a visitor near the front.
    pub refresh_interval: u64,
    /// The pace.
    pub pace: Pace,
    /// The room whose pace and cap these are, where several rooms have them together.
    pub limits_of: Option<&'a str>,
    /// What is done about called visitors who do not come.
    pub absent_visitors: AbsentVisitors,
    /// What is done about how the origin answers.
    pub origin_health: OriginHealth,
    /// The cap.
    pub cap: Cap,
    /// The events.
    pub events: &'a [Event],
    /// How many visitors may go straight in by an invitation in a minute.
    pub invited_per_minute: u64,
    /// The groups of the room.
    pub groups: &'a Groups,
    /// The message on the waiting page.
    pub message: Option<&'a str>,
    /// Whose password is short.
    pub short_passwords: Vec<&'a str>,
}

impl Configured<'_> {
    /// Whether pace and cap are set here, and in no other room that has them too.
    fn has_own_limits(&self) -> bool {
        self.limits_of.is_none_or(|of| of == self.room)
    }
}

/// The board that visitors see in this POP.
#[derive(Clone, Copy, Debug)]
pub struct BoardSeen {
    /// When the store showed it, in Unix milliseconds.
    pub read_ms: u64,
    /// Whether the store failed to answer since.
    pub is_old: bool,
}

/// What the panel shows.
pub struct PanelView<'a> {
    /// The line, and what belongs to it.
    pub snapshot: &'a PanelSnapshot,
    /// How what operators did is worded.
    pub words: ActionWords,
    /// The board that visitors see in this POP.
    pub copy: Option<BoardSeen>,
    /// Who looks.
    pub operator: &'a str,
    /// Whether they may change anything: else there is no form.
    pub acts: bool,
    /// The ticket this browser holds.
    pub ticket: Option<Ticket>,
    /// What was just done.
    pub news: Option<&'a News>,
    /// What was not.
    pub trouble: Option<Rejection<'a>>,
    /// So that a form sent twice is one change.
    pub once: &'a str,
    /// How far back the chart goes.
    pub span: Span,
    /// Unix time in milliseconds.
    pub now_ms: u64,
}

/// Why a change was not made.
#[derive(Clone, Copy, Debug)]
pub enum Rejection<'a> {
    /// Somebody else changed the settings first.
    Outdated {
        /// What the form said, to stand there again.
        typed: &'a [(String, String)],
        /// The version of the settings that was seen.
        seen: u64,
    },
    /// A form said something that is not accepted, or not any more.
    Mistyped {
        /// What, and what is accepted.
        told: &'a str,
        /// What the form said, to stand there again.
        typed: &'a [(String, String)],
    },
    /// In words.
    Told(&'a str),
}

impl<'a> Rejection<'a> {
    /// What a field of the form held.
    fn typed(&self, name: &str) -> Option<&'a str> {
        let (Self::Outdated { typed, .. } | Self::Mistyped { typed, .. }) = self else {
            return None;
        };
        let found = typed.iter().find(|(found, _)| found == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// The panel: the line as it stands, and the buttons.
#[must_use]
pub fn panel(status: u16, configured: &Configured<'_>, desk: &PanelView<'_>) -> Reply {
    shown_as(&built_in::ADMIN, status, &data(configured, desk))
}

fn data(configured: &Configured<'_>, desk: &PanelView<'_>) -> Value {
    let (snapshot, now_ms) = (desk.snapshot, desk.now_ms);
    let (board, path, trouble) = (&snapshot.board, configured.path, desk.trouble);
    let hour = Hour::new(snapshot, now_ms);
    let trend = Trend::new(snapshot, &hour);
    let verdict = verdict(snapshot, &hour, trend);
    let verdict = verdict.as_ref();
    let rush = verdict.and_then(|verdict| verdict.rush.as_ref());
    let chart = chart::chart(&Hour::of(&snapshot.history, desk.span, now_ms), desk);
    object!({
        "title": band::title(board, verdict, configured.room),
        "room": configured.room, "rooms": rooms(configured),
        "operator": desk.operator, "acts": desk.acts, "looks": !desk.acts,
        "limits": desk.acts && configured.has_own_limits(),
        "path": path,
        "at": moment(now_ms, now_ms),
        "trouble": trouble.map(|trouble| trouble_words(trouble, desk)),
        "news": desk.news.map(|news| news_words(news, desk)),
        "undo": undo::undo(configured, desk),
        "last": actions::since(desk, board.live.version.saturating_sub(1)),
        "once": desk.once,
        "version": board.live.version,
        "board": true,
        "sign": figures::line(board, now_ms),
        "flow": figures::decisive(&hour, trend, rush),
        "came": figures::came(configured.absent_visitors, snapshot.absent),
        "inside": figures::inside(board.sessions.as_ref()), "recount": figures::recount(&snapshot.limits, now_ms),
        "stock": figures::stock(snapshot, now_ms),
        "invited": figures::invited(snapshot, configured), "regions": figures::regions(board, configured.groups),
        "release": figures::release(snapshot, now_ms),
        "origin": origin::origin(configured.origin_health, snapshot, now_ms),
        "copy": figures::copy(desk.copy, now_ms),
        "short_passwords": figures::short_passwords(&configured.short_passwords),
        "band": band::band(board, Some(snapshot), verdict, now_ms),
        "advice": advice::advice(configured, desk, &hour, trend, verdict),
        "trend": trend::told(trend, board, now_ms),
        "mode": settings::mode(snapshot, now_ms),
        "modes": settings::modes(snapshot, path, desk.once),
        "pace": settings::pace(snapshot, configured, trouble, now_ms),
        "cap": settings::cap(snapshot, configured, trouble, now_ms),
        "event": events::events(configured, desk),
        "lot": events::lot(desk),
        "message": settings::message(snapshot, configured.message, trouble, now_ms),
        "ticket": desk.ticket.as_ref().map(|ticket| figures::ticket(ticket, board, now_ms)),
        "ticketless": desk.ticket.is_none(),
        "tickets": configured.tickets, "no_tickets": !configured.tickets,
        "quiet_hour": chart.is_none(),
        "spans": spans(desk.span, path), "span": query(desk.span),
        "waits": figures::waits(snapshot, now_ms),
        "chart": chart,
        "actionless": snapshot.actions.is_empty(),
        "actions": actions::rows(desk),
        "permit": permit(snapshot, configured, trouble),
    })
}

/// How far back the chart may go.
fn spans(shown: Span, path: &str) -> Vec<Value> {
    let link = |(_, span)| {
        let name = match span {
            Span::Quarter => "15 min",
            Span::Hour => "1 h",
            Span::SixHours => "6 h",
            Span::Day => "day",
            Span::Month => "month",
        };
        object!({ "name": name, "path": format!("{path}/{}", query(span)), "here": span == shown })
    };
    Span::ALL.into_iter().map(link).collect()
}

/// The query of the panel that shows so much; none for what it shows by itself.
fn query(span: Span) -> String {
    if span == Span::default() {
        return String::new();
    }
    format!("?span={}", span.name())
}

/// The way to every room's panel.
fn rooms(configured: &Configured<'_>) -> Vec<Value> {
    let link = |(name, path): &(&str, &str)| {
        let is_here = *name == configured.room;
        object!({ "name": *name, "path": *path, "here": is_here })
    };
    configured.rooms.iter().map(link).collect()
}

fn permit(
    snapshot: &PanelSnapshot,
    configured: &Configured<'_>,
    trouble: Option<Rejection<'_>>,
) -> Value {
    let typed = trouble.and_then(|trouble| trouble.typed("amt"));
    let (board, bound_by) = (&snapshot.board, snapshot.limits.bound_by);
    let usual = board.live.pace.quantity.min(configured.permit_max);
    let stands = stands(board);
    let keeps = match bound_by {
        Bound::Slots => Some("no slot is free"),
        Bound::Recount => Some("it is not known who is inside"),
        Bound::Quiet => Some("the store has just lost its data"),
        Bound::Stock => Some("the reported stock is used up"),
        _ => None,
    };
    let keeps = keeps.filter(|_| stands.is_none());
    object!({
        "amount": typed.map_or_else(|| usual.to_string(), str::to_owned),
        "still": number(board.waiting().saturating_sub(usual)),
        // Visitors wait, and would go in.
        "loud": bound_by == Bound::Pace && stands.is_none(),
        "moves": stands.is_none() && keeps.is_none(),
        "keeps": keeps,
        "stands": stands,
        "kept": typed.is_some(),
        "most": configured.permit_max,
        "most_words": number(configured.permit_max),
        "asks": question::ASKS_ABOVE,
        "look": seconds(configured.refresh_interval),
    })
}

/// Why a permit is refused.
#[must_use]
pub fn stands(board: &Board) -> Option<String> {
    let mode = board.live.mode;
    if board.is_held_by_origin() {
        Some("the origin is sick".to_owned())
    } else if board.scheduled_mode().lets_in() {
        None
    } else if board.scheduled_mode() != mode {
        Some(events::shuts(board).to_owned())
    } else {
        Some(format!("the mode is {}", mode.name()))
    }
}

/// What was just done, and what was set since: the page may be looked at again, or its press have been repeated.
fn news_words(news: &News, desk: &PanelView<'_>) -> String {
    let since = news.version.and_then(|seen| actions::since(desk, seen));
    let since = since.map(|since| format!(" Since then: {since}."));
    format!("{}{}", news.words, since.unwrap_or_default())
}

fn trouble_words(trouble: Rejection<'_>, desk: &PanelView<'_>) -> String {
    match trouble {
        Rejection::Told(told) | Rejection::Mistyped { told, .. } => told.to_owned(),
        Rejection::Outdated { seen, .. } => {
            let changed = actions::since(desk, seen);
            let changed = changed.unwrap_or_else(|| "see below".to_owned());
            format!(
                "Changed in the meantime: {changed}. Nothing of yours was set: look, and set it again."
            )
        }
    }
}

fn shown_as(page: &Compiled, status: u16, data: &Value) -> Reply {
    page.render(status, data, unbranded(english()), NOBODY)
}
