//! What a sandbox keeps of the board for the rest of its second, in the shipped Wasm: updates and visits inside go by it, an operator
//! and a page never do.

use std::thread;

use now_serving::cache::MAX_AGE;
use now_serving::queue::{Cursor, Place, Position, WaitingProof};
use now_serving::ticket::TicketStage;
use serde_json::Value;

use super::{line_of, poll, signed};
use crate::connection::Connection;
use crate::house::{Ask, Got, House, Visitor};

const ROUNDS: usize = 8;

/// As many sandboxes at a time, and more, as this machine keeps busy.
const AT_ONCE: usize = 12;

/// Connections on which the same is asked at once, so that it is served by several sandboxes.
struct Crowd(Vec<Connection>);

impl Crowd {
    fn at(house: &House) -> Self {
        let edge = house.wasm_side().edge.addr();
        Self((0..AT_ONCE).map(|_| Connection::open(edge)).collect())
    }

    fn ask(&mut self, ask: &Ask) -> Vec<Got> {
        for connection in &mut self.0 {
            connection.send(ask);
        }
        self.0.iter_mut().map(Connection::answer).collect()
    }
}

fn update(ticket: &str) -> Ask {
    Ask::get("/_queue/place").with("cookie", format!("queue={ticket}"))
}

/// A ticket that was drawn by a board whose cursor had reached its number, which no sandbox has read.
fn saw_its_turn(house: &House, number: u64) -> String {
    let proof = WaitingProof::of(
        Place {
            born: 1,
            position: Position(number),
            came: None,
        },
        Cursor(number),
    );
    signed(
        house,
        format!("{number:032x}"),
        TicketStage::Waiting(proof),
        "main",
    )
}

fn status(house: &House) -> Value {
    house
        .ask(&Ask::get("/_queue/status").operator().json())
        .json()
}

#[test]
fn an_operator_and_a_page_see_at_once_what_an_update_sees_within_a_second() {
    let house = House::wasm();
    let tickets = line_of(&house, 20);
    let mut crowd = Crowd::at(&house);
    let last = update(&tickets[19]);
    for (ticket, number) in tickets.iter().zip(1..=ROUNDS) {
        crowd.ask(&last);
        house.permit(1);
        assert_eq!(status(&house)["cursor"], number);
        let page = house.ask(&poll(ticket));
        assert!(page.inside, "{number}: {page:?}");
        thread::sleep(MAX_AGE);
        for got in crowd.ask(&last) {
            assert_eq!(got.json()["cursor"], number);
        }
    }
}

#[test]
fn no_visitor_goes_into_a_room_on_hold_or_closed_by_what_a_sandbox_keeps() {
    let house = House::wasm();
    let tickets = line_of(&house, 20);
    let mut crowd = Crowd::at(&house);
    let last = update(&tickets[19]);
    let called = ROUNDS + 1;
    house.permit(called.try_into().unwrap());
    let seen = saw_its_turn(&house, 15);
    for mode in ["hold", "closed"].repeat(ROUNDS / 2) {
        crowd.ask(&last);
        house.change("mode", &format!(r#"{{"mode":"{mode}"}}"#));
        assert_eq!(status(&house)["mode"], mode);
        for ask in [
            update(&seen),
            poll(&tickets[0]),
            update(&tickets[0]),
            Ask::get("/").json(),
        ] {
            for got in crowd.ask(&ask) {
                assert!(!got.inside, "{mode}: {got:?}");
                assert_ne!(got.json()["waiting"], false, "{mode}: {got:?}");
            }
        }
        crowd.ask(&last);
        house.change("mode", r#"{"mode":"automatic"}"#);
    }
    for ticket in &tickets[..called] {
        crowd.ask(&last);
        assert!(house.ask(&poll(ticket)).inside, "open again");
    }
}

#[test]
fn what_a_sandbox_keeps_holds_no_visitor_inside_for_longer_than_a_second() {
    let house = House::wasm_shared();
    house.warm();
    let mut crowd = Crowd::at(&house);
    for _ in 0..ROUNDS {
        let mut visitors = [(); 2].map(|()| Visitor::new(&house));
        for visitor in &mut visitors {
            visitor.ask("/");
        }
        house.permit(1);
        let [mut first, second] = visitors;
        assert!(first.ask("/echo").inside);
        let inside = format!("queue={}", first.ticket.unwrap());
        // A picture draws no number once its visitor is outside.
        let picture = Ask::get("/echo").with("sec-fetch-dest", "image");
        let picture = picture.with("cookie", inside);
        let waiting = update(&second.ticket.unwrap());
        assert!(crowd.ask(&picture).iter().all(|got| got.inside));
        let places = crowd.ask(&waiting);
        assert!(places.iter().all(|got| got.json()["position"].is_u64()));
        house.change("epoch", &house.word());
        thread::sleep(MAX_AGE);
        assert!(crowd.ask(&picture).iter().all(|got| !got.inside));
        let places = crowd.ask(&waiting);
        assert!(places.iter().all(|got| got.json()["position"].is_null()));
    }
}
