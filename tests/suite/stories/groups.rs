//! Groups: numbers that invitations open, in lanes of their own with shares of what is released, beside the main line.

mod losses;

use std::time::Duration;

use now_serving::page::iso_8601;
use now_serving::queue::{Lane, Position, Seed};
use serde_json::{Value, json};
use upstash_local::{Fault, Faults};

use super::invitations::{invitation_by, notice, sent, used, uses};
use crate::house::{Ask, Got, House, Visitor, claims, inside, visitors};

// These stories need minutes, or the beginning of a period.
in_houses_whose_clock_is_turned! {
    a_data_centre_that_knows_nothing_keeps_a_number_of_a_group
    under_a_flood_of_invitations_the_main_line_keeps_its_share
    either_lane_gives_back_what_it_does_not_use
    a_group_waits_by_its_own_measured_rate
    under_a_flood_in_the_lowest_group_the_others_keep_their_shares
    at_one_visitor_a_period_a_group_takes_its_share_and_no_more
    where_no_copy_is_left_a_number_of_a_group_is_drawn_again_and_nothing_used
    a_lost_number_of_a_lower_group_is_drawn_again_where_an_invitation_opens_no_higher_one
    a_lot_orders_a_group_by_itself
    whose_invitation_is_kept_reads_no_more_ahead_with_the_next_update
}

const HOUR: u64 = 3600;
const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// A room with a group of this share, and visitors in its main line, which stands.
fn room<'a>(house: &'a House, share: &str, waiting: usize) -> Vec<Visitor<'a>> {
    let group = format!(r#"[{{"name":"front","share":{share}}}]"#);
    house.set("priority", if share == "0" { "none" } else { &group });
    house.warm();
    let mut line = visitors(house, waiting);
    inside(&mut line);
    line
}

/// At this number of visitors in fifteen seconds, from the next period on.
fn at_a_pace(house: &House, quantity: &str) {
    house.set("automatic", "15");
    house.set("automatic_quantity", quantity);
    house.wait_for_period(15);
}

fn code(house: &House, id: &str, uses: u64) -> String {
    invitation_by(Some("front"), house, id, uses, HOUR)
}

/// Visitors with numbers of the group, by one invitation.
fn front(house: &House, many: usize) -> Vec<Visitor<'_>> {
    let code = code(house, "many", 1000);
    let mut all = visitors(house, many);
    for visitor in &mut all {
        used(visitor, &code);
    }
    all
}

/// The number and how many are ahead, of a visitor who waits in the group.
fn place(got: &Got) -> (u64, u64) {
    let told = got.json();
    assert_eq!(told["lane"], "front", "{told}");
    let number = |name: &str| told[name].as_u64().unwrap();
    (number("position"), number("ahead"))
}

fn cursors(house: &House) -> (u64, u64) {
    (house.numbers("main").0, house.numbers("front").0)
}

/// One visitor comes, so that the line moves.
fn move_on(visitor: &mut Visitor<'_>, house: &House) -> (u64, u64) {
    house.wait_for_period(15);
    visitor.ask("/");
    cursors(house)
}

