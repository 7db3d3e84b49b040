//! The report of an event, or of any other time, out of the log.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use now_serving::page::{LaneWaits, NoShows, Press, Report, utc};
use now_serving::queue::journal::{BEGINNING, JournalKind, JournalLine};
use now_serving::queue::{Bound, Event, Histogram, Lane, LaneName, Pace, Phase, Sample};
use serde_json::Value;

const MINUTE_MS: u64 = 60_000;
/// A line about a request has the time at which it came: by so much that may be before the store wrote of it.
const REQUEST_MS: u64 = 10_000;

/// Of what a report is.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The room.
    pub room: &'a str,
    /// The event: from its pre-queue where the log tells of it, else from its first number, to the next event or the end of the log.
    pub event: Option<&'a str>,
    /// From when, in Unix milliseconds.
    pub from_ms: Option<u64>,
    /// Until when.
    pub to_ms: Option<u64>,
}

/// The report, and whether the journal that the log has hangs together.
///
/// # Errors
/// When the log says nothing of that room or event.
pub fn report(texts: &[&str], of: Of<'_>) -> Result<(Report, bool), String> {
    let mut log = Log::default();
    let mut seen = HashSet::new();
    let mut own = Vec::new();
    for line in texts.iter().flat_map(|text| text.lines()) {
        // No two requests have the same line: each has its trace.
        if !seen.insert(line) {
            continue;
        }
        // A log has others too, and lines that are no JSON.
        let Ok(value) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        log.date(&value);
        if value.get("room").and_then(Value::as_str) == Some(of.room) {
            own.push(line);
            log.take(&value);
        }
    }
    log.is_cut = texts.iter().any(|text| is_cut(text));
    log.sort();
    log.report(of, &own)
}

/// Whether a text ends in the middle of a line.
fn is_cut(text: &str) -> bool {
    let last = text.lines().next_back().unwrap_or_default();
    last.starts_with('{') && serde_json::from_str::<Value>(last).is_err()
}

/// One visitor who went in.
struct Came {
    at_ms: u64,
    lane: String,
    waited: u64,
    told: Option<u64>,
    inversion: Option<String>,
}

/// What the log says of a room.
#[derive(Default)]
struct Log {
    /// When the first request came that it tells of, in whatever room.
    begins_ms: Option<u64>,
    /// When its last line was written, about whatever.
    ends_ms: u64,
    is_cut: bool,
    came: Vec<Came>,
    presses: Vec<Press>,
    /// When the store gave no answer.
    faults: Vec<u64>,
    /// When visitors asked in the time of an event.
    in_events: BTreeSet<u64>,
    /// When each number of a lane was first seen: a draw is logged.
    drawn: BTreeMap<Number, u64>,
    /// The journal's lines by their numbers.
    journal: BTreeMap<u64, String>,
}

/// A number of a lane.
type Number = (String, u64);

impl Log {
    /// The time of a line of any room. What was noted may have been long before, where a data centre hears of it late.
    fn date(&mut self, line: &Value) {
        let Some(at_ms) = number(line, "timestamp").filter(|_| line.get("schema").is_some()) else {
            return;
        };
        self.ends_ms = self.ends_ms.max(at_ms);
        if line.get("noted").is_none() {
            self.begins_ms = Some(self.begins_ms.map_or(at_ms, |begins| begins.min(at_ms)));
        }
    }

    fn sort(&mut self) {
        self.came.sort_by_key(|came| came.at_ms);
        self.presses.sort_by_key(|press| press.at_ms);
        self.faults.sort_unstable();
    }

    fn take(&mut self, line: &Value) {
        let text = |name: &str| line.get(name)?.as_str().map(str::to_owned);
        let counted_in = || text("lane").unwrap_or_else(|| Lane::Main.full_name().to_owned());
        let Some(at_ms) = number(line, "timestamp") else {
            return;
        };
        let noted = line.get("noted").and_then(Value::as_array);
        for noted in noted.into_iter().flatten() {
            let read = noted
                .as_str()
                .and_then(|text| Some((JournalLine::read(text)?.number, text)));
            if let Some((number, text)) = read {
                self.journal.insert(number, text.to_owned());
            }
        }
        if let Some(position) = number(line, "visitorPosition") {
            let of = (counted_in(), position);
            let seen = self.drawn.entry(of).or_insert(at_ms);
            *seen = at_ms.min(*seen);
        }
        if let Some(waited) = number(line, "waitedSeconds") {
            self.came.push(Came {
                at_ms,
                lane: counted_in(),
                waited,
                told: number(line, "estimatedSeconds"),
                inversion: text("inversion"),
            });
        }
        let moves = matches!(text("reason").as_deref(), Some("changed" | "permit"));
        if let (true, Some(who), Some(what)) = (moves, text("operator"), text("action")) {
            self.presses.push(Press { at_ms, who, what });
        }
        let phase = text("eventPhase").and_then(|name| Phase::named(&name));
        if phase.is_some_and(Phase::runs) {
            self.in_events.insert(at_ms);
        }
        if line.get("storeError").is_some() {
            self.faults.push(at_ms);
        }
    }

