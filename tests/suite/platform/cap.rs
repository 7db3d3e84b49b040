//! A cap under crowds: two data centres that know of each other's sessions by the store alone, and parallel requests in one.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::house::{Ask, Got, House, Visitor, Wasm, claims};

const SLOTS: u64 = 50;
const THREADS: usize = 40;
const CLIENTS_PER_THREAD: usize = 5;
/// Between two requests of a client.
const PAUSE: Duration = Duration::from_millis(700);
/// A slot is kept for ten seconds, and three of ten called visitors do not come: after four rounds nearly all are used.
const TIME: Duration = Duration::from_secs(40);
/// A crowd that has not come to an end by then never will.
const LONGEST: Duration = Duration::from_mins(5);
/// Latecomers are away for so long.
const LATE: Duration = Duration::from_secs(25);

/// How many sessions there are, and how many slots are promised, as of the last verb.
fn counted(house: &House) -> (u64, u64) {
    let fields = ["HMGET", &house.key(""), "ring", "promises"];
    let told = house.store.command(&fields).unwrap();
    let minute = house.now_ms() / 60_000;
    let cells = |field: usize| {
        let text = told[field].as_str().unwrap_or_default().to_owned();
        let cell = |cell: &str| {
            let mut numbers = cell.split(':').map(|number| number.parse::<i64>().unwrap());
            (numbers.next().unwrap(), numbers.next().unwrap())
        };
        text.split_whitespace().map(cell).collect::<Vec<_>>()
    };
    let living = cells(0)
        .into_iter()
        .filter(|(end, _)| end.unsigned_abs() >= minute);
    let promised = cells(1).into_iter();
    (
        living.map(|(_, many)| many).sum::<i64>().unsigned_abs(),
        promised.map(|(_, many)| many.unsigned_abs()).sum(),
    )
}

/// Ours carry a header by which they can be told from the origin's: many clients share that origin.
fn is_inside(got: &Got) -> bool {
    got.status == 200 && got.header("x-content-type-options").is_empty()
}

/// How a client behaves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Client {
    Steady,
    /// Draws, and never comes back.
    Absent,
    /// Draws, and comes back when the slot has been given to another visitor.
    Late,
    /// Sends each request twice, as a second tab with the same ticket does.
    Doubled,
}

impl Client {
    fn of(number: usize) -> Self {
        match number % 10 {
            0..=2 => Self::Absent,
            3 => Self::Late,
            4 => Self::Doubled,
            _ => Self::Steady,
        }
    }
}

struct Browser<'a> {
    edge: &'a Wasm,
    client: Client,
    ticket: Option<String>,
    was_inside: bool,
}

impl Browser<'_> {
    fn ask(&mut self) {
        let mut ask = Ask::get("/echo").json();
        if let Some(ticket) = &self.ticket {
            ask = ask.with("cookie", format!("queue={ticket}"));
        }
        let got = self.edge.ask(&ask);
        let again = (self.client == Client::Doubled).then(|| self.edge.ask(&ask));
        assert!([200, 503].contains(&got.status), "{got:?}");
        self.ticket = got.ticket().or(self.ticket.take());
        let is_inside = is_inside(&got) || again.as_ref().is_some_and(is_inside);
        assert!(is_inside || !self.was_inside, "no session ends: {got:?}");
        self.was_inside = is_inside;
    }

    fn comes(&self, since: Duration) -> bool {
        match self.client {
            Client::Absent => false,
            Client::Late => since > LATE,
            Client::Steady | Client::Doubled => true,
        }
    }

    fn id(&self) -> String {
        claims(self.ticket.as_deref().unwrap())["sub"].to_string()
    }
}

