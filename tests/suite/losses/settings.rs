//! What operators set around a loss of the data: of two settings the later one holds, whatever POP tells of it first.

use std::time::Duration;

use serde_json::{Value, json};

use super::attacks::lose;
use crate::house::{Ask, House, Visitor, visitors};
use crate::stories::lines::{line, status};

in_houses_whose_clock_is_turned! {
    a_message_set_after_a_loss_does_not_let_an_older_mode_come_back
    a_mode_set_after_a_loss_does_not_let_an_older_pace_come_back
    a_mode_set_after_a_loss_does_not_let_an_older_message_come_back
    a_mode_confirmed_after_a_loss_holds
    a_message_that_a_copy_brought_back_says_since_when_and_that_its_author_is_lost
    a_mode_set_after_a_restored_backup_holds
    numbers_that_were_ended_after_a_loss_do_not_come_back
    a_mode_set_between_two_losses_holds
    a_mode_set_between_two_losses_holds_in_the_other_order_too
    a_mode_confirmed_after_two_minutes_holds
    a_mode_confirmed_after_end_all_tickets_holds
    a_mode_confirmed_after_a_restored_backup_holds
    a_mode_confirmed_makes_no_version_when_another_pop_polls
    a_mode_set_after_a_loss_holds
    credit_cleared_after_a_loss_stays_cleared_after_two_minutes_too
    credit_cleared_after_a_loss_stays_cleared
    an_older_copy_changes_no_mode
}

fn settings(house: &House) -> Value {
    house.ask(&Ask::get("/_queue/settings").operator()).json()
}

