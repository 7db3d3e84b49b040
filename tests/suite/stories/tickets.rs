//! Which ticket counts where a browser sends several, and what becomes of the others.

use std::time::Duration;

use serde_json::Value;
use upstash_local::{Fault, Faults};

use crate::house::{Ask, Got, House, Visitor, visitors};

// These stories need a second data centre.
in_houses_whose_clock_is_turned! {
    a_number_whose_turn_is_over_takes_the_place_of_none
    where_nothing_is_known_no_unsafe_request_of_an_ended_visitor_passes
    where_nothing_is_known_a_called_visitor_of_an_ended_line_does_not_go_in
    where_nothing_is_known_no_unsafe_request_of_an_ended_session_passes
    where_nothing_is_known_an_unsafe_request_of_a_visitor_inside_costs_one_call
}

/// A request with these tickets in cookies of one name, in this order.
fn with(tickets: [&str; 2]) -> Ask {
    let [first, second] = tickets;
    let cookies = format!("theme=dark; queue={first}; queue={second}");
    Ask::get("/echo").json().with("cookie", cookies)
}

/// What both orders of two tickets are answered.
fn in_both_orders(house: &House, [first, second]: [&str; 2]) -> [Got; 2] {
    [[first, second], [second, first]].map(|tickets| house.ask(&with(tickets)))
}

fn ticket(visitor: &Visitor<'_>) -> String {
    visitor.ticket.clone().unwrap()
}

fn length(house: &House) -> Value {
    let status = house.ask(&Ask::get("/_queue/status").operator());
    status.json()["length"].clone()
}

pub(crate) fn of_two_tickets_the_one_that_is_inside_counts(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/echo");
    let waiting = ticket(&visitor);
    house.permit(1);
    assert!(visitor.ask("/echo").inside);
    let admitted = ticket(&visitor);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    for got in in_both_orders(house, [&waiting, &admitted]) {
        assert!(got.inside, "{got:?}");
        assert_eq!(
            got.all("set-cookie"),
            Vec::<&str>::new(),
            "nothing is signed again"
        );
    }
}

/// Also where an update told of that turn.
fn a_number_whose_turn_is_over_takes_the_place_of_none(house: &House) {
    house.set("turn_minutes", "5");
    house.warm();
    let mut line = visitors(house, 3);
    for visitor in &mut line {
        visitor.ask("/");
    }
    house.permit(2);
    line[1].ask("/_queue/place");
    let over = [ticket(&line[0]), ticket(&line[1])];
    house.wait(Duration::from_mins(7));
    house.forget_the_sign();
    line[2].ask("/");
    let drawn = length(house);
    for over in over {
        for got in in_both_orders(house, [&over, &ticket(&line[2])]) {
            assert_eq!(got.json()["position"], 3, "{got:?}");
        }
    }
    assert_eq!(length(house), drawn);
}

pub(crate) fn of_two_tickets_the_smaller_number_counts_and_none_is_drawn(house: &House) {
    let mut line = visitors(house, 4);
    for (visitor, number) in line.iter_mut().zip(1..) {
        assert_eq!(visitor.ask("/").json()["position"], number);
    }
    let mut new = Visitor::new(house);
    assert!(new.send_once(Ask::get("/").json()).is_provisional());
    for (other, number) in [(&line[3], 2), (&new, 2)] {
        for got in in_both_orders(house, [&ticket(other), &ticket(&line[1])]) {
            assert_eq!(got.json()["position"], number, "{got:?}");
        }
    }
    assert_eq!(length(house), 4);
}

/// The number of a line that has ended, and a stay that has, are worth less than a place in the line.
pub(crate) fn a_ticket_that_has_ended_takes_the_place_of_none(house: &House) {
    let mut before = visitors(house, 2);
    before[0].ask("/");
    before[1].ask("/");
    house.permit(1);
    assert!(before[0].ask("/echo").inside);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let mut line = visitors(house, 2);
    for visitor in &mut line {
        visitor.ask("/");
    }
    let (number, drawn) = (line[1].ask("/").json()["position"].clone(), length(house));
    assert!(number.is_u64(), "{number}");
    for ended in &before {
        for got in in_both_orders(house, [&ticket(ended), &ticket(&line[1])]) {
            assert!(!got.inside, "{got:?}");
            assert_eq!(got.json()["position"], number, "{got:?}");
        }
    }
    assert_eq!(length(house), drawn);
}

pub(crate) fn a_session_that_is_over_takes_the_place_of_no_number(house: &House) {
    house.set("total_active", "1");
    house.set("session_minutes", "2");
    house.permit(2);
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    let over = ticket(&visitor);
    house.wait(Duration::from_secs(200));
    let mut other = Visitor::new(house);
    assert!(other.ask("/echo").inside, "the slot is another visitor's");
    house.forget_the_sign();
    let number = visitor.ask("/echo").json()["position"].clone();
    assert!(number.is_u64(), "{number}");
    for got in in_both_orders(house, [&over, &ticket(&visitor)]) {
        assert_eq!(got.json()["position"], number, "{got:?}");
    }
}

