//! All is well again: what must hold then.

use std::collections::BTreeMap;

use now_serving::cache::outbox::Outbox;

use super::act::POPS;
use super::rooms::{ROOMS, surely, to_room};
use super::settings::Settings;
use super::world::{Luck, Nodes, Spot, World, has_regions};
use crate::house::{Ask, Got};
use crate::metrics::scrape;

/// Until a POP has seen what was published, and a marker of the origin has ended.
const SETTLED_MS: u64 = 130_000;

impl World {
    /// Faults end, clocks are right, nothing is planned. Every visitor who holds a number has one of their own, goes in, and every
    /// decision is counted once.
    pub(super) fn calm(&mut self) {
        self.tell(&"all is well again");
        self.trouble = None;
        let nodes = std::mem::replace(&mut self.nodes, Nodes::Sound);
        if self.is_back_ms.take().is_some() {
            self.redis.as_mut().unwrap().start_again().unwrap();
        }
        self.catch_up();
        let secrets = std::mem::take(&mut self.settings.secrets);
        let clock = self.redis.is_some();
        self.settings = Settings::new(has_regions(self.seed));
        self.settings.list_all();
        self.settings.secrets = secrets;
        if clock {
            self.settings.set("clock", "0");
        }
        for pop in 0..POPS {
            self.pops[pop].skew_ms = 0;
            self.reads_settings(pop);
        }
        for _ in 0..3 {
            self.wait(SETTLED_MS);
            self.all_look();
        }
        for room in 0..ROOMS.len() {
            for (route, body) in [
                ("event", r#"{"event":[]}"#),
                ("cap", r#"{"total_active":0}"#),
                ("mode", r#"{"mode":"automatic"}"#),
                ("settings", r#"{"automatic":5,"automatic_quantity":5}"#),
                ("overrule", r#"{"overrule":"on"}"#),
            ] {
                let ask = to_room(Ask::json_to(route, body), room);
                let heard = self.ask(&ask, (0, "US"), Luck::GOOD);
                assert_eq!((heard.got.status, heard.room), (200, room), "{heard:?}");
            }
        }
        self.wait(SETTLED_MS);
        self.flush_all();
        for room in 0..ROOMS.len() {
            self.numbers_are_of_one_visitor_each(room);
        }
        self.everybody_goes_in();
        self.all_is_counted(nodes);
    }

    /// Each POP renews the signs, and tells all that it has counted.
    fn flush_all(&mut self) {
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            for _ in 0..3 {
                self.wait(3_000);
                self.looks_after_all(pop);
            }
        }
    }

    fn all_look(&mut self) {
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            self.looks_after_all(pop);
        }
    }

    fn looks_after_all(&mut self, pop: usize) {
        for room in 0..ROOMS.len() {
            self.pops[pop].rooms[room].cache.memory.lose_copy();
            self.looks(pop, room);
        }
    }

    /// A visitor asks for a page that is surely of this room.
    fn asks_in(&mut self, at: usize, room: usize) -> Got {
        let (ask, country) = surely(room);
        let spot: Spot = (self.people[at].spot.0, country);
        let got = self.sends_from(at, ask.json(), spot, Luck::GOOD);
        got.unwrap()
    }

    /// The visitors who have a ticket of a room.
    fn holders(&self, room: usize) -> Vec<usize> {
        let people = 0..self.people.len();
        people
            .filter(|at| self.people[*at].ticket(room).is_some())
            .collect()
    }

    fn numbers_are_of_one_visitor_each(&mut self, room: usize) {
        let is_covered = {
            let truth = self.truth[room].borrow();
            truth.uncovered == 0 && !truth.has_repeats()
        };
        if is_covered {
            let held: Vec<_> = self
                .people
                .iter()
                .filter_map(|one| one.held(room))
                .collect();
            let mut truth = self.truth[room].borrow_mut();
            truth.all_have_places(&held).unwrap();
        }
        let mut holders: BTreeMap<(String, u64), String> = BTreeMap::new();
        for at in self.holders(room) {
            let got = self.asks_in(at, room);
            if got.inside || got.is_provisional() || !is_covered {
                continue;
            }
            let told = got.json();
            let held = self.people[at].held(room).unwrap();
            let Some(number) = told["position"].as_u64().filter(|_| held.is_waiting) else {
                continue;
            };
            let holder = holders
                .entry((told["lane"].to_string(), number))
                .or_insert_with(|| held.sub.clone());
            assert_eq!(*holder, held.sub, "{number} is held twice");
        }
    }

    /// In every room, also where no visitor came before.
    fn everybody_goes_in(&mut self) {
        let newcomer = self.joins();
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for room in 0..ROOMS.len() {
            self.asks_in(newcomer, room);
            waiting.extend(self.holders(room).into_iter().map(|at| (at, room)));
        }
        for _ in 0..60 {
            self.wait(5_000);
            for room in 0..ROOMS.len() {
                // Losses leave numbers free, which are called like the others.
                let permit = to_room(Ask::permit(100), room);
                self.ask(&permit, (0, "US"), Luck::GOOD);
            }
            self.wait(3_000);
            waiting.retain(|(at, room)| !self.asks_in(*at, *room).inside);
            if waiting.is_empty() {
                return;
            }
        }
        let tickets: Vec<_> = waiting
            .iter()
            .map(|(at, room)| self.people[*at].held(*room))
            .collect();
        panic!("{} are still outside: {tickets:?}", waiting.len());
    }

    /// What the outboxes were given has reached the store, once. Where an outbox was read as it had been, what came since is lost.
    fn all_is_counted(&mut self, nodes: Nodes) {
        self.flush_all();
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            for _ in 0..3 {
                self.wait(3_000);
                for room in 0..ROOMS.len() {
                    let heard = self.ask(&to_room(scrape(), room), (pop, "US"), Luck::GOOD);
                    assert_eq!(heard.got.status, 200, "{heard:?}");
                }
            }
            for here in &self.pops[pop].rooms {
                assert!(
                    here.cache.memory.batches().len() <= 1,
                    "only the last scrape is left"
                );
            }
        }
        for room in 0..ROOMS.len() {
            if nodes != Nodes::OldObjects {
                self.all_is_counted_in(room);
            }
            self.nothing_is_counted_twice_in(room);
        }
    }

    fn all_is_counted_in(&self, room: usize) {
        let truth = self.truth[room].borrow();
        for pop in 0..POPS {
            let outbox = self.outbox_of(pop, room);
            let (put, brought) = (self.put.get(&outbox), truth.brought.get(&outbox));
            assert_eq!(
                without_metrics(put),
                without_metrics(brought),
                "what POP {pop} counted of {}",
                ROOMS[room]
            );
        }
    }

    fn nothing_is_counted_twice_in(&self, room: usize) {
        let truth = self.truth[room].borrow();
        for (outbox, brought) in &truth.brought {
            let put = self.put.get(outbox).cloned().unwrap_or_default();
            for (name, many) in brought {
                assert!(
                    put.get(name) >= Some(many),
                    "{outbox} {name}: {many} of {put:?}"
                );
            }
        }
    }
}

/// The last requests of all are those that ask.
fn without_metrics(counts: Option<&BTreeMap<String, u64>>) -> BTreeMap<String, u64> {
    let mut counts = counts.cloned().unwrap_or_default();
    counts.remove("decided_metrics");
    counts
}
