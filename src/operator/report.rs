//! The report of an event, or of any other time, by what the store keeps.

use super::input::{Fields, MOMENT, Refusal, wrong};
use super::login::{Operator, Right};
use super::scrape::counted;
use super::verbs::WORDS;
use super::{Answered, misunderstood, simply, store_trouble};
use crate::http::negotiate::wants_json;
use crate::http::{Call, Reply};
use crate::page::{LaneWaits, NoShows, Press, Report, ShownAs, utc};
use crate::queue::{
    Action, Counts, Event, EventList, Histogram, PanelSnapshot, Past, Reason, Sample, Waits,
};
use crate::request::Request;
use crate::store::upstash::Attempt;

const MINUTE_MS: u64 = 60_000;

/// The most that a report is of.
const LONGEST_MS: u64 = 30 * 24 * 60 * MINUTE_MS;
/// Counts stand with the last of so many minutes, and come so many minutes late at most.
const SPAN: u64 = 10;

/// What makes a report where an event has none.
const OTHERWISE: &str = "from and to in place of id make a report of any time, and now-serving report makes one out of the log";

/// Of what a report is asked for.
enum Of {
    /// The latest event that has begun.
    Latest,
    /// The event of this id.
    Event(String),
    /// This time, until now where no end is named.
    Time(u64, Option<u64>),
}

/// The time of a report, and the event of which it is.
struct Stretch {
    event: Option<Event>,
    from_ms: u64,
    /// Nothing where none is known.
    ends_ms: Option<u64>,
}

/// The report of the event or of the time that the query names; of the latest event that has begun where it names none.
pub(super) fn report(operator: &Operator, request: &Request<'_>) -> Answered {
    let now_ms = request.now.ms();
    let (of, shown) = match asked(request.call, now_ms) {
        Ok(asked) => asked,
        Err(refusal) => return misunderstood(&refusal, "nothing was read"),
    };
    let snapshot = match counted(request, |line, batches| {
        line.panel(Past::ALL, batches, Attempt::First)
    }) {
        Ok(snapshot) => snapshot,
        Err(fault) => return store_trouble(fault, "nothing was read"),
    };
    let stretch = match stretch(of, &snapshot, request) {
        Ok(stretch) => stretch,
        Err(refused) => return *refused,
    };
    let told = told(stretch, &snapshot, operator.role.may(Right::Look), request);
    Answered {
        board: Some(snapshot.board),
        ..simply(told.shown(shown), Reason::EventReport)
    }
}

fn asked(call: &Call, now_ms: u64) -> Result<(Of, ShownAs), Refusal> {
    let mut fields = Fields::of_query(call);
    let (id, from, to) = (
        fields.text("id")?,
        fields.moment("from")?,
        fields.moment("to")?,
    );
    let of = match (id, from, to) {
        (None, None, None) => Of::Latest,
        (Some(id), None, None) => Of::Event(id),
        (Some(_), ..) => {
            let told = "id is given with from or to; accepted is either an id, or from and to";
            return Err(Refusal::Value(told.to_owned()));
        }
        (None, None, Some(_)) => return Err(wrong("from", None, MOMENT)),
        (None, Some(from_ms), to) => {
            let to_ms = to.unwrap_or(now_ms);
            let is_time = from_ms < to_ms.min(now_ms) && to_ms - from_ms <= LONGEST_MS;
            if !is_time {
                let told = "accepted are as from a time that has begun, and as to a later one, at most 30 days behind it";
                return Err(Refusal::Value(told.to_owned()));
            }
            Of::Time(from_ms, to)
        }
    };
    let shown = match fields.text("as")?.as_deref() {
        Some("html") => ShownAs::Html,
        Some("json") => ShownAs::Json,
        Some("svg") => ShownAs::Svg,
        Some(other) => {
            let told = format!("as is {other:?}; accepted are html, json and svg");
            return Err(Refusal::Value(told));
        }
        None if call.header("accept").starts_with("image/svg+xml") => ShownAs::Svg,
        None if wants_json(call) => ShownAs::Json,
        None => ShownAs::Html,
    };
    fields.end().map(|()| (of, shown))
}

