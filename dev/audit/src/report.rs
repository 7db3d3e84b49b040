//! The report of an event, or of any other time, out of the log.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::page::{LaneWaits, NoShows, Press, Report, utc};
use now_serving::queue::journal::{JournalKind, JournalLine};
use now_serving::queue::{Bound, Event, Histogram, Lane, Pace, Sample};
use serde_json::Value;

const MINUTE_MS: u64 = 60_000;

/// Of what a report is.
#[derive(Clone, Copy, Debug)]
pub struct Of<'a> {
    /// The room.
    pub room: &'a str,
    /// The event: from its first number to the next event, or to the end of the log.
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
    let lines = own_lines(texts, of.room);
    let texts: Vec<&str> = lines.iter().map(|(text, _)| *text).collect();
    Log::read(&lines).report(of, &texts)
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
    came: Vec<Came>,
    presses: Vec<Press>,
    /// When the store gave no answer.
    faults: Vec<u64>,
    /// When each number of a lane was first seen: a draw is logged.
    drawn: BTreeMap<(String, u64), u64>,
    /// The journal's lines by their numbers.
    journal: BTreeMap<u64, String>,
}

impl Log {
    fn read(lines: &[(&str, Value)]) -> Self {
        let mut log = Self::default();
        for (_, line) in lines {
            log.take(line);
        }
        log.came.sort_by_key(|came| came.at_ms);
        log.presses.sort_by_key(|press| press.at_ms);
        log.presses.dedup();
        log.faults.sort_unstable();
        log
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
        if let (Some(who), Some(what)) = (text("operator"), text("action")) {
            self.presses.push(Press { at_ms, who, what });
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
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else {
            return Err(format!(
                "The log has no line of the journal of the room {}. Accepted are log lines of a room, with those whose reason is noted.",
                of.room
            ));
        };
        let (event, begins, ends) = match of.event {
            None => (None, first.at_ms, last.at_ms + 1),
            Some(id) => event(id, &lines)?,
        };
        let (from_ms, to_ms) = (of.from_ms.unwrap_or(begins), of.to_ms.unwrap_or(ends));
        if from_ms >= to_ms {
            return Err(format!(
                "--from is {} and --to is {}: accepted is an earlier one first.",
                utc(from_ms),
                utc(to_ms)
            ));
        }
        let is_in = |at_ms: u64| (from_ms..to_ms).contains(&at_ms);
        let came: Vec<&Came> = self.came.iter().filter(|came| is_in(came.at_ms)).collect();
        let minutes = minutes(self, &lines, &came, (from_ms, to_ms));
        let waits = waits(&came);
        let mut all = Histogram::default();
        for came in &came {
            all.add(came.waited);
        }
        let mut inversions: BTreeMap<String, u64> = BTreeMap::new();
        for rule in came.iter().filter_map(|came| came.inversion.clone()) {
            *inversions.entry(rule).or_default() += 1;
        }
        let audit = crate::audit_from(first.number, texts, &[]);
        let many = lines.len();
        let verdict = match audit.faults.len() {
            0 => format!(
                "The journal was checked: its {many} lines hang together, and every release kept to its budget."
            ),
            faults => format!(
                "The journal was checked: of {many} lines there are {faults} faults, so they prove nothing. The first: {}",
                audit.faults.first().map_or("", String::as_str)
            ),
        };
        let pace = lines
            .iter()
            .rfind(|line| line.at_ms < to_ms && line.automatic > 0);
        let told = Report {
            room: of.room.to_owned(),
            pace: pace.map(|line| Pace {
                automatic: line.automatic,
                quantity: line.most,
            }),
            event,
            from_ms,
            to_ms,
            goes_on: false,
            no_shows: if waits.len() > 1 {
                Vec::new()
            } else {
                NoShows::by_wait(&minutes, &all)
            },
            minutes,
            waits,
            presses: Some(
                self.presses
                    .iter()
                    .filter(|press| is_in(press.at_ms))
                    .cloned()
                    .collect(),
            ),
            inversions: inversions.into_iter().collect(),
            journal: vec![verdict],
            unknown: outages(self.faults.iter().copied().filter(|at| is_in(*at))),
        };
        Ok((told, audit.faults.is_empty()))
    }
}

/// The lines of this room, and what they say: a log has others too, and lines that are no JSON.
fn own_lines<'a>(texts: &[&'a str], room: &str) -> Vec<(&'a str, Value)> {
    let lines = texts.iter().flat_map(|text| text.lines());
    let read = lines.filter_map(|line| Some((line, serde_json::from_str::<Value>(line).ok()?)));
    read.filter(|(_, line)| line.get("room").and_then(Value::as_str) == Some(room))
        .collect()
}