fn many_inside(visitors: &mut [Visitor<'_>]) -> usize {
    inside(visitors).iter().filter(|inside| **inside).count()
}

pub(crate) fn an_invitation_to_a_group_draws_a_number_there_once(house: &House) {
    room(house, "20", 2);
    let code = code(house, "one", 1);
    let mut guest = Visitor::new(house);
    assert_eq!(place(&used(&mut guest, &code)), (1, 0));
    assert_eq!(place(&guest.ask("/")), (1, 0));
    let ticket = claims(guest.ticket.as_deref().unwrap());
    assert_eq!(
        (&ticket["lane"], &ticket["pos"], &ticket["inv"]),
        (&json!("front"), &json!(1), &Value::Null)
    );
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
    let mut late = Visitor::new(house);
    let refused = used(&mut late, &code);
    assert_eq!(notice(&refused), "invitation_used");
    assert_eq!(refused.json()["position"], 3);
    assert_eq!(refused.json()["lane"], Value::Null);
    house.log_where(|line| line["invitation"] == "used");
    let lines = house.log_where(|line| line["invitation"].is_string());
    let outcomes: Vec<&Value> = lines.iter().map(|line| &line["invitation"]).collect();
    assert_eq!(outcomes, ["group", "used"]);
    let told = |line: &Value| (line["lane"].clone(), line["visitorPosition"].clone());
    assert_eq!(told(&lines[0]), (json!("front"), json!(1)));
    assert_eq!(told(&lines[1]), (Value::Null, json!(3)));
}

pub(crate) fn a_visitor_of_a_group_reads_so_and_operators_see_the_lane(house: &House) {
    room(house, "20", 2);
    house.set("invited_per_minute", "9");
    house.forget_the_sign();
    let mut guests = front(house, 3);
    let straight = invitation_by(None, house, "straight", 1, HOUR);
    assert!(used(&mut Visitor::new(house), &straight).inside);
    house.permit(3);
    house.forget_the_sign();
    let page = |visitor: &mut Visitor<'_>| {
        let ask = Ask::get("/shop").with("accept-language", "en");
        visitor.send(ask.with("accept", "text/html")).body
    };
    let told = page(&mut guests[2]);
    assert!(told.contains("You are in the priority line."), "{told}");
    assert!(told.contains("There is 1 person ahead of you."), "{told}");
    let update = guests[2].send_once(Ask::get("/_queue/place")).json();
    assert_eq!(update["detail"], "You are in the priority line.");
    let mut plain = Visitor::new(house);
    plain.ask("/");
    assert!(!page(&mut plain).contains("priority"));
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    let lane = json!([{ "name": "front", "share": 20, "cursor": 1, "length": 3, "waiting": 2 }]);
    let invitations = &status["invitations"];
    assert_eq!(invitations["groups"], lane, "{status}");
    assert_eq!(
        (&invitations["straight_in"], &invitations["per_minute"]),
        (&json!(1), &json!(9))
    );
    assert_eq!(
        (&status["waiting"], &status["length"]),
        (&json!(3), &json!(3))
    );
    let panel = house.ask(&Ask::get("/_queue").operator()).body;
    for words in [
        "1 went straight in,",
        "front: 2 waiting, now serving 1 of 3.",
    ] {
        assert!(panel.contains(words), "{words} in {panel}");
    }
}

pub(crate) fn where_no_invitation_is_taken_operators_see_nothing_of_them(house: &House) {
    room(house, "0", 1);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(status["invitations"], Value::Null);
    let panel = house.ask(&Ask::get("/_queue").operator()).body;
    assert!(!panel.contains("Invited"), "{panel}");
}

pub(crate) fn a_number_of_a_group_costs_one_call_and_waiting_none(house: &House) {
    room(house, "20", 2);
    let code = code(house, "many", 9);
    let mut guest = Visitor::new(house);
    assert!(house.is_free(|| drop(guest.send_once(sent(&code, "/echo")))));
    let calls = house.calls(|| assert_eq!(place(&guest.ask("/echo")), (1, 0)));
    assert_eq!(calls, 1, "the draw and the question are one call");
    assert!(
        house.is_free(|| drop(guest.ask("/echo"))),
        "waiting is free"
    );
    house.permit(3);
    house.forget_the_sign();
    assert!(guest.ask("/echo").inside);
    assert!(house.is_free(|| assert!(guest.ask("/echo").inside)));
}

pub(crate) fn without_a_group_its_invitations_are_kept(house: &House) {
    room(house, "0", 2);
    house.set("invited_per_minute", "9");
    house.forget_the_sign();
    let code = code(house, "one", 1);
    let mut guest = Visitor::new(house);
    let got = used(&mut guest, &code);
    assert_eq!(notice(&got), "invitation_kept");
    assert_eq!(got.json()["position"], 3);
    house.set("priority", r#"[{"name":"front","share":20}]"#);
    house.wait(2 * SECOND);
    assert_eq!(place(&used(&mut guest, &code)), (1, 0));
}

/// A lane waits by its own measured rate, whatever moves it.
fn a_group_waits_by_its_own_measured_rate(house: &House) {
    let mut line = room(house, "25", 400);
    let mut guests = front(house, 60);
    at_a_pace(house, "20");
    for _ in 0..9 {
        house.wait(15 * SECOND);
        line[399].ask("/");
    }
    let wait = |visitor: &mut Visitor<'_>| {
        let told = visitor.ask("/").json();
        let number = |name: &str| told[name].as_u64().unwrap_or_else(|| panic!("{told}"));
        (number("ahead"), number("estimated_wait_seconds"))
    };
    let ((ahead, seconds), of_main) = (wait(&mut guests[59]), wait(&mut line[399]));
    // Five of twenty in fifteen seconds are 20 a minute, and fifteen are 60.
    assert!((9..=14).contains(&ahead), "{ahead}");
    assert!(seconds.abs_diff(ahead * 3) <= 20, "{ahead} {seconds}");
    assert!(of_main.1.abs_diff(of_main.0) <= 20, "{of_main:?}");
}

