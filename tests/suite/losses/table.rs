//! Every kind of ticket, of copies and of loss: what becomes of the ticket's holder.

use std::time::Duration;

use now_serving::queue::{Now, RoomName, WaitingProof};
use now_serving::ticket::{Keys, Ticket, TicketStage};
use serde_json::Value;

use crate::house::{Ask, House, SECRET, Visitor, claims, inside, visitors};
use crate::stories::lines::{line, place, with_ticket};

/// What comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// The number is shown at once and stays.
    Kept,
    /// "A moment, please", then the number is shown and stays.
    HeldThenKept,
    /// "A moment, please", then a new number, and why.
    HeldThenEnded,
    /// A new number at once, and why.
    Ended,
}
use Fate::{Ended, HeldThenEnded, HeldThenKept, Kept};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Of the line that was lost.
    Same,
    /// The same, with two more visitors of that line.
    SameOfThree,
    /// Renewed by a poll.
    Renewed,
    /// Signed again by `/_queue/updates`.
    Prolonged,
    /// Signed by a POP whose clock is a minute behind, or ahead.
    Slow,
    Fast,
    /// Of a line that was lost before it.
    Older,
    /// Of the line that was lost, before *End all tickets*.
    EndedEpoch,
    /// Of a line that began later and that no POP knows.
    Younger,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Copies {
    None,
    /// One POP knows the line that was lost.
    One,
    /// And another one, which polls first, knows the line before it.
    Two,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    /// `FLUSHALL`, or a new database.
    Empty,
    /// The line's key is deleted.
    Deleted,
    /// It expires.
    Expired,
    /// A backup of the line is restored.
    Backup,
    /// A backup of the line before it is restored.
    OldBackup,
}

const COPIES: [Copies; 3] = [Copies::None, Copies::One, Copies::Two];
const LOSSES: [Loss; 5] = [
    Loss::Empty,
    Loss::Deleted,
    Loss::Expired,
    Loss::Backup,
    Loss::OldBackup,
];

/// For each kind: the fates by copies, for data that are gone, a backup, and an older backup.
const TABLE: [(Kind, [[Fate; 3]; 3]); 9] = {
    // Where a POP or a ticket knows more than the backup, its data count as new ones, and other lines may still come back.
    let of_this_line = [[HeldThenEnded, Kept, HeldThenEnded], [Kept; 3], [Kept; 3]];
    let of_three = [[HeldThenKept, Kept, HeldThenKept], [Kept; 3], [Kept; 3]];
    let of_no_line = [[HeldThenEnded; 3]; 3];
    // The copies know that all tickets were ended since.
    let of_the_line_before = [[HeldThenEnded, Ended, Kept], [Ended; 3], [Ended; 3]];
    let ended = [
        [HeldThenEnded, Ended, HeldThenEnded],
        [Ended; 3],
        [Ended; 3],
    ];
    [
        (Kind::Same, of_this_line),
        (Kind::SameOfThree, of_three),
        (Kind::Renewed, of_this_line),
        (Kind::Prolonged, of_this_line),
        (Kind::Slow, of_this_line),
        (Kind::Fast, of_this_line),
        (Kind::Older, of_the_line_before),
        (Kind::EndedEpoch, ended),
        (Kind::Younger, of_no_line),
    ]
};

fn born(visitor: &Visitor<'_>) -> u64 {
    claims(visitor.ticket.as_deref().unwrap())["born"]
        .as_u64()
        .unwrap()
}

fn waiting(visitor: &Visitor<'_>) -> WaitingProof {
    let claims = claims(visitor.ticket.as_deref().unwrap());
    let number = |name: &str| claims[name].as_u64().unwrap();
    place(number("born"), number("pos"), number("cur"))
}

fn hash(house: &House) -> Vec<String> {
    let pairs = house.store.command(&["HGETALL", "queue:{main}"]).unwrap();
    let pairs = pairs.as_array().unwrap().iter();
    pairs
        .map(|text| text.as_str().unwrap().to_owned())
        .collect()
}