/// POP 1 knows the room while it was open, POP 0 knows that it is on hold. The store is emptied, POP 0 brings the hold
/// back, the operator writes a message, and a visitor asks at POP 1.
fn a_message_set_after_a_loss_does_not_let_an_older_mode_come_back(house: &House) {
    house.go_to_pop(1);
    house.change("mode", r#"{"mode":"open"}"#);
    let mut early = Visitor::new(house);
    early.ask("/");
    house.go_to_pop(0);
    house.change("mode", r#"{"mode":"hold"}"#);
    let mut all = line(house, 3);
    house.forget_the_sign();
    all[0].ask("/");
    house.wait(Duration::from_mins(30));
    house.forget_the_sign();
    all[0].ask("/");
    assert_eq!(status(house)["mode"], "hold");
    lose(house);
    all[0].ask("/");
    assert_eq!(status(house)["mode"], "hold", "POP 0 brought it back");
    house.change("message", r#"{"message":"one moment"}"#);
    assert_eq!(status(house)["mode"], "hold");
    let before = status(house)["cursor"].clone();
    // Any visitor at the POP that was quiet.
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    let after = status(house);
    house.go_to_pop(0);
    house.forget_the_sign();
    let inside: Vec<bool> = all.iter_mut().map(|v| v.ask("/echo").inside).collect();
    assert_eq!(
        (&after["mode"], &after["cursor"], inside),
        (&"hold".into(), &before, vec![false; 3]),
        "{after}"
    );
}

fn a_mode_set_after_a_loss_does_not_let_an_older_pace_come_back(house: &House) {
    let mut all = line(house, 3);
    house.change("settings", r#"{"automatic":1,"automatic_quantity":1000}"#);
    house.go_to_pop(1);
    all[0].ask("/");
    house.go_to_pop(0);
    house.change("settings", r#"{"automatic":60,"automatic_quantity":3}"#);
    let mut more = visitors(house, 30);
    for v in &mut more {
        v.ask("/");
    }
    house.forget_the_sign();
    more[29].ask("/");
    lose(house);
    more[29].ask("/");
    assert_eq!(settings(house)["pace"]["now"]["automatic"], 60);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.go_to_pop(1);
    more[28].ask("/");
    assert_eq!(settings(house)["pace"]["now"]["automatic"], 60);
}

fn a_mode_set_after_a_loss_does_not_let_an_older_message_come_back(house: &House) {
    let mut all = line(house, 3);
    house.change("message", r#"{"message":"old"}"#);
    house.go_to_pop(1);
    all[0].ask("/");
    house.go_to_pop(0);
    house.change("message", r#"{"message":"new"}"#);
    house.forget_the_sign();
    all[0].ask("/");
    lose(house);
    all[0].ask("/");
    assert_eq!(settings(house)["message"]["now"], "new");
    house.change("mode", r#"{"mode":"hold"}"#);
    house.go_to_pop(1);
    all[1].ask("/");
    assert_eq!(settings(house)["message"]["now"], "new");
}

/// Before the loss the room was open. After it, the operator's panel (a POP without a board) shows automatic, and the
/// operator presses automatic.
fn a_mode_confirmed_after_a_loss_holds(house: &House) {
    let mut all = line(house, 3);
    house.change("mode", r#"{"mode":"open"}"#);
    all[0].ask("/");
    lose(house);
    house.go_to_pop(1);
    house.forget_pop();
    assert_eq!(status(house)["mode"], "automatic");
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.go_to_pop(0);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    assert_eq!(status(house)["mode"], "automatic");
}

/// The backup holds `hold`; the room was open when it was restored, and POP 0 knows that.
fn set_after_a_restored_backup(house: &House, mode: &str) {
    let mut all = line(house, 3);
    house.change("mode", r#"{"mode":"hold"}"#);
    let backup = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.change("mode", r#"{"mode":"open"}"#);
    all[0].ask("/");
    house.wait(Duration::from_mins(3));
    let pairs = backup.as_array().unwrap().iter();
    let pairs: Vec<&str> = pairs.map(|text| text.as_str().unwrap()).collect();
    house.store.command(&["DEL", "queue:{main}"]).unwrap();
    house.write(&pairs);
    house.go_to_pop(1);
    house.forget_pop();
    house.change("mode", &format!(r#"{{"mode":"{mode}"}}"#));
    house.go_to_pop(0);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    assert_eq!(status(house)["mode"], mode);
}

/// The message comes back by the board of a POP, which has no names. Who set it first is in the log; nobody is made up.
fn a_message_that_a_copy_brought_back_says_since_when_and_that_its_author_is_lost(house: &House) {
    let mut all = line(house, 3);
    let nobody = settings(house)["message"].clone();
    assert_eq!(
        (&nobody["since"], &nobody["by"]),
        (&json!(null), &json!(null))
    );
    house.change("message", r#"{"message":"Doors at nine"}"#);
    let set = settings(house)["message"].clone();
    assert_eq!(set["by"], "admin");
    all[0].ask("/");
    lose(house);
    all[0].ask("/");
    let back = settings(house)["message"].clone();
    let seen = (&back["now"], &back["since"], &back["by"]);
    assert_eq!(seen, (&set["now"], &set["since"], &json!(null)));
    let panel = house.ask(&Ask::get("/_queue/").operator()).body;
    assert!(
        panel.contains("by an operator whose name was lost with the data"),
        "{panel}"
    );
}

fn a_mode_set_after_a_restored_backup_holds(house: &House) {
    set_after_a_restored_backup(house, "closed");
}

/// The same as the first, without the message.
fn an_older_copy_changes_no_mode(house: &House) {
    house.go_to_pop(1);
    house.change("mode", r#"{"mode":"open"}"#);
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    house.change("mode", r#"{"mode":"hold"}"#);
    let mut all = line(house, 3);
    house.wait(Duration::from_mins(30));
    house.forget_the_sign();
    all[0].ask("/");
    lose(house);
    all[0].ask("/");
    assert_eq!(status(house)["mode"], "hold");
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    assert_eq!(status(house)["mode"], "hold");
}

/// POP 1 knows three numbers, POP 0 sixty more. The store is emptied, POP 1 brings its three back, the operator ends all
/// tickets, and then POP 0 polls: the next newcomer must not stand behind numbers that no visitor holds.
fn numbers_that_were_ended_after_a_loss_do_not_come_back(house: &House) {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    house.go_to_pop(0);
    let mut more = visitors(house, 600);
    for v in &mut more {
        v.ask("/");
    }
    house.forget_the_sign();
    more[0].ask("/");
    house.wait(Duration::from_mins(30));
    house.forget_the_sign();
    more[0].ask("/");
    lose(house);
    house.go_to_pop(1);
    all[0].ask("/");
    house.wait(Duration::from_secs(5));
    house.change("epoch", r#"{"word":"main"}"#);
    let mut new = Visitor::new(house);
    let told = new.ask("/").json();
    assert!(told["ahead"].as_u64() <= Some(1), "{told}");
    house.wait(Duration::from_secs(3));
    house.go_to_pop(0);
    let mut next = Visitor::new(house);
    next.ask("/");
    house.forget_the_sign();
    let told = next.ask("/").json();
    assert!(told["ahead"].as_u64() <= Some(40), "{told}");
}

fn opened_then_lost(house: &House) -> Vec<Visitor<'_>> {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.change("mode", r#"{"mode":"automatic"}"#);
    house.change("mode", r#"{"mode":"open"}"#);
    all[0].ask("/");
    house.wait(Duration::from_mins(5));
    house.forget_the_sign();
    all[0].ask("/");
    lose(house);
    house.go_to_pop(2);
    house.forget_pop();
    house.change("mode", r#"{"mode":"hold"}"#);
    all
}

/// The control: one loss.
fn a_mode_set_after_a_loss_holds(house: &House) {
    opened_then_lost(house);
    house.wait(Duration::from_secs(20));
    house.go_to_pop(1);
    Visitor::new(house).ask("/");
    assert_eq!(status(house)["mode"], "hold");
}

/// The data are lost again before POP 1 polls. POP 2 brings the hold back, and POP 1 knows nothing of it.
fn a_mode_set_between_two_losses_holds(house: &House) {
    after_two_losses(house, [2, 1]);
}

fn credit_cleared(house: &House, wait: Duration) {
    house.change("settings", r#"{"automatic":0,"automatic_quantity":1}"#);
    house.go_to_pop(1);
    let mut all = visitors(house, 3);
    for v in &mut all {
        v.ask("/");
    }
    house.permit(53);
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    house.go_to_pop(0);
    let mut more = visitors(house, 40);
    for v in &mut more {
        v.ask("/");
    }
    house.forget_the_sign();
    Visitor::new(house).ask("/");
    assert!(status(house)["credit"].as_u64() > Some(0));
    lose(house);
    house.go_to_pop(1);
    // Neither draws a number: only the board comes back.
    house.ask(&Ask::get("/_queue/place"));
    house.change("credit", "{}");
    assert_eq!(status(house)["credit"], 0);
    house.wait(wait);
    assert_eq!(status(house)["credit"], 0);
    house.go_to_pop(0);
    Visitor::new(house).ask("/");
    let told = status(house);
    assert_eq!(told["credit"], 0, "{told}");
}

fn credit_cleared_after_a_loss_stays_cleared_after_two_minutes_too(house: &House) {
    credit_cleared(house, Duration::from_mins(3));
}

fn credit_cleared_after_a_loss_stays_cleared(house: &House) {
    credit_cleared(house, Duration::from_mins(1));
}

/// POP 2 alone knows the hold that was set between the losses.
fn after_two_losses(house: &House, order: [usize; 2]) {
    opened_then_lost(house);
    Visitor::new(house).ask("/");
    house.wait(Duration::from_secs(20));
    lose(house);
    for pop in order {
        house.go_to_pop(pop);
        Visitor::new(house).ask("/");
        if pop == 2 {
            assert_eq!(status(house)["mode"], "hold");
        }
    }
    assert_eq!(status(house)["mode"], "hold");
}

fn confirmed(house: &House, wait: u64, route: &str, json: &str) {
    house.go_to_pop(0);
    house.change("mode", r#"{"mode":"hold"}"#);
    let mut all = line(house, 3);
    house.forget_the_sign();
    all[0].ask("/");
    house.go_to_pop(1);
    house.change("mode", r#"{"mode":"open"}"#);
    lose(house);
    house.go_to_pop(0);
    Visitor::new(house).ask("/");
    assert_eq!(status(house)["mode"], "hold");
    house.wait(Duration::from_secs(wait));
    house.change(route, json);
    house.change("mode", r#"{"mode":"hold"}"#);
    house.wait(Duration::from_secs(5));
    house.go_to_pop(1);
    Visitor::new(house).ask("/echo");
    assert_eq!(status(house)["mode"], "hold");
}

fn a_mode_confirmed_after_a_restored_backup_holds(house: &House) {
    set_after_a_restored_backup(house, "hold");
}

fn a_mode_confirmed_makes_no_version_when_another_pop_polls(house: &House) {
    house.go_to_pop(1);
    let mut all = line(house, 3);
    house.forget_the_sign();
    all[0].ask("/");
    house.go_to_pop(0);
    let before = status(house)["version"].clone();
    house.change("mode", r#"{"mode":"automatic"}"#);
    assert_eq!(status(house)["version"], before);
    house.go_to_pop(1);
    house.forget_the_sign();
    all[0].ask("/");
    house.go_to_pop(0);
    let got = house.ask(&Ask::json_to("message", r#"{"message":"a","version":0}"#));
    assert_eq!(got.status, 200);
}

fn a_mode_set_between_two_losses_holds_in_the_other_order_too(house: &House) {
    after_two_losses(house, [1, 2]);
}

fn a_mode_confirmed_after_two_minutes_holds(house: &House) {
    confirmed(house, 180, "credit", "{}");
}

fn a_mode_confirmed_after_end_all_tickets_holds(house: &House) {
    confirmed(house, 30, "epoch", r#"{"word":"main"}"#);
}
