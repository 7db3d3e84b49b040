//! What a loss of the store's data does to the group: no number is given twice, and no invitation is used twice.

use audit::audit;
use serde_json::Value;
use upstash_local::{Fault, Faults};

use super::{MINUTE, SECOND, code, front, place, room};
use crate::house::{Ask, House, Visitor};
use crate::stories::invitations::{sent, used, uses};

in_houses_whose_clock_is_turned! {
    behind_a_copy_of_before_the_first_number_of_a_group_none_is_overtaken
    a_number_of_the_main_line_that_proves_a_loss_gives_no_number_of_a_group_twice
    a_ticket_of_a_group_of_a_lost_line_draws_once_however_often_it_comes
    a_ticket_of_a_group_that_could_not_draw_again_at_once_draws_once
    a_draw_repeated_after_the_line_came_back_uses_no_invitation_again
    a_ticket_of_a_group_that_the_store_knows_nothing_of_draws_in_the_main_line
    a_ticket_of_a_group_draws_there_again_as_long_as_the_store_knows_of_it
    a_group_that_ended_before_a_loss_ends_in_the_journal_after_it
}

/// The last number of the group that a ticket shows.
fn restore(house: &House, backup: &Value) {
    let pairs = backup.as_array().unwrap().iter();
    let pairs: Vec<&str> = pairs.map(|text| text.as_str().unwrap()).collect();
    lose(house);
    house.write(&pairs);
}

fn lose(house: &House) {
    house.store.command(&["DEL", &house.key("")]).unwrap();
}

/// No copy of the board is left anywhere, and the tickets of the lost line count as ended.
fn lost_for_good(house: &House, line: &mut Visitor<'_>) {
    lose(house);
    house.forget_pop();
    house.go_to_pop(1);
    line.ask("/");
    house.wait(3 * MINUTE);
    line.ask("/");
    house.forget_the_sign();
}

fn behind_a_copy_of_before_the_first_number_of_a_group_none_is_overtaken(house: &House) {
    let mut line = room(house, "20", 2);
    house.go_to_pop(1);
    let mut known = front(house, 3);
    house.wait(SECOND);
    lose(house);
    house.go_to_pop(0);
    house.forget_the_sign();
    line[0].ask("/");
    let mut new = front(house, 1).remove(0);
    house.go_to_pop(1);
    house.forget_the_sign();
    let ahead = known.iter_mut().map(|visitor| place(&visitor.ask("/")));
    assert_eq!(ahead.collect::<Vec<_>>(), [(1, 0), (2, 1), (3, 2)]);
    assert_eq!(place(&new.ask("/")), (4, 3));
}

/// One data centre knows the group, and the other one that all tickets were ended since.
fn a_group_that_ended_before_a_loss_ends_in_the_journal_after_it(house: &House) {
    let mut line = room(house, "50", 2);
    front(house, 3);
    house.permit(2);
    house.forget_the_sign();
    line[1].ask("/");
    assert_eq!(house.numbers("front"), (1, 3));
    house.go_to_pop(1);
    house.change("epoch", &house.word());
    lose(house);
    for (pop, known) in [(0, (1, 3)), (1, (0, 0))] {
        house.wait(3 * MINUTE);
        house.go_to_pop(pop);
        house.forget_the_sign();
        line[1].ask("/");
        assert_eq!(house.numbers("front"), known, "data centre {pop}");
    }
    let got = house.ask(&Ask::get("/_queue/journal").operator());
    let faults = audit(&[&got.body], &[]).faults;
    assert_eq!(faults, Vec::<String>::new(), "{}", got.body);
}

fn a_number_of_the_main_line_that_proves_a_loss_gives_no_number_of_a_group_twice(house: &House) {
    let mut line = room(house, "20", 2);
    front(house, 2);
    let backup = house.store.command(&["HGETALL", &house.key("")]).unwrap();
    let mut unknown = front(house, 1).remove(0);
    line.extend(room(house, "20", 1));
    house.wait(5 * MINUTE);
    restore(house, &backup);
    house.forget_pop();
    house.go_to_pop(2);
    assert_eq!(line[2].ask("/").json()["position"], 3);
    let mut new = front(house, 1).remove(0);
    assert_eq!(place(&unknown.ask("/")), (3, 2));
    house.forget_the_sign();
    assert_eq!(place(&new.ask("/")), (4, 3));
}

