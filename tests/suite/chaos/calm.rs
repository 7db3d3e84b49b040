//! All is well again: what must hold then.

use std::collections::BTreeMap;

use now_serving::cache::outbox::Outbox;

use super::act::POPS;
use super::settings::Settings;
use super::world::{Luck, World};
use crate::house::Ask;
use crate::metrics::scrape;

/// Until a POP has seen what was published, and a marker of the origin has ended.
const SETTLED_MS: u64 = 130_000;

impl World {
    /// Faults end, clocks are right, nothing is planned. Every visitor who holds a number has one of their own, goes in, and every
    /// decision is counted once.
    pub(super) fn calm(&mut self) {
        self.tell(&"all is well again");
        self.trouble = None;
        if self.is_back_ms.take().is_some() {
            self.redis.as_mut().unwrap().start_again().unwrap();
        }
        self.catch_up();
        let secrets = std::mem::take(&mut self.settings.secrets);
        let clock = self.redis.is_some();
        self.settings = Settings::new();
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
            self.flush_all();
        }
        for (route, body) in [
            ("event", r#"{"event":[]}"#),
            ("cap", r#"{"total_active":0}"#),
            ("mode", r#"{"mode":"automatic"}"#),
            ("settings", r#"{"automatic":5,"automatic_quantity":5}"#),
            ("overrule", r#"{"overrule":"on"}"#),
        ] {
            let heard = self.ask(&Ask::json_to(route, body), 0, Luck::GOOD);
            assert_eq!(heard.got.status, 200, "{heard:?}");
        }
        self.wait(SETTLED_MS);
        self.flush_all();
        self.numbers_are_of_one_visitor_each();
        self.everybody_goes_in();
        self.all_is_counted();
    }

    /// Each POP renews the sign, and tells all that it has counted.
    fn flush_all(&mut self) {
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            for _ in 0..3 {
                self.wait(3_000);
                self.pops[pop].cache.memory.lose_copy();
                self.looks(pop);
            }
        }
    }

    fn numbers_are_of_one_visitor_each(&mut self) {
        let is_covered = {
            let truth = self.truth.borrow();
            truth.uncovered == 0 && !truth.has_repeats()
        };
        let mut holders: BTreeMap<(bool, u64), String> = BTreeMap::new();
        for at in 0..self.people.len() {
            let got = self.sends(at, Ask::get("/").json(), Luck::GOOD).unwrap();
            if got.inside || got.is_provisional() || !is_covered {
                continue;
            }
            let told = got.json();
            let held = self.people[at].held().unwrap();
            let Some(number) = told["position"].as_u64().filter(|_| held.is_waiting) else {
                continue;
            };
            let lane = told["lane"].is_string();
            let holder = holders
                .entry((lane, number))
                .or_insert_with(|| held.sub.clone());
            assert_eq!(*holder, held.sub, "{number} is held twice");
        }
    }

    fn everybody_goes_in(&mut self) {
        let newcomer = self.joins();
        self.reloads(newcomer);
        let mut waiting = self.people.len();
        for _ in 0..60 {
            self.wait(5_000);
            self.ask(&Ask::permit(20), 0, Luck::GOOD);
            self.wait(3_000);
            waiting = 0;
            for at in 0..self.people.len() {
                let got = self.sends(at, Ask::get("/").json(), Luck::GOOD);
                waiting += usize::from(!got.unwrap().inside);
            }
            if waiting == 0 {
                return;
            }
        }
        let tickets: Vec<_> = self
            .people
            .iter()
            .map(super::people::Person::held)
            .collect();
        panic!("{waiting} are still outside: {tickets:?}");
    }

    /// What the outboxes were given has reached the store, once.
    fn all_is_counted(&mut self) {
        self.flush_all();
        for pop in 0..POPS {
            self.flush_sandboxes(pop);
            for _ in 0..3 {
                self.wait(3_000);
                let heard = self.ask(&scrape(), pop, Luck::GOOD);
                assert_eq!(heard.got.status, 200, "{heard:?}");
            }
            assert!(
                self.pops[pop].cache.memory.batches().len() <= 1,
                "only the last scrape is left"
            );
        }
        let truth = self.truth.borrow();
        for pop in 0..POPS {
            let till = format!("queue:{{main}}:till:{}", self.outbox_of(pop));
            let (put, brought) = (self.put.get(&till), truth.brought.get(&till));
            assert_eq!(
                without_metrics(put),
                without_metrics(brought),
                "what POP {pop} counted"
            );
        }
        for (till, brought) in &truth.brought {
            let put = self.put.get(till).cloned().unwrap_or_default();
            for (name, many) in brought {
                assert!(
                    put.get(name) >= Some(many),
                    "{till} {name}: {many} of {put:?}"
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