/// The time of the report, or why there is none.
fn stretch(
    of: Of,
    snapshot: &PanelSnapshot,
    request: &Request<'_>,
) -> Result<Stretch, Box<Answered>> {
    let now_ms = request.now.ms();
    let events = snapshot.board.live.events(&request.room.events);
    let id = match of {
        Of::Time(from_ms, ends_ms) => {
            return Ok(Stretch {
                event: None,
                from_ms,
                ends_ms,
            });
        }
        Of::Event(id) => Some(id),
        Of::Latest => None,
    };
    let event = if let Some(id) = &id {
        let known = events.iter().find(|event| event.id == *id).cloned();
        known.or_else(|| gone(id, &snapshot.actions))
    } else {
        let begun = events.iter().filter(|event| event.prequeue_ms <= now_ms);
        begun.max_by_key(|event| event.prequeue_ms).cloned()
    };
    let event = event.ok_or_else(|| Box::new(unknown(id.as_deref(), events)))?;
    if event.prequeue_ms > now_ms {
        let begins = utc(event.prequeue_ms);
        let detail = format!(
            "by its times {} begins at {begins}; there is no report before; {OTHERWISE}",
            event.id
        );
        let reply = Reply::problem(404, "Not begun", &detail);
        return Err(Box::new(simply(reply, Reason::BadOperatorRequest)));
    }
    Ok(Stretch {
        from_ms: event.prequeue_ms,
        ends_ms: event.closes_ms,
        event: Some(planned(event, snapshot, &request.room.events)),
    })
}

/// The changes of the events, the latest first.
fn of_events(actions: &[Action]) -> impl DoubleEndedIterator<Item = &Action> {
    actions.iter().filter(|action| action.verb == "event")
}

/// The event of this id as an operator set it last, where that began before another change took it away or moved it.
fn gone(id: &str, actions: &[Action]) -> Option<Event> {
    let mut until_ms = u64::MAX;
    of_events(actions).find_map(|action| {
        let ends_ms = std::mem::replace(&mut until_ms, action.set.at_ms);
        let event = set(id, action, &[])?;
        let closes_ms = event.closes_ms.unwrap_or(u64::MAX).min(ends_ms);
        (event.prequeue_ms < closes_ms).then_some(Event {
            closes_ms: Some(closes_ms),
            ..event
        })
    })
}

/// The event of this id by what an operator set.
fn set(id: &str, action: &Action, configured: &[Event]) -> Option<Event> {
    let list = EventList::read(&action.value);
    let events = list.as_ref().map_or(configured, |list| &list.0);
    events.iter().find(|event| event.id == id).cloned()
}

/// The event as it was planned when it began: who moved it later did not plan that. Without an end where it is known to have been
/// brought forward, and not from when.
fn planned(event: Event, snapshot: &PanelSnapshot, configured: &[Event]) -> Event {
    let of = |action: &Action| set(&event.id, action, configured);
    let changes = || of_events(&snapshot.actions);
    let is_later = |action: &&Action| action.set.at_ms > event.prequeue_ms;
    let is_kept = !is_cut(&snapshot.actions, Past::ALL.actions, |_| true);
    let begun = match changes().find(|action| !is_later(action)) {
        Some(action) => of(action),
        None if is_kept => configured.iter().find(|of| of.id == event.id).cloned(),
        None => None,
    };
    let later = || changes().rev().filter(is_later);
    let is_sold_out = |action: &&Action| action.second == event.id;
    let set = || later().filter(|action| !is_sold_out(action)).find_map(of);
    let is_moved = later().any(|action| is_sold_out(&action));
    begun.or_else(set).unwrap_or(Event {
        closes_ms: event.closes_ms.filter(|_| !is_moved),
        ..event
    })
}

fn unknown(id: Option<&str>, events: &[Event]) -> Answered {
    let names: Vec<&str> = events.iter().map(|event| event.id.as_str()).collect();
    let known = if names.is_empty() {
        "the room has no event".to_owned()
    } else {
        format!("the room has {}", names.join(", "))
    };
    let asked = match id {
        Some(id) => format!("{id:?} is no event of the room"),
        None => "no event of the room has begun".to_owned(),
    };
    let detail = format!("{asked}; {known}; {OTHERWISE}");
    let reply = Reply::problem(404, "No such event", &detail);
    simply(reply, Reason::BadOperatorRequest)
}

