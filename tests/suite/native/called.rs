//! A visitor who was called and has not gone in yet, where the moment, another data centre, another tab or another fault
//! matters.

use std::time::Duration;

use now_serving::config::Config;
use now_serving::page::iso_8601;
use now_serving::queue::{Now, Reason};
use serde_json::json;
use upstash_local::Store;
use virtual_edge::cache::{Cache, CacheFault};
use virtual_edge::{Origin, Takes, Turn};

use crate::house::{Ask, Got, House, STORE_TOKEN, Visitor, call, config_with, got};

const SECOND: Duration = Duration::from_secs(1);

/// A visitor whose waiting page has read that the turn has come.
fn called(house: &House) -> Visitor<'_> {
    house.warm();
    let mut visitor = Visitor::new(house);
    assert!(!visitor.ask("/echo").inside);
    house.permit(1);
    house.wait(2 * SECOND);
    assert_eq!(visitor.ask("/_queue/place").json()["waiting"], false);
    visitor
}

fn switch(house: &House, mode: &str) {
    house.change("mode", &json!({ "mode": mode }).to_string());
}

/// The page of a hidden tab goes in a minute later, and one that does not refresh by itself whenever its visitor presses.
#[test]
fn who_was_called_stays_in_the_line_of_a_room_that_was_put_on_hold_elsewhere() {
    for silence in [1, 60, 600] {
        let house = House::native();
        let mut visitor = called(&house);
        house.wait(silence * SECOND);
        house.go_to_pop(1);
        switch(&house, "hold");
        house.wait(3 * SECOND);
        house.go_to_pop(0);
        let calls = house.calls(|| assert!(!visitor.ask("/shop").inside, "{silence}"));
        assert_eq!(calls, 1, "the look of one who waits");
        assert!(house.is_free(|| drop(visitor.ask("/shop"))));
        house.go_to_pop(2);
        assert!(!visitor.ask("/shop").inside, "nor where no sign is known");
        switch(&house, "automatic");
        assert!(visitor.ask("/shop").inside);
        assert!(house.is_free(|| assert!(visitor.ask("/shop").inside)));
    }
}

#[test]
fn who_was_called_keeps_the_number_through_a_hold_that_is_longer_than_the_time_inside() {
    let house = House::native();
    house.set("cookie_expiry", "60");
    house.set("ticket_life", "100");
    let mut visitor = called(&house);
    switch(&house, "hold");
    for _ in 0..20 {
        house.wait(20 * SECOND);
        let place = visitor.ask("/_queue/place").json();
        assert_eq!(place["position"], 1, "{place}");
    }
    switch(&house, "automatic");
    house.wait(2 * SECOND);
    assert!(visitor.ask("/shop").inside);
    house.wait(59 * SECOND);
    assert!(visitor.ask("/shop").inside);
    house.wait(2 * SECOND);
    assert!(!visitor.ask("/shop").inside, "its time inside is over");
}

#[test]
fn who_was_called_does_not_go_in_by_unsound_settings() {
    let house = House::native();
    let mut visitor = called(&house);
    switch(&house, "hold");
    house.wait(2 * SECOND);
    assert!(!visitor.ask("/shop").inside);
    house.set("automatic", "often");
    let got = visitor.ask("/shop");
    assert_eq!((got.status, got.inside), (503, false));
}

#[test]
fn who_was_called_may_still_stop_the_page_from_refreshing() {
    let house = House::native();
    let mut visitor = called(&house);
    switch(&house, "hold");
    house.wait(2 * SECOND);
    let page = || Ask::get("/shop").with("accept", "text/html");
    assert_ne!(visitor.send(page()).header("refresh"), "");
    let got = visitor.send_once(Ask::get("/_queue/updates?every=off&to=/shop"));
    assert_eq!(got.status, 303);
    let got = visitor.send(page());
    assert_eq!((got.header("refresh"), got.inside), ("", false));
    switch(&house, "automatic");
    house.wait(2 * SECOND);
    assert!(visitor.send(page()).inside);
}

