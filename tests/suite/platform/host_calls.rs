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

/// How many calls most of them make: of two that follow each other one call is sometimes written down with the wrong one. Behind each stands one that ends, so that nothing is cut off.
fn usual(edge: &Edge, ask: &Ask) -> usize {
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
        panic!("{} was answered by a new sandbox each time", ask.target)
    };
    // One that is only waited for in vain is no request.
    let whole: Vec<usize> = whole.iter().copied().filter(|calls| *calls > 1).collect();
    let often = |calls: &usize| whole.iter().filter(|other| *other == calls).count();
    // On a slow machine several requests find the sign old, and renew it. Each of these needs another number of calls.
    whole.iter().copied().rev().max_by_key(often).unwrap()
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
    let counted = [
        Ask::get("/robots.txt"),
        Ask::get("/echo").json().with("cookie", &inside),
        Ask::get("/echo").with("cookie", inside),
        Ask::get("/_queue/place").with("cookie", &second),
        Ask::get("/").with("cookie", &second),
    ]
    .map(|ask| usual(&edge, &ask));
    let told = "bypass, inside, a page soon after the admission, poll, waiting page";
    assert_eq!(counted, [19, 29, 28, 24, 31], "{told}");
}