/// The question with the invitation has seen the line further on than the copy of the data centre.
fn whose_invitation_is_kept_reads_no_more_ahead_with_the_next_update(house: &House) {
    let mut line = room(house, "0", 5);
    house.set("invited_per_minute", "9");
    let code = code(house, "one", 1);
    let ahead = |got: &Got| got.json()["ahead"].clone();
    assert_eq!(ahead(&line[4].ask("/echo")), 4);
    house.write(&["main cursor", "2"]);
    assert_eq!(
        ahead(&line[4].ask("/echo")),
        4,
        "the copy is good for a second"
    );
    let got = used(&mut line[4], &code);
    assert_eq!(
        (notice(&got), ahead(&got)),
        (json!("invitation_kept"), json!(2))
    );
    assert_eq!(ahead(&line[4].ask("/echo")), 2);
    assert_eq!(ahead(&line[3].ask("/echo")), 1);
}

pub(crate) fn a_visitor_with_a_number_goes_over_to_a_group(house: &House) {
    let mut line = room(house, "20", 3);
    let code = code(house, "one", 1);
    let got = used(&mut line[2], &code);
    assert_eq!(place(&got), (1, 0));
    assert_eq!(notice(&got), Value::Null);
    assert_eq!(place(&line[2].ask("/")), (1, 0));
    let mut new = Visitor::new(house);
    assert_eq!(new.ask("/").json()["position"], 4);
}

pub(crate) fn a_permit_is_shared_as_any_release(house: &House) {
    let mut line = room(house, "50", 2);
    let mut guests = front(house, 3);
    house.permit(1);
    house.forget_the_sign();
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (0, 1));
    house.permit(3);
    house.forget_the_sign();
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (2, 2));
    assert_eq!(place(&guests[2].ask("/")), (3, 0));
}

pub(crate) fn on_hold_numbers_of_groups_are_drawn_and_none_goes_in(house: &House) {
    room(house, "20", 1);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    let mut guest = Visitor::new(house);
    let code = code(house, "many", 9);
    assert_eq!(place(&used(&mut guest, &code)), (1, 0));
    house.change("mode", r#"{"mode":"closed"}"#);
    house.forget_the_sign();
    let mut late = Visitor::new(house);
    assert_eq!(notice(&used(&mut late, &code)), "invitation_kept");
    assert_eq!(uses(house, "many").as_deref(), Some("1"));
    assert!(!guest.ask("/").inside);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    assert_eq!(place(&guest.ask("/")), (1, 0), "the number is kept");
}

pub(crate) fn in_an_open_room_both_lanes_go_in(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guests = front(house, 2);
    house.change("mode", r#"{"mode":"open"}"#);
    house.forget_the_sign();
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (2, 2));
    let mut late = Visitor::new(house);
    assert!(used(&mut late, &code(house, "one", 1)).inside);
    assert_eq!(uses(house, "one"), None, "as any visitor");
}

pub(crate) fn a_new_epoch_ends_the_tickets_of_a_group_too(house: &House) {
    room(house, "20", 1);
    let mut guest = front(house, 2).remove(1);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    let mut new = Visitor::new(house);
    assert_eq!(new.ask("/").json()["position"], 2);
    let told = guest.ask("/").json();
    assert_eq!(
        (&told["position"], &told["lane"], &told["notice"]),
        (&json!(3), &Value::Null, &json!("line_started_anew"))
    );
    let mut next = front(house, 1).remove(0);
    assert_eq!(place(&next.ask("/")), (3, 0), "no number is given twice");
}

pub(crate) fn a_lost_answer_draws_one_number_of_a_group(house: &House) {
    room(house, "20", 1);
    let code = code(house, "one", 1);
    let mut guest = Visitor::new(house);
    guest.send_once(sent(&code, "/echo"));
    let before = guest.ticket.clone();
    house.store.fail(Faults::always(Fault::DropAnswer));
    assert_eq!(guest.ask("/echo").json()["position"], Value::Null);
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(place(&guest.ask("/echo")), (1, 0));
    let same = Visitor::holding(house, before).ask("/echo");
    assert_eq!(place(&same), (1, 0), "the same visitor");
    assert_eq!(uses(house, "one").as_deref(), Some("1"));
}

fn a_data_centre_that_knows_nothing_keeps_a_number_of_a_group(house: &House) {
    room(house, "20", 1);
    let mut guests = front(house, 3);
    house.wait(Duration::from_secs(12));
    house.go_to_pop(1);
    assert_eq!(place(&guests[2].ask("/")), (3, 2));
    assert!(house.is_free(|| assert_eq!(place(&guests[2].ask("/")), (3, 2))));
}

pub(crate) fn while_the_store_is_away_both_lanes_stand(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guests = front(house, 2);
    house.store.fail(Faults::always(Fault::Refuse));
    house.wait(Duration::from_secs(4));
    let told = guests[1].ask("/");
    assert_eq!(place(&told), (2, 1));
    assert_eq!(told.json()["old"], true);
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (0, 0));
    house.store.fail(Faults::none());
    house.wait(Duration::from_secs(20));
    assert_eq!(place(&guests[1].ask("/")), (2, 1));
    assert_eq!(line[1].ask("/").json()["position"], 2);
}

