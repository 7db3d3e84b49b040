//! The metrics equal what a client counted that saw every answer: exactly, whatever becomes of the store's answers.
#![expect(clippy::float_cmp, reason = "counts are whole numbers")]

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use upstash_local::{Fault, Faults};

use crate::connection::Connection;
use crate::house::{Ask, Got, House, PERMIT_TOKEN};

const THREADS: usize = 6;
const ROUNDS: usize = 25;
/// One call in this many of the second half fails.
const EVERY: u64 = 5;

pub(crate) fn scrape() -> Ask {
    Ask::get("/_queue/metrics").with("authorization", format!("Bearer {PERMIT_TOKEN}"))
}

/// The numbers of a scrape, by name and labels.
pub(crate) fn numbers(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pairs = lines.map(|line| line.rsplit_once(' ').unwrap());
    pairs
        .map(|(name, number)| (name.to_owned(), number.parse().unwrap()))
        .collect()
}

fn series(name: &str) -> String {
    format!("now_serving_{name}{{room=\"main\"}}")
}

/// Somebody who keeps a list.
#[derive(Default)]
struct Client {
    /// Answers by reason.
    seen: BTreeMap<String, u64>,
}

impl Client {
    fn count(&mut self, reason: &str) {
        *self.seen.entry(reason.to_owned()).or_default() += 1;
    }

    /// A visitor's answer tells why it is that one.
    fn visit(&mut self, got: &Got) {
        self.count(match (got.inside, got.ticket()) {
            (true, Some(_)) => "admitted",
            (true, None) => "inside",
            _ if got.is_provisional() => "provisional",
            (false, _) if got.json()["ahead"].is_u64() => "waiting",
            (false, _) => "held",
        });
    }

    /// An answer to an operator or a program, good or not for want of a store.
    fn operate(&mut self, reason: &str, got: &Got) {
        let is_good = got.status == 200;
        assert!(is_good || got.status == 503, "{got:?}");
        self.count(if is_good { reason } else { "store_trouble" });
    }

    fn merge(&mut self, other: &Self) {
        for (reason, number) in &other.seen {
            *self.seen.entry(reason.clone()).or_default() += number;
        }
    }

    /// A round of everything: a draw, looks, what skips the room, no credentials, a reader, and visitors who go in.
    fn round(&mut self, ask: &mut dyn FnMut(&Ask) -> Got) {
        let first = ask(&Ask::get("/echo").json());
        self.visit(&first);
        let ticket = first.ticket().unwrap();
        let mut cookie = format!("queue={ticket}");
        for _ in 0..3 {
            let got = ask(&Ask::get("/echo").json().with("cookie", &cookie));
            self.visit(&got);
            if let Some(ticket) = got.ticket() {
                cookie = format!("queue={ticket}");
            }
        }
        assert!(ask(&Ask::get("/robots.txt")).inside);
        self.count("bypass");
        // Without credentials, since wrong ones would be slowed.
        assert_eq!(ask(&Ask::get("/_queue/")).status, 401);
        self.count("unauthorized");
        assert_eq!(ask(&Ask::get("/_queue/nothing")).status, 404);
        self.count("not_found");
        let status = ask(&Ask::get("/_queue/status").operator());
        self.operate("status", &status);
    }

    /// Scrapes until all that was seen is counted: the outboxes are emptied by the next look, and a sandbox that waits for
    /// more to do puts by what it has counted after 15 s. The last scrape.
    fn find_all(&mut self, house: &House) -> BTreeMap<String, f64> {
        let mut told = BTreeMap::new();
        for _ in 0..120 {
            // The call of the scrape itself is not over when it is answered.
            let calls = house.store.calls();
            let got = house.ask(&scrape());
            if got.status == 200 {
                told = numbers(&got.body);
                if self.is_all(&told) && told[&series("store_calls_total")] == exact(calls) {
                    return told;
                }
            }
            self.operate("metrics", &got);
            house.wait(Duration::from_millis(500));
        }
        panic!("after a minute: {:?}\n{told:#?}", self.seen)
    }

    fn is_all(&self, told: &BTreeMap<String, f64>) -> bool {
        let mut decisions = told.iter().filter_map(|(name, number)| {
            let reason =
                name.strip_prefix("now_serving_decisions_total{room=\"main\",reason=\"")?;
            Some((reason.trim_end_matches("\"}"), *number))
        });
        let expected = |reason: &str| self.seen.get(reason).copied().unwrap_or(0);
        decisions.all(|(reason, number)| number == exact(expected(reason)))
    }
}

/// A count as Prometheus has it.
pub(crate) fn exact(number: u64) -> f64 {
    f64::from(u32::try_from(number).unwrap())
}

