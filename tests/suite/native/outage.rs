//! Four data centres and one dead store, with the policy `admit`: what they let in together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::config::{Config, OnStoreError};
use now_serving::operator::verbs::{Intent, Message};
use now_serving::queue::Actor;
use now_serving::queue::Pace;
use now_serving::queue::{AbsentVisitors, Now, RoomName};
use now_serving::request::Request;
use now_serving::service;
use now_serving::store::Line;
use upstash_local::{Fault, Faults, Store};

use crate::house::{Ask, Direct, Got, STORE_TOKEN, call, config, got, scattered, standing_pace};
use crate::inside::Dice;
use now_serving::cache::memory::{Behind, InMemoryCache};

const START_MS: u64 = 1_800_000_000_000;
const POPS: [&str; 4] = ["AMS", "FRA", "LHR", "SYD"];
/// How long the store has failed, by then at the latest, when the policy begins: it takes five seconds and three calls.
const BEGUN_MS: u64 = 15_000;

struct World {
    store: Store,
    config: Config,
    now_ms: Arc<AtomicU64>,
    pops: Vec<InMemoryCache>,
    /// How far their nodes are behind at most.
    most_behind_ms: u64,
    ids: u64,
}

impl World {
    fn new(pace: Pace) -> Self {
        let now_ms = Arc::new(AtomicU64::new(START_MS));
        let mut config = config();
        config.clock = Some(0);
        config.outage.policy = OnStoreError::Admit;
        config.rooms.first.pace = pace;
        let pop = |name: &&str| InMemoryCache::in_pop(name, Arc::clone(&now_ms));
        Self {
            store: Store::embedded(STORE_TOKEN).unwrap(),
            config,
            pops: POPS.iter().map(pop).collect(),
            now_ms,
            most_behind_ms: 0,
            ids: 0,
        }
    }

    fn set(&self, fields: &[&str]) {
        let command = [&["HSET", "queue:{main}"], fields].concat();
        self.store.command(&command).unwrap();
    }

    fn read(&self, fields: &[&str]) -> serde_json::Value {
        let command = [&["HMGET", "queue:{main}"], fields].concat();
        self.store.command(&command).unwrap()
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
        let (pop, now_ms) = (&self.pops[pop], self.now_ms.load(Ordering::SeqCst));
        pop.hands_out(Behind {
            copy_ms: 0,
            overwritten_ms: Dice(self.ids).between(0, self.most_behind_ms),
        });
        let call = call(&ask, id);
        let request = Request::new(&call, &self.config, &store, pop, Now::from_ms(now_ms));
        let outcome = service::handle(&request, &mut [].as_slice());
        service::afterwards(outcome.after, &request);
        let got = got(outcome.answer);
        *ticket = got.ticket().or(ticket.take());
        got
    }

