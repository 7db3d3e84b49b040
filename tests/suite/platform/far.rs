//! A store far away that does not know the script, as after a restart: the first call is answered `NOSCRIPT`, and the second one sends
//! the script in full, which a new connection takes three flights for.
//!
//! How long a call may take is a property of the backend, and the same for both. On a quiet machine that is enough up to 160 ms. Where it
//! is not, but the script has left by then, the store learns it all the same.

use std::thread;
use std::time::{Duration, Instant};

use harness::edge::{Edge, EdgeOptions};
use harness::link::{Distance, Link};
use harness::origin::Origin;
use upstash_local::{DEADLINE, Server, Store};

use super::limits::secrets;
use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, Got, STORE_TOKEN};

/// TCP and TLS 1.3.
const TO_CONNECT: u32 = 2;
/// A data centre whose draw failed makes none for a while, at most this often.
const TRIES: u64 = 20;

/// One store that has forgotten the script, and two data centres.
struct World {
    store: Store,
    link: Link,
    /// A data centre on that link.
    far: Edge,
    server: Server,
    origin: Origin,
}

impl World {
    fn new(milliseconds: u64) -> Self {
        let store = Store::embedded(STORE_TOKEN).unwrap();
        let server = Server::start(store.clone(), ANY_PORT).unwrap();
        let origin = Origin::start(ANY_PORT).unwrap();
        let round_trip = Duration::from_millis(milliseconds);
        let distance = Distance {
            round_trip,
            to_connect: TO_CONNECT,
        };
        let address = server.url().replace("http://", "").parse().unwrap();
        let link = Link::start(address, distance).unwrap();
        // To connect has a deadline of its own at the platform. The local server has one for both.
        let far = edge(&link.url(), &origin, DEADLINE + round_trip * TO_CONNECT);
        store.restart();
        store.reset_counts();
        Self {
            store,
            link,
            far,
            server,
            origin,
        }
    }

    /// Numbers that were drawn.
    fn drawn(&self) -> u64 {
        let (_, drawn) = harness::kept::numbers(&self.store, "queue:{main}", "main").unwrap();
        drawn
    }
}

fn edge(store: &str, origin: &Origin, deadline: Duration) -> Edge {
    let settings = [("automatic", "0"), ("automatic_quantity", "1")];
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let urls = (origin.url(), store.to_owned());
    let wasm = harness::edge::wasm().unwrap();
    Edge::start(&EdgeOptions {
        secrets: secrets(),
        ..EdgeOptions::local(wasm, urls, settings.into(), deadline)
    })
    .unwrap()
}

fn ask(edge: &Edge, ask: &Ask) -> Got {
    let got = Connection::open(edge.addr()).ask(ask);
    assert!(!got.inside && got.status != 500, "{got:?}");
    got
}

/// A browser that keeps its ticket.
#[derive(Default)]
struct Visitor(Option<String>);

impl Visitor {
    /// One visit: the number, if one was drawn. A ticket without a number comes back at once.
    fn visits(&mut self, edge: &Edge) -> Option<u64> {
        for _ in 0..2 {
            let mut page = Ask::get("/").json();
            if let Some(ticket) = &self.0 {
                page = page.with("cookie", format!("queue={ticket}"));
            }
            let got = ask(edge, &page);
            self.0 = got.ticket().or(self.0.take());
            if !got.is_provisional() {
                return got.json()["position"].as_u64();
            }
        }
        None
    }

    /// Visits until a number was drawn: which one, and after how many visits.
    fn draws(&mut self, edge: &Edge) -> (u64, u64) {
        for visits in 1..=TRIES {
            if let Some(number) = self.visits(edge) {
                return (number, visits);
            }
            thread::sleep(Duration::from_secs(1));
        }
        panic!("no number in {TRIES} visits");
    }
}

/// On a busy machine the first visit may be a moment too late as well.
#[test]
fn a_store_150_ms_away_learns_the_script_from_the_first_visitor() {
    let world = World::new(150);
    let (number, visits) = Visitor::default().draws(&world.far);
    println!("{visits} visits");
    assert_eq!(
        (number, world.drawn()),
        (1, 1),
        "once, after {visits} visits"
    );
    let begun = Instant::now();
    while world.link.flights() < 3 && begun.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(world.link.flights(), 3, "the script has become longer");
    world.store.reset_counts();
    let (number, visits) = Visitor::default().draws(&world.far);
    assert_eq!((number, world.drawn()), (2, 2));
    assert!(world.store.calls() <= visits, "without the script");
}

#[test]
fn a_store_150_ms_away_has_the_script_from_the_panel_before_the_first_visitor() {
    let world = World::new(150);
    let panel = Ask::get("/_queue").operator();
    let tries = (0..TRIES).find(|_| ask(&world.far, &panel).status == 200);
    println!("{tries:?} tries before");
    world.store.reset_counts();
    let (number, visits) = Visitor::default().draws(&world.far);
    assert_eq!((number, world.drawn()), (1, 1));
    assert!(world.store.calls() <= visits, "without the script");
}

/// The answer is late, and what was drawn stays the visitor's.
#[test]
fn a_store_200_ms_away_learns_the_script_from_a_visitor_who_hears_nothing_of_it() {
    let world = World::new(200);
    let mut visitor = Visitor::default();
    assert_eq!(visitor.visits(&world.far), None, "600 ms are too long");
    let (number, visits) = visitor.draws(&world.far);
    println!("{visits} more visits");
    assert_eq!((number, world.drawn()), (1, 1), "once");
    assert_eq!(Visitor::default().draws(&world.far).0, 2);
    assert_eq!(world.drawn(), 2);
}

/// Each visitor is held, for as long as only data centres as far away have visitors.
#[test]
fn a_store_300_ms_away_has_to_learn_the_script_from_a_nearer_data_centre() {
    let world = World::new(300);
    let mut visitors = [(); 3].map(|()| Visitor::default());
    for visitor in &mut visitors {
        assert_eq!(visitor.visits(&world.far), None);
        thread::sleep(Duration::from_secs(1));
    }
    let near = edge(&world.server.url(), &world.origin, DEADLINE);
    assert_eq!(ask(&near, &Ask::get("/_queue").operator()).status, 200);
    assert_eq!(world.drawn(), 0, "no script ran");
    for (visitor, number) in visitors.iter_mut().zip(1..) {
        assert_eq!(visitor.draws(&world.far).0, number);
        assert_eq!(world.drawn(), number);
    }
}
