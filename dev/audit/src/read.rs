//! How the lines are read, and what is wrong with a text by itself.

use std::collections::{BTreeMap, BTreeSet};

use now_serving::queue::journal::{JournalLine, digest};
use now_serving::queue::{Head, RoomName};
use serde::Deserialize;
use serde_json::Value;

/// What `/_queue/journal` answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Page {
    room: String,
    lines: Vec<String>,
    head: Option<String>,
    next: Option<u64>,
}

/// A line of the log that says what was noted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    schema: u64,
    timestamp: u64,
    reason: String,
    room: String,
    noted: Vec<String>,
    head: String,
}

/// All lines, by room and digest.
#[derive(Default)]
pub(crate) struct Written(BTreeMap<String, BTreeMap<String, String>>);

impl Written {
    /// The rooms, and the lines of each.
    pub(crate) fn by_room(&self) -> impl Iterator<Item = (String, &BTreeMap<String, String>)> {
        self.0.iter().map(|(room, lines)| (room.clone(), lines))
    }

    /// What tickets that were signed behind a line say.
    pub(crate) fn heads(&self) -> BTreeSet<Head> {
        let digests = self.0.values().flat_map(BTreeMap::keys);
        digests.filter_map(|digest| Head::of(digest)).collect()
    }
}

/// Reads the texts. What is neither a page nor a line of the log is a fault.
pub(crate) fn written(texts: &[&str], faults: &mut Vec<String>) -> Written {
    let mut written = Written::default();
    let mut awaited = BTreeSet::new();
    for (place, text) in (1..).zip(texts) {
        let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        let mut begin = 0;
        while let Some(value) = values.next() {
            let end = values.byte_offset();
            let read = value.map_err(|error| error.to_string());
            let read = read
                .and_then(|value| take((&value, &text[begin..end]), &mut written, &mut awaited));
            begin = end;
            if let Err(wrong) = read {
                faults.push(format!("Text {place} cannot be read: {wrong}."));
                break;
            }
        }
    }
    let numbers = |lines: &BTreeMap<String, String>| {
        let lines = lines.values().filter_map(|line| JournalLine::read(line));
        lines.map(|line| line.number).collect::<BTreeSet<u64>>()
    };
    let here: BTreeMap<&str, BTreeSet<u64>> = (written.0.iter())
        .map(|(room, lines)| (room.as_str(), numbers(lines)))
        .collect();
    let is_here = |(room, number): &&(String, u64)| {
        let numbers = here.get(room.as_str());
        numbers.is_some_and(|numbers| numbers.contains(number))
    };
    let missing = awaited.iter().filter(|awaited| !is_here(awaited));
    faults.extend(missing.map(|(room, number)| {
        format!("{room}: a page says that it goes on with line {number}, which is not here.")
    }));
    written
}

/// One page, or one line of the log; lines about something else are passed over. The value does not show a member that stands in
/// its text twice.
fn take(
    (value, text): (&Value, &str),
    written: &mut Written,
    awaited: &mut BTreeSet<(String, u64)>,
) -> Result<(), String> {
    let reason = value.get("reason").and_then(Value::as_str);
    let is_log = value.get("schema").is_some() && reason.is_some();
    match (is_log, reason, value.get("noted")) {
        (true, Some("noted"), None) => {
            return Err("a line of the log says nothing of what was noted".into());
        }
        (true, _, None) => return Ok(()),
        _ => {}
    }
    let wrong = |error: serde_json::Error| error.to_string();
    if is_log {
        let record: Record = serde_json::from_str(text).map_err(wrong)?;
        let last = record.noted.last().and_then(|line| JournalLine::read(line));
        let is_sound = record.schema == 1 && record.reason == "noted";
        if !is_sound || last.map(|line| line.at_ms) != Some(record.timestamp) {
            return Err("a line of the log is not as the service writes it".into());
        }
        return take_lines(&record.room, record.noted, Some(&record.head), written);
    }
    let page: Page = serde_json::from_str(text).map_err(wrong)?;
    let last = page.lines.last().and_then(|line| JournalLine::read(line));
    match (page.next, last) {
        (Some(next), Some(last)) if next == last.number + 1 && page.head.is_none() => {
            awaited.insert((page.room.clone(), next));
        }
        (None, Some(_)) if page.head.is_some() => {}
        (None, None) if page.head.is_none() && page.lines.is_empty() => {}
        _ => return Err("head and next of a page do not fit its lines".into()),
    }
    take_lines(&page.room, page.lines, page.head.as_deref(), written)
}

/// Lines that stand one behind the other.
fn take_lines(
    room: &str,
    lines: Vec<String>,
    head: Option<&str>,
    written: &mut Written,
) -> Result<(), String> {
    let name = RoomName::new(room);
    let mut before: Option<String> = None;
    let known = written.0.entry(room.to_owned()).or_default();
    for text in lines {
        let Some(line) = JournalLine::read(&text) else {
            return Err(format!("{room}: {text:?} is not a line"));
        };
        if before.is_some_and(|before| before != line.previous) {
            let number = line.number;
            return Err(format!(
                "{room}: line {number} does not follow the line in front of it"
            ));
        }
        let own = digest(&name, &text);
        known.insert(own.clone(), text);
        before = Some(own);
    }
    if head.is_some() && head != before.as_deref() {
        return Err(format!(
            "{room}: the digest behind the last line is not that of this line"
        ));
    }
    Ok(())
}
