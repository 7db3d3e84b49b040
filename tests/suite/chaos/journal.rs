//! The journal of a run hangs together, whatever the store lost meanwhile; and nobody can change it afterwards.

use std::collections::BTreeSet;

use audit::{audit, head_of};
use now_serving::queue::Head;
use serde_json::{Value, json};

use super::rooms::{ROOMS, line_key};
use super::world::World;

/// An older copy of the data came back, and the line went on before a data centre showed more: `docs/deep/evidence.md`.
const NO_COPY_LEFT: &str = "it came back with older data and no copy of the board was left";

impl World {
    /// The lines that the store still has of a room, as a page of its journal. They are read without a request, which would move the
    /// line.
    pub(super) fn journal(&self, room: usize) -> Value {
        let key = line_key(room);
        let lines = format!("{key}:journal");
        let lines = self.store.command(&["LRANGE", &lines, "0", "-1"]).unwrap();
        let mut lines = lines.as_array().unwrap().clone();
        lines.reverse();
        let known = self.store.command(&["HGET", &key, "journal"]).unwrap();
        let head = known.as_str().unwrap().split(' ').nth(1).unwrap();
        json!({ "room": ROOMS[room], "lines": lines, "head": head, "next": null })
    }

    /// What was logged, what the store has, and what visitors hold say the same, in each room.
    pub(super) fn journals_hold(&self) {
        let (mut texts, mut all_faults) = (Vec::new(), Vec::new());
        for room in 0..ROOMS.len() {
            let truth = self.truth[room].borrow();
            let tickets = self.people.iter().filter_map(|one| one.ticket(room));
            let heads: BTreeSet<Head> = tickets.filter_map(|token| head_of(token).ok()).collect();
            let heads: Vec<Head> = heads.into_iter().collect();
            let log = self.log[room].borrow().join("\n");
            let page = self.journal(room).to_string();
            let report = audit(&[&log, &page], &heads);
            let (named, faults): (Vec<String>, Vec<String>) = (report.faults.iter().cloned())
                .partition(|fault| truth.has_repeats() && fault.contains(NO_COPY_LEFT));
            assert_eq!(faults, Vec::<String>::new(), "{:?}", report.notes);
            assert!(report.lines > 0 && !heads.is_empty());
            assert!(audit(&[&page], &[]).faults.is_empty());
            drop(truth);
            let mut truth = self.truth[room].borrow_mut();
            truth.ends().unwrap();
            truth.checks.count(if named.is_empty() {
                "the audit accepts the journal of a room"
            } else {
                "the audit refuses a journal with two ends of which none names the other"
            });
            all_faults.extend(report.faults);
            texts.extend([log, page]);
        }
        // One log has the lines of all rooms.
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut at_once = audit(&texts, &[]).faults;
        at_once.sort();
        all_faults.sort();
        assert_eq!(at_once, all_faults);
    }
}

mod native {
    use super::*;
    use crate::chaos::world::Engine;
    use audit::audit_from;
    use now_serving::queue::RoomName;
    use now_serving::queue::journal::{BEGINNING, digest};

    /// A page and a log of the same run.
    pub(super) fn run() -> (Value, Vec<String>) {
        let mut world = World::new(5, Engine::Embedded);
        world.play(1);
        let noted = world.log[0].borrow().clone();
        (world.journal(0), noted)
    }

    pub(super) fn is_sound(texts: &[&str]) -> bool {
        audit(texts, &[]).faults.is_empty()
    }

    /// The text with this byte put differently: its last bit, and another letter.
    fn spoilt(text: &str, at: usize) -> impl Iterator<Item = String> {
        let byte = text.as_bytes()[at];
        let plain = if byte == b'7' { b' ' } else { b'7' };
        let others = [byte ^ 1, plain];
        others.into_iter().map(move |other| {
            let mut bytes = text.as_bytes().to_vec();
            bytes[at] = other;
            String::from_utf8(bytes).unwrap()
        })
    }

    /// The values that a text has one behind the other; nothing where it cannot be read.
    fn values(text: &str) -> Option<Vec<Value>> {
        let values = serde_json::Deserializer::from_str(text).into_iter();
        values.collect::<Result<_, _>>().ok()
    }

    /// Each byte of this text is changed, beside these others. What is not refused reads the same: a byte between two values.
    pub(super) fn every_byte_counts(text: &str, beside: &[&str]) {
        let before = values(text);
        let (mut refused, mut same) = (0, 0);
        for at in 0..text.len() {
            for spoilt in spoilt(text, at) {
                let texts: Vec<&str> = beside.iter().copied().chain([&*spoilt]).collect();
                if is_sound(&texts) {
                    assert_eq!(values(&spoilt), before, "byte {at} of {spoilt}");
                    same += 1;
                } else {
                    refused += 1;
                }
            }
        }
        println!(
            "{} bytes: {refused} changes refused, {same} read the same",
            text.len()
        );
        assert_eq!(same, 0, "these texts have nothing between their values");
    }

    #[test]
    fn a_page_of_which_any_byte_was_changed_is_refused() {
        let (page, noted) = run();
        let page = page.to_string();
        assert!(is_sound(&[&page]) && is_sound(&[&noted.join("\n")]));
        every_byte_counts(&page, &[]);
    }

    pub(super) fn with(page: &Value, lines: Vec<Value>) -> String {
        let mut page = page.clone();
        page["lines"] = lines.into();
        page.to_string()
    }

