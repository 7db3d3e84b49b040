//! A thousand arrivals at once: every number is drawn once, whichever answers are lost on the way.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use now_serving::cache::SessionEnds;
use now_serving::cache::outbox::{Batch, Outbox};
use now_serving::cache::session::Renewed;
use now_serving::cache::{AddressLists, LastBoard, StoreAnswers, TicketMark, TicketMarks};
use now_serving::cache::{
    AttemptLock, BoardCache, CachedBoard, LoginFailures, LoginThrottle, Lookup, Marker, Markers,
    Pop,
};
use now_serving::http::Answer;
use now_serving::queue::Board;
use now_serving::queue::Now;
use now_serving::queue::Renewal;
use now_serving::request::Request;
use now_serving::service;
use upstash_local::Redis;
use upstash_local::{Fault, Faults, Store};

use crate::house::{Ask, Direct, Got, House, STORE_TOKEN, call, config};

const VISITORS: u64 = 1000;
const THREADS: u64 = 50;
/// Sooner than anybody is asked to come back, so that this takes less time.
const LATER: Duration = Duration::from_millis(100);
const TRIES: u64 = 600;

/// Each of 50 threads sends 20 visitors, who come again with their cookie until they have a number.
fn arrive(ask: &(dyn Fn(&Ask) -> Got + Sync)) -> Vec<u64> {
    let drawn = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..VISITORS / THREADS {
                    let number = insist(ask);
                    drawn.lock().unwrap().push(number);
                }
            });
        }
    });
    let mut drawn = drawn.into_inner().unwrap();
    drawn.sort_unstable();
    drawn
}

fn insist(ask: &(dyn Fn(&Ask) -> Got + Sync)) -> u64 {
    let mut ticket: Option<String> = None;
    for _ in 0..TRIES {
        let mut request = Ask::get("/").json();
        if let Some(ticket) = &ticket {
            request = request.with("cookie", format!("queue={ticket}"));
        }
        let got = ask(&request);
        ticket = got.ticket().or(ticket);
        if let Some(number) = got.json()["position"].as_u64() {
            return number;
        }
        std::thread::sleep(LATER);
    }
    panic!("no number after {TRIES} tries")
}

fn here(store: &Store) -> impl Fn(&Ask) -> Got + Sync {
    let (config, store, ids) = (config(), Direct(store.clone()), AtomicU64::new(0));
    move |ask| {
        let id = format!("{:032x}", ids.fetch_add(1, Ordering::SeqCst));
        let call = call(ask, id);
        let outcome = service::handle(
            &Request::new(
                &call,
                &config,
                &store,
                &Nowhere,
                Now::from_ms(1_800_000_000_000),
            ),
            &mut [].as_slice(),
        );
        match outcome.answer {
            Answer::Reply(reply) => Got::of(reply),
            Answer::Forward(_) => panic!("nobody is let in here"),
        }
    }
}

/// A data centre whose cache never answers: a crowd that draws does not need it.
struct Nowhere;

impl LastBoard for Nowhere {
    fn last_board(&self) -> Option<Board> {
        None
    }
}

impl Markers for Nowhere {
    fn marker(&self, _marker: Marker) -> Option<Vec<u8>> {
        None
    }
    fn put_marker(&self, _marker: Marker, _note: &[u8], _life: Duration) {}
    fn alone(&self, _marker: Marker, _work: &mut dyn FnMut()) {}
}

impl BoardCache for Nowhere {
    fn lookup(&self) -> Lookup {
        Lookup::Unavailable
    }

    fn peek(&self) -> Option<CachedBoard> {
        None
    }

    fn put(&self, _copy: &CachedBoard) {}

    fn remember(&self, _: &CachedBoard) {}

    fn last(&self) -> Option<CachedBoard> {
        None
    }
}

impl LoginThrottle for Nowhere {
    fn wrong(&self, _from: &str) -> Option<LoginFailures> {
        None
    }

    fn put_wrong(&self, _from: &str, _wrong: LoginFailures, _life: Duration) {}

    fn turn(&self, _from: &str) -> AttemptLock {
        AttemptLock::Unknown
    }
}

impl Outbox for Nowhere {
    fn batches(&self) -> Vec<Batch> {
        Vec::new()
    }

    fn acknowledge(&self, _batches: &[Batch]) {}
}

impl SessionEnds for Nowhere {
    fn session_end(&self, _id: &str) -> Option<u64> {
        None
    }

    fn renew_session(&self, _: &str, renewal: Renewal, _: &str, _: Duration) -> Renewed {
        Renewed {
            told: Some(renewal),
            place: 0,
        }
    }

    fn forget_session(&self, _id: &str) {}
}

impl TicketMarks for Nowhere {
    fn is_marked(&self, _: TicketMark, _: &str) -> bool {
        false
    }

    fn mark(&self, _: TicketMark, _: &str) {}
}

impl StoreAnswers for Nowhere {
    fn answer(&self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn keep_answer(&self, _: &str, _: &[u8]) {}
}

impl AddressLists for Nowhere {
    fn listed(&self, _list: &str, _address: std::net::IpAddr) -> now_serving::cache::Listed {
        now_serving::cache::Listed::Unknown
    }
}

impl Pop for Nowhere {
    fn pop(&self) -> String {
        String::new()
    }
}

fn everybody() -> Vec<u64> {
    (1..=VISITORS).collect()
}

mod redis {
    use super::*;

    #[test]
    fn a_thousand_arrivals_draw_1_to_1000() {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), STORE_TOKEN).unwrap();
        assert_eq!(arrive(&here(&store)), everybody());
    }

    #[test]
    fn a_thousand_arrivals_draw_1_to_1000_though_every_third_answer_is_lost() {
        let redis = Redis::start().unwrap();
        let store = Store::redis(redis.url(), STORE_TOKEN).unwrap();
        store.fail(Faults::every(3, Fault::DropAnswer));
        assert_eq!(arrive(&here(&store)), everybody());
        assert!(
            store.calls() > VISITORS * 4 / 3,
            "answers were lost: {} calls",
            store.calls()
        );
    }
}

mod platform {
    use super::*;

    #[test]
    fn a_thousand_arrivals_draw_1_to_1000_though_answers_are_lost() {
        let house = House::wasm();
        // Each of them holds the draws of the data centre back for some seconds.
        house.store.fail(Faults::every(250, Fault::DropAnswer));
        let wasm = house.wasm_side();
        assert_eq!(arrive(&|ask| wasm.ask(ask)), everybody());
    }
}
