//! The line of Fastly's starter kit, taken over: its numbers, its tickets, and an end.

use audit::audit;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cli_core::kit::{TakenOver, take_over};
use now_serving::queue::RoomName;
use serde_json::{Value, json};

use super::rooms::{Browser, named};
use crate::house::{Ask, House, SECRET};

const KIT: &str = "development-only-secret-of-the-kit-of-32-bytes";

/// As the kit signs a ticket.
fn ticket_of_kit(position: u64, secret: &str) -> String {
    let payload = json!({ "position": position, "expiry": "2100-01-01T00:00:00.000Z" });
    let parts = [r#"{"alg":"HS256"}"#.to_owned(), payload.to_string()];
    let said = parts.map(|part| URL_SAFE_NO_PAD.encode(part)).join(".");
    let tag = hmac_sha256::HMAC::mac(said.as_bytes(), secret.as_bytes());
    format!("{said}.{}", URL_SAFE_NO_PAD.encode(tag))
}

fn visitor_of_kit(position: u64) -> Browser {
    let mut visitor = Browser::default();
    visitor.keep("queue", &ticket_of_kit(position, KIT));
    visitor
}

/// The shop behind the room has a cookie of its own.
fn tickets(visitor: &Browser) -> Vec<&str> {
    let mut names = visitor.names();
    names.retain(|name| name.contains("queue"));
    names
}

fn take(house: &House) -> Result<TakenOver, String> {
    let command = |words: &[&str]| house.store.command(words);
    take_over(command, &RoomName::new(house.room()))
}

/// What the kit has in the store, where no other story looks.
fn kit_has(house: &House, cursor: &str, length: &str) {
    for (key, number) in [("queue:cursor", cursor), ("queue:length", length)] {
        house.store.command(&["SET", key, number]).unwrap();
    }
}

fn data(house: &House, visitor: &mut Browser, path: &str) -> Value {
    let ask = Ask::get(path).json().with("host", "www.shop.example");
    visitor.ask(house, ask).json()
}

pub(crate) fn the_line_of_the_kit_goes_on_here(house: &House) {
    house.set("automatic", "0");
    house.set("jwt_secret", &format!("{SECRET},{KIT}"));
    let keys = ["DEL", "queue:cursor", "queue:length"];
    house.store.command(&keys).unwrap();
    assert!(take(house).unwrap_err().contains("nothing to take over"));
    kit_has(house, "2", "many");
    assert!(take(house).unwrap_err().contains("\"many\""));
    kit_has(house, "-3", "7");
    let first = take(house).unwrap();
    let taken = |again, cursor, later| TakenOver {
        again,
        cursor,
        later,
        ..first.clone()
    };
    assert_eq!((first.numbers, &first), (7, &taken(false, 0, 0)));
    // The kit goes on until its package is replaced.
    kit_has(house, "4", "9");
    assert_eq!(take(house).unwrap(), taken(true, 4, 2));
    let setting = first.setting("2100-01-01T00:00:00Z").to_string();
    house.set("kit", &setting);

    let mut called = visitor_of_kit(4);
    for names in [
        &["__Host-queue", "__Host-queue-post", "queue"][..],
        &["__Host-queue", "__Host-queue-post"],
    ] {
        let got = called.ask(house, Ask::get("/").with("host", "www.shop.example"));
        assert!(got.inside, "{got:?}");
        // The kit's ends when the browser has shown that it keeps ours.
        assert_eq!(tickets(&called), names);
    }
    let mut waiting = visitor_of_kit(6);
    let told = data(house, &mut waiting, "/");
    assert_eq!((&told["position"], &told["ahead"]), (&json!(6), &json!(1)));
    assert_eq!(data(house, &mut waiting, "/")["position"], 6);
    assert_eq!(tickets(&waiting), ["__Host-queue"], "the kit's has ended");
    for (who, mut visitor) in [
        ("who draws here", Browser::default()),
        ("who drew in the kit later", visitor_of_kit(8)),
    ] {
        let mut told = (0..2).map(|_| data(house, &mut visitor, "/"));
        let drawn = told.find(|told| !told["position"].is_null()).unwrap();
        assert!(drawn["position"].as_u64() > Some(7), "{who}: {drawn}");
    }
    house.permit(2);
    let got = waiting.ask(house, Ask::get("/").with("host", "www.shop.example"));
    assert!(got.inside, "{got:?}");
    // What the room moved by itself does not go back.
    assert_eq!(take(house).unwrap(), taken(true, 6, 2));
    // What it moves on a line that is going is a line of the journal.
    kit_has(house, "7", "9");
    assert_eq!(take(house).unwrap(), taken(true, 7, 2));
    house.permit(1);
    let page = house.ask(&Ask::get("/_queue/journal").operator()).body;
    let report = audit(&[&page], &[]);
    assert_eq!(report.faults, Vec::<String>::new());
    assert!(page.contains(" restore 6 7 "), "{page}");
    assert!(
        report.notes[0].contains("the line had 7 numbers and the cursor stood at 4."),
        "{report:?}"
    );
}

pub(crate) fn a_line_of_the_kit_that_was_ended_is_not_moved_again(house: &House) {
    house.set("automatic", "0");
    kit_has(house, "1", "9");
    take(house).unwrap();
    house.change("epoch", &house.word());
    let before = house.numbers("main");
    kit_has(house, "5", "9");
    take(house).unwrap();
    assert_eq!(house.numbers("main"), before);
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["waiting"], &status["credit"]),
        (&json!(0), &json!(0)),
        "{status}"
    );
}

