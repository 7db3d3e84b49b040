//! The waiting page and its JSON twin.

use super::event::{DRAWN, countdown, event_json};
use super::noticed::notice;
use super::stage::Rescue;
use super::update::Worded;
use super::{Brand, CfWaitingRoom, Challenge, NOBODY, Pages, notice_in};
use crate::http::Reply;
use crate::http::object::object;
use crate::i18n::{LANGUAGES, Language};
use crate::queue::{Cursor, Lane, Mode, Outlook, Position, Slots, Verdict, decide};
use crate::ticket::Notice;
use handlebars::Context;
use serde::Serialize;
use serde_json::Value;

/// What a waiting visitor reads.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    /// The number; `None` while none could be drawn.
    pub position: Option<Position>,
    /// In which lane that number is.
    pub lane: Lane,
    /// Where the sign stands and how many are ahead; `None` while the store does not answer.
    pub seen: Option<(Cursor, u64)>,
    /// Who goes in.
    pub mode: Mode,
    /// Whether a slot is free once the turn has come.
    pub slots: Slots,
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
    /// Whether that is the last sign known, since the store does not answer.
    pub is_old: bool,
    /// Seconds until it is this visitor's turn, where that can be known.
    pub estimate: Option<u64>,
    /// Seconds until the ticket ends, where the turn stays valid until then.
    pub valid: Option<u64>,
    /// The event whose time it is.
    pub event: Option<Outlook>,
    /// Seconds until the next look.
    pub refresh: u64,
    /// Whether the page should not refresh by itself.
    pub still: bool,
    /// Whether the request carried something that was not delivered.
    pub unsent: bool,
    /// Whether the page stands in the place of an answer of the origin.
    pub rescue: Rescue,
    /// What a visitor above the bound of a network is asked to calculate.
    pub challenge: Option<Challenge>,
}

impl Waiting {
    /// Whether the turn has come while the mode admits no visitor.
    pub(super) fn is_called(&self) -> bool {
        let numbers = self.seen.zip(self.position);
        numbers.is_some_and(|((cursor, _), position)| decide(position, cursor) == Verdict::Admit)
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
    /// What an order by lot follows from.
    pub lot: String,
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
    let data = Context::from(data(waiting, links, words, &pages.brand));
    let frame_ancestors = frame_ancestors.unwrap_or(NOBODY);
    let shown = pages
        .page(words)
        .and_then(|page| page.render(status, &data, frame_ancestors));
    shown.unwrap_or_else(|| {
        let told = |name: &str| data.data().get(name).and_then(Value::as_str);
        let [title, text] = ["heading", "line"].map(|name| told(name).unwrap_or_default());
        notice_in(words, status, title, text, None, frame_ancestors)
    })
}

fn heading<'a>(worded: &Worded<'_>, words: &'a Language, brand: &'a Brand) -> &'a str {
    match &brand.heading {
        _ if worded.heading.is_some() => worded.heading.unwrap_or_default(),
        _ if worded.closed.is_some() => words.text("closed_heading"),
        Some(heading) => heading,
        // Without a number there is no place in the line.
        None if worded.position.is_none() => words.text("heading_unnumbered"),
        None => words.text("heading"),
    }
}

/// What the switch of the updates does now, and then.
fn switches<'a>(waiting: &Waiting, words: &'a Language) -> [&'a str; 2] {
    let [pause, resume] = ["pause", "resume"].map(|name| words.text(name));
    if waiting.still {
        [resume, pause]
    } else {
        [pause, resume]
    }
}

/// Why the figures may not be the latest.
fn state<'a>(waiting: &Waiting, worded: &Worded<'a>, words: &'a Language) -> &'a str {
    match (waiting.is_old, worded.hold, waiting.still) {
        (true, ..) if waiting.position.is_some() => words.text("old"),
        (_, Some(hold), _) => hold,
        (.., true) => words.text("paused"),
        _ => "",
    }
}

/// All languages, by their own names.
fn languages(chosen: &Language) -> Vec<Value> {
    let option = |words: &Language| {
        let is_chosen = words.tag == chosen.tag;
        object!({ "tag": words.tag, "name": words.text("name"), "chosen": is_chosen })
    };
    LANGUAGES.iter().map(option).collect()
}

/// What a template may show. Each is documented in `docs/reference/page-variables.md`, and each is always there, if only as `null`.
pub(super) fn data(waiting: &Waiting, links: &Links, words: &Language, brand: &Brand) -> Value {
    let worded = Worded::new(waiting, words);
    let heading = heading(&worded, words, brand);
    let title = (worded.ahead.as_ref()).map(|ahead| format!("{ahead} \u{b7} {heading}"));
    let state = state(waiting, &worded, words);
    let timed = worded.wait.clone().filter(|_| worded.stage == "timed");
    let all = object!({
        "lang": words.tag,
        "dir": words.direction,
        "brand": brand,
        "title": title.as_deref().unwrap_or(heading),
        "heading": heading,
        "stage": worded.stage,
        "headline": worded.headline.clone().or(timed),
        "detail": worded.detail,
        "message": worded.message,
        "said": worded.said,
        "position": worded.position,
        "number": worded.position.map(|position| words.number(position)),
        "ahead": worded.ahead,
        "line": worded.line,
        "wait": worded.wait,
        "estimate": countdown(waiting).or(worded.estimate),
        "at": words.text(if countdown(waiting).is_some() { "opens_at" } else { "at" }),
        "valid": worded.valid,
        "cursor": worded.cursor,
        "unserved": worded.cursor == Some(0),
        "serving": worded.serving,
        "progress": worded.progress,
        "reference": waiting.reference.as_deref(),
        "old": waiting.is_old,
        "closed": worded.closed.is_some(),
        "unnumbered": worded.position.is_none(),
        "unsent": waiting.unsent,
        "notice": notice(waiting, words),
        "state": state,
    });
    with_wishes(all, waiting, links, words)
}

/// The same with what the visitor may wish for: when the page looks, and its language.
fn with_wishes(mut all: Value, waiting: &Waiting, links: &Links, words: &Language) -> Value {
    let [switch, other] = switches(waiting, words);
    let look = (!waiting.still).then(|| words.counted("look", waiting.refresh));
    let mut wishes = object!({
        "paused": waiting.still,
        "refresh": waiting.refresh,
        "look": look,
        "here": links.here.as_str(),
        "place": links.place.as_str(),
        "updates": links.updates.as_str(),
        "language": links.language.as_str(),
        "lot": waiting.event.filter(|event| event.order == DRAWN).map(|_| links.lot.as_str()),
        "invitation": links.invitation.as_deref(),
        "languages": languages(words),
        "switch": switch,
        "other": other,
    });
    if let (Some(all), Some(wishes)) = (all.as_object_mut(), wishes.as_object_mut()) {
        all.append(wishes);
    }
    all
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
    /// Only there to say that the figures are the last ones known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old: Option<bool>,
    /// Only there to say why the number is a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notice: Option<&'static str>,
    /// Only there to say that what the request carried was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sent: Option<bool>,
    /// The event whose time it is, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) event: Option<Value>,
    /// Only there for a visitor above the bound of a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) challenge: Option<Value>,
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
        full: (waiting.slots == Slots::Taken).then_some(true),
        old: waiting.is_old.then_some(true),
        notice: waiting.told().map(Notice::name),
        sent: waiting.unsent.then_some(false),
        event: waiting
            .event
            .as_ref()
            .map(|event| event_json(event, waiting.estimate)),
        challenge: waiting.challenge.as_ref().map(Challenge::data),
        cf,
    };
    Reply::json(status, &data)
}
