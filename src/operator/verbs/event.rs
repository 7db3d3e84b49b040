//! Sets the events in place of the configured ones, ends the one that is open, or goes back to what is configured.

use super::{Ask, Asking, Changes, Flash, Intent, Verb};
use crate::config::events::{self, Fault, Told, Usual};
use crate::http::json::{Pairs, Value};
use crate::operator::input::{Fields, Refusal, wrong};
use crate::operator::login::{Audience, Right};
use crate::page::{Question, event_words, people};
use crate::queue::{Action, Board, Change, Effect, Event, EventList, Mode, Phase};
use crate::request::Request;

/// The most that a list may hold, in bytes: as a form writes it.
const LONGEST_LIST: u64 = 16_384;
/// What ends the event that is open.
const SOLD_OUT: &str = "sold_out";

/// The verb.
pub(super) static VERB: Verb = Verb {
    route: "event",
    acts: &["event"],
    needs: (Audience::Api, Right::Event),
    changes: Changes::Settings,
    longest_body: LONGEST_LIST,
    example: |_| r#"{"event": {"id": "sale", "opens": "2030-01-31T10:00:00+01:00"}}"#.to_owned(),
    read,
    flash,
    listed,
};

/// What is asked for.
pub enum SetEvents {
    /// These events, or those that are configured.
    To(NewEvents),
    /// The event that is open is over.
    SoldOut,
}

/// Events that an operator sets.
pub struct NewEvents {
    /// Nothing for those that are configured.
    pub events: Option<EventList>,
    /// What an operator may not expect of them, as far as this data centre knows.
    pub surprise: Option<Surprise>,
    /// The commitment of the first of them, where its order is by lot.
    pub commitment: Option<String>,
    /// Whether visits end with the start of one of them that is not configured so.
    pub ends_visits: bool,
}

/// What events do to the room at once.
pub enum Surprise {
    /// The event of this id begins; whether visitors inside stay inside.
    Begins(String, bool),
    /// The room lets visitors in, and closes until the event of this id.
    Closes(String),
    /// The same, where that event begins no line of its own.
    ClosesFor(String),
    /// The event of this id runs, and is none any more.
    Ends(String),
}

impl NewEvents {
    fn of(events: Option<EventList>, request: &Request<'_>) -> Self {
        let configured = &request.room.events;
        let listed = events.as_ref().map_or(configured, |list| &list.0);
        let event = Event::of(listed, request.now.ms());
        let (schedule, room) = (request.schedule(), request.room.name.as_str());
        let committed = event
            .and_then(|event| schedule.committed(room, &event.id, event.opens_ms, &event.order));
        let mut ending = listed.iter().filter(|event| !event.keeps_inside);
        let is_configured = |event: &Event| {
            let is_it = |other: &Event| other.id == event.id && !other.keeps_inside;
            configured.iter().any(is_it)
        };
        let ends = running(request).filter(|id| !listed.iter().any(|event| event.id == *id));
        Self {
            surprise: match ends {
                Some(id) => Some(Surprise::Ends(id)),
                None => event.and_then(|event| surprise(event, request)),
            },
            commitment: committed,
            ends_visits: ending.any(|event| !is_configured(event)),
            events,
        }
    }
}

fn read(fields: &mut Fields, asking: &Asking<'_>) -> Result<Box<dyn Intent>, Refusal> {
    let request = asking.request;
    if fields.are_given_back(&["event"]) {
        return Ok(Box::new(SetEvents::To(NewEvents::of(None, request))));
    }
    let written = fields.written("event");
    if matches!(written.as_deref(), Some(SOLD_OUT | "\"sold_out\"")) {
        return Ok(Box::new(SetEvents::SoldOut));
    }
    let Some(written) = written else {
        let accepted = "an event, a list of events, or sold_out";
        return Err(wrong("event", None, accepted));
    };
    let usual = Usual {
        pace: request.room.pace,
        cap: request.room.cap,
    };
    let listed = events::read(&written, usual).and_then(|listed| {
        let listed = without_looks(listed)?;
        let Some(event) = of_form(fields) else {
            return Ok(listed);
        };
        let configured = &request.room.events;
        let listed = with(listed, configured, events::told(&event, usual)?.event);
        match events::unfit(&listed.iter().collect::<Vec<_>>()) {
            faults if faults.is_empty() => Ok(listed),
            faults => Err(faults),
        }
    });
    // An answer names one value: the first.
    let listed = listed.map_err(|faults| match faults.first() {
        Some(Fault { value, accepted }) => wrong("event", Some(value.trim_matches('"')), accepted),
        None => wrong("event", None, "an event"),
    })?;
    let events = Some(EventList(listed));
    Ok(Box::new(SetEvents::To(NewEvents::of(events, request))))
}