pub(crate) fn a_called_visitor_of_a_group_takes_a_slot_and_frees_it(house: &House) {
    house.set("total_active", "1");
    house.set("claim_seconds", "300");
    let mut first = room(house, "50", 1);
    house.permit(1);
    house.forget_the_sign();
    assert!(first[0].ask("/").inside);
    let mut guests = front(house, 2);
    house.permit(2);
    house.forget_the_sign();
    assert_eq!(many_inside(&mut guests), 0, "no slot is free");
    let session = claims(first[0].ticket.as_deref().unwrap());
    assert!(session["ses"].is_u64());
    house.wait(25 * MINUTE);
    assert!(guests[0].ask("/").inside);
    let ticket = claims(guests[0].ticket.as_deref().unwrap());
    assert_eq!(
        (&ticket["lane"], &ticket["pos"]),
        (&json!("front"), &json!(1))
    );
    assert!(ticket["ses"].is_u64(), "{ticket}");
    assert!(!guests[1].ask("/").inside);
    house.wait(25 * MINUTE);
    assert!(guests[1].ask("/").inside);
}

pub(crate) fn a_group_opens_with_the_event(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "1000");
    event(house, "arrival");
    let mut line = room(house, "20", 2);
    let mut guests = front(house, 2);
    assert_eq!(place(&guests[1].ask("/")), (2, 1));
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (0, 0));
    house.wait(2 * MINUTE);
    assert_eq!((many_inside(&mut line), many_inside(&mut guests)), (2, 2));
}

/// In its pre-queue, and open in two minutes.
fn event(house: &House, order: &str) {
    let second = house.now_ms() / 1000;
    let at = |after: u64| iso_8601((second + after) * 1000).replace(".000", "");
    let event = json!({
        "id": "sale", "prequeue": at(0), "opens": at(120), "closes": at(7200), "order": order,
    });
    house.set("event", &event.to_string());
}

pub(crate) fn where_the_store_lost_its_data_a_copy_brings_a_group_back(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guests = front(house, 3);
    house.forget_the_sign();
    assert_eq!(place(&guests[2].ask("/")), (3, 2));
    house.store.command(&["DEL", &house.key("")]).unwrap();
    house.forget_the_sign();
    assert_eq!(place(&guests[2].ask("/")), (3, 2));
    let mut new = front(house, 1).remove(0);
    assert_eq!(place(&new.ask("/")), (4, 3));
    assert_eq!(line[1].ask("/").json()["position"], 2);
}