    fn report(&self, of: Of<'_>, texts: &[&str]) -> Result<(Report, bool), String> {
        let lines: Vec<JournalLine<'_>> = self
            .journal
            .values()
            .filter_map(|text| JournalLine::read(text))
            .collect();
        let Some(first) = lines.first() else {
            return Err(format!(
                "The log has no line of the journal of the room {}. Accepted are log lines of a room, with those whose reason is noted.",
                of.room
            ));
        };
        let log_begins = self.begins_ms.unwrap_or(first.at_ms);
        let log_ends = self.ends_ms + 1;
        let run = of.event.map(|id| Run::find(id, &lines)).transpose()?;
        let begins = match &run {
            None => log_begins.min(first.at_ms),
            Some(run) => run.prequeue_ms.unwrap_or_else(|| {
                let before = run.begun_ms.saturating_sub(REQUEST_MS)..=run.begun_ms;
                let first = self.in_events.range(before).next();
                first.copied().unwrap_or(run.begun_ms)
            }),
        };
        let ends = run.as_ref().and_then(|run| run.next_ms).unwrap_or(log_ends);
        let (from_ms, to_ms) = (of.from_ms.unwrap_or(begins), of.to_ms.unwrap_or(ends));
        if from_ms >= to_ms {
            return Err(format!(
                "--from is {} and --to is {}: accepted is an earlier one first.",
                utc(from_ms),
                utc(to_ms)
            ));
        }
        // Where the line stood before the first line of the journal nobody knows, unless that is the first of all.
        let is_whole = first.previous == BEGINNING;
        let known_from = if is_whole {
            log_begins.min(first.at_ms)
        } else {
            log_begins.max(first.at_ms)
        };
        let is_in = |at_ms: u64| (from_ms..to_ms).contains(&at_ms);
        let came: Vec<&Came> = self.came.iter().filter(|came| is_in(came.at_ms)).collect();
        let heard_ms = (log_begins.min(first.at_ms), log_ends);
        let (minutes, longest) = minutes(self, &lines, &came, (from_ms, to_ms), heard_ms);
        let waits = waits(&came);
        let mut all = Histogram::default();
        for came in &came {
            all.add(came.waited);
        }
        let mut inversions: BTreeMap<String, u64> = BTreeMap::new();
        for rule in came.iter().filter_map(|came| came.inversion.clone()) {
            *inversions.entry(rule).or_default() += 1;
        }
        let audit = crate::audit(texts, &[]);
        let verdict = format!("The journal was checked. {}", audit.verdict());
        let fault = audit.faults.first();
        let fault = fault.map(|fault| format!("What does not hang together first: {fault}"));
        let told = Report {
            room: of.room.to_owned(),
            pace: run.as_ref().and_then(|run| run.pace),
            prequeue_ms: run.as_ref().and_then(|run| run.prequeue_ms),
            goes_on: run.as_ref().is_some_and(|run| run.goes_on_at(to_ms)),
            event: run.map(|run| run.event),
            from_ms,
            to_ms,
            heard_ms: (known_from, log_ends),
            is_counted_late: false,
            no_shows: if waits.len() > 1 {
                Vec::new()
            } else {
                NoShows::by_wait(&minutes, &all)
            },
            minutes,
            longest,
            waits,
            presses: Some(
                self.presses
                    .iter()
                    .filter(|press| is_in(press.at_ms))
                    .cloned()
                    .collect(),
            ),
            inversions: inversions.into_iter().collect(),
            journal: [verdict].into_iter().chain(fault).collect(),
            unknown: self.unknown(&lines, heard_ms, (from_ms, to_ms)),
        };
        Ok((told, audit.faults.is_empty()))
    }

