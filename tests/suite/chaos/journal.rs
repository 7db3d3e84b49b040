//! The journal of a run hangs together, whatever the store lost meanwhile; and nobody can change it afterwards.

use std::collections::BTreeSet;

use audit::{audit, head_of};
use now_serving::queue::{Head, Noted, RoomName};
use now_serving::service::noted_entry;
use serde_json::{Value, json};

use super::truth::Truth;
use super::world::World;
use crate::inside::Said;

const LIST: [&str; 4] = ["LRANGE", "queue:{main}:journal", "0", "-1"];

impl Truth {
    /// What a log has that no line is missing from.
    pub(super) fn note(&mut self, said: &Said) {
        let Some(text) = said.answer.get("noted") else {
            return;
        };
        let mut lines: Vec<String> = serde_json::from_str(text).unwrap();
        let head = lines.pop().unwrap();
        let entry = noted_entry(&RoomName::new("main"), &Noted { lines, head });
        self.noted.push(entry);
    }
}

impl World {
    /// The lines that the store still has, as a page of the journal. They are read without a request, which would move the line.
    pub(super) fn page(&self) -> Value {
        let lines = self.store.command(&LIST).unwrap();
        let mut lines = lines.as_array().unwrap().clone();
        lines.reverse();
        let known = (self.store)
            .command(&["HGET", "queue:{main}", "journal"])
            .unwrap();
        let head = known.as_str().unwrap().split(' ').nth(1).unwrap();
        json!({ "room": "main", "lines": lines, "head": head, "next": null })
    }

    /// What was logged, what the store has, and what visitors hold say the same.
    pub(super) fn journal_holds(&self) {
        let truth = self.truth.borrow();
        let tickets = self.people.iter().filter_map(|one| one.ticket.as_ref());
        let heads: BTreeSet<Head> = tickets.filter_map(|token| head_of(token).ok()).collect();
        let heads: Vec<Head> = heads.into_iter().collect();
        let (log, page) = (truth.noted.join("\n"), self.page().to_string());
        let report = audit(&[&log, &page], &heads);
        assert_eq!(report.faults, Vec::<String>::new(), "{:?}", report.notes);
        assert!(report.lines > 0 && !heads.is_empty());
        assert!(audit(&[&page], &[]).faults.is_empty());
    }
}

mod native {
    use super::*;
    use crate::chaos::world::Engine;
    use crate::inside::Dice;

    /// A page and a log of the same run.
    fn run() -> (Value, Vec<String>) {
        let mut world = World::new(3, Engine::Embedded);
        world.play(1);
        let noted = world.truth.borrow().noted.clone();
        (world.page(), noted)
    }

    fn is_sound(texts: &[&str]) -> bool {
        audit(texts, &[]).faults.is_empty()
    }

    /// The same value with some bytes of its text put differently; nothing where that reads the same.
    fn spoilt(text: &str, dice: &mut Dice) -> Option<String> {
        let mut bytes = text.as_bytes().to_vec();
        let at = usize::try_from(dice.roll(bytes.len() as u64)).unwrap();
        let other = b"0123456789abcdef -:,\"[]{}xyz"[usize::try_from(dice.roll(28)).unwrap()];
        bytes[at] = other;
        let spoilt = String::from_utf8(bytes).unwrap();
        let read = |text: &str| serde_json::from_str::<Value>(text).ok();
        (read(&spoilt) != read(text)).then_some(spoilt)
    }

    #[test]
    fn a_journal_of_which_a_byte_was_changed_is_refused() {
        let (page, noted) = run();
        let page = page.to_string();
        let mut dice = Dice(1);
        let mut refused = 0;
        for _ in 0..300 {
            if let Some(spoilt) = spoilt(&page, &mut dice) {
                assert!(!is_sound(&[&spoilt]), "{spoilt}");
                refused += 1;
            }
        }
        assert!(refused > 200, "{refused}");
        let log = noted.join("\n");
        assert!(is_sound(&[&log]));
        for at in 0..noted.len().min(60) {
            let Some(spoilt) = spoilt(&noted[at], &mut dice) else {
                continue;
            };
            let others = [&noted[..at], &noted[at + 1..]].concat().join("\n");
            assert!(!is_sound(&[&others, &spoilt]), "{spoilt}");
        }
    }

    #[test]
    fn a_journal_without_one_of_its_lines_or_with_two_in_each_others_place_is_refused() {
        let (page, noted) = run();
        let lines = page["lines"].as_array().unwrap();
        assert!(lines.len() > 20, "{}", lines.len());
        let with = |lines: Vec<Value>| {
            let mut page = page.clone();
            page["lines"] = lines.into();
            page.to_string()
        };
        for at in 1..lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            assert!(!is_sound(&[&with(fewer)]), "without {}", lines[at]);
            let mut swapped = lines.clone();
            swapped.swap(at - 1, at);
            assert!(!is_sound(&[&with(swapped)]), "swapped {}", lines[at]);
        }
        // A list that begins later is said.
        let later = audit(&[&with(lines[5..].to_vec())], &[]);
        assert_eq!(later.faults, Vec::<String>::new());
        assert!(later.notes[0].contains("What was before is not checked."));
        // In the log the last record can be missing, and none in front of it.
        for at in 1..noted.len() - 1 {
            let fewer = [&noted[..at], &noted[at + 1..]].concat().join("\n");
            assert!(!is_sound(&[&fewer]), "without {}", noted[at]);
        }
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