fn a_ticket_of_a_group_of_a_lost_line_draws_once_however_often_it_comes(house: &House) {
    let mut line = room(house, "20", 2);
    let guest = front(house, 3).remove(2);
    house.wait(SECOND);
    lost_for_good(house, &mut line[0]);
    for _ in 0..4 {
        let mut copy = Visitor::holding(house, guest.ticket.clone());
        assert_eq!(place(&copy.ask("/")), (1, 0), "one number");
        house.wait(6 * MINUTE);
        line[0].ask("/");
    }
    assert_eq!(uses(house, "many").as_deref(), Some("3"));
}

fn a_ticket_of_a_group_that_could_not_draw_again_at_once_draws_once(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guest = front(house, 3).remove(2);
    house.wait(SECOND);
    lost_for_good(house, &mut line[0]);
    house.store.fail(Faults::always(Fault::DropAnswer));
    guest.ask("/");
    house.store.fail(Faults::none());
    for _ in 0..3 {
        house.wait(6 * MINUTE);
        line[0].ask("/");
        Visitor::holding(house, guest.ticket.clone()).ask("/");
    }
    assert_eq!(house.numbers("front").1, 1);
}

fn a_draw_repeated_after_the_line_came_back_uses_no_invitation_again(house: &House) {
    let mut line = room(house, "20", 2);
    front(house, 2);
    house.forget_the_sign();
    line[0].ask("/");
    lose(house);
    house.go_to_pop(1);
    house.forget_pop();
    let code = code(house, "late", 1);
    let mut guest = Visitor::new(house);
    guest.send_once(sent(&code, "/echo"));
    let before = guest.ticket.clone();
    used(&mut guest, &code);
    assert_eq!(uses(house, "late").as_deref(), Some("1"));
    // The data centre that knows the line brings it back, and the answer with the number never came.
    house.go_to_pop(0);
    house.wait(2 * SECOND);
    line[0].ask("/");
    house.wait(20 * SECOND);
    line[0].ask("/");
    let mut again = Visitor::holding(house, before);
    again.ask("/echo");
    assert_eq!(
        place(&again.ask("/")),
        (3, 2),
        "behind those that are known"
    );
    assert_eq!(uses(house, "late").as_deref(), Some("1"), "used once");
}

/// The store has lost everything, so nothing shows that this ticket had an invitation, and the invitation is good again.
fn a_ticket_of_a_group_that_the_store_knows_nothing_of_draws_in_the_main_line(house: &House) {
    let mut line = room(house, "20", 2);
    let guests = front(house, 3);
    house.wait(SECOND);
    house.store.command(&["FLUSHALL"]).unwrap();
    lost_for_good(house, &mut line[0]);
    let told = Visitor::holding(house, guests[1].ticket.clone()).ask("/");
    assert_eq!(told.json()["lane"], Value::Null, "{told:?}");
    assert!(told.json()["position"].is_u64(), "{told:?}");
    assert_eq!(told.json()["notice"], "line_started_anew");
    let mut invited = Visitor::holding(house, guests[2].ticket.clone());
    let told = used(&mut invited, &code(house, "many", 1000));
    assert_eq!(place(&told), (1, 0), "by the invitation");
    assert_eq!(uses(house, "many").as_deref(), Some("1"));
}

fn a_ticket_of_a_group_draws_there_again_as_long_as_the_store_knows_of_it(house: &House) {
    let mut line = room(house, "20", 2);
    let mut guest = front(house, 3).remove(2);
    // Longer than the answer to a draw may be asked for again.
    for _ in 0..4 {
        house.wait(5 * MINUTE);
        guest.ask("/");
    }
    lost_for_good(house, &mut line[0]);
    assert_eq!(place(&guest.ask("/")), (1, 0));
    assert_eq!(uses(house, "many").as_deref(), Some("3"));
}
