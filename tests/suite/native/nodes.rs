//! What is counted in a POP of which a node may find the outbox as it was before it was overwritten, as the platform is asked not to do.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::cache::memory::{Behind, InMemoryCache};
use now_serving::cache::outbox::{Batch, Outbox, Tally};
use now_serving::config::Config;
use now_serving::queue::Now;
use serde_json::Value;
use upstash_local::{Fault, Faults, Store};
use virtual_edge::{Takes, Turn, id_of};

use crate::house::{Ask, STORE_TOKEN, call, config};
use crate::inside::Dice;

const START_MS: u64 = 1_800_000_000_000;
/// How far such a node is behind at most.
const BEHIND_MS: u64 = 5_000;
const TAKES: Takes = Takes::Always(Duration::from_millis(1));

/// One POP, whose requests reach nodes that are behind.
struct Pop {
    dice: Dice,
    config: Config,
    store: Store,
    cache: InMemoryCache,
    clock: Arc<AtomicU64>,
    most_behind_ms: u64,
    requests: u64,
}

impl Pop {
    fn new(seed: u64, most_behind_ms: u64) -> Self {
        let clock = Arc::new(AtomicU64::new(START_MS));
        let store = Store::embedded_at(STORE_TOKEN, Duration::from_millis(START_MS));
        Self {
            dice: Dice(seed),
            config: config(),
            store: store.unwrap(),
            cache: InMemoryCache::in_pop("HERE", Arc::clone(&clock)),
            clock,
            most_behind_ms,
            requests: 0,
        }
    }

    fn passes(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
        self.store.advance(Duration::from_millis(ms));
    }

    /// The next request reaches some node.
    fn node(&mut self) {
        let most_ms = self.most_behind_ms;
        let overwritten_ms = if self.dice.is_one_in(2) {
            0
        } else {
            self.dice.between(0, most_ms)
        };
        self.cache.hands_out(Behind {
            copy_ms: 0,
            overwritten_ms,
        });
    }

    /// The board is renewed, which brings what was counted.
    fn looks(&mut self) {
        self.cache.lose_copy();
        self.node();
        self.requests += 1;
        let call = call(&Ask::get("/"), id_of(self.requests));
        let now = Now::from_ms(self.clock.load(Ordering::SeqCst));
        let turn = Turn::new(&call, now, &self.config, &self.store, TAKES, &self.cache);
        let _ = turn.look();
    }

    /// Each name that the store has counted, and how often.
    fn counted(&self) -> BTreeMap<String, u64> {
        let counts = self.store.command(&["HGETALL", "queue:{main}:counts"]);
        let counts = counts.unwrap();
        let words: Vec<&str> = counts
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let pairs = words.chunks(2).map(|pair| (pair[0], pair[1].parse()));
        pairs
            .filter(|(name, _)| name.starts_with("thing_"))
            .map(|(name, many)| (name.to_owned(), many.unwrap()))
            .collect()
    }
}

/// How many things were put into the outbox one by one, and how often each of them is counted in the end. Answers of the store are lost.
fn count(seed: u64, most_behind_ms: u64) -> (u64, BTreeMap<String, u64>) {
    let mut pop = Pop::new(seed, most_behind_ms);
    let mut put = 0;
    for _ in 0..400 {
        let ms = pop.dice.between(0, 900);
        pop.passes(ms);
        match pop.dice.roll(10) {
            0..=5 => {
                put += 1;
                let mut tally = Tally::default();
                tally.add(&format!("thing_{put}"), 1);
                pop.node();
                pop.cache.put_by(&tally);
            }
            6..=7 => pop.looks(),
            8 => {
                pop.store.fail(Faults::always(Fault::DropAnswer));
                pop.looks();
                pop.store.fail(Faults::none());
            }
            _ => {
                // A sandbox has taken the batch, and its request to the store is lost.
                pop.node();
                let _: Vec<Batch> = pop.cache.batches();
            }
        }
    }
    pop.most_behind_ms = 0;
    for _ in 0..3 {
        pop.looks();
    }
    (put, pop.counted())
}

#[test]
fn what_is_put_into_an_outbox_that_is_read_as_it_was_is_counted_once_at_most() {
    let mut lost = 0;
    for seed in 0..20 {
        let (put, counted) = count(seed, BEHIND_MS);
        let twice: Vec<_> = counted.iter().filter(|(_, many)| **many > 1).collect();
        assert!(twice.is_empty(), "seed {seed}: {twice:?}");
        lost += put - counted.len() as u64;
    }
    assert!(lost > 0, "no node was behind");
    println!("{lost} things are not counted");
}

#[test]
fn what_is_put_into_an_outbox_that_is_read_as_it_is_is_counted_once() {
    for seed in 0..20 {
        let (put, counted) = count(seed, 0);
        assert_eq!(counted.len() as u64, put, "seed {seed}");
        assert!(counted.values().all(|many| *many == 1), "seed {seed}");
    }
}
