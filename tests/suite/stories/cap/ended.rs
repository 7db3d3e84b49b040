//! Sessions that the origin or an operator ends.

use std::time::Duration;

use now_serving::queue::{Now, RoomName};
use now_serving::ticket::{Keys, Ticket, TicketStage};
use serde_json::{Value, json};

use super::{cap, counted, line, page};
use crate::house::{Ask, Got, House, PERMIT_TOKEN, SECRET, Visitor};
use crate::tickets::ticket;

const SEEN: Duration = Duration::from_secs(2);
const ENDED: &str = "Your visit has ended. Your new number is ";

/// The pass that the origin got with the latest request of a visitor inside.
fn pass(house: &House, visitor: &Visitor<'_>) -> String {
    let (room, now) = (RoomName::new(house.room()), Now::from_ms(house.now_ms()));
    let keys = Keys::new(SECRET, None);
    keys.pass(&held(house, visitor), &room, "127.0.0.1", now)
        .unwrap()
}

fn held(house: &House, visitor: &Visitor<'_>) -> Ticket {
    let (room, now) = (RoomName::new(house.room()), Now::from_ms(house.now_ms()));
    let token = visitor.ticket.as_deref().unwrap();
    Keys::new(SECRET, None).verify(token, &room, now).unwrap()
}

fn end(house: &House, body: &Value) -> Got {
    let ask = Ask::get("/_queue/end")
        .method("POST")
        .with("authorization", format!("Bearer {PERMIT_TOKEN}"))
        .body("application/json", &body.to_string());
    house.ask(&ask)
}

/// As many inside as there are slots, and one visitor who waits.
fn full(house: &House, slots: u64) -> (Vec<Visitor<'_>>, Visitor<'_>) {
    cap(house, slots);
    let many = usize::try_from(slots).unwrap();
    let mut line = line(house, many + 1);
    house.permit(slots);
    for visitor in &mut line[..many] {
        assert!(visitor.ask("/echo").inside);
    }
    let next = line.pop().unwrap();
    (line, next)
}

pub(crate) fn a_session_that_the_origin_ends_frees_its_slot_and_its_ticket_is_refused(
    house: &House,
) {
    let (mut inside, mut next) = full(house, 2);
    house.permit(1);
    assert_eq!(counted(house), (2, 0), "no slot is free");
    let passes = [pass(house, &inside[0]), pass(house, &inside[0])];
    let calls = house.calls(|| {
        let got = end(house, &json!({ "passes": passes }));
        assert_eq!(got.status, 200, "{got:?}");
        assert_eq!(got.json(), json!({ "ended": 1, "later": 0, "over": 0 }));
    });
    assert_eq!(calls, 1);
    assert_eq!(counted(house).0, 1, "at once");
    house.permit(1);
    house.wait(SEEN);
    assert!(next.ask("/echo").inside);
    let copy = inside[0].ticket.clone();
    assert!(house.is_free(|| assert!(inside[1].ask("/echo").inside)));
    let told = inside[0].ask("/").json();
    assert_eq!(
        [&told["position"], &told["notice"]],
        [&json!(4), &json!("session_ended")]
    );
    assert!(page(&mut inside[0], "/").body.contains(ENDED));
    // A copy of the ticket draws the number that the visitor has.
    let mut copy = Visitor::holding(house, copy);
    assert_eq!(copy.ask("/").json()["position"], 4);

    let again = end(house, &json!({ "passes": [passes[0]] }));
    assert_eq!(again.json(), json!({ "ended": 0, "later": 0, "over": 1 }));
    assert_eq!(counted(house), (2, 0), "once");
}

/// Whatever the visitor kept from before: the ticket that waited, or the one without a number.
pub(crate) fn no_older_ticket_of_an_ended_session_goes_in(house: &House) {
    cap(house, 3);
    house.permit(1);
    let mut first = Visitor::new(house);
    assert!(first.ask("/echo").inside, "no visitor waited");
    let mut line = line(house, 2);
    house.permit(1);
    house.wait(SEEN);
    let mut called = line.remove(0);
    let waited = called.ticket.clone();
    assert!(called.ask("/echo").inside);
    let passes = [pass(house, &called), pass(house, &first)];
    let got = end(house, &json!({ "passes": passes }));
    assert_eq!(got.json()["ended"], 2);
    house.wait(SEEN);
    line[0].ask("/");
    for _ in 0..3 {
        let mut copy = Visitor::holding(house, waited.clone());
        let got = copy.ask("/");
        let told = got.json();
        assert!(!got.inside, "{told}");
        assert_eq!(told["notice"], "session_ended", "{told}");
        house.wait(SEEN);
    }
}

