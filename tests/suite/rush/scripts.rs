//! The same with the whole service and the real scripts, a hundredth of it, in virtual time.
//!
//! A call takes no virtual time here, so the edge knows at once that an answer will be late; the model knows it later.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::config::Config;
use now_serving::queue::Now;
use now_serving::request::Request;
use now_serving::service;
use upstash_local::{Clock, Rate, Store};

use super::WITHIN_MS;
use crate::house::{Ask, Direct, Got, STORE_TOKEN, call, config, got, scattered};
use now_serving::cache::memory::InMemoryCache;

const START_MS: u64 = 1_800_000_000_000;
const ARRIVING_MS: u64 = 10_000;
const POPS: usize = 5;
/// A hundredth of the 10 000 commands a second that one database takes.
const RATE: u32 = 100;
/// One request in this many is a browser's.
const PAGES: u64 = 10;

struct Rush {
    store: Store,
    config: Config,
    now_ms: Arc<AtomicU64>,
    pops: Vec<InMemoryCache>,
    ids: u64,
}

impl Rush {
    fn new() -> Self {
        let now_ms = Arc::new(AtomicU64::new(START_MS));
        let store = Store::embedded(STORE_TOKEN).unwrap();
        store.limit(Some(Rate {
            commands: RATE,
            clock: Clock::Advanced,
        }));
        Self {
            store,
            config: Config {
                clock: Some(0),
                ..config()
            },
            pops: (0..POPS)
                .map(|_| InMemoryCache::new(Arc::clone(&now_ms)))
                .collect(),
            now_ms,
            ids: 0,
        }
    }

    fn wait_until(&self, then_ms: u64) {
        let now_ms = self.now_ms.swap(then_ms, Ordering::SeqCst);
        self.store.advance(Duration::from_millis(then_ms - now_ms));
    }

    fn ask(&mut self, ask: &Ask, visitor: usize) -> Got {
        self.ids += 1;
        let id = format!("{:032x}", scattered(self.ids));
        let store = Direct(self.store.clone());
        let (pop, now_ms) = (
            &self.pops[visitor % POPS],
            self.now_ms.load(Ordering::SeqCst),
        );
        let body = &mut ask.body.as_slice();
        let call = call(ask, id);
        let request = Request::new(&call, &self.config, &store, pop, Now::from_ms(now_ms));
        let outcome = service::handle(&request, body);
        service::afterwards(outcome.after, &request);
        got(outcome.answer)
    }

    /// One visit of a visitor: the number, or in how many milliseconds to come back.
    fn visit(&mut self, visitor: usize, ticket: &mut Option<String>) -> Result<u64, u64> {
        let cookie = ticket.as_ref().map(|ticket| format!("queue={ticket}"));
        let with_cookie = |ask: Ask| match &cookie {
            Some(cookie) => ask.with("cookie", cookie),
            None => ask,
        };
        let is_page = self.ids.is_multiple_of(PAGES);
        let got = if is_page {
            self.ask(&with_cookie(Ask::get("/")), visitor)
        } else {
            self.ask(&with_cookie(Ask::get("/").json()), visitor)
        };
        *ticket = got.ticket().or(ticket.take());
        let number = crate::house::claims(ticket.as_ref().unwrap())["pos"].as_u64();
        if is_page {
            says_nothing_untrue(&got, number);
        } else {
            assert_eq!(got.json()["position"].as_u64(), number, "{got:?}");
        }
        let seconds: u64 = got.header("retry-after").parse().unwrap();
        number.ok_or(seconds * 1000)
    }
}

fn says_nothing_untrue(got: &Got, number: Option<u64>) {
    let has_place = got.body.contains("place is kept") || got.body.contains("You’re in line");
    assert_eq!(has_place, number.is_some(), "{got:?}");
}

fn everybody_has_one_number(per_second: u64) {
    let mut rush = Rush::new();
    let visitors = per_second * ARRIVING_MS / 1000;
    let mut tickets = vec![None; usize::try_from(visitors).unwrap()];
    let mut coming = BTreeMap::<u64, Vec<usize>>::new();
    for number in 0..visitors {
        let at_ms = START_MS + number * ARRIVING_MS / visitors;
        let visitor = usize::try_from(number).unwrap();
        coming.entry(at_ms).or_default().push(visitor);
    }
    let mut numbers = Vec::new();
    while let Some((at_ms, together)) = coming.pop_first() {
        assert!(
            at_ms < START_MS + ARRIVING_MS + WITHIN_MS,
            "{} of {visitors} have a number",
            numbers.len()
        );
        rush.wait_until(at_ms);
        for visitor in together {
            match rush.visit(visitor, &mut tickets[visitor]) {
                Ok(number) => numbers.push(number),
                Err(later_ms) => coming.entry(at_ms + later_ms).or_default().push(visitor),
            }
        }
    }
    numbers.sort_unstable();
    let took = rush.now_ms.load(Ordering::SeqCst) - START_MS - ARRIVING_MS;
    println!(
        "{per_second} a second: all after {took} ms, {} visits",
        rush.ids
    );
    assert_eq!(numbers, (1..=visitors).collect::<Vec<u64>>());
    let (_, drawn) = harness::kept::numbers(&rush.store, "queue:{main}", "main").unwrap();
    assert_eq!(drawn, visitors, "one number for each");
}

mod native {
    #[test]
    fn the_scripts_give_everybody_one_number_after_a_rush_of_twelve_thousand() {
        super::everybody_has_one_number(120);
    }
}

mod simulated {
    #[test]
    fn the_scripts_give_everybody_one_number_after_a_rush_of_twenty_thousand() {
        super::everybody_has_one_number(200);
    }
}

mod long {
    #[test]
    fn the_scripts_give_everybody_one_number_after_a_rush_of_fifty_thousand() {
        super::everybody_has_one_number(500);
    }
}
