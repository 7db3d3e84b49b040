//! The panel by forms alone: what it shows, and that nothing happens by accident.

mod advice;
mod events;

use std::time::Duration;

use upstash_local::{Fault, Faults};

use crate::house::{ADMIN_TOKEN, Ask, Got, House, Visitor};

pub(crate) use advice::*;
pub(crate) use events::*;

/// A form of a page, as a browser without scripts would send it.
#[derive(Clone, Debug)]
struct Form {
    action: String,
    fields: Vec<(String, String)>,
}

impl Form {
    /// The one whose button has this id; on a page with one form, its first.
    fn of(page: &Got, button: &str) -> Self {
        let marked = format!("<button id=\"{button}\"");
        let at = page.body.find(&marked);
        let at = at.unwrap_or_else(|| panic!("no button {button}: {}", page.body));
        let begin = page.body[..at].rfind("<form").unwrap();
        let tags: Vec<&str> = page.body[begin..at].split('<').collect();
        let inputs = tags.iter().filter(|tag| tag.starts_with("input"));
        Self {
            action: attribute(tags[1], "action").unwrap(),
            fields: inputs
                .filter_map(|tag| {
                    let value = attribute(tag, "value").unwrap_or_default();
                    Some((attribute(tag, "name")?, value))
                })
                .collect(),
        }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        let field = self.fields.iter_mut().find(|(found, _)| found == name);
        let field = field.unwrap_or_else(|| panic!("no field {name}"));
        value.clone_into(&mut field.1);
        self
    }

    fn send(&self, house: &House) -> Got {
        house.ask(&self.ask())
    }

