//! Four data centres and one dead store, with the policy `admit`: what they let in together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dev::store::{Fault, Faults, Store};
use now_serving::admission::Pace;
use now_serving::config::{Config, OnStoreError};
use now_serving::service;

use crate::house::{Ask, Direct, Got, STORE_TOKEN, call, config, got, scattered};
use crate::memory::Memory;

const START_MS: u64 = 1_800_000_000_000;
const POPS: [&str; 4] = ["AMS", "FRA", "LHR", "SYD"];
/// How long the store has failed, by then at the latest, when the policy begins: it takes five seconds and three calls.
const BEGUN_MS: u64 = 15_000;

struct World {
    store: Store,
    config: Config,
    now_ms: Arc<AtomicU64>,
    pops: Vec<Memory>,
    ids: u64,
}

impl World {
    fn new(pace: Pace) -> Self {
        let now_ms = Arc::new(AtomicU64::new(START_MS));
        let pop = |name: &&str| Memory::in_pop(name, Arc::clone(&now_ms));
        Self {
            store: Store::embedded(STORE_TOKEN).unwrap(),
            config: Config {
                clock: Some(0),
                on_store_error: OnStoreError::Admit,
                pace,
                ..config()
            },
            pops: POPS.iter().map(pop).collect(),
            now_ms,
            ids: 0,
        }
    }

    fn wait(&self, time_ms: u64) {
        self.now_ms.fetch_add(time_ms, Ordering::SeqCst);
        self.store.advance(Duration::from_millis(time_ms));
    }

    fn ask(&mut self, pop: usize, ticket: &mut Option<String>) -> Got {
        self.ids += 1;
        let id = format!("{:032x}", scattered(self.ids));
        let mut ask = Ask::get("/").json();
        if let Some(ticket) = ticket {
            ask = ask.with("cookie", format!("queue={ticket}"));
        }
        let store = Direct(self.store.clone());
        let (near, now_ms) = (&self.pops[pop], self.now_ms.load(Ordering::SeqCst));
        let call = call(&ask, id);
        let outcome = service::handle(
            &call,
            &mut [].as_slice(),
            &self.config,
            &store,
            near,
            now_ms,
        );
        service::afterwards(outcome.after, &self.config, &store, near, now_ms);
        let got = got(outcome.answer);
        *ticket = got.ticket().or(ticket.take());
        got
    }

    /// Every data centre has visitors who wait, and the store dies: how many go in, second by second.
    fn dies(&mut self, seconds: u64, knows_pops: bool) -> Vec<usize> {
        // The line is long, and it is nobody's turn: the period began long after this.
        let long = ["HSET", "queue:{main}", "length", "1000", "cursor", "10"];
        self.store.command(&long).unwrap();
        let none_left = ["HSET", "queue:{main}", "period", "9999999999", "left", "0"];
        self.store.command(&none_left).unwrap();
        let mut waiting: Vec<Vec<Option<String>>> = vec![vec![None; 30]; POPS.len()];
        for (pop, tickets) in waiting.iter_mut().enumerate() {
            for ticket in tickets {
                assert!(!self.ask(pop, ticket).inside);
            }
        }
        // All have renewed the sign, so each knows how many they are.
        for _ in 0..4 {
            self.wait(1_500);
            for (pop, tickets) in waiting.iter_mut().enumerate() {
                self.ask(pop, &mut tickets[0]);
            }
        }
        if !knows_pops {
            for pop in &self.pops {
                pop.lose_copy();
                pop.lose_last();
            }
        }
        self.store.fail(Faults::always(Fault::Refuse));
        let mut inside = Vec::new();
        for second in 0..seconds {
            self.wait(1_000);
            let mut many = 0;
            for (pop, tickets) in waiting.iter_mut().enumerate() {
                let mut newcomers = vec![None; 3];
                for ticket in tickets.iter_mut().chain(&mut newcomers) {
                    if self.ask(pop, ticket).inside {
                        many += 1;
                        // It is done there, and another visitor comes.
                        *ticket = None;
                    }
                }
            }
            println!("second {second}: {many}");
            inside.push(many);
        }
        inside
    }
}

fn pace(automatic: u64, quantity: u64) -> Pace {
    Pace {
        automatic,
        quantity,
    }
}

#[test]
fn native_four_data_centres_and_a_dead_store_keep_the_pace_together() {
    for (automatic, quantity) in [(1, 4), (60, 60), (60, 7)] {
        let seconds = 120;
        let inside = World::new(pace(automatic, quantity)).dies(seconds, true);
        let all: usize = inside.iter().sum();
        let allowed = |milliseconds: u64| {
            usize::try_from(milliseconds * quantity / (automatic * 1000)).unwrap()
        };
        let most = allowed(seconds * 1000) + POPS.len();
        assert!(
            all <= most,
            "{all} of {most} at {quantity} in {automatic} s"
        );
        let least = allowed(seconds * 1000 - BEGUN_MS).saturating_sub(POPS.len());
        assert!(
            all >= least,
            "{all}, {least} at {quantity} in {automatic} s"
        );
        assert_eq!(inside[..5], [0; 5], "the policy does not begin at once");
    }
}

#[test]
fn native_a_line_without_a_pace_lets_in_nobody_without_the_store() {
    let inside = World::new(pace(0, 5)).dies(120, true);
    assert_eq!(inside.iter().sum::<usize>(), 0);
}

#[test]
fn native_data_centres_that_know_no_sign_let_in_fewer() {
    let inside = World::new(pace(60, 60)).dies(120, false);
    let all: usize = inside.iter().sum();
    assert!((POPS.len()..=2 * POPS.len()).contains(&all), "{all}");
}

#[test]
fn native_the_sign_says_how_many_data_centres_renewed_it_lately() {
    let mut world = World::new(pace(0, 5));
    let pops = |world: &World| {
        let read = ["HGET", "queue:{main}", "pops"];
        world.store.command(&read).unwrap()
    };
    let mut tickets = vec![None; POPS.len()];
    for (pop, ticket) in tickets.iter_mut().enumerate() {
        world.ask(pop, ticket);
        // The draw brought a sign; when that is no longer fresh, a visitor renews it.
        world.wait(1_500);
        world.ask(pop, ticket);
        assert_eq!(pops(&world), (pop + 1).to_string());
    }
    world.wait(180_000);
    world.ask(0, &mut tickets[0]);
    assert_eq!(pops(&world), "1", "the others were silent");
}
