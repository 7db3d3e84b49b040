//! The copy of the board near the visitor: what waiting costs, and how soon a change is seen.

use std::time::Duration;

use serde_json::{Value, json};

use crate::house::{Ask, Got, House, Visitor, visitors};

/// Fresh for a second, renewed in the next: together the oldest sign a visitor sees while one waits.
const SEEN_WITHIN: Duration = Duration::from_secs(2);
/// And the oldest by which visitors inside are judged while none waits.
const SEEN_WITHIN_IDLE: Duration = Duration::from_secs(10);
/// Longer than any copy serves.
const SELDOM: Duration = Duration::from_mins(1);

pub(crate) fn a_crowd_that_waits_costs_one_call_a_second(house: &House) {
    house.warm();
    let mut visitors = visitors(house, 10);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    let began = house.now_ms();
    let calls = house.calls(|| {
        for _ in 0..30 {
            for visitor in &mut visitors {
                assert!(!visitor.ask("/").inside);
            }
            house.wait(Duration::from_millis(100));
        }
    });
    let most = house.most_looks_since(began);
    assert!(
        (2..=most).contains(&calls),
        "{calls} calls for 300 looks, at most {most}"
    );
}

pub(crate) fn a_release_elsewhere_is_seen_within_two_seconds(house: &House) {
    let mut visitors = visitors(house, 2);
    for visitor in &mut visitors {
        visitor.ask("/");
        visitor.ask("/");
    }
    // Another data centre's permit.
    house.write(&["main cursor", "1"]);
    house.wait(SEEN_WITHIN);
    assert!(visitors[0].ask("/echo").inside);
    assert_eq!(visitors[1].ask("/").json()["ahead"], 0);
}

/// A visitor inside, and as many others who wait.
fn inside(house: &House, waiting: usize) -> Visitor<'_> {
    let mut all = visitors(house, waiting + 1);
    for visitor in &mut all {
        visitor.ask("/");
        visitor.ask("/");
    }
    house.permit(1);
    let mut first = all.remove(0);
    assert!(first.ask("/echo").inside);
    first
}

/// A visitor inside, whose epoch has ended while this data centre heard nothing of it.
fn of_an_ended_epoch(house: &House, waiting: usize) -> Visitor<'_> {
    let visitor = inside(house, waiting);
    house.end_all_elsewhere();
    visitor
}

/// A site in use: each request may look after the board once it has been answered.
fn is_used(visitor: &mut Visitor<'_>, house: &House, time: Duration) {
    for _ in 0..20 {
        house.wait(time / 20);
        visitor.ask("/echo");
    }
}

/// The first answer from outside. The clock of other houses stands still meanwhile; in the Wasm a busy sandbox may look later.
fn told_outside(visitor: &mut Visitor<'_>) -> Got {
    let is_outside = |got: &Got| !got.inside;
    let mut answers = (0..20).map(|tries| {
        std::thread::sleep(Duration::from_millis(10 * tries));
        visitor.ask("/echo")
    });
    answers.find(is_outside).unwrap()
}

pub(crate) fn while_a_visitor_waits_an_epoch_ends_admissions_within_two_seconds(house: &House) {
    let mut visitor = of_an_ended_epoch(house, 1);
    is_used(&mut visitor, house, SEEN_WITHIN);
    assert_eq!(told_outside(&mut visitor).json()["position"], 3);
}

pub(crate) fn while_no_visitor_waits_an_epoch_ends_admissions_within_ten_seconds(house: &House) {
    let mut visitor = of_an_ended_epoch(house, 0);
    is_used(&mut visitor, house, SEEN_WITHIN_IDLE);
    assert_eq!(told_outside(&mut visitor).json()["position"], 2);
}

pub(crate) fn while_no_visitor_waits_who_is_inside_costs_a_tenth(house: &House) {
    house.warm();
    let mut visitor = inside(house, 0);
    let calls = house.calls(|| {
        is_used(&mut visitor, house, 2 * SEEN_WITHIN_IDLE);
    });
    assert!((1..=3).contains(&calls), "{calls} calls in twenty seconds");
}

pub(crate) fn newcomers_who_go_straight_in_do_not_keep_a_data_centre_from_looking(house: &House) {
    let mut first = inside(house, 0);
    house.permit(100);
    for _ in 0..12 {
        house.wait(SEEN_WITHIN);
        let mut newcomer = Visitor::new(house);
        newcomer.ask("/echo");
        assert!(newcomer.ask("/echo").inside);
        first.ask("/echo");
    }
    let counted = house
        .store
        .command(&["HGET", &house.key(":counts"), "decided_inside"])
        .unwrap();
    assert!(
        counted.as_str().is_some(),
        "what was counted goes to the store with a look: {counted:?}"
    );
}