/// Lets some in, and some more than there are.
fn permit(client: &mut Client, house: &House, amount: u64) {
    let got = house.ask(&Ask::permit(amount));
    client.operate("permit", &got);
}

/// What the line itself knows is shown as it is there.
fn agrees_with_the_line(house: &House, client: &Client, told: &BTreeMap<String, f64>) {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let known = |name: &str| status[name].as_f64().unwrap();
    for (metric, number) in [
        ("drawn_total", known("length")),
        ("released_total", known("cursor")),
        ("waiting", known("waiting")),
        ("cursor", known("cursor")),
        ("last_number", known("length")),
        ("credit", known("credit")),
        ("epoch", 1.0),
        ("admitted_total", exact(client.seen["admitted"])),
    ] {
        assert_eq!(told[&series(metric)], number, "{metric}");
    }
    let duration = series("store_call_duration_seconds_count");
    assert_eq!(told[&duration], told[&series("store_calls_total")]);
    assert!(told[&series("store_call_duration_seconds_sum")] > 0.0);
}

/// Each fault is one error; on a machine that is late some of them come as no answer at all, or others do besides.
fn errors_are(told: &BTreeMap<String, f64>, faults: u64) {
    let of = |kind: &str| {
        told[&format!("now_serving_store_errors_total{{room=\"main\",kind=\"{kind}\"}}")]
    };
    let (status, late, faults) = (of("status"), of("no_answer"), exact(faults));
    println!("{faults} faults: {status} told as such, {late} late");
    assert!(status <= faults && faults <= status + late);
    assert!(status > 0.0);
    for kind in ["unauthorized", "over_quota", "rejected", "garbled"] {
        assert_eq!(of(kind), 0.0, "{kind}");
    }
}

fn faults_of(house: &House, story: impl FnOnce()) -> u64 {
    house.store.fail(Faults::every(EVERY, Fault::ServerError));
    let calls = house.calls(|| {
        story();
        // What is looked up after an answer fails or not by the same count.
        thread::sleep(Duration::from_millis(300));
        house.store.fail(Faults::none());
    });
    calls / EVERY
}

/// From several threads at once, each on connections of its own.
fn crowd(edge: SocketAddr) -> Client {
    let one = || {
        let mut client = Client::default();
        let mut connection = Connection::open(edge);
        for _ in 0..ROUNDS {
            client.round(&mut |ask| connection.ask(ask));
        }
        client
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(one)).collect();
        let mut all = Client::default();
        for thread in threads {
            all.merge(&thread.join().unwrap());
        }
        all
    })
}

/// The store counts, and nobody hears of it.
const UNHEARD: [Fault; 4] = [
    Fault::DropAnswer,
    Fault::BrokenJson,
    Fault::WrongType,
    Fault::Delay(Duration::from_secs(20)),
];

fn a_lost_answer_neither_loses_nor_doubles(house: &House) {
    let mut client = Client::default();
    client.round(&mut |ask| house.ask(ask));
    permit(&mut client, house, 1);
    client.find_all(house);
    client.count("metrics");
    for fault in UNHEARD {
        for _ in 0..3 {
            assert!(house.ask(&Ask::get("/robots.txt")).inside);
            client.count("bypass");
        }
        house.store.fail(Faults::always(fault));
        for _ in 0..3 {
            assert_eq!(house.ask(&scrape()).status, 503, "{fault:?}");
            client.count("store_trouble");
        }
        house.store.fail(Faults::none());
        client.find_all(house);
        client.count("metrics");
    }
    let sums = ["HGET", "queue:{main}:counts", "decided_bypass"];
    let sum = house.store.command(&sums).unwrap();
    assert_eq!(sum, client.seen["bypass"].to_string());
}

mod native {
    use super::*;

    #[test]
    fn counters_equal_what_a_client_counted() {
        let house = House::native();
        let mut client = Client::default();
        let rounds = |client: &mut Client| {
            for number in 0..ROUNDS {
                client.round(&mut |ask| house.ask(ask));
                house.wait(Duration::from_millis(400));
                if number % 5 == 0 {
                    permit(client, &house, 3);
                }
            }
        };
        rounds(&mut client);
        let faults = faults_of(&house, || rounds(&mut client));
        let told = client.find_all(&house);
        agrees_with_the_line(&house, &client, &told);
        errors_are(&told, faults);
    }

    #[test]
    fn a_lost_answer_neither_loses_nor_doubles_a_count() {
        a_lost_answer_neither_loses_nor_doubles(&House::native());
    }

