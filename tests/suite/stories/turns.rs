//! The setting `turn_minutes`: a called number is good for that long, and its visitor draws anew afterwards.

use std::time::Duration;

use serde_json::{Value, json};

use super::invitations::{invitation_by, used};
use crate::house::{Ask, Got, House, Visitor, inside, visitors};

// These stories need an hour and more.
in_houses_whose_clock_is_turned! {
    turns_of_a_quiet_night_do_not_go_in_together_at_the_sale
    a_turn_lasts_its_hour_and_is_over_a_twelfth_later
    a_turn_that_an_update_told_of_is_over_as_well
    the_page_and_its_json_say_why_beside_the_new_number
    a_visitor_who_came_in_time_stays_inside
    on_hold_the_time_of_a_turn_stands_still
    each_lane_has_the_time_of_its_own_turns
    after_a_loss_no_turn_is_over_before_it_is_known
    under_a_cap_a_late_visitor_has_the_same_time
    without_an_end_a_turn_lasts_as_long_as_the_ticket
}

const MINUTE: Duration = Duration::from_mins(1);
const OVER: &str = "You were called, but the time to enter ran out.";

/// Visitors in line.
fn line(house: &House, many: usize) -> Vec<Visitor<'_>> {
    house.warm();
    let mut line = visitors(house, many);
    inside(&mut line);
    line
}

fn page(visitor: &mut Visitor<'_>) -> Got {
    visitor.send(Ask::get("/").with("accept", "text/html"))
}

/// The number and the notice of a visitor who comes again until there is a number.
fn drawn_anew(visitor: &mut Visitor<'_>) -> (Value, Value) {
    assert!(!visitor.ask("/echo").inside);
    let told = visitor.ask("/").json();
    (told["position"].clone(), told["notice"].clone())
}

fn turns_of_a_quiet_night_do_not_go_in_together_at_the_sale(house: &House) {
    house.set("ticket_life", "172800");
    let mut night = line(house, 30);
    house.permit(30);
    house.wait(22 * 60 * MINUTE);
    // Half of them look once.
    for visitor in &mut night[..15] {
        visitor.ask("/_queue/place");
    }
    house.wait(22 * 60 * MINUTE);
    let mut sale = line(house, 3);
    house.forget_the_sign();
    assert_eq!(inside(&mut night), [false; 30]);
    house.permit(3);
    house.forget_the_sign();
    assert_eq!(inside(&mut sale), [true; 3]);
    assert_eq!(inside(&mut night), [false; 30]);
}

fn a_turn_lasts_its_hour_and_is_over_a_twelfth_later(house: &House) {
    let mut line = line(house, 4);
    house.permit(2);
    house.wait(60 * MINUTE);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside);
    house.wait(5 * MINUTE);
    house.forget_the_sign();
    assert_eq!(drawn_anew(&mut line[1]), (json!(5), json!("turn_over")));
    assert!(page(&mut line[1]).body.contains(OVER));
    let told = line[2].ask("/").json();
    assert_eq!([&told["position"], &told["ahead"]], [&json!(3), &json!(0)]);
    // Several requests with the same ticket draw one number, and none of them asks the store for more than that.
    let [mut one, mut other] = [0, 1].map(|_| Visitor::holding(house, line[3].ticket.clone()));
    house.permit(2);
    house.wait(66 * MINUTE);
    house.forget_the_sign();
    house.permit(1);
    let numbers = [&mut one, &mut other].map(|visitor| drawn_anew(visitor).0);
    assert_eq!(numbers[0], numbers[1]);
}

fn a_turn_that_an_update_told_of_is_over_as_well(house: &House) {
    let mut line = line(house, 3);
    house.permit(1);
    house.forget_the_sign();
    assert_eq!(line[0].ask("/_queue/place").json()["waiting"], false);
    let mut copy = Visitor::holding(house, line[0].ticket.clone());
    house.wait(59 * MINUTE);
    assert!(line[0].ask("/echo").inside);
    house.wait(7 * MINUTE);
    assert_eq!(drawn_anew(&mut copy), (json!(4), json!("turn_over")));
}

fn the_page_and_its_json_say_why_beside_the_new_number(house: &House) {
    let mut line = line(house, 1);
    let mut reader = Visitor::holding(house, line[0].ticket.clone());
    house.permit(1);
    house.wait(66 * MINUTE);
    house.forget_the_sign();
    for (number, reason) in [(Value::Null, Value::Null), (json!(2), json!("turn_over"))] {
        let told = line[0].send_once(Ask::get("/").json()).json();
        assert_eq!([&told["position"], &told["notice"]], [&number, &reason]);
        let page = Ask::get("/").with("accept", "text/html");
        let body = reader.send_once(page).body;
        assert_eq!(body.contains(OVER), !reason.is_null(), "{body}");
    }
}

