//! How often a request calls the host, as the local server writes it down: the calls are most of what a request costs.
//! Those without an argument, and those for time and chance, are not written down.

use harness::edge::Edge;
use harness::origin::Origin;
use upstash_local::{Server, Store};

use crate::connection::Connection;
use crate::house::{ANY_PORT, Ask, PERMIT_TOKEN, STORE_TOKEN};

use super::limits::{held, traced};

/// Of this many equal requests some are in the middle of a sandbox's life, and find a copy of the sign that is fresh.
const REQUESTS: usize = 12;

/// How often they are sent again where another number of calls is seen. On a slow machine most of them may find the sign old, and
/// renew it; a request that always calls the host more often is seen to each time.
const TRIES: usize = 5;

/// How many calls most of them make: of two that follow each other one call is sometimes written down with the wrong one. Behind each stands one that ends, so that nothing is cut off.
fn usual(edge: &Edge, ask: &Ask) -> Option<usize> {
    let mut connection = Connection::open(edge.addr());
    edge.forget_output();
    for _ in 0..REQUESTS {
        connection.ask(ask);
    }
    let lines = edge.output();
    let calls = lines.iter().filter(|line| {
        line.contains(" TRACE ") && line.contains("wiggle abi{") && !line.contains(": result=")
    });
    let calls: Vec<&String> = calls.collect();
    let requests: Vec<usize> = calls
        .split(|line| line.contains("function=\"next_request_wait\""))
        .map(<[&String]>::len)
        .collect();
    println!("{}: {requests:?}", ask.target);
    let [_, whole @ .., _] = requests.as_slice() else {
        return None;
    };
    // One that is only waited for in vain is no request.
    let whole: Vec<usize> = whole.iter().copied().filter(|calls| *calls > 1).collect();
    let often = |calls: &usize| whole.iter().filter(|other| *other == calls).count();
    whole.iter().copied().rev().max_by_key(often)
}

#[test]
fn a_request_calls_the_host_no_more_often_than_it_needs() {
    let store = Server::start(Store::embedded(STORE_TOKEN).unwrap(), ANY_PORT).unwrap();
    let origin = Origin::start(ANY_PORT).unwrap();
    let edge = traced(held(&store.url()), &store.url(), &origin);
    let mut connection = Connection::open(edge.addr());
    let mut draw = || {
        // The second visitor's number is drawn by the ticket of the first contact.
        let first = connection.ask(&Ask::get("/").json()).ticket().unwrap();
        let ask = Ask::get("/")
            .json()
            .with("cookie", format!("queue={first}"));
        let second = connection.ask(&ask).ticket();
        format!("queue={}", second.unwrap_or(first))
    };
    let (first, second) = (draw(), draw());
    let permit = Ask::get("/_queue/permit").method("POST");
    let permit = permit.with("authorization", format!("Bearer {PERMIT_TOKEN}"));
    let inside = {
        let mut connection = Connection::open(edge.addr());
        assert_eq!(connection.ask(&permit).status, 200);
        let got = connection.ask(&Ask::get("/echo").with("cookie", &first));
        format!("queue={}", got.ticket().unwrap())
    };
    let expected = [
        (Ask::get("/robots.txt"), 19),
        (Ask::get("/echo").json().with("cookie", &inside), 29),
        (Ask::get("/echo").with("cookie", inside), 28),
        (Ask::get("/_queue/place").with("cookie", &second), 24),
        (Ask::get("/").with("cookie", &second), 31),
    ];
    for (ask, calls) in expected {
        let mut seen = (0..TRIES).map(|_| usual(&edge, &ask));
        assert!(
            seen.any(|usual| usual == Some(calls)),
            "not {calls} calls of the host for {}",
            ask.target
        );
    }
}