fn where_no_copy_is_left_a_number_of_a_group_is_drawn_again_and_nothing_used(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guest = front(house, 3).remove(2);
    house.wait(SECOND);
    house.store.command(&["DEL", &house.key("")]).unwrap();
    house.forget_pop();
    house.go_to_pop(1);
    let held = guest.ask("/");
    assert_eq!(held.json()["position"], 3, "a moment, please: {held:?}");
    assert_eq!(held.json()["ahead"], Value::Null);
    house.wait(3 * MINUTE);
    line[0].ask("/");
    house.forget_the_sign();
    let told = guest.ask("/");
    assert_eq!(place(&told), (1, 0), "drawn anew");
    assert_eq!(notice(&told), "line_started_anew");
    assert_eq!(uses(house, "many").as_deref(), Some("3"));
}

/// Two groups, and visitors of the lower one whose numbers were lost with no copy left. Each brings an invitation to the higher one.
fn a_lost_number_of_a_lower_group_is_drawn_again_where_an_invitation_opens_no_higher_one(
    house: &House,
) {
    let groups = json!([{ "name": "high", "share": 30 }, { "name": "low", "share": 30 }]);
    house.set("priority", &groups.to_string());
    house.warm();
    let mut line = visitors(house, 3);
    inside(&mut line);
    let [low, high] =
        ["low", "high"].map(|group| invitation_by(Some(group), house, group, 9, HOUR));
    let once = invitation_by(Some("high"), house, "once", 1, HOUR);
    let straight = invitation_by(None, house, "straight", 9, HOUR);
    used(&mut Visitor::new(house), &once);
    let mut guests = visitors(house, 3);
    for guest in &mut guests {
        assert_eq!(used(guest, &low).json()["lane"], "low");
    }
    house.wait(SECOND);
    house.store.command(&["DEL", &house.key("")]).unwrap();
    house.forget_pop();
    house.go_to_pop(1);
    line[0].ask("/");
    house.wait(3 * MINUTE);
    line[0].ask("/");
    let expected = [
        (&once, "low", 1, json!("invitation_used")),
        (&straight, "low", 2, json!("invitation_kept")),
        (&high, "high", 1, Value::Null),
    ];
    for (guest, (code, lane, position, notice)) in guests.iter_mut().zip(expected) {
        house.forget_the_sign();
        let told = used(guest, code).json();
        let found = (&told["lane"], &told["position"], &told["notice"]);
        assert_eq!(found, (&json!(lane), &json!(position), &notice));
    }
}

fn a_lot_orders_a_group_by_itself(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "10");
    event(house, "drawn");
    let mut line = room(house, "20", 20);
    let mut guests = front(house, 5);
    assert_eq!(line[3].ask("/").json()["position"], Value::Null);
    let told = guests[4].ask("/").json();
    assert_eq!(
        (&told["lane"], &told["position"]),
        (&json!("front"), &Value::Null)
    );
    house.wait(190 * SECOND);
    for _ in 0..2 {
        line[3].ask("/");
        house.forget_the_sign();
    }
    let ask = Ask::get("/_queue/lot?lane=front");
    let lot = house.ask(&ask).json();
    assert_eq!(
        (&lot["lane"], &lot["drawn"]),
        (&json!("front"), &json!(5)),
        "{lot}"
    );
    let text = |name: &str| lot[name].as_str().unwrap().to_owned();
    let seed = Seed::new(
        &text("secret"),
        &text("value"),
        Lane::read("front").unwrap(),
        5,
    );
    assert_eq!(text("seed"), seed.hex());
    let given = |came: usize| seed.drawn(5, Position(came as u64 + 1)).0;
    // A fifth of ten are the first two places of the lot, whoever came first.
    for (came, guest) in guests.iter_mut().enumerate() {
        let got = guest.ask("/");
        assert_eq!(got.inside, given(came) <= 2, "{came} of {lot}: {got:?}");
        if !got.inside {
            assert_eq!(place(&got), (given(came), given(came) - 3));
        }
    }
    assert_eq!(many_inside(&mut line), 8);
}