fn a_visitor_who_came_in_time_stays_inside(house: &House) {
    let mut line = line(house, 2);
    house.permit(1);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside);
    house.wait(300 * MINUTE);
    house.forget_the_sign();
    assert_eq!(inside(&mut line), [true, false]);
}

fn on_hold_the_time_of_a_turn_stands_still(house: &House) {
    for mode in ["hold", "closed"] {
        let mut line = line(house, 2);
        house.permit(2);
        house.wait(50 * MINUTE);
        house.change("mode", &json!({ "mode": mode }).to_string());
        for _ in 0..30 {
            house.wait(10 * MINUTE);
            assert!(!line[0].ask("/echo").inside);
        }
        house.change("mode", r#"{"mode":"automatic"}"#);
        house.forget_the_sign();
        assert!(line[0].ask("/echo").inside, "after {mode}");
        house.wait(66 * MINUTE);
        house.forget_the_sign();
        assert!(!line[1].ask("/echo").inside, "an hour after {mode}");
    }
}

fn each_lane_has_the_time_of_its_own_turns(house: &House) {
    house.set("priority", r#"[{"name":"front","share":50}]"#);
    let mut main = line(house, 40);
    house.permit(38);
    house.wait(40 * MINUTE);
    let code = invitation_by(Some("front"), house, "many", 9, 60 * 60 * 5);
    let mut front = visitors(house, 2);
    for visitor in &mut front {
        used(visitor, &code);
    }
    house.permit(4);
    house.wait(26 * MINUTE);
    house.forget_the_sign();
    assert!(!main[0].ask("/echo").inside);
    assert!(main[39].ask("/echo").inside, "called twenty minutes ago");
    assert!(front[0].ask("/echo").inside, "though its number is small");
    house.wait(40 * MINUTE);
    house.forget_the_sign();
    assert!(!front[1].ask("/echo").inside);
}

fn after_a_loss_no_turn_is_over_before_it_is_known(house: &House) {
    let mut line = line(house, 30);
    house.permit(5);
    house.wait(59 * MINUTE);
    house.forget_the_sign();
    line[29].ask("/");
    house.store.command(&["FLUSHALL"]).unwrap();
    house.forget_the_sign();
    line[29].ask("/");
    house.wait(20 * MINUTE);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside, "called before the loss");
    house.permit(5);
    house.forget_the_sign();
    assert!(line[8].ask("/echo").inside, "called after it");
    house.wait(66 * MINUTE);
    house.forget_the_sign();
    assert_eq!(inside(&mut line[1..3]), [false; 2]);
    assert_eq!(line[29].ask("/").json()["position"], 30);
}

fn under_a_cap_a_late_visitor_has_the_same_time(house: &House) {
    house.set("total_active", "10");
    let mut line = line(house, 3);
    house.permit(2);
    house.wait(58 * MINUTE);
    house.forget_the_sign();
    assert!(line[0].ask("/echo").inside, "late, and a slot is free");
    house.wait(8 * MINUTE);
    house.forget_the_sign();
    assert_eq!(drawn_anew(&mut line[1]), (json!(4), json!("turn_over")));
    assert!(line[0].ask("/echo").inside);
}

fn without_an_end_a_turn_lasts_as_long_as_the_ticket(house: &House) {
    house.set("turn_minutes", "0");
    let mut line = line(house, 2);
    house.permit(1);
    house.wait(23 * 60 * MINUTE);
    house.forget_the_sign();
    assert_eq!(inside(&mut line), [true, false]);
}

/// Whenever the turn comes, it lasts until then.
pub(crate) fn the_page_says_until_when_to_come_back(house: &House) {
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    let valid = |visitor: &mut Visitor<'_>| visitor.ask("/_queue/place").json()["valid"].clone();
    assert_eq!(valid(&mut visitor), 3600);
    let shown = page(&mut visitor).body;
    assert!(shown.contains("data-valid=\"3600\""), "{shown}");
    house.set("turn_minutes", "5");
    assert_eq!(valid(&mut visitor), 300);
    house.set("turn_minutes", "1440");
    let told = valid(&mut visitor).as_u64().unwrap();
    assert!((86_300..=86_400).contains(&told), "{told}");
    // Of a turn that has come it is not known here since when.
    house.permit(1);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert_eq!(visitor.ask("/_queue/place").json()["stage"], "called");
    assert_eq!(valid(&mut visitor), Value::Null);
}
