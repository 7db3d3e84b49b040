//! Sessions that are ended early, where the moment or the order matters.

use std::time::Duration;

use now_serving::queue::{Now, RoomName};
use now_serving::ticket::{Keys, Ticket, TicketStage};
use serde_json::{Value, json};

use crate::house::{Ask, House, PERMIT_TOKEN, SECRET, Visitor, visitors};
use crate::tickets::ticket;

const SEEN: Duration = Duration::from_secs(2);

fn pass_of(house: &House, ticket: &Ticket) -> String {
    let (room, now) = (RoomName::new(house.room()), Now::from_ms(house.now_ms()));
    let keys = Keys::new(SECRET, None);
    keys.pass(ticket, &room, "127.0.0.1", now).unwrap()
}

/// The pass that the origin got with the latest request of a visitor inside.
pub(super) fn pass(house: &House, visitor: &Visitor<'_>) -> String {
    let (room, now) = (RoomName::new(house.room()), Now::from_ms(house.now_ms()));
    let token = visitor.ticket.as_deref().unwrap();
    let held = Keys::new(SECRET, None).verify(token, &room, now).unwrap();
    pass_of(house, &held)
}

pub(super) fn end(house: &House, passes: &[String]) -> Value {
    let ask = Ask::get("/_queue/end")
        .method("POST")
        .with("authorization", format!("Bearer {PERMIT_TOKEN}"))
        .body("application/json", &json!({ "passes": passes }).to_string());
    house.ask(&ask).json()
}

pub(super) fn inside(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["sessions"]["inside"]
        .as_u64()
        .unwrap_or_else(|| panic!("{status}"))
}

/// A room with this many slots and visitors, all of them inside.
fn full(house: &House, slots: usize) -> Vec<Visitor<'_>> {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
    house.set("total_active", &slots.to_string());
    house.wait_for_period(60);
    house.warm();
    let mut all = visitors(house, slots);
    for visitor in &mut all {
        assert!(visitor.ask("/echo").inside);
        house.wait(SEEN);
    }
    assert_eq!(inside(house), slots as u64);
    all
}

#[test]
fn passes_of_an_epoch_that_has_ended_free_no_slot_of_this_one() {
    let house = House::native();
    let before = full(&house, 3);
    let passes: Vec<String> = before.iter().map(|visitor| pass(&house, visitor)).collect();
    house.change("epoch", &house.word());
    house.wait(Duration::from_secs(61));
    let mut now = visitors(&house, 3);
    for visitor in &mut now {
        assert!(visitor.ask("/echo").inside);
        house.wait(SEEN);
    }
    assert_eq!(inside(&house), 3);
    end(&house, &passes);
    assert_eq!(inside(&house), 3, "they hold no slot");
    assert!(!Visitor::new(&house).ask("/echo").inside);
}

#[test]
fn an_operator_is_told_where_the_list_of_ended_sessions_is_full() {
    let house = House::native();
    let _all = full(&house, 1);
    let last = house.now_ms() / 60_000 + 20;
    for hundred in 0..10_u64 {
        let of = |number: u64| {
            let stage = TicketStage::Admitted {
                position: None,
                born: 5,
                at: house.now_ms() / 1000,
                session: Some(last + 100),
            };
            let id = format!("{:032x}", crate::house::scattered(number + 1_000_000));
            pass_of(&house, &ticket(id, stage, house.now_ms() / 1000))
        };
        let passes: Vec<String> = (hundred * 100..hundred * 100 + 100).map(of).collect();
        let told = end(&house, &passes);
        assert_eq!(told["ended"], 100, "{told}");
    }
    let form = "reference=3FA9-C0D1&once=full&sure=yes";
    let got = house.ask(&Ask::form("end", form));
    assert_eq!(got.status, 303, "{got:?}");
    let location = got.header("location").to_owned();
    let panel = house.ask(&Ask::get(&location).operator()).body;
    assert!(!panel.contains("had been ended before"), "{location}");
    assert!(panel.contains("1,000"), "{location}");
}

#[test]
fn an_ended_ticket_is_refused_while_settings_are_unsound() {
    let house = House::native();
    let mut two = full(&house, 2);
    end(&house, &[pass(&house, &two[0])]);
    house.wait(SEEN);
    two[1].ask("/echo");
    house.wait(Duration::from_millis(100));
    house.set("automatic", "often");
    assert!(two[1].ask("/echo").inside);
    let got = two[0].ask("/echo");
    assert_eq!((got.status, got.inside), (503, false));
}