fn under_a_flood_of_invitations_the_main_line_keeps_its_share(house: &House) {
    let mut line = room(house, "20", 50);
    let mut guests = front(house, 40);
    let mut last = line.pop().unwrap();
    at_a_pace(house, "10");
    let mut before = 50;
    for period in 1..=5 {
        assert_eq!(move_on(&mut last, house), (8 * period, 2 * period));
        let ahead = last.ask("/").json()["ahead"].as_u64().unwrap();
        assert!(ahead < before, "{ahead} after {before}");
        before = ahead;
        // They bring more visitors each time than go in.
        guests.extend(front(house, 10));
        assert_eq!(cursors(house), (8 * period, 2 * period));
    }
    assert_eq!(many_inside(&mut line), 40);
    assert_eq!(many_inside(&mut guests), 10);
}

fn either_lane_gives_back_what_it_does_not_use(house: &House) {
    let mut line = room(house, "20", 3);
    let mut guests = front(house, 20);
    at_a_pace(house, "10");
    let mut last = guests.pop().unwrap();
    assert_eq!(
        move_on(&mut last, house),
        (3, 7),
        "the main line gives back"
    );
    assert_eq!(move_on(&mut last, house), (3, 17));
    line.extend(visitors(house, 20));
    inside(&mut line);
    assert_eq!(move_on(&mut last, house), (11, 19));
    assert_eq!(move_on(&mut last, house), (20, 20), "the group gives back");
    assert!(last.ask("/").inside);
}

/// Visitors with numbers of this group.
fn members<'a>(house: &'a House, group: &str, many: usize) -> Vec<Visitor<'a>> {
    let code = invitation_by(Some(group), house, group, 1000, HOUR);
    let mut all = visitors(house, many);
    for visitor in &mut all {
        used(visitor, &code);
    }
    all
}

/// Three groups, the lowest of which is flooded: in each period each has its share, and what one does not use goes down.
fn under_a_flood_in_the_lowest_group_the_others_keep_their_shares(house: &House) {
    let groups =
        r#"[{"name":"vip","share":50},{"name":"members","share":30},{"name":"fans","share":20}]"#;
    house.set("priority", groups);
    house.warm();
    let mut main = visitors(house, 20);
    inside(&mut main);
    let [vip, known] =
        [("vip", 34), ("members", 40)].map(|(name, many)| members(house, name, many));
    let fans = members(house, "fans", 60);
    let mut last: Vec<Visitor<'_>> = [vip, known, fans, main]
        .into_iter()
        .map(|mut lane| lane.pop().unwrap())
        .collect();
    at_a_pace(house, "10");
    let mut flood = Vec::new();
    let mut ahead = vec![u64::MAX; 4];
    let mut period = |house, last: &mut Vec<Visitor<'_>>| {
        move_on(&mut last[3], house);
        for (visitor, before) in last.iter_mut().zip(&mut ahead) {
            let got = visitor.ask("/");
            let now = if got.inside {
                0
            } else {
                got.json()["ahead"].as_u64().unwrap()
            };
            assert!(now <= *before, "{now} after {before}");
            *before = now;
        }
        let of = |name| house.numbers(name).0;
        ["vip", "members", "fans", "main"].map(of)
    };
    for many in 1..=5 {
        assert_eq!(period(house, &mut last), [5 * many, 3 * many, 2 * many, 0]);
        // They bring more visitors each time than go in.
        flood.extend(members(house, "fans", 10));
    }
    house.set("automatic_quantity", "7");
    house.wait_for_period(15);
    // At seven 3.5, 2.1 and 1.4 are for them, and within one visitor they are there.
    assert_eq!(period(house, &mut last), [29, 17, 11, 0]);
    assert_eq!(period(house, &mut last), [32, 20, 12, 0]);
    // Two of the first group are left, and it gives back what it does not use.
    assert_eq!(period(house, &mut last), [34, 22, 14, 1]);
    assert_eq!(period(house, &mut last), [34, 24, 15, 5]);
}

fn at_one_visitor_a_period_a_group_takes_its_share_and_no_more(house: &House) {
    let mut line = room(house, "20", 20);
    front(house, 20);
    at_a_pace(house, "1");
    let mut last = line.pop().unwrap();
    let told: Vec<(u64, u64)> = (0..10).map(|_| move_on(&mut last, house)).collect();
    assert_eq!(told[0], (0, 1), "rounded up");
    assert_eq!(told[4], (4, 1));
    assert_eq!(told[9], (8, 2));
}