/// With our signature, by a POP whose clock says `now`.
fn signed_at(place: WaitingProof, now: u64) -> String {
    let now = Now::from_secs(now);
    let id = format!("{:032x}", place.place.position.0 + 1000);
    let ticket = Ticket {
        life: 3600,
        ..Ticket::new(id, TicketStage::Waiting(place), now)
    };
    let keys = Keys::new(SECRET, None);
    keys.sign(&ticket, &RoomName::new("main"), now, 3600)
        .unwrap()
}

fn forget_everything(house: &House) {
    house.wait(Duration::from_mins(5));
    house.store.restart_empty();
    for pop in [1, 0] {
        house.go_to_pop(pop);
        house.forget_pop();
    }
}

/// Plays one row.
fn row(house: &House, kind: Kind, copies: Copies, loss: Loss, fate: Fate) {
    let name = format!("{kind:?}, {copies:?}, {loss:?}");
    forget_everything(house);
    // The line before, which POP 1 still knows when its data are lost.
    house.go_to_pop(1);
    let older = line(house, 6);
    house.wait(Duration::from_secs(130));
    house.permit(2);
    let old_backup = hash(house);
    house.store.restart_empty();
    // The line, which POP 0 knows.
    house.go_to_pop(0);
    house.wait(Duration::from_secs(5));
    let ended = line(house, 3);
    house.wait(Duration::from_secs(130));
    house.change("epoch", r#"{"word":"main"}"#);
    let mut these = line(house, 8);
    house.permit(2);
    let backup = hash(house);
    more_until_the_loss(house, &mut these);
    let now = house.now_ms() / 1000;
    let subject = &these[5];
    let here = waiting(subject);
    let old = waiting(&older[4]);
    let ticket = match kind {
        Kind::Same | Kind::SameOfThree | Kind::Prolonged => subject.ticket.clone().unwrap(),
        Kind::Renewed | Kind::Fast => {
            signed_at(here, now + if kind == Kind::Fast { 60 } else { 0 })
        }
        Kind::Slow => signed_at(here, now - 60),
        Kind::Older => signed_at(old, now),
        Kind::EndedEpoch => ended[1].ticket.clone().unwrap(),
        Kind::Younger => signed_at(place(house.now_ms() - 500, 5, 5), now),
    };
    let mut visitor = Visitor::new(house);
    visitor.ticket = Some(ticket);
    if kind == Kind::Prolonged {
        visitor.send(Ask::get("/_queue/updates?every=off&to=/"));
    }
    let number = claims(visitor.ticket.as_deref().unwrap())["pos"].clone();
    lose(house, loss, &backup, &old_backup);
    poll_by_copies(house, copies, &older);
    house.go_to_pop(0);
    let mut stranger = Visitor::new(house);
    stranger.ask("/");
    let mut told = visitor.ask("/").json();
    let is_held = |told: &Value| told["ahead"].is_null();
    let begins_held = matches!(fate, HeldThenKept | HeldThenEnded);
    assert_eq!(is_held(&told), begins_held, "{name}: {told}");
    for _ in 0..8 {
        house.wait(Duration::from_secs(17));
        if kind == Kind::SameOfThree {
            for other in &mut these[6..8] {
                other.ask("/");
                // A copy of the board serves for a second; in the next one a poll renews it.
                house.wait(Duration::from_millis(1200));
            }
        }
        told = visitor.ask("/").json();
    }
    let is_new = matches!(fate, Ended | HeldThenEnded);
    assert_eq!(
        told["notice"] == "line_started_anew",
        is_new,
        "{name}: {told}"
    );
    if !is_new {
        assert_eq!(told["position"], number, "{name}: {told}");
    }
    if copies != Copies::None {
        let told = these[4].ask("/").json();
        assert_eq!(
            told["position"],
            here.place.position.0 - 1,
            "{name}: the line itself"
        );
        assert_eq!(told["cursor"], 5, "{name}: and nothing has moved it");
    }
}

/// Two visitors whom the backup does not know.
fn more_until_the_loss<'a>(house: &'a House, these: &mut Vec<Visitor<'a>>) {
    for mut visitor in visitors(house, 2) {
        visitor.ask("/");
        these.push(visitor);
    }
    house.wait(Duration::from_secs(1));
}