    /// Every data centre has visitors who wait, and the store dies: how many go in, second by second.
    fn dies(&mut self, seconds: u64, knows_pops: bool) -> Vec<usize> {
        // The line is long, and it is no visitor's turn.
        let long = ["main length", "1000", "main cursor", "10"];
        harness::kept::write(&self.store, "queue:{main}", &long).unwrap();
        let pace = self.config.rooms.first.pace;
        if pace.automatic > 0 {
            let pace = standing_pace(pace.automatic, pace.quantity, START_MS);
            self.config.rooms.first.pace = Pace {
                automatic: pace.automatic,
                quantity: pace.quantity,
            };
            self.set(&["period", &pace.period.to_string(), "left", "0"]);
        }
        let mut waiting: Vec<Vec<Option<String>>> = vec![vec![None; 30]; POPS.len()];
        for (pop, tickets) in waiting.iter_mut().enumerate() {
            for ticket in tickets {
                assert!(!self.ask(pop, ticket).inside);
            }
        }
        // All have renewed the board, so each knows how many they are.
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
fn four_data_centres_and_a_dead_store_keep_the_pace_together() {
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

/// The note of the visitor who went in last is one of the objects that a node should not hand out.
#[test]
fn nodes_that_are_behind_let_in_no_more_than_the_pace() {
    for (automatic, quantity) in [(1, 4), (5, 10), (60, 60)] {
        let mut world = World::new(pace(automatic, quantity));
        world.most_behind_ms = 5_000;
        let all: usize = world.dies(120, true).iter().sum();
        let most = usize::try_from(120 * quantity / automatic).unwrap() + POPS.len();
        assert!((most / 2..=most).contains(&all), "{all} of {most}");
    }
}

#[test]
fn a_line_without_a_pace_lets_in_nobody_without_the_store() {
    let inside = World::new(pace(0, 5)).dies(120, true);
    assert_eq!(inside.iter().sum::<usize>(), 0);
}

#[test]
fn data_centres_that_know_no_sign_let_in_fewer() {
    let inside = World::new(pace(60, 60)).dies(120, false);
    let all: usize = inside.iter().sum();
    assert!((POPS.len()..=2 * POPS.len()).contains(&all), "{all}");
}

#[test]
fn the_sign_says_how_many_data_centres_renewed_it_lately() {
    let mut world = World::new(pace(0, 5));
    let pops = |world: &World| {
        let read = ["HGET", "queue:{main}", "pops"];
        world.store.command(&read).unwrap()
    };
    let mut tickets = vec![None; POPS.len()];
    for (pop, ticket) in tickets.iter_mut().enumerate() {
        world.ask(pop, ticket);
        // The draw brought a board; when that is no longer fresh, a visitor renews it.
        world.wait(1_500);
        world.ask(pop, ticket);
        assert_eq!(pops(&world), (pop + 1).to_string());
    }
    world.wait(180_000);
    world.ask(0, &mut tickets[0]);
    assert_eq!(pops(&world), "1", "the others were silent");
}

/// A data centre where nobody asked for a while has not heard that the room was closed.
#[test]
fn an_open_sign_that_is_old_lets_nobody_in_after_one_failed_call() {
    for mode in ["hold", "closed"] {
        let mut world = World::new(pace(0, 5));
        world.config.outage.policy = OnStoreError::Hold;
        world.set(&["mode", "open", "version", "1"]);
        assert!(world.ask(0, &mut None).inside);
        world.wait(50 * 60_000);
        world.set(&["mode", mode, "version", "2"]);
        assert!(!world.ask(1, &mut None).inside);
        world.store.fail(Faults::always(Fault::Refuse));
        let many = (0..20).filter(|_| world.ask(0, &mut None).inside);
        assert_eq!(many.count(), 0, "{mode}");
    }
}

#[test]
fn an_odd_value_among_the_data_centres_costs_no_poll() {
    let mut world = World::new(pace(0, 5));
    let mut visitor = None;
    world.ask(0, &mut visitor);
    let odd = ["HSET", "queue:{main}:pops", "OLD", "abc"];
    world.store.command(&odd).unwrap();
    world.wait(65_000);
    assert_eq!(
        world.ask(0, &mut visitor).json()["old"],
        serde_json::Value::Null
    );
}

#[test]
fn a_configured_pace_is_not_taken_for_an_operators_after_a_loss() {
    let mut world = World::new(pace(15, 5));
    let mut visitor = None;
    world.ask(0, &mut visitor);
    world.set(&["message", "hello", "message_at", "1", "version", "1"]);
    world.wait(2_000);
    world.ask(0, &mut visitor);
    world.ask(0, &mut None);
    world.wait(600_000);
    world.config.rooms.first.pace = pace(15, 50);
    world.store.command(&["DEL", "queue:{main}"]).unwrap();
    let mut newcomer = None;
    world.ask(0, &mut newcomer);
    world.ask(0, &mut newcomer);
    let kept = world.read(&["live_quantity", "message"]);
    assert_eq!(kept, serde_json::json!([null, "hello"]));
}

/// Another data centre has used up what this one still believes to be there.
#[test]
fn credit_that_was_used_does_not_come_back_with_an_older_sign() {
    let mut world = World::new(pace(0, 5));
    let born = (START_MS - 1_000_000).to_string();
    world.set(&[&["credit", "100"], &harness::kept::begun(&born)[..]].concat());
    assert!(world.ask(1, &mut None).inside);
    world.wait(600_000);
    for _ in 0..99 {
        assert!(world.ask(0, &mut None).inside);
    }
    let mut waiting: Vec<Option<String>> = vec![None; 50];
    for _ in 0..3 {
        for ticket in &mut waiting {
            assert!(!world.ask(0, ticket).inside);
        }
        world.wait(2_000);
    }
    world.store.command(&["DEL", "queue:{main}"]).unwrap();
    world.wait(1_000);
    world.ask(1, &mut None);
    for _ in 0..15 {
        world.wait(2_000);
        for ticket in &mut waiting {
            assert!(!world.ask(0, ticket).inside, "{}", world.read(&["credit"]));
        }
    }
}

#[test]
fn a_message_set_after_a_loss_leaves_the_hold_to_come_back() {
    let mut world = World::new(pace(1, 5));
    world.set(&["mode", "hold", "mode_at", "3", "version", "3"]);
    let mut waiting: Vec<Option<String>> = vec![None; 10];
    for _ in 0..3 {
        for ticket in &mut waiting {
            assert!(!world.ask(0, ticket).inside);
        }
        world.wait(2_000);
    }
    world.store.command(&["DEL", "queue:{main}"]).unwrap();
    world.wait(1_000);
    // The operator's data centre knows no board.
    let room = RoomName::new("main");
    let store = Direct(world.store.clone());
    let line = Line {
        pace: world.config.rooms.first.pace,
        absent_visitors: AbsentVisitors::Observe,
        lifetime: 100_000,
        ..tables::line(
            &store,
            &room,
            Now::from_ms(world.now_ms.load(Ordering::SeqCst)),
        )
    };
    let author = Actor {
        name: "admin",
        address: "",
        audited: true,
        seen: None,
        once: None,
    };
    let message = Message(Some("We are sorry.".to_owned()));
    line.change(message.change(), &author).unwrap();
    for _ in 0..15 {
        for ticket in &mut waiting {
            assert!(!world.ask(0, ticket).inside);
        }
        world.wait(2_000);
    }
    let kept = world.read(&["mode", "message"]);
    assert_eq!(kept, serde_json::json!(["hold", "We are sorry."]));
}