pub(crate) fn an_operator_ends_a_visit_by_what_the_visitor_reads_out(house: &House) {
    let (mut inside, _next) = full(house, 2);
    let given = held(house, &inside[0]).reference();
    let form = format!("reference={}&once=an-end", given.replace('-', "+"));
    let send = |body: &str| {
        let ask = Ask::get("/_queue/end")
            .method("POST")
            .operator()
            .with("sec-fetch-site", "same-origin");
        house.ask(&ask.body("application/x-www-form-urlencoded", body))
    };
    let got = send(&form);
    assert_eq!(got.status, 200, "{got:?}");
    assert!(got.body.contains("End this visit?"), "{}", got.body);
    assert!(inside[0].ask("/echo").inside, "asked first");
    let got = send(&format!("{form}&sure=yes"));
    assert_eq!(got.status, 303, "{got:?}");
    assert_eq!(
        counted(house).0,
        2,
        "the slot is free when the session would have ended"
    );
    house.wait(SEEN);
    inside[1].ask("/echo");
    house.wait(SEEN);
    assert!(!inside[0].ask("/echo").inside);
    assert!(inside[1].ask("/echo").inside);
    let panel = house.ask(&Ask::get("/_queue").operator()).body;
    assert!(panel.contains("ended a visit"), "{panel}");
}

/// Ends the visit, or the number, of this visitor, as support does.
fn end_by_reference(house: &House, visitor: &Visitor<'_>) {
    let reference = held(house, visitor).reference();
    let got = typed(house, &reference, "&sure=yes");
    assert_eq!(got.status, 303, "{got:?}");
}

pub(crate) fn a_waiting_visitor_whose_reference_is_ended_loses_the_number(house: &House) {
    let (mut inside, mut next) = full(house, 1);
    let mut last = Visitor::new(house);
    last.ask("/");
    assert_eq!(last.ask("/_queue/place").json()["position"], 3);
    end_by_reference(house, &next);
    house.wait(SEEN);
    inside[0].ask("/echo");
    house.wait(SEEN);
    let poll = next.ask("/_queue/place").json();
    assert_eq!(poll["position"], Value::Null, "{poll}");
    let told = next.ask("/").json();
    let seen = [&told["position"], &told["notice"]];
    assert_eq!(seen, [&json!(4), &json!("session_ended")], "{told}");
    for target in ["/_queue/place", "/"] {
        house.wait(SEEN);
        let kept = next.ask(target).json();
        assert_eq!(kept["position"], 4, "the new number is kept: {kept}");
    }
    assert_eq!(last.ask("/").json()["position"], 3);
}

/// No visitor has asked for a while, so the data centre has not heard of the end.
pub(crate) fn a_called_visitor_whose_reference_is_ended_takes_no_slot(house: &House) {
    let (mut inside, mut next) = full(house, 1);
    let called = pass(house, &inside[0]);
    end(house, &json!({ "passes": [called] }));
    house.wait(SEEN);
    house.permit(1);
    end_by_reference(house, &next);
    house.forget_the_sign();
    house.wait(SEEN);
    let got = next.ask("/");
    assert!(!got.inside, "{got:?}");
    assert_eq!(counted(house).0, 0, "no session");
    let got = next.ask("/");
    assert!(!got.inside, "{got:?}");
    let told = got.json();
    assert_eq!(told["notice"], "session_ended", "{told}");
    assert!(!inside[0].ask("/echo").inside);
}

