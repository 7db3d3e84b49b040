//! Events on the panel, by forms alone.

use std::time::Duration;

use now_serving::page::iso_8601;
use serde_json::{Value, json};

use super::super::lot;
use super::{Form, assert_shows, follow, panel, press, text};
use crate::house::{Ask, Got, House, Visitor};
use crate::metrics::{numbers, scrape};

/// A time that many seconds from now, as a form writes it.
fn at(house: &House, after: u64) -> String {
    let second = house.now_ms() / 1000;
    iso_8601((second + after) * 1000).replace(".000Z", "")
}

fn sale(house: &House, [prequeue, opens, closes]: [u64; 3]) -> Value {
    let [prequeue, opens, closes] = [prequeue, opens, closes].map(|after| at(house, after) + "Z");
    json!({ "id": "sale", "prequeue": prequeue, "opens": opens, "closes": closes })
}

/// The phase by the log and by the metrics.
fn phases(house: &House) -> [Option<String>; 2] {
    let logged = house.log().pop().unwrap()["eventPhase"].clone();
    let numbers = numbers(&house.ask(&scrape()).body);
    let phases = ["before", "prequeue", "drawing", "open", "over"].into_iter();
    let measured = phases.filter(|phase| {
        let series = |(name, number): (&String, &f64)| {
            let label = format!("phase=\"{phase}\"");
            name.starts_with("now_serving_event_phase") && name.contains(&label) && *number > 0.5
        };
        numbers.iter().any(series)
    });
    [
        logged.as_str().map(str::to_owned),
        measured.map(str::to_owned).next(),
    ]
}

pub(crate) fn the_panel_says_which_phase_it_is_and_what_comes_next(house: &House) {
    let begins = sale(house, [300, 600, 3600]);
    house.set("event", &begins.to_string());
    let before = panel(house);
    assert_shows(
        &before,
        "Before the event: no visitor goes in, and none draws a number",
    );
    assert!(
        text(&before, "phase").starts_with("Event sale has not begun; its pre-queue begins at ")
    );
    Visitor::new(house).ask("/");
    assert_eq!(
        phases(house),
        ["before", "before"].map(|phase| Some(phase.to_owned()))
    );
    house.set("event", &sale(house, [0, 120, 3600]).to_string());
    let prequeue = panel(house);
    for words in [
        "Pre-queue: numbers are drawn, and no visitor goes in",
        "No visitor can be let in while the event is not open.",
        "Hold the line",
    ] {
        assert_shows(&prequeue, words);
    }
    assert!(text(&prequeue, "phase").starts_with("Pre-queue of event sale; it opens at "));
    assert!(!prequeue.body.contains("id=\"sold-out\""));
    house.wait(Duration::from_secs(2));
    let mut waiting = Visitor::new(house);
    for path in ["/", "/", "/_queue/place"] {
        waiting.ask(path);
    }
    assert_eq!(phases(house)[0].as_deref(), Some("prequeue"), "of a poll");
    let held = press(house, "brake", &[]);
    assert_shows(
        &held,
        "On hold for less than a minute, by admin: no new visitor goes in",
    );
    press(house, "brake", &[]);
    house.wait(Duration::from_secs(125));
    let open = panel(house);
    assert!(text(&open, "phase").starts_with("Event sale is open; it closes at "));
    assert_eq!(
        phases(house),
        ["open", "open"].map(|phase| Some(phase.to_owned()))
    );
    let asked = Form::of(&open, "sold-out").send(house);
    assert_shows(&asked, "Sold out?");
    let sold = follow(house, Form::of(&asked, "yes").send(house));
    assert!(text(&sold, "news").starts_with("The event is sold out: "));
    assert_eq!(text(&sold, "phase"), "Event sale is over.");
    assert_shows(&sold, "event sale sold out");
    let undone = follow(house, Form::of(&sold, "undo").send(house));
    assert!(text(&undone, "phase").starts_with("Event sale is open; it closes at "));
}

pub(crate) fn where_a_lot_is_awaited_the_panel_asks_for_its_value_and_decides_it_once(
    house: &House,
) {
    lot::event(house, &json!({ "public_value": "beacon 4711" }));
    let mut visitor = Visitor::new(house);
    visitor.ask("/");
    assert!(!panel(house).body.contains("id=\"decide\""), "not yet");
    house.wait(Duration::from_secs(62));
    visitor.ask("/");
    let awaited = panel(house);
    assert_shows(&awaited, "Public value from “beacon 4711”");
    for words in [
        "The order is not decided: numbers are drawn",
        "No visitor can be let in while the order is not decided.",
    ] {
        assert_shows(&awaited, words);
    }
    house.wait(Duration::from_mins(5));
    assert_shows(
        &panel(house),
        "The order is not decided 5 min after the opening: ",
    );
    let mistyped = press(house, "decide", &[("value", "\u{e9}")]);
    assert_eq!(mistyped.status, 400);
    let asked = Form::of(&mistyped, "decide")
        .with("value", "90ab 12")
        .send(house);
    assert_shows(&asked, "“90ab 12” decides the order by lot.");
    assert_shows(&panel(house), "id=\"decide\"");
    let decided = follow(house, Form::of(&asked, "yes").send(house));
    assert_eq!(
        text(&decided, "news"),
        "The order of 1 person is decided. The line moves."
    );
    assert!(!decided.body.contains("id=\"decide\""), "once");
}