/// A form of another site brings twins alone, and of several the one that is still inside counts.
pub(crate) fn of_two_twins_the_one_that_is_inside_counts(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    let ended = visitor.ask("/echo").twin().unwrap();
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let mut again = Visitor::new(house);
    again.ask("/");
    house.permit(9);
    let inside = again.ask("/echo").twin().unwrap();
    for [first, second] in [[&ended, &inside], [&inside, &ended]] {
        let form = Ask::get("/echo")
            .method("POST")
            .with("sec-fetch-site", "cross-site")
            .with("sec-fetch-mode", "navigate")
            .with("sec-fetch-dest", "document")
            .body("application/x-www-form-urlencoded", "paid=yes")
            .with("cookie", format!("queue-post={first}; queue-post={second}"));
        let got = house.ask(&form);
        assert!(got.inside, "{got:?}");
    }
}

/// A browser that keeps a cookie with `Partitioned` apart from one of the same name without, and sends both, the older one first.
#[derive(Default)]
struct Browser {
    cookies: Vec<((String, bool), String)>,
    knows_no_partitions: bool,
}

impl Browser {
    fn ask(&mut self, house: &House, ask: Ask) -> Got {
        let sent = self.cookies.iter();
        let sent: Vec<String> = sent
            .map(|((name, _), value)| format!("{name}={value}"))
            .collect();
        let ask = ask.with("host", "www.shop.example");
        let got = house.ask(&ask.with("cookie", sent.join("; ")));
        for cookie in got.all("set-cookie") {
            let (pair, attributes) = cookie.split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            let mut attributes = attributes.split("; ");
            let is_apart = attributes.clone().any(|part| part == "Partitioned");
            let key = (name.to_owned(), is_apart && !self.knows_no_partitions);
            self.cookies.retain(|(kept, _)| *kept != key);
            if !attributes.any(|part| part == "Max-Age=0") {
                self.cookies.push((key, value.to_owned()));
            }
        }
        got
    }

    /// In which forms it has the ticket.
    fn forms(&self) -> Vec<&str> {
        let named = self.cookies.iter().map(|(key, _)| key);
        let ours = named.filter(|(name, _)| name == "__Host-queue");
        ours.map(|(_, is_apart)| if *is_apart { "apart" } else { "plain" })
            .collect()
    }
}