/// `looks`: who asks may know what operators did.
fn told(of: Stretch, snapshot: &PanelSnapshot, looks: bool, request: &Request<'_>) -> Report {
    let now_ms = request.now.ms();
    let (event, from_ms) = (of.event, of.from_ms);
    let ends_ms = of.ends_ms.filter(|ends| *ends <= now_ms);
    let to_ms = ends_ms.unwrap_or(now_ms);
    // The minute with which it ends is the first of what comes behind it.
    let last_ms = ends_ms.map_or(now_ms, |ends| ends.saturating_sub(1));
    let minutes = (from_ms / MINUTE_MS, last_ms / MINUTE_MS);
    let (samples, of_hours) = samples(snapshot, minutes);
    let counts = counts(&samples, snapshot, minutes, event.is_some());
    let actions = snapshot.actions.iter().rev();
    // What ended an event did so from the second on in which it was done.
    let until_ms = to_ms.saturating_add(999);
    let actions = actions.filter(|action| (from_ms..=until_ms).contains(&action.set.at_ms));
    let presses = actions.map(|action| Press {
        at_ms: action.set.at_ms,
        who: action.set.who().to_owned(),
        what: (WORDS.what)(action),
    });
    let known_ms = known_from(snapshot, from_ms);
    let lost = (known_ms > from_ms).then(|| {
        format!(
            "The store has nothing from before {}: what happened until then is in the log alone.",
            utc(known_ms)
        )
    });
    let mut unknown: Vec<String> = lost.into_iter().collect();
    let is_counted_late = now_ms.saturating_sub(to_ms) < SPAN * MINUTE_MS;
    if is_counted_late && ends_ms.is_some() {
        unknown.push("Data centres bring what they counted some minutes late: more may have come than is known.".to_owned());
    }
    if !looks {
        unknown.push("What operators did is left out here: those who may look at the panel read it, and the journal has each change.".to_owned());
    }
    if is_cut(&snapshot.actions, Past::ALL.actions, |action| {
        action.set.at_ms > from_ms
    }) {
        unknown.push(format!(
            "Only the latest {} changes are kept: there may have been others before.",
            Past::ALL.actions
        ));
    }
    if of_hours {
        unknown.push("Minutes are kept for a day: of this time only hours are known, the first and the last as a whole, and what was told at the draw is not.".to_owned());
    } else {
        let is_whole = |minute: u64| minute.is_multiple_of(SPAN);
        let ends_whole = ends_ms.is_none() || is_whole(minutes.1 + 1);
        if event.is_none() && !(is_whole(minutes.0) && ends_whole) {
            unknown.push("How long visitors waited is counted in steps of ten minutes: the first and the last count as a whole.".to_owned());
        }
        unknown.extend(gaps(&samples, to_ms / MINUTE_MS));
    }
    let pace = |event: &Event| event.with.pace.unwrap_or(request.room.pace);
    let no_shows = match counts.waits.as_slice() {
        [(_, only)] if !of_hours => NoShows::by_wait(&samples, &only.waited),
        _ => Vec::new(),
    };
    let board = &snapshot.board;
    let head = board.head.map(|head| {
        let lines = board.lines.unwrap_or(0);
        format!("The journal has {lines} lines and the head {head}. The command `now-serving audit` checks it line by line.")
    });
    Report {
        room: request.room.name.to_string(),
        pace: event.as_ref().map(pace),
        from_ms,
        to_ms,
        heard_ms: (known_ms, to_ms),
        prequeue_ms: event.as_ref().map(|event| event.prequeue_ms),
        longest: None,
        goes_on: ends_ms.is_none(),
        is_counted_late,
        waits: (counts.waits.iter())
            .map(|of| lane_waits(of, of_hours))
            .collect(),
        no_shows,
        presses: looks.then(|| presses.collect()),
        inversions: (counts.inversions.iter())
            .map(|(rule, many)| (rule.name().to_owned(), *many))
            .collect(),
        journal: head.into_iter().collect(),
        unknown,
        minutes: samples,
        event,
    }
}

/// The samples from this minute to that one, the oldest first: minutes, and before those that are kept the minutes of hours.
fn samples(snapshot: &PanelSnapshot, (from, to): (u64, u64)) -> (Vec<Sample>, bool) {
    let history = &snapshot.history;
    let minutes = history.minutes.iter().rev().chain([&history.now]);
    let of_minutes: Vec<Sample> = minutes
        .filter(|minute| (from..=to).contains(&minute.at))
        .cloned()
        .collect();
    let oldest = history.minutes.last().map_or(u64::MAX, |minute| minute.at);
    let is_full = u64::try_from(history.minutes.len()).unwrap_or(0) >= Past::ALL.minutes;
    // The hour in which the kept minutes begin has more than those.
    let begin = if is_full {
        oldest / 60 + 1
    } else {
        oldest / 60
    };
    let hours = history.hours.iter().rev();
    let hours: Vec<&Sample> = hours
        .filter(|hour| (from / 60..=to / 60).contains(&hour.at) && hour.at < begin)
        .collect();
    if from >= oldest || hours.is_empty() && !is_full {
        return (of_minutes, false);
    }
    let end = hours.last().map_or(0, |hour| (hour.at + 1) * 60);
    let rest = of_minutes.into_iter().filter(|minute| minute.at >= end);
    let hours = hours
        .into_iter()
        .flat_map(|hour| minutes_of(hour, from, to));
    (hours.chain(rest).collect(), true)
}