/// How a page looks is no news to tell each data centre in seconds: it stands in the settings.
fn without_looks(listed: Vec<Told>) -> Result<Vec<Event>, Vec<Fault>> {
    let looks = |told: &Told| {
        let heading = told.heading.as_ref().map(|_| "heading");
        heading.or(told.template.as_ref().map(|_| "template"))
    };
    match listed.iter().find_map(looks) {
        Some(name) => Err(vec![Fault {
            value: name.to_owned(),
            accepted: "heading and template of an event in the settings, where its id is the same"
                .to_owned(),
        }]),
        None => Ok(listed.into_iter().map(|told| told.event).collect()),
    }
}

/// The event that the panel's form sets: its times are local ones, with one offset from UTC.
fn of_form(fields: &mut Fields) -> Option<Pairs> {
    if !fields.is_form {
        return None;
    }
    let mut text = |name| fields.text(name).ok().flatten();
    let (id, offset) = (text("id")?, text("offset").unwrap_or_default());
    let mut members = vec![("id".to_owned(), Value::Text(id))];
    for name in ["prequeue", "opens", "closes"] {
        if let Some(time) = text(name).filter(|time| !time.is_empty()) {
            members.push((name.to_owned(), Value::Text(time + &offset)));
        }
    }
    Some(Pairs(members))
}

/// The list with this event in its place, instead of the one of the same id, which may stand in the settings alone: the form names the
/// times and moves them, and the rest stays.
fn with(mut listed: Vec<Event>, configured: &[Event], mut event: Event) -> Vec<Event> {
    let mut known = listed.iter().chain(configured);
    if let Some(moved) = known.find(|other| other.id == event.id) {
        event = Event {
            prequeue_ms: event.prequeue_ms,
            opens_ms: event.opens_ms,
            closes_ms: event.closes_ms,
            ..moved.clone()
        };
    }
    listed.retain(|other| other.id != event.id);
    let is_later = |other: &Event| other.prequeue_ms > event.prequeue_ms;
    let place = listed.iter().position(is_later).unwrap_or(listed.len());
    listed.insert(place, event);
    listed
}

/// The id of the event that runs, as far as this data centre knows.
fn running(request: &Request<'_>) -> Option<String> {
    let board = request.pop.last()?.board?;
    let known = board.event.filter(|known| known.phase.runs())?;
    Some(known.event.id)
}

/// What an event would do at once.
fn surprise(event: &Event, request: &Request<'_>) -> Option<Surprise> {
    let board = request.pop.last().and_then(|last| last.board);
    let lets_in = |board: &Board| board.scheduled_mode().lets_in();
    let closes = board.as_ref().is_none_or(lets_in);
    let ends_numbers = event.outside == Mode::Closed || !event.keeps_inside;
    let begins = ends_numbers && event.begins_after(board.and_then(|board| board.begun).as_ref());
    let (id, keeps) = (event.id.clone(), event.keeps_inside);
    match (event.phase(request.now.ms()), begins) {
        (Phase::Prequeue | Phase::Open, true) => Some(Surprise::Begins(id, keeps)),
        (Phase::Before, true) if closes => Some(Surprise::Closes(id)),
        (Phase::Before, false) if closes => Some(Surprise::ClosesFor(id)),
        _ => None,
    }
}

impl Intent for SetEvents {
    fn change(&self) -> Change {
        let details = match self {
            Self::To(new) => {
                let events = new.events.as_ref();
                let events = events.map(|events| ("live_events", events.written()));
                let commitment = new.commitment.clone();
                let commitment = commitment.map(|text| ("given_commitment", text));
                events.into_iter().chain(commitment).collect()
            }
            Self::SoldOut => vec![(SOLD_OUT, "yes".to_owned())],
        };
        Change::new("event", details)
    }

    /// To end all visits takes an operator. Times of a configured event that does may change.
    fn needs(&self) -> Option<Right> {
        match self {
            Self::To(new) => new.ends_visits.then_some(Right::Set),
            Self::SoldOut => None,
        }
    }

    fn question(&self) -> Option<Ask<'_>> {
        match self {
            Self::To(new) => Some(match new.surprise.as_ref()? {
                Surprise::Begins(id, keeps_inside) => begin(id, *keeps_inside),
                Surprise::Closes(id) => {
                    close(id, " until the event begins, with a line of its own")
                }
                Surprise::ClosesFor(id) => {
                    close(id, ", also in the event, which begins no line of its own")
                }
                Surprise::Ends(id) => take_away(id),
            }),
            Self::SoldOut => Some(end()),
        }
    }

    fn logged(&self, _: Effect) -> String {
        match self {
            Self::To(new) => set_words(new.events.as_ref()),
            Self::SoldOut => "event sold out".to_owned(),
        }
    }

    fn details(&self, _: Effect) -> String {
        let event = match self {
            Self::To(new) if new.events.is_some() => "set",
            Self::To(_) => "configured",
            Self::SoldOut => SOLD_OUT,
        };
        format!("&event={event}")
    }

    fn refused_by_mode(&self, board: &Board) -> (&'static str, String) {
        match self {
            Self::SoldOut => {
                let detail = "an event is sold out while it is open; nothing moved";
                ("No event is open", detail.to_owned())
            }
            Self::To(_) => {
                let id = board.begun.as_ref().map_or("", |begun| &begun.id);
                let detail = format!(
                    "the event {id} has begun: its order and its public_value stay, its times may change, and another order or another draw needs another id; nothing moved"
                );
                ("The order is announced", detail)
            }
        }
    }
}

