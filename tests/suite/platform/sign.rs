//! The copy of the board in the shipped Wasm: the local server is one data centre, with the platform's own cache.
//!
//! Times are printed, never judged: a machine that is busy with something else is not a slow room.

mod cost;
mod kept;
mod leader;

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use now_serving::queue::{Cursor, Position};
use now_serving::queue::{Place, WaitingProof};
use now_serving::ticket::TicketStage;
use serde_json::json;

use crate::connection::Connection;
use crate::house::{Ask, Got, House};
use crate::tickets;

/// A visitor's next look.
fn poll(ticket: &str) -> Ask {
    Ask::get("/")
        .json()
        .with("cookie", format!("queue={ticket}"))
}

/// Checks the answer to the visitor who waits with this number. How many are ahead, unless the board could not be seen.
fn ahead(got: &Got, position: u64) -> Option<u64> {
    let told = got.json();
    assert_eq!(
        (got.status, got.inside, &told["waiting"], &told["position"]),
        (503, false, &json!(true), &json!(position)),
        "{got:?}"
    );
    assert_eq!(got.ticket(), None, "nothing changed, nothing to keep");
    told["ahead"].as_u64()
}

/// Tickets 1 to `length` of a line from which nobody has been let in. The store knows it, the data centre has seen it,
/// and has no copy any more.
fn line_of(house: &House, length: u64) -> Vec<String> {
    let field = length.to_string();
    house.write(&["main cursor", "0", "main length", &field]);
    let ticket = |position| {
        let id = format!("{position:032x}");
        let proof = WaitingProof::of(
            Place {
                born: 1,
                position: Position(position),
                came: None,
            },
            Cursor(0),
        );
        signed(house, id, TicketStage::Waiting(proof), "main")
    };
    let tickets: Vec<String> = (1..=length).map(ticket).collect();
    house.ask(&poll(&tickets[0]));
    house.forget_the_sign();
    tickets
}

fn signed(house: &House, id: String, stage: TicketStage, room: &str) -> String {
    let now = house.now_ms() / 1000;
    tickets::signed(id, stage, room, now)
}

/// Everybody on a connection of its own, all sent before any answer is read. The answers, each with its time.
fn herd(edge: SocketAddr, tickets: &[String]) -> Vec<(Got, Duration)> {
    let asks: Vec<Ask> = tickets.iter().map(|ticket| poll(ticket)).collect();
    let mut crowd: Vec<_> = tickets.iter().map(|_| Connection::open(edge)).collect();
    let began = Instant::now();
    for (connection, ask) in crowd.iter_mut().zip(&asks) {
        connection.send(ask);
    }
    let answer = |connection: &mut Connection| (connection.answer(), began.elapsed());
    crowd.iter_mut().map(answer).collect()
}

/// What is done once the visitor has been answered is to be counted too.
fn after_the_answers() {
    thread::sleep(Duration::from_millis(100));
}

fn print_times(what: &str, times: impl IntoIterator<Item = Duration>) {
    let mut times: Vec<Duration> = times.into_iter().collect();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100].as_secs_f64() * 1000.0;
    let (half, most, last) = (at(50), at(99), at(100));
    println!(
        "{what}: {} answers, p50 {half:.1} ms, p99 {most:.1} ms, last {last:.1} ms",
        times.len()
    );
}