    /// What is not known of this time.
    fn unknown(
        &self,
        lines: &[JournalLine<'_>],
        (log_begins, log_ends): (u64, u64),
        (from_ms, to_ms): (u64, u64),
    ) -> Vec<String> {
        let mut unknown = Vec::new();
        if from_ms / MINUTE_MS < log_begins / MINUTE_MS {
            unknown.push(format!(
                "The log begins at {}: nothing is known of before.",
                utc(log_begins)
            ));
        }
        if let Some(first) = lines
            .first()
            .filter(|first| first.previous != BEGINNING && first.at_ms >= from_ms)
        {
            unknown.push(format!(
                "The lines of the journal before number {} are missing: where the line stood before {}, and who drew then, is not known.",
                first.number,
                utc(first.at_ms)
            ));
        }
        let pairs = lines.iter().zip(lines.iter().skip(1));
        let gaps = pairs.filter(|(one, next)| {
            next.number > one.number + 1 && next.at_ms >= from_ms && one.at_ms < to_ms
        });
        unknown.extend(gaps.map(|(one, next)| {
            let (first, last) = (one.number + 1, next.number - 1);
            let (which, were) = if first == last {
                (format!("line {first}"), "was")
            } else {
                (format!("lines {first} to {last}"), "were")
            };
            format!(
                "The journal has no {which}, which {were} written between {} and {}.",
                utc(one.at_ms),
                utc(next.at_ms)
            )
        }));
        if to_ms / MINUTE_MS > log_ends / MINUTE_MS {
            unknown.push(format!(
                "The log ends at {}: nothing is known of after.",
                utc(log_ends)
            ));
        }
        if self.is_cut {
            unknown
                .push("The last line of the log is cut off: what it said is not known.".to_owned());
        }
        let faults = self.faults.iter().copied();
        unknown.extend(outages(faults.filter(|at| (from_ms..to_ms).contains(at))));
        unknown
    }
}

fn number(line: &Value, name: &str) -> Option<u64> {
    line.get(name)?.as_u64()
}

/// An event, as far as the journal tells of it.
struct Run {
    event: Event,
    /// What an operator planned for its pre-queue, and what pace.
    prequeue_ms: Option<u64>,
    pace: Option<Pace>,
    /// When the store wrote that it began.
    begun_ms: u64,
    /// When the next one began.
    next_ms: Option<u64>,
    /// When it ended.
    ended_ms: Option<u64>,
}

impl Run {
    fn find(id: &str, lines: &[JournalLine<'_>]) -> Result<Self, String> {
        let is_event = |line: &&JournalLine<'_>| line.kind == JournalKind::Event;
        let named = |line: &JournalLine<'_>| line.what.split(':').next() == Some(id);
        let Some(place) = lines.iter().position(|line| is_event(&line) && named(line)) else {
            let known = lines.iter().filter(is_event);
            let known: Vec<&str> = known
                .filter_map(|line| line.what.split(':').next())
                .collect();
            return Err(format!(
                "The log has no beginning of the event {id}. It has {}.",
                if known.is_empty() {
                    "none".to_owned()
                } else {
                    known.join(", ")
                }
            ));
        };
        let (before, rest) = lines.split_at(place);
        let begun = rest.first();
        let begun_ms = begun.map_or(0, |line| line.at_ms);
        let rest = rest.get(1..).unwrap_or_default();
        let next = rest.iter().position(|line| is_event(&line));
        let next_ms = next.and_then(|next| rest.get(next)).map(|line| line.at_ms);
        let during = rest.get(..next.unwrap_or(rest.len())).unwrap_or_default();
        let own = format!("event:{id}");
        let set =
            |lines: &[JournalLine<'_>]| lines.iter().rev().find_map(|line| set_event(id, line));
        let planned = set(before);
        let opens_ms = begun.and_then(|line| line.what.split(':').nth(1)?.parse().ok());
        let event = planned
            .clone()
            .unwrap_or_else(|| Event::new(id, opens_ms.unwrap_or(begun_ms)));
        // What the event brings, else what an operator had set before.
        let brought = before.iter().chain(during).filter(|line| line.who == own);
        let brought = brought.filter_map(set_pace).next_back();
        let usual = before
            .iter()
            .rfind(|line| !line.who.starts_with("event:") && line.what.starts_with("pace:"));
        let is_over = |line: &&JournalLine<'_>| {
            line.who == own && matches!(line.what, "phase:over" | "phase:outside")
        };
        let over = during.iter().find(is_over).map(|line| line.at_ms);
        let closes = set(during)
            .or_else(|| planned.clone())
            .and_then(|event| event.closes_ms);
        Ok(Self {
            prequeue_ms: planned.map(|event| event.prequeue_ms),
            pace: brought.or_else(|| usual.and_then(set_pace)),
            event,
            begun_ms,
            next_ms,
            ended_ms: [over, closes, next_ms].into_iter().flatten().min(),
        })
    }

    fn goes_on_at(&self, at_ms: u64) -> bool {
        self.ended_ms.is_none_or(|ended| ended > at_ms)
    }
}

/// An event that an operator set, where the line is long enough to say it.
fn set_event(id: &str, line: &JournalLine<'_>) -> Option<Event> {
    let is_change = line.kind == JournalKind::Change && !line.who.starts_with("event:");
    let event = Event::read(line.what.strip_prefix("event:").filter(|_| is_change)?)?;
    Some(event).filter(|event| event.id == id)
}

/// A pace that was set; nothing where the configured one was.
fn set_pace(line: &JournalLine<'_>) -> Option<Pace> {
    let (automatic, quantity) = line.what.strip_prefix("pace:")?.split_once(':')?;
    Some(Pace {
        automatic: automatic.parse().ok()?,
        quantity: quantity.parse().ok()?,
    })
}

/// How many wait: what the journal told, and who drew a number since.
#[derive(Default)]
struct Waiting<'a> {
    line: Option<&'a JournalLine<'a>>,
    told: u64,
    since: Vec<&'a Number>,
}

impl<'a> Waiting<'a> {
    fn now(&self) -> u64 {
        self.told.saturating_add(count(self.since.iter()))
    }