/// A line of nine numbers that is old.
fn nine_numbers(house: &House) {
    house.write(&["main length", "9"]);
}

pub(crate) fn a_ticket_of_the_kit_is_one_until_the_end_in_the_first_room_only(house: &House) {
    house.set("automatic", "0");
    house.set("jwt_secret", &format!("{SECRET},{KIT}"));
    nine_numbers(house);
    let kit = |until: &str| json!({ "until": until, "born": 1, "numbers": 9 }).to_string();
    house.set("kit", &kit("2100-01-01T00:00:00Z"));
    let sale = named(house, "sale");
    house.set(
        "rooms",
        &json!([{ "name": sale, "paths": "/sale/*" }]).to_string(),
    );
    let position = |visitor: &mut Browser, path| {
        let mut told = (0..2).map(|_| data(house, visitor, path)["position"].clone());
        told.find(|position| !position.is_null())
            .unwrap_or_default()
    };
    assert_eq!(position(&mut visitor_of_kit(5), "/"), 5);
    assert_eq!(
        position(&mut visitor_of_kit(5), "/sale/"),
        1,
        "another room"
    );
    let mut forged = Browser::default();
    forged.keep(
        "queue",
        &ticket_of_kit(5, "a secret of nobody here, of 32 bytes"),
    );
    assert_eq!(position(&mut forged, "/"), 10);
    // A kept ticket is one of ours.
    let mut kept = visitor_of_kit(6);
    assert_eq!(position(&mut kept, "/"), 6);
    house.set("kit", &kit("2020-01-01T00:00:00Z"));
    assert_eq!(position(&mut kept, "/"), 6);
    assert_eq!(position(&mut visitor_of_kit(5), "/"), 11, "too late");
    house.set("kit", "none");
    assert_eq!(
        position(&mut visitor_of_kit(5), "/"),
        12,
        "never taken over"
    );
}

/// Any page of the domain may set a cookie of that name, and not every one can be ended from here.
pub(crate) fn a_ticket_of_the_kit_takes_the_place_of_no_ticket_of_ours(house: &House) {
    house.set("automatic", "0");
    house.set("jwt_secret", &format!("{SECRET},{KIT}"));
    nine_numbers(house);
    let kit = json!({ "until": "2100-01-01T00:00:00Z", "born": 1, "numbers": 9 });
    house.set("kit", &kit.to_string());
    let mut visitor = Browser::default();
    let mut told = (0..2).map(|_| data(house, &mut visitor, "/")["position"].clone());
    assert_eq!(told.find(|position| !position.is_null()).unwrap(), 10);
    for number in [4, 9] {
        visitor.keep("queue", &ticket_of_kit(number, KIT));
        let got = visitor.ask(house, Ask::get("/").json().with("host", "www.shop.example"));
        assert_eq!(got.json()["position"], 10, "{got:?}");
        let signed = got.all("set-cookie").into_iter();
        let signed: Vec<&str> = signed.filter(|set| !set.starts_with("queue=;")).collect();
        assert_eq!(signed, Vec::<&str>::new(), "nothing is signed again");
        assert_eq!(tickets(&visitor), ["__Host-queue"]);
    }
    house.permit(10);
    house.forget_the_sign();
    visitor.keep("queue", &ticket_of_kit(9, KIT));
    let got = visitor.ask(house, Ask::get("/").with("host", "www.shop.example"));
    assert!(got.inside, "{got:?}");
    house.change("mode", r#"{"mode":"hold"}"#);
    house.forget_the_sign();
    visitor.keep("queue", &ticket_of_kit(9, KIT));
    let got = visitor.ask(house, Ask::get("/").with("host", "www.shop.example"));
    assert!(got.inside, "{got:?}");
    // What is no ticket of ours takes no place away either.
    let mut of_kit = visitor_of_kit(5);
    of_kit.keep("__Host-queue", "spoilt");
    for _ in 0..2 {
        assert_eq!(data(house, &mut of_kit, "/")["position"], 5);
    }
    assert_eq!(tickets(&of_kit), ["__Host-queue"]);
}