fn listed(house: &House) -> Value {
    let told = house.ask(&Ask::get("/_queue/settings").operator()).json();
    told["event"]["now"].clone()
}

/// The panel once the form has set this event.
fn set(house: &House, id: &str, after: [u64; 3]) -> Got {
    let [prequeue, opens, closes] = after.map(|after| at(house, after));
    let fields = [
        ("id", id),
        ("prequeue", &prequeue),
        ("opens", &opens),
        ("closes", &closes),
    ];
    press(house, "set-event", &fields)
}

pub(crate) fn an_event_is_set_moved_and_removed_by_forms_and_that_is_undone(house: &House) {
    assert_eq!(text(&panel(house), "event-words"), "No event. ");
    let asked = set(house, "Last_1", [7200, 7200, 9000]);
    assert_shows(&asked, "Close the room until the event?");
    follow(house, Form::of(&asked, "yes").send(house));
    let both = set(house, "first", [600, 1200, 3600]);
    let ids = |house: &House| {
        let listed = listed(house);
        let ids = listed.as_array().unwrap().iter();
        ids.map(|event| event["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids(house),
        ["first", "Last_1"],
        "in the order of their times"
    );
    assert!(
        text(&both, "event-words").contains("by admin"),
        "{}",
        both.body
    );
    assert_shows(&both, "event first opens");
    let earliest = at(house, 1800) + "Z";
    set(house, "first", [900, 1800, 3600]);
    let latest = at(house, 1800) + "Z";
    assert_eq!(ids(house), ["first", "Last_1"], "moved");
    let moved = listed(house);
    let set_to = moved[0]["opens"].as_str().unwrap();
    assert!((&*earliest..=&*latest).contains(&set_to), "{moved}");
    let east = panel(house);
    let east = Form::of(&east, "set-event")
        .with("offset", "+02:00")
        .send(house);
    assert_eq!(east.status, 303, "{east:?}");
    let opens = |listed: &Value| now_serving_moment(&listed[0]["opens"]);
    // Two hours earlier may be the day before.
    let earlier = opens(&moved) + 86_400 - opens(&listed(house));
    assert_eq!(earlier % 86_400, 7200);
    let without = press(house, "without-1", &[]);
    assert_eq!(ids(house), ["Last_1"]);
    let undone = follow(house, Form::of(&without, "undo").send(house));
    assert_eq!(ids(house), ["first", "Last_1"]);
    assert!(text(&undone, "news").starts_with("The events are set: "));
    let back = press(house, "event-back", &[]);
    assert!(!back.body.contains("id=\"event-back\""));
    assert_eq!(listed(house), json!([]));
}

/// Seconds of the day of a time in UTC.
fn now_serving_moment(time: &Value) -> u64 {
    let text = time.as_str().unwrap();
    let (_, clock) = text.split_once('T').unwrap();
    let number = |text: &str| text.parse::<u64>().unwrap();
    let clock: Vec<u64> = clock.trim_end_matches('Z').split(':').map(number).collect();
    clock[0] * 3600 + clock[1] * 60 + clock[2]
}

pub(crate) fn an_event_that_a_form_words_wrongly_comes_back_with_what_was_typed(house: &House) {
    let form = Form::of(&panel(house), "set-event");
    let form = form.with("id", "sale").with("opens", "2030-01-31T10:00");
    for (form, told) in [
        (
            form.clone().with("offset", "+1"),
            "accepted is a time of opens with its offset",
        ),
        (
            form.clone().with("id", "two words"),
            "accepted is an id of 1 to 32",
        ),
        (
            form.clone().with("closes", "2030-01-31T09:00"),
            "accepted is a time closes that is later than opens",
        ),
    ] {
        let page = form.send(house);
        assert_eq!(page.status, 400);
        let trouble = text(&page, "trouble");
        assert!(
            trouble.starts_with("Nothing was changed: The event is "),
            "{trouble}"
        );
        assert!(trouble.contains(told), "{trouble}");
        assert_shows(&page, "value=\"2030-01-31T10:00\"");
    }
    assert_eq!(listed(house), json!([]));
}