/// The minutes of an hour, as far as they are in this time, among which what moved in it is taken to lie evenly. The first has the counts.
fn minutes_of(hour: &Sample, from: u64, to: u64) -> impl Iterator<Item = Sample> + '_ {
    let (first, last) = ((hour.at * 60).max(from), (hour.at * 60 + 59).min(to));
    let many = (last + 1).saturating_sub(first);
    (0..many).map(move |place| {
        let moved =
            |all: u64| all.saturating_mul(place + 1) / many - all.saturating_mul(place) / many;
        let counts = if place == 0 {
            hour.counts.clone()
        } else {
            Counts::default()
        };
        Sample {
            at: first + place,
            drawn: moved(hour.drawn),
            released: moved(hour.released),
            came: moved(hour.came),
            counts,
            ..*hour
        }
    })
}

/// What was counted from this minute to that one. Counts stand with the last of ten minutes, or with the last before an event begins or
/// ends: of any other time those may stand behind its end.
fn counts(
    samples: &[Sample],
    snapshot: &PanelSnapshot,
    (from, to): (u64, u64),
    is_event: bool,
) -> Counts {
    let history = &snapshot.history;
    let end = if is_event {
        to + 1
    } else {
        (to / SPAN + 1) * SPAN
    };
    let mut late = history.minutes.iter().rev();
    let late =
        late.find(|minute| (to..end).contains(&minute.at) && minute.counts != Counts::default());
    let behind = late.filter(|minute| minute.at > to);
    let mut counts = Counts::default();
    for sample in samples.iter().chain(behind) {
        counts.merge(&sample.counts);
    }
    if late.is_none() && (from..end).contains(&history.now.at) {
        counts.merge(&history.counts);
    }
    counts
}

/// From when on the store knows of this time.
fn known_from(snapshot: &PanelSnapshot, from_ms: u64) -> u64 {
    let hours = &snapshot.history.hours;
    let begins_ms = |hour: &Sample| hour.at * 60 * MINUTE_MS;
    let oldest_ms = hours
        .last()
        .map(begins_ms)
        .filter(|_| is_cut(hours, Past::ALL.hours, |hour| begins_ms(hour) > from_ms));
    let since_ms = snapshot.history.since_ms.max(oldest_ms.unwrap_or(0));
    if since_ms > from_ms + MINUTE_MS {
        since_ms
    } else {
        from_ms
    }
}

/// Whether a list that keeps so many, the latest first, may have lost what was wanted.
fn is_cut<T>(list: &[T], most: u64, is_wanted: impl Fn(&T) -> bool) -> bool {
    u64::try_from(list.len()).unwrap_or(0) >= most && list.last().is_some_and(is_wanted)
}

/// Minutes in which visitors waited and nothing was written: the store did not answer, or nobody asked.
fn gaps(samples: &[Sample], to: u64) -> Vec<String> {
    let next = samples.iter().skip(1).map(|next| next.at).chain([to]);
    let pairs = samples.iter().zip(next).filter_map(|(one, next)| {
        let is_gap = one.waiting > 0 && next > one.at + 2;
        is_gap.then_some((one.at + 1, next))
    });
    let told = pairs.map(|(from, to)| {
        let (from, to) = (utc(from * MINUTE_MS), utc(to * MINUTE_MS));
        format!("From {from} to {to} visitors waited and the line did not move: the store did not answer, or no visitor asked.")
    });
    told.collect()
}

/// `of_hours`: of what was told only the latest is kept.
fn lane_waits((lane, waits): &(String, Waits), of_hours: bool) -> LaneWaits {
    let percentiles =
        |of: &Histogram| Some([of.percentile(50)?, of.percentile(95)?, of.percentile(99)?]);
    LaneWaits {
        lane: lane.clone(),
        visitors: waits.waited.all(),
        waited: percentiles(&waits.waited),
        told: percentiles(&waits.told).filter(|_| !of_hours),
    }
}