/// A question that says how many wait, and what happens to them.
fn about_waiting<'a>(
    title: &'static str,
    yes: &'static str,
    text: impl Fn(&str) -> String + 'a,
) -> Ask<'a> {
    Box::new(move |board, _| Question {
        title,
        text: text(&format!("Waiting now: {}", people(board.waiting()))),
        yes,
        word: None,
    })
}

fn begin(id: &str, keeps_inside: bool) -> Ask<'_> {
    let inside = if keeps_inside {
        "visitors inside stay"
    } else {
        "and so do all visits: who is inside waits again"
    };
    about_waiting("Begin the event now?", "Begin the event", move |waiting| {
        format!(
            "The event {id} begins at once, with a line of its own. {waiting}. Their numbers end, and they draw new ones; {inside}. That cannot be taken back."
        )
    })
}

fn close<'a>(id: &'a str, kept: &'a str) -> Ask<'a> {
    about_waiting(
        "Close the room until the event?",
        "Set the event",
        move |waiting| {
            format!(
                "The event {id} has not begun, so the room closes now, and no visitor goes in before it. {waiting}. They keep their numbers{kept}; visitors inside stay as long."
            )
        },
    )
}

fn take_away(id: &str) -> Ask<'_> {
    about_waiting(
        "Take the event away while it runs?",
        "Take it away",
        move |waiting| {
            format!(
                "The event {id} ends at once, and with it the pace, the cap and the message that it brings. {waiting}. They keep their numbers, and go in as the room lets them; visitors inside stay."
            )
        },
    )
}

fn end<'a>() -> Ask<'a> {
    about_waiting("Sold out?", "Sold out", |waiting| {
        format!(
            "The event is over from now on. {waiting}. They read so, or when the next event of the list opens. No new visitor goes in; visitors inside stay."
        )
    })
}

fn flash(flash: &Flash<'_>) -> String {
    let done = match flash.text("event").as_deref() {
        Some(SOLD_OUT) => "The event is sold out",
        Some("configured") => "The events are the configured ones again",
        _ => "The events are set",
    };
    format!("{done}: in effect everywhere within two seconds, and before an event within a minute.")
}

/// The list has what was sold out behind the events.
fn listed(action: &Action) -> String {
    let events = EventList::read(&action.value);
    match action.second.as_str() {
        "" => set_words(events.as_ref()),
        id => format!("event {id} sold out"),
    }
}

fn set_words(events: Option<&EventList>) -> String {
    let words = events.map(|events| event_words(&events.0));
    words.unwrap_or_else(|| "events as configured".to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{action, assert_listed};
    use super::*;

    #[test]
    fn a_form_moves_the_times_of_an_event_and_nothing_else() {
        let event = |text: &str| Event::read(text).into_iter().collect::<Vec<_>>();
        for (listed, moved) in [
            (
                "a:1:2:3:drawn:outside=automatic:pace=60,200",
                "a:4:5:6:drawn:outside=automatic:pace=60,200",
            ),
            (
                "a:1:1:3:arrival:outside=open:admits=none",
                "a:4:5:6:arrival:outside=open:admits=none",
            ),
        ] {
            let form = event("a:4:5:6:arrival").remove(0);
            assert_eq!(with(event(listed), &[], form.clone()), event(moved));
            // One that an operator had taken away comes back as it is configured.
            assert_eq!(with(Vec::new(), &event(listed), form), event(moved));
        }
    }

    #[test]
    fn a_list_of_events_has_its_words() {
        assert_listed(&[
            (action("event", 0, "", ""), "events as configured"),
            (action("event", 0, "none", ""), "no event"),
            (
                action("event", 0, "a:0:0:0:arrival", ""),
                "event a opens 1970-01-01 00:00:00 UTC",
            ),
            (
                action("event", 0, "a:0:0:1000:arrival b:5000:60000:0:drawn", ""),
                "event a opens 1970-01-01 00:00:00 UTC and closes 1970-01-01 00:00:01 UTC, event b opens 1970-01-01 00:01:00 UTC",
            ),
            (
                action("event", 0, "a:0:0:1000:arrival", "a"),
                "event a sold out",
            ),
        ]);
    }
}