pub(crate) fn what_sets_one_form_of_the_cookie_ends_the_other(house: &House) {
    for (knows_no_partitions, both) in [(false, ["plain", "apart"]), (true, ["plain", "plain"])] {
        house.set("frame_ancestors", "none");
        let mut visitor = Browser {
            knows_no_partitions,
            ..Browser::default()
        };
        let shown = |visitor: &mut Browser| {
            let mut told = (0..2).map(|_| visitor.ask(house, Ask::get("/echo").json()).json());
            let drawn = told.find(|told| !told["position"].is_null());
            drawn.map_or(Value::Null, |told| told["position"].clone())
        };
        let number = shown(&mut visitor);
        assert!(number.is_u64(), "{number}");
        assert_eq!(visitor.forms(), both[..1]);
        // The form changes with the next ticket that is signed: here as its holder is let in.
        house.set("frame_ancestors", "self");
        let status = house.ask(&Ask::get("/_queue/status").operator()).json();
        house.permit(status["waiting"].as_u64().unwrap());
        house.forget_the_sign();
        assert!(visitor.ask(house, Ask::get("/echo")).inside);
        house.change("mode", r#"{"mode":"hold"}"#);
        house.forget_the_sign();
        for _ in 0..2 {
            let got = visitor.ask(house, Ask::get("/echo"));
            assert!(got.inside, "{got:?}");
            assert_eq!(visitor.forms(), both[1..], "one form is left");
        }
        let got = visitor.ask(house, Ask::get("/echo"));
        assert_eq!(
            got.all("set-cookie"),
            Vec::<&str>::new(),
            "it is signed once"
        );
        // And back, with another ticket.
        house.set("frame_ancestors", "none");
        house.change("mode", r#"{"mode":"automatic"}"#);
        house.change("epoch", &house.word());
        house.forget_the_sign();
        for _ in 0..4 {
            visitor.ask(house, Ask::get("/echo").json());
        }
        assert_eq!(visitor.forms(), both[..1]);
    }
}

/// The operator forgets the test ticket in whatever form the browser has it.
pub(crate) fn a_ticket_that_is_forgotten_is_forgotten_in_both_forms(house: &House) {
    let mut operator = Browser::default();
    operator.ask(house, Ask::form("ticket", "act=draw"));
    assert_eq!(operator.forms(), ["plain"], "{:?}", operator.cookies);
    house.set("frame_ancestors", "self");
    operator.ask(house, Ask::form("ticket/forget", ""));
    assert_eq!(operator.forms(), Vec::<&str>::new());
}

fn unsafe_methods() -> [Ask; 4] {
    ["POST", "PUT", "PATCH", "DELETE"].map(|method| Ask::get("/echo").method(method).json())
}

fn cold_data_centre(house: &House, number: usize) {
    house.wait(Duration::from_secs(10));
    house.go_to_pop(number);
}

fn where_nothing_is_known_no_unsafe_request_of_an_ended_visitor_passes(house: &House) {
    house.warm();
    house.permit(1);
    let mut visitor = Visitor::new(house);
    let twin = visitor.ask("/echo").twin().unwrap();
    house.change("epoch", &house.word());
    let form = Ask::get("/echo")
        .method("POST")
        .body("application/x-www-form-urlencoded", "order=1");
    let by_cookie = |ask: Ask| ask.with("cookie", format!("queue={}", ticket(&visitor)));
    let mut asks = unsafe_methods().map(by_cookie).to_vec();
    asks.push(by_cookie(form.clone()));
    let of_another_site = form
        .clone()
        .with("sec-fetch-site", "cross-site")
        .with("sec-fetch-mode", "navigate")
        .with("sec-fetch-dest", "document");
    asks.push(of_another_site.with("cookie", format!("queue-post={twin}")));
    for (ask, pop) in asks.into_iter().zip(1..) {
        cold_data_centre(house, pop);
        let calls = house.calls(|| {
            let got = house.ask(&ask);
            assert!(!got.inside, "{ask:?}: {got:?}");
        });
        assert_eq!(calls, 1, "{ask:?}");
        assert!(!house.ask(&ask).inside, "{ask:?}");
    }
    cold_data_centre(house, 9);
    let page = house.ask(&by_cookie(form));
    assert!(page.body.contains("was not delivered"), "{page:?}");
    let mut holder = Visitor::holding(house, page.ticket());
    let next = holder.ask("/echo").json();
    assert!(next["position"].as_u64() > Some(1), "{next}");
    assert_eq!(next["notice"], "line_started_anew", "{next}");
}

fn where_nothing_is_known_a_called_visitor_of_an_ended_line_does_not_go_in(house: &House) {
    house.warm();
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    house.permit(1);
    house.forget_the_sign();
    assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
    house.change("epoch", &house.word());
    cold_data_centre(house, 1);
    let calls = house.calls(|| {
        let got = visitor.send_once(Ask::get("/echo").json());
        assert!(!got.inside, "{got:?}");
    });
    assert_eq!(calls, 1);
}

fn where_nothing_is_known_no_unsafe_request_of_an_ended_session_passes(house: &House) {
    house.warm();
    house.set("total_active", "2");
    house.set("session_minutes", "2");
    house.permit(1);
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    house.wait(Duration::from_secs(200));
    cold_data_centre(house, 1);
    let ask = Ask::get("/echo").method("POST").json();
    let ask = ask.with("cookie", format!("queue={}", ticket(&visitor)));
    let mut holder = Visitor::new(house);
    let calls = house.calls(|| {
        let got = house.ask(&ask);
        assert!(!got.inside, "{got:?}");
        holder.ticket = got.ticket();
    });
    assert_eq!(calls, 1);
    assert_eq!(holder.ask("/echo").json()["notice"], "session_over");
}

fn where_nothing_is_known_an_unsafe_request_of_a_visitor_inside_costs_one_call(house: &House) {
    house.warm();
    house.permit(1);
    let mut visitor = Visitor::new(house);
    assert!(visitor.ask("/echo").inside);
    let kept = ticket(&visitor);
    let asked = |method: &'static str| {
        let ask = Ask::get("/echo").method(method).json();
        let got = house.ask(&ask.with("cookie", format!("queue={kept}")));
        assert!(got.inside, "{method}: {got:?}");
    };
    house.wait(Duration::from_secs(1));
    assert_eq!(house.calls(|| asked("POST")), 0, "the sign is known");
    cold_data_centre(house, 1);
    assert_eq!(house.calls(|| asked("POST")), 1);
    assert_eq!(house.calls(|| asked("POST")), 0);
    assert_eq!(house.calls(|| asked("DELETE")), 0);
    // The store has nothing to say: a visitor inside does not notice.
    cold_data_centre(house, 2);
    house.store.fail(Faults::always(Fault::Refuse));
    assert_eq!(house.calls(|| asked("POST")), 1);
    assert_eq!(house.calls(|| asked("POST")), 0, "one asks for all");
}