    fn ask(&self) -> Ask {
        let pairs = self.fields.iter();
        let pairs = pairs.map(|(name, value)| format!("{}={}", encoded(name), encoded(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        Ask::get(&self.action)
            .method("POST")
            .with("sec-fetch-site", "same-origin")
            .operator()
            .body("application/x-www-form-urlencoded", &body)
    }
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    let value = value.split('"').next()?;
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
    ];
    let value = entities.iter().fold(value.to_owned(), |value, (from, to)| {
        value.replace(from, to)
    });
    Some(value.replace("&amp;", "&"))
}

fn encoded(text: &str) -> String {
    let digit = |four: u8| char::from_digit(four.into(), 16).unwrap();
    text.bytes()
        .flat_map(|byte| ['%', digit(byte >> 4), digit(byte & 15)])
        .collect()
}

fn panel(house: &House) -> Got {
    let panel = house.ask(&Ask::get("/_queue").operator());
    assert_eq!(panel.status, 200, "{panel:?}");
    panel
}

/// Presses a button of the panel and goes where that leads.
fn press(house: &House, button: &str, typed: &[(&str, &str)]) -> Got {
    let form = Form::of(&panel(house), button);
    let form = typed
        .iter()
        .fold(form, |form, (name, value)| form.with(name, value));
    follow(house, form.send(house))
}

fn follow(house: &House, got: Got) -> Got {
    if got.status != 303 {
        return got;
    }
    house.ask(&Ask::get(got.header("location")).operator())
}

fn draw(house: &House, many: usize) {
    for _ in 0..many {
        Visitor::new(house).ask("/");
    }
}

fn assert_shows(page: &Got, shown: &str) {
    assert!(page.body.contains(shown), "{shown}: {}", page.body);
}

/// The text of what has this id, without tags.
fn text(page: &Got, id: &str) -> String {
    let Some((_, rest)) = page.body.split_once(&format!("id=\"{id}\"")) else {
        panic!("no {id}: {}", page.body);
    };
    let end = rest.find("</p>").unwrap_or(rest.len());
    let inside = &rest[rest.find('>').unwrap() + 1..end];
    let parts = inside.split('<').enumerate();
    let text = parts.map(|(at, part)| match part.split_once('>') {
        Some((_, text)) if at > 0 => text,
        _ => part,
    });
    text.collect()
}

pub(crate) fn the_panel_shows_the_last_hour(house: &House) {
    assert_shows(&panel(house), "No visitor came and none was let in.");
    house.wait_for_period(60);
    let minute = house.now_ms() / 60_000;
    let minutes = [(20, 40, 40, 0, 0), (3, 30, 45, 15, 0), (1, 20, 50, 30, 0)];
    house.write_minutes(minutes.map(|(ago, waiting, drawn, released, came)| {
        (minute - ago, waiting, drawn, released, came)
    }));
    let minute = minute.to_string();
    house.write(&[
        "main length",
        "50",
        "main cursor",
        "35",
        "drawn",
        "50",
        "admitted",
        "35",
    ]);
    house.write(&["minute", &minute]);
    let panel = panel(house);
    assert_shows(&panel, r#"id="waiting">15<"#);
    for shown in [
        r#"id="arriving">2<"#,
        "mean of 5 min · last minute 5, this one 0 · peak 40<",
        r#"id="admitted">6<"#,
        "mean of 5 min · last minute 15, this one <span id=\"admitted-now\">5<",
    ] {
        assert_shows(&panel, shown);
    }
    assert_shows(&panel, r#"class="in" d="M0 0H10V200H20"#);
    let (_, words) = panel.body.split_once("id=\"hour-words\">").unwrap();
    for part in [
        "50 arrived, at most 40 in a minute, at <time ",
        "Let in: 35, at most 15 in a minute, at <time ",
        "At most 40 waited, at <time ",
    ] {
        assert!(words.contains(part), "{words}");
    }
}

pub(crate) fn what_is_let_in_is_in_the_figures_of_this_minute_and_of_the_last_when_it_is_over(
    house: &House,
) {
    house.wait_for_period(60);
    draw(house, 3);
    house.permit(2);
    let first = panel(house);
    for shown in [
        r#"id="admitted">–<"#,
        r#"id="admitted-now">2<"#,
        r#"id="store">answers<"#,
        r#"id="wait">–</span> <small>unknown<"#,
        "known after its first minute",
    ] {
        assert_shows(&first, shown);
    }
    assert_shows(&first, " s old<");
    house.wait_for_period(60);
    let next = panel(house);
    for shown in [
        r#"id="arriving">3<"#,
        r#"id="admitted">2<"#,
        r#"id="admitted-now">0<"#,
        "Steady: 3 arrive and 2 go in each minute",
        "▲ 1 a minute · now serving",
    ] {
        assert_shows(&next, shown);
    }
}

pub(crate) fn every_live_setting_says_what_is_configured_and_leads_back(house: &House) {
    let set = press(
        house,
        "pace",
        &[("automatic_quantity", "20"), ("automatic", "15")],
    );
    assert_shows(&set, "The pace is set");
    let words = text(&set, "pace-words");
    assert!(
        words.starts_with("Configured off, now 20 every 15 seconds since "),
        "{words}"
    );
    assert!(words.ends_with(" UTC by admin."), "{words}");
    let back = press(house, "pace-back", &[]);
    let words = text(&back, "pace-words");
    assert!(
        words.starts_with("Configured off, now off since "),
        "{words}"
    );
    assert!(!back.body.contains("id=\"pace-back\""), "{}", back.body);

    let closed = press(house, "mode-closed", &[]);
    let words = text(&closed, "mode-words");
    assert!(
        words.starts_with("Configured Automatic, now Closed since "),
        "{words}"
    );
    assert_shows(&closed, r#"id="mode-closed" aria-pressed="true""#);
    let automatic = press(house, "mode-automatic", &[]);
    assert_shows(&automatic, r#"id="mode-automatic" aria-pressed="true""#);

    house.set("message", "Doors open at eight.");
    let said = press(house, "message", &[("message", "Nine, we are late.")]);
    let words = text(&said, "message-words");
    assert!(
        words.starts_with("Configured “Doors open at eight.”, now “Nine, we are late.” since "),
        "{words}"
    );
    let words = text(
        &press(house, "message", &[("message", "")]),
        "message-words",
    );
    assert!(words.contains(", now none since "), "{words}");
    let words = text(&press(house, "message-back", &[]), "message-words");
    assert!(
        words.contains(", now “Doors open at eight.” since "),
        "{words}"
    );
}

pub(crate) fn what_was_just_set_can_be_undone(house: &House) {
    draw(house, 1);
    let held = press(house, "mode-hold", &[]);
    assert_eq!(text(&held, "was"), "before: mode automatic");
    let undone = follow(house, Form::of(&held, "undo").send(house));
    assert_eq!(text(&undone, "news"), "The mode is set to automatic.");
    assert_eq!(text(&undone, "was"), "before: mode hold");
    let pace = |quantity| [("automatic_quantity", quantity), ("automatic", "15")];
    press(house, "pace", &pace("2"));
    let set = press(house, "pace", &pace("3"));
    let undone = follow(house, Form::of(&set, "undo").send(house));
    assert_eq!(
        text(&undone, "news"),
        "The pace is set to 2 every 15 seconds: in effect everywhere within this period."
    );
    let said = press(house, "message", &[("message", "Nine, we are late.")]);
    let undone = follow(house, Form::of(&said, "undo").send(house));
    assert!(text(&undone, "message-words").contains("now none since "));
    let let_in = press(house, "let-in", &[]);
    assert!(!let_in.body.contains("id=\"undo\""), "{}", let_in.body);
}

pub(crate) fn nothing_is_undone_that_another_operator_set_since(house: &House) {
    let held = press(house, "mode-hold", &[]);
    house.change("message", r#"{"message":"Nine, we are late."}"#);
    let late = Form::of(&held, "undo").send(house);
    assert_eq!(late.status, 409);
    assert!(text(&late, "trouble").starts_with("Changed in the meantime: message "));
    assert_shows(&late, r#"id="mode-hold" aria-pressed="true""#);
    // A press that changed nothing is nothing to take back.
    house.wait(Duration::from_secs(11));
    let again = press(house, "mode-hold", &[]);
    assert_eq!(text(&again, "news"), "The mode is set to hold.");
    assert!(!again.body.contains("id=\"undo\""), "{}", again.body);
}

pub(crate) fn a_pace_five_times_the_last_one_asks_first(house: &House) {
    house.set("automatic", "15");
    draw(house, 2);
    let pace = |quantity| [("automatic_quantity", quantity), ("automatic", "15")];
    assert_shows(
        &press(house, "pace", &pace("24")),
        "The pace is set to 24 every",
    );
    assert_shows(
        &press(house, "pace", &pace("119")),
        "The pace is set to 119 every",
    );
    assert_shows(
        &press(house, "pace", &pace("24")),
        "The pace is set to 24 every",
    );
    let question = press(house, "pace", &pace("120"));
    assert_shows(
        &question,
        "120 every 15 seconds is 5 times 24 every 15 seconds, the pace before. Waiting now: ",
    );
    assert!(text(&panel(house), "pace-words").contains("now 24 every "));
    let set = follow(house, Form::of(&question, "yes").send(house));
    assert_shows(&set, "The pace is set to 120 every");
    house.set("automatic", "0");
    press(house, "pace-back", &[]);
    let fast = press(
        house,
        "pace",
        &[("automatic_quantity", "100"), ("automatic", "15")],
    );
    assert_shows(&fast, "100 every 15 seconds is ");
    let json = r#"{"automatic":1,"automatic_quantity":600}"#;
    assert_eq!(house.ask(&Ask::json_to("settings", json)).status, 200);
}

pub(crate) fn a_line_is_held_whatever_another_operator_set_meanwhile(house: &House) {
    let seen = panel(house);
    house.change("message", r#"{"message":"Nine, we are late."}"#);
    let press = Form::of(&seen, "brake");
    let held = follow(house, press.clone().send(house));
    assert_eq!(text(&held, "news"), "The mode is set to hold.");
    house.change("message", r#"{"message":"Ten."}"#);
    let repeated = follow(house, press.send(house));
    let news = text(&repeated, "news");
    let since = "The mode is set to hold. Since then: message “Ten.” by ";
    assert!(news.starts_with(since), "{news}");
    let resumed = Form::of(&held, "brake").send(house);
    assert_eq!(resumed.status, 409, "and goes on only by what was seen");
}

pub(crate) fn what_operators_did_is_listed_with_who_when_and_from_where(house: &House) {
    draw(house, 2);
    press(house, "let-in", &[("amt", "3")]);
    let panel = press(house, "mode-hold", &[]);
    let (_, actions) = panel.body.split_once("id=\"actions\"").unwrap();
    let (actions, _) = actions.split_once("</ul>").unwrap();
    let rows: Vec<&str> = actions.split("<li>").skip(1).collect();
    assert_eq!(rows.len(), 2, "{actions}");
    for (row, what) in rows.iter().zip(["mode hold", "let in 2 of 3"]) {
        assert!(row.contains(&format!("<span>{what}</span>")), "{row}");
        assert!(row.contains("UTC</time>"), "{row}");
        assert!(
            row.contains("<span class=\"quiet\">admin 127.0.0.1<"),
            "{row}"
        );
    }
    assert_shows(&panel, "No visitor can be let in while the mode is hold.");
    assert_shows(&panel, "<button id=\"let-in\" class=\"off\">");
    let refused = press(house, "let-in", &[]);
    assert_eq!(refused.status, 409);
    assert!(text(&refused, "trouble").contains("the mode is hold; nothing moved"));
}

pub(crate) fn the_button_that_lets_in_is_loud_only_where_it_lets_in(house: &House) {
    house.set("total_active", "1");
    let (loud, quiet) = (
        "<button id=\"let-in\" class=\"go\">",
        "<button id=\"let-in\">",
    );
    assert_shows(&panel(house), quiet);
    draw(house, 2);
    assert_shows(&panel(house), loud);
    house.permit(1);
    let full = panel(house);
    assert_shows(&full, quiet);
    assert_shows(&full, "No visitor goes in now: no slot is free.");
    assert!(!full.body.contains("id=\"still\""), "{}", full.body);
}

pub(crate) fn a_form_sent_twice_is_one_change(house: &House) {
    draw(house, 5);
    let form = Form::of(&panel(house), "let-in").with("amt", "2");
    for _ in 0..2 {
        assert_shows(&follow(house, form.send(house)), "Let in: 2.");
    }
    assert_shows(&panel(house), r#"id="cursor">2<"#);
}

pub(crate) fn a_form_sent_again_with_other_values_says_so_and_keeps_them(house: &House) {
    draw(house, 5);
    let form = Form::of(&panel(house), "let-in").with("amt", "2");
    assert_shows(&follow(house, form.send(house)), "Let in: 2.");
    let again = form.with("amt", "3").send(house);
    assert_eq!(again.status, 409, "{again:?}");
    assert_eq!(
        text(&again, "trouble"),
        "This form was already sent, with other values. Nothing was changed this time: look at the figures, and send it again if you want both."
    );
    assert!(!again.body.contains("Idempotency-Key"), "{}", again.body);
    assert_shows(&again, r#"id="cursor">2<"#);
    let kept = Form::of(&again, "let-in");
    assert_shows(&follow(house, kept.send(house)), "Let in: 3.");
}

pub(crate) fn while_the_store_is_away_the_panel_says_so_once(house: &House) {
    // The last figures are known, and so there are buttons.
    Visitor::new(house).ask("/");
    let form = Form::of(&panel(house), "let-in");
    let question = Form::of(&panel(house), "clear-credit");
    house.store.fail(Faults::always(Fault::Unauthorized));
    let why = "The store refused upstash_token (401).";
    let meanwhile = "Waiting visitors keep their places, and visitors inside stay inside.";
    let shown = house.ask(&Ask::get("/_queue").operator());
    for (page, known) in [
        (shown, "Nothing can be read or moved."),
        (question.send(house), "Nothing was changed."),
        (
            form.send(house),
            "It was done, or it was not: the answer was lost. Trying again is safe, since it counts once.",
        ),
    ] {
        assert_eq!(page.status, 503, "{page:?}");
        let asks = page
            .body
            .contains("This page asks again every few seconds, and sends");
        assert_eq!(asks, known == "Nothing can be read or moved.", "{known}");
        let down = text(&page, "down");
        let when = down.strip_prefix(&format!("{why} Last read here at "));
        let ends = format!(" UTC, in mode Automatic. {known} {meanwhile}");
        assert!(when.is_some_and(|when| when.ends_with(&ends)), "{down}");
        assert_shows(&page, "<p>Waiting does not mend it: look at the log.");
        // What is not known now is not said.
        assert_shows(&page, "The store cannot be used: no new visitor goes in");
        assert!(!page.body.contains("The pace is"), "{}", page.body);
    }
    house.store.fail(Faults::always(Fault::ServerError));
    let shown = house.ask(&Ask::get("/_queue").operator());
    assert_shows(
        &shown,
        "<p>If it lasts, look at Upstash\u{2019}s console and at the log.",
    );
}

pub(crate) fn of_two_operators_the_second_sees_what_changed_and_nothing_is_overwritten(
    house: &House,
) {
    let seen = panel(house);
    press(
        house,
        "pace",
        &[("automatic_quantity", "20"), ("automatic", "15")],
    );
    let late = Form::of(&seen, "pace").with("automatic_quantity", "7");
    let late = late.with("automatic", "60").send(house);
    assert_eq!(late.status, 409);
    let trouble = text(&late, "trouble");
    assert!(
        trouble.starts_with("Changed in the meantime: pace 20 every 15 seconds by admin at "),
        "{trouble}"
    );
    assert!(
        trouble.ends_with("Nothing of yours was set: look, and set it again."),
        "{trouble}"
    );
    assert!(text(&late, "pace-words").contains("now 20 every 15 seconds since "));
    let again = Form::of(&late, "pace");
    let typed = [("automatic_quantity", "7"), ("automatic", "60")];
    for (name, value) in typed {
        let field = again.fields.iter().find(|(found, _)| found == name);
        assert_eq!(
            field.map(|(_, value)| value.as_str()),
            Some(value),
            "what was typed"
        );
    }
    assert_eq!(Form::of(&seen, "mode-hold").send(house).status, 409);
    assert_eq!(Form::of(&seen, "message").send(house).status, 409);
    assert_shows(&panel(house), r#"id="mode-automatic" aria-pressed="true""#);
    let set = follow(house, again.send(house));
    assert!(text(&set, "pace-words").contains("now 7 every 60 seconds since "));
}

pub(crate) fn what_cannot_be_undone_asks_first_and_says_how_many_it_touches(house: &House) {
    draw(house, 3);
    for (button, typed, asked) in [
        (
            "mode-open",
            None,
            "Waiting now: 3 people. They all go in at once",
        ),
        (
            "let-in",
            Some(("amt", "1004")),
            "Waiting now: 3 people. At most 3 people go in at once. Credit for 1,000 people is kept for the next arrivals. \
             Admissions for 1 person are dropped, since at most 1000 are kept as credit.",
        ),
        ("clear-credit", None, "Credit for 0 people is taken back"),
        (
            "epoch",
            None,
            "Waiting now: 3 people. They lose their places",
        ),
    ] {
        let question = press(house, button, typed.as_slice());
        assert_eq!(question.status, 200, "{button}");
        assert_shows(&question, asked);
        assert!(!question.body.contains("<script"), "{}", question.body);
    }
    assert_shows(&panel(house), r#"id="waiting">3<"#);
    let question = press(house, "epoch", &[]);
    let form = Form::of(&question, "yes");
    let other = form.clone().with("word", "other").send(house);
    assert_eq!(other.status, 400);
    let trouble = text(&other, "trouble");
    let accepted = format!(
        "accepted is the name of the room, &quot;{}&quot;",
        house.room()
    );
    assert_eq!(
        trouble,
        format!("Nothing was changed: The room’s name is &quot;other&quot;; {accepted}.")
    );
    let ended = follow(house, form.with("word", house.room()).send(house));
    assert_shows(
        &ended,
        "All tickets have ended, those of 3 people waiting among them.",
    );
    draw(house, 2);
    let opened = Form::of(&press(house, "mode-open", &[]), "yes").send(house);
    assert_shows(
        &follow(house, opened),
        "The mode is set to open; 2 people went in.",
    );
}

pub(crate) fn a_form_that_is_not_accepted_comes_back_as_the_panel_with_what_was_typed(
    house: &House,
) {
    let long = "x".repeat(201);
    for (button, typed, told) in [
        (
            "let-in",
            [("amt", "0")].as_slice(),
            "How many is &quot;0&quot;; accepted is a whole number from 1 to 10000.",
        ),
        (
            "let-in",
            &[("amt", "many <b>")],
            "How many is &quot;many &lt;b&gt;&quot;;",
        ),
        (
            "pace",
            &[("automatic_quantity", "0"), ("automatic", "15")],
            "How many in a period is &quot;0&quot;; accepted is a whole number from 1 to 1000000.",
        ),
        (
            "message",
            &[("message", long.as_str())],
            "accepted is a text of at most 200 characters",
        ),
    ] {
        let page = press(house, button, typed);
        assert_eq!(
            (page.status, page.header("content-type")),
            (400, "text/html; charset=utf-8"),
            "{page:?}"
        );
        let trouble = text(&page, "trouble");
        assert!(
            trouble.starts_with("Nothing was changed: ") && trouble.contains(told),
            "{trouble}"
        );
        let form = Form::of(&page, button);
        for (name, value) in typed {
            let field = form.fields.iter().find(|(found, _)| found == name).unwrap();
            assert_eq!(field.1, *value, "what was typed");
        }
        assert!(
            page.body.contains(" data-kept"),
            "and no refresh takes it away"
        );
    }
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    assert_eq!(
        (&status["version"], &status["credit"]),
        (&0.into(), &0.into())
    );
    let by_program = house.ask(
        &Ask::get("/_queue/permit")
            .method("POST")
            .with("authorization", format!("Bearer {ADMIN_TOKEN}"))
            .body("application/x-www-form-urlencoded", "amt=0"),
    );
    assert_eq!(
        (by_program.status, by_program.header("content-type")),
        (400, "application/problem+json")
    );
}

pub(crate) fn the_answer_names_what_a_permit_neither_used_nor_kept(house: &House) {
    draw(house, 2);
    house.set("credit_max", "3");
    let told = house.ask(&Ask::json_to("permit", r#"{"amt":9}"#)).json();
    assert_eq!(
        (&told["released"], &told["credit"], &told["dropped"]),
        (&2.into(), &3.into(), &4.into())
    );
    let again = press(house, "let-in", &[("amt", "5")]);
    assert_eq!(
        text(&again, "news"),
        "Let in: 0 of 5. Admissions for 5 people are dropped, since at most 3 are kept as credit."
    );
    let question = press(house, "let-in", &[("amt", "500")]);
    assert_shows(
        &question,
        "Waiting now: 0 people. No visitor goes in now. Admissions for 500 people are dropped",
    );
}

pub(crate) fn a_mode_that_holds_already_is_no_change(house: &House) {
    for (mode, version) in [("automatic", 0), ("hold", 1), ("hold", 1), ("automatic", 2)] {
        let told = house.change("mode", &format!(r#"{{"mode":"{mode}"}}"#));
        assert_eq!(
            (&told["mode"], &told["version"]),
            (&mode.into(), &version.into())
        );
    }
    let rows = panel(house).body.matches("<span>mode ").count();
    assert_eq!(rows, 2, "what changed nothing is not listed");
}

pub(crate) fn in_front_of_a_closed_room_an_operator_gets_no_test_ticket_and_reads_why(
    house: &House,
) {
    draw(house, 1);
    house.change("mode", r#"{"mode":"closed"}"#);
    for button in ["draw", "jump"] {
        let got = Form::of(&panel(house), button).send(house);
        assert_eq!((got.status, got.ticket()), (409, None), "{got:?}");
        let trouble = text(&got, "trouble");
        assert!(
            trouble.starts_with(
                "The room is closed: it draws no numbers, so this browser got no test ticket"
            ),
            "{trouble}"
        );
    }
    let rows = panel(house).body.matches("<span>test ticket").count();
    assert_eq!(rows, 0, "nothing was done");
}

pub(crate) fn no_link_makes_the_panel_claim_that_something_was_done(house: &House) {
    draw(house, 2);
    let sent = Form::of(&panel(house), "let-in")
        .with("amt", "1")
        .send(house);
    let location = sent.header("location").to_owned();
    let told = |target: &str| {
        let page = house.ask(&Ask::get(target).operator());
        assert_eq!(page.status, 200);
        page.body.contains("id=\"news\"")
    };
    assert!(told(&location));
    let query = location.split_once('?').unwrap().1;
    let unsealed = query.split("&at=").next().unwrap();
    for forged in [
        format!("/_queue/?{unsealed}"),
        format!("/_queue/?{}", query.replace("number=1", "number=2")),
        format!("/_queue/?{}", query.replace("done=permit", "done=epoch")),
        format!("/_queue/?{query}&done=epoch"),
        format!("/_queue?done=epoch&{query}"),
        "/_queue/?done=epoch&number=5".to_owned(),
    ] {
        assert!(!told(&forged), "{forged}");
    }
    house.wait(Duration::from_secs(61));
    assert!(!told(&location), "after a minute it is no news");
}

/// Presses a button about the browser's own ticket.
fn press_in(browser: &mut Visitor<'_>, button: &str) -> Got {
    let panel = browser.send(Ask::get("/_queue").operator());
    let sent = browser.send_once(Form::of(&panel, button).ask());
    assert_eq!(sent.status, 303, "{sent:?}");
    browser.send(Ask::get(sent.header("location")).operator())
}

fn waiting(house: &House) -> u64 {
    let status = house.ask(&Ask::get("/_queue/status").operator()).json();
    status["waiting"].as_u64().unwrap()
}

pub(crate) fn a_test_ticket_is_drawn_jumps_and_is_forgotten(house: &House) {
    assert_shows(&panel(house), "This browser holds no ticket.");
    let mut browser = Visitor::new(house);
    for (button, news, shown, left) in [
        (
            "draw",
            "This browser holds test ticket 1.",
            "This browser holds number 1, with 0 people ahead.",
            1,
        ),
        (
            "jump",
            "This browser holds test ticket 1 and is let in.",
            "This browser holds number 1, let in.",
            0,
        ),
    ] {
        let panel = press_in(&mut browser, button);
        assert_eq!(text(&panel, "news"), news);
        assert_eq!(text(&panel, "ticket-words"), shown);
        assert_eq!(waiting(house), left, "{button}");
    }
    assert!(browser.ask("/echo").inside);
    let mut next = Visitor::new(house);
    let told = next.ask("/").json();
    assert_eq!(
        (&told["position"], &told["ahead"]),
        (&2.into(), &0.into()),
        "nobody waits behind a number that is let in"
    );
    let panel = browser.send(Ask::get("/_queue").operator());
    let forgotten = Form::of(&panel, "forget").send(house);
    assert_eq!(forgotten.ticket().as_deref(), Some(""));
}

pub(crate) fn a_jump_without_a_ticket_draws_no_number_and_takes_no_visitor_s_turn(house: &House) {
    let mut line: Vec<Visitor<'_>> = (0..3).map(|_| Visitor::new(house)).collect();
    for visitor in &mut line {
        visitor.ask("/");
    }
    let mut browser = Visitor::new(house);
    let panel = press_in(&mut browser, "jump");
    assert_eq!(
        text(&panel, "news"),
        "This browser holds a test ticket without a number and is let in."
    );
    assert_eq!(
        text(&panel, "ticket-words"),
        "This browser holds a ticket without a number, let in."
    );
    assert_shows(&panel, "<span>test ticket let in</span>");
    assert!(browser.ask("/echo").inside);
    assert_eq!(crate::house::inside(&mut line), [false; 3]);
    assert_eq!(
        waiting(house),
        3,
        "the operator is inside and waits no more"
    );
    assert_eq!(house.permit(3)["credit"], 0);
    house.forget_the_sign();
    assert_eq!(crate::house::inside(&mut line), [true; 3]);
    assert_eq!(waiting(house), 0);
    house.change("epoch", &house.word());
    house.forget_the_sign();
    assert!(!browser.ask("/echo").inside, "it ends as every ticket does");
}

pub(crate) fn a_jump_past_waiting_visitors_lets_none_of_them_in(house: &House) {
    draw(house, 2);
    let mut browser = Visitor::new(house);
    press_in(&mut browser, "draw");
    let panel = press_in(&mut browser, "jump");
    assert_eq!(
        text(&panel, "ticket-words"),
        "This browser holds number 3, let in."
    );
    assert_shows(&panel, r#"id="cursor">0<"#);
    house.permit(2);
    assert_eq!(
        waiting(house),
        1,
        "its number stays in the line, as of any visitor who leaves"
    );
}

pub(crate) fn what_strangers_wrote_is_text_on_the_panel(house: &House) {
    let hostile = r#"</strong><script>alert('a')</script>"'{{path}}&"#;
    let panel = press(house, "message", &[("message", hostile)]);
    assert_eq!(panel.body.matches("<script>").count(), 1, "{}", panel.body);
    let form = Form::of(&panel, "message");
    let field = form.fields.iter().find(|(name, _)| name == "message");
    assert_eq!(field.map(|(_, value)| value.as_str()), Some(hostile));
    let action = format!("{}\n<b>eve\n<img src=x>\nmode\n0\n<i>\n", house.now_ms());
    let command = ["LPUSH", &house.key(":actions"), &action];
    house.store.command(&command).unwrap();
    let panel = self::panel(house);
    for tag in ["<b>eve", "<img", "<i>"] {
        assert!(!panel.body.contains(tag), "{tag}: {}", panel.body);
    }
    assert_shows(&panel, "&lt;img src");
}

pub(crate) fn a_browser_gets_a_page_for_every_mistake_and_a_program_a_problem(house: &House) {
    let long = format!("message={}", "x".repeat(5000));
    let form = |route: &str, body: &str| Ask::form(route, body);
    for (ask, status, words) in [
        (
            Ask::get("/_queue/nothing").operator(),
            404,
            "There is nothing at this path.",
        ),
        (
            Ask::get("/_queue/mode").operator(),
            405,
            "GET is not one of POST.",
        ),
        (form("permit?amt=5", ""), 400, "The URL has a query"),
        (
            Ask::get("/_queue/mode").method("POST").operator(),
            403,
            "A change needs Sec-Fetch-Site",
        ),
        (
            form("permit", "amt=99999999999999999999999"),
            400,
            "How many is ",
        ),
        (
            form("epoch", "word=other&sure=yes"),
            400,
            "The room’s name is ",
        ),
        (form("message", &long), 413, "longer than 4096 bytes"),
        (form("mode", "mode=%ff"), 400, "The mode is "),
    ] {
        let got = house.ask(&ask.clone().with("sec-fetch-mode", "navigate"));
        let (kind, body) = (got.header("content-type"), &got.body);
        assert_eq!(
            (got.status, kind),
            (status, "text/html; charset=utf-8"),
            "{body}"
        );
        assert!(body.contains(words), "{words}: {body}");
        assert!(body.contains("/_queue/\">"), "a way back: {body}");
    }
    let program = house.ask(&Ask::get("/_queue/nothing").operator());
    let kind = program.header("content-type");
    assert_eq!((program.status, kind), (404, "application/problem+json"));
    let asks = house.ask(&Ask::get("/_queue/").with("sec-fetch-mode", "navigate"));
    assert_eq!(asks.status, 401);
    assert!(asks.header("www-authenticate").starts_with("Basic "));
}

pub(crate) fn a_press_during_an_outage_stays_on_the_page_and_is_one_change_when_sent_again(
    house: &House,
) {
    draw(house, 3);
    let brake = Form::of(&panel(house), "brake");
    let question = Form::of(&panel(house), "epoch");
    house.store.fail(Faults::always(Fault::Unauthorized));
    let lost = brake.send(house);
    assert_eq!(lost.status, 503);
    assert_shows(&lost, "<b>Hold</b> was <b>not confirmed</b>.");
    for shown in [
        r#"class="old""#,
        r#"id="waiting">3<"#,
        "</time>, in mode Automatic.",
        "Waiting does not mend it: look at the log.</p>",
        r#"id="brake""#,
    ] {
        assert_shows(&lost, shown);
    }
    assert!(!lost.body.contains("Idempotency-Key"), "{}", lost.body);
    let again = Form::of(&lost, "repeat");
    let unasked = question.send(house);
    house.store.fail(Faults::none());
    for _ in 0..2 {
        let held = follow(house, again.send(house));
        assert_eq!(text(&held, "news"), "The mode is set to hold.");
    }
    let rows = panel(house).body.matches("<span>mode hold</span>").count();
    assert_eq!(rows, 1, "one change");
    let asked = Form::of(&unasked, "repeat").send(house);
    assert_shows(&asked, "They lose their places");
}
