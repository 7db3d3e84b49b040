//! What the holders of tickets that were issued cannot do, and what several losses in a row do not do.

use std::time::Duration;

use now_serving::queue::{Now, RoomName};
use now_serving::ticket::{Keys, Ticket};
use serde_json::Value;

use crate::house::{Ask, House, SECRET, Visitor, visitors};
use crate::stories::lines::{line, status, with_ticket};

/// Where POPs have caches of their own.
macro_rules! in_houses_with_pops {
    ($($story:ident)*) => {
        mod native {
            $(#[test] fn $story() { super::$story(&crate::house::House::native()); })*
        }
        mod redis {
            $(#[test] fn $story() { super::$story(&crate::house::House::redis()); })*
        }
    };
}

in_houses_with_pops! {
    no_number_is_given_twice_when_the_first_pop_to_poll_knows_an_hour_old_sign
    data_lost_twice_within_two_minutes_lose_no_place
    a_pop_without_a_sign_between_two_losses_does_not_end_the_older_line
    an_operator_s_setting_after_the_loss_is_newer_than_any_sign_from_before
    a_pace_that_comes_back_stays
    visitors_inside_a_younger_line_stay_inside_when_an_older_one_comes_back
    end_all_tickets_in_a_young_line_lasts
    end_all_tickets_just_before_a_loss_lasts_though_another_pop_missed_it
    a_clock_that_is_set_back_makes_no_line_young_again
    a_line_whose_data_and_clock_go_back_keeps_its_places
    an_old_line_that_comes_back_changes_no_cookie
    tickets_of_an_ended_epoch_end_nothing
    newcomers_overtake_within_the_stated_bound
    a_backup_restored_twice_gives_no_number_twice
    a_backup_restored_gives_no_number_twice_though_the_first_pop_missed_most_of_them
    a_ticket_beyond_a_restored_backup_shows_that_more_numbers_were_given
    two_losses_give_no_number_twice_though_each_pop_missed_others
    a_draw_repeated_after_a_loss_takes_no_other_visitor_s_number
    who_was_called_between_a_loss_and_the_first_copy_goes_in
    a_ticket_of_a_younger_roll_keeps_no_older_one_away
}

/// No data are lost in the millisecond in which they began.
pub(super) fn lose(house: &House) {
    house.wait(Duration::from_secs(1));
    house.store.restart_empty();
}

fn position(told: &Value) -> u64 {
    told["position"]
        .as_u64()
        .unwrap_or_else(|| panic!("{told}"))
}

/// A ticket whose draw has not been confirmed.
fn without_number(house: &House, id: &str) -> String {
    let now = Now::from_ms(house.now_ms());
    let ticket = Ticket::provisional(id, now);
    let keys = Keys::new(SECRET, None);
    keys.sign(&ticket, &RoomName::new("main"), now, 3600)
        .unwrap()
}

fn hold_numbers_of_their_own(visitors: &mut [Visitor<'_>]) -> Vec<u64> {
    let ask = |visitor: &mut Visitor<'_>| position(&visitor.ask("/").json());
    let numbers: Vec<u64> = visitors.iter_mut().map(ask).collect();
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), numbers.len(), "held twice: {numbers:?}");
    numbers
}

/// This many more visitors draw.
fn more<'a>(house: &'a House, many: usize, all: &mut Vec<Visitor<'a>>) {
    for mut visitor in visitors(house, many) {
        visitor.ask("/");
        all.push(visitor);
    }
}

fn no_number_is_given_twice_when_the_first_pop_to_poll_knows_an_hour_old_sign(house: &House) {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    house.go_to_pop(0);
    more(house, 60, &mut all);
    house.wait(Duration::from_mins(50));
    hold_numbers_of_their_own(&mut all[3..]);
    lose(house);
    house.go_to_pop(1);
    more(house, 5, &mut all);
    house.wait(Duration::from_secs(20));
    house.go_to_pop(0);
    let numbers = hold_numbers_of_their_own(&mut all);
    assert_eq!(numbers[..63], (1..=63).collect::<Vec<u64>>());
    house.wait(Duration::from_mins(3));
    let later = hold_numbers_of_their_own(&mut all);
    assert_eq!(later, numbers, "and each ticket keeps it");
}

