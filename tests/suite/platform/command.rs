//! What the origin commands with its answers.

use std::thread;
use std::time::{Duration, Instant};

use crate::house::{Ask, Got, House, Visitor};

/// A room with one slot, and a visitor who has it.
fn with_one_inside(house: &House) -> Visitor<'_> {
    house.set("command_paths", "/logout, POST /revoke");
    house.set("total_active", "1");
    house.permit(2);
    house.warm();
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    assert_eq!(ring(house), 1);
    visitor
}

fn ring(house: &House) -> i64 {
    let told = house.store.command(&["HGET", &house.key(""), "ring"]);
    let text = told.unwrap().as_str().unwrap_or_default().to_owned();
    let many = |cell: &str| cell.split_once(':').unwrap().1.parse::<i64>().unwrap();
    text.split_whitespace().map(many).sum()
}

/// The call to the store follows the answer.
fn comes_down_to(house: &House, sessions: i64) {
    let since = Instant::now();
    while ring(house) != sessions {
        assert!(since.elapsed() < Duration::from_secs(10), "{}", ring(house));
        thread::sleep(Duration::from_millis(20));
    }
}

fn is_told_of_the_end(got: &Got) -> bool {
    let cookies = got.all("set-cookie");
    let is_ended = |cookie: &&str| cookie.contains("queue") && cookie.contains("Max-Age=0");
    cookies.iter().any(is_ended)
}

#[test]
fn the_origin_ends_the_session_of_the_visitor_whom_it_answers() {
    let house = House::wasm_shared();
    let mut visitor = with_one_inside(&house);
    let ticket = visitor.ticket.clone();
    let mut got = None;
    let calls = house.calls(|| {
        got = Some(visitor.ask("/logout"));
        comes_down_to(&house, 0);
    });
    let got = got.unwrap();
    assert_eq!((got.status, got.body.as_str()), (200, "Goodbye.\n"));
    assert_eq!(got.all("queue-command").len(), 0, "the visitor sees none");
    assert!(is_told_of_the_end(&got), "{got:?}");
    assert_eq!(got.all("cache-control"), ["private, no-store"]);
    assert_eq!(calls, 1);
    let ended = &house.log_where(|line| line["sessionEnded"] == true)[0];
    assert_eq!(
        (&ended["reason"], &ended["responseStatus"]),
        (&"inside".into(), &200.into())
    );
    let url = ended["requestUrl"].as_str().unwrap();
    assert!(url.ends_with("/logout"), "{url}");

    let mut copy = Visitor::holding(&house, ticket);
    house.wait(Duration::from_secs(2));
    copy.ask("/echo");
    let mut next = Visitor::new(&house);
    assert!(
        next.ask("/echo").inside,
        "the slot is free, and one visitor has it"
    );
    house.wait(Duration::from_secs(2));
    next.ask("/echo");
    let told = copy.ask("/").json();
    assert_eq!(told["notice"], "session_ended", "{told}");
}

#[test]
fn commands_are_obeyed_where_they_are_expected_and_of_visitors_with_a_session() {
    let house = House::wasm_shared();
    let mut visitor = with_one_inside(&house);
    let got = visitor.ask("/revoke");
    assert_eq!(
        got.all("cf-waiting-room-command"),
        ["Revoke"],
        "by POST alone"
    );
    assert!(visitor.ask("/echo").inside);
    assert_eq!(ring(&house), 1);
    let revoked = visitor.send(Ask::get("/revoke").method("POST"));
    assert_eq!(revoked.all("cf-waiting-room-command").len(), 0);
    assert!(is_told_of_the_end(&revoked), "{revoked:?}");
    comes_down_to(&house, 0);

    house.set("total_active", "0");
    house.wait(Duration::from_secs(2));
    let mut visitor = Visitor::new(&house);
    assert!(visitor.ask("/echo").inside, "without a cap");
    let got = visitor.ask("/logout");
    assert_eq!((got.status, got.all("queue-command").len()), (200, 0));
    assert!(!is_told_of_the_end(&got), "there is no session to end");
    assert!(visitor.ask("/echo").inside);
}

/// The visit that the origin ends was also to make the session longer, and no other request comes for minutes.
#[test]
fn a_session_that_its_last_visit_made_longer_leaves_no_slot_taken() {
    let house = House::wasm_shared();
    let mut visitor = with_one_inside(&house);
    house.wait(Duration::from_secs(130));
    assert_eq!(visitor.ask("/logout").status, 200);
    comes_down_to(&house, 0);
    house.wait(Duration::from_secs(190));
    let mut next = Visitor::new(&house);
    assert!(next.ask("/echo").inside);
    assert_eq!(ring(&house), 1);
}
