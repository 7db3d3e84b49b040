//! What would help a line in trouble, on the panel: proposed, asked about, done and undone by forms alone.

use super::{Form, assert_shows, follow, panel, press, text};
use crate::house::{Ask, House};

/// The whole minutes before this one, in each of which 40 came and so many went in; 500 wait at their end.
pub(crate) fn grows(house: &House, go: u64) {
    house.wait_for_period(60);
    let this = house.now_ms() / 60_000;
    let waiting = |ago: u64| 500 - (40 - go) * (ago - 1);
    let admitted = |ago: u64| 1_000 - go * (ago - 1);
    house.write_minutes((1..=10).rev().map(|ago| {
        let (waiting, admitted) = (waiting(ago), admitted(ago));
        (this - ago, waiting, waiting + admitted, admitted, 0)
    }));
    let this = this.to_string();
    house.write(&["main length", "1500", "main cursor", "1000"]);
    house.write(&["drawn", "1500", "admitted", "1000", "minute", &this]);
}

fn version(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["version"].as_u64().unwrap()
}

pub(crate) fn what_would_help_a_growing_line_is_asked_about_done_and_undone(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "30");
    assert!(!panel(house).body.contains("What would help"));
    grows(house, 30);
    let growing = panel(house);
    assert_shows(&growing, "Growing: 40 arrive and 30 go in each minute");
    assert_shows(&growing, "What would help");
    assert_shows(
        &growing,
        "Forecast for arrivals of 40 a minute, as in the last 5 minutes.",
    );
    assert!(text(&growing, "helps-1").starts_with("empty at about "));
    let typed = press(house, "pace", &[("automatic_quantity", "200")]);
    assert_shows(&typed, "Set this much faster pace?");
    assert_shows(
        &typed,
        "cannot be called back. With arrivals of 40 a minute, as in the last 5 minutes, the line is empty at about ",
    );
    let question = Form::of(&growing, "help-1").send(house);
    assert_eq!(question.status, 200);
    let asks = text(&question, "asks");
    assert!(
        asks.starts_with(
            "Now 30 a minute, then 45 a minute. Waiting now: 500 people. It can be undone; visitors who went in stay inside. \
             With arrivals of 40 a minute, as in the last 5 minutes, the line is empty at about "
        ),
        "{asks}"
    );
    assert!(asks.ends_with(" UTC."), "{asks}");
    // The panel's script words it by the browser's clock.
    assert_shows(&question, "the line is empty at about <time datetime=\"");
    assert_eq!(version(house), 0, "nothing is set before the answer");
    let set = follow(house, Form::of(&question, "yes").send(house));
    assert_eq!(
        text(&set, "news"),
        "The pace is set to 45 every 60 seconds: in effect everywhere within this period."
    );
    assert!(
        !set.body.contains("What would help"),
        "nothing has been measured since"
    );
    assert_eq!(text(&set, "was"), "before: pace as configured");
    let undone = follow(house, Form::of(&set, "undo").send(house));
    assert!(text(&undone, "pace-words").contains("now 30 every 60 seconds since "));
    let late = Form::of(&question, "yes").send(house);
    assert_eq!(late.status, 303, "sent twice, it is one change");
    assert_eq!(version(house), 2);
}

pub(crate) fn a_higher_cap_is_proposed_where_the_cap_is_full_and_is_undone(house: &House) {
    house.set("automatic", "60");
    house.set("automatic_quantity", "300");
    house.set("total_active", "160");
    house.warm();
    grows(house, 8);
    let ends = format!("{}:160", house.now_ms() / 60_000 + 20);
    house.write(&["ring", &ends]);
    let full = panel(house);
    assert_shows(
        &full,
        "Growing, held back by the cap: 40 arrive and 8 go in each minute",
    );
    assert!(text(&full, "helps-1").starts_with("empty at about "));
    let question = Form::of(&full, "help-1").send(house);
    let asks = text(&question, "asks");
    assert!(
        asks.starts_with("Now 160, then 850. Waiting now: 500 people. It can be undone; visitors who went in stay inside. With arrivals of 40 a minute, as in the last 5 minutes, and visits as long as now, "),
        "{asks}"
    );
    let set = follow(house, Form::of(&question, "yes").send(house));
    assert!(text(&set, "cap-words").contains("now 850 people for 20 minutes since "));
    let again = press(house, "cap", &[("total_active", "900")]);
    assert_eq!(
        text(&again, "was"),
        "before: cap 850 people, sessions of 20 minutes"
    );
    let undone = follow(house, Form::of(&again, "undo").send(house));
    assert!(text(&undone, "cap-words").contains("now 850 people for 20 minutes since "));
}

pub(crate) fn a_proposal_is_of_forms_alone_and_is_refused_where_it_says_otherwise(house: &House) {
    let by_program = Ask::json_to("mode", r#"{"mode":"hold","ask":"yes"}"#);
    assert_eq!(house.ask(&by_program).status, 400);
    assert_eq!(
        house.ask(&Ask::form("mode", "mode=hold&ask=no")).status,
        400
    );
    let question = house.ask(&Ask::form("mode", "mode=hold&ask=yes"));
    assert_shows(&question, "Hold the line?");
    assert_shows(&question, "No new visitor goes in until you resume.");
    assert_eq!(version(house), 0);
}