#[test]
fn no_crowd_of_two_data_centres_passes_the_cap_and_nearly_every_slot_is_used() {
    let here = House::wasm_shared();
    here.set("total_active", &SLOTS.to_string());
    here.set("claim_seconds", "10");
    here.set("session_minutes", "3");
    here.warm();
    let there = here.in_another_data_centre(harness::edge::wasm().unwrap());
    for (key, value) in [("total_active", "50"), ("claim_seconds", "10")] {
        there.set(key, value);
    }
    there.set("session_minutes", "3");
    let edges = [here.wasm_side(), there.wasm_side()];
    let (opened, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let (drawn, inside) = (AtomicU64::new(0), Mutex::new(BTreeSet::new()));
    let began = Mutex::new(Instant::now());
    let end = Instant::now() + LONGEST;
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (edge, drawn, inside) = (edges[thread % 2], &drawn, &inside);
            let (opened, is_over, began) = (&opened, &is_over, &began);
            scope.spawn(move || {
                let client = |number| Browser {
                    edge,
                    // The first clients of all threads draw first: so there are some of each kind among them.
                    client: Client::of(thread + 3 * number),
                    ticket: None,
                    was_inside: false,
                };
                let mut browsers: Vec<_> = (0..CLIENTS_PER_THREAD).map(client).collect();
                for browser in &mut browsers {
                    for _ in 0..20 {
                        browser.ask();
                        let ticket = browser.ticket.as_deref();
                        if ticket.is_some_and(|ticket| claims(ticket)["pos"].is_u64()) {
                            drawn.fetch_add(1, Ordering::SeqCst);
                            break;
                        }
                        thread::sleep(PAUSE);
                    }
                }
                let is_over = || is_over.load(Ordering::SeqCst) || Instant::now() > end;
                while !opened.load(Ordering::SeqCst) && !is_over() {
                    thread::sleep(PAUSE / 10);
                }
                while !is_over() {
                    let since = began.lock().unwrap().elapsed();
                    for browser in &mut browsers {
                        if browser.comes(since) {
                            browser.ask();
                        }
                        thread::sleep(PAUSE / u32::try_from(CLIENTS_PER_THREAD).unwrap());
                    }
                }
                let there = browsers.iter().filter(|browser| browser.was_inside);
                inside.lock().unwrap().extend(there.map(Browser::id));
            });
        }
        let crowd = u64::try_from(THREADS * CLIENTS_PER_THREAD).unwrap();
        while drawn.load(Ordering::SeqCst) < crowd {
            assert!(Instant::now() < end, "not all of them have drawn");
            thread::sleep(PAUSE);
        }
        here.permit(crowd);
        *began.lock().unwrap() = Instant::now();
        opened.store(true, Ordering::SeqCst);
        let (began, mut use_of_slots) = (Instant::now(), Vec::new());
        while began.elapsed() < TIME {
            let (sessions, promised) = counted(&here);
            assert!(
                sessions + promised <= SLOTS,
                "{sessions} sessions and {promised} promises"
            );
            use_of_slots.push(sessions);
            thread::sleep(Duration::from_millis(50));
        }
        is_over.store(true, Ordering::SeqCst);
        println!("{:?}", use_of_slots.iter().step_by(40).collect::<Vec<_>>());
    });
    let (sessions, _) = counted(&here);
    assert!(sessions >= SLOTS * 9 / 10, "{sessions} of {SLOTS} are used");
    let inside = inside.into_inner().unwrap().len();
    assert_eq!(
        u64::try_from(inside).unwrap(),
        sessions,
        "one for each visitor"
    );
}

fn ring(house: &House) -> String {
    let told = house.store.command(&["HGET", &house.key(""), "ring"]);
    told.unwrap().as_str().unwrap_or_default().to_owned()
}

/// Whether one session stands in one minute, and no minute owes any.
fn has_one_session(ring: &str) -> bool {
    ring.ends_with(":1") && !ring.contains(' ')
}

/// A client that keeps its first ticket sends twenty requests at a time with it.
#[test]
fn parallel_requests_with_one_ticket_tell_one_move() {
    let house = House::wasm_shared();
    house.set("total_active", "10");
    house.warm();
    let mut visitor = Visitor::new(&house);
    visitor.ask("/");
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    let edge = house.wasm_side();
    let ask = Ask::get("/echo").json();
    let ask = ask.with(
        "cookie",
        format!("queue={}", visitor.ticket.as_ref().unwrap()),
    );
    for minute in 0..3 {
        let before = ring(&house);
        house.wait(Duration::from_mins(1));
        thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| assert!(is_inside(&edge.ask(&ask)), "{minute}"));
            }
        });
        // Of four outboxes each refresh empties one, and another minute can begin while this waits. So the store may learn
        // the moves of two minutes in another order: this waits until the ring is whole again.
        let is_told = (0..60).any(|_| {
            house.wait(Duration::from_secs(1));
            assert!(is_inside(&edge.ask(&ask)));
            let ring = ring(&house);
            ring != before && has_one_session(&ring)
        });
        assert!(is_told, "{minute}: {before}, then {}", ring(&house));
    }
    for _ in 0..10 {
        house.wait(Duration::from_secs(1));
        edge.ask(&ask);
        assert_eq!(counted(&house), (1, 0), "no part of the move comes late");
    }
    // Nor does all of it a second time, which would leave a debt.
    let is_whole = (0..60).any(|_| {
        house.wait(Duration::from_secs(1));
        edge.ask(&ask);
        has_one_session(&ring(&house))
    });
    assert!(is_whole, "{}", ring(&house));
}