/// A visitor opens the page while an update of the same page is on its way, and its cookie comes last.
#[test]
fn an_update_that_is_overtaken_by_its_page_takes_no_visitor_out() {
    let house = House::native();
    house.warm();
    let mut visitor = Visitor::new(&house);
    assert!(!visitor.ask("/echo").inside);
    house.permit(1);
    house.wait(2 * SECOND);
    let mut update = Visitor::holding(&house, visitor.ticket.clone());
    assert!(visitor.ask("/shop").inside);
    assert_eq!(update.ask("/_queue/place").json()["waiting"], false);
    house.wait(301 * SECOND);
    switch(&house, "hold");
    house.wait(2 * SECOND);
    assert!(update.ask("/shop").inside, "for six minutes already");
}

/// The cookie of the update came last, so the visitor inside goes on by a ticket that says that it was called.
#[test]
fn who_went_in_by_a_called_ticket_stays_inside_when_an_event_begins() {
    let house = House::native();
    house.set("automatic", "0");
    let mut visitor = called(&house);
    house.wait(180 * SECOND);
    let mut again = Visitor::holding(&house, visitor.ticket.clone());
    assert!(visitor.ask("/shop").inside);
    let opens = iso_8601((house.now_ms() / 1000 + 1) * 1000).replace(".000", "");
    let event = json!({ "id": "sale", "opens": opens }).to_string();
    house.set("event", &event);
    house.wait(3 * SECOND);
    let mut late = Visitor::new(&house);
    late.ask("/");
    house.wait(3 * SECOND);
    assert!(again.ask("/shop").inside);
}

/// An edge whose origin answers with a status that the story says.
struct Keeping {
    config: Config,
    store: Store,
    pop: Cache,
    ids: u64,
}

impl Keeping {
    fn new() -> Self {
        Self {
            config: Self::configured(&[]),
            store: Store::embedded(STORE_TOKEN).unwrap(),
            pop: Cache::new(1_800_000_000_000),
            ids: 0,
        }
    }

    fn configured(more: &[(&str, &str)]) -> Config {
        let open = ("automatic_quantity", "10");
        let keep = ("on_origin_error", "keep");
        config_with(&[&[("clock", "0"), ("automatic", "60"), open, keep], more].concat())
    }

    /// A page, while the origin answers with this status: whether the visitor sees that answer, and what it counted as.
    fn page(&mut self, ticket: &mut Option<String>, status: u16) -> (bool, Reason) {
        let mut ask = Ask::get("/shop").json();
        if let Some(ticket) = ticket {
            ask = ask.with("cookie", format!("queue={ticket}"));
        }
        let (answer, reason) = self.answer(&ask, status);
        *ticket = answer.ticket().or(ticket.take());
        (answer.inside, reason)
    }

    fn answer(&mut self, ask: &Ask, status: u16) -> (Got, Reason) {
        self.ids += 1;
        let call = call(ask, format!("{:032x}", self.ids));
        let now = Now::from_ms(self.pop.now_ms());
        let store = &self.store;
        let turn = Turn::new(&call, now, &self.config, store, Takes::Measured, &self.pop);
        let answers = || (80, status);
        let turn = turn.before(Origin::Answers(&answers));
        let turned = turn.serve(&mut ask.body.as_slice());
        (got(turned.answer), turned.served.record.reason)
    }

    fn wait(&self, time: Duration) {
        let time_ms = u64::try_from(time.as_millis()).unwrap();
        self.pop.wait(time_ms);
        self.store.advance(time);
    }
}

