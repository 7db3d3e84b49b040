//! The report of an event, by what the store keeps.

use super::input::{Fields, Refusal};
use super::login::{Operator, Right};
use super::scrape::snapshot;
use super::verbs::WORDS;
use super::{Answered, misunderstood, simply, store_trouble};
use crate::http::negotiate::wants_json;
use crate::http::{Call, Reply};
use crate::page::{LaneWaits, NoShows, Press, Report, ShownAs, utc};
use crate::queue::{Counts, Event, Histogram, PanelSnapshot, Past, Reason, Sample, Waits};
use crate::request::Request;
use crate::store::upstash::Attempt;

const MINUTE_MS: u64 = 60_000;
/// Counts stand with the last of so many minutes, and come so many minutes late at most.
const SPAN: u64 = 10;

/// The report of the event that the query names; of the latest one that has begun where it names none.
pub(super) fn report(operator: &Operator, request: &Request<'_>) -> Answered {
    let (id, shown) = match asked(request.call) {
        Ok(asked) => asked,
        Err(refusal) => return misunderstood(&refusal, "nothing was read"),
    };
    let snapshot = match snapshot(Past::ALL, Attempt::First, request) {
        Ok(snapshot) => snapshot,
        Err(fault) => return store_trouble(fault, "nothing was read"),
    };
    let now_ms = request.now.ms();
    let events = snapshot.board.live.events(&request.room.events);
    let latest = || {
        let begun = events.iter().filter(|event| event.prequeue_ms <= now_ms);
        begun.max_by_key(|event| event.prequeue_ms)
    };
    let named = |id: &String| events.iter().find(|event| event.id == *id);
    let event = id.as_ref().map_or_else(latest, named);
    let Some(event) = event.cloned() else {
        return unknown(id.as_deref(), events);
    };
    if event.prequeue_ms > now_ms {
        let begins = utc(event.prequeue_ms);
        let detail = format!(
            "by its times {} begins at {begins}; there is no report before",
            event.id
        );
        let reply = Reply::problem(404, "Not begun", &detail);
        return simply(reply, Reason::BadOperatorRequest);
    }
    let told = told(event, &snapshot, operator.role.may(Right::Look), request);
    Answered {
        board: Some(snapshot.board),
        ..simply(told.shown(shown), Reason::EventReport)
    }
}

fn asked(call: &Call) -> Result<(Option<String>, ShownAs), Refusal> {
    let mut fields = Fields::of_query(call);
    let id = fields.text("id")?;
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
    fields.end().map(|()| (id, shown))
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
        None => "no event has begun".to_owned(),
    };
    let detail =
        format!("{asked}; {known}; now-serving report makes one of any time out of the log");
    let reply = Reply::problem(404, "No such event", &detail);
    simply(reply, Reason::BadOperatorRequest)
}

/// `looks`: who asks may know what operators did.
fn told(event: Event, snapshot: &PanelSnapshot, looks: bool, request: &Request<'_>) -> Report {
    let now_ms = request.now.ms();
    let from_ms = event.prequeue_ms;
    let closes_ms = event.closes_ms.filter(|closes| *closes <= now_ms);
    let to_ms = closes_ms.unwrap_or(now_ms);
    let (samples, of_hours) = samples(snapshot, from_ms, to_ms);
    let counts = counts(&samples, snapshot, (from_ms, to_ms));
    let actions = snapshot.actions.iter().rev();
    let actions = actions.filter(|action| (from_ms..=to_ms).contains(&action.set.at_ms));
    let presses = actions.map(|action| Press {
        at_ms: action.set.at_ms,
        who: action.set.who().to_owned(),
        what: (WORDS.what)(action),
    });
    let mut unknown = unknown_before(snapshot, from_ms);
    let is_counted_late = now_ms.saturating_sub(to_ms) < SPAN * MINUTE_MS;
    if is_counted_late && closes_ms.is_some() {
        unknown.push("Data centres bring what they counted some minutes late: more may have come than is known.".to_owned());
    }
    if !looks {
        unknown.push("What operators did is told to those who may look at the panel.".to_owned());
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
        unknown.push("Minutes are kept for a day: of this time only hours are known, and what was told at the draw is not.".to_owned());
    } else {
        unknown.extend(gaps(&samples, to_ms / MINUTE_MS));
    }
    let rooms_pace = request.room.pace;
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
        pace: Some(event.with.pace.unwrap_or(rooms_pace)),
        from_ms,
        to_ms,
        heard_ms: (from_ms, to_ms),
        prequeue_ms: Some(event.prequeue_ms),
        longest: None,
        goes_on: closes_ms.is_none(),
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
        event: Some(event),
    }
}

/// The samples of this time, the oldest first: minutes, and before those that are kept the minutes of hours.
fn samples(snapshot: &PanelSnapshot, from_ms: u64, to_ms: u64) -> (Vec<Sample>, bool) {
    let history = &snapshot.history;
    let (from, to) = (from_ms / MINUTE_MS, to_ms / MINUTE_MS);
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

/// What was counted in this time. Counts stand with the last of ten minutes, or with the last before an event, so that what was counted
/// before the end may stand behind it.
fn counts(samples: &[Sample], snapshot: &PanelSnapshot, (from_ms, to_ms): (u64, u64)) -> Counts {
    let (history, to) = (&snapshot.history, to_ms / MINUTE_MS);
    let mut late = history.minutes.iter().rev();
    let late = late
        .find(|minute| (to..=to + SPAN).contains(&minute.at) && minute.counts != Counts::default());
    let behind = late.filter(|minute| minute.at > to);
    let mut counts = Counts::default();
    for sample in samples.iter().chain(behind) {
        counts.merge(&sample.counts);
    }
    if late.is_none() && (from_ms / MINUTE_MS..=to + SPAN).contains(&history.now.at) {
        counts.merge(&history.counts);
    }
    counts
}

fn unknown_before(snapshot: &PanelSnapshot, from_ms: u64) -> Vec<String> {
    let hours = &snapshot.history.hours;
    let begins_ms = |hour: &Sample| hour.at * 60 * MINUTE_MS;
    let oldest_ms = hours
        .last()
        .map(begins_ms)
        .filter(|_| is_cut(hours, Past::ALL.hours, |hour| begins_ms(hour) > from_ms));
    let since_ms = snapshot.history.since_ms.max(oldest_ms.unwrap_or(0));
    let lost = (since_ms > from_ms + MINUTE_MS).then(|| {
        format!(
            "The store has nothing from before {}: what happened until then is in the log alone.",
            utc(since_ms)
        )
    });
    lost.into_iter().collect()
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