fn data_lost_twice_within_two_minutes_lose_no_place(house: &House) {
    let mut all = line(house, 4);
    lose(house);
    house.go_to_pop(1);
    more(house, 3, &mut all);
    house.go_to_pop(0);
    house.forget_the_sign();
    all[0].ask("/");
    house.wait(Duration::from_secs(20));
    lose(house);
    house.forget_the_sign();
    let numbers = hold_numbers_of_their_own(&mut all);
    assert_eq!(numbers[..4], [1, 2, 3, 4]);
    house.wait(Duration::from_mins(5));
    assert_eq!(hold_numbers_of_their_own(&mut all), numbers);
}

fn a_pop_without_a_sign_between_two_losses_does_not_end_the_older_line(house: &House) {
    for first in [0, 1] {
        house.go_to_pop(0);
        lose(house);
        house.forget_pop();
        let mut all = line(house, 4);
        lose(house);
        house.wait(Duration::from_secs(1));
        house.go_to_pop(1);
        house.forget_pop();
        more(house, 2, &mut all);
        lose(house);
        house.wait(Duration::from_secs(3));
        // Either POP is the first to poll.
        for pop in [first, 1 - first] {
            house.go_to_pop(pop);
            house.ask(&Ask::get("/_queue/status").operator());
            all[if pop == 0 { 0 } else { 5 }].ask("/");
        }
        house.wait(Duration::from_secs(3));
        let numbers = hold_numbers_of_their_own(&mut all);
        assert_eq!(numbers[..4], [1, 2, 3, 4], "POP {first} first");
        house.wait(Duration::from_mins(3));
        assert_eq!(hold_numbers_of_their_own(&mut all), numbers);
    }
}