fn number(line: &Value, name: &str) -> Option<u64> {
    line.get(name)?.as_u64()
}

/// An event by the line with which it began, and the time until the next one.
fn event(id: &str, lines: &[JournalLine<'_>]) -> Result<(Option<Event>, u64, u64), String> {
    let begun = |line: &&JournalLine<'_>| line.kind == JournalKind::Event;
    let mut events = lines.iter().filter(begun);
    let known: Vec<&str> = lines
        .iter()
        .filter(begun)
        .filter_map(|line| line.what.split(':').next())
        .collect();
    let found = events.find(|line| line.what.split(':').next() == Some(id));
    let Some(line) = found else {
        return Err(format!(
            "The log has no beginning of the event {id}. It has {}.",
            if known.is_empty() {
                "none".to_owned()
            } else {
                known.join(", ")
            }
        ));
    };
    let opens_ms = line
        .what
        .split(':')
        .nth(1)
        .and_then(|opens| opens.parse().ok());
    let event = Event {
        prequeue_ms: line.at_ms,
        ..Event::new(id, opens_ms.unwrap_or(line.at_ms))
    };
    let end = events.next().map_or_else(
        || lines.last().map_or(0, |last| last.at_ms + 1),
        |next| next.at_ms,
    );
    Ok((Some(event), line.at_ms, end))
}

/// What each minute brought: when numbers were first seen, what the journal says of the cursor and of what kept it, and how many came in.
/// A minute in which the store did not answer is left out.
fn minutes(
    log: &Log,
    lines: &[JournalLine<'_>],
    came: &[&Came],
    (from_ms, to_ms): (u64, u64),
) -> Vec<Sample> {
    let mut drawn: BTreeMap<u64, u64> = BTreeMap::new();
    for at_ms in log.drawn.values() {
        *drawn.entry(at_ms / MINUTE_MS).or_default() += 1;
    }
    let away: BTreeSet<u64> = log.faults.iter().map(|at_ms| at_ms / MINUTE_MS).collect();
    let mut lines = lines.iter().peekable();
    let (mut came, mut kept) = (came.iter().peekable(), Kept::default());
    let (first, end) = (from_ms / MINUTE_MS, to_ms.div_ceil(MINUTE_MS));
    let (mut all_drawn, mut all_called) = (0_u64, 0_u64);
    // What was before the time of the report.
    let before = drawn.range(..first).map(|(_, many)| many);
    all_drawn += before.sum::<u64>();
    let mut minutes = Vec::new();
    for at in first..end {
        let mut sample = Sample {
            at,
            drawn: drawn.get(&at).copied().unwrap_or(0),
            ..Sample::default()
        };
        let is_over = |at_ms: u64| at_ms < (at + 1) * MINUTE_MS;
        while let Some(line) = lines.next_if(|line| is_over(line.at_ms)) {
            kept.hear(line);
            let called = line.lanes().map(|lane| lane.to.saturating_sub(lane.from));
            let called = called.sum::<u64>() + line.invited;
            all_called += called;
            if line.at_ms >= from_ms {
                sample.released += called;
            }
        }
        while came.next_if(|came| is_over(came.at_ms)).is_some() {
            sample.came += 1;
        }
        all_drawn += sample.drawn;
        sample.waiting = all_drawn.saturating_sub(all_called);
        sample.bound_by = Some(kept.by(sample.waiting));
        let is_away = away.contains(&at);
        if !is_away || sample.released > 0 {
            minutes.push(sample);
        }
    }
    minutes
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