    /// What a data centre counts reaches the store with the look that renews the board, without a scrape and without a call.
    #[test]
    fn counts_go_along_with_the_look_that_renews_the_sign() {
        let house = House::native();
        house.warm();
        let ticket = house.ask(&Ask::get("/").json()).ticket().unwrap();
        let look = || {
            house.ask(
                &Ask::get("/")
                    .json()
                    .with("cookie", format!("queue={ticket}")),
            )
        };
        look();
        house.wait(Duration::from_millis(1500));
        let calls = house.calls(|| drop(look()));
        assert_eq!(calls, 1, "the renewal");
        let sums = ["HGET", "queue:{main}:counts", "decided_waiting"];
        assert_ne!(house.store.command(&sums).unwrap(), serde_json::Value::Null);
    }

    const MINUTE: u64 = 60;

    /// How many calls two data centres make in a minute in which visitors wait there, where this many sandboxes answer each second, and
    /// what the store has counted with them. Each request here has a sandbox of its own.
    fn calls_of_a_minute(sandboxes: u64) -> (u64, u64) {
        let house = House::native();
        house.warm();
        let pops = ["north", "south"];
        let looks = pops.map(|pop| {
            house.go_to_pop_called(pop);
            let first = house.ask(&Ask::get("/").json()).ticket().unwrap();
            let ask = |ticket: &str| {
                Ask::get("/")
                    .json()
                    .with("cookie", format!("queue={ticket}"))
            };
            // Where others wait the number is drawn by the second contact.
            let second = house.ask(&ask(&first)).ticket();
            ask(&second.unwrap_or(first))
        });
        let calls = house.calls(|| {
            for _ in 0..MINUTE {
                house.wait(Duration::from_millis(1001));
                for (pop, look) in pops.into_iter().zip(&looks) {
                    house.go_to_pop_called(pop);
                    for _ in 0..sandboxes {
                        assert!(house.ask(look).json()["position"].is_u64());
                    }
                }
            }
        });
        let sums = ["HGET", "queue:{main}:counts", "decided_waiting"];
        let counted = house.store.command(&sums).unwrap();
        (calls, counted.as_str().unwrap().parse().unwrap())
    }

    /// Sandboxes count, their data centre collects, and one call a second brings it all: what the store has to write does not grow with
    /// the number of sandboxes.
    #[test]
    fn a_data_centre_makes_one_call_a_second_however_many_sandboxes_count_there() {
        let mut calls = Vec::new();
        for sandboxes in [1, 3, 50] {
            let (called, counted) = calls_of_a_minute(sandboxes);
            calls.push(called);
            // All but what was counted since the last call is there.
            let all = 2 * MINUTE * sandboxes;
            let since = 2 * sandboxes;
            assert!(
                (all - since..=all + 2).contains(&counted),
                "{counted} of {all}"
            );
        }
        assert_eq!(calls, [2 * MINUTE; 3]);
    }

    #[test]
    fn a_scrape_is_one_call_for_operator_and_program_and_nobody_else() {
        let house = House::native();
        house.ask(&scrape());
        for ask in [scrape(), Ask::get("/_queue/metrics").operator()] {
            let mut got = None;
            assert_eq!(house.calls(|| got = Some(house.ask(&ask))), 1);
            let got = got.unwrap();
            let kind = "text/plain; version=0.0.4; charset=utf-8";
            assert_eq!((got.status, got.header("content-type")), (200, kind));
            assert_eq!(got.header("cache-control"), "private, no-store");
        }
        let calls = house.calls(|| {
            let got = house.ask(&Ask::get("/_queue/metrics"));
            assert_eq!(got.status, 401);
            assert_eq!(house.ask(&scrape().method("POST")).status, 405);
        });
        assert_eq!(calls, 0);
        assert_eq!(house.ask(&scrape().method("HEAD")).body, "");
    }
}

mod redis {
    use super::*;

    #[test]
    fn a_lost_answer_neither_loses_nor_doubles_a_count() {
        a_lost_answer_neither_loses_nor_doubles(&House::redis());
    }
}

mod platform {
    use super::*;

    #[test]
    fn counters_equal_what_a_client_counted() {
        let house = House::wasm();
        let edge = house.wasm_side().edge.addr();
        let mut client = Client::default();
        permit(&mut client, &house, 20);
        client.merge(&crowd(edge));
        permit(&mut client, &house, 50);
        let faults = faults_of(&house, || client.merge(&crowd(edge)));
        let told = client.find_all(&house);
        agrees_with_the_line(&house, &client, &told);
        errors_are(&told, faults);
    }

    #[test]
    fn a_lost_answer_neither_loses_nor_doubles_a_count() {
        a_lost_answer_neither_loses_nor_doubles(&House::wasm_with_the_deadline());
    }
}