fn an_operator_s_setting_after_the_loss_is_newer_than_any_sign_from_before(house: &House) {
    let mut before = line(house, 2);
    house.change("mode", r#"{"mode":"open"}"#);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.go_to_pop(1);
    before[0].ask("/");
    lose(house);
    house.wait(Duration::from_secs(3));
    house.go_to_pop(2);
    house.change("mode", r#"{"mode":"hold"}"#);
    for pop in [0, 1, 0, 2] {
        house.go_to_pop(pop);
        house.forget_the_sign();
        before[1].ask("/");
        assert_eq!(status(house)["mode"], "hold", "POP {pop}");
    }
}

fn a_pace_that_comes_back_stays(house: &House) {
    let mut before = line(house, 2);
    let backup = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    house.change("settings", r#"{"automatic":60,"automatic_quantity":3}"#);
    house.change("message", r#"{"message":"one"}"#);
    let pace = |house: &House| {
        let told = house.ask(&Ask::get("/_queue/settings").operator()).json();
        told["pace"]["now"].clone()
    };
    let set = pace(house);
    assert_eq!(set["automatic"], 60);
    // The backup gets the same pace from an operator of a POP that has no board, and the message comes back from the first POP.
    restore(house, &backup);
    house.go_to_pop(1);
    house.change("settings", r#"{"automatic":60,"automatic_quantity":3}"#);
    house.go_to_pop(0);
    for _ in 0..3 {
        house.forget_the_sign();
        before[1].ask("/");
        assert_eq!(pace(house), set);
    }
}

fn restore(house: &House, backup: &Value) {
    let pairs = backup.as_array().unwrap().iter();
    let pairs: Vec<&str> = pairs.map(|text| text.as_str().unwrap()).collect();
    house.store.command(&["DEL", "queue:{main}"]).unwrap();
    house.write(&pairs);
}

fn visitors_inside_a_younger_line_stay_inside_when_an_older_one_comes_back(house: &House) {
    let mut old = line(house, 2);
    house.change("epoch", r#"{"word":"main"}"#);
    old[0].ask("/");
    house.wait(Duration::from_mins(1));
    lose(house);
    house.go_to_pop(1);
    house.permit(1);
    let mut new = Visitor::new(house);
    assert!(new.ask("/echo").inside, "a line that knows of no older one");
    house.go_to_pop(0);
    old[0].ask("/");
    house.go_to_pop(1);
    house.forget_the_sign();
    old[1].ask("/");
    assert!(status(house)["epoch"].as_u64() > Some(1), "it came back");
    for _ in 0..2 {
        house.forget_the_sign();
        assert!(new.ask("/echo").inside);
    }
}

fn end_all_tickets_in_a_young_line_lasts(house: &House) {
    for seconds in [1, 9, 30] {
        for adopts_first in [false, true] {
            let mut old = line(house, 4);
            lose(house);
            house.wait(Duration::from_secs(3));
            house.go_to_pop(usize::from(!adopts_first));
            house.forget_the_sign();
            if !adopts_first {
                house.forget_pop();
            }
            more(house, 1, &mut old);
            house.wait(Duration::from_secs(seconds));
            house.change("epoch", r#"{"word":"main"}"#);
            let length = status(house)["length"].as_u64().unwrap();
            house.go_to_pop(0);
            house.forget_the_sign();
            for visitor in &mut old {
                let told = visitor.ask("/").json();
                assert_eq!(
                    told["notice"], "line_started_anew",
                    "{seconds} {adopts_first}"
                );
                assert!(position(&told) > length, "{told}");
            }
        }
    }
}

fn end_all_tickets_just_before_a_loss_lasts_though_another_pop_missed_it(house: &House) {
    let mut old = line(house, 4);
    house.go_to_pop(1);
    house.change("epoch", r#"{"word":"main"}"#);
    let mut new = Visitor::new(house);
    let number = position(&new.ask("/").json());
    lose(house);
    house.wait(Duration::from_secs(3));
    house.go_to_pop(0);
    old[1].ask("/");
    house.go_to_pop(1);
    house.forget_the_sign();
    assert_eq!(position(&new.ask("/").json()), number);
    let told = old[0].ask("/").json();
    assert_eq!(told["notice"], "line_started_anew");
    assert!(position(&told) > number);
}

fn a_clock_that_is_set_back_makes_no_line_young_again(house: &House) {
    let old = line(house, 4);
    house.wait(Duration::from_mins(1));
    lose(house);
    house.go_to_pop(1);
    let mut new = line(house, 2);
    house.wait(Duration::from_secs(130));
    new[0].ask("/");
    house.set_back(Duration::from_mins(1));
    house.go_to_pop(0);
    house.forget_pop();
    house.ask(&with_ticket(
        Ask::get("/").json(),
        old[0].ticket.as_deref().unwrap(),
    ));
    house.ask(&with_ticket(
        Ask::get("/").json(),
        old[1].ticket.as_deref().unwrap(),
    ));
    house.ask(&with_ticket(
        Ask::get("/").json(),
        old[2].ticket.as_deref().unwrap(),
    ));
    house.go_to_pop(1);
    house.wait(Duration::from_mins(2));
    assert_eq!(hold_numbers_of_their_own(&mut new), [1, 2]);
}

fn a_line_whose_data_and_clock_go_back_keeps_its_places(house: &House) {
    let mut all = line(house, 3);
    house.wait(Duration::from_secs(5));
    lose(house);
    house.set_back(Duration::from_mins(1));
    house.go_to_pop(1);
    more(house, 2, &mut all);
    house.go_to_pop(0);
    house.wait(Duration::from_mins(1));
    let numbers = hold_numbers_of_their_own(&mut all);
    // By its clock the data that began in between are the older ones.
    assert_eq!(numbers, [3, 4, 5, 1, 2]);
    house.wait(Duration::from_mins(3));
    assert_eq!(hold_numbers_of_their_own(&mut all), numbers);
}

fn an_old_line_that_comes_back_changes_no_cookie(house: &House) {
    let mut old = line(house, 3);
    lose(house);
    house.go_to_pop(1);
    let mut new = Visitor::new(house);
    assert_eq!(position(&new.ask("/").json()), 1);
    let first = new.ticket.clone().unwrap();
    house.go_to_pop(0);
    house.forget_the_sign();
    old[0].ask("/");
    let number = position(&new.ask("/").json());
    assert!(number > 3);
    house.wait(Duration::from_mins(3));
    assert_eq!(position(&new.ask("/").json()), number);
    assert_eq!(new.ticket.as_ref(), Some(&first), "it says the same");
    let length = status(house)["length"].clone();
    let told = house.ask(&with_ticket(Ask::get("/").json(), &first)).json();
    assert_eq!(
        position(&told),
        number,
        "a second client with the old cookie"
    );
    assert_eq!(status(house)["length"], length);
}

fn tickets_of_an_ended_epoch_end_nothing(house: &House) {
    let old = line(house, 3);
    house.change("epoch", r#"{"word":"main"}"#);
    let mut new = line(house, 3);
    lose(house);
    house.forget_pop();
    let mut stranger = Visitor::new(house);
    stranger.ask("/");
    house.wait(Duration::from_secs(12));
    for visitor in &old {
        let ticket = visitor.ticket.as_deref().unwrap();
        house.ask(&with_ticket(Ask::get("/_queue/place").json(), ticket));
        house.forget_the_sign();
    }
    for visitor in &mut new {
        visitor.ask("/");
        house.forget_the_sign();
    }
    assert_eq!(hold_numbers_of_their_own(&mut new), [4, 5, 6]);
    for visitor in &old {
        let ticket = visitor.ticket.as_deref().unwrap();
        house.forget_the_sign();
        let told = house.ask(&with_ticket(Ask::get("/_queue/place").json(), ticket));
        assert_eq!(told.json()["ticket"], "ended");
    }
    let mut all = new;
    all.push(stranger);
    hold_numbers_of_their_own(&mut all);
}

fn who_was_called_between_a_loss_and_the_first_copy_goes_in(house: &House) {
    house.set("automatic", "0");
    let mut old = line(house, 5);
    lose(house);
    house.go_to_pop(1);
    let mut new = line(house, 2);
    house.permit(1);
    house.go_to_pop(0);
    house.forget_the_sign();
    assert_eq!(position(&old[4].ask("/").json()), 5);
    house.go_to_pop(1);
    house.forget_the_sign();
    let told = new[1].ask("/").json();
    assert_eq!((position(&told), &told["ahead"]), (7, &5.into()), "{told}");
    assert!(new[0].ask("/echo").inside, "the number was called");
    assert!(!old[0].ask("/echo").inside, "and no other one");
}

fn a_ticket_of_a_younger_roll_keeps_no_older_one_away(house: &House) {
    let mut old = line(house, 3);
    lose(house);
    house.forget_pop();
    let mut younger = line(house, 1);
    lose(house);
    house.forget_pop();
    let mut stranger = line(house, 1);
    house.wait(Duration::from_secs(12));
    for visitor in younger.iter_mut().chain(&mut old) {
        visitor.ask("/");
        house.forget_the_sign();
    }
    house.wait(Duration::from_mins(3));
    let told: Vec<u64> = old
        .iter_mut()
        .map(|one| position(&one.ask("/").json()))
        .collect();
    assert_eq!(told, [1, 2, 3]);
    assert_eq!(position(&stranger[0].ask("/").json()), 4);
}

/// `automatic_quantity` × (1 + t ÷ `automatic`), where t is the time to the first poll of a POP that knows the line.
fn newcomers_overtake_within_the_stated_bound(house: &House) {
    let (automatic, quantity) = (10_u64, 3_u64);
    house.set("automatic", &automatic.to_string());
    house.set("automatic_quantity", &quantity.to_string());
    for (knows, seconds) in [(true, 0), (false, 5), (false, 15), (false, 25), (false, 95)] {
        lose(house);
        house.go_to_pop(1);
        house.forget_pop();
        house.go_to_pop(0);
        house.forget_pop();
        let mut old = line(house, 40);
        house.wait_for_period(automatic);
        old[39].ask("/");
        lose(house);
        let lost = house.now_ms();
        if !knows {
            house.go_to_pop(1);
        }
        let mut new = Vec::new();
        while house.now_ms() < lost + seconds * 1000 {
            more(house, 4, &mut new);
            house.wait(Duration::from_secs(1));
        }
        more(house, 4, &mut new);
        house.go_to_pop(0);
        old[39].ask("/");
        house.forget_the_sign();
        house.go_to_pop(1);
        let inside = new.iter_mut().map(|visitor| visitor.ask("/echo").inside);
        let overtook = inside.filter(|inside| *inside).count();
        let bound = quantity * (1 + seconds.div_ceil(automatic));
        let bound = if knows { 0 } else { bound };
        assert!(overtook as u64 <= bound, "{overtook} after {seconds} s");
    }
}

/// Asks once more in every POP, and when the data are no longer young.
fn hold_their_numbers_for_good(house: &House, all: &mut [Visitor<'_>]) -> Vec<u64> {
    for pop in [1, 2, 0] {
        house.go_to_pop(pop);
        house.forget_the_sign();
        all[0].ask("/");
    }
    let numbers = hold_numbers_of_their_own(all);
    house.wait(Duration::from_mins(3));
    assert_eq!(hold_numbers_of_their_own(all), numbers);
    numbers
}

/// A line of three that POP 1 knows, its backup, and then `by_one` more that POP 1 knows and `by_zero` that only POP 0 does.
fn backed_up(house: &House, by_one: usize, by_zero: usize) -> (Vec<Visitor<'_>>, Value) {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    let backup = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    more(house, by_one, &mut all);
    house.go_to_pop(0);
    more(house, by_zero, &mut all);
    house.wait(Duration::from_mins(5));
    (all, backup)
}

fn a_backup_restored_gives_no_number_twice_though_the_first_pop_missed_most_of_them(house: &House) {
    let (mut all, backup) = backed_up(house, 2, 60);
    restore(house, &backup);
    house.go_to_pop(1);
    more(house, 30, &mut all);
    house.wait(Duration::from_secs(20));
    let numbers = hold_their_numbers_for_good(house, &mut all);
    assert_eq!(numbers[..65], (1..=65).collect::<Vec<u64>>());
}

fn a_ticket_beyond_a_restored_backup_shows_that_more_numbers_were_given(house: &House) {
    let (mut all, backup) = backed_up(house, 0, 60);
    restore(house, &backup);
    house.go_to_pop(2);
    house.forget_pop();
    assert_eq!(position(&all[10].ask("/").json()), 11);
    more(house, 30, &mut all);
    house.wait(Duration::from_secs(20));
    let numbers = hold_their_numbers_for_good(house, &mut all);
    assert_eq!(numbers[..63], (1..=63).collect::<Vec<u64>>());
}

fn two_losses_give_no_number_twice_though_each_pop_missed_others(house: &House) {
    house.go_to_pop(1);
    let mut all = line(house, 4);
    house.go_to_pop(0);
    more(house, 40, &mut all);
    house.wait(Duration::from_mins(5));
    lose(house);
    house.go_to_pop(1);
    more(house, 30, &mut all);
    house.go_to_pop(2);
    house.forget_pop();
    more(house, 30, &mut all);
    house.wait(Duration::from_secs(20));
    lose(house);
    for pop in [1, 2] {
        house.go_to_pop(pop);
        more(house, 30, &mut all);
    }
    let numbers = hold_their_numbers_for_good(house, &mut all);
    assert_eq!(numbers[..44], (1..=44).collect::<Vec<u64>>());
    assert!(numbers.is_sorted(), "in the order of arrival: {numbers:?}");
}

fn a_draw_repeated_after_a_loss_takes_no_other_visitor_s_number(house: &House) {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    house.go_to_pop(0);
    more(house, 60, &mut all);
    // The store loses the line, and still knows the draws that follow.
    lose(house);
    house.go_to_pop(1);
    let id = "0123456789abcdef0123456789abcdef";
    let mut repeats = Visitor::new(house);
    repeats.ticket = Some(without_number(house, id));
    let first = position(&repeats.ask("/").json());
    house.wait(Duration::from_secs(1));
    house.store.command(&["DEL", "queue:{main}"]).unwrap();
    repeats.ticket = Some(without_number(house, id));
    assert_eq!(position(&repeats.ask("/").json()), first);
    all.push(repeats);
    hold_their_numbers_for_good(house, &mut all);
}

fn a_backup_restored_twice_gives_no_number_twice(house: &House) {
    let mut all = line(house, 3);
    let backup = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    for _ in 0..2 {
        more(house, 4, &mut all);
        restore(house, &backup);
        more(house, 4, &mut all);
        house.forget_the_sign();
    }
    hold_numbers_of_their_own(&mut all);
}