    /// Whether the latest line counts this number already.
    fn counts(&self, (name, number): &Number) -> bool {
        let line = self.line;
        let length = line.and_then(|line| length_of(name, line));
        length.is_some_and(|length| *number <= length)
    }

    fn draw(&mut self, number: &'a Number) {
        if !self.counts(number) {
            self.since.push(number);
        }
    }

    fn hear(&mut self, line: &'a JournalLine<'a>) {
        self.line = Some(line);
        let waiting = line.lanes().map(|lane| lane.length.saturating_sub(lane.to));
        self.told = waiting.fold(0, u64::saturating_add);
        let since = std::mem::take(&mut self.since);
        // What is counted with a region's numbers is counted by its time.
        let is_later =
            |number: &&Number| length_of(&number.0, line).is_some() && !self.counts(number);
        self.since = since.into_iter().filter(is_later).collect();
    }
}

/// How many numbers a lane has by a line that tells of it.
fn length_of(name: &str, line: &JournalLine<'_>) -> Option<u64> {
    if name == Lane::Main.full_name() {
        return Some(line.main.length);
    }
    line.groups
        .get(&LaneName::read(name)?)
        .map(|lane| lane.length)
}

/// How many numbers a line called. Those that an event or an operator ended were not.
fn called(line: &JournalLine<'_>) -> u64 {
    if matches!(line.kind, JournalKind::Event | JournalKind::End) {
        return 0;
    }
    let called = line.lanes().map(|lane| lane.to.saturating_sub(lane.from));
    called.fold(0, u64::saturating_add)
}

fn count(of: impl Iterator) -> u64 {
    u64::try_from(of.count()).unwrap_or(u64::MAX)
}

/// What each minute brought, and the longest line of all and when it was: when numbers were first seen, what the journal says of the
/// cursor and of what kept it, and how many came in. A minute in which the store did not answer is left out, and so are those of which the
/// log says nothing.
fn minutes(
    log: &Log,
    lines: &[JournalLine<'_>],
    came: &[&Came],
    (from_ms, to_ms): (u64, u64),
    (log_begins, log_ends): (u64, u64),
) -> (Vec<Sample>, Option<(u64, u64)>) {
    let first = lines.first();
    let is_whole = first.is_none_or(|first| first.previous == BEGINNING);
    // Who drew before the log began is seen in it too.
    let is_new = |(lane, number): &Number| {
        let known = first.and_then(|first| length_of(lane, first));
        is_whole || known.is_none_or(|known| *number > known)
    };
    let mut drawn: Vec<(u64, &Number)> = (log.drawn.iter())
        .filter(|(number, _)| is_new(number))
        .map(|(number, at_ms)| (*at_ms, number))
        .collect();
    drawn.sort_unstable();
    let away: BTreeSet<u64> = log.faults.iter().map(|at_ms| at_ms / MINUTE_MS).collect();
    let (mut lines, mut drawn) = (lines.iter().peekable(), drawn.into_iter().peekable());
    let (mut came, mut kept) = (came.iter().peekable(), Kept::default());
    let (mut waiting, mut minutes) = (Waiting::default(), Vec::new());
    let mut longest: Option<(u64, u64)> = None;
    let mut heed = |many: u64, at_ms: u64| {
        if at_ms < to_ms && longest.is_none_or(|(most, _)| many > most) {
            longest = Some((many, at_ms.max(from_ms)));
        }
    };
    // What was before the time of the report is heard with its first minute.
    let begins = from_ms.max(log_begins) / MINUTE_MS;
    for at in begins..to_ms.min(log_ends).div_ceil(MINUTE_MS) {
        let mut sample = Sample {
            at,
            ..Sample::default()
        };
        let is_over = |at_ms: u64| at_ms < (at + 1) * MINUTE_MS;
        loop {
            let next = lines.peek().map_or(u64::MAX, |line| line.at_ms);
            if let Some((at_ms, number)) =
                drawn.next_if(|(at_ms, _)| is_over(*at_ms) && *at_ms <= next)
            {
                waiting.draw(number);
                if at_ms >= from_ms {
                    heed(waiting.now(), at_ms);
                    sample.drawn += u64::from(at_ms < to_ms);
                }
            } else if let Some(line) = lines.next_if(|line| is_over(line.at_ms)) {
                kept.hear(line);
                waiting.hear(line);
                if line.at_ms >= from_ms {
                    let called = called(line);
                    // Who was called straight in never waited.
                    let waited = matches!(line.kind, JournalKind::Release | JournalKind::Permit);
                    let before = if waited { called } else { 0 };
                    heed(waiting.now().saturating_add(before), line.at_ms);
                    if line.at_ms < to_ms {
                        sample.released += called + line.invited;
                    }
                }
            } else {
                break;
            }
        }
        sample.came = count(std::iter::from_fn(|| {
            came.next_if(|came| is_over(came.at_ms))
        }));
        sample.waiting = waiting.now();
        heed(sample.waiting, at * MINUTE_MS);
        sample.bound_by = Some(kept.by(sample.waiting));
        if !away.contains(&at) || sample.released > 0 {
            minutes.push(sample);
        }
    }
    (minutes, longest)
}

/// What keeps the line where it is, as the journal tells it.
#[derive(Default)]
struct Kept {
    is_before: bool,
    is_held: bool,
    rule: Option<Bound>,
}

impl Kept {
    fn hear(&mut self, line: &JournalLine<'_>) {
        match line.what.split_once(':') {
            Some(("phase", phase)) => self.is_before = phase == "prequeue" || phase == "drawing",
            Some(("mode", mode)) => self.is_held = mode == "hold" || mode == "closed",
            _ => {}
        }
        self.rule = Bound::named(line.rule)
            .filter(|rule| *rule != Bound::Waiting)
            .or(self.rule);
    }

    fn by(&self, waiting: u64) -> Bound {
        if self.is_held {
            Bound::Mode
        } else if self.is_before {
            Bound::Event
        } else if waiting == 0 {
            Bound::Waiting
        } else {
            self.rule.unwrap_or(Bound::Pace)
        }
    }
}

fn waits(came: &[&Came]) -> Vec<LaneWaits> {
    let mut lanes: BTreeMap<&str, (Vec<u64>, Vec<u64>)> = BTreeMap::new();
    for came in came {
        let (waited, told) = lanes.entry(&came.lane).or_default();
        waited.push(came.waited);
        told.extend(came.told);
    }
    let rows = lanes.into_iter().map(|(lane, (waited, told))| LaneWaits {
        lane: lane.to_owned(),
        visitors: u64::try_from(waited.len()).unwrap_or(u64::MAX),
        waited: percentiles(waited),
        told: percentiles(told),
    });
    rows.collect()
}

fn percentiles(mut of: Vec<u64>) -> Option<[u64; 3]> {
    of.sort_unstable();
    let at = |percent: usize| {
        of.get((of.len() * percent).div_ceil(100).checked_sub(1)?)
            .copied()
    };
    Some([at(50)?, at(95)?, at(99)?])
}

/// When the store gave no answer: requests within two minutes are of one outage.
fn outages(faults: impl Iterator<Item = u64>) -> Vec<String> {
    let mut spans: Vec<(u64, u64, u64)> = Vec::new();
    for at in faults {
        match spans.last_mut() {
            Some((_, to, many)) if at < *to + 2 * MINUTE_MS => (*to, *many) = (at, *many + 1),
            _ => spans.push((at, at, 1)),
        }
    }
    let told = spans.into_iter().map(|(from, to, many)| {
        format!("From {} to {} the store did not answer {many} requests: nobody new drew or was called by them.", utc(from), utc(to))
    });
    told.collect()
}