#[test]
fn a_rescued_visitor_counts_once_however_long_the_origin_fails() {
    let mut edge = Keeping::new();
    let mut ticket = None;
    let mut counted = vec![edge.page(&mut ticket, 500)];
    for _ in 0..20 {
        edge.wait(60 * SECOND);
        counted.push(edge.page(&mut ticket, 500));
    }
    let first = (false, Reason::Rescued);
    assert_eq!(counted[0], first);
    assert_eq!(counted[1..], [(false, Reason::Waiting); 20]);
    edge.wait(60 * SECOND);
    assert_eq!(edge.page(&mut ticket, 200), (true, Reason::Inside));
}

/// The session of a visitor whom a failing origin kept out is theirs still when an event begins.
#[test]
fn a_rescued_visitor_keeps_the_session_through_the_beginning_of_an_event() {
    let mut edge = Keeping::new();
    let cap = ("total_active", "1");
    edge.config = Keeping::configured(&[cap]);
    let mut ticket = None;
    assert_eq!(edge.page(&mut ticket, 500), (false, Reason::Rescued));
    edge.wait(180 * SECOND);
    let opens = iso_8601(edge.pop.now_ms()).replace(".000", "");
    let event = json!({ "id": "sale", "opens": opens }).to_string();
    edge.config = Keeping::configured(&[cap, ("event", &event)]);
    edge.wait(60 * SECOND);
    let mut other = None;
    let others = [0; 2].map(|_| edge.page(&mut other, 200));
    assert_eq!(
        others,
        [(false, Reason::Provisional), (false, Reason::Waiting)]
    );
    edge.wait(3 * SECOND);
    assert_eq!(edge.page(&mut ticket, 200), (true, Reason::Inside));
}

/// Nothing near the visitor says then that the room is on hold.
#[test]
fn who_was_called_is_held_where_the_cache_does_not_answer() {
    let mut edge = Keeping::new();
    let mut ticket = None;
    assert_eq!(edge.page(&mut ticket, 500), (false, Reason::Rescued));
    for (mode, goes_in) in [("hold", false), ("automatic", true)] {
        let set = Ask::json_to("mode", &json!({ "mode": mode }).to_string());
        assert_eq!(edge.answer(&set, 200).0.status, 200);
        edge.wait(3 * SECOND);
        edge.pop.is_from_now_on(CacheFault::Silent);
        let before = edge.store.calls();
        assert_eq!(edge.page(&mut ticket, 200).0, goes_in, "{mode}");
        assert_eq!(edge.store.calls() - before, 1, "{mode}: one look");
        edge.pop.is_from_now_on(CacheFault::Sound);
    }
}

/// Both tabs bring the ticket of before.
#[test]
fn a_page_of_another_tab_that_fails_takes_no_visitor_out() {
    let mut edge = Keeping::new();
    let mut ticket = None;
    assert_eq!(edge.page(&mut ticket, 500), (false, Reason::Rescued));
    let mut other = ticket.clone();
    assert!(edge.page(&mut ticket, 200).0);
    let (sees_the_origin, reason) = edge.page(&mut other, 500);
    assert_eq!((sees_the_origin, reason), (true, Reason::Inside));
}

/// What a page brings along is let through, and is not the visit.
#[test]
fn a_picture_goes_in_for_no_visitor() {
    for what in ["image", "head"] {
        let house = House::native();
        house.warm();
        let mut visitor = Visitor::new(&house);
        assert!(!visitor.ask("/echo").inside);
        house.permit(1);
        house.wait(2 * SECOND);
        let ask = match what {
            "image" => Ask::get("/picture").with("sec-fetch-dest", "image"),
            _ => Ask::get("/shop").method("HEAD"),
        };
        assert!(visitor.send(ask).inside, "{what}");
        let reasons = || {
            let log = house.log();
            let admitted = log.iter().filter(|line| line["reason"] == "admitted");
            admitted.count()
        };
        assert_eq!(reasons(), 0, "{what}");
        assert!(visitor.ask("/shop").inside);
        assert!(visitor.ask("/shop").inside);
        assert_eq!(reasons(), 1, "{what}");
    }
}