fn lose(house: &House, loss: Loss, backup: &[String], old_backup: &[String]) {
    match loss {
        Loss::Empty => house.store.restart_empty(),
        Loss::Expired => house.wait(Duration::from_mins(20)),
        Loss::Deleted | Loss::Backup | Loss::OldBackup => {}
    }
    house.store.command(&["DEL", "queue:{main}"]).unwrap();
    let restored = match loss {
        Loss::Backup => backup,
        Loss::OldBackup => old_backup,
        Loss::Empty | Loss::Deleted | Loss::Expired => return,
    };
    let fields: Vec<&str> = restored.iter().map(String::as_str).collect();
    house.write(&fields);
}

fn poll_by_copies(house: &House, copies: Copies, older: &[Visitor<'_>]) {
    match copies {
        Copies::None => {
            for pop in [0, 1] {
                house.go_to_pop(pop);
                house.forget_pop();
            }
        }
        Copies::One => {}
        Copies::Two => {
            house.go_to_pop(1);
            house.forget_the_sign();
            let ticket = older[0].ticket.as_deref().unwrap();
            house.ask(&with_ticket(Ask::get("/_queue/place").json(), ticket));
        }
    }
    house.go_to_pop(0);
    house.forget_the_sign();
}

fn play_the_table(house: &House, is_played: impl Fn(usize) -> bool) {
    let mut rows = 0;
    for (kind, fates) in TABLE {
        for (copies, fates) in COPIES.into_iter().zip(fates) {
            for loss in LOSSES {
                let fate = match loss {
                    Loss::Empty | Loss::Deleted | Loss::Expired => fates[0],
                    Loss::Backup => fates[1],
                    Loss::OldBackup => fates[2],
                };
                if is_played(rows) {
                    row(house, kind, copies, loss, fate);
                }
                rows += 1;
            }
        }
    }
    assert_eq!(rows, 135);
}

fn into_a_fresh_store_the_first_five_go_in_at_once(house: &House) {
    house.set("automatic", "15");
    house.set("automatic_quantity", "5");
    let mut first = visitors(house, 7);
    let expected = [true, true, true, true, true, false, false];
    assert_eq!(inside(&mut first), expected);
    assert!(born(&first[6]) > 0);
}

mod native {
    use super::*;

    #[test]
    fn every_ticket_meets_its_fate_in_every_seventh_loss() {
        play_the_table(&House::native(), |row| row % 7 == 0);
    }

    #[test]
    fn into_a_fresh_store_the_first_five_go_in_at_once() {
        super::into_a_fresh_store_the_first_five_go_in_at_once(&crate::house::House::native());
    }
}

mod simulated {
    use super::*;

    #[test]
    fn every_ticket_meets_its_fate_in_every_loss() {
        play_the_table(&House::native(), |_| true);
    }
}

mod redis {
    use super::*;

    #[test]
    fn every_ticket_meets_its_fate_in_every_loss() {
        play_the_table(&House::redis(), |row| row % 3 == 0);
    }
}

mod platform {
    use super::*;

    /// A sample of the table through the Wasm: its POP knows the line.
    #[test]
    fn every_ticket_meets_its_fate_in_a_loss() {
        let house = House::wasm();
        let mut these = line(&house, 8);
        house.permit(2);
        let here = waiting(&these[5]);
        house.store.restart_empty();
        house.forget_the_sign();
        let now = house.now_ms() / 1000;
        let ask = |ticket: String| {
            let mut visitor = Visitor::new(&house);
            visitor.ticket = Some(ticket);
            visitor.ask("/").json()
        };
        assert_eq!(these[5].ask("/").json()["position"], 6, "kept");
        for at in [now - 60, now, now + 60] {
            assert_eq!(ask(signed_at(here, at))["position"], 6, "kept");
        }
        let told = ask(signed_at(place(1000, 5, 0), now));
        assert!(
            told["ahead"].is_null() && told["notice"].is_null(),
            "held: {told}"
        );
        let told = these[7].ask("/").json();
        assert_eq!(
            (told["position"].as_u64(), told["cursor"].as_u64()),
            (Some(8), Some(2))
        );
    }
}