    #[test]
    fn a_page_without_any_one_of_its_lines_or_with_any_two_in_each_others_place_is_refused() {
        let (page, _) = run();
        let lines = page["lines"].as_array().unwrap();
        assert!(lines.len() > 20, "{}", lines.len());
        for at in 0..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            assert!(!is_sound(&[&with(&page, fewer)]), "without {}", lines[at]);
            for other in at + 1..lines.len() {
                let mut swapped = lines.clone();
                swapped.swap(at, other);
                let swapped = with(&page, swapped);
                assert!(!is_sound(&[&swapped]), "{at} and {other}");
            }
        }
    }

    #[test]
    fn a_page_that_begins_later_is_sound_where_the_reader_says_so() {
        let (page, _) = run();
        let lines = page["lines"].as_array().unwrap();
        let later = with(&page, lines[5..].to_vec());
        let fault = "If they are in no copy, check the others by --from 6.";
        assert!(audit(&[&later], &[]).faults[0].ends_with(fault));
        let report = audit_from(6, &[&later], &[]);
        assert_eq!(report.faults, Vec::<String>::new());
        assert!(report.notes[0].contains("What was before is not checked."));
    }

    /// The end can be cut off, unless a head from there is known. A line may be in several records: each data centre logs it.
    #[test]
    fn a_log_without_any_one_of_its_lines_is_refused() {
        let (page, noted) = run();
        let last = Head::of(page["head"].as_str().unwrap()).unwrap();
        for line in page["lines"].as_array().unwrap() {
            let line = line.to_string();
            let has_it = |record: &&String| record.contains(&line);
            let end = noted.iter().position(|record| has_it(&record)).unwrap();
            let fewer: Vec<&str> = (noted.iter().filter(|record| !has_it(record)))
                .map(String::as_str)
                .collect();
            let is_cut_off = fewer.len() == end;
            let fewer = fewer.join("\n");
            assert_eq!(is_sound(&[&fewer]), is_cut_off, "without {line}");
            let faults = audit(&[&fewer], &[last]).faults;
            assert_ne!(faults, Vec::<String>::new(), "without {line}");
        }
    }

    /// A page of as many lines as the store keeps takes no longer than its reader waits.
    #[test]
    fn ten_thousand_lines_are_read_at_once() {
        let (room, mut previous) = (RoomName::new("main"), BEGINNING.to_owned());
        let mut lines = Vec::new();
        for number in 1..=10_000_u64 {
            let (from, at) = (number.saturating_sub(2), 1_800_000_000_000 + number);
            let (to, period) = (number - 1, 1_800_000_000 + number);
            let kind = if number == 1 { "begin" } else { "release" };
            let line = format!(
                "{previous} {number} {at} {kind} {from} {to} 20000 - 0 {period} 0 0 1:1 pace - -"
            );
            previous = digest(&room, &line);
            lines.push(line);
        }
        let page = json!({ "room": "main", "lines": lines, "head": previous, "next": null });
        let page = page.to_string();
        let began = std::time::Instant::now();
        let report = audit(&[&page], &[]);
        println!("{} lines in {:?}", report.lines, began.elapsed());
        assert_eq!((report.faults, report.lines), (Vec::new(), 10_000));
    }

    #[test]
    fn the_order_of_the_files_and_a_line_that_comes_twice_make_no_difference() {
        let (page, mut noted) = run();
        let page = page.to_string();
        let straight = audit(&[&noted.join("\n"), &page], &[]);
        noted.reverse();
        let twice = audit(&[&page, &noted.join("\n"), &page], &[]);
        assert_eq!(straight, twice);
        assert_eq!(straight.faults, Vec::<String>::new());
    }
}

mod simulated {
    use super::native::{every_byte_counts, is_sound, run, with};
    use super::*;

    #[test]
    fn two_pages_of_which_any_byte_was_changed_are_refused() {
        let (page, _) = run();
        let lines = page["lines"].as_array().unwrap();
        let (first, second) = lines.split_at(lines.len() - 3);
        let second = with(&page, second.to_vec());
        let next = first.len() + 1;
        let first = json!({ "room": "main", "lines": first, "head": null, "next": next });
        let first = first.to_string();
        assert!(is_sound(&[&first, &second]));
        every_byte_counts(&first, &[&second]);
        every_byte_counts(&second, &[&first]);
    }

    /// The kinds of the lines in a record of the log.
    fn kinds(record: &str) -> BTreeSet<String> {
        let record: Value = serde_json::from_str(record).unwrap();
        let lines = record["noted"].as_array().unwrap().iter();
        let kind = |line: &Value| line.as_str()?.split(' ').nth(3).map(str::to_owned);
        lines.filter_map(kind).collect()
    }

    /// A record is looked at for each kind of line that there is.
    #[test]
    fn a_log_of_which_any_byte_was_changed_is_refused() {
        let (_, noted) = run();
        let mut seen = BTreeSet::new();
        for (at, record) in noted.iter().enumerate() {
            let before = seen.len();
            seen.extend(kinds(record));
            if seen.len() > before {
                let others = [&noted[..at], &noted[at + 1..]].concat().join("\n");
                every_byte_counts(record, &[&others]);
            }
        }
        println!("{seen:?} of {} records", noted.len());
        assert!(seen.len() > 5, "{seen:?}");
    }
}