pub(crate) fn what_ends_no_session_says_what_is_accepted(house: &House) {
    let (mut inside, _next) = full(house, 1);
    let own = pass(house, &inside[0]);
    let other = Keys::new(SECRET, None).pass(
        &ticket(
            "f".repeat(32),
            TicketStage::Provisional {
                tries: 0,
                challenge: None,
            },
            0,
        ),
        &RoomName::new("another"),
        "127.0.0.1",
        Now::from_ms(house.now_ms()),
    );
    let own_ticket = inside[0].ticket.clone();
    let wrong = [
        json!({}),
        json!({ "passes": [] }),
        json!({ "passes": own }),
        json!({ "passes": [own, 5] }),
        json!({ "passes": [own, "x"] }),
        json!({ "passes": [own, other] }),
        json!({ "passes": [own_ticket] }),
        json!({ "passes": vec![own.clone(); 101] }),
        json!({ "passes": [own], "reference": "AAAA-AAAA" }),
        json!({ "reference": "AAAA" }),
        json!({ "reference": "AAAA-AAAX" }),
        json!({ "pass": own }),
    ];
    for body in wrong {
        let got = end(house, &body);
        assert_eq!(got.status, 400, "{body}");
        assert!(got.body.contains("accepted is"), "{}", got.body);
        assert!(got.body.contains("nothing moved"), "{}", got.body);
    }
    let most = end(house, &json!({ "passes": vec!["x".repeat(700); 100] }));
    assert_eq!(most.status, 413);
    assert_eq!(counted(house).0, 1);
    house.set("total_active", "0");
    let got = end(house, &json!({ "passes": [own] }));
    assert_eq!(got.status, 409, "{got:?}");
    assert!(got.body.contains("without a cap"), "{}", got.body);
    assert!(inside[0].ask("/echo").inside);
}

/// The form of the panel, confirmed or not.
fn typed(house: &House, reference: &str, more: &str) -> Got {
    let body = form_urlencoded::Serializer::new(String::new())
        .append_pair("reference", reference)
        .finish();
    let ask = Ask::get("/_queue/end").method("POST").operator();
    let ask = ask.with("sec-fetch-site", "same-origin");
    house.ask(&ask.body(
        "application/x-www-form-urlencoded",
        &format!("{body}{more}"),
    ))
}

/// The store has no list of tickets, so a mistyped code is no mistake that it could name.
pub(crate) fn an_end_says_what_is_known_of_the_visit(house: &House) {
    let _full = full(house, 1);
    let asked = typed(house, "0123-4567", "").body;
    assert!(
        asked.contains("If a visitor has ticket 0123-4567,"),
        "{asked}"
    );
    assert!(asked.contains("cannot tell whether"), "{asked}");
    let got = typed(house, "0123-4567", "&sure=yes");
    assert_eq!(got.status, 303, "{got:?}");
    let panel = house.ask(&Ask::get(got.header("location")).operator()).body;
    assert!(!panel.contains("The visit is ended"), "{panel}");
    assert!(
        panel.contains("Whether a visitor has that ticket is not known"),
        "{panel}"
    );
    let got = typed(house, "0123-4567", "&sure=yes");
    let panel = house.ask(&Ask::get(got.header("location")).operator()).body;
    assert!(
        panel.contains("That ticket had been ended before."),
        "{panel}"
    );
}

/// Phones put dashes of their own between the letters, and no break after them.
pub(crate) fn a_reference_is_read_with_any_dash(house: &House) {
    let (inside, _next) = full(house, 1);
    let given = held(house, &inside[0]).reference();
    for dash in [
        "-", "\u{2010}", "\u{2011}", "\u{2013}", "\u{2014}", "\u{2212}", "\u{ff0d}", "\u{a0}",
        "\u{ad}", "", " - ",
    ] {
        let written = format!("\u{200e}{} ", given.replace('-', dash));
        let got = typed(house, &written, "");
        assert!(
            got.body.contains("End this visit?"),
            "{dash:?}: {}",
            got.body
        );
        assert!(
            got.body.contains(&given),
            "as the page writes it: {}",
            got.body
        );
    }
    for wrong in ["3FA9_C0D1", "3FA9-C0D", "3FA9-C0D12", "３ＦＡ９-C0D1"] {
        assert_eq!(typed(house, wrong, "").status, 400, "{wrong}");
    }
}