pub(crate) fn an_open_room_has_a_young_sign_when_the_store_goes_away(house: &House) {
    house.change("mode", r#"{"mode":"open"}"#);
    let mut first = Visitor::new(house);
    first.ask("/echo");
    for _ in 0..17 {
        house.wait(SEEN_WITHIN / 4);
        assert!(first.ask("/echo").inside);
    }
    house
        .store
        .fail(upstash_local::Faults::always(upstash_local::Fault::Refuse));
    for _ in 0..12 {
        house.wait(SEEN_WITHIN / 4);
        let mut newcomer = Visitor::new(house);
        assert!(newcomer.ask("/echo").inside, "the room is open");
    }
}

pub(crate) fn who_is_inside_costs_one_call_a_second_and_never_waits_for_it(house: &House) {
    house.warm();
    let mut visitor = inside(house, 1);
    let began = house.now_ms();
    let calls = house.calls(|| {
        for _ in 0..30 {
            assert!(visitor.ask("/echo").inside);
            house.wait(Duration::from_millis(100));
        }
    });
    let most = house.most_looks_since(began);
    assert!(
        (1..=most).contains(&calls),
        "{calls} calls for 30 requests, at most {most}"
    );
    house.forget_the_sign();
    house
        .store
        .fail(upstash_local::Faults::always(upstash_local::Fault::Refuse));
    assert!(visitor.ask("/echo").inside, "whatever becomes of the sign");
}

pub(crate) fn a_young_ticket_is_not_sent_to_the_store_by_an_older_sign(house: &House) {
    house.warm();
    let mut first = Visitor::new(house);
    first.ask("/");
    first.ask("/");
    let mut second = Visitor::new(house);
    second.ask("/");
    let look = || {
        let got = second.ask("/").json();
        assert_eq!((&got["position"], &got["ahead"]), (&json!(2), &json!(1)));
    };
    assert!(
        house.is_free(look),
        "the copy knows of one ticket, this is the second"
    );
}

pub(crate) fn a_sign_older_than_the_draw_does_not_move_the_drawer_back(house: &House) {
    let mut visitors = visitors(house, 3);
    visitors[0].ask("/");
    visitors[1].ask("/");
    visitors[0].ask("/");
    // Another data centre's permit: the copy here still says that nobody has gone in.
    house.write(&["main cursor", "1"]);
    for _ in 0..2 {
        let got = visitors[2].ask("/").json();
        assert_eq!((&got["cursor"], &got["ahead"]), (&json!(1), &json!(1)));
    }
}

pub(crate) fn raising_the_epoch_ends_the_admission_of_a_visitor_who_seldom_asks(house: &House) {
    let mut visitor = of_an_ended_epoch(house, 1);
    // No copy lives until the next request, but each request looks after the board once it has been answered.
    house.wait(SELDOM);
    visitor.ask("/echo");
    house.wait(SELDOM);
    assert!(!visitor.ask("/echo").inside);
}

pub(crate) fn a_spoilt_key_of_the_metrics_costs_no_poll(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let spoil = ["SET", &house.key(":counts"), "no hash"];
    house.store.command(&spoil).unwrap();
    for _ in 0..3 {
        house.forget_the_sign();
        let got = visitor.ask("/").json();
        assert_eq!((&got["position"], &got["old"]), (&json!(1), &json!(null)));
    }
    house.permit(1);
    house.forget_the_sign();
    assert!(visitor.ask("/echo").inside);
}

/// The scripts go by the store's own time; what a POP believes is no argument outside tests.
pub(crate) fn the_clock_of_a_pop_opens_no_period(house: &House) {
    let code = now_serving::store::script();
    let run = |more: &[&str]| {
        let shared = [
            "EVAL",
            &code,
            "2",
            "queue:{clock}",
            "queue:{clock}:minutes",
            "line minutes",
        ];
        let shared = [
            &shared[..],
            &[
                "verb",
                "look",
                "format",
                "1",
                "automatic",
                "15",
                "quantity",
                "5",
            ],
        ]
        .concat();
        let words = [&shared[..], &["lifetime", "600"], more].concat();
        let answer = house.store.command(&words).unwrap();
        let mut pairs = answer.as_array().unwrap().chunks(2);
        let board = pairs.find(|pair| pair[0] == "board").unwrap();
        let board: Value = serde_json::from_str(board[1].as_str().unwrap()).unwrap();
        board["own"].as_u64().unwrap()
    };
    let by_store = run(&[]);
    let clock = house.store.command(&["TIME"]).unwrap();
    let seconds: u64 = clock[0].as_str().unwrap().parse().unwrap();
    assert!(
        by_store.abs_diff(seconds * 1000) < 5_000,
        "{by_store} at {seconds}"
    );
}

/// A client that keeps no cookies brings the ticket it once got.
pub(crate) fn a_called_ticket_is_admitted_once_however_often_it_comes(house: &House) {
    let mut visitors = visitors(house, 3);
    for visitor in &mut visitors {
        visitor.ask("/");
    }
    house.permit(2);
    house.forget_the_sign();
    let ticket = visitors[0].ticket.clone().unwrap();
    for _ in 0..5 {
        let ask = Ask::get("/echo").with("cookie", format!("queue={ticket}"));
        assert!(house.ask(&ask).inside);
    }
    assert!(visitors[1].ask("/echo").inside);
    let log = house.log();
    let admitted = log.iter().filter(|line| line["reason"] == "admitted");
    assert_eq!(admitted.count(), 2, "of two who were released");
}

/// As after a newer version of the service was tried and taken back: it kept its line otherwise.
pub(crate) fn a_line_of_another_format_is_left_as_it_is(house: &House) {
    let mut before = visitors(house, 2);
    before[0].ask("/");
    house.write(&["format", "2"]);
    let kept = || house.store.command(&["HGETALL", &house.key("")]).unwrap();
    let line = kept();
    house.forget_the_sign();
    let mut newcomer = Visitor::new(house);
    for visitor in [&mut newcomer, &mut before[0]] {
        let got = visitor.ask("/");
        assert_eq!((got.status, got.inside), (503, false), "{got:?}");
    }
    assert_eq!(newcomer.ask("/").json()["position"], Value::Null);
    let permit = house.ask(&Ask::permit(1));
    assert_eq!(permit.status, 503, "{permit:?}");
    assert_eq!(kept(), line, "nothing was written");
    let health = house.ask(&Ask::get("/_queue/healthz")).body;
    let words = "the line is kept in format 2, and this version has format 1: publish";
    assert!(health.contains(words), "{health}");
    let mut log = house.log().into_iter().map(|line| line.to_string());
    assert!(log.any(|line| line.contains(words)));
}
